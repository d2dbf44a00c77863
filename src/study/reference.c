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
 * A result file and a run are polylines already: linear in between, and that is all that is known of them.
 *
 * Symbols   a, b: ends of a piece;  x: values of all components of the quantity */
#include "study/reference.h"

#include "model/model.h"
#include <math.h>
#include <stdio.h>
#include <strings.h>

enum { DEPTH = 40, PIECES = 256, MOST_ROWS = 1 << 20, MOST_JUMPS = 1 << 17 };
/* values of the pieces being halved: two a level, and the ends of the first */
enum { START = 2 * DEPTH + 2, END, PLACES };
static const double GOLDEN = 0.381966011250105;

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
    double *q, *v;        /* a state of the exact solution   */
    double *level;        /* PLACES x nc: values of the pieces being halved */
    /* the polyline of the exact solution */
    int rows, rows_t, rows_x;
    double *t, *x;
    double wanted, reached; /* accuracies */
    bool full;
};

const ss_model *ss_reference_model(const ss_reference *r) { return r->model; }

const char *ss_reference_exact_name(const ss_reference *r) { return r->exact ? ss_exact_name(r->exact) : NULL; }

const ss_trajectory *ss_reference_shape(const ss_reference *r) { return r->shape; }

int ss_reference_components(const ss_reference *r) { return r->nc; }

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
    return status;
}

/* the first coordinate in which two trajectories differ; -1: none */
static int first_difference(const ss_trajectory *a, const ss_trajectory *b)
{
    for (int k = 0; k < a->nq + a->nv; k++) {
        if (strcmp(a->name[k], b->name[k]) != 0) {
            return k;
        }
    }
    return -1;
}

static ss_status compare_coordinates(const ss_reference *r, const char *path)
{
    const ss_trajectory *file = r->run, *scene = r->shape;
    if (file->nq != scene->nq || file->nv != scene->nv) {
        return ss_fail(r->ctx, SS_ERR_INPUT, "reference %s: has %d coordinates and %d velocities, the scene has %d and %d", path,
                       file->nq, file->nv, scene->nq, scene->nv);
    }
    int k = first_difference(file, scene);
    return k < 0 ? SS_OK
                 : ss_fail(r->ctx, SS_ERR_INPUT, "reference %s: has \"%s\" where the scene has \"%s\"", path, file->name[k],
                           scene->name[k]);
}

static ss_status compare_times(const ss_reference *r, const char *path)
{
    double first = r->run->t[0], last = r->run->t[r->run->n - 1], slack = 1e-9 * r->until;
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
    SS_TRY(compare_coordinates(r, path));
    return compare_times(r, path);
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
    own.scheme = NULL;
    own.step = own.tol = NAN;
    SS_TRY(ss_study_case_open(r->ctx, &own, &r->scene, &r->model));
    SS_TRY(ss_trajectory_describe(r->ctx, r->model, &r->shape));
    r->until = r->model->settings.until;
    r->nc = r->quantity == SS_QUANTITY_Q ? r->model->nq : r->model->nv;
    if (r->nc == 0) {
        return ss_fail(r->ctx, SS_ERR_INPUT, "the scene has no body that moves: nothing to compare");
    }
    SS_TRY(ss_calloc(r->ctx, (size_t)r->model->nq, sizeof *r->q, &r->q));
    SS_TRY(ss_calloc(r->ctx, (size_t)r->model->nv, sizeof *r->v, &r->v));
    SS_TRY(ss_calloc(r->ctx, (size_t)r->nc * PLACES, sizeof *r->level, &r->level));
    SS_TRY(open_source(r, base, text));
    if (r->run) {
        ss_straighten(r->shape, r->model->q0, r->run->n, r->run->q);
    }
    return SS_OK;
}

ss_status ss_reference_create(ss_context *ctx, const ss_study_case *base, const char *text, ss_quantity quantity,
                              ss_reference **out)
{
    ss_reference *r;
    *out = NULL;
    SS_TRY(ss_calloc(ctx, 1, sizeof *r, &r));
    *r = (ss_reference){ .ctx = ctx, .quantity = quantity };
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
    ss_free(r->ctx, r->level);
    ss_free(r->ctx, r->t);
    ss_free(r->ctx, r->x);
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

/* ---- the polyline of an exact solution ------------------------------------------------------------------------ */

static ss_status add_row(ss_reference *r, double t, const double *x)
{
    size_t size = (size_t)r->nc * sizeof *x;
    SS_TRY(ss_reserve(r->ctx, &r->t, &r->rows_t, r->rows + 1, sizeof *r->t));
    SS_TRY(ss_reserve(r->ctx, &r->x, &r->rows_x, r->rows + 1, size));
    r->t[r->rows] = t;
    memcpy(r->x + (size_t)r->rows * (size_t)r->nc, x, size);
    r->rows++;
    return SS_OK;
}

static const double *last_row(const ss_reference *r) { return r->x + (size_t)(r->rows - 1) * (size_t)r->nc; }

static double *place(const ss_reference *r, int k) { return r->level + (size_t)k * (size_t)r->nc; }

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
    r->full = r->full || r->rows >= MOST_ROWS;
    if (off <= r->wanted || depth == DEPTH || r->full) {
        r->reached = fmax(r->reached, off);
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
    SS_TRY(value_like(r, t, side, r->rows > 0 ? last_row(r) : r->model->q0, x));
    return add_row(r, t, x);
}

static ss_status draw_exact(ss_reference *r)
{
    int pieces = 0;
    r->rows = 0;
    r->reached = 0;
    r->full = false;
    SS_TRY(draw_point(r, 0, -1));
    SS_TRY(draw_point(r, 0, 1));
    for (double t = 0; t < r->until;) {
        double next = fmin(ss_exact_next_jump(r->exact, t), ss_exact_next_kink(r->exact, t));
        if (!(next > t) || ++pieces > MOST_JUMPS) {
            return ss_fail(r->ctx, SS_ERR_NUMERIC, "exact %s: no end of jumps after t = %.17g", ss_exact_name(r->exact), t);
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
    if (r->rows == 0 || (accuracy < r->reached && accuracy < r->wanted)) {
        double target = accuracy;
        do {
            r->wanted = target;
            SS_TRY(draw_exact(r));
            target *= 4;
        } while (r->full);
        r->wanted = accuracy;
    }
    *out = (ss_reference_graph){ r->rows, r->t, r->x, r->reached };
    return SS_OK;
}
