/* compile.h - the stages that turn a scene into a model; each fills its part of the model or says what is wrong. */
#ifndef SS_COMPILE_H
#define SS_COMPILE_H

#include "model/fields.h"
#include "model/model.h"
#include "model/scene.h"

typedef struct ss_name {
    const char *name;
    int index;
} ss_name;
typedef struct ss_names {
    ss_name *entry;
    int count;
} ss_names; /* sorted; parts without a name are not in it */

typedef struct ss_compiler {
    ss_context *ctx;
    const ss_scene *scene;
    ss_model *m;
    ss_names body, material;
    ss_scene with_nodes; /* what `scene` points to where there are flexible bodies */
    int plain_bodies;    /* before the nodes                                       */
    bool loose;          /* joints need not fit at t = 0                           */
} ss_compiler;

/* Names of the parts of a list; `first` points at the name in the first part, parts are `stride` bytes apart. Refuses empty,
 * double and reserved names and names that read as numbers. */
ss_status ss_names_build(ss_context *ctx, const char *list, const void *first, size_t stride, int count, ss_names *out);
void ss_names_free(ss_context *ctx, ss_names *names);
int ss_names_find(const ss_names *names, const char *name); /* -1: none */

/* "<path>.<key>: no body is called "bal"; the nearest is "ball"" */
ss_status ss_fail_unknown(ss_compiler *x, const char *path, const char *key, const char *what, const char *word, int count,
                          const char *const *names);
/* the entry of a type of the library, or of one that was added; what: "joint" */
ss_status ss_compile_type(ss_compiler *x, const char *path, ss_registry registry, const char *what, const char *type,
                          const ss_entry **out);
/* index of a body, model->bodies for "world" */
ss_status ss_compile_body_ref(ss_compiler *x, const char *path, const char *key, const char *name, int *out);
/* compile an expression and see that it is finite at t = 0; text NULL: *out stays NULL */
ss_status ss_compile_expr(ss_compiler *x, const char *path, const char *key, const char *text, ss_expr **out);
/* copies that the model owns */
ss_status ss_model_keep_text(ss_model *m, const char *text, char **out);
ss_status ss_model_keep_numbers(ss_model *m, const double *list, size_t count, const double **out);

/* Flexible bodies: how many elements there are; the forces of all of them; memory of ss_compile_nodes. */
int ss_element_count(const ss_scene *scene);
ss_status ss_compile_elements(ss_compiler *x);
/* Flexible body i: its path for messages and its type, with all checks that do not depend on the type. */
ss_status ss_compile_flexible(ss_compiler *x, int i, char path[SS_PATH_SIZE], const ss_element_type **type);
/* Solids (compile_solids.c): nodes into x->with_nodes; elements. */
ss_status ss_compile_solid_nodes(ss_compiler *x);
ss_status ss_compile_solids(ss_compiler *x);
/* Facets of a solid (compile_facets.c), whose nodes are at `at`; what may touch facets, once all are there. */
struct ss_mesh;
ss_status ss_compile_facets(ss_compiler *x, int solid, const struct ss_mesh *mesh, const ss_attachment *at, int *capacity);
ss_status ss_compile_probes(ss_compiler *x);
ss_status ss_compile_edges(ss_compiler *x); /* compile_edges.c */
void ss_nodes_free(ss_compiler *x);

/* the stages, in this order */
ss_status ss_compile_nodes(ss_compiler *x);     /* nodes of flexible bodies become bodies    */
ss_status ss_compile_bodies(ss_compiler *x);    /* types, offsets, frames, motions           */
ss_status ss_compile_materials(ss_compiler *x); /* laws of every pair of materials           */
ss_status ss_compile_shapes(ss_compiler *x);
ss_status ss_compile_masses(ss_compiler *x); /* masses, inertias, M, q0, v0               */
ss_status ss_compile_joints(ss_compiler *x);
ss_status ss_compile_forces(ss_compiler *x);   /* of the scene, then of elements            */
ss_status ss_compile_scale(ss_compiler *x);    /* characteristic length                     */
ss_status ss_compile_outside(ss_compiler *x);  /* do functions from outside fit each other? */
ss_status ss_compile_massless(ss_compiler *x); /* what stands in for masses that are 0 */
ss_status ss_compile_start(ss_compiler *x);    /* do positions and velocities agree with the joints? */
ss_status ss_compile_round_off(ss_compiler *x);
ss_status ss_compile_outputs(ss_compiler *x);

#endif
