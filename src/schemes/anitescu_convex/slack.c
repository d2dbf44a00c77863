/* slack.c - how far contacts of a survey stay clear of their dual friction cones in a step.
 *
 *     slack = Phi + h (n'(v - v_there) - mu |v_T| - m_r |w_T| - m_s |w_N|)            [Ani06 eq. 5.3, 5.5]
 *
 * with gap Phi, normal n, slip v_T and relative angular velocity w at a configuration, to which v_there leads from the start. It
 * is < 0 where a program with this contact would change the velocity v. |v_T| is measured by the polygon of friction where the
 * cone is polyhedral; m_r and m_s are the lengths of rolling and spinning friction.
 *
 * Velocities of contacts of shapes are found without their rows, on all threads; values at the start are those of the survey.
 * Cost   one value, at the start none, and up to four velocities per contact */
#include "schemes/anitescu_convex/slack.h"
#include "base/parallel.h"
#include "contact/moment.h"
#include "math/cones.h"
#include <math.h>

enum { GRAIN = 512 }; /* contacts that one thread takes at a time */

typedef struct search {
    const ss_slack_step *step;
    const ss_model *m;
    const int *which;
    double *slack;
    double *polygon; /* for each range the directions of one contact */
    int directions;  /* of a polygon; 0: the cone is circular        */
} search;

/* |u_T| of a contact, as its cone measures it; u begins with the normal velocity */
static double slip_of(const search *x, const ss_contact *c, int rows, const double *u, double *polygon)
{
    if (x->directions == 0) {
        return hypot(u[1], rows > 2 ? u[2] : 0);
    }
    ss_friction_polygon(x->m->dimension, c->mu, x->directions, polygon);
    return ss_polygon_slip(rows, x->directions, polygon, u + 1);
}

/* m_r |w_T| + m_s |w_N| of a contact of shapes with friction, taken from u */
static double less_moments(const search *x, const ss_contact *c, const ss_contact_value *value, double u)
{
    static const ss_contact_kind kind[2] = { SS_CONTACT_ROLLING, SS_CONTACT_SPINNING };
    ss_contact moment;
    for (int i = 0; i < 2; i++) {
        if (ss_contact_arm(c, i) > 0 && ss_contact_moment(x->m, c, kind[i], &moment)) {
            u -= moment.mu[0] * ss_moment_speed(x->m, x->step->at, &moment, value, x->step->v);
        }
    }
    return u;
}

/* the slack of a contact that has these velocities u, and `rate` along its normal with v_there */
static double slack_of(const search *x, const ss_contact *c, double gap, int rows, const double *u, double rate, double *polygon)
{
    const double lift = rows > 1 ? fmax(c->mu[0], c->mu[1]) * slip_of(x, c, rows, u, polygon) : 0;
    return gap + x->step->h * (u[0] - rate - lift);
}

static double slack_of_shapes(const search *x, int k, double *polygon)
{
    const ss_slack_step *s = x->step;
    const ss_contact *c = &s->around->near.c[k];
    const int rows = ss_contact_count_rows(x->m, c, s->friction.law != SS_LAW_UNILATERAL);
    ss_contact_value there;
    const ss_contact_value *value = s->v_there ? &there : &ss_vicinity_values(s->around)[k];
    double u[3];
    if (s->v_there) {
        ss_contact_eval_shapes(x->m, s->at, c, &there);
    }
    ss_contact_velocities(x->m, s->at, c, value, rows, s->v, u);
    u[0] = rows > 1 ? less_moments(x, c, value, u[0]) : u[0];
    const double rate = s->v_there ? ss_contact_velocity(x->m, s->at, c, value, 0, s->v_there) : 0;
    return slack_of(x, c, value->gap, rows, u, rate, polygon);
}

static void find_range(void *data, int begin, int end)
{
    const search *x = data;
    double *polygon = x->polygon + 2 * (size_t)x->directions * (size_t)(begin / GRAIN);
    for (int i = begin; i < end; i++) {
        x->slack[i] = slack_of_shapes(x, x->which[i], polygon);
    }
}

/* one that is not of shapes, by its rows */
static ss_status find_other(ss_context *ctx, const search *x, const ss_contact *c, double *slack)
{
    const ss_slack_step *s = x->step;
    ss_csr *row = s->rows;
    ss_contact_value value;
    double u[3], drive[3];
    int rows;
    ss_csr_reset(row, x->m->nv);
    SS_TRY(ss_contact_eval(ctx, x->m, s->at, c, &value));
    SS_TRY(ss_contact_rows(ctx, x->m, s->at, c, &value, s->friction.law != SS_LAW_UNILATERAL, row, drive, &rows));
    for (int i = 0; i < rows; i++) {
        u[i] = ss_csr_row_dot(row, i, s->v) + drive[i];
    }
    *slack = slack_of(x, c, value.gap, rows, u, s->v_there ? ss_csr_row_dot(row, 0, s->v_there) + drive[0] : 0, x->polygon);
    return SS_OK;
}

ss_status ss_slack_find(ss_stepper *s, const ss_slack_step *step, int n, const int *which, double *slack)
{
    const ss_vicinity *around = step->around;
    const bool polygonal = ss_friction_is_polygonal(step->friction);
    search x = { .step = step, .m = s->model, .which = which, .slack = slack };
    x.directions = polygonal ? (s->model->dimension == 2 ? 2 : step->friction.directions) : 0;
    const int shapes = ss_vicinity_count_shapes(around, n, which);
    SS_TRY(ss_arena_take_raw(s->arena, 2 * (size_t)x.directions * (size_t)(shapes / GRAIN + 1), sizeof *x.polygon, &x.polygon));
    ss_parallel_for(s->ctx, shapes, GRAIN, find_range, &x);
    for (int i = shapes; i < n; i++) {
        SS_TRY(find_other(s->ctx, &x, &around->near.c[which[i]], &slack[i]));
    }
    return SS_OK;
}
