/* slack.h - how far contacts of a survey stay clear of their dual friction cones in a step, without making their rows. */
#ifndef SS_SLACK_H
#define SS_SLACK_H

#include "kernels/vicinity.h"

/* A step of length h with velocity v, linearised at a configuration, of contacts with this law of friction. */
typedef struct ss_slack_step {
    const ss_vicinity *around;
    ss_friction friction;
    const ss_config *at;
    const double *v_there; /* the velocity that leads from the start to `at`; NULL: it is the start */
    const double *v;
    double h;
    ss_csr *rows; /* scratch */
} ss_slack_step;

/* Phi + h n'v - h (mu |v_T| + m_r |w_T| + m_s |w_N|) of the contacts which[0..n-1], which are not motors. */
ss_status ss_slack_find(ss_stepper *s, const ss_slack_step *step, int n, const int *which, double *slack);

#endif
