/* A parallelogram where all its links lie in one line: there it has one freedom more, and one joint row depends on the others. */
#include "text_run.h"

#include <math.h>

static const double PI = 3.14159265358979323846;

/* Two cranks of 1 m on the ground, 1 m apart, at `angle` from the x axis and turning with `rate`, and the coupler of their ends;
 * drive: text of the motor at the first hinge. */
static run parallelogram(const char *scheme, double angle, double rate, const char *drive)
{
    char text[2048], set[64];
    const double c = cos(angle), s = sin(angle);
    snprintf(
        text, sizeof text,
        "{'slipstick':1,'dimension':2,'gravity':[0,-9.81],'time':{'until':2,'step':0.01},'bodies':["
        "{'name':'a','type':'rigid','mass':1,'inertia':'1/12','position':[%.17g,%.17g],'angle':%.17g,'velocity':[%.17g,%.17g],"
        "'angular_velocity':%.17g},"
        "{'name':'b','type':'rigid','mass':1,'inertia':'1/12','position':[%.17g,%.17g],'angle':%.17g,'velocity':[%.17g,%.17g],"
        "'angular_velocity':%.17g},"
        "{'name':'c','type':'rigid','mass':1,'inertia':'1/12','position':[%.17g,%.17g],'velocity':[%.17g,%.17g]}],"
        "'joints':[{'type':'revolute','bodies':['world','a'],'anchors':[[0,0],[-0.5,0]]%s},"
        "{'type':'revolute','bodies':['a','c'],'anchors':[[0.5,0],[-0.5,0]]},"
        "{'type':'revolute','bodies':['world','b'],'anchors':[[1,0],[-0.5,0]]},"
        "{'type':'revolute','bodies':['b','c'],'anchors':[[0.5,0],[0.5,0]]}]}",
        c / 2, s / 2, angle, -s * rate / 2, c * rate / 2, rate, 1 + c / 2, s / 2, angle, -s * rate / 2, c * rate / 2, rate,
        0.5 + c, s, -s * rate, c * rate, drive);
    snprintf(set, sizeof set, "scheme.name=%s", scheme);
    return begin(text, 1, (const char *const[]){ set });
}

static double angle_of(const run *r, int body) { return ss_sim_q(r->sim)[3 * body + 2]; }

/* joints hold to round-off, and the coupler keeps its direction */
static void check_parallel(const run *r)
{
    CHECK(summary(r)->max_joint_error < 1e-12);
    CHECK_NEAR(angle_of(r, 0), angle_of(r, 1), 1e-9);
    CHECK_NEAR(angle_of(r, 2), 0, 1e-9);
}

TEST(galpha_ggl_leaves_a_flat_start_certified_and_without_drift)
{
    for (int k = 0; k < 2; k++) {
        run r = parallelogram("galpha_ggl", 0, k, "");
        advance(&r, 0.3);
        CHECK(summary(&r)->unconverged_steps == 0);
        CHECK(summary(&r)->newton <= 5 * summary(&r)->steps);
        check_parallel(&r);
        leave(&r);
    }
}

/* A quarter of a turn in 1 s: after 100 steps the cranks are flat to round-off. What holds the second crank before grows like one
 * over the angle, and at the flat position nothing can: it falls freely for a step. */
TEST(galpha_ggl_is_driven_onto_a_flat_position_and_beyond)
{
    run r = parallelogram("galpha_ggl", PI / 2, -PI / 2, ",'motor':{'speed':'-pi/2'}");
    advance(&r, 2);
    CHECK(summary(&r)->unconverged_steps <= 1);
    CHECK_NEAR(angle_of(&r, 0), -PI / 2, 1e-10);
    check_parallel(&r);
    leave(&r);
}

/* Rows that count as redundant near the flat position hold for the present motion, though not for every one that a motor allows.
 */
TEST(a_motor_that_drives_a_linkage_past_a_flat_position_contradicts_nothing)
{
    run r = parallelogram("moreau", PI / 2, -PI / 2, ",'motor':{'speed':'-pi/2'}");
    advance(&r, 2);
    CHECK(summary(&r)->remark[SS_REMARK_CONTRADICTION].steps == 0);
    CHECK(summary(&r)->unconverged_steps == 0);
    check_parallel(&r);
    leave(&r);
}

/* Its joints are redundant where they are satisfied, but not at the points of Newton's method, which are far off at first. */
TEST(galpha_ggl_takes_long_steps_with_the_redundant_joints_of_bricards_mechanism)
{
    const char *const set[] = { "time.step=0.06" };
    run r = begin_file("scenes/bricard.json", 1, set);
    advance(&r, 1.2);
    CHECK(summary(&r)->unconverged_steps == 0);
    CHECK(summary(&r)->newton <= 5 * summary(&r)->steps);
    CHECK(summary(&r)->max_joint_error < 1e-12);
    leave(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(galpha_ggl_leaves_a_flat_start_certified_and_without_drift),
        cmocka_unit_test(galpha_ggl_is_driven_onto_a_flat_position_and_beyond),
        cmocka_unit_test(galpha_ggl_takes_long_steps_with_the_redundant_joints_of_bricards_mechanism),
        cmocka_unit_test(a_motor_that_drives_a_linkage_past_a_flat_position_contradicts_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
