/* pendulum.c - a body that turns about a fixed point under gravity and hits a half space (2D).
 *
 *   J omega' = m r x g,   psi' = omega,   -beta <= psi <= beta,   omega+ = -e omega- at the ends
 *
 * One moving body: a particle on a distance joint to the world, or a rigid body on a revolute joint to the world. Its one
 * shape, a point or a sphere, moves on a circle of radius rho about the pivot, so that the half space is an interval of
 * the angle psi between its arm and the normal n:  gap = D + rho cos(psi) >= 0,  beta = arccos(-D / rho). The acceleration is
 *
 *   omega' = kappa sin(down - psi),   kappa = m |a| |g| / J,   J = J_C + m |a|^2,   a = pivot to centre of mass
 *
 * Without friction neither the joint's impulse nor the law (Newton, Poisson) matters to the reduced velocity. If gravity
 * presses the body against the stop the impacts accumulate: once they leave less than 1e-14 of the largest rate possible,
 * the remainder of the geometric series  2 omega+ / (omega' (1 - e))  is added and the body stays at the stop.
 *
 * Accuracy   1e-12, with arcs by extrapolation (math/hybrid.h); less where the pendulum just grazes a stop
 * Reference  [BAC14 section 10.2] */
#include "base/tolerances.h"
#include "exact/exact.h"
#include "math/hybrid.h"
#include "model/drives.h"

static const double tiny = 1e-14; /* rates below this fraction of the largest one count as rest */

typedef struct pendulum {
    int body;
    bool rigid;
    ss_vec3 pivot;
    double arm;         /* pivot to centre of mass                     */
    double lean;        /* direction of the centre of mass minus psi   */
    double turn;        /* angle of a rigid body minus psi             */
    double kappa, down; /* omega' = kappa sin(down - psi)              */
    double beta, e;     /* the stops                                   */
    double fastest;     /* |omega| stays below                         */
    ss_hybrid motion;   /* y = (psi, omega)                            */
} pendulum;

/* what the model says, before it is reduced */
typedef struct parts {
    ss_vec3 arm;   /* pivot to centre of mass, world, t = 0  */
    ss_vec3 reach; /* pivot to contact point, world, t = 0   */
    double inertia;
    double omega;
    bool stop;
    ss_exact_floor wall;
} parts;

static double angle_of(ss_vec3 a) { return atan2(a.y, a.x); }

static double acceleration(const pendulum *p, double psi) { return p->kappa * sin(p->down - psi); }

static void rate(const void *user, int mode, double t, const double *y, double *out)
{
    (void)mode;
    (void)t;
    out[0] = y[1];
    out[1] = acceleration(user, y[0]);
}

static double side_of(int stop) { return stop == 0 ? 1 : -1; }

static bool guard(const void *user, int mode, int k, const double *y, const double *d, ss_guard_value *out)
{
    const pendulum *p = user;
    double side = side_of(k);
    (void)mode;
    *out = (ss_guard_value){ p->beta - side * y[0], -side * d[0], -side * (y[1] + d[1]) };
    return true;
}

/* omega+ = -e omega-; at rest if so little is left and nothing pulls the body away from the stop */
static void impact(const void *user, int k, ss_knot *knot)
{
    const pendulum *p = user;
    double side = side_of(k), before = knot->y[1], after = -p->e * before;
    double pressed = side * acceleration(p, side * p->beta), round_off = SS_TOL_EXACT * p->kappa;
    knot->y[0] = side * p->beta;
    knot->y[1] = after;
    if (pressed >= -round_off && fabs(after) <= (p->e < 1 ? tiny * p->fastest : 0)) {
        knot->mode = SS_MODE_REST;
        knot->y[1] = 0;
        knot->kind = after == 0 && before != 0 ? SS_KNOT_JUMP : SS_KNOT_KINK;
        knot->t += after != 0 && pressed > round_off ? 2 * fabs(after) / (pressed * (1 - p->e)) : 0;
    }
}

/* ---- from the model ------------------------------------------------------------------------------- */

/* the one joint, between the world and the body; *end: the body's place in it */
static ss_status find_joint(const ss_exact *x, const pendulum *p, const ss_joint **out, int *end)
{
    const ss_model *m = x->model;
    const char *wanted = p->rigid ? "revolute" : "distance";
    if (m->joints != 1 || strcmp(m->joint[0].type->info.name, wanted) != 0) {
        return ss_exact_refuse(x, "expected one joint, %s, of body %s to the world", wanted, m->body_name[p->body]);
    }
    const ss_joint *j = *out = &m->joint[0];
    *end = j->at[1].body == p->body ? 1 : 0;
    if (j->at[*end].body != p->body || j->at[1 - *end].body != m->bodies) {
        return ss_exact_refuse(x, "expected joint %s between the world and body %s", m->joint_name[0], m->body_name[p->body]);
    }
    if (j->motor.speed || j->motor.force || isfinite(j->limits[0]) || isfinite(j->limits[1]) || ss_joint_has_drive(j) ||
        j->resistance.friction > 0) {
        return ss_exact_refuse(x, "joint %s: expected neither motor nor limits", m->joint_name[0]);
    }
    return SS_OK;
}

/* pivot, arm, inertia about the pivot, rate; the compiler of the model has checked that the first state satisfies the joint */
static ss_status take_body(const ss_exact *x, pendulum *p, parts *in)
{
    const ss_model *m = x->model;
    const ss_joint *joint = NULL;
    const double *v = m->v0 + m->body_v[p->body];
    int end = 0;
    SS_TRY(find_joint(x, p, &joint, &end));
    p->pivot = joint->at[1 - end].point;
    in->arm = ss_sub(m->body_frame0[p->body].p, p->pivot);
    p->arm = ss_norm(in->arm);
    in->inertia = m->body_mass[p->body] * p->arm * p->arm + (p->rigid ? m->body_inertia[p->body].c[2].z : 0);
    in->omega = p->rigid ? v[2] : (in->arm.x * v[1] - in->arm.y * v[0]) / (p->arm * p->arm);
    return SS_OK;
}

static ss_status take_wall(const ss_exact *x, const pendulum *p, parts *in)
{
    const ss_model *m = x->model;
    in->reach = in->arm;
    in->stop = m->shapes > 0;
    if (!in->stop) {
        return SS_OK;
    }
    SS_TRY(ss_exact_find_smooth_floor(x, p->body, &in->wall));
    if (p->rigid) { /* a particle's shape keeps its direction: it goes round on the particle's own circle */
        in->reach = ss_sub(ss_point_to_world(m->body_frame0[p->body], in->wall.shape->local.p), p->pivot);
    }
    return SS_OK;
}

/* The angles at which gap = D + rho cos(psi) is zero. Without such angles there are no guards. */
static ss_status set_stops(const ss_exact *x, pendulum *p, const parts *in, double psi)
{
    double rho = ss_norm(in->reach), D = in->wall.gap - rho * cos(psi);
    p->beta = INFINITY;
    if (in->stop && D < rho) {
        if (!(D > -rho)) {
            return ss_exact_refuse(x, "the half space leaves no room: its edge is %g m from the pivot, the reach %g m", -D, rho);
        }
        p->beta = fmax(acos(-D / rho), in->wall.gap <= 0 ? fabs(psi) : 0);
        p->e = in->wall.law->e;
        p->motion.guards = 2;
    }
    return SS_OK;
}

static ss_status start(const ss_exact *x, pendulum *p, const parts *in)
{
    const ss_model *m = x->model;
    ss_vec3 n = in->stop ? in->wall.normal : in->arm;
    double psi = remainder(angle_of(in->reach) - angle_of(n), 2 * acos(-1));
    p->lean = angle_of(in->arm) - psi;
    p->turn = p->rigid ? m->q0[m->body_q[p->body] + 2] - psi : 0;
    p->kappa = m->body_mass[p->body] * p->arm * ss_norm(m->gravity) / in->inertia;
    p->down = angle_of(m->gravity) - p->lean;
    p->fastest = sqrt(in->omega * in->omega + 4 * p->kappa);
    p->fastest = p->fastest > 0 ? p->fastest : 1;
    SS_TRY(set_stops(x, p, in, psi));
    p->motion.ode = (ss_ode){ .n = 2, .rate = rate, .user = p, .scale = { 1, p->fastest } };
    p->motion.longest = 0.25 / p->fastest;
    p->motion.touch = SS_TOL_EXACT;
    p->motion.guard = guard;
    p->motion.jump = impact;
    return ss_hybrid_start(x->ctx, &p->motion, 0, (double[]){ psi, in->omega });
}

static ss_status create(ss_exact *x, void **data)
{
    pendulum *p;
    parts in = { 0 };
    SS_TRY(ss_calloc(x->ctx, 1, sizeof *p, &p));
    *data = p;
    SS_TRY(ss_exact_only_body(x, &p->body));
    p->rigid = x->model->body_type[p->body] == SS_BODY_RIGID;
    if (!p->rigid && x->model->body_type[p->body] != SS_BODY_PARTICLE) {
        return ss_exact_refuse(x, "body %s: expected a particle or a rigid body", x->model->body_name[p->body]);
    }
    if (x->model->forces > 0) {
        return ss_exact_refuse(x, "expected no force but gravity");
    }
    SS_TRY(take_body(x, p, &in));
    SS_TRY(take_wall(x, p, &in));
    return start(x, p, &in);
}

static void destroy(ss_context *ctx, void *data) { ss_hybrid_free(ctx, &((pendulum *)data)->motion); }

/* ---- answers -------------------------------------------------------------------------------------- */

static ss_status at(const ss_exact *x, double t, int side, double *q, double *v)
{
    pendulum *p = x->data;
    double y[2];
    SS_TRY(ss_hybrid_at(x->ctx, &p->motion, t, side, y, NULL));
    ss_vec3 arm = ss_scale(p->arm, ss_v3(cos(p->lean + y[0]), sin(p->lean + y[0]), 0));
    q[0] = p->pivot.x + arm.x;
    q[1] = p->pivot.y + arm.y;
    v[0] = -y[1] * arm.y;
    v[1] = y[1] * arm.x;
    if (p->rigid) {
        q[2] = p->turn + y[0];
        v[2] = y[1];
    }
    return SS_OK;
}

static double next(const ss_exact *x, ss_knot_kind kind, double t)
{
    ss_hybrid *motion = &((pendulum *)x->data)->motion;
    return ss_hybrid_next(x->ctx, motion, kind, t, ss_exact_horizon(x, t, 400 * motion->longest));
}

static double next_jump(const ss_exact *x, double t) { return next(x, SS_KNOT_JUMP, t); }
static double next_kink(const ss_exact *x, double t) { return next(x, SS_KNOT_KINK, t); }

const ss_exact_type ss_exact_pendulum = {
    .info = { .name = "pendulum",
              .title = "pendulum with impacts: a particle on a rod or a body on a hinge, against a half space",
              .reference = "BAC14 10.2",
              .dimensions = 4 },
    .create = create,
    .destroy = destroy,
    .at = at,
    .next_jump = next_jump,
    .next_kink = next_kink,
};
