/* redundancy.c - joint rows that depend on other joint rows.
 *
 * In a mechanism with loops some rows of G depend on the others wherever the joints are satisfied, but not at a predicted
 * position q + h v, which is off by O(h^2): there they are independent by a hair, and enforcing all of them locks the
 * mechanism. So dependence is decided at the start of the step, where the joints are satisfied, and the rows found are left out
 * of the problems of that step. They hold at position level because the others do.
 *
 * A row is redundant when its pivot in G M^-1 G' falls below SS_TOL_REDUNDANT times its diagonal: its direction is then within
 * sqrt(SS_TOL_REDUNDANT) of the span of the rows before it. Joints without a loop (a chain, a tree) are not looked at.
 * A redundant row with a demand of its own (a motor, a driven body) can contradict the others: no velocity satisfies all of them.
 * Cost   one factorisation per substep, for mechanisms with loops only */
#include "kernels/redundancy.h"
#include "base/tolerances.h"
#include "math/worse.h"
#include "problem/kkt.h"
#include <math.h>

struct ss_redundancy {
    ss_context *ctx;
    ss_assembly *at; /* joints; NULL: no loops */
    ss_kkt *kkt;
    bool *row; /* nj; NULL: no loops */
};

/* root of a body in the forest; all that does not move is one body */
static int root_of(const int *parent, int body)
{
    while (parent[body] != body) {
        body = parent[body];
    }
    return body;
}

/* does any joint close a loop, or does a body carry constraints of its own? */
static bool has_loops(const ss_model *m, int *parent)
{
    for (int b = 0; b <= m->bodies; b++) {
        parent[b] = ss_model_is_dynamic(m, b) ? b : m->bodies;
    }
    for (int j = 0; j < m->joints; j++) {
        int a = root_of(parent, m->joint[j].at[0].body), b = root_of(parent, m->joint[j].at[1].body);
        if (a == b) {
            return true;
        }
        parent[a < b ? a : b] = a < b ? b : a; /* the world is the largest */
    }
    for (int i = 0; i < m->nj; i++) {
        if (m->row_joint[i] < 0) {
            return true;
        }
    }
    return false;
}

ss_status ss_redundancy_create(ss_context *ctx, const ss_model *m, ss_redundancy **out)
{
    int *parent = NULL;
    SS_TRY(ss_calloc(ctx, 1, sizeof **out, out));
    (*out)->ctx = ctx;
    ss_status status = ss_calloc(ctx, (size_t)m->bodies + 1, sizeof *parent, &parent);
    if (status == SS_OK && has_loops(m, parent)) {
        status = ss_calloc(ctx, (size_t)m->nj, sizeof *(*out)->row, &(*out)->row);
        status = status != SS_OK ? status : ss_assembly_create(ctx, m, &(*out)->at);
        status = status != SS_OK ? status : ss_kkt_create(ctx, &(*out)->kkt);
    }
    ss_free(ctx, parent);
    if (status != SS_OK) {
        ss_redundancy_destroy(*out);
        *out = NULL;
    } else if ((*out)->kkt) {
        ss_kkt_set_redundant((*out)->kkt, SS_TOL_REDUNDANT);
    }
    return status;
}

void ss_redundancy_destroy(ss_redundancy *r)
{
    if (r) {
        ss_assembly_destroy(r->ctx, r->at);
        ss_kkt_destroy(r->kkt);
        ss_free(r->ctx, r->row);
        ss_free(r->ctx, r);
    }
}

ss_status ss_redundancy_find(ss_redundancy *r, const ss_config *c)
{
    if (!r->row) {
        return SS_OK;
    }
    const ss_problem *p = &r->at->problem;
    SS_TRY(ss_assembly_geometry(r->at, c, &(ss_contact_set){ 0 }, 0, NULL, (ss_friction){ .law = SS_LAW_UNILATERAL }, 0));
    SS_TRY(ss_kkt_factor(r->kkt, p));
    for (int i = 0; i < p->nj; i++) {
        r->row[i] = ss_kkt_is_redundant(r->kkt, i);
    }
    return SS_OK;
}

/* ---- contradictions ----------------------------------------------------------------------------------- */

/* the fastest of all velocities, each in its unit */
static double find_fastest(const ss_model *m, const double *v)
{
    double fastest = 0;
    for (int i = 0; i < m->nv; i++) {
        fastest = ss_worse(fastest, fabs(v[i]) / m->v_unit[i]);
    }
    return fastest;
}

/* Does v, which satisfies the independent rows, not satisfy row i? The row is off the others by a small angle, so it may miss
 * what it demands by that part of the fastest of its own velocities, and by the rounding of all others. */
static bool contradicts(const ss_assembly *a, const double *v, double fastest, int i)
{
    const ss_problem *p = &a->problem;
    double rate = 0, size = 0, own = 0;
    for (int k = p->G.p[i]; k < p->G.p[i + 1]; k++) {
        const int j = p->G.i[k];
        rate += p->G.x[k] * v[j];
        size += fabs(p->G.x[k]) * a->model->v_unit[j];
        own = ss_worse(own, fabs(v[j]) / a->model->v_unit[j]);
    }
    const double terms = SS_TOL_CONTRADICTION * (fabs(p->c[i]) + size * own);
    return !(fabs(rate - p->c[i]) <= terms + SS_TOL_STILL * size * fastest);
}

/* M v - G' lam = G_i', G v = 0 over the independent rows: v = 0 and lam = -share */
static ss_status take_shares(ss_redundancy *r, int i, double *share)
{
    const ss_problem *p = &r->at->problem;
    double *b = p->b;
    memset(b, 0, (size_t)p->nv * sizeof *b);
    for (int k = p->G.p[i]; k < p->G.p[i + 1]; k++) {
        b[p->G.i[k]] += p->G.x[k];
    }
    SS_TRY(ss_kkt_solve(r->kkt, b, NULL, b, share));
    for (int j = 0; j < p->nj; j++) {
        share[j] = -share[j];
    }
    return SS_OK;
}

ss_status ss_redundancy_contradiction(ss_redundancy *r, double *share, int *row)
{
    *row = -1;
    if (!r->row) {
        return SS_OK;
    }
    const ss_problem *p = &r->at->problem;
    ss_solution *x = &r->at->solution;
    SS_TRY(ss_kkt_solve(r->kkt, NULL, p->c, x->v, x->lam));
    const double fastest = find_fastest(r->at->model, x->v);
    for (int i = 0; i < p->nj; i++) {
        if (r->row[i] && contradicts(r->at, x->v, fastest, i)) {
            *row = i;
            return take_shares(r, i, share);
        }
    }
    return SS_OK;
}

const bool *ss_redundancy_rows(const ss_redundancy *r) { return r->row; }
