/* fclib.h - what the writer and the reader of FCLIB files agree on beyond FCLIB itself, and the writer. */
#ifndef SS_FCLIB_H
#define SS_FCLIB_H

#include "base/claim.h"
#include <slipstick/io.h>

/* the form of A, stored as the number slipstick/kind in files that slipstick wrote */
typedef enum ss_fclib_form { SS_FCLIB_BLOCKS, SS_FCLIB_SYMMETRIC, SS_FCLIB_GENERAL, SS_FCLIB_LOCAL } ss_fclib_form;

/* Write a problem, and its solution (NULL: none), to a path that was claimed; what it held is replaced. */
ss_status ss_fclib_write(ss_context *ctx, const char *path, const ss_claim *claim, const ss_problem *problem,
                         const ss_solution *solution);

#endif
