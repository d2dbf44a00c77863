/* test_residual.c - the certificate: zero on exact solutions, seeing every error, blind to units. */
#include "problem/residual.h"
#include "unit/problem/small_problem.h"

/* A particle of mass m hits the floor in 3D with v = (-1 normal, 1, 0.4) and slides on, mu = 0.5, four directions.
 * By hand: c_n = m, friction m/2 along -x since |u_x| = 0.5 stays above |u_y| = 0.4; u = (0, 0.5, 0.4). */
static void sliding_particle(small_problem *y, ss_context *ctx, double m)
{
    const double mass[] = { m, m, m }, v[] = { -1, 1, 0.4 }, rows[] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };
    sp_open(y, ctx, 3);
    sp_block(y, 3, mass, false);
    sp_contact(y, SS_LAW_POLYHEDRAL, 0.5, 3, rows, 4, sp_square);
    sp_motion(y, v, NULL);
    memcpy(y->v, (double[]){ 0, 0.5, 0.4 }, 3 * sizeof(double));
    memcpy(y->r, (double[]){ m, -0.5 * m, 0 }, 3 * sizeof(double));
}

static ss_residual residual_of(small_problem *y)
{
    ss_residual out;
    CHECK_OK(y->ctx, ss_problem_residual(y->ctx, &y->p, &y->s, &out));
    return out;
}

TEST(an_exact_polygonal_solution_is_certified_by_the_polygon_gauge)
{
    ss_context *ctx = test_context();
    small_problem y;
    sliding_particle(&y, ctx, 3);
    ss_residual r = residual_of(&y);
    CHECK_NEAR(r.contact, 0, 1e-15); /* |u_T| = 0.64 in place of the gauge 0.5 would leave 0.05 */
    CHECK_NEAR(r.momentum, 0, 1e-15);
    CHECK(r.joint == 0 && r.dropped == 0);
    CHECK_NEAR(r.classical, 0, 1e-15);

    /* the circular law does not hold for the same numbers, since friction must oppose (0.5, 0.4) */
    y.law[0] = SS_LAW_COULOMB;
    CHECK(residual_of(&y).contact > 0.05);
    sp_close(&y);
    ss_context_destroy(ctx);
}

TEST(joints_that_were_never_written_down_change_nothing)
{
    ss_context *ctx = test_context();
    small_problem y;
    sliding_particle(&y, ctx, 3);
    y.p.G = (ss_csr){ 0 }; /* no rows, and no columns either */
    CHECK_NEAR(residual_of(&y).momentum, 0, 1e-15);
    sp_close(&y);
    ss_context_destroy(ctx);
}

TEST(an_impulse_off_by_a_millionth_is_seen)
{
    ss_context *ctx = test_context();
    small_problem y;
    for (int i = 0; i < 2; i++) {
        sliding_particle(&y, ctx, 3);
        y.r[i] *= 1 + 1e-6;
        ss_residual r = residual_of(&y);
        CHECK(r.contact > 1e-7 && r.contact < 1e-5); /* the error itself, over a scale of order one */
        CHECK(r.momentum > 1e-7 && r.momentum < 1e-5);
        sp_close(&y);
    }
    ss_context_destroy(ctx);
}

TEST(a_velocity_off_by_a_millionth_is_seen)
{
    ss_context *ctx = test_context();
    small_problem y;
    for (int i = 0; i < 3; i++) {
        sliding_particle(&y, ctx, 3);
        y.v[i] -= 1e-6;
        CHECK(residual_of(&y).momentum > 1e-7);
        CHECK(i > 0 || residual_of(&y).contact > 1e-8); /* while it slides along x the law asks nothing of u_T */
        sp_close(&y);
    }
    ss_context_destroy(ctx);
}

TEST(the_circular_law_is_certified_on_its_own_exact_solution)
{
    ss_context *ctx = test_context();
    small_problem y;
    sliding_particle(&y, ctx, 2);
    y.law[0] = SS_LAW_COULOMB;
    double speed = hypot(1, 0.4), left = (speed - 0.5) / speed; /* friction m/2 against (1, 0.4) */
    memcpy(y.v, (double[]){ 0, left, 0.4 * left }, 3 * sizeof(double));
    memcpy(y.r, (double[]){ 2, -1 / speed, -0.4 / speed }, 3 * sizeof(double));
    ss_residual r = residual_of(&y);
    CHECK_NEAR(r.contact, 0, 1e-15);
    CHECK_NEAR(r.momentum, 0, 1e-15);
    sp_close(&y);
    ss_context_destroy(ctx);
}

TEST(the_associated_law_lets_the_particle_rise)
{
    /* K = cone of mu = 0.5 in the plane, u in its dual: r = t (1, -0.5), u = (0.5 s, s): from v = (-1, 1), m = 1
     * t - 1 = 0.5 s, 1 - 0.5 t = s  ->  t = 1.2, s = 0.4 */
    ss_context *ctx = test_context();
    small_problem y;
    const double mass[] = { 1, 1 }, v[] = { -1, 1 }, rows[] = { 1, 0, 0, 1 };
    const unsigned laws[] = { SS_LAW_ASSOCIATED, SS_LAW_ASSOCIATED_POLYHEDRAL };
    sp_open(&y, ctx, 2);
    sp_block(&y, 2, mass, false);
    sp_contact(&y, SS_LAW_ASSOCIATED, 0.5, 2, rows, 2, sp_line);
    sp_motion(&y, v, NULL);
    memcpy(y.v, (double[]){ 0.2, 0.4 }, 2 * sizeof(double));
    memcpy(y.r, (double[]){ 1.2, -0.6 }, 2 * sizeof(double));
    for (int k = 0; k < 2; k++) {
        y.law[0] = laws[k];
        CHECK_NEAR(residual_of(&y).contact, 0, 1e-15);
    }
    y.law[0] = SS_LAW_COULOMB; /* which forbids rising while pressed */
    CHECK(residual_of(&y).contact > 0.05);
    sp_close(&y);
    ss_context_destroy(ctx);
}

TEST(a_bounded_row_is_certified_inside_and_at_its_bound)
{
    ss_context *ctx = test_context();
    small_problem y;
    const double mass[] = { 2 }, v[] = { 3 }, row[] = { 1 };
    sp_open(&y, ctx, 2);
    sp_block(&y, 1, mass, false);
    sp_contact(&y, SS_LAW_BOUNDED, 10, 1, row, 0, NULL);
    sp_motion(&y, v, NULL);
    y.r[0] = -6; /* stops it: |r| < 10, u = 0 */
    CHECK(residual_of(&y).contact == 0);
    y.mu[0] = 4; /* cannot stop it: r = -4, u = 1 */
    y.r[0] = -4;
    y.v[0] = 1;
    CHECK(residual_of(&y).contact == 0);
    y.r[0] = 4; /* pushes the wrong way */
    y.v[0] = 5;
    CHECK(residual_of(&y).contact > 0.5);
    sp_close(&y);
    ss_context_destroy(ctx);
}

/* millimetres and grams: masses x 1e3, velocities x 1e3, impulses x 1e6; H of a particle has no unit */
static void to_mm_and_g(small_problem *y)
{
    for (int i = 0; i < 9; i++) {
        y->M[i] *= 1e3;
    }
    for (int i = 0; i < 3; i++) {
        y->b[i] *= 1e6;
        y->r[i] *= 1e6;
        y->w[i] *= 1e3;
        y->v[i] *= 1e3;
        y->v_old[i] *= 1e3;
    }
}

TEST(units_drop_out)
{
    ss_context *ctx = test_context();
    small_problem y;
    sliding_particle(&y, ctx, 3);
    y.r[1] *= 1.01; /* anything but a solution */
    y.v[2] += 0.02;
    y.w[0] = 0.05;
    ss_residual si = residual_of(&y);
    to_mm_and_g(&y);
    ss_residual small = residual_of(&y);
    CHECK_NEAR(small.contact / si.contact, 1, 1e-13); /* round-off of a dozen operations */
    CHECK_NEAR(small.momentum / si.momentum, 1, 1e-13);
    sp_close(&y);
    ss_context_destroy(ctx);
}

/* two particles on the floor that do not feel each other; b moves down with 1 and is stopped */
static void two_particles(small_problem *y, ss_context *ctx, double heavy, double light)
{
    const double ma[] = { heavy }, mb[] = { light }, v[] = { -1, -1 }, row_a[] = { 1, 0 }, row_b[] = { 0, 1 };
    sp_open(y, ctx, 2);
    sp_block(y, 1, ma, false);
    sp_block(y, 1, mb, false);
    sp_contact(y, SS_LAW_UNILATERAL, 0, 1, row_a, 0, NULL);
    sp_contact(y, SS_LAW_UNILATERAL, 0, 1, row_b, 0, NULL);
    sp_motion(y, v, NULL);
    y->r[0] = heavy;
    y->r[1] = light;
}

TEST(a_small_island_is_measured_by_its_own_scale)
{
    ss_context *ctx = test_context();
    small_problem y;
    two_particles(&y, ctx, 1e9, 1e-9);
    CHECK(residual_of(&y).contact == 0);
    y.v[1] = -1e-6;
    ss_residual r = residual_of(&y);
    CHECK_NEAR(r.contact, 1e-6, 1e-9); /* against the other island it would be 1e-15 */
    CHECK_NEAR(r.momentum, 1e-6, 1e-9);
    CHECK(r.worst == 1);
    sp_close(&y);
    ss_context_destroy(ctx);
}

TEST(what_is_left_of_a_fast_approach_is_measured_by_the_approach)
{
    /* v_old = -1, stopped by other forces before the contact could do anything: v_free = r = 0, u = -1e-9 */
    ss_context *ctx = test_context();
    small_problem y;
    const double mass[] = { 4 }, row[] = { 1 };
    sp_open(&y, ctx, 2);
    sp_block(&y, 1, mass, false);
    sp_contact(&y, SS_LAW_UNILATERAL, 0, 1, row, 0, NULL);
    sp_joint(&y, row, 0);
    y.v_old[0] = -1;
    y.v[0] = -1e-9;
    ss_residual r = residual_of(&y);
    CHECK_NEAR(r.contact, 1e-9, 1e-15);
    CHECK_NEAR(r.joint, 1e-9, 1e-15);
    CHECK_NEAR(r.momentum, 1e-9, 1e-15);
    sp_close(&y);
    ss_context_destroy(ctx);
}

TEST(nan_and_inf_are_refused)
{
    ss_context *ctx = test_context();
    small_problem y;
    const double bad[] = { NAN, INFINITY, 1e308 };
    for (int k = 0; k < 3; k++) {
        two_particles(&y, ctx, 1, 2);
        y.r[1] = bad[k];
        ss_residual r = residual_of(&y);
        CHECK(k == 2 ? r.momentum > 0.1 : isinf(r.contact) && isinf(r.momentum) && isinf(r.joint));
        sp_close(&y);
        two_particles(&y, ctx, 1, 2);
        y.v[0] = bad[k];
        r = residual_of(&y);
        CHECK(k == 2 ? r.momentum > 0.1 : isinf(r.contact) && isinf(r.momentum));
        sp_close(&y);
    }
    ss_context_destroy(ctx);
}

TEST(a_contact_that_touches_nothing_is_dropped_and_counted)
{
    ss_context *ctx = test_context();
    small_problem y;
    const double nothing[] = { 0, 0 };
    two_particles(&y, ctx, 1, 2);
    sp_contact(&y, SS_LAW_UNILATERAL, 0, 1, nothing, 0, NULL);
    y.w[2] = -1; /* nothing can be done about it */
    ss_residual r = residual_of(&y);
    CHECK(r.contact == 0 && r.dropped == 1);
    sp_close(&y);
    ss_context_destroy(ctx);
}

TEST(bodies_that_fly_along_together_are_not_measured_by_round_off)
{
    ss_context *ctx = test_context();
    small_problem y;
    const double mass[] = { 1 }, row[] = { 1, -1 }, v[] = { 1e3, 1e3 * (1 + 4e-16) };
    sp_open(&y, ctx, 2);
    sp_block(&y, 1, mass, false);
    sp_block(&y, 1, mass, false);
    sp_contact(&y, SS_LAW_UNILATERAL, 0, 1, row, 0, NULL);
    sp_joint(&y, row, 0);
    sp_motion(&y, v, NULL);
    memcpy(y.v, v, sizeof v);
    ss_residual r = residual_of(&y); /* the only velocities to compare with are the 4e-13 of round-off themselves */
    CHECK(r.contact == 0 && r.joint == 0);
    y.v[0] -= 1e-9;
    r = residual_of(&y);
    CHECK(r.contact > 0.1 && r.joint > 0.1); /* but a real approach is seen */
    sp_close(&y);
    ss_context_destroy(ctx);
}

TEST(joints_are_measured_by_their_reactions)
{
    /* a weight on a rod: v = 0, lam holds m g h */
    ss_context *ctx = test_context();
    small_problem y;
    const double mass[] = { 2 }, row[] = { 1 }, v[] = { 0 }, kick[] = { -0.1 }, none[] = { 0 };
    sp_open(&y, ctx, 2);
    sp_block(&y, 1, mass, false);
    sp_joint(&y, row, 0);
    sp_motion(&y, v, kick);
    y.lam[0] = 0.2;
    ss_residual r = residual_of(&y);
    CHECK(r.joint == 0 && r.momentum == 0 && r.worst == -1);
    y.v[0] = 1e-7;
    CHECK_NEAR(residual_of(&y).joint, 1e-6, 1e-12); /* 1e-7 over the 0.1 that the joint takes away */
    sp_joint(&y, none, 0.5);                        /* 0 = 0.5 */
    CHECK(isinf(residual_of(&y).joint));
    sp_close(&y);
    ss_context_destroy(ctx);
}

TEST(the_local_form_gives_the_figures_of_the_global_one)
{
    ss_context *ctx = test_context();
    small_problem global, local;
    const double full[] = { 3, 0.5, 0.2, 0.5, 2, 0.1, 0.2, 0.1, 1 }, rows[] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 }, v[] = { -1, 1, 0.4 };
    sp_open(&global, ctx, 3);
    sp_block(&global, 3, full, true);
    sp_contact(&global, SS_LAW_POLYHEDRAL, 0.5, 3, rows, 4, sp_square);
    sp_motion(&global, v, NULL);
    global.p.v_old = NULL;
    memcpy(global.r, (double[]){ 2, -1, 0.3 }, 3 * sizeof(double));

    sp_open(&local, ctx, 3);
    local.p.local = true;
    local.p.W.n = 3;
    sp_contact(&local, SS_LAW_POLYHEDRAL, 0.5, 0, rows, 4, sp_square);
    local.row[1] = 3;
    double L[9], W[9];
    CHECK_OK(ctx, ss_blockdiag_factor(ctx, &global.p.scale, L));
    for (int i = 0; i < 3; i++) {
        memcpy(W + 3 * i, rows + 3 * i, 3 * sizeof(double));
        ss_block_solve(3, L, W + 3 * i);
        local.w[i] = v[i];
        local.r[i] = global.r[i];
        sp_row(&local, &local.p.W, W + 3 * i);
    }
    for (int i = 0; i < 3; i++) { /* v of the global form so that momentum holds */
        global.v[i] = v[i];
        for (int j = 0; j < 3; j++) {
            global.v[i] += W[3 * i + j] * global.r[j];
        }
    }
    ss_residual a = residual_of(&global), b = residual_of(&local);
    CHECK(a.contact > 0.01);
    CHECK_NEAR(a.contact, b.contact, 1e-14);
    CHECK_NEAR(a.classical, b.classical, 1e-14);
    CHECK_NEAR(a.momentum, 0, 1e-15);
    CHECK(b.momentum == 0 && b.joint == 0);
    sp_close(&global);
    sp_close(&local);
    ss_context_destroy(ctx);
}

/* All of a context share one store: whoever finds it filled for another problem fills it again. */
TEST(users_of_one_context_do_not_disturb_each_other)
{
    ss_context *ctx = test_context();
    ss_residual_work *first, *second;
    ss_residual before, other, after;
    ss_islands islands;
    small_problem y, light;
    sliding_particle(&y, ctx, 3);
    sliding_particle(&light, ctx, 0.01);
    y.r[0] *= 1.1;
    CHECK_OK(ctx, ss_residual_create(ctx, &first));
    CHECK_OK(ctx, ss_residual_create(ctx, &second));
    CHECK_OK(ctx, ss_residual_compute(first, &y.p, &y.s, &before));
    CHECK_OK(ctx, ss_residual_compute(second, &light.p, &light.s, &other));
    CHECK_OK(ctx, ss_residual_again(first, &y.p, &y.s, &after));
    CHECK(before.contact > 0.01 && before.contact == after.contact && before.momentum == after.momentum);
    CHECK_OK(ctx, ss_residual_again(second, &light.p, &light.s, &after));
    CHECK(other.contact == after.contact && other.momentum == after.momentum);
    ss_residual_destroy(second);
    CHECK_OK(ctx, ss_residual_islands(first, &y.p, &islands));
    CHECK(islands.count == 1 && islands.of_contact[0] == 0);
    CHECK_OK(ctx, ss_residual_again(first, &y.p, &y.s, &after));
    CHECK(before.contact == after.contact && before.momentum == after.momentum);
    ss_residual_destroy(first);
    sp_close(&y);
    sp_close(&light);
    ss_context_destroy(ctx);
}

/* The store knows a problem by its numbers: those of a problem that was changed in place are not taken for those of before. */
TEST(every_number_of_a_problem_that_was_changed_in_place_is_seen)
{
    ss_context *ctx = test_context();
    ss_residual_work *work;
    ss_residual kept, fresh;
    small_problem y;
    const double hinge[] = { 1, 0.5, 0 };
    sliding_particle(&y, ctx, 3);
    sp_joint(&y, hinge, 0.1);
    double *number[] = { &y.b[0], &y.w[0], &y.v_old[1], &y.M[0], &y.c[0], &y.p.H.x[0], &y.p.G.x[1] };
    CHECK_OK(ctx, ss_residual_create(ctx, &work));
    CHECK_OK(ctx, ss_residual_compute(work, &y.p, &y.s, &kept));
    for (size_t k = 0; k < sizeof number / sizeof *number; k++) {
        ss_context *other = test_context();
        *number[k] += 0.25;
        CHECK_OK(ctx, ss_residual_compute(work, &y.p, &y.s, &kept));
        CHECK_OK(other, ss_problem_residual(other, &y.p, &y.s, &fresh));
        CHECK(memcmp(&kept, &fresh, sizeof kept) == 0);
        ss_context_destroy(other);
    }
    ss_residual_destroy(work);
    sp_close(&y);
    ss_context_destroy(ctx);
}

/* A certificate is kept for the candidate that it is of, known by its numbers and by those of its laws. */
TEST(a_candidate_with_another_number_is_judged_anew)
{
    ss_context *ctx = test_context();
    ss_residual_work *work;
    ss_residual before, kept, fresh;
    small_problem y;
    const double hinge[] = { 1, 0.5, 0 };
    sliding_particle(&y, ctx, 3);
    sp_joint(&y, hinge, 0.1);
    const int directions = 2 * y.dir[1];
    struct {
        double *x;
        int n;
    } numbers[] = { { y.v, 1 }, { y.r, 1 }, { y.r + 2, 1 }, { y.lam, 1 }, { y.mu, 1 }, { y.direction, directions } };
    CHECK_OK(ctx, ss_residual_create(ctx, &work));
    CHECK_OK(ctx, ss_residual_compute(work, &y.p, &y.s, &before));
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        ss_context *other = test_context();
        for (int i = 0; i < numbers[k].n; i++) {
            numbers[k].x[i] = 0.25 + 1.5 * numbers[k].x[i] - (numbers[k].n > 1 ? 0.25 : 0);
        }
        for (int again = 0; again < 2; again++) {
            CHECK_OK(ctx, again ? ss_residual_again(work, &y.p, &y.s, &kept) : ss_residual_compute(work, &y.p, &y.s, &kept));
            CHECK_OK(other, ss_problem_residual(other, &y.p, &y.s, &fresh));
            CHECK(memcmp(&kept, &fresh, sizeof kept) == 0 && memcmp(&kept, &before, sizeof kept) != 0);
        }
        before = kept;
        ss_context_destroy(other);
    }
    ss_residual_destroy(work);
    sp_close(&y);
    ss_context_destroy(ctx);
}

TEST(a_work_object_takes_no_memory_the_second_time)
{
    ss_context *ctx = test_context();
    small_problem y;
    ss_residual_work *work;
    ss_residual r;
    sliding_particle(&y, ctx, 3);
    CHECK_OK(ctx, ss_residual_create(ctx, &work));
    for (int k = 0; k < 2; k++) {
        CHECK_OK(ctx, ss_residual_compute(work, &y.p, &y.s, &r));
    }
    uint64_t before = ss_context_allocations(ctx);
    CHECK_OK(ctx, ss_residual_compute(work, &y.p, &y.s, &r));
    CHECK(ss_context_allocations(ctx) == before);
    ss_residual_destroy(work);
    sp_close(&y);
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_exact_polygonal_solution_is_certified_by_the_polygon_gauge),
        cmocka_unit_test(joints_that_were_never_written_down_change_nothing),
        cmocka_unit_test(an_impulse_off_by_a_millionth_is_seen),
        cmocka_unit_test(a_velocity_off_by_a_millionth_is_seen),
        cmocka_unit_test(the_circular_law_is_certified_on_its_own_exact_solution),
        cmocka_unit_test(the_associated_law_lets_the_particle_rise),
        cmocka_unit_test(a_bounded_row_is_certified_inside_and_at_its_bound),
        cmocka_unit_test(units_drop_out),
        cmocka_unit_test(a_small_island_is_measured_by_its_own_scale),
        cmocka_unit_test(what_is_left_of_a_fast_approach_is_measured_by_the_approach),
        cmocka_unit_test(nan_and_inf_are_refused),
        cmocka_unit_test(a_contact_that_touches_nothing_is_dropped_and_counted),
        cmocka_unit_test(bodies_that_fly_along_together_are_not_measured_by_round_off),
        cmocka_unit_test(joints_are_measured_by_their_reactions),
        cmocka_unit_test(the_local_form_gives_the_figures_of_the_global_one),
        cmocka_unit_test(users_of_one_context_do_not_disturb_each_other),
        cmocka_unit_test(every_number_of_a_problem_that_was_changed_in_place_is_seen),
        cmocka_unit_test(a_candidate_with_another_number_is_judged_anew),
        cmocka_unit_test(a_work_object_takes_no_memory_the_second_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
