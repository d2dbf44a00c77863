/* point.c - a substep's equations at given unknowns: where they lead to, and by how much they fail.
 *
 * The residual of a point is the largest of
 *     |h f + h G' lam - M h w|  and  |G v~ - c|/sqrt(d)    of the smooth motion, beside the speeds at hand, |x|^2 = x' M^-1 x
 *     the certificates of the two contact problems, with the unknowns for their solutions (problem/residual.h); for the
 *     momentum of that of positions |G' nu_J + H_N' nu + push - M U| beside the displacements
 *     gaps and joint errors at q', which have to be round-off, or the tolerance of the solver times the way of the substep
 *
 * Contacts take part at velocity level if their gap is closed at q* [BAC14 eq. 29h, section 7.2]. The paper has q* = q~: a
 * contact that free motion would open and others press shut is then active at position level only, approaches, and chatters (a
 * box pulled away from a wall and pushed against it). So by default those take part, too, that are closed at q'. Gaps of
 * round-off count as closed: all boxes of a stack fall by the same way from q to q~.
 * A contact whose witness is off its features at q' does not count, unless it was on them at the start and at an earlier point:
 * corners that a contact pushes over an edge, and that come back without it, would keep Newton's method from converging.
 * Symbols   galpha_inside.h; d the scale of a row, G_i M^-1 G_i'
 * Cost      rows of all contacts nearby, twice */
#include "base/tolerances.h"
#include "kernels/free_motion.h"
#include "math/worse.h"
#include "model/round_off.h"
#include "schemes/galpha/galpha_inside.h"
#include <float.h>
#include <math.h>

enum { COMES_AND_GOES = 3 }; /* closings after which a contact stays closed */

int galpha_unknowns_count(const galpha *x)
{
    const ss_model *m = x->s->model;
    return 3 * (m->nv + m->nj) + (1 + 2 * GALPHA_ROWS) * x->around->near.n;
}

galpha_unknowns galpha_unknowns_in(const galpha *x, double *at)
{
    const int nv = x->s->model->nv, nj = x->s->model->nj, n = x->around->near.n;
    galpha_unknowns z = { .v_free = at };
    z.lam = z.v_free + nv;
    z.U = z.lam + nj;
    z.nu_joint = z.U + nv;
    z.nu = z.nu_joint + nj;
    z.v = z.nu + n;
    z.lam_jump = z.v + nv;
    z.r = z.lam_jump + nj;
    z.agreed = z.r + GALPHA_ROWS * n;
    return z;
}

/* ---- positions and contacts ----------------------------------------------------------------------------- */

static void place_bodies(galpha *x, const galpha_unknowns *z)
{
    const ss_model *m = x->s->model;
    const double t = x->start.t + x->h;
    galpha_difference(x, z->v_free);
    ss_model_retract(m, x->start.q, x->end.way, 1, x->end.q_free);
    ss_model_retract(m, x->end.q_free, z->U, 1, x->end.q);
    ss_config_set(m, t, x->end.q_free, &x->end.free);
    ss_config_set(m, t, x->end.q, &x->end.at);
    ss_config_drive(m, t, t, &x->end.at);
}

/* Does contact k lie on its features there, or has it gone through them? */
static bool is_on_features(const galpha *x, int k, const ss_contact_value *there)
{
    return there->outside <= SS_TOL_ON_SURFACE * x->s->model->length || ss_vicinity_has_passed(x->around, k, there);
}

/* Did contact k lie on its features at the start, without overlap? */
static bool was_above(const galpha *x, int k)
{
    const ss_model *m = x->s->model;
    const double touch = ss_stepper_touch(x->s) * ss_contact_unit(m, &x->around->near.c[k]);
    return x->around->outside[k] <= SS_TOL_ON_SURFACE * m->length && x->around->gap[k] >= -touch;
}

/* gaps of contact k at q~ and q' */
static ss_status find_gaps(galpha *x, int k)
{
    const ss_model *m = x->s->model;
    const ss_contact *contact = &x->around->near.c[k];
    ss_contact_value free, end;
    SS_TRY(ss_contact_eval(x->ctx, m, &x->end.free, contact, &free));
    SS_TRY(ss_contact_eval(x->ctx, m, &x->end.at, contact, &end));
    x->end.gap_free[k] = is_on_features(x, k, &free) ? free.gap : INFINITY;
    x->end.gap[k] = end.gap;
    const bool on = is_on_features(x, k, &end);
    x->end.counts[k] = on || x->end.held[k];
    x->end.held[k] = x->end.held[k] || (on && was_above(x, k));
    return SS_OK;
}

/* the gap that decides whether contact k is active at velocity level [BAC14 section 7.2] */
static double gap_to_go_by(const galpha *x, int k)
{
    switch (x->p->activate) {
    case GALPHA_AT_FREE:
        return x->end.gap_free[k];
    case GALPHA_AT_START:
        return x->around->gap[k];
    case GALPHA_AT_FORECAST:
        return x->around->gap[k] + x->h * x->start.u[k];
    case GALPHA_AT_END:
        return x->end.gap[k];
    default:
        return fmin(x->end.gap_free[k], x->end.gap[k]);
    }
}

/* Does contact k take part at velocity level? One that closes without its impulse and opens with it would come and go for ever:
 * once it has closed several times it stays. */
static bool is_active(galpha *x, int k)
{
    const double touch = ss_stepper_touch(x->s) * ss_contact_unit(x->s->model, &x->around->near.c[k]);
    const bool closed = x->end.counts[k] && gap_to_go_by(x, k) <= touch;
    x->end.closings[k] += closed && !x->active.has[k];
    return x->kind->velocities && (closed || (x->end.counts[k] && x->end.closings[k] >= COMES_AND_GOES));
}

ss_status galpha_place(galpha *x, const galpha_unknowns *z)
{
    place_bodies(x, z);
    for (int k = 0; k < x->around->near.n; k++) {
        const bool motor = x->around->near.c[k].id.kind == SS_CONTACT_MOTOR, barred = x->around->passing->barred[k];
        x->end.counts[k] = false;
        SS_TRY(motor || barred ? SS_OK : find_gaps(x, k));
        x->gapped.has[k] = x->end.counts[k];
        x->active.has[k] = motor || is_active(x, k);
    }
    ss_active_list(&x->gapped);
    ss_active_list(&x->active);
    return SS_OK;
}

/* ---- the residual ------------------------------------------------------------------------------------------ */

/* sqrt(p . M^-1 p) */
static double norm_of_momentum(const galpha *x, const double *p)
{
    const ss_blockdiag *M = &x->position->problem.scale;
    double sum = 0;
    memcpy(x->scratch, p, (size_t)M->n * sizeof(double));
    ss_blockdiag_solve(M, x->inner.L, x->scratch);
    for (int i = 0; i < M->n; i++) {
        sum += p[i] * x->scratch[i];
    }
    return sqrt(ss_worse(sum, 0));
}

/* sqrt(v . M v) */
static double norm_of_velocity(const galpha *x, const double *v)
{
    const ss_blockdiag *M = &x->position->mass.diagonal;
    double sum = 0;
    ss_blockdiag_times(M, v, x->scratch);
    for (int i = 0; i < M->n; i++) {
        sum += v[i] * x->scratch[i];
    }
    return sqrt(ss_worse(sum, 0));
}

/* the largest of the speeds that v~ is made of */
static double speed_at_hand(const galpha *x, const galpha_unknowns *z)
{
    const double now = ss_worse(norm_of_velocity(x, x->start.v), norm_of_velocity(x, z->v));
    const double gained = ss_worse(norm_of_velocity(x, x->start.rate), norm_of_velocity(x, x->start.mean));
    return ss_worse(ss_worse(now, norm_of_velocity(x, z->v_free)), x->h * gained);
}

/* of the smooth motion */
static ss_status find_smooth_residual(galpha *x, const galpha_unknowns *z, double *residual)
{
    const ss_assembly *a = x->position;
    const ss_problem *p = &a->problem;
    double *lack, *d;
    SS_TRY(ss_arena_take(x->s->arena, (size_t)p->nv, sizeof *lack, &lack));
    SS_TRY(ss_arena_take(x->s->arena, (size_t)p->nj, sizeof *d, &d));
    galpha_smooth_lack(x, z, lack);
    double off = norm_of_momentum(x, lack);
    SS_TRY(ss_row_scales_update(x->ctx, &x->scales, &p->scale, x->inner.L));
    SS_TRY(ss_row_scales_of(x->ctx, &x->scales, &p->scale, x->inner.L, &p->G, NULL, d, &x->shares));
    for (int i = 0; i < p->nj && x->kind->velocities; i++) {
        const double rate = ss_csr_row_dot(&p->G, i, z->v_free) - a->target[i] - a->c_drive[i];
        off = ss_worse(off, d[i] > 0 ? fabs(rate) / sqrt(d[i]) : 0);
    }
    const double speed = speed_at_hand(x, z), scale = ss_worse(speed, x->h * norm_of_momentum(x, x->end.total));
    const double noise = x->h * ss_model_round_off(x->s->model, &x->end.at);
    *residual = off < sqrt(DBL_MIN) ? 0 : ss_residual_beyond(off, noise, scale, x->s->tol); /* squares of less are 0 */
    return SS_OK;
}

/* the largest gap of what is pushed, overlap and joint error, in their units */
static double find_misfit(const galpha *x, const galpha_unknowns *z)
{
    const ss_model *m = x->s->model;
    const ss_assembly *a = x->position;
    double off = 0;
    for (int k = 0; k < x->gapped.n; k++) {
        const int near = x->gapped.which[k];
        const double gap = x->end.gap[near] / ss_contact_unit(m, &x->around->near.c[near]);
        off = ss_worse(off, z->nu[near] > 0 ? fabs(gap) : -gap);
    }
    for (int i = 0; i < m->nj; i++) {
        off = ss_worse(off, m->row_motor[i] ? 0 : fabs(a->g[i]) / m->row_unit[i]);
    }
    return off;
}

/* The farthest way of the substep, in its unit: a solver closes gaps to its tolerance times this. */
static double find_reach(const galpha *x)
{
    double reach = 0;
    for (int i = 0; i < x->s->model->nv; i++) {
        reach = fmax(reach, fabs(x->end.way[i]) / x->s->model->v_unit[i]);
    }
    return reach;
}

/* *most: the largest |A_i' m_i| of the rows A_i with multipliers m_i */
static ss_status find_largest_push(galpha *x, const ss_csr *A, const double *multiplier, double *most)
{
    double *d;
    SS_TRY(ss_arena_take(x->s->arena, (size_t)A->m, sizeof *d, &d));
    SS_TRY(ss_row_scales_of(x->ctx, &x->scales, &x->position->problem.scale, x->inner.L, A, NULL, d, &x->shares));
    for (int i = 0; i < A->m; i++) {
        *most = ss_worse(*most, sqrt(d[i]) * fabs(multiplier[i]));
    }
    return SS_OK;
}

/* Of M U = G' nu_J + H_N' nu + push, beside the displacements of all bodies together and what each row pushes, which the balance
 * is a difference of: where a heavy body lies on a light one, rows that turn by round-off move the light one by much of its own
 * displacement, and no positions are better than others. */
static ss_status find_displacement_residual(galpha *x, const galpha_unknowns *z, double *residual)
{
    const ss_assembly *a = x->position;
    const double off = norm_of_momentum(x, galpha_displacement_lack(x, z));
    double scale = ss_worse(norm_of_velocity(x, z->U), norm_of_velocity(x, x->end.way));
    SS_TRY(find_largest_push(x, &a->problem.G, z->nu_joint, &scale));
    SS_TRY(find_largest_push(x, &a->problem.H, a->solution.r, &scale));
    *residual = off < sqrt(DBL_MIN) ? 0 : off / scale;
    return SS_OK;
}

static ss_status find_level_residuals(galpha *x, const galpha_unknowns *z, double *residual)
{
    ss_residual of;
    SS_TRY(galpha_pose_position(x, z, NULL));
    galpha_fill_position(x, z);
    SS_TRY(ss_residual_compute(x->certificate, &x->position->problem, &x->position->solution, &of));
    SS_TRY(find_displacement_residual(x, z, &x->newton.displaced));
    *residual = ss_worse(ss_worse(of.contact, of.joint), x->newton.displaced);
    if (!x->kind->velocities) {
        return SS_OK;
    }
    SS_TRY(galpha_pose_velocity(x, z));
    galpha_agree_velocity(x, z);
    galpha_fill_velocity(x, z);
    SS_TRY(ss_residual_compute(x->certificate, &x->velocity->problem, &x->velocity->solution, &of));
    *residual = ss_worse(*residual, ss_residual_worst(&of));
    return SS_OK;
}

static uint64_t branch_of(const galpha *x, const galpha_unknowns *z)
{
    uint64_t set = 1;
    for (int k = 0; k < x->around->near.n; k++) {
        const unsigned char bits = (unsigned char)(x->active.has[k] | (z->nu[k] > 0) << 1 | (z->r[GALPHA_ROWS * k] > 0) << 2);
        set = ss_hash(set, &bits, sizeof bits);
    }
    return set;
}

static ss_status measure(galpha *x, const galpha_unknowns *z, double *residual)
{
    const ss_model *m = x->s->model;
    double levels;
    SS_TRY(galpha_place(x, z));
    SS_TRY(ss_model_forces(x->ctx, m, &x->end.at, z->v, x->end.force));
    memset(x->end.total, 0, (size_t)m->nv * sizeof(double));
    ss_forces_add(m->nv, 1, x->end.force, x->end.total);
    SS_TRY(galpha_rows_position(x));
    SS_TRY(galpha_rows_velocity(x));
    SS_TRY(ss_block_factor_update(x->ctx, &x->inner, &x->position->problem.scale));
    SS_TRY(find_smooth_residual(x, z, &x->newton.residual));
    SS_TRY(find_level_residuals(x, z, &levels));
    const double misfit = x->newton.wedged ? 0 : find_misfit(x, z),
                 allowed = fmax(x->newton.position_tol, x->s->tol * find_reach(x));
    x->newton.balance = ss_worse(x->newton.residual, levels);
    *residual = ss_worse(x->newton.balance, misfit <= allowed ? 0 : x->s->tol * misfit / allowed);
    return SS_OK;
}

ss_status galpha_measure(void *user, const double *point, double *residual, uint64_t *branch)
{
    galpha *x = user;
    const galpha_unknowns z = galpha_unknowns_in(x, (double *)point);
    const ss_arena_mark mark = ss_arena_save(x->s->arena);
    const ss_status status = measure(x, &z, residual);
    ss_arena_release(x->s->arena, mark);
    *branch = branch_of(x, &z);
    return status;
}

ss_status galpha_improve_by(galpha *x, galpha_method *method, const double *point, double *target, bool *found)
{
    const galpha_unknowns from = galpha_unknowns_in(x, (double *)point);
    galpha_unknowns to = galpha_unknowns_in(x, target);
    const ss_arena_mark mark = ss_arena_save(x->s->arena);
    SS_TRY(ss_check_interrupt(x->ctx));
    const ss_status status = method(x, &from, &to, found);
    ss_arena_release(x->s->arena, mark);
    return status;
}
