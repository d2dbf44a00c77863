/* assembly.c - contacts and joints at a configuration -> the one-step problem of design section 1.
 *
 *     M v - G' lam - H' r = b,   G v = c,   u = H v + w
 *
 * Moments of rolling and spinning friction are contacts of their own, bounded by the normal impulse of their host.
 * The impulse of a motor with a bound on its force, and of the dry friction of a joint, is bounded by that force times h. */
#include "kernels/assembly.h"
#include "base/parallel.h"
#include <math.h>

enum { GRAIN = 1024 }; /* contacts that one thread takes at a time */

ss_status ss_assembly_create(ss_context *ctx, const ss_model *m, ss_assembly **out)
{
    SS_TRY(ss_calloc(ctx, 1, sizeof **out, out));
    ss_assembly *a = *out;
    a->ctx = ctx;
    a->model = m;
    a->problem = ss_problem_make(m->dimension);
    a->problem.nv = m->nv;
    a->problem.nj = m->nj;
    a->mass = m->mass;
    return SS_OK;
}

/* Vectors and the mass, with the first problem: many an assembly is never asked for one. */
static ss_status take_vectors(ss_assembly *a)
{
    const ss_model *m = a->model;
    const size_t nv = (size_t)m->nv, nj = (size_t)m->nj;
    const size_t mass_room = ss_model_mass_room(m), scale_room = m->massless.m > 0 ? ss_model_mass_size(m) : 0;
    double **vectors[] = { &a->problem.b, &a->solution.v, &a->problem.c,  &a->solution.lam, &a->g,
                           &a->target,    &a->c_drive,    &a->room.scale, &a->room.mass };
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors && !a->room.vectors; i++) {
        const size_t n = i < 2 ? nv : i < 7 ? nj : i < 8 ? scale_room : mass_room;
        SS_TRY(*vectors[i] ? SS_OK : ss_calloc(a->ctx, n, sizeof(double), vectors[i]));
    }
    a->room.vectors = true;
    return SS_OK;
}

ss_status ss_assembly_mass(ss_assembly *a, double t, const double *q)
{
    SS_TRY(take_vectors(a));
    return ss_model_mass_at(a->ctx, a->model, t, q, a->room.mass, &a->mass.diagonal);
}

void ss_assembly_destroy(ss_context *ctx, ss_assembly *a)
{
    if (!a) {
        return;
    }
    ss_csr_free(ctx, &a->problem.G);
    ss_csr_free(ctx, &a->problem.H);
    void *owned[] = { a->contacts.c,
                      a->room.own.c,
                      a->room.values.value,
                      a->problem.b,
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
                      a->room.mass,
                      a->room.scale,
                      a->problem.compliance,
                      a->room.host,
                      a->room.range };
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

/* Room for what is not lent: contacts, and values unless the set has those of the first `known`. n contacts, then moments. */
static ss_status reserve_own(ss_assembly *a, int n, int moments, int known)
{
    a->room.own.lent = a->room.borrows ? n : 0;
    a->room.values.lent = a->room.borrows ? known : 0;
    SS_TRY(ss_reserve(a->ctx, &a->room.own.c, &a->room.own.cap, n + moments - a->room.own.lent, sizeof *a->room.own.c));
    return ss_reserve(a->ctx, &a->room.values.value, &a->room.values.cap, n + moments - a->room.values.lent,
                      sizeof *a->room.values.value);
}

ss_contact_value *ss_assembly_value(ss_assembly *a, int k) { return &a->room.values.value[k - a->room.values.lent]; }

ss_contact_set ss_assembly_set(const ss_assembly *a)
{
    return (ss_contact_set){ .n = a->contacts.n, .cap = a->room.own.cap, .c = a->room.own.c };
}

/* Contact k is this one, which has been lent, or a copy of it. */
static void put_identity(ss_assembly *a, int k, const ss_contact *contact)
{
    if (k >= a->room.own.lent) {
        ss_contact *own = &a->room.own.c[k - a->room.own.lent];
        *own = *contact;
        contact = own;
    }
    a->contacts.c[k] = contact;
}

/* edges of the friction polygon of a contact with `rows` rows; 0: it has none */
static int count_directions(const ss_model *m, const ss_contact *contact, int rows, ss_friction friction)
{
    const bool rubs = rows > 1 && contact->id.kind != SS_CONTACT_MOTOR && !ss_contact_is_moment(contact);
    return rubs && ss_friction_is_polygonal(friction) ? (m->dimension == 2 ? 2 : friction.directions) : 0;
}

/* where a contact is in the problem: rows, edges of polygons */
typedef struct place {
    int row, rows, dir, dirs;
} place;

/* the place of a contact, with `rows` rows, behind another one */
static place place_behind(place last, const ss_model *m, const ss_contact *contact, int rows, ss_friction friction)
{
    return (place){ last.row + last.rows, rows, last.dir + last.dirs, count_directions(m, contact, rows, friction) };
}

/* place, law, coefficient and polygon of contact k */
static void put_law(ss_problem *p, int k, const ss_contact *contact, place at, ss_friction friction, double h)
{
    p->row[k + 1] = at.row + at.rows;
    p->dir[k + 1] = at.dir + at.dirs;
    p->compliance[k] = contact->id.kind == SS_CONTACT_SHAPES; /* joints have none */
    if (contact->id.kind == SS_CONTACT_MOTOR) {
        p->law[k] = SS_LAW_BOUNDED;
        p->mu[k] = h * contact->mu[0];
    } else if (ss_contact_is_moment(contact)) {
        p->law[k] = SS_LAW_ROLLING;
        p->mu[k] = contact->mu[0];
    } else if (at.rows == 1) {
        p->law[k] = SS_LAW_UNILATERAL;
        p->mu[k] = 0;
    } else {
        p->law[k] = friction.law;
        p->mu[k] = fmax(contact->mu[0], contact->mu[1]);
        ss_friction_polygon(p->dimension, contact->mu, at.dirs, p->direction + 2 * (size_t)at.dir);
    }
}

/* a contact of any kind behind those that have been put */
static ss_status put_contact(ss_assembly *a, const ss_config *c, const ss_contact *contact, ss_friction friction, double h)
{
    ss_problem *p = &a->problem;
    int k = p->nc, rows = 0;
    ss_contact_value *value = ss_assembly_value(a, k);
    put_identity(a, k, contact);
    a->value[k] = value;
    SS_TRY(ss_contact_eval(a->ctx, a->model, c, contact, value));
    SS_TRY(ss_contact_rows(a->ctx, a->model, c, contact, value, friction.law != SS_LAW_UNILATERAL, &p->H, a->w_drive + p->row[k],
                           &rows));
    const place last = { p->row[k], 0, p->dir[k], 0 };
    put_law(p, k, contact, place_behind(last, a->model, contact, rows, friction), friction, h);
    a->solution.basis[k] = 0;
    a->contacts.n = p->nc = k + 1;
    return SS_OK;
}

/* ---- contacts of shapes, which are first: many at once ----------------------------------------------- */

typedef struct shape_contacts {
    ss_assembly *a;
    const ss_config *c;
    const ss_contact_set *set;
    const int *which;
    ss_friction friction;
    double h;
} shape_contacts;

/* Offsets are those of driven bodies; nothing stabilises them, no impulse is known. */
static void open_rows(ss_assembly *a, int begin, int end)
{
    for (int i = begin; i < end; i++) {
        a->problem.w[i] = a->w_drive[i];
        a->w_stabilise[i] = a->solution.r[i] = 0;
    }
}

static int number_of(const shape_contacts *x, int k) { return x->which ? x->which[k] : k; }

static const ss_contact_kind moment_kinds[2] = { SS_CONTACT_ROLLING, SS_CONTACT_SPINNING };

static bool may_have_moments(const ss_contact *host) { return ss_contact_arm(host, 0) > 0 || ss_contact_arm(host, 1) > 0; }

static int count_moments(const ss_model *m, const ss_contact *host)
{
    ss_contact moment;
    int count = 0;
    for (int kind = 0; kind < 2 && may_have_moments(host); kind++) {
        count += ss_contact_moment(m, host, moment_kinds[kind], &moment);
    }
    return count;
}

static bool has_friction(const shape_contacts *x) { return x->friction.law != SS_LAW_UNILATERAL; }

static void count_range(void *data, int begin, int end)
{
    const shape_contacts *x = data;
    const ss_model *m = x->a->model;
    ss_assembly_range sum = { 0 };
    for (int k = begin; k < end; k++) {
        const ss_contact *contact = &x->set->c[number_of(x, k)];
        if (contact->id.kind == SS_CONTACT_SHAPES && sum.shapes == k - begin) {
            const int rows = ss_contact_count_rows(m, contact, has_friction(x));
            sum.shapes++;
            sum.rows += rows;
            sum.directions += count_directions(m, contact, rows, x->friction);
            sum.entries += rows * ss_contact_row_length(m, contact);
        }
        sum.moments += has_friction(x) ? count_moments(m, contact) : 0;
    }
    x->a->room.range[begin / GRAIN] = sum;
}

/* from counts of the ranges of n contacts to what is before them; returns what all have */
static ss_assembly_range add_up(ss_assembly_range *range, int n)
{
    ss_assembly_range sum = { 0 };
    for (int begin = 0; begin < n; begin += GRAIN) {
        ss_assembly_range *next = &range[begin / GRAIN], own = *next;
        const bool follows = sum.shapes == begin; /* no others are before them */
        *next = sum;
        sum.moments += own.moments;
        if (follows) {
            sum.shapes += own.shapes;
            sum.rows += own.rows;
            sum.directions += own.directions;
            sum.entries += own.entries;
        }
    }
    return sum;
}

/* what n contacts have in all */
static ss_status count_contacts(const shape_contacts *x, int n, ss_assembly_range *sum)
{
    ss_assembly *a = x->a;
    SS_TRY(ss_reserve(a->ctx, &a->room.range, &a->room.ranges, n / GRAIN + 1, sizeof *a->room.range));
    ss_parallel_for(a->ctx, n, GRAIN, count_range, (void *)x);
    *sum = add_up(a->room.range, n);
    return SS_OK;
}

/* the value of contact k: lent, copied, or found */
static void put_value(const shape_contacts *x, int k, const ss_contact *contact)
{
    ss_assembly *a = x->a;
    const ss_contact_value *known = x->set->value ? &x->set->value[number_of(x, k)] : NULL;
    if (k < a->room.values.lent) {
        a->value[k] = known;
        return;
    }
    ss_contact_value *own = ss_assembly_value(a, k);
    a->value[k] = own;
    if (known) {
        *own = *known;
    } else {
        ss_contact_eval_shapes(a->model, x->c, contact, own);
    }
}

static void put_range(void *data, int begin, int end)
{
    const shape_contacts *x = data;
    const ss_assembly_range *before = &x->a->room.range[begin / GRAIN];
    ss_assembly *a = x->a;
    ss_problem *p = &a->problem;
    place at = { before->rows, 0, before->directions, 0 };
    int entry = before->entries;
    for (int k = begin; k < end; k++) {
        const ss_contact *contact = &x->set->c[number_of(x, k)];
        const int length = ss_contact_row_length(a->model, contact);
        at = place_behind(at, a->model, contact, ss_contact_count_rows(a->model, contact, has_friction(x)), x->friction);
        put_identity(a, k, contact);
        put_value(x, k, contact);
        ss_contact_write_rows(a->model, x->c, contact, a->value[k], at.rows, p->H.i + entry, p->H.x + entry, a->w_drive + at.row);
        for (int i = 1; i <= at.rows; i++) {
            p->H.p[at.row + i] = entry += length;
        }
        put_law(p, k, contact, at, x->friction, x->h);
        a->solution.basis[k] = 0;
    }
    open_rows(a, before->rows, at.row + at.rows);
}

/* all n contacts, moments to follow: those of shapes together, the others one after the other */
static ss_status put_contacts(const shape_contacts *x, int n, const ss_assembly_range *sum)
{
    ss_assembly *a = x->a;
    SS_TRY(reserve_own(a, n, sum->moments, x->set->value ? sum->shapes : 0));
    SS_TRY(ss_csr_extend_by(a->ctx, &a->problem.H, sum->rows, sum->entries));
    ss_parallel_for(a->ctx, sum->shapes, GRAIN, put_range, (void *)x);
    a->contacts.n = a->problem.nc = sum->shapes;
    for (int k = sum->shapes; k < n; k++) {
        SS_TRY(put_contact(a, x->c, &x->set->c[number_of(x, k)], x->friction, x->h));
    }
    open_rows(a, a->problem.row[sum->shapes], a->problem.row[n]);
    return SS_OK;
}

/* ---- moments ----------------------------------------------------------------------------------------- */

/* behind the n contacts that have been put, by kind and then as their hosts: so they are sorted */
static ss_status put_moments(ss_assembly *a, const ss_config *c, int n, ss_friction friction, double h)
{
    ss_contact moment;
    for (int k = 0; k < 2 * n; k++) {
        const int host = k % n;
        if (ss_contact_moment(a->model, a->contacts.c[host], moment_kinds[k / n], &moment)) {
            a->room.host[a->problem.nc] = host;
            SS_TRY(put_contact(a, c, &moment, friction, h));
        }
    }
    open_rows(a, a->problem.row[n], a->problem.row[a->problem.nc]);
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
        p->scale.x = a->room.scale;
        memcpy(p->scale.x, a->mass.diagonal.x, ss_model_mass_size(m) * sizeof *p->scale.x);
        ss_model_mass_scale(m, p->scale.x);
        p->A = (ss_matrix){ .diagonal = p->scale, .sparse = m->massless, .symmetric = false };
    }
}

ss_status ss_assembly_geometry(ss_assembly *a, const ss_config *c, const ss_contact_set *set, int n, const int *which,
                               ss_friction friction, double h)
{
    ss_problem *p = &a->problem;
    const ss_model *m = a->model;
    const shape_contacts contacts = { a, c, set, which, friction, h };
    ss_assembly_range sum;
    SS_TRY(count_contacts(&contacts, n, &sum));
    SS_TRY(reserve(a, n + sum.moments, m->dimension == 2 ? 2 : friction.directions));
    SS_TRY(ss_assembly_mass(a, c->t, c->q));
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
    SS_TRY(put_contacts(&contacts, n, &sum));
    SS_TRY(sum.moments > 0 ? put_moments(a, c, n, friction, h) : SS_OK);
    p->host = sum.moments > 0 ? a->room.host : NULL;
    memset(p->b, 0, (size_t)m->nv * sizeof *p->b);
    a->solution.warm = false;
    return SS_OK;
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

/* b = M v + k of some bodies */
typedef struct momentum_job {
    const ss_assembly *a;
    const double *v, *k;
} momentum_job;

static void find_momentum(void *data, int begin, int end)
{
    const momentum_job *x = data;
    const ss_blockdiag *M = &x->a->mass.diagonal, part = ss_blockdiag_part(M, begin, end);
    double *b = x->a->problem.b;
    ss_blockdiag_times(&part, x->v, b);
    for (int i = M->offset[begin]; x->k && i < M->offset[end - 1] + M->size[end - 1]; i++) {
        b[i] += x->k[i];
    }
}

void ss_assembly_momentum(ss_assembly *a, const double *v, const double *k)
{
    enum { BODIES = 512 };
    momentum_job x = { a, v, k };
    ss_parallel_for(a->ctx, a->mass.diagonal.blocks, BODIES, find_momentum, &x);
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
        const int body = a->contacts.c[k]->at[i].body;
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
