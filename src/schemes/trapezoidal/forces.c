/* forces.c - forces of a substep by the trapezoidal rule, linearised where it starts.
 *
 *     M~ (v' - v) = h k~ + ..                                                                              [PAGT06 eq. 2.11]
 *     M~   = M(t + h/2, q (+) h/2 v) - h/2 k_v - h^2/4 k_q                                        [PAGT06 eq. 2.12, 2.13]
 *     h k~ = h/2 (k(t, q, v) + k(t + h, q, v) + h k_q v)          the last term has h, not the printed h/2 [PAGT06 eq. 2.14]
 *
 * with k_q, k_v at (t + h, q, v). That is p(v') = h/2 (k + k') with k' = k(t + h, q (+) h/2 (v + v'), v') linearised:
 *
 *     p(v') = h/2 (k(t, q, v) + k(t + h, q, v)) + h/2 k_v (v' - v) + h^2/4 k_q (v + v')
 *     A = M~,   b = M v + p(0)
 *
 * exact      k_q and k_v are the derivatives. v'A v > 0 may fail: a spring that is compressed buckles, a body turns by much in h.
 * positive   K and C of the stiff forces, negative semidefinite (model/stiff.h), in place of [PAGT06 eq. 10.13, 10.14], which
 *            drop the sideways stiffness of a stretched spring too; of the gyroscopic force [I w] w its skew part [I w]. So A is
 *            positive for every h, and the rule is of order 1 where something is dropped.
 * auto       exact, and positive in substeps where that would not give a positive A, or that do not resolve a damper
 *            (SS_TOL_DAMPED): the rule then turns the velocity along the damper round in every step, and the derivative of its
 *            force by positions is that velocity times c.
 * Whirling   A free body whose energy a linearised gyroscopic torque would change by more than SS_TOL_WHIRLS in h (it turns by
 *            about a tenth of a radian or more) has the torque [a] w in place of -w x I w, unless `exact` is asked for. The a is
 *            such that a free body turns as by the midpoint rule (model/gyroscopic.h); the torque does no work. Its error is of
 *            order 1 in what contacts and joints do meanwhile.
 *
 * Ledger     The impulses that are entered by class are those of the trapezoidal rule, h/2 (k + k') with the true k'. What the
 *            linearised p(v') of the problem differs by is the error of the method, O(h^3). Of `positive` torques and dampers
 *            what the problem has: h [a] (w + w')/2, which does no work, and h C (v + v')/2, which never does any.
 * Cost       three evaluations of the forces, one of their derivatives, and one factorisation of A where it is not symmetric */
#include "schemes/trapezoidal/forces.h"
#include "base/tolerances.h"
#include "kernels/free_motion.h"
#include "kernels/tangent.h"
#include "model/gyroscopic.h"
#include "model/stiff.h"

/* Derivatives of the forces. */
typedef struct tangents {
    ss_tangent *exact, *positive; /* NULL: not asked for                          */
    ss_tangent *taken;            /* the one that A was made of last              */
    bool indefinite;              /* the exact one gave an A that is not positive */
} tangents;

/* Impulses of the substep. */
typedef struct impulses {
    double *first;     /* classes x nv: h/2 k(t, q, v)                        */
    double *last;      /* classes x nv: h/2 k(t + h, q, v), then all impulses */
    double *total;     /* nv: the sum of both                                 */
    double *remainder; /* nv                                                  */
} impulses;

/* Bodies whose gyroscopic torque is [a] w. */
typedef struct whirling {
    bool *is;      /* bodies                                                */
    bool any;      /* of them turns by much; the others: `positive` is taken */
    ss_vec3 *axis; /* bodies: a                                             */
} whirling;

/* What bodies would do without joints and contacts. */
typedef struct free_bodies {
    bool damped;              /* there are dampers, and no other force depends on velocities in `positive` */
    bool stiff;               /* there are springs, dampers or forces of user blocks */
    ss_assembly *a;           /* A of them alone                                     */
    ss_matrix_factor *factor; /* of it                                               */
    double *rate;             /* nv: accelerations                                   */
} free_bodies;

struct ss_trap_forces {
    ss_context *ctx;
    const ss_model *m;
    ss_trap_jacobian jacobian;
    tangents by;
    free_bodies free;
    whirling turns;
    impulses p;
    ss_arena *arena; /* of the step under way */
    ss_trap_interval substep;
    ss_config c;
    double *dv, *dx; /* nv: scratch */
};

/* ---- life ---------------------------------------------------------------------------------------- */

static bool is_damped(const ss_model *m)
{
    bool any = false;
    for (int i = 0; i < m->forces; i++) {
        any = any || m->force[i].damping > 0;
    }
    for (int i = 0; i < m->simplices; i++) {
        any = any || m->simplex[i].law->stiffness_damping > 0 || m->simplex[i].law->mass_damping > 0;
    }
    for (int k = 0; k < m->joints; k++) {
        any = any || m->joint[k].resistance.damping > 0 || m->joint[k].motor.damping > 0;
    }
    for (int b = 0; b < m->bodies; b++) {
        any = any && !ss_block_is_stiff(m, b);
    }
    return any;
}

static ss_status fill(ss_trap_forces *x)
{
    x->free.damped = is_damped(x->m);
    x->free.stiff = ss_model_has_stiff(x->m);
    if (x->jacobian != SS_TRAP_POSITIVE) {
        SS_TRY(ss_tangent_create(x->ctx, x->m, &x->by.exact));
        ss_tangent_touch_turning(x->by.exact);
    }
    if (x->jacobian != SS_TRAP_EXACT) {
        SS_TRY(ss_tangent_create_definite(x->ctx, x->m, &x->by.positive));
        ss_tangent_touch_turning(x->by.positive);
    }
    SS_TRY(ss_assembly_create(x->ctx, x->m, &x->free.a));
    return ss_matrix_factor_create(x->ctx, &x->free.factor);
}

ss_status ss_trap_forces_create(ss_context *ctx, const ss_model *m, ss_trap_jacobian jacobian, ss_trap_forces **out)
{
    SS_TRY(ss_calloc(ctx, 1, sizeof **out, out));
    (*out)->ctx = ctx;
    (*out)->m = m;
    (*out)->jacobian = jacobian;
    ss_status status = fill(*out);
    if (status != SS_OK) {
        ss_trap_forces_destroy(*out);
        *out = NULL;
    }
    return status;
}

void ss_trap_forces_destroy(ss_trap_forces *x)
{
    if (x) {
        ss_tangent_destroy(x->by.exact);
        ss_tangent_destroy(x->by.positive);
        ss_assembly_destroy(x->ctx, x->free.a);
        ss_matrix_factor_destroy(x->free.factor);
        ss_free(x->ctx, x);
    }
}

ss_status ss_trap_forces_begin(ss_trap_forces *x, ss_stepper *s)
{
    const size_t nv = (size_t)x->m->nv;
    double **by_class[] = { &x->p.first, &x->p.last },
           **vectors[] = { &x->p.total, &x->p.remainder, &x->free.rate, &x->dv, &x->dx };
    x->arena = s->arena;
    for (size_t k = 0; k < sizeof by_class / sizeof *by_class; k++) {
        SS_TRY(ss_arena_take(s->arena, nv * SS_FORCE_CLASSES, sizeof(double), by_class[k]));
    }
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++) {
        SS_TRY(ss_arena_take(s->arena, nv, sizeof(double), vectors[k]));
    }
    SS_TRY(ss_arena_take(s->arena, (size_t)x->m->bodies, sizeof *x->turns.is, &x->turns.is));
    SS_TRY(ss_arena_take(s->arena, (size_t)x->m->bodies, sizeof *x->turns.axis, &x->turns.axis));
    return ss_config_take(s->arena, x->m, &x->c);
}

/* ---- bodies that turn by much -------------------------------------------------------------------- */

static ss_vec3 rate_of(const ss_model *m, int body, const double *v) { return ss_v3_from(v + m->body_v[body] + 3); }

static void find_whirling(ss_trap_forces *x)
{
    const ss_model *m = x->m;
    const double h = x->substep.h;
    x->turns.any = false;
    for (int b = 0; m->dimension == 3 && x->jacobian != SS_TRAP_EXACT && b < m->bodies; b++) {
        x->turns.is[b] = false;
        if (m->body_type[b] == SS_BODY_RIGID) {
            const ss_vec3 w = rate_of(m, b, x->substep.v);
            x->turns.is[b] = !(ss_gyroscopic_share(&m->body_inertia[b], w, h) <= SS_TOL_WHIRLS);
            x->turns.axis[b] = x->turns.is[b] ? ss_gyroscopic_axis(&m->body_inertia[b], w, h) : w;
            x->turns.any = x->turns.any || x->turns.is[b];
        }
    }
}

/* their torque with velocities v */
static void turn(const ss_trap_forces *x, const double *v, double *k)
{
    for (int b = 0; b < x->m->bodies; b++) {
        if (x->turns.is[b]) {
            ss_v3_to(ss_cross(x->turns.axis[b], rate_of(x->m, b, v)), k + SS_FORCE_GYROSCOPIC * x->m->nv + x->m->body_v[b] + 3);
        }
    }
}

/* its derivative */
static void turn_tangent(const ss_trap_forces *x, ss_tangent *tangent)
{
    for (int b = 0; b < x->m->bodies; b++) {
        if (x->turns.is[b]) {
            ss_tangent_turn(tangent, b, x->substep.v, x->turns.axis[b]);
        }
    }
}

/* All others have the torque of `positive`, too. */
static void turn_all(ss_trap_forces *x)
{
    const ss_model *m = x->m;
    for (int b = 0; m->dimension == 3 && b < m->bodies; b++) {
        if (m->body_type[b] == SS_BODY_RIGID && !x->turns.is[b]) {
            x->turns.axis[b] = ss_rotate(m->body_inertia[b], rate_of(m, b, x->substep.v));
            x->turns.is[b] = true;
        }
    }
}

bool ss_trap_forces_whirls(const ss_trap_forces *x) { return x->turns.any; }

/* ---- impulses ------------------------------------------------------------------------------------ */

/* out = h/2 k(t, q, v) by class; the drive of the configuration is that of the instant */
static ss_status half_impulse(ss_trap_forces *x, double t, const double *q, const double *v, double *out)
{
    ss_config_set(x->m, t, q, &x->c);
    ss_config_drive(x->m, t, t, &x->c);
    SS_TRY(ss_model_forces(x->ctx, x->m, &x->c, v, out));
    turn(x, v, out);
    for (int i = 0; i < SS_FORCE_CLASSES * x->m->nv; i++) {
        out[i] *= 0.5 * x->substep.h;
    }
    return SS_OK;
}

static ss_status take_forces(ss_trap_forces *x, const ss_trap_interval *substep)
{
    x->substep = *substep;
    find_whirling(x);
    SS_TRY(half_impulse(x, substep->t, substep->q, substep->v, x->p.first));
    SS_TRY(half_impulse(x, substep->t + substep->h, substep->q, substep->v, x->p.last)); /* derivatives are taken there, too */
    memset(x->p.total, 0, (size_t)x->m->nv * sizeof(double));
    ss_forces_add(x->m->nv, 1, x->p.first, x->p.total);
    ss_forces_add(x->m->nv, 1, x->p.last, x->p.total);
    return SS_OK;
}

/* p += h/2 k_v (v_end - v) + h^2/4 k_q (v + v_end); NULL: 0 */
static void add_linear_part(ss_trap_forces *x, const double *v_end, double *p)
{
    const double half = 0.5 * x->substep.h, *v = x->substep.v;
    if (!ss_tangent_touches_any(x->by.taken)) {
        return;
    }
    for (int i = 0; i < x->m->nv; i++) {
        const double end = v_end ? v_end[i] : 0;
        x->dv[i] = half * (end - v[i]);
        x->dx[i] = half * half * (end + v[i]);
    }
    ss_tangent_add(x->by.taken, 1, x->dv, x->dx, p);
}

/* p += h/2 C (v_end - v) of `positive`: what stands in k_v besides the torques and the servos, which are no dampers */
static void add_damping(ss_trap_forces *x, const double *v_end, double *p)
{
    const double half = 0.5 * x->substep.h, *v = x->substep.v;
    for (int i = 0; i < x->m->nv; i++) {
        x->dv[i] = half * (v_end[i] - v[i]);
    }
    ss_tangent_add(x->by.taken, 1, x->dv, NULL, p);
    ss_tangent_spare(x->by.taken, &x->c, x->dv, p);
    for (int b = 0; b < x->m->bodies; b++) {
        if (x->turns.is[b]) {
            double *torque = p + x->m->body_v[b] + 3;
            ss_v3_to(ss_sub(ss_v3_from(torque), ss_cross(x->turns.axis[b], rate_of(x->m, b, x->dv))), torque);
        }
    }
}

/* p.last <- impulses of the end, by class */
static ss_status take_end(ss_trap_forces *x, const double *q_end, const double *v_end)
{
    const size_t nv = (size_t)x->m->nv;
    const bool linear = x->free.damped && x->by.taken == x->by.positive;
    double *dampers = x->p.last + SS_FORCE_DAMPER * nv, *damped = x->dx;
    if (linear) {
        add_damping(x, v_end, dampers);
        memcpy(damped, dampers, nv * sizeof(double));
    }
    SS_TRY(half_impulse(x, x->substep.t + x->substep.h, q_end, v_end, x->p.last));
    if (linear) {
        memcpy(dampers, damped, nv * sizeof(double));
    }
    return SS_OK;
}

ss_status ss_trap_forces_end(ss_trap_forces *x, const double *q_end, const double *v_end, double part)
{
    const int nv = x->m->nv;
    memcpy(x->p.remainder, x->p.total, (size_t)nv * sizeof(double));
    add_linear_part(x, v_end, x->p.remainder);
    SS_TRY(take_end(x, q_end, v_end));
    for (int i = 0; i < SS_FORCE_CLASSES * nv; i++) {
        x->p.last[i] = part * (x->p.first[i] + x->p.last[i]);
    }
    for (int i = 0; i < nv; i++) {
        x->p.remainder[i] *= part;
    }
    ss_forces_add(nv, -1, x->p.last, x->p.remainder);
    return SS_OK;
}

const double *ss_trap_forces_by_class(const ss_trap_forces *x) { return x->p.last; }

const double *ss_trap_forces_remainder(const ss_trap_forces *x) { return x->p.remainder; }

/* ---- the matrix ---------------------------------------------------------------------------------- */

/* A with the derivatives of one tangent, taken at the configuration of the last forces */
static ss_status put_tangent(ss_trap_forces *x, ss_tangent *tangent, ss_assembly *a)
{
    const double half = 0.5 * x->substep.h;
    x->by.taken = tangent;
    if (!ss_tangent_touches_any(tangent)) {
        return SS_OK;
    }
    SS_TRY(tangent == x->by.exact ? ss_tangent_take(tangent, &x->c, x->substep.v)
                                  : ss_tangent_take_positive(tangent, x->arena, &x->c, x->substep.v));
    turn_tangent(x, tangent);
    return ss_tangent_put(tangent, x->arena, half, half * half, a);
}

static ss_status put_positive(ss_trap_forces *x, ss_assembly *a)
{
    SS_TRY(put_tangent(x, x->by.positive, a));
    turn_all(x);
    return SS_OK;
}

/* Is there a damper that the substep does not resolve? */
static ss_status find_unresolved(ss_trap_forces *x, const ss_assembly *a, bool *unresolved)
{
    *unresolved = false;
    if (x->jacobian == SS_TRAP_AUTO && x->free.damped) {
        SS_TRY(ss_tangent_take_positive(x->by.positive, x->arena, &x->c, x->substep.v));
        *unresolved = 0.5 * x->substep.h * ss_tangent_damping(x->by.positive, &a->mass.diagonal) > SS_TOL_DAMPED;
    }
    return SS_OK;
}

static ss_status put_matrix(ss_trap_forces *x, ss_assembly *a)
{
    bool unresolved, positive = true;
    x->by.indefinite = false;
    SS_TRY(find_unresolved(x, a, &unresolved));
    if (!x->by.exact || unresolved) {
        return put_positive(x, a);
    }
    SS_TRY(put_tangent(x, x->by.exact, a));
    if (ss_tangent_touches_any(x->by.exact)) {
        SS_TRY(ss_tangent_is_positive(x->by.exact, x->arena, a, &positive));
    }
    x->by.indefinite = !positive;
    return x->by.indefinite && x->by.positive ? put_positive(x, a) : SS_OK;
}

static double dot(int n, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < n; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

double ss_trap_forces_stiffness(ss_trap_forces *x, const double *dv, const ss_assembly *a)
{
    const int nv = x->m->nv;
    const double half = 0.5 * x->substep.h;
    double *product = x->p.remainder; /* not in use before the substep ends */
    if (!ss_tangent_touches_any(x->by.taken)) {
        return 0;
    }
    ss_matrix_times(&a->mass, dv, product);
    const double inertia = dot(nv, dv, product);
    memset(product, 0, (size_t)nv * sizeof *product);
    ss_tangent_add(x->by.taken, half * half, NULL, dv, product);
    return inertia > 0 ? -dot(nv, dv, product) / inertia : 0;
}

bool ss_trap_forces_is_indefinite(const ss_trap_forces *x) { return x->by.indefinite; }

ss_status ss_trap_forces_put(ss_trap_forces *x, const ss_trap_interval *substep, ss_assembly *a)
{
    SS_TRY(take_forces(x, substep));
    SS_TRY(put_matrix(x, a));
    ss_assembly_momentum(a, substep->v, x->p.total);
    add_linear_part(x, NULL, a->problem.b);
    return SS_OK;
}

ss_status ss_trap_forces_accelerations(ss_trap_forces *x, const ss_trap_interval *substep, const double **out)
{
    const int nv = x->m->nv;
    ss_assembly *a = x->free.a;
    *out = NULL;
    if (!x->free.stiff) {
        return SS_OK;
    }
    SS_TRY(ss_assembly_mass(a, substep->t, substep->q));
    a->problem.A = a->mass;
    SS_TRY(ss_trap_forces_put(x, substep, a));
    SS_TRY(ss_matrix_factor_update(x->free.factor, &a->problem.A));
    SS_TRY(ss_matrix_factor_solve(x->free.factor, a->problem.b));
    for (int i = 0; i < nv; i++) {
        x->free.rate[i] = (a->problem.b[i] - substep->v[i]) / substep->h;
    }
    *out = x->free.rate;
    return SS_OK;
}
