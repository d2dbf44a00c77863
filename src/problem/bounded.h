/* bounded.h - what bounded rows (motors of limited force, friction in joints) do to the momentum of a problem. */
#ifndef SS_BOUNDED_H
#define SS_BOUNDED_H

#include <slipstick/problem.h>

/* momentum[nv] += weight H' r of the bounded rows. Where nothing else acts on a body that a contact stops, this is what tells its
 * load from round-off: unlike the impulses of other contacts it cannot grow without bound. */
void ss_bounded_add(const ss_problem *p, double weight, const double *r, double *momentum);

#endif
