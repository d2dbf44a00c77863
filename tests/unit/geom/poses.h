/* poses.h - random shapes, poses and motions for the tests of geometry; seeded, the same in every run. */
#ifndef SS_TEST_POSES_H
#define SS_TEST_POSES_H

#include "base/base.h"
#include "geom/polytope.h"
#include "test.h"

typedef struct motion {
    ss_frame start;
    ss_vec3 twist[2]; /* world velocity of the origin, world angular velocity */
} motion;

static inline double pose_uniform(uint64_t *seed, double lo, double hi) { return lo + (hi - lo) * ss_random_uniform(seed); }

static inline ss_vec3 pose_vector(uint64_t *seed, int dimension, double size)
{
    const double x = pose_uniform(seed, -size, size), y = pose_uniform(seed, -size, size), z = pose_uniform(seed, -size, size);
    return ss_v3(x, y, dimension == 3 ? z : 0);
}

static inline ss_vec3 pose_spin(uint64_t *seed, int dimension, double size)
{
    const ss_vec3 w = pose_vector(seed, 3, size);
    return dimension == 3 ? w : ss_v3(0, 0, w.z);
}

static inline ss_mat3 pose_rotation(uint64_t *seed, int dimension)
{
    return ss_quat_matrix(ss_quat_exp(pose_spin(seed, dimension, 3)));
}

static inline ss_frame pose_frame(uint64_t *seed, int dimension, double size)
{
    const ss_vec3 p = pose_vector(seed, dimension, size);
    return (ss_frame){ p, pose_rotation(seed, dimension) };
}

static inline motion pose_motion(uint64_t *seed, int dimension, double size)
{
    motion m = { .start = pose_frame(seed, dimension, size) };
    m.twist[0] = pose_vector(seed, dimension, 1);
    m.twist[1] = pose_spin(seed, dimension, 1);
    return m;
}

/* where the motion is at time t: straight line, steady rotation */
static inline ss_frame pose_at(const motion *m, double t)
{
    const ss_mat3 turn = ss_quat_matrix(ss_quat_exp(ss_scale(t, m->twist[1])));
    return (ss_frame){ ss_axpy(t, m->twist[0], m->start.p), ss_compose(turn, m->start.R) };
}

/* Compiles a shape. The last thousand shapes live; what older ones own is given back. */
static inline ss_shape pose_compile(ss_shape_kind kind, int dimension, ss_frame local, const ss_shape_desc *desc)
{
    enum { ALIVE = 1000 };
    static ss_context *ctx;
    static ss_shape alive[ALIVE];
    static int next;
    if (!ctx) {
        ctx = test_context();
    }
    ss_shape *shape = &alive[next++ % ALIVE];
    ss_shape_free(ctx, shape);
    *shape = (ss_shape){ .kind = kind, .dimension = dimension, .local = local };
    CHECK_OK(ctx, ss_shape_types[kind]->compile(ctx, desc, "test", shape));
    return *shape;
}

static inline bool pose_exists(ss_shape_kind kind, int dimension)
{
    return ss_shape_types[kind]->info.dimensions & (1u << dimension);
}

enum { POSE_POINTS = 12 };

/* points on an ellipse about the shape's origin in order of the angle, or in an ellipsoid; half axes up to 0.7 */
static inline void pose_points(uint64_t *seed, int dimension, double x[3 * POSE_POINTS])
{
    double axes[3];
    for (int i = 0; i < 3; i++) {
        axes[i] = pose_uniform(seed, 0.2, 0.7);
    }
    for (int k = 0; k < POSE_POINTS; k++) {
        const double angle = 2 * 3.14159265358979323846 * (k + pose_uniform(seed, 0, 0.8)) / POSE_POINTS;
        const ss_vec3 on = dimension == 2 ? ss_v3(cos(angle), sin(angle), 0) : ss_unit(pose_vector(seed, 3, 1));
        x[3 * k] = axes[0] * on.x;
        x[3 * k + 1] = axes[1] * on.y;
        x[3 * k + 2] = axes[2] * on.z;
    }
}

/* a shape as a scene would describe it, placed at random in its body; lengths times `scale` */
static inline ss_shape pose_scaled_shape(uint64_t *seed, int dimension, ss_shape_kind kind, double scale)
{
    ss_shape_desc desc = { .type = ss_shape_types[kind]->info.name };
    double points[3 * POSE_POINTS];
    desc.radius = scale * pose_uniform(seed, 0.1, 0.6);
    desc.length = scale * pose_uniform(seed, 0.2, 1.6);
    for (int i = 0; i < 3; i++) {
        desc.size[i] = scale * pose_uniform(seed, 0.2, 1.6);
    }
    ss_v3_to(pose_vector(seed, dimension, 1), desc.normal);
    desc.offset = scale * pose_uniform(seed, -0.5, 0.5);
    if (kind == SS_SHAPE_polygon || kind == SS_SHAPE_hull) {
        pose_points(seed, dimension, points);
        for (int k = 0; k < 3 * POSE_POINTS; k++) {
            points[k] *= scale;
        }
        desc.points = (ss_points){ POSE_POINTS, points };
    }
    double heights[16];
    for (int k = 0; k < 16; k++) {
        heights[k] = scale * pose_uniform(seed, -0.2, 0.2);
    }
    desc.heights = (ss_heights){ dimension == 3 ? 4 : 1, dimension == 3 ? 4 : 16, heights };
    desc.spacing = scale * (dimension == 3 ? 0.8 : 0.2);
    return pose_compile(kind, dimension, pose_frame(seed, dimension, 0.4 * scale), &desc);
}

static inline ss_shape pose_shape(uint64_t *seed, int dimension, ss_shape_kind kind)
{
    return pose_scaled_shape(seed, dimension, kind, 1);
}

/* a box of given full sides at its body's origin */
static inline ss_shape pose_box(int dimension, double x, double y, double z)
{
    const ss_shape_desc desc = { .type = "box", .size = { x, y, z } };
    return pose_compile(SS_SHAPE_box, dimension, ss_frame_identity(), &desc);
}

/* a sphere at its body's origin; radius 0: a point */
static inline ss_shape pose_ball(int dimension, double radius)
{
    const ss_shape_desc desc = { .radius = radius };
    return pose_compile(radius > 0 ? SS_SHAPE_sphere : SS_SHAPE_point, dimension, ss_frame_identity(), &desc);
}

static inline ss_frame pose_still(double x, double y, double z) { return (ss_frame){ { x, y, z }, ss_mat3_identity() }; }

/* the velocity of a gap by its normal row: n . (v_a - v_b) at the middle of the witnesses */
static inline double pose_normal_rate(const ss_gap_value *g, const ss_frame *fa, const ss_frame *fb, const ss_vec3 ta[2],
                                      const ss_vec3 tb[2])
{
    const ss_vec3 va = ss_add(ta[0], ss_cross(ta[1], ss_sub(g->point, fa->p)));
    const ss_vec3 vb = ss_add(tb[0], ss_cross(tb[1], ss_sub(g->point, fb->p)));
    return ss_dot(g->normal, ss_sub(va, vb));
}

/* largest n . x over the shape, by its definition; INFINITY for a half space unless n is against its normal */
static inline double pose_support(const ss_shape *s, const ss_frame *body, ss_vec3 n)
{
    const ss_frame f = ss_frame_compose(*body, s->local);
    if (s->kind == SS_SHAPE_half_space) {
        const ss_vec3 normal = ss_rotate(body->R, s->normal);
        return ss_norm(ss_sub(n, normal)) < 1e-9 ? s->offset + ss_dot(normal, body->p) : INFINITY;
    }
    if (!s->polytope) { /* cylinder */
        const ss_vec3 d = ss_unrotate(f.R, n);
        return ss_dot(n, f.p) + s->length * fabs(d.z) + s->radius * hypot(d.x, d.y);
    }
    double best = -INFINITY;
    for (int v = 0; v < s->polytope->corners; v++) {
        best = fmax(best, ss_dot(n, ss_point_to_world(f, s->polytope->corner[v])));
    }
    return best + s->radius;
}

/* how far a point lies outside the shape; <= 0 inside; at most the distance */
static inline double pose_outside(const ss_shape *s, const ss_frame *body, ss_vec3 x)
{
    const ss_vec3 p = ss_point_to_body(ss_frame_compose(*body, s->local), x);
    const ss_vec3 axis = s->dimension == 3 ? ss_v3(0, 0, 1) : ss_v3(0, 1, 0);
    const double along = ss_dot(axis, p), across = ss_norm(ss_axpy(-along, axis, p));
    double most = -INFINITY;
    switch (s->kind) {
    case SS_SHAPE_half_space:
        return ss_dot(s->normal, ss_point_to_body(*body, x)) - s->offset;
    case SS_SHAPE_point:
    case SS_SHAPE_sphere:
        return ss_norm(p) - s->radius;
    case SS_SHAPE_capsule:
        return hypot(across, fmax(0, fabs(along) - s->length)) - s->radius;
    default:
        if (!s->polytope) { /* cylinder */
            return fmax(across - s->radius, fabs(along) - s->length);
        }
        for (int f = 0; f < s->polytope->faces; f++) {
            most = fmax(most, ss_dot(s->polytope->normal[f], p) - s->polytope->offset[f]);
        }
        return most;
    }
}

#endif
