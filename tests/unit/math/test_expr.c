/* test_expr.c - expressions: values against the same arithmetic in C, errors with their positions. */
#include "math/expr.h"
#include "unit/base/failing.h"
#include <locale.h>

static double value_at(const char *text, double t)
{
    ss_context *ctx = test_context();
    ss_expr *expr = NULL;
    CHECK_OK(ctx, ss_expr_compile(ctx, text, &expr));
    double value = ss_expr_eval(expr, t);
    ss_expr_destroy(ctx, expr);
    ss_context_destroy(ctx);
    return value;
}

/* the same operations in the same order give the same bits: no tolerance */
#define CHECK_VALUE(text, value) CHECK_NEAR(value_at(text, 0), value, 0)

static void check_error(const char *text, const char *message)
{
    ss_context *ctx = test_context();
    ss_expr *expr = NULL;
    CHECK_FAILS(ctx, ss_expr_compile(ctx, text, &expr), SS_ERR_INPUT, message);
    CHECK(expr == NULL);
    ss_context_destroy(ctx);
}

static const double pi = 3.14159265358979323846;

TEST(numbers_as_people_write_them)
{
    CHECK_VALUE("2^-5", 0.03125);
    CHECK_VALUE("5/27", 5.0 / 27);
    CHECK_VALUE("pi/3", pi / 3);
    CHECK_VALUE("sqrt(2)/2", sqrt(2) / 2);
    CHECK_VALUE(".5", 0.5);
    CHECK_VALUE("1e-3", 1e-3);
    CHECK_VALUE("1.E+2", 100);
    CHECK_VALUE("3.", 3);
    CHECK_VALUE("  7\t\n", 7);
    CHECK_VALUE("0.1", 0.1);
    CHECK_VALUE("9007199254740993", 9007199254740992.0); /* 2^53 + 1 rounds to even */
    CHECK_VALUE("4.9e-324", 0x1p-1074);
    CHECK_VALUE("1.7976931348623157e308", 0x1.fffffffffffffp1023);
}

TEST(operators_bind_as_in_mathematics)
{
    CHECK_VALUE("1+2*3", 7);
    CHECK_VALUE("(1+2)*3", 9);
    CHECK_VALUE("7-2-1", 4);
    CHECK_VALUE("8/4/2", 1);
    CHECK_VALUE("8/4*2", 4);
    CHECK_VALUE("-2^2", -4);
    CHECK_VALUE("(-2)^2", 4);
    CHECK_VALUE("2^3^2", 512);
    CHECK_VALUE("2^-1^2", 0.5);
    CHECK_VALUE("-2*-3", 6);
    CHECK_VALUE("1--1", 2);
    CHECK_VALUE("+3-+2", 1);
    CHECK_VALUE("2*3^2", 18);
    CHECK_VALUE("-cos(pi/3)-cos(pi/5)", -cos(pi / 3) - cos(pi / 5));
}

TEST(every_function_is_the_one_of_its_name)
{
    CHECK_VALUE("sin(.3)", sin(.3));
    CHECK_VALUE("cos(.3)", cos(.3));
    CHECK_VALUE("tan(.3)", tan(.3));
    CHECK_VALUE("asin(.3)", asin(.3));
    CHECK_VALUE("acos(.3)", acos(.3));
    CHECK_VALUE("atan(.3)", atan(.3));
    CHECK_VALUE("sinh(.3)", sinh(.3));
    CHECK_VALUE("cosh(.3)", cosh(.3));
    CHECK_VALUE("tanh(.3)", tanh(.3));
    CHECK_VALUE("exp(.3)", exp(.3));
    CHECK_VALUE("log(.3)", log(.3));
    CHECK_VALUE("sqrt(.3)", sqrt(.3));
    CHECK_VALUE("abs(-.3)", .3);
    CHECK_VALUE("sign(-.3)", -1);
    CHECK_VALUE("sign(0)", 0);
    CHECK_VALUE("sign(2)", 1);
    CHECK_VALUE("floor(-.3)", -1);
    CHECK_VALUE("step(-.3)", 0);
    CHECK_VALUE("step(0)", 1);
    CHECK_VALUE("min(3, -2)", -2);
    CHECK_VALUE("max(3, -2)", 3);
    CHECK_VALUE("atan2(1, -1)", atan2(1, -1));
    CHECK_VALUE("pow(2, 10)", 1024);
    CHECK_VALUE("e", 2.71828182845904523536);
    CHECK(isnan(value_at("min(0/0, 1)", 0)) && isnan(value_at("max(1, 0/0)", 0)) && isnan(value_at("step(0/0)", 0)));
}

TEST(time_is_t)
{
    CHECK_NEAR(value_at("3*sin(2*t)+t^2", 0.7), 3 * sin(2 * 0.7) + pow(0.7, 2), 0);
    ss_context *ctx = test_context();
    ss_expr *moving = NULL, *still = NULL;
    CHECK_OK(ctx, ss_expr_compile(ctx, "0*cos(t)", &moving));
    CHECK_OK(ctx, ss_expr_compile(ctx, "tan(1)", &still));
    CHECK(!ss_expr_is_constant(moving) && ss_expr_is_constant(still));
    ss_expr_destroy(ctx, moving);
    ss_expr_destroy(ctx, still);
    ss_expr_destroy(ctx, NULL);
    ss_context_destroy(ctx);
}

/* ---- derivatives ----------------------------------------------------------------------------- */

static void jet_of(const char *text, double t, double d[3])
{
    ss_context *ctx = test_context();
    ss_expr *expr = NULL;
    CHECK_OK(ctx, ss_expr_compile(ctx, text, &expr));
    ss_expr_jet(expr, t, d);
    ss_expr_destroy(ctx, expr);
    ss_context_destroy(ctx);
}

/* x, x', x'' up to a few roundings of numbers of that size */
static void check_jet(const char *text, double t, double x, double x_d, double x_dd)
{
    const double expected[3] = { x, x_d, x_dd };
    double d[3];
    jet_of(text, t, d);
    for (int k = 0; k < 3; k++) {
        CHECK_NEAR(d[k], expected[k], 4e-15 * (1 + fabs(expected[k])));
    }
}

TEST(derivatives_are_those_of_the_calculus_books)
{
    const double t = 0.7, s = sin(t), c = cos(t);
    check_jet("3", t, 3, 0, 0);
    check_jet("-t^3", t, -t * t * t, -3 * t * t, -6 * t);
    check_jet("2*sin(3*t)/t", t, 2 * sin(3 * t) / t, 6 * cos(3 * t) / t - 2 * sin(3 * t) / (t * t),
              -18 * sin(3 * t) / t - 12 * cos(3 * t) / (t * t) + 4 * sin(3 * t) / (t * t * t));
    check_jet("exp(-t^2)", t, exp(-t * t), -2 * t * exp(-t * t), (4 * t * t - 2) * exp(-t * t));
    check_jet("t^t", t, pow(t, t), pow(t, t) * (log(t) + 1), pow(t, t) * ((log(t) + 1) * (log(t) + 1) + 1 / t));
    check_jet("2^t", t, pow(2, t), log(2) * pow(2, t), log(2) * log(2) * pow(2, t));
    check_jet("(-t)^3", t, -t * t * t, -3 * t * t, -6 * t);
    check_jet("t^0", 0, 1, 0, 0);
    check_jet("t^1 + t^2", 0, 0, 1, 2);
    check_jet("atan2(sin(t), cos(t))", t, t, 1, 0);
    check_jet("sin(t)^2 + cos(t)^2", t, 1, 0, 0);
    check_jet("log(cosh(t)) - sinh(t)", t, log(cosh(t)) - sinh(t), tanh(t) - cosh(t), 1 / (cosh(t) * cosh(t)) - sinh(t));
    check_jet("sqrt(1 + t)", t, sqrt(1 + t), 0.5 / sqrt(1 + t), -0.25 / pow(1 + t, 1.5));
    check_jet("asin(t) + acos(t)", t, pi / 2, 0, 0);
    check_jet("asin(sin(t)) + atan(tan(t))", t, 2 * t, 2, 0);
    check_jet("acos(cos(t))", t, t, 1, 0);
    check_jet("tan(t)", t, s / c, 1 / (c * c), 2 * s / (c * c * c));
    check_jet("tanh(t)", t, tanh(t), 1 / (cosh(t) * cosh(t)), -2 * tanh(t) / (cosh(t) * cosh(t)));
    check_jet("tanh(400*t)", t, 1, 0, 0);
}

TEST(at_a_kink_the_branch_just_after_is_taken)
{
    check_jet("abs(t)", 0, 0, 1, 0);
    check_jet("abs(-t)", 0, 0, 1, 0);
    check_jet("abs(-t^2)", 0, 0, 0, 2);
    check_jet("abs(t)", -2, 2, -1, 0);
    check_jet("min(t, t^2)", 0, 0, 0, 2); /* t^2 is below t just after 0 */
    check_jet("max(t, t^2)", 0, 0, 1, 0);
    check_jet("max(t, t^2)", 1, 1, 2, 2);
    check_jet("min(1, 2*t)", 0.5, 1, 0, 0);
    check_jet("t - floor(t)", 2, 0, 1, 0);
    check_jet("step(t - 1)*(t - 1)^2", 1, 0, 0, 2);
    check_jet("sign(t)", 0, 0, 0, 0);
    check_jet("sign(t)*t^2", 3, 9, 6, 2);
}

TEST(an_expression_that_begins_here_has_derivatives_from_the_right)
{
    const double h = 1.0 / 32768;
    check_jet("3*t + t^2.5", 0, 0, 3, 0); /* not a number before 0 */
    check_jet("sqrt(t)", 0, 0, 0.5 / sqrt(h), -0.25 / (h * sqrt(h)));
    check_jet("t^1.5", 0, 0, 0, 0.75 / sqrt(h));
    check_jet("sqrt(t^2)", 0, 0, 1, 0);
    check_jet("sqrt(0) + 0*atan2(0, 0) + t", 0, 0, 1, 0); /* what stands still has no say */
    double d[3];
    jet_of("log(-1 - t)", 0, d);
    CHECK(isnan(d[0]));
    jet_of("max(0/0, t)", 0, d);
    CHECK(isnan(d[0]));
}

static double kink_of(const char *text, double t, double until)
{
    ss_context *ctx = test_context();
    ss_expr *expr = NULL;
    CHECK_OK(ctx, ss_expr_compile(ctx, text, &expr));
    double kink = ss_expr_next_kink(expr, t, until);
    ss_expr_destroy(ctx, expr);
    ss_context_destroy(ctx);
    return kink;
}

TEST(the_next_kink_is_the_first_number_past_it)
{
    CHECK(kink_of("step(t - 0.333)", 0, 1) == 0.333);
    CHECK(kink_of("step(t - 0.333)", 0.333, 1) == INFINITY);
    CHECK(kink_of("2*step(t - 1)", 0, 1) == 1); /* the end belongs to it */
    CHECK(kink_of("abs(0.5 - t)^2", 0, 1) == nextafter(0.5, 1));
    CHECK(kink_of("floor(4*t)", 0.1, 10) == 0.25);
    CHECK(kink_of("max(t, 2 - t)", 0, 5) == 1);
    CHECK(kink_of("min(t, 2 - t) + step(t - 3)", 1, 5) == 3);
    CHECK_NEAR(kink_of("sign(sin(10*t))", 0.1, 1), 3.14159265358979323846 / 10, 2e-16);
    CHECK(kink_of("1e9*(step(t - 0.5) - step(t - 0.500000000001))", 0, 1e3) == 0.5); /* however short it is */
    CHECK(kink_of("1e9*(step(t - 0.5) - step(t - 0.500000000001))", 0.5, 1e3) == 0.500000000001);
}

TEST(what_is_smooth_constant_or_no_number_has_no_kink)
{
    CHECK(kink_of("sin(t) + t^2", 0, 100) == INFINITY);
    CHECK(kink_of("floor(2.5) + max(1, 2)", 0, 100) == INFINITY);
    CHECK(kink_of("floor(log(t - 2))", 0, 1) == INFINITY);
    CHECK(kink_of("step(t - 1)", 1, 1) == INFINITY && kink_of("step(t - 1)", 2, 0) == INFINITY);
    CHECK(kink_of("step(t - 1)", 0, NAN) == INFINITY);
}

TEST(evaluation_takes_no_memory)
{
    ss_context *ctx = test_context();
    ss_expr *expr = NULL;
    CHECK_OK(ctx, ss_expr_compile(ctx, "max(sin(t), t^2/(1+t))", &expr));
    uint64_t before = ss_context_allocations(ctx);
    for (int k = 0; k < 1000; k++) {
        double d[3];
        ss_expr_jet(expr, 0.01 * k, d);
        CHECK(d[0] == ss_expr_eval(expr, 0.01 * k) && isfinite(d[1]) && isfinite(d[2]));
    }
    CHECK(ss_context_allocations(ctx) == before);
    ss_expr_destroy(ctx, expr);
    ss_context_destroy(ctx);
}

TEST(errors_name_the_place)
{
    check_error("", "expected a number, a name or '(' at the end, character 1");
    check_error("1+", "expected a number, a name or '(' at the end, character 3");
    check_error("sin(pi/3", "expected ')' at the end, character 9");
    check_error("(1+2))", "expected an operator at character 6");
    check_error("2 x", "expected an operator at character 3");
    check_error("2pi", "expected an operator at character 2");
    check_error("1.2.3", "expected an operator at character 4");
    check_error("1e", "expected an operator at character 2");
    check_error("0x10", "expected an operator at character 2");
    check_error("2*sni(1)", "unknown name 'sni' (did you mean 'sin'?) at character 3");
    check_error("inf", "unknown name 'inf'");
    check_error("nan", "unknown name 'nan'");
    check_error("sin 1", "expected '(' at character 5");
    check_error("atan2(1)", "expected ',' at character 8");
    check_error("sin(1,2)", "expected ')' at character 6");
    check_error("1+*2", "expected a number, a name or '(' at character 3");
    check_error("1,5", "expected an operator at character 2");
    check_error("$", "at character 1");
    check_error("1e999", "too large to be stored at character 1");
    check_error("1+1e-999", "too small to be stored at character 3");
    check_error("a_very_long_name_indeed(1)", "unknown name at character 1");
    check_error("\xC3\xA9", "at character 1");
}

TEST(a_long_text_is_quoted_around_the_error)
{
    char text[2001];
    memset(text, '1', 2000);
    for (int k = 1; k < 2000; k += 2) {
        text[k] = '+';
    }
    text[2000] = '\0';
    check_error(text, "1+\": expected a number, a name or '(' at the end, character 2001");
    memcpy(text + 1000, "$", 1);
    check_error(text, "...\": expected a number, a name or '(' at character 1001");
}

/* text = opening repeated n times, "1", closing repeated n times */
static char *nested(const char *opening, const char *closing, int n)
{
    char *text = calloc((strlen(opening) + strlen(closing)) * (size_t)n + 2, 1), *at = text;
    for (int k = 0; k < n; k++) {
        at = strcpy(at, opening) + strlen(opening);
    }
    at = strcpy(at, "1") + 1;
    for (int k = 0; k < n; k++) {
        at = strcpy(at, closing) + strlen(closing);
    }
    return text;
}

TEST(deep_nesting_is_refused_before_it_hurts)
{
    static const char *const shape[][2] = { { "(", ")" },    { "-", "" },        { "2^", "" },
                                            { "sin(", ")" }, { "1+2*3^(", ")" }, { "+", "" } };
    for (int k = 0; k < 6; k++) {
        char *shallow = nested(shape[k][0], shape[k][1], 45), *deep = nested(shape[k][0], shape[k][1], 1000000);
        CHECK(!isnan(value_at(shallow, 0)));
        check_error(deep, "nested more than 100 levels deep at character");
        free(shallow);
        free(deep);
    }
}

TEST(too_many_waiting_operands_are_refused)
{
    char *text = nested("1+2*max(3,", ")", 90); /* 3 wait at each level, 270 in all: the stack holds 256 */
    check_error(text, "too many operands wait for each other");
    free(text);
}

TEST(a_long_flat_expression_is_fine)
{
    char *text = nested("1+", "", 200000);
    CHECK_VALUE(text, 200001);
    free(text);
}

/* a decimal comma must change nothing (where such a locale is installed), and the caller keeps its own */
TEST(numbers_do_not_depend_on_the_locale)
{
    const char *const candidates[] = { "de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "fr_FR", "C.UTF-8", "C" };
    locale_t own = (locale_t)0;
    for (int k = 0; k < 6 && !own; k++) {
        own = newlocale(LC_ALL_MASK, candidates[k], (locale_t)0);
    }
    CHECK(own);
    locale_t before = uselocale(own);
    CHECK_VALUE("1.5", 1.5);
    check_error("1,5", "expected an operator at character 2");
    CHECK(uselocale(before) == own);
    freelocale(own);
}

static ss_status use_expression(ss_context *ctx)
{
    ss_expr *expr = NULL;
    ss_status status = ss_expr_compile(ctx, "1+2+3+4+5+6+7+8+9+10+t+sin(t)+max(t, 1)", &expr);
    CHECK((status == SS_OK) == (expr != NULL));
    ss_expr_destroy(ctx, expr);
    return status;
}

TEST(every_refused_request_is_reported_and_nothing_leaks)
{
    CHECK(fail_at_every_request(use_expression) >= 4); /* context, expression, program and its growth */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_as_people_write_them),
        cmocka_unit_test(operators_bind_as_in_mathematics),
        cmocka_unit_test(every_function_is_the_one_of_its_name),
        cmocka_unit_test(time_is_t),
        cmocka_unit_test(derivatives_are_those_of_the_calculus_books),
        cmocka_unit_test(at_a_kink_the_branch_just_after_is_taken),
        cmocka_unit_test(an_expression_that_begins_here_has_derivatives_from_the_right),
        cmocka_unit_test(the_next_kink_is_the_first_number_past_it),
        cmocka_unit_test(what_is_smooth_constant_or_no_number_has_no_kink),
        cmocka_unit_test(evaluation_takes_no_memory),
        cmocka_unit_test(errors_name_the_place),
        cmocka_unit_test(a_long_text_is_quoted_around_the_error),
        cmocka_unit_test(deep_nesting_is_refused_before_it_hurts),
        cmocka_unit_test(too_many_waiting_operands_are_refused),
        cmocka_unit_test(a_long_flat_expression_is_fine),
        cmocka_unit_test(numbers_do_not_depend_on_the_locale),
        cmocka_unit_test(every_refused_request_is_reported_and_nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
