/* Newton's law where a contact leaves while another one strikes: no energy is made, and nothing is left that approaches. */
#include "unit/schemes/text_run.h"

#include <math.h>

static const char *const settings[][2] = { { "scheme.name=event_capturing_rk", "time.step=1e-6" },
                                           { "scheme.name=anitescu_potra", "scheme.restitution=newton" } };

/* A bar of mass 1 whose ends, at x = -1 and 1, touch the floor and have these normal velocities: vy - w and vy + w. */
static run begin_bar(double inertia, double e, const double u[2], const char *const setting[2])
{
    char text[1024];
    snprintf(text, sizeof text,
             "{'slipstick':1,'dimension':2,'gravity':[0,0],'time':{'until':1,'step':1e-6},"
             "'materials':[{'name':'m','mu':0,'e':%.17g}],'bodies':["
             "{'name':'bar','type':'rigid','mass':1,'inertia':%.17g,'velocity':[0,%.17g],'angular_velocity':%.17g,'shapes':["
             "{'type':'point','position':[-1,0],'material':'m'},{'type':'point','position':[1,0],'material':'m'}]},"
             "{'name':'floor','type':'fixed','shapes':[{'type':'half_space','normal':[0,1],'material':'m'}]}]}",
             e, inertia, 0.5 * (u[0] + u[1]), 0.5 * (u[1] - u[0]));
    return begin(text, 2, setting);
}

/* One end comes at 1, the other leaves at 0.2; with e = 1 and inertia 1/3 the first would bring the second back at 0.8. It may
 * come back at 0.2, and leaves again, which takes 0.2 off the first: (-1, 0.2) -> (1, -0.2) -> (0.8, 0.2), all of the same
 * energy. */
TEST(a_contact_that_leaves_is_brought_back_and_strikes_in_turn)
{
    for (int k = 0; k < 2; k++) {
        run r = begin_bar(1.0 / 3, 1, (const double[]){ -1, 0.2 }, settings[k]);
        advance(&r, 1e-6);
        const double *v = ss_sim_v(r.sim);
        CHECK_NEAR(v[1] - v[2], 0.8, 1e-9); /* round-off, and the turning of the bar within 1e-6 s */
        CHECK_NEAR(v[1] + v[2], 0.2, 1e-9);
        CHECK(ss_sim_ledger(r.sim)->impact_gain == 0);
        leave(&r);
    }
}

/* For any velocities, inertia and e the kinetic energy does not grow, and with e = 1 it stays. */
TEST(ends_that_strike_in_turn_make_no_energy)
{
    static const double elastic[] = { 0, 0.5, 1 }, inertia[] = { 1.0 / 3, 0.05, 2 }, leaves[] = { 0.05, 0.4, 2 };
    for (int k = 0; k < 27; k++) {
        const double e = elastic[k % 3], u[2] = { -1, leaves[k / 9] };
        run r = begin_bar(inertia[k / 3 % 3], e, u, settings[0]);
        advance(&r, 1e-6);
        const double *v = ss_sim_v(r.sim), before = summary(&r)->energy_initial, after = summary(&r)->energy_final;
        CHECK(after <= before * (1 + 1e-12));         /* round-off of a few problems */
        CHECK(e < 1 || after >= before * (1 - 1e-9)); /* the solver's tolerance      */
        CHECK(v[1] - fabs(v[2]) > -1e-9);             /* neither end approaches      */
        leave(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_contact_that_leaves_is_brought_back_and_strikes_in_turn),
        cmocka_unit_test(ends_that_strike_in_turn_make_no_energy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
