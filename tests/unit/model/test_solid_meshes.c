/* test_solid_meshes.c - solids from a scene: grids, what touches, how they start, what holds them, inverted elements, bad input.
 */
#include "solids.h"

#include "model/mesh.h"
#include "model/simplices.h"

/* ---- meshes ------------------------------------------------------------------------------------------------ */

TEST(a_grid_fills_its_box_and_is_its_own_mirror_image)
{
    ss_context *ctx = test_context();
    for (int dimension = 2; dimension <= 3; dimension++) {
        ss_elements_desc d = solid(dimension);
        d.solid.divisions[0] = 4;
        d.solid.divisions[1] = d.solid.divisions[2] = 2;
        ss_model *m = alone(ctx, dimension, d);
        const int nodes = dimension == 2 ? 15 : 45, cells = dimension == 2 ? 16 : 80;
        double volume = 0, mass = 0;
        CHECK(m->bodies == nodes + 1 && m->simplices == cells);
        for (int e = 0; e < cells; e++) {
            CHECK(m->simplex[e].volume > 0);
            volume += m->simplex[e].volume;
        }
        CHECK_NEAR(volume, dimension == 2 ? 0.5 : 0.25, 1e-15);
        for (int b = 1; b <= nodes; b++) {
            const int i = (b - 1) % 5;
            mass += m->body_mass[b];
            CHECK_NEAR(m->body_mass[b], m->body_mass[b - i + 4 - i], 1e-16); /* mirrored in the middle of x */
        }
        CHECK_NEAR(mass, d.density * volume, 1e-14);
        ss_model_destroy(m);
    }
    ss_context_destroy(ctx);
}

TEST(only_nodes_of_the_boundary_touch)
{
    ss_context *ctx = test_context();
    ss_elements_desc d = solid(3);
    for (int axis = 0; axis < 3; axis++) {
        d.solid.divisions[axis] = 3;
    }
    ss_model *m = alone(ctx, 3, d);
    CHECK(m->bodies == 65 && m->shapes == 64 - 8);
    ss_model_destroy(m);
    d.solid.contact = 0;
    m = alone(ctx, 3, d);
    CHECK(m->shapes == 0);
    ss_model_destroy(m);
    ss_context_destroy(ctx);
}

TEST(a_solid_starts_with_its_velocity_and_turns_about_its_centre_of_mass)
{
    ss_context *ctx = test_context();
    ss_elements_desc d = solid(2);
    double p[2] = { 0, 0 };
    d.position[0] = 5;
    d.velocity[0] = 2;
    d.solid.angular_velocity[2] = 3;
    ss_model *m = alone(ctx, 2, d);
    for (int b = 1; b < m->bodies; b++) { /* centre (5.5, 0.25) */
        const double *x = m->q0 + m->body_q[b], *v = m->v0 + m->body_v[b];
        CHECK_NEAR(v[0], 2 - 3 * (x[1] - 0.25), 1e-14);
        CHECK_NEAR(v[1], 3 * (x[0] - 5.5), 1e-14);
        p[0] += m->body_mass[b] * v[0];
        p[1] += m->body_mass[b] * v[1];
    }
    CHECK_NEAR(p[0], 2 * 4 * 0.5, 1e-14);
    CHECK_NEAR(p[1], 0, 1e-14);
    ss_model_destroy(m);
    ss_context_destroy(ctx);
}

TEST(held_sides_are_no_bodies_and_the_first_side_named_has_the_corner)
{
    ss_context *ctx = test_context();
    ss_elements_desc d = solid(2);
    d.solid.side[SS_LEFT] = "piston";
    d.solid.side[SS_BOTTOM] = "world";
    CHECK(strcmp(ss_mesh_holder(&d, 2, 0), "piston") == 0 && strcmp(ss_mesh_holder(&d, 2, 1), "world") == 0);
    CHECK(strcmp(ss_mesh_holder(&d, 2, 3), "piston") == 0 && !ss_mesh_holder(&d, 2, 4));
    ss_model *m = alone(ctx, 2, d);
    CHECK(m->bodies == 3 && strcmp(m->body_name[1], "x.4") == 0 && strcmp(m->body_name[2], "x.5") == 0);
    ss_model_destroy(m);
    ss_context_destroy(ctx);
}

/* ---- bad input ---------------------------------------------------------------------------------------------- */

TEST(an_element_that_is_turned_inside_out_is_reported_with_number_and_time)
{
    ss_context *ctx = test_context();
    for (int dimension = 2; dimension <= 3; dimension++) {
        ss_model *m = alone(ctx, dimension, patch(dimension));
        double q[NV_MAX];
        memcpy(q, m->q0, (size_t)m->nv * sizeof *q);
        q[4 * dimension] = 2; /* the node inside leaves the patch */
        place p = place_at(ctx, m, 0.25, q);
        CHECK_FAILS(ctx, ss_elements_check(ctx, m, &p.c), SS_ERR_NUMERIC,
                    dimension == 2 ? "elements.x: element 1 is inverted at t = 0.25"
                                   : "elements.x: element 3 is inverted at t = 0.25");
        ss_config_set(m, 0.25, m->q0, &p.c);
        CHECK_OK(ctx, ss_elements_check(ctx, m, &p.c));
        leave(&p);
        ss_model_destroy(m);
    }
    ss_context_destroy(ctx);
}

#define WRONG(start, edit, text)                                                                                                 \
    do {                                                                                                                         \
        ss_elements_desc d = start;                                                                                              \
        ss_model *m = NULL;                                                                                                      \
        edit;                                                                                                                    \
        CHECK_FAILS(ctx, try_alone(ctx, 2, &d, &m), SS_ERR_INPUT, text);                                                         \
        CHECK(m == NULL);                                                                                                        \
    } while (0)

TEST(solids_are_checked)
{
    ss_context *ctx = test_context();
    WRONG(solid(2), d.nu = 0.5, "elements.x.nu: expected a number below 0.5, got 0.5");
    WRONG(solid(2), d.size[1] = 0, "elements.x.size: expected 2 numbers > 0, got 0");
    WRONG(solid(2), d.size[0] = NAN, "elements.x.size: missing, expected 2 numbers > 0");
    WRONG(solid(2), d.solid.divisions[1] = 1.5, "elements.x.divisions: expected 2 whole numbers from 1 on, got 1.5");
    WRONG(solid(2), d.solid.divisions[0] = NAN, "elements.x.divisions: expected 2 whole numbers from 1 on");
    WRONG(solid(2), d.solid.divisions[0] = 1e7, "expected at most 1000000 elements and as many nodes, got 20000000");
    WRONG(solid(2), (d.solid.divisions[0] = 1, d.solid.divisions[1] = 5e5), "got 1000000 and 1000002");
    WRONG(solid(2), (d.solid.side[0] = d.solid.side[1] = d.solid.side[4] = d.solid.side[5] = "world"), "every node is held");
    WRONG(solid(2), d.solid.side[0] = "pistom", "no body is called \"pistom\"");
    WRONG(solid(2), d.solid.side[0] = "x.4", "\"x.4\", which holds nodes of it, can move freely");
    WRONG(solid(2), d.type = "tetrahedron", "elements.x.type: tetrahedron is not available in 2D scenes");
    WRONG(patch(2), d.size[0] = d.size[1] = 1, "elements.x.mesh: the file says size and divisions");
    WRONG(patch(2), d.solid.side[0] = "world", "elements.x.mesh: a mesh has no sides");
    WRONG(patch(2), d.solid.data.nodes = 0, "elements.x.mesh: no nodes and elements were read");
    WRONG(patch(2), d.solid.data.nodes = 4, "elements.x.mesh: element 0 has node 4, expected one from 0 to 3");
    WRONG(patch(2), d.solid.data.cells = 1, "elements.x.mesh: node 2 belongs to no element");
    WRONG(patch(2), d.solid.data.cell = ((const int[]){ 0, 1, 1, 1, 2, 4, 2, 3, 4, 3, 0, 4 }),
          "elements.x: element 0 has node 1 twice");
    WRONG(patch(2), (d.solid.data.x = (const double[]){ 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0.5, 0, 0 }),
          "elements.x: element 0 is flat");
    WRONG(patch(2), (d.solid.data.cells = 2, d.solid.data.nodes = 3, d.solid.data.cell = (const int[]){ 0, 1, 2, 1, 2, 0 }),
          "elements.x: elements 0 and 1 have the same nodes");
    WRONG(patch(2), (d.solid.data.cells++, d.solid.data.cell = (const int[]){ 0, 1, 4, 1, 2, 4, 2, 3, 4, 3, 0, 4, 0, 2, 4 }),
          "belongs to 3 elements, expected one or two");
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_grid_fills_its_box_and_is_its_own_mirror_image),
        cmocka_unit_test(only_nodes_of_the_boundary_touch),
        cmocka_unit_test(a_solid_starts_with_its_velocity_and_turns_about_its_centre_of_mass),
        cmocka_unit_test(held_sides_are_no_bodies_and_the_first_side_named_has_the_corner),
        cmocka_unit_test(an_element_that_is_turned_inside_out_is_reported_with_number_and_time),
        cmocka_unit_test(solids_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
