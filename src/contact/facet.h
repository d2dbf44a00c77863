/* facet.h - contact of a corner of a shape with a facet of a solid: rows of as many nodes as the facet has. Used inside
 * src/contact. */
#ifndef SS_FACET_H
#define SS_FACET_H

#include "contact/contact.h"

/* What ss_contact_eval, ss_contact_rows and ss_contact_acceleration do for contacts of the kind SS_CONTACT_FACET. */
void ss_facet_eval(const ss_model *m, const ss_config *c, const ss_contact *contact, ss_contact_value *out);
ss_status ss_facet_rows(ss_context *ctx, const ss_model *m, const ss_config *c, const ss_contact *contact,
                        const ss_contact_value *value, bool friction, ss_csr *H, double drive[3], int *rows);
void ss_facet_acceleration(const ss_model *m, const ss_config *c, const ss_contact *contact, const ss_contact_value *value,
                           const double *v, int rows, double *out);
/* Normal velocity or slip (ss_contact_velocity). */
double ss_facet_velocity(const ss_model *m, const ss_config *c, const ss_contact *contact, const ss_contact_value *value, int k,
                         const double *v);

typedef struct ss_facet_finder ss_facet_finder;
ss_status ss_facet_finder_create(ss_context *ctx, const ss_model *m, ss_facet_finder **out);
void ss_facet_finder_destroy(ss_facet_finder *f);
/* Append the contacts of facets whose gap at c is below `reach`, by id. */
ss_status ss_facets_find(ss_facet_finder *f, const ss_config *c, double reach, ss_contact_set *set);

/* A corner that has gone through a facet between two configurations and is behind its element (facet_passed.c); *passed: whether
 * there is one, and *first which. */
ss_status ss_facets_passed(ss_facet_finder *f, const ss_config *from, const ss_config *to, bool *passed, ss_contact *first);
bool ss_facets_move_far(const ss_model *m, const ss_config *from, const ss_config *to);
bool ss_facet_was_passed(const ss_model *m, const ss_config *from, const ss_config *to, const ss_contact *contact);

#endif
