/* compile_facets.c - the boundary of solids for contact: facets, and the corners of shapes that may touch them.
 *
 * A facet whose nodes are all held has no velocities and is left out. Corners are those of points (the nodes of other solids),
 * spheres, capsules, boxes, polygons and hulls; of a rounded shape the corners of its core with its radius.
 * Cost        linear in facets and shapes */
#include "geom/polytope.h"
#include "model/compile.h"
#include "model/mesh.h"

static ss_vec3 place_of(const ss_model *m, const ss_attachment *at)
{
    const ss_frame frame = ss_model_frame(m, at->body, 0, m->q0);
    return ss_point_to_world(frame, at->point);
}

/* distance of the node behind a facet from it; x: its nodes, then that one */
static double depth_of(const ss_vec3 *x, int corners)
{
    const ss_vec3 side = ss_sub(x[1], x[0]);
    const ss_vec3 n = corners == 3 ? ss_v3(side.y, -side.x, 0) : ss_cross(side, ss_sub(x[2], x[0]));
    return fabs(ss_dot(ss_unit(n), ss_sub(x[corners - 1], x[0])));
}

ss_status ss_compile_facets(ss_compiler *x, int solid, const ss_mesh *mesh, const ss_attachment *at, int *capacity)
{
    ss_model *m = x->m;
    SS_TRY(ss_reserve(x->ctx, &m->facet, capacity, m->facets + mesh->facets, sizeof *m->facet));
    for (int k = 0; k < mesh->facets; k++) {
        const int *node = mesh->facet + k * mesh->corners;
        ss_facet facet = { .solid = solid, .shape = -1 };
        ss_vec3 places[SS_SIMPLEX_NODES];
        for (int a = 0; a < mesh->corners; a++) {
            places[a] = place_of(m, &at[node[a]]);
            if (a < m->dimension) {
                facet.at[a] = at[node[a]];
                facet.shape = ss_model_is_dynamic(m, at[node[a]].body) ? m->shape_start[at[node[a]].body] : facet.shape;
            }
        }
        facet.depth = depth_of(places, mesh->corners);
        if (facet.shape >= 0) {
            m->facet[m->facets++] = facet;
        }
    }
    return SS_OK;
}

/* solid_of[bodies]: the number of the solid whose node it is, or -1 */
static void find_owners(const ss_model *m, int *solid_of)
{
    for (int b = 0; b < m->bodies; b++) {
        solid_of[b] = -1;
    }
    for (int i = 0; i < m->simplices; i++) {
        const ss_simplex *e = &m->simplex[i];
        for (int a = 0; a < e->nodes; a++) {
            if (ss_model_is_dynamic(m, e->at[a].body)) {
                solid_of[e->at[a].body] = (int)(e->law - m->simplex_law);
            }
        }
    }
}

static ss_status add_probes(ss_compiler *x, const int *solid_of)
{
    ss_model *m = x->m;
    int capacity = 0;
    for (int s = 0; s < m->shapes; s++) {
        const ss_shape *shape = &m->shape[s];
        for (int k = 0; shape->polytope && k < shape->polytope->corners; k++) {
            const ss_probe probe = { .shape = s,
                                     .solid = solid_of[m->shape_body[s]],
                                     .point = ss_point_to_world(shape->local, shape->polytope->corner[k]),
                                     .radius = shape->radius };
            SS_PUSH(x->ctx, m->probe, m->probes, capacity, probe);
        }
    }
    return SS_OK;
}

ss_status ss_compile_probes(ss_compiler *x)
{
    int *solid_of = NULL;
    if (x->m->facets == 0) {
        return SS_OK;
    }
    SS_TRY(ss_calloc(x->ctx, (size_t)x->m->bodies, sizeof *solid_of, &solid_of));
    find_owners(x->m, solid_of);
    const ss_status status = add_probes(x, solid_of);
    ss_free(x->ctx, solid_of);
    return status;
}
