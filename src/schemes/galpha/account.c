/* account.c - what a substep of the generalized-alpha method reports, and what it leaves for the next one.
 *
 *     p_k = M h [(1 - gamma) a_k + gamma a'_k]      impulse of each kind k of force; sum p_k = M (v~ - v)
 *     M (v' - v) = sum p_k + G' Lam + H' r
 *
 * Two segments: the substep, with the problem of velocities, whose multipliers are h lam + Lam and r [BAC14 eq. 33]; and the
 * problem of positions, for its certificate alone: nothing moves in it, and what Newton's method has left of its balance is a
 * residual of its own. The impulse of the joints besides these multipliers is p_joints - h G' lam: it comes from forces of the
 * last step. What Newton's method leaves of the sum is an entry `scheme`.
 *
 * Where velocities follow from positions (galpha_index3) there is no problem of velocities. What is reported in its place has the
 * same contacts and joints: its multipliers are h lam, lam = nu times the acceleration per displacement [BAC14 eq. 51a, 52], and
 * its offsets such that gaps and joint errors, times the velocity per displacement, are what it asks to be zero or complementary.
 */
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

/* accelerations of the end by kind, from forces, into the history; impulses of the substep by kind. Velocities without mass have
 * the scale's (model/massless.c): their accelerations are of no use but for the impulses, and add up to 0, as their forces do. */
static void advance_kind(galpha *x, int kind, double *rate, double *impulse)
{
    const int nv = x->s->model->nv;
    const ss_blockdiag *M = &x->position->problem.scale;
    double *past = x->history.rate + kind * nv, *mean = x->history.mean + kind * nv;
    ss_blockdiag_solve(M, x->inner.L, rate);
    for (int i = 0; i < nv; i++) {
        x->scratch[i] = galpha_gain(x, past[i], rate[i], x->start.mean_by_kind[kind * nv + i], &mean[i]);
        past[i] = unless_tiny(x, i, rate[i]);
        mean[i] = unless_tiny(x, i, mean[i]);
    }
    ss_blockdiag_times(M, x->scratch, impulse);
}

/* Has an impact changed velocities? */
static bool has_struck(const galpha *x)
{
    const ss_assembly *a = x->velocity;
    bool struck = false;
    for (int k = 0; k < a->problem.nc; k++) {
        if (ss_contact_has_gap(a->contacts.c[k])) { /* moments stand behind the active contacts */
            const int near = x->active.which[k];
            struck = struck || (a->solution.r[a->problem.row[k]] > 0 && -x->start.u[near] > x->around->slow[near]);
        }
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
    if (x->kind->velocities) {
        ss_csr_transpose_times(&x->position->problem.G, 1, z->lam, 0, rate);
    } else {
        const double s = galpha_rate_per_way(x);
        ss_csr_transpose_times(&x->position->problem.G, s, z->nu_joint, 0, rate);
        ss_csr_transpose_times(&x->position->problem.H, s, x->position->solution.r, 1, rate);
    }
    advance_kind(x, GALPHA_OF_JOINTS, rate, impulse + GALPHA_OF_JOINTS * nv);
    galpha_copy(nj, z->lam, x->history.lam);
    *x->history.h = x->p->restart && has_struck(x) ? -x->h : x->h;
}

/* M (v~ - v), or M (v' - v) where no impulses come on top, less the impulses of the forces, and less what Newton's method has
 * left of the balance, is due to the joints, and to it all rounding goes. Without joints it is what is left. */
static void find_rest(galpha *x, const galpha_unknowns *z, double *impulse, double *remainder)
{
    const int nv = x->s->model->nv;
    const galpha_rule r = x->rule;
    double *joints = impulse + GALPHA_OF_JOINTS * nv;
    const double *reached = x->kind->velocities ? z->v_free : z->v;
    const bool constrained = x->s->model->nj > 0 || !x->kind->velocities;
    for (int i = 0; i < nv; i++) {
        x->scratch[i] = reached[i] - x->start.v[i];
    }
    ss_matrix_times(&x->position->mass, x->scratch, joints);
    galpha_smooth_lack(x, z, remainder);
    for (int i = 0; i < nv; i++) {
        for (int kind = 0; kind < SS_FORCE_CLASSES; kind++) {
            joints[i] -= impulse[kind * nv + i];
        }
        remainder[i] = constrained ? -r.gamma * (1 - r.alpha_f) / (1 - r.alpha_m) * remainder[i] : joints[i];
        joints[i] -= remainder[i];
    }
}

/* What a substep that has not converged lacks of M v' = b + G' lam + H' r, into what is left: the ledger closes all the same. */
static void add_lack_of_velocities(galpha *x, double *remainder)
{
    const ss_assembly *a = x->velocity;
    ss_matrix_times(&a->mass, a->solution.v, x->scratch);
    ss_csr_transpose_times(&a->problem.G, -1, a->solution.lam, 1, x->scratch);
    ss_csr_transpose_times(&a->problem.H, -1, a->solution.r, 1, x->scratch);
    for (int i = 0; i < a->problem.nv; i++) {
        remainder[i] += x->scratch[i] - a->problem.b[i];
    }
}

/* The problem that stands for that of velocities where these follow from positions. */
static ss_status pose_from_positions(galpha *x, const galpha_unknowns *z)
{
    ss_assembly *a = x->velocity;
    ss_problem *p = &a->problem;
    const double per_way = galpha_velocity_per_way(x), force = x->h * galpha_rate_per_way(x);
    const ss_friction none = { .law = SS_LAW_UNILATERAL };
    SS_TRY(ss_assembly_geometry(a, &x->end.at, &x->around->near, x->gapped.n, x->gapped.which, none, x->h));
    memcpy(a->solution.v, z->v, (size_t)p->nv * sizeof(double));
    for (int i = 0; i < p->nj; i++) {
        a->solution.lam[i] = force * z->nu_joint[i];
        p->c[i] = ss_csr_row_dot(&p->G, i, z->v) - per_way * a->g[i];
    }
    for (int k = 0; k < p->nc; k++) {
        a->solution.r[k] = force * z->nu[x->gapped.which[k]];
        a->solution.u[k] = per_way * a->value[k]->gap;
        p->w[k] = a->solution.u[k] - ss_csr_row_dot(&p->H, k, z->v);
    }
    ss_assembly_momentum(a, z->v, NULL);
    ss_csr_transpose_times(&p->G, -1, a->solution.lam, 1, p->b);
    ss_csr_transpose_times(&p->H, -1, a->solution.r, 1, p->b);
    p->v_old = x->start.v;
    a->info = x->position->info;
    return SS_OK;
}

/* What the multipliers of the reported problem have of the impulse of joints. */
static void take_shown(galpha *x, const galpha_unknowns *z, double *joints)
{
    const ss_assembly *a = x->velocity;
    if (x->kind->velocities) {
        ss_csr_transpose_times(&a->problem.G, -x->h, z->lam, 1, joints);
    } else {
        ss_csr_transpose_times(&a->problem.G, -1, a->solution.lam, 1, joints);
        ss_csr_transpose_times(&a->problem.H, -1, a->solution.r, 1, joints);
    }
}

/* Does a driven body move what joints or contacts hold? */
static bool is_driven(const ss_assembly *a)
{
    bool driven = false;
    for (int i = 0; i < a->problem.nj; i++) {
        driven = driven || a->c_drive[i] != 0;
    }
    for (int row = 0; row < a->problem.row[a->problem.nc]; row++) {
        driven = driven || a->w_drive[row] != 0;
    }
    return driven;
}

/* Joints and contacts with bodies that nobody drives can only take energy. Where velocities follow from positions nothing sees to
 * that, and the audit, which looks at impulses of this substep, does not see forces that the difference formulae carry on from
 * earlier ones. */
static void remark_gain(galpha *x, const galpha_unknowns *z, const double *reactions)
{
    const int nv = x->s->model->nv;
    double work = 0, energy = 0;
    ss_matrix_times(&x->position->mass, z->v, x->scratch);
    for (int i = 0; i < nv; i++) {
        work += 0.5 * reactions[i] * (x->start.v[i] + z->v[i]);
        energy += 0.5 * z->v[i] * x->scratch[i];
    }
    if (!(work <= SS_TOL_BOUNCE * energy)) {
        x->s->report->remark(x->s->report, SS_REMARK_ENERGY, x->gapped.n > 0 ? x->position->contacts.c[0] : NULL);
    }
}

static ss_status report_velocities(galpha *x, const galpha_unknowns *z)
{
    const int nv = x->s->model->nv;
    double *rate, *impulse, *remainder;
    SS_TRY(ss_arena_take(x->s->arena, (size_t)nv, sizeof *rate, &rate));
    SS_TRY(ss_arena_take(x->s->arena, (size_t)nv, sizeof *remainder, &remainder));
    SS_TRY(ss_arena_take(x->s->arena, (size_t)(GALPHA_KINDS * nv), sizeof *impulse, &impulse));
    SS_TRY(x->kind->velocities ? SS_OK : pose_from_positions(x, z));
    advance(x, z, rate, impulse);
    find_rest(x, z, impulse, remainder);
    if (x->kind->velocities && !x->newton.converged) {
        add_lack_of_velocities(x, remainder);
    }
    const ss_segment_end from = { .t = x->start.t, .q = x->start.q, .v = x->start.v },
                         to = { .t = x->start.t + x->h, .q = x->end.q, .v = z->v };
    ss_segment segment = ss_assembly_segment(x->velocity, from, to);
    ss_segment_put_forces(&segment, nv, impulse);
    if (!x->kind->velocities && !is_driven(x->velocity)) {
        remark_gain(x, z, impulse + GALPHA_OF_JOINTS * nv);
    }
    take_shown(x, z, impulse + GALPHA_OF_JOINTS * nv);
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
