/* compare.c - one scene run by several schemes: what each one gives, and how far they are apart, at the end and over time.
 *
 *   difference of a run   max_k |q_k - q_k of the first run| at the end, likewise v; of the quaternions q and -q the nearer one
 *   .. over time          the largest of these at the ends of the first run's steps, and when (compare_samples.c)
 *   change of a run       the same from the run before it, if that is of the same scheme with another tolerance
 *
 * Every run is set up once before the first one starts, so that bad input ends the comparison before anything is computed or
 * written. A run that fails does not stop the others. Cost: that of the runs. */
#include "study/compare.h"

#include "io/writer.h"
#include "study/reference.h"
#include <math.h>
#include <stdio.h>

/* ---- which runs -------------------------------------------------------------------------------- */

static int per_scheme(const ss_compare_options *o) { return o->tols > 0 ? o->tols : 1; }

static bool is_same(const ss_compared *a, const ss_compared *b)
{
    return strcmp(a->scheme, b->scheme) == 0 && (a->tol == b->tol || (isnan(a->tol) && isnan(b->tol)));
}

static ss_status make_label(const ss_comparison *c, ss_compared *run)
{
    char text[256], number[40] = "", again[16] = "";
    int before = 0;
    for (const ss_compared *k = c->run; k < run; k++) {
        before += is_same(k, run);
    }
    if (!isnan(run->tol)) {
        snprintf(number, sizeof number, "@%.9g", run->tol);
    }
    if (before > 0) {
        snprintf(again, sizeof again, "-%d", before + 1);
    }
    snprintf(text, sizeof text, "%.128s%s%s", run->scheme, number, again);
    return ss_strdup(c->ctx, text, &run->label);
}

static void set_number(ss_compared *run, const char *key, double value)
{
    ss_study_case *s = &run->study_case;
    if (!isnan(value)) {
        snprintf(run->own[s->sets], sizeof run->own[0], "%s=%.17g", key, value);
        run->set[s->sets] = run->own[s->sets];
        s->sets++;
    }
}

/* scheme, step, tolerance and end go before the settings of the options, which therefore win: as in `slipstick run` */
static ss_status choose_case(const ss_comparison *c, ss_compared *run)
{
    const ss_study_case *base = &c->options->base;
    ss_study_case *s = &run->study_case;
    SS_TRY(ss_calloc(c->ctx, (size_t)base->sets + SS_COMPARE_SETTINGS, sizeof *run->set, &run->set));
    *s = ss_study_case_default();
    s->scene = c->scene;
    s->text = base->text;
    s->size = base->size;
    s->watch = base->watch;
    snprintf(run->own[0], sizeof run->own[0], "scheme.name=%.100s", run->scheme);
    run->set[s->sets++] = run->own[0];
    set_number(run, "time.step", base->step);
    set_number(run, "time.tol", run->tol);
    set_number(run, "time.until", base->until);
    for (int k = 0; k < base->sets; k++) {
        run->set[s->sets++] = base->set[k];
    }
    s->set = run->set;
    return SS_OK;
}

static ss_status choose_files(const ss_comparison *c, ss_compared *run)
{
    static const char *const ending[SS_COMPARE_FILES] = { "h5", "csv" };
    const char *folder = c->options->folder;
    for (int k = 0; folder && k < SS_COMPARE_FILES; k++) {
        size_t size = strlen(folder) + strlen(run->label) + 8;
        SS_TRY(ss_calloc(c->ctx, size, 1, &run->file[k]));
        snprintf(run->file[k], size, "%s/%s.%s", folder, run->label, ending[k]);
    }
    return SS_OK;
}

static ss_status choose_runs(ss_comparison *c)
{
    const ss_compare_options *o = c->options;
    const int each = per_scheme(o);
    SS_TRY(ss_strdup(c->ctx, o->base.scene, &c->scene));
    SS_TRY(ss_calloc(c->ctx, (size_t)(o->schemes * each), sizeof *c->run, &c->run));
    for (; c->runs < o->schemes * each; c->runs++) {
        ss_compared *run = &c->run[c->runs];
        run->scheme = o->scheme[c->runs / each];
        run->tol = o->tols > 0 ? o->tol[c->runs % each] : NAN;
        SS_TRY(make_label(c, run));
        SS_TRY(choose_case(c, run));
        SS_TRY(choose_files(c, run));
    }
    return c->runs > 0 ? SS_OK : ss_fail(c->ctx, SS_ERR_INPUT, "the list of schemes is empty");
}

/* all of them up to their first step; a scene that is not there is bad input */
static ss_status try_runs(const ss_comparison *c)
{
    for (int k = 0; k < c->runs; k++) {
        ss_status status = ss_study_case_try(c->ctx, &c->run[k].study_case);
        if (status != SS_OK) {
            return status == SS_ERR_IO ? SS_ERR_INPUT : status;
        }
    }
    return SS_OK;
}

/* ---- one run ----------------------------------------------------------------------------------- */

/* a run under way, and who listens to it */
typedef struct session {
    ss_comparison *c;
    ss_compared *run;
    ss_sim *sim;
    ss_record *record;
    ss_writer *writer[SS_COMPARE_FILES];
    double until;
    const char *outcome; /* done, interrupted, failed */
    char error[1024];    /* "": none                  */
} session;

static void tell_progress(const session *s, double t)
{
    const ss_watch *watch = &s->c->options->base.watch;
    double part = s->until > 0 ? fmin(t / s->until, 1) : 1;
    if (watch->progress) {
        watch->progress(watch->user, s->run->label, (s->c->made + part) / s->c->runs);
    }
}

/* the first run is what the others are compared with */
static ss_status compare_step(session *s, const ss_sim *sim)
{
    if (s->run == s->c->run) {
        ss_samples_add(&s->c->samples, ss_sim_time(sim), ss_sim_q(sim), ss_sim_v(sim));
        return SS_OK;
    }
    return ss_apart_step(&s->c->samples, s->c->shape, sim, &s->run->apart);
}

static ss_status on_step(void *user, const ss_sim *sim, const ss_step_info *info)
{
    session *s = user;
    ss_record_step(s->record, info);
    SS_TRY(compare_step(s, sim));
    for (int k = 0; k < SS_COMPARE_FILES && s->writer[k]; k++) {
        SS_TRY(ss_writer_step(s->writer[k], sim, info));
    }
    tell_progress(s, info->t);
    return SS_OK;
}

static ss_status on_event(void *user, const ss_sim *sim, const ss_event *event)
{
    session *s = user;
    for (int k = 0; k < SS_COMPARE_FILES && s->writer[k]; k++) {
        SS_TRY(ss_writer_event(s->writer[k], sim, event));
    }
    return ss_record_event(s->record, sim, event);
}

/* keep the first thing that went wrong */
static void note(session *s, ss_status status)
{
    if (status != SS_OK && !*s->error) {
        s->outcome = status == SS_ERR_INTERRUPTED ? "interrupted" : "failed";
        snprintf(s->error, sizeof s->error, "%s", ss_last_error(s->c->ctx));
    }
}

static void close_writers(session *s)
{
    for (int k = 0; k < SS_COMPARE_FILES; k++) {
        note(s, ss_writer_close(s->writer[k]));
        s->writer[k] = NULL;
    }
}

static ss_status open_session(session *s, const ss_scene *scene, const ss_model *model)
{
    ss_context *ctx = s->c->ctx;
    s->until = ss_model_settings(model)->until;
    SS_TRY(ss_study_case_sim(ctx, &s->run->study_case, model, &s->sim));
    SS_TRY(ss_record_create(ctx, s->sim, true, &s->record));
    for (int k = 0; k < SS_COMPARE_FILES && s->run->file[k]; k++) {
        SS_TRY(ss_writer_claim(ctx, s->run->file[k], 0, &s->writer[k]));
    }
    for (int k = 0; k < SS_COMPARE_FILES && s->run->file[k]; k++) {
        SS_TRY(ss_writer_begin(s->writer[k], scene, s->sim));
    }
    return SS_OK;
}

static ss_status keep_state(const session *s)
{
    const ss_model *m = ss_sim_model(s->sim);
    const size_t nq = (size_t)ss_model_nq(m), nv = (size_t)ss_model_nv(m);
    SS_TRY(ss_calloc(s->c->ctx, nq, sizeof(double), &s->run->q));
    SS_TRY(ss_calloc(s->c->ctx, nv, sizeof(double), &s->run->v));
    memcpy(s->run->q, ss_sim_q(s->sim), nq * sizeof(double));
    memcpy(s->run->v, ss_sim_v(s->sim), nv * sizeof(double));
    s->run->done = !*s->error;
    return SS_OK;
}

static json_t *files_json(const ss_compared *run)
{
    json_t *files = json_array();
    for (int k = 0; k < SS_COMPARE_FILES && run->file[k]; k++) {
        json_array_append_new(files, json_string(run->file[k]));
    }
    return files;
}

/* as `run --json` prints it; and whether the tolerance has shortened any step, or time.h_max alone bounds them all */
static ss_status keep_result(const session *s)
{
    json_t **result = &s->run->result;
    char *text;
    SS_TRY(ss_record_to_json(s->record, s->sim, s->c->scene, s->outcome, s->error, &text));
    *result = json_loads(text, 0, NULL);
    ss_blob_free(s->c->ctx, text);
    if (!*result || json_object_set_new(*result, "files", files_json(s->run)) != 0) {
        return ss_fail(s->c->ctx, SS_ERR_MEMORY, "out of memory for the result of a run");
    }
    if (ss_sim_tol(s->sim) > 0) {
        json_object_set_new(*result, "all_steps_at_h_max", json_boolean(!ss_sim_tol_binds(s->sim)));
    }
    return SS_OK;
}

static ss_status advance(session *s)
{
    const ss_observer observer = { .user = s, .on_step = on_step, .on_event = on_event };
    SS_TRY(ss_sim_observe(s->sim, &observer));
    s->outcome = "done";
    note(s, ss_sim_advance(s->sim, s->until));
    close_writers(s);
    SS_TRY(keep_state(s));
    return keep_result(s);
}

/* the coordinates of the scene, which are the same in all runs, and room for states */
static ss_status describe(ss_comparison *c, const ss_model *model, ss_compared *run)
{
    enum { SAMPLE_BYTES = 1 << 26 };
    if (!c->shape) {
        SS_TRY(ss_trajectory_describe(c->ctx, model, &c->shape));
        SS_TRY(ss_samples_begin(c->ctx, c->shape->nq, c->shape->nv, SAMPLE_BYTES, &c->samples));
    }
    return ss_apart_begin(&c->samples, &run->apart);
}

static ss_status make_run(ss_comparison *c, ss_compared *run)
{
    session s = { .c = c, .run = run };
    ss_scene *scene;
    ss_model *model;
    SS_TRY(ss_study_case_open(c->ctx, &run->study_case, &scene, &model));
    ss_status status = describe(c, model, run);
    status = status == SS_OK ? open_session(&s, scene, model) : status;
    status = status == SS_OK ? advance(&s) : status;
    close_writers(&s);
    ss_record_destroy(s.record);
    ss_sim_destroy(s.sim);
    ss_model_destroy(model);
    ss_scene_destroy(scene);
    return status;
}

/* ---- how far they are apart -------------------------------------------------------------------- */

/* the largest difference of n numbers; null: one of them is not finite */
static json_t *largest(int n, const double *a, const double *b)
{
    double most = 0;
    for (int k = 0; k < n; k++) {
        if (!isfinite(a[k] - b[k])) {
            return json_null();
        }
        most = fmax(most, fabs(a[k] - b[k]));
    }
    return json_real(most);
}

/* {q, v}; null: one of the two has not come to its end */
static ss_status add_distance(const ss_comparison *c, const char *key, const ss_compared *from, ss_compared *run)
{
    const bool both = from->done && run->done;
    double *q;
    SS_TRY(ss_calloc(c->ctx, (size_t)c->shape->nq, sizeof *q, &q));
    memcpy(q, run->q, (size_t)c->shape->nq * sizeof *q);
    ss_straighten(c->shape, from->q, 1, q);
    json_t *value = json_pack("{s:o, s:o}", "q", both ? largest(c->shape->nq, from->q, q) : json_null(), "v",
                              both ? largest(c->shape->nv, from->v, run->v) : json_null());
    ss_free(c->ctx, q);
    return json_object_set_new(run->result, key, value) == 0
               ? SS_OK
               : ss_fail(c->ctx, SS_ERR_MEMORY, "out of memory for the result of a run");
}

/* null: one of the two has not come to its end, or was not a number */
static json_t *number_or_null(bool both, double x) { return both && isfinite(x) ? json_real(x) : json_null(); }

static ss_status add_over_time(const ss_comparison *c, ss_compared *run)
{
    const bool both = c->run->done && run->done;
    const ss_apart *a = &run->apart;
    json_t *value = json_pack("{s:o, s:o, s:o, s:o}", "q", number_or_null(both, a->q), "q_t", number_or_null(both, a->q_t), "v",
                              number_or_null(both, a->v), "v_t", number_or_null(both, a->v_t));
    return json_object_set_new(run->result, "difference_over_time", value) == 0
               ? SS_OK
               : ss_fail(c->ctx, SS_ERR_MEMORY, "out of memory for the result of a run");
}

static ss_status add_distances(const ss_comparison *c, ss_compared *run)
{
    SS_TRY(add_distance(c, "difference", c->run, run));
    SS_TRY(add_over_time(c, run));
    bool first = (run - c->run) % per_scheme(c->options) == 0;
    return first ? SS_OK : add_distance(c, "change", run - 1, run);
}

/* ---- the whole --------------------------------------------------------------------------------- */

static bool is_interrupted(const ss_comparison *c)
{
    const volatile int *interrupt = c->options->base.watch.interrupt;
    return interrupt && *interrupt;
}

static ss_status compare(ss_comparison *c)
{
    SS_TRY(choose_runs(c));
    SS_TRY(try_runs(c));
    if (c->options->folder) {
        SS_TRY(ss_folder_make(c->ctx, c->options->folder));
    }
    do {
        SS_TRY(make_run(c, &c->run[c->made]));
        SS_TRY(add_distances(c, &c->run[c->made]));
        c->made++;
    } while (c->made < c->runs && !is_interrupted(c));
    return c->options->folder ? ss_compare_draw(c) : SS_OK;
}

ss_compare_options ss_compare_options_default(void) { return (ss_compare_options){ .base = ss_study_case_default() }; }

ss_status ss_compare(ss_context *ctx, const ss_compare_options *options, ss_comparison **out)
{
    ss_comparison *c;
    *out = NULL;
    SS_TRY(ss_calloc(ctx, 1, sizeof *c, &c));
    *c = (ss_comparison){ .ctx = ctx, .options = options };
    ss_status status = compare(c);
    c->options = NULL;
    if (c->made == 0) {
        ss_comparison_destroy(c);
        return status;
    }
    *out = c;
    return status;
}

static void release(ss_context *ctx, ss_compared *run)
{
    for (int k = 0; k < SS_COMPARE_FILES; k++) {
        ss_free(ctx, run->file[k]);
    }
    ss_free(ctx, run->label);
    ss_free(ctx, run->set);
    ss_apart_end(ctx, &run->apart);
    ss_free(ctx, run->q);
    ss_free(ctx, run->v);
    json_decref(run->result);
}

void ss_comparison_destroy(ss_comparison *c)
{
    if (!c) {
        return;
    }
    for (int k = 0; k < c->runs; k++) {
        release(c->ctx, &c->run[k]);
    }
    ss_free(c->ctx, c->run);
    ss_samples_clear(&c->samples);
    ss_trajectory_destroy(c->shape);
    ss_free(c->ctx, c->scene);
    ss_free(c->ctx, c);
}

int ss_comparison_runs(const ss_comparison *c) { return c->made; }

const char *ss_comparison_label(const ss_comparison *c, int k) { return k >= 0 && k < c->made ? c->run[k].label : NULL; }

ss_status ss_comparison_to_json(const ss_comparison *c, char **text)
{
    json_t *runs = json_array();
    for (int k = 0; k < c->made; k++) {
        json_array_append(runs, c->run[k].result);
    }
    return ss_json_text(c->ctx, json_pack("{s:s, s:o}", "scene", c->scene, "runs", runs), JSON_INDENT(1), text);
}
