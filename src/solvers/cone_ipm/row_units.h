/* row_units.h - the units in which the rows of a one-step problem are measured, so that masses and lengths drop out. */
#ifndef SS_ROW_UNITS_H
#define SS_ROW_UNITS_H

#include "base/base.h"
#include "problem/gram.h"
#include <slipstick/problem.h>

/* Groups are the contacts, then the joint rows. Scaled quantities (with a hat) are
 *     u^ = f (J v + w) / unit,    r = f r^ unit,    v = v^ unit,    f = 1/sqrt(d) or, on tangents, mu/sqrt(d)
 * in which r^ and u^ of a circular contact live in the cone |x_T| <= x_N. */
typedef struct ss_row_units {
    int n, nr, rows, groups;       /* velocities; contact rows; with joint rows; contacts and joint rows */
    int *first;                    /* groups+1: rows of a group                                         */
    bool *moves;                   /* groups: false: touches nothing, or nothing happens on its island  */
    double *factor;                /* rows: f; 0 where a group touches nothing                          */
    int islands, *of_group, *of_v; /* their number; groups, n: the island of each, or -1           */
    double *unit, *v_unit;         /* groups, n: of the island                                          */
    double *w, *b;                 /* rows, n: scaled offsets (joints: -c) and momenta (local form: 0)  */
    double *bound;                 /* contacts: scaled mu, the bound of a bounded row                   */
} ss_row_units;

/* J: as of ss_velocity_rows; gram, L: of J with M and its Cholesky factors (local form: not looked at). The arrays live in the
 * arena. */
ss_status ss_row_units_find(ss_arena *arena, const ss_problem *problem, const ss_csr *J, const ss_gram *gram, const double *L,
                            ss_row_units *out);
static inline bool ss_row_units_is_joint(const ss_row_units *units, int group) { return units->first[group] >= units->nr; }

#endif
