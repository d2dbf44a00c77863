/* test_expr_range.c - the range of an expression holds all its values, and is no wider than it has to be where t occurs once. */
#include "math/expr.h"
#include "test.h"

static const char *const once[] = {
    "sin(3*t)", "cos(t/7)", "tan(t/9)",   "asin(t/20)",      "acos(t/20)",    "atan(2*t)",   "sinh(t/3)", "cosh(t/3)",
    "tanh(t)",  "exp(-t)",  "log(t+13)",  "sqrt(t+13)",      "abs(t-1)",      "sign(t)",     "floor(t)",  "step(t-2)",
    "min(t,1)", "max(1,t)", "atan2(t,2)", "pow(t+13,0.3)",   "(t-1)^2",       "(t-1)^3",     "(t+13)^-2", "2^t",
    "-(t+1)",   "5-t",      "2/(t+13)",   "3*exp(-(t-1)^4)", "1/(1+exp(-t))", "max(t,0)^1.5"
};
static const char *const often[] = { "t*sin(t)",
                                     "t-t",
                                     "t^2/(t^2+9)*(1-cos(7*t))",
                                     "exp(-t^2)*sin(5*t)",
                                     "atan2(sin(t),cos(t))",
                                     "abs(t)*t",
                                     "min(t,t^2)",
                                     "max(sin(t),t/5)*t",
                                     "pow(t+13,t/9)",
                                     "tan(t/9)*t",
                                     "asin(t/20)-t",
                                     "acos(t/20)+t/20",
                                     "log(t+13)*t",
                                     "sqrt(t+13)-t/7",
                                     "tanh(t)-t/2",
                                     "sinh(t/3)-t",
                                     "cosh(t/3)*t",
                                     "floor(t)*t",
                                     "sign(t)*t",
                                     "step(t-2)-t",
                                     "atan2(t,2)*t",
                                     "atan2(1+t^2,t)",
                                     "atan2(-1-t^2,t)*t",
                                     "t/(t^2+1)",
                                     "(t-1)^3*t",
                                     "exp(-t)*t",
                                     "-t*t",
                                     "atan(t)-t/9",
                                     "cos(t)*cos(3*t)",
                                     "(t+13)^-2*t",
                                     "10*(t/9)^3-15*(t/9)^4+6*(t/9)^5" };

/* least and largest of many values, at both ends too */
static void scan(const ss_expr *e, double from, double to, double y[2])
{
    y[0] = INFINITY;
    y[1] = -INFINITY;
    for (int k = 0; k <= 4000; k++) {
        double value = ss_expr_eval(e, k == 4000 ? to : from + (to - from) * k / 4000);
        y[0] = fmin(y[0], value);
        y[1] = fmax(y[1], value);
    }
}

static void check_all(const char *const *texts, int n, bool tight)
{
    ss_context *ctx = test_context();
    for (int k = 0; k < n; k++) {
        ss_expr *e = NULL;
        CHECK_OK(ctx, ss_expr_compile(ctx, texts[k], &e));
        for (int i = 0; i < 40; i++) {
            double from = -12 + 0.6 * i, to = from + (i % 4 == 3 ? 9 : 0.3 * (i % 4)), y[2], seen[2];
            to = fmin(to, 12);
            ss_expr_range(e, from, to, y);
            scan(e, from, to, seen);
            const double size = 1e-12 * (fabs(seen[0]) + fabs(seen[1]));
            CHECK(y[0] <= seen[0] + size && y[1] >= seen[1] - size);
            /* crests between two of the values are missed by the scan: 1e-3 of the range for the fastest, sin(3 t) over 9 s */
            CHECK(!tight ||
                  (seen[0] - y[0] <= 1e-3 * (1 + seen[1] - seen[0]) && y[1] - seen[1] <= 1e-3 * (1 + seen[1] - seen[0])));
        }
        ss_expr_destroy(ctx, e);
    }
    ss_context_destroy(ctx);
}

TEST(a_range_is_that_of_the_values_where_t_occurs_once) { check_all(once, (int)(sizeof once / sizeof *once), true); }

TEST(a_range_holds_all_values_where_t_occurs_often) { check_all(often, (int)(sizeof often / sizeof *often), false); }

/* how much wider than its values the range of an expression is, over an interval of length h about a time */
static double excess(const char *text, double about, double h)
{
    ss_context *ctx = test_context();
    ss_expr *e = NULL;
    double y[2], seen[2];
    CHECK_OK(ctx, ss_expr_compile(ctx, text, &e));
    ss_expr_range(e, about - 0.5 * h, about + 0.5 * h, y);
    scan(e, about - 0.5 * h, about + 0.5 * h, seen);
    ss_expr_destroy(ctx, e);
    ss_context_destroy(ctx);
    return y[1] - y[0] - (seen[1] - seen[0]);
}

TEST(where_t_occurs_often_what_is_too_much_goes_with_the_square_of_the_interval)
{
    static const char *const texts[] = { "10*t^3-15*t^4+6*t^5", "t*sin(t)-cos(3*t)", "t^2/(t^2+9)*(1-cos(7*t))", "exp(-t)*t",
                                         "t*(1-t)/(1+t)",       "min(t*t,t+1)*t",    "log(t+2)*sqrt(t+1)-t" };
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        for (double about = 0.1; about < 1.5; about += 0.05) {
            const double wide = excess(texts[k], about, 0.02), narrow = excess(texts[k], about, 0.002);
            CHECK(wide <= 0.3); /* 700 h^2: terms of the first have second derivatives of several hundred */
            CHECK(narrow <= 0.003);
        }
    }
}

TEST(a_function_that_grows_all_along_lies_between_its_values_at_the_ends)
{
    CHECK(excess("10*t^3-15*t^4+6*t^5", 0.5, 0.04) <= 1e-15);
    CHECK(excess("t - sin(t)/2", 3, 2) <= 1e-15);
}

TEST(where_a_pole_or_the_end_of_a_domain_lies_in_the_interval_nothing_is_known)
{
    static const char *const texts[] = { "1/t", "tan(t)", "log(t)", "sqrt(t)", "t^-2", "t^0.5", "t^t", "asin(2*t)" };
    ss_context *ctx = test_context();
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        ss_expr *e = NULL;
        double y[2];
        CHECK_OK(ctx, ss_expr_compile(ctx, texts[k], &e));
        ss_expr_range(e, -2, 2, y);
        CHECK(y[0] == -INFINITY && y[1] == INFINITY);
        ss_expr_destroy(ctx, e);
    }
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_range_is_that_of_the_values_where_t_occurs_once),
        cmocka_unit_test(a_range_holds_all_values_where_t_occurs_often),
        cmocka_unit_test(where_t_occurs_often_what_is_too_much_goes_with_the_square_of_the_interval),
        cmocka_unit_test(a_function_that_grows_all_along_lies_between_its_values_at_the_ends),
        cmocka_unit_test(where_a_pole_or_the_end_of_a_domain_lies_in_the_interval_nothing_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
