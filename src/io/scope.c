/* scope.c - what holds inside a group: its parameters, its defaults, its name and its place.
 *
 *   names    a part `foot` of a group `leg` is called "leg.foot" outside of it. A name that is used in a group means the part of
 *            that group if it has one of this name, else that of the group around it, and so on.
 *   places   x' = p + R x takes a point of the group to that of what is around it; the scope has the product of all. */
#include "io/authoring.h"

#include <math.h>
#include <stdio.h>

enum { DEEPEST = 32 };

static const ss_scope scene_scope = { .prefix = "",
                                      .turn = { .q = { 1, 0, 0, 0 }, .R = { { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } } } };

/* a copy of the scope around it, to be changed */
static ss_status begin(ss_reader *r, const json_t *object, const ss_scope *outer, ss_scope **out)
{
    SS_TRY(ss_arena_take(r->arena, 1, sizeof **out, out));
    **out = outer ? *outer : scene_scope;
    (*out)->outer = outer;
    (*out)->defaults = json_object_get(object, "defaults");
    r->scope = *out;
    return ss_defaults_check(r, object);
}

ss_status ss_scope_begin(ss_reader *r, const json_t *root)
{
    ss_scope *scope;
    return begin(r, root, NULL, &scope);
}

/* ---- the place of a group ----------------------------------------------------------------------------------- */

static ss_status read_turn(ss_reader *r, const json_t *group, ss_scope *scope)
{
    const char *key = r->dimension == 2 ? "angle" : "orientation";
    const json_t *value = json_object_get(group, key);
    ss_rotation turn;
    double angle = 0;
    if (!value) {
        return SS_OK;
    }
    size_t mark = ss_path_key(r, key);
    if (r->dimension == 2) {
        SS_TRY(ss_number_read(r, "a number", value, &angle));
        turn = ss_rotation_about_z(angle);
    } else {
        const ss_field any = { .type = SS_FIELD_QUATERNION };
        char expected[256];
        ss_field_expected(&any, r->dimension, expected, sizeof expected);
        SS_TRY(ss_rotation_read(r, expected, value, &turn));
    }
    ss_path_back(r, mark);
    scope->angle += angle;
    scope->turn = ss_rotation_compose(&scope->turn, &turn);
    scope->placed = true;
    return SS_OK;
}

static ss_status read_place(ss_reader *r, const json_t *group, ss_scope *scope)
{
    const json_t *value = json_object_get(group, "position");
    double x[3] = { 0, 0, 0 };
    if (value) {
        size_t mark = ss_path_key(r, "position");
        const char *expected = r->dimension == 2 ? "a list of 2 numbers" : "a list of 3 numbers";
        SS_TRY(ss_numbers_read(r, expected, value, (size_t)r->dimension, x));
        ss_path_back(r, mark);
        scope->origin = ss_add(ss_rotate(scope->turn.R, ss_v3_from(x)), scope->origin);
        scope->placed = true;
    }
    return read_turn(r, group, scope);
}

/* ---- groups -------------------------------------------------------------------------------------------------- */

static ss_status check_keys(ss_reader *r, const json_t *group)
{
    const char *const names[] = { "name",      "position",   r->dimension == 2 ? "angle" : "orientation",
                                  "replicate", "parameters", "defaults",
                                  "include",   "materials",  "pairs",
                                  "bodies",    "elements",   "joints",
                                  "forces",    "outputs",    "groups",
                                  NULL };
    if (!json_is_object(group)) {
        return ss_reader_expected(r, "an object {\"bodies\": [..], ..}", group);
    }
    return ss_reader_keys(r, group, names);
}

static ss_status read_prefix(ss_reader *r, const json_t *group, ss_scope *scope)
{
    const json_t *value = json_object_get(group, "name");
    const char *name;
    char *prefix;
    if (!value) {
        return SS_OK;
    }
    if (!json_is_string(value) || json_string_length(value) == 0) {
        ss_path_key(r, "name");
        return ss_reader_expected(r, "a name in quotes", value);
    }
    SS_TRY(ss_text_expand(r, json_string_value(value), &name));
    const size_t size = strlen(scope->prefix) + strlen(name) + 2;
    SS_TRY(ss_arena_take(r->arena, size, 1, &prefix));
    snprintf(prefix, size, "%s%s.", scope->prefix, name);
    scope->prefix = prefix;
    return SS_OK;
}

ss_status ss_scope_enter(ss_reader *r, json_t *group)
{
    ss_scope *scope;
    if (r->depth > DEEPEST) {
        return ss_reader_fail(r, "more than %d groups inside each other", DEEPEST);
    }
    SS_TRY(check_keys(r, group));
    SS_TRY(ss_parameters_read(r, group));
    SS_TRY(begin(r, group, r->scope, &scope));
    SS_TRY(read_prefix(r, group, scope));
    return read_place(r, group, scope);
}

/* ---- names ----------------------------------------------------------------------------------------------------- */

static ss_status join(ss_reader *r, const char *prefix, const char *word, const char **out)
{
    const size_t size = strlen(prefix) + strlen(word) + 1;
    char *text;
    SS_TRY(ss_arena_take(r->arena, size, 1, &text));
    snprintf(text, size, "%s%s", prefix, word);
    *out = text;
    return SS_OK;
}

ss_status ss_scope_name(ss_reader *r, const char *name, const char **out)
{
    *out = name;
    return name && r->scope && *r->scope->prefix ? join(r, r->scope->prefix, name, out) : SS_OK;
}

ss_status ss_scope_find(ss_reader *r, const char *word, bool (*has)(const ss_reader *, const char *), const char **out)
{
    for (const ss_scope *s = r->scope; s && *s->prefix; s = s->outer) {
        SS_TRY(join(r, s->prefix, word, out));
        if (has(r, *out)) {
            return SS_OK;
        }
    }
    *out = word;
    return SS_OK;
}
