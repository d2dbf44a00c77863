/* double_pendulum.c - two particles on massless rods in a chain, against a half space, without friction (2D).
 *
 *   x_1 = P + L_1 e(th_1),   x_2 = x_1 + L_2 e(th_2),   e(th) = (cos th, sin th),  e' = (-sin th, cos th)
 *   M th'' = L_i m_i^ g . e'(th_i)  -  m_2 L_1 L_2 sin(th_1 - th_2) (w_2^2, -w_1^2),      m_1^ = m_1 + m_2,  m_2^ = m_2
 *   M = [ m_1^ L_1^2,  m_2 L_1 L_2 cos(th_1 - th_2) ;  .,  m_2 L_2^2 ]
 *   impact of bob i:   M (w+ - w-) = J_i' p,   J_i w+ = -e_i J_i w-,   J_i w = d(gap_i)/dt
 *
 * In these coordinates the rods' impulses do no work and drop out. One contact at a time without friction: Newton's and
 * Poisson's law are the same. The motion is chaotic: rounding grows with every impact, slowly over a few swings.
 * Where impacts accumulate (a bob stays on the half space) the solution ends, and says so.
 *
 * Accuracy   1e-12 over a few impacts, with arcs by extrapolation (math/hybrid.h)
 * Reference  [PAGT06 section 10.1] */
#include "base/tolerances.h"
#include "exact/exact.h"
#include "math/hybrid.h"

static const double tiny = 1e-12; /* gap rates below this fraction of `speed` end an accumulation */

typedef struct chain {
    int bob[2];
    ss_vec3 pivot, gravity, normal;
    double mass[2], length[2];
    double offset[2], e[2]; /* gap_i = offset_i + n . (x_i - P); restitution */
    double speed;           /* m/s, the usual one                            */
    ss_hybrid motion;       /* y = (th_1, th_2, w_1, w_2)                    */
} chain;

static ss_vec3 along(double th) { return ss_v3(cos(th), sin(th), 0); }
static ss_vec3 across(double th) { return ss_v3(-sin(th), cos(th), 0); }

/* M x = b of the two rods */
static void solve(const chain *c, const double *th, const double b[2], double x[2])
{
    const double *L = c->length, *m = c->mass;
    double A = (m[0] + m[1]) * L[0] * L[0], B = m[1] * L[0] * L[1] * cos(th[0] - th[1]), C = m[1] * L[1] * L[1];
    double s = sin(th[0] - th[1]), det = m[1] * L[0] * L[0] * L[1] * L[1] * (m[0] + m[1] * s * s); /* A C - B^2 */
    x[0] = (C * b[0] - B * b[1]) / det;
    x[1] = (A * b[1] - B * b[0]) / det;
}

static void rate(const void *user, int mode, double t, const double *y, double *out)
{
    const chain *c = user;
    const double *L = c->length, *m = c->mass, *w = y + 2;
    double swing = m[1] * L[0] * L[1] * sin(y[0] - y[1]);
    double b[2] = { (m[0] + m[1]) * L[0] * ss_dot(c->gravity, across(y[0])) - swing * w[1] * w[1],
                    m[1] * L[1] * ss_dot(c->gravity, across(y[1])) + swing * w[0] * w[0] };
    (void)mode;
    (void)t;
    out[0] = w[0];
    out[1] = w[1];
    solve(c, y, b, out + 2);
}

/* ---- gaps and impacts ------------------------------------------------------------------------------- */

/* J of bob k */
static void gap_row(const chain *c, int k, const double *th, double J[2])
{
    J[0] = c->length[0] * ss_dot(c->normal, across(th[0]));
    J[1] = k == 1 ? c->length[1] * ss_dot(c->normal, across(th[1])) : 0;
}

/* d(J w)/dt: e'' = -e */
static double gap_acceleration(const chain *c, int k, const double *y)
{
    double J[2], f[4], sum = 0;
    gap_row(c, k, y, J);
    rate(c, 0, 0, y, f);
    for (int i = 0; i <= k; i++) {
        sum += J[i] * f[2 + i] - c->length[i] * ss_dot(c->normal, along(y[i])) * y[2 + i] * y[2 + i];
    }
    return sum;
}

/* e(th + d) - e(th) = 2 sin(d / 2) e'(th + d / 2) */
static bool guard(const void *user, int mode, int k, const double *y, const double *d, ss_guard_value *out)
{
    const chain *c = user;
    double J[2], th[2] = { y[0] + d[0], y[1] + d[1] };
    (void)mode;
    *out = (ss_guard_value){ .start = c->offset[k] };
    gap_row(c, k, th, J);
    for (int i = 0; i <= k; i++) {
        out->start += c->length[i] * ss_dot(c->normal, along(y[i]));
        out->change += 2 * c->length[i] * sin(0.5 * d[i]) * ss_dot(c->normal, across(y[i] + 0.5 * d[i]));
        out->rate += J[i] * (y[2 + i] + d[2 + i]);
    }
    return true;
}

static void impact(const void *user, int k, ss_knot *knot)
{
    const chain *c = user;
    double J[2], x[2], *w = knot->y + 2;
    gap_row(c, k, knot->y, J);
    solve(c, knot->y, J, x); /* M^-1 J' */
    double u = J[0] * w[0] + J[1] * w[1], p = -(1 + c->e[k]) * u / (J[0] * x[0] + J[1] * x[1]);
    w[0] += p * x[0];
    w[1] += p * x[1];
    if (c->e[k] * fabs(u) <= tiny * c->speed && gap_acceleration(c, k, knot->y) <= 0) {
        knot->mode = SS_MODE_REST;
        knot->kind = c->e[k] == 0 && u != 0 ? SS_KNOT_JUMP : SS_KNOT_KINK;
    }
}

/* ---- from the model --------------------------------------------------------------------------------- */

/* Is there a rod between the two bodies (`inner` may be the world)? Its anchor in `inner`. */
static bool rod_between(const ss_model *m, int inner, int outer, ss_vec3 *anchor)
{
    for (int j = 0; j < m->joints; j++) {
        const ss_joint *joint = &m->joint[j];
        int end = joint->at[1].body == outer ? 1 : 0;
        bool rod = strcmp(joint->type->info.name, "distance") == 0 && !isnan(joint->length);
        if (rod && joint->at[end].body == outer && joint->at[1 - end].body == inner) {
            *anchor = joint->at[1 - end].point;
            return true;
        }
    }
    return false;
}

static ss_status take_chain(const ss_exact *x, chain *c)
{
    const ss_model *m = x->model;
    int count = 0, found[2] = { -1, -1 };
    ss_vec3 middle;
    for (int b = 0; b < m->bodies; b++) {
        if (ss_model_is_dynamic(m, b) && m->body_type[b] == SS_BODY_PARTICLE && count++ < 2) {
            found[count - 1] = b;
        } else if (m->body_type[b] != SS_BODY_FIXED) {
            count = 3;
        }
    }
    if (count != 2 || m->joints != 2 || m->forces > 0) {
        return ss_exact_refuse(x, "expected two particles, two distance joints and no force but gravity");
    }
    for (int first = 0; first < 2; first++) {
        int a = found[first], b = found[1 - first];
        if (rod_between(m, m->bodies, a, &c->pivot) && rod_between(m, a, b, &middle)) {
            c->bob[0] = a;
            c->bob[1] = b;
            return SS_OK;
        }
    }
    return ss_exact_refuse(x, "expected distance joints from the world to one particle and from that to the other");
}

/* gap of bob k; arm: from the pivot to it at t = 0 */
static ss_status take_wall(const ss_exact *x, chain *c, int k, ss_vec3 arm)
{
    ss_exact_floor wall;
    SS_TRY(ss_exact_find_smooth_floor(x, c->bob[k], &wall));
    c->normal = wall.normal;
    c->e[k] = wall.law->e;
    c->offset[k] = wall.gap - ss_dot(wall.normal, arm);
    return SS_OK;
}

/* angle and rate of rod k from the motion of its ends */
static ss_status take_rod(const ss_exact *x, chain *c, int k, double y[4])
{
    const ss_model *m = x->model;
    const double *v = m->v0 + m->body_v[c->bob[k]], *inner = k == 1 ? m->v0 + m->body_v[c->bob[0]] : (double[]){ 0, 0 };
    ss_vec3 place = m->body_frame0[c->bob[k]].p;
    ss_vec3 rod = ss_sub(place, k == 1 ? m->body_frame0[c->bob[0]].p : c->pivot);
    c->mass[k] = m->body_mass[c->bob[k]];
    c->length[k] = ss_norm(rod);
    y[k] = atan2(rod.y, rod.x);
    y[2 + k] = (rod.x * (v[1] - inner[1]) - rod.y * (v[0] - inner[0])) / ss_dot(rod, rod);
    return take_wall(x, c, k, ss_sub(place, c->pivot));
}

static ss_status create(ss_exact *x, void **data)
{
    chain *c;
    double y[4];
    SS_TRY(ss_calloc(x->ctx, 1, sizeof *c, &c));
    *data = c;
    c->gravity = x->model->gravity;
    SS_TRY(take_chain(x, c));
    SS_TRY(take_rod(x, c, 0, y));
    SS_TRY(take_rod(x, c, 1, y));
    double size = fmin(c->length[0], c->length[1]);
    double w = sqrt(y[2] * y[2] + y[3] * y[3] + 4 * ss_norm(c->gravity) / size), scale = w > 0 ? w : 1;
    c->speed = scale * (c->length[0] + c->length[1]);
    c->motion = (ss_hybrid){
        .ode = { .n = 4, .rate = rate, .user = c, .scale = { 1, 1, scale, scale } },
        .longest = 0.25 / scale,
        .touch = SS_TOL_EXACT * x->model->length,
        .guards = 2,
        .guard = guard,
        .jump = impact,
    };
    return ss_hybrid_start(x->ctx, &c->motion, 0, y);
}

static void destroy(ss_context *ctx, void *data) { ss_hybrid_free(ctx, &((chain *)data)->motion); }

/* ---- answers ---------------------------------------------------------------------------------------- */

static ss_status at(const ss_exact *x, double t, int side, double *q, double *v)
{
    chain *c = x->data;
    ss_vec3 place = c->pivot, velocity = { 0, 0, 0 };
    double y[4];
    int mode;
    SS_TRY(ss_hybrid_at(x->ctx, &c->motion, t, side, y, &mode));
    if (mode == SS_MODE_REST) {
        return ss_exact_refuse(x, "impacts have accumulated before t = %g; the solution does not go on from there", t);
    }
    for (int k = 0; k < 2; k++) {
        int iq = x->model->body_q[c->bob[k]], iv = x->model->body_v[c->bob[k]];
        place = ss_axpy(c->length[k], along(y[k]), place);
        velocity = ss_axpy(c->length[k] * y[2 + k], across(y[k]), velocity);
        q[iq] = place.x;
        q[iq + 1] = place.y;
        v[iv] = velocity.x;
        v[iv + 1] = velocity.y;
    }
    return SS_OK;
}

static double next(const ss_exact *x, ss_knot_kind kind, double t)
{
    ss_hybrid *motion = &((chain *)x->data)->motion;
    return ss_hybrid_next(x->ctx, motion, kind, t, ss_exact_horizon(x, t, 400 * motion->longest));
}

static double next_jump(const ss_exact *x, double t) { return next(x, SS_KNOT_JUMP, t); }
static double next_kink(const ss_exact *x, double t) { return next(x, SS_KNOT_KINK, t); }

const ss_exact_type ss_exact_double_pendulum = {
    .info = { .name = "double_pendulum",
              .title = "two particles on rods against a half space",
              .reference = "PAGT06 10.1",
              .dimensions = 4 },
    .create = create,
    .destroy = destroy,
    .at = at,
    .next_jump = next_jump,
    .next_kink = next_kink,
};
