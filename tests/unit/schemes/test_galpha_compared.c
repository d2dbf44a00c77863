/* galpha_index3 and galpha_modified, the negative examples of BAC14: they follow their equations, on one ball written out by
 * hand, they fail as the paper shows, and a run says what they are. */
#include "schemes/galpha/galpha_inside.h"
#include "text_run.h"

static const double H = 2e-3, G = 10, E = 0.8, RADIUS = 0.2,
                    ROUND_OFF = 1e-7; /* an impact makes that of a gap a velocity, 1/h as large */

typedef struct ball {
    double y, v, w, a; /* height above the floor, velocity, acceleration, pseudo-acceleration */
} ball;

/* [BAC14 eq. 52] with acceleration w at the end */
static ball differences(const galpha_rule *r, ball b, double w)
{
    const double a = ((1 - r->alpha_f) * w + r->alpha_f * b.w - r->alpha_m * b.a) / (1 - r->alpha_m);
    return (ball){ b.y + H * b.v + H * H * ((0.5 - r->beta) * b.a + r->beta * a), b.v + H * ((1 - r->gamma) * b.a + r->gamma * a),
                   w, a };
}

/* [BAC14 eq. 51]: the force that brings the ball to the floor */
static ball smooth_step(const galpha_rule *r, ball b)
{
    const ball free = differences(r, b, -G), pushed = differences(r, b, 1 - G);
    return free.y >= 0 ? free : differences(r, b, -G - free.y / (pushed.y - free.y));
}

/* [BAC14 eq. 25, 27, 35] */
static ball modified_step(const galpha_rule *r, ball b)
{
    const double y = b.y + H * b.v - H * H * G / 2, v = b.v - H * G, jump = y <= 0 ? fmax(0, -E * b.v - v) : 0;
    (void)r;
    return (ball){ fmax(0, y + H * jump), v + jump, -G, -G };
}

static run begin_ball(const char *scheme)
{
    const char *set[1] = { scheme };
    return begin_file("papers/bac14/ball.json", 1, set);
}

/* every step to t = 5; returned is the largest height after t = 4 */
static double follow(const run *r, ball (*step)(const galpha_rule *, ball))
{
    const galpha_rule rule = galpha_rule_of(0.8);
    ball b = { 0.801, 0, -G, -G };
    double highest = 0;
    for (int k = 0; k < 2500; k++) {
        b = step(&rule, b);
        CHECK_OK(r->ctx, ss_sim_step(r->sim, H));
        CHECK_NEAR(ss_sim_q(r->sim)[1], b.y + RADIUS, ROUND_OFF);
        CHECK_NEAR(ss_sim_v(r->sim)[1], b.v, ROUND_OFF / H);
        highest = k >= 2000 ? fmax(highest, b.y) : highest;
    }
    return highest;
}

TEST(impacts_without_a_law_make_energy_as_the_equations_say)
{
    run r = begin_ball("scheme.name=galpha_index3");
    CHECK(follow(&r, smooth_step) > 1); /* it should be at rest by then */
    CHECK(ss_sim_ledger(r.sim)->contact_normal + ss_sim_ledger(r.sim)->joints > 100);
    CHECK(summary(&r)->remark[SS_REMARK_ENERGY].steps > 0 && summary(&r)->unconverged_steps > 0);
    leave(&r);
}

TEST(a_law_with_the_difference_of_both_multipliers_chatters_as_the_equations_say)
{
    run r = begin_ball("scheme.name=galpha_modified");
    CHECK(follow(&r, modified_step) > H * H * G); /* it should be at rest by then */
    leave(&r);
}

TEST(a_run_says_that_its_scheme_is_a_demonstration)
{
    const char *const names[] = { "scheme.name=galpha_index3", "scheme.name=galpha_modified", "scheme.name=galpha_ggl" };
    for (int k = 0; k < 3; k++) {
        char text[512] = "";
        run r = begin_ball(names[k]);
        const bool any = ss_sim_warning(r.sim, 0, text, sizeof text);
        CHECK(any == (k < 2) && any == (strstr(text, "is a demonstration") != NULL));
        leave(&r);
    }
}

/* the pivot at position level alone: exact there, of order 2 before the first impact */
TEST(smooth_motion_with_positions_alone_is_of_order_2_and_its_joints_do_not_open)
{
    double error[2];
    for (int k = 0; k < 2; k++) {
        const char *set[2] = { "scheme.name=galpha_index3", k == 0 ? "time.step=4e-3" : "time.step=2e-3" };
        run r = begin_file("papers/bac14/pendulum.json", 2, set);
        advance(&r, 0.4);
        error[k] = fabs(ss_sim_q(r.sim)[2] + 0.450878091411);
        CHECK(summary(&r)->max_joint_error <= 1e-12 && summary(&r)->unconverged_steps == 0);
        leave(&r);
    }
    CHECK_NEAR(error[0] / error[1], 4, 0.1); /* order 2, up to the next term */
}

#define WHEEL(motor, mu)                                                                                                         \
    "{'slipstick':1,'dimension':2,'time':{'until':1,'step':0.01},'materials':[{'name':'m','mu':" mu                              \
    "}],'bodies':[{'name':'b','type':'rigid','mass':1,'inertia':1,'shapes':[{'type':'disk','radius':0.1,'material':'m'}]},"      \
    "{'name':'floor','type':'fixed','position':[0,-1],'shapes':[{'type':'half_space','normal':[0,1],'material':'m'}]}],"         \
    "'joints':[{'name':'axle','type':'revolute','bodies':['world','b'],'anchors':[[0,0],[0,0]]" motor "}]}"

static void check_refused(const char *text, const char *scheme, const char *why)
{
    ss_context *ctx = test_context();
    CHECK_FAILS(ctx, whole_run(ctx, text, scheme, 0.1), SS_ERR_UNSUPPORTED, why);
    ss_context_destroy(ctx);
}

TEST(friction_and_motors_that_hold_a_speed_are_refused)
{
    check_refused(WHEEL("", "0.3"), "scheme.name=galpha_index3", "does not treat friction");
    check_refused(WHEEL("", "0.3"), "scheme.name=galpha_modified", "does not treat friction");
    check_refused(WHEEL(",'motor':{'speed':0}", "0"), "scheme.name=galpha_index3", "the motor of joint axle holds a speed");
    check_refused(WHEEL(",'motor':{'speed':0,'max':2}", "0"), "scheme.name=galpha_index3", "the motor of joint axle");
    check_refused(WHEEL(",'friction':1", "0"), "scheme.name=galpha_index3", "the dry friction of joint axle acts on a speed");
}

TEST(demonstrations_come_last_in_the_registry)
{
    for (int k = 0; k < ss_registry_count(SS_SCHEMES); k++) {
        CHECK(ss_registry_entry(SS_SCHEMES, k)->demonstration == (k >= tested_schemes()));
    }
    CHECK(ss_registry_count(SS_SCHEMES) == tested_schemes() + 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(impacts_without_a_law_make_energy_as_the_equations_say),
        cmocka_unit_test(a_law_with_the_difference_of_both_multipliers_chatters_as_the_equations_say),
        cmocka_unit_test(a_run_says_that_its_scheme_is_a_demonstration),
        cmocka_unit_test(smooth_motion_with_positions_alone_is_of_order_2_and_its_joints_do_not_open),
        cmocka_unit_test(friction_and_motors_that_hold_a_speed_are_refused),
        cmocka_unit_test(demonstrations_come_last_in_the_registry),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
