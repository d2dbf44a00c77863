/* inputs.c - inputs of a simulation as changes of its own copy of the model.
 *
 * Steps see a model that is constant; between steps this copy of it changes:
 *
 *   wrench   one more force of type "constant" for each body that has been pushed, before the forces of elements
 *   motor    the expression of its speed, force or position is replaced by a constant one
 *   force    the numbers of a force of type "constant"
 *   pair     friction and restitution of a pair of materials, in both places of the table
 *   motion   the expressions of a driven body's position and angle are replaced by straight lines, x + v (t - t0)
 *   callback the functions of a force of type "callback"
 *
 * So every scheme, the derivatives of forces, step control and the ledger treat inputs as they treat the same thing in a scene.
 *
 * Cost   to set one: constant, but for the first wrench of a body, which moves the forces of elements up by one */
#include "sim/inputs.h"
#include <math.h>

extern const ss_force_type ss_force_constant, ss_force_callback;

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
        const ss_motor *motor = &x->given->joint[j].motor;
        if (motor->speed || motor->force || motor->position) {
            SS_TRY(ss_expr_compile(x->ctx, "0", &x->motor[j]));
        }
    }
    return SS_OK;
}

/* no body has a motion that an input could change: these lists stay those of the model that was given */
static bool has_motions(const ss_model *m) { return !m->still; }

static ss_status make_lines(ss_inputs *x)
{
    if (!has_motions(x->given)) {
        return SS_OK;
    }
    SS_TRY(ss_calloc(x->ctx, (size_t)x->given->bodies, sizeof *x->line, &x->line));
    for (int k = 0; k < 4 * x->given->bodies; k++) {
        if (x->given->body_type[k / 4] == SS_BODY_DRIVEN) {
            SS_TRY(ss_expr_line(x->ctx, &x->line[k / 4][k % 4]));
        }
    }
    return SS_OK;
}

static ss_status make_slots(ss_inputs *x)
{
    const ss_model *m = x->given;
    const int count[SS_INPUT_KINDS] = { m->bodies, m->joints, m->forces, m->materials * m->materials, m->bodies, m->forces };
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

static ss_status copy_motions(ss_inputs *x)
{
    const ss_model *m = x->given;
    ss_model *own = &x->model;
    if (!has_motions(m)) {
        return SS_OK;
    }
    SS_TRY(copy_list(x->ctx, m->body_motion, m->bodies, sizeof *m->body_motion, &own->body_motion));
    return copy_list(x->ctx, m->body_motion_angle, m->bodies, sizeof *m->body_motion_angle, &own->body_motion_angle);
}

static ss_status build(ss_inputs *x)
{
    const ss_model *m = x->given;
    ss_model *own = &x->model;
    *own = *m;
    own->joint = NULL;
    own->force = NULL;
    own->pair = NULL;
    own->body_motion = has_motions(m) ? NULL : m->body_motion;
    own->body_motion_angle = has_motions(m) ? NULL : m->body_motion_angle;
    SS_TRY(copy_list(x->ctx, m->joint, m->joints, sizeof *m->joint, &own->joint));
    SS_TRY(copy_list(x->ctx, m->force, m->forces, sizeof *m->force, &own->force));
    SS_TRY(copy_list(x->ctx, m->pair, m->materials * m->materials, sizeof *m->pair, &own->pair));
    SS_TRY(copy_motions(x));
    SS_TRY(ss_calloc(x->ctx, (size_t)(m->forces - m->elements), sizeof *x->functions, &x->functions));
    x->force_cap = m->forces;
    SS_TRY(make_motors(x));
    SS_TRY(make_lines(x));
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
        for (int k = 0; x->line && k < 4 * x->given->bodies; k++) {
            ss_expr_destroy(x->ctx, x->line[k / 4][k % 4]);
        }
        void *owned[] = { x->motor,
                          x->line,
                          x->functions,
                          x->slot,
                          x->push,
                          x->list,
                          x->model.joint,
                          x->model.force,
                          x->model.pair,
                          has_motions(x->given) ? x->model.body_motion : NULL,
                          has_motions(x->given) ? x->model.body_motion_angle : NULL,
                          x };
        for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) {
            ss_free(x->ctx, owned[k]);
        }
    }
}

/* ---- one input -------------------------------------------------------------------------------------- */

int *ss_inputs_slot(const ss_inputs *x, int kind, int index) { return &x->slot[x->first[kind] + index]; }

static bool is_load(const ss_force *force, const double *value)
{
    const ss_vec3 f = force->force, t = force->torque;
    return f.x == value[0] && f.y == value[1] && f.z == value[2] && t.x == value[3] && t.y == value[4] && t.z == value[5];
}

static bool is_motor(const ss_joint *joint, double value)
{
    const ss_motor *motor = &joint->motor;
    const ss_expr *expr = motor->position ? motor->position : motor->speed ? motor->speed : motor->force;
    return ss_expr_is_constant(expr) && ss_expr_eval(expr, 0) == value;
}

/* Does it move like this already, by a motion that was set before? */
static bool is_motion(const ss_inputs *x, const ss_input *in)
{
    const int *slot = ss_inputs_slot(x, SS_INPUT_MOTION, in->index);
    bool same = *slot >= 0;
    for (int k = 0; same && k < 4; k++) {
        same = x->list[*slot].value[SS_MOTION_RATE + k] == in->value[SS_MOTION_RATE + k] &&
               ss_expr_eval(x->line[in->index][k], in->value[SS_MOTION_SINCE]) == in->value[SS_MOTION_PLACE + k];
    }
    return same;
}

static bool has_law(const ss_pair_law *law, const double *value)
{
    return law->mu[0] == value[SS_PAIR_MU] && law->e == value[SS_PAIR_RESTITUTION] && law->arm[0] == value[SS_PAIR_ROLLING] &&
           law->arm[1] == value[SS_PAIR_SPINNING];
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
    case SS_INPUT_MOTION:
        return is_motion(x, in);
    case SS_INPUT_CALLBACK:
        return (m->force[in->index].functions != NULL) == (in->value[0] != 0);
    default: /* SS_INPUT_PAIR */
        return has_law(&m->pair[in->index], in->value);
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

static void set_load(ss_force *force, const double *value)
{
    force->force = ss_v3_from(value);
    force->torque = ss_v3_from(value + 3);
}

static void set_motor(ss_inputs *x, int j, double value)
{
    ss_joint *joint = &x->model.joint[j];
    ss_expr_set_number(x->motor[j], value);
    joint->motor.speed = joint->motor.speed ? x->motor[j] : NULL;
    joint->motor.force = joint->motor.force ? x->motor[j] : NULL;
    joint->motor.position = joint->motor.position ? x->motor[j] : NULL;
}

void ss_inputs_set_law(ss_inputs *x, int index, const double *value)
{
    ss_model *m = &x->model;
    const int a = index / m->materials, b = index % m->materials;
    ss_pair_law *law = &m->pair[index];
    law->mu[0] = law->mu[1] = value[SS_PAIR_MU];
    law->e = value[SS_PAIR_RESTITUTION];
    law->arm[0] = value[SS_PAIR_ROLLING];
    law->arm[1] = value[SS_PAIR_SPINNING];
    m->pair[b * m->materials + a] = *law;
}

static void set_motion(ss_inputs *x, int body, const double *value)
{
    ss_expr **line = x->line[body];
    for (int k = 0; k < 4; k++) {
        ss_expr_set_line(line[k], value[SS_MOTION_PLACE + k], value[SS_MOTION_RATE + k], value[SS_MOTION_SINCE]);
    }
    memcpy(x->model.body_motion[body], line, 3 * sizeof *line);
    x->model.body_motion_angle[body] = line[3];
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
    case SS_INPUT_MOTION:
        set_motion(x, in->index, in->value);
        break;
    case SS_INPUT_CALLBACK:
        x->model.force[in->index].functions = in->value[0] != 0 ? &x->functions[in->index] : NULL;
        break;
    default: /* SS_INPUT_PAIR */
        ss_inputs_set_law(x, in->index, in->value);
    }
}

ss_status ss_inputs_put(ss_inputs *x, const ss_input *in)
{
    int *slot = ss_inputs_slot(x, in->kind, in->index);
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
        *ss_inputs_slot(x, x->list[k].kind, x->list[k].index) = -1;
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
    if (has_motions(m)) {
        memcpy(own->body_motion, m->body_motion, (size_t)m->bodies * sizeof *m->body_motion);
        memcpy(own->body_motion_angle, m->body_motion_angle, (size_t)m->bodies * sizeof(ss_expr *));
    } else {
        own->body_motion = m->body_motion;
        own->body_motion_angle = m->body_motion_angle;
    }
}

ss_status ss_inputs_switch(ss_inputs *x, ss_arena *arena, const ss_model *given)
{
    const int n = x->n;
    ss_input *set;
    SS_TRY(ss_arena_take(arena, (size_t)n, sizeof *set, &set));
    if (n > 0) {
        memcpy(set, x->list, (size_t)n * sizeof *set);
    }
    x->given = given;
    x->model.gravity = given->gravity;
    x->model.stiffness = given->stiffness;
    x->model.fingerprint = given->fingerprint;
    ss_inputs_clear(x);
    for (int k = 0; k < n; k++) {
        SS_TRY(ss_inputs_put(x, &set[k])); /* there is room for them */
    }
    return SS_OK;
}

static bool are_finite(const double *x)
{
    bool all = true;
    for (int k = 0; k < SS_INPUT_NUMBERS; k++) {
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
        return i < m->materials * m->materials && in->value[SS_PAIR_MU] >= 0 && in->value[SS_PAIR_RESTITUTION] >= 0 &&
               in->value[SS_PAIR_RESTITUTION] <= 1 && in->value[SS_PAIR_ROLLING] >= 0 && in->value[SS_PAIR_SPINNING] >= 0;
    case SS_INPUT_MOTION:
        return i < m->bodies && m->body_type[i] == SS_BODY_DRIVEN;
    case SS_INPUT_CALLBACK:
        return i < m->forces - m->elements && m->force[i].type == &ss_force_callback;
    default:
        return false;
    }
}

bool ss_inputs_lacks_callback(const ss_inputs *x, const ss_input *in)
{
    return in->kind == SS_INPUT_CALLBACK && in->value[0] != 0 && !x->functions[in->index].wrench;
}
