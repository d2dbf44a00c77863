/* compile_start.c - the characteristic length of a scene, and whether its start agrees with its joints.
 *
 * Length      the largest of: radii of the finite shapes of moving bodies about their origin; distances of all bodies from
 *             their common centroid; lengths of anchors and distances between the anchors of a joint; lengths of
 *             springs; heights of triangles and tetrahedra.
 *             It turns, renumbers and rescales with the scene; 1 if everything is at one point.
 * Time        the smaller of: half a swing of a pendulum of the length; the time of the run. For blocks that give no time.
 * Units       of displacements along each velocity: the length, a radian, or what a block says.
 * Start       |g| <= SS_TOL_SCENE of the unit, |G v + drive - target| <= SS_TOL_SCENE of the largest speed in the scene, at
 *             least a length in a time (a motor that starts smoothly asks for 1e-78 rad/s of a scene at rest), coordinates
 *             within their limits. Input written with fewer digits than that is refused with the mismatch, since a scheme would
 *             otherwise begin with a jump that nobody asked for. */
#include "base/tolerances.h"
#include "model/compile.h"

#include "model/attachment.h"
#include "model/primitives.h"
#include "model/simplices.h"

/* ---- length ------------------------------------------------------------------------------------------ */

static double shapes_length(const ss_model *m)
{
    double length = 0;
    for (int k = 0; k < m->shapes; k++) {
        double r = ss_shape_radius(&m->shape[k]);
        if (isfinite(r) && ss_model_is_dynamic(m, m->shape_body[k])) {
            length = fmax(length, r);
        }
    }
    return length;
}

static double bodies_length(const ss_model *m)
{
    ss_vec3 centre = { 0, 0, 0 };
    double length = 0;
    int count = 0;
    for (int b = 0; b < m->bodies; b++) {
        if (m->body_type[b] != SS_BODY_BLOCK) {
            centre = ss_add(centre, m->body_frame0[b].p);
            count++;
        }
    }
    for (int b = 0; b < m->bodies; b++) {
        if (m->body_type[b] != SS_BODY_BLOCK) {
            length = fmax(length, ss_norm(ss_axpy(-1.0 / count, centre, m->body_frame0[b].p)));
        }
    }
    return length;
}

/* distance of two anchors, and of each from its body's origin; the world has no origin to measure from */
static double span_length(const ss_model *m, const ss_attachment at[2])
{
    ss_frame f[2];
    double length = 0;
    for (int k = 0; k < 2; k++) {
        f[k] = at[k].body < m->bodies ? m->body_frame0[at[k].body] : ss_frame_identity();
        length = at[k].body < m->bodies ? fmax(length, ss_norm(at[k].point)) : length;
    }
    return fmax(length, ss_norm(ss_span_between(at, f)));
}

/* half a swing of a pendulum of the length, or the time of the run; INFINITY if the scene gives neither */
static double find_time(const ss_model *m)
{
    double g = ss_norm(m->gravity);
    double swing = g > 0 ? acos(-1) * sqrt(m->length / g) : INFINITY,
           run = isnan(m->settings.until) ? INFINITY : m->settings.until;
    return fmin(swing, run);
}

static double unit_of(const ss_model *m, int body, int k)
{
    const ss_block *block = m->body_callbacks[body];
    if (block) {
        return block->unit ? block->unit[k] : m->length;
    }
    return k < m->dimension ? m->length : 1;
}

static ss_status set_units(ss_compiler *x)
{
    ss_model *m = x->m;
    SS_TRY(ss_calloc(x->ctx, (size_t)m->nv, sizeof *m->v_unit, &m->v_unit));
    for (int b = 0; b < m->bodies; b++) {
        for (int k = 0; k < ss_attachment_dofs(m, b); k++) {
            m->v_unit[m->body_v[b] + k] = unit_of(m, b, k);
        }
    }
    return SS_OK;
}

ss_status ss_compile_scale(ss_compiler *x)
{
    ss_model *m = x->m;
    double length = fmax(shapes_length(m), bodies_length(m));
    for (int j = 0; j < m->joints; j++) {
        double held = isnan(m->joint[j].length) ? 0 : m->joint[j].length;
        length = fmax(length, fmax(held, span_length(m, m->joint[j].at)));
    }
    for (int i = 0; i < m->forces; i++) {
        if (m->force[i].type->two_bodies) {
            length = fmax(length, fmax(m->force[i].length, span_length(m, m->force[i].at)));
        }
    }
    length = fmax(length, ss_simplices_length(m));
    m->length = !isnan(m->settings.length_scale) ? m->settings.length_scale : length > 0 ? length : 1;
    if (!isfinite(m->length)) {
        return ss_fail(x->ctx, SS_ERR_INPUT, "the scene is too large: its length scale is %g", m->length);
    }
    m->time = isfinite(find_time(m)) ? find_time(m) : 1;
    return set_units(x);
}

/* ---- anchors on particles -------------------------------------------------------------------------------- */

/* the anchor of a particle is its position; round-off that `at` leaves is removed */
static ss_status settle_anchors(ss_compiler *x)
{
    ss_model *m = x->m;
    char path[SS_PATH_SIZE];
    for (int j = 0; j < m->joints; j++) {
        for (int k = 0; k < 2; k++) {
            int b = m->joint[j].at[k].body;
            double off = ss_norm(m->joint[j].at[k].point);
            if (b == m->bodies || m->body_type[b] != SS_BODY_PARTICLE || off == 0) {
                continue;
            }
            ss_part_path(path, sizeof path, "joints", x->scene->joint[j].name, j);
            if (off > SS_TOL_SCENE * m->length && !x->loose) {
                return ss_fail(x->ctx, SS_ERR_INPUT,
                               "%s.anchors: \"%.80s\" is a particle and is held at its position; the anchor is %g m off", path,
                               m->body_name[b], off);
            }
            m->joint[j].at[k].point = ss_v3(0, 0, 0);
        }
    }
    return SS_OK;
}

/* ---- start ---------------------------------------------------------------------------------------------------- */

typedef struct start {
    ss_config c;
    double *g, *drive, *target;
    double *scale; /* of each row: 1, or the length where the row is an angle, so that all are metres */
    ss_csr G;
} start;

static bool is_angle(const ss_twist_row *row) { return ss_norm(row->lin[0]) == 0 && ss_norm(row->lin[1]) == 0; }

/* which rows of a joint are angles */
static int find_angles(const ss_model *m, const ss_config *c, const ss_joint *joint, bool *angle)
{
    ss_twist_row row[7];
    ss_spot spot[2];
    double g[6];
    if (joint->type->couples) {
        angle[0] = m->joint[joint->gearing.joint[1]].type->angular;
        return 1;
    }
    ss_spots_at(c, joint->at, spot);
    joint->type->eval(joint, m->dimension, spot, g, row);
    if (joint->motor.row) {
        joint->type->coordinate(joint, m->dimension, spot, &row[joint->rows]);
    }
    for (int k = 0; k < joint->rows + joint->motor.row; k++) {
        angle[k] = is_angle(&row[k]);
    }
    return joint->rows + joint->motor.row;
}

/* Also the unit of each row, for those who measure errors later. */
static void scale_rows(const ss_model *m, start *s)
{
    for (int k = 0; k < m->nj; k++) {
        s->scale[k] = 1;
        m->row_unit[k] = m->length;
    }
    for (int j = 0; j < m->joints; j++) {
        bool angle[7];
        const int rows = find_angles(m, &s->c, &m->joint[j], angle), first = m->joint[j].first_row;
        for (int k = 0; k < rows; k++) {
            s->scale[first + k] = angle[k] ? m->length : 1;
            m->row_unit[first + k] = angle[k] ? 1 : m->length;
        }
    }
}

static void row_path(const ss_compiler *x, int row, char *path, size_t size)
{
    int j = x->m->row_joint[row];
    if (j >= 0) {
        ss_part_path(path, size, "joints", x->scene->joint[j].name, j);
    } else {
        ss_part_path(path, size, "bodies", x->scene->body[-1 - j].name, -1 - j);
    }
}

/* the largest speed in the scene, but at least a length in a time */
static double largest_speed(const ss_model *m, const start *s)
{
    double speed = m->length / find_time(m);
    for (int b = 0; b < m->bodies; b++) {
        ss_vec3 tw[2];
        ss_model_twist(m, &s->c, m->v0, b, tw);
        speed = fmax(speed, fmax(ss_norm(tw[0]), m->length * ss_norm(tw[1])));
    }
    for (int k = 0; k < m->nj; k++) {
        speed = fmax(speed, s->scale[k] * fmax(fabs(s->drive[k]), fabs(s->target[k])));
        for (int i = s->G.p[k]; i < s->G.p[k + 1]; i++) {
            speed = fmax(speed, s->scale[k] * fabs(s->G.x[i] * m->v0[s->G.i[i]]));
        }
    }
    return speed;
}

static ss_status check_positions(ss_compiler *x, const start *s)
{
    const ss_model *m = x->m;
    char path[SS_PATH_SIZE];
    for (int k = 0; k < m->nj; k++) {
        double limit = SS_TOL_SCENE * m->length / s->scale[k];
        if (!(fabs(s->g[k]) <= limit)) {
            row_path(x, k, path, sizeof path);
            return ss_fail(x->ctx, SS_ERR_INPUT,
                           "%s: positions violate the joint by %g at t = 0 (limit %g); --assemble closes it", path, s->g[k],
                           limit);
        }
    }
    return SS_OK;
}

static ss_status check_velocities(ss_compiler *x, const start *s)
{
    const ss_model *m = x->m;
    char path[SS_PATH_SIZE];
    double speed = largest_speed(m, s);
    for (int k = 0; k < m->nj; k++) {
        double limit = SS_TOL_SCENE * speed / s->scale[k];
        double rate = ss_csr_row_dot(&s->G, k, m->v0) + s->drive[k], off = rate - s->target[k];
        if (fabs(off) <= limit) {
            continue;
        }
        row_path(x, k, path, sizeof path);
        if (m->row_motor[k]) {
            return ss_fail(
                x->ctx, SS_ERR_INPUT,
                "%s.motor: velocities violate the motor by %g: it asks for %g at t = 0 (limit %g); --assemble starts it", path,
                off, s->target[k], limit);
        }
        return ss_fail(x->ctx, SS_ERR_INPUT,
                       "%s: velocities violate the joint by %g at t = 0 (limit %g); --assemble corrects them", path, off, limit);
    }
    return SS_OK;
}

static ss_status check_limits(ss_compiler *x, const start *s)
{
    const ss_model *m = x->m;
    char path[SS_PATH_SIZE];
    for (int j = 0; j < m->joints; j++) {
        const double *limits = m->joint[j].limits;
        if (!isfinite(limits[0]) && !isfinite(limits[1])) {
            continue;
        }
        ss_twist_row row;
        double value = ss_model_joint_coordinate(m, &s->c, j, &row), slack = SS_TOL_SCENE * (is_angle(&row) ? 1 : m->length);
        if (value < limits[0] - slack || value > limits[1] + slack) {
            ss_part_path(path, sizeof path, "joints", x->scene->joint[j].name, j);
            return ss_fail(x->ctx, SS_ERR_INPUT, "%s.limits: the joint starts at %g, outside [%g, %g]", path, value, limits[0],
                           limits[1]);
        }
    }
    return SS_OK;
}

static ss_status check_start(ss_compiler *x, ss_arena *arena, start *s)
{
    ss_model *m = x->m;
    size_t rows = (size_t)m->nj;
    SS_TRY(ss_config_take(arena, m, &s->c));
    SS_TRY(ss_arena_take(arena, rows, sizeof *s->g, &s->g));
    SS_TRY(ss_arena_take(arena, rows, sizeof *s->drive, &s->drive));
    SS_TRY(ss_arena_take(arena, rows, sizeof *s->target, &s->target));
    SS_TRY(ss_arena_take(arena, rows, sizeof *s->scale, &s->scale));
    ss_config_set(m, 0, m->q0, &s->c);
    ss_config_drive(m, 0, 0, &s->c);
    SS_TRY(ss_model_joints(x->ctx, m, &s->c, s->g, &s->G, s->drive, s->target));
    scale_rows(m, s);
    if (x->loose) {
        return SS_OK;
    }
    SS_TRY(check_positions(x, s));
    SS_TRY(check_limits(x, s));
    return check_velocities(x, s);
}

ss_status ss_compile_start(ss_compiler *x)
{
    ss_arena *arena = NULL;
    start s = { 0 };
    SS_TRY(settle_anchors(x));
    SS_TRY(ss_arena_create(x->ctx, 4096, &arena));
    ss_status status = check_start(x, arena, &s);
    ss_csr_free(x->ctx, &s.G);
    ss_arena_destroy(arena);
    return status;
}
