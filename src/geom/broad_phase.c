/* broad_phase.c - pairs of boxes that overlap, by a tree of boxes.
 *
 * The finite boxes are leaves of a binary tree, FEW to a leaf. A node is split at the median of the centres along the axis
 * on which they spread most; the larger of two nodes that overlap is opened until leaves meet. Unlike a sweep along one
 * axis or a grid, that needs no scale: layers, clusters and boxes a million times larger than others cost the same.
 * Nodes lie in preorder: the left child follows its parent, and both children come after it, so bounds are renewed from
 * the back. Boxes of one group are never a pair; a subtree of one group is not looked into.
 * Boxes with an infinite side are compared with all others apart. Touching counts as overlap; a NaN overlaps nothing.
 *
 * The tree of the last call is used again, with new bounds, while it does its work. When it has made twice the comparisons,
 * per box and pair, that it made when it was new, it is worn: the search is broken off and begun again with a new one. The
 * pairs are put in order (a, then b) by two counting sorts, so the answer is the same whichever tree has found them.
 *
 * Cost   n log n to build, n + pairs + visits to use; memory is kept between calls. */
#include "geom/geom.h"

enum {
    FEW = 4,             /* boxes in a leaf, at most; a split leaves two at least, so there are fewer nodes than boxes */
    MIXED = INT32_MIN,   /* the group of a node that has several                                */
    MOST_PAIRS = 1 << 26 /* half a gigabyte: what overlaps more than that is no mechanical system */
};

typedef struct leaf_box {
    ss_box3 box;
    int index, group;
} leaf_box;

/* first .. first + count - 1: its boxes; right: the second child, 0: a leaf */
typedef struct node {
    ss_box3 box;
    int first, count, right, group;
} node;

/* The tree over the finite boxes. */
typedef struct box_tree {
    leaf_box *item; /* finite boxes in the order of the tree */
    node *node;
    int items, nodes, item_cap, node_cap;
    bool stale;  /* it is to be built anew                             */
    double work; /* comparisons per box and pair when it was new       */
} box_tree;

/* Which boxes have an infinite side. */
typedef struct wide_boxes {
    int *index;
    bool *finite; /* of every box */
    int n, index_cap, finite_cap;
} wide_boxes;

/* The pairs that were found, and buffers for sorting them. */
typedef struct pair_list {
    ss_index_pair *pair, *ordered;
    int *count; /* of pairs per box */
    int n, pair_cap, ordered_cap, count_cap;
} pair_list;

struct ss_broad_phase {
    ss_context *ctx;
    int n; /* boxes */
    box_tree tree;
    wide_boxes wide;
    pair_list found;
    int64_t tests; /* comparisons of this call */
    bool worn;     /* the search was broken off */
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
        void *owned[] = { bp->tree.item,  bp->tree.node,     bp->wide.index, bp->wide.finite,
                          bp->found.pair, bp->found.ordered, bp->found.count };
        for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) {
            ss_free(bp->ctx, owned[k]);
        }
        ss_free(bp->ctx, bp);
    }
}

/* ---- boxes --------------------------------------------------------------------------------- */

static bool finite_box(const ss_box3 *box)
{
    const ss_vec3 side = ss_sub(box->hi, box->lo);
    return isfinite(side.x) && isfinite(side.y) && isfinite(side.z);
}

static bool overlap(const ss_box3 *a, const ss_box3 *b)
{
    return a->lo.x <= b->hi.x && b->lo.x <= a->hi.x && a->lo.y <= b->hi.y && b->lo.y <= a->hi.y && a->lo.z <= b->hi.z &&
           b->lo.z <= a->hi.z;
}

static double least(double a, double b) { return a < b ? a : b; }

static double most(double a, double b) { return a > b ? a : b; }

static ss_box3 hull(const ss_box3 *a, const ss_box3 *b)
{
    return (ss_box3){
        { least(a->lo.x, b->lo.x), least(a->lo.y, b->lo.y), least(a->lo.z, b->lo.z) },
        { most(a->hi.x, b->hi.x), most(a->hi.y, b->hi.y), most(a->hi.z, b->hi.z) },
    };
}

/* sum of the sides */
static double extent(const ss_box3 *box) { return box->hi.x - box->lo.x + (box->hi.y - box->lo.y) + (box->hi.z - box->lo.z); }

/* twice the centre */
static double centre(const ss_box3 *box, int axis)
{
    return axis == 0 ? box->lo.x + box->hi.x : axis == 1 ? box->lo.y + box->hi.y : box->lo.z + box->hi.z;
}

/* ---- the tree ------------------------------------------------------------------------------ */

/* the axis on which the centres spread most */
static int longest_axis(const leaf_box *item, int count)
{
    double lo[3], hi[3];
    for (int axis = 0; axis < 3; axis++) {
        lo[axis] = hi[axis] = centre(&item[0].box, axis);
        for (int k = 1; k < count; k++) {
            const double x = centre(&item[k].box, axis);
            lo[axis] = least(lo[axis], x);
            hi[axis] = most(hi[axis], x);
        }
    }
    const double dx = hi[0] - lo[0], dy = hi[1] - lo[1], dz = hi[2] - lo[2];
    return dx >= dy && dx >= dz ? 0 : dy >= dz ? 1 : 2;
}

static bool before(const leaf_box *a, const leaf_box *b, int axis)
{
    const double x = centre(&a->box, axis), y = centre(&b->box, axis);
    return x < y || (x == y && a->index < b->index);
}

static void exchange(leaf_box *a, leaf_box *b)
{
    const leaf_box kept = *a;
    *a = *b;
    *b = kept;
}

/* Put the items below the one of rank `mid` before it and the others after it (Hoare's selection). The pivot's place is
 * drawn from a fixed sequence, so no order of the boxes is a bad one for long. */
static void split(leaf_box *item, int count, int mid, int axis)
{
    uint64_t seed = (uint64_t)count;
    int lo = 0, hi = count - 1;
    while (lo < hi) {
        const leaf_box pivot = item[lo + (int)(ss_random_u64(&seed) % (uint64_t)(hi - lo + 1))];
        int i = lo, j = hi;
        while (i <= j) {
            while (before(&item[i], &pivot, axis)) {
                i++;
            }
            while (before(&pivot, &item[j], axis)) {
                j--;
            }
            if (i <= j) {
                exchange(&item[i++], &item[j--]);
            }
        }
        hi = mid <= j ? j : hi;
        lo = mid >= i ? i : lo;
        if (mid > j && mid < i) {
            return;
        }
    }
}

/* nodes of a tree over `count` boxes; room for them is there */
static int build(ss_broad_phase *bp, int first, int count)
{
    const int k = bp->tree.nodes++;
    int right = 0;
    if (count > FEW) {
        const int mid = count / 2;
        split(bp->tree.item + first, count, mid, longest_axis(bp->tree.item + first, count));
        build(bp, first, mid);
        right = build(bp, first + mid, count - mid);
    }
    bp->tree.node[k] = (node){ .first = first, .count = count, .right = right };
    return k;
}

static void bound_leaf(ss_broad_phase *bp, node *leaf)
{
    const leaf_box *item = bp->tree.item + leaf->first;
    leaf->box = item[0].box;
    leaf->group = item[0].group;
    for (int k = 1; k < leaf->count; k++) {
        leaf->box = hull(&leaf->box, &item[k].box);
        leaf->group = leaf->group == item[k].group ? leaf->group : MIXED;
    }
}

/* bounds and groups of all nodes, children before parents */
static void refit(ss_broad_phase *bp)
{
    for (int k = bp->tree.nodes - 1; k >= 0; k--) {
        node *here = &bp->tree.node[k];
        if (here->right == 0) {
            bound_leaf(bp, here);
        } else {
            const node *left = here + 1, *right = &bp->tree.node[here->right];
            here->box = hull(&left->box, &right->box);
            here->group = left->group == right->group ? left->group : MIXED;
        }
    }
}

/* ---- pairs --------------------------------------------------------------------------------- */

static ss_status push_pair(ss_broad_phase *bp, int i, int j)
{
    if (bp->found.n == MOST_PAIRS) {
        return ss_fail(bp->ctx, SS_ERR_MEMORY, "more than %d pairs of %d shapes overlap: the limit", (int)MOST_PAIRS, bp->n);
    }
    const ss_index_pair pair = i < j ? (ss_index_pair){ i, j } : (ss_index_pair){ j, i };
    SS_PUSH(bp->ctx, bp->found.pair, bp->found.n, bp->found.pair_cap, pair);
    return SS_OK;
}

/* item i with items first .. last - 1 */
static ss_status pair_items(ss_broad_phase *bp, const leaf_box *a, int first, int last)
{
    for (int j = first; j < last; j++) {
        const leaf_box *b = &bp->tree.item[j];
        if (a->group != b->group && overlap(&a->box, &b->box)) {
            SS_TRY(push_pair(bp, a->index, b->index));
        }
    }
    bp->tests += last - first;
    return SS_OK;
}

static ss_status pair_leaves(ss_broad_phase *bp, const node *a, const node *b)
{
    for (int i = a->first; i < a->first + a->count; i++) {
        if (overlap(&bp->tree.item[i].box, &b->box)) {
            SS_TRY(pair_items(bp, &bp->tree.item[i], a == b ? i + 1 : b->first, b->first + b->count));
        }
    }
    return SS_OK;
}

static bool one_group(const node *a, const node *b) { return a->group == b->group && a->group != MIXED; }

static double results(const ss_broad_phase *bp) { return (double)bp->n + bp->found.n + 1; }

/* Once set it stays: pairs found later would raise the bound again, although others were skipped. */
static bool worn(ss_broad_phase *bp)
{
    bp->worn = bp->worn || (!bp->tree.stale && (double)bp->tests > 2 * bp->tree.work * results(bp));
    return bp->worn;
}

/* pairs between two subtrees that have no box in common; none if the tree is worn */
static ss_status pair_nodes(ss_broad_phase *bp, const node *a, const node *b)
{
    bp->tests++;
    if (one_group(a, b) || !overlap(&a->box, &b->box) || worn(bp)) {
        return SS_OK;
    }
    if (a->right == 0 && b->right == 0) {
        return pair_leaves(bp, a, b);
    }
    const bool open_a = b->right == 0 || (a->right != 0 && extent(&a->box) >= extent(&b->box));
    const node *opened = open_a ? a : b, *other = open_a ? b : a;
    SS_TRY(pair_nodes(bp, opened + 1, other));
    return pair_nodes(bp, &bp->tree.node[opened->right], other);
}

/* each node with itself: its two children, or the boxes of a leaf */
static ss_status pair_tree(ss_broad_phase *bp)
{
    for (int k = 0; k < bp->tree.nodes; k++) {
        const node *here = &bp->tree.node[k];
        if (!one_group(here, here)) {
            SS_TRY(here->right == 0 ? pair_leaves(bp, here, here) : pair_nodes(bp, here + 1, &bp->tree.node[here->right]));
        }
    }
    return SS_OK;
}

/* each wide box with all finite ones and with the wide ones after it */
static ss_status pair_wide(ss_broad_phase *bp, const ss_box3 *boxes, const int *group)
{
    for (int w = 0; w < bp->wide.n; w++) {
        const int i = bp->wide.index[w];
        const leaf_box wide = { boxes[i], i, group ? group[i] : i };
        SS_TRY(pair_items(bp, &wide, 0, bp->tree.items));
        for (int k = w + 1; k < bp->wide.n; k++) {
            const int j = bp->wide.index[k];
            if (wide.group != (group ? group[j] : j) && overlap(&wide.box, &boxes[j])) {
                SS_TRY(push_pair(bp, i, j));
            }
        }
    }
    return SS_OK;
}

/* ---- one call ------------------------------------------------------------------------------ */

/* split the boxes into finite and wide ones; the tree is stale when that has changed */
static ss_status classify(ss_broad_phase *bp, int n, const ss_box3 *boxes)
{
    SS_TRY(ss_reserve(bp->ctx, &bp->tree.item, &bp->tree.item_cap, n, sizeof *bp->tree.item));
    SS_TRY(ss_reserve(bp->ctx, &bp->tree.node, &bp->tree.node_cap, n, sizeof *bp->tree.node));
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

/* the tree over the boxes where they are now: a new one, or the old one with new bounds */
static void plant(ss_broad_phase *bp, const ss_box3 *boxes, const int *group)
{
    if (bp->tree.stale) {
        bp->tree.items = bp->tree.nodes = 0;
        for (int i = 0; i < bp->n; i++) {
            if (bp->wide.finite[i]) {
                bp->tree.item[bp->tree.items++].index = i;
            }
        }
    }
    for (int k = 0; k < bp->tree.items; k++) {
        const int i = bp->tree.item[k].index;
        bp->tree.item[k] = (leaf_box){ boxes[i], i, group ? group[i] : i };
    }
    if (bp->tree.stale && bp->tree.items > 0) {
        build(bp, 0, bp->tree.items);
    }
    refit(bp);
}

/* pairs of finite boxes, by the old tree or by a new one */
static ss_status pair_finite(ss_broad_phase *bp, const ss_box3 *boxes, const int *group)
{
    for (;;) {
        bp->found.n = 0;
        bp->tests = 0;
        bp->worn = false;
        plant(bp, boxes, group);
        SS_TRY(pair_tree(bp));
        if (bp->tree.stale) {
            bp->tree.work = (double)bp->tests / results(bp);
            bp->tree.stale = false;
            return SS_OK;
        }
        if (!worn(bp)) {
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

ss_status ss_broad_phase_pairs(ss_broad_phase *bp, int n, const ss_box3 *boxes, const int *group, const ss_index_pair **pairs,
                               int *count)
{
    SS_TRY(classify(bp, n, boxes));
    SS_TRY(pair_finite(bp, boxes, group));
    SS_TRY(pair_wide(bp, boxes, group));
    SS_TRY(sort_pairs(bp));
    *pairs = bp->found.pair;
    *count = bp->found.n;
    return SS_OK;
}

int64_t ss_broad_phase_comparisons(const ss_broad_phase *bp) { return bp->tests; }
