/* scene_read.c - a scene from JSON, section by section.
 *
 * Strict: unknown keys, duplicate keys, wrong types and values out of bounds are errors that name the file,
 * the path, what was expected and the nearest valid name. What a part holds is in its table of fields; the
 * code here knows sections and names only. Order: settings, materials and pairs, bodies with their shapes,
 * flexible bodies, then joints, forces and outputs, so that every name can be checked where it is used. */
#include "io/authoring.h"

#include <errno.h>
#include <slipstick/io.h>
#include <stdio.h>

/* ---- parts ------------------------------------------------------------------------------------- */

static bool has_material(const ss_reader *r, const char *name)
{
    const ss_scene *s = r->scene;
    int k = 0;
    while (k < s->materials && strcmp(s->material[k].name, name) != 0) {
        k++;
    }
    return k < s->materials;
}

/* what a name of a material means here; NULL stays NULL */
static ss_status find_material(ss_reader *r, const char *key, const char **name)
{
    const char **names;
    const ss_scene *s = r->scene;
    if (!*name) {
        return SS_OK;
    }
    SS_TRY(ss_scope_find(r, *name, has_material, name));
    if (has_material(r, *name)) {
        return SS_OK;
    }
    SS_TRY(ss_arena_take(r->arena, (size_t)s->materials + 1, sizeof *names, &names));
    for (int k = 0; k < s->materials; k++) {
        names[k] = s->material[k].name;
    }
    ss_path_key(r, key);
    return ss_reader_unknown(r, "material", *name, names);
}

static ss_status read_material(ss_reader *r, json_t *item, void *user)
{
    ss_material_desc desc = ss_material_desc_default();
    (void)user;
    SS_TRY(ss_item_read(r, "materials", item, ss_material_fields(), NULL, &desc));
    SS_TRY(ss_scope_name(r, desc.name, &desc.name));
    return ss_reader_within(r, ss_scene_add_material(r->scene, &desc));
}

static ss_status read_pair(ss_reader *r, json_t *item, void *user)
{
    ss_pair_desc desc = ss_pair_desc_default();
    (void)user;
    SS_TRY(ss_item_read(r, "pairs", item, ss_pair_fields(), NULL, &desc));
    SS_TRY(find_material(r, "materials[0]", &desc.materials[0]));
    SS_TRY(find_material(r, "materials[1]", &desc.materials[1]));
    return ss_reader_within(r, ss_scene_add_pair(r->scene, &desc));
}

/* "type" of a shape, joint or force: registered, and made for this dimension */
static ss_status read_type(ss_reader *r, ss_registry registry, const char *what, const json_t *item, const ss_entry **entry)
{
    const json_t *type = ss_item_value(r, ss_registry_name(registry), item, "type");
    if (!json_is_object(item)) {
        return ss_reader_expected(r, "an object {\"type\": ..}", item);
    }
    size_t mark = ss_path_key(r, "type");
    SS_TRY(ss_reader_entry(r, registry, what, type, entry));
    if ((*entry)->dimensions && !((*entry)->dimensions & (1u << r->dimension))) {
        return ss_reader_fail(r, "%s is not available in %dD scenes", (*entry)->name, r->dimension);
    }
    ss_path_back(r, mark);
    return SS_OK;
}

static ss_status read_shape(ss_reader *r, json_t *item, void *user)
{
    const int *body = user;
    ss_shape_desc desc = ss_shape_desc_default();
    const ss_entry *entry;
    SS_TRY(read_type(r, SS_SHAPES, "type of shape", item, &entry));
    desc.type = entry->name;
    SS_TRY(ss_item_read(r, "shapes", item, entry->fields, NULL, &desc));
    SS_TRY(find_material(r, "material", &desc.material));
    return ss_reader_within(r, ss_scene_add_shape(r->scene, *body, &desc));
}

/* rigid if none is given; user blocks have callbacks, so no file can describe them */
static ss_status read_body_type(ss_reader *r, const json_t *item, ss_body_type *type)
{
    const json_t *given = ss_item_value(r, "bodies", item, "type");
    const char *names[SS_BODY_BLOCK + 1], *word = given ? json_string_value(given) : ss_body_type_name(SS_BODY_RIGID);
    if (!json_is_object(item)) {
        return ss_reader_expected(r, "an object {\"name\": .., \"type\": ..}", item);
    }
    for (int k = 0; k < SS_BODY_BLOCK; k++) {
        names[k] = ss_body_type_name((ss_body_type)k);
        if (word && strcmp(word, names[k]) == 0) {
            *type = (ss_body_type)k;
            return SS_OK;
        }
    }
    names[SS_BODY_BLOCK] = NULL;
    ss_path_key(r, "type");
    return word ? ss_reader_unknown(r, "type of body", word, names)
                : ss_reader_expected(r, "particle, rigid, fixed or driven", given);
}

/* what a list is in: the item itself, or the defaults that have it */
static const json_t *holder_of(const ss_reader *r, const json_t *item, const char *key)
{
    const ss_scope *s = r->scope;
    while (!json_object_get(item, key) && s) {
        item = json_object_get(s->defaults, "bodies");
        s = s->outer;
    }
    return item;
}

static ss_status read_body(ss_reader *r, json_t *item, void *user)
{
    static const char *const body_keys[] = { "shapes", NULL };
    ss_body_desc desc = ss_body_desc_default();
    int index, number;
    (void)user;
    SS_TRY(read_body_type(r, item, &desc.type));
    SS_TRY(ss_item_read(r, "bodies", item, ss_body_fields(desc.type), body_keys, &desc));
    SS_TRY(ss_scope_name(r, desc.name, &desc.name));
    SS_TRY(ss_place_body(r, &desc));
    SS_TRY(ss_reader_within(r, ss_scene_add_body(r->scene, &desc, &index)));
    SS_TRY(desc.name ? ss_name_table_number(r->ctx, &r->bodies, desc.name, &number) : SS_OK);
    return ss_list_each(r, holder_of(r, item, "shapes"), "shapes", read_shape, &index);
}

/* Couplings may name joints that come after them: all names are known before the first joint is read. */
static ss_status note_joint(ss_reader *r, json_t *item, void *user)
{
    const char *name = json_string_value(ss_item_value(r, "joints", item, "name"));
    int number;
    (void)user;
    if (!name) {
        return SS_OK; /* none, or not a text, which is refused when it is read */
    }
    SS_TRY(ss_text_expand(r, name, &name));
    SS_TRY(ss_scope_name(r, name, &name));
    return ss_name_table_number(r->ctx, &r->joints, name, &number);
}

static bool has_joint(const ss_reader *r, const char *name) { return ss_name_table_has(&r->joints, name); }

static ss_status read_joint(ss_reader *r, json_t *item, void *user)
{
    ss_joint_desc desc = ss_joint_desc_default();
    const ss_entry *entry;
    (void)user;
    SS_TRY(read_type(r, SS_JOINTS, "type of joint", item, &entry));
    desc.type = entry->name;
    SS_TRY(ss_item_read(r, "joints", item, entry->fields, NULL, &desc));
    SS_TRY(ss_scope_name(r, desc.name, &desc.name));
    for (int k = 0; k < 2 && desc.gearing.joints[k]; k++) {
        SS_TRY(ss_scope_find(r, desc.gearing.joints[k], has_joint, &desc.gearing.joints[k]));
    }
    ss_place_joint(r, entry, &desc);
    return ss_reader_within(r, ss_scene_add_joint(r->scene, &desc, NULL));
}

static ss_status read_force(ss_reader *r, json_t *item, void *user)
{
    ss_force_desc desc = ss_force_desc_default();
    const ss_entry *entry;
    (void)user;
    SS_TRY(read_type(r, SS_FORCES, "type of force", item, &entry));
    desc.type = entry->name;
    SS_TRY(ss_item_read(r, "forces", item, entry->fields, NULL, &desc));
    SS_TRY(ss_scope_name(r, desc.name, &desc.name));
    SS_TRY(ss_place_force(r, entry, &desc));
    return ss_reader_within(r, ss_scene_add_force(r->scene, &desc, NULL));
}

static ss_status read_elements(ss_reader *r, json_t *item, void *user)
{
    ss_elements_desc desc = ss_elements_desc_default();
    const ss_entry *entry;
    (void)user;
    SS_TRY(read_type(r, SS_ELEMENTS, "type of element", item, &entry));
    desc.type = entry->name;
    SS_TRY(ss_item_read(r, "elements", item, entry->fields, NULL, &desc));
    SS_TRY(ss_scope_name(r, desc.name, &desc.name));
    SS_TRY(find_material(r, "material", &desc.material));
    SS_TRY(desc.solid.mesh ? ss_mesh_read(r, &desc.solid) : SS_OK);
    ss_place_elements(r, &desc);
    return ss_reader_within(r, ss_scene_add_elements(r->scene, &desc));
}

/* names of parts are looked up as everywhere in groups; whether there is such a joint is seen when the scene is compiled */
static ss_status read_output(ss_reader *r, json_t *item, void *user)
{
    ss_output_desc desc = ss_output_desc_default();
    const ss_entry *entry;
    (void)user;
    SS_TRY(read_type(r, SS_OUTPUTS, "type of output", item, &entry));
    desc.type = entry->name;
    SS_TRY(ss_item_read(r, "outputs", item, entry->fields, NULL, &desc));
    SS_TRY(ss_scope_name(r, desc.name, &desc.name));
    SS_TRY(desc.joint ? ss_scope_find(r, desc.joint, has_joint, &desc.joint) : SS_OK);
    ss_place_output(r, &desc);
    return ss_reader_within(r, ss_scene_add_output(r->scene, &desc));
}

static ss_status read_parts(ss_reader *r, json_t *root)
{
    SS_TRY(ss_scope_begin(r, root));
    SS_TRY(ss_parts_each(r, root, "materials", read_material));
    SS_TRY(ss_parts_each(r, root, "pairs", read_pair));
    SS_TRY(ss_parts_each(r, root, "bodies", read_body));
    SS_TRY(ss_parts_each(r, root, "elements", read_elements));
    if (r->scene->bodies + r->scene->meshes == 0) {
        return ss_reader_fail(r, "bodies: expected at least one body");
    }
    SS_TRY(ss_parts_each(r, root, "joints", note_joint));
    SS_TRY(ss_parts_each(r, root, "joints", read_joint));
    SS_TRY(ss_parts_each(r, root, "forces", read_force));
    return ss_parts_each(r, root, "outputs", read_output);
}

/* ---- what is only kept ------------------------------------------------------------------------- */

static ss_status keep_text(ss_reader *r, const char *text, char **kept)
{
    ss_scene *s = r->scene;
    SS_TRY(ss_strdup(r->ctx, text, kept));
    ss_status status = ss_reserve(r->ctx, &s->text, &s->text_cap, s->texts + 1, sizeof *s->text);
    if (status != SS_OK) {
        ss_free(r->ctx, *kept);
        *kept = NULL;
        return status;
    }
    s->text[s->texts++] = *kept;
    return SS_OK;
}

static ss_status read_description(ss_reader *r, const json_t *root)
{
    const json_t *description = json_object_get(root, "description");
    if (description && !json_is_string(description)) {
        ss_path_key(r, "description");
        return ss_reader_expected(r, "a text", description);
    }
    return description ? keep_text(r, json_string_value(description), &r->scene->description) : SS_OK;
}

/* ---- the whole --------------------------------------------------------------------------------- */

static ss_status read_tree(ss_reader *r, json_t *root, int sets, const char *const *set)
{
    if (!json_is_object(root)) {
        return ss_reader_fail(r, "expected a scene {\"slipstick\": 1, ..}");
    }
    SS_TRY(ss_includes_load(r, root));
    for (int k = 0; k < sets; k++) {
        SS_TRY(ss_scene_apply_set(r, root, set[k]));
    }
    SS_TRY(ss_parameters_read(r, root));
    SS_TRY(ss_settings_read(r, root));
    SS_TRY(read_parts(r, root));
    return read_description(r, root);
}

ss_status ss_syntax_error(ss_context *ctx, const char *label, const json_error_t *error)
{
    if (error->line <= 0) {
        return ss_fail(ctx, SS_ERR_INPUT, "%s: not JSON: %.100s", label, error->text);
    }
    return ss_fail(ctx, SS_ERR_INPUT, "%s: line %d, column %d: not JSON: %.100s", label, error->line, error->column, error->text);
}

ss_status ss_scene_parse(ss_context *ctx, const char *text, size_t length, const char *label, int sets, const char *const *set,
                         ss_scene **out)
{
    ss_reader r = { .ctx = ctx, .label = label, .scene_label = label };
    json_error_t error;
    *out = NULL;
    json_t *root = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error);
    if (!root) {
        return ss_syntax_error(ctx, label, &error);
    }
    ss_status status = ss_arena_create(ctx, 4096, &r.arena);
    if (status == SS_OK) {
        status = read_tree(&r, root, sets, set);
    }
    json_decref(root);
    ss_arena_destroy(r.arena);
    ss_name_table_clear(ctx, &r.bodies);
    ss_name_table_clear(ctx, &r.joints);
    if (status != SS_OK) {
        ss_scene_destroy(r.scene);
        return status;
    }
    *out = r.scene;
    return SS_OK;
}

/* the whole file in memory; *text is the caller's to free, also after an error */
static ss_status read_stream(ss_context *ctx, FILE *file, const char *path, char **text, size_t *length)
{
    int capacity = 0, used = 0;
    size_t got = 1;
    while (got > 0) {
        enum { CHUNK = 1 << 16 };
        if (used > SS_MOST_MEGABYTES * (1 << 20)) {
            return ss_fail(ctx, SS_ERR_INPUT, "%s: larger than %d MB, the limit for scenes", path, SS_MOST_MEGABYTES);
        }
        SS_TRY(ss_reserve(ctx, text, &capacity, used + CHUNK, 1));
        got = fread(*text + used, 1, CHUNK, file);
        used += (int)got;
    }
    if (ferror(file)) {
        return ss_fail(ctx, SS_ERR_IO, "%s: cannot be read: %s", path, strerror(errno));
    }
    *length = (size_t)used;
    return SS_OK;
}

ss_status ss_file_text(ss_context *ctx, const char *path, char **text, size_t *length)
{
    *text = NULL;
    *length = 0;
    FILE *file = fopen(path, "rb");
    if (!file) {
        return ss_fail(ctx, SS_ERR_IO, "%s: cannot be opened: %s", path, strerror(errno));
    }
    ss_status status = read_stream(ctx, file, path, text, length);
    fclose(file);
    return status;
}

ss_status ss_scene_read(ss_context *ctx, const char *path, int sets, const char *const *set, ss_scene **out)
{
    char *text;
    size_t length;
    *out = NULL;
    ss_status status = ss_file_text(ctx, path, &text, &length);
    if (status == SS_OK) {
        status = ss_scene_parse(ctx, text, length, path, sets, set, out);
    }
    ss_free(ctx, text);
    return status;
}
