/* onset.c - from a state to the phase of motion that begins there.
 *
 * Which phase   What is at rest stays so and what slips goes on, if forces bear it: accelerations need not be unique where
 *               contacts share a load that statics does not determine. If they do not, the contact problem of
 *               accelerations says which contacts stick, slip and come off.                             [Aca09 eq. 72]
 * Accumulation  The flight after an impact rises u^2/(2|a|), a the acceleration then. If that is below `accumulation` of
 *               the contact's unit, the contact is closed.
 * Short slips   Slip in space that comes to rest within less than `accumulation` of the unit has come to rest, as flights do.
 * Painleve      Where H_N K^-1 (H_N' - mu H_T' s) <= 0 of a slipping contact, accelerations do not say what happens. */
#include "schemes/event_capturing_rk/onset.h"
#include "base/tolerances.h"
#include "kernels/impact.h"
#include "kernels/leaving.h"
#include "problem/contact_law.h"
#include "problem/islands.h"
#include <math.h>

static const double CHANGE = 0.25; /* of a slip that turns, within a substep */
static const double SOON = 1e-6;   /* of the nominal step: what happens so soon happens now */

enum { WITH_MOMENTS = 3 }; /* contacts of a problem for one of the survey: itself, rolling, spinning */

/* ---- small questions ----------------------------------------------------------------------------- */

static bool is_noted(const ss_noted *list, const ss_contact_id *id)
{
    for (int i = 0; i < list->n; i++) {
        if (ss_contact_id_compare(&list->id[i], id) == 0) {
            return true;
        }
    }
    return false;
}

static bool touches(const ss_onset *x, int k)
{
    const ss_vicinity *n = x->around;
    return !ss_onset_is_motor(x, k) && n->gap[k] <= SS_TOL_CLOSED_LOCATED * ss_onset_unit(x, k) &&
           n->outside[k] <= SS_TOL_ON_SURFACE * x->s->model->length && !is_noted(&x->last.lost, &ss_onset_contact(x, k)->id);
}

double ss_onset_fastest(const ss_onset *x)
{
    const ss_model *m = x->s->model;
    double most = 0;
    for (int i = 0; i < m->nv; i++) {
        most = fmax(most, fabs(x->v[i]) * (m->length / m->v_unit[i]));
    }
    return most;
}

/* A speed of a contact that is nothing but round-off of others. */
static double still(const ss_onset *x, int k)
{
    return SS_TOL_STILL_GAINED * (x->around->gain[k] + 2 * x->s->h_nominal * x->pressed[k]) +
           SS_TOL_STILL * ss_onset_fastest(x) * (ss_onset_unit(x, k) / x->s->model->length);
}

/* Contact i of the problem of accelerations, and the contact of the survey that it is, or is a moment of. */
static const ss_contact *posed(const ss_onset *x, int i) { return x->modes->a->contacts.c[i]; }

static int near_of(const ss_onset *x, int i)
{
    const int *host = x->modes->a->problem.host;
    return x->choice.which[ss_contact_is_moment(posed(x, i)) ? host[i] : i];
}

/* A speed of contact i of that problem that is nothing but round-off. */
static double still_of(const ss_onset *x, int i)
{
    const int k = near_of(x, i);
    return still(x, k) / ss_onset_unit(x, k) * ss_contact_unit(x->s->model, posed(x, i));
}

static bool approaches(const ss_onset *x, int k) { return touches(x, k) && x->around->approach[k] > still(x, k); }

static bool rests(const ss_onset *x, int k) { return touches(x, k) && fabs(x->around->approach[k]) <= still(x, k); }

/* ---- surveys and impacts ------------------------------------------------------------------------- */

/* Forces and motors that act on one body of a mechanism press the contacts of another: what they would make of its speeds tells
 * motion from round-off. */
static ss_status find_pressed(ss_onset *x)
{
    const ss_vicinity *near = x->around;
    double *scale;
    int n = 0;
    SS_TRY(ss_arena_take(x->s->arena, (size_t)near->near.n, sizeof *x->pressed, &x->pressed));
    SS_TRY(ss_arena_take(x->s->arena, WITH_MOMENTS * (size_t)near->near.n, sizeof *scale, &scale));
    for (int k = 0; x->s->model->nj > 0 && k < near->near.n; k++) {
        if (touches(x, k) || ss_onset_is_motor(x, k)) {
            x->choice.which[n++] = k;
        }
    }
    if (n == 0) {
        return SS_OK;
    }
    SS_TRY(ss_modes_pose(x->modes, x->t, x->q, x->v, &near->near, n, x->choice.which));
    SS_TRY(ss_modes_island_scales(x->modes, x->s->arena, scale));
    for (int i = 0; i < n; i++) {
        x->pressed[x->choice.which[i]] = scale[i] * ss_onset_unit(x, x->choice.which[i]);
    }
    return SS_OK;
}

static ss_status survey(ss_onset *x, double h)
{
    const ss_model *m = x->s->model;
    ss_vicinity *n = x->around;
    ss_config_set(m, x->t, x->q, &x->here);
    ss_config_drive(m, x->t, x->t, &x->here);
    SS_TRY(ss_vicinity_survey(n, x->s, &x->here, x->v, h, 0));
    SS_TRY(ss_leaving_let_go(x->s, n, &(ss_path){ x->t, SOON * x->s->h_nominal, x->q, x->v, NULL, NULL }));
    size_t count = (size_t)n->near.n;
    SS_TRY(ss_arena_take(x->s->arena, count, sizeof *x->stands, &x->stands));
    SS_TRY(ss_arena_take(x->s->arena, count, sizeof *x->in_phase, &x->in_phase));
    SS_TRY(ss_arena_take(x->s->arena, count, sizeof *x->rise, &x->rise));
    SS_TRY(ss_arena_take(x->s->arena, count, sizeof *x->choice.which, &x->choice.which));
    SS_TRY(ss_arena_take(x->s->arena, WITH_MOMENTS * count, sizeof *x->choice.slides, &x->choice.slides));
    SS_TRY(ss_arena_take(x->s->arena, WITH_MOMENTS * 3 * count + (size_t)m->nj, sizeof *x->choice.multiplier,
                         &x->choice.multiplier));
    return find_pressed(x);
}

/* The contacts that touch, in which[]; their number. */
static int gather_touching(ss_onset *x)
{
    int n = 0;
    for (int k = 0; k < x->around->near.n; k++) {
        if (touches(x, k)) {
            x->choice.which[n++] = k;
        }
    }
    return n;
}

/* Of the *n contacts which[], whose problem has been assembled, only those stay that feel an impact: others would be solved for
 * the round-off of velocities at rest. *trigger: the first that approaches, -1: none. */
static ss_status keep_struck(ss_onset *x, int *n, int *trigger)
{
    ss_islands islands;
    bool *struck;
    int kept = 0;
    SS_TRY(ss_islands_find(x->s->arena, &x->touching->problem, &islands));
    SS_TRY(ss_arena_take(x->s->arena, (size_t)islands.count + 1, sizeof *struck, &struck));
    for (int i = 0; i < *n; i++) {
        const int of = islands.of_contact[i] + 1; /* 0: of contacts that touch nothing that moves */
        struck[of] = struck[of] || approaches(x, x->choice.which[i]);
    }
    *trigger = -1;
    for (int i = 0; i < *n; i++) {
        const int k = x->choice.which[i];
        if (struck[islands.of_contact[i] + 1]) {
            *trigger = *trigger < 0 && approaches(x, k) ? kept : *trigger;
            x->choice.which[kept++] = k;
        }
    }
    *n = kept;
    return SS_OK;
}

static ss_status assemble_touching(ss_onset *x, int n)
{
    return ss_assembly_geometry(x->touching, &x->here, &x->around->near, n, x->choice.which, x->phase->friction, 0);
}

/* Resolve what touches and approaches, all of it at once. */
static ss_status collide(ss_onset *x)
{
    int n = gather_touching(x), all = n, trigger = -1;
    double *e;
    x->impacted = false;
    for (int i = 0; i < n; i++) {
        x->impacted = x->impacted || approaches(x, x->choice.which[i]);
    }
    if (!x->impacted) {
        return SS_OK;
    }
    SS_TRY(assemble_touching(x, n));
    SS_TRY(keep_struck(x, &n, &trigger));
    SS_TRY(n < all ? assemble_touching(x, n) : SS_OK);
    SS_TRY(ss_arena_take(x->s->arena, (size_t)n, sizeof *e, &e));
    for (int i = 0; i < n; i++) {
        e[i] = ss_onset_contact(x, x->choice.which[i])->e;
    }
    return ss_impact(x->s, x->touching, &x->here, SS_RESTITUTION_NEWTON, e, trigger, x->v);
}

/* ---- contacts join the phase --------------------------------------------------------------------- */

/* direction in which contact i of the problem slips, or begins to */
static void put_slip(const ss_onset *x, int i, ss_closed_contact *closed)
{
    const ss_modes *modes = x->modes;
    const ss_problem *p = &modes->a->problem;
    const int first = ss_law_first_tangent(p, i), tangents = p->row[i + 1] - first;
    double u[2] = { 0, 0 };
    for (int k = 0; k < tangents; k++) {
        u[k] = x->choice.slides[i] ? modes->slip[first + k] : modes->a->solution.u[first + k];
    }
    double size = hypot(u[0], u[1]);
    closed->sign = u[0] < 0 ? -1 : 1;
    closed->speed = x->choice.slides[i] ? size : 0;
    closed->gain = x->choice.slides[i] ? 0 : size;
    if (tangents == 2 && size > 0) {
        const ss_vec3 *tangent = modes->a->value[i]->tangent;
        closed->along = ss_add(ss_scale(u[0] / size, tangent[0]), ss_scale(u[1] / size, tangent[1]));
    }
}

static ss_status add_contact(ss_onset *x, int i, ss_contact_mode mode, double load)
{
    const int k = near_of(x, i);
    double gap = x->around->gap[k];
    ss_closed_contact closed = { .contact = *posed(x, i), .mode = mode, .load = load };
    closed.keep = fabs(gap) <= SS_TOL_GROSS * ss_onset_unit(x, k) ? 0 : gap;
    if (mode == SS_MODE_SLIP || mode == SS_MODE_FULL) {
        put_slip(x, i, &closed);
    }
    if (!ss_contact_is_moment(posed(x, i))) {
        x->stands[k] = SS_STANDS_CLOSED;
        x->in_phase[k] = x->phase->n;
    }
    return ss_phase_add(x->phase, &closed);
}

/* contact mode of contact i of the problem if it does not come off; moves: it slips, or the motor is at its bound */
static ss_contact_mode mode_if(const ss_problem *p, int i, bool moves)
{
    if (p->law[i] == SS_LAW_BOUNDED) {
        return moves ? SS_MODE_FULL : SS_MODE_TRACK;
    }
    return p->law[i] == SS_LAW_UNILATERAL ? SS_MODE_NORMAL : moves ? SS_MODE_SLIP : SS_MODE_STICK;
}

static const ss_closed_contact *find_paradox(const ss_phase *phase)
{
    for (int i = 0; i < phase->n; i++) {
        if (phase->closed[i].mode == SS_MODE_SLIP && phase->closed[i].pivot <= SS_TOL_ROOT) {
            return &phase->closed[i];
        }
    }
    return NULL;
}

/* ---- how contacts go on -------------------------------------------------------------------------- */

/* Solve the equations of a phase in which contacts marked in `off` carry nothing, nor do their moments; *consistent: the solution
 * obeys all laws. */
static ss_status try_modes(ss_onset *x, const bool *off, bool *consistent)
{
    ss_phase *phase = x->phase;
    const ss_problem *p = &x->modes->a->problem;
    bool regular;
    ss_phase_clear(phase);
    for (int i = 0; i < p->nc; i++) {
        const double load = ss_contact_cache_normal(&x->s->next->cache, &posed(x, i)->id);
        const bool carries = !off[ss_contact_is_moment(posed(x, i)) ? p->host[i] : i];
        SS_TRY(add_contact(x, i, carries ? mode_if(p, i, x->choice.slides[i]) : SS_MODE_NONE, load));
    }
    SS_TRY(ss_phase_close(phase, x->s->arena, x->t, x->q, x->v));
    SS_TRY(ss_phase_evaluate(phase, x->t, x->q, x->v));
    SS_TRY(ss_phase_accelerate(phase, x->choice.a, x->choice.multiplier, &regular));
    *consistent =
        regular && !find_paradox(phase) && ss_modes_adopt(x->modes, x->choice.slides, x->choice.a, x->choice.multiplier);
    return SS_OK;
}

/* Sticking contacts keep sticking and slipping ones keep slipping, except those that would pull. If the forces of this choice
 * obey all laws it is taken, even where other solutions exist. */
static ss_status persist(ss_onset *x, int n)
{
    enum { PASSES = 8 };
    bool *off, changed = true;
    x->choice.persists = false;
    SS_TRY(ss_arena_take(x->s->arena, (size_t)n, sizeof *off, &off));
    for (int pass = 0; changed && pass < PASSES; pass++) {
        SS_TRY(try_modes(x, off, &x->choice.persists));
        changed = false;
        for (int i = 0; !x->choice.persists && i < n; i++) {
            ss_fault fault = ss_modes_fault(x->modes, x->choice.slides, i);
            bool turns = fault == (off[i] ? SS_FAULT_APPROACHES : SS_FAULT_PULLS);
            off[i] = turns ? !off[i] : off[i];
            changed = changed || turns;
        }
    }
    return SS_OK;
}

/* Accelerations at the state at hand, the n contacts which[] closed: as they are, or as the contact problem has them. */
static ss_status resolve(ss_onset *x, int n)
{
    ss_modes *modes = x->modes;
    SS_TRY(ss_modes_pose(modes, x->t, x->q, x->v, &x->around->near, n, x->choice.which));
    for (int i = 0; i < modes->a->problem.nc; i++) {
        x->choice.slides[i] = modes->speed[i] > still_of(x, i) && !is_noted(&x->last.stopped, &posed(x, i)->id);
    }
    x->choice.solved = true;
    SS_TRY(persist(x, n));
    return x->choice.persists ? SS_OK : ss_modes_solve(modes, x->s, x->choice.slides, &x->choice.solved);
}

/* Normal acceleration of a contact that is not in the problem, with the accelerations of its solution. */
static ss_status acceleration_of(ss_onset *x, int k, double *out)
{
    ss_assembly *a = x->touching;
    double rate;
    SS_TRY(ss_assembly_geometry(a, &x->here, &x->around->near, 1, &k, (ss_friction){ .law = SS_LAW_UNILATERAL }, 0));
    SS_TRY(ss_contact_acceleration(x->s->ctx, x->s->model, &x->here, ss_onset_contact(x, k), a->value[0], x->v, 1, &rate));
    *out = rate + ss_csr_row_dot(&a->problem.H, 0, x->modes->a->solution.v);
    return SS_OK;
}

/* Flights after the impact at hand that are too low to be followed: their contacts are closed. */
static ss_status close_accumulations(ss_onset *x, int *n)
{
    int count = *n;
    for (int k = 0; k < x->around->near.n; k++) {
        double a, u = -x->around->approach[k];
        const ss_contact *contact = ss_onset_contact(x, k);
        if (x->stands[k] != SS_STANDS_REBOUNDING) {
            continue;
        }
        SS_TRY(acceleration_of(x, k, &a));
        if (a < 0 && u * u <= -2 * a * x->accumulation * ss_onset_unit(x, k)) {
            x->stands[k] = SS_STANDS_CLOSED;
            x->choice.which[count++] = k;
            SS_TRY(contact->e > 0 ? ss_onset_report(x, SS_EVENT_ACCUMULATION, contact) : SS_OK);
        }
    }
    bool more = count > *n;
    *n = count;
    return more ? resolve(x, count) : SS_OK;
}

/* ---- slip that turns ----------------------------------------------------------------------------- */

/* Slips in space that would come to rest within a way too short to be followed have come to rest: the slower such a slip, the
 * faster it turns, and the less round-off leaves of its direction. */
static ss_status end_short_slips(ss_onset *x, int n)
{
    ss_noted *stopped = &x->last.stopped;
    ss_contact_id *id;
    const int before = stopped->n, nc = x->modes->a->problem.nc;
    SS_TRY(ss_arena_take(x->s->arena, (size_t)(nc + before), sizeof *id, &id));
    for (int i = 0; i < before; i++) {
        id[i] = stopped->id[i];
    }
    stopped->id = id;
    for (int i = 0; i < nc; i++) {
        const ss_slip_course course = ss_modes_course(x->modes, i);
        const double way = x->accumulation * ss_contact_unit(x->s->model, posed(x, i)), speed = x->modes->speed[i];
        if (x->choice.slides[i] && course.across > 0 && speed * speed <= 2 * course.slows * way) {
            id[stopped->n++] = posed(x, i)->id;
        }
    }
    return stopped->n > before ? resolve(x, n) : SS_OK;
}

/* Slip that turns while it slows down turns the faster the slower it is. A substep may change it by a part CHANGE of its speed,
 * so that stages resolve the curve. Slip that hardly turns comes to rest along a line: an event. */
static double steady_time(const ss_onset *x)
{
    double least = INFINITY;
    for (int i = 0; i < x->modes->a->problem.nc; i++) {
        const ss_slip_course course = ss_modes_course(x->modes, i);
        const double change = course.slows + course.across;
        if (x->choice.slides[i] && course.across > SS_TOL_TURNED * course.slows && change > 0) {
            least = fmin(least, CHANGE * x->modes->speed[i] / change);
        }
    }
    return least;
}

/* ---- the choice ---------------------------------------------------------------------------------- */

/* Contact i of the problem joins the phase as its solution says, or comes off. */
static ss_status enter(ss_onset *x, int i)
{
    const ss_modes *modes = x->modes;
    const ss_problem *p = &modes->a->problem;
    double normal = modes->a->solution.r[p->row[i]];
    if (ss_modes_lift(modes, i) > SS_TOL_SETTLED) {
        x->stands[x->choice.which[i]] = SS_STANDS_LEAVING;
        x->in_phase[x->choice.which[i]] = -1;
        x->rise[x->choice.which[i]] = 0.5 * modes->a->solution.u[p->row[i]];
        return SS_OK;
    }
    bool moves = x->choice.slides[i] || ss_modes_creep(modes, i) > SS_TOL_SETTLED,
         carries = p->law[i] == SS_LAW_BOUNDED || normal > 0;
    return add_contact(x, i, carries ? mode_if(p, i, moves) : SS_MODE_NONE, normal);
}

/* Moment i of the problem joins the phase, unless its host has come off. */
static ss_status enter_moment(ss_onset *x, int i)
{
    const ss_modes *modes = x->modes;
    const ss_problem *p = &modes->a->problem;
    const double normal = modes->a->solution.r[p->row[p->host[i]]];
    const bool moves = x->choice.slides[i] || ss_modes_creep(modes, i) > SS_TOL_SETTLED;
    if (x->in_phase[near_of(x, i)] < 0) {
        return SS_OK;
    }
    return add_contact(x, i, normal > 0 ? mode_if(p, i, moves) : SS_MODE_NONE, normal);
}

/* How contacts stand by positions and velocities alone; returned are the closed ones, in which[]. */
static int sort_contacts(ss_onset *x)
{
    int n = 0;
    for (int k = 0; k < x->around->near.n; k++) {
        bool closed = rests(x, k) || ss_onset_is_motor(x, k);
        x->in_phase[k] = -1;
        x->stands[k] = closed ? SS_STANDS_CLOSED : touches(x, k) ? SS_STANDS_REBOUNDING : SS_STANDS_APART;
        x->rise[k] = -x->around->approach[k];
        if (closed) {
            x->choice.which[n++] = k;
        }
    }
    return n;
}

/* The phase that begins now, if x->choice.solved. */
static ss_status choose(ss_onset *x)
{
    int n = sort_contacts(x);
    SS_TRY(resolve(x, n));
    if (x->choice.solved && x->impacted) {
        SS_TRY(close_accumulations(x, &n));
    }
    SS_TRY(x->choice.solved ? end_short_slips(x, n) : SS_OK);
    x->steady = x->choice.solved ? steady_time(x) : INFINITY;
    ss_phase_clear(x->phase);
    for (int i = 0; x->choice.solved && i < x->modes->a->problem.nc; i++) {
        SS_TRY(ss_contact_is_moment(posed(x, i)) ? enter_moment(x, i) : enter(x, i));
    }
    return x->choice.solved ? ss_phase_close(x->phase, x->s->arena, x->t, x->q, x->v) : SS_OK;
}

/* ---- the onset ----------------------------------------------------------------------------------- */

ss_status ss_onset_begin(ss_onset *x)
{
    x->before.n = -1;
    SS_TRY(ss_config_take(x->s->arena, x->s->model, &x->here));
    return ss_arena_take(x->s->arena, (size_t)x->s->model->nv, sizeof *x->choice.a, &x->choice.a);
}

ss_status ss_onset_find(ss_onset *x, double t, double h, bool *found)
{
    x->t = t;
    SS_TRY(survey(x, h));
    SS_TRY(collide(x));
    SS_TRY(x->impacted ? survey(x, h) : SS_OK);
    SS_TRY(choose(x));
    const ss_closed_contact *paradox = x->choice.solved ? find_paradox(x->phase) : NULL;
    *found = x->choice.solved && !paradox;
    if (paradox) {
        return ss_onset_report(x, SS_EVENT_PAINLEVE, &paradox->contact);
    }
    return *found ? ss_onset_report_changes(x) : SS_OK;
}
