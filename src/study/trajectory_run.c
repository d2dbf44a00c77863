/* trajectory_run.c - a run recorded in memory while it goes on.
 *
 * Rows are the initial state, the end of every step and, for every event with velocities before and after it, two rows at
 * its time: the filled-in graph of a run [Aca09 eq. 20] has the jump where it was, not smeared over a step. An event whose
 * position is not known gets it by linear interpolation between the row before it and the end of its step.
 *
 * Times never go back: an event's time is kept between the row before it and the end of its step, which it can leave by
 * round-off only. Memory is proportional to the number of rows and grows by half of itself. */
#include "study/trajectory.h"

#include "sim/sim.h"
#include <math.h>

/* ---- rows -------------------------------------------------------------------------------------------- */

typedef struct recorder {
    ss_trajectory *x;
    int rows_t, rows_q, rows_v, rows_figure, rows_inside; /* room */
    const ss_study_case *study_case;
    double until, told; /* told: how far the caller knows we are */
    ss_record *record;  /* NULL: nobody asks for JSON            */
} recorder;

static double *row_of(double *table, int k, int n) { return table + (size_t)k * (size_t)n; }

/* a new last row, with time, velocity and kind; position and figures are left to the caller */
static ss_status add_row(recorder *r, double t, const double *v, bool inside)
{
    ss_trajectory *x = r->x;
    int n = x->n + 1;
    SS_TRY(ss_reserve(x->ctx, &x->t, &r->rows_t, n, sizeof *x->t));
    SS_TRY(ss_reserve(x->ctx, &x->q, &r->rows_q, n, ss_trajectory_row_bytes(x->nq)));
    SS_TRY(ss_reserve(x->ctx, &x->v, &r->rows_v, n, ss_trajectory_row_bytes(x->nv)));
    SS_TRY(ss_reserve(x->ctx, &x->figure, &r->rows_figure, n, ss_trajectory_row_bytes(SS_FIGURES + x->nr)));
    SS_TRY(ss_reserve(x->ctx, &x->inside, &r->rows_inside, n, sizeof *x->inside));
    x->t[n - 1] = t;
    memcpy(row_of(x->v, n - 1, x->nv), v, (size_t)x->nv * sizeof *v);
    x->inside[n - 1] = inside;
    x->n = n;
    return SS_OK;
}

/* of all contacts of the last step, over its length; motors push nothing apart */
static double sum_of_normal_forces(const ss_sim *sim)
{
    double sum = 0;
    for (int k = 0; k < ss_sim_contact_count(sim); k++) {
        ss_contact_info contact;
        sum += ss_sim_contact(sim, k, &contact) == SS_OK ? contact.force[0] : 0;
    }
    return sum;
}

/* of the contacts that the scheme has solved at position level in the last step: impulses that change positions alone, kg m */
static double sum_of_displacing_impulses(const ss_sim *sim)
{
    const ss_contact_cache_list *list = &sim->now.cache.level[SS_LEVEL_POSITION];
    double sum = 0;
    for (int k = 0; k < list->n; k++) {
        sum += list->entry[k].normal;
    }
    return sum;
}

static void set_reactions(const ss_sim *sim, double *reaction)
{
    double rows[6];
    for (int j = 0; j < sim->model->joints; j++) {
        const int n = ss_sim_joint_reaction(sim, j, rows);
        memcpy(reaction, rows, (size_t)n * sizeof *rows);
        reaction += n;
    }
}

/* Impulses of the joints that change positions alone, kg m. A motor of limited force has none. */
static void set_displacing(const ss_sim *sim, double *out)
{
    for (int j = 0; j < sim->model->joints; j++) {
        const ss_joint *joint = &sim->model->joint[j];
        const int own = joint->rows + joint->motor.row;
        for (int k = 0; k < ss_model_joint_rows(sim->model, j); k++) {
            *out++ = k < own ? sim->last->reactions.displacing[joint->first_row + k] : 0;
        }
    }
}

static void set_figures(double *figure, int nr, const ss_sim *sim, const ss_step_info *info)
{
    figure[SS_FIGURE_kinetic] = info->kinetic;
    figure[SS_FIGURE_potential] = info->potential;
    figure[SS_FIGURE_energy] = info->kinetic + info->potential;
    figure[SS_FIGURE_residual] = info->residual.contact;
    figure[SS_FIGURE_penetration] = info->penetration;
    figure[SS_FIGURE_joint_error] = info->joint_error;
    figure[SS_FIGURE_contacts] = info->contacts;
    figure[SS_FIGURE_normal_force] = sum_of_normal_forces(sim);
    figure[SS_FIGURE_displacing_impulse] = sum_of_displacing_impulses(sim);
    set_reactions(sim, figure + SS_FIGURES);
    set_displacing(sim, figure + SS_FIGURES + nr / 2);
}

static ss_status add_end(recorder *r, const ss_sim *sim, const ss_step_info *info)
{
    ss_trajectory *x = r->x;
    SS_TRY(add_row(r, ss_sim_time(sim), ss_sim_v(sim), false));
    memcpy(row_of(x->q, x->n - 1, x->nq), ss_sim_q(sim), (size_t)x->nq * sizeof *x->q);
    set_figures(row_of(x->figure, x->n - 1, SS_FIGURES + x->nr), x->nr, sim, info);
    return SS_OK;
}

/* q at a fraction s of the way from q0 to q1 */
static void interpolate(const ss_trajectory *x, const double *q0, const double *q1, double s, double *q)
{
    for (int k = 0; k < x->nq; k++) {
        q[k] = (1 - s) * q0[k] + s * q1[k];
    }
    for (int k = 0; k < x->nq; k++) {
        if (x->quat[k] == k) {
            double size = sqrt(q[k] * q[k] + q[k + 1] * q[k + 1] + q[k + 2] * q[k + 2] + q[k + 3] * q[k + 3]);
            for (int i = 0; i < 4 && size > 0; i++) {
                q[k + i] /= size;
            }
        }
    }
}

/* one side of a jump; the sim stands at the end of the step already */
static ss_status add_side(recorder *r, const ss_sim *sim, const ss_event *event, const double *v)
{
    ss_trajectory *x = r->x;
    double before = x->t[x->n - 1], end = ss_sim_time(sim), t = fmin(fmax(event->t, before), end);
    SS_TRY(add_row(r, t, v, true));
    double *q = row_of(x->q, x->n - 1, x->nq), *figure = row_of(x->figure, x->n - 1, SS_FIGURES + x->nr);
    if (event->q) {
        memcpy(q, event->q, (size_t)x->nq * sizeof *q);
    } else {
        interpolate(x, q - x->nq, ss_sim_q(sim), end > before ? (t - before) / (end - before) : 1, q);
    }
    memcpy(figure, figure - SS_FIGURES - x->nr, (size_t)(SS_FIGURES + x->nr) * sizeof *figure);
    return SS_OK;
}

static ss_status on_event(void *user, const ss_sim *sim, const ss_event *event)
{
    recorder *r = user;
    if (event->v_minus && event->v_plus) {
        SS_TRY(add_side(r, sim, event, event->v_minus));
        SS_TRY(add_side(r, sim, event, event->v_plus));
    }
    return r->record ? ss_record_event(r->record, sim, event) : SS_OK;
}

/* calls the progress function at most a thousand times per run */
static void tell_progress(recorder *r, const ss_sim *sim, double t)
{
    const ss_watch *watch = &r->study_case->watch;
    double part = r->until > 0 ? fmin(t / r->until, 1) : 1;
    if (watch->progress && part >= r->told + 1e-3) {
        r->told = part;
        watch->progress(watch->user, ss_sim_scheme(sim), part);
    }
}

static ss_status on_step(void *user, const ss_sim *sim, const ss_step_info *info)
{
    recorder *r = user;
    if (r->record) {
        ss_record_step(r->record, info);
    }
    tell_progress(r, sim, info->t);
    return add_end(r, sim, info);
}

/* ---- running ------------------------------------------------------------------------------------------- */

static ss_status advance(recorder *r, ss_sim *sim, const ss_study_case *c, bool wants_json, char **text)
{
    ss_trajectory *x = r->x;
    const ss_observer observer = { .user = r, .on_step = on_step, .on_event = on_event };
    if (wants_json) {
        SS_TRY(ss_record_create(x->ctx, sim, true, &r->record));
    }
    SS_TRY(add_end(r, sim, ss_sim_last_step(sim)));
    SS_TRY(ss_sim_observe(sim, &observer));
    SS_TRY(ss_sim_advance(sim, r->until));
    x->work = *ss_sim_summary(sim);
    return wants_json ? ss_record_to_json(r->record, sim, c->scene, "done", NULL, text) : SS_OK;
}

static ss_status run_model(ss_context *ctx, const ss_study_case *c, const ss_model *model, ss_trajectory **out, char **json)
{
    ss_sim *sim = NULL;
    recorder r = { .study_case = c, .until = ss_model_settings(model)->until };
    ss_status status = ss_trajectory_describe(ctx, model, &r.x);
    status = status == SS_OK ? ss_study_case_sim(ctx, c, model, &sim) : status;
    status = status == SS_OK ? advance(&r, sim, c, json != NULL, json) : status;
    ss_record_destroy(r.record);
    ss_sim_destroy(sim);
    if (status != SS_OK) {
        ss_trajectory_destroy(r.x);
        return status;
    }
    *out = r.x;
    return SS_OK;
}

ss_status ss_trajectory_run(ss_context *ctx, const ss_study_case *c, ss_trajectory **out, char **json)
{
    ss_scene *scene;
    ss_model *model;
    *out = NULL;
    if (json) {
        *json = NULL;
    }
    SS_TRY(ss_study_case_open(ctx, c, &scene, &model));
    ss_status status = run_model(ctx, c, model, out, json);
    ss_model_destroy(model);
    ss_scene_destroy(scene);
    return status;
}
