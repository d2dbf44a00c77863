/* shape_polygon.c - a convex polygon of the plane, given by its corners in either orientation.
 *
 * Per unit density, corners x_i counted against the clock, c_i = x_i x x_{i+1} / 2 the area of the triangle with the origin:
 *
 *     area       A = sum c_i
 *     centroid   sum c_i (x_i + x_{i+1}) / 3 / A
 *     xx, yy     sum c_i / 6 (y_i^2 + y_i y_{i+1} + y_{i+1}^2) and the same with x;   zz = xx + yy
 *     xy         - sum c_i / 12 (x_i y_{i+1} + 2 x_i y_i + 2 x_{i+1} y_{i+1} + x_{i+1} y_i)
 *
 * all taken about the mean of the corners, so that no digits are lost far from the origin.
 * The corners are in order and convex when every turn is to the same side and the turns add up to one round. */
#include "base/tolerances.h"
#include "geom/outline.h"
#include "geom/shapes.h"

static const ss_field field_table[] = {
    SS_SHAPE_COMMON_FIELDS,
    SS_SHAPE_FIELD(POINTS, points, 0, -INFINITY, INFINITY, SS_FIELD_REQUIRED, "corners in order, m"),
    SS_FIELD_END,
};

static double cross_z(ss_vec3 a, ss_vec3 b) { return a.x * b.y - a.y * b.x; }

static double doubled_area(int n, const ss_vec3 *x)
{
    double sum = 0;
    for (int i = 1; i + 1 < n; i++) {
        sum += cross_z(ss_sub(x[i], x[0]), ss_sub(x[i + 1], x[0]));
    }
    return sum;
}

/* the index that the scene knows corner i by */
static int given(int i, int n, bool reversed) { return reversed ? n - 1 - i : i; }

/* the largest distance from the first corner */
static double extent(int n, const ss_vec3 *x)
{
    double size = 0;
    for (int i = 0; i < n; i++) {
        size = fmax(size, ss_norm(ss_sub(x[i], x[0])));
    }
    return size;
}

static ss_status check_points(ss_context *ctx, const char *path, int n, const ss_vec3 *x)
{
    for (int i = 0; i < n; i++) {
        if (!isfinite(x[i].x) || !isfinite(x[i].y)) {
            return ss_fail(ctx, SS_ERR_INPUT, "%s.points.%d: expected finite numbers", path, i);
        }
    }
    const double size = extent(n, x), largest = 1e50; /* fourth powers of lengths are to be numbers */
    if (!(size < largest)) {
        return ss_fail(ctx, SS_ERR_INPUT, "%s.points: points lie up to %.3g m apart, at most %.3g m is possible", path, size,
                       largest);
    }
    for (int i = 1; i <= n; i++) {
        if (!(ss_norm(ss_sub(x[i % n], x[i - 1])) > SS_TOL_SHAPE * size)) {
            return ss_fail(ctx, SS_ERR_INPUT, "%s.points.%d: this corner and the one before coincide", path, i % n);
        }
    }
    if (!(fabs(doubled_area(n, x)) > SS_TOL_SHAPE * size * size)) {
        return ss_fail(ctx, SS_ERR_INPUT, "%s.points: the polygon has no area", path);
    }
    return SS_OK;
}

/* turns to the wrong side, named; x runs against the clock */
static ss_status check_turns(ss_context *ctx, const char *path, int n, const ss_vec3 *x, bool reversed)
{
    double turned = 0;
    for (int i = 0; i < n; i++) {
        const ss_vec3 in = ss_sub(x[i], x[(i + n - 1) % n]), out = ss_sub(x[(i + 1) % n], x[i]);
        const double sine = cross_z(in, out) / (ss_norm(in) * ss_norm(out));
        if (!(sine > SS_TOL_SHAPE)) {
            return ss_fail(ctx, SS_ERR_INPUT, "%s.points.%d: the polygon is not convex at this corner (sine of its turn %.3g)",
                           path, given(i, n, reversed), reversed ? -sine : sine);
        }
        turned += atan2(cross_z(in, out), ss_dot(in, out));
    }
    if (turned > 7) { /* more than one round, 2 pi */
        return ss_fail(ctx, SS_ERR_INPUT, "%s.points: the boundary goes round more than once", path);
    }
    return SS_OK;
}

/* memory: corners, starts of faces, corners of faces */
static ss_status make(ss_context *ctx, const char *path, int n, ss_vec3 *x, int *starts, ss_shape *shape)
{
    int *ends = starts + n + 1;
    SS_TRY(check_points(ctx, path, n, x));
    const bool reversed = doubled_area(n, x) < 0;
    for (int i = 0; i < n / 2 && reversed; i++) {
        const ss_vec3 t = x[i];
        x[i] = x[n - 1 - i];
        x[n - 1 - i] = t;
    }
    SS_TRY(check_turns(ctx, path, n, x, reversed));
    for (int i = 0; i <= n; i++) {
        starts[i] = 2 * i;
    }
    for (int i = 0; i < n; i++) {
        ends[2 * i] = i;
        ends[2 * i + 1] = (i + 1) % n;
    }
    const ss_outline outline = { 2, n, n, x, starts, ends };
    return ss_polytope_make(ctx, &outline, path, shape);
}

static ss_status compile(ss_context *ctx, const ss_shape_desc *desc, const char *path, ss_shape *shape)
{
    const int n = desc->points.n;
    if (n < 3 || n > SS_FEATURES_MAX / 2) {
        return ss_fail(ctx, SS_ERR_INPUT, "%s.points: %d corners, a polygon has 3 to %d", path, n, SS_FEATURES_MAX / 2);
    }
    ss_vec3 *x = NULL;
    int *index = NULL;
    ss_status status = ss_calloc(ctx, (size_t)n, sizeof *x, &x);
    if (status == SS_OK) {
        status = ss_calloc(ctx, 3 * (size_t)n + 1, sizeof *index, &index);
    }
    if (status == SS_OK) {
        for (int i = 0; i < n; i++) {
            x[i] = ss_v3(desc->points.x[3 * i], desc->points.x[3 * i + 1], 0);
        }
        status = make(ctx, path, n, x, index, shape);
    }
    ss_free(ctx, x);
    ss_free(ctx, index);
    return status;
}

static ss_mass_properties mass(const ss_shape *shape)
{
    const ss_polytope *p = shape->polytope;
    ss_mass_properties out = { 0 };
    ss_vec3 first = { 0, 0, 0 };
    for (int i = 0; i < p->corners; i++) {
        const ss_vec3 x = ss_sub(p->corner[i], p->middle), y = ss_sub(p->corner[(i + 1) % p->corners], p->middle);
        const double c = 0.5 * cross_z(x, y);
        out.volume += c;
        first = ss_axpy(c / 3, ss_add(x, y), first);
        out.inertia[0] += c / 6 * (x.y * x.y + x.y * y.y + y.y * y.y);
        out.inertia[1] += c / 6 * (x.x * x.x + x.x * y.x + y.x * y.x);
        out.inertia[3] -= c / 12 * (x.x * y.y + 2 * x.x * x.y + 2 * y.x * y.y + y.x * x.y);
    }
    out.inertia[2] = out.inertia[0] + out.inertia[1];
    out.centroid = ss_scale(1 / out.volume, first);
    ss_mass_shift(&out, p->middle);
    return out;
}

const ss_shape_type ss_shape_type_polygon = {
    .info = { .name = "polygon", .title = "convex polygon", .dimensions = SS_IN_2D, .fields = field_table },
    .compile = compile,
    .bounds = ss_polytope_bounds,
    .radius = ss_polytope_radius,
    .thickness = ss_polytope_thickness,
    .mass = mass,
};
