/* tangent.c - M minus the derivatives of the forces, with bodies that no force touches left block diagonal.
 *
 *     A = M + S,   S = -a k_v - b k_q        k_v = dk/dv,  k_q = dk/dq along a displacement of velocity kind
 *
 * k is the sum of all forces, or in a definite tangent the model of the stiff ones, whose derivatives are negative semidefinite.
 * S has rows only for bodies that a spring, a damper, another force, a motor's force or a user block acts on, so that one
 * damper on one body of a thousand costs what one body costs. Such bodies have their gyroscopic terms in S too; all others
 * have none.
 * Symmetric   A is handed over as symmetric where it is so up to round-off and positive definite; springs are, gyroscopic
 *             forces are not. Only the touched bodies are looked at: the others are M alone. A definite tangent is both.
 * Scale       the blocks of A's symmetric part where all are positive definite, else those of M (a spring about to buckle:
 *             only a scale is lost)
 * Cost        the Jacobian of the forces; an L D L' of the touched bodies where S is symmetric but not known to be definite */
#include "kernels/tangent.h"
#include "base/tolerances.h"
#include "math/sparse_ldl.h"
#include "math/worse.h"
#include "model/assemble.h"
#include "model/drives.h"
#include "model/primitives.h"
#include "model/stiff.h"
#include <math.h>

struct ss_tangent {
    ss_context *ctx;
    const ss_model *m;
    ss_stiff *stiff; /* a definite tangent; else NULL */
    bool *touched;   /* bodies */
    bool any;
    bool turning; /* bodies that turn are touched by their own inertia    */
    ss_csr k_q, k_v;
    ss_csr S, T;        /* T: its transpose                              */
    ss_csr core;        /* A over the touched bodies alone               */
    ss_sparse_ldl *ldl; /* of it                                         */
    ss_blockdiag B;     /* blocks of A's symmetric part                  */
    double *factor;     /* of B                                          */
};

static void touch(ss_tangent *x, int body)
{
    if (ss_model_is_dynamic(x->m, body)) {
        x->touched[body] = x->any = true;
    }
}

static void find_touched(ss_tangent *x)
{
    const ss_model *m = x->m;
    x->any = false;
    memset(x->touched, 0, (size_t)m->bodies * sizeof *x->touched);
    for (int i = 0; i < m->forces; i++) {
        if (!x->stiff || ss_force_is_stiff(&m->force[i])) {
            touch(x, m->force[i].at[0].body);
            touch(x, m->force[i].at[1].body);
        }
    }
    for (int i = 0; i < SS_SIMPLEX_NODES * m->simplices; i++) {
        const ss_simplex *e = &m->simplex[i / SS_SIMPLEX_NODES];
        touch(x, e->at[i % e->nodes].body);
    }
    for (int j = 0; j < m->joints; j++) {
        if ((m->joint[j].motor.force && !x->stiff) || ss_joint_has_drive(&m->joint[j])) {
            touch(x, m->joint[j].at[0].body);
            touch(x, m->joint[j].at[1].body);
        }
    }
    for (int b = 0; b < m->bodies; b++) {
        if (x->stiff ? ss_block_is_stiff(m, b) : ss_model_is_block(m, b)) {
            touch(x, b);
        }
    }
    for (int b = 0; x->turning && m->dimension == 3 && b < m->bodies; b++) {
        if (m->body_type[b] == SS_BODY_RIGID) {
            touch(x, b);
        }
    }
}

void ss_tangent_follow(ss_tangent *x) { find_touched(x); }

static ss_status create(ss_context *ctx, const ss_model *m, bool definite, ss_tangent **out)
{
    SS_TRY(ss_calloc(ctx, 1, sizeof **out, out));
    ss_tangent *x = *out;
    x->ctx = ctx;
    x->m = m;
    ss_status status = ss_calloc(ctx, (size_t)m->bodies + 1, sizeof *x->touched, &x->touched);
    status = status != SS_OK ? status : ss_sparse_ldl_create(ctx, &x->ldl);
    status = status != SS_OK || !definite ? status : ss_stiff_create(ctx, m, &x->stiff);
    if (status != SS_OK) {
        ss_tangent_destroy(x);
        *out = NULL;
        return status;
    }
    find_touched(x);
    return SS_OK;
}

ss_status ss_tangent_create(ss_context *ctx, const ss_model *m, ss_tangent **out) { return create(ctx, m, false, out); }

ss_status ss_tangent_create_definite(ss_context *ctx, const ss_model *m, ss_tangent **out) { return create(ctx, m, true, out); }

void ss_tangent_destroy(ss_tangent *x)
{
    if (x) {
        ss_csr *owned[] = { &x->k_q, &x->k_v, &x->S, &x->T, &x->core };
        for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) {
            ss_csr_free(x->ctx, owned[k]);
        }
        ss_sparse_ldl_destroy(x->ldl);
        ss_stiff_destroy(x->stiff);
        ss_free(x->ctx, x->touched);
        ss_free(x->ctx, (void *)x->B.start);
        ss_free(x->ctx, x->B.x);
        ss_free(x->ctx, x->factor);
        ss_free(x->ctx, x);
    }
}

void ss_tangent_touch_turning(ss_tangent *x)
{
    x->turning = true;
    find_touched(x);
}

bool ss_tangent_touches(const ss_tangent *x, int body) { return x->touched[body]; }

bool ss_tangent_touches_any(const ss_tangent *x) { return x->any; }

/* ---- derivatives --------------------------------------------------------------------------------- */

ss_status ss_tangent_take(ss_tangent *x, const ss_config *c, const double *v)
{
    const ss_model *m = x->m;
    SS_TRY(ss_model_force_jacobian(x->ctx, m, c, v, &x->k_q, &x->k_v));
    for (int b = 0; b < m->bodies; b++) {
        int rows = ss_model_is_dynamic(m, b) && !x->touched[b] ? m->mass.diagonal.size[m->body_block[b]] : 0;
        for (int i = 0; i < rows; i++) { /* its gyroscopic part */
            int row = m->body_v[b] + i;
            memset(x->k_v.x + x->k_v.p[row], 0, (size_t)(x->k_v.p[row + 1] - x->k_v.p[row]) * sizeof(double));
        }
    }
    return SS_OK;
}

void ss_tangent_settle(ss_tangent *x, const ss_config *c, double h, const double *v) { ss_stiff_settle(x->stiff, c, h, v); }

bool ss_tangent_is_settled(const ss_tangent *x, const ss_config *c, double h, const double *v)
{
    return ss_stiff_is_settled(x->stiff, c, h, v);
}

void ss_tangent_spare(const ss_tangent *x, const ss_config *c, const double *dv, double *p)
{
    ss_stiff_spare(x->stiff, c, dv, p);
}

void ss_tangent_sort(const ss_tangent *x, const ss_config *c, double h, const double *v_end, double *by_class)
{
    ss_stiff_sort(x->stiff, c, h, v_end, by_class);
}

ss_status ss_tangent_take_definite(ss_tangent *x, const ss_config *c, const double *v, double *k0)
{
    return ss_stiff_take(x->stiff, c, v, k0, &x->k_q, &x->k_v);
}

/* k_v of a rigid body in space += D, the derivative of a torque by w */
static void add_torque(ss_tangent *x, int body, ss_mat3 D)
{
    for (int j = 0; j < 3; j++) {
        const double column[3] = { D.c[j].x, D.c[j].y, D.c[j].z };
        for (int i = 0; i < 3; i++) {
            ss_pattern_at(x->m, &x->m->force_pattern, &x->k_v, body, body, 3 + i)[3 + j] += column[i];
        }
    }
}

/* of [I w] w, with a fixed [I w]: the gyroscopic torque is -w x I w */
static ss_mat3 skew_torque(const ss_tangent *x, int body, const double *v)
{
    return ss_skew(ss_rotate(x->m->body_inertia[body], ss_v3_from(v + x->m->body_v[body] + 3)));
}

ss_status ss_tangent_take_positive(ss_tangent *x, ss_arena *arena, const ss_config *c, const double *v)
{
    const ss_model *m = x->m;
    double *k0;
    ss_arena_mark mark = ss_arena_save(arena);
    SS_TRY(ss_arena_take(arena, SS_FORCE_CLASSES * (size_t)m->nv, sizeof *k0, &k0));
    ss_stiff_settle(x->stiff, c, 0, v);
    SS_TRY(ss_tangent_take_definite(x, c, v, k0));
    ss_arena_release(arena, mark);
    for (int b = 0; m->dimension == 3 && b < m->bodies; b++) {
        if (m->body_type[b] == SS_BODY_RIGID && x->touched[b]) {
            add_torque(x, b, skew_torque(x, b, v));
        }
    }
    return SS_OK;
}

void ss_tangent_turn(ss_tangent *x, int body, const double *v, ss_vec3 a)
{
    const ss_mat3 taken = skew_torque(x, body, v), turned = ss_skew(a);
    const ss_mat3 rest = ss_compose(ss_skew(ss_v3_from(v + x->m->body_v[body] + 3)), x->m->body_inertia[body]);
    ss_mat3 D;
    for (int j = 0; j < 3; j++) {
        D.c[j] = ss_sub(turned.c[j], x->stiff ? taken.c[j] : ss_sub(taken.c[j], rest.c[j]));
    }
    add_torque(x, body, D);
}

ss_status ss_tangent_stretch(ss_tangent *x, const ss_config *c, const double *v, double h)
{
    return ss_stiff_stretch(x->stiff, c, v, h, &x->k_q);
}

double ss_tangent_damping(const ss_tangent *x, const ss_blockdiag *M)
{
    double fastest = 0;
    for (int b = 0; b < M->blocks; b++) {
        for (int i = 0, n = M->size[b]; i < n; i++) {
            const int row = M->offset[b] + i;
            for (int e = x->k_v.p[row]; e < x->k_v.p[row + 1]; e++) {
                const double rate = x->k_v.i[e] == row ? -x->k_v.x[e] / M->x[M->start[b] + i * n + i] : 0;
                fastest = ss_worse(fastest, rate);
            }
        }
    }
    return fastest;
}

void ss_tangent_add(const ss_tangent *x, double c, const double *dv, const double *dx, double *p)
{
    if (dv) {
        ss_csr_times(&x->k_v, c, dv, 1, p);
    }
    if (dx) {
        ss_csr_times(&x->k_q, c, dx, 1, p);
    }
}

/* ---- S ------------------------------------------------------------------------------------------- */

/* row of a touched body, with columns of touched bodies: others have forces with this one that do not count */
static ss_status push_row(ss_tangent *x, int body, int row, double a, double b, bool *zero)
{
    const ss_pattern *p = &x->m->force_pattern;
    for (int k = p->start[body]; k < p->start[body + 1]; k++) {
        const int other = p->neighbour[k], first = x->k_v.p[row] + p->column[k];
        const int size = x->touched[other] ? x->m->mass.diagonal.size[x->m->body_block[other]] : 0;
        for (int e = first; e < first + size; e++) {
            double value = -a * x->k_v.x[e] - b * x->k_q.x[e];
            *zero = *zero && value == 0;
            SS_TRY(ss_csr_push(x->ctx, &x->S, x->k_v.i[e], value));
        }
    }
    return SS_OK;
}

/* *zero: it has no entry but zeros */
static ss_status build_sparse(ss_tangent *x, double a, double b, bool *zero)
{
    const ss_model *m = x->m;
    *zero = true;
    ss_csr_reset(&x->S, m->nv);
    for (int body = 0; body < m->bodies; body++) {
        int rows = ss_model_is_dynamic(m, body) ? m->mass.diagonal.size[m->body_block[body]] : 0;
        for (int i = 0; i < rows; i++) {
            SS_TRY(x->touched[body] ? push_row(x, body, m->body_v[body] + i, a, b, zero) : SS_OK);
            SS_TRY(ss_csr_end_row(x->ctx, &x->S));
        }
    }
    return SS_OK;
}

/* B = the blocks of M + (S + S')/2; diagonal[nv] = that of A */
static void build_scale(ss_tangent *x, const ss_blockdiag *M, double *diagonal)
{
    const ss_blockdiag *B = &x->B;
    for (int b = 0; b < B->blocks; b++) {
        int first = B->offset[b], n = B->size[b];
        double *block = B->x + B->start[b];
        memcpy(block, M->x + M->start[b], (size_t)(n * n) * sizeof *block);
        for (int i = 0; i < n; i++) {
            for (int e = x->S.p[first + i]; e < x->S.p[first + i + 1]; e++) {
                int j = x->S.i[e] - first;
                if (j >= 0 && j < n) {
                    block[i * n + j] += 0.5 * x->S.x[e];
                    block[j * n + i] += 0.5 * x->S.x[e];
                }
            }
        }
        for (int i = 0; i < n; i++) {
            diagonal[first + i] = block[i * n + i];
        }
    }
}

/* ---- symmetric and positive definite? -------------------------------------------------------------- */

/* Is S symmetric but for round-off? Then it is made so to the last bit. */
static ss_status symmetrise(ss_tangent *x, const double *diagonal, bool *symmetric)
{
    ss_csr *S = &x->S, *T = &x->T;
    SS_TRY(ss_csr_transpose(x->ctx, S, T));
    *symmetric = ss_csr_same_pattern(S, T);
    for (int i = 0; *symmetric && i < S->m; i++) {
        for (int e = S->p[i]; e < S->p[i + 1]; e++) {
            *symmetric = *symmetric && fabs(S->x[e] - T->x[e]) <= SS_TOL_SYMMETRIC * fmin(diagonal[i], diagonal[S->i[e]]);
        }
    }
    for (int e = 0; *symmetric && e < S->p[S->m]; e++) {
        S->x[e] = 0.5 * (S->x[e] + T->x[e]);
    }
    return SS_OK;
}

/* row i of M + S, columns numbered over the touched bodies; the pattern of S holds the whole block of M */
static ss_status core_row(ss_tangent *x, const ss_csr *S, const ss_blockdiag *M, int block, int i, const int *place)
{
    int first = M->offset[block], n = M->size[block];
    for (int e = S->p[i]; e < S->p[i + 1]; e++) {
        int j = S->i[e] - first;
        double mass = j >= 0 && j < n ? M->x[M->start[block] + (i - first) * n + j] : 0;
        SS_TRY(ss_csr_push(x->ctx, &x->core, place[S->i[e]], mass + S->x[e]));
    }
    return ss_csr_end_row(x->ctx, &x->core);
}

/* are the touched bodies positive definite together, with a symmetric S? */
static ss_status test_definite(ss_tangent *x, ss_arena *arena, const ss_csr *S, const ss_blockdiag *M, bool *definite)
{
    const ss_model *m = x->m;
    int *place, count = 0;
    SS_TRY(ss_arena_take(arena, (size_t)m->nv, sizeof *place, &place));
    for (int i = 0; i < m->nv; i++) {
        place[i] = S->p[i + 1] > S->p[i] ? count++ : -1;
    }
    ss_csr_reset(&x->core, count);
    for (int b = 0; b < M->blocks; b++) {
        for (int i = M->offset[b]; i < M->offset[b] + M->size[b]; i++) {
            if (place[i] >= 0) {
                SS_TRY(core_row(x, S, M, b, i, place));
            }
        }
    }
    return ss_sparse_ldl_factor(x->ldl, &x->core, definite);
}

/* ---- the whole ------------------------------------------------------------------------------------- */

/* room for B, which a scene without stiff forces never needs: every block has a place of its own, as M's need not have */
static ss_status reserve_scale(ss_tangent *x)
{
    if (!x->B.start) {
        const ss_blockdiag *M = &x->m->mass.diagonal;
        int *start, numbers = 0;
        SS_TRY(ss_calloc(x->ctx, (size_t)M->blocks, sizeof *start, &start));
        for (int b = 0; b < M->blocks; b++) {
            start[b] = numbers;
            numbers += M->size[b] * M->size[b];
        }
        x->B = (ss_blockdiag){ .blocks = M->blocks, .n = M->n, .offset = M->offset, .size = M->size, .start = start };
    }
    const size_t numbers = (size_t)ss_blockdiag_numbers(&x->B);
    SS_TRY(x->B.x ? SS_OK : ss_calloc(x->ctx, numbers, sizeof(double), &x->B.x));
    return x->factor ? SS_OK : ss_calloc(x->ctx, numbers, sizeof(double), &x->factor);
}

static ss_status put(ss_tangent *x, ss_arena *arena, ss_assembly *to)
{
    const ss_blockdiag *M = &to->mass.diagonal;
    ss_problem *p = &to->problem;
    double *diagonal;
    SS_TRY(reserve_scale(x));
    SS_TRY(ss_arena_take(arena, (size_t)x->m->nv, sizeof *diagonal, &diagonal));
    build_scale(x, M, diagonal);
    SS_TRY(symmetrise(x, diagonal, &p->A.symmetric));
    if (p->A.symmetric && !x->stiff) {
        SS_TRY(test_definite(x, arena, &x->S, M, &p->A.symmetric));
    }
    p->A.sparse = x->S;
    p->scale = ss_blockdiag_factor(x->ctx, &x->B, x->factor) == SS_OK ? x->B : *M;
    return SS_OK;
}

ss_status ss_tangent_put(ss_tangent *x, ss_arena *arena, double a, double b, ss_assembly *to)
{
    bool zero;
    to->problem.A = to->mass;
    to->problem.scale = to->mass.diagonal;
    SS_TRY(build_sparse(x, a, b, &zero));
    if (zero) {
        return SS_OK;
    }
    ss_arena_mark mark = ss_arena_save(arena);
    ss_status status = put(x, arena, to);
    ss_arena_release(arena, mark);
    return status;
}

ss_status ss_tangent_is_positive(ss_tangent *x, ss_arena *arena, const ss_assembly *to, bool *positive)
{
    *positive = to->problem.A.symmetric; /* that was tested */
    if (*positive) {
        return SS_OK;
    }
    SS_TRY(ss_csr_transpose(x->ctx, &x->S, &x->T)); /* bodies that act on each other have entries both ways */
    for (int e = 0; e < x->S.p[x->S.m]; e++) {
        x->T.x[e] = 0.5 * (x->S.x[e] + x->T.x[e]);
    }
    ss_arena_mark mark = ss_arena_save(arena);
    ss_status status = test_definite(x, arena, &x->T, &to->mass.diagonal, positive);
    ss_arena_release(arena, mark);
    return status;
}
