/* scene_set.c - "path=value" applied to the JSON tree of a scene before it is read.
 *
 * A path is dotted keys; items of a list go by their name (which may itself contain dots: the longest match
 * wins) or by their index, as "bodies.0" or "bodies[0]". The value is JSON, else a number expression, else a
 * string. Only the last key of a path may be new; whether it is a valid one is the reader's business. The
 * sections time, scheme, solver and contacts are made when the file has none. A parameter that the scene does not have is
 * refused, since nothing would depend on it. Paths into an included file lead to its parts
 * alone.
 *
 * Setting scheme.name or solver.name to another name drops the options that belong to the old one alone; one of the same name
 * that takes values of another type is another option. */
#include "io/authoring.h"

#include <slipstick/io.h>
#include <stdio.h>

/* ---- the value --------------------------------------------------------------------------------- */

static ss_status read_value(ss_reader *r, const char *text, json_t **value)
{
    double number;
    *value = json_loads(text, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, NULL);
    if (*value) {
        return SS_OK;
    }
    ss_status status = ss_number_parse(r->ctx, text, &number);
    *value = status == SS_OK ? json_real(number) : json_string(text);
    if (status != SS_ERR_MEMORY && !*value) {
        return ss_reader_fail(r, "the value is not valid UTF-8");
    }
    return status == SS_ERR_MEMORY ? (json_decref(*value), status) : SS_OK;
}

/* ---- the path ---------------------------------------------------------------------------------- */

/* Length of the first key of a path: up to a dot, a bracket or the end. */
static size_t key_length(const char *path) { return strcspn(path, ".["); }

/* Does the path begin with this whole word? */
static bool starts_with(const char *path, const char *word)
{
    size_t n = strlen(word);
    return n > 0 && strncmp(path, word, n) == 0 && (path[n] == '\0' || path[n] == '.' || path[n] == '[');
}

static const char *after(const char *path, size_t length)
{
    path += length;
    return *path == '.' ? path + 1 : path;
}

/* "3" or "[3]" at the start of the path; false: not an index */
static bool take_index(const char **path, size_t *index)
{
    bool bracket = **path == '[';
    const char *digits = *path + bracket;
    size_t n = strspn(digits, "0123456789");
    bool closed = bracket ? digits[n] == ']' : digits[n] == '\0' || digits[n] == '.' || digits[n] == '[';
    if (n == 0 || n > 9 || !closed) {
        return false;
    }
    *index = (size_t)strtoul(digits, NULL, 10);
    *path = after(digits, n + bracket);
    return true;
}

/* the item whose name is the longest start of the path */
static bool take_named(const json_t *list, const char **path, size_t *index)
{
    size_t best = 0;
    for (size_t k = 0; k < json_array_size(list); k++) {
        const char *name = json_string_value(json_object_get(json_array_get(list, k), "name"));
        if (name && starts_with(*path, name) && strlen(name) > best) {
            best = strlen(name);
            *index = k;
        }
    }
    if (best > 0) {
        *path = after(*path, best);
    }
    return best > 0;
}

/* names of a list's items, or keys of an object, to suggest one */
static ss_status no_such_part(ss_reader *r, const json_t *parent, const char *path)
{
    size_t n = json_is_array(parent) ? json_array_size(parent) : json_object_size(parent), used = 0;
    const char **names;
    char word[64];
    SS_TRY(ss_arena_take(r->arena, n + 1, sizeof *names, &names));
    for (size_t k = 0; json_is_array(parent) && k < n; k++) {
        const char *name = json_string_value(json_object_get(json_array_get(parent, k), "name"));
        if (name) {
            names[used++] = name;
        }
    }
    for (void *it = json_object_iter((json_t *)parent); it; it = json_object_iter_next((json_t *)parent, it)) {
        names[used++] = json_object_iter_key(it);
    }
    snprintf(word, sizeof word, "%.*s", (int)key_length(path), path);
    return ss_reader_unknown(r, "name in the path:", *word ? word : path, names);
}

/* ---- one step down ----------------------------------------------------------------------------- */

typedef struct place {
    json_t *parent;
    const char *rest; /* of the path */
    char key[128];    /* parent is an object */
    size_t index;     /* parent is a list    */
    bool parameter;   /* parent holds parameters */
} place;

/* Take the next key or index off the path; the part it names may not exist yet in an object. */
static ss_status take_step(ss_reader *r, place *at)
{
    if (json_is_array(at->parent)) {
        const char *path = at->rest;
        bool found = take_named(at->parent, &at->rest, &at->index) || take_index(&at->rest, &at->index);
        if (found && at->index >= json_array_size(at->parent)) {
            return ss_reader_fail(r, "no item %zu in a list of %zu", at->index, json_array_size(at->parent));
        }
        return found ? SS_OK : no_such_part(r, at->parent, path);
    }
    size_t n = key_length(at->rest);
    if (!json_is_object(at->parent) || n == 0 || n >= sizeof at->key) {
        return ss_reader_fail(r, "nothing in the scene is called \"%.60s\"", at->rest);
    }
    memcpy(at->key, at->rest, n);
    at->key[n] = '\0';
    at->rest = after(at->rest, n);
    return SS_OK;
}

static json_t *child_of(const place *at)
{
    return json_is_array(at->parent) ? json_array_get(at->parent, at->index) : json_object_get(at->parent, at->key);
}

static bool may_be_made(const json_t *root, const place *at)
{
    static const char *const sections[] = { "time", "scheme", "solver", "contacts", "results", NULL };
    int k = 0;
    while (sections[k] && strcmp(sections[k], at->key) != 0) {
        k++;
    }
    return at->parent == root && sections[k];
}

/* The next step, out of a child. Only the parts of an included file are read in it; the rest is given where it is included. */
static ss_status step_into(ss_reader *r, json_t *child, place *at)
{
    const bool included = json_is_object(at->parent) && strcmp(at->key, "include") == 0;
    const char *path = at->rest;
    at->parameter = json_is_object(at->parent) && strcmp(at->key, "parameters") == 0;
    at->parent = child;
    SS_TRY(take_step(r, at));
    if (included && json_is_object(child) && !ss_includes_keep(at->key)) {
        return ss_reader_fail(r, "an included file's %.60s has been taken by what includes it: set \"%.60s\" there", at->key,
                              path);
    }
    return SS_OK;
}

/* Walk to the parent of the last part. */
static ss_status walk(ss_reader *r, json_t *root, place *at)
{
    SS_TRY(take_step(r, at));
    while (*at->rest) {
        json_t *child = child_of(at);
        if (!child && may_be_made(root, at)) {
            json_object_set_new(at->parent, at->key, json_object());
            child = child_of(at);
        }
        if (!child) {
            return no_such_part(r, at->parent, at->key);
        }
        SS_TRY(step_into(r, child, at));
    }
    return SS_OK;
}

/* ---- changing the scheme or the solver --------------------------------------------------------- */

/* NULL: it has none of this name */
static const ss_field *option_of(const ss_entry *entry, const char *key)
{
    const ss_field *f = entry ? entry->fields : NULL;
    while (f && f->name && strcmp(f->name, key) != 0) {
        f++;
    }
    return f && f->name ? f : NULL;
}

static void drop_options(json_t *section, ss_registry registry, const char *old_name, const char *new_name)
{
    const ss_entry *old_entry = ss_registry_find(registry, old_name ? old_name : ""),
                   *entry = ss_registry_find(registry, new_name);
    const char *key;
    json_t *value;
    void *next;
    json_object_foreach_safe(section, next, key, value)
    {
        const ss_field *before = option_of(old_entry, key), *now = option_of(entry, key);
        if (entry && before && !(now && now->type == before->type)) {
            json_object_del(section, key);
        }
    }
}

static void change_entry(const place *at, const char *path, const json_t *value)
{
    bool scheme = strcmp(path, "scheme.name") == 0;
    if ((scheme || strcmp(path, "solver.name") == 0) && json_is_string(value)) {
        const char *old_name = json_string_value(json_object_get(at->parent, "name"));
        drop_options(at->parent, scheme ? SS_SCHEMES : SS_SOLVERS, old_name, json_string_value(value));
    }
}

/* ---- the whole --------------------------------------------------------------------------------- */

static ss_status set_path(ss_reader *r, json_t *root, const char *path, const char *text)
{
    place at = { .parent = root, .rest = path };
    SS_TRY(walk(r, root, &at));
    if (at.parameter && !child_of(&at)) {
        return no_such_part(r, at.parent, at.key);
    }
    json_t *value;
    SS_TRY(read_value(r, text, &value));
    change_entry(&at, path, value);
    int failed =
        json_is_array(at.parent) ? json_array_set_new(at.parent, at.index, value) : json_object_set_new(at.parent, at.key, value);
    return failed ? ss_reader_fail(r, "the key is not valid UTF-8") : SS_OK;
}

ss_status ss_scene_apply_set(ss_reader *r, json_t *root, const char *assignment)
{
    const char *equals = strchr(assignment, '=');
    char *path, what[160];
    if (!equals || equals == assignment) {
        return ss_reader_fail(r, "--set %.60s: expected PATH=VALUE", assignment);
    }
    size_t n = (size_t)(equals - assignment);
    SS_TRY(ss_arena_take(r->arena, n + 1, 1, &path));
    memcpy(path, assignment, n);
    snprintf(what, sizeof what, "--set %.140s", assignment);
    size_t mark = ss_path_key(r, what);
    SS_TRY(set_path(r, root, path, equals + 1));
    ss_path_back(r, mark);
    return SS_OK;
}
