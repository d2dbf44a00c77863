/* friction.c - contact problems on their own: time to a classical error of 1e-4 and 1e-6, circular Coulomb friction in 3D,
 * from r = 0. The problems are steps of our piles, falling and at rest, and FCLIB files where a folder of them is given.
 * Our solvers get the problem as it is (bodies and contacts), Siconos the local form u = W r + q with W by blocks; forming W
 * is not counted. The classical error |r - P_K(r - u^)| / |q| of every answer is computed here on the local form. A solver
 * whose tolerance bounds another error is run with smaller and smaller tolerances until this one is met; the last run counts. */
#include "bench.h"
#include "local.h"

#include <slipstick/slipstick.h>

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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
    double *r = bench_array((size_t)local->W.m, sizeof *r);
    bench_siconos_end end = bench_siconos_friction(BENCH_FC3D_NSGS, local, tol, 20000, r);
    answer a = { end.seconds, classical(ctx, local, r), end.iterations };
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
    bool late = bench_seconds() - w->start > (bench_run.full ? 3600 : 60);
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
            ss_problem local = bench_local_form(&p);
            snprintf(label, sizeof label, "pile of %d %s", w->bodies, state[k]);
            compare(w->table, w->ctx, label, &p, &local);
            bench_local_free(&local);
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
    bool good = p->dimension == 3 && p->nj == 0 && (p->local || p->A.sparse.m == 0);
    for (int k = 0; good && !p->local && k < p->scale.blocks; k++) {
        good = p->scale.size[k] <= BENCH_LARGEST_BLOCK;
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
        ss_problem local = p->local ? *p : bench_local_form(p);
        compare(t, ctx, name, p, &local);
        if (!p->local) {
            bench_local_free(&local);
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
