/* crossing.h - contact of two edges that cross in 3D, one of them of a solid. Used inside src/contact. */
#ifndef SS_CROSSING_H
#define SS_CROSSING_H

#include "contact/contact.h"

/* What ss_contact_eval, ss_contact_rows, ss_contact_velocity and ss_contact_acceleration do for SS_CONTACT_CROSSING. */
void ss_crossing_eval(const ss_model *m, const ss_config *c, const ss_contact *contact, ss_contact_value *out);
ss_status ss_crossing_rows(ss_context *ctx, const ss_model *m, const ss_config *c, const ss_contact *contact,
                           const ss_contact_value *value, bool friction, ss_csr *H, double drive[3], int *rows);
double ss_crossing_velocity(const ss_model *m, const ss_config *c, const ss_contact *contact, const ss_contact_value *value,
                            int k, const double *v);
void ss_crossing_acceleration(const ss_model *m, const ss_config *c, const ss_contact *contact, const ss_contact_value *value,
                              const double *v, int rows, double *out);

typedef struct ss_crossing_finder ss_crossing_finder;
ss_status ss_crossing_finder_create(ss_context *ctx, const ss_model *m, ss_crossing_finder **out);
void ss_crossing_finder_destroy(ss_crossing_finder *f);
/* Append the contacts of edges whose gap at c is below `reach`, by id. */
ss_status ss_crossings_find(ss_crossing_finder *f, const ss_config *c, double reach, ss_contact_set *set);

#endif
