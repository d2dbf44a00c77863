/* smooth.c - the smooth motion of a substep: forces and joints, contacts as they are.
 *
 *     r1 = M h w - h f(t', q', v') - G' h lam = 0,   r2 = G v~ - c = 0                              [BAC14 eq. 29a, b, 39a]
 *
 *     [ S   G' ] [ dv~    ]     [ r1 ]      S = c0 M - h f_v - h^2 beta/gamma (f_q + d(G' lam)/dq),
 *     [ D   0  ] [ -h dlam] = - [ r2 ]      D = G + h beta/gamma d(G v~)/dq,   c0 = (1 - alpha_m)/((1 - alpha_f) gamma)
 *                                                                                                   [BAC14 eq. 45, 47]
 * Rows that depend on others (kernels/redundancy.h) have lam = 0. The derivative of M is left out: M depends on positions for
 * user blocks only, and it costs them some iterations.
 * Cost    a sparse LU factorisation of nv + nj rows */
#include "schemes/galpha/galpha_inside.h"

void galpha_smooth_lack(const galpha *x, const galpha_unknowns *z, double *out)
{
    const ss_assembly *a = x->position;
    ss_matrix_times(&a->mass, x->end.rate, out);
    ss_csr_transpose_times(&a->problem.G, 1, z->lam, -1, out);
    for (int i = 0; i < a->problem.nv; i++) {
        out[i] = x->h * (out[i] + x->end.total[i]);
    }
}

/* s times a row of A, columns from `first` on */
static ss_status add_row(galpha *x, const ss_csr *A, int row, double s, int first, int *seen)
{
    for (int k = A->p[row]; k < A->p[row + 1]; k++) {
        SS_TRY(ss_csr_add(x->ctx, &x->S, seen, first + A->i[k], s * A->x[k]));
    }
    return SS_OK;
}

static ss_status add_mass(galpha *x, int block, int row, double s, int *seen)
{
    const ss_blockdiag *M = &x->position->mass.diagonal;
    const int first = M->offset[block], n = M->size[block];
    for (int j = 0; j < n; j++) {
        SS_TRY(ss_csr_add(x->ctx, &x->S, seen, first + j, s * M->x[M->start[block] + (row - first) * n + j]));
    }
    return SS_OK;
}

static ss_status put_momentum(galpha *x, int *seen)
{
    const galpha_rule r = x->rule;
    const ss_blockdiag *M = &x->position->mass.diagonal;
    const double c0 = (1 - r.alpha_m) / ((1 - r.alpha_f) * r.gamma), c = x->h * x->h * r.beta / r.gamma;
    for (int b = 0; b < M->blocks; b++) {
        for (int i = M->offset[b]; i < M->offset[b] + M->size[b]; i++) {
            SS_TRY(add_mass(x, b, i, c0, seen));
            SS_TRY(add_row(x, &x->k_v, i, -x->h, 0, seen));
            SS_TRY(add_row(x, &x->k_q, i, -c, 0, seen));
            SS_TRY(add_row(x, &x->K, i, -c, 0, seen));
            SS_TRY(add_row(x, &x->T, i, 1, M->n, seen));
            SS_TRY(ss_csr_end_row(x->ctx, &x->S));
        }
    }
    return SS_OK;
}

static ss_status put_joints(galpha *x, int *seen)
{
    const ss_problem *p = &x->position->problem;
    for (int i = 0; i < p->nj; i++) {
        if (galpha_leaves_out(x, i)) {
            SS_TRY(ss_csr_add(x->ctx, &x->S, seen, p->nv + i, 1));
        } else {
            SS_TRY(add_row(x, &p->G, i, 1, 0, seen));
            SS_TRY(add_row(x, &x->R, i, x->h * x->rule.beta / x->rule.gamma, 0, seen));
        }
        SS_TRY(ss_csr_end_row(x->ctx, &x->S));
    }
    return SS_OK;
}

ss_status galpha_smooth_derivatives(galpha *x, const galpha_unknowns *z)
{
    const ss_model *m = x->s->model;
    SS_TRY(ss_model_force_jacobian(x->ctx, m, &x->end.at, z->v, &x->k_q, &x->k_v));
    SS_TRY(ss_model_joint_stiffness(x->ctx, m, &x->end.at, z->lam, &x->K));
    SS_TRY(ss_model_joint_gradient(x->ctx, x->s->arena, m, &x->end.at, z->v_free, &x->R));
    return ss_csr_transpose(x->ctx, &x->position->problem.G, &x->T);
}

static ss_status put_matrix(galpha *x, const galpha_unknowns *z)
{
    const int n = x->s->model->nv + x->s->model->nj;
    int *seen;
    SS_TRY(galpha_smooth_derivatives(x, z));
    SS_TRY(ss_arena_take_raw(x->s->arena, (size_t)n, sizeof *seen, &seen));
    for (int i = 0; i < n; i++) {
        seen[i] = -1;
    }
    ss_csr_reset(&x->S, n);
    SS_TRY(put_momentum(x, seen));
    return put_joints(x, seen);
}

ss_status galpha_smooth_improve(galpha *x, const galpha_unknowns *z, galpha_unknowns *to, bool *found)
{
    const ss_assembly *a = x->position;
    const int nv = a->problem.nv, nj = a->problem.nj;
    double *d;
    SS_TRY(ss_arena_take(x->s->arena, (size_t)(nv + nj), sizeof *d, &d));
    SS_TRY(put_matrix(x, z));
    galpha_smooth_lack(x, z, d);
    for (int i = 0; i < nj; i++) {
        const double c = a->target[i] + a->c_drive[i];
        d[nv + i] = galpha_leaves_out(x, i) ? 0 : c - ss_csr_row_dot(&a->problem.G, i, z->v_free);
    }
    ss_sparse_lu_forget(x->lu);
    SS_TRY(ss_sparse_lu_factor(x->lu, &x->S, found));
    SS_TRY(*found ? ss_sparse_lu_solve(x->lu, d) : SS_OK);
    for (int i = 0; i < nv; i++) {
        to->v_free[i] = z->v_free[i] + d[i];
    }
    for (int i = 0; i < nj; i++) {
        to->lam[i] = galpha_leaves_out(x, i) ? 0 : z->lam[i] - d[nv + i] / x->h;
    }
    return SS_OK;
}
