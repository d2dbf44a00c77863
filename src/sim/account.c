/* account.c - the driver's side of a step report: certify every segment, enter it in the ledger, keep
 * the events. Nothing here reaches the run's totals before the step is accepted. */
#include "sim/sim.h"
#include <math.h>

/* the larger one; a NaN counts as infinite */
static void raise_to(double *worst, double value) { *worst = value <= *worst ? *worst : isnan(value) ? INFINITY : value; }

static void widen(ss_residual *worst, const ss_residual *r)
{
    if (!(r->contact <= worst->contact)) {
        worst->worst = r->worst;
    }
    raise_to(&worst->contact, r->contact);
    raise_to(&worst->momentum, r->momentum);
    raise_to(&worst->joint, r->joint);
    raise_to(&worst->classical, r->classical);
    worst->dropped += r->dropped;
}

static void judge(ss_account *a, ss_outcome outcome, bool granted)
{
    if (outcome == SS_CONVERGED && !granted) {
        outcome = SS_INACCURATE;
    }
    a->info.outcome = outcome > a->info.outcome ? outcome : a->info.outcome;
    a->info.certified = a->info.certified && granted && outcome == SS_CONVERGED;
}

/* The certificate is computed here, from the reported problem and solution, whoever solved it. */
static ss_status certify(ss_account *a, const ss_segment *g)
{
    ss_residual r;
    SS_TRY(ss_residual_compute(a->sim->certifier, g->problem, g->solution, &r));
    double tol = a->sim->solver_tol;
    widen(&a->info.residual, &r);
    judge(a, g->info->outcome, r.contact <= tol && r.momentum <= tol && r.joint <= tol);
    return SS_OK;
}

/* where the contact stands in the sorted list, or belongs */
static int place_of(const ss_account *a, const ss_contact_id *id, bool *there)
{
    int low = 0, high = a->contacts.n;
    while (low < high) {
        int middle = (low + high) / 2;
        if (ss_contact_id_compare(&a->contacts.c[middle].id, id) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    *there = low < a->contacts.n && ss_contact_id_compare(&a->contacts.c[low].id, id) == 0;
    return low;
}

/* Room for n contacts in all accounts: they take turns. */
static ss_status reserve_contacts(ss_sim *sim, int n)
{
    for (int i = 0; i < SS_ACCOUNTS; i++) {
        ss_account *a = &sim->accounts[i];
        SS_TRY(ss_reserve(sim->ctx, &a->contacts.c, &a->contacts.cap, n, sizeof *a->contacts.c));
        SS_TRY(ss_reserve(sim->ctx, &a->impulse, &a->impulse_cap, 3 * n, sizeof *a->impulse));
        SS_TRY(ss_reserve(sim->ctx, &a->value, &a->value_cap, n, sizeof *a->value));
    }
    return SS_OK;
}

static ss_status open_place(ss_account *a, int at, const ss_contact *contact)
{
    int n = a->contacts.n, behind = n - at;
    SS_TRY(reserve_contacts(a->sim, n + 1));
    memmove(a->contacts.c + at + 1, a->contacts.c + at, (size_t)behind * sizeof *a->contacts.c);
    memmove(a->impulse + 3 * (at + 1), a->impulse + 3 * at, (size_t)(3 * behind) * sizeof *a->impulse);
    memset(a->impulse + 3 * at, 0, 3 * sizeof *a->impulse);
    a->contacts.c[at] = *contact;
    a->contacts.n = n + 1;
    return SS_OK;
}

/* Forces shown to the user: impulses of all stretches that took time. */
static ss_status add_impulses(ss_account *a, const ss_segment *g)
{
    const ss_problem *p = g->problem;
    double weight = g->shown ? g->t1 - g->t0 : ss_segment_weight(g);
    for (int k = 0; g->contacts && k < g->contacts->n; k++) {
        bool there = false;
        int at = place_of(a, &g->contacts->c[k].id, &there);
        SS_TRY(there ? SS_OK : open_place(a, at, &g->contacts->c[k]));
        a->contacts.c[at] = g->contacts->c[k]; /* its features as they were last */
        for (int row = p->row[k]; row < p->row[k + 1]; row++) {
            a->impulse[3 * at + row - p->row[k]] += weight * (g->solution->r[row] + (g->r_given ? g->r_given[row] : 0));
        }
    }
    for (int i = 0; i < p->nj; i++) {
        a->reaction[i] += weight * g->solution->lam[i];
    }
    return SS_OK;
}

/* the first of its kind in a step is kept; an infeasible step is not certified */
static void on_remark(ss_report *self, ss_remark kind, const ss_contact *contact)
{
    ss_account *a = (ss_account *)self;
    ss_remarked *r = &a->remark[kind];
    if (kind == SS_REMARK_INFEASIBLE) {
        judge(a, SS_INFEASIBLE, false);
    }
    if (kind == SS_REMARK_HANDED) {
        a->kinds |= 1u << SS_EVENT_PAINLEVE; /* to step control it is the same: the order is lost */
    }
    if (r->steps++ == 0 && contact) {
        ss_contact_name(a->sim->model, contact, r->contact, sizeof r->contact);
    }
}

/* has the scheme's own iteration come to its end? */
static void judge_iteration(ss_account *a, const ss_segment *g)
{
    bool settled = g->nonlinear <= a->sim->solver_tol;
    judge(a, SS_CONVERGED, settled);
    if (!settled) {
        on_remark(&a->report, SS_REMARK_UNSETTLED, NULL);
    }
}

/* the residual of a segment without a problem is that of its momentum balance */
static void certify_itself(ss_account *a, const ss_segment *g)
{
    raise_to(&a->info.residual.momentum, g->nonlinear);
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
static ss_status keep_stretch(ss_account *a, const ss_segment *g)
{
    const ss_model *m = a->sim->model;
    ss_arena *keep = a->sim->keep;
    size_t nq = (size_t)m->nq, nv = (size_t)m->nv;
    ss_stretch *s;
    SS_TRY(ss_arena_take(keep, 1, sizeof *s, &s));
    *s = (ss_stretch){ .before = a->stretch, .t = { g->t0, g->t1 } };
    SS_TRY(copy_numbers(keep, nq, g->q0, &s->q[0]));
    SS_TRY(copy_numbers(keep, nq, g->q1, &s->q[1]));
    SS_TRY(copy_numbers(keep, nv, g->v0, &s->v[0]));
    SS_TRY(copy_numbers(keep, nv, g->v1, &s->v[1]));
    SS_TRY(copy_numbers(keep, nv, g->a0, &s->a[0]));
    SS_TRY(copy_numbers(keep, nv, g->a1, &s->a[1]));
    a->stretch = s;
    return SS_OK;
}

static ss_status on_segment(ss_report *self, const ss_segment *g)
{
    ss_account *a = (ss_account *)self;
    ss_sim *sim = a->sim;
    if (a->number == 0) {
        return SS_OK;
    }
    double driven = a->ledger.driven;
    SS_TRY(ss_ledger_enter(sim->ctx, sim->model, sim->arena, g, &a->ledger));
    a->driven += g->t1 == g->t0 ? a->ledger.driven - driven : 0;
    if (g->own_residual) {
        certify_itself(a, g);
    } else if (!g->problem) { /* a jump without a problem changes nothing; a stretch must answer for itself */
        judge(a, SS_CONVERGED, g->t1 == g->t0);
    }
    if (g->problem && g->info) { /* without: impulses that follow from a problem reported before */
        SS_TRY(certify_problem(a, g));
    }
    if (g->a0 && g->a1 && g->t1 > g->t0) {
        SS_TRY(keep_stretch(a, g));
    }
    bool shown = g->problem && (g->info || g->shown);
    if (shown && g->t1 > g->t0) {
        a->info.contacts = g->problem->nc;
        SS_TRY(add_impulses(a, g));
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

static ss_status copy_event(const ss_model *m, ss_arena *keep, const ss_event *from, ss_event *to)
{
    size_t nv = (size_t)m->nv, n = (size_t)from->impulses;
    const char **names = NULL;
    *to = *from;
    SS_TRY(copy_text(keep, from->contact, &to->contact));
    SS_TRY(copy_numbers(keep, (size_t)m->nq, from->q, &to->q));
    SS_TRY(copy_numbers(keep, nv, from->v_minus, &to->v_minus));
    SS_TRY(copy_numbers(keep, nv, from->v_compression, &to->v_compression));
    SS_TRY(copy_numbers(keep, nv, from->v_plus, &to->v_plus));
    SS_TRY(copy_numbers(keep, 3 * n, from->impulse, &to->impulse));
    SS_TRY(copy_numbers(keep, 3 * n, from->impulse_total, &to->impulse_total));
    SS_TRY(ss_arena_take(keep, n, sizeof *names, &names));
    for (size_t k = 0; k < n; k++) {
        SS_TRY(copy_text(keep, from->impulse_contact[k], &names[k]));
    }
    to->impulse_contact = names;
    return SS_OK;
}

static ss_status on_event(ss_report *self, const ss_event *event)
{
    ss_account *a = (ss_account *)self;
    a->kinds |= 1u << event->kind;
    if (a->number == 0) {
        return SS_OK;
    }
    for (int i = 0; i < SS_ACCOUNTS; i++) {
        ss_account *each = &a->sim->accounts[i];
        SS_TRY(ss_reserve(a->sim->ctx, &each->event, &each->event_cap, a->events + 1, sizeof *each->event));
    }
    SS_TRY(copy_event(a->sim->model, a->sim->keep, event, &a->event[a->events]));
    a->events++;
    double gain = event->v_plus ? event->kinetic[2] - event->kinetic[0] - a->driven : 0;
    a->driven = 0;
    if (gain > 1e-12 * event->kinetic[0]) { /* above the round-off of two kinetic energies */
        a->ledger.impact_gain += gain;
        a->ledger.impact_gains++;
    }
    return SS_OK;
}

static void on_count(ss_report *self, const ss_solver_info *info)
{
    ss_account *a = (ss_account *)self;
    a->lcps++;
    if (info->starved) {
        on_remark(self, SS_REMARK_STARVED, NULL);
    }
    a->fallbacks += info->fallbacks;
    a->basis_tried += info->basis_tried;
    a->basis_hits += info->basis_hit;
    for (int k = 0; k < SS_SUMMARY_SOLVERS && ss_solver_types[k]; k++) {
        a->answered[k] += info->solver == ss_solver_types[k]->info.name;
    }
}

static void on_reduced(ss_report *self, int found, int kept)
{
    ss_account *a = (ss_account *)self;
    a->contacts_found += found;
    a->contacts_kept += kept;
}

static void on_evaluated(ss_report *self, int times) { ((ss_account *)self)->evaluated += times; }

static void on_newton(ss_report *self, int iterations) { ((ss_account *)self)->newton += iterations; }

ss_status ss_account_create(ss_sim *sim, ss_account *account)
{
    account->sim = sim;
    account->report = (ss_report){ .segment = on_segment,
                                   .event = on_event,
                                   .count = on_count,
                                   .reduced = on_reduced,
                                   .newton = on_newton,
                                   .evaluated = on_evaluated,
                                   .remark = on_remark };
    return ss_calloc(sim->ctx, (size_t)sim->model->nj, sizeof *account->reaction, &account->reaction);
}

void ss_account_destroy(ss_context *ctx, ss_account *account)
{
    ss_contacts_free(ctx, &account->contacts);
    ss_free(ctx, account->impulse);
    ss_free(ctx, account->value);
    ss_free(ctx, account->reaction);
    ss_free(ctx, account->event);
}

double ss_account_normal_impulse(const ss_account *account, const ss_contact_id *id)
{
    bool there = false;
    int at = place_of(account, id, &there);
    return there ? account->impulse[3 * at] : 0;
}

void ss_account_begin(ss_account *account, int64_t number)
{
    account->number = number;
    account->kinds = 0;
    account->rough = false;
    account->ledger = (ss_ledger){ 0 };
    account->info = (ss_step_info){ .certified = true, .residual.worst = -1 };
    account->lcps = account->evaluated = account->fallbacks = account->basis_tried = account->basis_hits = 0;
    account->contacts_found = account->contacts_kept = account->newton = 0;
    memset(account->answered, 0, sizeof account->answered);
    memset(account->remark, 0, sizeof account->remark);
    account->events = account->contacts.n = 0;
    account->stretch = NULL;
    account->driven = 0;
    for (int i = 0; i < account->sim->model->nj; i++) {
        account->reaction[i] = 0;
    }
}
