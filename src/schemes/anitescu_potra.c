/* anitescu_potra.c - Euler time stepping whose every step is a solvable linear complementarity problem.
 *
 *     M (v' - v) = h k + G' lam + H_N' c_n + sum D beta          momentum         [AP97 eq. 2.8]
 *     G v'       = 0                                             joints           [AP97 eq. 2.9]
 *     H_N v' >= 0  _|_  c_n >= 0                                 contact          [AP97 eq. 2.10]
 *     lambda e + D' v' >= 0  _|_  beta >= 0                      friction polygon [AP97 eq. 2.11]
 *     mu c_n - e' beta >= 0  _|_  lambda >= 0                                     [AP97 eq. 2.12]
 *     G, H, M at the predicted q + h v, k there too or at q (`force`)
 *     q' = q + h v' (`position` = new) or q + h v (old, section 4 as printed)
 *
 * Strategy of section 4: a step is cut where a fast contact closes (`locate`), the impact is resolved by
 * the two-phase law of section 3, and the rest of the step starts from there. A contact that touches and
 * still approaches, at t = 0 or because an overlap persists, is a collision too.
 *
 * Deviations   `stabilise` = gap adds the linearised gap Phi/h to the offsets of contacts, so that gaps end the step at
 *              zero instead of drifting; where the end still overlaps by more than a millionth of the length, rows are
 *              taken again at that end (`iterations`: a Newton iteration on the gaps). The work of it is a ledger entry
 *              of its own. It can make the problem unsolvable (Theorem 2.1 wants offsets >= 0): then the step is solved
 *              without. Joints stay at velocity level, as in the paper, and are solvable and dissipative as there; their
 *              positions are projected afterwards (projection.c), which moves no velocity. Where neither helps, rows
 *              turn too much within h (a whip), the stretch is halved.
 *              The gyroscopic impulse is that of a midpoint step (gyroscopic.c), not -h w x I w: explicit Euler on it
 *              spins a free body up without bound.
 *              A contact that approaches slower than the threshold speed is not located but closed by its
 *              step, with e = 0: infinitely many impacts end there. The threshold is at least the speed
 *              that the free acceleration gives in two steps, so it vanishes with h.
 * Symbols      u_N normal velocity, Phi gap; paper: nu -> rows of G, n and D -> rows of H
 * Order        1 in position and velocity, through impacts too
 * Cost         one LCP per step without impact; a located impact costs about 6 more, and 2 for the law */
#include "events/events.h"
#include "kernels/impact.h"
#include "kernels/projection.h"
#include "kernels/vicinity.h"
#include <math.h>

enum { POSITION_NEW, POSITION_OLD };
enum { FORCE_NEW, FORCE_OLD };
enum { STABILISE_OFF, STABILISE_GAP };
enum { CONE_POLYHEDRAL, CONE_CIRCULAR };

typedef struct ap_params {
    int cone, directions, restitution, position, force, stabilise, iterations, max_events;
    bool locate;
    double threshold;
} ap_params;

static const ss_field fields[] = {
    SS_OPTION_CHOICE(ap_params, cone, CONE_POLYHEDRAL, "polyhedral|circular",
                     "friction cone; circular: Coulomb's own, the polygon's limit for many directions"),
    SS_OPTION_INT(ap_params, directions, 8, 4, 60, "edges of the friction polygon in 3D, even (2D: always 2)"),
    SS_OPTION_CHOICE(ap_params, restitution, SS_RESTITUTION_POISSON, "poisson|simplified|newton", "impact law"),
    SS_OPTION_NUMBER(ap_params, threshold, 0, 0, INFINITY,
                     "m/s; slower approaches are inelastic; at least the speed gained in two steps"),
    SS_OPTION_CHOICE(ap_params, position, POSITION_NEW, "new|old",
                     "velocity that moves the positions; old: explicit Euler as printed"),
    SS_OPTION_CHOICE(ap_params, force, FORCE_NEW, "new|old", "where forces are evaluated: at q + h v, or at q as printed"),
    SS_OPTION_CHOICE(ap_params, stabilise, STABILISE_GAP, "off|gap", "return gaps and joints to zero within the step"),
    SS_OPTION_INT(ap_params, iterations, 4, 1, 100,
                  "most times that stabilised geometry is improved in a step; 1: at q + h v only"),
    SS_OPTION_BOOL(ap_params, locate, true,
                   "cut the step at collisions; false: collide at the start of the step, e = 0 within it (large systems)"),
    SS_OPTION_INT(ap_params, max_events, 100, 1, 1e9, "collisions in one step before the rest of it is inelastic"),
    SS_FIELD_END,
};

typedef struct ap_work {
    ss_vicinity *around; /* what may close within the stretch      */
    ss_assembly *step;   /* the problem being solved               */
    ss_projection *joints;
    ss_memory latest; /* of this stretch: the last solution, where the next one starts */
} ap_work;

/* A stretch of the step, from (t, q, v) on; arrays live in the arena. */
typedef struct stretch {
    ss_stepper *s;
    const ap_params *p;
    ss_vicinity *around;
    ss_assembly *a;
    ss_projection *joints;
    ss_memory *latest;
    bool unsolvable; /* the stabilised problem has had no solution on this stretch */
    bool fits;       /* the joints do, at the end of the last Euler step    */
    ss_friction friction;
    double t, *q, *v; /* where the stretch starts: the state being built      */
    double *q_end, *v_end, *q_predicted, *v_predicted;
    double *impulse;       /* SS_FORCE_CLASSES x nv: h k by class, of the last Euler step */
    double *total_impulse; /* their sum                                           */
    ss_config here, there;
    int *active, active_count; /* contacts of `around` in the problem, increasing      */
    bool *is_active;
    int events; /* collisions so far in this step                      */
} stretch;

/* ---- tolerances: relative to the model's length, or to a radian --------------------------------- */

/* on a gap in its own unit, where a collision is located */
static const double ROOT = 1e-13;
/* below it a gap is what the solver's tolerance and round-off leave: the contact touches, and nothing is pushed back. So a stack
 * at rest poses the same problem in every step, and one that is wedged in is not asked for what cannot be */
static double dead_zone(const stretch *x, double unit) { return fmax(5e-11, 0.01 * x->s->tol) * unit; }
static double touch_tolerance(const stretch *x, int k)
{
    return dead_zone(x, ss_contact_unit(x->s->model, &x->around->near.c[k]));
}
/* the most that one step pushes back */
static double push_limit(double unit) { return 1e-3 * unit; }
/* the shortest stretch whose geometry is improved or that is halved: not where an event has cut it to round-off */
static double shortest(const stretch *x) { return x->s->h_nominal / 64; }

/* ---- which contacts ------------------------------------------------------------------------------ */

static ss_status survey(stretch *x, double h)
{
    ss_config_set(x->s->model, x->t, x->q, &x->here);
    ss_config_drive(x->s->model, x->t, x->t + h, &x->here);
    SS_TRY(ss_vicinity_survey(x->around, x->s, &x->here, x->v, h, x->p->threshold));
    size_t n = (size_t)x->around->near.n;
    SS_TRY(ss_arena_take(x->s->arena, n, sizeof *x->active, &x->active));
    return ss_arena_take(x->s->arena, n, sizeof *x->is_active, &x->is_active);
}

static bool is_motor(const stretch *x, int k) { return x->around->near.c[k].id.kind == SS_CONTACT_MOTOR; }

static bool touches(const stretch *x, int k)
{
    return !is_motor(x, k) && x->around->gap[k] <= touch_tolerance(x, k) && x->around->outside[k] <= 1e-9 * x->s->model->length;
}

static void activate(stretch *x, int k)
{
    x->is_active[k] = true;
    x->active_count = 0;
    for (int i = 0; i < x->around->near.n; i++) {
        if (x->is_active[i]) {
            x->active[x->active_count++] = i;
        }
    }
}

/* ---- one Euler step with a given set of contacts ------------------------------------------------ */

/* q + h v for a guess v of the new velocity, and the configuration there. Where contacts are linearised at it, the joints
 * must fit as they will at the end: the gap that projecting them opens or closes is then part of the offset. */
static ss_status predict(stretch *x, const double *v, double h)
{
    const ss_model *m = x->s->model;
    bool fits = true;
    memcpy(x->v_predicted, v, (size_t)m->nv * sizeof(double));
    ss_model_retract(m, x->q, v, h, x->q_predicted);
    if (x->p->stabilise == STABILISE_GAP && x->p->position == POSITION_NEW && x->active_count > 0) {
        SS_TRY(ss_projection_apply(x->joints, x->s, x->t + h, x->q_predicted, &fits));
    }
    ss_config_set(m, x->t + h, x->q_predicted, &x->there);
    ss_config_drive(m, x->t, x->t + h, &x->there);
    return SS_OK;
}

/* h k by class and in sum */
static void force_impulses(stretch *x, double h)
{
    const ss_model *m = x->s->model;
    ss_model_forces(m, x->p->force == FORCE_NEW ? &x->there : &x->here, x->v, x->impulse);
    for (int i = 0; i < m->nv * SS_FORCE_CLASSES; i++) {
        x->impulse[i] *= h;
    }
    ss_model_gyroscopic_impulse(m, x->v, h, x->impulse + SS_FORCE_GYROSCOPIC * m->nv);
    for (int i = 0; i < m->nv; i++) {
        x->total_impulse[i] = 0;
        for (int kind = 0; kind < SS_FORCE_CLASSES; kind++) {
            x->total_impulse[i] += x->impulse[kind * m->nv + i];
        }
    }
}

static double beyond(double value, double dead) { return fabs(value) <= dead ? 0 : value; }

/* An error linearised at the prediction is  error + h (row v' - row v)  at the end of the step. The part of it that was
 * there at the start is undone at the rate of a whole step, by a limited amount; the part that the turning of the rows
 * adds within h is avoided altogether. With positions moved by v, it is the error itself that the next velocity undoes.
 * Returns the rate at which v' has to do so. */
static double undo(const stretch *x, double error, double rate, double start, double h, double unit)
{
    double turned = x->p->position == POSITION_NEW ? beyond(error - h * rate - start, dead_zone(x, unit)) : 0;
    double old = beyond(x->p->position == POSITION_NEW ? start : error, dead_zone(x, unit)), limit = push_limit(unit);
    return turned / h + fmin(fmax(old, -limit), limit) / fmax(h, x->s->h_nominal);
}

/* Phi/h: an overlap has to open, an open gap may close within the stretch */
static void stabilise_contacts(stretch *x, double h)
{
    ss_assembly *a = x->a;
    for (int k = 0; k < a->problem.nc; k++) {
        const ss_contact *c = &a->contacts.c[k];
        if (c->id.kind != SS_CONTACT_MOTOR) {
            int row = a->problem.row[k];
            double unit = ss_contact_unit(x->s->model, c), gap = x->around->gap[x->active[k]];
            double open = fmax(0, beyond(gap, dead_zone(x, unit))), rate = ss_assembly_normal_velocity(a, k, x->v_predicted);
            a->w_stabilise[row] = open / h + undo(x, a->value[k].gap - open, rate, gap - open, h, unit);
            a->problem.w[row] += a->w_stabilise[row];
        }
    }
}

/* offsets of Theorem 2.2: none */
static void drop_stabilisation(ss_assembly *a)
{
    for (int i = 0; i < a->problem.row[a->problem.nc]; i++) {
        a->problem.w[i] -= a->w_stabilise[i];
        a->w_stabilise[i] = 0;
    }
}

/* Once the stabilised problem of a stretch had no solution, those that follow on the same stretch are not tried. */
static ss_status solve(stretch *x)
{
    ss_assembly *a = x->a;
    bool stabilised = x->p->stabilise == STABILISE_GAP && !x->unsolvable;
    ss_assembly_recall(a, x->latest);
    if (stabilised) {
        SS_TRY(ss_assembly_solve(a, x->s, x->v, 0));
        x->unsolvable = a->info.outcome != SS_CONVERGED;
        a->solution.warm = a->solution.warm && !x->unsolvable;
    }
    if (!stabilised || x->unsolvable) {
        drop_stabilisation(a);
        SS_TRY(ss_assembly_solve(a, x->s, x->v, x->unsolvable));
    }
    SS_TRY(ss_assembly_demand(a, x->t));
    return ss_assembly_remember(a, x->latest);
}

/* (2.8)-(2.12) over h with the geometry at q + h v for the given v; the end is in q_end, v_end */
static ss_status euler_at(stretch *x, const double *v, double h)
{
    const ss_model *m = x->s->model;
    ss_assembly *a = x->a;
    SS_TRY(predict(x, v, h));
    force_impulses(x, h);
    SS_TRY(ss_assembly_geometry(a, &x->there, &x->around->near, x->active_count, x->active, x->friction, h));
    ss_assembly_momentum(a, x->v, x->total_impulse);
    if (x->p->stabilise == STABILISE_GAP) {
        stabilise_contacts(x, h);
    }
    SS_TRY(solve(x));
    memcpy(x->v_end, a->solution.v, (size_t)m->nv * sizeof(double));
    if (x->p->position == POSITION_NEW) {
        ss_model_retract(m, x->q, x->v_end, h, x->q_end);
    } else {
        memcpy(x->q_end, x->q_predicted, (size_t)m->nq * sizeof(double));
    }
    x->fits = true;
    return x->p->stabilise == STABILISE_GAP ? ss_projection_apply(x->joints, x->s, x->t + h, x->q_end, &x->fits) : SS_OK;
}

static bool can_improve(const stretch *x, double h)
{
    return x->p->stabilise == STABILISE_GAP && x->p->position == POSITION_NEW && h >= shortest(x);
}

/* do contacts overlap at the end by more than `allowed`, than the solver's tolerance lets them, and than at the start? */
static bool is_off(stretch *x, double h, double allowed)
{
    allowed = fmax(allowed, x->s->tol);
    double before = ss_vicinity_overlap_before(x->around, x->s->model, x->active_count, x->active);
    ss_config_set(x->s->model, x->t + h, x->q_end, &x->there);
    return ss_vicinity_overlap(x->around, x->s->model, &x->there, x->active_count, x->active) > fmax(allowed, before);
}

/* One Euler step: the geometry at q + h v, and again at the end found if that is off by more than a millionth. */
static ss_status euler(stretch *x, double h)
{
    SS_TRY(euler_at(x, x->v, h));
    for (int k = 1; k < x->p->iterations && can_improve(x, h) && is_off(x, h, 1e-6); k++) {
        SS_TRY(euler_at(x, x->v_end, h));
    }
    return SS_OK;
}

/* Report the last Euler step and make its end the start of what follows. */
static ss_status accept(stretch *x, double h)
{
    const ss_model *m = x->s->model;
    const ss_assembly *a = x->a;
    ss_segment segment = { .t0 = x->t,
                           .t1 = x->t + h,
                           .level = SS_LEVEL_VELOCITY,
                           .q0 = x->q,
                           .v0 = x->v,
                           .q1 = x->q_end,
                           .v1 = x->v_end,
                           .mass = &a->problem.M,
                           .problem = &a->problem,
                           .solution = &a->solution,
                           .info = &a->info,
                           .contacts = &a->contacts,
                           .w_drive = a->w_drive,
                           .w_stabilise = a->w_stabilise,
                           .c_drive = a->c_drive };
    for (int kind = 0; kind < SS_FORCE_CLASSES; kind++) {
        segment.impulse[kind] = x->impulse + kind * m->nv;
    }
    SS_TRY(x->s->report->segment(x->s->report, &segment));
    SS_TRY(ss_memory_copy(x->s->ctx, x->latest, &x->s->next->memory));
    memcpy(x->q, x->q_end, (size_t)m->nq * sizeof(double));
    memcpy(x->v, x->v_end, (size_t)m->nv * sizeof(double));
    x->t += h;
    return SS_OK;
}

/* ---- collisions --------------------------------------------------------------------------------- */

/* Without location there is nothing to tell an inelastic collision from a contact that closes within the step: the step's
 * own problem resolves both, all of them at once. */
static bool closes_within(const stretch *x, int k) { return !x->p->locate && x->around->near.c[k].e == 0; }

/* Without location a fast contact that would close within h collides now, at the start of the step. */
static bool collides(const stretch *x, int k, double h)
{
    if (is_motor(x, k) || x->around->approach[k] <= x->around->slow[k] || closes_within(x, k)) {
        return false;
    }
    bool closes =
        !x->p->locate && x->around->gap[k] <= h * x->around->approach[k] && x->around->outside[k] <= h * x->around->approach[k];
    return touches(x, k) || closes;
}

/* Resolve what collides now; *happened says whether anything did. */
static ss_status collide(stretch *x, double h, bool *happened)
{
    int trigger = -1, position = 0;
    x->active_count = 0;
    for (int k = 0; k < x->around->near.n; k++) {
        if (!touches(x, k) && !collides(x, k, h)) {
            continue;
        }
        if (trigger < 0 && collides(x, k, h)) {
            trigger = k;
            position = x->active_count;
        }
        x->active[x->active_count++] = k;
    }
    *happened = trigger >= 0;
    if (!*happened) {
        return SS_OK;
    }
    ss_assembly *a = x->a;
    double *e;
    SS_TRY(ss_arena_take(x->s->arena, (size_t)x->active_count, sizeof *e, &e));
    for (int k = 0; k < x->active_count; k++) {
        e[k] = x->events < x->p->max_events ? x->around->near.c[x->active[k]].e : 0;
    }
    ss_config_drive(x->s->model, x->t, x->t, &x->here);
    SS_TRY(ss_assembly_geometry(a, &x->here, &x->around->near, x->active_count, x->active, x->friction, 0));
    x->events++;
    return ss_impact(x->s, a, &x->here, (ss_restitution)x->p->restitution, e, position, x->v);
}

/* ---- cutting the step where a contact closes ----------------------------------------------------- */

/* gap at the end of the last Euler step, as long as the witness lies on the features */
static double closing(stretch *x, int k)
{
    ss_contact_value value;
    ss_contact_eval(x->s->model, &x->there, &x->around->near.c[k], &value);
    return fmax(value.gap, value.outside);
}

/* event functions: the gaps at the end of an Euler step of length s, each in its own unit */
static ss_status gaps_after(void *user, double s, int count, const int *which, double *g)
{
    stretch *x = user;
    SS_TRY(euler(x, s));
    ss_config_set(x->s->model, x->t + s, x->q_end, &x->there);
    for (int k = 0; k < count; k++) {
        g[k] = closing(x, which[k]) / ss_contact_unit(x->s->model, &x->around->near.c[which[k]]);
    }
    return SS_OK;
}

/* Contacts that the step would push through: slow ones join the problem, fast ones are to be located. */
static void find_violations(stretch *x, double h, bool *joined, bool *fast)
{
    bool slow_joins = x->p->stabilise == STABILISE_GAP || !x->p->locate || x->events >= x->p->max_events;
    *joined = *fast = false;
    ss_config_set(x->s->model, x->t + h, x->q_end, &x->there);
    for (int k = 0; k < x->around->near.n; k++) {
        double end = x->is_active[k] || is_motor(x, k) ? 0 : closing(x, k);
        if (end >= -touch_tolerance(x, k)) {
            continue;
        }
        bool is_slow = x->around->gap[k] - end <= h * x->around->slow[k] || x->around->gap[k] <= touch_tolerance(x, k) ||
                       closes_within(x, k);
        if (slow_joins && (is_slow || x->events >= x->p->max_events)) {
            activate(x, k);
            *joined = true;
        } else {
            *fast = true;
        }
    }
}

/* length of the stretch until the first contact closes */
static ss_status locate(stretch *x, double h, double *length)
{
    int n = x->around->near.n;
    double *start, *armed;
    SS_TRY(ss_arena_take(x->s->arena, (size_t)n, sizeof *start, &start));
    SS_TRY(ss_arena_take(x->s->arena, (size_t)n, sizeof *armed, &armed));
    for (int k = 0; k < n; k++) {
        double unit = ss_contact_unit(x->s->model, &x->around->near.c[k]);
        armed[k] = touch_tolerance(x, k) / unit;
        bool watch = !x->is_active[k] && !is_motor(x, k) && x->around->gap[k] / unit > armed[k];
        start[k] = watch ? fmax(x->around->gap[k], x->around->outside[k]) / unit : -1;
    }
    ss_event_search search = { .eval = gaps_after,
                               .user = x,
                               .count = n,
                               .start = start,
                               .armed = armed,
                               .length = h,
                               .tol = 1e-15 * h,
                               .tie = 0,
                               .floor = 0,
                               .accept = ROOT };
    ss_event_found found;
    SS_TRY(ss_events_first(x->s->arena, &search, &found));
    *length = found.found ? found.s : h;
    return SS_OK;
}

/* An Euler step over h in which slow contacts have joined; *fast says whether others close. */
static ss_status try_stretch(stretch *x, double h, bool *fast)
{
    bool joined = true;
    for (int pass = 0; joined && pass <= x->around->near.n; pass++) {
        SS_TRY(euler(x, h));
        find_violations(x, h, &joined, fast);
    }
    return SS_OK;
}

/* Where rows turn too much within h to be linearised (a whip), the stretch is halved until the joints can be projected
 * and contacts overlap by less than a ten-thousandth of the length, or no worse than at the start. */
static ss_status fit_stretch(stretch *x, double *h, bool *fast)
{
    SS_TRY(try_stretch(x, *h, fast));
    while (can_improve(x, *h) && (!x->fits || is_off(x, *h, 1e-4))) {
        *h *= 0.5;
        SS_TRY(try_stretch(x, *h, fast));
    }
    return SS_OK;
}

/* Whatever is near and closes within the step, if it closes: with its gap in the offset it does no harm if it does not, and
 * one problem with it is cheaper than several that find one after the other missing. */
static bool may_close(const stretch *x, int k)
{
    return x->p->stabilise == STABILISE_GAP && closes_within(x, k) && x->around->outside[k] <= 0;
}

static void activate_touching(stretch *x)
{
    x->active_count = 0;
    for (int k = 0; k < x->around->near.n; k++) {
        if (is_motor(x, k) || touches(x, k) || may_close(x, k)) {
            x->is_active[k] = true;
            x->active[x->active_count++] = k;
        }
    }
}

/* One stretch: from a state without collisions, over h, less where it has to be cut: so that nothing passes through
 * anything unseen, where rows turn too much, where a fast contact closes. */
static ss_status advance(stretch *x, double h, double *taken)
{
    bool fast = false, more = true, hidden = true;
    double most = fmin(h, fmax(x->around->safe, shortest(x)));
    for (int look = 0; (more || hidden) && look < 12; look++) {
        if (look > 0) {
            SS_TRY(survey(x, h));
        }
        *taken = most;
        activate_touching(x);
        SS_TRY(fit_stretch(x, taken, &fast));
        ss_config_set(x->s->model, x->t + *taken, x->q_end, &x->there);
        SS_TRY(ss_vicinity_look_again(x->around, x->s, &x->here, &x->there, &more, &hidden));
        hidden = hidden && *taken > shortest(x);
        most = hidden ? 0.5 * *taken : most;
    }
    if (fast && x->p->locate) {
        SS_TRY(locate(x, *taken, taken));
        SS_TRY(euler(x, *taken)); /* the search ends on another length than the one it returns */
    }
    return accept(x, *taken);
}

/* ---- the scheme ----------------------------------------------------------------------------------- */

static ss_status take_arrays(stretch *x)
{
    size_t nq = (size_t)x->s->model->nq, nv = (size_t)x->s->model->nv;
    ss_arena *arena = x->s->arena;
    SS_TRY(ss_arena_take(arena, nq, sizeof(double), &x->q_end));
    SS_TRY(ss_arena_take(arena, nq, sizeof(double), &x->q_predicted));
    SS_TRY(ss_arena_take(arena, nv, sizeof(double), &x->v_end));
    SS_TRY(ss_arena_take(arena, nv, sizeof(double), &x->v_predicted));
    SS_TRY(ss_arena_take(arena, nv, sizeof(double), &x->total_impulse));
    SS_TRY(ss_arena_take(arena, nv * SS_FORCE_CLASSES, sizeof(double), &x->impulse));
    SS_TRY(ss_config_take(arena, x->s->model, &x->here));
    return ss_config_take(arena, x->s->model, &x->there);
}

static ss_status step(ss_stepper *s, double h)
{
    const ap_params *p = s->params;
    ap_work *w = s->work;
    stretch x = { .s = s,
                  .p = p,
                  .around = w->around,
                  .a = w->step,
                  .joints = w->joints,
                  .latest = &w->latest,
                  .friction = { p->cone == CONE_CIRCULAR ? SS_LAW_COULOMB : SS_LAW_POLYHEDRAL, p->directions },
                  .t = s->now->t,
                  .q = s->next->q,
                  .v = s->next->v };
    SS_TRY(take_arrays(&x));
    for (double left = h, taken = 0; left > 0; left = taken < left ? left - taken : 0) {
        bool happened = false;
        x.unsolvable = false;
        ss_vicinity_forget(x.around);
        SS_TRY(ss_memory_copy(s->ctx, &s->next->memory, x.latest));
        do {
            SS_TRY(survey(&x, left));
            SS_TRY(collide(&x, left, &happened));
        } while (happened && x.events < 2 * p->max_events);
        SS_TRY(advance(&x, left, &taken));
    }
    s->next->t = s->now->t + h;
    return SS_OK;
}

/* A pair that names its impact law must agree with the scheme's option. */
static ss_status check_laws(const ss_stepper *s, const ap_params *p)
{
    const ss_model *m = s->model;
    bool newton = p->restitution == SS_RESTITUTION_NEWTON;
    for (int i = 0; i < m->materials * m->materials; i++) {
        ss_impact_law law = m->pair[i].impact;
        if (law != SS_IMPACT_UNSET && (law == SS_IMPACT_NEWTON) != newton) {
            return ss_fail(
                s->ctx, SS_ERR_UNSUPPORTED,
                "scheme.restitution: a pair asks for %s's impact law, the scheme is set to %s's; one scheme has one law",
                law == SS_IMPACT_NEWTON ? "Newton" : "Poisson", newton ? "Newton" : "Poisson");
        }
    }
    for (int i = 0; i < m->materials * m->materials && p->cone == CONE_CIRCULAR; i++) {
        if (m->pair[i].mu[0] != m->pair[i].mu[1]) {
            return ss_fail(s->ctx, SS_ERR_UNSUPPORTED,
                           "scheme.cone: friction with a grain (mu %g along, %g across) needs the polyhedral cone",
                           m->pair[i].mu[0], m->pair[i].mu[1]);
        }
    }
    return p->directions % 2 == 0
               ? SS_OK
               : ss_fail(s->ctx, SS_ERR_INPUT, "scheme.directions: expected an even number, got %d", p->directions);
}

static void destroy(ss_context *ctx, void *work)
{
    ap_work *w = work;
    if (w) {
        ss_vicinity_destroy(ctx, w->around);
        ss_assembly_destroy(ctx, w->step);
        ss_projection_destroy(w->joints);
        ss_memory_free(ctx, &w->latest);
        ss_free(ctx, w);
    }
}

static ss_status create(ss_stepper *s, void **work, double *block)
{
    (void)block;
    ap_work *w;
    SS_TRY(check_laws(s, s->params));
    SS_TRY(ss_calloc(s->ctx, 1, sizeof *w, &w));
    *work = w;
    SS_TRY(ss_vicinity_create(s->ctx, s->model, &w->around));
    SS_TRY(ss_assembly_create(s->ctx, s->model, &w->step));
    SS_TRY(ss_projection_create(s->ctx, s->model, &w->joints));
    w->step->redundant = w->around->redundant;
    return SS_OK;
}

const ss_scheme_type ss_scheme_anitescu_potra = {
    .info = { .name = "anitescu_potra",
              .title = "Euler with a solvable LCP per step",
              .reference = "AP97",
              .order = { .smooth = 1, .impacts = 1, .norm = "final" },
              .laws = SS_LAW_UNILATERAL | SS_LAW_POLYHEDRAL | SS_LAW_COULOMB | SS_LAW_BOUNDED | SS_LAW_NEWTON | SS_LAW_POISSON,
              .dimensions = 4 | 8,
              .fields = fields,
              .params_size = sizeof(ap_params) },
    .create = create,
    .destroy = destroy,
    .step = step,
};
