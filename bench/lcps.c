/* lcps.c - Lemke's method beside lcp_lexicolemke on 200 linear complementarity problems of 8 to 400 unknowns.
 *
 *   psd      w = M z + q,  0 <= z _|_ w >= 0,  M = B B' of rank 3n/4, q such that a solution exists
 *   contact  n/4 contacts in the plane on n/6 bodies; with u = W r + q, r = (r_N, r_T), r_T = b+ - b-:
 *
 *              [ u_N ]   [  W_NN   W_NT  -W_NT   0 ] [ r_N ]   [  q_N ]
 *              [ a+  ] = [  W_TN   W_TT  -W_TT   1 ] [ b+  ] + [  q_T ]
 *              [ a-  ]   [ -W_TN  -W_TT   W_TT   1 ] [ b-  ]   [ -q_T ]
 *              [ s   ]   [  mu      -1     -1    0 ] [ lam ]   [   0  ]
 *
 *            copositive, not symmetric, always solvable.
 * Both answers are judged by the same certificate: the residual of the contact problem from its impulses. */
#include "bench.h"

#include <slipstick/slipstick.h>

#include <math.h>
#include <stdlib.h>

enum { EACH = 100, SMALLEST = 8, LARGEST = 400 };
#define GOOD 1e-8 /* residual of an answer that counts */

static double uniform(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-52 - 1; /* in [-1, 1) */
}

/* ---- the local contact problem, dense W ------------------------------------------------------------- */

typedef struct dense_problem {
    ss_problem p;
    double *W; /* by rows */
} dense_problem;

/* W = B B', B n x m */
static void fill_product(double *W, int n, int m, uint64_t *state, double density)
{
    double *B = bench_array((size_t)(n * m), sizeof *B);
    for (int k = 0; k < n * m; k++) {
        double chosen = uniform(state), value = uniform(state);
        B[k] = chosen < 2 * density - 1 ? value : 0;
    }
    for (int i = 0; i < n; i++) {
        B[i * m + i % m] += 1; /* no row without an entry */
        for (int j = 0; j <= i; j++) {
            double sum = 0;
            for (int k = 0; k < m; k++) {
                sum += B[i * m + k] * B[j * m + k];
            }
            W[i * n + j] = W[j * n + i] = sum;
        }
    }
    free(B);
}

static ss_csr full_csr(const double *W, int n)
{
    ss_csr a = { .m = n, .n = n, .p = bench_array((size_t)n + 1, sizeof(int)), .i = bench_array((size_t)(n * n), sizeof(int)) };
    a.x = bench_array((size_t)(n * n), sizeof(double));
    for (int k = 0; k < n * n; k++) {
        a.i[k] = k % n;
        a.x[k] = W[k];
    }
    for (int k = 0; k <= n; k++) {
        a.p[k] = k * n;
    }
    return a;
}

static dense_problem open_problem(int contacts, int rows, unsigned law, double mu)
{
    int n = contacts * rows, flat = rows == 2;
    dense_problem d = { .W = bench_array((size_t)(n * n), sizeof(double)) };
    d.p = ss_problem_make(2);
    d.p.local = true;
    d.p.nc = contacts;
    d.p.w = bench_array((size_t)n, sizeof(double));
    d.p.row = bench_array((size_t)contacts + 1, sizeof(int));
    d.p.law = bench_array((size_t)contacts, sizeof(unsigned));
    d.p.mu = bench_array((size_t)contacts, sizeof(double));
    d.p.dir = bench_array((size_t)contacts + 1, sizeof(int));
    d.p.direction = bench_array((size_t)(4 * contacts), sizeof(double));
    for (int k = 0; k < contacts; k++) {
        d.p.row[k + 1] = (k + 1) * rows;
        d.p.dir[k + 1] = flat ? 2 * (k + 1) : 0;
        d.p.law[k] = law;
        d.p.mu[k] = mu;
        d.p.direction[4 * k] = 1;
        d.p.direction[4 * k + 2] = -1;
    }
    return d;
}

static void close_problem(dense_problem *d)
{
    void *parts[] = { d->W, d->p.w, d->p.row, d->p.law, d->p.mu, d->p.dir, d->p.direction, d->p.W.p, d->p.W.i, d->p.W.x };
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        free(parts[k]);
    }
}

static dense_problem psd_problem(int n, uint64_t *state)
{
    dense_problem d = open_problem(n, 1, SS_LAW_UNILATERAL, 0);
    fill_product(d.W, n, 3 * n / 4, state, 1);
    for (int i = 0; i < n; i++) { /* q = w - M z with z on even places, w on odd ones */
        d.p.w[i] = i % 2 ? 1 + uniform(state) : 0;
        for (int j = 0; j < n; j += 2) {
            d.p.w[i] -= d.W[i * n + j] * (1.5 + 0.5 * sin(j));
        }
    }
    d.p.W = full_csr(d.W, n);
    return d;
}

static dense_problem contact_problem(int unknowns, uint64_t *state)
{
    int contacts = unknowns / 4, n = 2 * contacts, velocities = 3 * (unknowns / 6 + 1);
    dense_problem d = open_problem(contacts, 2, SS_LAW_POLYHEDRAL, 0.5);
    fill_product(d.W, n, velocities, state, fmin(1, 6.0 / velocities)); /* a row touches two bodies */
    for (int i = 0; i < n; i++) {
        d.p.w[i] = uniform(state);
    }
    d.p.W = full_csr(d.W, n);
    return d;
}

/* ---- as a linear complementarity problem ---------------------------------------------------------------- */

/* M and q of the contact form; the psd form is one already */
static void contact_lcp(const dense_problem *d, double *M, double *q)
{
    int c = d->p.nc, n = 4 * c;
    static const double sign[3] = { 1, 1, -1 };
    static const int part[3] = { 0, 1, 1 };
    for (int i = 0; i < c; i++) {
        for (int a = 0; a < 3; a++) {
            q[a * c + i] = sign[a] * d->p.w[2 * i + part[a]];
            for (int j = 0; j < c; j++) {
                for (int b = 0; b < 3; b++) {
                    M[(a * c + i) * n + b * c + j] = sign[a] * sign[b] * d->W[(2 * i + part[a]) * 2 * c + 2 * j + part[b]];
                }
            }
        }
        M[(c + i) * n + 3 * c + i] = M[(2 * c + i) * n + 3 * c + i] = 1;
        M[(3 * c + i) * n + i] = d->p.mu[i];
        M[(3 * c + i) * n + c + i] = M[(3 * c + i) * n + 2 * c + i] = -1;
        q[3 * c + i] = 0;
    }
}

static double siconos(const dense_problem *d, bool flat, double *r, bool *solved)
{
    int c = d->p.nc, n = flat ? 4 * c : c;
    double *M = bench_array((size_t)(n * n), sizeof *M), *q = bench_array((size_t)n, sizeof *q),
           *z = bench_array((size_t)n, sizeof *z);
    if (flat) {
        contact_lcp(d, M, q);
    }
    double seconds = bench_siconos_lemke(n, flat ? M : d->W, flat ? q : d->p.w, z, solved);
    for (int k = 0; k < c; k++) {
        r[flat ? 2 * k : k] = z[k];
        if (flat) {
            r[2 * k + 1] = z[c + k] - z[2 * c + k];
        }
    }
    free(M);
    free(q);
    free(z);
    return seconds;
}

/* ---- the comparison ------------------------------------------------------------------------------------- */

typedef struct tally {
    double seconds, worst; /* residual of the solved ones */
    int solved;
} tally;

static void count(tally *t, ss_context *ctx, const ss_problem *p, double *r, double seconds)
{
    double *u = bench_array((size_t)p->row[p->nc], sizeof *u), none[1] = { 0 };
    ss_solution s = { .v = none, .lam = none, .r = r, .u = u };
    ss_residual residual;
    t->seconds += seconds;
    if (ss_problem_residual(ctx, p, &s, &residual) == SS_OK && residual.contact <= GOOD) {
        t->solved++;
        t->worst = fmax(t->worst, residual.contact);
    }
    free(u);
}

static double ours(ss_context *ctx, ss_solver *solver, const ss_problem *p, double *r)
{
    size_t n = (size_t)p->row[p->nc];
    double none[1] = { 0 }, *u = bench_array(n, sizeof *u);
    uint64_t *basis = bench_array((size_t)p->nc, sizeof *basis);
    ss_solution s = { .v = none, .lam = none, .r = r, .u = u, .basis = basis };
    ss_solver_info info;
    double start = bench_seconds();
    if (ss_solver_solve(solver, p, &s, &info) != SS_OK) {
        fprintf(stderr, "lemke: %s\n", ss_last_error(ctx));
    }
    start = bench_seconds() - start;
    free(u);
    free(basis);
    return start;
}

static void put(bench_table *t, const char *kind, const char *solver, const tally *x)
{
    bench_text(t, kind);
    bench_text(t, solver);
    bench_number(t, x->solved);
    bench_number(t, EACH);
    bench_number(t, x->seconds);
    bench_number(t, x->worst);
}

static void compare(bench_table *t, ss_context *ctx, ss_solver *solver, bool flat)
{
    uint64_t state = 7;
    tally our = { 0 }, their = { 0 };
    for (int k = 0; k < EACH; k++) {
        int n = SMALLEST + (LARGEST - SMALLEST) * k / (EACH - 1) / 4 * 4;
        dense_problem d = flat ? contact_problem(n, &state) : psd_problem(n, &state);
        double *r = bench_array((size_t)d.p.row[d.p.nc], sizeof *r);
        bool solved;
        count(&our, ctx, &d.p, r, ours(ctx, solver, &d.p, r));
        if (bench_siconos_present()) {
            count(&their, ctx, &d.p, r, siconos(&d, flat, r, &solved));
        }
        free(r);
        close_problem(&d);
    }
    put(t, flat ? "contact" : "psd", "slipstick", &our);
    if (bench_siconos_present()) {
        put(t, flat ? "contact" : "psd", "lexicolemke", &their);
    }
}

void bench_lcps(void)
{
    static const char *const columns[] = { "problems", "solver", "solved", "of", "seconds", "worst residual", NULL };
    ss_context *ctx = NULL;
    ss_solver *solver = NULL;
    ss_solver_options options = ss_solver_options_default();
    options.name = "lemke";
    if (ss_context_create(NULL, &ctx) != SS_OK || ss_solver_create(ctx, &options, &solver) != SS_OK) {
        bench_fatal("%s", ctx ? ss_last_error(ctx) : "out of memory");
    }
    bench_table t =
        bench_table_open(&bench_run, "lcp", "Lemke: 200 problems of 8 to 400 unknowns, solved to a residual of 1e-8", columns);
    compare(&t, ctx, solver, false);
    compare(&t, ctx, solver, true);
    bench_table_close(&t);
    ss_solver_destroy(solver);
    ss_context_destroy(ctx);
}
