/* inputs.c - inputs of a simulation as changes of its own copy of the model.
 *
 * Steps see a model that is constant; between steps this copy of it changes:
 *
 *   wrench   one more force of type "constant" for each body that has been pushed, before the forces of elements
 *   motor    the expression of its speed or force is replaced by a constant one
 *   force    the numbers of a force of type "constant"
 *   pair     friction and restitution of a pair of materials, in both places of the table
 *
 * So every scheme, the derivatives of forces, step control and the ledger treat inputs as they treat the same thing in a scene.
 *
 * Cost   to set one: constant, but for the first wrench of a body, which moves the forces of elements up by one */
#include "sim/inputs.h"
#include <math.h>

extern const ss_force_type ss_force_constant;

enum { MU, RESTITUTION };

/* ---- life ------------------------------------------------------------------------------------------- */

static ss_status copy_list(ss_context *ctx, const void *from, int count, size_t size, void *out /* a T** */)
{
    SS_TRY(ss_calloc(ctx, (size_t)count, size, out));
    if (count > 0) {
        memcpy(*(void **)out, from, (size_t)count * size);
    }
    return SS_OK;
}

static ss_status make_motors(ss_inputs *x)
{
    SS_TRY(ss_calloc(x->ctx, (size_t)x->given->joints, sizeof *x->motor, &x->motor));
    for (int j = 0; j < x->given->joints; j++) {
        if (x->given->joint[j].speed || x->given->joint[j].force) {
            SS_TRY(ss_expr_compile(x->ctx, "0", &x->motor[j]));
        }
    }
    return SS_OK;
}

static ss_status make_slots(ss_inputs *x)
{
    const ss_model *m = x->given;
    const int count[SS_INPUT_KINDS] = { m->bodies, m->joints, m->forces, m->materials * m->materials };
    int slots = 0;
    for (int k = 0; k < SS_INPUT_KINDS; k++) {
        x->first[k] = slots;
        slots += count[k];
    }
    SS_TRY(ss_calloc(x->ctx, (size_t)slots, sizeof *x->slot, &x->slot));
    SS_TRY(ss_calloc(x->ctx, (size_t)m->bodies, sizeof *x->push, &x->push));
    memset(x->slot, -1, (size_t)slots * sizeof *x->slot);
    memset(x->push, -1, (size_t)m->bodies * sizeof *x->push);
    return SS_OK;
}

static ss_status build(ss_inputs *x)
{
    const ss_model *m = x->given;
    ss_model *own = &x->model;
    *own = *m;
    own->joint = NULL;
    own->force = NULL;
    own->pair = NULL;
    SS_TRY(copy_list(x->ctx, m->joint, m->joints, sizeof *m->joint, &own->joint));
    SS_TRY(copy_list(x->ctx, m->force, m->forces, sizeof *m->force, &own->force));
    SS_TRY(copy_list(x->ctx, m->pair, m->materials * m->materials, sizeof *m->pair, &own->pair));
    x->force_cap = m->forces;
    SS_TRY(make_motors(x));
    return make_slots(x);
}

ss_status ss_inputs_create(ss_context *ctx, const ss_model *given, ss_inputs **out)
{
    SS_TRY(ss_calloc(ctx, 1, sizeof **out, out));
    (*out)->ctx = ctx;
    (*out)->given = given;
    return build(*out);
}

void ss_inputs_destroy(ss_inputs *x)
{
    if (x) {
        for (int j = 0; x->motor && j < x->given->joints; j++) {
            ss_expr_destroy(x->ctx, x->motor[j]);
        }
        void *owned[] = { x->motor, x->slot, x->push, x->list, x->model.joint, x->model.force, x->model.pair, x };
        for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) {
            ss_free(x->ctx, owned[k]);
        }
    }
}

/* ---- one input -------------------------------------------------------------------------------------- */

static int *slot_of(const ss_inputs *x, int kind, int index) { return &x->slot[x->first[kind] + index]; }

static bool is_load(const ss_force *force, const double value[6])
{
    const ss_vec3 f = force->force, t = force->torque;
    return f.x == value[0] && f.y == value[1] && f.z == value[2] && t.x == value[3] && t.y == value[4] && t.z == value[5];
}

static bool is_motor(const ss_joint *joint, double value)
{
    const ss_expr *expr = joint->speed ? joint->speed : joint->force;
    return ss_expr_is_constant(expr) && ss_expr_eval(expr, 0) == value;
}

bool ss_inputs_has(const ss_inputs *x, const ss_input *in)
{
    const ss_force none = { .type = &ss_force_constant };
    const ss_model *m = &x->model;
    switch ((ss_input_kind)in->kind) {
    case SS_INPUT_WRENCH:
        return is_load(x->push[in->index] >= 0 ? &m->force[x->push[in->index]] : &none, in->value);
    case SS_INPUT_MOTOR:
        return is_motor(&m->joint[in->index], in->value[0]);
    case SS_INPUT_FORCE:
        return is_load(&m->force[in->index], in->value);
    default: /* SS_INPUT_PAIR */
        return m->pair[in->index].mu[0] == in->value[MU] && m->pair[in->index].e == in->value[RESTITUTION];
    }
}

/* a force for the wrench of a body */
static ss_status make_push(ss_inputs *x, int body)
{
    ss_model *m = &x->model;
    const int place = m->forces - m->elements;
    SS_TRY(ss_reserve(x->ctx, &m->force, &x->force_cap, m->forces + 1, sizeof *m->force));
    memmove(m->force + place + 1, m->force + place, (size_t)m->elements * sizeof *m->force);
    m->force[place] = (ss_force){ .type = &ss_force_constant, .at = { { .body = body }, { .body = m->bodies } } };
    m->forces++;
    x->push[body] = place;
    return SS_OK;
}

static void set_load(ss_force *force, const double value[6])
{
    force->force = ss_v3_from(value);
    force->torque = ss_v3_from(value + 3);
}

static void set_motor(ss_inputs *x, int j, double value)
{
    ss_joint *joint = &x->model.joint[j];
    ss_expr_set_number(x->motor[j], value);
    joint->speed = joint->speed ? x->motor[j] : NULL;
    joint->force = joint->force ? x->motor[j] : NULL;
}

void ss_inputs_set_law(ss_inputs *x, int index, double mu, double e)
{
    ss_model *m = &x->model;
    const int a = index / m->materials, b = index % m->materials;
    ss_pair_law *law = &m->pair[index];
    law->mu[0] = law->mu[1] = mu;
    law->e = e;
    m->pair[b * m->materials + a] = *law;
}

static void apply(ss_inputs *x, const ss_input *in)
{
    switch ((ss_input_kind)in->kind) {
    case SS_INPUT_WRENCH:
        set_load(&x->model.force[x->push[in->index]], in->value);
        break;
    case SS_INPUT_MOTOR:
        set_motor(x, in->index, in->value[0]);
        break;
    case SS_INPUT_FORCE:
        set_load(&x->model.force[in->index], in->value);
        break;
    default: /* SS_INPUT_PAIR */
        ss_inputs_set_law(x, in->index, in->value[MU], in->value[RESTITUTION]);
    }
}

ss_status ss_inputs_put(ss_inputs *x, const ss_input *in)
{
    int *slot = slot_of(x, in->kind, in->index);
    if (*slot < 0) {
        SS_TRY(ss_reserve(x->ctx, &x->list, &x->cap, x->n + 1, sizeof *x->list));
        SS_TRY(in->kind == SS_INPUT_WRENCH ? make_push(x, in->index) : SS_OK);
        *slot = x->n++;
    }
    x->list[*slot] = *in;
    apply(x, in);
    return SS_OK;
}

/* ---- all inputs ------------------------------------------------------------------------------------- */

void ss_inputs_clear(ss_inputs *x)
{
    const ss_model *m = x->given;
    ss_model *own = &x->model;
    for (int k = 0; k < x->n; k++) {
        *slot_of(x, x->list[k].kind, x->list[k].index) = -1;
        if (x->list[k].kind == SS_INPUT_WRENCH) {
            x->push[x->list[k].index] = -1;
        }
    }
    x->n = 0;
    own->forces = m->forces;
    if (m->joints > 0) {
        memcpy(own->joint, m->joint, (size_t)m->joints * sizeof *m->joint);
    }
    if (m->forces > 0) {
        memcpy(own->force, m->force, (size_t)m->forces * sizeof *m->force);
    }
    memcpy(own->pair, m->pair, (size_t)(m->materials * m->materials) * sizeof *m->pair);
}

static bool are_finite(const double x[6])
{
    bool all = true;
    for (int k = 0; k < 6; k++) {
        all = all && isfinite(x[k]);
    }
    return all;
}

bool ss_inputs_is_valid(const ss_inputs *x, const ss_input *in)
{
    const ss_model *m = x->given;
    const int i = in->index;
    if (i < 0 || !are_finite(in->value)) {
        return false;
    }
    switch (in->kind) {
    case SS_INPUT_WRENCH:
        return i < m->bodies && ss_model_is_dynamic(m, i) && m->body_type[i] != SS_BODY_BLOCK;
    case SS_INPUT_MOTOR:
        return i < m->joints && x->motor[i];
    case SS_INPUT_FORCE:
        return i < m->forces - m->elements && m->force[i].type == &ss_force_constant;
    case SS_INPUT_PAIR:
        return i < m->materials * m->materials && in->value[MU] >= 0 && in->value[RESTITUTION] >= 0 &&
               in->value[RESTITUTION] <= 1;
    default:
        return false;
    }
}
