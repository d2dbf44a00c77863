/* audit.h - does a step make energy from nowhere? Asked by the driver of every segment, whoever made it.
 *
 * The rules are written out in audit.c (forces, sums since the start) and audit_impulses.c (contacts and joints). What a step
 * adds is kept in its account and joins the sums when the step is accepted. */
#ifndef SS_AUDIT_H
#define SS_AUDIT_H

#include "kernels/report.h"
#include "math/csr.h"

/* Of one step, J. */
typedef struct ss_step_audit {
    double made;    /* positive work of contacts and joints that no impact law explains                            */
    double at_hand; /* the energies at hand: kinetic, and of the impulses of the forces; of its largest segment        */
    double noise;   /* what solvers and round-off may make                                                         */
    double allowed; /* the integration error that changes of forces and velocities explain                         */
    double passed; /* absolute works of all that may do work; gyroscopic forces, inertia and the scheme itself may not, nor counts
                    * what the scheme takes back of the others */
    double turned; /* work of gyroscopic impulses that belongs to the contacts and joints which act after them      */
    double lent;   /* >= 0: work of the scheme's own impulses at the end, which the next step takes back            */
    double paid;   /* <= 0: energy that contacts have lost lately; an impact of two steps may take it back      */
    bool beyond;   /* contacts have made more in a segment than their impact law explains                          */
} ss_step_audit;

/* Since the start, J. */
typedef struct ss_audit_sums {
    double error;     /* energy that nothing explains: errors of integration, signed, and what contacts and joints made */
    double exchanged; /* absolute works of all that may do work                                                     */
    double noise;
    double paid;      /* of the last step                      */
    double potential; /* energy of the state that was reached    */
} ss_audit_sums;

/* What the model lets one say. */
typedef struct ss_audit_scope {
    bool changing;       /* there are forces besides gravity                                              */
    bool driven_springs; /* the potential energy depends on time: a spring ends at a driven body           */
    bool driven_dampers; /* a damper ends at a driven body: it may do positive work                        */
    bool potential;      /* every force that has one gives its potential energy: user blocks need not       */
    bool two_steps;      /* an impact of the scheme takes two steps                                        */
} ss_audit_scope;

typedef struct ss_audit {
    ss_audit_scope scope;
    ss_block_factor mass; /* its Cholesky factors                            */
    double *q;            /* nq: where the last segment of the step has ended */
    ss_audit_sums sums;
} ss_audit;

#endif
