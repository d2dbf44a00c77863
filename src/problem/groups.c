/* groups.c - counting sort of items by group, union-find with path halving. Both are practically linear. */
#include "problem/groups.h"

ss_status ss_groups_make(ss_arena *arena, int groups, int items, const int *group, ss_groups *out)
{
    /* counts of g are stored at first[g+2], so that first[g+1] is where the next item of g is written */
    SS_TRY(ss_arena_take(arena, (size_t)groups + 2, sizeof *out->first, &out->first));
    SS_TRY(ss_arena_take(arena, (size_t)items, sizeof *out->item, &out->item));
    for (int k = 0; k < items; k++) {
        if (group[k] >= 0) {
            out->first[group[k] + 2]++;
        }
    }
    for (int g = 2; g <= groups + 1; g++) {
        out->first[g] += out->first[g - 1];
    }
    for (int k = 0; k < items; k++) {
        if (group[k] >= 0) {
            out->item[out->first[group[k] + 1]++] = k;
        }
    }
    return SS_OK;
}

int ss_union_root(int *parent, int k)
{
    while (parent[k] != k) {
        parent[k] = parent[parent[k]];
        k = parent[k];
    }
    return k;
}

void ss_union_join(int *parent, int a, int b)
{
    a = ss_union_root(parent, a);
    b = ss_union_root(parent, b);
    parent[a > b ? a : b] = a < b ? a : b;
}
