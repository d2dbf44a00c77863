/* numbers.c - other numbers while a simulation runs: those of another model of the same structure.
 *
 * What schemes, finder and solver keep from step to step depends on bodies, shapes, masses and rows, which stay; forces, laws and
 * motions are read anew in each step, from the copy of the model that inputs change (inputs.c). So new numbers are a jump between
 * two steps, like an input. What they change of the potential energy of the state is the ledger's `state_set`.
 *
 * Cost   that of the inputs and of one evaluation of the potential */
#include "base/tolerances.h"
#include "sim/sim.h"
#include <math.h>

/* What its expression says, from whatever angle it began. The expressions of another model are read with this simulation's start.
 */
static double driven_angle(const ss_model *m, int body, double t)
{
    return ss_model_driven_angle(m, body, t) + m->body_motion_zero[body];
}

/* driven bodies without a motion of their own go on from where they are */
static ss_status check_motions(const ss_sim *sim, const ss_model *next)
{
    const ss_model *m = sim->model;
    for (int b = 0; b < m->bodies; b++) {
        if (m->body_type[b] != SS_BODY_DRIVEN || *ss_inputs_slot(sim->inputs, SS_INPUT_MOTION, b) >= 0) {
            continue;
        }
        const ss_vec3 jump = ss_sub(ss_model_frame(next, b, sim->now.t, NULL).p, ss_model_frame(m, b, sim->now.t, NULL).p);
        const double turn = fabs(driven_angle(next, b, sim->now.t) - driven_angle(m, b, sim->now.t));
        if (!(ss_norm(jump) <= SS_TOL_UNSEEN * m->length && turn <= SS_TOL_UNSEEN)) {
            return ss_fail(sim->ctx, SS_ERR_INPUT,
                           "numbers: driven body %.80s would jump by %.9g m and %.9g rad at t = %.9g s; a prescribed motion must "
                           "be continuous",
                           m->body_name[b], ss_norm(jump), turn, sim->now.t);
        }
    }
    return SS_OK;
}

/* does it begin elsewhere with the numbers of the other model? */
static bool begins_elsewhere(const ss_model *m, const ss_model *next, int body)
{
    const double off = ss_norm(ss_sub(next->body_frame0[body].p, m->body_frame0[body].p)),
                 turn = fabs(next->body_motion_zero[body] - m->body_motion_zero[body]);
    return !(off <= SS_TOL_UNSEEN * m->length && turn <= SS_TOL_UNSEEN);
}

/* Joints are placed where their bodies begin, and stay there. */
static ss_status check_joints(const ss_sim *sim, const ss_model *next)
{
    const ss_model *m = sim->model;
    for (int k = 0; k < 2 * m->joints; k++) {
        const int body = m->joint[k / 2].at[k % 2].body;
        if (body < m->bodies && m->body_type[body] == SS_BODY_DRIVEN && begins_elsewhere(m, next, body)) {
            return ss_fail(sim->ctx, SS_ERR_INPUT,
                           "numbers: driven body %.80s would begin elsewhere, and joint %.80s is placed by where it begins",
                           m->body_name[body], m->joint_name[k / 2]);
        }
    }
    return SS_OK;
}

/* what the driver has found out about the numbers at the start; nothing of it changes where it fails */
static ss_status look_again(ss_sim *sim)
{
    ss_definite *definite = NULL;
    ss_status status = ss_definite_create(sim->ctx, sim->model, &definite);
    status = status == SS_OK ? ss_sim_renew_potential(sim) : status;
    if (status != SS_OK) {
        ss_definite_destroy(sim->ctx, definite);
        return status;
    }
    ss_definite_destroy(sim->ctx, sim->definite);
    sim->definite = definite;
    sim->control.pace.timed = ss_model_is_timed(sim->model);
    ss_audit_follow(sim);
    return SS_OK;
}

/* The numbers of the model are those of the simulation from now on; its inputs stay. */
static ss_status switch_to(ss_sim *sim, const ss_model *model)
{
    const ss_arena_mark mark = ss_arena_save(sim->arena);
    const ss_status status = ss_inputs_switch(sim->inputs, sim->arena, model);
    ss_arena_release(sim->arena, mark);
    return status;
}

static ss_status set_numbers(ss_sim *sim, const ss_model *next)
{
    const ss_model *before = sim->inputs->given;
    if (next->structure != before->structure) {
        return ss_fail(sim->ctx, SS_ERR_INPUT,
                       "numbers: the model differs in more than gravity, forces, motors, limits, springs of joints, motions, "
                       "friction and restitution; what else a scene has, and what of these there is, is fixed while it runs");
    }
    SS_TRY(check_motions(sim, next));
    SS_TRY(check_joints(sim, next));
    SS_TRY(switch_to(sim, next));
    ss_status status = ss_sim_check_laws(sim);
    status = status == SS_OK ? look_again(sim) : status;
    if (status != SS_OK) { /* as it was; the memory that the way there took is enough for the way back */
        SS_TRY(switch_to(sim, before));
        return status;
    }
    if (next->fingerprint != before->fingerprint) {
        ss_sim_note_jump(sim);
    }
    return SS_OK;
}

ss_status ss_sim_set_numbers(ss_sim *sim, const ss_model *model)
{
    int before;
    SS_TRY(ss_usage_enter(sim, true, &before));
    const ss_arena_mark mark = ss_arena_save(sim->arena);
    const ss_status status = set_numbers(sim, model);
    ss_arena_release(sim->arena, mark);
    ss_usage_leave(sim, before);
    return status;
}
