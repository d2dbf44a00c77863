/* settings_read.c - what a scene says besides its parts: version, dimension, time, contacts, output, scheme, solver, exact
 * solution.
 *
 * They come first, because the scene that takes the parts is created with them. */
#include "io/json.h"

#include "base/options.h"
#include <math.h>

enum { FORMAT_VERSION = 1 };

/* ---- sections that hold options ---------------------------------------------------------------- */

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
        SS_TRY(ss_reader_entry(r, registry, section, name, entry));
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

/* a section that has nothing but settings */
static ss_status read_settings(ss_reader *r, const json_t *root, const char *key, const ss_field *fields, ss_scene_settings *s)
{
    const json_t *section = json_object_get(root, key);
    size_t mark = ss_path_key(r, key);
    if (section) {
        SS_TRY(ss_fields_read(r, section, fields, NULL, s));
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
            SS_TRY(ss_reader_entry(r, SS_EXACT, "exact solution", name, exact));
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

ss_status ss_settings_read(ss_reader *r, const json_t *root)
{
    ss_scene_settings s = ss_scene_settings_default();
    const ss_entry *scheme, *solver, *exact;
    SS_TRY(read_version(r, root));
    SS_TRY(read_dimension(r, root, &s));
    SS_TRY(ss_fields_read(r, root, ss_settings_fields, ss_section_keys, &s));
    SS_TRY(read_time(r, root, &s));
    SS_TRY(read_settings(r, root, "contacts", ss_contacts_fields, &s));
    SS_TRY(read_settings(r, root, "results", ss_results_fields, &s));
    SS_TRY(read_method(r, root, &s, &scheme, &solver));
    SS_TRY(read_exact(r, root, &s, &exact));
    SS_TRY(ss_reader_within(r, ss_scene_create(r->ctx, &s, &r->scene)));
    SS_TRY(read_method_options(r, root, scheme, solver));
    return read_exact_params(r, root, exact);
}
