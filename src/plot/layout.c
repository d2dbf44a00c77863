/* layout.c - where things go: ranges of the axes, margins, and a place for the legend that covers no data.
 *
 * The drawn curves are marked in a coarse grid of cells. The legend takes the first of six places inside the axes whose
 * cells are all free; if there is none it stands to the right of the axes, which give way. */
#include "plot/inside.h"

#include <math.h>

enum { CELL = 6, COLUMNS = SS_PLOT_WIDTH / CELL + 1, ROWS = SS_PLOT_HEIGHT / CELL + 1 };
enum { LEGEND_PAD = 6, LEGEND_SAMPLE = 36, LEGEND_WIDEST = 230, LEGEND_GAP = 8 };

typedef struct cells {
    bool used[ROWS][COLUMNS];
    ss_plot_point last;
} cells;

/* ---- ranges ------------------------------------------------------------------------------------ */

typedef struct span {
    double low, high;
} span;

static void widen(span *s, double value)
{
    s->low = fmin(s->low, value);
    s->high = fmax(s->high, value);
}

/* the range of all points that can be shown; counts the others */
static void data_range(const ss_plot *plot, ss_layout *out, span *x, span *y)
{
    for (int c = 0; c < plot->curves; c++) {
        for (int k = 0; k < plot->curve[c].n; k++) {
            ss_plot_point p = plot->curve[c].point[k];
            if (ss_plot_shows(&out->x, &out->y, p)) {
                widen(x, p.x);
                widen(y, p.y);
            } else if (ss_axis_takes(false, p.x) && ss_axis_takes(false, p.y)) {
                out->not_positive++;
            } else {
                out->not_finite++;
            }
        }
    }
    for (int g = 0; g < plot->event_groups && x->low > x->high; g++) { /* events alone make a plot, too */
        for (int k = 0; k < plot->events[g].n; k++) {
            if (ss_axis_takes(out->x.log, plot->events[g].x[k])) {
                widen(x, plot->events[g].x[k]);
            }
        }
    }
}

static bool is_given(const ss_plot_axis *axis) { return axis->min != 0 || axis->max != 0; }

static void set_range(ss_axis *axis, const ss_plot_axis *wanted, span data, double margin)
{
    if (is_given(wanted)) {
        ss_axis_set_range(axis, axis->log, wanted->min, wanted->max, 0);
    } else {
        ss_axis_set_range(axis, axis->log, data.low, data.high, margin);
    }
}

/* A function of x runs from edge to edge; marks, and curves that turn back (a phase plot), would lie on the frame. */
static bool wants_room(const ss_plot_curve *curve)
{
    bool turns = false;
    for (int k = 1; k < curve->n; k++) {
        turns = turns || curve->point[k].x < curve->point[k - 1].x;
    }
    return turns || ss_plot_has_markers(curve->kind);
}

static void set_ranges(const ss_plot *plot, ss_layout *out)
{
    span x = { INFINITY, -INFINITY }, y = x;
    bool room = false;
    for (int c = 0; c < plot->curves; c++) {
        room = room || wants_room(&plot->curve[c]);
    }
    out->x.log = plot->x.scale == SS_PLOT_LOG;
    out->y.log = plot->y.scale == SS_PLOT_LOG;
    data_range(plot, out, &x, &y);
    set_range(&out->x, &plot->x, x, room ? 0.04 : 0);
    set_range(&out->y, &plot->y, y, 0.05);
}

/* ---- margins ----------------------------------------------------------------------------------- */

static double widest_label(const ss_axis *axis)
{
    double most = 0;
    for (int k = 0; k < axis->ticks; k++) {
        const ss_tick *tick = &axis->tick[k];
        most = fmax(most, ss_svg_text_width(tick->text) + 0.75 * ss_svg_text_width(tick->power));
    }
    return SS_PLOT_FONT * most;
}

static void set_area(const ss_plot *plot, ss_layout *out, double taken_at_right)
{
    bool note = out->not_finite + out->not_positive > 0;
    out->area.top = plot->title ? 36 : 20;
    out->area.bottom = SS_PLOT_HEIGHT - (plot->x_label ? 46 : 28) - (note ? 16 : 0);
    out->y.p0 = out->area.bottom;
    out->y.p1 = out->area.top;
    ss_axis_set_ticks(&out->y, 8);
    out->area.left = ceil(widest_label(&out->y)) + (plot->y_label ? 40 : 20);
    out->area.right = SS_PLOT_WIDTH - 18 - taken_at_right;
    out->x.p0 = out->area.left;
    out->x.p1 = out->area.right;
    ss_axis_set_ticks(&out->x, taken_at_right > 0 ? 7 : 9);
}

/* ---- reference slopes -------------------------------------------------------------------------- */

/* sums over the points of a curve: its fitted slope, and the highest line log y = c + order log x under it */
typedef struct fit {
    span x;       /* of log x                     */
    double c;     /* of the line of given order   */
    double slope; /* of the least-squares fit     */
} fit;

static fit fit_curve(const ss_plot_curve *curve, const ss_layout *out, double order)
{
    fit f = { { INFINITY, -INFINITY }, INFINITY, NAN };
    double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (int i = 0; i < curve->n; i++) {
        if (!ss_plot_shows(&out->x, &out->y, curve->point[i])) {
            continue;
        }
        double x = log10(curve->point[i].x), y = log10(curve->point[i].y);
        widen(&f.x, x);
        f.c = fmin(f.c, y - order * x);
        n += 1, sx += x, sy += y, sxx += x * x, sxy += x * y;
    }
    if (f.x.high > f.x.low) {
        f.slope = (n * sxy - sx * sy) / (n * sxx - sx * sx);
    }
    return f;
}

/* a reference is drawn under the curve whose own slope is nearest to it */
static bool nearest_curve(const ss_plot *plot, const ss_layout *out, double order, fit *best)
{
    double least = INFINITY;
    for (int k = 0; k < plot->curves; k++) {
        fit f = fit_curve(&plot->curve[k], out, order);
        if (fabs(f.slope - order) < least) { /* false for NaN */
            least = fabs(f.slope - order);
            *best = f;
        }
    }
    return isfinite(least);
}

/* Room for the lines under the data: all of them, as long as that is not more than a third of the axis. */
static void make_room_for_slopes(const ss_plot *plot, ss_layout *out)
{
    double height = out->y.high - out->y.low, low = out->y.low - 0.1 * height;
    for (int k = 0; k < plot->slopes; k++) {
        fit f;
        if (nearest_curve(plot, out, plot->slope[k], &f)) {
            low = fmin(low, f.c + plot->slope[k] * f.x.low - 0.1 * height);
        }
    }
    if (plot->slopes > 0 && !is_given(&plot->y)) {
        out->y.low = fmax(low, out->y.low - 0.33 * height);
    }
}

bool ss_layout_slope(const ss_plot *plot, const ss_layout *out, int k, ss_plot_point *a, ss_plot_point *b, ss_plot_point *label)
{
    const double below = 10; /* pixels under the lowest point */
    double order = plot->slope[k];
    fit f = { { 0, 0 }, 0, 0 };
    if (!nearest_curve(plot, out, order, &f)) {
        return false;
    }
    *a = (ss_plot_point){ ss_axis_pixel_at(&out->x, f.x.low), ss_axis_pixel_at(&out->y, f.c + order * f.x.low) + below };
    *b = (ss_plot_point){ ss_axis_pixel_at(&out->x, f.x.high), ss_axis_pixel_at(&out->y, f.c + order * f.x.high) + below };
    if (!ss_box_cut(&out->area, a, b)) {
        return false;
    }
    double s = (k + 1.0) / (plot->slopes + 1.0); /* side by side, should the lines be close */
    *label = (ss_plot_point){ a->x + s * (b->x - a->x) + 6, a->y + s * (b->y - a->y) + 12 };
    return true;
}

/* ---- what is drawn where ----------------------------------------------------------------------- */

static void mark(cells *c, double x, double y)
{
    int column = (int)(x / CELL), row = (int)(y / CELL);
    if (column >= 0 && column < COLUMNS && row >= 0 && row < ROWS) {
        c->used[row][column] = true;
    }
}

static void mark_line(void *user, double x, double y, bool draw)
{
    cells *c = user;
    if (draw) {
        double dx = x - c->last.x, dy = y - c->last.y;
        int steps = 1 + (int)(fmax(fabs(dx), fabs(dy)) / (0.5 * CELL));
        for (int k = 0; k <= steps; k++) {
            mark(c, c->last.x + dx * k / steps, c->last.y + dy * k / steps);
        }
    }
    c->last = (ss_plot_point){ x, y };
}

static void mark_all(const ss_plot *plot, const ss_layout *out, cells *c)
{
    const ss_pen pen = { mark_line, c };
    ss_plot_point a, b, label;
    for (int k = 0; k < plot->curves; k++) {
        const ss_plot_curve *curve = &plot->curve[k];
        if (ss_plot_has_line(curve->kind)) {
            ss_trace_line(curve, &out->x, &out->y, &out->area, &pen);
        }
        for (int i = 0; i < curve->n && ss_plot_has_markers(curve->kind); i++) {
            if (ss_plot_shows(&out->x, &out->y, curve->point[i])) {
                mark(c, ss_axis_pixel(&out->x, curve->point[i].x), ss_axis_pixel(&out->y, curve->point[i].y));
            }
        }
    }
    for (int k = 0; k < plot->slopes; k++) {
        if (ss_layout_slope(plot, out, k, &a, &b, &label)) {
            mark_line(c, a.x, a.y, false);
            mark_line(c, b.x, b.y, true);
            mark_line(c, label.x, label.y, false);
            mark_line(c, label.x + 48, label.y, true);
        }
    }
}

static bool is_free(const cells *c, const ss_box *box)
{
    const int around = 4; /* pixels kept clear */
    for (int row = (int)(box->top - around) / CELL; row <= (int)(box->bottom + around) / CELL && row < ROWS; row++) {
        for (int column = (int)(box->left - around) / CELL; column <= (int)(box->right + around) / CELL && column < COLUMNS;
             column++) {
            if (c->used[row][column]) {
                return false;
            }
        }
    }
    return true;
}

/* ---- legend ------------------------------------------------------------------------------------ */

static void count_entry(const char *label, ss_layout *out, double *width)
{
    if (label) {
        out->entries++;
        *width = fmax(*width, fmin(SS_PLOT_FONT * ss_svg_text_width(label) + LEGEND_SAMPLE + 2 * LEGEND_PAD, LEGEND_WIDEST));
    }
}

/* the legend's box with its upper left corner at 0 */
static ss_box legend_size(const ss_plot *plot, ss_layout *out)
{
    double width = 0;
    for (int k = 0; k < plot->curves; k++) {
        count_entry(plot->curve[k].label, out, &width);
    }
    for (int k = 0; k < plot->event_groups; k++) {
        count_entry(plot->events[k].label, out, &width);
    }
    return (ss_box){ 0, 0, width, SS_PLOT_LEGEND_ROW * out->entries + LEGEND_PAD };
}

/* across: 0 left, 1 right; down: 0 top, 1 bottom */
static ss_box placed(const ss_box *area, const ss_box *size, double across, double down)
{
    double left = area->left + LEGEND_GAP, right = area->right - LEGEND_GAP - size->right;
    double top = area->top + LEGEND_GAP, bottom = area->bottom - LEGEND_GAP - size->bottom;
    double x = left + across * (right - left), y = top + down * (bottom - top);
    return (ss_box){ x, y, x + size->right, y + size->bottom };
}

static bool place_inside(const ss_plot *plot, ss_layout *out, const ss_box *size, cells *c)
{
    static const double places[6][2] = { { 1, 0 }, { 0, 0 }, { 1, 1 }, { 0, 1 }, { 0.5, 0 }, { 0.5, 1 } };
    mark_all(plot, out, c);
    for (int k = 0; k < 6; k++) {
        out->legend = placed(&out->area, size, places[k][0], places[k][1]);
        bool fits = out->legend.left > out->area.left && out->legend.top > out->area.top && out->legend.bottom < out->area.bottom;
        if (fits && is_free(c, &out->legend)) {
            return true;
        }
    }
    return false;
}

ss_status ss_layout_make(const ss_plot *plot, ss_layout *out)
{
    cells *c;
    *out = (ss_layout){ 0 };
    set_ranges(plot, out);
    make_room_for_slopes(plot, out);
    set_area(plot, out, 0);
    ss_box size = legend_size(plot, out);
    if (out->entries == 0) {
        return SS_OK;
    }
    SS_TRY(ss_calloc(plot->ctx, 1, sizeof *c, &c));
    if (!place_inside(plot, out, &size, c)) {
        set_area(plot, out, size.right + LEGEND_GAP);
        double left = out->area.right + LEGEND_GAP + 4;
        out->legend = (ss_box){ left, out->area.top, left + size.right, out->area.top + size.bottom };
    }
    ss_free(plot->ctx, c);
    return SS_OK;
}
