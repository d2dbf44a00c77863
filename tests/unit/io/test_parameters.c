/* test_parameters.c - names for numbers of a scene: the same scene as with the numbers written out, clear errors. */
#include "test.h"

static const char *const SCENE = "{\"slipstick\": 1, \"dimension\": 2, \"parameters\": %s, \"gravity\": [0, \"-g\"], \"time\": "
                                 "{\"until\": \"5*h0\", \"step\": \"h0\"},"
                                 " \"materials\": [{\"name\": \"m\", \"mu\": \"mu_1\"}],"
                                 " \"bodies\": [{\"name\": \"ball\", \"type\": \"rigid\", \"mass\": \"2*r\", \"inertia\": "
                                 "\"r^2/1e1\", \"position\": [\"-r\", \"r+1e-3\"],"
                                 "  \"shapes\": [{\"type\": \"disk\", \"radius\": \"r\", \"material\": \"m\"}]}],"
                                 " \"forces\": [{\"name\": \"wave\", \"type\": \"expression\", \"body\": \"ball\", \"force\": "
                                 "[\"r*sin(g*t)\", \"exp(-t)*h0\"]}]}";
static const char *const GOOD =
    "{\"r\": \"d/2\", \"d\": 0.2, \"g\": 9.81, \"h0\": \"2^-5\", \"mu_1\": 0.3, \"e1\": 7}"; /* e1 is also in 1e1 */

static ss_status read_with(ss_context *ctx, const char *parameters, const char *set, ss_scene **scene)
{
    char text[8192];
    snprintf(text, sizeof text, SCENE, parameters);
    return ss_scene_parse(ctx, text, strlen(text), "scene", set ? 1 : 0, &set, scene);
}

static void check_refused(const char *parameters, const char *why)
{
    ss_context *ctx = test_context();
    ss_scene *scene = NULL;
    CHECK_FAILS(ctx, read_with(ctx, parameters, NULL, &scene), SS_ERR_INPUT, why);
    CHECK(scene == NULL);
    ss_context_destroy(ctx);
}

/* the plain scene of a scene, as text that the caller frees */
static char *plain_text(ss_context *ctx, const char *text)
{
    ss_scene *scene = NULL;
    char *out = NULL;
    CHECK_OK(ctx, ss_scene_parse(ctx, text, strlen(text), "scene", 0, NULL, &scene));
    CHECK_OK(ctx, ss_scene_to_json(ctx, scene, &out));
    ss_scene_destroy(scene);
    return out;
}

TEST(a_scene_with_parameters_is_the_scene_with_their_values)
{
    static const char *const plain =
        "{\"slipstick\": 1, \"dimension\": 2, \"gravity\": [0, -9.81], \"time\": {\"until\": 0.15625, \"step\": 0.03125},"
        " \"materials\": [{\"name\": \"m\", \"mu\": 0.3}],"
        " \"bodies\": [{\"name\": \"ball\", \"type\": \"rigid\", \"mass\": 0.2, \"inertia\": \"0.1^2/10\", \"position\": [-0.1, "
        "\"0.1+0.001\"],"
        "  \"shapes\": [{\"type\": \"disk\", \"radius\": 0.1, \"material\": \"m\"}]}],"
        " \"forces\": [{\"name\": \"wave\", \"type\": \"expression\", \"body\": \"ball\","
        "  \"force\": [\"(0.10000000000000001)*sin((9.8100000000000005)*t)\", \"exp(-t)*(0.03125)\"]}]}";
    ss_context *ctx = test_context();
    char text[8192];
    snprintf(text, sizeof text, SCENE, GOOD);
    char *with = plain_text(ctx, text), *without = plain_text(ctx, plain), *again = plain_text(ctx, with);
    assert_string_equal(with, without);
    assert_string_equal(with, again);
    ss_blob_free(ctx, with);
    ss_blob_free(ctx, without);
    ss_blob_free(ctx, again);
    ss_context_destroy(ctx);
}

TEST(a_parameter_may_be_set_and_what_depends_on_it_follows)
{
    ss_context *ctx = test_context();
    ss_scene *scene = NULL;
    CHECK_OK(ctx, read_with(ctx, GOOD, "parameters.h0=0.5", &scene));
    CHECK(ss_scene_get_settings(scene)->step == 0.5 && ss_scene_get_settings(scene)->until == 2.5);
    ss_scene_destroy(scene);
    ss_context_destroy(ctx);
}

/* nothing would depend on it: a wrong name would change nothing */
TEST(a_parameter_that_the_scene_does_not_have_cannot_be_set)
{
    ss_context *ctx = test_context();
    ss_scene *scene = NULL;
    CHECK_FAILS(ctx, read_with(ctx, GOOD, "parameters.h_0=0.5", &scene), SS_ERR_INPUT,
                "--set parameters.h_0=0.5: unknown name in the path: \"h_0\"");
    CHECK_FAILS(ctx, read_with(ctx, GOOD, "parameters.h_0=0.5", &scene), SS_ERR_INPUT, "\"h0\"");
    ss_context_destroy(ctx);
}

TEST(bad_parameters_are_refused_with_their_place)
{
    check_refused("{\"r\": \"d\", \"d\": \"2*r\", \"g\": 1, \"h0\": 1, \"mu_1\": 0}",
                  "scene: parameters.r: it depends on itself");
    check_refused("{\"r\": \"r\", \"g\": 1, \"h0\": 1, \"mu_1\": 0}", "parameters.r: it depends on itself");
    check_refused("{\"r\": \"1/d\", \"d\": 0, \"g\": 1, \"h0\": 1, \"mu_1\": 0}",
                  "parameters.r: expected a number or an expression: \"1/(0)\" is not finite");
    check_refused("{\"r\": 1, \"g\": 1, \"h0\": 1, \"mu_2\": 0}",
                  "materials.m.mu: unknown name 'mu_1'; did you mean the parameter 'mu_2'?");
    check_refused("{\"r\": \"2*t\", \"g\": 1, \"h0\": 1, \"mu_1\": 0}",
                  "parameters.r: expected a number or an expression: \"2*t\" depends on t");
    check_refused("{\"sin\": 1}", "parameters.sin: this name has a meaning in expressions");
    check_refused("{\"t\": 1}", "parameters.t: this name has a meaning");
    check_refused("{\"2a\": 1}", "parameters.2a: expected a name of letters");
    check_refused("{\"\": 1}", "expected a name of letters");
    check_refused("{\"r\": [1]}", "parameters.r: expected a number or an expression");
    check_refused("{\"r\": \"1+\"}", "parameters.r: expected a number or an expression: expression \"1+\"");
    check_refused("[1]", "parameters: expected an object");
    check_refused("{}", "unknown name 'g'");
}

/* p0 = 1, p1 = p0 + 1, ..; read from the last one on, which asks for all others first */
TEST(long_chains_of_parameters_are_refused_before_they_exhaust_the_stack)
{
    char text[8192] = "{\"g\": 1, \"h0\": 1, \"mu_1\": 0, \"r\": \"p149\"";
    for (int k = 149; k >= 0; k--) {
        const size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, ", \"p%d\": \"%s%d\"", k, k ? "1+p" : "1+", k ? k - 1 : 0);
    }
    strcat(text, "}");
    check_refused(text, "more than 100 parameters depend on each other in a row");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_scene_with_parameters_is_the_scene_with_their_values),
        cmocka_unit_test(a_parameter_may_be_set_and_what_depends_on_it_follows),
        cmocka_unit_test(a_parameter_that_the_scene_does_not_have_cannot_be_set),
        cmocka_unit_test(bad_parameters_are_refused_with_their_place),
        cmocka_unit_test(long_chains_of_parameters_are_refused_before_they_exhaust_the_stack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
