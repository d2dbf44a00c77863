/* shape_box.c - a box about the shape's origin, sides along its axes; in 2D a rectangle (half.z = 0).
 *
 * Per unit density, half sides h: 3D volume 8 hx hy hz, inertia m (hy^2 + hz^2) / 3 about x, and so on
 * round; 2D area 4 hx hy, the same formulas with hz = 0. */
#include "geom/shapes.h"

static const ss_field field_table[] = {
    SS_SHAPE_COMMON_FIELDS,
    SS_SHAPE_FIELD(SIZES, size, NAN, 0, INFINITY, SS_FIELD_REQUIRED | SS_FIELD_OPEN_MIN, "full side lengths, m"),
    SS_FIELD_END,
};

static ss_status compile(ss_context *ctx, const ss_shape_desc *desc, const char *path, ss_shape *shape)
{
    (void)ctx;
    (void)path;
    shape->half = ss_v3(0.5 * desc->size[0], 0.5 * desc->size[1], shape->dimension == 3 ? 0.5 * desc->size[2] : 0);
    return SS_OK;
}

static ss_box3 bounds(const ss_shape *shape, const ss_frame *placed)
{
    const ss_vec3 x = placed->R.c[0], y = placed->R.c[1], z = placed->R.c[2], h = shape->half;
    const ss_vec3 reach =
        ss_v3(fabs(x.x) * h.x + fabs(y.x) * h.y + fabs(z.x) * h.z, fabs(x.y) * h.x + fabs(y.y) * h.y + fabs(z.y) * h.z,
              fabs(x.z) * h.x + fabs(y.z) * h.y + fabs(z.z) * h.z);
    return (ss_box3){ ss_sub(placed->p, reach), ss_add(placed->p, reach) };
}

static double radius(const ss_shape *shape) { return ss_norm(shape->half); }

static double thickness(const ss_shape *shape)
{
    const double flat = fmin(shape->half.x, shape->half.y);
    return shape->dimension == 3 ? fmin(flat, shape->half.z) : flat;
}

static ss_mass_properties mass(const ss_shape *shape)
{
    const ss_vec3 h = shape->half;
    const double volume = shape->dimension == 3 ? 8 * h.x * h.y * h.z : 4 * h.x * h.y;
    return (ss_mass_properties){
        .volume = volume,
        .inertia = { volume * (h.y * h.y + h.z * h.z) / 3, volume * (h.x * h.x + h.z * h.z) / 3,
                     volume * (h.x * h.x + h.y * h.y) / 3 },
    };
}

const ss_shape_type ss_shape_type_box = {
    .info = { .name = "box", .title = "box, in 2D a rectangle", .dimensions = SS_IN_2D | SS_IN_3D, .fields = field_table },
    .compile = compile,
    .bounds = bounds,
    .radius = radius,
    .thickness = thickness,
    .mass = mass,
};
