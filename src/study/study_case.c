/* study_case.c - a scene as a study runs it: its settings, its step, the model and the simulation that follow from them.
 *
 * Settings are applied in this order: the scheme (a change of scheme drops the options of the one before), the settings of the
 * case, then step, tolerance and end. */
#include "base/tolerances.h"
#include "study/trajectory.h"

#include "model/scene.h"
#include <math.h>
#include <stdio.h>

ss_study_case ss_study_case_default(void) { return (ss_study_case){ .step = NAN, .until = NAN, .tol = NAN }; }

enum { OWN_SETTINGS = 4 };

/* the scheme of a case, its settings, then step, tolerance and end */
typedef struct settings {
    char text[OWN_SETTINGS][256];
    const char **item;
    int n, own;
} settings;

static void set_text(settings *s, const char *key, const char *value)
{
    if (value) {
        snprintf(s->text[s->own], sizeof s->text[0], "%s=%s", key, value);
        s->item[s->n++] = s->text[s->own++];
    }
}

static void set_number(settings *s, const char *key, double value)
{
    char number[40];
    snprintf(number, sizeof number, "%.17g", value);
    set_text(s, key, isnan(value) ? NULL : number);
}

static ss_status gather(ss_context *ctx, const ss_study_case *c, settings *s)
{
    SS_TRY(ss_calloc(ctx, (size_t)c->sets + OWN_SETTINGS, sizeof *s->item, &s->item));
    set_text(s, "scheme.name", c->scheme); /* first: a change drops the options of the one before */
    for (int k = 0; k < c->sets; k++) {
        if (!c->other_scheme || strncmp(c->set[k], "scheme.", 7) != 0) {
            s->item[s->n++] = c->set[k];
        }
    }
    set_number(s, "time.step", c->step);
    set_number(s, "time.tol", c->tol);
    set_number(s, "time.until", c->until);
    return SS_OK;
}

/* a case with a step of its own and no tolerance has fixed steps, whatever the scene says */
static ss_status choose_steps(const ss_study_case *c, ss_scene *scene)
{
    ss_scene_settings own = *ss_scene_get_settings(scene);
    own.tol = isnan(c->step) ? own.tol : c->tol;
    return ss_scene_set_settings(scene, &own);
}

ss_status ss_study_case_open(ss_context *ctx, const ss_study_case *c, ss_scene **scene, ss_model **model)
{
    settings s = { .n = 0 };
    *scene = NULL;
    *model = NULL;
    SS_TRY(gather(ctx, c, &s));
    ss_status status = c->text ? ss_scene_parse(ctx, c->text, c->size, c->scene, s.n, s.item, scene)
                               : ss_scene_read(ctx, c->scene, s.n, s.item, scene);
    ss_free(ctx, s.item);
    status = status == SS_OK ? choose_steps(c, *scene) : status;
    status = status == SS_OK ? ss_model_compile(ctx, *scene, model) : status;
    if (status == SS_OK && isnan(ss_model_settings(*model)->until)) {
        status = ss_fail(ctx, SS_ERR_INPUT, "time.until: missing; a study needs the time at which it ends");
    }
    if (status != SS_OK) {
        ss_model_destroy(*model);
        ss_scene_destroy(*scene);
        *scene = NULL;
        *model = NULL;
    }
    return status;
}

ss_status ss_study_divide(ss_context *ctx, double until, double *step)
{
    double ratio = until / *step, count = round(ratio);
    if (!(ratio <= 1e15)) {
        return ss_fail(ctx, SS_ERR_INPUT, "a step of %.9g s is too short for an interval of %.9g s", *step, until);
    }
    if (count < 1 || fabs(count - ratio) > SS_TOL_TIME * ratio) {
        double fewer = fmax(1, floor(ratio));
        return ss_fail(ctx, SS_ERR_INPUT,
                       "a step of %.9g s does not divide the interval of %.9g s: %.6g steps; %.9g s (%.0f) and %.9g s (%.0f) do",
                       *step, until, ratio, until / fewer, fewer, until / (fewer + 1), fewer + 1);
    }
    *step = until / count;
    return SS_OK;
}

ss_status ss_study_case_sim(ss_context *ctx, const ss_study_case *c, const ss_model *model, ss_sim **out)
{
    ss_sim_options options = ss_sim_options_default();
    options.interrupt = c->watch.interrupt;
    return ss_sim_create(ctx, model, &options, out);
}

ss_status ss_study_case_try(ss_context *ctx, const ss_study_case *c)
{
    ss_scene *scene;
    ss_model *model;
    ss_sim *sim = NULL;
    SS_TRY(ss_study_case_open(ctx, c, &scene, &model));
    ss_status status = ss_study_case_sim(ctx, c, model, &sim);
    ss_sim_destroy(sim);
    ss_model_destroy(model);
    ss_scene_destroy(scene);
    return status;
}
