/* test_lemke.c - the Lemke solver on problems whose solution is known in closed form or published. */
#include "unit/problem/small_problem.h"
#include "unit/solvers/random_system.h"

static ss_solver *lemke(ss_context *ctx, int max_iter)
{
    ss_solver_options options = ss_solver_options_default();
    options.share = SS_SHARE_ANY; /* what the solver finds by itself */
    ss_solver *solver;
    options.name = "lemke";
    options.max_iter = max_iter;
    CHECK_OK(ctx, ss_solver_create(ctx, &options, &solver));
    return solver;
}

static ss_solver_info solve(small_problem *y)
{
    ss_solver *solver = lemke(y->ctx, 0);
    ss_solver_info info;
    CHECK_OK(y->ctx, ss_solver_solve(solver, &y->p, &y->s, &info));
    ss_solver_destroy(solver);
    return info;
}

/* a rod in the plane touching the floor with its lower end, at an angle to the horizontal */
static void rod(small_problem *y, ss_context *ctx, double inertia, double degrees, double mu, const double *v, const double *kick)
{
    double angle = degrees * 3.14159265358979323846 / 180;
    const double mass[] = { 1, 1, inertia }, rows[] = { 0, 1, -cos(angle), 1, 0, sin(angle) };
    sp_open(y, ctx, 2);
    sp_block(y, 3, mass, false);
    sp_contact(y, SS_LAW_POLYHEDRAL, mu, 2, rows, 2, sp_line);
    sp_motion(y, v, kick);
}

TEST(the_rod_of_ap97_has_its_published_digits)
{
    ss_context *ctx = test_context();
    small_problem y;
    const double minus[] = { 1, -2, 0.5 }, compressed[] = { 1.10376588, -0.63725953, -1.27451905 };
    const double plus[] = { 1.10376588, 0.04411071, -2.29657441 };
    rod(&y, ctx, 1.0 / 3, 60, 0.3, minus, NULL);
    CHECK(solve(&y).outcome == SS_CONVERGED);
    for (int i = 0; i < 3; i++) {
        CHECK_NEAR(y.v[i], compressed[i], 5e-9); /* half a unit of the last digit printed */
    }
    CHECK_NEAR(y.r[0], 1.3627404736, 5e-11);

    /* decompression: e c_n^c n as a force, e = 0.5 [AP97 (3.3)-(3.5)] */
    double restitution[] = { 0.5 * y.r[0], 0 };
    ss_blockdiag_times(&y.p.scale, y.v, y.b);
    ss_csr_transpose_times(&y.p.H, 1, restitution, 1, y.b);
    CHECK(solve(&y).outcome == SS_CONVERGED);
    for (int i = 0; i < 3; i++) {
        CHECK_NEAR(y.v[i], plus[i], 5e-9);
    }
    sp_close(&y);
    ss_context_destroy(ctx);
}

TEST(the_painleve_rod_jumps_to_its_published_limit)
{
    ss_context *ctx = test_context();
    small_problem y;
    const double h = 1e-10, v[] = { -1, 0, 0 }, kick[] = { 0, -9.8 * 1e-10, 0 };
    rod(&y, ctx, 1.0 / 16, 72, 0.75, v, kick);
    CHECK(solve(&y).outcome == SS_CONVERGED);
    CHECK_NEAR(y.v[0], -0.851302115, 1e-8); /* O(h) from the limit, which is printed to 9 digits */
    CHECK_NEAR(y.v[1], 0.276604824608, 1e-8);
    CHECK_NEAR(y.v[2], 0.895112015337, 1e-8);
    CHECK_NEAR(y.r[0], 0.276604824608, 1e-8 + 9.8 * h);
    sp_close(&y);
    ss_context_destroy(ctx);
}

/* box of half sides a on the floor of a ramp, four corners; gravity tilted by the ramp's angle */
static void box_on_ramp(small_problem *y, ss_context *ctx, double degrees, double mu)
{
    const double a = 0.5, m = 2, h = 0.01, angle = degrees * 3.14159265358979323846 / 180;
    const double mass[] = { m, m, m, m / 6, m / 6, m / 6 }, v[6] = { 0 };
    const double kick[6] = { h * 9.81 * sin(angle), 0, -h * 9.81 * cos(angle), 0, 0, 0 };
    sp_open(y, ctx, 3);
    sp_block(y, 6, mass, false);
    for (int k = 0; k < 4; k++) {
        double x = k & 1 ? a : -a, z = -a, t = k & 2 ? a : -a; /* corner (x, t, z), rows: z, x, y */
        const double rows[] = { 0, 0, 1, t, -x, 0, 1, 0, 0, 0, z, -t, 0, 1, 0, -z, 0, x };
        sp_contact(y, SS_LAW_POLYHEDRAL, mu, 3, rows, 4, sp_square);
    }
    sp_motion(y, v, kick);
}

TEST(a_box_on_a_ramp_stays_where_it_is)
{
    ss_context *ctx = test_context();
    small_problem y;
    box_on_ramp(&y, ctx, 20, 0.5); /* tan 20 = 0.364 < 0.5 */
    CHECK(solve(&y).outcome == SS_CONVERGED);
    double normal = 0;
    for (int i = 0; i < 6; i++) {
        CHECK_NEAR(y.v[i], 0, 1e-15); /* impulses of 0.1, round-off 1e-17 each */
    }
    for (int k = 0; k < 4; k++) {
        normal += y.r[3 * k];
    }
    CHECK_NEAR(normal, 2 * 9.81 * 0.01 * cos(20 * 3.14159265358979323846 / 180), 1e-15);
    sp_close(&y);
    ss_context_destroy(ctx);
}

TEST(a_box_on_a_steep_ramp_slides_with_coulomb_s_acceleration)
{
    ss_context *ctx = test_context();
    small_problem y;
    const double angle = 40 * 3.14159265358979323846 / 180;
    box_on_ramp(&y, ctx, 40, 0.5);
    CHECK(solve(&y).outcome == SS_CONVERGED);
    CHECK_NEAR(y.v[0], 0.01 * 9.81 * (sin(angle) - 0.5 * cos(angle)), 1e-14); /* slides along a direction of the square */
    for (int i = 1; i < 6; i++) {
        CHECK_NEAR(y.v[i], 0, 1e-14);
    }
    sp_close(&y);
    ss_context_destroy(ctx);
}

TEST(a_heavy_weight_on_a_light_one_rests_exactly)
{
    ss_context *ctx = test_context();
    small_problem y;
    const double light[] = { 1 }, heavy[] = { 1e6 }, floor[] = { 1, 0 }, between[] = { -1, 1 }, v[] = { 0, 0 },
                 kick[] = { -0.1, -0.1 };
    sp_open(&y, ctx, 2);
    sp_block(&y, 1, light, false);
    sp_block(&y, 1, heavy, false);
    sp_contact(&y, SS_LAW_UNILATERAL, 0, 1, floor, 0, NULL);
    sp_contact(&y, SS_LAW_UNILATERAL, 0, 1, between, 0, NULL);
    sp_motion(&y, v, kick);
    CHECK(solve(&y).outcome == SS_CONVERGED);
    CHECK_NEAR(y.r[0], 100000.1, 1e-9); /* relative 1e-14: round-off of the sum */
    CHECK_NEAR(y.r[1], 100000.0, 1e-9);
    sp_close(&y);
    ss_context_destroy(ctx);
}

/* a box of 1 kg on the floor, one of 1e6 kg on it; gaps and directions off by what a few steps of round-off make them */
static void uneven_stack(small_problem *y, ss_context *ctx, uint64_t seed)
{
    const double pi = 3.14159265358979323846, a = 0.5, h = 0.01, v[12] = { 0 };
    double octagon[16], kick[12] = { 0 };
    uint64_t state = seed;
    sp_open(y, ctx, 3);
    for (int b = 0; b < 2; b++) {
        double m = b == 0 ? 1 : 1e6, mass[] = { m, m, m, m / 6, m / 6, m / 6 };
        sp_block(y, 6, mass, false);
        kick[6 * b + 2] = -9.81 * h;
    }
    for (int k = 0; k < 8; k++) {
        octagon[2 * k] = k < 4 ? cos(pi * k / 4) : -octagon[2 * k - 8];
        octagon[2 * k + 1] = k < 4 ? sin(pi * k / 4) : -octagon[2 * k - 7];
    }
    for (int k = 0; k < 8; k++) {
        double x = k & 1 ? a : -a, t = k & 2 ? a : -a, rows[3][12] = { { 0 } };
        for (int b = k / 4; b >= 0 && b >= k / 4 - 1; b--) { /* contact k < 4: light on floor; else heavy on light */
            double sign = b == k / 4 ? 1 : -1, z = sign > 0 ? -a : a;
            const double own[3][6] = { { 0, 0, 1, t, -x, 0 }, { 1, 0, 0, 0, z, -t }, { 0, 1, 0, -z, 0, x } };
            for (int i = 0; i < 18; i++) {
                rows[i / 6][6 * b + i % 6] = sign * own[i / 6][i % 6] * (1 + 1e-9 * (ss_random_uniform(&state) - 0.5));
            }
        }
        sp_contact(y, SS_LAW_POLYHEDRAL, 0.5, 3, rows[0], 8, octagon);
        y->w[3 * k] = 1e-10 * (ss_random_uniform(&state) - 0.5);
    }
    sp_motion(y, v, kick);
}

TEST(an_uneven_stack_of_mass_ratio_a_million_stays_at_rest)
{
    /* impulses of 1e5 have round-off of 1e-11, which a light box turns into velocities of 1e-10; a basis that is right only
     * relative to the impulses would move at 1e-6 */
    ss_context *ctx = test_context();
    ss_solver *solver = lemke(ctx, 0);
    uint64_t basis[SP_C] = { 0 };
    for (uint64_t seed = 1; seed <= 200; seed++) {
        small_problem y;
        ss_solver_info info;
        uneven_stack(&y, ctx, seed);
        memcpy(y.basis, basis, sizeof basis); /* of the stack before, which is nearly right: the hard case */
        y.s.warm = seed > 1;
        CHECK_OK(ctx, ss_solver_solve(solver, &y.p, &y.s, &info));
        CHECK(info.outcome == SS_CONVERGED);
        for (int i = 0; i < 12; i++) {
            CHECK_NEAR(y.v[i], 0, 1e-8);
        }
        memcpy(basis, y.basis, sizeof basis);
        sp_close(&y);
    }
    ss_solver_destroy(solver);
    ss_context_destroy(ctx);
}

TEST(a_bounded_row_holds_until_its_bound)
{
    ss_context *ctx = test_context();
    const double mass[] = { 2 }, v[] = { 3 }, row[] = { 1 };
    for (int k = 0; k < 3; k++) {
        const double bound[] = { 10, 4, 0 }, impulse[] = { -6, -4, 0 }, velocity[] = { 0, 1, 3 };
        small_problem y;
        sp_open(&y, ctx, 2);
        sp_block(&y, 1, mass, false);
        sp_contact(&y, SS_LAW_BOUNDED, bound[k], 1, row, 0, NULL);
        sp_motion(&y, v, NULL);
        CHECK(solve(&y).outcome == SS_CONVERGED);
        CHECK_NEAR(y.r[0], impulse[k], 1e-14);
        CHECK_NEAR(y.u[0], velocity[k], 1e-14);
        sp_close(&y);
    }
    ss_context_destroy(ctx);
}

TEST(an_unsymmetric_matrix_has_the_solution_found_by_hand)
{
    /* A = (2 1; -1 3), contact on v_1: pressed, v_1 = 0, 3 v_2 = 1, v_2 - r = -4 */
    ss_context *ctx = test_context();
    small_problem y;
    const double mass[] = { 2, 3 }, row[] = { 1, 0 };
    sp_open(&y, ctx, 2);
    sp_block(&y, 2, mass, false);
    y.p.A.diagonal = (ss_blockdiag){ 0 };
    y.p.A.symmetric = false;
    sp_row(&y, &y.p.A.sparse, (double[]){ 2, 1 });
    sp_row(&y, &y.p.A.sparse, (double[]){ -1, 3 });
    sp_contact(&y, SS_LAW_UNILATERAL, 0, 1, row, 0, NULL);
    y.b[0] = -4;
    y.b[1] = 1;
    CHECK(solve(&y).outcome == SS_CONVERGED);
    CHECK_NEAR(y.v[0], 0, 1e-15);
    CHECK_NEAR(y.v[1], 1.0 / 3, 1e-15);
    CHECK_NEAR(y.r[0], 13.0 / 3, 1e-14);
    sp_close(&y);
    ss_context_destroy(ctx);
}

TEST(random_systems_with_an_unsymmetric_matrix_are_certified)
{
    /* A = M + skew: positive definite, so [AP97]'s argument still gives a solution */
    ss_context *ctx = test_context();
    ss_solver *solver = lemke(ctx, 0);
    random_system *y = calloc(1, sizeof *y);
    for (uint64_t seed = 1; seed <= 200; seed++) {
        ss_solver_info info;
        rs_make(ctx, y, seed, 1 + (int)(seed % 6), (int)(seed % 4), 1);
        y->p.A.diagonal = (ss_blockdiag){ 0 };
        y->p.A.symmetric = false;
        ss_csr_reset(&y->p.A.sparse, y->p.nv);
        for (int i = 0; i < y->p.nv; i++) {
            for (int j = 0; j < y->p.nv; j++) {
                int b = i / y->size, n = y->size;
                double a = j / n == b ? y->M[b * n * n + (i % n) * n + j % n] : 0;
                a += j == i + 1 ? 0.3 : i == j + 1 ? -0.3 : 0;
                if (a != 0) {
                    CHECK_OK(ctx, ss_csr_push(ctx, &y->p.A.sparse, j, a));
                }
            }
            CHECK_OK(ctx, ss_csr_end_row(ctx, &y->p.A.sparse));
        }
        CHECK_OK(ctx, ss_solver_solve(solver, &y->p, &y->s, &info));
        CHECK(info.outcome == SS_CONVERGED);
    }
    rs_free(ctx, y);
    free(y);
    ss_solver_destroy(solver);
    ss_context_destroy(ctx);
}

TEST(the_local_form_gives_the_impulses_of_the_global_one)
{
    ss_context *ctx = test_context();
    small_problem y, local;
    const double minus[] = { 1, -2, 0.5 };
    rod(&y, ctx, 1.0 / 3, 60, 0.3, minus, NULL);
    CHECK(solve(&y).outcome == SS_CONVERGED);
    sp_open(&local, ctx, 2);
    local.p.local = true;
    local.p.W.n = 2;
    sp_contact(&local, SS_LAW_POLYHEDRAL, 0.3, 0, minus, 2, sp_line);
    local.row[1] = 2;
    for (int i = 0; i < 2; i++) {
        double W[2] = { 0, 0 };
        for (int j = 0; j < 2; j++) {
            for (int e = 0; e < 3; e++) {
                double hi = i == 0 ? (double[]){ 0, 1, -0.5 }[e] : (double[]){ 1, 0, sqrt(0.75) }[e];
                double hj = j == 0 ? (double[]){ 0, 1, -0.5 }[e] : (double[]){ 1, 0, sqrt(0.75) }[e];
                W[j] += hi * hj * (e == 2 ? 3 : 1);
            }
        }
        sp_row(&local, &local.p.W, W);
    }
    local.w[0] = -2 - 0.25;
    local.w[1] = 1 + 0.5 * sqrt(0.75);
    CHECK(solve(&local).outcome == SS_CONVERGED);
    for (int i = 0; i < 2; i++) {
        CHECK_NEAR(local.r[i], y.r[i], 1e-14); /* of order one */
        CHECK_NEAR(local.u[i], y.u[i], 1e-14);
    }
    sp_close(&y);
    sp_close(&local);
    ss_context_destroy(ctx);
}

/* a particle between two walls */
static void between_walls(small_problem *y, ss_context *ctx, double approach)
{
    const double mass[] = { 1 }, left[] = { 1 }, right[] = { -1 }, v[] = { 0.3 };
    sp_open(y, ctx, 2);
    sp_block(y, 1, mass, false);
    sp_contact(y, SS_LAW_UNILATERAL, 0, 1, left, 0, NULL);
    sp_contact(y, SS_LAW_UNILATERAL, 0, 1, right, 0, NULL);
    sp_motion(y, v, NULL);
    y->w[0] = y->w[1] = -approach;
}

TEST(walls_that_close_on_a_particle_are_reported_as_a_ray)
{
    ss_context *ctx = test_context();
    small_problem y;
    between_walls(&y, ctx, 1); /* v >= 1 and -v >= 1 */
    ss_solver_info info = solve(&y);
    CHECK(info.outcome == SS_RAY && info.residual.contact > 0.1);
    sp_close(&y);
    between_walls(&y, ctx, 0); /* wedged but at rest: v = 0 */
    CHECK(solve(&y).outcome == SS_CONVERGED);
    CHECK_NEAR(y.v[0], 0, 1e-16);
    sp_close(&y);
    ss_context_destroy(ctx);
}

TEST(contacts_out_of_reach_are_left_alone)
{
    ss_context *ctx = test_context();
    small_problem y;
    const double nothing[] = { 0 };
    between_walls(&y, ctx, 0);
    sp_contact(&y, SS_LAW_UNILATERAL, 0, 1, nothing, 0, NULL);
    y.w[2] = -5;
    ss_solver_info info = solve(&y);
    CHECK(info.outcome == SS_CONVERGED && info.residual.dropped == 1);
    CHECK(y.r[2] == 0 && y.u[2] == -5);
    sp_close(&y);
    ss_context_destroy(ctx);
}

TEST(running_out_of_pivots_is_an_outcome)
{
    ss_context *ctx = test_context();
    ss_solver *solver = lemke(ctx, 1);
    small_problem y;
    ss_solver_info info;
    box_on_ramp(&y, ctx, 20, 0.5);
    CHECK_OK(ctx, ss_solver_solve(solver, &y.p, &y.s, &info));
    CHECK(info.outcome == SS_MAX_ITER);
    sp_close(&y);
    ss_solver_destroy(solver);
    ss_context_destroy(ctx);
}

/* metres and kilograms to millimetres and grams: linear rows x 1, moments x 1e3; masses 1e3, inertias 1e9 */
static void to_mm_and_g(random_system *y)
{
    int n = y->size, linear = y->p.dimension;
    ss_csr *both[] = { &y->p.H, &y->p.G };
    for (int b = 0; b < y->bodies; b++) {
        for (int i = 0; i < n * n; i++) {
            y->M[y->start[b] + i] *= i / n < linear && i % n < linear ? 1e3 : 1e9;
        }
    }
    for (int k = 0; k < 2; k++) {
        for (int e = 0; both[k]->m > 0 && e < both[k]->p[both[k]->m]; e++) {
            both[k]->x[e] *= both[k]->i[e] % n < linear ? 1 : 1e3;
        }
    }
    for (int i = 0; i < y->p.nv; i++) {
        y->b[i] *= i % n < linear ? 1e6 : 1e9;
        y->v_old[i] *= i % n < linear ? 1e3 : 1;
    }
}

TEST(millimetres_and_grams_give_the_same_velocities)
{
    ss_context *ctx = test_context();
    ss_solver *solver = lemke(ctx, 0);
    random_system *y = calloc(1, sizeof *y);
    for (uint64_t seed = 1; seed <= 300; seed++) {
        ss_solver_info info;
        double v[RS_V], size = 1; /* velocities are drawn from [-1, 1]; a jammed system has none left */
        rs_make(ctx, y, seed, 1 + (int)(seed % 8), (int)(seed % 5), 2);
        CHECK_OK(ctx, ss_solver_solve(solver, &y->p, &y->s, &info));
        memcpy(v, y->v, sizeof v);
        to_mm_and_g(y);
        CHECK_OK(ctx, ss_solver_solve(solver, &y->p, &y->s, &info));
        CHECK(info.outcome == SS_CONVERGED);
        for (int i = 0; i < y->p.nv; i++) {
            size = fmax(size, fabs(v[i]));
        }
        for (int i = 0; i < y->p.nv; i++) {
            CHECK_NEAR(y->v[i] * (i % y->size < y->p.dimension ? 1e-3 : 1), v[i], 1e-9 * size); /* design.md, section 3 */
        }
    }
    rs_free(ctx, y);
    free(y);
    ss_solver_destroy(solver);
    ss_context_destroy(ctx);
}

TEST(islands_are_solved_as_if_they_were_alone)
{
    ss_context *ctx = test_context();
    small_problem y;
    const double mass[] = { 1, 1 }, v[] = { -1, 1, -2, 1 };
    sp_open(&y, ctx, 2);
    for (int b = 0; b < 2; b++) {
        sp_block(&y, 2, mass, false);
    }
    sp_contact(&y, SS_LAW_POLYHEDRAL, 0.25, 2, (double[]){ 1, 0, 0, 0, 0, 1, 0, 0 }, 2, sp_line);
    sp_contact(&y, SS_LAW_POLYHEDRAL, 0.75, 2, (double[]){ 0, 0, 1, 0, 0, 0, 0, 1 }, 2, sp_line);
    sp_motion(&y, v, NULL);
    ss_solver_info info = solve(&y);
    CHECK(info.outcome == SS_CONVERGED);
    const double r[] = { 1, -0.25, 2, -1 }; /* the first slides at mu c_n = 0.25, the second sticks below 1.5 */
    for (int i = 0; i < 4; i++) {
        CHECK_NEAR(y.r[i], r[i], 1e-15);
    }
    sp_close(&y);
    ss_context_destroy(ctx);
}

TEST(a_contact_on_a_jointed_body_presses_through_the_joint)
{
    /* two particles joined rigidly in the vertical, the lower one on the floor: it carries both */
    ss_context *ctx = test_context();
    small_problem y;
    const double mass[] = { 1 }, heavy[] = { 5 }, joint[] = { 1, -1 }, floor[] = { 1, 0 }, v[] = { -1, -1 };
    sp_open(&y, ctx, 2);
    sp_block(&y, 1, mass, false);
    sp_block(&y, 1, heavy, false);
    sp_joint(&y, joint, 0);
    sp_joint(&y, joint, 0); /* once more: redundant */
    sp_contact(&y, SS_LAW_UNILATERAL, 0, 1, floor, 0, NULL);
    sp_motion(&y, v, NULL);
    ss_solver_info info = solve(&y);
    CHECK(info.outcome == SS_CONVERGED);
    CHECK_NEAR(y.r[0], 6, 1e-14);
    CHECK_NEAR(y.lam[0] + y.lam[1], -5, 1e-14); /* the joint stops the heavy one */
    sp_close(&y);
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_rod_of_ap97_has_its_published_digits),
        cmocka_unit_test(the_painleve_rod_jumps_to_its_published_limit),
        cmocka_unit_test(a_box_on_a_ramp_stays_where_it_is),
        cmocka_unit_test(a_box_on_a_steep_ramp_slides_with_coulomb_s_acceleration),
        cmocka_unit_test(a_heavy_weight_on_a_light_one_rests_exactly),
        cmocka_unit_test(an_uneven_stack_of_mass_ratio_a_million_stays_at_rest),
        cmocka_unit_test(a_bounded_row_holds_until_its_bound),
        cmocka_unit_test(an_unsymmetric_matrix_has_the_solution_found_by_hand),
        cmocka_unit_test(random_systems_with_an_unsymmetric_matrix_are_certified),
        cmocka_unit_test(the_local_form_gives_the_impulses_of_the_global_one),
        cmocka_unit_test(walls_that_close_on_a_particle_are_reported_as_a_ray),
        cmocka_unit_test(contacts_out_of_reach_are_left_alone),
        cmocka_unit_test(running_out_of_pivots_is_an_outcome),
        cmocka_unit_test(millimetres_and_grams_give_the_same_velocities),
        cmocka_unit_test(islands_are_solved_as_if_they_were_alone),
        cmocka_unit_test(a_contact_on_a_jointed_body_presses_through_the_joint),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
