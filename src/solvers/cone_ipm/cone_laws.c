/* cone_laws.c - contact laws as cones that are their own duals.
 *
 *   u_i in K_i*, r_i in K_i, u_i . r_i = 0   becomes   s, z in a half line or circular cone, s . z = 0:
 *     half line, circular cone       s = u,                    r = z
 *     polygon                        s_k = u_N + d_k . u_T,    r = sum z_k (1, d_k),   one half line per direction
 *     box |r| <= f                   s = (t - u, t + u),       r = z_2 - z_1,  z_1 + z_2 = f, one free t per contact:
 *                                    its row adds f |u| to the function that is minimised
 * in short s = T u + t e and r = T' z.
 *
 * Cost        linear in cones; memory from the arena                                                  */
#include "solvers/cone_ipm/cone_laws.h"

#include <math.h>

static const double GENEROUS = 1e15; /* units of impulse: a bound beyond that is none, and would cost all digits */

/* ---- which cones -------------------------------------------------------------------------------- */

static ss_cone_kind kind_of(const ss_problem *p, int k, bool moves)
{
    bool slides = p->mu[k] > 0;
    if (!moves || (p->law[k] == SS_LAW_BOUNDED && !slides)) {
        return SS_CONE_NONE;
    }
    return p->law[k] == SS_LAW_BOUNDED                           ? SS_CONE_BOX
           : p->law[k] == SS_LAW_ASSOCIATED_POLYHEDRAL && slides ? SS_CONE_POLYGON
                                                                 : SS_CONE_ONE;
}

static int cones_of(const ss_problem *p, int k, ss_cone_kind kind)
{
    return kind == SS_CONE_NONE ? 0 : kind == SS_CONE_ONE ? 1 : kind == SS_CONE_BOX ? 2 : p->dir[k + 1] - p->dir[k];
}

/* without friction a cone is a half line */
static int dim_of(const ss_problem *p, int k, ss_cone_kind kind)
{
    bool circular = kind == SS_CONE_ONE && p->law[k] == SS_LAW_ASSOCIATED && p->mu[k] > 0;
    return circular ? p->row[k + 1] - p->row[k] : 1;
}

static ss_status take(ss_arena *arena, int count, double **out) { return ss_arena_take(arena, (size_t)count, sizeof **out, out); }

ss_status ss_cone_newton_prepare(ss_arena *arena, const ss_problem *p, const bool *moves, const double *bound, double prox,
                                 ss_cone_newton *c)
{
    *c = (ss_cone_newton){ .problem = p, .prox = prox };
    SS_TRY(ss_arena_take(arena, (size_t)p->nc + 1, sizeof *c->first, &c->first));
    SS_TRY(ss_arena_take(arena, (size_t)p->nc, sizeof *c->kind, &c->kind));
    double **of_boxes[] = { &c->box.bound, &c->box.top, &c->box.dtop, &c->box.remainder, &c->box.held };
    for (size_t i = 0; i < sizeof of_boxes / sizeof *of_boxes; i++) {
        SS_TRY(take(arena, p->nc, of_boxes[i]));
    }
    for (int k = 0; k < p->nc; k++) {
        c->kind[k] = kind_of(p, k, moves[k]);
        c->box.bound[k] = fmin(bound[k], GENEROUS);
        c->first[k + 1] = c->first[k] + cones_of(p, k, c->kind[k]);
    }
    c->cones = c->first[p->nc];
    SS_TRY(ss_arena_take(arena, (size_t)c->cones, sizeof *c->nt, &c->nt));
    double **of_cones[] = { &c->p, &c->y, &c->g, &c->ds, &c->dz };
    for (size_t i = 0; i < sizeof of_cones / sizeof *of_cones; i++) {
        SS_TRY(take(arena, 3 * c->cones, of_cones[i]));
    }
    for (int k = 0; k < p->nc; k++) {
        for (int j = c->first[k]; j < c->first[k + 1]; j++) {
            c->nt[j].dim = dim_of(p, k, c->kind[k]);
        }
    }
    return SS_OK;
}

/* ---- T and T' ------------------------------------------------------------------------------------ */

void ss_cone_row(const ss_cone_newton *c, int k, int j, double *row)
{
    int which = j - c->first[k];
    row[0] = 1;
    row[1] = row[2] = 0;
    if (c->kind[k] == SS_CONE_BOX) {
        row[0] = which == 0 ? -1 : 1;
    } else if (c->kind[k] == SS_CONE_POLYGON) {
        const double *d = c->problem->direction + 2 * (c->problem->dir[k] + which);
        row[1] = d[0];
        row[2] = d[1];
    }
}

void ss_cone_image(const ss_cone_newton *c, int k, int j, const double *u, double *x)
{
    int rows = c->problem->row[k + 1] - c->problem->row[k];
    if (c->nt[j].dim > 1) {
        memcpy(x, u, (size_t)rows * sizeof *u);
        return;
    }
    double T[3];
    ss_cone_row(c, k, j, T);
    x[0] = T[0] * u[0];
    for (int i = 1; i < rows; i++) {
        x[0] += T[i] * u[i];
    }
}

void ss_cone_add_image_back(const ss_cone_newton *c, int k, int j, const double *x, double *r)
{
    int rows = c->problem->row[k + 1] - c->problem->row[k];
    double T[3];
    ss_cone_row(c, k, j, T);
    for (int i = 0; i < rows; i++) {
        r[i] += c->nt[j].dim > 1 ? x[i] : T[i] * x[0];
    }
}
