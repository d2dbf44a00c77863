/* parameters.c - names for numbers of a scene: "parameters": {"a": 0.1, "b": "2*a"}, and indices of copies.
 *
 * Wherever a scene has a number, a text may have an expression with these names in it; expressions in t may have them, too. A
 * parameter may depend on others, in any order, but not on itself. A name is replaced by its value in brackets before the
 * expression is read: what comes after the reader (the scene, models, result files) knows nothing of parameters.
 *
 * The parameters of a group, and every index, are a list of their own inside that of what is around them; the innermost list
 * that has a name says what it is. In names of parts "{expression}" is replaced by its value, a whole number, and "{index}" by
 * the label of the index if it has one.
 *
 * Cost   linear in the text, times the number of parameters */
#include "io/json.h"

#include "math/expr.h"
#include <math.h>
#include <stdio.h>

enum { NAME_LENGTH = 63, VALUE_LENGTH = 32, DEEPEST = 100, LARGEST_NUMBER = 1000000000 /* in a name */ };

typedef enum progress { NOT_READ, BEING_READ, READ } progress;

typedef struct parameter {
    const char *name;
    const json_t *given;
    double value;
    const char *label; /* of an index; NULL: its number */
    progress progress;
} parameter;

struct ss_parameters {
    const ss_parameters *outer; /* those around it; NULL: none */
    parameter *list;
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
    for (; all; all = all->outer) {
        for (int k = 0; k < all->n; k++) {
            if (strncmp(all->list[k].name, word, length) == 0 && all->list[k].name[length] == '\0') {
                return &all->list[k];
            }
        }
    }
    return NULL;
}

/* those of all lists, ended by NULL */
static ss_status all_names(ss_reader *r, const char *const **out)
{
    const char **name;
    int n = 0;
    for (const ss_parameters *all = r->parameters; all; all = all->outer) {
        n += all->n;
    }
    SS_TRY(ss_arena_take(r->arena, (size_t)n + 1, sizeof *name, &name));
    *out = name;
    for (const ss_parameters *all = r->parameters; all; all = all->outer) {
        for (int k = 0; k < all->n; k++) {
            *name++ = all->list[k].name;
        }
    }
    return SS_OK;
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
    const char *const *names;
    char name[NAME_LENGTH + 1];
    if (length > NAME_LENGTH) {
        return SS_OK;
    }
    memcpy(name, word, length);
    name[length] = '\0';
    if (ss_expr_knows(name)) {
        return SS_OK;
    }
    SS_TRY(all_names(r, &names));
    const char *near = ss_nearest_name(name, names);
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

/* ---- names of parts ---------------------------------------------------------------------------------------- */

/* what stands between braces, from the arena: the label of an index, or a whole number */
static ss_status brace_value(ss_reader *r, const char *text, size_t length, const char **out)
{
    static const char expected[] = "a whole number in braces";
    const parameter *p = find(r->parameters, text, length);
    char *copy, *number;
    double x;
    if (p && p->label) {
        *out = p->label;
        return SS_OK;
    }
    SS_TRY(ss_arena_take(r->arena, length + 1, 1, &copy));
    memcpy(copy, text, length);
    SS_TRY(ss_expression_value(r, expected, copy, &x));
    if (x != floor(x) || fabs(x) > LARGEST_NUMBER) {
        return ss_reader_fail(r, "expected %s, got {%.60s} = %.10g", expected, copy, x);
    }
    SS_TRY(ss_arena_take(r->arena, VALUE_LENGTH, 1, &number));
    snprintf(number, VALUE_LENGTH, "%.0f", x + 0.0);
    *out = number;
    return SS_OK;
}

/* `length` bytes of text behind what *out already has */
static ss_status append(ss_reader *r, const char *text, size_t length, const char **out)
{
    const size_t before = strlen(*out);
    char *longer;
    SS_TRY(ss_arena_take(r->arena, before + length + 1, 1, &longer));
    memcpy(longer, *out, before);
    memcpy(longer + before, text, length);
    *out = longer;
    return SS_OK;
}

ss_status ss_text_expand(ss_reader *r, const char *text, const char **out)
{
    const char *open = r->parameters ? strchr(text, '{') : NULL;
    *out = open ? "" : text;
    for (; open; open = strchr(text, '{')) {
        const char *close = strchr(open, '}'), *value = NULL;
        if (!close) {
            return ss_reader_fail(r, "\"%.60s\" has an opening brace without a closing one", text);
        }
        SS_TRY(brace_value(r, open + 1, (size_t)(close - open) - 1, &value));
        SS_TRY(append(r, text, (size_t)(open - text), out));
        SS_TRY(append(r, value, strlen(value), out));
        text = close + 1;
    }
    return *out == text ? SS_OK : append(r, text, strlen(text), out);
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

/* a list for `most` parameters inside the present one */
static ss_status begin_list(ss_reader *r, size_t most)
{
    ss_parameters *all;
    SS_TRY(ss_arena_take(r->arena, 1, sizeof *all, &all));
    SS_TRY(ss_arena_take(r->arena, most, sizeof *all->list, &all->list));
    all->outer = r->parameters;
    all->section = r->length;
    r->parameters = all;
    return SS_OK;
}

static ss_status take_names(ss_reader *r, json_t *section)
{
    ss_parameters *all = r->parameters;
    const char *name;
    json_t *value;
    json_object_foreach(section, name, value)
    {
        const size_t mark = ss_path_key(r, name);
        SS_TRY(check_name(r, name));
        ss_path_back(r, mark);
        all->list[all->n++] = (parameter){ .name = name, .given = value };
    }
    return SS_OK;
}

ss_status ss_parameters_read(ss_reader *r, const json_t *object)
{
    json_t *section = json_object_get(object, "parameters");
    if (!section) {
        return SS_OK;
    }
    const size_t mark = ss_path_key(r, "parameters");
    if (!json_is_object(section)) {
        return ss_reader_expected(r, "an object {\"name\": number, ..}", section);
    }
    SS_TRY(begin_list(r, json_object_size(section)));
    SS_TRY(take_names(r, section));
    for (int k = 0; k < r->parameters->n; k++) {
        if (r->parameters->list[k].progress != READ) {
            SS_TRY(read_value(r, &r->parameters->list[k]));
        }
    }
    ss_path_back(r, mark);
    return SS_OK;
}

/* ---- indices ---------------------------------------------------------------------------------------------- */

ss_status ss_index_begin(ss_reader *r, const char *name)
{
    SS_TRY(check_name(r, name));
    SS_TRY(begin_list(r, 1));
    r->parameters->n = 1;
    r->parameters->list[0] = (parameter){ .name = name, .progress = READ };
    return SS_OK;
}

void ss_index_set(ss_reader *r, double value, const char *label)
{
    r->parameters->list[0].value = value;
    r->parameters->list[0].label = label;
}
