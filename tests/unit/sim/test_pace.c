/* test_pace.c - the time scale of a scene, and the longest trials that follow its motion, against closed forms. */
#include "unit/sim/scene_run.h"

#define BODY "\"bodies\":[{\"name\":\"p\",\"type\":\"particle\",\"mass\":2,\"position\":[3,1]}]"
#define SCENE(gravity, more)                                                                                                     \
    "{\"slipstick\":1,\"dimension\":2,\"gravity\":[0," gravity "],\"length_scale\":0.5,\"time\":{\"until\":7}," BODY more "}"

typedef struct paced {
    ss_context *ctx;
    ss_model *model;
    ss_pace pace;
    ss_arena *arena;
} paced;

static paced begin(const char *text, const char *set)
{
    paced p = { .ctx = test_context() };
    ss_scene *scene = NULL;
    CHECK_OK(p.ctx, ss_scene_parse(p.ctx, text, strlen(text), "scene", set ? 1 : 0, &set, &scene));
    CHECK_OK(p.ctx, ss_model_compile(p.ctx, scene, &p.model));
    ss_scene_destroy(scene);
    CHECK_OK(p.ctx, ss_pace_create(p.ctx, p.model, &p.pace));
    CHECK_OK(p.ctx, ss_arena_create(p.ctx, 1024, &p.arena));
    return p;
}

static void end(paced *p)
{
    ss_arena_destroy(p->arena);
    ss_pace_destroy(&p->pace);
    ss_model_destroy(p->model);
    ss_context_destroy(p->ctx);
}

static double scale_of(const char *text, const char *set)
{
    paced p = begin(text, set);
    double time = 0;
    CHECK_OK(p.ctx, ss_pace_scale(&p.pace, p.arena, &time));
    end(&p);
    return time;
}

TEST(the_scale_is_the_time_in_which_a_body_covers_its_unit)
{
    CHECK_NEAR(scale_of(SCENE("-8", ""), NULL), sqrt(0.5 / 8), 1e-15);
    CHECK_NEAR(scale_of(SCENE("-8", ""), "bodies.p.velocity=[30,40]"), 0.5 / 50, 1e-15);
    CHECK(isinf(scale_of(SCENE("0", ""), NULL)));
}

TEST(a_force_that_grows_from_zero_has_a_scale_too)
{
    /* 2 kg, 0.5 m: the acceleration 6 sin(t)/2 reaches the unit in t^2 at t^2 sin(t) = 1/6, between 1/2 s and 1 s */
    const char *text = SCENE("0", ",\"forces\":[{\"type\":\"expression\",\"body\":\"p\",\"force\":[\"6*sin(t)\",\"0\"]}]");
    CHECK(scale_of(text, NULL) == 1);
    /* 6 N for about 0.2 s at t = 3 s, which no power of two meets: it moves 2 kg by the unit before 4 s. A slow body beside
     * it is no measure. */
    const char *pulse =
        SCENE("0", ",\"forces\":[{\"type\":\"expression\",\"body\":\"p\",\"force\":[\"6*exp(-100*(t-3)^2)\",\"0\"]}]");
    CHECK(scale_of(pulse, NULL) == 4);
    CHECK(scale_of(pulse, "bodies.p.velocity=[1e-6,0]") == 4);
}

static double longest_of_springs(double speed, double least)
{
    const char *text = SCENE("0", ",\"forces\":[{\"type\":\"spring\",\"bodies\":[\"world\",\"p\"],\"anchors\":[[1,1],[0,0]],"
                                  "\"stiffness\":50,\"length\":2}]");
    paced p = begin(text, NULL);
    const double v[2] = { speed, 0 };
    double longest = 0;
    CHECK_OK(p.ctx, ss_pace_of_springs(&p.pace, p.arena, 0, p.model->q0, v, least, &longest));
    end(&p);
    return longest;
}

TEST(a_trial_spans_three_radians_of_a_vibration_that_is_larger_than_the_tolerance)
{
    const double w = 5; /* sqrt(50/2) */
    CHECK_NEAR(longest_of_springs(0.1, 1e-3), 3 / w, 1e-12);
    CHECK_NEAR(longest_of_springs(1.01e-3 * w * 0.5, 1e-3), 3 / w, 1e-12); /* its size is 1.01e-3 units */
    CHECK(isinf(longest_of_springs(0.99e-3 * w * 0.5, 1e-3)));
    CHECK(isinf(longest_of_springs(0, 1e-3)));
}

/* 1e4 N/m and 1 kg: 100 rad/s. The pair at the spring moves at 1 m/s against each other, or both together. */
TEST(a_fast_body_that_no_spring_holds_hides_no_vibration)
{
    static const char text[] =
        "{\"slipstick\":1,\"dimension\":2,\"gravity\":[0,0],\"length_scale\":1,\"time\":{\"until\":1},\"bodies\":["
        "{\"name\":\"a\",\"type\":\"particle\",\"mass\":1,\"position\":[0,0]},"
        "{\"name\":\"b\",\"type\":\"particle\",\"mass\":4,\"position\":[1,0]},"
        "{\"name\":\"fast\",\"type\":\"particle\",\"mass\":1,\"position\":[0,9]}],"
        "\"forces\":[{\"type\":\"spring\",\"bodies\":[\"a\",\"b\"],\"stiffness\":1e4,\"length\":1}]}";
    static const double v[3][6] = { { 0, 0, 1, 0, 0, 50 }, { 1, 0, 0, 0, 0, 1e6 }, { 1, 0, 1, 0, 0, 50 } };
    const double expected[] = { 3.0 / 100, 3.0 / 100, INFINITY }; /* of the lighter one, whichever moves */
    paced p = begin(text, NULL);
    for (int k = 0; k < 3; k++) {
        double longest = 0;
        CHECK_OK(p.ctx, ss_pace_of_springs(&p.pace, p.arena, 0, p.model->q0, v[k], 1e-3, &longest));
        CHECK(longest == expected[k] || fabs(longest - expected[k]) < 1e-12);
    }
    end(&p);
}

TEST(a_trial_spans_two_radians_of_a_turn)
{
    const char *text =
        "{\"slipstick\":1,\"dimension\":2,\"gravity\":[0,0],\"time\":{\"until\":1},\"bodies\":[{\"name\":\"b\",\"type\":"
        "\"rigid\",\"mass\":1,\"inertia\":1,\"position\":[0,0]}]}";
    paced p = begin(text, NULL);
    CHECK_NEAR(ss_pace_of_turns(p.model, (const double[]){ 9, 0, -4 }), 0.5, 1e-15);
    CHECK(isinf(ss_pace_of_turns(p.model, (const double[]){ 9, 0, 0 })));
    end(&p);
}

static double follow(const char *force, double t, double h, double finest)
{
    char set[200];
    snprintf(set, sizeof set, "forces.0.force=[\"%s\",\"0\"]", force);
    paced p = begin(SCENE("0", ",\"forces\":[{\"type\":\"expression\",\"body\":\"p\",\"force\":[\"1\",\"0\"]}]"), set);
    double longest = ss_model_follow_time(p.model, t, h, INFINITY, (ss_following){ .tol = 1e-9, .finest = finest });
    end(&p);
    return longest;
}

TEST(a_step_is_shorter_than_a_period_of_a_force_and_any_length_where_it_is_constant)
{
    const double period = 2 * acos(-1) / 3;
    for (double t = 0; t < period; t += 0.1) {
        double h = follow("cos(3*t)", t, 16, INFINITY);
        CHECK(h > 0.2 * period && h < period);
    }
    CHECK(follow("7", 0, 16, 1e-9) == 16);
    CHECK(follow("2*t", 0, 16, INFINITY) == 16);
    CHECK(follow("step(t-16)", 0, 16, 1e-9) == 16); /* it jumps at the end of the step, and that is where the step ends */
}

/* nine even values of 60 rad/s over 9 periods times any whole number are all the same */
TEST(no_period_passes_for_a_constant)
{
    const double period = 2 * acos(-1) / 60;
    for (int k = 1; k < 3000; k++) {
        CHECK(follow("5*sin(60*t)", 0.013 * k, 9 * k * period, INFINITY) < period);
    }
}

TEST(a_pulse_is_seen_however_long_the_step_and_where_it_has_no_effect_it_does_not_matter)
{
    static const char pulse[] = "100*exp(-1e4*(t-0.3)^2)"; /* 0.01 s wide */
    for (double h = 0.5; h < 1e9; h *= 1.7) {
        CHECK(follow(pulse, 0, h, INFINITY) < 0.3);
        CHECK(follow(pulse, 0.4, h, INFINITY) == h); /* 1e-42 N and less: no curve, and no reason to follow it */
    }
    CHECK(follow(pulse, 0.29, 1, INFINITY) < 0.02);
}

TEST(a_change_of_force_moves_a_free_body_by_at_most_the_tolerance_of_its_unit)
{
    /* 2 t N on 2 kg: 8/9 of the change over h are seen; it gives (8/9) h^3/2 m, of the unit 0.5 m */
    for (double finest = 1e-2; finest > 1e-8; finest *= 0.1) {
        double h = follow("2*t", 1, 16, finest), moved = 8.0 / 9 * h * h * h;
        CHECK(moved <= finest && 8 * moved > finest); /* h is halved until it fits */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_scale_is_the_time_in_which_a_body_covers_its_unit),
        cmocka_unit_test(a_force_that_grows_from_zero_has_a_scale_too),
        cmocka_unit_test(a_trial_spans_three_radians_of_a_vibration_that_is_larger_than_the_tolerance),
        cmocka_unit_test(a_fast_body_that_no_spring_holds_hides_no_vibration),
        cmocka_unit_test(a_trial_spans_two_radians_of_a_turn),
        cmocka_unit_test(a_step_is_shorter_than_a_period_of_a_force_and_any_length_where_it_is_constant),
        cmocka_unit_test(no_period_passes_for_a_constant),
        cmocka_unit_test(a_pulse_is_seen_however_long_the_step_and_where_it_has_no_effect_it_does_not_matter),
        cmocka_unit_test(a_change_of_force_moves_a_free_body_by_at_most_the_tolerance_of_its_unit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
