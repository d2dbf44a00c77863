/* located_step.h - a step that is cut where contacts close: the loop around a scheme's own step.
 *
 * The scheme says how it moves over a given length with given contacts, how gaps are there, and how it collides. When which of
 * these happens is decided here; located_step.c has the loop written out. */
#ifndef SS_LOCATED_STEP_H
#define SS_LOCATED_STEP_H

#include "kernels/vicinity.h"

/* Contacts that collide at the start of a substep, together with those that touch or are held there. */
typedef struct ss_collision {
    int n;
    const int *which; /* n contacts of the survey, increasing                   */
    int trigger;      /* place in which[] of the first one that approaches fast */
    bool elastic;     /* false: there have been too many collisions, e counts as 0 */
} ss_collision;

/* The scheme. A callback that fails ends the step. */
typedef struct ss_located_client {
    void *user;
    const ss_vicinity *around; /* what the last survey has found         */
    ss_active *active;         /* contacts that `attempt` has to take into its problem */
    /* A substep begins at the state reached so far. */
    ss_status (*begin)(void *user);
    /* Fill `around` with what may close within h from there; afterwards nothing is active. */
    ss_status (*survey)(void *user, double h);
    /* Is contact k of the survey active although it does not touch? It takes part in collisions, too. NULL: none is. */
    bool (*holds)(void *user, int k);
    /* Does contact k of the survey, which touches and approaches, however slowly, collide? NULL: only fast ones do. */
    bool (*stops)(void *user, int k);
    /* Resolve these collisions: velocities of the state change, time and positions do not. */
    ss_status (*collide)(void *user, const ss_collision *collision);
    /* The scheme's own step over h from the state, with the active contacts; the state stays as it is. */
    ss_status (*attempt)(void *user, double h);
    /* Where the last attempt, over h, has led: gaps of contacts, or the distance of their witnesses from the features where that
     * is more. */
    ss_status (*gaps)(void *user, double h, int count, const int *which, double *gap);
    /* Is the last attempt, over h, too inaccurate, and may a shorter one be better? NULL: never. */
    ss_status (*judge)(void *user, double h, bool *halve);
    /* Does the motion of the last attempt change within its length *h, as where slip begins or ends? *h: until the first change.
     * What is attempted afterwards is no longer than that. NULL: never. */
    ss_status (*changes)(void *user, double *h);
    /* Search where the last attempt, over h, has led, as ss_vicinity_look_again does. */
    ss_status (*look)(void *user, double h, bool *more, bool *hidden);
    /* Does the last attempt, over h, pass through something? *inside: the length of one that ends while it overlaps it; h: none.
     * NULL: never. */
    ss_status (*passes)(void *user, double h, double *inside);
    /* The last attempt, over h, is what happened: report it, and make its end the state. */
    ss_status (*accept)(void *user, double h);
} ss_located_client;

typedef struct ss_located_rules {
    bool locate;    /* cut substeps where fast contacts close; false: they collide at the start of the substep */
    bool absorbs;   /* the scheme's own problem closes an open gap within its step, no more and no less         */
    bool recalls;   /* and knows which contacts pressed in the substep before: they take part from the start    */
    bool dips;      /* a shorter attempt is a part of a longer one, and velocities change evenly along it: a gap that closes and
                       opens again within an attempt is looked for */
    int max_events; /* collisions in the step before the rest of it is inelastic                                */
} ss_located_rules;

/* Advance the client's state by h. A gap that is not a number, and a substep without length, are refused. */
ss_status ss_located_step(ss_stepper *s, const ss_located_client *client, const ss_located_rules *rules, double h);

#endif
