/* shape_sphere.c - a ball about the shape's origin; in 2D a disk.
 *
 * Per unit density, radius r: 3D volume 4/3 pi r^3, inertia 2/5 m r^2; 2D area pi r^2, inertia m r^2 / 2
 * about z and m r^2 / 4 in the plane. */
#include "geom/outline.h"
#include "geom/shapes.h"

static const ss_field field_table[] = {
    SS_SHAPE_COMMON_FIELDS,
    SS_SHAPE_FIELD(NUMBER, radius, NAN, 0, INFINITY, SS_FIELD_REQUIRED | SS_FIELD_OPEN_MIN, "radius, m"),
    SS_FIELD_END,
};

static ss_status compile(ss_context *ctx, const ss_shape_desc *desc, const char *path, ss_shape *shape)
{
    (void)ctx;
    (void)path;
    shape->radius = desc->radius;
    shape->polytope = &ss_polytope_point;
    return SS_OK;
}

static double thickness(const ss_shape *shape) { return shape->radius; }

static ss_mass_properties mass(const ss_shape *shape)
{
    const double pi = 3.14159265358979323846, r = shape->radius;
    ss_mass_properties out = { 0 };
    if (shape->dimension == 3) {
        out.volume = 4.0 / 3.0 * pi * r * r * r;
        out.inertia[0] = out.inertia[1] = out.inertia[2] = 0.4 * out.volume * r * r;
    } else {
        out.volume = pi * r * r;
        out.inertia[0] = out.inertia[1] = 0.25 * out.volume * r * r;
        out.inertia[2] = 0.5 * out.volume * r * r;
    }
    return out;
}

const ss_shape_type ss_shape_type_sphere = {
    .info = { .name = "sphere",
              .title = "ball, in 2D a disk",
              .aliases = "disk",
              .dimensions = SS_IN_2D | SS_IN_3D,
              .fields = field_table },
    .compile = compile,
    .bounds = ss_polytope_bounds,
    .radius = ss_polytope_radius,
    .thickness = thickness,
    .mass = mass,
};
