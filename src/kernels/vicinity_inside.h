/* vicinity_inside.h - what vicinity.c and vicinity_gaps.c share. */
#ifndef SS_VICINITY_INSIDE_H
#define SS_VICINITY_INSIDE_H

#include "kernels/blocked.h"
#include "kernels/body_speeds.h"
#include "kernels/redundancy.h"
#include "kernels/vicinity.h"

enum { SS_VICINITY_GRAIN = 1024 }; /* contacts that one thread takes at a time */

/* Points that move along their features. */
typedef struct following {
    bool wanted;
    const bool *held; /* contacts of the survey that keep their points; NULL: none */
    double moved;     /* deepest overlap, of the unit, at such points when the end was looked at last; infinity: none */
} following;

/* How and where a survey is made. */
typedef struct surveyed {
    const ss_config *here;
    ss_finder *finder;
    ss_arena *arena; /* of the step */
    bool bare;       /* its contacts of shapes have no tangents */
} surveyed;

struct ss_vicinity_work {
    ss_context *ctx;
    surveyed survey;         /* the last one                                               */
    ss_contact_value *value; /* of everything near, there                                  */
    double *reach;           /* of every body: its part of the reach of its pairs          */
    ss_csr row;              /* of one contact that is not of shapes */
    ss_redundancy *redundancy;
    ss_blocked *blocked;
    ss_contact_set missed; /* contacts that only the end has shown         */
    ss_contact_set found;  /* those of the survey before they were reduced; empty: they were not */
    ss_contact_set at_end;
    following follow;
    ss_body_speeds *bodies;
    double flight;   /* of ss_vicinity_skip_flights; 0: unless set */
    int capacity[6]; /* of gap, outside, approach, gain, slow, value */
};

#endif
