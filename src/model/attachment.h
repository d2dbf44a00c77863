/* attachment.h - from what happens at a point to the velocities of whatever the point is fixed to.
 *
 * Whoever has a row, a force or a derivative at a point hands it over here and need not know what kind of thing it touches: a
 * rigid body, a particle, the world, a fixed or a driven body. A user block has no points; its rows are numbers of its own
 * velocities (ss_block_row_push). */
#ifndef SS_ATTACHMENT_H
#define SS_ATTACHMENT_H

#include "model/model.h"

enum { SS_SPOT_DOFS = 6 }; /* the most that one point depends on */

/* Velocities that an attachment depends on: 0 for the world, fixed and driven bodies. */
int ss_attachment_dofs(const ss_model *m, int body);

/* ---- where the points are and how they move ---------------------------------------------------- */

/* A point fixed in a frame that moves with a world twist (of its origin); twist NULL: at rest. Belongs to no body. */
ss_spot ss_spot_in_frame(ss_frame f, ss_vec3 point, const ss_vec3 twist[2]);
/* The attachment at c, without velocities. */
ss_spot ss_spot_at(const ss_config *c, const ss_attachment *a);
void ss_spots_at(const ss_config *c, const ss_attachment at[2], ss_spot out[2]);
/* The same with the velocities that v (for driven bodies the drive) gives it. */
void ss_spots_moving(const ss_model *m, const ss_config *c, const double *v, const ss_attachment at[2], ss_spot out[2]);
/* The point of a body that is at x now, without velocities. */
ss_spot ss_spot_touching(const ss_config *c, int body, ss_vec3 x);

/* ---- rows and forces ---------------------------------------------------------------------------- */

/* The entries x[n] of the row lin . velocity of the point + ang . angular velocity, and n; where the point moves with a driven
 * body, n = 0 and *drive takes its part. */
int ss_spot_entries(const ss_model *m, const ss_config *c, const ss_spot *s, ss_vec3 lin, ss_vec3 ang, double x[SS_SPOT_DOFS],
                    double *drive);
/* The same for `rows` rows direction[k] . velocity of the point of `body` that is at x now, each into entry + k stride; what a
 * driven body does is added to drive[k]. */
int ss_touching_entries(const ss_model *m, const ss_config *c, int body, ss_vec3 x, int rows, const ss_vec3 *direction,
                        int stride, double *entry, double *drive);
/* Push lin . velocity of the point + ang . angular velocity into the row being built; for a driven body add it to *drive. */
ss_status ss_spot_push(ss_context *ctx, const ss_model *m, const ss_config *c, const ss_spot *s, ss_vec3 lin, ss_vec3 ang,
                       ss_csr *A, double *drive);
/* *sum += the same times v, in the order in which the row would be summed: to the last bit. */
void ss_spot_times(const ss_model *m, const ss_config *c, const ss_spot *s, ss_vec3 lin, ss_vec3 ang, const double *v,
                   double *sum, double *drive);
/* Both ends of a row, with its end; the body with the lower number first, so that columns are sorted. *drive is set. */
ss_status ss_spots_push(ss_context *ctx, const ss_model *m, const ss_config *c, const ss_spot s[2], const ss_twist_row *row,
                        ss_csr *A, double *drive);
/* A row of a user block: numbers x[n] of its own velocities. Zeros are left out. */
ss_status ss_block_row_push(ss_context *ctx, const ss_model *m, int body, const double *x, ss_csr *A);
/* What such rows take from the acceleration of driven bodies. */
double ss_spots_drive_rate(const ss_config *c, const ss_spot s[2], const ss_twist_row *row);
/* k += the generalized force of a wrench at the point. */
void ss_spot_add_wrench(const ss_model *m, const ss_spot *s, const ss_wrench *w, double *k);

/* ---- derivatives --------------------------------------------------------------------------------- */

/* From 12 x 12 matrices of two points (lin0 ang0 lin1 ang1) to the n x n matrices of the velocities they depend on,
 * n = dofs of 0 + dofs of 1, row-major.
 *
 *   w     wrenches at the points;  K_q = dw/d(displacements of the points) at fixed velocities of the points
 *   K_v   dw/d(velocities of the points); NULL: none, then k_v is not written
 *   k_q   derivative of the generalized force along a displacement of velocity kind at fixed v (overwritten)
 *   k_v   derivative by v (overwritten) */
void ss_spots_derivative(const ss_model *m, const ss_spot s[2], const ss_wrench w[2], const double *K_q, const double *K_v,
                         double *k_q, double *k_v);

#endif
