/* stepper.h - what a scheme is, and what it is handed for a step.
 *
 * Adding a scheme: a file src/schemes/<name>.c that defines `const ss_scheme_type ss_scheme_<name>`,
 * and a line in schemes.def. A scheme advances `next` from `now`; it never writes `now`. */
#ifndef SS_STEPPER_H
#define SS_STEPPER_H

#include "base/options.h"
#include "base/tolerances.h"
#include "contact/contact.h"
#include "kernels/report.h"
#include "solvers/solver.h"
#include <math.h>

typedef struct ss_state {
    double t;
    double *q, *v;
    double *scheme_state;   /* private to the scheme, scheme_state_size doubles */
    ss_contact_cache cache; /* contacts remembered                        */
} ss_state;

/* What has led to nothing. */
typedef struct ss_wasted {
    int64_t iterations; /* of solvers that found no solution           */
    int64_t problems;   /* of substeps that were made again, shorter   */
    int64_t looks;      /* along the way of a pair of shapes that moves far */
} ss_wasted;

/* How far the step goes. */
typedef struct ss_step_length {
    bool controlled; /* steps are chosen by a tolerance                                                              */
    double stretch;  /* > 0: the step ends soon after it is first cut behind this time; < 0: it has been; 0: it goes to its end */
    double taken;    /* of it so far (ss_stepper_rest)                                                               */
} ss_step_length;

typedef struct ss_stepper {
    ss_context *ctx;
    const ss_model *model;
    const void *params; /* the scheme's options                       */
    ss_solver *solver;
    double tol; /* of the solver                              */
    ss_finder *finder;
    ss_arena *arena; /* scratch; the driver resets it after the step */
    ss_report *report;
    const ss_state *now;
    ss_state *next;   /* starts as a copy of now                    */
    void *work;       /* made by the scheme's create; NULL: none    */
    double h_nominal; /* the step the user asked for, or a tolerance chose */
    double h_asked;   /* the step the user asked for                */
    ss_step_length length;
    ss_wasted wasted; /* by this step                               */
} ss_stepper;

/* A gap below this, relative to its unit, is what tolerance and round-off leave: the contact touches. */
static inline double ss_stepper_touch(const ss_stepper *s) { return fmax(SS_TOL_CLOSED, SS_TOL_CLOSED_BY_SOLVER * s->tol); }
/* Substeps of a step are not halved below this. */
static inline double ss_stepper_shortest(const ss_stepper *s) { return s->h_nominal / 64; }

/* An overlap of the start of a substep h is undone at the rate of a whole step, also where a tolerance asks for a much shorter
 * one: a depth of 1e-5 m closed in 1e-7 s would be a blow of 100 m/s. */
static inline double ss_stepper_time_to_undo(const ss_stepper *s, double h) { return fmax(h, fmax(s->h_nominal, s->h_asked)); }

/* What is left to do of a step over h, after a substep of `taken` when `left` was. If the step may end where it is cut, that is a
 * thousandth of what has been done: so an error is estimated for every stretch that a scheme makes, and not for a step that it
 * has cut, which a second run would cut at the same places. The thousandth is there for the event that may have cut the step: a
 * second run has it a little earlier or later, and within the step, too. The scheme ends at `taken` of the stepper. */
static inline double ss_stepper_rest(ss_stepper *s, double h, double left, double taken)
{
    const double TAIL = 1e-3;
    ss_step_length *l = &s->length;
    double rest = taken < left ? left - taken : 0;
    l->taken = rest > 0 || l->stretch < 0 ? l->taken + fmin(taken, left) : h;
    if (l->stretch > 0 && l->taken >= l->stretch) {
        rest = fmin(rest, TAIL * l->taken);
        l->stretch = rest > 0 ? -1 : l->stretch;
    }
    return rest;
}

/* A problem that was given up early has cost more than its iterations: it was assembled and is not solved. */
static inline int64_t ss_stepper_waste_of(int64_t iterations)
{
    enum { LEAST = 50 };
    return iterations > LEAST ? iterations : LEAST;
}

/* Has the step spent so much without a result that it has to be finished in a cheap way? */
static inline bool ss_stepper_is_exhausted(const ss_stepper *s)
{
    enum { FRUITLESS = 1000, DISCARDED = 500 }; /* some problems on which several solvers have failed; 64 substeps, each halved */
    return s->wasted.iterations >= FRUITLESS || s->wasted.problems >= DISCARDED;
}

/* How much longer than it should be the shortest substep is in which shapes that move far meet: 1, and from PATIENCE looks on
 * twice as long after each HURRY. So a body that is thin and fast, and meets something all along its way, ends its step. */
static inline double ss_stepper_haste(const ss_stepper *s)
{
    enum { PATIENCE = 300000, HURRY = 1000 };
    return exp2(fmin(fmax(ceil((double)(s->wasted.looks - PATIENCE) / HURRY), 0), 1000));
}

typedef struct ss_scheme_type {
    ss_entry info;                                                   /* order, laws, needs, options */
    ss_order (*order)(const void *params);                           /* where it depends on the options; NULL: info.order */
    int (*scheme_state_size)(const ss_model *m, const void *params); /* doubles kept from step to step; NULL: 0 */
    const ss_contact_numbers *contact_numbers;                       /* doubles kept with every contact; NULL: none */
    /* Check that model and options fit, take memory (*work), fill the first private state; NULL: nothing to do. */
    ss_status (*create)(ss_stepper *s, void **work, double *scheme_state);
    void (*destroy)(ss_context *ctx, void *work);
    ss_status (*step)(ss_stepper *s, double h);
    const void *outside; /* of a scheme from outside the library: what the stepper has as `params`; NULL: it is inside */
} ss_scheme_type;

extern const ss_scheme_type *const ss_scheme_types[]; /* NULL-terminated, from schemes.def */

#endif
