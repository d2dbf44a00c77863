/* assembly.c - contacts and joints at a configuration -> the one-step problem of design section 1.
 *
 *     M v - G' lam - H' r = b,   G v = c,   u = H v + w
 *
 * A friction polygon of a contact with coefficients mu_1 (along t1) and mu_2 (along t2) has the vertices
 * mu (a_1 cos phi, a_2 sin phi), mu = max(mu_1, mu_2), a_i = mu_i/mu, phi = 2 pi k / n: the columns of D
 * in [AP97 eq. 2.5]; an ellipse where the coefficients differ [AP97 section 2.1]. In 2D D = (1, -1).
 * Moments of rolling and spinning friction are contacts of their own, bounded by the normal impulse of their host.
 * The impulse of a motor with a bound on its force, and of the dry friction of a joint, is bounded by that force times h. */
#include "kernels/assembly.h"
#include "problem/contact_law.h"
#include <math.h>

#define PI 3.14159265358979323846

ss_status ss_assembly_create(ss_context *ctx, const ss_model *m, ss_assembly **out)
{
    SS_TRY(ss_calloc(ctx, 1, sizeof **out, out));
    ss_assembly *a = *out;
    a->ctx = ctx;
    a->model = m;
    size_t nv = (size_t)m->nv, nj = (size_t)m->nj;
    size_t mass_size = ss_model_mass_size(m) * (m->massless.m > 0 ? 2 : 1); /* M, and a scale where that is another matrix */
    a->problem = ss_problem_make(m->dimension);
    a->mass = m->mass;
    a->mass.diagonal.x = NULL;
    double **vectors[] = { &a->problem.b, &a->solution.v, &a->problem.c, &a->solution.lam,
                           &a->g,         &a->target,     &a->c_drive,   &a->mass.diagonal.x };
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        size_t n = i < 2 ? nv : i < 7 ? nj : mass_size;
        ss_status status = ss_calloc(ctx, n, sizeof(double), vectors[i]);
        if (status != SS_OK) {
            ss_assembly_destroy(ctx, a);
            *out = NULL;
            return status;
        }
    }
    a->problem.nv = m->nv;
    a->problem.nj = m->nj;
    return SS_OK;
}

void ss_assembly_destroy(ss_context *ctx, ss_assembly *a)
{
    if (!a) {
        return;
    }
    ss_csr_free(ctx, &a->problem.G);
    ss_csr_free(ctx, &a->problem.H);
    ss_contacts_free(ctx, &a->contacts);
    void *owned[] = { a->problem.b,
                      a->problem.c,
                      a->problem.w,
                      a->problem.row,
                      a->problem.law,
                      a->problem.mu,
                      a->problem.dir,
                      a->problem.direction,
                      a->solution.v,
                      a->solution.lam,
                      a->solution.r,
                      a->solution.u,
                      a->solution.basis,
                      a->value,
                      a->g,
                      a->target,
                      a->w_drive,
                      a->w_stabilise,
                      a->c_drive,
                      a->mass.diagonal.x,
                      a->problem.compliance,
                      a->room.host };
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) {
        ss_free(ctx, owned[i]);
    }
    ss_free(ctx, a);
}

/* Grow several arrays that share one capacity. */
static ss_status reserve_together(ss_context *ctx, int count, void *const *arrays, const size_t *sizes, int *capacity, int need)
{
    if (need <= *capacity) {
        return SS_OK;
    }
    int grown = *capacity;
    for (int i = 0; i < count; i++) {
        grown = *capacity;
        SS_TRY(ss_reserve(ctx, arrays[i], &grown, need, sizes[i]));
    }
    *capacity = grown;
    return SS_OK;
}

static ss_status reserve(ss_assembly *a, int contacts, int directions)
{
    ss_problem *p = &a->problem;
    void *per_contact[] = { &a->contacts.c, &a->value,          &p->row,      &p->law, &p->mu, &p->dir,
                            &p->compliance, &a->solution.basis, &a->room.host };
    const size_t contact_sizes[] = { sizeof *a->contacts.c, sizeof *a->value, sizeof *p->row,        sizeof *p->law,
                                     sizeof *p->mu,         sizeof *p->dir,   sizeof *p->compliance, sizeof *a->solution.basis,
                                     sizeof *a->room.host };
    SS_TRY(reserve_together(a->ctx, 9, per_contact, contact_sizes, &a->room.contacts, contacts + 1));
    void *per_row[] = { &p->w, &a->w_drive, &a->w_stabilise, &a->solution.r, &a->solution.u };
    const size_t row_sizes[] = { sizeof(double), sizeof(double), sizeof(double), sizeof(double), sizeof(double) };
    SS_TRY(reserve_together(a->ctx, 5, per_row, row_sizes, &a->room.rows, 3 * contacts));
    return ss_reserve(a->ctx, &p->direction, &a->room.directions, 2 * directions * contacts, sizeof *p->direction);
}

/* columns of D, as components on the tangents [AP97 eq. 2.5] */
static void put_polygon(ss_problem *p, int k, const ss_contact *contact, int directions)
{
    double *d = p->direction + 2 * (size_t)p->dir[k];
    double largest = p->mu[k];
    for (int j = 0; j < directions; j++) {
        double phi = 2 * PI * j / directions;
        bool opposite = j >= directions / 2; /* exactly minus the first half: d and -d are both there */
        d[2 * j] = opposite ? -d[2 * (j - directions / 2)] : contact->mu[0] / largest * cos(phi);
        d[2 * j + 1] = opposite ? -d[2 * (j - directions / 2) + 1] : p->dimension == 2 ? 0 : contact->mu[1] / largest * sin(phi);
    }
    p->dir[k + 1] = p->dir[k] + directions;
}

/* law, coefficient and polygon of contact k, which has `rows` rows */
static void put_law(ss_problem *p, int k, const ss_contact *contact, int rows, ss_friction friction, double h, const ss_model *m)
{
    p->dir[k + 1] = p->dir[k];
    p->compliance[k] = contact->id.kind == SS_CONTACT_SHAPES; /* joints have none */
    if (contact->id.kind == SS_CONTACT_MOTOR) {
        p->law[k] = SS_LAW_BOUNDED;
        p->mu[k] = h * contact->mu[0];
    } else if (ss_contact_is_moment(contact)) {
        p->law[k] = SS_LAW_ROLLING;
        p->mu[k] = contact->mu[0];
    } else if (rows == 1) {
        p->law[k] = SS_LAW_UNILATERAL;
        p->mu[k] = 0;
    } else {
        p->law[k] = friction.law;
        p->mu[k] = fmax(contact->mu[0], contact->mu[1]);
        if (ss_friction_is_polygonal(friction)) {
            put_polygon(p, k, contact, m->dimension == 2 ? 2 : friction.directions);
        }
    }
}

static ss_status put_contact(ss_assembly *a, const ss_config *c, const ss_contact *contact, ss_friction friction, double h)
{
    ss_problem *p = &a->problem;
    int k = p->nc, rows = 0;
    a->contacts.c[k] = *contact;
    SS_TRY(ss_contact_eval(a->ctx, a->model, c, contact, &a->value[k]));
    SS_TRY(ss_contact_rows(a->ctx, a->model, c, contact, &a->value[k], friction.law != SS_LAW_UNILATERAL, &p->H,
                           a->w_drive + p->row[k], &rows));
    p->row[k + 1] = p->row[k] + rows;
    put_law(p, k, contact, rows, friction, h, a->model);
    a->solution.basis[k] = 0;
    a->contacts.n = p->nc = k + 1;
    return SS_OK;
}

static const ss_contact_kind moment_kinds[2] = { SS_CONTACT_ROLLING, SS_CONTACT_SPINNING };

static int count_moments(const ss_model *m, const ss_contact_set *set, int n, const int *which)
{
    int count = 0;
    ss_contact moment;
    for (int k = 0; k < 2 * n; k++) {
        count += ss_contact_moment(m, &set->c[which ? which[k / 2] : k / 2], moment_kinds[k % 2], &moment);
    }
    return count;
}

/* behind the n contacts that have been put, by kind and then as their hosts: so they are sorted */
static ss_status put_moments(ss_assembly *a, const ss_config *c, int n, ss_friction friction, double h)
{
    ss_contact moment;
    for (int k = 0; k < 2 * n; k++) {
        const int host = k % n;
        if (ss_contact_moment(a->model, &a->contacts.c[host], moment_kinds[k / n], &moment)) {
            a->room.host[a->problem.nc] = host;
            SS_TRY(put_contact(a, c, &moment, friction, h));
        }
    }
    return SS_OK;
}

/* An emptied row, with 0 on its right side, gets no multiplier; the pattern of G stays. */
void ss_assembly_leave_out(ss_assembly *a)
{
    ss_problem *p = &a->problem;
    for (int i = 0; a->redundant && i < p->nj; i++) {
        for (int k = p->G.p[i]; a->redundant[i] && k < p->G.p[i + 1]; k++) {
            p->G.x[k] = 0;
        }
        if (a->redundant[i]) {
            a->c_drive[i] = a->target[i] = p->c[i] = 0;
        }
    }
}

/* A = M. A scheme may add to A afterwards: it is set anew here. Where velocities have no mass, A = B - D (model/massless.c). */
static void put_mass(ss_assembly *a)
{
    ss_problem *p = &a->problem;
    const ss_model *m = a->model;
    p->A = a->mass;
    p->scale = a->mass.diagonal;
    if (m->massless.m > 0) {
        const size_t size = ss_model_mass_size(m);
        p->scale.x = a->mass.diagonal.x + size;
        memcpy(p->scale.x, a->mass.diagonal.x, size * sizeof *p->scale.x);
        ss_model_mass_scale(m, p->scale.x);
        p->A = (ss_matrix){ .diagonal = p->scale, .sparse = m->massless, .symmetric = false };
    }
}

ss_status ss_assembly_geometry(ss_assembly *a, const ss_config *c, const ss_contact_set *set, int n, const int *which,
                               ss_friction friction, double h)
{
    ss_problem *p = &a->problem;
    const ss_model *m = a->model;
    const int moments = friction.law != SS_LAW_UNILATERAL ? count_moments(m, set, n, which) : 0;
    SS_TRY(reserve(a, n + moments, m->dimension == 2 ? 2 : friction.directions));
    SS_TRY(ss_model_mass(a->ctx, m, c->t, c->q, a->mass.diagonal.x));
    put_mass(a);
    SS_TRY(ss_model_joints(a->ctx, m, c, a->g, &p->G, a->c_drive, a->target));
    for (int i = 0; i < m->nj; i++) {
        a->c_drive[i] = -a->c_drive[i]; /* G v + drive = target */
        p->c[i] = a->target[i] + a->c_drive[i];
        a->solution.lam[i] = 0;
    }
    ss_assembly_leave_out(a);
    ss_csr_reset(&p->H, m->nv);
    p->nc = a->contacts.n = 0;
    p->row[0] = p->dir[0] = 0;
    for (int k = 0; k < n; k++) {
        SS_TRY(put_contact(a, c, &set->c[which ? which[k] : k], friction, h));
    }
    SS_TRY(moments > 0 ? put_moments(a, c, n, friction, h) : SS_OK);
    p->host = moments > 0 ? a->room.host : NULL;
    for (int i = 0; i < p->row[p->nc]; i++) {
        p->w[i] = a->w_drive[i];
        a->w_stabilise[i] = a->solution.r[i] = 0;
    }
    memset(p->b, 0, (size_t)m->nv * sizeof *p->b);
    a->solution.warm = false;
    return SS_OK;
}

/* Impulse of a contact as it is remembered: of shapes in the world, else row by row. */
static void put_impulse(const ss_contact *contact, const ss_contact_value *value, int rows, const double *r, double *impulse)
{
    if (contact->id.kind != SS_CONTACT_SHAPES) {
        memcpy(impulse, r, (size_t)rows * sizeof *r);
        return;
    }
    ss_vec3 p = ss_scale(r[0], value->normal);
    for (int i = 1; i < rows; i++) {
        p = ss_axpy(r[i], value->tangent[i - 1], p);
    }
    ss_v3_to(p, impulse);
}

/* its rows from that */
static void take_impulse(const ss_contact *contact, const ss_contact_value *value, int rows, const double *impulse, double *r)
{
    const ss_vec3 p = ss_v3_from(impulse);
    for (int i = 0; i < rows; i++) {
        const ss_vec3 axis = i == 0 ? value->normal : value->tangent[i - 1];
        r[i] = contact->id.kind == SS_CONTACT_SHAPES ? ss_dot(p, axis) : impulse[i];
    }
}

void ss_assembly_recall(ss_assembly *a, const ss_contact_cache *cache, ss_level level)
{
    const ss_problem *p = &a->problem;
    for (int k = 0; k < p->nc; k++) {
        const ss_contact *contact = &a->contacts.c[k];
        const ss_cached_contact *entry = ss_contact_cache_find(cache, level, &contact->id);
        if (entry) {
            take_impulse(contact, &a->value[k], p->row[k + 1] - p->row[k], entry->impulse, a->solution.r + p->row[k]);
            a->solution.basis[k] = entry->basis;
            a->solution.warm = true;
        }
    }
}

ss_status ss_assembly_remember(const ss_assembly *a, ss_contact_cache *cache, ss_level level)
{
    const ss_problem *p = &a->problem;
    SS_TRY(ss_contact_cache_enter(a->ctx, cache, level, p->nc, a->contacts.c));
    for (int k = 0; k < p->nc; k++) {
        const double *r = a->solution.r + p->row[k];
        ss_cached_contact *entry = &cache->level[level].entry[k];
        put_impulse(&a->contacts.c[k], &a->value[k], p->row[k + 1] - p->row[k], r, entry->impulse);
        entry->normal = r[0];
        entry->basis = a->solution.basis[k];
    }
    return SS_OK;
}

/* the solver, told how much it may do; iterations that led to no solution are counted against the step */
static ss_status solve(ss_assembly *a, ss_stepper *s, const double *v_old, unsigned effort)
{
    a->problem.v_old = v_old;
    a->info = (ss_solver_info){ 0 };
    ss_solver_set_effort(s->solver, effort | (ss_stepper_is_exhausted(s) ? SS_EFFORT_BRIEF : 0));
    ss_status status = ss_solver_solve(s->solver, &a->problem, &a->solution, &a->info);
    ss_solver_set_effort(s->solver, 0);
    s->wasted.iterations += a->info.outcome != SS_CONVERGED ? ss_stepper_waste_of(a->info.iterations) : 0;
    return status;
}

ss_status ss_assembly_solve(ss_assembly *a, ss_stepper *s, const double *v_old, int fallbacks)
{
    SS_TRY(solve(a, s, v_old, 0));
    a->info.fallbacks += fallbacks;
    s->report->count(s->report, &a->info);
    return SS_OK;
}

ss_status ss_assembly_try(ss_assembly *a, ss_stepper *s, const double *v_old)
{
    SS_TRY(solve(a, s, v_old, SS_EFFORT_DECLINES));
    s->report->count(s->report, &a->info);
    return SS_OK;
}

ss_status ss_assembly_try_unshared(ss_assembly *a, ss_stepper *s, const double *v_old)
{
    SS_TRY(solve(a, s, v_old, SS_EFFORT_DECLINES | SS_EFFORT_UNSHARED));
    if (a->problem.nc > 0) {
        s->report->count(s->report, &a->info);
    }
    return SS_OK;
}

ss_status ss_assembly_try_auxiliary(ss_assembly *a, ss_stepper *s, const double *v_old)
{
    if (a->problem.nc > 0) {
        return ss_assembly_try(a, s, v_old);
    }
    a->problem.v_old = v_old;
    a->info = (ss_solver_info){ 0 };
    return ss_solver_solve(s->solver, &a->problem, &a->solution, &a->info);
}

bool ss_assembly_is_unsolvable(const ss_assembly *a) { return a->info.outcome == SS_RAY || a->info.outcome == SS_INFEASIBLE; }

void ss_assembly_relax_contacts(ss_assembly *a, const ss_stepper *s, double h)
{
    for (int k = 0; k < a->problem.nc; k++) {
        int row = a->problem.row[k];
        double slack = ss_stepper_touch(s) * ss_contact_unit(a->model, &a->contacts.c[k]) / h;
        if (ss_law_has_normal(a->problem.law[k])) {
            a->problem.w[row] = fmax(a->problem.w[row], a->w_drive[row] + slack);
        }
    }
}

void ss_assembly_relax_joints(ss_assembly *a)
{
    for (int i = 0; i < a->problem.nj; i++) {
        a->problem.c[i] = a->target[i] + a->c_drive[i];
    }
}

ss_status ss_assembly_try_relaxed(ss_assembly *a, ss_stepper *s, const double *v_old, double h, bool *relaxed)
{
    if (!*relaxed) {
        SS_TRY(ss_assembly_try(a, s, v_old));
        *relaxed = ss_assembly_is_unsolvable(a);
        a->solution.warm = a->solution.warm && !*relaxed;
    }
    if (!*relaxed) {
        return SS_OK;
    }
    ss_assembly_relax_contacts(a, s, h);
    ss_assembly_relax_joints(a);
    return ss_assembly_solve(a, s, v_old, 1);
}

bool ss_assembly_has_solution(const ss_assembly *a) { return !ss_assembly_is_unsolvable(a) && a->info.outcome != SS_BREAKDOWN; }

ss_status ss_assembly_require_solution(const ss_assembly *a, double t)
{
    if (ss_assembly_has_solution(a)) {
        return SS_OK;
    }
    char name[128] = "";
    if (a->info.residual.worst >= 0) {
        ss_contact_name(a->model, &a->contacts.c[a->info.residual.worst], name, sizeof name);
    }
    return ss_fail(a->ctx, SS_ERR_NUMERIC, "no solution of the contact problem at t = %.9g with %d contacts: %s%s%s", t,
                   a->problem.nc, ss_outcome_name(a->info.outcome), *name ? ", worst at " : "", name);
}

ss_segment ss_assembly_segment(const ss_assembly *a, ss_segment_end from, ss_segment_end to)
{
    return (ss_segment){ .from = from,
                         .to = to,
                         .level = SS_LEVEL_VELOCITY,
                         .mass = &a->mass,
                         .problem = &a->problem,
                         .solution = &a->solution,
                         .info = &a->info,
                         .contacts = &a->contacts,
                         .parts = { .w_drive = a->w_drive, .w_stabilise = a->w_stabilise, .c_drive = a->c_drive } };
}

void ss_assembly_momentum(ss_assembly *a, const double *v, const double *k)
{
    ss_matrix_times(&a->mass, v, a->problem.b);
    for (int i = 0; k && i < a->problem.nv; i++) {
        a->problem.b[i] += k[i];
    }
}

static double kinetic_energy(const ss_assembly *a, int body, const double *v)
{
    const ss_blockdiag *M = &a->mass.diagonal;
    const int b = a->model->body_block[body], n = M->size[b];
    const double *block = M->x + M->start[b], *u = v + M->offset[b];
    double sum = 0;
    for (int i = 0; i < n * n; i++) {
        sum += 0.5 * u[i / n] * block[i] * u[i % n];
    }
    return sum;
}

double ss_assembly_lighter_energy(const ss_assembly *a, int k, const double *v)
{
    double least = INFINITY;
    for (int i = 0; i < 2; i++) {
        const int body = a->contacts.c[k].at[i].body;
        if (ss_model_is_dynamic(a->model, body)) {
            least = fmin(least, kinetic_energy(a, body, v) + kinetic_energy(a, body, a->solution.v));
        }
    }
    return least;
}

double ss_assembly_normal_velocity(const ss_assembly *a, int k, const double *v)
{
    int row = a->problem.row[k];
    return ss_csr_row_dot(&a->problem.H, row, v) + a->w_drive[row];
}
