/* test_outputs.c - outputs beside closed forms, beside what else reads the same thing, across checkpoints; what is refused. */
#include "test.h"
#include "unit/sim/scene_run.h"
#include <slipstick/drive.h>

#define JSON(...) #__VA_ARGS__

static double value_of(const scene_run *r, const char *name)
{
    int k = -1;
    double x = NAN, *all = calloc((size_t)ss_model_output_count(r->model) + 1, sizeof *all);
    CHECK_OK(r->ctx, ss_model_find_output(r->ctx, r->model, name, &k));
    CHECK_OK(r->ctx, ss_sim_output(r->sim, k, &x));
    CHECK_OK(r->ctx, ss_sim_outputs(r->sim, all));
    CHECK(memcmp(&x, &all[k], sizeof x) == 0); /* one of them is the same as all of them */
    free(all);
    return x;
}

static void check_unit(const scene_run *r, const char *name, const char *unit)
{
    int k = -1;
    CHECK_OK(r->ctx, ss_model_find_output(r->ctx, r->model, name, &k));
    CHECK(strcmp(ss_model_output_name(r->model, k), name) == 0);
    assert_string_equal(ss_model_output_unit(r->model, k), unit);
}

/* from here on there is JSON in the code */
/* clang-format off */

/* ---- a rod on a hinge, which falls from the horizontal ------------------------------------------------- */

/* length L = 2, mass m = 3, g = 10; angle p of the rod:  p'' = -(3 g/(2 L)) cos p,  p'^2 = -(3 g/L) sin p */
static const char ROD[] = JSON({
    "slipstick": 1, "dimension": 2, "gravity": [0, -10], "time": {"step": 1e-4}, "scheme": {"name": "event_capturing_rk"},
    "bodies": [{"name": "rod", "mass": 3, "inertia": 1, "position": [1, 0]}],
    "joints": [{"name": "hinge", "type": "revolute", "bodies": ["world", "rod"], "at": [0, 0]}],
    "outputs": [{"name": "pin", "type": "reaction", "joint": "hinge"},
                {"name": "tip", "type": "accelerometer", "body": "rod", "point": [1, 0]},
                {"name": "end", "type": "position", "body": "rod", "point": [1, 0]},
                {"name": "run", "type": "velocity", "body": "rod", "point": [1, 0]},
                {"name": "span", "type": "distance", "bodies": ["world", "rod"], "anchors": [[0, 2], [1, 0]]},
                {"name": "crank", "type": "coordinate", "joint": "hinge"},
                {"name": "crank.rate", "type": "rate", "joint": "hinge"}]});

TEST(a_falling_rod_reads_the_closed_forms_of_a_pendulum)
{
    scene_run r = open_text(ROD, NULL, NULL, NAN);
    const double L = 2, m = 3, g = 10, h = 1e-4, tol = 40 * g * h; /* means over a step, compared with its end */
    for (double until = 0.1; until < 0.75; until += 0.1) {
        CHECK_OK(r.ctx, ss_sim_advance(r.sim, until));
        const double p = value_of(&r, "crank"), w = value_of(&r, "crank.rate"), c = cos(p), s = sin(p);
        const double turn = -1.5 * g / L * c, square = -3 * g / L * s;
        CHECK_NEAR(w * w, square, 1e-8);
        /* R = m (a - g_vector) at the middle, a = L/2 (p'' e_t - p'^2 e_r) */
        CHECK_NEAR(value_of(&r, "pin.force_x"), m * L / 2 * (-turn * s - square * c), m * tol);
        CHECK_NEAR(value_of(&r, "pin.force_y"), m * (L / 2 * (turn * c - square * s) + g), m * tol);
        CHECK_NEAR(value_of(&r, "pin.torque"), 0, 1e-12);
        /* in the axes of the rod: a_tip - g_vector */
        CHECK_NEAR(value_of(&r, "tip.ax"), -L * square + g * s, tol);
        CHECK_NEAR(value_of(&r, "tip.ay"), L * turn + g * c, tol);
        CHECK_NEAR(value_of(&r, "end.x"), L * c, 1e-9);
        CHECK_NEAR(value_of(&r, "end.y"), L * s, 1e-9);
        CHECK_NEAR(value_of(&r, "run.vx"), -L * w * s, 1e-9);
        CHECK_NEAR(value_of(&r, "run.vy"), L * w * c, 1e-9);
        CHECK_NEAR(value_of(&r, "span"), hypot(L * c, L * s - 2), 1e-9);
    }
    close_scene(&r);
}

TEST(outputs_have_names_and_units_and_joints_have_some_of_their_own)
{
    scene_run r = open_text(ROD, NULL, NULL, NAN);
    double angle, rate;
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.1));
    CHECK_OK(r.ctx, ss_sim_joint_motion(r.sim, 0, &angle, &rate));
    CHECK(value_of(&r, "hinge.angle") == angle && value_of(&r, "hinge.rate") == rate && value_of(&r, "crank") == angle);
    CHECK(ss_model_declared_outputs(r.model) == 12 && ss_model_output_count(r.model) == 14);
    check_unit(&r, "pin.force_x", "N");
    check_unit(&r, "pin.torque", "N m");
    check_unit(&r, "tip.ay", "m/s^2");
    check_unit(&r, "end.x", "m");
    check_unit(&r, "run.vy", "m/s");
    check_unit(&r, "span", "m");
    check_unit(&r, "crank", "rad");
    check_unit(&r, "crank.rate", "rad/s");
    check_unit(&r, "hinge.rate", "rad/s");
    CHECK(!ss_model_output_name(r.model, 14) && !ss_model_output_unit(r.model, -1));
    close_scene(&r);
}

TEST(an_output_that_nobody_has_is_answered_by_the_nearest)
{
    scene_run r = open_text(ROD, NULL, NULL, NAN);
    int k = 0;
    double x;
    CHECK_FAILS(r.ctx, ss_model_find_output(r.ctx, r.model, "crank.rat", &k), SS_ERR_INPUT, "the nearest is \"crank.rate\"");
    CHECK(k == -1);
    CHECK_FAILS(r.ctx, ss_sim_output(r.sim, 14, &x), SS_ERR_INPUT, "output 14: expected a number from 0 to 13");
    CHECK_FAILS(r.ctx, ss_sim_output(r.sim, -1, &x), SS_ERR_INPUT, "output -1");
    close_scene(&r);
}

/* a mass of 3 kg at the end of an arm of 2 m, welded to the world; the weld turns with nothing */
TEST(a_weld_reads_the_weight_and_its_moment_about_the_anchor)
{
    static const char text[] = JSON({
        "slipstick": 1, "dimension": 3, "gravity": [0, 0, -10], "time": {"step": 0.01},
        "bodies": [{"name": "arm", "mass": 3, "inertia": [1, 1, 1], "position": [2, 1, 0], "orientation": {"axis": [1, 2, 3], "angle": 0.7}}],
        "joints": [{"name": "weld", "type": "fixed", "bodies": ["world", "arm"], "at": [0, 1, 0]}],
        "outputs": [{"name": "root", "type": "reaction", "joint": "weld"}]});
    scene_run r = open_text(text, NULL, NULL, NAN);
    const double expected[6] = { 0, 0, 30, 0, -60, 0 };
    double x[6];
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.1));
    CHECK(ss_model_output_count(r.model) == 6);
    CHECK_OK(r.ctx, ss_sim_outputs(r.sim, x));
    for (int k = 0; k < 6; k++) {
        CHECK_NEAR(x[k], expected[k], 1e-9);
    }
    check_unit(&r, "root.torque_y", "N m");
    close_scene(&r);
}

/* ---- motors ------------------------------------------------------------------------------------------------ */

/* a flywheel of inertia 2 on a hinge across gravity, driven by one of four kinds of motor */
static const char WHEEL[] = JSON({
    "slipstick": 1, "dimension": 2, "time": {"step": 0.01},
    "bodies": [{"name": "wheel", "mass": 1, "inertia": 2, "position": [0, 0]}],
    "joints": [{"name": "axle", "type": "revolute", "bodies": ["world", "wheel"], "at": [0, 0], "motor": {"speed": "3*t"}}],
    "outputs": [{"name": "drive", "type": "motor", "joint": "axle"}]});

static double drive_of(const char *motor, double at_start)
{
    char set[128];
    snprintf(set, sizeof set, "joints.axle.motor=%s", motor);
    scene_run r = open_text(WHEEL, set, NULL, NAN);
    CHECK(value_of(&r, "drive") == at_start);
    CHECK_OK(r.ctx, ss_sim_step(r.sim, 0.01));
    CHECK_OK(r.ctx, ss_sim_step(r.sim, 0.01));
    check_unit(&r, "drive", "N m");
    const double x = value_of(&r, "drive");
    double reaction[6];
    const int rows = ss_sim_joint_reaction(r.sim, 0, reaction);
    if (rows == 3) { /* a motor that holds something has a reaction, which has the same value; another has an output by itself */
        CHECK(x == reaction[2]);
    } else {
        CHECK(x == value_of(&r, "axle.motor.torque"));
    }
    close_scene(&r);
    return x;
}

TEST(motors_of_every_kind_read_their_torque)
{
    CHECK_NEAR(drive_of(JSON({"speed": "3*t"}), 0), 2 * 3, 1e-9);            /* I w' */
    CHECK_NEAR(drive_of(JSON({"speed": "3*t", "max": 5}), 0), 5, 1e-9);      /* at its bound */
    CHECK_NEAR(drive_of(JSON({"force": "1+4*t"}), 1), 1 + 4 * 0.02, 1e-15); /* of the state */
    CHECK_NEAR(drive_of(JSON({"position": "1", "stiffness": 8}), 8), 8, 0.1); /* 8 (1 - x), x small */
}

/* ---- steps that are not kept, states that are set, checkpoints ---------------------------------------------- */

/* a ball that bounces on a plate */
static const char BALL[] = JSON({
    "slipstick": 1, "dimension": 2, "gravity": [0, -10], "time": {"until": 2, "step": 0.01}, "materials": [{"name": "m", "mu": 0.4, "e": 0.5}],
    "bodies": [{"name": "ball", "mass": 2, "inertia": 0.01, "position": [0.3, 0.6], "velocity": [1, 0],
                "shapes": [{"type": "disk", "radius": 0.1, "material": "m"}]},
               {"name": "plate", "type": "fixed", "position": [0, -1], "shapes": [{"type": "box", "size": [20, 2], "material": "m"}]}],
    "outputs": [{"name": "scale", "type": "force_plate", "body": "plate"},
                {"name": "imu", "type": "accelerometer", "body": "ball"}]});

typedef struct sums {
    double impulse[2], t;
} sums;

static ss_status add_step(void *user, const ss_sim *sim, const ss_step_info *info)
{
    sums *s = user;
    double x[6];
    CHECK(ss_sim_outputs(sim, x) == SS_OK);
    s->impulse[0] += info->h * x[0];
    s->impulse[1] += info->h * x[1];
    s->t += info->h;
    return SS_OK;
}

/* momentum that the plate has taken up */
static void check_momentum(scene_run *r, double tol)
{
    sums s = { .t = 0 };
    ss_observer o = ss_observer_default();
    o.user = &s;
    o.on_step = add_step;
    CHECK_OK(r->ctx, ss_sim_observe(r->sim, &o));
    CHECK_OK(r->ctx, ss_sim_advance(r->sim, 0.9));
    const double *v = ss_sim_v(r->sim);
    CHECK_NEAR(s.t, 0.9, 1e-12);
    CHECK_NEAR(s.impulse[0], -2 * (v[0] - 1), tol);
    CHECK_NEAR(s.impulse[1], -2 * (v[1] + 10 * 0.9), tol);
    CHECK(s.impulse[1] < -2); /* it has bounced */
}

TEST(the_impulses_on_a_plate_are_the_momentum_a_ball_has_lost)
{
    scene_run r = open_text(BALL, NULL, NULL, NAN);
    check_momentum(&r, 1e-9);
    close_scene(&r);
}

TEST(steps_of_a_tolerance_count_once_whatever_was_tried)
{
    scene_run r = open_text(BALL, NULL, NULL, 1e-4);
    check_momentum(&r, 1e-9);
    CHECK(ss_sim_summary(r.sim)->rejected > 0);
    close_scene(&r);
}

TEST(a_resting_ball_presses_with_its_weight_below_its_centre)
{
    scene_run r = open_text(BALL, "bodies.ball.position=[0.3, 0.1]", NULL, NAN);
    const double still[3] = { 0, 0, 0 };
    CHECK_OK(r.ctx, ss_sim_set_state(r.sim, NULL, still));
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.1));
    CHECK_NEAR(value_of(&r, "scale.force_x"), 0, 1e-12);
    CHECK_NEAR(value_of(&r, "scale.force_y"), -20, 1e-9);
    CHECK_NEAR(value_of(&r, "scale.point_x"), 0.3, 1e-12);
    CHECK_NEAR(value_of(&r, "scale.point_y"), 0, 1e-9);
    CHECK_NEAR(value_of(&r, "imu.ay"), 10, 1e-9);
    close_scene(&r);
}

TEST(a_plate_that_nothing_presses_points_at_its_own_origin)
{
    scene_run r = open_text(BALL, NULL, NULL, NAN);
    CHECK_OK(r.ctx, ss_sim_step(r.sim, 0.01));
    CHECK(value_of(&r, "scale.force_y") == 0 && value_of(&r, "scale.point_x") == 0 && value_of(&r, "scale.point_y") == -1);
    CHECK_NEAR(value_of(&r, "imu.ay"), 0, 1e-12); /* in free fall */
    close_scene(&r);
}

TEST(a_state_that_is_set_has_no_step_to_tell_of)
{
    scene_run r = open_text(BALL, NULL, NULL, NAN);
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 1.9));
    CHECK(value_of(&r, "scale.force_y") != 0);
    CHECK_OK(r.ctx, ss_sim_set_state(r.sim, ss_sim_q(r.sim), NULL));
    CHECK(value_of(&r, "scale.force_y") == 0 && value_of(&r, "imu.ay") == 0);
    close_scene(&r);
}

TEST(a_restored_simulation_tells_of_the_same_step)
{
    scene_run a = open_text(BALL, NULL, NULL, NAN), b = open_text(BALL, NULL, NULL, NAN);
    double x[2][6];
    void *blob = NULL;
    size_t size = 0;
    CHECK_OK(a.ctx, ss_sim_advance(a.sim, 1.9));
    CHECK_OK(a.ctx, ss_sim_save(a.sim, &blob, &size));
    CHECK_OK(b.ctx, ss_sim_restore(b.sim, blob, size));
    for (int k = 0; k < 3; k++) {
        CHECK_OK(a.ctx, ss_sim_outputs(a.sim, x[0]));
        CHECK_OK(b.ctx, ss_sim_outputs(b.sim, x[1]));
        CHECK(x[0][1] < 0 && memcmp(x[0], x[1], sizeof x[0]) == 0);
        CHECK_OK(a.ctx, ss_sim_step(a.sim, 0.01));
        CHECK_OK(b.ctx, ss_sim_step(b.sim, 0.01));
    }
    /* other outputs do not keep a checkpoint from being restored; there is nothing to tell until the next step */
    scene_run c = open_text(BALL, "outputs.imu.name=other", NULL, NAN);
    CHECK_OK(c.ctx, ss_sim_restore(c.sim, blob, size));
    CHECK(value_of(&c, "other.ay") == 0 && value_of(&c, "scale.force_y") == 0);
    CHECK_OK(c.ctx, ss_sim_step(c.sim, 0.01));
    CHECK(value_of(&c, "scale.force_y") < 0);
    ss_blob_free(a.ctx, blob);
    close_scene(&a);
    close_scene(&b);
    close_scene(&c);
}

TEST(steps_with_outputs_and_readings_take_no_memory)
{
    scene_run r = open_text(BALL, NULL, NULL, NAN);
    double x[6];
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 1));
    CHECK_OK(r.ctx, ss_sim_outputs(r.sim, x));
    const uint64_t before = ss_context_allocations(r.ctx);
    for (int k = 0; k < 50; k++) {
        CHECK_OK(r.ctx, ss_sim_step(r.sim, 0.01));
        CHECK_OK(r.ctx, ss_sim_output(r.sim, 1, &x[0]));
        CHECK_OK(r.ctx, ss_sim_outputs(r.sim, x));
    }
    CHECK(ss_context_allocations(r.ctx) == before);
    close_scene(&r);
}

/* ---- what is refused ----------------------------------------------------------------------------------------- */

static const char PARTS[] = JSON({
    "slipstick": 1, "dimension": 2, "time": {"step": 0.01},
    "bodies": [{"name": "rod", "mass": 3, "inertia": 1, "position": [1, 0]}, {"name": "block", "mass": 1, "inertia": 1, "position": [2, 0]}],
    "elements": [{"name": "bar", "type": "bar", "size": [1, 0.1], "divisions": 2, "E": 1e6, "density": 1000, "position": [0, 5], "first": "world"}],
    "joints": [{"name": "hinge", "type": "revolute", "bodies": ["world", "rod"], "at": [0, 0]},
               {"name": "ball", "type": "spherical", "bodies": ["rod", "block"], "at": [2, 0]}]});

static void refuse(const char *outputs, const char *text)
{
    char set[512];
    const char *all = set;
    ss_context *ctx = test_context();
    ss_scene *scene = NULL;
    ss_model *model = NULL;
    snprintf(set, sizeof set, "outputs=[%s]", outputs);
    ss_status status = ss_scene_parse(ctx, PARTS, strlen(PARTS), "scene", 1, &all, &scene);
    status = status == SS_OK ? ss_model_compile(ctx, scene, &model) : status;
    CHECK_FAILS(ctx, status, SS_ERR_INPUT, text);
    ss_scene_destroy(scene);
    ss_model_destroy(model);
    ss_context_destroy(ctx);
}

TEST(outputs_of_parts_that_are_not_there_are_refused)
{
    refuse(JSON({"name": "a", "type": "coordinate", "joint": "hing"}), "outputs.a.joint: no joint is called \"hing\"; the nearest is \"hinge\"");
    refuse(JSON({"name": "a", "type": "coordinat", "joint": "hinge"}), "did you mean \"coordinate\"?");
    refuse(JSON({"name": "a", "type": "position", "body": "rood"}), "\"rod\"");
    refuse(JSON({"name": "a", "type": "position", "joint": "hinge"}), "joint");
    refuse(JSON({"type": "position", "body": "rod"}), "name");
    refuse(JSON({"name": "a", "type": "coordinate", "joint": "ball"}), "\"ball\" is a spherical joint, which has no coordinate");
    refuse(JSON({"name": "a", "type": "rate", "joint": "ball"}), "has no coordinate");
    refuse(JSON({"name": "a", "type": "motor", "joint": "hinge"}), "outputs.a.joint: \"hinge\" has no motor");
    refuse(JSON({"name": "a", "type": "force_plate", "body": "world"}), "outputs.a.body: the world is at rest");
    refuse(JSON({"name": "a", "type": "position", "body": "rod", "point": ["0/0", 0]}), "point");
}

TEST(names_that_a_result_has_already_are_refused)
{
    refuse(JSON({"name": "rod.x", "type": "coordinate", "joint": "hinge"}), "\"rod.x\" is the name of a coordinate of a body");
    refuse(JSON({"name": "rod", "type": "position", "body": "rod"}), "\"rod.x\" is the name of a coordinate of a body");
    refuse(JSON({"name": "hinge.force_x", "type": "rate", "joint": "hinge"}), "a reaction of a joint");
    refuse(JSON({"name": "bar.0.force", "type": "rate", "joint": "hinge"}), "a part of a flexible body");
    refuse(JSON({"name": "kinetic", "type": "rate", "joint": "hinge"}), "a column that every result has");
    refuse(JSON({"name": "gravity", "type": "rate", "joint": "hinge"}), "a column that every result has");
    refuse(JSON({"name": "p", "type": "position", "body": "rod"}, {"name": "p.y", "type": "rate", "joint": "hinge"}), "another output");
    refuse(JSON({"name": "p", "type": "rate", "joint": "hinge"}, {"name": "p", "type": "rate", "joint": "hinge"}), "taken by outputs.0");
    refuse(JSON({"name": "", "type": "rate", "joint": "hinge"}), "name");
}

TEST(a_name_that_the_scene_gives_comes_before_that_of_a_joint_or_a_number)
{
    scene_run r = open_text(WHEEL, "outputs=[{\"name\": \"axle.angle\", \"type\": \"rate\", \"joint\": \"axle\"}]", NULL, NAN);
    int k;
    CHECK(ss_model_output_count(r.model) == 2);
    CHECK_OK(r.ctx, ss_model_find_output(r.ctx, r.model, "axle.angle", &k));
    CHECK(k == 0);
    close_scene(&r);
    /* a joint and a body without names are both called 0: the coordinate of the body keeps its column */
    static const char bare[] = JSON({
        "slipstick": 1, "dimension": 2, "time": {"step": 0.01}, "bodies": [{"mass": 1, "inertia": 1, "position": [0, 0]}],
        "elements": [{"name": "bar", "type": "bar", "size": [1, 0.1], "divisions": 2, "E": 1e6, "density": 1000, "position": [1, 0]}],
        "joints": [{"type": "revolute", "bodies": ["world", "bar.0"], "at": [1, 0]}]});
    r = open_text(bare, NULL, NULL, NAN);
    CHECK(ss_model_output_count(r.model) == 1);
    assert_string_equal(ss_model_output_name(r.model, 0), "0.rate");
    close_scene(&r);
}

TEST(points_that_are_no_numbers_are_refused_in_C)
{
    ss_context *ctx = test_context();
    ss_scene *scene = NULL;
    ss_model *model = NULL;
    ss_output_desc d = ss_output_desc_default();
    d.name = "p";
    d.type = "position";
    d.body = "rod";
    d.point[1] = NAN;
    CHECK_OK(ctx, ss_scene_parse(ctx, PARTS, strlen(PARTS), "scene", 0, NULL, &scene));
    CHECK_OK(ctx, ss_scene_add_output(scene, &d));
    CHECK_FAILS(ctx, ss_model_compile(ctx, scene, &model), SS_ERR_INPUT, "outputs.p.point: expected 2 finite numbers, got nan");
    ss_scene_destroy(scene);
    CHECK_OK(ctx, ss_scene_parse(ctx, PARTS, strlen(PARTS), "scene", 0, NULL, &scene));
    d.point[1] = 0;
    d.body = NULL;
    CHECK_OK(ctx, ss_scene_add_output(scene, &d));
    CHECK_FAILS(ctx, ss_model_compile(ctx, scene, &model), SS_ERR_INPUT, "outputs.p.body: missing");
    ss_scene_destroy(scene);
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_falling_rod_reads_the_closed_forms_of_a_pendulum),
        cmocka_unit_test(outputs_have_names_and_units_and_joints_have_some_of_their_own),
        cmocka_unit_test(an_output_that_nobody_has_is_answered_by_the_nearest),
        cmocka_unit_test(a_weld_reads_the_weight_and_its_moment_about_the_anchor),
        cmocka_unit_test(motors_of_every_kind_read_their_torque),
        cmocka_unit_test(the_impulses_on_a_plate_are_the_momentum_a_ball_has_lost),
        cmocka_unit_test(steps_of_a_tolerance_count_once_whatever_was_tried),
        cmocka_unit_test(a_resting_ball_presses_with_its_weight_below_its_centre),
        cmocka_unit_test(a_plate_that_nothing_presses_points_at_its_own_origin),
        cmocka_unit_test(a_state_that_is_set_has_no_step_to_tell_of),
        cmocka_unit_test(a_restored_simulation_tells_of_the_same_step),
        cmocka_unit_test(steps_with_outputs_and_readings_take_no_memory),
        cmocka_unit_test(outputs_of_parts_that_are_not_there_are_refused),
        cmocka_unit_test(names_that_a_result_has_already_are_refused),
        cmocka_unit_test(a_name_that_the_scene_gives_comes_before_that_of_a_joint_or_a_number),
        cmocka_unit_test(points_that_are_no_numbers_are_refused_in_C),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
