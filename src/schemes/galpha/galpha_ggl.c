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
#include "kernels/impact_energy.h"
#include "schemes/galpha/galpha_inside.h"
#include <float.h>
#include <math.h>

enum { LOOKS = 12 };

static const ss_field fields[] = {
    GALPHA_RHO_INF,
    SS_OPTION_CHOICE(galpha_params, newton, GALPHA_MONOLITHIC, "monolithic|sequential",
                     "Newton's method on everything at once, or on smooth motion, positions and velocities in turn, to which the "
                     "former falls back where it does not converge"),
    GALPHA_ACTIVATE(GALPHA_AT_EITHER),
    SS_OPTION_BOOL(galpha_params, restart, true,
                   "accelerations of the past are forgotten after an impact; false: they die out by rho_inf"),
    SS_OPTIONS_CONE(galpha_params, SS_CONE_AUTO, 60),
    GALPHA_ITERATIONS,
    SS_FIELD_END,
};

/* ---- life -------------------------------------------------------------------------------------------------- */

void galpha_destroy(ss_context *ctx, void *work)
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
ss_status galpha_create(ss_stepper *s, const galpha_kind *kind, void **work)
{
    galpha *x;
    SS_TRY(kind->friction ? ss_friction_check(s, ss_cone_coulomb(s, ((const galpha_params *)s->params)->cone)) : SS_OK);
    SS_TRY(ss_calloc(s->ctx, 1, sizeof *x, &x));
    *work = x;
    x->ctx = s->ctx;
    x->p = s->params;
    x->kind = kind;
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

int galpha_state_size(const ss_model *m, const void *params)
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
    x->longest = INFINITY;
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
    SS_TRY(ss_arena_take(arena, (size_t)n, sizeof *x->end.closings, &x->end.closings));
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

/* ---- a substep ------------------------------------------------------------------------------------------------ */

/* Do impacts create energy because their rows turn within the substep? cut: it has been made shorter, and is held to more. */
static ss_status creates_energy(const galpha *x, bool cut, bool whirling, bool *any)
{
    const ss_struck struck = { x->s, x->velocity, x->around, x->active.which, &x->start.here, x->start.v, x->h, false };
    *any = false;
    return x->newton.converged && !ss_stepper_is_exhausted(x->s)
               ? ss_impacts_create_energy(&struck, cut ? SS_TOL_STRIKE_CUT : SS_TOL_STRIKE, whirling, any)
               : SS_OK;
}

/* The longest substep, *h halved as often as need be, on which Newton's method converges and impacts create no energy. */
static ss_status fit_substep(galpha *x, double *h)
{
    bool gains;
    for (const double most = *h;; *h *= 0.5) {
        SS_TRY(galpha_solve(x, *h));
        const bool last = *h < 2 * ss_stepper_shortest(x->s);
        const bool cut = *h < most || most >= x->longest;
        SS_TRY(creates_energy(x, cut, last, &gains));
        if (!gains && (x->newton.converged || last || ss_stepper_is_exhausted(x->s))) {
            x->longest = cut ? GALPHA_LONGER * *h : INFINITY;
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
        x->s->report->remark(x->s->report, SS_REMARK_OVERLAP, x->gapped.n > 0 ? x->position->contacts.c[0] : NULL);
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

ss_status galpha_step(ss_stepper *s, double h)
{
    galpha *x = s->work;
    SS_TRY(begin(x, s));
    for (double left = h, taken = 0; left > 0; left = ss_stepper_rest(s, h, left, taken)) {
        SS_TRY(advance(x, ss_model_even_time(s->model, x->start.t, fmin(left, x->longest)), &taken));
    }
    s->next->t = s->now->t + s->length.taken;
    return SS_OK;
}

static const galpha_kind ggl = { .friction = true, .at_once = true, .velocities = true };

static ss_status create(ss_stepper *s, void **work, double *scheme_state)
{
    (void)scheme_state;
    return galpha_create(s, &ggl, work);
}

const ss_scheme_type ss_scheme_galpha_ggl = {
    .info = { .name = "galpha_ggl",
              .title = "nonsmooth generalized-alpha, positions and velocities",
              .reference = "BAC14",
              .order = { .smooth = 2, .impacts = 0.75, .norm = "l1", .overlap = 0, .turning = 1 },
              .laws = SS_LAW_UNILATERAL | SS_LAW_POLYHEDRAL | SS_LAW_COULOMB | SS_LAW_BOUNDED | SS_LAW_ROLLING | SS_LAW_NEWTON |
                      SS_LAW_INELASTIC,
              .dimensions = 4 | 8,
              .massless = true,
              .fields = fields,
              .params_size = sizeof(galpha_params) },
    GALPHA_FUNCTIONS(create),
};
