/* expr_parse.c - arithmetic expressions in t: a recursive-descent parser that emits a stack program.
 *
 *   sum     := product (("+" | "-") product)*
 *   product := signed (("*" | "/") signed)*
 *   signed  := ("+" | "-") signed | power
 *   power   := primary ("^" signed)?               so -2^2 = -4, 2^-1 = 1/2, 2^3^2 = 2^9
 *   primary := number | name | name "(" sum ("," sum)* ")" | "(" sum ")"
 *
 * There is no implied product. Numbers are decimal and rounded correctly; they are read in the C locale whatever the program's.
 * Positions in messages count bytes from 1.
 *
 * Limits: nesting (parentheses, signs, powers) up to DEPTH, evaluation stack up to SS_EXPR_STACK. Cost: linear in the text. */
#include "math/expr_ops.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { DEPTH = 100, NUMBER_LENGTH = 128, NAME_LENGTH = 15, SHOWN = 60 };

typedef struct parser {
    ss_context *ctx;
    const char *text, *at;
    ss_expr *expr;
    locale_t numbers; /* the C locale                              */
    int depth;        /* of the recursion                          */
    int height;       /* of the evaluation stack after the program */
} parser;

/* ---- emitting ------------------------------------------------------------------------------- */

/* Fail at a place in the text; of a long text the part around it is shown. */
static ss_status fail_at(const parser *p, const char *place, const char *what)
{
    size_t before = (size_t)(place - p->text);
    const char *from = before > SHOWN / 2 && strlen(p->text) > SHOWN ? place - SHOWN / 2 : p->text;
    return ss_fail(p->ctx, SS_ERR_INPUT, "expression \"%s%.*s%s\": %s at %s %zu", from > p->text ? "..." : "", SHOWN, from,
                   strlen(from) > SHOWN ? "..." : "", what, *place ? "character" : "the end, character", before + 1);
}

static ss_status emit(parser *p, ss_op code)
{
    p->height += code.kind == SS_OP_CALL2 ? -1 : code.kind == SS_OP_CALL1 ? 0 : 1;
    if (p->height > SS_EXPR_STACK) {
        return fail_at(p, p->at, "too many operands wait for each other");
    }
    ss_expr *expr = p->expr;
    expr->constant = expr->constant && code.kind != SS_OP_TIME;
    expr->kinked = expr->kinked || code.branch;
    SS_PUSH(p->ctx, expr->code, expr->length, expr->capacity, code);
    return SS_OK;
}

/* ---- parsing -------------------------------------------------------------------------------- */

static const char digits[] = "0123456789";
static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* Take the character if it comes next. */
static bool accept(parser *p, char c)
{
    p->at += strspn(p->at, " \t\r\n");
    if (*p->at != c) {
        return false;
    }
    p->at++;
    return true;
}

static ss_status expect(parser *p, char c)
{
    char what[16];
    snprintf(what, sizeof what, "expected '%c'", c);
    return accept(p, c) ? SS_OK : fail_at(p, p->at, what);
}

static ss_status parse_sum(parser *p);

/* End of the number that starts here: digits [. digits] [e [sign] digits]. */
static const char *scan_number(const char *at)
{
    at += strspn(at, digits);
    if (*at == '.') {
        at += 1 + strspn(at + 1, digits);
    }
    if (*at == 'e' || *at == 'E') {
        const char *exponent = at + (at[1] == '+' || at[1] == '-' ? 2 : 1);
        at = is_digit(*exponent) ? exponent + strspn(exponent, digits) : at;
    }
    return at;
}

static ss_status parse_number(parser *p)
{
    char token[NUMBER_LENGTH + 1];
    const char *start = p->at, *end = scan_number(start);
    if (end - start > NUMBER_LENGTH) {
        return fail_at(p, start, "a number with too many digits");
    }
    memcpy(token, start, (size_t)(end - start));
    token[end - start] = '\0';

    locale_t callers = uselocale(p->numbers);
    errno = 0;
    double value = strtod(token, NULL);
    bool lost = errno == ERANGE && (value == 0 || isinf(value));
    uselocale(callers);
    if (lost) {
        return fail_at(p, start, value == 0 ? "a number too small to be stored" : "a number too large to be stored");
    }
    p->at = end;
    return emit(p, (ss_op){ .kind = SS_OP_NUMBER, .number = value });
}

/* The arguments of a function of one or two, and the call. */
static ss_status parse_call(parser *p, ss_op function)
{
    SS_TRY(expect(p, '('));
    SS_TRY(parse_sum(p));
    if (function.kind == SS_OP_CALL2) {
        SS_TRY(expect(p, ','));
        SS_TRY(parse_sum(p));
    }
    SS_TRY(expect(p, ')'));
    return emit(p, function);
}

static ss_status unknown_name(const parser *p, const char *name, const char *place)
{
    char what[80];
    const char *list[SS_OP_NAMES + 1] = { NULL };
    for (int k = 0; k < SS_OP_NAMES; k++) {
        list[k] = ss_op_names[k].name;
    }
    const char *near = ss_nearest_name(name, list);
    snprintf(what, sizeof what, "unknown name '%s'%s%s%s", name, near ? " (did you mean '" : "", near ? near : "",
             near ? "'?)" : "");
    return fail_at(p, place, what);
}

bool ss_expr_knows(const char *name)
{
    bool known = false;
    for (int k = 0; k < SS_OP_NAMES; k++) {
        known = known || strcmp(ss_op_names[k].name, name) == 0;
    }
    return known;
}

static ss_status parse_name(parser *p)
{
    char name[NAME_LENGTH + 1];
    const char *start = p->at;
    size_t length = strspn(start, letters);
    if (length > NAME_LENGTH) {
        return fail_at(p, start, "unknown name");
    }
    memcpy(name, start, length);
    name[length] = '\0';
    for (int k = 0; k < SS_OP_NAMES; k++) {
        if (strcmp(ss_op_names[k].name, name) == 0) {
            ss_op code = ss_op_names[k].code;
            p->at = start + length;
            return code.kind == SS_OP_CALL1 || code.kind == SS_OP_CALL2 ? parse_call(p, code) : emit(p, code);
        }
    }
    return unknown_name(p, name, start);
}

static ss_status parse_primary(parser *p)
{
    if (accept(p, '(')) {
        SS_TRY(parse_sum(p));
        return expect(p, ')');
    }
    if (is_digit(*p->at) || (*p->at == '.' && is_digit(p->at[1]))) {
        return parse_number(p);
    }
    if (*p->at && strchr(letters, *p->at)) {
        return parse_name(p);
    }
    return fail_at(p, p->at, "expected a number, a name or '('");
}

/* signed and power; every way into the recursion passes here */
static ss_status parse_signed(parser *p)
{
    if (++p->depth > DEPTH) {
        char what[64];
        snprintf(what, sizeof what, "nested more than %d levels deep", DEPTH);
        return fail_at(p, p->at, what);
    }
    if (accept(p, '-')) {
        SS_TRY(parse_signed(p));
        SS_TRY(emit(p, ss_op_negate));
    } else if (accept(p, '+')) {
        SS_TRY(parse_signed(p));
    } else {
        SS_TRY(parse_primary(p));
        if (accept(p, '^')) {
            SS_TRY(parse_signed(p));
            SS_TRY(emit(p, ss_op_power));
        }
    }
    p->depth--;
    return SS_OK;
}

static ss_status parse_product(parser *p)
{
    SS_TRY(parse_signed(p));
    for (;;) {
        bool multiplied = accept(p, '*');
        if (!multiplied && !accept(p, '/')) {
            return SS_OK;
        }
        SS_TRY(parse_signed(p));
        SS_TRY(emit(p, multiplied ? ss_op_multiply : ss_op_divide));
    }
}

static ss_status parse_sum(parser *p)
{
    SS_TRY(parse_product(p));
    for (;;) {
        bool added = accept(p, '+');
        if (!added && !accept(p, '-')) {
            return SS_OK;
        }
        SS_TRY(parse_product(p));
        SS_TRY(emit(p, added ? ss_op_add : ss_op_subtract));
    }
}

static ss_status parse_all(parser *p)
{
    SS_TRY(parse_sum(p));
    return *p->at ? fail_at(p, p->at, "expected an operator") : SS_OK;
}

/* ---- the interface -------------------------------------------------------------------------- */

ss_status ss_expr_compile(ss_context *ctx, const char *text, ss_expr **out)
{
    ss_expr *expr = NULL;
    *out = NULL;
    SS_TRY(ss_calloc(ctx, 1, sizeof *expr, &expr));
    expr->constant = true;
    parser p = { .ctx = ctx, .text = text, .at = text, .expr = expr, .numbers = newlocale(LC_ALL_MASK, "C", (locale_t)0) };
    ss_status status = p.numbers ? parse_all(&p) : ss_fail(ctx, SS_ERR_MEMORY, "out of memory: no C locale");
    if (p.numbers) {
        freelocale(p.numbers);
    }
    if (status != SS_OK) {
        ss_expr_destroy(ctx, expr);
        return status;
    }
    *out = expr;
    return SS_OK;
}

void ss_expr_destroy(ss_context *ctx, ss_expr *expr)
{
    if (expr) {
        ss_free(ctx, expr->code);
        ss_free(ctx, expr);
    }
}
