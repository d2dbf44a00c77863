/* shape_point.c - a single point of a body: the tip of a rod, a particle. It is a sphere of radius zero
 * to the narrow phase, has no volume, and never meets another point. */
#include "geom/outline.h"
#include "geom/shapes.h"

static const ss_field field_table[] = {
    SS_SHAPE_COMMON_FIELDS,
    SS_FIELD_END,
};

static ss_status compile(ss_context *ctx, const ss_shape_desc *desc, const char *path, ss_shape *shape)
{
    (void)ctx;
    (void)path;
    (void)desc;
    shape->radius = 0;
    shape->polytope = &ss_polytope_point;
    return SS_OK;
}

static double thickness(const ss_shape *shape)
{
    (void)shape;
    return 0;
}

const ss_shape_type ss_shape_type_point = {
    .info = { .name = "point", .title = "a point of the body", .dimensions = SS_IN_2D | SS_IN_3D, .fields = field_table },
    .compile = compile,
    .bounds = ss_polytope_bounds,
    .radius = ss_polytope_radius,
    .thickness = thickness,
};
