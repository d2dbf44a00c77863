/* known_gaps.h - gaps of solids where they were measured last, for whoever asks for them at the same place. */
#ifndef SS_KNOWN_GAPS_H
#define SS_KNOWN_GAPS_H

#include "contact/contact.h"

typedef struct ss_known_gaps ss_known_gaps;
ss_status ss_known_gaps_create(ss_context *ctx, const ss_model *m, ss_known_gaps **out);
void ss_known_gaps_destroy(ss_known_gaps *k);

/* Measure the contacts which[0..n-1] of the set, all of shapes, at c (value[n], without tangents), and know them from then on
 * instead of those before; where none is of two solids, nothing is known. */
ss_status ss_known_gaps_measure(ss_known_gaps *k, const ss_config *c, const ss_contact_set *set, int n, const int *which,
                                ss_contact_value *value);
/* Are all bodies where they were when the gaps were measured? */
bool ss_known_gaps_are_at(const ss_known_gaps *k, const ss_config *c);
/* The value of a contact of shapes there, without tangents, looked for first from place *guess >= 0 on, which then is the next
 * one; NULL: it is not known. */
const ss_contact_value *ss_known_gaps_find(const ss_known_gaps *k, const ss_contact *contact, int *guess);

#endif
