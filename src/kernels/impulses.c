/* impulses.c - forces of a theta step by Newton's method.
 *
 *     p(v') = h F(t + theta h, q (+) s, v_th),   v_th = (1 - theta) v + theta v',   s = theta h v_th          [Aca09 eq. 16a]
 *     p(v') ~ p0 + h k_v (v_th - v0) + h k_q (s - s0)                            F, k_v, k_q at q (+) s0, v0
 *     (M - J) v' - G' lam - H' r = M v + p(0),   J = h theta k_v + h^2 theta^2 k_q                           A v' - .. = b
 *
 * The first time s0 = 0 and v0 = v, the start of the step: a spring far stiffer than the step resolves would be off by much
 * at the position that v leads to. Then s0 and v0 are those of the last v'. The problem's impulse at its v' is what p(v') has
 * been replaced by; `rest` is by how much that is more, and its size the residual of the iteration:
 * |rest| / max(|M v|, |M v'|, |p|)  in the norm of M^-1.
 *
 * Without springs, dampers and the like only the gyroscopic force depends on v'. A = M then, block diagonal, and the
 * gyroscopic impulse starts from that of the free body (gyroscopic.c), which is the answer where nothing else turns the body,
 * and is improved by iterating: each time the difference shrinks by about h |w|/2. A body that turns by more than half a
 * radian in h keeps the impulse of the free body.
 *
 * Cost   one evaluation of forces and Jacobian per iteration; one iteration where forces are linear */
#include "kernels/impulses.h"
#include <math.h>

struct ss_impulses {
    ss_context *ctx;
    const ss_model *m;
    bool depends; /* some force but the gyroscopic one may depend on position or velocity */
    ss_interval step;
    ss_config middle;
    double *q_middle, *v0;
    double *s0;            /* nv: displacement at which forces were taken last     */
    double *impulse;       /* classes x nv                                         */
    double *total, *rest;  /* nv                                                   */
    double *gyroscopic;    /* nv: of the free bodies                               */
    double *far, *scratch; /* nv                                                   */
    ss_csr k_q, k_v, A;    /* A = M - J                                            */
    ss_blockdiag B;        /* blocks of A's symmetric part                         */
    double *factor;        /* of B                                                 */
    ss_block_factor inner; /* of M: the norm                                       */
};

static bool any_dependence(const ss_model *m)
{
    bool found = m->forces > 0;
    for (int j = 0; j < m->joints; j++) {
        found = found || m->joint[j].force;
    }
    for (int b = 0; b < m->bodies; b++) {
        found = found || m->body_type[b] == SS_BODY_BLOCK;
    }
    return found;
}

ss_status ss_impulses_create(ss_context *ctx, const ss_model *m, ss_impulses **out)
{
    SS_TRY(ss_calloc(ctx, 1, sizeof **out, out));
    ss_impulses *x = *out;
    x->ctx = ctx;
    x->m = m;
    x->depends = any_dependence(m);
    x->B = m->mass;
    x->B.x = NULL;
    ss_status status = ss_calloc(ctx, ss_model_mass_size(m), sizeof(double), &x->B.x);
    status = status != SS_OK ? status : ss_calloc(ctx, ss_model_mass_size(m), sizeof(double), &x->factor);
    if (status != SS_OK) {
        ss_impulses_destroy(x);
        *out = NULL;
    }
    return status;
}

void ss_impulses_destroy(ss_impulses *x)
{
    if (x) {
        ss_csr_free(x->ctx, &x->k_q);
        ss_csr_free(x->ctx, &x->k_v);
        ss_csr_free(x->ctx, &x->A);
        ss_free(x->ctx, x->B.x);
        ss_free(x->ctx, x->factor);
        ss_block_factor_free(x->ctx, &x->inner);
        ss_free(x->ctx, x);
    }
}

/* ---- impulses ------------------------------------------------------------------------------------ */

/* positions displaced by s0 */
static void displace(ss_impulses *x)
{
    ss_model_retract(x->m, x->step.q, x->s0, 1, x->q_middle);
    ss_config_set(x->m, x->step.t + x->step.theta * x->step.h, x->q_middle, &x->middle);
}

/* the middle of a step that ends with v_end */
static void move_to(ss_impulses *x, const double *v_end)
{
    const ss_interval *s = &x->step;
    for (int i = 0; i < x->m->nv; i++) {
        x->v0[i] = (1 - s->theta) * s->v[i] + s->theta * v_end[i];
        x->s0[i] = s->theta * s->h * x->v0[i];
    }
    displace(x);
}

/* its start */
static void stay(ss_impulses *x)
{
    memcpy(x->v0, x->step.v, (size_t)x->m->nv * sizeof(double));
    memset(x->s0, 0, (size_t)x->m->nv * sizeof(double));
    displace(x);
}

/* bodies that turn fast, or all of them, have the gyroscopic impulse of a free body */
static void free_gyroscopic(ss_impulses *x, bool all)
{
    const ss_model *m = x->m;
    for (int b = 0; b < m->bodies && m->dimension == 3; b++) {
        if (m->body_type[b] == SS_BODY_RIGID) {
            int i = m->body_v[b] + 3;
            bool fast = 2 * x->step.h * ss_norm(ss_v3_from(x->step.v + i)) > 1;
            memcpy(x->impulse + SS_FORCE_GYROSCOPIC * m->nv + i, (all || fast ? x->gyroscopic : x->scratch) + i,
                   3 * sizeof(double));
        }
    }
}

/* h F in the middle, by class and in sum */
static void evaluate(ss_impulses *x, bool first)
{
    const ss_model *m = x->m;
    ss_model_forces(m, &x->middle, x->v0, x->impulse);
    for (int i = 0; i < m->nv * SS_FORCE_CLASSES; i++) {
        x->impulse[i] *= x->step.h;
    }
    if (!x->depends) {
        memcpy(x->scratch, x->impulse + SS_FORCE_GYROSCOPIC * m->nv, (size_t)m->nv * sizeof(double));
        free_gyroscopic(x, first);
    }
    for (int i = 0; i < m->nv; i++) {
        x->total[i] = 0;
        for (int kind = 0; kind < SS_FORCE_CLASSES; kind++) {
            x->total[i] += x->impulse[kind * m->nv + i];
        }
    }
}

ss_status ss_impulses_begin(ss_impulses *x, ss_stepper *s, const ss_interval *step)
{
    size_t nv = (size_t)x->m->nv;
    double **vectors[] = { &x->v0, &x->s0, &x->far, &x->total, &x->rest, &x->gyroscopic, &x->scratch };
    x->step = *step;
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        SS_TRY(ss_arena_take(s->arena, nv, sizeof(double), vectors[i]));
    }
    SS_TRY(ss_arena_take(s->arena, nv * SS_FORCE_CLASSES, sizeof(double), &x->impulse));
    SS_TRY(ss_arena_take(s->arena, (size_t)x->m->nq, sizeof(double), &x->q_middle));
    SS_TRY(ss_config_take(s->arena, x->m, &x->middle));
    if (!x->depends) {
        ss_model_gyroscopic_impulse(x->m, step->v, step->h, x->gyroscopic);
    }
    stay(x);
    evaluate(x, true);
    return SS_OK;
}

/* ---- the matrix ---------------------------------------------------------------------------------- */

/* p += h k_v (v_th - v0) + h k_q (theta h v_th - s0) with v_th = (1 - theta) v + theta v_end; v_end NULL: 0 */
static void add_linear_part(ss_impulses *x, const double *v_end, double *p)
{
    const ss_interval *s = &x->step;
    for (int i = 0; i < x->m->nv; i++) {
        double v_th = (1 - s->theta) * s->v[i] + (v_end ? s->theta * v_end[i] : 0);
        x->scratch[i] = v_th - x->v0[i];
        x->far[i] = s->theta * s->h * v_th - x->s0[i];
    }
    ss_csr_times(&x->k_v, s->h, x->scratch, 1, p);
    ss_csr_times(&x->k_q, s->h, x->far, 1, p);
}

/* A = -J; false: it is zero */
static bool put_jacobian(ss_impulses *x)
{
    double c = x->step.h * x->step.theta;
    bool any = false;
    for (int k = 0; k < x->A.p[x->A.m]; k++) {
        x->A.x[k] = -c * (x->k_v.x[k] + c * x->k_q.x[k]);
        any = any || x->A.x[k] != 0;
    }
    return any;
}

/* A += M; B = the blocks of (A + A')/2 */
static void add_mass(ss_impulses *x, const double *mass)
{
    const ss_blockdiag *B = &x->B;
    memset(B->x, 0, ss_model_mass_size(x->m) * sizeof(double));
    for (int b = 0; b < B->blocks; b++) {
        int first = B->offset[b], n = B->size[b];
        const double *M = mass + B->start[b];
        double *S = B->x + B->start[b];
        for (int i = 0; i < n; i++) {
            for (int k = x->A.p[first + i]; k < x->A.p[first + i + 1]; k++) {
                int j = x->A.i[k] - first;
                if (j >= 0 && j < n) {
                    x->A.x[k] += M[i * n + j];
                    S[i * n + j] += 0.5 * x->A.x[k];
                    S[j * n + i] += 0.5 * x->A.x[k];
                }
            }
        }
    }
}

ss_status ss_impulses_linearise(ss_impulses *x, ss_assembly *a)
{
    const ss_model *m = x->m;
    ss_problem *p = &a->problem;
    bool stiff = false;
    p->kind = SS_A_BLOCK_DIAGONAL;
    p->M.x = a->mass;
    ss_blockdiag_times(&p->M, x->step.v, p->b);
    for (int i = 0; i < m->nv; i++) {
        p->b[i] += x->total[i];
    }
    if (x->depends) {
        SS_TRY(ss_model_force_jacobian(x->ctx, m, &x->middle, x->v0, &x->k_q, &x->k_v));
        SS_TRY(ss_csr_copy(x->ctx, &x->k_q, &x->A));
        stiff = put_jacobian(x);
    }
    if (stiff) {
        add_linear_part(x, NULL, p->b);
        add_mass(x, a->mass);
        bool definite = ss_blockdiag_factor(x->ctx, &x->B, x->factor) == SS_OK;
        p->kind = SS_A_GENERAL;
        p->A = x->A;
        p->M.x = definite ? x->B.x : a->mass; /* a spring about to buckle: only a scale is lost */
    }
    return SS_OK;
}

/* ---- the residual -------------------------------------------------------------------------------- */

/* sqrt(p . M^-1 p) */
static double norm(ss_impulses *x, const ss_blockdiag *M, const double *p)
{
    double sum = 0;
    memcpy(x->scratch, p, (size_t)M->n * sizeof(double));
    ss_blockdiag_solve(M, x->inner.L, x->scratch);
    for (int i = 0; i < M->n; i++) {
        sum += p[i] * x->scratch[i];
    }
    return sqrt(fmax(sum, 0));
}

/* sqrt(v . M v) */
static double speed(ss_impulses *x, const ss_blockdiag *M, const double *v)
{
    double sum = 0;
    ss_blockdiag_times(M, v, x->scratch);
    for (int i = 0; i < M->n; i++) {
        sum += v[i] * x->scratch[i];
    }
    return sqrt(fmax(sum, 0));
}

ss_status ss_impulses_update(ss_impulses *x, const ss_assembly *a, const double *v_end, double *residual)
{
    const ss_blockdiag M = { x->B.blocks, x->B.n, x->B.offset, x->B.size, x->B.start, a->mass };
    memcpy(x->rest, x->total, (size_t)M.n * sizeof(double));
    if (a->problem.kind != SS_A_BLOCK_DIAGONAL) {
        add_linear_part(x, v_end, x->rest);
    }
    move_to(x, v_end);
    evaluate(x, false);
    for (int i = 0; i < M.n; i++) {
        x->rest[i] -= x->total[i];
    }
    SS_TRY(ss_block_factor_update(x->ctx, &x->inner, &M));
    double scale = fmax(norm(x, &M, x->total), fmax(speed(x, &M, x->step.v), speed(x, &M, v_end)));
    double off = norm(x, &M, x->rest);
    *residual = off > 0 ? off / scale : off;
    return SS_OK;
}

const double *ss_impulses_by_class(const ss_impulses *x) { return x->impulse; }

const double *ss_impulses_rest(const ss_impulses *x) { return x->rest; }
