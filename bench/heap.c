/* heap.c - contact problems of piles of spheres, settled and collapsing.
 *
 * The pile of the generator falls for the time that it gives, with anitescu_convex, h = 1/100 s and a loose tolerance. Then it is
 * stopped: the spheres stay where they are, without velocity. The settled pile is its state 30 steps later, with a
 * tolerance of 1e-5 (contacts that are only roughly closed make an easier problem for iterative solvers); the collapsing pile
 * its state 25 steps later if one wall is removed. The contact problems of these steps are written as FCLIB files into
 * the folder of the results, and used again as long as they are there. */
#include "heap.h"

#include "bench.h"

#include <slipstick/slipstick.h>

#include <jansson.h>
#include <stdio.h>
#include <unistd.h>

const char *const bench_heap_state_name[BENCH_HEAP_STATES] = { "settled", "collapsing" };

static const double step_size = 0.01; /* s */
static const double loose = 1e-3, seconds_from_rest[BENCH_HEAP_STATES] = { 0.3, 0.25 },
                    tolerance[BENCH_HEAP_STATES] = { 1e-5, 1e-3 };
static const size_t walls_gone[BENCH_HEAP_STATES] = { 0, 1 };

/* a simulation whose last contact problem goes into a file */
typedef struct heap {
    ss_context *ctx;
    ss_scene *scene;
    ss_model *model;
    ss_sim *sim;
    const char *problem_path; /* NULL: not wanted */
    int64_t last;
} heap;

static ss_status keep_last(void *user, const ss_sim *sim, int64_t step, const ss_problem *problem, const ss_solution *solution)
{
    const heap *h = user;
    (void)sim, (void)solution;
    return h->problem_path && step == h->last ? ss_problem_write(h->ctx, problem, NULL, h->problem_path) : SS_OK;
}

static ss_status open_heap(heap *h, const char *scene_path, double tol)
{
    ss_sim_options options = ss_sim_options_default();
    options.scheme = "anitescu_convex";
    options.solver = "nsgs";
    options.solver_tol = tol;
    options.step = step_size;
    options.allow_overlap = true; /* of the settled pile: micrometres */
    ss_status status = ss_scene_read(h->ctx, scene_path, 0, NULL, &h->scene);
    status = status == SS_OK ? ss_model_compile(h->ctx, h->scene, &h->model) : status;
    return status == SS_OK ? ss_sim_create(h->ctx, h->model, &options, &h->sim) : status;
}

static ss_status run_heap(heap *h, double until)
{
    ss_observer observer = { .user = h, .on_problem = keep_last };
    h->last = (int64_t)(until / step_size + 0.5);
    ss_status status = ss_sim_observe(h->sim, &observer);
    return status == SS_OK ? ss_sim_advance(h->sim, until) : status;
}

static void close_heap(heap *h)
{
    ss_sim_destroy(h->sim);
    ss_model_destroy(h->model);
    ss_scene_destroy(h->scene);
    ss_context_destroy(h->ctx);
}

static bool fail(const char *what, const ss_context *ctx)
{
    printf("skipped: %s: %s\n", what, ctx ? ss_last_error(ctx) : "out of memory");
    return false;
}

/* ---- from the falling pile to two scenes that begin at rest --------------------------------------------- */

static void name_file(char path[4096], int bodies, const char *state, const char *type)
{
    snprintf(path, 4096, "%s/heap_%d_%s.%s", bench_run.folder, bodies, state, type);
}

/* the scene with its spheres where they are now, and without its last `gone` walls */
static void write_at_rest(const heap *h, const char *from, size_t gone, const char *to)
{
    json_t *file = json_load_file(from, 0, NULL), *bodies = json_object_get(file, "bodies"), *item;
    size_t k;
    json_array_foreach(bodies, k, item)
    {
        double x[3], orientation[4], angle;
        json_t *walls = json_object_get(item, "shapes");
        if (ss_model_body_type(h->model, (int)k) == SS_BODY_RIGID) {
            ss_model_body_pose(h->model, (int)k, ss_sim_time(h->sim), ss_sim_q(h->sim), x, orientation, &angle);
            json_object_set_new(item, "position", json_pack("[fff]", x[0], x[1], x[2]));
        }
        for (size_t i = 0; i < gone && ss_model_body_type(h->model, (int)k) == SS_BODY_FIXED; i++) {
            json_array_remove(walls, json_array_size(walls) - 1);
        }
    }
    if (!file || json_dump_file(file, to, 0) != 0) {
        bench_fatal("%s cannot be written", to);
    }
    json_decref(file);
}

static bool let_fall(int bodies)
{
    char words[64], name[64], to[4096];
    snprintf(words, sizeof words, "pile --bodies %d --seed 1", bodies);
    snprintf(name, sizeof name, "heap_%d_falling", bodies);
    bench_scene s = bench_scene_make(words, name, step_size);
    heap h = { .ctx = NULL };
    bool good = ss_context_create(NULL, &h.ctx) == SS_OK && open_heap(&h, s.path, loose) == SS_OK &&
                run_heap(&h, ss_model_settings(h.model)->until) == SS_OK;
    good = good || fail(s.path, h.ctx);
    for (int k = 0; good && k < BENCH_HEAP_STATES; k++) {
        name_file(to, bodies, bench_heap_state_name[k], "json");
        write_at_rest(&h, s.path, walls_gone[k], to);
    }
    close_heap(&h);
    bench_scene_free(&s);
    return good;
}

/* ---- the problems --------------------------------------------------------------------------------------- */

/* written under another name and then renamed, so that an incomplete file is never used */
static bool write_problem(const char *scene, bench_heap_state state, const char *path)
{
    char partial[4096 + 8];
    heap h = { .problem_path = partial };
    snprintf(partial, sizeof partial, "%s.new", path);
    bool good = ss_context_create(NULL, &h.ctx) == SS_OK && open_heap(&h, scene, tolerance[state]) == SS_OK &&
                run_heap(&h, seconds_from_rest[state]) == SS_OK;
    good = good ? rename(partial, path) == 0 : fail(scene, h.ctx);
    close_heap(&h);
    return good;
}

bool bench_heap_problem(int bodies, bench_heap_state state, char path[4096])
{
    char scene[4096];
    name_file(scene, bodies, bench_heap_state_name[state], "json");
    name_file(path, bodies, bench_heap_state_name[state], "hdf5");
    return access(path, R_OK) == 0 || ((access(scene, R_OK) == 0 || let_fall(bodies)) && write_problem(scene, state, path));
}
