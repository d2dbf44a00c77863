/* experiment.c - a table or a figure of a paper, made again: our numbers beside those they should be, and a verdict.
 *
 *   ok        published, expected   |ours - goal| <= tolerance |goal|       (tolerance itself where the goal is 0)
 *             at_least, at_most     ours >= goal, ours <= goal
 *   verdict   data missing: not reproducible;  a row that is not ok: differs;  else reproduced, with correction if there is one
 *
 * Rows without a goal are for information and always ok. All of `ours` is measured on runs made here. */
#include "study/experiment.h"

#include <math.h>

typedef struct table {
    json_t *rows;
    bool differs;
} table;

/* a number of the recipe that may be null: NAN */
static ss_status goal_number(ss_experiment *e, const json_t *row, int k, double *out)
{
    ss_goal kind = ss_row_goal(row);
    const json_t *goal = kind < SS_GOALS ? json_object_get(row, ss_goal_key(kind)) : NULL;
    const json_t *own = json_is_array(goal) ? json_array_get(goal, (size_t)k) : goal;
    *out = NAN;
    return !own || json_is_null(own) ? SS_OK : ss_number_read(&e->place, "a number", own, out);
}

static bool agrees(ss_goal kind, double ours, double goal, double tolerance)
{
    double scale = goal != 0 ? fabs(goal) : 1;
    bool near = fabs(ours - goal) <= tolerance * scale;
    return isnan(goal) || (kind == SS_GOAL_AT_LEAST ? ours >= goal : kind == SS_GOAL_AT_MOST ? ours <= goal : near);
}

static json_t *number_or_null(double x) { return isfinite(x) ? json_real(x) : json_null(); }

static json_t *row_json(const json_t *row, double ours, double goal, double tolerance, bool ok)
{
    ss_goal kind = ss_row_goal(row);
    bool near = kind < SS_GOAL_AT_LEAST && goal != 0;
    json_t *line = json_pack("{s:O, s:o, s:o, s:o, s:b}", "label", json_object_get(row, "label"), "ours", number_or_null(ours),
                             "ratio", number_or_null(near ? ours / goal : NAN), "tolerance", number_or_null(tolerance), "ok", ok);
    for (int k = 0; line && k < SS_GOALS; k++) {
        if (json_object_set_new(line, ss_goal_key((ss_goal)k), number_or_null(k == (int)kind ? goal : NAN)) != 0) {
            json_decref(line);
            return NULL;
        }
    }
    return line;
}

static ss_status add_row(ss_experiment *e, const json_t *row, int k, void *user)
{
    table *t = user;
    double ours, goal, tolerance = NAN;
    SS_TRY(ss_measure_value(e, json_object_get(row, "value"), &ours));
    SS_TRY(goal_number(e, row, k, &goal));
    SS_TRY(ss_recipe_number(e, row, "tolerance", &tolerance));
    bool ok = agrees(ss_row_goal(row), ours, goal, tolerance);
    t->differs = t->differs || !ok;
    return json_array_append_new(t->rows, row_json(row, ours, goal, tolerance, ok)) == 0
               ? SS_OK
               : ss_fail(e->ctx, SS_ERR_MEMORY, "out of memory for a table");
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

ss_experiment_options ss_experiment_options_default(void) { return (ss_experiment_options){ .folder = NULL }; }

ss_status ss_experiment_run(ss_context *ctx, const char *path, const ss_experiment_options *options, char **text)
{
    const ss_experiment_options none = ss_experiment_options_default();
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
