/* joint_step.c - how the velocity of a step closes the joints at its end.
 *
 *     A w - G' lam - H' r = b,    G_end T (w - w0) = -g_end/h,    motors: G w = c,    joint rows that are left out: lam = 0
 *     contacts that stick, rows that are pressed without friction:   H w + w_offset = SLACK d (r - r0)
 *     others   r_i = s_i r_N, with s = r0_T/r0_N where they slip and 0 where nothing presses;  r = r0 at the bound of a motor
 *
 * A step of Schatzman and Paoli's asks for g(q') = 0, and its joint impulses act along the rows G of its start q. The problem of
 * a substep has these rows alone, as if G_end = G. That is wrong by O(h) and converges quickly, unless bodies turn far in a step
 * or a linkage comes close to a position in which its rows depend on each other (a parallelogram, flat): the row that is small
 * there changes its sign on the way through, and the iteration diverges at any h. The w found here is that of Newton's method
 * with the rows of both ends, for contacts as they were in the last problem, r0. With c = G w the problem has the same solution
 * if they stay so, and finds which ones do not.
 *
 * T is the tangent map of exp: a body whose rotation in the step is the vector x = h w_rot, of length a, turns by T dx more if x
 * changes by dx,  T = 1 - (1 - cos a)/a^2 [x] + (a - sin a)/a^3 [x]^2,  [x] y = x x y.
 *
 * Rows of contacts may depend on each other and on those of the joints: SLACK makes their impulses unique, and moderate where
 * what they ask for differs by rounding. d is H_i D^-1 H_i' with the diagonal D of A.
 *
 * Cost   a sparse LU factorisation of nv + nj + nr rows */
#include "schemes/schatzman_paoli/joint_step.h"
#include "math/matrix.h"
#include "math/sparse_lu.h"
#include "problem/contact_law.h"
#include <math.h>

static const double SLACK = 1e-6;      /* the compliance of contacts, relative: it slows Newton's method by no more than this */
static const double BEYOND = 1 + 1e-6; /* friction that is at its bound is reduced where it is this times as large       */

struct ss_joint_step {
    ss_context *ctx;
    ss_sparse_lu *lu;
    ss_csr A, GT, HT, K; /* K: the whole system   */
    int *turns;          /* nv: of a coordinate of a rotation, the first of the three; -1: others */
    int *seen;           /* nv                      */
    double *x;           /* nv + nj + nr: w, lam, r */
    int x_cap;
};

static void find_rotations(const ss_model *m, int *turns)
{
    for (int i = 0; i < m->nv; i++) {
        turns[i] = -1;
    }
    for (int b = 0; b < m->bodies && m->dimension == 3; b++) {
        for (int i = 3; i < 6 && m->body_type[b] == SS_BODY_RIGID; i++) {
            turns[m->body_v[b] + i] = m->body_v[b] + 3;
        }
    }
}

ss_status ss_joint_step_create(ss_context *ctx, const ss_model *m, ss_joint_step **out)
{
    SS_TRY(ss_calloc(ctx, 1, sizeof **out, out));
    ss_joint_step *x = *out;
    x->ctx = ctx;
    ss_status status = ss_sparse_lu_create(ctx, &x->lu);
    status = status != SS_OK ? status : ss_calloc(ctx, (size_t)m->nv, sizeof *x->turns, &x->turns);
    status = status != SS_OK ? status : ss_calloc(ctx, (size_t)m->nv, sizeof *x->seen, &x->seen);
    if (status != SS_OK) {
        ss_joint_step_destroy(x);
        *out = NULL;
        return status;
    }
    find_rotations(m, x->turns);
    return SS_OK;
}

void ss_joint_step_destroy(ss_joint_step *x)
{
    if (x) {
        ss_csr *matrices[] = { &x->A, &x->GT, &x->HT, &x->K };
        for (size_t i = 0; i < sizeof matrices / sizeof *matrices; i++) {
            ss_csr_free(x->ctx, matrices[i]);
        }
        ss_sparse_lu_destroy(x->lu);
        ss_free(x->ctx, x->turns);
        ss_free(x->ctx, x->seen);
        ss_free(x->ctx, x->x);
        ss_free(x->ctx, x);
    }
}

/* ---- rows of the system ---------------------------------------------------------------------------- */

/* s times a row of R, from column `first` on, into the row of K being built */
static ss_status push(ss_joint_step *x, const ss_csr *R, int row, double s, int first)
{
    for (int k = R->p[row]; k < R->p[row + 1]; k++) {
        SS_TRY(ss_csr_push(x->ctx, &x->K, first + R->i[k], s * R->x[k]));
    }
    return SS_OK;
}

/* the row being built is complete, with this on its right side */
static ss_status end_row(ss_joint_step *x, double right)
{
    x->x[x->K.m] = right;
    return ss_csr_end_row(x->ctx, &x->K);
}

static ss_status put_momentum(ss_joint_step *x, const ss_problem *p)
{
    SS_TRY(ss_matrix_merge(x->ctx, &p->A, x->seen, &x->A));
    SS_TRY(ss_csr_transpose(x->ctx, &p->G, &x->GT));
    SS_TRY(ss_csr_transpose(x->ctx, &p->H, &x->HT));
    for (int i = 0; i < p->nv; i++) {
        SS_TRY(push(x, &x->A, i, 1, 0));
        SS_TRY(push(x, &x->GT, i, -1, p->nv));
        SS_TRY(push(x, &x->HT, i, -1, p->nv + p->nj));
        SS_TRY(end_row(x, p->b[i]));
    }
    return SS_OK;
}

/* T' y of the header for a rotation by x */
static ss_vec3 turned(ss_vec3 x, ss_vec3 y)
{
    const double a = ss_norm(x), half = sin(0.5 * a), small = 1e-3; /* below this the next terms are round-off */
    const double first = a < small ? 0.5 : 2 * half * half / (a * a), second = a < small ? 1.0 / 6 : (a - sin(a)) / (a * a * a);
    const ss_vec3 side = ss_cross(x, y);
    return ss_axpy(second, ss_cross(x, side), ss_axpy(first, side, y));
}

/* row i of G_end T */
static ss_status push_moving(ss_joint_step *x, const ss_joint_ends *ends, int row)
{
    const ss_csr *G = ends->G;
    for (int k = G->p[row]; k < G->p[row + 1]; k++) {
        const int at = x->turns[G->i[k]];
        if (at < 0) {
            SS_TRY(ss_csr_add(x->ctx, &x->K, x->seen, G->i[k], G->x[k]));
            continue;
        }
        double entry[3] = { 0, 0, 0 };
        entry[G->i[k] - at] = G->x[k];
        ss_v3_to(turned(ss_scale(ends->h, ss_v3_from(ends->w0 + at)), ss_v3_from(entry)), entry);
        for (int i = 0; i < 3; i++) {
            SS_TRY(ss_csr_add(x->ctx, &x->K, x->seen, at + i, entry[i]));
        }
    }
    return SS_OK;
}

static ss_status put_joint(ss_joint_step *x, const ss_joint_ends *ends, int row)
{
    const ss_problem *p = &ends->start->problem;
    if (ends->start->redundant && ends->start->redundant[row]) {
        SS_TRY(ss_csr_push(x->ctx, &x->K, p->nv + row, 1));
        return end_row(x, 0);
    }
    if (ends->by_rate[row]) {
        SS_TRY(push(x, &p->G, row, 1, 0));
        return end_row(x, p->c[row]);
    }
    SS_TRY(push_moving(x, ends, row));
    SS_TRY(end_row(x, 0));
    x->x[p->nv + row] = ss_csr_row_dot(&x->K, p->nv + row, ends->w0) - ends->g[row] / ends->h;
    return SS_OK;
}

static ss_status put_joints(ss_joint_step *x, const ss_joint_ends *ends)
{
    const ss_problem *p = &ends->start->problem;
    for (int i = 0; i < p->nv; i++) {
        x->seen[i] = -1;
    }
    for (int i = 0; i < p->nj; i++) {
        SS_TRY(put_joint(x, ends, i));
    }
    return SS_OK;
}

/* ---- contacts ---------------------------------------------------------------------------------------- */

/* the diagonal of A, by rows of x->A */
static double diagonal(const ss_joint_step *x, int i)
{
    double a = 0;
    for (int k = x->A.p[i]; k < x->A.p[i + 1]; k++) {
        a += x->A.i[k] == i ? x->A.x[k] : 0;
    }
    return a;
}

/* H_i w + w_i = SLACK d (r_i - r0_i) */
static ss_status put_held(ss_joint_step *x, const ss_assembly *a, int row)
{
    const ss_problem *p = &a->problem;
    double slack = 0;
    for (int k = p->H.p[row]; k < p->H.p[row + 1]; k++) {
        slack += SLACK * p->H.x[k] * p->H.x[k] / diagonal(x, p->H.i[k]);
    }
    SS_TRY(push(x, &p->H, row, 1, 0));
    SS_TRY(ss_csr_push(x->ctx, &x->K, p->nv + p->nj + row, -slack));
    return end_row(x, -p->w[row] - slack * a->solution.r[row]);
}

/* r_i - share r_normal = value */
static ss_status put_given(ss_joint_step *x, const ss_problem *p, int row, int normal, double share, double value)
{
    SS_TRY(ss_csr_push(x->ctx, &x->K, p->nv + p->nj + row, 1));
    SS_TRY(share != 0 ? ss_csr_push(x->ctx, &x->K, p->nv + p->nj + normal, -share) : SS_OK);
    return end_row(x, value);
}

/* Is what the guess r has beyond its normal part inside its bounds? */
static bool is_inside(const ss_problem *p, int k, const double *all)
{
    const int rows = p->row[k + 1] - p->row[k], first = ss_law_has_normal(p->law[k]) ? 1 : 0;
    const double *r = all + p->row[k];
    double more[3], projected[3];
    for (int i = 0; i < rows; i++) {
        more[i] = projected[i] = i < first ? r[i] : BEYOND * r[i];
    }
    ss_law_project(p->law[k], rows, ss_law_size(p, k, all), p->dir[k + 1] - p->dir[k], p->direction + 2 * p->dir[k], projected);
    return memcmp(more, projected, (size_t)rows * sizeof *more) == 0;
}

/* what a moment that turns has of the normal impulse of its host stays the same */
static ss_status put_moment(ss_joint_step *x, const ss_assembly *a, int k)
{
    const ss_problem *p = &a->problem;
    const int normal = p->row[p->host[k]];
    const double load = a->solution.r[normal];
    const bool held = load > 0 && is_inside(p, k, a->solution.r);
    for (int row = p->row[k]; row < p->row[k + 1]; row++) {
        const double share = load > 0 ? a->solution.r[row] / load : 0;
        SS_TRY(held ? put_held(x, a, row) : put_given(x, p, row, normal, share, 0));
    }
    return SS_OK;
}

static ss_status put_contact(ss_joint_step *x, const ss_assembly *a, int k)
{
    const ss_problem *p = &a->problem;
    const int normal = p->row[k];
    const double *r = a->solution.r + normal;
    const bool bounded = p->law[k] == SS_LAW_BOUNDED, pressed = bounded || r[0] > 0,
               inside = pressed && is_inside(p, k, a->solution.r);
    for (int row = normal; row < p->row[k + 1]; row++) {
        const bool held = inside || (pressed && !bounded && row == normal);
        const double share = pressed && row > normal ? r[row - normal] / r[0] : 0;
        SS_TRY(held ? put_held(x, a, row) : put_given(x, p, row, normal, share, bounded ? r[0] : 0));
    }
    return SS_OK;
}

/* ---- the whole ------------------------------------------------------------------------------------- */

ss_status ss_joint_step_find(ss_joint_step *x, const ss_joint_ends *ends, const double **w)
{
    const ss_problem *p = &ends->start->problem;
    const int n = p->nv + p->nj + p->row[p->nc];
    bool regular;
    SS_TRY(ss_reserve(x->ctx, &x->x, &x->x_cap, n, sizeof *x->x));
    ss_csr_reset(&x->K, n);
    SS_TRY(put_momentum(x, p));
    SS_TRY(put_joints(x, ends));
    for (int k = 0; k < p->nc; k++) {
        SS_TRY(p->law[k] == SS_LAW_ROLLING ? put_moment(x, ends->start, k) : put_contact(x, ends->start, k));
    }
    ss_sparse_lu_forget(x->lu);
    SS_TRY(ss_sparse_lu_factor(x->lu, &x->K, &regular));
    *w = regular ? x->x : NULL;
    return regular ? ss_sparse_lu_solve(x->lu, x->x) : SS_OK;
}
