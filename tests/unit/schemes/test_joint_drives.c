/* Dry friction, springs, dampers and servos on the coordinates of joints, by every scheme: friction holds what is below its bound
 * and brakes with the bound above it; springs and dampers follow the closed form over several turns; servos stay stable however
 * stiff they are and never give more than their limit. Their work is where the ledger says. */
#include "hinge_run.h"

/* A wheel of inertia 1 with a hinge that has further keys; a torque acts on it. */
static void write_wheel(char *text, size_t size, double rate, double torque, const char *own)
{
    snprintf(text, size,
             "{'slipstick':1,'dimension':2,'gravity':[0,0],'time':{'until':1,'step':0.01},"
             "'bodies':[{'name':'b','type':'rigid','mass':1,'inertia':1,'angular_velocity':%.17g}],"
             "'joints':[{'name':'j','type':'revolute','bodies':['world','b'],%s}],"
             "'forces':[{'type':'constant','body':'b','torque':%.17g}]}",
             rate, own, torque);
}

/* the same wheel in space, about an axis that is none of the coordinates' */
static void write_wheel_in_space(char *text, size_t size, double rate, double torque, const char *own)
{
    snprintf(text, size,
             "{'slipstick':1,'dimension':3,'gravity':[0,0,0],'time':{'until':1,'step':0.01},"
             "'bodies':[{'name':'b','type':'rigid','mass':1,'inertia':[1,1,1],'angular_velocity':[%.17g,%.17g,%.17g]}],"
             "'joints':[{'name':'j','type':'revolute','bodies':['world','b'],'axis':[1,2,2],%s}],"
             "'forces':[{'type':'constant','body':'b','torque':[%.17g,%.17g,%.17g]}]}",
             rate / 3, 2 * rate / 3, 2 * rate / 3, own, torque / 3, 2 * torque / 3, 2 * torque / 3);
}

typedef struct wheel {
    double rate, torque;
    const char *own;
} wheel;

static run begin_wheel(const way *w, int dimension, const wheel *x)
{
    char text[2048];
    (dimension == 2 ? write_wheel : write_wheel_in_space)(text, sizeof text, x->rate, x->torque, x->own);
    print_message("%s%s, %dD\n", w->scheme->name, w->controlled ? ", step control" : "", dimension);
    return begin_way(text, w, NULL);
}

static void read_wheel(const run *r, double *angle, double *rate)
{
    CHECK_OK(r->ctx, ss_sim_joint_motion(r->sim, 0, angle, rate));
}

/* ---- friction -------------------------------------------------------------------------------------------- */

TEST(dry_friction_holds_a_wheel_against_a_smaller_torque)
{
    for (int k = 0; k < 2 * ways(); k++) {
        way w = way_of(k / 2, 0.01);
        run r = begin_wheel(&w, 2 + k % 2, &(wheel){ 0, 1.9, "'friction':2" });
        double angle, rate;
        advance(&r, 1);
        read_wheel(&r, &angle, &rate);
        CHECK_NEAR(rate, 0, 1e-11); /* 1e-10 of the solver, of the torque in a step */
        CHECK_NEAR(angle, 0, 1e-11);
        end_certified(&r);
    }
}

TEST(dry_friction_takes_its_bound_from_a_larger_torque)
{
    for (int k = 0; k < 2 * ways(); k++) {
        way w = way_of(k / 2, 0.01);
        run r = begin_wheel(&w, 2 + k % 2, &(wheel){ 0, 5, "'friction':2" });
        double angle, rate;
        advance(&r, 1);
        read_wheel(&r, &angle, &rate);
        const ss_ledger *l = ss_sim_ledger(r.sim);
        CHECK_NEAR(rate, 3, 1e-9);
        CHECK_NEAR(l->contact_friction, -2.0 / 5 * l->applied, 1e-9); /* both act along the same way */
        CHECK_NEAR(l->kinetic_change, 4.5, 1e-9);
        CHECK(l->contact_normal == 0);
        end_certified(&r);
    }
}

TEST(dry_friction_stops_a_wheel_and_its_whole_energy_is_in_the_ledger_of_friction)
{
    for (int k = 0; k < 2 * ways(); k++) {
        way w = way_of(k / 2, 0.01);
        run r = begin_wheel(&w, 2 + k % 2, &(wheel){ 1.3, 0.5, "'friction':2.5" });
        double angle, rate;
        advance(&r, 1);
        read_wheel(&r, &angle, &rate);
        CHECK_NEAR(rate, 0, 1e-9);
        CHECK_NEAR(angle, 1.3 * 1.3 / 4, 0.011); /* w^2 / (2 T), and up to half a step of the first speed */
        CHECK_NEAR(ss_sim_ledger(r.sim)->contact_friction, -2.5 / 2 * 0.5 * 1.3 * 1.3, 0.015);
        end_certified(&r);
    }
}

/* ---- springs and dampers ---------------------------------------------------------------------------------- */

/* x'' + c x' + k x = 0 from 20 rad, three turns away from rest: k = 4, c = 0.4, damped frequency sqrt(4 - 0.04) */
TEST(a_torsion_spring_and_a_damper_follow_the_closed_form_over_several_turns)
{
    const double h = 0.002, t = 0.8, a = 0.2, w1 = sqrt(4 - a * a);
    const double exact = 20 * exp(-a * t) * (cos(w1 * t) + a / w1 * sin(w1 * t));
    for (int k = 0; k < 2 * ways(); k++) {
        way w = way_of(k / 2, h);
        run r = begin_wheel(&w, 2 + k % 2, &(wheel){ 0, 0, "'start':20,'stiffness':4,'rest':0,'damping':0.4" });
        double angle, rate;
        CHECK_NEAR(summary(&r)->energy_initial, 0.5 * 4 * 400, 1e-12);
        advance(&r, t);
        read_wheel(&r, &angle, &rate);
        const ss_ledger *l = ss_sim_ledger(r.sim);
        CHECK_NEAR(angle, exact, 0.1); /* methods of order one: 20 rad times k h t */
        CHECK_NEAR(l->springs + l->dampers + l->scheme, l->kinetic_change, 1e-9);
        CHECK(l->dampers < 0 && l->applied == 0);
        end_certified(&r);
    }
}

/* ---- servos ------------------------------------------------------------------------------------------------ */

TEST(a_servo_of_any_stiffness_brings_its_joint_to_the_position_and_its_work_is_applied)
{
    for (int k = 0; k < 2 * ways(); k++) {
        way w = way_of(k / 2, 0.01);
        run r = begin_wheel(&w, 2 + k % 2, &(wheel){ 0, 0, "'motor':{'position':9,'stiffness':1e4,'damping':200}" });
        double angle, rate;
        advance(&r, 0.2);
        read_wheel(&r, &angle, &rate);
        const ss_ledger *l = ss_sim_ledger(r.sim);
        CHECK_NEAR(angle, 9, 1e-3); /* 20 time constants; methods of order one halve it in a step */
        CHECK_NEAR(l->applied + l->scheme, l->kinetic_change, 1e-9 * (1 + l->exchanged));
        CHECK(l->springs == 0 || fabs(l->springs) < 1e-9 * l->exchanged);
        end_certified(&r);
        r = begin_wheel(&w, 2 + k % 2, &(wheel){ 0, 0, "'motor':{'position':1,'stiffness':1e9,'damping':1e3}" });
        if (!w.controlled) { /* a tolerance resolves the oscillation */
            advance(&r, 1);
            read_wheel(&r, &angle, &rate);
            CHECK(fabs(angle - 1) < 1.0001); /* no larger than at the start */
        }
        leave(&r);
    }
}

/* kp (10 - x) is above the limit all the time */
TEST(a_servo_that_is_far_from_its_position_gives_exactly_its_limit)
{
    for (int k = 0; k < 2 * ways(); k++) {
        way w = way_of(k / 2, 0.01);
        run r = begin_wheel(&w, 2 + k % 2, &(wheel){ 0, 0, "'motor':{'position':-10,'stiffness':1e3,'damping':60,'max':5}" });
        double angle, rate;
        advance(&r, 0.5);
        read_wheel(&r, &angle, &rate);
        CHECK_NEAR(rate, -2.5, 1e-9);
        CHECK_NEAR(ss_sim_ledger(r.sim)->applied + ss_sim_ledger(r.sim)->scheme, 0.5 * 2.5 * 2.5, 1e-8);
        end_certified(&r);
    }
}

/* it holds 0 with at most 5 against 8: the wheel is accelerated by 3 but for the time in which the spring is wound */
TEST(a_stiff_servo_that_is_overpowered_gives_no_more_than_its_limit)
{
    for (int k = 0; k < 2 * ways(); k++) {
        way w = way_of(k / 2, 0.01);
        run r = begin_wheel(&w, 2 + k % 2, &(wheel){ 0, 8, "'motor':{'position':0,'stiffness':1e6,'damping':1e3,'max':5}" });
        double angle, rate;
        advance(&r, 0.5);
        read_wheel(&r, &angle, &rate);
        /* Euler steps see at once that the servo is at its limit; others have a step with another torque, 0.01 s times 3 */
        const bool euler = strncmp(w.scheme->name, "anitescu", 8) == 0 && !w.controlled;
        CHECK_NEAR(rate, 1.5, euler ? 1e-9 : 0.03);
        leave(&r);
    }
}

TEST(a_speed_servo_yields_in_proportion_to_its_load)
{
    for (int k = 0; k < 2 * ways(); k++) {
        way w = way_of(k / 2, 0.01);
        run r = begin_wheel(&w, 2 + k % 2, &(wheel){ 0, -8, "'motor':{'speed':3,'damping':40}" });
        double angle, rate;
        advance(&r, 1);
        read_wheel(&r, &angle, &rate);
        CHECK_NEAR(rate, 3 - 8.0 / 40, 1e-6);
        double reaction[6];
        const int rows = ss_sim_joint_reaction(r.sim, 0, reaction);
        CHECK(rows == ss_model_joint_rows(r.model, 0) &&
              strcmp(ss_model_joint_row_name(r.model, 0, rows - 1), "motor.torque") == 0);
        CHECK_NEAR(reaction[rows - 1], 8, 1e-4); /* it holds the load */
        end_certified(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dry_friction_holds_a_wheel_against_a_smaller_torque),
        cmocka_unit_test(dry_friction_takes_its_bound_from_a_larger_torque),
        cmocka_unit_test(dry_friction_stops_a_wheel_and_its_whole_energy_is_in_the_ledger_of_friction),
        cmocka_unit_test(a_torsion_spring_and_a_damper_follow_the_closed_form_over_several_turns),
        cmocka_unit_test(a_servo_of_any_stiffness_brings_its_joint_to_the_position_and_its_work_is_applied),
        cmocka_unit_test(a_servo_that_is_far_from_its_position_gives_exactly_its_limit),
        cmocka_unit_test(a_stiff_servo_that_is_overpowered_gives_no_more_than_its_limit),
        cmocka_unit_test(a_speed_servo_yields_in_proportion_to_its_load),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
