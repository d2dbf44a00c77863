/* test_controller.c - a function that is called between steps: when, with which effect, and without taking memory. */
#include "test.h"
#include "unit/sim/scene_run.h"
#include <slipstick/drive.h>

/* two discs on a floor; the controller holds the first one at x = 0.2 by a force */
static const char *const DISCS =
    "{\"slipstick\": 1, \"dimension\": 2, \"gravity\": [0, -9.81], \"time\": {\"until\": 1, \"step\": 0.01},"
    "\"materials\": [{\"name\": \"m\", \"mu\": 0.3}],"
    "\"bodies\": [{\"name\": \"floor\", \"type\": \"fixed\", \"shapes\": [{\"type\": \"half_space\", \"normal\": [0, 1], "
    "\"material\": \"m\"}]},"
    "{\"name\": \"a\", \"type\": \"rigid\", \"mass\": 1, \"inertia\": 0.01, \"position\": [0, 0.1], \"velocity\": [0.5, 0], "
    "\"shapes\": "
    "[{\"type\": \"disk\", \"radius\": 0.1, \"material\": \"m\"}]},"
    "{\"name\": \"b\", \"type\": \"rigid\", \"mass\": 1, \"inertia\": 0.01, \"position\": [1, 0.1], \"shapes\": "
    "[{\"type\": \"disk\", \"radius\": 0.1, \"material\": \"m\"}]}]}";

typedef struct diary {
    double t[512];
    int n, fails_at; /* fails_at: the call that fails; -1: none */
} diary;

static ss_status hold(void *user, ss_sim *sim)
{
    diary *x = user;
    x->t[x->n % 512] = ss_sim_time(sim);
    if (x->n++ == x->fails_at) {
        return SS_ERR_NUMERIC;
    }
    const double *q = ss_sim_q(sim), *v = ss_sim_v(sim), force[3] = { 40 * (0.2 - q[0]) - 9 * v[0], 0, 0 };
    return ss_sim_set_wrench(sim, 1, force, NULL);
}

static scene_run open_held(diary *x, double period, const ss_scheme_type *scheme, double tol)
{
    scene_run r = open_text(DISCS, NULL, scheme, tol);
    *x = (diary){ .fails_at = -1 };
    CHECK_OK(r.ctx, ss_sim_set_controller(r.sim, &(ss_controller){ .user = x, .period = period, .update = hold }));
    return r;
}

TEST(a_controller_is_called_at_every_multiple_of_its_period)
{
    for (int k = 0; k < 2; k++) {
        diary x;
        scene_run r = open_held(&x, 0.03, NULL, k ? 1e-3 : NAN);
        CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.11)); /* in two parts, which changes nothing */
        CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.3));
        CHECK(x.n == 10);
        for (int i = 0; i < 10; i++) {
            CHECK_NEAR(x.t[i], 0.03 * i, 1e-15);
        }
        CHECK_OK(r.ctx, ss_sim_step(r.sim, 0.01)); /* the sample at 0.3 was left to the step that begins there */
        CHECK(x.n == 11);
        close_scene(&r);
    }
}

TEST(without_a_period_it_is_called_before_every_step_and_needs_fixed_steps)
{
    diary x;
    scene_run r = open_held(&x, 0, NULL, NAN), by_tol = open_text(DISCS, NULL, NULL, 1e-3);
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.1));
    CHECK_OK(r.ctx, ss_sim_step(r.sim, 0.001));
    CHECK(x.n == 11);
    CHECK_OK(r.ctx, ss_sim_set_controller(r.sim, NULL));
    CHECK_OK(r.ctx, ss_sim_step(r.sim, 0.001));
    CHECK(x.n == 11);
    const ss_controller every_step = { .update = hold }, none = { .period = 1 }, bad = { .update = hold, .period = NAN };
    CHECK_FAILS(by_tol.ctx, ss_sim_set_controller(by_tol.sim, &every_step), SS_ERR_UNSUPPORTED, "it needs a period");
    CHECK_FAILS(by_tol.ctx, ss_sim_set_controller(by_tol.sim, &none), SS_ERR_INPUT, "no function `update`");
    CHECK_FAILS(by_tol.ctx, ss_sim_set_controller(by_tol.sim, &bad), SS_ERR_INPUT, "expected a period >= 0");
    close_scene(&by_tol);
    close_scene(&r);
}

static ss_status count(void *user, ss_sim *sim)
{
    (void)sim;
    ++*(int *)user;
    return SS_OK;
}

/* 10 samples lie in one step; the time before the first of them is too near to it for a step */
TEST(a_sample_that_is_too_near_for_a_step_is_the_present_one)
{
    diary x;
    scene_run r = open_held(&x, 0.001, NULL, NAN);
    CHECK_OK(r.ctx, ss_sim_step(r.sim, 0.01 - 5e-12));
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.01));
    CHECK(x.n == 1 && ss_sim_time(r.sim) == 0.01 - 5e-12);
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.02));
    CHECK(x.n == 11);
    CHECK_NEAR(x.t[2], 0.011, 1e-15);
    close_scene(&r);
}

TEST(a_period_that_is_lost_in_rounding_is_refused)
{
    const char *const text =
        "{\"slipstick\": 1, \"dimension\": 2, \"gravity\": [0, 0], \"time\": {\"until\": 1, \"step\": 0.001},"
        "\"bodies\": [{\"name\": \"p\", \"type\": \"particle\", \"mass\": 2, \"position\": [0, 0]}]}";
    int calls = 0;
    scene_run r = open_text(text, NULL, NULL, NAN);
    ss_controller controller = { .user = &calls, .period = 1e-17, .update = count };
    CHECK_FAILS(r.ctx, ss_sim_set_controller(r.sim, &controller), SS_ERR_INPUT,
                "period of 1e-17 s is too short for steps of 0.001");
    CHECK_OK(r.ctx, ss_sim_step(r.sim, 1e9)); /* where numbers are 1e-7 apart */
    controller.period = 1e-8;
    CHECK_OK(r.ctx, ss_sim_set_controller(r.sim, &controller));
    CHECK_FAILS(r.ctx, ss_sim_advance(r.sim, 1e9 + 1), SS_ERR_INPUT, "period of 1e-08 s is lost in the rounding of t = 1e+09 s");
    CHECK(calls == 1 && ss_sim_time(r.sim) == 1e9 && !ss_sim_is_busy(r.sim));
    close_scene(&r);
}

/* the loop of a program and a controller are the same thing */
TEST(a_controller_does_what_a_loop_that_sets_inputs_does)
{
    for (int k = 0; k < 2 * tested_schemes(); k++) {
        diary x, y = { .fails_at = -1 };
        const double tol = k % 2 ? 1e-3 : NAN;
        scene_run r = open_held(&x, 0.02, ss_scheme_types[k / 2], tol),
                  loop = open_text(DISCS, NULL, ss_scheme_types[k / 2], tol);
        CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.1));
        for (int i = 1; i <= 5; i++) {
            CHECK_OK(loop.ctx, hold(&y, loop.sim));
            CHECK_OK(loop.ctx, ss_sim_advance(loop.sim, i == 5 ? 0.1 : i * 0.02));
        }
        check_same_state(r.sim, loop.sim);
        close_scene(&loop);
        close_scene(&r);
    }
}

TEST(a_controller_that_fails_ends_the_advance_and_is_called_again_at_the_same_time)
{
    diary x;
    scene_run r = open_held(&x, 0.02, NULL, NAN);
    x.fails_at = 3;
    CHECK(ss_sim_advance(r.sim, 0.2) == SS_ERR_NUMERIC);
    CHECK_NEAR(ss_sim_time(r.sim), 0.06, 1e-15);
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.2));
    CHECK(x.n == 11 && x.t[3] == x.t[4]);
    close_scene(&r);
}

/* saved between two samples: the restored run calls the controller when the other one does */
TEST(a_restored_run_calls_its_controller_at_the_same_times_and_has_the_same_bits)
{
    for (int k = 0; k < 2 * tested_schemes(); k++) {
        diary x, y;
        const double tol = k % 2 ? 1e-3 : NAN;
        scene_run r = open_held(&x, 0.02, ss_scheme_types[k / 2], tol), other = open_held(&y, 0.02, ss_scheme_types[k / 2], tol);
        void *blob = NULL;
        size_t size = 0;
        CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.05));
        CHECK_OK(r.ctx, ss_sim_save(r.sim, &blob, &size));
        CHECK_OK(other.ctx, ss_sim_restore(other.sim, blob, size));
        CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.1));
        CHECK_OK(other.ctx, ss_sim_advance(other.sim, 0.1));
        CHECK(x.n == 5 && y.n == 2);
        check_same(r.sim, other.sim);
        ss_blob_free(r.ctx, blob);
        close_scene(&other);
        close_scene(&r);
    }
}

static ss_status read_all(void *user, ss_sim *sim)
{
    double M[36], k[6], J[36], force[3], torque[3];
    ss_contact_arrays contacts;
    SS_TRY(ss_sim_mass_matrix(sim, NULL, M));
    SS_TRY(ss_sim_forces(sim, NULL, NULL, k));
    SS_TRY(ss_sim_point_jacobian(sim, 1, NULL, (double[3]){ 0 }, J));
    SS_TRY(ss_sim_net_wrench(sim, 1, force, torque));
    SS_TRY(ss_sim_contacts(sim, &contacts));
    SS_TRY(ss_sim_gaps(sim, 0.5, &contacts));
    return hold(user, sim);
}

TEST(steps_with_a_controller_that_reads_and_sets_take_no_memory_after_a_while)
{
    diary x = { .fails_at = -1 };
    scene_run r = open_text(DISCS, NULL, NULL, NAN);
    CHECK_OK(r.ctx, ss_sim_set_controller(r.sim, &(ss_controller){ .user = &x, .update = read_all }));
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.5));
    const uint64_t taken = ss_context_allocations(r.ctx);
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 1));
    CHECK(x.n == 100 && ss_context_allocations(r.ctx) == taken);
    CHECK_NEAR(ss_sim_q(r.sim)[0], 0.2, 0.05);
    close_scene(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_controller_is_called_at_every_multiple_of_its_period),
        cmocka_unit_test(without_a_period_it_is_called_before_every_step_and_needs_fixed_steps),
        cmocka_unit_test(a_sample_that_is_too_near_for_a_step_is_the_present_one),
        cmocka_unit_test(a_period_that_is_lost_in_rounding_is_refused),
        cmocka_unit_test(a_controller_does_what_a_loop_that_sets_inputs_does),
        cmocka_unit_test(a_controller_that_fails_ends_the_advance_and_is_called_again_at_the_same_time),
        cmocka_unit_test(a_restored_run_calls_its_controller_at_the_same_times_and_has_the_same_bits),
        cmocka_unit_test(steps_with_a_controller_that_reads_and_sets_take_no_memory_after_a_while),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
