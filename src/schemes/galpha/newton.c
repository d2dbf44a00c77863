/* newton.c - Newton's method on a substep: its first guess, its two ways, and what friction moves positions by.
 *
 * The guess is that the smooth motion goes on as before, and that contacts bear what they did. From there the method goes on
 * everything at once (monolithic.c), or on smooth motion, positions and velocities in turn (sequential.c). The former is quick
 * where the active set is found, and is not tried from the guess where contacts depend on each other; the latter takes contact
 * laws as they are, and converges linearly. Each takes over where the other one is slow.
 *
 * Cost   an iteration is a sparse LU factorisation of everything, or a smaller one and two contact problems */
#include "math/newton.h"
#include "schemes/galpha/galpha_inside.h"
#include <math.h>

/* Iterations after which the other method may be better: on everything at once; and in turn, so often. */
enum { FIRST = 6, FIRST_IN_TURN = 3, TURNS = 2 };
/* A residual from which Newton's method on everything at once is worth a try after some iterations in turn. */
static const double NEAR = 0.3;
/* It goes on where its first iterations have made the residual this part of what it was. */
static const double NEARER = 0.1;
/* Gaps may be larger than was asked for by this factor where the solver closes them no better: impulses in a pile are large. */
static const double STALLED = 100;
/* Friction that moves positions by as much as before, up to this part: Newton's method need not go on. */
static const double SAME_PUSH = 1e-4;
/* A residual at which it is taken for known what friction moves positions by, if not more is asked for: Newton's method goes on
 * with it from there. */
static const double ROUGH = 1e-6;
/* Newton's method goes on to this part of the tolerance, if it can: an answer should not depend on where it has stopped. */
static const double FURTHER = 0.01;

/* Impulses of the last substep, made as much longer as this one is; *news: some contact was not closed then. */
static void recall_contacts(galpha *x, galpha_unknowns *z, bool *news)
{
    const ss_problem *v = &x->velocity->problem;
    const double before = fabs(*x->history.h), longer = before > 0 ? x->h / before : 1;
    ss_assembly_recall(x->position, &x->found, SS_LEVEL_POSITION);
    ss_assembly_recall(x->velocity, &x->found, SS_LEVEL_VELOCITY);
    for (int k = 0; k < x->gapped.n; k++) {
        z->nu[x->gapped.which[k]] = longer * longer * x->position->solution.r[k];
    }
    *news = false;
    for (int k = 0; k < v->nc; k++) {
        for (int row = v->row[k]; row < v->row[k + 1]; row++) {
            z->r[galpha_slot(x, k) + row - v->row[k]] = longer * x->velocity->solution.r[row];
        }
        *news = *news || !ss_contact_cache_find(&x->found, SS_LEVEL_VELOCITY, &x->velocity->contacts.c[k]->id);
    }
}

/* Contacts bear what they did at the end of the last step; those that have just closed what the problem of velocities says where
 * free motion leads to. */
static ss_status guess_contacts(galpha *x, galpha_unknowns *z)
{
    bool news;
    SS_TRY(ss_contact_cache_copy(x->ctx, &x->s->next->cache, &x->found));
    SS_TRY(galpha_place(x, z));
    SS_TRY(galpha_rows_position(x));
    SS_TRY(galpha_rows_velocity(x));
    recall_contacts(x, z, &news);
    if (news) {
        const bool relaxed = x->newton.relaxed;
        SS_TRY(galpha_pose_velocity(x, z));
        SS_TRY(galpha_solve_velocity(x, z));
        x->newton.relaxed = relaxed;
    }
    galpha_find_push(x, z);
    return SS_OK;
}

/* The smooth motion goes on as before. */
static ss_status guess(galpha *x)
{
    galpha_unknowns z = galpha_unknowns_in(x, x->point);
    const ss_model *m = x->s->model;
    memset(x->point, 0, (size_t)galpha_unknowns_count(x) * sizeof *x->point);
    for (int k = 0; k < x->around->near.n; k++) {
        x->end.held[k] = false;
        x->end.closings[k] = 0;
        x->active.has[k] = false;
    }
    galpha_start_means(x);
    SS_TRY(galpha_dependent_begin(x));
    galpha_predict(x, z.v_free);
    memcpy(z.v, z.v_free, (size_t)m->nv * sizeof(double));
    galpha_copy(x->kind->velocities ? m->nj : 0, x->history.lam, z.lam);
    return guess_contacts(x, &z);
}

/* Newton's method from the point at hand */
static ss_status iterate(galpha *x, ss_status (*improve)(void *, const double *, double *, bool *), int most)
{
    ss_newton_problem problem = { .improve = improve };
    const double rough = x->newton.rough ? ROUGH : 0;
    const ss_newton_options options = { .tol = fmax(rough, FURTHER * x->s->tol),
                                        .stall = STALLED * x->s->tol,
                                        .iterations = most };
    ss_newton_result result;
    problem.n = galpha_unknowns_count(x);
    problem.user = x;
    problem.measure = galpha_measure;
    SS_TRY(ss_newton(x->s->arena, &problem, &options, x->point, &result));
    x->newton.converged = result.converged && x->newton.balance <= fmax(rough, x->s->tol);
    x->newton.spent += result.measured;
    x->newton.reached = result.residual;
    x->s->report->newton(x->s->report, result.iterations);
    return SS_OK;
}

/* The velocities of a point that Newton's method has found once more, by the solver: it shares loads among contacts that depend
 * on each other, and its answer is what is certified. */
static ss_status settle(galpha *x)
{
    galpha_unknowns z = galpha_unknowns_in(x, x->point);
    if (x->velocity->problem.nc == 0) {
        return SS_OK;
    }
    SS_TRY(galpha_pose_velocity(x, &z));
    return galpha_solve_velocity(x, &z);
}

static bool may_go_at_once(const galpha *x)
{
    return x->kind->at_once && x->p->newton == GALPHA_MONOLITHIC && !x->newton.relaxed && !x->newton.wedged;
}

/* On everything at once, from the point at hand, as long as it comes nearer. */
static ss_status go_at_once(galpha *x)
{
    const double before = x->newton.reached;
    SS_TRY(iterate(x, galpha_improve_monolithic, FIRST));
    if (!x->newton.converged && x->newton.reached <= NEARER * fmin(before, 1)) {
        SS_TRY(iterate(x, galpha_improve_monolithic, FIRST));
    }
    return x->newton.converged ? settle(x) : SS_OK; /* iterate_in_turn measures the point again */
}

/* On everything at once; where that does not converge, the point is the guess again. */
static ss_status iterate_at_once(galpha *x)
{
    bool overdetermined;
    SS_TRY(galpha_is_overdetermined(x, &overdetermined));
    if (overdetermined) {
        return SS_OK;
    }
    SS_TRY(go_at_once(x));
    x->newton.at_once = x->newton.converged;
    return x->newton.converged ? SS_OK : guess(x);
}

/* On everything at once from the point at hand; where that does not converge, the point stays. */
static ss_status try_at_once(galpha *x)
{
    const int n = galpha_unknowns_count(x);
    double *point;
    SS_TRY(ss_arena_take_raw(x->s->arena, (size_t)n, sizeof *point, &point));
    galpha_copy(n, x->point, point);
    SS_TRY(go_at_once(x));
    if (!x->newton.converged) {
        galpha_copy(n, point, x->point);
    }
    return SS_OK;
}

/* In turn. That converges linearly; where it has come near and is not there soon, on everything at once from there, also where
 * contacts depend on each other: the active set is known. Where that does not converge, in turn again, and then as long as
 * allowed. */
static ss_status iterate_in_turn(galpha *x)
{
    int left = x->p->iterations;
    for (int turn = 0; turn < TURNS && left > FIRST_IN_TURN; turn++, left -= FIRST_IN_TURN) {
        SS_TRY(iterate(x, galpha_improve_sequential, FIRST_IN_TURN));
        if (x->newton.converged) {
            return SS_OK;
        }
        SS_TRY(may_go_at_once(x) && x->newton.reached <= NEAR ? try_at_once(x) : SS_OK);
    }
    return iterate(x, galpha_improve_sequential, left);
}

static double square_by_mass(galpha *x, const double *p)
{
    double sum = 0;
    memcpy(x->scratch, p, (size_t)x->s->model->nv * sizeof *p);
    ss_blockdiag_solve(&x->position->problem.scale, x->inner.L, x->scratch);
    for (int i = 0; i < x->s->model->nv; i++) {
        sum += p[i] * x->scratch[i];
    }
    return sum;
}

/* What friction moves positions by, from the solution; returned is whether it was another, `before`. */
static bool renew_push(galpha *x, double *before)
{
    const galpha_unknowns z = galpha_unknowns_in(x, x->point);
    const int nv = x->s->model->nv;
    memcpy(before, x->push, (size_t)nv * sizeof *before);
    galpha_find_push(x, &z);
    const double all = square_by_mass(x, x->push) + square_by_mass(x, before);
    for (int i = 0; i < nv; i++) {
        x->end.way[i] = before[i] - x->push[i]; /* until the next point is measured */
    }
    return square_by_mass(x, x->end.way) > SAME_PUSH * SAME_PUSH * all;
}

/* From a solution to one nearby. What was found at once is so again, by an iteration or two. */
static ss_status iterate_again(galpha *x)
{
    SS_TRY(x->newton.at_once ? go_at_once(x) : SS_OK);
    return iterate_in_turn(x);
}

/* The solution as it was, by Newton's method to the end if it was a rough one. */
static ss_status stay(galpha *x, bool rough)
{
    double residual;
    uint64_t branch;
    x->newton.converged = true;
    return rough ? iterate_again(x) : galpha_measure(x, x->point, &residual, &branch);
}

/* Newton's method once more, with what friction moves positions by in its solution. Where that leads nowhere the solution stays.
 */
static ss_status correct_push(galpha *x)
{
    const size_t n = (size_t)galpha_unknowns_count(x), nv = (size_t)x->s->model->nv;
    const bool rough = x->newton.rough;
    double *point, *push;
    SS_TRY(ss_arena_take_raw(x->s->arena, n, sizeof *point, &point));
    SS_TRY(ss_arena_take_raw(x->s->arena, nv, sizeof *push, &push));
    memcpy(point, x->point, n * sizeof *point);
    const bool again = renew_push(x, push);
    x->newton.rough = false;
    SS_TRY(again ? iterate_again(x) : SS_OK);
    if (!again || !x->newton.converged) {
        memcpy(x->push, push, nv * sizeof *push);
        memcpy(x->point, point, n * sizeof *point);
        return stay(x, rough);
    }
    return SS_OK;
}

/* Do impulses at the contacts of velocities move positions? */
static bool has_push(const galpha *x)
{
    const ss_problem *v = &x->velocity->problem;
    bool any = false;
    for (int k = 0; k < v->nc; k++) {
        any = any || galpha_first_push(v, k) < v->row[k + 1];
    }
    return any;
}

ss_status galpha_solve(galpha *x, double h)
{
    x->h = h;
    x->newton.wedged = false;
    x->newton.spent = 0;
    x->newton.relaxed = ss_stepper_is_exhausted(x->s);
    x->newton.at_once = false;
    x->newton.reached = INFINITY;
    x->velocity->info = x->position->info = (ss_solver_info){ 0 };
    SS_TRY(guess(x));
    x->newton.rough = has_push(x);
    SS_TRY(may_go_at_once(x) ? iterate_at_once(x) : SS_OK);
    SS_TRY(iterate_in_turn(x));
    return x->newton.converged && (x->newton.rough || x->velocity->problem.nc > 0) ? correct_push(x) : SS_OK;
}
