/* experiment_error.c - the measure that compares a run with the exact solution, with another run, or with a finer one:
 *
 *   {"run", "error": "q" | "v", "against": "exact" | RUN | "SCHEME@H", "norm", "components"}
 *
 * in the norms of error.c; "sum2" is the square root of the sum of squares over the ends of all steps. */
#include "study/error.h"
#include "study/experiment.h"

static const char UNWEIGHTED[] = "sum2";

static ss_status read_norm(ss_experiment *e, const json_t *m, ss_error_options *out)
{
    const char *text;
    SS_TRY(ss_recipe_text(e, m, "norm", &text));
    out->unweighted = strcmp(text, UNWEIGHTED) == 0;
    out->norm = SS_NORM_L2;
    if (!out->unweighted && ss_norm_parse(e->ctx, text, &out->norm) != SS_OK) {
        const char *names[SS_NORMS + 2] = { NULL };
        for (int k = 0; k < SS_NORMS; k++) {
            names[k] = ss_norm_name((ss_norm_kind)k);
        }
        names[SS_NORMS] = UNWEIGHTED;
        ss_path_key(&e->place, "norm");
        return ss_reader_unknown(&e->place, "norm", text, names);
    }
    return SS_OK;
}

static ss_status read_error(ss_experiment *e, const json_t *m, ss_error_options *out)
{
    static const char *const names[] = { "q", "v", NULL };
    const char *text;
    SS_TRY(ss_recipe_text(e, m, "error", &text));
    if (ss_quantity_parse(e->ctx, text, &out->quantity) != SS_OK) {
        ss_path_key(&e->place, "error");
        return ss_reader_unknown(&e->place, "quantity", text, names);
    }
    return read_norm(e, m, out);
}

ss_status ss_measure_error_check(ss_experiment *e, const json_t *m)
{
    const json_t *components = json_object_get(m, "components");
    const char *against;
    ss_error_options options;
    SS_TRY(read_error(e, m, &options));
    SS_TRY(ss_recipe_text(e, m, "against", &against));
    if (strcmp(against, "exact") != 0 && !strchr(against, '@')) {
        size_t mark = ss_path_key(&e->place, "against");
        SS_TRY(ss_runs_check(e, against));
        ss_path_back(&e->place, mark);
    }
    bool texts = json_array_size(components) > 0;
    for (size_t k = 0; k < json_array_size(components); k++) {
        texts = texts && json_is_string(json_array_get(components, k));
    }
    if (components && !texts) {
        ss_path_key(&e->place, "components");
        return ss_reader_expected(&e->place, "a list of names of coordinates", components);
    }
    return SS_OK;
}

/* marks of the components that are named: coordinates of the quantity */
static ss_status mark_components(ss_experiment *e, const json_t *names, const ss_made *run, ss_quantity quantity, bool *mark)
{
    const ss_trajectory *x = run->trajectory;
    int first = quantity == SS_QUANTITY_Q ? 0 : x->nq, n = quantity == SS_QUANTITY_Q ? x->nq : x->nv;
    json_t *name;
    size_t i;
    json_array_foreach(names, i, name)
    {
        int k = 0;
        for (; k < n && strcmp(x->name[first + k], json_string_value(name)) != 0; k++) {}
        if (k == n) {
            return ss_reader_fail(&e->place, "no component \"%.60s\" in %s; the first is \"%s\"", json_string_value(name),
                                  ss_quantity_name(quantity), n > 0 ? x->name[first] : "");
        }
        mark[k] = true;
    }
    return SS_OK;
}

static ss_status error_against(ss_experiment *e, const json_t *m, const ss_made *run, ss_error_options *o, double *out)
{
    const char *against = json_string_value(json_object_get(m, "against"));
    ss_error error = { 0 };
    if (strcmp(against, "exact") == 0) {
        SS_TRY(ss_reference_create(e->ctx, &run->study_case, "exact", o->quantity, &o->reference));
    } else {
        const char *name = run->name;
        const ss_made *other;
        if (!ss_runs_has(e, against)) {
            SS_TRY(ss_runs_refine(e, name, against, &against));
            SS_TRY(ss_runs_get(e, name, &run)); /* it may have moved */
        }
        SS_TRY(ss_runs_get(e, against, &other));
        o->other = other->trajectory;
    }
    ss_status status = ss_error_of(e->ctx, o, run->trajectory, &error);
    ss_reference_destroy(o->reference);
    *out = error.value;
    return status;
}

ss_status ss_measure_error_value(ss_experiment *e, const json_t *m, const ss_made *run, double *out)
{
    const json_t *names = json_object_get(m, "components");
    const ss_trajectory *x = run->trajectory;
    ss_error_options o = { .other = NULL };
    bool *mark = NULL;
    SS_TRY(read_error(e, m, &o));
    SS_TRY(ss_calloc(e->ctx, (size_t)x->nq + (size_t)x->nv + 1, sizeof *mark, &mark));
    o.component = names ? mark : NULL;
    ss_status status = mark_components(e, names, run, o.quantity, mark);
    status = status == SS_OK ? error_against(e, m, run, &o, out) : status;
    ss_free(e->ctx, mark);
    return status;
}
