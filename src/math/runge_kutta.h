/* runge_kutta.h - coefficients of Runge-Kutta methods, by name. */
#ifndef SS_RUNGE_KUTTA_H
#define SS_RUNGE_KUTTA_H

#include "base/base.h"

enum { SS_RK_STAGES = 7 };

/* y' = y + h sum b_i f(t + c_i h, Y_i),   Y_i = y + h sum_j a_ij f(t + c_j h, Y_j) */
typedef struct ss_runge_kutta {
    const char *name, *title;
    int order, stages;
    bool half_explicit; /* a_ij = 0 for j >= i: half-explicit on a system with multipliers, these at every stage */
    double a[SS_RK_STAGES][SS_RK_STAGES], b[SS_RK_STAGES], c[SS_RK_STAGES];
} ss_runge_kutta;

/* In the order of SS_RUNGE_KUTTA_NAMES; ended by NULL. */
extern const ss_runge_kutta *const ss_runge_kutta_methods[];

/* the choices of an option */
#define SS_RUNGE_KUTTA_NAMES                                                                                                     \
    "radau_iia_3|radau_iia_5|lobatto_iiia_2|lobatto_iiia_4|lobatto_iiia_6|half_explicit_heun_2|half_explicit_heun_3|"            \
    "half_explicit_kutta_4|half_explicit_dormand_prince_5"

#endif
