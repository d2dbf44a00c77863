/* equations.c - the equations of motion as dense matrices, for controllers and linearisation.
 *
 *     M(q) dv/dt = k(q, v) + G(q)' lam + reactions of contacts,        G v = c
 *     J v   velocity of a point and angular velocity of its body: by virtual power, row i of J is the generalized force of the
 *           unit wrench i at the point
 *
 * Scratch comes from the arena of the step, in stack order, so that callbacks may read. Cost: that of the output, and one
 * evaluation of the model. */
#include "kernels/free_motion.h"
#include "model/attachment.h"
#include "sim/sim.h"

ss_status ss_sim_place(const ss_sim *sim, const double *q, ss_config *c)
{
    const ss_model *m = sim->model;
    double *whole;
    SS_TRY(ss_arena_take(sim->arena, (size_t)m->nq, sizeof *whole, &whole));
    memcpy(whole, sim->now.q, (size_t)m->nq * sizeof *whole);
    if (q) {
        memcpy(whole, q, (size_t)ss_model_nq(m) * sizeof *whole);
    }
    SS_TRY(ss_config_take(sim->arena, m, c));
    ss_config_set(m, sim->now.t, whole, c);
    ss_config_drive(m, sim->now.t, sim->now.t, c);
    return SS_OK;
}

/* ---- M ------------------------------------------------------------------------------------------------ */

static ss_status write_mass(const ss_sim *sim, const double *q, double *M)
{
    const ss_model *m = sim->model;
    const size_t nv = (size_t)m->nv;
    const ss_blockdiag *blocks = &m->mass.diagonal;
    ss_config c;
    double *x;
    SS_TRY(ss_sim_place(sim, q, &c));
    SS_TRY(ss_arena_take(sim->arena, ss_model_mass_size(m), sizeof *x, &x));
    SS_TRY(ss_model_mass(sim->ctx, m, c.t, c.q, x));
    memset(M, 0, nv * nv * sizeof *M);
    for (int b = 0; b < m->bodies; b++) {
        const int n = ss_model_is_dynamic(m, b) ? blocks->size[m->body_block[b]] : 0;
        for (int i = 0; i < n * n; i++) {
            M[(size_t)(m->body_v[b] + i / n) * nv + (size_t)(m->body_v[b] + i % n)] = x[blocks->start[m->body_block[b]] + i];
        }
    }
    return SS_OK;
}

ss_status ss_sim_mass_matrix(const ss_sim *sim, const double *q, double *M)
{
    const ss_arena_mark mark = ss_arena_save(sim->arena);
    const ss_status status = write_mass(sim, q, M);
    ss_arena_release(sim->arena, mark);
    return status;
}

/* ---- k ------------------------------------------------------------------------------------------------ */

static ss_status write_forces(const ss_sim *sim, const double *q, const double *v, double *k)
{
    const ss_model *m = sim->model;
    ss_config c;
    double *by_class;
    SS_TRY(ss_sim_place(sim, q, &c));
    SS_TRY(ss_arena_take(sim->arena, SS_FORCE_CLASSES * (size_t)m->nv, sizeof *by_class, &by_class));
    SS_TRY(ss_model_forces(sim->ctx, m, &c, v ? v : sim->now.v, by_class));
    memset(k, 0, (size_t)m->nv * sizeof *k);
    ss_forces_add(m->nv, 1, by_class, k);
    return SS_OK;
}

ss_status ss_sim_forces(const ss_sim *sim, const double *q, const double *v, double *k)
{
    const ss_arena_mark mark = ss_arena_save(sim->arena);
    const ss_status status = write_forces(sim, q, v, k);
    ss_arena_release(sim->arena, mark);
    return status;
}

/* ---- G ------------------------------------------------------------------------------------------------ */

int ss_sim_joint_row_count(const ss_sim *sim) { return sim->model->nj; }

static ss_status write_joints(const ss_sim *sim, const double *q, double *G)
{
    const ss_model *m = sim->model;
    ss_csr *rows = &sim->shown->G;
    ss_config c;
    double *g;
    SS_TRY(ss_sim_place(sim, q, &c));
    SS_TRY(ss_arena_take(sim->arena, 3 * (size_t)m->nj, sizeof *g, &g));
    SS_TRY(ss_model_joints(sim->ctx, m, &c, g, rows, g + m->nj, g + 2 * m->nj));
    memset(G, 0, (size_t)m->nj * (size_t)m->nv * sizeof *G);
    for (int i = 0; i < m->nj; i++) {
        for (int k = rows->p[i]; k < rows->p[i + 1]; k++) {
            G[(size_t)i * (size_t)m->nv + (size_t)rows->i[k]] = rows->x[k];
        }
    }
    return SS_OK;
}

ss_status ss_sim_joint_jacobian(const ss_sim *sim, const double *q, double *G)
{
    const ss_arena_mark mark = ss_arena_save(sim->arena);
    const ss_status status = write_joints(sim, q, G);
    ss_arena_release(sim->arena, mark);
    return status;
}

/* ---- J ------------------------------------------------------------------------------------------------ */

static ss_status write_point(const ss_sim *sim, int body, const double *q, const double point[3], double *J)
{
    const ss_model *m = sim->model;
    const int nv = m->nv, dofs = ss_attachment_dofs(m, body);
    const ss_attachment at = { .body = body, .point = ss_v3_from(point) };
    ss_config c;
    SS_TRY(ss_sim_place(sim, q, &c));
    const ss_spot s = ss_spot_at(&c, &at);
    memset(J, 0, 6 * (size_t)nv * sizeof *J);
    for (int row = 0; row < 6; row++) {
        double unit[6] = { 0 };
        unit[row] = 1;
        const ss_wrench w = { ss_v3_from(unit), ss_v3_from(unit + 3) };
        if (dofs > 0) { /* a row of J is the generalized force of a unit wrench */
            ss_spot_add_wrench(m, &s, &w, J + row * nv);
        }
    }
    return SS_OK;
}

ss_status ss_sim_point_jacobian(const ss_sim *sim, int body, const double *q, const double point[3], double *J)
{
    const ss_model *m = sim->model;
    SS_TRY(ss_sim_check_index(sim, "body", body, m->bodies));
    if (m->body_type[body] == SS_BODY_BLOCK) {
        return ss_fail(sim->ctx, SS_ERR_INPUT, "body %.80s: a block has no points", m->body_name[body]);
    }
    const ss_arena_mark mark = ss_arena_save(sim->arena);
    const ss_status status = write_point(sim, body, q, point, J);
    ss_arena_release(sim->arena, mark);
    return status;
}
