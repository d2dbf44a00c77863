/* event_run.h - a run whose events are kept, from a scene written in the test with ' in place of ". */
#ifndef SS_TEST_EVENT_RUN_H
#define SS_TEST_EVENT_RUN_H

#include "sim/sim.h"
#include "test.h"

/* ---- runs ------------------------------------------------------------------------------------------ */

enum { EVENTS = 400, STATE = 16 };

typedef struct seen {
    double t;
    ss_event_kind kind;
    double v_minus[STATE], v_plus[STATE]; /* impacts */
} seen;

typedef struct run {
    ss_context *ctx;
    ss_scene *scene;
    ss_model *model;
    ss_sim *sim;
    int n;
    seen event[EVENTS];
} run;

static inline ss_status on_event(void *user, const ss_sim *sim, const ss_event *event)
{
    run *r = user;
    seen *s = &r->event[r->n < EVENTS - 1 ? r->n++ : r->n];
    size_t size = (size_t)ss_sim_model(sim)->nv * sizeof(double);
    *s = (seen){ .t = event->t, .kind = event->kind };
    if (event->v_plus && size <= sizeof s->v_plus) {
        memcpy(s->v_minus, event->v_minus, size);
        memcpy(s->v_plus, event->v_plus, size);
    }
    return SS_OK;
}

static inline void open_model(run *r)
{
    CHECK_OK(r->ctx, ss_model_compile(r->ctx, r->scene, &r->model));
    CHECK_OK(r->ctx, ss_sim_create(r->ctx, r->model, NULL, &r->sim));
    CHECK_OK(r->ctx, ss_sim_observe(r->sim, &(ss_observer){ .user = r, .on_event = on_event }));
}

/* the scene is written with ' instead of " */
static inline void begin(run *r, const char *text, int sets, const char *const *set)
{
    char json[4096];
    size_t n = strlen(text);
    CHECK(n < sizeof json);
    for (size_t i = 0; i < n; i++) {
        json[i] = text[i] == '\'' ? '"' : text[i];
    }
    *r = (run){ .ctx = test_context() };
    CHECK_OK(r->ctx, ss_scene_parse(r->ctx, json, n, "scene", sets, set, &r->scene));
    open_model(r);
}

static inline void quit(run *r)
{
    ss_sim_destroy(r->sim);
    ss_model_destroy(r->model);
    ss_scene_destroy(r->scene);
    ss_context_destroy(r->ctx);
}

static inline void end(run *r)
{
    CHECK(ss_sim_summary(r->sim)->unconverged_steps == 0);
    CHECK(ss_sim_ledger(r->sim)->closure < 1e-11);
    CHECK(ss_sim_summary(r->sim)->max_penetration < 1e-12);
    quit(r);
}

static inline int count(const run *r, ss_event_kind kind)
{
    int n = 0;
    for (int i = 0; i < r->n; i++) {
        n += r->event[i].kind == kind;
    }
    return n;
}

#define HEAD(dimension, gravity, step)                                                                                           \
    "{'slipstick':1,'dimension':" #dimension ",'gravity':" gravity ",'time':{'until':1,'step':'" step                            \
    "'},'scheme':{'name':'event_capturing_rk'},"

#endif
