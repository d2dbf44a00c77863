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
 * at the position that v leads to. Later s0 and y0 are those of the last v'. At the solution v' of the problem, `remainder` is
 * the linearised impulse minus the true p(v'). Its size is the residual of the iteration: |remainder| / max(|M v|, |M v'|, |p|)
 * in the norm of M^-1, where |p| is the largest of the sum and of each class of forces: a strained body at rest has forces of
 * springs and loads that leave nothing but round-off, which is not to be compared with itself. A remainder within the round-off
 * of the forces (model/round_off.h) is at the tolerance.
 *
 * A body that no spring, damper or other force touches has only the gyroscopic force that depends on v'. Its block of A is that
 * of M, and its gyroscopic impulse starts from that of the free body (gyroscopic.c), which is the answer where nothing else turns
 * the body, and is improved by iterating: each time the difference shrinks by about h |w|/2. A body that turns by more than half
 * a radian in h, with the velocity of the start or one that the iteration has come to, keeps the impulse of the free body: for
 * one that an impact sends whirling the iteration diverges, and what it ends with may have any energy.
 *
 * The acceleration that BAC14 stores is that of the state in which a step ends (50a): it is taken there anew when the next one
 * begins, so that it is the one of that state also where positions were projected or a step was cut.
 *
 * Cost   one evaluation of forces and Jacobian per iteration; one iteration where forces are linear */
#include "kernels/impulses.h"
#include "kernels/free_motion.h"
#include "kernels/tangent.h"
#include "math/worse.h"
#include "model/round_off.h"
#include <math.h>

/* p = p_a + c F(t + tau h, q (+) s, y), as above */
typedef struct rule {
    double c, tau, sigma;
} rule;

/* Where forces were taken last. */
typedef struct force_point {
    double *point;    /* 2 nv: as the caller tells it                         */
    double *s, *y;    /* nv: s0 and y0                                        */
    double *q;        /* q (+) s0                                             */
    ss_config config; /* there                                                */
} force_point;

/* Impulses there, by class and in sum. */
typedef struct sums {
    double *force;      /* classes x nv: c F                                    */
    double *start;      /* classes x nv: M^-1 F at the start; only if `ends`    */
    double *gyroscopic; /* nv: of the free bodies                               */
    double *impulse;    /* classes x nv: p                                      */
    double *total;      /* nv: their sum                                        */
    double *remainder;  /* nv: the linearised impulse of the problem minus `total` */
} sums;

struct ss_impulses {
    ss_context *ctx;
    const ss_model *m;
    ss_tangent *tangent;
    ss_free_motion *free;
    const ss_stepper *s; /* of the step under way */
    ss_interval step;
    rule rule;
    force_point there;
    sums p;
    bool *whirls;          /* bodies: turns by more than half a radian in h                */
    double shift;          /* of the last update                    */
    bool fresh;            /* no problem of this step has been solved */
    double *far, *scratch; /* nv                                                   */
    ss_block_factor inner; /* of M: the norm                                       */
};

ss_status ss_impulses_create(ss_context *ctx, const ss_model *m, ss_impulses **out)
{
    SS_TRY(ss_calloc(ctx, 1, sizeof **out, out));
    ss_impulses *x = *out;
    x->ctx = ctx;
    x->m = m;
    ss_status status = ss_tangent_create(ctx, m, &x->tangent);
    status = status != SS_OK ? status : ss_free_motion_create(ctx, m, &x->free);
    if (status != SS_OK) {
        ss_impulses_destroy(x);
        *out = NULL;
    }
    return status;
}

void ss_impulses_destroy(ss_impulses *x)
{
    if (x) {
        ss_tangent_destroy(x->tangent);
        ss_free_motion_destroy(x->free);
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
        x->there.s[i] = x->rule.tau * s->h * x->there.point[i];
        x->there.y[i] = (1 - x->rule.sigma) * s->v[i] + x->rule.sigma * x->there.point[nv + i];
    }
    ss_model_retract(x->m, s->q, x->there.s, 1, x->there.q);
    ss_config_set(x->m, s->t + x->rule.tau * s->h, x->there.q, &x->there.config);
}

/* ---- impulses ------------------------------------------------------------------------------------ */

/* more than half a radian in h, with the angular velocity w */
static bool is_fast(const ss_impulses *x, const double *w) { return 2 * x->step.h * ss_norm(ss_v3_from(w)) > 1; }

/* bodies that no other force touches have the gyroscopic impulse of a free body, if they turn fast, or all of them */
static void free_gyroscopic(ss_impulses *x, bool all)
{
    const ss_model *m = x->m;
    for (int b = 0; b < m->bodies && m->dimension == 3; b++) {
        if (m->body_type[b] == SS_BODY_RIGID && !ss_tangent_touches(x->tangent, b)) {
            int i = m->body_v[b] + 3;
            x->whirls[b] = x->whirls[b] || is_fast(x, x->step.v + i) || is_fast(x, x->there.point + m->nv + i);
            if (all || x->whirls[b]) {
                memcpy(x->p.impulse + SS_FORCE_GYROSCOPIC * m->nv + i, x->p.gyroscopic + i, 3 * sizeof(double));
            }
        }
    }
}

/* c F at the point, by class */
static ss_status evaluate(ss_impulses *x)
{
    move(x);
    SS_TRY(ss_model_forces(x->ctx, x->m, &x->there.config, x->there.y, x->p.force));
    for (int i = 0; i < x->m->nv * SS_FORCE_CLASSES; i++) {
        x->p.force[i] *= x->rule.c;
    }
    return SS_OK;
}

/* impulse += p_a = h (1 - theta) M a */
static void add_start(ss_impulses *x, const ss_matrix *M)
{
    const double c = x->step.h * (1 - x->step.theta);
    const int nv = x->m->nv;
    for (int kind = 0; kind < SS_FORCE_CLASSES; kind++) {
        ss_matrix_times(M, x->p.start + kind * nv, x->scratch);
        for (int i = 0; i < nv; i++) {
            x->p.impulse[kind * nv + i] += c * x->scratch[i];
        }
    }
}

/* p by class and in sum */
static void add_up(ss_impulses *x, const ss_matrix *M, bool first)
{
    const int nv = x->m->nv;
    memcpy(x->p.impulse, x->p.force, (size_t)(nv * SS_FORCE_CLASSES) * sizeof(double));
    if (x->step.ends) {
        add_start(x, M);
    }
    free_gyroscopic(x, first);
    memset(x->p.total, 0, (size_t)nv * sizeof(double));
    ss_forces_add(nv, 1, x->p.impulse, x->p.total);
}

/* M^-1 F at (t, q, v), by class */
static ss_status put_start(ss_impulses *x)
{
    const ss_interval *s = &x->step;
    ss_config_set(x->m, s->t, s->q, &x->there.config);
    SS_TRY(ss_free_motion_find(x->free, &x->there.config, s->v, 1));
    memcpy(x->p.start, x->free->by_class, (size_t)(x->m->nv * SS_FORCE_CLASSES) * sizeof(double));
    for (int kind = 0; kind < SS_FORCE_CLASSES; kind++) {
        SS_TRY(ss_free_motion_divide(x->free, x->p.start + kind * x->m->nv));
    }
    return SS_OK;
}

static ss_status take_scratch(ss_impulses *x, ss_arena *arena)
{
    const size_t nv = (size_t)x->m->nv;
    double **vectors[] = { &x->there.y, &x->there.s, &x->far, &x->p.total, &x->p.remainder, &x->p.gyroscopic, &x->scratch };
    double **by_class[] = { &x->p.force, &x->p.impulse, &x->p.start };
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        SS_TRY(ss_arena_take(arena, nv, sizeof(double), vectors[i]));
    }
    for (size_t i = 0; i < sizeof by_class / sizeof *by_class; i++) {
        SS_TRY(ss_arena_take(arena, nv * SS_FORCE_CLASSES, sizeof(double), by_class[i]));
    }
    SS_TRY(ss_arena_take(arena, 2 * nv, sizeof(double), &x->there.point));
    SS_TRY(ss_arena_take(arena, (size_t)x->m->nq, sizeof(double), &x->there.q));
    SS_TRY(ss_arena_take(arena, (size_t)x->m->bodies, sizeof *x->whirls, &x->whirls));
    return ss_config_take(arena, x->m, &x->there.config);
}

ss_status ss_impulses_begin(ss_impulses *x, ss_stepper *s, const ss_interval *step)
{
    x->step = *step;
    x->s = s;
    x->rule.c = step->h * (step->ends ? step->theta : 1);
    x->rule.tau = x->rule.sigma = step->ends ? 1 : step->theta;
    SS_TRY(take_scratch(x, s->arena));
    ss_tangent_follow(x->tangent);
    ss_model_gyroscopic_impulse(s->ctx, x->m, step->v, step->h, x->p.gyroscopic);
    if (step->ends) {
        SS_TRY(put_start(x));
    }
    ss_impulses_first(x, x->there.point);
    x->fresh = true;
    return evaluate(x);
}

ss_status ss_impulses_evaluate_at(ss_impulses *x, const double *point)
{
    const size_t size = 2 * (size_t)x->m->nv * sizeof(double);
    if (memcmp(point, x->there.point, size) != 0) { /* usually the point of the last update */
        memcpy(x->there.point, point, size);
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
        x->scratch[i] = (1 - x->rule.sigma) * s->v[i] + x->rule.sigma * last - x->there.y[i];
        x->far[i] = x->rule.tau * s->h * ((1 - s->theta) * s->v[i] + s->theta * last) - x->there.s[i];
    }
    ss_tangent_add(x->tangent, x->rule.c, x->scratch, x->far, p);
}

ss_status ss_impulses_linearise(ss_impulses *x, ss_assembly *a)
{
    const double c = x->step.h * x->step.theta;
    ss_problem *p = &a->problem;
    add_up(x, &a->mass, x->fresh);
    ss_assembly_momentum(a, x->step.v, x->p.total);
    if (!ss_tangent_touches_any(x->tangent)) {
        return SS_OK;
    }
    SS_TRY(ss_tangent_take(x->tangent, &x->there.config, x->there.y));
    add_linear_part(x, NULL, p->b);
    return ss_tangent_put(x->tangent, x->s->arena, c, c * c, a); /* J = h theta k_v + h^2 theta^2 k_q */
}

/* ---- the residual -------------------------------------------------------------------------------- */

/* of a square that round-off may have made negative; NaN stays */
static double root_of(double square) { return sqrt(ss_worse(square, 0)); }

/* sqrt(p . M^-1 p) */
static double norm(ss_impulses *x, const ss_blockdiag *M, const double *p)
{
    double sum = 0;
    memcpy(x->scratch, p, (size_t)M->n * sizeof(double));
    ss_blockdiag_solve(M, x->inner.L, x->scratch);
    for (int i = 0; i < M->n; i++) {
        sum += p[i] * x->scratch[i];
    }
    return root_of(sum);
}

/* sqrt(v . M v) */
static double speed(ss_impulses *x, const ss_blockdiag *M, const double *v)
{
    double sum = 0;
    ss_blockdiag_times(M, v, x->scratch);
    for (int i = 0; i < M->n; i++) {
        sum += v[i] * x->scratch[i];
    }
    return root_of(sum);
}

ss_status ss_impulses_update(ss_impulses *x, const ss_assembly *a, const double *v_end, double *residual)
{
    const ss_blockdiag M = a->mass.diagonal;
    memcpy(x->p.remainder, x->p.total, (size_t)M.n * sizeof(double));
    if (ss_tangent_touches_any(x->tangent)) {
        add_linear_part(x, v_end, x->p.remainder);
    }
    for (int i = 0; i < M.n; i++) {
        x->far[i] = v_end[i] - x->there.point[M.n + i];
    }
    double moved = speed(x, &M, x->far);
    x->fresh = false;
    ss_impulses_reached(x, v_end, x->there.point);
    SS_TRY(evaluate(x));
    add_up(x, &a->mass, false);
    for (int i = 0; i < M.n; i++) {
        x->p.remainder[i] -= x->p.total[i];
    }
    SS_TRY(ss_block_factor_update(x->ctx, &x->inner, &M));
    const double scale = ss_worse(norm(x, &M, x->p.total), ss_worse(speed(x, &M, x->step.v), speed(x, &M, v_end)));
    const double noise = fabs(x->rule.c) * ss_model_round_off(x->m, &x->there.config);
    *residual = ss_residual_beyond(norm(x, &M, x->p.remainder), noise, scale, x->s->tol);
    x->shift = moved > 0 ? moved / scale : moved;
    return SS_OK;
}

double ss_impulses_shift(const ss_impulses *x) { return x->shift; }

const double *ss_impulses_by_class(const ss_impulses *x) { return x->p.impulse; }

ss_status ss_impulses_report(const ss_impulses *x, ss_stepper *s, const ss_assembly *a, ss_segment segment)
{
    segment.mass = &a->mass;
    ss_segment_put_forces(&segment, x->m->nv, x->p.impulse);
    segment.impulse[SS_IMPULSE_SCHEME] = x->p.remainder;
    return s->report->segment(s->report, &segment);
}
