/* implicit.c - springs, dampers and other stiff forces at the end of an Euler step, linearised at its start.
 *
 *     p(v') = h (k0 + C v' + h K v')  ~  h k(t + h, q (+) h v', v')     k0, C, K at (t + h, q, v): model/stiff.c
 *     A v' - G' lam - H' r = b,   A = M - h C - h^2 K,   b = M v + h k0 + h f          f: all other forces
 *
 * One linearisation and no iteration [AP02]; K has the lengths that springs have after the step without joints and contacts,
 * which is a linear system. Driven bodies are at the places and have the mean velocities that they reach in the step. A is
 * symmetric and positive definite for every h, so a problem has a solution whenever the one with A = M has. For a damper alone
 * v' = v / (1 + h c/m); for a spring and a damper that stay on a line it is the implicit Euler method, whose energy never grows.
 *
 * Servos    that have a limit are linear or at their limit, as they are at the end of the step: guessed at its start, and changed
 *           and solved again where the end says otherwise (model/drives.c).
 * Ledger    what C adds belongs to the dampers, what K adds to the springs; of a user block both belong to the block's class, of
 *           a servo to the applied forces.
 * Reference AP02: M. Anitescu, F. A. Potra, A time-stepping method for stiff multibody dynamics with contact and friction,
 *           IJNME 55 (2002) 753-784: solvable for h small enough, and for every h where stiff forces act between two points;
 *           in the stiff limit a step is that of joints in place of the springs
 * Cost      per Euler step the derivatives of stiff forces twice, and one factorisation of A */
#include "kernels/implicit.h"
#include "kernels/free_motion.h"
#include "kernels/tangent.h"
#include "model/stiff.h"

struct ss_implicit {
    ss_context *ctx;
    const ss_model *m;
    ss_tangent *tangent;
    ss_implicit_step step;
    ss_config c;
    ss_arena *arena; /* of the step under way                               */
    double *k0;      /* SS_FORCE_CLASSES x nv                               */
    double *way;     /* nv: h v', or a v' that is predicted                 */
    double *part;    /* nv: one of the two parts of p(v') that depend on v' */
    /* of the motion without joints and contacts */
    ss_assembly *free;        /* M and A, nothing else           */
    ss_matrix_factor *factor; /* of A                            */
    double *by_class;         /* SS_FORCE_CLASSES x nv: impulses */
    double *rate;             /* nv: (v' - v)/h                  */
};

/* ---- life ------------------------------------------------------------------------------------------- */

ss_status ss_implicit_create(ss_context *ctx, const ss_model *m, ss_implicit **out)
{
    SS_TRY(ss_calloc(ctx, 1, sizeof **out, out));
    ss_implicit *x = *out;
    x->ctx = ctx;
    x->m = m;
    ss_status status = ss_tangent_create_definite(ctx, m, &x->tangent);
    status = status != SS_OK ? status : ss_assembly_create(ctx, m, &x->free);
    status = status != SS_OK ? status : ss_matrix_factor_create(ctx, &x->factor);
    if (status != SS_OK) {
        ss_implicit_destroy(x);
        *out = NULL;
    }
    return status;
}

void ss_implicit_destroy(ss_implicit *x)
{
    if (x) {
        ss_tangent_destroy(x->tangent);
        ss_assembly_destroy(x->ctx, x->free);
        ss_matrix_factor_destroy(x->factor);
        ss_free(x->ctx, x);
    }
}

bool ss_implicit_has_any(const ss_implicit *x) { return ss_tangent_touches_any(x->tangent); }

ss_status ss_implicit_begin(ss_implicit *x, ss_stepper *s)
{
    const size_t nv = (size_t)x->m->nv;
    double **vectors[] = { &x->way, &x->part, &x->rate }, **classes[] = { &x->k0, &x->by_class };
    x->arena = s->arena;
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++) {
        SS_TRY(ss_arena_take(s->arena, nv, sizeof(double), vectors[k]));
    }
    for (size_t k = 0; k < sizeof classes / sizeof *classes; k++) {
        SS_TRY(ss_arena_take(s->arena, nv * SS_FORCE_CLASSES, sizeof(double), classes[k]));
    }
    return ss_config_take(s->arena, x->m, &x->c);
}

/* ---- impulses ----------------------------------------------------------------------------------------- */

void ss_implicit_add_rest(const ss_implicit *x, double *by_class)
{
    for (int i = 0; i < SS_FORCE_CLASSES * x->m->nv; i++) {
        by_class[i] += x->step.h * x->k0[i];
    }
}

/* add x->part, which is that of links of the class `kind`, and of blocks */
static void add_part(const ss_implicit *x, ss_force_class kind, double *by_class)
{
    const ss_model *m = x->m;
    for (int b = 0; b < m->bodies; b++) {
        if (ss_tangent_touches(x->tangent, b)) {
            const int first = m->body_v[b], n = m->mass.diagonal.size[m->body_block[b]];
            double *out = by_class + (int)(ss_model_is_block(m, b) ? ss_block_class(m, b) : kind) * m->nv;
            for (int i = first; i < first + n; i++) {
                out[i] += x->part[i];
            }
        }
    }
}

void ss_implicit_add_end(ss_implicit *x, const double *v_end, double *by_class)
{
    const size_t size = (size_t)x->m->nv * sizeof(double);
    for (int i = 0; i < x->m->nv; i++) {
        x->way[i] = x->step.h * v_end[i];
    }
    memset(x->part, 0, size);
    ss_tangent_add(x->tangent, x->step.h, v_end, NULL, x->part);
    add_part(x, SS_FORCE_DAMPER, by_class);
    memset(x->part, 0, size);
    ss_tangent_add(x->tangent, x->step.h, NULL, x->way, x->part);
    add_part(x, SS_FORCE_SPRING, by_class);
    ss_tangent_sort(x->tangent, &x->c, x->step.h, v_end, by_class);
}

/* ---- the matrix ---------------------------------------------------------------------------------------- */

ss_status ss_implicit_put(ss_implicit *x, ss_assembly *a)
{
    return ss_tangent_put(x->tangent, x->arena, x->step.h, x->step.h * x->step.h, a);
}

/* x->rate <- (v' - v)/h of the step that was linearised last, if there were neither joints nor contacts */
static ss_status find_free_rate(ss_implicit *x)
{
    const ss_implicit_step *step = &x->step;
    const int nv = x->m->nv;
    SS_TRY(ss_model_other_forces(x->ctx, x->m, &x->c, step->v, x->by_class));
    for (int i = 0; i < SS_FORCE_CLASSES * nv; i++) {
        x->by_class[i] *= step->h;
    }
    ss_implicit_add_rest(x, x->by_class);
    ss_implicit_add_end(x, step->v, x->by_class);
    memset(x->rate, 0, (size_t)nv * sizeof(double));
    ss_forces_add(nv, 1 / step->h, x->by_class, x->rate); /* (b - A v)/h */
    SS_TRY(ss_assembly_mass(x->free, step->t, step->q));
    SS_TRY(ss_implicit_put(x, x->free));
    SS_TRY(ss_matrix_factor_update(x->factor, &x->free->problem.A));
    return ss_matrix_factor_solve(x->factor, x->rate);
}

/* with the servos at their limits that are known to be */
static ss_status linearise(ss_implicit *x)
{
    const ss_implicit_step *step = &x->step;
    SS_TRY(ss_tangent_take_definite(x->tangent, &x->c, step->v, x->k0));
    SS_TRY(find_free_rate(x));
    for (int i = 0; i < x->m->nv; i++) {
        x->way[i] = step->v[i] + step->h * x->rate[i];
    }
    return ss_tangent_stretch(x->tangent, &x->c, x->way, step->h);
}

ss_status ss_implicit_linearise(ss_implicit *x, const ss_implicit_step *step)
{
    x->step = *step;
    ss_config_set(x->m, step->t + step->h, step->q, &x->c);
    ss_config_drive(x->m, step->t, step->t + step->h, &x->c);
    ss_tangent_settle(x->tangent, &x->c, 0, step->v);
    return linearise(x);
}

bool ss_implicit_is_settled(const ss_implicit *x, const double *v_end)
{
    return ss_tangent_is_settled(x->tangent, &x->c, x->step.h, v_end);
}

ss_status ss_implicit_settle(ss_implicit *x, const double *v_end)
{
    ss_tangent_settle(x->tangent, &x->c, x->step.h, v_end);
    return linearise(x);
}

ss_status ss_implicit_accelerations(ss_implicit *x, const ss_implicit_step *step, const double **out)
{
    SS_TRY(ss_implicit_linearise(x, step));
    SS_TRY(find_free_rate(x));
    *out = x->rate;
    return SS_OK;
}
