/* Nothing passes through anything, with every scheme: a bullet and a thin wall, a rod that spins past a peg; and what moves far
 * without meeting anything is left alone. */
#include "unit/schemes/text_run.h"

static const char *const schemes[] = { "scheme.name=anitescu_potra",  "scheme.name=anitescu_convex",
                                       "scheme.name=moreau",          "scheme.name=moreau_projected",
                                       "scheme.name=schatzman_paoli", "scheme.name=event_capturing_rk" };
enum { SCHEMES = sizeof schemes / sizeof *schemes };

#define HEAD "{'slipstick':1,'dimension':2,'gravity':[0,0],'time':{'until':1,'step':0.01},"

/* 1 m per step against a wall 2e-4 m thick, whose place is given */
#define BULLET(x)                                                                                                                \
    HEAD "'bodies':[{'name':'bullet','type':'rigid','mass':1,'inertia':1e-4,'position':[-2.4,0],'velocity':[100,0],"             \
         "'shapes':[{'type':'sphere','radius':1e-3}]},"                                                                          \
         "{'name':'wall','type':'fixed','position':[" x "],'shapes':[{'type':'box','size':[2e-4,1]}]}]}"

/* a rod of length 1 that turns by 2 rad a step, and a peg at a distance from its centre */
#define ROD(y)                                                                                                                   \
    HEAD "'bodies':[{'name':'rod','type':'rigid','mass':1,'inertia':0.1,'position':[0,0],'angular_velocity':200,"                \
         "'shapes':[{'type':'box','size':[1,2e-3]}]},"                                                                           \
         "{'name':'peg','type':'fixed','position':[0," y "],'shapes':[{'type':'sphere','radius':1e-3}]}]}"

TEST(a_bullet_stops_at_a_thin_wall)
{
    for (int k = 0; k < SCHEMES; k++) {
        run r = begin(BULLET("0,0"), 1, &schemes[k]);
        advance(&r, 0.05);
        CHECK_NEAR(ss_sim_v(r.sim)[0], 0, 1e-6); /* of 100: e = 0 */
        CHECK(ss_sim_q(r.sim)[0] < 0);
        leave(&r);
    }
}

TEST(a_bullet_that_misses_flies_on_as_if_nothing_were_there)
{
    for (int k = 0; k < SCHEMES; k++) {
        run r = begin(BULLET("0,0.5011"), 1, &schemes[k]); /* by 1e-4: a tenth of its radius */
        advance(&r, 0.05);
        CHECK_NEAR(ss_sim_v(r.sim)[0], 100, 1e-9);
        CHECK_NEAR(ss_sim_v(r.sim)[1], 0, 1e-9);
        leave(&r);
    }
}

TEST(a_rod_that_spins_meets_a_peg_within_its_reach_and_no_other)
{
    for (int k = 0; k < SCHEMES; k++) {
        run r = begin(ROD("0.3"), 1, &schemes[k]), beside = begin(ROD("0.502"), 1, &schemes[k]);
        advance(&r, 0.02);
        advance(&beside, 0.02);
        CHECK(fabs(ss_sim_v(r.sim)[2] - 200) > 10);
        CHECK_NEAR(ss_sim_v(beside.sim)[2], 200, 1e-9);
        leave(&r);
        leave(&beside);
    }
}

/* 0.2 rad a step; rows of another instant than the approach would make it gain half of its energy in three impacts. Without
 * friction a motion along the floor, whatever its energy, changes nothing. */
TEST(a_box_that_spins_keeps_its_energy_in_impacts)
{
    static const double along[] = { 0, 1000 }; /* m/s, of 1 kg */
    for (int k = 0; k < 4; k++) {
        char velocity[64];
        const double slides = 0.5 * along[k % 2] * along[k % 2];
        snprintf(velocity, sizeof velocity, "bodies.0.velocity=[%g,0,-1]", along[k % 2]);
        run r = begin_file("tests/cli/spin_box.json", 2, (const char *const[]){ schemes[2 + k / 2], velocity });
        advance(&r, 1);
        CHECK(summary(&r)->energy_max - slides < 1.03 * (summary(&r)->energy_initial - slides));
        leave(&r);
    }
}

/* Rods that turn by less than 0.1 rad a step strike the floor with e = 1. What rows of another instant than the approach would
 * make is more than a hundredth of their energy in one impact of each of them: the audit would say so. */
TEST(rods_that_turn_slowly_leave_the_floor_no_faster_than_they_came)
{
    static const double thrown[][2] = { { 2.51, -1.21 }, { 2.29, -8.96 }, { 1.34, 3.99 }, { 2.7, -8.45 }, { 2.82, -2.14 } };
    for (size_t i = 0; i < sizeof thrown / sizeof *thrown; i++) {
        char text[1024];
        snprintf(
            text, sizeof text,
            "{'slipstick':1,'dimension':2,'gravity':[0,-9.81],'time':{'until':1,'step':0.01},'materials':[{'name':'any','mu':"
            "0.5,'e':1}],'bodies':[{'name':'rod','type':'rigid','density':1000,'position':[0,0.6],'angle':%g,"
            "'angular_velocity':%g,'velocity':[0.5,0],'shapes':[{'type':'box','material':'any','size':[0.8,0.1]}]},"
            "{'name':'floor','type':'fixed','shapes':[{'type':'half_space','material':'any','normal':[0,1]}]}]}",
            thrown[i][0], thrown[i][1]);
        run r = begin(text, 1, &(const char *){ "scheme.name=moreau" });
        advance(&r, 1);
        CHECK(summary(&r)->remark[SS_REMARK_ENERGY].steps == 0 && summary(&r)->unconverged_steps == 0);
        leave(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bullet_stops_at_a_thin_wall),
        cmocka_unit_test(a_bullet_that_misses_flies_on_as_if_nothing_were_there),
        cmocka_unit_test(a_rod_that_spins_meets_a_peg_within_its_reach_and_no_other),
        cmocka_unit_test(a_box_that_spins_keeps_its_energy_in_impacts),
        cmocka_unit_test(rods_that_turn_slowly_leave_the_floor_no_faster_than_they_came),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
