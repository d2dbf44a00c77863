/* broad_phase_tree.c - the tree of boxes of the broad phase.
 *
 * Boxes are leaves of a binary tree, FEW to a leaf. A node is split at the median of the centres along the axis on which they
 * spread most. Nodes lie in preorder: the left child follows its parent, and both children come after it, so bounds are renewed
 * from the back.
 *
 * Cost   n log n to build, n to renew; memory is kept between calls */
#include "geom/broad_phase_tree.h"

enum { FEW = 4 }; /* boxes in a leaf, at most; a split leaves two at least, so there are fewer nodes than boxes */

ss_status ss_box_tree_reserve(ss_context *ctx, ss_box_tree *tree, int n)
{
    SS_TRY(ss_reserve(ctx, &tree->item, &tree->item_cap, n, sizeof *tree->item));
    return ss_reserve(ctx, &tree->node, &tree->node_cap, n, sizeof *tree->node);
}

void ss_box_tree_free(ss_context *ctx, ss_box_tree *tree)
{
    ss_free(ctx, tree->item);
    ss_free(ctx, tree->node);
    *tree = (ss_box_tree){ .stale = true };
}

/* ---- boxes --------------------------------------------------------------------------------- */

static double least(double a, double b) { return a < b ? a : b; }

static double most(double a, double b) { return a > b ? a : b; }

static ss_box3 hull(const ss_box3 *a, const ss_box3 *b)
{
    return (ss_box3){
        { least(a->lo.x, b->lo.x), least(a->lo.y, b->lo.y), least(a->lo.z, b->lo.z) },
        { most(a->hi.x, b->hi.x), most(a->hi.y, b->hi.y), most(a->hi.z, b->hi.z) },
    };
}

/* twice the centre */
static double centre(const ss_box3 *box, int axis)
{
    return axis == 0 ? box->lo.x + box->hi.x : axis == 1 ? box->lo.y + box->hi.y : box->lo.z + box->hi.z;
}

/* ---- the tree ------------------------------------------------------------------------------ */

/* the axis on which the centres spread most */
static int longest_axis(const ss_leaf_box *item, int count)
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

static bool before(const ss_leaf_box *a, const ss_leaf_box *b, int axis)
{
    const double x = centre(&a->box, axis), y = centre(&b->box, axis);
    return x < y || (x == y && a->index < b->index);
}

static void exchange(ss_leaf_box *a, ss_leaf_box *b)
{
    const ss_leaf_box kept = *a;
    *a = *b;
    *b = kept;
}

/* Put the items below the one of rank `mid` before it and the others after it (Hoare's selection). The pivot's place is drawn
 * from a fixed sequence, so no order of the boxes is a bad one for long. */
static void split(ss_leaf_box *item, int count, int mid, int axis)
{
    uint64_t seed = (uint64_t)count;
    int lo = 0, hi = count - 1;
    while (lo < hi) {
        const ss_leaf_box pivot = item[lo + (int)(ss_random_u64(&seed) % (uint64_t)(hi - lo + 1))];
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
static int build(ss_box_tree *tree, int first, int count)
{
    const int k = tree->nodes++;
    int right = 0;
    if (count > FEW) {
        const int mid = count / 2;
        split(tree->item + first, count, mid, longest_axis(tree->item + first, count));
        build(tree, first, mid);
        right = build(tree, first + mid, count - mid);
    }
    tree->node[k] = (ss_box_node){ .first = first, .count = count, .right = right };
    return k;
}

static void bound_leaf(const ss_box_tree *tree, ss_box_node *leaf)
{
    const ss_leaf_box *item = tree->item + leaf->first;
    leaf->box = item[0].box;
    leaf->group = item[0].group;
    for (int k = 1; k < leaf->count; k++) {
        leaf->box = hull(&leaf->box, &item[k].box);
        leaf->group = leaf->group == item[k].group ? leaf->group : SS_BOX_MIXED;
    }
}

/* bounds and groups of all nodes, children before parents */
static void refit(ss_box_tree *tree)
{
    for (int k = tree->nodes - 1; k >= 0; k--) {
        ss_box_node *here = &tree->node[k];
        if (here->right == 0) {
            bound_leaf(tree, here);
        } else {
            const ss_box_node *left = here + 1, *right = &tree->node[here->right];
            here->box = hull(&left->box, &right->box);
            here->group = left->group == right->group ? left->group : SS_BOX_MIXED;
        }
    }
}

void ss_box_tree_plant(ss_box_tree *tree, int n, const bool *in, const ss_box3 *boxes, const int *group)
{
    if (tree->stale) {
        tree->items = tree->nodes = 0;
        for (int i = 0; i < n; i++) {
            if (in[i]) {
                tree->item[tree->items++].index = i;
            }
        }
    }
    for (int k = 0; k < tree->items; k++) {
        const int i = tree->item[k].index;
        tree->item[k] = (ss_leaf_box){ boxes[i], i, group ? group[i] : i };
    }
    if (tree->stale && tree->items > 0) {
        build(tree, 0, tree->items);
    }
    refit(tree);
}
