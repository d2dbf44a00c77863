/* The nonsmooth generalized-alpha method against exact times of impacts, against motions with located events, with a tolerance,
 * and how much Newton's method takes for it. */
#include "text_run.h"

static const char *const galpha_ggl = "scheme.name=galpha_ggl";

static run begin_with(const char *path, const char *scheme, const char *step)
{
    const char *set[2] = { scheme, step };
    return begin_file(path, 2, set);
}

/* ---- times of impacts -------------------------------------------------------------------------------------------- */

/* ends of the first n steps in which velocity `i` turns from the sign of `comes` to the other one */
static void find_impacts(const char *path, const char *step, int i, double comes, int n, double *t)
{
    run r = begin_with(path, galpha_ggl, step);
    double before = 0;
    for (int found = 0; found < n;) {
        CHECK_OK(r.ctx, ss_sim_step(r.sim, ss_sim_step_size(r.sim)));
        const double now = ss_sim_v(r.sim)[i];
        if (before * comes > 0 && now * comes < 0) {
            t[found++] = ss_sim_time(r.sim);
        }
        before = now;
    }
    leave(&r);
}

/* An impact is seen at the end of its step, and a flight that begins up to h late ends as late: n steps for the n-th. */
static void check_impacts(const char *path, int i, double comes, int n, const double *exact)
{
    static const char *const step[] = { "time.step=4e-3", "time.step=1e-3", "time.step=2.5e-4" };
    static const double h[] = { 4e-3, 1e-3, 2.5e-4 };
    for (int k = 0; k < 3; k++) {
        double t[4];
        find_impacts(path, step[k], i, comes, n, t);
        for (int j = 0; j < n; j++) {
            CHECK_NEAR(t[j], exact[j], 2 * (j + 1) * h[k]);
        }
    }
}

TEST(impacts_of_a_ball_and_of_a_pendulum_come_nearer_to_their_exact_times)
{
    const double ball[] = { 0.400249921924, 1.040649797, 1.552969697 }, pendulum[] = { 0.4861104432972, 1.281225256909 };
    check_impacts("papers/bac14/ball.json", 1, -1, 3, ball);
    check_impacts("papers/bac14/pendulum.json", 2, -1, 2, pendulum);
}

/* ---- friction, against located events ------------------------------------------------------------------------------ */

#define LANDING                                                                                                                  \
    "{'slipstick':1,'dimension':2,'gravity':[0,-9.81],'time':{'until':0.4,'step':0.01},"                                         \
    "'materials':[{'name':'m','mu':0.3,'e':0}],'bodies':[{'name':'box','type':'rigid','mass':2,'position':[0,0.15],"             \
    "'velocity':[1.5,0],'shapes':[{'type':'box','size':[0.4,0.2],'material':'m'}]},"                                             \
    "{'name':'floor','type':'fixed','shapes':[{'type':'half_space','normal':[0,1],'material':'m'}]}]}"

static run begin_landing(const char *scheme, const char *step)
{
    const char *set[2] = { scheme, step };
    return begin(LANDING, 2, set);
}

static run begin_foot(const char *scheme, const char *step) { return begin_with("papers/aca09/walker_foot.json", scheme, step); }

/* q at the end, at most 16 numbers */
static void find_end(run (*open)(const char *, const char *), const char *scheme, const char *step, double until, double *q)
{
    run r = open(scheme, step);
    CHECK(r.model->nq <= 16);
    advance(&r, until);
    memcpy(q, ss_sim_q(r.sim), (size_t)r.model->nq * sizeof *q);
    CHECK(summary(&r)->unconverged_steps == 0 && summary(&r)->max_penetration <= 1e-12 && summary(&r)->max_joint_error <= 1e-11);
    leave(&r);
}

/* A quarter of the step: half the distance at least (order 1 through impacts, and chance of where in its step one is). */
static void check_friction(run (*open)(const char *, const char *), const char *coarse, const char *fine, double until,
                           double most)
{
    double exact[16] = { 0 }, q[2][16] = { { 0 } }, off[2] = { 0, 0 };
    find_end(open, "scheme.name=event_capturing_rk", coarse, until, exact);
    find_end(open, galpha_ggl, coarse, until, q[0]);
    find_end(open, galpha_ggl, fine, until, q[1]);
    for (int i = 0; i < 16; i++) {
        off[0] = fmax(off[0], fabs(q[0][i] - exact[i]));
        off[1] = fmax(off[1], fabs(q[1][i] - exact[i]));
    }
    CHECK(off[0] < most && off[1] < 0.5 * off[0]);
}

TEST(a_box_that_lands_and_slides_ends_where_it_does_with_located_events)
{
    check_friction(begin_landing, "time.step=4e-3", "time.step=1e-3", 0.4, 5e-3);
}

TEST(the_foot_of_a_walker_moves_as_with_located_events)
{
    check_friction(begin_foot, "time.step=2e-3", "time.step=5e-4", 0.25, 5e-3);
}

/* ---- a tolerance ------------------------------------------------------------------------------------------------------ */

TEST(errors_of_smooth_motion_follow_the_tolerance)
{
    static const char *const tol[2] = { "time.tol=1e-3", "time.tol=1e-5" };
    double off[2];
    for (int k = 0; k < 2; k++) {
        run r = begin_with("papers/bac14/pendulum.json", galpha_ggl, tol[k]);
        advance(&r, 0.4);
        off[k] = fabs(ss_sim_q(r.sim)[2] + 0.450878091411);
        leave(&r);
    }
    CHECK(off[0] <= 1e-2 && off[1] <= 1e-4); /* a tolerance is one of a step; those of 14 and of 62 steps add up */
}

/* ---- what was amiss once ------------------------------------------------------------------------------------------------ */

/* The impulse of a motor of limited force moves positions, too: an arm that it holds against gravity does not sink. */
TEST(a_motor_of_limited_force_holds_an_arm_where_it_is)
{
    run r = begin("{'slipstick':1,'dimension':2,'gravity':[0,-10],'time':{'until':1,'step':0.01},'scheme':{'name':'galpha_ggl'},"
                  "'bodies':[{'name':'arm','type':'rigid','mass':1,'inertia':0.1,'position':[0.5,0]}],'joints':[{'name':'hinge',"
                  "'type':'revolute','bodies':['world','arm'],'at':[0,0],'motor':{'speed':'0','max':20}}]}",
                  0, NULL);
    advance(&r, 1);
    CHECK_NEAR(ss_sim_q(r.sim)[2], 0, 1e-8); /* 100 h^2 times an angular acceleration of 14 would be 0.07 */
    CHECK(summary(&r)->unconverged_steps == 0);
    leave(&r);
}

/* Round-off turns rows by 1e-13, and what the heavy box pushes by that moves the light one far: no positions are better. */
TEST(newtons_method_takes_few_iterations_for_a_heavy_box_on_a_light_one)
{
    run r = begin_with("scenes/mass_ratio.json", galpha_ggl, "time.step=1e-2");
    advance(&r, 0.5);
    CHECK(summary(&r)->newton <= 2 * summary(&r)->steps); /* 1.6; 4 beside the displacements alone */
    CHECK(summary(&r)->unconverged_steps == 0 && summary(&r)->max_penetration <= 1e-12);
    leave(&r);
}

/* What friction moves positions by changes in every step. A rough solution is enough to know it, and what was found at once is
 * corrected at once: 2.9 iterations a step, and 5 for an impact. With a solution to the last digit first it would be 4.8;
 * corrected in turn the impact would take 7. */
TEST(newtons_method_takes_few_iterations_where_friction_changes)
{
    run slides = begin_with("papers/ani06/painleve_tip.json", galpha_ggl, "time.step=1e-3"),
        strikes = begin_with("papers/ap97/rod_impact.json", galpha_ggl, "time.step=1e-2");
    advance(&slides, 0.05);
    advance(&strikes, 0.01);
    CHECK(2 * summary(&slides)->newton <= 7 * summary(&slides)->steps);
    CHECK(summary(&strikes)->newton <= 5);
    CHECK(summary(&slides)->unconverged_steps + summary(&strikes)->unconverged_steps == 0);
    leave(&slides);
    leave(&strikes);
}

/* The joint turns by 0.012 rad in a step: its force, carried on from the step before, takes back what the multipliers of this one
 * do along rows of the end. */
TEST(two_bodies_that_turn_together_with_a_spring_between_them_are_certified)
{
    static const char pair[] =
        "{'slipstick':1,'dimension':2,'gravity':[0,0],'time':{'step':0.005},'scheme':{'name':'galpha_ggl'},"
        "'bodies':[{'name':'a','type':'rigid','mass':0.7,'inertia':0.012,'position':[0,0],'velocity':[0,0.6],"
        "'angular_velocity':-2.4},{'name':'b','type':'rigid','mass':1.7,'inertia':0.04,'position':[0.5,0],"
        "'velocity':[0,-0.6],'angular_velocity':-2.4}],'joints':[{'type':'fixed','bodies':['a','b'],"
        "'at':[0.25,0]}],'forces':[{'type':'spring','bodies':['a','b'],'stiffness':164,'length':0.4}]}";
    run r = begin(pair, 0, NULL);
    advance(&r, 1);
    CHECK(summary(&r)->unconverged_steps == 0);
    CHECK_NEAR(summary(&r)->energy_final, summary(&r)->energy_initial, 1e-5 * summary(&r)->energy_initial);
    leave(&r);
}

/* A motor presses two boxes together with 200 N while both turn at 3 rad/s about their common centre. Nothing gives way: by rows
 * of one end of a step the motor takes what the contact gives. */
TEST(a_contact_that_a_motor_presses_while_both_turn_makes_no_energy)
{
    static const char boxes[] =
        "{'slipstick':1,'dimension':2,'gravity':[0,0],'time':{'step':0.01},'materials':[{'name':'m','mu':0,'e':0}],'bodies':["
        "{'name':'a','type':'rigid','mass':1,'position':[-0.1,0],'velocity':[0,-0.3],'angular_velocity':3,'shapes':[{'type':'box'"
        ","
        "'size':[0.2,0.1],'material':'m'}]},{'name':'b','type':'rigid','mass':1,'position':[0.1,0],'velocity':[0,0.3],"
        "'angular_velocity':3,'shapes':[{'type':'box','size':[0.2,0.1],'material':'m'}]}],'joints':[{'type':'prismatic',"
        "'bodies':['a','b'],'at':[0,0],'axis':[1,0],'collide':true,'motor':{'speed':'-1','max':200}}]}";
    const char *schemes[] = { "scheme.name=anitescu_potra", "scheme.name=anitescu_convex", "scheme.name=galpha_ggl" };
    for (size_t k = 0; k < sizeof schemes / sizeof *schemes; k++) {
        run r = begin(boxes, 1, &schemes[k]);
        advance(&r, 1);
        CHECK(summary(&r)->unconverged_steps == 0);
        CHECK(summary(&r)->energy_max <= 1.01 * summary(&r)->energy_initial);
        leave(&r);
    }
}

/* A bar falls flat on the floor, and its hinge is above one of its lower corners: this corner comes down slowly, and where it
 * touches it moves along the floor. To turn its approach round would take any impulse. */
TEST(a_bar_that_falls_flat_on_the_corner_below_its_hinge_gains_no_energy)
{
    static const char bar[] =
        "{'slipstick':1,'dimension':2,'gravity':[-2.55986108003,-9.47012202936],'time':{'step':0.005},"
        "'scheme':{'name':'galpha_ggl'},'materials':[{'name':'m','mu':0,'e':1}],'bodies':[{'name':'ground','type':'fixed',"
        "'shapes':[{'type':'half_space','normal':[0,1],'material':'m'}]},{'name':'bar','type':'rigid','mass':0.593,"
        "'position':[0.32195453706,0.142366703552],'angle':-1.235,'shapes':[{'type':'box','size':[0.06,0.682],"
        "'material':'m'}]}],'joints':[{'type':'revolute','bodies':['world','bar'],'at':[0,0.03]}]}";
    run r = begin(bar, 0, NULL);
    advance(&r, 0.25);
    CHECK(summary(&r)->unconverged_steps == 0);
    CHECK(summary(&r)->energy_max <= summary(&r)->energy_initial + 0.01); /* J; it falls by 0.6 J, and was thrown by 48 kJ */
    leave(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(impacts_of_a_ball_and_of_a_pendulum_come_nearer_to_their_exact_times),
        cmocka_unit_test(a_box_that_lands_and_slides_ends_where_it_does_with_located_events),
        cmocka_unit_test(the_foot_of_a_walker_moves_as_with_located_events),
        cmocka_unit_test(errors_of_smooth_motion_follow_the_tolerance),
        cmocka_unit_test(a_motor_of_limited_force_holds_an_arm_where_it_is),
        cmocka_unit_test(newtons_method_takes_few_iterations_for_a_heavy_box_on_a_light_one),
        cmocka_unit_test(newtons_method_takes_few_iterations_where_friction_changes),
        cmocka_unit_test(two_bodies_that_turn_together_with_a_spring_between_them_are_certified),
        cmocka_unit_test(a_contact_that_a_motor_presses_while_both_turn_makes_no_energy),
        cmocka_unit_test(a_bar_that_falls_flat_on_the_corner_below_its_hinge_gains_no_energy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
