/* simplices.h - all triangles and tetrahedra of a model: what they add to forces, energy and derivatives. */
#ifndef SS_SIMPLICES_H
#define SS_SIMPLICES_H

#include "model/model.h"

/* k (classes x nv) += forces; v NULL: nothing moves but what is driven */
void ss_simplices_add(const ss_model *m, const ss_config *c, const double *v, double *k);
double ss_simplices_energy(const ss_model *m, const ss_config *c);
/* k_q and k_v += the exact derivatives */
void ss_simplices_jacobian(const ss_model *m, const ss_config *c, const double *v, ss_csr *k_q, ss_csr *k_v);
/* K and C += symmetric, negative semidefinite ones at rest (stiff.h); C NULL: only K. With the strains that elements have when
 * all bodies have moved for h with velocities v; v NULL: with those of c. */
void ss_simplices_definite(const ss_model *m, const ss_config *c, const double *v, double h, ss_csr *K, ss_csr *C);

/* Fails with the number of an element that is inverted at c. */
ss_status ss_simplices_check(ss_context *ctx, const ss_model *m, const ss_config *c);
/* sigma of an element with its nodes at x, world: xx yy zz xy yz xz */
void ss_simplices_stress(const ss_simplex *e, const ss_vec3 *x, double sigma[6]);
double ss_von_mises(const double sigma[6]);    /* sqrt(3/2 s:s), s = sigma - tr(sigma)/3 */
double ss_simplices_length(const ss_model *m); /* the largest height of an element at rest */

#endif
