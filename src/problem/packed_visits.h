/* packed_visits.h - visits of the contacts of sweep_packed.h. */
#ifndef SS_PACKED_VISITS_H
#define SS_PACKED_VISITS_H

#include "problem/sweep_packed.h"

/* What visits read and write. By position in the order of visits, but for x and r. */
typedef struct ss_packed_pass {
    const ss_packed_place *place;
    const double *records;
    const ss_one_contact *one; /* of those whose law is 0: one[number[k]]        */
    const int *number;
    const double *slide;  /* s while frozen, else 0                          */
    double *x;            /* scaled velocities                               */
    double *r;            /* impulses of the island                          */
    const double *before; /* the same before the pass; NULL: not known       */
    const double *last;   /* what r is made from when it goes on; NULL: nothing */
    int positions;        /* of all islands                                  */
} ss_packed_pass;

/* What visits have seen together, squared: the parts of ss_sweep_measure. Contacts that are visited at once have a lane each,
 * others the first one. */
typedef struct ss_packed_seen {
    double change[SS_PACKED_LANES], square[SS_PACKED_LANES], load[SS_PACKED_LANES], turn[SS_PACKED_LANES];
} ss_packed_seen;

/* What no case of the circular laws was found for, and contacts with other laws: the general way. */
void ss_packed_solve(const ss_packed_pass *p, int k, const double *u, double *r);
/* Visit positions from `begin` on, up to `end` or the first that is not packed, which is returned. */
int ss_packed_visit(const ss_packed_pass *p, int begin, int end, ss_packed_seen *seen);
/* The same without the instructions that not every processor has; the same bits. */
int ss_packed_visit_plain(const ss_packed_pass *p, int begin, int end, ss_packed_seen *seen);
/* The velocity of a packed contact, without s. */
void ss_packed_velocity(const ss_packed_pass *p, int k, double *u);
/* x += X' r of positions from `begin` on, up to `end` or the first that is not packed, which is returned; r: pass->r. */
int ss_packed_push(const ss_packed_pass *p, int begin, int end);

#endif
