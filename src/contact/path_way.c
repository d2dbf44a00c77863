/* path_way.c - the way of a path from its ends.
 *
 * Positions differ by one vector, orientations in 3D by rotation vectors that are whole turns about the same axis apart. The one
 * taken is nearest to the mean of the angular velocities at both ends times h:
 *
 *     way = x + 2 pi k x/|x|,     k = round((h (w0 + w1)/2 . x/|x| - |x|)/(2 pi)),     x the shortest rotation
 *
 * Cost   a sum per body */
#include "contact/passage.h"
#include <math.h>

void ss_path_way(const ss_model *m, const double *q0, const double *q1, const double *v0, const double *v1, double h, double *way)
{
    static const double full = 6.283185307179586;
    ss_model_difference(m, q0, q1, way);
    for (int b = 0; b < m->bodies; b++) {
        if (m->dimension == 3 && m->body_type[b] == SS_BODY_RIGID) {
            double *turn = way + m->body_v[b] + 3;
            const double *w0 = v0 + m->body_v[b] + 3, *w1 = v1 + m->body_v[b] + 3;
            const ss_vec3 shortest = ss_v3_from(turn), mean = ss_scale(0.5 * h, ss_add(ss_v3_from(w0), ss_v3_from(w1)));
            const double size = ss_norm(shortest);
            const ss_vec3 axis = size > 0 ? ss_scale(1 / size, shortest) : ss_unit(mean);
            const double turns = round((ss_dot(mean, axis) - size) / full);
            ss_v3_to(turns != 0 ? ss_axpy(full * turns, axis, shortest) : shortest, turn);
        }
    }
}
