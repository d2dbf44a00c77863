/* scene_run.h - a scene of the repository opened as a simulation, and two simulations compared bit by bit. */
#ifndef SS_TEST_SCENE_RUN_H
#define SS_TEST_SCENE_RUN_H

#include "sim/sim.h"
#include "test.h"

typedef struct scene_run {
    ss_context *ctx;
    ss_model *model;
    ss_sim *sim; /* NULL: the scheme does not take the scene */
} scene_run;

static inline ss_sim_options with_tol(double tol)
{
    ss_sim_options o = ss_sim_options_default();
    o.tol = tol;
    return o;
}

/* scheme NULL: the scene's; tol NAN: fixed steps */
static inline scene_run open_scene(const char *path, const ss_scheme_type *scheme, double tol)
{
    scene_run r = { .ctx = test_context() };
    ss_scene *scene = NULL;
    ss_sim_options o = with_tol(tol);
    CHECK_OK(r.ctx, ss_scene_read(r.ctx, path, 0, NULL, &scene));
    CHECK_OK(r.ctx, ss_model_compile(r.ctx, scene, &r.model));
    ss_status status =
        scheme ? ss_sim_create_with(r.ctx, r.model, scheme, &o, &r.sim) : ss_sim_create(r.ctx, r.model, &o, &r.sim);
    if (status != SS_ERR_UNSUPPORTED) {
        CHECK_OK(r.ctx, status);
    }
    ss_scene_destroy(scene);
    return r;
}

/* the scene of a text; set: a value of it, NULL: none; scheme NULL: the scene's */
static inline scene_run open_text(const char *text, const char *set, const ss_scheme_type *scheme, double tol)
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

static inline void close_scene(scene_run *r)
{
    ss_sim_destroy(r->sim);
    ss_model_destroy(r->model);
    ss_context_destroy(r->ctx);
}

/* contacts that are remembered, level by level, and the scheme's numbers of them */
static inline void check_same_cache(const ss_contact_cache *a, const ss_contact_cache *b)
{
    for (int k = 0; k < SS_LEVELS; k++) {
        const ss_contact_cache_list *x = &a->level[k], *y = &b->level[k];
        const size_t n = (size_t)x->n, numbers = a->numbers && (int)a->numbers->level == k ? n * (size_t)a->numbers->count : 0;
        CHECK(x->n == y->n && (n == 0 || memcmp(x->entry, y->entry, n * sizeof *x->entry) == 0));
        CHECK(numbers == 0 || memcmp(a->number, b->number, numbers * sizeof *a->number) == 0);
    }
}

/* state, ledger, private state, remembered contacts */
static inline void check_same_state(const ss_sim *a, const ss_sim *b)
{
    CHECK(ss_sim_time(a) == ss_sim_time(b));
    CHECK(memcmp(ss_sim_q(a), ss_sim_q(b), (size_t)a->model->nq * sizeof(double)) == 0);
    CHECK(memcmp(ss_sim_v(a), ss_sim_v(b), (size_t)a->model->nv * sizeof(double)) == 0);
    CHECK(a->scheme_state_size == 0 ||
          memcmp(a->now.scheme_state, b->now.scheme_state, (size_t)a->scheme_state_size * sizeof(double)) == 0);
    CHECK(memcmp(ss_sim_ledger(a), ss_sim_ledger(b), sizeof(ss_ledger)) == 0);
    check_same_cache(&a->now.cache, &b->now.cache);
}

/* and all counters, the length to try next */
static inline void check_same(const ss_sim *a, const ss_sim *b)
{
    ss_summary x = *ss_sim_summary(a), y = *ss_sim_summary(b);
    x.wall_s = y.wall_s = 0;
    check_same_state(a, b);
    CHECK(memcmp(&x, &y, sizeof x) == 0);
    CHECK(a->control.h == b->control.h && a->control.halfway == b->control.halfway);
    CHECK(a->control.trial.time == b->control.trial.time);
}

#endif
