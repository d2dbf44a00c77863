/* strikes.h - impacts that would create energy because a step is too long for them. */
#ifndef SS_STRIKES_H
#define SS_STRIKES_H

#include "schemes/schatzman_paoli/reflection.h"

/* What a shorter substep would tell apart. */
typedef struct ss_strikes {
    bool makes_energy; /* there are impacts whose rows turn too far, or one that begins while another one on the same body ends */
    bool whirls;       /* a body of theirs turns by more than SS_TOL_WHIRL: no substep is so short that it would not help */
} ss_strikes;

/* Of the solved problem `a` of a substep that ends at `end`. */
ss_status ss_strikes_look(ss_reflection *x, const ss_assembly *a, const ss_config *end, ss_strikes *out);

#endif
