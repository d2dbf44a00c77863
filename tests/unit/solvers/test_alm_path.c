/* test_alm_path.c - alm's proximal problem along its path: packings on which alm fails, the pieces of the laws, limits. */
#include "unit/solvers/local_form.h"
#include "unit/solvers/packing.h"
#include "unit/solvers/random_system.h"
#include "unit/solvers/solve_by.h"

#include "problem/law_map.h"
#include "solvers/alm/path_pieces.h"

/* the path from nearly nothing */
static const ss_setting path_alone[] = { { .key = "newton", .number = 1 }, { .key = "sweeps", .number = 0 }, { .key = NULL } };

static double certificate(ss_context *ctx, const ss_problem *p, const ss_solution *s)
{
    ss_residual residual;
    CHECK_OK(ctx, ss_problem_residual(ctx, p, s, &residual));
    return worst_of(&residual);
}

TEST(packings_are_solved_by_the_path_alone)
{
    ss_context *ctx = test_context();
    ss_solver *solver = create(ctx, "alm_path", 1e-8, 0, path_alone);
    const uint64_t seed[] = { 7, 8 };
    packing k;
    for (int form = 0; form < 2; form++) {
        pk_make_sliding(ctx, &k, seed[form]);
        ss_problem local = pk_local(ctx, &k);
        const ss_problem *p = form == 0 ? &k.p : &local;
        ss_solver_info info = solve_by(ctx, "alm", 1e-8, p, &k.s);
        print_message("%d contacts: alm %g", p->nc, worst_of(&info.residual));
        CHECK(form == 1 || info.outcome == SS_MAX_ITER); /* what makes this problem worth a path */
        k.s.warm = false;
        info = solve(ctx, solver, p, &k.s);
        print_message(", alm_path %g in %d steps\n", worst_of(&info.residual), info.iterations);
        CHECK(info.outcome == SS_CONVERGED && certificate(ctx, p, &k.s) <= 1e-8);
        CHECK(info.iterations > 1 && info.iterations < 2000); /* 360, 84 */
        pk_local_free(ctx, &local);
        pk_free(ctx, &k);
    }
    ss_solver_destroy(solver);
    ss_context_destroy(ctx);
}

TEST(random_systems_with_joints_are_certified)
{
    ss_context *ctx = test_context();
    ss_solver *solver = create(ctx, "alm_path", 1e-10, 0, path_alone);
    random_system *y = calloc(1, sizeof *y);
    const int seeds = systems(40, 400);
    int solved = 0;
    for (int seed = 1; seed <= seeds; seed++) {
        rs_make(ctx, y, 7 * (uint64_t)seed, 1 + seed % 8, seed % 4, 3);
        for (int k = 0; k < y->p.nc; k++) {
            y->law[k] = y->law[k] == SS_LAW_POLYHEDRAL ? SS_LAW_COULOMB : y->law[k];
        }
        const bool converged = solve(ctx, solver, &y->p, &y->s).outcome == SS_CONVERGED;
        CHECK(!converged || certificate(ctx, &y->p, &y->s) <= 1e-10);
        solved += converged;
    }
    print_message("%d of %d random systems solved cold\n", solved, seeds);
    CHECK(solved >= 0.9 * seeds);
    rs_free(ctx, y);
    free(y);
    ss_solver_destroy(solver);
    ss_context_destroy(ctx);
}

/* The steps allowed are an end, and what is returned is what the certificate is of. */
TEST(the_steps_allowed_are_an_end)
{
    ss_context *ctx = test_context();
    const int limits[] = { 1, 2, 20 };
    packing k;
    for (int i = 0; i < 3; i++) {
        pk_make_sliding(ctx, &k, 7);
        ss_solver *solver = create(ctx, "alm_path", 1e-14, limits[i], path_alone);
        ss_solver_info info = solve(ctx, solver, &k.p, &k.s);
        CHECK(info.outcome == SS_MAX_ITER && info.iterations <= limits[i] + 16); /* Newton's steps for one k are not cut off */
        CHECK(certificate(ctx, &k.p, &k.s) == worst_of(&info.residual));
        ss_solver_destroy(solver);
        pk_free(ctx, &k);
    }
    ss_context_destroy(ctx);
}

/* A path that has not gained yet is not given up, however little patience is left. */
TEST(a_path_goes_on_until_it_has_gained)
{
    ss_context *ctx = test_context();
    const ss_setting hasty[] = {
        { .key = "newton", .number = 1 }, { .key = "sweeps", .number = 0 }, { .key = "patience", .number = 1 }, { .key = NULL }
    };
    ss_solver *solver = create(ctx, "alm_path", 1e-8, 0, hasty);
    packing k;
    pk_make_sliding(ctx, &k, 7);
    const ss_solver_info info = solve(ctx, solver, &k.p, &k.s);
    print_message("%d steps, residual %g\n", info.iterations, worst_of(&info.residual));
    CHECK(info.iterations > 20); /* with patience alone two steps */
    pk_free(ctx, &k);
    ss_solver_destroy(solver);
    ss_context_destroy(ctx);
}

/* ---- pieces -------------------------------------------------------------------------------------- */

/* On its piece a contact has the impulse of its law, and its derivative; where y leaves by a side, the piece behind has the same
 * impulse. */
static void check_pieces(const ss_problem *p, int k, int rows, uint64_t *state)
{
    double y[3], dy[3], r[3], D[9], s[3], E[9];
    for (int i = 0; i < rows; i++) {
        y[i] = 4 * ss_random_uniform(state) - 2;
        dy[i] = ss_random_uniform(state) - 0.5;
    }
    const ss_law_piece piece = ss_piece_of(p, k, y);
    ss_law_map(p, k, y, r, D);
    ss_piece_map(p, k, piece, y, s, E);
    for (int i = 0; i < rows * rows; i++) {
        CHECK_NEAR(D[i], E[i], 1e-13);
        CHECK_NEAR(r[i % rows], s[i % rows], 1e-13);
    }
    const double by[] = { ss_piece_leave(p, k, piece, 0, y, dy), ss_piece_leave(p, k, piece, 1, y, dy) };
    const int side = by[0] <= by[1] ? 0 : 1; /* that of the first of both */
    if (by[side] < 100) {
        double value, slope[3], z[3];
        for (int i = 0; i < rows; i++) {
            z[i] = y[i] + by[side] * dy[i];
        }
        CHECK(ss_piece_side(p, k, piece, side, z, &value, slope));
        CHECK_NEAR(value, 0, 1e-10); /* of numbers up to 100, with the root of a difference of squares */
        ss_piece_map(p, k, piece, z, r, D);
        ss_piece_map(p, k, ss_piece_beyond(p, k, piece, side), z, s, E);
        for (int i = 0; i < rows; i++) {
            CHECK_NEAR(r[i], s[i], 1e-10);
        }
    }
}

TEST(pieces_make_up_the_laws_and_meet_at_their_sides)
{
    unsigned law[] = { SS_LAW_COULOMB, SS_LAW_UNILATERAL, SS_LAW_BOUNDED };
    double mu[] = { 0.5, 0, 0.7 };
    int row[] = { 0, 3, 4, 5 };
    ss_problem p = ss_problem_make(3);
    p.nc = 3;
    p.law = law;
    p.mu = mu;
    p.row = row;
    uint64_t state = 11;
    for (int i = 0; i < 3000; i++) {
        check_pieces(&p, i % 3, row[i % 3 + 1] - row[i % 3], &state);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packings_are_solved_by_the_path_alone),
        cmocka_unit_test(random_systems_with_joints_are_certified),
        cmocka_unit_test(the_steps_allowed_are_an_end),
        cmocka_unit_test(a_path_goes_on_until_it_has_gained),
        cmocka_unit_test(pieces_make_up_the_laws_and_meet_at_their_sides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
