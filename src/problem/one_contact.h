/* one_contact.h - a contact problem of one contact, solved exactly: the piece that splitting methods repeat. */
#ifndef SS_ONE_CONTACT_H
#define SS_ONE_CONTACT_H

#include "base/base.h"
#include <slipstick/problem.h>

/* u = W r + q with the contact's law; W is rows x rows, by rows. Filled by ss_one_contact_open. */
typedef struct ss_one_contact {
    double W[9], inverse[9];
    double d;  /* trace(W)/rows; not positive: the contact cannot move and has no impulse */
    double mu; /* bounded: the bound; rolling: that over r_N of the host; plane polygons: times the longest direction         */
    const double *direction; /* of polygons; rolling: the axis that it acts along alone, NULL: any */
    int directions, rows;
    unsigned law;    /* plane polygons have become circular, frictionless ones unilateral  */
    bool invertible; /* W                                                                  */
} ss_one_contact;

/* Contact k of a problem with its own block W. */
void ss_one_contact_open(ss_one_contact *c, const ss_problem *problem, int k, const double *W);
/* In: impulse r and the velocity u that goes with it. Out: the impulse that solves the law while all other contacts keep
 * theirs. False if no case had a solution: the result is then that of a truncated iteration. */
bool ss_one_contact_solve(const ss_one_contact *c, const double *u, double *r);
/* The same for a moment of rolling friction, of one or two rows, whose length is at most `bound`. */
bool ss_one_moment_solve(const ss_one_contact *c, double bound, const double *u, double *r);

#endif
