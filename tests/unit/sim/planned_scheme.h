/* planned_scheme.h - a scheme whose error is known in closed form, and runs of it with steps by tolerance. */
#ifndef SS_TEST_PLANNED_SCHEME_H
#define SS_TEST_PLANNED_SCHEME_H

#include "unit/sim/scene_run.h"

/* ---- a scheme whose error is known ----------------------------------------------------------------- */

/* x' = 0 is integrated with the error SIZE h^(order+1) in a step, y by the parabola of constant acceleration, exactly. With a cut
 * no substep is longer than that; OFF_IN_SPEED has the error in the velocity along x in place of x. */
static const double SIZE = 0.5;

static const double MARGIN = 1e-6; /* above the floor, where STAYS_FAR_ABOVE puts back what falls: it never touches */

typedef enum fault {
    NO_FAULT,
    FAILS_IF_LONG,
    NOT_FINITE_IF_LONG,
    NEVER_GOOD,
    HAS_EVENT,
    STAYS_ABOVE,
    STAYS_FAR_ABOVE,
    OFF_IN_SPEED
} fault;

typedef struct plan {
    fault fault;
    double order;
    double cut; /* longest substep; 0: steps are not cut */
    bool fails;
    ss_event_kind kind; /* of the event in every step */
} plan;

static inline double error_of(const plan *p, double h)
{
    return p->fault == NEVER_GOOD ? 0.1 * sqrt(h) : SIZE * pow(h, p->order + 1);
}

/* error of a step over *h, in substeps; *h: how far it has come */
static inline double error_of_substeps(ss_stepper *s, double *h)
{
    const plan *p = s->work;
    double error = 0;
    for (double left = *h, taken = 0; left > 0; left = ss_stepper_rest(s, *h, left, taken)) {
        taken = p->cut > 0 ? fmin(left, p->cut) : left;
        error += error_of(p, taken);
    }
    *h = s->length.taken;
    return error;
}

static inline ss_status planned_step(ss_stepper *s, double h)
{
    plan *p = s->work;
    const double error = error_of_substeps(s, &h);
    const ss_state *now = s->now;
    assert_true(s->model->nv <= 4); /* a particle and what rests beside it */
    double g = s->model->gravity.y, impulse[4] = { 0, g * h * s->model->body_mass[0] };
    bool too_long = h > 0.011;
    s->next->q[0] = now->q[0] + (p->fault == OFF_IN_SPEED ? 0 : error);
    s->next->v[0] = now->v[0] + (p->fault == OFF_IN_SPEED ? error : 0);
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

static inline ss_status planned_create(ss_stepper *s, void **work, double *scheme_state)
{
    (void)scheme_state;
    return ss_calloc(s->ctx, 1, sizeof(plan), work);
}

static inline void planned_destroy(ss_context *ctx, void *work) { ss_free(ctx, work); }

static inline ss_scheme_type planned(double order)
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

static inline void begin_scene(run *r, const char *text, ss_scheme_type scheme, double order, const char *set,
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

static inline void begin(run *r, double order, const char *set, const ss_sim_options *options)
{
    begin_scene(r, particle, planned(order), order, set, options);
}

static inline void end(run *r)
{
    ss_sim_destroy(r->sim);
    ss_model_destroy(r->model);
    ss_context_destroy(r->ctx);
}

#endif
