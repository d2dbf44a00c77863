/* heap.h - contact problems of piles of spheres, as FCLIB files that are made once and kept. */
#ifndef BENCH_HEAP_H
#define BENCH_HEAP_H

#include <stdbool.h>

typedef enum bench_heap_state { BENCH_SETTLED, BENCH_COLLAPSING, BENCH_HEAP_STATES } bench_heap_state;
extern const char *const bench_heap_state_name[BENCH_HEAP_STATES];

/* The file with the problem of one step; false: it could not be made, a line has said why. */
bool bench_heap_problem(int bodies, bench_heap_state state, char path[4096]);

#endif
