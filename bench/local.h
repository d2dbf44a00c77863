/* local.h - from bodies and contacts to contacts alone, as Siconos asks for. */
#ifndef BENCH_LOCAL_H
#define BENCH_LOCAL_H

#include <slipstick/problem.h>

enum { BENCH_LARGEST_BLOCK = 6 };

/* A is block diagonal, without joints, blocks of at most BENCH_LARGEST_BLOCK. Rows, laws and mu are
 * shared with p. */
ss_problem bench_local_form(const ss_problem *p);
void bench_local_free(ss_problem *local);

#endif
