/* json_path.c - where a reader is in its file, and what it says when something is wrong there.
 *
 * Every message is one line: the file, the dotted path (array items by their name, or [index]), what was
 * expected and what was found, or the nearest valid name. */
#include "io/json.h"

#include "base/extensions.h"
#include <stdio.h>

static size_t path_append(ss_reader *r, const char *format, const char *key, size_t index)
{
    size_t before = r->length, room = sizeof r->path - r->length;
    int n = key ? snprintf(r->path + before, room, format, key) : snprintf(r->path + before, room, "[%zu]", index);
    if (n > 0) {
        r->length = (size_t)n < room ? before + (size_t)n : sizeof r->path - 1;
    }
    return before;
}

size_t ss_path_key(ss_reader *r, const char *key)
{
    return r->length > 0 ? path_append(r, ".%s", key, 0) : path_append(r, "%s", key, 0);
}

size_t ss_path_index(ss_reader *r, size_t index) { return path_append(r, NULL, NULL, index); }

size_t ss_path_item(ss_reader *r, const json_t *item, size_t index)
{
    const char *name = json_string_value(json_object_get(item, "name"));
    return name && *name ? ss_path_key(r, name) : ss_path_index(r, index);
}

void ss_path_back(ss_reader *r, size_t length)
{
    r->length = length;
    r->path[length] = '\0';
}

ss_status ss_reader_fail(ss_reader *r, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (r->length == 0) {
        return ss_fail(r->ctx, SS_ERR_INPUT, "%s: %s", r->label, text);
    }
    return ss_fail(r->ctx, SS_ERR_INPUT, "%s: %s: %s", r->label, r->path, text);
}

/* a value as it stands in the file, cut to a readable length */
static void value_text(const json_t *value, char *text, size_t size)
{
    enum { SHOWN = 40 };
    char *dump = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(15));
    if (!dump) {
        snprintf(text, size, "a value that cannot be shown");
    } else if (strlen(dump) > SHOWN) {
        snprintf(text, size, "%.*s...", SHOWN, dump);
    } else {
        snprintf(text, size, "%s", dump);
    }
    free(dump);
}

ss_status ss_reader_expected(ss_reader *r, const char *expected, const json_t *got)
{
    char text[64];
    if (!got) {
        return ss_reader_fail(r, "missing; expected %s", expected);
    }
    value_text(got, text, sizeof text);
    return ss_reader_fail(r, "expected %s, got %s", expected, text);
}

/* "a, b, c" */
static void join_names(const char *const *names, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (int k = 0; names[k] && used < size; k++) {
        int n = snprintf(text + used, size - used, "%s%s", k > 0 ? ", " : "", names[k]);
        used += n > 0 ? (size_t)n : 0;
    }
}

ss_status ss_reader_unknown(ss_reader *r, const char *what, const char *word, const char *const *names)
{
    const char *near = ss_nearest_name(word, names);
    if (near) {
        return ss_reader_fail(r, "unknown %s \"%.60s\"; did you mean \"%s\"?", what, word, near);
    }
    char list[512];
    join_names(names, list, sizeof list);
    return ss_reader_fail(r, "unknown %s \"%.60s\"; valid: %s", what, word, *list ? list : "none");
}

ss_status ss_reader_keys(ss_reader *r, const json_t *object, const char *const *names)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)object, key, value)
    {
        int k = 0;
        while (names[k] && strcmp(names[k], key) != 0) {
            k++;
        }
        if (!names[k]) {
            return ss_reader_unknown(r, "key", key, names);
        }
    }
    return SS_OK;
}

/* first word of "a|b|c" at *list into text; false at the end */
static bool next_word(const char **list, char *text, size_t size)
{
    if (!*list || !**list) {
        return false;
    }
    size_t n = strcspn(*list, "|");
    snprintf(text, size, "%.*s", (int)n, *list);
    *list += n + ((*list)[n] == '|');
    return true;
}

ss_status ss_reader_names(ss_reader *r, ss_registry registry, const char *const **names)
{
    const char **list;
    int count = 0, n = 0;
    enum { ALIASES = 8, WORD = 48 };
    while (ss_entry_at(r->ctx, registry, count)) {
        count++;
    }
    SS_TRY(ss_arena_take(r->arena, (size_t)count * (1 + ALIASES) + 1, sizeof *list, &list));
    for (int k = 0; k < count; k++) {
        const ss_entry *entry = ss_entry_at(r->ctx, registry, k);
        const char *rest = entry->aliases;
        char word[WORD], *copy;
        list[n++] = entry->name;
        for (int a = 0; a < ALIASES && next_word(&rest, word, sizeof word); a++) {
            SS_TRY(ss_arena_take(r->arena, strlen(word) + 1, 1, &copy));
            memcpy(copy, word, strlen(word));
            list[n++] = copy;
        }
    }
    *names = list;
    return SS_OK;
}

ss_status ss_reader_entry(ss_reader *r, ss_registry registry, const char *what, const json_t *value, const ss_entry **entry)
{
    if (!json_is_string(value)) {
        return ss_reader_expected(r, what, value);
    }
    *entry = ss_entry_find(r->ctx, registry, json_string_value(value));
    if (!*entry) {
        const char *const *names;
        SS_TRY(ss_reader_names(r, registry, &names));
        return ss_reader_unknown(r, what, json_string_value(value), names);
    }
    return SS_OK;
}

ss_status ss_reader_within(ss_reader *r, ss_status status)
{
    return status == SS_OK ? SS_OK : ss_fail_within(r->ctx, status, "%s", r->label);
}

ss_status ss_reader_because(ss_reader *r)
{
    char why[512];
    snprintf(why, sizeof why, "%s", ss_last_error(r->ctx));
    return ss_reader_fail(r, "%s", why);
}

ss_status ss_reader_beside(ss_reader *r, const char *path, const char **out)
{
    const char *slash = strrchr(r->label, '/');
    const int folder = slash && path[0] != '/' ? (int)(slash - r->label) + 1 : 0;
    const size_t size = (size_t)folder + strlen(path) + 1;
    char *text;
    SS_TRY(ss_arena_take(r->arena, size, 1, &text));
    snprintf(text, size, "%.*s%s", folder, r->label, path);
    *out = text;
    return SS_OK;
}
