/* trajectory.c - a run kept in memory: its coordinates by name, states from a result file, values at given times, and single
 * coordinates as graphs. trajectory_run.c records a run. */
#include "study/trajectory.h"

#include "io/writer.h"
#include "model/scene.h"
#include <math.h>
#include <stdio.h>

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

static int count_names(const ss_trajectory *x) { return x->nq + x->nv + x->nr; }

static ss_status take_coordinates(ss_trajectory *x)
{
    SS_TRY(ss_calloc(x->ctx, (size_t)count_names(x), sizeof *x->name, &x->name));
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

static int count_joint_rows(const ss_model *m)
{
    int n = 0;
    for (int j = 0; j < m->joints; j++) {
        n += ss_model_joint_rows(m, j);
    }
    return n;
}

/* names of a number for each row of the joints, from *next on */
static ss_status name_rows(ss_trajectory *x, const ss_model *m, const char *what, char ***next)
{
    char text[256];
    for (int j = 0; j < m->joints; j++) {
        for (int k = 0; k < ss_model_joint_rows(m, j); k++) {
            snprintf(text, sizeof text, "%s.%s.%d", m->joint_name[j], what, k);
            SS_TRY(ss_strdup(x->ctx, text, (*next)++));
        }
    }
    return SS_OK;
}

static ss_status name_reactions(ss_trajectory *x, const ss_model *m)
{
    char **next = x->name + x->nq + x->nv;
    SS_TRY(name_rows(x, m, "reaction", &next));
    return name_rows(x, m, "displacing", &next);
}

ss_status ss_trajectory_describe(ss_context *ctx, const ss_model *model, ss_trajectory **out)
{
    ss_trajectory *x;
    *out = NULL;
    SS_TRY(ss_calloc(ctx, 1, sizeof *x, &x));
    *x = (ss_trajectory){ .ctx = ctx,
                          .nq = ss_model_nq(model),
                          .nv = model->nv,
                          .nr = 2 * count_joint_rows(model),
                          .dimension = model->dimension,
                          .fingerprint = model->fingerprint };
    ss_status status = name_coordinates(x, model);
    status = status == SS_OK ? name_reactions(x, model) : status;
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
    for (int k = 0; x->name && k < count_names(x); k++) {
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
    SS_TRY(ss_calloc(x->ctx, (size_t)n, ss_trajectory_row_bytes(x->nq), &x->q));
    SS_TRY(ss_calloc(x->ctx, (size_t)n, ss_trajectory_row_bytes(x->nv), &x->v));
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
    SS_TRY(ss_calloc(x->ctx, (size_t)(count_names(x) + SS_FIGURES + 2), sizeof *names, &names));
    for (; n < count_names(x); n++) {
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
    for (int k = 0; x->figure && k < SS_FIGURES + x->nr; k++) {
        if (strcmp(name, k < SS_FIGURES ? figure_names[k] : x->name[x->nq + x->nv + k - SS_FIGURES]) == 0) {
            *out = (ss_graph){ x->n, x->t, x->figure + k, SS_FIGURES + x->nr };
            return SS_OK;
        }
    }
    return unknown_series(x, name);
}
