/* stages.c - one step of a Runge-Kutta method over a phase of motion.
 *
 *     V_i = v + h sum_j a_ij V'_j,   X_i = h sum_j a_ij X'_j,   Q_i = q (+) X_i                       [Aca09 eq. 73]
 *     M(Q_i) V'_i = k(t_i, Q_i, V_i) + G' lam_i + H' r_i,  rows of joints and closed contacts at (t_i, Q_i, V_i)
 *     v' = v + h sum b_i V'_i,   q' = q (+) h sum b_i X'_i,   t_i = t + c_i h
 *
 * X' is the rate of the chart q (+) X of the configuration manifold: V itself but for rotations (Munthe-Kaas).
 *
 * Half-explicit   stage after stage, each with its multipliers.
 * Implicit        all stages at once by a simplified Newton method; unknowns V'_i, lam_i, r_i; Jacobian
 *                     M delta_ij - h a_ij k_v - h^2 (a a)_ij k_q   and the rows of stage i:
 *                 how rows and M turn within the step is left out of it, which costs iterations, not accuracy.
 * Deviations      the paper's rows lack the term (dG/dt) v.
 * Cost            a sparse factorisation per stage, or one or a few of all stages together */
#include "schemes/event_capturing_rk/stages.h"
#include "base/tolerances.h"
#include "math/dense.h"
#include "math/worse.h"
#include <limits.h>
#include <math.h>

static const ss_newton_options NEWTON = { .tol = SS_TOL_STAGES, .stall = SS_PHASE_STALL, .iterations = 40 };

ss_status ss_stages_create(ss_context *ctx, const ss_runge_kutta *method, ss_phase *phase, ss_stages **out)
{
    SS_TRY(ss_calloc(ctx, 1, sizeof **out, out));
    ss_stages *x = *out;
    x->ctx = ctx;
    x->method = method;
    x->phase = phase;
    ss_stages_begin(x, INT_MAX);
    for (int i = 0; i < method->stages; i++) {
        for (int j = 0; j < method->stages; j++) {
            for (int k = 0; k < method->stages; k++) {
                x->square[i][j] += method->a[i][k] * method->a[k][j];
            }
        }
    }
    ss_status status = ss_newton_work_create(ctx, &x->newton);
    status = status != SS_OK ? status : ss_calloc(ctx, (size_t)phase->model->nv, sizeof *x->sum, &x->sum);
    status = status != SS_OK ? status : ss_calloc(ctx, (size_t)phase->model->nv, sizeof *x->first, &x->first);
    if (status != SS_OK) {
        ss_stages_destroy(x);
        *out = NULL;
    }
    return status;
}

void ss_stages_destroy(ss_stages *x)
{
    if (x) {
        ss_newton_work_destroy(x->newton);
        ss_csr_free(x->ctx, &x->k_q);
        ss_csr_free(x->ctx, &x->k_v);
        void *owned[] = { x->of.z, x->of.X, x->of.rate, x->of.V, x->of.Q, x->sum, x->first, x->of.lack };
        for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) {
            ss_free(x->ctx, owned[i]);
        }
        ss_free(x->ctx, x);
    }
}

static ss_status reserve(ss_stages *x)
{
    const ss_model *m = x->phase->model;
    int n = x->method->stages;
    SS_TRY(ss_reserve(x->ctx, &x->of.z, &x->of.z_cap, n * x->size, sizeof *x->of.z));
    SS_TRY(ss_reserve(x->ctx, &x->of.lack, &x->of.lack_cap, x->size, sizeof *x->of.lack));
    SS_TRY(ss_reserve(x->ctx, &x->of.X, &x->of.X_cap, n * m->nv, sizeof *x->of.X));
    SS_TRY(ss_reserve(x->ctx, &x->of.rate, &x->of.rate_cap, n * m->nv, sizeof *x->of.rate));
    SS_TRY(ss_reserve(x->ctx, &x->of.V, &x->of.V_cap, n * m->nv, sizeof *x->of.V));
    return ss_reserve(x->ctx, &x->of.Q, &x->of.Q_cap, n * m->nq, sizeof *x->of.Q);
}

/* ---- the states of the stages -------------------------------------------------------------------- */

/* V_i = v + h sum_j a_ij V'_j over the first `count` stages j */
static void set_velocity(ss_stages *x, const double *z, int i, int count)
{
    int nv = x->phase->model->nv;
    double *V = x->of.V + i * nv;
    memcpy(V, x->step.v, (size_t)nv * sizeof *V);
    for (int j = 0; j < count; j++) {
        ss_dense_add(nv, x->step.h * x->method->a[i][j], z + j * x->size, V);
    }
}

/* X_i and what follows from it; returns by how much it has changed */
static double set_position(ss_stages *x, int i, int count)
{
    const ss_model *m = x->phase->model;
    double *X = x->of.X + i * m->nv, change = 0;
    memset(x->sum, 0, (size_t)m->nv * sizeof *x->sum);
    for (int j = 0; j < count; j++) {
        ss_dense_add(m->nv, x->step.h * x->method->a[i][j], x->of.rate + j * m->nv, x->sum);
    }
    for (int k = 0; k < m->nv; k++) {
        change = fmax(change, fabs(x->sum[k] - X[k]));
    }
    memcpy(X, x->sum, (size_t)m->nv * sizeof *X);
    ss_model_chart_rate(m, X, x->of.V + i * m->nv, x->of.rate + i * m->nv);
    return change;
}

/* All stages from their accelerations; the chart's rates depend on X itself where bodies turn. */
static void set_states(ss_stages *x, const double *z)
{
    enum { TURNS = 60 };
    const ss_model *m = x->phase->model;
    int n = x->method->stages;
    for (int i = 0; i < n; i++) {
        set_velocity(x, z, i, n);
        ss_model_chart_rate(m, x->of.X + i * m->nv, x->of.V + i * m->nv, x->of.rate + i * m->nv);
    }
    double change = INFINITY;
    for (int turn = 0; change > 0 && turn < TURNS; turn++) {
        double before = change;
        change = 0;
        for (int i = 0; i < n; i++) {
            change = fmax(change, set_position(x, i, n));
        }
        change = change < before ? change : 0; /* round-off */
    }
    for (int i = 0; i < n; i++) {
        ss_model_retract(m, x->step.q, x->of.X + i * m->nv, 1, x->of.Q + i * m->nq);
    }
}

static ss_status evaluate(ss_stages *x, int i)
{
    const ss_model *m = x->phase->model;
    return ss_phase_evaluate(x->phase, x->step.t + x->method->c[i] * x->step.h, x->of.Q + i * m->nq, x->of.V + i * m->nv);
}

/* ---- half-explicit ------------------------------------------------------------------------------- */

static ss_status solve_in_turn(ss_stages *x, bool *found)
{
    const ss_model *m = x->phase->model;
    *found = true;
    x->residual = 0;
    x->effort.spent++;
    for (int i = 0; *found && i < x->method->stages; i++) {
        set_velocity(x, x->of.z, i, i);
        set_position(x, i, i);
        ss_model_retract(m, x->step.q, x->of.X + i * m->nv, 1, x->of.Q + i * m->nq);
        SS_TRY(evaluate(x, i));
        double *z = x->of.z + i * x->size;
        SS_TRY(ss_phase_accelerate(x->phase, z, z + m->nv, found));
        x->residual = *found ? ss_worse(x->residual, ss_phase_residual(x->phase, z, z + m->nv, x->of.lack)) : x->residual;
    }
    memcpy(x->first, x->of.z, (size_t)m->nv * sizeof *x->first); /* every one of them begins at the start */
    return SS_OK;
}

/* ---- implicit ------------------------------------------------------------------------------------ */

static ss_status residual(void *user, const double *z, double *F, double *residual, uint64_t *branch)
{
    ss_stages *x = user;
    *residual = 0;
    *branch = 0;
    set_states(x, z);
    for (int i = 0; i < x->method->stages; i++) {
        const double *own = z + i * x->size;
        SS_TRY(evaluate(x, i));
        double size = ss_phase_residual(x->phase, own, own + x->phase->model->nv, F + i * x->size);
        *residual = ss_worse(*residual, size);
    }
    return SS_OK;
}

/* row r of stage i: the mass, and how the force depends on the accelerations of all stages */
static ss_status push_momentum_row(ss_stages *x, int i, int block, int r, ss_csr *J)
{
    const ss_blockdiag *M = &x->phase->at->mass.diagonal;
    int first = M->offset[block], n = M->size[block], row = first + r;
    for (int j = 0; j < x->method->stages; j++) {
        double v = -x->step.h * x->method->a[i][j], q = -x->step.h * x->step.h * x->square[i][j];
        for (int k = x->k_v.p[row]; k < x->k_v.p[row + 1]; k++) {
            int column = x->k_v.i[k];
            bool own = i == j && column >= first && column < first + n;
            double mass = own ? M->x[M->start[block] + r * n + column - first] : 0;
            SS_TRY(ss_csr_push(x->ctx, J, j * x->size + column, mass + v * x->k_v.x[k] + q * x->k_q.x[k]));
        }
    }
    SS_TRY(ss_phase_push_forces(x->phase, row, i * x->size + x->phase->model->nv, J));
    return ss_csr_end_row(x->ctx, J);
}

static ss_status jacobian(void *user, const double *z, ss_csr *J)
{
    ss_stages *x = user;
    const ss_model *m = x->phase->model;
    double weight[SS_RK_STAGES];
    ss_csr_reset(J, x->method->stages * x->size);
    for (int i = 0; i < x->method->stages; i++) {
        SS_TRY(evaluate(x, i));
        SS_TRY(ss_model_force_jacobian(x->ctx, m, &x->phase->point.c, x->of.V + i * m->nv, &x->k_q, &x->k_v));
        for (int b = 0; b < m->mass.diagonal.blocks; b++) {
            for (int r = 0; r < m->mass.diagonal.size[b]; r++) {
                SS_TRY(push_momentum_row(x, i, b, r, J));
            }
        }
        for (int j = 0; j < x->method->stages; j++) {
            weight[j] = x->step.h * x->method->a[i][j];
        }
        ss_phase_columns columns = { .v_first = i * x->size,
                                     .first = i * x->size + m->nv,
                                     .stages = x->method->stages,
                                     .stride = x->size,
                                     .weight = weight,
                                     .multiplier = z + i * x->size + m->nv };
        SS_TRY(ss_phase_push_laws(x->phase, &columns, J));
    }
    return SS_OK;
}

/* all stages start from what holds at the beginning of the step */
static ss_status guess(ss_stages *x, bool *found)
{
    const ss_model *m = x->phase->model;
    SS_TRY(ss_phase_evaluate(x->phase, x->step.t, x->step.q, x->step.v));
    SS_TRY(ss_phase_accelerate(x->phase, x->of.z, x->of.z + m->nv, found));
    memcpy(x->first, x->of.z, (size_t)m->nv * sizeof *x->first);
    for (int i = 1; *found && i < x->method->stages; i++) {
        memcpy(x->of.z + i * x->size, x->of.z, (size_t)x->size * sizeof *x->of.z);
    }
    memset(x->of.X, 0, (size_t)(x->method->stages * m->nv) * sizeof *x->of.X);
    return SS_OK;
}

static ss_status solve_together(ss_stages *x, bool *found)
{
    SS_TRY(guess(x, found));
    if (!*found) {
        return SS_OK;
    }
    ss_newton_system system = { x->method->stages * x->size, x, residual, jacobian, true };
    ss_newton_result result;
    SS_TRY(ss_newton_sparse(x->newton, x->step.s->arena, &system, &NEWTON, x->of.z, &result));
    x->step.s->report->newton(x->step.s->report, result.iterations);
    x->effort.spent += result.measured;
    set_states(x, x->of.z);
    x->residual = result.residual;
    *found = result.converged || result.residual <= SS_TOL_SOLVER; /* or as good as a certificate asks for */
    return SS_OK;
}

/* ---- the step ------------------------------------------------------------------------------------ */

void ss_stages_begin(ss_stages *x, int most) { x->effort = (ss_stages_effort){ .most = most }; }

ss_status ss_stages_step(ss_stages *x, ss_stepper *s, double t, const double *q, const double *v, double h, double *q_end,
                         double *v_end, bool *found)
{
    const ss_model *m = x->phase->model;
    *found = false;
    if (ss_stages_is_exhausted(x)) {
        return SS_OK;
    }
    x->step = (ss_stages_span){ s, t, h, q, v };
    x->size = m->nv + ss_phase_rows(x->phase);
    SS_TRY(reserve(x));
    SS_TRY(x->method->half_explicit ? solve_in_turn(x, found) : solve_together(x, found));
    s->report->evaluated(s->report, x->method->stages);
    if (!*found) {
        return SS_OK;
    }
    memcpy(v_end, v, (size_t)m->nv * sizeof *v_end);
    memset(x->sum, 0, (size_t)m->nv * sizeof *x->sum);
    for (int i = 0; i < x->method->stages; i++) {
        ss_dense_add(m->nv, h * x->method->b[i], x->of.z + i * x->size, v_end);
        ss_dense_add(m->nv, h * x->method->b[i], x->of.rate + i * m->nv, x->sum);
    }
    ss_model_retract(m, q, x->sum, 1, q_end);
    return SS_OK;
}

/* ---- its impulses -------------------------------------------------------------------------------- */

/* impulse += weight * multiplier * row, and the work of driven bodies through it */
static void add_row(const ss_csr *R, int row, double impulse, double *sum)
{
    for (int k = R->p[row]; k < R->p[row + 1]; k++) {
        sum[R->i[k]] += impulse * R->x[k];
    }
}

/* Joints and contacts of one stage, weight = h b_i. A motor's row is an applied force; dry friction of a joint, and a moment, are
 * friction of a contact. */
static void add_reactions(const ss_stages *x, const double *multiplier, double weight, double *const impulse[SS_IMPULSES],
                          double driven[3])
{
    const ss_phase *p = x->phase;
    const ss_problem *problem = &p->at->problem;
    const ss_model *m = p->model;
    for (int i = 0; i < m->nj; i++) {
        add_row(&problem->G, i, weight * multiplier[i], impulse[m->row_motor[i] ? SS_IMPULSE_APPLIED : SS_IMPULSE_JOINTS]);
        driven[0] += weight * multiplier[i] * p->at->c_drive[i];
    }
    for (int k = 0; k < p->n; k++) {
        const bool rubs = ss_contact_is_joint_friction(&p->closed[k].contact) || ss_contact_is_moment(&p->closed[k].contact);
        bool motor = p->closed[k].contact.id.kind == SS_CONTACT_MOTOR && !rubs;
        for (int row = problem->row[k]; row < problem->row[k + 1]; row++) {
            int tangent = rubs || row > problem->row[k];
            double r = weight * multiplier[m->nj + row];
            add_row(&problem->H, row, r,
                    impulse[motor     ? SS_IMPULSE_APPLIED
                            : tangent ? SS_IMPULSE_CONTACT_FRICTION
                                      : SS_IMPULSE_CONTACT_NORMAL]);
            driven[1 + tangent] -= motor ? 0 : r * p->at->w_drive[row];
        }
    }
}

/* p <- M M_i^-1 p: what makes with M the change of velocity that p made in the stage at hand */
static ss_status refer(ss_stages *x, const ss_matrix *M, double *factor, double *p)
{
    const ss_blockdiag *own = &x->phase->at->mass.diagonal;
    SS_TRY(ss_blockdiag_factor(x->ctx, own, factor));
    ss_blockdiag_solve(own, factor, p);
    memcpy(x->sum, p, (size_t)own->n * sizeof *p);
    ss_matrix_times(M, x->sum, p);
    return SS_OK;
}

static ss_status add_stage(ss_stages *x, int i, const ss_matrix *M, double *factor, double *const own[SS_IMPULSES],
                           double *const impulse[SS_IMPULSES], double work[SS_IMPULSES], double driven[3])
{
    const ss_model *m = x->phase->model;
    double weight = x->step.h * x->method->b[i];
    SS_TRY(evaluate(x, i));
    for (int kind = 0; kind < SS_IMPULSES; kind++) {
        memset(own[kind], 0, (size_t)m->nv * sizeof(double));
        if (kind < SS_FORCE_CLASSES) {
            ss_dense_add(m->nv, weight, x->phase->point.force + kind * m->nv, own[kind]);
        }
    }
    add_reactions(x, x->of.z + i * x->size + m->nv, weight, own, driven);
    for (int kind = 0; kind < SS_IMPULSES; kind++) {
        work[kind] += ss_dense_dot(m->nv, own[kind], x->of.V + i * m->nv);
        SS_TRY(m->constant_mass ? SS_OK : refer(x, M, factor, own[kind]));
        ss_dense_add(m->nv, 1, own[kind], impulse[kind]);
    }
    return SS_OK;
}

ss_status ss_stages_impulses(ss_stages *x, ss_arena *arena, const ss_matrix *M, double *const impulse[SS_IMPULSES],
                             double work[SS_IMPULSES], double driven[3])
{
    const ss_model *m = x->phase->model;
    double *own[SS_IMPULSES], *buffer, *factor;
    SS_TRY(ss_arena_take(arena, (size_t)(SS_IMPULSES * m->nv), sizeof *buffer, &buffer));
    SS_TRY(ss_arena_take(arena, ss_model_mass_size(m), sizeof *factor, &factor));
    driven[0] = driven[1] = driven[2] = 0;
    for (int kind = 0; kind < SS_IMPULSES; kind++) {
        own[kind] = buffer + kind * m->nv;
        work[kind] = 0;
        memset(impulse[kind], 0, (size_t)m->nv * sizeof(double));
    }
    for (int i = 0; i < x->method->stages; i++) {
        SS_TRY(add_stage(x, i, M, factor, own, impulse, work, driven));
    }
    return SS_OK;
}
