/* massless.c - velocities without mass: links, hinges and point masses whose mass or inertia is 0.
 *
 *     M v = 0  for these velocities;   B = M + D,   D_ii = m L^2 / unit_i^2,   m the smallest mass of the scene
 *
 * B has no physics in it. It is a positive definite matrix beside the true M, for norms and scales, which divide by masses, and
 * for finding joint rows that depend on each other. A problem has A = B - D, which is M to the last bit where M is 0, and B as
 * its scale; what is solved with it needs the joints to hold the velocities without mass, so that M is positive definite on all
 * motions that the joints allow [BAC14 eq. 9].
 *
 * Symbols   L length of the scene, unit_i what a displacement along velocity i is measured against
 * Cost      linear in the velocities, once; nothing where all have mass */
#include "model/compile.h"

#include "model/mass.h"

/* the entry of M on its diagonal, of row k of a block */
static double own_mass(const ss_blockdiag *M, int block, int k) { return M->x[M->start[block] + k * (M->size[block] + 1)]; }

/* kg m^2: what a velocity of one unit per second, squared, makes of twice the kinetic energy; the least of those that are not 0
 */
static double least_mass(const ss_model *m)
{
    const ss_blockdiag *M = &m->mass.diagonal;
    double least = INFINITY;
    for (int b = 0; b < M->blocks; b++) {
        for (int k = 0; k < M->size[b]; k++) {
            const double unit = m->v_unit[M->offset[b] + k], mass = own_mass(M, b, k) * unit * unit;
            least = mass > 0 && mass < least ? mass : least;
        }
    }
    return isfinite(least) ? least : 1;
}

static bool has_massless(const ss_model *m)
{
    const ss_blockdiag *M = &m->mass.diagonal;
    bool any = false;
    for (int b = 0; b < M->blocks; b++) {
        for (int k = 0; k < M->size[b]; k++) {
            any = any || own_mass(M, b, k) == 0;
        }
    }
    return any;
}

ss_status ss_compile_massless(ss_compiler *x)
{
    ss_model *m = x->m;
    const ss_blockdiag *M = &m->mass.diagonal;
    if (!has_massless(m)) {
        return SS_OK;
    }
    const double least = least_mass(m);
    ss_csr_reset(&m->massless, m->nv);
    for (int b = 0; b < M->blocks; b++) {
        for (int k = 0; k < M->size[b]; k++) {
            const int i = M->offset[b] + k;
            const double unit = m->v_unit[i];
            SS_TRY(own_mass(M, b, k) == 0 ? ss_csr_push(x->ctx, &m->massless, i, -least / (unit * unit)) : SS_OK);
            SS_TRY(ss_csr_end_row(x->ctx, &m->massless));
        }
    }
    return SS_OK;
}

bool ss_model_is_massless(const ss_model *m, int i) { return m->massless.m > 0 && m->massless.p[i] < m->massless.p[i + 1]; }

void ss_model_mass_scale(const ss_model *m, double *x)
{
    const ss_blockdiag *M = &m->mass.diagonal;
    for (int b = 0; m->massless.m > 0 && b < M->blocks; b++) {
        for (int k = 0; k < M->size[b]; k++) {
            const int i = M->offset[b] + k;
            x[M->start[b] + k * (M->size[b] + 1)] -= ss_model_is_massless(m, i) ? m->massless.x[m->massless.p[i]] : 0;
        }
    }
}
