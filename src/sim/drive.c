/* drive.c - setting inputs: is the part there, are the numbers finite, can the scheme do it? Then inputs.c changes the model.
 *
 * An input that is given the value it has, be it from the scene, changes nothing. Another value is a jump between two steps: the
 * second half of a step that was accepted in halves is made anew, and with a tolerance the scheme forgets its past, as it does
 * where a force of the scene jumps in time (ss_control_restart). */
#include "sim/sim.h"
#include <math.h>

/* ---- checks ------------------------------------------------------------------------------------------ */

ss_status ss_sim_check_index(const ss_sim *sim, const char *what, int index, int count)
{
    return index >= 0 && index < count
               ? SS_OK
               : ss_fail(sim->ctx, SS_ERR_INPUT, "%s %d: expected a number from 0 to %d", what, index, count - 1);
}

ss_status ss_sim_check_free_body(const ss_sim *sim, int body)
{
    const ss_model *m = sim->model;
    SS_TRY(ss_sim_check_index(sim, "body", body, m->bodies));
    return ss_model_is_dynamic(m, body) && m->body_type[body] != SS_BODY_BLOCK
               ? SS_OK
               : ss_fail(sim->ctx, SS_ERR_INPUT, "body %.80s: it is %s: expected a particle or a rigid body", m->body_name[body],
                         ss_body_type_name(m->body_type[body]));
}

ss_status ss_sim_check_numbers(const ss_sim *sim, const char *what, const char *name, const char *key, const double *x)
{
    for (int k = 0; x && k < 3; k++) {
        if (!isfinite(x[k])) {
            return ss_fail(sim->ctx, SS_ERR_INPUT, "%s %.80s: %s[%d] is %g, expected a finite number", what, name, key, k, x[k]);
        }
    }
    return SS_OK;
}

/* in 2D forces lie in the plane and torques are about z; particles take no torque */
static ss_status check_directions(const ss_sim *sim, int body, const double *force, const double *torque)
{
    const ss_model *m = sim->model;
    const bool plane = m->dimension == 2, particle = m->body_type[body] == SS_BODY_PARTICLE;
    if (plane && ((force && force[2] != 0) || (torque && (torque[0] != 0 || torque[1] != 0)))) {
        return ss_fail(sim->ctx, SS_ERR_INPUT,
                       "body %.80s: in 2D a force has no z and a torque has z alone: the others are expected to be 0",
                       m->body_name[body]);
    }
    if (particle && torque && (torque[0] != 0 || torque[1] != 0 || torque[2] != 0)) {
        return ss_fail(sim->ctx, SS_ERR_INPUT, "body %.80s: it is a particle, which cannot turn: expected no torque",
                       m->body_name[body]);
    }
    return SS_OK;
}

static ss_input load_input(ss_input_kind kind, int index, const double *force, const double *torque)
{
    ss_input in = { .kind = (int32_t)kind, .index = index };
    if (force) {
        memcpy(in.value, force, 3 * sizeof *force);
    }
    if (torque) {
        memcpy(in.value + 3, torque, 3 * sizeof *torque);
    }
    return in;
}

/* ---- putting ----------------------------------------------------------------------------------------- */

void ss_sim_forget_scheme(ss_sim *sim)
{
    if (sim->scheme_state_size > 0) {
        memcpy(sim->now.scheme_state, sim->control.first, (size_t)sim->scheme_state_size * sizeof *sim->now.scheme_state);
    }
    sim->control.halfway = SS_WHOLE;
}

void ss_sim_note_jump(ss_sim *sim)
{
    sim->control.halfway = SS_WHOLE;
    if (sim->control.tol > 0) {
        ss_sim_forget_scheme(sim);
    }
}

ss_status ss_sim_put_input(ss_sim *sim, const ss_input *in)
{
    if (ss_inputs_has(sim->inputs, in)) {
        return SS_OK;
    }
    SS_TRY(ss_inputs_put(sim->inputs, in));
    ss_sim_note_jump(sim);
    return SS_OK;
}

/* ---- forces and motors -------------------------------------------------------------------------------- */

static ss_status set_wrench(ss_sim *sim, int body, const double *force, const double *torque)
{
    const ss_model *m = sim->model;
    SS_TRY(ss_sim_check_free_body(sim, body));
    SS_TRY(ss_sim_check_numbers(sim, "body", m->body_name[body], "force", force));
    SS_TRY(ss_sim_check_numbers(sim, "body", m->body_name[body], "torque", torque));
    SS_TRY(check_directions(sim, body, force, torque));
    const ss_input in = load_input(SS_INPUT_WRENCH, body, force, torque);
    return ss_sim_put_input(sim, &in);
}

static ss_status set_motor(ss_sim *sim, int joint, double value)
{
    const ss_model *m = sim->model;
    SS_TRY(ss_sim_check_index(sim, "joint", joint, m->joints));
    if (!sim->inputs->motor[joint]) {
        return ss_fail(sim->ctx, SS_ERR_INPUT,
                       "joint %.80s: it has no motor; the scene gives it one, \"motor\": {\"force\": 0} or {\"speed\": 0}",
                       m->joint_name[joint]);
    }
    if (!isfinite(value)) {
        return ss_fail(sim->ctx, SS_ERR_INPUT, "joint %.80s: its motor is set to %g, expected a finite number",
                       m->joint_name[joint], value);
    }
    return ss_sim_put_input(sim, &(ss_input){ .kind = SS_INPUT_MOTOR, .index = joint, .value = { value } });
}

static ss_status set_force(ss_sim *sim, int force, const double *value, const double *torque)
{
    const ss_model *m = sim->inputs->given;
    SS_TRY(ss_sim_check_index(sim, "force", force, m->forces - m->elements));
    const ss_input in = load_input(SS_INPUT_FORCE, force, value, torque);
    SS_TRY(ss_sim_check_numbers(sim, "force", m->force_name[force], "value", value));
    SS_TRY(ss_sim_check_numbers(sim, "force", m->force_name[force], "torque", torque));
    if (!ss_inputs_is_valid(sim->inputs, &in)) {
        return ss_fail(sim->ctx, SS_ERR_INPUT, "force %.80s: it is of type %s; only one of type constant can be set",
                       m->force_name[force], m->force[force].type->info.name);
    }
    SS_TRY(check_directions(sim, m->force[force].at[0].body, value, torque));
    return ss_sim_put_input(sim, &in);
}

/* ---- contact ------------------------------------------------------------------------------------------ */

static ss_status check_law(const ss_sim *sim, const ss_pair_law *law, const char *a, const char *b, const double *value)
{
    const double mu = value[SS_PAIR_MU], e = value[SS_PAIR_RESTITUTION];
    if (law->mu[0] != law->mu[1]) {
        return ss_fail(sim->ctx, SS_ERR_UNSUPPORTED, "materials %.80s and %.80s: their friction has a grain and cannot be set", a,
                       b);
    }
    if (!(mu >= 0 && isfinite(mu))) {
        return ss_fail(sim->ctx, SS_ERR_INPUT, "materials %.80s and %.80s: expected mu >= 0, got %g", a, b, mu);
    }
    for (int k = SS_PAIR_ROLLING; k <= SS_PAIR_SPINNING; k++) {
        if (!(value[k] >= 0 && isfinite(value[k]))) {
            return ss_fail(sim->ctx, SS_ERR_INPUT, "materials %.80s and %.80s: expected %s friction >= 0 m, got %g", a, b,
                           k == SS_PAIR_ROLLING ? "rolling" : "spinning", value[k]);
        }
    }
    return e >= 0 && e <= 1
               ? SS_OK
               : ss_fail(sim->ctx, SS_ERR_INPUT, "materials %.80s and %.80s: expected e from 0 to 1, got %g", a, b, e);
}

/* the numbers of a law that are not given (NAN) */
static void complete(const ss_pair_law *law, double *value)
{
    const double now[SS_PAIR_NUMBERS] = { law->mu[0], law->e, law->arm[0], law->arm[1] };
    for (int k = 0; k < SS_PAIR_NUMBERS; k++) {
        value[k] = isnan(value[k]) ? now[k] : value[k];
    }
}

/* does the scheme support it? The model has the new law while this is asked, and then the old one again */
static ss_status check_support(ss_sim *sim, int index, const double *value)
{
    double old[SS_PAIR_NUMBERS] = { NAN, NAN, NAN, NAN };
    complete(&sim->model->pair[index], old);
    ss_inputs_set_law(sim->inputs, index, value);
    const ss_status status = ss_sim_check_laws(sim);
    ss_inputs_set_law(sim->inputs, index, old);
    return status;
}

/* given: SS_PAIR_NUMBERS, NAN: as it is */
static ss_status set_pair(ss_sim *sim, int a, int b, const double *given)
{
    const ss_model *m = sim->model;
    SS_TRY(ss_sim_check_index(sim, "material", a, m->materials - 1));
    SS_TRY(ss_sim_check_index(sim, "material", b, m->materials - 1));
    ss_input in = { .kind = SS_INPUT_PAIR, .index = (a < b ? a : b) * m->materials + (a < b ? b : a) };
    memcpy(in.value, given, SS_PAIR_NUMBERS * sizeof *given);
    complete(&m->pair[in.index], in.value);
    SS_TRY(check_law(sim, &m->pair[in.index], m->material_name[a], m->material_name[b], in.value));
    SS_TRY(check_support(sim, in.index, in.value));
    return ss_sim_put_input(sim, &in);
}

/* ---- one at a time -------------------------------------------------------------------------------------- */

ss_status ss_sim_set_wrench(ss_sim *sim, int body, const double force[3], const double torque[3])
{
    int before;
    SS_TRY(ss_usage_enter(sim, true, &before));
    const ss_status status = set_wrench(sim, body, force, torque);
    ss_usage_leave(sim, before);
    return status;
}

ss_status ss_sim_set_motor(ss_sim *sim, int joint, double value)
{
    int before;
    SS_TRY(ss_usage_enter(sim, true, &before));
    const ss_status status = set_motor(sim, joint, value);
    ss_usage_leave(sim, before);
    return status;
}

ss_status ss_sim_set_force(ss_sim *sim, int force, const double value[3], const double torque[3])
{
    int before;
    SS_TRY(ss_usage_enter(sim, true, &before));
    const ss_status status = set_force(sim, force, value, torque);
    ss_usage_leave(sim, before);
    return status;
}

static ss_status set_pair_within(ss_sim *sim, int a, int b, const double *given)
{
    int before;
    SS_TRY(ss_usage_enter(sim, true, &before));
    const ss_status status = set_pair(sim, a, b, given);
    ss_usage_leave(sim, before);
    return status;
}

ss_status ss_sim_set_pair(ss_sim *sim, int material_a, int material_b, double mu, double e)
{
    return set_pair_within(sim, material_a, material_b, (const double[SS_PAIR_NUMBERS]){ mu, e, NAN, NAN });
}

ss_status ss_sim_set_pair_moments(ss_sim *sim, int material_a, int material_b, double rolling, double spinning)
{
    return set_pair_within(sim, material_a, material_b, (const double[SS_PAIR_NUMBERS]){ NAN, NAN, rolling, spinning });
}
