/* reference.c - what the runs of a study are measured against.
 *
 * An exact solution is asked at any time. For its filled-in graph it is drawn as a polyline: between two instants at which
 * velocity or acceleration jumps it is smooth, and a piece [a, b] is halved until
 *
 *     2 |x(s) - chord(s)| <= accuracy      at the middle and at the golden section of [a, b], for every component
 *
 * (two places, since one may be the place where an S-shaped piece meets its chord; for such a cubic the deviation at the
 * golden section is 0.58 of the largest one). By the triangle inequality a Hausdorff distance to the polyline is then right
 * to `accuracy`. Both sides of every jump are rows. Where more than about MOST_ROWS rows would be needed a coarser accuracy
 * is taken; the one that was reached is told.
 *
 * A result file and a run are polylines already: linear in between, and that is all that is known of them. Quaternions of a
 * run follow each other by themselves; those of a file are made to, since it may begin with the other sign.
 *
 * Symbols   a, b: ends of a piece;  x: values of all components of the quantity */
#include "study/reference.h"
#include "base/tolerances.h"
#include "io/json.h"

#include "model/model.h"
#include <math.h>
#include <stdio.h>
#include <strings.h>

enum { DEPTH = 40, PIECES = 256, MOST_ROWS = 1 << 20, MOST_JUMPS = 1 << 17 };
/* values of the pieces being halved: two a level, and the ends of the first */
enum { START = 2 * DEPTH + 2, END, PLACES };
static const double GOLDEN = 0.381966011250105;

/* Times of the jumps of an exact solution, in order; none until somebody asks. */
typedef struct jump_list {
    double *t;
    int n, capacity;
} jump_list;

/* The polyline of an exact solution. */
typedef struct polyline {
    double *t, *x; /* rows, rows x nc                                  */
    int rows, t_capacity, x_capacity;
    double *level;          /* PLACES x nc: values of the pieces being halved */
    double wanted, reached; /* accuracies                                     */
    bool full;              /* it has as many rows as it may                  */
} polyline;

struct ss_reference {
    ss_context *ctx;
    ss_quantity quantity;
    int nc;
    double until;
    ss_scene *scene;
    ss_model *model;
    ss_trajectory *shape; /* of the scene's coordinates      */
    ss_exact *exact;      /* either this                     */
    ss_trajectory *run;   /* or that                         */
    bool file;            /* which was read from a file      */
    const volatile int *interrupt;
    double *q, *v; /* a state of the exact solution   */
    jump_list jump;
    polyline line;
};

const char *ss_reference_exact_name(const ss_reference *r) { return r->exact ? ss_exact_name(r->exact) : NULL; }

double ss_reference_spacing(const ss_reference *r, ss_norm_kind norm)
{
    double longest = 0;
    if (!r->run || (r->file && norm == SS_NORM_FINAL)) { /* a file may have its last state and few others */
        return 0;
    }
    for (int k = 1; k < r->run->n && r->run->t[k - 1] < r->until; k++) {
        longest = fmax(longest, r->run->t[k] - r->run->t[k - 1]);
    }
    return longest;
}

/* ---- which one ------------------------------------------------------------------------------------------ */

static bool is_file(const char *text)
{
    const char *dot = strrchr(text, '.');
    return dot && (strcasecmp(dot, ".h5") == 0 || strcasecmp(dot, ".hdf5") == 0 || strcasecmp(dot, ".csv") == 0);
}

static ss_status open_exact(ss_reference *r)
{
    ss_status status = ss_exact_create(r->ctx, r->model, &r->exact);
    if (status == SS_ERR_INPUT && !r->model->settings.exact) {
        return ss_fail(r->ctx, SS_ERR_INPUT,
                       "reference: the scene names no exact solution; give one with \"exact\": {\"name\": ..}, or as reference a "
                       "result file (.h5, .csv) or SCHEME@H, a run with a finer step");
    }
    /* evaluated at the end now, so that a solution that is not known up to there is refused before the first run */
    return status == SS_OK ? ss_exact_at(r->exact, r->until, 1, r->q, r->v) : status;
}

/* the same bodies; whether they also weigh the same is the user's affair */
static ss_status compare_scenes(const ss_reference *r, const char *path)
{
    ss_status status = ss_trajectory_same(r->run, path, r->shape);
    if (status != SS_OK) {
        return ss_fail_within(r->ctx, status, "reference");
    }
    if (r->run->fingerprint != 0 && r->run->fingerprint != r->shape->fingerprint) {
        ss_log(r->ctx, SS_LOG_WARNING,
               "reference %s: it was computed from another scene: the bodies have the same names, but their data, laws or "
               "initial states differ",
               path);
    }
    return SS_OK;
}

static ss_status compare_times(const ss_reference *r, const char *path)
{
    double first = r->run->t[0], last = r->run->t[r->run->n - 1], slack = SS_TOL_TIME * r->until;
    if (first > slack) {
        return ss_fail(r->ctx, SS_ERR_INPUT, "reference %s: begins at t = %.9g s, the study at t = 0", path, first);
    }
    if (last < r->until - slack) {
        return ss_fail(r->ctx, SS_ERR_INPUT, "reference %s: ends at t = %.9g s, the study at t = %.9g s", path, last, r->until);
    }
    return SS_OK;
}

static ss_status open_file(ss_reference *r, const char *path)
{
    ss_status status = ss_trajectory_read(r->ctx, path, &r->run);
    if (status != SS_OK) {
        return ss_fail_within(r->ctx, status == SS_ERR_IO ? SS_ERR_INPUT : status, "reference");
    }
    r->file = true;
    SS_TRY(compare_scenes(r, path));
    SS_TRY(compare_times(r, path));
    ss_straighten(r->shape, r->model->q0, r->run->n, r->run->q);
    return SS_OK;
}

static ss_status open_run(ss_reference *r, const ss_study_case *base, const char *text, const char *at)
{
    char scheme[128];
    ss_study_case c = *base;
    if (at == text || (size_t)(at - text) >= sizeof scheme) {
        return ss_fail(r->ctx, SS_ERR_INPUT, "reference \"%.80s\": expected SCHEME@H", text);
    }
    snprintf(scheme, sizeof scheme, "%.*s", (int)(at - text), text);
    ss_status status = ss_number_parse(r->ctx, at + 1, &c.step);
    if (status == SS_OK && !(c.step > 0 && isfinite(c.step))) {
        status = ss_fail(r->ctx, SS_ERR_INPUT, "expected a step > 0 after the @, got %s", at + 1);
    }
    status = status == SS_OK ? ss_study_divide(r->ctx, r->until, &c.step) : status;
    const char *own = r->model->settings.scheme;
    c.other_scheme = strcmp(scheme, own ? own : SS_DEFAULT_SCHEME) != 0;
    c.scheme = scheme;
    c.tol = NAN;
    status = status == SS_OK ? ss_trajectory_run(r->ctx, &c, &r->run, NULL) : status;
    return status == SS_OK ? SS_OK : ss_fail_within(r->ctx, status, "reference %.80s", text);
}

static ss_status open_source(ss_reference *r, const ss_study_case *base, const char *text)
{
    const char *at = text ? strrchr(text, '@') : NULL;
    if (!text || strcmp(text, "exact") == 0) {
        return open_exact(r);
    }
    if (is_file(text)) {
        return open_file(r, text);
    }
    if (at) {
        return open_run(r, base, text, at);
    }
    return ss_fail(r->ctx, SS_ERR_INPUT, "reference \"%.80s\": expected exact, a result file (.h5, .csv) or SCHEME@H", text);
}

/* ---- life ------------------------------------------------------------------------------------------------ */

static ss_status build(ss_reference *r, const ss_study_case *base, const char *text)
{
    ss_study_case own = *base;
    own.step = own.tol = NAN;
    SS_TRY(ss_study_case_open(r->ctx, &own, &r->scene, &r->model));
    SS_TRY(ss_trajectory_describe(r->ctx, r->model, &r->shape));
    r->until = r->model->settings.until;
    r->nc = r->quantity == SS_QUANTITY_Q ? ss_model_nq(r->model) : r->model->nv;
    if (r->nc == 0) {
        return ss_fail(r->ctx, SS_ERR_INPUT, "the scene has no body that moves: nothing to compare");
    }
    SS_TRY(ss_calloc(r->ctx, (size_t)ss_model_nq(r->model), sizeof *r->q, &r->q));
    SS_TRY(ss_calloc(r->ctx, (size_t)r->model->nv, sizeof *r->v, &r->v));
    SS_TRY(ss_calloc(r->ctx, (size_t)r->nc * PLACES, sizeof *r->line.level, &r->line.level));
    return open_source(r, base, text);
}

ss_status ss_reference_create(ss_context *ctx, const ss_study_case *base, const char *text, ss_quantity quantity,
                              ss_reference **out)
{
    ss_reference *r;
    *out = NULL;
    SS_TRY(ss_calloc(ctx, 1, sizeof *r, &r));
    *r = (ss_reference){ .ctx = ctx, .quantity = quantity, .interrupt = base->watch.interrupt };
    ss_status status = build(r, base, text);
    if (status != SS_OK) {
        ss_reference_destroy(r);
        return status;
    }
    *out = r;
    return SS_OK;
}

void ss_reference_destroy(ss_reference *r)
{
    if (!r) {
        return;
    }
    ss_exact_destroy(r->exact);
    ss_trajectory_destroy(r->run);
    ss_trajectory_destroy(r->shape);
    ss_model_destroy(r->model);
    ss_scene_destroy(r->scene);
    ss_free(r->ctx, r->q);
    ss_free(r->ctx, r->v);
    ss_free(r->ctx, r->line.level);
    ss_free(r->ctx, r->jump.t);
    ss_free(r->ctx, r->line.t);
    ss_free(r->ctx, r->line.x);
    ss_free(r->ctx, r);
}

/* ---- quaternions ------------------------------------------------------------------------------------------- */

void ss_straighten(const ss_trajectory *shape, const double *like, int n, double *q)
{
    for (int row = 0; row < n; row++, like = q, q += shape->nq) {
        for (int k = 0; k < shape->nq; k++) {
            if (shape->quat[k] != k) {
                continue;
            }
            double dot = q[k] * like[k] + q[k + 1] * like[k + 1] + q[k + 2] * like[k + 2] + q[k + 3] * like[k + 3];
            for (int i = 0; i < 4 && dot < 0; i++) {
                q[k + i] = -q[k + i];
            }
        }
    }
}

/* ---- values at times ---------------------------------------------------------------------------------------- */

static ss_status exact_value(const ss_reference *r, double t, int side, double *x)
{
    if (r->interrupt && *r->interrupt) {
        return ss_fail(r->ctx, SS_ERR_INTERRUPTED, "interrupted at t = %.9g of the reference", t);
    }
    SS_TRY(ss_exact_at(r->exact, t, side, r->q, r->v));
    memcpy(x, r->quantity == SS_QUANTITY_Q ? r->q : r->v, (size_t)r->nc * sizeof *x);
    return SS_OK;
}

ss_status ss_reference_at(const ss_reference *r, int n, const double *t, double *x)
{
    if (r->run) {
        return ss_trajectory_sample(r->run, r->quantity, n, t, x);
    }
    for (int k = 0; k < n; k++) {
        SS_TRY(exact_value(r, t[k], 1, x + (size_t)k * (size_t)r->nc));
    }
    return SS_OK;
}

/* ---- the other side of a jump --------------------------------------------------------------------------------- */

static ss_status no_end(const ss_reference *r, double t)
{
    return ss_fail(r->ctx, SS_ERR_NUMERIC, "exact %s: too many jumps after t = %.17g", ss_exact_name(r->exact), t);
}

/* list the start, where v may jump too, and all jumps up to the end */
static ss_status find_jumps(ss_reference *r, double last)
{
    for (double t = 0; t <= last; t = ss_exact_next_jump(r->exact, t)) {
        if (r->jump.n > MOST_JUMPS || (r->jump.n > 0 && !(t > r->jump.t[r->jump.n - 1]))) {
            return no_end(r, t);
        }
        SS_PUSH(r->ctx, r->jump.t, r->jump.n, r->jump.capacity, t);
    }
    return SS_OK;
}

/* the first jump at or after t; INFINITY: none */
static double first_jump(const ss_reference *r, double t)
{
    int low = 0, high = r->jump.n;
    while (low < high) {
        int middle = low + (high - low) / 2;
        *(r->jump.t[middle] < t ? &low : &high) = r->jump.t[middle] < t ? middle + 1 : middle;
    }
    return low < r->jump.n ? r->jump.t[low] : INFINITY;
}

ss_status ss_reference_across(ss_reference *r, double t, double *x, bool *there)
{
    const double slack = SS_TOL_TIME * r->until;
    if (r->run) {
        *there = ss_trajectory_across(r->run, r->quantity, t, slack, x);
        return SS_OK;
    }
    if (r->jump.n == 0) {
        SS_TRY(find_jumps(r, r->until + slack));
    }
    double jump = first_jump(r, t - slack);
    *there = jump <= t + slack;
    return *there ? exact_value(r, jump, jump <= t ? -1 : 1, x) : SS_OK;
}

/* ---- the polyline of an exact solution ------------------------------------------------------------------------ */

static ss_status add_row(ss_reference *r, double t, const double *x)
{
    size_t size = (size_t)r->nc * sizeof *x;
    SS_TRY(ss_reserve(r->ctx, &r->line.t, &r->line.t_capacity, r->line.rows + 1, sizeof *r->line.t));
    SS_TRY(ss_reserve(r->ctx, &r->line.x, &r->line.x_capacity, r->line.rows + 1, size));
    r->line.t[r->line.rows] = t;
    memcpy(r->line.x + (size_t)r->line.rows * (size_t)r->nc, x, size);
    r->line.rows++;
    return SS_OK;
}

static const double *last_row(const ss_reference *r) { return r->line.x + (size_t)(r->line.rows - 1) * (size_t)r->nc; }

static double *place(const ss_reference *r, int k) { return r->line.level + (size_t)k * (size_t)r->nc; }

/* the value at t; a quaternion in the sign that is nearer to `like` */
static ss_status value_like(const ss_reference *r, double t, int side, const double *like, double *x)
{
    SS_TRY(exact_value(r, t, side, x));
    if (r->quantity == SS_QUANTITY_Q) {
        ss_straighten(r->shape, like, 1, x);
    }
    return SS_OK;
}

/* largest distance of x, the value at the fraction s, from the chord from xa to xb */
static double off_chord(const ss_reference *r, const double *xa, const double *xb, double s, const double *x)
{
    double most = 0;
    for (int k = 0; k < r->nc; k++) {
        most = fmax(most, fabs(x[k] - ((1 - s) * xa[k] + s * xb[k])));
    }
    return most;
}

/* Rows inside the piece from a to b, in order, and at its end. */
static ss_status draw_piece(ss_reference *r, int depth, double a, const double *xa, double b, const double *xb)
{
    double middle = a + 0.5 * (b - a);
    double *xm = place(r, 2 * depth), *xg = place(r, 2 * depth + 1);
    if (!(middle > a && middle < b)) {
        return add_row(r, b, xb);
    }
    SS_TRY(value_like(r, middle, 1, xa, xm));
    SS_TRY(value_like(r, a + GOLDEN * (b - a), 1, xa, xg));
    double off = 2 * fmax(off_chord(r, xa, xb, 0.5, xm), off_chord(r, xa, xb, GOLDEN, xg));
    r->line.full = r->line.full || r->line.rows >= MOST_ROWS;
    if (off <= r->line.wanted || depth == DEPTH || r->line.full) {
        r->line.reached = fmax(r->line.reached, off);
        return add_row(r, b, xb);
    }
    SS_TRY(draw_piece(r, depth + 1, a, xa, middle, xm));
    return draw_piece(r, depth + 1, middle, xm, b, xb);
}

/* From the last row, at a, to b: pieces no longer than a 256th of the whole. */
static ss_status draw_smooth(ss_reference *r, double a, double b)
{
    int pieces = (int)fmax(1, ceil(PIECES * (b - a) / r->until));
    double *start = place(r, START), *end = place(r, END), from = a;
    for (int k = 1; k <= pieces; k++) {
        double to = k < pieces ? a + (b - a) * k / pieces : b;
        memcpy(start, last_row(r), (size_t)r->nc * sizeof *start);
        SS_TRY(value_like(r, to, k < pieces ? 1 : -1, start, end));
        SS_TRY(draw_piece(r, 0, from, start, to, end));
        from = to;
    }
    return SS_OK;
}

static ss_status draw_point(ss_reference *r, double t, int side)
{
    double *x = place(r, END);
    SS_TRY(value_like(r, t, side, r->line.rows > 0 ? last_row(r) : r->model->q0, x));
    return add_row(r, t, x);
}

static ss_status draw_exact(ss_reference *r)
{
    int pieces = 0;
    r->line.rows = 0;
    r->line.reached = 0;
    r->line.full = false;
    SS_TRY(draw_point(r, 0, -1));
    SS_TRY(draw_point(r, 0, 1));
    for (double t = 0; t < r->until;) {
        double next = fmin(ss_exact_next_jump(r->exact, t), ss_exact_next_kink(r->exact, t));
        if (!(next > t) || ++pieces > MOST_JUMPS) {
            return no_end(r, t);
        }
        next = fmin(next, r->until);
        SS_TRY(draw_smooth(r, t, next));
        SS_TRY(draw_point(r, next, 1));
        t = next;
    }
    return SS_OK;
}

ss_status ss_reference_draw(ss_reference *r, double accuracy, ss_reference_graph *out)
{
    if (r->run) {
        *out = (ss_reference_graph){ r->run->n, r->run->t, ss_trajectory_rows(r->run, r->quantity), 0 };
        return SS_OK;
    }
    if (r->line.rows == 0 || (accuracy < r->line.reached && accuracy < r->line.wanted)) {
        double target = accuracy;
        do {
            r->line.wanted = target;
            SS_TRY(draw_exact(r));
            target *= 4;
        } while (r->line.full);
        r->line.wanted = accuracy;
    }
    *out = (ss_reference_graph){ r->line.rows, r->line.t, r->line.x, r->line.reached };
    return SS_OK;
}
