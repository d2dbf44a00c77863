/* audit.c - energy from nowhere: what the forces of a step leave unexplained, and the sum of it since the start.
 *
 * In a segment of length h a body moves by d while its velocity goes from v0 to v1. Conservative forces F change its momentum by
 * p and do the work p.(v0 + v1)/2, which the change of their potential energy V should take back. What remains of V + work is
 *     correction     -(p/h).(d - h v) for the v between v0 and v1 that is nearest to d/h: positions were moved without a
 *                    velocity, to close gaps and joints. Named work: position_correction in the ledger. Positions that change
 *                    between segments count as well.
 *     driven         the change of V with time at fixed positions: driven bodies stretch springs. Named: driven_springs
 *     integration    the rest, integration_error; at most |p||v1 - v0|/2 because V changes with some v between v0 and v1 and
 *                    not with their mean, plus |change of F||d| because F changes on the way; dampers and applied forces
 *                    included, which a scheme may linearise
 * The work of gyroscopic torques, bounded likewise, changes of inertia and the scheme's own impulses add up to 0 with the
 * integration error in continuous time. If their sum is more than these bounds and SS_TOL_GAIN of the energies at hand, that is
 * a remark `energy`. So is a sum since the start of
 *     all these errors                                                              signed
 *     work of dampers, energy made by contacts and joints (audit_impulses.c)        where positive
 * above SS_TOL_ENERGY_SHARE + 1/n of the absolute works in the n steps since the start and SS_TOL_BOUNCE of the energies at hand,
 * if the step has added to it: in n steps from rest a method of order 1 is off by 1/n.
 *
 * Symbols   p, d, v: of one vector of a body's velocities (linear, angular), or one coordinate of a user block
 * Cost      forces at both ends of a segment where the scene has springs or user blocks; else linear in the bodies */
#include "base/parallel.h"
#include "base/tolerances.h"
#include "model/blocks.h"
#include "sim/sim.h"
#include <math.h>

/* ---- life ---------------------------------------------------------------------------------------- */

static bool is_driven(const ss_model *m, int body) { return body < m->bodies && m->body_type[body] == SS_BODY_DRIVEN; }

static ss_audit_scope scope_of(const ss_sim *sim)
{
    const ss_model *m = sim->model;
    ss_audit_scope s = { .potential = true,
                         .two_steps = sim->scheme->info.order.impact_steps > 1,
                         .changing = ss_model_has_other_classes(m) };
    for (int i = 0; i < m->forces; i++) {
        const ss_force *f = &m->force[i];
        bool driven = is_driven(m, f->at[0].body) || is_driven(m, f->at[1].body);
        s.driven_springs = s.driven_springs || (driven && f->type->potential);
        s.driven_dampers = s.driven_dampers || (driven && f->damping > 0);
        if (f->type->by_program) { /* its functions may depend on time, and drive what they damp */
            s.driven_springs = s.driven_dampers = true;
        }
    }
    for (int j = 0; j < m->joints; j++) {
        const ss_joint *joint = &m->joint[j];
        const bool driven = is_driven(m, joint->at[0].body) || is_driven(m, joint->at[1].body);
        s.driven_springs = s.driven_springs || (driven && joint->resistance.stiffness > 0);
        s.driven_dampers = s.driven_dampers || (driven && joint->resistance.damping > 0);
    }
    for (int i = 0; i < SS_SIMPLEX_NODES * m->simplices; i++) {
        const ss_simplex *e = &m->simplex[i / SS_SIMPLEX_NODES];
        const bool driven = is_driven(m, e->at[i % e->nodes].body);
        s.driven_springs = s.driven_springs || driven;
        s.driven_dampers = s.driven_dampers || driven;
    }
    for (int b = 0; b < m->bodies; b++) {
        if (ss_model_is_block(m, b)) {
            s.driven_springs = true; /* its callbacks may depend on time */
            s.potential = s.potential && m->body_callbacks[b]->potential;
        }
    }
    return s;
}

void ss_audit_follow(ss_sim *sim) { sim->audit.scope = scope_of(sim); }

ss_status ss_audit_create(ss_sim *sim)
{
    ss_audit_follow(sim);
    return ss_calloc(sim->ctx, (size_t)sim->model->nq, sizeof(double), &sim->audit.q);
}

void ss_audit_destroy(ss_sim *sim)
{
    ss_block_factor_free(sim->ctx, &sim->audit.mass);
    ss_free(sim->ctx, sim->audit.q);
}

/* ---- potential energy ---------------------------------------------------------------------------- */

static ss_status potential_at(ss_sim *sim, double t, const double *q, double *energy)
{
    ss_config c;
    SS_TRY(ss_config_take(sim->arena, sim->model, &c));
    ss_config_set(sim->model, t, q, &c);
    return ss_model_potential(sim->ctx, sim->model, &c, energy);
}

/* Positions have gone from q0 to q1 at time t: what that has made. */
static ss_status enter_jump(ss_account *a, double t, const double *q0, const double *q1)
{
    double before, after;
    if (memcmp(q0, q1, (size_t)a->sim->model->nq * sizeof(double)) == 0) {
        return SS_OK;
    }
    SS_TRY(potential_at(a->sim, t, q0, &before));
    SS_TRY(potential_at(a->sim, t, q1, &after));
    a->ledger.position_correction += after - before;
    return SS_OK;
}

/* the change of V between the times of the segment, at the positions of its ends, on the average */
static ss_status enter_driven(ss_account *a, const ss_segment *g)
{
    double V[2][2]; /* time, positions */
    for (int k = 0; k < 4; k++) {
        SS_TRY(potential_at(a->sim, k / 2 ? g->to.t : g->from.t, k % 2 ? g->to.q : g->from.q, &V[k / 2][k % 2]));
    }
    a->ledger.driven_springs += 0.5 * (V[1][0] - V[0][0] + V[1][1] - V[0][1]);
    return SS_OK;
}

/* ---- conservative forces over a segment ----------------------------------------------------------- */

/* What happens to one vector of velocities: n components each. */
typedef struct vector_motion {
    int n;
    const double *p[3]; /* impulses of gravity, springs, gyroscopic torques; NULL: none */
    const double *v[2], *d;
    const double *change; /* of forces but gravity, CHANGES of them `stride` apart; NULL: there are none */
    int stride;
} vector_motion;

/* springs, dampers, applied forces; of each the change to two places */
enum { CLASSES = SS_FORCE_APPLIED - SS_FORCE_SPRING + 1, CHANGES = 2 * CLASSES };

static double length_of(int n, const double *x)
{
    double sum = 0;
    for (int i = 0; i < n; i++) {
        sum += x[i] * x[i];
    }
    return sqrt(sum);
}

/* The s in [0, 1] for which v0 + s (v1 - v0) is nearest to d/h. */
static double nearest(const vector_motion *x, double h)
{
    double along = 0, square = 0;
    for (int i = 0; i < x->n; i++) {
        const double jump = x->v[1][i] - x->v[0][i];
        along += (x->d[i] / h - x->v[0][i]) * jump;
        square += jump * jump;
    }
    return square > 0 ? fmin(fmax(along / square, 0), 1) : 0;
}

/* What bodies add to the position correction, and to the integration error that is allowed. */
typedef struct motion_sums {
    double correction, allowed;
} motion_sums;

static void enter_vector(const vector_motion *x, double h, motion_sums *sum)
{
    double p[3], jump[3], off[3];
    const double s = nearest(x, h);
    for (int i = 0; i < x->n; i++) {
        jump[i] = x->v[1][i] - x->v[0][i];
        off[i] = x->d[i] / h - x->v[0][i] - s * jump[i];
    }
    for (int k = 0; k < 3; k++) {
        for (int i = 0; x->p[k] && i < x->n; i++) {
            p[i] = x->p[k][i];
            sum->correction -= k < 2 ? p[i] * off[i] : 0;
        }
        sum->allowed += x->p[k] ? 0.5 * length_of(x->n, p) * length_of(x->n, jump) : 0;
    }
    for (int k = 0; x->change && k < CHANGES; k++) {
        sum->allowed += length_of(x->n, x->change + k * x->stride) * length_of(x->n, x->d);
    }
}

/* change[CHANGES nv]: of springs, dampers and applied forces, from the start of the segment to its end, and to where the first
 * velocity leads: a scheme may take forces anywhere between */
static ss_status take_changes(ss_sim *sim, const ss_segment *g, double *change)
{
    const ss_model *m = sim->model;
    const size_t n = (size_t)(CLASSES * m->nv);
    const ss_segment_end *end[3] = { &g->from, &g->to, &g->to };
    ss_config c;
    double *k, *first, *q;
    SS_TRY(ss_config_take(sim->arena, m, &c));
    SS_TRY(ss_arena_take(sim->arena, SS_FORCE_CLASSES * (size_t)m->nv, sizeof *k, &k));
    SS_TRY(ss_arena_take(sim->arena, n, sizeof *first, &first));
    SS_TRY(ss_arena_take(sim->arena, (size_t)m->nq, sizeof *q, &q));
    ss_model_retract(m, g->from.q, g->from.v, g->to.t - g->from.t, q);
    for (int e = 0; e < 3; e++) {
        const double *force = k + SS_FORCE_SPRING * m->nv;
        ss_config_set(m, end[e]->t, e < 2 ? end[e]->q : q, &c);
        SS_TRY(ss_model_forces(sim->ctx, m, &c, end[e]->v, k));
        if (e == 0) {
            memcpy(first, force, n * sizeof *first);
        }
        for (size_t i = 0; e > 0 && i < n; i++) {
            change[(size_t)(e - 1) * n + i] = force[i] - first[i];
        }
    }
    return SS_OK;
}

/* from component k on; NULL: there is no such impulse */
static const double *part_of(const ss_segment *g, ss_impulse kind, int k)
{
    return g->impulse[kind] ? g->impulse[kind] + k : NULL;
}

/* Bodies of a segment, in ranges. */
enum { GRAIN = 256 };

typedef struct motion_job {
    const ss_model *m;
    const ss_segment *g;
    const double *change; /* see take_changes; NULL: there are none */
    double *d;            /* nv: displacements                      */
    motion_sums *sum;     /* of every range                         */
} motion_job;

static void enter_body(const motion_job *x, int body, motion_sums *sum)
{
    const ss_model *m = x->m;
    const ss_segment *g = x->g;
    const int at = m->body_v[body], size = m->mass.diagonal.size[m->body_block[body]];
    ss_model_difference_body(m, body, g->from.q, g->to.q, x->d);
    for (int i = 0, n; i < size; i += n) {
        const int k = at + i;
        n = ss_model_vector_size(m, body, i);
        const vector_motion own = { n,
                                    { part_of(g, SS_IMPULSE_GRAVITY, k), part_of(g, SS_IMPULSE_SPRING, k),
                                      part_of(g, SS_IMPULSE_GYROSCOPIC, k) },
                                    { g->from.v + k, g->to.v + k },
                                    x->d + k,
                                    x->change ? x->change + k : NULL,
                                    m->nv };
        enter_vector(&own, g->to.t - g->from.t, sum);
    }
}

static void enter_range(void *data, int begin, int end)
{
    const motion_job *x = data;
    motion_sums sum = { 0, 0 };
    for (int b = begin; b < end; b++) {
        if (ss_model_is_dynamic(x->m, b)) {
            enter_body(x, b, &sum);
        }
    }
    x->sum[begin / GRAIN] = sum;
}

/* Segments whose motion has stages move by more than their end velocities tell, and forces of a scheme whose impacts take two
 * steps act half a step before: they are judged by their sum alone. */
static ss_status enter_motion(ss_account *a, const ss_segment *g)
{
    ss_sim *sim = a->sim;
    const ss_model *m = sim->model;
    const int ranges = (m->bodies + GRAIN - 1) / GRAIN;
    motion_job x = { .m = m, .g = g };
    SS_TRY(ss_arena_take_raw(sim->arena, (size_t)m->nv, sizeof *x.d, &x.d));
    SS_TRY(ss_arena_take_raw(sim->arena, (size_t)ranges, sizeof *x.sum, &x.sum));
    if (sim->audit.scope.changing) {
        double *change;
        SS_TRY(ss_arena_take(sim->arena, CHANGES * (size_t)m->nv, sizeof *change, &change));
        SS_TRY(take_changes(sim, g, change));
        x.change = change;
    }
    ss_parallel_for(sim->ctx, m->bodies, GRAIN, enter_range, &x);
    for (int k = 0; k < ranges; k++) {
        a->ledger.position_correction += x.sum[k].correction;
        a->audit.allowed += x.sum[k].allowed;
    }
    return SS_OK;
}

/* ---- segments and steps --------------------------------------------------------------------------- */

void ss_audit_begin(ss_account *a, const double *q, double paid)
{
    a->audit = (ss_step_audit){ .paid = paid };
    ss_parallel_copy(a->sim->ctx, (size_t)a->sim->model->nq * sizeof *q, q, a->sim->audit.q);
}

/* Absolute works of a segment, less those of gyroscopic forces, inertia and the scheme itself, and less what the scheme takes
 * back of the others: forces that are linearised far from where the segment ends do work there that never passed. */
static double passed_in(const ss_ledger *entries)
{
    const double own = fabs(entries->gyroscopic) + fabs(entries->inertia) + 2 * fabs(entries->scheme);
    return fmax(entries->exchanged - own, 0);
}

ss_status ss_audit_segment(ss_account *a, const ss_segment *g, const ss_row_motion *rows, const ss_ledger *entries)
{
    ss_sim *sim = a->sim;
    const bool moves = g->to.t > g->from.t, staged = g->stages.work != NULL;
    SS_TRY(enter_jump(a, g->from.t, sim->audit.q, g->from.q));
    SS_TRY(moves ? SS_OK : enter_jump(a, g->to.t, g->from.q, g->to.q));
    SS_TRY(moves && sim->audit.scope.driven_springs ? enter_driven(a, g) : SS_OK);
    SS_TRY(moves && !staged ? enter_motion(a, g) : SS_OK);
    a->audit.allowed += staged || sim->audit.scope.two_steps ? INFINITY : 0;
    a->audit.passed += passed_in(entries);
    a->audit.lent = sim->audit.scope.two_steps && !moves ? fmax(entries->scheme, 0) : 0;
    ss_parallel_copy(sim->ctx, (size_t)sim->model->nq * sizeof(double), g->to.q, sim->audit.q);
    return ss_audit_impulses(a, g, rows, entries);
}

ss_status ss_audit_end(ss_account *a, const ss_state *end) { return enter_jump(a, end->t, a->sim->audit.q, end->q); }

/* What conservative forces, inertia and the scheme itself have made: 0 in continuous time. */
static double made_by_forces(const ss_sim *sim, const ss_account *a)
{
    const ss_ledger *l = &a->ledger;
    return sim->audit.scope.potential ? l->integration_error + l->gyroscopic - a->audit.turned + l->inertia + l->scheme : 0;
}

void ss_audit_accept(ss_sim *sim, ss_account *a)
{
    ss_audit_sums *sums = &sim->audit.sums;
    const double forces = made_by_forces(sim, a), noise = a->audit.noise;
    const double dampers = sim->audit.scope.driven_dampers ? 0 : fmax(a->ledger.dampers, 0);
    const double error = forces + dampers + a->audit.made;
    sums->error += error;
    sums->exchanged += a->audit.passed;
    sums->noise += noise;
    sums->paid = a->audit.paid;
    const bool step = !(fabs(forces) <= a->audit.allowed + noise);
    const double least = fmax(sums->noise, SS_TOL_BOUNCE * a->audit.at_hand);
    const double share = SS_TOL_ENERGY_SHARE + 1 / (double)(sim->summary.steps + 1);
    const bool run = error > noise && !(sums->error - a->audit.lent <= share * sums->exchanged + least);
    if ((step || run) && !a->audit.beyond) {
        a->report.remark(&a->report, SS_REMARK_ENERGY, NULL);
    }
}
