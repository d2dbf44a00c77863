/* scene_write.c - a scene as JSON text: everything that was understood, defaults filled in.
 *
 * What it writes, ss_scene_read reads back to the same scene, bit for bit. */
#include "io/json.h"

#include "base/extensions.h"
#include "base/options.h"
#include <slipstick/io.h>

static ss_status no_memory(ss_context *ctx) { return ss_fail(ctx, SS_ERR_MEMORY, "out of memory while writing a scene"); }

/* an empty object in a list; the reference is the list's */
static ss_status add_item(ss_context *ctx, json_t *list, json_t **item)
{
    *item = json_object();
    return json_array_append_new(list, *item) == 0 ? SS_OK : no_memory(ctx);
}

static ss_status add_section(ss_context *ctx, json_t *root, const char *key, json_t *empty, json_t **section)
{
    *section = empty;
    return json_object_set_new(root, key, empty) == 0 ? SS_OK : no_memory(ctx);
}

/* ---- options ----------------------------------------------------------------------------------- */

/* the defaults of the table, then what the scene sets */
static ss_status write_options(const ss_scene *s, json_t *object, const char *section, const ss_entry *entry)
{
    void *params;
    SS_TRY(ss_calloc(s->ctx, entry->params_size + 1, 1, &params));
    ss_fields_default(entry->fields, params);
    ss_status status = SS_OK;
    for (int k = 0; k < s->options && status == SS_OK; k++) {
        if (strcmp(s->option[k].section, section) == 0) {
            status = ss_fields_set(s->ctx, entry->fields, params, section, &s->option[k].setting);
        }
    }
    if (status == SS_OK) {
        status = ss_fields_write(s->ctx, object, entry->fields, s->settings.dimension, params);
    }
    ss_free(s->ctx, params);
    return status;
}

static ss_status write_method(const ss_scene *s, json_t *root, const char *section, ss_registry registry, const char *name)
{
    json_t *object;
    const ss_entry *entry = ss_registry_find(registry, name);
    SS_TRY(add_section(s->ctx, root, section, json_object(), &object));
    if (!entry || json_object_set_new(object, "name", json_string(entry->name)) != 0) {
        return ss_fail(s->ctx, SS_ERR_INPUT, "%s.name: unknown %s \"%s\"", section, section, name);
    }
    if (registry == SS_SOLVERS) {
        SS_TRY(ss_fields_write(s->ctx, object, ss_solver_section_fields, s->settings.dimension, &s->settings));
    }
    return write_options(s, object, section, entry);
}

static ss_status write_exact(const ss_scene *s, json_t *root)
{
    json_t *object, *params;
    const ss_entry *entry = ss_registry_find(SS_EXACT, s->settings.exact);
    SS_TRY(add_section(s->ctx, root, "exact", json_object(), &object));
    if (!entry || json_object_set_new(object, "name", json_string(entry->name)) != 0) {
        return ss_fail(s->ctx, SS_ERR_INPUT, "exact.name: unknown exact solution \"%s\"", s->settings.exact);
    }
    if (!entry->fields) {
        return SS_OK;
    }
    SS_TRY(add_section(s->ctx, object, "params", json_object(), &params));
    return write_options(s, params, "exact", entry);
}

static ss_status write_settings(const ss_scene *s, json_t *root)
{
    json_t *time, *contacts, *results;
    const ss_scene_settings *set = &s->settings;
    if (json_object_set_new(root, "slipstick", json_integer(1)) != 0 ||
        json_object_set_new(root, "dimension", json_integer(set->dimension)) != 0) {
        return no_memory(s->ctx);
    }
    SS_TRY(ss_fields_write(s->ctx, root, ss_settings_fields, set->dimension, set));
    if (s->description && json_object_set_new(root, "description", json_string(s->description)) != 0) {
        return no_memory(s->ctx);
    }
    SS_TRY(add_section(s->ctx, root, "time", json_object(), &time));
    SS_TRY(ss_fields_write(s->ctx, time, ss_time_fields, set->dimension, set));
    SS_TRY(add_section(s->ctx, root, "contacts", json_object(), &contacts));
    SS_TRY(ss_fields_write(s->ctx, contacts, ss_contacts_fields, set->dimension, set));
    SS_TRY(add_section(s->ctx, root, "results", json_object(), &results));
    SS_TRY(ss_fields_write(s->ctx, results, ss_results_fields, set->dimension, set));
    SS_TRY(write_method(s, root, "scheme", SS_SCHEMES, set->scheme ? set->scheme : "anitescu_potra"));
    return write_method(s, root, "solver", SS_SOLVERS, set->solver ? set->solver : "auto");
}

/* ---- parts ------------------------------------------------------------------------------------- */

static ss_status write_materials(const ss_scene *s, json_t *root)
{
    json_t *list, *item;
    SS_TRY(add_section(s->ctx, root, "materials", json_array(), &list));
    for (int k = 0; k < s->materials; k++) {
        SS_TRY(add_item(s->ctx, list, &item));
        SS_TRY(ss_fields_write(s->ctx, item, ss_material_fields(), s->settings.dimension, &s->material[k]));
    }
    SS_TRY(add_section(s->ctx, root, "pairs", json_array(), &list));
    for (int k = 0; k < s->pairs; k++) {
        SS_TRY(add_item(s->ctx, list, &item));
        SS_TRY(ss_fields_write(s->ctx, item, ss_pair_fields(), s->settings.dimension, &s->pair[k]));
    }
    return SS_OK;
}

/* a part by the keys of its type, which a scene made in C may have wrong */
static ss_status write_part(const ss_scene *s, json_t *list, ss_registry registry, const char *type, const void *desc)
{
    const ss_entry *entry = type ? ss_entry_find(s->ctx, registry, type) : NULL;
    json_t *item;
    if (!entry) {
        return ss_fail(s->ctx, SS_ERR_INPUT, "%s.type: \"%.80s\" is not known", ss_registry_name(registry), type ? type : "");
    }
    SS_TRY(add_item(s->ctx, list, &item));
    return ss_fields_write(s->ctx, item, entry->fields, s->settings.dimension, desc);
}

static ss_status write_body_items(const ss_scene *s, json_t *list)
{
    json_t *item, *shapes;
    for (int k = 0; k < s->bodies; k++) {
        const ss_body_desc *desc = &s->body[k];
        SS_TRY(add_item(s->ctx, list, &item));
        SS_TRY(ss_fields_write(s->ctx, item, ss_body_fields(desc->type), s->settings.dimension, desc));
        SS_TRY(add_section(s->ctx, item, "shapes", json_array(), &shapes));
    }
    return SS_OK;
}

/* every shape into the list of its body: one pass, however many bodies there are */
static ss_status write_shapes(const ss_scene *s, const json_t *bodies)
{
    for (int k = 0; k < s->shapes; k++) {
        const ss_shape_desc *desc = &s->shape[k].desc;
        json_t *list = json_object_get(json_array_get(bodies, (size_t)s->shape[k].body), "shapes");
        SS_TRY(write_part(s, list, SS_SHAPES, desc->type, desc));
    }
    return SS_OK;
}

static ss_status write_bodies(const ss_scene *s, json_t *root)
{
    json_t *bodies;
    SS_TRY(add_section(s->ctx, root, "bodies", json_array(), &bodies));
    SS_TRY(write_body_items(s, bodies));
    return write_shapes(s, bodies);
}

static ss_status write_joints(const ss_scene *s, json_t *root)
{
    json_t *list;
    SS_TRY(add_section(s->ctx, root, "joints", json_array(), &list));
    for (int k = 0; k < s->joints; k++) {
        const ss_joint_desc *desc = &s->joint[k];
        SS_TRY(write_part(s, list, SS_JOINTS, desc->type, desc));
    }
    return SS_OK;
}

static ss_status write_forces(const ss_scene *s, json_t *root)
{
    json_t *list;
    SS_TRY(add_section(s->ctx, root, "forces", json_array(), &list));
    for (int k = 0; k < s->forces; k++) {
        const ss_force_desc *desc = &s->force[k];
        SS_TRY(write_part(s, list, SS_FORCES, desc->type, desc));
    }
    return SS_OK;
}

static ss_status write_elements(const ss_scene *s, json_t *root)
{
    json_t *list;
    SS_TRY(add_section(s->ctx, root, "elements", json_array(), &list));
    for (int k = 0; k < s->meshes; k++) {
        const ss_elements_desc *desc = &s->mesh[k];
        SS_TRY(write_part(s, list, SS_ELEMENTS, desc->type, desc));
    }
    return SS_OK;
}

static ss_status write_outputs(const ss_scene *s, json_t *root)
{
    json_t *list;
    SS_TRY(add_section(s->ctx, root, "outputs", json_array(), &list));
    for (int k = 0; k < s->outputs; k++) {
        const ss_output_desc *desc = &s->output[k];
        SS_TRY(write_part(s, list, SS_OUTPUTS, desc->type, desc));
    }
    return SS_OK;
}

static ss_status write_all(const ss_scene *s, json_t *root)
{
    SS_TRY(write_settings(s, root));
    SS_TRY(write_materials(s, root));
    SS_TRY(write_bodies(s, root));
    SS_TRY(write_joints(s, root));
    SS_TRY(write_forces(s, root));
    SS_TRY(s->meshes > 0 ? write_elements(s, root) : SS_OK);
    SS_TRY(s->outputs > 0 ? write_outputs(s, root) : SS_OK);
    return s->settings.exact ? write_exact(s, root) : SS_OK;
}

ss_status ss_scene_to_json(ss_context *ctx, const ss_scene *scene, char **text)
{
    json_t *root = json_object();
    *text = NULL;
    ss_status status = root ? write_all(scene, root) : no_memory(ctx);
    if (status != SS_OK) {
        json_decref(root);
        return status;
    }
    return ss_json_text(ctx, root, JSON_INDENT(2), text);
}
