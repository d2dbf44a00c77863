/* draw.c - the plot as SVG.
 *
 * Colours are those of Okabe and Ito, which colour-blind readers can tell apart; lines differ by their dashes as well, marked
 * points by their shapes, so that they can be told apart in grey. White background, no fonts or scripts from outside. */
#include "plot/inside.h"

#include <math.h>

static const char *const COLOUR[] = { "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#222222" };
static const char *const DASH[] = { "none", "6 5", "0.6 4.4", "9 5 0.6 5", "14 5.5" };
static const char *const EVENT_COLOUR[] = { "#555555", "#AA4499", "#117733" };
static const char *const EVENT_DASH[] = { "1.5 2.5", "none", "5 2.5" };
#define PICK(list, k) ((list)[(size_t)(k) % (sizeof(list) / sizeof *(list))])

enum { MOST_EVENT_LINES = 60, EVENT_SPACING = 2, SHORT_MARK = 9, MARKS_PER_PIXEL = 2 };

/* ---- texts ------------------------------------------------------------------------------------- */

static void add_text(ss_svg *svg, double x, double y, double size, const char *anchor, const char *attributes, const char *text)
{
    ss_svg_add(svg, "<text x='~' y='~' font-size='~' text-anchor='$' ", x, y, size, anchor);
    ss_svg_add(svg, attributes);
    ss_svg_add(svg, ">$</text>\n", text);
}

/* text, then a superscript, then plain text again */
static void add_power_text(ss_svg *svg, double x, double y, const char *anchor, const ss_tick *label, const char *after)
{
    ss_svg_add(svg, "<text x='~' y='~' font-size='~' text-anchor='$'>$", x, y, (double)SS_PLOT_FONT, anchor, label->text);
    if (label->power[0]) {
        ss_svg_add(svg, "<tspan dy='-4.5' font-size='8.5'>$</tspan>", label->power);
    }
    if (label->power[0] && after[0]) {
        ss_svg_add(svg, "<tspan dx='5' dy='4.5'>$</tspan>", after);
    } else {
        ss_svg_add(svg, "$", after);
    }
    ss_svg_add(svg, "</text>\n");
}

/* the font size at which the text fits, at most `size` */
static double fitting(const char *text, double size, double width)
{
    double wanted = size * ss_svg_text_width(text);
    return wanted > width ? fmax(6, size * width / wanted) : size;
}

/* ---- axes -------------------------------------------------------------------------------------- */

static void add_line(ss_svg *svg, double x0, double y0, double x1, double y1) { ss_svg_add(svg, "M~ ~L~ ~", x0, y0, x1, y1); }

/* all grid lines of one kind, over both axes, as one path */
static void add_grid(ss_svg *svg, const ss_layout *l, bool major)
{
    const ss_box *a = &l->area;
    ss_svg_add(svg, "<path fill='none' stroke='$' stroke-width='~' d='", major ? "#DDDDDD" : "#F0F0F0", major ? 0.8 : 0.6);
    for (int k = 0; k < l->x.ticks; k++) {
        double x = ss_axis_pixel_at(&l->x, l->x.tick[k].at);
        if (l->x.tick[k].major == major) {
            add_line(svg, x, a->top, x, a->bottom);
        }
    }
    for (int k = 0; k < l->y.ticks; k++) {
        double y = ss_axis_pixel_at(&l->y, l->y.tick[k].at);
        if (l->y.tick[k].major == major) {
            add_line(svg, a->left, y, a->right, y);
        }
    }
    ss_svg_add(svg, "'/>\n");
}

static void add_frame(ss_svg *svg, const ss_layout *l)
{
    const ss_box *a = &l->area;
    ss_svg_add(svg, "<path fill='none' stroke='#333333' stroke-width='1' d='M~ ~H~V~H~Z", a->left, a->top, a->right, a->bottom,
               a->left);
    for (int k = 0; k < l->x.ticks; k++) {
        double x = ss_axis_pixel_at(&l->x, l->x.tick[k].at);
        add_line(svg, x, a->bottom, x, a->bottom + (l->x.tick[k].major ? 5 : 3));
    }
    for (int k = 0; k < l->y.ticks; k++) {
        double y = ss_axis_pixel_at(&l->y, l->y.tick[k].at);
        add_line(svg, a->left, y, a->left - (l->y.tick[k].major ? 5 : 3), y);
    }
    ss_svg_add(svg, "'/>\n");
}

static void add_tick_labels(ss_svg *svg, const ss_layout *l)
{
    const ss_box *a = &l->area;
    for (int k = 0; k < l->x.ticks; k++) {
        add_power_text(svg, ss_axis_pixel_at(&l->x, l->x.tick[k].at), a->bottom + 17, "middle", &l->x.tick[k], "");
    }
    for (int k = 0; k < l->y.ticks; k++) {
        add_power_text(svg, a->left - 8, ss_axis_pixel_at(&l->y, l->y.tick[k].at) + 4, "end", &l->y.tick[k], "");
    }
    add_power_text(svg, a->right, a->bottom + 32, "end", &l->x.note, l->x.plus);
    add_power_text(svg, a->left, a->top - 6, "start", &l->y.note, l->y.plus);
}

static void add_titles(ss_svg *svg, const ss_plot *plot, const ss_layout *l)
{
    double x = 0.5 * (l->area.left + l->area.right), y = 0.5 * (l->area.top + l->area.bottom);
    if (plot->title) {
        add_text(svg, x, 18, fitting(plot->title, 14, l->area.right - l->area.left), "middle", "font-weight='600'", plot->title);
    }
    if (plot->x_label) {
        double size = fitting(plot->x_label, 12, l->area.right - l->area.left);
        add_text(svg, x, l->area.bottom + 36, size, "middle", "", plot->x_label);
    }
    if (plot->y_label) {
        ss_svg_add(svg, "<g transform='translate(15 ~) rotate(-90)'>", y);
        add_text(svg, 0, 0, fitting(plot->y_label, 12, l->area.bottom - l->area.top), "middle", "", plot->y_label);
        ss_svg_add(svg, "</g>\n");
    }
}

static void add_note(ss_svg *svg, const ss_layout *l)
{
    char text[128] = "Left out: ";
    size_t n = strlen(text);
    if (l->not_finite > 0) {
        n += (size_t)snprintf(text + n, sizeof text - n, "%d not finite%s", l->not_finite, l->not_positive > 0 ? ", " : "");
    }
    if (l->not_positive > 0) {
        snprintf(text + n, sizeof text - n, "%d not positive on a logarithmic axis", l->not_positive);
    }
    if (l->not_finite + l->not_positive > 0) {
        add_text(svg, l->area.left, SS_PLOT_HEIGHT - 7, 10, "start", "fill='#666666'", text);
    }
}

/* ---- curves ------------------------------------------------------------------------------------ */

static void pen_to_path(void *user, double x, double y, bool draw) { ss_svg_add(user, draw ? "L~ ~" : "M~ ~", x, y); }

static void open_stroke(ss_svg *svg, int k, ss_plot_kind kind)
{
    ss_svg_add(svg, "<path fill='none' stroke='$' stroke-width='1.6' stroke-linejoin='round' stroke-linecap='round' ",
               PICK(COLOUR, k));
    ss_svg_add(svg, "stroke-dasharray='$' d='", ss_plot_has_markers(kind) ? "none" : PICK(DASH, k));
}

/* shape k around (x, y); all of about the same area */
static void add_marker(ss_svg *svg, int k, double x, double y)
{
    switch (k % 5) {
    case 0:
        ss_svg_add(svg, "M~ ~a3.4 3.4 0 1 1 6.8 0a3.4 3.4 0 1 1 -6.8 0Z", x - 3.4, y);
        break;
    case 1:
        ss_svg_add(svg, "M~ ~h6v6h-6Z", x - 3, y - 3);
        break;
    case 2:
        ss_svg_add(svg, "M~ ~l4.2 7.2h-8.4Z", x, y - 4.8);
        break;
    case 3:
        ss_svg_add(svg, "M~ ~l4.4 4.4l-4.4 4.4l-4.4 -4.4Z", x, y - 4.4);
        break;
    default:
        ss_svg_add(svg, "M~ ~h8.4l-4.2 7.2Z", x - 4.2, y - 2.4);
        break;
    }
}

/* the first five shapes are filled, the next five are open */
static void open_markers(ss_svg *svg, int k)
{
    ss_svg_add(svg, "<path fill='$' stroke='$' stroke-width='1.2' stroke-linejoin='round' d='",
               k / 5 % 2 == 0 ? PICK(COLOUR, k) : "#FFFFFF", PICK(COLOUR, k));
}

static bool is_inside(const ss_box *box, double x, double y)
{
    return x >= box->left && x <= box->right && y >= box->top && y <= box->bottom;
}

/* marks on the same half pixel are drawn once */
static void add_markers(ss_svg *svg, const ss_plot_curve *curve, int k, const ss_layout *l, bool *taken)
{
    memset(taken, 0, (size_t)SS_PLOT_WIDTH * SS_PLOT_HEIGHT * MARKS_PER_PIXEL * MARKS_PER_PIXEL);
    open_markers(svg, k);
    for (int i = 0; i < curve->n; i++) {
        if (!ss_plot_shows(&l->x, &l->y, curve->point[i])) {
            continue;
        }
        double x = ss_axis_pixel(&l->x, curve->point[i].x), y = ss_axis_pixel(&l->y, curve->point[i].y);
        if (!is_inside(&l->area, x, y)) {
            continue;
        }
        int column = (int)(x * MARKS_PER_PIXEL), row = (int)(y * MARKS_PER_PIXEL);
        bool *place = &taken[row * SS_PLOT_WIDTH * MARKS_PER_PIXEL + column];
        if (!*place) {
            add_marker(svg, k, x, y);
            *place = true;
        }
    }
    ss_svg_add(svg, "'/>\n");
}

static void add_curves(ss_svg *svg, const ss_plot *plot, const ss_layout *l, bool *taken)
{
    const ss_pen pen = { pen_to_path, svg };
    for (int k = 0; k < plot->curves; k++) {
        const ss_plot_curve *curve = &plot->curve[k];
        if (ss_plot_has_line(curve->kind)) {
            open_stroke(svg, k, curve->kind);
            ss_trace_line(curve, &l->x, &l->y, &l->area, &pen);
            ss_svg_add(svg, "'/>\n");
        }
        if (ss_plot_has_markers(curve->kind)) {
            add_markers(svg, curve, k, l, taken);
        }
    }
}

/* ---- events and slopes ------------------------------------------------------------------------- */

static void open_event_stroke(ss_svg *svg, int g, bool whole)
{
    ss_svg_add(svg, "<path fill='none' stroke='$' stroke-width='0.9' stroke-dasharray='$' d='", PICK(EVENT_COLOUR, g),
               whole ? PICK(EVENT_DASH, g) : "none");
}

/* one line for each column that holds events; short ones at the edge if these are many */
static void add_event_group(ss_svg *svg, const ss_plot_events *events, int g, const ss_layout *l)
{
    double at[SS_PLOT_WIDTH / EVENT_SPACING + 1] = { 0 }; /* the first event of each column */
    int count = 0;
    for (int k = 0; k < events->n; k++) {
        double x = ss_axis_takes(l->x.log, events->x[k]) ? ss_axis_pixel(&l->x, events->x[k]) : -1;
        if (x >= l->area.left && x <= l->area.right && at[(int)x / EVENT_SPACING] == 0) {
            at[(int)x / EVENT_SPACING] = x;
            count++;
        }
    }
    bool whole = count <= MOST_EVENT_LINES;
    open_event_stroke(svg, g, whole);
    for (int k = 0; k <= SS_PLOT_WIDTH / EVENT_SPACING; k++) {
        if (at[k] > 0) {
            add_line(svg, at[k], l->area.bottom, at[k], whole ? l->area.top : l->area.bottom - SHORT_MARK);
        }
    }
    ss_svg_add(svg, "'/>\n");
}

static void add_slopes(ss_svg *svg, const ss_plot *plot, const ss_layout *l)
{
    ss_plot_point a, b, label;
    for (int k = 0; k < plot->slopes; k++) {
        if (ss_layout_slope(plot, l, k, &a, &b, &label)) {
            ss_svg_add(svg, "<path fill='none' stroke='#777777' stroke-width='1.2' stroke-dasharray='4 3' d='");
            add_line(svg, a.x, a.y, b.x, b.y);
            ss_svg_add(svg, "'/>\n<text x='~' y='~' font-size='~' fill='#555555'>order ~</text>\n", label.x, label.y,
                       (double)SS_PLOT_FONT, plot->slope[k]);
        }
    }
}

/* ---- legend ------------------------------------------------------------------------------------ */

static void add_entry_text(ss_svg *svg, const ss_layout *l, double y, const char *label)
{
    double room = l->legend.right - l->legend.left - 46;
    add_text(svg, l->legend.left + 40, y + 4, fitting(label, SS_PLOT_FONT, room), "start", "", label);
}

static void add_curve_entry(ss_svg *svg, const ss_plot_curve *curve, int k, const ss_layout *l, double y)
{
    double x = l->legend.left + 6;
    if (ss_plot_has_line(curve->kind)) {
        open_stroke(svg, k, curve->kind);
        add_line(svg, x, y, x + 28, y);
        ss_svg_add(svg, "'/>\n");
    }
    if (ss_plot_has_markers(curve->kind)) {
        open_markers(svg, k);
        add_marker(svg, k, x + 14, y);
        ss_svg_add(svg, "'/>\n");
    }
    add_entry_text(svg, l, y, curve->label);
}

static void add_event_entry(ss_svg *svg, const ss_plot_events *events, int g, const ss_layout *l, double y)
{
    open_event_stroke(svg, g, true);
    add_line(svg, l->legend.left + 20, y - 7, l->legend.left + 20, y + 7);
    ss_svg_add(svg, "'/>\n");
    add_entry_text(svg, l, y, events->label);
}

static void add_legend(ss_svg *svg, const ss_plot *plot, const ss_layout *l)
{
    const ss_box *b = &l->legend;
    double y = b->top + 11.5;
    if (l->entries == 0) {
        return;
    }
    ss_svg_add(svg, "<rect x='~' y='~' width='~' height='~' rx='2' fill='#FFFFFF' fill-opacity='0.9' stroke='#BBBBBB' ", b->left,
               b->top, b->right - b->left, b->bottom - b->top);
    ss_svg_add(svg, "stroke-width='0.8'/>\n");
    for (int k = 0; k < plot->curves; k++) {
        if (plot->curve[k].label) {
            add_curve_entry(svg, &plot->curve[k], k, l, y);
            y += SS_PLOT_LEGEND_ROW;
        }
    }
    for (int g = 0; g < plot->event_groups; g++) {
        if (plot->events[g].label) {
            add_event_entry(svg, &plot->events[g], g, l, y);
            y += SS_PLOT_LEGEND_ROW;
        }
    }
}

/* ---- the whole --------------------------------------------------------------------------------- */

static void open_svg(ss_svg *svg, const ss_plot *plot)
{
    ss_svg_add(svg,
               "<?xml version='1.0' encoding='UTF-8'?>\n"
               "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 ~ ~' width='~' height='~' role='img' ",
               (double)SS_PLOT_WIDTH, (double)SS_PLOT_HEIGHT, (double)SS_PLOT_WIDTH, (double)SS_PLOT_HEIGHT);
    ss_svg_add(svg, "font-family='Helvetica, Arial, \"Liberation Sans\", \"DejaVu Sans\", sans-serif' fill='#222222'>\n");
    ss_svg_add(svg, "<title>$</title>\n", plot->title ? plot->title : "plot");
    ss_svg_add(svg, "<rect width='100%' height='100%' fill='#FFFFFF'/>\n");
}

ss_status ss_plot_draw(const ss_plot *plot, const ss_layout *layout, ss_svg *svg)
{
    bool *taken;
    SS_TRY(
        ss_calloc(plot->ctx, (size_t)SS_PLOT_WIDTH * SS_PLOT_HEIGHT * MARKS_PER_PIXEL * MARKS_PER_PIXEL, sizeof *taken, &taken));
    open_svg(svg, plot);
    add_grid(svg, layout, false);
    add_grid(svg, layout, true);
    for (int g = 0; g < plot->event_groups; g++) {
        add_event_group(svg, &plot->events[g], g, layout);
    }
    add_slopes(svg, plot, layout);
    add_frame(svg, layout);
    add_curves(svg, plot, layout, taken);
    add_tick_labels(svg, layout);
    add_legend(svg, plot, layout);
    add_titles(svg, plot, layout);
    add_note(svg, layout);
    ss_svg_add(svg, "</svg>\n");
    ss_free(plot->ctx, taken);
    return svg->status;
}
