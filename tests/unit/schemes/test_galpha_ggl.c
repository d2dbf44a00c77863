/* The nonsmooth generalized-alpha method against closed forms, against the numbers of its paper, and where Newton's method has
 * it hard. */
#include "schemes/galpha/galpha_inside.h"
#include "text_run.h"

#define HEAD(dimension, gravity, until, step)                                                                                    \
    "{'slipstick':1,'dimension':" #dimension ",'gravity':" gravity ",'time':{'until':" until ",'step':" step                     \
    "},'scheme':{'name':'galpha_ggl'},"
#define FLOOR "{'name':'floor','type':'fixed','shapes':[{'type':'half_space','normal':[0,1],'material':'m'}]}"

static const char *const both[2] = { "scheme.newton=monolithic", "scheme.newton=sequential" };
static const char *const galpha_ggl = "scheme.name=galpha_ggl";

/* certified throughout, and nothing overlaps or opens by more than `most` */
static void end_within(run *r, double most)
{
    CHECK(summary(r)->unconverged_steps == 0);
    CHECK(summary(r)->max_penetration <= most);
    CHECK(summary(r)->max_joint_error <= most);
    leave(r);
}

/* largest contact force of the last step along its normal */
static double normal_force(const run *r)
{
    double most = 0;
    for (int k = 0; k < ss_sim_contact_count(r->sim); k++) {
        ss_contact_info c;
        CHECK_OK(r->ctx, ss_sim_contact(r->sim, k, &c));
        most = fmax(most, c.force[0]);
    }
    return most;
}

static double energy_of(const run *r)
{
    double kinetic, potential;
    ss_config c;
    ss_arena *arena = NULL;
    CHECK_OK(r->ctx, ss_arena_create(r->ctx, 4096, &arena));
    CHECK_OK(r->ctx, ss_config_take(arena, r->model, &c));
    ss_config_set(r->model, ss_sim_time(r->sim), ss_sim_q(r->sim), &c);
    CHECK_OK(r->ctx, ss_model_kinetic(r->ctx, r->model, c.t, c.q, ss_sim_v(r->sim), &kinetic));
    CHECK_OK(r->ctx, ss_model_potential(r->ctx, r->model, &c, &potential));
    ss_arena_destroy(arena);
    return kinetic + potential;
}

/* ---- the rule ---------------------------------------------------------------------------------------- */

TEST(the_rule_has_the_numbers_of_the_paper)
{
    const galpha_rule r = galpha_rule_of(0.8);
    CHECK_NEAR(r.alpha_m, 1.0 / 3, 1e-15);
    CHECK_NEAR(r.alpha_f, 4.0 / 9, 1e-15);
    CHECK_NEAR(r.gamma, 11.0 / 18, 1e-15);
    CHECK_NEAR(r.beta, 25.0 / 81, 1e-15);
}

/* x'' = -w^2 x with h w = 100: by the linear recurrence that the formulae are for it, whose roots are near rho_inf. */
static double exact_stiff_velocity(int n, double h, double w2, double x)
{
    const galpha_rule r = galpha_rule_of(0.5);
    double v = 0, rate = -w2 * x, a = rate;
    for (int k = 0; k < n; k++) {
        const double free = x + h * v + h * h * (0.5 - r.beta) * a,
                     end = (-(1 - r.alpha_f) * w2 * free + r.alpha_f * rate - r.alpha_m * a) /
                           (1 - r.alpha_m + (1 - r.alpha_f) * w2 * h * h * r.beta);
        x = free + h * h * r.beta * end;
        v += h * ((1 - r.gamma) * a + r.gamma * end);
        rate = -w2 * x;
        a = end;
    }
    return v;
}

TEST(stiff_vibrations_die_out_by_the_spectral_radius)
{
    static const char text[] = HEAD(
        2, "[0,0]", "1", "1e-2") "'bodies':[{'name':'p','type':'particle','mass':1,'position':[1.001,0]}],'forces':[{"
                                 "'type':'spring','bodies':['world','p'],'anchors':[[0,0],[0,0]],'stiffness':1e8,'length':1}]}";
    for (int k = 0; k < 2; k++) {
        const char *set[2] = { both[k], "scheme.rho_inf=0.5" };
        run r = begin(text, 2, set);
        const double first = exact_stiff_velocity(1, 1e-2, 1e8, 1e-3), last = exact_stiff_velocity(15, 1e-2, 1e8, 1e-3);
        advance(&r, 0.01);
        CHECK_NEAR(ss_sim_v(r.sim)[0], first, 1e-9 * fabs(first));
        advance(&r, 0.15);
        CHECK_NEAR(ss_sim_v(r.sim)[0], last, 1e-9 * fabs(first));
        CHECK(fabs(last) < 1e-3 * fabs(first));
        end_within(&r, 0);
    }
}

/* ---- smooth motion ------------------------------------------------------------------------------------ */

/* benchmarks: quaternion at t = 0.2 of a heavy top that spins with 150 rad/s */
static double error_of_top(const char *step)
{
    static const char top[] = HEAD(
        3, "[0,0,-9.81]", "0.2", "1e-3") "'bodies':[{'name':'top','type':'rigid','mass':15,'inertia':[0.234375,0.46875,0.234375],"
                                         "'position':[0,1,0],'velocity':[4.61538,0,0],'angular_velocity':[0,150,-4.61538]}],"
                                         "'joints':[{'name':'tip','type':'spherical','bodies':['world','top'],"
                                         "'anchors':[[0,0,0],[0,-1,0]]}]}";
    static const double exact[4] = { -.7082791530, .4387810881, .5457283961, .0893997528 };
    double off = 0, sign = 0;
    run r = begin(top, 1, &step);
    advance(&r, 0.2);
    for (int i = 0; i < 4; i++) {
        sign += ss_sim_q(r.sim)[3 + i] * exact[i];
    }
    for (int i = 0; i < 4; i++) {
        off = fmax(off, fabs(copysign(1, sign) * ss_sim_q(r.sim)[3 + i] - exact[i]));
    }
    CHECK(summary(&r)->newton <= 5 * summary(&r)->steps);
    end_within(&r, 1e-13);
    return off;
}

TEST(a_heavy_top_is_followed_at_order_two_and_its_tip_stays_in_place)
{
    const double coarse = error_of_top("time.step=1e-3"), fine = error_of_top("time.step=5e-4");
    CHECK_NEAR(coarse / fine, 4, 0.1);
    CHECK(fine < 1e-4);
}

/* two rods in space, a ball joint and a hinge; end of the second rod at t = 0.5 */
static void end_of_double_pendulum(const char *step, const char *newton, double *x)
{
    static const char text[] = HEAD(
        3, "[0,0,-9.81]", "0.5",
        "1e-3") "'bodies':[{'name':'a','type':'rigid','mass':1,'inertia':[0.01,0.08,0.09],'position':[0.5,0,0],'velocity':[0,0.5,"
                "0],"
                "'angular_velocity':[0,0,1]},{'name':'b','type':'rigid','mass':2,'inertia':[0.02,0.1,0.11],'position':[1.5,0,0],"
                "'velocity':[0,1.5,0.5],'angular_velocity':[0,-1,1]}],'joints':[{'type':'spherical','bodies':['world','a'],"
                "'anchors':[[0,0,0],[-0.5,0,0]]},{'type':'revolute','bodies':['a','b'],'anchors':[[0.5,0,0],[-0.5,0,0]],'axis':["
                "0,1,0]}]}";
    const char *set[2] = { step, newton };
    run r = begin(text, 2, set);
    advance(&r, 0.5);
    memcpy(x, ss_sim_q(r.sim) + 7, 3 * sizeof *x);
    end_within(&r, 1e-12);
}

TEST(a_double_pendulum_in_space_converges_at_order_two_by_either_newton_method)
{
    for (int k = 0; k < 2; k++) {
        double x[3][3], first = 0, second = 0;
        end_of_double_pendulum("time.step=1e-2", both[k], x[0]);
        end_of_double_pendulum("time.step=5e-3", both[k], x[1]);
        end_of_double_pendulum("time.step=2.5e-3", both[k], x[2]);
        for (int i = 0; i < 3; i++) {
            first = fmax(first, fabs(x[0][i] - x[1][i]));
            second = fmax(second, fabs(x[1][i] - x[2][i]));
        }
        CHECK_NEAR(first / second, 4, 0.2);
    }
}

/* Where the length of steps changes, a pseudo-acceleration is one of another time: without a correction the order would be 1. */
static double end_with_uneven_steps(int n)
{
    static const char text[] =
        HEAD(2, "[0,-10]", "1", "1e-2") "'bodies':[{'name':'p','type':'rigid','mass':1,'inertia':0.1,'position':[1,0]}],"
                                        "'joints':[{'type':'revolute','bodies':['world','p'],'at':[0,0]}]}";
    const char *set[1] = { "scheme.rho_inf=0" }; /* a is one step old */
    run r = begin(text, 1, set);
    for (int k = 0; k < n; k++) {
        CHECK_OK(r.ctx, ss_sim_step(r.sim, (k % 2 ? 1.25 : 0.75) * 0.6 / n));
    }
    const double angle = ss_sim_q(r.sim)[2];
    leave(&r);
    return angle;
}

TEST(uneven_steps_keep_the_order)
{
    const double a = end_with_uneven_steps(40), b = end_with_uneven_steps(80), c = end_with_uneven_steps(160);
    CHECK_NEAR((a - b) / (b - c), 4, 0.3);
}

/* ---- contact ------------------------------------------------------------------------------------------- */

TEST(a_ball_never_overlaps_and_never_gains_energy_and_comes_to_rest_on_the_floor)
{
    for (int k = 0; k < 2; k++) {
        const char *set[2] = { galpha_ggl, both[k] };
        double energy = 10.01;
        run r = begin_file("papers/bac14/ball.json", 2, set);
        while (ss_sim_time(r.sim) < 4.999) {
            CHECK_OK(r.ctx, ss_sim_step(r.sim, 2e-3));
            const double *q = ss_sim_q(r.sim), *v = ss_sim_v(r.sim), now = 0.5 * v[1] * v[1] + 10 * q[1];
            CHECK(now <= energy + 1e-14 && q[1] >= 0.2 - 1e-14);
            energy = now;
        }
        CHECK_NEAR(normal_force(&r), 10, 1e-9);
        CHECK_NEAR(energy, 2, 1e-13);
        end_within(&r, 1e-14);
    }
}

TEST(a_pendulum_strikes_a_wall_and_rests_on_it_with_the_reactions_of_statics)
{
    const char *set[1] = { galpha_ggl };
    run r = begin_file("papers/bac14/pendulum.json", 1, set);
    advance(&r, 0.4);
    CHECK_NEAR(ss_sim_q(r.sim)[2], -.450878091411, 2e-6); /* h^2 */
    advance(&r, 0.486);
    CHECK_NEAR(ss_sim_v(r.sim)[2], -4.1907383300214, 2e-3); /* 1.1e-4 s before the impact */
    advance(&r, 6);
    double lam[6];
    CHECK(ss_sim_joint_reaction(r.sim, 0, lam) == 2);
    const double *smooth = galpha_history_in(r.model, r.sim->now.scheme_state).lam;
    CHECK_NEAR(fabs(lam[0]), 10, 1e-9); /* Lambda/h + lam~ [BAC14 eq. 33], */
    CHECK_NEAR(fabs(lam[1]), 10, 1e-9);
    CHECK_NEAR(fabs(lam[0] - smooth[0]), 5.454545454545, 1e-6); /* of which the paper shows the first part */
    CHECK_NEAR(fabs(lam[1] - smooth[1]), 4.545454545455, 1e-6);
    CHECK_NEAR(normal_force(&r), 10, 1e-6);
    CHECK(summary(&r)->newton <= 2 * summary(&r)->steps);
    end_within(&r, 1e-13);
}

/* 2.9 ms after the first impact; the force of the smooth swing is that of a run with rho_inf = 0.5 to 1e-3 */
static double force_of_pivot(const char *restart)
{
    const char *set[2] = { galpha_ggl, restart };
    double lam[6];
    run r = begin_file("papers/bac14/pendulum.json", 2, set);
    advance(&r, 0.489);
    CHECK(ss_sim_joint_reaction(r.sim, 0, lam) == 2);
    leave(&r);
    return lam[0];
}

TEST(accelerations_before_an_impact_do_not_disturb_the_force_of_a_joint_after_it)
{
    CHECK_NEAR(force_of_pivot("scheme.restart=true"), -12.4711, 5e-3);
    CHECK(fabs(force_of_pivot("scheme.restart=false") + 12.4711) > 10); /* the paper's Figure 14 */
}

/* energies of the exact motion after the first three impacts, and at rest */
TEST(a_rocking_block_loses_the_energy_of_its_impacts_and_stands_on_both_corners)
{
    static const double at[3] = { 0.25, 0.4, 0.5 }, energy[3] = { 8.95754804, 8.02383110, 7.71428567 };
    const char *set[1] = { "time.step=5e-4" };
    run r = begin_file("papers/bac14/rocking_block.json", 1, set);
    for (int k = 0; k < 3; k++) {
        advance(&r, at[k]);
        CHECK_NEAR(energy_of(&r), energy[k], 2e-3); /* order 1 in the time of the impact */
    }
    advance(&r, 2);
    CHECK_NEAR(ss_sim_q(r.sim)[1], 0.75, 1e-13);
    CHECK(ss_sim_contact_count(r.sim) == 2);
    CHECK_NEAR(normal_force(&r), 4.905, 1e-9);
    end_within(&r, 1e-12);
}

/* Elastic impacts of a box that turns by 0.2 rad in a step: Newton's law compares velocities along rows that have turned. Where
 * that makes energy the step is cut; three impacts may each be wrong by a hundredth of the approach. */
TEST(an_impact_of_a_body_that_turns_far_in_a_step_creates_no_energy)
{
    const char *set[1] = { galpha_ggl };
    run r = begin_file("tests/cli/spin_box.json", 1, set);
    const double before = energy_of(&r);
    advance(&r, 0.5);
    CHECK(energy_of(&r) < 1.05 * before);
    CHECK(summary(&r)->remark[SS_REMARK_ENERGY].steps == 0);
    end_within(&r, 1e-12);
}

/* Free motion takes all boxes down by the same way: the gaps between them are round-off at q~. */
TEST(a_stack_of_elastic_boxes_that_rests_stays_at_rest)
{
    static const char text[] =
        HEAD(2, "[0,-9.81]", "0.2", "1e-2") "'materials':[{'name':'m','mu':0.5,'e':0.7}],'bodies':[" FLOOR
                                            ",{'name':'a','type':'rigid','mass':1,'inertia':0.1,'position':[0,0.5],'shapes':[{'"
                                            "type':'box','size':[1,1],'material':'m'}]}"
                                            ",{'name':'b','type':'rigid','mass':1,'inertia':0.1,'position':[0.1,1.5],'shapes':[{'"
                                            "type':'box','size':[1,1],'material':'m'}]}"
                                            ",{'name':'c','type':'rigid','mass':1,'inertia':0.1,'position':[-0.1,2.5],'shapes':[{"
                                            "'type':'box','size':[1,1],'material':'m'}]}]}";
    run r = begin(text, 0, NULL);
    advance(&r, 0.2);
    for (int i = 0; i < 9; i++) {
        CHECK_NEAR(ss_sim_v(r.sim)[i], 0, 1e-9); /* tolerance times the speed that gravity gives in a step */
    }
    CHECK(summary(&r)->newton <= 5 * summary(&r)->steps);
    end_within(&r, 1e-11);
}

/* A ball pulled off a wall by 2 N and pushed against it by another one with 5 N: contact with the wall is open in free motion. */
static double speed_at_wall(const char *activate)
{
    static const char text[] =
        HEAD(2, "[0,0]", "0.1",
             "1e-2") "'materials':[{'name':'m','mu':0,'e':0.5}],'bodies':[{'name':'wall','type':'fixed','shapes':[{'type':'half_"
                     "space','normal':[1,0],"
                     "'material':'m'}]},{'name':'a','type':'particle','mass':1,'position':[0.1,0],'shapes':[{'type':'sphere','"
                     "radius':0.1,'material':'m'}]},"
                     "{'name':'b','type':'particle','mass':1,'position':[0.3,0],'shapes':[{'type':'sphere','radius':0.1,'"
                     "material':'m'}]}],"
                     "'forces':[{'type':'constant','body':'a','force':[2,0]},{'type':'constant','body':'b','force':[-5,0]}]}";
    double fastest = 0;
    run r = begin(text, 1, &activate);
    for (int k = 0; k < 10; k++) {
        CHECK_OK(r.ctx, ss_sim_step(r.sim, 1e-2));
        fastest = fmax(fastest, fabs(ss_sim_v(r.sim)[0]));
    }
    leave(&r);
    return fastest;
}

TEST(a_contact_that_others_press_shut_is_closed_at_velocity_level_too)
{
    CHECK_NEAR(speed_at_wall("scheme.activate=either"), 0, 1e-12);
    CHECK(speed_at_wall("scheme.activate=free") > 1e-3); /* the paper's q* */
}

/* ---- friction ------------------------------------------------------------------------------------------- */

/* 0.5 = tan of 26.6 degrees; on a slope of 20 degrees a box sticks, on one of 35 it slides with g (sin - mu cos) */
static void check_ramp(const char *slope, double acceleration, const char *newton)
{
    static const char text[] = HEAD(2, "[0,-9.81]", "0.5", "1e-2") "'materials':[{'name':'m','mu':0.5,'e':0}],'bodies':[" FLOOR
                                                                   ",{'name':'a','type':'particle','mass':2,'position':[0,0],"
                                                                   "'shapes':[{'type':'point','material':'m'}]}]}";
    const char *set[2] = { slope, newton };
    run r = begin(text, 2, set);
    advance(&r, 0.5);
    CHECK_NEAR(ss_sim_q(r.sim)[0], 0.125 * acceleration, 1e-12);
    CHECK_NEAR(ss_sim_v(r.sim)[0], 0.5 * acceleration, 1e-12);
    end_within(&r, 1e-14);
}

TEST(what_sticks_on_a_ramp_does_not_creep_and_what_slides_falls_as_it_should)
{
    for (int k = 0; k < 2; k++) {
        check_ramp("gravity=[\"9.81*sin(pi/9)\",\"-9.81*cos(pi/9)\"]", 0, both[k]);
        check_ramp("gravity=[\"9.81*sin(7*pi/36)\",\"-9.81*cos(7*pi/36)\"]",
                   9.81 * (sin(7 * acos(-1) / 36) - 0.5 * cos(7 * acos(-1) / 36)), both[k]);
    }
}

/* 20 steps on a slope of 20 degrees, every other one of which is `part` as long as the one before; iterations of the last 18 */
static int64_t iterations_on_a_ramp(double part)
{
    static const char text[] = HEAD(2, "['9.81*sin(pi/9)','-9.81*cos(pi/9)']", "0.5",
                                    "1e-2") "'materials':[{'name':'m','mu':0.5,'e':0}],'bodies':[" FLOOR
                                            ",{'name':'a','type':'particle','mass':2,'position':[0,0],"
                                            "'shapes':[{'type':'point','material':'m'}]}]}";
    run r = begin(text, 0, NULL);
    int64_t first = 0;
    for (int k = 0; k < 20; k++) {
        first = k == 2 ? summary(&r)->newton : first;
        CHECK_OK(r.ctx, ss_sim_step(r.sim, k % 2 ? part * 1e-2 : 1e-2));
    }
    const int64_t count = summary(&r)->newton - first;
    CHECK_NEAR(ss_sim_q(r.sim)[0], 0, 1e-12);
    end_within(&r, 1e-14);
    return count;
}

/* Impulses of contacts are made longer and shorter with the step before they serve as a guess. */
TEST(a_body_that_sticks_takes_no_more_iterations_where_steps_change_in_length)
{
    CHECK(iterations_on_a_ramp(0.25) <= iterations_on_a_ramp(1));
}

/* Three feet with friction and an arm that falls onto the limit of its hinge; position of the body. */
static void end_of_tripod(const char *scheme, const char *step, const char *newton, double *x)
{
    static const char text[] =
        HEAD(3, "[0,0,-9.81]", "0.25",
             "1e-3") "'materials':[{'name':'m','mu':0.4,'e':0}],'bodies':[{'name':'t','type':'rigid','mass':2,'inertia':[0.05,0."
                     "06,0.07],"
                     "'position':[0,0,0.1],'velocity':[1,0.4,0],'shapes':[{'type':'sphere','radius':0.05,'position':[0.3,0,-0.05]"
                     ",'material':'m'},"
                     "{'type':'sphere','radius':0.05,'position':[-0.15,0.26,-0.05],'material':'m'},"
                     "{'type':'sphere','radius':0.05,'position':[-0.15,-0.26,-0.05],'material':'m'}]},{'name':'arm','type':'"
                     "rigid','mass':0.5,"
                     "'inertia':[0.001,0.01,0.01],'position':[0.2,0,0.3],'velocity':[1,0.4,0]},{'name':'floor','type':'fixed',"
                     "'shapes':[{'type':'half_space','normal':[0,0,1],'material':'m'}]}],'joints':[{'type':'revolute','bodies':['"
                     "t','arm'],"
                     "'anchors':[[0,0,0.2],[-0.2,0,0]],'axis':[0,1,0],'limits':[-1,0.2]}]}";
    const char *set[3] = { scheme, step, newton };
    run r = begin(text, newton ? 3 : 2, set);
    advance(&r, 0.25);
    memcpy(x, ss_sim_q(r.sim), 3 * sizeof *x);
    CHECK(summary(&r)->unconverged_steps == 0);
    leave(&r);
}

TEST(three_contacts_with_friction_and_a_joint_converge_to_the_motion_with_located_events)
{
    double exact[3], coarse[3], fine[3], off[2] = { 0, 0 };
    end_of_tripod("scheme.name=event_capturing_rk", "time.step=5e-3", NULL, exact);
    end_of_tripod(galpha_ggl, "time.step=4e-3", both[0], coarse);
    end_of_tripod(galpha_ggl, "time.step=1e-3", both[0], fine);
    for (int i = 0; i < 3; i++) {
        off[0] = fmax(off[0], fabs(coarse[i] - exact[i]));
        off[1] = fmax(off[1], fabs(fine[i] - exact[i]));
    }
    CHECK(off[0] < 2e-3 && off[1] < 0.5 * off[0]);
}

/* ---- where Newton's method has it hard ------------------------------------------------------------------- */

/* A parallelogram of three cranks, one of them redundant, swings through the position in which all lie in a line. */
TEST(a_redundant_linkage_goes_through_its_singular_position_without_drift)
{
    static const char text[] =
        HEAD(2, "[0,-9.81]", "2",
             "2e-3") "'bodies':[{'name':'a','type':'rigid','mass':1,'inertia':'1/12','position':[0,0.5],'angle':'pi/"
                     "2','velocity':[-0.5,0],'angular_velocity':1},"
                     "{'name':'b','type':'rigid','mass':1,'inertia':'1/12','position':[1,0.5],'angle':'pi/"
                     "2','velocity':[-0.5,0],'angular_velocity':1},"
                     "{'name':'d','type':'rigid','mass':1,'inertia':'1/12','position':[2,0.5],'angle':'pi/"
                     "2','velocity':[-0.5,0],'angular_velocity':1},"
                     "{'name':'c','type':'rigid','mass':1,'inertia':'4/12','position':[1,1],'velocity':[-1,0]}],"
                     "'joints':[{'type':'revolute','bodies':['world','a'],'at':[0,0]},{'type':'revolute','bodies':['world','b'],'"
                     "at':[1,0]},"
                     "{'type':'revolute','bodies':['world','d'],'at':[2,0]},{'type':'revolute','bodies':['a','c'],'at':[0,1]},"
                     "{'type':'revolute','bodies':['b','c'],'at':[1,1]},{'type':'revolute','bodies':['d','c'],'at':[2,1]}]}";
    for (int k = 0; k < 2; k++) {
        run r = begin(text, 1, &both[k]);
        const double before = energy_of(&r);
        advance(&r, 2);
        CHECK_NEAR(energy_of(&r), before, 1e-3 * before); /* damped by rho_inf = 0.8 in O(h^2) */
        CHECK(summary(&r)->newton <= 5 * summary(&r)->steps);
        end_within(&r, 1e-12);
    }
}

/* The corner that a box lands on leaves the edge below it within the step. */
TEST(contacts_that_appear_within_a_step_are_met_in_that_step)
{
    static const char text[] =
        HEAD(2, "[0,-9.81]", "1", "2e-2") "'materials':[{'name':'m','mu':0.3,'e':0}],'bodies':[" FLOOR
                                          ",{'name':'step','type':'fixed','shapes':[{'type':'box','size':[1,0.5],"
                                          "'position':[-0.5,0.25],'material':'m'}]},{'name':'a','type':'rigid','mass':1,'inertia'"
                                          ":0.02,'position':[-0.2,0.7],'velocity':[2,0],"
                                          "'shapes':[{'type':'box','size':[0.5,0.3],'material':'m'}]}]}";
    run r = begin(text, 0, NULL);
    advance(&r, 1);
    CHECK(ss_sim_q(r.sim)[1] < 0.4);
    end_within(&r, 1e-11);
}

/* ---- bad input ---------------------------------------------------------------------------------------------- */

TEST(a_spectral_radius_outside_0_to_1_and_a_restitution_above_1_are_refused)
{
    static const char text[] =
        HEAD(2, "[0,-9.81]", "1", "1e-2") "'materials':[{'name':'m','mu':0,'e':0.5}],'bodies':[" FLOOR "]}";
    run r = { .ctx = test_context() };
    CHECK_FAILS(r.ctx, whole_run(r.ctx, text, "scheme.rho_inf=1.1", 1), SS_ERR_INPUT, "rho_inf");
    CHECK_FAILS(r.ctx, whole_run(r.ctx, text, "scheme.rho_inf=-0.1", 1), SS_ERR_INPUT, "rho_inf");
    CHECK_FAILS(r.ctx, whole_run(r.ctx, text, "materials.m.e=1.5", 1), SS_ERR_INPUT, "1.5");
    ss_context_destroy(r.ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_rule_has_the_numbers_of_the_paper),
        cmocka_unit_test(stiff_vibrations_die_out_by_the_spectral_radius),
        cmocka_unit_test(a_heavy_top_is_followed_at_order_two_and_its_tip_stays_in_place),
        cmocka_unit_test(a_double_pendulum_in_space_converges_at_order_two_by_either_newton_method),
        cmocka_unit_test(uneven_steps_keep_the_order),
        cmocka_unit_test(a_ball_never_overlaps_and_never_gains_energy_and_comes_to_rest_on_the_floor),
        cmocka_unit_test(a_pendulum_strikes_a_wall_and_rests_on_it_with_the_reactions_of_statics),
        cmocka_unit_test(accelerations_before_an_impact_do_not_disturb_the_force_of_a_joint_after_it),
        cmocka_unit_test(a_rocking_block_loses_the_energy_of_its_impacts_and_stands_on_both_corners),
        cmocka_unit_test(an_impact_of_a_body_that_turns_far_in_a_step_creates_no_energy),
        cmocka_unit_test(a_stack_of_elastic_boxes_that_rests_stays_at_rest),
        cmocka_unit_test(a_contact_that_others_press_shut_is_closed_at_velocity_level_too),
        cmocka_unit_test(what_sticks_on_a_ramp_does_not_creep_and_what_slides_falls_as_it_should),
        cmocka_unit_test(a_body_that_sticks_takes_no_more_iterations_where_steps_change_in_length),
        cmocka_unit_test(three_contacts_with_friction_and_a_joint_converge_to_the_motion_with_located_events),
        cmocka_unit_test(a_redundant_linkage_goes_through_its_singular_position_without_drift),
        cmocka_unit_test(contacts_that_appear_within_a_step_are_met_in_that_step),
        cmocka_unit_test(a_spectral_radius_outside_0_to_1_and_a_restitution_above_1_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
