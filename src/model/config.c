/* config.c - where every body is, how driven bodies move, and the map between world twists and velocities.
 *
 *   particle   v = lin                       R = 1
 *   rigid 2D   v = (lin.x, lin.y, w)         R = rotation by the angle
 *   rigid 3D   v = (lin, R' ang)             angular velocity in the body frame
 *   driven     p = x(t),  R = rot(axis, a(t) - a(0)) R_0
 *
 * Retraction  q (+) h v: p + h v, angle + h w, quaternion times exp(h w); difference is its inverse for
 *             turns below pi, and beyond for who has a guess of them. In 2D the angle is a number on the line: it is never
 *             wrapped. Turn counters of hinges in 3D move along: turns.c.
 * Chart       q = q0 (+) x while the body turns with w:  exp(x)' = exp(x) w, solved for x'
 *             x' = w + x x w / 2 + c(|x|) x x (x x w),   c(a) = (1 - (a/2) cot(a/2)) / a^2 = 1/12 + a^2/720 + ...
 * Drive       mean over [t0, t1]: differences of x and a, so that a driven body meets its path at t1 exactly.
 *             At an instant: the exact derivatives of the expressions, of the velocity too; from the right where there is a
 *             kink, and 2^-15 s later where they are not finite (math/expr.h).
 * Gaps        of user blocks are evaluated when they are asked for, once (blocks.c)
 * Cost        linear in the number of bodies; nothing is allocated */
#include "base/parallel.h"
#include "model/blocks.h"

enum { GRAIN = 512 }; /* bodies that a thread takes in one go */

ss_status ss_config_take(ss_arena *arena, const ss_model *m, ss_config *out)
{
    *out = (ss_config){ 0 };
    SS_TRY(ss_arena_take_raw(arena, (size_t)m->bodies + 1, sizeof *out->frame, &out->frame));
    out->drive = out->drive_rate = m->still; /* nobody writes to them */
    if (!m->still) {
        SS_TRY(ss_arena_take(arena, 2 * ((size_t)m->bodies + 1), sizeof *out->drive, &out->drive));
        SS_TRY(ss_arena_take(arena, 2 * ((size_t)m->bodies + 1), sizeof *out->drive_rate, &out->drive_rate));
    }
    if (m->has_gaps) {
        SS_TRY(ss_arena_take(arena, (size_t)m->bodies, sizeof *out->gaps, &out->gaps));
    }
    for (int b = 0; b < m->bodies && m->has_gaps; b++) {
        SS_TRY(ss_block_gaps_take(arena, m, b, &out->gaps[b]));
    }
    return SS_OK;
}

/* ---- frames ------------------------------------------------------------------------------------- */

double ss_model_driven_angle(const ss_model *m, int body, double t)
{
    const ss_expr *angle = m->body_motion_angle[body];
    return angle ? ss_expr_eval(angle, t) - m->body_motion_zero[body] : 0;
}

static ss_vec3 driven_point(const ss_model *m, int body, double t)
{
    double x[3];
    ss_v3_to(m->body_frame0[body].p, x);
    for (int k = 0; k < 3; k++) {
        if (m->body_motion[body][k]) {
            x[k] = ss_expr_eval(m->body_motion[body][k], t);
        }
    }
    return ss_v3_from(x);
}

static ss_frame driven_frame(const ss_model *m, int body, double t)
{
    ss_frame f = { driven_point(m, body, t), m->body_frame0[body].R };
    if (m->body_motion_angle[body] && m->dimension == 2) {
        f.R = ss_rotation_z(m->body_angle0[body] + ss_model_driven_angle(m, body, t));
    } else if (m->body_motion_angle[body]) {
        ss_quat turn = ss_quat_axis(m->body_motion_axis[body], ss_model_driven_angle(m, body, t));
        f.R = ss_compose(ss_quat_matrix(turn), f.R);
    }
    return f;
}

static ss_frame dynamic_frame(const ss_model *m, int body, const double *q)
{
    const double *x = q + m->body_q[body];
    ss_frame f = ss_frame_identity();
    if (m->body_type[body] == SS_BODY_BLOCK) {
        return f;
    }
    f.p = ss_v3(x[0], x[1], m->dimension == 3 ? x[2] : 0);
    if (m->body_type[body] == SS_BODY_RIGID) {
        f.R = m->dimension == 2 ? ss_rotation_z(x[2]) : ss_quat_matrix(ss_quat_from(x + 3));
    }
    return f;
}

ss_frame ss_model_frame(const ss_model *m, int body, double t, const double *q)
{
    if (body == m->bodies) {
        return ss_frame_identity();
    }
    if (m->body_type[body] == SS_BODY_FIXED) {
        return m->body_frame0[body];
    }
    return m->body_type[body] == SS_BODY_DRIVEN ? driven_frame(m, body, t) : dynamic_frame(m, body, q);
}

typedef struct frames_job {
    const ss_model *m;
    ss_config *c;
} frames_job;

static void set_frames(void *data, int begin, int end)
{
    const frames_job *x = data;
    for (int b = begin; b < end; b++) {
        x->c->frame[b] = ss_model_frame(x->m, b, x->c->t, x->c->q);
    }
}

void ss_config_set(const ss_model *m, double t, const double *q, ss_config *c)
{
    c->t = t;
    c->q = q;
    ss_parallel_for(m->ctx, m->bodies + 1, GRAIN, set_frames, &(frames_job){ m, c });
    if (!m->still) {
        memset(c->drive, 0, 2 * ((size_t)m->bodies + 1) * sizeof *c->drive);
        memset(c->drive_rate, 0, 2 * ((size_t)m->bodies + 1) * sizeof *c->drive_rate);
    }
    for (int b = 0; b < m->bodies && m->has_gaps; b++) {
        c->gaps[b].known = false;
    }
}

void ss_model_body_pose(const ss_model *m, int body, double t, const double *q, double position[3], double orientation[4],
                        double *angle)
{
    if (body < 0 || body >= m->bodies) {
        ss_v3_to(ss_v3(NAN, NAN, NAN), position);
        ss_quat_to((ss_quat){ NAN, NAN, NAN, NAN }, orientation);
        *angle = NAN;
        return;
    }
    ss_body_type type = m->body_type[body];
    ss_frame f = ss_model_frame(m, body, t, q);
    ss_quat turn = m->body_quat0[body];
    double a = m->body_angle0[body];
    if (type == SS_BODY_DRIVEN) {
        turn = ss_quat_product(ss_quat_axis(m->body_motion_axis[body], ss_model_driven_angle(m, body, t)), turn);
        a += ss_model_driven_angle(m, body, t);
    } else if (type == SS_BODY_RIGID && m->dimension == 3) {
        turn = ss_quat_from(q + m->body_q[body] + 3);
    } else if (type == SS_BODY_RIGID) {
        a = q[m->body_q[body] + 2];
        turn = ss_quat_axis(ss_v3(0, 0, 1), a);
    }
    ss_v3_to(f.p, position);
    ss_quat_to(turn, orientation);
    *angle = a;
}

/* ---- driven bodies -------------------------------------------------------------------------------- */

/* velocity and acceleration: those of the chord over [t0, t1], or of an instant */
static void rates(const ss_expr *x, double t0, double t1, double *velocity, double *acceleration)
{
    double d[3] = { 0, 0, 0 };
    bool moves = x && !ss_expr_is_constant(x);
    if (moves && t1 == t0) {
        ss_expr_jet(x, t0, d);
    } else if (moves) {
        d[1] = (ss_expr_eval(x, t1) - ss_expr_eval(x, t0)) / (t1 - t0);
    }
    *velocity = d[1];
    *acceleration = d[2];
}

void ss_config_drive(const ss_model *m, double t0, double t1, ss_config *c)
{
    for (int b = 0; b < m->bodies; b++) {
        if (m->body_type[b] == SS_BODY_DRIVEN) {
            double v[4], a[4];
            for (int k = 0; k < 3; k++) {
                rates(m->body_motion[b][k], t0, t1, &v[k], &a[k]);
            }
            rates(m->body_motion_angle[b], t0, t1, &v[3], &a[3]);
            c->drive[2 * b] = ss_v3_from(v);
            c->drive[2 * b + 1] = ss_scale(v[3], m->body_motion_axis[b]);
            c->drive_rate[2 * b] = ss_v3_from(a);
            c->drive_rate[2 * b + 1] = ss_scale(a[3], m->body_motion_axis[b]);
        }
    }
}

/* Acceleration that leads from the mean velocity over [t0, t1] to that of t1: by the difference of the two, or the acceleration
 * at t1 where that is less. Both are the same up to O(t1 - t0) in smooth motion; where there is a kink in between, or at t1, they
 * are not, and what they agree on never leads beyond the velocity of the end. */
static double bend(const ss_expr *x, double t0, double t1, double mean)
{
    double d[3], from_mean;
    if (!x || ss_expr_is_constant(x)) {
        return 0;
    }
    ss_expr_jet(x, t1, d);
    from_mean = 2 * (d[1] - mean) / (t1 - t0);
    return from_mean * d[2] > 0 ? copysign(fmin(fabs(from_mean), fabs(d[2])), d[2]) : 0;
}

void ss_config_bend(const ss_model *m, double t0, double t1, ss_config *c)
{
    for (int b = 0; b < m->bodies; b++) {
        if (m->body_type[b] == SS_BODY_DRIVEN) {
            const ss_vec3 *mean = &c->drive[2 * b], axis = m->body_motion_axis[b];
            ss_expr *const *x = m->body_motion[b];
            c->drive_rate[2 * b] =
                ss_v3(bend(x[0], t0, t1, mean[0].x), bend(x[1], t0, t1, mean[0].y), bend(x[2], t0, t1, mean[0].z));
            c->drive_rate[2 * b + 1] = ss_scale(bend(m->body_motion_angle[b], t0, t1, ss_dot(mean[1], axis)), axis);
        }
    }
}

/* ---- moving on the manifold -------------------------------------------------------------------------- */

static bool has_quaternion(const ss_model *m, int body) { return m->body_type[body] == SS_BODY_RIGID && m->dimension == 3; }

/* coordinates of a body that are plain numbers: all of them, or the position before a quaternion */
static int plain_count(const ss_model *m, int body)
{
    return has_quaternion(m, body) ? 3 : m->mass.diagonal.size[m->body_block[body]];
}

void ss_model_retract_body(const ss_model *m, int body, const double *q, const double *v, double h, double *out)
{
    int iq = m->body_q[body], iv = m->body_v[body];
    for (int k = 0; k < plain_count(m, body); k++) {
        out[iq + k] = q[iq + k] + h * v[iv + k];
    }
    if (has_quaternion(m, body)) {
        ss_quat turn = ss_quat_exp(ss_scale(h, ss_v3_from(v + iv + 3)));
        ss_quat_to(ss_quat_unit(ss_quat_product(ss_quat_from(q + iq + 3), turn)), out + iq + 3);
    }
}

typedef struct retraction {
    const ss_model *m;
    const double *q, *v;
    double h, *out;
} retraction;

static void retract_range(void *data, int begin, int end)
{
    const retraction *x = data;
    for (int b = begin; b < end; b++) {
        if (ss_model_is_dynamic(x->m, b)) {
            ss_model_retract_body(x->m, b, x->q, x->v, x->h, x->out);
        }
    }
}

void ss_model_retract(const ss_model *m, const double *q, const double *v, double h, double *out)
{
    ss_parallel_for(m->ctx, m->bodies, GRAIN, retract_range, &(retraction){ m, q, v, h, out });
    ss_turns_retract(m, q, v, h, out);
}

/* guess NULL: shortest rotations */
static void body_difference(const ss_model *m, int body, const double *q0, const double *q1, const double *guess, double *v)
{
    const int iq = m->body_q[body], iv = m->body_v[body], plain = plain_count(m, body);
    for (int k = 0; k < plain; k++) {
        v[iv + k] = q1[iq + k] - q0[iq + k];
    }
    if (has_quaternion(m, body)) {
        const ss_quat turn = ss_quat_product(ss_quat_conjugate(ss_quat_from(q0 + iq + 3)), ss_quat_from(q1 + iq + 3));
        ss_v3_to(guess ? ss_quat_log_near(turn, ss_v3_from(guess + iv + 3)) : ss_quat_log(turn), v + iv + 3);
    }
}

static void difference(const ss_model *m, const double *q0, const double *q1, const double *guess, double *v)
{
    for (int b = 0; b < m->bodies; b++) {
        if (ss_model_is_dynamic(m, b)) {
            body_difference(m, b, q0, q1, guess, v);
        }
    }
}

void ss_model_difference_body(const ss_model *m, int body, const double *q0, const double *q1, double *v)
{
    body_difference(m, body, q0, q1, NULL, v);
}

void ss_model_difference(const ss_model *m, const double *q0, const double *q1, double *v) { difference(m, q0, q1, NULL, v); }

void ss_model_difference_near(const ss_model *m, const double *q0, const double *q1, const double *guess, double *v)
{
    difference(m, q0, q1, guess, v);
}

/* c(a) of the header. Cancellation takes digits from c, not from c a^2, which is what counts; at a = 1/8, where the series ends,
 * a^2 times its next term is 2e-17. */
static double chart_coefficient(double a)
{
    double s = a * a;
    return a < 0.125 ? 1.0 / 12 + s * (1.0 / 720 + s * (1.0 / 30240 + s / 1209600)) : (1 - 0.5 * a / tan(0.5 * a)) / s;
}

void ss_model_chart_rate(const ss_model *m, const double *x, const double *v, double *out)
{
    for (int b = 0; b < m->bodies; b++) {
        if (!ss_model_is_dynamic(m, b)) {
            continue;
        }
        int iv = m->body_v[b];
        memmove(out + iv, v + iv, (size_t)plain_count(m, b) * sizeof *out);
        if (has_quaternion(m, b)) {
            ss_vec3 r = ss_v3_from(x + iv + 3), w = ss_v3_from(v + iv + 3), side = ss_cross(r, w);
            ss_vec3 rate = ss_axpy(chart_coefficient(ss_norm(r)), ss_cross(r, side), ss_axpy(0.5, side, w));
            ss_v3_to(rate, out + iv + 3);
        }
    }
}

/* ---- twists ----------------------------------------------------------------------------------- */

void ss_model_twist(const ss_model *m, const ss_config *c, const double *v, int body, ss_vec3 out[2])
{
    out[0] = c->drive[2 * body];
    out[1] = c->drive[2 * body + 1];
    if (!ss_model_is_dynamic(m, body) || m->body_type[body] == SS_BODY_BLOCK) {
        return;
    }
    const double *x = v + m->body_v[body];
    out[0] = ss_v3(x[0], x[1], m->dimension == 3 ? x[2] : 0);
    if (m->body_type[body] == SS_BODY_RIGID) {
        out[1] = m->dimension == 2 ? ss_v3(0, 0, x[2]) : ss_rotate(c->frame[body].R, ss_v3_from(x + 3));
    }
}
