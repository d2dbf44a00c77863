/* poses.h - random shapes, poses and motions for the tests of geometry; seeded, the same in every run. */
#ifndef SS_TEST_POSES_H
#define SS_TEST_POSES_H

#include "base/base.h"
#include "geom/geom.h"
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

/* a shape as a scene would describe it, placed at random in its body */
static inline ss_shape pose_shape(uint64_t *seed, int dimension, ss_shape_kind kind)
{
    ss_shape_desc desc = { .type = ss_shape_types[kind]->info.name };
    desc.radius = pose_uniform(seed, 0.1, 0.6);
    for (int i = 0; i < 3; i++) {
        desc.size[i] = pose_uniform(seed, 0.2, 1.6);
    }
    ss_v3_to(pose_vector(seed, dimension, 1), desc.normal);
    desc.offset = pose_uniform(seed, -0.5, 0.5);
    ss_shape shape = { .kind = kind, .dimension = dimension, .local = pose_frame(seed, dimension, 0.4) };
    ss_shape_types[kind]->compile(&desc, &shape);
    return shape;
}

/* a box of given full sides at its body's origin */
static inline ss_shape pose_box(int dimension, double x, double y, double z)
{
    const ss_shape_desc desc = { .type = "box", .size = { x, y, z } };
    ss_shape shape = { .kind = SS_SHAPE_box, .dimension = dimension, .local = ss_frame_identity() };
    ss_shape_types[SS_SHAPE_box]->compile(&desc, &shape);
    return shape;
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
    double best = ss_dot(n, f.p) + s->radius;
    for (int v = 0; s->kind == SS_SHAPE_box && v < 8; v++) {
        const ss_vec3 x = ss_v3(v & 1 ? s->half.x : -s->half.x, v & 2 ? s->half.y : -s->half.y, v & 4 ? s->half.z : -s->half.z);
        best = v == 0 ? ss_dot(n, ss_point_to_world(f, x)) : fmax(best, ss_dot(n, ss_point_to_world(f, x)));
    }
    return best;
}

/* how far a point lies outside the shape; <= 0 inside */
static inline double pose_outside(const ss_shape *s, const ss_frame *body, ss_vec3 x)
{
    const ss_vec3 p = ss_point_to_body(ss_frame_compose(*body, s->local), x);
    switch (s->kind) {
    case SS_SHAPE_half_space:
        return ss_dot(s->normal, ss_point_to_body(*body, x)) - s->offset;
    case SS_SHAPE_box:
        return fmax(fabs(p.x) - s->half.x, fmax(fabs(p.y) - s->half.y, fabs(p.z) - s->half.z));
    default:
        return ss_norm(p) - s->radius;
    }
}

#endif
