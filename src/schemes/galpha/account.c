/* account.c - what a substep of the generalized-alpha method reports, and what it leaves for the next one.
 *
 *     p_k = M h [(1 - gamma) a_k + gamma a'_k]      impulse of each kind k of force; sum p_k = M (v~ - v)
 *     M (v' - v) = sum p_k + G' Lam + H' r
 *
 * Two segments: the substep, with the problem of velocities, whose multipliers are h lam + Lam and r [BAC14 eq. 33]; and the
 * problem of positions, for its certificate alone: nothing moves in it, and what Newton's method has left of its balance is a
 * residual of its own. The impulse of the joints besides these multipliers is p_joints - h G' lam: it comes from forces of the
 * last step. What Newton's method leaves of the sum is an entry `scheme`. */
#include "base/tolerances.h"
#include "schemes/galpha/galpha_inside.h"
#include <math.h>

/* Accelerations that would move nothing in any number of steps: what rounding leaves of those of a body that has come to rest. It
 * would be made into velocities, and these into energies from nowhere, for ever. */
static double unless_tiny(const galpha *x, int i, double rate)
{
    const double least = SS_TOL_ROUND_OFF * SS_TOL_ROUND_OFF * x->s->model->v_unit[i] / (x->h * x->h);
    return fabs(rate) < least ? 0 : rate;
}

/* accelerations of the end by kind, into the history; impulses of the substep by kind */
static void advance_kind(galpha *x, int kind, double *rate, double *impulse)
{
    const int nv = x->s->model->nv;
    double *past = x->history.rate + kind * nv, *mean = x->history.mean + kind * nv;
    ss_blockdiag_solve(&x->position->mass.diagonal, x->inner.L, rate);
    for (int i = 0; i < nv; i++) {
        x->scratch[i] = galpha_gain(x, past[i], rate[i], x->start.mean_by_kind[kind * nv + i], &mean[i]);
        past[i] = unless_tiny(x, i, rate[i]);
        mean[i] = unless_tiny(x, i, mean[i]);
    }
    ss_matrix_times(&x->position->mass, x->scratch, impulse);
}

/* Has an impact changed velocities? */
static bool has_struck(const galpha *x)
{
    const ss_assembly *a = x->velocity;
    bool struck = false;
    for (int k = 0; k < a->problem.nc; k++) {
        const int near = x->active.which[k];
        const bool motor = a->contacts.c[k].id.kind == SS_CONTACT_MOTOR;
        struck = struck || (!motor && a->solution.r[a->problem.row[k]] > 0 && -x->start.u[near] > x->around->slow[near]);
    }
    return struck;
}

/* impulse[GALPHA_KINDS x nv] */
static void advance(galpha *x, const galpha_unknowns *z, double *rate, double *impulse)
{
    const int nv = x->s->model->nv, nj = x->s->model->nj;
    for (int kind = 0; kind < SS_FORCE_CLASSES; kind++) {
        memcpy(rate, x->end.force + kind * nv, (size_t)nv * sizeof *rate);
        advance_kind(x, kind, rate, impulse + kind * nv);
    }
    ss_csr_transpose_times(&x->position->problem.G, 1, z->lam, 0, rate);
    advance_kind(x, GALPHA_OF_JOINTS, rate, impulse + GALPHA_OF_JOINTS * nv);
    galpha_copy(nj, z->lam, x->history.lam);
    *x->history.h = x->p->restart && has_struck(x) ? -x->h : x->h;
}

/* M (v~ - v) less the impulses of the forces, and less what Newton's method has left of the balance, is due to the joints, and to
 * it all rounding goes. Without joints it is what is left. */
static void find_rest(galpha *x, const galpha_unknowns *z, double *impulse, double *remainder)
{
    const int nv = x->s->model->nv;
    const galpha_rule r = x->rule;
    double *joints = impulse + GALPHA_OF_JOINTS * nv;
    for (int i = 0; i < nv; i++) {
        x->scratch[i] = z->v_free[i] - x->start.v[i];
    }
    ss_matrix_times(&x->position->mass, x->scratch, joints);
    galpha_smooth_lack(x, z, remainder);
    for (int i = 0; i < nv; i++) {
        for (int kind = 0; kind < SS_FORCE_CLASSES; kind++) {
            joints[i] -= impulse[kind * nv + i];
        }
        remainder[i] = x->s->model->nj > 0 ? -r.gamma * (1 - r.alpha_f) / (1 - r.alpha_m) * remainder[i] : joints[i];
        joints[i] -= remainder[i];
    }
}

static ss_status report_velocities(galpha *x, const galpha_unknowns *z)
{
    const int nv = x->s->model->nv;
    double *rate, *impulse, *remainder;
    SS_TRY(ss_arena_take(x->s->arena, (size_t)nv, sizeof *rate, &rate));
    SS_TRY(ss_arena_take(x->s->arena, (size_t)nv, sizeof *remainder, &remainder));
    SS_TRY(ss_arena_take(x->s->arena, (size_t)(GALPHA_KINDS * nv), sizeof *impulse, &impulse));
    advance(x, z, rate, impulse);
    find_rest(x, z, impulse, remainder);
    const ss_segment_end from = { .t = x->start.t, .q = x->start.q, .v = x->start.v },
                         to = { .t = x->start.t + x->h, .q = x->end.q, .v = z->v };
    ss_segment segment = ss_assembly_segment(x->velocity, from, to);
    ss_segment_put_forces(&segment, nv, impulse);
    ss_csr_transpose_times(&x->velocity->problem.G, -x->h, z->lam, 1, impulse + GALPHA_OF_JOINTS * nv);
    segment.impulse[SS_IMPULSE_JOINTS] = impulse + GALPHA_OF_JOINTS * nv;
    segment.impulse[SS_IMPULSE_SCHEME] = remainder;
    segment.nonlinear = x->newton.residual;
    return x->s->report->segment(x->s->report, &segment);
}

static ss_status report_positions(galpha *x, const galpha_unknowns *z)
{
    const ss_segment_end end = { .t = x->start.t + x->h, .q = x->end.q, .v = z->v };
    ss_segment segment = ss_assembly_segment(x->position, end, end);
    const double *lack = galpha_displacement_lack(x, z);
    for (int i = 0; i < x->s->model->nv; i++) {
        x->position->problem.b[i] -= lack[i];
    }
    segment.level = SS_LEVEL_POSITION;
    segment.nonlinear = x->newton.displaced;
    return x->s->report->segment(x->s->report, &segment);
}

ss_status galpha_report(galpha *x)
{
    ss_contact_cache *cache = &x->s->next->cache;
    const galpha_unknowns z = galpha_unknowns_in(x, x->point);
    SS_TRY(report_velocities(x, &z));
    SS_TRY(x->position->problem.nj + x->position->problem.nc > 0 ? report_positions(x, &z) : SS_OK);
    SS_TRY(ss_assembly_remember(x->velocity, cache, SS_LEVEL_VELOCITY));
    return ss_assembly_remember(x->position, cache, SS_LEVEL_POSITION);
}
