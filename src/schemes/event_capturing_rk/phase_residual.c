/* phase_residual.c - by how much accelerations and multipliers fail the equations of a phase, each relative to its own terms.
 *
 *     momentum     M a - k - G' lam - H' r, in the norm of M^-1 (of its diagonal), against the largest of the four and M c;
 *                  within the round-off of k (model/round_off.h) it is at most where rounding may end an iteration
 *     rows         R a - rate, against the sum of its terms and those that forces alone and c would give
 *     laws         r_T + mu r_N s, r less what it is given, or less its share, against the sum of its terms
 *
 * c_i = |v_i| |w| are the centripetal accelerations, w the angular velocity of the body. They are the size of the terms that
 * cancel in `rate` and k where a body turns about a fixed axis: a wheel that turns freely has nothing else to compare with.
 * Motors of limited force count as forces: they may be all that presses a mechanism at rest. */
#include "math/dense.h"
#include "math/worse.h"
#include "model/round_off.h"
#include "problem/bounded.h"
#include "problem/contact_law.h"
#include "schemes/event_capturing_rk/phase.h"
#include <math.h>

/* out = x_i/M_ii: a scale, not an inverse */
static void divide_by_mass(const ss_phase *p, const double *x, double *out)
{
    const ss_blockdiag *M = &p->at->mass.diagonal;
    for (int b = 0; b < M->blocks; b++) {
        for (int i = 0; i < M->size[b]; i++) {
            out[M->offset[b] + i] = x[M->offset[b] + i] / M->x[M->start[b] + i * (M->size[b] + 1)];
        }
    }
}

/* sqrt(sum x_i^2/M_ii) */
static double momentum_norm(const ss_phase *p, const double *x)
{
    double sum = 0, *scaled = p->linear.x + p->model->nv;
    divide_by_mass(p, x, scaled);
    for (int i = 0; i < p->model->nv; i++) {
        sum += x[i] * scaled[i];
    }
    return sqrt(sum);
}

static double spin_of(const ss_model *m, int body, const double *v)
{
    double sum = 0;
    for (int i = m->dimension; m->body_type[body] == SS_BODY_RIGID && i < 3 * (m->dimension - 1); i++) {
        sum += v[i] * v[i];
    }
    return sqrt(sum);
}

/* out += c */
static void add_centripetal(const ss_phase *p, double *out)
{
    const ss_model *m = p->model;
    for (int b = 0; b < m->bodies; b++) {
        const int first = m->body_v[b], n = ss_model_is_dynamic(m, b) ? m->mass.diagonal.size[m->body_block[b]] : 0;
        const double spin = n > 0 ? spin_of(m, b, p->point.v + first) : 0;
        for (int i = first; i < first + n; i++) {
            out[i] += fabs(p->point.v[i]) * spin;
        }
    }
}

/* M a - k - G' lam - H' r, and its size against the largest of the four, or M c */
static double momentum_residual(ss_phase *p, const double *a, const double *multiplier, double *R)
{
    const ss_problem *problem = &p->at->problem;
    double *part = p->linear.x, scale = momentum_norm(p, p->point.k);
    memset(part, 0, (size_t)p->model->nv * sizeof *part);
    add_centripetal(p, part);
    ss_matrix_times(&p->at->mass, part, R);
    scale = ss_worse(scale, momentum_norm(p, R));
    ss_matrix_times(&p->at->mass, a, R);
    scale = ss_worse(scale, momentum_norm(p, R));
    const ss_csr *rows[2] = { &problem->G, &problem->H };
    for (int i = 0; i < 2; i++) {
        ss_csr_transpose_times(rows[i], 1, multiplier + (i == 0 ? 0 : p->model->nj), 0, part);
        scale = ss_worse(scale, momentum_norm(p, part));
        ss_dense_add(p->model->nv, -1, part, R);
    }
    ss_dense_add(p->model->nv, -1, p->point.k, R);
    return ss_residual_beyond(momentum_norm(p, R), ss_model_round_off(p->model, &p->point.c), scale, SS_PHASE_STALL);
}

/* R.a - rate, or what the law of a given multiplier lacks; the largest against the size of its terms */
typedef struct lack {
    double off, size;
} lack;

/* `free`: sizes of the accelerations by forces alone and of c; where nothing is held there is nothing else to compare with */
static double row_residual(const ss_csr *A, int row, const double *a, const double *free, double rate, lack *worst)
{
    double size = fabs(rate), off = ss_csr_row_dot(A, row, a) - rate;
    for (int k = A->p[row]; k < A->p[row + 1]; k++) {
        size += fabs(A->x[k]) * (fabs(a[A->i[k]]) + free[A->i[k]]);
    }
    worst->off = ss_worse(worst->off, fabs(off));
    worst->size = ss_worse(worst->size, size);
    return off;
}

static double relative(lack worst) { return worst.off > 0 ? worst.off / worst.size : worst.off; }

/* what its share of the load lacks; r: of all rows */
static double share_residual(const ss_phase *p, int row, const double *r, lack *worst)
{
    double off = ss_csr_row_dot(&p->share, row, r), size = 0;
    for (int e = p->share.p[row]; e < p->share.p[row + 1]; e++) {
        size += fabs(p->share.x[e] * r[p->share.i[e]]);
    }
    worst->off = ss_worse(worst->off, fabs(off));
    worst->size = ss_worse(worst->size, size);
    return off;
}

/* what the law of a given multiplier lacks: r_T + mu s r_N, or r less what it is given; r: of all rows */
static double law_residual(const ss_phase *p, int k, int i, const double *r, lack *worst)
{
    const ss_problem *problem = &p->at->problem;
    const int row = problem->row[k] + i, tangent = row - ss_law_first_tangent(problem, k);
    if (ss_phase_shares(p, row)) {
        return share_residual(p, row, r, worst);
    }
    const double bound = p->closed[k].mode == SS_MODE_SLIP && tangent >= 0 ? problem->mu[k] * r[ss_phase_normal(p, k)] : 0;
    const double friction = bound != 0 ? bound * p->point.direction[3 * k + tangent] : 0;
    double given = p->point.rate[p->model->nj + row], off = r[row] + friction - given;
    worst->off = ss_worse(worst->off, fabs(off));
    worst->size = ss_worse(worst->size, fabs(r[row]) + fabs(given) + fabs(bound));
    return off;
}

/* out = |k/M| + |H' r/M| of the bounded rows + c; part[nv] is scratch */
static void find_free(const ss_phase *p, const double *r, double *part, double *out)
{
    const int nv = p->model->nv;
    memset(part, 0, (size_t)nv * sizeof *part);
    ss_bounded_add(&p->at->problem, 1, r, part);
    divide_by_mass(p, part, part);
    divide_by_mass(p, p->point.k, out);
    for (int i = 0; i < nv; i++) {
        out[i] = fabs(out[i]) + fabs(part[i]);
    }
    add_centripetal(p, out);
}

double ss_phase_residual(ss_phase *p, const double *a, const double *multiplier, double *R)
{
    const ss_problem *problem = &p->at->problem;
    int nv = p->model->nv, nj = p->model->nj;
    lack rows = { 0 }, laws = { 0 };
    double momentum = momentum_residual(p, a, multiplier, R), *free = p->linear.x;
    find_free(p, multiplier + nj, free + nv, free);
    for (int i = 0; i < nj; i++) {
        bool out = p->at->redundant && p->at->redundant[i];
        R[nv + i] = out ? multiplier[i] : row_residual(&problem->G, i, a, free, p->point.rate[i], &rows);
    }
    for (int k = 0; k < p->n; k++) {
        for (int i = 0; i < problem->row[k + 1] - problem->row[k]; i++) {
            int row = problem->row[k] + i;
            R[nv + nj + row] = p->closed[k].own[i] ? row_residual(&problem->H, row, a, free, p->point.rate[nj + row], &rows)
                                                   : law_residual(p, k, i, multiplier + nj, &laws);
        }
    }
    return ss_worse(momentum, ss_worse(relative(rows), relative(laws)));
}
