/* cones.h - projections onto the sets in which contact impulses live; y = (y_N, y_T1, y_T2), in place. */
#ifndef SS_CONES_H
#define SS_CONES_H

#include <stdbool.h>

/* |y_T| <= mu y_N, with one (dim 2) or two (dim 3) tangential components */
void ss_cone_project_circular(int dim, double mu, double *y);
/* The same where |y_T| is known. */
void ss_cone_project_slip(int dim, double mu, double slip, double *y);
/* |y| <= radius, with one or two components */
void ss_disc_project(int dim, double radius, double *y);
/* y <- the nearest point of the segment from -radius to radius times a direction of length 1, in the plane */
void ss_segment_project(double radius, const double *direction, double *y);
/* |y_i| <= mu_i y_N for every part i of y: given y_N and the lengths |y_i| of the parts, those of the projection, in place */
void ss_cone_project_lengths(int parts, const double *mu, double *y_N, double *length);
/* y_T = sum beta_k d_k, beta >= 0, sum beta_k <= mu y_N; d: 2 numbers per direction, the set holds -d with d.
 * dim 2: only the first component of y_T and of each direction counts. */
void ss_cone_project_polygonal(int dim, double mu, int directions, const double *d, double *y);

/* Smallest sum beta_k >= 0 with sum beta_k d_k = y_T; INFINITY if there is none. */
double ss_polygon_gauge(int directions, const double *d, const double *y_T);
/* Is that at most `radius`? Mostly told from bounds on it. */
bool ss_polygon_holds(int directions, const double *d, const double *y_T, double radius);
/* The directions next to y_T on either side, clockwise and counter-clockwise; -1: none. */
void ss_polygon_neighbours(int directions, const double *d, const double *y_T, int next[2]);
/* Largest -d_k . u_T over the directions: how fast the contact slides, as the polygon measures it. */
double ss_polygon_slip(int dim, int directions, const double *d, const double *u_T);

#endif
