/* shape.c - the registry of shapes, and what is common to all: bounds, radius and mass properties of a
 * shape placed in its body.
 *
 * Symbols   p, R   shape -> body (shape->local)
 *           c, J   centroid and inertia per unit density about the shape's origin, shape frame
 * A type gives its properties in its own frame. In the body frame, about the body's origin,
 *
 *     centroid  p + R c,      J_body = R (J - m S(c)) R' + m S(p + R c),    S(x) = |x|^2 1 - x x'
 *
 * (parallel axes through the centroid). Cost: constant. */
#include "geom/outline.h"
#include "geom/shapes.h"

const ss_shape_type *const ss_shape_types[SS_SHAPE_KINDS + 1] = {
#define SS_SHAPE(name) [SS_SHAPE_##name] = &ss_shape_type_##name,
#include "geom/shapes.def"
#undef SS_SHAPE
    NULL,
};

ss_box3 ss_shape_bounds(const ss_shape *shape, const ss_frame *body)
{
    const ss_frame placed = ss_frame_compose(*body, shape->local);
    return ss_shape_types[shape->kind]->bounds(shape, &placed);
}

double ss_shape_radius(const ss_shape *shape) { return ss_norm(shape->local.p) + ss_shape_types[shape->kind]->radius(shape); }

double ss_shape_thickness(const ss_shape *shape) { return ss_shape_types[shape->kind]->thickness(shape); }

/* J += s (|x|^2 1 - x x'), J stored as xx yy zz xy xz yz */
static void add_point_inertia(double s, ss_vec3 x, double J[6])
{
    J[0] += s * (x.y * x.y + x.z * x.z);
    J[1] += s * (x.x * x.x + x.z * x.z);
    J[2] += s * (x.x * x.x + x.y * x.y);
    J[3] -= s * x.x * x.y;
    J[4] -= s * x.x * x.z;
    J[5] -= s * x.y * x.z;
}

/* J <- R J R' */
static void rotate_inertia(ss_mat3 R, double J[6])
{
    const ss_mat3 full = { { { J[0], J[3], J[4] }, { J[3], J[1], J[5] }, { J[4], J[5], J[2] } } };
    const ss_mat3 RJ = ss_compose(R, full);
    const ss_mat3 Rt = {
        { { R.c[0].x, R.c[1].x, R.c[2].x }, { R.c[0].y, R.c[1].y, R.c[2].y }, { R.c[0].z, R.c[1].z, R.c[2].z } }
    };
    const ss_mat3 out = ss_compose(RJ, Rt);
    J[0] = out.c[0].x;
    J[1] = out.c[1].y;
    J[2] = out.c[2].z;
    J[3] = out.c[1].x;
    J[4] = out.c[2].x;
    J[5] = out.c[2].y;
}

void ss_mass_shift(ss_mass_properties *mass, ss_vec3 by)
{
    add_point_inertia(-mass->volume, mass->centroid, mass->inertia);
    mass->centroid = ss_add(mass->centroid, by);
    add_point_inertia(mass->volume, mass->centroid, mass->inertia);
}

ss_mass_properties ss_shape_mass(const ss_shape *shape)
{
    const ss_shape_type *type = ss_shape_types[shape->kind];
    if (!type->mass) {
        return (ss_mass_properties){ 0 };
    }
    ss_mass_properties mass = type->mass(shape);
    rotate_inertia(shape->local.R, mass.inertia);
    mass.centroid = ss_rotate(shape->local.R, mass.centroid);
    ss_mass_shift(&mass, shape->local.p);
    return mass;
}

void ss_shape_free(ss_context *ctx, ss_shape *shape)
{
    ss_free(ctx, shape->owned);
    shape->owned = NULL;
}

double ss_endless(const ss_shape *shape)
{
    (void)shape;
    return INFINITY;
}
