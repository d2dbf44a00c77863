/* newton.c - Newton's method for F(x) = 0, smooth or semi-smooth.
 *
 *     d = target(x) - x,   x <- x + tau d,   tau = 1, 1/2, 1/4, ..
 *
 * A step is taken whole if |F| falls by it. Otherwise it is taken whole all the same if it leads to an active set that has not
 * been seen yet: Newton's method on a piecewise linear F finds the piece of its zero in that way, and there are finitely many of
 * them. An active set that comes back without progress is a cycle, and of a smooth F there is only one: then tau is halved until
 * |F| falls by 1e-4 tau of itself, which it does for some tau where d is a direction of descent. The best x is kept.
 *
 * Simplified Newton (`keep`): d = -J0^-1 F(x) with the factors of an earlier x, for as long as |F| falls to a quarter each time.
 * After a step with old factors that gains less, J is factorised anew; a step that gains nothing is undone first.
 *
 * Reference   Ben Gharbia, Gilbert, Math. Program. 134 (2012) 349-364: Newton-min on P-matrices of order 3 cycles undamped
 * Converges   quadratically near a regular zero; in finitely many steps where F is piecewise linear and the piece is found
 * Cost        per iteration a `measure` and an `improve`, and one `measure` more for each halving                     */
#include "math/newton.h"
#include "math/sparse_lu.h"
#include <math.h>

#define DESCENT  1e-4           /* part of |F| by which it has to fall    */
#define QUARTER  0.25           /* a step that gains less asks for a new model */
#define SHORTEST (1.0 / 1024.0) /* the smallest tau                       */

typedef struct iteration {
    const ss_newton_problem *problem;
    const ss_newton_options *options;
    ss_newton_result *result;
    double *x, *target, *trial, *best;
    double residual, residual_trial, residual_best;
    uint64_t branch; /* of trial */
    uint64_t *seen;
    int seen_count;
    bool best_is_last; /* measured */
    bool settled;      /* at round-off */
} iteration;

static ss_status measure(iteration *it, const double *x, double *residual)
{
    it->result->measured++;
    it->best_is_last = false;
    it->branch = 0;
    return it->problem->measure(it->problem->user, x, residual, &it->branch);
}

static void keep_best(iteration *it)
{
    if (it->residual < it->residual_best || !isfinite(it->residual_best)) {
        it->residual_best = it->residual;
        it->best_is_last = true;
        memcpy(it->best, it->x, (size_t)it->problem->n * sizeof(double));
    }
}

/* true: the active set of trial is new */
static bool note_branch(iteration *it)
{
    for (int k = 0; k < it->seen_count; k++) {
        if (it->seen[k] == it->branch) {
            return false;
        }
    }
    it->seen[it->seen_count++] = it->branch;
    return true;
}

/* trial = x + tau (target - x) */
static ss_status attempt(iteration *it, double tau)
{
    for (int i = 0; i < it->problem->n; i++) {
        it->trial[i] = tau < 1 ? it->x[i] + tau * (it->target[i] - it->x[i]) : it->target[i];
    }
    return measure(it, it->trial, &it->residual_trial);
}

static bool falls(const iteration *it, double tau) { return it->residual_trial <= (1 - DESCENT * tau) * it->residual; }

static void accept(iteration *it)
{
    memcpy(it->x, it->trial, (size_t)it->problem->n * sizeof(double));
    it->residual = it->residual_trial;
    keep_best(it);
}

/* The zero of the model; *found false: there is none, or it is not finite. */
static ss_status improve(iteration *it, bool *found)
{
    *found = true;
    SS_TRY(it->problem->improve(it->problem->user, it->x, it->target, found));
    for (int i = 0; *found && i < it->problem->n; i++) {
        *found = isfinite(it->target[i]);
    }
    return SS_OK;
}

/* The whole step; *good: it may be taken. An old model that leads nowhere is replaced once. */
static ss_status try_whole(iteration *it, bool *found, bool *good)
{
    for (int attempts = 0; attempts < 2; attempts++) {
        SS_TRY(improve(it, found));
        if (!*found) {
            return SS_OK;
        }
        SS_TRY(attempt(it, 1));
        *good = falls(it, 1);
        bool old = !(it->residual_trial <= QUARTER * it->residual) && it->problem->renew && it->problem->renew(it->problem->user);
        if (*good || !old || it->residual <= it->options->stall) {
            break;
        }
        SS_TRY(measure(it, it->x, &it->residual)); /* the new model is one of x */
    }
    bool is_new = note_branch(it);
    *good = *good || (is_new && isfinite(it->residual_trial));
    return SS_OK;
}

static ss_status damp(iteration *it, bool *good)
{
    for (double tau = 0.5; !*good && tau >= SHORTEST; tau *= 0.5) {
        SS_TRY(attempt(it, tau));
        *good = falls(it, tau);
    }
    it->result->damped += *good;
    return SS_OK;
}

/* One iteration; *moved false: there is nowhere to go. */
static ss_status advance(iteration *it, bool *moved)
{
    bool found, good = false;
    *moved = false;
    SS_TRY(try_whole(it, &found, &good));
    if (!found) {
        return SS_OK;
    }
    it->settled = it->residual <= it->options->stall && !(it->residual_trial < it->residual);
    if (it->settled) {
        return SS_OK;
    }
    if (!good) {
        SS_TRY(damp(it, &good));
    }
    if (good) {
        it->result->iterations++;
        accept(it);
    }
    *moved = good;
    return SS_OK;
}

static ss_status iterate(iteration *it)
{
    bool moved = true;
    SS_TRY(measure(it, it->x, &it->residual));
    it->residual_best = NAN;
    keep_best(it);
    note_branch(it);
    while (moved && it->residual > it->options->tol && it->result->iterations < it->options->iterations) {
        SS_TRY(advance(it, &moved));
    }
    memcpy(it->x, it->best, (size_t)it->problem->n * sizeof(double));
    if (!it->best_is_last) {
        SS_TRY(measure(it, it->x, &it->residual_best));
    }
    it->result->residual = it->residual_best;
    it->result->converged = it->residual_best <= it->options->tol || it->settled;
    return SS_OK;
}

ss_status ss_newton(ss_arena *arena, const ss_newton_problem *problem, const ss_newton_options *options, double *x,
                    ss_newton_result *result)
{
    const size_t n = (size_t)problem->n;
    ss_arena_mark mark = ss_arena_save(arena);
    iteration it = { .problem = problem, .options = options, .result = result, .x = x };
    *result = (ss_newton_result){ 0 };
    ss_status status = ss_arena_take_raw(arena, n, sizeof(double), &it.target);
    status = status != SS_OK ? status : ss_arena_take_raw(arena, n, sizeof(double), &it.trial);
    status = status != SS_OK ? status : ss_arena_take_raw(arena, n, sizeof(double), &it.best);
    status = status != SS_OK ? status : ss_arena_take_raw(arena, (size_t)options->iterations + 1, sizeof *it.seen, &it.seen);
    status = status != SS_OK ? status : iterate(&it);
    ss_arena_release(arena, mark);
    return status;
}

/* ---- with a sparse Jacobian ----------------------------------------------------------------------- */

struct ss_newton_work {
    ss_context *ctx;
    ss_sparse_lu *lu;
    ss_csr J;
    int factorisations;
    /* of the call under way */
    const ss_newton_system *system;
    double *F;
    bool usable; /* the factors are good for another step */
    bool old;    /* they are those of an earlier x        */
};

ss_status ss_newton_work_create(ss_context *ctx, ss_newton_work **out)
{
    SS_TRY(ss_calloc(ctx, 1, sizeof **out, out));
    (*out)->ctx = ctx;
    ss_status status = ss_sparse_lu_create(ctx, &(*out)->lu);
    if (status != SS_OK) {
        ss_newton_work_destroy(*out);
        *out = NULL;
    }
    return status;
}

void ss_newton_work_destroy(ss_newton_work *work)
{
    if (work) {
        ss_sparse_lu_destroy(work->lu);
        ss_csr_free(work->ctx, &work->J);
        ss_free(work->ctx, work);
    }
}

int ss_newton_factorisations(const ss_newton_work *work) { return work->factorisations; }

static ss_status measure_residual(void *user, const double *x, double *residual, uint64_t *branch)
{
    ss_newton_work *w = user;
    SS_TRY(ss_check_interrupt(w->ctx));
    return w->system->residual(w->system->user, x, w->F, residual, branch);
}

static ss_status factor(ss_newton_work *w, const double *x)
{
    const int n = w->system->n;
    SS_TRY(w->system->jacobian(w->system->user, x, &w->J));
    if (w->J.m != n || w->J.n != n) {
        return ss_fail(w->ctx, SS_ERR_INPUT, "Jacobian of Newton's method: %d x %d, %d unknowns", w->J.m, w->J.n, n);
    }
    w->factorisations++;
    return ss_sparse_lu_factor(w->lu, &w->J, &w->usable);
}

/* target = x - J^-1 F */
static ss_status solve_model(void *user, const double *x, double *target, bool *found)
{
    ss_newton_work *w = user;
    const int n = w->system->n;
    w->old = w->usable;
    if (!w->usable) {
        SS_TRY(factor(w, x));
    }
    *found = w->usable;
    if (*found) {
        memcpy(target, w->F, (size_t)n * sizeof(double));
        SS_TRY(ss_sparse_lu_solve(w->lu, target));
        for (int i = 0; i < n; i++) {
            target[i] = x[i] - target[i];
        }
        w->usable = w->system->keep;
    }
    return SS_OK;
}

static bool give_up_factors(void *user)
{
    ss_newton_work *w = user;
    w->usable = false;
    return w->old;
}

ss_status ss_newton_sparse(ss_newton_work *work, ss_arena *arena, const ss_newton_system *system,
                           const ss_newton_options *options, double *x, ss_newton_result *result)
{
    const ss_newton_problem problem = {
        .n = system->n, .user = work, .measure = measure_residual, .improve = solve_model, .renew = give_up_factors
    };
    ss_arena_mark mark = ss_arena_save(arena);
    work->system = system;
    work->usable = false;
    ss_sparse_lu_forget(work->lu);
    ss_status status = ss_arena_take(arena, (size_t)system->n, sizeof(double), &work->F);
    status = status != SS_OK ? status : ss_newton(arena, &problem, options, x, result);
    ss_arena_release(arena, mark);
    return status;
}
