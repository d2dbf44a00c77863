/* peer_siconos.c - fc3d_nsgs, fc3d_admm and lcp_lexicolemke of Siconos with their default options, but for tolerance and
 * iterations. */
#include "bench.h"

#include <slipstick/problem.h>

#ifdef HAVE_SICONOS
#include <FrictionContactProblem.h>
#include <Friction_cst.h>
#include <LCP_Solvers.h>
#include <LinearComplementarityProblem.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <NumericsVerbose.h>
#include <SolverOptions.h>
#include <SparseBlockMatrix.h>
#include <lcp_cst.h>
#include <stdlib.h>

bool bench_siconos_present(void) { return true; }

static NumericsMatrix *sparse_matrix(const ss_csr *W)
{
    NumericsMatrix *triplet = NM_create(NM_SPARSE, W->m, W->m);
    NM_triplet_alloc(triplet, W->p[W->m]);
    for (int row = 0; row < W->m; row++) {
        for (int k = W->p[row]; k < W->p[row + 1]; k++) {
            NM_entry(triplet, row, W->i[k], W->x[k]);
        }
    }
    return triplet;
}

static NumericsMatrix *sparse_block_matrix(const ss_csr *W)
{
    NumericsMatrix *triplet = sparse_matrix(W);
    SparseBlockStructuredMatrix *blocks = SBM_new();
    SBM_from_csparse(3, NM_csc(triplet), blocks);
    NM_free(triplet);
    return NM_new_SBM(W->m, W->m, blocks);
}

/* Gauss-Seidel works on blocks, ADMM factorises a sparse matrix */
bench_siconos_end bench_siconos_friction(bench_fc3d solver, const ss_problem *local, double tol, int max_iter, double *r)
{
    bool admm = solver == BENCH_FC3D_ADMM;
    numerics_set_verbose(0);
    double *velocity = bench_array((size_t)(3 * local->nc), sizeof *velocity);
    NumericsMatrix *M = admm ? sparse_matrix(&local->W) : sparse_block_matrix(&local->W);
    FrictionContactProblem problem = { 3, local->nc, M, local->w, local->mu };
    SolverOptions *options = solver_options_create(admm ? SICONOS_FRICTION_3D_ADMM : SICONOS_FRICTION_3D_NSGS);
    options->dparam[SICONOS_DPARAM_TOL] = tol;
    options->iparam[SICONOS_IPARAM_MAX_ITER] = max_iter;
    for (int k = 0; k < 3 * local->nc; k++) {
        r[k] = 0;
    }
    double start = bench_seconds();
    bool solved = fc3d_driver(&problem, r, velocity, options) == 0;
    bench_siconos_end end = { bench_seconds() - start, options->dparam[SICONOS_DPARAM_RESIDU],
                              options->iparam[SICONOS_IPARAM_ITER_DONE], solved };
    solver_options_delete(options);
    free(options);
    NM_free(M);
    free(velocity);
    return end;
}

/* the matrix is stored by columns there */
double bench_siconos_lemke(int n, const double *M, const double *q, double *z, bool *solved)
{
    int info = 1;
    double *w = calloc((size_t)n, sizeof *w), *columns = malloc((size_t)(n * n) * sizeof *columns);
    for (int k = 0; columns && k < n * n; k++) {
        columns[(k % n) * n + k / n] = M[k];
    }
    NumericsMatrix *matrix = NM_create_from_data(NM_DENSE, n, n, columns);
    LinearComplementarityProblem problem = { n, matrix, (double *)q };
    SolverOptions *options = solver_options_create(SICONOS_LCP_LEMKE);
    options->iparam[SICONOS_IPARAM_MAX_ITER] = 100 * n;
    double start = bench_seconds();
    lcp_lexicolemke(&problem, z, w, &info, options);
    double spent = bench_seconds() - start;
    *solved = info == 0;
    solver_options_delete(options);
    free(options);
    NM_free(matrix);
    free(w);
    return spent;
}
#else
#include <math.h>

bool bench_siconos_present(void) { return false; }

bench_siconos_end bench_siconos_friction(bench_fc3d solver, const ss_problem *local, double tol, int max_iter, double *r)
{
    (void)solver, (void)local, (void)tol, (void)max_iter, (void)r;
    return (bench_siconos_end){ NAN, NAN, 0, false };
}

double bench_siconos_lemke(int n, const double *M, const double *q, double *z, bool *solved)
{
    (void)n, (void)M, (void)q, (void)z;
    *solved = false;
    return NAN;
}
#endif
