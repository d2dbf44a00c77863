/* The Runge-Kutta scheme with located events where bodies slip, roll and leave edges: closed forms, and a method that shares
 * nothing with the scheme. */
#include "unit/schemes/event_run.h"

/* ---- edges, rolling, slip ---------------------------------------------------------------------------------- */

TEST(a_point_that_slides_over_an_edge_falls)
{
    run r;
    begin(&r,
          HEAD(2, "[0,-10]", "1/16") "'materials':[{'name':'m','mu':0.1}],'bodies':[{'name':'p','type':'particle','mass':1,"
                                     "'position':[-1,0],'velocity':[3,0],'shapes':[{'type':'point','material':'m'}]},"
                                     "{'name':'platform','type':'fixed','position':[-1,-0.5],'shapes':[{'type':'box',"
                                     "'size':[2,1],'material':'m'}]}]}",
          0, NULL);
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.6));
    double u = sqrt(9 - 2.0), t = (3 - u) / 1, flight = 0.6 - t; /* braked by mu g = 1 over 1 m */
    CHECK_NEAR(ss_sim_q(r.sim)[0], u * flight, 1e-9);            /* the face is grown by a rim of 1e-9 of a length */
    CHECK_NEAR(ss_sim_q(r.sim)[1], -5 * flight * flight, 1e-8);
    CHECK_NEAR(ss_sim_v(r.sim)[0], u, 1e-8);
    end(&r);
}

TEST(a_box_that_slides_off_a_platform_tips_over_its_edge)
{
    run r;
    begin(&r,
          HEAD(2, "[0,-10]", "1/64") "'materials':[{'name':'m','mu':0}],'bodies':[{'name':'box','type':'rigid','mass':1,"
                                     "'position':[-0.5,0.1],'velocity':[1,0],'shapes':[{'type':'box','size':[0.4,0.2],"
                                     "'material':'m'}]},{'name':'platform','type':'fixed','position':[-2,-0.5],'shapes':[{'type':"
                                     "'box','size':[4,1],'material':'m'}]}]}",
          0, NULL);
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.49));
    CHECK_NEAR(ss_sim_q(r.sim)[2], 0, 1e-12); /* its centre is still over the platform */
    CHECK_NEAR(ss_sim_q(r.sim)[0], -0.01, 1e-12);
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 1));
    CHECK(ss_sim_q(r.sim)[2] < -0.2 && ss_sim_q(r.sim)[1] < 0.1);
    end(&r);
}

static const char sphere[] =
    HEAD(3, "[0,0,-10]", "1/16") "'materials':[{'name':'m','mu':0.2}],'bodies':[{'name':'ball','type':'rigid','mass':3,"
                                 "'inertia':['3*0.4*0.25','3*0.4*0.25','3*0.4*0.25'],'position':[0,0,0.5],'shapes':[{'type':"
                                 "'sphere','radius':0.5,'material':'m'}]},{'name':'floor','type':'fixed','shapes':[{'type':"
                                 "'half_space','normal':[0,0,1],'material':'m'}]}]}";

TEST(a_ball_rolls_down_a_slope_without_slip)
{
    const char *set[] = { "gravity=[4,0,-10]" };
    run r;
    begin(&r, sphere, 1, set);
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 1));
    double along = 5.0 / 7 * 4;
    CHECK_NEAR(ss_sim_q(r.sim)[0], 0.5 * along, 1e-13); /* constant accelerations: round-off */
    CHECK_NEAR(ss_sim_v(r.sim)[0], along, 1e-13);
    CHECK_NEAR(ss_sim_q(r.sim)[2], 0.5, 1e-14);
    CHECK_NEAR(ss_sim_v(r.sim)[4], along / 0.5, 1e-12);
    CHECK(r.n == 0);
    end(&r);
}

TEST(a_ball_with_backspin_rolls_when_its_slip_has_ended)
{
    const char *set[] = { "bodies.ball.velocity=[1,0,0]", "bodies.ball.angular_velocity=[0,-1,0]" };
    run r;
    begin(&r, sphere, 2, set);
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 1));
    double t = 1.5 / (3.5 * 0.2 * 10), v = 1 - 2 * t; /* the point slips at v - R w = 1.5, braked by 7/2 mu g */
    CHECK(count(&r, SS_EVENT_STICK) == 1 && r.n == 1);
    CHECK_NEAR(r.event[0].t, t, 1e-12);
    CHECK_NEAR(ss_sim_v(r.sim)[0], v, 1e-12);
    CHECK_NEAR(ss_sim_v(r.sim)[4], v / 0.5, 1e-12);
    CHECK_NEAR(ss_sim_q(r.sim)[0], t - t * t + v * (1 - t), 1e-12);
    end(&r);
}

/* x'' = -mu g s, s = u/|u|, u = x' - Omega x x: Kutta's method, Omega = 2 */
static void puck_rate(const double *y, double *f)
{
    double u[2] = { y[2] + 2 * y[1], y[3] - 2 * y[0] }, size = hypot(u[0], u[1]);
    f[0] = y[2];
    f[1] = y[3];
    f[2] = -3 * u[0] / size;
    f[3] = -3 * u[1] / size;
}

static void puck(int steps, double until, double *y)
{
    double h = until / steps, f[4][4], x[4];
    for (int n = 0; n < steps; n++) {
        puck_rate(y, f[0]);
        for (int s = 1; s < 4; s++) {
            for (int i = 0; i < 4; i++) {
                x[i] = y[i] + (s < 3 ? 0.5 : 1) * h * f[s - 1][i];
            }
            puck_rate(x, f[s]);
        }
        for (int i = 0; i < 4; i++) {
            y[i] += h / 6 * (f[0][i] + 2 * f[1][i] + 2 * f[2][i] + f[3][i]);
        }
    }
}

TEST(a_puck_on_a_turning_disc_follows_its_curve)
{
    static const char text[] =
        HEAD(3, "[0,0,-10]", "1/64") "'materials':[{'name':'m','mu':0.3}],'bodies':[{'name':'puck','type':'particle','mass':1,"
                                     "'position':[1,0,0],'velocity':[-1,-0.5,0],'shapes':[{'type':'point','material':'m'}]},"
                                     "{'name':'disc','type':'driven','position':[0,0,0],'angle':'2*t','axis':[0,0,1],"
                                     "'shapes':[{'type':'half_space','normal':[0,0,1],'material':'m'}]}]}";
    const char *methods[] = { "scheme.method=radau_iia_5", "scheme.method=half_explicit_dormand_prince_5" };
    double y[4] = { 1, 0, -1, -0.5 };
    puck(2000, 0.5, y);
    for (int m = 0; m < 2; m++) {
        run r;
        begin(&r, text, 1, &methods[m]);
        CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.5));
        for (int i = 0; i < 2; i++) {
            CHECK_NEAR(ss_sim_q(r.sim)[i], y[i], 1e-9); /* order 5, h = 1/64 */
            CHECK_NEAR(ss_sim_v(r.sim)[i], y[2 + i], 1e-8);
        }
        CHECK(r.n == 0);
        end(&r);
    }
}

/* A force of 5.2 sin 2t exceeds friction, 4.905 N, by 6 %; slip begins at the first root and ends within the step. */
TEST(a_slip_that_begins_and_ends_within_a_step_is_located)
{
    static const char *const steps[] = { "time.step=1.3", "time.step=1.5", "time.step=2" };
    for (int k = 0; k < 3; k++) {
        run r;
        begin(&r,
              HEAD(2, "[0,-9.81]", "1") "'materials':[{'name':'m','mu':0.5}],'bodies':[{'name':'p','type':'particle','mass':1,"
                                        "'position':[0,0],'shapes':[{'type':'point','material':'m'}]},{'name':'floor','type':"
                                        "'fixed','shapes':[{'type':'half_space','normal':[0,1],'material':'m'}]}],'forces':"
                                        "[{'type':'sinusoid','body':'p','force':[5.2,0],'omega':2}]}",
              1, &steps[k]);
        CHECK_OK(r.ctx, ss_sim_step(r.sim, ss_sim_step_size(r.sim)));
        CHECK(r.n == 2 && r.event[0].kind == SS_EVENT_SLIP && r.event[1].kind == SS_EVENT_STICK);
        CHECK_NEAR(r.event[0].t, 0.5 * asin(4.905 / 5.2), 1e-7); /* a contact lets go at 1e-8 of the free acceleration */
        CHECK_NEAR(r.event[1].t, 1.1258376877, 1e-5);            /* by steps of 1/1000; the slip is one step of 0.5 s */
        end(&r);
    }
}

/* where the lower of two boxes that slide and spin as one has come to rest */
static void stop_a_stack(const char *step, double *q)
{
    run r;
    begin(
        &r,
        HEAD(3, "[0,0,-9.81]", "1") "'materials':[{'name':'m','mu':0.4}],'bodies':["
                                    "{'name':'a','type':'rigid','density':1000,'position':[0,0,0.05],'velocity':[1,0.7,0],"
                                    "'angular_velocity':[0,0,3],'shapes':[{'type':'box','size':[0.2,0.3,0.1],'material':'m'}]},"
                                    "{'name':'b','type':'rigid','density':500,'position':[0,0,0.125],'velocity':[1,0.7,0],"
                                    "'angular_velocity':[0,0,3],'shapes':[{'type':'box','size':[0.1,0.1,0.05],'material':'m'}]},"
                                    "{'name':'floor','type':'fixed','shapes':[{'type':'half_space','normal':[0,0,1],"
                                    "'material':'m'}]}]}",
        1, &step);
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.4));
    CHECK(ss_sim_summary(r.sim)->remark[SS_REMARK_HANDED].steps == 0);
    memcpy(q, ss_sim_q(r.sim), 7 * sizeof *q);
    end(&r);
}

/* Eight contacts, of which statics determines nothing: the limit forces are unique, slip stops once, and order 5 is kept. */
TEST(contacts_in_space_that_stop_together_keep_the_order)
{
    double coarse[7], fine[7], finer[7], error[2] = { 0, 0 };
    stop_a_stack("time.step=0.02", coarse);
    stop_a_stack("time.step=0.01", fine);
    stop_a_stack("time.step=0.0025", finer);
    for (int i = 0; i < 7; i++) {
        error[0] = fmax(error[0], fabs(coarse[i] - finer[i]));
        error[1] = fmax(error[1], fabs(fine[i] - finer[i]));
    }
    CHECK(error[0] > 1e-10 && error[0] < 1e-8);
    CHECK(log2(error[0] / error[1]) > 4.5);
}

/* ---- functions of time with kinks within a step -------------------------------------------------------------- */

/* a box on a smooth floor with a paddle behind it */
#define PADDLE(place)                                                                                                            \
    HEAD(2, "[0,-10]", "1/16")                                                                                                   \
    "'materials':[{'name':'m','mu':0}],'bodies':[{'name':'box','type':'rigid','mass':1,'position':[0.1,0.05],'shapes':"          \
    "[{'type':'box','size':[0.1,0.1],'material':'m'}]},{'name':'paddle','type':'driven','position':['" place "',0.1],"           \
    "'shapes':[{'type':'box','size':[0.1,0.1],'material':'m'}]},{'name':'floor','type':'fixed','shapes':[{'type':"               \
    "'half_space','normal':[0,1],'material':'m'}]}]}"

TEST(a_box_goes_on_when_the_paddle_that_pushes_it_stops_within_a_step)
{
    const char *set[] = { "bodies.box.velocity=[1,0]" };
    run r;
    begin(&r, PADDLE("min(t, 0.3037)"), 1, set);
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 1));
    CHECK_NEAR(ss_sim_q(r.sim)[0], 1.1, 1e-14);
    CHECK_NEAR(ss_sim_v(r.sim)[0], 1, 1e-14);
    end(&r);
}

TEST(a_paddle_that_starts_within_a_step_takes_the_box_along_from_then_on)
{
    run r;
    begin(&r, PADDLE("max(0, t - 0.3037)"), 0, NULL);
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 1));
    CHECK_NEAR(ss_sim_q(r.sim)[0], 0.1 + 1 - 0.3037, 1e-13);
    CHECK_NEAR(ss_sim_v(r.sim)[0], 1, 1e-13);
    end(&r);
}

TEST(a_force_that_jumps_within_a_step_costs_no_order)
{
    run r;
    begin(&r,
          HEAD(2, "[0,0]", "1/16") "'bodies':[{'name':'p','type':'particle','mass':2,'position':[0,0]}],'forces':[{'name':'f',"
                                   "'type':'expression','body':'p','force':['4 - 6*step(t - 0.3037)', 0]}]}",
          0, NULL);
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 1));
    const double rest = 1 - 0.3037, v = 2 * 0.3037;
    CHECK_NEAR(ss_sim_q(r.sim)[0], 0.3037 * 0.3037 + v * rest - 0.5 * rest * rest, 1e-14);
    CHECK_NEAR(ss_sim_v(r.sim)[0], v - rest, 1e-14);
    end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_point_that_slides_over_an_edge_falls),
        cmocka_unit_test(a_box_that_slides_off_a_platform_tips_over_its_edge),
        cmocka_unit_test(a_ball_rolls_down_a_slope_without_slip),
        cmocka_unit_test(a_ball_with_backspin_rolls_when_its_slip_has_ended),
        cmocka_unit_test(a_puck_on_a_turning_disc_follows_its_curve),
        cmocka_unit_test(a_slip_that_begins_and_ends_within_a_step_is_located),
        cmocka_unit_test(contacts_in_space_that_stop_together_keep_the_order),
        cmocka_unit_test(a_box_goes_on_when_the_paddle_that_pushes_it_stops_within_a_step),
        cmocka_unit_test(a_paddle_that_starts_within_a_step_takes_the_box_along_from_then_on),
        cmocka_unit_test(a_force_that_jumps_within_a_step_costs_no_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
