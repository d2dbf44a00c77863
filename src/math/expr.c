/* expr.c - evaluation of compiled expressions: values, derivatives, kinks.
 *
 * A program is evaluated on a stack whose height was checked when it was compiled (expr_parse.c); derivatives are evaluated
 * like values, with the jets of the operations (expr_ops.c).
 *
 * Kinks   operations with branches know which one they are on; where that changes is found on a grid, then by bisection down to
 *         two neighbouring numbers. So a passage that is not taken back is found however short the interval of its effect:
 *         step(t - a) - step(t - b) has two.
 *
 * Cost: one call per operation. */
#include "math/expr_ops.h"

#include <assert.h>
#include <math.h>

enum { GRID = 32 };

/* one operation on a stack of n; its height afterwards */
static int apply(const ss_op *code, double t, double *stack, int n)
{
    switch (code->kind) {
    case SS_OP_NUMBER:
        stack[n] = code->number;
        return n + 1;
    case SS_OP_TIME:
        stack[n] = t;
        return n + 1;
    case SS_OP_CALL1:
        stack[n - 1] = code->call1(stack[n - 1]);
        return n;
    default: /* SS_OP_CALL2 */
        stack[n - 2] = code->call2(stack[n - 2], stack[n - 1]);
        return n - 1;
    }
}

double ss_expr_eval(const ss_expr *expr, double t)
{
    double stack[SS_EXPR_STACK];
    int n = 0;
    for (int k = 0; k < expr->length; k++) {
        n = apply(&expr->code[k], t, stack, n);
    }
    return stack[0];
}

static void jet_at(const ss_expr *expr, double t, double d[3])
{
    double stack[SS_EXPR_STACK][3], y[3];
    int n = 0;
    for (int k = 0; k < expr->length; k++) {
        const ss_op *code = &expr->code[k];
        switch (code->kind) {
        case SS_OP_NUMBER:
        case SS_OP_TIME:
            y[0] = code->kind == SS_OP_TIME ? t : code->number;
            y[1] = code->kind == SS_OP_TIME;
            y[2] = 0;
            n++;
            break;
        case SS_OP_CALL1:
            code->jet1(stack[n - 1], y);
            break;
        case SS_OP_CALL2:
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

void ss_expr_set_number(ss_expr *expr, double number)
{
    assert(expr->length == 1 && expr->code[0].kind == SS_OP_NUMBER);
    expr->code[0].number = number;
}

ss_status ss_expr_line(ss_context *ctx, ss_expr **out)
{
    SS_TRY(ss_expr_compile(ctx, "0 + 0*(t - 0)", out));
    (*out)->constant = true;
    return SS_OK;
}

void ss_expr_set_line(ss_expr *expr, double x, double v, double t0)
{
    const double number[] = { x, v, t0 };
    int n = 0;
    for (int k = 0; k < expr->length; k++) {
        if (expr->code[k].kind == SS_OP_NUMBER) {
            expr->code[k].number = number[n++];
        }
    }
    assert(n == 3);
    expr->constant = v == 0;
}

/* ---- kinks ---------------------------------------------------------------------------------- */

static double branch_of(const ss_op *code, const double *stack, int n)
{
    return code->kind == SS_OP_CALL2 ? code->branch(stack[n - 2], stack[n - 1]) : code->branch(stack[n - 1], 0);
}

/* are all operations on the same branches at both times? A branch that is NaN equals any. */
static bool are_alike(const ss_expr *expr, double t0, double t1)
{
    double stack[2][SS_EXPR_STACK];
    int n = 0;
    for (int k = 0; k < expr->length; k++) {
        const ss_op *code = &expr->code[k];
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

/* bisection: the first number in (alike, other] where the branches are no longer those at t */
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
