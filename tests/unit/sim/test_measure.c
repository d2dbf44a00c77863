/* What is said of a state: which contacts are closed, which bodies overlap, whether joints fit; on both sides of each threshold.
 */
#include "unit/schemes/text_run.h"

/* a ball of 1 m, which is the length, on a rod of 1 m; the floor is below it */
static const char ball[] =
    "{'slipstick':1,'dimension':2,'gravity':[0,-10],'time':{'until':1,'step':0.01},'scheme':{'name':'moreau'},"
    "'bodies':[{'name':'ball','type':'rigid','mass':1,'position':[0,1],'shapes':[{'type':'sphere','radius':1}]},"
    "{'name':'floor','type':'fixed','shapes':[{'type':'half_space','normal':[0,1]}]}],"
    "'joints':[{'name':'rod','type':'distance','bodies':['ball','world'],'anchors':[[0,0],[1,1]]}]}";

static int closed_at(double gap)
{
    run r = begin(ball, 0, NULL);
    ss_closed closed = { 0 };
    CHECK(r.model->length == 1);
    r.sim->now.q[1] = 1 + gap;
    CHECK_OK(r.ctx, ss_closed_find(r.sim, &r.sim->now, &closed));
    ss_free(r.ctx, closed.id);
    leave(&r);
    return closed.n;
}

TEST(step_control_calls_a_gap_of_a_hundred_millionth_closed) { CHECK(closed_at(2e-9) == 1 && closed_at(1e-7) == 0); }

static int overlaps_at(double depth)
{
    run r = { .ctx = test_context() };
    char at[80];
    const char *set[] = { at, "joints=[]" };
    int count = 0;
    snprintf(at, sizeof at, "bodies.ball.position=[0,%.17g]", 1 - depth);
    CHECK_OK(r.ctx, parse(&r, ball, 2, set));
    CHECK_OK(r.ctx, ss_model_compile(r.ctx, r.scene, &r.model));
    CHECK_OK(r.ctx, ss_model_overlaps(r.ctx, r.model, 0, NULL, &count));
    leave(&r);
    return count;
}

TEST(bodies_overlap_from_where_it_is_more_than_round_off) { CHECK(overlaps_at(2e-10) == 0 && overlaps_at(1e-8) == 1); }

/* the ball moves along its rod, whose error is the distance */
static int complaints_at(double off, const char *scheme, bool *certified)
{
    run r = begin(ball, 1, &scheme);
    ss_step_info info = { 0 };
    r.sim->now.q[0] -= off;
    r.sim->pending->info.certified = true;
    CHECK_OK(r.ctx, ss_sim_measure(r.sim, &r.sim->now, &info));
    CHECK_NEAR(info.joint_error, off, off * off);
    int steps = (int)r.sim->pending->remark[SS_REMARK_JOINTS].steps;
    *certified = r.sim->pending->info.certified;
    leave(&r);
    return steps;
}

TEST(joints_that_are_off_by_more_than_a_millionth_are_told_and_not_certified)
{
    bool certified;
    const char *drifts = "scheme={\"name\":\"moreau\",\"project\":false}";
    CHECK(complaints_at(2e-7, "scheme.name=moreau", &certified) == 0 && certified);
    CHECK(complaints_at(1e-5, "scheme.name=moreau", &certified) == 1 && !certified);
    CHECK(complaints_at(1e-5, drifts, &certified) == 1 && certified); /* the scheme says that they drift */
}

/* A drum that lies on another one, which a force pulls at but does not move: works are round-off, of 1e-15 J. */
TEST(the_ledger_of_bodies_at_rest_closes_beside_what_gravity_would_give_them)
{
    run r = begin(
        "{'slipstick':1,'dimension':3,'gravity':[0,0,-9.81],'time':{'until':0.35,'step':0.0025},"
        "'scheme':{'name':'event_capturing_rk'},'materials':[{'name':'slick','mu':0.19,'e':0},{'name':'wood','mu':0.94,'e':1}],"
        "'bodies':[{'name':'ground','type':'fixed','shapes':[{'type':'half_space','material':'slick','normal':[0,0,1],"
        "'offset':0}]},{'name':'body1','type':'rigid','mass':1.94,'position':[0.201364696908,-0.00626807895326,0.065],"
        "'orientation':[0.271350911101,0,0,0.962480484501],"
        "'shapes':[{'type':'cylinder','material':'wood','radius':0.112,'length':0.13}]},"
        "{'name':'body2','type':'rigid','mass':1.67,'position':[0.167255202265,0.0146255175576,0.236],"
        "'orientation':[0.271350911101,0,0,0.962480484501],"
        "'shapes':[{'type':'cylinder','material':'wood','radius':0.124,'length':0.212}]}],"
        "'forces':[{'name':'pull','type':'table','body':'body1','table':{'t':[0,0.1,0.3],"
        "'force':[[0,0,0],[8.26,-9.86,2.55],[-8.26,9.86,-2.55]]}}]}",
        0, NULL);
    advance(&r, 0.35);
    CHECK(ss_sim_ledger(r.sim)->closure < 1e-12);
    leave(&r);
}

/* v = 1e-161 m/s has the kinetic energy 5e-323 J, of which an impact leaves nothing: one unit of the last place is all of it */
TEST(the_ledger_of_a_speed_whose_energy_underflows_closes)
{
    run r = begin("{'slipstick':1,'dimension':2,'gravity':[0,0],'time':{'until':0.01,'step':0.01},"
                  "'scheme':{'name':'event_capturing_rk'},'bodies':["
                  "{'name':'ball','type':'rigid','mass':0.83,'inertia':0.1,'position':[0,1],'velocity':[1e-161,-1.7e-161],"
                  "'shapes':[{'type':'sphere','radius':1}]},"
                  "{'name':'floor','type':'fixed','shapes':[{'type':'half_space','normal':[0,1]}]}]}",
                  0, NULL);
    advance(&r, 0.01);
    CHECK(ss_sim_ledger(r.sim)->closure < 1e-12);
    leave(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(step_control_calls_a_gap_of_a_hundred_millionth_closed),
        cmocka_unit_test(bodies_overlap_from_where_it_is_more_than_round_off),
        cmocka_unit_test(joints_that_are_off_by_more_than_a_millionth_are_told_and_not_certified),
        cmocka_unit_test(the_ledger_of_bodies_at_rest_closes_beside_what_gravity_would_give_them),
        cmocka_unit_test(the_ledger_of_a_speed_whose_energy_underflows_closes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
