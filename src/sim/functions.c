/* functions.c - functions that a program gives to forces of type "callback".
 *
 * They are kept with the inputs, so that a checkpoint knows which forces have them. New ones are a jump between two steps; what
 * they change of the energy of the state is the ledger's `state_set`. If their potential fails, the old ones stay. */
#include "sim/sim.h"

extern const ss_force_type ss_force_callback;

static bool are_same(const ss_force_functions *a, const ss_force_functions *b)
{
    return a->user == b->user && a->wrench == b->wrench && a->potential == b->potential && a->jacobian == b->jacobian;
}

static ss_status check_force(const ss_sim *sim, int force, const ss_force_functions *functions)
{
    const ss_model *m = sim->inputs->given;
    SS_TRY(ss_sim_check_index(sim, "force", force, m->forces - m->elements));
    if (m->force[force].type != &ss_force_callback) {
        return ss_fail(sim->ctx, SS_ERR_INPUT, "force %.80s: it is of type %s; only one of type callback takes functions",
                       m->force_name[force], m->force[force].type->info.name);
    }
    return !functions || functions->wrench
               ? SS_OK
               : ss_fail(sim->ctx, SS_ERR_INPUT, "force %.80s: its functions have no `wrench`", m->force_name[force]);
}

/* ---- energy ---------------------------------------------------------------------------------------------- */

static ss_status find_potential(const ss_sim *sim, double *energy)
{
    ss_config c;
    const ss_arena_mark mark = ss_arena_save(sim->arena);
    ss_status status = ss_sim_place(sim, NULL, &c);
    status = status == SS_OK ? ss_model_potential(sim->ctx, sim->model, &c, energy) : status;
    ss_arena_release(sim->arena, mark);
    return status;
}

ss_status ss_sim_renew_potential(ss_sim *sim)
{
    double energy;
    SS_TRY(find_potential(sim, &energy));
    const double change = energy - sim->audit.sums.potential;
    sim->audit.sums.potential = energy;
    sim->last->info.potential = energy;
    sim->summary.energy_final += change;
    sim->ledger.state_set += change;
    return SS_OK;
}

/* ---- setting --------------------------------------------------------------------------------------------- */

static ss_status put(ss_sim *sim, int force, const ss_force_functions *functions)
{
    const ss_input off = { .kind = SS_INPUT_CALLBACK, .index = force },
                   on = { .kind = SS_INPUT_CALLBACK, .index = force, .value = { 1 } };
    SS_TRY(ss_sim_put_input(sim, &off)); /* so that other functions are another input */
    sim->inputs->functions[force] = (ss_force_functions){ 0 };
    if (functions) {
        sim->inputs->functions[force] = *functions;
        SS_TRY(ss_sim_put_input(sim, &on));
    }
    ss_audit_follow(sim);
    return SS_OK;
}

static ss_status set_functions(ss_sim *sim, int force, const ss_force_functions *functions)
{
    SS_TRY(check_force(sim, force, functions));
    const ss_force_functions before = sim->inputs->functions[force];
    const bool had = sim->model->force[force].functions != NULL;
    if (had && functions && are_same(functions, &before)) {
        return SS_OK;
    }
    SS_TRY(put(sim, force, functions));
    const ss_status status = ss_sim_renew_potential(sim);
    if (status != SS_OK) { /* as it was */
        SS_TRY(put(sim, force, had ? &before : NULL));
    }
    return status;
}

ss_status ss_sim_set_functions(ss_sim *sim, int force, const ss_force_functions *functions)
{
    int before;
    SS_TRY(ss_usage_enter(sim, true, &before));
    const ss_status status = set_functions(sim, force, functions);
    ss_usage_leave(sim, before);
    return status;
}

ss_status ss_sim_check_functions(const ss_sim *sim)
{
    const ss_model *given = sim->inputs->given;
    for (int i = 0; i < given->forces - given->elements; i++) {
        const ss_force *force = &sim->model->force[i];
        if (force->type == &ss_force_callback && !force->functions) {
            return ss_fail(sim->ctx, SS_ERR_INPUT,
                           "force %.80s: it is of type callback, and no program has given it functions (ss_sim_set_functions)",
                           given->force_name[i]);
        }
    }
    return SS_OK;
}
