/* beside.c - shapes that stay apart beside the normal of a contact.
 *
 * Two convex shapes do not meet as long as one direction keeps them apart. A box that slides along a row of tiles comes near the
 * side of the next tile, but its lower face stays at the height of the tile's upper one: nothing stops it. For every face m of
 * either shape, ends of cylinders included, but those along the normal n of the contact,
 *
 *     s(m) = min over the other shape of m . x  -  max over its owner of m . x
 *
 * at two poses; what is returned is the largest over m of  min(s_from(m), s_to(m) + slack).
 *
 * Cost   faces times corners of the other shape, both ways, twice */
#include "geom/pairs.h"

static const double ALONG = 0.99; /* cosine from which on a normal is that of the contact itself */

/* the largest n . x of a shape about its own origin; n in its frame, unit */
static double reach(const ss_shape *shape, ss_vec3 n)
{
    const ss_polytope *p = shape->polytope;
    return p ? ss_dot(n, p->corner[ss_polytope_support(p, n)]) + shape->radius
             : shape->length * fabs(n.z) + shape->radius * sqrt(fmax(0, 1 - n.z * n.z));
}

static bool is_known(const ss_shape *shape) { return shape->polytope || shape->kind == SS_SHAPE_cylinder; }

static int faces_of(const ss_shape *shape) { return shape->polytope ? shape->polytope->faces : 2; }

static ss_vec3 normal_of(const ss_shape *shape, int face)
{
    return shape->polytope ? shape->polytope->normal[face] : ss_v3(0, 0, face == 0 ? 1 : -1);
}

/* s of the direction m, world */
static double separation(const ss_shape *mine, const ss_frame *at, const ss_shape *other, const ss_frame *there, ss_vec3 m)
{
    const ss_vec3 mine_m = ss_unrotate(mine->local.R, ss_unrotate(at->R, m)),
                  other_m = ss_unrotate(other->local.R, ss_unrotate(there->R, m));
    const ss_vec3 apart =
        ss_add(ss_sub(there->p, at->p), ss_sub(ss_rotate(there->R, other->local.p), ss_rotate(at->R, mine->local.p)));
    return ss_dot(m, apart) - reach(other, ss_scale(-1, other_m)) - reach(mine, mine_m);
}

double ss_shapes_apart_beside(const ss_shape *const shape[2], const ss_frame *const from[2], const ss_frame *const to[2],
                              ss_vec3 n, double slack)
{
    double best = -INFINITY;
    for (int i = 0; i < 2 && is_known(shape[0]) && is_known(shape[1]); i++) {
        const ss_shape *mine = shape[i], *other = shape[1 - i];
        for (int face = 0; face < faces_of(mine); face++) {
            const ss_vec3 m = ss_rotate(mine->local.R, normal_of(mine, face)), start = ss_rotate(from[i]->R, m),
                          end = ss_rotate(to[i]->R, m);
            if (fabs(ss_dot(start, n)) < ALONG) {
                const double before = separation(mine, from[i], other, from[1 - i], start),
                             after = separation(mine, to[i], other, to[1 - i], end);
                best = fmax(best, fmin(before, after + slack));
            }
        }
    }
    return best;
}
