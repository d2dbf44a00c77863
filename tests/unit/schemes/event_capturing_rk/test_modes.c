/* Which contacts stay, stick, slip or come off: blocks at the thresholds of Coulomb's law, loads that statics leaves open, mass
 * ratios of a million. */
#include "closed_scene.h"

typedef struct verdict {
    double lift, creep, normal, tangent; /* the largest of all contacts; sums of their forces */
    double a[N_MAX];
} verdict;

static void pose(closed_scene *x, ss_modes **modes)
{
    CHECK_OK(x->ctx, ss_modes_create(x->ctx, x->m, x->friction, NULL, modes));
    CHECK_OK(x->ctx, ss_modes_begin(*modes, x->s->arena));
    CHECK_OK(x->ctx, ss_modes_pose(*modes, 0, x->q, x->v, &x->set, x->set.n, NULL));
}

static verdict read_verdict(const closed_scene *x, const ss_modes *modes)
{
    verdict out = { 0 };
    const ss_problem *p = &modes->a->problem;
    for (int i = 0; i < p->nc; i++) {
        out.lift = fmax(out.lift, ss_modes_lift(modes, i));
        out.creep = fmax(out.creep, ss_modes_creep(modes, i));
        out.normal += modes->a->solution.r[p->row[i]];
        for (int row = p->row[i] + 1; row < p->row[i + 1]; row++) {
            out.tangent = hypot(out.tangent, modes->a->solution.r[row]);
        }
    }
    memcpy(out.a, modes->a->solution.v, (size_t)x->m->nv * sizeof *out.a);
    return out;
}

/* all contacts of the scene, none or all of them slipping */
static verdict judge(const char *text, bool slides, int sets, const char *const *set)
{
    closed_scene x;
    ss_modes *modes = NULL;
    bool slips[ROWS_MAX], solved = false;
    open_held(&x, text, 0, sets, set);
    pose(&x, &modes);
    for (int i = 0; i < ROWS_MAX; i++) {
        slips[i] = slides;
    }
    CHECK_OK(x.ctx, ss_modes_solve(modes, x.s, slips, &solved));
    CHECK(solved && modes->a->info.outcome == SS_CONVERGED);
    verdict out = read_verdict(&x, modes);
    ss_modes_destroy(modes);
    close_held(&x);
    return out;
}

static const char box[] =
    HEAD(2, "[0,-10]") "'materials':[{'name':'m','mu':0.5}],'bodies':[{'name':'box','type':'rigid','mass':2,'position':[0,0.1],"
                       "'shapes':[{'type':'box','size':[1,0.2],'material':'m'}]},{'name':'floor','type':'fixed','shapes':["
                       "{'type':'half_space','normal':[0,1],'material':'m'}]}],'forces':[{'name':'f','type':'constant','body':"
                       "'box','force':[0,0]}]}";

static verdict push(double x, double y)
{
    char force[80];
    snprintf(force, sizeof force, "forces.f.force=[%.17g,%.17g]", x, y);
    const char *set[] = { force };
    return judge(box, false, 1, set);
}

/* the scheme takes 1e-9 for nothing, and 1e-8 for something */
TEST(a_block_sticks_up_to_mu_times_its_weight_and_slips_beyond)
{
    for (int sign = -1; sign <= 1; sign += 2) {
        CHECK(push(sign * 9.0, 0).creep == 0);
        CHECK(push(sign * 10.0 * (1 - 1e-12), 0).creep <= 1e-11);
        CHECK(push(sign * 10.0, 0).creep <= 1e-9); /* at the threshold it is at rest */
        verdict out = push(sign * 10.0 * (1 + 1e-6), 0);
        CHECK(out.creep > 1e-8 && out.lift == 0);
        CHECK_NEAR(out.a[0], sign * 5e-6, 1e-12);
        out = push(sign * 14.0, 0);
        CHECK_NEAR(out.a[0], sign * 2, 1e-12);
        CHECK_NEAR(out.normal, 20, 1e-11);
    }
}

TEST(a_block_comes_off_when_it_is_lifted_by_more_than_its_weight)
{
    CHECK(push(0, 19).lift == 0);
    CHECK(push(0, 20).lift <= 1e-9);
    verdict out = push(0, 20 * (1 + 1e-6));
    CHECK(out.lift > 1e-8);
    CHECK_NEAR(out.a[1], 1e-5, 1e-12);
    CHECK_NEAR(push(0, 24).a[1], 2, 1e-12);
    CHECK(push(0, 24).normal == 0);
}

TEST(corners_share_a_load_that_statics_leaves_open)
{
    verdict out = push(7, 0);
    CHECK(out.lift == 0 && out.creep == 0);
    CHECK_NEAR(out.normal, 20, 1e-11);
    for (int i = 0; i < 3; i++) {
        CHECK_NEAR(out.a[i], 0, 1e-12);
    }
}

TEST(friction_of_what_slips_opposes_its_velocity_whatever_pushes_it)
{
    const char *with[] = { "bodies.box.velocity=[1e-3,0]", "forces.f.force=[300,0]" };
    const char *against[] = { "bodies.box.velocity=[1e-3,0]", "forces.f.force=[-300,0]" };
    const char *back[] = { "bodies.box.velocity=[-1e-3,0]", "forces.f.force=[0,0]" };
    CHECK_NEAR(judge(box, true, 2, with).a[0], 150 - 5, 1e-10);
    CHECK_NEAR(judge(box, true, 2, against).a[0], -150 - 5, 1e-10);
    CHECK_NEAR(judge(box, true, 2, back).a[0], 5, 1e-10);
}

static const char puck[] = HEAD(
    3, "[0,0,-10]") "'materials':[{'name':'m','mu':0.5}],'bodies':[{'name':'p','type':'particle','mass':2,'position':[0,0,0],"
                    "'shapes':[{'type':'point','material':'m'}]},{'name':'floor','type':'fixed','shapes':[{'type':"
                    "'half_space','normal':[0,0,1],'material':'m'}]}],'forces':[{'name':'f','type':'constant','body':'p',"
                    "'force':[0,0,0]}]}";

TEST(in_space_friction_opposes_slip_or_the_acceleration_with_which_it_begins)
{
    const char *slips[] = { "bodies.p.velocity=[0.3,0.4,0]", "forces.f.force=[8,-20,0]" };
    verdict out = judge(puck, true, 2, slips);
    CHECK_NEAR(out.a[0], 4 - 5 * 0.6, 1e-10);
    CHECK_NEAR(out.a[1], -10 - 5 * 0.8, 1e-10);
    const char *begins[] = { "forces.f.force=[12,16,0]" };
    out = judge(puck, false, 1, begins);
    CHECK_NEAR(out.a[0], 6 - 5 * 0.6, 1e-8); /* a second-order cone, solved to its certificate */
    CHECK_NEAR(out.a[1], 8 - 5 * 0.8, 1e-8);
    const char *rests[] = { "forces.f.force=[5.9,7.9,0]" };
    CHECK(judge(puck, false, 1, rests).creep <= 1e-9);
}

TEST(a_direction_that_is_given_is_taken_instead_of_the_velocity)
{
    closed_scene x;
    ss_modes *modes = NULL;
    const bool slides[1] = { true };
    bool solved = false;
    open_held(&x, puck, 0, 0, NULL);
    pose(&x, &modes);
    const ss_contact_value *value = modes->a->value[0];
    const ss_vec3 along = ss_v3(0.6, -0.8, 0);
    ss_modes_direct(modes, 0, (double[2]){ ss_dot(along, value->tangent[0]), ss_dot(along, value->tangent[1]) });
    CHECK_OK(x.ctx, ss_modes_solve(modes, x.s, slides, &solved));
    CHECK(solved);
    CHECK_NEAR(modes->a->solution.v[0], -5 * 0.6, 1e-10);
    CHECK_NEAR(modes->a->solution.v[1], 5 * 0.8, 1e-10);
    ss_modes_destroy(modes);
    close_held(&x);
}

/* a heavy box on a light one on a slope of 0.4 with friction 0.5, and with the masses exchanged */
TEST(a_stack_with_a_mass_ratio_of_a_million_rests_on_a_slope_and_slips_on_a_steeper_one)
{
    static const char stack[] = HEAD(
        2, "[4,-10]") "'materials':[{'name':'m','mu':0.5}],'bodies':[{'name':'low','type':'rigid','mass':1,'position':[0,0.1],"
                      "'shapes':[{'type':'box','size':[1,0.2],'material':'m'}]},{'name':'high','type':'rigid','mass':1e6,"
                      "'position':[0,0.3],'shapes':[{'type':'box','size':[1,0.2],'material':'m'}]},{'name':'floor','type':"
                      "'fixed','shapes':[{'type':'half_space','normal':[0,1],'material':'m'}]}]}";
    const char *light[] = { "bodies.low.mass=1e6", "bodies.high.mass=1" };
    for (int k = 0; k < 2; k++) {
        verdict out = judge(stack, false, 2 * k, light);
        CHECK(out.lift <= 1e-9 && out.creep <= 1e-9);
        const char *steep[] = { "gravity=[5.001,-10]", light[0], light[1] };
        out = judge(stack, false, 1 + 2 * k, steep);
        CHECK(out.lift <= 1e-9 && out.creep > 1e-8);
        CHECK_NEAR(out.a[0], 1e-3, 1e-7); /* of accelerations of 10 */
    }
}

static const char wheel[] =
    HEAD(2, "[0,0]") "'bodies':[{'name':'wheel','type':'rigid','mass':1,'inertia':2,'position':[0,0]}],'joints':[{'name':'pin',"
                     "'type':'revolute','bodies':['world','wheel'],'at':[0,0],'motor':{'speed':'3*t','max':7}}]}";

TEST(a_motor_keeps_its_speed_up_to_its_bound)
{
    const char *weak[] = { "joints.pin.motor={\"speed\":\"2*t\",\"max\":3}" };
    verdict out = judge(wheel, false, 0, NULL);
    CHECK(out.lift == 0 && out.creep <= 1e-9);
    CHECK_NEAR(out.a[2], 3, 1e-12); /* with 6 N m of 7 */
    out = judge(wheel, false, 1, weak);
    CHECK_NEAR(out.a[2], 1.5, 1e-12);
    CHECK(out.creep > 1e-8);
}

/* Without gravity, and with a speed that is constant, no acceleration but that of its own bound is there to measure by. */
TEST(a_motor_that_is_not_at_its_speed_gives_all_it_can_where_nothing_else_acts)
{
    const char *behind[] = { "joints.pin.motor={\"speed\":2,\"max\":7}" };
    const char *ahead[] = { behind[0], "bodies.wheel.angular_velocity=5" };
    CHECK_NEAR(judge(wheel, true, 1, behind).a[2], 3.5, 1e-12);
    CHECK_NEAR(judge(wheel, true, 2, ahead).a[2], -3.5, 1e-12);
    const char *there[] = { behind[0], "bodies.wheel.angular_velocity=2" };
    verdict out = judge(wheel, false, 2, there);
    CHECK(out.creep == 0);
    CHECK_NEAR(out.a[2], 0, 1e-12);
}

/* Is the motion of the box at rest, with this acceleration into the floor besides, one that obeys the laws? */
static bool obeys(double into)
{
    closed_scene x;
    ss_modes *modes = NULL;
    bool slips[ROWS_MAX] = { false }, solved = false;
    double a[N_MAX], r[ROWS_MAX];
    open_held(&x, box, 0, 0, NULL);
    pose(&x, &modes);
    CHECK_OK(x.ctx, ss_modes_solve(modes, x.s, slips, &solved));
    CHECK(solved);
    memcpy(a, modes->a->solution.v, (size_t)x.m->nv * sizeof *a);
    memcpy(r, modes->a->solution.r, (size_t)modes->a->problem.row[modes->a->problem.nc] * sizeof *r);
    a[1] -= into;
    bool out = ss_modes_adopt(modes, slips, a, r);
    ss_modes_destroy(modes);
    close_held(&x);
    return out;
}

TEST(a_motion_obeys_the_laws_up_to_round_off_of_the_accelerations)
{
    CHECK(obeys(1e-11)); /* 1e-11 of g = 10 */
    CHECK(!obeys(1e-9));
}

/* A ball that rolls along x and is pushed along y, to which it begins to roll, too: its moment is against the turn that there is,
 * however it accelerates. */
TEST(a_moment_opposes_the_turn_of_its_body_whatever_pushes_it)
{
    static const char ball[] = HEAD(
        3, "[0,0,-10]") "'materials':[{'name':'m','mu':0.5,'rolling_friction':0.02}],'bodies':[{'name':'ball','type':'rigid',"
                        "'mass':2,'inertia':[0.032,0.032,0.032],'position':[0,0,0.2],'velocity':[1,0,0],"
                        "'angular_velocity':[0,5,0],'shapes':[{'type':'sphere','radius':0.2,'material':'m'}]},"
                        "{'name':'floor','type':'fixed','shapes':[{'type':'half_space','normal':[0,0,1],'material':'m'}]}],"
                        "'forces':[{'name':'f','type':'constant','body':'ball','force':[0,3,0]}]}";
    closed_scene x;
    ss_modes *modes = NULL;
    bool slips[ROWS_MAX] = { false, true }, solved = false;
    open_held(&x, ball, 0, 0, NULL);
    pose(&x, &modes);
    CHECK(modes->a->problem.nc == 2 && modes->speed[0] < 1e-12);
    CHECK_NEAR(modes->speed[1], 5, 1e-12);
    CHECK_OK(x.ctx, ss_modes_solve(modes, x.s, slips, &solved));
    CHECK(solved && modes->a->info.outcome == SS_CONVERGED);
    const double *moment = modes->a->solution.r + 3, *turn = modes->slip + 3;
    for (int i = 0; i < 2; i++) {
        CHECK_NEAR(moment[i], -0.02 * 20 * turn[i] / 5, 1e-10);
    }
    CHECK_NEAR(modes->a->solution.v[1], 3 / (2 + 0.032 / 0.04), 1e-9); /* it rolls without slip, and no moment acts that way */
    CHECK(ss_modes_creep(modes, 0) == 0 && ss_modes_lift(modes, 1) == 0);
    ss_modes_destroy(modes);
    close_held(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_sticks_up_to_mu_times_its_weight_and_slips_beyond),
        cmocka_unit_test(a_block_comes_off_when_it_is_lifted_by_more_than_its_weight),
        cmocka_unit_test(corners_share_a_load_that_statics_leaves_open),
        cmocka_unit_test(friction_of_what_slips_opposes_its_velocity_whatever_pushes_it),
        cmocka_unit_test(in_space_friction_opposes_slip_or_the_acceleration_with_which_it_begins),
        cmocka_unit_test(a_direction_that_is_given_is_taken_instead_of_the_velocity),
        cmocka_unit_test(a_stack_with_a_mass_ratio_of_a_million_rests_on_a_slope_and_slips_on_a_steeper_one),
        cmocka_unit_test(a_motor_keeps_its_speed_up_to_its_bound),
        cmocka_unit_test(a_motor_that_is_not_at_its_speed_gives_all_it_can_where_nothing_else_acts),
        cmocka_unit_test(a_moment_opposes_the_turn_of_its_body_whatever_pushes_it),
        cmocka_unit_test(a_motion_obeys_the_laws_up_to_round_off_of_the_accelerations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
