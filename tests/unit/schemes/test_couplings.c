/* Joints that slide, turn and wind, and couplings of joints, by every scheme: motions with constant accelerations are exact but
 * for round-off, over many turns; forces of threads and gears do no work; a cross of two axes passes turns on by Cardan's rule.
 */
#include "hinge_run.h"

#define SCENE(dimension, gravity, bodies, joints, more)                                                                          \
    "{'slipstick':1,'dimension':" dimension ",'gravity':" gravity ",'time':{'until':1,'step':0.01},'bodies':[" bodies "],"       \
    "'joints':[" joints "]" more "}"

/* A scene in which velocity `v` grows by `rate` in every second. */
typedef struct drop {
    const char *name, *text;
    int v;
    double start, rate;
} drop;

static const drop drops[] = {
    /* m g / (m + I (2 pi / pitch)^2): 40 turns in a second */
    { "a nut runs down its thread",
      SCENE("3", "[0,0,-10]", "{'name':'b','type':'rigid','mass':2,'inertia':[1,1,0.0005]}",
            "{'name':'j','type':'screw','bodies':['world','b'],'axis':[0,0,1],'pitch':'0.02*pi'}", ""),
      5, 0, -10 / (0.01 + 0.0005 / (2 * 0.01)) },
    { "a bush slides down its shaft and spins on",
      SCENE("3", "[0,0,-10]", "{'name':'b','type':'rigid','mass':2,'inertia':[1,1,1],'angular_velocity':[0,0,7]}",
            "{'name':'j','type':'cylindrical','bodies':['world','b'],'axis':[0,0,1]}", ""),
      2, 0, -10 },
    /* g sin a along a wire with the slope 3/4, of which 4/5 is along x */
    { "a bead slides down a wire",
      SCENE("2", "[0,-10]", "{'name':'b','type':'particle','mass':2,'position':[0,0]}",
            "{'name':'j','type':'point_on_line','bodies':['world','b'],'axis':[4,-3]}", ""),
      0, 0, 10 * 0.6 * 0.8 },
    { "a block slides down a slope without turning over",
      SCENE("3", "[0,0,-10]", "{'name':'b','type':'rigid','mass':2,'inertia':[1,2,3],'velocity':[0,3,0]}",
            "{'name':'j','type':'planar','bodies':['world','b'],'axis':[3,0,4],'at':[0.5,1,-0.375]}", ""),
      0, 0, 10 * 0.6 * 0.8 },
    /* T / (I_1 + ratio^2 I_2), 24 turns of the first wheel in a second */
    { "a torque turns two wheels in mesh",
      SCENE("2", "[0,0]",
            "{'name':'a','type':'rigid','mass':1,'inertia':1},{'name':'b','type':'rigid','mass':1,'inertia':2,'position':[3,0]}",
            "{'name':'j','type':'revolute','bodies':['world','a']},"
            "{'name':'k','type':'revolute','bodies':['world','b'],'at':[3,0]},"
            "{'name':'g','type':'gear','joints':['j','k'],'ratio':-0.5}",
            ",'forces':[{'type':'constant','body':'a','torque':450}]"),
      2, 0, 450 / (1 + 0.25 * 2) },
    /* the same between a wheel about y and one about z, on a frame that stands still */
    { "a torque turns two wheels in mesh in space",
      SCENE("3", "[0,0,0]",
            "{'name':'a','type':'rigid','mass':1,'inertia':[1,1,1]},"
            "{'name':'b','type':'rigid','mass':1,'inertia':[1,1,2],'position':[3,0,0]}",
            "{'name':'j','type':'revolute','bodies':['world','a'],'axis':[0,1,0]},"
            "{'name':'k','type':'revolute','bodies':['b','world'],'at':[3,0,0],'axis':[0,0,1]},"
            "{'name':'g','type':'gear','joints':['j','k'],'ratio':2}",
            ",'forces':[{'type':'constant','body':'a','torque':[0,450,0]}]"),
      4, 0, 450 / (1 + 4.0 * 2) },
    /* m g / (m + I / r^2) */
    { "a rack falls and turns its pinion",
      SCENE(
          "2", "[0,-10]",
          "{'name':'a','type':'rigid','mass':1,'inertia':0.02},{'name':'b','type':'rigid','mass':2,'inertia':1,'position':[1,0]}",
          "{'name':'k','type':'prismatic','bodies':['world','b'],'axis':[0,1],'at':[1,0]},"
          "{'name':'g','type':'rack','joints':['j','k'],'radius':0.1},"
          "{'name':'j','type':'revolute','bodies':['world','a']}",
          ""),
      4, 0, -10 * 2 / (2 + 0.02 / 0.01) },
};
enum { DROPS = sizeof drops / sizeof *drops };

TEST(constant_forces_give_the_accelerations_of_the_textbook_in_every_joint_and_scheme)
{
    for (int k = 0; k < ways(); k++) {
        way w = way_of(k, 0.01);
        for (int j = 0; j < DROPS; j++) {
            print_message("%s: %s%s\n", drops[j].name, w.scheme->name, w.controlled ? ", step control" : "");
            run r = begin_way(drops[j].text, &w, NULL);
            advance(&r, 1);
            const ss_ledger *l = ss_sim_ledger(r.sim);
            const double v = drops[j].start + drops[j].rate;
            /* the rows are constant: a hundred steps of round-off, 1e-10 of the contact and joint solvers */
            CHECK_NEAR(ss_sim_v(r.sim)[drops[j].v], v, 1e-9 * fabs(v));
            CHECK_NEAR(l->joints, 0, 1e-9 * l->kinetic_change); /* joints do no work */
            end_certified(&r);
        }
    }
}

/* with shafts at the angle b, tan(out) = tan(in) cos(b) where both are measured from the plane of the two shafts */
TEST(a_cross_of_two_axes_turns_the_second_shaft_by_the_rule_of_cardan)
{
    static const char *const text =
        SCENE("3", "[0,0,0]",
              "{'name':'a','type':'rigid','mass':1,'inertia':[1,1,1]},"
              "{'name':'b','type':'rigid','mass':1,'inertia':[1,1,1]}",
              "{'name':'in','type':'revolute','bodies':['world','a'],'axis':[1,0,0],'motor':{'speed':'2*t'}},"
              "{'name':'cross','type':'universal','bodies':['a','b'],'axis':[0,1,0],'second_axis':['-sin(0.5)',0,'cos(0.5)']},"
              "{'name':'out','type':'revolute','bodies':['world','b'],'axis':['cos(0.5)',0,'sin(0.5)']}",
              "");
    for (int k = 0; k < ways(); k += 2) { /* fixed steps */
        way w = way_of(k, 0.01);
        double in, out;
        print_message("%s%s\n", w.scheme->name, w.controlled ? ", step control" : "");
        run r = begin_way(text, &w, NULL);
        advance(&r, 1);
        CHECK_OK(r.ctx, ss_sim_joint_motion(r.sim, 0, &in, NULL));
        CHECK_OK(r.ctx, ss_sim_joint_motion(r.sim, 2, &out, NULL));
        /* schemes that do not correct joints drift by O(h^2); the angle itself has an error of O(h) */
        CHECK_NEAR(in, 1, 0.02);
        CHECK_NEAR(tan(out), tan(in) * cos(0.5), 1e-3);
        leave(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constant_forces_give_the_accelerations_of_the_textbook_in_every_joint_and_scheme),
        cmocka_unit_test(a_cross_of_two_axes_turns_the_second_shaft_by_the_rule_of_cardan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
