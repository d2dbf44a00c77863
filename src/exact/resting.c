/* resting.c - a body that rests on a half space, and slides or rolls along a line of it: what several solutions check.
 *
 * A body that does not turn feels N n + F t at its centre of pressure, p from the foot of its centre of mass along the line t:
 *     (p t - H n) x (N n + F t) = 0        p = -H F / N
 * It stays upright if that point is inside the corners it stands on, for friction of either sign.
 *
 * Symbols     n normal, N and F normal force and friction, H height of the centre of mass */
#include "exact/resting.h"
#include "base/tolerances.h"

#include "geom/polytope.h"
#include <math.h>

static ss_vec3 in_plane(ss_vec3 n, ss_vec3 a) { return ss_axpy(-ss_dot(n, a), n, a); }

/* ---- rest ---------------------------------------------------------------------------------------- */

/* lengths below this are rounding of the coordinates or of the scene's expressions */
static double short_length(const ss_exact *x, int body)
{
    return SS_TOL_EXACT * (x->model->length + ss_norm(x->model->body_frame0[body].p));
}

static ss_status check_contact(const ss_exact *x, const ss_resting *r)
{
    double off = ss_dot(r->floor.normal, r->velocity);
    if (fabs(r->floor.gap) > short_length(x, r->body)) {
        return ss_exact_refuse(x, "expected a body that touches the half space, got a gap of %g m", r->floor.gap);
    }
    if (fabs(off) > SS_TOL_EXACT * ss_norm(r->velocity)) {
        return ss_exact_refuse(x, "expected a velocity along the plane, got %g m/s off it", off);
    }
    if (!(r->press > 0)) {
        return ss_exact_refuse(x, "expected gravity towards the half space");
    }
    if (r->floor.law->mu[0] != r->floor.law->mu[1]) {
        return ss_exact_refuse(x, "expected the same friction in all directions, got %g and %g", r->floor.law->mu[0],
                               r->floor.law->mu[1]);
    }
    return SS_OK;
}

/* in 2D the third velocity is the rate about z, which is the same in both frames */
static void take_velocity(const ss_exact *x, ss_resting *r)
{
    const ss_model *m = x->model;
    const double *v = m->v0 + m->body_v[r->body];
    bool turns = m->body_type[r->body] == SS_BODY_RIGID;
    if (m->dimension == 2) {
        r->velocity = ss_v3(v[0], v[1], 0);
        r->spin = ss_v3(0, 0, turns ? v[2] : 0);
    } else {
        r->velocity = ss_v3_from(v);
        r->spin = turns ? ss_rotate(m->body_frame0[r->body].R, ss_v3_from(v + 3)) : ss_v3(0, 0, 0);
    }
}

/* a corner of the body's shape from its centre of mass, world axes */
static ss_vec3 corner_from_centre(const ss_exact *x, const ss_resting *r, int k)
{
    const ss_shape *shape = r->floor.shape;
    return ss_rotate(x->model->body_frame0[r->body].R, ss_point_to_world(shape->local, shape->polytope->corner[k]));
}

/* the lowest corner touches */
static double height_of_centre(const ss_exact *x, const ss_resting *r)
{
    double lowest = INFINITY;
    for (int k = 0; k < r->floor.shape->polytope->corners; k++) {
        lowest = fmin(lowest, ss_dot(r->floor.normal, corner_from_centre(x, r, k)));
    }
    return r->floor.radius - lowest;
}

ss_status ss_exact_find_resting(const ss_exact *x, ss_resting *r)
{
    const ss_model *m = x->model;
    SS_TRY(ss_exact_only_body(x, &r->body));
    if (m->body_type[r->body] == SS_BODY_BLOCK || m->joints > 0) {
        return ss_exact_refuse(x, "expected a particle or a rigid body without joints");
    }
    SS_TRY(ss_exact_find_floor(x, r->body, &r->floor));
    take_velocity(x, r);
    r->height = height_of_centre(x, r);
    r->press = -ss_dot(r->floor.normal, m->gravity);
    r->slope = in_plane(r->floor.normal, m->gravity);
    r->mu = r->floor.law->mu[0];
    return check_contact(x, r);
}

/* ---- the line ------------------------------------------------------------------------------------ */

/* some direction of the plane; in 2D there is only one */
static ss_vec3 any_direction(ss_vec3 n) { return fabs(n.z) < 0.5 ? ss_unit(ss_v3(n.y, -n.x, 0)) : ss_unit(ss_v3(n.z, 0, -n.x)); }

static double part_across(ss_vec3 a, ss_vec3 along) { return ss_norm(ss_axpy(-ss_dot(a, along), along, a)); }

ss_status ss_exact_find_line(const ss_exact *x, const ss_resting *r, ss_vec3 what, double scale, ss_vec3 *along)
{
    double g = ss_norm(x->model->gravity);
    bool pushed = ss_norm(what) > SS_TOL_EXACT * scale, sloping = ss_norm(r->slope) > SS_TOL_EXACT * g;
    *along = pushed ? ss_unit(in_plane(r->floor.normal, what)) : sloping ? ss_unit(r->slope) : any_direction(r->floor.normal);
    if (part_across(what, *along) > SS_TOL_EXACT * scale || part_across(r->slope, *along) > SS_TOL_EXACT * g) {
        return ss_exact_refuse(x, "expected motion along one line, got velocity, force and slope in different directions");
    }
    return SS_OK;
}

/* ---- upright ------------------------------------------------------------------------------------- */

/* Is the point p (from the centre of mass) strictly inside the corners that touch, seen in the direction d of the plane? */
static bool held_towards(const ss_exact *x, const ss_resting *r, ss_vec3 p, ss_vec3 d)
{
    for (int k = 0; k < r->floor.shape->polytope->corners; k++) {
        ss_vec3 corner = corner_from_centre(x, r, k);
        bool touches = ss_dot(r->floor.normal, corner) + r->height < short_length(x, r->body);
        if (touches && ss_dot(ss_sub(corner, p), d) > short_length(x, r->body)) {
            return true;
        }
    }
    return false;
}

/* A point is inside a polygon if it is across each of its sides; those are among the lines through two corners. In 2D the
 * polygon is an interval. */
static bool held(const ss_exact *x, const ss_resting *r, ss_vec3 p, ss_vec3 along)
{
    int corners = r->floor.shape->polytope->corners;
    bool inside = held_towards(x, r, p, along) && held_towards(x, r, p, ss_scale(-1, along));
    for (int i = 0; i < corners && inside && x->model->dimension == 3; i++) {
        for (int j = 0; j < corners && inside; j++) {
            ss_vec3 side = in_plane(r->floor.normal, ss_sub(corner_from_centre(x, r, j), corner_from_centre(x, r, i)));
            inside = ss_norm(side) <= short_length(x, r->body) || held_towards(x, r, p, ss_unit(ss_cross(r->floor.normal, side)));
        }
    }
    return inside;
}

ss_status ss_exact_check_upright(const ss_exact *x, const ss_resting *r, ss_vec3 along, double friction)
{
    if (x->model->body_type[r->body] != SS_BODY_RIGID) {
        return SS_OK;
    }
    double p = r->height * friction / r->press;
    if (r->floor.radius > 0 || ss_norm(r->spin) > 0) {
        return ss_exact_refuse(x, "expected a body that does not turn, got one that is round or spins");
    }
    if (!held(x, r, ss_scale(p, along), along) || !held(x, r, ss_scale(-p, along), along)) {
        return ss_exact_refuse(x, "expected a body that does not tip over, got its centre of pressure %g m from the centre", p);
    }
    return SS_OK;
}

void ss_exact_put(const ss_exact *x, const ss_resting *r, ss_vec3 path, ss_vec3 velocity, double *q, double *v)
{
    const double dq[3] = { path.x, path.y, path.z }, rate[3] = { velocity.x, velocity.y, velocity.z };
    for (int i = 0; i < x->model->dimension; i++) {
        q[x->model->body_q[r->body] + i] += dq[i];
        v[x->model->body_v[r->body] + i] = rate[i];
    }
}
