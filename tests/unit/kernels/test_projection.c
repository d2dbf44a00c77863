/* Projection onto the joints: it restores what drifted, and says so where it cannot. */
#include "unit/schemes/event_capturing_rk/closed_scene.h"

#include "kernels/projection.h"

/* two rods, each on a hinge to the world */
static const char rods[] = HEAD(2, "[0,0]") "'bodies':[{'name':'a','type':'rigid','mass':1,'inertia':1,'position':[1,0]},"
                                            "{'name':'b','type':'rigid','mass':1,'inertia':1,'position':[5,0]}],"
                                            "'joints':[{'name':'j','type':'hinge','bodies':['a','world'],'at':[0,0]},"
                                            "{'name':'k','type':'hinge','bodies':['b','world'],'at':[4,0]}]}";

typedef struct projected {
    closed_scene scene;
    ss_projection *projection;
} projected;

static projected open_rods(void)
{
    projected x;
    open_held(&x.scene, rods, 0, 0, NULL);
    CHECK_OK(x.scene.ctx, ss_projection_create(x.scene.ctx, x.scene.m, &x.projection));
    return x;
}

static void close_rods(projected *x)
{
    ss_projection_destroy(x->projection);
    close_held(&x->scene);
}

/* the report of a step is what counts its iterations */
static bool project(projected *x)
{
    bool satisfied = false;
    x->scene.s->report = &x->scene.sim->pending->report;
    CHECK_OK(x->scene.ctx, ss_projection_apply(x->projection, x->scene.s, 0, x->scene.q, &satisfied));
    return satisfied;
}

TEST(what_has_drifted_off_its_hinge_is_brought_back)
{
    projected x = open_rods();
    x.scene.q[0] += 1e-3;
    x.scene.q[4] -= 1e-3;
    CHECK(project(&x));
    for (int b = 0; b < 2; b++) { /* a rod's centre is 1 m from its hinge, in the direction of its angle */
        const double *q = x.scene.q + 3 * b;
        CHECK_NEAR(q[0], 4 * b + cos(q[2]), 1e-13);
        CHECK_NEAR(q[1], sin(q[2]), 1e-13);
    }
    close_rods(&x);
}

TEST(a_joint_whose_error_is_not_a_number_does_not_fit_even_if_the_next_one_does)
{
    projected x = open_rods();
    x.scene.q[1] = NAN;
    CHECK(!project(&x));
    close_rods(&x);
}

TEST(a_drift_of_a_few_hundred_roundings_is_brought_back_too)
{
    projected x = open_rods();
    x.scene.q[0] += 5e-13;
    CHECK(project(&x));
    CHECK_NEAR(x.scene.q[0], 1, 1e-14 * x.scene.m->length);
    close_rods(&x);
}

/* Two hinges of one rod: the second repeats the first, but for a distance that no position can close. */
static bool fits_two_hinges(double apart)
{
    char second[80];
    snprintf(second, sizeof second, "joints.k.anchors=[[-1,%.3g],[0,0]]", apart);
    const char *set[] = { second };
    projected x;
    open_held(&x.scene,
              HEAD(2, "[0,0]") "'bodies':[{'name':'a','type':'rigid','mass':1,'inertia':1,'position':[1,0]}],"
                               "'joints':[{'name':'j','type':'hinge','bodies':['a','world'],'at':[0,0]},"
                               "{'name':'k','type':'hinge','bodies':['a','world'],'anchors':[[-1,0],[0,0]]}]}",
              0, 1, set);
    CHECK_OK(x.scene.ctx, ss_projection_create(x.scene.ctx, x.scene.m, &x.projection));
    CHECK(x.scene.m->length >= 1 && x.scene.m->length <= 2);
    bool satisfied = project(&x);
    close_rods(&x);
    return satisfied;
}

TEST(a_projection_that_stalls_fits_only_near_round_off)
{
    CHECK(fits_two_hinges(2e-11)); /* 1e-10 of the length */
    CHECK(!fits_two_hinges(2e-9));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_has_drifted_off_its_hinge_is_brought_back),
        cmocka_unit_test(a_joint_whose_error_is_not_a_number_does_not_fit_even_if_the_next_one_does),
        cmocka_unit_test(a_drift_of_a_few_hundred_roundings_is_brought_back_too),
        cmocka_unit_test(a_projection_that_stalls_fits_only_near_round_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
