/* sweep_general.h - visits of contacts that are not packed: any number of bodies, any law, moments; for sweep_visits.c. */
#ifndef SS_SWEEP_GENERAL_H
#define SS_SWEEP_GENERAL_H

#include "problem/packed_visits.h"
#include "problem/sweep_inside.h"

/* What visits of an island work on. */
typedef struct ss_visits {
    const ss_sweep *s;
    ss_sweep_form form;
    double *r;            /* impulses, as ss_sweep_contacts.at has their places */
    const double *before; /* the same before the pass; NULL: not known          */
    ss_packed_seen *seen; /* by the piece that is visited                       */
} ss_visits;

/* Visit the contact at position k. */
void ss_general_visit(const ss_visits *v, int k);
/* Its velocity, without s. */
void ss_general_velocity(const ss_visits *v, int k, double *u);
/* Velocity form: the velocities change by what impulses dr of the contact at position k do. */
void ss_general_push(const ss_sweep *s, int k, const double *dr);
/* From here on a contact with a round cone is visited together with the moments that lift it. */
void ss_general_put_together(const ss_sweep *s, int k);

#endif
