/* What the call of a solver does where contacts can share a load in many ways. */
#include "problem/sharing.h"
#include "unit/problem/small_problem.h"

/* a mass on two equal contacts, pressed with a unit of momentum */
typedef struct mass {
    ss_problem p;
    ss_solution s;
    int one, offset, size, start, column[2], first[3], row[3], dir[3];
    double block, b, w[2], mu[2], H[2], v, r[2], u[2], compliance[2];
    unsigned law[2];
    uint64_t basis[2];
} mass;

static void make(mass *x, double apart)
{
    *x = (mass){ .one = 1,
                 .size = 1,
                 .first = { 0, 1, 2 },
                 .row = { 0, 1, 2 },
                 .block = 1,
                 .b = -1,
                 .w = { 0, apart },
                 .H = { 1, 1 },
                 .compliance = { 1, 1 },
                 .law = { SS_LAW_UNILATERAL, SS_LAW_UNILATERAL } };
    ss_blockdiag M = { .blocks = 1, .n = 1, .offset = &x->offset, .size = &x->size, .start = &x->start, .x = &x->block };
    x->p = ss_problem_make(3);
    ss_problem_set_blocks(&x->p, &M);
    x->p.nc = 2;
    x->p.H = (ss_csr){ .m = 2, .n = 1, .p = x->first, .i = x->column, .x = x->H };
    x->p.b = &x->b;
    x->p.w = x->w;
    x->p.row = x->row;
    x->p.dir = x->dir;
    x->p.law = x->law;
    x->p.mu = x->mu;
    x->p.compliance = x->compliance;
    x->s = (ss_solution){ .v = &x->v, .r = x->r, .u = x->u, .basis = x->basis };
}

static ss_solver_info solve(mass *x, ss_share share)
{
    ss_context *ctx = test_context();
    ss_solver_options options = ss_solver_options_default();
    ss_solver *solver;
    ss_solver_info info;
    CHECK(options.share == SS_SHARE_LIMIT);
    options.share = share;
    CHECK_OK(ctx, ss_solver_create(ctx, &options, &solver));
    CHECK_OK(ctx, ss_solver_solve(solver, &x->p, &x->s, &info));
    ss_solver_destroy(solver);
    ss_context_destroy(ctx);
    return info;
}

TEST(two_equal_contacts_bear_half_each_and_offsets_that_differ_by_noise_are_made_equal)
{
    mass x;
    make(&x, 3e-8);
    ss_solver_info info = solve(&x, SS_SHARE_LIMIT);
    CHECK(info.outcome == SS_CONVERGED && info.shared == 1 && info.residual.contact <= 1e-14);
    CHECK_NEAR(x.r[0], 0.5, 1e-7);
    CHECK_NEAR(x.r[1], 0.5, 1e-7);
    CHECK_NEAR(x.w[0], 1.5e-8, 1e-15);
    CHECK_NEAR(x.w[1], 1.5e-8, 1e-15);
    CHECK(info.chosen <= 1e-7);
}

TEST(offsets_that_differ_by_more_decide_which_contact_bears)
{
    mass x;
    make(&x, 1e-3);
    ss_solver_info info = solve(&x, SS_SHARE_LIMIT);
    CHECK(info.outcome == SS_CONVERGED && info.shared == 0);
    CHECK_NEAR(x.r[0], 1, 1e-15);
    CHECK_NEAR(x.r[1], 0, 1e-15);
    CHECK(x.w[1] == 1e-3);
}

TEST(a_contact_without_compliance_bears_all)
{
    mass x;
    make(&x, 0);
    x.compliance[1] = 0;
    solve(&x, SS_SHARE_LIMIT);
    CHECK_NEAR(x.r[0], 0, 1e-8);
    CHECK_NEAR(x.r[1], 1, 1e-8);
}

TEST(what_the_solver_finds_is_left_alone_if_that_is_asked_for)
{
    mass x;
    make(&x, 3e-8);
    ss_solver_info info = solve(&x, SS_SHARE_ANY);
    CHECK(info.shared == 0 && x.w[1] == 3e-8);
    CHECK_NEAR(x.r[0], 1, 1e-7);
}

/* ---- one contact ---------------------------------------------------------------------------------- */

static const double MOMENT = 2, ARM[2] = { 1.7, 0.3 };

static const unsigned laws[] = { SS_LAW_COULOMB, SS_LAW_POLYHEDRAL, SS_LAW_ASSOCIATED, SS_LAW_ASSOCIATED_POLYHEDRAL };

static const double both_ways[] = { 1, 0, -1, 0 };

static ss_solver_info solve_small(small_problem *y)
{
    ss_solver_options options = ss_solver_options_default();
    ss_solver *solver;
    ss_solver_info info;
    CHECK_OK(y->ctx, ss_solver_create(y->ctx, &options, &solver));
    CHECK_OK(y->ctx, ss_solver_solve(solver, &y->p, &y->s, &info));
    ss_solver_destroy(solver);
    return info;
}

/* r is the smallest impulse with 1.7 r_N + 0.3 r_T = MOMENT */
static void check_least(const small_problem *y, const ss_solver_info *info)
{
    const double square = ARM[0] * ARM[0] + ARM[1] * ARM[1];
    CHECK(info->outcome == SS_CONVERGED && info->shared == 1);
    CHECK_NEAR(y->r[0], MOMENT * ARM[0] / square, 1e-12);
    CHECK_NEAR(y->r[1], MOMENT * ARM[1] / square, 1e-12);
}

/* A body (x, y, angle) turns about the origin, its centre at x = 0.5. A contact at (1.7, 0.3), normal -y and tangent -x, stops
 * the moment: both rows turn the body, and nothing else. */
TEST(one_contact_on_a_hinged_body_has_the_least_impulse)
{
    ss_context *ctx = test_context();
    const double inertia[] = { 1, 1, 0.1 }, G[2][3] = { { 1, 0, 0 }, { 0, 1, -0.5 } };
    const double rows[] = { 0, -1, 0.5 - ARM[0], 1, 0, -ARM[1] }, still[] = { 0, 0, 0 }, kick[] = { 0, 0, MOMENT / 0.1 };
    for (int k = 0; k < 4; k++) {
        small_problem y;
        sp_open(&y, ctx, 2);
        sp_block(&y, 3, inertia, false);
        sp_joint(&y, G[0], 0);
        sp_joint(&y, G[1], 0);
        sp_contact(&y, laws[k], 0.7, 2, rows, k % 2 ? 2 : 0, both_ways);
        sp_motion(&y, still, kick);
        const ss_solver_info info = solve_small(&y);
        check_least(&y, &info);
        sp_close(&y);
    }
    ss_context_destroy(ctx);
}

TEST(one_contact_on_a_block_with_one_velocity_has_the_least_impulse)
{
    ss_context *ctx = test_context();
    const double inertia[] = { 0.1 }, rows[] = { -ARM[0], -ARM[1] }, still[] = { 0 }, kick[] = { MOMENT / 0.1 };
    for (int k = 0; k < 4; k++) {
        small_problem y;
        sp_open(&y, ctx, 2);
        sp_block(&y, 1, inertia, false);
        sp_contact(&y, laws[k], 0.7, 2, rows, k % 2 ? 2 : 0, both_ways);
        sp_motion(&y, still, kick);
        const ss_solver_info info = solve_small(&y);
        check_least(&y, &info);
        sp_close(&y);
    }
    ss_context_destroy(ctx);
}

/* two velocities, but both rows along the same motion: the number of velocities says nothing */
TEST(dependent_rows_are_seen_on_a_block_with_as_many_velocities)
{
    ss_context *ctx = test_context();
    const double inertia[] = { 0.1, 3 }, rows[] = { -ARM[0], 0, -ARM[1], 0 }, still[] = { 0, 0 }, kick[] = { MOMENT / 0.1, 0 };
    small_problem y;
    sp_open(&y, ctx, 2);
    sp_block(&y, 2, inertia, false);
    sp_contact(&y, SS_LAW_COULOMB, 0.7, 2, rows, 0, NULL);
    sp_motion(&y, still, kick);
    const ss_solver_info info = solve_small(&y);
    check_least(&y, &info);
    sp_close(&y);
    ss_context_destroy(ctx);
}

TEST(one_contact_on_a_free_body_is_determined)
{
    ss_context *ctx = test_context();
    const double inertia[] = { 2, 2, 0.1 }, rows[] = { 0, 1, 0.2, 1, 0, 0.3 }, still[] = { 0, 0, 0 }, fall[] = { 0.01, -0.1, 0 };
    small_problem y;
    sp_open(&y, ctx, 2);
    sp_block(&y, 3, inertia, false);
    sp_contact(&y, SS_LAW_COULOMB, 0.7, 2, rows, 0, NULL);
    sp_motion(&y, still, fall);
    const ss_solver_info info = solve_small(&y);
    CHECK(info.outcome == SS_CONVERGED && info.shared == 0);
    sp_close(&y);
    ss_context_destroy(ctx);
}

/* ---- rows that are independent --------------------------------------------------------------------- */

/* what is done about the solution at hand, whatever it is off by */
static ss_sharing_info share(small_problem *y, double tol)
{
    ss_residual_work *residual;
    ss_sharing *sharing;
    ss_sharing_info info;
    ss_residual of;
    ss_kkt *kkt;
    CHECK_OK(y->ctx, ss_kkt_create(y->ctx, &kkt));
    CHECK_OK(y->ctx, ss_residual_create(y->ctx, &residual));
    CHECK_OK(y->ctx, ss_sharing_create(y->ctx, kkt, residual, &sharing));
    CHECK_OK(y->ctx, ss_kkt_factor(kkt, &y->p));
    CHECK_OK(y->ctx, ss_kkt_recover(kkt, &y->p, &y->s));
    CHECK_OK(y->ctx, ss_residual_compute(residual, &y->p, &y->s, &of));
    CHECK(ss_residual_worst(&of) > 1e-8 && ss_residual_worst(&of) <= 1e-5);
    CHECK_OK(y->ctx, ss_sharing_note(sharing, &y->p, &y->s));
    CHECK_OK(y->ctx, ss_sharing_apply(sharing, &y->p, tol, &y->s, &of, &info));
    ss_sharing_destroy(sharing);
    ss_residual_destroy(residual);
    ss_kkt_destroy(kkt);
    return info;
}

/* a body of the plane that falls flat on `legs` legs; impulses are off by a millionth */
static void land(small_problem *y, ss_context *ctx, int legs)
{
    const double inertia[] = { 1, 1, 1 }, still[] = { 0, 0, 0 }, fall[] = { 0, -1, 0 };
    sp_open(y, ctx, 2);
    sp_block(y, 3, inertia, false);
    for (int k = 0; k < legs; k++) {
        sp_contact(y, SS_LAW_UNILATERAL, 0, 1, (const double[]){ 0, 1, k - 0.5 * (legs - 1) }, 0, NULL);
        y->r[k] = (1 + 1e-6) / legs;
    }
    sp_motion(y, still, fall);
}

TEST(two_legs_of_a_body_are_left_to_the_solver_with_a_loose_tolerance_alone)
{
    ss_context *ctx = test_context();
    small_problem y;
    land(&y, ctx, 2);
    CHECK(share(&y, 1e-3).islands == 0 && y.r[0] == (1 + 1e-6) / 2); /* as it was given */
    sp_close(&y);
    land(&y, ctx, 2);
    CHECK(share(&y, 1e-5).islands == 1);
    CHECK_NEAR(y.r[0], 0.5, 1e-14); /* round-off */
    sp_close(&y);
    ss_context_destroy(ctx);
}

TEST(three_legs_of_a_body_share_its_weight_with_a_loose_tolerance_too)
{
    ss_context *ctx = test_context();
    small_problem y;
    land(&y, ctx, 3);
    const ss_sharing_info info = share(&y, 1e-3);
    CHECK(info.islands == 1 && info.dependent == 1);
    for (int k = 0; k < 3; k++) {
        CHECK_NEAR(y.r[k], 1 / 3., 1e-14); /* round-off */
    }
    sp_close(&y);
    ss_context_destroy(ctx);
}

/* A thousandth of the load of the floor is the whole of the light body's own. */
TEST(a_heavy_body_on_a_light_one_is_solved_to_round_off_with_a_loose_tolerance_too)
{
    ss_context *ctx = test_context();
    const double light[] = { 1, 1, 1 }, heavy[] = { 1000, 1000, 1000 }, still[6] = { 0 }, fall[] = { 0, 0, -1, 0, 0, -1 };
    const double floor[] = { 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0 };
    const double between[] = { 0, 0, -1, 0, 0, 1, -1, 0, 0, 1, 0, 0, 0, -1, 0, 0, 1, 0 };
    small_problem y;
    sp_open(&y, ctx, 3);
    sp_block(&y, 3, light, false);
    sp_block(&y, 3, heavy, false);
    sp_contact(&y, SS_LAW_COULOMB, 0.3, 3, floor, 0, NULL);
    sp_contact(&y, SS_LAW_COULOMB, 0.3, 3, between, 0, NULL);
    sp_motion(&y, still, fall);
    y.r[0] = 1001 * (1 + 1e-6);
    y.r[3] = 1000 * (1 + 1e-6);
    CHECK(share(&y, 1e-3).islands == 1);
    CHECK_NEAR(y.r[0], 1001, 1e-9); /* round-off, times the ratio of the masses */
    CHECK_NEAR(y.r[3], 1000, 1e-9);
    sp_close(&y);
    ss_context_destroy(ctx);
}

/* ---- many islands --------------------------------------------------------------------------------- */

enum { MASSES = 300 }; /* more than are looked at together */

/* masses 1, 2, .., each on two equal contacts, pressed with a unit of momentum for each unit of mass */
typedef struct masses {
    ss_problem p;
    ss_solution s;
    int number[MASSES], one[MASSES], row[2 * MASSES + 1];
    double block[MASSES], b[MASSES], w[2 * MASSES], mu[2 * MASSES], v[MASSES], r[2 * MASSES], u[2 * MASSES];
    unsigned law[2 * MASSES];
    uint64_t basis[2 * MASSES];
} masses;

static void make_masses(ss_context *ctx, masses *x)
{
    *x = (masses){ .p = ss_problem_make(3) };
    for (int k = 0; k < MASSES; k++) {
        x->number[k] = k;
        x->one[k] = 1;
        x->block[k] = 1 + k;
        x->b[k] = -(1 + k);
        x->w[2 * k + 1] = 3e-8;
    }
    ss_problem_set_blocks(
        &x->p,
        &(ss_blockdiag){ .blocks = MASSES, .n = MASSES, .offset = x->number, .size = x->one, .start = x->number, .x = x->block });
    ss_csr_reset(&x->p.H, MASSES);
    for (int k = 0; k < 2 * MASSES; k++) {
        CHECK_OK(ctx, ss_csr_push(ctx, &x->p.H, k / 2, 1));
        CHECK_OK(ctx, ss_csr_end_row(ctx, &x->p.H));
        x->row[k + 1] = k + 1;
        x->law[k] = SS_LAW_UNILATERAL;
    }
    x->p.nc = 2 * MASSES;
    x->p.b = x->b;
    x->p.w = x->w;
    x->p.row = x->row;
    x->p.law = x->law;
    x->p.mu = x->mu;
    x->s = (ss_solution){ .v = x->v, .r = x->r, .u = x->u, .basis = x->basis };
}

TEST(many_islands_share_their_loads_each_by_itself)
{
    ss_context *ctx = test_context();
    ss_solver_options options = ss_solver_options_default();
    ss_solver *solver;
    ss_solver_info info;
    static masses x;
    make_masses(ctx, &x);
    CHECK_OK(ctx, ss_solver_create(ctx, &options, &solver));
    CHECK_OK(ctx, ss_solver_solve(solver, &x.p, &x.s, &info));
    CHECK(info.outcome == SS_CONVERGED && info.shared == MASSES && info.residual.contact <= 1e-14);
    CHECK(info.chosen <= 1e-7);
    for (int k = 0; k < 2 * MASSES; k++) {
        CHECK_NEAR(x.r[k] / x.block[k / 2], 0.5, 1e-7);
        CHECK_NEAR(x.w[k], 1.5e-8, 1e-15);
    }
    ss_solver_destroy(solver);
    ss_csr_free(ctx, &x.p.H);
    ss_context_destroy(ctx);
}

/* What is known of a problem that is held would be wrong once its offsets are others. */
TEST(a_problem_whose_offsets_are_changed_is_not_held_any_more)
{
    ss_context *ctx = test_context();
    ss_residual_work *residual;
    ss_sharing *sharing;
    ss_sharing_info info;
    ss_residual of;
    ss_kkt *kkt;
    mass x;
    make(&x, 3e-8);
    x.r[0] = 1;
    x.u[1] = 3e-8;
    CHECK_OK(ctx, ss_kkt_create(ctx, &kkt));
    CHECK_OK(ctx, ss_residual_create(ctx, &residual));
    CHECK_OK(ctx, ss_sharing_create(ctx, kkt, residual, &sharing));
    ss_residual_hold(residual, &x.p);
    CHECK_OK(ctx, ss_residual_compute(residual, &x.p, &x.s, &of));
    CHECK(ss_residual_held_contacts(ctx, &x.p));
    CHECK_OK(ctx, ss_sharing_note(sharing, &x.p, &x.s));
    CHECK_OK(ctx, ss_sharing_apply(sharing, &x.p, 1e-10, &x.s, &of, &info));
    CHECK(info.islands == 1 && x.w[0] > 0);
    CHECK(!ss_residual_held_contacts(ctx, &x.p));
    ss_sharing_destroy(sharing);
    ss_residual_destroy(residual);
    ss_kkt_destroy(kkt);
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_equal_contacts_bear_half_each_and_offsets_that_differ_by_noise_are_made_equal),
        cmocka_unit_test(offsets_that_differ_by_more_decide_which_contact_bears),
        cmocka_unit_test(a_contact_without_compliance_bears_all),
        cmocka_unit_test(what_the_solver_finds_is_left_alone_if_that_is_asked_for),
        cmocka_unit_test(one_contact_on_a_hinged_body_has_the_least_impulse),
        cmocka_unit_test(one_contact_on_a_block_with_one_velocity_has_the_least_impulse),
        cmocka_unit_test(dependent_rows_are_seen_on_a_block_with_as_many_velocities),
        cmocka_unit_test(one_contact_on_a_free_body_is_determined),
        cmocka_unit_test(two_legs_of_a_body_are_left_to_the_solver_with_a_loose_tolerance_alone),
        cmocka_unit_test(three_legs_of_a_body_share_its_weight_with_a_loose_tolerance_too),
        cmocka_unit_test(a_heavy_body_on_a_light_one_is_solved_to_round_off_with_a_loose_tolerance_too),
        cmocka_unit_test(many_islands_share_their_loads_each_by_itself),
        cmocka_unit_test(a_problem_whose_offsets_are_changed_is_not_held_any_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
