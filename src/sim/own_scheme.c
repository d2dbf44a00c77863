/* own_scheme.c - schemes from outside the library: what such a scheme sees of a step, and what the driver sees of the scheme.
 *
 * A step of it is one segment: impulses of forces at places of its choice, one contact problem with the rows of a place of its
 * choice, and an end. The problem is solved by the solver of the simulation; the segment is certified and entered in the ledger
 * by the driver, as for any other scheme.
 *
 * Cost   that of the parts that are asked for. Memory comes from the arena of the step; the assembly grows only. */
#include "base/extensions.h"
#include "kernels/assembly.h"
#include "kernels/free_motion.h"
#include "sim/sim.h"
#include <slipstick/extend.h>

struct ss_step {
    const ss_own_scheme *own;
    ss_stepper *s;
    double h;
    ss_assembly *a;
    ss_contact_set found;
    double *by_class; /* classes x nv: impulses      */
    double *impulse;  /* nv: their sum               */
    double *gap;      /* nc                          */
    bool posed, solved, ended;
};

/* ---- as a scheme of the library ---------------------------------------------------------------------------- */

static ss_status create(ss_stepper *s, void **work, double *scheme_state)
{
    ss_step *x;
    (void)scheme_state;
    SS_TRY(ss_calloc(s->ctx, 1, sizeof *x, &x));
    *work = x;
    x->own = s->params;
    return ss_assembly_create(s->ctx, s->model, &x->a);
}

static void destroy(ss_context *ctx, void *work)
{
    ss_step *x = work;
    if (x) {
        ss_assembly_destroy(ctx, x->a);
        ss_contacts_free(ctx, &x->found);
        ss_free(ctx, x);
    }
}

static ss_status step(ss_stepper *s, double h)
{
    ss_step *x = s->work;
    const size_t nv = (size_t)s->model->nv;
    x->s = s;
    x->h = h;
    x->posed = x->solved = x->ended = false;
    SS_TRY(ss_arena_take(s->arena, SS_FORCE_CLASSES * nv, sizeof *x->by_class, &x->by_class));
    SS_TRY(ss_arena_take(s->arena, nv, sizeof *x->impulse, &x->impulse));
    SS_TRY(x->own->step(x->own->user, x, h));
    return x->ended ? SS_OK
                    : ss_fail(s->ctx, SS_ERR_NUMERIC, "scheme %.80s: its step has not called ss_step_end", x->own->info.name);
}

ss_status ss_context_add_scheme(ss_context *ctx, const ss_own_scheme *scheme)
{
    ss_scheme_type *x;
    if (!scheme->step) {
        return ss_fail(ctx, SS_ERR_INPUT, "schemes: one that is added needs a function `step`");
    }
    SS_TRY(ss_calloc(ctx, 1, sizeof *x, &x));
    *x = (ss_scheme_type){ .info = scheme->info, .create = create, .destroy = destroy, .step = step, .outside = scheme };
    x->info.fields = NULL;
    x->info.params_size = 0;
    x->info.order.norm = scheme->info.order.norm ? scheme->info.order.norm : "final";
    const ss_status status = ss_extension_add(ctx, SS_SCHEMES, &x->info, true);
    if (status != SS_OK) {
        ss_free(ctx, x);
    }
    return status;
}

/* ---- what it reads ------------------------------------------------------------------------------------------ */

double ss_step_time(const ss_step *x) { return x->s->now->t; }
const double *ss_step_q(const ss_step *x) { return x->s->now->q; }
const double *ss_step_v(const ss_step *x) { return x->s->now->v; }
int ss_step_nq(const ss_step *x) { return x->s->model->nq; }
int ss_step_nv(const ss_step *x) { return x->s->model->nv; }

void ss_step_move(const ss_step *x, const double *q, const double *v, double time, double *out)
{
    ss_model_retract(x->s->model, q, v, time, out);
}

ss_status ss_step_take(ss_step *x, size_t numbers, double **out)
{
    return ss_arena_take(x->s->arena, numbers, sizeof **out, out);
}

/* ---- forces ----------------------------------------------------------------------------------------------- */

/* frames at (t, q); driven bodies have their mean velocity over the step */
static ss_status place(ss_step *x, double t, const double *q, ss_config *c)
{
    const ss_model *m = x->s->model;
    SS_TRY(ss_config_take(x->s->arena, m, c));
    ss_config_set(m, t, q, c);
    ss_config_drive(m, x->s->now->t, x->s->now->t + x->h, c);
    return SS_OK;
}

ss_status ss_step_add_forces(ss_step *x, double weight, double t, const double *q, const double *v)
{
    const ss_model *m = x->s->model;
    double *k;
    ss_config c;
    if (x->posed) {
        return ss_fail(x->s->ctx, SS_ERR_INPUT, "scheme %.80s: forces are added before the problem is posed", x->own->info.name);
    }
    SS_TRY(ss_arena_take(x->s->arena, SS_FORCE_CLASSES * (size_t)m->nv, sizeof *k, &k));
    SS_TRY(place(x, t, q, &c));
    SS_TRY(ss_model_forces(x->s->ctx, m, &c, v, k));
    for (int i = 0; i < SS_FORCE_CLASSES * m->nv; i++) {
        x->by_class[i] += weight * x->h * k[i];
    }
    ss_forces_add(m->nv, weight * x->h, k, x->impulse);
    return SS_OK;
}

/* ---- the problem -------------------------------------------------------------------------------------------- */

/* contacts that are on their features: *n of `which` */
static ss_status choose(ss_step *x, const ss_config *c, int **which, int *n)
{
    *n = 0;
    SS_TRY(ss_arena_take(x->s->arena, (size_t)x->found.n, sizeof **which, which));
    for (int k = 0; k < x->found.n; k++) {
        ss_contact_value value;
        SS_TRY(ss_contact_eval(x->s->ctx, x->s->model, c, &x->found.c[k], &value));
        if (!(value.outside > 0)) {
            (*which)[(*n)++] = k;
        }
    }
    return SS_OK;
}

static ss_status pose(ss_step *x, double t, const double *q, double reach, ss_friction friction)
{
    ss_config c;
    int *which, n;
    SS_TRY(ss_friction_check(x->s, friction));
    SS_TRY(place(x, t, q, &c));
    SS_TRY(ss_finder_find(x->s->finder, &c, reach, &x->found));
    SS_TRY(choose(x, &c, &which, &n));
    SS_TRY(ss_assembly_geometry(x->a, &c, &x->found, n, which, friction, x->h));
    ss_assembly_momentum(x->a, x->s->now->v, x->impulse);
    ss_assembly_recall(x->a, &x->s->now->cache, SS_LEVEL_VELOCITY);
    SS_TRY(ss_arena_take(x->s->arena, (size_t)n, sizeof *x->gap, &x->gap));
    for (int k = 0; k < n; k++) {
        x->gap[k] = x->a->value[k]->gap;
    }
    x->posed = true;
    return SS_OK;
}

ss_status ss_step_pose(ss_step *x, double t, const double *q, double reach, unsigned law, ss_problem **problem,
                       const double **gap, const double **g)
{
    const ss_friction friction = { .law = law, .directions = x->s->model->dimension == 2 ? 2 : 8 };
    SS_TRY(pose(x, t, q, reach, friction));
    *problem = &x->a->problem;
    *gap = x->gap;
    *g = x->a->g;
    return SS_OK;
}

/* "scheme mine: there is no problem that has been posed" */
static ss_status check_done(const ss_step *x, bool done, const char *what)
{
    return done ? SS_OK
                : ss_fail(x->s->ctx, SS_ERR_INPUT, "scheme %.80s: there is no problem that has been %s", x->own->info.name, what);
}

ss_status ss_step_close_gaps(ss_step *x)
{
    SS_TRY(check_done(x, x->posed, "posed (ss_step_pose)"));
    for (int k = 0; k < x->a->problem.nc; k++) {
        if (ss_contact_has_gap(x->a->contacts.c[k])) {
            const int row = x->a->problem.row[k];
            x->a->w_stabilise[row] += x->gap[k] / x->h;
            x->a->problem.w[row] += x->gap[k] / x->h;
        }
    }
    return SS_OK;
}

ss_status ss_step_solve(ss_step *x, const ss_solution **solution)
{
    SS_TRY(check_done(x, x->posed, "posed (ss_step_pose)"));
    SS_TRY(ss_assembly_solve(x->a, x->s, x->s->now->v, 0));
    SS_TRY(ss_assembly_require_solution(x->a, x->s->now->t));
    SS_TRY(ss_assembly_remember(x->a, &x->s->next->cache, SS_LEVEL_VELOCITY));
    x->solved = true;
    *solution = &x->a->solution;
    return SS_OK;
}

/* ---- the end ------------------------------------------------------------------------------------------------ */

ss_status ss_step_end(ss_step *x, const double *q)
{
    ss_stepper *s = x->s;
    const int nv = s->model->nv;
    SS_TRY(check_done(x, x->solved, "solved (ss_step_solve)"));
    SS_TRY(check_done(x, !x->ended, "left open: ss_step_end is called once"));
    memmove(s->next->q, q, (size_t)s->model->nq * sizeof *q);
    memcpy(s->next->v, x->a->solution.v, (size_t)nv * sizeof(double));
    s->next->t = s->now->t + x->h;
    const ss_segment_end from = { .t = s->now->t, .q = s->now->q, .v = s->now->v },
                         to = { .t = s->next->t, .q = s->next->q, .v = s->next->v };
    ss_segment segment = ss_assembly_segment(x->a, from, to);
    ss_segment_put_forces(&segment, nv, x->by_class);
    x->ended = true;
    return s->report->segment(s->report, &segment);
}
