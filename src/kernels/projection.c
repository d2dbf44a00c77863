/* projection.c - positions back onto the joints, without touching velocities; velocities back onto the joints.
 *
 *     minimise  dq . M dq   subject to   g(q) + G(q) dq = 0,        q <- q (+) dq,    until |g| <= SS_TOL_ROUND_OFF
 *
 * that is  M dq - G' mu = 0,  G dq = -g: the joints' saddle-point system with b = 0. Each row is measured against its own
 * unit, the model's length or a radian. Converges quadratically, to round-off: stopping earlier would leave an error that depends
 * on the number of iterations. Gives up when an error is as large as the unit or does not fall. Rows that depend on others are
 * left out (they are satisfied when the others are). Far off the joints, such rows are independent by a hair: the nearest
 * position that satisfies them to first order is then far away. Where that fails, the rows that were redundant at the start of
 * the step, where the joints were satisfied, are left out instead.
 *
 *     minimise  (v' - v) . M (v' - v)   subject to   G(q) v' = c        for velocities: one linear system
 *
 * Cost   one evaluation of the joints if they are satisfied; else one factorisation per iteration, usually one */
#include "kernels/projection.h"
#include "base/tolerances.h"
#include "math/worse.h"
#include "problem/kkt.h"
#include <math.h>

static const double CLOSE = 1e-5; /* below this error the last factorisation is used again */
enum { ITERATIONS = 12 };

struct ss_projection {
    ss_context *ctx;
    ss_assembly *at; /* joints and M at the current position */
    ss_kkt *kkt;
    double *dq, *mu, *c;
    const bool *redundant; /* nj: rows redundant at the start of the step; NULL: not known */
};

ss_status ss_projection_create(ss_context *ctx, const ss_model *m, ss_projection **out)
{
    SS_TRY(ss_calloc(ctx, 1, sizeof **out, out));
    ss_projection *p = *out;
    p->ctx = ctx;
    ss_status status = ss_assembly_create(ctx, m, &p->at);
    status = status != SS_OK ? status : ss_kkt_create(ctx, &p->kkt);
    status = status != SS_OK ? status : ss_calloc(ctx, (size_t)m->nv, sizeof(double), &p->dq);
    status = status != SS_OK ? status : ss_calloc(ctx, (size_t)m->nj, sizeof(double), &p->mu);
    status = status != SS_OK ? status : ss_calloc(ctx, (size_t)m->nj, sizeof(double), &p->c);
    if (status != SS_OK) {
        ss_projection_destroy(p);
        *out = NULL;
        return status;
    }
    ss_kkt_set_redundant(p->kkt, SS_TOL_REDUNDANT);
    return SS_OK;
}

void ss_projection_destroy(ss_projection *p)
{
    if (p) {
        ss_assembly_destroy(p->ctx, p->at);
        ss_kkt_destroy(p->kkt);
        ss_free(p->ctx, p->dq);
        ss_free(p->ctx, p->mu);
        ss_free(p->ctx, p->c);
        ss_free(p->ctx, p);
    }
}

/* largest joint error in units of its row */
static double misfit(const ss_model *m, const double *g)
{
    double off = 0;
    for (int i = 0; i < m->nj; i++) {
        off = ss_worse(off, m->row_motor[i] ? 0 : fabs(g[i]) / m->row_unit[i]);
    }
    return off;
}

/* one Newton step from the joints at hand */
static ss_status correct(ss_projection *p, const ss_model *m, bool factor, double *q)
{
    for (int i = 0; i < m->nj; i++) {
        p->c[i] = m->row_motor[i] ? 0 : -p->at->g[i];
    }
    SS_TRY(factor ? ss_kkt_factor(p->kkt, &p->at->problem) : SS_OK);
    SS_TRY(ss_kkt_solve(p->kkt, NULL, p->c, p->dq, p->mu));
    ss_model_retract(m, q, p->dq, 1, q);
    return SS_OK;
}

void ss_projection_know_redundant(ss_projection *p, const bool *rows) { p->redundant = rows; }

/* rows of the joints at (t, q), where c is set to; *error: the largest */
static ss_status find_error(ss_projection *p, const ss_model *m, double t, const double *q, ss_config *c, double *error)
{
    ss_config_set(m, t, q, c);
    SS_TRY(ss_assembly_geometry(p->at, c, &(ss_contact_set){ 0 }, 0, NULL, (ss_friction){ .law = SS_LAW_UNILATERAL }, 0));
    *error = misfit(m, p->at->g);
    return SS_OK;
}

ss_status ss_projection_error(ss_projection *p, ss_stepper *s, double t, const double *q, double *error)
{
    ss_config c;
    *error = 0;
    if (s->model->nj == 0) {
        return SS_OK;
    }
    p->at->redundant = NULL;
    SS_TRY(ss_config_take(s->arena, s->model, &c));
    return find_error(p, s->model, t, q, &c, error);
}

/* Newton's method from q, without the rows that are marked (NULL: without those that depend on others where it is) */
static ss_status iterate(ss_projection *p, ss_stepper *s, double t, const bool *without, double *q, bool *satisfied)
{
    const ss_model *m = s->model;
    ss_config c;
    *satisfied = true;
    p->at->redundant = without;
    SS_TRY(ss_config_take(s->arena, m, &c));
    double before = 1; /* an error as large as the unit: the start is too far from any solution */
    for (int k = 0; k <= ITERATIONS; k++) {
        double off;
        SS_TRY(find_error(p, m, t, q, &c, &off));
        if (off <= SS_TOL_ROUND_OFF) {
            return SS_OK;
        }
        if (!(off < before) || k == ITERATIONS) {
            break;
        }
        before = off;
        SS_TRY(correct(p, m, k == 0 || off > CLOSE, q));
        s->report->newton(s->report, 1);
    }
    *satisfied = before <= SS_TOL_STALLED;
    return SS_OK;
}

ss_status ss_projection_apply(ss_projection *p, ss_stepper *s, double t, double *q, bool *satisfied)
{
    const size_t size = (size_t)s->model->nq * sizeof *q;
    double *from;
    *satisfied = true;
    if (s->model->nj == 0) {
        return SS_OK;
    }
    SS_TRY(ss_arena_take_raw(s->arena, (size_t)s->model->nq, sizeof *from, &from));
    memcpy(from, q, size);
    SS_TRY(iterate(p, s, t, NULL, q, satisfied));
    if (!*satisfied && p->redundant) {
        memcpy(q, from, size);
        SS_TRY(iterate(p, s, t, p->redundant, q, satisfied));
    }
    return SS_OK;
}

/* Largest |G v - c|, in units of its row a second; *size: the largest sum of the sizes of its terms. */
static double velocity_misfit(const ss_model *m, const ss_problem *p, const double *v, double *size)
{
    double worst = 0;
    *size = 0;
    for (int i = 0; i < p->nj; i++) {
        double off = -p->c[i], terms = fabs(p->c[i]);
        for (int k = p->G.p[i]; k < p->G.p[i + 1]; k++) {
            off += p->G.x[k] * v[p->G.i[k]];
            terms += fabs(p->G.x[k] * v[p->G.i[k]]);
        }
        worst = ss_worse(worst, fabs(off) / m->row_unit[i]);
        *size = ss_worse(*size, terms / m->row_unit[i]);
    }
    return worst;
}

ss_status ss_projection_apply_velocities(ss_projection *p, ss_stepper *s, double t, const double *q, double *v, bool *satisfied)
{
    const ss_model *m = s->model;
    const ss_problem *problem = &p->at->problem;
    ss_config c;
    *satisfied = true;
    if (m->nj == 0) {
        return SS_OK;
    }
    p->at->redundant = NULL;
    SS_TRY(ss_config_take(s->arena, m, &c));
    ss_config_set(m, t, q, &c);
    ss_config_drive(m, t, t, &c);
    SS_TRY(ss_assembly_geometry(p->at, &c, &(ss_contact_set){ 0 }, 0, NULL, (ss_friction){ .law = SS_LAW_UNILATERAL }, 0));
    double size, ignored;
    if (!(velocity_misfit(m, problem, v, &size) <= SS_TOL_STILL * size)) {
        ss_assembly_momentum(p->at, v, NULL);
        SS_TRY(ss_kkt_factor(p->kkt, problem));
        SS_TRY(ss_kkt_solve(p->kkt, problem->b, problem->c, v, p->mu));
        *satisfied = velocity_misfit(m, problem, v, &ignored) <= SS_TOL_STILL * size;
    }
    return SS_OK;
}
