/* compliance_inside.h - one island under a compliance eps: what compliance.c and compliance_path.c share; for these two alone. */
#ifndef SS_COMPLIANCE_INSIDE_H
#define SS_COMPLIANCE_INSIDE_H

#include "problem/compliance.h"

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
