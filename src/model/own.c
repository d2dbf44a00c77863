/* own.c - what joints, forces and shapes from outside the library share: their keys, and how they are kept. */
#include "model/own.h"

#include "base/extensions.h"
#include "base/options.h"
#include <math.h>

/* ---- keys ---------------------------------------------------------------------------------------------------- */

static bool is_taken(const ss_field *fields, int n, const char *name)
{
    for (int k = 0; k < n; k++) {
        if (strcmp(fields[k].name, name) == 0) {
            return true;
        }
    }
    return false;
}

static ss_status check_key(ss_context *ctx, const char *what, const ss_entry *info, const ss_field *key, int number)
{
    if (number >= SS_OWN_NUMBERS) {
        return ss_fail(ctx, SS_ERR_INPUT, "%s %.80s: it has more than %d keys of its own", what, info->name, SS_OWN_NUMBERS);
    }
    if (key->type != SS_FIELD_NUMBER) {
        return ss_fail(ctx, SS_ERR_INPUT, "%s %.80s: its key \"%.80s\" is no number; keys of its own are", what, info->name,
                       key->name);
    }
    return SS_OK;
}

/* number i of a description; without a range of its own it may be any */
static ss_field own_key(const ss_field *key, size_t offset, int number)
{
    ss_field f = *key;
    const bool any = f.min == 0 && f.max == 0;
    f.offset = offset + (size_t)number * sizeof(double);
    f.min = any ? -INFINITY : f.min;
    f.max = any ? INFINITY : f.max;
    f.doc = f.doc ? f.doc : "";
    return f;
}

ss_status ss_own_fields(ss_context *ctx, const char *what, const ss_entry *info, const ss_field *common, size_t offset,
                        ss_field out[SS_OWN_FIELDS])
{
    int n = 0, own = 0;
    for (; common[n].name; n++) {
        out[n] = common[n];
    }
    for (const ss_field *key = info->fields; key && key->name; key++) {
        SS_TRY(check_key(ctx, what, info, key, own));
        if (is_taken(out, n, key->name)) {
            return ss_fail(ctx, SS_ERR_INPUT, "%s %.80s: its key \"%.80s\" is taken", what, info->name, key->name);
        }
        out[n++] = own_key(key, offset, own++);
    }
    out[n] = (ss_field)SS_FIELD_END;
    return SS_OK;
}

void ss_own_defaults(const ss_context *ctx, ss_registry registry, const char *type, size_t offset, double number[SS_OWN_NUMBERS])
{
    const ss_entry *entry = type ? ss_extension_find(ctx, registry, type) : NULL;
    for (const ss_field *f = entry ? entry->fields : NULL; f && f->name; f++) {
        const size_t place = (f->offset - offset) / sizeof *number;
        if (f->offset >= offset && place < SS_OWN_NUMBERS && isnan(number[place]) && !(f->flags & SS_FIELD_REQUIRED)) {
            number[place] = f->def;
        }
    }
}

/* ---- kept by the context ------------------------------------------------------------------------------------ */

ss_status ss_own_add(ss_context *ctx, ss_registry registry, ss_entry *info)
{
    const ss_status status = ss_extension_add(ctx, registry, info, true);
    if (status != SS_OK) {
        ss_free(ctx, info);
    }
    return status;
}

/* ---- checks ------------------------------------------------------------------------------------------------- */

ss_status ss_compile_outside(ss_compiler *x)
{
    char path[SS_PATH_SIZE];
    for (int j = 0; j < x->m->joints; j++) {
        if (x->m->joint[j].type->outside) {
            ss_part_path(path, sizeof path, "joints", x->scene->joint[j].name, j);
            SS_TRY(ss_own_joint_verify(x, j, path));
        }
    }
    for (int i = 0; i < x->scene->forces; i++) {
        if (x->m->force[i].type->outside) {
            ss_part_path(path, sizeof path, "forces", x->scene->force[i].name, i);
            SS_TRY(ss_own_force_verify(x, i, path));
        }
    }
    return SS_OK;
}
