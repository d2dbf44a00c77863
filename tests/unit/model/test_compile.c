/* test_compile.c - what compiling takes from a scene: masses, laws, pairs, lengths, names; copies, not pointers. */
#include "rich.h"

/* ---- masses ---------------------------------------------------------------------------------------------- */

TEST(density_gives_the_mass_and_inertia_of_a_disk_and_of_a_ball)
{
    ss_context *ctx = test_context();
    const double pi = acos(-1), r = 0.5, density = 3;
    for (int dimension = 2; dimension <= 3; dimension++) {
        ss_scene *scene = new_scene(ctx, dimension);
        ss_body_desc d = standing("ball", SS_BODY_RIGID);
        d.density = density;
        add_sphere(scene, ctx, add_body(scene, ctx, d), r, NULL);
        ss_model *m = compiled(ctx, scene);
        double mass = density * (dimension == 2 ? pi * r * r : 4 * pi * r * r * r / 3);
        double inertia = mass * r * r * (dimension == 2 ? 0.5 : 0.4);
        int last = dimension == 2 ? 8 : 35;
        CHECK_NEAR(m->mass.diagonal.x[0], mass, 1e-15);
        CHECK_NEAR(m->mass.diagonal.x[last], inertia, 1e-15);
        ss_model_destroy(m);
    }
    ss_context_destroy(ctx);
}

TEST(a_mass_without_inertia_takes_the_shapes_of_a_dumbbell)
{
    ss_context *ctx = test_context();
    ss_scene *scene = new_scene(ctx, 2);
    ss_body_desc d = standing("dumbbell", SS_BODY_RIGID);
    d.mass = 4;
    int body = add_body(scene, ctx, d);
    for (int side = -1; side <= 1; side += 2) {
        ss_shape_desc disk = ss_shape_desc_default();
        disk.type = "sphere";
        disk.radius = 0.2;
        disk.position[0] = side;
        CHECK_OK(ctx, ss_scene_add_shape(scene, body, &disk));
    }
    ss_model *m = compiled(ctx, scene);
    CHECK_NEAR(m->body_mass[0], 4, 0);
    CHECK_NEAR(m->body_inertia[0].c[2].z, 4 * (0.02 + 1), 1e-14); /* m (r^2/2 + d^2) */
    ss_model_destroy(m);
    ss_context_destroy(ctx);
}

/* among them a mass that comes back, after more others than are compared with */
TEST(bodies_that_are_alike_share_a_block_of_the_mass_matrix)
{
    ss_context *ctx = test_context();
    ss_scene *scene = new_scene(ctx, 3);
    const double mass[] = { 1, 1, 2, 1, 3, 4, 5, 6, 7, 8, 9, 10, 1, 10 };
    enum { BODIES = sizeof mass / sizeof *mass };
    for (int b = 0; b < BODIES; b++) {
        char name[16];
        snprintf(name, sizeof name, "p%d", b);
        ss_body_desc d = particle(name, b, 0);
        d.mass = mass[b];
        add_body(scene, ctx, d);
    }
    ss_model *m = compiled(ctx, scene);
    const ss_blockdiag *M = &m->mass.diagonal;
    double y[3 * BODIES], ones[3 * BODIES];
    for (int i = 0; i < 3 * BODIES; i++) {
        ones[i] = 1;
    }
    ss_blockdiag_times(M, ones, y);
    for (int i = 0; i < 3 * BODIES; i++) {
        CHECK(y[i] == mass[i / 3] && M->factor[M->start[i / 3] + 4 * (i % 3)] == sqrt(mass[i / 3]));
    }
    CHECK(M->start[1] == M->start[0] && M->start[3] == M->start[0] && M->start[13] == M->start[11]);
    CHECK(ss_model_mass_size(m) < (size_t)9 * (BODIES - 2));
    ss_model_destroy(m);
    ss_context_destroy(ctx);
}

TEST(products_of_inertia_are_placed_symmetrically_in_the_body_frame)
{
    ss_context *ctx = test_context();
    ss_scene *scene = new_scene(ctx, 3);
    ss_body_desc d = rigid("a", 0, 0);
    const double inertia[6] = { 3, 4, 5, 0.1, 0.2, 0.3 };
    const double expected[9] = { 3, 0.1, 0.2, 0.1, 4, 0.3, 0.2, 0.3, 5 };
    memcpy(d.inertia, inertia, sizeof inertia);
    add_body(scene, ctx, d);
    ss_model *m = compiled(ctx, scene);
    for (int i = 0; i < 9; i++) {
        CHECK_NEAR(m->mass.diagonal.x[6 * (3 + i / 3) + 3 + i % 3], expected[i], 0);
    }
    ss_model_destroy(m);
    ss_context_destroy(ctx);
}

TEST(a_flat_plate_passes_the_triangle_inequality)
{
    ss_context *ctx = test_context();
    ss_scene *scene = new_scene(ctx, 3);
    ss_body_desc d = rigid("plate", 0, 0);
    d.inertia[0] = 1.0 / 3;
    d.inertia[1] = 1.0 / 7;
    d.inertia[2] = 1.0 / 3 + 1.0 / 7; /* equality: a plate without thickness */
    add_body(scene, ctx, d);
    ss_model_destroy(compiled(ctx, scene));
    ss_context_destroy(ctx);
}

/* ---- laws ----------------------------------------------------------------------------------------------------- */

TEST(pairs_combine_by_geometric_mean_and_minimum_and_open_values_defer)
{
    ss_context *ctx = test_context();
    ss_scene *scene = new_scene(ctx, 2);
    ss_material_desc d[3] = { ss_material_desc_default(), ss_material_desc_default(), ss_material_desc_default() };
    ss_pair_desc pair = ss_pair_desc_default();
    d[0].name = "a";
    d[0].mu[0] = d[0].mu[1] = 0.4;
    d[0].e = 0.9;
    d[1].name = "b";
    d[1].mu[0] = d[1].mu[1] = 0.9;
    d[1].e = 0.2;
    d[2].name = "open";
    pair.materials[0] = "b";
    pair.materials[1] = "open";
    pair.e = 0.7;
    pair.impact = SS_IMPACT_NEWTON;
    for (int k = 0; k < 3; k++) {
        CHECK_OK(ctx, ss_scene_add_material(scene, &d[k]));
    }
    CHECK_OK(ctx, ss_scene_add_pair(scene, &pair));
    for (int k = 0; k < 4; k++) {
        int body = add_body(scene, ctx, particle(NULL, k, 0));
        add_sphere(scene, ctx, body, 0.1, k < 3 ? d[k].name : NULL);
    }
    ss_model *m = compiled(ctx, scene);
    CHECK_NEAR(ss_model_pair_law(m, 0, 1)->mu[0], 0.6, 2e-16); /* sqrt(.4 .9): two roundings */
    CHECK_NEAR(ss_model_pair_law(m, 1, 0)->e, 0.2, 0);
    CHECK_NEAR(ss_model_pair_law(m, 0, 2)->mu[0], 0.4, 0); /* the open one defers */
    CHECK_NEAR(ss_model_pair_law(m, 0, 3)->e, 0.9, 0);     /* so does the default material */
    CHECK_NEAR(ss_model_pair_law(m, 2, 3)->mu[0], 0, 0);   /* both open: 0 */
    CHECK_NEAR(ss_model_pair_law(m, 2, 1)->mu[0], 0.9, 0); /* an entry without mu keeps the rule's */
    CHECK_NEAR(ss_model_pair_law(m, 2, 1)->e, 0.7, 0);
    CHECK(ss_model_pair_law(m, 1, 2)->impact == SS_IMPACT_NEWTON && ss_model_pair_law(m, 0, 1)->impact == SS_IMPACT_UNSET);
    CHECK(ss_model_pair_law(m, 0, 1)->grain_of == -1);
    ss_model_destroy(m);
    ss_context_destroy(ctx);
}

TEST(a_grain_belongs_to_the_material_that_has_it)
{
    ss_context *ctx = test_context();
    ss_scene *scene = new_scene(ctx, 3);
    ss_material_desc wood = ss_material_desc_default(), steel = ss_material_desc_default();
    steel.name = "steel";
    steel.mu[0] = steel.mu[1] = 0.25;
    wood.name = "wood";
    wood.mu[0] = 0.16;
    wood.mu[1] = 0.64;
    wood.grain[0] = 0;
    wood.grain[1] = 2;
    CHECK_OK(ctx, ss_scene_add_material(scene, &steel));
    CHECK_OK(ctx, ss_scene_add_material(scene, &wood));
    add_sphere(scene, ctx, add_body(scene, ctx, particle("a", 0, 0)), 1, "steel");
    add_sphere(scene, ctx, add_body(scene, ctx, particle("b", 3, 0)), 1, "wood");
    ss_model *m = compiled(ctx, scene);
    const ss_pair_law *law = ss_model_pair_law(m, 0, 1);
    CHECK_NEAR(law->mu[0], 0.2, 1e-16);
    CHECK_NEAR(law->mu[1], 0.4, 1e-16);
    CHECK(law->grain_of == 1 && law->grain.y == 1);
    ss_model_destroy(m);
    ss_context_destroy(ctx);
}

/* ---- who may touch whom ------------------------------------------------------------------------------------------ */

TEST(potential_pairs_count_what_may_touch)
{
    ss_context *ctx = test_context();
    for (int dimension = 2; dimension <= 3; dimension++) {
        ss_scene *scene = rich_scene(ctx, dimension);
        add_sphere(scene, ctx, 0, 0.05, NULL); /* two shapes on one body */
        add_sphere(scene, ctx, 9, 0.05, NULL); /* one on the driven body */
        ss_model *m = compiled(ctx, scene);
        int64_t count = 0;
        for (int a = 0; a < m->shapes; a++) {
            for (int b = a + 1; b < m->shapes; b++) {
                count += ss_model_may_touch(m, a, b);
            }
        }
        CHECK(ss_model_potential_pairs(m) == count);
        CHECK(count > 20 && count < m->shapes * (m->shapes - 1) / 2);
        ss_model_destroy(m);
    }
    ss_context_destroy(ctx);
}

TEST(jointed_bodies_do_not_touch_unless_the_joint_says_so)
{
    ss_context *ctx = test_context();
    for (int collide = 0; collide < 2; collide++) {
        ss_scene *scene = new_scene(ctx, 2);
        ss_joint_desc rod = joint_between("rod", "distance", "b", "a");
        rod.collide = collide;
        add_sphere(scene, ctx, add_body(scene, ctx, particle("a", 0, 0)), 0.1, NULL);
        add_sphere(scene, ctx, add_body(scene, ctx, particle("b", 1, 0)), 0.1, NULL);
        add_joint(scene, ctx, rod);
        rod.name = NULL; /* redundant joints are fine */
        add_joint(scene, ctx, rod);
        ss_model *m = compiled(ctx, scene);
        CHECK(ss_model_may_touch(m, 0, 1) == (collide == 1));
        CHECK(m->excluded_count == (collide ? 0 : 1));
        CHECK(strcmp(ss_model_joint_name(m, 1), "1") == 0); /* without a name: its number */
        ss_model_destroy(m);
    }
    ss_context_destroy(ctx);
}

/* ---- length --------------------------------------------------------------------------------------------------------- */

/* two bodies and a wall: turned, moved, renumbered and in other units */
static double length_of(ss_context *ctx, double angle, double shift, double unit, bool renumber)
{
    ss_scene *scene = new_scene(ctx, 2);
    double c = cos(angle), s = sin(angle);
    const double at[3][2] = { { 0, 0 }, { 3, 1 }, { -1, 2 } };
    for (int k = 0; k < 3; k++) {
        int i = renumber ? 2 - k : k;
        ss_body_desc d = i == 2 ? standing(NULL, SS_BODY_FIXED) : rigid(NULL, 0, 0);
        d.position[0] = unit * (c * at[i][0] - s * at[i][1] + shift);
        d.position[1] = unit * (s * at[i][0] + c * at[i][1]);
        int body = add_body(scene, ctx, d);
        add_sphere(scene, ctx, body, i == 2 ? 100 * unit : 0.5 * unit, NULL); /* the wall's size does not count */
    }
    ss_model *m = compiled(ctx, scene);
    double length = ss_model_length_scale(m);
    ss_model_destroy(m);
    return length;
}

TEST(the_length_scale_turns_moves_renumbers_and_rescales_with_the_scene)
{
    ss_context *ctx = test_context();
    const double length = length_of(ctx, 0, 0, 1, false), angle = 37 * acos(-1) / 180;
    CHECK_NEAR(length, hypot(3 - 2.0 / 3, 0), 1e-15);
    CHECK_NEAR(length_of(ctx, angle, 0, 1, false), length, 1e-15);
    CHECK_NEAR(length_of(ctx, 0, 7, 1, false), length, 1e-14);
    CHECK_NEAR(length_of(ctx, 0, 0, 1, true), length, 1e-15);
    CHECK_NEAR(length_of(ctx, angle, 7, 1000, true), 1000 * length, 1e-11);
    ss_context_destroy(ctx);
}

TEST(the_length_scale_sees_joints_springs_and_the_setting)
{
    ss_context *ctx = test_context();
    ss_scene *scene = new_scene(ctx, 2);
    ss_joint_desc rod = joint_between("rod", "distance", "world", "a");
    add_body(scene, ctx, particle("a", 3, 4));
    ss_model *m = NULL;
    CHECK_OK(ctx, ss_model_compile(ctx, scene, &m));
    CHECK_NEAR(m->length, 1, 0); /* a single point has no size */
    ss_model_destroy(m);
    add_joint(scene, ctx, rod);
    CHECK_OK(ctx, ss_model_compile(ctx, scene, &m));
    CHECK_NEAR(m->length, 5, 1e-15);
    ss_model_destroy(m);
    ss_force_desc spring = force_between("s", "spring", "world", "a");
    spring.length = 8;
    add_force(scene, ctx, spring);
    CHECK_OK(ctx, ss_model_compile(ctx, scene, &m));
    CHECK_NEAR(m->length, 8, 0);
    ss_model_destroy(m);
    ss_scene_settings settings = *ss_scene_get_settings(scene);
    settings.length_scale = 0.25;
    CHECK_OK(ctx, ss_scene_set_settings(scene, &settings));
    m = compiled(ctx, scene);
    CHECK_NEAR(m->length, 0.25, 0);
    ss_model_destroy(m);
    ss_context_destroy(ctx);
}

TEST(every_velocity_has_a_unit_the_length_a_radian_or_what_a_block_says)
{
    ss_context *ctx = test_context();
    for (int dimension = 2; dimension <= 3; dimension++) {
        ss_scene *scene = new_scene(ctx, dimension);
        ss_body_desc plain = standing("plain", SS_BODY_BLOCK), own = standing("own", SS_BODY_BLOCK);
        const double unit[2] = { 0.25, 8 };
        ss_block with_unit = *test_block();
        with_unit.constraints = 0;
        ss_block without = with_unit;
        with_unit.unit = unit;
        plain.block = &without;
        own.block = &with_unit;
        add_body(scene, ctx, rigid("body", 0, 0));
        add_body(scene, ctx, particle("ball", 6, 0));
        add_body(scene, ctx, plain);
        add_body(scene, ctx, own);
        ss_model *m = compiled(ctx, scene);
        const int linear = dimension, angular = dimension == 2 ? 1 : 3;
        CHECK_NEAR(m->length, 3, 0);
        for (int i = 0; i < m->nv; i++) {
            const int at = i - (2 * linear + angular + 2); /* in the last block */
            const bool turns = i >= linear && i < linear + angular;
            CHECK(m->v_unit[i] == (at >= 0 ? unit[at] : turns ? 1 : 3));
        }
        CHECK_NEAR(m->time, acos(-1) * sqrt(3 / 9.81), 1e-15);
        ss_model_destroy(m);
    }
    ss_context_destroy(ctx);
}

/* ---- copies ------------------------------------------------------------------------------------------------------------ */

TEST(the_scene_copies_strings_tables_and_initial_values)
{
    ss_context *ctx = test_context();
    ss_scene *scene = new_scene(ctx, 2);
    char name[] = "ball", type[] = "table", text[] = "text", key[] = "key";
    double t[2] = { 0, 1 }, value[6] = { 1, 2, 0, 3, 4, 0 }, q[2] = { 0.5, 0 }, v[2] = { 0, 1 };
    ss_body_desc block = standing("block", SS_BODY_BLOCK);
    ss_force_desc force = force_between("f", type, name, NULL);
    const ss_setting first = { key, 0, text }, second = { key, 7, NULL };
    block.block = test_block();
    block.block_q = q;
    block.block_v = v;
    force.table = (ss_table){ 2, t, value, NULL };
    add_body(scene, ctx, particle(name, 0, 0));
    add_body(scene, ctx, block);
    add_force(scene, ctx, force);
    CHECK_OK(ctx, ss_scene_set_option(scene, "solver", &first));
    CHECK_OK(ctx, ss_scene_set_option(scene, "solver", &second)); /* replaces */
    memset(name, 'x', 4);
    memset(type, 'x', 5);
    memset(key, 'x', 3);
    t[1] = value[0] = q[0] = v[1] = -1;
    ss_model *m = compiled(ctx, scene);
    CHECK(strcmp(ss_model_body_name(m, 0), "ball") == 0);
    CHECK(m->force[0].table.force[0] == 1 && m->force[0].table.t[1] == 1);
    CHECK(m->q0[2] == 0.5 && m->v0[3] == 1);
    CHECK(strcmp(m->solver_option[0].key, "key") == 0 && m->solver_option[0].number == 7 && !m->solver_option[0].text);
    CHECK(!m->solver_option[1].key && !m->scheme_option[0].key);
    ss_model_destroy(m);
    ss_context_destroy(ctx);
}

TEST(settings_reach_the_model)
{
    ss_context *ctx = test_context();
    ss_scene_settings s = ss_scene_settings_default();
    ss_scene *scene = NULL;
    s.name = "scene";
    s.scheme = "anitescu_potra";
    s.dimension = 3;
    s.step = 0.01;
    s.friction_frame[0] = 0;
    s.friction_frame[1] = 5;
    CHECK_OK(ctx, ss_scene_create(ctx, &s, &scene));
    add_body(scene, ctx, particle("a", 0, 0));
    ss_model *m = compiled(ctx, scene);
    CHECK(strcmp(ss_model_settings(m)->name, "scene") == 0 && strcmp(ss_model_settings(m)->scheme, "anitescu_potra") == 0);
    CHECK(ss_model_settings(m)->step == 0.01 && isnan(ss_model_settings(m)->until) && ss_model_dimension(m) == 3);
    CHECK(m->friction_axes.c[0].x == 1 && m->friction_axes.c[1].y == -1);
    ss_model_destroy(m);
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(density_gives_the_mass_and_inertia_of_a_disk_and_of_a_ball),
        cmocka_unit_test(a_mass_without_inertia_takes_the_shapes_of_a_dumbbell),
        cmocka_unit_test(bodies_that_are_alike_share_a_block_of_the_mass_matrix),
        cmocka_unit_test(products_of_inertia_are_placed_symmetrically_in_the_body_frame),
        cmocka_unit_test(a_flat_plate_passes_the_triangle_inequality),
        cmocka_unit_test(pairs_combine_by_geometric_mean_and_minimum_and_open_values_defer),
        cmocka_unit_test(a_grain_belongs_to_the_material_that_has_it),
        cmocka_unit_test(potential_pairs_count_what_may_touch),
        cmocka_unit_test(jointed_bodies_do_not_touch_unless_the_joint_says_so),
        cmocka_unit_test(the_length_scale_turns_moves_renumbers_and_rescales_with_the_scene),
        cmocka_unit_test(the_length_scale_sees_joints_springs_and_the_setting),
        cmocka_unit_test(every_velocity_has_a_unit_the_length_a_radian_or_what_a_block_says),
        cmocka_unit_test(the_scene_copies_strings_tables_and_initial_values),
        cmocka_unit_test(settings_reach_the_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
