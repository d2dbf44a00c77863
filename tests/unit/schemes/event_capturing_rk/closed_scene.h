/* closed_scene.h - a scene with its closed contacts, and the pieces that phases of motion are made of, for their tests. */
#ifndef SS_TEST_HELD_H
#define SS_TEST_HELD_H

#include "kernels/modes.h"
#include "schemes/event_capturing_rk/stages.h"
#include "sim/sim.h"
#include "test.h"
#include <slipstick/io.h>

enum { N_MAX = 24, ROWS_MAX = 24 };

typedef struct closed_scene {
    ss_context *ctx;
    ss_scene *scene;
    ss_model *m;
    ss_sim *sim;
    ss_stepper *s;
    ss_friction friction;
    ss_phase *phase;
    ss_contact_set set; /* what touches at the start */
    double q[N_MAX], v[N_MAX];
} closed_scene;

#define HEAD(dimension, gravity)                                                                                                 \
    "{'slipstick':1,'dimension':" #dimension ",'gravity':" gravity                                                               \
    ",'time':{'until':1,'step':0.01},'scheme':{'name':'event_capturing_rk'},"

static inline ss_scene *parse(ss_context *ctx, const char *text, int sets, const char *const *set)
{
    char json[4096];
    size_t n = strlen(text);
    ss_scene *scene = NULL;
    CHECK(n < sizeof json);
    for (size_t i = 0; i < n; i++) {
        json[i] = text[i] == '\'' ? '"' : text[i];
    }
    CHECK_OK(ctx, ss_scene_parse(ctx, json, n, "scene", sets, set, &scene));
    return scene;
}

/* contacts with a gap of zero, all limits and motors */
static inline void find_touching(closed_scene *x, double t)
{
    ss_config c;
    int n = 0;
    CHECK_OK(x->ctx, ss_config_take(x->s->arena, x->m, &c));
    ss_config_set(x->m, t, x->q, &c);
    ss_config_drive(x->m, t, t, &c);
    CHECK_OK(x->ctx, ss_finder_find(x->s->finder, &c, 1e-9, &x->set));
    for (int k = 0; k < x->set.n; k++) {
        ss_contact_value value;
        CHECK_OK(x->ctx, ss_contact_eval(x->ctx, x->m, &c, &x->set.c[k], &value));
        if (value.gap <= 1e-9) {
            x->set.c[n++] = x->set.c[k];
        }
    }
    x->set.n = n;
}

/* the scene is written with ' instead of " */
static inline void open_held(closed_scene *x, const char *text, double t, int sets, const char *const *set)
{
    ss_sim_options options = ss_sim_options_default();
    options.allow_overlap = true;
    *x = (closed_scene){ .ctx = test_context() };
    x->scene = parse(x->ctx, text, sets, set);
    CHECK_OK(x->ctx, ss_model_compile(x->ctx, x->scene, &x->m));
    CHECK_OK(x->ctx, ss_sim_create(x->ctx, x->m, &options, &x->sim));
    CHECK(x->m->nq <= N_MAX);
    memcpy(x->q, x->m->q0, (size_t)x->m->nq * sizeof(double));
    memcpy(x->v, x->m->v0, (size_t)x->m->nv * sizeof(double));
    x->s = &x->sim->stepper;
    x->friction = (ss_friction){ x->m->dimension == 2 ? SS_LAW_POLYHEDRAL : SS_LAW_COULOMB, 2 };
    CHECK_OK(x->ctx, ss_phase_create(x->ctx, x->m, x->friction, NULL, &x->phase));
    CHECK_OK(x->ctx, ss_phase_begin(x->phase, x->s->arena));
    find_touching(x, t);
}

static inline void close_held(closed_scene *x)
{
    ss_contacts_free(x->ctx, &x->set);
    ss_phase_destroy(x->phase);
    ss_sim_destroy(x->sim);
    ss_model_destroy(x->m);
    ss_scene_destroy(x->scene);
    ss_context_destroy(x->ctx);
}

/* every contact that touches holds in this way */
static inline void close_all(closed_scene *x, ss_contact_mode mode, double sign, ss_vec3 along, double t)
{
    ss_phase_clear(x->phase);
    for (int k = 0; k < x->set.n; k++) {
        ss_closed_contact closed = { .contact = x->set.c[k], .mode = mode, .load = 1, .sign = sign, .along = along, .speed = 1 };
        CHECK_OK(x->ctx, ss_phase_add(x->phase, &closed));
    }
    CHECK_OK(x->ctx, ss_phase_close(x->phase, x->s->arena, t, x->q, x->v));
}

#endif
