/* json.h - scenes as JSON: a reader that knows its place in the file, and fields read, written and
 * described from their tables. Used inside src/io and src/study only. */
#ifndef SS_JSON_H
#define SS_JSON_H

#include "base/base.h"
#include "io/names.h"
#include "model/scene.h"
#include <jansson.h>

typedef struct ss_parameters ss_parameters;
typedef struct ss_scope ss_scope;
typedef struct ss_include ss_include;

/* Where the reader is: "FILE: bodies.ball.mass" opens every message. */
typedef struct ss_reader {
    ss_context *ctx;
    const char *label;         /* the file that is being read                            */
    const char *scene_label;   /* the scene's own; the two differ in an included file    */
    ss_arena *arena;           /* strings and tables, until the scene has its own copies */
    ss_scene *scene;           /* what was read so far; NULL until it exists             */
    ss_parameters *parameters; /* those of the innermost group or copy; NULL: none       */
    const ss_scope *scope;     /* of the innermost group; NULL: not among the parts      */
    ss_include *includes;      /* files that were included; NULL: none                   */
    ss_name_table bodies;      /* names of those that were read                          */
    ss_name_table joints;      /* names of all, before the first is read                 */
    int dimension;             /* 0 until known                                          */
    int depth, copies;         /* groups around this place; copies in this kind of list  */
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
/* The entry that a text names; an unknown one is an error that names the nearest `what`. */
ss_status ss_reader_entry(ss_reader *r, ss_registry registry, const char *what, const json_t *value, const ss_entry **entry);
/* An error of the scene itself already has its path: the file is put before it. */
ss_status ss_reader_within(ss_reader *r, ss_status status);
/* The last error with the place before it. */
ss_status ss_reader_because(ss_reader *r);
/* The folder of the file that is being read before a relative path. */
ss_status ss_reader_beside(ss_reader *r, const char *path, const char **out);

/* ---- fields (field_read.c, field_expected.c, field_write.c) ---------------------------------- */

enum { SS_MAX_FIELDS = 48 };

/* Does the field exist in this dimension? */
bool ss_field_applies(const ss_field *field, int dimension);
bool ss_field_has_range(const ss_field *field);
/* Length 1, unless it already is to round-off: what was written reads back with the same bits. False: it cannot be. */
bool ss_normalise(double *x, int n);
/* "a number > 0", "a list of 2 numbers", ... */
void ss_field_expected(const ss_field *field, int dimension, char *text, size_t size);
/* Read every field that is present into `out`; refuse missing required ones and keys that are neither
 * fields nor in `extra` (ended by NULL; may be NULL). */
ss_status ss_fields_read(ss_reader *r, const json_t *object, const ss_field *fields, const char *const *extra, void *out);
ss_status ss_field_read(ss_reader *r, const ss_field *field, const json_t *value, void *out); /* out: the object */
/* Lists of any length (list_read.c), from the reader's arena. */
ss_status ss_points_read(ss_reader *r, const char *expected, const json_t *value, ss_points *out);
ss_status ss_heights_read(ss_reader *r, const char *expected, const json_t *value, ss_heights *out);
/* Set every field that has a value; SS_ERR_MEMORY if it cannot be built. */
ss_status ss_fields_write(ss_context *ctx, json_t *object, const ss_field *fields, int dimension, const void *from);

/* ---- numbers (number_read.c) ------------------------------------------------------------------- */

/* A number or a constant expression; `expected` is for the message. */
ss_status ss_number_read(ss_reader *r, const char *expected, const json_t *value, double *out);
/* `count` of them in a list. */
ss_status ss_numbers_read(ss_reader *r, const char *expected, const json_t *value, size_t count, double *out);
/* The value of a constant expression. */
ss_status ss_expression_value(ss_reader *r, const char *expected, const char *text, double *out);
/* The text of an expression in t; `count` of them in a list. */
ss_status ss_expression_read(ss_reader *r, const char *expected, const json_t *value, const char **out);
ss_status ss_expressions_read(ss_reader *r, const char *expected, const json_t *value, size_t count, const char **out);

/* ---- parameters (parameters.c) ---------------------------------------------------------------- */

/* Read the section "parameters" of the scene or of a group, if there is one: a list inside the present one. */
ss_status ss_parameters_read(ss_reader *r, const json_t *object);
/* A list that is one index; its value and its label (NULL: none) are set for every copy. */
ss_status ss_index_begin(ss_reader *r, const char *name);
void ss_index_set(ss_reader *r, double value, const char *label);
/* The text with the values of parameters in place of their names, from the reader's arena; itself where the scene has none. */
ss_status ss_parameters_expand(ss_reader *r, const char *text, const char **out);
/* The name of a part with the values of what it has in braces; itself where the scene has no parameters and no index. */
ss_status ss_text_expand(ss_reader *r, const char *text, const char **out);

/* ---- sections (scene_fields.c) ---------------------------------------------------------------- */

/* what a scene that names none gets */
#define SS_DEFAULT_SCHEME "anitescu_potra"
#define SS_DEFAULT_SOLVER "auto"

extern const ss_field ss_settings_fields[];       /* top level, into ss_scene_settings      */
extern const ss_field ss_time_fields[];           /* "time"                                 */
extern const ss_field ss_contacts_fields[];       /* "contacts"                             */
extern const ss_field ss_results_fields[];        /* "results"                              */
extern const ss_field ss_solver_section_fields[]; /* "solver", besides the solver's own     */
extern const char *const ss_section_keys[];       /* the other keys at the top, ended by NULL */

/* Everything besides the parts; creates r->scene (settings_read.c). */
ss_status ss_settings_read(ss_reader *r, const json_t *root);
enum { SS_MOST_MEGABYTES = 512 }; /* of a scene */
/* The whole file in memory (scene_read.c); *text is the caller's to free, also after an error. */
ss_status ss_file_text(ss_context *ctx, const char *path, char **text, size_t *length);
/* "FILE: line 3, column 7: not JSON: .." (scene_read.c) */
ss_status ss_syntax_error(ss_context *ctx, const char *label, const json_error_t *error);
/* Fill in what the file solid->mesh says, a path beside the scene (mesh_read.c). */
ss_status ss_mesh_read(ss_reader *r, ss_solid_desc *solid);
/* Apply "path=value" to the tree (scene_set.c). */
ss_status ss_scene_apply_set(ss_reader *r, json_t *root, const char *assignment);

/* JSON text owned by the context; takes over the reference to `value`, which may be NULL (out of memory). */
ss_status ss_json_text(ss_context *ctx, json_t *value, size_t flags, char **text);

#endif
