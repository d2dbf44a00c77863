/* islands.c - connected components of a one-step problem.
 *
 * Nodes are the blocks of the scale (local form: the contacts). A row of G, the rows of one contact in H, and an
 * entry of A.sparse join all blocks they touch; stored zeros join nothing. A moment of rolling friction is joined to its host,
 * even if one of them touches nothing. Method      union-find (groups.c); the result depends on the problem alone Cost
 * practically linear in the number of entries                                            */
#include "problem/islands.h"

#include "problem/groups.h"

/* Join the nodes of rows begin .. end-1, and `node` if it is not -1; returns one of them, -1 if there is none. Rows of a contact
 * go to and fro between two bodies: those of the last two entries are joined already. */
static int join_rows(int *parent, const int *node_of, const ss_csr *R, int begin, int end, int node)
{
    int before = node;
    for (int row = begin; row < end; row++) {
        for (int e = R->p[row]; e < R->p[row + 1]; e++) {
            int other = node_of[R->i[e]];
            if (other == node || R->x[e] == 0) {
                continue;
            }
            if (node >= 0 && other != before) {
                ss_union_join(parent, node, other);
            }
            before = node;
            node = other;
        }
    }
    return node;
}

/* The same of contact k by the shares of its blocks. One that is 0 may be that of entries whose squares are too small: these
 * are looked at. */
static int join_shares(int *parent, const int *block_of, const ss_problem *p, const ss_row_shares *shares, int k)
{
    int node = -1;
    for (int e = shares->first[k]; e < shares->first[k + 1]; e++) {
        if (!(shares->x[e] > 0)) {
            return join_rows(parent, block_of, &p->H, p->row[k], p->row[k + 1], node);
        }
        if (node >= 0) {
            ss_union_join(parent, node, shares->block[e]);
        }
        node = shares->block[e];
    }
    return node;
}

/* Join the nodes of moments and hosts; one that has no node takes that of the other. */
static void join_hosts(int *parent, const ss_problem *p, int *node)
{
    for (int k = 0; p->host && k < p->nc; k++) {
        int *own = &node[k], *host = p->law[k] == SS_LAW_ROLLING ? &node[p->host[k]] : own;
        *own = *own < 0 ? *host : *own;
        *host = *host < 0 ? *own : *host;
        if (*own >= 0 && *own != *host) {
            ss_union_join(parent, *own, *host);
        }
    }
}

/* number the island of a node, if it has no number yet */
static int number(int *parent, int *label, int node, int *count)
{
    if (node < 0) {
        return -1;
    }
    int r = ss_union_root(parent, node);
    if (label[r] < 0) {
        label[r] = (*count)++;
    }
    return label[r];
}

static ss_status take_nodes(ss_arena *arena, int nodes, int columns, int **parent, int **label, int **node_of)
{
    SS_TRY(ss_arena_take(arena, (size_t)nodes, sizeof **parent, parent));
    SS_TRY(ss_arena_take(arena, (size_t)nodes, sizeof **label, label));
    SS_TRY(ss_arena_take(arena, (size_t)columns, sizeof **node_of, node_of));
    for (int k = 0; k < nodes; k++) {
        (*parent)[k] = k;
        (*label)[k] = -1;
    }
    return SS_OK;
}

static ss_status find_local(ss_arena *arena, const ss_problem *p, ss_islands *out)
{
    int *parent, *label, *node_of;
    SS_TRY(take_nodes(arena, p->nc, p->nc > 0 ? p->row[p->nc] : 0, &parent, &label, &node_of));
    for (int k = 0; k < p->nc; k++) {
        for (int row = p->row[k]; row < p->row[k + 1]; row++) {
            node_of[row] = k;
        }
    }
    for (int k = 0; k < p->nc; k++) {
        join_rows(parent, node_of, &p->W, p->row[k], p->row[k + 1], k);
    }
    for (int k = 0; k < p->nc; k++) {
        out->of_contact[k] = k;
    }
    join_hosts(parent, p, out->of_contact);
    for (int k = 0; k < p->nc; k++) {
        out->of_contact[k] = number(parent, label, out->of_contact[k], &out->count);
    }
    return SS_OK;
}

static ss_status find_global(ss_arena *arena, const ss_problem *p, const ss_row_shares *contacts, ss_islands *out)
{
    const ss_blockdiag *M = &p->scale;
    int *parent, *label, *block_of;
    SS_TRY(take_nodes(arena, M->blocks, p->nv, &parent, &label, &block_of));
    for (int b = 0; b < M->blocks; b++) {
        for (int k = 0; k < M->size[b]; k++) {
            block_of[M->offset[b] + k] = b;
        }
    }

    /* what joins: entries of A, joint rows, contacts */
    for (int i = 0; i < p->A.sparse.m; i++) {
        join_rows(parent, block_of, &p->A.sparse, i, i + 1, block_of[i]);
    }
    for (int i = 0; i < p->nj; i++) {
        out->of_joint[i] = join_rows(parent, block_of, &p->G, i, i + 1, -1);
    }
    for (int k = 0; k < p->nc; k++) {
        out->of_contact[k] = contacts ? join_shares(parent, block_of, p, contacts, k)
                                      : join_rows(parent, block_of, &p->H, p->row[k], p->row[k + 1], -1);
    }
    join_hosts(parent, p, out->of_contact);

    /* from nodes to numbers */
    for (int k = 0; k < p->nc; k++) {
        out->of_contact[k] = number(parent, label, out->of_contact[k], &out->count);
    }
    for (int i = 0; i < p->nj; i++) {
        out->of_joint[i] = number(parent, label, out->of_joint[i], &out->count);
    }
    for (int b = 0; b < M->blocks; b++) {
        out->of_block[b] = number(parent, label, b, &out->count);
    }
    return SS_OK;
}

ss_status ss_islands_find_by(ss_arena *arena, const ss_problem *problem, const ss_row_shares *contacts, ss_islands *out)
{
    *out = (ss_islands){ 0 };
    SS_TRY(ss_arena_take(arena, (size_t)problem->scale.blocks, sizeof *out->of_block, &out->of_block));
    SS_TRY(ss_arena_take(arena, (size_t)problem->nj, sizeof *out->of_joint, &out->of_joint));
    SS_TRY(ss_arena_take(arena, (size_t)problem->nc, sizeof *out->of_contact, &out->of_contact));
    return problem->local ? find_local(arena, problem, out) : find_global(arena, problem, contacts, out);
}

ss_status ss_islands_find(ss_arena *arena, const ss_problem *problem, ss_islands *out)
{
    return ss_islands_find_by(arena, problem, NULL, out);
}
