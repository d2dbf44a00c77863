/* moment.h - moments of rolling and spinning friction, which act between the bodies of a contact of shapes. */
#ifndef SS_MOMENT_H
#define SS_MOMENT_H

#include "contact/contact.h"

/* How many numbers a moment has: rolling 2, in 2D 1; spinning 1. */
int ss_moment_rows_of(const ss_model *m, const ss_contact *moment);
/* The axis of number k: rolling along a tangent (2D: z), spinning along the normal. */
ss_vec3 ss_moment_axis(const ss_model *m, const ss_contact *moment, const ss_contact_value *value, int k);
/* What ss_contact_rows does for SS_CONTACT_ROLLING and _SPINNING. */
ss_status ss_moment_rows(ss_context *ctx, const ss_model *m, const ss_config *c, const ss_contact *moment,
                         const ss_contact_value *value, ss_csr *H, double drive[3], int *rows);

/* |u| of the moment of this kind of a contact of shapes, with velocities v, without making its rows. */
double ss_moment_speed(const ss_model *m, const ss_config *c, const ss_contact *moment, const ss_contact_value *value,
                       const double *v);

#endif
