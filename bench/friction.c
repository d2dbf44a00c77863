/* friction.c - contact problems on their own: time to a classical error of 1e-4 and 1e-6, circular Coulomb friction in 3D,
 * from r = 0. The problems are steps of our piles, falling and at rest, and FCLIB files where a folder of them is given.
 * Our solvers get the problem as it is (bodies and contacts), Siconos the local form u = W r + q with W by blocks; forming W
 * is not counted. The classical error |r - P_K(r - u^)| / |q| of every answer is computed here on the local form. A solver
 * whose tolerance is another one is run with smaller and smaller ones until the error is met; the last run counts. */
#include "bench.h"

#include <slipstick/slipstick.h>

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- local form of a block-diagonal problem: W = H M^-1 H', q = H M^-1 b + w -------------------------- */

enum { LARGEST_BLOCK = 6 };

/* inverse of a small symmetric positive definite block, by Gauss and Jordan */
static void invert(const double *block, int n, double *out)
{
    double a[LARGEST_BLOCK * LARGEST_BLOCK];
    memcpy(a, block, (size_t)(n * n) * sizeof *a);
    for (int i = 0; i < n * n; i++) {
        out[i] = i % (n + 1) == 0;
    }
    for (int k = 0; k < n; k++) {
        double pivot = a[k * n + k];
        for (int j = 0; j < n; j++) {
            a[k * n + j] /= pivot;
            out[k * n + j] /= pivot;
        }
        for (int i = 0; i < n; i++) {
            double f = i == k ? 0 : a[i * n + k];
            for (int j = 0; j < n; j++) {
                a[i * n + j] -= f * a[k * n + j];
                out[i * n + j] -= f * out[k * n + j];
            }
        }
    }
}

typedef struct inverse_mass {
    double (*x)[LARGEST_BLOCK * LARGEST_BLOCK]; /* of each block */
    int *block;                                 /* of each velocity */
} inverse_mass;

static inverse_mass invert_mass(const ss_blockdiag *M)
{
    inverse_mass y = { bench_array((size_t)M->blocks, sizeof *y.x), bench_array((size_t)M->n, sizeof *y.block) };
    for (int k = 0; k < M->blocks; k++) {
        invert(M->x + M->start[k], M->size[k], y.x[k]);
        for (int i = 0; i < M->size[k]; i++) {
            y.block[M->offset[k] + i] = k;
        }
    }
    return y;
}

static ss_csr transpose(const ss_csr *a)
{
    ss_csr t = {
        .m = a->n, .n = a->m, .p = bench_array((size_t)a->n + 1, sizeof(int)), .i = bench_array((size_t)a->p[a->m], sizeof(int))
    };
    t.x = bench_array((size_t)a->p[a->m], sizeof(double));
    for (int k = 0; k < a->p[a->m]; k++) {
        t.p[a->i[k] + 1]++;
    }
    for (int k = 0; k < a->n; k++) {
        t.p[k + 1] += t.p[k];
    }
    int *next = bench_array((size_t)a->n, sizeof *next);
    memcpy(next, t.p, (size_t)a->n * sizeof *next);
    for (int row = 0; row < a->m; row++) {
        for (int k = a->p[row]; k < a->p[row + 1]; k++) {
            int at = next[a->i[k]]++;
            t.i[at] = row;
            t.x[at] = a->x[k];
        }
    }
    free(next);
    return t;
}

static void free_csr(ss_csr *a)
{
    free(a->p);
    free(a->i);
    free(a->x);
}

/* y += M^-1 (row of H), dense over the velocities; the touched velocities are noted */
static int row_times_inverse(const ss_problem *p, const inverse_mass *im, int row, double *y, int *touched)
{
    int n = 0;
    for (int k = p->H.p[row]; k < p->H.p[row + 1]; k++) {
        int column = p->H.i[k], b = im->block[column], size = p->M.size[b], offset = p->M.offset[b];
        for (int i = 0; i < size; i++) {
            if (y[offset + i] == 0) {
                touched[n++] = offset + i;
            }
            y[offset + i] += im->x[b][i * size + column - offset] * p->H.x[k];
        }
    }
    return n;
}

typedef struct sum_of_rows {
    double *value; /* dense */
    int *place, n; /* columns seen in this row */
    bool *seen;
} sum_of_rows;

static void append_row(ss_csr *W, sum_of_rows *s, int row)
{
    if (W->p[row] + s->n > W->nz_cap) {
        W->nz_cap = 2 * (W->p[row] + s->n);
        W->i = realloc(W->i, (size_t)W->nz_cap * sizeof *W->i);
        W->x = realloc(W->x, (size_t)W->nz_cap * sizeof *W->x);
        if (!W->i || !W->x) {
            bench_fatal("out of memory");
        }
    }
    for (int k = 0; k < s->n; k++) {
        W->i[W->p[row] + k] = s->place[k];
        W->x[W->p[row] + k] = s->value[s->place[k]];
        s->value[s->place[k]] = 0;
        s->seen[s->place[k]] = false;
    }
    W->p[row + 1] = W->p[row] + s->n;
    s->n = 0;
}

static int by_value(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

static ss_problem local_form(const ss_problem *p)
{
    int nr = p->H.m;
    inverse_mass im = invert_mass(&p->M);
    ss_csr T = transpose(&p->H), W = { .m = nr, .n = nr, .p = bench_array((size_t)nr + 1, sizeof(int)) };
    double *y = bench_array((size_t)p->nv, sizeof *y), *q = bench_array((size_t)nr, sizeof *q);
    int *touched = bench_array((size_t)(LARGEST_BLOCK * p->H.p[nr]), sizeof *touched);
    sum_of_rows s = { bench_array((size_t)nr, sizeof *s.value), bench_array((size_t)nr, sizeof *s.place), 0,
                      bench_array((size_t)nr, sizeof *s.seen) };
    for (int row = 0; row < nr; row++) {
        int n = row_times_inverse(p, &im, row, y, touched);
        q[row] = p->w[row];
        for (int k = 0; k < n; k++) {
            int v = touched[k];
            q[row] += y[v] * p->b[v];
            for (int j = T.p[v]; j < T.p[v + 1] && y[v] != 0; j++) {
                if (!s.seen[T.i[j]]) {
                    s.seen[T.i[j]] = true;
                    s.place[s.n++] = T.i[j];
                }
                s.value[T.i[j]] += y[v] * T.x[j];
            }
            y[v] = 0;
        }
        qsort(s.place, (size_t)s.n, sizeof *s.place, by_value);
        append_row(&W, &s, row);
    }
    ss_problem local = { .nc = p->nc, .dimension = p->dimension, .kind = SS_A_NONE, .W = W, .w = q };
    local.row = p->row;
    local.law = p->law;
    local.mu = p->mu;
    void *parts[] = { im.x, im.block, y, touched, s.value, s.place, s.seen };
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        free(parts[k]);
    }
    free_csr(&T);
    return local;
}

static void free_local(ss_problem *local)
{
    free_csr(&local->W);
    free(local->w);
}

/* ---- the solvers --------------------------------------------------------------------------------------- */

typedef struct answer {
    double seconds, error;
    int iterations;
} answer;

static double classical(ss_context *ctx, const ss_problem *local, double *r)
{
    double none[1] = { 0 }, *u = bench_array((size_t)local->row[local->nc], sizeof *u);
    ss_solution s = { .v = none, .lam = none, .r = r, .u = u };
    ss_residual residual;
    bool good = ss_problem_residual(ctx, local, &s, &residual) == SS_OK;
    free(u);
    return good ? residual.classical : NAN;
}

static answer run_ours(ss_context *ctx, const char *name, double tol, const ss_problem *p, const ss_problem *local)
{
    size_t nr = (size_t)p->row[p->nc], nv = (size_t)p->nv;
    double *x = bench_array(2 * nr + nv + (size_t)p->nj, sizeof *x);
    ss_solution s = {
        .r = x, .u = x + nr, .v = x + 2 * nr, .lam = x + 2 * nr + nv, .basis = bench_array((size_t)p->nc, sizeof(uint64_t))
    };
    ss_solver_options options = ss_solver_options_default();
    ss_solver *solver = NULL;
    ss_solver_info info = { .iterations = 0 };
    options.name = name;
    options.tol = tol;
    double start = bench_seconds();
    bool good = ss_solver_create(ctx, &options, &solver) == SS_OK && ss_solver_solve(solver, p, &s, &info) == SS_OK;
    answer a = { bench_seconds() - start, NAN, info.iterations };
    if (good) {
        a.error = classical(ctx, local, s.r);
    } else {
        fprintf(stderr, "%s: %s\n", name, ss_last_error(ctx));
    }
    ss_solver_destroy(solver);
    free(s.basis);
    free(x);
    return a;
}

static void put(bench_table *t, const char *problem, int contacts, const char *solver, double target, answer a)
{
    bench_text(t, problem);
    bench_number(t, contacts);
    bench_text(t, solver);
    bench_number(t, target);
    bench_text(t, a.error <= target ? "yes" : "no");
    bench_number(t, a.seconds);
    bench_number(t, a.iterations);
    bench_number(t, a.error);
}

static answer run_siconos(ss_context *ctx, double tol, const ss_problem *local)
{
    const ss_csr *W = &local->W;
    double *r = bench_array((size_t)W->m, sizeof *r);
    answer a = { .iterations = 0 };
    a.seconds = bench_siconos_nsgs(local->nc, W->p, W->i, W->x, local->w, local->mu, tol, 20000, r, &a.iterations);
    a.error = classical(ctx, local, r);
    free(r);
    return a;
}

/* with smaller and smaller tolerances of the solver's own, until the error is met or time is up; name NULL: Siconos */
static answer reach(ss_context *ctx, const char *name, double target, const ss_problem *p, const ss_problem *local)
{
    answer last = { 0, INFINITY, 0 };
    for (double tol = 10 * target; tol >= target / 1e4 && !(last.error <= target) && last.seconds < 20; tol /= 10) {
        last = name ? run_ours(ctx, name, tol, p, local) : run_siconos(ctx, tol, local);
    }
    return last;
}

/* every solver of ours that knows the law, then Siconos */
static void compare(bench_table *t, ss_context *ctx, const char *label, const ss_problem *p, const ss_problem *local)
{
    static const double targets[] = { 1e-4, 1e-6 };
    for (int k = 0; k < 2; k++) {
        for (int j = 0; j < ss_registry_count(SS_SOLVERS); j++) {
            const ss_entry *entry = ss_registry_entry(SS_SOLVERS, j);
            if (entry->laws & SS_LAW_COULOMB) {
                put(t, label, p->nc, entry->name, targets[k], reach(ctx, entry->name, targets[k], p, local));
            }
        }
        if (bench_siconos_present()) {
            put(t, label, p->nc, "fc3d_nsgs", targets[k], reach(ctx, NULL, targets[k], p, local));
        }
    }
}

/* ---- steps of a pile ------------------------------------------------------------------------------------- */

typedef struct watcher {
    bench_table *table;
    ss_context *ctx;
    int64_t steps[2];
    int bodies;
    bool done[2];
    double start; /* s */
} watcher;

/* the run ends when both states were seen, or when it takes too long */
static ss_status stop_in_time(void *user, const ss_sim *sim, const ss_step_info *info)
{
    const watcher *w = user;
    (void)sim, (void)info;
    bool late = bench_seconds() - w->start > (bench_run.full ? 3600 : 180);
    return late || w->done[1] ? SS_ERR_INTERRUPTED : SS_OK;
}

static ss_status look(void *user, const ss_sim *sim, int64_t step, const ss_problem *problem, const ss_solution *solution)
{
    static const char *const state[] = { "falling", "at rest" };
    watcher *w = user;
    (void)sim, (void)solution;
    for (int k = 0; k < 2; k++) {
        if (step >= w->steps[k] && !w->done[k] && problem->nc > 0) {
            char label[64];
            ss_problem p = *problem;
            p.law = bench_array((size_t)p.nc, sizeof *p.law);
            for (int i = 0; i < p.nc; i++) {
                p.law[i] = SS_LAW_COULOMB;
            }
            ss_problem local = local_form(&p);
            snprintf(label, sizeof label, "pile of %d %s", w->bodies, state[k]);
            compare(w->table, w->ctx, label, &p, &local);
            free_local(&local);
            free(p.law);
            w->done[k] = true;
        }
    }
    return SS_OK;
}

static void watch_pile(bench_table *t, int bodies)
{
    char words[64];
    snprintf(words, sizeof words, "pile --bodies %d", bodies);
    bench_scene s = bench_scene_make(words, "friction_pile", 1.0 / 240);
    ss_context *ctx = NULL;
    ss_scene *scene = NULL;
    ss_model *model = NULL;
    ss_sim *sim = NULL;
    watcher w = { .table = t, .steps = { 100, 500 }, .bodies = bodies, .start = bench_seconds() };
    ss_observer observer = { .user = &w, .on_problem = look, .on_step = stop_in_time };
    if (ss_context_create(NULL, &ctx) != SS_OK || ss_context_create(NULL, &w.ctx) != SS_OK ||
        ss_scene_read(ctx, s.path, 0, NULL, &scene) != SS_OK || ss_model_compile(ctx, scene, &model) != SS_OK ||
        ss_sim_create(ctx, model, NULL, &sim) != SS_OK || ss_sim_observe(sim, &observer) != SS_OK) {
        bench_fatal("%s: %s", s.path, ctx ? ss_last_error(ctx) : "out of memory");
    }
    ss_status status = ss_sim_advance(sim, 3);
    if (!w.done[1]) {
        printf("skipped: the pile of %d did not come to rest in time: %s\n", bodies, ss_status_text(status));
    }
    ss_sim_destroy(sim);
    ss_model_destroy(model);
    ss_scene_destroy(scene);
    ss_context_destroy(ctx);
    ss_context_destroy(w.ctx);
    bench_scene_free(&s);
}

/* ---- FCLIB files ------------------------------------------------------------------------------------------ */

static int is_hdf5(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');
    return dot && strcmp(dot, ".hdf5") == 0;
}

/* in 3D without joints, local or with the masses of single bodies */
static bool comparable(const ss_problem *p)
{
    bool good = p->dimension == 3 && p->nj == 0 && (p->kind == SS_A_NONE || p->kind == SS_A_BLOCK_DIAGONAL);
    for (int k = 0; good && p->kind == SS_A_BLOCK_DIAGONAL && k < p->M.blocks; k++) {
        good = p->M.size[k] <= LARGEST_BLOCK;
    }
    return good;
}

static void try_file(bench_table *t, ss_context *ctx, const char *path, const char *name)
{
    ss_problem_file *file = NULL;
    if (ss_problem_read(ctx, path, &file) != SS_OK) {
        printf("skipped: %s\n", ss_last_error(ctx));
        return;
    }
    const ss_problem *p = ss_problem_file_problem(file);
    if (!comparable(p)) {
        printf("skipped: %s: in 2D, with joints, or not with a mass matrix of small blocks\n", name);
    } else {
        ss_problem local = p->kind == SS_A_NONE ? *p : local_form(p);
        compare(t, ctx, name, p, &local);
        if (p->kind != SS_A_NONE) {
            free_local(&local);
        }
    }
    ss_problem_file_destroy(file);
}

static void try_files(bench_table *t)
{
    struct dirent **entry = NULL;
    int n = bench_run.fclib ? scandir(bench_run.fclib, &entry, is_hdf5, alphasort) : -1;
    ss_context *ctx = NULL;
    if (n <= 0 || ss_context_create(NULL, &ctx) != SS_OK) {
        printf("skipped: FCLIB files (FCLIB=folder names where they are)\n");
        return;
    }
    for (int k = 0; k < n; k++) {
        char path[4096];
        struct stat about;
        snprintf(path, sizeof path, "%s/%s", bench_run.fclib, entry[k]->d_name);
        if (stat(path, &about) == 0 && (bench_run.full || about.st_size < 300000)) {
            try_file(t, ctx, path, entry[k]->d_name);
        }
        free(entry[k]);
    }
    free(entry);
    ss_context_destroy(ctx);
}

void bench_friction(void)
{
    static const char *const columns[] = { "problem",    "contacts", "solver", "error wanted", "met", "seconds",
                                           "iterations", "error",    NULL };
    const int sizes[] = { 200, 1000 };
    bench_table t = bench_table_open(&bench_run, "friction", "Time to a classical error, Coulomb friction, from r = 0", columns);
    try_files(&t);
    for (int k = 0; k < 2; k++) {
        watch_pile(&t, sizes[k]);
    }
    bench_table_close(&t);
}
