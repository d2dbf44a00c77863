/* shape_hull.c - the convex hull of points in space, by qhull (reentrant).
 *
 * The points are moved to their mean and scaled to size one before qhull sees them: neither the place nor the unit matters.
 * Facets whose planes differ by less than 1e-10 of the size are merged (qhull's option C), so a cube has six faces however
 * many points it is given by. A point that then lies on fewer than three faces is in the middle of an edge and is dropped,
 * as are points inside and duplicates.
 *
 * Mass properties: the tetrahedra of the middle and the triangles of the faces. With corners 0, a, b, c, s = a + b + c and
 * v = a . (b x c) / 6,  volume v, first moment v s / 4, second moments  v / 20 (a a' + b b' + c c' + s s').
 *
 * Cost      n log n
 * Memory    what qhull takes is given back before compile returns */
#include "base/tolerances.h"
#include "geom/outline.h"
#include "geom/shapes.h"
#include <stdio.h>

#include <libqhull_r/qhull_ra.h>

static const ss_field field_table[] = {
    SS_SHAPE_COMMON_FIELDS,
    SS_SHAPE_FIELD(POINTS, points, 0, -INFINITY, INFINITY, SS_FIELD_REQUIRED, "points, of which the convex hull is taken, m"),
    SS_FIELD_END,
};

/* fourth powers and fifths of lengths are to be numbers */
static const double largest = 1e50;

/* the work of one hull; everything is released by release() */
typedef struct hull_work {
    ss_context *ctx;
    const char *path;
    int n;
    double *x;             /* n x 3, centred and scaled                                */
    int *faces;            /* of points: how many faces it lies on                     */
    int *number;           /* of points: its number as a corner                        */
    ss_vec3 *corner;       /* the hull's corners, as given                             */
    int *start, *vertices; /* of faces: starts, and corners in order round the normal  */
    int corners, count, slots, start_room, vertex_room;
} hull_work;

static void release(hull_work *w)
{
    ss_free(w->ctx, w->x);
    ss_free(w->ctx, w->faces);
    ss_free(w->ctx, w->number);
    ss_free(w->ctx, w->corner);
    ss_free(w->ctx, w->start);
    ss_free(w->ctx, w->vertices);
}

/* ---- the points ---------------------------------------------------------------------------- */

static ss_status take_points(hull_work *w, const ss_points *points)
{
    double middle[3] = { 0, 0, 0 }, size = 0;
    for (int k = 0; k < 3 * w->n; k++) {
        if (!isfinite(points->x[k])) {
            return ss_fail(w->ctx, SS_ERR_INPUT, "%s.points.%d: expected finite numbers", w->path, k / 3);
        }
        middle[k % 3] += points->x[k] / w->n;
    }
    for (int k = 0; k < 3 * w->n; k++) {
        w->x[k] = points->x[k] - middle[k % 3];
        size = fmax(size, fabs(w->x[k]));
    }
    if (!(size > 0)) {
        return ss_fail(w->ctx, SS_ERR_INPUT, "%s.points: all points coincide", w->path);
    }
    if (!(size < largest)) {
        return ss_fail(w->ctx, SS_ERR_INPUT, "%s.points: points lie up to %.3g m from their mean, at most %.3g m is possible",
                       w->path, size, largest);
    }
    for (int k = 0; k < 3 * w->n; k++) {
        w->x[k] /= size;
    }
    return SS_OK;
}

/* ---- qhull --------------------------------------------------------------------------------- */

static bool turned_round(const hull_work *w, const int *loop, int n, const double normal[3])
{
    ss_vec3 sum = { 0, 0, 0 };
    const ss_vec3 first = ss_v3_from(w->x + 3 * loop[0]);
    for (int i = 1; i + 1 < n; i++) {
        sum = ss_add(sum,
                     ss_cross(ss_sub(ss_v3_from(w->x + 3 * loop[i]), first), ss_sub(ss_v3_from(w->x + 3 * loop[i + 1]), first)));
    }
    return ss_dot(sum, ss_v3_from(normal)) < 0;
}

/* the points of one facet, in order round its normal */
static ss_status take_facet(hull_work *w, qhT *qh, facetT *facet)
{
    setT *set = qh_facet3vertex(qh, facet);
    const int n = qh_setsize(qh, set);
    ss_status status = ss_reserve(w->ctx, &w->vertices, &w->vertex_room, w->slots + n, sizeof *w->vertices);
    if (status == SS_OK) {
        int *loop = w->vertices + w->slots;
        for (int i = 0; i < n; i++) {
            loop[i] = qh_pointid(qh, SETelemt_(set, i, vertexT)->point);
        }
        const bool reversed = turned_round(w, loop, n, facet->normal);
        for (int i = 0; i < n / 2 && reversed; i++) {
            const int t = loop[i];
            loop[i] = loop[n - 1 - i];
            loop[n - 1 - i] = t;
        }
        w->slots += n;
        status = ss_reserve(w->ctx, &w->start, &w->start_room, w->count + 2, sizeof *w->start);
    }
    if (status == SS_OK) {
        w->start[++w->count] = w->slots;
    }
    qh_settempfree(qh, &set);
    return status;
}

static ss_status take_facets(hull_work *w, qhT *qh)
{
    facetT *facet;
    SS_TRY(ss_reserve(w->ctx, &w->start, &w->start_room, 1, sizeof *w->start));
    w->start[0] = 0;
    FORALLfacet_(qh->facet_list) { SS_TRY(take_facet(w, qh, facet)); }
    return SS_OK;
}

/* qhull leaves its functions by longjmp when it finds an error, and the program if nobody waits for that */
static ss_status take_facets_safely(hull_work *w, qhT *qh)
{
    if (setjmp(qh->errexit) != 0) {
        return ss_fail(w->ctx, SS_ERR_INPUT,
                       "%s.points: the convex hull of the %d points could not be built (its faces are inconsistent)", w->path,
                       w->n);
    }
    qh->NOerrexit = False;
    const ss_status status = take_facets(w, qh);
    qh->NOerrexit = True;
    return status;
}

/* qhull writes its complaints to a file: this one is a little memory that is thrown away, ours say the same in one line */
static ss_status run_qhull(hull_work *w)
{
    char options[] = "qhull C-1e-10", complaints[256];
    FILE *nowhere = fmemopen(complaints, sizeof complaints, "w");
    if (!nowhere) {
        return ss_fail(w->ctx, SS_ERR_MEMORY, "%s: out of memory while building the convex hull", w->path);
    }
    qhT memory = { 0 }, *qh = &memory;
    qh_zero(qh, nowhere);
    const int code = qh_new_qhull(qh, 3, w->n, w->x, False, options, nowhere, nowhere);
    ss_status status = SS_OK;
    if (code == qh_ERRsingular || code == qh_ERRinput) {
        status = ss_fail(w->ctx, SS_ERR_INPUT, "%s.points: the %d points lie in a plane or on a line", w->path, w->n);
    } else if (code != qh_ERRnone) {
        status = ss_fail(w->ctx, SS_ERR_INPUT, "%s.points: the convex hull of the %d points could not be built (qhull error %d)",
                         w->path, w->n, code);
    } else {
        status = take_facets_safely(w, qh);
    }
    int left = 0, bytes = 0;
    qh_freeqhull(qh, !qh_ALL);
    qh_memfreeshort(qh, &left, &bytes);
    fclose(nowhere);
    return status;
}

/* ---- corners ------------------------------------------------------------------------------- */

/* points on three faces or more are the corners, in the order given; the others leave the faces' lists */
static void number_corners(hull_work *w, const ss_points *points)
{
    for (int i = 0; i < w->slots; i++) {
        w->faces[w->vertices[i]]++;
    }
    for (int k = 0; k < w->n; k++) {
        w->number[k] = w->faces[k] >= 3 ? w->corners++ : -1;
        if (w->number[k] >= 0) {
            w->corner[w->number[k]] = ss_v3_from(points->x + 3 * k);
        }
    }
    int kept = 0;
    for (int f = 0, next = 0; f < w->count; f++) {
        for (; next < w->start[f + 1]; next++) {
            if (w->number[w->vertices[next]] >= 0) {
                w->vertices[kept++] = w->number[w->vertices[next]];
            }
        }
        w->start[f + 1] = kept;
    }
}

static ss_status make(hull_work *w, const ss_points *points, ss_shape *shape)
{
    SS_TRY(ss_calloc(w->ctx, 3 * (size_t)w->n, sizeof *w->x, &w->x));
    SS_TRY(ss_calloc(w->ctx, (size_t)w->n, sizeof *w->faces, &w->faces));
    SS_TRY(ss_calloc(w->ctx, (size_t)w->n, sizeof *w->number, &w->number));
    SS_TRY(ss_calloc(w->ctx, (size_t)w->n, sizeof *w->corner, &w->corner));
    SS_TRY(take_points(w, points));
    SS_TRY(run_qhull(w));
    number_corners(w, points);
    const ss_outline outline = { 3, w->corners, w->count, w->corner, w->start, w->vertices };
    SS_TRY(ss_polytope_make(w->ctx, &outline, w->path, shape));
    if (!(ss_polytope_thickness(shape) > SS_TOL_FLAT * shape->polytope->size)) {
        return ss_fail(w->ctx, SS_ERR_INPUT, "%s.points: the hull is too flat: %.3g m thick and %.3g m long", w->path,
                       2 * ss_polytope_thickness(shape), 2 * shape->polytope->size);
    }
    return SS_OK;
}

static ss_status compile(ss_context *ctx, const ss_shape_desc *desc, const char *path, ss_shape *shape)
{
    if (desc->points.n < 4) {
        return ss_fail(ctx, SS_ERR_INPUT, "%s.points: %d points, a hull has at least 4", path, desc->points.n);
    }
    hull_work w = { .ctx = ctx, .path = path, .n = desc->points.n };
    const ss_status status = make(&w, &desc->points, shape);
    release(&w);
    if (status != SS_OK) {
        ss_shape_free(ctx, shape);
    }
    return status;
}

/* ---- mass ---------------------------------------------------------------------------------- */

/* C += v / 20 x x' as an inertia: tr(C) 1 - C */
static void add_second(double v, ss_vec3 x, double J[6])
{
    J[0] += v / 20 * (x.y * x.y + x.z * x.z);
    J[1] += v / 20 * (x.x * x.x + x.z * x.z);
    J[2] += v / 20 * (x.x * x.x + x.y * x.y);
    J[3] -= v / 20 * x.x * x.y;
    J[4] -= v / 20 * x.x * x.z;
    J[5] -= v / 20 * x.y * x.z;
}

static void add_tetrahedron(ss_mass_properties *m, ss_vec3 a, ss_vec3 b, ss_vec3 c)
{
    const ss_vec3 s = ss_add(a, ss_add(b, c));
    const double v = ss_dot(a, ss_cross(b, c)) / 6;
    m->volume += v;
    m->centroid = ss_axpy(v / 4, s, m->centroid);
    add_second(v, a, m->inertia);
    add_second(v, b, m->inertia);
    add_second(v, c, m->inertia);
    add_second(v, s, m->inertia);
}

static ss_mass_properties mass(const ss_shape *shape)
{
    const ss_polytope *p = shape->polytope;
    ss_mass_properties out = { 0 };
    for (int f = 0; f < p->faces; f++) {
        const ss_vec3 a = ss_sub(p->corner[p->face_corner[p->face_start[f]]], p->middle);
        for (int i = p->face_start[f] + 1; i + 1 < p->face_start[f + 1]; i++) {
            add_tetrahedron(&out, a, ss_sub(p->corner[p->face_corner[i]], p->middle),
                            ss_sub(p->corner[p->face_corner[i + 1]], p->middle));
        }
    }
    out.centroid = ss_scale(1 / out.volume, out.centroid);
    ss_mass_shift(&out, p->middle);
    return out;
}

const ss_shape_type ss_shape_type_hull = {
    .info = { .name = "hull", .title = "convex hull of points", .dimensions = SS_IN_3D, .fields = field_table },
    .compile = compile,
    .bounds = ss_polytope_bounds,
    .radius = ss_polytope_radius,
    .thickness = ss_polytope_thickness,
    .mass = mass,
};
