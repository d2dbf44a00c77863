/* audit_motors.c - what a motor of limited force does besides its named work.
 *
 * Its named work is its impulse times the change of its coordinate, x:
 *     excess = r (H (v0 + v1)/2 - (x1 - x0)/h)
 * The row H is that of one configuration of the segment. Where the axis of the joint turns, H v is not the rate of the
 * coordinate: a motor that presses two bodies together, which turn, does work although nothing gives way, and the contact between
 * them does the opposite. Together they do what is right.
 *
 * Motors that a driven body carries are left out: their coordinate changes by its motion as well.
 * Cost   two configurations, if there is such a motor */
#include "base/parallel.h"
#include "sim/sim.h"

static bool is_driven(const ss_model *m, int body) { return body < m->bodies && m->body_type[body] == SS_BODY_DRIVEN; }

/* the joint of contact k if it is such a motor; -1: it is none. Dry friction of a joint has no named work. */
static int motor_of(const ss_model *m, const ss_segment *g, int k)
{
    const ss_contact *c = g->contacts->c[k];
    const ss_contact_id *id = &c->id;
    if (id->kind != SS_CONTACT_MOTOR || ss_contact_is_joint_friction(c) || is_driven(m, m->joint[id->a].at[0].body) ||
        is_driven(m, m->joint[id->a].at[1].body)) {
        return -1;
    }
    return (int)id->a;
}

static double coordinate(const ss_model *m, const ss_config *c, int joint)
{
    ss_twist_row row;
    return ss_model_joint_coordinate(m, c, joint, &row);
}

static double mean_rate(const ss_segment *g, int row)
{
    return 0.5 * (ss_csr_row_dot(&g->problem->H, row, g->from.v) + ss_csr_row_dot(&g->problem->H, row, g->to.v));
}

typedef struct search {
    const ss_model *m;
    const ss_segment *g;
} search;

static bool is_motor(const void *data, int k)
{
    const search *x = data;
    return motor_of(x->m, x->g, k) >= 0;
}

ss_status ss_audit_motors(ss_sim *sim, const ss_segment *g, double **excess)
{
    enum { GRAIN = 1024 };
    const ss_model *m = sim->model;
    const double h = g->to.t - g->from.t;
    ss_config from, to;
    *excess = NULL;
    if (!g->contacts || !ss_parallel_any(sim->ctx, g->problem->nc, GRAIN, is_motor, &(search){ m, g })) {
        return SS_OK;
    }
    SS_TRY(ss_arena_take(sim->arena, (size_t)g->problem->nc, sizeof **excess, excess));
    SS_TRY(ss_config_take(sim->arena, m, &from));
    SS_TRY(ss_config_take(sim->arena, m, &to));
    ss_config_set(m, g->from.t, g->from.q, &from);
    ss_config_set(m, g->to.t, g->to.q, &to);
    for (int k = 0; k < g->problem->nc; k++) {
        const int joint = motor_of(m, g, k), row = g->problem->row[k];
        const double way = joint >= 0 ? coordinate(m, &to, joint) - coordinate(m, &from, joint) : 0;
        (*excess)[k] = joint >= 0 ? ss_segment_weight(g) * g->solution->r[row] * (mean_rate(g, row) - way / h) : 0;
    }
    return SS_OK;
}
