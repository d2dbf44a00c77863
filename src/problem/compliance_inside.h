/* compliance_inside.h - one island under a compliance eps: what compliance.c and compliance_path.c share; for these two alone. */
#ifndef SS_COMPLIANCE_INSIDE_H
#define SS_COMPLIANCE_INSIDE_H

#include "problem/compliance.h"
#include "problem/face.h"

/* the linear equations of the faces at hand, scaled by sqrt(d) of each contact:  (B + eps C) x = g */
typedef struct ss_face_system {
    int n;           /* unknowns                             */
    int *owner;      /* n: contact                           */
    double *B, *C;   /* n x n                                */
    double *g, *x;   /* n                                    */
    double *WP, *Wc; /* rows x n; rows: W times constant impulses, and q */
} ss_face_system;

typedef struct ss_compliance_run {
    ss_compliant *c;
    ss_arena *arena;
    ss_face *face; /* nc */
    ss_face_system system;
    double *next, *best; /* n: impulses of a trial                */
    double scale;        /* of sqrt(d)|r| and |u|/sqrt(d) in the island */
} ss_compliance_run;

ss_status ss_compliance_open(ss_compliance_run *run, ss_arena *arena, ss_compliant *c);
void ss_compliance_velocities(const ss_compliant *c, const double *r, double *u); /* u = W r + q */
/* Largest sqrt(d)|r - map(r - rho (u + eps e r))| of a contact, of the island's scale */
double ss_compliance_error(const ss_compliance_run *run, double eps, const double *r, const double *u);
/* B, C and g of run->face. eps 0: every bend belongs to B; else those that vanish with eps to C. */
void ss_compliance_assemble(ss_compliance_run *run, double eps);
/* r = P x + c */
void ss_compliance_impulses(const ss_compliance_run *run, double *r);
/* The limit on run->face, into c->r, c->u, c->q. *found: it exists, and offsets agree. */
ss_status ss_compliance_limit(ss_compliance_run *run, double eps, bool *found);

#endif
