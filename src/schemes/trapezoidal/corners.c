/* corners.c - where the slip of a contact with polygonal friction turns from one corner of the polygon to the next.
 *
 * Friction is at the corner d_j of the polygon that dissipates most, for which -d_j . slip is largest. It jumps where the slip
 * turns so far that another corner does: a step across such a jump is of order 1. The margin of a corner j,
 *
 *     (-d_j . slip - max over i != j of -d_i . slip) / |slip|
 *
 * is positive while friction stays there, and 0 where it jumps. The corner of a substep is the one of its friction if that is one
 * of the start, else the one of the start; the jump is the root of its margin at the end, as a function of the length.
 *
 * Cost     rows of all contacts at both ends of a substep in which some slip; a jump about 6 problems */
#include "events/events.h"
#include "schemes/trapezoidal/changes.h"
#include <math.h>

static const double TIME = 1e-14; /* of the substep: the search ends */

typedef struct turning {
    ss_trap *x;
    int *corner; /* nc: that friction of the contact is at; -1: none, or it stays there */
} turning;

/* ---- the margin ----------------------------------------------------------------------------------- */

/* -d_j . slip of contact k as the rows were posed last */
static double worth(const ss_modes *m, int k, int j)
{
    const double *d = m->polygons.direction + 2 * (m->polygons.first[k] + j), *slip = m->slip + m->a->problem.row[k] + 1;
    return -(d[0] * slip[0] + d[1] * slip[1]);
}

static int corners_of(const ss_modes *m, int k) { return m->polygons.first[k + 1] - m->polygons.first[k]; }

static double margin_of(const ss_modes *m, int k, int corner)
{
    double best = -INFINITY;
    for (int j = 0; j < corners_of(m, k); j++) {
        best = j == corner ? best : fmax(best, worth(m, k, j));
    }
    return (worth(m, k, corner) - best) / m->speed[k];
}

/* the corner that dissipates most with the slip as it was posed last */
static int corner_of_slip(const ss_modes *m, int k)
{
    int best = 0;
    for (int j = 1; j < corners_of(m, k); j++) {
        best = worth(m, k, j) > worth(m, k, best) ? j : best;
    }
    return best;
}

/* the corner that friction of the problem is at */
static int corner_of_friction(const ss_trap *x, int k)
{
    const ss_problem *p = &x->a->problem;
    const double *d = p->direction + 2 * p->dir[k], *r = x->a->solution.r + p->row[k] + 1;
    int best = 0;
    for (int j = 1; j < p->dir[k + 1] - p->dir[k]; j++) {
        best = d[2 * j] * r[0] + d[2 * j + 1] * r[1] > d[2 * best] * r[0] + d[2 * best + 1] * r[1] ? j : best;
    }
    return best;
}

/* ---- which contacts turn -------------------------------------------------------------------------- */

static bool slips_on_polygon(const ss_trap *x, int k)
{
    const ss_problem *p = &x->a->problem;
    return p->law[k] == SS_LAW_POLYHEDRAL && p->row[k + 1] - p->row[k] == 3 && p->mu[k] * x->a->solution.r[p->row[k]] > 0 &&
           ss_trap_mode_until_end(x, k) == SS_TRAP_SLIPS;
}

static ss_status pose_at(ss_trap *x, double t, const double *q, const double *v)
{
    return ss_modes_pose(x->change.modes, t, q, v, &x->around->near, x->active.n, x->active.which);
}

/* the corner that each contact of the problem starts at, if it slips */
static ss_status find_corners(ss_trap *x, turning *out, bool *any)
{
    const ss_modes *m = x->change.modes;
    const int nc = x->a->problem.nc;
    *any = false;
    *out = (turning){ .x = x };
    SS_TRY(ss_arena_take(x->s->arena, (size_t)nc, sizeof *out->corner, &out->corner));
    for (int k = 0; k < nc; k++) {
        out->corner[k] = slips_on_polygon(x, k) ? corner_of_friction(x, k) : -1;
        *any = *any || out->corner[k] >= 0;
    }
    SS_TRY(*any ? pose_at(x, x->start.t, x->start.q, x->start.v) : SS_OK);
    for (int k = 0; k < nc; k++) {
        if (out->corner[k] >= 0 && !(m->speed[k] > 0)) {
            out->corner[k] = -1;
        } else if (out->corner[k] >= 0 && margin_of(m, k, out->corner[k]) < -SS_TOL_SETTLED) {
            out->corner[k] = corner_of_slip(m, k);
        }
    }
    return SS_OK;
}

/* The least margin at the end of a substep of this length, of the contacts that turn. */
static ss_status margin_after(void *user, double s, double *f)
{
    const turning *y = user;
    ss_trap *x = y->x;
    SS_TRY(ss_trap_solve(x, s));
    SS_TRY(ss_trap_go(x, s));
    SS_TRY(pose_at(x, x->start.t + s, x->end.q, x->end.v));
    *f = INFINITY;
    for (int k = 0; k < x->a->problem.nc; k++) {
        *f = y->corner[k] >= 0 ? fmin(*f, margin_of(x->change.modes, k, y->corner[k])) : *f;
    }
    return SS_OK;
}

/* ---- the first turn ------------------------------------------------------------------------------- */

/* Leave only those contacts that have another corner at the end; what are their margins at both ends? One that starts between two
 * corners is left out: friction of the problem is at either, or between both where each would turn the slip to the other. */
static ss_status keep_turning(ss_trap *x, turning *y, double h, double *start, double *end)
{
    const ss_modes *m = x->change.modes;
    const int nc = x->a->problem.nc;
    double *before;
    SS_TRY(ss_arena_take(x->s->arena, (size_t)nc, sizeof *before, &before));
    for (int k = 0; k < nc; k++) {
        before[k] = y->corner[k] >= 0 ? margin_of(m, k, y->corner[k]) : 0;
    }
    SS_TRY(ss_trap_go(x, h));
    SS_TRY(pose_at(x, x->start.t + h, x->end.q, x->end.v));
    *start = *end = INFINITY;
    for (int k = 0; k < nc; k++) {
        const bool turns = before[k] > SS_TOL_SETTLED && m->speed[k] > 0 && margin_of(m, k, y->corner[k]) < -SS_TOL_SETTLED;
        y->corner[k] = turns ? y->corner[k] : -1;
        *start = turns ? fmin(*start, before[k]) : *start;
        *end = turns ? fmin(*end, margin_of(m, k, y->corner[k])) : *end;
    }
    return SS_OK;
}

ss_status ss_trap_turn_slips(ss_trap *x, double *h)
{
    turning y;
    double start, end, root;
    bool any;
    int evaluations = 0;
    if (x->s->model->dimension != 3) {
        return SS_OK;
    }
    SS_TRY(find_corners(x, &y, &any));
    if (!any) {
        return SS_OK;
    }
    SS_TRY(keep_turning(x, &y, *h, &start, &end));
    if (end < 0) {
        SS_TRY(ss_root_bracketed(margin_after, &y, 0, start, *h, end, TIME * *h, SS_TOL_ROOT, &root, &evaluations));
        *h = root;
        x->change.stops = NULL;
        return ss_trap_solve(x, *h);
    }
    return SS_OK;
}
