/* test_linkages.c - bodies on joints that nothing drives, by every scheme: reactions do no work, and no energy is made. */
#include "conformance/scheme_run.h"

#define DOUBLE_PENDULUM(w1, y1, w2, x2, y2, step)                                                                                \
    "{'slipstick':1,'dimension':2,'gravity':[0,0],'time':{'until':1,'step':" #step "},'bodies':[{'name':'a','type':'rigid',"     \
    "'mass':1,'inertia':0.1,'position':[0.5,0],'velocity':[0," #y1 "],'angular_velocity':" #w1 "},{'name':'b','type':'rigid',"   \
    "'mass':1,'inertia':0.02,'position':[1,0.3],'velocity':[" #x2 "," #y2 "],'angular_velocity':" #w2 "}],'joints':["            \
    "{'type':'revolute','bodies':['world','a'],'at':[0,0]},{'type':'revolute','bodies':['a','b'],'at':[1,0]}]}"

static const char *const fast[] = { DOUBLE_PENDULUM(0, 0, 20, -6, 0, 0.005), DOUBLE_PENDULUM(10, 5, -10, 3, 10, 0.005),
                                    DOUBLE_PENDULUM(0, 0, -10, 3, 0, 0.02), DOUBLE_PENDULUM(10, 5, 20, -6, 10, 0.02) };

/* Links turn by up to 0.4 rad in a step. Errors of integration come and go in the reactions: they are the only works there are,
 * and must not be taken for energy from nowhere. */
TEST(a_double_pendulum_without_gravity_is_certified)
{
    for (size_t i = 0; i < sizeof fast / sizeof *fast; i++) {
        for (int k = 0; k < tested_schemes(); k++) {
            run r = start(fast[i], NULL, k, NULL, 0, NULL);
            CHECK_OK(r.ctx, ss_sim_advance(r.sim, 1));
            CHECK(ss_sim_summary(r.sim)->unconverged_steps == 0);
            leave(&r);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_double_pendulum_without_gravity_is_certified),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
