/* trapezoidal.c - linearly implicit trapezoidal rule: order 2 with contact and friction, one contact problem per step.
 *
 * A step is cut where contacts close (located_step.c). Between the cuts it is one contact problem (substep.c), whose forces are
 * linearised (forces.c), so that stiff springs and dampers do not bound its length.                        [PAGT06 section 8]
 *
 *     active      gaps up to what counts as closed, and contacts that press                               [PAGT06 eq. 7.1]
 *     collisions  the first root of a gap along the path of the substep                                   [PAGT06 eq. 7.2, 7.3]
 *     impacts     compression and decompression, as in anitescu_potra (impact.c)                          [PAGT06 eq. 7.5-7.9]
 *
 * Deviations   The paper finds the root of a cubic in time through the gap and its rate at both ends (section 10); here it is
 *              that of the gap itself on the path (7.2), so that the gap is closed there. Where the gap is linear in q both are
 *              the same.
 *              An impact that would be followed by a flight of less than a tenth of a step is inelastic, so that infinitely many
 *              end.
 * Order        2, through impacts too; 1 for variant 1 with `averaged` = off where joints or contacts turn
 * Cost         one contact problem per step without events; an impact costs 2 more, and one for the rest of the step */
#include "kernels/impact.h"
#include "kernels/located_step.h"
#include "schemes/trapezoidal/changes.h"
#include <math.h>

static const double LIFTED = 10; /* times as fast as before an impact leaves what it lifts */

static const ss_field fields[] = {
    SS_OPTION_INT(ss_trap_params, variant, 1, 1, 2,
                  "1: friction by the slip at the end of a step; 2: by the mean slip, which rings where contacts stick"),
    SS_OPTION_CHOICE(
        ss_trap_params, averaged, SS_TRAP_ON, "on|off",
        "of variant 1: joints and normals ask for the mean velocity; off: for that at the end, as printed, of order 1"),
    SS_OPTION_CHOICE(ss_trap_params, detect, SS_TRAP_ON, "on|off",
                     "cut steps where contacts begin or stop to slip, or come off; where they close steps are always cut"),
    SS_OPTION_CHOICE(
        ss_trap_params, project, SS_TRAP_PROJECT_AUTO, "auto|off|on",
        "project positions and velocities onto the joints at the end of a step; auto: of a step from where joints are "
        "apart by a hundredth of their unit; with a tolerance always"),
    SS_OPTION_CHOICE(ss_trap_params, jacobian, SS_TRAP_AUTO, "exact|positive|auto",
                     "derivatives of forces: exact; those that keep the step matrix positive; exact where that is positive"),
    SS_OPTIONS_CONE(ss_trap_params, SS_CONE_AUTO, 60),
    SS_OPTION_CHOICE(ss_trap_params, restitution, SS_RESTITUTION_POISSON, "poisson|simplified|newton", "impact law"),
    SS_OPTION_NUMBER(
        ss_trap_params, threshold, 0, 0, INFINITY,
        "impacts slower than this are inelastic, m/s; so are those after which a flight lasts less than a tenth of a step"),
    SS_OPTION_INT(ss_trap_params, max_events, 100, 1, 1e9,
                  "most collisions located in one step; the rest of the step is inelastic"),
    SS_FIELD_END,
};

/* ---- the scheme's own step, as the located step asks for it ----------------------------------------- */

static ss_status begin(void *user)
{
    ss_trap *x = user;
    x->stops = 0;
    ss_vicinity_forget(x->around);
    return SS_OK;
}

static ss_status survey(void *user, double h) { return ss_trap_survey(user, h); }

static ss_status attempt(void *user, double h) { return ss_trap_go(user, h); }

static ss_status gaps(void *user, double h, int count, const int *which, double *gap)
{
    ss_trap *x = user;
    (void)h;
    ss_trap_go_there(x);
    return ss_vicinity_gaps(x->around, x->s->model, &x->there, count, which, gap);
}

static ss_status changes(void *user, double *h)
{
    ss_trap *x = user;
    return x->p->detect == SS_TRAP_ON ? ss_trap_find_change(x, h) : SS_OK;
}

static ss_status look(void *user, double h, bool *more, bool *hidden)
{
    ss_trap *x = user;
    (void)h;
    ss_trap_go_there(x);
    return ss_vicinity_look_again(x->around, x->s, &x->start.here, &x->there, more, hidden);
}

static ss_status passes(void *user, double h, double *inside)
{
    ss_trap *x = user;
    const ss_path path = { x->start.t, h, x->start.q, x->end.v_mean, NULL, NULL };
    ss_met met;
    SS_TRY(ss_passing_check(x->around->passing, x->s, x->around, &x->active, &path, &met));
    *inside = met.inside;
    return SS_OK;
}

static ss_status accept(void *user, double h)
{
    (void)h;
    return ss_trap_accept(user);
}

static bool holds(void *user, int k) { return ss_trap_holds(user, k); }

static bool stops(void *user, int k) { return ss_trap_has_to_stop(user, k); }

/* Does contact k of the survey approach too slowly to bounce? One at rest does not: which sign its round-off has says nothing. */
static bool is_slow(const ss_trap *x, int k)
{
    return x->around->approach[k] <= x->around->slow[k] && ss_trap_moves(x, &x->around->near.c[k], x->around->approach[k]);
}

/* Velocities have jumped: contacts may go on in any mode, and one that the impact lifts does not press any more. How fast a
 * contact that presses moves along its normal, before and after, is an error of the method. */
static void let_go(ss_trap *x, const ss_collision *now)
{
    const ss_problem *p = &x->a->problem;
    ss_contact_cache *cache = &x->s->next->cache;
    for (int i = 0; i < cache->level[ss_trap_numbers.level].n; i++) {
        cache->number[SS_TRAP_NUMBERS * i + SS_TRAP_DUE] = 1;
        cache->number[SS_TRAP_NUMBERS * i + SS_TRAP_SPAN] = 0;
    }
    for (int k = 0; k < now->n; k++) {
        const ss_contact *c = &x->around->near.c[now->which[k]];
        double *number = ss_contact_cache_numbers(cache, &c->id);
        const double speed = ss_csr_row_dot(&p->H, p->row[k], x->start.v) + x->a->w_drive[p->row[k]];
        if (number && speed > LIFTED * fabs(x->around->approach[now->which[k]]) && ss_trap_moves(x, c, speed)) {
            number[SS_TRAP_HELD_GAP] = 0;
        }
    }
}

/* What approaches slowly does not bounce; nor does what is at rest, unless something else strikes fast. */
static ss_status collide(void *user, const ss_collision *now)
{
    ss_trap *x = user;
    double *e;
    bool slow = false, fast = false;
    SS_TRY(ss_arena_take(x->s->arena, (size_t)now->n, sizeof *e, &e));
    for (int k = 0; k < now->n; k++) {
        slow = slow || is_slow(x, now->which[k]);
        fast = fast || x->around->approach[now->which[k]] > x->around->slow[now->which[k]];
    }
    for (int k = 0; k < now->n; k++) {
        e[k] = now->elastic && fast && !is_slow(x, now->which[k]) ? x->around->near.c[now->which[k]].e : 0;
    }
    x->stops += slow;
    ss_config_drive(x->s->model, x->start.t, x->start.t, &x->start.here);
    SS_TRY(
        ss_assembly_geometry(x->a, &x->start.here, &x->around->near, now->n, now->which, ss_cone_coulomb(x->s, x->p->cone), 0));
    SS_TRY(ss_impact(x->s, x->a, &x->start.here, (ss_restitution)x->p->restitution, e, now->trigger, x->start.v));
    let_go(x, now);
    return SS_OK;
}

/* ---- the scheme ----------------------------------------------------------------------------------- */

static ss_status step(ss_stepper *s, double h)
{
    ss_trap *x = s->work;
    const ss_located_client client = { .user = x,
                                       .around = x->around,
                                       .active = &x->active,
                                       .begin = begin,
                                       .survey = survey,
                                       .holds = holds,
                                       .stops = stops,
                                       .collide = collide,
                                       .attempt = attempt,
                                       .gaps = gaps,
                                       .changes = changes,
                                       .look = look,
                                       .passes = passes,
                                       .accept = accept };
    const ss_located_rules rules = { .locate = true, .absorbs = false, .dips = true, .max_events = x->p->max_events };
    SS_TRY(ss_trap_begin(x, s));
    SS_TRY(ss_located_step(s, &client, &rules, h));
    s->next->t = s->now->t + s->length.taken;
    return SS_OK;
}

static ss_status create(ss_stepper *s, void **work, double *scheme_state)
{
    const ss_trap_params *p = s->params;
    ss_trap *x = NULL;
    (void)scheme_state;
    SS_TRY(ss_impact_check(s, (ss_restitution)p->restitution));
    SS_TRY(ss_friction_check(s, ss_cone_coulomb(s, p->cone)));
    ss_status status = ss_trap_create(s, &x);
    *work = x;
    return status;
}

static void destroy(ss_context *ctx, void *work) { ss_trap_destroy(ctx, work); }

static ss_order order(const void *params)
{
    const ss_trap_params *p = params;
    const bool printed = p->variant == 1 && p->averaged == SS_TRAP_OFF;
    return (ss_order){ .smooth = printed || p->jacobian == SS_TRAP_POSITIVE ? 1 : 2,
                       .impacts = printed ? 1 : 2,
                       .norm = "final",
                       .overlap = 2,
                       .joints_drift = p->project != SS_TRAP_PROJECT_ALWAYS };
}

const ss_scheme_type ss_scheme_trapezoidal = {
    .info = { .name = "trapezoidal",
              .title = "linearly implicit trapezoidal rule with located events",
              .reference = "PAGT06",
              .order = { .smooth = 2, .impacts = 2, .norm = "final", .overlap = 2, .joints_drift = true },
              .laws = SS_LAW_UNILATERAL | SS_LAW_POLYHEDRAL | SS_LAW_COULOMB | SS_LAW_BOUNDED | SS_LAW_ROLLING | SS_LAW_NEWTON |
                      SS_LAW_POISSON,
              .dimensions = 4 | 8,
              .fields = fields,
              .params_size = sizeof(ss_trap_params) },
    .order = order,
    .contact_numbers = &ss_trap_numbers,
    .create = create,
    .destroy = destroy,
    .step = step,
};
