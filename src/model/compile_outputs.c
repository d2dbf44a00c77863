/* compile_outputs.c - outputs: those of the scene, then those that every joint has by itself.
 *
 *   JOINT.angle, JOINT.rate          of joints whose coordinate is an angle
 *   JOINT.position, JOINT.speed      of joints whose coordinate is a length
 *   JOINT.motor.torque, .force       of motors that give a force; those that hold a speed or a position have a reaction of this
 *                                    name
 *
 * Names of columns are unique in a result: the scene may not take one that a coordinate, a reaction or an element has; what a
 * joint has by itself steps back where the name is taken. Cost: n log n in the outputs and the parts. */
#include "model/compile.h"

#include "base/options.h"
#include "model/outputs.h"
#include <slipstick/sim.h>
#include <stdio.h>
#include <stdlib.h>

enum { NAME = 256 };

/* names of parts, for messages and columns */
typedef struct names_of {
    ss_names joints, meshes, outputs;
} names_of;

/* ---- what an output reads ------------------------------------------------------------------------------- */

static ss_status find_type(ss_compiler *x, const char *path, const char *type, const ss_output_type **out)
{
    enum { MAX = 64 };
    const char *names[MAX];
    int n = 0;
    for (; ss_output_types[n] && n < MAX; n++) {
        names[n] = ss_output_types[n]->info.name;
        if (type && ss_entry_answers(&ss_output_types[n]->info, type)) {
            *out = ss_output_types[n];
            return SS_OK;
        }
    }
    return ss_fail_unknown(x, path, "type", "output", type ? type : "", n, names);
}

static bool has_motor(const ss_joint *joint) { return joint->motor.speed || joint->motor.force || joint->motor.position; }

static ss_status check_joint(ss_compiler *x, const char *path, const ss_output *o)
{
    const ss_joint *joint = &x->m->joint[o->joint];
    const char *name = x->m->joint_name[o->joint], *type = joint->type->info.name;
    if (o->type->need == SS_OUTPUT_COORDINATE && !joint->type->coordinate) {
        return ss_fail(x->ctx, SS_ERR_INPUT, "%s.joint: \"%.80s\" is a %s joint, which has no coordinate", path, name, type);
    }
    if (o->type->need == SS_OUTPUT_MOTOR && !has_motor(joint)) {
        return ss_fail(x->ctx, SS_ERR_INPUT, "%s.joint: \"%.80s\" has no motor", path, name);
    }
    if (o->type->need == SS_OUTPUT_WRENCH && joint->type->couples) {
        return ss_fail(x->ctx, SS_ERR_INPUT, "%s.joint: \"%.80s\" is a %s, which acts on joints and not at a point", path, name,
                       type);
    }
    return SS_OK;
}

/* a name, or the number of a part without one: the names of those are their numbers */
static int find_part(const ss_names *names, int count, char *const *name_of, const char *name)
{
    const bool digits = *name && strspn(name, "0123456789") == strlen(name);
    const long k = digits ? strtol(name, NULL, 10) : -1;
    return k >= 0 && k < count && strcmp(name_of[k], name) == 0 ? (int)k : ss_names_find(names, name);
}

static ss_status find_joint(ss_compiler *x, const names_of *names, const char *path, const char *name, ss_output *o)
{
    const ss_model *m = x->m;
    o->joint = find_part(&names->joints, m->joints, m->joint_name, name);
    return o->joint >= 0 ? check_joint(x, path, o)
                         : ss_fail_unknown(x, path, "joint", "joint", name, m->joints, (const char *const *)m->joint_name);
}

static ss_status find_body(ss_compiler *x, const char *path, const char *key, const char *name, const double *point,
                           ss_attachment *out)
{
    const ss_model *m = x->m;
    SS_TRY(ss_compile_body_ref(x, path, key, name, &out->body));
    if (out->body == m->bodies && strcmp(key, "body") == 0) {
        return ss_fail(x->ctx, SS_ERR_INPUT, "%s.body: the world is at rest and has no shapes: expected a body", path);
    }
    if (out->body < m->bodies && m->body_type[out->body] == SS_BODY_BLOCK) {
        return ss_fail(x->ctx, SS_ERR_INPUT, "%s.%s: \"%.80s\" is a block, which has no points", path, key, name);
    }
    out->point = ss_v3_from(point);
    return SS_OK;
}

static ss_status find_parts(ss_compiler *x, const names_of *names, const char *path, const ss_output_desc *d, ss_output *o)
{
    o->at[0].body = o->at[1].body = x->m->bodies;
    for (const ss_field *f = o->type->info.fields; f->name; f++) {
        if (strcmp(f->name, "joint") == 0) {
            SS_TRY(find_joint(x, names, path, d->joint, o));
        } else if (f->type == SS_FIELD_BODY) {
            SS_TRY(find_body(x, path, f->name, d->body, d->point, &o->at[0]));
        } else if (f->type == SS_FIELD_BODIES) {
            SS_TRY(find_body(x, path, f->name, d->bodies[0], d->anchors[0], &o->at[0]));
            SS_TRY(find_body(x, path, f->name, d->bodies[1], d->anchors[1], &o->at[1]));
        }
    }
    return SS_OK;
}

/* ---- names of columns -------------------------------------------------------------------------------------- */

static bool is_in(const char *const *list, const char *word)
{
    while (*list && strcmp(*list, word) != 0) {
        list++;
    }
    return *list;
}

/* columns of every result, and of the tables of energies and certificates */
static bool is_general(const char *name)
{
    static const char *const names[] = {
#define LEDGER_NAME(entry, doc) #entry,
        SS_LEDGER_LIST(LEDGER_NAME)
#undef LEDGER_NAME
            "t",
        "energy",
        "kinetic",
        "potential",
        "residual",
        "penetration",
        "joint_error",
        "contacts",
        "certified",
        "kinetic_change",
        "closure",
        "integration_error",
        "impact_gain",
        "contact",
        "momentum",
        "joint",
        "classical",
        "outcome",
        "problems",
        "h",
        NULL,
    };
    return is_in(names, name);
}

static bool is_numbered(const char *text)
{
    return (text[0] == 'q' || text[0] == 'v') && text[1] != '\0' && strspn(text + 1, "0123456789") == strlen(text + 1);
}

/* "PART.SUFFIX": the part with a name before one of the dots, from `dot` on; *dot is that dot. NULL: there is none, or no more */
static bool split(const char *name, const char **dot, char part[NAME])
{
    *dot = *dot ? strchr(*dot + 1, '.') : strchr(name, '.');
    if (!*dot || *dot - name >= NAME) {
        return false;
    }
    snprintf(part, NAME, "%.*s", (int)(*dot - name), name);
    return true;
}

static bool is_coordinate(const ss_compiler *x, const char *name)
{
    static const char *const suffix[] = { "x",  "y",  "z",  "angle", "qw", "qx", "qy", "qz",
                                          "vx", "vy", "vz", "omega", "wx", "wy", "wz", NULL };
    const char *dot = NULL;
    char body[NAME];
    bool found = false;
    while (!found && split(name, &dot, body)) {
        found = (is_in(suffix, dot + 1) || is_numbered(dot + 1)) && find_part(&x->body, x->m->bodies, x->m->body_name, body) >= 0;
    }
    return found;
}

static bool is_row(const ss_model *m, int joint, const char *suffix)
{
    bool found = false;
    for (int k = 0; k < ss_model_joint_rows(m, joint) && !found; k++) {
        found = strcmp(suffix, ss_model_joint_row_name(m, joint, k)) == 0;
    }
    return found;
}

static bool is_reaction(const ss_model *m, const names_of *names, const char *name)
{
    const char *dot = NULL;
    char part[NAME];
    bool found = false;
    while (!found && split(name, &dot, part)) {
        const int joint = find_part(&names->joints, m->joints, m->joint_name, part);
        found = joint >= 0 && is_row(m, joint, dot + 1);
    }
    return found;
}

static bool is_stress(const names_of *names, const char *name)
{
    const char *dot = NULL;
    char part[NAME];
    bool found = false;
    while (!found && split(name, &dot, part)) {
        found = ss_names_find(&names->meshes, part) >= 0;
    }
    return found;
}

/* Has the output a column of this suffix? "": one of its own name */
static bool has_column(const ss_model *m, const ss_output *o, const char *suffix)
{
    const ss_output_column *column = o->type->column[m->dimension - 2];
    int k = 0;
    while (k < SS_OUTPUT_COLUMNS && column[k].suffix && strcmp(column[k].suffix, suffix) != 0) {
        k++;
    }
    return k < SS_OUTPUT_COLUMNS && column[k].suffix;
}

/* the output of the scene that has this column, -1: none; outputs are numbered as in the scene */
static int declared_by(const ss_model *m, const names_of *names, const char *name)
{
    const char *dot = strrchr(name, '.');
    char part[NAME];
    int k = ss_names_find(&names->outputs, name);
    if (k >= 0 && has_column(m, &m->outputs.part[k], "")) {
        return k;
    }
    if (!dot || dot - name >= NAME) {
        return -1;
    }
    snprintf(part, sizeof part, "%.*s", (int)(dot - name), name);
    k = ss_names_find(&names->outputs, part);
    return k >= 0 && has_column(m, &m->outputs.part[k], dot + 1) ? k : -1;
}

/* what else than output i has a column of this name; NULL: nothing */
static const char *taken_by(const ss_compiler *x, const names_of *names, int i, const char *name)
{
    const int other = declared_by(x->m, names, name);
    return is_general(name)                 ? "a column that every result has"
           : is_coordinate(x, name)         ? "a coordinate of a body"
           : is_reaction(x->m, names, name) ? "a reaction of a joint"
           : is_stress(names, name)         ? "a part of a flexible body"
           : other >= 0 && other != i       ? "another output"
                                            : NULL;
}

static const ss_output_column *column_of(const ss_model *m, const ss_output *o, int k)
{
    return &o->type->column[m->dimension - 2][k];
}

/* a joint of an angle has another unit */
static const char *unit_of(const ss_model *m, const ss_output *o, int k)
{
    const bool angular = o->type->angular && m->joint[o->joint].type->angular;
    return angular ? o->type->angular : column_of(m, o, k)->unit;
}

static ss_status add_column(ss_compiler *x, const char *name, const char *unit, int part)
{
    ss_outputs *all = &x->m->outputs;
    SS_TRY(ss_model_keep_text(x->m, name, &all->name[all->columns]));
    all->unit[all->columns] = unit;
    all->part_of[all->columns] = part;
    all->columns++;
    all->part[part].columns++;
    return SS_OK;
}

/* motors that give a force, and servos, are known in a state */
static bool tells_of_step(const ss_model *m, const ss_output *o)
{
    const ss_motor *motor = o->type->need == SS_OUTPUT_MOTOR ? &m->joint[o->joint].motor : NULL;
    return o->type->of_step && (!motor || motor->row || motor->bounded);
}

static void add_part(const ss_model *m, ss_outputs *all, const ss_output *o)
{
    ss_output *own = &all->part[all->parts++];
    *own = *o;
    own->of_step = tells_of_step(m, o);
    all->of_step = all->of_step || own->of_step;
}

/* ---- outputs of the scene ------------------------------------------------------------------------------------- */

static ss_status compile_part(ss_compiler *x, const names_of *names, int i)
{
    const ss_output_desc *d = &x->scene->output[i];
    ss_output o = { .columns = 0 };
    char path[SS_PATH_SIZE];
    ss_part_path(path, sizeof path, "outputs", d->name, i);
    SS_TRY(find_type(x, path, d->type, &o.type));
    SS_TRY(ss_part_check(x->ctx, o.type->info.fields, d, x->m->dimension, path));
    SS_TRY(find_parts(x, names, path, d, &o));
    add_part(x->m, &x->m->outputs, &o);
    return SS_OK;
}

static ss_status compile_columns(ss_compiler *x, const names_of *names, int i)
{
    const ss_output_desc *d = &x->scene->output[i];
    ss_output *o = &x->m->outputs.part[i];
    char path[SS_PATH_SIZE], name[NAME];
    ss_part_path(path, sizeof path, "outputs", d->name, i);
    o->first = x->m->outputs.columns;
    for (int k = 0; k < SS_OUTPUT_COLUMNS && column_of(x->m, o, k)->suffix; k++) {
        const char *suffix = column_of(x->m, o, k)->suffix;
        if (snprintf(name, sizeof name, "%s%s%s", d->name, *suffix ? "." : "", suffix) >= NAME) {
            return ss_fail(x->ctx, SS_ERR_INPUT, "%s.name: expected at most %d characters, with what its columns add", path,
                           NAME - 1);
        }
        const char *owner = taken_by(x, names, i, name);
        if (owner) {
            return ss_fail(x->ctx, SS_ERR_INPUT, "%s.name: \"%.80s\" is the name of %s, choose another", path, name, owner);
        }
        SS_TRY(add_column(x, name, unit_of(x->m, o, k), i));
    }
    return SS_OK;
}

/* ---- outputs of joints ------------------------------------------------------------------------------------------- */

static ss_status imply(ss_compiler *x, const names_of *names, int joint, const ss_output_type *type, const char *suffix)
{
    ss_outputs *all = &x->m->outputs;
    const ss_output o = { .type = type, .joint = joint, .first = all->columns };
    char name[NAME];
    const int length = snprintf(name, sizeof name, "%s.%s", x->m->joint_name[joint], suffix);
    if (length >= NAME || is_coordinate(x, name) || is_stress(names, name) || declared_by(x->m, names, name) >= 0) {
        return SS_OK;
    }
    add_part(x->m, all, &o);
    return add_column(x, name, unit_of(x->m, &o, 0), all->parts - 1);
}

static ss_status imply_all(ss_compiler *x, const names_of *names, int joint)
{
    extern const ss_output_type ss_output_coordinate, ss_output_rate, ss_output_motor;
    const ss_joint *j = &x->m->joint[joint];
    const bool angular = j->type->angular;
    if (!j->type->coordinate) {
        return SS_OK;
    }
    SS_TRY(imply(x, names, joint, &ss_output_coordinate, angular ? "angle" : "position"));
    SS_TRY(imply(x, names, joint, &ss_output_rate, angular ? "rate" : "speed"));
    return j->motor.force ? imply(x, names, joint, &ss_output_motor, angular ? "motor.torque" : "motor.force") : SS_OK;
}

/* ---- all ---------------------------------------------------------------------------------------------------------- */

static ss_status take_memory(ss_compiler *x)
{
    enum { IMPLIED = 3 };
    ss_outputs *all = &x->m->outputs;
    const size_t declared = (size_t)x->scene->outputs, implied = IMPLIED * (size_t)x->m->joints;
    const size_t columns = SS_OUTPUT_COLUMNS * declared + implied;
    SS_TRY(ss_calloc(x->ctx, declared + implied, sizeof *all->part, &all->part));
    SS_TRY(ss_calloc(x->ctx, columns, sizeof *all->name, &all->name));
    SS_TRY(ss_calloc(x->ctx, columns, sizeof *all->unit, &all->unit));
    return ss_calloc(x->ctx, columns, sizeof *all->part_of, &all->part_of);
}

static ss_status compile_all(ss_compiler *x, names_of *names)
{
    const ss_scene *s = x->scene;
    SS_TRY(ss_names_build(x->ctx, "joints", s->joint, sizeof *s->joint, s->joints, &names->joints));
    SS_TRY(ss_names_build(x->ctx, "elements", s->mesh, sizeof *s->mesh, s->meshes, &names->meshes));
    SS_TRY(ss_names_build(x->ctx, "outputs", s->output, sizeof *s->output, s->outputs, &names->outputs));
    SS_TRY(take_memory(x));
    for (int i = 0; i < s->outputs; i++) {
        SS_TRY(compile_part(x, names, i));
    }
    for (int i = 0; i < s->outputs; i++) {
        SS_TRY(compile_columns(x, names, i));
    }
    x->m->outputs.declared_columns = x->m->outputs.columns;
    for (int j = 0; j < x->m->joints; j++) {
        SS_TRY(imply_all(x, names, j));
    }
    x->m->outputs.hash = ss_scene_outputs_hash(s);
    return SS_OK;
}

ss_status ss_compile_outputs(ss_compiler *x)
{
    names_of names = { .joints = { 0 } };
    const ss_status status = compile_all(x, &names);
    ss_names_free(x->ctx, &names.joints);
    ss_names_free(x->ctx, &names.meshes);
    ss_names_free(x->ctx, &names.outputs);
    return status;
}
