/* scene_read.c - a scene from JSON, section by section.
 *
 * Strict: unknown keys, duplicate keys, wrong types and values out of bounds are errors that name the file,
 * the path, what was expected and the nearest valid name. What a part holds is in its table of fields; the
 * code here knows sections and names only. Order: settings, materials and pairs, bodies with their shapes,
 * flexible bodies, then joints and forces, so that every name can be checked where it is used. */
#include "io/json.h"

#include "base/options.h"
#include <errno.h>
#include <math.h>
#include <slipstick/io.h>
#include <stdio.h>

enum { FORMAT_VERSION = 1, MAX_MEGABYTES = 512 };

/* ---- sections that hold options ---------------------------------------------------------------- */

static ss_status read_entry_name(ss_reader *r, ss_registry registry, const char *what, const json_t *value,
                                 const ss_entry **entry)
{
    if (!json_is_string(value)) {
        return ss_reader_expected(r, what, value);
    }
    *entry = ss_registry_find(registry, json_string_value(value));
    if (!*entry) {
        const char *const *names;
        SS_TRY(ss_reader_names(r, registry, &names));
        return ss_reader_unknown(r, what, json_string_value(value), names);
    }
    return SS_OK;
}

/* "name" of a scheme or solver section; absent: the default */
static ss_status read_section_name(ss_reader *r, const char *section, ss_registry registry, const json_t *object,
                                   const char *fallback, const ss_entry **entry)
{
    const json_t *name = json_object_get(object, "name");
    if (object && !json_is_object(object)) {
        return ss_reader_expected(r, "an object {\"name\": ..}", object);
    }
    *entry = ss_registry_find(registry, fallback);
    size_t mark = ss_path_key(r, "name");
    if (name) {
        SS_TRY(read_entry_name(r, registry, section, name, entry));
    }
    ss_path_back(r, mark);
    return SS_OK;
}

/* Options in the entry's table are checked against it, then kept by name. */
static ss_status keep_options(ss_reader *r, const char *section, const json_t *object, const ss_entry *entry, const void *params)
{
    for (const ss_field *f = entry->fields; f && f->name; f++) {
        const char *at = (const char *)params + f->offset;
        ss_setting setting = { .key = f->name };
        char word[64];
        if (!json_object_get(object, f->name)) {
            continue;
        }
        if (f->type == SS_FIELD_CHOICE) {
            ss_choice_text(f->choices, *(const int *)(const void *)at, word, sizeof word);
            setting.text = word;
        } else if (f->type == SS_FIELD_NUMBER) {
            setting.number = *(const double *)(const void *)at;
        } else {
            setting.number = f->type == SS_FIELD_BOOL ? *(const bool *)at : *(const int *)(const void *)at;
        }
        SS_TRY(ss_scene_set_option(r->scene, section, &setting));
    }
    return SS_OK;
}

static const ss_field no_fields[] = { SS_FIELD_END };

static ss_status read_options(ss_reader *r, const char *section, const json_t *object, const ss_entry *entry,
                              const char *const *extra)
{
    void *params;
    if (!object) {
        return SS_OK;
    }
    SS_TRY(ss_arena_take(r->arena, entry->params_size + 1, 1, &params));
    SS_TRY(ss_fields_read(r, object, entry->fields ? entry->fields : no_fields, extra, params));
    return keep_options(r, section, object, entry, params);
}

/* ---- settings ---------------------------------------------------------------------------------- */

static ss_status read_version(ss_reader *r, const json_t *root)
{
    const json_t *value = json_object_get(root, "slipstick");
    size_t mark = ss_path_key(r, "slipstick");
    if (!json_is_integer(value) || json_integer_value(value) != FORMAT_VERSION) {
        return ss_reader_expected(r, "1, the version of the format", value);
    }
    ss_path_back(r, mark);
    return SS_OK;
}

static ss_status read_dimension(ss_reader *r, const json_t *root, ss_scene_settings *s)
{
    const json_t *value = json_object_get(root, "dimension");
    size_t mark = ss_path_key(r, "dimension");
    if (!json_is_integer(value) || (json_integer_value(value) != 2 && json_integer_value(value) != 3)) {
        return ss_reader_expected(r, "2 or 3", value);
    }
    ss_path_back(r, mark);
    r->dimension = s->dimension = (int)json_integer_value(value);
    return SS_OK;
}

/* Near the end the clock must still move: otherwise a run would never get there. */
static ss_status check_step(ss_reader *r, const ss_scene_settings *s)
{
    if (isnan(s->until) || isnan(s->step) || s->until + s->step != s->until) {
        return SS_OK;
    }
    ss_path_key(r, "step");
    return ss_reader_fail(r, "%.6g s is lost in until = %.6g s: until + step is until in double precision", s->step, s->until);
}

static ss_status read_time(ss_reader *r, const json_t *root, ss_scene_settings *s)
{
    const json_t *time = json_object_get(root, "time");
    size_t mark = ss_path_key(r, "time");
    if (time) {
        SS_TRY(ss_fields_read(r, time, ss_time_fields, NULL, s));
        SS_TRY(check_step(r, s));
    }
    ss_path_back(r, mark);
    return SS_OK;
}

static ss_status read_contacts(ss_reader *r, const json_t *root, ss_scene_settings *s)
{
    const json_t *contacts = json_object_get(root, "contacts");
    size_t mark = ss_path_key(r, "contacts");
    if (contacts) {
        SS_TRY(ss_fields_read(r, contacts, ss_contacts_fields, NULL, s));
    }
    ss_path_back(r, mark);
    return SS_OK;
}

/* {"name": .., "params": {..}}; no section, or the name "none": NULL */
static ss_status read_exact(ss_reader *r, const json_t *root, ss_scene_settings *s, const ss_entry **exact)
{
    static const char *const keys[] = { "name", "params", NULL };
    const json_t *section = json_object_get(root, "exact"), *name = json_object_get(section, "name");
    size_t mark = ss_path_key(r, "exact");
    *exact = NULL;
    if (section) {
        SS_TRY(ss_fields_read(r, section, no_fields, keys, s));
        size_t inner = ss_path_key(r, "name");
        if (!json_is_string(name) || strcmp(json_string_value(name), "none") != 0) {
            SS_TRY(read_entry_name(r, SS_EXACT, "exact solution", name, exact));
        }
        ss_path_back(r, inner);
    }
    ss_path_back(r, mark);
    s->exact = *exact ? (*exact)->name : NULL;
    return SS_OK;
}

/* "tol" of the solver section belongs to the scene's settings, the rest to the solver */
static ss_status read_solver_tol(ss_reader *r, const json_t *solver, ss_scene_settings *s)
{
    const ss_field *tol = &ss_solver_section_fields[0];
    const json_t *value = json_object_get(solver, tol->name);
    size_t mark = ss_path_key(r, tol->name);
    if (value) {
        SS_TRY(ss_field_read(r, tol, value, s));
    }
    ss_path_back(r, mark);
    return SS_OK;
}

static ss_status read_method(ss_reader *r, const json_t *root, ss_scene_settings *s, const ss_entry **scheme,
                             const ss_entry **solver)
{
    const json_t *section = json_object_get(root, "scheme");
    size_t mark = ss_path_key(r, "scheme");
    SS_TRY(read_section_name(r, "scheme", SS_SCHEMES, section, SS_DEFAULT_SCHEME, scheme));
    ss_path_back(r, mark);

    section = json_object_get(root, "solver");
    mark = ss_path_key(r, "solver");
    SS_TRY(read_section_name(r, "solver", SS_SOLVERS, section, SS_DEFAULT_SOLVER, solver));
    SS_TRY(read_solver_tol(r, section, s));
    ss_path_back(r, mark);
    s->scheme = (*scheme)->name;
    s->solver = (*solver)->name;
    return SS_OK;
}

static ss_status read_exact_params(ss_reader *r, const json_t *root, const ss_entry *exact)
{
    const json_t *params = json_object_get(json_object_get(root, "exact"), "params");
    size_t mark = ss_path_key(r, "exact");
    size_t inner = ss_path_key(r, "params");
    if (exact) {
        SS_TRY(read_options(r, "exact", params, exact, NULL));
    } else if (params) {
        SS_TRY(ss_fields_read(r, params, no_fields, NULL, NULL));
    }
    ss_path_back(r, inner);
    ss_path_back(r, mark);
    return SS_OK;
}

static ss_status read_method_options(ss_reader *r, const json_t *root, const ss_entry *scheme, const ss_entry *solver)
{
    static const char *const scheme_keys[] = { "name", NULL }, *const solver_keys[] = { "name", "tol", NULL };
    size_t mark = ss_path_key(r, "scheme");
    SS_TRY(read_options(r, "scheme", json_object_get(root, "scheme"), scheme, scheme_keys));
    ss_path_back(r, mark);
    mark = ss_path_key(r, "solver");
    SS_TRY(read_options(r, "solver", json_object_get(root, "solver"), solver, solver_keys));
    ss_path_back(r, mark);
    return SS_OK;
}

/* an error of the scene itself already has its path: put the file before it */
static ss_status from_scene(ss_reader *r, ss_status status)
{
    return status == SS_OK ? SS_OK : ss_fail_within(r->ctx, status, "%s", r->label);
}

static ss_status read_settings(ss_reader *r, const json_t *root)
{
    ss_scene_settings s = ss_scene_settings_default();
    const ss_entry *scheme, *solver, *exact;
    SS_TRY(read_version(r, root));
    SS_TRY(read_dimension(r, root, &s));
    SS_TRY(ss_fields_read(r, root, ss_settings_fields, ss_section_keys, &s));
    SS_TRY(read_time(r, root, &s));
    SS_TRY(read_contacts(r, root, &s));
    SS_TRY(read_method(r, root, &s, &scheme, &solver));
    SS_TRY(read_exact(r, root, &s, &exact));
    SS_TRY(from_scene(r, ss_scene_create(r->ctx, &s, &r->scene)));
    SS_TRY(read_method_options(r, root, scheme, solver));
    return read_exact_params(r, root, exact);
}

/* ---- parts ------------------------------------------------------------------------------------- */

static ss_status check_material(ss_reader *r, const char *key, const char *name)
{
    const char **names;
    const ss_scene *s = r->scene;
    for (int k = 0; k < s->materials; k++) {
        if (strcmp(s->material[k].name, name) == 0) {
            return SS_OK;
        }
    }
    SS_TRY(ss_arena_take(r->arena, (size_t)s->materials + 1, sizeof *names, &names));
    for (int k = 0; k < s->materials; k++) {
        names[k] = s->material[k].name;
    }
    ss_path_key(r, key);
    return ss_reader_unknown(r, "material", name, names);
}

static ss_status read_material(ss_reader *r, const json_t *item)
{
    ss_material_desc desc = ss_material_desc_default();
    SS_TRY(ss_fields_read(r, item, ss_material_fields(), NULL, &desc));
    return from_scene(r, ss_scene_add_material(r->scene, &desc));
}

static ss_status read_pair(ss_reader *r, const json_t *item)
{
    ss_pair_desc desc = ss_pair_desc_default();
    SS_TRY(ss_fields_read(r, item, ss_pair_fields(), NULL, &desc));
    SS_TRY(check_material(r, "materials[0]", desc.materials[0]));
    SS_TRY(check_material(r, "materials[1]", desc.materials[1]));
    return from_scene(r, ss_scene_add_pair(r->scene, &desc));
}

/* "type" of a shape, joint or force: registered, and made for this dimension */
static ss_status read_type(ss_reader *r, ss_registry registry, const char *what, const json_t *item, const ss_entry **entry)
{
    if (!json_is_object(item)) {
        return ss_reader_expected(r, "an object {\"type\": ..}", item);
    }
    size_t mark = ss_path_key(r, "type");
    SS_TRY(read_entry_name(r, registry, what, json_object_get(item, "type"), entry));
    if ((*entry)->dimensions && !((*entry)->dimensions & (1u << r->dimension))) {
        return ss_reader_fail(r, "%s is not available in %dD scenes", (*entry)->name, r->dimension);
    }
    ss_path_back(r, mark);
    return SS_OK;
}

static ss_status read_shape(ss_reader *r, const json_t *item, int body)
{
    ss_shape_desc desc = ss_shape_desc_default();
    const ss_entry *entry;
    SS_TRY(read_type(r, SS_SHAPES, "type of shape", item, &entry));
    desc.type = entry->name;
    SS_TRY(ss_fields_read(r, item, entry->fields, NULL, &desc));
    if (desc.material) {
        SS_TRY(check_material(r, "material", desc.material));
    }
    return from_scene(r, ss_scene_add_shape(r->scene, body, &desc));
}

static ss_status read_shapes(ss_reader *r, const json_t *body, int index)
{
    const json_t *list = json_object_get(body, "shapes");
    size_t mark = ss_path_key(r, "shapes");
    if (list && !json_is_array(list)) {
        return ss_reader_expected(r, "a list of shapes", list);
    }
    for (size_t k = 0; k < json_array_size(list); k++) {
        size_t inner = ss_path_index(r, k);
        SS_TRY(read_shape(r, json_array_get(list, k), index));
        ss_path_back(r, inner);
    }
    ss_path_back(r, mark);
    return SS_OK;
}

/* user blocks have callbacks, so no file can describe them */
static ss_status read_body_type(ss_reader *r, const json_t *item, ss_body_type *type)
{
    const char *names[SS_BODY_BLOCK + 1], *word = json_string_value(json_object_get(item, "type"));
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
                : ss_reader_expected(r, "particle, rigid, fixed or driven", json_object_get(item, "type"));
}

static ss_status read_body(ss_reader *r, const json_t *item)
{
    static const char *const body_keys[] = { "shapes", NULL };
    ss_body_desc desc = ss_body_desc_default();
    int index;
    SS_TRY(read_body_type(r, item, &desc.type));
    SS_TRY(ss_fields_read(r, item, ss_body_fields(desc.type), body_keys, &desc));
    SS_TRY(from_scene(r, ss_scene_add_body(r->scene, &desc, &index)));
    return read_shapes(r, item, index);
}

static ss_status read_joint(ss_reader *r, const json_t *item)
{
    ss_joint_desc desc = ss_joint_desc_default();
    const ss_entry *entry;
    SS_TRY(read_type(r, SS_JOINTS, "type of joint", item, &entry));
    desc.type = entry->name;
    SS_TRY(ss_fields_read(r, item, entry->fields, NULL, &desc));
    return from_scene(r, ss_scene_add_joint(r->scene, &desc, NULL));
}

static ss_status read_force(ss_reader *r, const json_t *item)
{
    ss_force_desc desc = ss_force_desc_default();
    const ss_entry *entry;
    SS_TRY(read_type(r, SS_FORCES, "type of force", item, &entry));
    desc.type = entry->name;
    SS_TRY(ss_fields_read(r, item, entry->fields, NULL, &desc));
    return from_scene(r, ss_scene_add_force(r->scene, &desc, NULL));
}

static ss_status read_elements(ss_reader *r, const json_t *item)
{
    ss_elements_desc desc = ss_elements_desc_default();
    const ss_entry *entry;
    SS_TRY(read_type(r, SS_ELEMENTS, "type of element", item, &entry));
    desc.type = entry->name;
    SS_TRY(ss_fields_read(r, item, entry->fields, NULL, &desc));
    if (desc.material) {
        SS_TRY(check_material(r, "material", desc.material));
    }
    SS_TRY(desc.solid.mesh ? ss_mesh_read(r, &desc.solid) : SS_OK);
    return from_scene(r, ss_scene_add_elements(r->scene, &desc));
}

/* every item of a list at the top, in order */
static ss_status read_list(ss_reader *r, const json_t *root, const char *key, ss_status (*read)(ss_reader *, const json_t *))
{
    const json_t *list = json_object_get(root, key);
    size_t mark = ss_path_key(r, key);
    if (list && !json_is_array(list)) {
        return ss_reader_expected(r, "a list [..]", list);
    }
    for (size_t k = 0; k < json_array_size(list); k++) {
        const json_t *item = json_array_get(list, k);
        size_t inner = ss_path_item(r, item, k);
        SS_TRY(read(r, item));
        ss_path_back(r, inner);
    }
    ss_path_back(r, mark);
    return SS_OK;
}

static ss_status read_parts(ss_reader *r, const json_t *root)
{
    SS_TRY(read_list(r, root, "materials", read_material));
    SS_TRY(read_list(r, root, "pairs", read_pair));
    SS_TRY(read_list(r, root, "bodies", read_body));
    SS_TRY(read_list(r, root, "elements", read_elements));
    if (r->scene->bodies + r->scene->meshes == 0) {
        return ss_reader_fail(r, "bodies: expected at least one body");
    }
    SS_TRY(read_list(r, root, "joints", read_joint));
    return read_list(r, root, "forces", read_force);
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
    for (int k = 0; k < sets; k++) {
        SS_TRY(ss_scene_apply_set(r, root, set[k]));
    }
    SS_TRY(ss_parameters_read(r, root));
    SS_TRY(read_settings(r, root));
    SS_TRY(read_parts(r, root));
    return read_description(r, root);
}

static ss_status syntax_error(ss_context *ctx, const char *label, const json_error_t *error)
{
    if (error->line <= 0) {
        return ss_fail(ctx, SS_ERR_INPUT, "%s: not JSON: %.100s", label, error->text);
    }
    return ss_fail(ctx, SS_ERR_INPUT, "%s: line %d, column %d: not JSON: %.100s", label, error->line, error->column, error->text);
}

ss_status ss_scene_parse(ss_context *ctx, const char *text, size_t length, const char *label, int sets, const char *const *set,
                         ss_scene **out)
{
    ss_reader r = { .ctx = ctx, .label = label };
    json_error_t error;
    *out = NULL;
    json_t *root = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error);
    if (!root) {
        return syntax_error(ctx, label, &error);
    }
    ss_status status = ss_arena_create(ctx, 4096, &r.arena);
    if (status == SS_OK) {
        status = read_tree(&r, root, sets, set);
    }
    json_decref(root);
    ss_arena_destroy(r.arena);
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
        if (used > MAX_MEGABYTES * (1 << 20)) {
            return ss_fail(ctx, SS_ERR_INPUT, "%s: larger than %d MB, the limit for scenes", path, MAX_MEGABYTES);
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
