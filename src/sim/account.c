/* account.c - the driver's side of a step report: certify every segment, enter it in the ledger, keep
 * the events. Nothing here reaches the run's totals before the step is accepted. */
#include "base/parallel.h"
#include "base/tolerances.h"
#include "math/worse.h"
#include "sim/sim.h"
#include <stdio.h>

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

/* What has moved positions alone, added up over the problems of the step. */
static void add_displacing(ss_account *a, const ss_segment *g)
{
    for (int i = 0; i < g->problem->nj; i++) {
        a->reactions.displacing[i] += g->solution->lam[i];
    }
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
        on_remark(&a->report, SS_REMARK_UNSOLVED, g->contacts && r.worst >= 0 ? g->contacts->c[r.worst] : NULL);
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

static ss_status copy_numbers(const ss_sim *sim, size_t n, const double *from, const double **to)
{
    double *copy = NULL;
    if (from) {
        SS_TRY(ss_arena_take_raw(sim->trial_arena, n, sizeof *copy, &copy));
        ss_parallel_copy(sim->ctx, n * sizeof *copy, from, copy);
    }
    *to = copy;
    return SS_OK;
}

/* The same, or the place of the numbers that the step begins with if they are equal: where they are once it is accepted, and
 * stay as long as the segment is kept. */
static ss_status copy_start(const ss_account *a, size_t n, const double *from, const double *start, const double *place,
                            const double **to)
{
    const bool same = from && a->sim->control.tol == 0 && !a->last_segment && memcmp(from, start, n * sizeof *from) == 0;
    *to = place;
    return same ? SS_OK : copy_numbers(a->sim, n, from, to);
}

/* for dense output */
static ss_status keep_segment(ss_account *a, const ss_segment *g)
{
    const ss_sim *sim = a->sim;
    const ss_model *m = sim->model;
    size_t nq = (size_t)m->nq, nv = (size_t)m->nv;
    ss_kept_segment *s;
    SS_TRY(ss_arena_take(sim->trial_arena, 1, sizeof *s, &s));
    *s = (ss_kept_segment){ .before = a->last_segment, .t = { g->from.t, g->to.t }, .mean = g->from.state };
    SS_TRY(copy_start(a, nq, g->from.q, sim->now.q, sim->next.q, &s->q[0]));
    SS_TRY(copy_numbers(sim, nq, g->to.q, &s->q[1]));
    SS_TRY(copy_start(a, nv, s->mean ? g->from.state : g->from.v, sim->now.v, sim->next.v, &s->v[0]));
    SS_TRY(copy_numbers(sim, nv, g->to.v, &s->v[1]));
    SS_TRY(copy_numbers(sim, nv, g->from.a, &s->a[0]));
    SS_TRY(copy_numbers(sim, nv, g->to.a, &s->a[1]));
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
        SS_TRY(ss_reactions_add(a->sim, &a->reactions, g));
    }
    if (g->problem && sim->model->outputs.of_step) {
        SS_TRY(ss_reactions_add(a->sim, &a->whole, g));
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

static ss_status copy_event(const ss_sim *sim, const ss_event *from, ss_event *to)
{
    ss_arena *trial_arena = sim->trial_arena;
    size_t nv = (size_t)sim->model->nv, n = (size_t)from->impulses;
    const char **names = NULL;
    *to = *from;
    SS_TRY(copy_text(trial_arena, from->contact, &to->contact));
    SS_TRY(copy_numbers(sim, (size_t)sim->model->nq, from->q, &to->q));
    SS_TRY(copy_numbers(sim, nv, from->v_minus, &to->v_minus));
    SS_TRY(copy_numbers(sim, nv, from->v_compression, &to->v_compression));
    SS_TRY(copy_numbers(sim, nv, from->v_plus, &to->v_plus));
    SS_TRY(copy_numbers(sim, 3 * n, from->impulse, &to->impulse));
    SS_TRY(copy_numbers(sim, 3 * n, from->impulse_total, &to->impulse_total));
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
    SS_TRY(copy_event(sim, event, &a->events.event[a->events.n]));
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

void ss_account_destroy(ss_context *ctx, ss_account *account)
{
    ss_reactions_free(ctx, &account->reactions);
    ss_reactions_free(ctx, &account->whole);
    ss_free(ctx, account->output);
    ss_free(ctx, account->events.event);
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
