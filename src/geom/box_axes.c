/* box_axes.c - two boxes placed together, their separating axes, and how far apart two shapes are at a pose.
 *
 * Along a unit vector m from B to A the boxes are apart by
 *
 *     s(m) = m . d - reach_A(m) - reach_B(m)          d from the centre of B to that of A
 *
 * and the largest s over the normals of the faces and, in 3D, the nine products of edges is their separation:
 * positive if and only if they are apart, and then at most the distance; otherwise minus the depth, the
 * shortest way out [separating axis theorem]. Products of edges within 1e-6 of parallel are left out: there
 * the faces decide, up to 1e-6 of the size. A ball against a box: the signed distance of its centre.
 *
 * Symbols   A, B  boxes 0 and 1; h half sides
 * Cost      15 axes; a ball: constant. */
#include "geom/pairs.h"

ss_two_boxes ss_boxes_place(const ss_shape *a, const ss_frame *fa, const ss_shape *b, const ss_frame *fb)
{
    const double far = ss_norm(fa->p) + ss_norm(fb->p);
    ss_two_boxes two = { .shape = { a, b } };
    two.body[0] = (ss_frame){ ss_v3(0, 0, 0), fa->R };
    two.body[1] = (ss_frame){ ss_sub(fb->p, fa->p), fb->R };
    two.box[0] = ss_frame_compose(two.body[0], a->local);
    two.box[1] = ss_frame_compose(two.body[1], b->local);
    two.tol = fmin(ss_box_rim(a), ss_box_rim(b)) + 4e-15 * far;
    return two;
}

/* ---- axes ---------------------------------------------------------------------------------- */

/* half the extent of a box along n */
static double reach(const ss_two_boxes *two, int which, ss_vec3 n)
{
    const ss_mat3 R = two->box[which].R;
    const ss_vec3 h = two->shape[which]->half;
    return fabs(ss_dot(n, R.c[0])) * h.x + fabs(ss_dot(n, R.c[1])) * h.y + fabs(ss_dot(n, R.c[2])) * h.z;
}

ss_box_axis ss_boxes_face_axis(const ss_two_boxes *two, int owner)
{
    const ss_vec3 d = ss_sub(two->box[1 - owner].p, two->box[owner].p);
    ss_box_axis best = { .separation = -INFINITY, .owner = owner };
    for (int i = 0; i < two->shape[0]->dimension; i++) {
        const ss_vec3 c = two->box[owner].R.c[i];
        const double along = ss_dot(d, c), s = fabs(along) - ss_axis(two->shape[owner]->half, i) - reach(two, 1 - owner, c);
        if (s > best.separation + two->tol) {
            best.separation = s;
            best.n = along >= 0 ? c : ss_scale(-1, c);
            best.face = SS_BOX_FACE + 2 * i + (along >= 0);
        }
    }
    return best;
}

int ss_boxes_support(const ss_two_boxes *two, int which, ss_vec3 n)
{
    const ss_mat3 R = two->box[which].R;
    return (ss_dot(n, R.c[0]) >= 0) | (ss_dot(n, R.c[1]) >= 0) << 1 | (ss_dot(n, R.c[2]) >= 0) << 2;
}

ss_box_axis ss_boxes_edge_axis(const ss_two_boxes *two)
{
    const ss_vec3 d = ss_sub(two->box[1].p, two->box[0].p);
    ss_box_axis best = { .separation = -INFINITY };
    for (int k = 0; k < 9 && two->shape[0]->dimension == 3; k++) {
        const int i = k / 3, j = k % 3;
        ss_vec3 n = ss_cross(two->box[0].R.c[i], two->box[1].R.c[j]);
        const double sine = ss_norm(n);
        if (sine < 1e-6) {
            continue; /* parallel edges: the faces' axes suffice */
        }
        n = ss_scale((ss_dot(n, d) >= 0 ? 1 : -1) / sine, n);
        const double s = ss_dot(n, d) - reach(two, 0, n) - reach(two, 1, n);
        if (s > best.separation) {
            best = (ss_box_axis){ .separation = s, .n = n };
            best.edge[0] = ss_box_edge(i, ss_boxes_support(two, 0, n));
            best.edge[1] = ss_box_edge(j, ss_boxes_support(two, 1, ss_scale(-1, n)));
        }
    }
    return best;
}

/* ---- how far apart -------------------------------------------------------------------------- */

static double boxes_separation(const ss_two_boxes *two)
{
    const double faces = fmax(ss_boxes_face_axis(two, 0).separation, ss_boxes_face_axis(two, 1).separation);
    return fmax(faces, ss_boxes_edge_axis(two).separation);
}

/* distance of p (shape frame) from the box; inside: minus that from the nearest face */
static double signed_distance(const ss_shape *box, ss_vec3 p)
{
    double deepest = -INFINITY, sum = 0;
    for (int i = 0; i < box->dimension; i++) {
        const double beyond = fabs(ss_axis(p, i)) - ss_axis(box->half, i);
        deepest = fmax(deepest, beyond);
        sum += beyond > 0 ? beyond * beyond : 0;
    }
    return deepest > 0 ? sqrt(sum) : deepest;
}

double ss_separation_from_box(const ss_shape *a, const ss_frame *fa, const ss_shape *box, const ss_frame *fb)
{
    if (a->kind == SS_SHAPE_box) {
        const ss_two_boxes two = ss_boxes_place(a, fa, box, fb);
        return boxes_separation(&two);
    }
    const ss_vec3 from_body = ss_add(ss_sub(fa->p, fb->p), ss_rotate(fa->R, a->local.p));
    return signed_distance(box, ss_point_to_body(box->local, ss_unrotate(fb->R, from_body))) - a->radius;
}
