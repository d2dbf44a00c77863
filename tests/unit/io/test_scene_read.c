/* test_scene_read.c - scenes from JSON text: what is understood, and what each message says. */
#include "failing_allocator.h"
#include "model/scene.h"

#define HEAD  "\"slipstick\":1,\"dimension\":2,"
#define BALL  "{\"name\":\"ball\",\"type\":\"particle\",\"mass\":1,\"position\":[0,1]}"
#define SMALL "{" HEAD "\"bodies\":[" BALL "]}"

static ss_status parse(ss_context *ctx, const char *text, const char *set, ss_scene **scene)
{
    return ss_scene_parse(ctx, text, strlen(text), "f.json", set ? 1 : 0, &set, scene);
}

static ss_scene *good(ss_context *ctx, const char *text, const char *set)
{
    ss_scene *scene = NULL;
    CHECK_OK(ctx, parse(ctx, text, set, &scene));
    return scene;
}

static void refuse(const char *text, const char *set, const char *message)
{
    ss_context *ctx = test_context();
    ss_scene *scene = NULL;
    ss_status status = parse(ctx, text, set, &scene);
    if (status != SS_ERR_INPUT || strcmp(ss_last_error(ctx), message) != 0 || scene) {
        fail_msg("expected \"%s\", got %s with \"%s\"", message, ss_status_text(status), ss_last_error(ctx));
    }
    ss_context_destroy(ctx);
}

TEST(numbers_may_be_expressions)
{
    ss_context *ctx = test_context();
    ss_scene *s =
        good(ctx, "{" HEAD "\"gravity\":[0,\"-9.81\"],\"time\":{\"step\":\"2^-5\",\"until\":\"5/27\"},\"bodies\":[" BALL "]}",
             "bodies.ball.position=[\"sin(pi/6)\",\"sqrt(2)/2\"]");
    /* the same double operations, so the same bits; sin(pi/6) is libm's, one rounding from 1/2 */
    CHECK(s->settings.gravity[1] == -9.81 && s->settings.step == 1.0 / 32 && s->settings.until == 5.0 / 27);
    CHECK_NEAR(s->body[0].position[0], 0.5, 1e-16);
    CHECK(s->body[0].position[1] == sqrt(2) / 2);
    ss_scene_destroy(s);
    ss_context_destroy(ctx);
}

TEST(directions_and_quaternions_are_normalised)
{
    ss_context *ctx = test_context();
    ss_scene *s = good(ctx,
                       "{\"slipstick\":1,\"dimension\":3,\"bodies\":[{\"type\":\"rigid\",\"mass\":1,\"inertia\":[1,1,1],"
                       "\"orientation\":[3,0,0,4],\"shapes\":[{\"type\":\"half_space\",\"normal\":[0,6,8]}]}]}",
                       NULL);
    /* 3-4-5 triangles: the quotients are rounded once */
    CHECK_NEAR(s->body[0].orientation[0], 0.6, 1e-16);
    CHECK_NEAR(s->body[0].orientation[3], 0.8, 1e-16);
    CHECK_NEAR(s->shape[0].desc.normal[1], 0.6, 1e-16);
    CHECK_NEAR(s->shape[0].desc.normal[2], 0.8, 1e-16);
    ss_scene_destroy(s);
    ss_context_destroy(ctx);
}

TEST(null_is_no_bound)
{
    ss_context *ctx = test_context();
    ss_scene *s = good(ctx,
                       "{" HEAD "\"bodies\":[" BALL "],\"joints\":[{\"type\":\"distance\",\"bodies\":[\"world\",\"ball\"],"
                       "\"limits\":[null,3],\"motor\":{\"force\":\"sin(t)\"}}]}",
                       NULL);
    CHECK(isinf(s->joint[0].limits[0]) && s->joint[0].limits[0] < 0 && s->joint[0].limits[1] == 3);
    CHECK(strcmp(s->joint[0].motor.force, "sin(t)") == 0 && !s->joint[0].motor.speed);
    ss_scene_destroy(s);
    ss_context_destroy(ctx);
}

TEST(messages_name_the_file_the_path_and_what_was_expected)
{
    refuse(SMALL, "bodies.ball.mass=-1", "f.json: bodies.ball.mass: expected a number >= 0, got -1");
    refuse(SMALL, "bodies.ball.masss=1", "f.json: bodies.ball: unknown key \"masss\"; did you mean \"mass\"?");
    refuse(SMALL, "bodies.ball.position=[0,0,0]", "f.json: bodies.ball.position: expected a list of 2 numbers, got [0,0,0]");
    refuse(SMALL, "bodies.ball.position.1=true", "f.json: bodies.ball.position[1]: expected a number, got true");
    refuse(SMALL, "bodies.ball.type=rigd", "f.json: bodies.ball.type: unknown type of body \"rigd\"; did you mean \"rigid\"?");
    refuse(SMALL, "dimension=4", "f.json: dimension: expected 2 or 3, got 4");
    refuse(SMALL, "slipstick=2", "f.json: slipstick: expected 1, the version of the format, got 2");
    refuse(SMALL, "scheme.restitution=poison",
           "f.json: scheme.restitution: expected one of poisson, simplified, newton, got \"poison\"");
    refuse(SMALL, "scheme.locate=1", "f.json: scheme.locate: expected true or false, got 1");
    refuse(SMALL, "time=3", "f.json: time: expected an object {..}, got 3");
    refuse("{\"slipstick\":1}", NULL, "f.json: dimension: missing; expected 2 or 3");
    refuse("{" HEAD "\"bodies\":[]}", NULL, "f.json: bodies: expected at least one body");
    refuse("[]", NULL, "f.json: expected a scene {\"slipstick\": 1, ..}");
}

/* 2^-52 is the distance from 1 to the next number: half of it is rounded away (ties go to the even 1) */
TEST(a_step_that_the_end_swallows_is_refused)
{
    static const char text[] = "{" HEAD "\"time\":{\"until\":1,\"step\":\"2^-53\"},\"bodies\":[" BALL "]}";
    ss_context *ctx = test_context();
    ss_scene *s = good(ctx, text, "time.step=2^-52");
    CHECK(s->settings.step == 0x1p-52);
    ss_scene_destroy(s);
    refuse(text, NULL, "f.json: time.step: 1.11022e-16 s is lost in until = 1 s: until + step is until in double precision");
    refuse(text, "time.until=0", "f.json: time.until: expected a number > 0, got 0");
    ss_context_destroy(ctx);
}

TEST(a_scheme_or_solver_without_a_name_is_the_default)
{
    ss_context *ctx = test_context();
    ss_scene *s = good(ctx, "{" HEAD "\"scheme\":{\"locate\":false},\"solver\":{\"tol\":1e-9},\"bodies\":[" BALL "]}", NULL);
    CHECK(strcmp(s->settings.scheme, "anitescu_potra") == 0 && s->options == 1);
    CHECK(strcmp(s->settings.solver, "auto") == 0 && s->settings.solver_tol == 1e-9);
    ss_scene_destroy(s);
    ss_context_destroy(ctx);
}

TEST(expressions_that_are_not_numbers_are_refused)
{
    static const char *const wrong[] = { "0/0", "1/0", "t", "nan", "inf", "sqrt(-1)", "", "1 2", "1e999" };
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        ss_context *ctx = test_context();
        ss_scene *scene = NULL;
        char set[64];
        snprintf(set, sizeof set, "bodies.ball.mass=\"%s\"", wrong[k]);
        CHECK_FAILS(ctx, parse(ctx, SMALL, set, &scene), SS_ERR_INPUT, "f.json: bodies.ball.mass: expected a number >= 0: ");
        ss_context_destroy(ctx);
    }
}

TEST(the_scheme_s_options_are_kept_by_name)
{
    ss_context *ctx = test_context();
    ss_scene *s = good(
        ctx,
        "{" HEAD "\"scheme\":{\"name\":\"anitescu_potra\",\"restitution\":\"newton\",\"locate\":false},\"bodies\":[" BALL "]}",
        "scheme.directions=16");
    CHECK(s->options == 3);
    for (int k = 0; k < s->options; k++) {
        const ss_setting *o = &s->option[k].setting;
        bool known = (strcmp(o->key, "restitution") == 0 && strcmp(o->text, "newton") == 0) ||
                     (strcmp(o->key, "locate") == 0 && !o->text && o->number == 0) ||
                     (strcmp(o->key, "directions") == 0 && o->number == 16);
        CHECK(known && strcmp(s->option[k].section, "scheme") == 0);
    }
    ss_scene_destroy(s);
    ss_context_destroy(ctx);
}

TEST(another_solver_drops_the_options_of_the_old_one)
{
    ss_context *ctx = test_context();
    const char *text = "{" HEAD "\"solver\":{\"name\":\"lemke\",\"max_pivots\":7,\"tol\":1e-8},\"bodies\":[" BALL "]}";
    ss_scene *s = good(ctx, text, "solver.name=auto");
    CHECK(s->options == 0 && strcmp(s->settings.solver, "auto") == 0 && s->settings.solver_tol == 1e-8);
    ss_scene_destroy(s);
    /* a key that no solver has is not swept under the carpet */
    refuse("{" HEAD "\"solver\":{\"name\":\"lemke\",\"pivots\":7},\"bodies\":[" BALL "]}", "solver.name=auto",
           "f.json: solver: unknown key \"pivots\"; valid: name, tol");
    ss_context_destroy(ctx);
}

/* `project` is on or off for the one, true or false for the other; `cone` is the same for both. */
TEST(another_scheme_drops_an_option_of_the_same_name_that_takes_other_values)
{
    ss_context *ctx = test_context();
    const char *text =
        "{" HEAD "\"scheme\":{\"name\":\"trapezoidal\",\"project\":\"on\",\"cone\":\"circular\"},\"bodies\":[" BALL "]}";
    ss_scene *s = good(ctx, text, "scheme.name=moreau");
    CHECK(s->options == 1 && strcmp(s->option[0].setting.key, "cone") == 0);
    ss_scene_destroy(s);
    ss_context_destroy(ctx);
}

/* Reading with the n-th request refused: an error or a scene, and nothing is lost. */
TEST(running_out_of_memory_is_an_error_and_leaks_nothing)
{
    static const char text[] =
        "{" HEAD "\"description\":\"d\",\"exact\":{\"name\":\"bouncing_ball\",\"params\":{}},\"scheme\":{\"locate\":false},"
        "\"materials\":[{\"name\":\"m\"}],"
        "\"bodies\":[" BALL ",{\"type\":\"rigid\",\"mass\":1,\"inertia\":1,\"shapes\":[{\"type\":\"sphere\","
        "\"radius\":1,\"material\":\"m\"}]}],\"joints\":[{\"type\":\"hinge\",\"bodies\":[\"world\",\"ball\"]}],"
        "\"forces\":[{\"type\":\"table\",\"body\":\"ball\",\"table\":{\"t\":[0,1],\"force\":[[0,0],[1,1]]}}]}";
    ss_status status = SS_ERR_MEMORY;
    int n = 0;
    for (; status != SS_OK && n < 10000; n++) {
        failing f;
        ss_context *ctx = failing_context(&f, n);
        ss_scene *scene = NULL;
        if (!ctx) {
            continue;
        }
        status = parse(ctx, text, "time.step=1/2", &scene);
        CHECK(status == SS_OK || (status == SS_ERR_MEMORY && !scene));
        ss_scene_destroy(scene);
        ss_context_destroy(ctx);
        CHECK(f.held == 0);
    }
    CHECK(status == SS_OK && n > 20); /* it did fail in many places before */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_may_be_expressions),
        cmocka_unit_test(directions_and_quaternions_are_normalised),
        cmocka_unit_test(null_is_no_bound),
        cmocka_unit_test(messages_name_the_file_the_path_and_what_was_expected),
        cmocka_unit_test(a_step_that_the_end_swallows_is_refused),
        cmocka_unit_test(a_scheme_or_solver_without_a_name_is_the_default),
        cmocka_unit_test(expressions_that_are_not_numbers_are_refused),
        cmocka_unit_test(the_scheme_s_options_are_kept_by_name),
        cmocka_unit_test(another_solver_drops_the_options_of_the_old_one),
        cmocka_unit_test(another_scheme_drops_an_option_of_the_same_name_that_takes_other_values),
        cmocka_unit_test(running_out_of_memory_is_an_error_and_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
