/* over_floor.c - a body that does not turn, over one half space.
 *
 *   x(t) = x0 + (y(t) - y0) n + s(t),   n . s = 0
 *
 * Symbols     y the gap, n the normal, s the way along the floor;  g = -a n + g_T
 * The fall    hits with sqrt(w0^2 + 2 a y0) at (w0 + hit) / a; for w0 < 0 that difference is written as a quotient. In its
 *             second half it is counted back from the end, so that the speed there is the speed that rebounds. */
#include "exact/over_floor.h"

#include <float.h>
#include <math.h>

static const double ROUND_OFF = 32 * DBL_EPSILON; /* what a few products of directions may leave of a zero */

/* a = normal n + along; what is round-off of |a| is zero */
static void split(ss_vec3 a, ss_vec3 n, double *normal, ss_vec3 *along)
{
    double size = ROUND_OFF * ss_norm(a), part = ss_dot(a, n);
    ss_vec3 rest = ss_axpy(-part, n, a);
    *normal = fabs(part) > size ? part : 0;
    *along = ss_norm(rest) > size ? rest : ss_v3(0, 0, 0);
}

/* the first numbers of a body in q or v (2D: two, 3D: three), as a vector */
static ss_vec3 linear_part(const ss_model *m, const double *a) { return ss_v3(a[0], a[1], m->dimension == 3 ? a[2] : 0); }

static void set_linear_part(const ss_model *m, ss_vec3 x, double *a)
{
    a[0] = x.x;
    a[1] = x.y;
    if (m->dimension == 3) {
        a[2] = x.z;
    }
}

/* a particle; or a rigid body without spin whose shape sits at its centre of mass, so that the floor cannot turn it */
static ss_status check_does_not_turn(const ss_exact *x, int body, const ss_exact_floor *floor)
{
    const ss_model *m = x->model;
    int angular = m->dimension == 3 ? 3 : 1;
    const double *spin = m->v0 + m->body_v[body] + m->dimension;
    if (floor->shape->kind != SS_SHAPE_point && floor->shape->kind != SS_SHAPE_sphere) {
        return ss_exact_refuse(x, "expected a point or a sphere on body %s", m->body_name[body]);
    }
    if (m->body_type[body] == SS_BODY_PARTICLE) {
        return SS_OK;
    }
    if (m->body_type[body] != SS_BODY_RIGID || ss_norm(floor->shape->local.p) > 0) {
        return ss_exact_refuse(x, "expected the shape of body %s at its centre of mass", m->body_name[body]);
    }
    for (int k = 0; k < angular; k++) {
        if (spin[k] != 0) {
            return ss_exact_refuse(x, "expected body %s without spin, its angular velocity is %g", m->body_name[body], spin[k]);
        }
    }
    return SS_OK;
}

/* the gap at the start: zero within the round-off of the coordinates, and not below */
static ss_status take_gap(const ss_exact *x, int body, double gap, double *out)
{
    const ss_model *m = x->model;
    double size = ROUND_OFF * (m->length + ss_norm(m->body_frame0[body].p));
    *out = gap > size ? gap : 0;
    return gap < -size ? ss_exact_refuse(x, "expected a start outside the half space, the gap is %g", gap) : SS_OK;
}

ss_status ss_over_floor_take(const ss_exact *x, int forces, ss_over_floor *out)
{
    const ss_model *m = x->model;
    ss_exact_floor floor;
    double rise;
    *out = (ss_over_floor){ 0 };
    SS_TRY(ss_exact_only_body(x, &out->body));
    SS_TRY(ss_exact_find_floor(x, out->body, &floor));
    SS_TRY(check_does_not_turn(x, out->body, &floor));
    SS_TRY(take_gap(x, out->body, floor.gap, &out->gap));
    if (m->joints > 0) {
        return ss_exact_refuse(x, "expected no joints, found %d", m->joints);
    }
    if (m->forces != forces) {
        return ss_exact_refuse(x, "expected %d forces besides gravity, found %d", forces, m->forces);
    }
    if (floor.law->mu[0] != floor.law->mu[1]) {
        return ss_exact_refuse(x, "expected one coefficient of friction, found %g and %g", floor.law->mu[0], floor.law->mu[1]);
    }
    out->normal = floor.normal;
    out->mu = floor.law->mu[0];
    out->e = floor.law->e;
    split(linear_part(m, m->v0 + m->body_v[out->body]), out->normal, &out->speed, &out->slip);
    split(m->gravity, out->normal, &rise, &out->drift);
    out->pull = -rise;
    return SS_OK;
}

ss_status ss_over_floor_take_falling(const ss_exact *x, ss_over_floor *out)
{
    SS_TRY(ss_over_floor_take(x, 0, out));
    if (!(out->pull > 0)) {
        return ss_exact_refuse(x, "expected gravity into the half space, its component is %g", out->pull);
    }
    return SS_OK;
}

void ss_over_floor_put(const ss_exact *x, const ss_over_floor *o, double gap, double speed, ss_vec3 way, ss_vec3 slip, double *q,
                       double *v)
{
    const ss_model *m = x->model;
    double *position = q + m->body_q[o->body];
    ss_vec3 start = linear_part(m, position);
    set_linear_part(m, ss_axpy(gap - o->gap, o->normal, ss_add(start, way)), position);
    set_linear_part(m, ss_axpy(speed, o->normal, slip), v + m->body_v[o->body]);
}

/* ---- the fall ------------------------------------------------------------------------------------- */

ss_fall ss_fall_from(const ss_over_floor *o)
{
    ss_fall f = { .gap = o->gap, .speed = o->speed, .pull = o->pull };
    f.hit = sqrt(f.speed * f.speed + 2 * f.pull * f.gap);
    f.end = f.speed < 0 ? 2 * f.gap / (f.hit - f.speed) : (f.speed + f.hit) / f.pull;
    return f;
}

void ss_fall_at(const ss_fall *f, double t, double *y, double *w)
{
    double left = f->end - t;
    bool early = t < left;
    *y = early ? f->gap + t * (f->speed - 0.5 * f->pull * t) : left * (f->hit - 0.5 * f->pull * left);
    *w = early ? f->speed - f->pull * t : f->pull * left - f->hit;
}
