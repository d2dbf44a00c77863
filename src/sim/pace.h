/* pace.h - how fast a scene moves: the time scale of its start, and how long a trial may be that follows its motion. */
#ifndef SS_PACE_H
#define SS_PACE_H

#include "kernels/free_motion.h"

typedef struct ss_pace {
    ss_context *ctx;
    const ss_model *model;
    ss_free_motion *free;
    ss_csr k_q, k_v;
    double *rate;  /* nv: M^-1 k_q v                                      */
    double *speed; /* nv: of the vector of a body that a velocity belongs to */
    bool swings;   /* there are forces that depend on positions           */
    bool timed;    /* there are functions of time                         */
} ss_pace;

ss_status ss_pace_create(ss_context *ctx, const ss_model *m, ss_pace *out);
void ss_pace_destroy(ss_pace *pace);
/* The time in which a body comes as far as its unit, from the start and by forces alone; INFINITY: nothing moves anything. */
ss_status ss_pace_scale(ss_pace *pace, ss_arena *arena, double *time);
/* The time in which a body comes as far as its unit with velocities v. */
double ss_pace_of_speeds(ss_pace *pace, const double *v);
/* The longest trial that follows vibrations of springs at q with velocities v, where they are larger than `least`, of the units;
 * INFINITY: there are none. */
ss_status ss_pace_of_springs(ss_pace *pace, ss_arena *arena, double t, const double *q, const double *v, double least,
                             double *longest);
/* The longest trial in which no body turns by more than 2 rad. */
double ss_pace_of_turns(const ss_model *m, const double *v);

#endif
