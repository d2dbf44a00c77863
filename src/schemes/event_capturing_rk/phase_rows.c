/* phase_rows.c - which rows of the closed contacts have a multiplier of their own, what the others share, and the pivots of slip.
 *
 * A row depends on others if its pivot in the Cholesky factorisation of W = H K^-1 H' vanishes, K the saddle-point matrix of the
 * joints. Normals come before tangents, these before moments, and contacts in the order of their loads: so none of those that
 * carry is left out for one that does not. A moment that depends on what holds already (a box on its corners) carries nothing.
 *
 * Share   A row that depends on others, H_i = sum c_j H_j with c from L' c = (row i of L), moves with them whatever its
 * multiplier is. With the same vanishing compliance e at every contact, H_i a + eps e_i r_i = sum c_j (H_j a + eps e_j r_j), so
 *         e_i r_i = sum c_j e_j r_j; e = m for m contacts at the same place, so that they count once, and e = 1e-9 for limits and
 *         motors of joints (docs/indeterminacy.md).
 *
 * Pivot   H_N K^-1 (H_N' - mu H_T' s) against H_N K^-1 H_N': not above 0 where accelerations do not say what happens (Painleve)
 * Cost    a solve with K per row, and the cube of the number of rows */
#include "base/tolerances.h"
#include "schemes/event_capturing_rk/phase.h"
#include <math.h>

/* z = K^-1 H_row' */
static ss_status respond(ss_phase *p, int row, double *b, double *z)
{
    const ss_problem *problem = &p->at->problem;
    memset(b, 0, (size_t)p->model->nv * sizeof *b);
    for (int k = problem->H.p[row]; k < problem->H.p[row + 1]; k++) {
        b[problem->H.i[k]] += problem->H.x[k];
    }
    return ss_kkt_solve(p->linear.joints, b, NULL, z, p->at->solution.lam);
}

/* M_jj */
static double inertia_of(const ss_phase *p, int j)
{
    const ss_blockdiag *M = &p->at->mass.diagonal;
    int b = 0;
    while (j >= M->offset[b] + M->size[b]) {
        b++;
    }
    return M->x[M->start[b] + (j - M->offset[b]) * (M->size[b] + 1)];
}

/* sum H_ij^2/M_jj: the size of H_i M^-1 H_i', what the row could move without joints */
static double free_mobility(const ss_phase *p, int row)
{
    const ss_csr *H = &p->at->problem.H;
    double sum = 0;
    for (int k = H->p[row]; k < H->p[row + 1]; k++) {
        sum += H->x[k] * H->x[k] / inertia_of(p, H->i[k]);
    }
    return sum;
}

/* W = H K^-1 H', all rows. A row that joints do not let move has the diagonal 0, whatever round-off makes of it. */
static ss_status delassus(ss_phase *p, ss_arena *arena, int nr, double *W)
{
    double *b, *z;
    SS_TRY(ss_arena_take(arena, (size_t)p->model->nv, sizeof *b, &b));
    SS_TRY(ss_arena_take(arena, (size_t)p->model->nv, sizeof *z, &z));
    for (int i = 0; i < nr; i++) {
        SS_TRY(respond(p, i, b, z));
        for (int j = 0; j < nr; j++) {
            W[i * nr + j] = ss_csr_row_dot(&p->at->problem.H, j, z);
        }
        W[i * nr + i] = W[i * nr + i] > SS_TOL_RANK * free_mobility(p, i) ? W[i * nr + i] : 0;
    }
    return SS_OK;
}

/* Does row i add to the `count` rows chosen[]? Then its row of the Cholesky factor is entered in L. */
static bool is_independent(const double *W, int nr, int i, int count, const int *chosen, double *L)
{
    double *own = L + (size_t)count * (size_t)nr, left = W[i * nr + i];
    for (int c = 0; c < count; c++) {
        double s = W[i * nr + chosen[c]];
        for (int j = 0; j < c; j++) {
            s -= own[j] * L[(size_t)c * (size_t)nr + (size_t)j];
        }
        own[c] = s / L[(size_t)c * (size_t)nr + (size_t)c];
        left -= own[c] * own[c];
    }
    own[count] = sqrt(fmax(left, 0));
    return left > SS_TOL_REDUNDANT * W[i * nr + i];
}

/* contacts by load, the largest first; equal ones as they stand */
static void sort_by_load(const ss_phase *p, int *order)
{
    for (int k = 0; k < p->n; k++) {
        int at = k;
        for (; at > 0 && p->closed[order[at - 1]].load < p->closed[k].load; at--) {
            order[at] = order[at - 1];
        }
        order[at] = k;
    }
}

/* Row i depends on the rows chosen[]: its coefficients c, L' c = (row i of L), into share[] by row, less than round-off left out
 */
static void depend(const double *L, int nr, int i, int count, const int *chosen, const double *e, double *share)
{
    double largest = 0;
    for (int c = count - 1; c >= 0; c--) {
        double sum = L[(size_t)count * (size_t)nr + (size_t)c];
        for (int j = c + 1; j < count; j++) {
            sum += share[chosen[j]] * L[(size_t)j * (size_t)nr + (size_t)c];
        }
        share[chosen[c]] = -sum / L[(size_t)c * (size_t)nr + (size_t)c];
        largest = fmax(largest, fabs(share[chosen[c]]));
    }
    for (int c = 0; c < count; c++) {
        double *own = &share[chosen[c]];
        *own = fabs(*own) > SS_TOL_REDUNDANT * largest ? *own * e[chosen[c]] / e[i] : 0;
    }
    share[i] = 1;
}

/* e of every row: how many contacts have this normal row; limits and motors of joints have next to no compliance */
static void find_compliances(const ss_phase *p, int nr, const double *W, double *e)
{
    const int *row = p->at->problem.row;
    for (int k = 0; k < p->n; k++) {
        int same = 0;
        for (int l = 0; l < p->set.n; l++) {
            const double *a = W + (size_t)row[k] * (size_t)nr, *b = W + (size_t)row[l] * (size_t)nr;
            double own = a[row[k]], other = b[row[l]], apart = own + other - a[row[l]] - b[row[k]];
            same += k == l || (p->closed[l].mode != SS_MODE_NONE && fabs(apart) <= SS_TOL_REDUNDANT * (own + other));
        }
        for (int i = row[k]; i < row[k + 1]; i++) {
            e[i] = same * fmax(p->at->problem.compliance[k], SS_TOL_REDUNDANT);
        }
    }
}

/* The rows of moments at rest, besides the `count` rows chosen[] of the contacts. */
static void choose_moments(ss_phase *p, int nr, const double *W, int count, int *chosen, double *L)
{
    for (int k = p->set.n; k < p->n; k++) {
        const int first = p->at->problem.row[k], rows = p->at->problem.row[k + 1] - first;
        for (int i = 0; p->closed[k].mode == SS_MODE_STICK && i < rows; i++) {
            p->closed[k].own[i] = is_independent(W, nr, first + i, count, chosen, L);
            chosen[count] = p->closed[k].own[i] ? first + i : chosen[count];
            count += p->closed[k].own[i];
        }
    }
}

static void choose_rows(ss_phase *p, int nr, const double *W, const int *order, int *chosen, double *L, const double *e,
                        double *share)
{
    const int *row = p->at->problem.row;
    int count = 0;
    for (int tangents = 0; tangents < 2; tangents++) {
        for (int o = 0; o < p->n; o++) {
            ss_closed_contact *closed = &p->closed[order[o]];
            if (ss_contact_is_moment(&closed->contact)) {
                continue;
            }
            int first = row[order[o]], rows = row[order[o] + 1] - first;
            bool shared = p->model->settings.share == SS_SHARE_LIMIT;
            bool wanted = tangents ? closed->mode == SS_MODE_STICK && (closed->own[0] || shared)
                                   : closed->mode != SS_MODE_NONE && closed->mode != SS_MODE_FULL;
            for (int i = tangents; i < (tangents ? rows : 1); i++) {
                closed->own[i] = wanted && is_independent(W, nr, first + i, count, chosen, L);
                if (closed->own[i]) {
                    chosen[count++] = first + i;
                } else if (wanted && shared) {
                    depend(L, nr, first + i, count, chosen, e, share + (size_t)(first + i) * (size_t)nr);
                }
            }
        }
    }
    choose_moments(p, nr, W, count, chosen, L);
}

/* one contact: H_N K^-1 (H_N' - mu H_T' s) against H_N K^-1 H_N' */
static double pivot_of(const ss_phase *p, int k, const double *normal /* W of its normal row, its own rows */)
{
    const ss_problem *problem = &p->at->problem;
    double sum = normal[0];
    for (int i = 1; i < problem->row[k + 1] - problem->row[k]; i++) {
        sum -= problem->mu[k] * p->point.direction[3 * k + i - 1] * normal[i];
    }
    return normal[0] > 0 ? sum / normal[0] : 1;
}

static ss_status keep_shares(ss_phase *p, int nr, const double *share)
{
    ss_csr_reset(&p->share, nr);
    for (int i = 0; i < nr; i++) {
        for (int j = 0; j < nr; j++) {
            double x = share[(size_t)i * (size_t)nr + (size_t)j];
            SS_TRY(x != 0 ? ss_csr_push(p->ctx, &p->share, j, x) : SS_OK);
        }
        SS_TRY(ss_csr_end_row(p->ctx, &p->share));
    }
    return SS_OK;
}

ss_status ss_phase_close(ss_phase *p, ss_arena *arena, double t, const double *q, const double *v)
{
    ss_csr_reset(&p->share, 0);
    for (int k = 0; k < p->n; k++) {
        memset(p->closed[k].own, 0, sizeof p->closed[k].own);
    }
    SS_TRY(ss_phase_evaluate(p, t, q, v));
    const ss_problem *problem = &p->at->problem;
    int nr = problem->row[problem->nc], *order, *chosen;
    if (nr == 0) {
        return SS_OK;
    }
    double *W, *L, *e, *share;
    SS_TRY(ss_arena_take(arena, (size_t)nr * (size_t)nr, sizeof *W, &W));
    SS_TRY(ss_arena_take(arena, (size_t)nr * (size_t)nr, sizeof *L, &L));
    SS_TRY(ss_arena_take(arena, (size_t)nr * (size_t)nr, sizeof *share, &share));
    SS_TRY(ss_arena_take(arena, (size_t)nr, sizeof *e, &e));
    SS_TRY(ss_arena_take(arena, (size_t)p->n, sizeof *order, &order));
    SS_TRY(ss_arena_take(arena, (size_t)nr, sizeof *chosen, &chosen));
    SS_TRY(ss_kkt_factor(p->linear.joints, problem));
    SS_TRY(delassus(p, arena, nr, W));
    sort_by_load(p, order);
    find_compliances(p, nr, W, e);
    choose_rows(p, nr, W, order, chosen, L, e, share);
    SS_TRY(keep_shares(p, nr, share));
    for (int k = 0; k < p->n; k++) {
        const bool slips = k < p->set.n && p->closed[k].mode == SS_MODE_SLIP;
        p->closed[k].pivot = slips ? pivot_of(p, k, W + problem->row[k] * nr + problem->row[k]) : 1;
    }
    return SS_OK;
}

ss_status ss_phase_pivot(ss_phase *p, ss_arena *arena, int contact, double *pivot)
{
    const ss_problem *problem = &p->at->problem;
    int first = problem->row[contact], rows = problem->row[contact + 1] - first;
    double *b, *z, normal[3] = { 0 };
    ss_arena_mark mark = ss_arena_save(arena);
    SS_TRY(ss_arena_take(arena, (size_t)p->model->nv, sizeof *b, &b));
    SS_TRY(ss_arena_take(arena, (size_t)p->model->nv, sizeof *z, &z));
    SS_TRY(ss_kkt_factor(p->linear.joints, problem));
    SS_TRY(respond(p, first, b, z));
    for (int i = 0; i < rows; i++) {
        normal[i] = ss_csr_row_dot(&problem->H, first + i, z);
    }
    *pivot = pivot_of(p, contact, normal);
    ss_arena_release(arena, mark);
    return SS_OK;
}
