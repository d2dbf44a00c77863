/* warnings.c - warnings about a run, one line each: a scheme that is a negative example, remarks of its steps, springs of
 * negative stiffness, energy that impact laws created, steps that are not certified, tolerances that were not met or cannot be.
 * And the error of a strict run. */
#include "sim/sim.h"

#include <stdio.h>

/* has the scheme an impact law that cannot create energy? */
static bool has_simplified_law(const char *scheme)
{
    const ss_entry *entry = ss_registry_find(SS_SCHEMES, scheme);
    for (const ss_field *f = entry ? entry->fields : NULL; f && f->name; f++) {
        if (strcmp(f->name, "restitution") == 0) {
            return f->choices && strstr(f->choices, "simplified");
        }
    }
    return false;
}

static bool warn_of_demonstration(const ss_sim *sim, char *text, size_t size)
{
    snprintf(text, size, "scheme %s is a demonstration: a negative example of %s, whose results are not to be relied on",
             sim->scheme->info.name, sim->scheme->info.reference);
    return sim->scheme->info.demonstration;
}

static bool warn_of_gain(const ss_sim *sim, char *text, size_t size)
{
    const ss_ledger *l = ss_sim_ledger(sim);
    if (l->impact_gains == 0) {
        return false;
    }
    snprintf(text, size, "the impact law created %.3g J of kinetic energy in %d impact%s%s", l->impact_gain, l->impact_gains,
             l->impact_gains == 1 ? "" : "s",
             has_simplified_law(ss_sim_scheme(sim)) ? "; scheme.restitution=simplified never does" : "");
    return true;
}

/* not in a strict run, which has ended with this as its error */
static bool warn_of_residuals(const ss_sim *sim, char *text, size_t size)
{
    const ss_summary *s = ss_sim_summary(sim);
    if (s->unconverged_steps == 0 || sim->asked.strict) {
        return false;
    }
    bool solved = s->max_residual <= sim->asked.solver_tol; /* then a remark tells why they are not certified */
    int n = snprintf(text, size, "%lld of %lld steps not certified", (long long)s->unconverged_steps, (long long)s->steps);
    if (!solved && n >= 0 && (size_t)n < size) {
        snprintf(text + n, size - (size_t)n,
                 ": the largest residual is %.3g, the tolerance %.3g; --strict stops at the first such step", s->max_residual,
                 sim->asked.solver_tol);
    }
    return true;
}

static bool warn_of_unmet(const ss_sim *sim, char *text, size_t size)
{
    const ss_summary *s = ss_sim_summary(sim);
    if (s->unmet_steps == 0) {
        return false;
    }
    snprintf(text, size,
             "the tolerance %.3g was not met in %lld steps of the smallest length (at the start %.3g s): the largest local error "
             "is %.3g times "
             "the tolerance; a smaller time.h_min allows shorter steps",
             ss_sim_tol(sim), (long long)s->unmet_steps, sim->control.h_min, s->max_unmet_error);
    return true;
}

/* Friction of the associated law alone lifts what slips by mu |v_T| h: where h grows by a factor c, however small it is, a body
 * is thrown up by mu |v_T| (1 - 1/c). */
static bool warn_of_lift(const ss_sim *sim, char *text, size_t size)
{
    const unsigned laws = sim->scheme->info.laws;
    const ss_model *m = sim->model;
    bool friction = false;
    for (int k = 0; k < m->materials * m->materials; k++) {
        friction = friction || m->pair[k].mu[0] > 0 || m->pair[k].mu[1] > 0;
    }
    snprintf(text, size,
             "the tolerance %.3g is not kept where contacts slip: friction of scheme %s lifts what slips by mu |v_T| h, so that "
             "steps which grow throw it up; use fixed steps",
             ss_sim_tol(sim), sim->scheme->info.name);
    return friction && ss_sim_tol(sim) > 0 && laws & SS_LAW_ASSOCIATED && !(laws & SS_LAW_COULOMB);
}

static bool warn_of_remark(const ss_sim *sim, ss_remark kind, char *text, size_t size)
{
    const ss_remarked *r = &ss_sim_summary(sim)->remark[kind];
    const char *about = !*r->contact ? "" : kind == SS_REMARK_CONTRADICTION ? ": " : ", contact ";
    snprintf(text, size, "in %lld step%s %s; first in the step that ends at t = %.9g s%s%s", (long long)r->steps,
             r->steps == 1 ? "" : "s", ss_remark_text(kind), r->t, about, r->contact);
    return r->steps > 0 && kind != SS_REMARK_UNSOLVED; /* warn_of_residuals says it */
}

static bool warn_of_negative(const ss_sim *sim, char *text, size_t size)
{
    const ss_model *m = sim->model;
    int count = 0;
    double least = 0;
    for (int i = 0; i < m->forces; i++) {
        const double k = m->force[i].stiffness;
        count += k < 0;
        least = k < least ? k : least;
    }
    snprintf(text, size,
             "%d spring%s negative stiffness, down to %.9g N/m: %s ends away from the rest length, and energy has no bound",
             count, count == 1 ? " has a" : "s have a", least, count == 1 ? "it drives its" : "they drive their");
    return count > 0;
}

bool ss_sim_warning(const ss_sim *sim, int index, char *text, size_t size)
{
    if (warn_of_demonstration(sim, text, size) && index-- == 0) {
        return true;
    }
    for (int k = 0; k < SS_REMARKS; k++) {
        if (warn_of_remark(sim, (ss_remark)k, text, size) && index-- == 0) {
            return true;
        }
    }
    if (warn_of_negative(sim, text, size) && index-- == 0) {
        return true;
    }
    if (warn_of_gain(sim, text, size) && index-- == 0) {
        return true;
    }
    if (warn_of_residuals(sim, text, size) && index-- == 0) {
        return true;
    }
    if (warn_of_lift(sim, text, size) && index-- == 0) {
        return true;
    }
    return warn_of_unmet(sim, text, size) && index == 0;
}

/* ---- strict runs --------------------------------------------------------------------------------- */

/* the remark for which a step whose problems are solved is not certified; NULL: there is none */
static const ss_remarked *reason(const ss_account *a, ss_remark *kind)
{
    const ss_remark kinds[] = { SS_REMARK_CONTRADICTION, SS_REMARK_INFEASIBLE, SS_REMARK_ENERGY, SS_REMARK_JOINTS,
                                SS_REMARK_UNSETTLED };
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        *kind = kinds[k];
        if (a->remark[*kind].steps > 0) {
            return &a->remark[*kind];
        }
    }
    return NULL;
}

ss_status ss_sim_refuse(const ss_sim *sim)
{
    const ss_step_info *i = &sim->last->info;
    ss_remark kind;
    const ss_remarked *why = reason(sim->last, &kind);
    if (why) {
        return ss_fail(sim->ctx, SS_ERR_NUMERIC, "step %lld to t = %.9g is not certified (%s): %s%s%s", (long long)i->step, i->t,
                       ss_remark_name(kind), ss_remark_text(kind), *why->contact ? ": " : "", why->contact);
    }
    return ss_fail(sim->ctx, SS_ERR_NUMERIC,
                   "step %lld to t = %.9g is not certified (%s): residual of contacts %.3g, momentum %.3g, joints %.3g, allowed "
                   "%.3g; worst contact %d",
                   (long long)i->step, i->t, ss_outcome_name(i->outcome), i->residual.contact, i->residual.momentum,
                   i->residual.joint, sim->asked.solver_tol, i->residual.worst);
}
