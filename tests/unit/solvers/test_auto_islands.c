/* test_auto_islands.c - the choice of a solver for each island: different chains, islands that go on alone, costs. */
#include "unit/problem/small_problem.h"

#include "unit/solvers/solve_by.h"

static int place_of(const char *name)
{
    int k = 0;
    while (ss_solver_types[k] && strcmp(ss_solver_types[k]->info.name, name) != 0) {
        k++;
    }
    return k;
}

/* a particle on the floor that slides; law: polyhedral or circular */
static void add_slider(small_problem *y, int body, unsigned law)
{
    double rows[2 * SP_V] = { 0 };
    rows[2 * body + 1] = 1;
    rows[y->p.nv + 2 * body] = 1;
    const bool polygon = law == SS_LAW_POLYHEDRAL;
    sp_contact(y, law, 0.3, 2, rows, polygon ? 2 : 0, (double[]){ 1, 0, -1, 0 });
}

static void open_particles(small_problem *y, ss_context *ctx, int particles)
{
    sp_open(y, ctx, 2);
    for (int b = 0; b < particles; b++) {
        sp_block(y, 2, (double[]){ 1, 1 }, false);
    }
}

TEST(islands_with_different_laws_are_given_to_different_solvers)
{
    ss_context *ctx = test_context();
    ss_solver *solver = create(ctx, "auto", 1e-10, 0, NULL);
    small_problem y;
    ss_solver_info info;
    open_particles(&y, ctx, 3);
    add_slider(&y, 0, SS_LAW_POLYHEDRAL);
    add_slider(&y, 1, SS_LAW_COULOMB);
    add_slider(&y, 2, SS_LAW_POLYHEDRAL);
    sp_motion(&y, (double[]){ 1, -1, 2, -1, 0.1, -1 }, NULL);
    CHECK_OK(ctx, ss_solver_solve(solver, &y.p, &y.s, &info));
    CHECK(info.outcome == SS_CONVERGED && info.choice.parts == 2 && info.fallbacks == 0);
    CHECK(info.choice.first[place_of("lemke")] == 1 && info.choice.first[place_of("nsgs")] == 1);
    CHECK(strcmp(info.solver, "lemke") == 0); /* it had four rows of six */
    CHECK_NEAR(y.v[0], 1 - 0.3, 1e-12);       /* friction takes mu times the normal impulse of 1 */
    CHECK_NEAR(y.v[2], 2 - 0.3, 1e-12);
    CHECK_NEAR(y.v[4], 0, 1e-12); /* it sticks */
    sp_close(&y);
    ss_solver_destroy(solver);
    ss_context_destroy(ctx);
}

/* Balls in a row between walls, bodies 1 .. : one sweep is not enough for them, but for a single particle it is. */
TEST(an_island_that_is_solved_does_not_go_down_the_chain_with_others)
{
    ss_context *ctx = test_context();
    ss_solver *cut = create(ctx, "auto", 1e-14, 1, NULL);
    small_problem y;
    ss_solver_info info;
    open_particles(&y, ctx, 4);
    add_slider(&y, 0, SS_LAW_COULOMB);
    for (int b = 1; b < 4; b++) {
        double rows[2 * SP_V] = { 0 };
        rows[2 * b + 1] = 1;
        rows[2 * b - 1] = b > 1 ? -1 : 0;
        rows[y.p.nv + 2 * b] = 1;
        sp_contact(&y, SS_LAW_COULOMB, 0.3, 2, rows, 0, NULL);
    }
    sp_motion(&y, (double[]){ 1, -1, 0.1, -1, -0.2, -1, 0.3, -1 }, NULL);
    CHECK_OK(ctx, ss_solver_solve(cut, &y.p, &y.s, &info));
    CHECK(info.choice.first[place_of("nsgs")] == 1); /* both islands at once */
    CHECK(info.choice.left[place_of("nsgs")] == 2);  /* one went on, and was swept once more */
    CHECK_NEAR(y.v[0], 1 - 0.3, 1e-14);
    sp_close(&y);
    ss_solver_destroy(cut);
    ss_context_destroy(ctx);
}

/* A local form of many contacts with two rows each; joined: their normals feel their neighbours, as those of balls that are
 * pressed together in a row, else every contact is an island. */
typedef struct many {
    ss_problem p;
    ss_solution s;
} many;

static many open_many(ss_context *ctx, int contacts, unsigned law, bool joined)
{
    const int rows = 2 * contacts;
    many y = { .p = ss_problem_make(2) };
    ss_problem *p = &y.p;
    p->local = true;
    p->nc = contacts;
    p->row = calloc((size_t)contacts + 1, sizeof *p->row);
    p->dir = calloc((size_t)contacts + 1, sizeof *p->dir);
    p->law = calloc((size_t)contacts, sizeof *p->law);
    p->mu = calloc((size_t)contacts, sizeof *p->mu);
    p->w = calloc((size_t)rows, sizeof *p->w);
    y.s = (ss_solution){ .r = calloc((size_t)rows, sizeof(double)),
                         .u = calloc((size_t)rows, sizeof(double)),
                         .basis = calloc((size_t)contacts, sizeof(uint64_t)) };
    ss_csr_reset(&p->W, rows);
    for (int i = 0; i < rows; i++) {
        const bool normal = i % 2 == 0, feels = normal && joined;
        for (int j = feels && i > 0 ? i - 2 : i; j <= (feels ? i + 2 : i) && j < rows; j += 2) {
            CHECK_OK(ctx, ss_csr_push(ctx, &p->W, j, j == i ? 2 : -1));
        }
        CHECK_OK(ctx, ss_csr_end_row(ctx, &p->W));
        p->w[i] = normal ? -1 : 0.1;
    }
    for (int k = 0; k < contacts; k++) {
        p->row[k + 1] = 2 * (k + 1);
        p->law[k] = law;
        p->mu[k] = 0.3;
    }
    return y;
}

static void close_many(ss_context *ctx, many *y)
{
    void *owned[] = { y->p.row, y->p.dir, y->p.law, y->p.mu, y->p.w, y->s.r, y->s.u, y->s.basis };
    ss_csr_free(ctx, &y->p.W);
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) {
        free(owned[k]);
    }
}

/* The Newton step of 2700 rows would factorise a full matrix, 5e10 operations. */
TEST(sweeps_go_on_where_no_factorisation_is_affordable)
{
    ss_context *ctx = test_context();
    ss_solver *cut = create(ctx, "auto", 1e-12, 2, NULL);
    many y = open_many(ctx, 1350, SS_LAW_COULOMB, true);
    ss_solver_info info;
    CHECK_OK(ctx, ss_solver_solve(cut, &y.p, &y.s, &info));
    CHECK(info.outcome == SS_MAX_ITER && info.fallbacks == 1);
    CHECK(info.choice.left[place_of("nsgs")] == 1 && info.choice.left[place_of("alm")] == 0);
    close_many(ctx, &y);
    ss_solver_destroy(cut);
    ss_context_destroy(ctx);
}

/* who is asked first about so many contacts that do not feel each other, to this tolerance? */
static const char *asked_first(ss_context *ctx, int contacts, double tol)
{
    ss_solver *solver = create(ctx, "auto", tol, 0, NULL);
    many y = open_many(ctx, contacts, SS_LAW_ASSOCIATED, false);
    ss_solver_info info;
    CHECK_OK(ctx, ss_solver_solve(solver, &y.p, &y.s, &info));
    CHECK(info.outcome == SS_CONVERGED && info.fallbacks == 0);
    const bool swept = info.choice.first[place_of("nsgs")] == 1;
    CHECK(swept || info.choice.first[place_of("cone_ipm")] == 1);
    CHECK_NEAR(y.s.r[0], 0.5, 1e-2); /* it sticks: W r = -w */
    close_many(ctx, &y);
    ss_solver_destroy(solver);
    return swept ? "nsgs" : "cone_ipm";
}

TEST(small_islands_among_many_are_swept_where_the_tolerance_is_loose)
{
    ss_context *ctx = test_context();
    assert_string_equal(asked_first(ctx, 100, 1e-4), "cone_ipm"); /* 200 rows in all */
    assert_string_equal(asked_first(ctx, 200, 1e-4), "nsgs");
    assert_string_equal(asked_first(ctx, 200, 1e-8), "cone_ipm");
    ss_context_destroy(ctx);
}

/* the last body between two walls that close on it: no velocity obeys both */
static void add_press(small_problem *y, int body)
{
    for (int side = -1; side <= 1; side += 2) {
        double rows[2 * SP_V] = { 0 };
        rows[2 * body + 1] = side;
        rows[y->p.nv + 2 * body] = 1;
        sp_contact(y, SS_LAW_ASSOCIATED, 0.5, 2, rows, 0, NULL);
        y->w[y->p.row[y->p.nc - 1]] = -10;
    }
}

/* Two sliders and a press. laws: of the sliders */
static void solve_beside_a_press(unsigned law, small_problem *y, ss_solver_info *info)
{
    ss_context *ctx = test_context();
    ss_solver *solver = create(ctx, "auto", 1e-10, 0, NULL);
    open_particles(y, ctx, 3);
    add_slider(y, 0, law);
    add_slider(y, 1, law);
    add_press(y, 2);
    sp_motion(y, (double[]){ 1, -1, 0, -1, 0, 0 }, NULL);
    CHECK_OK(ctx, ss_solver_solve(solver, &y->p, &y->s, info));
    ss_solver_destroy(solver);
}

static void close_press(small_problem *y)
{
    ss_context *ctx = y->ctx;
    sp_close(y);
    ss_context_destroy(ctx);
}

/* the contact that is blamed has its number in the whole problem, not in the part with the press */
TEST(a_proof_about_one_island_names_its_contact_in_the_whole)
{
    small_problem y;
    ss_solver_info info;
    solve_beside_a_press(SS_LAW_COULOMB, &y, &info);
    CHECK(info.outcome == SS_INFEASIBLE && info.choice.parts == 2);
    CHECK(info.residual.worst == 2 || info.residual.worst == 3);
    CHECK_NEAR(y.v[0], 1 - 0.3, 1e-10); /* the other islands are solved all the same */
    close_press(&y);
}

/* Islands with one chain are asked about together. The proof is about one of them: the others have their solution. */
TEST(a_proof_about_one_island_does_not_settle_the_others)
{
    small_problem y;
    ss_solver_info info;
    solve_beside_a_press(SS_LAW_ASSOCIATED, &y, &info);
    CHECK(info.outcome == SS_INFEASIBLE && info.choice.parts == 0);
    CHECK(info.residual.worst == 2 || info.residual.worst == 3);
    CHECK_NEAR(y.v[1], 0.3 * y.v[0], 1e-10);                /* an associated law lifts what slips, by mu times the slip; */
    CHECK_NEAR(y.v[0], (1 - 0.3) / (1 + 0.3 * 0.3), 1e-10); /* v_x + 0.3 (v_y + 1) = 1 */
    CHECK_NEAR(y.v[2], 0, 1e-10);
    CHECK_NEAR(y.v[3], 0, 1e-10);
    close_press(&y);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(islands_with_different_laws_are_given_to_different_solvers),
        cmocka_unit_test(an_island_that_is_solved_does_not_go_down_the_chain_with_others),
        cmocka_unit_test(sweeps_go_on_where_no_factorisation_is_affordable),
        cmocka_unit_test(small_islands_among_many_are_swept_where_the_tolerance_is_loose),
        cmocka_unit_test(a_proof_about_one_island_names_its_contact_in_the_whole),
        cmocka_unit_test(a_proof_about_one_island_does_not_settle_the_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
