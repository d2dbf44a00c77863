/* hausdorff.c - the Hausdorff distance of two filled-in graphs in the max metric.
 *
 *   h*(A, B) = max( max over p in A of d(p, B), max over p in B of d(p, A) )                       [Aca09 eq. 20]
 *   d((t, x), (s, y)) = max(|t - s|, |x - y|)        after times are multiplied by time_scale
 *
 * A filled-in graph is connected. So are its points with times in [t - r, t + r], and their values fill an interval
 * [m, M]. Hence
 *
 *   d((t, x), B) <= r    if and only if    m(t, r) - r <= x <= M(t, r) + r,
 *
 * and the two bounds may be dealt with one after the other; the lower is the upper of the mirrored graphs. With A+(t) the
 * top of A at t, the upper one holds for all of A when
 *
 *   F(r) = sup_t [ A+(t) - M(t, r) - r ] <= 0.
 *
 * F falls at least as fast as -r: the distance is the one place where its sign changes, and lies in [r, r + F(r)].
 * For given r the window [t - r, t + r] is pushed along A. Its ends meet points of B at the times b_j - r and b_j + r;
 * between these and the points of A, M is the largest of three linear functions (B at both ends, the highest point inside,
 * from a queue of falling values), and the excess is the peak of the least of three linear functions: a closed form. Jumps
 * make M jump; the peak then is a limit, which is what the supremum wants.
 *
 * The sign change is bisected down to neighbouring numbers, over the bit patterns of r, which are in the order of the
 * numbers: at most 64 sweeps. What is within r of B at one r is so at every larger one, so each sweep covers only the part
 * of A in which the last one found an excess, and soon little of it; the second, third and fourth of the one-sided
 * distances start from the largest so far and mostly end after one sweep.
 *
 * Exact for piecewise-linear graphs, up to round-off of the coordinates. Time n + m a sweep, memory n + m.
 *
 * Symbols   A, B -> a, b;  in, out: the points of B that the right end of the window, and its left end, meet next */
#include "study/hausdorff.h"

#include <float.h>
#include <math.h>

typedef struct point {
    double t, x;
} point;

typedef struct pair {
    const point *a, *b;
    int n, m;
    int *queue; /* m: scratch of a sweep */
} pair;

/* ---- the window on B --------------------------------------------------------------------------- */

typedef struct window {
    const point *b;
    int m;
    double r;
    int in, out;
    int *queue, head, tail; /* points inside, values falling: the first is the highest */
} window;

static window window_at(const pair *p, double r, double t)
{
    int low = 0, high = p->m;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (p->b[middle].t + r < t) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return (window){ .b = p->b, .m = p->m, .r = r, .in = low, .out = low, .queue = p->queue };
}

/* the right end arrives at t + r */
static void admit(window *w, double t)
{
    for (; w->in < w->m && w->b[w->in].t - w->r <= t; w->in++) {
        while (w->tail > w->head && w->b[w->queue[w->tail - 1]].x <= w->b[w->in].x) {
            w->tail--;
        }
        w->queue[w->tail++] = w->in;
    }
}

/* the left end goes past t - r */
static void release(window *w, double t)
{
    for (; w->out < w->in && w->b[w->out].t + w->r <= t; w->out++) {
        w->head += w->head < w->tail && w->queue[w->head] == w->out;
    }
}

static double next_meeting(const window *w)
{
    double enters = w->in < w->m ? w->b[w->in].t - w->r : INFINITY;
    double leaves = w->out < w->m ? w->b[w->out].t + w->r : INFINITY;
    return fmin(enters, leaves);
}

static double highest_inside(const window *w) { return w->head < w->tail ? w->b[w->queue[w->head]].x : -INFINITY; }

/* value at t between the points k - 1 and k of n; the first or last value outside */
static double on_segment(const point *p, int n, int k, double t)
{
    if (k == 0 || k == n) {
        return p[k == 0 ? 0 : n - 1].x;
    }
    double s = fmin(fmax((t - p[k - 1].t) / (p[k].t - p[k - 1].t), 0), 1);
    return (1 - s) * p[k - 1].x + s * p[k].x;
}

static double left_end(const window *w, double t) { return on_segment(w->b, w->m, w->out, t - w->r); }

static double right_end(const window *w, double t) { return on_segment(w->b, w->m, w->in, t + w->r); }

/* ---- one sweep --------------------------------------------------------------------------------- */

typedef struct excess {
    double most; /* F(r), 0 if it is not positive               */
    double t;    /* where                                       */
    int from;    /* all of it lies between these points of A    */
    int to;
} excess;

static void take_note(excess *e, double value, double t, int from, int to)
{
    if (!(value > 0)) {
        return;
    }
    e->from = from < e->from ? from : e->from;
    e->to = to;
    if (value > e->most) {
        e->most = value;
        e->t = t;
    }
}

/* the largest value on [0, 1] of the least of three linear functions, given at both ends */
static double peak(const double *f0, const double *f1)
{
    double s[5] = { 0, 1 }, best = -INFINITY;
    int count = 2;
    for (int k = 0; k < 3; k++) {
        double d0 = f0[k] - f0[(k + 1) % 3], d1 = f1[k] - f1[(k + 1) % 3];
        if ((d0 < 0) != (d1 < 0) && isfinite(d0) && isfinite(d1)) {
            s[count++] = d0 / (d0 - d1);
        }
    }
    for (int c = 0; c < count; c++) {
        double least = INFINITY;
        for (int k = 0; k < 3; k++) {
            double f = s[c] == 0 ? f0[k] : s[c] == 1 ? f1[k] : (1 - s[c]) * f0[k] + s[c] * f1[k];
            least = fmin(least, f);
        }
        best = fmax(best, least);
    }
    return best;
}

/* between t and `next` the window meets no point; A is linear there, between its points i - 1 and i */
static double excess_between(const pair *p, const window *w, int i, double t, double next)
{
    double a0 = on_segment(p->a, p->n, i, t) - w->r, a1 = on_segment(p->a, p->n, i, next) - w->r;
    double top = highest_inside(w);
    const double f0[3] = { a0 - left_end(w, t), a0 - right_end(w, t), a0 - top };
    const double f1[3] = { a1 - left_end(w, next), a1 - right_end(w, next), a1 - top };
    for (int k = 0; k < 3; k++) {
        if (f0[k] <= 0 && f1[k] <= 0) {
            return 0;
        }
    }
    return peak(f0, f1);
}

/* the excess of A over B, widened and raised by r, from point `from` to point `to` of A */
static excess sweep(const pair *p, double r, int from, int to)
{
    window w = window_at(p, r, p->a[from].t);
    excess e = { .from = to, .to = from };
    double t = p->a[from].t;
    for (int i = from;;) {
        admit(&w, t);
        if (p->a[i].t == t) {
            int first = i;
            double top = p->a[i].x;
            for (i++; i <= to && p->a[i].t == t; i++) {
                top = fmax(top, p->a[i].x);
            }
            take_note(&e, top - r - fmax(highest_inside(&w), fmax(left_end(&w, t), right_end(&w, t))), t, first, i - 1);
        }
        if (i > to) {
            return e;
        }
        release(&w, t);
        double next = fmin(p->a[i].t, next_meeting(&w));
        take_note(&e, excess_between(p, &w, i, t, next), t, i - 1, i);
        t = next;
    }
}

/* ---- distances --------------------------------------------------------------------------------- */

/* the number halfway between two that are not negative, as their bit patterns are counted */
static double between(double low, double high)
{
    uint64_t a, b;
    memcpy(&a, &low, sizeof a);
    memcpy(&b, &high, sizeof b);
    a += (b - a) / 2;
    memcpy(&low, &a, sizeof low);
    return low;
}

/* raise the distance to that of the farthest point of A above B */
static void raise_to_top(const pair *p, ss_hausdorff *h)
{
    double low = h->distance;
    excess e = sweep(p, low, 0, p->n - 1);
    if (!(e.most > 0)) {
        return;
    }
    h->distance = low + e.most;
    for (double r = between(low, h->distance); r > low; r = between(low, h->distance)) {
        excess found = sweep(p, r, e.from, e.to);
        if (found.most > 0) {
            low = r;
            e = found;
        } else {
            h->distance = r;
        }
    }
    h->t = e.t;
}

static void mirror(point *p, int n)
{
    for (int k = 0; k < n; k++) {
        p[k].x = -p[k].x;
    }
}

/* where one graph is longer, its end is at least as far from the other as it sticks out */
static void raise_to_ends(const point *a, int n, const point *b, int m, ss_hausdorff *h)
{
    double start = fabs(a[0].t - b[0].t), end = fabs(a[n - 1].t - b[m - 1].t);
    h->distance = fmax(start, end);
    h->t = start > end ? a[0].t : a[n - 1].t;
}

static void distance(point *a, int n, point *b, int m, int *queue, ss_hausdorff *out)
{
    const pair there = { a, b, n, m, queue }, back = { b, a, m, n, queue };
    raise_to_ends(a, n, b, m, out);
    for (int side = 0; side < 2; side++) {
        raise_to_top(&there, out);
        raise_to_top(&back, out);
        mirror(a, n);
        mirror(b, m);
    }
}

/* ---- the call ---------------------------------------------------------------------------------- */

/* copy with scaled times; differences of what is let through do not overflow */
static ss_status copy(ss_context *ctx, const ss_graph *graph, const char *what, double time_scale, point *out)
{
    SS_TRY(ss_graph_check(ctx, graph, what));
    for (int k = 0; k < graph->n; k++) {
        out[k] = (point){ time_scale * graph->t[k], graph->x[(size_t)k * (size_t)graph->stride] };
        if (!(fabs(out[k].t) < DBL_MAX / 8 && fabs(out[k].x) < DBL_MAX / 8)) {
            return ss_fail(ctx, SS_ERR_INPUT, "%s: point %d is (%g, %g), too large for a distance", what, k, out[k].t, out[k].x);
        }
    }
    return SS_OK;
}

static ss_status copy_and_measure(ss_context *ctx, const ss_graph *a, const ss_graph *b, double time_scale, point *points,
                                  int *queue, ss_hausdorff *out)
{
    SS_TRY(copy(ctx, a, "trajectory", time_scale, points));
    SS_TRY(copy(ctx, b, "reference", time_scale, points + a->n));
    distance(points, a->n, points + a->n, b->n, queue, out);
    out->t /= time_scale;
    return SS_OK;
}

ss_status ss_hausdorff_distance(ss_context *ctx, const ss_graph *a, const ss_graph *b, double time_scale, ss_hausdorff *out)
{
    *out = (ss_hausdorff){ 0 };
    if (!(time_scale > 0 && isfinite(time_scale))) {
        return ss_fail(ctx, SS_ERR_INPUT, "time_scale: expected a number > 0, got %g", time_scale);
    }
    if (a->n < 1 || b->n < 1) {
        return ss_fail(ctx, SS_ERR_INPUT, "graphs of %d and %d points, expected at least 1 each", a->n, b->n);
    }
    point *points = NULL;
    int *queue = NULL;
    ss_status status = ss_calloc(ctx, (size_t)a->n + (size_t)b->n, sizeof *points, &points);
    status = status != SS_OK ? status : ss_calloc(ctx, (size_t)(a->n > b->n ? a->n : b->n), sizeof *queue, &queue);
    status = status != SS_OK ? status : copy_and_measure(ctx, a, b, time_scale, points, queue, out);
    ss_free(ctx, queue);
    ss_free(ctx, points);
    return status;
}
