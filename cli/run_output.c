/* run_output.c - what a run says: the progress line, the summary, the JSON value. */
#include "run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
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
    if (!run->progress) {
        return;
    }
    double now = run_clock();
    if (now - run->shown < 0.1) {
        return;
    }
    run->shown = now;
    const ss_summary *s = ss_sim_summary(run->sim);
    double part = run->until > 0 ? info->t / run->until : 1, left = part > 0 ? (now - run->started) * (1 - part) / part : 0;
    double drift = info->kinetic + info->potential - s->energy_initial;
    fprintf(stderr, "\rt %.6g / %.6g s  step %lld  contacts %d  residual %.1e  energy %+.2e J  ETA %.0f s\033[K", info->t,
            run->until, (long long)info->step, info->contacts, info->residual.contact, drift, left);
    fflush(stderr);
}

void run_clear_progress(const run_state *run)
{
    if (run->progress) {
        fprintf(stderr, "\r\033[K");
    }
}

/* ---- warnings ---------------------------------------------------------------------------------- */

enum { MOST_WARNINGS = 2 };
typedef struct warnings {
    char text[MOST_WARNINGS][240];
    int n;
} warnings;

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

static void warn_of_gain(const run_state *run, warnings *w)
{
    const ss_ledger *l = ss_sim_ledger(run->sim);
    if (l->impact_gains > 0) {
        snprintf(w->text[w->n++], sizeof w->text[0], "impact laws created %.3g J in %d impact%s%s", l->impact_gain,
                 l->impact_gains, l->impact_gains == 1 ? "" : "s",
                 has_simplified_law(ss_sim_scheme(run->sim)) ? "; scheme.restitution=simplified cannot" : "");
    }
}

/* under --strict it is the error that ended the run */
static void warn_of_residuals(const run_state *run, warnings *w)
{
    const ss_summary *s = ss_sim_summary(run->sim);
    if (s->unconverged_steps > 0 && !run->options->strict) {
        snprintf(w->text[w->n++], sizeof w->text[0],
                 "%lld of %lld steps not certified: the largest residual is %.3g, the tolerance %.3g; --strict ends at the first",
                 (long long)s->unconverged_steps, (long long)s->steps, s->max_residual,
                 ss_scene_get_settings(run->scene.scene)->solver_tol);
    }
}

static warnings find_warnings(const run_state *run)
{
    warnings w = { .n = 0 };
    warn_of_gain(run, &w);
    warn_of_residuals(run, &w);
    return w;
}

void run_say_warnings(const run_state *run)
{
    warnings w = find_warnings(run);
    for (int k = 0; k < w.n; k++) {
        cli_say("warning: %s", w.text[k]);
    }
}

/* ---- summary ----------------------------------------------------------------------------------- */

/* whose answers were taken */
static void print_answers(const ss_summary *s)
{
    const char *separator = "                answers of ";
    for (int k = 0; k < SS_SUMMARY_SOLVERS && k < ss_registry_count(SS_SOLVERS); k++) {
        if (s->answered[k] > 0) {
            printf("%s%s %lld", separator, ss_registry_entry(SS_SOLVERS, k)->name, (long long)s->answered[k]);
            separator = ", ";
        }
    }
    if (separator[0] == ',') {
        printf("\n");
    }
}

static void print_certificate(const run_state *run)
{
    const ss_summary *s = ss_sim_summary(run->sim);
    const ss_residual *r = &run->worst;
    printf("certificate     contact %.2e   momentum %.2e   joint %.2e   (worst step; tolerance %g)\n", r->contact, r->momentum,
           r->joint, ss_scene_get_settings(run->scene.scene)->solver_tol);
    printf("                %lld of %lld steps not certified, %lld fallbacks\n", (long long)s->unconverged_steps,
           (long long)s->steps, (long long)s->fallbacks);
    printf("penetration     %.3e m at most\njoint error     %.3e at most\n", s->max_penetration, s->max_joint_error);
}

/* entries that are zero are not shown */
static void print_ledger(const run_state *run)
{
    const ss_summary *s = ss_sim_summary(run->sim);
    const ss_ledger *l = ss_sim_ledger(run->sim);
    const struct {
        const char *doc;
        double value;
    } entry[] = {
#define LEDGER_ENTRY(name, doc) { doc, l->name },
        SS_LEDGER_LIST(LEDGER_ENTRY)
#undef LEDGER_ENTRY
    };
    printf("energy          %.10g J -> %.10g J, largest %.10g J, largest gain in a step %.3e J\n", s->energy_initial,
           s->energy_final, s->energy_max, s->energy_max_gain);
    printf("ledger          change of kinetic energy %.10g J, closed to %.1e\n", l->kinetic_change, l->closure);
    for (size_t k = 0; k < sizeof entry / sizeof entry[0]; k++) {
        if (entry[k].value != 0) {
            printf("                %+16.9e J  %s\n", entry[k].value, entry[k].doc);
        }
    }
    printf("                %+16.9e J  integration error of the potential\n", l->integration_error);
    if (l->impact_gains > 0) {
        printf("                %+16.9e J  kinetic energy created by impact laws in %d impacts\n", l->impact_gain,
               l->impact_gains);
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
    if (run->dumped) {
        printf("problem         %s (step %d)\n", run->options->dump.file, run->options->dump.step);
    }
}

void run_print_summary(const run_state *run)
{
    const ss_summary *s = ss_sim_summary(run->sim);
    const char *name = ss_scene_get_settings(run->scene.scene)->name;
    printf("%s\n", name ? name : run->path);
    printf("%-15s t = %.9g s after %lld steps of %.6g s, %.3g s of wall time\n", run->outcome, ss_sim_time(run->sim),
           (long long)s->steps, ss_sim_step_size(run->sim), s->wall_s);
    printf("method          %s, solver %s: %lld contact problems, last basis right %lld of %lld times\n", ss_sim_scheme(run->sim),
           ss_sim_solver(run->sim), (long long)s->lcps, (long long)s->basis_hits, (long long)s->basis_tried);
    print_answers(s);
    if (s->contacts_found > 0) {
        printf("                %lld of %lld contacts left out as redundant\n", (long long)(s->contacts_found - s->contacts_kept),
               (long long)s->contacts_found);
    }
    printf("contacts        %d in the last step, %d at most; %lld events\n", ss_sim_contact_count(run->sim), s->max_contacts,
           (long long)s->events);
    print_certificate(run);
    print_ledger(run);
    print_files(run);
}

/* ---- JSON -------------------------------------------------------------------------------------- */

static json_t *numbers(const double *x, int n)
{
    json_t *list = json_array();
    for (int k = 0; k < n; k++) {
        json_array_append_new(list, isfinite(x[k]) ? json_real(x[k]) : json_null());
    }
    return list;
}

static const char *body_name(const ss_model *m, int body)
{
    return body >= 0 && body < ss_model_body_count(m) ? ss_model_body_name(m, body) : "world";
}

static void add_rotation(json_t *item, int dimension, double angle, const double *orientation)
{
    if (dimension == 2) {
        json_object_set_new(item, "angle", json_real(angle));
    } else {
        json_object_set_new(item, "orientation", numbers(orientation, 4));
    }
}

static json_t *body_json(const run_state *run, int body)
{
    const ss_model *m = ss_sim_model(run->sim);
    int dimension = ss_model_dimension(m), at = ss_model_body_v(m, body);
    bool rigid = ss_model_body_type(m, body) == SS_BODY_RIGID;
    double position[3], orientation[4], angle;
    ss_model_body_pose(m, body, ss_sim_time(run->sim), ss_sim_q(run->sim), position, orientation, &angle);
    json_t *item = json_object();
    json_object_set_new(item, "position", numbers(position, dimension));
    if (ss_model_body_type(m, body) != SS_BODY_PARTICLE) {
        add_rotation(item, dimension, angle, orientation);
    }
    if (at >= 0) {
        const double *v = ss_sim_v(run->sim) + at;
        json_object_set_new(item, "velocity", numbers(v, dimension));
        if (rigid) {
            json_object_set_new(item, "angular_velocity", dimension == 2 ? json_real(v[2]) : numbers(v + 3, 3));
        }
    }
    return item;
}

/* blocks have coordinates but no pose */
static json_t *bodies_json(const run_state *run)
{
    const ss_model *m = ss_sim_model(run->sim);
    json_t *object = json_object();
    for (int b = 0; b < ss_model_body_count(m); b++) {
        if (ss_model_body_type(m, b) != SS_BODY_BLOCK) {
            json_object_set_new(object, ss_model_body_name(m, b), body_json(run, b));
        }
    }
    return object;
}

static json_t *contacts_json(const run_state *run)
{
    const ss_model *m = ss_sim_model(run->sim);
    int dimension = ss_model_dimension(m);
    json_t *list = json_array();
    for (int k = 0; k < ss_sim_contact_count(run->sim); k++) {
        ss_contact_info c;
        if (ss_sim_contact(run->sim, k, &c) == SS_OK) {
            json_array_append_new(list, json_pack("{s:s, s:[s,s], s:f, s:o, s:o, s:o}", "name", c.name, "bodies",
                                                  body_name(m, c.bodies[0]), body_name(m, c.bodies[1]), "gap", c.gap, "force",
                                                  numbers(c.force, dimension), "point", numbers(c.point, dimension), "normal",
                                                  numbers(c.normal, dimension)));
        }
    }
    return list;
}

static json_t *joints_json(const run_state *run)
{
    const ss_model *m = ss_sim_model(run->sim);
    json_t *object = json_object();
    for (int j = 0; j < ss_model_joint_count(m); j++) {
        double reaction[6];
        int rows = ss_sim_joint_reaction(run->sim, j, reaction);
        json_object_set_new(object, ss_model_joint_name(m, j), json_pack("{s:o}", "reaction", numbers(reaction, rows)));
    }
    return object;
}

static json_t *warnings_json(const run_state *run)
{
    warnings w = find_warnings(run);
    json_t *list = json_array();
    for (int k = 0; k < w.n; k++) {
        json_array_append_new(list, json_string(w.text[k]));
    }
    return list;
}

static json_t *ledger_json(const ss_ledger *l)
{
    json_t *object = json_object();
#define LEDGER_SET(name, doc) json_object_set_new(object, #name, json_real(l->name));
    SS_LEDGER_LIST(LEDGER_SET)
#undef LEDGER_SET
    json_object_set_new(object, "kinetic_change", json_real(l->kinetic_change));
    json_object_set_new(object, "closure", json_real(l->closure));
    json_object_set_new(object, "integration_error", json_real(l->integration_error));
    json_object_set_new(object, "impact_gain", json_real(l->impact_gain));
    json_object_set_new(object, "impact_gains", json_integer(l->impact_gains));
    return object;
}

static json_t *certificate_json(const run_state *run)
{
    const ss_residual *r = &run->worst;
    const ss_step_info *last = ss_sim_last_step(run->sim);
    return json_pack("{s:f, s:f, s:f, s:f, s:i, s:f, s:s, s:b}", "contact", r->contact, "momentum", r->momentum, "joint",
                     r->joint, "classical", r->classical, "dropped", r->dropped, "tol",
                     ss_scene_get_settings(run->scene.scene)->solver_tol, "last_outcome", ss_outcome_name(last->outcome),
                     "last_certified", last->certified);
}

static json_t *energy_json(const ss_summary *s)
{
    return json_pack("{s:f, s:f, s:f, s:f}", "initial", s->energy_initial, "final", s->energy_final, "max", s->energy_max,
                     "max_gain", s->energy_max_gain);
}

static void add_method(const run_state *run, json_t *root)
{
    const char *name = ss_scene_get_settings(run->scene.scene)->name;
    json_object_set_new(root, "scene", json_string(run->path));
    json_object_set_new(root, "name", name ? json_string(name) : json_null());
    json_object_set_new(root, "scheme", json_string(ss_sim_scheme(run->sim)));
    json_object_set_new(root, "solver", json_string(ss_sim_solver(run->sim)));
    json_object_set_new(root, "step", json_real(ss_sim_step_size(run->sim)));
    json_object_set_new(root, "outcome", json_string(run->outcome));
    json_object_set_new(root, "error", *run->error ? json_string(run->error) : json_null());
}

/* {"lemke": 12, "nsgs": 3}: whose answers were taken */
static json_t *answers_json(const ss_summary *s)
{
    json_t *object = json_object();
    for (int k = 0; k < SS_SUMMARY_SOLVERS && k < ss_registry_count(SS_SOLVERS); k++) {
        if (s->answered[k] > 0) {
            json_object_set_new(object, ss_registry_entry(SS_SOLVERS, k)->name, json_integer(s->answered[k]));
        }
    }
    return object;
}

static void add_counts(const ss_summary *s, json_t *root)
{
    json_object_set_new(root, "answered_by", answers_json(s));
    if (s->contacts_found > 0) {
        json_object_set_new(
            root, "contacts_reduced",
            json_pack("{s:I, s:I}", "found", (json_int_t)s->contacts_found, "kept", (json_int_t)s->contacts_kept));
    }
    json_object_set_new(root, "steps", json_integer(s->steps));
    json_object_set_new(root, "rejected", json_integer(s->rejected));
    json_object_set_new(root, "max_penetration", json_real(s->max_penetration));
    json_object_set_new(root, "max_joint_error", json_real(s->max_joint_error));
    json_object_set_new(root, "max_residual", json_real(s->max_residual));
    json_object_set_new(root, "max_contacts", json_integer(s->max_contacts));
    json_object_set_new(root, "unconverged_steps", json_integer(s->unconverged_steps));
    json_object_set_new(root, "fallbacks", json_integer(s->fallbacks));
    json_object_set_new(root, "lcps", json_integer(s->lcps));
    json_object_set_new(root, "basis",
                        json_pack("{s:I, s:I}", "tried", (json_int_t)s->basis_tried, "hits", (json_int_t)s->basis_hits));
    json_object_set_new(root, "wall_s", json_real(s->wall_s));
}

json_t *run_json(const run_state *run)
{
    const ss_model *m = ss_sim_model(run->sim);
    const ss_summary *s = ss_sim_summary(run->sim);
    json_t *root = json_object();
    add_method(run, root);
    json_object_set_new(root, "t", json_real(ss_sim_time(run->sim)));
    json_object_set_new(root, "q", numbers(ss_sim_q(run->sim), ss_model_nq(m)));
    json_object_set_new(root, "v", numbers(ss_sim_v(run->sim), ss_model_nv(m)));
    json_object_set_new(root, "bodies", bodies_json(run));
    json_object_set_new(root, "energy", energy_json(s));
    json_object_set_new(root, "ledger", ledger_json(ss_sim_ledger(run->sim)));
    json_object_set_new(root, "certificate", certificate_json(run));
    add_counts(s, root);
    json_object_set(root, "events", run->events);
    json_object_set_new(root, "event_count", json_integer(s->events));
    json_object_set_new(root, "events_left_out", json_integer(run->event_count - (json_int_t)json_array_size(run->events)));
    json_object_set_new(root, "contacts", contacts_json(run));
    json_object_set_new(root, "joints", joints_json(run));
    json_object_set_new(root, "warnings", warnings_json(run));
    json_object_set_new(root, "files", json_array());
    for (int k = 0; k < run->options->output.n; k++) {
        json_array_append_new(json_object_get(root, "files"), json_string(run->options->output.item[k]));
    }
    return root;
}
