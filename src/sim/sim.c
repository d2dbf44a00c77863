/* sim.c - making a simulation: scheme and solver by name with their options, memory, the initial state. */
#include "sim/sim.h"
#include "base/extensions.h"
#include "kernels/redundancy.h"
#include <math.h>
#include <stdio.h>

ss_observer ss_observer_default(void) { return (ss_observer){ .user = NULL }; }

ss_sim_options ss_sim_options_default(void) { return (ss_sim_options){ .step = NAN, .tol = NAN, .solver_tol = NAN }; }

static const ss_scheme_type *find_scheme(const ss_context *ctx, const char *name)
{
    for (int k = 0; ss_scheme_types[k]; k++) {
        if (ss_entry_answers(&ss_scheme_types[k]->info, name)) {
            return ss_scheme_types[k];
        }
    }
    return (const ss_scheme_type *)(const void *)ss_extension_find(ctx, SS_SCHEMES, name); /* its first member */
}

static ss_status unknown_scheme(ss_context *ctx, const char *name)
{
    const char *names[64] = { NULL };
    for (int k = 0; ss_scheme_types[k] && k < 63; k++) {
        names[k] = ss_scheme_types[k]->info.name;
    }
    const char *near = ss_nearest_name(name, names);
    return ss_fail(ctx, SS_ERR_INPUT, "scheme.name: unknown scheme \"%s\"%s%s%s", name, near ? "; did you mean \"" : "",
                   near ? near : "", near ? "\"?" : "");
}

static ss_status make_params(ss_sim *sim)
{
    char what[128];
    snprintf(what, sizeof what, "scheme %s", sim->scheme->info.name);
    SS_TRY(ss_calloc(sim->ctx, 1, sim->scheme->info.params_size ? sim->scheme->info.params_size : 1, &sim->params));
    if (!sim->scheme->info.fields) {
        return SS_OK;
    }
    ss_fields_default(sim->scheme->info.fields, sim->params);
    /* options in the scene belong to the scheme the scene names */
    const char *named = sim->model->settings.scheme;
    bool same = !named || ss_entry_answers(&sim->scheme->info, named);
    for (const ss_setting *s = same ? sim->model->scheme_option : NULL; s && s->key; s++) {
        SS_TRY(ss_fields_set(sim->ctx, sim->scheme->info.fields, sim->params, what, s));
    }
    return SS_OK;
}

static ss_status make_solver(ss_sim *sim, const ss_sim_options *options)
{
    const ss_scene_settings *settings = &sim->model->settings;
    ss_solver_options o = ss_solver_options_default();
    const char *name = options->solver ? options->solver : settings->solver;
    o.name = name ? name : o.name;
    o.tol = isnan(options->solver_tol) ? settings->solver_tol : options->solver_tol;
    if (!(o.tol > 0 && isfinite(o.tol))) {
        return ss_fail(sim->ctx, SS_ERR_INPUT, "solver.tol: expected a number > 0, got %g", o.tol);
    }
    /* options in the scene belong to the solver the scene names */
    bool same = !options->solver || (settings->solver && strcmp(options->solver, settings->solver) == 0);
    o.settings = same ? sim->model->solver_option : NULL;
    o.share = (ss_share)settings->share;
    sim->asked.solver_tol = o.tol;
    snprintf(sim->asked.solver, sizeof sim->asked.solver, "%s", o.name);
    return ss_solver_create(sim->ctx, &o, &sim->solver);
}

static const unsigned FRICTION_LAWS = SS_LAW_COULOMB | SS_LAW_POLYHEDRAL | SS_LAW_ASSOCIATED | SS_LAW_ASSOCIATED_POLYHEDRAL;

/* A scheme that knows no contact must not let bodies fall through each other. */
static ss_status check_contact_laws(const ss_sim *sim)
{
    const ss_entry *info = &sim->scheme->info;
    const ss_model *m = sim->model;
    double mu = 0;
    if (ss_model_potential_pairs(m) == 0 && !m->has_gaps) {
        return SS_OK;
    }
    if (!(info->laws & (FRICTION_LAWS | SS_LAW_UNILATERAL))) {
        return ss_fail(sim->ctx, SS_ERR_UNSUPPORTED, "scheme.name: %s does not treat contact, but bodies of this scene can touch",
                       info->name);
    }
    for (int i = 0; i < m->materials * m->materials; i++) {
        mu = fmax(mu, fmax(m->pair[i].mu[0], m->pair[i].mu[1]));
    }
    for (int b = 0; b < m->bodies; b++) {
        mu = fmax(mu, m->body_callbacks[b] ? m->body_callbacks[b]->mu : 0);
    }
    if (mu > 0 && !(info->laws & FRICTION_LAWS)) {
        return ss_fail(sim->ctx, SS_ERR_UNSUPPORTED, "scheme.name: %s does not treat friction, but this scene has mu = %g",
                       info->name, mu);
    }
    return SS_OK;
}

/* Are there two bodies, one of them moving, with these two materials? */
static bool can_meet(const ss_model *m, int material_a, int material_b)
{
    for (int i = 0; i < m->shapes; i++) {
        for (int j = 0; j < m->shapes && m->shape_material[i] == material_a; j++) {
            bool moves = ss_model_is_dynamic(m, m->shape_body[i]) || ss_model_is_dynamic(m, m->shape_body[j]);
            if (m->shape_material[j] == material_b && m->shape_body[i] != m->shape_body[j] && moves) {
                return true;
            }
        }
    }
    return false;
}

/* does the pair have rolling or spinning friction? */
static bool has_moments(const ss_model *m, int pair) { return m->pair[pair].arm[0] > 0 || m->pair[pair].arm[1] > 0; }

static bool has_facets(const ss_model *m, int material)
{
    bool any = false;
    for (int k = 0; k < m->facets && !any; k++) {
        any = m->shape_material[m->facet[k].shape] == material;
    }
    return any;
}

/* Moments act between rigid shapes; a facet of a solid has no angular velocity. */
static ss_status check_moments_of_solids(const ss_sim *sim)
{
    const ss_model *m = sim->model;
    for (int i = 0; i < m->materials * m->materials; i++) {
        const int own = i / m->materials;
        if (has_moments(m, i) && has_facets(m, own) && can_meet(m, own, i % m->materials)) {
            return ss_fail(sim->ctx, SS_ERR_UNSUPPORTED,
                           "materials: rolling and spinning friction act between rigid shapes, and a solid of the material %.80s "
                           "can meet one with %g m and %g m",
                           own + 1 < m->materials ? m->material_name[own] : "(none)", m->pair[i].arm[0], m->pair[i].arm[1]);
        }
    }
    return SS_OK;
}

static ss_status check_moments(const ss_sim *sim)
{
    const ss_entry *info = &sim->scheme->info;
    const ss_model *m = sim->model;
    for (int i = 0; i < m->materials * m->materials; i++) {
        if (has_moments(m, i) && !(info->laws & SS_LAW_ROLLING) && can_meet(m, i / m->materials, i % m->materials)) {
            return ss_fail(
                sim->ctx, SS_ERR_UNSUPPORTED,
                "scheme.name: %s does not treat rolling and spinning friction, but this scene has %g m and %g m; schemes "
                "with the law rolling do (slipstick list schemes)",
                info->name, m->pair[i].arm[0], m->pair[i].arm[1]);
        }
    }
    return check_moments_of_solids(sim);
}

/* What the scheme says of itself against what the model asks of it. */
static ss_status check_scheme(const ss_sim *sim)
{
    const ss_entry *info = &sim->scheme->info;
    const ss_model *m = sim->model;
    if (info->dimensions && !(info->dimensions & (1u << m->dimension))) {
        return ss_fail(sim->ctx, SS_ERR_UNSUPPORTED, "scheme.name: %s does not run in %dD", info->name, m->dimension);
    }
    return SS_OK;
}

static bool is_inelastic(const ss_entry *scheme)
{
    return (scheme->laws & SS_LAW_INELASTIC) && !(scheme->laws & (SS_LAW_NEWTON | SS_LAW_POISSON));
}

static ss_status check_elastic_blocks(const ss_sim *sim)
{
    const ss_entry *info = &sim->scheme->info;
    for (int b = 0; is_inelastic(info) && b < sim->model->bodies; b++) {
        const ss_block *block = sim->model->body_callbacks[b];
        if (block && block->gaps > 0 && block->e > 0) {
            return ss_fail(sim->ctx, SS_ERR_UNSUPPORTED, "scheme.name: %s is for inelastic contact, and block %s has e = %g",
                           info->name, sim->model->body_name[b], block->e);
        }
    }
    return SS_OK;
}

static ss_status check_elastic_limits(const ss_sim *sim)
{
    const ss_entry *info = &sim->scheme->info;
    for (int j = 0; is_inelastic(info) && j < sim->model->joints; j++) {
        if (sim->model->joint[j].e > 0) {
            return ss_fail(sim->ctx, SS_ERR_UNSUPPORTED,
                           "scheme.name: %s is for inelastic contact, and the limits of joint %s have restitution %g", info->name,
                           sim->model->joint_name[j], sim->model->joint[j].e);
        }
    }
    return SS_OK;
}

/* e = 0 is one and the same impact law under any name. */
static ss_status check_impact_laws(const ss_sim *sim)
{
    const ss_entry *info = &sim->scheme->info;
    const ss_model *m = sim->model;
    for (int i = 0; i < m->materials * m->materials; i++) {
        ss_impact_law law = m->pair[i].impact;
        unsigned bit = law == SS_IMPACT_NEWTON ? SS_LAW_NEWTON : law == SS_IMPACT_POISSON ? SS_LAW_POISSON : 0;
        bool inelastic = m->pair[i].e == 0 && (info->laws & SS_LAW_INELASTIC);
        if ((bit & ~info->laws) && !inelastic) {
            return ss_fail(sim->ctx, SS_ERR_UNSUPPORTED, "pairs: scheme %s does not support %s's impact law", info->name,
                           law == SS_IMPACT_NEWTON ? "Newton" : "Poisson");
        }
        bool elastic = m->pair[i].e > 0 && !(info->laws & (SS_LAW_NEWTON | SS_LAW_POISSON));
        if (elastic && (info->laws & SS_LAW_INELASTIC) && can_meet(m, i / m->materials, i % m->materials)) {
            return ss_fail(sim->ctx, SS_ERR_UNSUPPORTED,
                           "scheme.name: %s treats inelastic contact only, but this scene has a pair of materials with e = %g",
                           info->name, m->pair[i].e);
        }
    }
    SS_TRY(check_elastic_limits(sim));
    return check_elastic_blocks(sim);
}

static ss_status choose_step(ss_sim *sim, const ss_sim_options *options)
{
    double tol = isnan(options->tol) ? sim->model->settings.tol : options->tol;
    if (!isnan(tol)) {
        return ss_control_choose(sim, options, tol);
    }
    sim->asked.step = isnan(options->step) ? sim->model->settings.step : options->step;
    if (isnan(sim->asked.step)) {
        return ss_fail(sim->ctx, SS_ERR_INPUT, "time.step: missing; give a step, or a tolerance to choose steps by (time.tol)");
    }
    if (!(sim->asked.step > 0 && isfinite(sim->asked.step))) {
        return ss_fail(sim->ctx, SS_ERR_INPUT, "time.step: expected a number > 0, got %g", sim->asked.step);
    }
    return SS_OK;
}

static ss_status refuse_overlap(ss_sim *sim)
{
    ss_overlap worst;
    int count = 0;
    const ss_model *m = sim->model;
    SS_TRY(ss_model_overlaps(sim->ctx, m, 1, &worst, &count));
    if (count == 0) {
        return SS_OK;
    }
    return ss_fail(sim->ctx, SS_ERR_INPUT, "bodies: %s and %s overlap by %.6g m at the start%s; separate them or allow overlap",
                   m->body_name[worst.bodies[0]], m->body_name[worst.bodies[1]], worst.depth,
                   count > 1 ? " (the deepest of several)" : "");
}

static ss_status make_memory(ss_sim *sim)
{
    ss_context *ctx = sim->ctx;
    const ss_model *m = sim->model;
    sim->scheme_state_size = sim->scheme->scheme_state_size ? sim->scheme->scheme_state_size(m, sim->params) : 0;
    SS_TRY(ss_arena_create(ctx, 1 << 16, &sim->arena));
    SS_TRY(ss_arena_create(ctx, 1 << 12, &sim->trial_arena));
    SS_TRY(ss_finder_create(ctx, m, &sim->finder));
    SS_TRY(ss_residual_create(ctx, &sim->certifier));
    SS_TRY(ss_calloc(ctx, (size_t)(3 * m->nj), sizeof(double), &sim->scratch.joint));
    SS_TRY(ss_state_create(sim, &sim->now));
    SS_TRY(ss_state_create(sim, &sim->next));
    SS_TRY(ss_control_create(sim));
    SS_TRY(ss_audit_create(sim));
    SS_TRY(ss_redundancy_create(ctx, m, &sim->loops));
    SS_TRY(ss_definite_create(ctx, m, &sim->definite));
    memcpy(sim->now.q, m->q0, (size_t)m->nq * sizeof(double));
    memcpy(sim->now.v, m->v0, (size_t)m->nv * sizeof(double));
    SS_TRY(ss_calloc(ctx, 1, sizeof *sim->shown, &sim->shown));
    sim->last = &sim->accounts[0];
    sim->pending = &sim->accounts[1];
    sim->other = &sim->accounts[2];
    for (int i = 0; i < SS_ACCOUNTS; i++) {
        SS_TRY(ss_account_create(sim, &sim->accounts[i]));
    }
    return SS_OK;
}

static ss_status make_stepper(ss_sim *sim)
{
    sim->stepper = (ss_stepper){ .ctx = sim->ctx,
                                 .model = sim->model,
                                 .params = sim->scheme->outside ? sim->scheme->outside : sim->params,
                                 .solver = sim->solver,
                                 .tol = sim->asked.solver_tol,
                                 .finder = sim->finder,
                                 .arena = sim->arena,
                                 .report = &sim->pending->report,
                                 .now = &sim->now,
                                 .next = &sim->next,
                                 .h_nominal = sim->asked.step,
                                 .h_asked = sim->asked.step };
    SS_TRY(sim->scheme->create ? sim->scheme->create(&sim->stepper, &sim->stepper.work, sim->now.scheme_state) : SS_OK);
    if (sim->scheme_state_size > 0) {
        memcpy(sim->control.first, sim->now.scheme_state, (size_t)sim->scheme_state_size * sizeof *sim->now.scheme_state);
    }
    return SS_OK;
}

ss_status ss_sim_describe(ss_sim *sim)
{
    ss_account *described = sim->pending;
    ss_step_info *info = &described->info;
    ss_account_begin(described, sim->summary.steps);
    info->step = sim->summary.steps;
    info->t = sim->now.t;
    SS_TRY(ss_sim_measure(sim, &sim->now, info));
    ss_state_empty_arena(sim);
    sim->pending = sim->last;
    sim->last = described;
    sim->stepper.report = &sim->pending->report;
    return SS_OK;
}

static ss_status start(ss_sim *sim)
{
    SS_TRY(ss_sim_describe(sim));
    const ss_step_info *info = &sim->last->info;
    sim->audit.sums.potential = info->potential;
    double energy = info->kinetic + info->potential;
    sim->summary.energy_initial = sim->summary.energy_final = sim->summary.energy_max = energy;
    sim->summary.max_joint_error = info->joint_error;
    sim->summary.max_penetration = info->penetration;
    return SS_OK;
}

/* a copy of the model that inputs may change, and who may do so */
static ss_status take_inputs(ss_sim *sim)
{
    SS_TRY(ss_calloc(sim->ctx, 1, sizeof *sim->usage, &sim->usage));
    atomic_init(&sim->usage->phase, SS_IDLE);
    sim->usage->asked = -INFINITY;
    SS_TRY(ss_inputs_create(sim->ctx, sim->model, &sim->inputs));
    sim->model = &sim->inputs->model;
    return SS_OK;
}

ss_status ss_sim_check_laws(const ss_sim *sim)
{
    SS_TRY(check_impact_laws(sim));
    SS_TRY(check_contact_laws(sim));
    return check_moments(sim);
}

static ss_status build(ss_sim *sim, const ss_sim_options *options)
{
    SS_TRY(take_inputs(sim));
    SS_TRY(check_scheme(sim));
    SS_TRY(ss_sim_check_laws(sim));
    SS_TRY(make_params(sim));
    SS_TRY(choose_step(sim, options));
    SS_TRY(make_solver(sim, options));
    if (!options->allow_overlap) {
        SS_TRY(refuse_overlap(sim));
    }
    SS_TRY(make_memory(sim));
    SS_TRY(ss_sim_check_massless(sim));
    SS_TRY(make_stepper(sim));
    return start(sim);
}

ss_status ss_sim_create_with(ss_context *ctx, const ss_model *model, const ss_scheme_type *scheme, const ss_sim_options *options,
                             ss_sim **out)
{
    ss_sim_options defaults = ss_sim_options_default();
    const ss_sim_options *o = options ? options : &defaults;
    *out = NULL;
    ss_sim *sim;
    SS_TRY(ss_calloc(ctx, 1, sizeof *sim, &sim));
    sim->ctx = ctx;
    sim->model = model;
    sim->scheme = scheme;
    sim->asked.strict = o->strict;
    sim->asked.allow_overlap = o->allow_overlap;
    sim->asked.interrupt = o->interrupt;
    ss_status status = build(sim, o);
    if (status != SS_OK) {
        ss_sim_destroy(sim);
        return status;
    }
    *out = sim;
    return SS_OK;
}

ss_status ss_sim_create(ss_context *ctx, const ss_model *model, const ss_sim_options *options, ss_sim **out)
{
    const char *name = options && options->scheme ? options->scheme
                       : model->settings.scheme   ? model->settings.scheme
                                                  : "anitescu_potra";
    const ss_scheme_type *scheme = find_scheme(ctx, name);
    *out = NULL;
    return scheme ? ss_sim_create_with(ctx, model, scheme, options, out) : unknown_scheme(ctx, name);
}

static void free_shown(ss_context *ctx, ss_shown *shown)
{
    if (shown) {
        ss_contacts_free(ctx, &shown->found);
        ss_contact_table_free(ctx, &shown->last);
        ss_contact_table_free(ctx, &shown->near);
        ss_csr_free(ctx, &shown->G);
        ss_free(ctx, shown);
    }
}

void ss_sim_destroy(ss_sim *sim)
{
    if (!sim) {
        return;
    }
    ss_context *ctx = sim->ctx;
    if (sim->scheme->destroy) {
        sim->scheme->destroy(ctx, sim->stepper.work);
    }
    for (int i = 0; i < SS_ACCOUNTS; i++) {
        ss_account_destroy(ctx, &sim->accounts[i]);
    }
    ss_control_destroy(ctx, &sim->control);
    ss_audit_destroy(sim);
    ss_redundancy_destroy(sim->loops);
    ss_definite_destroy(ctx, sim->definite);
    ss_state_destroy(ctx, &sim->now);
    ss_state_destroy(ctx, &sim->next);
    ss_state_destroy(ctx, &sim->middle);
    free_shown(ctx, sim->shown);
    ss_free(ctx, sim->scratch.accepted);
    ss_free(ctx, sim->scratch.joint);
    ss_csr_free(ctx, &sim->scratch.G);
    ss_contacts_free(ctx, &sim->scratch.overlap);
    ss_residual_destroy(sim->certifier);
    ss_finder_destroy(sim->finder);
    ss_arena_destroy(sim->trial_arena);
    ss_arena_destroy(sim->arena);
    ss_solver_destroy(sim->solver);
    ss_free(ctx, sim->params);
    ss_inputs_destroy(sim->inputs);
    ss_free(ctx, sim->usage);
    ss_free(ctx, sim);
}
