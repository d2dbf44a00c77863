/* account.c - the driver's side of a step report: certify every segment, enter it in the ledger, keep
 * the events. Nothing here reaches the run's totals before the step is accepted. */
#include "sim/sim.h"
#include <math.h>

static void widen(ss_residual *worst, const ss_residual *r)
{
    if (r->contact > worst->contact || isnan(r->contact)) {
        worst->worst = r->worst;
    }
    worst->contact = fmax(worst->contact, r->contact);
    worst->momentum = fmax(worst->momentum, r->momentum);
    worst->joint = fmax(worst->joint, r->joint);
    worst->classical = fmax(worst->classical, r->classical);
    worst->dropped += r->dropped;
}

/* The certificate is computed here, from the reported problem and solution, whoever solved it. */
static ss_status certify(ss_account *a, const ss_segment *g)
{
    ss_residual r;
    SS_TRY(ss_residual_compute(a->sim->certifier, g->problem, g->solution, &r));
    double tol = a->sim->solver_tol;
    bool granted = r.contact <= tol && r.momentum <= tol && r.joint <= tol && g->nonlinear <= tol;
    ss_outcome outcome = g->info->outcome != SS_CONVERGED ? g->info->outcome : granted ? SS_CONVERGED : SS_INACCURATE;
    widen(&a->info.residual, &r);
    if (outcome > a->info.outcome) {
        a->info.outcome = outcome;
    }
    a->info.certified = a->info.certified && granted;
    return SS_OK;
}

/* Forces shown to the user: those of the last stretch that took time. */
static ss_status keep_contacts(ss_account *a, const ss_segment *g)
{
    ss_context *ctx = a->sim->ctx;
    int n = g->contacts ? g->contacts->n : 0;
    SS_TRY(ss_reserve(ctx, &a->contacts.c, &a->contacts.cap, n, sizeof *a->contacts.c));
    SS_TRY(ss_reserve(ctx, &a->impulse, &a->impulse_cap, 3 * n, sizeof *a->impulse));
    SS_TRY(ss_reserve(ctx, &a->value, &a->value_cap, n, sizeof *a->value));
    a->contacts.n = n;
    a->stretch = g->t1 - g->t0;
    for (int k = 0; k < n; k++) {
        const ss_problem *p = g->problem;
        a->contacts.c[k] = g->contacts->c[k];
        for (int i = 0; i < 3; i++) {
            bool row = i < p->row[k + 1] - p->row[k];
            a->impulse[3 * k + i] = row ? g->solution->r[p->row[k] + i] : 0;
        }
    }
    if (g->problem && g->problem->nj) {
        memcpy(a->reaction, g->solution->lam, (size_t)g->problem->nj * sizeof *a->reaction);
    }
    return SS_OK;
}

static ss_status on_segment(ss_report *self, const ss_segment *g)
{
    ss_account *a = (ss_account *)self;
    ss_sim *sim = a->sim;
    SS_TRY(ss_ledger_enter(sim->model, sim->arena, g, &a->ledger));
    if (!g->problem || !g->info) {
        return SS_OK;
    }
    SS_TRY(certify(a, g));
    a->info.problems++;
    if (g->t1 > g->t0) {
        a->info.contacts = g->problem->nc;
        SS_TRY(keep_contacts(a, g));
    }
    if (sim->observer.on_problem) {
        SS_TRY(sim->observer.on_problem(sim->observer.user, sim, sim->summary.steps + 1, g->problem, g->solution));
    }
    return SS_OK;
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

static ss_status copy_event(ss_sim *sim, const ss_event *from, ss_event *to)
{
    size_t nv = (size_t)sim->model->nv, n = (size_t)from->impulses;
    const char **names = NULL;
    *to = *from;
    SS_TRY(copy_text(sim->keep, from->contact, &to->contact));
    SS_TRY(copy_numbers(sim->keep, nv, from->v_minus, &to->v_minus));
    SS_TRY(copy_numbers(sim->keep, nv, from->v_compression, &to->v_compression));
    SS_TRY(copy_numbers(sim->keep, nv, from->v_plus, &to->v_plus));
    SS_TRY(copy_numbers(sim->keep, 3 * n, from->impulse, &to->impulse));
    SS_TRY(copy_numbers(sim->keep, 3 * n, from->impulse_total, &to->impulse_total));
    SS_TRY(ss_arena_take(sim->keep, n, sizeof *names, &names));
    for (size_t k = 0; k < n; k++) {
        SS_TRY(copy_text(sim->keep, from->impulse_contact[k], &names[k]));
    }
    to->impulse_contact = names;
    return SS_OK;
}

static ss_status on_event(ss_report *self, const ss_event *event)
{
    ss_account *a = (ss_account *)self;
    SS_TRY(ss_reserve(a->sim->ctx, &a->event, &a->event_cap, a->events + 1, sizeof *a->event));
    SS_TRY(copy_event(a->sim, event, &a->event[a->events]));
    a->events++;
    double gain = event->v_plus ? event->kinetic[2] - event->kinetic[0] : 0;
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
    a->fallbacks += info->fallbacks;
    a->basis_tried += info->basis_tried;
    a->basis_hits += info->basis_hit;
}

ss_status ss_account_create(ss_sim *sim, ss_account *account)
{
    account->sim = sim;
    account->report = (ss_report){ .segment = on_segment, .event = on_event, .count = on_count };
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

void ss_account_begin(ss_account *account)
{
    account->ledger = (ss_ledger){ 0 };
    account->info = (ss_step_info){ .certified = true, .residual.worst = -1 };
    account->lcps = account->fallbacks = account->basis_tried = account->basis_hits = 0;
    account->events = account->contacts.n = 0;
    ss_arena_reset(account->sim->keep);
}
