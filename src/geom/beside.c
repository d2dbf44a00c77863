/* beside.c - shapes that stay apart beside the normal of a contact.
 *
 * Two convex shapes do not meet as long as one direction keeps them apart. A box that slides along a row of tiles comes near the
 * side of the next tile, but its lower face stays at the height of the tile's upper one: nothing stops it. For every face m of
 * either shape, but those along the normal n of the contact, with the separation s(m) of solid_axes.c at two poses:
 *
 *     the largest over m of  min(s_from(m), s_to(m) + slack)
 *
 * Cost   faces times corners of the other shape, both ways, twice */
#include "geom/pairs.h"

static const double ALONG = 0.99; /* cosine from which on a normal is that of the contact itself */

/* separation of the other solid from a face of `owner` */
static double off_face(const ss_two_solids *two, int owner, int face)
{
    const ss_solid *mine = &two->s[owner], *other = &two->s[1 - owner];
    const ss_vec3 n = ss_rotate(mine->place.R, mine->p->normal[face]), inwards = ss_scale(-1, n);
    const int corner = ss_polytope_support(other->p, ss_unrotate(other->place.R, inwards));
    const ss_vec3 x = ss_point_to_world(other->place, other->p->corner[corner]);
    return ss_dot(n, ss_sub(x, mine->place.p)) - mine->p->offset[face] - two->radius;
}

double ss_shapes_apart_beside(const ss_shape *const shape[2], const ss_frame *const from[2], const ss_frame *const to[2],
                              ss_vec3 n, double slack)
{
    double best = -INFINITY;
    if (!shape[0]->polytope || !shape[1]->polytope) {
        return best;
    }
    const ss_solid a[2] = { ss_solid_of(shape[0], from[0]), ss_solid_of(shape[1], from[1]) },
                   b[2] = { ss_solid_of(shape[0], to[0]), ss_solid_of(shape[1], to[1]) };
    const ss_two_solids start = ss_solids_place(&a[0], &a[1]), end = ss_solids_place(&b[0], &b[1]);
    for (int owner = 0; owner < 2; owner++) {
        const ss_solid *mine = &start.s[owner];
        for (int face = 0; face < mine->p->faces; face++) {
            if (fabs(ss_dot(ss_rotate(mine->place.R, mine->p->normal[face]), n)) < ALONG) {
                best = fmax(best, fmin(off_face(&start, owner, face), off_face(&end, owner, face) + slack));
            }
        }
    }
    return best;
}
