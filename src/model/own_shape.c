/* own_shape.c - shapes from outside the library: a program says which shapes of the library one is made of.
 *
 * They take its place when it is added to a scene: x in the body = R (R_part x + p_part) + p. So contact, mass, results and
 * fingerprint know nothing of it, and a result can be read without the program. */
#include "base/extensions.h"
#include "geom/shapes.h"
#include "model/own.h"

enum { MOST_PARTS = 4096 };

typedef struct own_shape {
    ss_entry info;
    const ss_own_shape *given;
    ss_field fields[SS_OWN_FIELDS];
} own_shape;

static const ss_field common_fields[] = { SS_SHAPE_COMMON_FIELDS, SS_FIELD_END };

ss_status ss_context_add_shape(ss_context *ctx, const ss_own_shape *own)
{
    const char *name = own->info.name ? own->info.name : "";
    own_shape *x = NULL;
    if (!own->describe) {
        return ss_fail(ctx, SS_ERR_INPUT, "shape %.80s: it needs a function `describe`", name);
    }
    if (!(own->info.dimensions & (4 | 8))) {
        return ss_fail(ctx, SS_ERR_INPUT, "shape %.80s: info.dimensions says neither 2D (4) nor 3D (8)", name);
    }
    SS_TRY(ss_calloc(ctx, 1, sizeof *x, &x));
    x->info = own->info;
    x->info.fields = x->fields;
    x->given = own;
    const ss_status status = ss_own_fields(ctx, "shape", &own->info, common_fields, offsetof(ss_shape_desc, number), x->fields);
    if (status != SS_OK) {
        ss_free(ctx, x);
        return status;
    }
    return ss_own_add(ctx, SS_SHAPES, &x->info);
}

/* ---- in a scene --------------------------------------------------------------------------------------------------------- */

/* where the part is in the body */
static void place(const ss_shape_desc *whole, int dimension, ss_shape_desc *part)
{
    const ss_quat turn = ss_quat_unit(ss_quat_from(whole->orientation));
    const ss_mat3 R = dimension == 2 ? ss_rotation_z(whole->angle) : ss_quat_matrix(turn);
    const ss_vec3 p = ss_add(ss_rotate(R, ss_v3_from(part->position)), ss_v3_from(whole->position));
    ss_v3_to(p, part->position);
    part->angle += whole->angle;
    ss_quat_to(ss_quat_product(turn, ss_quat_unit(ss_quat_from(part->orientation))), part->orientation);
    part->material = whole->material;
}

static ss_status failed(const ss_scene *s, const own_shape *own, ss_status status)
{
    if (*ss_last_error(s->ctx)) {
        return ss_fail_within(s->ctx, status, "shape %.80s: its function `describe` failed", own->info.name);
    }
    return ss_fail(s->ctx, status, "shape %.80s: its function `describe` failed: %s", own->info.name, ss_status_text(status));
}

/* its part k; *more: there is one */
static ss_status put_part(ss_scene *s, int body, const own_shape *own, const ss_shape_desc *whole, int k, bool *more)
{
    ss_shape_desc part = ss_shape_desc_default();
    ss_error_clear(s->ctx);
    const ss_status status = own->given->describe(own->given->user, s->settings.dimension, whole->number, k, &part);
    if (status != SS_OK) {
        return failed(s, own, status);
    }
    *more = part.type != NULL;
    if (!*more) {
        return SS_OK;
    }
    if (!ss_registry_find(SS_SHAPES, part.type)) {
        return ss_fail(s->ctx, SS_ERR_INPUT, "shape %.80s: its part %d is \"%.80s\", which is no shape of the library",
                       own->info.name, k, part.type);
    }
    place(whole, s->settings.dimension, &part);
    return ss_scene_add_shape(s, body, &part);
}

/* all parts, one at least */
static ss_status put_parts(ss_scene *s, int body, const own_shape *own, const ss_shape_desc *whole)
{
    bool more = true;
    for (int k = 0; more; k++) {
        if (k > MOST_PARTS) {
            return ss_fail(s->ctx, SS_ERR_INPUT, "shape %.80s: it describes more than %d parts", own->info.name, MOST_PARTS);
        }
        SS_TRY(put_part(s, body, own, whole, k, &more));
        if (k == 0 && !more) {
            return ss_fail(s->ctx, SS_ERR_INPUT, "shape %.80s: it describes no part", own->info.name);
        }
    }
    return SS_OK;
}

ss_status ss_own_shape_put(ss_scene *s, int body, const ss_shape_desc *desc, bool *taken)
{
    const ss_entry *entry = desc->type ? ss_extension_find(s->ctx, SS_SHAPES, desc->type) : NULL;
    const own_shape *own = (const own_shape *)(const void *)entry; /* its first member */
    const int before = s->shapes;
    ss_shape_desc whole = *desc;
    char path[SS_PATH_SIZE];
    *taken = own != NULL;
    if (!own) {
        return SS_OK;
    }
    ss_own_defaults(s->ctx, SS_SHAPES, desc->type, offsetof(ss_shape_desc, number), whole.number);
    ss_part_path(path, sizeof path, "bodies", s->body[body].name, body);
    if (!(own->info.dimensions & (1u << s->settings.dimension))) {
        return ss_fail(s->ctx, SS_ERR_INPUT, "%s.shapes: a %.80s does not exist in %dD", path, own->info.name,
                       s->settings.dimension);
    }
    SS_TRY(ss_part_check(s->ctx, own->fields, &whole, s->settings.dimension, path));
    const ss_status status = put_parts(s, body, own, &whole);
    s->shapes = status == SS_OK ? s->shapes : before;
    return status;
}
