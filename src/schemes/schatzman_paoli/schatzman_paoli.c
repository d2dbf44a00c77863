/* schatzman_paoli.c - the time stepping of Schatzman and Paoli: contact at position level, impacts by Newton's law over two
 * steps, no event is located.
 *
 *     M (w' - w) = hb F + G' lam + H' P,    q' = q (+) h w',  q = q- (+) h- w,   hb = (h + h-)/2     [Aca09 eq. 22a]
 *     0 <= y_i  _|_  P_i >= 0,   y_i = g_i(q (+) (h w' + e_i d)/(1 + e_i)),   d = q- (-) q = -h w    [Aca09 eq. 22c, 24]
 *     P_T by Coulomb's law with the mean slip H_T w', in an impact over both its steps;   joints: g(q') = 0;   motors: G w'
 *     v' = w' and what acts in half a step more (end_velocity.c), the velocity of the state          for (22b)
 *
 * w is the mean velocity of a step. Momentum is balanced between the middles of two steps, for which forces act: those of a
 * theta method on [t - h-/2, t + h/2] (impulses.c), with theta = 1/2 and equal steps at (q- + 2 q + q')/4, (w + w')/2. At
 * the start h- = 0: w is the velocity of the scene, and forces act for half a step. Where steps change, and with
 * `reflect` = future, d is another (reflection.c).
 *
 * Newton's method finds w'. Every iteration poses a contact problem: u_N = H w' + (1 + e) y0/h - H w0', H and y0 taken at
 * w0'; G at q with c = G w0' - g(q')/h, or that of joint_step.c where this does not close the joints. It ends when closed gaps
 * are closed and the joints are satisfied at q'; where it does not, and where impacts (strikes.c) or joints (joint_work.c) would
 * make energy, the step is cut in halves.
 *
 * Deviations   (22b) has v' = (w + w')/2, the velocity of t in place of t + h. The change between w and v is an entry of the
 *              ledger (`scheme`) that is taken back when the next step begins.
 *              M and G are taken at q, in the middle of the balance, not at q': order 2, and joints neither give nor take
 *              energy on the average (SHAKE). So is H of contacts that last (reflection.c).
 *              A combination of positions is one in the tangent space at q; that of two times is taken for driven bodies.
 *              Rows of a body that turns are those of its frame at y, without the tangent map of exp: off by O(h), as H is
 *              within a step.
 *              Joints and friction are not in the paper. Where positions have no solution, nothing is pushed back;
 *              where joints stand in the way, velocities alone are solved for, and positions are projected onto the joints.
 * Overlap      None for e = 0 where positions without overlap exist. Otherwise -e g(q-) with `reflect` = past; O(h^2) in a
 *              single impact with future. Those that no impact has left are undone by moving positions alone (separation.c).
 * Order        1 in l1, for positions and velocities, none in the largest error of the velocity; with e near 1 and impacts
 *              that accumulate it shows late, hence 0.75 below. 2 while motion is smooth, contacts are flat and the direction
 *              of slip does not turn.
 * Cost         two problems per step with contacts, one of them for v'; more where something turns or forces are nonlinear */
#include "base/tolerances.h"
#include "kernels/jump.h"
#include "kernels/passing.h"
#include "schemes/schatzman_paoli/end_velocity.h"
#include "schemes/schatzman_paoli/joint_work.h"
#include "schemes/schatzman_paoli/paoli_inside.h"
#include "schemes/schatzman_paoli/strikes.h"
#include <float.h>
#include <math.h>

enum { REFLECT_PAST, REFLECT_FUTURE };
enum { LOOKS = 12 };

static const ss_field fields[] = {
    SS_OPTION_NUMBER(paoli_params, theta, 0.5, 0.5, 1,
                     "point between the middles of two steps at which forces are evaluated; 0.5: centred, 1: damps stiff forces"),
    SS_OPTION_CHOICE(
        paoli_params, reflect, REFLECT_PAST, "past|future",
        "gap that an impact turns into -e times itself: the previous one (past), or the one that would follow (future); "
        "where the step length changes it is always the latter"),
    SS_OPTIONS_CONE(paoli_params, SS_CONE_AUTO, 60),
    SS_OPTION_INT(paoli_params, iterations, 30, 1, 1000, "most Newton iterations before the step is halved"),
    SS_FIELD_END,
};

/* ---- life ---------------------------------------------------------------------------------------- */

static void destroy(ss_context *ctx, void *work)
{
    paoli *x = work;
    if (x) {
        ss_vicinity_destroy(ctx, x->around);
        ss_assembly_destroy(ctx, x->a);
        ss_assembly_destroy(ctx, x->b);
        ss_impulses_destroy(x->forces);
        ss_separation_destroy(ctx, x->apart);
        ss_projection_destroy(x->joints);
        ss_joint_step_destroy(x->towards_joints);
        ss_reflection_destroy(ctx, &x->gaps);
        ss_contact_cache_free(ctx, &x->latest);
        ss_csr_free(ctx, &x->end.G);
        ss_block_factor_free(ctx, &x->inner);
        ss_free(ctx, x->given);
        ss_free(ctx, x);
    }
}

/* a failure leaves what has been made to `destroy` */
static ss_status create(ss_stepper *s, void **work, double *scheme_state)
{
    paoli *x;
    (void)scheme_state; /* zero: there is no past */
    SS_TRY(ss_friction_check(s, ss_cone_coulomb(s, ((const paoli_params *)s->params)->cone)));
    SS_TRY(ss_calloc(s->ctx, 1, sizeof *x, &x));
    *work = x;
    x->ctx = s->ctx;
    x->p = s->params;
    SS_TRY(ss_vicinity_create(s->ctx, s->model, &x->around));
    SS_TRY(ss_assembly_create(s->ctx, s->model, &x->a));
    SS_TRY(ss_assembly_create(s->ctx, s->model, &x->b));
    SS_TRY(ss_impulses_create(s->ctx, s->model, &x->forces));
    SS_TRY(ss_separation_create(s->ctx, s->model, &x->apart));
    SS_TRY(ss_projection_create(s->ctx, s->model, &x->joints));
    SS_TRY(ss_joint_step_create(s->ctx, s->model, &x->towards_joints));
    x->a->redundant = x->b->redundant = x->around->redundant;
    x->around->ignored = ss_stepper_touch(s);
    return ss_reflection_create(s->ctx, s->model, &x->gaps);
}

static int scheme_state_size(const ss_model *m, const void *params)
{
    (void)params;
    return ss_increments_size(m);
}

static ss_status begin(paoli *x, ss_stepper *s)
{
    const ss_model *m = s->model;
    size_t nq = (size_t)m->nq, nv = (size_t)m->nv, nj = (size_t)m->nj;
    x->s = s;
    x->start.t = s->now->t;
    x->start.q = s->next->q;
    x->past = ss_increments_in(m, s->next->scheme_state);
    x->start.w = x->past.w;
    SS_TRY(ss_arena_take(s->arena, nq, sizeof(double), &x->end.q));
    SS_TRY(ss_arena_take(s->arena, nq, sizeof(double), &x->q_middle));
    SS_TRY(ss_arena_take(s->arena, nv, sizeof(double), &x->w_fast));
    SS_TRY(ss_arena_take(s->arena, ss_model_mass_room(m), sizeof(double), &x->start.mass_room));
    SS_TRY(ss_arena_take(s->arena, nj, sizeof(double), &x->end.g));
    SS_TRY(ss_arena_take(s->arena, 2 * nj, sizeof(double), &x->end.unused));
    SS_TRY(ss_config_take(s->arena, m, &x->start.here));
    return ss_config_take(s->arena, m, &x->end.at);
}

/* ---- a substep ----------------------------------------------------------------------------------- */

static ss_status survey(paoli *x, double h)
{
    const ss_model *m = x->s->model;
    ss_config_set(m, x->start.t, x->start.q, &x->start.here);
    ss_config_drive(m, x->start.t, x->start.t + h, &x->start.here);
    SS_TRY(ss_model_mass_at(x->ctx, m, x->start.t, x->start.q, x->start.mass_room, &x->start.mass));
    x->start.position_tol = SS_TOL_ROUND_OFF; /* an answer that stopped earlier would depend on where */
    for (int b = 0; b < m->bodies; b++) {
        x->start.position_tol = fmax(x->start.position_tol, 8 * DBL_EPSILON * ss_norm(x->start.here.frame[b].p) / m->length);
    }
    ss_increments_fastest(&x->past, &x->start.mass, x->w_fast);
    SS_TRY(ss_vicinity_survey(x->around, x->s, &x->start.here, x->w_fast, fmax(h, *x->past.h), 0));
    const ss_path ahead = { x->start.t, h, x->start.q, x->start.w, NULL, NULL };
    SS_TRY(ss_passing_bar_misses(x->around->passing, x->s, x->around, &ahead));
    ss_passing_expect(x->around->passing, x->around, &x->met);
    return SS_OK;
}

/* Overlaps that no impact has left: any at the start of the run; later those of contacts without restitution that a substep
 * leaves, by features that were not in its problem or frozen while they should move (the rim of a cylinder). Closed by w' they
 * would throw bodies apart, the faster the shorter the step: so positions alone are moved. */
static ss_status separate(paoli *x, bool first)
{
    const ss_overlapping_state what = { .t = x->start.t,
                                        .q = x->start.q,
                                        .v = x->start.w,
                                        .touch = 2 * fmax(ss_stepper_touch(x->s), PAOLI_GAPS * x->start.position_tol),
                                        .e = first ? 1 : 0 };
    bool due = first ? ss_separation_is_due(&what, x->s->model, x->around) : x->around->overlap > what.touch;
    return due ? ss_separation_apply(x->apart, x->s, &what) : SS_OK;
}

static ss_status begin_substep(paoli *x, double h)
{
    const ss_reflection_step substep = { x->start.t,     h,
                                         x->start.q,     &x->start.here,
                                         &x->start.mass, x->p->reflect == REFLECT_FUTURE };
    x->h = h;
    SS_TRY(ss_reflection_begin(&x->gaps, x->s, x->around, &x->past, &substep));
    if (x->frees_rows) {
        ss_reflection_free_rows(&x->gaps);
    }
    return SS_OK;
}

/* Rows of the start are given up, to the end of the step, where Newton's method does not find a solution with them: a contact
 * that takes the place of another one near it, and back, keeps it from converging. */
static bool gives_up_rows(paoli *x)
{
    const bool content = x->newton.result.converged && x->newton.relaxed == RELAXED_NOTHING;
    const bool again = !content && !x->newton.gives_up && !ss_stepper_is_exhausted(x->s) && ss_reflection_free_rows(&x->gaps);
    x->frees_rows = x->frees_rows || again;
    return again;
}

/* No contact pulls: one that would is let go of, and all begins anew. */
static ss_status solve(paoli *x, double h)
{
    SS_TRY(begin_substep(x, h));
    do {
        SS_TRY(paoli_iterate(x));
    } while (ss_reflection_let_go(&x->gaps, x->a, x->given) || gives_up_rows(x));
    return SS_OK;
}

/* Newton's method has failed on the shortest substep: what it has come to may be anything. Velocities alone are solved for
 * instead, from the start; its residual stays, so that the step is not certified. */
static ss_status give_up_positions(paoli *x)
{
    const double residual = x->newton.result.residual;
    const bool given_up = x->newton.relaxed >= RELAXED_POSITIONS && ss_assembly_has_solution(x->a);
    if (residual <= PAOLI_STALL * x->s->tol || given_up) {
        return SS_OK;
    }
    x->newton.gives_up = true;
    ss_status status = solve(x, x->h);
    x->newton.gives_up = false;
    x->newton.result.residual = residual;
    x->newton.result.converged = false;
    return status;
}

/* Do joints make energy because the substep is too long? Then the next one is not much longer than this one will be. */
static ss_status look_at_joints(paoli *x, double h, bool *found)
{
    SS_TRY(ss_block_factor_update(x->ctx, &x->inner, &x->start.mass));
    const ss_joint_motion motion = {
        x->s->model, x->a, &x->start.mass, x->inner.L, x->start.w, ss_impulses_by_class(x->forces), h
    };
    SS_TRY(ss_joint_work_look(&motion, x->s->arena, found));
    x->pace = *found ? h : x->pace;
    return SS_OK;
}

/* Do impacts or joints? */
static ss_status look_for_energy(paoli *x, double h, ss_strikes *strikes, bool *made)
{
    SS_TRY(ss_strikes_look(&x->gaps, x->a, &x->end.at, strikes));
    *made = strikes->makes_energy;
    return *made || x->s->model->nj == 0 ? SS_OK : look_at_joints(x, h, made);
}

/* May a substep over h be halved? Where impacts make energy because a body whirls, it may be as short as it takes. */
static bool can_be_halved(const paoli *x, double h, const ss_strikes *strikes)
{
    const bool floor = h < 2 * ss_stepper_shortest(x->s) && !(strikes->makes_energy && strikes->whirls);
    return !floor && !ss_stepper_is_exhausted(x->s);
}

/* The longest substep, h halved as often as need be, that Newton's method is content with and that makes no energy. */
static ss_status fit_substep(paoli *x, double *h)
{
    for (;; *h *= 0.5) {
        ss_strikes strikes = { 0 };
        bool makes_energy = false;
        SS_TRY(solve(x, *h));
        const bool content = x->newton.result.converged && ss_assembly_has_solution(x->a);
        SS_TRY(content ? look_for_energy(x, *h, &strikes, &makes_energy) : SS_OK);
        if ((content && !makes_energy) || !can_be_halved(x, *h, &strikes)) {
            SS_TRY(content ? SS_OK : give_up_positions(x));
            return ss_assembly_require_solution(x->a, x->start.t);
        }
        x->s->wasted.problems += x->newton.result.measured;
    }
}

/* of the state at t = x->start.t, to which a substep over x->h has led; forces acted for `acted` in its balance */
static ss_status find_velocity(paoli *x, double acted)
{
    int *which, n;
    SS_TRY(ss_reflection_carrying(&x->gaps, x->a, &which, &n));
    ss_config_set(x->s->model, x->start.t, x->start.q, &x->end.at);
    ss_config_drive(x->s->model, x->start.t, x->start.t, &x->end.at);
    const ss_contact_set contacts = ss_assembly_set(x->a);
    const ss_half_step half = { .end = &x->end.at,
                                .contacts = &contacts,
                                .which = which,
                                .n = n,
                                .friction = ss_cone_coulomb(x->s, x->p->cone),
                                .time = 0.5 * x->h,
                                .impulse = ss_impulses_by_class(x->forces),
                                .part = 0.5 * x->h / acted };
    return ss_end_velocity(x->b, x->s, &half, x->start.w, x->s->next->v);
}

/* Joints of which velocities alone were asked for: an error that is left would come back as a velocity. */
static ss_status put_on_joints(paoli *x)
{
    bool satisfied;
    return x->newton.relaxed < RELAXED_POSITIONS ? SS_OK
                                                 : ss_projection_apply(x->joints, x->s, x->start.t + x->h, x->end.q, &satisfied);
}

static ss_status accept(paoli *x)
{
    SS_TRY(put_on_joints(x));
    const ss_model *m = x->s->model;
    const double acted = paoli_balanced_time(x);
    const ss_segment_end from = { .t = x->start.t, .q = x->start.q, .v = x->start.w, .state = x->s->next->v },
                         to = { .t = x->start.t + x->h, .q = x->end.q, .v = x->a->solution.v };
    ss_segment segment = ss_assembly_segment(x->a, from, to);
    segment.parts.r_given = x->given;
    segment.parts.v_before = x->past.before;
    segment.nonlinear = x->newton.result.converged ? x->newton.force_residual : x->newton.result.residual;
    SS_TRY(ss_impulses_report(x->forces, x->s, x->a, segment));
    for (int i = 0; i < x->a->problem.row[x->a->problem.nc]; i++) {
        x->a->solution.r[i] += x->given[i]; /* of this step alone */
    }
    SS_TRY(ss_assembly_remember(x->a, &x->s->next->cache, SS_LEVEL_VELOCITY));
    ss_increments_note(&x->past, m, x->h, x->s->next->v, x->a->solution.v);
    memcpy(x->start.q, x->end.q, (size_t)m->nq * sizeof(double));
    x->start.t += x->h;
    SS_TRY(separate(x, false));
    return find_velocity(x, acted);
}

/* Must the substep, over *most so far, be shorter or be made with more contacts, so that nothing passes through anything? */
static ss_status look_back(paoli *x, double taken, double *most, bool *again)
{
    const ss_path path = { x->start.t, x->h, x->start.q, x->a->solution.v, NULL, NULL };
    bool more, hidden;
    SS_TRY(ss_vicinity_look_again(x->around, x->s, &x->start.here, &x->end.at, &more, &hidden));
    SS_TRY(ss_passing_check(x->around->passing, x->s, x->around, &x->gaps.active, &path, &x->met));
    const bool passes = x->met.any && x->met.inside < taken;
    hidden = hidden && taken > ss_stepper_shortest(x->s);
    *most = passes ? x->met.inside : hidden ? 0.5 * taken : taken;
    *again = more || hidden || passes;
    return SS_OK;
}

/* No more than x->pace of what is left, and no remainder that only rounding leaves: joints would have to close in it. */
static double at_pace(const paoli *x, double left) { return left <= x->pace ? left : fmin(x->pace, 0.5 * left); }

/* One substep over h, less where it has to be cut: where Newton's method asks for it, and so that nothing passes through
 * anything unseen. */
static ss_status advance(paoli *x, double h, double *taken)
{
    bool again = true;
    double most = h;
    x->met = (ss_met){ .any = false };
    ss_vicinity_forget(x->around);
    for (int look = 0; again && look < LOOKS; look++) {
        SS_TRY(survey(x, h));
        if (look == 0 && *x->past.h == 0) {
            SS_TRY(separate(x, true));
            SS_TRY(survey(x, h));
        }
        *taken = look > 0 ? most : fmin(at_pace(x, h), fmax(x->around->safe, ss_stepper_shortest(x->s)));
        SS_TRY(fit_substep(x, taken));
        SS_TRY(look_back(x, *taken, &most, &again));
    }
    return accept(x);
}

/* ---- the scheme ---------------------------------------------------------------------------------- */

static ss_status step(ss_stepper *s, double h)
{
    paoli *x = s->work;
    double *v = s->next->v;
    SS_TRY(begin(x, s));
    x->frees_rows = false;
    x->pace = INFINITY;
    if (*x->past.h > 0) {
        SS_TRY(ss_jump_report(s, SS_IMPULSE_SCHEME, x->start.t, x->start.q, v, x->start.w));
    } else {
        memcpy(x->start.w, v, (size_t)s->model->nv * sizeof *v);
    }
    for (double left = h, taken = 0; left > 0; left = ss_stepper_rest(s, h, left, taken)) {
        SS_TRY(advance(x, ss_model_even_time(s->model, x->start.t, left), &taken));
        x->pace = fmax(x->pace, 2 * taken);
    }
    s->next->t = s->now->t + s->length.taken;
    return ss_jump_report(s, SS_IMPULSE_SCHEME, x->start.t, x->start.q, x->start.w, v);
}

static ss_order order(const void *params)
{
    const paoli_params *p = params;
    return (ss_order){ .smooth = p->theta > 0.5 ? 1 : 2, .impacts = 0.75, .norm = "l1", .overlap = 1, .impact_steps = 2 };
}

const ss_scheme_type ss_scheme_schatzman_paoli = {
    .info = { .name = "schatzman_paoli",
              .title = "Schatzman and Paoli's time stepping on positions",
              .reference = "Aca09",
              .order = { .smooth = 2, .impacts = 0.75, .norm = "l1", .overlap = 1, .impact_steps = 2 },
              .laws = SS_LAW_UNILATERAL | SS_LAW_POLYHEDRAL | SS_LAW_COULOMB | SS_LAW_BOUNDED | SS_LAW_ROLLING | SS_LAW_NEWTON |
                      SS_LAW_INELASTIC,
              .dimensions = 4 | 8,
              .fields = fields,
              .params_size = sizeof(paoli_params) },
    .order = order,
    .scheme_state_size = scheme_state_size,
    .create = create,
    .destroy = destroy,
    .step = step,
};
