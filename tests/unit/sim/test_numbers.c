/* test_numbers.c - numbers of a scene that change while it runs: then it does what a scene with these numbers does; what cannot
 * change is refused. */
#include "test.h"
#include "unit/base/failing.h"
#include "unit/sim/scene_run.h"
#include <slipstick/drive.h>

static const char *const SCENE =
    "{\"slipstick\": 1, \"dimension\": 2, \"gravity\": [0, \"-g\"], \"time\": {\"until\": 1, \"step\": 0.01},"
    " \"parameters\": {\"g\": 9.81, \"k\": 100, \"mu\": 0.5, \"w\": 3, \"m\": 1, \"speed\": 0.2, \"start\": 0,"
    "   \"kp\": 200, \"kd\": 9, \"goal\": 0.3, \"most\": 40, \"ks\": 20, \"c\": 0.5, \"dry\": 0.2},"
    " \"materials\": [{\"name\": \"wood\", \"mu\": \"mu\"}],"
    " \"bodies\": [{\"name\": \"belt\", \"type\": \"driven\", \"position\": [\"start + speed*t\", \"0\"],"
    "   \"shapes\": [{\"type\": \"half_space\", \"normal\": [0, 1], \"material\": \"wood\"}]},"
    "  {\"name\": \"crate\", \"type\": \"rigid\", \"mass\": \"m\", \"inertia\": 0.01, \"position\": [0, 0.1], \"velocity\": [1, "
    "0],"
    "   \"shapes\": [{\"type\": \"box\", \"size\": [0.2, 0.2], \"material\": \"wood\"}]},"
    "  {\"name\": \"rod\", \"type\": \"rigid\", \"mass\": 1, \"inertia\": 0.1, \"position\": [5, 5]},"
    "  {\"name\": \"arm\", \"type\": \"rigid\", \"mass\": 1, \"inertia\": 0.1, \"position\": [9, 5]},"
    "  {\"name\": \"tip\", \"type\": \"rigid\", \"mass\": 1, \"inertia\": 0.1, \"position\": [10, 5]}],"
    " \"joints\": [{\"name\": \"elbow\", \"type\": \"revolute\", \"bodies\": [\"world\", \"arm\"], \"at\": [8.5, 5],"
    "   \"motor\": {\"position\": \"goal*t\", \"stiffness\": \"kp\", \"damping\": \"kd\", \"max\": \"most\"}},"
    "  {\"name\": \"wrist\", \"type\": \"revolute\", \"bodies\": [\"arm\", \"tip\"], \"at\": [9.5, 5], \"stiffness\": \"ks\","
    "   \"rest\": \"goal\", \"damping\": \"c\", \"friction\": \"dry\"},"
    "  {\"name\": \"hinge\", \"type\": \"revolute\", \"bodies\": [\"world\", \"rod\"], \"at\": [5, 5.5],"
    "   \"motor\": {\"force\": \"w\"}, \"limits\": [\"-w\", \"w\"]}],"
    " \"forces\": [{\"name\": \"pull\", \"type\": \"spring\", \"bodies\": [\"world\", \"crate\"], \"anchors\": [[-1, 0.1], [0, "
    "0]],"
    "   \"stiffness\": \"k\", \"length\": 1}, {\"name\": \"wind\", \"type\": \"expression\", \"body\": \"rod\", \"force\": "
    "[\"w*sin(t)\", \"0\"]}]}";
static const char *const OTHER[] = { "parameters.g=3",   "parameters.k=40",  "parameters.mu=0.1",   "parameters.w=2",
                                     "parameters.kp=90", "parameters.kd=3",  "parameters.goal=0.4", "parameters.most=3",
                                     "parameters.ks=45", "parameters.c=0.1", "parameters.dry=0.7" };
enum { OTHERS = sizeof OTHER / sizeof *OTHER };

static ss_model *compile(ss_context *ctx, int sets, const char *const *set)
{
    ss_scene *scene = NULL;
    ss_model *model = NULL;
    CHECK_OK(ctx, ss_scene_parse(ctx, SCENE, strlen(SCENE), "scene", sets, set, &scene));
    CHECK_OK(ctx, ss_model_compile(ctx, scene, &model));
    ss_scene_destroy(scene);
    return model;
}

static scene_run open_numbers(int sets, const char *const *set, const ss_scheme_type *scheme, double tol)
{
    scene_run r = { .ctx = test_context() };
    const ss_sim_options o = with_tol(tol);
    r.model = compile(r.ctx, sets, set);
    CHECK_OK(r.ctx, ss_sim_create_with(r.ctx, r.model, scheme ? scheme : ss_scheme_types[0], &o, &r.sim));
    return r;
}

TEST(numbers_that_are_set_do_what_they_do_in_a_scene_to_the_last_bit)
{
    for (int k = 0; k < tested_schemes(); k++) {
        scene_run r = open_numbers(0, NULL, ss_scheme_types[k], NAN), twin = open_numbers(OTHERS, OTHER, ss_scheme_types[k], NAN);
        ss_model *next = compile(r.ctx, OTHERS, OTHER);
        CHECK_OK(r.ctx, ss_sim_set_numbers(r.sim, next));
        CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.1));
        CHECK_OK(twin.ctx, ss_sim_advance(twin.sim, 0.1));
        CHECK(memcmp(ss_sim_q(r.sim), ss_sim_q(twin.sim), (size_t)ss_model_nq(r.model) * sizeof(double)) == 0);
        CHECK(memcmp(ss_sim_v(r.sim), ss_sim_v(twin.sim), (size_t)ss_model_nv(r.model) * sizeof(double)) == 0);
        close_scene(&twin);
        ss_sim_destroy(r.sim);
        r.sim = NULL;
        ss_model_destroy(next);
        close_scene(&r);
    }
}

/* to and fro: the middle model may be gone; inputs stay on top; a checkpoint needs the same numbers */
TEST(numbers_change_on_the_way_and_inputs_stay_on_top)
{
    for (int k = 0; k < 2 * tested_schemes(); k++) {
        const double tol = k % 2 ? 1e-4 : NAN;
        scene_run r = open_numbers(0, NULL, ss_scheme_types[k / 2], tol),
                  other = open_numbers(0, NULL, ss_scheme_types[k / 2], tol);
        ss_model *first = compile(r.ctx, OTHERS, OTHER), *second = compile(r.ctx, 1, OTHER), *same = compile(other.ctx, 1, OTHER);
        void *blob = NULL;
        size_t size = 0;
        double mu, e;
        CHECK_OK(r.ctx, ss_sim_set_pair(r.sim, 0, 0, 0.3, 0));
        CHECK_OK(r.ctx, ss_sim_set_wrench(r.sim, 2, (double[3]){ 1, 2, 0 }, NULL));
        CHECK_OK(r.ctx, ss_sim_set_numbers(r.sim, first));
        CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.03));
        CHECK_OK(r.ctx, ss_sim_set_numbers(r.sim, second));
        ss_model_destroy(first);
        CHECK_OK(r.ctx, ss_sim_pair(r.sim, 0, 0, &mu, &e));
        CHECK(mu == 0.3);
        CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.06));
        CHECK_OK(r.ctx, ss_sim_save(r.sim, &blob, &size));
        CHECK_FAILS(other.ctx, ss_sim_restore(other.sim, blob, size), SS_ERR_INPUT, "another scene");
        CHECK_OK(other.ctx, ss_sim_set_numbers(other.sim, same));
        CHECK_OK(other.ctx, ss_sim_restore(other.sim, blob, size));
        CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.09));
        CHECK_OK(other.ctx, ss_sim_advance(other.sim, 0.09));
        check_same_state(r.sim, other.sim);
        CHECK(ss_sim_summary(r.sim)->unconverged_steps == 0);
        ss_blob_free(r.ctx, blob);
        ss_sim_destroy(r.sim);
        ss_sim_destroy(other.sim);
        r.sim = other.sim = NULL;
        ss_model_destroy(second);
        ss_model_destroy(same);
        close_scene(&other);
        close_scene(&r);
    }
}

TEST(what_is_fixed_while_it_runs_is_refused_and_changes_nothing)
{
    static const char *const wrong[] = { "parameters.m=2",
                                         "bodies.crate.shapes[0].size=[0.3,0.2]",
                                         "joints.hinge.at=[5,5.6]",
                                         "bodies.crate.position=[0,0.2]",
                                         "joints.hinge.motor={\"speed\":\"0\"}",
                                         "parameters.kd=0",
                                         "parameters.c=0",
                                         "parameters.dry=0" };
    scene_run r = open_numbers(0, NULL, NULL, NAN), twin = open_numbers(0, NULL, NULL, NAN);
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        ss_model *next = compile(r.ctx, 1, &wrong[k]);
        CHECK_FAILS(r.ctx, ss_sim_set_numbers(r.sim, next), SS_ERR_INPUT, "numbers: the model differs in more than gravity");
        ss_model_destroy(next);
    }
    static const char *const jump = "parameters.start=0.5", *const faster = "parameters.speed=0.7";
    ss_model *apart = compile(r.ctx, 1, &jump), *fast = compile(r.ctx, 1, &faster);
    CHECK_FAILS(r.ctx, ss_sim_set_numbers(r.sim, apart), SS_ERR_INPUT, "numbers: driven body belt would jump by 0.5 m");
    CHECK_OK(r.ctx, ss_sim_set_numbers(r.sim, fast)); /* it begins at the same place */
    CHECK_OK(r.ctx, ss_sim_set_numbers(r.sim, r.model));
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.05));
    CHECK_OK(twin.ctx, ss_sim_advance(twin.sim, 0.05));
    check_same_state(r.sim, twin.sim);
    CHECK_FAILS(r.ctx, ss_sim_set_numbers(r.sim, fast), SS_ERR_INPUT, "would jump by 0.025 m");
    ss_sim_destroy(r.sim);
    r.sim = NULL;
    ss_model_destroy(apart);
    ss_model_destroy(fast);
    close_scene(&twin);
    close_scene(&r);
}

static const char *const TURNTABLE =
    "{\"slipstick\": 1, \"dimension\": %d, \"time\": {\"until\": 1, \"step\": 0.01}, \"parameters\": {\"phi\": 0.1, \"w\": 2},"
    " \"bodies\": [{\"name\": \"table\", \"type\": \"driven\", \"position\": [%s], \"angle\": \"phi + w*t\"%s},"
    " {\"name\": \"puck\", \"type\": \"particle\", \"mass\": 1, \"position\": [%s]}]}";

/* an angle that jumps is refused as a place is; one that goes on with another rate is taken */
TEST(a_driven_angle_that_would_jump_is_refused)
{
    for (int dimension = 2; dimension <= 3; dimension++) {
        const bool flat = dimension == 2;
        char scene[512];
        snprintf(scene, sizeof scene, TURNTABLE, dimension, flat ? "\"0\", \"0\"" : "\"0\", \"0\", \"0\"",
                 flat ? "" : ", \"axis\": [0, 1, 0]", flat ? "1, 1" : "1, 1, 1");
        scene_run r = open_text(scene, NULL, NULL, NAN), jumps = open_text(scene, "parameters.phi=0.4", NULL, NAN),
                  twice = open_text(scene, "parameters={\"phi\": -0.1, \"w\": 4}", NULL, NAN);
        ss_motion motion;
        CHECK_FAILS(r.ctx, ss_sim_set_numbers(r.sim, jumps.model), SS_ERR_INPUT,
                    "table would jump by 0 m and 0.3 rad at t = 0 s");
        CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.1));
        CHECK_FAILS(r.ctx, ss_sim_set_numbers(r.sim, jumps.model), SS_ERR_INPUT, "and 0.3 rad at t = 0.1 s");
        CHECK_OK(r.ctx, ss_sim_set_numbers(r.sim, twice.model)); /* 0.1 + 2 t = -0.1 + 4 t here */
        CHECK_OK(r.ctx, ss_sim_motion(r.sim, 0, &motion));
        CHECK_NEAR(motion.angle, 0.2, 1e-15);
        CHECK_NEAR(motion.rate, 4, 1e-15);
        ss_sim_destroy(r.sim);
        r.sim = NULL;
        close_scene(&twice);
        close_scene(&jumps);
        close_scene(&r);
    }
}

/* a rod that hangs on a table which turns by phi + w t^2: another phi would hang it elsewhere, although the table goes on evenly
 */
TEST(a_driven_body_with_joints_may_not_begin_elsewhere)
{
    static const char *const hung =
        "{\"slipstick\": 1, \"dimension\": 2, \"gravity\": [0, -10], \"time\": {\"until\": 1, \"step\": 0.01},"
        " \"parameters\": {\"phi\": 0, \"w\": 2}, \"bodies\": ["
        "  {\"name\": \"table\", \"type\": \"driven\", \"position\": [\"0\", \"0\"], \"angle\": \"phi + w*t^2\"},"
        "  {\"name\": \"rod\", \"mass\": 1, \"inertia\": 0.1, \"position\": [1, -0.5]}],"
        " \"joints\": [{\"name\": \"pin\", \"type\": \"revolute\", \"bodies\": [\"table\", \"rod\"], \"at\": [1, 0]}]}";
    scene_run r = open_text(hung, NULL, NULL, NAN), even = open_text(hung, "parameters={\"phi\": -0.02, \"w\": 4}", NULL, NAN),
              slower = open_text(hung, "parameters.w=2.5", NULL, NAN);
    CHECK_OK(r.ctx, ss_sim_set_numbers(r.sim, slower.model));
    CHECK_OK(r.ctx, ss_sim_set_numbers(r.sim, r.model));
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.1));
    CHECK_FAILS(r.ctx, ss_sim_set_numbers(r.sim, even.model), SS_ERR_INPUT,
                "driven body table would begin elsewhere, and joint pin is placed by where it begins");
    close_scene(&slower);
    close_scene(&even);
    close_scene(&r);
}

/* A refusal of memory on the way leaves the old numbers: the new model may go, and it runs on as if nothing had been asked.
 * The new spring pushes, which the driver has to watch. Returns whether the request was refused. */
static bool refuse_once(int request)
{
    static const char *const pushes = "parameters.k=-3";
    failing_allocator memory = { 0 };
    scene_run r = { .ctx = failing_context(&memory) }, twin = open_numbers(0, NULL, NULL, NAN);
    const ss_sim_options o = with_tol(NAN);
    r.model = compile(r.ctx, 0, NULL);
    CHECK_OK(r.ctx, ss_sim_create_with(r.ctx, r.model, ss_scheme_types[0], &o, &r.sim));
    ss_model *next = compile(r.ctx, 1, &pushes);
    memory.fail_at = memory.requests + request;
    const ss_status status = ss_sim_set_numbers(r.sim, next);
    const bool refused = memory.requests >= memory.fail_at;
    CHECK(status == (refused ? SS_ERR_MEMORY : SS_OK));
    if (refused) {
        ss_model_destroy(next);
        next = NULL;
        CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.05));
        CHECK_OK(twin.ctx, ss_sim_advance(twin.sim, 0.05));
        check_same_state(r.sim, twin.sim);
    }
    ss_sim_destroy(r.sim);
    r.sim = NULL;
    ss_model_destroy(next);
    close_scene(&r);
    CHECK(memory.live == 0);
    close_scene(&twin);
    return refused;
}

TEST(numbers_that_find_no_memory_change_nothing)
{
    int refused = 0;
    while (refuse_once(refused + 1)) {
        refused++;
    }
    CHECK(refused > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_that_are_set_do_what_they_do_in_a_scene_to_the_last_bit),
        cmocka_unit_test(numbers_change_on_the_way_and_inputs_stay_on_top),
        cmocka_unit_test(what_is_fixed_while_it_runs_is_refused_and_changes_nothing),
        cmocka_unit_test(a_driven_angle_that_would_jump_is_refused),
        cmocka_unit_test(a_driven_body_with_joints_may_not_begin_elsewhere),
        cmocka_unit_test(numbers_that_find_no_memory_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
