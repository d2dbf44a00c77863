/* expr_slope.c - how fast an expression may change in an interval of time.
 *
 * The range of a derivative follows from the rules of calculus with ranges in place of numbers, as that of the value does
 * (expr_range.c): for y = f(x), y' lies in f'(range of x) times the range of x'. Where branches meet (abs, min, max) it holds the
 * slopes of both: the mean value theorem is true with these [Leb75]. Where y may jump nothing is known.
 *
 * [Leb75]  G. Lebourg, Valeur moyenne pour gradient generalise, C. R. Acad. Sci. Paris 281 (1975)
 *
 * Cost: a few times that of a range. */
#include "math/expr_ops.h"

#include <math.h>

static void know_nothing(double y[2])
{
    y[0] = -INFINITY;
    y[1] = INFINITY;
}

static void add(const double a[2], const double b[2], double y[2])
{
    y[0] = a[0] + b[0];
    y[1] = a[1] + b[1];
}

static void subtract(const double a[2], const double b[2], double y[2])
{
    const double low = a[0] - b[1];
    y[1] = a[1] - b[0];
    y[0] = low;
}

/* What stands still does so whatever the other factor is. */
static void multiply(const double a[2], const double b[2], double y[2])
{
    static const double none[2] = { 0, 0 };
    const bool still = (a[0] == 0 && a[1] == 0) || (b[0] == 0 && b[1] == 0);
    ss_range_monotone(&ss_op_multiply, still ? none : a, still ? none : b, y);
}

static void divide(const double a[2], const double b[2], double y[2])
{
    double quotient[2];
    ss_range_divide(&ss_op_divide, a, b, quotient);
    memcpy(y, quotient, sizeof quotient);
}

/* ---- derivatives of calls with one operand ----------------------------------------------------------------- */

static double minus_one(double x) { return x * 0 - 1; }
static double minus_sin(double x) { return -sin(x); }
static double square_of_secant(double x) { return 1 + tan(x) * tan(x); }
static double slope_asin(double x) { return 1 / sqrt((1 - x) * (1 + x)); }
static double slope_acos(double x) { return -1 / sqrt((1 - x) * (1 + x)); }
static double slope_atan(double x) { return 1 / (1 + x * x); }
static double slope_tanh(double x) { return 1 / (cosh(x) * cosh(x)); }
static double slope_log(double x) { return x > 0 ? 1 / x : NAN; }
static double slope_sqrt(double x) { return 0.5 / sqrt(x); }
static double slope_abs(double x) { return x > 0 ? 1 : x < 0 ? -1 : x; }

/* 1 + tan^2 between two poles */
static void range_of_secant(const ss_op *op, const double a[2], const double b[2], double y[2])
{
    static const ss_op tangent = { SS_OP_CALL1, .call1 = tan };
    static const ss_op square = { SS_OP_CALL2, .call2 = pow };
    static const double two[2] = { 2, 2 }, one[2] = { 1, 1 };
    double slant[2];
    (void)op;
    ss_range_tan(&tangent, a, b, slant);
    ss_range_even(&square, slant, two, y);
    add(y, one, y);
}

const ss_op ss_rate_of_negate = { SS_OP_CALL1, .call1 = minus_one, .range = ss_range_monotone };
const ss_op ss_rate_of_sin = { SS_OP_CALL1, .call1 = cos, .range = ss_range_wave };
const ss_op ss_rate_of_cos = { SS_OP_CALL1, .call1 = minus_sin, .range = ss_range_wave };
const ss_op ss_rate_of_tan = { SS_OP_CALL1, .call1 = square_of_secant, .range = range_of_secant };
const ss_op ss_rate_of_asin = { SS_OP_CALL1, .call1 = slope_asin, .range = ss_range_even };
const ss_op ss_rate_of_acos = { SS_OP_CALL1, .call1 = slope_acos, .range = ss_range_even };
const ss_op ss_rate_of_atan = { SS_OP_CALL1, .call1 = slope_atan, .range = ss_range_even };
const ss_op ss_rate_of_sinh = { SS_OP_CALL1, .call1 = cosh, .range = ss_range_even };
const ss_op ss_rate_of_cosh = { SS_OP_CALL1, .call1 = sinh, .range = ss_range_monotone };
const ss_op ss_rate_of_tanh = { SS_OP_CALL1, .call1 = slope_tanh, .range = ss_range_even };
const ss_op ss_rate_of_exp = { SS_OP_CALL1, .call1 = exp, .range = ss_range_monotone };
const ss_op ss_rate_of_log = { SS_OP_CALL1, .call1 = slope_log, .range = ss_range_monotone };
const ss_op ss_rate_of_sqrt = { SS_OP_CALL1, .call1 = slope_sqrt, .range = ss_range_monotone };
const ss_op ss_rate_of_abs = { SS_OP_CALL1, .call1 = slope_abs, .range = ss_range_monotone };

/* ---- rules ------------------------------------------------------------------------------------------------- */

void ss_rate_chain(const ss_op *op, const ss_span *a, const ss_span *b, ss_span *y)
{
    double f[2];
    op->derivative->range(op->derivative, a->range, b->range, f);
    multiply(f, a->slope, y->slope);
}

/* sign, floor, step: 0 where they do not jump */
void ss_rate_flat(const ss_op *op, const ss_span *a, const ss_span *b, ss_span *y)
{
    (void)op, (void)a, (void)b;
    y->slope[0] = y->slope[1] = 0;
    if (!(y->range[0] == y->range[1])) {
        know_nothing(y->slope);
    }
}

void ss_rate_add(const ss_op *op, const ss_span *a, const ss_span *b, ss_span *y)
{
    (void)op;
    add(a->slope, b->slope, y->slope);
}

void ss_rate_subtract(const ss_op *op, const ss_span *a, const ss_span *b, ss_span *y)
{
    (void)op;
    subtract(a->slope, b->slope, y->slope);
}

/* a' b + a b' */
void ss_rate_multiply(const ss_op *op, const ss_span *a, const ss_span *b, ss_span *y)
{
    double first[2], second[2];
    (void)op;
    multiply(a->slope, b->range, first);
    multiply(a->range, b->slope, second);
    add(first, second, y->slope);
}

/* (a' - y b')/b */
void ss_rate_divide(const ss_op *op, const ss_span *a, const ss_span *b, ss_span *y)
{
    double part[2];
    (void)op;
    multiply(y->range, b->slope, part);
    subtract(a->slope, part, part);
    divide(part, b->range, y->slope);
}

/* min, max: the slope of the one that it is; of both where that changes */
void ss_rate_extreme(const ss_op *op, const ss_span *a, const ss_span *b, ss_span *y)
{
    const double sum = op->call2(0, 1); /* 0: min, 1: max */
    const bool below = a->range[1]<b->range[0], above = a->range[0]> b->range[1];
    const ss_span *only = below ? (sum > 0 ? b : a) : above ? (sum > 0 ? a : b) : NULL;
    y->slope[0] = only ? only->slope[0] : fmin(a->slope[0], b->slope[0]);
    y->slope[1] = only ? only->slope[1] : fmax(a->slope[1], b->slope[1]);
}

/* (a' b - a b')/(a^2 + b^2), but for the jump where b < 0 */
void ss_rate_atan2(const ss_op *op, const ss_span *a, const ss_span *b, ss_span *y)
{
    static const double two[2] = { 2, 2 };
    double first[2], second[2], r[2], s[2];
    (void)op;
    if (b->range[0] <= 0 && a->range[0] <= 0 && a->range[1] >= 0) {
        know_nothing(y->slope);
        return;
    }
    multiply(a->slope, b->range, first);
    multiply(a->range, b->slope, second);
    subtract(first, second, first);
    ss_range_even(&ss_op_power, a->range, two, r);
    ss_range_even(&ss_op_power, b->range, two, s);
    add(r, s, r);
    divide(first, r, y->slope);
}

/* n a^(n-1) a' for a constant n; else a^b (b' log a + b a'/a), a > 0 */
void ss_rate_power(const ss_op *op, const ss_span *a, const ss_span *b, ss_span *y)
{
    const double n[2] = { b->range[0], b->range[0] }, less[2] = { n[0] - 1, n[0] - 1 };
    double power[2], growth[2];
    (void)op;
    if (b->range[0] == b->range[1] && b->slope[0] == 0 && b->slope[1] == 0) {
        ss_range_power(&ss_op_power, a->range, less, power);
        multiply(n, power, power);
        multiply(power, a->slope, y->slope);
        return;
    }
    const ss_op logarithm = { SS_OP_CALL1, .call1 = log };
    ss_range_monotone(&logarithm, a->range, a->range, power);
    multiply(b->slope, power, power);
    divide(a->slope, a->range, growth);
    multiply(b->range, growth, growth);
    add(power, growth, growth);
    multiply(y->range, growth, y->slope);
}
