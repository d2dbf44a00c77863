/* broad_phase.c - pairs of boxes that overlap, by a tree of boxes.
 *
 * The finite boxes are leaves of a binary tree (broad_phase_tree.c); the larger of two nodes that overlap is opened until
 * leaves meet. Unlike a sweep along one axis or a grid, that needs no scale: layers, clusters and boxes a million times larger
 * than others cost the same. Boxes of one group are never a pair; a subtree of one group is not looked into. Boxes with an
 * infinite side are compared with all others apart. Touching counts as overlap; a NaN overlaps nothing.
 *
 * Every node is a walk of its own: its two children against each other, or the boxes of a leaf. Threads take GRAIN nodes at a
 * time, WAVE such ranges in a wave. A range has room for its pairs; if one of a wave has found more, all are walked again with
 * the room that they need.
 *
 * Where every box is within the box that it had when the tree was searched last, as at the end of a step that began with boxes
 * grown by its reach, the pairs are among those found then, and only these are compared.
 *
 * The tree of the last search is used again, with new bounds, while it does its work. When it has made twice the comparisons,
 * per box and pair, that it made when it was new, it is worn: the search is broken off and begun again with a new one. The pairs
 * are put in order (a, then b) by two counting sorts, so the answer is the same whichever tree has found them.
 *
 * Cost   n log n to build, n + pairs + visits to use; memory is kept between calls. */
#include "base/parallel.h"
#include "geom/broad_phase_tree.h"

enum {
    GRAIN = 128,         /* nodes that one thread takes at a time */
    WAVE = 16,           /* ranges of nodes after which pairs and comparisons are added up */
    ROOM = 16 * GRAIN,   /* pairs of a range, at first */
    MOST_PAIRS = 1 << 26 /* half a gigabyte: what overlaps more than that is no mechanical system */
};

/* Which boxes have an infinite side. */
typedef struct wide_boxes {
    int *index;
    ss_leaf_box *item; /* n: they themselves */
    bool *finite;      /* of every box       */
    int n, index_cap, item_cap, finite_cap;
} wide_boxes;

/* The pairs that were found, and buffers for sorting them. */
typedef struct pair_list {
    ss_index_pair *pair, *ordered;
    int *count; /* of pairs per box */
    int n, pair_cap, ordered_cap, count_cap;
} pair_list;

/* A walk through a part of the tree. */
typedef struct walk {
    const ss_broad_phase *bp;
    ss_index_pair *pair; /* what it has found; those beyond the room are counted only */
    int n, room;
    int64_t tests; /* comparisons  */
    bool worn;     /* it was broken off: there are too many of them */
} walk;

struct ss_broad_phase {
    ss_context *ctx;
    int n; /* boxes */
    ss_box_tree tree;
    wide_boxes wide;
    pair_list found;
    walk wave[WAVE];
    ss_index_pair *part; /* rooms of a wave */
    int part_cap;
    int64_t tests; /* comparisons of this call */
    bool worn;     /* the search was broken off */
    bool known;    /* `found` has the pairs of the boxes of the tree and of the wide ones */
};

ss_status ss_broad_phase_create(ss_context *ctx, ss_broad_phase **out)
{
    SS_TRY(ss_calloc(ctx, 1, sizeof **out, out));
    (*out)->ctx = ctx;
    (*out)->tree.stale = true;
    return SS_OK;
}

void ss_broad_phase_destroy(ss_broad_phase *bp)
{
    if (bp) {
        void *owned[] = { bp->wide.index,    bp->wide.item,   bp->wide.finite, bp->found.pair,
                          bp->found.ordered, bp->found.count, bp->part };
        ss_box_tree_free(bp->ctx, &bp->tree);
        for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) {
            ss_free(bp->ctx, owned[k]);
        }
        ss_free(bp->ctx, bp);
    }
}

/* ---- pairs --------------------------------------------------------------------------------- */

/* sum of the sides */
static double extent(const ss_box3 *box) { return box->hi.x - box->lo.x + (box->hi.y - box->lo.y) + (box->hi.z - box->lo.z); }

static void push_pair(walk *w, int i, int j)
{
    if (w->n < w->room) {
        w->pair[w->n] = i < j ? (ss_index_pair){ i, j } : (ss_index_pair){ j, i };
    }
    w->n++;
}

/* item i with items first .. last - 1 */
static void pair_items(walk *w, const ss_leaf_box *a, int first, int last)
{
    for (int j = first; j < last; j++) {
        const ss_leaf_box *b = &w->bp->tree.item[j];
        if (a->group != b->group && ss_boxes_overlap(&a->box, &b->box)) {
            push_pair(w, a->index, b->index);
        }
    }
    w->tests += last - first;
}

static void pair_leaves(walk *w, const ss_box_node *a, const ss_box_node *b)
{
    for (int i = a->first; i < a->first + a->count; i++) {
        if (ss_boxes_overlap(&w->bp->tree.item[i].box, &b->box)) {
            pair_items(w, &w->bp->tree.item[i], a == b ? i + 1 : b->first, b->first + b->count);
        }
    }
}

static bool one_group(const ss_box_node *a, const ss_box_node *b) { return a->group == b->group && a->group != SS_BOX_MIXED; }

/* boxes, pairs found before and by this walk (NULL: none), and one */
static double results(const ss_broad_phase *bp, const walk *w) { return (double)bp->n + bp->found.n + (w ? w->n : 0) + 1; }

static bool too_many(const ss_broad_phase *bp, const walk *w)
{
    const double tests = (double)bp->tests + (double)(w ? w->tests : 0);
    return !bp->tree.stale && tests > 2 * bp->tree.work * results(bp, w);
}

/* Once set it stays: pairs found later would raise the bound again, although others were skipped. */
static bool worn(walk *w)
{
    w->worn = w->worn || too_many(w->bp, w);
    return w->worn;
}

/* pairs between two subtrees that have no box in common; none if the walk is broken off */
static void pair_nodes(walk *w, const ss_box_node *a, const ss_box_node *b)
{
    w->tests++;
    if (one_group(a, b) || !ss_boxes_overlap(&a->box, &b->box) || worn(w) || w->n > MOST_PAIRS) {
        return;
    }
    if (a->right == 0 && b->right == 0) {
        pair_leaves(w, a, b);
        return;
    }
    const bool open_a = b->right == 0 || (a->right != 0 && extent(&a->box) >= extent(&b->box));
    const ss_box_node *opened = open_a ? a : b, *other = open_a ? b : a;
    pair_nodes(w, opened + 1, other);
    pair_nodes(w, &w->bp->tree.node[opened->right], other);
}

/* a node with itself: its two children, or the boxes of a leaf */
static void pair_node(walk *w, const ss_box_node *here)
{
    if (one_group(here, here)) {
        return;
    }
    if (here->right == 0) {
        pair_leaves(w, here, here);
    } else {
        pair_nodes(w, here + 1, &w->bp->tree.node[here->right]);
    }
}

/* ---- waves --------------------------------------------------------------------------------- */

/* A wave over the nodes from `first` on. */
typedef struct wave {
    ss_broad_phase *bp;
    int first;
} wave;

static void walk_range(void *data, int begin, int end)
{
    const wave *x = data;
    walk *w = &x->bp->wave[begin / GRAIN];
    for (int k = begin; k < end; k++) {
        pair_node(w, &x->bp->tree.node[x->first + k]);
    }
}

/* rooms of ranges for the pairs that they found last, and at least as many as they should have at first */
static ss_status make_room(ss_broad_phase *bp, int ranges)
{
    int total = 0;
    for (int i = 0; i < ranges; i++) {
        bp->wave[i].room = bp->wave[i].n > ROOM ? bp->wave[i].n : ROOM;
        total += bp->wave[i].room;
    }
    SS_TRY(ss_reserve(bp->ctx, &bp->part, &bp->part_cap, total, sizeof *bp->part));
    for (int i = 0, at = 0; i < ranges; at += bp->wave[i++].room) {
        bp->wave[i] = (walk){ .bp = bp, .pair = bp->part + at, .room = bp->wave[i].room };
    }
    return SS_OK;
}

static ss_status refuse(const ss_broad_phase *bp)
{
    return ss_fail(bp->ctx, SS_ERR_MEMORY, "more than %d pairs of %d shapes overlap: the limit", (int)MOST_PAIRS, bp->n);
}

/* what the ranges of a wave have found; *fits: all of it was in their rooms */
static ss_status add_up(ss_broad_phase *bp, int ranges, bool *fits)
{
    int64_t pairs = bp->found.n;
    *fits = true;
    for (int i = 0; i < ranges; i++) {
        const walk *w = &bp->wave[i];
        bp->worn = bp->worn || w->worn;
        pairs += w->n;
        *fits = *fits && w->n <= w->room;
    }
    if (pairs > MOST_PAIRS && !bp->worn) {
        return refuse(bp);
    }
    return SS_OK;
}

static ss_status take_found(ss_broad_phase *bp, int ranges)
{
    for (int i = 0; i < ranges; i++) {
        const walk *w = &bp->wave[i];
        SS_TRY(ss_reserve(bp->ctx, &bp->found.pair, &bp->found.pair_cap, bp->found.n + w->n, sizeof *bp->found.pair));
        if (w->n > 0) {
            memcpy(bp->found.pair + bp->found.n, w->pair, (size_t)w->n * sizeof *w->pair);
        }
        bp->found.n += w->n;
        bp->tests += w->tests;
    }
    bp->worn = bp->worn || too_many(bp, NULL);
    return SS_OK;
}

/* `count` nodes from `first` on */
static ss_status walk_wave(ss_broad_phase *bp, int first, int count)
{
    const int ranges = (count - 1) / GRAIN + 1;
    bool fits = false;
    for (int i = 0; i < ranges; i++) {
        bp->wave[i].n = 0;
    }
    while (!fits && !bp->worn) {
        SS_TRY(make_room(bp, ranges));
        ss_parallel_for(bp->ctx, count, GRAIN, walk_range, &(wave){ bp, first });
        SS_TRY(add_up(bp, ranges, &fits));
    }
    return bp->worn ? SS_OK : take_found(bp, ranges);
}

/* all nodes, or, if the tree is worn, as many as it takes to see that */
static ss_status pair_tree(ss_broad_phase *bp)
{
    enum { MOST = WAVE * GRAIN };
    for (int first = 0; first < bp->tree.nodes && !bp->worn; first += MOST) {
        SS_TRY(walk_wave(bp, first, bp->tree.nodes - first < MOST ? bp->tree.nodes - first : MOST));
    }
    return SS_OK;
}

/* each wide box with all finite ones and with the wide ones after it */
static ss_status pair_wide(ss_broad_phase *bp, const ss_box3 *boxes, const int *group)
{
    SS_TRY(ss_reserve(bp->ctx, &bp->wide.item, &bp->wide.item_cap, bp->wide.n, sizeof *bp->wide.item));
    for (int w = 0; w < bp->wide.n; w++) {
        const int i = bp->wide.index[w];
        const ss_leaf_box wide = bp->wide.item[w] = (ss_leaf_box){ boxes[i], i, group ? group[i] : i };
        SS_TRY(ss_reserve(bp->ctx, &bp->found.pair, &bp->found.pair_cap, bp->found.n + bp->n, sizeof *bp->found.pair));
        walk x = { .bp = bp, .pair = bp->found.pair + bp->found.n, .room = bp->n };
        pair_items(&x, &wide, 0, bp->tree.items);
        for (int k = w + 1; k < bp->wide.n; k++) {
            const int j = bp->wide.index[k];
            if (wide.group != (group ? group[j] : j) && ss_boxes_overlap(&wide.box, &boxes[j])) {
                push_pair(&x, i, j);
            }
        }
        bp->found.n += x.n;
        bp->tests += x.tests;
        if (bp->found.n > MOST_PAIRS) {
            return refuse(bp);
        }
    }
    return SS_OK;
}

/* ---- one call ------------------------------------------------------------------------------ */

static bool finite_box(const ss_box3 *box)
{
    const ss_vec3 side = ss_sub(box->hi, box->lo);
    return isfinite(side.x) && isfinite(side.y) && isfinite(side.z);
}

/* split the boxes into finite and wide ones; the tree is stale when that has changed */
static ss_status classify(ss_broad_phase *bp, int n, const ss_box3 *boxes)
{
    SS_TRY(ss_box_tree_reserve(bp->ctx, &bp->tree, n));
    SS_TRY(ss_reserve(bp->ctx, &bp->wide.index, &bp->wide.index_cap, n, sizeof *bp->wide.index));
    SS_TRY(ss_reserve(bp->ctx, &bp->wide.finite, &bp->wide.finite_cap, n, sizeof *bp->wide.finite));
    bp->tree.stale = bp->tree.stale || bp->n != n;
    bp->wide.n = 0;
    for (int i = 0; i < n; i++) {
        const bool finite = finite_box(&boxes[i]);
        bp->tree.stale = bp->tree.stale || bp->wide.finite[i] != finite;
        bp->wide.finite[i] = finite;
        if (!finite) {
            bp->wide.index[bp->wide.n++] = i;
        }
    }
    bp->n = n;
    return SS_OK;
}

/* pairs of finite boxes, by the old tree or by a new one */
static ss_status pair_finite(ss_broad_phase *bp, const ss_box3 *boxes, const int *group)
{
    for (;;) {
        bp->found.n = 0;
        bp->tests = 0;
        bp->worn = false;
        ss_box_tree_plant(&bp->tree, bp->n, bp->wide.finite, boxes, group);
        SS_TRY(pair_tree(bp));
        if (bp->tree.stale) {
            bp->tree.work = (double)bp->tests / results(bp, NULL);
            bp->tree.stale = false;
            return SS_OK;
        }
        if (!bp->worn) {
            return SS_OK;
        }
        bp->tree.stale = true;
    }
}

/* stable counting sort of the pairs by one of their ends */
static void sort_by(const ss_index_pair *from, int pairs, bool by_b, int n, int *count, ss_index_pair *to)
{
    memset(count, 0, ((size_t)n + 1) * sizeof *count);
    for (int k = 0; k < pairs; k++) {
        count[(by_b ? from[k].b : from[k].a) + 1]++;
    }
    for (int i = 0; i < n; i++) {
        count[i + 1] += count[i];
    }
    for (int k = 0; k < pairs; k++) {
        to[count[by_b ? from[k].b : from[k].a]++] = from[k];
    }
}

static ss_status sort_pairs(ss_broad_phase *bp)
{
    SS_TRY(ss_reserve(bp->ctx, &bp->found.ordered, &bp->found.ordered_cap, bp->found.n, sizeof *bp->found.ordered));
    SS_TRY(ss_reserve(bp->ctx, &bp->found.count, &bp->found.count_cap, bp->n + 1, sizeof *bp->found.count));
    sort_by(bp->found.pair, bp->found.n, true, bp->n, bp->found.count, bp->found.ordered);
    sort_by(bp->found.ordered, bp->found.n, false, bp->n, bp->found.count, bp->found.pair);
    return SS_OK;
}

/* ---- the pairs of the last search -------------------------------------------------------------- */

/* a NaN is within nothing */
static bool is_within(const ss_box3 *a, const ss_box3 *b)
{
    return a->lo.x >= b->lo.x && a->hi.x <= b->hi.x && a->lo.y >= b->lo.y && a->hi.y <= b->hi.y && a->lo.z >= b->lo.z &&
           a->hi.z <= b->hi.z;
}

/* boxes of now, and those that they were searched with */
typedef struct comparison {
    const ss_leaf_box *item;
    const ss_box3 *boxes;
    const int *group;
} comparison;

static bool has_grown(const void *data, int k)
{
    const comparison *x = data;
    const int i = x->item[k].index;
    return !is_within(&x->boxes[i], &x->item[k].box) || x->item[k].group != (x->group ? x->group[i] : i);
}

static bool are_within(const ss_broad_phase *bp, int count, const ss_leaf_box *item, const ss_box3 *boxes, const int *group)
{
    enum { BOXES = 1024 };
    return !ss_parallel_any(bp->ctx, count, BOXES, has_grown, &(comparison){ item, boxes, group });
}

/* Is every box within the one that it was searched with, so that there are no other pairs? */
static bool has_shrunk(const ss_broad_phase *bp, int n, const ss_box3 *boxes, const int *group)
{
    return bp->known && n == bp->n && are_within(bp, bp->tree.items, bp->tree.item, boxes, group) &&
           are_within(bp, bp->wide.n, bp->wide.item, boxes, group);
}

/* those of the pairs known that still overlap; they stay in order */
static ss_status compare_known(ss_broad_phase *bp, const ss_box3 *boxes, const ss_index_pair **pairs, int *count)
{
    SS_TRY(ss_reserve(bp->ctx, &bp->found.ordered, &bp->found.ordered_cap, bp->found.n, sizeof *bp->found.ordered));
    *count = 0;
    for (int k = 0; k < bp->found.n; k++) {
        const ss_index_pair pair = bp->found.pair[k];
        if (ss_boxes_overlap(&boxes[pair.a], &boxes[pair.b])) {
            bp->found.ordered[(*count)++] = pair;
        }
    }
    bp->tests = bp->found.n;
    *pairs = bp->found.ordered;
    return SS_OK;
}

ss_status ss_broad_phase_pairs(ss_broad_phase *bp, int n, const ss_box3 *boxes, const int *group, const ss_index_pair **pairs,
                               int *count)
{
    if (has_shrunk(bp, n, boxes, group)) {
        return compare_known(bp, boxes, pairs, count);
    }
    bp->known = false;
    SS_TRY(classify(bp, n, boxes));
    SS_TRY(pair_finite(bp, boxes, group));
    SS_TRY(pair_wide(bp, boxes, group));
    SS_TRY(sort_pairs(bp));
    bp->known = true;
    *pairs = bp->found.pair;
    *count = bp->found.n;
    return SS_OK;
}

int64_t ss_broad_phase_comparisons(const ss_broad_phase *bp) { return bp->tests; }
