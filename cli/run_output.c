/* run_output.c - what a run prints: the progress line, the summary, the JSON value. */
#include "run.h"

#include <stdio.h>
#include <time.h>

double run_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- progress ---------------------------------------------------------------------------------- */

void run_show_progress(run_state *run, const ss_step_info *info)
{
    if (!run->progress.wanted) {
        return;
    }
    double now = run_clock();
    if (now - run->progress.shown < 0.1) {
        return;
    }
    run->progress.shown = now;
    const ss_summary *s = ss_sim_summary(run->sim);
    double part = run->until > 0 ? info->t / run->until : 1,
           left = part > 0 ? (now - run->progress.started) * (1 - part) / part : 0;
    double drift = info->kinetic + info->potential - s->energy_initial;
    fprintf(stderr, "\rt %.6g / %.6g s  step %lld  contacts %d  residual %.1e  energy %+.2e J  ETA %.0f s\033[K", info->t,
            run->until, (long long)info->step, info->contacts, info->residual.contact, drift, left);
    fflush(stderr);
}

void run_clear_progress(const run_state *run)
{
    if (run->progress.wanted) {
        fprintf(stderr, "\r\033[K");
    }
}

/* ---- as it happens ----------------------------------------------------------------------------- */

void run_say_event(const run_state *run, const ss_event *event)
{
    if (run->options->verbose) {
        run_clear_progress(run);
        cli_say("t = %.9g s: %s%s%s", event->t, ss_event_kind_name(event->kind), event->contact ? " of " : "",
                event->contact ? event->contact : "");
    }
}

void run_say_step(const run_state *run, const ss_step_info *info)
{
    if (run->options->verbose && !info->certified) {
        run_clear_progress(run);
        cli_say("t = %.9g s: step %lld is not certified: %s, residual %.2e", info->t, (long long)info->step,
                ss_outcome_name(info->outcome), info->residual.contact);
    }
}

/* ---- warnings ---------------------------------------------------------------------------------- */

void run_say_warnings(const run_state *run)
{
    char text[360];
    for (int k = 0; ss_sim_warning(run->sim, k, text, sizeof text); k++) {
        cli_say("warning: %s", text);
    }
}

/* ---- errors ------------------------------------------------------------------------------------ */

/* ", FILE" for every file that a run leaves; "" if there are none */
static void list_files(const run_state *run, char *text, size_t size)
{
    const run_options *o = run->options;
    size_t used = 0;
    text[0] = '\0';
    for (int k = 0; k <= o->output.n && used < size; k++) {
        const char *file = k < o->output.n ? o->output.item[k] : o->checkpoint;
        int n = file ? snprintf(text + used, size - used, "%s%s", used > 0 ? ", " : "; saved up to this time: ", file) : 0;
        used += n > 0 ? (size_t)n : 0;
    }
}

void run_say_error(const run_state *run)
{
    char files[1024] = "";
    if (run->code == CLI_INTERRUPTED) {
        list_files(run, files, sizeof files);
    }
    cli_say("%s: %s%s", run->path, run->error, files);
}

/* ---- summary ----------------------------------------------------------------------------------- */

/* Every word at the start of a line is explained in docs/glossary.md under this name. */

/* "TEXT 3 LINK lemke, 4 LINK nsgs", of the solvers that have a count; returns whether there is one */
static bool print_by_solver(const char *text, const char *link, const int64_t *count)
{
    const char *separator = text;
    for (int k = 0; k < SS_SUMMARY_SOLVERS && k < ss_registry_count(SS_SOLVERS); k++) {
        if (count[k] > 0) {
            printf("%s%lld %s %s", separator, (long long)count[k], link, ss_registry_entry(SS_SOLVERS, k)->name);
            separator = ", ";
        }
    }
    return separator != text;
}

/* which solvers were chosen for islands, and which of them failed */
static void print_choices(const ss_choices *c)
{
    if (print_by_solver("                chosen for groups of islands: ", "times", c->first)) {
        printf("%s", print_by_solver("; failed: ", "times", c->left) ? "\n" : "; none failed\n");
    }
    if (c->split > 0) {
        printf("                in %lld problems islands were given to different solvers\n", (long long)c->split);
    }
}

/* which solvers solved how many problems, and how often a pivoting solver accepted its warm start */
static void print_solvers(const run_state *run)
{
    const ss_summary *s = ss_sim_summary(run->sim);
    printf("solver          %s: %lld contact problems solved", ss_sim_solver(run->sim), (long long)s->lcps);
    print_by_solver(": ", "by", s->answered);
    printf("\n");
    print_choices(&s->choices);
    if (s->basis_tried > 0) {
        printf("                the solution of the step before was the first guess (warm start) in %lld problems, and right in "
               "%lld\n",
               (long long)s->basis_tried, (long long)s->basis_hits);
    }
    if (s->shared > 0) {
        printf(
            "                in %lld problems the forces, and in %lld of them also the motion, are not unique for rigid bodies:\n"
            "                those of equally compliant contacts were taken, in the limit of no compliance\n",
            (long long)s->shared, (long long)s->chosen);
    }
    if (s->multiplier_evals > s->lcps) {
        printf("                forces were computed %lld times without a contact problem (Runge-Kutta stages)\n",
               (long long)(s->multiplier_evals - s->lcps));
    }
}

static void print_contacts(const run_state *run)
{
    const ss_summary *s = ss_sim_summary(run->sim);
    printf(
        "contacts        %d in the last step, at most %d in a contact problem; %lld events (impacts, sticking, slipping, ..)\n",
        ss_sim_contact_count(run->sim), s->max_contacts, (long long)s->events);
    if (s->contacts_found > 0) {
        printf("                %lld of %lld contacts left out as redundant (contacts.reduce)\n",
               (long long)(s->contacts_found - s->contacts_kept), (long long)s->contacts_found);
    }
}

static void print_certificate(const run_state *run)
{
    const ss_summary *s = ss_sim_summary(run->sim);
    const ss_residual *r = ss_record_worst(run->record);
    if (s->unconverged_steps == 0) {
        printf("certificate     all %lld steps certified: their equations are solved\n", (long long)s->steps);
    } else {
        printf("certificate     %lld of %lld steps NOT certified: do not trust them; the warnings say why\n",
               (long long)s->unconverged_steps, (long long)s->steps);
    }
    printf("                largest residuals: contact %.2e, momentum %.2e, joint %.2e; tolerance %g\n", r->contact, r->momentum,
           r->joint, run->solver_tol);
    if (s->fallbacks > 0) {
        printf("                %lld times a solver failed and the next one was used\n", (long long)s->fallbacks);
    }
    printf("penetration     bodies overlap by at most %.3e m\n", s->max_penetration);
    printf("joint error     joints are off by at most %.3e m or rad\n", s->max_joint_error);
}

/* a figure beside the entries, unless it is zero */
static void print_aside(double value, const char *doc)
{
    if (value != 0) {
        printf("not in the sum  %+16.9e J  %s\n", value, doc);
    }
}

/* entries that are errors of the scheme, or those that are not; those that are zero are not shown */
static void print_entries(const ss_ledger *l, bool errors)
{
    const struct {
        const char *name, *doc;
        double value;
    } entry[] = {
#define LEDGER_ENTRY(name, doc) { #name, doc, l->name },
        SS_LEDGER_LIST(LEDGER_ENTRY)
#undef LEDGER_ENTRY
    };
    for (size_t k = 0; k < sizeof entry / sizeof entry[0]; k++) {
        if (entry[k].value != 0 && ss_ledger_is_error(entry[k].name) == errors) {
            printf("                %+16.9e J  %s%s\n", entry[k].value, errors ? "error of the scheme: " : "", entry[k].doc);
        }
    }
}

static void print_energy(const run_state *run)
{
    const ss_summary *s = ss_sim_summary(run->sim);
    printf("energy          %.10g J at the start, %.10g J at the end, at most %.10g J; ", s->energy_initial, s->energy_final,
           s->energy_max);
    if (s->energy_max_gain > 0) {
        printf("largest gain in one step %.3e J\n", s->energy_max_gain);
    } else {
        printf("no step gained energy\n");
    }
}

static void print_ledger(const run_state *run)
{
    const ss_ledger *l = ss_sim_ledger(run->sim);
    printf(
        "energy ledger   kinetic energy changed by %.10g J, which is the sum of the following to %.1e of the energy exchanged\n",
        l->kinetic_change, l->closure);
    print_entries(l, false);
    print_entries(l, true);
    print_aside(l->integration_error, "error of the scheme: change of potential energy plus the work of its forces");
    print_aside(l->position_correction, "error of the scheme: potential energy made by moving positions alone");
    print_aside(l->driven_springs, "work of driven bodies on springs");
    if (l->impact_gains > 0) {
        printf("not in the sum  %+16.9e J  kinetic energy created by the impact law, in %d impact%s\n", l->impact_gain,
               l->impact_gains, l->impact_gains == 1 ? "" : "s");
    }
}

static void print_files(const run_state *run)
{
    for (int k = 0; k < run->options->output.n; k++) {
        printf("results         %s\n", run->options->output.item[k]);
    }
    if (run->options->checkpoint) {
        printf("checkpoint      %s\n", run->options->checkpoint);
    }
    if (run->files.dumped) {
        printf("contact problem %s (of step %d)\n", run->options->dump.file, run->options->dump.step);
    }
}

static void print_steps(const run_state *run)
{
    const ss_summary *s = ss_sim_summary(run->sim);
    printf("%-15s t = %.9g s after %lld steps of ", run->outcome, ss_sim_time(run->sim), (long long)s->steps);
    if (ss_sim_tol(run->sim) > 0) {
        printf("%.3g to %.3g s (tolerance %g, %lld trial steps rejected)", s->shortest, s->longest, ss_sim_tol(run->sim),
               (long long)s->rejected);
    } else {
        printf("%.6g s", ss_sim_step_size(run->sim));
    }
    printf("; computed in %.3g s\n", s->wall_s);
}

static void print_error(const run_state *run)
{
    if (ss_sim_tol(run->sim) > 0) {
        printf("error           local errors add up to %.3g (of the length scale, or rad)\n",
               ss_sim_summary(run->sim)->accumulated_error);
    }
}

void run_print_summary(const run_state *run)
{
    printf("%s\n", run->name ? run->name : run->path);
    print_steps(run);
    print_error(run);
    printf("scheme          %s: %s\n", ss_sim_scheme(run->sim), ss_registry_find(SS_SCHEMES, ss_sim_scheme(run->sim))->title);
    print_solvers(run);
    print_contacts(run);
    print_certificate(run);
    print_energy(run);
    print_ledger(run);
    print_files(run);
    printf("words           each word on the left is explained in docs/glossary.md\n");
}

/* ---- JSON -------------------------------------------------------------------------------------- */

json_t *run_json(const run_state *run)
{
    char *text = NULL;
    if (ss_record_to_json(run->record, run->sim, run->path, run->outcome, run->error, &text) != SS_OK) {
        return NULL;
    }
    json_t *root = json_loads(text, 0, NULL), *files = json_array();
    ss_blob_free(run->ctx, text);
    for (int k = 0; k < run->options->output.n; k++) {
        json_array_append_new(files, json_string(run->options->output.item[k]));
    }
    json_object_set_new(root, "files", files);
    return root;
}
