/* mesh.c - the mesh of a solid: a grid of triangles or tetrahedra, or one that was read from a file.
 *
 * Grid        node (i, j, k) has the number i + (n_x + 1) (j + (n_y + 1) k). A node is even or odd as i + j + k is.
 *             In every cell each odd node makes an element with its neighbours along the axes; in 3D the four even ones make
 *             the fifth. So
 *
 *                 2D   two triangles, whose common side joins the even nodes of the cell
 *                 3D   five tetrahedra; faces of neighbouring cells are cut by the same diagonals
 *
 *             and with even numbers of cells the pattern is its own mirror image in each of the middle planes.
 * Sides       the nodes with the least and the greatest index along an axis: left, right along x; bottom, top along the last one.
 *             A node of two sides that are held belongs to the first of them in the order left, right, front, back, bottom, top.
 * Boundary    a face that belongs to one cell alone is on the boundary, and so are its nodes; a face of more than two cells is
 *             refused, and so are two cells with the same nodes
 * Cost        linear in the number of cells, but for sorting their faces */
#include "model/mesh.h"
#include "base/options.h"
#include "base/tolerances.h"
#include "model/fields.h"
#include "model/model.h"
#include "model/simplex.h"
#include <stdlib.h>

/* ---- what the scene says ------------------------------------------------------------------------------- */

static const ss_element_type *type_of(const ss_elements_desc *d)
{
    for (int k = 0; d->type && ss_element_types[k]; k++) {
        if (ss_entry_answers(&ss_element_types[k]->info, d->type)) {
            return ss_element_types[k];
        }
    }
    return NULL;
}

bool ss_mesh_is_solid(const ss_elements_desc *d)
{
    const ss_element_type *type = type_of(d);
    return type && type->nodes > 0;
}

/* cells along an axis; 0 where the scene says nothing that could be a number of cells, and in 2D along z */
static int cells_along(const ss_elements_desc *d, int dimension, int axis)
{
    const double n = d->solid.divisions[axis];
    return axis < dimension && n >= 1 && n <= SS_MOST_DIVISIONS ? (int)n : 0;
}

int ss_mesh_nodes(const ss_elements_desc *d, int dimension)
{
    double count = 1;
    for (int axis = 0; axis < dimension; axis++) {
        count *= cells_along(d, dimension, axis) + 1;
    }
    return d->solid.mesh ? d->solid.data.nodes : count <= SS_MOST_DIVISIONS ? (int)count : 0;
}

/* place of a node of the grid along each axis */
static void grid_place(const ss_elements_desc *d, int dimension, int node, int at[3])
{
    for (int axis = 0; axis < 3; axis++) {
        const int row = cells_along(d, dimension, axis) + 1;
        at[axis] = node % row;
        node /= row;
    }
}

static int compare_numbers(const void *x, const void *y)
{
    const int a = *(const int *)x, b = *(const int *)y;
    return (a > b) - (a < b);
}

static const char *holder_in_file(const ss_solid_desc *solid, int node)
{
    const ss_mesh_data *data = &solid->data;
    const bool held = data->held_nodes > 0 && bsearch(&node, data->held, (size_t)data->held_nodes, sizeof node, compare_numbers);
    return held ? (solid->holder ? solid->holder : "world") : NULL;
}

const char *ss_mesh_holder(const ss_elements_desc *d, int dimension, int node)
{
    int at[3];
    if (d->solid.mesh) {
        return holder_in_file(&d->solid, node);
    }
    grid_place(d, dimension, node, at);
    for (int axis = 0; axis < dimension; axis++) {
        const int sides = axis == dimension - 1 ? SS_BOTTOM : 2 * axis;
        const char *low = d->solid.side[sides], *high = d->solid.side[sides + 1];
        if (low && at[axis] == 0) {
            return low;
        }
        if (high && at[axis] == cells_along(d, dimension, axis)) {
            return high;
        }
    }
    return NULL;
}

uint64_t ss_mesh_hash(uint64_t h, const ss_mesh_data *data, int dimension)
{
    if (data->nodes > 0) {
        h = ss_hash(h, data->x, 3 * (size_t)data->nodes * sizeof *data->x);
        h = ss_hash(h, data->cell, (size_t)data->cells * (size_t)(dimension + 1) * sizeof *data->cell);
    }
    return data->held_nodes > 0 ? ss_hash(h, data->held, (size_t)data->held_nodes * sizeof *data->held) : h;
}

/* ---- grids ------------------------------------------------------------------------------------------------ */

/* a cell of the grid: its first node, the distances of node numbers along the axes, and whether its first node is odd */
typedef struct cell {
    int node, stride[3], odd;
} cell;

static int corner(const cell *c, int bits)
{
    int node = c->node;
    for (int axis = 0; axis < 3; axis++) {
        node += bits >> axis & 1 ? c->stride[axis] : 0;
    }
    return node;
}

static bool is_odd(const cell *c, int bits) { return (c->odd + (bits & 1) + (bits >> 1 & 1) + (bits >> 2 & 1)) % 2 == 1; }

static void add_cell(const cell *c, int dimension, ss_mesh *m)
{
    int even = 0, middle[8];
    for (int bits = 0; bits < 1 << dimension; bits++) {
        if (!is_odd(c, bits)) {
            middle[even++] = corner(c, bits);
            continue;
        }
        int *out = m->cell + m->corners * m->cells++;
        out[0] = corner(c, bits);
        for (int axis = 0; axis < dimension; axis++) {
            out[axis + 1] = corner(c, bits ^ 1 << axis);
        }
    }
    if (dimension == 3) {
        memcpy(m->cell + m->corners * m->cells++, middle, 4 * sizeof *middle);
    }
}

static void fill_grid(const ss_elements_desc *d, int dimension, ss_mesh *m)
{
    cell c = { .stride = { 1, cells_along(d, dimension, 0) + 1, 0 } };
    c.stride[2] = c.stride[1] * (cells_along(d, dimension, 1) + 1);
    for (int node = 0; node < m->nodes; node++) {
        double x[3] = { 0, 0, 0 };
        bool first = true; /* of a cell */
        int at[3];
        grid_place(d, dimension, node, at);
        for (int axis = 0; axis < dimension; axis++) {
            const int n = cells_along(d, dimension, axis);
            x[axis] = d->size[axis] * at[axis] / n;
            first = first && at[axis] < n;
        }
        m->x[node] = ss_v3_from(x);
        c.node = node;
        c.odd = (at[0] + at[1] + at[2]) % 2;
        if (first) {
            add_cell(&c, dimension, m);
        }
    }
}

static ss_status check_grid(ss_context *ctx, const ss_elements_desc *d, int dimension, const char *path, int *cells)
{
    double count = dimension == 2 ? 2 : 5, nodes = 1;
    for (int axis = 0; axis < dimension; axis++) {
        const double n = d->solid.divisions[axis];
        if (!(n >= 1 && n == floor(n))) {
            return ss_fail(ctx, SS_ERR_INPUT, "%s.divisions: expected %d whole numbers from 1 on, got %g", path, dimension, n);
        }
        if (!(d->size[axis] > 0)) {
            return ss_fail(ctx, SS_ERR_INPUT, "%s.size: missing, expected %d numbers > 0", path, dimension);
        }
        count *= n;
        nodes *= n + 1;
    }
    if (count > SS_MOST_DIVISIONS || nodes > SS_MOST_DIVISIONS) {
        return ss_fail(ctx, SS_ERR_INPUT, "%s.divisions: expected at most %d elements and as many nodes, got %.9g and %.9g", path,
                       SS_MOST_DIVISIONS, count, nodes);
    }
    *cells = (int)count;
    return d->solid.held
               ? ss_fail(ctx, SS_ERR_INPUT, "%s.held: expected a mesh: the sides of a grid have names of their own", path)
               : SS_OK;
}

/* ---- files -------------------------------------------------------------------------------------------------- */

static ss_status check_file(ss_context *ctx, const ss_elements_desc *d, const char *path)
{
    const ss_mesh_data *data = &d->solid.data;
    if (data->nodes < 1 || data->cells < 1 || !data->x || !data->cell) {
        return ss_fail(ctx, SS_ERR_INPUT, "%s.mesh: no nodes and elements were read from \"%.80s\"", path, d->solid.mesh);
    }
    if (!isnan(d->size[0]) || !isnan(d->solid.divisions[0])) {
        return ss_fail(ctx, SS_ERR_INPUT, "%s.mesh: the file says size and divisions, expected neither beside it", path);
    }
    for (int k = 0; k < SS_SIDES; k++) {
        if (d->solid.side[k]) {
            return ss_fail(ctx, SS_ERR_INPUT, "%s.mesh: a mesh has no sides, expected `held` with a physical group of the file",
                           path);
        }
    }
    return SS_OK;
}

static ss_status copy_file(ss_context *ctx, const ss_mesh_data *data, const char *path, ss_mesh *m)
{
    for (int k = 0; k < m->nodes; k++) {
        m->x[k] = ss_v3_from(data->x + 3 * k);
    }
    for (int k = 0; k < data->cells * m->corners; k++) {
        m->cell[k] = data->cell[k];
        if (m->cell[k] < 0 || m->cell[k] >= m->nodes) {
            return ss_fail(ctx, SS_ERR_INPUT, "%s.mesh: element %d has node %d, expected one from 0 to %d", path, k / m->corners,
                           m->cell[k], m->nodes - 1);
        }
    }
    m->cells = data->cells;
    return SS_OK;
}

/* ---- both ---------------------------------------------------------------------------------------------------- */

/* the largest of the distances of a cell's nodes from its first one */
static double cell_size(const ss_vec3 *x, int corners)
{
    double size = 0;
    for (int k = 1; k < corners; k++) {
        size = fmax(size, ss_norm(ss_sub(x[k], x[0])));
    }
    return size;
}

/* order the nodes of a cell so that its volume is positive */
static ss_status order_cell(ss_context *ctx, const char *path, ss_mesh *m, int which)
{
    int *node = m->cell + which * m->corners;
    ss_vec3 x[SS_SIMPLEX_NODES];
    ss_simplex e = { .nodes = m->corners };
    for (int a = 0; a < m->corners; a++) {
        x[a] = m->x[node[a]];
        for (int b = 0; b < a; b++) {
            if (node[a] == node[b]) {
                return ss_fail(ctx, SS_ERR_INPUT, "%s: element %d has node %d twice", path, which, node[a]);
            }
        }
    }
    ss_simplex_rest(x, &e);
    if (!(fabs(e.volume) > SS_TOL_SCENE * pow(cell_size(x, m->corners), m->corners - 1))) {
        return ss_fail(ctx, SS_ERR_INPUT, "%s: element %d is flat: its nodes are on one %s", path, which,
                       m->corners == 3 ? "line" : "plane");
    }
    if (e.volume < 0) {
        const int last = node[m->corners - 1];
        node[m->corners - 1] = node[m->corners - 2];
        node[m->corners - 2] = last;
    }
    return SS_OK;
}

/* a face of a cell: its nodes, ascending, in 2D two and -1 in front; it is opposite to corner `place` of the list of cells */
typedef struct face {
    int node[3], place;
} face;

static int compare_faces(const void *x, const void *y)
{
    const face *a = x, *b = y;
    int order = 0;
    for (int k = 0; k < 3 && order == 0; k++) {
        order = (a->node[k] > b->node[k]) - (a->node[k] < b->node[k]);
    }
    return order;
}

static void list_faces(const ss_mesh *m, face *faces)
{
    const int count = m->cells * m->corners;
    for (int k = 0; k < count; k++) {
        int n = 0;
        faces[k].place = k;
        faces[k].node[2] = -1;
        for (int a = 0; a < m->corners; a++) {
            if (a != k % m->corners) {
                faces[k].node[n++] = m->cell[k - k % m->corners + a];
            }
        }
        qsort(faces[k].node, 3, sizeof(int), compare_numbers);
    }
    qsort(faces, (size_t)count, sizeof *faces, compare_faces);
}

/* The face opposite to a corner, seen from outside, then that corner. Cells have positive volume: in 2D the face runs on as the
 * cell does; in 3D faces opposite to even corners are seen clockwise in the order of the cell. */
static void add_facet(ss_mesh *m, int place)
{
    const int *node = m->cell + (place - place % m->corners);
    const int k = place % m->corners, n = m->corners;
    int *out = m->facet + n * m->facets++;
    for (int a = 1; a < n; a++) {
        out[a - 1] = node[(k + a) % n];
        m->outer[node[(k + a) % n]] = true;
    }
    out[n - 1] = node[k];
    if (n == 4 && k % 2 == 1) {
        const int first = out[0];
        out[0] = out[1];
        out[1] = first;
    }
}

/* how often the face at the front of the list, sorted, comes */
static int count_equal(const face *faces, int count)
{
    int times = 1;
    while (times < count && compare_faces(&faces[0], &faces[times]) == 0) {
        times++;
    }
    return times;
}

/* A face is that of one element, or of two with different nodes opposite to it. */
static ss_status check_face(ss_context *ctx, const char *path, const ss_mesh *m, const face *equal, int times)
{
    const int one = equal[0].place / m->corners, other = times > 1 ? equal[1].place / m->corners : one;
    if (times > 1 && m->cell[equal[0].place] == m->cell[equal[1].place]) {
        return ss_fail(ctx, SS_ERR_INPUT, "%s: elements %d and %d have the same nodes", path, one < other ? one : other,
                       one < other ? other : one);
    }
    return times <= 2 ? SS_OK
                      : ss_fail(ctx, SS_ERR_INPUT, "%s: a side of element %d belongs to %d elements, expected one or two", path,
                                one, times);
}

static ss_status sort_out_faces(ss_context *ctx, const char *path, face *faces, ss_mesh *m)
{
    const int count = m->cells * m->corners;
    list_faces(m, faces);
    for (int k = 0, times; k < count; k += times) {
        times = count_equal(faces + k, count - k);
        SS_TRY(check_face(ctx, path, m, faces + k, times));
        if (times == 1) {
            add_facet(m, faces[k].place);
        }
    }
    return SS_OK;
}

static ss_status find_outer(ss_context *ctx, const char *path, ss_mesh *m)
{
    const size_t count = (size_t)m->cells * (size_t)m->corners;
    face *faces;
    SS_TRY(ss_calloc(ctx, count * (size_t)m->corners, sizeof *m->facet, &m->facet));
    SS_TRY(ss_calloc(ctx, count, sizeof *faces, &faces));
    const ss_status status = sort_out_faces(ctx, path, faces, m);
    ss_free(ctx, faces);
    return status;
}

static ss_status fill(ss_context *ctx, const ss_elements_desc *d, int dimension, const char *path, ss_mesh *m)
{
    int cells = d->solid.data.cells;
    SS_TRY(d->solid.mesh ? check_file(ctx, d, path) : check_grid(ctx, d, dimension, path, &cells));
    m->corners = dimension + 1;
    m->nodes = ss_mesh_nodes(d, dimension);
    SS_TRY(ss_calloc(ctx, (size_t)m->nodes, sizeof *m->x, &m->x));
    SS_TRY(ss_calloc(ctx, (size_t)m->nodes, sizeof *m->outer, &m->outer));
    SS_TRY(ss_calloc(ctx, (size_t)cells * (size_t)m->corners, sizeof *m->cell, &m->cell));
    if (d->solid.mesh) {
        SS_TRY(copy_file(ctx, &d->solid.data, path, m));
    } else {
        fill_grid(d, dimension, m);
    }
    for (int k = 0; k < m->cells; k++) {
        SS_TRY(order_cell(ctx, path, m, k));
    }
    return find_outer(ctx, path, m);
}

ss_status ss_mesh_build(ss_context *ctx, const ss_elements_desc *d, int dimension, const char *path, ss_mesh *out)
{
    *out = (ss_mesh){ 0 };
    ss_status status = fill(ctx, d, dimension, path, out);
    if (status != SS_OK) {
        ss_mesh_free(ctx, out);
    }
    return status;
}

void ss_mesh_free(ss_context *ctx, ss_mesh *mesh)
{
    ss_free(ctx, mesh->x);
    ss_free(ctx, mesh->cell);
    ss_free(ctx, mesh->outer);
    ss_free(ctx, mesh->facet);
    *mesh = (ss_mesh){ 0 };
}
