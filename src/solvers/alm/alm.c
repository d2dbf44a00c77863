/* alm.c - proximal Newton method in velocity space; every law, every contact at once.
 *
 *   given impulses r0 and a stiffness k, find v with
 *       F(v) = A v - b - J' r(v) = 0,     r_i(v) = map_i( r0_i - (k/d_i) (J v + w)_i )
 *   then r0 <- r(v), a larger k, and again. A fixed point of this obeys the laws exactly, for any k.
 *
 * J holds the rows of the contacts and of the joints, w their offsets (-c for a joint row), d_i is the mobility of contact i
 * (residual.c). map_i is Coulomb's own map, disc or polygon of radius mu r_N with the r_N of the same v; the projection on
 * the cone for associated laws; max(0, y) for unilateral contacts, an interval for bounded rows, y itself for joints. It is
 * an augmented Lagrangian method for each law that has a potential; Coulomb's has none, and its Jacobian is not symmetric.
 * Fixing the shift mu|u_T| instead, so that each problem is convex, was tried: it converges linearly at best and not at
 * all where sliding and normal impulses are strongly coupled; see docs/alm.md.
 *
 * F(v) = 0 is solved by Newton's method (alm_newton.c), whose matrix A + J' D J is as large as the velocities. It is regular
 * however redundant contacts and joints are; of all impulses that solve the problem those nearest to r0 are found. This file
 * has the sequence of k, the start and the verdict.
 * k is the inverse of a pseudo time step: it grows while Newton's method converges in a few steps, and falls when it does not;
 * where it has reached its limit and only round-off is left, a softer k gives the last digits. A residual that stays the same
 * from one k to the next is a drift: redundant contacts contradict each other by a velocity u of a few last bits, and each round
 * only moves their impulses by (k/d) u, until one of them opens or slips. Then k goes far beyond the limit, where this takes a
 * few steps, and back to a soft one. Newton's method is quick where impulses act over long distances and slow at deciding,
 * contact by contact, which open, stick and slip; Gauss-Seidel is the reverse: sweeps come first, and again where Newton's method
 * fails. Local form u = W r + q: (W + W')/2 = J J' by a pivoted Cholesky, A = I; what J J' misses of W goes into w with r0.
 *
 * Reference   P. Alart, A. Curnier, Comput. Methods Appl. Mech. Eng. 92 (1991) 353 (the maps); C. T. Kelley, D. E. Keyes,
 *             SIAM J. Numer. Anal. 35 (1998) 508 (the control of k)
 * Converges   for convex laws from anywhere; for Coulomb's no proof: measured in docs/alm.md
 * Cost        a factorisation of A + J' D J per Newton step. Memory only when a size is new, besides KLU's and MUMPS's
 * Certificate that of what is returned, left in info                                                  */
#include "problem/cost.h"
#include "solvers/alm/alm_inside.h"

#include <limits.h>
#include <math.h>

/* the first k: larger for a better start; a smaller k is safer */
static const double SAFE_START = 0.01, MOST_START = 1e4; /* k = SAFE_START/residual, at most MOST_START */
static const double NEAR = 1e-6; /* a guess with at most this residual is not swept: sweeps creep there      */

/* how k changes from one proximal problem to the next */
static const double STALLED = 0.9;      /* a residual above this fraction of the last is no gain           */
static const double SOFTER = 1e-3;      /* of the limit: k after one that gains nothing there: less round-off */
static const double SAME = 0.01;        /* of the residual: a smaller change with another k is a drift     */
static const double BEYOND = 1e3;       /* of the limit: largest k in a drift                              */
static const double DROP = 0.1;         /* factor of a k for which Newton's method failed                  */
static const double LEAST_K = 1e-6;     /* below it there is no hope                                       */
static const double SMALL_GROWTH = 2;   /* factor of k where Newton took some steps; no failure makes the growth less */
static const double GROWTH_POWER = 0.7; /* the growth becomes this power of itself after a failure         */
static const double WORTH = 5;          /* Newton steps that sweeps may cost                                   */
static const double PROGRESS = 0.5;     /* the best residual must fall by this factor: progress            */

enum { FEW_STEPS = 4, SOME_STEPS = 8 }; /* Newton steps up to which k grows by the full factor; by at most SMALL_GROWTH */

static const ss_field fields[] = {
    SS_OPTION_INT(ss_alm_params, max_newton, 400, 1, 1e9, "most Newton steps (factorisations) for one problem"),
    SS_OPTION_INT(ss_alm_params, inner, 15, 1, 1000, "most Newton steps for one value of the proximal parameter k"),
    SS_OPTION_INT(ss_alm_params, patience, 150, 1, 1e9,
                  "gives up after this many Newton steps that have not halved the residual"),
    SS_OPTION_INT(
        ss_alm_params, sweeps, 500, 0, 1e9,
        "most Gauss-Seidel sweeps before the first Newton step of a cold start; no more than cost what five Newton steps do"),
    SS_OPTION_INT(ss_alm_params, more_sweeps, 200, 0, 1e9,
                  "the same for a warm start, in rounds of so many, and after Newton's method failed for a value of k"),
    SS_OPTION_NUMBER(ss_alm_params, start, 1, 1e-6, 1e12,
                     "smallest initial value of k; a better starting point gives a larger one"),
    SS_OPTION_NUMBER(ss_alm_params, growth, 10, 1, 1e6, "largest factor by which k grows at once"),
    SS_OPTION_NUMBER(ss_alm_params, limit, 1e7, 1, 1e12,
                     "largest value of k; a thousand times as much where impulses only drift"),
    SS_FIELD_END,
};

/* ---- the sequence of k ------------------------------------------------------------------------ */

/* Gauss-Seidel sweeps on r0; then v and lam from it */
static ss_status settle(ss_alm_run *run, int sweeps)
{
    ss_sweep *sweep = run->work->sweep;
    double residual, *r = run->scratch.u;
    for (int island = 0; island < ss_sweep_islands(sweep) && sweeps > 0; island++) {
        if (!ss_sweep_takes(sweep, island)) {
            continue;
        }
        ss_sweep_read(sweep, island, run->prox.r0, r);
        ss_sweep_start(sweep, island, r);
        for (int k = 0; k < sweeps && !ss_is_interrupted(run->work->ctx); k++) {
            ss_sweep_pass(sweep, island, &(ss_sweep_motion){ .r = r });
        }
        ss_sweep_write(sweep, island, r, run->prox.r0);
    }
    SS_TRY(ss_alm_start_velocity(run));
    ss_alm_move_centre(run, run->prox.r0);
    return ss_alm_offer(run, run->at.v, run->prox.r0, &residual);
}

/* at most so many sweeps, and no more than cost what some Newton steps do */
static int worthwhile(const ss_alm_run *run, int sweeps) { return (int)fmin(sweeps, ss_cost_sweeps(run->problem, WORTH)); }

/* Rounds of sweeps on a given guess that cost no more than some Newton steps; one round in local form, where a sweep costs as
 * much as a Newton step. */
static ss_status improve(ss_alm_run *run)
{
    const int sweeps = run->work->params->more_sweeps;
    int left = worthwhile(run, run->problem->local ? sweeps : INT_MAX);
    while (sweeps > 0 && left > 0 && run->best.residual > fmax(run->tol, NEAR)) {
        SS_TRY(settle(run, left < sweeps ? left : sweeps));
        SS_TRY(ss_check_interrupt(run->work->ctx));
        left -= sweeps;
    }
    return SS_OK;
}

/* sweeps, then the first k: the larger, the smaller the residual they leave */
static ss_status start(ss_alm_run *run)
{
    const ss_alm_params *params = run->work->params;
    const ss_sweep_options options = { .colour_above = INT_MAX, .largest_cluster = SS_SWEPT_CLUSTER };
    if (!run->problem->local) {
        SS_TRY(ss_kkt_factor(run->work->kkt, run->problem));
        run->info->factorisations++;
    }
    SS_TRY(ss_sweep_prepare(run->work->sweep, run->problem, run->problem->local ? NULL : run->work->kkt, &options, NULL));
    ss_alm_read_impulses(run);
    SS_TRY(settle(run, 0));
    if (run->solution->warm) {
        SS_TRY(improve(run));
    } else if (run->best.residual > run->tol) {
        SS_TRY(settle(run, worthwhile(run, params->sweeps)));
    }
    run->prox.k = fmax(params->start, fmin(MOST_START, SAFE_START / run->best.residual));
    return SS_OK;
}

/* k after a solve that took `steps` Newton steps. A drift ends where more than one was needed: a contact has opened or slipped.
 * What is left is mostly the round-off of so large a k; if it is another drift, k goes at once to where the last one ended, and
 * on from there. */
static void grow(ss_alm_run *run, double growth, int steps, double residual, double before)
{
    ss_alm_prox *x = &run->prox;
    const bool ended = x->drifts && steps > 1;
    x->drifts = x->drifts || (isfinite(before) && fabs(residual - before) <= SAME * before);
    const double usual = run->work->params->limit, limit = x->drifts ? BEYOND * usual : usual;
    x->ended = ended ? x->k : x->ended;
    if (ended || (residual > STALLED * before && x->k >= limit)) {
        x->k = fmin(x->k, SOFTER * usual); /* round-off grows with k */
        x->drifts = false;
    } else if (steps <= FEW_STEPS) {
        x->k = fmin(fmax(x->k, x->drifts ? x->ended : 0) * growth, limit);
    } else if (steps <= SOME_STEPS) {
        x->k = fmin(x->k * fmin(growth, SMALL_GROWTH), limit);
    }
}

static ss_status iterate(ss_alm_run *run)
{
    const ss_alm_params *params = run->work->params;
    double growth = params->growth, residual = run->best.residual, before = INFINITY, mark = run->best.residual;
    int mark_at = 0;
    while (run->best.residual > run->tol && run->newton < run->max_newton && run->prox.k > LEAST_K &&
           run->newton - mark_at < params->patience) {
        bool solved;
        int steps;
        SS_TRY(ss_check_interrupt(run->work->ctx));
        memcpy(run->prox.v0, run->at.v, (size_t)run->rows.n * sizeof *run->prox.v0);
        SS_TRY(ss_alm_newton(run, &solved, &steps));
        if (!solved) {
            SS_TRY(settle(run, run->problem->local
                                   ? 0
                                   : worthwhile(run, params->more_sweeps))); /* a sweep over W costs as much as a Newton step */
            run->prox.k *= DROP;
            growth = fmax(SMALL_GROWTH, pow(growth, GROWTH_POWER));
            run->info->restarts++;
            continue;
        }
        SS_TRY(ss_alm_judge(run, &residual));
        ss_alm_move_centre(run, run->at.r);
        grow(run, growth, steps, residual, before);
        before = residual;
        if (run->best.residual <= PROGRESS * mark) {
            mark = run->best.residual;
            mark_at = run->newton;
        }
    }
    return SS_OK;
}

/* ---- the solver ------------------------------------------------------------------------------- */

static ss_status solve(ss_context *ctx, void *data, const ss_problem *problem, double tol, int max_iter, ss_solution *solution,
                       ss_solver_info *info)
{
    ss_alm_work *work = data;
    (void)ctx;
    ss_alm_run run = {
        .work = work, .problem = problem, .solution = solution, .info = info, .tol = tol, .best.residual = INFINITY
    };
    run.max_newton = max_iter > 0 ? max_iter : work->params->max_newton;
    SS_TRY(ss_alm_prepare(&run));
    SS_TRY(start(&run));
    SS_TRY(iterate(&run));
    ss_alm_finish(&run);
    return SS_OK;
}

const ss_solver_type ss_solver_alm = {
    .info = { .name = "alm",
              .title = "proximal Newton method in velocity space",
              .reference = "Alart, Curnier 1991",
              .kind = "newton",
              .laws = SS_LAW_UNILATERAL | SS_LAW_COULOMB | SS_LAW_POLYHEDRAL | SS_LAW_ASSOCIATED | SS_LAW_BOUNDED |
                      SS_LAW_ASSOCIATED_POLYHEDRAL | SS_LAW_ROLLING,
              .dimensions = 4 | 8,
              .fields = fields,
              .params_size = sizeof(ss_alm_params) },
    .create = ss_alm_create,
    .destroy = ss_alm_destroy,
    .solve = solve,
};
