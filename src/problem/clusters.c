/* clusters.c - connected parts of the bodies under joints and couplings.
 *
 * Method      union-find over the blocks; stored zeros of A.sparse join nothing, but a joint row joins all blocks it has entries
 *             in, zero or not, so that a mechanism that passes through a singular position keeps its clusters.
 * Cost        practically linear in the entries of G and A.sparse                                     */
#include "problem/clusters.h"

/* join the blocks that a joint row has entries in, and mark them */
static void join_joints(const ss_csr *G, const int *block_of, int *parent, bool *jointed)
{
    for (int i = 0; i < G->m; i++) {
        for (int e = G->p[i]; e < G->p[i + 1]; e++) {
            jointed[block_of[G->i[e]]] = true;
            ss_union_join(parent, block_of[G->i[G->p[i]]], block_of[G->i[e]]);
        }
    }
}

/* join what entries of A.sparse couple, and mark it */
static void join_couplings(const ss_csr *S, const int *block_of, int *parent, bool *coupled)
{
    for (int i = 0; i < S->m; i++) {
        for (int e = S->p[i]; e < S->p[i + 1]; e++) {
            if (S->x[e] != 0) {
                coupled[block_of[i]] = coupled[block_of[S->i[e]]] = true;
                ss_union_join(parent, block_of[i], block_of[S->i[e]]);
            }
        }
    }
}

static void number(const ss_blockdiag *B, int *parent, ss_clusters *out)
{
    for (int b = 0; b < B->blocks; b++) {
        int root = ss_union_root(parent, b);
        out->of_block[b] = root == b ? out->count++ : out->of_block[root];
    }
}

static void describe(const ss_blockdiag *B, const bool *jointed, const bool *coupled, ss_clusters *out)
{
    for (int b = 0; b < B->blocks; b++) {
        int c = out->of_block[b];
        out->velocities[c] += B->size[b];
        out->jointed[c] = out->jointed[c] || jointed[b];
        out->coupled[c] = out->coupled[c] || coupled[b];
    }
    for (int c = 0; c < out->count; c++) {
        bool larger = out->coupled[c] && out->velocities[c] > out->largest_coupled;
        out->largest_coupled = larger ? out->velocities[c] : out->largest_coupled;
    }
}

ss_status ss_clusters_find(ss_arena *arena, const ss_problem *problem, ss_clusters *out)
{
    const ss_blockdiag *B = &problem->scale;
    size_t blocks = (size_t)B->blocks;
    int *parent, *block_of;
    bool *jointed, *coupled;
    *out = (ss_clusters){ 0 };
    SS_TRY(ss_arena_take(arena, blocks, sizeof *parent, &parent));
    SS_TRY(ss_arena_take(arena, (size_t)B->n, sizeof *block_of, &block_of));
    SS_TRY(ss_arena_take(arena, blocks, sizeof *jointed, &jointed));
    SS_TRY(ss_arena_take(arena, blocks, sizeof *coupled, &coupled));
    SS_TRY(ss_arena_take(arena, blocks, sizeof *out->of_block, &out->of_block));
    for (int b = 0; b < B->blocks; b++) {
        parent[b] = b;
        for (int i = 0; i < B->size[b]; i++) {
            block_of[B->offset[b] + i] = b;
        }
    }
    join_joints(&problem->G, block_of, parent, jointed);
    join_couplings(&problem->A.sparse, block_of, parent, coupled);
    number(B, parent, out);
    SS_TRY(ss_arena_take(arena, (size_t)out->count, sizeof *out->coupled, &out->coupled));
    SS_TRY(ss_arena_take(arena, (size_t)out->count, sizeof *out->jointed, &out->jointed));
    SS_TRY(ss_arena_take(arena, (size_t)out->count, sizeof *out->velocities, &out->velocities));
    describe(B, jointed, coupled, out);
    return ss_groups_make(arena, out->count, B->blocks, out->of_block, &out->list);
}
