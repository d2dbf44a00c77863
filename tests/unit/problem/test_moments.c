/* test_moments.c - moments of rolling friction in a one-step problem: one moment exactly, the cone of several parts, islands and
 * parts of problems, the certificate, solvers on random problems.
 *
 * Oracles: u = 0 inside the disc and u against r on its rim; the nearest of many points of a cone; the natural map. */
#include "math/cones.h"
#include "problem/classical.h"
#include "problem/contact_law.h"
#include "problem/islands.h"
#include "problem/law_map.h"
#include "problem/one_contact.h"
#include "problem/open_islands.h"
#include "problem/subproblem.h"
#include "small_problem.h"
#include "solvers/solver.h"

static double any(uint64_t *seed) { return 2 * ss_random_uniform(seed) - 1; }

/* ---- one moment --------------------------------------------------------------------------------- */

/* W = B B' of `rows`, nearly singular at times, with sizes over many decades */
static ss_one_contact draw_moment(uint64_t *seed, int rows)
{
    ss_one_contact c = { .law = SS_LAW_ROLLING, .rows = rows, .invertible = true };
    const double B[4] = { any(seed), any(seed), any(seed), any(seed) }, size = pow(10, 6 * any(seed)),
                 round = pow(10, -3 * ss_random_uniform(seed));
    for (int i = 0; i < rows * rows; i++) {
        const double *a = B + 2 * (i / rows), *b = B + 2 * (i % rows);
        c.W[i] = size * (a[0] * b[0] + round * a[1] * b[1] + (i / rows == i % rows ? 1e-3 : 0));
    }
    for (int i = 0; i < rows; i++) {
        c.d += c.W[(rows + 1) * i] / rows;
    }
    return c;
}

TEST(one_moment_holds_within_its_bound_and_opposes_the_turn_on_it)
{
    uint64_t seed = 5;
    int inside = 0, rim = 0;
    for (int k = 0; k < 20000; k++) {
        const int rows = 1 + k % 2;
        const ss_one_contact c = draw_moment(&seed, rows);
        const double q[2] = { any(&seed), any(&seed) }, start[2] = { any(&seed), any(&seed) };
        const double bound = pow(10, 2 * any(&seed)) / c.d;
        double u[2], r[2] = { start[0], start[1] }, cross = 0, along = 0, length = 0, speed = 0;
        for (int i = 0; i < rows; i++) {
            u[i] = q[i] + c.W[rows * i] * r[0] + (rows == 2 ? c.W[rows * i + 1] * r[1] : 0);
        }
        CHECK(ss_one_moment_solve(&c, bound, u, r));
        for (int i = 0; i < rows; i++) {
            u[i] = q[i] + c.W[rows * i] * r[0] + (rows == 2 ? c.W[rows * i + 1] * r[1] : 0);
            along += u[i] * r[i];
            length = hypot(length, r[i]);
            speed = hypot(speed, u[i]);
        }
        cross = rows == 2 ? u[0] * r[1] - u[1] * r[0] : 0;
        const double off = 1e-11 * (1 + c.d * (hypot(start[0], start[1]) + length)); /* round-off of u */
        CHECK(length <= bound * (1 + 1e-15));
        if (length < bound * (1 - 1e-12)) {
            CHECK_NEAR(speed, 0, off);
            inside++;
        } else {
            CHECK(along <= off * length);
            CHECK_NEAR(cross, 0, off * length);
            rim++;
        }
    }
    CHECK(inside > 1000 && rim > 1000);
}

TEST(a_moment_without_bound_or_mobility_is_zero)
{
    const ss_one_contact free = { .law = SS_LAW_ROLLING, .rows = 2, .W = { 1, 0, 0, 1 }, .d = 1, .invertible = true },
                         held = { .law = SS_LAW_ROLLING, .rows = 2 };
    double r[2] = { 1, 2 };
    const double u[2] = { 3, 4 };
    CHECK(ss_one_moment_solve(&free, 0, u, r) && r[0] == 0 && r[1] == 0);
    r[0] = 1;
    CHECK(ss_one_moment_solve(&held, 1, u, r) && r[0] == 0 && r[1] == 0);
}

TEST(the_derivative_of_a_moment_agrees_with_differences)
{
    const double step = 1e-6;
    uint64_t seed = 6;
    for (int k = 0; k < 200; k++) {
        const int rows = 1 + k % 2;
        const double y[2] = { any(&seed), any(&seed) }, bound = 0.2 + ss_random_uniform(&seed);
        double r[2], D[4], unused[4];
        ss_moment_map(rows, bound, NULL, y, r, D);
        const bool near = fabs((rows == 2 ? hypot(y[0], y[1]) : fabs(y[0])) - bound) < 10 * step; /* the rim is a kink */
        for (int j = 0; j < rows && !near; j++) {
            double plus[2] = { y[0], y[1] }, minus[2] = { y[0], y[1] }, up[2], down[2];
            plus[j] += step;
            minus[j] -= step;
            ss_moment_map(rows, bound, NULL, plus, up, unused);
            ss_moment_map(rows, bound, NULL, minus, down, unused);
            for (int i = 0; i < rows; i++) {
                CHECK_NEAR(D[rows * i + j], (up[i] - down[i]) / (2 * step), 1e-8);
            }
        }
        CHECK((rows == 2 ? hypot(r[0], r[1]) : fabs(r[0])) <= bound * (1 + 1e-15));
    }
}

/* ---- the cone of several parts -------------------------------------------------------------------- */

/* distance from (y_N, lengths) to the nearest point with height t: parts are cut */
static double distance(int parts, const double *mu, double y_N, const double *a, double t)
{
    double square = (t - y_N) * (t - y_N);
    for (int i = 0; i < parts; i++) {
        const double over = fmax(0, a[i] - mu[i] * t);
        square += over * over;
    }
    return sqrt(square);
}

TEST(lengths_are_projected_to_the_nearest_point_of_the_cone)
{
    uint64_t seed = 9;
    for (int k = 0; k < 5000; k++) {
        const int parts = 1 + k % 3;
        double mu[3], a[3], cut[3], y = 2 * any(&seed), t = y;
        for (int i = 0; i < parts; i++) {
            mu[i] = k % 7 == 0 && i == 0 ? 0 : 2 * ss_random_uniform(&seed);
            a[i] = cut[i] = 2 * ss_random_uniform(&seed);
        }
        ss_cone_project_lengths(parts, mu, &t, cut);
        const double best = distance(parts, mu, y, a, t);
        CHECK(t >= 0);
        for (int i = 0; i < parts; i++) {
            CHECK_NEAR(cut[i], fmin(a[i], mu[i] * t), 0);
        }
        for (int i = 0; i <= 200; i++) {
            CHECK(best <= distance(parts, mu, y, a, 0.05 * i) + 1e-14);
            CHECK(best <= distance(parts, mu, y, a, t * (1 + 1e-4 * (i - 100))) + 1e-14);
        }
    }
}

/* ---- problems --------------------------------------------------------------------------------------- */

typedef struct moments {
    small_problem y;
    int host[SP_C];
} moments;

/* a contact of body b with the ground, whose arm is random, and its moments: rolling, and every second time spinning */
static void add_ground(moments *x, uint64_t *seed, int b, unsigned law)
{
    static const double polygon[8] = { 1, 0, 0, 1, -1, 0, 0, -1 };
    small_problem *y = &x->y;
    const int nv = y->p.nv, at = y->offset[b], host = y->p.nc;
    double H[3 * SP_V] = { 0 }, M[2 * SP_V] = { 0 };
    for (int i = 0; i < 3; i++) {
        H[nv * i + at + i] = 1;
        for (int j = 0; j < 3; j++) {
            H[nv * i + at + 3 + j] = 0.5 * any(seed);
        }
    }
    sp_contact(y, law, 0.6, 3, H, law == SS_LAW_POLYHEDRAL ? 4 : 0, polygon);
    M[at + 4] = M[nv + at + 5] = 1;
    x->host[y->p.nc] = host;
    sp_contact(y, SS_LAW_ROLLING, 0.1, 2, M, 0, NULL);
    memset(M, 0, sizeof M);
    M[at + 3] = 1;
    x->host[y->p.nc] = host;
    if (ss_random_uniform(seed) < 0.5) {
        sp_contact(y, SS_LAW_ROLLING, 0.05, 1, M, 0, NULL);
    }
}

static void open_moments(moments *x, ss_context *ctx, uint64_t *seed, int bodies, unsigned law)
{
    double v[SP_V];
    sp_open(&x->y, ctx, 3);
    x->y.p.host = x->host;
    for (int b = 0; b < bodies; b++) {
        const double mass[6] = { 1, 1, 1, 0.2, 0.3, 0.4 };
        sp_block(&x->y, 6, mass, false);
    }
    for (int b = 0; b < bodies; b++) {
        add_ground(x, seed, b, law);
    }
    for (int i = 0; i < x->y.p.nv; i++) {
        v[i] = any(seed) - (i % 6 == 0);
    }
    sp_motion(&x->y, v, NULL);
}

TEST(every_solver_with_the_law_solves_random_problems_with_moments)
{
    ss_context *ctx = test_context();
    static const char *const names[] = { "nsgs", "alm", "auto" };
    uint64_t seed = 3;
    int bounds = 0;
    for (int k = 0; k < 300; k++) {
        moments x;
        ss_solver *solver;
        ss_solver_info info;
        open_moments(&x, ctx, &seed, 1 + k % 2, k % 4 == 3 ? SS_LAW_POLYHEDRAL : SS_LAW_COULOMB);
        CHECK_OK(ctx, ss_solver_create(ctx, &(ss_solver_options){ .name = names[k % 3], .tol = 1e-10 }, &solver));
        CHECK_OK(ctx, ss_solver_solve(solver, &x.y.p, &x.y.s, &info));
        CHECK(info.outcome == SS_CONVERGED && info.residual.classical < 1e-8);
        for (int c = 0; c < x.y.p.nc; c++) {
            const double *r = x.y.r + x.y.row[c], *u = x.y.u + x.y.row[c];
            if (x.y.law[c] == SS_LAW_ROLLING) {
                const bool two = x.y.row[c + 1] - x.y.row[c] == 2;
                const double load = x.y.mu[c] * x.y.r[x.y.row[x.host[c]]], length = two ? hypot(r[0], r[1]) : fabs(r[0]),
                             speed = two ? hypot(u[0], u[1]) : fabs(u[0]);
                CHECK(length <= load + 1e-9);
                CHECK(speed < 1e-8 || fabs(length - load) < 1e-8);
                CHECK(r[0] * u[0] + (two ? r[1] * u[1] : 0) <= 1e-9);
                bounds += speed > 1e-6 && load > 0;
            }
        }
        ss_solver_destroy(solver);
        sp_close(&x.y);
    }
    CHECK(bounds > 100); /* not all of them hold */
    ss_context_destroy(ctx);
}

/* two rows on a body of three velocities look like friction in the plane, and are none */
TEST(a_moment_is_not_taken_for_a_contact_in_the_plane)
{
    ss_context *ctx = test_context();
    small_problem y;
    ss_solver *solver;
    ss_solver_info info;
    int host[2] = { 0, 0 };
    const double mass[3] = { 1, 2, 4 }, normal[3] = { 1, 0, 0 }, turns[6] = { 0, 1, 0, 0, 0, 1 };
    sp_open(&y, ctx, 3);
    sp_block(&y, 3, mass, false);
    sp_contact(&y, SS_LAW_UNILATERAL, 0, 1, normal, 0, NULL);
    sp_contact(&y, SS_LAW_ROLLING, 0.5, 2, turns, 0, NULL);
    y.p.host = host;
    sp_motion(&y, (const double[]){ -1, 3, 4 }, NULL);
    CHECK_OK(ctx, ss_solver_create(ctx, &(ss_solver_options){ .name = "nsgs", .tol = 1e-10 }, &solver));
    CHECK_OK(ctx, ss_solver_solve(solver, &y.p, &y.s, &info));
    CHECK(info.outcome == SS_CONVERGED);
    CHECK_NEAR(hypot(y.r[1], y.r[2]), 0.5, 1e-10);
    CHECK(y.r[1] < 0 && y.r[2] < 0);
    ss_solver_destroy(solver);
    sp_close(&y);
    ss_context_destroy(ctx);
}

/* the certificate sees a moment that is too large, too small, or turned the wrong way */
TEST(a_wrong_moment_is_not_certified)
{
    ss_context *ctx = test_context();
    uint64_t seed = 8;
    moments x;
    ss_solver *solver;
    ss_solver_info info;
    open_moments(&x, ctx, &seed, 1, SS_LAW_COULOMB);
    sp_motion(&x.y, (const double[]){ -3, 0, 0, 0, 15, 0 }, NULL);
    CHECK_OK(ctx, ss_solver_create(ctx, &(ss_solver_options){ .name = "nsgs", .tol = 1e-10 }, &solver));
    CHECK_OK(ctx, ss_solver_solve(solver, &x.y.p, &x.y.s, &info));
    const double right = x.y.r[3];
    CHECK(info.outcome == SS_CONVERGED && right < 0);
    static const double wrong[] = { 1.01, 0.99, -1, 0 };
    for (int k = 0; k < 4; k++) {
        ss_residual residual;
        x.y.r[3] = wrong[k] * right;
        CHECK_OK(ctx, ss_problem_residual(ctx, &x.y.p, &x.y.s, &residual));
        CHECK(residual.contact > 1e-4 && residual.classical > 1e-5);
    }
    ss_solver_destroy(solver);
    sp_close(&x.y);
    ss_context_destroy(ctx);
}

/* u^_N = u_N + mu |u_T| + mu_r |w|, projected on the cone of the contact and its moment together */
TEST(the_classical_residual_takes_a_contact_and_its_moment_together)
{
    ss_context *ctx = test_context();
    ss_arena *arena;
    small_problem y;
    int host[2] = { 0, 0 };
    const double H[15] = { 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0 }, M[10] = { 0, 0, 0, 1, 0, 0, 0, 0, 0, 1 };
    const double mass[5] = { 1, 1, 1, 1, 1 }, r[5] = { 2, 1, 0, 0.3, 0 }, u[5] = { 0.5, -1, 0, 0, -2 };
    double got, a[2], height = 2 - (0.5 + 0.6 * 1 + 0.1 * 2);
    CHECK_OK(ctx, ss_arena_create(ctx, 1024, &arena));
    sp_open(&y, ctx, 3);
    sp_block(&y, 5, mass, false);
    sp_contact(&y, SS_LAW_COULOMB, 0.6, 3, H, 0, NULL);
    sp_contact(&y, SS_LAW_ROLLING, 0.1, 2, M, 0, NULL);
    y.p.host = host;
    a[0] = 2;
    a[1] = hypot(0.3, 2);
    ss_cone_project_lengths(2, (const double[]){ 0.6, 0.1 }, &height, a);
    const double share = a[1] / hypot(0.3, 2);
    const double expected = hypot(hypot(2 - height, 1 - a[0]), hypot(0.3 - share * 0.3, 0 - share * 2));
    CHECK_OK(ctx, ss_classical_residual(arena, &y.p, r, u, u, &got));
    CHECK_NEAR(got, expected, 1e-14);
    sp_close(&y);
    ss_arena_destroy(arena);
    ss_context_destroy(ctx);
}

/* ---- islands ------------------------------------------------------------------------------------------ */

/* contact 0 on the second body, contact 1 on the first, and a moment of one row, of `host` */
static void open_two_bodies(small_problem *y, ss_context *ctx, int *host, const double moment[4])
{
    const double mass[2] = { 1, 1 }, first[4] = { 1, 0, 0, 0 }, second[4] = { 0, 0, 0, 1 };
    sp_open(y, ctx, 2);
    sp_block(y, 2, mass, false);
    sp_block(y, 2, mass, false);
    sp_contact(y, SS_LAW_UNILATERAL, 0, 1, second, 0, NULL);
    sp_contact(y, SS_LAW_UNILATERAL, 0, 1, first, 0, NULL);
    sp_contact(y, SS_LAW_ROLLING, 0.1, 1, moment, 0, NULL);
    y->p.host = host;
}

TEST(a_moment_that_touches_nothing_is_in_the_island_of_its_host)
{
    ss_context *ctx = test_context();
    ss_arena *arena;
    small_problem y;
    ss_islands islands;
    ss_island_members members;
    ss_subproblem part;
    int host[3] = { 0, 0, 1 }, place[8];
    CHECK_OK(ctx, ss_arena_create(ctx, 1024, &arena));
    open_two_bodies(&y, ctx, host, (const double[4]){ 0 });
    CHECK_OK(ctx, ss_islands_find(arena, &y.p, &islands));
    CHECK(islands.of_contact[0] != islands.of_contact[1] && islands.of_contact[2] == islands.of_contact[1]);
    CHECK_OK(ctx, ss_island_members_find(arena, &y.p, &islands, &members));
    CHECK_OK(ctx, ss_subproblem_make(arena, &y.p, &members, 1, &islands.of_contact[1], place, &part));
    CHECK(part.problem.nc == 2 && part.contact[0] == 1 && part.problem.host[1] == 0);
    CHECK_OK(ctx, ss_problem_check(ctx, &part.problem));
    sp_close(&y);
    ss_arena_destroy(arena);
    ss_context_destroy(ctx);
}

TEST(a_moment_joins_the_island_of_its_body_to_that_of_its_host)
{
    ss_context *ctx = test_context();
    ss_arena *arena;
    small_problem y;
    ss_islands islands;
    int host[3] = { 0, 0, 0 };
    CHECK_OK(ctx, ss_arena_create(ctx, 1024, &arena));
    open_two_bodies(&y, ctx, host, (const double[4]){ 0, 1, 0, 0 });
    CHECK_OK(ctx, ss_islands_find(arena, &y.p, &islands));
    CHECK(islands.of_contact[0] == islands.of_contact[1] && islands.of_contact[2] == islands.of_contact[1]);
    sp_close(&y);
    ss_arena_destroy(arena);
    ss_context_destroy(ctx);
}

/* the limit of vanishing compliance is not known for moments */
TEST(islands_with_moments_are_not_shared)
{
    ss_context *ctx = test_context();
    ss_arena *arena;
    ss_islands islands;
    uint64_t seed = 4;
    ss_open open;
    for (int with = 0; with < 2; with++) {
        moments x;
        CHECK_OK(ctx, ss_arena_create(ctx, 1024, &arena));
        open_moments(&x, ctx, &seed, 1, SS_LAW_COULOMB);
        add_ground(&x, &seed, 0, SS_LAW_COULOMB);
        add_ground(&x, &seed, 0, SS_LAW_COULOMB);
        for (int k = 0; k < x.y.p.nc && !with; k++) { /* the same rows as contacts of another law */
            x.y.law[k] = x.y.law[k] == SS_LAW_ROLLING ? SS_LAW_BOUNDED : x.y.law[k];
        }
        CHECK_OK(ctx, ss_islands_find(arena, &x.y.p, &islands));
        CHECK_OK(ctx, ss_open_islands(ctx, arena, &x.y.p, &islands, 1000, &open));
        CHECK(open.some == !with);
        sp_close(&x.y);
        ss_arena_destroy(arena);
    }
    ss_context_destroy(ctx);
}

/* ---- what is refused ------------------------------------------------------------------------------------ */

TEST(moments_without_a_host_or_with_wrong_rows_are_refused)
{
    ss_context *ctx = test_context();
    uint64_t seed = 2;
    moments x;
    open_moments(&x, ctx, &seed, 2, SS_LAW_COULOMB);
    CHECK_OK(ctx, ss_problem_check(ctx, &x.y.p));
    const int later = x.y.law[2] == SS_LAW_COULOMB ? 2 : 3, wrong[] = { -1, 1, later, 100 };
    for (int k = 0; k < 4; k++) {
        x.host[1] = wrong[k];
        CHECK_FAILS(ctx, ss_problem_check(ctx, &x.y.p), SS_ERR_INPUT, "expected an earlier contact that has a normal");
    }
    x.y.p.host = NULL;
    CHECK_FAILS(ctx, ss_problem_check(ctx, &x.y.p), SS_ERR_INPUT, "host -1");
    x.y.p.host = x.host;
    x.host[1] = 0;
    x.y.mu[1] = NAN;
    CHECK_FAILS(ctx, ss_problem_check(ctx, &x.y.p), SS_ERR_INPUT, "mu");
    x.y.mu[1] = 0.1;
    x.y.p.dimension = 2;
    x.y.row[1] = 2;
    CHECK_FAILS(ctx, ss_problem_check(ctx, &x.y.p), SS_ERR_INPUT, "contact 1 has 3 rows, expected 1 to 1 for its law");
    sp_close(&x.y);
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_moment_holds_within_its_bound_and_opposes_the_turn_on_it),
        cmocka_unit_test(a_moment_without_bound_or_mobility_is_zero),
        cmocka_unit_test(the_derivative_of_a_moment_agrees_with_differences),
        cmocka_unit_test(lengths_are_projected_to_the_nearest_point_of_the_cone),
        cmocka_unit_test(every_solver_with_the_law_solves_random_problems_with_moments),
        cmocka_unit_test(a_moment_is_not_taken_for_a_contact_in_the_plane),
        cmocka_unit_test(a_wrong_moment_is_not_certified),
        cmocka_unit_test(the_classical_residual_takes_a_contact_and_its_moment_together),
        cmocka_unit_test(a_moment_that_touches_nothing_is_in_the_island_of_its_host),
        cmocka_unit_test(a_moment_joins_the_island_of_its_body_to_that_of_its_host),
        cmocka_unit_test(islands_with_moments_are_not_shared),
        cmocka_unit_test(moments_without_a_host_or_with_wrong_rows_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
