/* sweep.h - a problem laid out for visiting its contacts one after the other, each solved with the other impulses fixed. */
#ifndef SS_SWEEP_H
#define SS_SWEEP_H

#include "base/base.h"
#include "problem/kkt.h"
#include <slipstick/problem.h>

typedef struct ss_sweep ss_sweep;

/* What a pass over an island saw, in units of sqrt(energy): sqrt(d_i) |r_i|, |u_i|/sqrt(d_i). */
typedef struct ss_sweep_measure {
    double change; /* largest change of an impulse                 */
    double square; /* sum of the squares of all changes            */
    double size;   /* largest impulse or free contact velocity     */
    double turn;   /* (y - r).(r - r'): y where the pass began, r where it ended, r' where the one before ended */
} ss_sweep_measure;

/* The impulses that a pass moves. It begins at y = r + beta (r - last). */
typedef struct ss_sweep_motion {
    double *r;          /* the result of the pass before, then of this one                 */
    const double *last; /* the result of the pass before that; NULL: the pass begins at r  */
    double *before;     /* out: r as it was; may be the array `last`                       */
    double beta;
} ss_sweep_motion;

ss_status ss_sweep_create(ss_context *ctx, ss_sweep **out);
void ss_sweep_destroy(ss_sweep *s);
typedef struct ss_sweep_options {
    int colour_above;    /* islands of more contacts are visited colour by colour, on the context's threads    */
    int largest_cluster; /* islands whose bodies are coupled in clusters of more velocities are not swept; 0: no limit */
    bool single;         /* fours of contacts may be kept in single precision: velocities off by 6e-8 will do */
} ss_sweep_options;

enum {
    SS_SWEPT_CLUSTER = 300
}; /* velocities of a coupled cluster above which it is cheaper to factorise it together with its
      active contact rows than to sweep over them */

/* Take a problem; kkt has factorised it (local form: NULL). Both must live as long as the sweeps, and so must what is taken from
 * the arena; NULL: memory of its own. */
ss_status ss_sweep_prepare(ss_sweep *s, const ss_problem *problem, ss_kkt *kkt, const ss_sweep_options *options, ss_arena *arena);

/* Is the island small enough to be swept? One that is not must not be passed to any of the functions below. */
bool ss_sweep_takes(const ss_sweep *s, int island);
int ss_sweep_islands(const ss_sweep *s);                           /* those that have contacts               */
int ss_sweep_rows(const ss_sweep *s, int island, const int **row); /* rows of the island's contacts, in the order of visits */
const double *ss_sweep_weights(const ss_sweep *s);                 /* of every row: d, 0 if it cannot move   */

/* r holds the impulses of the island's rows alone, in the order in which ss_sweep_rows() lists them: so they lie side by side.
 * From and to the vector of all rows of the problem: */
void ss_sweep_read(const ss_sweep *s, int island, const double *all, double *r);
void ss_sweep_write(const ss_sweep *s, int island, const double *r, double *all);

/* Make the velocities those of r. */
void ss_sweep_start(ss_sweep *s, int island, const double *r);
/* Visit every contact of the island once, in the fixed order. The velocities must be those of y. */
ss_sweep_measure ss_sweep_pass(ss_sweep *s, int island, const ss_sweep_motion *motion);
/* Velocities of r + beta (r - r_before), where r_before is the r of the last call; the first one is with beta 0. */
void ss_sweep_extrapolate(ss_sweep *s, int island, double beta);

/* Freeze s of u^ = u + s n: from here on passes solve u^ in K* with s moved `fraction` of the way to what r says, a convex
 * problem. Returns the largest |change of s|/sqrt(d) that was wanted. */
double ss_sweep_freeze(ss_sweep *s, int island, double fraction, const double *r);

#endif
