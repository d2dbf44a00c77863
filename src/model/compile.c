/* compile.c - a scene becomes a model: settings, names, then one stage after the other.
 *
 * Everything is checked here and only here, so that whatever runs later needs no checks. The first thing that is
 * wrong ends it with a message "<path>: <what was expected>, <what was found>". The model owns copies of all it
 * needs; the scene may go. Cost: n log n in the number of parts. */
#include "model/compile.h"

#include "base/extensions.h"
#include "model/assemble.h"
#include "model/mass.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- names ------------------------------------------------------------------------------------------- */

static int compare_names(const void *x, const void *y)
{
    const ss_name *a = x, *b = y;
    int order = strcmp(a->name, b->name);
    return order ? order : (a->index > b->index) - (a->index < b->index);
}

/* a name stands in paths and outputs beside numbers: it is not empty, not a number, not "world" */
static ss_status check_name(ss_context *ctx, const char *list, const char *name, int index)
{
    if (!*name) {
        return ss_fail(ctx, SS_ERR_INPUT, "%s.%d.name: expected a name, got an empty one", list, index);
    }
    if (strspn(name, "0123456789") == strlen(name)) {
        return ss_fail(ctx, SS_ERR_INPUT, "%s.%d.name: expected a name that is not a number, got \"%.80s\"", list, index, name);
    }
    if (strcmp(name, "world") == 0) {
        return ss_fail(ctx, SS_ERR_INPUT, "%s.%d.name: \"world\" is the fixed frame, choose another name", list, index);
    }
    return SS_OK;
}

static ss_status collect_names(ss_context *ctx, const char *list, const char *first, size_t stride, int count, ss_names *out)
{
    for (int k = 0; k < count; k++) {
        const char *name = NULL;
        memcpy(&name, first + (size_t)k * stride, sizeof name);
        if (name) {
            SS_TRY(check_name(ctx, list, name, k));
            out->entry[out->count++] = (ss_name){ name, k };
        }
    }
    if (out->count > 0) {
        qsort(out->entry, (size_t)out->count, sizeof *out->entry, compare_names);
    }
    for (int k = 1; k < out->count; k++) {
        const ss_name *a = &out->entry[k - 1], *b = &out->entry[k];
        if (strcmp(a->name, b->name) == 0) {
            return ss_fail(ctx, SS_ERR_INPUT, "%s.%d.name: \"%.80s\" is taken by %s.%d", list, b->index, b->name, list, a->index);
        }
    }
    return SS_OK;
}

ss_status ss_names_build(ss_context *ctx, const char *list, const void *first, size_t stride, int count, ss_names *out)
{
    *out = (ss_names){ 0 };
    SS_TRY(ss_calloc(ctx, (size_t)count, sizeof *out->entry, &out->entry));
    ss_status status = collect_names(ctx, list, first, stride, count, out);
    if (status != SS_OK) {
        ss_names_free(ctx, out);
    }
    return status;
}

void ss_names_free(ss_context *ctx, ss_names *names)
{
    ss_free(ctx, names->entry);
    *names = (ss_names){ 0 };
}

int ss_names_find(const ss_names *names, const char *name)
{
    int lo = 0, hi = names->count;
    while (lo < hi) {
        int mid = lo + (hi - lo) / 2, order = strcmp(name, names->entry[mid].name);
        if (order == 0) {
            return names->entry[mid].index;
        }
        lo = order > 0 ? mid + 1 : lo;
        hi = order > 0 ? hi : mid;
    }
    return -1;
}

ss_status ss_fail_unknown(ss_compiler *x, const char *path, const char *key, const char *what, const char *word, int count,
                          const char *const *names)
{
    const char **list = NULL;
    SS_TRY(ss_calloc(x->ctx, (size_t)count + 1, sizeof *list, &list));
    for (int k = 0; k < count; k++) {
        list[k] = names[k];
    }
    const char *near = ss_nearest_name(word, list);
    ss_free(x->ctx, list);
    if (near) {
        return ss_fail(x->ctx, SS_ERR_INPUT, "%s.%s: no %s is called \"%.80s\"; the nearest is \"%.80s\"", path, key, what, word,
                       near);
    }
    return ss_fail(x->ctx, SS_ERR_INPUT, "%s.%s: no %s is called \"%.80s\"", path, key, what, word);
}

ss_status ss_compile_type(ss_compiler *x, const char *path, ss_registry registry, const char *what, const char *type,
                          const ss_entry **out)
{
    enum { MOST = 64 };
    const char *names[MOST];
    int n = 0;
    *out = type ? ss_entry_find(x->ctx, registry, type) : NULL;
    if (*out) {
        return SS_OK;
    }
    for (const ss_entry *entry = ss_entry_at(x->ctx, registry, 0); entry && n < MOST; entry = ss_entry_at(x->ctx, registry, n)) {
        names[n++] = entry->name;
    }
    return ss_fail_unknown(x, path, "type", what, type ? type : "", n, names);
}

ss_status ss_compile_body_ref(ss_compiler *x, const char *path, const char *key, const char *name, int *out)
{
    if (!name) {
        return ss_fail(x->ctx, SS_ERR_INPUT, "%s.%s: missing, expected the name of a body", path, key);
    }
    *out = strcmp(name, "world") == 0 ? x->m->bodies : ss_names_find(&x->body, name);
    if (*out >= 0) {
        return SS_OK;
    }
    const char **names = NULL;
    SS_TRY(ss_calloc(x->ctx, (size_t)x->body.count + 1, sizeof *names, &names));
    for (int k = 0; k < x->body.count; k++) {
        names[k] = x->body.entry[k].name;
    }
    names[x->body.count] = "world";
    ss_status status = ss_fail_unknown(x, path, key, "body", name, x->body.count + 1, names);
    ss_free(x->ctx, names);
    return status;
}

ss_status ss_compile_expr(ss_compiler *x, const char *path, const char *key, const char *text, ss_expr **out)
{
    if (!text) {
        return SS_OK;
    }
    ss_status status = ss_expr_compile(x->ctx, text, out);
    if (status != SS_OK) {
        return ss_fail_within(x->ctx, status, "%s.%s", path, key);
    }
    double start = ss_expr_eval(*out, 0);
    if (!isfinite(start)) {
        return ss_fail(x->ctx, SS_ERR_INPUT, "%s.%s: \"%.80s\" is %g at t = 0, expected a finite number", path, key, text, start);
    }
    return SS_OK;
}

/* ---- what the model owns --------------------------------------------------------------------------------- */

static ss_status reserve_owned(ss_model *m)
{
    return ss_reserve(m->ctx, &m->owned, &m->owned_cap, m->owned_count + 1, sizeof *m->owned);
}

ss_status ss_model_keep_text(ss_model *m, const char *text, char **out)
{
    *out = NULL;
    SS_TRY(reserve_owned(m));
    SS_TRY(ss_strdup(m->ctx, text, out));
    if (*out) {
        m->owned[m->owned_count++] = *out;
    }
    return SS_OK;
}

ss_status ss_model_keep_numbers(ss_model *m, const double *list, size_t count, const double **out)
{
    double *copy = NULL;
    *out = NULL;
    if (!list || count == 0) {
        return SS_OK;
    }
    SS_TRY(reserve_owned(m));
    SS_TRY(ss_calloc(m->ctx, count, sizeof *copy, &copy));
    memcpy(copy, list, count * sizeof *copy);
    m->owned[m->owned_count++] = copy;
    *out = copy;
    return SS_OK;
}

static void free_expressions(ss_model *m)
{
    for (int b = 0; b < m->bodies && m->body_motion && m->body_motion_angle; b++) {
        for (int k = 0; k < 3; k++) {
            ss_expr_destroy(m->ctx, m->body_motion[b][k]);
        }
        ss_expr_destroy(m->ctx, m->body_motion_angle[b]);
    }
    for (int j = 0; j < m->joints && m->joint; j++) {
        ss_expr_destroy(m->ctx, m->joint[j].motor.speed);
        ss_expr_destroy(m->ctx, m->joint[j].motor.force);
        ss_expr_destroy(m->ctx, m->joint[j].motor.position);
    }
    for (int i = 0; i < m->forces && m->force; i++) {
        for (int k = 0; k < 3; k++) {
            ss_expr_destroy(m->ctx, m->force[i].force_t[k]);
            ss_expr_destroy(m->ctx, m->force[i].torque_t[k]);
        }
    }
}

void ss_model_destroy(ss_model *m)
{
    if (!m) {
        return;
    }
    free_expressions(m);
    for (int k = 0; k < m->shapes && m->shape; k++) {
        ss_shape_free(m->ctx, &m->shape[k]);
    }
    for (int k = 0; k < m->owned_count; k++) {
        ss_free(m->ctx, m->owned[k]);
    }
    ss_pattern_free(m->ctx, &m->force_pattern);
    ss_pattern_free(m->ctx, &m->joint_pattern);
    ss_csr_free(m->ctx, &m->massless);
    void *lists[] = { m->owned,
                      m->scheme_option,
                      m->solver_option,
                      m->exact_option,
                      m->stiffness,
                      m->simplex,
                      m->facet,
                      m->probe,
                      m->edge,
                      m->simplex_law,
                      m->solid_node,
                      m->outputs.part,
                      m->outputs.name,
                      m->outputs.unit,
                      m->outputs.part_of,
                      m->body_name,
                      m->body_type,
                      m->body_q,
                      m->body_v,
                      m->body_block,
                      m->body_mass,
                      m->body_inertia,
                      m->body_frame0,
                      m->body_quat0,
                      m->body_angle0,
                      m->body_motion,
                      m->body_motion_angle,
                      m->body_motion_zero,
                      m->body_motion_axis,
                      m->body_callbacks,
                      m->shape,
                      m->shape_body,
                      m->shape_material,
                      m->shape_start,
                      m->shape_thickness,
                      m->material_name,
                      m->pair,
                      m->excluded,
                      m->joint,
                      m->joint_name,
                      m->counter_joint,
                      m->force,
                      m->force_name,
                      m->element,
                      m->row_joint,
                      m->row_motor,
                      m->row_unit,
                      m->v_unit,
                      (void *)m->mass.diagonal.offset,
                      (void *)m->mass.diagonal.size,
                      (void *)m->mass.diagonal.start,
                      m->mass.diagonal.x,
                      (void *)m->mass.diagonal.factor,
                      m->q0,
                      m->v0,
                      m->scratch,
                      m->still,
                      m };
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) {
        ss_free(m->ctx, lists[k]);
    }
}

/* ---- settings ------------------------------------------------------------------------------------------------ */

static ss_status check_positive(ss_context *ctx, const char *key, double value, bool optional)
{
    if ((optional && isnan(value)) || (value > 0 && isfinite(value))) {
        return SS_OK;
    }
    return ss_fail(ctx, SS_ERR_INPUT, "%s: expected a number > 0, got %g", key, value);
}

static ss_status check_results(ss_context *ctx, const ss_result_settings *o)
{
    if (o->precision != SS_PRECISION_DOUBLE && o->precision != SS_PRECISION_SINGLE) {
        return ss_fail(ctx, SS_ERR_INPUT, "results.precision: expected double or single, got number %d", o->precision);
    }
    return o->compress >= 0 && o->compress <= 9
               ? SS_OK
               : ss_fail(ctx, SS_ERR_INPUT, "results.compress: expected a number from 0 to 9, got %d", o->compress);
}

static ss_status check_settings(ss_context *ctx, const ss_scene_settings *s)
{
    if (s->dimension != 2 && s->dimension != 3) {
        return ss_fail(ctx, SS_ERR_INPUT, "dimension: expected 2 or 3, got %d", s->dimension);
    }
    for (int k = 0; k < 3; k++) {
        if (!isfinite(s->gravity[k])) {
            return ss_fail(ctx, SS_ERR_INPUT, "gravity: expected %d finite numbers, got %g", s->dimension, s->gravity[k]);
        }
    }
    double g = ss_norm(ss_v3_from(s->gravity));
    if (!isfinite(g)) {
        return ss_fail(ctx, SS_ERR_INPUT, "gravity: expected numbers whose squares are finite, got %g %g %g", s->gravity[0],
                       s->gravity[1], s->gravity[2]);
    }
    if (s->dimension == 2 && s->gravity[2] != 0) {
        return ss_fail(ctx, SS_ERR_INPUT, "gravity: expected 2 numbers in 2D, got the third component %g", s->gravity[2]);
    }
    const double *f = s->friction_frame;
    double norm = f[0] * f[0] + f[1] * f[1] + f[2] * f[2] + f[3] * f[3];
    if (!(norm > 0) || !isfinite(norm)) {
        return ss_fail(ctx, SS_ERR_INPUT, "friction_frame: expected 4 numbers w x y z, not all zero");
    }
    SS_TRY(check_positive(ctx, "time.until", s->until, true));
    SS_TRY(check_positive(ctx, "time.step", s->step, true));
    SS_TRY(check_positive(ctx, "time.tol", s->tol, true));
    SS_TRY(check_positive(ctx, "time.h_min", s->h_min, true));
    SS_TRY(check_positive(ctx, "time.h_max", s->h_max, true));
    SS_TRY(check_positive(ctx, "solver.tol", s->solver_tol, false));
    SS_TRY(check_results(ctx, &s->results));
    return check_positive(ctx, "length_scale", s->length_scale, true);
}

static ss_status copy_settings(ss_compiler *x)
{
    const ss_scene_settings *s = &x->scene->settings;
    ss_model *m = x->m;
    char *name = NULL, *scheme = NULL, *solver = NULL, *exact = NULL;
    SS_TRY(ss_model_keep_text(m, s->name, &name));
    SS_TRY(ss_model_keep_text(m, s->scheme, &scheme));
    SS_TRY(ss_model_keep_text(m, s->solver, &solver));
    SS_TRY(ss_model_keep_text(m, s->exact, &exact));
    m->settings = *s;
    m->settings.name = name;
    m->settings.scheme = scheme;
    m->settings.solver = solver;
    m->settings.exact = exact;
    m->dimension = s->dimension;
    m->gravity = ss_v3_from(s->gravity);
    m->friction_axes = ss_quat_matrix(ss_quat_unit(ss_quat_from(s->friction_frame)));
    return SS_OK;
}

/* the options of one section, ended by key NULL */
static ss_status copy_options(ss_compiler *x, const char *section, ss_setting **out)
{
    int count = 0;
    SS_TRY(ss_calloc(x->ctx, (size_t)x->scene->options + 1, sizeof **out, out));
    for (int k = 0; k < x->scene->options; k++) {
        const ss_scene_option *option = &x->scene->option[k];
        if (strcmp(option->section, section) == 0) {
            char *key = NULL, *text = NULL;
            SS_TRY(ss_model_keep_text(x->m, option->setting.key, &key));
            SS_TRY(ss_model_keep_text(x->m, option->setting.text, &text));
            (*out)[count++] = (ss_setting){ key, option->setting.number, text };
        }
    }
    return SS_OK;
}

static ss_status check_names(ss_compiler *x)
{
    const ss_scene *s = x->scene;
    ss_names joints, forces;
    SS_TRY(ss_names_build(x->ctx, "bodies", s->body, sizeof *s->body, s->bodies, &x->body));
    SS_TRY(ss_names_build(x->ctx, "materials", s->material, sizeof *s->material, s->materials, &x->material));
    SS_TRY(ss_names_build(x->ctx, "joints", s->joint, sizeof *s->joint, s->joints, &joints));
    ss_names_free(x->ctx, &joints);
    SS_TRY(ss_names_build(x->ctx, "forces", s->force, sizeof *s->force, s->forces, &forces));
    ss_names_free(x->ctx, &forces);
    return SS_OK;
}

/* ---- the stages ------------------------------------------------------------------------------------------------ */

static ss_status compile(ss_compiler *x)
{
    SS_TRY(check_settings(x->ctx, &x->scene->settings));
    SS_TRY(copy_settings(x));
    SS_TRY(ss_compile_nodes(x));
    SS_TRY(copy_options(x, "scheme", &x->m->scheme_option));
    SS_TRY(copy_options(x, "solver", &x->m->solver_option));
    SS_TRY(copy_options(x, "exact", &x->m->exact_option));
    SS_TRY(check_names(x));
    SS_TRY(ss_compile_bodies(x));
    SS_TRY(ss_compile_materials(x));
    SS_TRY(ss_compile_shapes(x));
    SS_TRY(ss_compile_masses(x));
    SS_TRY(ss_compile_joints(x));
    SS_TRY(ss_compile_forces(x));
    SS_TRY(ss_compile_scale(x));
    SS_TRY(ss_compile_outside(x));
    SS_TRY(ss_compile_massless(x));
    SS_TRY(ss_mass_share(x->ctx, x->m));
    SS_TRY(ss_mass_factor(x->ctx, x->m));
    SS_TRY(ss_compile_start(x));
    SS_TRY(ss_compile_round_off(x));
    return ss_compile_outputs(x);
}

static ss_status compile_scene(ss_context *ctx, const ss_scene *scene, bool loose, ss_model **out)
{
    ss_compiler x = { .ctx = ctx, .scene = scene, .loose = loose };
    *out = NULL;
    SS_TRY(ss_calloc(ctx, 1, sizeof *x.m, &x.m));
    x.m->ctx = ctx;
    ss_status status = compile(&x);
    ss_names_free(ctx, &x.body);
    ss_names_free(ctx, &x.material);
    ss_nodes_free(&x);
    if (status != SS_OK) {
        ss_model_destroy(x.m);
        return status;
    }
    x.m->fingerprint = ss_scene_fingerprint(scene);
    x.m->structure = ss_scene_structure(scene);
    *out = x.m;
    return SS_OK;
}

ss_status ss_model_compile(ss_context *ctx, const ss_scene *scene, ss_model **out)
{
    return compile_scene(ctx, scene, false, out);
}

ss_status ss_model_compile_loose(ss_context *ctx, const ss_scene *scene, ss_model **out)
{
    return compile_scene(ctx, scene, true, out);
}
