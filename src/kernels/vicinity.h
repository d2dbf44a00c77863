/* vicinity.h - the contacts that may matter within a stretch of time, and how fast they come. */
#ifndef SS_VICINITY_H
#define SS_VICINITY_H

#include "kernels/assembly.h"

/* Results of the last survey; one number per contact of `near`, one per joint row. */
typedef struct ss_vicinity {
    ss_contact_set near;
    double *gap, *outside; /* at the start; outside > 0: the witness is off the features */
    double *approach;      /* -u_N, m/s or rad/s                                        */
    double *slow;          /* speed below which the contact is inelastic                */
    double *joint_error;
    const bool *redundant; /* joint rows to leave out; NULL: none                       */
    struct ss_vicinity_work *work;
} ss_vicinity;

ss_status ss_vicinity_create(ss_context *ctx, const ss_model *m, ss_vicinity **out);
void ss_vicinity_destroy(ss_context *ctx, ss_vicinity *v);
/* A new start: contacts that ss_vicinity_look_again has added are forgotten. */
void ss_vicinity_forget(ss_vicinity *v);
/* Everything that may close within h from `here` (its drive set) with velocities `velocity`. A contact is slow below
 * `threshold`, and below the speed that the free acceleration of either body gives in two nominal steps. */
ss_status ss_vicinity_survey(ss_vicinity *v, ss_stepper *s, const ss_config *here, const double *velocity, double h,
                             double threshold);
/* Overlaps at `end` that the survey did not have are kept for the next one; *found says whether there are any. */
ss_status ss_vicinity_look_again(ss_vicinity *v, ss_stepper *s, const ss_config *end, bool *found);
/* Largest joint error, and overlap of the contacts which[0..n-1], at `end`, relative to their units. */
ss_status ss_vicinity_misfit(ss_vicinity *v, ss_stepper *s, const ss_config *end, int n, const int *which, double *out);
/* The same at the start. */
double ss_vicinity_misfit_before(const ss_vicinity *v, const ss_model *m, int n, const int *which);

#endif
