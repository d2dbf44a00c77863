/* exact.c - making an exact solution for a model, asking it, and what several solutions look for in a model. */
#include "exact/exact.h"
#include "base/tolerances.h"

#include "geom/polytope.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#define SS_EXACT(name) extern const ss_exact_type ss_exact_##name;
#include "exact/exact.def"
#undef SS_EXACT
const ss_exact_type *const ss_exact_types[] = {
#define SS_EXACT(name) &ss_exact_##name,
#include "exact/exact.def"
#undef SS_EXACT
    NULL,
};

/* ---- life --------------------------------------------------------------------------------------- */

static const ss_exact_type *find_type(const char *name)
{
    int k = 0;
    while (ss_exact_types[k] && !ss_entry_answers(&ss_exact_types[k]->info, name)) {
        k++;
    }
    return ss_exact_types[k];
}

/* no formula knows the moments of rolling and spinning friction */
static ss_status refuse_moments(const ss_exact *x)
{
    const ss_model *m = x->model;
    for (int i = 0; i < m->materials * m->materials; i++) {
        if (m->pair[i].arm[0] > 0 || m->pair[i].arm[1] > 0) {
            return ss_exact_refuse(x, "expected no rolling and spinning friction");
        }
    }
    return SS_OK;
}

static ss_status build(ss_exact *x)
{
    const ss_entry *info = &x->type->info;
    SS_TRY(ss_calloc(x->ctx, info->params_size + 1, 1, &x->params));
    if (info->fields) {
        ss_fields_default(info->fields, x->params);
        for (const ss_setting *s = x->model->exact_option; s && s->key; s++) {
            SS_TRY(ss_fields_set(x->ctx, info->fields, x->params, "exact", s));
        }
    }
    if (info->dimensions && !(info->dimensions & (1u << x->model->dimension))) {
        return ss_exact_refuse(x, "it is not known in %dD", x->model->dimension);
    }
    SS_TRY(refuse_moments(x));
    return x->type->create(x, &x->data);
}

ss_status ss_exact_create(ss_context *ctx, const ss_model *model, ss_exact **out)
{
    const char *name = model->settings.exact;
    const ss_exact_type *type = name ? find_type(name) : NULL;
    ss_exact *x;
    *out = NULL;
    if (!type) {
        return name ? ss_fail(ctx, SS_ERR_INPUT, "exact.name: unknown exact solution \"%s\"", name)
                    : ss_fail(ctx, SS_ERR_INPUT, "the scene names no exact solution (\"exact\")");
    }
    SS_TRY(ss_calloc(ctx, 1, sizeof *x, &x));
    *x = (ss_exact){ .ctx = ctx, .type = type, .model = model };
    ss_status status = build(x);
    if (status != SS_OK) {
        ss_exact_destroy(x);
        return status;
    }
    *out = x;
    return SS_OK;
}

void ss_exact_destroy(ss_exact *x)
{
    if (!x) {
        return;
    }
    if (x->data && x->type->destroy) {
        x->type->destroy(x->ctx, x->data);
    }
    ss_free(x->ctx, x->data);
    ss_free(x->ctx, x->params);
    ss_free(x->ctx, x);
}

/* ---- asking ------------------------------------------------------------------------------------- */

const char *ss_exact_name(const ss_exact *x) { return x->type->info.name; }

ss_status ss_exact_at(const ss_exact *x, double t, int side, double *q, double *v)
{
    if (!(t >= 0 && isfinite(t))) {
        return ss_exact_refuse(x, "expected a time >= 0, got %g", t);
    }
    memcpy(q, x->model->q0, (size_t)ss_model_nq(x->model) * sizeof *q);
    memcpy(v, x->model->v0, (size_t)x->model->nv * sizeof *v);
    return x->type->at(x, t, side, q, v);
}

double ss_exact_next_jump(const ss_exact *x, double t) { return x->type->next_jump ? x->type->next_jump(x, t) : INFINITY; }

double ss_exact_next_kink(const ss_exact *x, double t) { return x->type->next_kink ? x->type->next_kink(x, t) : INFINITY; }

/* ---- what a model holds --------------------------------------------------------------------------- */

ss_status ss_exact_refuse(const ss_exact *x, const char *format, ...)
{
    char text[400];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    return ss_fail(x->ctx, SS_ERR_INPUT, "exact %s: %s", x->type->info.name, text);
}

ss_status ss_exact_only_body(const ss_exact *x, int *body)
{
    const ss_model *m = x->model;
    int count = 0;
    for (int b = 0; b < m->bodies; b++) {
        if (ss_model_is_dynamic(m, b)) {
            *body = b;
            count++;
        }
    }
    return count == 1 ? SS_OK : ss_exact_refuse(x, "expected one body that moves, found %d", count);
}

/* the shape of the model that is a half space */
static ss_status find_half_space(const ss_exact *x, int *shape)
{
    const ss_model *m = x->model;
    int count = 0;
    for (int k = 0; k < m->shapes; k++) {
        if (m->shape[k].kind == SS_SHAPE_half_space) {
            *shape = k;
            count++;
        }
    }
    if (count != 1 || m->body_type[m->shape_body[*shape]] != SS_BODY_FIXED) {
        return ss_exact_refuse(x, "expected one half space, on a fixed body");
    }
    return SS_OK;
}

/* smallest distance of a rounded polytope from the plane n . x = offset, world */
static double gap_above(const ss_shape *shape, ss_frame body, ss_vec3 n, double offset)
{
    ss_frame f = ss_frame_compose(body, shape->local);
    double least = INFINITY;
    for (int k = 0; k < shape->polytope->corners; k++) {
        least = fmin(least, ss_dot(n, ss_point_to_world(f, shape->polytope->corner[k])) - offset);
    }
    return least - shape->radius;
}

ss_status ss_exact_find_floor(const ss_exact *x, int body, ss_exact_floor *out)
{
    const ss_model *m = x->model;
    int plane = 0, first = m->shape_start[body];
    SS_TRY(find_half_space(x, &plane));
    if (m->shape_start[body + 1] != first + 1 || !m->shape[first].polytope) {
        return ss_exact_refuse(x, "expected one shape with corners on body %s", m->body_name[body]);
    }
    if (m->shapes != m->mass.diagonal.blocks + 1) {
        return ss_exact_refuse(x, "expected one shape per moving body and the half space, found %d shapes", m->shapes);
    }
    ss_frame ground = m->body_frame0[m->shape_body[plane]];
    *out = (ss_exact_floor){ .shape = &m->shape[first],
                             .normal = ss_rotate(ground.R, m->shape[plane].normal),
                             .radius = m->shape[first].radius,
                             .law = ss_model_pair_law(m, first, plane) };
    out->gap = gap_above(out->shape, m->body_frame0[body], out->normal, m->shape[plane].offset + ss_dot(out->normal, ground.p));
    return SS_OK;
}

ss_status ss_exact_find_smooth_floor(const ss_exact *x, int body, ss_exact_floor *out)
{
    const char *name = x->model->body_name[body];
    SS_TRY(ss_exact_find_floor(x, body, out));
    if (out->shape->kind != SS_SHAPE_point && out->shape->kind != SS_SHAPE_sphere) {
        return ss_exact_refuse(x, "body %s: expected a point or a sphere as its shape", name);
    }
    const double *mu = out->law->mu;
    if (mu[0] != 0 || mu[1] != 0) {
        return ss_exact_refuse(x, "body %s: mu = %g against the half space, expected 0", name, fmax(mu[0], mu[1]));
    }
    if (out->gap < -SS_TOL_EXACT * x->model->length) {
        return ss_exact_refuse(x, "body %s starts inside the half space, gap %g m", name, out->gap);
    }
    return SS_OK;
}

double ss_exact_horizon(const ss_exact *x, double t, double otherwise)
{
    double until = x->model->settings.until;
    return fmax(t, isfinite(until) ? until : otherwise);
}
