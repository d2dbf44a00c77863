/* list.c - what there is: entries of the registries, and the scenes under scenes/ and papers/. */
#include "experiments.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LISTS "schemes, solvers, joints, forces, shapes, elements, outputs, scenes, experiments, exact"

typedef struct list_options {
    bool json;
} list_options;

static const cli_option options_table[] = {
    { .name = "json", .kind = CLI_FLAG, .offset = offsetof(list_options, json), .doc = "print the list as one JSON value" },
    { .name = NULL },
};

/* ---- registries -------------------------------------------------------------------------------- */

/* "a,b" as a list */
static json_t *split(const char *text)
{
    json_t *list = json_array();
    while (*text) {
        size_t n = strcspn(text, ",");
        json_array_append_new(list, json_stringn(text, n));
        text += n + (text[n] == ',');
        text += strspn(text, " ");
    }
    return list;
}

static json_t *number_or_null(double x) { return isfinite(x) ? json_real(x) : json_null(); }

/* word `index` of "a|b|c" */
static json_t *choice(const char *choices, int index)
{
    for (; index > 0 && *choices; index--) {
        choices += strcspn(choices, "|");
        choices += *choices == '|';
    }
    return json_stringn(choices, strcspn(choices, "|"));
}

static json_t *default_json(const ss_field *f)
{
    if (!isfinite(f->def) || (f->flags & SS_FIELD_REQUIRED)) {
        return json_null();
    }
    switch (f->type) {
    case SS_FIELD_NUMBER:
        return json_real(f->def);
    case SS_FIELD_INT:
        return json_integer((json_int_t)f->def);
    case SS_FIELD_BOOL:
        return json_boolean(f->def != 0);
    case SS_FIELD_CHOICE:
        return choice(f->choices, (int)f->def);
    default:
        return json_null();
    }
}

/* keys for the other dimension, of an entry that exists in one only */
static bool is_useless(const ss_field *f, unsigned dimensions)
{
    return (dimensions == 4 && (f->flags & SS_FIELD_ONLY_3D)) || (dimensions == 8 && (f->flags & SS_FIELD_ONLY_2D));
}

static json_t *params_json(const ss_entry *entry)
{
    json_t *list = json_array();
    for (const ss_field *f = entry->fields; f && f->name; f++) {
        if (is_useless(f, entry->dimensions)) {
            continue;
        }
        bool range = f->min < f->max;
        json_t *item =
            json_pack("{s:s, s:o, s:o, s:o, s:s, s:b}", "name", f->name, "default", default_json(f), "min",
                      range ? number_or_null(f->min) : json_null(), "max", range ? number_or_null(f->max) : json_null(), "doc",
                      f->doc ? f->doc : "", "required", (f->flags & SS_FIELD_REQUIRED) != 0);
        if (f->choices) {
            json_object_set_new(item, "choices", json_string(f->choices));
        }
        json_array_append_new(list, item);
    }
    return list;
}

/* [2, 3] */
static json_t *dimensions_json(unsigned dimensions)
{
    json_t *list = json_array();
    for (int d = 2; d <= 3; d++) {
        if (dimensions & (1u << d)) {
            json_array_append_new(list, json_integer(d));
        }
    }
    return list;
}

static json_t *entry_json(ss_registry registry, const ss_entry *e)
{
    char laws[256], needs[256];
    ss_law_names(e->laws, laws, sizeof laws);
    ss_need_names(e->needs, needs, sizeof needs);
    json_t *item =
        json_pack("{s:s, s:s, s:s, s:o, s:o, s:o}", "name", e->name, "title", e->title ? e->title : "", "reference",
                  e->reference ? e->reference : "", "laws", split(laws), "needs", split(needs), "params", params_json(e));
    if (registry == SS_SCHEMES) {
        json_object_set_new(item, "order",
                            json_pack("{s:f, s:f, s:s, s:f, s:b, s:f}", "smooth", e->order.smooth, "impacts", e->order.impacts,
                                      "norm", e->order.norm ? e->order.norm : "", "overlap", e->order.overlap, "joints_drift",
                                      e->order.joints_drift, "turning", e->order.turning));
        json_object_set_new(item, "massless", json_boolean(e->massless));
        json_object_set_new(item, "demonstration", json_boolean(e->demonstration));
    } else {
        json_object_set_new(item, "class", e->kind ? json_string(e->kind) : json_string(ss_registry_name(registry)));
    }
    if (e->dimensions) {
        json_object_set_new(item, "dimensions", dimensions_json(e->dimensions));
    }
    if (e->aliases) {
        json_object_set_new(item, "aliases", json_string(e->aliases));
    }
    return item;
}

static json_t *registry_json(ss_registry registry)
{
    json_t *list = json_array();
    for (int k = 0; k < ss_registry_count(registry); k++) {
        json_array_append_new(list, entry_json(registry, ss_registry_entry(registry, k)));
    }
    return list;
}

/* ---- scenes ------------------------------------------------------------------------------------ */

/* its name is the path below `root`: so it is found by `slipstick run` in any folder */
static void add_scene(json_t *list, const char *path, size_t root)
{
    json_t *scene = json_load_file(path, 0, NULL);
    const char *title = json_string_value(json_object_get(scene, "name"));
    if (json_object_get(scene, "slipstick")) {
        json_array_append_new(list, json_pack("{s:s, s:s}", "name", path + root, "title", title ? title : ""));
    }
    json_decref(scene);
}

/* every .json file below a folder, `depth` levels deep, in order of name */
static void find_scenes(json_t *list, const char *folder, size_t root, int depth)
{
    struct dirent **entry;
    int n = scandir(folder, &entry, NULL, alphasort);
    for (int k = 0; k < n; k++) {
        char path[CLI_PATH];
        const char *name = entry[k]->d_name, *dot = strrchr(name, '.');
        const bool shown = snprintf(path, sizeof path, "%s/%s", folder, name) < (int)sizeof path && name[0] != '.';
        if (shown && dot && strcmp(dot, ".json") == 0) {
            add_scene(list, path, root);
        } else if (shown && depth > 0) {
            find_scenes(list, path, root, depth - 1);
        }
        free(entry[k]);
    }
    if (n >= 0) {
        free(entry);
    }
}

static json_t *scenes_json(void)
{
    static const char *const folders[] = { "scenes", "papers" };
    json_t *list = json_array();
    for (int k = 0; k < 2; k++) {
        char found[CLI_PATH];
        const char *folder = cli_find_data(folders[k], found);
        find_scenes(list, folder, strlen(folder) - strlen(folders[k]), 1);
    }
    return list;
}

/* ---- command ----------------------------------------------------------------------------------- */

static const char *const other_words[] = { "scenes", "experiments" };
enum { OTHER_WORDS = sizeof other_words / sizeof other_words[0] };

/* NULL: no such list */
static json_t *find_list(const char *word)
{
    for (int k = 0; k < SS_REGISTRIES; k++) {
        if (strcmp(word, ss_registry_name((ss_registry)k)) == 0) {
            return registry_json((ss_registry)k);
        }
    }
    for (int k = 0; k < OTHER_WORDS; k++) {
        if (strcmp(word, other_words[k]) == 0) {
            return strcmp(word, "scenes") == 0 ? scenes_json() : cli_experiments_json();
        }
    }
    return NULL;
}

static void print_text(const char *word, const json_t *list)
{
    size_t k;
    json_t *item;
    if (json_array_size(list) == 0) {
        printf("no %s%s\n", word,
               strcmp(word, "experiments") == 0 ? ": no file papers/PAPER/experiments/NAME.json in this folder" : "");
    }
    json_array_foreach(list, k, item)
    {
        const char *reference = json_string_value(json_object_get(item, "reference"));
        bool drift = json_is_true(json_object_get(json_object_get(item, "order"), "joints_drift"));
        bool demonstration = json_is_true(json_object_get(item, "demonstration"));
        printf("%-28s %s%s%s%s%s%s\n", json_string_value(json_object_get(item, "name")),
               json_string_value(json_object_get(item, "title")), reference && *reference ? "  [" : "",
               reference ? reference : "", reference && *reference ? "]" : "", drift ? "  joints drift" : "",
               demonstration ? "  demonstration" : "");
        size_t p;
        json_t *param;
        json_array_foreach(json_object_get(item, "params"), p, param)
        {
            char *def = json_dumps(json_object_get(param, "default"), JSON_ENCODE_ANY | JSON_REAL_PRECISION(10));
            printf("    %-22s %-12s %s\n", json_string_value(json_object_get(param, "name")),
                   def && strcmp(def, "null") != 0 ? def : "", json_string_value(json_object_get(param, "doc")));
            free(def);
        }
    }
}

static int unknown_list(const char *word)
{
    const char *names[SS_REGISTRIES + OTHER_WORDS + 1];
    int n = 0;
    for (int k = 0; k < SS_REGISTRIES; k++) {
        names[n++] = ss_registry_name((ss_registry)k);
    }
    for (int k = 0; k < OTHER_WORDS; k++) {
        names[n++] = other_words[k];
    }
    names[n] = NULL;
    cli_unknown("slipstick list", "list", word, names);
    return CLI_USAGE;
}

static int run(ss_context *ctx, int argc, char **argv)
{
    list_options options = { .json = false };
    const char *word[1] = { NULL };
    if (!cli_parse(ctx, &cli_list_command, argc, argv, &options, 1, word)) {
        return CLI_USAGE;
    }
    if (!word[0]) {
        cli_say("slipstick list: nothing named; usage: slipstick list WHAT, where WHAT is one of %s", LISTS);
        return CLI_USAGE;
    }
    json_t *list = find_list(word[0]);
    if (!list) {
        return unknown_list(word[0]);
    }
    if (options.json) {
        return cli_print_json(list);
    }
    print_text(word[0], list);
    json_decref(list);
    return CLI_DONE;
}

const cli_command cli_list_command = {
    .name = "list",
    .usage = "list WHAT",
    .doc = "list what is available: " LISTS,
    .words = LISTS,
    .options = options_table,
    .run = run,
};
