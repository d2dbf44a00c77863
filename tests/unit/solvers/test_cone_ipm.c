/* test_cone_ipm.c - the interior point method: random systems against nsgs and lemke, piles, boxes held four times over, closed
 * forms, bounds. */
#include "unit/problem/small_problem.h"
#include "unit/solvers/convex_system.h"
#include "unit/solvers/packing.h"
#include "unit/solvers/solve_by.h"

/* ---- random systems --------------------------------------------------------------------------- */

static void check_random(unsigned law, double decades, double tol, int count)
{
    ss_context *ctx = test_context();
    ss_solver *solver = create(ctx, "cone_ipm", tol, 0, NULL);
    random_system *y = calloc(1, sizeof *y);
    int most = 0;
    for (int k = 1; k <= count; k++) {
        ss_solver_info info;
        draw(ctx, y, (uint64_t)k, law, decades);
        CHECK_OK(ctx, ss_solver_solve(solver, &y->p, &y->s, &info));
        CHECK(info.outcome == SS_CONVERGED && worst_of(&info.residual) <= tol);
        CHECK(info.factorisations == info.iterations + 1);
        most = info.iterations > most ? info.iterations : most;
    }
    CHECK(most > 0 && most <= 40);
    rs_free(ctx, y);
    free(y);
    ss_solver_destroy(solver);
    ss_context_destroy(ctx);
}

TEST(random_systems_of_every_convex_law_are_certified_in_few_iterations)
{
    int count = systems(200, 3000);
    check_random(SS_LAW_ASSOCIATED, 3, 1e-10, count);
    check_random(SS_LAW_ASSOCIATED_POLYHEDRAL, 3, 1e-10, count);
    check_random(SS_LAW_ASSOCIATED, 6, 1e-10, count);
    check_random(SS_LAW_ASSOCIATED_POLYHEDRAL, 6, 1e-10, count);
    check_random(SS_LAW_ASSOCIATED, 1, 1e-12, count);
}

/* masses over eight decades, friction over six, velocities over four: now and then the stiffest matrix is not positive definite
 * in its last bits, and must be softened */
TEST(a_pivot_lost_to_round_off_is_no_breakdown)
{
    ss_context *ctx = test_context();
    ss_solver *solver = create(ctx, "cone_ipm", 1e-10, 0, NULL);
    random_system *y = calloc(1, sizeof *y);
    int softened = 0, count = systems(300, 3000);
    for (int k = 1; k <= count; k++) {
        ss_solver_info info;
        draw(ctx, y, (uint64_t)k, SS_LAW_ASSOCIATED, 8);
        for (int i = 0; i < y->p.nc; i++) {
            y->mu[i] = y->law[i] == SS_LAW_ASSOCIATED ? pow(10, rs_uniform(y, -3, 3)) : y->mu[i];
        }
        for (int i = 0; i < y->p.nv; i++) {
            y->b[i] *= pow(10, rs_uniform(y, -4, 0));
        }
        CHECK_OK(ctx, ss_solver_solve(solver, &y->p, &y->s, &info));
        CHECK(info.outcome != SS_BREAKDOWN && info.outcome != SS_INFEASIBLE);
        softened += info.factorisations > info.iterations + 1;
    }
    CHECK(softened > 0);
    rs_free(ctx, y);
    free(y);
    ss_solver_destroy(solver);
    ss_context_destroy(ctx);
}

/* largest difference of two velocities, relative to those given */
static double apart(const random_system *y, const double *v, const double *other)
{
    double size = 0, most = 0;
    for (int i = 0; i < y->p.nv; i++) {
        size = fmax(size, fabs(y->v_old[i]));
        most = fmax(most, fabs(v[i] - other[i]));
    }
    return most / size;
}

static bool bounded_impulses(const random_system *y)
{
    for (int i = 0; i < y->p.row[y->p.nc]; i++) {
        if (!(fabs(y->r[i]) < 1e6)) { /* where bodies are wedged Gauss-Seidel's may grow without end */
            return false;
        }
    }
    return true;
}

/* The answer given back costs nothing or next to nothing: redundant impulses may be taken apart differently. Any other impulses
 * are a start as well. */
TEST(a_warm_start_from_the_answer_is_nearly_free_and_from_anything_else_does_no_harm)
{
    ss_context *ctx = test_context();
    ss_solver *solver = create(ctx, "cone_ipm", 1e-10, 0, NULL);
    random_system *y = calloc(1, sizeof *y);
    const double sizes[] = { 0, 1e-6, 1, 1e6 };
    int count = systems(100, 1000), again = 0;
    for (int k = 1; k <= count; k++) {
        ss_solver_info info;
        draw(ctx, y, (uint64_t)k, k % 2 ? SS_LAW_ASSOCIATED : SS_LAW_ASSOCIATED_POLYHEDRAL, 2);
        y->s.warm = false;
        CHECK_OK(ctx, ss_solver_solve(solver, &y->p, &y->s, &info));
        y->s.warm = true;
        CHECK_OK(ctx, ss_solver_solve(solver, &y->p, &y->s, &info));
        CHECK(info.outcome == SS_CONVERGED);
        again += info.iterations;
        for (int i = 0; i < y->p.row[y->p.nc]; i++) {
            y->r[i] = sizes[k % 4] * rs_uniform(y, -1, 1);
        }
        y->r[0] = k % 10 == 0 ? NAN : y->r[0];
        CHECK_OK(ctx, ss_solver_solve(solver, &y->p, &y->s, &info));
        CHECK(info.outcome == SS_CONVERGED && info.iterations <= 40);
    }
    CHECK(again <= count / 2); /* cold: 10 each */
    rs_free(ctx, y);
    free(y);
    ss_solver_destroy(solver);
    ss_context_destroy(ctx);
}

/* the minimum of a strictly convex function: velocities are unique */
static void check_against_nsgs(unsigned law, int count)
{
    ss_context *ctx = test_context();
    ss_solver *ipm = create(ctx, "cone_ipm", 1e-12, 0, NULL), *nsgs = create(ctx, "nsgs", 1e-12, 0, NULL);
    random_system *y = calloc(1, sizeof *y);
    int compared = 0;
    for (int k = 1; k <= count; k++) {
        double v[RS_V];
        ss_solver_info info;
        draw(ctx, y, (uint64_t)k, law, 1);
        CHECK_OK(ctx, ss_solver_solve(nsgs, &y->p, &y->s, &info));
        bool sound = info.outcome == SS_CONVERGED && bounded_impulses(y);
        memcpy(v, y->v, sizeof v);
        CHECK_OK(ctx, ss_solver_solve(ipm, &y->p, &y->s, &info));
        CHECK(info.outcome == SS_CONVERGED);
        CHECK(!sound || apart(y, y->v, v) <= 1e-8);
        compared += sound;
    }
    CHECK(compared >= count - 1 - count / 200);
    rs_free(ctx, y);
    free(y);
    ss_solver_destroy(ipm);
    ss_solver_destroy(nsgs);
    ss_context_destroy(ctx);
}

TEST(velocities_are_those_of_nsgs)
{
    check_against_nsgs(SS_LAW_ASSOCIATED, systems(150, 1000));
    check_against_nsgs(SS_LAW_ASSOCIATED_POLYHEDRAL, systems(150, 1000));
}

/* the dual of a polygonal cone, u_N + mu d_k . u_T >= 0, written as one unilateral contact per direction */
static void unfold(ss_context *ctx, const random_system *y, random_system *flat)
{
    const ss_problem *p = &y->p;
    memcpy(flat->b, y->b, sizeof y->b);
    memcpy(flat->c, y->c, sizeof y->c);
    memcpy(flat->v_old, y->v_old, sizeof y->v_old);
    memset(flat->w, 0, sizeof flat->w);
    memset(flat->basis, 0, sizeof flat->basis);
    ss_csr H = flat->p.H;
    flat->p = *p;
    flat->p.H = H;
    flat->p.nc = 0;
    ss_csr_reset(&flat->p.H, p->nv);
    for (int k = 0; k < p->nc; k++) {
        bool polygon = p->law[k] == SS_LAW_ASSOCIATED_POLYHEDRAL && p->mu[k] > 0;
        for (int i = p->dir[k]; i < (polygon ? p->dir[k + 1] : p->dir[k] + 1); i++) {
            for (int row = p->row[k]; row < (polygon ? p->row[k + 1] : p->row[k] + 1); row++) {
                double factor = row == p->row[k] ? 1 : p->mu[k] * p->direction[2 * i + row - p->row[k] - 1];
                for (int e = p->H.p[row]; e < p->H.p[row + 1]; e++) {
                    CHECK_OK(ctx, ss_csr_push(ctx, &flat->p.H, p->H.i[e], factor * p->H.x[e]));
                }
            }
            CHECK_OK(ctx, ss_csr_end_row(ctx, &flat->p.H));
            flat->law[flat->p.nc] = SS_LAW_UNILATERAL;
            flat->mu[flat->p.nc++] = 0;
            flat->row[flat->p.nc] = flat->p.nc;
        }
    }
    rs_wire(flat);
}

TEST(polygonal_cones_have_the_velocities_that_lemke_finds_for_their_facets)
{
    ss_context *ctx = test_context();
    ss_solver *ipm = create(ctx, "cone_ipm", 1e-12, 0, NULL), *lemke = create(ctx, "lemke", 1e-10, 0, NULL);
    random_system *y = calloc(1, sizeof *y), *flat = calloc(1, sizeof *flat);
    int compared = 0, count = systems(100, 1000);
    for (int k = 1; k <= count; k++) {
        ss_solver_info info, other;
        uint64_t state = (uint64_t)k;
        rs_make(ctx, y, (uint64_t)k * 104729, 1 + (int)(ss_random_u64(&state) % 6), (int)(ss_random_u64(&state) % 4), 1);
        for (int i = 0; i < y->p.nc; i++) {
            y->law[i] = y->law[i] == SS_LAW_POLYHEDRAL ? SS_LAW_ASSOCIATED_POLYHEDRAL : y->law[i];
        }
        unfold(ctx, y, flat);
        CHECK_OK(ctx, ss_solver_solve(ipm, &y->p, &y->s, &info));
        CHECK_OK(ctx, ss_solver_solve(lemke, &flat->p, &flat->s, &other));
        CHECK(info.outcome == SS_CONVERGED);
        if (other.outcome == SS_CONVERGED) {
            compared++;
            CHECK(apart(y, y->v, flat->v) <= 1e-8); /* tol times the condition of the rows that are active */
        }
    }
    CHECK(compared >= count - count / 50);
    ss_csr_free(ctx, &flat->p.H);
    rs_free(ctx, y);
    free(y);
    free(flat);
    ss_solver_destroy(ipm);
    ss_solver_destroy(lemke);
    ss_context_destroy(ctx);
}

/* ---- piles ------------------------------------------------------------------------------------ */

static void eight_directions(packing *k)
{
    k->p.direction = pk_take(16 * (size_t)k->p.nc, sizeof(double));
    for (int i = 0; i < 8 * k->p.nc; i++) {
        double angle = 3.14159265358979323846 / 4 * (i % 4), sign = i % 8 < 4 ? 1 : -1;
        k->p.direction[2 * i] = sign * cos(angle);
        k->p.direction[2 * i + 1] = sign * sin(angle);
    }
    for (int i = 0; i <= k->p.nc; i++) {
        k->p.dir[i] = 8 * i;
    }
}

static void check_pile(unsigned law, int n, int layers, double mu, double tol)
{
    ss_context *ctx = test_context();
    ss_solver *solver = create(ctx, "cone_ipm", tol, 0, NULL);
    ss_solver_info info;
    packing k;
    pk_make(ctx, &k, n, layers, mu, law);
    if (law == SS_LAW_ASSOCIATED_POLYHEDRAL) {
        eight_directions(&k);
    }
    CHECK(3 * k.p.nc > 2 * k.p.nv); /* held many times over */
    CHECK_OK(ctx, ss_solver_solve(solver, &k.p, &k.s, &info));
    CHECK(info.outcome == SS_CONVERGED && worst_of(&info.residual) <= tol);
    CHECK(info.iterations <= 34);
    k.s.warm = true;
    CHECK_OK(ctx, ss_solver_solve(solver, &k.p, &k.s, &info));
    CHECK(info.outcome == SS_CONVERGED && info.iterations <= 5);
    for (int i = 0; i < k.p.nv; i++) {
        CHECK_NEAR(k.s.v[i], 0, 0.04 * 100 * tol); /* against the 0.04 of free fall; a hundred contacts or so add up */
    }
    free(k.p.direction);
    pk_free(ctx, &k);
    ss_solver_destroy(solver);
    ss_context_destroy(ctx);
}

TEST(a_hyperstatic_pile_of_spheres_rests_to_1e_10_and_to_1e_12)
{
    check_pile(SS_LAW_ASSOCIATED, 6, 5, 0.5, 1e-10);
    check_pile(SS_LAW_ASSOCIATED, 6, 5, 0.5, 1e-12);
    check_pile(SS_LAW_ASSOCIATED_POLYHEDRAL, 6, 5, 0.5, 1e-10);
    check_pile(SS_LAW_ASSOCIATED, 6, 5, 0, 1e-10); /* only the walls hold it */
    check_pile(SS_LAW_ASSOCIATED, 6, 5, 1e-6, 1e-10);
    check_pile(SS_LAW_ASSOCIATED, 6, 5, 1e3, 1e-10);
}

TEST(a_pile_with_a_large_matrix_rests_as_well) { check_pile(SS_LAW_ASSOCIATED, 7, 6, 0.5, 1e-10); /* 1530 velocities: MUMPS */ }

/* ---- boxes, four contacts, each of them four times -------------------------------------------- */

/* two boxes of side 2 on top of each other on a floor, pushed sideways; `copies` of each corner contact */
static void stack(ss_context *ctx, random_system *y, int copies)
{
    const double mass = 2, inertia = mass * 8 / 12, n[3] = { 0, 0, 1 }, t1[3] = { 1, 0, 0 }, t2[3] = { 0, 1, 0 };
    const double *frame[3] = { n, t1, t2 };
    ss_csr H = y->p.H;
    y->p = ss_problem_make(3);
    y->p.H = H;
    y->state = 1;
    rs_bodies(y, 2, 0);
    for (int k = 0; k < 72; k++) {
        y->M[k] = k % 36 % 7 != 0 ? 0 : k % 36 < 21 ? mass : inertia;
    }
    y->p.G.n = y->p.nv;
    ss_csr_reset(&y->p.H, y->p.nv);
    y->row[0] = 0;
    for (int k = 0; k < 8 * copies; k++) {
        int body = k / copies / 4, corner = k / copies % 4;
        double x = corner % 2 ? 1 : -1, z = corner / 2 ? 1 : -1, low[3] = { x, z, -1 }, high[3] = { x, z, 1 };
        for (int i = 0; i < 3; i++) {
            rs_push(ctx, y, &y->p.H, body, 1, frame[i], low);
            if (body == 1) {
                rs_push(ctx, y, &y->p.H, 0, -1, frame[i], high);
            }
            CHECK_OK(ctx, ss_csr_end_row(ctx, &y->p.H));
        }
        y->row[k + 1] = 3 * (k + 1);
        y->law[k] = SS_LAW_ASSOCIATED;
        y->mu[k] = 0.4;
    }
    y->p.nc = 8 * copies;
    const double free[12] = { 0.3, 0.1, -0.2, 0.01, 0.02, 0.03, 0.9, -0.2, -0.25, 0.05, -0.04, 0.02 };
    memcpy(y->v_old, free, sizeof free);
    memset(y->w, 0, sizeof y->w);
    ss_blockdiag_times(&y->p.scale, free, y->b);
    rs_wire(y);
}

TEST(duplicated_contacts_do_not_change_the_velocity)
{
    ss_context *ctx = test_context();
    ss_solver *solver = create(ctx, "cone_ipm", 1e-12, 0, NULL);
    random_system *y = calloc(1, sizeof *y);
    double v[RS_V] = { 0 };
    ss_solver_info info;
    for (int copies = 1; copies <= 4; copies *= 2) {
        stack(ctx, y, copies);
        CHECK_OK(ctx, ss_solver_solve(solver, &y->p, &y->s, &info));
        CHECK(info.outcome == SS_CONVERGED);
        for (int i = 0; i < y->p.nv; i++) {
            CHECK(copies == 1 || fabs(y->v[i] - v[i]) <= 1e-10);
        }
        memcpy(v, y->v, sizeof v);
    }
    CHECK(fabs(v[0]) > 0.01); /* it slides: not a trivial answer */
    rs_free(ctx, y);
    free(y);
    ss_solver_destroy(solver);
    ss_context_destroy(ctx);
}

/* ---- closed forms ----------------------------------------------------------------------------- */

/* [Ani06] example: a particle on a floor, v = (-g, v_T). Sliding the associated law lifts it: u_N = mu u_T on the cone's
 * boundary, r = -(u - v)m normal to it */
TEST(a_sliding_particle_is_lifted_as_the_associated_law_says)
{
    ss_context *ctx = test_context();
    ss_solver *solver = create(ctx, "cone_ipm", 1e-13, 0, NULL);
    for (double mu = 0.001; mu < 100; mu *= 7) {
        small_problem y;
        ss_solver_info info;
        const double mass[] = { 3, 3, 3 }, v[] = { -0.1, 40, -30 }, rows[] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };
        sp_open(&y, ctx, 3);
        sp_block(&y, 3, mass, false);
        sp_contact(&y, SS_LAW_ASSOCIATED, mu, 3, rows, 0, NULL);
        sp_motion(&y, v, NULL);
        CHECK_OK(ctx, ss_solver_solve(solver, &y.p, &y.s, &info));
        CHECK(info.outcome == SS_CONVERGED);
        /* the nearest point of u_N = mu |u_T| to (-0.1, 50), or the tip */
        double along = fmax(0, (50 + mu * v[0]) / (1 + mu * mu));
        CHECK_NEAR(y.v[0], mu * along, 1e-10);
        CHECK_NEAR(y.v[1], 0.8 * along, 1e-10);
        CHECK_NEAR(y.v[2], -0.6 * along, 1e-10);
        sp_close(&y);
    }
    ss_solver_destroy(solver);
    ss_context_destroy(ctx);
}

/* A row alone, u = r/m + w, |r| <= f: r = -m w as far as f allows */
TEST(bounded_rows_give_what_their_bound_allows)
{
    ss_context *ctx = test_context();
    ss_solver *solver = create(ctx, "cone_ipm", 1e-12, 0, NULL);
    for (int k = -8; k <= 8; k++) {
        for (double bound = 0; bound < 1e20; bound = bound == 0 ? 1e-4 : 30 * bound) {
            small_problem y;
            ss_solver_info info;
            const double mass[] = { 2 }, row[] = { 1 }, v[] = { 0.1 * k };
            sp_open(&y, ctx, 2);
            sp_block(&y, 1, mass, false);
            sp_contact(&y, SS_LAW_BOUNDED, bound, 1, row, 0, NULL);
            sp_motion(&y, v, NULL);
            CHECK_OK(ctx, ss_solver_solve(solver, &y.p, &y.s, &info));
            CHECK(info.outcome == SS_CONVERGED);
            CHECK_NEAR(y.r[0], fmax(-bound, fmin(bound, -2 * v[0])), 1e-11); /* tol times impulses of 1, with room */
            sp_close(&y);
        }
    }
    ss_solver_destroy(solver);
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_systems_of_every_convex_law_are_certified_in_few_iterations),
        cmocka_unit_test(a_pivot_lost_to_round_off_is_no_breakdown),
        cmocka_unit_test(a_warm_start_from_the_answer_is_nearly_free_and_from_anything_else_does_no_harm),
        cmocka_unit_test(velocities_are_those_of_nsgs),
        cmocka_unit_test(polygonal_cones_have_the_velocities_that_lemke_finds_for_their_facets),
        cmocka_unit_test(a_hyperstatic_pile_of_spheres_rests_to_1e_10_and_to_1e_12),
        cmocka_unit_test(a_pile_with_a_large_matrix_rests_as_well),
        cmocka_unit_test(duplicated_contacts_do_not_change_the_velocity),
        cmocka_unit_test(a_sliding_particle_is_lifted_as_the_associated_law_says),
        cmocka_unit_test(bounded_rows_give_what_their_bound_allows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
