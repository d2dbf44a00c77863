/* test_expr_range.c - the range of an expression holds all its values, and is no wider than it has to be where t occurs once. */
#include "math/expr.h"
#include "test.h"

static const char *const once[] = {
    "sin(3*t)", "cos(t/7)", "tan(t/9)",   "asin(t/20)",      "acos(t/20)",    "atan(2*t)",   "sinh(t/3)", "cosh(t/3)",
    "tanh(t)",  "exp(-t)",  "log(t+13)",  "sqrt(t+13)",      "abs(t-1)",      "sign(t)",     "floor(t)",  "step(t-2)",
    "min(t,1)", "max(1,t)", "atan2(t,2)", "pow(t+13,0.3)",   "(t-1)^2",       "(t-1)^3",     "(t+13)^-2", "2^t",
    "-(t+1)",   "5-t",      "2/(t+13)",   "3*exp(-(t-1)^4)", "1/(1+exp(-t))", "max(t,0)^1.5"
};
static const char *const often[] = { "t*sin(t)", "t-t", "t^2/(t^2+9)*(1-cos(7*t))", "exp(-t^2)*sin(5*t)",
                                     "atan2(sin(t),cos(t))" };

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
        cmocka_unit_test(where_a_pole_or_the_end_of_a_domain_lies_in_the_interval_nothing_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
