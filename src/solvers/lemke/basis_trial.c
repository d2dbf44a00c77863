/* basis_trial.c - the values of a complementary basis, solved and refined.
 *
 *   M_aa z_a = -q_a,  z_b = 0,  w = M z + q       a: basic z, b: the others
 *
 * By LU of M_aa and refinement with sums in long double, so that z itself becomes right and not only its
 * residual: z_a <- z_a - M_aa^-1 w_a, at most ROUNDS times, until the correction is below the last digit of the largest z.
 * The matrix is used through its products and through M_aa alone: trying a basis costs nothing of order n^2
 * when M has a structure.
 * Reference   [CPS92 ch. 4.4]; N. J. Higham, Accuracy and Stability of Numerical Algorithms, ch. 12
 * Cost        s^3/3 for s basic z, and one product with M per round                                  */
#include "solvers/lemke/basis_trial.h"

#include "math/dense.h"
#include "math/worse.h"

#include <float.h>
#include <math.h>

static const double LAST_DIGIT = 0.5 * DBL_EPSILON; /* a smaller correction, relative to the largest z, changes nothing */

ss_status ss_basis_trial_take(ss_basis_trial *t, ss_arena *arena, const ss_pivot_matrix *M, const double *q, double *z)
{
    size_t n = (size_t)M->n;
    *t = (ss_basis_trial){ .M = M, .q = q, .z = z };
    SS_TRY(ss_arena_take_raw(arena, n, sizeof *t->w, &t->w));
    SS_TRY(ss_arena_take_raw(arena, n, sizeof *t->a, &t->a));
    SS_TRY(ss_arena_take_raw(arena, n, sizeof *t->sum, &t->sum));
    SS_TRY(ss_arena_take_raw(arena, n, sizeof *t->index, &t->index));
    SS_TRY(ss_arena_take_raw(arena, n, sizeof *t->pivots, &t->pivots));
    return ss_arena_take_raw(arena, n * n, sizeof *t->LU, &t->LU);
}

/* w = M z + q */
static void evaluate(ss_basis_trial *t)
{
    for (int i = 0; i < t->M->n; i++) {
        t->sum[i] = t->q[i];
    }
    t->M->add_times(t->M->data, t->z, t->sum);
    for (int i = 0; i < t->M->n; i++) {
        t->w[i] = (double)t->sum[i];
    }
}

/* z_a <- z_a - M_aa^-1 w_a; false when that changed nothing that counts */
static bool correct(ss_basis_trial *t, int count)
{
    double change = 0, size = 0;
    for (int m = 0; m < count; m++) {
        t->a[m] = -t->w[t->index[m]];
    }
    ss_dense_lu_solve(count, t->LU, count, t->pivots, t->a);
    for (int m = 0; m < count; m++) {
        double *z = &t->z[t->index[m]];
        *z += t->a[m];
        change = fmax(change, fabs(t->a[m]));
        size = fmax(size, fabs(*z));
    }
    return change > LAST_DIGIT * size;
}

/* |min(z, w)| and |z| */
static void measure(ss_basis_trial *t)
{
    t->error = t->size = 0;
    for (int k = 0; k < t->M->n; k++) {
        t->error = ss_worse(t->error, fabs(fmin(t->z[k], t->w[k])));
        t->size = fmax(t->size, fabs(t->z[k]));
    }
}

bool ss_basis_trial_solve(ss_basis_trial *t, const bool *basic)
{
    enum { ROUNDS = 4 };
    int count = 0;
    for (int k = 0; k < t->M->n; k++) {
        t->z[k] = 0;
        if (basic[k]) {
            t->index[count++] = k;
        }
    }
    t->M->gather(t->M->data, count, t->index, t->LU);
    t->factorisations++;
    if (!ss_dense_lu(count, t->LU, count, t->pivots)) {
        return false;
    }
    bool moved = true;
    for (int round = 0; round < ROUNDS && moved; round++) {
        evaluate(t);
        moved = correct(t, count);
    }
    evaluate(t);
    measure(t);
    return true;
}
