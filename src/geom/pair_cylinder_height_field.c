/* pair_cylinder_height_field.c - a cylinder on a height field.
 *
 * As for polytopes (pair_height_field.c), feature by feature, with the gaps of cylinder_gaps.c:
 *
 *     rims       on every patch below the cylinder   their lowest points; standing, four fixed ones
 *     side, rims across every ridge                  line-line; the tangent of the rim
 *     end, side, rim on every vertex                 point-plane, point-line
 *
 * each only with normals that belong to the ground's feature up to a sine of 0.05 (a ridge: at most half its sharpness).
 * A point of a rim that is outside the ground is not held against faces that it is behind. Overlapping, only the shortest ways
 * out count: none longer than the cylinder is deep below the faces beside a ridge or vertex, or these in one of its ends.
 *
 * Identity: as for polytopes, with the cylinder's own 32 features. The gaps come without the ground's number, which is put
 * in when they have been taken.
 * Cost: cells under the cylinder; what lies inside a patch costs next to nothing. */
#include "base/tolerances.h"
#include "geom/cylinder.h"
#include "geom/pairs.h"
#include "geom/terrain.h"

enum { CYLINDER_FEATURES = 32 };

static const double flat_play = 0.05, leeway = 1.05;

typedef struct meeting {
    ss_gather g; /* body 0: the cylinder's, body 1: the ground's */
    const ss_terrain *t;
    ss_frame place; /* of the ground */
    ss_drum c;
} meeting;

static ss_vec3 to_ground(const meeting *m, ss_vec3 d) { return ss_unrotate(m->place.R, d); }

/* give the gaps from `first` on the number of the ground's feature */
static void name_gaps(meeting *m, int first, int64_t on_t)
{
    ss_manifold *out = m->g.out;
    for (int k = first; k < out->n; k++) {
        const uint32_t on_cylinder = out->feature[k] >> 14 & (CYLINDER_FEATURES - 1);
        const uint32_t number = (uint32_t)((on_t * CYLINDER_FEATURES + on_cylinder) & ((1 << 28) - 1));
        out->feature[k] = (uint32_t)out->gap[k].kind << 28 | number;
    }
}

/* ---- patches ------------------------------------------------------------------------------- */

typedef struct patch_test {
    const meeting *m;
    int patch;
} patch_test;

/* a point over the patch, above it or, if it is inside the ground, below */
static bool over_patch(const void *data, ss_vec3 x)
{
    const patch_test *p = data;
    const ss_terrain *t = p->m->t;
    const ss_terrain_plane *plane = &t->plane[p->patch];
    const ss_vec3 here = ss_point_to_body(p->m->place, x);
    const double height = ss_dot(plane->n, ss_sub(here, plane->x));
    const int foot = ss_terrain_face_below(t, ss_axpy(-height, plane->n, here)), below = ss_terrain_face_below(t, here);
    if (foot < 0 || t->patch[foot] != p->patch) {
        return false;
    }
    return height >= -p->m->g.tol ||
           (below >= 0 && ss_dot(t->plane[t->patch[below]].n, ss_sub(here, t->plane[t->patch[below]].x)) < 0);
}

static void on_patch(meeting *m, int patch)
{
    const ss_terrain_plane *flat = &m->t->plane[patch];
    const ss_plane plane = { .x = ss_point_to_world(m->place, flat->x),
                             .n = ss_rotate(m->place.R, flat->n),
                             .t = ss_rotate(m->place.R, flat->t),
                             .half = { flat->half[0], flat->half[1] } };
    const patch_test test = { m, patch };
    const int first = m->g.out->n;
    m->g.n = plane.n;
    ss_offer_rims_plane(&m->g, 0, &m->c, &plane, 0, over_patch, &test);
    name_gaps(m, first, patch);
}

/* ---- ridges -------------------------------------------------------------------------------- */

/* how far the cylinder reaches beyond x along n, world */
static double reach_along(const meeting *m, ss_vec3 x, ss_vec3 n)
{
    int name;
    return ss_dot(n, ss_sub(ss_drum_support(&m->c, n, &name), x));
}

/* the most that a way out of the faces that meet at x, world, may be long; INFINITY: there are none */
static double longest_way(const meeting *m, ss_vec3 x, int faces, const ss_vec3 *face)
{
    double least = INFINITY;
    for (int k = 0; k < faces; k++) {
        least = fmin(least, reach_along(m, x, ss_scale(-1, ss_rotate(m->place.R, face[k]))));
    }
    return leeway * fmax(0, least) + m->g.tol;
}

typedef struct ridge_test {
    const meeting *m;
    const ss_ridge *ridge;
    ss_vec3 x; /* of the ridge, world */
    double most;
} ridge_test;

static double play_of(const ss_ridge *ridge) { return fmin(flat_play, 0.5 * ridge->sharpness); }

/* n: from the cylinder */
static bool ridge_allows(const void *data, ss_vec3 n)
{
    const ridge_test *r = data;
    return ss_ridge_off(r->ridge, to_ground(r->m, ss_scale(-1, n))) <= play_of(r->ridge) && reach_along(r->m, r->x, n) <= r->most;
}

static ridge_test test_of(const meeting *m, const ss_ridge *ridge)
{
    ridge_test test = { .m = m, .ridge = ridge, .x = ss_point_to_world(m->place, ridge->x) };
    test.most = longest_way(m, test.x, ridge->faces, ridge->face);
    for (int end = 0; end < 2; end++) {
        const ss_vec3 out = ss_drum_out(&m->c, end), u = to_ground(m, ss_scale(-1, out));
        if (ss_ridge_off(ridge, u) <= play_of(ridge)) {
            const double in = ss_dot(out, ss_sub(ss_drum_end(&m->c, end), test.x)) + fabs(ss_dot(u, ridge->d)) * ridge->half;
            test.most = fmin(test.most, leeway * fmax(0, in) + m->g.tol);
        }
    }
    return test;
}

/* the way to the cylinder's middle if the ridge may push along it, else the middle of its normals */
static ss_vec3 likely_normal(const meeting *m, const ss_ridge *ridge)
{
    const ss_vec3 from = ss_sub(ss_point_to_body(m->place, m->c.place.p), ridge->x);
    const ss_vec3 u = ss_unit(ss_axpy(-ss_dot(from, ridge->d), ridge->d, from));
    return ss_ridge_off(ridge, u) <= 0 && ss_dot(u, u) > 0 ? u : ridge->normal;
}

/* A rim whose tangent runs along the ridge where they are nearest has no crossing with it: its nearest point, frozen, against
 * the line. The two are found by going from one to the other. */
static void rim_along_ridge(meeting *m, int end, const ss_line *line, ss_vec3 x, const ridge_test *test)
{
    const ss_vec3 centre = ss_drum_end(&m->c, end), Z = m->c.place.R.c[2];
    ss_vec3 u = { 0, 0, 0 };
    for (int k = 0; k < 50; k++) {
        const ss_vec3 from = ss_sub(ss_axpy(ss_dot(ss_sub(x, line->x), line->d), line->d, line->x), centre);
        u = ss_unit(ss_axpy(-ss_dot(from, Z), Z, from));
        x = ss_axpy(m->c.R, u, centre);
    }
    const ss_vec3 D = ss_sub(x, line->x), n = ss_unit(ss_axpy(-ss_dot(D, line->d), line->d, D));
    if (ss_norm(ss_cross(ss_cross(Z, u), line->d)) <= flat_play && ridge_allows(test, ss_scale(-1, n))) {
        ss_offer_point_line(&m->g, 0, x, 0, line, (int[2]){ SS_CYL_RIM + 4 * end, 0 });
    }
}

static void on_ridge(meeting *m, int edge)
{
    ss_ridge ridge;
    if (!ss_terrain_ridge(m->t, edge, &ridge)) {
        return;
    }
    const ss_line line = { ss_point_to_world(m->place, ridge.x), ss_rotate(m->place.R, ridge.d), ridge.half, 0 };
    const ridge_test test = test_of(m, &ridge);
    const int first = m->g.out->n;
    int name;
    m->g.n = ss_rotate(m->place.R, likely_normal(m, &ridge));
    const ss_vec3 lowest = ss_drum_support(&m->c, ss_scale(-1, m->g.n), &name);
    ss_offer_side_line(&m->g, 0, &m->c, &line, 0, ridge_allows, &test);
    for (int end = 0; end < 2; end++) {
        ss_offer_rim_line(&m->g, 0, &m->c, end, &line, 0, lowest, ridge_allows, &test);
        if (!ss_rim_misses_line(&m->g, &m->c, end, &line)) {
            rim_along_ridge(m, end, &line, lowest, &test);
        }
    }
    name_gaps(m, first, (int64_t)ss_terrain_faces(m->t) + edge);
}

/* ---- vertices ------------------------------------------------------------------------------ */

/* may the ground push along n there, by `depth`? then gaps are to have a normal near it */
static bool turn_to(meeting *m, const ss_peak *peak, ss_vec3 n, double depth)
{
    m->g.n = n;
    return ss_peak_off(peak, to_ground(m, n)) <= SS_TOL_SHAPE &&
           depth <= longest_way(m, ss_point_to_world(m->place, peak->x), peak->faces, peak->face);
}

static void vertex_on_end(meeting *m, const ss_peak *peak, ss_vec3 x, ss_vec3 radial, int end)
{
    const ss_vec3 out = ss_drum_out(&m->c, end);
    const double depth = ss_dot(out, ss_sub(ss_drum_end(&m->c, end), x));
    if (ss_norm(radial) > m->c.R || !turn_to(m, peak, ss_scale(-1, out), depth)) {
        return;
    }
    const ss_plane plane = { .x = ss_drum_end(&m->c, end), .n = out, .t = m->c.place.R.c[0], .half = { m->c.R, m->c.R } };
    ss_offer_point_plane(&m->g, 1, x, 0, &plane, (int[2]){ SS_CYL_END + end, 0 });
}

/* is an end that may rest on the peak a shorter way out than `depth`? */
static bool nearer_end(const meeting *m, const ss_peak *peak, ss_vec3 x, double depth)
{
    for (int end = 0; end < 2; end++) {
        const ss_vec3 out = ss_drum_out(&m->c, end);
        const double in = ss_dot(out, ss_sub(ss_drum_end(&m->c, end), x));
        if (depth > leeway * fmax(0, in) + m->g.tol && ss_peak_off(peak, to_ground(m, ss_scale(-1, out))) <= flat_play) {
            return true;
        }
    }
    return false;
}

static void on_vertex(meeting *m, int vertex)
{
    ss_peak peak;
    if (!ss_terrain_peak(m->t, vertex, &peak)) {
        return;
    }
    const int first = m->g.out->n;
    const ss_vec3 x = ss_point_to_world(m->place, peak.x), from = ss_sub(x, m->c.place.p), Z = m->c.place.R.c[2];
    const double z = ss_dot(from, Z);
    const ss_vec3 radial = ss_axpy(-z, Z, from), u = ss_unit(radial);
    if (fabs(z) > m->c.L && ss_norm(radial) > m->c.R) {
        const ss_line tangent = { ss_axpy(m->c.R, u, ss_drum_end(&m->c, z > 0)), ss_cross(Z, u), 0.5 * m->c.R, 0 };
        if (turn_to(m, &peak, ss_unit(ss_sub(tangent.x, x)), 0)) {
            ss_offer_point_line(&m->g, 1, x, 0, &tangent, (int[2]){ SS_CYL_RIM + 4 * (z > 0) + 1, 0 });
        }
    } else {
        const ss_line axis = { m->c.place.p, Z, m->c.L, m->c.R };
        const double depth = m->c.R - ss_norm(radial);
        vertex_on_end(m, &peak, x, radial, 0);
        vertex_on_end(m, &peak, x, radial, 1);
        if (turn_to(m, &peak, ss_scale(-1, u), depth) && !nearer_end(m, &peak, x, depth)) {
            ss_offer_point_line(&m->g, 1, x, 0, &axis, (int[2]){ SS_CYL_SIDE, 0 });
        }
    }
    name_gaps(m, first, (int64_t)ss_terrain_faces(m->t) + 3 * (int64_t)ss_terrain_vertices(m->t) + vertex);
}

/* ---- the pair ------------------------------------------------------------------------------ */

/* cells under the cylinder: half a side of its box along e is L |a . e| + R sqrt(1 - (a . e)^2), a its axis */
static ss_cells cells_under(const meeting *m, double margin)
{
    const ss_vec3 p = ss_point_to_body(m->place, m->c.place.p), a = to_ground(m, m->c.place.R.c[2]);
    const double grown = fmax(0, margin);
    const ss_vec3 half = { m->c.L * fabs(a.x) + m->c.R * hypot(a.y, a.z) + grown,
                           m->c.L * fabs(a.y) + m->c.R * hypot(a.x, a.z) + grown, 0 };
    return ss_terrain_cells(m->t, ss_sub(p, half), ss_add(p, half));
}

/* is the patch that of a cell before? A patch that comes back later finds its places taken. */
static bool seen_before(const meeting *m, const ss_cells *under, int i, int j, int half)
{
    const int row = m->t->columns - 1, face = 2 * (j * row + i) + half, patch = m->t->patch[face];
    return (half == 1 && m->t->patch[face - 1] == patch) || (i > under->i0 && m->t->patch[face - 2 + (half == 0)] == patch) ||
           (j > under->j0 && m->t->patch[face - 2 * row] == patch);
}

void ss_pair_cylinder_height_field(const ss_shape *a, const ss_frame *fa, const ss_shape *b, const ss_frame *fb, double margin,
                                   ss_manifold *out)
{
    meeting m = { .t = b->terrain,
                  .g = { .body = { { { 0, 0, 0 }, fa->R }, { ss_sub(fb->p, fa->p), fb->R } },
                         .distance = -INFINITY,
                         .margin = margin,
                         .reach = fmax(0, margin) + hypot(a->radius, a->length),
                         .out = out } };
    m.place = ss_frame_compose(m.g.body[1], b->local);
    m.c = ss_drum_of(a, &m.g.body[0]);
    m.g.tol = SS_TOL_SHAPE * hypot(a->radius, a->length) + SS_TOL_PLACE * (ss_norm(fa->p) + ss_norm(fb->p));
    const ss_cells under = cells_under(&m, margin);
    for (int j = under.j0; j <= under.j1; j++) {
        for (int i = under.i0; i <= under.i1; i++) {
            for (int half = 0; half < 2; half++) {
                if (!seen_before(&m, &under, i, j, half)) {
                    on_patch(&m, m.t->patch[2 * (j * (m.t->columns - 1) + i) + half]);
                }
            }
        }
    }
    for (int j = under.j0; j <= under.j1 + 1 && under.i0 <= under.i1; j++) {
        for (int i = under.i0; i <= under.i1 + 1; i++) {
            const int vertex = j * m.t->columns + i;
            for (int k = 0; k < 3; k++) {
                on_ridge(&m, 3 * vertex + k);
            }
            on_vertex(&m, vertex);
        }
    }
}
