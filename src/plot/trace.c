/* trace.c - from the points of a curve to what the eye can tell apart.
 *
 *   points -> lines and steps -> pixels -> thinned -> cut to the plot's area -> pen
 *
 * Thinning: of consecutive points in one column, half a pixel wide, the first, the lowest, the highest and the last are
 * kept, in their order. The ink in the column is the same, and a million points become a few thousand. */
#include "plot/inside.h"

#include <math.h>

enum { COLUMNS_PER_PIXEL = 2 };

typedef struct tracer {
    const ss_box *box;
    const ss_pen *pen;
    /* the column that is being filled: the first, lowest, highest and last of `count` points */
    int count;
    double column;
    ss_plot_point kept[4];
    int order[4]; /* their numbers in the column */
    /* what was drawn last */
    bool connected; /* there is a point to draw from                  */
    bool lonely;    /* it is not yet the end of a line                 */
    bool at_pen;    /* the pen stands there                            */
    ss_plot_point last;
} tracer;

bool ss_plot_has_line(ss_plot_kind kind) { return kind != SS_PLOT_MARKERS; }

bool ss_plot_has_markers(ss_plot_kind kind) { return kind == SS_PLOT_MARKERS || kind == SS_PLOT_LINE_MARKERS; }

bool ss_plot_shows(const ss_axis *x, const ss_axis *y, ss_plot_point p)
{
    return ss_axis_takes(x->log, p.x) && ss_axis_takes(y->log, p.y);
}

/* ---- cutting ----------------------------------------------------------------------------------- */

/* keep the part of a + s (b - a), s in [*s0, *s1], with  distance + s * slope >= 0 */
static bool cut_half(double distance, double slope, double *s0, double *s1)
{
    if (slope == 0) {
        return distance >= 0;
    }
    double s = -distance / slope;
    if (slope > 0) {
        *s0 = fmax(*s0, s);
    } else {
        *s1 = fmin(*s1, s);
    }
    return *s0 <= *s1;
}

bool ss_box_cut(const ss_box *box, ss_plot_point *a, ss_plot_point *b)
{
    ss_plot_point p = *a, d = { b->x - a->x, b->y - a->y };
    double s0 = 0, s1 = 1;
    if (!cut_half(p.x - box->left, d.x, &s0, &s1) || !cut_half(box->right - p.x, -d.x, &s0, &s1) ||
        !cut_half(p.y - box->top, d.y, &s0, &s1) || !cut_half(box->bottom - p.y, -d.y, &s0, &s1)) {
        return false;
    }
    if (s0 > 0) {
        *a = (ss_plot_point){ p.x + s0 * d.x, p.y + s0 * d.y };
    }
    if (s1 < 1) {
        *b = (ss_plot_point){ p.x + s1 * d.x, p.y + s1 * d.y };
    }
    return true;
}

/* ---- to the pen -------------------------------------------------------------------------------- */

static void draw_segment(tracer *t, ss_plot_point a, ss_plot_point b)
{
    ss_plot_point end = b;
    bool seen = ss_box_cut(t->box, &a, &b);
    if (seen && !(t->at_pen && a.x == t->last.x && a.y == t->last.y)) {
        t->pen->go(t->pen->user, a.x, a.y, false);
    }
    if (seen) {
        t->pen->go(t->pen->user, b.x, b.y, true);
    }
    t->at_pen = seen && b.x == end.x && b.y == end.y;
}

static void draw_to(tracer *t, ss_plot_point p)
{
    if (t->connected) {
        draw_segment(t, t->last, p);
    }
    t->lonely = !t->connected;
    t->at_pen = t->at_pen && t->connected;
    t->connected = true;
    t->last = p;
}

/* ---- thinning ---------------------------------------------------------------------------------- */

static void flush_column(tracer *t)
{
    int middle = t->order[1] <= t->order[2] ? 1 : 2;
    const int sequence[4] = { 0, middle, 3 - middle, 3 };
    for (int k = 0, drawn = -1; k < 4 && t->count > 0; k++) {
        int which = sequence[k];
        if (t->order[which] > drawn) {
            draw_to(t, t->kept[which]);
            drawn = t->order[which];
        }
    }
    t->count = 0;
}

static void push(tracer *t, ss_plot_point p)
{
    double column = floor(p.x * COLUMNS_PER_PIXEL);
    if (t->count > 0 && column != t->column) {
        flush_column(t);
    }
    t->column = column;
    for (int k = 0; k < 4; k++) {
        bool keep = t->count == 0 || k == 3 || (k == 1 && p.y < t->kept[1].y) || (k == 2 && p.y > t->kept[2].y);
        t->kept[k] = keep ? p : t->kept[k];
        t->order[k] = keep ? t->count : t->order[k];
    }
    t->count++;
}

/* end of a connected part; a point on its own becomes a dot: without length some viewers would not draw it */
static void lift(tracer *t)
{
    flush_column(t);
    if (t->connected && t->lonely) {
        const double half = 0.4;
        ss_plot_point a = { t->last.x - half, t->last.y }, b = { t->last.x + half, t->last.y };
        draw_segment(t, a, b);
    }
    t->connected = t->at_pen = false;
}

/* ---- curves ------------------------------------------------------------------------------------ */

static ss_plot_point to_pixels(const ss_axis *x, const ss_axis *y, ss_plot_point p)
{
    return (ss_plot_point){ ss_axis_pixel(x, p.x), ss_axis_pixel(y, p.y) };
}

/* the level of point k up to the next point; then a vertical or a gap */
static void push_level(tracer *t, const ss_plot_curve *c, int k, const ss_axis *x, const ss_axis *y)
{
    ss_plot_point end = { k + 1 < c->n ? c->point[k + 1].x : c->point[k].x, c->point[k].y };
    if (ss_plot_shows(x, y, end)) {
        push(t, to_pixels(x, y, end));
    }
    if (c->kind == SS_PLOT_STEP_GAPS) {
        lift(t);
    }
}

void ss_trace_line(const ss_plot_curve *curve, const ss_axis *x, const ss_axis *y, const ss_box *box, const ss_pen *pen)
{
    tracer t = { .box = box, .pen = pen };
    for (int k = 0; k < curve->n; k++) {
        if (!ss_plot_shows(x, y, curve->point[k])) {
            lift(&t);
            continue;
        }
        push(&t, to_pixels(x, y, curve->point[k]));
        if (curve->kind == SS_PLOT_STEP || curve->kind == SS_PLOT_STEP_GAPS) {
            push_level(&t, curve, k, x, y);
        }
    }
    lift(&t);
}
