/* free_motion.h - what forces alone would do: their sum, and the velocity that it gives. */
#ifndef SS_FREE_MOTION_H
#define SS_FREE_MOTION_H

#include "model/model.h"

/* sum[nv] += c times what by_class[SS_FORCE_CLASSES x nv] adds up to */
void ss_forces_add(int nv, double c, const double *by_class, double *sum);

typedef struct ss_free_motion {
    ss_context *ctx;
    const ss_model *model;
    ss_matrix mass;           /* M where it was found last           */
    double *room;             /* for it, where it is not the model's */
    ss_matrix_factor *factor; /* of M                                */
    double *by_class;         /* classes x nv: F by class, where it was found last */
    double *own;              /* memory for that; NULL: it was always found in an arena */
    double *impulse;          /* nv: F h                             */
    double *change;           /* nv: M^-1 F h                        */
} ss_free_motion;

ss_status ss_free_motion_create(ss_context *ctx, const ss_model *m, ss_free_motion **out);
void ss_free_motion_destroy(ss_free_motion *x);
/* At c with velocities v, forces acting for h; h = 1: forces and accelerations. */
ss_status ss_free_motion_find(ss_free_motion *x, const ss_config *c, const double *v, double h);
/* The same with by_class in memory of the arena: it is gone with the caller's mark, the rest stays. */
ss_status ss_free_motion_find_in(ss_free_motion *x, ss_arena *arena, const ss_config *c, const double *v, double h);
/* y <- M^-1 y there */
ss_status ss_free_motion_divide(const ss_free_motion *x, double *y);

#endif
