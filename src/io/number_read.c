/* number_read.c - numbers and expressions of a scene.
 *
 * A number may be a string with a constant expression ("2^-5", "sin(pi/3)") in which the scene's parameters may occur. An
 * expression in t is kept as text. NaN and infinity are refused wherever they come from. */
#include "io/json.h"

#include "math/expr.h"
#include <math.h>
#include <slipstick/io.h>
#include <stdio.h>

ss_status ss_number_parse(ss_context *ctx, const char *text, double *out)
{
    ss_expr *expr = NULL;
    SS_TRY(ss_expr_compile(ctx, text, &expr));
    bool constant = ss_expr_is_constant(expr);
    double value = constant ? ss_expr_eval(expr, 0) : NAN;
    ss_expr_destroy(ctx, expr);
    if (!constant) {
        return ss_fail(ctx, SS_ERR_INPUT, "\"%.60s\" depends on t", text);
    }
    if (!isfinite(value)) {
        return ss_fail(ctx, SS_ERR_INPUT, "\"%.60s\" is not finite", text);
    }
    *out = value;
    return SS_OK;
}

/* what is wrong with an expression, with the place before it */
static ss_status expression_status(ss_reader *r, const char *expected, ss_status status)
{
    return status == SS_ERR_INPUT ? ss_reader_fail(r, "expected %s: %.200s", expected, ss_last_error(r->ctx)) : status;
}

ss_status ss_expression_value(ss_reader *r, const char *expected, const char *text, double *out)
{
    SS_TRY(ss_parameters_expand(r, text, &text));
    return expression_status(r, expected, ss_number_parse(r->ctx, text, out));
}

ss_status ss_number_read(ss_reader *r, const char *expected, const json_t *value, double *out)
{
    if (json_is_number(value)) {
        *out = json_number_value(value);
        return SS_OK;
    }
    if (!json_is_string(value)) {
        return ss_reader_expected(r, expected, value);
    }
    return ss_expression_value(r, expected, json_string_value(value), out);
}

/* a number becomes a text that has all its digits */
ss_status ss_expression_read(ss_reader *r, const char *expected, const json_t *value, const char **out)
{
    if (json_is_number(value)) {
        char *copy;
        enum { SIZE = 32 };
        SS_TRY(ss_arena_take(r->arena, SIZE, 1, &copy));
        snprintf(copy, SIZE, "%.17g", json_number_value(value));
        *out = copy;
        return SS_OK;
    }
    if (!json_is_string(value)) {
        return ss_reader_expected(r, expected, value);
    }
    ss_expr *expr = NULL;
    SS_TRY(ss_parameters_expand(r, json_string_value(value), out));
    SS_TRY(expression_status(r, expected, ss_expr_compile(r->ctx, *out, &expr)));
    ss_expr_destroy(r->ctx, expr);
    return SS_OK;
}

/* each element adds [i] to the path */
ss_status ss_numbers_read(ss_reader *r, const char *expected, const json_t *value, size_t count, double *out)
{
    if (!json_is_array(value) || json_array_size(value) != count) {
        return ss_reader_expected(r, expected, value);
    }
    for (size_t k = 0; k < count; k++) {
        size_t mark = ss_path_index(r, k);
        SS_TRY(ss_number_read(r, "a number", json_array_get(value, k), &out[k]));
        ss_path_back(r, mark);
    }
    return SS_OK;
}

ss_status ss_expressions_read(ss_reader *r, const char *expected, const json_t *value, size_t count, const char **out)
{
    if (!json_is_array(value) || json_array_size(value) != count) {
        return ss_reader_expected(r, expected, value);
    }
    for (size_t k = 0; k < count; k++) {
        size_t mark = ss_path_index(r, k);
        SS_TRY(ss_expression_read(r, "a number or an expression in t", json_array_get(value, k), &out[k]));
        ss_path_back(r, mark);
    }
    return SS_OK;
}
