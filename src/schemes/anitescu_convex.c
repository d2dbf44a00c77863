/* anitescu_convex.c - one strictly convex program per fixed step.
 *
 *     min  1/2 v'M v - (M v_l + h k)'v                                                      [Ani06 eq. 5.3-5.5]
 *     over v with  G v = 0  and, for every active contact,
 *          Phi/h + n'v >= mu max_k(-d_k'v)      polyhedral cone, directions d_k with -d_k     [Ani06 eq. 5.3]
 *          Phi/h + n'v >= mu |v_T|              circular cone                                  [Ani06 eq. 5.5]
 *     A = {j : Phi_j(q) <= epsilon}, of those that can close within h                         [Ani06 eq. 5.2]
 *     q' = q (+) h v'        rows, gaps and forces at q; one problem per step, no backtracking
 *
 * Its optimality conditions are those of the associated law: u = H v + w in the dual cone, r in the friction cone, u'r = 0.
 * Where a contact slips, that lifts it by mu |v_T| h in a step, which Coulomb's law does not; it vanishes with h unless the
 * bodies slide from the start [Ani06 section 10, example 2]. The program has a solution whenever the friction cone is pointed
 * (Assumption A5) and gaps are not too deep; then it has only one.
 *
 * Concave      friction of section 5.1: mu(s) replaces mu s, s = |v_T|, with
 *              mu(s) = mu [kappa s + (1 - kappa) s0 (1 - exp(-s/s0))]: mu at rest, kappa mu at speed (`kinetic`, `slip`).
 *              Each program has its tangent mu(s_k) + mu'(s_k)(s - s_k) at the speeds s_k of the last one, which lies above
 *              mu(s): so every iterate is feasible and the objective falls (convex-concave procedure). After `passes`
 *              programs the last one is taken; the step says that it is not certified if speeds still changed.
 * Deviations   where rows turn within h so that the end overlaps by more than a millionth of the length, they are taken again
 *              at that end (`iterations` = 1: as in the paper); overlaps are pushed back by at most a thousandth of the
 *              length per step; joints are at velocity level, positions projected (euler.c). Contacts that overlap at the
 *              end and were not seen at the start join the program, which is solved again.
 * Symbols      Phi gap; paper: beta_k, shares of the normal impulse c_n -> r
 * Order        1; the overlap I(q) = max Phi_- [Ani06 eq. 6.1] is O(h^2), reported as max_penetration
 * Cost         one convex program per step */
#include "kernels/euler.h"
#include <math.h>

enum { CONE_CIRCULAR, CONE_POLYHEDRAL };
enum { FRICTION_LINEAR, FRICTION_CONCAVE };

typedef struct convex_params {
    int cone, directions, friction, iterations, passes;
    double epsilon, kinetic, slip;
} convex_params;

static const ss_field fields[] = {
    SS_OPTION_CHOICE(convex_params, cone, CONE_CIRCULAR, "circular|polyhedral", "friction cone"),
    SS_OPTION_INT(convex_params, directions, 8, 4, 10000, "edges of the polyhedral cone in 3D, even (2D: always 2)"),
    SS_OPTION_NUMBER(convex_params, epsilon, INFINITY, 0, INFINITY,
                     "m; contacts with a larger gap are left out; all that can close within the step are in by default"),
    SS_OPTION_CHOICE(convex_params, friction, FRICTION_LINEAR, "linear|concave",
                     "mu |v_T|, or a concave function of |v_T| by a sequence of programs"),
    SS_OPTION_NUMBER(convex_params, kinetic, 0.8, 0, 1, "concave: friction at speed, as a part of mu"),
    SS_OPTION_NUMBER(convex_params, slip, 0.01, 1e-12, INFINITY, "m/s; concave: speed at which friction falls off"),
    SS_OPTION_INT(convex_params, passes, 20, 1, 10000, "concave: most programs in a step"),
    SS_OPTION_INT(convex_params, iterations, 4, 1, 100,
                  "most times that geometry is improved in a step; 1: at the start only, as in the paper"),
    SS_FIELD_END,
};

static ss_friction friction_of(const convex_params *p)
{
    return (ss_friction){ p->cone == CONE_CIRCULAR ? SS_LAW_ASSOCIATED : SS_LAW_ASSOCIATED_POLYHEDRAL, p->directions };
}

/* ---- concave friction ------------------------------------------------------------------------------ */

/* Slip speeds at which the tangents are taken; contact k of the problem has speed[k], 0 for those that are new. */
typedef struct tangents {
    const convex_params *p;
    double *speed;
    int known;
} tangents;

/* value - slope * s of the tangent at s, and its slope, for mu = 1 */
static double tangent_at(const convex_params *p, double s, double *slope)
{
    double fall = exp(-s / p->slip);
    *slope = p->kinetic + (1 - p->kinetic) * fall;
    return p->kinetic * s + (1 - p->kinetic) * p->slip * (1 - fall) - *slope * s;
}

static void take_tangents(void *user, ss_assembly *a)
{
    const tangents *t = user;
    ss_problem *p = &a->problem;
    for (int k = 0; k < p->nc && k < t->known; k++) {
        double slope, intercept = tangent_at(t->p, t->speed[k], &slope);
        if (p->law[k] & (SS_LAW_ASSOCIATED | SS_LAW_ASSOCIATED_POLYHEDRAL)) {
            p->w[p->row[k]] -= p->mu[k] * intercept;
            p->mu[k] *= slope;
        }
    }
}

static double slip_speed(const ss_problem *p, const ss_solution *s, int k)
{
    double sum = 0;
    for (int i = p->row[k] + 1; i < p->row[k + 1]; i++) {
        sum += s->u[i] * s->u[i];
    }
    return sqrt(sum);
}

/* Speeds of the last program become those of the next; returns the largest change. */
static double renew_speeds(tangents *t, const ss_assembly *a)
{
    double change = 0;
    for (int k = 0; k < a->problem.nc; k++) {
        double now = slip_speed(&a->problem, &a->solution, k);
        change = fmax(change, fabs(now - (k < t->known ? t->speed[k] : 0)));
        t->speed[k] = now;
    }
    t->known = a->problem.nc;
    return change;
}

/* ---- the step ---------------------------------------------------------------------------------------- */

/* [Ani06 eq. 5.2] */
static void activate(ss_euler *e, double epsilon)
{
    for (int k = 0; k < e->around->near.n; k++) {
        bool motor = e->around->near.c[k].id.kind == SS_CONTACT_MOTOR;
        if (motor || (e->around->gap[k] <= epsilon && e->around->outside[k] <= 0)) {
            e->is_active[k] = true;
            e->active[e->active_count++] = k;
        }
    }
}

/* The program with the contacts that are active, or with concave friction the sequence of them. */
static ss_status solve(ss_euler *e, const convex_params *p, tangents *t, double h)
{
    if (p->friction == FRICTION_LINEAR) {
        return ss_euler_step(e, h);
    }
    t->known = 0;
    SS_TRY(ss_arena_take(e->s->arena, (size_t)e->active_count, sizeof *t->speed, &t->speed));
    e->nonlinear = INFINITY;
    for (int pass = 0; pass < p->passes && e->nonlinear > e->s->tol; pass++) {
        SS_TRY(ss_euler_step(e, h));
        e->nonlinear = renew_speeds(t, e->a) / p->slip;
    }
    return SS_OK;
}

static ss_status step(ss_stepper *s, double h)
{
    const convex_params *p = s->params;
    ss_euler *e = s->work;
    tangents t = { .p = p };
    ss_euler_options o = { .friction = friction_of(p), .stabilise = true, .iterations = p->iterations };
    if (p->friction == FRICTION_CONCAVE) {
        o.adjust = take_tangents;
        o.user = &t;
    }
    SS_TRY(ss_euler_begin(e, s, &o));
    SS_TRY(ss_euler_new_stretch(e));
    bool more = true, hidden = false;
    for (int look = 0; more && look < 4; look++) {
        SS_TRY(ss_euler_survey(e, h));
        activate(e, p->epsilon);
        SS_TRY(solve(e, p, &t, h));
        ss_config_set(s->model, e->t + h, e->q_end, &e->there);
        SS_TRY(ss_vicinity_look_again(e->around, s, &e->here, &e->there, &more, &hidden));
    }
    SS_TRY(ss_euler_accept(e, h));
    s->next->t = s->now->t + h;
    return SS_OK;
}

static void destroy(ss_context *ctx, void *work) { ss_euler_destroy(ctx, work); }

static ss_status create(ss_stepper *s, void **work, double *block)
{
    (void)block;
    ss_euler *e = NULL;
    SS_TRY(ss_friction_check(s, friction_of(s->params)));
    ss_status status = ss_euler_create(s->ctx, s->model, &e);
    *work = e;
    return status;
}

const ss_scheme_type ss_scheme_anitescu_convex = {
    .info = { .name = "anitescu_convex",
              .title = "Euler with one convex program per step",
              .reference = "Ani06",
              .order = { .smooth = 1, .impacts = 1, .norm = "l1" },
              .laws = SS_LAW_UNILATERAL | SS_LAW_ASSOCIATED | SS_LAW_ASSOCIATED_POLYHEDRAL | SS_LAW_BOUNDED | SS_LAW_INELASTIC,
              .dimensions = 4 | 8,
              .fields = fields,
              .params_size = sizeof(convex_params) },
    .create = create,
    .destroy = destroy,
    .step = step,
};
