/* test_alm.c - the proximal Newton method: every law on random systems, against lemke, on piles that are held many times
 * over, in local form, warm. Sweeps are switched off where Newton's method itself is meant. */
#include "unit/solvers/local_form.h"
#include "unit/solvers/random_system.h"

#include "problem/kkt.h"
#include "solvers/solver.h"

static ss_solver *make_limited(ss_context *ctx, const char *name, bool sweeps, double tol, int max_iter)
{
    const ss_setting none[] = { { .key = "sweeps" }, { .key = "more_sweeps" }, { .key = NULL } };
    ss_solver_options options = ss_solver_options_default();
    options.share = SS_SHARE_ANY; /* what the solver finds by itself */
    ss_solver *solver;
    options.name = name;
    options.tol = tol;
    options.max_iter = max_iter;
    options.settings = sweeps ? NULL : none;
    CHECK_OK(ctx, ss_solver_create(ctx, &options, &solver));
    return solver;
}

static ss_solver *make(ss_context *ctx, const char *name, bool sweeps, double tol)
{
    return make_limited(ctx, name, sweeps, tol, 0);
}

static double worst_of(const ss_residual *r) { return fmax(r->contact, fmax(r->momentum, r->joint)); }

static int systems(int quick, int full) { return test_repeats(full, quick, quick / 4); }

static void draw(ss_context *ctx, random_system *y, uint64_t seed, unsigned law, double decades)
{
    uint64_t state = seed * 7919;
    int contacts = 1 + (int)(ss_random_u64(&state) % 12), joints = (int)(ss_random_u64(&state) % 7);
    rs_make(ctx, y, state, contacts, joints, decades);
    for (int k = 0; k < y->p.nc; k++) {
        y->law[k] = y->law[k] == SS_LAW_POLYHEDRAL ? law : y->law[k];
    }
}

/* how many of the systems are not certified at 1e-10, by Newton steps alone */
static int failures(unsigned law, bool sweeps, int count)
{
    ss_context *ctx = test_context();
    ss_solver *solver = make(ctx, "alm", sweeps, 1e-10);
    random_system *y = calloc(1, sizeof *y);
    int failed = 0;
    for (int k = 1; k <= count; k++) {
        ss_solver_info info;
        draw(ctx, y, (uint64_t)k, law, 3);
        CHECK_OK(ctx, ss_solver_solve(solver, &y->p, &y->s, &info));
        failed += info.outcome != SS_CONVERGED;
        CHECK(info.outcome == SS_CONVERGED ? worst_of(&info.residual) <= 1e-10 : info.outcome == SS_MAX_ITER);
    }
    rs_free(ctx, y);
    free(y);
    ss_solver_destroy(solver);
    ss_context_destroy(ctx);
    return failed;
}

/* With Coulomb's law no global convergence is proved, and the error of every body is measured beside its own speed: of 3000
 * systems a few are left to whoever is next in the chain. */
TEST(newton_alone_solves_random_systems_of_every_law)
{
    int count = systems(150, 3000), circular = failures(SS_LAW_COULOMB, false, count),
        polyhedral = failures(SS_LAW_POLYHEDRAL, false, count);
    printf("by Newton's method alone %d circular and %d polyhedral systems of %d are not solved\n", circular, polyhedral, count);
    CHECK(circular <= count / 1000 && polyhedral <= count / 1000);
    CHECK(failures(SS_LAW_ASSOCIATED_POLYHEDRAL, false, count) == 0);
    CHECK(failures(SS_LAW_ASSOCIATED, false, count) == 0);
}

TEST(sweeps_before_newton_solve_them_too)
{
    int count = systems(150, 3000), circular = failures(SS_LAW_COULOMB, true, count),
        polyhedral = failures(SS_LAW_POLYHEDRAL, true, count);
    printf("with sweeps first %d circular and %d polyhedral systems of %d are not solved\n", circular, polyhedral, count);
    CHECK(circular <= count / 1000 && polyhedral <= count / 1000);
}

/* without friction the velocities are unique: the minimum of a strictly convex function */
TEST(velocities_without_friction_are_those_of_lemke)
{
    ss_context *ctx = test_context();
    ss_solver *newton = make(ctx, "alm", false, 1e-12), *lemke = make(ctx, "lemke", true, 1e-12);
    random_system *y = calloc(1, sizeof *y);
    for (int k = 1; k <= systems(150, 1000); k++) {
        double v[RS_V], size = 0;
        ss_solver_info info;
        draw(ctx, y, (uint64_t)k, SS_LAW_POLYHEDRAL, 1);
        for (int i = 0; i < y->p.nc; i++) {
            y->mu[i] = 0;
        }
        CHECK_OK(ctx, ss_solver_solve(lemke, &y->p, &y->s, &info));
        CHECK(info.outcome == SS_CONVERGED);
        memcpy(v, y->v, sizeof v);
        CHECK_OK(ctx, ss_solver_solve(newton, &y->p, &y->s, &info));
        CHECK(info.outcome == SS_CONVERGED);
        for (int i = 0; i < y->p.nv; i++) {
            size = fmax(size, fabs(y->v_old[i]));
        }
        for (int i = 0; i < y->p.nv; i++) {
            /* tol times the condition of the rows that are active: mostly some 1e3, 3e4 in one of 1000 */
            CHECK_NEAR(y->v[i], v[i], 1e-7 * size);
        }
    }
    rs_free(ctx, y);
    free(y);
    ss_solver_destroy(newton);
    ss_solver_destroy(lemke);
    ss_context_destroy(ctx);
}

/* upward impulse of floor and walls on the spheres: contacts with one body have 6 entries a row */
static double carried(const packing *k)
{
    const ss_csr *H = &k->p.H;
    double sum = 0;
    for (int row = 0; row < H->m; row++) {
        bool world = H->p[row + 1] - H->p[row] == 6;
        sum += world ? H->x[H->p[row] + 2] * k->s.r[row] : 0;
    }
    return sum;
}

static void check_pile(unsigned law, int n, int layers, bool sweeps)
{
    ss_context *ctx = test_context();
    ss_solver *solver = make(ctx, "alm", sweeps, 1e-10);
    ss_solver_info info;
    packing k;
    pk_make(ctx, &k, n, layers, 0.5, law);
    CHECK(3 * k.p.nc > 2 * k.p.nv); /* held many times over */
    CHECK_OK(ctx, ss_solver_solve(solver, &k.p, &k.s, &info));
    CHECK(info.outcome == SS_CONVERGED && worst_of(&info.residual) <= 1e-10);
    CHECK(sweeps || info.iterations > 0);
    CHECK_NEAR(carried(&k) / k.weight, 1, 1e-8); /* at rest: 1e-10 for each of some hundred contacts */
    for (int i = 0; i < k.p.nv; i++) {
        CHECK_NEAR(k.s.v[i], 0, 1e-8);
    }

    /* the answer given back costs nothing */
    k.s.warm = true;
    CHECK_OK(ctx, ss_solver_solve(solver, &k.p, &k.s, &info));
    CHECK(info.outcome == SS_CONVERGED && info.iterations == 0);
    pk_free(ctx, &k);
    ss_solver_destroy(solver);
    ss_context_destroy(ctx);
}

TEST(a_hyperstatic_pile_of_spheres_rests_to_1e_10)
{
    check_pile(SS_LAW_COULOMB, 4, 4, true);
    check_pile(SS_LAW_COULOMB, 6, 5, false);
    check_pile(SS_LAW_ASSOCIATED, 6, 5, false);
}

TEST(a_pile_with_a_large_matrix_rests_as_well) { check_pile(SS_LAW_ASSOCIATED, 7, 6, false); /* 255 spheres, 1530 velocities */ }

/* A row alone, u = r/m + w, |r| <= f: r = -m w as far as f allows */
TEST(bounded_rows_give_what_their_bound_allows)
{
    ss_context *ctx = test_context();
    ss_solver *solver = make(ctx, "alm", false, 1e-12);
    for (int k = -8; k <= 8; k++) {
        ss_solver_info info;
        packing y;
        pk_make(ctx, &y, 2, 1, 0, SS_LAW_BOUNDED);
        double mass = y.p.scale.x[0], bound = 0.5, w = 0.1 * k; /* row 0 pushes sphere 0 along the normal of a wall */
        ss_csr_reset(&y.p.H, y.p.nv);
        CHECK_OK(ctx, ss_csr_push(ctx, &y.p.H, 0, 1));
        CHECK_OK(ctx, ss_csr_end_row(ctx, &y.p.H));
        y.p.nc = y.p.row[1] = 1;
        y.p.mu[0] = bound;
        y.p.w[0] = w;
        CHECK_OK(ctx, ss_solver_solve(solver, &y.p, &y.s, &info));
        CHECK(info.outcome == SS_CONVERGED);
        CHECK_NEAR(y.s.r[0], fmax(-bound, fmin(bound, -mass * w)), 1e-11); /* tol times impulses below 1, with room */
        pk_free(ctx, &y);
    }
    ss_solver_destroy(solver);
    ss_context_destroy(ctx);
}

/* Two contacts with the same row, u = v + w, their offsets 0 and e = 3e-10: the first carries everything. Started with the
 * impulse on the second, every sweep and every Newton step with a stiffness k moves a part k e of it. */
TEST(an_impulse_drifts_to_the_contact_that_carries_it_in_a_few_steps)
{
    ss_context *ctx = test_context();
    ss_solver *solver = make(ctx, "alm", true, 1e-10);
    ss_solver_info info;
    packing y;
    pk_make(ctx, &y, 2, 1, 0, SS_LAW_UNILATERAL);
    double mass = y.p.scale.x[0];
    ss_csr_reset(&y.p.H, y.p.nv);
    memset(y.p.b, 0, (size_t)y.p.nv * sizeof *y.p.b);
    y.p.b[0] = -mass; /* approaches with the speed 1 */
    y.p.nc = 2;
    for (int k = 0; k < 2; k++) {
        CHECK_OK(ctx, ss_csr_push(ctx, &y.p.H, 0, 1));
        CHECK_OK(ctx, ss_csr_end_row(ctx, &y.p.H));
        y.p.row[k + 1] = k + 1;
        y.p.w[k] = 3e-10 * k;
        y.s.r[k] = mass * k;
    }
    y.s.warm = true;
    CHECK_OK(ctx, ss_solver_solve(solver, &y.p, &y.s, &info));
    CHECK(info.outcome == SS_CONVERGED && info.iterations < 20);
    CHECK_NEAR(y.s.r[0], mass, 1e-9 * mass); /* ten tolerances */
    CHECK_NEAR(y.s.r[1], 0, 1e-9 * mass);
    pk_free(ctx, &y);
    ss_solver_destroy(solver);
    ss_context_destroy(ctx);
}

/* after one solve of a size nothing is taken from the context; what KLU and MUMPS take comes from malloc */
TEST(a_size_seen_before_takes_no_memory)
{
    ss_context *ctx = test_context();
    ss_solver *solver = make_limited(ctx, "alm", false, 1e-10, 5);
    ss_solver_info info;
    packing k;
    pk_make(ctx, &k, 7, 6, 0.5, SS_LAW_COULOMB); /* 255 spheres: large enough for MUMPS */
    for (int i = 0; i < 2; i++) {
        CHECK_OK(ctx, ss_solver_solve(solver, &k.p, &k.s, &info));
    }
    uint64_t before = ss_context_allocations(ctx);
    k.p.w[0] = 1e-3; /* another problem of the same size */
    CHECK_OK(ctx, ss_solver_solve(solver, &k.p, &k.s, &info));
    CHECK(info.iterations > 0);
    CHECK(ss_context_allocations(ctx) == before);
    pk_free(ctx, &k);
    ss_solver_destroy(solver);
    ss_context_destroy(ctx);
}

/* W and q of a system, as a problem of its own: the same velocities of the contacts, up to what friction leaves open */
TEST(local_form_has_the_certificate_and_the_impulses_of_the_global_one)
{
    ss_context *ctx = test_context();
    ss_solver *solver = make(ctx, "alm", false, 1e-10);
    ss_solver_info info;
    packing k;
    pk_make(ctx, &k, 3, 2, 0.5, SS_LAW_COULOMB);
    ss_problem local = pk_local(ctx, &k);
    CHECK_OK(ctx, ss_solver_solve(solver, &local, &k.s, &info));
    CHECK(info.outcome == SS_CONVERGED && info.residual.contact <= 1e-10);
    CHECK_NEAR(carried(&k) / k.weight, 1, 1e-8);
    pk_local_free(ctx, &local);
    pk_free(ctx, &k);
    ss_solver_destroy(solver);
    ss_context_destroy(ctx);
}

/* Many rounds of 10 sweeps cost less than five Newton steps of this pile: they spare Newton's method. */
TEST(a_guess_is_swept_as_long_as_that_is_cheap)
{
    ss_context *ctx = test_context();
    const ss_setting few[] = { { .key = "more_sweeps", .number = 10 }, { .key = NULL } };
    ss_solver_options options = ss_solver_options_default();
    ss_solver *solver;
    ss_solver_info info;
    packing k;
    options.name = "alm";
    options.tol = 1e-5;
    options.settings = few;
    CHECK_OK(ctx, ss_solver_create(ctx, &options, &solver));
    pk_make(ctx, &k, 7, 6, 0.5, SS_LAW_COULOMB);
    k.s.warm = true;
    CHECK_OK(ctx, ss_solver_solve(solver, &k.p, &k.s, &info));
    CHECK(info.outcome == SS_CONVERGED && info.iterations == 0);
    pk_free(ctx, &k);
    ss_solver_destroy(solver);
    ss_context_destroy(ctx);
}

/* Redundant contacts contradict each other by velocities of 1e-9: impulses drift, and where one contact has opened another one
 * drifts. The stiffness has to go on from where the last drift ended. */
TEST(one_drift_after_the_other_ends)
{
    ss_context *ctx = test_context();
    ss_solver *solver = make(ctx, "alm", false, 1e-10);
    random_system *y = calloc(1, sizeof *y);
    uint64_t state = 4;
    int failed = 0, count = systems(150, 1000);
    for (int k = 1; k <= count; k++) {
        ss_solver_info info;
        draw(ctx, y, (uint64_t)k, SS_LAW_COULOMB, 3);
        for (int i = 0; i < y->p.nc; i++) {
            y->p.w[y->p.row[i]] += 1e-9 * ss_random_uniform(&state);
        }
        CHECK_OK(ctx, ss_solver_solve(solver, &y->p, &y->s, &info));
        failed += info.outcome != SS_CONVERGED;
    }
    printf("%d of %d systems with contacts that contradict each other are not solved\n", failed, count);
    CHECK(failed <= count / 75);
    rs_free(ctx, y);
    free(y);
    ss_solver_destroy(solver);
    ss_context_destroy(ctx);
}

static void check_bits(int n, int layers)
{
    ss_context *ctx = test_context();
    packing k;
    pk_make(ctx, &k, n, layers, 0.5, SS_LAW_COULOMB);
    size_t bytes = 3 * (size_t)k.p.nc * sizeof(double);
    double *r = pk_take(3 * (size_t)k.p.nc, sizeof *r);
    for (int threads = 1; threads <= 2; threads++) {
        ss_solver *solver = make_limited(ctx, "alm", false, 1e-10, 5);
        ss_solver_info info;
        ss_context_set_threads(ctx, threads);
        for (int again = 0; again < 2; again++) {
            memset(k.s.r, 0, bytes);
            CHECK_OK(ctx, ss_solver_solve(solver, &k.p, &k.s, &info));
            if (threads == 1 && again == 0) {
                memcpy(r, k.s.r, bytes);
            }
            CHECK(memcmp(r, k.s.r, bytes) == 0);
        }
        ss_solver_destroy(solver);
    }
    free(r);
    pk_free(ctx, &k);
    ss_context_destroy(ctx);
}

TEST(the_same_problem_gives_the_same_bits_for_any_number_of_threads)
{
    check_bits(4, 3);
    check_bits(7, 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(newton_alone_solves_random_systems_of_every_law),
        cmocka_unit_test(sweeps_before_newton_solve_them_too),
        cmocka_unit_test(velocities_without_friction_are_those_of_lemke),
        cmocka_unit_test(a_hyperstatic_pile_of_spheres_rests_to_1e_10),
        cmocka_unit_test(a_pile_with_a_large_matrix_rests_as_well),
        cmocka_unit_test(an_impulse_drifts_to_the_contact_that_carries_it_in_a_few_steps),
        cmocka_unit_test(a_guess_is_swept_as_long_as_that_is_cheap),
        cmocka_unit_test(one_drift_after_the_other_ends),
        cmocka_unit_test(bounded_rows_give_what_their_bound_allows),
        cmocka_unit_test(a_size_seen_before_takes_no_memory),
        cmocka_unit_test(local_form_has_the_certificate_and_the_impulses_of_the_global_one),
        cmocka_unit_test(the_same_problem_gives_the_same_bits_for_any_number_of_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
