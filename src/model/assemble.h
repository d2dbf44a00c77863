/* assemble.h - small matrices of pairs of bodies into nv x nv matrices of a fixed pattern. */
#ifndef SS_ASSEMBLE_H
#define SS_ASSEMBLE_H

#include "model/model.h"

/* Build a pattern: start with room for `most` pairs, name the pairs of bodies that meet (those without velocities are skipped,
 * every other body meets itself), finish. A pattern may be built again; its memory is used again. */
ss_status ss_pattern_start(ss_context *ctx, const ss_model *m, int most, ss_pattern *out);
void ss_pattern_pair(const ss_model *m, int a, int b, ss_pattern *out);
void ss_pattern_finish(const ss_model *m, ss_pattern *out);
void ss_pattern_free(ss_context *ctx, ss_pattern *pattern);

/* Reset A to the pattern with zeros; rows of bodies follow body order, columns are sorted. */
ss_status ss_pattern_clear(ss_context *ctx, const ss_model *m, const ss_pattern *pattern, ss_csr *A);
/* First entry of A in row `row` of body a for columns of body b. */
double *ss_pattern_at(const ss_model *m, const ss_pattern *pattern, ss_csr *A, int a, int b, int row);
/* A += the n x n matrix K of the velocities of two bodies, n the sum of theirs; bodies without velocities have no part in it. */
void ss_pattern_add(const ss_model *m, const ss_pattern *pattern, const int body[2], const double *K, ss_csr *A);
/* Push v' K as a row of A, where K is such a matrix of two bodies. */
ss_status ss_pattern_push_row(ss_context *ctx, const ss_model *m, const int body[2], const double *K, const double *v, ss_csr *A);

#endif
