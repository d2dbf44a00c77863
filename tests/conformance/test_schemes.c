/* What every scheme of the registry owes on every scene of the project: certified steps, a ledger that
 * closes, the same bits when a run is split or restarted, and no memory taken after warm-up. */
#include "test.h"

#include "sim/sim.h"

static const char *const scenes[] = {
    "papers/ap97/rod_impact.json", "papers/ap97/ramp.json",         "papers/ap97/sliding_cube.json",
    "papers/ap97/chatter.json",    "papers/ap97/painleve_rod.json", "scenes/chain.json",
    "scenes/mass_ratio.json",      "scenes/showcase.json",          "scenes/cradle.json",
    "scenes/slip_to_roll.json"
};
enum { SCENES = sizeof scenes / sizeof *scenes, STEPS = 60 };

typedef struct run {
    ss_context *ctx;
    ss_scene *scene;
    ss_model *model;
    ss_sim *sim;
    const char *label;
} run;

static run begin(int scene, int scheme)
{
    run r = { .ctx = test_context(), .label = scenes[scene] };
    ss_sim_options options = ss_sim_options_default();
    options.scheme = ss_registry_entry(SS_SCHEMES, scheme)->name;
    CHECK_OK(r.ctx, ss_scene_read(r.ctx, scenes[scene], 0, NULL, &r.scene));
    CHECK_OK(r.ctx, ss_model_compile(r.ctx, r.scene, &r.model));
    CHECK_OK(r.ctx, ss_sim_create(r.ctx, r.model, &options, &r.sim));
    return r;
}

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
    for (int scheme = 0; scheme < ss_registry_count(SS_SCHEMES); scheme++) {
        for (int scene = 0; scene < SCENES; scene++) {
            check(scene, scheme);
        }
    }
}

static void check_certified(int scene, int scheme)
{
    run r = begin(scene, scheme);
    advance(&r, 4 * STEPS);
    const ss_summary *s = ss_sim_summary(r.sim);
    if (s->unconverged_steps || !(s->max_residual <= r.sim->solver_tol)) {
        fail_msg("%s: %d steps not certified, residual %.3g", r.label, (int)s->unconverged_steps, s->max_residual);
    }
    if (!(s->max_penetration <= 1e-4 * ss_model_length_scale(r.model))) {
        fail_msg("%s: penetration %.3g m", r.label, s->max_penetration);
    }
    end(&r);
}

TEST(every_step_is_certified) { for_every_scheme_and_scene(check_certified); }

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
    if (!(fabs(ss_ledger_sum(l) - (after - before)) <= 1e-11 * moved)) { /* round-off of a few hundred of them */
        fail_msg("%s: the entries add up to %.17g, the kinetic energy changed by %.17g", r.label, ss_ledger_sum(l),
                 after - before);
    }
    end(&r);
}

TEST(the_ledger_closes_to_round_off) { for_every_scheme_and_scene(check_ledger); }

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
        cmocka_unit_test(every_step_is_certified),
        cmocka_unit_test(the_ledger_closes_to_round_off),
        cmocka_unit_test(a_restarted_run_continues_with_the_same_bits),
        cmocka_unit_test(a_split_run_equals_a_straight_one),
        cmocka_unit_test(a_step_allocates_nothing_after_warm_up),
        cmocka_unit_test(a_checkpoint_of_another_scene_or_a_damaged_one_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
