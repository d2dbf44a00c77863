/* hovering.h - a contact that stays open beside closed ones by their errors alone. */
#ifndef SS_HOVERING_H
#define SS_HOVERING_H

#include "kernels/vicinity.h"

/* Contact k of the survey does not come closer in h, and its gap is not larger than what the gaps of contacts of the same two
 * bodies, which are closed, explain. */
bool ss_hovers(const ss_vicinity *v, const ss_model *m, int k, double h, bool (*closed)(const void *user, int k),
               const void *user);

#endif
