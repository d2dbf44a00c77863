/* inputs.h - what the user sets between steps, and the model as the steps see it. */
#ifndef SS_INPUTS_H
#define SS_INPUTS_H

#include "model/model.h"

/* What can be set; how many numbers each has: force and torque, a value, force and torque, mu and e. */
typedef enum ss_input_kind { SS_INPUT_WRENCH, SS_INPUT_MOTOR, SS_INPUT_FORCE, SS_INPUT_PAIR, SS_INPUT_KINDS } ss_input_kind;

/* One input that has been set. Checkpoints hold these as they are. */
typedef struct ss_input {
    int32_t kind, index; /* index: of the body, joint or force; of a pair: in ss_model.pair */
    double value[6];
} ss_input;

typedef struct ss_inputs {
    ss_context *ctx;
    const ss_model *given; /* as it was compiled                                                          */
    ss_model model;        /* a copy that shares all lists with it but those that inputs change: joint, force, pair */
    int force_cap;
    ss_expr **motor;           /* joints: the constant that replaces speed or force; NULL: it has no motor */
    int *push;                 /* bodies: the force that is its wrench; -1: none has been set           */
    int *slot;                 /* its place in `list`, for each input there may be; -1: it has not been set  */
    int first[SS_INPUT_KINDS]; /* where in `slot` each kind begins                                       */
    ss_input *list;            /* in the order in which they were set first                              */
    int n, cap;
} ss_inputs;

ss_status ss_inputs_create(ss_context *ctx, const ss_model *given, ss_inputs **out);
void ss_inputs_destroy(ss_inputs *x); /* NULL is fine */
/* Does the model have this value already, be it from the scene or from an input? */
bool ss_inputs_has(const ss_inputs *x, const ss_input *input);
/* Set it. Takes memory the first time an input is set, and no more after that. */
ss_status ss_inputs_put(ss_inputs *x, const ss_input *input);
/* Friction and restitution of a pair in the model alone, without an input: to try a law, and to undo that. */
void ss_inputs_set_law(ss_inputs *x, int index, double mu, double e);
/* None is set: the model is the given one again. */
void ss_inputs_clear(ss_inputs *x);
/* Could this be an input of the model? For what comes from a file. */
bool ss_inputs_is_valid(const ss_inputs *x, const ss_input *input);

#endif
