/* shape_capsule.c - all points within `radius` of a segment of the given length along the shape's last axis; in 2D a stadium.
 *
 * Per unit density, radius r, half length l: 3D a cylinder of mass m = 2 pi r^2 l and two half balls of mass M = 2/3 pi r^3
 * each, whose centroids are l + 3 r / 8 from the middle. About the axis m r^2 / 2 + 4/5 M r^2; across it
 *
 *     m (r^2 / 4 + l^2 / 3) + 2 M (2/5 r^2 + l^2 + 3/4 l r).
 *
 * 2D a rectangle of mass m = 4 r l and two half disks of mass M = pi r^2 / 2 each, centroids l + 4 r / (3 pi) away: along the
 * axis (about y) m r^2 / 3 + M r^2 / 2; about x  m l^2 / 3 + 2 M (r^2 / 4 + l^2 + 8 l r / (3 pi)); about z their sum. */
#include "geom/outline.h"
#include "geom/shapes.h"

static const ss_field field_table[] = {
    SS_SHAPE_COMMON_FIELDS,
    SS_SHAPE_FIELD(NUMBER, radius, NAN, 0, INFINITY, SS_FIELD_REQUIRED | SS_FIELD_OPEN_MIN, "radius, m"),
    SS_SHAPE_FIELD(NUMBER, length, NAN, 0, INFINITY, SS_FIELD_REQUIRED | SS_FIELD_OPEN_MIN,
                   "between the centres of its round ends, along the last axis, m"),
    SS_FIELD_END,
};

static const int edge[1][2] = { { 0, 1 } }, edge_face[1][2] = { { -1, -1 } };

/* In 2D the core is a rectangle without width: two long faces, and at each corner one without length, so that the normals
 * of the faces separate it from whatever lies beyond its ends. */
static const ss_vec3 normals[4] = { { 1, 0, 0 }, { -1, 0, 0 }, { 0, -1, 0 }, { 0, 1, 0 } };
static const int face_start[5] = { 0, 2, 4, 6, 8 }, face_corner[8] = { 0, 1, 1, 0, 0, 0, 1, 1 };
static const ss_vec3 rims[8] = { { 0, -1, 0 }, { 0, 1, 0 }, { 0, 1, 0 }, { 0, -1, 0 },
                                 { -1, 0, 0 }, { 1, 0, 0 }, { 1, 0, 0 }, { -1, 0, 0 } };
static const int axis[2][2] = { { 0, 1 }, { 2, 3 } };

static const ss_polytope segment = { .corners = 2, .edges = 1, .edge = edge, .edge_face = edge_face };
static const ss_polytope thin = { .corners = 2,
                                  .faces = 4,
                                  .normal = normals,
                                  .face_start = face_start,
                                  .face_corner = face_corner,
                                  .rim = rims,
                                  .axes = 2,
                                  .axis = axis };

typedef struct capsule_block {
    ss_polytope p;
    ss_vec3 corner[2];
    double offset[4];
} capsule_block;

static ss_status compile(ss_context *ctx, const ss_shape_desc *desc, const char *path, ss_shape *shape)
{
    (void)path;
    capsule_block *b = NULL;
    SS_TRY(ss_calloc(ctx, 1, sizeof *b, &b));
    shape->radius = desc->radius;
    shape->length = 0.5 * desc->length;
    b->p = shape->dimension == 3 ? segment : thin;
    b->corner[1] = shape->dimension == 3 ? ss_v3(0, 0, shape->length) : ss_v3(0, shape->length, 0);
    b->corner[0] = ss_scale(-1, b->corner[1]);
    b->offset[2] = b->offset[3] = shape->length;
    b->p.corner = b->corner;
    b->p.offset = b->offset;
    b->p.size = shape->length;
    shape->owned = b;
    shape->polytope = &b->p;
    return SS_OK;
}

static double thickness(const ss_shape *shape) { return shape->radius; }

static ss_mass_properties mass(const ss_shape *shape)
{
    const double pi = 3.14159265358979323846, r = shape->radius, l = shape->length;
    if (shape->dimension == 3) {
        const double m = 2 * pi * r * r * l, M = 2.0 / 3.0 * pi * r * r * r;
        const double across = m * (r * r / 4 + l * l / 3) + 2 * M * (0.4 * r * r + l * l + 0.75 * l * r);
        return (ss_mass_properties){ .volume = m + 2 * M, .inertia = { across, across, r * r * (0.5 * m + 0.8 * M) } };
    }
    const double m = 4 * r * l, M = 0.5 * pi * r * r;
    const double about_y = r * r * (m / 3 + 0.5 * M);
    const double about_x = m * l * l / 3 + 2 * M * (r * r / 4 + l * l + 8 * l * r / (3 * pi));
    return (ss_mass_properties){ .volume = m + 2 * M, .inertia = { about_x, about_y, about_x + about_y } };
}

const ss_shape_type ss_shape_type_capsule = {
    .info = { .name = "capsule",
              .title = "cylinder with round ends, in 2D a stadium",
              .dimensions = SS_IN_2D | SS_IN_3D,
              .fields = field_table },
    .compile = compile,
    .bounds = ss_polytope_bounds,
    .radius = ss_polytope_radius,
    .thickness = thickness,
    .mass = mass,
};
