/* test_control.c - step control: the estimate against closed forms, what is accepted and what leaves no trace. */
#include "unit/sim/planned_scheme.h"

/* ---- the estimate ---------------------------------------------------------------------------------- */

static const double TIME = 0.70710678118654757; /* of the motion: 1 m at 2 m/s^2 */

/* The length at which the error of two half steps, 2 SIZE scale (h/2)^(p+1), is at the tolerance, with a safety of 0.9: times
 * T/h, that of a unit of time, for orders above 1; times (T/h)^(2/3) for order 1. From order 4 on a twentieth of the tolerance is
 * aimed at. *power: how it goes with tol. */
static double settled(int order, double tol, double scale, double *power)
{
    const double part = order > 1 ? 1 : 2.0 / 3, aim = order < 4 ? 1 : 0.05;
    *power = 1 / (order + 1 - part);
    return 0.9 * pow(aim * tol * exp2(order) / (SIZE * scale * pow(TIME, part)), *power);
}

TEST(the_length_settles_where_the_error_of_two_half_steps_is_at_the_tolerance)
{
    const double tol = 1e-6;
    for (int order = 1; order <= 5; order++) {
        run r;
        ss_sim_options o = with_tol(tol);
        begin(&r, order, "time.until=10", &o);
        CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.5));
        /* beside tol (1 + |x|); p has fallen by |x| = 0.25 at the end, by a step less at the last estimate. Without Richardson's
         * division h would be (2^p - 1)^power times shorter. */
        double power, h = settled(order, tol, 1, &power), most = pow(1.25, power);
        CHECK(r.sim->control.h >= 0.999 * h && r.sim->control.h <= 1.001 * most * h);
        CHECK_NEAR(ss_sim_time(r.sim), 0.5, 0);
        end(&r);
    }
}

/* Whole steps and halves of 0.04 s would consist of the same substeps of 0.02 s, and agree. */
TEST(a_scheme_that_cuts_its_steps_is_judged_by_what_it_does_between_two_cuts)
{
    const double tol = 1e-6;
    for (int order = 1; order <= 3; order++) {
        double power, h = settled(order, tol, 1, &power);
        for (int k = 0; k < 2; k++) {
            run r;
            ss_sim_options o = with_tol(tol);
            begin(&r, order, "time={\"until\":10,\"step\":0.5}", &o);
            r.plan->cut = k == 0 ? 8 * h : 0.5 * h;
            CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.5));
            double longest = ss_sim_summary(r.sim)->longest, expected = k == 0 ? 0.5 * h : 0.25 * h;
            CHECK(longest > 0.99 * expected && longest < 1.3 * expected); /* |x| grows to 0.25; a thousandth behind the cut */
            end(&r);
        }
    }
}

TEST(an_error_of_the_velocity_counts_times_the_time_in_which_a_body_covers_its_unit)
{
    const double tol = 1e-6, time = sqrt(0.5);
    for (int order = 1; order <= 5; order++) {
        run r;
        ss_sim_options o = with_tol(tol);
        begin(&r, order, "time.until=10", &o);
        r.plan->fault = OFF_IN_SPEED;
        CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.5));
        /* as for positions, but v is 1 m/s at the end: its unit is 1/time + 1 */
        double power, h = settled(order, tol, time, &power), most = pow(1 + time, power);
        CHECK(r.sim->control.h >= 0.999 * h && r.sim->control.h <= 1.001 * most * h);
        end(&r);
    }
}

/* a fall by 2 m/s^2: 0.707 s for the first metre, 1/v later; the smallest step goes with it unless it is given */
TEST(the_time_of_the_motion_is_that_of_its_speeds)
{
    for (int k = 0; k < 2; k++) {
        run r;
        ss_sim_options o = with_tol(1e-4);
        begin(&r, 2, k == 0 ? "time.until=10" : "time={\"until\":10,\"h_min\":1e-7}", &o);
        CHECK_NEAR(r.sim->control.trial.time, sqrt(0.5), 1e-15);
        CHECK_OK(r.ctx, ss_sim_advance(r.sim, 2));
        CHECK_NEAR(r.sim->control.trial.time, 0.25, 1e-12);
        CHECK_NEAR(ss_control_floor(&r.sim->control, 2), k == 0 ? 1e-7 * 0.25 : 1e-7, 1e-18);
        end(&r);
    }
}

TEST(the_first_steps_do_not_depend_on_the_end_of_the_run)
{
    double h[2];
    for (int k = 0; k < 2; k++) {
        run r;
        ss_sim_options o = with_tol(1e-4);
        begin(&r, 2, k == 0 ? "time.until=1" : "time.until=1000", &o);
        CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.5));
        h[k] = r.sim->control.h;
        end(&r);
    }
    CHECK(h[0] == h[1]);
}

TEST(where_an_impact_was_the_difference_itself_is_the_error_and_the_order_is_zero)
{
    const double tol = 1e-4, h = 0.1;
    double e = SIZE * (pow(h, 4) - 2 * pow(h / 2, 4)), x = hypot(2 * SIZE * pow(h / 2, 4), h * h), error = e / (tol * (1 + x));
    double length[2] = { h * 0.9 / error, h * 0.9 * pow(7 / error * h / sqrt(0.5), 1.0 / 3) }; /* order 0; order 3, times T/h */
    for (int smooth = 0; smooth < 2; smooth++) {
        run r;
        ss_sim_options o = with_tol(tol);
        begin(&r, 3, "time={\"until\":10,\"step\":0.1}", &o);
        r.plan->fault = smooth ? NO_FAULT : HAS_EVENT;
        CHECK_OK(r.ctx, ss_sim_advance(r.sim, h));
        CHECK(ss_sim_summary(r.sim)->steps == 2 && ss_sim_summary(r.sim)->rejected == 0);
        CHECK_NEAR(r.sim->control.h, length[smooth], 1e-9 * h); /* q near 3 is known to 4e-16, e is 4e-5 */
        end(&r);
    }
}

static ss_order third(const void *params)
{
    (void)params;
    return (ss_order){ .smooth = 3, .impacts = 3, .norm = "l1" };
}

TEST(where_a_scheme_locates_events_they_leave_the_order_that_its_options_give_it)
{
    const double tol = 1e-4, h = 0.1;
    double e = SIZE * (pow(h, 4) - 2 * pow(h / 2, 4)), x = hypot(2 * SIZE * pow(h / 2, 4), h * h), error = e / (tol * (1 + x));
    /* the error of a unit of time: gravity of 2 m/s^2 covers the length of 1 m in sqrt(1/2) s; both ways have the event, so the
     * order holds */
    double located = h * 0.9 * pow(7 / (error * sqrt(0.5) / h), 1.0 / 3), lost = h * 0.9 / error;
    const double length[] = {
        [SS_EVENT_IMPACT] = located,    [SS_EVENT_STICK] = located, [SS_EVENT_SLIP] = located, [SS_EVENT_TAKEOFF] = located,
        [SS_EVENT_ACCUMULATION] = lost, [SS_EVENT_PAINLEVE] = lost, [SS_EVENT_LIMIT] = located
    };
    for (int kind = SS_EVENT_IMPACT; kind <= SS_EVENT_LIMIT; kind++) {
        run r;
        ss_sim_options o = with_tol(tol);
        ss_scheme_type scheme = planned(1);
        scheme.order = third;
        begin_scene(&r, particle, scheme, 3, "time={\"until\":10,\"step\":0.1}", &o);
        r.plan->fault = HAS_EVENT;
        r.plan->kind = (ss_event_kind)kind;
        CHECK_OK(r.ctx, ss_sim_advance(r.sim, h));
        CHECK_NEAR(r.sim->control.h, length[kind], 1e-8 * h); /* round-off of 1e-14 is taken off e */
        CHECK(r.sim->last->nonsmooth == (length[kind] == lost));
        end(&r);
    }
}

static const char over_floor[] =
    "{\"slipstick\":1,\"dimension\":2,\"gravity\":[0,-2],\"length_scale\":1,\"time\":{\"until\":1.5,\"h_min\":1e-7},\"bodies\":["
    "{\"name\":\"p\",\"type\":\"particle\",\"mass\":1,\"position\":[3,1],\"shapes\":[{\"type\":\"point\"}]},"
    "{\"name\":\"floor\",\"type\":\"fixed\",\"shapes\":[{\"type\":\"half_space\",\"normal\":[0,1]}]}]}";

/* the step in which the particle comes to the floor */
typedef struct arrival {
    double h, y_before, y, v;
} arrival;

static ss_status note_arrival(void *user, const ss_sim *sim, const ss_step_info *info)
{
    arrival *a = user;
    if (a->h == 0 && ss_sim_q(sim)[1] <= MARGIN) {
        *a = (arrival){ info->h, sim->next.q[1], ss_sim_q(sim)[1], ss_sim_v(sim)[1] };
    }
    return SS_OK;
}

static arrival fall(fault how, double tol, double until, int64_t *unmet)
{
    run r;
    arrival a = { .h = 0 };
    ss_sim_options o = with_tol(tol);
    begin_scene(&r, over_floor, planned(2), 2, NULL, &o);
    r.plan->fault = how;
    CHECK_OK(r.ctx, ss_sim_observe(r.sim, &(ss_observer){ .user = &a, .on_step = note_arrival }));
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, until));
    *unmet = ss_sim_summary(r.sim)->unmet_steps;
    end(&r);
    return a;
}

/* A scheme that does not see the floor makes the same error with one step as with two; how deep it has come tells. */
TEST(a_contact_that_closes_without_being_noticed_is_an_error_of_its_depth)
{
    for (double tol = 1e-2; tol > 5e-5; tol *= 0.1) {
        int64_t unmet = 0;
        arrival through = fall(NO_FAULT, tol, 1.1, &unmet);
        CHECK(through.h > 0 && through.y < 0 && -through.y <= tol && unmet == 0);
        arrival held = fall(STAYS_ABOVE, tol, 1.0 + 0.1 * tol, &unmet);
        /* put back on the floor it has no depth, but its velocity would have led there */
        CHECK(held.h > 0 && held.y == 0 && -(held.y_before + held.h * held.v) <= tol && unmet == 0);
    }
}

TEST(a_contact_that_is_pushed_back_until_it_is_open_is_an_error_of_where_its_velocity_would_have_led)
{
    for (double tol = 1e-2; tol > 5e-5; tol *= 0.1) {
        int64_t unmet = 0;
        arrival held = fall(STAYS_FAR_ABOVE, tol, 1.1, &unmet);
        double deep = -(held.y_before + held.h * (held.v + held.h)); /* v + g h/2, with g = -2, is the mean of the step */
        CHECK(held.h > 0 && held.y == MARGIN && deep <= tol && unmet == 0);
    }
}

TEST(a_contact_that_stays_closed_with_a_velocity_into_it_and_no_impulse_is_an_error)
{
    int64_t unmet = 0;
    fall(STAYS_ABOVE, 1e-3, 1.0, &unmet);
    CHECK(unmet == 0);
    fall(STAYS_ABOVE, 1e-6, 1.0 + 1e-5, &unmet); /* 2 m/s into the floor: 1e-6 m of it in 5e-7 s, never less than 2e-7 m */
    CHECK(unmet == 0);
    fall(STAYS_ABOVE, 5e-8, 1.0 + 1e-6, &unmet);
    CHECK(unmet > 0);
}

TEST(an_error_that_is_not_a_number_is_not_lost_at_the_next_body_or_contact)
{
    static const char two[] = "{\"slipstick\":1,\"dimension\":2,\"gravity\":[0,0],\"length_scale\":1,\"time\":{\"until\":1},"
                              "\"bodies\":[{\"name\":\"p\",\"type\":\"particle\",\"mass\":1,\"position\":[3,1]},"
                              "{\"name\":\"o\",\"type\":\"particle\",\"mass\":1,\"position\":[0,0]}]}";
    run r;
    ss_estimate e;
    ss_sim_options o = with_tol(1e-3);
    begin_scene(&r, two, planned(1), 1, NULL, &o);
    const double end_of_whole[4] = { 3, NAN, 0.5, 0 };
    memcpy(r.sim->control.trial.whole, end_of_whole, sizeof end_of_whole);
    ss_control_estimate(r.sim, &r.sim->now, 1, &e);
    CHECK(isnan(e.error) && e.body == 0);
    memcpy(r.sim->control.trial.whole, r.sim->now.q, sizeof end_of_whole);
    r.sim->control.trial.overshoot = (ss_estimate){ .body = -1 };
    ss_estimate_raise(&r.sim->control.trial.overshoot, NAN, 1);
    ss_estimate_raise(&r.sim->control.trial.overshoot, 7, 0);
    ss_control_estimate(r.sim, &r.sim->now, 1, &e);
    CHECK(isnan(e.error) && e.body == 1);
    CHECK(ss_control_factor(&e) == 0.5); /* shorter, as for an error beyond measure */
    end(&r);
}

TEST(the_place_of_the_origin_does_not_change_the_steps)
{
    run near, far;
    ss_sim_options o = with_tol(1e-4);
    begin(&near, 1, NULL, &o);
    begin(&far, 1, "bodies.p.position=[1024,-2048]", &o); /* powers of two: the differences are exact enough */
    CHECK_OK(near.ctx, ss_sim_advance(near.sim, 0.5));
    CHECK_OK(far.ctx, ss_sim_advance(far.sim, 0.5));
    CHECK(ss_sim_summary(near.sim)->steps == ss_sim_summary(far.sim)->steps);
    CHECK_NEAR(near.sim->control.h, far.sim->control.h, 1e-8); /* round-off of 2048 over the tolerance of 1e-4 */
    end(&near);
    end(&far);
}

/* ---- what is not accepted -------------------------------------------------------------------------- */

TEST(a_trial_that_fails_is_halved_until_it_does_not)
{
    static const fault faults[] = { FAILS_IF_LONG, NOT_FINITE_IF_LONG };
    for (int k = 0; k < 2; k++) {
        run r;
        ss_sim_options o = with_tol(0.5);
        begin(&r, 1, "time.step=0.1", &o);
        r.plan->fault = faults[k];
        CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.2));
        const ss_summary *s = ss_sim_summary(r.sim);
        CHECK(s->rejected >= 4 && s->longest <= 0.011 && s->steps >= 20);
        CHECK_NEAR(ss_sim_q(r.sim)[1], 1 - 0.2 * 0.2, 1e-14); /* as if nothing had happened */
        CHECK(ss_sim_ledger(r.sim)->closure < 1e-15);
        end(&r);
    }
}

TEST(a_trial_that_fails_at_the_smallest_step_ends_the_run_where_it_was)
{
    run r;
    ss_sim_options o = with_tol(1e-3);
    begin(&r, 1, "time.h_min=1e-3", &o);
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.1));
    int64_t steps = ss_sim_summary(r.sim)->steps;
    ss_ledger before = *ss_sim_ledger(r.sim);
    r.plan->fails = true;
    CHECK_FAILS(r.ctx, ss_sim_advance(r.sim, 1), SS_ERR_NUMERIC, "step from t = 0.1: as planned");
    CHECK(ss_sim_time(r.sim) == 0.1 && ss_sim_summary(r.sim)->steps == steps);
    CHECK(memcmp(&before, ss_sim_ledger(r.sim), sizeof before) == 0);
    r.plan->fails = false;
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 1));
    CHECK_NEAR(ss_sim_q(r.sim)[1], 0, 1e-14);
    end(&r);
}

TEST(at_the_smallest_step_the_run_goes_on_and_says_so_or_stops_if_strict)
{
    run r;
    ss_sim_options o = with_tol(1e-3);
    begin(&r, 1, "time.h_min=1e-2", &o);
    r.plan->fault = NEVER_GOOD;
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.1));
    const ss_summary *s = ss_sim_summary(r.sim);
    double e = 0.1 * (sqrt(0.01) - 2 * sqrt(0.005)); /* of a step of h_min; the first adds 0.014 to x */
    CHECK(s->unmet_steps >= 9 && s->steps == 2 * s->unmet_steps);
    const double share = pow(TIME / 0.01, 2.0 / 3); /* order 1: between the error of a step and that of a unit of time */
    CHECK_NEAR(s->max_unmet_error * (1 + 0.2 * sqrt(0.005)), share * fabs(e) / 1e-3, 1e-3);
    const double all =
        (double)s->unmet_steps * s->max_unmet_error * 1e-3 / share; /* errors are relative to 1 + x, x below 0.15 */
    CHECK(s->accumulated_error <= all && s->accumulated_error >= all / 1.15);
    end(&r);
    o.strict = true;
    begin(&r, 1, "time.h_min=1e-2", &o);
    r.plan->fault = NEVER_GOOD;
    CHECK_FAILS(r.ctx, ss_sim_advance(r.sim, 0.1), SS_ERR_NUMERIC,
                "step from t = 0: at the smallest step, 0.01 s, the error of p");
    CHECK(ss_sim_summary(r.sim)->steps == 0 && ss_sim_time(r.sim) == 0);
    end(&r);
}

/* a coordinate whose gap is no number while it is broken */
static ss_status unit_mass(void *user, double t, const double *q, double *M)
{
    (void)user, (void)t, (void)q;
    M[0] = 1;
    return SS_OK;
}

static ss_status breakable_gap(void *user, double t, const double *q, double *gap, double *H, double *gap_t)
{
    (void)t;
    gap[0] = *(bool *)user ? NAN : q[0];
    H[0] = 1;
    gap_t[0] = 0;
    return SS_OK;
}

/* the block must live as long as the run */
static void begin_with_block(run *r, const ss_block *block, const ss_sim_options *options)
{
    const char *set = "time.h_min=1e-2";
    ss_body_desc body = ss_body_desc_default();
    ss_scene *scene = NULL;
    body.name = "b";
    body.type = SS_BODY_BLOCK;
    body.block = block;
    body.block_q = (const double[]){ 2 };
    r->ctx = test_context();
    r->scheme = planned(1);
    CHECK_OK(r->ctx, ss_scene_parse(r->ctx, particle, strlen(particle), "scene", 1, &set, &scene));
    CHECK_OK(r->ctx, ss_scene_add_body(scene, &body, NULL));
    CHECK_OK(r->ctx, ss_model_compile(r->ctx, scene, &r->model));
    ss_scene_destroy(scene);
    CHECK_OK(r->ctx, ss_sim_create_with(r->ctx, r->model, &r->scheme, options, &r->sim));
    r->plan = r->sim->stepper.work;
    r->plan->order = 1;
}

TEST(an_unmet_error_that_is_not_a_number_is_not_lost_at_the_next)
{
    run r;
    bool broken = false;
    ss_block block = ss_block_default();
    block.user = &broken;
    block.n = 1;
    block.constant_mass = true;
    block.mass = unit_mass;
    block.gaps = 1;
    block.gap = breakable_gap;
    ss_sim_options o = with_tol(1e-3);
    begin_with_block(&r, &block, &o);
    broken = true;
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.02));
    const ss_summary *s = ss_sim_summary(r.sim);
    const int64_t before = s->unmet_steps;
    CHECK(before > 0 && isnan(s->max_unmet_error) && isnan(s->max_penetration));
    broken = false;
    r.plan->fault = NEVER_GOOD;
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.1));
    CHECK(s->unmet_steps > before && ss_sim_last_step(r.sim)->penetration == 0);
    CHECK(isnan(s->max_unmet_error) && isnan(s->max_penetration));
    end(&r);
}

static ss_status try_settings(const char *set, double tol, char *text, size_t size)
{
    ss_context *ctx = test_context();
    ss_scene *scene = NULL;
    ss_model *model = NULL;
    ss_sim *sim = NULL;
    ss_scheme_type scheme = planned(1);
    ss_sim_options o = with_tol(tol);
    CHECK_OK(ctx, ss_scene_parse(ctx, particle, strlen(particle), "scene", set ? 1 : 0, &set, &scene));
    CHECK_OK(ctx, ss_model_compile(ctx, scene, &model));
    ss_status status = ss_sim_create_with(ctx, model, &scheme, &o, &sim);
    snprintf(text, size, "%s", ss_last_error(ctx));
    ss_sim_destroy(sim);
    ss_model_destroy(model);
    ss_scene_destroy(scene);
    ss_context_destroy(ctx);
    return status;
}

TEST(absurd_tolerances_and_bounds_are_refused)
{
    static const double bad[] = { 0, -1e-3, 1, 2, INFINITY, -INFINITY, 1e-14 };
    char text[512];
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        CHECK(try_settings(NULL, bad[k], text, sizeof text) == SS_ERR_INPUT && strstr(text, "time.tol"));
    }
    CHECK(try_settings("time={\"until\":1,\"h_min\":0.1,\"h_max\":0.01}", 1e-3, text, sizeof text) == SS_ERR_INPUT);
    CHECK(strstr(text, "time.h_min: expected at most time.h_max = 0.01, got 0.1"));
    CHECK(try_settings("time={\"h_min\":0.1}", 1e-3, text, sizeof text) == SS_ERR_INPUT && strstr(text, "time.step: missing"));
    CHECK(try_settings("time={\"step\":0.1}", 1e-3, text, sizeof text) == SS_OK);
    CHECK(try_settings(NULL, NAN, text, sizeof text) == SS_ERR_INPUT && strstr(text, "time.step: missing"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_length_settles_where_the_error_of_two_half_steps_is_at_the_tolerance),
        cmocka_unit_test(a_scheme_that_cuts_its_steps_is_judged_by_what_it_does_between_two_cuts),
        cmocka_unit_test(an_error_of_the_velocity_counts_times_the_time_in_which_a_body_covers_its_unit),
        cmocka_unit_test(the_time_of_the_motion_is_that_of_its_speeds),
        cmocka_unit_test(the_first_steps_do_not_depend_on_the_end_of_the_run),
        cmocka_unit_test(where_an_impact_was_the_difference_itself_is_the_error_and_the_order_is_zero),
        cmocka_unit_test(where_a_scheme_locates_events_they_leave_the_order_that_its_options_give_it),
        cmocka_unit_test(a_contact_that_closes_without_being_noticed_is_an_error_of_its_depth),
        cmocka_unit_test(a_contact_that_is_pushed_back_until_it_is_open_is_an_error_of_where_its_velocity_would_have_led),
        cmocka_unit_test(a_contact_that_stays_closed_with_a_velocity_into_it_and_no_impulse_is_an_error),
        cmocka_unit_test(an_error_that_is_not_a_number_is_not_lost_at_the_next_body_or_contact),
        cmocka_unit_test(the_place_of_the_origin_does_not_change_the_steps),
        cmocka_unit_test(a_trial_that_fails_is_halved_until_it_does_not),
        cmocka_unit_test(a_trial_that_fails_at_the_smallest_step_ends_the_run_where_it_was),
        cmocka_unit_test(an_unmet_error_that_is_not_a_number_is_not_lost_at_the_next),
        cmocka_unit_test(at_the_smallest_step_the_run_goes_on_and_says_so_or_stops_if_strict),
        cmocka_unit_test(absurd_tolerances_and_bounds_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
