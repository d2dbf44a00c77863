/* terrain.c - the surface of a height field, its patches, ridges and peaks.
 *
 * Patches. From the first face that has none, neighbours are added as long as their vertices lie within 1e-12 of the
 * field's size of that face's plane: a patch is as flat as that, however large it is.
 *
 * Normals. A direction u, across an edge, is a normal of the edge when u . into <= 0 for the faces on its two sides; at a
 * vertex v when u . (w - v) <= 0 for all its neighbours w and u does not point down: then v is a highest point along u of
 * the solid near it. On the border of the field "down" stands for the second face. An edge is a ridge when the faces fall off
 * it: into_a . n_b < 0. A vertex is sharp when its normals are a cone with an inside: the middle of the cone's extreme rays,
 * which lie across two of the directions to the neighbours, is in it.
 *
 * Memory: one block. Cost: linear in the heights to make, constant for each question. */
#include "geom/terrain.h"
#include "base/tolerances.h"

static int cells_x(const ss_terrain *t) { return t->columns - 1; }

static int cells_y(const ss_terrain *t) { return t->dimension == 3 ? t->rows - 1 : 1; }

int ss_terrain_faces(const ss_terrain *t) { return ss_terrain_per_cell(t) * cells_x(t) * cells_y(t); }

static bool is_vertex(const ss_terrain *t, int i, int j) { return i >= 0 && j >= 0 && i < t->columns && j < t->rows; }

static ss_vec3 vertex_at(const ss_terrain *t, int i, int j)
{
    const double x = (i - 0.5 * (t->columns - 1)) * t->spacing, z = t->z[j * t->columns + i];
    return t->dimension == 3 ? ss_v3(x, (j - 0.5 * (t->rows - 1)) * t->spacing, z) : ss_v3(x, z, 0);
}

ss_vec3 ss_terrain_vertex(const ss_terrain *t, int vertex) { return vertex_at(t, vertex % t->columns, vertex / t->columns); }

/* face `half` of cell (i, j), -1 if there is no such cell */
static int face_at(const ss_terrain *t, int i, int j, int half)
{
    const bool there = i >= 0 && j >= 0 && i < cells_x(t) && j < cells_y(t);
    return there ? ss_terrain_per_cell(t) * (j * cells_x(t) + i) + half : -1;
}

int ss_terrain_corners(const ss_terrain *t, int face, ss_vec3 corner[3])
{
    const int cell = face / ss_terrain_per_cell(t), i = cell % cells_x(t), j = cell / cells_x(t);
    corner[0] = vertex_at(t, i, j);
    if (t->dimension == 2) {
        corner[1] = vertex_at(t, i + 1, j);
        return 2;
    }
    const bool upper = face % 2;
    corner[1] = upper ? vertex_at(t, i + 1, j + 1) : vertex_at(t, i + 1, j);
    corner[2] = upper ? vertex_at(t, i, j + 1) : vertex_at(t, i + 1, j + 1);
    return 3;
}

static ss_vec3 up(const ss_terrain *t) { return t->dimension == 3 ? ss_v3(0, 0, 1) : ss_v3(0, 1, 0); }

static ss_vec3 face_normal(const ss_terrain *t, int face)
{
    ss_vec3 v[3];
    ss_terrain_corners(t, face, v);
    const ss_vec3 a = ss_sub(v[1], v[0]);
    return ss_unit(t->dimension == 3 ? ss_cross(a, ss_sub(v[2], v[0])) : ss_v3(-a.y, a.x, 0));
}

static ss_vec3 plane_normal(const ss_terrain *t, int face) { return t->plane[t->patch[face]].n; }

double ss_terrain_beyond(const ss_terrain *t, int face, ss_vec3 x)
{
    ss_vec3 v[3];
    const int n = ss_terrain_corners(t, face, v);
    const ss_vec3 normal = plane_normal(t, face);
    double most = -INFINITY;
    for (int k = 0; k < n; k++) {
        const ss_vec3 side = ss_sub(v[(k + 1) % n], v[k]), out = n == 3 ? ss_unit(ss_cross(side, normal)) : ss_unit(side);
        most = fmax(most, n == 3 ? ss_dot(out, ss_sub(x, v[k])) : ss_dot(out, ss_sub(x, v[(k + 1) % n])));
    }
    return most;
}

/* ---- edges and vertices -------------------------------------------------------------------- */

/* the faces on the two sides of an edge */
static void faces_of_edge(const ss_terrain *t, int i, int j, int k, int face[2])
{
    face[0] = k == 1 ? face_at(t, i, j, 1) : face_at(t, i, j, 0);
    face[1] = k == 0 ? face_at(t, i, j - 1, 1) : k == 1 ? face_at(t, i - 1, j, 0) : face_at(t, i, j, 1);
}

/* unit, from the edge (x, d) into a face, across the edge */
static ss_vec3 into_face(const ss_terrain *t, int face, ss_vec3 x, ss_vec3 d)
{
    ss_vec3 v[3], across = ss_cross(plane_normal(t, face), d);
    ss_terrain_corners(t, face, v);
    const ss_vec3 middle = ss_scale(1.0 / 3, ss_add(v[0], ss_add(v[1], v[2])));
    return ss_dot(across, ss_sub(middle, x)) >= 0 ? across : ss_scale(-1, across);
}

bool ss_terrain_ridge(const ss_terrain *t, int edge, ss_ridge *out)
{
    const int vertex = edge / 3, k = edge % 3, i = vertex % t->columns, j = vertex / t->columns;
    const int i1 = i + (k != 1), j1 = j + (k != 0);
    int face[2];
    if (!is_vertex(t, i1, j1)) {
        return false;
    }
    faces_of_edge(t, i, j, k, face);
    if (face[0] >= 0 && face[1] >= 0 && t->patch[face[0]] == t->patch[face[1]]) {
        return false;
    }
    const ss_vec3 a = vertex_at(t, i, j), along = ss_sub(vertex_at(t, i1, j1), a);
    *out = (ss_ridge){ .x = ss_axpy(0.5, along, a), .d = ss_unit(along), .half = 0.5 * ss_norm(along), .sharpness = 1 };
    if (face[0] < 0 || face[1] < 0) {
        const int only = face[0] < 0 ? face[1] : face[0];
        out->into[0] = into_face(t, only, out->x, out->d);
        out->into[1] = ss_scale(-1, up(t));
        out->normal = ss_unit(ss_axpy(-1, out->into[0], plane_normal(t, only)));
        out->face[out->faces++] = plane_normal(t, only);
        return true;
    }
    for (int side = 0; side < 2; side++) {
        out->into[side] = into_face(t, face[side], out->x, out->d);
        out->face[out->faces++] = plane_normal(t, face[side]);
    }
    out->sharpness = -ss_dot(out->into[0], out->face[1]);
    out->normal = ss_unit(ss_add(out->face[0], out->face[1]));
    return out->sharpness > SS_TOL_DIRECTION;
}

double ss_ridge_off(const ss_ridge *ridge, ss_vec3 u) { return fmax(ss_dot(u, ridge->into[0]), ss_dot(u, ridge->into[1])); }

/* the faces around a vertex, -1 where there is none; returns how many it could have */
static int faces_around(const ss_terrain *t, int i, int j, int face[6])
{
    face[0] = face_at(t, i, j, 0);
    face[1] = face_at(t, i - 1, j, 0);
    if (t->dimension == 2) {
        return 2;
    }
    face[2] = face_at(t, i, j, 1);
    face[3] = face_at(t, i, j - 1, 1);
    face[4] = face_at(t, i - 1, j - 1, 0);
    face[5] = face_at(t, i - 1, j - 1, 1);
    return 6;
}

static bool in_one_patch(const ss_terrain *t, int faces, const int *face)
{
    for (int k = 0; k < faces; k++) {
        if (face[k] < 0 || t->patch[face[k]] != t->patch[face[0]]) {
            return false;
        }
    }
    return true;
}

/* normals of the faces around, where the ground falls off to all sides of them */
static void keep_faces(const ss_terrain *t, int faces, const int *face, ss_peak *peak)
{
    for (int k = 0; k < faces; k++) {
        if (face[k] >= 0 && ss_peak_off(peak, plane_normal(t, face[k])) <= SS_TOL_SHAPE) {
            peak->face[peak->faces++] = plane_normal(t, face[k]);
        }
    }
}

bool ss_terrain_peak(const ss_terrain *t, int vertex, ss_peak *out)
{
    static const int step[6][2] = { { 1, 0 }, { -1, 0 }, { 0, 1 }, { 0, -1 }, { 1, 1 }, { -1, -1 } };
    const int i = vertex % t->columns, j = vertex / t->columns, steps = t->dimension == 3 ? 6 : 2;
    int face[6];
    const int faces = faces_around(t, i, j, face);
    if (in_one_patch(t, faces, face)) {
        return false;
    }
    *out = (ss_peak){ .x = vertex_at(t, i, j) };
    for (int k = 0; k < steps; k++) {
        if (is_vertex(t, i + step[k][0], j + step[k][1])) {
            out->to[out->n++] = ss_unit(ss_sub(vertex_at(t, i + step[k][0], j + step[k][1]), out->x));
        }
    }
    out->to[out->n++] = ss_scale(-1, up(t));
    keep_faces(t, faces, face, out);
    return true;
}

/* rays along the border of a peak's normals, as far as they are normals, added to *middle */
static void add_ray(const ss_peak *peak, ss_vec3 ray, ss_vec3 *middle)
{
    const ss_vec3 u = ss_unit(ray), v = ss_scale(-1, u);
    *middle = ss_peak_off(peak, u) <= SS_TOL_SHAPE ? ss_add(*middle, u) : *middle;
    *middle = ss_peak_off(peak, v) <= SS_TOL_SHAPE ? ss_add(*middle, v) : *middle;
}

bool ss_peak_sharp(const ss_terrain *t, const ss_peak *peak)
{
    ss_vec3 middle = { 0, 0, 0 };
    for (int a = 0; a < peak->n; a++) {
        if (t->dimension == 2) {
            add_ray(peak, ss_cross(peak->to[a], ss_v3(0, 0, 1)), &middle);
        }
        for (int b = a + 1; b < peak->n && t->dimension == 3; b++) {
            add_ray(peak, ss_cross(peak->to[a], peak->to[b]), &middle);
        }
    }
    return ss_peak_off(peak, ss_unit(middle)) < -SS_TOL_SHAPE;
}

double ss_peak_off(const ss_peak *peak, ss_vec3 u)
{
    double most = -INFINITY;
    for (int k = 0; k < peak->n; k++) {
        most = fmax(most, ss_dot(u, peak->to[k]));
    }
    return most;
}

/* ---- places -------------------------------------------------------------------------------- */

/* the cell that a coordinate is in, limited to 0 .. cells - 1; NaN: 0 */
static int cell_of(double x, int cells)
{
    if (!(x > 0)) {
        return 0;
    }
    return x < cells - 1 ? (int)x : cells - 1;
}

ss_cells ss_terrain_cells(const ss_terrain *t, ss_vec3 lo, ss_vec3 hi)
{
    const double s = t->spacing, wx = 0.5 * (t->columns - 1) * s, wy = 0.5 * (t->rows - 1) * s;
    const bool apart = hi.x < -wx || lo.x > wx || (t->dimension == 3 && (hi.y < -wy || lo.y > wy));
    if (apart) {
        return (ss_cells){ 0, -1, 0, -1 };
    }
    ss_cells c = { cell_of((lo.x + wx) / s, cells_x(t)), cell_of((hi.x + wx) / s, cells_x(t)), 0, 0 };
    if (t->dimension == 3) {
        c.j0 = cell_of((lo.y + wy) / s, cells_y(t));
        c.j1 = cell_of((hi.y + wy) / s, cells_y(t));
    }
    return c;
}

int ss_terrain_face_below(const ss_terrain *t, ss_vec3 x)
{
    const ss_cells c = ss_terrain_cells(t, x, x);
    if (c.i0 > c.i1) {
        return -1;
    }
    const ss_vec3 corner = vertex_at(t, c.i0, c.j0);
    const bool upper = t->dimension == 3 && x.y - corner.y > x.x - corner.x;
    return face_at(t, c.i0, c.j0, upper);
}

/* ---- making -------------------------------------------------------------------------------- */

/* does the face lie in the plane through x? */
static bool in_plane(const ss_terrain *t, int face, ss_vec3 x, ss_vec3 n, double tol)
{
    ss_vec3 v[3];
    const int corners = ss_terrain_corners(t, face, v);
    for (int k = 0; k < corners; k++) {
        if (fabs(ss_dot(n, ss_sub(v[k], x))) > tol) {
            return false;
        }
    }
    return true;
}

/* faces next to a face */
static int neighbours(const ss_terrain *t, int face, int out[3])
{
    const int cell = face / ss_terrain_per_cell(t), i = cell % cells_x(t), j = cell / cells_x(t);
    if (t->dimension == 2) {
        out[0] = face_at(t, i - 1, 0, 0);
        out[1] = face_at(t, i + 1, 0, 0);
        return 2;
    }
    const bool upper = face % 2;
    out[0] = face_at(t, i, j, !upper);
    out[1] = upper ? face_at(t, i, j + 1, 0) : face_at(t, i, j - 1, 1);
    out[2] = upper ? face_at(t, i - 1, j, 0) : face_at(t, i + 1, j, 1);
    return 3;
}

/* gives every face a patch (-1 before); returns their number. stack: room for all faces */
static int find_patches(const ss_terrain *t, int *patch, int *stack)
{
    const double size = (t->rows + t->columns) * t->spacing + (t->highest - t->lowest);
    const int faces = ss_terrain_faces(t);
    int count = 0;
    for (int seed = 0; seed < faces; seed++) {
        if (patch[seed] >= 0) {
            continue;
        }
        ss_vec3 v[3], n = face_normal(t, seed);
        int top = 0;
        ss_terrain_corners(t, seed, v);
        patch[seed] = count;
        stack[top++] = seed;
        while (top > 0) {
            int next[3];
            const int around = neighbours(t, stack[--top], next);
            for (int k = 0; k < around; k++) {
                if (next[k] >= 0 && patch[next[k]] < 0 && in_plane(t, next[k], v[0], n, SS_TOL_DIRECTION * size)) {
                    patch[next[k]] = count;
                    stack[top++] = next[k];
                }
            }
        }
        count++;
    }
    return count;
}

/* the first face of a patch gives its normal */
static void start_plane(const ss_terrain *t, int face, ss_terrain_plane *plane)
{
    ss_vec3 v[3];
    ss_terrain_corners(t, face, v);
    plane->n = face_normal(t, face);
    plane->t = ss_unit(ss_axpy(-plane->n.x, plane->n, ss_v3(1, 0, 0)));
    plane->x = v[0];
}

/* lo, hi: of the patch's vertices along t and n x t, from plane->x */
static void grow_plane(const ss_terrain *t, int face, const ss_terrain_plane *plane, double lo[2], double hi[2])
{
    const ss_vec3 axis[2] = { plane->t, ss_cross(plane->n, plane->t) };
    ss_vec3 v[3];
    const int corners = ss_terrain_corners(t, face, v);
    for (int k = 0; k < corners; k++) {
        for (int i = 0; i < 2; i++) {
            const double along = ss_dot(axis[i], ss_sub(v[k], plane->x));
            lo[i] = fmin(lo[i], along);
            hi[i] = fmax(hi[i], along);
        }
    }
}

static void close_plane(const ss_terrain *t, const double lo[2], const double hi[2], ss_terrain_plane *plane)
{
    const ss_vec3 axis[2] = { plane->t, ss_cross(plane->n, plane->t) };
    for (int i = 0; i < t->dimension - 1; i++) {
        plane->x = ss_axpy(0.5 * (lo[i] + hi[i]), axis[i], plane->x);
        plane->half[i] = 0.5 * (hi[i] - lo[i]);
    }
    if (t->dimension == 2) {
        plane->half[1] = INFINITY;
    }
}

/* bounds: four numbers per plane, zeroed */
static void find_planes(const ss_terrain *t, ss_terrain_plane *plane, double (*bounds)[4])
{
    const int faces = ss_terrain_faces(t);
    int started = 0;
    for (int f = 0; f < faces; f++) {
        const int k = t->patch[f];
        if (k == started) {
            start_plane(t, f, &plane[k]);
            started++;
        }
        grow_plane(t, f, &plane[k], &bounds[k][0], &bounds[k][2]);
    }
    for (int k = 0; k < t->planes; k++) {
        close_plane(t, &bounds[k][0], &bounds[k][2], &plane[k]);
    }
}

static size_t padded(size_t bytes) { return (bytes + 15) / 16 * 16; }

/* one block: the terrain, its heights, its planes, the patches of its faces; scratch as large as faces and planes want */
static ss_status assemble(ss_context *ctx, ss_terrain *draft, int *patch, int *stack, ss_terrain **out)
{
    const size_t faces = (size_t)ss_terrain_faces(draft), vertices = (size_t)ss_terrain_vertices(draft);
    for (size_t f = 0; f < faces; f++) {
        patch[f] = -1;
    }
    draft->planes = find_patches(draft, patch, stack);
    draft->patch = patch;
    const size_t at_z = padded(sizeof **out), at_plane = at_z + padded(vertices * sizeof *draft->z),
                 at_patch = at_plane + (size_t)draft->planes * sizeof *draft->plane;
    unsigned char *block = NULL;
    double(*bounds)[4] = NULL;
    SS_TRY(ss_calloc(ctx, (size_t)draft->planes, sizeof *bounds, &bounds));
    const ss_status status = ss_calloc(ctx, at_patch + faces * sizeof *patch, 1, &block);
    if (status == SS_OK) {
        find_planes(draft, (ss_terrain_plane *)(void *)(block + at_plane), bounds);
        memcpy(block + at_z, draft->z, vertices * sizeof *draft->z);
        memcpy(block + at_patch, patch, faces * sizeof *patch);
        *out = (ss_terrain *)(void *)block;
        **out = *draft;
        (*out)->z = (const double *)(const void *)(block + at_z);
        (*out)->plane = (const ss_terrain_plane *)(const void *)(block + at_plane);
        (*out)->patch = (const int *)(const void *)(block + at_patch);
    }
    ss_free(ctx, bounds);
    return status;
}

ss_status ss_terrain_make(ss_context *ctx, int dimension, const ss_heights *heights, double spacing, ss_terrain **out)
{
    ss_terrain draft = { .dimension = dimension,
                         .rows = heights->rows,
                         .columns = heights->columns,
                         .spacing = spacing,
                         .lowest = INFINITY,
                         .highest = -INFINITY,
                         .z = heights->z };
    for (int k = 0; k < ss_terrain_vertices(&draft); k++) {
        draft.lowest = fmin(draft.lowest, draft.z[k]);
        draft.highest = fmax(draft.highest, draft.z[k]);
    }
    const size_t faces = (size_t)ss_terrain_faces(&draft);
    int *scratch = NULL;
    *out = NULL;
    SS_TRY(ss_calloc(ctx, 2 * faces, sizeof *scratch, &scratch));
    const ss_status status = assemble(ctx, &draft, scratch, scratch + faces, out);
    ss_free(ctx, scratch);
    return status;
}
