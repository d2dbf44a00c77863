/* test_authoring.c - scenes that are short to write stand for plain ones: rotations, copies, names, defaults, groups. */
#include "test.h"

/* JSON as it stands in a file */
#define JSON(...) #__VA_ARGS__

#define HEAD_2D "{\"slipstick\": 1, \"dimension\": 2, "
#define HEAD_3D "{\"slipstick\": 1, \"dimension\": 3, "

static ss_status read_text(ss_context *ctx, const char *text, ss_scene **scene)
{
    return ss_scene_parse(ctx, text, strlen(text), "scene", 0, NULL, scene);
}

/* the plain scene, as text that the caller frees */
static char *plain_text(ss_context *ctx, const char *text)
{
    ss_scene *scene = NULL;
    char *out = NULL;
    CHECK_OK(ctx, read_text(ctx, text, &scene));
    CHECK_OK(ctx, ss_scene_to_json(ctx, scene, &out));
    ss_scene_destroy(scene);
    return out;
}

static void check_same(const char *one, const char *other)
{
    ss_context *ctx = test_context();
    char *first = plain_text(ctx, one), *second = plain_text(ctx, other), *again = plain_text(ctx, first);
    assert_string_equal(first, second);
    assert_string_equal(first, again);
    ss_blob_free(ctx, first);
    ss_blob_free(ctx, second);
    ss_blob_free(ctx, again);
    ss_context_destroy(ctx);
}

static void check_refused(const char *text, const char *why)
{
    ss_context *ctx = test_context();
    ss_scene *scene = NULL;
    CHECK_FAILS(ctx, read_text(ctx, text, &scene), SS_ERR_INPUT, why);
    CHECK(scene == NULL);
    ss_context_destroy(ctx);
}

/* ---- rotations -------------------------------------------------------------------------------------------- */

/* the orientation of the only body of a scene */
static void orientation(const char *value, double q[4])
{
    ss_context *ctx = test_context();
    ss_scene *scene = NULL;
    ss_model *model = NULL;
    char text[1024];
    snprintf(text, sizeof text, HEAD_3D "\"bodies\": [{\"mass\": 1, \"inertia\": [1, 1, 1], \"orientation\": %s}]}", value);
    CHECK_OK(ctx, read_text(ctx, text, &scene));
    CHECK_OK(ctx, ss_model_compile(ctx, scene, &model));
    memcpy(q, ss_model_initial_q(model) + 3, 4 * sizeof *q);
    ss_model_destroy(model);
    ss_scene_destroy(scene);
    ss_context_destroy(ctx);
}

/* allowed: round-off of sines, or what the text leaves out */
static void check_orientation(const char *value, const double expected[4], double tol)
{
    double q[4];
    orientation(value, q);
    for (int k = 0; k < 4; k++) {
        CHECK_NEAR(q[k], expected[k], tol);
    }
}

/* from here on there is JSON in the code */
/* clang-format off */

TEST(a_rotation_is_the_same_in_all_four_ways)
{
    const double c = cos(0.35), s = sin(0.35);
    const double about_y[4] = { c, 0, s, 0 };
    check_orientation(JSON(["2*cos(0.35)", 0, "2*sin(0.35)", 0]), about_y, 1e-15);
    check_orientation(JSON({"axis": [0, 5, 0], "angle": 0.7}), about_y, 1e-15);
    check_orientation(JSON({"euler": [0, 0.7, 0]}), about_y, 1e-15);
    check_orientation(JSON({"matrix": [["cos(0.7)", 0, "sin(0.7)"], [0, 1, 0], ["-sin(0.7)", 0, "cos(0.7)"]]}), about_y, 1e-15);
}

/* a quarter turn about x, then one about the body's own y, which then is the world's z: their quaternions (1, i) and (1, j)
 * make (1, i)(1, j)/2 = (1 + i + j + k)/2; the other order (1, j)(1, i)/2 = (1 + i + j - k)/2 */
TEST(euler_angles_turn_about_the_axes_of_the_body)
{
    check_orientation(JSON({"euler": ["pi/2", "pi/2", 0]}), (const double[]){ 0.5, 0.5, 0.5, 0.5 }, 1e-15);
    check_orientation(JSON({"euler": ["pi/2", "pi/2", 0], "order": "yxz"}), (const double[]){ 0.5, 0.5, 0.5, -0.5 }, 1e-15);
    check_orientation(JSON({"euler": ["pi/2", 0, "pi/2"], "order": "zxz"}), (const double[]){ 0, 0, 0, 1 }, 1e-15);
}

/* its columns are the axes of the body: x goes to y, y to z, z to x, a third of a turn about (1, 1, 1) */
TEST(a_matrix_may_have_few_digits_but_must_be_a_rotation)
{
    check_orientation(JSON({"matrix": [[0, 0, 1], [1, 0, 0], [0, 1, 0]]}), (const double[]){ 0.5, 0.5, 0.5, 0.5 }, 1e-15);
    check_orientation(JSON({"matrix": [[0.707, -0.707, 0], [0.707, 0.707, 0], [0, 0, 1]]}),
                      (const double[]){ cos(acos(-1) / 8), 0, 0, sin(acos(-1) / 8) }, 1e-3);
    check_refused(HEAD_3D JSON("friction_frame": {"matrix": [[1, 0.01, 0], [0, 1, 0], [0, 0, 1]]}, "bodies": []) "}",
                  "friction_frame.matrix: not a rotation");
    check_refused(HEAD_3D JSON("friction_frame": {"matrix": [[0, 1, 0], [1, 0, 0], [0, 0, 1]]}, "bodies": []) "}",
                  "friction_frame.matrix: not a rotation");
}

/* ---- copies ------------------------------------------------------------------------------------------------ */

TEST(copies_have_an_index_and_the_last_one_runs_fastest)
{
    check_same(HEAD_2D JSON("parameters": {"n": 2}, "bodies": [{"name": "p{i}{j}_{i+10*j}", "type": "particle", "mass": "1+i",
                            "position": ["i", "j/n"], "replicate": {"i": "n", "j": "i+1"}}]) "}",
               HEAD_2D JSON("bodies": [{"name": "p00_0", "type": "particle", "mass": 1, "position": [0, 0]},
                                       {"name": "p10_1", "type": "particle", "mass": 2, "position": [1, 0]},
                                       {"name": "p11_11", "type": "particle", "mass": 2, "position": [1, 0.5]}]) "}");
}

TEST(an_index_with_labels_is_a_label_in_names_and_a_number_in_expressions)
{
    check_same(HEAD_2D JSON("bodies": [{"name": "{side} foot", "type": "particle", "mass": 1, "position": ["2*side-1", 0],
                                        "replicate": {"side": ["left", "right"]}}],
                            "joints": [{"type": "distance", "bodies": ["left foot", "right foot"]}]) "}",
               HEAD_2D JSON("bodies": [{"name": "left foot", "type": "particle", "mass": 1, "position": [-1, 0]},
                                       {"name": "right foot", "type": "particle", "mass": 1, "position": [1, 0]}],
                            "joints": [{"type": "distance", "bodies": ["left foot", "right foot"]}]) "}");
}

TEST(neighbours_in_a_chain_and_shapes_in_a_row_are_copies)
{
    check_same(HEAD_2D JSON("bodies": [{"name": "b{i}", "mass": 1, "inertia": 1, "position": ["i", 0], "replicate": {"i": 3},
                                        "shapes": [{"type": "disk", "radius": 0.1, "position": ["k-i", 0], "replicate": {"k": 2}}]}],
                            "joints": [{"type": "revolute", "bodies": ["b{i}", "b{i+1}"], "at": ["i+0.5", 0], "replicate": {"i": 2}}]) "}",
               HEAD_2D JSON("bodies": [{"name": "b0", "mass": 1, "inertia": 1, "position": [0, 0],
                                        "shapes": [{"type": "disk", "radius": 0.1}, {"type": "disk", "radius": 0.1, "position": [1, 0]}]},
                                       {"name": "b1", "mass": 1, "inertia": 1, "position": [1, 0], "shapes": [
                                         {"type": "disk", "radius": 0.1, "position": [-1, 0]}, {"type": "disk", "radius": 0.1}]},
                                       {"name": "b2", "mass": 1, "inertia": 1, "position": [2, 0], "shapes": [
                                         {"type": "disk", "radius": 0.1, "position": [-2, 0]}, {"type": "disk", "radius": 0.1, "position": [-1, 0]}]}],
                            "joints": [{"type": "revolute", "bodies": ["b0", "b1"], "at": [0.5, 0]},
                                       {"type": "revolute", "bodies": ["b1", "b2"], "at": [1.5, 0]}]) "}");
}

TEST(the_number_of_copies_is_limited)
{
    check_refused(HEAD_2D JSON("bodies": [{"replicate": {"i": 1000, "j": 101}}]) "}", "bodies[0]");
    check_refused(HEAD_2D JSON("groups": [{"replicate": {"i": 1000}, "groups": [{"replicate": {"i": 100}}]}]) "}",
                  "groups[0].groups[0].replicate.i: more than 100000 copies");
    check_refused(HEAD_2D JSON("bodies": [{"replicate": {"i": 100001}}]) "}", "bodies[0].replicate.i: expected a whole number");
}

/* a name with braces is any other name where nothing could be meant by them */
TEST(braces_in_names_of_plain_scenes_mean_nothing)
{
    check_same(HEAD_2D JSON("bodies": [{"name": "{i}", "type": "particle", "mass": 1, "position": [0, 0]}]) "}",
               HEAD_2D JSON("bodies": [{"name": "{i}", "type": "particle", "mass": 1, "position": [0, 0]}]) "}");
}

/* ---- defaults ------------------------------------------------------------------------------------------------ */

TEST(a_default_holds_for_the_types_that_have_the_key_and_the_innermost_group_decides)
{
    check_same(HEAD_2D JSON("defaults": {"bodies": {"mass": 2, "inertia": 1, "shapes": [{"type": "disk"}]}, "shapes": {"radius": 0.5}},
                            "bodies": [{"name": "a"}, {"name": "b", "mass": 3}, {"name": "c", "type": "fixed", "shapes": []}],
                            "groups": [{"defaults": {"bodies": {"mass": 4}}, "bodies": [{"name": "d"}, {"name": "e", "mass": 5}]}]) "}",
               HEAD_2D JSON("bodies": [{"name": "a", "mass": 2, "inertia": 1, "shapes": [{"type": "disk", "radius": 0.5}]},
                                       {"name": "b", "mass": 3, "inertia": 1, "shapes": [{"type": "disk", "radius": 0.5}]},
                                       {"name": "c", "type": "fixed"},
                                       {"name": "d", "mass": 4, "inertia": 1, "shapes": [{"type": "disk", "radius": 0.5}]},
                                       {"name": "e", "mass": 5, "inertia": 1, "shapes": [{"type": "disk", "radius": 0.5}]}]) "}");
}

/* ---- groups --------------------------------------------------------------------------------------------------- */

TEST(a_name_in_a_group_means_its_own_part_first_then_those_around_it)
{
    check_same(HEAD_2D JSON("materials": [{"name": "wood", "mu": 0.1}],
                            "bodies": [{"name": "a", "mass": 1, "inertia": 1}, {"name": "b", "mass": 2, "inertia": 1}],
                            "groups": [{"name": "g", "materials": [{"name": "steel", "mu": 0.2}], "bodies": [
                              {"name": "a", "mass": 3, "inertia": 1, "shapes": [{"type": "disk", "radius": 1, "material": "steel"},
                                                                               {"type": "disk", "radius": 1, "material": "wood"}]}],
                              "joints": [{"name": "j", "type": "revolute", "bodies": ["a", "b"]}]}],
                            "forces": [{"type": "constant", "body": "g.a", "force": [1, 0]}]) "}",
               HEAD_2D JSON("materials": [{"name": "wood", "mu": 0.1}, {"name": "g.steel", "mu": 0.2}],
                            "bodies": [{"name": "a", "mass": 1, "inertia": 1}, {"name": "b", "mass": 2, "inertia": 1},
                              {"name": "g.a", "mass": 3, "inertia": 1, "shapes": [{"type": "disk", "radius": 1, "material": "g.steel"},
                                                                                 {"type": "disk", "radius": 1, "material": "wood"}]}],
                            "joints": [{"name": "g.j", "type": "revolute", "bodies": ["g.a", "b"]}],
                            "forces": [{"type": "constant", "body": "g.a", "force": [1, 0]}]) "}");
}

/* a gear names two joints that may come after it, of its own group, of a group in it or of those around it */
TEST(couplings_in_a_group_find_the_joints_of_the_group)
{
    check_same(HEAD_2D JSON("bodies": [{"name": "a", "mass": 1, "inertia": 1}],
                            "joints": [{"name": "hub", "type": "revolute", "bodies": ["world", "a"]}],
                            "groups": [{"name": "box", "bodies": [{"name": "b", "mass": 1, "inertia": 1}],
                              "joints": [{"name": "mesh", "type": "gear", "joints": ["hub", "axle"], "ratio": -2},
                                         {"name": "slide", "type": "rack", "joints": ["axle", "deep.rail"], "radius": 1},
                                         {"name": "axle", "type": "revolute", "bodies": ["world", "b"]}],
                              "groups": [{"name": "deep", "joints": [
                                {"name": "rail", "type": "prismatic", "bodies": ["world", "b"], "axis": [1, 0]}]}]}]) "}",
               HEAD_2D JSON("bodies": [{"name": "a", "mass": 1, "inertia": 1}, {"name": "box.b", "mass": 1, "inertia": 1}],
                            "joints": [{"name": "hub", "type": "revolute", "bodies": ["world", "a"]},
                                       {"name": "box.mesh", "type": "gear", "joints": ["hub", "box.axle"], "ratio": -2},
                                       {"name": "box.slide", "type": "rack", "joints": ["box.axle", "box.deep.rail"], "radius": 1},
                                       {"name": "box.axle", "type": "revolute", "bodies": ["world", "box.b"]},
                                       {"name": "box.deep.rail", "type": "prismatic", "bodies": ["world", "box.b"], "axis": [1, 0]}]) "}");
}

/* a half turn about z, then one metre along x; places of the world's ends and axes move with the group, those of bodies do not */
TEST(parts_of_a_group_are_in_its_frame)
{
    check_same(HEAD_3D JSON("groups": [{"position": [1, 0, 0], "orientation": [0, 0, 0, 1],
                            "bodies": [{"name": "b", "mass": 1, "inertia": [1, 2, 3], "position": [2, 0, 5], "velocity": [0, 3, 0],
                                        "angular_velocity": [1, 0, 0]}],
                            "joints": [{"name": "rail", "type": "prismatic", "bodies": ["world", "b"], "at": [2, 0, 0], "axis": [1, 0, 0]},
                                       {"name": "rod", "type": "distance", "bodies": ["b", "world"], "anchors": [[0, 0, 0], [0, 1, 0]]}],
                            "forces": [{"type": "constant", "body": "b", "point": [1, 0, 0], "force": [1, 0, 0], "torque": [0, 1, 0]}]}]) "}",
               HEAD_3D JSON("bodies": [{"name": "b", "mass": 1, "inertia": [1, 2, 3], "position": [-1, 0, 5], "velocity": [0, -3, 0],
                                        "orientation": [0, 0, 0, 1], "angular_velocity": [1, 0, 0]}],
                            "joints": [{"name": "rail", "type": "prismatic", "bodies": ["world", "b"], "at": [-1, 0, 0], "axis": [-1, 0, 0]},
                                       {"name": "rod", "type": "distance", "bodies": ["b", "world"], "anchors": [[0, 0, 0], [1, -1, 0]]}],
                            "forces": [{"type": "constant", "body": "b", "point": [1, 0, 0], "force": [-1, 0, 0], "torque": [0, -1, 0]}]) "}");
}

TEST(both_axes_of_a_universal_joint_turn_with_its_group)
{
    check_same(HEAD_3D JSON("groups": [{"orientation": [0, 0, 0, 1], "bodies": [{"name": "b", "mass": 1, "inertia": [1, 2, 3], "position": [0, 0, 0]}],
                            "joints": [{"name": "cross", "type": "universal", "bodies": ["world", "b"], "at": [0, 0, 0], "axis": [1, 0, 0],
                                        "second_axis": [0, 1, 0]}]}]) "}",
               HEAD_3D JSON("bodies": [{"name": "b", "mass": 1, "inertia": [1, 2, 3], "position": [0, 0, 0], "orientation": [0, 0, 0, 1]}],
                            "joints": [{"name": "cross", "type": "universal", "bodies": ["world", "b"], "at": [0, 0, 0], "axis": [-1, 0, 0],
                                        "second_axis": [0, -1, 0]}]) "}");
}

/* names of joints and outputs are those of the group; a point of the world moves with it, one of a body does not */
TEST(outputs_of_a_group_read_its_own_parts)
{
    check_same(HEAD_2D JSON("groups": [{"name": "g", "position": [1, 0], "angle": "pi", "bodies": [{"name": "b", "mass": 1, "inertia": 1, "position": [0, 0]}],
                            "joints": [{"name": "pin", "type": "revolute", "bodies": ["world", "b"], "at": [2, 0]}],
                            "outputs": [{"name": "turn{i}", "type": "coordinate", "joint": "pin", "replicate": {"i": 2}},
                                        {"name": "span", "type": "distance", "bodies": ["world", "b"], "anchors": [[3, 0], [4, 0]]},
                                        {"name": "tip", "type": "position", "body": "b", "point": [5, 0]}]}]) "}",
               HEAD_2D JSON("bodies": [{"name": "g.b", "mass": 1, "inertia": 1, "position": [1, 0], "angle": "pi"}],
                            "joints": [{"name": "g.pin", "type": "revolute", "bodies": ["world", "g.b"], "at": [-1, "2*sin(pi)"]}],
                            "outputs": [{"name": "g.turn0", "type": "coordinate", "joint": "g.pin"},
                                        {"name": "g.turn1", "type": "coordinate", "joint": "g.pin"},
                                        {"name": "g.span", "type": "distance", "bodies": ["world", "g.b"], "anchors": [[-2, "3*sin(pi)"], [4, 0]]},
                                        {"name": "g.tip", "type": "position", "body": "g.b", "point": [5, 0]}]) "}");
}

TEST(parameters_of_a_group_hold_in_it_and_come_before_those_around_it)
{
    check_same(HEAD_2D JSON("parameters": {"a": 1, "b": 2}, "groups": [{"parameters": {"a": "10*b", "c": "a+b"}, "bodies": [
                              {"name": "p", "type": "particle", "mass": "c", "position": ["a", "b"]}]}],
                            "bodies": [{"name": "q", "type": "particle", "mass": "a", "position": [0, 0]}]) "}",
               HEAD_2D JSON("bodies": [{"name": "q", "type": "particle", "mass": 1, "position": [0, 0]},
                                       {"name": "p", "type": "particle", "mass": 22, "position": [20, 2]}]) "}");
    check_refused(HEAD_2D JSON("groups": [{"name": "g", "parameters": {"a": "a+1"}}]) "}", "groups.g.parameters.a: it depends on itself");
}

/* clang-format on */

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rotation_is_the_same_in_all_four_ways),
        cmocka_unit_test(euler_angles_turn_about_the_axes_of_the_body),
        cmocka_unit_test(a_matrix_may_have_few_digits_but_must_be_a_rotation),
        cmocka_unit_test(copies_have_an_index_and_the_last_one_runs_fastest),
        cmocka_unit_test(an_index_with_labels_is_a_label_in_names_and_a_number_in_expressions),
        cmocka_unit_test(neighbours_in_a_chain_and_shapes_in_a_row_are_copies),
        cmocka_unit_test(the_number_of_copies_is_limited),
        cmocka_unit_test(braces_in_names_of_plain_scenes_mean_nothing),
        cmocka_unit_test(a_default_holds_for_the_types_that_have_the_key_and_the_innermost_group_decides),
        cmocka_unit_test(a_name_in_a_group_means_its_own_part_first_then_those_around_it),
        cmocka_unit_test(couplings_in_a_group_find_the_joints_of_the_group),
        cmocka_unit_test(parts_of_a_group_are_in_its_frame),
        cmocka_unit_test(both_axes_of_a_universal_joint_turn_with_its_group),
        cmocka_unit_test(outputs_of_a_group_read_its_own_parts),
        cmocka_unit_test(parameters_of_a_group_hold_in_it_and_come_before_those_around_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
