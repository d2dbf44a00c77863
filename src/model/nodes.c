/* nodes.c - flexible bodies of a scene: their nodes become bodies, their elements forces between two of them. Solids,
 * triangles and tetrahedra, are in compile_solids.c; their nodes come after those here.
 *
 * A flexible body here is a row of n equal elements along the first axis of its frame. Node i, i = 0 .. n, is at
 *
 *     x_i = p + (i/n) l R e_x                   p, R  position and orientation;  l  length
 *
 * and becomes the body NAME.i: a particle, or a rigid body where nodes turn. Its mass (lumped) is half of that of each element
 * it belongs to. A node that is held becomes no body: its elements act on a point of what holds it, the world, a fixed or a
 * driven body. So masses, forces, tangents, energies and contacts of flexible bodies reach all schemes as those of other
 * bodies and of springs do.
 *
 * What an element is made of is in section.c.
 * Cost        linear in the number of elements; nothing for scenes without flexible bodies */
#include "base/options.h"
#include "base/tolerances.h"
#include "model/compile.h"
#include "model/elements.h"
#include "model/mesh.h"
#include <stdio.h>

/* a flexible body being compiled */
typedef struct mesh {
    const ss_elements_desc *d;
    const ss_element_type *type;
    ss_element element; /* without its axes */
    ss_mat3 R;
    char path[SS_PATH_SIZE];
} mesh;

/* ---- what it is made of ------------------------------------------------------------------------------- */

static ss_status find_type(ss_compiler *x, const char *path, const char *type, const ss_element_type **out)
{
    enum { MAX = 64 };
    const char *names[MAX];
    int n = 0;
    for (; ss_element_types[n] && n < MAX; n++) {
        names[n] = ss_element_types[n]->info.name;
        if (type && ss_entry_answers(&ss_element_types[n]->info, type)) {
            *out = ss_element_types[n];
            return SS_OK;
        }
    }
    return ss_fail_unknown(x, path, "type", "element", type ? type : "", n, names);
}

ss_status ss_compile_flexible(ss_compiler *x, int i, char path[SS_PATH_SIZE], const ss_element_type **type)
{
    const ss_elements_desc *d = &x->scene->mesh[i];
    const int dimension = x->m->dimension;
    ss_part_path(path, SS_PATH_SIZE, "elements", d->name, i);
    if (!d->name) {
        return ss_fail(x->ctx, SS_ERR_INPUT, "%s.name: missing, expected a name", path);
    }
    SS_TRY(find_type(x, path, d->type, type));
    if (!((*type)->info.dimensions & (1u << dimension))) {
        return ss_fail(x->ctx, SS_ERR_INPUT, "%s.type: %s is not available in %dD scenes", path, (*type)->info.name, dimension);
    }
    SS_TRY(ss_part_check(x->ctx, (*type)->info.fields, d, dimension, path));
    if (d->nu == 0.5) {
        return ss_fail(x->ctx, SS_ERR_INPUT,
                       "%s.nu: expected a number below 0.5, got 0.5: a material that keeps its volume has no finite bulk modulus",
                       path);
    }
    return SS_OK;
}

static ss_status check_numbers(ss_compiler *x, const mesh *f)
{
    const ss_elements_desc *d = f->d;
    if (d->divisions < 1 || d->divisions > SS_MOST_DIVISIONS) {
        return ss_fail(x->ctx, SS_ERR_INPUT, "%s.divisions: expected a number from 1 to %d, got %d", f->path, SS_MOST_DIVISIONS,
                       d->divisions);
    }
    if (d->divisions == 1 && d->first && d->last) {
        return ss_fail(x->ctx, SS_ERR_INPUT, "%s.divisions: both ends are held, expected at least 2, got 1: no node could move",
                       f->path);
    }
    return SS_OK;
}

static ss_status open_mesh(ss_compiler *x, int i, mesh *f)
{
    const int dimension = x->m->dimension;
    f->d = &x->scene->mesh[i];
    SS_TRY(ss_compile_flexible(x, i, f->path, &f->type));
    SS_TRY(check_numbers(x, f));
    f->element = ss_section_element(f->d, dimension);
    f->R = dimension == 2 ? ss_rotation_z(f->d->angle) : ss_quat_matrix(ss_quat_unit(ss_quat_from(f->d->orientation)));
    return SS_OK;
}

/* ---- nodes ------------------------------------------------------------------------------------------------ */

static bool is_end(const mesh *f, int i) { return i == 0 || i == f->d->divisions; }

/* what holds node i; NULL: nothing */
static const char *holder(const mesh *f, int i) { return i == 0 ? f->d->first : i == f->d->divisions ? f->d->last : NULL; }

static ss_vec3 node_position(const mesh *f, double i)
{
    return ss_axpy(i * f->d->size[0] / f->d->divisions, f->R.c[0], ss_v3_from(f->d->position));
}

static ss_status add_contact(ss_scene *s, const mesh *f, int i, int body)
{
    ss_shape_desc point = ss_shape_desc_default();
    if (f->d->contact == SS_CONTACT_NONE || (f->d->contact == SS_CONTACT_ENDS && !is_end(f, i))) {
        return SS_OK;
    }
    point.type = "point";
    point.material = f->d->material;
    return ss_scene_add_shape(s, body, &point);
}

static ss_status add_node(ss_compiler *x, ss_scene *s, const mesh *f, int i)
{
    const double share = is_end(f, i) ? 0.5 : 1;
    const ss_vec3 position = node_position(f, i), arm = ss_sub(position, node_position(f, 0.5 * f->d->divisions)),
                  spin = ss_rotate(f->R, ss_v3_from(f->d->angular_velocity));
    ss_body_desc b = ss_body_desc_default();
    char name[SS_PATH_SIZE];
    int body;
    if (snprintf(name, sizeof name, "%s.%d", f->d->name, i) >= (int)sizeof name) {
        return ss_fail(x->ctx, SS_ERR_INPUT, "%s.name: expected a shorter name", f->path);
    }
    b.name = name;
    b.type = f->type->node;
    b.mass = share * f->element.mass;
    ss_v3_to(position, b.position);
    ss_v3_to(ss_add(ss_v3_from(f->d->velocity), ss_cross(spin, arm)), b.velocity);
    if (b.type == SS_BODY_RIGID) {
        ss_v3_to(ss_scale(share, f->element.inertia), b.inertia);
        b.angle = f->d->angle;
        memcpy(b.orientation, f->d->orientation, sizeof b.orientation);
        memcpy(b.angular_velocity, f->d->angular_velocity, sizeof b.angular_velocity);
    }
    SS_TRY(ss_scene_add_body(s, &b, &body));
    return add_contact(s, f, i, body);
}

/* The lists of `from` that grow are copied, the others shared. */
static ss_status copy_lists(ss_context *ctx, const ss_scene *from, ss_scene *to)
{
    *to = *from;
    to->body = NULL;
    to->shape = NULL;
    to->text = NULL;
    to->texts = to->text_cap = to->body_cap = to->shape_cap = 0;
    SS_TRY(ss_reserve(ctx, &to->body, &to->body_cap, from->bodies + 1, sizeof *to->body));
    SS_TRY(ss_reserve(ctx, &to->shape, &to->shape_cap, from->shapes + 1, sizeof *to->shape));
    if (from->bodies > 0) {
        memcpy(to->body, from->body, (size_t)from->bodies * sizeof *to->body);
    }
    if (from->shapes > 0) {
        memcpy(to->shape, from->shape, (size_t)from->shapes * sizeof *to->shape);
    }
    return SS_OK;
}

static ss_status add_nodes(ss_compiler *x, int k)
{
    mesh f;
    SS_TRY(open_mesh(x, k, &f));
    for (int i = 0; i <= f.d->divisions; i++) {
        SS_TRY(holder(&f, i) ? SS_OK : add_node(x, &x->with_nodes, &f, i));
    }
    return SS_OK;
}

ss_status ss_compile_nodes(ss_compiler *x)
{
    const ss_scene *s = x->scene;
    ss_names names;
    x->plain_bodies = s->bodies;
    if (s->meshes == 0) {
        return SS_OK;
    }
    SS_TRY(ss_names_build(x->ctx, "elements", s->mesh, sizeof *s->mesh, s->meshes, &names));
    ss_names_free(x->ctx, &names);
    SS_TRY(copy_lists(x->ctx, s, &x->with_nodes));
    for (int k = 0; k < s->meshes; k++) {
        SS_TRY(ss_mesh_is_solid(&s->mesh[k]) ? SS_OK : add_nodes(x, k));
    }
    SS_TRY(ss_compile_solid_nodes(x));
    x->scene = &x->with_nodes;
    return SS_OK;
}

void ss_nodes_free(ss_compiler *x)
{
    ss_scene *s = &x->with_nodes;
    for (int k = 0; k < s->texts; k++) {
        ss_free(x->ctx, s->text[k]);
    }
    ss_free(x->ctx, s->text);
    ss_free(x->ctx, s->body);
    ss_free(x->ctx, s->shape);
}

/* ---- elements --------------------------------------------------------------------------------------------- */

int ss_element_count(const ss_scene *scene)
{
    int count = 0;
    for (int k = 0; k < scene->meshes; k++) {
        count += scene->mesh[k].divisions;
    }
    return count;
}

/* the body of node i, and where the node is in its frame; first_body: of the first node that has a body of its own */
static ss_status attach(ss_compiler *x, const mesh *f, int i, int first_body, ss_attachment *at)
{
    const char *by = holder(f, i);
    *at = (ss_attachment){ .body = first_body + i - (f->d->first ? 1 : 0) };
    if (!by) {
        return SS_OK;
    }
    SS_TRY(ss_compile_body_ref(x, f->path, i == 0 ? "first" : "last", by, &at->body));
    if (ss_model_is_dynamic(x->m, at->body)) {
        return ss_fail(x->ctx, SS_ERR_INPUT,
                       "%s.%s: \"%.80s\" can move freely, expected \"world\", a fixed or a driven body: "
                       "leave it out and join the node to the body",
                       f->path, i == 0 ? "first" : "last", by);
    }
    const ss_frame frame = ss_model_frame(x->m, at->body, 0, NULL);
    at->point = ss_unrotate(frame.R, ss_sub(node_position(f, i), frame.p));
    return SS_OK;
}

static const ss_force_type *force_type(const mesh *f, int dimension)
{
    return dimension == 3 && f->type->in_space ? f->type->in_space : &f->type->force;
}

/* element i, between nodes i and i + 1; place: among all elements */
static ss_status add_element(ss_compiler *x, const mesh *f, int i, int first_body, const char *owner, int place)
{
    ss_element *element = &x->m->element[place];
    ss_force *force = &x->m->force[x->scene->forces + place];
    const double length = f->d->size[0] / f->d->divisions, apart = ss_norm(ss_sub(node_position(f, i + 1), node_position(f, i)));
    if (!(fabs(apart - length) <= SS_TOL_SCENE * length)) {
        return ss_fail(x->ctx, SS_ERR_INPUT,
                       "%s: the nodes of element %d are %g m apart, expected %g m: it is too short to be so far from the origin",
                       f->path, i, apart, length);
    }
    *element = f->element;
    element->number = i;
    element->owner = owner;
    *force = (ss_force){
        .type = force_type(f, x->m->dimension), .element = element, .length = length, .damping = f->d->stiffness_damping
    };
    for (int k = 0; k < 2; k++) {
        SS_TRY(attach(x, f, i + k, first_body, &force->at[k]));
        const int body = force->at[k].body;
        const bool turns = f->type->node == SS_BODY_RIGID && body < x->m->bodies;
        element->basis[k] = turns ? ss_uncompose(x->m->body_frame0[body].R, f->R) : f->R;
    }
    return SS_OK;
}

ss_status ss_compile_elements(ss_compiler *x)
{
    ss_model *m = x->m;
    int body = x->plain_bodies, place = 0;
    m->elements = ss_element_count(x->scene);
    SS_TRY(ss_calloc(x->ctx, (size_t)m->elements, sizeof *m->element, &m->element));
    for (int k = 0; k < x->scene->meshes; k++) {
        mesh f;
        char *owner;
        if (ss_mesh_is_solid(&x->scene->mesh[k])) {
            continue;
        }
        SS_TRY(open_mesh(x, k, &f));
        SS_TRY(ss_model_keep_text(m, f.d->name, &owner));
        for (int i = 0; i < f.d->divisions; i++) {
            SS_TRY(add_element(x, &f, i, body, owner, place++));
        }
        body += f.d->divisions + 1 - (f.d->first ? 1 : 0) - (f.d->last ? 1 : 0);
    }
    return SS_OK;
}
