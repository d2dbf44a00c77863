/* parallel.h - loops on several threads; nothing else starts threads.
 *
 * Work is cut into ranges that do not depend on the number of threads, and a body writes only what belongs to its
 * range: the same bits for any number of threads. Sums over ranges are added in the order of the ranges by the caller. */
#ifndef SS_PARALLEL_H
#define SS_PARALLEL_H

#include "base/base.h"

/* body(data, begin, end) for consecutive ranges of at most `grain` indices of 0 .. n-1, on the context's threads; short
 * loops (n <= grain) run on the caller's. Returns when all are done. The body must not fail and must not take memory. */
void ss_parallel_for(const ss_context *ctx, int n, int grain, void (*body)(void *data, int begin, int end), void *data);
/* Is it so of any of the indices? Once one has said so, no other range is asked. */
bool ss_parallel_any(const ss_context *ctx, int n, int grain, bool (*is)(const void *data, int k), const void *data);
/* The largest of what the ranges have, and 0; a NaN is larger than all numbers. */
double ss_parallel_worst(const ss_context *ctx, int n, int grain, double (*of)(const void *data, int begin, int end),
                         const void *data);
/* body(data), never two at a time in the process: for a library that keeps things in static variables. */
void ss_parallel_alone(void (*body)(void *data), void *data);
/* memcpy() by all of them, where there is much to copy */
void ss_parallel_copy(const ss_context *ctx, size_t bytes, const void *from, void *to);
int ss_context_threads(const ss_context *ctx);

#endif
