/* stages.h - one step of a Runge-Kutta method over a phase of motion. */
#ifndef SS_STAGES_H
#define SS_STAGES_H

#include "math/newton.h"
#include "math/runge_kutta.h"
#include "schemes/event_capturing_rk/phase.h"

/* The step under way: from (t, q, v) over h. */
typedef struct ss_stages_span {
    ss_stepper *s;
    double t, h;
    const double *q, *v;
} ss_stages_span;

/* States of the stages and their rates, one after the other. */
typedef struct ss_stages_states {
    double *z;        /* stages x size: unknowns, dv/dt and multipliers      */
    double *X, *rate; /* stages x nv: displacement from q and its rate       */
    double *V;        /* stages x nv                                         */
    double *Q;        /* stages x nq                                         */
    double *lack;     /* size: what a stage lacks of its equations           */
    int z_cap, X_cap, rate_cap, V_cap, Q_cap, lack_cap;
} ss_stages_states;

/* Evaluations of all stages, from Newton's method or one after the other. */
typedef struct ss_stages_effort {
    int spent, most;
} ss_stages_effort;

typedef struct ss_stages {
    ss_context *ctx;
    const ss_runge_kutta *method;
    ss_phase *phase;
    ss_newton_work *newton;
    double square[SS_RK_STAGES][SS_RK_STAGES]; /* a times a */
    ss_stages_span step;
    int size; /* unknowns of a stage                             */
    ss_stages_states of;
    double *first;           /* nv: dv/dt at the start                          */
    double residual;         /* of the stages' equations, relative              */
    ss_stages_effort effort; /* since ss_stages_begin                           */
    double *sum;             /* nv: scratch                                     */
    ss_csr k_q, k_v;
} ss_stages;

ss_status ss_stages_create(ss_context *ctx, const ss_runge_kutta *method, ss_phase *phase, ss_stages **out);
void ss_stages_destroy(ss_stages *x);
/* The effort is counted from here on; after `most` evaluations nothing is solved any more. */
void ss_stages_begin(ss_stages *x, int most);
/* The same bound, changed on the way. */
static inline void ss_stages_allow(ss_stages *x, int most) { x->effort.most = most; }
static inline bool ss_stages_is_exhausted(const ss_stages *x) { return x->effort.spent >= x->effort.most; }
/* From (t, q, v) over h to q_end, v_end (not q, v). *found false: the stages have no solution that was found, or the
 * effort is spent. */
ss_status ss_stages_step(ss_stages *x, ss_stepper *s, double t, const double *q, const double *v, double h, double *q_end,
                         double *v_end, bool *found);
/* Impulses of that step: impulse[kind] of report.h, nv each, all overwritten; work[kind], driven[3] as there. M (v' - v) is their
 * sum: where the mass changes within the step, each is what makes the same change of velocity with M. */
ss_status ss_stages_impulses(ss_stages *x, ss_arena *arena, const ss_matrix *M, double *const impulse[SS_IMPULSES],
                             double work[SS_IMPULSES], double driven[3]);

#endif
