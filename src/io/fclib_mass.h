/* fclib_mass.h - the matrix M of an FCLIB file. */
#ifndef SS_FCLIB_MASS_H
#define SS_FCLIB_MASS_H

#include "io/h5_read.h"
#include <slipstick/problem.h>

typedef struct ss_fclib_mass {
    const ss_h5_source *source;
    const char *name; /* of M in the file                                             */
    bool own;         /* the file has a group /slipstick                              */
    ss_problem *p;    /* its nv and dimension are known; A and scale are filled       */
} ss_fclib_mass;
ss_status ss_fclib_read_mass(const ss_fclib_mass *x);

#endif
