/* The audit: what a scheme may make energy of, what it may not, and what has a name. The scheme does as it is told, whatever
 * that does to the energy: the driver finds out. */
#include "test.h"

#include "kernels/assembly.h"
#include "sim/sim.h"
#include <slipstick/drive.h>

/* A particle of mass 1 above a floor at y = 0. */
typedef struct plan {
    double after;                          /* NAN: it flies; else the vertical velocity after an impact with the floor */
    double slip;                           /* horizontal velocity after the impact                                    */
    double pushed;                         /* added to the vertical velocity, as an impulse of the scheme's own       */
    double dragged;                        /* the same, as that of a damper                                          */
    double turned[3];                      /* an impulse of gyroscopic torques, as if a particle had them             */
    double moved;                          /* added to the height                                                     */
    double asked;                          /* the speed at which stabilisation asks the contact to open; 0: it asks for nothing */
    bool late;                             /* moved after the segment was reported                                     */
    bool ends;                             /* the impact was begun by the step before: it is told as a whole             */
    double begun[2], given[2], v_begun[3]; /* impulse of the step before, and the velocity before it */
    ss_assembly *a;
} plan;

static ss_status find_rows(ss_stepper *s, plan *p, double h)
{
    ss_config c;
    ss_contact_set found = { 0 };
    SS_TRY(ss_config_take(s->arena, s->model, &c));
    ss_config_set(s->model, s->now->t, s->now->q, &c);
    ss_status status = isnan(p->after) ? SS_OK : ss_finder_find(s->finder, &c, 1, &found);
    status =
        status == SS_OK ? ss_assembly_geometry(p->a, &c, &found, found.n, NULL, (ss_friction){ SS_LAW_COULOMB, 2 }, h) : status;
    ss_contacts_free(s->ctx, &found);
    return status;
}

/* An impact that ends has the impulse of both steps, and that of the first taken back. */
static void tell_whole(plan *p, const double *v0, ss_segment *segment)
{
    double *r = p->a->solution.r;
    for (int i = 0; i < p->a->problem.row[1]; i++) {
        p->given[i] = p->ends ? -p->begun[i] : 0;
        p->v_begun[i] = p->ends ? p->v_begun[i] : v0[i];
        p->begun[i] = r[i];
        r[i] -= p->given[i];
    }
    segment->parts.r_given = p->given;
    segment->parts.v_before = p->v_begun;
}

/* rows: the normal is (0, 1), the tangent (1, 0) */
static ss_status told_step(ss_stepper *s, double h)
{
    plan *p = s->work;
    const double *v0 = s->now->v;
    const double gravity[3] = { 0, h * s->model->gravity.y }, pushed[3] = { 0, p->pushed }, dragged[3] = { 0, p->dragged };
    SS_TRY(find_rows(s, p, h));
    const ss_segment_end from = { .t = s->now->t, .q = s->now->q, .v = v0 };
    s->next->v[0] = isnan(p->after) ? v0[0] : p->slip;
    s->next->v[1] = isnan(p->after) ? v0[1] + gravity[1] + p->pushed + p->dragged : p->after;
    memcpy(s->next->v + 2, v0 + 2, (size_t)(s->model->nv - 2) * sizeof *v0);
    ss_model_retract(s->model, s->now->q, s->next->v, h, s->next->q);
    s->next->q[1] += p->late ? 0 : p->moved;
    s->next->t = s->now->t + h;
    ss_segment segment = ss_assembly_segment(p->a, from, (ss_segment_end){ .t = s->next->t, .q = s->next->q, .v = s->next->v });
    segment.own_residual = true;
    segment.info = NULL; /* nobody has solved it */
    segment.impulse[SS_IMPULSE_GRAVITY] = gravity;
    segment.impulse[SS_IMPULSE_SCHEME] = pushed;
    segment.impulse[SS_IMPULSE_DAMPER] = dragged;
    segment.impulse[SS_IMPULSE_GYROSCOPIC] = p->turned;
    if (p->a->problem.nc == 1) {
        p->a->solution.r[0] = s->next->v[1] - v0[1] - gravity[1] - p->turned[1];
        if (p->a->problem.row[1] == 2) {
            p->a->solution.r[1] = s->next->v[0] - v0[0] - p->turned[0];
        }
        p->a->w_stabilise[0] = -p->asked;
        tell_whole(p, v0, &segment);
    }
    SS_TRY(s->report->segment(s->report, &segment));
    s->next->q[1] += p->late ? p->moved : 0;
    return SS_OK;
}

static ss_status told_create(ss_stepper *s, void **work, double *scheme_state)
{
    (void)scheme_state;
    plan *p;
    SS_TRY(ss_calloc(s->ctx, 1, sizeof *p, &p));
    *work = p;
    p->after = NAN;
    return ss_assembly_create(s->ctx, s->model, &p->a);
}

static void told_destroy(ss_context *ctx, void *work)
{
    plan *p = work;
    if (p) {
        ss_assembly_destroy(ctx, p->a);
        ss_free(ctx, p);
    }
}

#define TOLD(steps)                                                                                                              \
    {                                                                                                                            \
        .info = { .name = "told",                                                                                                \
                  .laws = SS_LAW_UNILATERAL | SS_LAW_COULOMB | SS_LAW_BOUNDED | SS_LAW_NEWTON | SS_LAW_INELASTIC,                \
                  .order = { .impact_steps = steps } },                                                                          \
        .create = told_create, .destroy = told_destroy, .step = told_step                                                        \
    }
static const ss_scheme_type told = TOLD(1), told_in_two = TOLD(2);

#include "unit/sim/own_scheme.h"

static const double STEP = 0.01;

/* The particle at a height, with a velocity; gravity g downwards; more: further keys of the scene. */
static run begin_beside(const ss_scheme_type *scheme, double g, double height, double vx, double vy, const char *more)
{
    char text[800];
    snprintf(
        text, sizeof text,
        "{\"slipstick\":1,\"dimension\":2,\"gravity\":[0,%.17g],\"length_scale\":1,\"time\":{\"step\":%g},"
        "\"materials\":[{\"name\":\"m\",\"mu\":0.5,\"e\":0.5}],"
        "\"bodies\":[{\"name\":\"p\",\"type\":\"particle\",\"mass\":1,\"position\":[0,%.17g],\"velocity\":[%.17g,%.17g],"
        "\"shapes\":[{\"type\":\"point\",\"material\":\"m\"}]},"
        "{\"name\":\"floor\",\"type\":\"fixed\",\"shapes\":[{\"type\":\"half_space\",\"normal\":[0,1],\"material\":\"m\"}]}]%s}",
        -g, STEP, height, vx, vy, more);
    ss_sim_options options = ss_sim_options_default();
    options.allow_overlap = true;
    return begin_with(text, scheme, &options);
}

static run begin_at(const ss_scheme_type *scheme, double g, double height, double vx, double vy)
{
    return begin_beside(scheme, g, height, vx, vy, "");
}

static int64_t alarms(const run *r) { return ss_sim_summary(r->sim)->remark[SS_REMARK_ENERGY].steps; }

static void step(run *r) { CHECK_OK(r->ctx, ss_sim_step(r->sim, STEP)); }

/* ---- impacts ------------------------------------------------------------------------------------------ */

/* alarms after a single impact at unit speed, e = 1/2 */
static int64_t alarms_of_impact(double after)
{
    run r = begin_at(&told, 0, 0, 0, -1);
    r.plan->after = after;
    step(&r);
    int64_t n = alarms(&r);
    CHECK(ss_sim_summary(r.sim)->unconverged_steps == n);
    CHECK(n == 0 || strstr(ss_sim_summary(r.sim)->remark[SS_REMARK_ENERGY].contact, "floor"));
    CHECK(ss_sim_ledger(r.sim)->impact_gain == 0);
    end(&r);
    return n;
}

TEST(an_impact_that_leaves_faster_than_it_came_is_an_alarm_that_names_the_contact)
{
    CHECK(alarms_of_impact(0.5) == 0);
    CHECK(alarms_of_impact(0.9) == 0);   /* more than e, but no energy is made */
    CHECK(alarms_of_impact(1.004) == 0); /* 0.8 % more: rows that turn a little */
    CHECK(alarms_of_impact(1.05) == 1);
    CHECK(alarms_of_impact(1.5) == 1);
}

TEST(an_impact_over_two_steps_may_take_back_what_the_first_has_lost_and_no_more)
{
    for (int k = 0; k < 2; k++) {
        run r = begin_at(&told_in_two, 0, 0, 0, -1);
        r.plan->after = 0;
        step(&r);
        r.plan->after = k == 0 ? 1 : 1.1;
        step(&r);
        CHECK(alarms(&r) == k);
        end(&r);
    }
    run one = begin_at(&told, 0, 0, 0, -1); /* a scheme whose impacts take one step may not */
    one.plan->after = 0;
    step(&one);
    one.plan->after = 1;
    step(&one);
    CHECK(alarms(&one) == 1);
    end(&one);
}

TEST(energy_that_friction_makes_in_an_impact_is_the_laws_own_and_counted)
{
    run r = begin_at(&told, 0, 0, 0.1, -1);
    r.plan->after = 0.5;
    r.plan->slip = -1.2; /* friction has reversed the slip: normal work -3/8, that of friction (1.44 - 0.01)/2 */
    step(&r);
    CHECK(alarms(&r) == 0);
    CHECK(ss_sim_ledger(r.sim)->impact_gains == 1);
    CHECK_NEAR(ss_sim_ledger(r.sim)->impact_gain, 0.5 * 1.43 - 0.375, 1e-12);
    end(&r);
}

TEST(energy_that_friction_makes_in_an_impact_of_two_steps_is_the_laws_own_too)
{
    for (int k = 0; k < 2; k++) { /* its own share; what leaves faster than it came is none */
        run r = begin_at(&told_in_two, 0, 0, 0.1, -1);
        r.plan->after = -0.5;
        r.plan->slip = -0.5;
        step(&r);
        r.plan->ends = true;
        r.plan->after = k == 0 ? 0.5 : 1.6;
        r.plan->slip = -1.2;
        step(&r);
        CHECK(alarms(&r) == k);
        const ss_ledger *l = ss_sim_ledger(r.sim);
        CHECK(k == 1 || l->impact_gains == 1);
        CHECK_NEAR(l->impact_gain, k == 0 ? 0.5 * 1.43 - 0.375 : 0.5 * 1.43, 1e-12);
        end(&r);
    }
}

/* alarms of a particle at rest at this height that stabilisation makes leave the floor at that speed */
static int64_t alarms_when_stabilised(double height, double speed)
{
    run r = begin_at(&told, 0, height, 0, 0);
    r.plan->after = r.plan->asked = speed;
    step(&r);
    CHECK_NEAR(ss_sim_ledger(r.sim)->stabilisation, 0.5 * speed * speed, 1e-14); /* it is called that, whatever it is */
    const int64_t found = alarms(&r);
    end(&r);
    return found;
}

/* The length is 1, the step 0.01. The speed counts twice, because the step before may have pushed as well. */
TEST(stabilisation_may_make_the_speed_that_undoes_an_overlap_in_a_step_and_no_more)
{
    CHECK(alarms_when_stabilised(-1e-4, 0.01) == 0);
    CHECK(alarms_when_stabilised(-1e-4, 0.019) == 0);
    CHECK(alarms_when_stabilised(-1e-4, 0.025) == 1);
    CHECK(alarms_when_stabilised(0, 0.01) == 1);
    CHECK(alarms_when_stabilised(-1e-3, 0.1) == 0);
    CHECK(alarms_when_stabilised(-1e-2, 0.1) == 0); /* a deep overlap takes several steps .. */
    CHECK(alarms_when_stabilised(-1e-2, 1) == 1);   /* .. and is not a spring                */
}

/* ---- forces ------------------------------------------------------------------------------------------- */

TEST(positions_moved_without_a_velocity_are_named_work_wherever_they_are_moved)
{
    for (int k = 0; k < 2; k++) {
        run r = begin_at(&told, 2, 5, 0, 0.25);
        r.plan->moved = 1e-3;
        r.plan->late = k == 1;
        step(&r);
        /* implicit Euler has the error -g^2 h^2/2; inside a segment the velocity at its start, faster by g h, explains the
         * error g^2 h^2/2 and a part of the move */
        const double error = 0.5 * 4 * STEP * STEP;
        CHECK_NEAR(ss_sim_ledger(r.sim)->integration_error, k == 1 ? -error : error, 1e-12);
        CHECK_NEAR(ss_sim_ledger(r.sim)->position_correction, 2 * 1e-3 - (k == 1 ? 0 : 2 * error), 1e-12);
        CHECK(alarms(&r) == 0);
        end(&r);
    }
}

/* alarms of the n-th step in free flight, while the scheme's own impulses make `part` of the kinetic energy in each */
static int64_t alarms_when_pushed(double part, int n)
{
    run r = begin_at(&told, 0, 5, 0, 1);
    for (int k = 0; k < n; k++) {
        r.plan->pushed = 0.5 * part * ss_sim_v(r.sim)[1];
        step(&r);
    }
    int64_t found = alarms(&r);
    end(&r);
    return found;
}

TEST(energy_that_no_force_explains_is_an_alarm_above_the_noise)
{
    CHECK(alarms_when_pushed(1e-8, 1) == 0);
    CHECK(alarms_when_pushed(1e-6, 1) == 1);
    CHECK(alarms_when_pushed(-1e-6, 1) == 1); /* and so is energy that is lost without a reason */
    CHECK(alarms_when_pushed(1e-8, 100) == 0);
}

static ss_status pull_at_nothing(void *user, const ss_force_points *at, double w[12])
{
    (void)user, (void)at, (void)w;
    return SS_OK;
}

/* a force of the program's own explains its work and no more */
TEST(energy_is_looked_after_beside_a_force_that_a_program_computes)
{
    for (int k = 0; k < 2; k++) {
        run r =
            begin_beside(&told, 0, 5, 0, 1, ",\"forces\":[{\"name\":\"f\",\"type\":\"callback\",\"bodies\":[\"world\",\"p\"]}]");
        const ss_force_functions f = { .wrench = pull_at_nothing };
        CHECK_OK(r.ctx, ss_sim_set_functions(r.sim, 0, &f));
        r.plan->pushed = k * 0.5e-6;
        step(&r);
        CHECK(alarms(&r) == k);
        end(&r);
    }
}

/* A scheme of two steps that gives 0.5 m/s and takes 0.49 of them back, a hundred times: what it gives and takes is no exchange
 * of which it may keep a share. */
TEST(energy_that_a_scheme_gives_and_almost_takes_back_adds_up_to_an_alarm)
{
    run r = begin_at(&told_in_two, 0, 5, 0, 1);
    for (int k = 0; k < 200; k++) {
        r.plan->pushed = k % 2 == 0 ? 0.5 : -0.49;
        step(&r);
    }
    CHECK_NEAR(ss_sim_v(r.sim)[1], 2, 1e-12); /* 2 J, of 0.5 */
    const int64_t found = alarms(&r);
    r.plan->pushed = 0.01;
    step(&r);
    CHECK(alarms(&r) == found + 1);
    end(&r);
}

/* A particle slides along the floor at 5 m/s; gyroscopic torques turn its velocity to (5 + x, -3), and the floor stops the -3. */
static int64_t alarms_when_turned(double x)
{
    run r = begin_at(&told, 0, 0, 5, 0);
    r.plan->turned[0] = x;
    r.plan->turned[1] = -3;
    r.plan->after = 0;
    r.plan->slip = 5 + x;
    step(&r);
    CHECK_NEAR(ss_sim_ledger(r.sim)->gyroscopic, x * (5 + 0.5 * x), 1e-14);
    CHECK_NEAR(ss_sim_ledger(r.sim)->contact_normal, 0, 1e-14);
    const int64_t found = alarms(&r);
    end(&r);
    return found;
}

TEST(what_contacts_take_from_a_body_that_turns_without_work_is_no_energy_of_the_torques)
{
    CHECK(alarms_when_turned(-1) == 0); /* from (5, 0) to (4, -3), and the floor takes 4.5 J: the ledger says the torques do */
    CHECK(alarms_when_turned(0) == 0);  /* nothing is made on the whole: -3 is made and taken                                */
    CHECK(alarms_when_turned(1) == 1);  /* from 12.5 J to 18 J                                                               */
}

TEST(a_damper_that_drives_is_an_alarm)
{
    run r = begin_at(&told, 0, 5, 0, 1);
    r.plan->dragged = -0.1;
    for (int k = 0; k < 5; k++) {
        step(&r);
    }
    CHECK(alarms(&r) == 0);
    r.plan->dragged = 0.3;
    for (int k = 0; k < 5; k++) {
        step(&r);
    }
    CHECK(alarms(&r) > 0);
    end(&r);
}

/* A body on a slide along y, at 1 m/s; in each of a few steps the bounded row of the slide changes its speed by `change`. */
static int64_t alarms_on_a_slide(const char *row, double change)
{
    char text[600];
    snprintf(text, sizeof text,
             "{\"slipstick\":1,\"dimension\":2,\"gravity\":[0,0],\"length_scale\":1,\"time\":{\"step\":%g},"
             "\"bodies\":[{\"name\":\"p\",\"mass\":1,\"inertia\":1,\"velocity\":[0,1]}],"
             "\"joints\":[{\"name\":\"slide\",\"type\":\"prismatic\",\"bodies\":[\"world\",\"p\"],\"axis\":[0,1],%s}]}",
             STEP, row);
    const ss_sim_options options = ss_sim_options_default();
    run r = begin_with(text, &told, &options);
    for (int k = 0; k < 5; k++) {
        r.plan->after = ss_sim_v(r.sim)[1] + change;
        step(&r);
        CHECK_NEAR(ss_sim_v(r.sim)[1], 1 + (k + 1) * change, 1e-14);
    }
    const int64_t found = alarms(&r);
    end(&r);
    return found;
}

TEST(dry_friction_of_a_joint_may_not_drive_as_a_motor_may)
{
    CHECK(alarms_on_a_slide("\"friction\":100", -0.1) == 0);
    CHECK(alarms_on_a_slide("\"friction\":100", 0.1) > 0);
    CHECK(alarms_on_a_slide("\"motor\":{\"speed\":9,\"max\":100}", 0.1) == 0);
}

TEST(the_sums_of_the_audit_survive_a_checkpoint)
{
    run a = begin_at(&told_in_two, 0, 0, 0, -1), b = begin_at(&told_in_two, 0, 0, 0, -1);
    void *blob;
    size_t size;
    a.plan->after = 0;
    step(&a);
    CHECK_OK(a.ctx, ss_sim_save(a.sim, &blob, &size));
    CHECK_OK(b.ctx, ss_sim_restore(b.sim, blob, size));
    a.plan->after = b.plan->after = 1;
    step(&a);
    step(&b);
    CHECK(alarms(&a) == 0 && alarms(&b) == 0);
    CHECK(memcmp(&a.sim->audit.sums, &b.sim->audit.sums, sizeof a.sim->audit.sums) == 0);
    ss_blob_free(a.ctx, blob);
    end(&a);
    end(&b);
}

/* ---- divergence --------------------------------------------------------------------------------------- */

TEST(a_body_beyond_reason_ends_the_run_at_the_last_good_state)
{
    run r = begin_at(&told, 0, 5, 0, 1e9 / STEP);
    step(&r); /* 1e9 lengths away: still told apart to a millionth */
    r.plan->moved = 9e9;
    CHECK_FAILS(r.ctx, ss_sim_step(r.sim, STEP), SS_ERR_NUMERIC, "diverged: at t = 0.02 p is 1.1e+10 m away from the origin");
    CHECK(ss_sim_time(r.sim) == STEP && ss_sim_q(r.sim)[1] < 2e9);
    end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_impact_that_leaves_faster_than_it_came_is_an_alarm_that_names_the_contact),
        cmocka_unit_test(an_impact_over_two_steps_may_take_back_what_the_first_has_lost_and_no_more),
        cmocka_unit_test(energy_that_friction_makes_in_an_impact_is_the_laws_own_and_counted),
        cmocka_unit_test(energy_that_friction_makes_in_an_impact_of_two_steps_is_the_laws_own_too),
        cmocka_unit_test(stabilisation_may_make_the_speed_that_undoes_an_overlap_in_a_step_and_no_more),
        cmocka_unit_test(positions_moved_without_a_velocity_are_named_work_wherever_they_are_moved),
        cmocka_unit_test(energy_that_no_force_explains_is_an_alarm_above_the_noise),
        cmocka_unit_test(energy_is_looked_after_beside_a_force_that_a_program_computes),
        cmocka_unit_test(energy_that_a_scheme_gives_and_almost_takes_back_adds_up_to_an_alarm),
        cmocka_unit_test(what_contacts_take_from_a_body_that_turns_without_work_is_no_energy_of_the_torques),
        cmocka_unit_test(a_damper_that_drives_is_an_alarm),
        cmocka_unit_test(dry_friction_of_a_joint_may_not_drive_as_a_motor_may),
        cmocka_unit_test(the_sums_of_the_audit_survive_a_checkpoint),
        cmocka_unit_test(a_body_beyond_reason_ends_the_run_at_the_last_good_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
