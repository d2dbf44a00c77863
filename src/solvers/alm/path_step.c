/* path_step.c - one step along the path of alm's proximal problem: its tangent, the side that is reached first, the correction.
 *
 *   F(v, t) = A v - b - J' r(y) = 0,    y = r0 - (k/d) (J v + w),   t = ln k,   every group on a piece of its own
 *   tangent     K dv = -J' D u dt,  K = A + J' D J,  D = (k/d) dr/dy           dy = -(k/d) J dv + (y - r0) dt
 *   correction  z = -K^-1 F + a (dv, dt) with the K of the tangent; a keeps z normal to the tangent, or leads to the side
 *
 * Near a smooth turning point K is nearly singular. Both dv and K^-1 F are then long and along the path: a takes out what is too
 * much of it, and the next correction mends its rounding.
 *
 * Norms       |v|^2 = v' A v, over the unit of velocities at this k
 * Cost        a factorisation per tangent, a solution per correction                                    */
#include "math/array.h"
#include "math/dense.h"
#include "solvers/alm/path_inside.h"

#include <float.h>
#include <math.h>

static const double EXACT = 1e-9;    /* a correction that is this small is the last                          */
static const double SETTLED = 1e-11; /* one that is this small, and no longer shrinks, is round-off          */
static const double SLOW = 0.4;
static const double CONTRACTS = 0.5; /* of the last correction: a larger one is no progress                  */
static const double OUTSIDE = 1e-9;  /* of the largest impulse: a group that is so little beyond a side is on it */
static const double FARTHEST = 2;    /* times its length: where a step may end                               */
static const double SLACK = 1e-7;    /* the same of a step without length: a group may have been OUTSIDE       */

enum { CORRECTIONS = 15 };

static int contact_of(const ss_path_run *run, int g) { return g < run->alm.problem->nc ? g : -1; }

static double stiffness(const ss_path_run *run, int g)
{
    return run->alm.rows.d[g] > 0 ? run->alm.prox.k / run->alm.rows.d[g] : 0;
}

/* F, r and D of a point at t, and y */
static void evaluate(ss_path_run *run, ss_alm_point *point, double t)
{
    run->alm.prox.k = exp(t);
    ss_alm_evaluate(&run->alm, point);
    for (int g = 0; g < run->alm.rows.groups; g++) {
        for (int i = run->alm.rows.first[g]; i < run->alm.rows.first[g + 1]; i++) {
            run->y[i] = run->alm.rows.d[g] > 0 ? run->alm.prox.r0[i] - stiffness(run, g) * run->alm.scratch.u[i] : 0;
        }
    }
}

void ss_path_find_pieces(ss_path_run *run)
{
    run->alm.prox.piece = NULL;
    evaluate(run, &run->alm.at, run->t);
    for (int g = 0; g < run->alm.rows.groups; g++) {
        run->piece[g] = ss_piece_of(run->alm.problem, contact_of(run, g), run->y + run->alm.rows.first[g]);
    }
    run->alm.prox.piece = run->piece;
}

/* x' A y over the square of the unit */
static double product(const ss_path_run *run, const double *x, const double *y)
{
    ss_alm_times_A(&run->alm, y, run->alm.scratch.y);
    return ss_array_dot(run->alm.rows.n, x, run->alm.scratch.y) / (run->unit * run->unit);
}

/* ---- the tangent ----------------------------------------------------------------------------------- */

/* x <- -J' D u */
static void pull(ss_path_run *run, double *x, const double *u)
{
    const ss_alm_rows *rows = &run->alm.rows;
    double *p = run->tangent.dy; /* not in use yet */
    for (int g = 0; g < rows->groups; g++) {
        const int first = rows->first[g], size = rows->first[g + 1] - first;
        for (int i = 0; i < size; i++) {
            p[first + i] = 0;
            for (int j = 0; j < size; j++) {
                p[first + i] -= run->alm.at.D[9 * g + size * i + j] * u[first + j];
            }
        }
    }
    ss_csr_transpose_times(&run->alm.work->J, 1, p, 0, x);
}

/* z <- K^-1 (-J' D u), with a residual of its own for what the matrix at hand leaves out */
static ss_status solve_exactly(ss_path_run *run, bool *exact)
{
    enum { REFINEMENTS = 2 };
    const int n = run->alm.rows.n;
    double *rest = run->alm.scratch.x;
    pull(run, run->z, run->alm.scratch.u);
    memcpy(run->alm.step, run->z, (size_t)n * sizeof *run->z);
    SS_TRY(ss_path_matrix_solve(&run->matrix, run->z));
    for (int round = 0; round < REFINEMENTS; round++) {
        double *Jz = run->Jz;
        ss_csr_times(&run->alm.work->J, 1, run->z, 0, Jz);
        pull(run, rest, Jz);
        ss_alm_times_A(&run->alm, run->z, run->alm.scratch.y);
        for (int i = 0; i < n; i++) {
            rest[i] += run->alm.step[i] - run->alm.scratch.y[i];
        }
        SS_TRY(ss_path_matrix_solve(&run->matrix, rest));
        ss_dense_add(n, 1, rest, run->z);
        *exact = product(run, rest, rest) <= 1e-2 * product(run, run->z, run->z);
    }
    return SS_OK;
}

/* dy of a change (dv, dt) of the point evaluated last */
static void change_of_y(const ss_path_run *run, int g, const double *dv, double dt, double *dy)
{
    for (int i = run->alm.rows.first[g]; i < run->alm.rows.first[g + 1]; i++) {
        *dy++ = -stiffness(run, g) * ss_csr_row_dot(&run->alm.work->J, i, dv) +
                (run->alm.rows.d[g] > 0 ? run->y[i] - run->alm.prox.r0[i] : 0) * dt;
    }
}

/* how the side changes along (dv, dt), and its value */
static double change_of_side(const ss_path_run *run, const ss_path_event *event, ss_law_piece piece, const double *dv, double dt,
                             double *value)
{
    const int g = event->group, first = run->alm.rows.first[g], size = run->alm.rows.first[g + 1] - first;
    double slope[3], dy[3];
    ss_piece_side(run->alm.problem, contact_of(run, g), piece, event->side, run->y + first, value, slope);
    change_of_y(run, g, dv, dt, dy);
    return ss_array_dot(size, slope, dy);
}

ss_status ss_path_find_tangent(ss_path_run *run, const ss_path_event *left, ss_law_piece before, bool *found)
{
    ss_path_tangent *x = &run->tangent;
    const int n = run->alm.rows.n;
    double value;
    bool exact;
    evaluate(run, &run->alm.at, run->t);
    run->unit = run->force / run->alm.prox.k;
    SS_TRY(ss_path_matrix_set(&run->matrix, run->alm.at.D, false, &run->alm.info->factorisations, found));
    if (!*found) {
        return SS_OK;
    }
    SS_TRY(solve_exactly(run, &exact));
    if (!exact) {
        SS_TRY(ss_path_matrix_set(&run->matrix, run->alm.at.D, true, &run->alm.info->factorisations, found));
        SS_TRY(*found ? solve_exactly(run, &exact) : SS_OK);
    }
    double size = sqrt(product(run, run->z, run->z) + 1);
    const bool leaves = left->group >= 0;
    const double ahead = leaves ? -change_of_side(run, left, before, run->z, 1, &value) : product(run, run->z, x->dv) + x->dt;
    size = ahead < 0 ? -size : size;
    x->dt = 1 / size;
    for (int i = 0; i < n; i++) {
        x->dv[i] = run->z[i] / size;
    }
    for (int g = 0; g < run->alm.rows.groups; g++) {
        change_of_y(run, g, x->dv, x->dt, x->dy + run->alm.rows.first[g]);
    }
    memcpy(x->y, run->y, (size_t)run->alm.rows.count * sizeof *x->y);
    run->rounding = SETTLED + 64 * DBL_EPSILON * sqrt(product(run, run->alm.at.v, run->alm.at.v));
    *found = isfinite(size) && ahead != 0;
    return SS_OK;
}

ss_path_event ss_path_next_event(const ss_path_run *run, double *length)
{
    const ss_alm_rows *rows = &run->alm.rows;
    const ss_path_tangent *x = &run->tangent;
    ss_path_event event = { .group = -1 };
    for (int g = 0; g < rows->groups; g++) {
        for (int side = 0; side < SS_PIECE_SIDES && rows->d[g] > 0; side++) {
            const double s = ss_piece_leave(run->alm.problem, contact_of(run, g), run->piece[g], side, x->y + rows->first[g],
                                            x->dy + rows->first[g]);
            if (s < *length) {
                *length = s;
                event = (ss_path_event){ .group = g, .side = side };
            }
        }
    }
    return event;
}

/* ---- the correction -------------------------------------------------------------------------------- */

/* Is every group but that of the event inside its piece, at the point evaluated last? */
static bool all_inside(const ss_path_run *run, const ss_path_event *event)
{
    const ss_alm_rows *rows = &run->alm.rows;
    double value, slope[3];
    for (int g = 0; g < rows->groups; g++) {
        for (int side = 0; side < SS_PIECE_SIDES && rows->d[g] > 0 && g != event->group; side++) {
            if (ss_piece_side(run->alm.problem, contact_of(run, g), run->piece[g], side, run->y + rows->first[g], &value,
                              slope) &&
                !(value * sqrt(rows->d[g]) >= -OUTSIDE * run->force)) {
                return false;
            }
        }
    }
    return true;
}

/* one correction of next and *t; *size: of it */
static ss_status correct(ss_path_run *run, const ss_path_event *event, bool afresh, double *t, double *size)
{
    const ss_path_tangent *x = &run->tangent;
    const int n = run->alm.rows.n;
    double value = 0, a;
    bool regular;
    for (int i = 0; i < n; i++) {
        run->z[i] = -run->alm.next.F[i];
    }
    SS_TRY(ss_path_matrix_set(&run->matrix, run->alm.next.D, afresh, &run->alm.info->factorisations, &regular));
    if (!regular || !isfinite(run->alm.next.size)) {
        *size = INFINITY;
        run->matrix.listed = -1;
        return SS_OK;
    }
    SS_TRY(ss_path_matrix_solve(&run->matrix, run->z));
    if (event->group >= 0) {
        const ss_law_piece piece = run->piece[event->group];
        const double by_z = change_of_side(run, event, piece, run->z, 0, &value);
        a = -(value + by_z) / change_of_side(run, event, piece, x->dv, x->dt, &value);
    } else {
        a = -product(run, run->z, x->dv);
    }
    for (int i = 0; i < n; i++) {
        run->z[i] += a * x->dv[i];
        run->alm.next.v[i] += run->z[i];
    }
    *t += a * x->dt;
    *size = sqrt(fmax(0, product(run, run->z, run->z))) + fabs(a * x->dt);
    return SS_OK;
}

/* Is the point that the corrections have led to the next one of the path, and not one of another branch? */
static bool is_near(ss_path_run *run, double length, double t)
{
    for (int i = 0; i < run->alm.rows.n; i++) {
        run->z[i] = run->alm.next.v[i] - run->alm.at.v[i];
    }
    const double far = hypot(sqrt(fmax(0, product(run, run->z, run->z))), t - run->t);
    return far <= FARTHEST * length + SLACK;
}

ss_status ss_path_move(ss_path_run *run, double length, const ss_path_event *event, double *t, int *corrections)
{
    double size = INFINITY, last = INFINITY;
    bool going = true, afresh = false;
    *t = run->t + length * run->tangent.dt;
    for (int i = 0; i < run->alm.rows.n; i++) {
        run->alm.next.v[i] = run->alm.at.v[i] + length * run->tangent.dv[i];
    }
    if (!(length > 0)) { /* the group is on the side, up to OUTSIDE */
        evaluate(run, &run->alm.next, *t);
        *corrections = 1;
        return SS_OK;
    }
    for (*corrections = 0; going && *corrections < CORRECTIONS; ++*corrections) {
        last = size;
        evaluate(run, &run->alm.next, *t);
        SS_TRY(correct(run, event, afresh, t, &size));
        const bool slow = size > SLOW * last;
        going = size > EXACT && size <= FARTHEST * length + SLACK && (size <= CONTRACTS * last || !afresh);
        afresh = slow && !afresh;
    }
    const bool settled = size <= EXACT || (size <= run->rounding && size > CONTRACTS * last);
    evaluate(run, &run->alm.next, *t);
    if (!settled || !is_near(run, length, *t) || !all_inside(run, event)) {
        *corrections = 0;
    }
    return SS_OK;
}
