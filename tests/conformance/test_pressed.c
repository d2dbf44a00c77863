/* test_pressed.c - bodies that joints hold and motors press against a contact, at rest, by every scheme.
 *
 * An arm turns about the origin. A motor presses its point (x, y) against a ceiling with the moment M: N x + T y = M for the
 * normal force N and friction T is all that statics says. The limit of vanishing compliance (docs/indeterminacy.md) is the
 * smallest of these forces, N = M x/(x^2 + y^2), T = M y/(x^2 + y^2), if it lies within the cone. No other force acts: all scales
 * of errors come from the motor, whether it has a given moment, or a speed that it cannot reach. */
#include "conformance/scheme_run.h"
#include "math/vec.h"

enum { TEXT = 2048, STEPS = 1, CHECKED = 20 }; /* steps before the force is looked at, and in which it is */

static const double MU = 0.8;

typedef struct arm {
    double mass, inertia, x, y, moment;
    const char *motor; /* takes the moment */
} arm;

static const char given[] = "'force': %.17g", ramp[] = "'speed': '3*t', 'max': %.17g", steady[] = "'speed': 0.9, 'max': %.17g";

static const arm arms[] = {
    { 1, 0.1, 1.7, 0.3, 50, given },       { 1, 0.1, 1.7, 0.3, 50, ramp },       { 2.8, 0.29, 0.565, -0.36, 58.4, steady },
    { 2.7, 0.05, 1.68, 0.42, 52, steady }, { 0.4, 0.02, 0.9, -0.25, 7, steady }, { 3, 2, 1.1, 0.5, 20, given },
    { 1, 0.1, 0.5, 0.6, 10, given },       { 2, 0.3, 0.7, -0.8, 30, steady },
};
enum { ARMS = sizeof arms / sizeof *arms };

#define HEAD(dimension, gravity)                                                                                                 \
    "{'slipstick': 1, 'dimension': " #dimension ", 'gravity': " gravity ", 'time': {'until': 1, 'step': 0.01}, "                 \
    "'materials': [{'name': 'm', 'mu': 0.8, 'e': 0}], 'bodies': ["
#define CEILING(normal)                                                                                                          \
    "{'name': 'ceiling', 'type': 'fixed', 'shapes': [{'type': 'half_space', 'normal': " normal ", 'offset': %.17g, "             \
    "'material': 'm'}]}, "

static void write_motor(const arm *a, char *text) { snprintf(text, 64, a->motor, a->moment); }

static void write_plane(const arm *a, char *text)
{
    char motor[64];
    write_motor(a, motor);
    snprintf(
        text, TEXT,
        HEAD(2, "[0,0]") CEILING(
            "[0,-1]") "{'name': 'arm', 'type': 'rigid', 'mass': %.17g, 'inertia': %.17g, "
                      "'position': [0.5,0], 'shapes': [{'type': 'point', 'position': [%.17g,%.17g], 'material': 'm'}]}], "
                      "'joints': [{'name': 'hinge', 'type': 'revolute', 'bodies': ['world','arm'], 'at': [0,0], 'motor': {%s}}]}",
        -a->y, a->mass, a->inertia, a->x - 0.5, a->y, motor);
}

static void write_space(const arm *a, char *text)
{
    char motor[64];
    write_motor(a, motor);
    snprintf(text, TEXT,
             HEAD(3, "[0,0,0]") CEILING(
                 "[0,0,-1]") "{'name': 'arm', 'type': 'rigid', 'mass': %.17g, 'inertia': [%.17g,%.17g,%.17g], "
                             "'position': [0.5,0,0], 'shapes': [{'type': 'sphere', 'radius': 0.05, 'position': [%.17g,0,%.17g], "
                             "'material': 'm'}]}], 'joints': [{'name': 'hinge', 'type': 'revolute', 'bodies': ['world','arm'], "
                             "'at': [0,0,0], "
                             "'axis': [0,-1,0], 'motor': {%s}}]}",
             -a->y, a->mass, a->inertia, a->inertia, a->inertia, a->x - 0.5, a->y - 0.05, motor);
}

/* the arm in two links, of which the second one has half the mass and bears on a limit of its hinge at (0.4, 0), open by `gap` */
static void write_linked(const arm *a, double gap, char *text)
{
    char motor[64];
    write_motor(a, motor);
    snprintf(
        text, TEXT,
        HEAD(2, "[0,0]") CEILING(
            "[0,-1]") "{'name': 'arm', 'type': 'rigid', 'mass': %.17g, 'inertia': %.17g, "
                      "'position': [0.2,0]}, {'name': 'link', 'type': 'rigid', 'mass': %.17g, 'inertia': %.17g, 'position': "
                      "[0.5,0], "
                      "'shapes': [{'type': 'point', 'position': [%.17g,%.17g], 'material': 'm'}]}], "
                      "'joints': [{'name': 'hinge', 'type': 'revolute', 'bodies': ['world','arm'], 'at': [0,0], 'motor': {%s}}, "
                      "{'name': 'elbow', 'type': 'revolute', 'bodies': ['arm','link'], 'at': [0.4,0], 'limits': [%.17g,1]}]}",
        -a->y, a->mass, a->inertia, 0.5 * a->mass, a->inertia, a->x - 0.5, a->y, motor, -gap);
}

static void write_links(const arm *a, char *text) { write_linked(a, 0, text); }

static void write_opened_links(const arm *a, char *text) { write_linked(a, 1e-14, text); }

/* the force of the contact at the ceiling is the smallest that bears the moment; along the tangent its sign is that of the frame
 */
static void check_force(const run *r, const arm *a)
{
    const double tol = 1e-8 * a->moment, ratio = fmin(fabs(a->y) / a->x, MU), normal = a->moment / (a->x + ratio * fabs(a->y));
    ss_contact_info c;
    CHECK_OK(r->ctx, ss_sim_contact(r->sim, 0, &c));
    CHECK_NEAR(c.force[0], normal, tol);
    CHECK_NEAR(fabs(c.force[1]), ratio * normal, tol);
    CHECK_NEAR(c.force[2], 0, tol);
}

static const char *const cones[] = { "scheme.cone=circular", "scheme.cone=polyhedral" };

static int cones_of(int k) { return strcmp(scheme_name(k), "event_capturing_rk") == 0 ? 1 : 2; }

static void check_arms(int count, void (*write)(const arm *, char *))
{
    char text[TEXT];
    for (int i = 0; i < count; i++) {
        write(&arms[i], text);
        for (int k = 0; k < tested_schemes(); k++) {
            for (int cone = 0; has_friction(k) && cone < cones_of(k); cone++) {
                run r = start(text, NULL, k, NULL, cones_of(k) - 1, cones + cone);
                make_steps(&r, STEPS);
                for (int step = 0; step < CHECKED; step++) {
                    make_steps(&r, 1);
                    check_force(&r, &arms[i]);
                }
                CHECK(ss_sim_summary(r.sim)->remark[SS_REMARK_HANDED].steps == 0);
                leave(&r);
            }
        }
    }
}

TEST(a_motor_presses_a_point_of_an_arm_with_the_smallest_force) { check_arms(ARMS, write_plane); }

TEST(in_space_no_friction_acts_across_the_plane_of_the_arm) { check_arms(ARMS, write_space); }

TEST(an_arm_of_two_links_on_a_limit_presses_as_one) { check_arms(ARMS, write_links); }

TEST(a_limit_that_round_off_has_opened_bears_its_share) { check_arms(ARMS, write_opened_links); }

TEST(no_solver_presses_with_another_force)
{
    const char *const solver[] = { "nsgs", "alm", "lemke" };
    char text[TEXT];
    for (int i = 0; i < ARMS; i++) {
        write_plane(&arms[i], text);
        for (int s = 0; s < 3; s++) {
            run r = start(text, NULL, find_scheme("moreau"), solver[s], 1, cones + (s == 2));
            make_steps(&r, STEPS);
            check_force(&r, &arms[i]);
            leave(&r);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_motor_presses_a_point_of_an_arm_with_the_smallest_force),
        cmocka_unit_test(in_space_no_friction_acts_across_the_plane_of_the_arm),
        cmocka_unit_test(an_arm_of_two_links_on_a_limit_presses_as_one),
        cmocka_unit_test(a_limit_that_round_off_has_opened_bears_its_share),
        cmocka_unit_test(no_solver_presses_with_another_force),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
