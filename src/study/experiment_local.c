/* experiment_local.c - the local error of a scheme: one step from the exact solution, against the exact solution.
 *
 *     e = x(t + h) - x_1     where x_1 is where one step of h leads from x_0 = x(t)                   [Aca09 eq. 28]
 *
 *   {"run", "local_error": "q" | "v" | COORDINATE, "from": t, "step": h}
 *
 * Of q and v the Euclidean norm is taken (rotations: along the geodesic), of a coordinate ("ball.vy") the value with its
 * sign. States are those after the jump where there is one: v+. The run has the scene, the scheme and its options; it is not
 * made.
 *
 * A scheme that keeps more from step to step than q and v has no local error in this sense and is refused: the exact
 * solution does not say what it would have kept. */
#include "exact/exact.h"
#include "sim/sim.h"
#include "study/experiment.h"

#include <math.h>
#include <stdio.h>

/* one step, and what it is compared with */
typedef struct trial {
    ss_context *ctx;
    double t, h;
    const char *of; /* "q", "v" or a coordinate */
    ss_model *model;
    ss_exact *exact;
    ss_sim *sim;
    ss_trajectory *names;
    double *q, *v; /* the exact state at the end */
} trial;

static ss_status read_trial(ss_experiment *e, const json_t *m, trial *x)
{
    SS_TRY(ss_recipe_text(e, m, "local_error", &x->of));
    SS_TRY(ss_recipe_number(e, m, "from", &x->t));
    SS_TRY(ss_recipe_number(e, m, "step", &x->h));
    if (!(x->t >= 0 && isfinite(x->t))) {
        return ss_reader_fail(&e->place, "from: expected a time >= 0, got %.9g", x->t);
    }
    return x->h > 0 && isfinite(x->h) ? SS_OK : ss_reader_fail(&e->place, "step: expected a number > 0, got %.9g", x->h);
}

ss_status ss_measure_local_check(ss_experiment *e, const json_t *m) { return read_trial(e, m, &(trial){ 0 }); }

/* the simulation, brought to the state that the exact solution has at t */
static ss_status start(trial *x)
{
    const ss_model *m = x->model;
    ss_sim_options options = ss_sim_options_default();
    options.allow_overlap = true; /* round-off of a contact that is closed */
    SS_TRY(ss_sim_create(x->ctx, m, &options, &x->sim));
    if (x->sim->scheme_state_size > 0) {
        return ss_fail(x->ctx, SS_ERR_UNSUPPORTED, "local_error: scheme %s keeps more than q and v from step to step",
                       ss_sim_scheme(x->sim));
    }
    ss_state *now = &x->sim->now;
    SS_TRY(ss_exact_at(x->exact, x->t, 1, now->q, now->v));
    now->t = x->sim->clock.anchor = x->t;
    return ss_sim_describe(x->sim);
}

static double norm(int n, const double *x)
{
    double sum = 0;
    for (int k = 0; k < n; k++) {
        sum = hypot(sum, x[k]);
    }
    return sum;
}

/* place of a coordinate among those of q, then of v; -1: there is none */
static int find_coordinate(const trial *x)
{
    for (int k = 0; k < ss_model_nq(x->model) + x->model->nv; k++) {
        if (strcmp(x->names->name[k], x->of) == 0) {
            return k;
        }
    }
    return -1;
}

/* exact minus computed, at the end of the step */
static ss_status compare(trial *x, double *out)
{
    const ss_model *m = x->model;
    const double *q = ss_sim_q(x->sim), *v = ss_sim_v(x->sim);
    bool of_q = strcmp(x->of, "q") == 0, of_v = strcmp(x->of, "v") == 0;
    int k = find_coordinate(x), nq = ss_model_nq(m);
    if (!of_q && !of_v && k < 0) {
        return ss_fail(x->ctx, SS_ERR_INPUT, "local_error: expected q, v or a coordinate, got \"%.60s\"; the first is \"%s\"",
                       x->of, nq > 0 ? x->names->name[0] : "");
    }
    if (k >= 0) {
        *out = k < nq ? x->q[k] - q[k] : x->v[k - nq] - v[k - nq];
        return SS_OK;
    }
    for (int i = 0; i < m->nv; i++) {
        x->v[i] -= v[i];
    }
    if (of_q) {
        ss_model_difference(m, q, x->q, x->v);
    }
    *out = norm(m->nv, x->v);
    return SS_OK;
}

static ss_status make(trial *x, double *out)
{
    const ss_model *m = x->model;
    SS_TRY(ss_exact_create(x->ctx, m, &x->exact));
    SS_TRY(ss_trajectory_describe(x->ctx, m, &x->names));
    SS_TRY(ss_calloc(x->ctx, (size_t)ss_model_nq(m) + 1, sizeof *x->q, &x->q));
    SS_TRY(ss_calloc(x->ctx, (size_t)m->nv + 1, sizeof *x->v, &x->v));
    SS_TRY(start(x));
    SS_TRY(ss_sim_step(x->sim, x->h));
    SS_TRY(ss_exact_at(x->exact, x->t + x->h, 1, x->q, x->v));
    return compare(x, out);
}

ss_status ss_measure_local_value(ss_experiment *e, const json_t *m, const ss_made *run, double *out)
{
    trial x = { .ctx = e->ctx };
    ss_study_case c = run->study_case;
    ss_scene *scene;
    SS_TRY(read_trial(e, m, &x));
    c.step = x.h;
    c.tol = NAN; /* one step of this length, whatever those of the run are */
    SS_TRY(ss_study_case_open(e->ctx, &c, &scene, &x.model));
    ss_status status = make(&x, out);
    ss_free(e->ctx, x.q);
    ss_free(e->ctx, x.v);
    ss_trajectory_destroy(x.names);
    ss_sim_destroy(x.sim);
    ss_exact_destroy(x.exact);
    ss_model_destroy(x.model);
    ss_scene_destroy(scene);
    return status;
}
