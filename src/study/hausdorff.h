/* hausdorff.h - the Hausdorff distance of two filled-in graphs [Aca09 eq. 20]. */
#ifndef SS_HAUSDORFF_H
#define SS_HAUSDORFF_H

#include "study/norms.h"

typedef struct ss_hausdorff {
    double distance;
    double t; /* near the time of the farthest point */
} ss_hausdorff;

/* The distance in the metric max(time_scale |t - s|, |x - y|); time_scale > 0, in units of x per unit of time, 1 is the
 * paper's. The graphs are continuous polylines: jumps are filled. Exact but for round-off of the coordinates. */
ss_status ss_hausdorff_distance(ss_context *ctx, const ss_graph *a, const ss_graph *b, double time_scale, ss_hausdorff *out);

#endif
