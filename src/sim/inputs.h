/* inputs.h - what the user sets between steps, and the model as the steps see it. */
#ifndef SS_INPUTS_H
#define SS_INPUTS_H

#include "model/model.h"
#include <slipstick/drive.h>

/* What can be set, and its numbers. */
typedef enum ss_input_kind {
    SS_INPUT_WRENCH,   /* force and torque                                      */
    SS_INPUT_MOTOR,    /* a speed or a force                                    */
    SS_INPUT_FORCE,    /* force and torque                                      */
    SS_INPUT_PAIR,     /* mu, e, rolling and spinning friction                  */
    SS_INPUT_MOTION,   /* of a driven body: place, velocity, since when (below) */
    SS_INPUT_CALLBACK, /* of a force: 1 if it has one, else 0                   */
    SS_INPUT_KINDS
} ss_input_kind;
/* Numbers of a pair. */
enum { SS_PAIR_MU, SS_PAIR_RESTITUTION, SS_PAIR_ROLLING, SS_PAIR_SPINNING, SS_PAIR_NUMBERS };
/* Numbers of a motion: position and angle, velocity and rate, time. */
enum { SS_MOTION_PLACE = 0, SS_MOTION_RATE = 4, SS_MOTION_SINCE = 8, SS_INPUT_NUMBERS = 9 };

/* One input that has been set. Checkpoints hold these as they are. */
typedef struct ss_input {
    int32_t kind, index; /* index: of the body, joint or force; of a pair: in ss_model.pair */
    double value[SS_INPUT_NUMBERS];
} ss_input;

typedef struct ss_inputs {
    ss_context *ctx;
    const ss_model *given; /* as it was compiled                                                          */
    ss_model model;        /* a copy that shares all lists with it but those that inputs change: joint, force, pair, motions */
    int force_cap;
    ss_expr **motor;               /* joints: the constant that replaces speed or force; NULL: it has no motor */
    ss_expr *(*line)[4];           /* bodies: position and angle as straight lines; NULL: it is not driven; NULL: none is */
    ss_force_functions *functions; /* forces of the scene: as set last; wrench NULL: none has been       */
    int *push;                     /* bodies: the force that is its wrench; -1: none has been set           */
    int *slot;                     /* its place in `list`, for each input there may be; -1: it has not been set  */
    int first[SS_INPUT_KINDS];     /* where in `slot` each kind begins                                       */
    ss_input *list;                /* in the order in which they were set first                              */
    int n, cap;
} ss_inputs;

ss_status ss_inputs_create(ss_context *ctx, const ss_model *given, ss_inputs **out);
void ss_inputs_destroy(ss_inputs *x); /* NULL is fine */
/* Where an input stands in `list`; -1: it has not been set. */
int *ss_inputs_slot(const ss_inputs *x, int kind, int index);
/* Does the model have this value already, be it from the scene or from an input? */
bool ss_inputs_has(const ss_inputs *x, const ss_input *input);
/* Set it. Takes memory the first time an input is set, and no more after that. */
ss_status ss_inputs_put(ss_inputs *x, const ss_input *input);
/* The law of a pair in the model alone, without an input: to try a law, and to undo that. value: the numbers of SS_INPUT_PAIR. */
void ss_inputs_set_law(ss_inputs *x, int index, const double *value);
/* Another model of the same structure is the given one from now on: its gravity, forces, motors, limits, motions and laws, with
 * the inputs that are set on top. Takes memory from the arena. */
ss_status ss_inputs_switch(ss_inputs *x, ss_arena *arena, const ss_model *given);
/* None is set: the model is the given one again. */
void ss_inputs_clear(ss_inputs *x);
/* Could this be an input of the model? For what comes from a file. */
bool ss_inputs_is_valid(const ss_inputs *x, const ss_input *input);
/* Is it that of a force whose callback has never been set? */
bool ss_inputs_lacks_callback(const ss_inputs *x, const ss_input *input);

#endif
