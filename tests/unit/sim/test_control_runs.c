/* test_control_runs.c - step control over whole runs: in parts and restarted, convergence with the tolerance, memory. */
#include "unit/base/failing.h"
#include "unit/sim/scene_run.h"

/* ---- continuation ---------------------------------------------------------------------------------- */

TEST(a_checkpoint_of_another_tolerance_or_of_fixed_steps_is_taken_and_its_lengths_are_forgotten)
{
    scene_run a = open_scene("papers/aca09/ball.json", NULL, 1e-3), b = open_scene("papers/aca09/ball.json", NULL, 1e-5),
              fixed = open_scene("papers/aca09/ball.json", NULL, NAN);
    void *blob = NULL;
    size_t size = 0;
    CHECK_OK(a.ctx, ss_sim_advance(a.sim, 1));
    CHECK_OK(a.ctx, ss_sim_save(a.sim, &blob, &size));
    CHECK_OK(b.ctx, ss_sim_restore(b.sim, blob, size));
    CHECK_OK(fixed.ctx, ss_sim_restore(fixed.sim, blob, size));
    CHECK(b.sim->control.h == 0 && ss_sim_time(b.sim) == 1);
    CHECK_OK(fixed.ctx, ss_sim_advance(fixed.sim, 1 + 2 * ss_sim_step_size(fixed.sim)));
    CHECK(ss_sim_last_step(fixed.sim)->h == ss_sim_step_size(fixed.sim));
    CHECK_OK(b.ctx, ss_sim_advance(b.sim, 1.5));
    ss_blob_free(a.ctx, blob);
    close_scene(&a);
    close_scene(&b);
    close_scene(&fixed);
}

TEST(a_run_in_many_parts_takes_few_more_steps_and_ends_each_part_in_time)
{
    scene_run straight = open_scene("papers/aca09/oscillator.json", NULL, 1e-5),
              parts = open_scene("papers/aca09/oscillator.json", NULL, 1e-5);
    CHECK_OK(straight.ctx, ss_sim_advance(straight.sim, 1.7));
    for (int k = 1; k <= 17; k++) {
        CHECK_OK(parts.ctx, ss_sim_advance(parts.sim, 0.1 * k));
        CHECK_NEAR(ss_sim_time(parts.sim), 0.1 * k, 0);
    }
    /* one cut step for every part; the error of the scheme at this tolerance is about 1e-2 */
    CHECK(ss_sim_summary(parts.sim)->steps <= ss_sim_summary(straight.sim)->steps + 2 * 17);
    CHECK_NEAR(ss_sim_q(parts.sim)[1], ss_sim_q(straight.sim)[1], 2e-3);
    CHECK_OK(parts.ctx, ss_sim_advance(parts.sim, 1.7)); /* nothing left to do */
    CHECK_OK(parts.ctx, ss_sim_advance(parts.sim, 1));
    CHECK(ss_sim_time(parts.sim) == 0.1 * 17);
    close_scene(&straight);
    close_scene(&parts);
}

/* ---- convergence ------------------------------------------------------------------------------------ */

typedef struct watch {
    const ss_model *model;
    double error; /* largest difference in position from the exact path, weighted by the step */
} watch;

/* Aca09's ball: parabolas between impacts at 1, 2, 2.5, 2.75 .., at rest from t = 3 */
static double ball_at(double t)
{
    if (t <= 1) {
        return 1 - t * t;
    }
    for (double from = 1, v = 1; from < 3 - 1e-12; from += v, v *= 0.5) {
        if (t <= from + v) {
            return (t - from) * (v - (t - from));
        }
    }
    return 0;
}

static ss_status watch_ball(void *user, const ss_sim *sim, const ss_step_info *info)
{
    watch *w = user;
    w->error += info->h * fabs(ss_sim_q(sim)[1] - ball_at(info->t));
    return SS_OK;
}

TEST(the_error_falls_with_the_tolerance_through_an_accumulation_of_impacts)
{
    double last = INFINITY;
    for (double tol = 1e-2; tol > 5e-7; tol *= 0.1) {
        scene_run r = open_scene("papers/aca09/ball.json", NULL, tol);
        watch w = { .model = r.model };
        CHECK_OK(r.ctx, ss_sim_observe(r.sim, &(ss_observer){ .user = &w, .on_step = watch_ball }));
        CHECK_OK(r.ctx, ss_sim_advance(r.sim, 5));
        /* a scheme of order 1: the sum of local errors goes like sqrt(tol), 3.16 in theory; less where steps are few */
        CHECK(w.error < last / 2.3);
        CHECK(ss_sim_summary(r.sim)->unmet_steps == 0);
        last = w.error;
        close_scene(&r);
    }
}

/* twenty discs above a floor, thrown at each other */
static ss_model *twenty(ss_context *ctx)
{
    ss_scene_settings s = ss_scene_settings_default();
    ss_scene *scene = NULL;
    ss_model *model = NULL;
    s.dimension = 2;
    s.gravity[1] = -9.81;
    s.until = 0.6;
    CHECK_OK(ctx, ss_scene_create(ctx, &s, &scene));
    ss_body_desc floor = ss_body_desc_default();
    ss_shape_desc shape = ss_shape_desc_default();
    int index = 0;
    floor.name = "floor";
    floor.type = SS_BODY_FIXED;
    shape.type = "half_space";
    memcpy(shape.normal, (double[]){ 0, 1, 0 }, sizeof shape.normal);
    CHECK_OK(ctx, ss_scene_add_body(scene, &floor, &index));
    CHECK_OK(ctx, ss_scene_add_shape(scene, index, &shape));
    for (int k = 0; k < 20; k++) {
        char name[16];
        ss_body_desc body = ss_body_desc_default();
        snprintf(name, sizeof name, "b%d", k);
        body.name = name;
        body.type = SS_BODY_RIGID;
        body.mass = 1 + 0.1 * k;
        body.inertia[2] = 0.5 * body.mass * 0.04;
        body.position[0] = 0.5 * k;
        body.position[1] = 0.25 + 0.03 * ((7 * k) % 20);
        body.velocity[0] = k % 2 ? -0.5 : 0.5;
        body.angular_velocity[2] = k % 3;
        shape = ss_shape_desc_default();
        shape.type = "sphere";
        shape.radius = 0.2;
        CHECK_OK(ctx, ss_scene_add_body(scene, &body, &index));
        CHECK_OK(ctx, ss_scene_add_shape(scene, index, &shape));
    }
    CHECK_OK(ctx, ss_model_compile(ctx, scene, &model));
    ss_scene_destroy(scene);
    return model;
}

TEST(halving_the_tolerance_three_times_converges_for_twenty_bodies)
{
    ss_context *ctx = test_context();
    ss_model *model = twenty(ctx);
    double q[4][60], fine[60], distance[4];
    for (int k = 0; k < 5; k++) {
        ss_sim *sim = NULL;
        ss_sim_options o = with_tol(k < 4 ? 1e-4 / (1 << k) : 1e-7);
        CHECK_OK(ctx, ss_sim_create(ctx, model, &o, &sim));
        CHECK_OK(ctx, ss_sim_advance(sim, 0.6));
        CHECK(model->nq == 60 && ss_sim_summary(sim)->unconverged_steps == 0);
        memcpy(k < 4 ? q[k] : fine, ss_sim_q(sim), sizeof fine);
        ss_sim_destroy(sim);
    }
    for (int k = 0; k < 4; k++) {
        distance[k] = 0;
        for (int i = 0; i < 60; i++) {
            distance[k] = fmax(distance[k], fabs(q[k][i] - fine[i]));
        }
    }
    print_message("from the run with 1e-7: %.3g %.3g %.3g %.3g\n", distance[0], distance[1], distance[2], distance[3]);
    /* sqrt(2) a time in theory; where single steps fall makes it uneven, three halvings do not */
    CHECK(distance[3] < distance[0] / 1.8 && distance[3] < 0.02);
    ss_model_destroy(model);
    ss_context_destroy(ctx);
}

/* ---- memory ----------------------------------------------------------------------------------------- */

static ss_status controlled_run(ss_context *ctx)
{
    ss_scene *scene = NULL;
    ss_model *model = NULL;
    ss_sim *sim = NULL;
    ss_sim_options o = with_tol(1e-3);
    ss_status status = ss_scene_read(ctx, "papers/aca09/ball.json", 0, NULL, &scene);
    status = status != SS_OK ? status : ss_model_compile(ctx, scene, &model);
    status = status != SS_OK ? status : ss_sim_create(ctx, model, &o, &sim);
    status = status != SS_OK ? status : ss_sim_advance(sim, 1.2);
    ss_sim_destroy(sim);
    ss_model_destroy(model);
    ss_scene_destroy(scene);
    return status;
}

TEST(refused_memory_is_an_error_and_loses_nothing) { CHECK(fail_at_every_request(controlled_run) > 50); }

TEST(a_step_allocates_nothing_after_warm_up)
{
    failing_allocator memory = { .fail_at = 0 };
    ss_context *ctx = failing_context(&memory);
    ss_model *model = twenty(ctx);
    ss_sim *sim = NULL;
    ss_sim_options o = with_tol(1e-3);
    void *blob = NULL;
    size_t size = 0;
    CHECK_OK(ctx, ss_sim_create(ctx, model, &o, &sim));
    CHECK_OK(ctx, ss_sim_save(sim, &blob, &size));
    CHECK_OK(ctx, ss_sim_advance(sim, 0.6));
    CHECK_OK(ctx, ss_sim_restore(sim, blob, size)); /* the same way again */
    int before = memory.requests;
    CHECK_OK(ctx, ss_sim_advance(sim, 0.6));
    CHECK(memory.requests == before && ss_sim_summary(sim)->steps > 20);
    ss_blob_free(ctx, blob);
    ss_sim_destroy(sim);
    ss_model_destroy(model);
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_checkpoint_of_another_tolerance_or_of_fixed_steps_is_taken_and_its_lengths_are_forgotten),
        cmocka_unit_test(a_run_in_many_parts_takes_few_more_steps_and_ends_each_part_in_time),
        cmocka_unit_test(the_error_falls_with_the_tolerance_through_an_accumulation_of_impacts),
        cmocka_unit_test(halving_the_tolerance_three_times_converges_for_twenty_bodies),
        cmocka_unit_test(refused_memory_is_an_error_and_loses_nothing),
        cmocka_unit_test(a_step_allocates_nothing_after_warm_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
