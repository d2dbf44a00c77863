/* Which contacts the convex program of Ani06 has, duplicated contacts, and contacts that no velocity can meet. */
#include "unit/schemes/text_run.h"

/* ---- which contacts ------------------------------------------------------------------------------------ */

#define THREE                                                                                                                    \
    "{'slipstick':1,'dimension':2,'gravity':[0,0],'time':{'until':1,'step':0.1},'scheme':{'name':'anitescu_convex'},"            \
    "'materials':[{'name':'m','mu':0,'e':0}],'bodies':["                                                                         \
    "{'name':'a','type':'particle','mass':1,'position':[0,0],'velocity':[10,0],'shapes':[{'type':'disk','radius':0.5,"           \
    "'material':'m'}]},{'name':'b','type':'particle','mass':1,'position':[1.1,0],'shapes':[{'type':'disk','radius':0.5,"         \
    "'material':'m'}]},{'name':'c','type':'particle','mass':1,'position':[2.4,0],'shapes':[{'type':'disk','radius':0.5,"         \
    "'material':'m'}]}]}"

/* (v_a - 10)^2 + v_b^2 + v_c^2 is least, with v_a - v_b <= 0.1/h and v_b - v_c <= 0.3/h, for v = (5, 4, 1): c, at rest and
 * apart at first, is reached within the same step */
TEST(a_contact_that_only_the_solution_violates_joins_the_program)
{
    run r = begin(THREE, 0, NULL);
    CHECK_OK(r.ctx, ss_sim_step(r.sim, 0.1));
    const double *v = ss_sim_v(r.sim);
    CHECK_NEAR(v[0], 5, 1e-9); /* solver tolerance times the speeds */
    CHECK_NEAR(v[2], 4, 1e-9);
    CHECK_NEAR(v[4], 1, 1e-9);
    leave(&r);
}

/* b and c do not approach each other, but both move, and c is 0.1 m off: the impact of a on b makes them meet. Least is
 * (v_a - 18)^2 + (v_b - 8)^2 + (v_c - 8)^2 with v_a - v_b <= 1 and v_b - v_c <= 1 where both are met. */
TEST(a_contact_of_bodies_that_move_is_in_the_first_program)
{
    const char *set[] = { "bodies.a.velocity=[18,0]", "bodies.b.velocity=[8,0]", "bodies.c.velocity=[8,0]",
                          "bodies.c.position=[2.2,0]" };
    run r = begin(THREE, 4, set);
    CHECK_OK(r.ctx, ss_sim_step(r.sim, 0.1));
    const double *v = ss_sim_v(r.sim);
    CHECK_NEAR(v[0], 37.0 / 3, 1e-8); /* solver tolerance times the speeds */
    CHECK_NEAR(v[2], 34.0 / 3, 1e-8);
    CHECK_NEAR(v[4], 31.0 / 3, 1e-8);
    CHECK(ss_sim_summary(r.sim)->lcps == 1);
    leave(&r);
}

/* At 0.3 m there may be others between: it joins when it is met, as in the case of c at rest. */
TEST(a_contact_as_far_as_bodies_are_thick_waits_until_it_is_met)
{
    const char *set[] = { "bodies.a.velocity=[18,0]", "bodies.b.velocity=[8,0]", "bodies.c.velocity=[8,0]" };
    run r = begin(THREE, 3, set);
    CHECK_OK(r.ctx, ss_sim_step(r.sim, 0.1));
    CHECK_NEAR(ss_sim_v(r.sim)[4], 9, 1e-8);
    CHECK(ss_sim_summary(r.sim)->lcps == 2);
    leave(&r);
}

TEST(contacts_wider_than_epsilon_are_left_out)
{
    const char *set[] = { "scheme.epsilon=0.2" };
    run r = begin(THREE, 1, set);
    CHECK_OK(r.ctx, ss_sim_step(r.sim, 0.1));
    const double *v = ss_sim_v(r.sim);
    CHECK_NEAR(v[0], 5.5, 1e-9);
    CHECK_NEAR(v[2], 4.5, 1e-9);
    CHECK_NEAR(v[4], 0, 0);
    leave(&r);
}

/* ---- duplicated contacts -------------------------------------------------------------------------------- */

#define BOX_ON_BOX                                                                                                               \
    "{'slipstick':1,'dimension':3,'gravity':[1,0,-9.81],'time':{'until':1,'step':0.01},'scheme':{'name':'anitescu_convex'},"     \
    "'solver':{'tol':1e-12},'contacts':{'reduce':false},'materials':[{'name':'m','mu':0.3,'e':0}],'bodies':["                    \
    "{'name':'lower','type':'rigid','mass':2,'inertia':[0.4,0.5,0.6],'position':[0,0,0.25],'velocity':[0.5,0.2,0],'shapes':["    \
    "{'type':'box','size':[1.2,1.2,0.5],'material':'m'}]},"                                                                      \
    "{'name':'upper','type':'rigid','mass':1,'inertia':[0.1,0.2,0.3],'position':[0,0,0.75],'velocity':[2,-1,0],"                 \
    "'angular_velocity':[0,0,1],'shapes':[{'type':'box','size':[1,1,0.5],'material':'m'}%s]},"                                   \
    "{'name':'floor','type':'fixed','shapes':[{'type':'half_space','normal':[0,0,1],'material':'m'}]}]}"
#define AGAIN ",{'type':'box','size':[1,1,0.5],'material':'m'}"

static void slide_boxes(bool duplicated, const char *solver, double v[12])
{
    char text[4096];
    snprintf(text, sizeof text, BOX_ON_BOX, duplicated ? AGAIN AGAIN AGAIN : "");
    run r = begin(text, 1, &solver);
    for (int i = 0; i < 20; i++) {
        CHECK_OK(r.ctx, ss_sim_step(r.sim, 0.01));
    }
    CHECK(ss_sim_summary(r.sim)->unconverged_steps == 0);
    CHECK(ss_sim_contact_count(r.sim) >= (duplicated ? 20 : 8));
    memcpy(v, ss_sim_v(r.sim), 12 * sizeof(double));
    leave(&r);
}

TEST(duplicated_contacts_do_not_change_the_velocity)
{
    static const char *const solvers[] = { "solver.name=auto", "solver.name=nsgs", "solver.name=alm", "solver.name=apgd",
                                           "solver.name=cone_ipm" };
    for (int k = 0; k < 5; k++) {
        double once[12], four[12], largest = 0;
        slide_boxes(false, solvers[k], once);
        slide_boxes(true, solvers[k], four);
        for (int i = 0; i < 12; i++) {
            largest = fmax(largest, fabs(once[i] - four[i]));
        }
        print_message("%s: velocities differ by %.2g\n", solvers[k], largest);
        CHECK(largest < 1e-10);
    }
}

/* ---- what cannot be met --------------------------------------------------------------------------------- */

/* a disk of radius 0.52 in a slot 1 m wide: the walls want it to move both ways */
static const char squeezed[] =
    "{'slipstick': 1, 'dimension': 2, 'gravity': [0, -9.8], 'time': {'until': 0.1, 'step': 0.01},"
    " 'scheme': {'name': 'anitescu_convex'}, 'materials': [{'name': 'm', 'mu': 0.5}], 'bodies': ["
    "{'name': 'disk', 'type': 'rigid', 'mass': 1, 'position': [0, 3],"
    " 'shapes': [{'type': 'sphere', 'radius': 0.52, 'material': 'm'}]},"
    "{'name': 'left', 'type': 'fixed', 'shapes': [{'type': 'half_space', 'normal': [1, 0], 'offset': -0.5, 'material': 'm'}]},"
    "{'name': 'right', 'type': 'fixed', 'shapes': [{'type': 'half_space', 'normal': [-1, 0], 'offset': -0.5, 'material': "
    "'m'}]}]}";

TEST(a_disk_that_does_not_fit_its_slot_is_infeasible_and_a_wall_is_blamed)
{
    run r = begin_overlapping(squeezed, 0, NULL);
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.1));
    const ss_summary *s = ss_sim_summary(r.sim);
    const ss_remarked *infeasible = &s->remark[SS_REMARK_INFEASIBLE];
    CHECK(infeasible->steps == 10 && s->unconverged_steps == 10);
    CHECK_NEAR(infeasible->t, 0.01, 1e-15);
    CHECK(strstr(infeasible->contact, "disk.0-") == infeasible->contact);
    CHECK(ss_sim_last_step(r.sim)->outcome == SS_INFEASIBLE);
    CHECK_NEAR(s->max_penetration, 0.02, 1e-12); /* left as it was: 0.52 - 0.5 */
    leave(&r);
}

/* a disk pinned 0.1 m too low over a floor: the joint holds, the overlap stays, and it is said */
TEST(a_joint_that_cannot_open_an_overlap_holds_and_the_floor_is_blamed)
{
    run r = begin_overlapping("{'slipstick': 1, 'dimension': 2, 'gravity': [0, -9.8], 'time': {'until': 0.03, 'step': 0.01},"
                              " 'scheme': {'name': 'anitescu_convex'}, 'materials': [{'name': 'm', 'mu': 0.3}], 'bodies': ["
                              "{'name': 'a', 'type': 'rigid', 'mass': 1, 'inertia': 0.1, 'position': [0, 0.4],"
                              " 'shapes': [{'type': 'disk', 'radius': 0.5, 'material': 'm'}]},"
                              "{'name': 'floor', 'type': 'fixed', 'shapes': [{'type': 'half_space', 'normal': [0, 1], "
                              "'material': 'm'}]}], 'joints': [{'name': 'pin', 'type': 'revolute', 'bodies': ['world', 'a'], "
                              "'at': [0, 0.4]}]}",
                              0, NULL);
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.03));
    const ss_summary *s = ss_sim_summary(r.sim);
    CHECK(s->remark[SS_REMARK_INFEASIBLE].steps == 3 && strcmp(s->remark[SS_REMARK_INFEASIBLE].contact, "a.0-floor.0") == 0);
    CHECK(s->max_joint_error <= 1e-12);
    CHECK_NEAR(s->max_penetration, 0.1, 1e-12);
    leave(&r);
}

/* 20 m from a disk squeezed under a lid another one falls: it lands on the floor, not where it was when the squeezed one
 * could not be freed */
TEST(what_is_wedged_elsewhere_does_not_stop_a_ball_in_the_air)
{
    run r = begin_overlapping("{'slipstick': 1, 'dimension': 2, 'gravity': [0, -9.8], 'time': {'until': 0.3, 'step': 0.1},"
                              " 'scheme': {'name': 'anitescu_convex'}, 'materials': [{'name': 'm', 'mu': 0.3}], 'bodies': ["
                              "{'name': 'ball', 'type': 'particle', 'mass': 1, 'position': [10, 2], 'velocity': [0, -10],"
                              " 'shapes': [{'type': 'disk', 'radius': 0.5, 'material': 'm'}]},"
                              "{'name': 'wedged', 'type': 'particle', 'mass': 1, 'position': [-10, 0.49],"
                              " 'shapes': [{'type': 'disk', 'radius': 0.5, 'material': 'm'}]},"
                              "{'name': 'lid', 'type': 'fixed', 'position': [-10, 0.98], 'shapes': [{'type': 'box', "
                              "'size': [2, 0.0001], 'material': 'm'}]},"
                              "{'name': 'floor', 'type': 'fixed', 'shapes': [{'type': 'half_space', 'normal': [0, 1], "
                              "'material': 'm'}]}]}",
                              0, NULL);
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.3));
    CHECK(ss_sim_summary(r.sim)->remark[SS_REMARK_INFEASIBLE].steps == 3);
    CHECK_NEAR(ss_sim_q(r.sim)[1], 0.5, 1e-9);
    leave(&r);
}

static int64_t not_pointed(const char *radius, const char *mu)
{
    char settings[3][64] = { "scheme.pointed=true" };
    snprintf(settings[1], sizeof settings[1], "bodies.disk.shapes.0.radius=%s", radius);
    snprintf(settings[2], sizeof settings[2], "materials.m.mu=%s", mu);
    const char *set[] = { settings[0], settings[1], settings[2] };
    run r = begin(squeezed, 3, set);
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.1));
    CHECK(ss_sim_summary(r.sim)->unconverged_steps == 0);
    int64_t steps = ss_sim_summary(r.sim)->remark[SS_REMARK_NOT_POINTED].steps;
    leave(&r);
    return steps;
}

TEST(a_disk_wedged_between_two_walls_has_no_pointed_friction_cone_and_a_free_one_has)
{
    assert_int_equal(not_pointed("0.5", "0.5"), 10);
    assert_int_equal(not_pointed("0.5", "0"), 10);
    assert_int_equal(not_pointed("0.49", "0.5"), 0); /* it touches neither */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_contact_that_only_the_solution_violates_joins_the_program),
        cmocka_unit_test(a_contact_of_bodies_that_move_is_in_the_first_program),
        cmocka_unit_test(a_contact_as_far_as_bodies_are_thick_waits_until_it_is_met),
        cmocka_unit_test(contacts_wider_than_epsilon_are_left_out),
        cmocka_unit_test(duplicated_contacts_do_not_change_the_velocity),
        cmocka_unit_test(a_joint_that_cannot_open_an_overlap_holds_and_the_floor_is_blamed),
        cmocka_unit_test(what_is_wedged_elsewhere_does_not_stop_a_ball_in_the_air),
        cmocka_unit_test(a_disk_that_does_not_fit_its_slot_is_infeasible_and_a_wall_is_blamed),
        cmocka_unit_test(a_disk_wedged_between_two_walls_has_no_pointed_friction_cone_and_a_free_one_has),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
