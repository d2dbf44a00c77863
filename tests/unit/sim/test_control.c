/* Step control: the estimate against closed forms, what is accepted and what leaves no trace, continuation, dense output. */
#include "unit/base/failing.h"
#include "unit/sim/scene_run.h"

/* ---- a scheme whose error is known ----------------------------------------------------------------- */

/* x' = 0 is integrated with the error SIZE h^(order+1) in a step, y by the parabola of constant acceleration, exactly. */
static const double SIZE = 0.5;
static const double MARGIN = 1e-6; /* above the floor, where STAYS_FAR_ABOVE puts back what falls: it never touches */
typedef enum fault {
    NO_FAULT,
    FAILS_IF_LONG,
    NOT_FINITE_IF_LONG,
    ASKS_FOR_LESS,
    NEVER_GOOD,
    HAS_EVENT,
    STAYS_ABOVE,
    STAYS_FAR_ABOVE,
    OVERFLOWS
} fault;
typedef struct plan {
    fault fault;
    double order;
    bool fails;
    ss_event_kind kind; /* of the event in every step */
} plan;

static double error_of(const plan *p, double h) { return p->fault == NEVER_GOOD ? 0.1 * sqrt(h) : SIZE * pow(h, p->order + 1); }

static ss_status planned_step(ss_stepper *s, double h)
{
    plan *p = s->work;
    const ss_state *now = s->now;
    double g = s->model->gravity.y, impulse[2] = { 0, g * h * s->model->body_mass[0] };
    bool too_long = h > 0.011;
    s->next->q[0] = now->q[0] + error_of(p, h);
    s->next->q[1] = now->q[1] + h * now->v[1] + 0.5 * g * h * h;
    s->next->q[1] = fmax(s->next->q[1], p->fault == STAYS_ABOVE ? 0 : p->fault == STAYS_FAR_ABOVE ? MARGIN : -INFINITY);
    s->next->v[1] = now->v[1] + g * h;
    s->next->t = now->t + h;
    if (p->fails || (p->fault == FAILS_IF_LONG && too_long)) {
        return ss_fail(s->ctx, SS_ERR_NUMERIC, "as planned");
    }
    if (p->fault == NOT_FINITE_IF_LONG && too_long) {
        s->next->q[0] = NAN;
    }
    s->h_retry = p->fault == ASKS_FOR_LESS && too_long ? 0.01 : 0;
    ss_segment segment = { .from = { .t = now->t, .q = now->q, .v = now->v },
                           .to = { .t = s->next->t, .q = s->next->q, .v = s->next->v },
                           .mass = &s->model->mass,
                           .own_residual = true };
    segment.impulse[SS_IMPULSE_GRAVITY] = impulse;
    SS_TRY(s->report->segment(s->report, &segment));
    if (p->fault == HAS_EVENT) {
        ss_event event = { .t = s->next->t, .kind = p->kind, .bodies = { 0, -1 } };
        SS_TRY(s->report->event(s->report, &event));
    }
    return SS_OK;
}

static ss_status planned_create(ss_stepper *s, void **work, double *block)
{
    (void)block;
    return ss_calloc(s->ctx, 1, sizeof(plan), work);
}

static void planned_destroy(ss_context *ctx, void *work) { ss_free(ctx, work); }

static ss_scheme_type planned(double order)
{
    return (ss_scheme_type){ .info = { .name = "planned",
                                       .laws = SS_LAW_UNILATERAL | SS_LAW_INELASTIC,
                                       .order = { .smooth = order, .impacts = 1, .norm = "final" } },
                             .create = planned_create,
                             .destroy = planned_destroy,
                             .step = planned_step };
}

typedef struct run {
    ss_context *ctx;
    ss_model *model;
    ss_scheme_type scheme;
    ss_sim *sim;
    plan *plan;
} run;

static const char particle[] = "{\"slipstick\":1,\"dimension\":2,\"gravity\":[0,-2],\"length_scale\":1,\"time\":{\"until\":1},"
                               "\"bodies\":[{\"name\":\"p\",\"type\":\"particle\",\"mass\":1,\"position\":[3,1]}]}";

static void begin_scene(run *r, const char *text, ss_scheme_type scheme, double order, const char *set,
                        const ss_sim_options *options)
{
    ss_scene *scene = NULL;
    r->ctx = test_context();
    r->scheme = scheme;
    CHECK_OK(r->ctx, ss_scene_parse(r->ctx, text, strlen(text), "scene", set ? 1 : 0, &set, &scene));
    CHECK_OK(r->ctx, ss_model_compile(r->ctx, scene, &r->model));
    ss_scene_destroy(scene);
    CHECK_OK(r->ctx, ss_sim_create_with(r->ctx, r->model, &r->scheme, options, &r->sim));
    r->plan = r->sim->stepper.work;
    r->plan->order = order;
}

static void begin(run *r, double order, const char *set, const ss_sim_options *options)
{
    begin_scene(r, particle, planned(order), order, set, options);
}

static void end(run *r)
{
    ss_sim_destroy(r->sim);
    ss_model_destroy(r->model);
    ss_context_destroy(r->ctx);
}

/* ---- the estimate ---------------------------------------------------------------------------------- */

TEST(the_length_settles_where_the_error_of_two_half_steps_is_at_the_tolerance)
{
    const double tol = 1e-6;
    for (int order = 1; order <= 5; order++) {
        run r;
        ss_sim_options o = with_tol(tol);
        begin(&r, order, "time.until=10", &o);
        CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.5));
        /* 2 SIZE (h/2)^(p+1) = 0.9^(p+1) tol (1 + |x|); p has fallen by |x| = 0.25 at the end, by a step less at the last
         * estimate. Without Richardson's division h would be (2^p - 1)^(1/(p+1)) times shorter. */
        double h = 2 * 0.9 * pow(tol / (2 * SIZE), 1.0 / (order + 1)), most = pow(1.25, 1.0 / (order + 1));
        CHECK(r.sim->control.h >= 0.999 * h && r.sim->control.h <= 1.001 * most * h);
        CHECK_NEAR(ss_sim_time(r.sim), 0.5, 0);
        end(&r);
    }
}

TEST(where_an_impact_was_the_difference_itself_is_the_error_and_the_order_is_zero)
{
    const double tol = 1e-4, h = 0.1;
    double e = SIZE * (pow(h, 4) - 2 * pow(h / 2, 4)), x = hypot(2 * SIZE * pow(h / 2, 4), h * h), error = e / (tol * (1 + x));
    double length[2] = { h * 0.9 / error, h * 0.9 * pow(7 / error, 0.25) }; /* order 0; order 3 */
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
    double located = h * 0.9 * pow(1 / error, 0.25), lost = h * 0.9 / error; /* neither is divided by 2^3 - 1 */
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
        CHECK_NEAR(r.sim->control.h, length[kind], 1e-9 * h);
        CHECK(r.sim->last->rough == (length[kind] == lost));
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
    memcpy(r.sim->control.whole, end_of_whole, sizeof end_of_whole);
    ss_control_estimate(r.sim, &r.sim->now, &e);
    CHECK(isnan(e.error) && e.body == 0);
    memcpy(r.sim->control.whole, r.sim->now.q, sizeof end_of_whole);
    r.sim->control.overshoot = (ss_estimate){ .body = -1 };
    ss_estimate_raise(&r.sim->control.overshoot, NAN, 1);
    ss_estimate_raise(&r.sim->control.overshoot, 7, 0);
    ss_control_estimate(r.sim, &r.sim->now, &e);
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

/* ---- forces that jump in time ------------------------------------------------------------------------ */

/* scheme NULL: the scene's */
static scene_run open_text(const char *text, const char *set, const ss_scheme_type *scheme, double tol)
{
    scene_run r = { .ctx = test_context() };
    ss_scene *scene = NULL;
    ss_sim_options o = with_tol(tol);
    CHECK_OK(r.ctx, ss_scene_parse(r.ctx, text, strlen(text), "scene", set ? 1 : 0, &set, &scene));
    CHECK_OK(r.ctx, ss_model_compile(r.ctx, scene, &r.model));
    ss_scene_destroy(scene);
    CHECK_OK(r.ctx, scheme ? ss_sim_create_with(r.ctx, r.model, scheme, &o, &r.sim) : ss_sim_create(r.ctx, r.model, &o, &r.sim));
    return r;
}

static const char kick[] = "{\"slipstick\":1,\"dimension\":2,\"gravity\":[0,0],\"length_scale\":1,\"time\":{\"until\":1},"
                           "\"scheme\":{\"name\":\"moreau\"},"
                           "\"bodies\":[{\"name\":\"p\",\"type\":\"particle\",\"mass\":1,\"position\":[0,0]}],\"forces\":"
                           "[{\"name\":\"f\",\"type\":\"expression\",\"body\":\"p\",\"force\":[\"step(t-0.333)\",\"0\"]}]}";

/* Rest, then constant acceleration: schemes of order 2 have both exactly, so only the jump can be missed. */
TEST(a_force_that_is_switched_on_is_not_missed)
{
    static const char *const pulses[] = { "forces.f.force=[\"step(t-0.333)\",\"0\"]",
                                          "forces.f.force=[\"1e6*(step(t-0.333)-step(t-0.333000000001))\",\"0\"]" };
    const double end_x[] = { 0.5 * 0.667 * 0.667, 1e-6 * 0.667 };
    int tried = 0;
    for (int k = 0; ss_scheme_types[k]; k++) {
        const ss_scheme_type *scheme = ss_scheme_types[k];
        for (int i = 0; scheme->info.order.smooth >= 2 && i < 2; i++, tried++) {
            scene_run r = open_text(kick, pulses[i], scheme, 1e-3);
            CHECK_OK(r.ctx, ss_sim_advance(r.sim, 1));
            /* the length 1e-12 of the pulse is known to the rounding of 0.333 on both sides: 16 x 8 x 2^-53 of it */
            CHECK_NEAR(ss_sim_q(r.sim)[0], end_x[i], i == 0 ? 1e-14 : 3e-9);
            CHECK_NEAR(ss_sim_time(r.sim), 1, 0);
            CHECK(ss_sim_summary(r.sim)->steps < 50);
            close_scene(&r);
        }
    }
    CHECK(tried >= 8);
}

TEST(a_run_may_end_at_a_jump_or_just_beside_it)
{
    for (int k = -40; k <= 40; k += 4) {
        scene_run r = open_text(kick, NULL, NULL, 1e-6);
        double t = 0.333 + k * 5.55e-17; /* its last digit, or many of them */
        CHECK_OK(r.ctx, ss_sim_advance(r.sim, t));
        CHECK(ss_sim_time(r.sim) == t);
        CHECK_NEAR(ss_sim_v(r.sim)[0], 0, 1e-14);
        CHECK_OK(r.ctx, ss_sim_advance(r.sim, 1));
        CHECK_NEAR(ss_sim_q(r.sim)[0], 0.5 * 0.667 * 0.667, 1e-14);
        close_scene(&r);
    }
}

typedef struct saved {
    void *blob;
    size_t size;
} saved;

/* between the halves of the step that ends at the jump */
static ss_status save_before_the_jump(void *user, const ss_sim *sim, const ss_step_info *info)
{
    saved *x = user;
    bool there = !x->blob && info->t < 0.333 && sim->control.halfway != SS_WHOLE && sim->control.second >= 0.333;
    return there ? ss_sim_save(sim, &x->blob, &x->size) : SS_OK;
}

TEST(a_run_saved_in_the_step_before_a_jump_continues_with_the_same_bits)
{
    scene_run straight = open_text(kick, NULL, NULL, 1e-4), again = open_text(kick, NULL, NULL, 1e-4);
    saved x = { .blob = NULL };
    CHECK_OK(straight.ctx, ss_sim_observe(straight.sim, &(ss_observer){ .user = &x, .on_step = save_before_the_jump }));
    CHECK_OK(straight.ctx, ss_sim_advance(straight.sim, 1));
    CHECK(x.blob);
    CHECK_OK(again.ctx, ss_sim_restore(again.sim, x.blob, x.size));
    CHECK_OK(again.ctx, ss_sim_advance(again.sim, 1));
    check_same(straight.sim, again.sim);
    ss_blob_free(straight.ctx, x.blob);
    close_scene(&straight);
    close_scene(&again);
}

TEST(the_model_knows_when_tables_motors_and_driven_bodies_jump)
{
    static const char text[] =
        "{\"slipstick\":1,\"dimension\":2,\"gravity\":[0,0],\"time\":{\"until\":1},\"bodies\":["
        "{\"name\":\"a\",\"type\":\"rigid\",\"mass\":1,\"inertia\":1,\"position\":[0,0]},"
        "{\"name\":\"d\",\"type\":\"driven\",\"position\":[\"max(t,0.5)\",\"0\"]}],"
        "\"joints\":[{\"name\":\"j\",\"type\":\"hinge\",\"bodies\":[\"a\",\"world\"],\"at\":[0,0],\"motor\":{\"speed\":\"floor(t/"
        "4)\"}}],"
        "\"forces\":[{\"name\":\"f\",\"type\":\"table\",\"body\":\"a\",\"table\":{\"t\":[0.25,3],\"force\":[[0,0],[1,0]]}}]}";
    const double expected[] = { 0.25, 0.5, 3, 4, 8 };
    scene_run r = open_text(text, NULL, ss_scheme_types[0], 1e-3);
    double t = 0;
    for (int k = 0; k < 5; k++) {
        t = ss_model_next_kink(r.model, t, 10);
        CHECK_NEAR(t, expected[k], 0);
    }
    CHECK(ss_model_next_kink(r.model, t, 10) == INFINITY && ss_model_next_kink(r.model, 0, 0.2) == INFINITY);
    close_scene(&r);
}

/* ---- what is not accepted -------------------------------------------------------------------------- */

TEST(a_trial_that_fails_is_halved_until_it_does_not)
{
    static const fault faults[] = { FAILS_IF_LONG, NOT_FINITE_IF_LONG, ASKS_FOR_LESS };
    for (int k = 0; k < 3; k++) {
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
    CHECK_NEAR(s->max_unmet_error * (1 + 0.2 * sqrt(0.005)), fabs(e) / 1e-3, 1e-3);
    end(&r);
    o.strict = true;
    begin(&r, 1, "time.h_min=1e-2", &o);
    r.plan->fault = NEVER_GOOD;
    CHECK_FAILS(r.ctx, ss_sim_advance(r.sim, 0.1), SS_ERR_NUMERIC,
                "step from t = 0: at the smallest step, 0.01 s, the error of p");
    CHECK(ss_sim_summary(r.sim)->steps == 0 && ss_sim_time(r.sim) == 0);
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

/* ---- continuation ---------------------------------------------------------------------------------- */

TEST(a_checkpoint_of_another_tolerance_or_of_fixed_steps_is_taken_and_its_lengths_are_forgotten)
{
    scene_run a = open_scene("papers/aca09/ball.json", NULL, 1e-3), b = open_scene("papers/aca09/ball.json", NULL, 1e-5),
              fixed = open_scene("papers/aca09/ball.json", NULL, NAN);
    void *blob = NULL;
    size_t size = 0;
    CHECK_OK(a.ctx, ss_sim_advance(a.sim, 1));
    CHECK_OK(a.ctx, ss_sim_save(a.sim, &blob, &size));
    CHECK_OK(b.ctx, ss_sim_restore(b.sim, blob, size));
    CHECK_OK(fixed.ctx, ss_sim_restore(fixed.sim, blob, size));
    CHECK(b.sim->control.h == 0 && ss_sim_time(b.sim) == 1);
    CHECK_OK(fixed.ctx, ss_sim_advance(fixed.sim, 1 + 2 * ss_sim_step_size(fixed.sim)));
    CHECK(ss_sim_last_step(fixed.sim)->h == ss_sim_step_size(fixed.sim));
    CHECK_OK(b.ctx, ss_sim_advance(b.sim, 1.5));
    ss_blob_free(a.ctx, blob);
    close_scene(&a);
    close_scene(&b);
    close_scene(&fixed);
}

TEST(a_run_in_many_parts_takes_few_more_steps_and_ends_each_part_in_time)
{
    scene_run straight = open_scene("papers/aca09/oscillator.json", NULL, 1e-5),
              parts = open_scene("papers/aca09/oscillator.json", NULL, 1e-5);
    CHECK_OK(straight.ctx, ss_sim_advance(straight.sim, 1.7));
    for (int k = 1; k <= 17; k++) {
        CHECK_OK(parts.ctx, ss_sim_advance(parts.sim, 0.1 * k));
        CHECK_NEAR(ss_sim_time(parts.sim), 0.1 * k, 0);
    }
    /* one cut step for every part; the error of the scheme at this tolerance is about 1e-2 */
    CHECK(ss_sim_summary(parts.sim)->steps <= ss_sim_summary(straight.sim)->steps + 2 * 17);
    CHECK_NEAR(ss_sim_q(parts.sim)[1], ss_sim_q(straight.sim)[1], 2e-3);
    CHECK_OK(parts.ctx, ss_sim_advance(parts.sim, 1.7)); /* nothing left to do */
    CHECK_OK(parts.ctx, ss_sim_advance(parts.sim, 1));
    CHECK(ss_sim_time(parts.sim) == 0.1 * 17);
    close_scene(&straight);
    close_scene(&parts);
}

/* ---- convergence ------------------------------------------------------------------------------------ */

typedef struct watch {
    const ss_model *model;
    double error; /* largest difference in position from the exact path, weighted by the step */
} watch;

/* Aca09's ball: parabolas between impacts at 1, 2, 2.5, 2.75 .., at rest from t = 3 */
static double ball_at(double t)
{
    if (t <= 1) {
        return 1 - t * t;
    }
    for (double from = 1, v = 1; from < 3 - 1e-12; from += v, v *= 0.5) {
        if (t <= from + v) {
            return (t - from) * (v - (t - from));
        }
    }
    return 0;
}

static ss_status watch_ball(void *user, const ss_sim *sim, const ss_step_info *info)
{
    watch *w = user;
    w->error += info->h * fabs(ss_sim_q(sim)[1] - ball_at(info->t));
    return SS_OK;
}

TEST(the_error_falls_with_the_tolerance_through_an_accumulation_of_impacts)
{
    double last = INFINITY;
    for (double tol = 1e-2; tol > 5e-7; tol *= 0.1) {
        scene_run r = open_scene("papers/aca09/ball.json", NULL, tol);
        watch w = { .model = r.model };
        CHECK_OK(r.ctx, ss_sim_observe(r.sim, &(ss_observer){ .user = &w, .on_step = watch_ball }));
        CHECK_OK(r.ctx, ss_sim_advance(r.sim, 5));
        /* a scheme of order 1: the sum of local errors goes like sqrt(tol), 3.16 in theory */
        CHECK(w.error < last / 2.5);
        CHECK(ss_sim_summary(r.sim)->unmet_steps == 0);
        last = w.error;
        close_scene(&r);
    }
}

/* twenty discs above a floor, thrown at each other */
static ss_model *twenty(ss_context *ctx)
{
    ss_scene_settings s = ss_scene_settings_default();
    ss_scene *scene = NULL;
    ss_model *model = NULL;
    s.dimension = 2;
    s.gravity[1] = -9.81;
    s.until = 0.6;
    CHECK_OK(ctx, ss_scene_create(ctx, &s, &scene));
    ss_body_desc floor = ss_body_desc_default();
    ss_shape_desc shape = ss_shape_desc_default();
    int index = 0;
    floor.name = "floor";
    floor.type = SS_BODY_FIXED;
    shape.type = "half_space";
    memcpy(shape.normal, (double[]){ 0, 1, 0 }, sizeof shape.normal);
    CHECK_OK(ctx, ss_scene_add_body(scene, &floor, &index));
    CHECK_OK(ctx, ss_scene_add_shape(scene, index, &shape));
    for (int k = 0; k < 20; k++) {
        char name[8];
        ss_body_desc body = ss_body_desc_default();
        snprintf(name, sizeof name, "b%d", k);
        body.name = name;
        body.type = SS_BODY_RIGID;
        body.mass = 1 + 0.1 * k;
        body.inertia[2] = 0.5 * body.mass * 0.04;
        body.position[0] = 0.5 * k;
        body.position[1] = 0.25 + 0.03 * ((7 * k) % 20);
        body.velocity[0] = k % 2 ? -0.5 : 0.5;
        body.angular_velocity[2] = k % 3;
        shape = ss_shape_desc_default();
        shape.type = "sphere";
        shape.radius = 0.2;
        CHECK_OK(ctx, ss_scene_add_body(scene, &body, &index));
        CHECK_OK(ctx, ss_scene_add_shape(scene, index, &shape));
    }
    CHECK_OK(ctx, ss_model_compile(ctx, scene, &model));
    ss_scene_destroy(scene);
    return model;
}

TEST(halving_the_tolerance_three_times_converges_for_twenty_bodies)
{
    ss_context *ctx = test_context();
    ss_model *model = twenty(ctx);
    double q[4][60], fine[60], distance[4];
    for (int k = 0; k < 5; k++) {
        ss_sim *sim = NULL;
        ss_sim_options o = with_tol(k < 4 ? 1e-4 / (1 << k) : 1e-7);
        CHECK_OK(ctx, ss_sim_create(ctx, model, &o, &sim));
        CHECK_OK(ctx, ss_sim_advance(sim, 0.6));
        CHECK(model->nq == 60 && ss_sim_summary(sim)->unconverged_steps == 0);
        memcpy(k < 4 ? q[k] : fine, ss_sim_q(sim), sizeof fine);
        ss_sim_destroy(sim);
    }
    for (int k = 0; k < 4; k++) {
        distance[k] = 0;
        for (int i = 0; i < 60; i++) {
            distance[k] = fmax(distance[k], fabs(q[k][i] - fine[i]));
        }
    }
    print_message("from the run with 1e-7: %.3g %.3g %.3g %.3g\n", distance[0], distance[1], distance[2], distance[3]);
    /* sqrt(2) a time in theory; where single steps fall makes it uneven, three halvings do not */
    CHECK(distance[3] < distance[0] / 1.8 && distance[3] < 0.02);
    ss_model_destroy(model);
    ss_context_destroy(ctx);
}

/* ---- dense output ----------------------------------------------------------------------------------- */

static ss_status check_parabola(void *user, const ss_sim *sim, const ss_step_info *info)
{
    double q[2], v[2];
    ++*(int *)user;
    for (int k = 0; k <= 8; k++) {
        double t = k == 8 ? info->t : info->t - info->h * (1 - k / 8.0);
        CHECK(ss_sim_at(sim, fmax(t, sim->next.t), q, v) == SS_OK);
        CHECK_NEAR(q[1], 1 - t * t, 4e-15); /* a cubic has the parabola exactly */
        CHECK_NEAR(v[1], -2 * t, 4e-15);
    }
    CHECK(memcmp(q, ss_sim_q(sim), sizeof q) == 0 && memcmp(v, ss_sim_v(sim), sizeof v) == 0);
    CHECK(ss_sim_at(sim, info->t + 1e-9, q, v) == SS_ERR_INPUT && ss_sim_at(sim, info->t - 2 * info->h, q, v) == SS_ERR_INPUT);
    CHECK(ss_sim_at(sim, NAN, q, v) == SS_ERR_INPUT);
    return SS_OK;
}

TEST(dense_output_has_a_parabola_exactly_and_is_asked_within_the_step_only)
{
    run r;
    int calls = 0;
    double q[2], v[2];
    ss_sim_options o = with_tol(1e-3);
    begin(&r, 1, NULL, &o);
    CHECK_OK(r.ctx, ss_sim_at(r.sim, 0, q, v));
    CHECK(q[0] == 3 && v[1] == 0);
    CHECK_OK(r.ctx, ss_sim_observe(r.sim, &(ss_observer){ .user = &calls, .on_step = check_parabola }));
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 1));
    CHECK(calls > 10);
    end(&r);
}

static ss_status check_bounce(void *user, const ss_sim *sim, const ss_step_info *info)
{
    double q[2], v[2], start = sim->next.t;
    int *jumps = user;
    for (int k = 0; k < sim->last->events; k++) {
        const ss_event *event = &sim->last->event[k];
        if (event->v_plus && event->t > start && event->t < info->t) {
            double step = 1e-9;
            CHECK(ss_sim_at(sim, event->t, q, v) == SS_OK);
            CHECK_NEAR(q[1], 0, 1e-12);
            CHECK_NEAR(v[1], event->v_plus[1], 0); /* at the impact: after it */
            CHECK(ss_sim_at(sim, fmax(start, event->t - step), q, v) == SS_OK);
            CHECK_NEAR(v[1], event->v_minus[1], 1e-6);
            ++*jumps;
        }
    }
    for (int k = 0; k < 16; k++) {
        CHECK(ss_sim_at(sim, start + (info->t - start) * k / 16, q, v) == SS_OK);
        CHECK(q[1] >= -1e-12); /* through the floor it does not go */
    }
    return SS_OK;
}

TEST(dense_output_stands_on_the_side_of_an_impact_that_the_time_is_on)
{
    scene_run r = open_scene("papers/aca09/ball.json", NULL, 1e-2);
    int jumps = 0;
    CHECK_OK(r.ctx, ss_sim_observe(r.sim, &(ss_observer){ .user = &jumps, .on_step = check_bounce }));
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 5));
    CHECK(jumps >= 1);
    close_scene(&r);
}

/* ---- memory ----------------------------------------------------------------------------------------- */

static ss_status controlled_run(ss_context *ctx)
{
    ss_scene *scene = NULL;
    ss_model *model = NULL;
    ss_sim *sim = NULL;
    ss_sim_options o = with_tol(1e-3);
    ss_status status = ss_scene_read(ctx, "papers/aca09/ball.json", 0, NULL, &scene);
    status = status != SS_OK ? status : ss_model_compile(ctx, scene, &model);
    status = status != SS_OK ? status : ss_sim_create(ctx, model, &o, &sim);
    status = status != SS_OK ? status : ss_sim_advance(sim, 1.2);
    ss_sim_destroy(sim);
    ss_model_destroy(model);
    ss_scene_destroy(scene);
    return status;
}

TEST(refused_memory_is_an_error_and_loses_nothing) { CHECK(fail_at_every_request(controlled_run) > 50); }

TEST(a_step_allocates_nothing_after_warm_up)
{
    failing_allocator memory = { .fail_at = 0 };
    ss_context *ctx = failing_context(&memory);
    ss_model *model = twenty(ctx);
    ss_sim *sim = NULL;
    ss_sim_options o = with_tol(1e-3);
    void *blob = NULL;
    size_t size = 0;
    CHECK_OK(ctx, ss_sim_create(ctx, model, &o, &sim));
    CHECK_OK(ctx, ss_sim_save(sim, &blob, &size));
    CHECK_OK(ctx, ss_sim_advance(sim, 0.6));
    CHECK_OK(ctx, ss_sim_restore(sim, blob, size)); /* the same way again */
    int before = memory.requests;
    CHECK_OK(ctx, ss_sim_advance(sim, 0.6));
    CHECK(memory.requests == before && ss_sim_summary(sim)->steps > 20);
    ss_blob_free(ctx, blob);
    ss_sim_destroy(sim);
    ss_model_destroy(model);
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_length_settles_where_the_error_of_two_half_steps_is_at_the_tolerance),
        cmocka_unit_test(where_an_impact_was_the_difference_itself_is_the_error_and_the_order_is_zero),
        cmocka_unit_test(where_a_scheme_locates_events_they_leave_the_order_that_its_options_give_it),
        cmocka_unit_test(a_contact_that_closes_without_being_noticed_is_an_error_of_its_depth),
        cmocka_unit_test(a_contact_that_is_pushed_back_until_it_is_open_is_an_error_of_where_its_velocity_would_have_led),
        cmocka_unit_test(a_contact_that_stays_closed_with_a_velocity_into_it_and_no_impulse_is_an_error),
        cmocka_unit_test(an_error_that_is_not_a_number_is_not_lost_at_the_next_body_or_contact),
        cmocka_unit_test(the_place_of_the_origin_does_not_change_the_steps),
        cmocka_unit_test(a_force_that_is_switched_on_is_not_missed),
        cmocka_unit_test(a_run_may_end_at_a_jump_or_just_beside_it),
        cmocka_unit_test(a_run_saved_in_the_step_before_a_jump_continues_with_the_same_bits),
        cmocka_unit_test(the_model_knows_when_tables_motors_and_driven_bodies_jump),
        cmocka_unit_test(a_trial_that_fails_is_halved_until_it_does_not),
        cmocka_unit_test(a_trial_that_fails_at_the_smallest_step_ends_the_run_where_it_was),
        cmocka_unit_test(at_the_smallest_step_the_run_goes_on_and_says_so_or_stops_if_strict),
        cmocka_unit_test(absurd_tolerances_and_bounds_are_refused),
        cmocka_unit_test(a_checkpoint_of_another_tolerance_or_of_fixed_steps_is_taken_and_its_lengths_are_forgotten),
        cmocka_unit_test(a_run_in_many_parts_takes_few_more_steps_and_ends_each_part_in_time),
        cmocka_unit_test(the_error_falls_with_the_tolerance_through_an_accumulation_of_impacts),
        cmocka_unit_test(halving_the_tolerance_three_times_converges_for_twenty_bodies),
        cmocka_unit_test(dense_output_has_a_parabola_exactly_and_is_asked_within_the_step_only),
        cmocka_unit_test(dense_output_stands_on_the_side_of_an_impact_that_the_time_is_on),
        cmocka_unit_test(refused_memory_is_an_error_and_loses_nothing),
        cmocka_unit_test(a_step_allocates_nothing_after_warm_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
