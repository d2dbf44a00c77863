/* audit_energies.c - the energies that are at hand in a segment, body by body: what the audit compares works with.
 *
 *     E_b = v0.M v0/2 + v1.M v1/2 + p.M^-1 p/2 + s.M^-1 s/2        block b of the mass matrix
 *
 * with the impulse p of the forces and s of the bounded rows: a body that nothing but a motor presses against a contact has no
 * other energy at hand.
 *
 * Cost   two products with the mass matrix and two solves, all block by block */
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

/* energy[b] += p.M^-1 p/2 for each block; y[n] is scratch */
static void add_energies(const ss_sim *sim, const ss_blockdiag *M, const double *p, double *y, double *energy)
{
    memcpy(y, p, (size_t)M->n * sizeof *y);
    ss_blockdiag_solve(M, sim->audit.mass.L, y);
    add_products(M, p, y, energy);
}

/* p[n]: sum of the impulses of the forces */
static void sum_forces(const ss_segment *g, int n, double *p)
{
    memset(p, 0, (size_t)n * sizeof *p);
    for (int kind = SS_IMPULSE_GRAVITY; kind <= SS_IMPULSE_GYROSCOPIC; kind++) {
        for (int i = 0; g->impulse[kind] && i < n; i++) {
            p[i] += g->impulse[kind][i];
        }
    }
}

/* p[n]: sum of the impulses of bounded rows. What a segment only shows are forces. */
static void sum_bounded(const ss_segment *g, int n, double *p)
{
    memset(p, 0, (size_t)n * sizeof *p);
    if (g->problem) {
        ss_bounded_add(g->problem, g->stages.shown ? g->to.t - g->from.t : ss_segment_weight(g), g->solution->r, p);
    }
}

ss_status ss_audit_energies(ss_account *a, const ss_segment *g, double *energy)
{
    ss_sim *sim = a->sim;
    const ss_blockdiag *M = ss_audit_mass(sim, g);
    double *x, sum = 0;
    SS_TRY(ss_arena_take(sim->arena, 2 * (size_t)M->n, sizeof *x, &x));
    double *y = x + M->n;
    memset(energy, 0, (size_t)M->blocks * sizeof *energy);
    ss_blockdiag_times(M, g->from.v, x);
    add_products(M, g->from.v, x, energy);
    ss_blockdiag_times(M, g->to.v, x);
    add_products(M, g->to.v, x, energy);
    sum_forces(g, M->n, x);
    add_energies(sim, M, x, y, energy);
    sum_bounded(g, M->n, x);
    add_energies(sim, M, x, y, energy);
    for (int b = 0; b < M->blocks; b++) {
        sum += energy[b];
    }
    a->audit.at_hand = fmax(a->audit.at_hand, sum);
    return SS_OK;
}
