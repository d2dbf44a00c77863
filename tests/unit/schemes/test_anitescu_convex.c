/* The numbers and theorems of Ani06. */
#include "unit/schemes/text_run.h"

static const char *number(char text[64], const char *key, double value)
{
    snprintf(text, 64, "%s=%.17g", key, value);
    return text;
}

/* ---- the examples of section 10.1 ----------------------------------------------------------------- */

/* 2-norm of the difference of the two schemes over all steps of 0.1/2^k, divided by 2^k */
static double table_10_1(int k)
{
    char step[64];
    double h = 0.1 * pow(2, -k), sum = 0;
    const char *lcp_set[] = { number(step, "time.step", h), "scheme.name=anitescu_potra", "scheme.locate=false" };
    const char *qp_set[] = { step, "scheme.name=anitescu_convex" };
    run lcp = begin_file("papers/ani06/particle_drop.json", 3, lcp_set),
        qp = begin_file("papers/ani06/particle_drop.json", 2, qp_set);
    for (int i = 0; i < (int)lround(1.6 / h); i++) {
        CHECK_OK(lcp.ctx, ss_sim_step(lcp.sim, h));
        CHECK_OK(qp.ctx, ss_sim_step(qp.sim, h));
        sum += pow(ss_sim_q(qp.sim)[0] - ss_sim_q(lcp.sim)[0], 2) + pow(ss_sim_q(qp.sim)[1] - ss_sim_q(lcp.sim)[1], 2);
    }
    leave(&lcp);
    leave(&qp);
    return sqrt(sum) * pow(2, -k);
}

TEST(table_10_1_has_every_published_digit)
{
    static const double published[] = { 5.63148e-2, 1.74162e-2, 6.73899e-3, 2.10112e-3, 7.61123e-4, 2.66473e-4 };
    for (int k = 0; k < 6; k++) {
        CHECK_NEAR(table_10_1(k) / published[k], 1, 3e-6); /* six digits, rounded or cut off */
    }
}

static double rise(double h, int sets, const char *const *more, int64_t *unconverged)
{
    char step[64];
    const char *set[8] = { number(step, "time.step", h) };
    for (int i = 0; i < sets; i++) {
        set[i + 1] = more[i];
    }
    run r = begin_file("papers/ani06/particle_contact.json", sets + 1, set);
    double highest = 0;
    for (int i = 0; i < (int)lround(0.4 / h); i++) {
        CHECK_OK(r.ctx, ss_sim_step(r.sim, h));
        highest = fmax(highest, ss_sim_q(r.sim)[1]);
    }
    CHECK(ss_sim_ledger(r.sim)->closure < 1e-12); /* round-off of a handful of numbers */
    *unconverged = ss_sim_summary(r.sim)->unconverged_steps;
    leave(&r);
    return highest;
}

/* of a particle that is put on the line y' = mu x' */
static double limit_of_rise(double mu) { return mu * mu * 9 / (2 * 9.8 * pow(1 + mu * mu, 2)); }

TEST(the_rise_of_a_particle_that_slides_from_the_start_tends_to_its_closed_form_at_first_order)
{
    int64_t unconverged;
    double error[4];
    CHECK_NEAR(rise(1e-3, 0, NULL, &unconverged), 3.512871e-2, 5e-9); /* seven digits */
    for (int k = 0; k < 4; k++) {
        error[k] = rise(2e-3 * pow(2, -k), 0, NULL, &unconverged) - limit_of_rise(0.3);
        CHECK(unconverged == 0);
    }
    for (int k = 0; k < 3; k++) {
        double order = log2(error[k] / error[k + 1]);
        CHECK(order > 0.95 && order < 1.05); /* 1; the top of the flight lies between two steps: O(h^2) */
    }
}

/* ---- concave friction: section 5.1 ------------------------------------------------------------------ */

TEST(concave_friction_lowers_the_rise_as_its_sliding_part_falls)
{
    const double h = 5e-4, slip = 1e-3;
    char kinetic[64], slow[64];
    double before = INFINITY;
    for (double part = 1; part >= 0; part -= 0.25) {
        int64_t unconverged;
        const char *set[] = { "scheme.friction=concave", number(kinetic, "scheme.kinetic", part),
                              number(slow, "scheme.slip", slip) };
        double height = rise(h, 3, set, &unconverged), mu = 0.3 * part;
        /* mu(s) is mu part s + O(slip): a speed of that order, and the O(h) of the step, whose flight begins g h later */
        double speed = mu * 3 / (1 + mu * mu), off = 0.3 * slip + 9.8 * h;
        CHECK_NEAR(height, limit_of_rise(mu), (2 * speed * off + off * off) / (2 * 9.8));
        CHECK(height < before && unconverged == 0);
        before = height;
    }
}

TEST(concave_friction_that_is_not_iterated_to_its_end_says_so)
{
    int64_t unconverged;
    const char *set[] = { "scheme.friction=concave", "scheme.passes=1" };
    rise(1e-3, 2, set, &unconverged);
    CHECK(unconverged > 0);
}

/* On a slope between kinetic and static friction: held from rest, not held once it slides. */
#define SLOPE                                                                                                                    \
    "{'slipstick':1,'dimension':2,'gravity':[-4.5,-8.7],'time':{'until':1,'step':0.001},'scheme':{'name':'anitescu_convex'},"    \
    "'materials':[{'name':'m','mu':0.6,'e':0}],'bodies':[{'name':'p','type':'particle','mass':1,'position':[0,0],"               \
    "'velocity':[0,0],'shapes':[{'type':'point','material':'m'}]},{'name':'floor','type':'fixed','shapes':[{'type':"             \
    "'half_space','normal':[0,1],'material':'m'}]}]}"

TEST(concave_friction_holds_what_rests_and_lets_slide_what_moves)
{
    const char *set[] = { "scheme.friction=concave", "scheme.kinetic=0.5", "bodies.p.velocity=[-1,0]" };
    for (int sliding = 0; sliding < 2; sliding++) {
        run r = begin(SLOPE, 2 + sliding, set);
        CHECK_OK(r.ctx, ss_sim_advance(r.sim, 1));
        double speed = -ss_sim_v(r.sim)[0];
        CHECK(sliding ? speed > 1 : fabs(speed) < 1e-12);
        CHECK(ss_sim_summary(r.sim)->unconverged_steps == 0);
        leave(&r);
    }
}

/* ---- cones ------------------------------------------------------------------------------------------ */

#define BALL                                                                                                                     \
    "{'slipstick':1,'dimension':3,'gravity':[0,0,-9.81],'time':{'until':1,'step':0.01},"                                         \
    "'scheme':{'name':'anitescu_convex'},'solver':{'tol':1e-12},'materials':[{'name':'m','mu':0.5,'e':0}],"                      \
    "'bodies':[{'name':'ball','type':'rigid','mass':1,'inertia':[0.1,0.1,0.1],'position':[0,0,0.5],'angular_velocity':[0.3,-2,"  \
    "1],"                                                                                                                        \
    "'shapes':[{'type':'sphere','radius':0.5,'material':'m'}]},{'name':'floor','type':'fixed','shapes':[{'type':'half_space',"   \
    "'normal':[0,0,1],'material':'m'}]}]}"

enum { SIZES = 5, ANGLES = 24 };

/* Velocities after one step of a ball that slides in the direction phi, and (v - v_free)' M (v - v_free)/2, which they make
 * least. */
static double slide(double phi, int directions, double v[6])
{
    char velocity[96], polygon[64];
    const double spin[3] = { 0.3, -2, 1 }, free[3] = { 3 * cos(phi), 3 * sin(phi), -1 - 9.81 * 0.01 };
    double objective = 0;
    snprintf(velocity, sizeof velocity, "bodies.ball.velocity=[%.17g,%.17g,-1]", free[0], free[1]);
    const char *set[] = { velocity, "scheme.cone=polyhedral", number(polygon, "scheme.directions", directions) };
    run r = begin(BALL, directions > 0 ? 3 : 1, set);
    CHECK_OK(r.ctx, ss_sim_step(r.sim, 0.01));
    CHECK(ss_sim_summary(r.sim)->unconverged_steps == 0);
    for (int i = 0; i < 3; i++) {
        v[i] = ss_sim_v(r.sim)[i];
        v[3 + i] = ss_sim_v(r.sim)[3 + i];
        objective += 0.5 * pow(v[i] - free[i], 2) + 0.05 * pow(v[3 + i] - spin[i], 2);
    }
    leave(&r);
    return objective;
}

static double slope(const double *y, int n)
{
    double sum = 0, weight = 0; /* least squares over log2 = 0, 1, .. */
    for (int k = 0; k < n; k++) {
        sum += (k - 0.5 * (n - 1)) * log2(y[k]);
        weight += pow(k - 0.5 * (n - 1), 2);
    }
    return -sum / weight;
}

/* Lemma 5.1. A polygon of m directions is off the circle by 1 - cos(pi/m), of second order in 1/m. So is the least value of
 * the program; its place, a projection, goes with the square root of that: the friction points along one of the directions. */
TEST(polyhedral_cones_tend_to_the_circular_one_as_their_directions_grow)
{
    double of_velocity[SIZES] = { 0 }, of_objective[SIZES] = { 0 };
    for (int angle = 0; angle < ANGLES; angle++) {
        double phi = 0.1 + 0.53 * angle, exact[6], v[6], least = slide(phi, 0, exact);
        for (int k = 0; k < SIZES; k++) {
            of_objective[k] = fmax(of_objective[k], fabs(slide(phi, 4 << k, v) - least));
            for (int i = 0; i < 6; i++) {
                of_velocity[k] = fmax(of_velocity[k], fabs(v[i] - exact[i]));
            }
        }
    }
    double first = slope(of_velocity, SIZES), second = slope(of_objective, SIZES);
    print_message("4 .. 64 directions: velocity off by %.2e .. %.2e, order %.2f; objective %.2e .. %.2e, order %.2f\n",
                  of_velocity[0], of_velocity[SIZES - 1], first, of_objective[0], of_objective[SIZES - 1], second);
    CHECK(first > 0.8 && first < 1.3); /* 24 angles meet the worst one but roughly */
    CHECK(second > 1.8 && second < 2.3);
}

/* ---- geometry, energy -------------------------------------------------------------------------------- */

/* A particle on a tray that rocks about a point 1 m below it: the gap linearised at the start of a step is off by (w h)^2/2. */
#define TRAY                                                                                                                     \
    "{'slipstick':1,'dimension':2,'gravity':[0,-9.8],'time':{'until':2,'step':0.01},'scheme':{'name':'anitescu_convex'},"        \
    "'materials':[{'name':'m','mu':0,'e':0}],'bodies':[{'name':'p','type':'particle','mass':1,'position':[0,1],"                 \
    "'shapes':[{'type':'point','material':'m'}]},{'name':'tray','type':'driven','angle':'0.3*sin(2*t)','shapes':[{'type':"       \
    "'half_space','normal':[0,1],'offset':1,'material':'m'}]}]}"

static double infeasibility(double h, const char *iterations)
{
    char step[64];
    const char *set[] = { number(step, "time.step", h), iterations };
    run r = begin(TRAY, 2, set);
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 2));
    CHECK(ss_sim_summary(r.sim)->unconverged_steps == 0);
    CHECK(ss_sim_ledger(r.sim)->closure < 1e-10);
    double depth = ss_sim_summary(r.sim)->max_penetration;
    leave(&r);
    return depth;
}

TEST(infeasibility_is_of_second_order_in_the_step)
{
    double depth[4];
    for (int k = 0; k < 4; k++) {
        depth[k] = infeasibility(0.01 * pow(2, -k), "scheme.iterations=1");
    }
    print_message("I(q) for h = 0.01 .. 0.00125: %.3e %.3e %.3e %.3e\n", depth[0], depth[1], depth[2], depth[3]);
    for (int k = 0; k < 3; k++) {
        double order = log2(depth[k] / depth[k + 1]);
        CHECK(order > 1.9 && order < 2.1); /* Theorem 6.1; the largest w is met between two steps */
    }
    CHECK(infeasibility(0.02, "scheme.iterations=4") < 1e-6); /* rows taken again: a millionth of the length, about 1 m */
}

TEST(a_floor_that_is_driven_upwards_carries_what_lies_on_it_with_rows_of_the_start_alone)
{
    const char *set[] = { "scheme.iterations=1", "time.step=0.1", "bodies.tray.angle=0", "bodies.tray.position=[\"t/2\",\"2*t\"]",
                          "materials.m.mu=0.5" };
    run r = begin(TRAY, 5, set);
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 1));
    CHECK_NEAR(ss_sim_q(r.sim)[0], 0.5, 1e-12);
    CHECK_NEAR(ss_sim_q(r.sim)[1], 3, 1e-12);
    CHECK(ss_sim_summary(r.sim)->max_penetration < 1e-12);
    leave(&r);
}

/* Explicit springs make Euler's energy go up and down by O(h). */
#define SWING                                                                                                                    \
    "{'slipstick':1,'dimension':2,'gravity':[0,-9.8],'time':{'until':3,'step':0.01},'scheme':{'name':'anitescu_convex'},"        \
    "'materials':[{'name':'m','mu':0.02,'e':0}],'bodies':[{'name':'p','type':'particle','mass':1,'position':[1.5,0.4],"          \
    "'velocity':[0,1],'shapes':[{'type':'point','material':'m'}]},{'name':'floor','type':'fixed','shapes':[{'type':"             \
    "'half_space','normal':[0,1],'material':'m'}]}],'forces':[{'name':'s','type':'spring','bodies':['world','p'],"               \
    "'anchors':[[0,1],[0,0]],'stiffness':40,'length':0.5}]}"

TEST(energy_does_not_grow_in_the_limit)
{
    double excess[5];
    for (int k = 0; k < 5; k++) {
        char step[64];
        const char *set[] = { number(step, "time.step", 0.01 * pow(2, -k)), "scheme.forces=explicit" };
        run r = begin(SWING, 2, set);
        CHECK_OK(r.ctx, ss_sim_advance(r.sim, 3));
        const ss_summary *s = ss_sim_summary(r.sim);
        excess[k] = s->energy_max - s->energy_initial;
        CHECK(s->unconverged_steps == 0);
        leave(&r);
    }
    print_message("energy above that of the start: %.3e .. %.3e\n", excess[0], excess[4]);
    for (int k = 0; k < 4; k++) { /* Lemma 9.1: what is gained vanishes with h, at first order */
        CHECK(excess[k + 1] < 0.6 * excess[k]);
    }
}

/* ---- what is refused -------------------------------------------------------------------------------------- */

static void refused(const char *set, const char *text)
{
    run r = { .ctx = test_context() };
    ss_status status = parse(&r, SLOPE, 1, &set);
    status = status == SS_OK ? ss_model_compile(r.ctx, r.scene, &r.model) : status;
    status = status == SS_OK ? ss_sim_create(r.ctx, r.model, NULL, &r.sim) : status;
    if (status == SS_OK || !strstr(ss_last_error(r.ctx), text)) {
        fail_msg("%s: expected an error with \"%s\", got \"%s\"", set, text, ss_last_error(r.ctx));
    }
    leave(&r);
}

TEST(bad_input_is_refused_with_a_reason)
{
    refused("materials.m.e=0.5", "inelastic");
    refused("materials.m.mu=-0.1", "mu");
    refused("scheme.directions=7", "expected an even number, got 7");
    refused("scheme.epsilon=-1", "epsilon");
    refused("scheme.slip=0", "slip");
    refused("scheme.kinetic=1.5", "kinetic");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_10_1_has_every_published_digit),
        cmocka_unit_test(the_rise_of_a_particle_that_slides_from_the_start_tends_to_its_closed_form_at_first_order),
        cmocka_unit_test(concave_friction_lowers_the_rise_as_its_sliding_part_falls),
        cmocka_unit_test(concave_friction_that_is_not_iterated_to_its_end_says_so),
        cmocka_unit_test(concave_friction_holds_what_rests_and_lets_slide_what_moves),
        cmocka_unit_test(polyhedral_cones_tend_to_the_circular_one_as_their_directions_grow),
        cmocka_unit_test(infeasibility_is_of_second_order_in_the_step),
        cmocka_unit_test(a_floor_that_is_driven_upwards_carries_what_lies_on_it_with_rows_of_the_start_alone),
        cmocka_unit_test(energy_does_not_grow_in_the_limit),
        cmocka_unit_test(bad_input_is_refused_with_a_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
