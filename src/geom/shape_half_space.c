/* shape_half_space.c - everything behind a plane: solid where n . x < offset, free where n . x >= offset.
 *
 * Given n and offset in the shape's frame, placed by p, R in the body: n_b = R n, offset_b = offset + n_b . p.
 * It has neither volume nor bounds. */
#include "geom/shapes.h"

static const ss_field field_table[] = {
    SS_SHAPE_COMMON_FIELDS,
    SS_SHAPE_FIELD(DIRECTION, normal, NAN, -INFINITY, INFINITY, SS_FIELD_REQUIRED,
                   "direction out of the solid, in the body frame"),
    SS_SHAPE_FIELD(NUMBER, offset, 0, -INFINITY, INFINITY, 0, "the free side is normal . x >= offset, m"),
    SS_FIELD_END,
};

static ss_status compile(ss_context *ctx, const ss_shape_desc *desc, const char *path, ss_shape *shape)
{
    (void)ctx;
    (void)path;
    shape->normal = ss_rotate(shape->local.R, ss_unit(ss_v3_from(desc->normal)));
    shape->offset = desc->offset + ss_dot(shape->normal, shape->local.p);
    return SS_OK;
}

static ss_box3 bounds(const ss_shape *shape, const ss_frame *placed)
{
    (void)shape;
    (void)placed;
    return (ss_box3){ { -INFINITY, -INFINITY, -INFINITY }, { INFINITY, INFINITY, INFINITY } };
}

const ss_shape_type ss_shape_type_half_space = {
    .info = { .name = "half_space", .title = "solid behind a plane", .dimensions = SS_IN_2D | SS_IN_3D, .fields = field_table },
    .compile = compile,
    .bounds = bounds,
    .radius = ss_endless,
    .thickness = ss_endless,
};
