/* assemble.c - a scene whose joints do not fit at t = 0 is changed until they do.
 *
 *   minimise  dq . M dq   subject to   g(q) + G(q) dq = 0,     q <- q (+) s dq        positions, until all joints are closed
 *   minimise  (v' - v) . M (v' - v)   subject to   G(q) v' = c                        velocities, motors with a speed included
 *
 * Every correction is the least motion, measured by mass, that closes the joints to first order. It is cut (s < 1) so that
 * nothing turns by more than LARGEST_TURN in one, and halved until |g| falls: G dq = -g is a direction in which it does. Near
 * the end projection.c takes over, to round-off. The velocities of a scene at rest in which a motor has a speed are those after
 * the motor was switched on, by an impulse of its own. Positions are closed with the coordinates of such motors held.
 *
 * What is changed are the positions, orientations and velocities of bodies, and `at` of the joints whose bodies have moved: the
 * scene can then be compiled, written and read like any other. `start` of a joint, and the rest length of a spring that does not
 * give it, still hold at t = 0.
 *
 * Reference  the projection of positions in Hairer and Wanner, Solving ordinary differential equations II, VII.2
 * Cost       one factorisation of the joints' system per correction, at most ITERATIONS */
#include "base/tolerances.h"
#include "kernels/projection.h"
#include "math/worse.h"
#include "model/attachment.h"
#include "model/scene.h"
#include "problem/kkt.h"
#include <math.h>
#include <slipstick/sim.h>

static const double NEAR = 1e-2;         /* below this error, in units of its row, projection.c converges quadratically */
static const double LARGEST_TURN = 0.25; /* rad, or units of length, in one correction */
enum { ITERATIONS = 200, HALVINGS = 20 };

typedef struct work {
    ss_context *ctx;
    const ss_model *m;
    ss_arena *arena;
    ss_assembly *at; /* joints and M at the position looked at last */
    ss_kkt *kkt;
    ss_projection *projection;
    ss_config config;
    double *q, *v, *trial, *dq, *mu, *c;
} work;

/* ---- positions ----------------------------------------------------------------------------------------------- */

/* the joints at q; |g| in units of the rows, and the largest */
static ss_status look(work *w, const double *q, double *norm, double *largest)
{
    const ss_model *m = w->m;
    const ss_friction none = { .law = SS_LAW_UNILATERAL };
    double sum = 0;
    ss_config_set(m, 0, q, &w->config);
    SS_TRY(ss_assembly_geometry(w->at, &w->config, &(ss_contact_set){ 0 }, 0, NULL, none, 0));
    *largest = 0;
    for (int i = 0; i < m->nj; i++) {
        const double off = m->row_motor[i] ? 0 : w->at->g[i] / m->row_unit[i];
        sum += off * off;
        *largest = ss_worse(*largest, fabs(off));
    }
    *norm = sqrt(sum);
    return SS_OK;
}

/* the least motion that closes the joints to first order; returns how much of it may be made at once */
static ss_status direction(work *w, double *step)
{
    const ss_model *m = w->m;
    double largest = 0;
    for (int i = 0; i < m->nj; i++) {
        w->c[i] = m->row_motor[i] ? 0 : -w->at->g[i];
    }
    SS_TRY(ss_kkt_factor(w->kkt, &w->at->problem));
    SS_TRY(ss_kkt_solve(w->kkt, NULL, w->c, w->dq, w->mu));
    for (int i = 0; i < m->nv; i++) {
        largest = ss_worse(largest, fabs(w->dq[i]) / m->v_unit[i]);
    }
    *step = largest > LARGEST_TURN ? LARGEST_TURN / largest : 1;
    return SS_OK;
}

/* one correction of q; *norm stays if none was found */
static ss_status correct(work *w, double *norm, double *largest)
{
    double step, after;
    SS_TRY(direction(w, &step));
    for (int k = 0; k < HALVINGS && isfinite(step); k++, step *= 0.5) {
        ss_model_retract(w->m, w->q, w->dq, step, w->trial);
        SS_TRY(look(w, w->trial, &after, largest));
        if (after < *norm) {
            memcpy(w->q, w->trial, (size_t)w->m->nq * sizeof *w->q);
            *norm = after;
            return SS_OK;
        }
    }
    return SS_OK;
}

static ss_status approach(work *w)
{
    double norm, largest, before = INFINITY;
    SS_TRY(look(w, w->q, &norm, &largest));
    for (int k = 0; k < ITERATIONS && largest > NEAR && norm < before; k++) {
        SS_TRY(ss_check_interrupt(w->ctx));
        before = norm;
        SS_TRY(correct(w, &norm, &largest));
    }
    return SS_OK;
}

/* names the joint that is violated most in the best positions, those in w->trial */
static ss_status refuse(work *w)
{
    const ss_model *m = w->m;
    double norm, largest;
    int worst = 0;
    SS_TRY(look(w, w->trial, &norm, &largest));
    for (int i = 1; i < m->nj; i++) {
        const double *g = w->at->g;
        worst = !m->row_motor[i] && fabs(g[i]) / m->row_unit[i] > fabs(g[worst]) / m->row_unit[worst] ? i : worst;
    }
    const int joint = m->row_joint[worst];
    return ss_fail(w->ctx, SS_ERR_INPUT, "%s.%.80s: the joints cannot be closed: in the best positions found it is off by %.3g",
                   joint >= 0 ? "joints" : "bodies", joint >= 0 ? m->joint_name[joint] : m->body_name[-1 - joint],
                   largest * m->row_unit[worst]);
}

static void ignore_newton(ss_report *self, int iterations) { (void)self, (void)iterations; }

static ss_status fit(work *w)
{
    ss_report report = { .newton = ignore_newton };
    ss_stepper stepper = { .ctx = w->ctx, .model = w->m, .arena = w->arena, .report = &report };
    bool satisfied;
    SS_TRY(approach(w));
    memcpy(w->trial, w->q, (size_t)w->m->nq * sizeof *w->q);
    SS_TRY(ss_projection_apply(w->projection, &stepper, 0, w->q, &satisfied));
    if (!satisfied) {
        return refuse(w);
    }
    SS_TRY(ss_projection_apply_velocities(w->projection, &stepper, 0, w->q, w->v, &satisfied));
    return satisfied ? SS_OK
                     : ss_fail(w->ctx, SS_ERR_INPUT, "joints: joints and motors ask for velocities that contradict each other");
}

/* ---- back into the scene ------------------------------------------------------------------------------------------ */

static bool differ(const double *a, const double *b, int n)
{
    int k = 0;
    while (k < n && a[k] == b[k]) {
        k++;
    }
    return k < n;
}

/* in q */
static int coordinates(const ss_model *m, int body)
{
    const int v = ss_attachment_dofs(m, body);
    return m->body_type[body] == SS_BODY_RIGID && m->dimension == 3 ? v + 1 : v;
}

/* how far a body has moved */
static ss_moved measure(const work *w, int body)
{
    const ss_model *m = w->m;
    const double *q = w->q + m->body_q[body], *q0 = m->q0 + m->body_q[body], *v = w->v + m->body_v[body],
                 *v0 = m->v0 + m->body_v[body];
    ss_moved moved = { .body = body };
    for (int k = 0; k < m->dimension; k++) {
        moved.distance = hypot(moved.distance, q[k] - q0[k]);
        moved.speed = hypot(moved.speed, v[k] - v0[k]);
    }
    if (m->body_type[body] == SS_BODY_RIGID && m->dimension == 2) {
        moved.angle = fabs(q[2] - q0[2]);
        moved.spin = fabs(v[2] - v0[2]);
    } else if (m->body_type[body] == SS_BODY_RIGID) {
        const ss_quat turn = ss_quat_product(ss_quat_from(q + 3), ss_quat_conjugate(ss_quat_from(q0 + 3)));
        moved.angle = ss_norm(ss_quat_log(turn));
        moved.spin = ss_norm(ss_sub(ss_v3_from(v + 3), ss_v3_from(v0 + 3)));
    }
    return moved;
}

static void write_body(const work *w, int body, ss_body_desc *desc)
{
    const ss_model *m = w->m;
    const double *q = w->q + m->body_q[body], *v = w->v + m->body_v[body];
    const size_t size = (size_t)m->dimension * sizeof *q;
    memcpy(desc->position, q, size);
    memcpy(desc->velocity, v, size);
    if (m->body_type[body] == SS_BODY_RIGID && m->dimension == 2) {
        desc->angle = q[2];
        desc->angular_velocity[2] = v[2];
    } else if (m->body_type[body] == SS_BODY_RIGID) {
        memcpy(desc->orientation, q + 3, 4 * sizeof *q);
        memcpy(desc->angular_velocity, v + 3, 3 * sizeof *v);
    }
}

/* the point of a joint that was given in the world */
static void write_joints(work *w, ss_scene *scene)
{
    ss_config_set(w->m, 0, w->q, &w->config);
    for (int j = 0; j < scene->joints; j++) {
        ss_spot spot[2];
        if (!isnan(scene->joint[j].at[0])) {
            ss_spots_at(&w->config, w->m->joint[j].at, spot);
            const double x[3] = { spot[0].x.x, spot[0].x.y, spot[0].x.z };
            memcpy(scene->joint[j].at, x, (size_t)w->m->dimension * sizeof *x);
        }
    }
}

static bool has_moved(const work *w, int body)
{
    const ss_model *m = w->m;
    const int q = m->body_q[body], v = m->body_v[body];
    return q >= 0 &&
           (differ(w->q + q, m->q0 + q, coordinates(m, body)) || differ(w->v + v, m->v0 + v, ss_attachment_dofs(m, body)));
}

/* a block is given by callbacks, a node by its flexible body: neither can be moved by itself */
static ss_status check_movable(const work *w, const ss_scene *scene)
{
    const ss_model *m = w->m;
    for (int b = 0; b < m->bodies; b++) {
        if ((b >= scene->bodies || m->body_type[b] == SS_BODY_BLOCK) && has_moved(w, b)) {
            return ss_fail(w->ctx, SS_ERR_INPUT,
                           "bodies.%.80s: the joints fit only if it moves, which assembling cannot do: place it",
                           m->body_name[b]);
        }
    }
    return SS_OK;
}

static void write_back(work *w, ss_scene *scene, int most, ss_moved *moved, int *count)
{
    for (int b = 0; b < scene->bodies; b++) {
        if (!has_moved(w, b)) {
            continue;
        }
        if (*count < most) {
            moved[*count] = measure(w, b);
        }
        (*count)++;
        write_body(w, b, &scene->body[b]);
    }
    if (*count > 0) {
        write_joints(w, scene);
    }
}

/* ---- the whole ----------------------------------------------------------------------------------------------------- */

static ss_status take(work *w)
{
    const size_t nq = (size_t)w->m->nq, nv = (size_t)w->m->nv, nj = (size_t)w->m->nj;
    SS_TRY(ss_arena_create(w->ctx, 4096, &w->arena));
    SS_TRY(ss_arena_take(w->arena, nq, sizeof *w->q, &w->q));
    SS_TRY(ss_arena_take(w->arena, nq, sizeof *w->trial, &w->trial));
    SS_TRY(ss_arena_take(w->arena, nv, sizeof *w->v, &w->v));
    SS_TRY(ss_arena_take(w->arena, nv, sizeof *w->dq, &w->dq));
    SS_TRY(ss_arena_take(w->arena, nj, sizeof *w->mu, &w->mu));
    SS_TRY(ss_arena_take(w->arena, nj, sizeof *w->c, &w->c));
    SS_TRY(ss_config_take(w->arena, w->m, &w->config));
    SS_TRY(ss_assembly_create(w->ctx, w->m, &w->at));
    SS_TRY(ss_kkt_create(w->ctx, &w->kkt));
    ss_kkt_set_redundant(w->kkt, SS_TOL_REDUNDANT);
    memcpy(w->q, w->m->q0, nq * sizeof *w->q);
    memcpy(w->v, w->m->v0, nv * sizeof *w->v);
    return ss_projection_create(w->ctx, w->m, &w->projection);
}

static void release(work *w)
{
    ss_projection_destroy(w->projection);
    ss_kkt_destroy(w->kkt);
    if (w->at) {
        ss_assembly_destroy(w->ctx, w->at);
    }
    ss_arena_destroy(w->arena);
}

static ss_status assemble(work *w, ss_scene *scene, int most, ss_moved *moved, int *count)
{
    SS_TRY(take(w));
    SS_TRY(fit(w));
    SS_TRY(check_movable(w, scene));
    write_back(w, scene, most, moved, count);
    return SS_OK;
}

ss_status ss_scene_assemble(ss_context *ctx, ss_scene *scene, int most, ss_moved *moved, int *count)
{
    ss_model *model = NULL;
    *count = 0;
    SS_TRY(ss_model_compile_loose(ctx, scene, &model));
    work w = { .ctx = ctx, .m = model };
    const ss_status status = model->nj > 0 ? assemble(&w, scene, most, moved, count) : SS_OK;
    release(&w);
    ss_model_destroy(model);
    return status;
}
