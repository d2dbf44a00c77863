/* test_plot.c - the SVG of whole plots: what is drawn, what is left out, what is said about it. */
#include "base/base.h"
#include "plot/inside.h"
#include "test.h"
#include "unit/base/failing.h"
#include <slipstick/plot.h>

static ss_plot *new_plot(ss_context *ctx, ss_plot_scale x, ss_plot_scale y)
{
    ss_plot_options options = ss_plot_options_default();
    options.x = (ss_plot_axis){ .label = "time", .unit = "s", .scale = x };
    options.y = (ss_plot_axis){ .label = "height", .unit = "m", .scale = y };
    ss_plot *plot;
    CHECK_OK(ctx, ss_plot_create(ctx, &options, &plot));
    return plot;
}

/* the text of a plot; the caller frees it */
static char *text_of(ss_context *ctx, const ss_plot *plot)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    CHECK_OK(ctx, ss_plot_write(plot, file, "memory"));
    fclose(file);
    return text;
}

static int count_of(const char *text, const char *part)
{
    int n = 0;
    for (const char *c = text; (c = strstr(c, part)); c += strlen(part)) {
        n++;
    }
    return n;
}

/* the d attribute of the first curve */
static void first_path(const char *text, char *path, size_t size)
{
    const char *start = strstr(text, "stroke='#0072B2'");
    CHECK(start);
    start = strstr(start, " d='") + 4;
    snprintf(path, size, "%.*s", (int)strcspn(start, "'"), start);
}

static void series(ss_context *ctx, ss_plot *plot, const char *label, ss_plot_kind kind, int n, const double *x, const double *y)
{
    CHECK_OK(ctx, ss_plot_add_series(plot, &(ss_plot_series){ .label = label, .kind = kind, .n = n, .x = x, .y = y }));
}

/* path of one series over [0, 4] x [0, 4]: pixels of the data's corners are those of the frame */
static void path_of(ss_plot_kind kind, int n, const double *x, const double *y, char *path, size_t size)
{
    ss_context *ctx = test_context();
    ss_plot_options options = ss_plot_options_default();
    options.x = options.y = (ss_plot_axis){ .max = 4 };
    ss_plot *plot;
    CHECK_OK(ctx, ss_plot_create(ctx, &options, &plot));
    series(ctx, plot, NULL, kind, n, x, y);
    char *text = text_of(ctx, plot);
    first_path(text, path, size);
    free(text);
    ss_plot_destroy(plot);
    ss_context_destroy(ctx);
}

/* ---- lines ------------------------------------------------------------------------------------- */

TEST(a_line_goes_through_its_points)
{
    const double x[] = { 0, 4 }, y[] = { 0, 4 };
    char path[256];
    path_of(SS_PLOT_LINE, 2, x, y, path, sizeof path);
    double x0, y0, x1, y1;
    CHECK(sscanf(path, "M%lf %lfL%lf %lf", &x0, &y0, &x1, &y1) == 4);
    CHECK(x0 < x1 && y0 > y1); /* pixels count downwards */
    CHECK(x1 == SS_PLOT_WIDTH - 18 && y1 == 20);
}

TEST(nan_and_infinity_break_a_line)
{
    const double x[] = { 0, 1, 2, 3, 4 }, y[] = { 1, 2, NAN, 2, 1 }, z[] = { 1, 2, 2, INFINITY, 1 };
    char path[512];
    path_of(SS_PLOT_LINE, 5, x, y, path, sizeof path);
    CHECK(count_of(path, "M") == 2 && count_of(path, "L") == 2);
    path_of(SS_PLOT_LINE, 5, x, z, path, sizeof path);
    CHECK(count_of(path, "M") == 2 && count_of(path, "L") == 3); /* the last point is a dot */
}

TEST(steps_are_drawn_with_verticals_or_gaps)
{
    const double x[] = { 0, 1, 2, 3 }, y[] = { 1, 3, 2, 2 };
    char path[512];
    path_of(SS_PLOT_STEP, 4, x, y, path, sizeof path);
    CHECK(count_of(path, "M") == 1);
    path_of(SS_PLOT_STEP_GAPS, 4, x, y, path, sizeof path);
    CHECK(count_of(path, "M") == 4);
}

TEST(lines_are_cut_at_a_given_range)
{
    const double x[] = { -1e6, 1e6 }, y[] = { 2, 2 }, far[] = { 9, 9 };
    char path[256];
    path_of(SS_PLOT_LINE, 2, x, y, path, sizeof path);
    double x0, y0, x1, y1;
    CHECK(sscanf(path, "M%lf %lfL%lf %lf", &x0, &y0, &x1, &y1) == 4);
    CHECK(x0 > 0 && x1 == SS_PLOT_WIDTH - 18 && y0 == y1);
    path_of(SS_PLOT_LINE, 2, x, far, path, sizeof path);
    assert_string_equal(path, "");
}

/* in each column the drawn line must reach as high and as low as all of the data */
typedef struct envelope {
    double low[SS_PLOT_WIDTH], high[SS_PLOT_WIDTH];
    int points;
} envelope;

static void envelope_point(void *user, double x, double y, bool draw)
{
    envelope *e = user;
    int column = (int)x;
    (void)draw;
    e->low[column] = fmin(e->low[column], y);
    e->high[column] = fmax(e->high[column], y);
    e->points++;
}

TEST(a_million_points_are_thinned_without_changing_what_is_seen)
{
    enum { N = 1000000 };
    ss_plot_curve curve = { .kind = SS_PLOT_LINE, .n = N, .point = calloc(N, sizeof(ss_plot_point)) };
    envelope *drawn = calloc(1, sizeof *drawn), *all = calloc(1, sizeof *all);
    const ss_axis x = { .high = 1, .p0 = 60, .p1 = 620 }, y = { .low = -2, .high = 2, .p0 = 400, .p1 = 20 };
    const ss_box box = { 60, 20, 620, 400 };
    uint64_t state = 3;
    for (int k = 0; k < SS_PLOT_WIDTH; k++) {
        drawn->low[k] = all->low[k] = INFINITY;
        drawn->high[k] = all->high[k] = -INFINITY;
    }
    for (int k = 0; k < N; k++) {
        double rare = ss_random_uniform(&state) < 1e-4 ? 1.9 : 0.3;
        curve.point[k] = (ss_plot_point){ (double)k / N, rare * (2 * ss_random_uniform(&state) - 1) };
        envelope_point(all, ss_axis_pixel(&x, curve.point[k].x), ss_axis_pixel(&y, curve.point[k].y), true);
    }
    ss_trace_line(&curve, &x, &y, &box, &(ss_pen){ envelope_point, drawn });
    CHECK(drawn->points < 5000);
    for (int k = 60; k < 620; k++) {
        CHECK(drawn->low[k] == all->low[k] && drawn->high[k] == all->high[k]);
    }
    free(curve.point);
    free(drawn);
    free(all);
}

/* ---- texts ------------------------------------------------------------------------------------- */

TEST(texts_are_escaped_and_broken_utf8_is_replaced)
{
    ss_context *ctx = test_context();
    ss_plot_options options = ss_plot_options_default();
    options.title = "a < b & \"c\" \xce\xb8 \xff\xc3(\xed\xa0\x80 \x01";
    ss_plot *plot;
    CHECK_OK(ctx, ss_plot_create(ctx, &options, &plot));
    char *text = text_of(ctx, plot);
    CHECK(strstr(text, "a &lt; b &amp; &quot;c&quot; \xce\xb8 \xef\xbf\xbd\xef\xbf\xbd(\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd  <"));
    free(text);
    ss_plot_destroy(plot);
    ss_context_destroy(ctx);
}

TEST(axes_carry_their_units_and_the_legend_its_labels)
{
    ss_context *ctx = test_context();
    ss_plot *plot = new_plot(ctx, SS_PLOT_LINEAR, SS_PLOT_LINEAR);
    const double x[] = { 0, 1 }, y[] = { 0, 1 };
    series(ctx, plot, "ball & floor", SS_PLOT_LINE, 2, x, y);
    CHECK_OK(ctx, ss_plot_add_events(plot, "impact", 2, x));
    char *text = text_of(ctx, plot);
    CHECK(strstr(text, ">time [s]</text>") && strstr(text, ">height [m]</text>"));
    CHECK(strstr(text, ">ball &amp; floor</text>") && strstr(text, ">impact</text>"));
    free(text);
    ss_plot_destroy(plot);
    ss_context_destroy(ctx);
}

TEST(what_is_left_out_is_said)
{
    ss_context *ctx = test_context();
    ss_plot *plot = new_plot(ctx, SS_PLOT_LOG, SS_PLOT_LOG);
    const double x[] = { 1, 2, 3, 4, 5 }, y[] = { 1, 0, -1, NAN, 5 };
    series(ctx, plot, "error", SS_PLOT_LINE_MARKERS, 5, x, y);
    char *text = text_of(ctx, plot);
    CHECK(strstr(text, "Left out: 1 not finite, 2 not positive on a logarithmic axis"));
    free(text);
    ss_plot_destroy(plot);
    ss_context_destroy(ctx);
}

/* ---- legend, slopes, events -------------------------------------------------------------------- */

static ss_layout layout_of(ss_context *ctx, const ss_plot *plot)
{
    ss_layout layout;
    CHECK_OK(ctx, ss_layout_make(plot, &layout));
    return layout;
}

TEST(the_legend_goes_to_an_empty_corner_or_outside)
{
    const double x[] = { 0, 1, 2 }, falling[] = { 2, 1, 0 }, rising[] = { 0, 1, 2 };
    double t[400], y[400];
    for (int k = 0; k < 400; k++) {
        t[k] = 0.01 * k;
        y[k] = sin(50 * t[k]);
    }
    ss_context *ctx = test_context();
    for (int k = 0; k < 3; k++) {
        ss_plot *plot = new_plot(ctx, SS_PLOT_LINEAR, SS_PLOT_LINEAR);
        series(ctx, plot, "curve", SS_PLOT_LINE, k < 2 ? 3 : 400, k < 2 ? x : t, k == 0 ? falling : k == 1 ? rising : y);
        ss_layout l = layout_of(ctx, plot);
        double middle = 0.5 * (l.area.left + l.area.right);
        CHECK(k != 0 || (l.legend.left > middle && l.legend.right < l.area.right));
        CHECK(k != 1 || (l.legend.right < middle && l.legend.top < 100));
        CHECK(k != 2 || (l.legend.left > l.area.right && l.legend.right <= SS_PLOT_WIDTH));
        ss_plot_destroy(plot);
    }
    ss_context_destroy(ctx);
}

TEST(a_reference_slope_lies_under_the_curve_that_has_it)
{
    ss_context *ctx = test_context();
    ss_plot *plot = new_plot(ctx, SS_PLOT_LOG, SS_PLOT_LOG);
    const double h[] = { 1, 0.5, 0.25 }, first[] = { 1, 0.5, 0.25 }, second[] = { 0.1, 0.025, 0.00625 };
    series(ctx, plot, "one", SS_PLOT_LINE_MARKERS, 3, h, first);
    series(ctx, plot, "two", SS_PLOT_LINE_MARKERS, 3, h, second);
    CHECK_OK(ctx, ss_plot_add_slope(plot, 2));
    ss_layout l = layout_of(ctx, plot);
    ss_plot_point a, b, label;
    CHECK(ss_layout_slope(plot, &l, 0, &a, &b, &label));
    CHECK_NEAR(a.y, ss_axis_pixel(&l.y, 0.00625) + 10, 1e-9); /* pixels, round-off */
    CHECK_NEAR(b.y, ss_axis_pixel(&l.y, 0.1) + 10, 1e-9);
    char *text = text_of(ctx, plot);
    CHECK(strstr(text, ">order 2</text>"));
    free(text);
    ss_plot_destroy(plot);
    ss_context_destroy(ctx);
}

TEST(many_events_become_short_marks)
{
    ss_context *ctx = test_context();
    double t[5000];
    for (int k = 0; k < 5000; k++) {
        t[k] = k;
    }
    for (int n = 50; n <= 5000; n *= 100) {
        ss_plot *plot = new_plot(ctx, SS_PLOT_LINEAR, SS_PLOT_LINEAR);
        CHECK_OK(ctx, ss_plot_add_events(plot, "slip", n, t));
        char *text = text_of(ctx, plot), top[32];
        snprintf(top, sizeof top, " 20M"); /* lines that end at the upper edge */
        CHECK((strstr(strstr(text, "#555555"), top) != NULL) == (n == 50));
        CHECK(strlen(text) < 40000);
        free(text);
        ss_plot_destroy(plot);
    }
    ss_context_destroy(ctx);
}

/* ---- odd data ---------------------------------------------------------------------------------- */

TEST(odd_data_gives_a_plot_with_sane_coordinates)
{
    const double x[] = { 0, 5e-324, 1e-300, 1, 1e300, INFINITY, NAN, -1e300, 1e308 };
    const int n = (int)(sizeof x / sizeof *x);
    ss_context *ctx = test_context();
    for (int from = 0; from < n; from++) {
        for (int to = from; to <= n; to++) {
            for (int k = 0; k < 20; k++) {
                ss_plot *plot = new_plot(ctx, k % 2 ? SS_PLOT_LOG : SS_PLOT_LINEAR, k / 2 % 2 ? SS_PLOT_LOG : SS_PLOT_LINEAR);
                series(ctx, plot, "odd", (ss_plot_kind)(k / 4), to - from, x + from, x + (n - to));
                CHECK_OK(ctx, ss_plot_add_events(plot, NULL, n, x));
                char *text = text_of(ctx, plot);
                CHECK(!strstr(text, "nan") && !strstr(text, "inf") && !strstr(text, "1000000"));
                CHECK(strstr(text, "</svg>\n"));
                free(text);
                ss_plot_destroy(plot);
            }
        }
    }
    ss_context_destroy(ctx);
}

TEST(bad_options_are_refused)
{
    ss_context *ctx = test_context();
    ss_plot_options options = ss_plot_options_default();
    ss_plot *plot;
    options.y = (ss_plot_axis){ .scale = SS_PLOT_LOG, .min = -1, .max = 1 };
    CHECK_FAILS(ctx, ss_plot_create(ctx, &options, &plot), SS_ERR_INPUT,
                "y axis: the range [-1, 1] is not valid, expected two positive numbers");
    options.y = (ss_plot_axis){ .min = 2, .max = NAN };
    CHECK_FAILS(ctx, ss_plot_create(ctx, &options, &plot), SS_ERR_INPUT, "y axis");
    plot = new_plot(ctx, SS_PLOT_LINEAR, SS_PLOT_LOG);
    CHECK_FAILS(ctx, ss_plot_add_slope(plot, 1), SS_ERR_INPUT, "both axes must be logarithmic");
    CHECK_FAILS(ctx, ss_plot_add_events(plot, "slip", -1, NULL), SS_ERR_INPUT, "slip");
    ss_plot_destroy(plot);
    ss_plot_destroy(NULL);
    ss_context_destroy(ctx);
}

/* ---- files and memory -------------------------------------------------------------------------- */

TEST(the_bytes_are_the_same_every_time)
{
    char *text[2];
    for (int k = 0; k < 2; k++) {
        ss_context *ctx = test_context();
        ss_plot *plot = new_plot(ctx, SS_PLOT_LINEAR, SS_PLOT_LINEAR);
        const double x[] = { 0, 1, 2 }, y[] = { 0.1, 0.7, 0.3 };
        series(ctx, plot, "a", SS_PLOT_LINE_MARKERS, 3, x, y);
        text[k] = text_of(ctx, plot);
        ss_plot_destroy(plot);
        ss_context_destroy(ctx);
    }
    assert_string_equal(text[0], text[1]);
    free(text[0]);
    free(text[1]);
}

TEST(a_full_disk_and_a_missing_folder_are_reported)
{
    ss_context *ctx = test_context();
    ss_plot *plot = new_plot(ctx, SS_PLOT_LINEAR, SS_PLOT_LINEAR);
    CHECK_FAILS(ctx, ss_plot_save(plot, "/no/such/folder/plot.svg"), SS_ERR_IO, "plot.svg: cannot be opened: No such file");
    FILE *full = fopen("/dev/full", "wb");
    if (full) {
        fclose(full);
        CHECK_FAILS(ctx, ss_plot_save(plot, "/dev/full"), SS_ERR_IO, "/dev/full: cannot be written: No space left");
    }
    ss_plot_destroy(plot);
    ss_context_destroy(ctx);
}

static ss_status use_all(ss_plot *plot)
{
    const double x[] = { 1, 2 }, y[] = { 1, 2 };
    SS_TRY(ss_plot_add_series(plot, &(ss_plot_series){ .label = "a", .kind = SS_PLOT_LINE_MARKERS, .n = 2, .x = x, .y = y }));
    SS_TRY(ss_plot_add_events(plot, "b", 2, x));
    SS_TRY(ss_plot_add_slope(plot, 1));
    return ss_plot_save(plot, "/dev/null");
}

static ss_status use_memory(ss_context *ctx)
{
    ss_plot_options options = ss_plot_options_default();
    options.title = "title";
    options.x = options.y = (ss_plot_axis){ .label = "x", .unit = "m", .scale = SS_PLOT_LOG };
    ss_plot *plot;
    SS_TRY(ss_plot_create(ctx, &options, &plot));
    ss_status status = use_all(plot);
    ss_plot_destroy(plot);
    return status;
}

TEST(refused_memory_is_reported_and_given_back) { CHECK(fail_at_every_request(use_memory) > 10); }

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_goes_through_its_points),
        cmocka_unit_test(nan_and_infinity_break_a_line),
        cmocka_unit_test(steps_are_drawn_with_verticals_or_gaps),
        cmocka_unit_test(lines_are_cut_at_a_given_range),
        cmocka_unit_test(a_million_points_are_thinned_without_changing_what_is_seen),
        cmocka_unit_test(texts_are_escaped_and_broken_utf8_is_replaced),
        cmocka_unit_test(axes_carry_their_units_and_the_legend_its_labels),
        cmocka_unit_test(what_is_left_out_is_said),
        cmocka_unit_test(the_legend_goes_to_an_empty_corner_or_outside),
        cmocka_unit_test(a_reference_slope_lies_under_the_curve_that_has_it),
        cmocka_unit_test(many_events_become_short_marks),
        cmocka_unit_test(odd_data_gives_a_plot_with_sane_coordinates),
        cmocka_unit_test(bad_options_are_refused),
        cmocka_unit_test(the_bytes_are_the_same_every_time),
        cmocka_unit_test(a_full_disk_and_a_missing_folder_are_reported),
        cmocka_unit_test(refused_memory_is_reported_and_given_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
