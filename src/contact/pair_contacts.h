/* pair_contacts.h - the contacts of two shapes. */
#ifndef SS_PAIR_CONTACTS_H
#define SS_PAIR_CONTACTS_H

#include "contact/contact.h"

/* The contacts of a pair below the reach, sorted, and their number; out NULL: the number alone; sure: it is known that there are
 * some. scope: of what was found; NULL: not wanted */
int ss_pair_contacts_find(const ss_model *m, const ss_config *c, ss_index_pair pair, double reach, bool sure, ss_contact *out,
                          ss_manifold_scope *scope);
/* The same where an earlier search has found `known` and its scope has not been left; laws may be others since. */
void ss_pair_contacts_again(const ss_model *m, const ss_config *c, ss_index_pair pair, int count, const ss_contact *known,
                            ss_contact *out);

#endif
