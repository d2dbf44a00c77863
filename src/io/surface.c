/* surface.c - every shape of a model as points, lines and polygons in the frame of its body.
 *
 *   2D   box, polygon, disk, capsule   one polygon                 half space, height field   a line
 *   3D   box, hull                     its faces                   half space                 a square
 *        sphere, capsule, cylinder     a profile (r, z) turned about the z axis of the shape
 *        height field                  two triangles for each cell
 *   point, and a body without shapes   one point
 *
 * Half spaces have no end: they are drawn twice as far as the scene reaches at the start, about the foot of its middle. Round
 * shapes get SIDES sides, or fewer where there are very many of them. User blocks have no place in space and are left out.
 * Cost: linear in the number of points, once for each run. */
#include "io/surface.h"

#include "geom/polytope.h"
#include "geom/terrain.h"

enum { SIDES = 24, FEW_SIDES = 12, MANY_SHAPES = 1000 };
static const double pi = 3.14159265358979323846;

/* where shapes are drawn to: a body, the shape's frame in it, and how finely */
typedef struct pen {
    ss_surface *to;
    int body, sides;
    ss_frame place;
    ss_box3 scene; /* all that has an end, at the start, world */
} pen;

/* ---- points and cells -------------------------------------------------------------------------- */

static ss_status add_point(const pen *p, ss_vec3 x)
{
    ss_surface *s = p->to;
    SS_TRY(ss_reserve(s->ctx, &s->point_body, &s->body_cap, s->points + 1, sizeof *s->point_body));
    SS_TRY(ss_reserve(s->ctx, &s->point, &s->point_cap, s->points + 1, sizeof *s->point));
    s->point_body[s->points] = p->body;
    s->point[s->points++] = ss_point_to_world(p->place, x);
    return SS_OK;
}

static ss_status add_cell(const pen *p, int kind, int n, const int *corner)
{
    ss_context *ctx = p->to->ctx;
    ss_cell_list *list = &p->to->list[kind];
    for (int k = 0; k < n; k++) {
        SS_PUSH(ctx, list->corner, list->corners, list->corner_cap, corner[k]);
    }
    SS_TRY(ss_reserve(ctx, &list->body, &list->body_cap, list->cells + 1, sizeof *list->body));
    SS_TRY(ss_reserve(ctx, &list->end, &list->end_cap, list->cells + 1, sizeof *list->end));
    list->body[list->cells] = p->body;
    list->end[list->cells++] = list->corners;
    return SS_OK;
}

/* one cell through the points from number `first` on to the last */
static ss_status join_points(const pen *p, int kind, int first)
{
    ss_cell_list *list = &p->to->list[kind];
    for (int k = first; k < p->to->points; k++) {
        SS_PUSH(p->to->ctx, list->corner, list->corners, list->corner_cap, k);
    }
    return add_cell(p, kind, 0, NULL);
}

static ss_status draw_point(const pen *p, ss_vec3 x)
{
    SS_TRY(add_point(p, x));
    return add_cell(p, SS_CELL_POINTS, 1, &(int){ p->to->points - 1 });
}

/* ---- in the plane ------------------------------------------------------------------------------ */

/* points on an arc about (0, y), from one angle to another, both included */
static ss_status add_arc(const pen *p, double y, double radius, double from, double to, int steps)
{
    for (int k = 0; k <= steps; k++) {
        double angle = from + (to - from) * k / steps;
        SS_TRY(add_point(p, ss_v3(radius * cos(angle), y + radius * sin(angle), 0)));
    }
    return SS_OK;
}

static ss_status draw_disk(const pen *p, const ss_shape *shape)
{
    int first = p->to->points;
    SS_TRY(add_arc(p, 0, shape->radius, 0, 2 * pi * (p->sides - 1) / p->sides, p->sides - 1));
    return join_points(p, SS_CELL_POLYGONS, first);
}

static ss_status draw_stadium(const pen *p, const ss_shape *shape)
{
    int first = p->to->points;
    SS_TRY(add_arc(p, shape->length, shape->radius, 0, pi, p->sides / 2));
    SS_TRY(add_arc(p, -shape->length, shape->radius, pi, 2 * pi, p->sides / 2));
    return join_points(p, SS_CELL_POLYGONS, first);
}

static ss_status draw_rectangle(const pen *p, const ss_shape *shape)
{
    int first = p->to->points;
    for (int k = 0; k < 4; k++) {
        SS_TRY(add_point(p, ss_v3(k == 0 || k == 3 ? -shape->half.x : shape->half.x, k < 2 ? -shape->half.y : shape->half.y, 0)));
    }
    return join_points(p, SS_CELL_POLYGONS, first);
}

static ss_status draw_polygon(const pen *p, const ss_shape *shape)
{
    int first = p->to->points;
    for (int k = 0; k < shape->polytope->corners; k++) {
        SS_TRY(add_point(p, shape->polytope->corner[k]));
    }
    return join_points(p, SS_CELL_POLYGONS, first);
}

/* ---- in space ---------------------------------------------------------------------------------- */

static ss_status draw_faces(const pen *p, const ss_shape *shape)
{
    const ss_polytope *solid = shape->polytope;
    ss_cell_list *list = &p->to->list[SS_CELL_POLYGONS];
    int first = p->to->points;
    for (int k = 0; k < solid->corners; k++) {
        SS_TRY(add_point(p, solid->corner[k]));
    }
    for (int f = 0; f < solid->faces; f++) {
        for (int k = solid->face_start[f]; k < solid->face_start[f + 1]; k++) {
            SS_PUSH(p->to->ctx, list->corner, list->corners, list->corner_cap, first + solid->face_corner[k]);
        }
        SS_TRY(add_cell(p, SS_CELL_POLYGONS, 0, NULL));
    }
    return SS_OK;
}

/* the points of one ring of a profile; one alone on the axis */
static ss_status add_ring(const pen *p, double r, double z)
{
    for (int k = 0; k < (r > 0 ? p->sides : 1); k++) {
        double angle = 2 * pi * k / p->sides;
        SS_TRY(add_point(p, ss_v3(r * cos(angle), r * sin(angle), z)));
    }
    return SS_OK;
}

/* the faces between a ring that begins with point `low` and the next one, which begins with `high`; either may be one point */
static ss_status join_rings(const pen *p, int low, bool low_tip, int high, bool high_tip)
{
    for (int k = 0; k < p->sides; k++) {
        int next = (k + 1) % p->sides;
        const int below[2] = { low_tip ? low : low + k, low_tip ? low : low + next };
        const int above[2] = { high_tip ? high : high + k, high_tip ? high : high + next };
        const int quad[4] = { below[0], below[1], above[1], above[0] }, from_tip[3] = { low, above[1], above[0] };
        SS_TRY(add_cell(p, SS_CELL_POLYGONS, low_tip || high_tip ? 3 : 4, low_tip ? from_tip : quad));
    }
    return SS_OK;
}

/* n points (r, z) from the lower end of the axis to the upper one; r = 0 at both */
static ss_status draw_turned(const pen *p, int n, double (*profile)[2])
{
    int before = 0;
    for (int k = 0; k < n; k++) {
        int now = p->to->points;
        SS_TRY(add_ring(p, profile[k][0], profile[k][1]));
        if (k > 0) {
            SS_TRY(join_rings(p, before, k == 1, now, k == n - 1));
        }
        before = now;
    }
    return SS_OK;
}

/* two half circles about (0, -half) and (0, half); a sphere has half = 0 and its equator once */
static ss_status draw_rounded(const pen *p, const ss_shape *shape)
{
    double profile[SIDES + 2][2];
    int n = 0, steps = p->sides / 4;
    for (int end = -1; end <= 1; end += 2) {
        for (int k = end > 0 && !(shape->length > 0); k <= steps; k++) {
            double angle = 0.5 * pi * (end < 0 ? k - steps : k) / steps;
            bool tip = k == (end < 0 ? 0 : steps);
            profile[n][0] = tip ? 0 : shape->radius * cos(angle);
            profile[n++][1] = end * shape->length + shape->radius * sin(angle);
        }
    }
    return draw_turned(p, n, profile);
}

static ss_status draw_cylinder(const pen *p, const ss_shape *shape)
{
    double r = shape->radius, z = shape->length, profile[4][2] = { { 0, -z }, { r, -z }, { r, z }, { 0, z } };
    return draw_turned(p, 4, profile);
}

/* ---- ground ------------------------------------------------------------------------------------ */

/* the place is that of the body: normal and offset of a half space are in its frame */
static ss_status draw_half_space(const pen *p, const ss_shape *shape, const ss_frame *body)
{
    const ss_vec3 n = shape->normal, middle = ss_scale(0.5, ss_add(p->scene.lo, p->scene.hi)),
                  inside = ss_point_to_body(*body, middle), foot = ss_axpy(shape->offset - ss_dot(n, inside), n, inside);
    const double reach = ss_norm(ss_sub(p->scene.hi, p->scene.lo));
    const ss_vec3 aside = shape->dimension == 2 ? ss_v3(0, 0, 1) : fabs(n.z) < 0.9 ? ss_v3(0, 0, 1) : ss_v3(1, 0, 0);
    const ss_vec3 a = ss_scale(reach, ss_unit(ss_cross(aside, n))), b = ss_cross(n, a);
    int first = p->to->points;
    SS_TRY(add_point(p, ss_sub(foot, shape->dimension == 2 ? a : ss_add(a, b))));
    SS_TRY(add_point(p, ss_add(foot, shape->dimension == 2 ? a : ss_sub(a, b))));
    if (shape->dimension == 3) {
        SS_TRY(add_point(p, ss_add(foot, ss_add(a, b))));
        SS_TRY(add_point(p, ss_sub(foot, ss_sub(a, b))));
    }
    return join_points(p, shape->dimension == 2 ? SS_CELL_LINES : SS_CELL_POLYGONS, first);
}

static ss_status draw_terrain(const pen *p, const ss_shape *shape)
{
    const ss_terrain *t = shape->terrain;
    int first = p->to->points;
    for (int k = 0; k < ss_terrain_vertices(t); k++) {
        SS_TRY(add_point(p, ss_terrain_vertex(t, k)));
    }
    if (t->dimension == 2) {
        return join_points(p, SS_CELL_LINES, first);
    }
    for (int k = 0; k < (t->rows - 1) * (t->columns - 1); k++) {
        const int at = first + k / (t->columns - 1) * t->columns + k % (t->columns - 1), across = at + t->columns + 1;
        SS_TRY(add_cell(p, SS_CELL_POLYGONS, 3, (int[]){ at, at + 1, across }));
        SS_TRY(add_cell(p, SS_CELL_POLYGONS, 3, (int[]){ at, across, across - 1 }));
    }
    return SS_OK;
}

/* ---- shapes ------------------------------------------------------------------------------------ */

static ss_status draw_flat(const pen *p, const ss_shape *shape)
{
    switch (shape->kind) {
    case SS_SHAPE_sphere:
        return draw_disk(p, shape);
    case SS_SHAPE_capsule:
        return draw_stadium(p, shape);
    case SS_SHAPE_box:
        return draw_rectangle(p, shape);
    default:
        return draw_polygon(p, shape);
    }
}

static ss_status draw_solid(const pen *p, const ss_shape *shape)
{
    switch (shape->kind) {
    case SS_SHAPE_sphere:
    case SS_SHAPE_capsule:
        return draw_rounded(p, shape);
    case SS_SHAPE_cylinder:
        return draw_cylinder(p, shape);
    default:
        return draw_faces(p, shape);
    }
}

static ss_status draw_shape(pen *p, const ss_shape *shape, const ss_frame *body)
{
    p->place = shape->local;
    switch (shape->kind) {
    case SS_SHAPE_point:
        return draw_point(p, ss_v3(0, 0, 0));
    case SS_SHAPE_half_space:
        p->place = ss_frame_identity();
        return draw_half_space(p, shape, body);
    case SS_SHAPE_height_field:
        return draw_terrain(p, shape);
    default:
        return shape->dimension == 2 ? draw_flat(p, shape) : draw_solid(p, shape);
    }
}

/* ---- the model --------------------------------------------------------------------------------- */

static void enclose(ss_box3 *box, ss_vec3 lo, ss_vec3 hi)
{
    box->lo = ss_v3(fmin(box->lo.x, lo.x), fmin(box->lo.y, lo.y), fmin(box->lo.z, lo.z));
    box->hi = ss_v3(fmax(box->hi.x, hi.x), fmax(box->hi.y, hi.y), fmax(box->hi.z, hi.z));
}

/* the bodies' places and whatever has an end, and no less than the length of the model */
static ss_box3 bound_scene(const ss_model *m)
{
    ss_box3 box = { { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY } };
    for (int b = 0; b < m->bodies; b++) {
        enclose(&box, m->body_frame0[b].p, m->body_frame0[b].p);
    }
    for (int k = 0; k < m->shapes; k++) {
        const ss_box3 own = ss_shape_bounds(&m->shape[k], &m->body_frame0[m->shape_body[k]]);
        if (isfinite(ss_norm(own.lo)) && isfinite(ss_norm(own.hi))) {
            enclose(&box, own.lo, own.hi);
        }
    }
    const ss_vec3 middle = ss_scale(0.5, ss_add(box.lo, box.hi)), half = ss_v3(0.5 * m->length, 0.5 * m->length, 0);
    enclose(&box, ss_sub(middle, half), ss_add(middle, half));
    return box;
}

static ss_status draw_body(pen *p, const ss_model *m)
{
    for (int k = m->shape_start[p->body]; k < m->shape_start[p->body + 1]; k++) {
        SS_TRY(draw_shape(p, &m->shape[k], &m->body_frame0[p->body]));
    }
    if (m->shape_start[p->body] < m->shape_start[p->body + 1] || m->body_type[p->body] == SS_BODY_BLOCK) {
        return SS_OK;
    }
    p->place = ss_frame_identity();
    return draw_point(p, ss_v3(0, 0, 0));
}

ss_status ss_surface_make(ss_context *ctx, const ss_model *m, ss_surface *out)
{
    *out = (ss_surface){ .ctx = ctx };
    pen p = { .to = out, .sides = m->shapes > MANY_SHAPES ? FEW_SIDES : SIDES, .scene = bound_scene(m) };
    for (p.body = 0; p.body < m->bodies; p.body++) {
        SS_TRY(draw_body(&p, m));
    }
    return SS_OK;
}

void ss_surface_clear(ss_surface *s)
{
    for (int k = 0; k < SS_CELL_KINDS; k++) {
        ss_free(s->ctx, s->list[k].corner);
        ss_free(s->ctx, s->list[k].end);
        ss_free(s->ctx, s->list[k].body);
    }
    ss_free(s->ctx, s->point);
    ss_free(s->ctx, s->point_body);
    *s = (ss_surface){ .ctx = s->ctx };
}
