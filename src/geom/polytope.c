/* polytope.c - support of a polytope, and the tables of one given by its corners and the corners of its faces.
 *
 * A face's corners come in order round its outward normal (2D: the face from its first corner to its second has the solid
 * on the left). With x_i the corners of a face, its normal is that of the polygon's area [Newell],
 *
 *     N = 1/2 sum (x_i - x_0) x (x_{i+1} - x_0),      n = N / |N|
 *
 * and its offset the mean of n . x_i. The outward direction across the side x_i x_{i+1} is l x n, l along the side. Each
 * edge is the side of two faces, in opposite directions; the first face to name it is on its left.
 * Cost: corners + slots times the number of sides at a corner, and the square of the faces for the opposites. */
#include "geom/polytope.h"
#include "base/tolerances.h"
#include "geom/outline.h"

int ss_polytope_support(const ss_polytope *p, ss_vec3 d)
{
    int best = 0;
    double most = -INFINITY;
    for (int k = 0; k < p->corners; k++) {
        const double along = ss_dot(d, p->corner[k]);
        if (along > most) {
            most = along;
            best = k;
        }
    }
    return best;
}

static const ss_vec3 origin[1] = { { 0, 0, 0 } };
const ss_polytope ss_polytope_point = { .corners = 1, .corner = origin };

ss_solid ss_solid_of(const ss_shape *shape, const ss_frame *body)
{
    return (ss_solid){ .p = shape->polytope, .shape = shape, .radius = shape->radius, .body = *body };
}

/* ---- the block of memory ------------------------------------------------------------------- */

/* the arrays of a polytope, to be written to; all in the block that begins with it */
typedef struct block {
    ss_polytope p;
    ss_vec3 *corner, *normal, *rim;
    double *offset, *width;
    int (*edge)[2], (*edge_face)[2], (*axis)[2];
    int *face_start, *face_corner, *face_edge;
} block;

/* the next `count` elements of the block */
static void *carve(char **next, int count, size_t size)
{
    char *at = *next;
    *next += (size_t)count * size;
    return at;
}

static size_t block_bytes(const ss_outline *o, int slots, int edges)
{
    const size_t vectors = (size_t)(o->corners + o->faces + slots), numbers = 2 * (size_t)o->faces;
    const size_t ints = (size_t)(4 * edges + 2 * o->faces + o->faces + 1 + 2 * slots);
    return sizeof(block) + vectors * sizeof(ss_vec3) + numbers * sizeof(double) + ints * sizeof(int);
}

static ss_status take_block(ss_context *ctx, const ss_outline *o, block **out)
{
    const int slots = o->face_start[o->faces], edges = o->dimension == 3 ? slots / 2 : 0;
    block *b = NULL;
    SS_TRY(ss_calloc(ctx, 1, block_bytes(o, slots, edges), &b));
    char *next = (char *)(b + 1);
    b->corner = carve(&next, o->corners, sizeof *b->corner);
    b->normal = carve(&next, o->faces, sizeof *b->normal);
    b->rim = carve(&next, slots, sizeof *b->rim);
    b->offset = carve(&next, o->faces, sizeof *b->offset);
    b->width = carve(&next, o->faces, sizeof *b->width);
    b->edge = carve(&next, edges, sizeof *b->edge);
    b->edge_face = carve(&next, edges, sizeof *b->edge_face);
    b->axis = carve(&next, o->faces, sizeof *b->axis);
    b->face_start = carve(&next, o->faces + 1, sizeof *b->face_start);
    b->face_corner = carve(&next, slots, sizeof *b->face_corner);
    b->face_edge = carve(&next, slots, sizeof *b->face_edge);
    b->p = (ss_polytope){ .corners = o->corners,
                          .edges = edges,
                          .faces = o->faces,
                          .corner = b->corner,
                          .edge = (const int(*)[2])b->edge,
                          .edge_face = (const int(*)[2])b->edge_face,
                          .normal = b->normal,
                          .offset = b->offset,
                          .width = b->width,
                          .face_start = b->face_start,
                          .face_corner = b->face_corner,
                          .face_edge = b->face_edge,
                          .rim = b->rim,
                          .axis = (const int(*)[2])b->axis };
    *out = b;
    return SS_OK;
}

/* ---- faces --------------------------------------------------------------------------------- */

/* twice the area times the normal; in 2D the side turned to the right */
static ss_vec3 area_normal(const block *b, int face, int dimension)
{
    const int *c = b->face_corner + b->face_start[face], n = b->face_start[face + 1] - b->face_start[face];
    const ss_vec3 first = b->corner[c[0]];
    if (dimension == 2) {
        const ss_vec3 side = ss_sub(b->corner[c[1]], first);
        return ss_v3(side.y, -side.x, 0);
    }
    ss_vec3 sum = { 0, 0, 0 };
    for (int i = 1; i + 1 < n; i++) {
        sum = ss_add(sum, ss_cross(ss_sub(b->corner[c[i]], first), ss_sub(b->corner[c[i + 1]], first)));
    }
    return sum;
}

static void set_plane(block *b, int face, int dimension)
{
    const int start = b->face_start[face], n = b->face_start[face + 1] - start;
    const ss_vec3 normal = ss_unit(area_normal(b, face, dimension));
    double sum = 0;
    for (int i = 0; i < n; i++) {
        sum += ss_dot(normal, b->corner[b->face_corner[start + i]]);
    }
    b->normal[face] = normal;
    b->offset[face] = sum / n;
    for (int i = 0; i < n; i++) {
        const ss_vec3 x = b->corner[b->face_corner[start + i]], y = b->corner[b->face_corner[start + (i + 1) % n]];
        b->rim[start + i] = ss_unit(dimension == 3 ? ss_cross(ss_sub(y, x), normal) : ss_sub(x, y));
    }
}

double ss_face_width(const ss_polytope *p, int face)
{
    double least = INFINITY;
    for (int k = p->face_start[face]; k < p->face_start[face + 1]; k++) {
        double most = 0;
        for (int j = p->face_start[face]; j < p->face_start[face + 1]; j++) {
            most = fmax(most, ss_dot(p->rim[k], ss_sub(p->corner[p->face_corner[k]], p->corner[p->face_corner[j]])));
        }
        least = fmin(least, 0.5 * most);
    }
    return least;
}

static void set_axes(block *b)
{
    for (int k = 0; k < b->p.faces; k++) {
        int opposite = -1;
        bool seen = false;
        for (int j = 0; j < b->p.faces; j++) {
            const bool against = ss_norm(ss_add(b->normal[k], b->normal[j])) < SS_TOL_DIRECTION;
            seen = seen || (against && j < k);
            opposite = against && j > k ? j : opposite;
        }
        if (!seen) {
            b->axis[b->p.axes][0] = k;
            b->axis[b->p.axes++][1] = opposite;
        }
    }
}

/* ---- edges --------------------------------------------------------------------------------- */

/* the slot whose side runs from corner u to corner v; -1: none */
static int find_side(const block *b, int u, int v)
{
    for (int f = 0; f < b->p.faces; f++) {
        const int start = b->face_start[f], n = b->face_start[f + 1] - start;
        for (int i = 0; i < n; i++) {
            if (b->face_corner[start + i] == u && b->face_corner[start + (i + 1) % n] == v) {
                return start + i;
            }
        }
    }
    return -1;
}

static int face_of_slot(const block *b, int slot)
{
    int f = 0;
    while (b->face_start[f + 1] <= slot) {
        f++;
    }
    return f;
}

/* every side gets its edge; false: a side is not shared by exactly two faces */
static bool set_edges(block *b)
{
    int edges = 0;
    for (int f = 0; f < b->p.faces; f++) {
        const int start = b->face_start[f], n = b->face_start[f + 1] - start;
        for (int i = 0; i < n; i++) {
            const int u = b->face_corner[start + i], v = b->face_corner[start + (i + 1) % n], back = find_side(b, v, u);
            if (back >= 0 && back < start) {
                b->face_edge[start + i] = b->face_edge[back];
                continue;
            }
            if (back < 0 || edges == b->p.edges) {
                return false;
            }
            b->edge[edges][0] = u;
            b->edge[edges][1] = v;
            b->edge_face[edges][0] = f;
            b->edge_face[edges][1] = face_of_slot(b, back);
            b->face_edge[start + i] = edges++;
        }
    }
    return edges == b->p.edges;
}

/* ---- all of it ----------------------------------------------------------------------------- */

/* middle and size */
static void measure(ss_polytope *p)
{
    ss_vec3 sum = { 0, 0, 0 };
    for (int k = 0; k < p->corners; k++) {
        sum = ss_add(sum, ss_scale(1.0 / p->corners, p->corner[k]));
    }
    p->middle = sum;
    p->size = 0;
    for (int k = 0; k < p->corners; k++) {
        p->size = fmax(p->size, ss_norm(ss_sub(p->corner[k], sum)));
    }
}

/* The ball about the middle that touches the nearest face grows while its centre is moved away from that face by a step
 * that shrinks: a lower bound of the largest ball, near it. */
static double inner_radius(const ss_polytope *p)
{
    ss_vec3 centre = p->middle;
    double best = 0;
    for (int k = 0; k < 100 && p->faces > 0; k++) {
        int nearest = 0;
        double depth = INFINITY;
        for (int f = 0; f < p->faces; f++) {
            const double d = p->offset[f] - ss_dot(p->normal[f], centre);
            if (d < depth) {
                depth = d;
                nearest = f;
            }
        }
        best = fmax(best, depth);
        centre = ss_axpy(-p->size / (4 + k), p->normal[nearest], centre);
    }
    return best;
}

ss_status ss_polytope_make(ss_context *ctx, const ss_outline *o, const char *path, ss_shape *shape)
{
    const int slots = o->face_start[o->faces], features = o->corners + slots / 2 + o->faces;
    if (features > SS_FEATURES_MAX) {
        return ss_fail(ctx, SS_ERR_INPUT, "%s: %d corners, edges and faces in all, at most %d are possible", path, features,
                       SS_FEATURES_MAX);
    }
    block *b = NULL;
    SS_TRY(take_block(ctx, o, &b));
    memcpy(b->corner, o->corner, (size_t)o->corners * sizeof *b->corner);
    memcpy(b->face_start, o->face_start, ((size_t)o->faces + 1) * sizeof *b->face_start);
    memcpy(b->face_corner, o->face_corner, (size_t)slots * sizeof *b->face_corner);
    for (int f = 0; f < o->faces; f++) {
        set_plane(b, f, o->dimension);
        b->width[f] = ss_face_width(&b->p, f);
    }
    if (o->dimension == 3 && !set_edges(b)) {
        ss_free(ctx, b);
        return ss_fail(ctx, SS_ERR_INPUT, "%s: the faces of the hull do not close; too flat for its size", path);
    }
    set_axes(b);
    measure(&b->p);
    b->p.inner = inner_radius(&b->p);
    shape->owned = b;
    shape->polytope = &b->p;
    return SS_OK;
}

/* ---- what the types of shapes say of their polytope ----------------------------------------- */

ss_box3 ss_polytope_bounds(const ss_shape *shape, const ss_frame *placed)
{
    ss_box3 box = { { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY } };
    for (int k = 0; k < shape->polytope->corners; k++) {
        const ss_vec3 x = ss_rotate(placed->R, shape->polytope->corner[k]);
        box.lo = ss_v3(fmin(box.lo.x, x.x), fmin(box.lo.y, x.y), fmin(box.lo.z, x.z));
        box.hi = ss_v3(fmax(box.hi.x, x.x), fmax(box.hi.y, x.y), fmax(box.hi.z, x.z));
    }
    const double r = shape->radius;
    const ss_vec3 reach = ss_v3(r, r, shape->dimension == 3 ? r : 0);
    return (ss_box3){ ss_add(placed->p, ss_sub(box.lo, reach)), ss_add(placed->p, ss_add(box.hi, reach)) };
}

double ss_polytope_radius(const ss_shape *shape)
{
    double most = 0;
    for (int k = 0; k < shape->polytope->corners; k++) {
        most = fmax(most, ss_norm(shape->polytope->corner[k]));
    }
    return most + shape->radius;
}

double ss_polytope_thickness(const ss_shape *shape) { return shape->polytope->inner + shape->radius; }
