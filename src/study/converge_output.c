/* converge_output.c - a convergence study as JSON, as CSV and as a plot.
 *
 * JSON and CSV have the same columns; a number that is not there (the order of the first row) is null, or an empty place.
 * In the plot every scheme is a curve; the dashed lines have the orders nearest to the fitted ones: whole numbers, or 1/2. */
#include "io/json.h"
#include "io/lines.h"

#include <math.h>
#include <slipstick/plot.h>
#include <slipstick/study.h>
#include <stdio.h>

/* ---- JSON -------------------------------------------------------------------------------------------------- */

static json_t *number(double x) { return isfinite(x) ? json_real(x) : json_null(); }

static json_t *row_json(const ss_convergence *c, const ss_converge_row *r)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:I, s:I, s:I, s:I, s:b, s:o}", c->tolerances ? "tol" : "h", number(r->value), "error",
                     number(r->error), "ratio", number(r->ratio), "order", number(r->order), "multiplier_evals",
                     (json_int_t)r->multiplier_evals, "newton", (json_int_t)r->newton, "steps", (json_int_t)r->steps,
                     "unconverged_steps", (json_int_t)r->unconverged_steps, "round_off", r->round_off, "wall_s",
                     number(r->wall_s));
}

static json_t *scheme_json(const ss_convergence *c, const ss_converge_scheme *s)
{
    json_t *rows = json_array();
    for (int k = 0; k < s->rows; k++) {
        json_array_append_new(rows, row_json(c, &s->row[k]));
    }
    return json_pack("{s:s, s:o, s:o}", "scheme", s->scheme, "rows", rows, "order", number(s->order));
}

ss_status ss_convergence_to_json(const ss_convergence *c, char **text)
{
    json_t *schemes = json_array();
    *text = NULL;
    for (int k = 0; k < c->schemes; k++) {
        json_array_append_new(schemes, scheme_json(c, &c->scheme[k]));
    }
    json_t *root = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s?, s:s, s:f, s:o}", "scene", c->scene, "name", c->title, "norm",
                             ss_norm_name(c->norm), "quantity", ss_quantity_name(c->quantity), "reference", c->reference, "exact",
                             c->exact, "unit", c->unit, "until", c->until, "schemes", schemes);
    return ss_json_text(c->ctx, root, JSON_INDENT(1), text);
}

/* ---- CSV --------------------------------------------------------------------------------------------------- */

static ss_status put_number(ss_lines *file, double x)
{
    return isfinite(x) ? ss_lines_print(file, ",%.17g", x) : ss_lines_put(file, ",");
}

static ss_status put_row(ss_lines *file, const char *scheme, const ss_converge_row *r)
{
    SS_TRY(ss_lines_put(file, scheme));
    SS_TRY(put_number(file, r->value));
    SS_TRY(put_number(file, r->error));
    SS_TRY(put_number(file, r->ratio));
    SS_TRY(put_number(file, r->order));
    SS_TRY(ss_lines_print(file, ",%lld,%lld,%lld,%lld", (long long)r->multiplier_evals, (long long)r->newton, (long long)r->steps,
                          (long long)r->unconverged_steps));
    SS_TRY(put_number(file, r->wall_s));
    return ss_lines_put(file, "\n");
}

static ss_status put_table(ss_lines *file, const ss_convergence *c)
{
    SS_TRY(ss_lines_print(file, "scheme,%s,error,ratio,order,multiplier_evals,newton,steps,unconverged_steps,wall_s\n",
                          c->tolerances ? "tol" : "h"));
    for (int k = 0; k < c->schemes; k++) {
        for (int i = 0; i < c->scheme[k].rows; i++) {
            SS_TRY(put_row(file, c->scheme[k].scheme, &c->scheme[k].row[i]));
        }
    }
    return SS_OK;
}

ss_status ss_convergence_write_csv(const ss_convergence *c, const char *path)
{
    ss_lines file;
    SS_TRY(ss_lines_open(c->ctx, path, &file));
    ss_status status = put_table(&file, c), closed = ss_lines_close(&file, status != SS_OK);
    return status != SS_OK ? status : closed;
}

/* ---- plot -------------------------------------------------------------------------------------------------- */

/* the line to compare with; NAN: none */
static double slope_near(double order) { return !(order >= 0.25 && order <= 100) ? NAN : order < 0.75 ? 0.5 : round(order); }

static ss_status add_slopes(const ss_convergence *c, ss_plot *plot)
{
    for (int k = 0; k < c->schemes; k++) {
        double slope = slope_near(c->scheme[k].order);
        bool known = isnan(slope);
        for (int i = 0; i < k && !known; i++) {
            known = slope_near(c->scheme[i].order) == slope;
        }
        SS_TRY(known ? SS_OK : ss_plot_add_slope(plot, slope));
    }
    return SS_OK;
}

static ss_status add_curve(const ss_convergence *c, const ss_converge_scheme *s, ss_plot *plot)
{
    char label[128];
    double *x;
    SS_TRY(ss_calloc(c->ctx, 2 * (size_t)s->rows + 1, sizeof *x, &x));
    for (int k = 0; k < s->rows; k++) {
        x[k] = s->row[k].value;
        x[s->rows + k] = s->row[k].error;
    }
    if (isnan(s->order)) {
        snprintf(label, sizeof label, "%s", s->scheme);
    } else {
        snprintf(label, sizeof label, "%s, order %.2f", s->scheme, s->order);
    }
    ss_status status = ss_plot_add_series(
        plot, &(ss_plot_series){ .label = label, .kind = SS_PLOT_LINE_MARKERS, .n = s->rows, .x = x, .y = x + s->rows });
    ss_free(c->ctx, x);
    return status;
}

static ss_status draw(const ss_convergence *c, ss_plot *plot, const char *path)
{
    for (int k = 0; k < c->schemes; k++) {
        SS_TRY(add_curve(c, &c->scheme[k], plot));
    }
    SS_TRY(add_slopes(c, plot));
    return ss_plot_save(plot, path);
}

ss_status ss_convergence_plot(const ss_convergence *c, const char *path)
{
    static const char *const norms[SS_NORMS] = { "final error", "L\xe2\x82\x81 error", "L\xe2\x82\x82 error", "largest error",
                                                 "Hausdorff distance" };
    char label[64];
    ss_plot *plot;
    ss_plot_options options = ss_plot_options_default();
    snprintf(label, sizeof label, "%s of %s", norms[c->norm], ss_quantity_name(c->quantity));
    options.title = c->title;
    options.x = (ss_plot_axis){ .label = c->tolerances ? "tolerance" : "step h",
                                .unit = c->tolerances ? NULL : "s",
                                .scale = SS_PLOT_LOG };
    options.y = (ss_plot_axis){ .label = label, .unit = c->unit, .scale = SS_PLOT_LOG };
    SS_TRY(ss_plot_create(c->ctx, &options, &plot));
    ss_status status = draw(c, plot, path);
    ss_plot_destroy(plot);
    return status;
}
