/* peer_siconos.c - fc3d_nsgs and lcp_lexicolemke of Siconos with their default options, but for tolerance and iterations. */
#include "bench.h"

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

static NumericsMatrix *sparse_block_matrix(int n, const int *p, const int *i, const double *x)
{
    NumericsMatrix *triplet = NM_create(NM_SPARSE, n, n);
    SparseBlockStructuredMatrix *blocks = SBM_new();
    NM_triplet_alloc(triplet, p[n]);
    for (int row = 0; row < n; row++) {
        for (int k = p[row]; k < p[row + 1]; k++) {
            NM_entry(triplet, row, i[k], x[k]);
        }
    }
    SBM_from_csparse(3, NM_csc(triplet), blocks);
    NM_free(triplet);
    return NM_new_SBM(n, n, blocks);
}

double bench_siconos_nsgs(int contacts, const int *p, const int *i, const double *x, const double *q, const double *mu,
                          double tol, int max_iter, double *r, int *n)
{
    numerics_set_verbose(0);
    double *velocity = calloc((size_t)(3 * contacts), sizeof *velocity);
    NumericsMatrix *M = sparse_block_matrix(3 * contacts, p, i, x);
    FrictionContactProblem problem = { 3, contacts, M, (double *)q, (double *)mu };
    SolverOptions *options = solver_options_create(SICONOS_FRICTION_3D_NSGS);
    options->dparam[SICONOS_DPARAM_TOL] = tol;
    options->iparam[SICONOS_IPARAM_MAX_ITER] = max_iter;
    for (int k = 0; k < 3 * contacts; k++) {
        r[k] = 0;
    }
    double start = bench_seconds();
    fc3d_driver(&problem, r, velocity, options);
    double spent = bench_seconds() - start;
    *n = options->iparam[SICONOS_IPARAM_ITER_DONE];
    solver_options_delete(options);
    free(options);
    NM_free(M);
    free(velocity);
    return spent;
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

double bench_siconos_nsgs(int contacts, const int *p, const int *i, const double *x, const double *q, const double *mu,
                          double tol, int max_iter, double *r, int *n)
{
    (void)contacts, (void)p, (void)i, (void)x, (void)q, (void)mu, (void)tol, (void)max_iter, (void)r, (void)n;
    return NAN;
}

double bench_siconos_lemke(int n, const double *M, const double *q, double *z, bool *solved)
{
    (void)n, (void)M, (void)q, (void)z;
    *solved = false;
    return NAN;
}
#endif
