/* swept_pairs.c - the list of pairs that a look along a path has found, sorted by their shapes.
 *
 * Cost   finding one: the logarithm of their number */
#include "contact/passage.h"

void ss_swept_pairs_free(ss_context *ctx, ss_swept_pairs *list)
{
    ss_free(ctx, list->pair);
    *list = (ss_swept_pairs){ 0 };
}

ss_swept_pair *ss_swept_pairs_find(const ss_swept_pairs *list, int a, int b)
{
    int lo = 0, hi = list->n;
    while (lo < hi) {
        const int mid = lo + (hi - lo) / 2;
        ss_swept_pair *here = &list->pair[mid];
        if (here->a == a && here->b == b) {
            return here;
        }
        const bool less = here->a < a || (here->a == a && here->b < b);
        lo = less ? mid + 1 : lo;
        hi = less ? hi : mid;
    }
    return NULL;
}
