/* impulses.c - forces of a theta step, linearised for Newton's method.
 *
 *     p(v') = h F(t + theta h, q (+) s, v_th),   v_th = (1 - theta) v + theta v',   s = theta h v_th          [Aca09 eq. 16a]
 *     p(v') = h (1 - theta) M a + h theta F(t + h, q (+) s, v'),   a = M^-1 F at the start,   s = h v_th       [BAC14 eq. 50a, f]
 *
 * The second one if `ends`. Both are  p = p_a + c F(t + tau h, q (+) s, y)  with  s = tau h v_th,  y = (1 - sigma) v + sigma v'
 * and
 *
 *     p(v') ~ p_a + c (F + k_v (y - y0) + k_q (s - s0))                                F, k_v, k_q at q (+) s0, y0: a point
 *     (M - J) v' - G' lam - H' r = M v + p(0),   J = h theta k_v + h^2 theta^2 k_q                           A v' - .. = b
 *
 * At the first point s0 = 0 and y0 = v, the start of the step: a spring far stiffer than the step resolves would be off by much
 * at the position that v leads to. Later s0 and y0 are those of the last v'. The problem's impulse at its v' is what p(v') has
 * been replaced by; `rest` is by how much that is more, and its size the residual of the iteration:
 * |rest| / max(|M v|, |M v'|, |p|)  in the norm of M^-1.
 *
 * Without springs, dampers and the like only the gyroscopic force depends on v'. A = M then, block diagonal, and the
 * gyroscopic impulse starts from that of the free body (gyroscopic.c), which is the answer where nothing else turns the body,
 * and is improved by iterating: each time the difference shrinks by about h |w|/2. A body that turns by more than half a
 * radian in h keeps the impulse of the free body.
 *
 * A is handed over as symmetric where it is so up to round-off and positive definite; springs are, gyroscopic forces are not.
 *
 * The acceleration that BAC14 stores is that of the state in which a step ends (50a): it is taken there anew when the next one
 * begins, so that it is the one of that state also where positions were projected or a step was cut.
 *
 * Cost   one evaluation of forces and Jacobian per iteration; one iteration where forces are linear */
#include "kernels/impulses.h"
#include "math/sparse_ldl.h"
#include <math.h>

struct ss_impulses {
    ss_context *ctx;
    const ss_model *m;
    bool depends; /* some force but the gyroscopic one may depend on position or velocity */
    ss_interval step;
    double c, tau, sigma; /* as above                                             */
    double *start;        /* classes x nv: M^-1 F at the start; only if `ends`    */
    double *point;        /* 2 nv: where forces were taken last                   */
    ss_config there;      /* positions of it                                      */
    double *q0, *s0, *y0;
    double shift;          /* of the last update                    */
    bool fresh;            /* no problem of this step has been solved */
    double *force;         /* classes x nv: c F                                    */
    double *impulse;       /* classes x nv                                         */
    double *total, *rest;  /* nv                                                   */
    double *gyroscopic;    /* nv: of the free bodies                               */
    double *far, *scratch; /* nv                                                   */
    double *diagonal;      /* nv: of A                                             */
    ss_csr k_q, k_v, A;    /* A = M - J                                            */
    ss_csr T;              /* its transpose                                        */
    ss_sparse_ldl *ldl;    /* of A, if symmetric: is it definite?                  */
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
    status = status != SS_OK || !x->depends ? status : ss_sparse_ldl_create(ctx, &x->ldl);
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
        ss_csr_free(x->ctx, &x->T);
        ss_sparse_ldl_destroy(x->ldl);
        ss_free(x->ctx, x->B.x);
        ss_free(x->ctx, x->factor);
        ss_block_factor_free(x->ctx, &x->inner);
        ss_free(x->ctx, x);
    }
}

/* ---- points -------------------------------------------------------------------------------------- */

void ss_impulses_first(const ss_impulses *x, double *point)
{
    const size_t nv = (size_t)x->m->nv;
    memset(point, 0, nv * sizeof(double));
    memcpy(point + nv, x->step.v, nv * sizeof(double));
}

void ss_impulses_reached(const ss_impulses *x, const double *v_end, double *point)
{
    const ss_interval *s = &x->step;
    for (int i = 0; i < x->m->nv; i++) {
        point[i] = (1 - s->theta) * s->v[i] + s->theta * v_end[i];
        point[x->m->nv + i] = v_end[i];
    }
}

/* s0, y0 and positions of the point */
static void move(ss_impulses *x)
{
    const ss_interval *s = &x->step;
    const int nv = x->m->nv;
    for (int i = 0; i < nv; i++) {
        x->s0[i] = x->tau * s->h * x->point[i];
        x->y0[i] = (1 - x->sigma) * s->v[i] + x->sigma * x->point[nv + i];
    }
    ss_model_retract(x->m, s->q, x->s0, 1, x->q0);
    ss_config_set(x->m, s->t + x->tau * s->h, x->q0, &x->there);
}

/* ---- impulses ------------------------------------------------------------------------------------ */

/* bodies that turn fast, or all of them, have the gyroscopic impulse of a free body */
static void free_gyroscopic(ss_impulses *x, bool all)
{
    const ss_model *m = x->m;
    for (int b = 0; b < m->bodies && m->dimension == 3; b++) {
        if (m->body_type[b] == SS_BODY_RIGID) {
            int i = m->body_v[b] + 3;
            bool fast = 2 * x->step.h * ss_norm(ss_v3_from(x->step.v + i)) > 1;
            if (all || fast) {
                memcpy(x->impulse + SS_FORCE_GYROSCOPIC * m->nv + i, x->gyroscopic + i, 3 * sizeof(double));
            }
        }
    }
}

/* c F at the point, by class */
static ss_status evaluate(ss_impulses *x)
{
    move(x);
    SS_TRY(ss_model_forces(x->ctx, x->m, &x->there, x->y0, x->force));
    for (int i = 0; i < x->m->nv * SS_FORCE_CLASSES; i++) {
        x->force[i] *= x->c;
    }
    return SS_OK;
}

/* impulse += p_a = h (1 - theta) M a */
static void add_start(ss_impulses *x, const ss_blockdiag *M)
{
    const double c = x->step.h * (1 - x->step.theta);
    for (int kind = 0; kind < SS_FORCE_CLASSES; kind++) {
        ss_blockdiag_times(M, x->start + kind * M->n, x->scratch);
        for (int i = 0; i < M->n; i++) {
            x->impulse[kind * M->n + i] += c * x->scratch[i];
        }
    }
}

/* p by class and in sum */
static void add_up(ss_impulses *x, const ss_blockdiag *M, bool first)
{
    const int nv = x->m->nv;
    memcpy(x->impulse, x->force, (size_t)(nv * SS_FORCE_CLASSES) * sizeof(double));
    if (x->step.ends) {
        add_start(x, M);
    }
    if (!x->depends) {
        free_gyroscopic(x, first);
    }
    for (int i = 0; i < nv; i++) {
        x->total[i] = 0;
        for (int kind = 0; kind < SS_FORCE_CLASSES; kind++) {
            x->total[i] += x->impulse[kind * nv + i];
        }
    }
}

static ss_blockdiag mass_of(const ss_impulses *x, const ss_assembly *a)
{
    return (ss_blockdiag){ x->B.blocks, x->B.n, x->B.offset, x->B.size, x->B.start, a->mass };
}

/* M^-1 F at (t, q, v), by class */
static ss_status put_start(ss_impulses *x)
{
    const ss_interval *s = &x->step;
    ss_blockdiag M = x->m->mass;
    M.x = x->B.x;
    ss_config_set(x->m, s->t, s->q, &x->there);
    SS_TRY(ss_model_forces(x->ctx, x->m, &x->there, s->v, x->start));
    SS_TRY(ss_model_mass(x->ctx, x->m, s->t, s->q, M.x));
    SS_TRY(ss_block_factor_update(x->ctx, &x->inner, &M));
    for (int kind = 0; kind < SS_FORCE_CLASSES; kind++) {
        ss_blockdiag_solve(&M, x->inner.L, x->start + kind * x->m->nv);
    }
    return SS_OK;
}

static ss_status take_scratch(ss_impulses *x, ss_arena *arena)
{
    const size_t nv = (size_t)x->m->nv;
    double **vectors[] = { &x->y0, &x->s0, &x->far, &x->total, &x->rest, &x->gyroscopic, &x->scratch, &x->diagonal };
    double **by_class[] = { &x->force, &x->impulse, &x->start };
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        SS_TRY(ss_arena_take(arena, nv, sizeof(double), vectors[i]));
    }
    for (size_t i = 0; i < sizeof by_class / sizeof *by_class; i++) {
        SS_TRY(ss_arena_take(arena, nv * SS_FORCE_CLASSES, sizeof(double), by_class[i]));
    }
    SS_TRY(ss_arena_take(arena, 2 * nv, sizeof(double), &x->point));
    SS_TRY(ss_arena_take(arena, (size_t)x->m->nq, sizeof(double), &x->q0));
    return ss_config_take(arena, x->m, &x->there);
}

ss_status ss_impulses_begin(ss_impulses *x, ss_stepper *s, const ss_interval *step)
{
    x->step = *step;
    x->c = step->h * (step->ends ? step->theta : 1);
    x->tau = x->sigma = step->ends ? 1 : step->theta;
    SS_TRY(take_scratch(x, s->arena));
    if (!x->depends) {
        ss_model_gyroscopic_impulse(x->m, step->v, step->h, x->gyroscopic);
    }
    if (step->ends) {
        SS_TRY(put_start(x));
    }
    ss_impulses_first(x, x->point);
    x->fresh = true;
    return evaluate(x);
}

ss_status ss_impulses_place(ss_impulses *x, const double *point)
{
    const size_t size = 2 * (size_t)x->m->nv * sizeof(double);
    if (memcmp(point, x->point, size) != 0) { /* it is where the last update was, as a rule */
        memcpy(x->point, point, size);
        return evaluate(x);
    }
    return SS_OK;
}

/* ---- the matrix ---------------------------------------------------------------------------------- */

/* p += c (k_v (y - y0) + k_q (s - s0)) for v_end; NULL: 0 */
static void add_linear_part(ss_impulses *x, const double *v_end, double *p)
{
    const ss_interval *s = &x->step;
    for (int i = 0; i < x->m->nv; i++) {
        double last = v_end ? v_end[i] : 0;
        x->scratch[i] = (1 - x->sigma) * s->v[i] + x->sigma * last - x->y0[i];
        x->far[i] = x->tau * s->h * ((1 - s->theta) * s->v[i] + s->theta * last) - x->s0[i];
    }
    ss_csr_times(&x->k_v, x->c, x->scratch, 1, p);
    ss_csr_times(&x->k_q, x->c, x->far, 1, p);
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

static double diagonal_of(const ss_csr *A, int row)
{
    double d = 0;
    for (int k = A->p[row]; k < A->p[row + 1]; k++) {
        d += A->i[k] == row ? A->x[k] : 0;
    }
    return d;
}

/* Is A symmetric but for round-off, and positive definite? Then it is made so to the last bit. */
static ss_status symmetrise(ss_impulses *x, bool *symmetric)
{
    const double round_off = 1e-13; /* of the smaller diagonal entry: sums of a few terms */
    ss_csr *A = &x->A, *T = &x->T;
    SS_TRY(ss_csr_transpose(x->ctx, A, T));
    *symmetric = ss_csr_same_pattern(A, T);
    for (int i = 0; i < A->m; i++) {
        x->diagonal[i] = diagonal_of(A, i);
    }
    for (int i = 0; *symmetric && i < A->m; i++) {
        for (int k = A->p[i]; k < A->p[i + 1]; k++) {
            *symmetric = *symmetric && fabs(A->x[k] - T->x[k]) <= round_off * fmin(x->diagonal[i], x->diagonal[A->i[k]]);
        }
    }
    for (int k = 0; *symmetric && k < A->p[A->m]; k++) {
        A->x[k] = 0.5 * (A->x[k] + T->x[k]);
    }
    return *symmetric ? ss_sparse_ldl_factor(x->ldl, A, symmetric) : SS_OK;
}

/* A and what scales the residual */
static ss_status put_matrix(ss_impulses *x, ss_assembly *a)
{
    ss_problem *p = &a->problem;
    bool symmetric;
    add_mass(x, a->mass);
    SS_TRY(symmetrise(x, &symmetric));
    bool definite = ss_blockdiag_factor(x->ctx, &x->B, x->factor) == SS_OK;
    p->kind = symmetric ? SS_A_SYMMETRIC : SS_A_GENERAL;
    p->A = x->A;
    p->M.x = definite ? x->B.x : a->mass; /* a spring about to buckle: only a scale is lost */
    return SS_OK;
}

ss_status ss_impulses_linearise(ss_impulses *x, ss_assembly *a)
{
    const ss_model *m = x->m;
    const ss_blockdiag M = mass_of(x, a);
    ss_problem *p = &a->problem;
    add_up(x, &M, x->fresh);
    p->kind = SS_A_BLOCK_DIAGONAL;
    p->M.x = a->mass;
    ss_blockdiag_times(&p->M, x->step.v, p->b);
    for (int i = 0; i < m->nv; i++) {
        p->b[i] += x->total[i];
    }
    if (x->depends) {
        SS_TRY(ss_model_force_jacobian(x->ctx, m, &x->there, x->y0, &x->k_q, &x->k_v));
        SS_TRY(ss_csr_copy(x->ctx, &x->k_q, &x->A));
        if (put_jacobian(x)) {
            add_linear_part(x, NULL, p->b);
            SS_TRY(put_matrix(x, a));
        }
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
    const ss_blockdiag M = mass_of(x, a);
    memcpy(x->rest, x->total, (size_t)M.n * sizeof(double));
    if (a->problem.kind != SS_A_BLOCK_DIAGONAL) {
        add_linear_part(x, v_end, x->rest);
    }
    for (int i = 0; i < M.n; i++) {
        x->far[i] = v_end[i] - x->point[M.n + i];
    }
    double moved = speed(x, &M, x->far);
    x->fresh = false;
    ss_impulses_reached(x, v_end, x->point);
    SS_TRY(evaluate(x));
    add_up(x, &M, false);
    for (int i = 0; i < M.n; i++) {
        x->rest[i] -= x->total[i];
    }
    SS_TRY(ss_block_factor_update(x->ctx, &x->inner, &M));
    double scale = fmax(norm(x, &M, x->total), fmax(speed(x, &M, x->step.v), speed(x, &M, v_end)));
    double off = norm(x, &M, x->rest);
    *residual = off > 0 ? off / scale : off;
    x->shift = moved > 0 ? moved / scale : moved;
    return SS_OK;
}

double ss_impulses_shift(const ss_impulses *x) { return x->shift; }

const double *ss_impulses_by_class(const ss_impulses *x) { return x->impulse; }

ss_status ss_impulses_report(const ss_impulses *x, ss_stepper *s, const ss_assembly *a, ss_segment segment)
{
    const ss_blockdiag mass = mass_of(x, a);
    segment.level = SS_LEVEL_VELOCITY;
    segment.mass = &mass;
    segment.problem = &a->problem;
    segment.solution = &a->solution;
    segment.info = &a->info;
    segment.contacts = &a->contacts;
    segment.w_drive = a->w_drive;
    segment.c_drive = a->c_drive;
    for (int kind = 0; kind < SS_FORCE_CLASSES; kind++) {
        segment.impulse[kind] = x->impulse + kind * x->m->nv;
    }
    segment.impulse[SS_IMPULSE_SCHEME] = x->rest;
    return s->report->segment(s->report, &segment);
}
