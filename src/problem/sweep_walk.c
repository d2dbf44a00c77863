/* sweep_walk.c - on the way through an island in the order of visits, all threads help where nothing is shared.
 *
 * Tiles of a round are walked by a thread each. Where a round has one tile only, the pieces of a class are. What a position sees
 * does not depend on the number of threads, so neither does the result. */
#include "problem/sweep_inside.h"

#include "base/parallel.h"

typedef struct walk {
    const ss_sweep *s;
    ss_sweep_work *work;
    void *data;
    int at; /* the class that is walked, the first tile of the round */
} walk;

static void walk_piece(void *data, int begin, int end)
{
    const walk *w = data;
    const int first = w->s->order.first[w->at];
    w->work(w->data, w->at, first + begin, first + end);
}

static void walk_class(const walk *w, int c)
{
    const int begin = w->s->order.first[c], end = w->s->order.first[c + 1];
    for (int k = begin; k < end; k += SS_SWEEP_PIECE) {
        w->work(w->data, c, k, k + SS_SWEEP_PIECE < end ? k + SS_SWEEP_PIECE : end);
    }
}

static void walk_tiles(void *data, int begin, int end)
{
    const walk *w = data;
    const int *class_of = w->s->order.class_of;
    for (int c = class_of[w->at + begin]; c < class_of[w->at + end]; c++) {
        walk_class(w, c);
    }
}

/* class by class; `apart`: each by all threads if it may be */
static void walk_tile(const walk *w, int tile, bool apart)
{
    const ss_sweep_order *order = &w->s->order;
    for (int c = order->class_of[tile]; c < order->class_of[tile + 1]; c++) {
        walk own = { w->s, w->work, w->data, c };
        if (apart && order->together[c]) {
            ss_parallel_for(w->s->ctx, order->first[c + 1] - order->first[c], SS_SWEEP_PIECE, walk_piece, &own);
        } else {
            walk_class(w, c);
        }
    }
}

void ss_sweep_walk(const ss_sweep *s, int island, bool apart, ss_sweep_work *work, void *data)
{
    const ss_sweep_order *order = &s->order;
    for (int r = order->round[island]; r < order->round[island + 1]; r++) {
        const int first = order->tile[r], tiles = order->tile[r + 1] - first;
        walk w = { s, work, data, first };
        if (apart && tiles > 1) {
            ss_parallel_for(s->ctx, tiles, 1, walk_tiles, &w);
        } else {
            for (int t = first; t < first + tiles; t++) {
                walk_tile(&w, t, apart);
            }
        }
    }
}
