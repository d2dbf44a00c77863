/* experiment_runs.c - the runs of an experiment by name. Each is made once, when it is first asked for, and kept. */
#include "study/experiment.h"

#include <math.h>
#include <stdio.h>

static ss_made *find(const ss_experiment *e, const char *name)
{
    for (int k = 0; k < e->runs; k++) {
        if (strcmp(e->run[k].name, name) == 0) {
            return &e->run[k];
        }
    }
    return NULL;
}

bool ss_runs_has(const ss_experiment *e, const char *name) { return find(e, name); }

ss_status ss_runs_add(ss_experiment *e, const json_t *recipe)
{
    const char *name = json_string_value(json_object_get(recipe, "name"));
    if (find(e, name)) {
        return ss_reader_fail(&e->place, "a second run \"%.60s\"%s", name,
                              e->variable ? "; is the variable of the sweep in its name?" : "");
    }
    SS_PUSH(e->ctx, e->run, e->runs, e->run_capacity, ((ss_made){ .recipe = json_incref((json_t *)recipe), .name = name }));
    return SS_OK;
}

void ss_runs_destroy(ss_experiment *e)
{
    for (int k = 0; k < e->runs; k++) {
        ss_made *made = &e->run[k];
        for (int i = 0; i < made->study_case.sets; i++) {
            ss_free(e->ctx, made->set[i]);
        }
        ss_free(e->ctx, made->set);
        ss_free(e->ctx, made->scene);
        ss_trajectory_destroy(made->trajectory);
        json_decref(made->result);
        json_decref(made->recipe);
    }
    ss_free(e->ctx, e->run);
}

ss_status ss_runs_check(ss_experiment *e, const char *name)
{
    const char **names;
    if (find(e, name)) {
        return SS_OK;
    }
    SS_TRY(ss_calloc(e->ctx, (size_t)e->runs + 1, sizeof *names, &names));
    for (int k = 0; k < e->runs; k++) {
        names[k] = e->run[k].name;
    }
    ss_status status = ss_reader_unknown(&e->place, "run", name, names);
    ss_free(e->ctx, names);
    return status;
}

/* ---- making one -------------------------------------------------------------------------------- */

/* "key=value" among the settings of a run; texts as they are, which lets them be expressions */
static ss_status add_setting(ss_experiment *e, ss_made *made, const char *key, const json_t *value)
{
    char *dump = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(17)),
         **item = &made->set[made->study_case.sets];
    const char *text = json_is_string(value) ? json_string_value(value) : dump;
    size_t size = strlen(key) + (text ? strlen(text) : 0) + 2;
    ss_status status = text ? ss_calloc(e->ctx, size, 1, item) : ss_fail(e->ctx, SS_ERR_MEMORY, "out of memory for a setting");
    if (status == SS_OK) {
        snprintf(*item, size, "%s=%s", key, text);
        made->study_case.sets++;
    }
    free(dump);
    return status;
}

/* the scheme goes first: changing it would drop the options that were set for it */
static ss_status gather_settings(ss_experiment *e, ss_made *made)
{
    const json_t *set = json_object_get(made->recipe, "set"), *scheme = json_object_get(made->recipe, "scheme");
    const char *key;
    json_t *value;
    SS_TRY(ss_calloc(e->ctx, json_object_size(set) + 2, sizeof *made->set, &made->set));
    if (scheme) {
        SS_TRY(add_setting(e, made, "scheme.name", scheme));
    }
    json_object_foreach((json_t *)set, key, value) { SS_TRY(add_setting(e, made, key, value)); }
    made->study_case.set = (const char *const *)made->set;
    return SS_OK;
}

/* A fixed step of the recipe divides the time of the run, as those of converge do; a scene that is not there is bad input. */
static ss_status fit_step(ss_experiment *e, ss_study_case *c)
{
    ss_scene *scene;
    ss_model *model;
    ss_status status = ss_study_case_open(e->ctx, c, &scene, &model);
    if (status != SS_OK) {
        return status == SS_ERR_IO ? SS_ERR_INPUT : status;
    }
    double until = ss_model_settings(model)->until;
    ss_model_destroy(model);
    ss_scene_destroy(scene);
    bool fixed = !isnan(c->step) && isnan(c->tol);
    return fixed ? ss_study_divide(e->ctx, until, &c->step) : SS_OK;
}

static ss_status make_case(ss_experiment *e, ss_made *made)
{
    const char *file = json_string_value(json_object_get(made->recipe, "scene"));
    size_t size = strlen(e->folder) + strlen(file) + 2;
    ss_study_case *c = &made->study_case;
    *c = ss_study_case_default();
    SS_TRY(ss_calloc(e->ctx, size, 1, &made->scene));
    snprintf(made->scene, size, "%s/%s", e->folder, file);
    c->scene = made->scene;
    c->watch = e->options->watch;
    SS_TRY(ss_recipe_number(e, made->recipe, "step", &c->step));
    SS_TRY(ss_recipe_number(e, made->recipe, "tol", &c->tol));
    SS_TRY(ss_recipe_number(e, made->recipe, "until", &c->until));
    SS_TRY(gather_settings(e, made));
    return fit_step(e, c);
}

static ss_status make(ss_experiment *e, ss_made *made)
{
    char *text = NULL;
    SS_TRY(ss_trajectory_run(e->ctx, &made->study_case, &made->trajectory, &text));
    made->result = json_loads(text, 0, NULL);
    ss_blob_free(e->ctx, text);
    return made->result ? SS_OK : ss_fail(e->ctx, SS_ERR_MEMORY, "out of memory for the result of a run");
}

/* the run with this name: its case, and with `whole` the run itself */
static ss_status get(ss_experiment *e, const char *name, bool whole, const ss_made **out)
{
    *out = NULL;
    SS_TRY(ss_runs_check(e, name));
    ss_made *made = find(e, name);
    ss_status status = made->scene || made->result ? SS_OK : make_case(e, made);
    status = status == SS_OK && whole && !made->result ? make(e, made) : status;
    if (status != SS_OK) {
        return ss_fail_within(e->ctx, status, "%s: run \"%s\"", e->place.label, name);
    }
    *out = made;
    return SS_OK;
}

ss_status ss_runs_get(ss_experiment *e, const char *name, const ss_made **out) { return get(e, name, true, out); }

ss_status ss_runs_case(ss_experiment *e, const char *name, const ss_made **out) { return get(e, name, false, out); }

ss_status ss_runs_refine(ss_experiment *e, const char *name, const char *scheme_at_step, const char **out)
{
    const char *at = strchr(scheme_at_step, '@');
    SS_TRY(ss_runs_check(e, name));
    json_t *recipe = json_copy(find(e, name)->recipe), *title = json_sprintf("%s of %s", scheme_at_step, name);
    const ss_made *known = title ? find(e, json_string_value(title)) : NULL;
    bool built = recipe && title && json_object_set(recipe, "name", title) == 0 &&
                 json_object_set_new(recipe, "scheme", json_stringn(scheme_at_step, (size_t)(at - scheme_at_step))) == 0 &&
                 json_object_set_new(recipe, "step", json_string(at + 1)) == 0;
    json_object_del(recipe, "tol"); /* H is a fixed step, whatever those of the run are */
    ss_status status = !built  ? ss_fail(e->ctx, SS_ERR_MEMORY, "out of memory for a run")
                       : known ? SS_OK
                               : ss_runs_add(e, recipe);
    *out = known ? known->name : built ? json_string_value(title) : NULL;
    json_decref(title);
    json_decref(recipe);
    return status;
}
