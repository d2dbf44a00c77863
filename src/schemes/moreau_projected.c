/* moreau_projected.c - Moreau's time stepping, whose positions are put back where nothing overlaps.
 *
 *     M (v' - v) = h F + G' lam + H' P,   0 <= U' + e U  _|_  P >= 0       as in moreau.c             [Aca09 eq. 19a, c, d]
 *     q' = q (+) h v_th (+) dq,   M dq = H' tau + G' mu                                               [Aca09 eq. 19b]
 *     0 <= g(q')  _|_  tau >= 0,   joints fit                                                         [Aca09 eq. 19e]
 *
 * dq is found by Newton's method (newton.h): rows and gaps at q (+) dq0, a contact problem with u = H dq + g - H dq0, dq0 <- dq,
 * until nothing overlaps, and nothing that was pushed is apart, by more than the tolerance within which a gap counts as closed.
 *
 * Deviations   dq is the smallest displacement by mass; the paper's q' = .. + G tau has no unit of mass in it.
 *              tau is found after P, not together with it: velocities do not depend on tau within the step.
 *              A contact problem of positions may have no solution (a body wedged in); then the overlap stays and is reported
 *              as such.
 * Order        as moreau.c, but no overlap is left; velocities through an accumulation of impacts h log(1/h) (docs/moreau.md)
 * Cost         a search for overlaps per step; one or two problems more in steps that end with one */
#include "kernels/theta.h"
#include "math/newton.h"
#include <math.h>

enum { CORRECTIONS = 8 };

typedef struct projected_work {
    ss_theta *theta;
    ss_assembly *at; /* joints and contacts where positions are at hand */
    ss_contact_set near;
    /* of the correction under way */
    ss_stepper *s;
    const double *q0; /* where positions were      */
    double t, *q;     /* where they are now        */
    ss_config c;      /* of q                      */
    double deepest;   /* overlap there             */
    double reach;     /* within which contacts matter */
    bool pushed;      /* a problem has been solved */
} projected_work;

/* Everything nearer than the reach that lies on its features, and the largest overlap, in units of the gap. */
static ss_status look(projected_work *w)
{
    const ss_model *m = w->s->model;
    int n = 0;
    w->deepest = 0;
    SS_TRY(ss_finder_find(w->s->finder, &w->c, w->reach, &w->near));
    for (int k = 0; k < w->near.n; k++) {
        const ss_contact *contact = &w->near.c[k];
        ss_contact_value value;
        ss_contact_eval(m, &w->c, contact, &value);
        if (contact->id.kind != SS_CONTACT_MOTOR && value.outside <= 0) {
            w->deepest = fmax(w->deepest, -value.gap / ss_contact_unit(m, contact));
            w->near.c[n++] = *contact;
        }
    }
    w->near.n = n;
    return SS_OK;
}

/* The largest gap, in its unit, of what was pushed open. */
static double overshoot(const projected_work *w)
{
    const ss_assembly *a = w->at;
    double largest = 0;
    for (int k = 0; w->pushed && k < a->problem.nc; k++) {
        ss_contact_value value;
        ss_contact_eval(w->s->model, &w->c, &a->contacts.c[k], &value);
        largest = fmax(largest, a->solution.r[k] > 0 ? value.gap / ss_contact_unit(w->s->model, &a->contacts.c[k]) : 0);
    }
    return largest;
}

/* Which contacts overlap. */
static uint64_t overlapping(const projected_work *w)
{
    uint64_t set = 1;
    for (int k = 0; k < w->near.n; k++) {
        ss_contact_value value;
        ss_contact_eval(w->s->model, &w->c, &w->near.c[k], &value);
        if (value.gap < -ss_theta_touch(w->s) * ss_contact_unit(w->s->model, &w->near.c[k])) {
            set = ss_hash(set, &w->near.c[k].id, sizeof w->near.c[k].id);
        }
    }
    return set;
}

static ss_status measure(void *user, const double *dq, double *off, uint64_t *branch)
{
    projected_work *w = user;
    ss_model_retract(w->s->model, w->q0, dq, 1, w->q);
    ss_config_set(w->s->model, w->t, w->q, &w->c);
    SS_TRY(look(w));
    *off = fmax(w->deepest, overshoot(w));
    *branch = overlapping(w);
    return SS_OK;
}

/* u = H dq + (g - H dq0), joints G dq = G dq0 - g, where dq0 is how far positions have been moved */
static ss_status pose(projected_work *w, const double *dq0)
{
    const ss_model *m = w->s->model;
    ss_assembly *a = w->at;
    ss_problem *p = &a->problem;
    SS_TRY(ss_assembly_geometry(a, &w->c, &w->near, w->near.n, NULL, (ss_friction){ .law = SS_LAW_UNILATERAL }, 0));
    for (int k = 0; k < p->nc; k++) {
        double gap = a->value[k].gap;
        bool closed = fabs(gap) <= ss_theta_touch(w->s) * ss_contact_unit(m, &a->contacts.c[k]);
        p->w[k] = (closed ? 0 : gap) - ss_csr_row_dot(&p->H, k, dq0);
    }
    for (int i = 0; i < p->nj; i++) {
        p->c[i] = m->row_motor[i] ? 0 : ss_csr_row_dot(&p->G, i, dq0) - a->g[i];
    }
    return SS_OK;
}

/* *found false: there is no way out */
static ss_status improve(void *user, const double *dq, double *target, bool *found)
{
    projected_work *w = user;
    w->reach = fmax(w->reach, 2 * w->deepest * w->s->model->length); /* what may be pushed into */
    SS_TRY(look(w));
    SS_TRY(pose(w, dq));
    SS_TRY(ss_assembly_solve(w->at, w->s, NULL, 0));
    w->s->report->newton(w->s->report, 1);
    *found = w->at->info.outcome == SS_CONVERGED;
    w->pushed = w->pushed || *found;
    memcpy(target, w->at->solution.v, (size_t)w->s->model->nv * sizeof *target);
    return SS_OK;
}

static ss_status report(const projected_work *w, const double *v)
{
    const ss_assembly *a = w->at;
    ss_segment segment = { .t0 = w->t,
                           .t1 = w->t,
                           .level = SS_LEVEL_POSITION,
                           .q0 = w->q0,
                           .v0 = v,
                           .q1 = w->q,
                           .v1 = v,
                           .mass = &a->problem.M,
                           .problem = &a->problem,
                           .solution = &a->solution,
                           .info = &a->info,
                           .contacts = &a->contacts };
    return w->s->report->segment(w->s->report, &segment);
}

static ss_status correct(void *user, ss_stepper *s, double t, double *q, const double *v)
{
    projected_work *w = user;
    const ss_model *m = s->model;
    const ss_newton_problem problem = { m->nv, w, measure, improve, NULL };
    const ss_newton_options options = { .tol = ss_theta_touch(s), .iterations = CORRECTIONS };
    ss_newton_result result;
    double *q0, *dq;
    SS_TRY(ss_arena_take(s->arena, (size_t)m->nq, sizeof *q0, &q0));
    SS_TRY(ss_arena_take(s->arena, (size_t)m->nv, sizeof *dq, &dq));
    SS_TRY(ss_config_take(s->arena, m, &w->c));
    memcpy(q0, q, (size_t)m->nq * sizeof *q0);
    w->s = s;
    w->t = t;
    w->q0 = q0;
    w->q = q;
    w->reach = 0;
    w->pushed = false;
    SS_TRY(ss_newton(s->arena, &problem, &options, dq, &result));
    if (result.iterations == 0) {
        memcpy(q, q0, (size_t)m->nq * sizeof *q);
        return SS_OK;
    }
    return report(w, v);
}

/* ---- the scheme ----------------------------------------------------------------------------------- */

static ss_status step(ss_stepper *s, double h)
{
    projected_work *w = s->work;
    return ss_theta_step(w->theta, s, h, correct, w);
}

static void destroy(ss_context *ctx, void *work)
{
    projected_work *w = work;
    if (w) {
        ss_theta_destroy(ctx, w->theta);
        ss_assembly_destroy(ctx, w->at);
        ss_contacts_free(ctx, &w->near);
        ss_free(ctx, w);
    }
}

static ss_status create(ss_stepper *s, void **work, double *block)
{
    projected_work *w;
    (void)block;
    SS_TRY(ss_calloc(s->ctx, 1, sizeof *w, &w));
    *work = w;
    SS_TRY(ss_theta_create(s, s->params, &w->theta));
    return ss_assembly_create(s->ctx, s->model, &w->at);
}

static ss_order order(const void *params) { return ss_theta_order(params, 0); }

const ss_scheme_type ss_scheme_moreau_projected = {
    .info = { .name = "moreau_projected",
              .title = "Moreau's time stepping, positions projected",
              .reference = "Aca09",
              .order = { .smooth = 2, .impacts = 1, .norm = "l1", .overlap = 0 },
              .laws = SS_LAW_UNILATERAL | SS_LAW_POLYHEDRAL | SS_LAW_COULOMB | SS_LAW_BOUNDED | SS_LAW_NEWTON | SS_LAW_INELASTIC,
              .dimensions = 4 | 8,
              .fields = ss_theta_fields,
              .params_size = sizeof(ss_theta_params) },
    .order = order,
    .create = create,
    .destroy = destroy,
    .step = step,
};
