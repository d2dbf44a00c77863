/* sparse_read.h - a sparse matrix of an FCLIB file, in any of its three forms, as rows. */
#ifndef SS_SPARSE_READ_H
#define SS_SPARSE_READ_H

#include "io/h5_read.h"
#include <slipstick/problem.h>

/* The matrix in group `name`, or its transpose, m x n after that; other sizes are refused. Its memory is the source's
 * arena: it must not grow. A matrix stored the way it is wanted keeps its entries as they are; otherwise rows come with
 * increasing columns, and entries of one place are added up. */
ss_status ss_sparse_read(const ss_h5_source *source, const char *name, bool transposed, int m, int n, ss_csr *out);
/* From entries (row, column, value). */
ss_status ss_sparse_build(ss_arena *arena, int m, int n, int entries, const int *row, const int *column, const double *x,
                          ss_csr *out);

#endif
