/* sweep_pieces.h - rows of contacts and what their impulses do to velocities, cut into dense pieces in the order of visits. */
#ifndef SS_SWEEP_PIECES_H
#define SS_SWEEP_PIECES_H

#include "base/base.h"
#include "problem/kkt.h"
#include "problem/one_contact.h"
#include "problem/sweep_order.h"
#include <slipstick/problem.h>

/* A dense piece of a contact's rows: columns offset .. offset+size-1 of block, numbers at `at`, rows x size. */
typedef struct ss_piece {
    int block, offset, size;
    size_t at;
} ss_piece;

/* Pieces of all contacts in the order of visits; those of position k are first[k] .. first[k+1]-1. */
typedef struct ss_pieces {
    int *first;
    ss_piece *list;
    double *x;
} ss_pieces;

/* What pieces are cut from. */
typedef struct ss_piece_source {
    ss_arena *arena;
    const ss_problem *problem;
    ss_kkt *kkt;
    const ss_clusters *clusters;
    const ss_gram *gram; /* rows of H along the blocks: of the contacts that are wanted */
    const ss_sweep_order *order;
    const ss_sweep_links *links;
    const bool *wanted; /* positions: others have no pieces */
    const int *number;  /* positions: of their `one`        */
} ss_piece_source;

/* H: the rows themselves. Y_i' = K^-1 H_i', which fills the clusters that the contact touches. Both for velocities L' v, where
 * L L' are the blocks of the scale: H L^-T and Y L. one[number[k]] of each wanted position is opened, with its own block H_i
 * K^-1 H_i'. Memory from the arena. */
ss_status ss_pieces_cut(const ss_piece_source *from, ss_pieces *H, ss_pieces *Y, ss_one_contact *one);

#endif
