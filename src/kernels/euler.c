/* euler.c - one linearly implicit Euler step with a given set of contacts.
 *
 *     M (v' - v) = h k + G' lam + H' r      momentum          [AP97 eq. 2.8; Ani06 eq. 5.1; with stiff forces AP02]
 *     G v'       = 0                        joints
 *     u = H v' + w  and  r  obey the law of friction
 *     q'         = q (+) h v'
 *
 * Stabilised   the linearised gap Phi/h is part of the offsets w, so that gaps end the step at zero instead of drifting;
 *              where the end still overlaps by more than a millionth of the length, rows are taken again at that end
 *              (`iterations`: a Newton iteration on the gaps). The work of it is a ledger entry of its own. It can make the
 *              problem unsolvable (Theorem 2.1 of AP97 wants offsets >= 0): then the step is solved without the gaps in the
 *              offsets. Joints stay at velocity level and are solvable and dissipative there; their positions are projected
 *              afterwards (projection.c), which moves no velocity.
 * Implicit     stiff forces are those of the end, linearised at the start: A = M - h C - h^2 K (implicit.c). Without them, or
 *              with the option off, A = M.
 * Gyroscopic   impulse of a midpoint step (gyroscopic.c), not -h w x I w: explicit Euler on it spins a free body up without
 *              bound. */
#include "kernels/euler.h"
#include "base/parallel.h"
#include "base/tolerances.h"
#include "kernels/free_motion.h"
#include "kernels/leaving.h"
#include <math.h>

enum { SERVO_PASSES = 8 };  /* one servo takes two or three */
enum { GRAIN = 1024 };      /* contacts that one thread takes at a time */
enum { VELOCITIES = 2048 }; /* likewise */

/* ---- life ---------------------------------------------------------------------------------------- */

ss_status ss_euler_create(ss_context *ctx, const ss_model *m, ss_euler **out)
{
    ss_euler *x;
    SS_TRY(ss_calloc(ctx, 1, sizeof *x, &x));
    *out = x;
    x->ctx = ctx;
    SS_TRY(ss_vicinity_create(ctx, m, &x->around));
    ss_vicinity_follow(x->around);
    SS_TRY(ss_assembly_create(ctx, m, &x->a));
    x->a->room.borrows = true; /* the contacts of a survey stay until the next one */
    SS_TRY(ss_projection_create(ctx, m, &x->joints));
    SS_TRY(ss_implicit_create(ctx, m, &x->forces.stiff));
    x->a->redundant = x->around->redundant;
    ss_projection_know_redundant(x->joints, x->around->redundant);
    return SS_OK;
}

void ss_euler_destroy(ss_context *ctx, ss_euler *x)
{
    if (x) {
        ss_vicinity_destroy(ctx, x->around);
        ss_assembly_destroy(ctx, x->a);
        ss_projection_destroy(x->joints);
        ss_implicit_destroy(x->forces.stiff);
        ss_contact_cache_free(ctx, &x->latest);
        ss_free(ctx, x);
    }
}

/* is there anything to be taken implicitly? */
static bool has_stiff(const ss_euler *x) { return x->o.implicit && ss_implicit_has_any(x->forces.stiff); }

static ss_status take_arrays(ss_euler *x)
{
    size_t nq = (size_t)x->s->model->nq, nv = (size_t)x->s->model->nv;
    ss_arena *arena = x->s->arena;
    SS_TRY(ss_arena_take_raw(arena, nq, sizeof(double), &x->end.q));
    SS_TRY(ss_arena_take_raw(arena, nv, sizeof(double), &x->end.v));
    const size_t classes = x->forces.all_classes ? SS_FORCE_CLASSES : 2;
    SS_TRY(ss_arena_take_raw(arena, nv * classes, sizeof(double), &x->forces.impulse));
    SS_TRY(ss_config_take(arena, x->s->model, &x->start.here));
    return ss_config_take(arena, x->s->model, &x->there);
}

ss_status ss_euler_begin(ss_euler *x, ss_stepper *s, const ss_euler_options *options)
{
    x->s = s;
    x->o = *options;
    x->start.t = s->now->t;
    x->start.q = s->next->q;
    x->start.v = s->next->v;
    x->nonlinear = 0;
    x->guess = (ss_euler_guess){ 0 };
    x->fault.infeasible = false;
    x->forces.all_classes = ss_model_has_other_classes(s->model);
    ss_vicinity_leave_tangents(x->around, options->ahead);
    SS_TRY(has_stiff(x) ? ss_implicit_begin(x->forces.stiff, s) : SS_OK);
    return take_arrays(x);
}

ss_status ss_euler_new_substep(ss_euler *x)
{
    x->fault.unsolvable = ss_stepper_is_exhausted(x->s);
    ss_vicinity_forget(x->around);
    return ss_contact_cache_copy(x->ctx, &x->s->next->cache, &x->latest);
}

/* ---- tolerances: relative to the model's length, or to a radian --------------------------------- */

double ss_euler_touch_tolerance(const ss_euler *x, int k)
{
    return ss_euler_dead_zone(x, ss_contact_unit(x->s->model, &x->around->near.c[k]));
}

/* ---- which contacts ------------------------------------------------------------------------------ */

/* Implicit forces give a body the speed of a whole step with them, however stiff they are, not M^-1 F. */
static ss_status find_rates(ss_euler *x)
{
    const ss_implicit_step step = { x->start.t, x->s->h_nominal, x->start.q, x->start.v };
    x->around->rates = NULL;
    return has_stiff(x) ? ss_implicit_accelerations(x->forces.stiff, &step, &x->around->rates) : SS_OK;
}

ss_status ss_euler_survey(ss_euler *x, double h)
{
    ss_config_set(x->s->model, x->start.t, x->start.q, &x->start.here);
    ss_config_drive(x->s->model, x->start.t, x->start.t + h, &x->start.here);
    SS_TRY(find_rates(x));
    SS_TRY(ss_vicinity_survey(x->around, x->s, &x->start.here, x->start.v, h, x->o.threshold));
    SS_TRY(ss_leaving_let_go(x->s, x->around,
                             &(ss_path){ x->start.t, SS_TOL_LEAVES * x->s->h_nominal, x->start.q, x->start.v, NULL, NULL }));
    return ss_active_take(&x->active, x->s->arena, x->around->near.n);
}

/* ---- the step ------------------------------------------------------------------------------------ */

/* room for a prediction, until the step is over: many a step makes none */
static ss_status take_guess(ss_euler *x)
{
    ss_arena *arena = x->s->arena;
    const ss_model *m = x->s->model;
    SS_TRY(x->guess.room_q ? SS_OK : ss_arena_keep(arena, (size_t)m->nq, sizeof(double), &x->guess.room_q));
    return x->guess.room_v ? SS_OK : ss_arena_keep(arena, (size_t)m->nv, sizeof(double), &x->guess.room_v);
}

/* q + h v for a guess v of the new velocity, and the configuration there. Where contacts are linearised at it, the joints
 * must be satisfied as they will be at the end: the gap that projecting them opens or closes is then part of the offset. */
static ss_status predict(ss_euler *x, const double *v, double h)
{
    const ss_model *m = x->s->model;
    bool satisfied = true;
    SS_TRY(take_guess(x));
    x->guess.ahead = true;
    x->guess.q = x->guess.room_q;
    x->guess.v = x->guess.room_v;
    memcpy(x->guess.room_v, v, (size_t)m->nv * sizeof(double));
    ss_model_retract(m, x->start.q, v, h, x->guess.room_q);
    if (x->o.stabilise && !x->o.old_moves && x->active.n > 0) {
        SS_TRY(ss_projection_apply(x->joints, x->s, x->start.t + h, x->guess.room_q, &satisfied));
    }
    ss_config_set(m, x->start.t + h, x->guess.q, &x->there);
    ss_config_drive(m, x->start.t, x->start.t + h, &x->there);
    return SS_OK;
}

/* the geometry of the start itself: no velocity is guessed */
static void stay(ss_euler *x, double h)
{
    const ss_model *m = x->s->model;
    x->guess.ahead = false;
    x->guess.q = x->start.q;
    x->guess.v = NULL;
    ss_config_set(m, x->start.t, x->guess.q, &x->there);
    ss_config_drive(m, x->start.t, x->start.t + h, &x->there);
}

/* The impulses of a class of forces; NULL: there are none. */
static double *impulses_of(const ss_euler *x, int kind)
{
    const int place = x->forces.all_classes ? kind : kind == SS_FORCE_GRAVITY ? 0 : kind == SS_FORCE_GYROSCOPIC ? 1 : -1;
    return place < 0 ? NULL : x->forces.impulse + (size_t)place * (size_t)x->s->model->nv;
}

/* The part of the sum of all impulses that is in b. */
typedef struct total_job {
    const ss_euler *x;
    double *total;
} total_job;

static void sum_range(void *data, int begin, int end)
{
    const total_job *job = data;
    memset(job->total + begin, 0, (size_t)(end - begin) * sizeof(double));
    for (int kind = 0; kind < SS_FORCE_CLASSES; kind++) {
        const double *impulse = impulses_of(job->x, kind);
        for (int i = begin; impulse && i < end; i++) {
            job->total[i] += impulse[i];
        }
    }
}

/* k by class, without the gyroscopic one */
static ss_status find_forces(ss_euler *x)
{
    const ss_model *m = x->s->model;
    const ss_config *at = x->o.force_ahead ? &x->there : &x->start.here;
    if (!x->forces.all_classes) {
        ss_model_weights(x->ctx, m, impulses_of(x, SS_FORCE_GRAVITY));
        return SS_OK;
    }
    return has_stiff(x) ? ss_model_other_forces(x->ctx, m, at, x->start.v, x->forces.impulse)
                        : ss_model_forces(x->ctx, m, at, x->start.v, x->forces.impulse);
}

/* h k by class; of implicit forces the part that does not depend on the new velocity */
static ss_status force_impulses(ss_euler *x, double h)
{
    const ss_model *m = x->s->model;
    SS_TRY(find_forces(x));
    for (int kind = 0; kind < SS_FORCE_GYROSCOPIC; kind++) {
        double *impulse = impulses_of(x, kind);
        for (int i = 0; impulse && i < m->nv; i++) {
            impulse[i] *= h;
        }
    }
    ss_model_gyroscopic_impulse(x->ctx, m, x->start.v, h, impulses_of(x, SS_FORCE_GYROSCOPIC));
    if (has_stiff(x)) {
        ss_implicit_add_rest(x->forces.stiff, x->forces.impulse);
    }
    return SS_OK;
}

/* b = M v + h k */
static ss_status put_momentum(ss_euler *x)
{
    ss_arena *arena = x->s->arena;
    const ss_arena_mark mark = ss_arena_save(arena);
    const int nv = x->s->model->nv;
    total_job job = { .x = x };
    SS_TRY(ss_arena_take_raw(arena, (size_t)nv, sizeof *job.total, &job.total));
    ss_parallel_for(x->ctx, nv, VELOCITIES, sum_range, &job);
    ss_assembly_momentum(x->a, x->start.v, job.total);
    ss_arena_release(arena, mark);
    return SS_OK;
}

static void put_forces(const ss_euler *x, ss_segment *segment)
{
    for (int kind = 0; kind < SS_FORCE_CLASSES; kind++) {
        segment->impulse[kind] = impulses_of(x, kind);
    }
}

static double beyond(double value, double dead) { return fabs(value) <= dead ? 0 : value; }

/* An error linearised at the prediction is  error + h (row v' - row v)  at the end of the step. The part of it that was
 * there at the start is undone by a limited amount; the part that the turning of the rows adds within h is avoided altogether.
 * With positions moved by v, it is the error itself that the next velocity undoes. Returns the rate at which v' has to do so. */
static double undo(const ss_euler *x, double error, double rate, double start, double h, double unit)
{
    double turned = x->o.old_moves ? 0 : beyond(error - h * rate - start, ss_euler_dead_zone(x, unit));
    double old = beyond(x->o.old_moves ? error : start, ss_euler_dead_zone(x, unit)), limit = ss_euler_push_limit(unit);
    return turned / h + fmin(fmax(old, -limit), limit) / ss_stepper_time_to_undo(x->s, h);
}

/* A substep whose contacts are stabilised. */
typedef struct stabilisation {
    ss_euler *x;
    double h;
} stabilisation;

/* Phi/h: an overlap has to open, an open gap may close within the substep */
static void stabilise_range(void *data, int begin, int end)
{
    const stabilisation *of = data;
    const ss_euler *x = of->x;
    ss_assembly *a = x->a;
    const double h = of->h;
    for (int k = begin; k < end; k++) {
        const ss_contact *c = a->contacts.c[k];
        if (ss_contact_has_gap(c)) {
            int row = a->problem.row[k];
            double unit = ss_contact_unit(x->s->model, c), gap = x->around->gap[x->active.which[k]];
            double open = fmax(0, beyond(gap, ss_euler_dead_zone(x, unit)));
            /* rows at the start: no motion is predicted */
            double rate = x->guess.ahead ? ss_assembly_normal_velocity(a, k, x->guess.v) : 0;
            a->w_stabilise[row] = open / h + undo(x, a->value[k]->gap - open, rate, gap - open, h, unit);
            a->problem.w[row] += a->w_stabilise[row];
        }
    }
}

static void stabilise_contacts(ss_euler *x, double h)
{
    ss_parallel_for(x->ctx, x->a->problem.nc, GRAIN, stabilise_range, &(stabilisation){ x, h });
}

/* Nothing is pushed back; an open gap stays open. Offsets >= 0 are what AP97's Theorem 2.1 asks for. */
static void drop_stabilisation(ss_assembly *a)
{
    for (int i = 0; i < a->problem.row[a->problem.nc]; i++) {
        double back = fmin(a->w_stabilise[i], 0);
        a->problem.w[i] -= back;
        a->w_stabilise[i] -= back;
    }
}

/* Does the stabilised problem count as having no solution? With `insist` only if the outcome says so (infeasible, ray,
 * breakdown), and otherwise the best iterate is used; without it, whenever the solver has not converged. */
static bool has_none(const ss_euler *x)
{
    ss_outcome o = x->a->info.outcome;
    return x->o.insist ? o == SS_INFEASIBLE || o == SS_RAY || o == SS_BREAKDOWN : o != SS_CONVERGED;
}

static void blame(ss_euler *x)
{
    int worst = x->a->info.residual.worst;
    x->fault.infeasible = x->o.insist && x->a->info.outcome == SS_INFEASIBLE;
    x->fault.blames = worst >= 0;
    if (x->fault.infeasible && x->fault.blames) {
        x->fault.blamed = *x->a->contacts.c[worst];
    }
}

/* Once the stabilised problem of a substep had no solution, those that follow on the same substep are not tried. */
static ss_status solve(ss_euler *x)
{
    ss_assembly *a = x->a;
    bool stabilised = x->o.stabilise && !x->fault.unsolvable;
    ss_assembly_recall(a, &x->latest, SS_LEVEL_VELOCITY);
    if (stabilised) {
        SS_TRY(ss_assembly_try(a, x->s, x->start.v));
        x->fault.unsolvable = has_none(x);
        blame(x);
        a->solution.warm = a->solution.warm && !x->fault.unsolvable;
    }
    if (!stabilised || x->fault.unsolvable) {
        drop_stabilisation(a);
        SS_TRY(ss_assembly_solve(a, x->s, x->start.v, x->fault.unsolvable));
    }
    SS_TRY(ss_assembly_require_solution(a, x->start.t));
    return ss_assembly_remember(a, &x->latest, SS_LEVEL_VELOCITY);
}

/* the velocity after h, with rows and gaps at x->there */
static ss_status solve_there(ss_euler *x, double h)
{
    ss_assembly *a = x->a;
    SS_TRY(force_impulses(x, h));
    ss_contact_set near = x->around->near;
    near.value = x->guess.ahead ? NULL : ss_vicinity_values(x->around); /* rows at the start: the survey has been there */
    SS_TRY(ss_assembly_geometry(a, &x->there, &near, x->active.n, x->active.which, x->o.friction, h));
    SS_TRY(put_momentum(x));
    SS_TRY(has_stiff(x) ? ss_implicit_put(x->forces.stiff, a) : SS_OK);
    if (x->o.stabilise) {
        stabilise_contacts(x, h);
    }
    if (x->o.adjust) {
        x->o.adjust(x->o.user, a);
    }
    SS_TRY(solve(x));
    ss_parallel_copy(x->ctx, (size_t)a->problem.nv * sizeof(double), a->solution.v, x->end.v);
    return SS_OK;
}

/* One Euler step over h. It is solved again as long as other servos are at their limits at its end than it was solved with;
 * several of them can go round in a circle, which is remarked when the step is accepted. */
static ss_status step_there(ss_euler *x, double h)
{
    const ss_model *m = x->s->model;
    bool settled = false;
    for (int pass = 0; pass < SERVO_PASSES && !settled; pass++) {
        SS_TRY(pass > 0 ? ss_implicit_settle(x->forces.stiff, x->end.v) : SS_OK);
        SS_TRY(solve_there(x, h));
        settled = !has_stiff(x) || ss_implicit_is_settled(x->forces.stiff, x->end.v);
    }
    x->end.servos_settled = settled;
    if (has_stiff(x)) {
        ss_implicit_add_end(x->forces.stiff, x->end.v, x->forces.impulse);
    }
    ss_model_retract(m, x->start.q, x->o.old_moves ? x->start.v : x->end.v, h, x->end.q);
    x->end.joints_satisfied = true;
    return x->o.stabilise ? ss_projection_apply(x->joints, x->s, x->start.t + h, x->end.q, &x->end.joints_satisfied) : SS_OK;
}

/* not where an event has cut the substep to round-off */
bool ss_euler_can_improve(const ss_euler *x, double h)
{
    return x->o.stabilise && !x->o.old_moves && h >= ss_stepper_shortest(x->s);
}

ss_status ss_euler_is_off(ss_euler *x, double h, double allowed, bool *off)
{
    allowed = fmax(allowed, x->s->tol);
    double before = ss_vicinity_overlap_before(x->around, x->s->model, x->active.n, x->active.which);
    ss_config_set(x->s->model, x->start.t + h, x->end.q, &x->there);
    SS_TRY(ss_vicinity_overlap(x->around, x->s->model, &x->there, x->active.n, x->active.which, &x->end.overlap));
    *off = !(x->end.overlap <= fmax(allowed, before));
    return SS_OK;
}

ss_status ss_euler_step(ss_euler *x, double h)
{
    const ss_implicit_step step = { x->start.t, h, x->start.q, x->start.v };
    SS_TRY(has_stiff(x) ? ss_implicit_linearise(x->forces.stiff, &step) : SS_OK);
    if (x->o.ahead) {
        SS_TRY(predict(x, x->start.v, h));
    } else {
        stay(x, h);
    }
    SS_TRY(step_there(x, h));
    bool off = true;
    for (int k = 1; off && k < x->o.iterations && ss_euler_can_improve(x, h); k++) {
        SS_TRY(ss_euler_is_off(x, h, SS_TOL_FITS, &off));
        if (off) {
            SS_TRY(predict(x, x->end.v, h));
            SS_TRY(step_there(x, h));
        }
    }
    x->end.fits = !off;
    return SS_OK;
}

ss_status ss_euler_passes(ss_euler *x, double h, ss_met *met)
{
    const ss_path path = { x->start.t, h, x->start.q, x->o.old_moves ? x->start.v : x->end.v, NULL, NULL };
    return ss_passing_check(x->around->passing, x->s, x->around, &x->active, &path, met);
}

ss_status ss_euler_accept(ss_euler *x, double h)
{
    const ss_model *m = x->s->model;
    const ss_segment_end from = { .t = x->start.t, .q = x->start.q, .v = x->start.v },
                         to = { .t = x->start.t + h, .q = x->end.q, .v = x->end.v };
    ss_segment segment = ss_assembly_segment(x->a, from, to);
    segment.nonlinear = x->end.servos_settled ? x->nonlinear : fmax(x->nonlinear, 1); /* servos are off by all that they do */
    put_forces(x, &segment);
    SS_TRY(x->s->report->segment(x->s->report, &segment));
    if (x->fault.infeasible) {
        x->s->report->remark(x->s->report, SS_REMARK_INFEASIBLE, x->fault.blames ? &x->fault.blamed : NULL);
    }
    if (x->o.insist && x->o.stabilise && x->around->wedged) {
        x->s->report->remark(x->s->report, SS_REMARK_INFEASIBLE, x->around->wedged);
    }
    const ss_contact_cache before = x->s->next->cache; /* no longer needed: its memory is */
    x->s->next->cache = x->latest;
    x->latest = before;
    ss_parallel_copy(x->ctx, (size_t)m->nq * sizeof(double), x->end.q, x->start.q);
    ss_parallel_copy(x->ctx, (size_t)m->nv * sizeof(double), x->end.v, x->start.v);
    x->start.t += h;
    return SS_OK;
}
