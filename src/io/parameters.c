/* parameters.c - names for numbers of a scene: "parameters": {"a": 0.1, "b": "2*a"}.
 *
 * Wherever a scene has a number, a text may have an expression with these names in it; expressions in t may have them, too. A
 * parameter may depend on others, in any order, but not on itself. A name is replaced by its value in brackets before the
 * expression is read: what comes after the reader (the scene, models, result files) knows nothing of parameters.
 *
 * Cost   linear in the text, times the number of parameters */
#include "io/json.h"

#include "math/expr.h"
#include <stdio.h>

enum { NAME_LENGTH = 63, VALUE_LENGTH = 32, DEEPEST = 100 };

typedef enum progress { NOT_READ, BEING_READ, READ } progress;

typedef struct parameter {
    const char *name;
    const json_t *given;
    double value;
    progress progress;
} parameter;

struct ss_parameters {
    parameter *list;
    const char **name; /* of all, ended by NULL */
    int n, depth;
    size_t section; /* length of the path "parameters" */
};

static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
static const char word_bytes[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";

/* ---- values -------------------------------------------------------------------------------------------- */

/* the path of the message is that of the parameter, whoever asks for it */
static ss_status read_value(ss_reader *r, parameter *p)
{
    ss_parameters *all = r->parameters;
    char path[sizeof r->path];
    const size_t length = r->length;
    memcpy(path, r->path, sizeof path);
    ss_path_back(r, all->section);
    ss_path_key(r, p->name);
    if (p->progress == BEING_READ) {
        return ss_reader_fail(r, "it depends on itself");
    }
    if (all->depth == DEEPEST) {
        return ss_reader_fail(r, "more than %d parameters depend on each other in a row", DEEPEST);
    }
    all->depth++;
    p->progress = BEING_READ;
    SS_TRY(ss_number_read(r, "a number or an expression", p->given, &p->value));
    p->progress = READ;
    all->depth--;
    memcpy(r->path, path, sizeof path);
    r->length = length;
    return SS_OK;
}

static parameter *find(const ss_parameters *all, const char *word, size_t length)
{
    for (int k = 0; k < all->n; k++) {
        if (strncmp(all->list[k].name, word, length) == 0 && all->list[k].name[length] == '\0') {
            return &all->list[k];
        }
    }
    return NULL;
}

/* ---- expressions ---------------------------------------------------------------------------------------- */

/* length of the number at the start of the text, with its exponent: the e of 1e3 is no name */
static size_t number_length(const char *text)
{
    size_t n = strspn(text, "0123456789.");
    if (n > 0 && (text[n] == 'e' || text[n] == 'E')) {
        const size_t sign = text[n + 1] == '+' || text[n + 1] == '-', tail = strspn(text + n + 1 + sign, "0123456789");
        n += tail > 0 ? 1 + sign + tail : 0;
    }
    return n;
}

/* a name that is neither a parameter nor known to expressions; where no parameter is similar, the parser of expressions says so
 */
static ss_status check_word(ss_reader *r, const char *word, size_t length)
{
    char name[NAME_LENGTH + 1];
    if (length > NAME_LENGTH) {
        return SS_OK;
    }
    memcpy(name, word, length);
    name[length] = '\0';
    const char *near = ss_expr_knows(name) ? NULL : ss_nearest_name(name, r->parameters->name);
    return near ? ss_reader_fail(r, "unknown name '%s'; did you mean the parameter '%s'?", name, near) : SS_OK;
}

/* the word at the start of the text, or its value; where the output ends */
static ss_status put_word(ss_reader *r, const char *word, size_t length, char **out)
{
    parameter *p = find(r->parameters, word, length);
    if (!p) {
        SS_TRY(check_word(r, word, length));
        memcpy(*out, word, length);
        *out += length;
        return SS_OK;
    }
    if (p->progress != READ) {
        SS_TRY(read_value(r, p));
    }
    *out += snprintf(*out, VALUE_LENGTH, "(%.17g)", p->value);
    return SS_OK;
}

/* names in a text, at most */
static size_t count_words(const char *text)
{
    size_t count = 0;
    for (; *text; text++) {
        count += strchr(letters, *text) != NULL;
    }
    return count;
}

ss_status ss_parameters_expand(ss_reader *r, const char *text, const char **out)
{
    char *to;
    *out = text;
    if (!r->parameters) {
        return SS_OK;
    }
    SS_TRY(ss_arena_take(r->arena, strlen(text) + count_words(text) * VALUE_LENGTH + 1, 1, &to));
    *out = to;
    while (*text) {
        const size_t number = number_length(text), word = number ? 0 : strspn(text, word_bytes);
        if (word > 0) {
            SS_TRY(put_word(r, text, word, &to));
        } else {
            const size_t length = number ? number : 1;
            memcpy(to, text, length);
            to += length;
        }
        text += number ? number : word ? word : 1;
    }
    return SS_OK;
}

/* ---- the section ------------------------------------------------------------------------------------------ */

static ss_status check_name(ss_reader *r, const char *name)
{
    const size_t length = strlen(name);
    if (length == 0 || length > NAME_LENGTH || !strchr(letters, name[0]) || strspn(name, word_bytes) != length) {
        return ss_reader_fail(r, "expected a name of letters, digits and _, at most %d, that begins with a letter", NAME_LENGTH);
    }
    return ss_expr_knows(name) ? ss_reader_fail(r, "this name has a meaning in expressions: choose another") : SS_OK;
}

static ss_status take_names(ss_reader *r, json_t *section)
{
    ss_parameters *all = r->parameters;
    const size_t most = json_object_size(section);
    const char *name;
    json_t *value;
    SS_TRY(ss_arena_take(r->arena, most, sizeof *all->list, &all->list));
    SS_TRY(ss_arena_take(r->arena, most + 1, sizeof *all->name, &all->name));
    json_object_foreach(section, name, value)
    {
        const size_t mark = ss_path_key(r, name);
        SS_TRY(check_name(r, name));
        ss_path_back(r, mark);
        all->name[all->n] = name;
        all->list[all->n++] = (parameter){ .name = name, .given = value };
    }
    return SS_OK;
}

ss_status ss_parameters_read(ss_reader *r, json_t *root)
{
    json_t *section = json_object_get(root, "parameters");
    if (!section) {
        return SS_OK;
    }
    const size_t mark = ss_path_key(r, "parameters");
    if (!json_is_object(section)) {
        return ss_reader_expected(r, "an object {\"name\": number, ..}", section);
    }
    SS_TRY(ss_arena_take(r->arena, 1, sizeof *r->parameters, &r->parameters));
    r->parameters->section = r->length;
    SS_TRY(take_names(r, section));
    for (int k = 0; k < r->parameters->n; k++) {
        if (r->parameters->list[k].progress != READ) {
            SS_TRY(read_value(r, &r->parameters->list[k]));
        }
    }
    ss_path_back(r, mark);
    return SS_OK;
}
