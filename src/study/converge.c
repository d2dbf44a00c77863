/* converge.c - errors over a list of steps, and the order they fall with.
 *
 *   error   of error.c: final, l1, l2, max or hausdorff
 *   ratio   = error of the row before / error;      order = log(ratio) / log(h before / h)
 *   fitted  = slope of the least-squares line through (log h, log error)
 *
 * Errors that rounding alone may cause, ROUNDINGS eps sqrt(steps) of the values, say nothing about the order: their rows have
 * none and are not fitted. A reference that is itself interpolated must have its states nearer to each other than the smallest
 * step.
 *
 * Symbols   h -> value */
#include "base/tolerances.h"
#include "io/json.h"
#include "model/model.h"
#include "study/error.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

static const double ROUNDINGS = 8; /* errors up to ROUNDINGS eps sqrt(steps) of the values may be rounding alone */

typedef struct study {
    ss_context *ctx;
    const ss_converge_options *options;
    ss_reference *reference;
    ss_convergence *result;
    double done, own, total; /* work: steps that were made, of the run under way, of all */
    char what[160];
    bool warned; /* of a coarse reference */
} study;

/* ---- the reference ----------------------------------------------------------------------------------------------- */

static void warn_of_spacing(study *s, double step)
{
    double spacing = ss_reference_spacing(s->reference, s->options->norm);
    if (spacing > 0.25 * step * (1 + SS_TOL_TIME) && !s->warned) {
        ss_log(s->ctx, SS_LOG_WARNING,
               "reference: its states are up to %.3g s apart and steps are %.3g s: the measured errors may be those of "
               "interpolating it",
               spacing, step);
        s->warned = true;
    }
}

/* is it finer than the finest run? With tolerances the steps are not known beforehand. */
static ss_status check_spacing(study *s)
{
    const ss_converge_options *o = s->options;
    double spacing = ss_reference_spacing(s->reference, o->norm), least = INFINITY;
    for (int k = 0; k < o->values && !o->tolerances; k++) {
        least = fmin(least, o->value[k]);
    }
    if (spacing > least * (1 + SS_TOL_TIME)) {
        return ss_fail(s->ctx, SS_ERR_INPUT,
                       "reference: its states are up to %.9g s apart, more than the smallest step of %.9g s", spacing, least);
    }
    warn_of_spacing(s, least);
    return SS_OK;
}

/* ---- one row ----------------------------------------------------------------------------------------------------- */

static ss_status measure(study *s, ss_trajectory *run, ss_converge_row *row)
{
    const ss_error_options options = { .quantity = s->options->quantity, .norm = s->options->norm, .reference = s->reference };
    ss_error error;
    warn_of_spacing(s, s->result->until / fmax(1, (double)run->work.steps));
    SS_TRY(ss_error_of(s->ctx, &options, run, &error));
    row->error = error.value;
    row->round_off = error.value <= ROUNDINGS * DBL_EPSILON * sqrt((double)run->work.steps) * error.scale;
    return SS_OK;
}

static void note_work(const ss_summary *work, ss_converge_row *row)
{
    row->multiplier_evals = work->multiplier_evals;
    row->newton = work->newton;
    row->steps = work->steps;
    row->unconverged_steps = work->unconverged_steps;
    row->wall_s = work->wall_s;
}

/* progress of the whole study, from that of the run under way */
static void pass_on(void *user, const char *what, double part)
{
    const study *s = user;
    const ss_watch *watch = &s->options->base.watch;
    (void)what;
    watch->progress(watch->user, s->what, (s->done + part * s->own) / s->total);
}

static ss_status case_of(const study *s, int scheme, int value, ss_study_case *out)
{
    const ss_converge_options *o = s->options;
    *out = o->base;
    out->scheme = o->schemes > 0 ? o->scheme[scheme] : NULL;
    out->step = o->tolerances ? NAN : o->value[value];
    out->tol = o->tolerances ? o->value[value] : NAN;
    out->watch.progress = o->base.watch.progress ? pass_on : NULL;
    out->watch.user = (void *)s;
    return o->tolerances ? SS_OK : ss_study_divide(s->ctx, s->result->until, &out->step);
}

static double work_of(const study *s, int value)
{
    return s->options->tolerances ? 1 : s->result->until / s->options->value[value];
}

static ss_status run_row(study *s, int scheme, int value, ss_converge_scheme *out)
{
    ss_study_case c;
    ss_trajectory *run;
    ss_converge_row *row = &out->row[out->rows];
    row->value = s->options->value[value];
    row->ratio = row->order = NAN;
    s->own = work_of(s, value);
    snprintf(s->what, sizeof s->what, "%s, %s = %.6g", out->scheme, s->options->tolerances ? "tol" : "h", row->value);
    SS_TRY(case_of(s, scheme, value, &c));
    ss_status status = ss_trajectory_run(s->ctx, &c, &run, NULL);
    if (status != SS_OK) {
        return ss_fail_within(s->ctx, status, "%s", s->what);
    }
    note_work(&run->work, row);
    status = measure(s, run, row);
    ss_trajectory_destroy(run);
    SS_TRY(status);
    out->rows++;
    s->done += s->own;
    return SS_OK;
}

/* ---- orders ------------------------------------------------------------------------------------------------------- */

static bool is_fitted(const ss_converge_row *row) { return row->error > 0 && !row->round_off; }

static void pair_orders(ss_converge_scheme *s)
{
    for (int k = 1; k < s->rows; k++) {
        ss_converge_row *row = &s->row[k], *before = row - 1;
        if (is_fitted(row) && is_fitted(before)) {
            double steps = log(before->value / row->value);
            row->ratio = before->error / row->error;
            row->order = steps != 0 ? log(row->ratio) / steps : NAN;
        }
    }
}

static double fitted_order(const ss_converge_scheme *s)
{
    ss_slope slope = { 0 };
    for (int k = 0; k < s->rows; k++) {
        if (is_fitted(&s->row[k])) {
            ss_slope_add(&slope, s->row[k].value, s->row[k].error);
        }
    }
    return ss_slope_of(&slope);
}

/* ---- the study ---------------------------------------------------------------------------------------------------- */

static ss_status check_values(const study *s)
{
    const ss_converge_options *o = s->options;
    if (o->values < 1) {
        return ss_fail(s->ctx, SS_ERR_INPUT, "the list of %s is empty", o->tolerances ? "tolerances" : "steps");
    }
    for (int k = 0; k < o->values; k++) {
        double step = o->value[k];
        if (!(step > 0 && isfinite(step))) {
            return ss_fail(s->ctx, SS_ERR_INPUT, "%s %d: expected a number > 0, got %g", o->tolerances ? "tolerance" : "step",
                           k + 1, step);
        }
        SS_TRY(o->tolerances ? SS_OK : ss_study_divide(s->ctx, s->result->until, &step));
    }
    return SS_OK;
}

/* every scheme is set up once with the first step, or with each tolerance: what is wrong comes out before anything runs */
static ss_status check_schemes(study *s)
{
    int values = s->options->tolerances ? s->options->values : 1;
    for (int k = 0; k < s->result->schemes * values; k++) {
        ss_study_case c;
        SS_TRY(case_of(s, k / values, k % values, &c));
        SS_TRY(ss_study_case_try(s->ctx, &c));
    }
    return SS_OK;
}

/* Are all coordinates lengths, all velocities speeds? Then the error has a unit; angles among them leave it mixed. */
static const char *unit_of(const study *s, const ss_model *m)
{
    static const char *const lengths[SS_QUANTITIES][SS_NORMS] = { { "m", "m s", "m s^1/2", "m", "m" },
                                                                  { "m/s", "m", "m s^-1/2", "m/s", "m/s" } };
    for (int b = 0; b < m->bodies; b++) {
        if (m->body_q[b] >= 0 && m->body_type[b] != SS_BODY_PARTICLE) {
            return "SI";
        }
    }
    return lengths[s->options->quantity][s->options->norm];
}

static ss_status describe(study *s, const ss_model *m)
{
    const ss_converge_options *o = s->options;
    ss_convergence *c = s->result;
    c->norm = o->norm;
    c->quantity = o->quantity;
    c->tolerances = o->tolerances;
    c->until = m->settings.until;
    c->unit = unit_of(s, m);
    SS_TRY(ss_strdup(s->ctx, o->base.scene, &c->scene));
    SS_TRY(ss_strdup(s->ctx, o->reference ? o->reference : "exact", &c->reference));
    SS_TRY(ss_strdup(s->ctx, m->settings.name ? m->settings.name : o->base.scene, &c->title));
    c->schemes = o->schemes > 0 ? o->schemes : 1;
    SS_TRY(ss_calloc(s->ctx, (size_t)c->schemes, sizeof *c->scheme, &c->scheme));
    for (int k = 0; k < c->schemes; k++) {
        ss_converge_scheme *own = &c->scheme[k];
        const char *name = o->schemes > 0 ? o->scheme[k] : m->settings.scheme ? m->settings.scheme : SS_DEFAULT_SCHEME;
        own->order = NAN;
        SS_TRY(ss_strdup(s->ctx, name, &own->scheme));
        SS_TRY(ss_calloc(s->ctx, (size_t)o->values, sizeof *own->row, &own->row));
    }
    return SS_OK;
}

static ss_status prepare(study *s)
{
    const ss_converge_options *o = s->options;
    ss_study_case base = o->base;
    ss_scene *scene;
    ss_model *model;
    base.scheme = o->schemes > 0 ? o->scheme[0] : NULL;
    base.step = base.tol = NAN;
    SS_TRY(ss_study_case_open(s->ctx, &base, &scene, &model));
    ss_status status = describe(s, model);
    ss_model_destroy(model);
    ss_scene_destroy(scene);
    SS_TRY(status);
    SS_TRY(check_values(s));
    SS_TRY(check_schemes(s));
    SS_TRY(ss_reference_create(s->ctx, &base, o->reference, o->quantity, &s->reference));
    SS_TRY(check_spacing(s));
    for (int k = 0; k < o->values; k++) {
        s->total += work_of(s, k) * s->result->schemes;
    }
    return ss_strdup(s->ctx, ss_reference_exact_name(s->reference), &s->result->exact);
}

static ss_status run_all(study *s)
{
    for (int k = 0; k < s->result->schemes; k++) {
        ss_converge_scheme *own = &s->result->scheme[k];
        ss_status status = SS_OK;
        for (int i = 0; i < s->options->values && status == SS_OK; i++) {
            status = run_row(s, k, i, own);
        }
        pair_orders(own);
        own->order = fitted_order(own);
        SS_TRY(status);
    }
    return SS_OK;
}

ss_converge_options ss_converge_options_default(void) { return (ss_converge_options){ .base = ss_study_case_default() }; }

ss_status ss_converge(ss_context *ctx, const ss_converge_options *options, ss_convergence **out)
{
    study s = { .ctx = ctx, .options = options };
    *out = NULL;
    SS_TRY(ss_calloc(ctx, 1, sizeof *s.result, &s.result));
    s.result->ctx = ctx;
    ss_status status = prepare(&s);
    if (status != SS_OK) {
        ss_convergence_destroy(s.result);
    } else {
        status = run_all(&s);
        *out = s.result;
    }
    ss_reference_destroy(s.reference);
    return status;
}

void ss_convergence_destroy(ss_convergence *c)
{
    if (!c) {
        return;
    }
    for (int k = 0; c->scheme && k < c->schemes; k++) {
        ss_free(c->ctx, c->scheme[k].scheme);
        ss_free(c->ctx, c->scheme[k].row);
    }
    ss_free(c->ctx, c->scheme);
    ss_free(c->ctx, c->scene);
    ss_free(c->ctx, c->reference);
    ss_free(c->ctx, c->title);
    ss_free(c->ctx, c->exact);
    ss_free(c->ctx, c);
}
