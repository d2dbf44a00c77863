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
 * Deviations   `stabilise` = gap adds the linearised gap Phi/h to the offsets, so that gaps and joints end
 *              the step at zero instead of drifting; where the end is still off by more than a millionth of the
 *              length, rows are taken again at that end (`iterations`: a Newton iteration on the positions).
 *              If that does not help the stretch is halved. The work of it all is a ledger entry of its own. It can
 *              make the problem unsolvable (Theorem 2.1 wants offsets >= 0): then the step is solved without.
 *              A contact that approaches slower than the threshold speed is not located but closed by its
 *              step, with e = 0: infinitely many impacts end there. The threshold is at least the speed
 *              that the free acceleration gives in two steps, so it vanishes with h.
 * Symbols      u_N normal velocity, Phi gap; paper: nu -> rows of G, n and D -> rows of H
 * Order        1 in position and velocity, through impacts too
 * Cost         one LCP per step without impact; a located impact costs about 6 more, and 2 for the law */
#include "events/events.h"
#include "kernels/impact.h"
#include "kernels/redundancy.h"
#include <math.h>

enum { POSITION_NEW, POSITION_OLD };
enum { FORCE_NEW, FORCE_OLD };
enum { STABILISE_OFF, STABILISE_GAP };

typedef struct ap_params {
    int directions, restitution, position, force, stabilise, iterations, max_events;
    bool locate;
    double threshold;
} ap_params;

static const ss_field fields[] = {
    SS_OPTION_INT(ap_params, directions, 8, 4, 62, "edges of the friction polygon in 3D, even (2D: always 2)"),
    SS_OPTION_CHOICE(ap_params, restitution, SS_RESTITUTION_POISSON, "poisson|simplified|newton", "impact law"),
    SS_OPTION_NUMBER(ap_params, threshold, 0, 0, INFINITY,
                     "m/s; slower approaches are inelastic; at least the speed gained in two steps"),
    SS_OPTION_CHOICE(ap_params, position, POSITION_NEW, "new|old",
                     "velocity that moves the positions; old: explicit Euler as printed"),
    SS_OPTION_CHOICE(ap_params, force, FORCE_NEW, "new|old", "where forces are evaluated: at q + h v, or at q as printed"),
    SS_OPTION_CHOICE(ap_params, stabilise, STABILISE_GAP, "off|gap", "return gaps and joints to zero within the step"),
    SS_OPTION_INT(ap_params, iterations, 4, 1, 100,
                  "most times that stabilised geometry is improved in a step; 1: at q + h v only"),
    SS_OPTION_BOOL(ap_params, locate, true, "cut the step at collisions; false: collide at the start of the step"),
    SS_OPTION_INT(ap_params, max_events, 100, 1, 1e9, "collisions in one step before the rest of it is inelastic"),
    SS_FIELD_END,
};

typedef struct ap_work {
    ss_assembly *probe; /* normal rows of everything near, at the start of a stretch */
    ss_assembly *step;  /* the problem being solved                                  */
    ss_redundancy *redundancy;
    ss_contact_set near;
    ss_contact_set missed; /* contacts that only the end of the stretch has shown      */
    ss_contact_set at_end;
    double *body_radius; /* per body: farthest point of its shapes, 0: none           */
    double *mass_factor; /* Cholesky factors of M's blocks                            */
} ap_work;

/* A stretch of the step, from (t, q, v) on; arrays live in the arena. */
typedef struct stretch {
    ss_stepper *s;
    const ap_params *p;
    ap_work *w;
    ss_friction friction;
    double t, *q, *v; /* where the stretch starts: the state being built      */
    double *q_end, *v_end, *q_predicted, *v_predicted, *free_acceleration;
    double *impulse;       /* SS_FORCE_CLASSES x nv: h k by class, of the last Euler step */
    double *total_impulse; /* their sum                                           */
    ss_config here, there;
    int *active, active_count; /* contacts of `near` in the problem, increasing        */
    bool *is_active;
    double *gap, *approach, *threshold, *outside; /* per contact of `near` at the start         */
    double *joint_error;                          /* per joint row at the start                 */
    int events;                                   /* collisions so far in this step                      */
} stretch;

/* ---- tolerances: relative to the model's length, or to a radian --------------------------------- */

static double unit_of(const stretch *x, const ss_contact *c)
{
    bool angle = c->id.kind == SS_CONTACT_LIMIT && x->s->model->joint[c->id.a].type->angular;
    return angle ? 1 : x->s->model->length;
}
static double touch_tolerance(const stretch *x, int k)
{
    return 1e-10 * unit_of(x, &x->w->near.c[k]);
}
static double root_tolerance(const stretch *x)
{
    return 1e-13 * x->s->model->length;
}
/* below it a gap or a joint error is round-off and is not pushed back */
static double dead_zone(double unit)
{
    return 1e-12 * unit;
}
/* the shortest stretch whose geometry is improved or that is halved: not where an event has cut it to round-off */
static double shortest(const stretch *x)
{
    return x->s->h_nominal / 64;
}
/* the most that one step pushes back */
static double push_limit(double unit)
{
    return 1e-3 * unit;
}

/* ---- what is near, and how fast it comes ------------------------------------------------------- */

/* speed of the fastest point of a body that moves with velocities v */
static double point_speed(const stretch *x, const double *v, int body)
{
    ss_vec3 twist[2];
    ss_model_twist(x->s->model, &x->here, v, body, twist);
    return ss_norm(twist[0]) + x->w->body_radius[body] * ss_norm(twist[1]);
}

static double free_point_acceleration(const stretch *x, int body)
{
    return ss_model_is_dynamic(x->s->model, body) ? point_speed(x, x->free_acceleration, body) : 0;
}

/* an upper bound on how far two bodies can approach in h: twice the free motion of the fastest point, each */
static double reach(const stretch *x, double h)
{
    double fastest = 0;
    for (int b = 0; b < x->s->model->bodies; b++) {
        fastest = fmax(fastest, point_speed(x, x->v, b) + h * free_point_acceleration(x, b));
    }
    return 4 * h * fastest + 1e-6 * x->s->model->length;
}

/* The speed below which contact k is inelastic: what either body gains by its free acceleration in two
 * steps. Not the relative acceleration: that of two stacked bodies is zero, and they would chatter. */
static double slow(const stretch *x, int k)
{
    const ss_contact *c = &x->w->near.c[k];
    double gained = 0;
    for (int i = 0; i < 2 && c->id.kind == SS_CONTACT_SHAPES; i++) {
        gained = fmax(gained, free_point_acceleration(x, c->body[i]));
    }
    if (c->id.kind != SS_CONTACT_SHAPES) { /* in the coordinate's own unit */
        const ss_problem *p = &x->w->probe->problem;
        gained = fabs(ss_csr_row_dot(&p->H, p->row[k], x->free_acceleration));
    }
    return fmax(x->p->threshold, 2 * x->s->h_nominal * gained);
}

/* acceleration of every body by its forces alone */
static void free_acceleration(stretch *x)
{
    const ss_model *m = x->s->model;
    ss_model_forces(m, &x->here, x->v, x->impulse);
    for (int i = 0; i < m->nv; i++) {
        x->free_acceleration[i] = 0;
        for (int kind = 0; kind < SS_FORCE_CLASSES; kind++) {
            x->free_acceleration[i] += x->impulse[kind * m->nv + i];
        }
    }
    ss_blockdiag_solve(&m->mass, x->w->mass_factor, x->free_acceleration);
}

static ss_status take_contact_arrays(stretch *x, int n)
{
    double **numbers[] = { &x->gap, &x->approach, &x->threshold, &x->outside };
    for (int i = 0; i < 4; i++) {
        SS_TRY(ss_arena_take(x->s->arena, (size_t)n, sizeof(double), numbers[i]));
    }
    SS_TRY(ss_arena_take(x->s->arena, (size_t)n, sizeof *x->active, &x->active));
    return ss_arena_take(x->s->arena, (size_t)n, sizeof *x->is_active, &x->is_active);
}

/* Contacts that may close within h: gap, approach speed -u_N, and the speed below which e = 0. */
static ss_status survey(stretch *x, double h)
{
    const ss_model *m = x->s->model;
    ss_assembly *a = x->w->probe;
    ss_config_set(m, x->t, x->q, &x->here);
    ss_config_drive(m, x->t, x->t + h, &x->here);
    free_acceleration(x);
    SS_TRY(ss_finder_find(x->s->finder, &x->here, reach(x, h), &x->w->near));
    SS_TRY(ss_contacts_merge(x->s->ctx, &x->w->near, &x->w->missed));
    int n = x->w->near.n;
    SS_TRY(take_contact_arrays(x, n));
    SS_TRY(ss_assembly_geometry(a, &x->here, &x->w->near, n, NULL, (ss_friction){ .law = SS_LAW_UNILATERAL }, h));
    SS_TRY(ss_redundancy_find(x->w->redundancy, a));
    for (int i = 0; i < m->nj; i++) {
        x->joint_error[i] = a->g[i];
    }
    for (int k = 0; k < n; k++) {
        x->gap[k] = a->value[k].gap;
        x->outside[k] = a->value[k].outside;
        x->approach[k] = -ss_assembly_normal_velocity(a, k, x->v);
        x->threshold[k] = slow(x, k);
    }
    return SS_OK;
}

static bool is_motor(const stretch *x, int k)
{
    return x->w->near.c[k].id.kind == SS_CONTACT_MOTOR;
}

static bool touches(const stretch *x, int k)
{
    return !is_motor(x, k) && x->gap[k] <= touch_tolerance(x, k) && x->outside[k] <= 1e-9 * x->s->model->length;
}

static void activate(stretch *x, int k)
{
    x->is_active[k] = true;
    x->active_count = 0;
    for (int i = 0; i < x->w->near.n; i++) {
        if (x->is_active[i]) {
            x->active[x->active_count++] = i;
        }
    }
}

/* ---- one Euler step with a given set of contacts ------------------------------------------------ */

/* q + h v for a guess v of the new velocity, and the configuration there */
static void predict(stretch *x, const double *v, double h)
{
    const ss_model *m = x->s->model;
    memcpy(x->v_predicted, v, (size_t)m->nv * sizeof(double));
    ss_model_retract(m, x->q, v, h, x->q_predicted);
    ss_config_set(m, x->t + h, x->q_predicted, &x->there);
    ss_config_drive(m, x->t, x->t + h, &x->there);
}

/* h k by class and in sum */
static void force_impulses(stretch *x, double h)
{
    const ss_model *m = x->s->model;
    ss_model_forces(m, x->p->force == FORCE_NEW ? &x->there : &x->here, x->v, x->impulse);
    memset(x->total_impulse, 0, (size_t)m->nv * sizeof(double));
    for (int kind = 0; kind < SS_FORCE_CLASSES; kind++) {
        for (int i = 0; i < m->nv; i++) {
            x->impulse[kind * m->nv + i] *= h;
            x->total_impulse[i] += x->impulse[kind * m->nv + i];
        }
    }
}

static double beyond(double value, double dead)
{
    return fabs(value) <= dead ? 0 : value;
}

/* An error linearised at the prediction is  error + h (row v' - row v)  at the end of the step. The part of it that was
 * there at the start is undone at the rate of a whole step, by a limited amount; the part that the turning of the rows
 * adds within h is avoided altogether. With positions moved by v, it is the error itself that the next velocity undoes.
 * Returns the rate at which v' has to do so. */
static double undo(const stretch *x, double error, double rate, double start, double h, double unit)
{
    double turned = x->p->position == POSITION_NEW ? beyond(error - h * rate - start, dead_zone(unit)) : 0;
    double old = beyond(x->p->position == POSITION_NEW ? start : error, dead_zone(unit)), limit = push_limit(unit);
    return turned / h + fmin(fmax(old, -limit), limit) / fmax(h, x->s->h_nominal);
}

static void stabilise_joints(stretch *x, double h)
{
    ss_assembly *a = x->w->step;
    for (int i = 0; i < a->problem.nj; i++) {
        double rate = ss_csr_row_dot(&a->problem.G, i, x->v_predicted) - a->c_drive[i];
        bool none = x->s->model->row_motor[i] || (a->redundant && a->redundant[i]);
        a->c_stabilise[i] = none ? 0 : -undo(x, a->g[i], rate, x->joint_error[i], h, x->s->model->length);
        a->problem.c[i] += a->c_stabilise[i];
    }
}

/* Phi/h: an overlap has to open, an open gap may close within the stretch */
static void stabilise_contacts(stretch *x, double h)
{
    ss_assembly *a = x->w->step;
    for (int k = 0; k < a->problem.nc; k++) {
        const ss_contact *c = &a->contacts.c[k];
        if (c->id.kind != SS_CONTACT_MOTOR) {
            int row = a->problem.row[k];
            double open = fmax(0, x->gap[x->active[k]]), rate = ss_assembly_normal_velocity(a, k, x->v_predicted);
            a->w_stabilise[row] = open / h + undo(x, a->value[k].gap - open, rate, x->gap[x->active[k]] - open, h, unit_of(x, c));
            a->problem.w[row] += a->w_stabilise[row];
        }
    }
}

/* offsets of Theorem 2.2: none */
static void drop_stabilisation(ss_assembly *a)
{
    for (int i = 0; i < a->problem.nj; i++) {
        a->problem.c[i] -= a->c_stabilise[i];
        a->c_stabilise[i] = 0;
    }
    for (int i = 0; i < a->problem.row[a->problem.nc]; i++) {
        a->problem.w[i] -= a->w_stabilise[i];
        a->w_stabilise[i] = 0;
    }
}

static ss_status solve(stretch *x)
{
    ss_assembly *a = x->w->step;
    ss_assembly_recall(a, &x->s->next->memory);
    SS_TRY(ss_assembly_solve(a, x->s, x->v, 0));
    if (a->info.outcome != SS_CONVERGED && x->p->stabilise == STABILISE_GAP) {
        drop_stabilisation(a);
        a->solution.warm = false;
        SS_TRY(ss_assembly_solve(a, x->s, x->v, 1));
    }
    if (a->info.outcome == SS_RAY || a->info.outcome == SS_BREAKDOWN) {
        return ss_fail(x->s->ctx, SS_ERR_NUMERIC, "no solution of the contact problem at t = %.9g with %d contacts: %s", x->t,
                       a->problem.nc, ss_outcome_name(a->info.outcome));
    }
    return SS_OK;
}

/* (2.8)-(2.12) over h with the geometry at q + h v for the given v; the end is in q_end, v_end */
static ss_status euler_at(stretch *x, const double *v, double h)
{
    const ss_model *m = x->s->model;
    ss_assembly *a = x->w->step;
    predict(x, v, h);
    force_impulses(x, h);
    SS_TRY(ss_assembly_geometry(a, &x->there, &x->w->near, x->active_count, x->active, x->friction, h));
    ss_assembly_momentum(a, x->v, x->total_impulse);
    if (x->p->stabilise == STABILISE_GAP) {
        stabilise_joints(x, h);
        stabilise_contacts(x, h);
    }
    SS_TRY(solve(x));
    memcpy(x->v_end, a->solution.v, (size_t)m->nv * sizeof(double));
    if (x->p->position == POSITION_NEW) {
        ss_model_retract(m, x->q, x->v_end, h, x->q_end);
    } else {
        memcpy(x->q_end, x->q_predicted, (size_t)m->nq * sizeof(double));
    }
    return SS_OK;
}

/* largest joint error or overlap that the linearised offsets have left at the end, relative to the length */
static ss_status misfit(stretch *x, double h, double *out)
{
    const ss_model *m = x->s->model;
    ss_assembly *a = x->w->probe;
    *out = 0;
    ss_config_set(m, x->t + h, x->q_end, &x->there);
    SS_TRY(ss_model_joints(x->s->ctx, m, &x->there, a->g, &a->problem.G, a->c_drive, a->target));
    for (int i = 0; i < m->nj; i++) {
        *out = fmax(*out, m->row_motor[i] ? 0 : fabs(a->g[i]) / m->length);
    }
    for (int k = 0; k < x->active_count; k++) {
        const ss_contact *c = &x->w->near.c[x->active[k]];
        ss_contact_value value;
        ss_contact_eval(m, &x->there, c, &value);
        *out = fmax(*out, -value.gap / unit_of(x, c));
    }
    return SS_OK;
}

static bool can_improve(const stretch *x, double h)
{
    return x->p->stabilise == STABILISE_GAP && x->p->position == POSITION_NEW && h >= shortest(x);
}

/* largest error at the start of the stretch */
static double misfit_before(const stretch *x)
{
    double off = 0;
    for (int i = 0; i < x->s->model->nj; i++) {
        off = fmax(off, x->s->model->row_motor[i] ? 0 : fabs(x->joint_error[i]) / x->s->model->length);
    }
    for (int k = 0; k < x->active_count; k++) {
        off = fmax(off, -x->gap[x->active[k]] / unit_of(x, &x->w->near.c[x->active[k]]));
    }
    return off;
}

/* One Euler step: the geometry at q + h v, and again at the end found if that is off by more than a millionth. */
static ss_status euler(stretch *x, double h)
{
    double off = 0, allowed = fmax(1e-6, misfit_before(x));
    SS_TRY(euler_at(x, x->v, h));
    for (int k = 1; can_improve(x, h) && k < x->p->iterations; k++) {
        SS_TRY(misfit(x, h, &off));
        if (off <= allowed) {
            break;
        }
        SS_TRY(euler_at(x, x->v_end, h));
    }
    return SS_OK;
}

/* Report the last Euler step and make its end the start of what follows. */
static ss_status accept(stretch *x, double h)
{
    const ss_model *m = x->s->model;
    const ss_assembly *a = x->w->step;
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
                           .c_drive = a->c_drive,
                           .c_stabilise = a->c_stabilise };
    for (int kind = 0; kind < SS_FORCE_CLASSES; kind++) {
        segment.impulse[kind] = x->impulse + kind * m->nv;
    }
    SS_TRY(x->s->report->segment(x->s->report, &segment));
    SS_TRY(ss_assembly_remember(a, &x->s->next->memory));
    memcpy(x->q, x->q_end, (size_t)m->nq * sizeof(double));
    memcpy(x->v, x->v_end, (size_t)m->nv * sizeof(double));
    x->t += h;
    return SS_OK;
}

/* ---- collisions --------------------------------------------------------------------------------- */

/* Without location a fast contact that would close within h collides now, at the start of the step. */
static bool collides(const stretch *x, int k, double h)
{
    if (is_motor(x, k) || x->approach[k] <= x->threshold[k]) {
        return false;
    }
    bool closes = !x->p->locate && x->gap[k] <= h * x->approach[k] && x->outside[k] <= h * x->approach[k];
    return touches(x, k) || closes;
}

/* Resolve what collides now; *happened says whether anything did. */
static ss_status collide(stretch *x, double h, bool *happened)
{
    int trigger = -1, position = 0;
    x->active_count = 0;
    for (int k = 0; k < x->w->near.n; k++) {
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
    ss_assembly *a = x->w->step;
    double *e;
    SS_TRY(ss_arena_take(x->s->arena, (size_t)x->active_count, sizeof *e, &e));
    for (int k = 0; k < x->active_count; k++) {
        e[k] = x->events < x->p->max_events ? x->w->near.c[x->active[k]].e : 0;
    }
    ss_config_drive(x->s->model, x->t, x->t, &x->here);
    SS_TRY(ss_assembly_geometry(a, &x->here, &x->w->near, x->active_count, x->active, x->friction, 0));
    x->events++;
    return ss_impact(x->s, a, &x->here, (ss_restitution)x->p->restitution, e, position, x->v);
}

/* ---- cutting the step where a contact closes ----------------------------------------------------- */

/* gap at the end of the last Euler step, as long as the witness lies on the features */
static double closing(stretch *x, int k)
{
    ss_contact_value value;
    ss_contact_eval(x->s->model, &x->there, &x->w->near.c[k], &value);
    return fmax(value.gap, value.outside);
}

/* event functions: the gaps at the end of an Euler step of length s */
static ss_status gaps_after(void *user, double s, int count, const int *which, double *g)
{
    stretch *x = user;
    SS_TRY(euler(x, s));
    ss_config_set(x->s->model, x->t + s, x->q_end, &x->there);
    for (int k = 0; k < count; k++) {
        g[k] = closing(x, which[k]);
    }
    return SS_OK;
}

/* Contacts that the step would push through: slow ones join the problem, fast ones are to be located. */
static void find_violations(stretch *x, double h, bool *joined, bool *fast)
{
    bool slow_joins = x->p->stabilise == STABILISE_GAP || !x->p->locate || x->events >= x->p->max_events;
    *joined = *fast = false;
    ss_config_set(x->s->model, x->t + h, x->q_end, &x->there);
    for (int k = 0; k < x->w->near.n; k++) {
        double end = x->is_active[k] || is_motor(x, k) ? 0 : closing(x, k);
        if (end >= -touch_tolerance(x, k)) {
            continue;
        }
        bool is_slow = x->gap[k] - end <= h * x->threshold[k] || x->gap[k] <= touch_tolerance(x, k);
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
    int n = x->w->near.n;
    double *start, *armed;
    SS_TRY(ss_arena_take(x->s->arena, (size_t)n, sizeof *start, &start));
    SS_TRY(ss_arena_take(x->s->arena, (size_t)n, sizeof *armed, &armed));
    for (int k = 0; k < n; k++) {
        armed[k] = touch_tolerance(x, k);
        bool watch = !x->is_active[k] && !is_motor(x, k) && x->gap[k] > armed[k];
        start[k] = watch ? fmax(x->gap[k], x->outside[k]) : -1;
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
                               .accept = root_tolerance(x) };
    ss_event_found found;
    SS_TRY(ss_events_first(x->s->arena, &search, &found));
    *length = found.found ? found.s : h;
    return SS_OK;
}

/* An Euler step over h in which slow contacts have joined; *fast says whether others close. */
static ss_status try_stretch(stretch *x, double h, bool *fast)
{
    bool joined = true;
    for (int pass = 0; joined && pass <= x->w->near.n; pass++) {
        SS_TRY(euler(x, h));
        find_violations(x, h, &joined, fast);
    }
    return SS_OK;
}

/* Where rows turn too much within h to be linearised (a whip), the stretch is halved until joints and contacts hold
 * to a ten-thousandth of the length, or no worse than they did at its start. */
static ss_status fit_stretch(stretch *x, double *h, bool *fast)
{
    double off = 0;
    SS_TRY(try_stretch(x, *h, fast));
    while (can_improve(x, *h)) {
        SS_TRY(misfit(x, *h, &off));
        if (off <= fmax(1e-4, misfit_before(x))) {
            break;
        }
        *h *= 0.5;
        SS_TRY(try_stretch(x, *h, fast));
    }
    return SS_OK;
}

static bool is_near(const stretch *x, const ss_contact_id *id)
{
    for (int k = 0; k < x->w->near.n; k++) {
        if (ss_contact_id_compare(&x->w->near.c[k].id, id) == 0) {
            return true;
        }
    }
    return false;
}

/* Features change along the way: a corner that slides over an edge meets what was not near at the start. Keeps the
 * overlaps at the end that nobody watched, and says whether there are any. */
static ss_status look_again(stretch *x, double h, bool *found)
{
    ss_contact_set *end = &x->w->at_end;
    int n = 0;
    ss_config_set(x->s->model, x->t + h, x->q_end, &x->there);
    SS_TRY(ss_finder_find(x->s->finder, &x->there, 0, end));
    for (int k = 0; k < end->n; k++) {
        ss_contact_value value;
        ss_contact_eval(x->s->model, &x->there, &end->c[k], &value);
        if (value.gap < -1e-9 * unit_of(x, &end->c[k]) && value.outside <= 0 && !is_near(x, &end->c[k].id)) {
            end->c[n++] = end->c[k];
        }
    }
    end->n = n;
    *found = n > 0;
    return ss_contacts_merge(x->s->ctx, &x->w->missed, end);
}

static void activate_touching(stretch *x)
{
    x->active_count = 0;
    for (int k = 0; k < x->w->near.n; k++) {
        if (is_motor(x, k) || touches(x, k)) {
            x->is_active[k] = true;
            x->active[x->active_count++] = k;
        }
    }
}

/* One stretch: from a state without collisions, over h, less where it has to be cut. */
static ss_status advance(stretch *x, double h, double *taken)
{
    bool fast = false, more = true;
    for (int look = 0; more && look < 3; look++) {
        if (look > 0) {
            SS_TRY(survey(x, h));
        }
        *taken = h;
        activate_touching(x);
        SS_TRY(fit_stretch(x, taken, &fast));
        SS_TRY(look_again(x, *taken, &more));
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
    SS_TRY(ss_arena_take(arena, (size_t)x->s->model->nj, sizeof(double), &x->joint_error));
    SS_TRY(ss_arena_take(arena, nv, sizeof(double), &x->v_predicted));
    SS_TRY(ss_arena_take(arena, nv, sizeof(double), &x->free_acceleration));
    SS_TRY(ss_arena_take(arena, nv, sizeof(double), &x->total_impulse));
    SS_TRY(ss_arena_take(arena, nv * SS_FORCE_CLASSES, sizeof(double), &x->impulse));
    SS_TRY(ss_config_take(arena, x->s->model, &x->here));
    return ss_config_take(arena, x->s->model, &x->there);
}

static ss_status step(ss_stepper *s, double h)
{
    const ap_params *p = s->params;
    stretch x = { .s = s,
                  .p = p,
                  .w = s->work,
                  .friction = { SS_LAW_POLYHEDRAL, p->directions },
                  .t = s->now->t,
                  .q = s->next->q,
                  .v = s->next->v };
    SS_TRY(take_arrays(&x));
    for (double left = h, taken = 0; left > 0; left = taken < left ? left - taken : 0) {
        bool happened = false;
        x.w->missed.n = 0;
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
    return p->directions % 2 == 0
               ? SS_OK
               : ss_fail(s->ctx, SS_ERR_INPUT, "scheme.directions: expected an even number, got %d", p->directions);
}

static void destroy(ss_context *ctx, void *work)
{
    ap_work *w = work;
    if (w) {
        ss_assembly_destroy(ctx, w->probe);
        ss_assembly_destroy(ctx, w->step);
        ss_redundancy_destroy(w->redundancy);
        ss_contacts_free(ctx, &w->near);
        ss_contacts_free(ctx, &w->missed);
        ss_contacts_free(ctx, &w->at_end);
        ss_free(ctx, w->body_radius);
        ss_free(ctx, w->mass_factor);
        ss_free(ctx, w);
    }
}

static ss_status fill_work(const ss_stepper *s, ap_work *w)
{
    const ss_model *m = s->model;
    int last = m->mass.blocks - 1;
    SS_TRY(ss_assembly_create(s->ctx, m, &w->probe));
    SS_TRY(ss_assembly_create(s->ctx, m, &w->step));
    SS_TRY(ss_redundancy_create(s->ctx, m, &w->redundancy));
    w->step->redundant = ss_redundancy_rows(w->redundancy);
    SS_TRY(ss_calloc(s->ctx, (size_t)(m->mass.start[last] + m->mass.size[last] * m->mass.size[last]), sizeof(double),
                     &w->mass_factor));
    SS_TRY(ss_blockdiag_factor(s->ctx, &m->mass, w->mass_factor));
    SS_TRY(ss_calloc(s->ctx, (size_t)m->bodies, sizeof(double), &w->body_radius));
    for (int i = 0; i < m->shapes; i++) {
        double radius = ss_shape_radius(&m->shape[i]);
        w->body_radius[m->shape_body[i]] = fmax(w->body_radius[m->shape_body[i]], isfinite(radius) ? radius : 0);
    }
    return SS_OK;
}

static ss_status create(ss_stepper *s, void **work, double *block)
{
    (void)block;
    ap_work *w;
    SS_TRY(check_laws(s, s->params));
    SS_TRY(ss_calloc(s->ctx, 1, sizeof *w, &w));
    *work = w;
    return fill_work(s, w);
}

const ss_scheme_type ss_scheme_anitescu_potra = {
    .info = { .name = "anitescu_potra",
              .title = "Euler with a solvable LCP per step",
              .reference = "AP97",
              .order = { .smooth = 1, .impacts = 1, .norm = "final" },
              .laws = SS_LAW_UNILATERAL | SS_LAW_POLYHEDRAL | SS_LAW_BOUNDED | SS_LAW_NEWTON | SS_LAW_POISSON,
              .dimensions = 4 | 8,
              .fields = fields,
              .params_size = sizeof(ap_params) },
    .create = create,
    .destroy = destroy,
    .step = step,
};
