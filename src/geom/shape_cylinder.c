/* shape_cylinder.c - a cylinder about the shape's origin, its axis along z, with flat ends and sharp rims; 3D only.
 *
 * Per unit density, radius r, half height l: volume m = 2 pi r^2 l, inertia m r^2 / 2 about the axis and m (r^2 / 4 + l^2 / 3)
 * across it. Along a unit vector d it reaches l |d . z| + r sqrt(1 - (d . z)^2). */
#include "geom/shapes.h"

static const ss_field field_table[] = {
    SS_SHAPE_COMMON_FIELDS,
    SS_SHAPE_FIELD(NUMBER, radius, NAN, 0, INFINITY, SS_FIELD_REQUIRED | SS_FIELD_OPEN_MIN, "radius, m"),
    SS_SHAPE_FIELD(NUMBER, length, NAN, 0, INFINITY, SS_FIELD_REQUIRED | SS_FIELD_OPEN_MIN, "height, along the z axis, m"),
    SS_FIELD_END,
};

static ss_status compile(ss_context *ctx, const ss_shape_desc *desc, const char *path, ss_shape *shape)
{
    (void)ctx;
    (void)path;
    shape->radius = desc->radius;
    shape->length = 0.5 * desc->length;
    return SS_OK;
}

/* half the extent along a world axis on which the cylinder's axis has the component c */
static double reach(const ss_shape *shape, double c)
{
    return shape->length * fabs(c) + shape->radius * sqrt(fmax(0, 1 - c * c));
}

static ss_box3 bounds(const ss_shape *shape, const ss_frame *placed)
{
    const ss_vec3 z = placed->R.c[2], r = ss_v3(reach(shape, z.x), reach(shape, z.y), reach(shape, z.z));
    return (ss_box3){ ss_sub(placed->p, r), ss_add(placed->p, r) };
}

static double radius(const ss_shape *shape) { return hypot(shape->radius, shape->length); }

static double thickness(const ss_shape *shape) { return fmin(shape->radius, shape->length); }

static ss_mass_properties mass(const ss_shape *shape)
{
    const double pi = 3.14159265358979323846, r = shape->radius, l = shape->length;
    const double m = 2 * pi * r * r * l, across = m * (r * r / 4 + l * l / 3);
    return (ss_mass_properties){ .volume = m, .inertia = { across, across, 0.5 * m * r * r } };
}

const ss_shape_type ss_shape_type_cylinder = {
    .info = { .name = "cylinder", .title = "cylinder with flat ends", .dimensions = SS_IN_3D, .fields = field_table },
    .compile = compile,
    .bounds = bounds,
    .radius = radius,
    .thickness = thickness,
    .mass = mass,
};
