/* What every scheme of the registry owes on every scene of the project: certified steps, a ledger that
 * closes, the same bits when a run is split or restarted, no memory taken after warm-up; and on some scenes what
 * the scene itself demands: rest, no drift, no energy from nowhere, whatever the size. */
#include "test.h"

#include "conformance/adapt.h"
#include "sim/sim.h"
#include <float.h>

/* The deepest overlap that a scene may show, in lengths of the model, or in radians where a limit of a joint is overrun.
 *   TOUCH  nothing turns about a contact, so gaps are linear in the motion of a step: what is left is the tolerance
 *          within which a gap counts as closed.
 *   TURN   gaps of turning contacts are linearised over a step: wherever that leaves more than a millionth, the
 *          geometry is taken again. */
static const double TOUCH = 1e-10, TURN = 1e-6;

static const struct scene_case {
    const char *path;
    bool turns;
    int steps; /* of a long run that are made unless SLIPSTICK_FULL=1; 0: all */
} scenes[] = {
    { "papers/ap97/rod_impact.json", true, 0 },
    { "papers/ap97/ramp.json", false, 0 },
    { "papers/ap97/sliding_cube.json", false, 0 },
    { "papers/ap97/chatter.json", false, 0 },
    { "papers/ap97/painleve_rod.json", true, 0 },
    { "scenes/chain.json", false, 300 },
    { "scenes/mass_ratio.json", false, 0 },
    { "scenes/showcase.json", true, 0 },
    { "scenes/cradle.json", false, 0 },
    { "scenes/slip_to_roll.json", false, 0 },
    { "tests/conformance/rolling.json", false, 0 },
    { "scenes/arm.json", true, 0 },
};
enum { SCENES = sizeof scenes / sizeof *scenes, STEPS = 60, LONG = 1500 };

static int find_scene(const char *path)
{
    for (int k = 0; k < SCENES; k++) {
        if (strcmp(scenes[k].path, path) == 0) {
            return k;
        }
    }
    fail_msg("%s is not among the scenes", path);
    return -1;
}

typedef struct run {
    ss_context *ctx;
    ss_scene *scene;
    ss_model *model;
    ss_sim *sim;
    const char *label;
} run;

static run begin_with(int scene, int scheme, const char *solver)
{
    run r = { .ctx = test_context(), .label = scenes[scene].path };
    ss_sim_options options = ss_sim_options_default();
    options.scheme = ss_registry_entry(SS_SCHEMES, scheme)->name;
    options.solver = solver;
    CHECK_OK(r.ctx, ss_scene_read(r.ctx, scenes[scene].path, 0, NULL, &r.scene));
    adapt(r.scene, ss_registry_entry(SS_SCHEMES, scheme));
    CHECK_OK(r.ctx, ss_model_compile(r.ctx, r.scene, &r.model));
    CHECK_OK(r.ctx, ss_sim_create(r.ctx, r.model, &options, &r.sim));
    return r;
}

static run begin(int scene, int scheme) { return begin_with(scene, scheme, NULL); }

static void end(run *r)
{
    ss_sim_destroy(r->sim);
    ss_model_destroy(r->model);
    ss_scene_destroy(r->scene);
    ss_context_destroy(r->ctx);
}

static void advance(run *r, int steps)
{
    for (int k = 0; k < steps; k++) {
        CHECK_OK(r->ctx, ss_sim_step(r->sim, ss_sim_step_size(r->sim)));
    }
}

static void for_every_scheme_and_scene(void (*check)(int scene, int scheme))
{
    for (int scheme = 0; scheme < tested_schemes(); scheme++) {
        for (int scene = 0; scene < SCENES; scene++) {
            check(scene, scheme);
        }
    }
}

/* to the end of the scene, or LONG steps */
static void advance_far(run *r, int scene)
{
    double steps = ceil(ss_model_settings(r->model)->until / ss_sim_step_size(r->sim) - 1e-9); /* round-off of the ratio */
    int quick = scenes[scene].steps > 0 ? scenes[scene].steps : LONG;
    advance(r, (int)fmin(steps, test_repeats(LONG, quick, quick / 5)));
}

typedef struct fastest {
    double speed; /* m/s; spins times the length */
} fastest;

static ss_status keep_fastest(void *user, const ss_sim *sim, const ss_step_info *info)
{
    fastest *x = user;
    const ss_model *m = ss_sim_model(sim);
    (void)info;
    for (int b = 0; b < m->bodies; b++) {
        int n = m->body_v[b] < 0 ? 0 : m->body_type[b] == SS_BODY_PARTICLE ? m->dimension : m->dimension == 3 ? 6 : 3;
        for (int i = 0; i < n; i++) {
            double v = fabs(ss_sim_v(sim)[m->body_v[b] + i]);
            x->speed = fmax(x->speed, i < m->dimension ? v : v * m->length);
        }
    }
    return SS_OK;
}

/* A scheme that closes contacts at velocity level says in its registry entry that a step leaves an overlap of order p in h.
 * That is as deep as a pair comes before the contact is active and while it is being stopped: at most a step each, for two
 * bodies at the fastest speed of the run, so 4 (h v/L)^p lengths L. */
static double overlap_left(const run *r, int scheme, const fastest *x)
{
    double order = ss_registry_entry(SS_SCHEMES, scheme)->order.overlap;
    return order > 0 ? 4 * pow(ss_sim_step_size(r->sim) * x->speed / r->model->length, order) : 0;
}

static void check_certified(int scene, int scheme)
{
    run r = begin(scene, scheme);
    fastest x = { 0 };
    ss_observer observer = { .user = &x, .on_step = keep_fastest };
    CHECK_OK(r.ctx, ss_sim_observe(r.sim, &observer));
    CHECK_OK(r.ctx, keep_fastest(&x, r.sim, NULL)); /* as it starts */
    advance_far(&r, scene);
    const ss_summary *s = ss_sim_summary(r.sim);
    double length = ss_model_length_scale(r.model), unit = scenes[scene].turns ? fmax(length, 1) : length;
    double deepest = fmax(scenes[scene].turns ? TURN : TOUCH, overlap_left(&r, scheme, &x)) * unit;
    if (s->unconverged_steps || !(s->max_residual <= r.sim->asked.solver_tol)) {
        fail_msg("%s: %d steps not certified, residual %.3g", r.label, (int)s->unconverged_steps, s->max_residual);
    }
    if (!(s->max_penetration <= deepest)) {
        fail_msg("%s: penetration %.3g m, at most %.3g m", r.label, s->max_penetration, deepest);
    }
    end(&r);
}

TEST(every_step_is_certified_and_nothing_sinks_in) { for_every_scheme_and_scene(check_certified); }

static double mass_of(const ss_model *m, int body)
{
    return m->body_v[body] >= 0 ? m->mass.diagonal.x[m->mass.diagonal.start[m->body_block[body]]] : 0;
}

/* Kinetic energy of velocities that the round-off of the impulses gives which carry the whole weight in a step: bodies at rest
 * have no more. A light body below a heavy one feels the round-off of what the heavy one weighs. */
static double energy_of_rounding(const run *r)
{
    const ss_model *m = r->model;
    double *v, energy = 0, total = 0;
    for (int b = 0; b < m->bodies; b++) {
        total += mass_of(m, b);
    }
    CHECK_OK(r->ctx, ss_calloc(r->ctx, (size_t)m->nv, sizeof *v, &v));
    for (int b = 0; b < m->bodies; b++) {
        for (int i = 0; m->body_v[b] >= 0 && i < m->dimension; i++) {
            v[m->body_v[b] + i] = DBL_EPSILON * ss_norm(m->gravity) * ss_sim_step_size(r->sim) * total / mass_of(m, b);
        }
    }
    CHECK_OK(r->ctx, ss_model_kinetic(r->ctx, m, 0, ss_sim_q(r->sim), v, &energy));
    ss_free(r->ctx, v);
    return energy;
}

/* what the exact motion would have changed of the energy by the works that were done, and what the scheme has made of it */
static double change_of_energy(const ss_ledger *l)
{
    return l->dampers + l->applied + l->contact_normal + l->contact_friction + l->driven + l->inertia + l->driven_springs +
           ss_ledger_errors(l);
}

static void check_ledger(int scene, int scheme)
{
    run r = begin(scene, scheme);
    double before = ss_sim_last_step(r.sim)->kinetic;
    advance(&r, 4 * STEPS);
    const ss_ledger *l = ss_sim_ledger(r.sim);
    double after = ss_sim_last_step(r.sim)->kinetic,
           moved = fabs(l->gravity) + fabs(l->contact_normal) + fabs(l->contact_friction) + before + after;
    if (!(l->closure <= 1e-12)) { /* round-off of one segment */
        fail_msg("%s: the ledger of a step is open by %.3g", r.label, l->closure);
    }
    const double round_off = 1e-11 * moved + 4 * STEPS * energy_of_rounding(&r); /* of a few hundred of them */
    if (!(fabs(ss_ledger_sum(l) - (after - before)) <= round_off)) {
        fail_msg("%s: the entries add up to %.17g, the kinetic energy changed by %.17g", r.label, ss_ledger_sum(l),
                 after - before);
    }
    const ss_summary *s = ss_sim_summary(r.sim);
    const double change = s->energy_final - s->energy_initial, energies = fabs(s->energy_initial) + fabs(s->energy_final);
    if (!(fabs(change_of_energy(l) - change) <= round_off + 1e-12 * energies)) {
        fail_msg("%s: works and errors of the scheme make %.17g, the energy changed by %.17g", r.label, change_of_energy(l),
                 change);
    }
    end(&r);
}

TEST(the_ledger_closes_to_round_off) { for_every_scheme_and_scene(check_ledger); }

/* ---- solvers --------------------------------------------------------------------------------------- */

/* steps that every solver which takes their laws has to certify: no large mass ratios, no long chains */
static bool certifies(const char *path, int scheme, const char *solver)
{
    run r = begin_with(find_scene(path), scheme, solver);
    ss_status status = SS_OK;
    for (int k = 0; status == SS_OK && k < 8 * STEPS; k++) {
        status = ss_sim_step(r.sim, ss_sim_step_size(r.sim));
    }
    if (status != SS_ERR_UNSUPPORTED && (status != SS_OK || ss_sim_summary(r.sim)->unconverged_steps)) {
        fail_msg("%s with solver %s: %d steps not certified %s", path, solver, (int)ss_sim_summary(r.sim)->unconverged_steps,
                 ss_last_error(r.ctx));
    }
    end(&r);
    return status == SS_OK;
}

TEST(every_solver_certifies_the_scenes_whose_laws_it_takes_and_refuses_the_others)
{
    static const char *const simple[] = { "scenes/cradle.json", "papers/ap97/chatter.json", "papers/ap97/ramp.json",
                                          "papers/ap97/sliding_cube.json" };
    for (int solver = 0; solver < ss_registry_count(SS_SOLVERS); solver++) {
        int taken = 0;
        for (int scheme = 0; scheme < tested_schemes(); scheme++) {
            for (size_t k = 0; k < sizeof simple / sizeof *simple; k++) {
                taken += certifies(simple[k], scheme, ss_registry_entry(SS_SOLVERS, solver)->name);
            }
        }
        CHECK(taken > 0); /* or nothing has tested it */
    }
}

/* ---- mass ratios ---------------------------------------------------------------------------------- */

TEST(a_heavy_box_on_a_light_one_is_at_rest_at_a_mass_ratio_of_a_million)
{
    int scene = find_scene("scenes/mass_ratio.json");
    for (int scheme = 0; scheme < tested_schemes(); scheme++) {
        run r = begin(scene, scheme);
        fastest x = { 0 };
        ss_observer observer = { .user = &x, .on_step = keep_fastest };
        CHECK_OK(r.ctx, ss_sim_observe(r.sim, &observer));
        advance_far(&r, scene);
        double unit = sqrt(ss_norm(r.model->gravity) * r.model->length); /* a speed that the scene has */
        print_message("fastest motion %.3g of sqrt(g L)\n", x.speed / unit);
        CHECK(x.speed <= 1e-8 * unit); /* the ratio times the round-off of an impulse, 1e6 eps, with a margin of 50 */
        CHECK(ss_sim_summary(r.sim)->unconverged_steps == 0);
        end(&r);
    }
}

/* ---- chains --------------------------------------------------------------------------------------- */

/* `links` rods of 0.1 m and 0.1 kg, hinged end to end and to the world, released at rest from the horizontal */
static ss_scene *chain_scene(ss_context *ctx, int dimension, int links)
{
    ss_scene_settings settings = ss_scene_settings_default();
    ss_scene *scene = NULL;
    char name[16], before[16] = "world";
    settings.dimension = dimension;
    settings.gravity[dimension - 1] = -9.81;
    settings.step = 1.0 / 960;
    CHECK_OK(ctx, ss_scene_create(ctx, &settings, &scene));
    for (int k = 0; k < links; k++) {
        ss_body_desc rod = ss_body_desc_default();
        ss_joint_desc hinge = ss_joint_desc_default();
        snprintf(name, sizeof name, "rod%d", k);
        rod.name = hinge.name = name;
        rod.type = SS_BODY_RIGID;
        rod.mass = 0.1;
        rod.inertia[0] = 1e-5; /* about its own line */
        rod.inertia[1] = rod.inertia[2] = 0.1 * 0.1 * 0.1 / 12;
        rod.inertia[3] = rod.inertia[4] = rod.inertia[5] = 0;
        rod.position[0] = 0.05 + 0.1 * k;
        CHECK_OK(ctx, ss_scene_add_body(scene, &rod, NULL));
        hinge.type = "revolute";
        hinge.bodies[0] = before;
        hinge.bodies[1] = name;
        hinge.anchors[0][0] = k > 0 ? 0.05 : 0;
        hinge.anchors[1][0] = -0.05;
        ss_v3_to(ss_v3(0, dimension == 3, dimension == 2), hinge.axis);
        CHECK_OK(ctx, ss_scene_add_joint(scene, &hinge, NULL));
        snprintf(before, sizeof before, "%s", name);
    }
    return scene;
}

static run begin_chain(int dimension, int links, int scheme)
{
    run r = { .ctx = test_context(), .label = "chain" };
    ss_sim_options options = ss_sim_options_default();
    options.scheme = ss_registry_entry(SS_SCHEMES, scheme)->name;
    r.scene = chain_scene(r.ctx, dimension, links);
    CHECK_OK(r.ctx, ss_model_compile(r.ctx, r.scene, &r.model));
    CHECK_OK(r.ctx, ss_sim_create(r.ctx, r.model, &options, &r.sim));
    return r;
}

/* The energy a scheme may gain in a fall. One of order 1 loses more by its own damping than anything adds: none but round-off.
 * A higher order p has no such loss; joints that turn within a step leave an error of either sign, (h omega)^p with
 * omega = sqrt(g/l) the rate at which a link swings; for high orders what counts is the whip, which turns faster. */
static double energy_gain(double h, int scheme)
{
    double order = ss_registry_entry(SS_SCHEMES, scheme)->order.smooth, omega = sqrt(9.81 / 0.1);
    return order > 2 ? pow(h * 5 * omega, order) : order > 1 ? pow(h * omega, order) : 1e-9;
}

/* What joints may be off by in a scheme that does not say that they drift; a gap of that size counts as closed too. */
static double joint_error_left(const run *r, int scheme)
{
    bool drift = ss_registry_entry(SS_SCHEMES, scheme)->order.joints_drift;
    return drift ? INFINITY : 1e-10 * fmin(1, ss_model_length_scale(r->model));
}

/* Whatever the number of links: as many problems in a step, joints that fit, and no energy from nowhere. */
static void check_chain(int dimension, int links, int steps, int scheme)
{
    run r = begin_chain(dimension, links, scheme);
    double start = ss_sim_last_step(r.sim)->potential;
    advance(&r, steps);
    const ss_summary *s = ss_sim_summary(r.sim);
    double drop = start - ss_sim_last_step(r.sim)->potential, drift = s->energy_final - s->energy_initial;
    print_message(
        "%4d links in %dD, %d steps: %.3g problems a step, joint error %.2g lengths, fell by %.4g J, energy %+.3g of it\n", links,
        dimension, steps, (double)s->lcps / (double)s->steps, s->max_joint_error / ss_model_length_scale(r.model), drop,
        drift / drop);
    CHECK(s->unconverged_steps == 0);
    CHECK(s->lcps <= 2 * s->steps); /* one each; another where a step has to be halved */
    CHECK(s->max_joint_error <= joint_error_left(&r, scheme));
    CHECK(s->energy_max - s->energy_initial <= energy_gain(ss_sim_step_size(r.sim), scheme) * drop);
    CHECK(ss_sim_ledger(r.sim)->closure <= 1e-12); /* round-off, as in every scene */
    end(&r);
}

/* two seconds, most of the fall; a quick test has the first eighth of it */
TEST(chains_of_100_and_1000_links_hold_alike_and_never_gain_energy)
{
    int part = test_repeats(1, 8, 40);
    for (int scheme = 0; scheme < tested_schemes(); scheme++) {
        check_chain(2, 100, 1920 / part, scheme);
        check_chain(2, 1000, 200 / part, scheme);
        check_chain(3, 100, 480 / part, scheme);
    }
}

/* ---- rest ------------------------------------------------------------------------------------------ */

/* until the laws do not determine the motion any more (Painleve) */
typedef struct impacts {
    int n;
    bool ended;
} impacts;

static ss_status count_impacts(void *user, const ss_sim *sim, const ss_event *event)
{
    impacts *count = user;
    const bool handed =
        ss_sim_summary(sim)->remark[SS_REMARK_HANDED].steps > 0; /* to Moreau's scheme, in pieces that strike each */
    count->ended = count->ended || event->kind == SS_EVENT_PAINLEVE || handed;
    count->n += !count->ended && (event->kind == SS_EVENT_IMPACT || event->kind == SS_EVENT_LIMIT);
    return SS_OK;
}

/* The brush lands (e = 0.1) and the elbow falls on its stop (e = 0): a handful of impacts if the scheme tells them, then both
 * rest on what they fell on. */
TEST(an_arm_at_its_stop_rests_there_instead_of_colliding_in_every_step)
{
    for (int scheme = 0; scheme < tested_schemes(); scheme++) {
        run r = begin(find_scene("scenes/arm.json"), scheme);
        impacts count = { 0 };
        CHECK_OK(r.ctx, ss_sim_observe(r.sim, &(ss_observer){ .user = &count, .on_event = count_impacts }));
        advance(&r, 500);
        print_message("%d impacts in 500 steps\n", count.n);
        CHECK(ss_sim_contact_count(r.sim) >= 2);
        CHECK(count.n <= 25); /* one step in twenty: a tenth of the speed with each of the brush, which the stop lifts again */
        end(&r);
    }
}

/* ---- restarts, splits, memory ---------------------------------------------------------------------- */

static bool same_state(const ss_sim *a, const ss_sim *b)
{
    const ss_model *m = ss_sim_model(a);
    return ss_sim_time(a) == ss_sim_time(b) && memcmp(ss_sim_q(a), ss_sim_q(b), (size_t)m->nq * sizeof(double)) == 0 &&
           memcmp(ss_sim_v(a), ss_sim_v(b), (size_t)m->nv * sizeof(double)) == 0;
}

static void check_restart(int scene, int scheme)
{
    run straight = begin(scene, scheme), first = begin(scene, scheme), second = begin(scene, scheme);
    void *blob = NULL;
    size_t size = 0;
    advance(&straight, STEPS);
    advance(&first, STEPS / 3);
    CHECK_OK(first.ctx, ss_sim_save(first.sim, &blob, &size));
    CHECK_OK(second.ctx, ss_sim_restore(second.sim, blob, size));
    advance(&second, STEPS - STEPS / 3);
    if (!same_state(straight.sim, second.sim)) {
        fail_msg("%s: the restarted run differs", straight.label);
    }
    CHECK(ss_sim_summary(straight.sim)->lcps == ss_sim_summary(second.sim)->lcps);
    CHECK(memcmp(ss_sim_ledger(straight.sim), ss_sim_ledger(second.sim), sizeof(ss_ledger)) == 0);
    ss_blob_free(first.ctx, blob);
    end(&straight);
    end(&first);
    end(&second);
}

TEST(a_restarted_run_continues_with_the_same_bits) { for_every_scheme_and_scene(check_restart); }

static void check_split(int scene, int scheme)
{
    run straight = begin(scene, scheme), split = begin(scene, scheme);
    double h = ss_sim_step_size(straight.sim);
    CHECK_OK(straight.ctx, ss_sim_advance(straight.sim, STEPS * h));
    for (int k = 1; k <= 4; k++) {
        CHECK_OK(split.ctx, ss_sim_advance(split.sim, k * (STEPS / 4) * h));
    }
    if (!same_state(straight.sim, split.sim)) {
        fail_msg("%s: the split run differs", straight.label);
    }
    end(&straight);
    end(&split);
}

TEST(a_split_run_equals_a_straight_one) { for_every_scheme_and_scene(check_split); }

/* A second pass over the same steps meets nothing larger than the first did. */
static void check_allocations(int scene, int scheme)
{
    run r = begin(scene, scheme);
    void *blob = NULL;
    size_t size = 0;
    CHECK_OK(r.ctx, ss_sim_save(r.sim, &blob, &size));
    advance(&r, STEPS);
    CHECK_OK(r.ctx, ss_sim_restore(r.sim, blob, size));
    ss_blob_free(r.ctx, blob);
    uint64_t before = ss_context_allocations(r.ctx);
    advance(&r, STEPS);
    uint64_t taken = ss_context_allocations(r.ctx) - before;
    if (taken != 0) {
        fail_msg("%s: %llu allocations in %d steps after warm-up", r.label, (unsigned long long)taken, STEPS);
    }
    end(&r);
}

TEST(a_step_allocates_nothing_after_warm_up) { for_every_scheme_and_scene(check_allocations); }

TEST(a_checkpoint_of_another_scene_or_a_damaged_one_is_refused)
{
    run a = begin(0, 0), b = begin(3, 0);
    void *blob = NULL;
    size_t size = 0;
    CHECK_OK(a.ctx, ss_sim_save(a.sim, &blob, &size));
    CHECK_FAILS(b.ctx, ss_sim_restore(b.sim, blob, size), SS_ERR_INPUT, "another scene");
    CHECK_FAILS(a.ctx, ss_sim_restore(a.sim, blob, size - 8), SS_ERR_INPUT, "cut short");
    CHECK_FAILS(a.ctx, ss_sim_restore(a.sim, blob, 5), SS_ERR_INPUT, "too few");
    ((char *)blob)[0] = 'x';
    CHECK_FAILS(a.ctx, ss_sim_restore(a.sim, blob, size), SS_ERR_INPUT, "not a checkpoint");
    ss_blob_free(a.ctx, blob);
    end(&a);
    end(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_step_is_certified_and_nothing_sinks_in),
        cmocka_unit_test(the_ledger_closes_to_round_off),
        cmocka_unit_test(every_solver_certifies_the_scenes_whose_laws_it_takes_and_refuses_the_others),
        cmocka_unit_test(a_heavy_box_on_a_light_one_is_at_rest_at_a_mass_ratio_of_a_million),
        cmocka_unit_test(chains_of_100_and_1000_links_hold_alike_and_never_gain_energy),
        cmocka_unit_test(an_arm_at_its_stop_rests_there_instead_of_colliding_in_every_step),
        cmocka_unit_test(a_restarted_run_continues_with_the_same_bits),
        cmocka_unit_test(a_split_run_equals_a_straight_one),
        cmocka_unit_test(a_step_allocates_nothing_after_warm_up),
        cmocka_unit_test(a_checkpoint_of_another_scene_or_a_damaged_one_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
