/* find.c - parts of a compiled model by name, for programs that drive a simulation. Cost: linear in the parts of the kind. */
#include "model/model.h"
#include <slipstick/drive.h>

int ss_model_force_count(const ss_model *m) { return m->forces - m->elements; }

int ss_model_material_count(const ss_model *m) { return m->materials - 1; }

const char *ss_model_force_name(const ss_model *m, int force)
{
    return force >= 0 && force < ss_model_force_count(m) ? m->force_name[force] : NULL;
}

const char *ss_model_material_name(const ss_model *m, int material)
{
    return material >= 0 && material < ss_model_material_count(m) ? m->material_name[material] : NULL;
}

static ss_status fail_unknown(ss_context *ctx, const char *what, int count, char *const *names, const char *name)
{
    const char **list = NULL;
    SS_TRY(ss_calloc(ctx, (size_t)count + 1, sizeof *list, &list));
    for (int k = 0; k < count; k++) {
        list[k] = names[k];
    }
    const char *near = ss_nearest_name(name, list);
    ss_free(ctx, list);
    return ss_fail(ctx, SS_ERR_INPUT, "no %s is called \"%.80s\"%s%.80s%s", what, name, near ? "; the nearest is \"" : "",
                   near ? near : "", near ? "\"" : "");
}

static ss_status find(ss_context *ctx, const char *what, int count, char *const *names, const char *name, int *index)
{
    *index = -1;
    if (!name) {
        return ss_fail(ctx, SS_ERR_INPUT, "expected the name of a %s, got none", what);
    }
    for (int k = 0; k < count; k++) {
        if (strcmp(names[k], name) == 0) {
            *index = k;
            return SS_OK;
        }
    }
    return fail_unknown(ctx, what, count, names, name);
}

ss_status ss_model_find_body(ss_context *ctx, const ss_model *m, const char *name, int *index)
{
    return find(ctx, "body", m->bodies, m->body_name, name, index);
}

ss_status ss_model_find_joint(ss_context *ctx, const ss_model *m, const char *name, int *index)
{
    return find(ctx, "joint", m->joints, m->joint_name, name, index);
}

ss_status ss_model_find_force(ss_context *ctx, const ss_model *m, const char *name, int *index)
{
    return find(ctx, "force", ss_model_force_count(m), m->force_name, name, index);
}

ss_status ss_model_find_output(ss_context *ctx, const ss_model *m, const char *name, int *index)
{
    return find(ctx, "output", m->outputs.columns, m->outputs.name, name, index);
}

ss_status ss_model_find_material(ss_context *ctx, const ss_model *m, const char *name, int *index)
{
    return find(ctx, "material", ss_model_material_count(m), m->material_name, name, index);
}
