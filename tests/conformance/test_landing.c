/* Bodies that land on several corners, by the schemes that locate collisions: where contacts close at one instant, and where one
 * presses while another strikes, they take part in one impact, so that the motion after it converges. */
#include "conformance/scheme_run.h"

#define HEAD                                                                                                                     \
    "{'slipstick': 1, 'dimension': 3, 'gravity': [0,0,-9.81], 'time': {'until': 0.5, 'step': 0.001}, "                           \
    "'materials': [{'name': 'm', 'mu': 0.3, 'e': 0}], 'bodies': ["
#define FLOOR "{'name': 'floor', 'type': 'fixed', 'shapes': [{'type': 'half_space', 'normal': [0,0,1], 'material': 'm'}]}"

/* It stands on one corner when the next one strikes. */
static const char tetrahedron[] =
    HEAD FLOOR ", {'name': 'body', 'type': 'rigid', 'mass': 1, 'inertia': [0.003,0.003,0.002], 'position': [0,0,0.3], "
               "'orientation': [0.98,0.1,0.15,0.05], 'velocity': [0.4,0,0], 'shapes': [{'type': 'hull', 'material': 'm', "
               "'points': [[0.1,0,-0.05], [-0.05,0.09,-0.05], [-0.05,-0.09,-0.05], [0,0,0.15]]}]}]}";
/* An edge of it comes to lie flat across the seam of two tiles: its corner strikes one of them, and it crosses the other's edge.
 */
static const char tiles[] =
    HEAD "{'name': 'left', 'type': 'fixed', 'position': [-0.45,0,-0.05], 'shapes': [{'type': 'box', 'size': [1,1,0.1], "
         "'material': 'm'}]}, {'name': 'right', 'type': 'fixed', 'position': [0.55,0,-0.05], 'shapes': [{'type': 'box', "
         "'size': [1,1,0.1], 'material': 'm'}]}, {'name': 'body', 'type': 'rigid', 'mass': 1, 'position': [0,0,0.3], "
         "'orientation': [0.98,0.1,0.15,0.05], 'velocity': [0.4,0,0], 'shapes': [{'type': 'box', 'size': [0.3,0.2,0.1], "
         "'material': 'm'}]}]}";
/* It tips over its rim until all of its end lies flat. */
static const char cylinder[] =
    HEAD FLOOR ", {'name': 'body', 'type': 'rigid', 'mass': 1, 'position': [0,0,0.4], 'orientation': [0.97,0.15,0.1,0.05], "
               "'shapes': [{'type': 'cylinder', 'radius': 0.1, 'length': 0.1, 'material': 'm'}]}]}";

static double distance(const run *a, const run *b)
{
    double largest = 0;
    for (int i = 0; i < a->model->nq; i++) {
        largest = fmax(largest, fabs(ss_sim_q(a->sim)[i] - ss_sim_q(b->sim)[i]));
    }
    return largest;
}

/* the error at the end, against event_capturing_rk, is at most `error` with a step of 1/4000 s, and a third of it with a quarter
 * of that */
static void check_landing(const char *text, const char *scheme, double error)
{
    const char *const steps[] = { "time.step=0.00025", "time.step=0.0000625" };
    run exact = start(text, NULL, find_scheme("event_capturing_rk"), NULL, 0, NULL);
    advance(&exact, 0.5);
    for (int s = 0; s < 2; s++) {
        run r = start(text, NULL, find_scheme(scheme), NULL, 1, steps + s);
        advance(&r, 0.5);
        CHECK_NEAR(distance(&r, &exact), 0, s == 0 ? error : error / 3);
        CHECK(summary(&r)->unconverged_steps == 0);
        leave(&r);
    }
    leave(&exact);
}

TEST(a_tetrahedron_that_falls_from_corner_to_corner_converges)
{
    check_landing(tetrahedron, "anitescu_potra", 1e-4);
    check_landing(tetrahedron, "trapezoidal", 1e-6);
}

TEST(a_box_whose_edge_lands_across_the_seam_of_two_tiles_converges)
{
    check_landing(tiles, "anitescu_potra", 1e-4);
    check_landing(tiles, "trapezoidal", 3e-6);
}

TEST(a_cylinder_that_tips_onto_its_end_converges)
{
    check_landing(cylinder, "anitescu_potra", 1e-5);
    check_landing(cylinder, "trapezoidal", 1e-4); /* its rim rattles for a few microseconds */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tetrahedron_that_falls_from_corner_to_corner_converges),
        cmocka_unit_test(a_box_whose_edge_lands_across_the_seam_of_two_tiles_converges),
        cmocka_unit_test(a_cylinder_that_tips_onto_its_end_converges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
