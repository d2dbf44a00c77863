/* vicinity.c - the contacts that may matter within a stretch of time.
 *
 * Near is what two bodies can reach in h when each moves twice as fast as its fastest point does freely. Features
 * change along the way (a corner that slides over an edge meets what was not near at the start), so the end of a
 * stretch is looked at again, and overlaps found there join the next survey of the same stretch.
 *
 * A contact is slow when it approaches no faster than either body gains by its free acceleration in two steps. Not by
 * their relative acceleration: that of two stacked bodies is zero, and they would chatter. */
#include "kernels/vicinity.h"
#include "kernels/redundancy.h"
#include <math.h>

struct ss_vicinity_work {
    ss_context *ctx;
    ss_assembly *probe; /* normal rows of everything near, joints       */
    ss_redundancy *redundancy;
    ss_contact_set missed; /* contacts that only the end has shown         */
    ss_contact_set at_end;
    double *body_radius;        /* farthest point of a body's shapes, 0: none   */
    double *mass, *mass_factor; /* blocks of M and their Cholesky factors       */
    double *acceleration;       /* nv: of every body by its forces alone        */
    double *forces;             /* classes x nv                                 */
    int capacity[4];            /* of gap, outside, approach, slow              */
};

void ss_vicinity_destroy(ss_context *ctx, ss_vicinity *v)
{
    if (!v) {
        return;
    }
    struct ss_vicinity_work *w = v->work;
    if (w) {
        ss_assembly_destroy(ctx, w->probe);
        ss_redundancy_destroy(w->redundancy);
        ss_contacts_free(ctx, &w->missed);
        ss_contacts_free(ctx, &w->at_end);
        void *owned[] = { w->body_radius, w->mass, w->mass_factor, w->acceleration, w->forces };
        for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) {
            ss_free(ctx, owned[i]);
        }
        ss_free(ctx, w);
    }
    ss_contacts_free(ctx, &v->near);
    void *results[] = { v->gap, v->outside, v->approach, v->slow, v->joint_error };
    for (size_t i = 0; i < sizeof results / sizeof *results; i++) {
        ss_free(ctx, results[i]);
    }
    ss_free(ctx, v);
}

static ss_status fill(ss_context *ctx, const ss_model *m, ss_vicinity *v)
{
    struct ss_vicinity_work *w;
    int last = m->mass.blocks - 1;
    size_t mass_size = (size_t)(m->mass.start[last] + m->mass.size[last] * m->mass.size[last]);
    SS_TRY(ss_calloc(ctx, 1, sizeof *w, &v->work));
    w = v->work;
    w->ctx = ctx;
    SS_TRY(ss_assembly_create(ctx, m, &w->probe));
    SS_TRY(ss_redundancy_create(ctx, m, &w->redundancy));
    v->redundant = ss_redundancy_rows(w->redundancy);
    SS_TRY(ss_calloc(ctx, (size_t)m->nj, sizeof(double), &v->joint_error));
    SS_TRY(ss_calloc(ctx, mass_size, sizeof(double), &w->mass));
    SS_TRY(ss_calloc(ctx, mass_size, sizeof(double), &w->mass_factor));
    SS_TRY(ss_calloc(ctx, (size_t)m->nv, sizeof(double), &w->acceleration));
    SS_TRY(ss_calloc(ctx, (size_t)m->nv * SS_FORCE_CLASSES, sizeof(double), &w->forces));
    SS_TRY(ss_calloc(ctx, (size_t)m->bodies, sizeof(double), &w->body_radius));
    for (int i = 0; i < m->shapes; i++) {
        double radius = ss_shape_radius(&m->shape[i]), *of_body = &w->body_radius[m->shape_body[i]];
        *of_body = fmax(*of_body, isfinite(radius) ? radius : 0);
    }
    return SS_OK;
}

ss_status ss_vicinity_create(ss_context *ctx, const ss_model *m, ss_vicinity **out)
{
    SS_TRY(ss_calloc(ctx, 1, sizeof **out, out));
    ss_status status = fill(ctx, m, *out);
    if (status != SS_OK) {
        ss_vicinity_destroy(ctx, *out);
        *out = NULL;
    }
    return status;
}

void ss_vicinity_forget(ss_vicinity *v) { v->work->missed.n = 0; }

/* ---- how fast things move ------------------------------------------------------------------------- */

/* acceleration of every body by its forces alone */
static ss_status free_acceleration(struct ss_vicinity_work *w, const ss_model *m, const ss_config *here, const double *velocity)
{
    ss_blockdiag M = m->mass;
    M.x = w->mass;
    ss_model_mass(m, here->t, here->q, w->mass);
    SS_TRY(ss_blockdiag_factor(w->ctx, &M, w->mass_factor));
    ss_model_forces(m, here, velocity, w->forces);
    for (int i = 0; i < m->nv; i++) {
        w->acceleration[i] = 0;
        for (int kind = 0; kind < SS_FORCE_CLASSES; kind++) {
            w->acceleration[i] += w->forces[kind * m->nv + i];
        }
    }
    ss_blockdiag_solve(&M, w->mass_factor, w->acceleration);
    return SS_OK;
}

/* speed of the fastest point of a body that moves with `velocity` */
static double point_speed(const struct ss_vicinity_work *w, const ss_model *m, const ss_config *here, const double *velocity,
                          int body)
{
    ss_vec3 twist[2];
    ss_model_twist(m, here, velocity, body, twist);
    return ss_norm(twist[0]) + w->body_radius[body] * ss_norm(twist[1]);
}

static double point_acceleration(const struct ss_vicinity_work *w, const ss_model *m, const ss_config *here, int body)
{
    return ss_model_is_dynamic(m, body) ? point_speed(w, m, here, w->acceleration, body) : 0;
}

static double reach(const struct ss_vicinity_work *w, const ss_model *m, const ss_config *here, const double *velocity, double h)
{
    double fastest = 0;
    for (int b = 0; b < m->bodies; b++) {
        fastest = fmax(fastest, point_speed(w, m, here, velocity, b) + h * point_acceleration(w, m, here, b));
    }
    return 4 * h * fastest + 1e-6 * m->length;
}

/* speed that the free acceleration gives in h at contact k */
static double gained_speed(const ss_vicinity *v, const ss_model *m, const ss_config *here, int k, double h)
{
    const ss_contact *c = &v->near.c[k];
    const ss_problem *p = &v->work->probe->problem;
    if (c->id.kind != SS_CONTACT_SHAPES) { /* in the coordinate's own unit */
        return h * fabs(ss_csr_row_dot(&p->H, p->row[k], v->work->acceleration));
    }
    double a = point_acceleration(v->work, m, here, c->body[0]), b = point_acceleration(v->work, m, here, c->body[1]);
    return h * fmax(a, b);
}

/* ---- the survey ----------------------------------------------------------------------------------- */

static ss_status reserve(ss_vicinity *v, int n)
{
    double **list[] = { &v->gap, &v->outside, &v->approach, &v->slow };
    for (int i = 0; i < 4; i++) {
        SS_TRY(ss_reserve(v->work->ctx, list[i], &v->work->capacity[i], n, sizeof(double)));
    }
    return SS_OK;
}

ss_status ss_vicinity_survey(ss_vicinity *v, ss_stepper *s, const ss_config *here, const double *velocity, double h,
                             double threshold)
{
    const ss_model *m = s->model;
    struct ss_vicinity_work *w = v->work;
    ss_assembly *a = w->probe;
    SS_TRY(free_acceleration(w, m, here, velocity));
    SS_TRY(ss_finder_find(s->finder, here, reach(w, m, here, velocity, h), &v->near));
    SS_TRY(ss_contacts_merge(s->ctx, &v->near, &w->missed));
    SS_TRY(reserve(v, v->near.n));
    SS_TRY(ss_assembly_geometry(a, here, &v->near, v->near.n, NULL, (ss_friction){ .law = SS_LAW_UNILATERAL }, h));
    SS_TRY(ss_redundancy_find(w->redundancy, a));
    for (int i = 0; i < m->nj; i++) {
        v->joint_error[i] = a->g[i];
    }
    for (int k = 0; k < v->near.n; k++) {
        v->gap[k] = a->value[k].gap;
        v->outside[k] = a->value[k].outside;
        v->approach[k] = -ss_assembly_normal_velocity(a, k, velocity);
        v->slow[k] = fmax(threshold, gained_speed(v, m, here, k, 2 * s->h_nominal));
    }
    return SS_OK;
}

static bool is_near(const ss_vicinity *v, const ss_contact_id *id)
{
    for (int k = 0; k < v->near.n; k++) {
        if (ss_contact_id_compare(&v->near.c[k].id, id) == 0) {
            return true;
        }
    }
    return false;
}

ss_status ss_vicinity_look_again(ss_vicinity *v, ss_stepper *s, const ss_config *end, bool *found)
{
    ss_contact_set *set = &v->work->at_end;
    int n = 0;
    SS_TRY(ss_finder_find(s->finder, end, 0, set));
    for (int k = 0; k < set->n; k++) {
        ss_contact_value value;
        ss_contact_eval(s->model, end, &set->c[k], &value);
        bool overlaps = value.gap < -1e-9 * ss_contact_unit(s->model, &set->c[k]) && value.outside <= 0;
        if (overlaps && !is_near(v, &set->c[k].id)) {
            set->c[n++] = set->c[k];
        }
    }
    set->n = n;
    *found = n > 0;
    return ss_contacts_merge(s->ctx, &v->work->missed, set);
}

/* ---- how well joints and contacts fit --------------------------------------------------------------- */

static double joint_misfit(const ss_model *m, const double *g)
{
    double off = 0;
    for (int i = 0; i < m->nj; i++) {
        off = fmax(off, m->row_motor[i] ? 0 : fabs(g[i]) / m->length);
    }
    return off;
}

ss_status ss_vicinity_misfit(ss_vicinity *v, ss_stepper *s, const ss_config *end, int n, const int *which, double *out)
{
    const ss_model *m = s->model;
    ss_assembly *a = v->work->probe;
    SS_TRY(ss_model_joints(s->ctx, m, end, a->g, &a->problem.G, a->c_drive, a->target));
    *out = joint_misfit(m, a->g);
    for (int k = 0; k < n; k++) {
        const ss_contact *c = &v->near.c[which[k]];
        ss_contact_value value;
        ss_contact_eval(m, end, c, &value);
        *out = fmax(*out, -value.gap / ss_contact_unit(m, c));
    }
    return SS_OK;
}

double ss_vicinity_misfit_before(const ss_vicinity *v, const ss_model *m, int n, const int *which)
{
    double off = joint_misfit(m, v->joint_error);
    for (int k = 0; k < n; k++) {
        off = fmax(off, -v->gap[which[k]] / ss_contact_unit(m, &v->near.c[which[k]]));
    }
    return off;
}
