/* dense_output.c - the state at any time within the step just made.
 *
 * The path of a step is cut where impacts were located in it. On each piece, from (t0, q0, v0) to (t1, q1, v1),
 *
 *     q(t) = the cubic of Hermite through q0, v0, q1, v1, in the tangent space at q0 (hermite.c)
 *     v(t) = v0 + (t - t0)/(t1 - t0) (v1 - v0)
 *
 * The straight line for v stays between its values at the ends; the cubic's own slope may not (for q1 = q0 + h v1, Euler, by a
 * quarter of the difference). Where a contact closed within the step at an unknown time, the velocities at the ends do not belong
 * to the positions between them (this also holds beside a located impact, as another one may not have been located). There q
 * follows the straight line from q0 to q1, for rotations the geodesic.
 *
 * A segment for which the scheme gave accelerations too has, with T = t1 - t0 and z = (t - t0)/T, the quintic and the cubic
 *
 *     q = q0 + G0 (q1 - q0) + T (H1 q0' + G1 q1') + T^2 (H2 q0'' + G2 q1'')       error O(T^6)
 *     v = v0 + g0 (v1 - v0) + T (h1 a0 + g1 a1)                                   error O(T^4)
 *
 * with q' = v, q'' = a for numbers. For quaternions, with the angular velocity w in the body frame,
 *
 *     q' = q (0, w)/2,    q'' = [q' (0, w) + q (0, dw/dt)]/2
 *
 * and the polynomial in their four numbers is brought back to unit length, which keeps its order. */
#include "events/events.h"
#include "sim/sim.h"

/* ---- segments with accelerations -------------------------------------------------------------------- */

/* x and its derivatives at both ends */
typedef struct ends {
    double x[2], rate[2], second[2];
} ends;

static double quintic(const ends *e, double T, double z)
{
    double z3 = z * z * z, y = 1 - z;
    double G0 = z3 * (10 + z * (6 * z - 15)), G1 = -z3 * y * (4 - 3 * z), G2 = 0.5 * z3 * y * y;
    double H1 = z * y * y * y * (1 + 3 * z), H2 = 0.5 * z * z * y * y * y;
    return e->x[0] + G0 * (e->x[1] - e->x[0]) + T * (H1 * e->rate[0] + G1 * e->rate[1]) +
           T * T * (H2 * e->second[0] + G2 * e->second[1]);
}

static double cubic(double x0, double rate0, double x1, double rate1, double T, double z)
{
    double y = 1 - z, g0 = z * z * (3 - 2 * z), g1 = -z * z * y, h1 = z * y * y;
    return x0 + g0 * (x1 - x0) + T * (h1 * rate0 + g1 * rate1);
}

/* q (0, w)/2 */
static ss_quat half_product(ss_quat q, const double *w)
{
    return ss_quat_product(q, (ss_quat){ 0, 0.5 * w[0], 0.5 * w[1], 0.5 * w[2] });
}

/* the quaternion and its derivatives at one end of a segment, as four times `ends` */
static void turn_at(int end, const double *q, const double *w, const double *dw, double sign, ends out[4])
{
    ss_quat x = ss_quat_from(q), rate = half_product(x, w), forward = half_product(rate, w), gain = half_product(x, dw);
    double numbers[4][4];
    ss_quat_to(x, numbers[0]);
    ss_quat_to(rate, numbers[1]);
    ss_quat_to(forward, numbers[2]);
    ss_quat_to(gain, numbers[3]);
    for (int k = 0; k < 4; k++) {
        out[k].x[end] = sign * numbers[0][k];
        out[k].rate[end] = sign * numbers[1][k];
        out[k].second[end] = sign * (numbers[2][k] + numbers[3][k]);
    }
}

/* q and -q are the same rotation: the one nearer to where the mean angular velocity leads is meant */
static double end_sign(const ss_kept_segment *s, int iq, int iv)
{
    ss_vec3 sum = ss_add(ss_v3_from(s->v[0] + iv), ss_v3_from(s->v[1] + iv));
    ss_quat turn = ss_quat_exp(ss_scale(0.5 * (s->t[1] - s->t[0]), sum)), a = ss_quat_product(ss_quat_from(s->q[0] + iq), turn),
            b = ss_quat_from(s->q[1] + iq);
    return a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z < 0 ? -1 : 1;
}

static void turn_between(const ss_kept_segment *s, int iq, int iv, double z, double *q)
{
    ends e[4];
    turn_at(0, s->q[0] + iq, s->v[0] + iv, s->a[0] + iv, 1, e);
    turn_at(1, s->q[1] + iq, s->v[1] + iv, s->a[1] + iv, end_sign(s, iq, iv), e);
    for (int k = 0; k < 4; k++) {
        q[iq + k] = quintic(&e[k], s->t[1] - s->t[0], z);
    }
    ss_quat_to(ss_quat_unit(ss_quat_from(q + iq)), q + iq);
}

static void within(const ss_model *m, const ss_kept_segment *s, double t, double *q, double *v)
{
    double T = s->t[1] - s->t[0], z = (t - s->t[0]) / T;
    for (int b = 0; b < m->bodies; b++) {
        if (!ss_model_is_dynamic(m, b)) {
            continue;
        }
        bool turns = m->dimension == 3 && m->body_type[b] == SS_BODY_RIGID;
        int iq = m->body_q[b], iv = m->body_v[b], plain = turns ? 3 : m->mass.diagonal.size[m->body_block[b]];
        for (int k = 0; k < plain; k++) {
            const ends e = { { s->q[0][iq + k], s->q[1][iq + k] },
                             { s->v[0][iv + k], s->v[1][iv + k] },
                             { s->a[0][iv + k], s->a[1][iv + k] } };
            q[iq + k] = quintic(&e, T, z);
        }
        if (turns) {
            turn_between(s, iq + 3, iv + 3, z, q);
        }
    }
    for (int i = 0; i < m->nv; i++) {
        v[i] = cubic(s->v[0][i], s->a[0][i], s->v[1][i], s->a[1][i], T, z);
    }
}

/* the segment that t lies in, its start included; NULL: none. The list begins with the latest segment. */
static const ss_kept_segment *kept_segment_at(const ss_account *a, double t)
{
    const ss_kept_segment *s = a->last_segment;
    while (s && s->t[0] > t) {
        s = s->before;
    }
    return s && t < s->t[1] ? s : NULL;
}

/* ---- the others -------------------------------------------------------------------------------------- */

/* A corner of the path: an end of the step or of a kept segment, or a located event. */
typedef struct corner {
    double t;
    const double *q, *before, *after; /* velocities on both sides */
} corner;

static void go_straight(const ss_model *m, const corner *a, const corner *b, double s, double *displacement, double *q)
{
    double *guess = displacement + m->nv;
    for (int i = 0; i < m->nv; i++) {
        guess[i] = 0.5 * (b->t - a->t) * (a->after[i] + b->before[i]);
    }
    ss_model_difference_near(m, a->q, b->q, guess, displacement);
    ss_model_retract(m, a->q, displacement, s, q);
}

static void between(const ss_sim *sim, const corner *a, const corner *b, bool straight, double t, double *q, double *v)
{
    const ss_model *m = sim->model;
    double span = b->t - a->t, s = span > 0 ? (t - a->t) / span : 1, *here = sim->scratch.q;
    if (s >= 1) {
        memcpy(here, b->q, (size_t)m->nq * sizeof *q);
    } else if (straight) {
        go_straight(m, a, b, s, sim->scratch.displacement, here);
    } else {
        ss_hermite(m, a->q, a->after, b->q, b->before, span, t - a->t, sim->scratch.displacement, here, v);
    }
    memcpy(q, here, (size_t)ss_model_nq(m) * sizeof *q);
    for (int i = 0; i < m->nv; i++) {
        v[i] = s >= 1 ? b->before[i] : a->after[i] + s * (b->before[i] - a->after[i]);
    }
}

static bool is_located(const ss_event *event) { return event->q && event->v_minus && event->v_plus; }

/* The piece of the path between two corners that a time lies in. */
typedef struct path {
    corner left, right;
} path;

/* a corner becomes the left or the right end of the path if it is nearer to t than the present one */
static void cut(path *p, double t, const corner *here)
{
    if (t < here->t) {
        p->right = here->t < p->right.t ? *here : p->right;
    } else {
        p->left = here->t >= p->left.t ? *here : p->left;
    }
}

static void cut_at_corners(const ss_account *a, double t, path *p)
{
    const double first = p->left.t, last = p->right.t;
    for (const ss_kept_segment *s = a->last_segment; s; s = s->before) {
        cut(p, t, &(corner){ s->t[0], s->q[0], s->v[0], s->v[0] });
        cut(p, t, &(corner){ s->t[1], s->q[1], s->v[1], s->v[1] });
    }
    for (int k = 0; k < a->events.n; k++) {
        const ss_event *event = &a->events.event[k];
        if (is_located(event) && event->t >= first && event->t <= last) {
            cut(p, t, &(corner){ event->t, event->q, event->v_minus, event->v_plus });
        }
    }
}

ss_status ss_sim_at(const ss_sim *sim, double t, double *q, double *v)
{
    const ss_account *a = sim->last;
    corner end = { sim->now.t, sim->now.q, sim->now.v, sim->now.v };
    path p = { end, end };
    if (sim->next_is_previous) {
        p.left = (corner){ sim->next.t, sim->next.q, sim->next.v, sim->next.v };
    }
    if (!(t >= p.left.t && t <= end.t)) {
        return ss_fail(sim->ctx, SS_ERR_INPUT, "t = %.17g: the last step goes from %.17g to %.17g", t, p.left.t, end.t);
    }
    const ss_kept_segment *segment = sim->next_is_previous && t < end.t ? kept_segment_at(a, t) : NULL;
    if (segment) {
        within(sim->model, segment, t, q, v);
        return SS_OK;
    }
    if (sim->next_is_previous) {
        cut_at_corners(a, t, &p);
    }
    between(sim, &p.left, &p.right, a->nonsmooth, t, q, v);
    return SS_OK;
}

/* q has no turn counters: no energy depends on them */
ss_status ss_sim_energies_at(const ss_sim *sim, double t, const double *q, const double *v, double *kinetic, double *potential)
{
    const ss_model *m = sim->model;
    ss_arena_mark mark = ss_arena_save(sim->arena);
    ss_config c;
    SS_TRY(ss_config_take(sim->arena, m, &c));
    ss_config_set(m, t, q, &c);
    SS_TRY(ss_model_kinetic(sim->ctx, m, t, q, v, kinetic));
    SS_TRY(ss_model_potential(sim->ctx, m, &c, potential));
    ss_arena_release(sim->arena, mark);
    return SS_OK;
}
