/* open_islands.h - islands of a problem whose contact impulses statics may leave open. */
#ifndef SS_OPEN_ISLANDS_H
#define SS_OPEN_ISLANDS_H

#include "problem/islands.h"

typedef struct ss_open {
    bool *taken;  /* islands: contacts do not form a tree, or two or more of them are uneven       */
    bool *uneven; /* islands: it has circular cones, and bodies of very different mass             */
    bool some;    /* one is taken                                                                  */
} ss_open;

/* Of the islands that have at most `most` contact rows. Arrays live in the arena; none is taken: they may be missing. */
ss_status ss_open_islands(ss_context *ctx, ss_arena *arena, const ss_problem *p, const ss_islands *islands, int most,
                          ss_open *out);

#endif
