/* test_trajectory.c - a run kept in memory: its rows, the two sides of its jumps, its names, and result files. */
#include "study/trajectory.h"
#include "unit/base/failing.h"
#include "unit/study/ball_scene.h"

static ss_study_case ball_case(double step, double until)
{
    ss_study_case c = ss_study_case_default();
    c.scene = ball_scene();
    c.step = step;
    c.until = until;
    return c;
}

static ss_trajectory *run(ss_context *ctx, const ss_study_case *c)
{
    ss_trajectory *x = NULL;
    CHECK_OK(ctx, ss_trajectory_run(ctx, c, &x, NULL));
    return x;
}

TEST(rows_are_the_first_state_and_the_ends_of_steps)
{
    ss_context *ctx = test_context();
    ss_study_case c = ball_case(0.125, 0.5);
    ss_trajectory *x = run(ctx, &c);
    CHECK(x->n == 5 && x->nq == 2 && x->nv == 2 && x->dimension == 2);
    CHECK(x->work.steps == 4);
    for (int k = 0; k < x->n; k++) {
        double t = 0.125 * k;
        CHECK(!x->inside[k] && x->t[k] == t);
        CHECK_NEAR(x->q[2 * k + 1], 1 - t * (t + (k > 0 ? 0.125 : 0)), 1e-15); /* round-off of four additions */
        CHECK_NEAR(x->v[2 * k + 1], -2 * t, 1e-15);
    }
    ss_trajectory_destroy(x);
    ss_context_destroy(ctx);
}

TEST(an_impact_is_two_rows_at_its_own_time_and_place)
{
    ss_context *ctx = test_context();
    ss_study_case c = ball_case(0.125, 1.5);
    ss_trajectory *x = run(ctx, &c);
    CHECK(x->n == 13 + 2);
    int k = 0;
    while (k < x->n && !x->inside[k]) {
        k++;
    }
    CHECK(k + 2 < x->n && x->inside[k + 1] && !x->inside[k + 2]);
    CHECK(x->t[k] == x->t[k + 1] && x->t[k - 1] <= x->t[k] && x->t[k] <= x->t[k + 2]);
    CHECK_NEAR(x->q[2 * k + 1], 0, 1e-12); /* the root of the gap, located to round-off of the step */
    CHECK(x->q[2 * k + 1] == x->q[2 * k + 3]);
    CHECK(x->v[2 * k + 1] < -1.5);
    CHECK_NEAR(x->v[2 * k + 3], -0.5 * x->v[2 * k + 1], 1e-12);
    CHECK(x->figure[k * SS_FIGURES + SS_FIGURE_energy] == x->figure[(k - 1) * SS_FIGURES + SS_FIGURE_energy]);
    ss_trajectory_destroy(x);
    ss_context_destroy(ctx);
}

TEST(times_do_not_go_back_where_impacts_accumulate)
{
    ss_context *ctx = test_context();
    ss_study_case c = ball_case(5.0 / 864, 5);
    ss_trajectory *x = run(ctx, &c);
    ss_graph y;
    CHECK_OK(ctx, ss_trajectory_series(x, "ball.y", &y));
    CHECK_OK(ctx, ss_graph_check(ctx, &y, "ball.y"));
    CHECK(x->work.events > 4 && x->n == 865 + 2 * x->work.events);
    ss_trajectory_destroy(x);
    ss_context_destroy(ctx);
}

TEST(series_are_found_by_name)
{
    ss_context *ctx = test_context();
    ss_study_case c = ball_case(0.125, 0.5);
    ss_trajectory *x = run(ctx, &c);
    ss_graph g;
    CHECK_OK(ctx, ss_trajectory_series(x, "t", &g));
    CHECK(g.n == x->n && g.x[g.n - 1] == 0.5);
    CHECK_OK(ctx, ss_trajectory_series(x, "ball.vy", &g));
    CHECK(g.x[(g.n - 1) * g.stride] == x->v[2 * (x->n - 1) + 1]);
    CHECK_OK(ctx, ss_trajectory_series(x, "energy", &g));
    CHECK_NEAR(g.x[0], 2, 1e-15); /* m g y at rest */
    CHECK_FAILS(ctx, ss_trajectory_series(x, "bal.vy", &g), SS_ERR_INPUT, "did you mean \"ball.vy\"");
    CHECK_FAILS(ctx, ss_trajectory_series(x, "enrgy", &g), SS_ERR_INPUT, "did you mean \"energy\"");
    ss_trajectory_destroy(x);
    ss_context_destroy(ctx);
}

/* a pendulum that ends at rest against a wall, and does not touch it in its first step */
TEST(forces_of_joints_and_contacts_are_series_too)
{
    ss_context *ctx = test_context();
    ss_study_case c = ss_study_case_default();
    ss_trajectory *x;
    ss_graph pivot, wall, displacing, nu[2];
    c.scene = "papers/bac14/pendulum.json";
    c.scheme = "galpha_ggl";
    c.until = 6;
    x = run(ctx, &c);
    CHECK_OK(ctx, ss_trajectory_series(x, "pivot.reaction.1", &pivot));
    CHECK_OK(ctx, ss_trajectory_series(x, "normal_force", &wall));
    CHECK_OK(ctx, ss_trajectory_series(x, "displacing_impulse", &displacing));
    CHECK_NEAR(fabs(pivot.x[(x->n - 1) * pivot.stride]), 10, 1e-9); /* at rest against the wall: statics */
    CHECK_NEAR(wall.x[(x->n - 1) * wall.stride], 10, 1e-6);
    CHECK(displacing.x[(x->n - 1) * displacing.stride] > 0 && wall.x[wall.stride] == 0 && displacing.x[displacing.stride] == 0);
    /* Multipliers of positions are in proportion to what the contact changes of the forces: 10 N at the wall, and at the pivot
     * (-10, 10) N of statics less (-50/11, 60/11) N of a pendulum that is let go there. */
    CHECK_OK(ctx, ss_trajectory_series(x, "pivot.displacing.0", &nu[0]));
    CHECK_OK(ctx, ss_trajectory_series(x, "pivot.displacing.1", &nu[1]));
    for (int i = 0; i < 2; i++) {
        const double ratio = nu[i].x[(x->n - 1) * nu[i].stride] / displacing.x[(x->n - 1) * displacing.stride];
        CHECK_NEAR(ratio, i == 0 ? -6.0 / 11 : 5.0 / 11, 1e-6);
    }
    CHECK_FAILS(ctx, ss_trajectory_series(x, "pivot.reaction.2", &pivot), SS_ERR_INPUT, "did you mean \"pivot.reaction");
    ss_trajectory_destroy(x);
    ss_context_destroy(ctx);
}

TEST(settings_come_before_scheme_step_and_end)
{
    ss_context *ctx = test_context();
    const char *set[] = { "gravity=[0,-4]", "time.step=0.25", "time.until=1" };
    ss_study_case c = ball_case(0.125, 0.5);
    c.sets = 3;
    c.set = set;
    ss_trajectory *x = run(ctx, &c);
    CHECK(x->n == 5);
    CHECK_NEAR(x->v[2 * 4 + 1], -2, 1e-15);
    ss_trajectory_destroy(x);
    c.set = (const char *[]){ "time={\"step\": 0.125}" };
    c.sets = 1;
    c.until = NAN;
    CHECK_FAILS(ctx, ss_trajectory_run(ctx, &c, &x, NULL), SS_ERR_INPUT, "time.until: missing");
    c.tol = 1;
    c.until = 1;
    CHECK_FAILS(ctx, ss_trajectory_run(ctx, &c, &x, NULL), SS_ERR_INPUT, "time.tol");
    ss_context_destroy(ctx);
}

TEST(a_run_can_be_had_as_json_and_be_interrupted)
{
    ss_context *ctx = test_context();
    ss_study_case c = ball_case(0.125, 0.5);
    ss_trajectory *x;
    char *json = NULL;
    CHECK_OK(ctx, ss_trajectory_run(ctx, &c, &x, &json));
    CHECK(json && strstr(json, "\"outcome\": \"done\"") && strstr(json, "\"steps\": 4"));
    ss_blob_free(ctx, json);
    ss_trajectory_destroy(x);
    const volatile int now = 1;
    c.watch.interrupt = &now;
    CHECK_FAILS(ctx, ss_trajectory_run(ctx, &c, &x, NULL), SS_ERR_INTERRUPTED, "interrupted");
    CHECK(x == NULL);
    ss_context_destroy(ctx);
}

/* a result file of the ball until `until` */
static void write_result(ss_context *ctx, const ss_study_case *c, const char *path)
{
    ss_scene *scene;
    ss_model *model;
    ss_sim *sim;
    ss_writer *writer;
    CHECK_OK(ctx, ss_study_case_open(ctx, c, &scene, &model));
    CHECK_OK(ctx, ss_sim_create(ctx, model, NULL, &sim));
    CHECK_OK(ctx, ss_writer_create(ctx, path, scene, sim, 0, &writer));
    for (int k = 0; k < 4; k++) {
        CHECK_OK(ctx, ss_sim_step(sim, 0.125));
        CHECK_OK(ctx, ss_writer_step(writer, sim, ss_sim_last_step(sim)));
    }
    CHECK_OK(ctx, ss_writer_close(writer));
    ss_sim_destroy(sim);
    ss_model_destroy(model);
    ss_scene_destroy(scene);
}

TEST(a_result_file_gives_the_same_rows)
{
    ss_context *ctx = test_context();
    char path[64];
    snprintf(path, sizeof path, "/tmp/slipstick-trajectory-%ld.h5", (long)getpid());
    ss_study_case c = ball_case(0.125, 0.5);
    ss_trajectory *x = run(ctx, &c), *y;
    write_result(ctx, &c, path);
    CHECK_OK(ctx, ss_trajectory_read(ctx, path, &y));
    CHECK(unlink(path) == 0);
    CHECK(y->n == x->n && y->nq == x->nq && y->nv == x->nv && !y->figure);
    for (int k = 0; k < x->nq + x->nv; k++) {
        CHECK(strcmp(x->name[k], y->name[k]) == 0);
    }
    CHECK(memcmp(x->t, y->t, (size_t)x->n * sizeof *x->t) == 0);
    CHECK(memcmp(x->q, y->q, (size_t)(x->n * x->nq) * sizeof *x->q) == 0);
    CHECK(memcmp(x->v, y->v, (size_t)(x->n * x->nv) * sizeof *x->v) == 0);
    ss_trajectory_destroy(x);
    ss_trajectory_destroy(y);
    CHECK_FAILS(ctx, ss_trajectory_read(ctx, path, &y), SS_ERR_IO, "cannot be opened");
    ss_context_destroy(ctx);
}

TEST(a_step_divides_its_interval)
{
    ss_context *ctx = test_context();
    double step = 5.0 / 27;
    CHECK_OK(ctx, ss_study_divide(ctx, 5, &step));
    step = 0.1 * (1 + 1e-10);
    CHECK_OK(ctx, ss_study_divide(ctx, 5, &step));
    CHECK(step == 0.1);
    const double bad[] = { 0.3, 10, 0.1 * (1 + 1e-7), 1e-20, NAN };
    for (int k = 0; k < 5; k++) {
        step = bad[k];
        CHECK(ss_study_divide(ctx, 5, &step) == SS_ERR_INPUT);
    }
    ss_context_destroy(ctx);
}

static ss_status run_once(ss_context *ctx)
{
    ss_study_case c = ball_case(0.25, 1.5);
    ss_trajectory *x;
    ss_status status = ss_trajectory_run(ctx, &c, &x, NULL);
    CHECK(status == SS_OK || x == NULL);
    ss_trajectory_destroy(x);
    return status;
}

TEST(memory_that_is_refused_leaves_nothing_behind) { CHECK(fail_at_every_request(run_once) > 20); }

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_the_first_state_and_the_ends_of_steps),
        cmocka_unit_test(an_impact_is_two_rows_at_its_own_time_and_place),
        cmocka_unit_test(times_do_not_go_back_where_impacts_accumulate),
        cmocka_unit_test(series_are_found_by_name),
        cmocka_unit_test(forces_of_joints_and_contacts_are_series_too),
        cmocka_unit_test(settings_come_before_scheme_step_and_end),
        cmocka_unit_test(a_run_can_be_had_as_json_and_be_interrupted),
        cmocka_unit_test(a_result_file_gives_the_same_rows),
        cmocka_unit_test(a_step_divides_its_interval),
        cmocka_unit_test(memory_that_is_refused_leaves_nothing_behind),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ball_scene_remove();
    return failed;
}
