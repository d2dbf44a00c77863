/* gap_search.h - the gaps of two solids while they are being found, and what has been decided on the way. */
#ifndef SS_GAP_SEARCH_H
#define SS_GAP_SEARCH_H

#include "geom/pairs.h"

typedef struct ss_gap_search {
    const ss_two_solids *two;
    double margin, floor;
    ss_vec3 n; /* from B to A */
    ss_collector into;
    int before;              /* gaps that were there                                          */
    ss_manifold_scope scope; /* play: d; above and below: what was below the margin, and above */
} ss_gap_search;

/* something has been decided by the sign of a length */
static inline void ss_search_note(ss_gap_search *c, double length)
{
    const double size = fabs(length);
    c->scope.play = size < c->scope.play ? size : c->scope.play;
}

/* and by that of a difference of sines or cosines */
static inline void ss_search_note_angle(ss_gap_search *c, double difference)
{
    const double a = c->two->s[0].p->size, b = c->two->s[1].p->size;
    ss_search_note(c, 0.125 * (a < b ? a : b) * difference);
}

/* or because a height or a gap is below the margin, or not */
static inline void ss_search_note_height(ss_gap_search *c, double height, bool below)
{
    if (below) {
        c->scope.above = height > c->scope.above ? height : c->scope.above;
    } else {
        c->scope.below = height < c->scope.below ? height : c->scope.below;
    }
}

static inline int ss_search_found(const ss_gap_search *c) { return c->into.out->n - c->before; }

/* solid_settled.c: is there no gap yet that is as deep, or as near, as the solids are? */
bool ss_search_is_wanting(ss_gap_search *c, double separation);
/* Do the gaps prove that no axis of edges is better than a face with this separation? */
bool ss_search_is_settled(ss_gap_search *c, double separation);
/* The manifold is that of solids that rest on each other: its scope, if it is made of corners over faces alone. */
void ss_search_set_scope(ss_gap_search *c);

#endif
