/* substep.c - one linearly implicit trapezoidal substep with a given set of contacts.
 *
 *     M~ v' - G' lam - H' r = M~ v + h k~            momentum (forces.c)                            [PAGT06 eq. 6.4, 6.9]
 *     q' = q (+) h/2 (v + v')                                                                       [PAGT06 eq. 6.3]
 *     G, H at q (+) h/2 v, half way
 *
 *     averaged   G (v + v')/2 = what joints ask for                                                [PAGT06 eq. 2.22, 6.5]
 *                0 <= H_N (v + v')/2  _|_  r_N >= 0                                                 [PAGT06 eq. 6.6]
 *     variant 2  all rows averaged, friction by Coulomb's law with H_T (v + v')/2                   [PAGT06 eq. 6.7, 6.8, 6.10]
 *     variant 1  friction by Coulomb's law with H_T v'; joints and normals averaged, or with `averaged` = off as printed, with
 *                v' in place of the mean                                                            [PAGT06 eq. 6.12]
 *
 * In terms of v' an averaged row has the offset w = H v, and a joint c = -G v: the sum of both velocities in place of the mean,
 * which no law notices.
 *
 * Path    From v to v' velocities change evenly. Positions are then q (+) (s v + s^2/(2h) (v' - v)), which is the cubic of
 *         [PAGT06 section 7.2] through both ends: since q' is q (+) h times the mean velocity, its cubic term vanishes. The part
 *         s/h of all impulses has acted at s: a substep that is cut there solves a problem of its own, which is reported
 *         (accept.c). Where a body turns by much (forces.c) a shorter substep is solved instead: half way along the chord of a
 *         velocity that turns energy is missing.
 *
 * Deviations
 *   Moments of rolling and spinning friction have rows as friction has, their slip being that of turning.
 *   Variant 1 has H_T v' + h/2 (dH_T/dt) v in place of H_T v': the slip where the substep ends, not that of v' half way. They
 *   differ by O(h) where rows turn. A contact in space that goes on slipping has the mean slip: its direction turns.
 *   A contact that closes too slowly to bounce is stopped by an inelastic impact before the substep: averaged, it would come
 *   back as fast as it came (not with `detect` = off: one that closes is stopped within its substep). Of one that presses the
 *   error of its normal velocity is left out of the sum, so that it does not ring.
 *   A contact that presses stays active with whatever gap it has: curved surfaces leave a gap of O(h^2) that nothing closes.
 *   A problem without a solution is solved again without what makes it so (ss_assembly_relax_contacts).
 * Symbols   paper: nu -> rows of G, n and D -> rows of H, c_n and beta -> r
 * Cost      one contact problem; none for a point of the path */
#include "base/tolerances.h"
#include "kernels/leaving.h"
#include "problem/contact_law.h"
#include "schemes/trapezoidal/changes.h"
#include <math.h>

const ss_contact_numbers ss_trap_numbers = { SS_TRAP_NUMBERS,
                                             (const char *const[]){ [SS_TRAP_HELD_GAP] = "held gap",
                                                                    [SS_TRAP_MODE] = "mode",
                                                                    [SS_TRAP_DUE] = "due",
                                                                    [SS_TRAP_LOAD] = "load",
                                                                    [SS_TRAP_SLACK] = "slack",
                                                                    [SS_TRAP_SPAN] = "span" },
                                             SS_LEVEL_VELOCITY };

/* ---- life ---------------------------------------------------------------------------------------- */

static ss_status fill(ss_trap *x, const ss_model *m, ss_friction friction)
{
    SS_TRY(ss_vicinity_create(x->ctx, m, &x->around));
    ss_vicinity_follow(x->around);
    ss_vicinity_skip_flights(x->around, SS_TOL_FLIGHT);
    SS_TRY(ss_assembly_create(x->ctx, m, &x->a));
    SS_TRY(ss_assembly_create(x->ctx, m, &x->joints.rows));
    SS_TRY(ss_trap_forces_create(x->ctx, m, (ss_trap_jacobian)x->p->jacobian, &x->forces));
    SS_TRY(ss_projection_create(x->ctx, m, &x->joints.projection));
    SS_TRY(ss_kkt_create(x->ctx, &x->joints.tangents));
    SS_TRY(ss_modes_create(x->ctx, m, friction, x->around->redundant, &x->change.modes));
    ss_kkt_set_redundant(x->joints.tangents, SS_TOL_REDUNDANT);
    x->a->redundant = x->joints.rows->redundant = x->around->redundant;
    ss_projection_know_redundant(x->joints.projection, x->around->redundant);
    return SS_OK;
}

ss_status ss_trap_create(ss_stepper *s, ss_trap **out)
{
    SS_TRY(ss_calloc(s->ctx, 1, sizeof **out, out));
    (*out)->ctx = s->ctx;
    (*out)->p = s->params;
    ss_status status = fill(*out, s->model, ss_cone_coulomb(s, (*out)->p->cone));
    if (status != SS_OK) {
        ss_trap_destroy(s->ctx, *out);
        *out = NULL;
    }
    return status;
}

void ss_trap_destroy(ss_context *ctx, ss_trap *x)
{
    if (x) {
        ss_vicinity_destroy(ctx, x->around);
        ss_assembly_destroy(ctx, x->a);
        ss_assembly_destroy(ctx, x->joints.rows);
        ss_trap_forces_destroy(x->forces);
        ss_projection_destroy(x->joints.projection);
        ss_kkt_destroy(x->joints.tangents);
        ss_modes_destroy(x->change.modes);
        ss_free(ctx, x);
    }
}

void ss_trap_forget_solved(ss_trap *x)
{
    x->solved.h = x->change.at = 0;
    x->solved.stiff = x->solved.whirls = false;
    x->change.stops = NULL;
    x->change.jumps = -1;
}

/* With a tolerance always: errors of joints change their sign in every step, and one step would disagree with two halves. */
static ss_status look_at_joints(ss_trap *x)
{
    const int project = x->p->project;
    double error = 0;
    SS_TRY(project == SS_TRAP_PROJECT_AUTO ? ss_projection_error(x->joints.projection, x->s, x->start.t, x->start.q, &error)
                                           : SS_OK);
    x->joints.project = project == SS_TRAP_PROJECT_ALWAYS || x->s->length.controlled || !(error <= SS_TOL_APART);
    return SS_OK;
}

ss_status ss_trap_begin(ss_trap *x, ss_stepper *s)
{
    const size_t nq = (size_t)s->model->nq, nv = (size_t)s->model->nv;
    double **positions[] = { &x->end.q, &x->q_rows }, **velocities[] = { &x->end.v, &x->end.v_mean, &x->solved.v, &x->solved.dv };
    x->s = s;
    x->start.t = s->now->t;
    x->start.q = s->next->q;
    x->start.v = s->next->v;
    ss_trap_forget_solved(x);
    x->change.located = 0;
    x->change.iterations = 0;
    for (size_t k = 0; k < sizeof positions / sizeof *positions; k++) {
        SS_TRY(ss_arena_take(s->arena, nq, sizeof(double), positions[k]));
    }
    for (size_t k = 0; k < sizeof velocities / sizeof *velocities; k++) {
        SS_TRY(ss_arena_take(s->arena, nv, sizeof(double), velocities[k]));
    }
    SS_TRY(ss_trap_forces_begin(x->forces, s));
    SS_TRY(ss_modes_begin(x->change.modes, s->arena));
    SS_TRY(ss_config_take(s->arena, s->model, &x->start.here));
    SS_TRY(ss_config_take(s->arena, s->model, &x->there));
    return look_at_joints(x);
}

/* ---- which contacts ------------------------------------------------------------------------------ */

/* gaps of contacts of shapes that press; those of joints are always near */
static double widest_gap(const ss_contact_cache *cache)
{
    const ss_contact_cache_list *list = &cache->level[ss_trap_numbers.level];
    double widest = 0;
    for (int i = 0; i < list->n; i++) {
        const double gap = cache->number[SS_TRAP_NUMBERS * i + SS_TRAP_HELD_GAP];
        widest = list->entry[i].id.kind == SS_CONTACT_SHAPES ? fmax(widest, gap) : widest;
    }
    return widest;
}

ss_status ss_trap_survey(ss_trap *x, double h)
{
    const ss_model *m = x->s->model;
    const ss_trap_interval whole = { x->start.t, x->s->h_nominal, x->start.q, x->start.v };
    ss_trap_forget_solved(x);
    ss_config_set(m, x->start.t, x->start.q, &x->start.here);
    ss_config_drive(m, x->start.t, x->start.t, &x->start.here);
    SS_TRY(ss_trap_forces_accelerations(x->forces, &whole, &x->around->rates));
    x->around->at_least = 2 * widest_gap(&x->s->next->cache);
    SS_TRY(ss_vicinity_survey(x->around, x->s, &x->start.here, x->start.v, h, x->p->threshold));
    SS_TRY(ss_leaving_let_go(x->s, x->around,
                             &(ss_path){ x->start.t, SS_TOL_LEAVES * x->s->h_nominal, x->start.q, x->start.v, NULL, NULL }));
    return ss_active_take(&x->active, x->s->arena, x->around->near.n);
}

int ss_trap_near(const ss_trap *x, int k) { return x->active.which[k < x->active.n ? k : x->a->problem.host[k]]; }

bool ss_trap_presses(const ss_trap *x, int k)
{
    const ss_problem *p = &x->a->problem;
    return x->a->solution.r[p->row[p->law[k] == SS_LAW_ROLLING ? p->host[k] : k]] > 0;
}

double ss_trap_friction(const ss_trap *x, int k)
{
    const ss_problem *p = &x->a->problem;
    double friction = 0;
    for (int row = ss_law_first_tangent(p, k); row < p->row[k + 1]; row++) {
        friction = hypot(friction, x->a->solution.r[row]);
    }
    return friction;
}

double ss_trap_bound(const ss_trap *x, int k)
{
    const ss_problem *p = &x->a->problem;
    const double *r = x->a->solution.r;
    return p->law[k] == SS_LAW_ROLLING ? ss_law_size(p, k, r) : p->mu[k] * r[p->row[k]];
}

const double *ss_trap_remembered(const ss_trap *x, int k)
{
    return ss_contact_cache_numbers(&x->s->next->cache, &x->a->contacts.c[k]->id);
}

/* Did it press when the substep before ended? */
static bool has_pressed(const ss_trap *x, const ss_contact *c)
{
    const double *number = ss_contact_cache_numbers(&x->s->next->cache, &c->id);
    return number && number[SS_TRAP_HELD_GAP] > 0;
}

bool ss_trap_moves(const ss_trap *x, const ss_contact *c, double speed)
{
    return speed * x->s->h_nominal > ss_stepper_touch(x->s) * ss_contact_unit(x->s->model, c);
}

bool ss_trap_holds(const ss_trap *x, int k)
{
    return has_pressed(x, &x->around->near.c[k]) && x->around->outside[k] <= SS_TOL_ON_SURFACE * x->s->model->length;
}

bool ss_trap_has_to_stop(const ss_trap *x, int k)
{
    enum { MOST = 10 }; /* each may set other contacts in motion */
    return x->p->detect == SS_TRAP_ON && x->stops < MOST && !has_pressed(x, &x->around->near.c[k]) &&
           ss_trap_moves(x, &x->around->near.c[k], x->around->approach[k]);
}

/* ---- rows ---------------------------------------------------------------------------------------- */

static bool is_averaged(const ss_trap *x) { return x->p->variant == 2 || x->p->averaged == SS_TRAP_ON; }

static void put_joints(ss_trap *x)
{
    ss_problem *p = &x->a->problem;
    for (int i = 0; is_averaged(x) && i < p->nj; i++) {
        p->c[i] = 2 * p->c[i] - ss_csr_row_dot(&p->G, i, x->start.v);
    }
}

/* A row of the sum of both velocities. */
static void average(ss_trap *x, int row)
{
    ss_problem *p = &x->a->problem;
    p->w[row] = 2 * p->w[row] + ss_csr_row_dot(&p->H, row, x->start.v);
}

/* The normal row of contact k of the problem, or the row of a limit. What is left of the normal velocity of one that presses, an
 * error of O(h^2), is not turned round: it does not count in the sum. */
static void put_normal(ss_trap *x, int k)
{
    ss_problem *p = &x->a->problem;
    const ss_contact *c = x->a->contacts.c[k];
    const double approach = x->around->approach[x->active.which[k]];
    const bool pressed = has_pressed(x, c);
    x->solved.leaves[k] = x->p->detect == SS_TRAP_ON && !pressed && ss_trap_moves(x, c, -approach);
    if (is_averaged(x) && (pressed || !ss_trap_moves(x, c, approach))) {
        average(x, p->row[k]);
        p->w[p->row[k]] += pressed ? approach : 0;
    }
}

/* Has contact k of the problem the mean slip in its law? In space the slip turns, and that at the end would be of order 1. It is
 * not for a slip that may end unseen: the mean rings there. */
static bool has_mean_slip(const ss_trap *x, int k)
{
    const double *number = ss_trap_remembered(x, k);
    const bool slips = number && number[SS_TRAP_DUE] == 0 && number[SS_TRAP_MODE] == SS_TRAP_SLIPS;
    return x->p->variant == 2 || (x->s->model->dimension == 3 && x->p->detect == SS_TRAP_ON && slips);
}

/* The rows of friction of contact k of the problem, or of a moment, or the row of a motor. */
static ss_status put_friction(ss_trap *x, int k, double h)
{
    const ss_assembly *a = x->a;
    const ss_contact *c = a->contacts.c[k];
    const int first = a->problem.row[k], end = a->problem.row[k + 1], from = ss_law_first_tangent(&a->problem, k);
    double rate[3] = { 0, 0, 0 };
    if (from < end) {
        SS_TRY(ss_contact_acceleration(x->ctx, x->s->model, &x->there, c, a->value[k], x->start.v, end - first, rate));
    }
    for (int row = from; row < end; row++) {
        x->solved.turn[row] = 0.5 * h * rate[row - first];
        if (has_mean_slip(x, k)) {
            average(x, row);
        } else {
            a->problem.w[row] += x->solved.turn[row];
        }
    }
    return SS_OK;
}

/* rows half way, with the offsets of the variant */
static ss_status pose(ss_trap *x, double h)
{
    const ss_model *m = x->s->model;
    const double t = x->start.t;
    ss_model_retract(m, x->start.q, x->start.v, 0.5 * h, x->q_rows);
    ss_config_set(m, t + 0.5 * h, x->q_rows, &x->there);
    ss_config_drive(m, t, t + h, &x->there);
    ss_config_bend(m, t, t + h, &x->there);
    SS_TRY(ss_assembly_geometry(x->a, &x->there, &x->around->near, x->active.n, x->active.which,
                                ss_cone_coulomb(x->s, x->p->cone), h));
    put_joints(x);
    SS_TRY(ss_arena_take(x->s->arena, (size_t)x->a->problem.row[x->a->problem.nc], sizeof(double), &x->solved.turn));
    SS_TRY(ss_arena_take(x->s->arena, (size_t)x->a->problem.nc, sizeof(bool), &x->solved.leaves));
    for (int k = 0; k < x->a->problem.nc; k++) {
        if (ss_contact_has_gap(x->a->contacts.c[k])) {
            put_normal(x, k);
        }
        SS_TRY(put_friction(x, k, h));
    }
    return SS_OK;
}

/* ---- the problem --------------------------------------------------------------------------------- */

/* All rows ask for v' alone, and for nothing that a mean or the turning of a row adds: that has a solution [AP97 Theorem 2.2]. */
static void relax(ss_trap *x, double h)
{
    ss_assembly *a = x->a;
    memcpy(a->problem.w, a->w_drive, (size_t)a->problem.row[a->problem.nc] * sizeof(double));
    ss_assembly_relax_contacts(a, x->s, h);
    ss_assembly_relax_joints(a);
}

/* Does the substep that was solved last have vibrations that it does not resolve? Its end is right, as good as the end of any
 * step of the trapezoidal rule, but its inside is not: there their potential energy would be (h omega)^2/16 times what they have.
 */
static bool is_stiff(const ss_trap *x)
{
    for (int i = 0; i < x->s->model->nv; i++) {
        x->solved.dv[i] = x->solved.v[i] - x->start.v[i];
    }
    return ss_trap_forces_stiffness(x->forces, x->solved.dv, x->a) > SS_TOL_RESOLVED;
}

ss_status ss_trap_solve(ss_trap *x, double h)
{
    const ss_trap_interval substep = { x->start.t, h, x->start.q, x->start.v };
    ss_assembly *a = x->a;
    SS_TRY(pose(x, h));
    SS_TRY(ss_trap_forces_put(x->forces, &substep, a));
    ss_assembly_recall(a, &x->s->next->cache, SS_LEVEL_VELOCITY);
    x->solved.relaxed = ss_stepper_is_exhausted(x->s);
    if (!x->solved.relaxed) {
        SS_TRY(ss_assembly_try(a, x->s, x->start.v));
        x->solved.relaxed = a->info.outcome != SS_CONVERGED;
        a->solution.warm = a->solution.warm && !x->solved.relaxed;
    }
    if (x->solved.relaxed) {
        relax(x, h);
        SS_TRY(ss_assembly_solve(a, x->s, x->start.v, 1));
    }
    x->change.iterations += a->info.iterations;
    SS_TRY(ss_assembly_require_solution(a, x->start.t));
    memcpy(x->solved.v, a->solution.v, (size_t)x->s->model->nv * sizeof(double));
    x->solved.h = h;
    x->solved.whirls = x->solved.whirls || ss_trap_forces_whirls(x->forces);
    x->solved.stiff = x->solved.stiff || is_stiff(x);
    x->solved.contacts = x->active.n;
    return SS_OK;
}

/* ---- the path ------------------------------------------------------------------------------------ */

void ss_trap_go_there(ss_trap *x) { ss_config_set(x->s->model, x->start.t + x->end.length, x->end.q, &x->there); }

static ss_status go_along(ss_trap *x, double s)
{
    const ss_model *m = x->s->model;
    const double part = s / x->solved.h;
    const bool whole = s == x->solved.h;
    x->end.length = s;
    for (int i = 0; i < m->nv; i++) {
        const double v = x->start.v[i], end = x->solved.v[i];
        x->end.v[i] = whole ? end : v + part * (end - v);
        x->end.v_mean[i] = 0.5 * (v + x->end.v[i]);
    }
    ss_model_retract(m, x->start.q, x->end.v_mean, s, x->end.q);
    x->end.joints_satisfied = true;
    return x->joints.project ? ss_projection_apply(x->joints.projection, x->s, x->start.t + s, x->end.q, &x->end.joints_satisfied)
                             : SS_OK;
}

/* Does the problem that was solved last push a contact that separated at the start? It would come back before the end, and is not
 * pushed before that. */
static bool pushes_leaving(const ss_trap *x)
{
    bool any = false;
    for (int k = 0; k < x->a->problem.nc; k++) {
        any = any || (x->solved.leaves[k] && x->a->solution.r[x->a->problem.row[k]] > 0);
    }
    return any;
}

/* Is a point of the path of the problem that was solved last where the motion is then? */
static bool has_path(const ss_trap *x) { return !x->solved.stiff && !x->solved.whirls && !pushes_leaving(x); }

ss_status ss_trap_go(ss_trap *x, double h)
{
    const bool known =
        x->solved.h > 0 && x->solved.contacts == x->active.n && (h == x->solved.h || (h < x->solved.h && has_path(x)));
    SS_TRY(known ? SS_OK : ss_trap_solve(x, h));
    return go_along(x, h);
}
