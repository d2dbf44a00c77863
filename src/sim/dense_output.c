/* dense_output.c - the state at any time within the step just made.
 *
 * The path of a step is cut where its segments end, and where impacts were located in it. On each piece, from (t0, q0, v0) to
 * (t1, q1, v1),
 *
 *     q(t) = the cubic of Hermite through q0, v0, q1, v1, in the tangent space at q0 (hermite.c)
 *     v(t) = v0 + (t - t0)/(t1 - t0) (v1 - v0)
 *
 * The straight line for v stays between its values at the ends; the cubic's own slope may not (for q1 = q0 + h v1, Euler, by a
 * quarter of the difference). Where a contact closed within the step at an unknown time, the velocities at the ends do not belong
 * to the positions between them (this also holds beside a located impact, as another one may not have been located). There q
 * follows the straight line from q0 to q1, for rotations the geodesic.
 *
 * A segment for which the scheme gave accelerations too has, with T = t1 - t0 and z = (t - t0)/T, the quintic and its slope
 *
 *     q = q0 + G0 (q1 - q0) + T (H1 q0' + G1 q1') + T^2 (H2 q0'' + G2 q1'')       error O(T^6)
 *     v = q'                                                                      error O(T^5)
 *
 * with q' = v, q'' = a for numbers. For quaternions, with the angular velocity w in the body frame,
 *
 *     q' = q (0, w)/2,    q'' = [q' (0, w) + q (0, dw/dt)]/2,    w = 2 Im(q* q')
 *
 * and the polynomial in their four numbers is brought back to unit length, which keeps its order.
 *
 * Step control asks how good a segment is: the quintic over the first segments of two half steps, made without what is known
 * between them, is off there by 64 times what the quintic of each is off in its own middle. */
#include "events/events.h"
#include "sim/sim.h"
#include <math.h>

/* ---- segments with accelerations -------------------------------------------------------------------- */

/* x and its derivatives at both ends */
typedef struct ends {
    double x[2], rate[2], second[2];
} ends;

/* a number along a segment */
typedef struct moving {
    double x, rate;
} moving;

/* The slope of the quintic: the cubic of the rates and second derivatives at the ends, and what the mean rate lacks of that of
 * the cubic. The lack is (w T)^2/60 of the change of the cubic's own mean for a vibration of w; more than all of it is round-off
 * of x in a short segment. */
static double slope(const ends *e, double T, double z)
{
    const double y = 1 - z, bend = T * (e->second[0] - e->second[1]) / 12,
                 lack = (e->x[1] - e->x[0]) / T - 0.5 * (e->rate[0] + e->rate[1]) - bend;
    const double cubic =
        e->rate[0] + z * z * (3 - 2 * z) * (e->rate[1] - e->rate[0]) + T * z * y * (y * e->second[0] - z * e->second[1]);
    return cubic + 30 * z * z * y * y * copysign(fmin(fabs(lack), fabs(bend)), lack);
}

static moving quintic(const ends *e, double T, double z)
{
    double z3 = z * z * z, y = 1 - z;
    double G0 = z3 * (10 + z * (6 * z - 15)), G1 = -z3 * y * (4 - 3 * z), G2 = 0.5 * z3 * y * y;
    double H1 = z * y * y * y * (1 + 3 * z), H2 = 0.5 * z * z * y * y * y;
    return (moving){ e->x[0] + G0 * (e->x[1] - e->x[0]) + T * (H1 * e->rate[0] + G1 * e->rate[1]) +
                         T * T * (H2 * e->second[0] + G2 * e->second[1]),
                     slope(e, T, z) };
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

static void turn_between(const ss_kept_segment *s, int iq, int iv, double z, double *q, double *w)
{
    ends e[4];
    moving x[4];
    turn_at(0, s->q[0] + iq, s->v[0] + iv, s->a[0] + iv, 1, e);
    turn_at(1, s->q[1] + iq, s->v[1] + iv, s->a[1] + iv, end_sign(s, iq, iv), e);
    for (int k = 0; k < 4; k++) {
        x[k] = quintic(&e[k], s->t[1] - s->t[0], z);
    }
    const ss_quat p = { x[0].x, x[1].x, x[2].x, x[3].x },
                  rate = ss_quat_product(ss_quat_conjugate(p), (ss_quat){ x[0].rate, x[1].rate, x[2].rate, x[3].rate });
    const double twice = 2 / (p.w * p.w + p.x * p.x + p.y * p.y + p.z * p.z);
    ss_quat_to(ss_quat_unit(p), q + iq);
    w[iv] = twice * rate.x;
    w[iv + 1] = twice * rate.y;
    w[iv + 2] = twice * rate.z;
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
            const moving x = quintic(&e, T, z);
            q[iq + k] = x.x;
            v[iv + k] = x.rate;
        }
        if (turns) {
            turn_between(s, iq + 3, iv + 3, z, q, v);
        }
    }
}

bool ss_dense_foretell(const ss_model *m, const ss_account *first, const ss_account *second, double *q, double *v)
{
    const ss_kept_segment *a = first->last_segment, *b = second->last_segment;
    while (b && b->before) {
        b = b->before;
    }
    const bool known = a && b && !a->before && a->a[0] && a->a[1] && b->a[0] && b->a[1];
    if (known) {
        const ss_kept_segment both = {
            .t = { a->t[0], b->t[1] }, .q = { a->q[0], b->q[1] }, .v = { a->v[0], b->v[1] }, .a = { a->a[0], b->a[1] }
        };
        within(m, &both, a->t[1], q, v);
    }
    return known;
}

/* the segment with accelerations that t lies in, its start included; NULL: none. The list begins with the latest segment. */
static const ss_kept_segment *kept_segment_at(const ss_account *a, double t)
{
    const ss_kept_segment *s = a->last_segment;
    while (s && s->t[0] > t) {
        s = s->before;
    }
    return s && t < s->t[1] && s->a[0] && s->a[1] ? s : NULL;
}

/* ---- the others -------------------------------------------------------------------------------------- */

/* A corner of the path: an end of the step or of a segment, or a located event. */
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

static ss_status between(const ss_sim *sim, const corner *a, const corner *b, bool straight, double t, double *q, double *v)
{
    const ss_model *m = sim->model;
    const ss_arena_mark mark = ss_arena_save(sim->arena);
    double span = b->t - a->t, s = span > 0 ? (t - a->t) / span : 1, *here, *displacement;
    SS_TRY(ss_arena_take_raw(sim->arena, (size_t)m->nq, sizeof *here, &here));
    SS_TRY(ss_arena_take_raw(sim->arena, 2 * (size_t)m->nv, sizeof *displacement, &displacement));
    if (s >= 1) {
        memcpy(here, b->q, (size_t)m->nq * sizeof *q);
    } else if (straight) {
        go_straight(m, a, b, s, displacement, here);
    } else {
        ss_hermite(m, a->q, a->after, b->q, b->before, span, t - a->t, displacement, here, v);
    }
    memcpy(q, here, (size_t)ss_model_nq(m) * sizeof *q);
    for (int i = 0; i < m->nv; i++) {
        v[i] = s >= 1 ? b->before[i] : a->after[i] + s * (b->before[i] - a->after[i]);
    }
    ss_arena_release(sim->arena, mark);
    return SS_OK;
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

static corner end_of(const ss_kept_segment *s, int end, const double *v) { return (corner){ s->t[end], s->q[end], v, v }; }

/* The segment that t lies in, or the time between two of them. The ends of the step stay its states: positions may have been
 * corrected there. */
static void cut_at_segments(const ss_account *a, double t, path *p)
{
    const ss_kept_segment *s = a->last_segment, *next = NULL;
    while (s && s->t[0] > t) {
        next = s;
        s = s->before;
    }
    const bool inside = s && t < s->t[1];
    if (inside && s->before) {
        p->left = end_of(s, 0, s->v[0]);
    } else if (s && !inside && !s->mean) {
        p->left = end_of(s, 1, s->v[1]);
    }
    if (next) {
        p->right = inside ? end_of(s, 1, s->mean ? next->v[0] : s->v[1]) : end_of(next, 0, next->v[0]);
    }
}

static void cut_at_events(const ss_account *a, double t, path *p)
{
    const double first = p->left.t, last = p->right.t;
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
        cut_at_segments(a, t, &p);
        cut_at_events(a, t, &p);
    }
    return between(sim, &p.left, &p.right, a->nonsmooth, t, q, v);
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
