/* scenes.h - small scenes for the tests of contacts, built through the public interface. */
#ifndef SS_TEST_SCENES_H
#define SS_TEST_SCENES_H

#include "contact/contact.h"
#include "test.h"

/* everything a test of contacts needs, made from one scene */
typedef struct world {
    ss_context *ctx;
    ss_scene *scene;
    ss_model *model;
    ss_arena *arena;
    ss_config config;
    ss_finder *finder;
    ss_contact_set set;
    ss_csr H;
} world;

static inline world world_begin(int dimension)
{
    world w = { .ctx = test_context() };
    ss_scene_settings settings = ss_scene_settings_default();
    settings.dimension = dimension;
    CHECK_OK(w.ctx, ss_scene_create(w.ctx, &settings, &w.scene));
    return w;
}

static inline ss_body_desc body_desc(const char *name, ss_body_type type, double x, double y, double z)
{
    ss_body_desc body = ss_body_desc_default();
    body.name = name;
    body.type = type;
    body.position[0] = x;
    body.position[1] = y;
    body.position[2] = z;
    if (type == SS_BODY_PARTICLE || type == SS_BODY_RIGID) {
        body.mass = 1;
    }
    if (type == SS_BODY_RIGID) {
        for (int i = 0; i < 6; i++) {
            body.inertia[i] = i < 3 ? 1 : 0;
        }
    }
    return body;
}

static inline int add_body(world *w, const ss_body_desc *body)
{
    int index = -1;
    CHECK_OK(w->ctx, ss_scene_add_body(w->scene, body, &index));
    return index;
}

static inline int add_simple(world *w, const char *name, ss_body_type type, double x, double y, double z)
{
    const ss_body_desc body = body_desc(name, type, x, y, z);
    return add_body(w, &body);
}

static inline void add_ball(world *w, int body, double radius, const char *material)
{
    ss_shape_desc shape = ss_shape_desc_default();
    shape.type = "sphere";
    shape.radius = radius;
    shape.material = material;
    CHECK_OK(w->ctx, ss_scene_add_shape(w->scene, body, &shape));
}

static inline void add_box(world *w, int body, double x, double y, double z, const char *material)
{
    ss_shape_desc shape = ss_shape_desc_default();
    shape.type = "box";
    shape.size[0] = x;
    shape.size[1] = y;
    shape.size[2] = z;
    shape.material = material;
    CHECK_OK(w->ctx, ss_scene_add_shape(w->scene, body, &shape));
}

/* solid below y = 0 */
static inline void add_floor(world *w, int body, const char *material)
{
    ss_shape_desc shape = ss_shape_desc_default();
    shape.type = "half_space";
    shape.normal[0] = 0;
    shape.normal[1] = 1;
    shape.normal[2] = 0;
    shape.offset = 0;
    shape.material = material;
    CHECK_OK(w->ctx, ss_scene_add_shape(w->scene, body, &shape));
}

static inline void add_material(world *w, const char *name, double mu, double e)
{
    ss_material_desc material = ss_material_desc_default();
    material.name = name;
    material.mu[0] = material.mu[1] = mu;
    material.e = e;
    CHECK_OK(w->ctx, ss_scene_add_material(w->scene, &material));
}

/* compile, and go to the initial configuration */
static inline void world_compile(world *w)
{
    CHECK_OK(w->ctx, ss_model_compile(w->ctx, w->scene, &w->model));
    CHECK_OK(w->ctx, ss_arena_create(w->ctx, 1 << 16, &w->arena));
    CHECK_OK(w->ctx, ss_config_take(w->arena, w->model, &w->config));
    CHECK_OK(w->ctx, ss_finder_create(w->ctx, w->model, &w->finder));
    ss_config_set(w->model, 0, w->model->q0, &w->config);
    ss_config_drive(w->model, 0, 0, &w->config);
    ss_csr_reset(&w->H, w->model->nv);
}

static inline void world_end(world *w)
{
    ss_csr_free(w->ctx, &w->H);
    ss_contacts_free(w->ctx, &w->set);
    ss_finder_destroy(w->finder);
    ss_arena_destroy(w->arena);
    ss_model_destroy(w->model);
    ss_scene_destroy(w->scene);
    ss_context_destroy(w->ctx);
}

/* rows of contact k at the present configuration; returns their number */
static inline int world_rows(world *w, int k, bool friction, double drive[3])
{
    ss_contact_value value;
    int rows = 0;
    ss_csr_reset(&w->H, w->model->nv);
    CHECK_OK(w->ctx, ss_contact_eval(w->ctx, w->model, &w->config, &w->set.c[k], &value));
    CHECK_OK(w->ctx, ss_contact_rows(w->ctx, w->model, &w->config, &w->set.c[k], &value, friction, &w->H, drive, &rows));
    CHECK(w->H.m == rows);
    return rows;
}

#endif
