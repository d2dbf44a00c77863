/* The trapezoidal scheme while motion is smooth: its recursion, its order with forces that depend on positions and velocities,
 * joints, and which derivatives of forces it takes. */
#include "base/tolerances.h"
#include "unit/schemes/trapezoidal_scenes.h"

/* an order that is fitted to two halvings is off by the terms of higher order: about the step over the time of the motion */
static const double FIT = 0.1;

/* ---- the recursion -------------------------------------------------------------------------------- */

static const char oscillator[] = HEAD(2, "[0,0]") "'bodies':[{'name':'mass','type':'particle','mass':1,'position':[0,1]}],"
                                                  "'forces':[{'name':'s','type':'spring_damper','bodies':['world','mass'],"
                                                  "'anchors':[[0,-9],[0,0]],'stiffness':10,'damping':0.2,'length':9}]}";

TEST(a_linear_oscillator_follows_the_trapezoidal_rule_with_one_problem_a_step)
{
    const double h = 0.01, k = 10, c = 0.2;
    double q = 1, v = 0;
    run r = begin(oscillator, 0, NULL);
    for (int i = 0; i < 100; i++) {
        /* v' = v - h/2 (k (q + q') + c (v + v')), q' = q + h/2 (v + v') */
        const double next = ((1 - h * h * k / 4 - h * c / 2) * v - h * k * q) / (1 + h * h * k / 4 + h * c / 2);
        q += h / 2 * (v + next);
        v = next;
    }
    advance(&r, 1);
    CHECK_NEAR(ss_sim_q(r.sim)[1], q, 1e-12); /* round-off of a hundred steps, lengths of 10 m */
    CHECK_NEAR(ss_sim_v(r.sim)[1], v, 1e-11);
    CHECK(summary(&r)->lcps == 100);
    leave(&r);
}

TEST(a_force_of_time_is_taken_at_both_ends_of_a_step)
{
    const char *set[] = { "forces=[{\"type\":\"expression\",\"body\":\"mass\",\"force\":[0,\"t^2\"]}]" };
    double v = 0, h = 0.01;
    run r = begin(oscillator, 1, set);
    for (int i = 0; i < 100; i++) {
        v += 0.5 * h * h * h * (i * i + (i + 1) * (i + 1));
    }
    advance(&r, 1);
    CHECK_NEAR(ss_sim_v(r.sim)[1], v, 1e-14); /* half way it would be less by h^2/4 */
    leave(&r);
}

/* ---- order ---------------------------------------------------------------------------------------- */

static const char free_body[] = HEAD(3, "[0,0,0]") "'bodies':[{'name':'b','type':'rigid','mass':1,'inertia':[1,2,3],"
                                                   "'position':[0,0,0],'angular_velocity':[1,0.5,-0.8]}]}";

/* w(2) and the errors of 50, 100 and 200 steps with the exact derivative, computed independently */
TEST(a_free_body_turns_with_the_errors_of_the_exact_derivative)
{
    static const double w[] = { 0.510585463752, -0.994636860470, -0.627348259421 }, expected[] = { 1.684e-4, 4.211e-5, 1.053e-5 };
    for (int k = 0; k < 3; k++) {
        const final f = run_to(free_body, 2, 0.04 / (1 << k), 0, NULL);
        double error = 0;
        for (int i = 0; i < 3; i++) {
            error = hypot(error, f.x[7 + 3 + i] - w[i]);
        }
        CHECK_NEAR(error, expected[k], 5e-4 * expected[k]); /* four digits are known */
    }
}

TEST(skew_gyroscopic_terms_are_of_order_one_and_keep_the_energy)
{
    const char *set[] = { "scheme.jacobian=positive" };
    CHECK_NEAR(order_of(free_body, 2, 0.02, 1, set), 1, FIT);
    run r = begin(free_body, 1, set);
    advance(&r, 2);
    CHECK_NEAR(summary(&r)->energy_final, summary(&r)->energy_initial, 1e-13); /* round-off of 200 steps */
    leave(&r);
}

static double momentum_of(const ss_sim *sim)
{
    const double *w = ss_sim_v(sim) + 3;
    return sqrt(w[0] * w[0] + 4 * w[1] * w[1] + 9 * w[2] * w[2]);
}

/* from 0.4 rad to 140 rad in a step */
TEST(a_free_body_that_turns_by_radians_in_a_step_keeps_its_energy_and_its_angular_momentum)
{
    static const char *const rates[] = { "[30,15,-24]", "[100,50,-80]", "[1000,500,-800]", "[10000,5000,-8000]" };
    for (size_t k = 0; k < sizeof rates / sizeof *rates; k++) {
        char rate[64];
        const char *set[] = { rate };
        snprintf(rate, sizeof rate, "bodies.b.angular_velocity=%s", rates[k]);
        run r = begin(free_body, 1, set);
        const double momentum = momentum_of(r.sim);
        advance(&r, 1);
        CHECK_NEAR(summary(&r)->energy_final / summary(&r)->energy_initial, 1, 1e-11); /* round-off of 30 000 rotations */
        CHECK_NEAR(momentum_of(r.sim) / momentum, 1, 1e-11);
        CHECK(summary(&r)->remark[SS_REMARK_INDEFINITE].steps == 0);
        leave(&r);
    }
}

/* The velocity on the way to a collision is that of a substep which ends there. On its chord over a step, in which the body turns
 * by 0.9 rad, a part of the energy of its rotation would be missing (1.5 %). */
TEST(a_body_that_whirls_strikes_a_wall_with_all_its_energy)
{
    static const char ball[] = HEAD(
        3,
        "[0,0,0]") "'materials':[{'name':'m','mu':0,'e':1}],'bodies':[" FLOOR_3D
                   ",{'name':'b','type':'rigid','mass':1,'inertia':[0.01,0.02,0.025],'position':[0,0,0.224],'velocity':[0,0,-1],"
                   "'angular_velocity':[60,45,45],'shapes':[{'type':'sphere','radius':0.1,'material':'m'}]}]}";
    run r = begin(ball, 0, NULL);
    advance(&r, 0.3);
    CHECK(ss_sim_v(r.sim)[2] > 0 && summary(&r)->unconverged_steps == 0);
    CHECK_NEAR(summary(&r)->energy_final / summary(&r)->energy_initial, 1, SS_TOL_WHIRLS); /* a short substep is linearised */
    leave(&r);
}

static const char top[] =
    HEAD(3, "[0,0,-9.81]") "'bodies':[{'name':'top','type':'rigid','mass':1,'inertia':[0.02,0.02,0.005],"
                           "'position':[0.06,0,0.08],'orientation':[0.9486832980505138,0,0.31622776601683794,0],"
                           "'velocity':[0,0,0],'angular_velocity':[0,0,40]}],"
                           "'joints':[{'name':'tip','type':'spherical','bodies':['world','top'],"
                           "'anchors':[[0,0,0],[0,0,-0.1]]}]}";

TEST(a_heavy_top_on_a_joint_is_of_order_two) { CHECK_NEAR(order_of(top, 0.5, 1.0 / 256, 0, NULL), 2, FIT); }

TEST(a_projected_top_is_of_order_two_and_stays_on_its_joint)
{
    const char *set[] = { "scheme.project=on" };
    CHECK_NEAR(order_of(top, 0.5, 1.0 / 256, 1, set), 2, FIT);
    run r = begin(top, 1, set);
    advance(&r, 0.5);
    CHECK(summary(&r)->max_joint_error < 1e-13); /* round-off of positions */
    leave(&r);
}

static const char swing[] = HEAD(2, "[0,-9.81]") "'bodies':[{'name':'mass','type':'particle','mass':1,'position':[1,0]}],"
                                                 "'forces':[{'name':'s','type':'spring','bodies':['world','mass'],"
                                                 "'stiffness':200,'length':%s}]}";

static void write_swing(const char *length, char *text, size_t size) { snprintf(text, size, swing, length); }

TEST(a_swinging_spring_is_of_order_two)
{
    char text[1024];
    write_swing("1", text, sizeof text);
    CHECK_NEAR(order_of(text, 1, 0.005, 0, NULL), 2, FIT);
}

/* Half as long as at rest, the spring pushes, and what it pushes sideways is dropped. */
TEST(a_compressed_spring_is_of_order_one_with_positive_derivatives_and_two_with_exact_ones)
{
    const char *positive[] = { "scheme.jacobian=positive", "bodies.mass.velocity=[0,3]" },
               *exact[] = { "scheme.jacobian=exact", "bodies.mass.velocity=[0,3]" };
    char text[1024];
    write_swing("1.5", text, sizeof text);
    CHECK_NEAR(order_of(text, 0.08, 0.001, 2, positive), 1, FIT);
    CHECK_NEAR(order_of(text, 0.08, 0.001, 2, exact), 2, FIT);
}

static const char pendulum[] = HEAD(2, "[0,-9.81]") "'bodies':[{'name':'bob','type':'particle','mass':1,'position':[1,0]}],"
                                                    "'joints':[{'name':'rod','type':'distance','bodies':['world','bob'],"
                                                    "'length':1}]}";

TEST(a_pendulum_is_of_order_two_with_averaged_joints_and_one_as_printed)
{
    const char *printed[] = { "scheme.averaged=off", "scheme.project=off" },
               *two[] = { "scheme.variant=2", "scheme.averaged=off" };
    CHECK_NEAR(order_of(pendulum, 1, 0.005, 0, NULL), 2, FIT);
    CHECK_NEAR(order_of(pendulum, 1, 0.005, 2, printed), 1, FIT);
    CHECK_NEAR(order_of(pendulum, 1, 0.005, 2, two), 2, FIT); /* variant 2 is averaged whatever the option says */
}

/* three links that swing wildly */
TEST(joints_that_drift_far_apart_are_closed)
{
    static const char chain[] =
        HEAD(2, "[0,-9.81]") "'bodies':[{'name':'a','type':'rigid','mass':1,'inertia':0.02,'position':[0.25,0]},"
                             "{'name':'b','type':'rigid','mass':1,'inertia':0.02,'position':[0.75,0]},"
                             "{'name':'c','type':'rigid','mass':1,'inertia':0.02,'position':[1.25,0]}],"
                             "'joints':[{'type':'revolute','bodies':['world','a'],'at':[0,0]},"
                             "{'type':'revolute','bodies':['a','b'],'at':[0.5,0]},"
                             "{'type':'revolute','bodies':['b','c'],'at':[1,0]}]}";
    const char *set[] = { "time.step=0.02", "scheme.project=off" };
    run drifts = begin(chain, 2, set), closed = begin(chain, 1, set);
    advance(&drifts, 10);
    advance(&closed, 10);
    CHECK(summary(&drifts)->max_joint_error > 2e-2);
    CHECK(summary(&closed)->max_joint_error < 1e-2 && summary(&closed)->unconverged_steps == 0);
    leave(&drifts);
    leave(&closed);
}

/* one coordinate with M = 2 + cos q and the potential 1 - cos q: M q'' = -sin q + v^2/2 sin q */
static ss_status mass_of_crank(void *user, double t, const double *q, double *M)
{
    (void)user, (void)t;
    M[0] = 2 + cos(q[0]);
    return SS_OK;
}

static ss_status force_of_crank(void *user, double t, const double *q, const double *v, double *k)
{
    (void)user, (void)t;
    k[0] = -sin(q[0]) + 0.5 * sin(q[0]) * v[0] * v[0];
    return SS_OK;
}

static double crank_after(double until, double step)
{
    const ss_block block = { .size = sizeof(ss_block), .n = 1, .mass = mass_of_crank, .force = force_of_crank };
    const double q0 = 1.5;
    ss_scene_settings settings = ss_scene_settings_default();
    ss_body_desc body = ss_body_desc_default();
    run r = { .ctx = test_context() };
    settings.dimension = 2;
    settings.step = step;
    settings.scheme = "trapezoidal";
    body.name = "crank";
    body.type = SS_BODY_BLOCK;
    body.block = &block;
    body.block_q = &q0;
    CHECK_OK(r.ctx, ss_scene_create(r.ctx, &settings, &r.scene));
    CHECK_OK(r.ctx, ss_scene_add_body(r.scene, &body, NULL));
    CHECK_OK(r.ctx, ss_model_compile(r.ctx, r.scene, &r.model));
    CHECK_OK(r.ctx, ss_sim_create(r.ctx, r.model, NULL, &r.sim));
    advance(&r, until);
    const double q = ss_sim_q(r.sim)[0];
    leave(&r);
    return q;
}

/* half way: with the mass of the start the order is 1 */
TEST(a_mass_that_depends_on_the_position_is_taken_half_way_and_the_order_is_two)
{
    const double a = crank_after(2, 0.04), b = crank_after(2, 0.02), c = crank_after(2, 0.01);
    CHECK_NEAR(log2(fabs((a - b) / (b - c))), 2, FIT);
}

/* ---- stiff forces --------------------------------------------------------------------------------- */

/* A spring of 1e6 N/m, at half its length, pushes sideways with a stiffness of -1e6 N/m: 1 - h^2/4 1e6 < 0 for h = 0.01. */
TEST(a_spring_about_to_buckle_is_remarked_and_its_derivatives_are_replaced)
{
    const char *set[] = { "forces.s.stiffness=1e6", "forces.s.length=18", "scheme.jacobian=exact" };
    for (int exact = 0; exact < 2; exact++) {
        run r = begin(oscillator, 2 + exact, set);
        CHECK_OK(r.ctx, ss_sim_step(r.sim, 0.01));
        CHECK(summary(&r)->remark[SS_REMARK_INDEFINITE].steps == 1);
        leave(&r);
    }
    CHECK(strcmp(ss_remark_name(SS_REMARK_INDEFINITE), "indefinite") == 0);
    run good = begin(oscillator, 0, NULL);
    advance(&good, 0.05);
    CHECK(summary(&good)->remark[SS_REMARK_INDEFINITE].steps == 0);
    leave(&good);
}

/* Two masses on lines that stretch slowly: h c/(2 m) = 50. The rule turns the velocity along a line round in every step, and what
 * the derivatives of a damper by positions would make of that is energy: 0.28 J in a second. */
TEST(masses_on_stiff_dampers_swing_without_gaining_energy)
{
    static const char masses[] =
        HEAD(2, "[0,-9.81]") "'bodies':[{'name':'a','type':'particle','mass':1,'position':[1,0],'velocity':[0,1]},"
                             "{'name':'b','type':'particle','mass':0.1,'position':[2,0.1],'velocity':[0,-1]}],"
                             "'forces':[{'type':'damper','bodies':['world','a'],'damping':1000},"
                             "{'type':'damper','bodies':['a','b'],'damping':1000}]}";
    const char *fine[] = { "time.step=0.0005" };
    run r = begin(masses, 0, NULL), reference = begin(masses, 1, fine);
    advance(&r, 1);
    advance(&reference, 1);
    CHECK(summary(&r)->unconverged_steps == 0 && summary(&r)->remark[SS_REMARK_INDEFINITE].steps == 0);
    CHECK_NEAR(summary(&r)->energy_final, summary(&reference)->energy_final, 0.01); /* of 0.56 J */
    CHECK(ss_sim_ledger(r.sim)->dampers < 0);
    leave(&r);
    leave(&reference);
}

/* Two masses pass each other, and the damper between them turns. Its impulse is linear in the velocity of the end, and differs
 * from the mean of the forces at both ends by O(h^3): an error of integration, no energy from nowhere. */
TEST(a_damper_that_turns_is_an_error_of_integration_and_no_alarm)
{
    static const char masses[] =
        HEAD(2, "[0,0]") "'bodies':[{'name':'a','type':'particle','mass':0.8,'position':[0,0],'velocity':[1,0.5]},"
                         "{'name':'b','type':'particle','mass':0.8,'position':[0.8,0],'velocity':[-1,-0.5]}],"
                         "'forces':[{'type':'damper','bodies':['a','b'],'damping':1}]}";
    run r = begin(masses, 0, NULL);
    advance(&r, 1);
    CHECK(fabs(ss_sim_ledger(r.sim)->scheme) > 1e-6); /* the difference is there */
    CHECK(summary(&r)->unconverged_steps == 0);
    leave(&r);
}

/* it is linear, and has a derivative where its points coincide, as they do at the start */
TEST(a_spring_without_rest_length_follows_the_trapezoidal_rule_from_where_its_points_coincide)
{
    const char *set[] = { "forces.s.anchors=[[0,0],[0,0]]", "forces.s.length=0", "bodies.mass.position=[0,0]",
                          "bodies.mass.velocity=[1,0]", "forces.s.damping=0" };
    const double h = 0.01, k = 10;
    double q = 0, v = 1;
    for (int i = 0; i < 100; i++) {
        const double next = ((1 - h * h * k / 4) * v - h * k * q) / (1 + h * h * k / 4);
        q += h / 2 * (v + next);
        v = next;
    }
    run r = begin(oscillator, 5, set);
    advance(&r, 1);
    CHECK_NEAR(ss_sim_q(r.sim)[0], q, 1e-13); /* round-off of a hundred steps */
    CHECK(summary(&r)->unconverged_steps == 0);
    leave(&r);
}

/* The force of a compressed spring whose points coincide has no direction, and is 0 there; a step later it pushes. */
TEST(a_compressed_spring_whose_points_coincide_is_taken)
{
    const char *set[] = { "forces.s.anchors=[[0,0],[0,0]]", "forces.s.length=1", "bodies.mass.position=[0,0]",
                          "bodies.mass.velocity=[1,0]", "forces.s.damping=0" };
    run r = begin(oscillator, 5, set);
    advance(&r, 1);
    CHECK(summary(&r)->unconverged_steps == 0);
    CHECK_NEAR(summary(&r)->energy_final, summary(&r)->energy_initial,
               0.01 * 10); /* the force jumps from 0 to 10 N in a step of 0.01 m */
    CHECK(ss_sim_q(r.sim)[1] == 0);
    leave(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_linear_oscillator_follows_the_trapezoidal_rule_with_one_problem_a_step),
        cmocka_unit_test(a_force_of_time_is_taken_at_both_ends_of_a_step),
        cmocka_unit_test(a_free_body_turns_with_the_errors_of_the_exact_derivative),
        cmocka_unit_test(skew_gyroscopic_terms_are_of_order_one_and_keep_the_energy),
        cmocka_unit_test(a_free_body_that_turns_by_radians_in_a_step_keeps_its_energy_and_its_angular_momentum),
        cmocka_unit_test(a_body_that_whirls_strikes_a_wall_with_all_its_energy),
        cmocka_unit_test(a_heavy_top_on_a_joint_is_of_order_two),
        cmocka_unit_test(a_projected_top_is_of_order_two_and_stays_on_its_joint),
        cmocka_unit_test(a_swinging_spring_is_of_order_two),
        cmocka_unit_test(a_compressed_spring_is_of_order_one_with_positive_derivatives_and_two_with_exact_ones),
        cmocka_unit_test(a_pendulum_is_of_order_two_with_averaged_joints_and_one_as_printed),
        cmocka_unit_test(joints_that_drift_far_apart_are_closed),
        cmocka_unit_test(a_mass_that_depends_on_the_position_is_taken_half_way_and_the_order_is_two),
        cmocka_unit_test(a_spring_about_to_buckle_is_remarked_and_its_derivatives_are_replaced),
        cmocka_unit_test(masses_on_stiff_dampers_swing_without_gaining_energy),
        cmocka_unit_test(a_damper_that_turns_is_an_error_of_integration_and_no_alarm),
        cmocka_unit_test(a_spring_without_rest_length_follows_the_trapezoidal_rule_from_where_its_points_coincide),
        cmocka_unit_test(a_compressed_spring_whose_points_coincide_is_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
