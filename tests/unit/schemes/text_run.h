/* text_run.h - a scene written in the test, ' in place of ", or read from a file, opened as a simulation. */
#ifndef SS_TEST_TEXT_RUN_H
#define SS_TEST_TEXT_RUN_H

#include "sim/sim.h"
#include "test.h"

typedef struct run {
    ss_context *ctx;
    ss_scene *scene;
    ss_model *model;
    ss_sim *sim;
} run;

static inline ss_status parse(run *r, const char *text, int sets, const char *const *set)
{
    char json[8192];
    CHECK(strlen(text) < sizeof json);
    strcpy(json, text);
    for (char *c = json; (c = strchr(c, '\''));) {
        *c = '"';
    }
    return ss_scene_parse(r->ctx, json, strlen(json), "scene", sets, set, &r->scene);
}

static inline void open_scene(run *r)
{
    CHECK_OK(r->ctx, ss_model_compile(r->ctx, r->scene, &r->model));
    CHECK_OK(r->ctx, ss_sim_create(r->ctx, r->model, NULL, &r->sim));
}

static inline run begin(const char *text, int sets, const char *const *set)
{
    run r = { .ctx = test_context() };
    CHECK_OK(r.ctx, parse(&r, text, sets, set));
    open_scene(&r);
    return r;
}

/* bodies may overlap at the start */
static inline run begin_overlapping(const char *text, int sets, const char *const *set)
{
    run r = { .ctx = test_context() };
    ss_sim_options options = ss_sim_options_default();
    options.allow_overlap = true;
    CHECK_OK(r.ctx, parse(&r, text, sets, set));
    CHECK_OK(r.ctx, ss_model_compile(r.ctx, r.scene, &r.model));
    CHECK_OK(r.ctx, ss_sim_create(r.ctx, r.model, &options, &r.sim));
    return r;
}

static inline run begin_file(const char *path, int sets, const char *const *set)
{
    run r = { .ctx = test_context() };
    CHECK_OK(r.ctx, ss_scene_read(r.ctx, path, sets, set, &r.scene));
    open_scene(&r);
    return r;
}

static inline void leave(run *r)
{
    ss_sim_destroy(r->sim);
    ss_model_destroy(r->model);
    ss_scene_destroy(r->scene);
    ss_context_destroy(r->ctx);
}

static inline void advance(run *r, double until) { CHECK_OK(r->ctx, ss_sim_advance(r->sim, until)); }

static inline const ss_summary *summary(const run *r) { return ss_sim_summary(r->sim); }

/* everything from the text to time `until`, each step of which may fail */
static inline ss_status whole_run(ss_context *ctx, const char *text, const char *set, double until)
{
    run r = { .ctx = ctx };
    ss_status status = parse(&r, text, 1, &set);
    status = status != SS_OK ? status : ss_model_compile(ctx, r.scene, &r.model);
    status = status != SS_OK ? status : ss_sim_create(ctx, r.model, NULL, &r.sim);
    status = status != SS_OK ? status : ss_sim_advance(r.sim, until);
    ss_sim_destroy(r.sim);
    ss_model_destroy(r.model);
    ss_scene_destroy(r.scene);
    return status;
}

#endif
