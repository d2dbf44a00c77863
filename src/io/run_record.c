/* run_record.c - a run as JSON: method, final state, energy and its ledger, certificate, counts, events, warnings.
 *
 * The record keeps what the simulation itself forgets from step to step: the largest residual of every kind and the events.
 * All else is asked of the simulation when the text is made. */
#include "io/json.h"
#include "math/worse.h"
#include "sim/sim.h"
#include <slipstick/drive.h>

#include <math.h>
#include <slipstick/io.h>
#include <stdio.h>

struct ss_record {
    ss_context *ctx;
    json_t *events;        /* NULL: nobody asks                     */
    int64_t events_before; /* of the simulation at creation         */
    ss_residual worst;
};

ss_status ss_record_create(ss_context *ctx, const ss_sim *sim, bool keep_events, ss_record **out)
{
    SS_TRY(ss_calloc(ctx, 1, sizeof **out, out));
    **out = (ss_record){ .ctx = ctx, .events_before = ss_sim_summary(sim)->events };
    if (keep_events && !((*out)->events = json_array())) {
        ss_free(ctx, *out);
        *out = NULL;
        return ss_fail(ctx, SS_ERR_MEMORY, "out of memory for the events of a run");
    }
    return SS_OK;
}

void ss_record_destroy(ss_record *record)
{
    if (record) {
        json_decref(record->events);
        ss_free(record->ctx, record);
    }
}

/* JSON has no NaN and no infinity */
static json_t *number(double x) { return isfinite(x) ? json_real(x) : json_null(); }

/* ---- while the run goes on --------------------------------------------------------------------- */

void ss_record_step(ss_record *record, const ss_step_info *info)
{
    ss_residual *worst = &record->worst;
    const ss_residual *r = &info->residual;
    worst->contact = ss_worse(worst->contact, r->contact);
    worst->momentum = ss_worse(worst->momentum, r->momentum);
    worst->joint = ss_worse(worst->joint, r->joint);
    worst->classical = ss_worse(worst->classical, r->classical);
    worst->dropped = r->dropped > worst->dropped ? r->dropped : worst->dropped;
}

ss_status ss_record_event(ss_record *record, const ss_sim *sim, const ss_event *event)
{
    char *text = NULL;
    if (!record->events || json_array_size(record->events) >= SS_RECORD_EVENTS) {
        return SS_OK;
    }
    SS_TRY(ss_event_to_json(record->ctx, sim, event, &text));
    bool kept = json_array_append_new(record->events, json_loads(text, 0, NULL)) == 0;
    ss_blob_free(record->ctx, text);
    return kept ? SS_OK : ss_fail(record->ctx, SS_ERR_MEMORY, "out of memory for the events of a run");
}

const ss_residual *ss_record_worst(const ss_record *record) { return &record->worst; }

static json_t *warnings_json(const ss_sim *sim)
{
    char text[360];
    json_t *list = json_array();
    for (int k = 0; ss_sim_warning(sim, k, text, sizeof text); k++) {
        json_array_append_new(list, json_string(text));
    }
    return list;
}

/* ---- the state --------------------------------------------------------------------------------- */

static json_t *numbers(const double *x, int n)
{
    json_t *list = json_array();
    for (int k = 0; k < n; k++) {
        json_array_append_new(list, number(x[k]));
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

static json_t *body_json(const ss_sim *sim, int body)
{
    const ss_model *m = ss_sim_model(sim);
    int dimension = ss_model_dimension(m), at = ss_model_body_v(m, body);
    bool rigid = ss_model_body_type(m, body) == SS_BODY_RIGID;
    double position[3], orientation[4], angle;
    ss_model_body_pose(sim->model, body, ss_sim_time(sim), ss_sim_q(sim), position, orientation, &angle);
    json_t *item = json_object();
    json_object_set_new(item, "position", numbers(position, dimension));
    if (ss_model_body_type(m, body) != SS_BODY_PARTICLE) {
        add_rotation(item, dimension, angle, orientation);
    }
    if (at >= 0) {
        const double *v = ss_sim_v(sim) + at;
        json_object_set_new(item, "velocity", numbers(v, dimension));
        if (rigid) {
            json_object_set_new(item, "angular_velocity", dimension == 2 ? json_real(v[2]) : numbers(v + 3, 3));
        }
    }
    return item;
}

/* user blocks have coordinates but no pose */
static json_t *bodies_json(const ss_sim *sim)
{
    const ss_model *m = ss_sim_model(sim);
    json_t *object = json_object();
    for (int b = 0; b < ss_model_body_count(m); b++) {
        if (ss_model_body_type(m, b) != SS_BODY_BLOCK) {
            json_object_set_new(object, ss_model_body_name(m, b), body_json(sim, b));
        }
    }
    return object;
}

static json_t *contacts_json(const ss_sim *sim)
{
    const ss_model *m = ss_sim_model(sim);
    int dimension = ss_model_dimension(m);
    json_t *list = json_array();
    for (int k = 0; k < ss_sim_contact_count(sim); k++) {
        ss_contact_info c;
        if (ss_sim_contact(sim, k, &c) == SS_OK) {
            json_array_append_new(list, json_pack("{s:s, s:[s,s], s:f, s:o, s:o, s:o}", "name", c.name, "bodies",
                                                  body_name(m, c.bodies[0]), body_name(m, c.bodies[1]), "gap", c.gap, "force",
                                                  numbers(c.force, dimension), "point", numbers(c.point, dimension), "normal",
                                                  numbers(c.normal, dimension)));
        }
    }
    return list;
}

/* what the reactions of a joint are */
static json_t *rows_json(const ss_model *m, int joint, int rows)
{
    json_t *list = json_array();
    for (int k = 0; k < rows; k++) {
        json_array_append_new(list, json_string(ss_model_joint_row_name(m, joint, k)));
    }
    return list;
}

static json_t *joints_json(const ss_sim *sim)
{
    const ss_model *m = ss_sim_model(sim);
    json_t *object = json_object();
    for (int j = 0; j < ss_model_joint_count(m); j++) {
        double reaction[6];
        int rows = ss_sim_joint_reaction(sim, j, reaction);
        json_object_set_new(object, ss_model_joint_name(m, j),
                            json_pack("{s:o, s:o}", "reaction", numbers(reaction, rows), "rows", rows_json(m, j, rows)));
    }
    return object;
}

/* values of all columns by name; none where memory is short */
static json_t *outputs_json(const ss_record *record, const ss_sim *sim)
{
    const ss_model *m = ss_sim_model(sim);
    const int n = ss_model_output_count(m);
    json_t *object = json_object();
    double *value;
    if (ss_calloc(record->ctx, (size_t)n, sizeof *value, &value) != SS_OK) {
        return object;
    }
    const bool known = ss_sim_outputs(sim, value) == SS_OK;
    for (int k = 0; known && k < n; k++) {
        json_object_set_new(object, ss_model_output_name(m, k), number(value[k]));
    }
    ss_free(record->ctx, value);
    return object;
}

/* ---- the figures ------------------------------------------------------------------------------- */

static json_t *energy_json(const ss_summary *s)
{
    return json_pack("{s:f, s:f, s:f, s:f}", "initial", s->energy_initial, "final", s->energy_final, "max", s->energy_max,
                     "max_gain", s->energy_max_gain);
}

static json_t *ledger_json(const ss_ledger *l)
{
    json_t *object = json_object();
#define LEDGER_SET(name, doc) json_object_set_new(object, #name, json_real(l->name));
    SS_LEDGER_LIST(LEDGER_SET)
#undef LEDGER_SET
    json_object_set_new(object, "kinetic_change", json_real(l->kinetic_change));
    json_object_set_new(object, "closure", number(l->closure));
    json_object_set_new(object, "exchanged", json_real(l->exchanged));
    json_object_set_new(object, "integration_error", json_real(l->integration_error));
    json_object_set_new(object, "position_correction", json_real(l->position_correction));
    json_object_set_new(object, "driven_springs", json_real(l->driven_springs));
    json_object_set_new(object, "errors_of_scheme", json_real(ss_ledger_errors(l)));
    json_object_set_new(object, "impact_gain", json_real(l->impact_gain));
    json_object_set_new(object, "impact_gains", json_integer(l->impact_gains));
    return object;
}

static json_t *certificate_json(const ss_record *record, const ss_sim *sim)
{
    const ss_residual *r = &record->worst;
    const ss_step_info *last = ss_sim_last_step(sim);
    return json_pack("{s:o, s:o, s:o, s:o, s:i, s:f, s:s, s:b}", "contact", number(r->contact), "momentum", number(r->momentum),
                     "joint", number(r->joint), "classical", number(r->classical), "dropped", r->dropped, "tol",
                     sim->asked.solver_tol, "last_outcome", ss_outcome_name(last->outcome), "last_certified", last->certified);
}

/* {"lemke": 12, "nsgs": 3}: whose answers were taken */
/* {"lemke": 12, ..}: a count for each solver that has one */
static json_t *by_solver(const int64_t *count)
{
    json_t *object = json_object();
    for (int k = 0; k < SS_SUMMARY_SOLVERS && k < ss_registry_count(SS_SOLVERS); k++) {
        if (count[k] > 0) {
            json_object_set_new(object, ss_registry_entry(SS_SOLVERS, k)->name, json_integer(count[k]));
        }
    }
    return object;
}

static json_t *choices_json(const ss_choices *c)
{
    return json_pack("{s:I, s:o, s:o}", "split", (json_int_t)c->split, "first", by_solver(c->first), "left", by_solver(c->left));
}

/* {"infeasible": {"steps", "t", "contact"}}: only those that were made */
static json_t *remarks_json(const ss_summary *s)
{
    json_t *object = json_object();
    for (int k = 0; k < SS_REMARKS; k++) {
        const ss_remarked *r = &s->remark[k];
        if (r->steps > 0) {
            json_object_set_new(object, ss_remark_name((ss_remark)k),
                                json_pack("{s:I, s:f, s:s}", "steps", (json_int_t)r->steps, "t", r->t, "contact", r->contact));
        }
    }
    return object;
}

static void add_counts(const ss_summary *s, json_t *root)
{
    json_object_set_new(root, "answered_by", by_solver(s->answered));
    json_object_set_new(root, "choices", choices_json(&s->choices));
    if (s->contacts_found > 0) {
        json_object_set_new(
            root, "contacts_reduced",
            json_pack("{s:I, s:I}", "found", (json_int_t)s->contacts_found, "kept", (json_int_t)s->contacts_kept));
    }
    json_object_set_new(root, "steps", json_integer(s->steps));
    json_object_set_new(root, "rejected", json_integer(s->rejected));
    json_object_set_new(root, "unmet_steps", json_integer(s->unmet_steps));
    json_object_set_new(root, "max_unmet_error", number(s->max_unmet_error));
    json_object_set_new(root, "accumulated_error", number(s->accumulated_error));
    json_object_set_new(root, "shortest_step", json_real(s->shortest));
    json_object_set_new(root, "longest_step", json_real(s->longest));
    json_object_set_new(root, "max_penetration", number(s->max_penetration));
    json_object_set_new(root, "max_joint_error", number(s->max_joint_error));
    json_object_set_new(root, "max_residual", number(s->max_residual));
    json_object_set_new(root, "max_contacts", json_integer(s->max_contacts));
    json_object_set_new(root, "unconverged_steps", json_integer(s->unconverged_steps));
    json_object_set_new(root, "fallbacks", json_integer(s->fallbacks));
    json_object_set_new(root, "lcps", json_integer(s->lcps));
    json_object_set_new(root, "multiplier_evals", json_integer(s->multiplier_evals));
    json_object_set_new(root, "newton", json_integer(s->newton));
    json_object_set_new(root, "solver_iterations", json_integer(s->solver_iterations));
    json_object_set_new(root, "max_step_lcps", json_integer(s->max_step_lcps));
    json_object_set_new(root, "max_step_iterations", json_integer(s->max_step_iterations));
    json_object_set_new(root, "remarks", remarks_json(s));
    json_object_set_new(root, "basis",
                        json_pack("{s:I, s:I}", "tried", (json_int_t)s->basis_tried, "hits", (json_int_t)s->basis_hits));
    json_object_set_new(root, "shared",
                        json_pack("{s:I, s:I}", "problems", (json_int_t)s->shared, "motion", (json_int_t)s->chosen));
    json_object_set_new(root, "wall_s", json_real(s->wall_s));
}

static void add_events(const ss_record *record, const ss_summary *s, json_t *root)
{
    int64_t kept = (int64_t)json_array_size(record->events);
    json_object_set_new(root, "events", record->events ? json_incref(record->events) : json_array());
    json_object_set_new(root, "event_count", json_integer(s->events));
    json_object_set_new(root, "events_left_out", json_integer(s->events - record->events_before - kept));
}

/* ---- the whole --------------------------------------------------------------------------------- */

static void add_method(const ss_sim *sim, const char *scene, const char *outcome, const char *error, json_t *root)
{
    const char *name = ss_model_settings(ss_sim_model(sim))->name;
    json_object_set_new(root, "scene", json_string(scene));
    json_object_set_new(root, "name", name ? json_string(name) : json_null());
    json_object_set_new(root, "scheme", json_string(ss_sim_scheme(sim)));
    json_object_set_new(root, "solver", json_string(ss_sim_solver(sim)));
    json_object_set_new(root, "step", json_real(ss_sim_step_size(sim)));
    json_object_set_new(root, "tol", ss_sim_tol(sim) > 0 ? json_real(ss_sim_tol(sim)) : json_null());
    json_object_set_new(root, "outcome", json_string(outcome));
    json_object_set_new(root, "error", error && *error ? json_string(error) : json_null());
}

ss_status ss_record_to_json(const ss_record *record, const ss_sim *sim, const char *scene, const char *outcome, const char *error,
                            char **text)
{
    const ss_model *m = ss_sim_model(sim);
    const ss_summary *s = ss_sim_summary(sim);
    json_t *root = json_object();
    add_method(sim, scene, outcome, error, root);
    json_object_set_new(root, "t", json_real(ss_sim_time(sim)));
    json_object_set_new(root, "q", numbers(ss_sim_q(sim), ss_model_nq(m)));
    json_object_set_new(root, "v", numbers(ss_sim_v(sim), ss_model_nv(m)));
    json_object_set_new(root, "bodies", bodies_json(sim));
    json_object_set_new(root, "energy", energy_json(s));
    json_object_set_new(root, "ledger", ledger_json(ss_sim_ledger(sim)));
    json_object_set_new(root, "certificate", certificate_json(record, sim));
    add_counts(s, root);
    add_events(record, s, root);
    json_object_set_new(root, "contacts", contacts_json(sim));
    json_object_set_new(root, "joints", joints_json(sim));
    json_object_set_new(root, "outputs", outputs_json(record, sim));
    json_object_set_new(root, "warnings", warnings_json(sim));
    return ss_json_text(record->ctx, root, JSON_INDENT(1), text);
}
