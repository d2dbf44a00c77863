/* compile_solids.c - solids of a scene: nodes become particles, triangles and tetrahedra elements between them.
 *
 * Node i is the particle NAME.i with an equal part of the mass of each element it belongs to. A node that is held becomes no
 * body: its elements act on a point of what holds it.
 *
 *     Lame      mu = E/(2 (1 + nu)),   lambda = E nu/((1 + nu)(1 - 2 nu));   plane stress: lambda = E nu/(1 - nu^2)
 *     start     v_i = v + w x (x_i - c)          c centre of mass, v its velocity, w angular velocity
 *
 * Cost        linear in the number of elements, but for finding bodies by name and sorting faces */
#include "base/options.h"
#include "model/compile.h"
#include "model/mesh.h"
#include "model/simplex.h"
#include <stdio.h>

/* a solid being compiled */
typedef struct solid {
    const ss_elements_desc *d;
    ss_mesh mesh;
    ss_frame frame;
    char path[SS_PATH_SIZE];
} solid;

static ss_status open_solid(ss_compiler *x, int i, solid *s)
{
    const int dimension = x->m->dimension;
    const ss_element_type *type;
    s->d = &x->scene->mesh[i];
    SS_TRY(ss_compile_flexible(x, i, s->path, &type));
    s->frame.p = ss_v3_from(s->d->position);
    s->frame.R = dimension == 2 ? ss_rotation_z(s->d->angle) : ss_quat_matrix(ss_quat_unit(ss_quat_from(s->d->orientation)));
    return ss_mesh_build(x->ctx, s->d, dimension, s->path, &s->mesh);
}

/* nodes and slopes of element k in the world */
static void place_element(const solid *s, int k, ss_simplex *e)
{
    ss_vec3 x[SS_SIMPLEX_NODES];
    e->nodes = s->mesh.corners;
    for (int a = 0; a < e->nodes; a++) {
        x[a] = ss_point_to_world(s->frame, s->mesh.x[s->mesh.cell[k * e->nodes + a]]);
    }
    ss_simplex_rest(x, e);
}

/* ---- nodes ------------------------------------------------------------------------------------------------ */

static ss_status node_name(ss_compiler *x, const solid *s, int i, char name[SS_PATH_SIZE])
{
    if (snprintf(name, SS_PATH_SIZE, "%s.%d", s->d->name, i) >= SS_PATH_SIZE) {
        return ss_fail(x->ctx, SS_ERR_INPUT, "%s.name: expected a shorter name", s->path);
    }
    return SS_OK;
}

/* mass[nodes], and the centre of mass in the world */
static ss_vec3 find_masses(const solid *s, double *mass)
{
    ss_vec3 sum = { 0, 0, 0 };
    double whole = 0;
    for (int k = 0; k < s->mesh.cells; k++) {
        ss_simplex e = { 0 };
        place_element(s, k, &e);
        for (int a = 0; a < e.nodes; a++) {
            mass[s->mesh.cell[k * e.nodes + a]] += s->d->density * e.volume / e.nodes;
        }
    }
    for (int i = 0; i < s->mesh.nodes; i++) {
        sum = ss_axpy(mass[i], s->mesh.x[i], sum);
        whole += mass[i];
    }
    return ss_point_to_world(s->frame, ss_scale(1 / whole, sum));
}

static ss_status add_node(ss_compiler *x, const solid *s, int i, double mass, ss_vec3 centre)
{
    const ss_vec3 place = ss_point_to_world(s->frame, s->mesh.x[i]),
                  spin = ss_rotate(s->frame.R, ss_v3_from(s->d->solid.angular_velocity));
    ss_body_desc b = ss_body_desc_default();
    ss_shape_desc point = ss_shape_desc_default();
    char name[SS_PATH_SIZE];
    int body;
    SS_TRY(node_name(x, s, i, name));
    b.name = name;
    b.type = SS_BODY_PARTICLE;
    b.mass = mass;
    ss_v3_to(place, b.position);
    ss_v3_to(ss_add(ss_v3_from(s->d->velocity), ss_cross(spin, ss_sub(place, centre))), b.velocity);
    SS_TRY(ss_scene_add_body(&x->with_nodes, &b, &body));
    point.type = "point";
    point.material = s->d->material;
    return s->d->solid.contact && s->mesh.outer[i] ? ss_scene_add_shape(&x->with_nodes, body, &point) : SS_OK;
}

static ss_status add_nodes(ss_compiler *x, const solid *s, double *mass)
{
    const ss_vec3 centre = find_masses(s, mass);
    bool moves = false;
    for (int i = 0; i < s->mesh.nodes; i++) {
        if (!(mass[i] > 0)) {
            return ss_fail(x->ctx, SS_ERR_INPUT, "%s.mesh: node %d belongs to no element", s->path, i);
        }
        const bool held = ss_mesh_holder(s->d, x->m->dimension, i) != NULL;
        SS_TRY(held ? SS_OK : add_node(x, s, i, mass[i], centre));
        moves = moves || !held;
    }
    return moves ? SS_OK : ss_fail(x->ctx, SS_ERR_INPUT, "%s: every node is held, expected one that can move", s->path);
}

static ss_status compile_nodes(ss_compiler *x, int i)
{
    solid s;
    double *mass = NULL;
    SS_TRY(open_solid(x, i, &s));
    ss_status status = ss_calloc(x->ctx, (size_t)s.mesh.nodes, sizeof *mass, &mass);
    if (status == SS_OK) {
        status = add_nodes(x, &s, mass);
    }
    ss_free(x->ctx, mass);
    ss_mesh_free(x->ctx, &s.mesh);
    return status;
}

ss_status ss_compile_solid_nodes(ss_compiler *x)
{
    for (int i = 0; i < x->scene->meshes; i++) {
        SS_TRY(ss_mesh_is_solid(&x->scene->mesh[i]) ? compile_nodes(x, i) : SS_OK);
    }
    return SS_OK;
}

/* ---- elements ----------------------------------------------------------------------------------------------- */

static ss_status attach_held(ss_compiler *x, const solid *s, const char *by, ss_vec3 place, ss_attachment *at)
{
    SS_TRY(ss_compile_body_ref(x, s->path, "held", by, &at->body));
    if (ss_model_is_dynamic(x->m, at->body)) {
        return ss_fail(x->ctx, SS_ERR_INPUT,
                       "%s: \"%.80s\", which holds nodes of it, can move freely, expected \"world\", a fixed or a driven body: "
                       "leave it out and join nodes to the body",
                       s->path, by);
    }
    at->point = ss_point_to_body(ss_model_frame(x->m, at->body, 0, NULL), place);
    return SS_OK;
}

static ss_status attach_nodes(ss_compiler *x, const solid *s, ss_attachment *at)
{
    for (int i = 0; i < s->mesh.nodes; i++) {
        const char *by = ss_mesh_holder(s->d, x->m->dimension, i);
        char name[SS_PATH_SIZE];
        SS_TRY(node_name(x, s, i, name));
        at[i] = (ss_attachment){ .body = by ? 0 : ss_names_find(&x->body, name) };
        SS_TRY(by ? attach_held(x, s, by, ss_point_to_world(s->frame, s->mesh.x[i]), &at[i]) : SS_OK);
    }
    return SS_OK;
}

static ss_status set_law(ss_compiler *x, const solid *s, ss_simplex_law *law)
{
    const ss_elements_desc *d = s->d;
    char *owner;
    SS_TRY(ss_model_keep_text(x->m, d->name, &owner));
    *law = (ss_simplex_law){ .owner = owner,
                             .mu = d->E / (2 * (1 + d->nu)),
                             .lambda = d->E * d->nu / ((1 + d->nu) * (1 - 2 * d->nu)),
                             .density = d->density,
                             .mass_damping = d->mass_damping,
                             .stiffness_damping = d->stiffness_damping,
                             .corotational = d->solid.strain == SS_STRAIN_COROTATIONAL,
                             .plane_stress = x->m->dimension == 2 && d->solid.plane == SS_PLANE_STRESS };
    if (law->plane_stress) {
        law->lambda = d->E * d->nu / (1 - d->nu * d->nu);
    }
    return SS_OK;
}

/* what grows from solid to solid */
typedef struct capacities {
    int elements, nodes, facets;
} capacities;

/* elements of a solid whose nodes are at `at` and have the numbers from `first` on, behind those that are there */
static ss_status add_elements(ss_compiler *x, const solid *s, const ss_simplex_law *law, const ss_attachment *at, int first,
                              int *capacity)
{
    ss_model *m = x->m;
    SS_TRY(ss_reserve(x->ctx, &m->simplex, capacity, m->simplices + s->mesh.cells, sizeof *m->simplex));
    for (int k = 0; k < s->mesh.cells; k++) {
        ss_simplex *e = &m->simplex[m->simplices++];
        *e = (ss_simplex){ .law = law, .number = k };
        place_element(s, k, e);
        for (int a = 0; a < e->nodes; a++) {
            const int node = s->mesh.cell[k * e->nodes + a];
            e->at[a] = at[node];
            e->node[a] = first + node;
        }
    }
    return SS_OK;
}

/* a solid whose nodes are at `at`: they, its elements and its facets */
static ss_status add_solid(ss_compiler *x, int i, const solid *s, const ss_attachment *at, capacities *capacity)
{
    ss_model *m = x->m;
    const int first = m->solid_nodes, nodes = s->mesh.nodes;
    SS_TRY(ss_reserve(x->ctx, &m->solid_node, &capacity->nodes, first + nodes, sizeof *m->solid_node));
    memcpy(m->solid_node + first, at, (size_t)nodes * sizeof *at);
    m->solid_nodes += nodes;
    SS_TRY(add_elements(x, s, &m->simplex_law[i], at, first, &capacity->elements));
    return s->d->solid.contact ? ss_compile_facets(x, i, &s->mesh, at, &capacity->facets) : SS_OK;
}

static ss_status compile_elements(ss_compiler *x, int i, capacities *capacity)
{
    ss_attachment *at = NULL;
    solid s;
    SS_TRY(open_solid(x, i, &s));
    ss_status status = set_law(x, &s, &x->m->simplex_law[i]);
    if (status == SS_OK) {
        status = ss_calloc(x->ctx, (size_t)s.mesh.nodes, sizeof *at, &at);
    }
    status = status == SS_OK ? attach_nodes(x, &s, at) : status;
    status = status == SS_OK ? add_solid(x, i, &s, at, capacity) : status;
    ss_free(x->ctx, at);
    ss_mesh_free(x->ctx, &s.mesh);
    return status;
}

ss_status ss_compile_solids(ss_compiler *x)
{
    capacities capacity = { 0 };
    SS_TRY(ss_calloc(x->ctx, (size_t)x->scene->meshes, sizeof *x->m->simplex_law, &x->m->simplex_law));
    for (int i = 0; i < x->scene->meshes; i++) {
        SS_TRY(ss_mesh_is_solid(&x->scene->mesh[i]) ? compile_elements(x, i, &capacity) : SS_OK);
    }
    SS_TRY(ss_compile_probes(x));
    return ss_compile_edges(x);
}
