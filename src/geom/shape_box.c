/* shape_box.c - a box about the shape's origin, sides along its axes; in 2D a rectangle (half.z = 0).
 *
 * Per unit density, half sides h: 3D volume 8 hx hy hz, inertia m (hy^2 + hz^2) / 3 about x, and so on
 * round; 2D area 4 hx hy, the same formulas with hz = 0. */
#include "geom/outline.h"
#include "geom/shapes.h"

/* ---- what all boxes share ------------------------------------------------------------------ */

/* Corners: bit i set is the positive side of axis i. Edges: 4 axis + the sides of the two axes that follow in cyclic order.
 * Faces: 2 axis + side. */
static const int edges[12][2] = { { 0, 1 }, { 2, 3 }, { 4, 5 }, { 6, 7 }, { 0, 2 }, { 4, 6 },
                                  { 1, 3 }, { 5, 7 }, { 0, 4 }, { 1, 5 }, { 2, 6 }, { 3, 7 } };
static const int edge_faces[12][2] = { { 2, 4 }, { 4, 3 }, { 5, 2 }, { 3, 5 }, { 4, 0 }, { 0, 5 },
                                       { 1, 4 }, { 5, 1 }, { 0, 2 }, { 2, 1 }, { 3, 0 }, { 1, 3 } };
static const ss_vec3 normals[6] = { { -1, 0, 0 }, { 1, 0, 0 }, { 0, -1, 0 }, { 0, 1, 0 }, { 0, 0, -1 }, { 0, 0, 1 } };
static const int axes[3][2] = { { 0, 1 }, { 2, 3 }, { 4, 5 } };

static const int face_start[7] = { 0, 4, 8, 12, 16, 20, 24 };
static const int face_corners[24] = { 0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4, 2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6 };
static const int face_edges[24] = { 8, 5, 10, 4, 6, 11, 7, 9, 0, 9, 2, 8, 10, 3, 11, 1, 4, 1, 6, 0, 2, 7, 3, 5 };
static const ss_vec3 rims[24] = { { 0, -1, 0 }, { 0, 0, 1 },  { 0, 1, 0 },  { 0, 0, -1 }, { 0, 0, -1 }, { 0, 1, 0 },
                                  { 0, 0, 1 },  { 0, -1, 0 }, { 0, 0, -1 }, { 1, 0, 0 },  { 0, 0, 1 },  { -1, 0, 0 },
                                  { -1, 0, 0 }, { 0, 0, 1 },  { 1, 0, 0 },  { 0, 0, -1 }, { -1, 0, 0 }, { 0, 1, 0 },
                                  { 1, 0, 0 },  { 0, -1, 0 }, { 0, -1, 0 }, { 1, 0, 0 },  { 0, 1, 0 },  { -1, 0, 0 } };

static const int flat_start[5] = { 0, 2, 4, 6, 8 };
static const int flat_corners[8] = { 2, 0, 1, 3, 0, 1, 3, 2 };
static const ss_vec3 flat_rims[8] = { { 0, 1, 0 },  { 0, -1, 0 }, { 0, -1, 0 }, { 0, 1, 0 },
                                      { -1, 0, 0 }, { 1, 0, 0 },  { 1, 0, 0 },  { -1, 0, 0 } };

static const ss_polytope cuboid = { .corners = 8,
                                    .edges = 12,
                                    .faces = 6,
                                    .edge = edges,
                                    .edge_face = edge_faces,
                                    .normal = normals,
                                    .face_start = face_start,
                                    .face_corner = face_corners,
                                    .face_edge = face_edges,
                                    .rim = rims,
                                    .axes = 3,
                                    .axis = axes };
static const ss_polytope rectangle = { .corners = 4,
                                       .faces = 4,
                                       .normal = normals,
                                       .face_start = flat_start,
                                       .face_corner = flat_corners,
                                       .rim = flat_rims,
                                       .axes = 2,
                                       .axis = axes };

/* ---- one box ------------------------------------------------------------------------------- */

typedef struct box_block {
    ss_polytope p;
    ss_vec3 corner[8];
    double offset[6], width[6];
} box_block;

static const ss_field field_table[] = {
    SS_SHAPE_COMMON_FIELDS,
    SS_SHAPE_FIELD(SIZES, size, NAN, 0, INFINITY, SS_FIELD_REQUIRED | SS_FIELD_OPEN_MIN, "full side lengths, m"),
    SS_FIELD_END,
};

static ss_status compile(ss_context *ctx, const ss_shape_desc *desc, const char *path, ss_shape *shape)
{
    (void)path;
    box_block *b = NULL;
    SS_TRY(ss_calloc(ctx, 1, sizeof *b, &b));
    const ss_vec3 h = ss_v3(0.5 * desc->size[0], 0.5 * desc->size[1], shape->dimension == 3 ? 0.5 * desc->size[2] : 0);
    b->p = shape->dimension == 3 ? cuboid : rectangle;
    for (int k = 0; k < b->p.corners; k++) {
        b->corner[k] = ss_v3(k & 1 ? h.x : -h.x, k & 2 ? h.y : -h.y, k & 4 ? h.z : -h.z);
    }
    for (int f = 0; f < b->p.faces; f++) {
        b->offset[f] = f < 2 ? h.x : f < 4 ? h.y : h.z;
    }
    b->p.corner = b->corner;
    b->p.offset = b->offset;
    b->p.width = b->width;
    for (int f = 0; f < b->p.faces; f++) {
        b->width[f] = ss_face_width(&b->p, f);
    }
    b->p.size = ss_norm(h);
    shape->half = h;
    shape->owned = b;
    shape->polytope = &b->p;
    return SS_OK;
}

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
    .bounds = ss_polytope_bounds,
    .radius = ss_polytope_radius,
    .thickness = thickness,
    .mass = mass,
};
