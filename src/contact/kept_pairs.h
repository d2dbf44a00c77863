/* kept_pairs.h - what a search has found of solids that rest on each other, for the next search nearby. */
#ifndef SS_KEPT_PAIRS_H
#define SS_KEPT_PAIRS_H

#include "contact/contact.h"

typedef struct ss_kept_pairs ss_kept_pairs;

ss_status ss_kept_pairs_create(ss_context *ctx, const ss_model *m, ss_kept_pairs **out);
void ss_kept_pairs_destroy(ss_kept_pairs *k);
/* Pairs of shapes that a search has looked at, in the order of their contacts, and the scope of what it has found. */
typedef struct ss_searched_pairs {
    const ss_index_pair *pair;
    ss_manifold_scope *scope;
} ss_searched_pairs;
/* Keep, of the contacts of shapes that a search has found at `c`, those of pairs with FEW of them or more. */
ss_status ss_kept_pairs_keep(ss_kept_pairs *k, const ss_config *c, const ss_contact_set *found,
                             const ss_searched_pairs *searched);
/* From here on pairs are asked for at `c`. */
void ss_kept_pairs_begin(ss_kept_pairs *k, const ss_config *c);
/* The contacts of this pair and their number, if they are those of the configuration begun with too; 0: not known. */
int ss_kept_pairs_ask(const ss_kept_pairs *k, ss_index_pair pair, const ss_contact **contact);
/* The contacts of this pair and their number, if a search with this margin at the configuration begun with, c, finds the same
 * features, and the scope that is left; 0: not known. Their laws are those of then. */
int ss_kept_pairs_last(const ss_kept_pairs *k, const ss_config *c, ss_index_pair pair, double margin, const ss_contact **contact,
                       ss_manifold_scope *scope);
/* The number of a contact that was answered, among all that are kept. */
int ss_kept_pairs_number(const ss_kept_pairs *k, const ss_contact *contact);

#endif
