/* momentum.h - sweeps over the contacts of one island, accelerated by momentum. */
#ifndef SS_MOMENTUM_H
#define SS_MOMENTUM_H

#include "base/base.h"
#include "problem/sweep.h"

/* impulses of the island, in the order of visits */
typedef struct ss_momentum_rows {
    double *r;        /* where the sweeps are                                                  */
    double *last;     /* r': the result of the one before                                      */
    double *good;     /* the result with the least change, at times the same array; NULL: none */
    double *array[2]; /* for last and good                                                     */
} ss_momentum_rows;

/* how the sweeps are going */
typedef struct ss_momentum_progress {
    double t;               /* of the momentum                                  */
    double least;           /* smallest square of a sweep since it began anew   */
    double square, turn;    /* of the last sweep, see ss_sweep_measure          */
    double mark, good;      /* squares: last real progress, of the good iterate */
    int idle, extrapolated; /* sweeps since that; since velocities were fresh   */
    bool ahead;             /* r has been swept; it is not extrapolated yet     */
    bool best;              /* the last sweep has changed less than all before  */
    double error;           /* change of the last sweep relative to the size    */
    double size;
} ss_momentum_progress;

/* Copies of it sweep different islands at the same time. */
typedef struct ss_momentum {
    ss_context *ctx;
    ss_sweep *sweep;
    bool off;               /* sweeps without momentum                                                             */
    double far;             /* momentum begins anew when the square of a sweep is more than this many of the least */
    int island, count;      /* the island that is swept, its rows */
    ss_momentum_rows whole; /* the same of all islands, one behind the other */
    ss_momentum_rows rows;
    ss_momentum_progress now;
} ss_momentum;

/* Memory for islands that have so many rows together. */
ss_status ss_momentum_take(ss_momentum *m, ss_arena *arena, int rows);
/* The island that is swept from here on; `all` are the impulses of all rows of the problem. */
void ss_momentum_open(ss_momentum *m, int island, const double *all);
void ss_momentum_close(const ss_momentum *m, double *all);
/* Begin to sweep from rows.r, without momentum. */
void ss_momentum_start(ss_momentum *m);
/* Go on until a sweep changes less than the tolerance (now.error), *sweeps has reached the limit, or the change has not halved
 * for `patience` sweeps. rows.r is what the last sweep has left. */
void ss_momentum_iterate(ss_momentum *m, double tol, int *sweeps, int limit, int patience);
/* The result with the least change into rows.r. */
void ss_momentum_take_best(ss_momentum *m);

#endif
