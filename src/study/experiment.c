/* experiment.c - a table or a figure of a paper, made again: our numbers beside the published ones, and a verdict.
 *
 *   ok        |ours - published| <= tolerance |published|       (tolerance itself where published is 0)
 *   verdict   data missing: not reproducible;  a row that is not ok: differs;  else reproduced, with correction if there is one
 *
 * Rows without a published number are for information and always ok. All of `ours` is measured on runs made here. */
#include "study/experiment.h"

#include <math.h>

typedef struct table {
    json_t *rows;
    bool differs;
} table;

/* a number of the recipe that may be null: NAN */
static ss_status published_number(ss_experiment *e, const json_t *row, int k, double *out)
{
    const json_t *published = json_object_get(row, "published");
    const json_t *own = json_is_array(published) ? json_array_get(published, (size_t)k) : published;
    *out = NAN;
    return json_is_null(own) ? SS_OK : ss_number_read(&e->place, "a number", own, out);
}

static bool agrees(double ours, double published, double tolerance)
{
    double scale = published != 0 ? fabs(published) : 1;
    return isnan(published) || fabs(ours - published) <= tolerance * scale;
}

static json_t *number_or_null(double x) { return isfinite(x) ? json_real(x) : json_null(); }

static ss_status add_row(ss_experiment *e, const json_t *row, int k, void *user)
{
    table *t = user;
    double ours, published, tolerance = NAN;
    SS_TRY(ss_measure_value(e, json_object_get(row, "value"), &ours));
    SS_TRY(published_number(e, row, k, &published));
    SS_TRY(ss_recipe_number(e, row, "tolerance", &tolerance));
    bool ok = agrees(ours, published, tolerance);
    t->differs = t->differs || !ok;
    json_t *line =
        json_pack("{s:O, s:o, s:o, s:o, s:o, s:b}", "label", json_object_get(row, "label"), "ours", number_or_null(ours),
                  "published", number_or_null(published), "ratio", number_or_null(published != 0 ? ours / published : NAN),
                  "tolerance", number_or_null(tolerance), "ok", ok);
    return json_array_append_new(t->rows, line) == 0 ? SS_OK : ss_fail(e->ctx, SS_ERR_MEMORY, "out of memory for a table");
}

static const char *verdict(const ss_experiment *e, bool differs)
{
    return json_object_get(e->recipe, "missing")      ? "not reproducible (data missing)"
           : differs                                  ? "differs"
           : json_object_get(e->recipe, "correction") ? "reproduced with correction"
                                                      : "reproduced";
}

/* texts of the recipe as they are */
static void add_texts(const ss_experiment *e, json_t *root)
{
    static const char *const keys[] = { "title", "reference", "note", "correction", "missing" };
    for (int k = 0; k < 5; k++) {
        json_t *text = json_object_get(e->recipe, keys[k]);
        if (text) {
            json_object_set(root, keys[k], text);
        } else if (strcmp(keys[k], "note") == 0) {
            json_object_set_new(root, keys[k], json_string(""));
        }
    }
}

static ss_status report(ss_experiment *e, const table *t, char **text)
{
    json_t *root = json_pack("{s:s}", "experiment", e->name);
    add_texts(e, root);
    json_object_set(root, "rows", t->rows);
    json_object_set_new(root, "verdict", json_string(verdict(e, t->differs)));
    json_object_set(root, "files", e->files);
    return ss_json_text(e->ctx, root, JSON_INDENT(1), text);
}

static ss_status run(ss_experiment *e, const char *path, table *t, char **text)
{
    if (!t->rows || !e->files) {
        return ss_fail(e->ctx, SS_ERR_MEMORY, "out of memory for a table");
    }
    SS_TRY(ss_recipe_read(e, path));
    SS_TRY(ss_recipe_each(e, "rows", add_row, t));
    SS_TRY(ss_figures_draw(e));
    return report(e, t, text);
}

ss_status ss_experiment_run(ss_context *ctx, const char *path, const ss_experiment_options *options, char **text)
{
    static const ss_experiment_options none = { .folder = NULL };
    ss_experiment e = { .ctx = ctx, .options = options ? options : &none, .files = json_array() };
    table t = { .rows = json_array() };
    *text = NULL;
    ss_status status = run(&e, path, &t, text);
    ss_runs_destroy(&e);
    json_decref(t.rows);
    json_decref(e.files);
    json_decref(e.recipe);
    ss_free(ctx, e.name);
    ss_free(ctx, e.folder);
    return status;
}
