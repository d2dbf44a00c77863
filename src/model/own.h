/* own.h - joints, forces and shapes that a program adds to a context (slipstick/extend.h): what they share, and their checks. */
#ifndef SS_OWN_H
#define SS_OWN_H

#include "model/compile.h"
#include <slipstick/extend.h>

/* Room for the keys that all parts of a kind have, those of a type of its own, and the end. */
enum { SS_OWN_FIELDS = 32 };
/* The keys of a type: `common`, then those of info->fields, number i of which is kept at `offset` + i doubles in the description.
 * Refuses more than SS_OWN_NUMBERS of them, other kinds than numbers, and names that are taken. */
ss_status ss_own_fields(ss_context *ctx, const char *what, const ss_entry *info, const ss_field *common, size_t offset,
                        ss_field out[SS_OWN_FIELDS]);
/* Numbers of a description, kept at `offset` in it, that are NAN become the defaults of their keys, if its type was added. */
void ss_own_defaults(const ss_context *ctx, ss_registry registry, const char *type, size_t offset, double number[SS_OWN_NUMBERS]);
/* Add what begins with `info` and was taken from the context, which frees it from now on, or at once where it is refused. */
ss_status ss_own_add(ss_context *ctx, ss_registry registry, ss_entry *info);

/* n numbers that its functions have led to; does nothing for a joint of the library. What the functions said by
 * ss_context_fail is repeated: clear it before they are called. */
ss_status ss_own_joint_check(ss_context *ctx, const ss_model *m, const ss_joint *joint, double t, int n, const double *x);
/* How far functions may be off the differences that they are compared with, of the largest: these are right to 1e-9 and better,
 * a wrong sign or factor is off by 1. */
#define SS_OWN_MISFIT 1e-5
/* Do the derivatives that the functions of a type give fit its values? By differences near the start. */
ss_status ss_own_joint_verify(ss_compiler *x, int joint, const char *path);
ss_status ss_own_force_verify(ss_compiler *x, int force, const char *path);

/* Shapes of the library in place of one of a type that was added; SS_OK with *taken false: it is none. */
ss_status ss_own_shape_put(ss_scene *scene, int body, const ss_shape_desc *desc, bool *taken);

#endif
