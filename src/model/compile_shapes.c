/* compile_shapes.c - shapes sorted by body, and the law of every pair of materials.
 *
 *   mu_ab = sqrt(mu_a mu_b),  e_ab = min(e_a, e_b);  rolling and spinning friction as mu
 *
 * A value that a material leaves open is the partner's; if both leave it open it is 0. An entry of its own in `pairs`
 * wins, key by key. The last material is the default one, which leaves everything open.
 * Grain: if mu differs along and across, the direction belongs to the material that has it; two different
 * materials with a grain each need an entry of their own. A pair of one such material with itself takes the grain
 * of the shape that comes first. */
#include "model/compile.h"

#include "base/options.h"
#include <stdio.h>

/* ---- materials ------------------------------------------------------------------------------------------ */

static bool has_grain(const ss_material_desc *a) { return !isnan(a->mu[0]) && a->mu[0] != a->mu[1]; }

static double geometric_mean(double a, double b)
{
    if (isnan(a) || isnan(b)) {
        return isnan(a) ? (isnan(b) ? 0 : b) : a;
    }
    return sqrt(a * b);
}

static double least_e(double a, double b)
{
    double e = fmin(a, b); /* a NaN gives way to the other */
    return isnan(e) ? 0 : e;
}

static ss_pair_law combine(const ss_material_desc *a, int ia, const ss_material_desc *b, int ib)
{
    ss_pair_law law = { .grain_of = -1, .impact = SS_IMPACT_UNSET };
    law.mu[0] = geometric_mean(a->mu[0], b->mu[0]);
    law.mu[1] = geometric_mean(a->mu[1], b->mu[1]);
    law.e = least_e(a->e, b->e);
    law.arm[0] = geometric_mean(a->rolling_friction, b->rolling_friction);
    law.arm[1] = geometric_mean(a->spinning_friction, b->spinning_friction);
    if (law.mu[0] != law.mu[1]) {
        const ss_material_desc *owner = has_grain(a) ? a : b;
        law.grain_of = owner == a ? ia : ib;
        law.grain = ss_unit(ss_v3_from(owner->grain));
    }
    return law;
}

static ss_status check_materials(ss_compiler *x)
{
    const ss_scene *s = x->scene;
    char path[SS_PATH_SIZE];
    for (int k = 0; k < s->materials; k++) {
        ss_part_path(path, sizeof path, "materials", s->material[k].name, k);
        if (!s->material[k].name) {
            return ss_fail(x->ctx, SS_ERR_INPUT, "%s.name: missing, expected a name", path);
        }
        SS_TRY(ss_part_check(x->ctx, ss_material_fields(), &s->material[k], x->m->dimension, path));
    }
    return SS_OK;
}

static ss_status find_material(ss_compiler *x, const char *path, const char *key, const char *name, int *out)
{
    if (!name) {
        return ss_fail(x->ctx, SS_ERR_INPUT, "%s.%s: missing, expected the name of a material", path, key);
    }
    *out = ss_names_find(&x->material, name);
    if (*out >= 0) {
        return SS_OK;
    }
    const char **names = NULL;
    SS_TRY(ss_calloc(x->ctx, (size_t)x->material.count + 1, sizeof *names, &names));
    for (int k = 0; k < x->material.count; k++) {
        names[k] = x->material.entry[k].name;
    }
    ss_status status = ss_fail_unknown(x, path, key, "material", name, x->material.count, names);
    ss_free(x->ctx, names);
    return status;
}

/* an entry of `pairs` over the combined law, in both places of the table; `taken` marks what was named before */
static ss_status apply_pair(ss_compiler *x, int k, bool *taken)
{
    const ss_pair_desc *d = &x->scene->pair[k];
    ss_model *m = x->m;
    char path[SS_PATH_SIZE];
    int a = 0, b = 0;
    snprintf(path, sizeof path, "pairs.%d", k);
    SS_TRY(find_material(x, path, "materials", d->materials[0], &a));
    SS_TRY(find_material(x, path, "materials", d->materials[1], &b));
    SS_TRY(ss_part_check(x->ctx, ss_pair_fields(), d, m->dimension, path));
    if (taken[a * m->materials + b]) {
        return ss_fail(x->ctx, SS_ERR_INPUT, "%s.materials: the pair \"%.80s\", \"%.80s\" has an entry already", path,
                       d->materials[0], d->materials[1]);
    }
    ss_pair_law *law = &m->pair[a * m->materials + b];
    if (!isnan(d->mu[0])) {
        law->mu[0] = d->mu[0];
        law->mu[1] = d->mu[1];
        law->grain_of = d->mu[0] != d->mu[1] ? a : -1;
        law->grain = d->mu[0] != d->mu[1] ? ss_unit(ss_v3_from(d->grain)) : ss_v3(0, 0, 0);
    }
    law->e = isnan(d->e) ? law->e : d->e;
    law->arm[0] = isnan(d->rolling_friction) ? law->arm[0] : d->rolling_friction;
    law->arm[1] = isnan(d->spinning_friction) ? law->arm[1] : d->spinning_friction;
    law->impact = (ss_impact_law)d->impact;
    m->pair[b * m->materials + a] = *law;
    taken[a * m->materials + b] = taken[b * m->materials + a] = true;
    return SS_OK;
}

static ss_status apply_pairs(ss_compiler *x)
{
    size_t count = (size_t)x->m->materials * (size_t)x->m->materials;
    bool *taken = NULL;
    SS_TRY(ss_calloc(x->ctx, count, sizeof *taken, &taken));
    ss_status status = SS_OK;
    for (int k = 0; k < x->scene->pairs && status == SS_OK; k++) {
        status = apply_pair(x, k, taken);
    }
    const ss_material_desc *a = x->scene->material;
    for (int i = 0; i < x->scene->materials && status == SS_OK; i++) {
        for (int j = 0; j < i && status == SS_OK; j++) {
            if (has_grain(&a[i]) && has_grain(&a[j]) && !taken[i * x->m->materials + j]) {
                status = ss_fail(x->ctx, SS_ERR_INPUT,
                                 "materials.%.80s.grain: \"%.80s\" has a grain too; give the two an entry in pairs", a[i].name,
                                 a[j].name);
            }
        }
    }
    ss_free(x->ctx, taken);
    return status;
}

static ss_status keep_names(ss_compiler *x)
{
    SS_TRY(ss_calloc(x->ctx, (size_t)x->scene->materials, sizeof *x->m->material_name, &x->m->material_name));
    for (int k = 0; k < x->scene->materials; k++) {
        const char *name = x->scene->material[k].name;
        SS_TRY(ss_model_keep_text(x->m, name ? name : "", &x->m->material_name[k]));
    }
    return SS_OK;
}

ss_status ss_compile_materials(ss_compiler *x)
{
    const ss_scene *s = x->scene;
    ss_model *m = x->m;
    const ss_material_desc open = ss_material_desc_default();
    m->materials = s->materials + 1;
    SS_TRY(check_materials(x));
    SS_TRY(keep_names(x));
    SS_TRY(ss_calloc(x->ctx, (size_t)m->materials * (size_t)m->materials, sizeof *m->pair, &m->pair));
    for (int a = 0; a < m->materials; a++) {
        for (int b = 0; b < m->materials; b++) {
            int i = a < b ? a : b, j = a < b ? b : a; /* the same law for (a, b) and (b, a) */
            const ss_material_desc *first = i < s->materials ? &s->material[i] : &open,
                                   *second = j < s->materials ? &s->material[j] : &open;
            m->pair[a * m->materials + b] = combine(first, i, second, j);
        }
    }
    return apply_pairs(x);
}

/* ---- shapes ----------------------------------------------------------------------------------------------- */

static ss_status find_kind(ss_compiler *x, const char *path, const char *type, ss_shape_kind *out)
{
    const char *names[SS_SHAPE_KINDS];
    for (int k = 0; k < SS_SHAPE_KINDS; k++) {
        names[k] = ss_shape_types[k]->info.name;
        if (type && ss_entry_answers(&ss_shape_types[k]->info, type)) {
            *out = (ss_shape_kind)k;
            return SS_OK;
        }
    }
    return ss_fail_unknown(x, path, "type", "shape", type ? type : "", SS_SHAPE_KINDS, names);
}

static ss_status compile_shape(ss_compiler *x, int index, const char *path, const ss_shape_desc *d)
{
    ss_model *m = x->m;
    ss_shape *shape = &m->shape[index];
    SS_TRY(find_kind(x, path, d->type, &shape->kind));
    const ss_shape_type *type = ss_shape_types[shape->kind];
    if (type->info.dimensions && !(type->info.dimensions & (1u << m->dimension))) {
        return ss_fail(x->ctx, SS_ERR_INPUT, "%s.type: a %s does not exist in %dD", path, type->info.name, m->dimension);
    }
    SS_TRY(ss_part_check(x->ctx, type->info.fields, d, m->dimension, path));
    m->shape_material[index] = m->materials - 1;
    if (d->material) {
        SS_TRY(find_material(x, path, "material", d->material, &m->shape_material[index]));
    }
    shape->dimension = m->dimension;
    shape->local.p = ss_v3_from(d->position);
    shape->local.R = m->dimension == 2 ? ss_rotation_z(d->angle) : ss_quat_matrix(ss_quat_unit(ss_quat_from(d->orientation)));
    return type->compile(x->ctx, d, path, shape);
}

/* Shapes without an end do not meet each other, so a body that is free to fall would pass through the ground with one. */
static ss_status check_carrier(ss_compiler *x, int index, const char *path)
{
    const ss_shape *shape = &x->m->shape[index];
    const ss_body_type body = x->m->body_type[x->m->shape_body[index]];
    if (isfinite(x->m->shape_thickness[index]) || body == SS_BODY_FIXED || body == SS_BODY_DRIVEN) {
        return SS_OK;
    }
    return ss_fail(x->ctx, SS_ERR_INPUT, "%s.type: a %s has no end, expected a fixed or driven body to carry it", path,
                   ss_shape_types[shape->kind]->info.name);
}

/* shape_start by counting, then `next` shape of each body where it belongs: sorted by body, else in scene order */
static ss_status place_shapes(ss_compiler *x, int *next)
{
    const ss_scene *s = x->scene;
    ss_model *m = x->m;
    char body[SS_PATH_SIZE], path[SS_PATH_SIZE + 32];
    for (int k = 0; k < s->shapes; k++) {
        m->shape_start[s->shape[k].body + 1]++;
    }
    for (int b = 0; b < m->bodies; b++) {
        m->shape_start[b + 1] += m->shape_start[b];
        next[b] = m->shape_start[b];
    }
    for (int k = 0; k < s->shapes; k++) {
        int b = s->shape[k].body, index = next[b]++;
        ss_part_path(body, sizeof body, "bodies", s->body[b].name, b);
        snprintf(path, sizeof path, "%s.shapes.%d", body, index - m->shape_start[b]);
        if (m->body_type[b] == SS_BODY_BLOCK) {
            return ss_fail(x->ctx, SS_ERR_INPUT, "%s: a block has no frame to put a shape in", path);
        }
        m->shape_body[index] = b;
        SS_TRY(compile_shape(x, index, path, &s->shape[k].desc));
        m->shape_thickness[index] = ss_shape_thickness(&m->shape[index]);
        SS_TRY(check_carrier(x, index, path));
    }
    return SS_OK;
}

ss_status ss_compile_shapes(ss_compiler *x)
{
    ss_model *m = x->m;
    size_t count = (size_t)x->scene->shapes;
    int *next = NULL;
    SS_TRY(ss_calloc(x->ctx, count, sizeof *m->shape, &m->shape));
    SS_TRY(ss_calloc(x->ctx, count, sizeof *m->shape_body, &m->shape_body));
    SS_TRY(ss_calloc(x->ctx, count, sizeof *m->shape_material, &m->shape_material));
    SS_TRY(ss_calloc(x->ctx, count, sizeof *m->shape_thickness, &m->shape_thickness));
    SS_TRY(ss_calloc(x->ctx, (size_t)m->bodies + 1, sizeof *m->shape_start, &m->shape_start));
    SS_TRY(ss_calloc(x->ctx, (size_t)m->bodies, sizeof *next, &next));
    m->shapes = x->scene->shapes;
    ss_status status = place_shapes(x, next);
    ss_free(x->ctx, next);
    return status;
}
