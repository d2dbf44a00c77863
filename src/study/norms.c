/* norms.c - errors over a grid of times.
 *
 *   l_p   (sum_i w_i |e_i|^p)^(1/p),   e_i = x_i - f(t_i),   i = 0 .. N                            [Aca09 eq. 21]
 *   max   max_i |e_i|                  final   |e_N|
 *
 * The paper's steps are equal and every term, the first too, has the weight h. Here w_i = t_i - t_{i-1}, and w_0 is the
 * first step that is not zero: the same numbers for equal steps, a sum that converges to the integral for any others.
 * The second of two points at the same time has no weight in l1 and l2, but counts in max.
 *
 * Symbols   e_i -> e,  w_i -> w;  the powers are taken of |e| / max, so that they neither overflow nor vanish */
#include "study/norms.h"
#include "base/tolerances.h"

#include <math.h>

static double value(const ss_graph *g, int k) { return g->x[(size_t)k * (size_t)g->stride]; }

ss_status ss_graph_check(ss_context *ctx, const ss_graph *graph, const char *what)
{
    if (graph->n < 1 || graph->stride < 1) {
        return ss_fail(ctx, SS_ERR_INPUT, "%s: %d points with stride %d, expected at least 1 of each", what, graph->n,
                       graph->stride);
    }
    for (int k = 0; k < graph->n; k++) {
        if (!isfinite(graph->t[k]) || !isfinite(value(graph, k))) {
            return ss_fail(ctx, SS_ERR_INPUT, "%s: point %d is (%g, %g), not finite", what, k, graph->t[k], value(graph, k));
        }
        if (k > 0 && graph->t[k] < graph->t[k - 1]) {
            return ss_fail(ctx, SS_ERR_INPUT, "%s: time goes back from %.17g to %.17g at point %d", what, graph->t[k - 1],
                           graph->t[k], k);
        }
    }
    return SS_OK;
}

/* ---- values of a graph ------------------------------------------------------------------------- */

/* the number of points at or before t */
static int points_until(const ss_graph *g, double t)
{
    int low = 0, high = g->n;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (g->t[middle] <= t) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static double value_at(const ss_graph *g, double t)
{
    int k = points_until(g, t);
    if (k == 0 || k == g->n || g->t[k - 1] == t) {
        return value(g, k > 0 ? k - 1 : 0);
    }
    double s = (t - g->t[k - 1]) / (g->t[k] - g->t[k - 1]);
    return (1 - s) * value(g, k - 1) + s * value(g, k);
}

ss_status ss_graph_sample(ss_context *ctx, const ss_graph *graph, int n, const double *t, double *x)
{
    SS_TRY(ss_graph_check(ctx, graph, "reference"));
    double first = graph->t[0], last = graph->t[graph->n - 1], slack = SS_TOL_TIME * (last - first);
    for (int i = 0; i < n; i++) {
        if (!(t[i] >= first - slack && t[i] <= last + slack)) {
            return ss_fail(ctx, SS_ERR_INPUT, "reference: it covers t = %.9g to %.9g, but its value is needed at t = %.9g", first,
                           last, t[i]);
        }
        x[i] = value_at(graph, t[i]);
    }
    return SS_OK;
}

/* ---- norms ------------------------------------------------------------------------------------- */

static double first_step(const ss_graph *g)
{
    int k = points_until(g, g->t[0]);
    return k < g->n ? g->t[k] - g->t[0] : 0;
}

/* l1 and l2 of an error whose largest magnitude is known and not zero */
static void sum_powers(const ss_graph *g, const double *reference, size_t stride, ss_error_norms *out)
{
    double sum = 0, squares = 0, w = first_step(g);
    for (int k = 0; k < g->n; k++) {
        double e = fabs(value(g, k) - reference[(size_t)k * stride]) / out->max;
        sum += w * e;
        squares += w * e * e;
        w = k + 1 < g->n ? g->t[k + 1] - g->t[k] : 0;
    }
    out->l1 = out->max * sum;
    out->l2 = out->max * sqrt(squares);
}

ss_status ss_error_norms_of(ss_context *ctx, const ss_graph *graph, const double *reference, int reference_stride,
                            ss_error_norms *out)
{
    *out = (ss_error_norms){ 0 };
    SS_TRY(ss_graph_check(ctx, graph, "trajectory"));
    ss_graph other = { graph->n, graph->t, reference, reference_stride };
    SS_TRY(ss_graph_check(ctx, &other, "reference"));
    out->t_max = graph->t[0];
    for (int k = 0; k < graph->n; k++) {
        out->final = fabs(value(graph, k) - value(&other, k));
        if (out->final > out->max) {
            out->max = out->final;
            out->t_max = graph->t[k];
        }
    }
    if (!isfinite(out->max)) {
        return ss_fail(ctx, SS_ERR_INPUT, "trajectory: its difference from the reference at t = %g overflows", out->t_max);
    }
    if (out->max > 0) {
        sum_powers(graph, reference, (size_t)reference_stride, out);
    }
    return SS_OK;
}
