/* compile_joints.c - joints: bodies, anchors, bases, limits, motors, rows, turn counters, and the pairs of bodies they keep
 * apart.
 *
 * Anchors are given in the bodies' frames, or as one world point `at` t = 0. What a type keeps beside that (basis,
 * length, origin of its coordinate) it sets itself in `prepare`. Whether the start agrees with the joint is
 * looked at later, when the length scale is known (compile_start.c). */
#include "model/compile.h"

#include "base/options.h"
#include "model/assemble.h"
#include "model/primitives.h"
#include <stdlib.h>

/* ---- bodies and anchors -------------------------------------------------------------------------------- */

static ss_status find_type(ss_compiler *x, const char *path, const char *type, const ss_joint_type **out)
{
    enum { MAX = 64 };
    const char *names[MAX];
    int n = 0;
    for (; ss_joint_types[n] && n < MAX; n++) {
        names[n] = ss_joint_types[n]->info.name;
        if (type && ss_entry_answers(&ss_joint_types[n]->info, type)) {
            *out = ss_joint_types[n];
            return SS_OK;
        }
    }
    return ss_fail_unknown(x, path, "type", "joint", type ? type : "", n, names);
}

static ss_frame frame_of(const ss_model *m, int body) { return body < m->bodies ? m->body_frame0[body] : ss_frame_identity(); }

static bool is_type(const ss_model *m, int body, ss_body_type type) { return body < m->bodies && m->body_type[body] == type; }

static ss_status check_bodies(ss_compiler *x, const char *path, const ss_joint *joint)
{
    const ss_model *m = x->m;
    const int b[2] = { joint->at[0].body, joint->at[1].body };
    if (b[0] == b[1]) {
        return ss_fail(x->ctx, SS_ERR_INPUT, "%s.bodies: a joint needs two different bodies, got one twice", path);
    }
    if (!ss_model_is_dynamic(m, b[0]) && !ss_model_is_dynamic(m, b[1])) {
        return ss_fail(x->ctx, SS_ERR_INPUT, "%s.bodies: neither body can move freely: expected a particle or a rigid body",
                       path);
    }
    for (int k = 0; k < 2; k++) {
        if (is_type(m, b[k], SS_BODY_BLOCK)) {
            return ss_fail(x->ctx, SS_ERR_INPUT, "%s.bodies: \"%.80s\" is a block, which has no frame for a joint", path,
                           m->body_name[b[k]]);
        }
        if (is_type(m, b[k], SS_BODY_PARTICLE) && (joint->type->turns & (1u << m->dimension))) {
            return ss_fail(x->ctx, SS_ERR_INPUT,
                           "%s.bodies: \"%.80s\" is a particle, which cannot turn; a %s joint needs rigid bodies", path,
                           m->body_name[b[k]], joint->type->info.name);
        }
    }
    return SS_OK;
}

static ss_status set_anchors(ss_compiler *x, const char *path, const ss_joint_desc *d, const ss_frame f[2], ss_joint *joint)
{
    bool at = !isnan(d->at[0]);
    for (int k = 0; k < 2; k++) {
        ss_vec3 given = ss_v3_from(d->anchors[k]);
        if (at && ss_norm(given) > 0) {
            return ss_fail(x->ctx, SS_ERR_INPUT, "%s.at: expected either at or anchors, got both", path);
        }
        ss_vec3 point = ss_v3(d->at[0], d->at[1], x->m->dimension == 3 ? d->at[2] : 0);
        joint->at[k].point = at ? ss_point_to_body(f[k], point) : given;
    }
    return SS_OK;
}

/* ---- limits and motors ------------------------------------------------------------------------------------- */

static ss_status check_coordinate(ss_compiler *x, const char *path, const ss_joint_desc *d, const ss_joint *joint)
{
    bool limited = d->limits[0] != -INFINITY || d->limits[1] != INFINITY, driven = d->motor.speed || d->motor.force;
    const char *key = limited ? "limits" : "motor";
    if (!limited && !driven) {
        return SS_OK;
    }
    if (!joint->type->coordinate) {
        return ss_fail(x->ctx, SS_ERR_INPUT, "%s.%s: a %s joint has no coordinate for it", path, key, joint->type->info.name);
    }
    for (int k = 0; k < 2; k++) {
        /* an angle needs two bodies that turn; a distance does not */
        if (is_type(x->m, joint->at[k].body, SS_BODY_PARTICLE) && joint->type->turns) {
            return ss_fail(x->ctx, SS_ERR_INPUT, "%s.%s: \"%.80s\" is a particle, which has no angle", path, key,
                           x->m->body_name[joint->at[k].body]);
        }
    }
    return SS_OK;
}

static ss_status compile_limits(ss_compiler *x, const char *path, const ss_joint_desc *d, ss_joint *joint)
{
    memcpy(joint->limits, d->limits, sizeof joint->limits);
    joint->e = d->restitution;
    if (joint->e > 0 && !isfinite(d->limits[0]) && !isfinite(d->limits[1])) {
        return ss_fail(x->ctx, SS_ERR_INPUT, "%s.restitution: it is that of limits, but no limits are given", path);
    }
    return check_coordinate(x, path, d, joint);
}

static ss_status compile_motor(ss_compiler *x, const char *path, const ss_motor_desc *d, ss_joint *joint)
{
    bool bounded = d->max != INFINITY;
    if (d->speed && d->force) {
        return ss_fail(x->ctx, SS_ERR_INPUT, "%s.motor: expected either speed or force, got both", path);
    }
    if (bounded && !(d->max > 0)) {
        return ss_fail(x->ctx, SS_ERR_INPUT, "%s.motor.max: expected a number > 0, got %g", path, d->max);
    }
    if (bounded && !d->speed) {
        return ss_fail(x->ctx, SS_ERR_INPUT, "%s.motor.max: bounds the force that holds a speed, but no speed is given", path);
    }
    SS_TRY(ss_compile_expr(x, path, "motor.speed", d->speed, &joint->speed));
    SS_TRY(ss_compile_expr(x, path, "motor.force", d->force, &joint->force));
    joint->max = d->max;
    joint->motor_row = joint->speed && !bounded;
    joint->motor_bounded = joint->speed && bounded;
    return SS_OK;
}

/* ---- one joint ------------------------------------------------------------------------------------------------ */

static ss_status compile_joint(ss_compiler *x, int j, const char *path)
{
    const ss_joint_desc *d = &x->scene->joint[j];
    ss_model *m = x->m;
    ss_joint *joint = &m->joint[j];
    SS_TRY(find_type(x, path, d->type, &joint->type));
    SS_TRY(ss_part_check(x->ctx, joint->type->info.fields, d, m->dimension, path));
    SS_TRY(ss_compile_body_ref(x, path, "bodies", d->bodies[0], &joint->at[0].body));
    SS_TRY(ss_compile_body_ref(x, path, "bodies", d->bodies[1], &joint->at[1].body));
    SS_TRY(check_bodies(x, path, joint));

    const ss_frame f[2] = { frame_of(m, joint->at[0].body), frame_of(m, joint->at[1].body) };
    SS_TRY(set_anchors(x, path, d, f, joint));
    ss_joint_set_basis(joint, ss_mat3_identity(), f);
    SS_TRY(compile_limits(x, path, d, joint));
    if (joint->type->prepare) {
        SS_TRY(joint->type->prepare(x->ctx, path, d, m->dimension, f, joint));
    }
    SS_TRY(compile_motor(x, path, &d->motor, joint));
    joint->rows = joint->type->rows(joint, m->dimension);
    joint->first_row = m->nj;
    m->nj += joint->rows + joint->motor_row;
    return SS_OK;
}

/* ---- rows and pairs --------------------------------------------------------------------------------------------- */

static ss_status number_rows(ss_compiler *x)
{
    ss_model *m = x->m;
    int at = 0;
    for (int b = 0; b < m->bodies; b++) {
        m->nj += m->body_callbacks[b] ? m->body_callbacks[b]->constraints : 0;
    }
    SS_TRY(ss_calloc(x->ctx, (size_t)m->nj, sizeof *m->row_joint, &m->row_joint));
    SS_TRY(ss_calloc(x->ctx, (size_t)m->nj, sizeof *m->row_motor, &m->row_motor));
    SS_TRY(ss_calloc(x->ctx, (size_t)m->nj, sizeof *m->row_unit, &m->row_unit));
    for (int j = 0; j < m->joints; j++) {
        int end = at + m->joint[j].rows + m->joint[j].motor_row;
        for (; at < end; at++) {
            m->row_joint[at] = j;
            m->row_motor[at] = m->joint[j].motor_row && at == end - 1;
        }
    }
    for (int b = 0; b < m->bodies; b++) {
        for (int k = 0; m->body_callbacks[b] && k < m->body_callbacks[b]->constraints; k++) {
            m->row_joint[at++] = -1 - b;
        }
    }
    return SS_OK;
}

/* every hinge in 3D gets a turn counter, behind the coordinates of the bodies; in 2D angles of bodies are counted already */
static ss_status number_counters(ss_compiler *x)
{
    ss_model *m = x->m;
    double *q = NULL;
    SS_TRY(ss_calloc(x->ctx, (size_t)m->joints, sizeof *m->counter_joint, &m->counter_joint));
    for (int j = 0; j < m->joints; j++) {
        const bool counts = m->joint[j].type->angular && m->dimension == 3;
        m->joint[j].turns.counter = counts ? m->nq + m->counters : -1;
        if (counts) {
            m->counter_joint[m->counters++] = j;
        }
    }
    SS_TRY(ss_calloc(x->ctx, (size_t)(m->nq + m->counters), sizeof *q, &q));
    memcpy(q, m->q0, (size_t)m->nq * sizeof *q);
    ss_free(x->ctx, m->q0);
    m->q0 = q;
    m->nq += m->counters;
    for (int j = 0; j < m->joints; j++) {
        if (m->joint[j].type->angular) {
            ss_turns_start(m, x->scene->joint[j].start, &m->joint[j]);
        }
    }
    return SS_OK;
}

static int compare_pairs(const void *x, const void *y)
{
    const ss_index_pair *p = x, *q = y;
    return p->a != q->a ? (p->a > q->a) - (p->a < q->a) : (p->b > q->b) - (p->b < q->b);
}

/* bodies joined by a joint do not touch, unless it says so: sorted, each pair once */
static ss_status exclude_pairs(ss_compiler *x)
{
    ss_model *m = x->m;
    int n = 0;
    SS_TRY(ss_calloc(x->ctx, (size_t)m->joints, sizeof *m->excluded, &m->excluded));
    for (int j = 0; j < m->joints; j++) {
        int a = m->joint[j].at[0].body, b = m->joint[j].at[1].body;
        if (a < m->bodies && b < m->bodies && !x->scene->joint[j].collide) {
            m->excluded[n++] = (ss_index_pair){ a < b ? a : b, a < b ? b : a };
        }
    }
    if (n > 0) {
        qsort(m->excluded, (size_t)n, sizeof *m->excluded, compare_pairs);
    }
    for (int k = 0; k < n; k++) {
        if (k == 0 || compare_pairs(&m->excluded[k], &m->excluded[m->excluded_count - 1]) != 0) {
            m->excluded[m->excluded_count++] = m->excluded[k];
        }
    }
    return SS_OK;
}

static ss_status build_pattern(ss_compiler *x)
{
    ss_model *m = x->m;
    SS_TRY(ss_pattern_start(x->ctx, m, m->joints, &m->joint_pattern));
    for (int j = 0; j < m->joints; j++) {
        ss_pattern_pair(m, m->joint[j].at[0].body, m->joint[j].at[1].body, &m->joint_pattern);
    }
    ss_pattern_finish(m, &m->joint_pattern);
    return SS_OK;
}

ss_status ss_compile_joints(ss_compiler *x)
{
    ss_model *m = x->m;
    size_t count = (size_t)x->scene->joints;
    char path[SS_PATH_SIZE], number[16];
    SS_TRY(ss_calloc(x->ctx, count, sizeof *m->joint, &m->joint));
    SS_TRY(ss_calloc(x->ctx, count, sizeof *m->joint_name, &m->joint_name));
    m->joints = x->scene->joints;
    for (int j = 0; j < m->joints; j++) {
        const char *name = x->scene->joint[j].name;
        ss_part_path(path, sizeof path, "joints", name, j);
        ss_part_path(number, sizeof number, "", NULL, j);
        SS_TRY(ss_model_keep_text(m, name ? name : number + 1, &m->joint_name[j]));
        SS_TRY(compile_joint(x, j, path));
    }
    SS_TRY(number_rows(x));
    SS_TRY(number_counters(x));
    SS_TRY(exclude_pairs(x));
    return build_pattern(x);
}
