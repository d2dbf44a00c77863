/* opposed.c - is there a contact that the joints close?
 *
 * The normal row h of a contact may lie in the span of the joint rows: then W_ii = h K^-1 h' = 0, no impulse changes its velocity
 * q = h v_c + w, which the joints prescribe (G v_c = c), and q < 0 proves that the problem has no solution. Solvers that
 * iterate show it by impulses that grow without bound only, and a residual relative to them falls; so this is asked where a
 * solver has not converged. q counts as negative beyond SS_TOL_STILL of |w| + |h||v|.
 * Cost   a factorisation of the joints and a solve for each contact of bodies that joints tie together */
#include "problem/opposed.h"
#include "base/tolerances.h"
#include "problem/contact_law.h"
#include "problem/delassus.h"
#include <math.h>

struct ss_opposed {
    ss_context *ctx;
    ss_arena *arena;
    ss_delassus *delassus;
};

ss_status ss_opposed_create(ss_context *ctx, ss_opposed **out)
{
    SS_TRY(ss_calloc(ctx, 1, sizeof **out, out));
    (*out)->ctx = ctx;
    ss_status status = ss_arena_create(ctx, 1 << 10, &(*out)->arena);
    status = status != SS_OK ? status : ss_delassus_create(ctx, &(*out)->delassus);
    if (status != SS_OK) {
        ss_opposed_destroy(*out);
        *out = NULL;
    }
    return status;
}

void ss_opposed_destroy(ss_opposed *x)
{
    if (x) {
        ss_arena_destroy(x->arena);
        ss_delassus_destroy(x->delassus);
        ss_free(x->ctx, x);
    }
}

/* |w_i| + |h_i| |v| */
static double speed_of_terms(const ss_problem *p, int row, const double *v)
{
    double sum = fabs(p->w[row]);
    for (int e = p->H.p[row]; e < p->H.p[row + 1]; e++) {
        sum += fabs(p->H.x[e] * v[p->H.i[e]]);
    }
    return sum;
}

/* by how much the joints violate contact k, of the speeds at hand; 0: they do not */
static ss_status find_violation(ss_opposed *x, const ss_problem *p, const double *v, int k, double *violation)
{
    const int row = p->row[k];
    double W, q;
    *violation = 0;
    if (!ss_law_has_normal(p->law[k]) || ss_delassus_scale(x->delassus, row) == 0) {
        return SS_OK;
    }
    ss_arena_reset(x->arena);
    SS_TRY(ss_delassus_submatrix(x->delassus, x->arena, 1, &row, &W, &q));
    const double part = W == 0 ? -q / speed_of_terms(p, row, v) : 0;
    *violation = part > SS_TOL_STILL ? part : 0;
    return SS_OK;
}

ss_status ss_opposed_find(ss_opposed *x, ss_kkt *kkt, const ss_problem *p, const double *v, int *contact)
{
    double most = 0;
    *contact = -1;
    if (p->local || p->nj == 0) {
        return SS_OK;
    }
    SS_TRY(ss_kkt_factor(kkt, p));
    SS_TRY(ss_delassus_prepare(x->delassus, p, kkt));
    for (int k = 0; k < p->nc; k++) {
        double violation;
        SS_TRY(find_violation(x, p, v, k, &violation));
        if (violation > most) {
            most = violation;
            *contact = k;
        }
    }
    return SS_OK;
}
