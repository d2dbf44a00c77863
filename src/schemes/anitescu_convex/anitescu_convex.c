/* anitescu_convex.c - one strictly convex program per fixed step.
 *
 *     min  1/2 v'M v - (M v_l + h k)'v                                                      [Ani06 eq. 5.3-5.5]
 *     over v with  G v = 0  and, for every active contact,
 *          Phi/h + n'v >= mu max_k(-d_k'v)      polyhedral cone, directions d_k with -d_k     [Ani06 eq. 5.3]
 *          Phi/h + n'v >= mu |v_T|              circular cone                                  [Ani06 eq. 5.5]
 *          and with rolling and spinning friction m_r, m_s
 *          Phi/h + n'v >= mu |v_T| + m_r |w_T| + m_s |w_N|,   w the relative angular velocity
 *     A = {j : Phi_j(q) <= epsilon}, of those within reach in h                               [Ani06 eq. 5.2]
 *     q' = q (+) h v'        rows, gaps and forces at q; one problem per step, no backtracking
 *     With springs, dampers and user blocks (`forces`) M in v'M v is M - h C - h^2 K, symmetric and positive definite, and k
 *     lacks what that matrix brings in: they are taken at the end of the step, linearised (implicit.c)
 *
 * Its optimality conditions are those of the associated law: u = H v + w in the dual cone, r in the friction cone, u'r = 0.
 * Where a contact slips, that lifts it by mu |v_T| h in a step, which Coulomb's law does not, and where it rolls by m_r |w_T| h;
 * it vanishes with h unless slip begins with a jump: at the start [Ani06 section 10, example 2] or in an impact. The program has
 * a solution whenever the friction cone is pointed (Assumption A5) and gaps are not too deep; then it has only one.
 *
 * Working set  the program is posed with the constraints of A that the current velocity, or impacts, may bring near; those that
 *              its solution violates join, until there are none: then it is the solution with all of A, which for large steps
 *              has many times the contacts (4300 instead of 460 for 200 grains at h = 0.1).
 * Concave      friction of section 5.1: mu(s) replaces mu s, s = |v_T|, with
 *              mu(s) = mu [kappa s + (1 - kappa) s0 (1 - exp(-s/s0))]: mu at rest, kappa mu at speed (`kinetic`, `slip`).
 *              Each program has its tangent mu(s_k) + mu'(s_k)(s - s_k) at the speeds s_k of the last one, which lies above
 *              mu(s): so every iterate is feasible and the objective falls (convex-concave procedure). After `passes`
 *              programs the last one is taken; the step says that it is not certified if speeds still changed.
 * Pointed      the friction cone is (Assumption A5) if some v with G v = 0 lies in the interior of all dual cones, by scaling if
 *              n'v - 1 >= mu |v_T| has a solution: the same kind of program, with b = 0 and Phi/h = -1. If it is infeasible,
 *              something is wedged in: velocities are still unique, impulses are not (`pointed`).
 * Deviations   where rows turn within h so that the end overlaps by more than a millionth of the length, they are taken again
 *              at that end; overlaps are pushed back by at most a thousandth of the length per step; joints are at velocity
 *              level, positions projected (euler.c). Contacts that overlap at the end and were not seen at the start, or were
 *              off their features there, join the program, which is solved again. Where the end still has a new overlap of
 *              more than a millionth of the length, or joints that cannot be satisfied, or where bodies turn so far that
 *              contacts create energy, the substep is halved. With
 *              `iterations` = 1 rows are taken once and steps are not halved, as in the paper. A step in which bodies would
 *              pass through others is cut before that (passing.c).
 * Symbols      Phi gap; paper: beta_k, shares of the normal impulse c_n -> r
 * Order        1; the overlap I(q) = max Phi_- [Ani06 eq. 6.1] is O(h^2), reported as max_penetration; what is left of it with
 *              more iterations comes from gaps whose features turn within a substep
 * Cost         one convex program per step */
#include "base/tolerances.h"
#include "kernels/euler.h"
#include "math/cones.h"
#include "math/worse.h"
#include "problem/contact_law.h"
#include "schemes/anitescu_convex/working_set.h"
#include <math.h>

enum { FRICTION_LINEAR, FRICTION_CONCAVE };
enum { FORCES_IMPLICIT, FORCES_EXPLICIT };
enum { WITH_MOMENTS = 3 }; /* contacts of a problem for one that is active: itself, rolling, spinning */

typedef struct convex_params {
    ss_cone_options cone;
    int friction, forces, iterations, passes;
    double epsilon, kinetic, slip;
    bool pointed;
} convex_params;

static const ss_field fields[] = {
    SS_OPTIONS_CONE(convex_params, SS_CONE_CIRCULAR, 10000),
    SS_OPTION_NUMBER(convex_params, epsilon, INFINITY, 0, INFINITY,
                     "contacts with a larger gap are left out, m; default: all that can close within the step take part"),
    SS_OPTION_CHOICE(
        convex_params, forces, FORCES_IMPLICIT, "implicit|explicit",
        "implicit: springs, dampers and forces of user blocks are those of the end of the step, linearised, and stable "
        "however stiff; explicit: as in the paper"),
    SS_OPTION_CHOICE(convex_params, friction, FRICTION_LINEAR, "linear|concave",
                     "linear: friction mu |v_T|; concave: a concave function of |v_T|, by a sequence of convex programs"),
    SS_OPTION_NUMBER(convex_params, kinetic, 0.8, 0, 1, "concave: friction at high slip speed, as a fraction of mu"),
    SS_OPTION_NUMBER(convex_params, slip, 0.01, 1e-12, INFINITY, "concave: slip speed at which friction falls off, m/s"),
    SS_OPTION_INT(convex_params, passes, 20, 1, 10000, "concave: most convex programs in a step"),
    SS_OPTION_BOOL(convex_params, pointed, false,
                   "test in every step whether the friction cone is pointed (one more convex program)"),
    SS_OPTION_INT(convex_params, iterations, 4, 1, 100,
                  "most evaluations of the contact geometry in a step; 1: at its start only, as in the paper"),
    SS_FIELD_END,
};

/* |u_T| of contact k, as its cone measures it; moments have none of it */
static double slip_speed(const ss_problem *p, int k, const double *u)
{
    int rows = p->row[k + 1] - p->row[k];
    if (rows == 1 || !ss_law_has_normal(p->law[k])) {
        return 0;
    }
    return p->dir[k + 1] > p->dir[k] ? ss_polygon_slip(rows, p->dir[k + 1] - p->dir[k], p->direction + 2 * p->dir[k], u + 1)
                                     : hypot(u[1], rows > 2 ? u[2] : 0);
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

/* Speeds of the last program become those of the next; returns the largest change. */
static double renew_speeds(tangents *t, const ss_assembly *a)
{
    double change = 0;
    for (int k = 0; k < a->problem.nc; k++) {
        double now = slip_speed(&a->problem, k, a->solution.u + a->problem.row[k]);
        change = ss_worse(change, fabs(now - (k < t->known ? t->speed[k] : 0)));
        t->speed[k] = now;
    }
    t->known = a->problem.nc;
    return change;
}

/* ---- the step ---------------------------------------------------------------------------------------- */

typedef struct convex_work {
    ss_euler *euler;
    ss_assembly *cone; /* the program of `pointed`; NULL: it is not asked for */
    ss_csr rows;       /* scratch */
} convex_work;

/* The program with the contacts that are active, or with concave friction the sequence of them. */
static ss_status solve(ss_euler *e, const convex_params *p, tangents *t, double h)
{
    if (p->friction == FRICTION_LINEAR) {
        return ss_euler_step(e, h);
    }
    t->known = 0;
    SS_TRY(ss_arena_take(e->s->arena, WITH_MOMENTS * (size_t)e->active.n, sizeof *t->speed, &t->speed));
    e->nonlinear = INFINITY;
    for (int pass = 0; pass < p->passes && e->nonlinear > e->s->tol; pass++) {
        SS_TRY(ss_euler_step(e, h));
        e->nonlinear = renew_speeds(t, e->a) / p->slip;
    }
    return SS_OK;
}

/* The program with all contacts of A. */
static ss_status solve_all(convex_work *w, const convex_params *p, tangents *t, double h)
{
    bool more = true;
    const ss_working_set set = { w->euler, &w->rows, p->epsilon };
    SS_TRY(ss_working_set_begin(&set, h));
    while (more) {
        SS_TRY(solve(w->euler, p, t, h));
        SS_TRY(ss_working_set_add(&set, h, &more));
    }
    return SS_OK;
}

/* Contacts of the program that touch at the start or press in the step: what stays open wedges nothing. */
static ss_status find_closed(const ss_euler *e, int *count, int **which)
{
    *count = 0;
    SS_TRY(ss_arena_take_raw(e->s->arena, (size_t)e->active.n, sizeof **which, which));
    for (int i = 0; i < e->active.n; i++) {
        const int k = e->active.which[i];
        if (e->around->gap[k] <= ss_euler_touch_tolerance(e, k) || e->a->solution.r[e->a->problem.row[i]] > 0) {
            (*which)[(*count)++] = k;
        }
    }
    return SS_OK;
}

/* Assumption A5 at the start of the step, by the program of the file header. */
static ss_status test_pointed(convex_work *w, double h)
{
    ss_euler *e = w->euler;
    ss_assembly *a = w->cone;
    int closed, *which;
    SS_TRY(find_closed(e, &closed, &which));
    SS_TRY(ss_assembly_geometry(a, &e->start.here, &e->around->near, closed, which, e->o.friction, h));
    /* cones know nothing of drives */
    for (int i = 0; i < a->problem.row[a->problem.nc]; i++) {
        a->problem.w[i] = 0;
    }
    for (int i = 0; i < a->problem.nj; i++) {
        a->problem.c[i] = 0;
    }
    for (int k = 0; k < a->problem.nc; k++) {
        if (ss_law_has_normal(a->problem.law[k])) {
            a->problem.w[a->problem.row[k]] = -1;
        }
    }
    a->problem.v_old = NULL;
    SS_TRY(ss_solver_solve(e->s->solver, &a->problem, &a->solution, &a->info));
    if (a->info.outcome == SS_INFEASIBLE) {
        const ss_contact *blamed = a->info.residual.worst >= 0 ? a->contacts.c[a->info.residual.worst] : NULL;
        e->s->report->remark(e->s->report, SS_REMARK_NOT_POINTED, blamed);
    }
    return SS_OK;
}

/* The program of a substep over *h, less where something would be passed through. Its gaps close within the substep whatever was
 * foreseen, so motion is followed, over `left`, only where something would be. */
static ss_status try_substep(convex_work *w, tangents *t, double left, double *h, bool *hidden)
{
    ss_euler *e = w->euler;
    const ss_path ahead = { e->start.t, left, e->start.q, e->start.v, NULL, NULL };
    ss_met met = { .any = false };
    bool more = true, through = true, follow = false;
    for (int look = 0; (more && look < 4) || through; look++) {
        SS_TRY(ss_euler_survey(e, *h));
        SS_TRY(follow ? ss_passing_foresee(e->around->passing, e->s, e->around, &ahead)
                      : ss_passing_bar_misses(e->around->passing, e->s, e->around, &ahead));
        ss_passing_expect(e->around->passing, e->around, &met);
        *h = fmin(*h, e->around->passing->most);
        SS_TRY(solve_all(w, t->p, t, *h));
        SS_TRY(ss_vicinity_look_again(e->around, e->s, &e->start.here, &e->there, &more, hidden));
        SS_TRY(ss_euler_passes(e, *h, &met));
        through = met.any && met.before < *h;
        follow = follow || (through && !met.unsure);
        *h = through ? met.before : *h;
    }
    return SS_OK;
}

/* Does a contact of the program overlap at the end, on its features, by more than it did at the start? */
static ss_status find_new_overlap(const ss_euler *e, bool *found)
{
    const ss_model *m = e->s->model;
    const double allowed = fmax(SS_TOL_FITS, e->s->tol);
    double *gap, *depth;
    *found = false;
    if (e->end.fits && e->end.overlap <= allowed) {
        return SS_OK;
    }
    SS_TRY(ss_arena_take_raw(e->s->arena, (size_t)e->active.n, sizeof *gap, &gap));
    SS_TRY(ss_arena_take_raw(e->s->arena, (size_t)e->active.n, sizeof *depth, &depth));
    SS_TRY(ss_vicinity_look_at(e->around, m, &e->there, e->active.n, e->active.which, gap, depth));
    for (int i = 0; i < e->active.n; i++) {
        const double before = ss_vicinity_overlap_before(e->around, m, 1, &e->active.which[i]);
        *found = *found || (!(gap[i] > 0) && !(depth[i] <= fmax(allowed, before)));
    }
    return SS_OK;
}

/* Are the joints satisfied at the end of the substep, and the gaps? Gaps for which there is no solution are not waited for. */
static ss_status fits(ss_euler *e, double h, bool hidden, bool *good)
{
    bool overlaps = false;
    ss_config_set(e->s->model, e->start.t + h, e->end.q, &e->there);
    SS_TRY(e->fault.unsolvable ? SS_OK : find_new_overlap(e, &overlaps));
    *good = e->end.joints_satisfied && !overlaps && !hidden;
    return SS_OK;
}

/* A substep of the length *h, halved as often as need be until its end fits; *halved says whether it was. Where bodies turn too
 * far it may be as short as it takes. */
static ss_status fit_substep(convex_work *w, tangents *t, double left, double *h, bool *halved)
{
    ss_euler *e = w->euler;
    const double shortest = ss_stepper_shortest(e->s);
    bool hidden = false, good;
    *halved = false;
    SS_TRY(ss_euler_new_substep(e));
    for (;; *h *= 0.5, *halved = true) {
        SS_TRY(try_substep(w, t, left, h, &hidden));
        SS_TRY(fits(e, *h, hidden, &good));
        const bool turns = !e->fault.unsolvable && ss_euler_turns_too_far(e, *h);
        if (((good || *h < 2 * shortest) && !turns) || t->p->iterations == 1) { /* 1: as in the paper, no second try */
            return SS_OK;
        }
        ss_vicinity_forget(e->around);
    }
}

/* Substeps until the step is done. After one that was halved, the next is tried with twice its length. */
static ss_status advance(convex_work *w, tangents *t, double h)
{
    bool halved = false;
    for (double left = h, taken = h; left > 0; left = ss_stepper_rest(w->euler->s, h, left, taken)) {
        const double even = ss_model_even_time(w->euler->s->model, w->euler->start.t, left);
        taken = halved ? fmin(even, 2 * taken) : even;
        SS_TRY(fit_substep(w, t, even, &taken, &halved));
        if (t->p->pointed && w->euler->active.n > 0) {
            SS_TRY(test_pointed(w, taken));
        }
        SS_TRY(ss_euler_accept(w->euler, taken));
    }
    return SS_OK;
}

static ss_status step(ss_stepper *s, double h)
{
    const convex_params *p = s->params;
    convex_work *w = s->work;
    ss_euler *e = w->euler;
    tangents t = { .p = p };
    ss_euler_options o = { .friction = ss_cone_associated(s, p->cone),
                           .implicit = p->forces == FORCES_IMPLICIT,
                           .stabilise = true,
                           .insist = true,
                           .iterations = p->iterations };
    if (p->friction == FRICTION_CONCAVE) {
        o.adjust = take_tangents;
        o.user = &t;
    }
    SS_TRY(ss_euler_begin(e, s, &o));
    SS_TRY(advance(w, &t, h));
    s->next->t = s->now->t + s->length.taken;
    return SS_OK;
}

static void destroy(ss_context *ctx, void *work)
{
    convex_work *w = work;
    if (w) {
        ss_euler_destroy(ctx, w->euler);
        ss_assembly_destroy(ctx, w->cone);
        ss_csr_free(ctx, &w->rows);
        ss_free(ctx, w);
    }
}

static ss_status create(ss_stepper *s, void **work, double *scheme_state)
{
    convex_work *w;
    (void)scheme_state;
    SS_TRY(ss_friction_check(s, ss_cone_associated(s, ((const convex_params *)s->params)->cone)));
    SS_TRY(ss_calloc(s->ctx, 1, sizeof *w, &w));
    *work = w;
    SS_TRY(ss_euler_create(s->ctx, s->model, &w->euler));
    return ((const convex_params *)s->params)->pointed ? ss_assembly_create(s->ctx, s->model, &w->cone) : SS_OK;
}

const ss_scheme_type ss_scheme_anitescu_convex = {
    .info = { .name = "anitescu_convex",
              .title = "Euler with one convex program per step",
              .reference = "Ani06",
              .order = { .smooth = 1, .impacts = 1, .norm = "l1", .overlap = 2 },
              .laws = SS_LAW_UNILATERAL | SS_LAW_ASSOCIATED | SS_LAW_ASSOCIATED_POLYHEDRAL | SS_LAW_BOUNDED | SS_LAW_ROLLING |
                      SS_LAW_INELASTIC,
              .dimensions = 4 | 8,
              .fields = fields,
              .params_size = sizeof(convex_params) },
    .create = create,
    .destroy = destroy,
    .step = step,
};
