/* contact_law.h - a contact law as a variational inequality: u^ = u + s n and r in K. */
#ifndef SS_CONTACT_LAW_H
#define SS_CONTACT_LAW_H

#include <slipstick/problem.h>

/* Is the first row of a contact with this law a normal, whose impulse is not negative? Otherwise all of its rows are bounded on
 * both sides, and it has no gap. */
static inline bool ss_law_has_normal(unsigned law) { return !(law & (SS_LAW_BOUNDED | SS_LAW_ROLLING)); }

/* The first row of a contact that friction acts on, or a motor: all rows of a moment. */
static inline int ss_law_first_tangent(const ss_problem *problem, int contact)
{
    return problem->row[contact] + ss_law_has_normal(problem->law[contact]);
}
/* The direction that a moment acts along alone, of length 1; NULL: it may have any. */
static inline const double *ss_law_axis(const ss_problem *problem, int contact)
{
    const bool any = problem->dir && problem->dir[contact + 1] > problem->dir[contact];
    return any ? problem->direction + 2 * problem->dir[contact] : NULL;
}

/* What moment k takes from u_N of its host, whose law is associated: mu |u|, so that both together have u in the dual of one
 * cone, u_N >= mu |u_T| + sum mu_k |u_k|. 0: that of another law, and what is no moment. u: of all rows. */
double ss_law_lift(const ss_problem *problem, int k, const double *u);
/* What ss_law_project takes for mu: the coefficient, or, of a moment of rolling friction, its bound mu r_N with r_N of the host.
 * r: impulses of all rows. */
double ss_law_size(const ss_problem *problem, int contact, const double *r);
/* s of u^ = u + s n: mu |u_T| (Coulomb), mu max_k(-d_k . u_T) (polyhedral), 0 (other laws) */
double ss_law_slip(unsigned law, int rows, double mu, int directions, const double *direction, const double *u);
/* y <- P_K(y): the law's own cone, or the interval [-mu, mu] of a bounded row, or the disc of radius mu of a moment, of one with
 * directions its diameter along them */
void ss_law_project(unsigned law, int rows, double mu, int directions, const double *direction, double *y);
/* |r - P_K(r - u^/d)| of a contact; r, u: of all rows */
double ss_law_natural_map(const ss_problem *problem, int contact, double d, const double *r, const double *u);
/* the same for n numbers d */
void ss_law_natural_maps(const ss_problem *problem, int contact, int n, const double *d, const double *r, const double *u,
                         double *out);

#endif
