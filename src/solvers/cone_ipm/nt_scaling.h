/* nt_scaling.h - Nesterov-Todd scaling of one cone: a half line, or a second-order cone of dimension 2 or 3.
 *
 * A pair of interior points s, z is kept as a scaling W and a point lambda, s = W lambda and z = W^-1 lambda. */
#ifndef SS_NT_SCALING_H
#define SS_NT_SCALING_H

#include <stdbool.h>

/* W = beta times a boost by `stretch` along the unit vector `axis`; dim 1: W = beta */
typedef struct ss_nt {
    int dim;
    double beta, stretch, axis[2];
    double lambda[3];
} ss_nt;

/* Scaling of the interior points s and z. */
void ss_nt_start(ss_nt *nt, int dim, const double *s, const double *z);
void ss_nt_points(const ss_nt *nt, double *s, double *z);
/* Go to s + a ds, z + a dz, given scaled: W^-1 ds and W dz. False, and nothing is changed, if one of them is not interior;
 * ss_nt_admits says so beforehand. */
bool ss_nt_advance(ss_nt *nt, double a, const double *ds, const double *dz);
bool ss_nt_admits(const ss_nt *nt, double a, const double *ds, const double *dz);

/* Eigenvalues of W, and coordinates of x along its eigenvectors and back; x may be y. */
void ss_nt_eigenvalues(const ss_nt *nt, double *omega);
void ss_nt_to_axes(const ss_nt *nt, const double *x, double *y);
void ss_nt_from_axes(const ss_nt *nt, const double *x, double *y);

/* x o y of the cone's Jordan algebra; x with lambda o x = y (x may be y). */
void ss_nt_product(int dim, const double *x, const double *y, double *xy);
void ss_nt_divide(const ss_nt *nt, const double *y, double *x);
/* Largest a <= most with lambda + a d in the cone, but for the last bits of lambda + a d. */
double ss_nt_reach(const ss_nt *nt, const double *d, double most);
/* x_0 - |x_1|: how far inside; x + a e is inside for a > - margin */
double ss_cone_margin(int dim, const double *x);

#endif
