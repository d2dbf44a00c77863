/* expr.c - arithmetic expressions in t: a recursive-descent parser that emits a stack program, and its derivatives.
 *
 *   sum     := product (("+" | "-") product)*
 *   product := signed (("*" | "/") signed)*
 *   signed  := ("+" | "-") signed | power
 *   power   := primary ("^" signed)?               so -2^2 = -4, 2^-1 = 1/2, 2^3^2 = 2^9
 *   primary := number | name | name "(" sum ("," sum)* ")" | "(" sum ")"
 *
 * sign(0) = 0; step(x) = 1 for x >= 0, else 0; min and max hand on a NaN. There is no implied product.
 * Numbers are decimal and rounded correctly; they are read in the C locale whatever the program's.
 * Positions in messages count bytes from 1.
 *
 * Derivatives   each operation also takes jets x = (x, x', x''), exactly:  y' = f' x',  y'' = f'' x'^2 + f' x''.  Where two
 *               branches meet (abs, min, max) that one is taken which is right just after t: the first of x, x', x'' that
 *               decides. sign, floor and step have no slope. An argument that stands still has an image that stands still,
 *               even where f' is infinite: sqrt(0).
 *
 * Kinks         operations with branches know which one they are on; where that changes is found on a grid, then by bisection
 *               down to two neighbouring numbers. So a passage that is not taken back is found however short the interval of
 *               its effect: step(t - a) - step(t - b) has two.
 *
 * Limits: nesting (parentheses, signs, powers) up to DEPTH, evaluation stack up to STACK, both checked
 * while compiling; evaluation has nothing left to check. Cost: one call per operation. */
#include "math/expr.h"
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { DEPTH = 100, STACK = 256, GRID = 32, NUMBER_LENGTH = 128, NAME_LENGTH = 15, SHOWN = 60 };

typedef enum op_kind { OP_NUMBER, OP_TIME, OP_CALL1, OP_CALL2 } op_kind;

typedef struct op {
    op_kind kind;
    union {
        double number;
        double (*call1)(double);
        double (*call2)(double, double);
    };
    union {
        void (*jet1)(const double x[3], double y[3]);
        void (*jet2)(const double a[3], const double b[3], double y[3]);
    };
    double (*branch)(double a, double b); /* a number for each; NULL: there is but one */
} op;

struct ss_expr {
    op *code;
    int length, capacity;
    bool constant, kinked; /* kinked: some operation has branches */
};

typedef struct parser {
    ss_context *ctx;
    const char *text, *at;
    ss_expr *expr;
    locale_t numbers; /* the C locale                              */
    int depth;        /* of the recursion                          */
    int height;       /* of the evaluation stack after the program */
} parser;

/* ---- values of the operations ------------------------------------------------------------------ */

static double negate(double x) { return -x; }

static double sign(double x) { return x > 0 ? 1 : x < 0 ? -1 : x; /* 0 and NaN as they are */ }

static double step(double x) { return isnan(x) ? x : x >= 0; }

static double smaller(double a, double b) { return isnan(a) || isnan(b) ? a + b : a < b ? a : b; }

static double larger(double a, double b) { return isnan(a) || isnan(b) ? a + b : a > b ? a : b; }

static double add(double a, double b) { return a + b; }

static double subtract(double a, double b) { return a - b; }

static double multiply(double a, double b) { return a * b; }

static double divide(double a, double b) { return a / b; }

/* ---- branches of the operations ---------------------------------------------------------------- */

static double branch_sign(double a, double b)
{
    (void)b;
    return a >= 0;
}

static double branch_floor(double a, double b)
{
    (void)b;
    return floor(a);
}

static double branch_order(double a, double b) { return a >= b; }

/* ---- jets ----------------------------------------------------------------------------------- */

/* y = f(x) from f, f' and f'' at x[0] */
static void chain(double f, double f_d, double f_dd, const double x[3], double y[3])
{
    bool still = x[1] == 0 && x[2] == 0;
    y[0] = f;
    y[1] = still ? 0 : f_d * x[1];
    y[2] = still ? 0 : f_dd * x[1] * x[1] + f_d * x[2];
}

/* the sign of x just after t; 0: of nothing that is known of it */
static double sign_after(const double x[3])
{
    int k = x[0] != 0 ? 0 : x[1] != 0 ? 1 : 2;
    return sign(x[k]);
}

static void jet_negate(const double x[3], double y[3]) { chain(-x[0], -1, 0, x, y); }

static void jet_sin(const double x[3], double y[3]) { chain(sin(x[0]), cos(x[0]), -sin(x[0]), x, y); }

static void jet_cos(const double x[3], double y[3]) { chain(cos(x[0]), -sin(x[0]), -cos(x[0]), x, y); }

static void jet_tan(const double x[3], double y[3])
{
    double f = tan(x[0]), f_d = 1 + f * f;
    chain(f, f_d, 2 * f * f_d, x, y);
}

static void jet_asin(const double x[3], double y[3])
{
    double f_d = 1 / sqrt((1 - x[0]) * (1 + x[0]));
    chain(asin(x[0]), f_d, x[0] * f_d * f_d * f_d, x, y);
}

static void jet_acos(const double x[3], double y[3])
{
    double f_d = -1 / sqrt((1 - x[0]) * (1 + x[0]));
    chain(acos(x[0]), f_d, x[0] * f_d * f_d * f_d, x, y);
}

static void jet_atan(const double x[3], double y[3])
{
    double f_d = 1 / (1 + x[0] * x[0]);
    chain(atan(x[0]), f_d, -2 * x[0] * f_d * f_d, x, y);
}

static void jet_sinh(const double x[3], double y[3]) { chain(sinh(x[0]), cosh(x[0]), sinh(x[0]), x, y); }

static void jet_cosh(const double x[3], double y[3]) { chain(cosh(x[0]), sinh(x[0]), cosh(x[0]), x, y); }

static void jet_tanh(const double x[3], double y[3])
{
    double f = tanh(x[0]), s = 1 / cosh(x[0]), f_d = s * s;
    chain(f, f_d, -2 * f * f_d, x, y);
}

static void jet_exp(const double x[3], double y[3]) { chain(exp(x[0]), exp(x[0]), exp(x[0]), x, y); }

static void jet_log(const double x[3], double y[3]) { chain(log(x[0]), 1 / x[0], -1 / (x[0] * x[0]), x, y); }

static void jet_sqrt(const double x[3], double y[3])
{
    double f = sqrt(x[0]);
    chain(f, 0.5 / f, -0.25 / (f * x[0]), x, y);
}

static void jet_abs(const double x[3], double y[3]) { chain(fabs(x[0]), sign_after(x), 0, x, y); }

static void jet_sign(const double x[3], double y[3]) { chain(sign(x[0]), 0, 0, x, y); }

static void jet_floor(const double x[3], double y[3]) { chain(floor(x[0]), 0, 0, x, y); }

static void jet_step(const double x[3], double y[3]) { chain(step(x[0]), 0, 0, x, y); }

static void jet_add(const double a[3], const double b[3], double y[3])
{
    for (int k = 0; k < 3; k++) {
        y[k] = a[k] + b[k];
    }
}

static void jet_subtract(const double a[3], const double b[3], double y[3])
{
    for (int k = 0; k < 3; k++) {
        y[k] = a[k] - b[k];
    }
}

static void jet_multiply(const double a[3], const double b[3], double y[3])
{
    y[0] = a[0] * b[0];
    y[1] = a[1] * b[0] + a[0] * b[1];
    y[2] = a[2] * b[0] + 2 * a[1] * b[1] + a[0] * b[2];
}

/* from a = y b */
static void jet_divide(const double a[3], const double b[3], double y[3])
{
    y[0] = a[0] / b[0];
    y[1] = (a[1] - y[0] * b[1]) / b[0];
    y[2] = (a[2] - 2 * y[1] * b[1] - y[0] * b[2]) / b[0];
}

/* the smaller (side < 0) or larger one, just after t; a NaN is handed on */
static void jet_extreme(const double a[3], const double b[3], double side, double y[3])
{
    double apart[3];
    jet_subtract(a, b, apart);
    const double *chosen = isnan(a[0]) || (!isnan(b[0]) && side * sign_after(apart) > 0) ? a : b;
    memcpy(y, chosen, 3 * sizeof *y);
}

static void jet_smaller(const double a[3], const double b[3], double y[3]) { jet_extreme(a, b, -1, y); }

static void jet_larger(const double a[3], const double b[3], double y[3]) { jet_extreme(a, b, 1, y); }

/* r^2 y' = a' b - a b',  r^2 = a^2 + b^2 */
static void jet_atan2(const double a[3], const double b[3], double y[3])
{
    double r = hypot(a[0], b[0]), s = a[0] / r, c = b[0] / r;
    bool still = a[1] == 0 && a[2] == 0 && b[1] == 0 && b[2] == 0;
    y[0] = atan2(a[0], b[0]);
    y[1] = still ? 0 : (a[1] * c - s * b[1]) / r;
    y[2] = still ? 0 : (a[2] * c - s * b[2] - 2 * y[1] * (s * a[1] + c * b[1])) / r;
}

/* b stands still: powers of a, which may be negative; else exp(b log a), a > 0 */
static void jet_pow(const double a[3], const double b[3], double y[3])
{
    double n = b[0], log_a[3], product[3], value = pow(a[0], n);
    if (b[1] == 0 && b[2] == 0) {
        double f_d = n == 0 ? 0 : n * pow(a[0], n - 1), f_dd = n == 0 || n == 1 ? 0 : n * (n - 1) * pow(a[0], n - 2);
        chain(value, f_d, f_dd, a, y);
        return;
    }
    jet_log(a, log_a);
    jet_multiply(b, log_a, product);
    chain(value, value, value, product, y);
}

/* ---- the names of functions and constants ------------------------------------------------------ */

static const struct {
    const char *name;
    op code;
} names[] = {
    { "pi", { OP_NUMBER, .number = 3.14159265358979323846 } },
    { "e", { OP_NUMBER, .number = 2.71828182845904523536 } },
    { "t", { OP_TIME, .number = 0 } },
    { "sin", { OP_CALL1, .call1 = sin, .jet1 = jet_sin } },
    { "cos", { OP_CALL1, .call1 = cos, .jet1 = jet_cos } },
    { "tan", { OP_CALL1, .call1 = tan, .jet1 = jet_tan } },
    { "asin", { OP_CALL1, .call1 = asin, .jet1 = jet_asin } },
    { "acos", { OP_CALL1, .call1 = acos, .jet1 = jet_acos } },
    { "atan", { OP_CALL1, .call1 = atan, .jet1 = jet_atan } },
    { "sinh", { OP_CALL1, .call1 = sinh, .jet1 = jet_sinh } },
    { "cosh", { OP_CALL1, .call1 = cosh, .jet1 = jet_cosh } },
    { "tanh", { OP_CALL1, .call1 = tanh, .jet1 = jet_tanh } },
    { "exp", { OP_CALL1, .call1 = exp, .jet1 = jet_exp } },
    { "log", { OP_CALL1, .call1 = log, .jet1 = jet_log } },
    { "sqrt", { OP_CALL1, .call1 = sqrt, .jet1 = jet_sqrt } },
    { "abs", { OP_CALL1, .call1 = fabs, .jet1 = jet_abs, .branch = branch_sign } },
    { "sign", { OP_CALL1, .call1 = sign, .jet1 = jet_sign, .branch = branch_sign } },
    { "floor", { OP_CALL1, .call1 = floor, .jet1 = jet_floor, .branch = branch_floor } },
    { "step", { OP_CALL1, .call1 = step, .jet1 = jet_step, .branch = branch_sign } },
    { "min", { OP_CALL2, .call2 = smaller, .jet2 = jet_smaller, .branch = branch_order } },
    { "max", { OP_CALL2, .call2 = larger, .jet2 = jet_larger, .branch = branch_order } },
    { "atan2", { OP_CALL2, .call2 = atan2, .jet2 = jet_atan2 } },
    { "pow", { OP_CALL2, .call2 = pow, .jet2 = jet_pow } },
};

enum { NAMES = sizeof names / sizeof *names };

/* ---- emitting ------------------------------------------------------------------------------- */

/* Fail at a place in the text; of a long text the part around it is shown. */
static ss_status fail_at(const parser *p, const char *place, const char *what)
{
    size_t before = (size_t)(place - p->text);
    const char *from = before > SHOWN / 2 && strlen(p->text) > SHOWN ? place - SHOWN / 2 : p->text;
    return ss_fail(p->ctx, SS_ERR_INPUT, "expression \"%s%.*s%s\": %s at %s %zu", from > p->text ? "..." : "", SHOWN, from,
                   strlen(from) > SHOWN ? "..." : "", what, *place ? "character" : "the end, character", before + 1);
}

static ss_status emit(parser *p, op code)
{
    p->height += code.kind == OP_CALL2 ? -1 : code.kind == OP_CALL1 ? 0 : 1;
    if (p->height > STACK) {
        return fail_at(p, p->at, "too many operands wait for each other");
    }
    ss_expr *expr = p->expr;
    expr->constant = expr->constant && code.kind != OP_TIME;
    expr->kinked = expr->kinked || code.branch;
    SS_PUSH(p->ctx, expr->code, expr->length, expr->capacity, code);
    return SS_OK;
}

/* the operations that have signs for names */
static const op op_negate = { OP_CALL1, .call1 = negate, .jet1 = jet_negate };
static const op op_add = { OP_CALL2, .call2 = add, .jet2 = jet_add };
static const op op_subtract = { OP_CALL2, .call2 = subtract, .jet2 = jet_subtract };
static const op op_multiply = { OP_CALL2, .call2 = multiply, .jet2 = jet_multiply };
static const op op_divide = { OP_CALL2, .call2 = divide, .jet2 = jet_divide };
static const op op_power = { OP_CALL2, .call2 = pow, .jet2 = jet_pow };

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
    return emit(p, (op){ .kind = OP_NUMBER, .number = value });
}

/* The arguments of a function of one or two, and the call. */
static ss_status parse_call(parser *p, op function)
{
    SS_TRY(expect(p, '('));
    SS_TRY(parse_sum(p));
    if (function.kind == OP_CALL2) {
        SS_TRY(expect(p, ','));
        SS_TRY(parse_sum(p));
    }
    SS_TRY(expect(p, ')'));
    return emit(p, function);
}

static ss_status unknown_name(const parser *p, const char *name, const char *place)
{
    char what[80];
    const char *list[NAMES + 1] = { NULL };
    for (int k = 0; k < NAMES; k++) {
        list[k] = names[k].name;
    }
    const char *near = ss_nearest_name(name, list);
    snprintf(what, sizeof what, "unknown name '%s'%s%s%s", name, near ? " (did you mean '" : "", near ? near : "",
             near ? "'?)" : "");
    return fail_at(p, place, what);
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
    for (int k = 0; k < NAMES; k++) {
        if (strcmp(names[k].name, name) == 0) {
            op code = names[k].code;
            p->at = start + length;
            return code.kind == OP_CALL1 || code.kind == OP_CALL2 ? parse_call(p, code) : emit(p, code);
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
        SS_TRY(emit(p, op_negate));
    } else if (accept(p, '+')) {
        SS_TRY(parse_signed(p));
    } else {
        SS_TRY(parse_primary(p));
        if (accept(p, '^')) {
            SS_TRY(parse_signed(p));
            SS_TRY(emit(p, op_power));
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
        SS_TRY(emit(p, multiplied ? op_multiply : op_divide));
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
        SS_TRY(emit(p, added ? op_add : op_subtract));
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

/* one operation on a stack of n; its height afterwards */
static int apply(const op *code, double t, double *stack, int n)
{
    switch (code->kind) {
    case OP_NUMBER:
        stack[n] = code->number;
        return n + 1;
    case OP_TIME:
        stack[n] = t;
        return n + 1;
    case OP_CALL1:
        stack[n - 1] = code->call1(stack[n - 1]);
        return n;
    default: /* OP_CALL2 */
        stack[n - 2] = code->call2(stack[n - 2], stack[n - 1]);
        return n - 1;
    }
}

double ss_expr_eval(const ss_expr *expr, double t)
{
    double stack[STACK];
    int n = 0;
    for (int k = 0; k < expr->length; k++) {
        n = apply(&expr->code[k], t, stack, n);
    }
    return stack[0];
}

static void jet_at(const ss_expr *expr, double t, double d[3])
{
    double stack[STACK][3], y[3];
    int n = 0;
    for (int k = 0; k < expr->length; k++) {
        const op *code = &expr->code[k];
        switch (code->kind) {
        case OP_NUMBER:
        case OP_TIME:
            y[0] = code->kind == OP_TIME ? t : code->number;
            y[1] = code->kind == OP_TIME;
            y[2] = 0;
            n++;
            break;
        case OP_CALL1:
            code->jet1(stack[n - 1], y);
            break;
        case OP_CALL2:
            n--;
            code->jet2(stack[n - 1], stack[n], y);
            break;
        }
        memcpy(stack[n - 1], y, sizeof y);
    }
    memcpy(d, stack[0], sizeof y);
}

void ss_expr_jet(const ss_expr *expr, double t, double d[3])
{
    double after[3];
    jet_at(expr, t, d);
    if (!isfinite(d[1]) || !isfinite(d[2])) {
        jet_at(expr, t + 1.0 / 32768, after);
        d[1] = isfinite(d[1]) ? d[1] : after[1];
        d[2] = isfinite(d[2]) ? d[2] : after[2];
    }
}

bool ss_expr_is_constant(const ss_expr *expr) { return expr->constant; }

/* ---- kinks ---------------------------------------------------------------------------------- */

static double branch_of(const op *code, const double *stack, int n)
{
    return code->kind == OP_CALL2 ? code->branch(stack[n - 2], stack[n - 1]) : code->branch(stack[n - 1], 0);
}

/* are all operations on the same branches at both times? One without number counts as any. */
static bool are_alike(const ss_expr *expr, double t0, double t1)
{
    double stack[2][STACK];
    int n = 0;
    for (int k = 0; k < expr->length; k++) {
        const op *code = &expr->code[k];
        double branch[2] = { 0, 0 };
        for (int i = 0; code->branch && i < 2; i++) {
            branch[i] = branch_of(code, stack[i], n);
        }
        if (branch[0] < branch[1] || branch[0] > branch[1]) {
            return false;
        }
        apply(code, t0, stack[0], n);
        n = apply(code, t1, stack[1], n);
    }
    return true;
}

/* the end of an interval where it is no longer on the branches of t, drawn to their change */
static double first_change(const ss_expr *expr, double t, double alike, double other)
{
    for (;;) {
        double middle = alike + 0.5 * (other - alike);
        if (!(middle > alike && middle < other)) {
            return other;
        }
        if (are_alike(expr, t, middle)) {
            alike = middle;
        } else {
            other = middle;
        }
    }
}

double ss_expr_next_kink(const ss_expr *expr, double t, double until)
{
    double before = t;
    for (int k = 1; expr->kinked && !expr->constant && until > t && k <= GRID; k++) {
        double now = k == GRID ? until : t + (until - t) * k / GRID;
        if (!are_alike(expr, t, now)) {
            return first_change(expr, t, before, now);
        }
        before = now;
    }
    return INFINITY;
}
