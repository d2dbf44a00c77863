/* test_solids.c - triangles and tetrahedra: derivatives, energy, damping, rigid motion, patch tests. */
#include "solids.h"

#include "model/simplices.h"
#include "model/stiff.h"

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

static const ss_vec3 *places_of(const ss_config *c, const ss_simplex *e, ss_vec3 *x)
{
    for (int j = 0; j < e->nodes; j++) {
        x[j] = ss_point_to_world(c->frame[e->at[j].body], e->at[j].point);
    }
    return x;
}

/* What every element has to say of the linear map x -> x + g x: the stress of Hooke's law, world. */
static void check_stress(const ss_model *m, const ss_config *c, ss_elements_desc d, const double g[3])
{
    const double mu = d.E / (2 * (1 + d.nu)), lambda = d.E * d.nu / ((1 + d.nu) * (1 - 2 * d.nu));
    const bool stress = m->dimension == 2 && d.solid.plane == SS_PLANE_STRESS;
    const double plane = stress ? d.E * d.nu / (1 - d.nu * d.nu) : lambda, trace = g[0] + g[1] + g[2];
    for (int e = 0; e < m->simplices; e++) {
        double sigma[6];
        ss_vec3 x[SS_SIMPLEX_NODES];
        ss_simplices_stress(&m->simplex[e], places_of(c, &m->simplex[e], x), sigma);
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

/* ---- stresses in results --------------------------------------------------------------------------------------- */

/* x += a z, or x += a y in 2D: the shear 2 mu a/2 of that plane alone, where a is small */
TEST(stresses_of_a_sheared_block_are_in_their_columns)
{
    ss_context *ctx = test_context();
    for (int dimension = 2; dimension <= 3; dimension++) {
        const ss_elements_desc d = solid(dimension);
        const int last = dimension - 1, columns = dimension == 2 ? 5 : 7, sheared = dimension == 2 ? 3 : 5;
        const double a = 1e-6, shear = d.E / (2 * (1 + d.nu)) * a;
        ss_model *m = alone(ctx, dimension, d);
        double q[NV_MAX], stress[MOST];
        CHECK(m->nv <= NV_MAX && ss_model_stress_count(m) == 1 + columns * m->simplices && ss_model_stress_count(m) <= MOST);
        for (int i = 0; i < m->nv; i++) {
            q[i] = m->q0[i] + (i % dimension == 0 ? a * m->q0[i + last] : 0);
        }
        ss_model_stresses(m, 0, q, stress);
        for (int k = 0; k < columns - 1; k++) { /* what is left is of the size of a^2 */
            CHECK_NEAR(stress[1 + k], k == sheared ? shear : 0, 1e-5 * shear);
        }
        CHECK_NEAR(stress[columns], sqrt(3) * shear, 1e-5 * shear);
        ss_model_destroy(m);
    }
    ss_context_destroy(ctx);
}

TEST(the_largest_stress_of_each_solid_comes_before_those_of_elements)
{
    ss_context *ctx = test_context();
    ss_model *m = alone(ctx, 3, solid(3));
    double q[NV_MAX], v[NV_MAX], stress[MOST], mises[MOST], largest = 0;
    uint64_t seed = 5;
    strained_state(m, &seed, q, v);
    ss_model_stresses(m, 0, q, stress);
    ss_model_von_mises(m, 0, q, mises);
    for (int e = 0; e < m->simplices; e++) {
        CHECK(mises[e] == stress[1 + 7 * e + 6]);
        largest = fmax(largest, mises[e]);
    }
    CHECK(stress[0] == largest && largest > mises[0]);
    ss_model_destroy(m);
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
        cmocka_unit_test(stresses_of_a_sheared_block_are_in_their_columns),
        cmocka_unit_test(the_largest_stress_of_each_solid_comes_before_those_of_elements),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
