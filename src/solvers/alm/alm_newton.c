/* alm_newton.c - Newton's method for one proximal problem: impulses r0 and a stiffness k are given, v is sought.
 *
 *   F(v) = A v - b - J' r(v) = 0,     r_i(v) = map_i( r0_i - (k/d_i) (J v + w)_i )
 *   (A + J' D J) dv = -F,             D = (k/d_i) dmap_i/dy
 *
 * Rolling     the bound of a moment is mu r_N(v), r_N of its host, and a moment may take from u_N of that (ss_law_lift): what
 *             one does to the other is in the matrix, too (alm_links.c).
 *
 * Length of a step   where every law has a potential, F is the gradient of a convex function: the step ends where this is lowest
 *             along dv. Coulomb's law has none, but F is nearly a gradient, and the same search mostly serves. Else steps are
 *             halved until |F| falls.
 *
 * Norms       |F|^2 = F' B^-1 F for momenta, |v|^2 = v' A v for velocities
 * Ends        when |F| is at most a tenth both of its first value and of how far v has moved, or only round-off
 * Cost        a factorisation per step, an evaluation of F per trial length                            */
#include "math/array.h"
#include "problem/contact_law.h"
#include "problem/law_map.h"
#include "solvers/alm/alm_inside.h"

#include <float.h>
#include <math.h>

static const double ROUNDING = 4 * DBL_EPSILON; /* relative to the sum of the |terms| of F: its round-off         */
static const double DECREASE = 1e-3;            /* of |F|, times t: least decrease by a step of length t          */
static const double FLAT = 0.1;                 /* of the slope at the beginning: the lowest point is near enough */
static const double GOOD_STEP = 0.5;            /* a whole step that leaves no more of |F| is accepted            */
static const double INNER_TOL = 0.1;            /* of |F| at the beginning and of how far v has moved             */

/* ---- laws ------------------------------------------------------------------------------------- */

/* r and D of moment k at y, and by how much r grows with its bound: y/|y| on the rim */
static void map_moment(const ss_alm_run *run, int k, const double *y, double *r, double *D)
{
    const ss_problem *p = run->problem;
    const int first = p->row[k], rows = p->row[k + 1] - first;
    const double bound = ss_law_size(p, k, r), *axis = ss_law_axis(p, k);
    double *wider = run->scratch.wider + 2 * k, inside[4], size = 0;
    ss_moment_map(rows, bound, axis, y, r + first, D);
    ss_moment_map(rows, INFINITY, axis, y, wider, inside); /* without a bound: y, or its part along the axis */
    for (int i = 0; i < rows; i++) {
        size = hypot(size, wider[i]);
    }
    for (int i = 0; i < rows; i++) {
        wider[i] = size > bound ? wider[i] / size : 0;
    }
}

/* r and D of group g at y; hosts come before their moments, so that their r is known */
static void map_group(const ss_alm_run *run, int g, const double *y, double *r, double *D)
{
    const ss_problem *p = run->problem;
    const int k = g < p->nc ? g : -1, first = run->rows.first[g];
    if (run->prox.piece) {
        ss_piece_map(p, k, run->prox.piece[g], y, r + first, D + 9 * g);
    } else if (k >= 0 && p->law[k] == SS_LAW_ROLLING) {
        map_moment(run, k, y, r, D + 9 * g);
    } else {
        ss_law_map(p, k, y, r + first, D + 9 * g);
    }
}

/* u_N of hosts with an associated law less what their moments take from it */
static void lift_hosts(const ss_alm_run *run)
{
    const ss_problem *p = run->problem;
    for (int k = 0; p->host && k < p->nc; k++) {
        if (p->law[k] == SS_LAW_ROLLING) {
            run->scratch.u[p->row[p->host[k]]] -= ss_law_lift(p, k, run->scratch.u);
        }
    }
}

/* r and D = -dr/du of every group at u; a group that touches nothing has none */
static void impulses(const ss_alm_run *run, double *r, double *D)
{
    lift_hosts(run);
    for (int g = 0; g < run->rows.groups; g++) {
        int first = run->rows.first[g], size = run->rows.first[g + 1] - first;
        double rho = run->rows.d[g] > 0 ? run->prox.k / run->rows.d[g] : 0, y[3];
        for (int i = 0; i < size; i++) {
            y[i] = run->rows.d[g] > 0 ? run->prox.r0[first + i] - rho * run->scratch.u[first + i] : 0;
        }
        map_group(run, g, y, r, D);
        for (int i = 0; i < size * size; i++) {
            D[9 * g + i] *= rho;
        }
    }
    ss_alm_put_links(run, D);
}

/* ---- momentum --------------------------------------------------------------------------------- */

void ss_alm_times_A(const ss_alm_run *run, const double *x, double *y)
{
    const ss_problem *p = run->problem;
    if (!run->problem->local) {
        ss_matrix_times(&p->A, x, y);
    } else {
        memcpy(y, x, (size_t)run->rows.n * sizeof *y);
    }
}

/* sqrt(x' B^-1 x) */
static double momentum_norm(const ss_alm_run *run, const double *x)
{
    memcpy(run->scratch.y, x, (size_t)run->rows.n * sizeof *x);
    if (!run->problem->local) {
        ss_blockdiag_solve(&run->problem->scale, run->work->factor.L, run->scratch.y);
    }
    return sqrt(fmax(0, ss_array_dot(run->rows.n, x, run->scratch.y)));
}

void ss_alm_evaluate(const ss_alm_run *run, ss_alm_point *point)
{
    const ss_csr *J = &run->work->J;
    memcpy(run->scratch.u, run->prox.w, (size_t)run->rows.count * sizeof *run->scratch.u);
    ss_csr_times(J, 1, point->v, 1, run->scratch.u);
    impulses(run, point->r, point->D);
    ss_alm_times_A(run, point->v, point->F);
    ss_csr_transpose_times(J, -1, point->r, 1, point->F);
    for (int i = 0; i < run->rows.n && !run->problem->local; i++) {
        point->F[i] -= run->problem->b[i];
    }
    point->size = momentum_norm(run, point->F);
}

/* what round-off alone makes of |F|: eps times |A v| + |J|' ( |r0| + (k/d)(|J||v| + |w|) ) */
static double round_off(const ss_alm_run *run, const ss_alm_point *point)
{
    const ss_csr *J = &run->work->J;
    ss_alm_times_A(run, point->v, run->scratch.x);
    for (int i = 0; i < run->rows.n; i++) {
        run->scratch.x[i] = fabs(run->scratch.x[i]);
    }
    for (int g = 0; g < run->rows.groups; g++) {
        double rho = run->rows.d[g] > 0 ? run->prox.k / run->rows.d[g] : 0;
        for (int row = run->rows.first[g]; row < run->rows.first[g + 1]; row++) {
            double u = fabs(run->prox.w[row]);
            for (int e = J->p[row]; e < J->p[row + 1]; e++) {
                u += fabs(J->x[e] * point->v[J->i[e]]);
            }
            for (int e = J->p[row]; e < J->p[row + 1]; e++) {
                run->scratch.x[J->i[e]] += fabs(J->x[e]) * (fabs(run->prox.r0[row]) + rho * u);
            }
        }
    }
    return ROUNDING * momentum_norm(run, run->scratch.x);
}

/* sqrt(dv' A dv) from where this k began */
static double moved(const ss_alm_run *run)
{
    for (int i = 0; i < run->rows.n; i++) {
        run->scratch.x[i] = run->at.v[i] - run->prox.v0[i];
    }
    ss_alm_times_A(run, run->scratch.x, run->scratch.y);
    return sqrt(fmax(0, ss_array_dot(run->rows.n, run->scratch.x, run->scratch.y)));
}

/* ---- Newton's method for one k ---------------------------------------------------------------- */

void ss_alm_swap_points(ss_alm_run *run)
{
    ss_alm_point t = run->at;
    run->at = run->next;
    run->next = t;
}

/* next <- v + t step; its slope F . step */
static double try_step(ss_alm_run *run, double t)
{
    for (int i = 0; i < run->rows.n; i++) {
        run->next.v[i] = run->at.v[i] + t * run->step[i];
    }
    ss_alm_evaluate(run, &run->next);
    return ss_array_dot(run->rows.n, run->next.F, run->step);
}

/* the largest t = 1, 1/2, .. at which |F| falls, or is nothing but round-off */
static bool search_size(ss_alm_run *run, double floor)
{
    enum { HALVINGS = 12 };
    double t = 1;
    bool falls = false;
    for (int k = 0; k < HALVINGS && !falls; k++, t *= 0.5) {
        try_step(run, t);
        falls = run->next.size <= (1 - DECREASE * t) * run->at.size || run->next.size <= floor;
    }
    return falls;
}

/* With a potential F is its gradient: t = 1 if |F| is halved there or the potential still falls, else the t where it is flat, to
 * a tenth of the slope at the beginning, by regula falsi with the value of the end that stays halved. */
static bool search_minimum(ss_alm_run *run, double slope, double floor)
{
    enum { TRIALS = 30 };
    double low = 0, high = 1, at_low = slope, at_high = try_step(run, 1), flat = -FLAT * slope;
    bool found = at_high <= flat || run->next.size <= fmax(GOOD_STEP * run->at.size, floor);
    for (int k = 0; k < TRIALS && !found; k++) {
        double t = (low * at_high - high * at_low) / (at_high - at_low), s = try_step(run, t);
        found = fabs(s) <= flat || run->next.size <= floor;
        if (s > 0) {
            high = t;
            at_high = s;
            at_low *= 0.5;
        } else {
            low = t;
            at_low = s;
            at_high *= 0.5;
        }
    }
    return found;
}

/* Move along the step. Coulomb's law has no potential, yet F is nearly a gradient: both searches serve, and each failure for a k
 * changes from one to the other. */
static bool search(ss_alm_run *run, double floor)
{
    double slope = ss_array_dot(run->rows.n, run->at.F, run->step);
    bool flat = slope < 0 && (run->potential || run->info->restarts % 2 == 0);
    bool found = flat ? search_minimum(run, slope, floor) : search_size(run, floor);
    found = found && isfinite(run->next.size);
    if (found) {
        ss_alm_swap_points(run);
    }
    return found;
}

static ss_status newton_step(ss_alm_run *run, double floor, bool *done)
{
    run->newton++;
    run->info->factorisations++;
    SS_TRY(ss_newton_matrix_factor(run->work->matrix, run->at.D, done));
    if (!*done) {
        return SS_OK;
    }
    for (int i = 0; i < run->rows.n; i++) {
        run->step[i] = -run->at.F[i];
    }
    SS_TRY(ss_newton_matrix_solve(run->work->matrix, run->step));
    *done = search(run, floor);
    return SS_OK;
}

/* |F| need only be small against how far v has moved (INNER_TOL): r0 moves on before F is zero */
ss_status ss_alm_newton(ss_alm_run *run, bool *solved, int *steps)
{
    bool going = true;
    ss_alm_evaluate(run, &run->at);
    double begun = run->at.size;
    *solved = false;
    for (*steps = 0; going && !*solved && *steps <= run->work->params->inner; ++*steps) {
        double floor = round_off(run, &run->at);
        *solved = *steps > 0 && run->at.size <= fmax(INNER_TOL * fmin(begun, moved(run)), floor);
        if (!*solved) {
            SS_TRY(newton_step(run, floor, &going));
        }
    }
    --*steps;
    return SS_OK;
}
