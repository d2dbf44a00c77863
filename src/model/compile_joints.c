/* compile_joints.c - joints: bodies, anchors, bases, limits, motors, rows, turn counters, and the pairs of bodies they keep
 * apart.
 *
 * Anchors are given in the bodies' frames, or as one world point `at` t = 0. What a type keeps beside that (basis,
 * length, origin of its coordinate) it sets itself in `prepare`. Whether the start agrees with the joint is
 * looked at later, when the length scale is known (compile_start.c). Joints that couple others name them, and come after them. */
#include "model/compile.h"

#include "model/assemble.h"
#include "model/attachment.h"
#include "model/drives.h"
#include "model/primitives.h"
#include <stdlib.h>

/* ---- bodies and anchors -------------------------------------------------------------------------------- */

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

/* ---- limits, motors, springs ------------------------------------------------------------------------------------- */

static ss_status check_coordinate(ss_compiler *x, const char *path, const ss_joint_desc *d, const ss_joint *joint)
{
    const bool limited = d->limits[0] != -INFINITY || d->limits[1] != INFINITY,
               driven = d->motor.speed || d->motor.force || d->motor.position;
    const ss_resistance_desc *own = &d->resistance;
    const char *key = limited              ? "limits"
                      : driven             ? "motor"
                      : own->stiffness > 0 ? "stiffness"
                      : own->damping > 0   ? "damping"
                      : own->friction > 0  ? "friction"
                                           : NULL;
    if (!key) {
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

/* what a motor says does not contradict itself */
static ss_status check_motor(ss_compiler *x, const char *path, const ss_motor_desc *d)
{
    const int targets = (d->speed != NULL) + (d->force != NULL) + (d->position != NULL);
    if (targets > 1) {
        return ss_fail(x->ctx, SS_ERR_INPUT, "%s.motor: expected one of speed, force and position, got %d of them", path,
                       targets);
    }
    if (d->max != INFINITY && !(d->max > 0)) {
        return ss_fail(x->ctx, SS_ERR_INPUT, "%s.motor.max: expected a number > 0, got %g", path, d->max);
    }
    if (d->max != INFINITY && !d->speed && !d->position) {
        return ss_fail(x->ctx, SS_ERR_INPUT,
                       "%s.motor.max: bounds the force that holds a speed or a position, but neither is given", path);
    }
    if (!(d->stiffness >= 0 && isfinite(d->stiffness)) || !(d->damping >= 0 && isfinite(d->damping))) {
        return ss_fail(x->ctx, SS_ERR_INPUT, "%s.motor: expected stiffness and damping >= 0, got %g and %g", path, d->stiffness,
                       d->damping);
    }
    if (d->stiffness > 0 && !d->position) {
        return ss_fail(x->ctx, SS_ERR_INPUT, "%s.motor.stiffness: it is that of a position, but no position is given", path);
    }
    if (d->damping > 0 && !d->position && !d->speed) {
        return ss_fail(x->ctx, SS_ERR_INPUT, "%s.motor.damping: it is that of a position or a speed, but neither is given", path);
    }
    if (d->position && !(d->stiffness > 0)) {
        return ss_fail(x->ctx, SS_ERR_INPUT, "%s.motor.position: a position is held with a stiffness > 0, got %g", path,
                       d->stiffness);
    }
    return SS_OK;
}

static ss_status compile_motor(ss_compiler *x, const char *path, const ss_motor_desc *d, ss_joint *joint)
{
    ss_motor *motor = &joint->motor;
    SS_TRY(check_motor(x, path, d));
    SS_TRY(ss_compile_expr(x, path, "motor.speed", d->speed, &motor->speed));
    SS_TRY(ss_compile_expr(x, path, "motor.force", d->force, &motor->force));
    SS_TRY(ss_compile_expr(x, path, "motor.position", d->position, &motor->position));
    motor->max = d->max;
    motor->stiffness = d->stiffness;
    motor->damping = d->damping;
    const bool hard = motor->speed && !ss_motor_is_servo(motor), bounded = d->max != INFINITY;
    motor->row = hard && !bounded;
    motor->bounded = hard && bounded;
    return SS_OK;
}

/* the coordinate at t = 0, in the turn of `start` */
static double initial_coordinate(const ss_model *m, const ss_joint *joint)
{
    ss_twist_row row;
    ss_spot s[2];
    for (int k = 0; k < 2; k++) {
        s[k] = ss_spot_in_frame(frame_of(m, joint->at[k].body), joint->at[k].point, NULL);
    }
    return joint->type->coordinate(joint, m->dimension, s, &row);
}

static ss_status compile_resistance(ss_compiler *x, const char *path, const ss_joint_desc *d, ss_joint *joint)
{
    const ss_resistance_desc *own = &d->resistance;
    joint->resistance = (ss_resistance){ own->stiffness, own->rest, own->damping, own->friction };
    if (isnan(own->rest)) {
        joint->resistance.rest = joint->type->coordinate ? initial_coordinate(x->m, joint) : 0;
    } else if (!(own->stiffness > 0)) {
        return ss_fail(x->ctx, SS_ERR_INPUT, "%s.rest: it is that of a spring, but no stiffness > 0 is given", path);
    }
    return SS_OK;
}

/* ---- couplings of joints ---------------------------------------------------------------------------------- */

static ss_status find_joint(ss_compiler *x, const char *path, const char *name, int *out)
{
    const char **names = NULL;
    const ss_model *m = x->m;
    for (*out = 0; *out < m->joints; (*out)++) {
        if (name && strcmp(name, m->joint_name[*out]) == 0) {
            return SS_OK;
        }
    }
    SS_TRY(ss_calloc(x->ctx, (size_t)m->joints, sizeof *names, &names));
    memcpy(names, m->joint_name, (size_t)m->joints * sizeof *names);
    const ss_status status = ss_fail_unknown(x, path, "joints", "joint", name ? name : "", m->joints, names);
    ss_free(x->ctx, names);
    return status;
}

static bool is_angle(const ss_joint *joint) { return joint->type->coordinate && joint->type->angular; }

static bool is_displacement(const ss_joint *joint) { return joint->type->coordinate && !joint->type->angular; }

/* both coordinates are of the kinds that the type couples: a gear has a ratio, a rack a radius */
static ss_status check_parts(ss_compiler *x, const char *path, bool gear, const int part[2])
{
    const ss_joint *first = &x->m->joint[part[0]], *second = &x->m->joint[part[1]];
    if (part[0] == part[1]) {
        return ss_fail(x->ctx, SS_ERR_INPUT, "%s.joints: expected two different joints, got \"%.80s\" twice", path,
                       x->m->joint_name[part[0]]);
    }
    if (!is_angle(first) || (gear ? !is_angle(second) : !is_displacement(second))) {
        const int wrong = is_angle(first) ? 1 : 0;
        return ss_fail(x->ctx, SS_ERR_INPUT, "%s.joints: expected a joint with %s, got \"%.80s\", a %s joint", path,
                       gear || wrong == 0 ? "an angle" : "a displacement", x->m->joint_name[part[wrong]],
                       x->m->joint[part[wrong]].type->info.name);
    }
    return SS_OK;
}

static ss_status compile_coupling(ss_compiler *x, const char *path, const ss_gearing_desc *d, ss_joint *joint)
{
    const ss_model *m = x->m;
    ss_gearing *gearing = &joint->gearing;
    const bool gear = !isnan(d->ratio);
    gearing->ratio = gear ? d->ratio : d->radius;
    if (gearing->ratio == 0) {
        return ss_fail(x->ctx, SS_ERR_INPUT, "%s.%s: expected a number other than 0", path, gear ? "ratio" : "radius");
    }
    for (int k = 0; k < 2; k++) {
        SS_TRY(find_joint(x, path, d->joints[k], &gearing->joint[k]));
    }
    SS_TRY(check_parts(x, path, gear, gearing->joint));
    for (int k = 0; k < 2; k++) {
        const ss_joint *part = &m->joint[gearing->joint[k]];
        joint->at[k] = part->at[ss_model_is_dynamic(m, part->at[1].body) ? 1 : 0];
        gearing->offset += (k == 0 ? -gearing->ratio : 1) * initial_coordinate(m, part);
    }
    return SS_OK;
}

/* after all other joints, which it may name before they come in the scene */
static ss_status compile_couplings(ss_compiler *x)
{
    char path[SS_PATH_SIZE];
    for (int j = 0; j < x->m->joints; j++) {
        if (x->m->joint[j].type->couples) {
            ss_part_path(path, sizeof path, "joints", x->scene->joint[j].name, j);
            SS_TRY(compile_coupling(x, path, &x->scene->joint[j].gearing, &x->m->joint[j]));
        }
    }
    return SS_OK;
}

/* ---- one joint ------------------------------------------------------------------------------------------------ */

/* bodies, anchors, basis, and what the type keeps */
static ss_status place_joint(ss_compiler *x, const char *path, const ss_joint_desc *d, ss_joint *joint)
{
    const ss_model *m = x->m;
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
    SS_TRY(compile_resistance(x, path, d, joint));
    joint->rows = joint->type->rows(joint, m->dimension);
    return ss_model_keep_numbers(x->m, joint->type->outside ? d->number : NULL, SS_OWN_NUMBERS, &joint->number);
}

static ss_status compile_joint(ss_compiler *x, int j, const char *path)
{
    const ss_joint_desc *d = &x->scene->joint[j];
    ss_model *m = x->m;
    ss_joint *joint = &m->joint[j];
    const ss_entry *entry;
    SS_TRY(ss_compile_type(x, path, SS_JOINTS, "joint", d->type, &entry));
    joint->type = (const ss_joint_type *)(const void *)entry; /* its first member */
    if (!(joint->type->info.dimensions & (1u << m->dimension))) {
        return ss_fail(x->ctx, SS_ERR_INPUT, "%s.type: %s is not available in %dD scenes", path, joint->type->info.name,
                       m->dimension);
    }
    SS_TRY(ss_part_check(x->ctx, joint->type->info.fields, d, m->dimension, path));
    if (joint->type->couples) {
        joint->rows = 1;
        joint->limits[0] = -INFINITY;
        joint->limits[1] = INFINITY;
    } else {
        SS_TRY(place_joint(x, path, d, joint));
    }
    joint->first_row = m->nj;
    m->nj += joint->rows + joint->motor.row;
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
        int end = at + m->joint[j].rows + m->joint[j].motor.row;
        for (; at < end; at++) {
            m->row_joint[at] = j;
            m->row_motor[at] = m->joint[j].motor.row && at == end - 1;
        }
    }
    for (int b = 0; b < m->bodies; b++) {
        for (int k = 0; m->body_callbacks[b] && k < m->body_callbacks[b]->constraints; k++) {
            m->row_joint[at++] = -1 - b;
        }
    }
    return SS_OK;
}

/* every joint with an angle in 3D gets a turn counter, behind the coordinates of the bodies; in 2D angles of bodies are counted
 * already */
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
    SS_TRY(compile_couplings(x));
    SS_TRY(number_rows(x));
    SS_TRY(number_counters(x));
    SS_TRY(exclude_pairs(x));
    return build_pattern(x);
}
