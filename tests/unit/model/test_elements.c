/* test_elements.c - flexible bodies as a model: derivatives, energy, rigid motion, statics and frequencies of theory, bad input.
 */
#include "flexible.h"

/* ---- every element ---------------------------------------------------------------------------------- */

typedef void (*check_fn)(ss_context *ctx, const ss_model *m, double t, const double *q, const double *v);

/* every type, in every dimension it has, free and held by the driven body, at random states */
static void for_every_element(check_fn check)
{
    ss_context *ctx = test_context();
    uint64_t seed = 7;
    for (int k = 0; ss_element_types[k]; k++) {
        for (int which = 0; which < 8; which++) {
            const int dimension = which < 4 ? 2 : 3;
            double q[NV_MAX], v[NV_MAX];
            ss_elements_desc d = elements(ss_element_types[k]->info.name, 3);
            if (!(ss_element_types[k]->info.dimensions & (1u << dimension)) || ss_element_types[k]->nodes > 0) {
                continue; /* test_solids.c has those with more than two nodes */
            }
            d.size[2] = dimension == 3 ? 0.2 : 0;
            d.angle = 0.4;
            d.orientation[3] = 0.3;
            d.first = which % 2 == 1 ? "piston" : NULL;
            d.stiffness_damping = which % 4 > 1 ? 0.3 : 0;
            d.mass_damping = which % 4 > 1 ? 0.2 : 0;
            ss_model *m = alone(ctx, dimension, d);
            random_state(m, &seed, q, v);
            check(ctx, m, 0.3, q, v);
            ss_model_destroy(m);
        }
    }
    ss_context_destroy(ctx);
}

static const double step = 1e-5;

static void check_jacobian(ss_context *ctx, const ss_model *m, double t, const double *q, const double *v)
{
    double k_q[NV_MAX * NV_MAX], k_v[NV_MAX * NV_MAX], x[NV_MAX] = { 0 }, z[NV_MAX], plus[NV_MAX], minus[NV_MAX];
    jacobians(ctx, m, t, q, v, k_q, k_v);
    for (int j = 0; j < m->nv; j++) {
        for (int which = 0; which < 2; which++) {
            double *out[2] = { plus, minus };
            for (int side = 0; side < 2; side++) {
                const double h = side == 0 ? step : -step;
                memcpy(z, v, (size_t)m->nv * sizeof *z);
                z[j] += which * h;
                x[j] = which == 0 ? h : 0;
                double moved[NV_MAX];
                ss_model_retract(m, q, x, 1, moved);
                total(ctx, m, t, moved, z, out[side]);
                x[j] = 0;
            }
            for (int i = 0; i < m->nv; i++) { /* h^2 times third derivatives and round-off over h, of forces of order 1000 */
                const double slope = (plus[i] - minus[i]) / (2 * step), own = (which ? k_v : k_q)[i * m->nv + j];
                CHECK_NEAR(own, slope, 1e-8 * (1000 + fabs(own)));
            }
        }
    }
}

TEST(derivatives_of_every_element_agree_with_differences) { for_every_element(check_jacobian); }

static void check_energy(ss_context *ctx, const ss_model *m, double t, const double *q, const double *v)
{
    double k[SS_FORCE_CLASSES * NV_MAX], x[NV_MAX] = { 0 }, moved[NV_MAX];
    forces(ctx, m, t, q, v, k);
    for (int j = 0; j < m->nv; j++) {
        double energy[2];
        for (int side = 0; side < 2; side++) {
            x[j] = side == 0 ? step : -step;
            ss_model_retract(m, q, x, 1, moved);
            energy[side] = potential(ctx, m, t, moved);
        }
        x[j] = 0;
        CHECK_NEAR(k[SS_FORCE_SPRING * m->nv + j], -(energy[0] - energy[1]) / (2 * step), 1e-5);
    }
}

TEST(internal_forces_are_the_slope_of_the_strain_energy) { for_every_element(check_energy); }

static void check_damping(ss_context *ctx, const ss_model *m, double t, const double *q, const double *v)
{
    double k[SS_FORCE_CLASSES * NV_MAX], power = 0;
    bool any = false;
    if (m->force[0].at[0].body != 1) {
        return; /* held: a driven body may give energy */
    }
    forces(ctx, m, t, q, v, k);
    for (int i = 0; i < m->nv; i++) {
        power += k[SS_FORCE_DAMPER * m->nv + i] * v[i];
        any = any || k[SS_FORCE_DAMPER * m->nv + i] != 0;
    }
    CHECK(any ? power < 0 : power == 0);
}

TEST(rayleigh_damping_only_takes_energy) { for_every_element(check_damping); }

/* ---- bodies ------------------------------------------------------------------------------------------- */

TEST(nodes_are_bodies_with_half_of_the_mass_of_each_element)
{
    ss_context *ctx = test_context();
    ss_elements_desc d = elements("beam", 4);
    d.angle = 0.5;
    d.angular_velocity[2] = 3;
    ss_model *m = alone(ctx, 2, d);
    double mass = 0;
    CHECK(ss_model_body_count(m) == 6 && strcmp(ss_model_body_name(m, 1), "x.0") == 0);
    CHECK(strcmp(ss_model_body_name(m, 5), "x.4") == 0 && m->nv == 15);
    for (int b = 1; b < 6; b++) {
        mass += m->body_mass[b];
        CHECK_NEAR(m->q0[m->body_q[b]], 0.5 * (b - 1) * cos(0.5), 1e-15);
        CHECK_NEAR(m->v0[m->body_v[b]], -3 * (0.5 * (b - 1) - 1) * sin(0.5), 1e-15);
    }
    CHECK_NEAR(mass, 4 * 0.1 * 2, 1e-15); /* density times section times length */
    CHECK_NEAR(m->body_inertia[2].c[2].z, 4 * 0.1 * 0.01 / 12 * 0.5, 1e-18);
    ss_model_destroy(m);
    ss_context_destroy(ctx);
}

TEST(a_driven_holder_stretches_a_bar)
{
    ss_context *ctx = test_context();
    ss_elements_desc d = elements("bar", 2);
    double k[SS_FORCE_CLASSES * NV_MAX];
    d.first = "piston";
    ss_model *m = alone(ctx, 2, d);
    CHECK(m->nv == 4 && m->force[0].at[0].body == 0);
    /* the piston turns by 2 t about (t/2 - 1, 0), its node is 1 m from there */
    const double t = 0.2, moved = 0.5 * t - 1 + cos(2 * t);
    forces(ctx, m, t, m->q0, m->v0, k);
    CHECK_NEAR(k[SS_FORCE_SPRING * m->nv], 3000 * 0.1 * moved, 1e-11);
    CHECK_NEAR(k[SS_FORCE_SPRING * m->nv + 2], 0, 1e-11);
    ss_model_destroy(m);
    ss_context_destroy(ctx);
}

/* ---- bar ------------------------------------------------------------------------------------------------ */

TEST(a_bar_in_space_that_is_stretched_evenly_pulls_at_its_ends_alone)
{
    ss_context *ctx = test_context();
    ss_elements_desc d = elements("bar", 5);
    double k[SS_FORCE_CLASSES * NV_MAX], q[NV_MAX];
    d.size[2] = 0.2;
    d.orientation[1] = 0.3;
    d.orientation[2] = -0.5;
    ss_model *m = alone(ctx, 3, d);
    const double strain = 0.02;
    for (int i = 0; i < m->nv; i++) {
        q[i] = (1 + strain) * m->q0[i];
    }
    forces(ctx, m, 0, q, m->v0, k);
    const double pull = 3000 * 0.1 * 0.2 * strain;
    double end = 0;
    for (int i = 0; i < m->nv; i++) {
        const double f = k[SS_FORCE_SPRING * m->nv + i];
        end += i < 3 ? f * f : 0;
        CHECK(i < 3 || i >= m->nv - 3 || fabs(f) < 1e-12);
    }
    CHECK_NEAR(sqrt(end), pull, 1e-12);
    CHECK_NEAR(potential(ctx, m, 0, q), 0.5 * pull * strain * 2, 1e-13);
    double carried[5];
    CHECK(ss_model_stress_count(m) == 5);
    ss_model_stresses(m, 0, q, carried);
    for (int i = 0; i < 5; i++) {
        CHECK_NEAR(carried[i], pull, 1e-12);
    }
    ss_model_destroy(m);
    ss_context_destroy(ctx);
}

/* ---- beam ----------------------------------------------------------------------------------------------- */

TEST(a_beam_that_turns_and_moves_as_a_whole_has_no_strain)
{
    ss_context *ctx = test_context();
    ss_elements_desc d = elements("beam", 8);
    double q[NV_MAX], v[NV_MAX] = { 0 }, k[SS_FORCE_CLASSES * NV_MAX];
    d.stiffness_damping = 0.5;
    ss_model *m = alone(ctx, 2, d);
    for (int turn = 1; turn < 40; turn++) { /* up to several turns */
        const double a = 0.5 * turn, c = cos(a), s = sin(a);
        for (int i = 0; i < m->nv; i += 3) {
            q[i] = 3 + c * m->q0[i];
            q[i + 1] = -2 + s * m->q0[i];
            q[i + 2] = a;
            v[i] = -7 * (q[i + 1] + 2);
            v[i + 1] = 7 * (q[i] - 3);
            v[i + 2] = 7;
        }
        CHECK(potential(ctx, m, 0, q) < 1e-26); /* strains of 1e-15, a stiffness of 300 */
        forces(ctx, m, 0, q, v, k);
        for (int i = 0; i < SS_FORCE_CLASSES * m->nv; i++) {
            CHECK_NEAR(k[i], 0, 1e-10);
        }
    }
    ss_model_destroy(m);
    ss_context_destroy(ctx);
}

/* the last node of a cantilever moves sideways by F l^3/(3 EI) + F l/GA under a small force there, for any mesh */
TEST(a_cantilever_has_the_deflection_of_timoshenko)
{
    ss_context *ctx = test_context();
    for (int n = 1; n <= 9; n += 2) {
        ss_elements_desc d = elements("beam", n);
        double K[NV_MAX * NV_MAX], C[NV_MAX * NV_MAX], x[NV_MAX] = { 0 };
        int pivot[NV_MAX];
        d.first = "world";
        d.angle = 0.7;
        ss_model *m = alone(ctx, 2, d);
        jacobians(ctx, m, 0, m->q0, m->v0, K, C);
        x[m->nv - 3] = -sin(0.7); /* 1 N across the line */
        x[m->nv - 2] = cos(0.7);
        CHECK(ss_dense_lu(m->nv, K, m->nv, pivot)); /* symmetric: rows are columns */
        ss_dense_lu_solve(m->nv, K, m->nv, pivot, x);
        const double I = 0.1 * 0.01 / 12, G = 3000 / 2.6, deflection = x[m->nv - 3] * sin(0.7) - x[m->nv - 2] * cos(0.7);
        CHECK_NEAR(deflection, 8 / (3 * 3000 * I) + 2 / (5.0 / 6 * G * 0.1), 1e-9);
        CHECK_NEAR(x[m->nv - 1], -4 / (2 * 3000 * I), 1e-9);
        ss_model_destroy(m);
    }
    ss_context_destroy(ctx);
}

TEST(frequencies_of_a_cantilever_converge_with_the_square_of_the_mesh_size)
{
    ss_context *ctx = test_context();
    const double root[3] = { 1.875104068711961, 4.694091132974174, 7.854757438237613 };
    double coarse[MOST], fine[MOST];
    ss_elements_desc d = elements("beam", 24);
    d.size[1] = 0.002; /* thin: Bernoulli's theory to 1e-5 */
    d.first = "world";
    squared_frequencies(ctx, 2, d, coarse);
    d.divisions = 48;
    squared_frequencies(ctx, 2, d, fine);
    for (int k = 0; k < 3; k++) {
        const double beta = root[k] / 2, exact = beta * beta * sqrt(3000 * 0.002 * 0.002 / 12 / 4);
        const double far = sqrt(coarse[k]) / exact - 1, near = sqrt(fine[k]) / exact - 1;
        CHECK(fabs(near) < 0.004);
        CHECK_NEAR(log2(far / near), 2, 0.1);
    }
    ss_context_destroy(ctx);
}

/* a moment of 2 pi EI / l at the end is in balance with a beam whose nodes are on a circle, all chords as long as at rest */
TEST(an_end_moment_rolls_a_beam_up_to_a_circle)
{
    enum { N = 12 };
    ss_context *ctx = test_context();
    ss_elements_desc d = elements("beam", N);
    double q[NV_MAX], k[SS_FORCE_CLASSES * NV_MAX], x = 0, y = 0;
    d.first = "world";
    ss_model *m = alone(ctx, 2, d);
    for (int i = 1; i <= N; i++) {
        const double turn = 2 * acos(-1) / N, middle = (i - 0.5) * turn;
        x += 2.0 / N * cos(middle);
        y += 2.0 / N * sin(middle);
        q[3 * i - 3] = x;
        q[3 * i - 2] = y;
        q[3 * i - 1] = i * turn;
    }
    CHECK_NEAR(x, 0, 1e-14); /* the end is back at the start */
    CHECK_NEAR(y, 0, 1e-14);
    forces(ctx, m, 0, q, m->v0, k);
    const double EI = 3000 * 0.1 * 0.01 / 12, moment = acos(-1) * EI;
    for (int i = 0; i < m->nv; i++) {
        CHECK_NEAR(k[SS_FORCE_SPRING * m->nv + i], i == m->nv - 1 ? -moment : 0, 1e-12);
    }
    CHECK_NEAR(potential(ctx, m, 0, q), 0.5 * moment * 2 * acos(-1), 1e-12);
    ss_model_destroy(m);
    ss_context_destroy(ctx);
}

/* how many names there are, and one of them */
typedef struct eighth {
    int n;
    char text[64];
} eighth;

static ss_status keep_eighth(void *user, const char *name)
{
    eighth *x = user;
    if (++x->n == 8) {
        snprintf(x->text, sizeof x->text, "%s", name);
    }
    return SS_OK;
}

/* what the last element does to the last node, from its axial force, shear and moment in its middle */
TEST(stresses_of_a_beam_are_those_that_its_end_feels)
{
    ss_context *ctx = test_context();
    ss_model *m = alone(ctx, 2, elements("beam", 3));
    double q[NV_MAX], v[NV_MAX], k[SS_FORCE_CLASSES * NV_MAX], stress[9];
    uint64_t seed = 11;
    eighth seen = { 0 };
    random_state(m, &seed, q, v);
    forces(ctx, m, 0, q, v, k);
    ss_model_stresses(m, 0, q, stress);
    const double *end = k + SS_FORCE_SPRING * m->nv + 9, angle = 0.5 * (q[8] + q[11]), c = cos(angle), s = sin(angle);
    const double N = stress[6], Q = stress[7], dx = q[9] - q[6], dy = q[10] - q[7];
    CHECK_NEAR(end[0], -(N * c - Q * s), 1e-11);
    CHECK_NEAR(end[1], -(N * s + Q * c), 1e-11);
    CHECK_NEAR(end[2], -stress[8] - 0.5 * (dx * end[1] - dy * end[0]), 1e-11); /* the middle is half of the way back */
    CHECK_OK(ctx, ss_stress_names(m, keep_eighth, &seen));
    CHECK(strcmp(seen.text, "x.2.shear") == 0 && seen.n == 9);
    ss_model_destroy(m);
    ss_context_destroy(ctx);
}

/* node 2 of a straight beam goes to a circle about node 1, with the turn of a bent beam */
TEST(a_beam_is_inverted_where_its_nodes_are_turned_by_half_a_turn_or_have_passed_each_other)
{
    ss_context *ctx = test_context();
    ss_model *m = alone(ctx, 2, elements("beam", 2));
    const double turn[4] = { 3.1, 3.2, -3.1, 0 }, along[4] = { 0.1, 0.1, 0.1, -0.1 }, across[4] = { 1, 1, -1, 0 };
    for (int k = 0; k < 4; k++) {
        double q[9];
        memcpy(q, m->q0, sizeof q);
        q[6] = q[3] + along[k];
        q[7] = across[k];
        q[8] = turn[k];
        place p = place_at(ctx, m, 0.25, q);
        if (k % 2 == 0) {
            CHECK_OK(ctx, ss_elements_check(ctx, m, &p.c));
        } else {
            CHECK_FAILS(ctx, ss_elements_check(ctx, m, &p.c), SS_ERR_NUMERIC, "elements.x: element 1 is inverted at t = 0.25");
        }
        leave(&p);
    }
    ss_model_destroy(m);
    ss_context_destroy(ctx);
}

/* ---- bad input ------------------------------------------------------------------------------------------- */

#define WRONG(edit, text)                                                                                                        \
    do {                                                                                                                         \
        ss_elements_desc d = elements("beam", 3);                                                                                \
        ss_model *m = NULL;                                                                                                      \
        edit;                                                                                                                    \
        CHECK_FAILS(ctx, try_alone(ctx, 2, &d, &m), SS_ERR_INPUT, text);                                                         \
        CHECK(m == NULL);                                                                                                        \
    } while (0)

TEST(elements_are_checked)
{
    ss_context *ctx = test_context();
    WRONG(d.name = NULL, "elements.0.name: missing");
    WRONG(d.name = "12", "elements.0.name: expected a name that is not a number");
    WRONG(d.type = "bean", "elements.x.type: no element is called \"bean\"; the nearest is \"beam\"");
    WRONG(d.nu = 0.5, "elements.x.nu: expected a number below 0.5, got 0.5");
    WRONG(d.nu = 0.6, "elements.x.nu: expected a number in (-1, 0.5], got 0.6");
    WRONG(d.nu = -1, "elements.x.nu: expected");
    WRONG(d.size[0] = 0, "elements.x.size: expected 2 numbers > 0, got 0");
    WRONG(d.size[1] = 0, "elements.x.size: expected 2 numbers > 0, got 0");
    WRONG(d.size[1] = NAN, "elements.x.size");
    WRONG(d.E = 0, "elements.x.E: expected a number > 0, got 0");
    WRONG(d.density = -1, "elements.x.density: expected a number > 0, got -1");
    WRONG(d.divisions = 0, "elements.x.divisions: expected a number from 1 to 1000000, got 0");
    WRONG((d.divisions = 1, d.first = d.last = "world"), "elements.x.divisions: both ends are held");
    WRONG(d.position[0] = 1e17, "elements.x: the nodes of element 0 are 0 m apart, expected 0.666667 m");
    WRONG(d.first = "pistom", "elements.x.first: no body is called \"pistom\"; the nearest is \"piston\"");
    WRONG(d.last = "x.1", "elements.x.last: \"x.1\" can move freely, expected \"world\", a fixed or a driven body");
    WRONG(d.stiffness_damping = -1, "elements.x.stiffness_damping: expected a number >= 0, got -1");
    WRONG(d.material = "gum", "no material is called \"gum\"");
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_of_every_element_agree_with_differences),
        cmocka_unit_test(internal_forces_are_the_slope_of_the_strain_energy),
        cmocka_unit_test(rayleigh_damping_only_takes_energy),
        cmocka_unit_test(nodes_are_bodies_with_half_of_the_mass_of_each_element),
        cmocka_unit_test(a_driven_holder_stretches_a_bar),
        cmocka_unit_test(a_bar_in_space_that_is_stretched_evenly_pulls_at_its_ends_alone),
        cmocka_unit_test(a_beam_that_turns_and_moves_as_a_whole_has_no_strain),
        cmocka_unit_test(a_cantilever_has_the_deflection_of_timoshenko),
        cmocka_unit_test(frequencies_of_a_cantilever_converge_with_the_square_of_the_mesh_size),
        cmocka_unit_test(an_end_moment_rolls_a_beam_up_to_a_circle),
        cmocka_unit_test(stresses_of_a_beam_are_those_that_its_end_feels),
        cmocka_unit_test(a_beam_is_inverted_where_its_nodes_are_turned_by_half_a_turn_or_have_passed_each_other),
        cmocka_unit_test(elements_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
