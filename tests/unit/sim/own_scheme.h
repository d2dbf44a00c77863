/* own_scheme.h - a scene written in the test, run by a scheme of the test itself, whose work is its `plan`: to be defined before
 * this is included. */
#ifndef SS_TEST_OWN_SCHEME_H
#define SS_TEST_OWN_SCHEME_H

#include "sim/sim.h"
#include "test.h"

typedef struct run {
    ss_context *ctx;
    ss_model *model;
    ss_sim *sim;
    plan *plan;
} run;

static inline run begin_with(const char *text, const ss_scheme_type *scheme, const ss_sim_options *options)
{
    run r = { .ctx = test_context() };
    ss_scene *scene = NULL;
    CHECK_OK(r.ctx, ss_scene_parse(r.ctx, text, strlen(text), "scene", 0, NULL, &scene));
    CHECK_OK(r.ctx, ss_model_compile(r.ctx, scene, &r.model));
    ss_scene_destroy(scene);
    CHECK_OK(r.ctx, ss_sim_create_with(r.ctx, r.model, scheme, options, &r.sim));
    r.plan = r.sim->stepper.work;
    return r;
}

static inline void end(run *r)
{
    ss_sim_destroy(r->sim);
    ss_model_destroy(r->model);
    ss_context_destroy(r->ctx);
}

#endif
