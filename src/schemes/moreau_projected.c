/* moreau_projected.c - Moreau's time stepping, whose positions are put back where nothing overlaps.
 *
 *     M (v' - v) = h F + G' lam + H' P,   0 <= U' + e U  _|_  P >= 0       as in moreau.c             [Aca09 eq. 19a, c, d]
 *     q' = q (+) h v_th (+) dq,   M dq = H' tau + G' mu                                               [Aca09 eq. 19b]
 *     0 <= g(q')  _|_  tau >= 0,   joints fit                                                         [Aca09 eq. 19e]
 *
 * dq is found by Newton's method: rows and gaps at q (+) dq0, a contact problem with u = H dq + g - H dq0, dq0 <- dq, until
 * nothing overlaps, and nothing that was pushed is apart, by more than the tolerance within which a gap counts as closed.
 *
 * Deviations   dq is the smallest displacement by mass; the paper's q' = .. + G tau has no unit of mass in it.
 *              tau is found after P, not together with it: velocities do not depend on tau within the step.
 *              A contact problem of positions may have no solution (a body wedged in); then the overlap stays and is reported
 *              as such.
 * Order        as moreau.c, but no overlap is left
 * Cost         a search for overlaps per step; one or two problems more in steps that end with one */
#include "kernels/theta.h"
#include <math.h>

enum { CORRECTIONS = 8 };

typedef struct projected_work {
    ss_theta *theta;
    ss_assembly *at; /* joints and contacts where positions are at hand */
    ss_contact_set near;
} projected_work;

/* Everything nearer than `reach` that lies on its features; *deepest: the largest overlap, in units of the gap. */
static ss_status look(projected_work *w, ss_stepper *s, const ss_config *c, double reach, double *deepest)
{
    int n = 0;
    *deepest = 0;
    SS_TRY(ss_finder_find(s->finder, c, reach, &w->near));
    for (int k = 0; k < w->near.n; k++) {
        const ss_contact *contact = &w->near.c[k];
        ss_contact_value value;
        ss_contact_eval(s->model, c, contact, &value);
        if (contact->id.kind != SS_CONTACT_MOTOR && value.outside <= 0) {
            *deepest = fmax(*deepest, -value.gap / ss_contact_unit(s->model, contact));
            w->near.c[n++] = *contact;
        }
    }
    w->near.n = n;
    return SS_OK;
}

/* Is a gap that was pushed open now more open than closed gaps are? */
static bool overshoots(const projected_work *w, const ss_stepper *s, const ss_config *c)
{
    const ss_assembly *a = w->at;
    bool found = false;
    for (int k = 0; k < a->problem.nc; k++) {
        ss_contact_value value;
        ss_contact_eval(s->model, c, &a->contacts.c[k], &value);
        found = found || (a->solution.r[k] > 0 && value.gap > ss_theta_touch(s) * ss_contact_unit(s->model, &a->contacts.c[k]));
    }
    return found;
}

/* u = H dq + (g - H dq0), joints G dq = G dq0 - g, where dq0 is how far positions have been moved */
static ss_status pose(projected_work *w, ss_stepper *s, const ss_config *c, const double *dq0)
{
    ss_assembly *a = w->at;
    ss_problem *p = &a->problem;
    SS_TRY(ss_assembly_geometry(a, c, &w->near, w->near.n, NULL, (ss_friction){ .law = SS_LAW_UNILATERAL }, 0));
    for (int k = 0; k < p->nc; k++) {
        double gap = a->value[k].gap;
        bool closed = fabs(gap) <= ss_theta_touch(s) * ss_contact_unit(s->model, &a->contacts.c[k]);
        p->w[k] = (closed ? 0 : gap) - ss_csr_row_dot(&p->H, k, dq0);
    }
    for (int i = 0; i < p->nj; i++) {
        p->c[i] = s->model->row_motor[i] ? 0 : ss_csr_row_dot(&p->G, i, dq0) - a->g[i];
    }
    return SS_OK;
}

static ss_status report(projected_work *w, ss_stepper *s, double t, const double *q0, const double *q1, const double *v)
{
    const ss_assembly *a = w->at;
    ss_segment segment = { .t0 = t,
                           .t1 = t,
                           .level = SS_LEVEL_POSITION,
                           .q0 = q0,
                           .v0 = v,
                           .q1 = q1,
                           .v1 = v,
                           .mass = &a->problem.M,
                           .problem = &a->problem,
                           .solution = &a->solution,
                           .info = &a->info,
                           .contacts = &a->contacts };
    return s->report->segment(s->report, &segment);
}

/* One Newton step: q = q0 (+) dq. *moved is false if there is no way out. */
static ss_status correct_once(projected_work *w, ss_stepper *s, const ss_config *c, const double *q0, double *dq, double *q,
                              bool *moved)
{
    SS_TRY(pose(w, s, c, dq));
    SS_TRY(ss_assembly_solve(w->at, s, NULL, 0));
    s->report->newton(s->report, 1);
    *moved = w->at->info.outcome == SS_CONVERGED;
    if (*moved) {
        memcpy(dq, w->at->solution.v, (size_t)s->model->nv * sizeof *dq);
        ss_model_retract(s->model, q0, dq, 1, q);
    }
    return SS_OK;
}

static ss_status correct(void *user, ss_stepper *s, double t, double *q, const double *v)
{
    projected_work *w = user;
    const ss_model *m = s->model;
    ss_config c;
    double *q0, *dq, deepest = 0, reach = 0;
    bool moved = true;
    int k = 0;
    SS_TRY(ss_arena_take(s->arena, (size_t)m->nq, sizeof *q0, &q0));
    SS_TRY(ss_arena_take(s->arena, (size_t)m->nv, sizeof *dq, &dq));
    SS_TRY(ss_config_take(s->arena, m, &c));
    memcpy(q0, q, (size_t)m->nq * sizeof *q0);
    for (; moved && k < CORRECTIONS; k++) {
        ss_config_set(m, t, q, &c);
        SS_TRY(look(w, s, &c, reach, &deepest));
        if (deepest <= ss_theta_touch(s) && (k == 0 || !overshoots(w, s, &c))) {
            break;
        }
        reach = fmax(reach, 2 * deepest * m->length); /* what may be pushed into */
        SS_TRY(look(w, s, &c, reach, &deepest));
        SS_TRY(correct_once(w, s, &c, q0, dq, q, &moved));
    }
    return k > 0 && moved ? report(w, s, t, q0, q, v) : SS_OK;
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

const ss_scheme_type ss_scheme_moreau_projected = {
    .info = { .name = "moreau_projected",
              .title = "Moreau's time stepping, positions projected",
              .reference = "Aca09",
              .order = { .smooth = 2, .impacts = 1, .norm = "l1", .overlap = 0 },
              .laws = SS_LAW_UNILATERAL | SS_LAW_POLYHEDRAL | SS_LAW_COULOMB | SS_LAW_BOUNDED | SS_LAW_NEWTON,
              .dimensions = 4 | 8,
              .fields = ss_theta_fields,
              .params_size = sizeof(ss_theta_params) },
    .create = create,
    .destroy = destroy,
    .step = step,
};
