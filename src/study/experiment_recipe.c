/* experiment_recipe.c - the recipe of an experiment: papers/PAPER/experiments/NAME.json.
 *
 * A sweep { "for": { "k": [0, 1, 2] } } stands for several runs, rows and curves: whatever has {k} in one of its texts is
 * there once for every value, with the value in its place. Numbers may be texts of constant expressions, which is how they
 * depend on the sweep: "0.1/2^{k}". An "order" or a "number_of" runs through the sweep by itself, so what is below it is left
 * as it is.
 *
 * Everything is checked before the first run: keys, kinds of values, names of runs. Messages have the file and the place. */
#include "study/experiment.h"

#include <stdio.h>

/* ---- values ------------------------------------------------------------------------------------ */

ss_status ss_recipe_keys(ss_experiment *e, const json_t *object, int required, const char *const *keys)
{
    ss_reader *r = &e->place;
    if (!json_is_object(object)) {
        return ss_reader_expected(r, "an object", object);
    }
    SS_TRY(ss_reader_keys(r, object, keys));
    for (int k = 0; k < required; k++) {
        if (!json_object_get(object, keys[k])) {
            return ss_reader_fail(r, "\"%s\" is missing", keys[k]);
        }
    }
    return SS_OK;
}

ss_status ss_recipe_blame(ss_experiment *e, ss_status status)
{
    const char *label = e->place.label;
    bool there = strncmp(ss_last_error(e->ctx), label, strlen(label)) == 0;
    return status == SS_OK || there ? status : ss_fail_within(e->ctx, status, "%s: %s", label, e->place.path);
}

ss_status ss_recipe_text(ss_experiment *e, const json_t *object, const char *key, const char **out)
{
    const json_t *value = json_object_get(object, key);
    *out = json_string_value(value);
    if (value && (!*out || !**out)) {
        ss_path_key(&e->place, key);
        return ss_reader_expected(&e->place, "a text", value);
    }
    return SS_OK;
}

ss_status ss_recipe_number(ss_experiment *e, const json_t *object, const char *key, double *out)
{
    const json_t *value = json_object_get(object, key);
    if (!value) {
        return SS_OK;
    }
    size_t mark = ss_path_key(&e->place, key);
    SS_TRY(ss_number_read(&e->place, "a number or an expression", value, out));
    ss_path_back(&e->place, mark);
    return SS_OK;
}

/* ---- sweep ------------------------------------------------------------------------------------- */

int ss_sweep_length(const ss_experiment *e) { return e->variable ? (int)json_array_size(e->values) : 1; }

/* where {variable} is in the text, and its length; NULL: nowhere */
static const char *find_place(const ss_experiment *e, const char *text, size_t *length)
{
    *length = e->variable ? strlen(e->variable) + 2 : 0;
    for (const char *at = text; e->variable && (at = strchr(at, '{')); at++) {
        if (strncmp(at + 1, e->variable, *length - 2) == 0 && at[*length - 1] == '}') {
            return at;
        }
    }
    return NULL;
}

static bool is_own_sweep(const json_t *tree) { return json_object_get(tree, "order") || json_object_get(tree, "number_of"); }

bool ss_sweep_in(const ss_experiment *e, const json_t *tree)
{
    const char *key;
    json_t *value;
    size_t k, length;
    if (json_is_string(tree)) {
        return find_place(e, json_string_value(tree), &length);
    }
    json_array_foreach(tree, k, value)
    {
        if (ss_sweep_in(e, value)) {
            return true;
        }
    }
    if (is_own_sweep(tree)) {
        return false;
    }
    json_object_foreach((json_t *)tree, key, value)
    {
        if (find_place(e, key, &length) || ss_sweep_in(e, value)) {
            return true;
        }
    }
    return false;
}

/* the shortest text that reads back as the same number, or the text itself */
static void value_text(const json_t *value, char *text, size_t size)
{
    if (json_is_string(value)) {
        snprintf(text, size, "%s", json_string_value(value));
        return;
    }
    for (int digits = 15; digits <= 17; digits += 2) {
        snprintf(text, size, "%.*g", digits, json_number_value(value));
        if (strtod(text, NULL) == json_number_value(value)) {
            return;
        }
    }
}

enum { LONGEST_VALUE = 128, LONGEST_TEXT = 4096, MOST_VALUES = 1000, DEEPEST = 32 };

/* text with the k-th value in place of every {variable}; NULL: too long, or out of memory */
static json_t *fill_text(const ss_experiment *e, const char *text, int k)
{
    char value[LONGEST_VALUE], out[LONGEST_TEXT];
    size_t length, used = 0;
    value_text(json_array_get(e->values, (size_t)k), value, sizeof value);
    for (const char *at; (at = find_place(e, text, &length)); text = at + length) {
        used += (size_t)snprintf(out + used, sizeof out - used, "%.*s%s", (int)(at - text), text, value);
        if (used >= sizeof out) {
            return NULL;
        }
    }
    return (size_t)snprintf(out + used, sizeof out - used, "%s", text) < sizeof out - used ? json_string(out) : NULL;
}

static json_t *fill_object(const ss_experiment *e, const json_t *tree, int k)
{
    const char *key;
    json_t *value, *copy = json_object();
    json_object_foreach((json_t *)tree, key, value)
    {
        json_t *name = fill_text(e, key, k);
        bool set = name && json_object_set_new(copy, json_string_value(name), ss_sweep_fill(e, value, k)) == 0;
        json_decref(name);
        if (!set) {
            json_decref(copy);
            return NULL;
        }
    }
    return copy;
}

static json_t *fill_array(const ss_experiment *e, const json_t *tree, int k)
{
    json_t *value, *copy = json_array();
    size_t index;
    json_array_foreach(tree, index, value)
    {
        if (json_array_append_new(copy, ss_sweep_fill(e, value, k)) != 0) {
            json_decref(copy);
            return NULL;
        }
    }
    return copy;
}

json_t *ss_sweep_fill(const ss_experiment *e, const json_t *tree, int k)
{
    if (!e->variable || !ss_sweep_in(e, tree)) {
        return json_incref((json_t *)tree);
    }
    if (json_is_string(tree)) {
        return fill_text(e, json_string_value(tree), k);
    }
    return json_is_array(tree) ? fill_array(e, tree, k) : fill_object(e, tree, k);
}

static bool is_name(const char *text)
{
    size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    return n > 0 && n < 32 && text[n] == '\0';
}

static ss_status check_sweep_value(ss_experiment *e, const json_t *value)
{
    const char *text = json_string_value(value);
    if (json_is_number(value) || (text && *text && strlen(text) < LONGEST_VALUE && !strpbrk(text, "{}"))) {
        return SS_OK;
    }
    return ss_reader_expected(&e->place, "a number or a short text", value);
}

static ss_status read_sweep(ss_experiment *e)
{
    const json_t *sweep = json_object_get(e->recipe, "for");
    const char *key = json_object_iter_key(json_object_iter((json_t *)sweep));
    json_t *value;
    size_t k, mark = ss_path_key(&e->place, "for");
    if (!sweep) {
        ss_path_back(&e->place, mark);
        return SS_OK;
    }
    if (!json_is_object(sweep) || json_object_size(sweep) != 1 || !is_name(key)) {
        return ss_reader_expected(&e->place, "one variable and its values, such as {\"k\": [0, 1, 2]}", sweep);
    }
    ss_path_key(&e->place, key);
    e->variable = key;
    e->values = json_object_get(sweep, key);
    if (!json_is_array(e->values) || json_array_size(e->values) == 0) {
        return ss_reader_expected(&e->place, "a list of values", e->values);
    }
    if (json_array_size(e->values) > MOST_VALUES) {
        return ss_reader_fail(&e->place, "%zu values, at most %d", json_array_size(e->values), MOST_VALUES);
    }
    json_array_foreach(e->values, k, value)
    {
        size_t at = ss_path_index(&e->place, k);
        SS_TRY(check_sweep_value(e, value));
        ss_path_back(&e->place, at);
    }
    ss_path_back(&e->place, mark);
    return SS_OK;
}

/* ---- lists ------------------------------------------------------------------------------------- */

/* what the goal of a row is; NULL: it has none */
static const json_t *goal_of(const json_t *row)
{
    ss_goal goal = ss_row_goal(row);
    return goal < SS_GOALS ? json_object_get(row, ss_goal_key(goal)) : NULL;
}

/* a list of numbers goes with the sweep too */
static bool is_swept(const ss_experiment *e, const json_t *item)
{
    return e->variable && (ss_sweep_in(e, item) || json_is_array(goal_of(item)));
}

static ss_status each_value(ss_experiment *e, const json_t *item, ss_recipe_item each, void *user)
{
    int n = is_swept(e, item) ? ss_sweep_length(e) : 1;
    for (int k = 0; k < n; k++) {
        json_t *filled = ss_sweep_fill(e, item, k);
        if (!filled) {
            return ss_reader_fail(&e->place, "a text is longer than %d characters, or there is no memory for it",
                                  LONGEST_TEXT - 1);
        }
        ss_status status = each(e, filled, k, user);
        json_decref(filled);
        SS_TRY(status);
    }
    return SS_OK;
}

ss_status ss_recipe_each(ss_experiment *e, const char *list, ss_recipe_item each, void *user)
{
    const json_t *items = json_object_get(e->recipe, list);
    json_t *item;
    size_t k, mark = ss_path_key(&e->place, list);
    if (items && !json_is_array(items)) {
        return ss_reader_expected(&e->place, "a list", items);
    }
    json_array_foreach(items, k, item)
    {
        size_t at = ss_path_index(&e->place, k);
        SS_TRY(each_value(e, item, each, user));
        ss_path_back(&e->place, at);
    }
    ss_path_back(&e->place, mark);
    return SS_OK;
}

/* ---- checks ------------------------------------------------------------------------------------ */

static ss_status add_run(ss_experiment *e, const json_t *item, int k, void *user)
{
    static const char *const keys[] = { "name", "scene", "scheme", "step", "tol", "until", "set", NULL };
    static const char *const texts[] = { "name", "scene", "scheme" };
    static const char *const numbers[] = { "step", "tol", "until" };
    const json_t *set = json_object_get(item, "set");
    (void)k, (void)user;
    SS_TRY(ss_recipe_keys(e, item, 2, keys));
    for (int i = 0; i < 3; i++) {
        const char *text;
        double number;
        SS_TRY(ss_recipe_text(e, item, texts[i], &text));
        SS_TRY(ss_recipe_number(e, item, numbers[i], &number));
    }
    if (set && !json_is_object(set)) {
        ss_path_key(&e->place, "set");
        return ss_reader_expected(&e->place, "an object of paths and values", set);
    }
    return ss_runs_add(e, item);
}

const char *ss_goal_key(ss_goal goal)
{
    static const char *const keys[] = { "published", "expected", "at_least", "at_most" };
    return keys[goal];
}

ss_goal ss_row_goal(const json_t *row)
{
    int k = 0;
    for (; k < SS_GOALS && !json_object_get(row, ss_goal_key((ss_goal)k)); k++) {}
    return (ss_goal)k;
}

static ss_status check_one_goal(ss_experiment *e, const json_t *row)
{
    ss_goal goal = ss_row_goal(row);
    for (int k = (int)goal + 1; k < SS_GOALS; k++) {
        if (json_object_get(row, ss_goal_key((ss_goal)k))) {
            return ss_reader_fail(&e->place, "both \"%s\" and \"%s\": a row has one goal", ss_goal_key(goal),
                                  ss_goal_key((ss_goal)k));
        }
    }
    return SS_OK;
}

/* a number for all values of the sweep, or one for each; null: for information */
static ss_status check_goal(ss_experiment *e, const json_t *row)
{
    const json_t *goal = goal_of(row);
    double number;
    SS_TRY(check_one_goal(e, row));
    if (!goal) {
        return SS_OK;
    }
    size_t mark = ss_path_key(&e->place, ss_goal_key(ss_row_goal(row)));
    if (json_is_array(goal) && json_array_size(goal) != (size_t)ss_sweep_length(e)) {
        return ss_reader_fail(&e->place, "%zu numbers for the %d values of the sweep", json_array_size(goal), ss_sweep_length(e));
    }
    for (size_t k = 0; k < json_array_size(goal); k++) {
        if (!json_is_null(json_array_get(goal, k))) {
            SS_TRY(ss_number_read(&e->place, "a number, an expression or null", json_array_get(goal, k), &number));
        }
    }
    if (!json_is_array(goal) && !json_is_null(goal)) {
        SS_TRY(ss_number_read(&e->place, "a number, an expression, a list of them or null", goal, &number));
    }
    ss_path_back(&e->place, mark);
    return SS_OK;
}

static bool has_number(const json_t *goal)
{
    bool found = goal && !json_is_array(goal) && !json_is_null(goal);
    for (size_t k = 0; k < json_array_size(goal); k++) {
        found = found || !json_is_null(json_array_get(goal, k));
    }
    return found;
}

/* a bound is kept or not: it has no tolerance */
static ss_status check_tolerance(ss_experiment *e, const json_t *row, bool bound)
{
    const json_t *own = json_object_get(row, "tolerance");
    double tolerance = 0;
    SS_TRY(ss_recipe_number(e, row, "tolerance", &tolerance));
    if (own && (bound || !(tolerance >= 0))) {
        ss_path_key(&e->place, "tolerance");
        return bound ? ss_reader_fail(&e->place, "\"%s\" has none", ss_goal_key(ss_row_goal(row)))
                     : ss_reader_expected(&e->place, "a number >= 0", own);
    }
    return SS_OK;
}

/* *user: is there a row with a goal? */
static ss_status check_row(ss_experiment *e, const json_t *item, int k, void *user)
{
    static const char *const keys[] = { "label", "value", "tolerance", "published", "expected", "at_least", "at_most", NULL };
    const json_t *goal = goal_of(item);
    bool *found = user, bound = goal && ss_row_goal(item) >= SS_GOAL_AT_LEAST;
    const char *label;
    (void)k;
    SS_TRY(ss_recipe_keys(e, item, bound || !goal || json_is_null(goal) ? 2 : 3, keys));
    SS_TRY(ss_recipe_text(e, item, "label", &label));
    SS_TRY(check_goal(e, item));
    SS_TRY(check_tolerance(e, item, bound));
    *found = *found || has_number(goal);
    size_t mark = ss_path_key(&e->place, "value");
    SS_TRY(ss_measure_check(e, json_object_get(item, "value")));
    ss_path_back(&e->place, mark);
    return SS_OK;
}

/* {word} that is not the variable; and, since everything that follows goes down the tree by recursion, how deep it is */
static ss_status check_braces(ss_experiment *e, const json_t *tree, int depth)
{
    const char *key, *text = json_string_value(tree), *open = text ? strchr(text, '{') : NULL;
    json_t *value;
    size_t k, length;
    if (depth > DEEPEST) {
        return ss_reader_fail(&e->place, "lists and objects within each other more than %d deep", DEEPEST);
    }
    for (; open; open = strchr(open + 1, '{')) {
        if (find_place(e, open, &length) != open) {
            return ss_reader_fail(&e->place, "\"%.60s\": %s%s", text,
                                  e->variable ? "the sweep is over " : "there is no sweep: \"for\" is missing",
                                  e->variable ? e->variable : "");
        }
    }
    json_array_foreach(tree, k, value) { SS_TRY(check_braces(e, value, depth + 1)); }
    json_object_foreach((json_t *)tree, key, value) { SS_TRY(check_braces(e, value, depth + 1)); }
    return SS_OK;
}

static ss_status check_head(ss_experiment *e)
{
    static const char *const keys[] = { "experiment", "title", "reference", "note",    "correction", "missing",
                                        "for",        "runs",  "rows",      "figures", NULL };
    const json_t *version = json_object_get(e->recipe, "experiment");
    const char *text;
    SS_TRY(ss_recipe_keys(e, e->recipe, 2, keys));
    for (int k = 1; k < 6; k++) {
        SS_TRY(ss_recipe_text(e, e->recipe, keys[k], &text));
    }
    if (json_integer_value(version) != 1) {
        ss_path_key(&e->place, "experiment");
        return ss_reader_expected(&e->place, "1, the version of the format", version);
    }
    return SS_OK;
}

/* without a goal there is nothing to reproduce */
static ss_status check_rows(ss_experiment *e)
{
    bool found = false, missing = json_object_get(e->recipe, "missing") != NULL;
    SS_TRY(ss_recipe_each(e, "rows", check_row, &found));
    if (!found && !missing) {
        return ss_reader_fail(&e->place, "rows: %s, and \"missing\" does not say why",
                              json_array_size(json_object_get(e->recipe, "rows")) == 0 ? "there are none"
                                                                                       : "none has a number to be held against");
    }
    return SS_OK;
}

static ss_status check_lists(ss_experiment *e)
{
    static const char *const lists[] = { "runs", "rows", "figures" };
    for (int k = 0; k < 3; k++) {
        size_t mark = ss_path_key(&e->place, lists[k]);
        SS_TRY(check_braces(e, json_object_get(e->recipe, lists[k]), 1));
        ss_path_back(&e->place, mark);
    }
    SS_TRY(ss_recipe_each(e, "runs", add_run, NULL));
    SS_TRY(check_rows(e));
    return ss_figures_check(e);
}

/* ---- the file ---------------------------------------------------------------------------------- */

enum { LONGEST_PATH = 512 };

/* "papers/ap97/experiments/chatter.json": the paper's folder is "papers/ap97", the name "ap97/chatter" */
static ss_status split_path(ss_experiment *e, const char *path)
{
    char folder[LONGEST_PATH + 8], name[2 * LONGEST_PATH + 16];
    const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
    if (strlen(path) >= LONGEST_PATH) {
        return ss_fail(e->ctx, SS_ERR_INPUT, "%.60s...: a path of %zu characters, at most %d are possible", path, strlen(path),
                       LONGEST_PATH - 1);
    }
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
    char *up = strrchr(folder, '/');
    if (up && up > folder) {
        *up = '\0';
    } else {
        snprintf(folder + strlen(folder), sizeof folder - strlen(folder), "/..");
    }
    const char *paper = strrchr(folder, '/') ? strrchr(folder, '/') + 1 : folder;
    size_t length = strlen(file) > 5 && strcmp(file + strlen(file) - 5, ".json") == 0 ? strlen(file) - 5 : strlen(file);
    snprintf(name, sizeof name, "%s%s%.*s", paper[0] == '.' ? "" : paper, paper[0] == '.' ? "" : "/", (int)length, file);
    SS_TRY(ss_strdup(e->ctx, folder, &e->folder));
    return ss_strdup(e->ctx, name, &e->name);
}

ss_status ss_recipe_read(ss_experiment *e, const char *path)
{
    json_error_t error;
    e->place = (ss_reader){ .ctx = e->ctx, .label = path };
    SS_TRY(split_path(e, path));
    e->recipe = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    if (!e->recipe && error.line <= 0) {
        return ss_fail(e->ctx, SS_ERR_IO, "%s: cannot be read: %.200s", path, error.text);
    }
    if (!e->recipe) {
        return ss_fail(e->ctx, SS_ERR_INPUT, "%s: line %d, column %d: not JSON: %.100s", path, error.line, error.column,
                       error.text);
    }
    SS_TRY(check_head(e));
    SS_TRY(read_sweep(e));
    return check_lists(e);
}
