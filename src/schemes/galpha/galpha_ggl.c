/* galpha_ggl.c - the nonsmooth generalized-alpha method: joints and contacts at position and at velocity level in one step.
 *
 *     M w' = f(t', q', v') + G' lam,    G v~ = c                                smooth motion             [BAC14 eq. 29a, b]
 *     M U = G' nu_J + H_N' nu + (h/2) H_T' r_T,    g(q') = 0,    0 <= g_N(q')  _|_  nu >= 0              [BAC14 eq. 29c-e]
 *     M W = G' Lam + H' r,    G v' = c,    contacts closed at q*:
 *         0 <= u'_N + e u_N  _|_  r_N >= 0,   r_T by Coulomb's law with u'_T                             [BAC14 eq. 29f-h]
 *     q' = q~ (+) U,   v' = v~ + W,   q~, v~ from w', w by the difference formulae                       [BAC14 eq. 30]
 *
 * M, G, H at q'. Newton's method solves all of it, at once (monolithic.c), or in turn with the contact laws as they are
 * (sequential.c). No event is located. Positions are never in overlap and joints never open, both to round-off.
 *
 * Deviations   q* is q~ or q' (point.c); friction and its share of U are not in the paper (levels.c); rotations are composed
 *              on the group, q (+) x [Bruels, Cardona, Arnold 2012]. Where Newton's method does not converge the substep is
 *              halved, down to a 64th of the step. Where positions have no solution (something is wedged in) they are left,
 *              with the remark `overlap`; where velocities have none, nothing is pushed back.
 * Order        2 while motion is smooth and contacts are flat; through impacts at most 1 in l1
 * Cost         per Newton iteration one sparse LU factorisation, or a smaller one and two contact problems; one iteration
 *              where forces and rows are constant */
#include "base/tolerances.h"
#include "math/newton.h"
#include "schemes/galpha/galpha_inside.h"
#include <float.h>
#include <math.h>

enum { LOOKS = 12, AT_ONCE = 6 };
/* Gaps may be larger than was asked for by this factor where the solver closes them no better: impulses in a pile are large. */
static const double STALLED = 100;
/* Friction that moves positions by as much as before, up to this part: Newton's method need not go on. */
static const double SAME_PUSH = 1e-3;
/* Newton's method goes on to this part of the tolerance, if it can: an answer should not depend on where it has stopped. */
static const double FURTHER = 0.01;

static const ss_field fields[] = {
    SS_OPTION_NUMBER(
        galpha_params, rho_inf, 0.8, 0, 1,
        "spectral radius at infinite frequency: 1 keeps the energy of all vibrations, 0 damps fast ones out in a step"),
    SS_OPTION_CHOICE(galpha_params, newton, GALPHA_MONOLITHIC, "monolithic|sequential",
                     "Newton's method on everything at once, or on smooth motion, positions and velocities in turn, to which the "
                     "former falls back where it does not converge"),
    SS_OPTION_CHOICE(
        galpha_params, activate, GALPHA_AT_EITHER, "either|free|start|forecast|end",
        "positions that tell which contacts are closed at velocity level: free, those without contact; start; forecast, "
        "those that the old velocity leads to; end; either, free or end"),
    SS_OPTION_BOOL(galpha_params, restart, true,
                   "accelerations of the past are forgotten after an impact; false: they die out by rho_inf"),
    SS_OPTIONS_CONE(galpha_params, SS_CONE_AUTO, 60),
    SS_OPTION_INT(galpha_params, iterations, 30, 1, 1000, "most Newton iterations before the step is halved"),
    SS_FIELD_END,
};

/* ---- life -------------------------------------------------------------------------------------------------- */

static void destroy(ss_context *ctx, void *work)
{
    galpha *x = work;
    if (x) {
        galpha_matrices *of = &x->of;
        ss_csr *owned[] = { &x->k_q,
                            &x->k_v,
                            &x->K,
                            &x->R,
                            &x->T,
                            &x->S,
                            &of->position_joints,
                            &of->velocity_joints,
                            &of->position_contacts,

                            &of->velocity_contacts,
                            &of->joint_rates,
                            &of->contact_rates,
                            &of->normals,
                            &of->contacts };
        ss_pattern_free(ctx, &of->pattern);
        for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) {
            ss_csr_free(ctx, owned[k]);
        }
        ss_vicinity_destroy(ctx, x->around);
        ss_assembly_destroy(ctx, x->position);
        ss_assembly_destroy(ctx, x->velocity);
        ss_residual_destroy(x->certificate);
        ss_kkt_destroy(x->kkt);
        ss_block_factor_free(ctx, &x->inner);
        ss_row_scales_free(ctx, &x->scales);
        ss_row_shares_free(ctx, &x->shares);
        ss_sparse_lu_destroy(x->lu);
        ss_contact_cache_free(ctx, &x->found);
        ss_free(ctx, x->left_out);
        ss_free(ctx, x->redundant);
        ss_free(ctx, x);
    }
}

/* a failure leaves what has been made to `destroy` */
static ss_status create(ss_stepper *s, void **work, double *scheme_state)
{
    galpha *x;
    (void)scheme_state; /* zero: there is no past */
    SS_TRY(ss_friction_check(s, ss_cone_coulomb(s, ((const galpha_params *)s->params)->cone)));
    SS_TRY(ss_calloc(s->ctx, 1, sizeof *x, &x));
    *work = x;
    x->ctx = s->ctx;
    x->p = s->params;
    x->rule = galpha_rule_of(x->p->rho_inf);
    SS_TRY(ss_vicinity_create(s->ctx, s->model, &x->around));
    SS_TRY(ss_assembly_create(s->ctx, s->model, &x->position));
    SS_TRY(ss_assembly_create(s->ctx, s->model, &x->velocity));
    SS_TRY(ss_residual_create(s->ctx, &x->certificate));
    SS_TRY(ss_kkt_create(s->ctx, &x->kkt));
    SS_TRY(ss_sparse_lu_create(s->ctx, &x->lu));
    SS_TRY(galpha_dependent_create(x, s->model->nj));
    x->around->ignored = ss_stepper_touch(s);
    ss_vicinity_follow(x->around);
    return SS_OK;
}

static int scheme_state_size(const ss_model *m, const void *params)
{
    (void)params;
    return galpha_history_size(m);
}

static ss_status take_scratch(galpha *x, ss_arena *arena)
{
    const ss_model *m = x->s->model;
    const size_t nv = (size_t)m->nv, kinds = nv * GALPHA_KINDS;
    double **vectors[] = { &x->start.rate, &x->start.mean, &x->end.rate, &x->end.mean, &x->end.way,
                           &x->end.total,  &x->push,       &x->lack,     &x->scratch };
    double **by_kind[] = { &x->start.mean_by_kind, &x->end.force };
    ss_config *configs[] = { &x->start.here, &x->end.free, &x->end.at };
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++) {
        SS_TRY(ss_arena_take(arena, nv, sizeof(double), vectors[k]));
    }
    for (size_t k = 0; k < sizeof by_kind / sizeof *by_kind; k++) {
        SS_TRY(ss_arena_take(arena, kinds, sizeof(double), by_kind[k]));
    }
    for (size_t k = 0; k < sizeof configs / sizeof *configs; k++) {
        SS_TRY(ss_config_take(arena, m, configs[k]));
    }
    SS_TRY(ss_arena_take(arena, (size_t)m->nq, sizeof(double), &x->end.q_free));
    return ss_arena_take(arena, (size_t)m->nq, sizeof(double), &x->end.q);
}

static ss_status begin(galpha *x, ss_stepper *s)
{
    x->s = s;
    x->history = galpha_history_in(s->model, s->next->scheme_state);
    x->start.t = s->now->t;
    x->start.q = s->next->q;
    x->start.v = s->next->v;
    return take_scratch(x, s->arena);
}

/* ---- what is near -------------------------------------------------------------------------------------------- */

/* Gaps and joint errors that are nothing but round-off: of the unit, more where bodies are far from the origin. */
static double round_off_of_positions(const galpha *x)
{
    const ss_model *m = x->s->model;
    double tol = 10 * SS_TOL_ROUND_OFF;
    for (int b = 0; b < m->bodies; b++) {
        tol = fmax(tol, 8 * DBL_EPSILON * ss_norm(x->start.here.frame[b].p) / m->length);
    }
    return tol;
}

/* Normal velocities of what is near, driven bodies as they move at this instant. */
static ss_status find_velocities(galpha *x)
{
    const ss_contact_set *near = &x->around->near;
    const ss_problem *p = &x->position->problem;
    ss_config_drive(x->s->model, x->start.t, x->start.t, &x->start.here);
    SS_TRY(ss_assembly_geometry(x->position, &x->start.here, near, near->n, NULL, (ss_friction){ .law = SS_LAW_UNILATERAL }, 0));
    for (int k = 0; k < near->n; k++) {
        x->start.u[k] = ss_csr_row_dot(&p->H, p->row[k], x->start.v) + x->position->w_drive[p->row[k]];
    }
    return SS_OK;
}

static ss_status take_contacts(galpha *x)
{
    ss_arena *arena = x->s->arena;
    const int n = x->around->near.n;
    double **vectors[] = { &x->start.u, &x->end.gap_free, &x->end.gap };
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++) {
        SS_TRY(ss_arena_take(arena, (size_t)n, sizeof(double), vectors[k]));
    }
    SS_TRY(ss_arena_take(arena, (size_t)n, sizeof *x->end.counts, &x->end.counts));
    SS_TRY(ss_arena_take(arena, (size_t)n, sizeof *x->end.held, &x->end.held));
    SS_TRY(ss_arena_take(arena, (size_t)galpha_unknowns_count(x), sizeof(double), &x->point));
    SS_TRY(ss_active_take(&x->gapped, arena, n));
    return ss_active_take(&x->active, arena, n);
}

static ss_status survey(galpha *x, double h)
{
    const ss_model *m = x->s->model;
    ss_config_set(m, x->start.t, x->start.q, &x->start.here);
    ss_config_drive(m, x->start.t, x->start.t + h, &x->start.here);
    x->newton.position_tol = round_off_of_positions(x);
    SS_TRY(ss_vicinity_survey(x->around, x->s, &x->start.here, x->start.v, h, 0));
    const ss_path ahead = { x->start.t, h, x->start.q, x->start.v, NULL, NULL };
    SS_TRY(ss_passing_bar_misses(x->around->passing, x->s, x->around, &ahead));
    ss_passing_expect(x->around->passing, x->around, &x->met);
    SS_TRY(take_contacts(x));
    return find_velocities(x);
}

/* ---- Newton's method ----------------------------------------------------------------------------------------- */

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
            z->r[3 * x->active.which[k] + row - v->row[k]] = longer * x->velocity->solution.r[row];
        }
        *news = *news || !ss_contact_cache_find(&x->found, SS_LEVEL_VELOCITY, &x->velocity->contacts.c[k].id);
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
    }
    galpha_start_means(x);
    SS_TRY(galpha_dependent_begin(x));
    galpha_predict(x, z.v_free);
    memcpy(z.v, z.v_free, (size_t)m->nv * sizeof(double));
    galpha_copy(m->nj, x->history.lam, z.lam);
    return guess_contacts(x, &z);
}

/* Newton's method from the point at hand */
static ss_status iterate(galpha *x, ss_newton_problem problem, int most)
{
    const ss_newton_options options = { .tol = FURTHER * x->s->tol, .stall = STALLED * x->s->tol, .iterations = most };
    ss_newton_result result;
    problem.n = galpha_unknowns_count(x);
    problem.user = x;
    problem.measure = galpha_measure;
    SS_TRY(ss_newton(x->s->arena, &problem, &options, x->point, &result));
    x->newton.converged = result.converged && x->newton.balance <= x->s->tol;
    x->newton.spent += result.measured;
    x->s->report->newton(x->s->report, result.iterations);
    return SS_OK;
}

/* The velocities of a point that Newton's method has found once more, by the solver: it shares loads among contacts that depend
 * on each other, and its answer is what is certified. */
static ss_status settle(galpha *x)
{
    galpha_unknowns z = galpha_unknowns_in(x, x->point);
    return x->velocity->problem.nc > 0 ? galpha_solve_velocity(x, &z) : SS_OK;
}

/* On everything at once; where that does not converge soon, the point is the guess again. */
static ss_status iterate_at_once(galpha *x)
{
    bool overdetermined;
    SS_TRY(galpha_is_overdetermined(x, &overdetermined));
    if (overdetermined) {
        return SS_OK;
    }
    SS_TRY(iterate(x, (ss_newton_problem){ .improve = galpha_improve_monolithic }, AT_ONCE));
    return x->newton.converged ? settle(x) : guess(x);
}

static double square_by_mass(galpha *x, const double *p)
{
    double sum = 0;
    memcpy(x->scratch, p, (size_t)x->s->model->nv * sizeof *p);
    ss_blockdiag_solve(&x->position->mass.diagonal, x->inner.L, x->scratch);
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

/* Newton's method once more, with what friction moves positions by in its solution. Where that leads nowhere the solution stays.
 */
static ss_status correct_push(galpha *x, ss_newton_problem in_turn)
{
    const size_t n = (size_t)galpha_unknowns_count(x), nv = (size_t)x->s->model->nv;
    double *point, *push, residual;
    uint64_t branch;
    SS_TRY(ss_arena_take_raw(x->s->arena, n, sizeof *point, &point));
    SS_TRY(ss_arena_take_raw(x->s->arena, nv, sizeof *push, &push));
    memcpy(point, x->point, n * sizeof *point);
    const bool again = renew_push(x, push);
    SS_TRY(again ? iterate(x, in_turn, x->p->iterations) : SS_OK);
    if (!again || !x->newton.converged) {
        memcpy(x->push, push, nv * sizeof *push);
        memcpy(x->point, point, n * sizeof *point);
        x->newton.converged = true;
        SS_TRY(galpha_measure(x, x->point, &residual, &branch));
    }
    return SS_OK;
}

static ss_status solve(galpha *x, double h)
{
    const ss_newton_problem in_turn = { .improve = galpha_improve_sequential };
    x->h = h;
    x->newton.wedged = false;
    x->newton.spent = 0;
    x->newton.relaxed = ss_stepper_is_exhausted(x->s);
    x->velocity->info = x->position->info = (ss_solver_info){ 0 };
    SS_TRY(guess(x));
    SS_TRY(x->p->newton == GALPHA_MONOLITHIC && !x->newton.relaxed ? iterate_at_once(x) : SS_OK);
    SS_TRY(iterate(x, in_turn, x->p->iterations));
    return x->newton.converged && x->velocity->problem.nc > 0 ? correct_push(x, in_turn) : SS_OK;
}

/* ---- a substep ------------------------------------------------------------------------------------------------ */

/* The longest substep, *h halved as often as need be, on which Newton's method converges. */
static ss_status fit_substep(galpha *x, double *h)
{
    for (;; *h *= 0.5) {
        SS_TRY(solve(x, *h));
        if (x->newton.converged || *h < 2 * ss_stepper_shortest(x->s) || ss_stepper_is_exhausted(x->s)) {
            return ss_assembly_require_solution(x->velocity, x->start.t);
        }
        x->s->wasted.problems += x->newton.spent;
    }
}

/* Is there something at the end that the survey did not have, or was something passed through? *most: length of the next try */
static ss_status look_back(galpha *x, double taken, double *most, bool *again)
{
    const ss_model *m = x->s->model;
    const galpha_unknowns z = galpha_unknowns_in(x, x->point);
    double *way;
    bool more, hidden;
    SS_TRY(ss_arena_take(x->s->arena, (size_t)m->nv, sizeof *way, &way));
    ss_path_way(m, x->start.q, x->end.q, x->start.v, z.v, taken, way);
    const ss_path path = { x->start.t, taken, x->start.q, x->start.v, z.v, way };
    ss_config_drive(m, x->start.t, x->start.t + taken, &x->start.here);
    SS_TRY(ss_vicinity_look_again(x->around, x->s, &x->start.here, &x->end.at, &more, &hidden));
    SS_TRY(ss_passing_check(x->around->passing, x->s, x->around, &x->gapped, &path, &x->met));
    const bool passes = x->met.any && x->met.inside < taken;
    hidden = hidden && taken > ss_stepper_shortest(x->s);
    *most = passes ? x->met.inside : hidden ? 0.5 * taken : taken;
    *again = more || hidden || passes;
    return SS_OK;
}

static ss_status accept(galpha *x)
{
    const ss_model *m = x->s->model;
    SS_TRY(galpha_report(x));
    if (x->newton.wedged) {
        x->s->report->remark(x->s->report, SS_REMARK_OVERLAP, x->gapped.n > 0 ? &x->position->contacts.c[0] : NULL);
    }
    memcpy(x->start.q, x->end.q, (size_t)m->nq * sizeof(double));
    memcpy(x->start.v, galpha_unknowns_in(x, x->point).v, (size_t)m->nv * sizeof(double));
    x->start.t += x->h;
    return SS_OK;
}

static ss_status advance(galpha *x, double h, double *taken)
{
    bool again = true;
    double most = h;
    x->met = (ss_met){ .any = false };
    SS_TRY(*x->history.h > 0 ? SS_OK : galpha_history_begin(x));
    ss_vicinity_forget(x->around);
    for (int look = 0; again && look < LOOKS; look++) {
        SS_TRY(survey(x, h));
        *taken = look > 0 ? most : fmin(h, fmax(x->around->safe, ss_stepper_shortest(x->s)));
        SS_TRY(fit_substep(x, taken));
        SS_TRY(look_back(x, *taken, &most, &again));
    }
    return accept(x);
}

/* ---- the scheme ------------------------------------------------------------------------------------------------ */

static ss_status step(ss_stepper *s, double h)
{
    galpha *x = s->work;
    SS_TRY(begin(x, s));
    for (double left = h, taken = 0; left > 0; left = ss_stepper_rest(s, h, left, taken)) {
        SS_TRY(advance(x, ss_model_even_time(s->model, x->start.t, left), &taken));
    }
    s->next->t = s->now->t + s->length.taken;
    return SS_OK;
}

const ss_scheme_type ss_scheme_galpha_ggl = {
    .info = { .name = "galpha_ggl",
              .title = "nonsmooth generalized-alpha, positions and velocities",
              .reference = "BAC14",
              .order = { .smooth = 2, .impacts = 0.75, .norm = "l1", .overlap = 0 },
              .laws = SS_LAW_UNILATERAL | SS_LAW_POLYHEDRAL | SS_LAW_COULOMB | SS_LAW_BOUNDED | SS_LAW_NEWTON | SS_LAW_INELASTIC,
              .dimensions = 4 | 8,
              .fields = fields,
              .params_size = sizeof(galpha_params) },
    .scheme_state_size = scheme_state_size,
    .create = create,
    .destroy = destroy,
    .step = step,
};
