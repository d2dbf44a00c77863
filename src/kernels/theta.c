/* theta.c - Moreau's time stepping with a theta method.
 *
 *     M (v' - v) = p + G' lam + H' P,    v_th = (1 - theta) v + theta v'                         [Aca09 eq. 16a]
 *     q' = q (+) h v_th                                                                          [Aca09 eq. 16b]
 *     contact i is active if  g_i(q) + gamma h U_i <= 0,  U = H(q) v  its velocity at the start  [Aca09 eq. 16e]
 *     active:  0 <= U'_N + e U_N  _|_  P_N >= 0,  U' = H v',  P_T by Coulomb's law with U'_T     [Aca09 eq. 18]
 *
 *     `average` = point   p = h F(t_th, q_th, v_th)                                              [Aca09 eq. 16a]
 *                 force   p = h (1 - theta) F(t, q, v) + h theta F(t', q', v')                   [BAC14 eq. 50a, f]
 *     `at` = theta        M, G, H at q_th = q (+) theta h v_th;  G v_th = 0, for theta < 1/2 with 1/2 in its place
 *            end          M, G, H at q';  G v' = 0                                               [BAC14 eq. 50b-d]
 *     `rows` = predicted  v in place of v_th in these positions
 *              implicit   positions as they come out
 *
 * The energy of an impact is that of Newton's law; joints do no work for theta = 1/2.
 *
 * The whole is solved by Newton's method for generalised equations (Josephy): forces are linearised, rows frozen, at a point
 * (impulses.h); the contact problem that this leaves is solved; its velocities are the next point. The residual of a point is the
 * residual of the equations above at the solution of its problem. So what is reported is always the solution of a problem.
 *
 * Deviations   The paper has no joints. With G v' = 0 at q_th a pendulum's velocity would be off by O(h); the mean
 *              velocity is not. What is left is projected at the end: positions onto the joints, then velocities onto
 *              their tangents, both nearest by mass, so that kinetic energy can only fall. It is a ledger entry of its own.
 *              `project` = false leaves that out, as the paper of eq. 50 does.
 *              Contacts that are closed stay active with the gap they have until they open (is_closed, rests): by eq. 16e
 *              alone one that the forecast closes early falls on. While they persist U' is that of the end of the step,
 *              H v' + (1 - theta) h (dH/dt) v, not that of q_th: a velocity tangent to q_th leads off a surface that turns, and
 *              one along it slips. The velocity of a driven body is always that of the end.
 *              Where the projection or Newton's method does not converge, or impacts create energy, the substep is halved, down
 *              to a 64th of the step; where bodies turn too far for the rows of an impact, as often as it takes. Where a problem
 *              has no solution (friction jams what offsets or joints ask to move), it is solved without them.
 * Symbols      paper: G -> H', P -> r, U_k -> -approach
 * Order        2 while motion is smooth, contacts persist and their slip keeps its direction (theta = 1/2), 1 otherwise;
 *              through impacts 1 in l1 */
#include "base/tolerances.h"
#include "kernels/impact_energy.h"
#include "kernels/theta_inside.h"
#include "math/newton.h"
#include "math/worse.h"
#include "problem/kkt.h"
#include <math.h>

enum { AVERAGE_POINT, AVERAGE_FORCE };
enum { ROWS_PREDICTED, ROWS_IMPLICIT };

const ss_field ss_theta_fields[] = {
    SS_OPTION_NUMBER(ss_theta_params, theta, 0.5, 0, 1,
                     "point of the step at which forces are evaluated; 0.5: of order 2, 1: implicit Euler"),
    SS_OPTION_NUMBER(
        ss_theta_params, gamma, -1, -1, 1,
        "fraction of the step over which gaps are extrapolated to predict the active contacts; < 0: chosen from e and theta"),
    SS_OPTION_CHOICE(ss_theta_params, at, SS_THETA_AT_THETA, "theta|end",
                     "point of the step at which the Jacobians of contacts and joints are evaluated"),
    SS_OPTION_CHOICE(ss_theta_params, average, AVERAGE_POINT, "point|force",
                     "point: force at the mean of both ends; force: mean of the forces at both ends"),
    SS_OPTION_CHOICE(ss_theta_params, rows, ROWS_PREDICTED, "predicted|implicit",
                     "predicted: Jacobians at positions predicted by the old velocity; implicit: at those of the new velocity"),
    SS_OPTION_BOOL(ss_theta_params, project, true, "project positions and velocities onto the joints at the end of a step"),
    SS_OPTIONS_CONE(ss_theta_params, SS_CONE_AUTO, 60),
    SS_OPTION_INT(ss_theta_params, iterations, 20, 1, 1000,
                  "most Newton iterations (contact problems) before the step is halved"),
    SS_FIELD_END,
};

/* ---- life ---------------------------------------------------------------------------------------- */

static ss_status make_parts(ss_theta *x, const ss_model *m)
{
    SS_TRY(ss_vicinity_create(x->ctx, m, &x->around));
    SS_TRY(ss_assembly_create(x->ctx, m, &x->a));
    SS_TRY(ss_assembly_create(x->ctx, m, &x->at_end));
    SS_TRY(ss_impulses_create(x->ctx, m, &x->forces));
    SS_TRY(ss_projection_create(x->ctx, m, &x->joints));
    SS_TRY(ss_kkt_create(x->ctx, &x->tangents));
    ss_kkt_set_redundant(x->tangents, SS_TOL_REDUNDANT);
    x->a->redundant = x->at_end->redundant = x->around->redundant;
    return SS_OK;
}

ss_status ss_theta_create(ss_stepper *s, const ss_theta_params *params, ss_theta **out)
{
    SS_TRY(ss_friction_check(s, ss_cone_coulomb(s, params->cone)));
    if (s->next->cache.numbers != &ss_theta_numbers) {
        return ss_fail(s->ctx, SS_ERR_UNSUPPORTED, "the scheme does not declare the numbers of contacts that its kernel keeps");
    }
    SS_TRY(ss_calloc(s->ctx, 1, sizeof **out, out));
    (*out)->ctx = s->ctx;
    (*out)->p = params;
    ss_status status = make_parts(*out, s->model);
    if (status != SS_OK) {
        ss_theta_destroy(s->ctx, *out);
        *out = NULL;
    }
    return status;
}

void ss_theta_destroy(ss_context *ctx, ss_theta *x)
{
    if (x) {
        ss_vicinity_destroy(ctx, x->around);
        ss_assembly_destroy(ctx, x->a);
        ss_assembly_destroy(ctx, x->at_end);
        ss_impulses_destroy(x->forces);
        ss_projection_destroy(x->joints);
        ss_kkt_destroy(x->tangents);
        ss_contact_cache_free(ctx, &x->newton.found);
        ss_free(ctx, x);
    }
}

static ss_status begin(ss_theta *x, ss_stepper *s, double t)
{
    size_t nq = (size_t)s->model->nq, nv = (size_t)s->model->nv;
    x->s = s;
    x->start.t = t;
    x->start.q = s->next->q;
    x->start.v = s->next->v;
    SS_TRY(ss_arena_take(s->arena, nq, sizeof(double), &x->end.q));
    SS_TRY(ss_arena_take(s->arena, nq, sizeof(double), &x->q_rows));
    SS_TRY(ss_arena_take(s->arena, nv, sizeof(double), &x->end.v));
    SS_TRY(ss_arena_take(s->arena, nv, sizeof(double), &x->v_mean));
    SS_TRY(ss_arena_take(s->arena, 2 * nv, sizeof(double), &x->newton.point));
    SS_TRY(ss_arena_take(s->arena, 2 * nv, sizeof(double), &x->newton.next));
    SS_TRY(ss_config_take(s->arena, s->model, &x->start.here));
    return ss_config_take(s->arena, s->model, &x->there);
}

/* ---- the problem --------------------------------------------------------------------------------- */

/* G v' so that G v_th is what the joints ask for */
static void put_joints(ss_theta *x)
{
    ss_problem *p = &x->a->problem;
    double theta = x->p->at == SS_THETA_AT_END ? 1 : fmax(x->p->theta, 0.5);
    for (int i = 0; i < p->nj; i++) {
        p->c[i] = (p->c[i] - (1 - theta) * ss_csr_row_dot(&p->G, i, x->start.v)) / theta;
    }
}

/* offsets e U_N of Newton's law */
static void put_restitution(ss_theta *x)
{
    const ss_assembly *a = x->a;
    for (int k = 0; k < a->problem.nc; k++) {
        if (ss_contact_has_gap(a->contacts.c[k])) {
            const int near = x->active.which[k];
            a->problem.w[a->problem.row[k]] -= ss_theta_restitution(x, near) * x->around->approach[near];
        }
    }
}

/* dU/dt - H dv/dt of contact k. What has just been struck has the velocity where its rows are, but what strikes it may be driven.
 */
static ss_status find_turning(const ss_theta *x, int k, const double *v, int rows, double *rate)
{
    const ss_assembly *a = x->a;
    if (ss_theta_was_closed(x, x->active.which[k])) {
        return ss_contact_acceleration(x->ctx, x->s->model, &x->there, a->contacts.c[k], a->value[k], v, rows, rate);
    }
    for (int i = 0; i < rows; i++) {
        rate[i] = ss_theta_drive_rate(x, k, i);
    }
    return SS_OK;
}

/* U' is that of the end: the rows are (1 - theta) h before it, and dU/dt = H dv/dt + (dH/dt) v + what driven bodies do. */
static ss_status put_turning(ss_theta *x, const double *v)
{
    const ss_assembly *a = x->a;
    const double left = x->p->at == SS_THETA_AT_END ? 0 : (1 - x->p->theta) * x->h;
    for (int k = 0; k < a->problem.nc; k++) {
        const int row = a->problem.row[k], rows = a->problem.row[k + 1] - row;
        double rate[3] = { 0, 0, 0 };
        SS_TRY(ss_contact_has_gap(a->contacts.c[k]) ? find_turning(x, k, v, rows, rate) : SS_OK);
        for (int i = 0; i < rows; i++) {
            a->problem.w[row + i] += left * rate[i];
        }
    }
    return SS_OK;
}

/* rows where the mean velocity leads to */
static ss_status pose(ss_theta *x, const double *v_mean)
{
    const ss_model *m = x->s->model;
    double ahead = x->h * (x->p->at == SS_THETA_AT_END ? 1 : x->p->theta);
    ss_model_retract(m, x->start.q, v_mean, ahead, x->q_rows);
    ss_config_set(m, x->start.t + ahead, x->q_rows, &x->there);
    ss_config_drive(m, x->start.t, x->start.t + x->h, &x->there);
    ss_config_bend(m, x->start.t, x->start.t + x->h, &x->there);
    SS_TRY(ss_assembly_geometry(x->a, &x->there, &x->around->near, x->active.n, x->active.which,
                                ss_cone_coulomb(x->s, x->p->cone), x->h));
    put_joints(x);
    put_restitution(x);
    return put_turning(x, v_mean);
}

/* rows of the point at hand, with the solution found so far as a guess */
static ss_status pose_again(ss_theta *x, const double *point)
{
    SS_TRY(ss_assembly_remember(x->a, &x->newton.found, SS_LEVEL_VELOCITY));
    for (int i = 0; i < x->s->model->nv; i++) {
        x->v_mean[i] = (1 - x->p->theta) * x->start.v[i] + x->p->theta * point[x->s->model->nv + i];
    }
    SS_TRY(pose(x, x->v_mean));
    ss_assembly_recall(x->a, &x->newton.found, SS_LEVEL_VELOCITY);
    return SS_OK;
}

/* The problem of a point, solved. *residual: by how much the solution fails the equations. */
static ss_status measure(void *user, const double *point, double *residual, uint64_t *branch)
{
    ss_theta *x = user;
    ss_assembly *a = x->a;
    const bool moves = x->p->rows == ROWS_IMPLICIT && a->problem.nj + a->problem.nc > 0;
    *branch = 0; /* its cones are the problem's own */
    if (moves && x->newton.problems > 0) {
        SS_TRY(pose_again(x, point));
    }
    x->newton.problems++;
    SS_TRY(ss_impulses_evaluate_at(x->forces, point));
    SS_TRY(ss_impulses_linearise(x->forces, a));
    SS_TRY(ss_assembly_try_relaxed(x->a, x->s, x->start.v, x->h, &x->newton.relaxed));
    if (!ss_assembly_has_solution(a)) {
        *residual = NAN;
        return SS_OK;
    }
    SS_TRY(ss_impulses_update(x->forces, a, a->solution.v, residual));
    double shift = moves ? x->p->theta * ss_impulses_shift(x->forces) : 0;
    *residual = ss_worse(*residual, shift);
    ss_impulses_reached(x->forces, a->solution.v, x->newton.next);
    a->solution.warm = true;
    return SS_OK;
}

static ss_status improve(void *user, const double *point, double *target, bool *found)
{
    const ss_theta *x = user;
    (void)point;
    memcpy(target, x->newton.next, 2 * (size_t)x->s->model->nv * sizeof *target);
    *found = true;
    return SS_OK;
}

static ss_status solve(ss_theta *x)
{
    const ss_interval step = { x->start.t, x->h, x->p->theta, x->p->average == AVERAGE_FORCE, x->start.q, x->start.v };
    const ss_newton_problem problem = { 2 * x->s->model->nv, x, measure, improve, NULL };
    const ss_newton_options options = { .tol = x->s->tol, .iterations = x->p->iterations - 1 };
    ss_newton_result result;
    x->newton.problems = 0;
    x->newton.relaxed = ss_stepper_is_exhausted(x->s);
    SS_TRY(pose(x, x->start.v));
    ss_assembly_recall(x->a, &x->s->next->cache, SS_LEVEL_VELOCITY);
    SS_TRY(ss_impulses_begin(x->forces, x->s, &step));
    ss_impulses_first(x->forces, x->newton.point);
    SS_TRY(ss_newton(x->s->arena, &problem, &options, x->newton.point, &result));
    x->newton.residual = result.residual;
    x->s->report->newton(x->s->report, result.measured);
    return SS_OK;
}

/* ---- the end of a substep ------------------------------------------------------------------------ */

static ss_status put_on_joints(ss_theta *x)
{
    x->end.joints_satisfied = true;
    return x->p->project ? ss_projection_apply(x->joints, x->s, x->start.t + x->h, x->end.q, &x->end.joints_satisfied) : SS_OK;
}

static ss_status move(ss_theta *x)
{
    const ss_model *m = x->s->model;
    const double theta = x->p->theta;
    for (int i = 0; i < m->nv; i++) {
        x->end.v[i] = x->a->solution.v[i];
        x->v_mean[i] = (1 - theta) * x->start.v[i] + theta * x->end.v[i];
    }
    ss_model_retract(m, x->start.q, x->v_mean, x->h, x->end.q);
    return put_on_joints(x);
}

/* A relaxed problem does not bounce: where something should have, the step is not certified. */
static void blame_relaxed(const ss_theta *x)
{
    for (int k = 0; x->newton.relaxed && k < x->active.n; k++) {
        const ss_contact *c = &x->around->near.c[x->active.which[k]];
        if (c->e > 0 && x->around->approach[x->active.which[k]] > x->around->slow[x->active.which[k]]) {
            x->s->report->remark(x->s->report, SS_REMARK_INFEASIBLE, c);
            return;
        }
    }
}

static ss_status report_step(ss_theta *x)
{
    blame_relaxed(x);
    const ss_segment_end from = { .t = x->start.t, .q = x->start.q, .v = x->start.v },
                         to = { .t = x->start.t + x->h, .q = x->end.q, .v = x->end.v };
    ss_segment segment = ss_assembly_segment(x->a, from, to);
    segment.nonlinear = x->newton.residual;
    return ss_impulses_report(x->forces, x->s, x->a, segment);
}

/* M (v'' - v') = G' mu,  G v'' = 0  where the substep ends */
static ss_status project_velocities(ss_theta *x, double t)
{
    ss_assembly *e = x->at_end;
    ss_problem *p = &e->problem;
    if (p->nj == 0) {
        return SS_OK;
    }
    ss_config_set(x->s->model, t, x->end.q, &x->there);
    ss_config_drive(x->s->model, t, t, &x->there);
    SS_TRY(ss_assembly_geometry(e, &x->there, &(ss_contact_set){ 0 }, 0, NULL, (ss_friction){ .law = SS_LAW_UNILATERAL }, 0));
    ss_assembly_momentum(e, x->end.v, NULL);
    SS_TRY(ss_kkt_factor(x->tangents, p));
    SS_TRY(ss_kkt_solve(x->tangents, p->b, p->c, e->solution.v, e->solution.lam));
    ss_csr_transpose_times(&p->G, 1, e->solution.lam, 0, p->b);
    ss_segment jump = { .from = { .t = t, .q = x->end.q, .v = x->end.v },
                        .to = { .t = t, .q = x->end.q, .v = e->solution.v },
                        .mass = &e->mass,
                        .impulse[SS_IMPULSE_PROJECTION] = p->b };
    SS_TRY(x->s->report->segment(x->s->report, &jump));
    memcpy(x->end.v, e->solution.v, (size_t)p->nv * sizeof(double));
    return SS_OK;
}

/* ---- the step ------------------------------------------------------------------------------------ */

static ss_status creates_energy(const ss_theta *x, double allowed, bool whirling, bool *any)
{
    const ss_struck struck = { x->s, x->a, x->around, x->active.which, &x->start.here, x->start.v, x->h, true };
    return ss_impacts_create_energy(&struck, allowed, whirling, any);
}

/* An attempt over x->h; *good: Newton's method and the joints are content with it, and impacts create no energy. `last`: a
 * shorter one is made only for bodies that whirl. */
static ss_status attempt(ss_theta *x, bool last, double allowed, bool *good)
{
    const bool exhausted = ss_stepper_is_exhausted(x->s);
    ss_theta_forecast(x);
    SS_TRY(solve(x));
    SS_TRY(last ? ss_assembly_require_solution(x->a, x->start.t) : SS_OK);
    SS_TRY(last || isfinite(x->newton.residual) ? move(x) : SS_OK);
    *good = last || (x->newton.residual <= x->s->tol && x->end.joints_satisfied);
    bool gains = false;
    SS_TRY(*good && !exhausted ? creates_energy(x, allowed, last, &gains) : SS_OK);
    *good = *good && !gains;
    return SS_OK;
}

/* Does the attempt pass through something? Then the next one ends before it. */
static ss_status avoid_passage(ss_theta *x, bool *again)
{
    const ss_path path = { x->start.t, x->h, x->start.q, x->v_mean, NULL, NULL };
    ss_met met;
    SS_TRY(ss_passing_check(x->around->passing, x->s, x->around, &x->active, &path, &met));
    *again = met.any && met.before < x->h;
    if (*again) {
        ss_passing_expect(x->around->passing, x->around, &met);
        x->h = met.before;
    }
    return SS_OK;
}

/* The longest substep, at most h, halved as often as need be, that Newton's method and the joints are content with, and that
 * passes through nothing. */
static ss_status fit_substep(ss_theta *x, double h)
{
    const double most = fmin(h, x->around->passing->most),
                 shortest = fmin(ss_stepper_shortest(x->s), most < h ? most / 64 : INFINITY);
    bool good = false, again = true;
    for (x->h = most; again;) {
        const bool last = x->h < 2 * shortest || ss_stepper_is_exhausted(x->s);
        SS_TRY(attempt(x, last, x->h < most ? SS_TOL_STRIKE_CUT : SS_TOL_STRIKE, &good));
        again = !good;
        if (good) {
            SS_TRY(avoid_passage(x, &again));
        } else {
            x->h *= 0.5;
        }
        x->s->wasted.problems += again ? x->newton.problems : 0;
    }
    return SS_OK;
}

static ss_status accept(ss_theta *x, ss_theta_correct *correct, void *user)
{
    const ss_model *m = x->s->model;
    const double t = x->start.t + x->h;
    SS_TRY(report_step(x));
    SS_TRY(ss_theta_remember(x));
    if (correct) {
        SS_TRY(correct(user, x->s, t, x->end.q, x->end.v));
        SS_TRY(put_on_joints(x));
    }
    SS_TRY(x->p->project ? project_velocities(x, t) : SS_OK);
    memcpy(x->start.q, x->end.q, (size_t)m->nq * sizeof(double));
    memcpy(x->start.v, x->end.v, (size_t)m->nv * sizeof(double));
    x->start.t = t;
    return SS_OK;
}

static ss_status go(ss_theta *x, ss_stepper *s, double t, double h, ss_theta_correct *correct, void *user)
{
    SS_TRY(begin(x, s, t));
    for (double left = h; left > 0; left = ss_stepper_rest(s, h, left, x->h)) {
        const double even = ss_model_even_time(s->model, x->start.t, left);
        SS_TRY(ss_theta_survey(x, even));
        SS_TRY(fit_substep(x, even));
        SS_TRY(accept(x, correct, user));
    }
    s->next->t = t + s->length.taken;
    return SS_OK;
}

ss_status ss_theta_step(ss_theta *x, ss_stepper *s, double h, ss_theta_correct *correct, void *user)
{
    x->start.puts_back = correct != NULL;
    return go(x, s, s->now->t, h, correct, user);
}

ss_status ss_theta_continue(ss_theta *x, ss_stepper *s, double t, double h, ss_theta_correct *correct, void *user)
{
    const double stretch = s->length.stretch, taken = s->length.taken;
    s->length.stretch = 0; /* the other scheme counts on all of it */
    x->start.puts_back = false;
    const ss_status status = go(x, s, t, h, correct, user);
    s->length.stretch = stretch;
    s->length.taken = taken;
    return status;
}

ss_order ss_theta_order(const ss_theta_params *params, double overlap)
{
    const bool centred = params->theta == 0.5 && params->at == SS_THETA_AT_THETA; /* with rows at the end joints are of order 1 */
    return (
        ss_order){ .smooth = centred ? 2 : 1, .impacts = 1, .norm = "l1", .overlap = overlap, .joints_drift = !params->project };
}
