/* trajectory.c - a run kept in memory.
 *
 * Rows are the initial state, the end of every step and, for every event with velocities before and after it, two rows at
 * its time: the filled-in graph of a run [Aca09 eq. 20] has the jump where it was, not smeared over a step. An event whose
 * position is not known gets it by linear interpolation between the row before it and the end of its step.
 *
 * Times never go back: an event's time is kept between the row before it and the end of its step, which it can leave by
 * round-off only. Memory is proportional to the number of rows and grows by half of itself. */
#include "study/trajectory.h"

#include "io/writer.h"
#include "model/scene.h"
#include <math.h>
#include <stdio.h>

/* ---- cases --------------------------------------------------------------------------------------- */

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
    ss_status status = ss_scene_read(ctx, c->scene, s.n, s.item, scene);
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
    if (count < 1 || fabs(count - ratio) > 1e-9 * ratio) {
        double fewer = fmax(1, floor(ratio));
        return ss_fail(ctx, SS_ERR_INPUT,
                       "a step of %.9g s does not divide the interval of %.9g s: %.6g steps; %.9g s (%.0f) and %.9g s (%.0f) do",
                       *step, until, ratio, until / fewer, fewer, until / (fewer + 1), fewer + 1);
    }
    *step = until / count;
    return SS_OK;
}

/* ---- coordinates ----------------------------------------------------------------------------------- */

static ss_status name_body(ss_trajectory *x, const ss_model *m, int body, bool velocity)
{
    char text[256];
    int first = velocity ? x->nq + m->body_v[body] : m->body_q[body];
    for (int k = 0; k < ss_body_coordinates(m, body, velocity); k++) {
        ss_coordinate_name(m, body, velocity, k, text, sizeof text);
        SS_TRY(ss_strdup(x->ctx, text, &x->name[first + k]));
    }
    return SS_OK;
}

static void mark_quaternion(ss_trajectory *x, int first)
{
    for (int k = 0; k < 4; k++) {
        x->quat[first + k] = first;
    }
}

static ss_status take_coordinates(ss_trajectory *x)
{
    SS_TRY(ss_calloc(x->ctx, (size_t)x->nq + (size_t)x->nv, sizeof *x->name, &x->name));
    SS_TRY(ss_calloc(x->ctx, (size_t)x->nq, sizeof *x->quat, &x->quat));
    for (int k = 0; k < x->nq; k++) {
        x->quat[k] = -1;
    }
    return SS_OK;
}

static ss_status name_coordinates(ss_trajectory *x, const ss_model *m)
{
    SS_TRY(take_coordinates(x));
    for (int b = 0; b < m->bodies; b++) {
        if (m->body_q[b] < 0) {
            continue;
        }
        SS_TRY(name_body(x, m, b, false));
        SS_TRY(name_body(x, m, b, true));
        if (m->dimension == 3 && m->body_type[b] == SS_BODY_RIGID) {
            mark_quaternion(x, m->body_q[b] + 3);
        }
    }
    return SS_OK;
}

ss_status ss_trajectory_describe(ss_context *ctx, const ss_model *model, ss_trajectory **out)
{
    ss_trajectory *x;
    *out = NULL;
    SS_TRY(ss_calloc(ctx, 1, sizeof *x, &x));
    *x = (ss_trajectory){
        .ctx = ctx, .nq = model->nq, .nv = model->nv, .dimension = model->dimension, .fingerprint = model->fingerprint
    };
    ss_status status = name_coordinates(x, model);
    if (status != SS_OK) {
        ss_trajectory_destroy(x);
        return status;
    }
    *out = x;
    return SS_OK;
}

void ss_trajectory_destroy(ss_trajectory *x)
{
    if (!x) {
        return;
    }
    for (int k = 0; x->name && k < x->nq + x->nv; k++) {
        ss_free(x->ctx, x->name[k]);
    }
    ss_free(x->ctx, x->name);
    ss_free(x->ctx, x->quat);
    ss_free(x->ctx, x->t);
    ss_free(x->ctx, x->q);
    ss_free(x->ctx, x->v);
    ss_free(x->ctx, x->figure);
    ss_free(x->ctx, x->inside);
    ss_free(x->ctx, x);
}

ss_status ss_trajectory_same(const ss_trajectory *x, const char *what, const ss_trajectory *wanted)
{
    if (x->nq != wanted->nq || x->nv != wanted->nv) {
        return ss_fail(x->ctx, SS_ERR_INPUT, "%s: has %d coordinates and %d velocities, the scene has %d and %d", what, x->nq,
                       x->nv, wanted->nq, wanted->nv);
    }
    for (int k = 0; k < x->nq + x->nv; k++) {
        if (strcmp(x->name[k], wanted->name[k]) != 0) {
            return ss_fail(x->ctx, SS_ERR_INPUT, "%s: has \"%s\" where the scene has \"%s\"", what, x->name[k], wanted->name[k]);
        }
    }
    return SS_OK;
}

/* ---- rows -------------------------------------------------------------------------------------------- */

typedef struct recorder {
    ss_trajectory *x;
    int rows_t, rows_q, rows_v, rows_figure, rows_inside; /* room */
    const ss_study_case *study_case;
    double until, told; /* told: how far the caller knows we are */
    ss_record *record;  /* NULL: nobody asks for JSON            */
} recorder;

static size_t row_size(int n) { return (size_t)(n > 0 ? n : 1) * sizeof(double); }

static double *row_of(double *table, int k, int n) { return table + (size_t)k * (size_t)n; }

/* a new last row, with time, velocity and kind; position and figures are left to the caller */
static ss_status add_row(recorder *r, double t, const double *v, bool inside)
{
    ss_trajectory *x = r->x;
    int n = x->n + 1;
    SS_TRY(ss_reserve(x->ctx, &x->t, &r->rows_t, n, sizeof *x->t));
    SS_TRY(ss_reserve(x->ctx, &x->q, &r->rows_q, n, row_size(x->nq)));
    SS_TRY(ss_reserve(x->ctx, &x->v, &r->rows_v, n, row_size(x->nv)));
    SS_TRY(ss_reserve(x->ctx, &x->figure, &r->rows_figure, n, row_size(SS_FIGURES)));
    SS_TRY(ss_reserve(x->ctx, &x->inside, &r->rows_inside, n, sizeof *x->inside));
    x->t[n - 1] = t;
    memcpy(row_of(x->v, n - 1, x->nv), v, (size_t)x->nv * sizeof *v);
    x->inside[n - 1] = inside;
    x->n = n;
    return SS_OK;
}

static void set_figures(double *figure, const ss_step_info *info)
{
    figure[SS_FIGURE_kinetic] = info->kinetic;
    figure[SS_FIGURE_potential] = info->potential;
    figure[SS_FIGURE_energy] = info->kinetic + info->potential;
    figure[SS_FIGURE_residual] = info->residual.contact;
    figure[SS_FIGURE_penetration] = info->penetration;
    figure[SS_FIGURE_joint_error] = info->joint_error;
    figure[SS_FIGURE_contacts] = info->contacts;
}

static ss_status add_end(recorder *r, const ss_sim *sim, const ss_step_info *info)
{
    ss_trajectory *x = r->x;
    SS_TRY(add_row(r, ss_sim_time(sim), ss_sim_v(sim), false));
    memcpy(row_of(x->q, x->n - 1, x->nq), ss_sim_q(sim), (size_t)x->nq * sizeof *x->q);
    set_figures(row_of(x->figure, x->n - 1, SS_FIGURES), info);
    return SS_OK;
}

/* q at a fraction s of the way from q0 to q1 */
static void interpolate(const ss_trajectory *x, const double *q0, const double *q1, double s, double *q)
{
    for (int k = 0; k < x->nq; k++) {
        q[k] = (1 - s) * q0[k] + s * q1[k];
    }
    for (int k = 0; k < x->nq; k++) {
        if (x->quat[k] == k) {
            double size = sqrt(q[k] * q[k] + q[k + 1] * q[k + 1] + q[k + 2] * q[k + 2] + q[k + 3] * q[k + 3]);
            for (int i = 0; i < 4 && size > 0; i++) {
                q[k + i] /= size;
            }
        }
    }
}

/* one side of a jump; the sim stands at the end of the step already */
static ss_status add_side(recorder *r, const ss_sim *sim, const ss_event *event, const double *v)
{
    ss_trajectory *x = r->x;
    double before = x->t[x->n - 1], end = ss_sim_time(sim), t = fmin(fmax(event->t, before), end);
    SS_TRY(add_row(r, t, v, true));
    double *q = row_of(x->q, x->n - 1, x->nq), *figure = row_of(x->figure, x->n - 1, SS_FIGURES);
    if (event->q) {
        memcpy(q, event->q, (size_t)x->nq * sizeof *q);
    } else {
        interpolate(x, q - x->nq, ss_sim_q(sim), end > before ? (t - before) / (end - before) : 1, q);
    }
    memcpy(figure, figure - SS_FIGURES, SS_FIGURES * sizeof *figure);
    return SS_OK;
}

static ss_status on_event(void *user, const ss_sim *sim, const ss_event *event)
{
    recorder *r = user;
    if (event->v_minus && event->v_plus) {
        SS_TRY(add_side(r, sim, event, event->v_minus));
        SS_TRY(add_side(r, sim, event, event->v_plus));
    }
    return r->record ? ss_record_event(r->record, sim, event) : SS_OK;
}

/* a thousand times a run at most */
static void tell_progress(recorder *r, const ss_sim *sim, double t)
{
    const ss_watch *watch = &r->study_case->watch;
    double part = r->until > 0 ? fmin(t / r->until, 1) : 1;
    if (watch->progress && part >= r->told + 1e-3) {
        r->told = part;
        watch->progress(watch->user, ss_sim_scheme(sim), part);
    }
}

static ss_status on_step(void *user, const ss_sim *sim, const ss_step_info *info)
{
    recorder *r = user;
    if (r->record) {
        ss_record_step(r->record, info);
    }
    tell_progress(r, sim, info->t);
    return add_end(r, sim, info);
}

/* ---- running ------------------------------------------------------------------------------------------- */

static ss_status make_sim(ss_context *ctx, const ss_study_case *c, const ss_model *model, ss_sim **out)
{
    ss_sim_options options = ss_sim_options_default();
    options.interrupt = c->watch.interrupt;
    return ss_sim_create(ctx, model, &options, out);
}

static ss_status advance(recorder *r, ss_sim *sim, const ss_study_case *c, bool wants_json, char **text)
{
    ss_trajectory *x = r->x;
    const ss_observer observer = { .user = r, .on_step = on_step, .on_event = on_event };
    if (wants_json) {
        SS_TRY(ss_record_create(x->ctx, sim, true, &r->record));
    }
    SS_TRY(add_end(r, sim, ss_sim_last_step(sim)));
    SS_TRY(ss_sim_observe(sim, &observer));
    SS_TRY(ss_sim_advance(sim, r->until));
    x->work = *ss_sim_summary(sim);
    return wants_json ? ss_record_to_json(r->record, sim, c->scene, "done", NULL, text) : SS_OK;
}

static ss_status run_model(ss_context *ctx, const ss_study_case *c, const ss_model *model, ss_trajectory **out, char **json)
{
    ss_sim *sim = NULL;
    recorder r = { .study_case = c, .until = ss_model_settings(model)->until };
    ss_status status = ss_trajectory_describe(ctx, model, &r.x);
    status = status == SS_OK ? make_sim(ctx, c, model, &sim) : status;
    status = status == SS_OK ? advance(&r, sim, c, json != NULL, json) : status;
    ss_record_destroy(r.record);
    ss_sim_destroy(sim);
    if (status != SS_OK) {
        ss_trajectory_destroy(r.x);
        return status;
    }
    *out = r.x;
    return SS_OK;
}

ss_status ss_trajectory_run(ss_context *ctx, const ss_study_case *c, ss_trajectory **out, char **json)
{
    ss_scene *scene;
    ss_model *model;
    *out = NULL;
    if (json) {
        *json = NULL;
    }
    SS_TRY(ss_study_case_open(ctx, c, &scene, &model));
    ss_status status = run_model(ctx, c, model, out, json);
    ss_model_destroy(model);
    ss_scene_destroy(scene);
    return status;
}

ss_status ss_study_case_try(ss_context *ctx, const ss_study_case *c)
{
    ss_scene *scene;
    ss_model *model;
    ss_sim *sim = NULL;
    SS_TRY(ss_study_case_open(ctx, c, &scene, &model));
    ss_status status = make_sim(ctx, c, model, &sim);
    ss_sim_destroy(sim);
    ss_model_destroy(model);
    ss_scene_destroy(scene);
    return status;
}

/* ---- result files ---------------------------------------------------------------------------------------- */

static bool ends_with(const char *text, const char *tail)
{
    size_t n = strlen(text), m = strlen(tail);
    return n >= m && strcmp(text + n - m, tail) == 0;
}

static ss_status copy_names(ss_trajectory *x, const ss_result *result)
{
    SS_TRY(take_coordinates(x));
    for (int k = 0; k < x->nq; k++) {
        SS_TRY(ss_strdup(x->ctx, ss_result_q_name(result, k), &x->name[k]));
        if (x->dimension == 3 && k + 4 <= x->nq && ends_with(x->name[k], ".qw")) {
            mark_quaternion(x, k);
        }
    }
    for (int k = 0; k < x->nv; k++) {
        SS_TRY(ss_strdup(x->ctx, ss_result_v_name(result, k), &x->name[x->nq + k]));
    }
    return SS_OK;
}

static ss_status read_states(ss_trajectory *x, const ss_result *result, const char *path)
{
    int64_t n = ss_result_states(result);
    if (n < 1 || n > INT32_MAX) {
        return ss_fail(x->ctx, SS_ERR_INPUT, "%s: has %lld states, expected 1 to %d", path, (long long)n, INT32_MAX);
    }
    x->n = (int)n;
    SS_TRY(ss_calloc(x->ctx, (size_t)n, sizeof *x->t, &x->t));
    SS_TRY(ss_calloc(x->ctx, (size_t)n, row_size(x->nq), &x->q));
    SS_TRY(ss_calloc(x->ctx, (size_t)n, row_size(x->nv), &x->v));
    SS_TRY(ss_calloc(x->ctx, (size_t)n, sizeof *x->inside, &x->inside));
    SS_TRY(ss_result_read(result, 0, n, x->t, NULL, x->q, x->v));
    for (int k = 1; k < x->n; k++) {
        if (!(x->t[k] >= x->t[k - 1])) {
            return ss_fail(x->ctx, SS_ERR_INPUT, "%s: time goes back from %.17g to %.17g at state %d", path, x->t[k - 1], x->t[k],
                           k);
        }
    }
    return SS_OK;
}

/* of the scene in a result file; 0: there is none, or none that can be read */
static uint64_t fingerprint_of(ss_context *ctx, const char *text, const char *path)
{
    ss_scene *scene;
    if (!text || ss_scene_parse(ctx, text, strlen(text), path, 0, NULL, &scene) != SS_OK) {
        return 0;
    }
    uint64_t fingerprint = ss_scene_fingerprint(scene);
    ss_scene_destroy(scene);
    return fingerprint;
}

static ss_status read_result(ss_trajectory *x, const ss_result *result, const char *path)
{
    x->nq = ss_result_nq(result);
    x->nv = ss_result_nv(result);
    x->dimension = ss_result_dimension(result);
    SS_TRY(copy_names(x, result));
    x->fingerprint = fingerprint_of(x->ctx, ss_result_scene(result), path);
    return read_states(x, result, path);
}

ss_status ss_trajectory_read(ss_context *ctx, const char *path, ss_trajectory **out)
{
    ss_result *result;
    ss_trajectory *x;
    *out = NULL;
    SS_TRY(ss_result_open(ctx, path, &result));
    ss_status status = ss_calloc(ctx, 1, sizeof *x, &x);
    if (status == SS_OK) {
        *x = (ss_trajectory){ .ctx = ctx };
        status = read_result(x, result, path);
    }
    ss_result_close(result);
    if (status != SS_OK) {
        ss_trajectory_destroy(x);
        return status;
    }
    *out = x;
    return SS_OK;
}

/* ---- values at times --------------------------------------------------------------------------------------- */

ss_status ss_trajectory_sample(const ss_trajectory *trajectory, ss_quantity quantity, int n, const double *t, double *x)
{
    const double *rows = ss_trajectory_rows(trajectory, quantity);
    int nc = quantity == SS_QUANTITY_Q ? trajectory->nq : trajectory->nv;
    double *column;
    SS_TRY(ss_calloc(trajectory->ctx, (size_t)n, sizeof *column, &column));
    ss_status status = SS_OK;
    for (int k = 0; k < nc && status == SS_OK; k++) {
        const ss_graph graph = { trajectory->n, trajectory->t, rows + k, nc };
        status = ss_graph_sample(trajectory->ctx, &graph, n, t, column);
        for (int i = 0; i < n && status == SS_OK; i++) {
            x[(size_t)i * (size_t)nc + (size_t)k] = column[i];
        }
    }
    ss_free(trajectory->ctx, column);
    return status;
}

bool ss_trajectory_across(const ss_trajectory *trajectory, ss_quantity quantity, double t, double slack, double *x)
{
    int nc = quantity == SS_QUANTITY_Q ? trajectory->nq : trajectory->nv, low = 0, high = trajectory->n;
    const double *at = trajectory->t;
    while (low < high) { /* the first row at t - slack or later */
        int middle = low + (high - low) / 2;
        *(at[middle] < t - slack ? &low : &high) = at[middle] < t - slack ? middle + 1 : middle;
    }
    for (int k = low; k + 1 < trajectory->n && at[k] <= t + slack; k++) {
        if (at[k] == at[k + 1]) {
            int side = at[k] <= t ? k : k + 1;
            memcpy(x, ss_trajectory_rows(trajectory, quantity) + (size_t)side * (size_t)nc, (size_t)nc * sizeof *x);
            return true;
        }
    }
    return false;
}

/* ---- series ------------------------------------------------------------------------------------------------ */

static const char *const figure_names[SS_FIGURES] = {
#define FIGURE_NAME(name) #name,
    SS_FIGURE_LIST(FIGURE_NAME)
#undef FIGURE_NAME
};

static ss_status unknown_series(const ss_trajectory *x, const char *name)
{
    const char **names;
    int n = 0;
    SS_TRY(ss_calloc(x->ctx, (size_t)(x->nq + x->nv + SS_FIGURES + 2), sizeof *names, &names));
    for (; n < x->nq + x->nv; n++) {
        names[n] = x->name[n];
    }
    for (int k = 0; x->figure && k < SS_FIGURES; k++) {
        names[n++] = figure_names[k];
    }
    names[n++] = "t";
    const char *near = ss_nearest_name(name, names);
    ss_status status =
        ss_fail(x->ctx, SS_ERR_INPUT, "unknown name \"%.60s\"; %s%s%s", name, near ? "did you mean \"" : "valid are ",
                near ? near : "t, coordinates such as ", near ? "\"?" : names[0]);
    ss_free(x->ctx, names);
    return status;
}

ss_status ss_trajectory_series(const ss_trajectory *x, const char *name, ss_graph *out)
{
    if (strcmp(name, "t") == 0) {
        *out = (ss_graph){ x->n, x->t, x->t, 1 };
        return SS_OK;
    }
    for (int k = 0; k < x->nq + x->nv; k++) {
        if (strcmp(name, x->name[k]) == 0) {
            bool velocity = k >= x->nq;
            *out = (ss_graph){ x->n, x->t, velocity ? x->v + (k - x->nq) : x->q + k, velocity ? x->nv : x->nq };
            return SS_OK;
        }
    }
    for (int k = 0; x->figure && k < SS_FIGURES; k++) {
        if (strcmp(name, figure_names[k]) == 0) {
            *out = (ss_graph){ x->n, x->t, x->figure + k, SS_FIGURES };
            return SS_OK;
        }
    }
    return unknown_series(x, name);
}
