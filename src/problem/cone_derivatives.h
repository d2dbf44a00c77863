/* cone_derivatives.h - maps y -> p onto the sets in which contact impulses live, with a Jacobian; y = (y_N, y_T1, y_T2).
 *
 * D is dp/dy, row-major dim x dim; where the map has a kink it is one of the limits of dp/dy nearby. */
#ifndef SS_CONE_DERIVATIVES_H
#define SS_CONE_DERIVATIVES_H

/* The projection on the cone (symmetric D). Directions as in cones.h. */
void ss_cone_map_circular(int dim, double mu, const double *y, double *p, double *D);
void ss_cone_map_polygonal(int dim, double mu, int directions, const double *d, const double *y, double *p, double *D);

/* Coulomb's map: p_N = max(0, y_N), then p_T = the point nearest to y_T of the disc of radius mu p_N, or of the polygon of
 * the points mu p_N d_k. Its fixed points p = map(p - u) are exactly the pairs (u, p) that obey Coulomb's law. */
void ss_friction_map_circular(int dim, double mu, const double *y, double *p, double *D);
void ss_friction_map_polygonal(int dim, double mu, int directions, const double *d, const double *y, double *p, double *D);

#endif
