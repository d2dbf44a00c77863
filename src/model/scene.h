/* scene.h - inside of ss_scene: copies of the descriptions, in scene order. Strings are owned. */
#ifndef SS_SCENE_H
#define SS_SCENE_H

#include "base/base.h"
#include <slipstick/scene.h>

typedef struct ss_scene_shape {
    int body;
    ss_shape_desc desc;
} ss_scene_shape;
typedef struct ss_scene_option {
    char *section;
    ss_setting setting;
} ss_scene_option;

struct ss_scene {
    ss_context *ctx;
    ss_scene_settings settings;
    ss_body_desc *body;
    ss_scene_shape *shape; /* grouped by body when compiled; here in the order added */
    ss_material_desc *material;
    ss_pair_desc *pair;
    ss_joint_desc *joint;
    ss_force_desc *force;
    ss_elements_desc *mesh;
    ss_output_desc *output;
    ss_scene_option *option;
    int bodies, shapes, materials, pairs, joints, forces, meshes, outputs, options; /* meshes: of flexible bodies */
    int body_cap, shape_cap, material_cap, pair_cap, joint_cap, force_cap, mesh_cap, output_cap, option_cap;
    char *description; /* kept for the file: free text; NULL: none; in `text` */
    char **text;       /* every string owned by the scene */
    int texts, text_cap;
};

/* Changes when anything does that a trajectory depends on, but for times, scheme and solver. */
uint64_t ss_scene_fingerprint(const ss_scene *scene);
/* The same without the numbers that may change while a simulation runs (ss_sim_set_numbers). */
uint64_t ss_scene_structure(const ss_scene *scene);
/* Changes when anything of its outputs does. */
uint64_t ss_scene_outputs_hash(const ss_scene *scene);
bool ss_scene_has_body(const ss_scene *scene, const char *name); /* a body, or a node of a flexible body */

#endif
