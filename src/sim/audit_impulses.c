/* audit_impulses.c - do the contacts and joints of a segment make energy?
 *
 *     W_k = r_k . (u- + u+)/2,   u = H v + drive       contact k, without what stabilisation does        (the ledger's entry)
 *     B_k = r_N max(0, u+_N - max(0, -e u-_N))/2       its part from leaving faster than e times the approach, both along the
 *                                                      rows on which r acts
 *     W   = sum of W_k and of the works of joints      over an island
 *
 * With one set of rows Newton's law gives B_k = 0 and makes energy (W > 0) only where friction reverses the slip: this is the
 * law's own gain, entered in the ledger as impact_gain. A scheme that takes the approach along other rows can make min(W, sum
 * B_k) more: it is made from nowhere, where B_k is more than SS_TOL_BOUNCE of the energy of the contact's lighter body. Whatever
 * else is positive in W comes from rows that turn a little within the substep: it is added to the integration errors of the run
 * (audit.c).
 *
 * An impact that takes a scheme two steps loses energy in the first and may take it back in the second; of what is left then,
 * half in each step that follows. Where the scheme says which impulse of the second step was given in the first, B_k and the work
 * of friction are those of the whole impact: r of both steps, u- of the velocity before the first.
 *
 * A gyroscopic impulse p that a scheme applies as if the body were free turns its velocity by y = M^-1 p first, without work, and
 * contacts and joints act on what that leaves: they do r . H y/2 less work than their entry says, and p does as much more. Where
 * the work of p is nearer to zero without it, this part is given back to the contacts and joints: their u- is H (v + y) + drive.
 *
 * Stabilisation is named work, and taken away from W_k, as far as there is an overlap to undo: the deeper of those at both ends
 * of the segment (positions may move by the old velocity, and undo the overlap of the end), at most SS_TOL_PUSH of its unit, in
 * the time of a whole step. A velocity x_k that pushes further makes up for rows that turn within the segment: what it makes,
 *     min(W, sum of r_N x_k)
 * is an error of integration up to SS_TOL_BOUNCE of the energies at hand of the island, and energy from nowhere beyond that.
 *
 * Joints whose forces act beyond their step, half a step earlier than positions move (schatzman_paoli) or carried on to the next
 * one (generalized-alpha), take energy in one step and give it back in another, where a link turns fast: both are errors of
 * integration, signed.
 *
 * Motors of limited force do named work; what they do besides (audit_motors.c) is added to W. Dry friction of a joint is a
 * contact without a normal: all of its work is in W.
 * Contacts that a scheme does not name cannot be known to be struck.
 * Jumps have one set of rows; what they gain is the law's own and counted with their event. Impulses that are sums over stages
 * act along rows of many configurations: all that they make is added to the integration errors.
 * Cost   linear in the contacts and the entries of G; gaps at both ends of contacts that push something back */
#include "base/parallel.h"
#include "base/tolerances.h"
#include "math/array.h"
#include "math/matrix.h"
#include "problem/islands.h"
#include "sim/sim.h"
#include <math.h>

/* Solver tolerances, of the energies at hand: what the contacts of an island may make together because each is solved to one. */
static const double SOLVED = 10;

/* Works in an island, J. */
typedef struct tally {
    double work;    /* of contacts and joints: W                                          */
    double joints;  /* of it, that of joints                                               */
    double bounce;  /* sum of the B_k that count                                          */
    double largest; /* of them; its contact is `worst`, ..                                 */
    double least;   /* .. and what it has to exceed                                        */
    double slip;    /* positive works of friction, at contacts that were struck            */
    double scale;   /* kinetic energies at both ends, and of the impulses of the forces     */
    int worst;
    double pushed;  /* sum of r_N x_k                                                     */
    double hardest; /* the largest of them; its contact is `pusher`                        */
    int pusher;
} tally;

static double at(const double *a, int i) { return a ? a[i] : 0; }

/* ---- works ------------------------------------------------------------------------------------------- */

/* What a segment is judged by. */
typedef struct measures {
    const ss_row_motion *rows; /* of the segment                                                                  */
    int *block;                /* of each velocity                                                                */
    double *energy;            /* of each block, see ss_audit_energies                                                  */
    const double *turn; /* y: change of velocities by the gyroscopic impulses alone, where contacts act after them; NULL: none */
    double *excess;     /* nc: work of motors beyond what is named; NULL: none of it */
    double *owed;       /* nr: speed that undoes the overlap of a contact, in its normal row; NULL: nothing is pushed back   */
} measures;

/* One row of a contact: the velocity along it before and after, driven bodies included. The velocity that an overlap owes is
 * taken away from both: its work is named, and the step before has pushed as well. */
typedef struct row_work {
    double r, before, after;
    double turned; /* of `before`, by gyroscopic impulses that come first           */
    double excess; /* x_k: of both, by stabilisation that no overlap at hand explains */
} row_work;

static double turned_along(const ss_csr *rows, int row, const measures *by)
{
    return by->turn ? ss_csr_row_dot(rows, row, by->turn) : 0;
}

static double impulse_along(const ss_segment *g, int row)
{
    return ss_segment_weight(g) * (g->solution->r[row] + at(g->parts.r_given, row));
}

/* The part of the offset that belongs to positions: an open gap may close, whose work is a contact's own, and an overlap may open
 * as fast as it owes, which is named. Of a contact that the scheme does not name no overlap is known. */
static double stabilising(const ss_segment *g, int row, const measures *by)
{
    const double w = at(g->parts.w_stabilise, row);
    return w < 0 && g->contacts ? fmax(w, -at(by->owed, row)) : w;
}

/* of an impulse r */
static row_work along(const ss_segment *g, int row, const measures *by, double r)
{
    const double drive = at(g->parts.w_drive, row), stabilise = stabilising(g, row, by);
    row_work w = { .r = r };
    if (r == 0) {
        return w; /* what moves there is of no interest */
    }
    w.before = by->rows->before[row] + (drive + fmin(stabilise, 0));
    w.after = by->rows->after[row] + (drive + fmin(stabilise, 0));
    w.excess = stabilise - at(g->parts.w_stabilise, row);
    w.turned = turned_along(&g->problem->H, row, by);
    return w;
}

static row_work work_along(const ss_segment *g, int row, const measures *by) { return along(g, row, by, impulse_along(g, row)); }

/* Does this segment end an impact of contact k that an earlier one has begun? */
static bool ends_impact(const ss_segment *g, int k) { return g->parts.v_before && at(g->parts.r_given, g->problem->row[k]) < 0; }

/* the same for the whole of an impact that the segment ends */
static row_work whole_along(const ss_segment *g, int row, const measures *by)
{
    const ss_csr *H = &g->problem->H;
    row_work w = along(g, row, by, ss_segment_weight(g) * g->solution->r[row]);
    w.before += ss_csr_row_dot(H, row, g->parts.v_before) - by->rows->before[row];
    return w;
}

/* The smallest energy of the bodies that contact k acts on. */
static double lighter_of(const ss_segment *g, int k, const measures *by)
{
    const ss_csr *H = &g->problem->H;
    double least = INFINITY;
    for (int e = H->p[g->problem->row[k]]; e < H->p[g->problem->row[k] + 1]; e++) {
        const double energy = by->energy[by->block[H->i[e]]];
        least = energy < least ? energy : least;
    }
    return least;
}

/* Is contact k struck in this segment? One that persists has an impulse r as large as in the step before. */
static bool strikes(const ss_account *a, const ss_segment *g, int k, double r)
{
    return r > 2 * (g->contacts ? ss_account_normal_impulse(a->sim->last, &g->contacts->c[k]->id) : INFINITY);
}

/* B_k. An associated law lifts what slips: that is no bounce. */
static double bounce_of(const ss_segment *g, int k, row_work normal)
{
    const unsigned law = g->problem->law[k];
    if (!g->contacts || law == SS_LAW_ASSOCIATED || law == SS_LAW_ASSOCIATED_POLYHEDRAL) {
        return 0;
    }
    const double before = normal.before - normal.excess, after = normal.after - normal.excess;
    return 0.5 * fmax(normal.r, 0) * fmax(0, after - fmax(0, -g->contacts->c[k]->e * before));
}

static double work_of(row_work w) { return 0.5 * w.r * (w.before + w.turned + w.after); }

/* What one contact adds to the tally of its island. */
typedef struct contribution {
    double work, push;          /* W_k; r_N x_k                                                                */
    double bounce, least, slip; /* of one that is struck: B_k if it counts, what it has to exceed; work of friction */
} contribution;

/* of contact k */
static void add_contribution(tally *t, int k, const contribution *x)
{
    t->work += x->work;
    t->pushed += x->push;
    if (x->push > t->hardest) {
        t->hardest = x->push;
        t->pusher = k;
    }
    t->slip += x->slip;
    t->bounce += x->bounce;
    if (x->bounce > t->largest) {
        t->largest = x->bounce;
        t->worst = k;
        t->least = x->least;
    }
}

/* work of contact k along its rows from number `first` on, in this segment or of the whole impact that it ends */
static double work_from(const ss_segment *g, int k, int first, const measures *by, bool whole)
{
    double work = 0;
    for (int row = g->problem->row[k] + first; row < g->problem->row[k + 1]; row++) {
        work += work_of(whole ? whole_along(g, row, by) : work_along(g, row, by));
    }
    return work;
}

static contribution contribution_of(const ss_account *a, const ss_segment *g, int k, const measures *by)
{
    const int row = g->problem->row[k];
    const bool ends = ends_impact(g, k);
    const row_work normal = work_along(g, row, by);
    const double slip = work_from(g, k, 1, by, ends);
    contribution x = { .work = work_of(normal) + (ends ? work_from(g, k, 1, by, false) : slip),
                       .push = fmax(normal.r, 0) * normal.excess };
    const double bounce = bounce_of(g, k, ends ? whole_along(g, row, by) : normal),
                 lighter = bounce > 0 || slip > 0 ? lighter_of(g, k, by) : INFINITY, least = SS_TOL_BOUNCE * lighter;
    const bool bounces = bounce > least, gains = slip > SS_TOL_GAIN * lighter;
    if ((bounces || gains) && (ends || strikes(a, g, k, normal.r))) {
        x.bounce = bounces ? bounce : 0;
        x.least = least;
        x.slip = gains ? slip : 0;
    }
    return x;
}

/* a motor of limited force, as opposed to the dry friction of a joint */
static bool is_motor(const ss_segment *g, int k)
{
    return g->problem->law[k] == SS_LAW_BOUNDED && !(g->contacts && ss_contact_is_joint_friction(g->contacts->c[k]));
}

/* Contacts that are looked at. */
typedef struct contacts_job {
    const ss_account *a;
    const ss_segment *g;
    const measures *by;
    contribution *of; /* nc */
} contacts_job;

static void look_at_contacts(void *data, int begin, int end)
{
    const contacts_job *x = data;
    const ss_segment *g = x->g;
    for (int k = begin; k < end; k++) {
        if (is_motor(g, k)) {
            x->of[k] = (contribution){ .work = at(x->by->excess, k) };
        } else if (g->problem->law[k] & (SS_LAW_BOUNDED | SS_LAW_ROLLING)) { /* what rubs in a joint, a moment */
            x->of[k] = (contribution){ .work = work_from(g, k, 0, x->by, false) };
        } else {
            x->of[k] = contribution_of(x->a, g, k, x->by);
        }
    }
}

/* on threads; the sums of islands in the order of contacts */
static ss_status add_contacts(const ss_account *a, const ss_segment *g, const ss_islands *islands, const measures *by, tally *t)
{
    enum { GRAIN = 1024 };
    contacts_job x = { .a = a, .g = g, .by = by };
    SS_TRY(ss_arena_take_raw(a->sim->arena, (size_t)g->problem->nc, sizeof *x.of, &x.of));
    ss_parallel_for(a->sim->ctx, g->problem->nc, GRAIN, look_at_contacts, &x);
    for (int k = 0; k < g->problem->nc; k++) {
        if (islands->of_contact[k] >= 0) {
            add_contribution(&t[islands->of_contact[k]], k, &x.of[k]);
        }
    }
    return SS_OK;
}

static void add_joint(tally *t, double work)
{
    t->work += work;
    t->joints += work;
}

static void add_joints(const ss_account *a, const ss_segment *g, const ss_islands *islands, const measures *by, tally *t)
{
    const ss_problem *p = g->problem;
    for (int i = 0; i < p->nj; i++) {
        if (!a->sim->model->row_motor[i] && islands->of_joint[i] >= 0) {
            double twice = ss_csr_row_dot(&p->G, i, g->from.v) + ss_csr_row_dot(&p->G, i, g->to.v) - 2 * at(g->parts.c_drive, i);
            twice += turned_along(&p->G, i, by);
            add_joint(&t[islands->of_joint[i]], 0.5 * ss_segment_weight(g) * g->solution->lam[i] * twice);
        }
    }
}

/* ---- overlaps ---------------------------------------------------------------------------------------- */

/* speed that undoes the overlap of contact k at a configuration */
static ss_status find_owed(const ss_sim *sim, const ss_segment *g, const ss_config *where, int k, double *speed)
{
    const ss_contact *c = g->contacts->c[k];
    const double most = SS_TOL_PUSH * ss_contact_unit(sim->model, c);
    ss_contact_value value;
    SS_TRY(ss_contact_eval(sim->ctx, sim->model, where, c, &value));
    *speed = fmin(fmax(-value.gap, 0), most) / ss_stepper_time_to_undo(&sim->stepper, g->to.t - g->from.t);
    return SS_OK;
}

static bool pushes_back(const ss_segment *g, int k)
{
    const int row = g->problem->row[k];
    return at(g->parts.w_stabilise, row) < 0 && g->solution->r[row] > 0;
}

/* by->owed, of the end of the segment where overlaps are deeper */
static ss_status take_owed(const ss_sim *sim, const ss_segment *g, measures *by)
{
    const ss_problem *p = g->problem;
    const ss_segment_end *end[2] = { &g->from, &g->to };
    ss_config where;
    SS_TRY(ss_config_take(sim->arena, sim->model, &where));
    SS_TRY(ss_arena_take(sim->arena, (size_t)p->row[p->nc], sizeof *by->owed, &by->owed));
    memset(by->owed, 0, (size_t)p->row[p->nc] * sizeof *by->owed);
    for (int e = 0; e < 2; e++) {
        ss_config_set(sim->model, end[e]->t, end[e]->q, &where);
        for (int k = 0; k < p->nc; k++) {
            double speed = 0;
            SS_TRY(pushes_back(g, k) ? find_owed(sim, g, &where, k, &speed) : SS_OK);
            by->owed[p->row[k]] = fmax(by->owed[p->row[k]], speed);
        }
    }
    return SS_OK;
}

/* Does a contact of the segment push something back? */
static bool any_pushes_back(const ss_segment *g)
{
    bool any = false;
    for (int k = 0; g->contacts && !any && k < g->problem->nc; k++) {
        any = pushes_back(g, k);
    }
    return any;
}

/* sum of r . H y/2 and lam . G y/2, over contacts and joints whose work is not named */
static double work_of_turn(const ss_account *a, const ss_segment *g, const double *y)
{
    const ss_problem *p = g->problem;
    double sum = 0;
    for (int k = 0; k < p->nc; k++) {
        for (int row = p->row[k]; !is_motor(g, k) && row < p->row[k + 1]; row++) {
            sum += 0.5 * impulse_along(g, row) * ss_csr_row_dot(&p->H, row, y);
        }
    }
    for (int i = 0; i < p->nj; i++) {
        const double lam = a->sim->model->row_motor[i] ? 0 : ss_segment_weight(g) * g->solution->lam[i];
        sum += 0.5 * lam * ss_csr_row_dot(&p->G, i, y);
    }
    return sum;
}

/* *turn: y, if contacts and joints act after the gyroscopic impulses; else NULL. `entered`: their work. Nothing is given back of
 * what is noise. */
static ss_status take_turn(ss_account *a, const ss_segment *g, double entered, const double **turn)
{
    const ss_blockdiag *M = ss_audit_mass(a->sim, g);
    double *y;
    *turn = NULL;
    if (!(fabs(entered) > SS_TOL_GAIN * a->audit.at_hand) || !g->problem || g->stages.shown) {
        return SS_OK;
    }
    SS_TRY(ss_arena_take(a->sim->arena, (size_t)M->n, sizeof *y, &y));
    memcpy(y, g->impulse[SS_IMPULSE_GYROSCOPIC], (size_t)M->n * sizeof *y);
    ss_blockdiag_solve(M, a->sim->audit.mass.L, y);
    const double work = work_of_turn(a, g, y);
    if (fabs(entered - work) < fabs(entered)) {
        a->audit.turned += work;
        *turn = y;
    }
    return SS_OK;
}

/* ---- verdict ----------------------------------------------------------------------------------------- */

/* <= 0: work of joints whose forces act beyond the step, an error of integration like any other. What contacts have made of it
 * is not lost. */
static double lost_by_joints(const ss_account *a, const ss_segment *g, const tally *t)
{
    const bool beyond = a->sim->audit.scope.two_steps || g->impulse[SS_IMPULSE_JOINTS];
    return beyond ? fmin(fmax(t->work, t->joints), 0) : 0;
}

/* *paid: what the substep before lost, for an impact that takes two */
static void judge(ss_account *a, const ss_segment *g, const tally *t, double *paid)
{
    ss_step_audit *audit = &a->audit;
    const double noise = fmax(SS_TOL_GAIN, SOLVED * a->sim->asked.solver_tol) * t->scale;
    double made = fmax(t->work, 0), taken_back = fmin(made, -*paid);
    made -= taken_back;
    *paid += taken_back;
    const double law = fmin(made, t->slip) > noise ? fmin(made, t->slip) : 0;
    made -= law;
    a->ledger.impact_gain += law;
    a->ledger.impact_gains += law > 0;
    audit->made += made + lost_by_joints(a, g, t);
    audit->noise += noise;
    const bool bounces = fmin(made, t->bounce) > fmax(noise, t->least), pushes = fmin(made, t->pushed) > SS_TOL_BOUNCE * t->scale;
    const int blamed = bounces ? t->worst : t->pusher;
    if (bounces || pushes) {
        audit->beyond = true;
        a->report.remark(&a->report, SS_REMARK_ENERGY, blamed >= 0 ? g->contacts->c[blamed] : NULL);
    }
}

/* the certificate of the segment has found them already, if it has one */
static ss_status find_islands(const ss_sim *sim, const ss_segment *g, ss_islands *out)
{
    return g->info ? ss_residual_islands(sim->certifier, g->problem, out) : ss_islands_find(sim->arena, g->problem, out);
}

/* Impulses of joints besides those of the multipliers: a scheme may carry forces on from earlier steps. */
static void add_carried(const ss_segment *g, const ss_blockdiag *M, const ss_islands *islands, tally *t)
{
    const double *p = g->impulse[SS_IMPULSE_JOINTS];
    for (int b = 0, n, i; p && b < M->blocks; b++) {
        n = M->size[b], i = M->offset[b];
        add_joint(&t[islands->of_block[b]], 0.5 * (ss_array_dot(n, p + i, g->from.v + i) + ss_array_dot(n, p + i, g->to.v + i)));
    }
}

/* contacts and joints of a problem, island by island */
static ss_status audit_problem(ss_account *a, const ss_segment *g, const measures *by)
{
    ss_sim *sim = a->sim;
    ss_islands islands;
    tally *t;
    double paid = a->audit.paid, lost = 0;
    SS_TRY(find_islands(sim, g, &islands));
    SS_TRY(ss_arena_take(sim->arena, (size_t)islands.count, sizeof *t, &t));
    for (int i = 0; i < islands.count; i++) {
        t[i] = (tally){ .worst = -1, .pusher = -1 };
    }
    for (int b = 0; b < ss_audit_mass(sim, g)->blocks; b++) {
        t[islands.of_block[b]].scale += by->energy[b];
    }
    SS_TRY(add_contacts(a, g, &islands, by, t));
    add_joints(a, g, &islands, by, t);
    add_carried(g, ss_audit_mass(sim, g), &islands, t);
    for (int i = 0; i < islands.count; i++) {
        judge(a, g, &t[i], &paid);
        lost += fmin(t[i].work, 0) - lost_by_joints(a, g, &t[i]);
    }
    a->audit.paid = sim->audit.scope.two_steps ? lost + 0.5 * paid : 0;
    return SS_OK;
}

/* impulses that are sums over stages, all together */
static void audit_stages(ss_account *a, const ss_segment *g, const ss_ledger *entries, const double *energy)
{
    a->audit.made += fmax(entries->joints + entries->contact_normal + entries->contact_friction, 0);
    for (int b = 0; b < ss_audit_mass(a->sim, g)->blocks; b++) {
        a->audit.noise += SS_TOL_GAIN * energy[b];
    }
}

/* by->block */
static ss_status take_blocks(ss_arena *arena, const ss_blockdiag *M, measures *by)
{
    SS_TRY(ss_arena_take_raw(arena, (size_t)M->n, sizeof *by->block, &by->block));
    for (int b = 0; b < M->blocks; b++) {
        for (int i = 0; i < M->size[b]; i++) {
            by->block[M->offset[b] + i] = b;
        }
    }
    return SS_OK;
}

static ss_status audit(ss_account *a, const ss_segment *g, const ss_row_motion *rows, const ss_ledger *entries)
{
    ss_sim *sim = a->sim;
    const ss_blockdiag *M = ss_audit_mass(sim, g);
    measures by = { .rows = rows };
    SS_TRY(ss_arena_take_raw(sim->arena, (size_t)M->blocks, sizeof *by.energy, &by.energy));
    SS_TRY(ss_block_factor_update(sim->ctx, &sim->audit.mass, M));
    SS_TRY(ss_audit_energies(a, g, by.energy));
    SS_TRY(take_turn(a, g, entries->gyroscopic, &by.turn));
    if (g->problem && !g->stages.shown) {
        SS_TRY(any_pushes_back(g) ? take_owed(sim, g, &by) : SS_OK);
        SS_TRY(ss_audit_motors(sim, g, &by.excess));
        SS_TRY(take_blocks(sim->arena, M, &by));
        return audit_problem(a, g, &by);
    }
    audit_stages(a, g, entries, by.energy);
    return SS_OK;
}

ss_status ss_audit_impulses(ss_account *a, const ss_segment *g, const ss_row_motion *rows, const ss_ledger *entries)
{
    const ss_arena_mark mark = ss_arena_save(a->sim->arena);
    const ss_status status = g->to.t == g->from.t ? SS_OK : audit(a, g, rows, entries);
    ss_arena_release(a->sim->arena, mark);
    return status;
}
