/* queries.c - what others may ask a compiled model: sizes, names, offsets, laws, who may touch whom, when forces jump. */
#include "model/drives.h"
#include <math.h>
#include <stdlib.h>

int ss_model_dimension(const ss_model *m) { return m->dimension; }

int ss_model_nq(const ss_model *m) { return m->nq - m->counters; }

int ss_model_nv(const ss_model *m) { return m->nv; }

int ss_model_body_count(const ss_model *m) { return m->bodies; }

int ss_model_joint_count(const ss_model *m) { return m->joints; }

static bool is_body(const ss_model *m, int body) { return body >= 0 && body < m->bodies; }

static bool is_joint(const ss_model *m, int joint) { return joint >= 0 && joint < m->joints; }

const char *ss_model_body_name(const ss_model *m, int body) { return is_body(m, body) ? m->body_name[body] : NULL; }

ss_body_type ss_model_body_type(const ss_model *m, int body) { return m->body_type[body]; }

const char *ss_model_joint_name(const ss_model *m, int joint) { return is_joint(m, joint) ? m->joint_name[joint] : NULL; }

int ss_model_joint_rows(const ss_model *m, int joint)
{
    if (!is_joint(m, joint)) {
        return 0;
    }
    const ss_joint *j = &m->joint[joint];
    return j->rows + (j->motor.row || j->motor.bounded || ss_motor_is_servo(&j->motor));
}

const char *ss_model_joint_row_name(const ss_model *m, int joint, int row)
{
    if (row < 0 || row >= ss_model_joint_rows(m, joint)) {
        return NULL;
    }
    const ss_joint *j = &m->joint[joint];
    return row < j->rows ? j->type->row_name[m->dimension - 2][row] : j->type->angular ? "motor.torque" : "motor.force";
}

int ss_model_body_q(const ss_model *m, int body) { return is_body(m, body) ? m->body_q[body] : -1; }

int ss_model_body_v(const ss_model *m, int body) { return is_body(m, body) ? m->body_v[body] : -1; }

const double *ss_model_initial_q(const ss_model *m) { return m->q0; }

const double *ss_model_initial_v(const ss_model *m) { return m->v0; }

double ss_model_length_scale(const ss_model *m) { return m->length; }

const ss_scene_settings *ss_model_settings(const ss_model *m) { return &m->settings; }

int ss_model_vector_size(const ss_model *m, int body, int first)
{
    if (m->body_type[body] == SS_BODY_BLOCK) {
        return 1;
    }
    return first < m->dimension ? m->dimension : m->mass.diagonal.size[m->body_block[body]] - m->dimension;
}

/* ---- laws and pairs ---------------------------------------------------------------------------------- */

const ss_pair_law *ss_model_pair_law(const ss_model *m, int shape_a, int shape_b)
{
    return &m->pair[m->shape_material[shape_a] * m->materials + m->shape_material[shape_b]];
}

static int compare_pairs(const void *x, const void *y)
{
    const ss_index_pair *p = x, *q = y;
    return p->a != q->a ? (p->a > q->a) - (p->a < q->a) : (p->b > q->b) - (p->b < q->b);
}

bool ss_model_bodies_may_touch(const ss_model *m, int a, int b)
{
    if (a == b || (!ss_model_is_dynamic(m, a) && !ss_model_is_dynamic(m, b))) {
        return false;
    }
    const ss_index_pair key = a < b ? (ss_index_pair){ a, b } : (ss_index_pair){ b, a };
    return m->excluded_count == 0 || !bsearch(&key, m->excluded, (size_t)m->excluded_count, sizeof key, compare_pairs);
}

bool ss_model_may_touch(const ss_model *m, int shape_a, int shape_b)
{
    return ss_can_collide(m->shape[shape_a].kind, m->shape[shape_b].kind) &&
           ss_model_bodies_may_touch(m, m->shape_body[shape_a], m->shape_body[shape_b]);
}

/* pairs of kinds that can meet, each side counted by kind */
static int64_t meeting(const int64_t x[SS_SHAPE_KINDS], const int64_t y[SS_SHAPE_KINDS])
{
    int64_t sum = 0;
    for (int i = 0; i < SS_SHAPE_KINDS; i++) {
        for (int j = 0; j < SS_SHAPE_KINDS; j++) {
            sum += ss_can_collide((ss_shape_kind)i, (ss_shape_kind)j) ? x[i] * y[j] : 0;
        }
    }
    return sum;
}

static void count_kinds(const ss_model *m, int body, int64_t count[SS_SHAPE_KINDS])
{
    for (int k = m->shape_start[body]; k < m->shape_start[body + 1]; k++) {
        count[m->shape[k].kind]++;
    }
}

/* by counting, linear in shapes: (dynamic, dynamic) / 2 + (dynamic, other), less those of one body, less the jointed */
int64_t ss_model_potential_pairs(const ss_model *m)
{
    int64_t dynamic[SS_SHAPE_KINDS] = { 0 }, other[SS_SHAPE_KINDS] = { 0 }, twice_own = 0, jointed = 0;
    for (int b = 0; b < m->bodies; b++) {
        int64_t own[SS_SHAPE_KINDS] = { 0 };
        count_kinds(m, b, ss_model_is_dynamic(m, b) ? dynamic : other);
        count_kinds(m, b, own);
        twice_own += ss_model_is_dynamic(m, b) ? meeting(own, own) : 0;
    }
    for (int k = 0; k < m->excluded_count; k++) {
        int64_t a[SS_SHAPE_KINDS] = { 0 }, b[SS_SHAPE_KINDS] = { 0 };
        count_kinds(m, m->excluded[k].a, a);
        count_kinds(m, m->excluded[k].b, b);
        jointed += meeting(a, b);
    }
    return (meeting(dynamic, dynamic) - twice_own) / 2 + meeting(dynamic, other) - jointed;
}

/* ---- when forces jump -------------------------------------------------------------------------------- */

/* the first kink so far, `*first`, or that of an expression; NULL: it has none */
static void look_at(const ss_expr *expr, double t, double *first, double until)
{
    if (expr) {
        *first = fmin(*first, ss_expr_next_kink(expr, t, fmin(*first, until)));
    }
}

static double next_row(const ss_table *table, double t, double until)
{
    int low = 0, high = table->rows; /* rows before `low` are not after t, from `high` on they are */
    while (low < high) {
        int middle = low + (high - low) / 2;
        low = table->t[middle] <= t ? middle + 1 : low;
        high = table->t[middle] <= t ? high : middle;
    }
    return low < table->rows && table->t[low] <= until ? table->t[low] : INFINITY;
}

double ss_model_next_kink(const ss_model *m, double t, double until)
{
    double first = INFINITY;
    for (int i = 0; i < m->forces; i++) {
        const ss_force *force = &m->force[i];
        first = fmin(first, next_row(&force->table, t, until));
        for (int k = 0; k < 3; k++) {
            look_at(force->force_t[k], t, &first, until);
            look_at(force->torque_t[k], t, &first, until);
        }
    }
    for (int j = 0; j < m->joints; j++) {
        look_at(m->joint[j].motor.speed, t, &first, until);
        look_at(m->joint[j].motor.force, t, &first, until);
        look_at(m->joint[j].motor.position, t, &first, until);
    }
    for (int b = 0; b < m->bodies; b++) {
        for (int k = 0; k < 3; k++) {
            look_at(m->body_motion[b][k], t, &first, until);
        }
        look_at(m->body_motion_angle[b], t, &first, until);
    }
    return first;
}
