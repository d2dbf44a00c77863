/* compile_forces.c - forces: bodies, anchors, rest lengths, expressions and tables.
 *
 * A rest length that is not given is the distance of the anchors at t = 0. Particles do not turn: they take no
 * torque, and their anchor is their position. */
#include "model/compile.h"

#include "model/assemble.h"
#include "model/drives.h"
#include "model/own.h"
#include "model/primitives.h"

/* ---- bodies ------------------------------------------------------------------------------------------ */

static ss_status check_bodies(ss_compiler *x, const char *path, const ss_force *force)
{
    const ss_model *m = x->m;
    const int b[2] = { force->at[0].body, force->at[1].body };
    const char *key = force->type->two_bodies ? "bodies" : "body";
    if (b[0] == b[1]) {
        return ss_fail(x->ctx, SS_ERR_INPUT, "%s.%s: expected two different bodies, got one twice", path, key);
    }
    if (!ss_model_is_dynamic(m, b[0]) && !ss_model_is_dynamic(m, b[1])) {
        return ss_fail(x->ctx, SS_ERR_INPUT, "%s.%s: nothing it acts on can move freely: expected a particle or a rigid body",
                       path, key);
    }
    for (int k = 0; k < 2; k++) {
        if (b[k] < m->bodies && m->body_type[b[k]] == SS_BODY_BLOCK) {
            return ss_fail(x->ctx, SS_ERR_INPUT, "%s.%s: \"%.80s\" is a block, which brings its own forces", path, key,
                           m->body_name[b[k]]);
        }
        bool particle = b[k] < m->bodies && m->body_type[b[k]] == SS_BODY_PARTICLE;
        if (particle && ss_norm(force->at[k].point) > 0) {
            return ss_fail(x->ctx, SS_ERR_INPUT, "%s.%s: \"%.80s\" is a particle: the force acts at its position, expected zeros",
                           path, force->type->two_bodies ? "anchors" : "point", m->body_name[b[k]]);
        }
    }
    return SS_OK;
}

static ss_status find_bodies(ss_compiler *x, const char *path, const ss_force_desc *d, ss_force *force)
{
    if (force->type->two_bodies) {
        SS_TRY(ss_compile_body_ref(x, path, "bodies", d->bodies[0], &force->at[0].body));
        SS_TRY(ss_compile_body_ref(x, path, "bodies", d->bodies[1], &force->at[1].body));
        force->at[0].point = ss_v3_from(d->anchors[0]);
        force->at[1].point = ss_v3_from(d->anchors[1]);
    } else {
        SS_TRY(ss_compile_body_ref(x, path, "body", d->body, &force->at[0].body));
        force->at[1].body = x->m->bodies;
        force->at[0].point = ss_v3_from(d->point);
        if (force->at[0].body == x->m->bodies) {
            return ss_fail(x->ctx, SS_ERR_INPUT, "%s.body: the world cannot be pushed: expected a particle or a rigid body",
                           path);
        }
    }
    return check_bodies(x, path, force);
}

/* ---- tables and expressions --------------------------------------------------------------------------------- */

static ss_status check_column(ss_compiler *x, const char *path, const char *key, int count, const double *value)
{
    for (int k = 0; value && k < count; k++) {
        if (!isfinite(value[k])) {
            return ss_fail(x->ctx, SS_ERR_INPUT, "%s.table.%s: entry %d is %g, expected a finite number", path, key, k, value[k]);
        }
    }
    return SS_OK;
}

static ss_status compile_table(ss_compiler *x, const char *path, const ss_table *d, ss_force *force)
{
    if (d->rows < 1 || !d->t || (!d->force && !d->torque)) {
        return ss_fail(x->ctx, SS_ERR_INPUT, "%s.table: expected at least one row with a time and a force or torque", path);
    }
    SS_TRY(check_column(x, path, "t", d->rows, d->t));
    SS_TRY(check_column(x, path, "force", 3 * d->rows, d->force));
    SS_TRY(check_column(x, path, "torque", 3 * d->rows, d->torque));
    for (int k = 1; k < d->rows; k++) {
        if (!(d->t[k] > d->t[k - 1])) {
            return ss_fail(x->ctx, SS_ERR_INPUT, "%s.table.t: expected increasing times, got %g after %g", path, d->t[k],
                           d->t[k - 1]);
        }
    }
    size_t rows = (size_t)d->rows;
    force->table.rows = d->rows;
    SS_TRY(ss_model_keep_numbers(x->m, d->t, rows, &force->table.t));
    SS_TRY(ss_model_keep_numbers(x->m, d->force, 3 * rows, &force->table.force));
    return ss_model_keep_numbers(x->m, d->torque, 3 * rows, &force->table.torque);
}

static ss_status compile_expressions(ss_compiler *x, const char *path, const ss_force_desc *d, ss_force *force)
{
    bool plane = x->m->dimension == 2;
    if (plane && (d->force_t[2] || d->torque_t[0] || d->torque_t[1])) {
        return ss_fail(x->ctx, SS_ERR_INPUT, "%s.force: expected 2 expressions in 2D, and one for the torque", path);
    }
    for (int k = 0; k < 3; k++) {
        SS_TRY(ss_compile_expr(x, path, "force", d->force_t[k], &force->force_t[k]));
        SS_TRY(ss_compile_expr(x, path, "torque", d->torque_t[k], &force->torque_t[k]));
    }
    return SS_OK;
}

/* does any part of it ask for a torque? */
static bool has_torque(const ss_force *force)
{
    bool any = ss_norm(force->torque) > 0;
    for (int k = 0; k < 3; k++) {
        any = any || force->torque_t[k];
    }
    for (int k = 0; force->table.torque && k < 3 * force->table.rows; k++) {
        any = any || force->table.torque[k] != 0;
    }
    return any;
}

/* ---- one force --------------------------------------------------------------------------------------------------- */

static void copy_numbers(const ss_model *m, const ss_force_desc *d, ss_force *force)
{
    force->stiffness = d->stiffness;
    force->damping = d->damping;
    force->omega = d->omega;
    force->phase = d->phase;
    force->force = ss_v3_from(d->force);
    force->torque = ss_v3_from(d->torque);
    force->length = d->length;
    if (isnan(d->length)) {
        ss_frame f[2];
        for (int k = 0; k < 2; k++) {
            f[k] = force->at[k].body < m->bodies ? m->body_frame0[force->at[k].body] : ss_frame_identity();
        }
        force->length = ss_norm(ss_span_between(force->at, f));
    }
}

/* of a type that a program has added */
static ss_status compile_outside(ss_compiler *x, const char *path, const ss_force_desc *d, ss_force *force)
{
    const ss_entry *info = &force->type->info;
    if (!(info->dimensions & (1u << x->m->dimension))) {
        return ss_fail(x->ctx, SS_ERR_INPUT, "%s.type: %.80s is not available in %dD scenes", path, info->name, x->m->dimension);
    }
    force->functions = &force->type->outside->functions;
    return ss_model_keep_numbers(x->m, d->number, SS_OWN_NUMBERS, &force->number);
}

static ss_status compile_force(ss_compiler *x, int i)
{
    const ss_force_desc *d = &x->scene->force[i];
    ss_force *force = &x->m->force[i];
    char path[SS_PATH_SIZE], number[16];
    ss_part_path(path, sizeof path, "forces", d->name, i);
    ss_part_path(number, sizeof number, "", NULL, i);
    SS_TRY(ss_model_keep_text(x->m, d->name ? d->name : number + 1, &x->m->force_name[i]));
    const ss_entry *entry;
    SS_TRY(ss_compile_type(x, path, SS_FORCES, "force", d->type, &entry));
    force->type = (const ss_force_type *)(const void *)entry; /* its first member */
    SS_TRY(ss_part_check(x->ctx, force->type->info.fields, d, x->m->dimension, path));
    SS_TRY(find_bodies(x, path, d, force));
    copy_numbers(x->m, d, force);
    SS_TRY(force->type->outside ? compile_outside(x, path, d, force) : SS_OK);
    for (const ss_field *f = force->type->info.fields; f->name; f++) {
        if (f->type == SS_FIELD_TABLE) {
            SS_TRY(compile_table(x, path, &d->table, force));
        } else if (f->type == SS_FIELD_VECTOR_T) {
            SS_TRY(compile_expressions(x, path, d, force));
        }
    }
    int body = force->at[0].body;
    bool particle = x->m->body_type[body < x->m->bodies ? body : 0] == SS_BODY_PARTICLE;
    if (!force->type->two_bodies && particle && has_torque(force)) {
        return ss_fail(x->ctx, SS_ERR_INPUT, "%s.torque: \"%.80s\" is a particle, which cannot turn", path,
                       x->m->body_name[body]);
    }
    return SS_OK;
}

static void add_solids(ss_model *m)
{
    for (int i = 0; i < m->simplices; i++) {
        const ss_simplex *e = &m->simplex[i];
        for (int j = 0; j < e->nodes; j++) {
            for (int k = 0; k < j; k++) {
                ss_pattern_pair(m, e->at[j].body, e->at[k].body, &m->force_pattern);
            }
        }
    }
}

/* pairs of bodies whose forces depend on each other: forces, elements and motors */
static ss_status build_pattern(ss_compiler *x)
{
    enum { EDGES = SS_SIMPLEX_NODES * (SS_SIMPLEX_NODES - 1) / 2 };
    ss_model *m = x->m;
    SS_TRY(ss_pattern_start(x->ctx, m, m->forces + EDGES * m->simplices + m->joints, &m->force_pattern));
    add_solids(m);
    for (int i = 0; i < m->forces; i++) {
        ss_pattern_pair(m, m->force[i].at[0].body, m->force[i].at[1].body, &m->force_pattern);
    }
    for (int j = 0; j < m->joints; j++) {
        if (m->joint[j].motor.force || ss_joint_has_drive(&m->joint[j])) {
            ss_pattern_pair(m, m->joint[j].at[0].body, m->joint[j].at[1].body, &m->force_pattern);
        }
    }
    ss_pattern_finish(m, &m->force_pattern);
    return SS_OK;
}

ss_status ss_compile_forces(ss_compiler *x)
{
    ss_model *m = x->m;
    m->forces = x->scene->forces + ss_element_count(x->scene);
    SS_TRY(ss_calloc(x->ctx, (size_t)m->forces, sizeof *m->force, &m->force));
    SS_TRY(ss_calloc(x->ctx, (size_t)x->scene->forces, sizeof *m->force_name, &m->force_name));
    for (int i = 0; i < x->scene->forces; i++) {
        SS_TRY(compile_force(x, i));
    }
    SS_TRY(ss_compile_elements(x));
    SS_TRY(ss_compile_solids(x));
    return build_pattern(x);
}
