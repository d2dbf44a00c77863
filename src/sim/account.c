/* account.c - the driver's side of a step report: certify every segment, enter it in the ledger, keep
 * the events. Nothing here reaches the run's totals before the step is accepted. */
#include "base/parallel.h"
#include "base/tolerances.h"
#include "math/worse.h"
#include "sim/sim.h"
#include <stdio.h>

enum { GRAIN = 512 }; /* contacts of a range */

static void widen(ss_residual *worst, const ss_residual *r)
{
    if (!(r->contact <= worst->contact)) {
        worst->worst = r->worst;
    }
    worst->contact = ss_worse(worst->contact, r->contact);
    worst->momentum = ss_worse(worst->momentum, r->momentum);
    worst->joint = ss_worse(worst->joint, r->joint);
    worst->classical = ss_worse(worst->classical, r->classical);
    worst->dropped += r->dropped;
}

/* What a solver says of its own accuracy does not count, only that it has found no solution to exist. Returned is whether the
 * step is certified as far as this goes. */
static bool judge(ss_account *a, ss_outcome outcome, bool granted)
{
    bool none = outcome == SS_INFEASIBLE || outcome == SS_RAY;
    if (granted && !none) {
        outcome = SS_CONVERGED;
    } else if (outcome == SS_CONVERGED) {
        outcome = SS_INACCURATE;
    }
    a->info.outcome = outcome > a->info.outcome ? outcome : a->info.outcome;
    const bool good = granted && outcome == SS_CONVERGED;
    a->info.certified = a->info.certified && good;
    return good;
}

/* place of the contact in the sorted list, or the one where it would be inserted */
static int place_of(const ss_reactions *x, const ss_contact_id *id, bool *there)
{
    int low = 0, high = x->n;
    while (low < high) {
        int middle = (low + high) / 2;
        if (ss_contact_id_compare(&x->contact[middle].id, id) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    *there = low < x->n && ss_contact_id_compare(&x->contact[low].id, id) == 0;
    return low;
}

/* The same, where contacts are asked about in their order: it is `next`, as a rule. */
static int next_place(const ss_reactions *x, const ss_contact_id *id, int next, bool *there)
{
    *there = next < x->n && ss_contact_id_compare(&x->contact[next].id, id) == 0;
    const bool last = next == x->n && (next == 0 || ss_contact_id_compare(&x->contact[next - 1].id, id) < 0);
    return *there || last ? next : place_of(x, id, there);
}

/* Room for n contacts in all accounts that take turns: without step control there are no halves. */
static ss_status reserve_contacts(ss_sim *sim, bool whole, int n)
{
    ss_contact_set *full = &sim->scratch.touched[whole];
    for (int i = 0; i < SS_ACCOUNTS; i++) {
        ss_reactions *x = whole ? &sim->accounts[i].whole : &sim->accounts[i].reactions;
        if (&sim->accounts[i] != sim->other || sim->control.tol > 0) {
            SS_TRY(ss_reserve(sim->ctx, &x->contact, &x->cap, n, sizeof *x->contact));
        }
    }
    return ss_contacts_keep(sim->arena, full, n);
}

static ss_status open_place(ss_account *a, ss_reactions *x, int at)
{
    const int n = x->n;
    const size_t behind = (size_t)(n - at);
    SS_TRY(reserve_contacts(a->sim, x == &a->whole, n + 1));
    memmove(x->full->c + at + 1, x->full->c + at, behind * sizeof *x->full->c);
    memmove(x->contact + at + 1, x->contact + at, behind * sizeof *x->contact);
    x->contact[at] = (ss_reacted){ .impulse = { 0, 0, 0 } };
    x->n = x->full->n = n + 1;
    return SS_OK;
}

/* its features as they were last */
static void note_contact(ss_reactions *x, int at, const ss_contact *contact)
{
    x->full->c[at] = *contact;
    x->contact[at].id = contact->id;
    x->contact[at].bodies[0] = contact->at[0].body;
    x->contact[at].bodies[1] = contact->at[1].body;
}

/* What has moved positions alone, added up over the problems of the step. */
static void add_displacing(ss_account *a, const ss_segment *g)
{
    for (int i = 0; i < g->problem->nj; i++) {
        a->reactions.displacing[i] += g->solution->lam[i];
    }
}

static double shown_weight(const ss_segment *g) { return g->stages.shown ? g->to.t - g->from.t : ss_segment_weight(g); }

/* contact k of the segment is the one at this place of the list */
static void add_contact(ss_reactions *x, int at, const ss_segment *g, int k)
{
    const ss_problem *p = g->problem;
    note_contact(x, at, &g->contacts->c[k]);
    for (int row = p->row[k]; row < p->row[k + 1]; row++) {
        x->contact[at].impulse[row - p->row[k]] +=
            shown_weight(g) * (g->solution->r[row] + (g->parts.r_given ? g->parts.r_given[row] : 0));
    }
}

/* The contacts of a segment become the list. */
typedef struct listing {
    ss_reactions *x;
    const ss_segment *g;
    bool *sorted; /* of every range: do they come in the order of their ids, the one before the range included? */
} listing;

static void list_range(void *data, int begin, int end)
{
    const listing *of = data;
    const ss_contact *c = of->g->contacts->c;
    bool sorted = true;
    for (int k = begin; k < end; k++) {
        sorted = sorted && (k == 0 || ss_contact_id_compare(&c[k - 1].id, &c[k].id) < 0);
        of->x->contact[k] = (ss_reacted){ .impulse = { 0, 0, 0 } };
        add_contact(of->x, k, of->g, k);
    }
    of->sorted[begin / GRAIN] = sorted;
}

/* The first contacts of a step, which has room for them; *done: false if they are not sorted, and the list is left empty. */
static ss_status list_contacts(ss_account *a, ss_reactions *x, const ss_segment *g, bool *done)
{
    const int n = g->contacts->n, ranges = (n + GRAIN - 1) / GRAIN;
    const ss_arena_mark mark = ss_arena_save(a->sim->arena);
    listing of = { .x = x, .g = g };
    SS_TRY(ss_arena_take_raw(a->sim->arena, (size_t)ranges, sizeof *of.sorted, &of.sorted));
    ss_parallel_for(a->sim->ctx, n, GRAIN, list_range, &of);
    *done = true;
    for (int k = 0; k < ranges; k++) {
        *done = *done && of.sorted[k];
    }
    x->n = x->full->n = *done ? n : 0;
    ss_arena_release(a->sim->arena, mark);
    return SS_OK;
}

/* Impulses of a segment, added to those of the step. */
static ss_status add_impulses(ss_account *a, ss_reactions *x, const ss_segment *g)
{
    bool done = !g->contacts;
    SS_TRY(g->contacts ? reserve_contacts(a->sim, x == &a->whole, g->contacts->n) : SS_OK);
    SS_TRY(!done && x->n == 0 ? list_contacts(a, x, g, &done) : SS_OK);
    for (int k = 0, next = 0; !done && k < g->contacts->n; k++) {
        bool there = false;
        const int at = next_place(x, &g->contacts->c[k].id, next, &there);
        SS_TRY(there ? SS_OK : open_place(a, x, at));
        add_contact(x, at, g, k);
        next = at + 1;
    }
    for (int i = 0; i < g->problem->nj; i++) {
        x->joint[i] += shown_weight(g) * g->solution->lam[i];
    }
    return SS_OK;
}

/* Does the scheme, with its options, say that its joints drift? Then joints that do not fit are what was asked for. */
static bool lets_joints_drift(const ss_sim *sim)
{
    return (sim->scheme->order ? sim->scheme->order(sim->params) : sim->scheme->info.order).joints_drift;
}

/* the first of its kind in a step is kept; some leave the step without a certificate */
void ss_account_remark(ss_account *a, ss_remark kind, const char *about)
{
    ss_remarked *r = &a->remark[kind];
    if (kind == SS_REMARK_INFEASIBLE || kind == SS_REMARK_CONTRADICTION) {
        judge(a, SS_INFEASIBLE, false);
    }
    if (kind == SS_REMARK_ENERGY || kind == SS_REMARK_UNFOLLOWED || (kind == SS_REMARK_JOINTS && !lets_joints_drift(a->sim))) {
        judge(a, SS_CONVERGED, false);
    }
    if (kind == SS_REMARK_HANDED) {
        a->events.kinds |= 1u << SS_EVENT_PAINLEVE; /* for step control the same as a Painleve event: the order is lost */
    }
    if (r->steps++ == 0) {
        snprintf(r->contact, sizeof r->contact, "%s", about);
    }
}

static void on_remark(ss_report *self, ss_remark kind, const ss_contact *contact)
{
    ss_account *a = (ss_account *)self;
    char name[128] = "";
    if (contact) {
        ss_contact_name(a->sim->model, contact, name, sizeof name);
    }
    ss_account_remark(a, kind, name);
}

/* The certificate is computed here, from the reported problem and solution, whoever solved it. */
static ss_status certify(ss_account *a, const ss_segment *g)
{
    ss_residual r;
    SS_TRY(ss_residual_compute(a->sim->certifier, g->problem, g->solution, &r));
    double tol = a->sim->asked.solver_tol;
    widen(&a->info.residual, &r);
    const bool granted = r.contact <= tol && r.momentum <= tol && r.joint <= tol;
    if (!judge(a, g->info->outcome, granted)) {
        on_remark(&a->report, SS_REMARK_UNSOLVED, g->contacts && r.worst >= 0 ? &g->contacts->c[r.worst] : NULL);
    }
    return SS_OK;
}

/* has the scheme's own iteration converged? */
static void judge_iteration(ss_account *a, const ss_segment *g)
{
    bool settled = g->nonlinear <= a->sim->asked.solver_tol;
    judge(a, SS_CONVERGED, settled);
    if (!settled) {
        on_remark(&a->report, SS_REMARK_UNSETTLED, NULL);
    }
}

/* the residual of a segment without a problem is that of its momentum balance */
static void certify_itself(ss_account *a, const ss_segment *g)
{
    a->info.residual.momentum = ss_worse(a->info.residual.momentum, g->nonlinear);
    judge_iteration(a, g);
}

static ss_status certify_problem(ss_account *a, const ss_segment *g)
{
    const ss_observer *o = &a->sim->observer;
    SS_TRY(certify(a, g));
    judge_iteration(a, g);
    a->info.problems++;
    return o->on_problem ? o->on_problem(o->user, a->sim, a->number, g->problem, g->solution) : SS_OK;
}

static ss_status copy_numbers(ss_arena *arena, size_t n, const double *from, const double **to)
{
    double *copy = NULL;
    if (from) {
        SS_TRY(ss_arena_take(arena, n, sizeof *copy, &copy));
        memcpy(copy, from, n * sizeof *copy);
    }
    *to = copy;
    return SS_OK;
}

/* for dense output */
static ss_status keep_segment(ss_account *a, const ss_segment *g)
{
    const ss_model *m = a->sim->model;
    ss_arena *trial_arena = a->sim->trial_arena;
    size_t nq = (size_t)m->nq, nv = (size_t)m->nv;
    ss_kept_segment *s;
    SS_TRY(ss_arena_take(trial_arena, 1, sizeof *s, &s));
    *s = (ss_kept_segment){ .before = a->last_segment, .t = { g->from.t, g->to.t }, .mean = g->from.state };
    SS_TRY(copy_numbers(trial_arena, nq, g->from.q, &s->q[0]));
    SS_TRY(copy_numbers(trial_arena, nq, g->to.q, &s->q[1]));
    SS_TRY(copy_numbers(trial_arena, nv, s->mean ? g->from.state : g->from.v, &s->v[0]));
    SS_TRY(copy_numbers(trial_arena, nv, g->to.v, &s->v[1]));
    SS_TRY(copy_numbers(trial_arena, nv, g->from.a, &s->a[0]));
    SS_TRY(copy_numbers(trial_arena, nv, g->to.a, &s->a[1]));
    a->last_segment = s;
    return SS_OK;
}

/* ledger, certificate and audit */
static ss_status judge_segment(ss_account *a, const ss_segment *g)
{
    ss_sim *sim = a->sim;
    ss_ledger entries;
    ss_row_motion rows;
    SS_TRY(ss_row_motion_find(sim->ctx, sim->arena, g, &rows));
    SS_TRY(ss_ledger_enter(sim->ctx, sim->model, sim->arena, g, &rows, &entries));
    ss_ledger_add(&a->ledger, &entries);
    a->events.fed += g->to.t == g->from.t ? entries.driven + entries.applied : 0;
    if (g->own_residual) {
        certify_itself(a, g);
    } else if (!g->problem && !judge(a, SS_CONVERGED, g->to.t == g->from.t)) {
        /* a jump without a problem is certified; a substep without one must report its own residual */
        on_remark(&a->report, SS_REMARK_UNSOLVED, NULL);
    }
    if (g->problem && g->info) { /* no info: the impulses follow from a problem reported before */
        SS_TRY(certify_problem(a, g));
    }
    return ss_audit_segment(a, g, &rows, &entries);
}

static ss_status on_segment(ss_report *self, const ss_segment *g)
{
    ss_account *a = (ss_account *)self;
    ss_sim *sim = a->sim;
    if (a->number == 0) {
        return SS_OK;
    }
    const ss_arena_mark mark = ss_arena_save(sim->arena);
    SS_TRY(judge_segment(a, g));
    ss_arena_release(sim->arena, mark);
    if (g->to.t > g->from.t) {
        SS_TRY(keep_segment(a, g));
    }
    bool shown = g->problem && (g->info || g->stages.shown);
    if (shown && g->to.t > g->from.t) {
        a->info.contacts = g->problem->nc;
        SS_TRY(add_impulses(a, &a->reactions, g));
    }
    if (g->problem && sim->model->outputs.of_step) {
        SS_TRY(add_impulses(a, &a->whole, g));
    }
    if (shown && g->level == SS_LEVEL_POSITION) {
        add_displacing(a, g);
    }
    return SS_OK;
}

static ss_status copy_text(ss_arena *arena, const char *from, const char **to)
{
    char *copy = NULL;
    if (from) {
        SS_TRY(ss_arena_take(arena, strlen(from) + 1, 1, &copy));
        memcpy(copy, from, strlen(from) + 1);
    }
    *to = copy;
    return SS_OK;
}

static ss_status copy_event(const ss_model *m, ss_arena *trial_arena, const ss_event *from, ss_event *to)
{
    size_t nv = (size_t)m->nv, n = (size_t)from->impulses;
    const char **names = NULL;
    *to = *from;
    SS_TRY(copy_text(trial_arena, from->contact, &to->contact));
    SS_TRY(copy_numbers(trial_arena, (size_t)m->nq, from->q, &to->q));
    SS_TRY(copy_numbers(trial_arena, nv, from->v_minus, &to->v_minus));
    SS_TRY(copy_numbers(trial_arena, nv, from->v_compression, &to->v_compression));
    SS_TRY(copy_numbers(trial_arena, nv, from->v_plus, &to->v_plus));
    SS_TRY(copy_numbers(trial_arena, 3 * n, from->impulse, &to->impulse));
    SS_TRY(copy_numbers(trial_arena, 3 * n, from->impulse_total, &to->impulse_total));
    SS_TRY(ss_arena_take(trial_arena, n, sizeof *names, &names));
    for (size_t k = 0; k < n; k++) {
        SS_TRY(copy_text(trial_arena, from->impulse_contact[k], &names[k]));
    }
    to->impulse_contact = names;
    return SS_OK;
}

/* Kinetic energy that an impact law made is an entry of the ledger. */
static void enter_gain(ss_account *a, const ss_event *event)
{
    double gain = event->v_plus ? event->kinetic[2] - event->kinetic[0] - a->events.fed : 0;
    a->events.fed = 0;
    if (gain > SS_TOL_ENERGY * event->kinetic[0]) { /* above the round-off of two kinetic energies */
        a->ledger.impact_gain += gain;
        a->ledger.impact_gains++;
    }
}

static ss_status on_event(ss_report *self, const ss_event *event)
{
    ss_account *a = (ss_account *)self;
    ss_sim *sim = a->sim;
    a->events.kinds |= 1u << event->kind;
    if (a->number == 0) {
        ss_control_note_impact(sim, event);
        return SS_OK;
    }
    for (int i = 0; i < SS_ACCOUNTS; i++) {
        ss_event_list *each = &sim->accounts[i].events;
        SS_TRY(ss_reserve(sim->ctx, &each->event, &each->cap, a->events.n + 1, sizeof *each->event));
    }
    SS_TRY(copy_event(sim->model, sim->trial_arena, event, &a->events.event[a->events.n]));
    a->events.n++;
    enter_gain(a, event);
    return SS_OK;
}

static void count_choice(ss_choices *sum, const ss_solver_choice *choice)
{
    sum->split += choice->parts > 1;
    for (int k = 0; k < SS_CHOICES; k++) {
        sum->first[k] += choice->first[k];
        sum->left[k] += choice->left[k];
    }
}

static void on_count(ss_report *self, const ss_solver_info *info)
{
    ss_account *a = (ss_account *)self;
    a->effort.lcps++;
    a->effort.iterations += info->iterations;
    if (info->starved) {
        on_remark(self, SS_REMARK_STARVED, NULL);
    }
    a->effort.fallbacks += info->fallbacks;
    a->effort.basis_tried += info->basis_tried;
    a->effort.basis_hits += info->basis_hit;
    a->effort.shared += info->shared > 0;
    a->effort.chosen += info->chosen > SS_TOL_DISAGREE;
    for (int k = 0; k < SS_SUMMARY_SOLVERS && ss_solver_types[k]; k++) {
        a->effort.answered[k] += info->solver == ss_solver_types[k]->info.name;
    }
    count_choice(&a->effort.choices, &info->choice);
}

static void on_reduced(ss_report *self, int found, int kept)
{
    ss_account *a = (ss_account *)self;
    a->effort.contacts_found += found;
    a->effort.contacts_kept += kept;
}

static void on_blocked(ss_report *self, int closed) { ((ss_account *)self)->info.residual.dropped += closed; }

static void on_evaluated(ss_report *self, int times) { ((ss_account *)self)->effort.evaluated += times; }

static void on_newton(ss_report *self, int iterations) { ((ss_account *)self)->effort.newton += iterations; }

ss_status ss_account_create(ss_sim *sim, ss_account *account)
{
    account->sim = sim;
    account->report = (ss_report){ .segment = on_segment,
                                   .event = on_event,
                                   .count = on_count,
                                   .reduced = on_reduced,
                                   .blocked = on_blocked,
                                   .newton = on_newton,
                                   .evaluated = on_evaluated,
                                   .remark = on_remark };
    ss_reactions *x = &account->reactions;
    x->full = &sim->scratch.touched[0];
    account->whole.full = &sim->scratch.touched[1];
    SS_TRY(ss_calloc(sim->ctx, (size_t)sim->model->nj, sizeof *x->displacing, &x->displacing));
    SS_TRY(ss_calloc(sim->ctx, (size_t)sim->model->nj, sizeof *x->joint, &account->whole.joint));
    SS_TRY(ss_calloc(sim->ctx, (size_t)sim->model->outputs.columns, sizeof *account->output, &account->output));
    return ss_calloc(sim->ctx, (size_t)sim->model->nj, sizeof *x->joint, &x->joint);
}

static void free_reactions(ss_context *ctx, ss_reactions *x)
{
    ss_free(ctx, x->contact);
    ss_free(ctx, x->joint);
    ss_free(ctx, x->displacing);
}

void ss_account_destroy(ss_context *ctx, ss_account *account)
{
    free_reactions(ctx, &account->reactions);
    free_reactions(ctx, &account->whole);
    ss_free(ctx, account->output);
    ss_free(ctx, account->events.event);
}

double ss_account_normal_impulse(const ss_account *account, const ss_contact_id *id)
{
    bool there = false;
    int at = place_of(&account->reactions, id, &there);
    return there ? account->reactions.contact[at].impulse[0] : 0;
}

bool ss_account_has_impulses(const ss_account *account)
{
    const ss_reactions *x = &account->reactions;
    bool any = false;
    for (int i = 0; !any && i < 3 * x->n; i++) {
        any = x->contact[i / 3].impulse[i % 3] != 0;
    }
    return any;
}

void ss_account_begin(ss_account *account, int64_t number)
{
    account->number = number;
    account->ledger = (ss_ledger){ 0 };
    account->info = (ss_step_info){ .certified = true, .residual.worst = -1 };
    account->effort = (ss_effort){ 0 };
    memset(account->remark, 0, sizeof account->remark);
    account->events = (ss_event_list){ .event = account->events.event, .cap = account->events.cap };
    account->last_segment = NULL;
    account->nonsmooth = false;
    account->reactions.n = account->whole.n = account->reactions.full->n = account->whole.full->n = 0;
    for (int i = 0; i < account->sim->model->nj; i++) {
        account->reactions.joint[i] = account->reactions.displacing[i] = account->whole.joint[i] = 0;
    }
    for (int k = 0; k < account->sim->model->outputs.columns; k++) {
        account->output[k] = 0;
    }
}
