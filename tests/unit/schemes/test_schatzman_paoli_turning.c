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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_hinge_of_a_wheel_that_turns_far_in_a_step_closes_in_few_iterations),
        cmocka_unit_test(a_parallelogram_passes_its_flat_positions),
        cmocka_unit_test(an_elastic_impact_of_a_rod_that_spins_makes_no_energy),
        cmocka_unit_test(a_contact_pressed_by_a_motor_does_no_work_while_both_turn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
