/* anitescu_potra.c - Euler time stepping whose every step is a solvable linear complementarity problem.
 *
 *     M (v' - v) = h k + G' lam + H_N' c_n + sum D beta          momentum         [AP97 eq. 2.8]
 *     G v'       = 0                                             joints           [AP97 eq. 2.9]
 *     H_N v' >= 0  _|_  c_n >= 0                                 contact          [AP97 eq. 2.10]
 *     lambda e + D' v' >= 0  _|_  beta >= 0                      friction polygon [AP97 eq. 2.11]
 *     mu c_n - e' beta >= 0  _|_  lambda >= 0                                     [AP97 eq. 2.12]
 *     G, H, M at the predicted q + h v, k there too or at q (`force`); of springs, dampers and user blocks k is that of
 *     the end of the step, linearised (`forces`, implicit.c): (M - h C - h^2 K) v' = M v + ..           [AP02]
 *     q' = q + h v' (`position` = new) or q + h v (old, section 4 as printed)
 *
 * Strategy of section 4: a step is cut where a fast contact closes (`locate`), the impact is resolved by
 * the two-phase law of section 3, and the rest of the step starts from there (located_step.c). A contact that
 * touches and still approaches, at t = 0 or because an overlap persists, is a collision too.
 *
 * Deviations   `stabilise` = gap: contacts are stabilised by their linearised gaps, joints by projection (euler.c); where
 *              neither helps, rows turn too much within h (a whip), the substep is halved.
 *              A contact that approaches slower than the threshold speed is not located but closed by its
 *              step, with e = 0: infinitely many impacts end there. The threshold is at least the speed
 *              that the free acceleration gives in two steps, so it vanishes with h.
 * Symbols      u_N normal velocity, Phi gap; paper: nu -> rows of G, n and D -> rows of H
 * Order        1 in position and velocity, through impacts too
 * Cost         one LCP per step without impact; a located impact costs about 6 more, and 2 for the law */
#include "base/tolerances.h"
#include "kernels/euler.h"
#include "kernels/impact.h"
#include "kernels/located_step.h"
#include <math.h>

enum { POSITION_NEW, POSITION_OLD };
enum { FORCE_NEW, FORCE_OLD };
enum { FORCES_IMPLICIT, FORCES_EXPLICIT };
enum { STABILISE_OFF, STABILISE_GAP };

typedef struct ap_params {
    ss_cone_options cone;
    int restitution, position, force, forces, stabilise, iterations, max_events;
    bool locate;
    double threshold;
} ap_params;

static const ss_field fields[] = {
    SS_OPTIONS_CONE(ap_params, SS_CONE_AUTO, 60),
    SS_OPTION_CHOICE(ap_params, restitution, SS_RESTITUTION_POISSON, "poisson|simplified|newton", "impact law"),
    SS_OPTION_NUMBER(ap_params, threshold, 0, 0, INFINITY,
                     "impacts slower than this are inelastic, m/s; at least the speed gained in two steps"),
    SS_OPTION_CHOICE(ap_params, position, POSITION_NEW, "new|old",
                     "velocity that advances the positions: that after the step, or that before it as in the paper"),
    SS_OPTION_CHOICE(
        ap_params, forces, FORCES_IMPLICIT, "implicit|explicit",
        "implicit: springs, dampers and forces of user blocks are those of the end of the step, linearised, and stable "
        "however stiff; explicit: as in the paper"),
    SS_OPTION_CHOICE(ap_params, force, FORCE_NEW, "new|old",
                     "explicit forces are evaluated at q + h v (new), or at q as in the paper (old)"),
    SS_OPTION_CHOICE(ap_params, stabilise, STABILISE_GAP, "off|gap",
                     "gap: bring violated gaps and joints back to zero within the step"),
    SS_OPTION_INT(ap_params, iterations, 4, 1, 100, "most evaluations of the contact geometry in a step; 1: at q + h v only"),
    SS_OPTION_BOOL(
        ap_params, locate, true,
        "split the step at collisions; false: impacts act at the start of the step, and e = 0 within it (large systems)"),
    SS_OPTION_INT(ap_params, max_events, 100, 1, 1e9, "most collisions located in one step; the rest of the step is inelastic"),
    SS_FIELD_END,
};

/* ---- the scheme's own step, as the located step asks for it ----------------------------------------- */

static ss_status begin(void *user) { return ss_euler_new_substep(user); }

static ss_status survey(void *user, double h) { return ss_euler_survey(user, h); }

static ss_status attempt(void *user, double h) { return ss_euler_step(user, h); }

static ss_status accept(void *user, double h) { return ss_euler_accept(user, h); }

static void go_to_end(ss_euler *e, double h) { ss_config_set(e->s->model, e->start.t + h, e->end.q, &e->there); }

static ss_status gaps(void *user, double h, int count, const int *which, double *gap)
{
    ss_euler *e = user;
    go_to_end(e, h);
    return ss_vicinity_gaps(e->around, e->s->model, &e->there, count, which, gap);
}

/* Where rows turn too much within h for the iteration on the gaps to converge (a whip), the substep is halved until the joints
 * can be projected and contacts overlap by less than a millionth of the length, or no worse than at the start, and create no
 * energy. Not where the gaps were left out of a problem that has no solution with them: a shorter substep has none either. */
static ss_status judge(void *user, double h, bool *halve)
{
    ss_euler *e = user;
    const bool stabilised = e->o.stabilise && !e->o.old_moves && !e->fault.unsolvable;
    *halve = ss_euler_can_improve(e, h) && stabilised;
    if (*halve && e->end.joints_satisfied) {
        *halve = !e->end.fits;
        SS_TRY(*halve ? ss_euler_is_off(e, h, SS_TOL_FITS, halve) : SS_OK);
    }
    *halve = *halve || (stabilised && ss_euler_turns_too_far(e, h));
    return SS_OK;
}

static ss_status look(void *user, double h, bool *more, bool *hidden)
{
    ss_euler *e = user;
    go_to_end(e, h);
    return ss_vicinity_look_again(e->around, e->s, &e->start.here, &e->there, more, hidden);
}

static ss_status passes(void *user, double h, double *inside)
{
    ss_met met;
    SS_TRY(ss_euler_passes(user, h, &met));
    *inside = met.inside;
    return SS_OK;
}

static ss_status collide(void *user, const ss_collision *now)
{
    ss_euler *x = user;
    const ap_params *p = x->s->params;
    double *e;
    SS_TRY(ss_arena_take(x->s->arena, (size_t)now->n, sizeof *e, &e));
    for (int k = 0; k < now->n; k++) {
        e[k] = now->elastic ? x->around->near.c[now->which[k]].e : 0;
    }
    ss_config_drive(x->s->model, x->start.t, x->start.t, &x->start.here);
    SS_TRY(ss_assembly_geometry(x->a, &x->start.here, &x->around->near, now->n, now->which, x->o.friction, 0));
    return ss_impact(x->s, x->a, &x->start.here, (ss_restitution)p->restitution, e, now->trigger, x->start.v);
}

/* ---- the scheme ----------------------------------------------------------------------------------- */

static ss_status step(ss_stepper *s, double h)
{
    const ap_params *p = s->params;
    ss_euler *e = s->work;
    const ss_euler_options o = { .friction = ss_cone_coulomb(s, p->cone),
                                 .ahead = true,
                                 .force_ahead = p->force == FORCE_NEW,
                                 .implicit = p->forces == FORCES_IMPLICIT,
                                 .old_moves = p->position == POSITION_OLD,
                                 .stabilise = p->stabilise == STABILISE_GAP,
                                 .iterations = p->iterations,
                                 .threshold = p->threshold };
    const ss_located_client client = { .user = e,
                                       .around = e->around,
                                       .active = &e->active,
                                       .begin = begin,
                                       .survey = survey,
                                       .collide = collide,
                                       .attempt = attempt,
                                       .gaps = gaps,
                                       .judge = judge,
                                       .look = look,
                                       .passes = passes,
                                       .accept = accept };
    const ss_located_rules rules = { .locate = p->locate, .absorbs = o.stabilise, .recalls = true, .max_events = p->max_events };
    SS_TRY(ss_euler_begin(e, s, &o));
    SS_TRY(ss_located_step(s, &client, &rules, h));
    s->next->t = s->now->t + s->length.taken;
    return SS_OK;
}

static void destroy(ss_context *ctx, void *work) { ss_euler_destroy(ctx, work); }

static ss_status create(ss_stepper *s, void **work, double *scheme_state)
{
    (void)scheme_state;
    ss_euler *e = NULL;
    const ap_params *p = s->params;
    SS_TRY(ss_impact_check(s, (ss_restitution)p->restitution));
    SS_TRY(ss_friction_check(s, ss_cone_coulomb(s, p->cone)));
    ss_status status = ss_euler_create(s->ctx, s->model, &e);
    *work = e;
    return status;
}

/* without stabilisation nothing puts positions back onto the joints */
static ss_order order(const void *params)
{
    const bool drift = ((const ap_params *)params)->stabilise != STABILISE_GAP;
    return (ss_order){ .smooth = 1, .impacts = 1, .norm = "final", .joints_drift = drift };
}

const ss_scheme_type ss_scheme_anitescu_potra = {
    .info = { .name = "anitescu_potra",
              .title = "Euler with a solvable LCP per step",
              .reference = "AP97",
              .order = { .smooth = 1, .impacts = 1, .norm = "final" },
              .laws = SS_LAW_UNILATERAL | SS_LAW_POLYHEDRAL | SS_LAW_COULOMB | SS_LAW_BOUNDED | SS_LAW_ROLLING | SS_LAW_NEWTON |
                      SS_LAW_POISSON,
              .dimensions = 4 | 8,
              .fields = fields,
              .params_size = sizeof(ap_params) },
    .order = order,
    .create = create,
    .destroy = destroy,
    .step = step,
};
