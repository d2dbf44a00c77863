/* experiment_measure.c - a number out of the runs of an experiment.
 *
 *   {"run", "json": "/events/0/t"}             JSON pointer (RFC 6901) into what `run --json` prints
 *   {"run", "count": "impact"}                 events of a kind
 *   {"run", "final" | "max" | "min" | "mean": SERIES, "from", "to"}
 *   {"run", "at": t, "of": SERIES}             after the jump where there is one
 *   {"run", "first" | "last": SERIES, "above" | "below": level, "from", "to"}     the time when it is, for the first or last time
 *   {"run", "error": "q" | "v", "against", "norm", "components"}
 *   {"order": MEASURE, "over": x}              slope of log |MEASURE| over log |x|, over the sweep; x: expression or measure
 *   {"number_of": MEASURE, "at_least" | "at_most": x}     for how many values of the sweep it is so
 *   {"run", "local_error": "q" | "v" | COORDINATE, "from", "step"}
 *   {"minus": [A, B]}, {"ratio": [A, B]}       A - B and A/B, each a measure, a number or an expression
 *
 * each with "times", a factor. A series is linear between its points; its mean is its integral over the time.
 *
 * What a run should have and has not (a third event, where there are two) is NAN, not an error: the scene may have been
 * changed, and the row says that it differs. */
#include "study/error.h"
#include "study/experiment.h"

#include <math.h>
#include <stdio.h>

/* what has to be there before a measure is taken: nothing, the scene and the settings of its run, or the run itself */
typedef enum need { OF_OTHERS, OF_CASE, OF_RUN } need;

typedef struct kind {
    const char *name; /* of its own key */
    int required;
    const char *keys[8];
    need of;
    ss_status (*check)(ss_experiment *e, const json_t *m);
    ss_status (*value)(ss_experiment *e, const json_t *m, const ss_made *run, double *out);
} kind;

static const kind *kind_of(const json_t *m);

static ss_status check_own_text(ss_experiment *e, const json_t *m)
{
    const char *text;
    return ss_recipe_text(e, m, kind_of(m)->name, &text);
}

/* ---- from the JSON value ----------------------------------------------------------------------- */

/* "~1" is "/", "~0" is "~" */
static void unescape(const char *from, size_t n, char *to, size_t size)
{
    size_t used = 0;
    for (size_t k = 0; k < n && used + 1 < size; k++) {
        bool escaped = from[k] == '~' && k + 1 < n;
        k += escaped;
        to[used++] = !escaped ? from[k] : from[k] == '1' ? '/' : '~';
    }
    to[used] = '\0';
}

/* what the pointer points to; NULL: nothing */
static const json_t *resolve(const json_t *tree, const char *pointer)
{
    char key[256];
    while (tree && *pointer == '/') {
        size_t n = strcspn(++pointer, "/");
        unescape(pointer, n, key, sizeof key);
        bool index = n > 0 && n < 10 && strspn(key, "0123456789") == n;
        tree = json_is_array(tree) ? (index ? json_array_get(tree, (size_t)strtoul(key, NULL, 10)) : NULL)
                                   : json_object_get(tree, key);
        pointer += n;
    }
    return tree;
}

static ss_status check_json(ss_experiment *e, const json_t *m)
{
    const char *pointer;
    SS_TRY(ss_recipe_text(e, m, "json", &pointer));
    if (pointer[0] != '/') {
        ss_path_key(&e->place, "json");
        return ss_reader_expected(&e->place, "a JSON pointer such as /events/0/t", json_object_get(m, "json"));
    }
    return SS_OK;
}

static ss_status value_json(ss_experiment *e, const json_t *m, const ss_made *run, double *out)
{
    const json_t *found = resolve(run->result, json_string_value(json_object_get(m, "json")));
    (void)e;
    *out = json_is_number(found) ? json_number_value(found) : json_is_boolean(found) ? json_is_true(found) : NAN;
    return SS_OK;
}

static ss_status check_count(ss_experiment *e, const json_t *m)
{
    const char *names[SS_EVENT_LIMIT + 2] = { NULL }, *word;
    SS_TRY(ss_recipe_text(e, m, "count", &word));
    for (int k = 0; k <= SS_EVENT_LIMIT; k++) {
        names[k] = ss_event_kind_name((ss_event_kind)k);
        if (strcmp(names[k], word) == 0) {
            return SS_OK;
        }
    }
    ss_path_key(&e->place, "count");
    return ss_reader_unknown(&e->place, "kind of event", word, names);
}

static ss_status value_count(ss_experiment *e, const json_t *m, const ss_made *run, double *out)
{
    const char *word = json_string_value(json_object_get(m, "count"));
    json_int_t lost = json_integer_value(json_object_get(run->result, "events_left_out"));
    json_t *event;
    size_t k;
    *out = 0;
    if (lost > 0) {
        return ss_fail(e->ctx, SS_ERR_UNSUPPORTED, "run \"%s\": %lld events were not kept and cannot be counted", run->name,
                       (long long)lost);
    }
    json_array_foreach(json_object_get(run->result, "events"), k, event)
    {
        *out += strcmp(json_string_value(json_object_get(event, "kind")), word) == 0;
    }
    return SS_OK;
}

/* ---- from series ------------------------------------------------------------------------------- */

/* a part of a graph: points [first, last] and the values at its ends */
typedef struct window {
    ss_graph graph;
    int first, last;
    double from, to;
    double start, end;
} window;

static double value_of(const window *w, int k) { return w->graph.x[(size_t)k * (size_t)w->graph.stride]; }

static ss_status series_of(ss_experiment *e, const ss_made *run, const json_t *name, ss_graph *out)
{
    ss_status status = ss_trajectory_series(run->trajectory, json_string_value(name), out);
    return status == SS_OK ? SS_OK : ss_fail_within(e->ctx, status, "run \"%s\"", run->name);
}

static ss_status open_window(ss_experiment *e, const json_t *m, const ss_made *run, window *w)
{
    SS_TRY(series_of(e, run, json_object_get(m, kind_of(m)->name), &w->graph));
    w->from = w->graph.t[0];
    w->to = w->graph.t[w->graph.n - 1];
    SS_TRY(ss_recipe_number(e, m, "from", &w->from));
    SS_TRY(ss_recipe_number(e, m, "to", &w->to));
    if (!(w->from <= w->to)) {
        return ss_reader_fail(&e->place, "from = %.9g is after to = %.9g", w->from, w->to);
    }
    const double t[2] = { w->from, w->to };
    double x[2];
    SS_TRY(ss_graph_sample(e->ctx, &w->graph, 2, t, x));
    w->start = x[0];
    w->end = x[1];
    w->last = w->graph.n - 1;
    for (; w->first < w->graph.n && w->graph.t[w->first] < w->from; w->first++) {}
    for (; w->last >= 0 && w->graph.t[w->last] > w->to; w->last--) {}
    return SS_OK;
}

static ss_status value_extreme(ss_experiment *e, const json_t *m, const ss_made *run, double *out)
{
    window w = { .first = 0 };
    bool lowest = strcmp(kind_of(m)->name, "min") == 0;
    SS_TRY(open_window(e, m, run, &w));
    *out = lowest ? fmin(w.start, w.end) : fmax(w.start, w.end);
    for (int k = w.first; k <= w.last; k++) {
        *out = lowest ? fmin(*out, value_of(&w, k)) : fmax(*out, value_of(&w, k));
    }
    return SS_OK;
}

static ss_status value_mean(ss_experiment *e, const json_t *m, const ss_made *run, double *out)
{
    window w = { .first = 0 };
    SS_TRY(open_window(e, m, run, &w));
    double sum = 0, t = w.from, x = w.start;
    for (int k = w.first; k <= w.last; k++) {
        sum += (w.graph.t[k] - t) * 0.5 * (x + value_of(&w, k));
        t = w.graph.t[k];
        x = value_of(&w, k);
    }
    sum += (w.to - t) * 0.5 * (x + w.end);
    *out = w.to > w.from ? sum / (w.to - w.from) : w.end;
    return SS_OK;
}

/* point k of the window, its two ends counted */
static void window_point(const window *w, int k, double *t, double *x)
{
    int own = w->first + k - 1;
    bool start = k == 0, end = own > w->last;
    *t = start ? w->from : end ? w->to : w->graph.t[own];
    *x = start ? w->start : end ? w->end : value_of(w, own);
}

/* the first time, or the last, at which sign (x - level) > 0; NAN: never */
static double find_crossing(const window *w, double level, double sign, bool last)
{
    int n = w->last - w->first + 3;
    double t0 = 0, x0 = 0;
    for (int i = 0; i < n; i++) {
        double t, x;
        window_point(w, last ? n - 1 - i : i, &t, &x);
        if (sign * (x - level) > 0) {
            return i == 0 ? t : t0 + (level - x0) / (x - x0) * (t - t0);
        }
        t0 = t;
        x0 = x;
    }
    return NAN;
}

static ss_status check_crossing(ss_experiment *e, const json_t *m)
{
    if (!json_object_get(m, "above") == !json_object_get(m, "below")) {
        return ss_reader_fail(&e->place, "either \"above\" or \"below\" is needed");
    }
    return check_own_text(e, m);
}

static ss_status value_crossing(ss_experiment *e, const json_t *m, const ss_made *run, double *out)
{
    window w = { .first = 0 };
    double level = 0;
    SS_TRY(open_window(e, m, run, &w));
    SS_TRY(ss_recipe_number(e, m, "above", &level));
    SS_TRY(ss_recipe_number(e, m, "below", &level));
    *out = find_crossing(&w, level, json_object_get(m, "above") ? 1 : -1, strcmp(kind_of(m)->name, "last") == 0);
    return SS_OK;
}

static ss_status value_final(ss_experiment *e, const json_t *m, const ss_made *run, double *out)
{
    ss_graph graph;
    SS_TRY(series_of(e, run, json_object_get(m, "final"), &graph));
    *out = graph.x[(size_t)(graph.n - 1) * (size_t)graph.stride];
    return SS_OK;
}

static ss_status check_at(ss_experiment *e, const json_t *m)
{
    const char *text;
    return ss_recipe_text(e, m, "of", &text);
}

static ss_status value_at(ss_experiment *e, const json_t *m, const ss_made *run, double *out)
{
    ss_graph graph;
    double t = 0;
    SS_TRY(series_of(e, run, json_object_get(m, "of"), &graph));
    SS_TRY(ss_recipe_number(e, m, "at", &t));
    return ss_graph_sample(e->ctx, &graph, 1, &t, out);
}

/* ---- out of others ----------------------------------------------------------------------------- */

/* the measure that m runs through the sweep, for the k-th value of it: evaluated, or only checked if value is NULL */
static ss_status swept(ss_experiment *e, const json_t *m, int k, double *value)
{
    json_t *measure = ss_sweep_fill(e, json_object_get(m, kind_of(m)->name), k);
    ss_status status = !measure ? ss_fail(e->ctx, SS_ERR_MEMORY, "out of memory for a measure")
                       : value  ? ss_measure_value(e, measure, value)
                                : ss_measure_check(e, measure);
    json_decref(measure);
    return status;
}

/* does the measure run through the sweep, or one in it? */
static bool has_sweep(const json_t *m)
{
    const json_t *minus = json_object_get(m, "minus"), *pair = minus ? minus : json_object_get(m, "ratio");
    bool found = json_object_get(m, "order") || json_object_get(m, "number_of");
    for (size_t k = 0; k < json_array_size(pair); k++) {
        found = found || has_sweep(json_array_get(pair, k));
    }
    return found;
}

static ss_status check_swept(ss_experiment *e, const json_t *m)
{
    const char *name = kind_of(m)->name;
    if (ss_sweep_length(e) < 2) {
        return ss_reader_fail(&e->place, "\"%s\" needs a sweep of at least two values", name);
    }
    if (has_sweep(json_object_get(m, name))) {
        return ss_reader_fail(&e->place, "\"order\" or \"number_of\" within \"%s\": there is only one sweep", name);
    }
    for (int k = 0; k < ss_sweep_length(e); k++) {
        SS_TRY(swept(e, m, k, NULL));
    }
    return SS_OK;
}

/* "over" for the k-th value of the sweep: checked, and its value taken if somebody wants it */
static ss_status swept_over(ss_experiment *e, const json_t *m, int k, double *over)
{
    json_t *filled = ss_sweep_fill(e, json_object_get(m, "over"), k);
    size_t mark = ss_path_key(&e->place, "over");
    ss_status status = !filled ? ss_fail(e->ctx, SS_ERR_MEMORY, "out of memory for a measure")
                       : over  ? ss_operand_value(e, filled, over)
                               : ss_operand_check(e, filled);
    json_decref(filled);
    SS_TRY(status);
    ss_path_back(&e->place, mark);
    return SS_OK;
}

static ss_status check_order(ss_experiment *e, const json_t *m)
{
    SS_TRY(check_swept(e, m));
    if (has_sweep(json_object_get(m, "over"))) {
        return ss_reader_fail(&e->place, "\"order\" or \"number_of\" within \"over\": there is only one sweep");
    }
    for (int k = 0; k < ss_sweep_length(e); k++) {
        SS_TRY(swept_over(e, m, k, NULL));
    }
    return SS_OK;
}

static ss_status value_order(ss_experiment *e, const json_t *m, const ss_made *run, double *out)
{
    ss_slope slope = { 0 };
    (void)run;
    for (int k = 0; k < ss_sweep_length(e); k++) {
        double over, value;
        SS_TRY(swept_over(e, m, k, &over));
        SS_TRY(swept(e, m, k, &value));
        ss_slope_add(&slope, fabs(over), fabs(value));
    }
    *out = ss_slope_of(&slope);
    return SS_OK;
}

static ss_status check_number_of(ss_experiment *e, const json_t *m)
{
    if (!json_object_get(m, "at_least") == !json_object_get(m, "at_most")) {
        return ss_reader_fail(&e->place, "either \"at_least\" or \"at_most\" is needed");
    }
    return check_swept(e, m);
}

/* a value that the run does not have is not counted */
static ss_status value_number_of(ss_experiment *e, const json_t *m, const ss_made *run, double *out)
{
    double least = -INFINITY, most = INFINITY, value, count = 0;
    (void)run;
    SS_TRY(ss_recipe_number(e, m, "at_least", &least));
    SS_TRY(ss_recipe_number(e, m, "at_most", &most));
    for (int k = 0; k < ss_sweep_length(e); k++) {
        SS_TRY(swept(e, m, k, &value));
        count += value >= least && value <= most;
    }
    *out = count;
    return SS_OK;
}

static ss_status check_pair(ss_experiment *e, const json_t *m)
{
    const char *name = kind_of(m)->name;
    const json_t *pair = json_object_get(m, name);
    json_t *item;
    size_t k;
    ss_path_key(&e->place, name);
    if (json_array_size(pair) != 2) {
        return ss_reader_expected(&e->place, "a list of two measures or numbers", pair);
    }
    json_array_foreach(pair, k, item) { SS_TRY(ss_operand_check(e, item)); }
    return SS_OK;
}

static ss_status read_pair(ss_experiment *e, const json_t *m, double x[2])
{
    for (size_t k = 0; k < 2; k++) {
        SS_TRY(ss_operand_value(e, json_array_get(json_object_get(m, kind_of(m)->name), k), &x[k]));
    }
    return SS_OK;
}

static ss_status value_minus(ss_experiment *e, const json_t *m, const ss_made *run, double *out)
{
    double x[2];
    (void)run;
    SS_TRY(read_pair(e, m, x));
    *out = x[0] - x[1];
    return SS_OK;
}

static ss_status value_ratio(ss_experiment *e, const json_t *m, const ss_made *run, double *out)
{
    double x[2];
    (void)run;
    SS_TRY(read_pair(e, m, x));
    *out = x[1] != 0 ? x[0] / x[1] : NAN;
    return SS_OK;
}

/* ---- the kinds --------------------------------------------------------------------------------- */

static const kind kinds[] = {
    { "json", 2, { "run", "json", "times" }, OF_RUN, check_json, value_json },
    { "count", 2, { "run", "count", "times" }, OF_RUN, check_count, value_count },
    { "final", 2, { "run", "final", "times" }, OF_RUN, check_own_text, value_final },
    { "max", 2, { "run", "max", "from", "to", "times" }, OF_RUN, check_own_text, value_extreme },
    { "min", 2, { "run", "min", "from", "to", "times" }, OF_RUN, check_own_text, value_extreme },
    { "mean", 2, { "run", "mean", "from", "to", "times" }, OF_RUN, check_own_text, value_mean },
    { "first", 2, { "run", "first", "above", "below", "from", "to", "times" }, OF_RUN, check_crossing, value_crossing },
    { "last", 2, { "run", "last", "above", "below", "from", "to", "times" }, OF_RUN, check_crossing, value_crossing },
    { "at", 3, { "run", "at", "of", "times" }, OF_RUN, check_at, value_at },
    { "error",
      4,
      { "run", "error", "against", "norm", "components", "times" },
      OF_RUN,
      ss_measure_error_check,
      ss_measure_error_value },
    { "local_error",
      4,
      { "run", "local_error", "from", "step", "times" },
      OF_CASE,
      ss_measure_local_check,
      ss_measure_local_value },
    { "order", 2, { "order", "over", "times" }, OF_OTHERS, check_order, value_order },
    { "number_of", 1, { "number_of", "at_least", "at_most", "times" }, OF_OTHERS, check_number_of, value_number_of },
    { "minus", 1, { "minus", "times" }, OF_OTHERS, check_pair, value_minus },
    { "ratio", 1, { "ratio", "times" }, OF_OTHERS, check_pair, value_ratio },
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static const kind *kind_of(const json_t *m)
{
    for (int k = 0; k < KINDS; k++) {
        if (json_object_get(m, kinds[k].name)) {
            return &kinds[k];
        }
    }
    return NULL;
}

static ss_status check_run(ss_experiment *e, const json_t *m)
{
    const char *name;
    SS_TRY(ss_recipe_text(e, m, "run", &name));
    size_t mark = ss_path_key(&e->place, "run");
    SS_TRY(ss_runs_check(e, name));
    ss_path_back(&e->place, mark);
    return SS_OK;
}

ss_status ss_measure_check(ss_experiment *e, const json_t *m)
{
    static const char *const numbers[] = { "from", "to", "at", "above", "below", "times", "at_least", "at_most", "step" };
    const kind *own = kind_of(m);
    double number;
    if (!own) {
        return ss_reader_expected(&e->place,
                                  "a measure: json, count, final, max, min, mean, first, last, at, error, local_error, order, "
                                  "number_of, minus or ratio",
                                  m);
    }
    SS_TRY(ss_recipe_keys(e, m, own->required, own->keys));
    for (int k = 0; k < 9; k++) {
        SS_TRY(ss_recipe_number(e, m, numbers[k], &number));
    }
    SS_TRY(own->of != OF_OTHERS ? check_run(e, m) : SS_OK);
    size_t mark = e->place.length;
    SS_TRY(own->check(e, m));
    ss_path_back(&e->place, mark);
    return SS_OK;
}

ss_status ss_measure_value(ss_experiment *e, const json_t *m, double *out)
{
    const kind *own = kind_of(m);
    const ss_made *run = NULL;
    double factor = 1;
    *out = NAN;
    if (own->of != OF_OTHERS) {
        const char *name = json_string_value(json_object_get(m, "run"));
        SS_TRY(own->of == OF_RUN ? ss_runs_get(e, name, &run) : ss_runs_case(e, name, &run));
    }
    SS_TRY(ss_recipe_number(e, m, "times", &factor));
    ss_status status = own->value(e, m, run, out);
    *out *= factor;
    return ss_recipe_blame(e, status);
}

ss_status ss_operand_check(ss_experiment *e, const json_t *x)
{
    double number;
    return json_is_object(x) ? ss_measure_check(e, x)
                             : ss_number_read(&e->place, "a measure, a number or an expression", x, &number);
}

ss_status ss_operand_value(ss_experiment *e, const json_t *x, double *out)
{
    return json_is_object(x) ? ss_measure_value(e, x, out) : ss_number_read(&e->place, "a number", x, out);
}
