/* dense.c - the state at any time within the step just made.
 *
 * The path of a step is cut where impacts were located in it. On each stretch, from (t0, q0, v0) to (t1, q1, v1),
 *
 *     q(t) = the cubic of Hermite through q0, v0, q1, v1, in the tangent space at q0 (hermite.c)
 *     v(t) = v0 + (t - t0)/(t1 - t0) (v1 - v0)
 *
 * The straight line for v never leaves what the ends have; the cubic's own slope can (for q1 = q0 + h v1, Euler, by a
 * quarter of the difference). In a step in which a contact closed at an instant that is not known, slopes and positions do not
 * belong together: there q goes straight from q0 to q1, along the geodesic for rotations. */
#include "events/events.h"
#include "sim/sim.h"

/* A corner of the path. */
typedef struct corner {
    double t;
    const double *q, *before, *after; /* velocities on both sides */
} corner;

static void between(const ss_sim *sim, const corner *a, const corner *b, bool straight, double t, double *q, double *v)
{
    const ss_model *m = sim->model;
    double span = b->t - a->t, s = span > 0 ? (t - a->t) / span : 1;
    if (s >= 1) {
        memcpy(q, b->q, (size_t)m->nq * sizeof *q);
    } else if (straight) {
        ss_model_difference(m, a->q, b->q, sim->dense);
        ss_model_retract(m, a->q, sim->dense, s, q);
    } else {
        ss_hermite(m, a->q, a->after, b->q, b->before, span, t - a->t, sim->dense, q, v);
    }
    for (int i = 0; i < m->nv; i++) {
        v[i] = s >= 1 ? b->before[i] : a->after[i] + s * (b->before[i] - a->after[i]);
    }
}

static bool is_located(const ss_event *event) { return event->q && event->v_minus && event->v_plus; }

ss_status ss_sim_at(const ss_sim *sim, double t, double *q, double *v)
{
    const ss_account *a = sim->last;
    corner end = { sim->now.t, sim->now.q, sim->now.v, sim->now.v }, left = end, right = end;
    if (sim->path) {
        left = (corner){ sim->next.t, sim->next.q, sim->next.v, sim->next.v };
    }
    if (!(t >= left.t && t <= end.t)) {
        return ss_fail(sim->ctx, SS_ERR_INPUT, "t = %.17g: the last step goes from %.17g to %.17g", t, left.t, end.t);
    }
    bool straight = a->rough;
    for (int k = 0; sim->path && k < a->events; k++) {
        const ss_event *event = &a->event[k];
        corner here = { event->t, event->q, event->v_minus, event->v_plus };
        if (!is_located(event) || here.t < left.t || here.t > end.t) {
            continue;
        }
        straight = false;
        if (t < here.t) {
            right = here;
            break;
        }
        left = here;
    }
    between(sim, &left, &right, straight, t, q, v);
    return SS_OK;
}

ss_status ss_sim_energies_at(const ss_sim *sim, double t, const double *q, const double *v, double *kinetic, double *potential)
{
    const ss_model *m = sim->model;
    ss_arena_mark mark = ss_arena_save(sim->arena);
    ss_config c;
    SS_TRY(ss_config_take(sim->arena, m, &c));
    ss_config_set(m, t, q, &c);
    *kinetic = ss_model_kinetic(m, t, q, v);
    *potential = ss_model_potential(m, &c);
    ss_arena_release(sim->arena, mark);
    return SS_OK;
}
