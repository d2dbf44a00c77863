/* engine_slipstick.c - ours, through its public interface, with the scene's own scheme and solver. */
#include "bench.h"

#include <slipstick/slipstick.h>

#include <stdlib.h>

typedef struct engine {
    ss_context *ctx;
    ss_scene *scene;
    ss_model *model;
    ss_sim *sim;
    int first; /* fixed bodies come first in generated scenes */
} engine;

static void destroy(void *p)
{
    engine *e = p;
    ss_sim_destroy(e->sim);
    ss_model_destroy(e->model);
    ss_scene_destroy(e->scene);
    ss_context_destroy(e->ctx);
    free(e);
}

static void *create(const bench_scene *scene)
{
    engine *e = calloc(1, sizeof *e);
    ss_sim_options options = ss_sim_options_default();
    options.step = scene->h;
    options.solver_tol = scene->tol > 0 ? scene->tol : options.solver_tol;
    if (!e || ss_context_create(NULL, &e->ctx) != SS_OK || ss_scene_read(e->ctx, scene->path, 0, NULL, &e->scene) != SS_OK ||
        ss_model_compile(e->ctx, e->scene, &e->model) != SS_OK || ss_sim_create(e->ctx, e->model, &options, &e->sim) != SS_OK) {
        bench_fatal("%s: %s", scene->path, e && e->ctx ? ss_last_error(e->ctx) : "out of memory");
    }
    e->first = ss_model_body_count(e->model) - scene->bodies;
    return e;
}

static bool step(void *p, double h)
{
    engine *e = p;
    if (ss_sim_step(e->sim, h) == SS_OK) {
        return true;
    }
    fprintf(stderr, "slipstick: %s\n", ss_last_error(e->ctx));
    return false;
}

static void state(void *p, int body, double x[3], double v[3])
{
    engine *e = p;
    const double *q = ss_sim_q(e->sim) + ss_model_body_q(e->model, e->first + body);
    const double *w = ss_sim_v(e->sim) + ss_model_body_v(e->model, e->first + body);
    for (int k = 0; k < 3; k++) {
        x[k] = q[k];
        v[k] = w[k];
    }
}

static int contacts(void *p) { return ss_sim_contact_count(((engine *)p)->sim); }
static double residual(void *p) { return ss_sim_last_step(((engine *)p)->sim)->residual.contact; }
static const char *version(void) { return ss_version(); }

const bench_engine bench_slipstick = { "slipstick", version, create, step, state, contacts, residual, destroy, NULL };
