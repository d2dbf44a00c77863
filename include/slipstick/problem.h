/* problem.h - the one-step contact problem, its residual, and the solvers for it.
 *
 *     A v - G' lam - H' r = b          momentum
 *     G v                 = c          joints, lam free
 *     u = H v + w                      contact velocities plus offset
 *     u_i, r_i obey law_i              contact by contact
 *
 * or in local form  u = W r + q  with the same laws. A solver knows nothing of bodies. A contact has
 * 1 (unilateral, bounded), 2 (2D) or 3 (3D) rows: normal first, then tangents. The moments of rolling and spinning friction
 * are contacts of their own, of 1 or 2 rows, that name the contact whose normal impulse bounds them. */
#ifndef SLIPSTICK_PROBLEM_H
#define SLIPSTICK_PROBLEM_H

#include <slipstick/base.h>
#include <slipstick/registry.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Compressed rows: row i holds entries p[i] .. p[i+1]-1 with columns i[] and values x[]. */
typedef struct ss_csr {
    int m, n; /* rows, columns                    */
    int *p;   /* m+1                              */
    int *i;   /* column of each entry             */
    double *x;
    int p_cap, nz_cap; /* capacities, for growing in place */
} ss_csr;

/* Block-diagonal matrix: block k is size[k] x size[k], row-major at x + start[k], acting on
 * rows offset[k] .. offset[k]+size[k]-1. Blocks with the same numbers may share their place. */
typedef struct ss_blockdiag {
    int blocks, n;
    const int *offset, *size, *start;
    double *x;
    const double *factor; /* Cholesky factors of the blocks, laid out like x, where they are known; NULL: they are not */
} ss_blockdiag;

/* A square matrix: blocks on its diagonal, a sparse matrix, or both, added. Either may be absent (blocks 0; m 0). */
typedef struct ss_matrix {
    ss_blockdiag diagonal;
    ss_csr sparse;  /* only rows and columns of what is coupled need entries */
    bool symmetric; /* symmetric and positive definite; false: nothing is known */
} ss_matrix;

/* Made by ss_problem_make, then filled. The arrays are the caller's. */
typedef struct ss_problem {
    size_t size;         /* of this struct as the caller knows it      */
    int dimension;       /* 2 or 3                                     */
    bool local;          /* W and q instead of A, G, H, b, c           */
    int nv, nj, nc;      /* velocities, joint rows, contacts           */
    ss_matrix A;         /* nv x nv                                    */
    ss_blockdiag scale;  /* norm of the momentum residual: the blocks of A's symmetric part, or others that are positive
                            definite where those are not. Its blocks divide the velocities into bodies. A body whose rows of
                            A.sparse are empty has the same block here as in A.diagonal */
    ss_csr G, H;         /* nj x nv; nr x nv                           */
    ss_csr W;            /* local form: nr x nr                        */
    double *b, *c, *w;   /* nv, nj, nr; local form: w is q             */
    const double *v_old; /* nv: scales the residual; NULL: 0           */
    int *row;            /* nc+1: contact k has rows row[k] .. row[k+1]-1 */
    unsigned *law;       /* nc: one SS_LAW_ bit                        */
    double *mu;          /* nc: friction coefficient; BOUNDED: the bound on |r|; ROLLING: that bound over r_N of the host */
    int *dir;            /* nc+1: polygon of contact k is directions dir[k] .. dir[k+1]-1 (polyhedral laws). ROLLING with two
                          * rows: none, or two, d and -d, of length 1: the moment acts along them alone */
    double *direction;   /* 2 per direction: components on the tangents; in 2D (+-1, 0). The set contains -d with d.
                          * Friction r_T = sum beta_k d_k with sum beta_k <= mu r_N. */
    double *compliance;  /* nc: share of each contact in the vanishing compliance, 0: none; NULL: 1 */
    int *host;           /* nc: ROLLING: the contact, an earlier one, whose r_N bounds it; others: any. NULL: there is none */
} ss_problem;

SS_API ss_problem ss_problem_make(int dimension); /* without velocities, joints and contacts */
/* A and scale are these blocks, nv their rows: bodies that neither springs nor dampers couple. */
SS_API void ss_problem_set_blocks(ss_problem *problem, const ss_blockdiag *M);

/* Unknowns of a problem; in: initial guess if warm; out: the solution. */
typedef struct ss_solution {
    double *v, *lam, *r, *u; /* nv, nj, nr, nr */
    uint64_t *basis;         /* nc: complementary basis of each contact, 0: unknown (pivoting solvers) */
    bool warm;               /* r and basis hold a guess */
} ss_solution;

typedef enum ss_outcome {
    SS_CONVERGED,  /* the certificate, recomputed outside the solver, is within tol */
    SS_INACCURATE, /* the solver stopped, but the recomputed residual is above tol, or the velocities are known to be wrong */
    SS_MAX_ITER,   /* the best iterate is returned                                  */
    SS_RAY,        /* no solution was found: there are impulses that balance themselves and work against the offsets */
    SS_INFEASIBLE, /* proved: no velocity satisfies all joints and contacts; residual.worst: the contact with the largest share */
    SS_BREAKDOWN,  /* NaN or Inf, a singular matrix, or a factorisation that does not fit into memory */
} ss_outcome;

/* Residuals, all relative and without units; see docs/certificate.md. */
typedef struct ss_residual {
    double contact; /* natural map of each law, scaled, largest over islands */
    double momentum;
    double joint;
    double classical; /* |r - P_K(r - u^)| / |q|, as published tables use it   */
    int worst;        /* contact with the largest natural map; -1: none        */
    int dropped;      /* contacts that touch no degree of freedom              */
} ss_residual;

enum { SS_CHOICES = 16 }; /* solvers of the registry that are counted; what is beyond counts as the last */

/* What a solver that can choose (auto) has chosen, by places in the registry. */
typedef struct ss_solver_choice {
    int parts;             /* groups of islands that were solved by themselves; 0: the problem as a whole */
    int first[SS_CHOICES]; /* how often a solver was asked first for a group of islands */
    int left[SS_CHOICES];  /* how often a solver was asked and another one had to go on */
} ss_solver_choice;

typedef struct ss_solver_info {
    ss_outcome outcome;
    int iterations; /* pivots or sweeps                       */
    int factorisations;
    bool basis_hit; /* the given basis is the solution's: no pivoting */
    bool basis_tried;
    int fallbacks; /* how often a solver failed and the next one was used */
    int restarts;  /* recoveries from round-off              */
    bool starved;  /* a solver ran out of memory */
    int shared;    /* islands in which statics leaves impulses open and the limit of vanishing compliance was taken */
    double chosen; /* largest change of a contact's velocity by that, of the speeds at hand: the motion was open too */
    ss_residual residual;
    const char *solver; /* registered name of the solver that found the solution; of several, that of the most contact rows */
    ss_solver_choice choice;
} ss_solver_info;

typedef struct ss_solver ss_solver;

/* Where contacts can share a load in many ways (docs/indeterminacy.md): */
typedef enum ss_share {
    SS_SHARE_LIMIT, /* the limit of vanishing compliance, the same at every contact; offsets w that disagree by round-off only
                     * are made to agree, in place */
    SS_SHARE_ANY,   /* what the solver happens to find */
} ss_share;

typedef struct ss_solver_options {
    const char *name;           /* registered name (auto)                  */
    double tol;                 /* on the residual (1e-10)                 */
    int max_iter;               /* 0: the solver's own                     */
    const ss_setting *settings; /* further options by name; settings[k].key NULL ends the list; NULL: none */
    ss_share share;             /* (limit)                                 */
} ss_solver_options;

SS_API ss_solver_options ss_solver_options_default(void);
SS_API ss_status ss_solver_create(ss_context *ctx, const ss_solver_options *options, ss_solver **out);
SS_API void ss_solver_destroy(ss_solver *solver);
/* Solve; allocates nothing once a problem of the largest size was solved. The residual in info is always recomputed from
 * the problem, independently of the solver. */
SS_API ss_status ss_solver_solve(ss_solver *solver, const ss_problem *problem, ss_solution *solution, ss_solver_info *info);
SS_API const char *ss_outcome_name(ss_outcome outcome);

/* Certificate of any candidate solution (v, lam, r given; u is recomputed inside). */
SS_API ss_status ss_problem_residual(ss_context *ctx, const ss_problem *problem, const ss_solution *solution, ss_residual *out);
/* Refuses NaN, Inf, mu < 0, and sizes or sparsity patterns that are inconsistent; the error text says which. */
SS_API ss_status ss_problem_check(ss_context *ctx, const ss_problem *problem);

#ifdef __cplusplus
}
#endif
#endif
