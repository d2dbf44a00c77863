/* groups.h - items sorted into groups, and nodes joined into connected parts. */
#ifndef SS_GROUPS_H
#define SS_GROUPS_H

#include "base/base.h"

/* Items listed by group: those of group g are item[first[g]] .. item[first[g+1]-1], in their order. */
typedef struct ss_groups {
    int *first, *item;
} ss_groups;

/* group[k] -1: left out. The arrays live in the arena. */
ss_status ss_groups_make(ss_arena *arena, int groups, int items, const int *group, ss_groups *out);

/* Union-find over parent[]: node k is a root if parent[k] == k. The smaller number becomes the root, so the result depends on
 * what is joined alone, not on the order. */
int ss_union_root(int *parent, int k);
void ss_union_join(int *parent, int a, int b);

#endif
