/* authoring.h - scenes that are short to write: groups with a place of their own, copies with an index, defaults, included
 * files. Used by the readers of scenes alone; what comes after them knows nothing of it. */
#ifndef SS_AUTHORING_H
#define SS_AUTHORING_H

#include "io/json.h"
#include "math/vec.h"

/* ---- rotations (rotation.c) ---------------------------------------------------------------------- */

typedef struct ss_rotation {
    ss_quat q;
    ss_mat3 R;
} ss_rotation;

ss_rotation ss_rotation_identity(void);
ss_rotation ss_rotation_about_z(double angle);
ss_rotation ss_rotation_compose(const ss_rotation *a, const ss_rotation *b); /* first b, then a */
/* A quaternion, or an object with axis and angle, with Euler angles, or with a matrix. */
ss_status ss_rotation_read(ss_reader *r, const char *expected, const json_t *value, ss_rotation *out);

/* ---- scopes (scope.c) ------------------------------------------------------------------------------ */

/* What holds for everything in a group, those around it included. */
struct ss_scope {
    const ss_scope *outer;  /* NULL: the scene itself                                  */
    const char *prefix;     /* of the names in it: "robot.leg."; "": none              */
    const json_t *defaults; /* its own; NULL: none                                     */
    bool placed;            /* does it or any around it have a place of its own?       */
    ss_vec3 origin;         /* where its origin is, world                              */
    ss_rotation turn;       /* from its frame to the world                             */
    double angle;           /* the same in 2D                                          */
};

/* The scope of the scene itself, with its defaults. */
ss_status ss_scope_begin(ss_reader *r, const json_t *root);
/* That of a group inside the present one: its keys are checked, its parameters, defaults, name and place hold from here on. */
ss_status ss_scope_enter(ss_reader *r, json_t *group);
/* A name that is given here, with those of the groups around it; NULL stays NULL. */
ss_status ss_scope_name(ss_reader *r, const char *name, const char **out);
/* What a name that is used here means: that of the innermost group that has such a part, else itself. */
ss_status ss_scope_find(ss_reader *r, const char *word, bool (*has)(const ss_reader *, const char *), const char **out);

/* ---- what is placed (placing.c) -------------------------------------------------------------------- */

ss_status ss_place_body(ss_reader *r, ss_body_desc *body);
void ss_place_joint(const ss_reader *r, const ss_entry *entry, ss_joint_desc *joint);
ss_status ss_place_force(ss_reader *r, const ss_entry *entry, ss_force_desc *force);
void ss_place_output(const ss_reader *r, ss_output_desc *output);
void ss_place_elements(const ss_reader *r, ss_elements_desc *elements);

/* ---- defaults (defaults.c) ------------------------------------------------------------------------- */

/* Lists of parts, and shapes; ended by NULL. */
extern const char *const ss_part_kinds[];
/* Every key of the section "defaults" is one of some part. */
ss_status ss_defaults_check(ss_reader *r, const json_t *object);
/* The value of a key of an item: its own, else that of the innermost group that has a default for it; NULL: none. */
const json_t *ss_item_value(const ss_reader *r, const char *kind, const json_t *item, const char *key);
/* As ss_fields_read, with defaults for what the item does not give. */
ss_status ss_item_read(ss_reader *r, const char *kind, const json_t *item, const ss_field *fields, const char *const *extra,
                       void *out);

/* ---- included files (include.c) --------------------------------------------------------------------- */

/* Put the contents of the files that the scene and its groups include in place of their names. */
ss_status ss_includes_load(ss_reader *r, json_t *root);
/* Is this key of an included file read where it stands? Others have been taken by what includes the file. */
bool ss_includes_keep(const char *key);
/* The file of such contents; NULL: none was read. */
const char *ss_includes_label(const ss_reader *r, const json_t *contents);

/* ---- walking (walk.c) ------------------------------------------------------------------------------- */

typedef ss_status (*ss_item_fn)(ss_reader *r, json_t *item, void *user);
/* Every item of the list `key` of an object, as often as its "replicate" says; the path is that of the copy. */
ss_status ss_list_each(ss_reader *r, const json_t *object, const char *key, ss_item_fn each, void *user);
/* Every item of all lists `kind`: of included files, of the scene, of its groups. */
ss_status ss_parts_each(ss_reader *r, json_t *root, const char *kind, ss_item_fn each);

#endif
