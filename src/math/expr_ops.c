/* expr_ops.c - the operations of expressions: values, branches, derivatives, and the table of their names (ranges: expr_range.c,
 * expr_slope.c).
 *
 * sign(0) = 0; step(x) = 1 for x >= 0, else 0; min and max hand on a NaN.
 *
 * Derivatives   each operation also takes jets x = (x, x', x''), exactly:  y' = f' x',  y'' = f'' x'^2 + f' x''.  Where two
 *               branches meet (abs, min, max) that one is taken which is right just after t: the first of x, x', x'' that
 *               decides. sign, floor and step have no slope. Where x' = x'' = 0, y' = y'' = 0 too,
 *               even where f' is infinite: sqrt(0). */
#include "math/expr_ops.h"

#include <math.h>

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

/* the sign of x just after t; 0: x, x' and x'' are all 0 */
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

const ss_op_name ss_op_names[SS_OP_NAMES] = {
    { "pi", { SS_OP_NUMBER, .number = 3.14159265358979323846 } },
    { "e", { SS_OP_NUMBER, .number = 2.71828182845904523536 } },
    { "t", { SS_OP_TIME, .number = 0 } },
    { "sin",
      { SS_OP_CALL1, .call1 = sin, .jet1 = jet_sin, .range = ss_range_wave, .slope = ss_rate_chain,
        .derivative = &ss_rate_of_sin } },
    { "cos",
      { SS_OP_CALL1, .call1 = cos, .jet1 = jet_cos, .range = ss_range_wave, .slope = ss_rate_chain,
        .derivative = &ss_rate_of_cos } },
    { "tan",
      { SS_OP_CALL1, .call1 = tan, .jet1 = jet_tan, .range = ss_range_tan, .slope = ss_rate_chain,
        .derivative = &ss_rate_of_tan } },
    { "asin",
      { SS_OP_CALL1, .call1 = asin, .jet1 = jet_asin, .range = ss_range_monotone, .slope = ss_rate_chain,
        .derivative = &ss_rate_of_asin } },
    { "acos",
      { SS_OP_CALL1, .call1 = acos, .jet1 = jet_acos, .range = ss_range_monotone, .slope = ss_rate_chain,
        .derivative = &ss_rate_of_acos } },
    { "atan",
      { SS_OP_CALL1, .call1 = atan, .jet1 = jet_atan, .range = ss_range_monotone, .slope = ss_rate_chain,
        .derivative = &ss_rate_of_atan } },
    { "sinh",
      { SS_OP_CALL1, .call1 = sinh, .jet1 = jet_sinh, .range = ss_range_monotone, .slope = ss_rate_chain,
        .derivative = &ss_rate_of_sinh } },
    { "cosh",
      { SS_OP_CALL1, .call1 = cosh, .jet1 = jet_cosh, .range = ss_range_even, .slope = ss_rate_chain,
        .derivative = &ss_rate_of_cosh } },
    { "tanh",
      { SS_OP_CALL1, .call1 = tanh, .jet1 = jet_tanh, .range = ss_range_monotone, .slope = ss_rate_chain,
        .derivative = &ss_rate_of_tanh } },
    { "exp",
      { SS_OP_CALL1, .call1 = exp, .jet1 = jet_exp, .range = ss_range_monotone, .slope = ss_rate_chain,
        .derivative = &ss_rate_of_exp } },
    { "log",
      { SS_OP_CALL1, .call1 = log, .jet1 = jet_log, .range = ss_range_monotone, .slope = ss_rate_chain,
        .derivative = &ss_rate_of_log } },
    { "sqrt",
      { SS_OP_CALL1, .call1 = sqrt, .jet1 = jet_sqrt, .range = ss_range_monotone, .slope = ss_rate_chain,
        .derivative = &ss_rate_of_sqrt } },
    { "abs",
      { SS_OP_CALL1, .call1 = fabs, .jet1 = jet_abs, .branch = branch_sign, .range = ss_range_even, .slope = ss_rate_chain,
        .derivative = &ss_rate_of_abs } },
    { "sign",
      { SS_OP_CALL1, .call1 = sign, .jet1 = jet_sign, .branch = branch_sign, .range = ss_range_monotone,
        .slope = ss_rate_flat } },
    { "floor",
      { SS_OP_CALL1, .call1 = floor, .jet1 = jet_floor, .branch = branch_floor, .range = ss_range_monotone,
        .slope = ss_rate_flat } },
    { "step",
      { SS_OP_CALL1, .call1 = step, .jet1 = jet_step, .branch = branch_sign, .range = ss_range_monotone,
        .slope = ss_rate_flat } },
    { "min",
      { SS_OP_CALL2, .call2 = smaller, .jet2 = jet_smaller, .branch = branch_order, .range = ss_range_monotone,
        .slope = ss_rate_extreme } },
    { "max",
      { SS_OP_CALL2, .call2 = larger, .jet2 = jet_larger, .branch = branch_order, .range = ss_range_monotone,
        .slope = ss_rate_extreme } },
    { "atan2", { SS_OP_CALL2, .call2 = atan2, .jet2 = jet_atan2, .range = ss_range_atan2, .slope = ss_rate_atan2 } },
    { "pow", { SS_OP_CALL2, .call2 = pow, .jet2 = jet_pow, .range = ss_range_power, .slope = ss_rate_power } },
};

/* the operations that have signs for names */
const ss_op ss_op_negate = { SS_OP_CALL1,
                             .call1 = negate,
                             .jet1 = jet_negate,
                             .range = ss_range_monotone,
                             .slope = ss_rate_chain,
                             .derivative = &ss_rate_of_negate };
const ss_op ss_op_add = { SS_OP_CALL2, .call2 = add, .jet2 = jet_add, .range = ss_range_monotone, .slope = ss_rate_add };
const ss_op ss_op_subtract = { SS_OP_CALL2, .call2 = subtract, .jet2 = jet_subtract, .range = ss_range_monotone,
                               .slope = ss_rate_subtract };
const ss_op ss_op_multiply = { SS_OP_CALL2, .call2 = multiply, .jet2 = jet_multiply, .range = ss_range_monotone,
                               .slope = ss_rate_multiply };
const ss_op ss_op_divide = { SS_OP_CALL2, .call2 = divide, .jet2 = jet_divide, .range = ss_range_divide,
                             .slope = ss_rate_divide };
const ss_op ss_op_power = { SS_OP_CALL2, .call2 = pow, .jet2 = jet_pow, .range = ss_range_power, .slope = ss_rate_power };
