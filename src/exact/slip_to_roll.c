/* slip_to_roll.c - a ball (2D: a disk) on a rough plane: it slips, friction turns the slip into rolling.
 *
 * With the slip s = v - r w x n of the point that touches, friction f (an acceleration) and k = m r^2 / I
 *     v' = g_t + f,   w' = -(k / r) n x f,   s' = g_t + (1 + k) f,   |f| <= mu g_n, opposite to s
 * so that the slip along its line obeys coulomb.c with the grip (1 + k) mu g_n: when it ends, the ball rolls if the slope is
 * at most (1 + k) mu (7/2 mu for a solid ball, 3 mu for a disk), else it slips down. The sum of f over time follows from s:
 *     J = (s - s0 - g_t t) / (1 + k),   v = v0 + g_t t + J,   w = w0 - (k / r) n x J           and once more for the path
 * w is linear in t between the changes. Where it keeps its direction the ball turns about that axis; else q' = w q / 2 is
 * summed as a power series to round-off, over pieces in which it turns by at most one radian:
 *     q = q0 + d1 + d2 + ..,   (j + 1) d_{j+1} = (h w0 d_j + h^2 w' d_{j-1}) / 2
 *
 * Symbols     n normal, r radius, m mass, I inertia; w angular velocity, world (the model keeps it in the body frame in 3D)
 * Needs       a rigid body that is a sphere about its centre of mass with equal moments of inertia; in 3D on a slope the first
 *             slip has to be along the slope, for otherwise it turns
 * Reference   classical: thrown without spin on a level floor a solid ball rolls at 5/7 v after 2 v / (7 mu g) */
#include "base/tolerances.h"
#include "exact/coulomb.h"
#include "exact/resting.h"
#include <math.h>

typedef struct ball {
    ss_resting rest;
    ss_vec3 along; /* direction of the slip                        */
    ss_vec3 axis;  /* n x along                                    */
    double k;      /* m r^2 / I                                    */
    ss_coulomb slip;
} ball;

enum { MOST_PIECES = 1000000, MOST_TERMS = 60 };

/* ---- data ---------------------------------------------------------------------------------------- */

static bool is_isotropic(ss_mat3 I)
{
    double largest = 0;
    for (int i = 0; i < 3; i++) {
        ss_vec3 other = I.c[i];
        *(i == 0 ? &other.x : i == 1 ? &other.y : &other.z) -= I.c[0].x;
        largest = fmax(largest, ss_norm(other));
    }
    return largest <= SS_TOL_EXACT * I.c[0].x;
}

static ss_status check_ball(const ss_exact *x, const ss_resting *r)
{
    const ss_model *m = x->model;
    const ss_shape *shape = r->floor.shape;
    if (m->body_type[r->body] != SS_BODY_RIGID || shape->kind != SS_SHAPE_sphere || m->forces > 0) {
        return ss_exact_refuse(x, "expected a rigid sphere under no force but gravity");
    }
    if (ss_norm(shape->local.p) > SS_TOL_EXACT * shape->radius) {
        return ss_exact_refuse(x, "expected a sphere about the centre of mass, got it %g m away", ss_norm(shape->local.p));
    }
    if (m->dimension == 3 && !is_isotropic(m->body_inertia[r->body])) {
        return ss_exact_refuse(x, "expected a ball with equal moments of inertia");
    }
    return SS_OK;
}

static ss_status fill(const ss_exact *x, ball *b)
{
    const ss_model *m = x->model;
    ss_resting *r = &b->rest;
    SS_TRY(ss_exact_find_resting(x, r));
    SS_TRY(check_ball(x, r));
    double radius = r->floor.radius, scale = ss_norm(r->velocity) + radius * ss_norm(r->spin);
    ss_vec3 slip = ss_axpy(-radius, ss_cross(r->spin, r->floor.normal), r->velocity);
    SS_TRY(ss_exact_find_line(x, r, slip, scale, &b->along));
    b->axis = ss_cross(r->floor.normal, b->along);
    b->k = m->body_mass[r->body] * radius * radius / m->body_inertia[r->body].c[2].z;
    b->slip = (ss_coulomb){ .pull = ss_dot(r->slope, b->along),
                            .grip = (1 + b->k) * r->mu * r->press,
                            .speed = ss_norm(slip) > SS_TOL_EXACT * scale ? ss_dot(slip, b->along) : 0 };
    return ss_coulomb_prepare(x->ctx, m->settings.until, &b->slip);
}

static ss_status create(ss_exact *x, void **data)
{
    SS_TRY(ss_calloc(x->ctx, 1, sizeof(ball), data));
    return fill(x, *data);
}

static void destroy(ss_context *ctx, void *data) { ss_coulomb_free(ctx, &((ball *)data)->slip); }

/* ---- orientation --------------------------------------------------------------------------------- */

static ss_quat pure(double s, ss_vec3 a) { return (ss_quat){ 0, s * a.x, s * a.y, s * a.z }; }

static ss_quat combine(double a, ss_quat p, double b, ss_quat q)
{
    return (ss_quat){ a * p.w + b * q.w, a * p.x + b * q.x, a * p.y + b * q.y, a * p.z + b * q.z };
}

static double size_of(ss_quat q) { return fabs(q.w) + fabs(q.x) + fabs(q.y) + fabs(q.z); }

/* q after h seconds in which the angular velocity goes from w by `change` linearly; the angle is at most about one radian */
static ss_quat series(ss_quat q, ss_vec3 w, ss_vec3 change, double h)
{
    const double negligible = 1e-20;
    ss_quat W = pure(0.5 * h, w), C = pure(0.5 * h, change), before = { 0, 0, 0, 0 }, term = q, sum = q;
    for (int j = 0; j < MOST_TERMS && size_of(term) + size_of(before) > negligible; j++) {
        ss_quat next = combine(1.0 / (j + 1), ss_quat_product(W, term), 1.0 / (j + 1), ss_quat_product(C, before));
        before = term;
        term = next;
        sum = combine(1, sum, 1, term);
    }
    return ss_quat_unit(sum);
}

/* q after `time` seconds in which the angular velocity goes from a to b linearly */
static ss_status turn(const ss_exact *x, ss_vec3 a, ss_vec3 b, double time, ss_quat *q)
{
    const double parallel = 1e-15; /* sine */
    double fastest = fmax(ss_norm(a), ss_norm(b)), pieces = fmax(1, ceil(fastest * time));
    if (ss_norm(ss_cross(a, b)) <= parallel * ss_norm(a) * ss_norm(b)) {
        *q = ss_quat_unit(ss_quat_product(ss_quat_exp(ss_scale(0.5 * time, ss_add(a, b))), *q));
        return SS_OK;
    }
    if (!(pieces <= MOST_PIECES)) {
        return ss_exact_refuse(x, "%g s at up to %g rad/s about a changing axis are too many turns to follow", time, fastest);
    }
    ss_vec3 change = ss_scale(1 / pieces, ss_sub(b, a));
    for (int i = 0; i < (int)pieces; i++) {
        *q = series(*q, ss_axpy(i, change, a), change, time / pieces);
    }
    return SS_OK;
}

/* ---- motion -------------------------------------------------------------------------------------- */

/* sum of the friction over time along the line, and the sum of that */
static ss_status friction_until(const ss_exact *x, const ball *b, double t, double *J, double *path)
{
    const ss_coulomb *s = &b->slip;
    double y, u;
    SS_TRY(ss_coulomb_at(x->ctx, s, t, &y, &u));
    *J = (u - s->speed - s->pull * t) / (1 + b->k);
    *path = (y - t * (s->speed + 0.5 * s->pull * t)) / (1 + b->k);
    return SS_OK;
}

static ss_vec3 spin_after(const ball *b, double J) { return ss_axpy(-b->k / b->rest.floor.radius * J, b->axis, b->rest.spin); }

/* orientation at t, from one change of the friction to the next */
static ss_status orientation_at(const ss_exact *x, const ball *b, double t, ss_quat *q)
{
    ss_vec3 before = b->rest.spin;
    double J, path;
    for (double start = 0; start < t;) {
        double end = fmin(t, ss_coulomb_next(&b->slip, start));
        SS_TRY(friction_until(x, b, end, &J, &path));
        ss_vec3 after = spin_after(b, J);
        SS_TRY(turn(x, before, after, end - start, q));
        before = after;
        start = end;
    }
    return SS_OK;
}

static ss_status put_rotation(const ss_exact *x, const ball *b, double t, double J, double path, double *q, double *v)
{
    const ss_model *m = x->model;
    double *rate = v + m->body_v[b->rest.body] + m->dimension, *place = q + m->body_q[b->rest.body] + m->dimension;
    ss_vec3 spin = spin_after(b, J);
    if (m->dimension == 2) {
        *place += b->rest.spin.z * t - b->k / b->rest.floor.radius * path * b->axis.z;
        *rate = spin.z;
        return SS_OK;
    }
    ss_quat turned = ss_quat_from(place);
    SS_TRY(orientation_at(x, b, t, &turned));
    ss_quat_to(turned, place);
    ss_v3_to(ss_unrotate(ss_quat_matrix(turned), spin), rate);
    return SS_OK;
}

static ss_status at(const ss_exact *x, double t, int side, double *q, double *v)
{
    (void)side; /* v does not jump */
    const ball *b = x->data;
    const ss_resting *r = &b->rest;
    double J, path;
    SS_TRY(friction_until(x, b, t, &J, &path));
    ss_vec3 moved = ss_axpy(path, b->along, ss_scale(t, ss_axpy(0.5 * t, r->slope, r->velocity)));
    ss_exact_put(x, r, moved, ss_axpy(J, b->along, ss_axpy(t, r->slope, r->velocity)), q, v);
    return put_rotation(x, b, t, J, path, q, v);
}

static double next_kink(const ss_exact *x, double t) { return ss_coulomb_next(&((const ball *)x->data)->slip, t); }

const ss_exact_type ss_exact_slip_to_roll = {
    .info = { .name = "slip_to_roll",
              .title = "ball on a rough plane that slips, then rolls",
              .reference = "classical",
              .laws = SS_LAW_COULOMB | SS_LAW_POLYHEDRAL, /* convex schemes lift what slides from the start */
              .dimensions = 4 | 8 },
    .create = create,
    .destroy = destroy,
    .at = at,
    .next_kink = next_kink,
};
