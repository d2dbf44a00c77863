/* Where the scheme with located events calls something closed, at rest or stopped: numbers on both sides of each threshold. */
#include "unit/schemes/event_run.h"

#define MATERIAL "'materials':[{'name':'m','e':0.5,'mu':0.5}],"
#define FLOOR    "{'name':'floor','type':'fixed','shapes':[{'type':'half_space','normal':[0,1],'material':'m'}]}"
#define POINT    "'type':'particle','mass':1,'shapes':[{'type':'point','material':'m'}]"

/* ---- impacts ----------------------------------------------------------------------------------------- */

/* impacts in the first step of a point on the floor with this velocity; the length is 1 m */
static int impacts(const char *text, const char *velocity)
{
    run r;
    const char *set[] = { velocity };
    begin(&r, text, 1, set);
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 1.0 / 64));
    int n = count(&r, SS_EVENT_IMPACT);
    quit(&r);
    return n;
}

TEST(a_point_that_slides_strikes_unless_its_approach_is_round_off_of_its_speed)
{
    static const char sliding[] =
        HEAD(2, "[0,0]", "1/64") MATERIAL "'bodies':[{'name':'p','position':[0,0]," POINT "}," FLOOR "]}";
    CHECK(impacts(sliding, "bodies.p.velocity=[1,-5e-10]") == 1); /* 1e-10 of 1 m/s */
    CHECK(impacts(sliding, "bodies.p.velocity=[1,-5e-12]") == 0);
}

TEST(a_point_that_rests_strikes_unless_its_approach_is_round_off_of_what_gravity_gives)
{
    static const char resting[] =
        HEAD(2, "[0,-10]", "1/64") MATERIAL "'bodies':[{'name':'p','position':[0,0]," POINT "}," FLOOR "]}";
    CHECK(impacts(resting, "bodies.p.velocity=[0,-5e-9]") == 1); /* 1e-9 of 2 g/64 = 0.3 m/s */
    CHECK(impacts(resting, "bodies.p.velocity=[0,-5e-11]") == 0);
}

/* ---- overlaps ------------------------------------------------------------------------------------------ */

/* a ball of radius 1 m, deeper in the floor than it should be, that goes up with this speed */
static void begin_in_the_floor(run *r, double depth, double up, const char *step)
{
    char at[80], velocity[80];
    const char *set[] = { at, velocity, step };
    char json[] = HEAD(2, "[0,-10]", "1/64") MATERIAL
        "'bodies':[{'name':'ball','type':'rigid','mass':1,'position':[0,1],'shapes':[{'type':'sphere','radius':1,"
        "'material':'m'}]}," FLOOR "]}";
    snprintf(at, sizeof at, "bodies.ball.position=[0,%.17g]", 1 - depth);
    snprintf(velocity, sizeof velocity, "bodies.ball.velocity=[0,%.17g]", up);
    for (char *c = json; (c = strchr(c, '\''));) {
        *c = '"';
    }
    ss_sim_options options = ss_sim_options_default();
    options.allow_overlap = true;
    *r = (run){ .ctx = test_context() };
    CHECK_OK(r->ctx, ss_scene_parse(r->ctx, json, strlen(json), "scene", 3, set, &r->scene));
    CHECK_OK(r->ctx, ss_model_compile(r->ctx, r->scene, &r->model));
    CHECK_OK(r->ctx, ss_sim_create(r->ctx, r->model, &options, &r->sim));
    CHECK_OK(r->ctx, ss_sim_observe(r->sim, &(ss_observer){ .user = r, .on_event = on_event }));
}

/* overlap after a tenth of a second of a ball that begins with this one, at rest */
static double overlap_left(double depth)
{
    run r;
    begin_in_the_floor(&r, depth, 0, "time.step=1/64");
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.1));
    double left = 1 - ss_sim_q(r.sim)[1];
    quit(&r);
    return left;
}

TEST(a_small_overlap_is_closed_and_a_gross_one_is_kept)
{
    CHECK_NEAR(overlap_left(1e-5), 0, 1e-14); /* 1e-4 of the length */
    CHECK_NEAR(overlap_left(1e-3), 1e-3, 1e-14);
}

/* Up from an overlap and down to it again within one step, 1 m/s at both ends of the flight: one impact, after 0.2 s, as deep as
 * the flight began, and an attempt that ends there is all that it takes. */
TEST(a_ball_that_leaves_the_floor_from_an_overlap_strikes_once_when_it_is_back)
{
    const double depth[] = { 1e-10, 1e-7, 1e-5 };
    for (int i = 0; i < 3; i++) {
        run r;
        begin_in_the_floor(&r, depth[i], 1, "time.step=1/4");
        CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.25));
        CHECK(r.n == 1 && r.event[0].kind == SS_EVENT_IMPACT);
        CHECK_NEAR(r.event[0].t, 0.2, 1e-12);
        CHECK_NEAR(r.event[0].v_minus[1], -1, 1e-11);
        CHECK(ss_sim_summary(r.sim)->remark[SS_REMARK_HANDED].steps == 0);
        CHECK(ss_sim_summary(r.sim)->multiplier_evals < 3 * 12); /* three stages; a parabola has its root soon found */
        quit(&r);
    }
}

/* ---- slip that ends ------------------------------------------------------------------------------------ */

/* mu g = 5: they stop after 0.2 s and 1e-10 s later, when the second has 8e-9 of the speed at the start of the step, 1/16 m/s */
TEST(two_points_stop_one_after_the_other_however_near)
{
    run r;
    begin(&r,
          HEAD(2, "[0,-10]", "1/64") MATERIAL "'bodies':[{'name':'p','position':[0,0],'velocity':[1,0]," POINT "},"
                                              "{'name':'q','position':[9,0],'velocity':['1+5e-10',0]," POINT "}," FLOOR "]}",
          0, NULL);
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.25));
    CHECK(count(&r, SS_EVENT_STICK) == 2);
    CHECK_NEAR(r.event[0].t, 0.2, 1e-13);
    CHECK_NEAR(r.event[1].t, 0.2 + 1e-10, 1e-13);
    end(&r);
}

/* a point that slides in space with velocity (x, y), under a force (X, Y); friction is f = mu m g = 5 */
static void begin_slide(run *r, double x, double y, double X, double Y)
{
    char velocity[80], force[80];
    const char *set[] = { velocity, force };
    snprintf(velocity, sizeof velocity, "bodies.p.velocity=[%.17g,%.17g,0]", x, y);
    snprintf(force, sizeof force, "forces.push.force=[%.17g,%.17g,0]", X, Y);
    begin(r,
          HEAD(3, "[0,0,-10]", "1/64") MATERIAL
          "'bodies':[{'name':'p','position':[0,0,0]," POINT "},"
          "{'name':'floor','type':'fixed','shapes':[{'type':'half_space','normal':[0,0,1],'material':'m'}]}],"
          "'forces':[{'name':'push','type':'constant','body':'p','force':[0,0,0]}]}",
          2, set);
}

/* Since |v|' = -f + F.v/|v| and v' = F - f v/|v|, the number f |v| + F.v falls by f^2 - F^2 per second: slip ends when it is
 * zero. In the first case v_x = 0 after 0.011 s, when 4 % of the speed are left across: the force would not move a point at rest,
 * but this one moves on. In the second the force has hardly turned the slip before its last tenth. */
TEST(slip_that_turns_stops_when_its_speed_is_zero_not_when_it_has_turned)
{
    const double f = 5, v[2][2] = { { 0.1, 0.03 }, { 1, 0 } }, F[2][2] = { { -4.9, 0 }, { 0, 0.25 } };
    for (int i = 0; i < 2; i++) {
        double size = hypot(F[i][0], F[i][1]),
               stop = (f * hypot(v[i][0], v[i][1]) + F[i][0] * v[i][0] + F[i][1] * v[i][1]) / (f * f - size * size);
        run r;
        begin_slide(&r, v[i][0], v[i][1], F[i][0], F[i][1]);
        CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.95 * stop));
        CHECK(count(&r, SS_EVENT_STICK) == 0);
        CHECK(i == 1 || ss_sim_v(r.sim)[0] < 0);
        CHECK_OK(r.ctx, ss_sim_advance(r.sim, 1.05 * stop));
        CHECK(count(&r, SS_EVENT_STICK) == 1);
        CHECK_NEAR(r.event[0].t, stop, 3e-6);                    /* what is left out, 1e-11 m, takes 2e-6 s at 5 m/s^2 */
        CHECK(ss_sim_summary(r.sim)->multiplier_evals < 3 * 60); /* three stages; substeps lose a quarter of the speed each */
        end(&r);
    }
}

/* v^2/2f = 1e-13 m, and 1e-9 m; the least way that is followed is 1e-11 of a metre. A force across turns the slip. */
TEST(slip_in_space_has_ended_where_its_way_is_too_short_to_be_followed)
{
    run r;
    begin_slide(&r, 1e-6, 0, 0, 1);
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 1.0 / 64));
    CHECK(ss_sim_q(r.sim)[0] == 0 && ss_sim_v(r.sim)[0] == 0);
    end(&r);
    begin_slide(&r, 1e-4, 0, 0, 1);
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 1.0 / 64));
    CHECK_NEAR(ss_sim_q(r.sim)[0], 1e-9, 1e-10); /* the force across makes the way a little longer */
    CHECK(ss_sim_v(r.sim)[0] == 0);
    end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_point_that_slides_strikes_unless_its_approach_is_round_off_of_its_speed),
        cmocka_unit_test(a_point_that_rests_strikes_unless_its_approach_is_round_off_of_what_gravity_gives),
        cmocka_unit_test(a_small_overlap_is_closed_and_a_gross_one_is_kept),
        cmocka_unit_test(a_ball_that_leaves_the_floor_from_an_overlap_strikes_once_when_it_is_back),
        cmocka_unit_test(two_points_stop_one_after_the_other_however_near),
        cmocka_unit_test(slip_that_turns_stops_when_its_speed_is_zero_not_when_it_has_turned),
        cmocka_unit_test(slip_in_space_has_ended_where_its_way_is_too_short_to_be_followed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
