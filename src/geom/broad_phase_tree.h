/* broad_phase_tree.h - the tree of boxes of the broad phase. */
#ifndef SS_BROAD_PHASE_TREE_H
#define SS_BROAD_PHASE_TREE_H

#include "geom/geom.h"

enum { SS_BOX_MIXED = INT32_MIN }; /* the group of a node that has several */

typedef struct ss_leaf_box {
    ss_box3 box;
    int index, group;
} ss_leaf_box;

/* first .. first + count - 1: its boxes; right: the second child, 0: a leaf */
typedef struct ss_box_node {
    ss_box3 box;
    int first, count, right, group;
} ss_box_node;

typedef struct ss_box_tree {
    ss_leaf_box *item; /* boxes in the order of the tree */
    ss_box_node *node;
    int items, nodes, item_cap, node_cap;
    bool stale;  /* it is to be built anew                       */
    double work; /* comparisons per box and pair when it was new */
} ss_box_tree;

/* Room for n boxes. */
ss_status ss_box_tree_reserve(ss_context *ctx, ss_box_tree *tree, int n);
/* The tree over those of n boxes that are in[], where they are now: a new one if it is stale, else the old one with new bounds.
 * group NULL: each box is its own. */
void ss_box_tree_plant(ss_box_tree *tree, int n, const bool *in, const ss_box3 *boxes, const int *group);
void ss_box_tree_free(ss_context *ctx, ss_box_tree *tree);

/* touching counts; a NaN overlaps nothing */
static inline bool ss_boxes_overlap(const ss_box3 *a, const ss_box3 *b)
{
    return a->lo.x <= b->hi.x && b->lo.x <= a->hi.x && a->lo.y <= b->hi.y && b->lo.y <= a->hi.y && a->lo.z <= b->hi.z &&
           b->lo.z <= a->hi.z;
}

#endif
