/* error.c - how far a run is from a reference.
 *
 *   e_k         = | x_k - X(t_k) |          Euclidean over the components of q or v, at the ends of steps
 *   final       |e_n|;   l1, l2, max        of e over the grid                                          [Aca09 eq. 21]
 *   unweighted  sqrt(sum over k of e_k^2)   instead of l2
 *   hausdorff   the largest over the components of the distance of the filled-in graphs                 [Aca09 eq. 20]
 *
 * X is the reference; where it jumps at t_k, up to SS_TOL_TIME of the whole time, the nearer of its two sides: a step that ends
 * at an impact may have its velocity before or after it. The quaternion of a body is compared with the nearer of X and -X. In a
 * graph the jumps of a run stand where they happened inside a step, not at its end.
 *
 * The polyline of an exact reference is refined until its error is at most a hundredth of the distance that is computed.
 *
 * Symbols   x_k -> rows of the trajectory;  X -> rows of the reference */
#include "study/error.h"
#include "base/tolerances.h"

#include "study/hausdorff.h"
#include <float.h>
#include <math.h>

static const double SHARE = 0.01; /* largest error of the polyline of the reference, as a fraction of the distance */

/* numbers for every end of a step */
typedef struct ends {
    int n;
    double *t, *e, *zero;
    double *x;      /* n x nc: the reference */
    double *side;   /* nc: the other side of a jump */
    double largest; /* |X| at most, of the components that count */
} ends;

typedef struct task {
    ss_context *ctx;
    const ss_error_options *options;
    const ss_trajectory *run;
    int nc;
    const double *rows; /* of the run: n x nc */
} task;

static bool counts(const task *w, int k) { return !w->options->component || w->options->component[k]; }

/* ---- errors at the ends of steps --------------------------------------------------------------- */

static ss_status gather(const task *w, ends *out)
{
    size_t n = (size_t)w->run->n;
    SS_TRY(ss_calloc(w->ctx, n, sizeof(double), &out->t));
    SS_TRY(ss_calloc(w->ctx, n, sizeof(double), &out->e));
    SS_TRY(ss_calloc(w->ctx, n, sizeof(double), &out->zero));
    SS_TRY(ss_calloc(w->ctx, n * (size_t)w->nc, sizeof(double), &out->x));
    SS_TRY(ss_calloc(w->ctx, (size_t)w->nc, sizeof(double), &out->side));
    for (int k = 0; k < w->run->n; k++) {
        if (!w->run->inside[k]) {
            out->t[out->n++] = w->run->t[k];
        }
    }
    const ss_error_options *o = w->options;
    return o->reference ? ss_reference_at(o->reference, out->n, out->t, out->x)
                        : ss_trajectory_sample(o->other, o->quantity, out->n, out->t, out->x);
}

/* squared difference of n numbers, b taken with a sign */
static double difference(int n, const double *a, const double *b, double sign)
{
    double sum = 0;
    for (int k = 0; k < n; k++) {
        double d = a[k] - sign * b[k];
        sum += d * d;
    }
    return sum;
}

/* |a - b| over the components that count, quaternions by the nearer sign */
static double distance(const task *w, const double *a, const double *b)
{
    const int *quat = w->options->quantity == SS_QUANTITY_Q ? w->run->quat : NULL;
    double sum = 0, sign = 1;
    for (int k = 0; k < w->nc; k++) {
        if (!quat || quat[k] < 0) {
            sign = 1;
        } else if (quat[k] == k) {
            sign = difference(4, a + k, b + k, -1) < difference(4, a + k, b + k, 1) ? -1 : 1;
        }
        sum += counts(w, k) ? difference(1, a + k, b + k, sign) : 0;
    }
    return sqrt(sum);
}

static double size_of(const task *w, const double *x)
{
    double sum = 0;
    for (int k = 0; k < w->nc; k++) {
        sum += counts(w, k) ? x[k] * x[k] : 0;
    }
    return sqrt(sum);
}

/* the value of the reference at t on the other side of a jump there */
static ss_status look_across(const task *w, double t, double *x, bool *there)
{
    const ss_error_options *o = w->options;
    if (o->reference) {
        return ss_reference_across(o->reference, t, x, there);
    }
    *there = ss_trajectory_across(o->other, o->quantity, t, SS_TOL_TIME * w->run->t[w->run->n - 1], x);
    return SS_OK;
}

static ss_status compare(const task *w, ends *out)
{
    const double *x = out->x;
    for (int k = 0, i = 0; k < w->run->n; k++) {
        const double *row = w->rows + (size_t)k * (size_t)w->nc;
        bool jumps;
        if (w->run->inside[k]) {
            continue;
        }
        SS_TRY(look_across(w, w->run->t[k], out->side, &jumps));
        out->e[i] = distance(w, row, x);
        out->e[i] = jumps ? fmin(out->e[i], distance(w, row, out->side)) : out->e[i];
        out->largest = fmax(out->largest, size_of(w, x));
        x += w->nc;
        i++;
    }
    return SS_OK;
}

static double pick(const ss_error_norms *e, ss_norm_kind norm)
{
    return norm == SS_NORM_FINAL ? e->final : norm == SS_NORM_L1 ? e->l1 : norm == SS_NORM_L2 ? e->l2 : e->max;
}

/* powers of e / max: they neither overflow nor vanish */
static double sum_of_squares(const ends *at, double max)
{
    double sum = 0;
    for (int k = 0; k < at->n && max > 0; k++) {
        sum += at->e[k] / max * (at->e[k] / max);
    }
    return max * sqrt(sum);
}

static double scale_of(const ss_error_options *o, const ends *at)
{
    double length = at->t[at->n - 1] - at->t[0];
    switch (o->norm) {
    case SS_NORM_L1:
        return at->largest * length;
    case SS_NORM_L2:
        return at->largest * sqrt(o->unweighted ? (double)at->n : length);
    case SS_NORM_HAUSDORFF:
        return fmax(at->largest, length);
    default:
        return at->largest;
    }
}

/* ---- distance of graphs ------------------------------------------------------------------------ */

static ss_status draw(const task *w, double wanted, ss_reference_graph *out)
{
    const ss_trajectory *other = w->options->other;
    if (w->options->reference) {
        return ss_reference_draw(w->options->reference, wanted, out);
    }
    *out = (ss_reference_graph){ .n = other->n, .t = other->t, .x = ss_trajectory_rows(other, w->options->quantity) };
    return SS_OK;
}

/* over all components; *accuracy: how near the drawn reference is to the true one */
static ss_status graph_distance(const task *w, double wanted, double *most, double *accuracy)
{
    ss_reference_graph drawn;
    SS_TRY(draw(w, wanted, &drawn));
    *accuracy = drawn.accuracy;
    *most = 0;
    for (int k = 0; k < w->nc; k++) {
        const ss_graph a = { w->run->n, w->run->t, w->rows + k, w->nc }, b = { drawn.n, drawn.t, drawn.x + k, w->nc };
        ss_hausdorff h = { .distance = 0 };
        if (counts(w, k)) {
            SS_TRY(ss_hausdorff_distance(w->ctx, &a, &b, 1, &h));
        }
        *most = fmax(*most, h.distance);
    }
    return SS_OK;
}

/* The polyline of the reference is refined until its error is at most SHARE of the distance, or zero. */
static ss_status hausdorff(const task *w, ss_error *out)
{
    double accuracy = INFINITY, wanted = INFINITY, least = 16 * DBL_EPSILON * out->scale;
    for (int pass = 0; pass < 8; pass++) {
        SS_TRY(graph_distance(w, wanted, &out->value, &accuracy));
        if (accuracy <= fmax(SHARE * out->value, least) || (pass > 0 && accuracy > wanted)) {
            break;
        }
        wanted = fmax(0.5 * SHARE * out->value, least);
    }
    if (accuracy > fmax(SHARE * out->value, least)) {
        ss_log(w->ctx, SS_LOG_WARNING,
               "hausdorff: the distance %.3g is accurate to %.1g only: the reference has too many details", out->value, accuracy);
    }
    return SS_OK;
}

/* ---- the call ---------------------------------------------------------------------------------- */

static ss_status error_at(const task *w, ends *at, ss_error *out)
{
    SS_TRY(gather(w, at));
    SS_TRY(compare(w, at));
    const ss_graph graph = { at->n, at->t, at->e, 1 };
    ss_error_norms norms;
    SS_TRY(ss_error_norms_of(w->ctx, &graph, at->zero, 1, &norms));
    out->scale = scale_of(w->options, at);
    if (w->options->norm == SS_NORM_HAUSDORFF) {
        return hausdorff(w, out);
    }
    bool unweighted = w->options->norm == SS_NORM_L2 && w->options->unweighted;
    out->value = unweighted ? sum_of_squares(at, norms.max) : pick(&norms, w->options->norm);
    return SS_OK;
}

ss_status ss_error_of(ss_context *ctx, const ss_error_options *options, const ss_trajectory *run, ss_error *out)
{
    int nc = options->quantity == SS_QUANTITY_Q ? run->nq : run->nv;
    const task w = { ctx, options, run, nc, ss_trajectory_rows(run, options->quantity) };
    const ss_trajectory *other = options->other;
    ends at = { .n = 0 };
    *out = (ss_error){ 0 };
    if (!options->reference) {
        SS_TRY(ss_trajectory_same(other, "the run to compare with", run));
    }
    ss_status status = error_at(&w, &at, out);
    ss_free(ctx, at.t);
    ss_free(ctx, at.e);
    ss_free(ctx, at.zero);
    ss_free(ctx, at.x);
    ss_free(ctx, at.side);
    return status;
}

/* ---- slope ------------------------------------------------------------------------------------- */

void ss_slope_add(ss_slope *s, double x, double y)
{
    if (!(x > 0 && y > 0)) {
        return;
    }
    double dx = log(x) - s->x, dy = log(y) - s->y;
    s->n += 1;
    s->x += dx / s->n;
    s->y += dy / s->n;
    s->xx += dx * (log(x) - s->x);
    s->xy += dx * (log(y) - s->y);
}

double ss_slope_of(const ss_slope *s) { return s->xx > 0 ? s->xy / s->xx : NAN; }
