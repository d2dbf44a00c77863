/* options.h - option structs described by field tables: defaults, and setting a field by name. */
#ifndef SS_OPTIONS_H
#define SS_OPTIONS_H

#include "base/base.h"
#include <slipstick/registry.h>

/* One-line entries of a table of options; `struct_` is the struct. */
#define SS_OPTION_NUMBER(struct_, field, def_, min_, max_, text)                                                                 \
    {                                                                                                                            \
        .name = #field, .type = SS_FIELD_NUMBER, .offset = offsetof(struct_, field), .def = (def_), .min = (min_),               \
        .max = (max_), .doc = (text)                                                                                             \
    }
#define SS_OPTION_INT(struct_, field, def_, min_, max_, text)                                                                    \
    {                                                                                                                            \
        .name = #field, .type = SS_FIELD_INT, .offset = offsetof(struct_, field), .def = (def_), .min = (min_), .max = (max_),   \
        .doc = (text)                                                                                                            \
    }
#define SS_OPTION_BOOL(struct_, field, def_, text)                                                                               \
    {                                                                                                                            \
        .name = #field, .type = SS_FIELD_BOOL, .offset = offsetof(struct_, field), .def = (def_), .min = 0, .max = 1,            \
        .doc = (text)                                                                                                            \
    }
#define SS_OPTION_CHOICE(struct_, field, def_, choices_, text)                                                                   \
    {                                                                                                                            \
        .name = #field, .type = SS_FIELD_CHOICE, .offset = offsetof(struct_, field), .def = (def_), .choices = (choices_),       \
        .doc = (text)                                                                                                            \
    }

/* Write the default of every NUMBER, INT, BOOL and CHOICE field. */
void ss_fields_default(const ss_field *fields, void *object);
/* Set one field by name; refuses unknown names (names the nearest), wrong types, values out of range (min = max = 0: no range).
 * `what` opens the message: "scheme anitescu_potra". Booleans: "true" / "false" or 0 / 1. */
ss_status ss_fields_set(ss_context *ctx, const ss_field *fields, void *object, const char *what, const ss_setting *setting);
/* A hash of every field of the table. */
uint64_t ss_fields_hash(uint64_t seed, const ss_field *fields, const void *object);
/* Index of `word` in "a|b|c", -1 if absent. */
int ss_choice_index(const char *choices, const char *word);
/* Text of choice `index` into a buffer. */
void ss_choice_text(const char *choices, int index, char *text, size_t size);
/* Does an entry answer to this name (or alias)? */
bool ss_entry_answers(const ss_entry *entry, const char *name);

#endif
