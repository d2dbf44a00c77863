/* walk.c - every part of a scene in its order: those of included files, those of the lists at the top, those of groups; each as
 * often as its "replicate" says.
 *
 *   "replicate": {"i": 20}                          20 copies, i = 0 .. 19
 *   "replicate": {"i": 3, "j": "i + 1"}             the last index runs fastest; it may depend on those before it
 *   "replicate": {"side": ["left", "right"]}        labels, for names; in expressions side = 0, 1
 *
 * An index is a parameter of its copy. The number of copies is limited, so that a mistake does not fill the memory. */
#include "io/authoring.h"

#include <math.h>
#include <stdio.h>

enum { MOST_COPIES = 100000, MOST_INDICES = 8 };

/* ---- copies ------------------------------------------------------------------------------------------------- */

/* what is done with every copy of an item */
typedef struct task {
    json_t *item;
    size_t index; /* in its list */
    ss_item_fn each;
    void *user;
} task;

/* the path of an item, by the name of this copy */
static ss_status enter_item(ss_reader *r, const json_t *item, size_t index, size_t *mark)
{
    const char *given = json_string_value(json_object_get(item, "name")), *name = given;
    *mark = ss_path_item(r, item, index);
    if (given && *given) {
        SS_TRY(ss_text_expand(r, given, &name));
    }
    if (name != given) {
        ss_path_back(r, *mark);
        ss_path_key(r, name);
    }
    return SS_OK;
}

static ss_status do_copy(ss_reader *r, const task *x)
{
    size_t mark;
    SS_TRY(enter_item(r, x->item, x->index, &mark));
    SS_TRY(x->each(r, x->item, x->user));
    ss_path_back(r, mark);
    return SS_OK;
}

static ss_status read_labels(ss_reader *r, const json_t *list)
{
    for (size_t k = 0; k < json_array_size(list); k++) {
        const json_t *label = json_array_get(list, k);
        if (!json_is_string(label) || json_string_length(label) == 0) {
            ss_path_index(r, k);
            return ss_reader_expected(r, "a label in quotes", label);
        }
    }
    return SS_OK;
}

/* how often: a number, or the length of a list of labels */
static ss_status read_count(ss_reader *r, const json_t *value, int *count)
{
    char expected[96];
    double n;
    snprintf(expected, sizeof expected, "a whole number in [1, %d] or a list of labels", MOST_COPIES);
    if (json_is_array(value)) {
        n = (double)json_array_size(value);
        SS_TRY(read_labels(r, value));
    } else {
        SS_TRY(ss_number_read(r, expected, value, &n));
    }
    if (!(n >= 1 && n <= MOST_COPIES) || n != floor(n)) {
        return ss_reader_expected(r, expected, value);
    }
    *count = (int)n;
    return SS_OK;
}

static ss_status begin_index(ss_reader *r, const task *x, const char *name, const json_t *value, int *count)
{
    size_t mark = ss_path_item(r, x->item, x->index);
    ss_path_key(r, "replicate");
    ss_path_key(r, name);
    SS_TRY(read_count(r, value, count));
    if (*count > MOST_COPIES - r->copies) {
        return ss_reader_fail(r, "more than %d copies", MOST_COPIES);
    }
    SS_TRY(ss_index_begin(r, name));
    ss_path_back(r, mark);
    return SS_OK;
}

/* an index takes all its values; `at` is its place in "replicate", NULL: every index has a value */
static ss_status repeat(ss_reader *r, const task *x, json_t *replicate, void *at)
{
    if (!at) {
        return do_copy(r, x);
    }
    json_t *value = json_object_iter_value(at);
    ss_parameters *outer = r->parameters;
    int count = 0;
    SS_TRY(begin_index(r, x, json_object_iter_key(at), value, &count));
    ss_parameters *index = r->parameters;
    for (int k = 0; k < count; k++) {
        r->copies++;
        r->parameters = index;
        ss_index_set(r, k, json_string_value(json_array_get(value, (size_t)k)));
        SS_TRY(repeat(r, x, replicate, json_object_iter_next(replicate, at)));
    }
    r->parameters = outer;
    return SS_OK;
}

static ss_status do_item(ss_reader *r, const task *x)
{
    json_t *replicate = json_object_get(x->item, "replicate");
    if (!replicate) {
        return do_copy(r, x);
    }
    if (!json_is_object(replicate) || json_object_size(replicate) == 0 || json_object_size(replicate) > MOST_INDICES) {
        ss_path_item(r, x->item, x->index);
        ss_path_key(r, "replicate");
        return ss_reader_expected(r, "an object {\"i\": number of copies} with 1 to 8 indices", replicate);
    }
    return repeat(r, x, replicate, json_object_iter(replicate));
}

/* ---- lists -------------------------------------------------------------------------------------------------- */

ss_status ss_list_each(ss_reader *r, const json_t *object, const char *key, ss_item_fn each, void *user)
{
    const json_t *list = json_object_get(object, key);
    size_t mark = ss_path_key(r, key);
    if (list && !json_is_array(list)) {
        return ss_reader_expected(r, "a list [..]", list);
    }
    for (size_t k = 0; k < json_array_size(list); k++) {
        const task x = { .item = json_array_get(list, k), .index = k, .each = each, .user = user };
        SS_TRY(do_item(r, &x));
    }
    ss_path_back(r, mark);
    return SS_OK;
}

/* ---- the scene and its groups --------------------------------------------------------------------------------- */

typedef struct visit {
    const char *kind;
    ss_item_fn each;
} visit;

static ss_status visit_object(ss_reader *r, json_t *object, visit *v);

/* messages name the included file, and the place in it */
static ss_status visit_file(ss_reader *r, json_t *contents, visit *v)
{
    char path[sizeof r->path];
    const size_t length = r->length;
    const char *outer = r->label, *label = ss_includes_label(r, contents);
    if (!label) {
        ss_path_key(r, "include");
        return ss_reader_expected(r, "the path of a file, given in the scene itself", contents);
    }
    memcpy(path, r->path, sizeof path);
    ss_path_back(r, 0);
    r->label = label;
    SS_TRY(visit_object(r, contents, v));
    r->label = outer;
    memcpy(r->path, path, sizeof path);
    r->length = length;
    return SS_OK;
}

static ss_status visit_group(ss_reader *r, json_t *group, void *user)
{
    const ss_scope *scope = r->scope;
    ss_parameters *parameters = r->parameters;
    r->depth++;
    SS_TRY(ss_scope_enter(r, group));
    SS_TRY(visit_object(r, group, user));
    r->depth--;
    r->scope = scope;
    r->parameters = parameters;
    return SS_OK;
}

static ss_status visit_object(ss_reader *r, json_t *object, visit *v)
{
    json_t *contents = json_object_get(object, "include");
    if (contents) {
        SS_TRY(visit_file(r, contents, v));
    }
    SS_TRY(ss_list_each(r, object, v->kind, v->each, NULL));
    return ss_list_each(r, object, "groups", visit_group, v);
}

ss_status ss_parts_each(ss_reader *r, json_t *root, const char *kind, ss_item_fn each)
{
    visit v = { .kind = kind, .each = each };
    r->copies = 0;
    return visit_object(r, root, &v);
}
