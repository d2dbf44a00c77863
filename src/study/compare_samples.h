/* compare_samples.h - states of the first run of a comparison, and how far another run is from them. */
#ifndef SS_COMPARE_SAMPLES_H
#define SS_COMPARE_SAMPLES_H

#include "study/trajectory.h"

/* States at ends of steps of the first run: of every one, or of every 2nd, 4th, .. where all would take too much memory. */
typedef struct ss_samples {
    ss_context *ctx;
    int nq, nv;
    int n, most;
    int64_t seen, stride; /* steps so far; of `stride` steps one is kept */
    double *t, *q, *v;
} ss_samples;

ss_status ss_samples_begin(ss_context *ctx, int nq, int nv, size_t bytes, ss_samples *out);
void ss_samples_add(ss_samples *s, double t, const double *q, const double *v);
void ss_samples_clear(ss_samples *s);

/* The largest differences so far, and when. */
typedef struct ss_apart {
    int next;    /* the first sample that was not reached yet */
    double q, v; /* NAN: one was not a number                 */
    double q_t, v_t;
    double *own_q, *own_v; /* the state of this run at a sample */
} ss_apart;

ss_status ss_apart_begin(const ss_samples *s, ss_apart *out);
/* After a step of the other run. `shape` tells which coordinates are quaternions. */
ss_status ss_apart_step(const ss_samples *s, const ss_trajectory *shape, const ss_sim *sim, ss_apart *a);
void ss_apart_end(ss_context *ctx, ss_apart *a);

#endif
