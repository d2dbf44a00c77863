/* test_symmetry.c - scenes that are their own mirror image, and whose motion is stable, stay so for 1000 steps by every scheme
 * with friction. How contacts share a load is not determined in any of them (docs/indeterminacy.md). */
#include "conformance/scheme_run.h"

#define HEAD(dimension, gravity)                                                                                                 \
    "{'slipstick': 1, 'dimension': " #dimension ", 'gravity': [" gravity "], 'time': {'until': 1, 'step': 0.005}, "              \
    "'materials': [{'name': 'm', 'mu': 0.5, 'e': 0}], 'bodies': ["
#define FIXED(shapes)            "{'name': 'floor', 'type': 'fixed', 'shapes': [" shapes "]}"
#define PLANE(normal)            "{'type': 'half_space', 'normal': [" normal "], 'material': 'm'}"
#define BODY(name, more, shapes) ", {'name': '" name "', 'type': 'rigid', " more ", 'shapes': [" shapes "]}"
#define BOX(size)                "{'type': 'box', 'size': [" size "], 'material': 'm'}"
#define BALL(more)               "{'type': 'sphere', 'material': 'm', " more "}"
#define LEG(x, y)                BALL("'radius': 0.02, 'position': [" #x ", " #y ", -0.48]")
#define LEGS                     LEG(0.5, 0.3) "," LEG(-0.5, 0.3) "," LEG(-0.5, -0.3) "," LEG(0.5, -0.3)
#define ROLL                                                                                                                     \
    "{'type': 'cylinder', 'radius': 0.1, 'length': 0.3, 'orientation': ['cos(pi/4)', 'sin(pi/4)', 0, 0], 'material': 'm'}"
#define SPACE   HEAD(3, "0,0,-9.81") FIXED(PLANE("0,0,1"))
#define GROOVE  HEAD(3, "0,0,-9.81") FIXED(PLANE("'sin(pi/4)',0,'cos(pi/4)'") "," PLANE("'-sin(pi/4)',0,'cos(pi/4)'"))
#define GRIPPER "tests/conformance/gripper.json"

static const char table[] = SPACE BODY("top", "'mass': 10, 'inertia': [1,1.2,1.5], 'position': [0,0,0.6]", LEGS) "]}";
static const char tilted[] = SPACE BODY("top",
                                        "'mass': 10, 'inertia': [1,1.2,1.5], 'position': [0,0,0.6], "
                                        "'orientation': ['cos(0.05)',0,'sin(0.05)',0], 'velocity': [0.5,0,0]",
                                        LEGS) "]}";
static const char slide[] =
    SPACE BODY("box", "'mass': 4, 'position': [0,0,0.05], 'velocity': [1.5,0,0]", BOX("0.4,0.3,0.1")) "]}";
static const char slope[] =
    HEAD(3, "3,0,-9.3") FIXED(PLANE("0,0,1")) BODY("a", "'mass': 4, 'position': [0,0,0.05]", BOX("0.4,0.3,0.1"))
        BODY("b", "'mass': 4, 'position': [0,0,0.15], 'velocity': [0.5,0,0]", BOX("0.2,0.3,0.1")) "]}";
static const char discs[] =
    HEAD(2, "0,-9.81") FIXED(PLANE("0,1")) BODY("left", "'mass': 1, 'position': [-0.1,0.1]", BALL("'radius': 0.1"))
        BODY("right", "'mass': 1, 'position': [0.1,0.1]", BALL("'radius': 0.1"))
            BODY("top", "'mass': 1, 'position': [0,'0.1+0.1*sqrt(3)']", BALL("'radius': 0.1")) "]}";
static const char rolls[] =
    SPACE BODY("left", "'mass': 1, 'position': [-0.1,0,0.1]", ROLL) BODY("right", "'mass': 1, 'position': [0.1,0,0.1]", ROLL)
        BODY("top", "'mass': 1, 'position': [0,0,'0.1+0.1*sqrt(3)']", ROLL) "]}";
static const char groove[] = GROOVE BODY("roll", "'mass': 1, 'position': [0,0,0.2]", ROLL) "]}";
static const char stack[] = SPACE BODY("a", "'mass': 4, 'position': [0,0,0.05]", BOX("0.4,0.3,0.1"))
    BODY("b", "'mass': 4, 'position': [0,0,0.15], 'velocity': [1,0,0]", BOX("0.4,0.3,0.1")) "]}";

/* boxes that fall on the floor and on each other one after the other */
#define FALLING(name, x, y, size) BODY(name, "'density': 1000, 'position': [" x "," y "]", BOX(size))
#define FLAT                      HEAD(2, "0,-9.81") FIXED(PLANE("0,1"))
static const char fallen[] =
    FLAT FALLING("a", "0", "0.1", "0.4,0.1") FALLING("b", "0", "0.22", "0.4,0.1") FALLING("c", "0", "0.34", "0.4,0.1") "]}";
static const char bridge[] = FLAT FALLING("left", "-0.3", "0.15", "0.1,0.2") FALLING("right", "0.3", "0.15", "0.1,0.2")
    FALLING("top", "0", "0.35", "0.8,0.1") "]}";
static const char frame[] = FLAT FALLING("bottom", "0", "0.1", "0.8,0.1") FALLING("left", "-0.3", "0.275", "0.1,0.2")
    FALLING("right", "0.3", "0.275", "0.1,0.2") FALLING("top", "0", "0.45", "0.8,0.1") "]}";

/* four balls stacked as a tetrahedron: where the front one is, the two behind it, and the one on top */
#define PYRAMID(front, behind, half, top)                                                                                        \
    SPACE BODY("front", "'mass': 1, 'position': [" front ",0,0.1]", BALL("'radius': 0.1"))                                       \
        BODY("left", "'mass': 1, 'position': [" behind "," half ",0.1]", BALL("'radius': 0.1"))                                  \
            BODY("right", "'mass': 1, 'position': [" behind ",-" half ",0.1]", BALL("'radius': 0.1"))                            \
                BODY("top", "'mass': 1, 'position': [" top "]", BALL("'radius': 0.1")) "]}"
#define BALLS_BY_Y                                                                                                               \
    3,                                                                                                                           \
    {                                                                                                                            \
        { 'y', 1, 1 }, { 'y', 2, 3 }, { 'y', 4, 4 }                                                                              \
    }

static const char pyramid[] = PYRAMID("'0.2/sqrt(3)'", "'-0.1/sqrt(3)'", "0.1", "0,0,'0.1+0.2*sqrt(2/3)'");
/* the same with five digits: gaps of a few micrometres */
static const char uneven[] = PYRAMID("0.11547", "-0.05774", "0.1", "0,0,0.2633");
/* balls apart, and one that falls between them off the middle */
static const char dropped[] = PYRAMID("'0.23/sqrt(3)'", "'-0.115/sqrt(3)'", "0.115", "0.004,0,0.27");

/* body b (the floor is 0) is the mirror image of body a in the plane x = 0 or y = 0 */
typedef struct pair {
    char plane;
    int a, b;
} pair;

static const struct scene_case {
    const char *text, *path;
    int pairs;
    pair pair[6];
    bool bounces; /* also with restitution; not where a body rocks from leg to leg, and round-off grows with every strike */
} cases[] = {
    { table, NULL, 2, { { 'x', 1, 1 }, { 'y', 1, 1 } }, true },
    { tilted, NULL, 1, { { 'y', 1, 1 } }, false },
    { slide, NULL, 1, { { 'y', 1, 1 } }, true },
    { slope, NULL, 2, { { 'y', 1, 1 }, { 'y', 2, 2 } }, true },
    { discs, NULL, 2, { { 'x', 1, 2 }, { 'x', 3, 3 } }, true },
    { rolls, NULL, 4, { { 'x', 1, 2 }, { 'x', 3, 3 }, { 'y', 1, 1 }, { 'y', 3, 3 } }, true },
    { pyramid, NULL, BALLS_BY_Y, true },
    { groove, NULL, 2, { { 'x', 1, 1 }, { 'y', 1, 1 } }, true },
    { stack, NULL, 2, { { 'y', 1, 1 }, { 'y', 2, 2 } }, true },
    { fallen, NULL, 3, { { 'x', 1, 1 }, { 'x', 2, 2 }, { 'x', 3, 3 } }, true },
    { bridge, NULL, 2, { { 'x', 1, 2 }, { 'x', 3, 3 } }, true },
    { frame, NULL, 3, { { 'x', 1, 1 }, { 'x', 2, 3 }, { 'x', 4, 4 } }, true },
    { NULL, "scenes/arch.json", 5, { { 'x', 1, 9 }, { 'x', 2, 8 }, { 'x', 3, 7 }, { 'x', 4, 6 }, { 'x', 5, 5 } }, true },
    { NULL, GRIPPER, 5, { { 'x', 1, 1 }, { 'x', 3, 4 }, { 'y', 1, 1 }, { 'y', 3, 3 }, { 'y', 4, 4 } }, false },
};
enum { CASES = sizeof cases / sizeof *cases };

/* the motion since `from` of one body is the mirror image of that of the other */
static void check_mirror(const run *r, const double *from, pair p)
{
    const double plane_x[] = { -1, 1, 1, 1, 1, -1, -1 }, plane_y[] = { 1, -1, 1, 1, -1, 1, -1 }, plane_x_2d[] = { -1, 1, -1 };
    const int n = r->model->dimension == 2 ? 3 : 7, i = r->model->body_q[p.a], j = r->model->body_q[p.b];
    const double *sign = n == 3 ? plane_x_2d : p.plane == 'x' ? plane_x : plane_y, *q = ss_sim_q(r->sim);
    for (int k = 0; k < n; k++) {
        CHECK_NEAR(q[i + k] - from[i + k], sign[k] * (q[j + k] - from[j + k]), 1e-10);
    }
}

static void check_steps(const struct scene_case *c, int k, int sets, const char *const *set, int steps)
{
    double from[7 * 16];
    run r = start(c->text, c->path, k, NULL, sets, set);
    CHECK(r.model->nq <= 7 * 16);
    memcpy(from, ss_sim_q(r.sim), (size_t)r.model->nq * sizeof *from);
    make_steps(&r, steps);
    for (int p = 0; p < c->pairs; p++) {
        check_mirror(&r, from, c->pair[p]);
    }
    leave(&r);
}

static void check_case(const struct scene_case *c, int k, int sets, const char *const *set)
{
    check_steps(c, k, sets, set, test_repeats(1000, 1000, 100));
}

static bool has_restitution(int k) { return !(ss_scheme_types[k]->info.laws & SS_LAW_ASSOCIATED); }

TEST(what_is_symmetric_stays_symmetric)
{
    const char *const bounce[] = { "materials.0.e=0.3" };
    for (int c = 0; c < CASES; c++) {
        for (int k = 0; k < tested_schemes(); k++) {
            if (has_friction(k)) {
                check_case(&cases[c], k, 0, NULL);
            }
            if (has_friction(k) && has_restitution(k) && cases[c].bounces) {
                check_case(&cases[c], k, 1, bounce);
            }
        }
    }
}

/* A ball on the floor is in equilibrium if the force of the one on top passes through the point where it touches the floor: at
 * half the angle between the line of centres and the vertical, whose tangent, 0.318, is below mu = 0.5. So an even stack stays
 * where it is. In an uneven one the ball on top falls from contact to contact, and each impact leaves the others with a speed:
 * the stack rocks, and sinks. Equal contacts cease to slip, and strike, together. Some strikes multiply differences by a hundred:
 * after 0.35 s, 60 events, round-off is 5e-13 m, and then it depends on the arithmetic of the processor when it is seen. */
TEST(stacks_of_balls_with_uneven_gaps_rock_symmetrically)
{
    const struct scene_case rocks = { uneven, NULL, BALLS_BY_Y, false }, falls = { dropped, NULL, BALLS_BY_Y, false };
    const char *const mu[] = { "materials.0.mu=0.4" };
    check_steps(&rocks, find_scheme("event_capturing_rk"), 0, NULL, 70);
    check_case(&falls, find_scheme("event_capturing_rk"), 1, mu);
}

/* An error of the order 1 in the shortest steps: 1.0e-6 m with these, 2.6e-7 m with steps of 2e-6 s. The ball on top has sunk by
 * 1.4e-5 m by then. */
TEST(a_stack_of_balls_with_uneven_gaps_sinks_as_the_shortest_steps_say)
{
    const char *const set[] = { "time.step=1e-5" };
    run rk = start(uneven, NULL, find_scheme("event_capturing_rk"), NULL, 0, NULL),
        moreau = start(uneven, NULL, find_scheme("moreau"), NULL, 1, set);
    advance(&rk, 0.025);
    advance(&moreau, 0.025);
    CHECK(ss_sim_summary(rk.sim)->remark[SS_REMARK_HANDED].steps == 0);
    for (int i = 0; i < rk.model->nq; i++) {
        const double scale = i % 7 < 3 ? 1 : 10; /* rotations: position over the radius */
        CHECK_NEAR(ss_sim_q(rk.sim)[i], ss_sim_q(moreau.sim)[i], 2e-6 * scale);
    }
    leave(&rk);
    leave(&moreau);
}

/* With mu = 0.2 a heap of three falls apart. The top one lets go after 0.515 s: what comes then has several solutions in a step.
 */
TEST(cylinders_that_roll_on_each_other_move_as_discs_do)
{
    const char *const mu[] = { "materials.0.mu=0.2" };
    for (int k = 0; k < tested_schemes(); k++) {
        if (has_friction(k)) {
            run heap = start(rolls, NULL, k, NULL, 1, mu), flat = start(discs, NULL, k, NULL, 1, mu);
            advance(&heap, 0.5);
            advance(&flat, 0.5);
            for (int b = 0; b < 3; b++) {
                const double *q = ss_sim_q(heap.sim) + 7 * b, *p = ss_sim_q(flat.sim) + 3 * b;
                CHECK_NEAR(q[0], p[0], 1e-9);
                CHECK_NEAR(q[1], 0, 1e-9);
                CHECK_NEAR(q[2], p[1], 1e-9);
                CHECK_NEAR(q[5], -sin(0.5 * p[2]), 1e-9); /* z of space is y of the plane: an angle turns the other way */
            }
            leave(&heap);
            leave(&flat);
        }
    }
}

/* four wheels on joints roll down a slope and against a wall */
TEST(a_symmetric_cart_is_not_yawed)
{
    const struct scene_case cart = { .path = "tests/conformance/cart.json",
                                     .pairs = 3,
                                     .pair = { { 'y', 1, 1 }, { 'y', 2, 3 }, { 'y', 4, 5 } } };
    for (int k = 0; k < tested_schemes(); k++) {
        if (has_friction(k) && has_restitution(k)) {
            check_case(&cart, k, 0, NULL);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_symmetric_stays_symmetric),
        cmocka_unit_test(stacks_of_balls_with_uneven_gaps_rock_symmetrically),
        cmocka_unit_test(a_stack_of_balls_with_uneven_gaps_sinks_as_the_shortest_steps_say),
        cmocka_unit_test(cylinders_that_roll_on_each_other_move_as_discs_do),
        cmocka_unit_test(a_symmetric_cart_is_not_yawed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
