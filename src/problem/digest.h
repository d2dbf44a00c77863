/* digest.h - 256 bits that tell one problem, or one candidate for its solution, from another. */
#ifndef SS_DIGEST_H
#define SS_DIGEST_H

#include "base/base.h"
#include <slipstick/problem.h>

typedef struct ss_digest {
    uint64_t lane[4];
} ss_digest;

/* Of all that a certificate depends on besides the candidate and the laws' own numbers: sizes, A, scale, G, H (local form: W), b,
 * c, w, v_old, rows, laws, hosts. Problems with equal numbers have equal digests, wherever their arrays are, if the blocks of A
 * and scale share places in the same way. */
ss_digest ss_problem_digest(const ss_context *ctx, const ss_problem *p);
/* Of a candidate, and of what its certificate depends on besides that: the laws' own numbers. */
ss_digest ss_candidate_digest(const ss_context *ctx, const ss_problem *p, const ss_solution *s);
bool ss_digest_is(const ss_digest *a, const ss_digest *b);

#endif
