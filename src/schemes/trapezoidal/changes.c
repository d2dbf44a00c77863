/* changes.c - where the motion within a substep changes without a collision.
 *
 *     stops      a slip comes to rest                  root of the slip at the end, as a function of the length
 *     lets go    a contact begins to slip, or opens    root of the margin of its force on the path of the substep
 *                                                                                                     [PAGT06 section 7.5]
 *
 * Stops     Up to some length the problem lets a contact slip at its end, over longer ones it sticks or slips back. The slip at
 *           the end over that at the start falls from 1 to 0; where the contact sticks, minus what friction leaves of its
 *           bound continues it. The root is found by solving the problem over several lengths. A fast slip that stops over any
 *           length is a jump without a collision, as friction makes it where accelerations have no solution (Painleve).
 * Lets go   The impulses of a problem are means over its length and notice late that a contact lets go, by O(h). So the forces
 *           of an instant decide, which the contact problem of accelerations gives (modes.c): the margin is the least of
 *           load/(size of the load) and slack/bound over all contacts that are to stay as they are. If a contact opens or
 *           begins to slip in that problem, it is minus its acceleration instead: so the margin is negative only where
 *           velocities change, and never where a load merely moves from one contact to another.
 *           That problem is posed where means of loads and slacks of two substeps, extrapolated to the end, come close to 0,
 *           or where the problem of the substep itself lets go. Then the substep is halved until its problem does not, so that
 *           there is a path along which the contact stays; not if that over the shortest length lets go, too: then it is a
 *           change at the start.
 * Due       After a change all contacts may go on in another mode, at once.
 * Floor     A change within a millionth of the step is at its start: it is not located again. After 20 changes in a step,
 *           or 2000 iterations of its solvers, none is located in the rest of it.                     [PAGT06 section 9.2]
 * Cost      nothing where no load or slack comes close to 0; a stop about 6 problems, letting go about 8 of accelerations */
#include "schemes/trapezoidal/changes.h"
#include "events/events.h"
#include "problem/contact_law.h"
#include <math.h>

enum { MOST_ITERATIONS = 2000 };   /* of the solvers in one step, before none is located any more   */
enum { PARTS = 8 };                /* of a substep that a tolerance chooses: its inside is looked at */
enum { HALVINGS = 2 };             /* of a substep that loses contacts, before its start is looked at  */
enum { MOST = 20 };                /* changes located in one step; the rest of it has none   */
static const double FLOOR = 1e-6;  /* of the nominal step: what is shorter is not located      */
static const double TIME = 1e-14;  /* of the substep: the search ends                           */
static const double SUSPECT = 0.5; /* of the bound: a slack below this is looked at where there is no second mean */

/* Has the step located enough changes, or spent enough on them? */
static bool is_spent(const ss_trap *x)
{
    return x->change.located >= MOST || x->change.iterations > MOST_ITERATIONS || ss_stepper_is_exhausted(x->s);
}

/* ---- modes --------------------------------------------------------------------------------------- */

/* what forces make of the speed of contact k of the problem in two steps; of a moment, of its bodies' turning */
static double gain_of(const ss_trap *x, int k)
{
    const ss_model *m = x->s->model;
    const int near = ss_trap_near(x, k);
    return x->around->gain[near] / ss_contact_unit(m, &x->around->near.c[near]) * ss_contact_unit(m, x->a->contacts.c[k]);
}

/* speed of contact k of the problem that is nothing but round-off and tolerance */
static double still_speed(const ss_trap *x, int k)
{
    const ss_problem *p = &x->a->problem;
    double size = 0;
    for (int row = p->row[k]; row < p->row[k + 1]; row++) {
        double sum = fabs(x->a->w_drive[row]);
        for (int e = p->H.p[row]; e < p->H.p[row + 1]; e++) {
            sum += fabs(p->H.x[e]) * (fabs(x->start.v[p->H.i[e]]) + fabs(x->solved.v[p->H.i[e]]));
        }
        size = fmax(size, sum);
    }
    return fmax(SS_TOL_STILL, x->s->tol) * (size + gain_of(x, k));
}

static bool is_moment(const ss_trap *x, int k) { return x->a->problem.law[k] == SS_LAW_ROLLING; }

static bool has_friction(const ss_trap *x, int k)
{
    return is_moment(x, k) || x->a->problem.row[k + 1] - x->a->problem.row[k] > 1;
}

/* How contact k of the problem moves at the end. Of a motor, and of a moment that nothing presses, there is nothing to say. */
static ss_trap_mode mode_of(const ss_trap *x, int k)
{
    const ss_problem *p = &x->a->problem;
    const double *u = x->a->solution.u, still = still_speed(x, k);
    const bool normal = ss_law_has_normal(p->law[k]);
    double slip = 0;
    for (int row = ss_law_first_tangent(p, k); row < p->row[k + 1]; row++) {
        slip = hypot(slip, u[row]);
    }
    return !normal && !(is_moment(x, k) && ss_trap_presses(x, k)) ? SS_TRAP_UNKNOWN
           : normal && u[p->row[k]] > still                       ? SS_TRAP_OPENS
           : slip > still                                         ? SS_TRAP_SLIPS
                                                                  : SS_TRAP_STICKS;
}

ss_trap_mode ss_trap_mode_until_end(const ss_trap *x, int k)
{
    return x->change.stops && x->change.stops[k] ? SS_TRAP_SLIPS : mode_of(x, k);
}

/* The mode that contact k of the problem has had and is to keep. */
static ss_trap_mode expected(const ss_trap *x, int k)
{
    const double *number = ss_trap_remembered(x, k);
    return number && number[SS_TRAP_DUE] == 0 ? (ss_trap_mode)number[SS_TRAP_MODE] : SS_TRAP_UNKNOWN;
}

static ss_status report_mode(ss_trap *x, int k, ss_event_kind kind)
{
    const ss_contact *c = x->a->contacts.c[k];
    char name[128];
    ss_contact_name(x->s->model, c, name, sizeof name);
    const ss_event event = {
        .t = x->start.t, .kind = kind, .contact = name, .bodies = { c->at[0].body, c->at[1].body }, .q = x->start.q
    };
    return x->s->report->event(x->s->report, &event);
}

ss_status ss_trap_report_modes(ss_trap *x)
{
    SS_TRY(x->change.jumps >= 0 ? report_mode(x, x->change.jumps, SS_EVENT_PAINLEVE) : SS_OK);
    for (int k = 0; k < x->a->problem.nc; k++) {
        const double *number = ss_trap_remembered(x, k);
        const ss_trap_mode before = number ? (ss_trap_mode)number[SS_TRAP_MODE] : SS_TRAP_UNKNOWN,
                           now = ss_trap_mode_until_end(x, k);
        const bool closed = before == SS_TRAP_SLIPS || before == SS_TRAP_STICKS;
        if (closed && now == SS_TRAP_OPENS) {
            SS_TRY(report_mode(x, k, SS_EVENT_TAKEOFF));
        } else if (closed && before != now && now != SS_TRAP_UNKNOWN && has_friction(x, k)) {
            SS_TRY(report_mode(x, k, now == SS_TRAP_STICKS ? SS_EVENT_STICK : SS_EVENT_SLIP));
        }
    }
    return SS_OK;
}

/* ---- a slip stops -------------------------------------------------------------------------------- */

/* Slips that the problem over the whole length stops. */
typedef struct stopping {
    ss_trap *x;
    bool *stops;  /* nc                                      */
    double *slip; /* nr: at the start; 0 in rows of normals  */
    bool any;
} stopping;

/* Slip of row `row` of the problem where the substep ends, by velocities v. */
static double slip_at_end(const ss_trap *x, int row, const double *v)
{
    return ss_csr_row_dot(&x->a->problem.H, row, v) + x->a->w_drive[row] + x->solved.turn[row];
}

/* The slip of contact k of the problem at the end, along that at the start, which is 1. Where it sticks: minus what friction
 * leaves of its bound, over the bound. */
static double slip_left(const ss_trap *x, int k, const double *slip)
{
    const ss_problem *p = &x->a->problem;
    const double bound = ss_trap_bound(x, k);
    double along = 0, square = 0;
    for (int row = ss_law_first_tangent(p, k); row < p->row[k + 1]; row++) {
        along += slip[row] * slip_at_end(x, row, x->solved.v);
        square += slip[row] * slip[row];
    }
    const bool sticks = fabs(along) <= still_speed(x, k) * sqrt(square) && bound > 0;
    return sticks ? ss_trap_friction(x, k) / bound - 1 : along / square;
}

/* May it be that contact k of the problem stops slipping? By its rows half way. */
static bool may_stop(const ss_trap *x, int k)
{
    const ss_problem *p = &x->a->problem;
    double along = 0;
    for (int row = ss_law_first_tangent(p, k); row < p->row[k + 1]; row++) {
        along += slip_at_end(x, row, x->start.v) * slip_at_end(x, row, x->solved.v);
    }
    return has_friction(x, k) && expected(x, k) != SS_TRAP_STICKS && ss_trap_presses(x, k) &&
           (along <= 0 || mode_of(x, k) == SS_TRAP_STICKS);
}

/* Which contacts slip at the start and do not at the end? Slips at the start are taken with the rows there, to round-off. */
static ss_status find_stopping(ss_trap *x, stopping *out)
{
    const ss_problem *p = &x->a->problem;
    const ss_modes *start = x->change.modes;
    bool may = false;
    *out = (stopping){ .x = x };
    SS_TRY(ss_arena_take(x->s->arena, (size_t)p->nc, sizeof *out->stops, &out->stops));
    SS_TRY(ss_arena_take(x->s->arena, (size_t)p->row[p->nc], sizeof *out->slip, &out->slip));
    for (int k = 0; k < p->nc; k++) {
        out->stops[k] = may_stop(x, k);
        may = may || out->stops[k];
    }
    if (!may) {
        return SS_OK;
    }
    SS_TRY(ss_modes_pose(x->change.modes, x->start.t, x->start.q, x->start.v, &x->around->near, x->active.n, x->active.which));
    memcpy(out->slip, start->slip, (size_t)p->row[p->nc] * sizeof *out->slip);
    for (int k = 0; k < p->nc; k++) {
        out->stops[k] = out->stops[k] && start->speed[k] > still_speed(x, k) && slip_left(x, k, out->slip) <= 0;
        out->any = out->any || out->stops[k];
    }
    return SS_OK;
}

static double least_slip(const stopping *y)
{
    double least = INFINITY;
    for (int k = 0; k < y->x->a->problem.nc; k++) {
        least = y->stops[k] ? fmin(least, slip_left(y->x, k, y->slip)) : least;
    }
    return least;
}

/* A step that has spent too much is led to the end of the search without further problems; so is one that stops at its start. */
static ss_status slip_after(void *user, double s, double *f)
{
    stopping *y = user;
    *f = s > FLOOR * y->x->s->h_nominal ? -1 : 0;
    if (*f < 0 && !is_spent(y->x)) {
        SS_TRY(ss_trap_solve(y->x, s));
        *f = least_slip(y);
    }
    return SS_OK;
}

/* A contact whose slip is faster than forces make it in two steps, and ends at its start however short the substep is: its
 * velocity jumps without a collision (Painleve). -1: there is none. */
static int find_jump(const stopping *y, const double *speed)
{
    int found = -1;
    for (int k = 0; found < 0 && k < y->x->a->problem.nc; k++) {
        found = y->stops[k] && speed[k] > gain_of(y->x, k) ? k : -1;
    }
    return found;
}

/* The substep ends where the first slip does. */
static ss_status stop_slips(ss_trap *x, double *h)
{
    const double shortest = 2 * FLOOR * x->s->h_nominal;
    stopping y;
    double start, root = 0;
    int evaluations = 0;
    SS_TRY(find_stopping(x, &y));
    if (!y.any) {
        return SS_OK;
    }
    const double end = least_slip(&y);
    SS_TRY(slip_after(&y, shortest, &start)); /* many stop at once, as where friction jumps: a search would need 20 problems */
    if (start > 0 && shortest < *h) {
        SS_TRY(ss_root_bracketed(slip_after, &y, shortest, start, *h, end, TIME * *h, SS_TOL_ROOT, &root, &evaluations));
    }
    if (root > FLOOR * x->s->h_nominal) {
        *h = x->change.at = root;
        x->change.stops = y.stops;
    } else if (!is_spent(x)) {
        x->change.jumps = find_jump(&y, x->change.modes->speed);
    }
    return ss_trap_solve(x, *h);
}

/* ---- a contact lets go --------------------------------------------------------------------------- */

/* Does the problem itself let contact k go, which is to stay? */
static bool has_let_go(const ss_trap *x, int k)
{
    const ss_trap_mode before = expected(x, k), now = mode_of(x, k);
    const bool opens = now == SS_TRAP_OPENS && (before == SS_TRAP_SLIPS || before == SS_TRAP_STICKS);
    return opens || (before == SS_TRAP_STICKS && now == SS_TRAP_SLIPS);
}

static bool any_has_let_go(const ss_trap *x)
{
    bool any = false;
    for (int k = 0; k < x->a->problem.nc; k++) {
        any = any || has_let_go(x, k);
    }
    return any;
}

/* Does a mean come close to 0 at the end, by the mean of the substep before? */
static bool comes_close(double mean, double before, double span_before, double h)
{
    const double change = mean - before;
    return mean + change * h / (h + span_before) <= fabs(change);
}

/* May the force of contact k of the problem reach a bound within the substep? */
static bool may_let_go(const ss_trap *x, int k)
{
    const ss_problem *p = &x->a->problem;
    const double *number = ss_trap_remembered(x, k), h = x->solved.h;
    const bool sticks = has_friction(x, k) && mode_of(x, k) == SS_TRAP_STICKS;
    const double load = x->a->solution.r[p->row[k]] / h, bound = ss_trap_bound(x, k) / h;
    const double slack = bound - ss_trap_friction(x, k) / h;
    if (p->law[k] == SS_LAW_BOUNDED || !ss_trap_presses(x, k) || x->s->length.controlled) {
        return p->law[k] != SS_LAW_BOUNDED && ss_trap_presses(x, k);
    }
    if (!number || !(number[SS_TRAP_SPAN] > 0)) {
        return sticks && slack <= SUSPECT * bound;
    }
    return (!is_moment(x, k) && comes_close(load, number[SS_TRAP_LOAD], number[SS_TRAP_SPAN], h)) ||
           (sticks && comes_close(slack, number[SS_TRAP_SLACK], number[SS_TRAP_SPAN], h));
}

static bool any_may_let_go(const ss_trap *x)
{
    bool any = false;
    for (int k = 0; k < x->a->problem.nc; k++) {
        any = any || may_let_go(x, k);
    }
    return any;
}

/* Contacts that press in the problem, and motors: those that the problem of accelerations has, followed by their moments. */
typedef struct holding {
    ss_trap *x;
    int n, *which; /* contacts of the survey               */
    bool *slides;  /* n and their moments: it slips, or is a motor that is not at its speed */
} holding;

static ss_status find_holding(ss_trap *x, holding *out)
{
    const ss_problem *p = &x->a->problem;
    *out = (holding){ .x = x };
    SS_TRY(ss_arena_take(x->s->arena, (size_t)p->nc, sizeof *out->which, &out->which));
    SS_TRY(ss_arena_take(x->s->arena, (size_t)p->nc, sizeof *out->slides, &out->slides));
    int held = 0;
    for (int k = 0; k < p->nc; k++) {
        if (p->law[k] == SS_LAW_BOUNDED || ss_trap_presses(x, k)) {
            const bool motor = p->law[k] == SS_LAW_BOUNDED;
            out->slides[held++] = motor ? fabs(x->a->solution.u[p->row[k]]) > still_speed(x, k) : mode_of(x, k) == SS_TRAP_SLIPS;
            if (k < x->active.n) {
                out->which[out->n++] = x->active.which[k];
            }
        }
    }
    return SS_OK;
}

/* What friction leaves of its bound in contact i of the problem of accelerations, over the bound; of one that slips: 1. */
static double slack_of(const holding *y, int i)
{
    const ss_assembly *a = y->x->change.modes->a;
    const ss_problem *p = &a->problem;
    const double *r = a->solution.r, bound = ss_law_has_normal(p->law[i]) ? p->mu[i] * r[p->row[i]] : ss_law_size(p, i, r);
    double friction = 0;
    for (int row = ss_law_first_tangent(p, i); row < p->row[i + 1]; row++) {
        friction = hypot(friction, r[row]);
    }
    return y->slides[i] || p->law[i] == SS_LAW_UNILATERAL || !(bound > 0) ? 1 : 1 - friction / bound;
}

/* The margin by the solution of the problem of accelerations. */
static double margin_of(const holding *y)
{
    const ss_modes *modes = y->x->change.modes;
    const ss_assembly *a = modes->a;
    double release = 0, margin = 1, heaviest = 0;
    for (int i = 0; i < y->n; i++) {
        heaviest = fmax(heaviest, a->solution.r[a->problem.row[i]]);
    }
    for (int i = 0; i < a->problem.nc; i++) {
        if (a->problem.law[i] != SS_LAW_BOUNDED) {
            const double creep = y->slides[i] ? 0 : ss_modes_creep(modes, i);
            release = fmax(release, fmax(ss_modes_lift(modes, i), creep));
            margin = fmin(margin, fmin(i < y->n ? a->solution.r[a->problem.row[i]] / heaviest : 1, slack_of(y, i)));
        }
    }
    return release > SS_TOL_RELEASE ? -release : fmax(margin, 0);
}

/* The margin on the path at s. Nothing is known, and nothing lets go, where the problem of accelerations has no solution. */
static ss_status margin_at(void *user, double s, double *f)
{
    holding *y = user;
    ss_trap *x = y->x;
    ss_modes *modes = x->change.modes;
    bool solved;
    SS_TRY(ss_trap_go(x, s));
    SS_TRY(ss_modes_pose(modes, x->start.t + s, x->end.q, x->end.v, &x->around->near, y->n, y->which));
    SS_TRY(ss_modes_solve(modes, x->s, y->slides, &solved));
    *f = solved ? margin_of(y) : 1;
    return SS_OK;
}

/* Does the problem over the shortest length let something go that is to stay? */
static ss_status lets_go_at_start(ss_trap *x, bool *out)
{
    SS_TRY(ss_trap_solve(x, FLOOR * x->s->h_nominal));
    *out = any_has_let_go(x);
    return SS_OK;
}

/* A length up to *h over which the problem lets nothing go that is to stay. */
static ss_status keep_contacts(ss_trap *x, double *h)
{
    const double whole = *h;
    bool lost = any_has_let_go(x), at_start = false;
    for (int halved = 1; lost && !at_start && 0.5 * *h > FLOOR * x->s->h_nominal && !is_spent(x); halved++) {
        *h *= 0.5;
        SS_TRY(ss_trap_solve(x, *h));
        lost = any_has_let_go(x);
        SS_TRY(lost && halved == HALVINGS ? lets_go_at_start(x, &at_start) : SS_OK);
    }
    if (lost) {
        *h = whole;
        SS_TRY(ss_trap_solve(x, whole));
    }
    return SS_OK;
}

/* A place on the path, up to *h, where the margin is negative, *margin; if there is none, the end. Steps that a tolerance chooses
 * may be longer than a slip: their inside is looked at, too. */
static ss_status find_negative(holding *y, double *h, double *margin)
{
    const int parts = y->x->s->length.controlled ? PARTS : 1;
    const double whole = *h;
    *margin = 1;
    for (int k = 1; k <= parts && *margin >= 0 && !is_spent(y->x); k++) {
        *h = k < parts ? whole * k / parts : whole;
        SS_TRY(margin_at(y, *h, margin));
    }
    return SS_OK;
}

/* The substep ends where the first contact lets go. */
static ss_status let_go(ss_trap *x, double *h)
{
    holding y;
    double start, end, root = 0;
    int evaluations = 0;
    if ((!any_has_let_go(x) && !any_may_let_go(x)) || is_spent(x)) {
        return SS_OK;
    }
    SS_TRY(keep_contacts(x, h));
    SS_TRY(find_holding(x, &y));
    const double whole = *h;
    SS_TRY(find_negative(&y, h, &end));
    if (end < 0) {
        SS_TRY(margin_at(&y, 0, &start));
        if (start > 0) {
            SS_TRY(ss_root_bracketed(margin_at, &y, 0, start, *h, end, TIME * *h, SS_TOL_ROOT, &root, &evaluations));
        }
        const bool located = start > 0 && root > FLOOR * x->s->h_nominal;
        *h = located ? root : whole;
        x->change.at = located ? root : x->change.at;
    }
    return ss_trap_go(x, *h);
}

/* ---- the first change ---------------------------------------------------------------------------- */

ss_status ss_trap_find_change(ss_trap *x, double *h)
{
    const double whole = *h;
    if (x->a->problem.nc == 0 || x->solved.relaxed || x->solved.stiff || is_spent(x) || whole <= FLOOR * x->s->h_nominal) {
        return SS_OK;
    }
    x->change.at = 0;
    SS_TRY(stop_slips(x, h));
    SS_TRY(is_spent(x) ? SS_OK : ss_trap_turn_slips(x, h));
    SS_TRY(let_go(x, h));
    x->change.located += *h < whole;
    return SS_OK;
}
