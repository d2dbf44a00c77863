/* passing.h - nothing passes through anything within a substep: what a scheme asks before it takes one, and after. */
#ifndef SS_PASSING_H
#define SS_PASSING_H

#include "contact/passage.h"
#include "kernels/vicinity.h"

/* One belongs to every ss_vicinity. */
typedef struct ss_passing {
    ss_context *ctx;
    ss_passage *sweep;
    ss_swept_pairs ahead;  /* pairs that the motion foreseen brings together   */
    ss_swept_pairs behind; /* pairs that the motion of an attempt has moved far */
    bool *barred;          /* of contacts of the survey: not to be met yet, whatever the linearised gap says */
    bool *far;             /* of contacts of the survey: their shapes move farther than they are thick          */
    int barred_cap, far_cap;
    double most;  /* longest substep that meets nothing but what is at hand, s */
    double haste; /* ss_stepper_haste                                          */
} ss_passing;

/* The first thing that an attempt would pass through. */
typedef struct ss_met {
    bool any;
    bool unsure;   /* it has an active contact, which may have prevented that: a shorter substep tells */
    double before; /* the longest substep that ends before it                      */
    double inside; /* if it is at hand, one at whose end it overlaps, so that a collision is located; else `before` */
    int a, b;      /* shapes                                                       */
} ss_met;

ss_status ss_passing_create(ss_context *ctx, const ss_model *m, ss_passing **out);
void ss_passing_destroy(ss_context *ctx, ss_passing *x);
/* Before a substep: follow the motion foreseen, and set `barred` and `most`. */
ss_status ss_passing_foresee(ss_passing *x, ss_stepper *s, const ss_vicinity *around, const ss_path *path);
/* The same for a scheme whose problem closes open gaps within the substep, whatever was foreseen: only the contacts of bodies
 * that fly on as foreseen, past each other, are barred, and the substep may be as long as it likes. */
ss_status ss_passing_bar_misses(ss_passing *x, ss_stepper *s, const ss_vicinity *around, const ss_path *path);
/* After an attempt: does it pass through something? Pairs with an active contact are the business of the contact's law. A step in
 * which some were not followed as finely as they should be has a remark. */
ss_status ss_passing_check(ss_passing *x, ss_stepper *s, const ss_vicinity *around, const ss_active *active, const ss_path *path,
                           ss_met *met);
/* The contacts of this pair are barred no more: something else has turned the motion foreseen. */
void ss_passing_expect(ss_passing *x, const ss_vicinity *around, const ss_met *met);

#endif
