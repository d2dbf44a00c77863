/* json.h - scenes as JSON: a reader that knows its place in the file, and fields read, written and
 * described from their tables. Used inside src/io and src/study only. */
#ifndef SS_JSON_H
#define SS_JSON_H

#include "base/base.h"
#include "model/scene.h"
#include <jansson.h>

typedef struct ss_parameters ss_parameters;

/* Where the reader is: "FILE: bodies.ball.mass" opens every message. */
typedef struct ss_reader {
    ss_context *ctx;
    const char *label;         /* the file                                               */
    ss_arena *arena;           /* strings and tables, until the scene has its own copies */
    ss_scene *scene;           /* what was read so far; NULL until it exists             */
    ss_parameters *parameters; /* NULL: the scene has none                       */
    int dimension;             /* 0 until known                                          */
    char path[512];
    size_t length; /* of path                                                */
} ss_reader;

/* ---- place and messages (json_path.c) ------------------------------------------------------- */

size_t ss_path_key(ss_reader *r, const char *key); /* both return the length to go back to */
size_t ss_path_index(ss_reader *r, size_t index);
size_t ss_path_item(ss_reader *r, const json_t *item, size_t index); /* by its "name", else [index] */
void ss_path_back(ss_reader *r, size_t length);
/* "FILE: path: text" as SS_ERR_INPUT. */
ss_status ss_reader_fail(ss_reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* "expected ..., got VALUE" */
ss_status ss_reader_expected(ss_reader *r, const char *expected, const json_t *got);
/* `unknown WHAT "word"; did you mean "..."?`, or the list of valid names. */
ss_status ss_reader_unknown(ss_reader *r, const char *what, const char *word, const char *const *names);
/* Every key of the object is in the list (ended by NULL). */
ss_status ss_reader_keys(ss_reader *r, const json_t *object, const char *const *names);
/* Names of a registry and their aliases, from the reader's arena, ended by NULL. */
ss_status ss_reader_names(ss_reader *r, ss_registry registry, const char *const **names);

/* ---- fields (field_read.c, field_write.c) ---------------------------------------------------- */

enum { SS_MAX_FIELDS = 48 };

/* Does the field exist in this dimension? */
bool ss_field_applies(const ss_field *field, int dimension);
/* "a number > 0", "a list of 2 numbers", ... */
void ss_field_expected(const ss_field *field, int dimension, char *text, size_t size);
/* Read every field that is present into `out`; refuse missing required ones and keys that are neither
 * fields nor in `extra` (ended by NULL; may be NULL). */
ss_status ss_fields_read(ss_reader *r, const json_t *object, const ss_field *fields, const char *const *extra, void *out);
ss_status ss_field_read(ss_reader *r, const ss_field *field, const json_t *value, void *out); /* out: the object */
/* A number or a constant expression; `expected` is for the message. */
ss_status ss_number_read(ss_reader *r, const char *expected, const json_t *value, double *out);
/* `count` of them in a list. */
ss_status ss_numbers_read(ss_reader *r, const char *expected, const json_t *value, size_t count, double *out);
/* Lists of any length (list_read.c), from the reader's arena. */
ss_status ss_points_read(ss_reader *r, const char *expected, const json_t *value, ss_points *out);
ss_status ss_heights_read(ss_reader *r, const char *expected, const json_t *value, ss_heights *out);
/* Set every field that has a value; SS_ERR_MEMORY if it cannot be built. */
ss_status ss_fields_write(ss_context *ctx, json_t *object, const ss_field *fields, int dimension, const void *from);

/* ---- parameters (parameters.c) ---------------------------------------------------------------- */

/* Read the section "parameters", if there is one. */
ss_status ss_parameters_read(ss_reader *r, json_t *root);
/* The text with the values of parameters in place of their names, from the reader's arena; itself where the scene has none. */
ss_status ss_parameters_expand(ss_reader *r, const char *text, const char **out);

/* ---- sections (scene_fields.c) ---------------------------------------------------------------- */

/* what a scene that names none gets */
#define SS_DEFAULT_SCHEME "anitescu_potra"
#define SS_DEFAULT_SOLVER "auto"

extern const ss_field ss_settings_fields[];       /* top level, into ss_scene_settings      */
extern const ss_field ss_time_fields[];           /* "time"                                 */
extern const ss_field ss_contacts_fields[];       /* "contacts"                             */
extern const ss_field ss_solver_section_fields[]; /* "solver", besides the solver's own     */
extern const char *const ss_section_keys[];       /* the other keys at the top, ended by NULL */

/* The whole file in memory (scene_read.c); *text is the caller's to free, also after an error. */
ss_status ss_file_text(ss_context *ctx, const char *path, char **text, size_t *length);
/* Fill in what the file solid->mesh says, a path beside the scene (mesh_read.c). */
ss_status ss_mesh_read(ss_reader *r, ss_solid_desc *solid);
/* Apply "path=value" to the tree (scene_set.c). */
ss_status ss_scene_apply_set(ss_reader *r, json_t *root, const char *assignment);

/* JSON text owned by the context; takes over the reference to `value`, which may be NULL (out of memory). */
ss_status ss_json_text(ss_context *ctx, json_t *value, size_t flags, char **text);

#endif
