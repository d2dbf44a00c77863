/* Springs of negative stiffness, by every scheme: motion in closed form while steps resolve it, a warning always, a remark where
 * steps do not. */
#include "kernels/stepper.h"
#include "unit/schemes/text_run.h"

/* x'' = -k/m (x - 1) with k = -4: x = 1 + 0.01 cosh(2 t) */
static const char pushed[] = "{'slipstick':1,'dimension':2,'gravity':[0,0],'time':{'until':1,'step':0.01},"
                             "'bodies':[{'name':'p','type':'particle','mass':1,'position':[1.01,0]}],"
                             "'forces':[{'name':'s','type':'spring','bodies':['world','p'],'stiffness':-4,'length':1}]}";

static run begin_with(int scheme, const char *stiffness)
{
    char name[64];
    const char *set[] = { name, stiffness };
    snprintf(name, sizeof name, "scheme.name=%s", ss_scheme_types[scheme]->info.name);
    return begin(pushed, 2, set);
}

static bool warns_of_it(const ss_sim *sim)
{
    char text[512];
    bool found = false;
    for (int k = 0; !found && ss_sim_warning(sim, k, text, sizeof text); k++) {
        found = strstr(text, "1 spring has a negative stiffness, down to -") == text;
    }
    return found;
}

TEST(what_a_negative_spring_pushes_moves_as_a_hyperbolic_cosine_by_every_scheme)
{
    for (int k = 0; k < tested_schemes(); k++) {
        run r = begin_with(k, "forces.s.stiffness=-4");
        advance(&r, 0.5);
        CHECK_NEAR(ss_sim_q(r.sim)[0], 1 + 0.01 * cosh(1), 2 * 0.01 * 0.01); /* order 1: 2 h of what it moves, or better */
        CHECK(summary(&r)->unconverged_steps == 0 && summary(&r)->remark[SS_REMARK_INDEFINITE].steps == 0);
        /* kinetic and potential energy, the latter negative and without bound, balance to the error of the scheme */
        CHECK_NEAR(summary(&r)->energy_final, -0.5 * 4 * 1e-4, 2e-5);
        CHECK(ss_sim_ledger(r.sim)->closure < 1e-11 && warns_of_it(r.sim));
        leave(&r);
    }
}

/* h^2/4 k/m = -2.5: in a step it would grow by e^3 */
TEST(steps_that_do_not_resolve_a_negative_spring_are_remarked_by_every_scheme)
{
    for (int k = 0; k < tested_schemes(); k++) {
        run r = begin_with(k, "forces.s.stiffness=-1e5");
        advance(&r, 0.02);
        CHECK(summary(&r)->remark[SS_REMARK_INDEFINITE].steps == summary(&r)->steps);
        CHECK(ss_sim_ledger(r.sim)->closure < 1e-11 && warns_of_it(r.sim));
        leave(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_negative_spring_pushes_moves_as_a_hyperbolic_cosine_by_every_scheme),
        cmocka_unit_test(steps_that_do_not_resolve_a_negative_spring_are_remarked_by_every_scheme),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
