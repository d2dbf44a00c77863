/* test_sharing.c - forces that statics leaves open, by every scheme: the limit of vanishing compliance (docs/indeterminacy.md).
 *
 * A box at rest bears a quarter of its weight on each corner; five legs of a table bear a + b x + c y; a plate that spins on four
 * corners slows at the rate of equal loads; a box that rattles to rest bears on all four corners; a gripper lifts a box without
 * turning it; it converges; neither the solver nor the order of the bodies matters. What is symmetric stays so: test_symmetry.c.
 */
#include "conformance/scheme_run.h"
#include "math/vec.h"

#define FLOOR "{'name': 'floor', 'type': 'fixed', 'shapes': [{'type': 'half_space', 'normal': [0,0,1], 'material': 'm'}]}"
#define HEAD                                                                                                                     \
    "{'slipstick': 1, 'dimension': 3, 'gravity': [0,0,-9.81], 'time': {'until': 1, 'step': 0.005}, "                             \
    "'materials': [{'name': 'm', 'mu': 0.4, 'e': 0}], 'bodies': ["
#define LEG(x, y) "{'type': 'sphere', 'radius': 0.02, 'position': [" #x ", " #y ", -0.48], 'material': 'm'}"
#define BOX(name, z, more)                                                                                                       \
    "{'name': '" name "', 'type': 'rigid', 'mass': 4, 'position': [0,0," #z "], " more                                           \
    "'shapes': [{'type': 'box', 'size': [0.4,0.3,0.1], 'material': 'm'}]}"

static const char rest[] = HEAD FLOOR "," BOX("box", 0.05, "") "]}";
static const char plate[] = HEAD FLOOR "," BOX("box", 0.05, "'angular_velocity': [0,0,5], ") "]}";
static const char stack[] = HEAD FLOOR "," BOX("a", 0.05, "") "," BOX("b", 0.15, "'velocity': [1,0,0], ") "]}";
static const char reversed[] = HEAD BOX("b", 0.15, "'velocity': [1,0,0], ") "," BOX("a", 0.05, "") "," FLOOR "]}";
static const char table[] =
    HEAD FLOOR ", {'name': 'top', 'type': 'rigid', 'mass': 10, 'inertia': [1,1,1], 'position': [0,0,0.5], "
               "'shapes': [" LEG(0.5, 0.3) "," LEG(-0.5, 0.3) "," LEG(-0.5, -0.3) "," LEG(0.5, -0.3) "," LEG(
                   0.1, -0.3) "]}], 'forces': [{'type': 'constant', 'body': 'top', 'force': [0,0,-50], 'point': [0.2,0.1,0]}]}";

static ss_contact_info contact(const run *r, int k)
{
    ss_contact_info info;
    CHECK_OK(r->ctx, ss_sim_contact(r->sim, k, &info));
    return info;
}

static const char *const cones[] = { "scheme.cone=circular", "scheme.cone=polyhedral" };

static int cones_of(int k) { return strcmp(scheme_name(k), "event_capturing_rk") == 0 ? 1 : 2; }

static run start_with_cone(const char *text, int k, int cone, const char *solver)
{
    return start(text, NULL, k, solver, cones_of(k) - 1, cones + cone);
}

/* ---- loads -------------------------------------------------------------------------------------- */

TEST(a_box_at_rest_bears_a_quarter_of_its_weight_on_each_corner)
{
    for (int k = 0; k < tested_schemes(); k++) {
        for (int cone = 0; has_friction(k) && cone < cones_of(k); cone++) {
            run r = start_with_cone(rest, k, cone, NULL);
            make_steps(&r, 20);
            CHECK(ss_sim_contact_count(r.sim) == 4);
            for (int i = 0; i < 4; i++) {
                CHECK_NEAR(contact(&r, i).force[0], 9.81, 1e-9 * 9.81);
                CHECK_NEAR(contact(&r, i).force[1], 0, 1e-9);
                CHECK_NEAR(contact(&r, i).force[2], 0, 1e-9);
            }
            leave(&r);
        }
    }
}

/* a + b x + c y over five legs with sum F, moments 50 x 0.2 and 50 x 0.1: solved by hand to twelve digits */
TEST(legs_of_a_table_bear_the_plane_that_balances_the_load)
{
    const double load[] = { 45.07052980132, 37.31280353201, 17.76810154525, 25.52582781457, 22.42273730684 };
    for (int k = 0; k < tested_schemes(); k++) {
        if (has_friction(k)) {
            run r = start(table, NULL, k, NULL, 0, NULL);
            make_steps(&r, 10);
            for (int i = 0; i < 5; i++) {
                CHECK_NEAR(contact(&r, i).force[0], load[i], 1e-9 * 50);
            }
            leave(&r);
        }
    }
}

/* mu m g R = I dw/dt, R the distance of the corners from the centre. The associated law throws a body up that slides from the
 * start. */
TEST(a_plate_that_spins_on_four_corners_slows_at_the_rate_of_equal_loads)
{
    const double R = 0.25, I = 4 * (0.16 + 0.09) / 12, slows = 0.4 * 9.81 * 4 * R / I;
    for (int k = 0; k < tested_schemes(); k++) {
        if (ss_scheme_types[k]->info.laws & SS_LAW_COULOMB) {
            const char *const h[] = { "time.step=0.001" };
            run r = start(plate, NULL, k, NULL, 1, h);
            make_steps(&r, 50);
            CHECK_NEAR(ss_sim_v(r.sim)[5], 5 - slows * 0.05, 1e-4);
            CHECK_NEAR(ss_sim_q(r.sim)[0], 0, 1e-12);
            CHECK_NEAR(ss_sim_q(r.sim)[1], 0, 1e-12);
            leave(&r);
        }
    }
}

/* A box falls on a corner, rattles, and slides on all four corners from t = 0.389 on. One corner that stays in the air, however
 * little, leaves the load to the others, and the box turns. The associated law lifts each corner by its slip. Impacts of
 * schatzman_paoli take two steps, and where the direction of slip turns in them the box is off by 8e-3 with any step. */
TEST(a_box_that_rattles_to_rest_bears_on_all_four_corners)
{
    static const char rattling[] =
        "{'slipstick': 1, 'dimension': 3, 'gravity': [0,0,-9.81], 'time': {'until': 1, 'step': 0.0005}, "
        "'materials': [{'name': 'm', 'mu': 0.3, 'e': 0}], 'bodies': [" FLOOR
        ", {'name': 'box', 'type': 'rigid', 'mass': 1, 'position': [0,0,0.5], 'orientation': [0.92,0.1,0.35,0.1], "
        "'shapes': [{'type': 'box', 'size': [0.1,0.2,0.3], 'material': 'm'}]}]}";
    const char *const steps[] = { "time.step=0.002", "time.step=0.0005", "time.step=0.000125" };
    run exact = start(rattling, NULL, find_scheme("event_capturing_rk"), NULL, 0, NULL);
    advance(&exact, 0.45);
    for (int k = 0; k < tested_schemes(); k++) {
        const double off =
            strcmp(scheme_name(k), "schatzman_paoli") == 0 ? 1e-2 : 6e-3; /* moreau: it lies askew by the gaps of a long step */
        for (int s = 0; ss_scheme_types[k]->info.laws & SS_LAW_COULOMB && s < 3; s++) {
            run r = start(rattling, NULL, k, NULL, 1, steps + s);
            advance(&r, 0.45);
            for (int i = 3; i < 7; i++) {
                CHECK_NEAR(ss_sim_q(r.sim)[i], ss_sim_q(exact.sim)[i], off);
            }
            CHECK(ss_sim_contact_count(r.sim) == 4 && summary(&r)->unconverged_steps == 0);
            for (int i = 0; i < 4; i++) {
                CHECK_NEAR(contact(&r, i).force[0], 9.81 / 4, 0.5); /* those in front bear more */
            }
            leave(&r);
        }
    }
    leave(&exact);
}

/* a contact that is there twice bears no more than one */
TEST(contacts_at_the_same_place_count_once)
{
    const char twice[] =
        HEAD FLOOR ", {'name': 'top', 'type': 'rigid', 'mass': 10, 'inertia': [1,1,1], 'position': [0,0,0.5], "
                   "'shapes': [" LEG(0.5, 0.3) "," LEG(-0.5, 0.3) "," LEG(-0.5, -0.3) "," LEG(0.5, -0.3) "," LEG(0.5, 0.3) "]}]}";
    for (int k = 0; k < tested_schemes(); k++) {
        if (has_friction(k)) {
            run r = start(twice, NULL, k, NULL, 0, NULL);
            make_steps(&r, 5);
            for (int i = 0; i < 5; i++) {
                CHECK_NEAR(contact(&r, i).force[0], (i == 0 || i == 4 ? 0.5 : 1) * 9.81 * 10 / 4, 1e-8);
            }
            leave(&r);
        }
    }
}

/* W is formed of sums of inverse masses: of the million times smaller one few digits are left */
TEST(a_heavy_box_rests_on_a_light_one)
{
    const char *const set[] = { "bodies.2.mass=4e6", "bodies.2.velocity=[0,0,0]" };
    for (int k = 0; k < tested_schemes(); k++) {
        if (has_friction(k)) {
            run r = start(stack, NULL, k, NULL, 2, set);
            make_steps(&r, 20);
            for (int i = 0; i < 12; i++) {
                CHECK_NEAR(ss_sim_v(r.sim)[i], 0, 1e-10); /* impulses of 5e5 N s have a round-off of 6e-11 */
            }
            leave(&r);
        }
    }
}

/* two balls, one upon the other: a tree of contacts, for which statics determines the forces */
TEST(forces_of_a_heavy_ball_on_a_light_one_are_right_to_round_off)
{
    const char balls[] = HEAD FLOOR ", {'name': 'light', 'type': 'rigid', 'mass': 1, 'position': [0,0,0.1], "
                                    "'shapes': [{'type': 'sphere', 'radius': 0.1, 'material': 'm'}]}, "
                                    "{'name': 'heavy', 'type': 'rigid', 'mass': 1e6, 'position': [0,0,0.3], "
                                    "'shapes': [{'type': 'sphere', 'radius': 0.1, 'material': 'm'}]}]}";
    for (int k = 0; k < tested_schemes(); k++) {
        if (has_friction(k)) {
            run r = start(balls, NULL, k, NULL, 0, NULL);
            make_steps(&r, 10);
            CHECK_NEAR(contact(&r, 0).force[0] / ((1e6 + 1) * 9.81), 1, 1e-12);
            CHECK_NEAR(contact(&r, 1).force[0] / (1e6 * 9.81), 1, 1e-12);
            leave(&r);
        }
    }
}

/* ---- motion that depends on the share ------------------------------------------------------------ */

static double turned(const double *q) { return sqrt(q[4] * q[4] + q[5] * q[5] + q[6] * q[6]); }

/* at time t the box is in the grip, at that height */
static void check_grip(int k, double t, double height, int sets, const char *const *set)
{
    run r = start(NULL, "tests/conformance/gripper.json", k, NULL, sets, set);
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, t));
    CHECK(ss_sim_summary(r.sim)->unconverged_steps == 0);
    const double *q = ss_sim_q(r.sim); /* the box is the first that moves */
    CHECK_NEAR(q[0], 0, 1e-9);
    CHECK_NEAR(q[1], 0, 1e-9);
    CHECK_NEAR(q[2], height, 1e-4);
    CHECK(turned(q) <= 1e-9);
    leave(&r);
}

TEST(a_gripper_lifts_a_box_without_turning_it)
{
    const char *const step[] = { "time.step=0.004" };
    const char *const other[] = { "time.step=0.002",    "bodies.1.mass=0.3",      "bodies.3.mass=0.25",
                                  "bodies.4.mass=0.25", "joints.0.motor.force=8", "joints.1.motor.force=8" };
    for (int k = 0; k < tested_schemes(); k++) {
        if (has_friction(k)) {
            check_grip(k, 1.8, 0.25, 1, step);
            check_grip(k, 1.8, 0.25, 6, other);
        }
    }
}

/* the pads have closed after 0.02 s; the palm rises from t = 0.05 s on */
TEST(a_gripper_does_so_with_short_steps)
{
    const char *const set[] = { "time.step=0.00025",
                                "bodies.2.position=[0,0,\"0.3+0.2*min(max(t-0.05,0),1)^2*(3-2*min(max(t-0.05,0),1))\"]" };
    for (int k = 0; k < tested_schemes(); k++) {
        if (has_friction(k)) {
            check_grip(k, 0.15, 0.05 + 0.2 * 0.1 * 0.1 * (3 - 2 * 0.1), 2, set);
        }
    }
}

/* of the box and the pads from where the palm takes them, at t = 0.8 s */
static double error_of_grip(int k, const char *step)
{
    run r = start(NULL, "tests/conformance/gripper.json", k, NULL, 1, &step);
    advance(&r, 0.8);
    const double lift = 0.2 * 0.3 * 0.3 * (3 - 2 * 0.3), at[3][3] = { { 0, 0, 0.05 }, { -0.06, 0, 0.07 }, { 0.06, 0, 0.07 } };
    double error = 0;
    for (int b = 0; b < 3; b++) {
        for (int i = 0; i < 3; i++) {
            error = fmax(error, fabs(ss_sim_q(r.sim)[7 * b + i] - at[b][i] - (i == 2 ? lift : 0)));
        }
    }
    CHECK(isfinite(error));
    leave(&r);
    return error;
}

/* 1e-10: the overlap within which a gap counts as closed */
TEST(a_gripper_converges_at_the_order_of_its_scheme_or_is_right_at_once)
{
    for (int k = 0; k < tested_schemes(); k++) {
        if (has_friction(k)) {
            const double first = error_of_grip(k, "time.step=0.004"), last = error_of_grip(k, "time.step=0.001");
            CHECK(last <= 1e-10 || last <= 1.05 * first / exp2(2 * ss_scheme_types[k]->info.order.impacts));
        }
    }
}

TEST(the_summary_tells_forces_that_are_open_from_motion_that_is)
{
    run still = start(rest, NULL, find_scheme("moreau"), NULL, 0, NULL);
    make_steps(&still, 10);
    CHECK(ss_sim_summary(still.sim)->shared == 10 && ss_sim_summary(still.sim)->chosen == 0);
    leave(&still);
    const char *const polygon[] = { "scheme.cone=polyhedral" };
    run grip = start(NULL, "tests/conformance/gripper.json", find_scheme("moreau"), "lemke", 1, polygon);
    CHECK_OK(grip.ctx, ss_sim_advance(grip.sim, 0.8));
    CHECK(ss_sim_summary(grip.sim)->chosen > 0);
    leave(&grip);
    const char *const any[] = { "contacts.share=any" };
    run left = start(rest, NULL, find_scheme("moreau"), NULL, 1, any);
    make_steps(&left, 10);
    CHECK(ss_sim_summary(left.sim)->shared == 0);
    leave(&left);
}

/* ---- neither solver nor order -------------------------------------------------------------------- */

/* the contact of `r` whose point and bodies are those of `other` */
static ss_contact_info find(const run *r, const ss_contact_info *other)
{
    for (int k = 0; k < ss_sim_contact_count(r->sim); k++) {
        ss_contact_info c = contact(r, k);
        double apart = 0;
        for (int i = 0; i < 3; i++) {
            apart = fmax(apart, fabs(c.point[i] - other->point[i]));
        }
        if (apart < 1e-9) {
            return c;
        }
    }
    fail_msg("no contact at %g %g %g", other->point[0], other->point[1], other->point[2]);
    return *other;
}

static void compare_forces(const run *a, const run *b)
{
    CHECK(ss_sim_contact_count(a->sim) == ss_sim_contact_count(b->sim));
    for (int k = 0; k < ss_sim_contact_count(a->sim); k++) {
        const ss_contact_info x = contact(a, k), y = find(b, &x);
        CHECK_NEAR(x.force[0], y.force[0], 1e-8 * 40);
        CHECK_NEAR(hypot(x.force[1], x.force[2]), hypot(y.force[1], y.force[2]), 1e-8 * 40);
    }
}

TEST(neither_the_solver_nor_the_order_of_bodies_changes_a_force)
{
    const char *const solver[] = { "nsgs", "alm", "lemke" };
    for (int cone = 0; cone < 2; cone++) {
        for (int k = 0; k < tested_schemes(); k++) {
            if (!has_friction(k) || cone >= cones_of(k) || ss_scheme_types[k]->info.laws & SS_LAW_ASSOCIATED) {
                continue;
            }
            run a = start_with_cone(stack, k, cone, NULL), b = start_with_cone(reversed, k, cone, NULL);
            make_steps(&a, 10);
            make_steps(&b, 10);
            compare_forces(&a, &b);
            leave(&b);
            for (int s = 0; s < 2 + cone; s++) {
                run c = start_with_cone(stack, k, cone, solver[s]);
                make_steps(&c, 10);
                compare_forces(&a, &c);
                leave(&c);
            }
            leave(&a);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_at_rest_bears_a_quarter_of_its_weight_on_each_corner),
        cmocka_unit_test(legs_of_a_table_bear_the_plane_that_balances_the_load),
        cmocka_unit_test(a_plate_that_spins_on_four_corners_slows_at_the_rate_of_equal_loads),
        cmocka_unit_test(a_box_that_rattles_to_rest_bears_on_all_four_corners),
        cmocka_unit_test(contacts_at_the_same_place_count_once),
        cmocka_unit_test(a_heavy_box_rests_on_a_light_one),
        cmocka_unit_test(forces_of_a_heavy_ball_on_a_light_one_are_right_to_round_off),
        cmocka_unit_test(a_gripper_lifts_a_box_without_turning_it),
        cmocka_unit_test(a_gripper_does_so_with_short_steps),
        cmocka_unit_test(a_gripper_converges_at_the_order_of_its_scheme_or_is_right_at_once),
        cmocka_unit_test(the_summary_tells_forces_that_are_open_from_motion_that_is),
        cmocka_unit_test(neither_the_solver_nor_the_order_of_bodies_changes_a_force),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
