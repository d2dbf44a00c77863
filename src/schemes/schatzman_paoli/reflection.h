/* reflection.h - where a scheme at position level evaluates its gaps, so that impacts obey Newton's law: at a mean of the end
 * of the step and the position before it (`past`), or the position it would reach (`future`). */
#ifndef SS_REFLECTION_H
#define SS_REFLECTION_H

#include "kernels/free_motion.h"
#include "kernels/vicinity.h"

/* What is kept from step to step, in the private state of the scheme. */
typedef struct ss_increments {
    double *h;      /* length of the last step; 0: there is none                */
    double *uneven; /* not 0: steps have changed                                */
    double *w;      /* nv: velocity of the last step                            */
    double *before; /* nv: velocity of the state at its start                   */
} ss_increments;

/* A substep of length h from (t, q), which `here` is the configuration of. */
typedef struct ss_reflection_step {
    double t, h;
    const double *q;
    const ss_config *here;
    const ss_blockdiag *mass; /* M(t, q) */
    bool future;              /* asked for by the user */
} ss_reflection_step;

/* Where gaps are taken; contacts of the same restitution and meaning of d share one point. */
typedef struct ss_gap_points {
    int n;
    struct ss_gap_point *point; /* n                                       */
    int *of;                    /* of every contact near: its place in point */
} ss_gap_points;

/* Where rows are taken. */
typedef struct ss_row_places {
    bool *held;      /* of every contact near: at the start     */
    ss_config start; /* its drive is that of the substep        */
} ss_row_places;

/* For the contacts near; made anew for every substep, of the step's arena. */
typedef struct ss_reflection {
    ss_stepper *s;
    const ss_vicinity *around;
    ss_increments past;
    ss_reflection_step substep;
    bool future; /* impacts reflect what would come: asked for, under step control, or from the first change of the step on */
    double *y;   /* gaps at the velocity looked at last */
    double *y_target; /* value of y that counts as a gap of zero */
    ss_row_places rows;
    bool *second;     /* the last step has begun an impact with friction: this one ends it */
    ss_active active; /* those that have joined the problem */
    ss_gap_points points;
    ss_free_motion *free;
    double *change, *scratch; /* nv: of the velocity, by forces alone */
    ss_csr row;               /* of one contact */
} ss_reflection;

int ss_increments_size(const ss_model *m);
ss_increments ss_increments_in(const ss_model *m, double *scheme_state);
/* A step over h from a state of velocity `before` has had the velocity w. */
void ss_increments_note(ss_increments *past, const ss_model *m, double h, const double *before, const double *w);
/* Of the velocity w and the one before, block by block the faster one. In the middle of an impact a body is slow; its contact is
 * as far away as the velocity and the step before have brought it. */
void ss_increments_fastest(const ss_increments *past, const ss_blockdiag *mass, double *v);
/* The time for which forces act: between the middles of the last step and of one over h. */
double ss_increments_balanced(const ss_increments *past, double h);

/* Memory that outlives a step; destroy also accepts a struct of zeros. */
ss_status ss_reflection_create(ss_context *ctx, const ss_model *m, ss_reflection *x);
void ss_reflection_destroy(ss_context *ctx, ss_reflection *x);
/* For every contact near: does it bounce in this step, and from which velocity or position? */
ss_status ss_reflection_begin(ss_reflection *x, ss_stepper *s, const ss_vicinity *around, const ss_increments *past,
                              const ss_reflection_step *substep);
/* y of all contacts near for the velocity w of the substep. Overlaps join; on the first look also what comes as near as forces
 * may change it. */
ss_status ss_reflection_look(ss_reflection *x, const double *w, bool first);
/* Minus what contacts of the problem `a` that end an impact got by its first part, 0 for others, by rows of H: with that given r
 * is the impulse of both parts. r and bases of `a` become those of the last step. */
void ss_reflection_give(const ss_reflection *x, ss_assembly *a, double *given);
/* Contacts that would pull, r + given < 0, end no impact from now on. Are there any? */
bool ss_reflection_let_go(ss_reflection *x, const ss_assembly *a, const double *given);
/* Largest overlap, or distance of what the problem `a` has pressed, in units of the gap; *branch: which ones are pressed. */
double ss_reflection_error(const ss_reflection *x, const ss_assembly *a, uint64_t *branch);
/* Where the rows of contact k are taken: where it was looked at, or at the start. The drive is the mean one of the substep. */
const ss_config *ss_reflection_rows_at(const ss_reflection *x, int k);
/* From now on rows are taken where gaps are looked at. Was any at the start? */
bool ss_reflection_free_rows(ss_reflection *x);
/* Make u along the tangents of contact k of the problem `a` the mean over the substep: w, which holds the velocity of driven
 * bodies where the gap was looked at, becomes less by what turns from the middle to there, with velocity w0. */
ss_status ss_reflection_mean_slip(const ss_reflection *x, ss_assembly *a, int k, const double *w0);
/* u_N = H w + offset is (1 + e)(y - y_target)/h of contact k, linear in w about w0 where it was looked at: `row` of H, `drive` of
 * what is driven. What the turning of rows adds counts from `rounding` on, in units of the gap. */
double ss_reflection_offset(const ss_reflection *x, int k, const ss_csr *H, int row, double drive, const double *w0,
                            double rounding);
/* Of the bodies of a contact: the smaller one of their kinetic energies with velocities v and w, added. */
double ss_reflection_energy(const ss_reflection *x, const ss_contact *c, const double *v, const double *w);
/* Contacts of the solved problem `a` that the velocity at the end obeys: pressed ones, but for the first step of an impact by
 * `future`, which ends with the velocity before; and motors. */
ss_status ss_reflection_carrying(const ss_reflection *x, const ss_assembly *a, int **which, int *n);

#endif
