/* Contacts that joints block, corners that slide from face to face, rings of links: what every scheme must cope with. */
#include "unit/schemes/text_run.h"

#include "kernels/stepper.h"

/* the scene by scheme k of the registry; false: the scheme does not take it */
static bool open_with(run *r, const char *text, int k)
{
    char name[80];
    const char *set[] = { name };
    snprintf(name, sizeof name, "scheme.name=%s", ss_scheme_types[k]->info.name);
    *r = (run){ .ctx = test_context() };
    CHECK_OK(r->ctx, parse(r, text, 1, set));
    CHECK_OK(r->ctx, ss_model_compile(r->ctx, r->scene, &r->model));
    ss_status status = ss_sim_create(r->ctx, r->model, NULL, &r->sim);
    if (status != SS_ERR_UNSUPPORTED) {
        CHECK_OK(r->ctx, status);
    }
    return status == SS_OK;
}

/* the errors of joints that scheme k may leave: those that drift are left to its own tests */
static double joint_error_left(int k) { return ss_scheme_types[k]->info.order.joints_drift ? INFINITY : 1e-9; }

/* ---- welded together and touching ---------------------------------------------------------------------- */

#define WELDED(dimension, at1, at2, rates1, rates2, where)                                                                       \
    "{'slipstick':1,'dimension':" dimension ",'gravity':[0,0" where ",'time':{'until':0.2,'step':0.005},"                        \
    "'bodies':[{'name':'a','type':'rigid','mass':1,'position':" at1 "," rates1 ",'shapes':[{'type':'sphere','radius':0.3}]},"    \
    "{'name':'b','type':'rigid','mass':2,'position':" at2 "," rates2 ",'shapes':[{'type':'sphere','radius':0.2}]}],"
#define WELD(at) "'joints':[{'name':'w','type':'fixed','bodies':['a','b'],'at':" at ",'collide':true}]}"

/* the pair turns about its centre at 5 rad/s: 1/3 and 1/6 of a metre from it */
static const char *const welded[] = {
    WELDED("2", "[0,0]", "[0.5,0]", "'velocity':[0,-1.6666666666666667],'angular_velocity':5",
           "'velocity':[0,0.83333333333333333],'angular_velocity':5", "]") WELD("[0.4,0.1]"),
    WELDED("3", "[0,0,0]", "[0.5,0,0]", "'velocity':[0,-1.6666666666666667,0],'angular_velocity':[0,0,5]",
           "'velocity':[0,0.83333333333333333,0],'angular_velocity':[0,0,5]", ",0]") WELD("[0.4,0.1,0]"),
};

TEST(bodies_that_are_welded_together_and_touch_turn_on_in_every_scheme)
{
    for (int k = 0; k < tested_schemes(); k++) {
        for (int i = 0; i < 2; i++) {
            run r;
            if (open_with(&r, welded[i], k)) {
                advance(&r, 0.2);
                double kept = summary(&r)->energy_final / summary(&r)->energy_initial;
                CHECK(kept < 1 + 1e-6 &&
                      kept > 0.95); /* Euler steps lose (omega h)^2/2 each in their projections at most: 1.3 % in all */
                CHECK(summary(&r)->unconverged_steps == 0 && summary(&r)->max_joint_error < joint_error_left(k));
                CHECK(isinf(joint_error_left(k)) || ss_sim_last_step(r.sim)->residual.dropped > 0); /* or they drift apart */
            }
            leave(&r);
        }
    }
}

/* a motor without a bound drives a ball into the floor: no force helps */
static const char pressed[] =
    "{'slipstick':1,'dimension':2,'gravity':[0,-9.81],'time':{'until':0.1,'step':0.01},"
    "'bodies':[{'name':'ball','type':'rigid','mass':1,'position':[0,1],'velocity':[0,-0.5],'shapes':[{'type':'sphere','radius':1}"
    "]},"
    "{'name':'floor','type':'fixed','shapes':[{'type':'half_space','normal':[0,1]}]}],"
    "'joints':[{'name':'p','type':'prismatic','bodies':['world','ball'],'at':[0,1],'axis':[0,1],'motor':{'speed':-0.5}}]}";

TEST(a_contact_that_a_motor_closes_is_named_and_not_certified_in_every_scheme)
{
    for (int k = 0; k < tested_schemes(); k++) {
        run r;
        if (open_with(&r, pressed, k)) {
            CHECK_OK(r.ctx, ss_sim_step(r.sim, 0.01));
            const ss_remarked *said = &summary(&r)->remark[SS_REMARK_INFEASIBLE];
            CHECK(said->steps == 1 && strstr(said->contact, "ball") && strstr(said->contact, "floor"));
            CHECK(summary(&r)->unconverged_steps == 1);
        }
        leave(&r);
    }
}

/* ---- a bar that lies on the floor and hangs on a hinge in it -------------------------------------------- */

static const char pinned[] =
    "{'slipstick':1,'dimension':2,'gravity':[0,-9.81],'time':{'until':0.4,'step':0.01},"
    "'bodies':[{'name':'bar','type':'rigid','mass':1,'position':[0.1,0.03],'shapes':[{'type':'box','size':[0.644,0.06]}]},"
    "{'name':'ball','type':'rigid','mass':1,'position':[3,0.5],'shapes':[{'type':'sphere','radius':0.1}]},"
    "{'name':'floor','type':'fixed','shapes':[{'type':'half_space','normal':[0,1]}]}],"
    "'joints':[{'name':'h','type':'revolute','bodies':['world','bar'],'at':[-0.222,0.03]}]}";

TEST(a_pinned_bar_on_the_floor_leaves_the_impact_of_a_ball_alone_in_every_scheme)
{
    for (int k = 0; k < tested_schemes(); k++) {
        run r;
        if (open_with(&r, pinned, k)) {
            advance(&r, 0.4);
            CHECK(summary(&r)->unconverged_steps == 0);
            CHECK(fabs(ss_sim_v(r.sim)[4]) < 1e-8); /* e = 0: the ball rests */
            CHECK(fabs(ss_sim_v(r.sim)[2]) < 1e-8); /* and so does the bar   */
        }
        leave(&r);
    }
}

/* ---- a ring of links --------------------------------------------------------------------------------------- */

enum { LINKS = 6 };

/* a point of a circle whose plane is turned about x, by 72.5 degrees, against the axes of the hinges, which are z */
static ss_vec3 on_circle(double radius, double angle)
{
    return ss_v3(radius * cos(angle), 0.3 * radius * sin(angle), 0.954 * radius * sin(angle));
}

/* a hexagon of rods in 3D with parallel hinges, three rows of which are redundant, turning about its centre */
static void write_ring(double rate, size_t size, char *text)
{
    const double pi = 3.14159265358979323846, side = 0.368;
    size_t n =
        (size_t)snprintf(text, size, "{'slipstick':1,'dimension':3,'gravity':[0,0,0],'time':{'until':1,'step':0.005},'bodies':[");
    for (int i = 0; i < LINKS; i++) {
        ss_vec3 x = on_circle(side * sqrt(3) / 2, (2 * i + 1) * pi / LINKS);
        n += (size_t)snprintf(
            text + n, size - n,
            "%s{'name':'l%d','type':'rigid','mass':%d,'inertia':[0.01,0.01,0.002],'position':[%.17g,%.17g,%.17g],"
            "'velocity':[%.17g,%.17g,0],'angular_velocity':[0,0,%.17g]}",
            i ? "," : "", i, 1 + i % 3, x.x, x.y, x.z, -rate * x.y, rate * x.x, rate);
    }
    n += (size_t)snprintf(text + n, size - n, "],'joints':[");
    for (int i = 0; i < LINKS; i++) {
        ss_vec3 x = on_circle(side, 2 * i * pi / LINKS);
        n += (size_t)snprintf(text + n, size - n,
                              "%s{'name':'j%d','type':'revolute','bodies':['l%d','l%d'],'at':[%.17g,%.17g,%.17g],'axis':[0,0,1]}",
                              i ? "," : "", i, (i + LINKS - 1) % LINKS, i, x.x, x.y, x.z);
    }
    snprintf(text + n, size - n, "]}");
}

TEST(a_ring_of_links_that_turns_fast_holds_together_in_every_scheme)
{
    for (int k = 0; k < tested_schemes(); k++) {
        char text[4096];
        run r;
        write_ring(8, sizeof text, text);
        if (open_with(&r, text, k)) {
            advance(&r, 0.2);
            CHECK(summary(&r)->max_joint_error < joint_error_left(k) && summary(&r)->unconverged_steps == 0);
            CHECK(summary(&r)->lcps <= 5 * summary(&r)->steps); /* no step is cut: Newton's methods take 4 */
        }
        leave(&r);
    }
}

/* ---- from face to face ---------------------------------------------------------------------------------------- */

/* a valley with slopes of 0.3, and a corner that comes down it fast, or falls beside its bottom */
#define VALLEY(x, y, velocity)                                                                                                   \
    "{'slipstick':1,'dimension':2,'gravity':[0,-9.81],'time':{'until':0.1,'step':0.01},"                                         \
    "'bodies':[{'name':'ground','type':'fixed','shapes':[{'type':'height_field','heights':[0.3,0,0.3],'spacing':1}]},"           \
    "{'name':'p','type':'particle','mass':1,'position':[" x "," y "],'velocity':" velocity ",'shapes':[{'type':'point'}]}]}"

/* Moreau closes contacts at velocity level: a fast one overlaps by its way in a step, and is put back where it can be. */
static bool leaves_overlaps(int k) { return strncmp(ss_scheme_types[k]->info.name, "moreau", 6) == 0; }

TEST(a_corner_that_enters_another_face_within_a_step_does_not_overlap)
{
    static const char *const scenes[] = { VALLEY("-0.1", "0.03", "[2.8734788556634545,-0.86204365669903634]"),
                                          VALLEY("-0.002", "0.2", "[0,-6]") };
    for (int k = 0; k < tested_schemes(); k++) {
        for (int i = 0; i < 2; i++) {
            run r;
            if (open_with(&r, scenes[i], k) && !leaves_overlaps(k)) {
                advance(&r, 0.1);
                CHECK(summary(&r)->max_penetration < 1e-5 && summary(&r)->unconverged_steps == 0);
            }
            leave(&r);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_that_are_welded_together_and_touch_turn_on_in_every_scheme),
        cmocka_unit_test(a_contact_that_a_motor_closes_is_named_and_not_certified_in_every_scheme),
        cmocka_unit_test(a_pinned_bar_on_the_floor_leaves_the_impact_of_a_ball_alone_in_every_scheme),
        cmocka_unit_test(a_ring_of_links_that_turns_fast_holds_together_in_every_scheme),
        cmocka_unit_test(a_corner_that_enters_another_face_within_a_step_does_not_overlap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
