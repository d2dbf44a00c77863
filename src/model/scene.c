/* scene.c - the editable scene: copies of descriptions in the order they were added.
 *
 * Every string, table and list of initial values is copied; the scene owns the copies until it is destroyed.
 * Nothing is checked here but what would make the copy itself impossible: ss_model_compile looks at the
 * scene as a whole. If memory runs out while a part is added, the scene is as before. */
#include "model/scene.h"
#include "model/mesh.h"
#include "model/own.h"
#include <stdio.h>
#include <stdlib.h>

/* ---- copies ------------------------------------------------------------------------------------------ */

/* replace *text by a copy that belongs to the scene */
static ss_status keep(ss_scene *s, const char **text)
{
    char *copy = NULL;
    if (!*text) {
        return SS_OK;
    }
    SS_TRY(ss_reserve(s->ctx, &s->text, &s->text_cap, s->texts + 1, sizeof *s->text));
    SS_TRY(ss_strdup(s->ctx, *text, &copy));
    s->text[s->texts++] = copy;
    *text = copy;
    return SS_OK;
}

static ss_status keep_all(ss_scene *s, int count, const char **text)
{
    for (int k = 0; k < count; k++) {
        SS_TRY(keep(s, &text[k]));
    }
    return SS_OK;
}

/* rows x columns entries of a list; *out is a copy of it. A size that is not positive is refused when the scene is compiled. */
static ss_status keep_list(ss_scene *s, int rows, int columns, size_t size, const void *list, void **out)
{
    *out = NULL;
    if (!list || rows <= 0 || columns <= 0) {
        return SS_OK;
    }
    const size_t count = (size_t)rows * (size_t)columns;
    SS_TRY(ss_reserve(s->ctx, &s->text, &s->text_cap, s->texts + 1, sizeof *s->text));
    SS_TRY(ss_calloc(s->ctx, count, size, out));
    memcpy(*out, list, count * size);
    s->text[s->texts++] = *out;
    return SS_OK;
}

static ss_status keep_numbers(ss_scene *s, int rows, int columns, const double **list)
{
    void *copy;
    SS_TRY(keep_list(s, rows, columns, sizeof **list, *list, &copy));
    *list = copy ? copy : *list;
    return SS_OK;
}

static ss_status keep_integers(ss_scene *s, int rows, int columns, const int **list)
{
    void *copy;
    SS_TRY(keep_list(s, rows, columns, sizeof **list, *list, &copy));
    *list = copy ? copy : *list;
    return SS_OK;
}

static ss_status keep_settings(ss_scene *s, const ss_scene_settings *settings)
{
    ss_scene_settings copy = *settings;
    SS_TRY(keep(s, &copy.name));
    SS_TRY(keep(s, &copy.scheme));
    SS_TRY(keep(s, &copy.solver));
    SS_TRY(keep(s, &copy.exact));
    s->settings = copy;
    return SS_OK;
}

/* ---- life ----------------------------------------------------------------------------------------------- */

ss_status ss_scene_create(ss_context *ctx, const ss_scene_settings *settings, ss_scene **out)
{
    ss_scene_settings chosen = settings ? *settings : ss_scene_settings_default();
    ss_scene *s = NULL;
    *out = NULL;
    SS_TRY(ss_calloc(ctx, 1, sizeof *s, &s));
    s->ctx = ctx;
    ss_status status = keep_settings(s, &chosen);
    if (status != SS_OK) {
        ss_scene_destroy(s);
        return status;
    }
    *out = s;
    return SS_OK;
}

void ss_scene_destroy(ss_scene *s)
{
    if (!s) {
        return;
    }
    for (int k = 0; k < s->texts; k++) {
        ss_free(s->ctx, s->text[k]);
    }
    void *lists[] = { s->text, s->body, s->shape, s->material, s->pair, s->joint, s->force, s->mesh, s->output, s->option, s };
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) {
        ss_free(s->ctx, lists[k]);
    }
}

const ss_scene_settings *ss_scene_get_settings(const ss_scene *s) { return &s->settings; }

ss_status ss_scene_set_settings(ss_scene *s, const ss_scene_settings *settings) { return keep_settings(s, settings); }

/* ---- parts ------------------------------------------------------------------------------------------------ */

ss_status ss_scene_add_body(ss_scene *s, const ss_body_desc *body, int *index)
{
    ss_body_desc copy = *body;
    bool block = copy.block && copy.type == SS_BODY_BLOCK;
    if (block && copy.block->size != sizeof *copy.block) {
        return ss_fail(
            s->ctx, SS_ERR_INPUT,
            "bodies.%d.block: its size is %zu, expected %zu: fill it from ss_block_default() of this version of the library",
            s->bodies, copy.block->size, sizeof *copy.block);
    }
    int n = block ? copy.block->n : 0;
    SS_TRY(keep(s, &copy.name));
    SS_TRY(keep_all(s, 3, copy.motion));
    SS_TRY(keep(s, &copy.motion_angle));
    SS_TRY(keep_numbers(s, n, 1, &copy.block_q));
    SS_TRY(keep_numbers(s, n, 1, &copy.block_v));
    SS_PUSH(s->ctx, s->body, s->bodies, s->body_cap, copy);
    if (index) {
        *index = s->bodies - 1;
    }
    return SS_OK;
}

ss_status ss_scene_add_shape(ss_scene *s, int body, const ss_shape_desc *shape)
{
    ss_scene_shape copy = { body, *shape };
    if (body < 0 || body >= s->bodies) {
        return ss_fail(s->ctx, SS_ERR_INPUT, "shape of body %d: expected a body from 0 to %d", body, s->bodies - 1);
    }
    bool taken;
    SS_TRY(ss_own_shape_put(s, body, shape, &taken));
    if (taken) {
        return SS_OK;
    }
    SS_TRY(keep(s, &copy.desc.type));
    SS_TRY(keep(s, &copy.desc.material));
    SS_TRY(keep_numbers(s, copy.desc.points.n, 3, &copy.desc.points.x));
    SS_TRY(keep_numbers(s, copy.desc.heights.rows, copy.desc.heights.columns, &copy.desc.heights.z));
    SS_PUSH(s->ctx, s->shape, s->shapes, s->shape_cap, copy);
    return SS_OK;
}

ss_status ss_scene_add_material(ss_scene *s, const ss_material_desc *material)
{
    ss_material_desc copy = *material;
    SS_TRY(keep(s, &copy.name));
    SS_PUSH(s->ctx, s->material, s->materials, s->material_cap, copy);
    return SS_OK;
}

ss_status ss_scene_add_pair(ss_scene *s, const ss_pair_desc *pair)
{
    ss_pair_desc copy = *pair;
    SS_TRY(keep_all(s, 2, copy.materials));
    SS_PUSH(s->ctx, s->pair, s->pairs, s->pair_cap, copy);
    return SS_OK;
}

ss_status ss_scene_add_joint(ss_scene *s, const ss_joint_desc *joint, int *index)
{
    ss_joint_desc copy = *joint;
    ss_own_defaults(s->ctx, SS_JOINTS, copy.type, offsetof(ss_joint_desc, number), copy.number);
    SS_TRY(keep(s, &copy.name));
    SS_TRY(keep(s, &copy.type));
    SS_TRY(keep_all(s, 2, copy.bodies));
    SS_TRY(keep(s, &copy.motor.speed));
    SS_TRY(keep(s, &copy.motor.force));
    SS_TRY(keep(s, &copy.motor.position));
    SS_TRY(keep_all(s, 2, copy.gearing.joints));
    SS_PUSH(s->ctx, s->joint, s->joints, s->joint_cap, copy);
    if (index) {
        *index = s->joints - 1;
    }
    return SS_OK;
}

ss_status ss_scene_add_force(ss_scene *s, const ss_force_desc *force, int *index)
{
    ss_force_desc copy = *force;
    ss_own_defaults(s->ctx, SS_FORCES, copy.type, offsetof(ss_force_desc, number), copy.number);
    SS_TRY(keep(s, &copy.name));
    SS_TRY(keep(s, &copy.type));
    SS_TRY(keep(s, &copy.body));
    SS_TRY(keep_all(s, 2, copy.bodies));
    SS_TRY(keep_all(s, 3, copy.force_t));
    SS_TRY(keep_all(s, 3, copy.torque_t));
    SS_TRY(keep_numbers(s, copy.table.rows, 1, &copy.table.t));
    SS_TRY(keep_numbers(s, copy.table.rows, 3, &copy.table.force));
    SS_TRY(keep_numbers(s, copy.table.rows, 3, &copy.table.torque));
    SS_PUSH(s->ctx, s->force, s->forces, s->force_cap, copy);
    if (index) {
        *index = s->forces - 1;
    }
    return SS_OK;
}

static ss_status keep_solid(ss_scene *s, ss_solid_desc *solid)
{
    ss_mesh_data *mesh = &solid->data;
    SS_TRY(keep_all(s, SS_SIDES, solid->side));
    SS_TRY(keep(s, &solid->mesh));
    SS_TRY(keep(s, &solid->held));
    SS_TRY(keep(s, &solid->holder));
    SS_TRY(keep_numbers(s, mesh->nodes, 3, &mesh->x));
    SS_TRY(keep_integers(s, mesh->cells, s->settings.dimension + 1, &mesh->cell));
    return keep_integers(s, mesh->held_nodes, 1, &mesh->held);
}

ss_status ss_scene_add_elements(ss_scene *s, const ss_elements_desc *elements)
{
    ss_elements_desc copy = *elements;
    SS_TRY(keep(s, &copy.name));
    SS_TRY(keep(s, &copy.type));
    SS_TRY(keep(s, &copy.first));
    SS_TRY(keep(s, &copy.last));
    SS_TRY(keep(s, &copy.material));
    SS_TRY(keep_solid(s, &copy.solid));
    SS_PUSH(s->ctx, s->mesh, s->meshes, s->mesh_cap, copy);
    return SS_OK;
}

ss_status ss_scene_add_output(ss_scene *s, const ss_output_desc *output)
{
    ss_output_desc copy = *output;
    SS_TRY(keep(s, &copy.name));
    SS_TRY(keep(s, &copy.type));
    SS_TRY(keep(s, &copy.joint));
    SS_TRY(keep(s, &copy.body));
    SS_TRY(keep_all(s, 2, copy.bodies));
    SS_PUSH(s->ctx, s->output, s->outputs, s->output_cap, copy);
    return SS_OK;
}

/* the place of an option that was set before, or of a new one */
static ss_status option_place(ss_scene *s, const char *section, const char *key, ss_scene_option **out)
{
    for (int k = 0; k < s->options; k++) {
        if (strcmp(s->option[k].section, section) == 0 && strcmp(s->option[k].setting.key, key) == 0) {
            *out = &s->option[k];
            return SS_OK;
        }
    }
    const char *kept = section;
    SS_TRY(keep(s, &kept));
    ss_scene_option fresh = { s->text[s->texts - 1], { key, 0, NULL } };
    SS_PUSH(s->ctx, s->option, s->options, s->option_cap, fresh);
    *out = &s->option[s->options - 1];
    return SS_OK;
}

ss_status ss_scene_set_option(ss_scene *s, const char *section, const ss_setting *setting)
{
    ss_setting copy = *setting;
    ss_scene_option *place = NULL;
    if (!section || (strcmp(section, "scheme") != 0 && strcmp(section, "solver") != 0 && strcmp(section, "exact") != 0)) {
        return ss_fail(s->ctx, SS_ERR_INPUT, "section \"%.60s\": expected scheme, solver or exact", section ? section : "");
    }
    if (!copy.key || !*copy.key) {
        return ss_fail(s->ctx, SS_ERR_INPUT, "%s: an option needs a name", section);
    }
    SS_TRY(keep(s, &copy.key));
    SS_TRY(keep(s, &copy.text));
    SS_TRY(option_place(s, section, copy.key, &place));
    place->setting = copy;
    return SS_OK;
}

/* Is it NAME.i with a node i that is a body of its own? */
static bool is_node(const ss_elements_desc *d, int dimension, const char *name)
{
    const size_t length = d->name ? strlen(d->name) : 0;
    if (length == 0 || strncmp(name, d->name, length) != 0 || name[length] != '.') {
        return false;
    }
    const int first = d->first ? 1 : 0, last = d->divisions - (d->last ? 1 : 0);
    char node[16];
    const int i = (int)strtol(name + length + 1, NULL, 10);
    snprintf(node, sizeof node, "%d", i);
    const bool written = strcmp(node, name + length + 1) == 0; /* no sign, no zeros in front */
    if (ss_mesh_is_solid(d)) {
        return written && i >= 0 && i < ss_mesh_nodes(d, dimension) && !ss_mesh_holder(d, dimension, i);
    }
    return written && i >= first && i <= last;
}

bool ss_scene_has_body(const ss_scene *s, const char *name)
{
    bool found = false;
    for (int k = 0; k < s->bodies && !found; k++) {
        found = s->body[k].name && strcmp(s->body[k].name, name) == 0;
    }
    for (int k = 0; k < s->meshes && !found; k++) {
        found = is_node(&s->mesh[k], s->settings.dimension, name);
    }
    return found;
}
