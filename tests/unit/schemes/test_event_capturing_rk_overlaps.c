/* event_capturing_rk leaves no overlap: not where the points of a contact move along their features within a substep, and not
 * where Moreau's scheme does a part of the step. */
#include "base/tolerances.h"
#include "unit/schemes/event_run.h"
#include <math.h>

/* the deepest overlap at the end of any step, of the length */
static double deepest(const run *r, double until)
{
    double worst = 0;
    while (ss_sim_time(r->sim) < until - 1e-9) {
        CHECK_OK(r->ctx, ss_sim_step(r->sim, ss_sim_step_size(r->sim)));
        worst = fmax(worst, ss_sim_last_step(r->sim)->penetration / r->model->length);
    }
    return worst;
}

/* A cylinder whose axis is (0.8, 0, 0.6), of radius 0.3 and half length 0.2, spins about that axis and comes down at 2 m/s,
 * without gravity. Its lowest point is 0.6*0.2 + 0.8*0.3 = 0.36 below its centre, and 0.6*0.3 - 0.8*0.2 = 0.02 beside it. The top
 * of the ball is 0.25 m straight below that. The shape of a body that spins about its axis of symmetry does not turn, but the
 * points that are fixed in it go round by 0.4 rad in a step. */
TEST(a_rim_that_goes_round_strikes_a_ball_when_the_shapes_meet)
{
    run r;
    begin(&r,
          HEAD(3, "[0,0,0]", "0.01") "'materials':[{'name':'m','e':1}],'bodies':[{'name':'drum','type':'rigid','density':1000,"
                                     "'position':[0,0,1],'orientation':[0.894427190999915878,0,0.447213595499957939,0],"
                                     "'velocity':[0,0,-2],'angular_velocity':[0,0,40],'shapes':[{'type':'cylinder',"
                                     "'radius':0.3,'length':0.4,'material':'m'}]},{'name':'ball','type':'fixed','position':"
                                     "[0.02,0,-0.61],'shapes':[{'type':'sphere','radius':1,'material':'m'}]}]}",
          0, NULL);
    CHECK(deepest(&r, 0.2) <= 2 * SS_TOL_FITS);
    CHECK(r.n > 0 && r.event[0].kind == SS_EVENT_IMPACT);
    CHECK_NEAR(r.event[0].t, 0.125, SS_TOL_FITS * r.model->length / 2);
    end(&r);
}

/* A drum set down with its axis 0.015 rad off the vertical, less than what the rim's lowest point is followed at: within a
 * substep it stands on a point that is fixed in it. */
TEST(a_drum_that_rolls_on_its_rim_stays_on_the_floor)
{
    run r;
    begin(&r,
          HEAD(3, "[0,0,-10]",
               "0.01") "'materials':[{'name':'m','mu':0.5}],'bodies':[{'name':'drum','type':'rigid','density':1000,"
                       "'position':[0,0,0.20448],'orientation':[0.99997187513,0,0.00749992969,0],'angular_velocity':[1,0,8],"
                       "'shapes':[{'type':'cylinder','radius':0.3,'length':0.4,'material':'m'}]},{'name':'floor','type':'fixed',"
                       "'shapes':[{'type':'half_space','normal':[0,0,1],'material':'m'}]}]}",
          0, NULL);
    CHECK(deepest(&r, 0.3) <= 2 * SS_TOL_FITS);
    CHECK(ss_sim_summary(r.sim)->remark[SS_REMARK_HANDED].steps <= 1); /* 923 events in 30 steps: one may have too many */
    quit(&r);
}

/* Every step is handed over, in pieces of 1/256 s, and the point comes down at 5 m/s. */
TEST(what_moreaus_scheme_takes_over_ends_without_overlap)
{
    const char *set[] = { "scheme.max_evaluations=1" };
    run r;
    begin(&r,
          HEAD(2, "[0,-10]", "1/8") "'materials':[{'name':'m','e':0.5}],'bodies':[{'name':'ball','type':'particle','mass':1,"
                                    "'position':[0,1.25],'shapes':[{'type':'point','material':'m'}]},{'name':'floor','type':"
                                    "'fixed','shapes':[{'type':'half_space','normal':[0,1],'material':'m'}]}]}",
          1, set);
    CHECK(deepest(&r, 2) <= 2 * SS_TOL_FITS);
    CHECK(ss_sim_summary(r.sim)->remark[SS_REMARK_HANDED].steps > 0);
    CHECK(ss_sim_ledger(r.sim)->closure < 1e-11);
    quit(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rim_that_goes_round_strikes_a_ball_when_the_shapes_meet),
        cmocka_unit_test(a_drum_that_rolls_on_its_rim_stays_on_the_floor),
        cmocka_unit_test(what_moreaus_scheme_takes_over_ends_without_overlap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
