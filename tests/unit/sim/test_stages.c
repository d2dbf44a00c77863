/* Segments of schemes that find forces stage by stage: what is shown, what enters the ledger, what is counted, what is certified.
 */
#include "test.h"

#include "kernels/assembly.h"
#include "sim/sim.h"

/* A particle on a floor that rises, and a body hinged to the world. A step is two substeps of a quarter and three quarters of
 * its length; forces and work are prescribed. */
static const double QUARTER = 0.25, NORMAL[2] = { 3, 7 }, REACTION[2] = { -2, 5 }, SPEED = 0.5;
typedef struct plan {
    ss_assembly *a;
    double unsettled; /* residual of the second substep */
} plan;

static ss_status find_rows(ss_stepper *s, plan *p, double t, const double *q, double dt)
{
    ss_config c;
    ss_contact_set found = { 0 };
    SS_TRY(ss_config_take(s->arena, s->model, &c));
    ss_config_set(s->model, t, q, &c);
    ss_config_drive(s->model, t, t + dt, &c);
    ss_status status = ss_finder_find(s->finder, &c, 1, &found);
    status = status == SS_OK ? ss_assembly_geometry(p->a, &c, &found, found.n, NULL, (ss_friction){ SS_LAW_UNILATERAL, 2 }, dt)
                             : status;
    ss_contacts_free(s->ctx, &found);
    return status;
}

static double *zeros(ss_stepper *s)
{
    double *x = NULL;
    CHECK_OK(s->ctx, ss_arena_take(s->arena, (size_t)s->model->nv, sizeof *x, &x));
    return x;
}

static ss_status substep(ss_stepper *s, int k, const double *q0, const double *v0, double t, double dt)
{
    plan *p = s->work;
    const ss_model *m = s->model;
    double *normal = zeros(s), *joints = zeros(s), *dv = zeros(s);
    SS_TRY(find_rows(s, p, t, q0, dt));
    CHECK(p->a->problem.nc == 1 && p->a->problem.nj == 2);
    p->a->solution.r[0] = NORMAL[k];
    p->a->solution.lam[0] = REACTION[k];
    ss_csr_transpose_times(&p->a->problem.H, dt, p->a->solution.r, 0, normal);
    ss_csr_transpose_times(&p->a->problem.G, dt, p->a->solution.lam, 0, joints);
    for (int i = 0; i < m->nv; i++) {
        dv[i] = (normal[i] + joints[i]) / (i < 2 ? 2.0 : i < 4 ? 1.0 : 0.5);
        s->next->v[i] = v0[i] + dv[i];
    }
    ss_model_retract(m, q0, s->next->v, dt, s->next->q);
    s->next->t = t + dt;
    ss_segment g = { .from = { .t = t, .q = q0, .v = v0 },
                     .to = { .t = t + dt, .q = s->next->q, .v = s->next->v },
                     .level = SS_LEVEL_ACCELERATION,
                     .weight = 1000, /* nothing may use it */
                     .mass = &p->a->mass,
                     .problem = &p->a->problem,
                     .solution = &p->a->solution,
                     .contacts = &p->a->contacts,
                     .own_residual = true,
                     .nonlinear = k == 1 ? p->unsettled : 0,
                     .stages.shown = true };
    g.impulse[SS_IMPULSE_CONTACT_NORMAL] = normal;
    g.impulse[SS_IMPULSE_JOINTS] = joints;
    g.stages.driven[1] = -dt * NORMAL[k] * p->a->w_drive[0];
    s->report->evaluated(s->report, 3);
    return s->report->segment(s->report, &g);
}

static ss_status staged_step(ss_stepper *s, double h)
{
    double *q = NULL, *v = zeros(s), t = s->now->t;
    SS_TRY(ss_arena_take(s->arena, (size_t)s->model->nq, sizeof *q, &q));
    SS_TRY(substep(s, 0, s->now->q, s->now->v, t, QUARTER * h));
    memcpy(q, s->next->q, (size_t)s->model->nq * sizeof *q);
    memcpy(v, s->next->v, (size_t)s->model->nv * sizeof *v);
    return substep(s, 1, q, v, s->next->t, (1 - QUARTER) * h);
}

static ss_status staged_create(ss_stepper *s, void **work, double *scheme_state)
{
    (void)scheme_state;
    plan *p;
    SS_TRY(ss_calloc(s->ctx, 1, sizeof *p, &p));
    *work = p;
    return ss_assembly_create(s->ctx, s->model, &p->a);
}

static void staged_destroy(ss_context *ctx, void *work)
{
    plan *p = work;
    if (p) {
        ss_assembly_destroy(ctx, p->a);
        ss_free(ctx, p);
    }
}

static const ss_scheme_type staged = { .info = { .name = "staged",
                                                 .laws = SS_LAW_UNILATERAL,
                                                 .order = { .smooth = 2, .impacts = 2, .norm = "l1", .joints_drift = true } },
                                       .create = staged_create,
                                       .destroy = staged_destroy,
                                       .step = staged_step };

#include "unit/sim/own_scheme.h"

static run begin(const ss_sim_options *options)
{
    static const char text[] =
        "{\"slipstick\":1,\"dimension\":2,\"gravity\":[0,0],\"length_scale\":1,\"time\":{\"step\":0.01},\"bodies\":["
        "{\"name\":\"p\",\"type\":\"particle\",\"mass\":2,\"position\":[0,0],\"velocity\":[0,0.25],\"shapes\":[{\"type\":"
        "\"point\"}]},"
        "{\"name\":\"b\",\"type\":\"rigid\",\"mass\":1,\"inertia\":0.5,\"position\":[5,5]},"
        "{\"name\":\"floor\",\"type\":\"driven\",\"position\":[0,\"0.5*t\"],\"shapes\":[{\"type\":\"half_space\",\"normal\":[0,1]"
        "}]}],"
        "\"joints\":[{\"name\":\"hinge\",\"type\":\"hinge\",\"bodies\":[\"b\",\"world\"],\"at\":[5,5]}]}";
    return begin_with(text, &staged, options);
}

TEST(forces_of_substeps_are_shown_as_their_mean_over_the_step)
{
    run r = begin(NULL);
    ss_contact_info contact;
    double reaction[6];
    CHECK_OK(r.ctx, ss_sim_step(r.sim, 0.01));
    CHECK(ss_sim_contact_count(r.sim) == 1 && ss_sim_last_step(r.sim)->contacts == 1);
    CHECK_OK(r.ctx, ss_sim_contact(r.sim, 0, &contact));
    CHECK_NEAR(contact.force[0], 0.25 * NORMAL[0] + 0.75 * NORMAL[1], 1e-13); /* times of 0.01 have an error of 2e-18 */
    CHECK(ss_sim_joint_reaction(r.sim, 0, reaction) == 2);
    CHECK_NEAR(reaction[0], 0.25 * REACTION[0] + 0.75 * REACTION[1], 1e-13);
    end(&r);
}

TEST(the_ledger_takes_the_impulses_and_gives_driven_bodies_their_part)
{
    const double h = 0.01;
    run r = begin(NULL);
    CHECK_OK(r.ctx, ss_sim_step(r.sim, h));
    const ss_ledger *l = ss_sim_ledger(r.sim);
    /* the floor does its speed times the impulse; v = 0.25 and 0.25 + impulse/2 on, relative to the floor 0.5 less */
    double p[2] = { 0.25 * h * NORMAL[0], 0.75 * h * NORMAL[1] }, v[3] = { 0.25, 0.25 + p[0] / 2, 0.25 + (p[0] + p[1]) / 2 };
    double relative = p[0] * ((v[0] + v[1]) / 2 - SPEED) + p[1] * ((v[1] + v[2]) / 2 - SPEED);
    CHECK_NEAR(l->driven, SPEED * (p[0] + p[1]), 1e-16);
    CHECK_NEAR(l->contact_normal, relative, 1e-16);
    CHECK_NEAR(l->driven + l->contact_normal, v[2] * v[2] - v[0] * v[0], 1e-16); /* mass 2 */
    CHECK(l->joints != 0 && l->closure < 1e-15);
    end(&r);
}

TEST(stages_count_as_evaluations_and_a_substep_answers_for_itself)
{
    run r = begin(NULL);
    CHECK_OK(r.ctx, ss_sim_step(r.sim, 0.01));
    const ss_summary *s = ss_sim_summary(r.sim);
    CHECK(s->multiplier_evals == 6 && s->lcps == 0 && s->unconverged_steps == 0);
    r.plan->unsettled = 1e-3;
    CHECK_OK(r.ctx, ss_sim_step(r.sim, 0.01));
    CHECK(s->multiplier_evals == 12 && s->unconverged_steps == 1 && s->remark[SS_REMARK_UNSETTLED].steps == 1);
    CHECK(s->max_residual == 1e-3);
    end(&r);
}

TEST(evaluations_of_trials_count_and_a_checkpoint_has_them)
{
    ss_sim_options o = ss_sim_options_default();
    o.tol = 1e-3;
    run r = begin(&o), again = begin(&o);
    void *blob = NULL;
    size_t size = 0;
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.02));
    const ss_summary *s = ss_sim_summary(r.sim);
    CHECK(s->multiplier_evals == 9 * s->steps + 18 * s->rejected); /* three steps for two, six in each */
    CHECK_OK(r.ctx, ss_sim_save(r.sim, &blob, &size));
    CHECK_OK(again.ctx, ss_sim_restore(again.sim, blob, size));
    CHECK(ss_sim_summary(again.sim)->multiplier_evals == s->multiplier_evals);
    ss_blob_free(r.ctx, blob);
    end(&r);
    end(&again);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_of_substeps_are_shown_as_their_mean_over_the_step),
        cmocka_unit_test(the_ledger_takes_the_impulses_and_gives_driven_bodies_their_part),
        cmocka_unit_test(stages_count_as_evaluations_and_a_substep_answers_for_itself),
        cmocka_unit_test(evaluations_of_trials_count_and_a_checkpoint_has_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
