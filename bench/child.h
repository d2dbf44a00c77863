/* child.h - a measurement in a process of its own, with limits. */
#ifndef BENCH_CHILD_H
#define BENCH_CHILD_H

#include <stddef.h>

typedef enum bench_end { BENCH_ANSWERED, BENCH_LATE, BENCH_DIED } bench_end;

/* Run work(task, answer) in a child that may take `limit` seconds of CPU time and half of the machine's memory. The answer of
 * `size` bytes (a pipe's worth at most, no pointers) comes back; `megabytes`: the most that the child held. */
bench_end bench_in_child(void (*work)(const void *task, void *answer), const void *task, double limit, size_t size, void *answer,
                         double *megabytes);

#endif
