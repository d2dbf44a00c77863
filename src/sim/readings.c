/* readings.c - what a program that drives a simulation reads: joints, net wrenches, contacts as arrays.
 *
 *   net wrench        (p' - p)/h and (L' - L)/h of the last step; p = m v, L = R I w in world axes (2D: I w about z)
 *
 * Scratch comes from the arena of the step, in stack order, so that callbacks may read. Cost: that of the output, and one
 * evaluation of the frames of all bodies. */
#include "contact/moment.h"
#include "sim/sim.h"
#include <math.h>

enum { POINT = 1, NORMAL = 4, TANGENT = 7, FORCE = 13, NUMBERS = 16 }; /* where each array of a contact table begins, times n */

/* ---- joints ------------------------------------------------------------------------------------------- */

static ss_status read_joint(const ss_sim *sim, int joint, double *position, double *rate)
{
    ss_config c;
    ss_twist_row row;
    SS_TRY(ss_sim_place(sim, NULL, &c));
    if (position) {
        *position = ss_model_joint_coordinate(sim->model, &c, joint, &row);
    }
    if (rate) {
        *rate = ss_model_joint_rate(sim->model, &c, sim->now.v, joint);
    }
    return SS_OK;
}

ss_status ss_sim_joint_motion(const ss_sim *sim, int joint, double *position, double *rate)
{
    SS_TRY(ss_sim_check_index(sim, "joint", joint, sim->model->joints));
    const ss_joint *j = &sim->model->joint[joint];
    if (!j->type->coordinate) {
        return ss_fail(sim->ctx, SS_ERR_INPUT, "joint %.80s: a %s joint has no coordinate", sim->model->joint_name[joint],
                       j->type->info.name);
    }
    const ss_arena_mark mark = ss_arena_save(sim->arena);
    const ss_status status = read_joint(sim, joint, position, rate);
    ss_arena_release(sim->arena, mark);
    return status;
}

/* ---- net wrench ---------------------------------------------------------------------------------------- */

/* momentum and angular momentum of a rigid body or a particle */
static void momentum(const ss_model *m, int body, const ss_state *at, ss_vec3 out[2])
{
    const double *v = at->v + m->body_v[body];
    const bool plane = m->dimension == 2, turns = m->body_type[body] == SS_BODY_RIGID;
    const ss_vec3 spin = !turns ? ss_v3(0, 0, 0) : plane ? ss_v3(0, 0, v[2]) : ss_v3_from(v + 3);
    const ss_mat3 R = ss_model_frame(m, body, at->t, at->q).R;
    out[0] = ss_scale(m->body_mass[body], plane ? ss_v3(v[0], v[1], 0) : ss_v3_from(v));
    out[1] = turns ? ss_rotate(R, ss_rotate(m->body_inertia[body], spin)) : spin;
}

ss_status ss_sim_net_wrench(const ss_sim *sim, int body, double force[3], double torque[3])
{
    const ss_model *m = sim->model;
    const double h = sim->last->info.h;
    ss_vec3 before[2], after[2];
    SS_TRY(ss_sim_check_free_body(sim, body));
    memset(force, 0, 3 * sizeof *force);
    memset(torque, 0, 3 * sizeof *torque);
    if (sim->next_is_previous && h > 0) {
        momentum(m, body, &sim->next, before);
        momentum(m, body, &sim->now, after);
        ss_v3_to(ss_scale(1 / h, ss_sub(after[0], before[0])), force);
        ss_v3_to(ss_scale(1 / h, ss_sub(after[1], before[1])), torque);
    }
    return SS_OK;
}

/* ---- contacts ------------------------------------------------------------------------------------------ */

void ss_contact_table_free(ss_context *ctx, ss_contact_table *table)
{
    ss_free(ctx, table->bodies);
    ss_free(ctx, table->number);
}

static ss_status start_table(const ss_sim *sim, int n, ss_contact_table *table, ss_contact_arrays *out)
{
    SS_TRY(ss_reserve(sim->ctx, &table->bodies, &table->body_cap, 2 * n, sizeof *table->bodies));
    SS_TRY(ss_reserve(sim->ctx, &table->number, &table->number_cap, NUMBERS * n, sizeof *table->number));
    const double *x = table->number;
    *out = (ss_contact_arrays){ .n = n };
    if (n > 0) {
        *out = (ss_contact_arrays){ n, table->bodies, x, x + POINT * n, x + NORMAL * n, x + TANGENT * n, x + FORCE * n };
    }
    return SS_OK;
}

/* What is entered of a contact. */
typedef struct entry {
    int bodies[2];
    const ss_contact_value *value;
    const double *impulse; /* NULL: zeros */
    double h;
} entry;

static void enter(const ss_model *m, const entry *e, int n, int k, ss_contact_table *table)
{
    double *x = table->number;
    for (int i = 0; i < 2; i++) {
        const int body = e->bodies[i];
        table->bodies[2 * k + i] = body < m->bodies ? body : -1;
        ss_v3_to(e->value->tangent[i], x + TANGENT * n + 6 * k + 3 * i);
    }
    x[k] = e->value->gap;
    ss_v3_to(e->value->point, x + POINT * n + 3 * k);
    ss_v3_to(e->value->normal, x + NORMAL * n + 3 * k);
    for (int i = 0; i < 3; i++) {
        x[FORCE * n + 3 * k + i] = e->impulse ? e->impulse[i] / e->h : 0;
    }
}

ss_status ss_sim_contacts(const ss_sim *sim, ss_contact_arrays *out)
{
    const ss_reactions *r = &sim->last->reactions;
    const int n = r->n;
    SS_TRY(start_table(sim, n, &sim->shown->last, out));
    for (int k = 0; k < n; k++) {
        const ss_reacted *c = &r->contact[k];
        const entry e = { { c->bodies[0], c->bodies[1] }, &c->value, c->impulse, sim->last->info.h };
        enter(sim->model, &e, n, k, &sim->shown->last);
    }
    return SS_OK;
}

static ss_status find_near(const ss_sim *sim, double reach, ss_contact_set *found, ss_contact_arrays *out)
{
    ss_config c;
    SS_TRY(ss_sim_place(sim, NULL, &c));
    SS_TRY(ss_finder_find(sim->finder, &c, reach, found));
    SS_TRY(start_table(sim, found->n, &sim->shown->near, out));
    for (int k = 0; k < found->n; k++) {
        ss_contact_value value;
        SS_TRY(ss_contact_eval(sim->ctx, sim->model, &c, &found->c[k], &value));
        const entry e = { .bodies = { found->c[k].at[0].body, found->c[k].at[1].body }, .value = &value };
        enter(sim->model, &e, found->n, k, &sim->shown->near);
    }
    return SS_OK;
}

ss_status ss_sim_gaps(const ss_sim *sim, double reach, ss_contact_arrays *out)
{
    if (!(reach >= 0 && isfinite(reach))) {
        return ss_fail(sim->ctx, SS_ERR_INPUT, "reach: expected a number >= 0, got %g", reach);
    }
    const ss_arena_mark mark = ss_arena_save(sim->arena);
    const ss_status status = find_near(sim, reach, &sim->shown->found, out);
    ss_arena_release(sim->arena, mark);
    return status;
}

/* ---- contacts of a pair ---------------------------------------------------------------------------------- */

ss_status ss_sim_pair(const ss_sim *sim, int a, int b, double *mu, double *e)
{
    const ss_model *m = sim->model;
    SS_TRY(ss_sim_check_index(sim, "material", a, m->materials - 1));
    SS_TRY(ss_sim_check_index(sim, "material", b, m->materials - 1));
    const ss_pair_law *law = &m->pair[a * m->materials + b];
    *mu = law->mu[0];
    *e = law->e;
    return SS_OK;
}

ss_status ss_sim_pair_moments(const ss_sim *sim, int a, int b, double *rolling, double *spinning)
{
    const ss_model *m = sim->model;
    SS_TRY(ss_sim_check_index(sim, "material", a, m->materials - 1));
    SS_TRY(ss_sim_check_index(sim, "material", b, m->materials - 1));
    *rolling = m->pair[a * m->materials + b].arm[0];
    *spinning = m->pair[a * m->materials + b].arm[1];
    return SS_OK;
}

/* the mean force of contact k on its first body */
static ss_vec3 contact_force(const ss_sim *sim, int k)
{
    const ss_reactions *r = &sim->last->reactions;
    const ss_contact_value *v = &r->contact[k].value;
    const double *p = r->contact[k].impulse, h = sim->last->info.h;
    return ss_scale(1 / h, ss_axpy(p[2], v->tangent[1], ss_axpy(p[1], v->tangent[0], ss_scale(p[0], v->normal))));
}

/* of contact k, which is a moment, on its first body */
static ss_vec3 contact_moment(const ss_sim *sim, int k)
{
    const ss_reactions *r = &sim->last->reactions;
    const ss_reacted *c = &r->contact[k];
    const ss_contact who = ss_reacted_who(c);
    ss_vec3 sum = { 0, 0, 0 };
    for (int i = 0; i < ss_moment_rows_of(sim->model, &who); i++) {
        sum = ss_axpy(c->impulse[i] / sim->last->info.h, ss_moment_axis(sim->model, &who, &c->value, i), sum);
    }
    return sum;
}

ss_status ss_sim_contact_wrench(const ss_sim *sim, int a, int b, double force[3], double torque[3])
{
    const ss_model *m = sim->model;
    const ss_reactions *r = &sim->last->reactions;
    ss_vec3 f = { 0, 0, 0 }, moment = { 0, 0, 0 };
    SS_TRY(ss_sim_check_index(sim, "body", a, m->bodies));
    SS_TRY(b == -1 ? SS_OK : ss_sim_check_index(sim, "body", b, m->bodies));
    const ss_vec3 centre = ss_model_frame(m, a, sim->now.t, sim->now.q).p;
    for (int k = 0; k < r->n && sim->last->info.h > 0; k++) {
        const ss_reacted *c = &r->contact[k];
        for (int i = 0; i < 2; i++) {
            const bool acts = c->bodies[i] == a && (b == -1 || c->bodies[1 - i] == b);
            if (acts && c->id.kind == SS_CONTACT_SHAPES) {
                const ss_vec3 own = ss_scale(i == 0 ? 1 : -1, contact_force(sim, k));
                f = ss_add(f, own);
                moment = ss_add(moment, ss_cross(ss_sub(c->value.point, centre), own));
            } else if (acts && c->id.kind >= SS_CONTACT_ROLLING) { /* a moment */
                moment = ss_axpy(i == 0 ? 1 : -1, contact_moment(sim, k), moment);
            }
        }
    }
    ss_v3_to(f, force);
    ss_v3_to(moment, torque);
    return SS_OK;
}
