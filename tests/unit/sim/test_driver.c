/* The driver: a step that fails leaves no trace, what is not certified is said, bad calls are refused. */
#include "test.h"

#include "kernels/assembly.h"
#include "sim/sim.h"

/* A scheme that does as it is told: free fall of particles by one certified problem, or a fault. */
typedef enum fault { NO_FAULT, FAILS, NOT_FINITE, WRONG_SOLUTION, NO_RESIDUAL } fault;
typedef struct plan {
    fault fault;
    ss_outcome said; /* by the solver, whatever it has found; 0: what it said itself */
    double gain;     /* of kinetic energy, by an impact at the end of the step; 0: no impact */
    ss_assembly *a;
} plan;

static ss_status faulty_step(ss_stepper *s, double h)
{
    plan *p = s->work;
    const ss_model *m = s->model;
    ss_config c;
    double *impulse;
    SS_TRY(ss_config_take(s->arena, m, &c));
    SS_TRY(ss_arena_take(s->arena, (size_t)m->nv, sizeof *impulse, &impulse));
    ss_config_set(m, s->now->t, s->now->q, &c);
    for (int i = 1; i < m->nv; i += 2) {
        impulse[i] = h * m->gravity.y * m->body_mass[i / 2];
    }
    SS_TRY(ss_assembly_geometry(p->a, &c, &(ss_contact_set){ 0 }, 0, NULL, (ss_friction){ SS_LAW_UNILATERAL, 2 }, h));
    ss_assembly_momentum(p->a, s->now->v, impulse);
    SS_TRY(ss_assembly_solve(p->a, s, s->now->v, 0));
    if (p->said != SS_CONVERGED) {
        p->a->info.outcome = p->said;
    }
    if (p->fault == WRONG_SOLUTION) {
        p->a->solution.v[1] *= 1 + 1e-6;
    }
    memcpy(s->next->v, p->a->solution.v, (size_t)m->nv * sizeof(double));
    ss_model_retract(m, s->now->q, s->next->v, h, s->next->q);
    s->next->t = s->now->t + h;
    if (p->fault == NOT_FINITE) {
        s->next->q[0] = NAN;
        return SS_OK;
    }
    const ss_segment_end from = { .t = s->now->t, .q = s->now->q, .v = s->now->v },
                         to = { .t = s->next->t, .q = s->next->q, .v = s->next->v };
    ss_segment segment = ss_assembly_segment(p->a, from, to);
    segment.impulse[SS_IMPULSE_GRAVITY] = impulse;
    if (p->fault == NO_RESIDUAL) {
        segment.own_residual = true;
        segment.nonlinear = NAN;
        segment.problem = NULL;
    }
    ss_event event = { .t = s->next->t, .kind = SS_EVENT_SLIP, .bodies = { -1, -1 } };
    if (p->gain > 0) {
        event.kind = SS_EVENT_IMPACT;
        event.v_minus = event.v_plus = s->next->v;
        event.kinetic[0] = event.kinetic[1] = 1;
        event.kinetic[2] = 1 + p->gain;
    }
    SS_TRY(s->report->segment(s->report, &segment));
    SS_TRY(s->report->event(s->report, &event));
    return p->fault == FAILS ? ss_fail(s->ctx, SS_ERR_NUMERIC, "as planned") : SS_OK;
}

static ss_status faulty_create(ss_stepper *s, void **work, double *scheme_state)
{
    (void)scheme_state;
    plan *p;
    SS_TRY(ss_calloc(s->ctx, 1, sizeof *p, &p));
    *work = p;
    return ss_assembly_create(s->ctx, s->model, &p->a);
}

static void faulty_destroy(ss_context *ctx, void *work)
{
    plan *p = work;
    if (p) {
        ss_assembly_destroy(ctx, p->a);
        ss_free(ctx, p);
    }
}

static const ss_scheme_type faulty = {
    .info = { .name = "faulty" }, .create = faulty_create, .destroy = faulty_destroy, .step = faulty_step
};

#include "unit/sim/own_scheme.h"

static run begin(const ss_sim_options *options)
{
    static const char text[] = "{\"slipstick\":1,\"dimension\":2,\"gravity\":[0,-9.81],\"time\":{\"step\":0.01},"
                               "\"bodies\":[{\"name\":\"p\",\"type\":\"particle\",\"mass\":1,\"position\":[0,1]}]}";
    return begin_with(text, &faulty, options);
}

static ss_status count_events(void *user, const ss_sim *sim, const ss_event *event)
{
    (void)sim, (void)event;
    ++*(int *)user;
    return SS_OK;
}

TEST(a_step_that_fails_leaves_no_trace)
{
    run r = begin(NULL), twin = begin(NULL);
    int events = 0;
    ss_observer observer = { .user = &events, .on_event = count_events };
    CHECK_OK(r.ctx, ss_sim_observe(r.sim, &observer));
    CHECK_OK(r.ctx, ss_sim_step(r.sim, 0.01));
    CHECK_OK(twin.ctx, ss_sim_step(twin.sim, 0.01));
    r.plan->fault = FAILS;
    CHECK_FAILS(r.ctx, ss_sim_step(r.sim, 0.01), SS_ERR_NUMERIC, "as planned");
    r.plan->fault = NOT_FINITE;
    CHECK_FAILS(r.ctx, ss_sim_step(r.sim, 0.01), SS_ERR_NUMERIC, "not finite");
    CHECK(ss_sim_summary(r.sim)->steps == 1 && events == 1);
    CHECK(memcmp(ss_sim_ledger(r.sim), ss_sim_ledger(twin.sim), sizeof(ss_ledger)) == 0);
    r.plan->fault = NO_FAULT;
    CHECK_OK(r.ctx, ss_sim_step(r.sim, 0.01));
    CHECK_OK(twin.ctx, ss_sim_step(twin.sim, 0.01));
    CHECK(memcmp(ss_sim_q(r.sim), ss_sim_q(twin.sim), 2 * sizeof(double)) == 0);
    end(&r);
    end(&twin);
}

TEST(a_wrong_solution_is_not_certified_whatever_the_solver_said)
{
    run r = begin(NULL);
    r.plan->fault = WRONG_SOLUTION;
    CHECK_OK(r.ctx, ss_sim_step(r.sim, 0.01));
    CHECK(ss_sim_summary(r.sim)->unconverged_steps == 1);
    CHECK(!ss_sim_last_step(r.sim)->certified && ss_sim_last_step(r.sim)->outcome == SS_INACCURATE);
    CHECK(ss_sim_ledger(r.sim)->closure > 1e-8); /* and the ledger does not close */
    CHECK(ss_sim_summary(r.sim)->remark[SS_REMARK_UNSOLVED].steps == 1);
    CHECK(strcmp(ss_remark_name(SS_REMARK_UNSOLVED), "unsolved") == 0);
    end(&r);
}

TEST(a_right_solution_is_certified_whatever_the_solver_said_of_itself)
{
    const ss_outcome doubts[] = { SS_INACCURATE, SS_MAX_ITER }, none[] = { SS_RAY, SS_INFEASIBLE };
    for (int k = 0; k < 2; k++) {
        run r = begin(NULL);
        r.plan->said = doubts[k];
        CHECK_OK(r.ctx, ss_sim_step(r.sim, 0.01));
        CHECK(ss_sim_last_step(r.sim)->certified && ss_sim_last_step(r.sim)->outcome == SS_CONVERGED);
        r.plan->said = none[k]; /* there is none to be right */
        CHECK_OK(r.ctx, ss_sim_step(r.sim, 0.01));
        CHECK(!ss_sim_last_step(r.sim)->certified && ss_sim_last_step(r.sim)->outcome == none[k]);
        CHECK(ss_sim_summary(r.sim)->remark[SS_REMARK_UNSOLVED].steps == 1);
        end(&r);
    }
}

TEST(strict_ends_at_the_first_step_that_is_not_certified)
{
    ss_sim_options options = ss_sim_options_default();
    options.strict = true;
    run r = begin(&options);
    CHECK_OK(r.ctx, ss_sim_step(r.sim, 0.01));
    r.plan->fault = WRONG_SOLUTION;
    CHECK_FAILS(r.ctx, ss_sim_step(r.sim, 0.01), SS_ERR_NUMERIC, "step 2 to t = 0.02 is not certified");
    end(&r);
}

TEST(a_residual_that_is_not_a_number_is_the_largest_of_the_run)
{
    run r = begin(NULL);
    r.plan->fault = NO_RESIDUAL;
    CHECK_OK(r.ctx, ss_sim_step(r.sim, 0.01));
    CHECK(!ss_sim_last_step(r.sim)->certified && isnan(ss_sim_last_step(r.sim)->residual.momentum));
    r.plan->fault = NO_FAULT;
    CHECK_OK(r.ctx, ss_sim_step(r.sim, 0.01));
    CHECK(ss_sim_last_step(r.sim)->certified && ss_sim_last_step(r.sim)->residual.momentum <= 1e-10);
    CHECK(isnan(ss_sim_summary(r.sim)->max_residual)); /* a good step after it does not hide it */
    end(&r);
}

TEST(a_long_run_makes_the_steps_it_should)
{
    ss_sim_options options = ss_sim_options_default();
    options.step = 1e-4;
    run r = begin(&options);
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 2));
    CHECK(ss_sim_summary(r.sim)->steps == 20000);
    CHECK_NEAR(ss_sim_time(r.sim), 2, 5e-16); /* one rounding, not twenty thousand */
    end(&r);
    options.step = 1e-18;
    r = begin(&options);
    CHECK_FAILS(r.ctx, ss_sim_advance(r.sim, 1), SS_ERR_INPUT, "lost in the rounding");
    end(&r);
}

TEST(an_interrupt_ends_the_run_between_two_steps)
{
    volatile int flag = 1;
    ss_sim_options options = ss_sim_options_default();
    options.interrupt = &flag;
    run r = begin(&options);
    CHECK_FAILS(r.ctx, ss_sim_advance(r.sim, 1), SS_ERR_INTERRUPTED, "interrupted at t = 0");
    flag = 0;
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.05));
    CHECK(ss_sim_summary(r.sim)->steps == 5);
    end(&r);
}

TEST(steps_and_times_that_make_no_sense_are_refused)
{
    run r = begin(NULL);
    CHECK_FAILS(r.ctx, ss_sim_step(r.sim, 0), SS_ERR_INPUT, "> 0, got 0");
    CHECK_FAILS(r.ctx, ss_sim_step(r.sim, NAN), SS_ERR_INPUT, "> 0, got nan");
    CHECK_FAILS(r.ctx, ss_sim_advance(r.sim, INFINITY), SS_ERR_INPUT, "finite time");
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, -1)); /* the past is already there */
    CHECK(ss_sim_summary(r.sim)->steps == 0);
    end(&r);
}

TEST(the_last_step_of_a_run_is_as_long_as_it_has_to_be)
{
    run r = begin(NULL);
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.0251));
    CHECK(ss_sim_summary(r.sim)->steps == 3);
    CHECK_NEAR(ss_sim_time(r.sim), 0.0251, 1e-17);
    end(&r);
}

TEST(a_scheme_without_contact_refuses_bodies_that_can_touch)
{
    static const char text[] =
        "{\"slipstick\":1,\"dimension\":2,\"gravity\":[0,-9.81],\"time\":{\"step\":0.01},\"bodies\":["
        "{\"name\":\"p\",\"type\":\"particle\",\"mass\":1,\"position\":[0,1],\"shapes\":[{\"type\":\"point\"}]},"
        "{\"name\":\"floor\",\"type\":\"fixed\",\"shapes\":[{\"type\":\"half_space\",\"normal\":[0,1]}]}]}";
    ss_context *ctx = test_context();
    ss_scene *scene = NULL;
    ss_model *model = NULL;
    ss_sim *sim = NULL;
    CHECK_OK(ctx, ss_scene_parse(ctx, text, strlen(text), "scene", 0, NULL, &scene));
    CHECK_OK(ctx, ss_model_compile(ctx, scene, &model));
    CHECK_FAILS(ctx, ss_sim_create_with(ctx, model, &faulty, NULL, &sim), SS_ERR_UNSUPPORTED, "does not treat contact");
    ss_model_destroy(model);
    ss_scene_destroy(scene);
    ss_context_destroy(ctx);
}

TEST(a_rest_of_the_interval_is_a_step_of_its_own_unless_it_is_rounding)
{
    const double rest[] = { 1e-8, 1e-10 }; /* of a step; 1e-9 is rounding */
    for (int k = 0; k < 2; k++) {
        run r = begin(NULL);
        CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.05 + rest[k] * 0.01));
        CHECK(ss_sim_summary(r.sim)->steps == (k == 0 ? 6 : 5));
        end(&r);
    }
}

TEST(an_impact_that_makes_energy_is_told_from_round_off)
{
    const double gain[] = { 1e-11, 1e-13 }; /* of the kinetic energy; 1e-12 is round-off */
    for (int k = 0; k < 2; k++) {
        run r = begin(NULL);
        r.plan->gain = gain[k];
        CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.01));
        CHECK(ss_sim_ledger(r.sim)->impact_gains == (k == 0));
        end(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_that_fails_leaves_no_trace),
        cmocka_unit_test(a_wrong_solution_is_not_certified_whatever_the_solver_said),
        cmocka_unit_test(a_right_solution_is_certified_whatever_the_solver_said_of_itself),
        cmocka_unit_test(strict_ends_at_the_first_step_that_is_not_certified),
        cmocka_unit_test(a_residual_that_is_not_a_number_is_the_largest_of_the_run),
        cmocka_unit_test(a_long_run_makes_the_steps_it_should),
        cmocka_unit_test(an_interrupt_ends_the_run_between_two_steps),
        cmocka_unit_test(steps_and_times_that_make_no_sense_are_refused),
        cmocka_unit_test(a_scheme_without_contact_refuses_bodies_that_can_touch),
        cmocka_unit_test(the_last_step_of_a_run_is_as_long_as_it_has_to_be),
        cmocka_unit_test(a_rest_of_the_interval_is_a_step_of_its_own_unless_it_is_rounding),
        cmocka_unit_test(an_impact_that_makes_energy_is_told_from_round_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
