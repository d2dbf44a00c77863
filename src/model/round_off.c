/* round_off.c - the round-off of forces that depend on positions, and of potential energies.
 *
 *     n_i = SS_TOL_FORCE_NOISE eps |x| sum over j of |k_q,ij|          k_q at t = 0;  |x| distance of the body from the origin
 *
 * A spring's force is its stiffness times a difference of positions, each of which is rounded to eps |x|: no state has a force
 * that is known better than this. The stiffer and the smaller the parts are, the more it is: in a bar of steel, cut into pieces
 * of a millimetre, a metre away from the origin, stresses are known to 40 Pa. An iteration that asks for a balance of forces
 * beyond that never ends. The size of the stiffness is taken once, at the start: bodies turn, but do not become stiffer by orders
 * of magnitude.
 *
 * A potential energy V changes by as little as the rounding of positions times the forces, whose sizes are not known where they
 * balance. A spring has F^2 = 2 k V. With K_i the sums over j of |k_q,ij|, and the inequality of Cauchy and Schwarz for all
 * springs: n_V = SS_TOL_FORCE_NOISE eps (sum of m |g.x| + V_s + sqrt(2 V_s sum of K_i (|x| + L)^2))     V_s without gravity
 *
 * Symbols     eps the distance of 1 to the next number; k_q the derivative of the forces
 * Cost        a derivative of the forces when the model is compiled; linear in the bodies afterwards */
#include "model/round_off.h"
#include "base/tolerances.h"
#include "math/csr.h"
#include "model/compile.h"
#include "model/stiff.h"
#include <float.h>

static bool is_concerned(const ss_model *m)
{
    for (int b = 0; b < m->bodies; b++) {
        if (ss_model_is_block(m, b)) {
            return false;
        }
    }
    return ss_model_has_stiff(m);
}

/* sums of the sizes of the entries of each row */
static ss_status sum_rows(ss_compiler *x, ss_arena *arena, ss_csr *k_q, ss_csr *k_v)
{
    ss_model *m = x->m;
    ss_config c;
    SS_TRY(ss_config_take(arena, m, &c));
    ss_config_set(m, 0, m->q0, &c);
    SS_TRY(ss_model_force_jacobian(x->ctx, m, &c, m->v0, k_q, k_v));
    for (int i = 0; i < m->nv; i++) {
        for (int e = k_q->p[i]; e < k_q->p[i + 1]; e++) {
            m->stiffness[i] += fabs(k_q->x[e]);
        }
    }
    return SS_OK;
}

ss_status ss_compile_round_off(ss_compiler *x)
{
    ss_csr k_q = { 0 }, k_v = { 0 };
    ss_arena *arena = NULL;
    if (!is_concerned(x->m)) {
        return SS_OK;
    }
    SS_TRY(ss_calloc(x->ctx, (size_t)x->m->nv, sizeof *x->m->stiffness, &x->m->stiffness));
    SS_TRY(ss_arena_create(x->ctx, 4096, &arena));
    ss_status status = sum_rows(x, arena, &k_q, &k_v);
    ss_csr_free(x->ctx, &k_q);
    ss_csr_free(x->ctx, &k_v);
    ss_arena_destroy(arena);
    return status;
}

double ss_model_round_off(const ss_model *m, const ss_config *c)
{
    double sum = 0;
    for (int b = 0; m->stiffness && b < m->bodies; b++) {
        const int n = ss_model_is_dynamic(m, b) ? m->mass.diagonal.size[m->body_block[b]] : 0;
        const double *M = n > 0 ? m->mass.diagonal.x + m->mass.diagonal.start[m->body_block[b]] : NULL;
        for (int i = 0; i < n; i++) {
            const int v = m->body_v[b] + i;
            const double noise = m->stiffness[v] * ss_norm(c->frame[b].p),
                         stands_in = ss_model_is_massless(m, v) ? -m->massless.x[m->massless.p[v]] : 0;
            sum += noise * noise / (M[i * (n + 1)] + stands_in);
        }
    }
    return SS_TOL_FORCE_NOISE * DBL_EPSILON * sqrt(sum);
}

double ss_model_energy_round_off(const ss_model *m, const ss_config *c, double potential)
{
    double springs = potential, gravity = 0, stiffness = 0;
    for (int b = 0; b < m->bodies; b++) {
        const int n = ss_model_is_dynamic(m, b) && !ss_model_is_block(m, b) ? m->mass.diagonal.size[m->body_block[b]] : 0;
        const double height = n > 0 ? m->body_mass[b] * ss_dot(m->gravity, c->frame[b].p) : 0;
        const double far = ss_norm(c->frame[b].p) + m->length; /* and the other end of a spring */
        springs += height;
        gravity += fabs(height);
        for (int i = 0; m->stiffness && i < n; i++) {
            stiffness += m->stiffness[m->body_v[b] + i] * far * far;
        }
    }
    return SS_TOL_FORCE_NOISE * DBL_EPSILON * (gravity + fabs(springs) + sqrt(2 * fabs(springs) * stiffness));
}
