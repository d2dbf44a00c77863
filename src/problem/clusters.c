/* clusters.c - connected parts of the bodies under joints and couplings.
 *
 * Method      union-find over the blocks; stored zeros of A.sparse join nothing, but a joint row joins all blocks it has entries
 *             in, zero or not, so that a mechanism that passes through a singular position keeps its clusters.
 * Cost        practically linear in the entries of G and A.sparse                                     */
#include "problem/clusters.h"

static void join_joints(const ss_gram *joints, int *parent)
{
    for (int k = 1; k < joints->pieces; k++) {
        if (joints->row[k] == joints->row[k - 1]) {
            ss_union_join(parent, joints->block[k - 1], joints->block[k]);
        }
    }
}

/* join what entries of A.sparse couple, and mark the blocks that have any */
static ss_status join_couplings(ss_arena *arena, const ss_problem *p, int *parent, bool *touched)
{
    const ss_csr *S = &p->A.sparse;
    const ss_blockdiag *B = &p->scale;
    int *block_of;
    SS_TRY(ss_arena_take(arena, (size_t)B->n, sizeof *block_of, &block_of));
    for (int b = 0; b < B->blocks; b++) {
        for (int i = 0; i < B->size[b]; i++) {
            block_of[B->offset[b] + i] = b;
        }
    }
    for (int i = 0; i < S->m; i++) {
        for (int e = S->p[i]; e < S->p[i + 1]; e++) {
            if (S->x[e] != 0) {
                touched[block_of[i]] = touched[block_of[S->i[e]]] = true;
                ss_union_join(parent, block_of[i], block_of[S->i[e]]);
            }
        }
    }
    return SS_OK;
}

static void number(const ss_blockdiag *B, int *parent, ss_clusters *out)
{
    for (int b = 0; b < B->blocks; b++) {
        int root = ss_union_root(parent, b);
        out->of_block[b] = root == b ? out->count++ : out->of_block[root];
    }
}

static void describe(const ss_blockdiag *B, const ss_gram *joints, const bool *touched, ss_clusters *out)
{
    for (int b = 0; b < B->blocks; b++) {
        int c = out->of_block[b];
        out->velocities[c] += B->size[b];
        out->coupled[c] = out->coupled[c] || touched[b];
        out->jointed[c] = out->jointed[c] || joints->by_first[b + 1] > joints->by_first[b];
        out->largest = out->velocities[c] > out->largest ? out->velocities[c] : out->largest;
    }
}

ss_status ss_clusters_find(ss_arena *arena, const ss_problem *problem, const ss_gram *joints, ss_clusters *out)
{
    const ss_blockdiag *B = &problem->scale;
    size_t blocks = (size_t)B->blocks;
    int *parent;
    bool *touched;
    *out = (ss_clusters){ 0 };
    SS_TRY(ss_arena_take(arena, blocks, sizeof *parent, &parent));
    SS_TRY(ss_arena_take(arena, blocks, sizeof *touched, &touched));
    SS_TRY(ss_arena_take(arena, blocks, sizeof *out->of_block, &out->of_block));
    for (int b = 0; b < B->blocks; b++) {
        parent[b] = b;
    }
    join_joints(joints, parent);
    if (problem->A.sparse.m > 0) {
        SS_TRY(join_couplings(arena, problem, parent, touched));
    }
    number(B, parent, out);
    SS_TRY(ss_arena_take(arena, (size_t)out->count, sizeof *out->coupled, &out->coupled));
    SS_TRY(ss_arena_take(arena, (size_t)out->count, sizeof *out->jointed, &out->jointed));
    SS_TRY(ss_arena_take(arena, (size_t)out->count, sizeof *out->velocities, &out->velocities));
    describe(B, joints, touched, out);
    return ss_groups_make(arena, out->count, B->blocks, out->of_block, &out->list);
}
