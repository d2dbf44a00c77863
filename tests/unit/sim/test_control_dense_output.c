/* test_control_dense_output.c - dense output of steps by tolerance, the state inside a step: exact where the motion is a
 * parabola, on the right side of an impact. */
#include "unit/sim/planned_scheme.h"
#include <unistd.h>

/* ---- dense output ----------------------------------------------------------------------------------- */

static ss_status check_parabola(void *user, const ss_sim *sim, const ss_step_info *info)
{
    double q[2], v[2];
    ++*(int *)user;
    for (int k = 0; k <= 8; k++) {
        double t = k == 8 ? info->t : info->t - info->h * (1 - k / 8.0);
        CHECK(ss_sim_at(sim, fmax(t, sim->next.t), q, v) == SS_OK);
        CHECK_NEAR(q[1], 1 - t * t, 4e-15); /* a cubic has the parabola exactly */
        CHECK_NEAR(v[1], -2 * t, 4e-15);
    }
    CHECK(memcmp(q, ss_sim_q(sim), sizeof q) == 0 && memcmp(v, ss_sim_v(sim), sizeof v) == 0);
    CHECK(ss_sim_at(sim, info->t + 1e-9, q, v) == SS_ERR_INPUT && ss_sim_at(sim, info->t - 2 * info->h, q, v) == SS_ERR_INPUT);
    CHECK(ss_sim_at(sim, NAN, q, v) == SS_ERR_INPUT);
    return SS_OK;
}

TEST(dense_output_has_a_parabola_exactly_and_is_asked_within_the_step_only)
{
    run r;
    int calls = 0;
    double q[2], v[2];
    ss_sim_options o = with_tol(1e-3);
    begin(&r, 1, NULL, &o);
    CHECK_OK(r.ctx, ss_sim_at(r.sim, 0, q, v));
    CHECK(q[0] == 3 && v[1] == 0);
    CHECK_OK(r.ctx, ss_sim_observe(r.sim, &(ss_observer){ .user = &calls, .on_step = check_parabola }));
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 1));
    CHECK(calls > 10);
    end(&r);
}

static ss_status check_bounce(void *user, const ss_sim *sim, const ss_step_info *info)
{
    double q[2], v[2], start = sim->next.t;
    int *jumps = user;
    for (int k = 0; k < sim->last->events.n; k++) {
        const ss_event *event = &sim->last->events.event[k];
        if (event->v_plus && event->t > start && event->t < info->t) {
            double step = 1e-9;
            CHECK(ss_sim_at(sim, event->t, q, v) == SS_OK);
            CHECK_NEAR(q[1], 0, 1e-12);
            CHECK_NEAR(v[1], event->v_plus[1], 0); /* at the impact: after it */
            CHECK(ss_sim_at(sim, fmax(start, event->t - step), q, v) == SS_OK);
            CHECK_NEAR(v[1], event->v_minus[1], 1e-6);
            ++*jumps;
        }
    }
    for (int k = 0; k < 16; k++) {
        CHECK(ss_sim_at(sim, start + (info->t - start) * k / 16, q, v) == SS_OK);
        CHECK(q[1] >= -1e-12); /* through the floor it does not go */
    }
    return SS_OK;
}

TEST(dense_output_stands_on_the_side_of_an_impact_that_the_time_is_on)
{
    scene_run r = open_scene("papers/aca09/ball.json", NULL, 1e-2);
    int jumps = 0;
    CHECK_OK(r.ctx, ss_sim_observe(r.sim, &(ss_observer){ .user = &jumps, .on_step = check_bounce }));
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 5));
    CHECK(jumps >= 1);
    close_scene(&r);
}

static ss_status write_step(void *user, const ss_sim *sim, const ss_step_info *info) { return ss_writer_step(user, sim, info); }

/* Euler has the velocities of a free fall exactly */
TEST(rows_of_a_file_between_steps_have_the_state_of_their_own_time)
{
    char path[64];
    ss_scene *scene = NULL;
    ss_writer *writer = NULL;
    ss_result *result = NULL;
    double t[16], v[16];
    snprintf(path, sizeof path, "/tmp/slipstick-rows-%ld.csv", (long)getpid());
    scene_run r = open_scene("papers/aca09/ball.json", NULL, 1e-3);
    CHECK_OK(r.ctx, ss_scene_read(r.ctx, "papers/aca09/ball.json", 0, NULL, &scene));
    CHECK_OK(r.ctx, ss_writer_create(r.ctx, path, scene, r.sim, 0.1, &writer));
    CHECK_OK(r.ctx, ss_sim_observe(r.sim, &(ss_observer){ .user = writer, .on_step = write_step }));
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.5));
    CHECK_OK(r.ctx, ss_writer_close(writer));
    CHECK_OK(r.ctx, ss_result_open(r.ctx, path, &result));
    const int rows = (int)ss_result_states(result);
    CHECK(rows == 6);
    CHECK_OK(r.ctx, ss_result_read_column(result, ss_result_find_column(result, "t"), 0, rows, t));
    CHECK_OK(r.ctx, ss_result_read_column(result, ss_result_find_column(result, "ball.vy"), 0, rows, v));
    for (int k = 0; k < rows; k++) {
        CHECK_NEAR(t[k], 0.1 * k, 1e-15);
        CHECK_NEAR(v[k], -2 * t[k], 1e-14);
    }
    ss_result_close(result);
    ss_scene_destroy(scene);
    close_scene(&r);
    remove(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dense_output_has_a_parabola_exactly_and_is_asked_within_the_step_only),
        cmocka_unit_test(dense_output_stands_on_the_side_of_an_impact_that_the_time_is_on),
        cmocka_unit_test(rows_of_a_file_between_steps_have_the_state_of_their_own_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
