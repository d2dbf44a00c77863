/* assemble.h - 12 x 12 matrices of pairs of bodies into nv x nv matrices of a fixed pattern. */
#ifndef SS_ASSEMBLE_H
#define SS_ASSEMBLE_H

#include "model/model.h"

/* Build a pattern from pairs of bodies (world and fixed ones are skipped); every dynamic body meets itself. */
ss_status ss_pattern_build(ss_context *ctx, const ss_model *m, int pairs, const ss_index_pair *pair, ss_pattern *out);
void ss_pattern_free(ss_context *ctx, ss_pattern *pattern);

/* Reset A to the pattern with zeros; rows of bodies follow body order, columns are sorted. */
ss_status ss_pattern_clear(ss_context *ctx, const ss_model *m, const ss_pattern *pattern, ss_csr *A);
/* First entry of A in row `row` of body a for columns of body b. */
double *ss_pattern_at(const ss_model *m, const ss_pattern *pattern, ss_csr *A, int a, int b, int row);
/* A += the matrix K (world twist coordinates of the two bodies), turned into the bodies' velocities. */
void ss_pattern_add(const ss_model *m, const ss_pattern *pattern, const ss_config *c, const int body[2], const double *K,
                    ss_csr *A);

/* K in world twists -> what a wrench in the body frame adds when the body turns:
 * K += k_v (d twist / dx at fixed body rates) + S(torque): see assemble.c. k_v NULL: none. */
void ss_turn_correction(const ss_vec3 torque[2], const ss_vec3 omega[2], const double *k_v, double *K);

#endif
