/* convex.c - one convex program per step: time, factorisations and memory to 1e-4, 1e-8 and 1e-10, from a cold start.
 *
 * The problems are steps of piles of spheres, settled and collapsing (heap.c). Ours solve them with the associated law, to a
 * tolerance on the certificate, which is computed outside of the solver. fc3d_nsgs and fc3d_admm of Siconos get the same contacts
 * with Coulomb's law, which they are made for, in the local form, and a tolerance on their own error; the certificate of their
 * answers is computed on the local form. Making W is not counted in their time, but in their memory.
 *
 * Every solve is a process of its own, with a limit on its CPU time; memory is the most it held beyond what it held when the
 * problem had been read. A solver that has missed a tolerance is not asked for a smaller one, and in the quick
 * run not for the same one on a large pile. */
#include "bench.h"
#include "child.h"
#include "curves.h"
#include "heap.h"
#include "local.h"

#include <slipstick/slipstick.h>

#include <limits.h>
#include <malloc.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

typedef struct entrant {
    const char *name;
    bool peer;        /* of Siconos */
    bench_fc3d which; /* peers      */
    int max_iter;     /* 0: its own */
} entrant;

/* max_iter is out of reach where only the time limit should count */
static const entrant entrants[] = { { "cone_ipm", .max_iter = 0 },
                                    { "apgd", .max_iter = INT_MAX },
                                    { "nsgs", .max_iter = INT_MAX },
                                    { "alm", .max_iter = 0 },
                                    { "auto", .max_iter = 0 },
                                    { "fc3d_nsgs", .peer = true, .which = BENCH_FC3D_NSGS, .max_iter = INT_MAX },
                                    { "fc3d_admm", .peer = true, .which = BENCH_FC3D_ADMM, .max_iter = INT_MAX } };
enum { ENTRANTS = sizeof entrants / sizeof *entrants };

static bool present(const entrant *e)
{
    return e->peer ? bench_siconos_present() : ss_registry_find(SS_SOLVERS, e->name) != NULL;
}

/* ---- one solve, in a process of its own ------------------------------------------------------------ */

typedef enum verdict { MET, MISSED, LATE, FAILED, SKIPPED } verdict;
static const char *const verdict_name[] = { "yes", "no", "time", "failed", "-" };

typedef struct measure {
    verdict verdict;
    int contacts, iterations;
    double factorisations; /* NAN: not known */
    double seconds, megabytes, residual;
    char by[32]; /* auto: the solver whose answer was taken */
} measure;

static const measure nothing = { .verdict = SKIPPED, .factorisations = NAN, .seconds = NAN, .megabytes = NAN, .residual = NAN };

static double worst(const ss_residual *r) { return fmax(r->contact, fmax(r->momentum, r->joint)); }

static ss_solution cold_solution(const ss_problem *p)
{
    size_t nr = (size_t)p->row[p->nc];
    return (ss_solution){ .v = bench_array((size_t)p->nv, sizeof(double)),
                          .lam = bench_array((size_t)p->nj, sizeof(double)),
                          .r = bench_array(nr, sizeof(double)),
                          .u = bench_array(nr, sizeof(double)),
                          .basis = bench_array((size_t)p->nc, sizeof(uint64_t)) };
}

static void solve_ours(ss_context *ctx, const entrant *e, double tol, const ss_problem *p, measure *m)
{
    ss_solver *solver = NULL;
    ss_solver_info info = { .iterations = 0 };
    ss_solver_options options = ss_solver_options_default();
    ss_solution s = cold_solution(p);
    options.name = e->name;
    options.tol = tol;
    options.max_iter = e->max_iter;
    double start = bench_seconds();
    bool good = ss_solver_create(ctx, &options, &solver) == SS_OK && ss_solver_solve(solver, p, &s, &info) == SS_OK;
    m->seconds = bench_seconds() - start;
    if (!good) {
        fprintf(stderr, "%s: %s\n", e->name, ss_last_error(ctx));
        return;
    }
    m->verdict = info.outcome == SS_CONVERGED ? MET : MISSED;
    m->iterations = info.iterations;
    m->factorisations = info.factorisations;
    m->residual = worst(&info.residual);
    snprintf(m->by, sizeof m->by, "%s", info.solver);
}

static void solve_peer(ss_context *ctx, const entrant *e, double tol, const ss_problem *p, measure *m)
{
    ss_problem local = bench_local_form(p);
    ss_solution s = cold_solution(&local);
    ss_residual residual;
    bench_siconos_end end = bench_siconos_friction(e->which, &local, tol, e->max_iter, s.r);
    m->verdict = end.solved ? MET : MISSED;
    m->seconds = end.seconds;
    m->iterations = end.iterations;
    m->residual = ss_problem_residual(ctx, &local, &s, &residual) == SS_OK ? worst(&residual) : NAN;
    snprintf(m->by, sizeof m->by, "%s", e->name);
}

static double megabytes_now(void)
{
    long size = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%ld %ld", &size, &resident) != 2) {
        resident = 0;
    }
    if (file) {
        fclose(file);
    }
    return (double)resident * (double)sysconf(_SC_PAGESIZE) / 1048576;
}

static double most_megabytes(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024;
}

static measure solve_file(const char *path, const entrant *e, double tol)
{
    measure m = nothing;
    ss_context *ctx = NULL;
    ss_problem_file *file = NULL;
    m.verdict = FAILED;
    if (ss_context_create(NULL, &ctx) != SS_OK || ss_problem_read(ctx, path, &file) != SS_OK ||
        ss_problem_file_set_law(file, e->peer ? SS_LAW_COULOMB : SS_LAW_ASSOCIATED) != SS_OK) {
        bench_fatal("%s: %s", path, ctx ? ss_last_error(ctx) : "out of memory");
    }
    const ss_problem *p = ss_problem_file_problem(file);
    double before = megabytes_now();
    (e->peer ? solve_peer : solve_ours)(ctx, e, tol, p, &m);
    m.megabytes = most_megabytes() - before;
    m.contacts = p->nc;
    return m;
}

typedef struct solve {
    const char *path;
    const entrant *entrant;
    double tol;
} solve;

static void solve_task(const void *task, void *answer)
{
    const solve *s = task;
    *(measure *)answer = solve_file(s->path, s->entrant, s->tol);
}

static measure in_child(const char *path, const entrant *e, double tol, int limit)
{
    solve task = { path, e, tol };
    measure m = nothing;
    double megabytes;
    bench_end end = bench_in_child(solve_task, &task, limit, sizeof m, &m, &megabytes);
    if (end != BENCH_ANSWERED) {
        m = nothing;
        m.verdict = end == BENCH_LATE ? LATE : FAILED;
        m.seconds = end == BENCH_LATE ? limit : (double)NAN;
    }
    return m;
}

/* ---- one problem, all solvers ------------------------------------------------------------------------- */

static const char *law_of(const entrant *e) { return e->peer ? "Coulomb" : "associated"; }

static void put_count(bench_table *t, int n)
{
    char text[16];
    snprintf(text, sizeof text, "%d", n);
    bench_text(t, text);
}

static void put(bench_table *t, const char *problem, int contacts, const entrant *e, double tol, const measure *m)
{
    char name[64];
    bool other = m->by[0] && strcmp(m->by, e->name) != 0;
    snprintf(name, sizeof name, other ? "%s: %s" : "%s", e->name, m->by);
    bench_text(t, problem);
    put_count(t, contacts);
    bench_text(t, name);
    bench_text(t, law_of(e));
    bench_number(t, tol);
    bench_text(t, verdict_name[m->verdict]);
    bench_number(t, m->seconds);
    if (m->verdict <= MISSED) {
        put_count(t, m->iterations);
    } else {
        bench_text(t, "-");
    }
    bench_number(t, m->factorisations);
    bench_number(t, m->megabytes);
    bench_number(t, m->residual);
}

typedef struct race {
    bench_table *table;
    char path[4096], title[64];
    int contacts, tolerances, limit; /* s, for one solve */
    const double *tolerance;
    double *missed; /* by entrant: tolerance that took too long, 0: none */
} race;

static bench_curve enter(const race *r, int who)
{
    const entrant *e = &entrants[who];
    bench_curve curve = { .solver = e->name, .law = law_of(e), .convex = !e->peer && strcmp(e->name, "auto") != 0 };
    bool going = true;
    for (int i = 0; i < r->tolerances; i++) {
        double tol = r->tolerance[i];
        measure m = going && tol > r->missed[who] ? in_child(r->path, e, tol, r->limit) : nothing;
        put(r->table, r->title, r->contacts, e, tol, &m);
        r->missed[who] = m.verdict == LATE ? tol : r->missed[who];
        going = m.verdict == MET;
        if (going) {
            curve.tolerance[i] = tol;
            curve.seconds[i] = m.seconds;
            curve.residual[i] = m.residual;
            curve.n++;
        }
    }
    return curve;
}

static int count_contacts(const char *path)
{
    ss_context *ctx = NULL;
    ss_problem_file *file = NULL;
    if (ss_context_create(NULL, &ctx) != SS_OK || ss_problem_read(ctx, path, &file) != SS_OK) {
        bench_fatal("%s: %s", path, ctx ? ss_last_error(ctx) : "out of memory");
    }
    int contacts = ss_problem_file_problem(file)->nc;
    ss_problem_file_destroy(file);
    ss_context_destroy(ctx);
    return contacts;
}

static void run_race(race *r, int *n, bench_curve curve[ENTRANTS])
{
    r->contacts = count_contacts(r->path);
    *n = 0;
    for (int k = 0; k < ENTRANTS; k++) {
        if (present(&entrants[k])) {
            curve[(*n)++] = enter(r, k);
        }
    }
}

/* ---- all problems ---------------------------------------------------------------------------------------- */

/* in the full run large piles are solved to more tolerances; missed: as the pile before left it */
static void try_heap(bench_table *t, int bodies, bench_heap_state state, double missed[ENTRANTS])
{
    static const double few[] = { 1e-4, 1e-8, 1e-10 }, many[] = { 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10 };
    bool large = bodies >= 4000, all = large && bench_run.full;
    race r = { .table = t, .tolerances = all ? 9 : 3, .tolerance = all ? many : few, .missed = missed };
    r.limit = bench_run.full ? 300 : large ? 15 : 5;
    bench_curve curve[ENTRANTS];
    char name[64];
    int n = 0;
    for (int k = 0; k < ENTRANTS; k++) {
        missed[k] = large && !bench_run.full ? missed[k] : 0;
    }
    snprintf(r.title, sizeof r.title, "pile of %d %s", bodies, bench_heap_state_name[state]);
    snprintf(name, sizeof name, "convex_%d_%s", bodies, bench_heap_state_name[state]);
    if (bench_heap_problem(bodies, state, r.path)) {
        run_race(&r, &n, curve);
        bench_curves_write(name, r.title, n, curve);
    }
}

void bench_convex(void)
{
    static const char *const columns[] = { "problem", "contacts",   "solver",         "law",        "tolerance",   "met",
                                           "seconds", "iterations", "factorisations", "memory MiB", "certificate", NULL };
    static const int sizes[] = { 200, 750, 4000, 10000 };
    double missed[BENCH_HEAP_STATES][ENTRANTS] = { { 0 } };
    bench_table t = bench_table_open(&bench_run, "convex", "One convex program, from r = 0", columns);
    for (int k = 0; k < (bench_run.full ? 4 : 3); k++) {
        for (bench_heap_state state = 0; state < BENCH_HEAP_STATES; state++) {
            try_heap(&t, sizes[k], state, missed[state]);
        }
    }
    bench_table_close(&t);
}
