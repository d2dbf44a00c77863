/* outputs.c - outputs of a simulation: what each reads (model/outputs/) is gathered here.
 *
 * Outputs that tell of a step are read at its end, before it is accepted, and are part of its account: a step that is not kept
 * leaves nothing. All others are read when they are asked for. A step without such outputs costs nothing; one with them costs
 * the frames of all bodies at both ends, and one evaluation of its contacts. Scratch comes from the arena. */
#include "model/outputs.h"
#include "contact/moment.h"
#include "sim/sim.h"
#include <math.h>
#include <slipstick/drive.h>

/* ---- a step ------------------------------------------------------------------------------------------- */

/* frames of a state, and how driven bodies move there */
static ss_status place(const ss_sim *sim, const ss_state *state, ss_config *c)
{
    SS_TRY(ss_config_take(sim->arena, sim->model, c));
    ss_config_set(sim->model, state->t, state->q, c);
    ss_config_drive(sim->model, state->t, state->t, c);
    return SS_OK;
}

static bool touches(const ss_contact *contact)
{
    return contact->id.kind == SS_CONTACT_SHAPES || contact->id.kind >= SS_CONTACT_FACET;
}

/* impulse p of a contact, or of a moment, in world axes */
static ss_touch touch_of(const ss_model *m, const ss_contact *contact, const ss_contact_value *v, const double *p)
{
    ss_touch touch = { .body = { contact->at[0].body, contact->at[1].body }, .point = v->point };
    if (!ss_contact_is_moment(contact)) {
        touch.impulse = ss_axpy(p[2], v->tangent[1], ss_axpy(p[1], v->tangent[0], ss_scale(p[0], v->normal)));
        touch.normal = p[0];
        return touch;
    }
    for (int i = 0; i < ss_moment_rows_of(m, contact); i++) {
        touch.beside = ss_axpy(p[i], ss_cross(v->normal, ss_moment_axis(m, contact, v, i)), touch.beside);
    }
    return touch;
}

/* contacts between bodies and their moments */
static ss_status gather_touches(const ss_sim *sim, const ss_config *c, const ss_reactions *r, ss_instant *at)
{
    ss_touch *list;
    SS_TRY(ss_arena_take(sim->arena, (size_t)r->n, sizeof *list, &list));
    for (int k = 0; k < r->n; k++) {
        const ss_contact *contact = &r->full->c[k];
        ss_contact_value v;
        if (touches(contact)) {
            SS_TRY(ss_contact_eval(sim->ctx, sim->model, c, contact, &v));
            list[at->touches++] = touch_of(sim->model, contact, &v, r->contact[k].impulse);
        }
    }
    at->touch = list;
    return SS_OK;
}

static ss_status gather_motors(const ss_sim *sim, const ss_reactions *r, ss_instant *at)
{
    double *impulse;
    SS_TRY(ss_arena_take(sim->arena, (size_t)sim->model->joints, sizeof *impulse, &impulse)); /* zeros */
    for (int k = 0; k < r->n; k++) {
        const ss_contact_id *id = &r->contact[k].id;
        if (id->kind == SS_CONTACT_MOTOR && id->b == SS_BOUNDED_MOTOR) {
            impulse[id->a] = r->contact[k].impulse[0];
        }
    }
    at->bounded = impulse;
    return SS_OK;
}

static void read_all(const ss_instant *at, bool of_step, double *out)
{
    const ss_outputs *all = &at->m->outputs;
    for (int i = 0; i < all->parts; i++) {
        const ss_output *o = &all->part[i];
        if (o->of_step == of_step) {
            o->type->read(o, at, out + o->first);
        }
    }
}

static ss_status note(ss_sim *sim, const ss_state *from, const ss_state *to)
{
    const ss_account *a = sim->pending;
    ss_config begin, end;
    SS_TRY(place(sim, from, &begin));
    SS_TRY(place(sim, to, &end));
    ss_instant at = {
        .m = sim->model, .c = &end, .v = to->v, .h = a->info.h, .from = &begin, .v_from = from->v, .lam = a->whole.joint
    };
    SS_TRY(gather_touches(sim, &end, &a->whole, &at));
    SS_TRY(gather_motors(sim, &a->whole, &at));
    read_all(&at, true, a->output);
    return SS_OK;
}

ss_status ss_outputs_note(ss_sim *sim, const ss_state *from, const ss_state *to)
{
    if (!sim->model->outputs.of_step) {
        return SS_OK;
    }
    const ss_arena_mark mark = ss_arena_save(sim->arena);
    const ss_status status = note(sim, from, to);
    ss_arena_release(sim->arena, mark);
    return status;
}

/* ---- what the user reads -------------------------------------------------------------------------------- */

static ss_status read_state(const ss_sim *sim, double *out)
{
    ss_config c;
    SS_TRY(ss_sim_place(sim, NULL, &c));
    read_all(&(ss_instant){ .m = sim->model, .c = &c, .v = sim->now.v }, false, out);
    return SS_OK;
}

ss_status ss_sim_outputs(const ss_sim *sim, double *values)
{
    const int columns = sim->model->outputs.columns;
    if (columns == 0) {
        return SS_OK;
    }
    const ss_arena_mark mark = ss_arena_save(sim->arena);
    memcpy(values, sim->last->output, (size_t)columns * sizeof *values);
    const ss_status status = read_state(sim, values);
    ss_arena_release(sim->arena, mark);
    return status;
}

static ss_status read_one(const ss_sim *sim, const ss_output *o, double *out)
{
    ss_config c;
    SS_TRY(ss_sim_place(sim, NULL, &c));
    o->type->read(o, &(ss_instant){ .m = sim->model, .c = &c, .v = sim->now.v }, out);
    return SS_OK;
}

ss_status ss_sim_output(const ss_sim *sim, int output, double *value)
{
    const ss_outputs *all = &sim->model->outputs;
    SS_TRY(ss_sim_check_index(sim, "output", output, all->columns));
    const ss_output *o = &all->part[all->part_of[output]];
    double own[SS_OUTPUT_COLUMNS];
    if (o->of_step) {
        *value = sim->last->output[output];
        return SS_OK;
    }
    const ss_arena_mark mark = ss_arena_save(sim->arena);
    const ss_status status = read_one(sim, o, own);
    ss_arena_release(sim->arena, mark);
    *value = status == SS_OK ? own[output - o->first] : NAN;
    return status;
}
