/* delassus.h - the contacts' matrix W = H K^-1 H' and q = H v_free + w, for any set of contacts. */
#ifndef SS_DELASSUS_H
#define SS_DELASSUS_H

#include "base/base.h"
#include "problem/kkt.h"
#include <slipstick/problem.h>

typedef struct ss_delassus ss_delassus;

ss_status ss_delassus_create(ss_context *ctx, ss_delassus **out);
void ss_delassus_destroy(ss_delassus *w);
/* Take a problem; kkt has factorised it (local form: NULL). Both must live while blocks are asked for. */
ss_status ss_delassus_prepare(ss_delassus *w, const ss_problem *problem, ss_kkt *kkt);
double ss_delassus_scale(const ss_delassus *w, int row); /* H_i B^-1 H_i', joints left out; local: W_ii */
/* W and q over `rows` row numbers; W dense, column-major: W[i + rows*j]. Scratch from the arena. */
ss_status ss_delassus_submatrix(ss_delassus *w, ss_arena *arena, int rows, const int *row, double *W, double *q);

#endif
