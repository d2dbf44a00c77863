/* strikes.h - impacts that would create energy because a step is too long for them. */
#ifndef SS_STRIKES_H
#define SS_STRIKES_H

#include "schemes/schatzman_paoli/reflection.h"

/* Are there impacts in the solved problem `a` of a substep that ends at `end` whose rows turn too far in it, or one that begins
 * while another one on the same body ends? A shorter substep tells them apart. */
ss_status ss_strikes_look(ss_reflection *x, const ss_assembly *a, const ss_config *end, bool *found);

#endif
