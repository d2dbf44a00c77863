/* build.h - short ways to write scenes in tests of the model. */
#ifndef SS_TEST_BUILD_H
#define SS_TEST_BUILD_H

#include "model/model.h"
#include "test.h"

static inline ss_scene *new_scene(ss_context *ctx, int dimension)
{
    ss_scene_settings settings = ss_scene_settings_default();
    ss_scene *scene = NULL;
    settings.dimension = dimension;
    settings.gravity[1] = -9.81;
    CHECK_OK(ctx, ss_scene_create(ctx, &settings, &scene));
    return scene;
}

static inline ss_body_desc particle(const char *name, double x, double y)
{
    ss_body_desc d = ss_body_desc_default();
    d.name = name;
    d.mass = 1;
    d.position[0] = x;
    d.position[1] = y;
    return d;
}

/* in 2D inertia 0.5; in 3D (0.5, 0.6, 0.7) */
static inline ss_body_desc rigid(const char *name, double x, double y)
{
    ss_body_desc d = particle(name, x, y);
    d.type = SS_BODY_RIGID;
    d.mass = 2;
    d.inertia[0] = 0.5;
    d.inertia[1] = 0.6;
    d.inertia[2] = 0.7;
    return d;
}

static inline ss_body_desc standing(const char *name, ss_body_type type)
{
    ss_body_desc d = ss_body_desc_default();
    d.name = name;
    d.type = type;
    return d;
}

static inline ss_joint_desc joint_between(const char *name, const char *type, const char *a, const char *b)
{
    ss_joint_desc d = ss_joint_desc_default();
    d.name = name;
    d.type = type;
    d.bodies[0] = a;
    d.bodies[1] = b;
    return d;
}

static inline ss_force_desc force_between(const char *name, const char *type, const char *a, const char *b)
{
    ss_force_desc d = ss_force_desc_default();
    d.name = name;
    d.type = type;
    d.body = a;
    d.bodies[0] = a;
    d.bodies[1] = b;
    d.stiffness = 3;
    d.damping = 0.4;
    d.omega = 2;
    return d;
}

static inline int add_body(ss_scene *scene, ss_context *ctx, ss_body_desc d)
{
    int index = -1;
    CHECK_OK(ctx, ss_scene_add_body(scene, &d, &index));
    return index;
}

static inline void add_joint(ss_scene *scene, ss_context *ctx, ss_joint_desc d)
{
    CHECK_OK(ctx, ss_scene_add_joint(scene, &d, NULL));
}

static inline void add_force(ss_scene *scene, ss_context *ctx, ss_force_desc d)
{
    CHECK_OK(ctx, ss_scene_add_force(scene, &d, NULL));
}

static inline void add_sphere(ss_scene *scene, ss_context *ctx, int body, double radius, const char *material)
{
    ss_shape_desc d = ss_shape_desc_default();
    d.type = "sphere";
    d.radius = radius;
    d.material = material;
    CHECK_OK(ctx, ss_scene_add_shape(scene, body, &d));
}

/* the compiled model; the scene is gone, so that whatever the model still needs of it would show */
static inline ss_model *compiled(ss_context *ctx, ss_scene *scene)
{
    ss_model *model = NULL;
    CHECK_OK(ctx, ss_model_compile(ctx, scene, &model));
    ss_scene_destroy(scene);
    return model;
}

/* a configuration with its own memory */
typedef struct place {
    ss_arena *arena;
    ss_config c;
} place;

static inline place place_at(ss_context *ctx, const ss_model *m, double t, const double *q)
{
    place p = { 0 };
    CHECK_OK(ctx, ss_arena_create(ctx, 1024, &p.arena));
    CHECK_OK(ctx, ss_config_take(p.arena, m, &p.c));
    ss_config_set(m, t, q, &p.c);
    ss_config_drive(m, t, t, &p.c);
    return p;
}

static inline void leave(place *p) { ss_arena_destroy(p->arena); }

static inline double uniform(uint64_t *seed) { return 2 * ss_random_uniform(seed) - 1; }

enum { NV_MAX = 64 };

/* a state near the start: q0 (+) x, and any v */
static inline void random_state(const ss_model *m, uint64_t *seed, double *q, double *v)
{
    double x[NV_MAX];
    CHECK(m->nv <= NV_MAX);
    for (int i = 0; i < m->nv; i++) {
        x[i] = 0.7 * uniform(seed);
        v[i] = uniform(seed);
    }
    ss_model_retract(m, m->q0, x, 1, q);
}

#endif
