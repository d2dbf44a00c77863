/* audit_energies.c - the energies that are at hand in a segment, body by body: what the audit compares works with.
 *
 *     E_b = v0.M v0/2 + v1.M v1/2 + p.M^-1 p/2 + s.M^-1 s/2        block b of the mass matrix
 *
 * with the impulse p of the forces and s of the bounded rows: a body that nothing but a motor presses against a contact has no
 * other energy at hand.
 *
 * Cost   two products with the mass matrix and two solves, all block by block */
#include "base/parallel.h"
#include "math/array.h"
#include "problem/bounded.h"
#include "sim/sim.h"
#include <math.h>

/* blocks of the mass matrix; a scheme need not say which one it used where that is constant. Where velocities have no mass, what
 * stands in for it (model/massless.c) */
const ss_blockdiag *ss_audit_mass(const ss_sim *sim, const ss_segment *g)
{
    if (sim->model->massless.m > 0 && g->problem) {
        return &g->problem->scale;
    }
    return g->mass ? &g->mass->diagonal : &sim->model->mass.diagonal;
}

/* energy[b] += x.y/2 for each block b of M */
static void add_products(const ss_blockdiag *M, const double *x, const double *y, double *energy)
{
    for (int b = 0; b < M->blocks; b++) {
        energy[b] += 0.5 * ss_array_dot(M->size[b], x + M->offset[b], y + M->offset[b]);
    }
}

typedef struct energy_job {
    const ss_segment *g;
    const ss_blockdiag *M;
    const double *L;       /* Cholesky factors of M                   */
    const double *bounded; /* n: impulse of bounded rows; NULL: none  */
    double *x, *y;         /* n: scratch                              */
    double *energy;        /* blocks                                  */
} energy_job;

/* the impulses of the forces, summed up for velocities first .. end-1 */
static void sum_forces(const ss_segment *g, int first, int end, double *p)
{
    memset(p + first, 0, (size_t)(end - first) * sizeof *p);
    for (int kind = SS_IMPULSE_GRAVITY; kind <= SS_IMPULSE_GYROSCOPIC; kind++) {
        for (int i = first; g->impulse[kind] && i < end; i++) {
            p[i] += g->impulse[kind][i];
        }
    }
}

/* energy[b] += p.M^-1 p/2 for each block of a part of M, which has velocities first .. end-1 */
static void add_energies(const energy_job *job, const ss_blockdiag *part, int first, int end, const double *p, double *energy)
{
    memcpy(job->y + first, p + first, (size_t)(end - first) * sizeof *p);
    ss_blockdiag_solve(part, job->L, job->y);
    add_products(part, p, job->y, energy);
}

static void find_energies(void *data, int begin, int end)
{
    const energy_job *job = data;
    const ss_blockdiag part = ss_blockdiag_part(job->M, begin, end);
    const int first = part.offset[0], last = part.offset[part.blocks - 1] + part.size[part.blocks - 1];
    double *energy = job->energy + begin;
    memset(energy, 0, (size_t)part.blocks * sizeof *energy);
    ss_blockdiag_times(&part, job->g->from.v, job->x);
    add_products(&part, job->g->from.v, job->x, energy);
    ss_blockdiag_times(&part, job->g->to.v, job->x);
    add_products(&part, job->g->to.v, job->x, energy);
    sum_forces(job->g, first, last, job->x);
    add_energies(job, &part, first, last, job->x, energy);
    if (job->bounded) {
        add_energies(job, &part, first, last, job->bounded, energy);
    }
}

static bool any_bounded(const ss_problem *p)
{
    bool any = false;
    for (int k = 0; p && k < p->nc; k++) {
        any = any || p->law[k] == SS_LAW_BOUNDED;
    }
    return any;
}

/* *p: sum of the impulses of bounded rows, if there are any. What a segment only shows are forces. */
static ss_status sum_bounded(ss_arena *arena, const ss_segment *g, int n, const double **p)
{
    double *sum = NULL;
    if (any_bounded(g->problem)) {
        SS_TRY(ss_arena_take(arena, (size_t)n, sizeof *sum, &sum));
        ss_bounded_add(g->problem, g->stages.shown ? g->to.t - g->from.t : ss_segment_weight(g), g->solution->r, sum);
    }
    *p = sum;
    return SS_OK;
}

ss_status ss_audit_energies(ss_account *a, const ss_segment *g, double *energy)
{
    enum { GRAIN = 256 };
    ss_sim *sim = a->sim;
    const ss_blockdiag *M = ss_audit_mass(sim, g);
    energy_job job = { .g = g, .M = M, .L = sim->audit.mass.L, .energy = energy };
    double sum = 0;
    SS_TRY(ss_arena_take_raw(sim->arena, (size_t)M->n, sizeof *job.x, &job.x));
    SS_TRY(ss_arena_take_raw(sim->arena, (size_t)M->n, sizeof *job.y, &job.y));
    SS_TRY(sum_bounded(sim->arena, g, M->n, &job.bounded));
    ss_parallel_for(sim->ctx, M->blocks, GRAIN, find_energies, &job);
    for (int b = 0; b < M->blocks; b++) {
        sum += energy[b];
    }
    a->audit.at_hand = fmax(a->audit.at_hand, sum);
    return SS_OK;
}
