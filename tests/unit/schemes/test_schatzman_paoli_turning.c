/* The scheme of Schatzman and Paoli where bodies turn far in a step: joints close by Newton's method, and neither impacts nor
 * contacts that last make energy of it. */
#include "unit/schemes/text_run.h"

#define HEAD(dimension, step)                                                                                                    \
    "{'slipstick':1,'dimension':" #dimension ",'gravity':[0,0" HEAD_##dimension "],'time':{'step':" step                         \
                                                                                "},'scheme':{'name':'schatzman_paoli'},"
#define HEAD_2
#define HEAD_3 ",0"
#define FLOOR  "{'name':'floor','type':'fixed','shapes':[{'type':'half_space','normal':[0,1],'material':'m'}]}"

static double energy_of(const run *r) { return ss_sim_last_step(r->sim)->kinetic; }

/* A body that turns by 1.2 rad in a step: the velocity of the state is half a step ahead of the step's own, and keeps its energy.
 */
TEST(a_free_body_that_whirls_keeps_its_energy)
{
    run r =
        begin("{'slipstick':1,'dimension':3,'gravity':[0,0,0],'time':{'until':1,'step':0.01},'scheme':{'name':'schatzman_paoli'},"
              "'bodies':[{'name':'box','type':'rigid','mass':1,'angular_velocity':[60,100,30],"
              "'shapes':[{'type':'box','size':[0.3,0.2,0.02]}]}]}",
              0, NULL);
    const double energy = summary(&r)->energy_initial;
    advance(&r, 1);
    CHECK_NEAR(summary(&r)->energy_max, energy, 1e-10 * energy);
    CHECK_NEAR(summary(&r)->energy_final, energy, 1e-10 * energy);
    leave(&r);
}

/* a flywheel at 60 rad/s, 0.6 rad in a step, in a frame that turns */
TEST(the_hinge_of_a_wheel_that_turns_far_in_a_step_closes_in_few_iterations)
{
    static const char text[] = HEAD(
        3, "0.01") "'bodies':[{'name':'frame','type':'rigid','mass':1,'inertia':[0.02,0.03,0.04],'angular_velocity':[0.5,0.3,0]},"
                   "{'name':'wheel','type':'rigid','mass':1,'inertia':[0.002,0.004,0.002],'position':[0.3,0,0],"
                   "'velocity':[0,0,-0.09],'angular_velocity':[0.5,60.3,0]}],"
                   "'joints':[{'name':'hinge','type':'revolute','bodies':['frame','wheel'],'at':[0.3,0,0],'axis':[0,1,0]}]}";
    run r = begin(text, 0, NULL);
    advance(&r, 0.5);
    CHECK(summary(&r)->newton <= 5 * 50); /* by the rows of the start alone: 20 in each of the 50 steps */
    CHECK(summary(&r)->max_joint_error <= 1e-13 && summary(&r)->unconverged_steps == 0);
    leave(&r);
}

/* Two cranks of 1 m and a coupler, which lie in one line twice in a turn: there the rows of the joints depend on each other, and
 * how close to that a step ends is a matter of chance. */
TEST(a_parallelogram_passes_its_flat_positions)
{
    static const char text[] = HEAD(
        2,
        "0.01") "'bodies':[{'name':'a','type':'rigid','mass':8,'inertia':0.8,'position':[0,0.5],'velocity':[-1.5,0],'angular_"
                "velocity':3},"
                "{'name':'b','type':'rigid','mass':9,'inertia':0.9,'position':[2,0.5],'velocity':[-1.5,0],'angular_velocity':3},"
                "{'name':'c','type':'rigid','mass':0.02,'inertia':0.002,'position':[1,1],'velocity':[-3,0]}],'joints':["
                "{'name':'j1','type':'revolute','bodies':['world','a'],'at':[0,0]},"
                "{'name':'j2','type':'revolute','bodies':['world','b'],'at':[2,0]},"
                "{'name':'j3','type':'revolute','bodies':['a','c'],'at':[0,1]},"
                "{'name':'j4','type':'revolute','bodies':['c','b'],'at':[2,1]}]}";
    for (int k = 0; k < 20; k++) {
        char step[40];
        snprintf(step, sizeof step, "time.step=%.17g", 0.01 + 1e-4 * k);
        run r = begin(text, 2, (const char *[]){ "gravity=[0,-10]", step });
        advance(&r, 2);
        CHECK(summary(&r)->unconverged_steps == 0);
        CHECK(summary(&r)->max_joint_error <= 1e-13); /* round-off; by the rows of the start alone up to 1e-11 */
        leave(&r);
    }
}

/* 0.3 rad in a step: by rows of two configurations the impact would make 2.6 of 14.25 J */
TEST(an_elastic_impact_of_a_rod_that_spins_makes_no_energy)
{
    static const char text[] = HEAD(
        2, "0.01") "'materials':[{'name':'m','mu':0,'e':1}],'bodies':[{'name':'rod','type':'rigid','mass':1,'position':[0,0.8],"
                   "'velocity':[0,-3],'angular_velocity':30,'shapes':[{'type':'box','size':[0.1,0.5],'material':'m'}]}," FLOOR
                   "]}";
    run r = begin(text, 0, NULL);
    advance(&r, 1);
    CHECK(summary(&r)->unconverged_steps == 0);
    CHECK_NEAR(energy_of(&r), 14.25, 0.1425); /* what the audit lets rows that turn a little make */
    leave(&r);
}

/* Two disks on a rail that turns at 8 rad/s, pressed together by a motor: nothing moves along the rail, so nobody works. */
TEST(a_contact_pressed_by_a_motor_does_no_work_while_both_turn)
{
    static const char text[] = HEAD(
        2, "0.01") "'materials':[{'name':'m','mu':0,'e':0}],'bodies':["
                   "{'name':'a','type':'rigid','mass':1,'inertia':0.1,'position':[0,0],'velocity':[0,-1],'angular_velocity':8,"
                   "'shapes':[{'type':'disk','radius':0.12,'material':'m'}]},"
                   "{'name':'b','type':'rigid','mass':1,'inertia':0.1,'position':[0.25,0],'velocity':[0,1],'angular_velocity':8,"
                   "'shapes':[{'type':'disk','radius':0.13,'material':'m'}]}],"
                   "'joints':[{'name':'p','type':'prismatic','bodies':['a','b'],'at':[0.12,0],'axis':[1,0],'collide':true,"
                   "'motor':{'speed':'-1','max':200}}]}";
    run r = begin(text, 0, NULL);
    advance(&r, 2);
    CHECK(summary(&r)->unconverged_steps == 0);
    CHECK_NEAR(energy_of(&r), 7.4, 0.2); /* the first step, which finds them at rest on the rail; by the rows of the end
                                                       86 J in 200 steps */
    leave(&r);
}

/* A chain of two light links that carries a heavy one swings out: the links turn far in a step. */
TEST(joints_of_light_links_that_carry_a_heavy_one_do_not_work)
{
    static const char text[] = HEAD(
        3, "0.005") "'materials':[{'name':'m','mu':0,'e':0}],'bodies':["
                    "{'name':'a','type':'rigid','mass':0.032,'position':[3,-0.05,1.7],"
                    "'shapes':[{'type':'capsule','material':'m','radius':0.03,'length':0.282}]},"
                    "{'name':'b','type':'rigid','mass':0.015,'position':[2.93297887838,-0.195597508694,1.36294764151],"
                    "'shapes':[{'type':'box','material':'m','size':[0.06,0.06,0.502]}]},"
                    "{'name':'c','type':'rigid','mass':18,'position':[2.8,-0.42,0.95],"
                    "'shapes':[{'type':'capsule','material':'m','radius':0.03,'length':0.436}]}],'joints':["
                    "{'name':'j1','type':'spherical','bodies':['world','a'],'at':[3.064,0,1.906]},"
                    "{'name':'j2','type':'spherical','bodies':['a','b'],'at':[2.99755781319,-0.0991895508979,1.58551463558]},"
                    "{'name':'j3','type':'spherical','bodies':['b','c'],'at':[2.86839994357,-0.29200546649,1.14038064743]}]}";
    run r = begin(text, 1, (const char *[]){ "gravity=[0,0,-9.81]" });
    double most = 0;
    for (int k = 0; k < 30; k++) {
        CHECK_OK(r.ctx, ss_sim_step(r.sim, ss_sim_step_size(r.sim)));
        most = fmax(most, fabs(ss_sim_ledger(r.sim)->joints));
    }
    CHECK(summary(&r)->unconverged_steps == 0);
    CHECK(most <= 0.05); /* 0.011 J, of 4 J that gravity does; with whole steps 0.16 J */
    leave(&r);
}

/* Links of a parallelogram that a spring presses on each other: both contacts of two links ask for what the joints ask for, too.
 */
TEST(a_parallelogram_pressed_flat_settles_with_its_links_on_each_other)
{
    static const char text[] = HEAD(
        2, "0.01") "'materials':[{'name':'m','mu':0.4,'e':0}],'bodies':["
                   "{'name':'a','type':'rigid','mass':5.75,'position':[0.499386868352,0.586080302528],'angle':-2.35619449019,"
                   "'velocity':[-0.499459218037,0.499459218037],'angular_velocity':3.881,"
                   "'shapes':[{'type':'box','material':'m','size':[0.06,0.364]}]},"
                   "{'name':'b','type':'rigid','mass':0.824,'position':[0.499386868352,0.328693434176],'angle':-3.92699081699,"
                   "'velocity':[0.499459218037,0.499459218037],'angular_velocity':3.881,"
                   "'shapes':[{'type':'box','material':'m','size':[0.06,0.364]}]},"
                   "{'name':'c','type':'rigid','mass':0.169,'position':[0.242,0.328693434176],'angle':-5.49778714378,"
                   "'velocity':[0.499459218037,-0.499459218037],'angular_velocity':3.881,"
                   "'shapes':[{'type':'capsule','material':'m','radius':0.03,'length':0.304}]},"
                   "{'name':'d','type':'rigid','mass':1.25,'position':[0.242,0.586080302528],'angle':-7.06858347058,"
                   "'velocity':[-0.499459218037,-0.499459218037],'angular_velocity':3.881,"
                   "'shapes':[{'type':'capsule','material':'m','radius':0.03,'length':0.304}]}],'joints':["
                   "{'name':'j1','type':'revolute','bodies':['d','a'],'at':[0.370693434176,0.714773736704]},"
                   "{'name':'j2','type':'revolute','bodies':['a','b'],'at':[0.628080302528,0.457386868352]},"
                   "{'name':'j3','type':'revolute','bodies':['b','c'],'at':[0.370693434176,0.2]},"
                   "{'name':'j4','type':'revolute','bodies':['c','d'],'at':[0.113306565824,0.457386868352]}],'forces':["
                   "{'name':'s','type':'spring','bodies':['a','c'],'anchors':[[0,0.182],[0,0.182]],'stiffness':200,'length':0}]}";
    static const char *const corners[] = { "forces.0.anchors=[[0,0.182],[0,0.182]]", "forces.0.anchors=[[0,-0.182],[0,-0.182]]" };
    for (int k = 0; k < 2; k++) {
        run r = begin(text, 1, &corners[k]);
        advance(&r, 1);
        CHECK(summary(&r)->max_contacts == 2 && summary(&r)->unconverged_steps == 0);
        CHECK(summary(&r)->max_joint_error <= 1e-10); /* what rounding may leave of gaps, too */
        leave(&r);
    }
}

/* A grain of a millimetre meets a capsule at 100 m/s. The impact makes it turn by hundreds of radians in a step, and the
 * gyroscopic impulse of that velocity would have any size: 38 054 J instead of 81 J. */
TEST(a_grain_that_an_impact_sends_whirling_makes_no_energy)
{
    static const char text[] =
        HEAD(3, "0.01") "'materials':[{'name':'m','mu':0,'e':0.5}],'bodies':[{'name':'grain','type':'rigid','density':1000,"
                        "'position':[0.3514064237683451,-0.2399859409047334,-0.4248720092129449],"
                        "'velocity':[-85.37819678898364,27.513815409355317,24.164543732890287],"
                        "'orientation':[0.27113136458222503,-0.7136465891918056,0.06902008284142058,-0.6422091225132561],"
                        "'shapes':[{'type':'box','material':'m','size':[1.0203494700272724e-3,4.719748449706945e-4,"
                        "7.575657037541842e-4]}]},"
                        "{'name':'capsule','type':'rigid','density':1000,'velocity':[-27.054363870109132,-12.492817703574156,"
                        "-46.53057505630664],'orientation':[0.150639603085685,0.7852782029362634,-0.5418473000414351,"
                        "0.25893504477607304],'shapes':[{'type':'capsule','radius':0.016580354047463466,"
                        "'length':0.039465170811750674,'material':'m'}]}]}";
    run r = begin(text, 0, NULL);
    advance(&r, 0.06);
    CHECK(summary(&r)->energy_final < (1 - 1e-6) * summary(&r)->energy_initial); /* they met */
    CHECK(summary(&r)->energy_max <= summary(&r)->energy_initial * (1 + 1e-12));
    leave(&r);
}

/* A point of 1 kg meets the corner of a square of 0.2 g, without restitution. What is struck turns by 3000 rad in a step, and
 * sides of it that come round would push both of them. */
TEST(a_point_that_strikes_a_corner_is_not_pushed_on_by_the_other_sides)
{
    static const char text[] = HEAD(
        2, "0.01") "'materials':[{'name':'m','mu':0,'e':0}],'bodies':[{'name':'point','type':'particle','mass':1,"
                   "'position':[-0.15851390939059595,1.61013054738995],'velocity':[8.87823240125495,-129.76448563543988],"
                   "'shapes':[{'type':'point','material':'m'}]},"
                   "{'name':'square','type':'rigid','density':1000,'angle':-2.062586019566535,"
                   "'velocity':[-0.917421480426985,-30.245416281721077],'shapes':[{'type':'polygon','material':'m','points':["
                   "[2.974699992687778e-4,0],[0,2.974699992687778e-4],[-2.974699992687778e-4,0],[0,-2.974699992687778e-4]]}]}]}";
    run r = begin(text, 0, NULL);
    advance(&r, 0.06);
    CHECK(ss_sim_v(r.sim)[1] > -129.76448563543988); /* slower than before */
    CHECK(summary(&r)->energy_max <= summary(&r)->energy_initial * (1 + 1e-12));
    leave(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_free_body_that_whirls_keeps_its_energy),
        cmocka_unit_test(the_hinge_of_a_wheel_that_turns_far_in_a_step_closes_in_few_iterations),
        cmocka_unit_test(a_parallelogram_passes_its_flat_positions),
        cmocka_unit_test(an_elastic_impact_of_a_rod_that_spins_makes_no_energy),
        cmocka_unit_test(a_contact_pressed_by_a_motor_does_no_work_while_both_turn),
        cmocka_unit_test(joints_of_light_links_that_carry_a_heavy_one_do_not_work),
        cmocka_unit_test(a_parallelogram_pressed_flat_settles_with_its_links_on_each_other),
        cmocka_unit_test(a_grain_that_an_impact_sends_whirling_makes_no_energy),
        cmocka_unit_test(a_point_that_strikes_a_corner_is_not_pushed_on_by_the_other_sides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
