/* phase.c - accelerations while the same contacts stay closed and hold in the same way.
 *
 *     [ M  -G' -H' ] [dv/dt]   [ k    ]
 *     [ G   0   0  ] [ lam ] = [ rate ]       sparse, unsymmetric where something slips; KLU, ordered once per phase
 *     [ laws       ] [  r  ]   [ ..   ]
 *
 * Rows         A contact that depends on others (the fourth leg of a table) has none of its own: it moves with them and its
 *              share of the load is theirs. Which ones these are is found by a Cholesky factorisation of H K^-1 H', K the
 *              saddle-point matrix of the joints, in the order of loads: so none of those that carry is left out for one that
 *              does not.
 * Slip         in 2D its sign is that of the phase; in 3D s = u_T/|u_T|, or the direction in which it began where u_T is at rest
 *              or reversed: so accelerations are smooth up to the end of slip and past it.
 * Projection   the same system with frictionless laws; Newton's method on the gaps and joints, then one solve for v.
 * Cost         a sparse factorisation per evaluation */
#include "schemes/event_capturing_rk/phase.h"
#include "math/dense.h"
#include <math.h>

static const double DEPENDENT = 1e-9; /* a pivot this much below its start */
static const double AT_REST = 1e-12;  /* a slip this slow against the velocities it is made of has no direction */
static const double EXACT = 1e-14;    /* of positions and velocities, relative */
static const double FITS = 1e-9;      /* where a projection may stall           */
enum { CORRECTIONS = 10 };

/* ---- life ---------------------------------------------------------------------------------------- */

static ss_status fill(ss_phase *p, const ss_model *m, const bool *redundant)
{
    SS_TRY(ss_assembly_create(p->ctx, m, &p->at));
    p->at->redundant = redundant;
    SS_TRY(ss_sparse_lu_create(p->ctx, &p->lu));
    SS_TRY(ss_sparse_lu_create(p->ctx, &p->projector));
    SS_TRY(ss_kkt_create(p->ctx, &p->joints));
    ss_kkt_set_redundant(p->joints, 1e-9); /* as in redundancy.c */
    SS_TRY(ss_calloc(p->ctx, (size_t)m->nv * SS_FORCE_CLASSES, sizeof(double), &p->force));
    return ss_calloc(p->ctx, (size_t)m->nv, sizeof(double), &p->k);
}

ss_status ss_phase_create(ss_context *ctx, const ss_model *m, ss_friction friction, const bool *redundant, ss_phase **out)
{
    SS_TRY(ss_calloc(ctx, 1, sizeof **out, out));
    (*out)->ctx = ctx;
    (*out)->model = m;
    (*out)->friction = friction;
    ss_status status = fill(*out, m, redundant);
    if (status != SS_OK) {
        ss_phase_destroy(*out);
        *out = NULL;
    }
    return status;
}

void ss_phase_destroy(ss_phase *p)
{
    if (p) {
        ss_assembly_destroy(p->ctx, p->at);
        ss_sparse_lu_destroy(p->lu);
        ss_sparse_lu_destroy(p->projector);
        ss_kkt_destroy(p->joints);
        ss_csr_free(p->ctx, &p->Gt);
        ss_csr_free(p->ctx, &p->Ht);
        ss_csr_free(p->ctx, &p->K);
        void *owned[] = { p->held, p->force, p->k, p->rate, p->direction, p->x, p->set.c };
        for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) {
            ss_free(p->ctx, owned[i]);
        }
        ss_free(p->ctx, p);
    }
}

ss_status ss_phase_begin(ss_phase *p, ss_arena *arena)
{
    ss_sparse_lu_forget(p->lu); /* a step's bits depend on its state alone */
    ss_sparse_lu_forget(p->projector);
    return ss_config_take(arena, p->model, &p->c);
}

void ss_phase_clear(ss_phase *p) { p->n = 0; }

ss_status ss_phase_add(ss_phase *p, const ss_held *held)
{
    SS_PUSH(p->ctx, p->held, p->n, p->cap, *held);
    return SS_OK;
}

/* ---- evaluation ---------------------------------------------------------------------------------- */

/* Has a slip of size u, `along` in the direction in which it was, come to its end? One that is still fast has turned. */
static bool has_reversed(const ss_held *held, double along, double u)
{
    return along < -0.1 * u || (along <= 0 && !(u > 0.1 * held->speed && held->speed > 0));
}

/* the slip of contact k on its tangents, of unit length */
static void find_direction(ss_phase *p, int k, const double *v)
{
    const ss_problem *problem = &p->at->problem;
    const ss_held *held = &p->held[k];
    double *s = p->direction + 3 * k, size = 0, speed = 0;
    int first = problem->row[k], tangents = problem->row[k + 1] - first - 1;
    s[0] = held->sign;
    s[1] = s[2] = 0;
    if (held->hold != SS_HOLD_SLIP || tangents < 2) {
        return;
    }
    for (int i = 0; i < 2; i++) {
        int row = first + 1 + i;
        s[i] = ss_csr_row_dot(&problem->H, row, v) + p->at->w_drive[row];
        for (int j = problem->H.p[row]; j < problem->H.p[row + 1]; j++) {
            speed += fabs(problem->H.x[j] * v[problem->H.i[j]]);
        }
    }
    double begins[2] = { ss_dot(held->along, p->at->value[k].tangent[0]), ss_dot(held->along, p->at->value[k].tangent[1]) };
    s[2] = size = hypot(s[0], s[1]);
    if (!(size > AT_REST * speed) || has_reversed(held, s[0] * begins[0] + s[1] * begins[1], size)) {
        s[0] = begins[0];
        s[1] = begins[1];
        s[2] = 0;
        size = hypot(s[0], s[1]);
    }
    s[0] /= size > 0 ? size : 1;
    s[1] /= size > 0 ? size : 1;
}

/* right-hand sides of the rows of contact k */
static ss_status put_rates(ss_phase *p, int k, const double *v)
{
    const ss_problem *problem = &p->at->problem;
    const ss_held *held = &p->held[k];
    int first = problem->row[k], rows = problem->row[k + 1] - first;
    double *rate = p->rate + p->model->nj + first;
    SS_TRY(ss_contact_acceleration(p->ctx, p->model, &p->c, &held->contact, &p->at->value[k], v, rows, rate));
    for (int i = 0; i < rows; i++) {
        rate[i] = held->own[i] ? -rate[i] : 0;
    }
    if (held->hold == SS_HOLD_FULL) {
        rate[0] = -problem->mu[k] * held->sign;
    }
    return SS_OK;
}

static ss_status reserve(ss_phase *p)
{
    int rows = p->model->nj + 3 * p->n;
    SS_TRY(ss_reserve(p->ctx, &p->rate, &p->rate_cap, rows, sizeof *p->rate));
    SS_TRY(ss_reserve(p->ctx, &p->direction, &p->direction_cap, 3 * p->n, sizeof *p->direction));
    SS_TRY(ss_reserve(p->ctx, &p->x, &p->x_cap, 2 * p->model->nv + rows, sizeof *p->x));
    return ss_reserve(p->ctx, &p->set.c, &p->set_cap, p->n, sizeof *p->set.c);
}

/* M, G, H and gaps */
static ss_status place(ss_phase *p, double t, const double *q)
{
    SS_TRY(reserve(p));
    for (int k = 0; k < p->n; k++) {
        p->set.c[k] = p->held[k].contact;
    }
    p->set.n = p->n;
    ss_config_set(p->model, t, q, &p->c);
    ss_config_drive(p->model, t, t, &p->c);
    SS_TRY(ss_assembly_geometry(p->at, &p->c, &p->set, p->n, NULL, p->friction, 1));
    SS_TRY(ss_csr_transpose(p->ctx, &p->at->problem.G, &p->Gt));
    return ss_csr_transpose(p->ctx, &p->at->problem.H, &p->Ht);
}

ss_status ss_phase_evaluate(ss_phase *p, double t, const double *q, const double *v)
{
    const ss_model *m = p->model;
    SS_TRY(place(p, t, q));
    SS_TRY(ss_model_forces(p->ctx, m, &p->c, v, p->force));
    memset(p->k, 0, (size_t)m->nv * sizeof *p->k);
    for (int i = 0; i < m->nv * SS_FORCE_CLASSES; i++) {
        p->k[i % m->nv] += p->force[i];
    }
    SS_TRY(ss_model_joint_acceleration(p->ctx, m, &p->c, v, p->rate));
    for (int i = 0; p->at->redundant && i < m->nj; i++) {
        p->rate[i] = p->at->redundant[i] ? 0 : p->rate[i];
    }
    for (int k = 0; k < p->n; k++) {
        find_direction(p, k, v);
        SS_TRY(put_rates(p, k, v));
    }
    return SS_OK;
}

/* ---- the equations ------------------------------------------------------------------------------- */

ss_status ss_phase_push_forces(const ss_phase *p, int i, int first, ss_csr *A)
{
    for (int k = p->Gt.p[i]; k < p->Gt.p[i + 1]; k++) {
        SS_TRY(ss_csr_push(p->ctx, A, first + p->Gt.i[k], -p->Gt.x[k]));
    }
    for (int k = p->Ht.p[i]; k < p->Ht.p[i + 1]; k++) {
        SS_TRY(ss_csr_push(p->ctx, A, first + p->model->nj + p->Ht.i[k], -p->Ht.x[k]));
    }
    return SS_OK;
}

static ss_status push_row(const ss_phase *p, const ss_csr *R, int row, int v_first, ss_csr *A)
{
    for (int k = R->p[row]; k < R->p[row + 1]; k++) {
        SS_TRY(ss_csr_push(p->ctx, A, v_first + R->i[k], R->x[k]));
    }
    return ss_csr_end_row(p->ctx, A);
}

/* The direction of slip turns with the velocity:  d(mu r_N s_i) = mu r_N/|u| sum_l (delta_il - s_i s_l) H_l dv. */
static ss_status push_turn(ss_phase *p, int k, int i, const ss_phase_place *place, ss_csr *A)
{
    const ss_problem *problem = &p->at->problem;
    const double *s = p->direction + 3 * k;
    int first = problem->row[k] + 1, nv = p->model->nv;
    double scale = problem->mu[k] * place->multiplier[p->model->nj + problem->row[k]] / s[2], *row = p->x;
    memset(row, 0, (size_t)(2 * nv) * sizeof *row); /* the row, and which of its columns are there */
    for (int l = 0; l < 2; l++) {
        double part = scale * ((l == i - 1) - s[i - 1] * s[l]);
        for (int e = problem->H.p[first + l]; e < problem->H.p[first + l + 1]; e++) {
            row[problem->H.i[e]] += part * problem->H.x[e];
            row[nv + problem->H.i[e]] = 1;
        }
    }
    for (int j = 0; j < place->stages; j++) {
        for (int c = 0; c < nv; c++) {
            SS_TRY(row[nv + c] != 0 ? ss_csr_push(p->ctx, A, j * place->stride + c, place->weight[j] * row[c]) : SS_OK);
        }
    }
    return SS_OK;
}

/* r_T + mu s r_N = 0, or r = what the right-hand side says */
static ss_status push_given(ss_phase *p, int k, int i, const ss_phase_place *place, ss_csr *A)
{
    const ss_problem *problem = &p->at->problem;
    int first = place->first + p->model->nj + problem->row[k];
    if (p->held[k].hold == SS_HOLD_SLIP && i > 0 && !place->smooth) {
        bool turns = place->stages > 0 && p->direction[3 * k + 2] > 0;
        SS_TRY(ss_csr_push(p->ctx, A, first, problem->mu[k] * p->direction[3 * k + i - 1]));
        SS_TRY(turns ? push_turn(p, k, i, place, A) : SS_OK);
    }
    SS_TRY(ss_csr_push(p->ctx, A, first + i, 1));
    return ss_csr_end_row(p->ctx, A);
}

ss_status ss_phase_push_laws(ss_phase *p, const ss_phase_place *place, ss_csr *A)
{
    const ss_problem *problem = &p->at->problem;
    for (int i = 0; i < p->model->nj; i++) {
        bool out = p->at->redundant && p->at->redundant[i];
        SS_TRY(out ? ss_csr_push(p->ctx, A, place->first + i, 1) : SS_OK);
        SS_TRY(out ? ss_csr_end_row(p->ctx, A) : push_row(p, &problem->G, i, place->v_first, A));
    }
    for (int k = 0; k < p->n; k++) {
        for (int i = 0; i < problem->row[k + 1] - problem->row[k]; i++) {
            SS_TRY(p->held[k].own[i] ? push_row(p, &problem->H, problem->row[k] + i, place->v_first, A)
                                     : push_given(p, k, i, place, A));
        }
    }
    return SS_OK;
}

static ss_status push_mass_row(const ss_phase *p, int block, int i, ss_csr *A)
{
    const ss_blockdiag *M = &p->at->problem.M;
    int n = M->size[block];
    for (int j = 0; j < n; j++) {
        SS_TRY(ss_csr_push(p->ctx, A, M->offset[block] + j, M->x[M->start[block] + i * n + j]));
    }
    return SS_OK;
}

static ss_status factor(ss_phase *p, bool smooth, ss_sparse_lu *lu, bool *regular)
{
    const ss_blockdiag *M = &p->at->problem.M;
    int nv = p->model->nv;
    ss_csr_reset(&p->K, nv + ss_phase_rows(p));
    for (int b = 0; b < M->blocks; b++) {
        for (int i = 0; i < M->size[b]; i++) {
            SS_TRY(push_mass_row(p, b, i, &p->K));
            SS_TRY(ss_phase_push_forces(p, M->offset[b] + i, nv, &p->K));
            SS_TRY(ss_csr_end_row(p->ctx, &p->K));
        }
    }
    SS_TRY(ss_phase_push_laws(p, &(ss_phase_place){ .first = nv, .smooth = smooth }, &p->K));
    return ss_sparse_lu_factor(lu, &p->K, regular);
}

ss_status ss_phase_accelerate(ss_phase *p, double *a, double *multiplier, bool *regular)
{
    int nv = p->model->nv, rows = ss_phase_rows(p);
    SS_TRY(factor(p, false, p->lu, regular));
    if (!*regular) {
        return SS_OK;
    }
    memcpy(p->x, p->k, (size_t)nv * sizeof *p->x);
    for (int i = 0; i < rows; i++) {
        p->x[nv + i] = p->rate[i];
    }
    SS_TRY(ss_sparse_lu_solve(p->lu, p->x));
    memcpy(a, p->x, (size_t)nv * sizeof *a);
    for (int i = 0; i < rows; i++) {
        multiplier[i] = p->x[nv + i];
    }
    return SS_OK;
}

/* out = x_i/M_ii: a scale, not an inverse */
static void divide_by_mass(const ss_phase *p, const double *x, double *out)
{
    const ss_blockdiag *M = &p->at->problem.M;
    for (int b = 0; b < M->blocks; b++) {
        for (int i = 0; i < M->size[b]; i++) {
            out[M->offset[b] + i] = x[M->offset[b] + i] / M->x[M->start[b] + i * (M->size[b] + 1)];
        }
    }
}

/* sqrt(sum x_i^2/M_ii) */
static double momentum_norm(const ss_phase *p, const double *x)
{
    double sum = 0, *scaled = p->x + p->model->nv;
    divide_by_mass(p, x, scaled);
    for (int i = 0; i < p->model->nv; i++) {
        sum += x[i] * scaled[i];
    }
    return sqrt(sum);
}

/* M a - k - G' lam - H' r, and its size against the largest of the four */
static double momentum_residual(ss_phase *p, const double *a, const double *multiplier, double *R)
{
    const ss_problem *problem = &p->at->problem;
    double *part = p->x, scale = momentum_norm(p, p->k);
    ss_blockdiag_times(&problem->M, a, R);
    scale = fmax(scale, momentum_norm(p, R));
    const ss_csr *rows[2] = { &problem->G, &problem->H };
    for (int i = 0; i < 2; i++) {
        ss_csr_transpose_times(rows[i], 1, multiplier + (i == 0 ? 0 : p->model->nj), 0, part);
        scale = fmax(scale, momentum_norm(p, part));
        ss_dense_add(p->model->nv, -1, part, R);
    }
    ss_dense_add(p->model->nv, -1, p->k, R);
    double off = momentum_norm(p, R);
    return off > 0 ? off / scale : off;
}

/* the larger one, NaN if one is */
static double larger(double a, double b) { return a >= b ? a : b >= a ? b : NAN; }

/* R.a - rate, or what the law of a given multiplier lacks; the largest against the size of its terms */
typedef struct lack {
    double off, size;
} lack;

/* `free`: accelerations by forces alone; where everything is at rest there is nothing else to compare with */
static double row_residual(const ss_csr *A, int row, const double *a, const double *free, double rate, lack *worst)
{
    double size = fabs(rate), off = ss_csr_row_dot(A, row, a) - rate;
    for (int k = A->p[row]; k < A->p[row + 1]; k++) {
        size += fabs(A->x[k]) * (fabs(a[A->i[k]]) + fabs(free[A->i[k]]));
    }
    worst->off = larger(worst->off, fabs(off));
    worst->size = larger(worst->size, size);
    return off;
}

static double relative(lack worst) { return worst.off > 0 ? worst.off / worst.size : worst.off; }

/* what the law of a given multiplier lacks: r_T + mu s r_N, or r less what it is given */
static double law_residual(const ss_phase *p, int k, int i, const double *r, lack *worst)
{
    const ss_problem *problem = &p->at->problem;
    bool slides = p->held[k].hold == SS_HOLD_SLIP && i > 0;
    double friction = slides ? problem->mu[k] * p->direction[3 * k + i - 1] * r[0] : 0;
    double given = p->rate[p->model->nj + problem->row[k] + i], off = r[i] + friction - given;
    worst->off = larger(worst->off, fabs(off));
    worst->size = larger(worst->size, fabs(r[i]) + fabs(given) + (slides ? fabs(problem->mu[k] * r[0]) : 0));
    return off;
}

double ss_phase_residual(ss_phase *p, const double *a, const double *multiplier, double *R)
{
    const ss_problem *problem = &p->at->problem;
    int nv = p->model->nv, nj = p->model->nj;
    lack rows = { 0 }, laws = { 0 };
    double momentum = momentum_residual(p, a, multiplier, R), *free = p->x;
    divide_by_mass(p, p->k, free);
    for (int i = 0; i < nj; i++) {
        bool out = p->at->redundant && p->at->redundant[i];
        R[nv + i] = out ? multiplier[i] : row_residual(&problem->G, i, a, free, p->rate[i], &rows);
    }
    for (int k = 0; k < p->n; k++) {
        for (int i = 0; i < problem->row[k + 1] - problem->row[k]; i++) {
            int row = problem->row[k] + i;
            R[nv + nj + row] = p->held[k].own[i] ? row_residual(&problem->H, row, a, free, p->rate[nj + row], &rows)
                                                 : law_residual(p, k, i, multiplier + nj + problem->row[k], &laws);
        }
    }
    return larger(momentum, larger(relative(rows), relative(laws)));
}

/* ---- which rows ---------------------------------------------------------------------------------- */

/* z = K^-1 H_row' */
static ss_status respond(ss_phase *p, int row, double *b, double *z)
{
    const ss_problem *problem = &p->at->problem;
    memset(b, 0, (size_t)p->model->nv * sizeof *b);
    for (int k = problem->H.p[row]; k < problem->H.p[row + 1]; k++) {
        b[problem->H.i[k]] += problem->H.x[k];
    }
    return ss_kkt_solve(p->joints, b, NULL, z, p->at->solution.lam);
}

/* W = H K^-1 H', all rows */
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
    return left > DEPENDENT * W[i * nr + i];
}

/* contacts by load, the largest first; equal ones as they stand */
static void sort_by_load(const ss_phase *p, int *order)
{
    for (int k = 0; k < p->n; k++) {
        int at = k;
        for (; at > 0 && p->held[order[at - 1]].load < p->held[k].load; at--) {
            order[at] = order[at - 1];
        }
        order[at] = k;
    }
}

static void choose_rows(ss_phase *p, int nr, const double *W, const int *order, int *chosen, double *L)
{
    const int *row = p->at->problem.row;
    int count = 0;
    for (int tangents = 0; tangents < 2; tangents++) {
        for (int o = 0; o < p->n; o++) {
            ss_held *held = &p->held[order[o]];
            int first = row[order[o]], rows = row[order[o] + 1] - first;
            bool wanted =
                tangents ? held->hold == SS_HOLD_STICK && held->own[0] : held->hold != SS_HOLD_NONE && held->hold != SS_HOLD_FULL;
            for (int i = tangents; i < (tangents ? rows : 1); i++) {
                held->own[i] = wanted && is_independent(W, nr, first + i, count, chosen, L);
                if (held->own[i]) {
                    chosen[count++] = first + i;
                }
            }
        }
    }
}

/* one contact: H_N K^-1 (H_N' - mu H_T' s) against H_N K^-1 H_N' */
static double pivot_of(const ss_phase *p, int k, const double *normal /* W of its normal row, its own rows */)
{
    const ss_problem *problem = &p->at->problem;
    double sum = normal[0];
    for (int i = 1; i < problem->row[k + 1] - problem->row[k]; i++) {
        sum -= problem->mu[k] * p->direction[3 * k + i - 1] * normal[i];
    }
    return normal[0] > 0 ? sum / normal[0] : 1;
}

ss_status ss_phase_close(ss_phase *p, ss_arena *arena, double t, const double *q, const double *v)
{
    for (int k = 0; k < p->n; k++) {
        memset(p->held[k].own, 0, sizeof p->held[k].own);
    }
    SS_TRY(ss_phase_evaluate(p, t, q, v));
    const ss_problem *problem = &p->at->problem;
    int nr = problem->row[problem->nc], *order, *chosen;
    if (nr == 0) {
        return SS_OK;
    }
    double *W, *L;
    SS_TRY(ss_arena_take(arena, (size_t)nr * (size_t)nr, sizeof *W, &W));
    SS_TRY(ss_arena_take(arena, (size_t)nr * (size_t)nr, sizeof *L, &L));
    SS_TRY(ss_arena_take(arena, (size_t)p->n, sizeof *order, &order));
    SS_TRY(ss_arena_take(arena, (size_t)nr, sizeof *chosen, &chosen));
    SS_TRY(ss_kkt_factor(p->joints, problem));
    SS_TRY(delassus(p, arena, nr, W));
    sort_by_load(p, order);
    choose_rows(p, nr, W, order, chosen, L);
    for (int k = 0; k < p->n; k++) {
        p->held[k].pivot = p->held[k].hold == SS_HOLD_SLIP ? pivot_of(p, k, W + problem->row[k] * nr + problem->row[k]) : 1;
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
    SS_TRY(ss_kkt_factor(p->joints, problem));
    SS_TRY(respond(p, first, b, z));
    for (int i = 0; i < rows; i++) {
        normal[i] = ss_csr_row_dot(&problem->H, first + i, z);
    }
    *pivot = pivot_of(p, contact, normal);
    ss_arena_release(arena, mark);
    return SS_OK;
}

/* ---- projection ---------------------------------------------------------------------------------- */

/* x = (0, -g, keep - gap): what positions lack; returns the largest, each in its own unit */
static double position_errors(ss_phase *p)
{
    const ss_model *m = p->model;
    const ss_assembly *a = p->at;
    double off = 0, *x = p->x + m->nv;
    memset(p->x, 0, (size_t)(m->nv + ss_phase_rows(p)) * sizeof *p->x);
    for (int i = 0; i < m->nj; i++) {
        bool out = m->row_motor[i] || (a->redundant && a->redundant[i]);
        x[i] = out ? 0 : -a->g[i];
        off = fmax(off, fabs(x[i]) / m->row_unit[i]);
    }
    for (int k = 0; k < p->n; k++) {
        bool fixed = p->held[k].own[0] && p->held[k].contact.id.kind != SS_CONTACT_MOTOR;
        double lacks = fixed ? p->held[k].keep - a->value[k].gap : 0;
        x[m->nj + a->problem.row[k]] = lacks;
        off = fmax(off, fabs(lacks) / ss_contact_unit(m, &p->held[k].contact));
    }
    return off;
}

static ss_status project_positions(ss_phase *p, ss_stepper *s, double t, double *q, bool *fits)
{
    double before = 1;
    *fits = true;
    for (int k = 0; k <= CORRECTIONS; k++) {
        bool regular = true;
        SS_TRY(place(p, t, q));
        double off = position_errors(p);
        if (off <= EXACT) {
            return SS_OK;
        }
        if (!(off < before) || k == CORRECTIONS) {
            break;
        }
        before = off;
        SS_TRY(factor(p, true, p->projector, &regular));
        if (!regular) {
            before = 1;
            break;
        }
        SS_TRY(ss_sparse_lu_solve(p->projector, p->x));
        ss_model_retract(p->model, q, p->x, 1, q);
        s->report->newton(s->report, 1);
    }
    *fits = before <= FITS;
    return SS_OK;
}

/* what a row asks of velocities, relative to the velocities it is made of */
static double row_error(const ss_csr *R, int row, const double *v, double wanted)
{
    double size = fabs(wanted), off = fabs(ss_csr_row_dot(R, row, v) - wanted);
    for (int k = R->p[row]; k < R->p[row + 1]; k++) {
        size += fabs(R->x[k] * v[R->i[k]]);
    }
    return off > 0 ? off / size : 0;
}

/* x = (M v, c, -w_drive), and how far v is off */
static double velocity_errors(ss_phase *p, const double *v)
{
    const ss_problem *problem = &p->at->problem;
    double worst = 0, *x = p->x + p->model->nv;
    ss_blockdiag_times(&problem->M, v, p->x);
    for (int i = 0; i < p->model->nj; i++) {
        x[i] = problem->c[i];
        worst = fmax(worst, row_error(&problem->G, i, v, x[i]));
    }
    for (int k = 0; k < p->n; k++) {
        for (int i = 0; i < problem->row[k + 1] - problem->row[k]; i++) {
            int row = problem->row[k] + i;
            x[p->model->nj + row] = p->held[k].own[i] ? -p->at->w_drive[row] : 0;
            worst = fmax(worst, p->held[k].own[i] ? row_error(&problem->H, row, v, x[p->model->nj + row]) : 0);
        }
    }
    return worst;
}

static ss_status project_velocities(ss_phase *p, double *v, bool *fits)
{
    if (velocity_errors(p, v) <= EXACT) {
        return SS_OK;
    }
    SS_TRY(factor(p, true, p->projector, fits));
    SS_TRY(*fits ? ss_sparse_lu_solve(p->projector, p->x) : SS_OK);
    memcpy(v, p->x, *fits ? (size_t)p->model->nv * sizeof *v : 0);
    return SS_OK;
}

ss_status ss_phase_project(ss_phase *p, ss_stepper *s, double t, double *q, double *v, bool *fits)
{
    *fits = true;
    if (!ss_phase_is_bound(p)) {
        return SS_OK;
    }
    SS_TRY(project_positions(p, s, t, q, fits));
    return *fits ? project_velocities(p, v, fits) : SS_OK;
}
