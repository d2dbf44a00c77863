/* test_solids.c - triangles and tetrahedra: derivatives, energy, patch tests, rigid motion, a cantilever, meshes, bad input. */
#include "flexible.h"

#include "model/mesh.h"
#include "model/simplices.h"
#include "model/stiff.h"

/* a plate or a block of 2 x 1 (x 1) cells */
static ss_elements_desc solid(int dimension)
{
    ss_elements_desc d = elements(dimension == 2 ? "triangle" : "tetrahedron", 0);
    d.size[0] = 1;
    d.size[1] = d.size[2] = 0.5;
    for (int axis = 0; axis < 3; axis++) {
        d.solid.divisions[axis] = axis == 0 ? 2 : 1;
    }
    d.size[2] = dimension == 3 ? 0.5 : 0;
    return d;
}

/* ---- every kind ------------------------------------------------------------------------------------------ */

typedef void (*check_fn)(ss_context *ctx, const ss_model *m, double t, const double *q, const double *v);

/* strained by a fifth and turned, so that no element is inverted; velocities of order 1 */
static void strained_state(const ss_model *m, uint64_t *seed, double *q, double *v)
{
    CHECK(m->nv <= NV_MAX);
    for (int i = 0; i < m->nv; i++) {
        q[i] = m->q0[i] + 0.1 * uniform(seed);
        v[i] = uniform(seed);
    }
}

/* both dimensions; linear and corotational; free and held by the driven body; with and without damping; plane stress */
static void for_every_solid(check_fn check)
{
    ss_context *ctx = test_context();
    uint64_t seed = 11;
    for (int which = 0; which < 16; which++) {
        const int dimension = which & 1 ? 3 : 2;
        double q[NV_MAX], v[NV_MAX];
        ss_elements_desc d = solid(dimension);
        d.solid.strain = which & 2 ? SS_STRAIN_COROTATIONAL : SS_STRAIN_LINEAR;
        d.solid.plane = which & 4 ? SS_PLANE_STRESS : SS_PLANE_STRAIN;
        d.solid.side[SS_LEFT] = which & 4 ? "piston" : NULL;
        d.stiffness_damping = which & 8 ? 0.3 : 0;
        d.mass_damping = which & 8 ? 0.2 : 0;
        d.angle = 0.4;
        d.orientation[3] = 0.3;
        ss_model *m = alone(ctx, dimension, d);
        strained_state(m, &seed, q, v);
        check(ctx, m, 0.05, q, v);
        ss_model_destroy(m);
    }
    ss_context_destroy(ctx);
}

static const double step = 1e-5;

/* forces with coordinate or velocity j moved by h */
static void moved_forces(ss_context *ctx, const ss_model *m, double t, const double *q, const double *v, int j, bool rate,
                         double h, double *out)
{
    double x[NV_MAX], z[NV_MAX];
    memcpy(x, q, (size_t)m->nv * sizeof *x);
    memcpy(z, v, (size_t)m->nv * sizeof *z);
    (rate ? z : x)[j] += h;
    total(ctx, m, t, x, z, out);
}

static void check_jacobian(ss_context *ctx, const ss_model *m, double t, const double *q, const double *v)
{
    double k[2][NV_MAX * NV_MAX], plus[NV_MAX], minus[NV_MAX];
    jacobians(ctx, m, t, q, v, k[0], k[1]);
    for (int j = 0; j < 2 * m->nv; j++) {
        const bool rate = j >= m->nv;
        moved_forces(ctx, m, t, q, v, j % m->nv, rate, step, plus);
        moved_forces(ctx, m, t, q, v, j % m->nv, rate, -step, minus);
        for (int i = 0; i < m->nv; i++) { /* h^2 times third derivatives and round-off over h, of forces of order 1000 */
            const double slope = (plus[i] - minus[i]) / (2 * step), own = k[rate][i * m->nv + j % m->nv];
            CHECK_NEAR(own, slope, 1e-8 * (1000 + fabs(own)));
        }
    }
}

TEST(derivatives_of_solids_agree_with_differences) { for_every_solid(check_jacobian); }

static void check_energy(ss_context *ctx, const ss_model *m, double t, const double *q, const double *v)
{
    double k[SS_FORCE_CLASSES * NV_MAX], x[NV_MAX];
    forces(ctx, m, t, q, v, k);
    memcpy(x, q, (size_t)m->nv * sizeof *x);
    for (int j = 0; j < m->nv; j++) {
        double energy[2];
        for (int side = 0; side < 2; side++) {
            x[j] = q[j] + (side == 0 ? step : -step);
            energy[side] = potential(ctx, m, t, x);
        }
        x[j] = q[j];
        CHECK_NEAR(k[SS_FORCE_SPRING * m->nv + j], -(energy[0] - energy[1]) / (2 * step), 1e-5);
    }
}

TEST(forces_of_solids_are_the_slope_of_the_strain_energy) { for_every_solid(check_energy); }

static void check_damping(ss_context *ctx, const ss_model *m, double t, const double *q, const double *v)
{
    double k[SS_FORCE_CLASSES * NV_MAX], power = 0;
    bool any = false, held = false;
    for (int i = 0; i < m->simplices; i++) {
        held = held || m->simplex[i].at[0].body == 0; /* a driven body may give energy */
    }
    forces(ctx, m, t, q, v, k);
    for (int i = 0; i < m->nv; i++) {
        power += k[SS_FORCE_DAMPER * m->nv + i] * v[i];
        any = any || k[SS_FORCE_DAMPER * m->nv + i] != 0;
    }
    CHECK(held || (any ? power < 0 : power == 0));
}

TEST(damping_of_solids_only_takes_energy) { for_every_solid(check_damping); }

/* no eigenvalue above round-off, and symmetric to the last bit */
static void check_negative(ss_context *ctx, const ss_csr *K)
{
    const int n = K->m;
    double full[NV_MAX * NV_MAX] = { 0 }, values[NV_MAX], work[SS_DENSE_WORK * NV_MAX];
    ss_csr T = { 0 };
    CHECK_OK(ctx, ss_csr_transpose(ctx, K, &T));
    CHECK(memcmp(T.x, K->x, (size_t)T.p[n] * sizeof *T.x) == 0);
    ss_csr_free(ctx, &T);
    for (int i = 0; i < n; i++) {
        for (int e = K->p[i]; e < K->p[i + 1]; e++) {
            full[i * n + K->i[e]] = K->x[e];
        }
    }
    CHECK(ss_dense_eigen(n, full, n, values, work));
    CHECK(values[n - 1] <= 1e-12 * fabs(values[0]));
}

/* K and C of the model that goes to the left side; K again after a stretch */
static void check_definite(ss_context *ctx, const ss_model *m, double t, const double *q, const double *v)
{
    place p = place_at(ctx, m, t, q);
    double k0[SS_FORCE_CLASSES * NV_MAX];
    ss_csr K = { 0 }, C = { 0 };
    ss_stiff *stiff;
    CHECK_OK(ctx, ss_stiff_create(ctx, m, &stiff));
    CHECK_OK(ctx, ss_stiff_take(stiff, &p.c, v, k0, &K, &C));
    check_negative(ctx, &K);
    check_negative(ctx, &C);
    CHECK_OK(ctx, ss_stiff_stretch(stiff, &p.c, v, 0.05, &K));
    check_negative(ctx, &K);
    ss_stiff_destroy(stiff);
    ss_csr_free(ctx, &K);
    ss_csr_free(ctx, &C);
    leave(&p);
}

TEST(stiffness_of_solids_on_the_left_side_is_definite) { for_every_solid(check_definite); }

/* The exact derivative of a block that is pressed to half its height has a negative stiffness; the definite part has none. */
TEST(a_compressed_block_may_buckle_and_its_definite_part_does_not)
{
    ss_context *ctx = test_context();
    for (int dimension = 2; dimension <= 3; dimension++) {
        ss_model *m = alone(ctx, dimension, solid(dimension));
        double q[NV_MAX], k_q[NV_MAX * NV_MAX], k_v[NV_MAX * NV_MAX], values[NV_MAX], work[SS_DENSE_WORK * NV_MAX];
        for (int i = 0; i < m->nv; i++) {
            q[i] = i % dimension == 0 ? 0.5 * m->q0[i] : m->q0[i];
        }
        jacobians(ctx, m, 0, q, m->v0, k_q, k_v);
        CHECK(ss_dense_eigen(m->nv, k_q, m->nv, values, work));
        CHECK(values[m->nv - 1] > 100);
        check_definite(ctx, m, 0, q, m->v0);
        ss_model_destroy(m);
    }
    ss_context_destroy(ctx);
}

/* ---- rigid motion and patches ----------------------------------------------------------------------------- */

/* y = p + R x for a turn about a skew axis (2D: z) */
static ss_vec3 turned(int dimension, double angle, ss_vec3 x)
{
    const ss_vec3 axis = dimension == 3 ? ss_v3(1, -2, 0.5) : ss_v3(0, 0, 1);
    const ss_frame f = { ss_v3(3, -2, dimension == 3 ? 4 : 0), ss_quat_matrix(ss_quat_axis(axis, angle)) };
    return ss_point_to_world(f, x);
}

static ss_vec3 node(const ss_model *m, const double *q, int i)
{
    const double *at = q + i * m->dimension;
    return ss_v3(at[0], at[1], m->dimension == 3 ? at[2] : 0);
}

static void put_node(const ss_model *m, double *q, int i, ss_vec3 x)
{
    double at[3];
    ss_v3_to(x, at);
    memcpy(q + i * m->dimension, at, (size_t)m->dimension * sizeof *q);
}

TEST(a_solid_that_turns_and_moves_as_a_whole_has_no_strain_and_no_damping)
{
    ss_context *ctx = test_context();
    for (int dimension = 2; dimension <= 3; dimension++) {
        ss_elements_desc d = solid(dimension);
        double q[NV_MAX], v[NV_MAX], k[SS_FORCE_CLASSES * NV_MAX];
        d.stiffness_damping = 0.5;
        ss_model *m = alone(ctx, dimension, d);
        for (double angle = 0.3; angle < 7; angle += 0.4) {
            for (int i = 0; i < m->nv / dimension; i++) {
                const ss_vec3 x = turned(dimension, angle, node(m, m->q0, i));
                const double rate = 1e-3; /* the same turn in a short time: a rigid velocity but for its square */
                put_node(m, q, i, x);
                put_node(m, v, i,
                         ss_scale(0.5 / rate, ss_sub(turned(dimension, angle + rate, node(m, m->q0, i)),
                                                     turned(dimension, angle - rate, node(m, m->q0, i)))));
            }
            CHECK(potential(ctx, m, 0, q) < 1e-26);
            forces(ctx, m, 0, q, v, k);
            for (int i = 0; i < SS_FORCE_CLASSES * m->nv; i++) {
                CHECK_NEAR(k[i], 0, 1e-9);
            }
        }
        ss_model_destroy(m);
    }
    ss_context_destroy(ctx);
}

/* a mesh of a square or cube with one node inside, off the middle */
static ss_elements_desc patch(int dimension)
{
    static const double square[] = { 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0.4, 0.7, 0 };
    static const int fan[] = { 0, 1, 4, 1, 2, 4, 2, 3, 4, 3, 0, 4 };
    static const double tetrahedron[] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0.2, 0.1, 0.3 };
    static const int four[] = { 0, 1, 2, 4, 0, 1, 3, 4, 0, 2, 3, 4, 1, 2, 3, 4 };
    ss_elements_desc d = solid(dimension);
    for (int axis = 0; axis < 3; axis++) {
        d.size[axis] = d.solid.divisions[axis] = NAN;
    }
    d.solid.mesh = "in memory";
    d.solid.data = dimension == 2 ? (ss_mesh_data){ .nodes = 5, .cells = 4, .x = square, .cell = fan }
                                  : (ss_mesh_data){ .nodes = 5, .cells = 4, .x = tetrahedron, .cell = four };
    return d;
}

/* What every element has to say of the linear map x -> x + g x: the stress of Hooke's law, world. */
static void check_stress(const ss_model *m, const ss_config *c, ss_elements_desc d, const double g[3])
{
    const double mu = d.E / (2 * (1 + d.nu)), lambda = d.E * d.nu / ((1 + d.nu) * (1 - 2 * d.nu));
    const bool stress = m->dimension == 2 && d.solid.plane == SS_PLANE_STRESS;
    const double plane = stress ? d.E * d.nu / (1 - d.nu * d.nu) : lambda, trace = g[0] + g[1] + g[2];
    for (int e = 0; e < m->simplices; e++) {
        double sigma[6];
        ss_simplices_stress(m, c, e, sigma);
        for (int k = 0; k < 3; k++) {
            CHECK_NEAR(sigma[k], stress && k == 2 ? 0 : plane * trace + 2 * mu * g[k], 1e-10 * d.E);
            CHECK_NEAR(sigma[3 + k], 0, 1e-10 * d.E);
        }
    }
}

TEST(patch_test_a_constant_strain_is_exact_and_the_node_inside_feels_no_force)
{
    ss_context *ctx = test_context();
    for (int which = 0; which < 8; which++) {
        const int dimension = which & 1 ? 3 : 2;
        const double g[3] = { 0.01, -0.02, dimension == 3 ? 0.03 : 0 };
        ss_elements_desc d = patch(dimension);
        double q[NV_MAX], k[SS_FORCE_CLASSES * NV_MAX];
        d.solid.strain = which & 2 ? SS_STRAIN_COROTATIONAL : SS_STRAIN_LINEAR;
        d.solid.plane = which & 4 ? SS_PLANE_STRESS : SS_PLANE_STRAIN;
        ss_model *m = alone(ctx, dimension, d);
        for (int i = 0; i < m->nv; i++) {
            q[i] = (1 + g[i % dimension]) * m->q0[i];
        }
        place p = place_at(ctx, m, 0, q);
        check_stress(m, &p.c, d, g);
        leave(&p);
        forces(ctx, m, 0, q, m->v0, k);
        for (int i = 0; i < dimension; i++) { /* the node inside is the last one */
            CHECK_NEAR(k[SS_FORCE_SPRING * m->nv + 4 * dimension + i], 0, 1e-11);
            CHECK(fabs(k[SS_FORCE_SPRING * m->nv + i]) > 1);
        }
        ss_model_destroy(m);
    }
    ss_context_destroy(ctx);
}

/* ---- statics ---------------------------------------------------------------------------------------------- */

/* deflection of the tip of a plate of 8 m x 1 m under a force of 1 N across it, with n cells over the height */
static double tip(ss_context *ctx, int n)
{
    enum { ROWS = 2 * 33 * 5 };
    ss_elements_desc d = solid(2);
    d.size[0] = 8;
    d.size[1] = 1;
    d.solid.divisions[0] = 8 * n;
    d.solid.divisions[1] = n;
    d.solid.plane = SS_PLANE_STRESS;
    d.solid.side[SS_LEFT] = "world";
    d.nu = 0;
    ss_model *m = alone(ctx, 2, d);
    double *K = test_malloc(sizeof *K * (size_t)(m->nv * m->nv)), *C = test_malloc(sizeof *C * (size_t)(m->nv * m->nv)),
           f[ROWS] = { 0 };
    int *pivots = test_malloc(sizeof *pivots * (size_t)m->nv);
    CHECK(m->nv <= ROWS);
    jacobians(ctx, m, 0, m->q0, m->v0, K, C);
    for (int j = 0; j <= n; j++) { /* the free nodes of a row are one less than its nodes */
        f[2 * (8 * n * (j + 1) - 1) + 1] = -1.0 / n * (j == 0 || j == n ? 0.5 : 1);
    }
    CHECK(ss_dense_lu(m->nv, K, m->nv, pivots));
    ss_dense_lu_solve(m->nv, K, m->nv, pivots, f);
    const double deflection = f[2 * (8 * n * (n / 2 + 1) - 1) + 1];
    test_free(K);
    test_free(C);
    test_free(pivots);
    ss_model_destroy(m);
    return deflection;
}

/* F l^3/(3 E I) + F l/(5/6 G A): plane sections are clamped, and with nu = 0 nothing else happens there */
TEST(deflection_of_a_cantilever_converges_with_the_square_of_the_mesh_size)
{
    ss_context *ctx = test_context();
    const double exact = 512.0 / (3 * 3000 / 12.0) + 8 / (5.0 / 6 * 1500);
    const double coarse = exact / tip(ctx, 2) - 1, fine = exact / tip(ctx, 4) - 1; /* by how much it is too stiff */
    CHECK(fine > 0 && fine < 0.2);
    CHECK(coarse / fine > 3.8 && coarse / fine < 4.2);
    ss_context_destroy(ctx);
}

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
        cmocka_unit_test(derivatives_of_solids_agree_with_differences),
        cmocka_unit_test(forces_of_solids_are_the_slope_of_the_strain_energy),
        cmocka_unit_test(damping_of_solids_only_takes_energy),
        cmocka_unit_test(stiffness_of_solids_on_the_left_side_is_definite),
        cmocka_unit_test(a_compressed_block_may_buckle_and_its_definite_part_does_not),
        cmocka_unit_test(a_solid_that_turns_and_moves_as_a_whole_has_no_strain_and_no_damping),
        cmocka_unit_test(patch_test_a_constant_strain_is_exact_and_the_node_inside_feels_no_force),
        cmocka_unit_test(deflection_of_a_cantilever_converges_with_the_square_of_the_mesh_size),
        cmocka_unit_test(a_grid_fills_its_box_and_is_its_own_mirror_image),
        cmocka_unit_test(only_nodes_of_the_boundary_touch),
        cmocka_unit_test(a_solid_starts_with_its_velocity_and_turns_about_its_centre_of_mass),
        cmocka_unit_test(held_sides_are_no_bodies_and_the_first_side_named_has_the_corner),
        cmocka_unit_test(an_element_that_is_turned_inside_out_is_reported_with_number_and_time),
        cmocka_unit_test(solids_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
