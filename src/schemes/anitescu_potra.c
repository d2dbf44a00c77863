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
 * Deviations   `stabilise` = gap: contacts are stabilised by their linearised gaps, joints by projection (euler.c); where
 *              neither helps, rows turn too much within h (a whip), the stretch is halved.
 *              A contact that approaches slower than the threshold speed is not located but closed by its
 *              step, with e = 0: infinitely many impacts end there. The threshold is at least the speed
 *              that the free acceleration gives in two steps, so it vanishes with h.
 * Symbols      u_N normal velocity, Phi gap; paper: nu -> rows of G, n and D -> rows of H
 * Order        1 in position and velocity, through impacts too
 * Cost         one LCP per step without impact; a located impact costs about 6 more, and 2 for the law */
#include "events/events.h"
#include "kernels/euler.h"
#include "kernels/impact.h"
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

static ss_friction friction_of(const ap_params *p)
{
    return (ss_friction){ p->cone == CONE_CIRCULAR ? SS_LAW_COULOMB : SS_LAW_POLYHEDRAL, p->directions };
}

/* A step under way: its stretches from (t, q, v) on. */
typedef struct ap_step {
    ss_stepper *s;
    const ap_params *p;
    ss_euler *e;
    ss_vicinity *around; /* of the Euler step             */
    int events;          /* collisions so far in this step */
} ap_step;

/* on a gap in its own unit, where a collision is located */
static const double ROOT = 1e-13;

/* ---- which contacts ------------------------------------------------------------------------------ */

static bool is_motor(const ap_step *x, int k) { return x->around->near.c[k].id.kind == SS_CONTACT_MOTOR; }

static bool touches(const ap_step *x, int k)
{
    return !is_motor(x, k) && x->around->gap[k] <= ss_euler_touch_tolerance(x->e, k) &&
           x->around->outside[k] <= 1e-9 * x->s->model->length;
}

/* ---- collisions --------------------------------------------------------------------------------- */

/* Without location there is nothing to tell an inelastic collision from a contact that closes within the step: the step's
 * own problem resolves both, all of them at once. */
static bool closes_within(const ap_step *x, int k) { return !x->p->locate && x->around->near.c[k].e == 0; }

/* Without location a fast contact that would close within h collides now, at the start of the step. */
static bool collides(const ap_step *x, int k, double h)
{
    if (is_motor(x, k) || x->around->approach[k] <= x->around->slow[k] || closes_within(x, k)) {
        return false;
    }
    bool closes =
        !x->p->locate && x->around->gap[k] <= h * x->around->approach[k] && x->around->outside[k] <= h * x->around->approach[k];
    return touches(x, k) || closes;
}

/* Resolve what collides now; *happened says whether anything did. */
static ss_status collide(ap_step *x, double h, bool *happened)
{
    int trigger = -1, position = 0;
    x->e->active_count = 0;
    for (int k = 0; k < x->around->near.n; k++) {
        if (!touches(x, k) && !collides(x, k, h)) {
            continue;
        }
        if (trigger < 0 && collides(x, k, h)) {
            trigger = k;
            position = x->e->active_count;
        }
        x->e->active[x->e->active_count++] = k;
    }
    *happened = trigger >= 0;
    if (!*happened) {
        return SS_OK;
    }
    ss_assembly *a = x->e->a;
    double *e;
    SS_TRY(ss_arena_take(x->s->arena, (size_t)x->e->active_count, sizeof *e, &e));
    for (int k = 0; k < x->e->active_count; k++) {
        e[k] = x->events < x->p->max_events ? x->around->near.c[x->e->active[k]].e : 0;
    }
    ss_config_drive(x->s->model, x->e->t, x->e->t, &x->e->here);
    SS_TRY(ss_assembly_geometry(a, &x->e->here, &x->around->near, x->e->active_count, x->e->active, x->e->o.friction, 0));
    x->events++;
    return ss_impact(x->s, a, &x->e->here, (ss_restitution)x->p->restitution, e, position, x->e->v);
}

/* ---- cutting the step where a contact closes ----------------------------------------------------- */

/* gap at the end of the last Euler step, as long as the witness lies on the features */
static ss_status find_closing(ap_step *x, int k, double *gap)
{
    ss_contact_value value;
    SS_TRY(ss_contact_eval(x->s->ctx, x->s->model, &x->e->there, &x->around->near.c[k], &value));
    *gap = fmax(value.gap, value.outside);
    return SS_OK;
}

/* event functions: the gaps at the end of an Euler step of length s, each in its own unit */
static ss_status gaps_after(void *user, double s, int count, const int *which, double *g)
{
    ap_step *x = user;
    SS_TRY(ss_euler_step(x->e, s));
    ss_config_set(x->s->model, x->e->t + s, x->e->q_end, &x->e->there);
    for (int k = 0; k < count; k++) {
        SS_TRY(find_closing(x, which[k], &g[k]));
        g[k] /= ss_contact_unit(x->s->model, &x->around->near.c[which[k]]);
    }
    return SS_OK;
}

/* Contacts that the step would push through: slow ones join the problem, fast ones are to be located. */
static ss_status find_violations(ap_step *x, double h, bool *joined, bool *fast)
{
    bool slow_joins = x->p->stabilise == STABILISE_GAP || !x->p->locate || x->events >= x->p->max_events;
    *joined = *fast = false;
    ss_config_set(x->s->model, x->e->t + h, x->e->q_end, &x->e->there);
    for (int k = 0; k < x->around->near.n; k++) {
        double end = 0;
        if (!x->e->is_active[k] && !is_motor(x, k)) {
            SS_TRY(find_closing(x, k, &end));
        }
        if (end >= -ss_euler_touch_tolerance(x->e, k)) {
            continue;
        }
        bool is_slow = x->around->gap[k] - end <= h * x->around->slow[k] ||
                       x->around->gap[k] <= ss_euler_touch_tolerance(x->e, k) || closes_within(x, k);
        if (slow_joins && (is_slow || x->events >= x->p->max_events)) {
            ss_euler_activate(x->e, k);
            *joined = true;
        } else {
            *fast = true;
        }
    }
    return SS_OK;
}

/* length of the stretch until the first contact closes */
static ss_status locate(ap_step *x, double h, double *length)
{
    int n = x->around->near.n;
    double *start, *armed;
    SS_TRY(ss_arena_take(x->s->arena, (size_t)n, sizeof *start, &start));
    SS_TRY(ss_arena_take(x->s->arena, (size_t)n, sizeof *armed, &armed));
    for (int k = 0; k < n; k++) {
        double unit = ss_contact_unit(x->s->model, &x->around->near.c[k]);
        armed[k] = ss_euler_touch_tolerance(x->e, k) / unit;
        bool watch = !x->e->is_active[k] && !is_motor(x, k) && x->around->gap[k] / unit > armed[k];
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
static ss_status try_stretch(ap_step *x, double h, bool *fast)
{
    bool joined = true;
    for (int pass = 0; joined && pass <= x->around->near.n; pass++) {
        SS_TRY(ss_euler_step(x->e, h));
        SS_TRY(find_violations(x, h, &joined, fast));
    }
    return SS_OK;
}

/* Where rows turn too much within h to be linearised (a whip), the stretch is halved until the joints can be projected
 * and contacts overlap by less than a ten-thousandth of the length, or no worse than at the start. */
static ss_status fit_stretch(ap_step *x, double *h, bool *fast)
{
    SS_TRY(try_stretch(x, *h, fast));
    while (ss_euler_can_improve(x->e, *h)) {
        bool off = !x->e->fits;
        if (!off) {
            SS_TRY(ss_euler_is_off(x->e, *h, 1e-4, &off));
        }
        if (!off) {
            break;
        }
        *h *= 0.5;
        SS_TRY(try_stretch(x, *h, fast));
    }
    return SS_OK;
}

/* Whatever is near and closes within the step, if it closes: with its gap in the offset it does no harm if it does not, and
 * one problem with it is cheaper than several that find one after the other missing. */
static bool may_close(const ap_step *x, int k)
{
    return x->p->stabilise == STABILISE_GAP && closes_within(x, k) && x->around->outside[k] <= 0;
}

static void activate_touching(ap_step *x)
{
    x->e->active_count = 0;
    for (int k = 0; k < x->around->near.n; k++) {
        if (is_motor(x, k) || touches(x, k) || may_close(x, k)) {
            x->e->is_active[k] = true;
            x->e->active[x->e->active_count++] = k;
        }
    }
}

/* One stretch: from a state without collisions, over h, less where it has to be cut: so that nothing passes through
 * anything unseen, where rows turn too much, where a fast contact closes. */
static ss_status advance(ap_step *x, double h, double *taken)
{
    bool fast = false, more = true, hidden = true;
    double most = fmin(h, fmax(x->around->safe, ss_euler_shortest(x->e)));
    for (int look = 0; (more || hidden) && look < 12; look++) {
        if (look > 0) {
            SS_TRY(ss_euler_survey(x->e, h));
        }
        *taken = most;
        activate_touching(x);
        SS_TRY(fit_stretch(x, taken, &fast));
        ss_config_set(x->s->model, x->e->t + *taken, x->e->q_end, &x->e->there);
        SS_TRY(ss_vicinity_look_again(x->around, x->s, &x->e->here, &x->e->there, &more, &hidden));
        hidden = hidden && *taken > ss_euler_shortest(x->e);
        most = hidden ? 0.5 * *taken : most;
    }
    if (fast && x->p->locate) {
        SS_TRY(locate(x, *taken, taken));
        SS_TRY(ss_euler_step(x->e, *taken)); /* the search ends on another length than the one it returns */
    }
    return ss_euler_accept(x->e, *taken);
}

/* ---- the scheme ----------------------------------------------------------------------------------- */

static ss_status step(ss_stepper *s, double h)
{
    const ap_params *p = s->params;
    ap_step x = { .s = s, .p = p, .e = s->work, .around = ((ss_euler *)s->work)->around };
    ss_euler_options o = { .friction = friction_of(p),
                           .ahead = true,
                           .force_ahead = p->force == FORCE_NEW,
                           .old_moves = p->position == POSITION_OLD,
                           .stabilise = p->stabilise == STABILISE_GAP,
                           .iterations = p->iterations,
                           .threshold = p->threshold };
    SS_TRY(ss_euler_begin(x.e, s, &o));
    for (double left = h, taken = 0; left > 0; left = taken < left ? left - taken : 0) {
        bool happened = false;
        SS_TRY(ss_euler_new_stretch(x.e));
        do {
            SS_TRY(ss_euler_survey(x.e, left));
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
    return ss_friction_check(s, friction_of(p));
}

static void destroy(ss_context *ctx, void *work) { ss_euler_destroy(ctx, work); }

static ss_status create(ss_stepper *s, void **work, double *block)
{
    (void)block;
    ss_euler *e = NULL;
    SS_TRY(check_laws(s, s->params));
    ss_status status = ss_euler_create(s->ctx, s->model, &e);
    *work = e;
    return status;
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
