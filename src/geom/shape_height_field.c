/* shape_height_field.c - ground: heights on a regular grid, solid below (terrain.h).
 *
 * It has neither volume nor, downwards, an end. The bounds hold the surface, and are infinite along every axis of the
 * world that "down" has a part of. Ground stops whatever is below its surface, so nothing passes through it unseen. */
#include "geom/shapes.h"
#include "geom/terrain.h"

static const double SIDEWAYS = 1e-15; /* cosine between an axis of the world and one that has no part of the way down */
enum { MOST_HEIGHTS = 1 << 24 };      /* of two faces and three edges each: their numbers fit into an int many times over */

static const ss_field field_table[] = {
    SS_SHAPE_COMMON_FIELDS,
    SS_SHAPE_FIELD(HEIGHTS, heights, 0, -INFINITY, INFINITY, SS_FIELD_REQUIRED,
                   "heights along the last axis, m; 3D: rows along y, each with its heights along x; centred on the origin"),
    SS_SHAPE_FIELD(NUMBER, spacing, NAN, 0, INFINITY, SS_FIELD_REQUIRED | SS_FIELD_OPEN_MIN, "between neighbouring heights, m"),
    SS_FIELD_END,
};

static ss_status compile(ss_context *ctx, const ss_shape_desc *desc, const char *path, ss_shape *shape)
{
    const ss_heights *h = &desc->heights;
    const int least = shape->dimension == 3 ? 2 : 1;
    if (h->columns < 2 || h->rows < least || (shape->dimension == 2 && h->rows != 1)) {
        return ss_fail(ctx, SS_ERR_INPUT, "%s.heights: %d rows of %d, expected %s", path, h->rows, h->columns,
                       shape->dimension == 3 ? "at least 2 rows of 2" : "one row of at least 2");
    }
    if ((int64_t)h->rows * h->columns > MOST_HEIGHTS) {
        return ss_fail(ctx, SS_ERR_INPUT, "%s.heights: %lld heights, at most %d", path, (long long)h->rows * h->columns,
                       (int)MOST_HEIGHTS);
    }
    for (int k = 0; k < h->rows * h->columns; k++) {
        if (!isfinite(h->z[k])) {
            return ss_fail(ctx, SS_ERR_INPUT, "%s.heights.%d: expected a finite number, got %g", path, k, h->z[k]);
        }
    }
    if (!(desc->spacing > 0) || !isfinite(desc->spacing)) {
        return ss_fail(ctx, SS_ERR_INPUT, "%s.spacing: expected a number > 0, got %g", path, desc->spacing);
    }
    ss_terrain *terrain = NULL;
    SS_TRY(ss_terrain_make(ctx, shape->dimension, h, desc->spacing, &terrain));
    shape->terrain = terrain;
    shape->owned = terrain;
    return SS_OK;
}

/* half sides of the rectangle under the field */
static ss_vec3 half_sides(const ss_terrain *t)
{
    return ss_v3(0.5 * (t->columns - 1) * t->spacing, 0.5 * (t->rows - 1) * t->spacing, 0);
}

/* lo and hi of one world axis e: the surface's box, and the way down */
static void bound_axis(const ss_terrain *t, ss_vec3 e, double at, double *lo, double *hi)
{
    const ss_vec3 half = half_sides(t);
    const double upward = t->dimension == 3 ? e.z : e.y, flat = fabs(e.x) * half.x + (t->dimension == 3 ? fabs(e.y) * half.y : 0);
    *lo = at - flat + fmin(upward * t->lowest, upward * t->highest);
    *hi = at + flat + fmax(upward * t->lowest, upward * t->highest);
    if (fabs(upward) > SIDEWAYS) {
        *(upward > 0 ? lo : hi) = upward > 0 ? -INFINITY : INFINITY;
    }
}

static ss_box3 bounds(const ss_shape *shape, const ss_frame *placed)
{
    const ss_mat3 R = placed->R;
    ss_box3 box;
    bound_axis(shape->terrain, ss_v3(R.c[0].x, R.c[1].x, R.c[2].x), placed->p.x, &box.lo.x, &box.hi.x);
    bound_axis(shape->terrain, ss_v3(R.c[0].y, R.c[1].y, R.c[2].y), placed->p.y, &box.lo.y, &box.hi.y);
    bound_axis(shape->terrain, ss_v3(R.c[0].z, R.c[1].z, R.c[2].z), placed->p.z, &box.lo.z, &box.hi.z);
    return box;
}

const ss_shape_type ss_shape_type_height_field = {
    .info = { .name = "height_field",
              .title = "ground given by heights",
              .dimensions = SS_IN_2D | SS_IN_3D,
              .fields = field_table },
    .compile = compile,
    .bounds = bounds,
    .radius = ss_endless,
    .thickness = ss_endless,
};
