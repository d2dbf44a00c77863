/* contact_law.h - a contact law as a variational inequality: u^ = u + s n and r in K. */
#ifndef SS_CONTACT_LAW_H
#define SS_CONTACT_LAW_H

/* s of u^ = u + s n: mu |u_T| (Coulomb), mu max_k(-d_k . u_T) (polyhedral), 0 (other laws) */
double ss_law_slip(unsigned law, int rows, double mu, int directions, const double *direction, const double *u);
/* y <- P_K(y): the law's own cone, or the interval [-mu, mu] of a bounded row */
void ss_law_project(unsigned law, int rows, double mu, int directions, const double *direction, double *y);

#endif
