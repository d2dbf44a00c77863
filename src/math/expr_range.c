/* expr_range.c - all values that an expression may have in an interval of time.
 *
 * The program is evaluated with ranges [lo, hi] in place of numbers (interval arithmetic [Moo66]). Each operation gives the
 * smallest range of its values where its operands are independent of each other:
 *
 *     monotone in each operand   between its values at the corners                + - * min max exp log ..
 *     even                       between its values at the least and largest |x|  abs cosh x^2 x^4 ..
 *     sin, cos                   corners, and 1 or -1 where the range holds a crest or a trough
 *
 * Where an expression names t several times its operands are not independent, and this range is too wide, never too narrow but
 * for rounding: t - t^2 over [0, 1] gives [-1, 1]. So slopes have ranges, too (expr_slope.c). Where a slope keeps its sign the
 * values at the ends are the extremes; else the mean value theorem holds about the middle. What is too much goes with the square
 * of the interval. Where a pole or the end of a domain lies in the range nothing is known: [-INFINITY, INFINITY].
 *
 * [Moo66]  R. E. Moore, Interval analysis, Prentice-Hall 1966
 *
 * Cost: some twenty calls per operation. */
#include "math/expr_ops.h"

#include <math.h>

static const double PI = 3.14159265358979323846;

static void know_nothing(double y[2])
{
    y[0] = -INFINITY;
    y[1] = INFINITY;
}

/* the range that holds these values; a NaN says that nothing is known */
static void hold(int n, const double *value, double y[2])
{
    y[0] = INFINITY;
    y[1] = -INFINITY;
    for (int k = 0; k < n; k++) {
        if (isnan(value[k])) {
            know_nothing(y);
            return;
        }
        y[0] = fmin(y[0], value[k]);
        y[1] = fmax(y[1], value[k]);
    }
}

void ss_range_monotone(const ss_op *op, const double a[2], const double b[2], double y[2])
{
    double corner[4];
    const int n = op->kind == SS_OP_CALL1 ? 2 : 4;
    for (int k = 0; k < n; k++) {
        corner[k] = n == 2 ? op->call1(a[k]) : op->call2(a[k % 2], b[k / 2]);
    }
    hold(n, corner, y);
}

/* |x| over a range of x */
static void fold(const double a[2], double size[2])
{
    size[0] = a[0] <= 0 && a[1] >= 0 ? 0 : fmin(fabs(a[0]), fabs(a[1]));
    size[1] = fmax(fabs(a[0]), fabs(a[1]));
}

void ss_range_even(const ss_op *op, const double a[2], const double b[2], double y[2])
{
    double size[2];
    fold(a, size);
    ss_range_monotone(op, size, b, y);
}

/* is there a number first + k period, k whole, in the range? */
static bool meets(const double a[2], double first, double period)
{
    return floor((a[1] - first) / period) >= ceil((a[0] - first) / period);
}

void ss_range_wave(const ss_op *op, const double a[2], const double b[2], double y[2])
{
    const double crest = op->call1(0) == 1 ? 0 : op->call1(1) > 0 ? 0.5 * PI : -0.5 * PI; /* cos, sin, -sin */
    if (!isfinite(a[0]) || !isfinite(a[1])) {
        y[0] = -1;
        y[1] = 1;
        return;
    }
    ss_range_monotone(op, a, b, y);
    y[0] = meets(a, crest + PI, 2 * PI) ? -1 : y[0];
    y[1] = meets(a, crest, 2 * PI) ? 1 : y[1];
}

void ss_range_tan(const ss_op *op, const double a[2], const double b[2], double y[2])
{
    if (!isfinite(a[0]) || !isfinite(a[1]) || meets(a, 0.5 * PI, PI)) {
        know_nothing(y);
    } else {
        ss_range_monotone(op, a, b, y);
    }
}

void ss_range_divide(const ss_op *op, const double a[2], const double b[2], double y[2])
{
    if (b[0] <= 0 && b[1] >= 0) {
        know_nothing(y);
    } else {
        ss_range_monotone(op, a, b, y);
    }
}

/* the angle of (b, a) is monotone in both where b > 0 */
void ss_range_atan2(const ss_op *op, const double a[2], const double b[2], double y[2])
{
    if (b[0] > 0) {
        ss_range_monotone(op, a, b, y);
    } else {
        y[0] = -PI;
        y[1] = PI;
    }
}

/* monotone in both for positive a, and from 0 on where b is positive; else a whole power */
void ss_range_power(const ss_op *op, const double a[2], const double b[2], double y[2])
{
    const double n = b[0];
    if (a[0] > 0 || (a[0] >= 0 && b[0] > 0)) {
        ss_range_monotone(op, a, b, y);
    } else if (b[0] != b[1] || n != floor(n) || (n < 0 && a[1] >= 0)) {
        know_nothing(y);
    } else if (fmod(n, 2) == 0) {
        ss_range_even(op, a, b, y);
    } else {
        ss_range_monotone(op, a, b, y);
    }
}

/* ---- expressions ------------------------------------------------------------------------------------------- */

/* What the slope tells of a range: monotone, the values at the ends are the extremes; else the mean value theorem. */
static void refine(double length, ss_span *x)
{
    const double steepest = fmax(-x->slope[0], x->slope[1]), reach = 0.5 * length * steepest;
    const bool monotone = x->slope[0] >= 0 || x->slope[1] <= 0;
    const double least = monotone ? fmin(x->at[0], x->at[2]) : x->at[1] - reach,
                 most = monotone ? fmax(x->at[0], x->at[2]) : x->at[1] + reach;
    if (isfinite(steepest) && least <= most) {
        x->range[0] = fmax(x->range[0], least);
        x->range[1] = fmin(x->range[1], most);
    }
}

static void set_operand(const ss_op *op, double from, double to, ss_span *x)
{
    const bool time = op->kind == SS_OP_TIME;
    x->slope[0] = x->slope[1] = time;
    x->range[0] = x->at[0] = time ? from : op->number;
    x->range[1] = x->at[2] = time ? to : op->number;
    x->at[1] = time ? 0.5 * (from + to) : op->number;
}

static void call(const ss_op *op, double length, const ss_span *a, const ss_span *b, ss_span *y)
{
    op->range(op, a->range, b->range, y->range);
    op->slope(op, a, b, y);
    for (int k = 0; k < 3; k++) {
        y->at[k] = op->kind == SS_OP_CALL1 ? op->call1(a->at[k]) : op->call2(a->at[k], b->at[k]);
    }
    refine(length, y);
}

void ss_expr_range(const ss_expr *expr, double from, double to, double y[2])
{
    ss_span stack[SS_EXPR_STACK], value;
    int n = 0;
    for (int k = 0; k < expr->length; k++) {
        const ss_op *op = &expr->code[k];
        if (op->kind == SS_OP_NUMBER || op->kind == SS_OP_TIME) {
            set_operand(op, from, to, &value);
            n++;
        } else {
            n -= op->kind == SS_OP_CALL2;
            call(op, to - from, &stack[n - 1], &stack[op->kind == SS_OP_CALL2 ? n : n - 1], &value);
        }
        stack[n - 1] = value;
    }
    memcpy(y, stack[0].range, sizeof stack[0].range);
}
