/* include.c - "include": "leg.json" in a scene or a group: the parts of another file, whose path is relative to that of the file
 * that names it.
 *
 *   parts                  lists and groups of the file come before those of what includes it, and are in its scope
 *   parameters, defaults   are those of the file, but for what is given where it is included
 *   the rest               time, gravity, scheme, ..: a scene takes what it does not give itself; a group does not take them
 *
 * Files are read before anything else is done with the scene. The contents of a file take the place of its name in the tree;
 * which file they are from is remembered for messages. A file may include others, but not itself. */
#include "io/authoring.h"

#include <errno.h>
#include <sys/stat.h>

enum { DEEPEST = 16, MOST_FILES = 1000 };

struct ss_include {
    const json_t *contents;
    const char *label;
    ss_include *next;
};

/* files that are being read, each included by the one before it */
typedef struct chain {
    const struct chain *outer;
    struct stat file;
    int depth;
} chain;

const char *ss_includes_label(const ss_reader *r, const json_t *contents)
{
    const ss_include *x = r->includes;
    while (x && x->contents != contents) {
        x = x->next;
    }
    return x ? x->label : NULL;
}

/* ---- one file ------------------------------------------------------------------------------------------------ */

/* it is there, is a file, is not too large, and is none of those that are being read */
static ss_status check_file(ss_reader *r, const char *path, const chain *outer, struct stat *file)
{
    if (stat(path, file) != 0) {
        return ss_reader_fail(r, "%s: cannot be opened: %s", path, strerror(errno));
    }
    if (!S_ISREG(file->st_mode)) {
        return ss_reader_fail(r, "%s: is not a file", path);
    }
    if (file->st_size > (off_t)SS_MOST_MEGABYTES << 20) {
        return ss_reader_fail(r, "%s: larger than %d MB, the limit for scenes", path, SS_MOST_MEGABYTES);
    }
    for (const chain *c = outer; c; c = c->outer) {
        if (c->file.st_dev == file->st_dev && c->file.st_ino == file->st_ino) {
            return ss_reader_fail(r, "%s: includes itself", path);
        }
    }
    return SS_OK;
}

/* the tree of a file; the caller owns it */
static ss_status parse_file(ss_reader *r, const char *path, json_t **out)
{
    char *text;
    size_t length;
    json_error_t error;
    *out = NULL;
    ss_status status = ss_file_text(r->ctx, path, &text, &length);
    if (status == SS_OK) {
        *out = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error);
        status = *out ? SS_OK : ss_syntax_error(r->ctx, path, &error);
    }
    ss_free(r->ctx, text);
    return status == SS_OK || status == SS_ERR_MEMORY ? status : ss_reader_because(r);
}

/* a file may have the keys of a scene */
static ss_status check_keys(ss_reader *r, const json_t *contents)
{
    const char *names[SS_MAX_FIELDS + 1];
    int n = 0;
    for (int k = 0; ss_section_keys[k] && n < SS_MAX_FIELDS; k++) {
        names[n++] = ss_section_keys[k];
    }
    for (const ss_field *f = ss_settings_fields; f->name && n < SS_MAX_FIELDS; f++) {
        names[n++] = f->name;
    }
    names[n] = NULL;
    return json_is_object(contents) ? ss_reader_keys(r, contents, names)
                                    : ss_reader_expected(r, "an object {\"bodies\": [..], ..}", contents);
}

/* ---- what is taken from it ------------------------------------------------------------------------------------- */

static bool is_among(const char *word, const char *const *words)
{
    while (*words && strcmp(*words, word) != 0) {
        words++;
    }
    return *words != NULL;
}

/* the values of `ours`, and those of `theirs` that it does not have */
static ss_status merge(ss_reader *r, json_t *object, const char *key, const json_t *ours, const json_t *theirs)
{
    json_t *both = json_deep_copy(theirs);
    if (!both || json_object_update_recursive(both, (json_t *)ours) != 0 || json_object_set(object, key, both) != 0) {
        json_decref(both);
        return ss_fail(r->ctx, SS_ERR_MEMORY, "out of memory while including a file");
    }
    json_decref(both);
    return SS_OK;
}

bool ss_includes_keep(const char *key)
{
    static const char *const parts[] = { "materials", "pairs",   "bodies", "elements", "joints",
                                         "forces",    "outputs", "groups", "include",  NULL };
    return is_among(key, parts);
}

static ss_status take_key(ss_reader *r, json_t *object, bool scene, const char *key, json_t *value)
{
    static const char *const merged[] = { "parameters", "defaults", "time", "contacts", "results", NULL };
    static const char *const everywhere[] = { "parameters", "defaults", NULL };
    const json_t *ours = json_object_get(object, key);
    if (ss_includes_keep(key) || !(scene || is_among(key, everywhere))) {
        return SS_OK;
    }
    if (!ours && json_object_set(object, key, value) != 0) {
        return ss_fail(r->ctx, SS_ERR_MEMORY, "out of memory while including a file");
    }
    const bool both = json_is_object(ours) && json_is_object(value) && is_among(key, merged);
    return both ? merge(r, object, key, ours, value) : SS_OK;
}

/* a group in a scene of three dimensions cannot be of two */
static ss_status check_dimension(ss_reader *r, const json_t *root, const json_t *contents)
{
    const json_t *ours = json_object_get(root, "dimension"), *theirs = json_object_get(contents, "dimension");
    if (!ours || !theirs || json_equal(ours, theirs)) {
        return SS_OK;
    }
    ss_path_key(r, "dimension");
    return ss_reader_expected(r, "the dimension of the scene that includes it", theirs);
}

static ss_status take_keys(ss_reader *r, json_t *object, bool scene, json_t *contents)
{
    const char *key;
    json_t *value;
    json_object_foreach(contents, key, value) { SS_TRY(take_key(r, object, scene, key, value)); }
    return SS_OK;
}

/* ---- the tree --------------------------------------------------------------------------------------------------- */

/* the scene, or a file whose contents are those of a scene */
typedef struct loading {
    json_t *root;
    const chain *files;
    int *count; /* of files */
} loading;

static ss_status load_object(ss_reader *r, const loading *x, json_t *object, bool scene);

static ss_status remember(ss_reader *r, const json_t *contents, const char *label)
{
    ss_include *include;
    SS_TRY(ss_arena_take(r->arena, 1, sizeof *include, &include));
    *include = (ss_include){ .contents = contents, .label = label, .next = r->includes };
    r->includes = include;
    return SS_OK;
}

/* with the file's own name before messages */
static ss_status load_contents(ss_reader *r, const loading *x, json_t *object, bool scene, json_t *contents, const char *path)
{
    char place[sizeof r->path];
    const size_t length = r->length;
    const char *outer = r->label;
    memcpy(place, r->path, sizeof place);
    ss_path_back(r, 0);
    r->label = path;
    SS_TRY(check_keys(r, contents));
    SS_TRY(check_dimension(r, x->root, contents));
    SS_TRY(load_object(r, x, contents, true));
    r->label = outer;
    memcpy(r->path, place, sizeof place);
    r->length = length;
    SS_TRY(remember(r, contents, path));
    return take_keys(r, object, scene, contents);
}

static ss_status load_file(ss_reader *r, const loading *x, json_t *object, bool scene, const char *name)
{
    chain here = { .outer = x->files, .depth = x->files ? x->files->depth + 1 : 1 };
    const loading inner = { .root = x->root, .files = &here, .count = x->count };
    const char *path;
    json_t *contents;
    SS_TRY(ss_reader_beside(r, name, &path));
    SS_TRY(check_file(r, path, x->files, &here.file));
    if (here.depth > DEEPEST || ++*x->count > MOST_FILES) {
        return ss_reader_fail(r, "more than %d files include each other, or more than %d in all", DEEPEST, MOST_FILES);
    }
    SS_TRY(parse_file(r, path, &contents));
    if (json_object_set_new(object, "include", contents) != 0) { /* the tree owns it, whatever comes */
        return ss_fail(r->ctx, SS_ERR_MEMORY, "out of memory while including a file");
    }
    return load_contents(r, &inner, object, scene, contents, path);
}

static ss_status load_groups(ss_reader *r, const loading *x, json_t *object)
{
    json_t *groups = json_object_get(object, "groups");
    size_t mark = ss_path_key(r, "groups");
    for (size_t k = 0; k < json_array_size(groups); k++) {
        json_t *group = json_array_get(groups, k);
        size_t inner = ss_path_item(r, group, k);
        SS_TRY(load_object(r, x, group, false));
        ss_path_back(r, inner);
    }
    ss_path_back(r, mark);
    return SS_OK;
}

static ss_status load_object(ss_reader *r, const loading *x, json_t *object, bool scene)
{
    const json_t *name = json_object_get(object, "include");
    if (name) {
        size_t mark = ss_path_key(r, "include");
        if (!json_is_string(name) || json_string_length(name) == 0) {
            return ss_reader_expected(r, "the path of a file", name);
        }
        SS_TRY(load_file(r, x, object, scene, json_string_value(name)));
        ss_path_back(r, mark);
    }
    return load_groups(r, x, object);
}

ss_status ss_includes_load(ss_reader *r, json_t *root)
{
    int count = 0;
    chain here = { .depth = 0 };
    const bool is_file = stat(r->label, &here.file) == 0; /* a text that was parsed has no file */
    const loading x = { .root = root, .files = is_file ? &here : NULL, .count = &count };
    return load_object(r, &x, root, true);
}
