/* paoli_newton.c - Newton's method on a substep of Schatzman and Paoli's.
 *
 *     u_N = H w' + (1 + e) y0/h - H w0',    c = G w0' - g(q')/h,    A w' - G' lam - H' P = b(w0')
 *
 * is the contact problem of an iteration from w0': H and y0 where the gaps of w0' are taken or at the start (reflection.c), G at
 * q, forces linearised about w0' (impulses.c). Joints that this does not close get the c of joint_step.c. The residual is the
 * largest of what forces differ by from those of the problem, gaps that are pressed and open, overlaps, and joint errors at q',
 * each relative to its tolerance.
 *
 * Cost   a contact problem and an evaluation of gaps, joints and forces per iteration */
#include "math/worse.h"
#include "schemes/schatzman_paoli/paoli_inside.h"
#include <float.h>
#include <math.h>

/* Newton iterations of a substep that has to be finished: its problems have all rows at the start, forces alone change */
enum { BRIEF = 4 };

/* ---- how far off a velocity is ------------------------------------------------------------------- */

static bool is_position_row(const paoli *x, int i)
{
    return !x->s->model->row_motor[i] && !(x->a->redundant && x->a->redundant[i]);
}

static double joint_error(const paoli *x)
{
    double off = 0;
    for (int i = 0; i < x->s->model->nj; i++) {
        off = is_position_row(x, i) ? ss_worse(off, fabs(x->end.g[i]) / x->s->model->row_unit[i]) : off;
    }
    return off;
}

/* Rounding may keep positions above the tolerance, not forces: above it they are never within PAOLI_STALL of it. */
static double force_error(const paoli *x)
{
    const double off = x->newton.force_residual;
    return off <= x->s->tol ? off : PAOLI_STALL * off;
}

/* Gaps count less than joints: see PAOLI_GAPS. A solver with a coarse tolerance closes them no better than to what counts as
 * closed: PAOLI_STALL times the tolerance here. */
static double gap_scale(const paoli *x)
{
    return fmax(PAOLI_GAPS, ss_stepper_touch(x->s) / (PAOLI_STALL * x->start.position_tol));
}

/* with positions off by `apart`, of their unit */
static double residual_of(const paoli *x, double apart)
{
    return ss_worse(force_error(x), x->s->tol * apart / x->start.position_tol);
}

static ss_status measure(void *user, const double *w, double *residual, uint64_t *branch)
{
    paoli *x = user;
    const ss_model *m = x->s->model;
    ss_model_retract(m, x->start.q, w, x->h, x->end.q);
    ss_config_set(m, x->start.t + x->h, x->end.q, &x->end.at);
    SS_TRY(ss_model_joints(x->ctx, m, &x->end.at, x->end.g, &x->end.G, x->end.unused, x->end.unused + m->nj));
    SS_TRY(ss_reflection_look(&x->gaps, w, !x->newton.solved));
    x->newton.straight = x->newton.fresh && memcmp(w, x->a->solution.v, (size_t)m->nv * sizeof *w) == 0;
    x->newton.fresh = false;
    *branch = 0;
    *residual = DBL_MAX;
    if (x->newton.solved) {
        const double gaps = ss_reflection_error(&x->gaps, x->a, branch) / gap_scale(x),
                     apart = x->newton.relaxed >= RELAXED_CONTACTS ? 0 : gaps,
                     joints = x->newton.relaxed >= RELAXED_POSITIONS ? 0 : joint_error(x);
        SS_TRY(ss_impulses_update(x->forces, x->a, w, &x->newton.force_residual));
        *residual = residual_of(x, ss_worse(apart, joints));
        x->newton.lenient = residual_of(x, ss_worse(apart, joints / PAOLI_GAPS));
    }
    return SS_OK;
}

/* ---- the problem --------------------------------------------------------------------------------- */

/* rows of a contact where its gap is taken, and (1 + e) y0/h - H w0' */
static ss_status put_contact(paoli *x, int k, const double *w0)
{
    ss_assembly *a = x->a;
    ss_problem *p = &a->problem;
    const ss_contact *c = a->contacts.c[k];
    const bool motor = c->id.kind == SS_CONTACT_MOTOR, free = !ss_contact_has_gap(c);
    const int near = x->gaps.active.which[ss_contact_is_moment(c) ? p->host[k] : k];
    const ss_config *at = motor ? &x->start.here : ss_reflection_rows_at(&x->gaps, near);
    int row = p->row[k], rows;
    SS_TRY(ss_contact_eval(x->ctx, x->s->model, at, c, ss_assembly_value(a, k)));
    SS_TRY(ss_contact_rows(x->ctx, x->s->model, at, c, a->value[k], true, &p->H, a->w_drive + row, &rows));
    memcpy(p->w + row, a->w_drive + row, (size_t)rows * sizeof(double));
    if (!free) {
        p->w[row] = ss_reflection_offset(&x->gaps, near, &p->H, row, a->w_drive[row], w0, 0.5 * x->start.position_tol);
    }
    return free ? SS_OK : ss_reflection_mean_slip(&x->gaps, a, k, w0);
}

/* c = G w0' - g(q')/h, or G w where w closes the joints by their rows at q' */
static ss_status put_joints(paoli *x, const double *w0)
{
    ss_problem *p = &x->a->problem;
    const ss_joint_ends ends = {
        .start = x->a, .w0 = w0, .h = x->h, .G = &x->end.G, .g = x->end.g, .by_rate = x->s->model->row_motor
    };
    const double *w = NULL;
    SS_TRY(x->newton.ends ? ss_joint_step_find(x->towards_joints, &ends, &w) : SS_OK);
    for (int i = 0; i < p->nj; i++) {
        double rate = w ? ss_csr_row_dot(&p->G, i, w) : ss_csr_row_dot(&p->G, i, w0) - x->end.g[i] / x->h;
        p->c[i] = is_position_row(x, i) ? rate : p->c[i];
    }
    return SS_OK;
}

/* r = P1 + P of the contacts that end an impact: the problem starts from before it, b - H' P1 */
static ss_status put_first_part(paoli *x)
{
    ss_problem *p = &x->a->problem;
    SS_TRY(ss_reserve(x->ctx, &x->given, &x->given_cap, p->row[p->nc], sizeof *x->given)); /* it outlives the iteration */
    ss_reflection_give(&x->gaps, x->a, x->given);
    ss_csr_transpose_times(&p->H, 1, x->given, 1, p->b);
    ss_assembly_recall(x->a, &x->latest, SS_LEVEL_VELOCITY);
    return SS_OK;
}

/* Where positions have no solution: nothing is pushed back; then velocities alone are asked for, with all rows at the start. */
static ss_status pose(paoli *x, const double *w0)
{
    ss_assembly *a = x->a;
    SS_TRY(ss_assembly_geometry(a, &x->start.here, &x->around->near, x->gaps.active.n, x->gaps.active.which,
                                ss_cone_coulomb(x->s, x->p->cone), paoli_balanced_time(x)));
    if (x->newton.relaxed < RELAXED_POSITIONS) {
        ss_csr_reset(&a->problem.H, x->s->model->nv);
        for (int k = 0; k < a->problem.nc; k++) {
            SS_TRY(put_contact(x, k, w0));
        }
    }
    if (x->newton.relaxed > RELAXED_NOTHING) {
        ss_assembly_relax_contacts(a, x->s, x->h);
    }
    SS_TRY(ss_impulses_linearise(x->forces, a));
    SS_TRY(put_first_part(x));
    return x->newton.relaxed < RELAXED_POSITIONS ? put_joints(x, w0) : SS_OK;
}

/* Problems of Newton's method without contacts are linear systems: of these one a substep counts. */
static ss_status solve_posed(paoli *x)
{
    const double *w = x->start.w;
    return x->newton.relaxed >= RELAXED_POSITIONS ? ss_assembly_solve(x->a, x->s, w, 1)
           : x->newton.solved                     ? ss_assembly_try_auxiliary(x->a, x->s, w)
                                                  : ss_assembly_try(x->a, x->s, w);
}

/* What was left out once on a substep is left out to its end. */
static ss_status improve(void *user, const double *w, double *target, bool *found)
{
    paoli *x = user;
    ss_assembly *a = x->a;
    *found = true;
    do {
        SS_TRY(pose(x, w));
        a->solution.warm = a->solution.warm && *found;
        SS_TRY(solve_posed(x));
        *found = ss_assembly_has_solution(a);
    } while (!*found && a->problem.nc > 0 && x->newton.relaxed++ < RELAXED_POSITIONS);
    x->newton.solved = x->newton.fresh = true;
    x->newton.straight = false;
    memcpy(target, a->solution.v, (size_t)x->s->model->nv * sizeof *target);
    return *found ? ss_assembly_remember(a, &x->latest, SS_LEVEL_VELOCITY) : SS_OK;
}

/* Joints that do not close by their rows at the start are taken by those of the end, to the end of the substep. */
static bool take_joints_at_end(void *user)
{
    paoli *x = user;
    const bool first = !x->newton.ends && x->newton.relaxed < RELAXED_POSITIONS && joint_error(x) > x->start.position_tol;
    x->newton.ends = x->newton.ends || first;
    return first;
}

/* ---- the iteration ------------------------------------------------------------------------------- */

/* Forces between the middles of two steps. In the first half step they are those of its end: with any other theta a spring that
 * the step does not resolve would throw q' far beyond its amplitude. */
static ss_status begin_forces(paoli *x)
{
    double before = *x->past.h;
    ss_interval middles = { .t = x->start.t - 0.5 * before,
                            .h = paoli_balanced_time(x),
                            .theta = before > 0 ? x->p->theta : 1,
                            .q = x->q_middle,
                            .v = x->start.w };
    ss_model_retract(x->s->model, x->start.q, x->start.w, -0.5 * before, x->q_middle);
    return ss_impulses_begin(x->forces, x->s, &middles);
}

/* What is reported is a problem and its solution: one more from the best velocity, where that is none. Joints that Newton's
 * method does not close to round-off may be off by as much as gaps: where contacts and joints ask for the same motion, as in a
 * parallelogram whose links lie on each other, they ask for motions that differ a little. */
static ss_status finish(paoli *x, double *w, double stall)
{
    ss_newton_result *result = &x->newton.result;
    bool found = ss_assembly_has_solution(x->a);
    if (!x->newton.straight && found) {
        uint64_t branch;
        SS_TRY(improve(x, w, w, &found));
        SS_TRY(found ? measure(x, w, &result->residual, &branch) : SS_OK);
        result->converged = found && result->residual <= stall;
    }
    result->converged = result->converged || (found && x->newton.lenient <= stall);
    return SS_OK;
}

/* Newton's method from the velocity of the start */
ss_status paoli_iterate(paoli *x)
{
    const ss_newton_problem problem = {
        .n = x->s->model->nv, .user = x, .measure = measure, .improve = improve, .renew = take_joints_at_end
    };
    const bool briefly = ss_stepper_is_exhausted(x->s);
    const ss_newton_options options = { .tol = x->s->tol,
                                        .stall = PAOLI_STALL * x->s->tol,
                                        .iterations = briefly ? BRIEF : x->p->iterations };
    double *w;
    x->newton.relaxed = briefly || x->newton.gives_up ? RELAXED_POSITIONS : RELAXED_NOTHING;
    x->newton.ends = x->newton.solved = x->newton.fresh = x->newton.straight = false;
    SS_TRY(begin_forces(x));
    SS_TRY(ss_contact_cache_copy(x->ctx, &x->s->next->cache, &x->latest));
    SS_TRY(ss_arena_take(x->s->arena, (size_t)problem.n, sizeof *w, &w));
    memcpy(w, x->start.w, (size_t)problem.n * sizeof *w);
    SS_TRY(ss_newton(x->s->arena, &problem, &options, w, &x->newton.result));
    x->s->report->newton(x->s->report, x->newton.result.iterations);
    return finish(x, w, options.stall);
}
