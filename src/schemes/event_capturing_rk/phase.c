/* phase.c - accelerations while the same contacts stay closed, each in the same contact mode.
 *
 *     [ M  -G' -H' ] [dv/dt]   [ k    ]
 *     [ G   0   0  ] [ lam ] = [ rate ]       sparse, unsymmetric where something slips; KLU, ordered once per phase
 *     [ laws       ] [  r  ]   [ ..   ]
 *
 * Rows         A contact that depends on others (the fourth leg of a table) has none of its own: it moves with them, and its
 *              share of the load is that of the limit of vanishing compliance (phase_rows.c).
 * Slip         in 2D its sign is that of the phase; in 3D s = u_T/|u_T|, or the direction in which it began where u_T is at rest
 *              or reversed: so accelerations are smooth up to the end of slip and past it.
 * Projection   the same system with frictionless laws; Newton's method on the gaps and joints, then one solve for v.
 * Cost         a sparse factorisation per evaluation */
#include "schemes/event_capturing_rk/phase.h"
#include "base/tolerances.h"
#include "kernels/free_motion.h"
#include "math/worse.h"
#include "problem/contact_law.h"
#include <math.h>

enum { CORRECTIONS = 10 };

/* ---- life ---------------------------------------------------------------------------------------- */

static ss_status fill(ss_phase *p, const ss_model *m, const bool *redundant)
{
    SS_TRY(ss_assembly_create(p->ctx, m, &p->at));
    p->at->redundant = redundant;
    SS_TRY(ss_sparse_lu_create(p->ctx, &p->linear.lu));
    SS_TRY(ss_sparse_lu_create(p->ctx, &p->linear.projector));
    SS_TRY(ss_kkt_create(p->ctx, &p->linear.joints));
    ss_kkt_set_redundant(p->linear.joints, SS_TOL_REDUNDANT);
    SS_TRY(ss_calloc(p->ctx, (size_t)m->nv * SS_FORCE_CLASSES, sizeof(double), &p->point.force));
    return ss_calloc(p->ctx, (size_t)m->nv, sizeof(double), &p->point.k);
}

ss_status ss_phase_create(ss_context *ctx, const ss_model *m, ss_friction friction, const bool *redundant, ss_phase **out)
{
    SS_TRY(ss_calloc(ctx, 1, sizeof **out, out));
    (*out)->ctx = ctx;
    (*out)->model = m;
    (*out)->friction = friction;
    ss_status status = fill(*out, m, redundant);
    if (status != SS_OK) {
        ss_phase_destroy(*out);
        *out = NULL;
    }
    return status;
}

void ss_phase_destroy(ss_phase *p)
{
    if (p) {
        ss_assembly_destroy(p->ctx, p->at);
        ss_sparse_lu_destroy(p->linear.lu);
        ss_sparse_lu_destroy(p->linear.projector);
        ss_kkt_destroy(p->linear.joints);
        ss_csr_free(p->ctx, &p->point.Gt);
        ss_csr_free(p->ctx, &p->point.Ht);
        ss_csr_free(p->ctx, &p->linear.K);
        ss_csr_free(p->ctx, &p->share);
        void *owned[] = { p->closed, p->point.force, p->point.k, p->point.rate, p->point.direction, p->linear.x, p->set.c };
        for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) {
            ss_free(p->ctx, owned[i]);
        }
        ss_free(p->ctx, p);
    }
}

ss_status ss_phase_begin(ss_phase *p, ss_arena *arena)
{
    ss_sparse_lu_forget(p->linear.lu); /* a step's bits depend on its state alone */
    ss_sparse_lu_forget(p->linear.projector);
    return ss_config_take(arena, p->model, &p->point.c);
}

void ss_phase_clear(ss_phase *p) { p->n = 0; }

ss_status ss_phase_add(ss_phase *p, const ss_closed_contact *closed)
{
    SS_PUSH(p->ctx, p->closed, p->n, p->cap, *closed);
    return SS_OK;
}

/* ---- evaluation ---------------------------------------------------------------------------------- */

/* Has a slip of size u, `along` in the direction in which it was, come to its end? One that is still fast has turned. What is
 * left of a slip just before its end has no direction of its own: it keeps the one that it had. */
static bool has_ended(const ss_closed_contact *closed, double along, double u)
{
    const bool was = closed->speed > 0;
    return along < -0.1 * u || (along <= 0 && !(was && u > 0.1 * closed->speed)) || (was && u <= SS_TOL_TURNED * closed->speed);
}

/* the slip of contact k on its tangents, of unit length */
static void find_direction(ss_phase *p, int k, const double *v)
{
    const ss_problem *problem = &p->at->problem;
    const ss_closed_contact *closed = &p->closed[k];
    double *s = p->point.direction + 3 * k, size = 0, speed = 0;
    int first = ss_law_first_tangent(problem, k), tangents = problem->row[k + 1] - first;
    s[0] = closed->sign;
    s[1] = s[2] = 0;
    if (closed->mode != SS_MODE_SLIP || tangents < 2) {
        return;
    }
    for (int i = 0; i < 2; i++) {
        int row = first + i;
        s[i] = ss_csr_row_dot(&problem->H, row, v) + p->at->w_drive[row];
        for (int j = problem->H.p[row]; j < problem->H.p[row + 1]; j++) {
            speed += fabs(problem->H.x[j] * v[problem->H.i[j]]);
        }
    }
    double begins[2] = { ss_dot(closed->along, p->at->value[k]->tangent[0]), ss_dot(closed->along, p->at->value[k]->tangent[1]) };
    s[2] = size = hypot(s[0], s[1]);
    if (!(size > SS_TOL_NO_SPEED * speed) || has_ended(closed, s[0] * begins[0] + s[1] * begins[1], size)) {
        s[0] = begins[0];
        s[1] = begins[1];
        s[2] = 0;
        size = hypot(s[0], s[1]);
    }
    s[0] /= size > 0 ? size : 1;
    s[1] /= size > 0 ? size : 1;
}

/* right-hand sides of the rows of contact k */
static ss_status put_rates(ss_phase *p, int k, const double *v)
{
    const ss_problem *problem = &p->at->problem;
    const ss_closed_contact *closed = &p->closed[k];
    int first = problem->row[k], rows = problem->row[k + 1] - first;
    double *rate = p->point.rate + p->model->nj + first;
    SS_TRY(ss_contact_acceleration(p->ctx, p->model, &p->point.c, &closed->contact, p->at->value[k], v, rows, rate));
    for (int i = 0; i < rows; i++) {
        rate[i] = closed->own[i] ? -rate[i] : 0;
    }
    if (closed->mode == SS_MODE_FULL) {
        rate[0] = -problem->mu[k] * closed->sign;
    }
    return SS_OK;
}

static ss_status reserve(ss_phase *p)
{
    int rows = p->model->nj + 3 * p->n;
    SS_TRY(ss_reserve(p->ctx, &p->point.rate, &p->point.rate_cap, rows, sizeof *p->point.rate));
    SS_TRY(ss_reserve(p->ctx, &p->point.direction, &p->point.direction_cap, 3 * p->n, sizeof *p->point.direction));
    SS_TRY(ss_reserve(p->ctx, &p->linear.x, &p->linear.x_cap, 3 * (p->model->nv + rows), sizeof *p->linear.x));
    return ss_reserve(p->ctx, &p->set.c, &p->set.cap, p->n, sizeof *p->set.c);
}

/* M, G, H and gaps */
static ss_status evaluate_geometry(ss_phase *p, double t, const double *q)
{
    SS_TRY(reserve(p));
    for (p->set.n = 0; p->set.n < p->n && !ss_contact_is_moment(&p->closed[p->set.n].contact); p->set.n++) {
        p->set.c[p->set.n] = p->closed[p->set.n].contact;
    }
    ss_config_set(p->model, t, q, &p->point.c);
    ss_config_drive(p->model, t, t, &p->point.c);
    SS_TRY(ss_assembly_geometry(p->at, &p->point.c, &p->set, p->set.n, NULL, p->friction, 1));
    SS_TRY(ss_csr_transpose(p->ctx, &p->at->problem.G, &p->point.Gt));
    return ss_csr_transpose(p->ctx, &p->at->problem.H, &p->point.Ht);
}

ss_status ss_phase_evaluate(ss_phase *p, double t, const double *q, const double *v)
{
    const ss_model *m = p->model;
    SS_TRY(evaluate_geometry(p, t, q));
    p->point.v = v;
    SS_TRY(ss_model_forces(p->ctx, m, &p->point.c, v, p->point.force));
    memset(p->point.k, 0, (size_t)m->nv * sizeof *p->point.k);
    ss_forces_add(m->nv, 1, p->point.force, p->point.k);
    SS_TRY(ss_model_joint_acceleration(p->ctx, m, &p->point.c, v, p->point.rate));
    for (int i = 0; p->at->redundant && i < m->nj; i++) {
        p->point.rate[i] = p->at->redundant[i] ? 0 : p->point.rate[i];
    }
    for (int k = 0; k < p->n; k++) {
        find_direction(p, k, v);
        SS_TRY(put_rates(p, k, v));
    }
    return SS_OK;
}

/* ---- the equations ------------------------------------------------------------------------------- */

ss_status ss_phase_push_forces(const ss_phase *p, int i, int first, ss_csr *A)
{
    for (int k = p->point.Gt.p[i]; k < p->point.Gt.p[i + 1]; k++) {
        SS_TRY(ss_csr_push(p->ctx, A, first + p->point.Gt.i[k], -p->point.Gt.x[k]));
    }
    for (int k = p->point.Ht.p[i]; k < p->point.Ht.p[i + 1]; k++) {
        SS_TRY(ss_csr_push(p->ctx, A, first + p->model->nj + p->point.Ht.i[k], -p->point.Ht.x[k]));
    }
    return SS_OK;
}

static ss_status push_row(const ss_phase *p, const ss_csr *R, int row, int v_first, ss_csr *A)
{
    for (int k = R->p[row]; k < R->p[row + 1]; k++) {
        SS_TRY(ss_csr_push(p->ctx, A, v_first + R->i[k], R->x[k]));
    }
    return ss_csr_end_row(p->ctx, A);
}

/* The direction of slip turns with the velocity:  d(mu r_N s_i) = mu r_N/|u| sum_l (delta_il - s_i s_l) H_l dv. */
static ss_status push_turn(ss_phase *p, int k, int i, const ss_phase_columns *columns, ss_csr *A)
{
    const ss_problem *problem = &p->at->problem;
    const double *s = p->point.direction + 3 * k;
    const int first = ss_law_first_tangent(problem, k), nv = p->model->nv, own = problem->row[k] + i - first;
    double scale = problem->mu[k] * columns->multiplier[p->model->nj + ss_phase_normal(p, k)] / s[2], *row = p->linear.x;
    memset(row, 0, (size_t)(2 * nv) * sizeof *row); /* the row, and which of its columns are there */
    for (int l = 0; l < 2; l++) {
        double part = scale * ((l == own) - s[own] * s[l]);
        for (int e = problem->H.p[first + l]; e < problem->H.p[first + l + 1]; e++) {
            row[problem->H.i[e]] += part * problem->H.x[e];
            row[nv + problem->H.i[e]] = 1;
        }
    }
    for (int j = 0; j < columns->stages; j++) {
        for (int c = 0; c < nv; c++) {
            SS_TRY(row[nv + c] != 0 ? ss_csr_push(p->ctx, A, j * columns->stride + c, columns->weight[j] * row[c]) : SS_OK);
        }
    }
    return SS_OK;
}

/* its share of the load, r_T + mu s r_N = 0, or r = what the right-hand side says */
static ss_status push_given(ss_phase *p, int k, int i, const ss_phase_columns *columns, ss_csr *A)
{
    const ss_problem *problem = &p->at->problem;
    const int multipliers = columns->first + p->model->nj, tangent = problem->row[k] + i - ss_law_first_tangent(problem, k);
    if (ss_phase_shares(p, problem->row[k] + i)) {
        return push_row(p, &p->share, problem->row[k] + i, columns->first + p->model->nj, A);
    }
    if (p->closed[k].mode == SS_MODE_SLIP && tangent >= 0 && !columns->smooth) {
        bool turns = columns->stages > 0 && p->point.direction[3 * k + 2] > 0;
        SS_TRY(ss_csr_push(p->ctx, A, multipliers + ss_phase_normal(p, k), problem->mu[k] * p->point.direction[3 * k + tangent]));
        SS_TRY(turns ? push_turn(p, k, i, columns, A) : SS_OK);
    }
    SS_TRY(ss_csr_push(p->ctx, A, multipliers + problem->row[k] + i, 1));
    return ss_csr_end_row(p->ctx, A);
}

ss_status ss_phase_push_laws(ss_phase *p, const ss_phase_columns *columns, ss_csr *A)
{
    const ss_problem *problem = &p->at->problem;
    for (int i = 0; i < p->model->nj; i++) {
        bool out = p->at->redundant && p->at->redundant[i];
        SS_TRY(out ? ss_csr_push(p->ctx, A, columns->first + i, 1) : SS_OK);
        SS_TRY(out ? ss_csr_end_row(p->ctx, A) : push_row(p, &problem->G, i, columns->v_first, A));
    }
    for (int k = 0; k < p->n; k++) {
        for (int i = 0; i < problem->row[k + 1] - problem->row[k]; i++) {
            SS_TRY(p->closed[k].own[i] ? push_row(p, &problem->H, problem->row[k] + i, columns->v_first, A)
                                       : push_given(p, k, i, columns, A));
        }
    }
    return SS_OK;
}

static ss_status push_mass_row(const ss_phase *p, int block, int i, ss_csr *A)
{
    const ss_blockdiag *M = &p->at->mass.diagonal;
    int n = M->size[block];
    for (int j = 0; j < n; j++) {
        SS_TRY(ss_csr_push(p->ctx, A, M->offset[block] + j, M->x[M->start[block] + i * n + j]));
    }
    return SS_OK;
}

static ss_status factor(ss_phase *p, bool smooth, ss_sparse_lu *lu, bool *regular)
{
    const ss_blockdiag *M = &p->at->mass.diagonal;
    int nv = p->model->nv;
    ss_csr_reset(&p->linear.K, nv + ss_phase_rows(p));
    for (int b = 0; b < M->blocks; b++) {
        for (int i = 0; i < M->size[b]; i++) {
            SS_TRY(push_mass_row(p, b, i, &p->linear.K));
            SS_TRY(ss_phase_push_forces(p, M->offset[b] + i, nv, &p->linear.K));
            SS_TRY(ss_csr_end_row(p->ctx, &p->linear.K));
        }
    }
    SS_TRY(ss_phase_push_laws(p, &(ss_phase_columns){ .first = nv, .smooth = smooth }, &p->linear.K));
    return ss_sparse_lu_factor(lu, &p->linear.K, regular);
}

ss_status ss_phase_accelerate(ss_phase *p, double *a, double *multiplier, bool *regular)
{
    int nv = p->model->nv, rows = ss_phase_rows(p);
    SS_TRY(factor(p, false, p->linear.lu, regular));
    if (!*regular) {
        return SS_OK;
    }
    memcpy(p->linear.x, p->point.k, (size_t)nv * sizeof *p->linear.x);
    for (int i = 0; i < rows; i++) {
        p->linear.x[nv + i] = p->point.rate[i];
    }
    SS_TRY(ss_sparse_lu_solve_refined(p->linear.lu, &p->linear.K, p->linear.x, p->linear.x + nv + rows));
    memcpy(a, p->linear.x, (size_t)nv * sizeof *a);
    for (int i = 0; i < rows; i++) {
        multiplier[i] = p->linear.x[nv + i];
    }
    return SS_OK;
}

/* ---- projection ---------------------------------------------------------------------------------- */

/* x = (0, -g, keep - gap): what positions lack; returns the largest, each in its own unit */
static double position_errors(ss_phase *p)
{
    const ss_model *m = p->model;
    const ss_assembly *a = p->at;
    double off = 0, *x = p->linear.x + m->nv;
    memset(p->linear.x, 0, (size_t)(m->nv + ss_phase_rows(p)) * sizeof *p->linear.x);
    for (int i = 0; i < m->nj; i++) {
        bool out = m->row_motor[i] || (a->redundant && a->redundant[i]);
        x[i] = out ? 0 : -a->g[i];
        off = ss_worse(off, fabs(x[i]) / m->row_unit[i]);
    }
    for (int k = 0; k < p->n; k++) {
        bool fixed = p->closed[k].own[0] && ss_contact_has_gap(&p->closed[k].contact);
        double lacks = fixed ? p->closed[k].keep - a->value[k]->gap : 0;
        x[m->nj + a->problem.row[k]] = lacks;
        off = ss_worse(off, fabs(lacks) / ss_contact_unit(m, &p->closed[k].contact));
    }
    return off;
}

static ss_status project_positions(ss_phase *p, ss_stepper *s, double t, double *q, bool *satisfied)
{
    double before = 1;
    *satisfied = true;
    for (int k = 0; k <= CORRECTIONS; k++) {
        bool regular = true;
        SS_TRY(evaluate_geometry(p, t, q));
        double off = position_errors(p);
        if (off <= SS_TOL_ROUND_OFF) {
            return SS_OK;
        }
        if (!(off < before) || k == CORRECTIONS) {
            break;
        }
        before = off;
        SS_TRY(factor(p, true, p->linear.projector, &regular));
        if (!regular) {
            before = 1;
            break;
        }
        SS_TRY(ss_sparse_lu_solve(p->linear.projector, p->linear.x));
        ss_model_retract(p->model, q, p->linear.x, 1, q);
        s->report->newton(s->report, 1);
    }
    *satisfied = before <= SS_TOL_STALLED;
    return SS_OK;
}

/* what a row asks of velocities, relative to the velocities it is made of */
static double row_error(const ss_csr *R, int row, const double *v, double wanted)
{
    double size = fabs(wanted), off = fabs(ss_csr_row_dot(R, row, v) - wanted);
    for (int k = R->p[row]; k < R->p[row + 1]; k++) {
        size += fabs(R->x[k] * v[R->i[k]]);
    }
    return off > 0 ? off / size : off;
}

/* x = (M v, c, -w_drive), and how far v is off */
static double velocity_errors(ss_phase *p, const double *v)
{
    const ss_problem *problem = &p->at->problem;
    double worst = 0, *x = p->linear.x + p->model->nv;
    ss_matrix_times(&p->at->mass, v, p->linear.x);
    for (int i = 0; i < p->model->nj; i++) {
        x[i] = problem->c[i];
        worst = ss_worse(worst, row_error(&problem->G, i, v, x[i]));
    }
    for (int k = 0; k < p->n; k++) {
        for (int i = 0; i < problem->row[k + 1] - problem->row[k]; i++) {
            int row = problem->row[k] + i;
            x[p->model->nj + row] = p->closed[k].own[i] ? -p->at->w_drive[row] : 0;
            worst = ss_worse(worst, p->closed[k].own[i] ? row_error(&problem->H, row, v, x[p->model->nj + row]) : 0);
        }
    }
    return worst;
}

static ss_status project_velocities(ss_phase *p, double *v, bool *satisfied)
{
    if (velocity_errors(p, v) <= SS_TOL_ROUND_OFF) {
        return SS_OK;
    }
    SS_TRY(factor(p, true, p->linear.projector, satisfied));
    SS_TRY(*satisfied ? ss_sparse_lu_solve(p->linear.projector, p->linear.x) : SS_OK);
    memcpy(v, p->linear.x, *satisfied ? (size_t)p->model->nv * sizeof *v : 0);
    return SS_OK;
}

ss_status ss_phase_project(ss_phase *p, ss_stepper *s, double t, double *q, double *v, bool *satisfied)
{
    *satisfied = true;
    if (!ss_phase_is_bound(p)) {
        return SS_OK;
    }
    SS_TRY(project_positions(p, s, t, q, satisfied));
    return *satisfied ? project_velocities(p, v, satisfied) : SS_OK;
}
