/* compile_edges.c - edges that may cross others in 3D: those of boxes, hulls and capsules, and those of the boundary of solids.
 *
 * An edge of a solid lies between two facets; it is found where two of their sides have the same ends. Sides of a single facet,
 * whose neighbour is held as a whole, are left out. Edges of shapes know the normals of the faces beside them, those of solids
 * their facets, which turn. Seen from outside, the first face is on the left of an edge.
 *
 * Cost        that of sorting the sides of facets */
#include "geom/polytope.h"
#include "model/compile.h"

#include <stdlib.h>

/* a side of a facet: its ends in an order of their own, and whether the facet runs from the first to the second */
typedef struct side {
    const ss_attachment *end[2];
    int facet;
    bool ahead;
} side;

static int compare_places(const ss_attachment *a, const ss_attachment *b)
{
    return a->body != b->body ? (a->body < b->body ? -1 : 1) : memcmp(&a->point, &b->point, sizeof a->point);
}

static int compare_sides(const void *left, const void *right)
{
    const side *a = left, *b = right;
    const int first = compare_places(a->end[0], b->end[0]), second = compare_places(a->end[1], b->end[1]);
    return first ? first : second ? second : (a->facet > b->facet) - (a->facet < b->facet);
}

static side side_of(const ss_facet *facet, int number, int k)
{
    const ss_attachment *from = &facet->at[k], *to = &facet->at[(k + 1) % 3];
    const bool ahead = compare_places(from, to) < 0;
    return (side){ .end = { ahead ? from : to, ahead ? to : from }, .facet = number, .ahead = ahead };
}

/* the facet that runs from the first end to the second is on the left */
static ss_edge edge_between(const ss_model *m, const side *a, const side *b)
{
    const side *left = a->ahead ? a : b, *right = a->ahead ? b : a;
    const ss_facet *facet = &m->facet[left->facet];
    return (ss_edge){ .at = { *a->end[0], *a->end[1] },
                      .shape = facet->shape,
                      .solid = facet->solid,
                      .facet = { left->facet, right->facet },
                      .depth = 0.5 * fmin(facet->depth, m->facet[right->facet].depth) };
}

static bool match(const ss_model *m, const side *a, const side *b)
{
    return m->facet[a->facet].solid == m->facet[b->facet].solid && a->ahead != b->ahead &&
           compare_places(a->end[0], b->end[0]) == 0 && compare_places(a->end[1], b->end[1]) == 0;
}

static ss_status add_edges_of_solids(ss_compiler *x, int *capacity)
{
    ss_model *m = x->m;
    side *sides = NULL;
    ss_status status = ss_calloc(x->ctx, 3 * (size_t)m->facets, sizeof *sides, &sides);
    for (int k = 0; k < 3 * m->facets && status == SS_OK; k++) {
        sides[k] = side_of(&m->facet[k / 3], k / 3, k % 3);
    }
    if (status == SS_OK) {
        qsort(sides, 3 * (size_t)m->facets, sizeof *sides, compare_sides);
    }
    for (int k = 0; k + 1 < 3 * m->facets && status == SS_OK; k++) {
        if (match(m, &sides[k], &sides[k + 1])) {
            const ss_edge edge = edge_between(m, &sides[k], &sides[k + 1]);
            status = ss_reserve(x->ctx, &m->edge, capacity, m->edges + 1, sizeof edge);
            if (status == SS_OK) {
                m->edge[m->edges++] = edge;
            }
        }
    }
    ss_free(x->ctx, sides);
    return status;
}

static ss_status add_edges_of_shape(ss_compiler *x, int s, int *capacity)
{
    const ss_shape *shape = &x->m->shape[s];
    const ss_polytope *p = shape->polytope;
    for (int k = 0; p && k < p->edges; k++) {
        ss_edge edge = { .shape = s, .solid = -1, .facet = { -1, -1 }, .radius = shape->radius, .depth = INFINITY };
        for (int end = 0; end < 2; end++) {
            const int face = p->edge_face[k][end];
            edge.at[end].body = x->m->shape_body[s];
            edge.at[end].point = ss_point_to_world(shape->local, p->corner[p->edge[k][end]]);
            edge.normal[end] = face >= 0 ? ss_rotate(shape->local.R, p->normal[face]) : ss_v3(0, 0, 0);
        }
        SS_PUSH(x->ctx, x->m->edge, x->m->edges, *capacity, edge);
    }
    return SS_OK;
}

ss_status ss_compile_edges(ss_compiler *x)
{
    int capacity = 0;
    if (x->m->dimension == 2 || x->m->facets == 0) {
        return SS_OK;
    }
    for (int s = 0; s < x->m->shapes; s++) {
        SS_TRY(add_edges_of_shape(x, s, &capacity));
    }
    return add_edges_of_solids(x, &capacity);
}
