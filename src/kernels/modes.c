/* modes.c - the contact problem of accelerations.
 *
 * Slip   A contact that slips has its friction against s = u_T/|u_T| whatever its acceleration is. In the problem its polygon
 *        of friction is the line from -s to s (if friction is polygonal: it stays, and the corner that opposes s most acts), and
 *        its acceleration of slip is moved by K s, so that maximal dissipation finds r_T = -mu r_N s if only K is above all
 *        accelerations: it is made larger until it is. This is the step of Moreau's scheme in the limit h -> 0, divided by h.
 * Moments of rolling and spinning friction go with their contacts: one that slips, which means that its bodies turn against each
 *        other, opposes that likewise; one of two rows acts along its axis alone then.
 * Noise  A solution whose certificate is eps has accelerations u_i known to eps root_i max_j root_j |r_j| only (residual.c): what
 *        is below that is no motion.
 * Scale  alpha = max over contacts of (sum |H_ij| |k/M|_j + |rate|)/unit, and over motors of what their bound accelerates: a
 *        motor in a chain of links may have nothing else */
#include "kernels/modes.h"
#include "base/tolerances.h"
#include "math/worse.h"
#include "problem/contact_law.h"
#include "problem/islands.h"
#include <math.h>

static const double FAR = 10; /* K at first, in accelerations; then a hundred times as much */
enum { FARTHER = 5 };

static ss_status fill(ss_modes *x, const bool *redundant)
{
    const ss_model *m = x->model;
    SS_TRY(ss_assembly_create(x->ctx, m, &x->a));
    x->a->redundant = redundant;
    return ss_free_motion_create(x->ctx, m, &x->free);
}

ss_status ss_modes_create(ss_context *ctx, const ss_model *m, ss_friction friction, const bool *redundant, ss_modes **out)
{
    SS_TRY(ss_calloc(ctx, 1, sizeof **out, out));
    (*out)->ctx = ctx;
    (*out)->model = m;
    (*out)->friction = friction;
    ss_status status = fill(*out, redundant);
    if (status != SS_OK) {
        ss_modes_destroy(*out);
        *out = NULL;
    }
    return status;
}

void ss_modes_destroy(ss_modes *x)
{
    if (x) {
        ss_assembly_destroy(x->ctx, x->a);
        ss_free_motion_destroy(x->free);
        ss_free(x->ctx, x->speed);
        ss_free(x->ctx, x->slip);
        ss_free(x->ctx, x->rate);
        ss_free(x->ctx, x->root);
        ss_free(x->ctx, x->size);
        ss_free(x->ctx, x->polygons.first);
        ss_free(x->ctx, x->polygons.direction);
        ss_free(x->ctx, x);
    }
}

ss_status ss_modes_begin(ss_modes *x, ss_arena *arena) { return ss_config_take(arena, x->model, &x->c); }

/* ---- the problem --------------------------------------------------------------------------------- */

/* sum += H_row M^-1 H_row' */
static ss_status add_compliance(ss_modes *x, int row, double *dense, double *sum)
{
    const ss_problem *p = &x->a->problem;
    memset(dense, 0, (size_t)p->nv * sizeof *dense);
    for (int k = p->H.p[row]; k < p->H.p[row + 1]; k++) {
        dense[p->H.i[k]] += p->H.x[k];
    }
    SS_TRY(ss_free_motion_divide(x->free, dense));
    for (int k = p->H.p[row]; k < p->H.p[row + 1]; k++) {
        *sum += p->H.x[k] * dense[p->H.i[k]];
    }
    return SS_OK;
}

static ss_status put_contact(ss_modes *x, int i, const double *v)
{
    const ss_problem *p = &x->a->problem;
    int first = p->row[i], rows = p->row[i + 1] - first;
    double size = 0, trace = 0;
    SS_TRY(ss_contact_acceleration(x->ctx, x->model, &x->c, x->a->contacts.c[i], x->a->value[i], v, rows, x->rate + first));
    x->speed[i] = 0;
    for (int row = first; row < first + rows; row++) {
        double own = fabs(x->rate[row]);
        for (int k = p->H.p[row]; k < p->H.p[row + 1]; k++) {
            own += fabs(p->H.x[k] * x->free->change[p->H.i[k]]);
        }
        size = fmax(size, own);
        SS_TRY(add_compliance(x, row, x->a->solution.v, &trace));
        x->slip[row] = row < ss_law_first_tangent(p, i) ? 0 : ss_csr_row_dot(&p->H, row, v) + x->a->w_drive[row];
        x->speed[i] = hypot(x->speed[i], x->slip[row]);
    }
    size = p->law[i] == SS_LAW_BOUNDED ? fmax(size, p->mu[i] * trace) : size;
    x->root[i] = sqrt(trace / rows);
    x->size[i] = size / ss_contact_unit(x->model, x->a->contacts.c[i]);
    x->scale = fmax(x->scale, x->size[i]);
    return SS_OK;
}

static ss_status reserve(ss_modes *x, int n)
{
    int cap = x->room.contacts;
    SS_TRY(ss_reserve(x->ctx, &x->speed, &cap, n, sizeof *x->speed));
    cap = x->room.contacts;
    SS_TRY(ss_reserve(x->ctx, &x->size, &cap, n, sizeof *x->size));
    SS_TRY(ss_reserve(x->ctx, &x->root, &x->room.contacts, n, sizeof *x->root));
    SS_TRY(ss_reserve(x->ctx, &x->polygons.first, &x->polygons.first_cap, n + 1, sizeof *x->polygons.first));
    SS_TRY(ss_reserve(x->ctx, &x->polygons.direction, &x->polygons.direction_cap, 2 * x->a->problem.dir[n],
                      sizeof *x->polygons.direction));
    cap = x->room.rows;
    SS_TRY(ss_reserve(x->ctx, &x->slip, &cap, 3 * n, sizeof *x->slip));
    return ss_reserve(x->ctx, &x->rate, &x->room.rows, 3 * n, sizeof *x->rate);
}

ss_status ss_modes_pose(ss_modes *x, double t, const double *q, const double *v, const ss_contact_set *set, int n,
                        const int *which)
{
    const ss_model *m = x->model;
    ss_assembly *a = x->a;
    ss_config_set(m, t, q, &x->c);
    ss_config_drive(m, t, t, &x->c);
    SS_TRY(ss_assembly_geometry(a, &x->c, set, n, which, x->friction, 1));
    const int nc = a->problem.nc;
    SS_TRY(reserve(x, nc));
    memcpy(x->polygons.first, a->problem.dir, (size_t)(nc + 1) * sizeof *x->polygons.first);
    for (int k = 0; k < 2 * x->polygons.first[nc]; k++) {
        x->polygons.direction[k] = a->problem.direction[k];
    }
    SS_TRY(ss_free_motion_find(x->free, &x->c, v, 1));
    memcpy(a->problem.b, x->free->impulse, (size_t)m->nv * sizeof(double)); /* b = k */
    SS_TRY(ss_model_joint_acceleration(x->ctx, m, &x->c, v, a->problem.c));
    for (int i = 0; a->redundant && i < m->nj; i++) {
        a->problem.c[i] = a->redundant[i] ? 0 : a->problem.c[i];
    }
    x->scale = 0;
    for (int i = 0; i < nc; i++) {
        SS_TRY(put_contact(x, i, v));
    }
    return SS_OK;
}

/* |G_i| |k/M|, of the unit of the row */
static double joint_size(const ss_modes *x, int i)
{
    const ss_csr *G = &x->a->problem.G;
    double sum = 0;
    for (int e = G->p[i]; e < G->p[i + 1]; e++) {
        sum += fabs(G->x[e] * x->free->change[G->i[e]]);
    }
    return sum / x->model->row_unit[i];
}

ss_status ss_modes_island_scales(const ss_modes *x, ss_arena *arena, double *out)
{
    const ss_problem *p = &x->a->problem;
    ss_islands islands;
    double *scale;
    SS_TRY(ss_islands_find(arena, p, &islands));
    SS_TRY(ss_arena_take(arena, (size_t)islands.count, sizeof *scale, &scale));
    for (int i = 0; i < p->nc + p->nj; i++) {
        const int own = i < p->nc ? islands.of_contact[i] : islands.of_joint[i - p->nc];
        if (own >= 0) {
            scale[own] = ss_worse(scale[own], i < p->nc ? x->size[i] : joint_size(x, i - p->nc));
        }
    }
    for (int i = 0; i < p->nc; i++) {
        out[i] = islands.of_contact[i] >= 0 ? scale[islands.of_contact[i]] : 0;
    }
    return SS_OK;
}

void ss_modes_direct(ss_modes *x, int i, const double *direction)
{
    const ss_problem *p = &x->a->problem;
    for (int row = ss_law_first_tangent(p, i); row < p->row[i + 1]; row++) {
        x->slip[row] = direction[row - ss_law_first_tangent(p, i)];
    }
    x->speed[i] = 1;
}

/* w = rate + K s, and without a polygon of its own that from -s to s; in 2D the polygon is that line already */
static void put_slip(ss_modes *x, int i, double far)
{
    ss_problem *p = &x->a->problem;
    double *d = p->direction + 2 * p->dir[i];
    int from = ss_law_first_tangent(p, i);
    for (int row = from; x->speed[i] > 0 && row < p->row[i + 1]; row++) {
        double s = x->slip[row] / x->speed[i];
        p->w[row] += far * ss_contact_unit(x->model, x->a->contacts.c[i]) * s;
        if (x->polygons.first[i + 1] == x->polygons.first[i] && p->dir[i + 1] > p->dir[i]) {
            d[row - from] = s;
            d[row - from + 2] = -s;
        }
    }
}

/* Directions of contact i: those of its polygon; if it has none and slips, the two that put_slip sets. */
static void put_directions(ss_modes *x, int i, bool slips)
{
    ss_problem *p = &x->a->problem;
    const int corners = x->polygons.first[i + 1] - x->polygons.first[i];
    p->dir[i + 1] = p->dir[i] + (corners > 0 ? corners : slips ? 2 : 0);
    for (int k = 2 * p->dir[i]; k < 2 * p->dir[i + 1]; k++) {
        p->direction[k] = 0;
    }
    if (corners > 0) {
        memcpy(p->direction + 2 * p->dir[i], x->polygons.direction + 2 * x->polygons.first[i],
               2 * (size_t)corners * sizeof *p->direction);
    }
}

static void put_laws(ss_modes *x, const bool *slides, double far)
{
    ss_problem *p = &x->a->problem;
    for (int row = 0; row < p->row[p->nc]; row++) {
        p->w[row] = x->rate[row];
    }
    for (int i = 0; i < p->nc; i++) {
        const bool friction = ss_law_has_normal(p->law[i]) && p->law[i] != SS_LAW_UNILATERAL;
        const bool rolls = p->law[i] == SS_LAW_ROLLING && p->row[i + 1] - p->row[i] == 2 && x->speed[i] > 0;
        put_directions(x, i, (friction || rolls) && slides[i]);
        p->law[i] = friction && p->dir[i + 1] > p->dir[i] ? SS_LAW_POLYHEDRAL : p->law[i];
        if (slides[i]) {
            put_slip(x, i, far);
        }
    }
}

/* Is the acceleration of every slipping contact along its slip, moved by K, at least a tenth of K? Then K was large enough. */
static bool is_far_enough(const ss_modes *x, const bool *slides, double far)
{
    const ss_problem *p = &x->a->problem;
    for (int i = 0; i < p->nc; i++) {
        double along = 0, unit = ss_contact_unit(x->model, x->a->contacts.c[i]);
        for (int row = ss_law_first_tangent(p, i); slides[i] && row < p->row[i + 1]; row++) {
            along += x->a->solution.u[row] * x->slip[row];
        }
        if (slides[i] && !(along >= 0.1 * far * unit * x->speed[i])) {
            return false;
        }
    }
    return true;
}

/* the largest root |r| */
static double largest_force(const ss_modes *x)
{
    const ss_problem *p = &x->a->problem;
    double most = 0;
    for (int i = 0; i < p->nc; i++) {
        for (int row = p->row[i]; row < p->row[i + 1]; row++) {
            most = fmax(most, x->root[i] * fabs(x->a->solution.r[row]));
        }
    }
    return most;
}

/* The law of a moment or of a motor: within its bound, and at rest unless it slides, or presses on nothing that bounds it. */
static ss_fault fault_without_normal(const ss_modes *x, bool slides, int i, double slack, double still)
{
    const ss_problem *p = &x->a->problem;
    const double bound = ss_law_size(p, i, x->a->solution.r);
    double size = 0, creep = 0;
    for (int row = p->row[i]; row < p->row[i + 1]; row++) {
        size = hypot(size, x->a->solution.r[row]);
        creep = hypot(creep, x->a->solution.u[row]);
    }
    const bool pressed = p->law[i] == SS_LAW_BOUNDED || bound > slack;
    return size <= bound + slack && (slides || !pressed || creep <= still) ? SS_FAULT_NONE : SS_FAULT_FRICTION;
}

ss_fault ss_modes_fault(const ss_modes *x, const bool *slides, int i)
{
    const ss_problem *p = &x->a->problem;
    const double *r = x->a->solution.r + p->row[i], *u = x->a->solution.u + p->row[i];
    double slack = x->root[i] > 0 ? SS_TOL_OBEYS * largest_force(x) / x->root[i] : 0, friction = 0, creep = 0;
    double still = SS_TOL_OBEYS * x->scale * ss_contact_unit(x->model, x->a->contacts.c[i]);
    if (!ss_law_has_normal(p->law[i])) {
        return fault_without_normal(x, slides[i], i, slack, still);
    }
    if (r[0] < -slack || u[0] < -still) {
        return r[0] < -slack ? SS_FAULT_PULLS : SS_FAULT_APPROACHES;
    }
    for (int j = 1; j < p->row[i + 1] - p->row[i]; j++) {
        friction = hypot(friction, r[j]);
        creep = hypot(creep, u[j]);
    }
    bool pressed = r[0] > slack, holds = friction <= p->mu[i] * r[0] + slack && (!pressed || slides[i] || creep <= still);
    return holds && (!pressed || u[0] <= still) ? SS_FAULT_NONE : SS_FAULT_FRICTION;
}

bool ss_modes_adopt(ss_modes *x, const bool *slides, const double *a, const double *multiplier)
{
    ss_assembly *own = x->a;
    const ss_problem *p = &own->problem;
    double far = FAR * x->scale;
    memcpy(own->solution.v, a, (size_t)p->nv * sizeof *a);
    for (int i = 0; i < p->nj; i++) {
        own->solution.lam[i] = multiplier[i];
    }
    for (int row = 0; row < p->row[p->nc]; row++) {
        own->solution.r[row] = multiplier[p->nj + row];
    }
    for (int i = 0; i == 0 || (i < FARTHER && !is_far_enough(x, slides, far / 100)); i++, far *= 100) {
        put_laws(x, slides, far);
        ss_csr_times(&p->H, 1, a, 0, own->solution.u);
        for (int row = 0; row < p->row[p->nc]; row++) {
            own->solution.u[row] += p->w[row];
        }
    }
    for (int i = 0; i < p->nc; i++) {
        if (ss_modes_fault(x, slides, i) != SS_FAULT_NONE) {
            return false;
        }
    }
    own->info = (ss_solver_info){ .outcome = SS_CONVERGED };
    x->noise = 0;
    return is_far_enough(x, slides, far / 100);
}

ss_status ss_modes_solve(ss_modes *x, ss_stepper *s, const bool *slides, bool *solved)
{
    ss_assembly *a = x->a;
    double far = FAR * x->scale;
    for (int i = 0; i < FARTHER; i++, far *= 100) {
        put_laws(x, slides, far);
        ss_assembly_recall(a, &s->next->cache, SS_LEVEL_ACCELERATION);
        SS_TRY(ss_assembly_try(a, s, NULL));
        *solved = ss_assembly_has_solution(a);
        if (!*solved || is_far_enough(x, slides, far)) {
            break;
        }
    }
    /* with a margin of ten; a residual that is nothing but rounding is given as zero */
    x->noise = 10 * fmax(a->info.residual.contact, SS_TOL_CANCELLED) * largest_force(x);
    return SS_OK;
}

/* ---- what it says -------------------------------------------------------------------------------- */

ss_slip_course ss_modes_course(const ss_modes *x, int i)
{
    const ss_problem *p = &x->a->problem;
    const int from = ss_law_first_tangent(p, i), tangents = p->row[i + 1] - from;
    double rate[2] = { 0, 0 }, s[2] = { 0, 0 };
    for (int k = 0; x->speed[i] > 0 && k < tangents; k++) {
        rate[k] = x->rate[from + k] + ss_csr_row_dot(&p->H, from + k, x->a->solution.v);
        s[k] = x->slip[from + k] / x->speed[i];
    }
    return (ss_slip_course){ .slows = -(rate[0] * s[0] + rate[1] * s[1]), .across = fabs(rate[0] * s[1] - rate[1] * s[0]) };
}

static double relative(const ss_modes *x, int i, double u)
{
    double beyond = u - x->noise * x->root[i];
    return beyond > 0 ? beyond / (x->scale * ss_contact_unit(x->model, x->a->contacts.c[i])) : 0;
}

double ss_modes_lift(const ss_modes *x, int i)
{
    const ss_problem *p = &x->a->problem;
    return ss_law_has_normal(p->law[i]) ? relative(x, i, x->a->solution.u[p->row[i]]) : 0;
}

double ss_modes_creep(const ss_modes *x, int i)
{
    const ss_problem *p = &x->a->problem;
    double size = 0;
    for (int row = ss_law_first_tangent(p, i); row < p->row[i + 1]; row++) {
        size = hypot(size, x->a->solution.u[row]);
    }
    return relative(x, i, size);
}
