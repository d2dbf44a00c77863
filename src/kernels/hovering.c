/* hovering.c - a contact that stays open beside closed ones by their errors alone.
 *
 * Schemes that keep a closed contact closed with the gap that it has leave small gaps, or overlaps, at contacts that press. With
 * a face on a plane, those of three corners are that of the fourth:  g_4 = g_1 + g_3 - g_2. Nothing will ever close it, and the
 * load is on three corners, however short the step. So a contact that does not come closer counts as closed if its gap is at most
 * the sum of the sizes of these gaps.
 * Cost   a pass over all contacts of the survey for each one that is at rest and open */
#include "kernels/hovering.h"
#include "base/tolerances.h"
#include <math.h>

static bool is_fixed(const ss_model *m, int body) { return body >= m->bodies || m->body_type[body] == SS_BODY_FIXED; }

/* Do contacts a and b join the same two bodies? All that are fixed are one. */
static bool join_the_same(const ss_model *m, const ss_contact *a, const ss_contact *b)
{
    bool same = true;
    for (int i = 0; i < 2; i++) {
        const int one = a->at[i].body, other = b->at[i].body;
        same = same && (one == other || (is_fixed(m, one) && is_fixed(m, other)));
    }
    return same;
}

bool ss_hovers(const ss_vicinity *v, const ss_model *m, int k, double h, bool (*closed)(const void *user, int k),
               const void *user)
{
    double explained = 0;
    if (v->near.c[k].id.kind != SS_CONTACT_SHAPES || fabs(v->approach[k]) * h > SS_TOL_HOVERS * v->gap[k]) {
        return false;
    }
    for (int j = 0; j < v->near.n; j++) {
        explained += join_the_same(m, &v->near.c[j], &v->near.c[k]) && closed(user, j) ? fabs(v->gap[j]) : 0;
    }
    return v->gap[k] <= explained;
}
