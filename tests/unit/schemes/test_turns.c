/* Hinges count their turns: a limit at any angle stops them, and nothing else does, in 2D and 3D, in every scheme, with fixed
 * steps and with step control, however far they turn in a step, and after a restart. */
#include "hinge_run.h"

static const hinge hinges[] = {
    { .dimension = 2, .axis = { 0, 0, 1 } },
    { .dimension = 2, .axis = { 0, 0, 1 }, .swapped = true },
    { .dimension = 3, .axis = { 0, 0, 1 } },
    { .dimension = 3, .axis = { 1.0 / 3, 2.0 / 3, -2.0 / 3 } },
    { .dimension = 3, .axis = { -2.0 / 7, 3.0 / 7, 6.0 / 7 }, .swapped = true },
};
enum { HINGES = sizeof hinges / sizeof *hinges };

static hinge turning(int k, double rate, const char *own)
{
    hinge x = hinges[k];
    x.rate = rate;
    x.own = own;
    return x;
}

/* ---- limits ---------------------------------------------------------------------------------------- */

TEST(a_limit_just_below_half_a_turn_stops_a_hinge_that_steps_over_it)
{
    for (int k = 0; k < ways(); k++) {
        way w = way_of(k, 0.05);
        const char *set[2] = { "", w.controlled ? "time.tol=1e-6" : "time.step=0.05" };
        char name[64];
        print_way(&w);
        snprintf(name, sizeof name, "scheme.name=%s", w.scheme->name);
        set[0] = name;
        run r = begin_file("tests/unit/schemes/limit.json", 2, set);
        advance(&r, 1);
        CHECK_NEAR(ss_sim_q(r.sim)[2], 3.1, overrun(&r, &w, 5));
        CHECK_NEAR(ss_sim_v(r.sim)[2], 0, 1e-9);
        end_certified(&r);
    }
}

static run begin_wrap(const way *w, int sets, const char **set)
{
    char name[64];
    print_way(w);
    snprintf(name, sizeof name, "scheme.name=%s", w->scheme->name);
    set[0] = name;
    set[1] = w->controlled ? "time.tol=1e-6" : "time.step=0.01";
    return begin_file("tests/unit/schemes/limit_wrap.json", sets, set);
}

TEST(a_hinge_with_a_limit_on_one_side_turns_freely_to_the_other)
{
    for (int k = 0; k < ways(); k++) {
        way w = way_of(k, 0.01);
        const char *set[2];
        run r = begin_wrap(&w, 2, set);
        advance(&r, 1.5);
        CHECK_NEAR(ss_sim_q(r.sim)[2], -7.5, 1e-12); /* a sum of 150 terms */
        CHECK(ss_sim_v(r.sim)[2] == -5);
        CHECK(summary(&r)->events == 0 && summary(&r)->max_contacts <= 1);
        end_certified(&r);
    }
}

/* -20 t + 20 t^2 goes down to -5 and comes back to 0.3 at t = 1.015 */
TEST(a_hinge_that_has_turned_back_by_more_than_half_a_turn_is_stopped_when_it_returns)
{
    for (int k = 0; k < ways(); k++) {
        way w = way_of(k, 0.01);
        const char *set[4] = { NULL, NULL, "bodies.w.angular_velocity=-20", "joints.h.motor={\"force\":\"40\"}" };
        run r = begin_wrap(&w, 4, set);
        advance(&r, 0.97);
        CHECK(ss_sim_q(r.sim)[2] < -0.05 && ss_sim_v(r.sim)[2] > 18);
        advance(&r, 1.2);
        CHECK_NEAR(ss_sim_q(r.sim)[2], 0.3, overrun(&r, &w, 20));
        CHECK_NEAR(ss_sim_v(r.sim)[2], 0, 1e-6); /* step control: the motor pulls at a body that is at its limit to 1e-6 */
        end_certified(&r);
    }
}

static void check_stop(const hinge *x, double limit, const way *w)
{
    double rate, at = limit / x->rate;
    run r = begin_hinge(x, w);
    advance(&r, at - 0.015);
    CHECK_NEAR(angle_of(&r, 0, &rate), limit - 0.015 * x->rate, w->controlled ? tolerance * (1 + fabs(limit)) : 1e-12);
    CHECK_NEAR(rate, x->rate, 1e-13 * fabs(x->rate));
    advance(&r, at + 0.2);
    CHECK_NEAR(angle_of(&r, 0, &rate), limit, overrun(&r, w, x->rate));
    CHECK_NEAR(rate, 0, 1e-9);
    CHECK(ss_model_nq(r.model) == (x->dimension == 2 ? 3 : 7)); /* counters of turns are not shown */
    end_certified(&r);
}

TEST(limits_at_10_and_minus_20_radians_stop_hinges_of_any_axis_in_every_scheme)
{
    for (int k = 0; k < ways(); k++) {
        way w = way_of(k, 0.01);
        print_way(&w);
        for (int j = 0; j < HINGES; j++) {
            hinge up = turning(j, 20, "'limits':[-9.9,10]"), down = turning(j, -30, "'limits':[-20,null]");
            check_stop(&up, 10, &w);
            check_stop(&down, -20, &w);
        }
    }
}

TEST(a_hinge_that_starts_in_another_turn_has_its_limits_there)
{
    for (int k = 0; k < ways(); k++) {
        way w = way_of(k, 0.01);
        print_way(&w);
        for (int j = 0; j < HINGES; j++) {
            hinge x = turning(j, 20, "'start':25,'limits':[24,30]");
            double rate;
            run r = begin_hinge(&x, &w);
            CHECK_NEAR(angle_of(&r, 0, &rate), 25, 1e-14);
            advance(&r, 0.4);
            CHECK_NEAR(angle_of(&r, 0, &rate), 30, overrun(&r, &w, 20));
            CHECK_NEAR(rate, 0, 1e-9);
            end_certified(&r);
        }
    }
}

/* ---- far in one step --------------------------------------------------------------------------------- */

/* 4 rad and 7.1 rad in a step: more than half a turn, and more than a whole one */
TEST(turns_are_counted_where_a_motor_turns_a_hinge_by_more_than_half_a_turn_in_a_step)
{
    static const double rates[] = { 400, -710 };
    for (int k = 0; k < 2 * ways(); k++) {
        way w = way_of(k / 2, 0.01);
        char motor[64];
        snprintf(motor, sizeof motor, "'motor':{'speed':'%g'},'limits':[-1000,1000]", rates[k % 2]);
        hinge x = turning(3, rates[k % 2], motor);
        double rate;
        print_way(&w);
        run r = begin_hinge(&x, &w);
        for (int step = 1; step <= 20; step++) {
            advance(&r, 0.02 * step);
            CHECK_NEAR(angle_of(&r, 0, &rate), 0.02 * step * x.rate, 1e-10); /* of 284 */
            CHECK_NEAR(rate, x.rate, 1e-10);
        }
        end_certified(&r);
    }
}

TEST(a_limit_stops_a_hinge_that_turns_by_more_than_half_a_turn_in_a_step)
{
    for (int k = 0; k < ways(); k++) {
        way w = way_of(k, 0.01);
        print_way(&w);
        hinge x = turning(4, 400, "'limits':[-5,151]");
        check_stop(&x, 151, &w);
    }
}

/* 3 rad a step, about an axis that moves in the body: stages over more than a quarter of a turn lose 8e-6 of the energy */
TEST(a_body_that_turns_by_half_a_turn_in_a_step_keeps_its_energy)
{
    run r = begin("{'slipstick':1,'dimension':3,'gravity':[0,0,0],'time':{'until':0.2,'step':0.01},"
                  "'scheme':{'name':'event_capturing_rk'},"
                  "'bodies':[{'name':'top','type':'rigid','mass':1,'inertia':[1,2,3],'angular_velocity':[300,1,1]}]}",
                  0, NULL);
    advance(&r, 0.2);
    CHECK_NEAR(summary(&r)->energy_final, summary(&r)->energy_initial, 1e-6 * summary(&r)->energy_initial);
    leave(&r);
}

typedef struct middle {
    double axis[3], rate, worst;
    int seen;
} middle;

/* half-way through the step the body has turned by rate * t: q and -q are the same rotation */
static ss_status look_at_middle(void *user, const ss_sim *sim, const ss_step_info *info)
{
    middle *x = user;
    double q[7], v[6], t = info->t - 0.5 * info->h, a = 0.5 * x->rate * t;
    SS_TRY(ss_sim_at(sim, t, q, v));
    double dot = q[3] * cos(a);
    for (int i = 0; i < 3; i++) {
        dot += q[4 + i] * sin(a) * x->axis[i];
    }
    x->worst = fmax(x->worst, 1 - fabs(dot));
    x->seen++;
    return SS_OK;
}

TEST(dense_output_follows_a_body_that_turns_by_more_than_half_a_turn_in_a_step)
{
    for (int k = 0; k < ways(); k += 2) {
        way w = way_of(k, 0.01);
        hinge x = turning(3, 400, "'limits':[null,1000]");
        middle at = { .axis = { x.axis[0], x.axis[1], x.axis[2] }, .rate = x.rate };
        print_way(&w);
        run r = begin_hinge(&x, &w);
        CHECK_OK(r.ctx, ss_sim_observe(r.sim, &(ss_observer){ .user = &at, .on_step = look_at_middle }));
        advance(&r, 0.1);
        CHECK(at.seen == 10);
        CHECK(at.worst < 1e-4); /* a polynomial of degree 5 for a half angle of 2 rad; others are exact */
        end_certified(&r);
    }
}

/* ---- bodies that move in other ways ----------------------------------------------------------------------- */

#define SPACE(bodies, axis, limits)                                                                                              \
    "{'slipstick':1,'dimension':3,'gravity':[0,0,0],'time':{'until':1,'step':0.01},'bodies':[" bodies "],"                       \
    "'joints':[{'name':'j','type':'revolute','bodies':['d','c'],'axis':" axis ",'at':[0.5,0,0],'limits':" limits "}]}"

#define DRIVEN(axis, angle) "{'name':'d','type':'driven','angle':'" angle "','axis':" axis "},"
#define BALL(velocity, spin)                                                                                                     \
    "{'name':'c','type':'rigid','mass':1,'inertia':[0.1,0.1,0.1],'position':[0.5,0,0],'velocity':" velocity                      \
    ",'angular_velocity':" spin "}"

/* the driven body turns on its own spot under a body that stands still, until the limit takes it along */
TEST(the_turns_of_a_driven_body_count)
{
    static const char text[] = "{'slipstick':1,'dimension':3,'gravity':[0,0,0],'time':{'until':1,'step':0.01},'bodies':[" DRIVEN(
        "[0,0,1]",
        "10*t") "{'name':'c','type':'rigid','mass':1,'inertia':[0.1,0.1,0.1]}],'joints':[{'name':'j','type':'revolute',"
                "'bodies':['d','c'],'axis':[0,0,1],'limits':[-20,null]}]}";
    for (int k = 0; k < ways(); k++) {
        way w = way_of(k, 0.01);
        double rate;
        print_way(&w);
        run r = begin_way(text, &w, NULL);
        advance(&r, 1.98);
        CHECK_NEAR(angle_of(&r, 0, &rate), -19.8, 1e-10);
        CHECK_NEAR(ss_sim_v(r.sim)[5], 0, 1e-12);
        advance(&r, 2.5);
        CHECK_NEAR(angle_of(&r, 0, &rate), -20, overrun(&r, &w, 10));
        CHECK_NEAR(ss_sim_v(r.sim)[5], 10, 1e-6); /* step control: a path that is followed to 1e-6 */
        end_certified(&r);
    }
}

/* A hinge across the axis of a carousel: what the carousel turns is not a turn of the hinge. */
TEST(a_driven_body_that_turns_across_the_hinge_does_not_turn_it)
{
    static const char text[] = SPACE(DRIVEN("[0,0,1]", "3*t") BALL("[0,1.5,0]", "[7,0,3]"), "[1,0,0]", "[-50,10]");
    for (int k = 0; k < ways(); k++) {
        way w = way_of(k, 0.01);
        double rate;
        print_way(&w);
        run r = begin_way(text, &w, NULL);
        advance(&r, 1.4);
        CHECK_NEAR(angle_of(&r, 0, &rate), 9.8, 0.05); /* first order, where centripetal forces turn a step's rows */
        advance(&r, 2);
        CHECK_NEAR(angle_of(&r, 0, &rate), 10, overrun(&r, &w, 7));
        CHECK_NEAR(rate, 0, 1e-9);
        end_certified(&r);
    }
}

/* Steps of half a radian while both bodies tumble: within a step the counter is not exact. */
TEST(the_counter_of_a_hinge_between_tumbling_bodies_is_its_angle_after_every_step)
{
    static const char text[] =
        SPACE("{'name':'d','type':'rigid','mass':1,'inertia':[0.1,0.2,0.3],'angular_velocity':[-8,3,1.5]},"
              "{'name':'c','type':'rigid','mass':2,'inertia':[0.2,0.1,0.15],'position':[1,0,0],'velocity':[0,1.5,-3],"
              "'angular_velocity':[6,3,1.5]}",
              "[1,0,0]", "[null,100]");
    for (int k = 0; k < ways(); k += 2) {
        way w = way_of(k, 0.03);
        double rate, before = 0;
        print_way(&w);
        run r = begin_way(text, &w, NULL);
        const ss_joint *j = &r.model->joint[0];
        for (int step = 1; step <= 60; step++) {
            advance(&r, 0.03 * step);
            double angle = angle_of(&r, 0, &rate);
            CHECK_NEAR(r.sim->now.q[j->turns.counter], angle, 1e-12);
            CHECK(angle > before && angle < before + 0.03 * 30); /* it goes on in one direction, at no more than twice 14 rad/s */
            before = angle;
        }
        CHECK(before > 15);
        leave(&r);
    }
}

/* ---- restarts ----------------------------------------------------------------------------------------- */

static void check_same_bits(const ss_sim *a, const ss_sim *b)
{
    ss_summary x = *ss_sim_summary(a), y = *ss_sim_summary(b);
    x.wall_s = y.wall_s = 0;
    CHECK(ss_sim_time(a) == ss_sim_time(b));
    CHECK(memcmp(a->now.q, b->now.q, (size_t)a->model->nq * sizeof(double)) == 0);
    CHECK(memcmp(a->now.v, b->now.v, (size_t)a->model->nv * sizeof(double)) == 0);
    CHECK(memcmp(&x, &y, sizeof x) == 0);
    CHECK(memcmp(ss_sim_ledger(a), ss_sim_ledger(b), sizeof(ss_ledger)) == 0);
}

TEST(a_run_that_is_restarted_in_its_third_turn_goes_on_with_the_same_bits_to_a_limit_in_the_fifth)
{
    for (int k = 0; k < ways(); k++) {
        way w = way_of(k, 0.01);
        hinge x = turning(3, 40, "'limits':[null,30]");
        double rate;
        void *blob = NULL;
        size_t size = 0;
        print_way(&w);
        run straight = begin_hinge(&x, &w), first = begin_hinge(&x, &w), second = begin_hinge(&x, &w);
        advance(&straight, 0.4);
        advance(&straight, 1);
        advance(&first, 0.4);
        CHECK_NEAR(angle_of(&first, 0, &rate), 16, 1e-12);
        CHECK_OK(first.ctx, ss_sim_save(first.sim, &blob, &size));
        CHECK_OK(second.ctx, ss_sim_restore(second.sim, blob, size));
        ss_blob_free(first.ctx, blob);
        advance(&second, 1);
        check_same_bits(straight.sim, second.sim);
        CHECK_NEAR(angle_of(&second, 0, &rate), 30, overrun(&second, &w, 40));
        end_certified(&straight);
        end_certified(&second);
        leave(&first);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_limit_just_below_half_a_turn_stops_a_hinge_that_steps_over_it),
        cmocka_unit_test(a_hinge_with_a_limit_on_one_side_turns_freely_to_the_other),
        cmocka_unit_test(a_hinge_that_has_turned_back_by_more_than_half_a_turn_is_stopped_when_it_returns),
        cmocka_unit_test(limits_at_10_and_minus_20_radians_stop_hinges_of_any_axis_in_every_scheme),
        cmocka_unit_test(a_hinge_that_starts_in_another_turn_has_its_limits_there),
        cmocka_unit_test(turns_are_counted_where_a_motor_turns_a_hinge_by_more_than_half_a_turn_in_a_step),
        cmocka_unit_test(a_limit_stops_a_hinge_that_turns_by_more_than_half_a_turn_in_a_step),
        cmocka_unit_test(a_body_that_turns_by_half_a_turn_in_a_step_keeps_its_energy),
        cmocka_unit_test(dense_output_follows_a_body_that_turns_by_more_than_half_a_turn_in_a_step),
        cmocka_unit_test(the_turns_of_a_driven_body_count),
        cmocka_unit_test(a_driven_body_that_turns_across_the_hinge_does_not_turn_it),
        cmocka_unit_test(the_counter_of_a_hinge_between_tumbling_bodies_is_its_angle_after_every_step),
        cmocka_unit_test(a_run_that_is_restarted_in_its_third_turn_goes_on_with_the_same_bits_to_a_limit_in_the_fifth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
