/* test_nsgs.c - Gauss-Seidel beside Lemke's method, closed forms, all laws and forms, joints.
 *
 * Problems are random systems (random_system.h), and a ball and a block by hand (small_problem.h). */
#include "problem/delassus.h"
#include "unit/problem/small_problem.h"
#include "unit/solvers/pile.h"
#include "unit/solvers/solve_by.h"

/* ---- one visit -------------------------------------------------------------------------------- */

/* a rigid body that slides on the floor: `rows` x `size`, the normal row first */
static void check_one_visit(int rows, int size, const double *x)
{
    ss_context *ctx = test_context();
    ss_solver *solver = create(ctx, "nsgs", 1e-12, 1, NULL);
    small_problem y;
    sp_open(&y, ctx, rows);
    sp_block(&y, size, (double[]){ 2, 2, 3, 0.4, 0.5, 0.6 }, false);
    sp_contact(&y, SS_LAW_COULOMB, 0.3, rows, x, 0, NULL);
    sp_motion(&y, (double[]){ 1, -1, -0.2, 0.3, -0.4, 0.5 }, NULL);
    const ss_solver_info info = solve(ctx, solver, &y.p, &y.s);
    CHECK(info.outcome == SS_CONVERGED && info.iterations <= 1 && y.r[0] > 0);
    sp_close(&y);
    ss_solver_destroy(solver);
    ss_context_destroy(ctx);
}

TEST(a_single_contact_is_solved_by_one_visit)
{
    check_one_visit(2, 3, (double[]){ 0, 1, 0.2, 1, 0, -0.3 });
    check_one_visit(3, 6, (double[]){ 0, 1, 0, 0.1, 0, 0.2, 1, 0, 0, 0, 0.3, -0.1, 0, 0, 1, 0.2, -0.4, 0 });
}

/* ---- beside Lemke's method -------------------------------------------------------------------- */

/* largest difference of velocities, relative to the free ones; NAN if the sweeps do not get there */
static double compare_with_lemke(ss_context *ctx, random_system *y)
{
    double v[RS_V], size = 0, off = 0;
    ss_solver_info info = solve_by(ctx, "lemke", 1e-10, &y->p, &y->s);
    CHECK(info.outcome == SS_CONVERGED);
    memcpy(v, y->v, sizeof v);
    y->s.warm = false;
    info = solve_by(ctx, "nsgs", 1e-11, &y->p, &y->s);
    for (int i = 0; i < y->p.nv; i++) {
        size = fmax(size, fabs(y->v_old[i]));
        off = fmax(off, fabs(y->v[i] - v[i]));
    }
    return info.outcome == SS_CONVERGED ? off / size : NAN;
}

/* contacts with the same or the opposite normal: how they share the load is open, and with it the friction */
static bool has_twins(const random_system *y)
{
    const ss_csr *H = &y->p.H;
    for (int k = 0; k < y->p.nc; k++) {
        for (int l = 0; l < k; l++) {
            int a = H->p[y->row[k]], b = H->p[y->row[l]];
            if (H->i[a] == H->i[b] && fabs(H->x[a]) == fabs(H->x[b])) {
                return true;
            }
        }
    }
    return false;
}

/* friction small enough for one solution only, bounded rows among the contacts */
static void tame(random_system *y, bool bounded)
{
    for (int k = 0; k < y->p.nc; k++) {
        y->mu[k] *= 0.15;
        if (bounded && y->law[k] == SS_LAW_UNILATERAL) {
            y->law[k] = SS_LAW_BOUNDED;
            y->mu[k] = 0.1 + y->mu[k];
        }
    }
}

TEST(velocities_are_those_of_lemke)
{
    ss_context *ctx = test_context();
    random_system *y = calloc(1, sizeof *y);
    double worst = 0;
    int compared = 0, slow = 0;
    for (uint64_t seed = 1; seed <= 1000; seed++) {
        rs_make(ctx, y, seed * 7919, 1 + (int)(seed % 12), (int)(seed % 4), 1);
        if (has_twins(y)) {
            continue;
        }
        tame(y, seed % 2);
        double off = compare_with_lemke(ctx, y);
        slow += isnan(off);
        worst = fmax(worst, off);
        CHECK(worst < 1e-8); /* tol 1e-11 times the stretch between impulses and velocities in nearly dependent contacts */
        compared++;
    }
    print_message("velocities of %d systems differ by at most %.1e\n", compared, worst);
    CHECK(compared > 200 && slow <= 2); /* a body jammed between seven contacts may creep to 1e-11 */
    rs_free(ctx, y);
    free(y);
    ss_context_destroy(ctx);
}

TEST(in_the_plane_circles_and_polygons_are_the_same)
{
    ss_context *ctx = test_context();
    random_system *y = calloc(1, sizeof *y);
    int compared = 0;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        rs_make(ctx, y, seed * 104729, 1 + (int)(seed % 9), 0, 1);
        if (y->p.dimension == 3 || has_twins(y)) {
            continue;
        }
        double v[RS_V];
        tame(y, false);
        CHECK(solve_by(ctx, "lemke", 1e-10, &y->p, &y->s).outcome == SS_CONVERGED);
        memcpy(v, y->v, sizeof v);
        for (int k = 0; k < y->p.nc; k++) {
            y->law[k] = y->law[k] == SS_LAW_POLYHEDRAL ? SS_LAW_COULOMB : y->law[k];
        }
        CHECK(solve_by(ctx, "nsgs", 1e-11, &y->p, &y->s).outcome == SS_CONVERGED);
        for (int i = 0; i < y->p.nv; i++) {
            CHECK_NEAR(y->v[i], v[i], 1e-8); /* as above; velocities are of order one */
        }
        compared++;
    }
    CHECK(compared > 50);
    rs_free(ctx, y);
    free(y);
    ss_context_destroy(ctx);
}

TEST(frozen_slip_leads_to_the_same_velocities)
{
    const ss_setting at_once[] = { { .key = "patience", .number = 1 }, { .key = NULL } };
    ss_context *ctx = test_context();
    ss_solver *solver = create(ctx, "nsgs", 1e-11, 0, at_once);
    random_system *y = calloc(1, sizeof *y);
    int compared = 0, slow = 0;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        rs_make(ctx, y, seed * 15485863, 1 + (int)(seed % 6), 0, 1);
        if (has_twins(y)) {
            continue;
        }
        double v[RS_V];
        tame(y, false);
        CHECK(solve_by(ctx, "lemke", 1e-10, &y->p, &y->s).outcome == SS_CONVERGED);
        memcpy(v, y->v, sizeof v);
        ss_solver_info info = solve(ctx, solver, &y->p, &y->s);
        slow += info.outcome != SS_CONVERGED;
        for (int i = 0; i < y->p.nv && info.outcome == SS_CONVERGED; i++) {
            CHECK_NEAR(y->v[i], v[i], 1e-6); /* s stretches the error once more; a wrong law is off by 1e-2 */
        }
        compared++;
    }
    CHECK(compared > 100 && slow <= 2);
    ss_solver_destroy(solver);
    rs_free(ctx, y);
    free(y);
    ss_context_destroy(ctx);
}

/* ---- laws and forms --------------------------------------------------------------------------- */

static const unsigned friction_laws[] = { SS_LAW_COULOMB, SS_LAW_POLYHEDRAL, SS_LAW_ASSOCIATED, SS_LAW_ASSOCIATED_POLYHEDRAL };

/* every frictional contact another law */
static void mix_laws(random_system *y, uint64_t seed)
{
    for (int k = 0; k < y->p.nc; k++) {
        y->law[k] = y->law[k] == SS_LAW_POLYHEDRAL ? friction_laws[(seed + (uint64_t)k) % 4] : y->law[k];
    }
}

TEST(all_laws_mixed_are_certified_with_joints_and_redundant_contacts)
{
    ss_context *ctx = test_context();
    random_system *y = calloc(1, sizeof *y);
    int most = 0;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        rs_make(ctx, y, seed * 31337, 1 + (int)(seed % 12), (int)(seed % 5), 2);
        tame(y, seed % 2);
        mix_laws(y, seed);
        ss_solver_info info = solve_by(ctx, "nsgs", 1e-10, &y->p, &y->s);
        CHECK(info.outcome == SS_CONVERGED && worst_of(&info.residual) <= 1e-10);
        most = info.iterations > most ? info.iterations : most;
    }
    print_message("at most %d sweeps\n", most);
    rs_free(ctx, y);
    free(y);
    ss_context_destroy(ctx);
}

/* W and q of the whole problem as a local one */
static void make_local(ss_context *ctx, const random_system *from, random_system *to)
{
    int nr = from->row[from->p.nc], all[RS_ROWS];
    double *W = calloc((size_t)(nr * nr), sizeof *W);
    ss_arena *arena;
    ss_kkt *kkt;
    ss_delassus *delassus;
    for (int i = 0; i < nr; i++) {
        all[i] = i;
    }
    CHECK_OK(ctx, ss_arena_create(ctx, 4096, &arena));
    CHECK_OK(ctx, ss_kkt_create(ctx, &kkt));
    CHECK_OK(ctx, ss_delassus_create(ctx, &delassus));
    CHECK_OK(ctx, ss_kkt_factor(kkt, &from->p));
    CHECK_OK(ctx, ss_delassus_prepare(delassus, &from->p, kkt));
    CHECK_OK(ctx, ss_delassus_submatrix(delassus, arena, nr, all, W, to->w));
    to->p = ss_problem_make(from->p.dimension);
    to->p.nc = from->p.nc;
    to->p.local = true;
    memcpy(to->row, from->row, sizeof to->row);
    memcpy(to->law, from->law, sizeof to->law);
    memcpy(to->mu, from->mu, sizeof to->mu);
    memcpy(to->dir, from->dir, sizeof to->dir);
    memcpy(to->direction, from->direction, sizeof to->direction);
    rs_wire(to);
    ss_csr_reset(&to->p.W, nr);
    for (int i = 0; i < nr; i++) {
        for (int j = 0; j < nr; j++) {
            CHECK_OK(ctx, ss_csr_push(ctx, &to->p.W, j, W[i + nr * j]));
        }
        CHECK_OK(ctx, ss_csr_end_row(ctx, &to->p.W));
    }
    ss_delassus_destroy(delassus);
    ss_kkt_destroy(kkt);
    ss_arena_destroy(arena);
    free(W);
}

TEST(the_local_form_gives_the_same_contact_velocities)
{
    ss_context *ctx = test_context();
    random_system *y = calloc(1, sizeof *y), *local = calloc(1, sizeof *local);
    for (uint64_t seed = 1; seed <= 60; seed++) {
        rs_make(ctx, y, seed * 611953, 1 + (int)(seed % 8), (int)(seed % 3), 1);
        tame(y, false);
        mix_laws(y, seed);
        make_local(ctx, y, local);
        CHECK(solve_by(ctx, "nsgs", 1e-11, &y->p, &y->s).outcome == SS_CONVERGED);
        CHECK(solve_by(ctx, "nsgs", 1e-11, &local->p, &local->s).outcome == SS_CONVERGED);
        for (int i = 0; i < y->row[y->p.nc]; i++) {
            CHECK_NEAR(local->u[i], y->u[i], 1e-8); /* as above */
        }
        ss_csr_free(ctx, &local->p.W);
    }
    rs_free(ctx, y);
    free(y);
    free(local);
    ss_context_destroy(ctx);
}

/* a block of 2 kg on a ramp of 30 degrees that had no speed, h = 0.1: normal impulse m g h cos, friction up to mu times that */
static void block_on_ramp(small_problem *y, ss_context *ctx, double mu)
{
    const double angle = 0.5235987755982988, s = sin(angle), c = cos(angle), mass[] = { 2, 2, 2 };
    const double rows[] = { s, 0, c, c, 0, -s, 0, 1, 0 }, v[] = { 0, 0, 0 }, kick[] = { 0, 0, -0.981 };
    sp_open(y, ctx, 3);
    sp_block(y, 3, mass, false);
    sp_contact(y, SS_LAW_COULOMB, mu, 3, rows, 0, NULL);
    sp_motion(y, v, kick);
}

TEST(a_block_on_a_ramp_sticks_above_the_critical_friction_and_slides_below_in_every_form)
{
    const double angle = 0.5235987755982988, fall = 0.981;
    ss_context *ctx = test_context();
    for (int form = 0; form < 6; form++) {
        small_problem y;
        double mu = form % 2 ? 0.7 : 0.3; /* tan 30 degrees is 0.577 */
        block_on_ramp(&y, ctx, mu);
        if (form >= 2) {
            sp_make_sparse(&y, form < 4, -1, 0, 0);
        }
        ss_solver_info info = solve_by(ctx, "nsgs", 1e-10, &y.p, &y.s);
        double slide = mu > 0.5 ? 0 : fall * (sin(angle) - mu * cos(angle));
        CHECK(info.outcome == SS_CONVERGED);
        CHECK_NEAR(y.r[0], 2 * fall * cos(angle), 1e-12);
        CHECK_NEAR(y.u[1], slide, 1e-12);
        CHECK_NEAR(y.u[2], 0, 1e-12);
        CHECK_NEAR(hypot(y.r[1], y.r[2]), fmin(mu * 2 * fall * cos(angle), 2 * fall * sin(angle)), 1e-12);
        sp_close(&y);
    }
    ss_context_destroy(ctx);
}

TEST(a_sliding_ball_loses_two_sevenths_of_its_speed_when_it_begins_to_roll)
{
    /* m = 1, radius 1, inertia 2/5, v = 1, enough friction to roll at once: v = 5/7, spin 5/7 */
    ss_context *ctx = test_context();
    small_problem y;
    const double inertia[] = { 1, 1, 1, 0.4, 0.4, 0.4 }, v[] = { 1, 0, 0, 0, 0, 0 }, kick[] = { 0, 0, -10, 0, 0, 0 };
    const double rows[] = { 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, -1, 0, 0, 1, 0, 1, 0, 0 };
    sp_open(&y, ctx, 3);
    sp_block(&y, 6, inertia, false);
    sp_contact(&y, SS_LAW_COULOMB, 0.5, 3, rows, 0, NULL);
    sp_motion(&y, v, kick);
    CHECK(solve_by(ctx, "nsgs", 1e-10, &y.p, &y.s).outcome == SS_CONVERGED);
    CHECK_NEAR(y.v[0], 5.0 / 7, 1e-14);
    CHECK_NEAR(y.v[4], 5.0 / 7, 1e-14);
    CHECK_NEAR(y.r[1], -2.0 / 7, 1e-14);
    sp_close(&y);
    ss_context_destroy(ctx);
}

/* ---- joints ----------------------------------------------------------------------------------- */

TEST(a_chain_that_rests_on_the_floor_is_certified_to_the_default_tolerance)
{
    /* points of a chain of 200 links in the plane: horizontal distances held by joints, every point on the floor */
    enum { LINKS = 200 };
    ss_context *ctx = test_context();
    pile y;
    pile_make(ctx, &y, 1, LINKS, SS_LAW_COULOMB, 0.3); /* memory and bodies; the contacts are made anew */
    ss_csr_reset(&y.p.H, y.p.nv);
    y.p.nc = 0;
    double *c = calloc(3 * LINKS, sizeof *c), *lam = calloc(3 * LINKS, sizeof *lam);
    for (int k = 0; k < LINKS; k++) {
        pile_contact(ctx, &y, k, -1, 2);
    }
    ss_csr_reset(&y.p.G, y.p.nv);
    for (int k = 1; k < LINKS; k++) {
        for (int i = 0; i < 3; i++) { /* the end of one link is the beginning of the next: lever arms of 1/2 along x */
            double arm = i == 0 ? 0 : i == 1 ? 0.5 : -0.5;
            for (int side = 0; side < 2; side++) {
                CHECK_OK(ctx, ss_csr_push(ctx, &y.p.G, 6 * (k - side) + i, side ? -1 : 1));
                CHECK_OK(ctx, ss_csr_push(ctx, &y.p.G, 6 * (k - side) + 3 + (i == 1 ? 2 : 1), i == 0 ? 0 : -arm));
            }
            CHECK_OK(ctx, ss_csr_end_row(ctx, &y.p.G));
            y.p.nj++;
        }
    }
    y.p.c = c;
    free(y.s.lam);
    y.s.lam = lam;
    ss_solver_info info = solve_by(ctx, "nsgs", 1e-10, &y.p, &y.s);
    print_message("chain of %d links: %d sweeps, residual %.1e, joints %.1e\n", LINKS, info.iterations, info.residual.contact,
                  info.residual.joint);
    CHECK(info.outcome == SS_CONVERGED);
    double weight = 0, carried = 0;
    for (int k = 0; k < LINKS; k++) {
        weight += y.M[36 * k] * y.s.v[6 * k + 2] - y.b[6 * k + 2];
        carried += y.s.r[3 * k];
    }
    CHECK_NEAR(carried / weight, 1, 1e-9); /* momentum of the whole chain: joints cancel */
    ss_csr_free(ctx, &y.p.G);
    free(c);
    pile_free(ctx, &y);
    ss_context_destroy(ctx);
}

/* ---- piles: momentum, threads, warm starts ---------------------------------------------------- */

TEST(numbers_that_overflow_end_in_an_outcome)
{
    ss_context *ctx = test_context();
    small_problem y;
    block_on_ramp(&y, ctx, 0.5);
    for (int i = 0; i < 3; i++) {
        y.b[i] = -1e308;
    }
    ss_solver_info info = solve_by(ctx, "nsgs", 1e-10, &y.p, &y.s);
    CHECK(info.outcome != SS_CONVERGED || info.residual.contact <= 1e-10);
    CHECK(isfinite(y.r[0] + y.r[1] + y.r[2]));
    sp_close(&y);
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_single_contact_is_solved_by_one_visit),
        cmocka_unit_test(velocities_are_those_of_lemke),
        cmocka_unit_test(frozen_slip_leads_to_the_same_velocities),
        cmocka_unit_test(in_the_plane_circles_and_polygons_are_the_same),
        cmocka_unit_test(all_laws_mixed_are_certified_with_joints_and_redundant_contacts),
        cmocka_unit_test(the_local_form_gives_the_same_contact_velocities),
        cmocka_unit_test(a_block_on_a_ramp_sticks_above_the_critical_friction_and_slides_below_in_every_form),
        cmocka_unit_test(a_sliding_ball_loses_two_sevenths_of_its_speed_when_it_begins_to_roll),
        cmocka_unit_test(a_chain_that_rests_on_the_floor_is_certified_to_the_default_tolerance),
        cmocka_unit_test(numbers_that_overflow_end_in_an_outcome),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
