/* Contacts that joints block: what is found, and from which angle on. */
#include "kernels/blocked.h"
#include "unit/schemes/event_capturing_rk/closed_scene.h"

/* contacts that touch in the scene, and how many of them the joints block; *velocity is that of the first */
static void count_blocked(const char *text, int sets, const char *const *set, int *touching, int *blocked, double *velocity)
{
    closed_scene x;
    ss_blocked *b;
    ss_config c;
    open_held(&x, text, 0, sets, set);
    *touching = x.set.n;
    CHECK_OK(x.ctx, ss_blocked_create(x.ctx, x.m, &b));
    CHECK_OK(x.ctx, ss_config_take(x.s->arena, x.m, &c));
    ss_config_set(x.m, 0, x.q, &c);
    ss_config_drive(x.m, 0, 0, &c);
    CHECK_OK(x.ctx, ss_blocked_leave_out(b, &c, &x.set));
    *blocked = ss_blocked_contacts(b)->n;
    *velocity = *blocked > 0 ? ss_blocked_velocity(b, 0) : NAN;
    CHECK(x.set.n == *touching - *blocked);
    ss_blocked_destroy(b);
    close_held(&x);
}

#define BALL(name, x, y)                                                                                                         \
    "{'name':'" name "','type':'rigid','mass':1,'position':[" x "," y "],'shapes':[{'type':'sphere','radius':1}]}"
#define FLOOR "{'name':'floor','type':'fixed','shapes':[{'type':'half_space','normal':[0,1]}]}"

TEST(balls_that_are_welded_together_and_touch_are_blocked)
{
    int touching, blocked;
    double velocity;
    count_blocked(HEAD(2, "[0,-1]") "'bodies':[" BALL("a", "0", "0") "," BALL(
                      "b", "2", "0") "],"
                                     "'joints':[{'name':'w','type':'fixed','bodies':['a','b'],'at':[0.3,0.7],'collide':true}]}",
                  0, NULL, &touching, &blocked, &velocity);
    CHECK(touching == 1 && blocked == 1 && velocity == 0);
}

/* a ball on the floor that hangs on a hinge above its lowest point, and beside it by the tangent of an angle */
static int blocked_by_hinge(double angle, const char *mass)
{
    char at[80], heavy[80];
    const char *set[] = { at, heavy };
    int touching, blocked;
    double velocity;
    snprintf(at, sizeof at, "joints.h.at=[%.17g,1]", tan(angle));
    snprintf(heavy, sizeof heavy, "bodies.a.mass=%s", mass);
    count_blocked(HEAD(2, "[0,-1]") "'bodies':[" BALL(
                      "a", "0", "1") "," FLOOR "],"
                                     "'joints':[{'name':'h','type':'revolute','bodies':['a','world'],'at':[0,1]}]}",
                  2, set, &touching, &blocked, &velocity);
    CHECK(touching == 1);
    return blocked;
}

TEST(a_hinge_blocks_a_contact_whose_normal_meets_its_axis_up_to_the_angle_that_drift_makes)
{
    CHECK(blocked_by_hinge(0, "1") == 1);
    CHECK(blocked_by_hinge(1e-5, "1") == 1); /* a squared sine of 2e-10, of which 1e-9 is allowed */
    CHECK(blocked_by_hinge(1e-4, "1") == 0);
    CHECK(blocked_by_hinge(1e-5, "1e6") == 1 && blocked_by_hinge(1e-4, "1e6") == 0);
}

/* with masses of 1e-3 and 1e6 the light one cannot move the heavy one: that is no blocking */
TEST(a_light_body_that_is_welded_to_a_heavy_one_is_not_blocked)
{
    int touching, blocked;
    double velocity;
    const char *set[] = { "bodies.a.mass=1e-4", "bodies.b.mass=1e7" };
    count_blocked(HEAD(2, "[0,-1]") "'bodies':[" BALL("a", "0", "1") "," BALL(
                      "b", "0", "4") "," FLOOR "],"
                                     "'joints':[{'name':'w','type':'fixed','bodies':['a','b'],'at':[0,1]},"
                                     "{'name':'h','type':'revolute','bodies':['b','world'],'at':[3,4]}]}",
                  2, set, &touching, &blocked, &velocity);
    CHECK(touching == 1 && blocked == 0);
}

TEST(a_motor_prescribes_the_velocity_of_a_contact_that_it_blocks)
{
    int touching, blocked;
    double velocity;
    const char *set[] = { "bodies.a.velocity=[0,-0.5]" };
    count_blocked(HEAD(2, "[0,-1]") "'bodies':[" BALL(
                      "a", "0", "1") "," FLOOR "],"
                                     "'joints':[{'name':'p','type':'prismatic','bodies':['world','a'],'at':[0,1],'axis':[0,1],"
                                     "'motor':{'speed':-0.5}}]}",
                  1, set, &touching, &blocked, &velocity);
    CHECK(touching == 1 && blocked == 1);
    CHECK_NEAR(velocity, -0.5, 1e-14);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(balls_that_are_welded_together_and_touch_are_blocked),
        cmocka_unit_test(a_hinge_blocks_a_contact_whose_normal_meets_its_axis_up_to_the_angle_that_drift_makes),
        cmocka_unit_test(a_light_body_that_is_welded_to_a_heavy_one_is_not_blocked),
        cmocka_unit_test(a_motor_prescribes_the_velocity_of_a_contact_that_it_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
