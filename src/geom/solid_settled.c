/* solid_settled.c - solids that rest on each other: what their gaps prove.
 *
 * Solids that rest on each other need no axes of edges. Let the gaps of the face case be at places x_k, all |gap| <= g, the
 * deepest of them as deep as the face says, and w the least width of the places. A has points within g of every x_k and so has
 * B, so along a direction at the angle phi to n the separation is at most  3 g - w sin phi.  With w > 1e4 g only directions
 * with sin phi < 1e-3 are left, and those are not better than the deepest gap times cos phi; along -n, the middles of the
 * solids overlap.
 *
 * Play.  Such a manifold is that of all places nearby. All that decides on it is the sign of some length: every such length, or a
 * bound below it, is noted, and the least of them is d. When points of the solids move to each other by no more than m, a length
 * changes by 4 m at most; angles are taken times an eighth of the smaller size, and where lines cross, whose feet move by up to
 * 10 m / sin^2, lengths times sin^2 / 4. So with 4 m + rounding < d nothing is decided otherwise. Heights and gaps, which are
 * compared with the margin, are noted apart.
 *
 * Symbols   A, B  solids 0 and 1; n  normal of the ruling face
 * Cost      pairs of gaps */
#include "geom/gap_search.h"

static const double TOWARDS = 1e-2; /* cosine from which on a normal leads from one middle to the other                 */

/* is there no gap yet that is as deep, or as near, as the solids are? */
bool ss_search_is_wanting(ss_gap_search *c, double separation)
{
    double least = INFINITY;
    for (int k = c->before; k < c->into.out->n; k++) {
        least = fmin(least, c->into.gap[k]);
    }
    ss_search_note(c, least - (separation - c->two->radius + c->two->tol));
    return least > separation - c->two->radius + c->two->tol;
}

/* the least width of the gaps' places, at least: the altitude over the longest of their distances */
static double places_width(const ss_gap_search *c)
{
    const ss_vec3 *at = c->into.at + c->before;
    const int n = ss_search_found(c);
    ss_vec3 from = at[0], along = { 0, 0, 0 };
    double longest = 0, widest = 0;
    for (int i = 0; i < n; i++) {
        for (int j = i + 1; j < n; j++) {
            const ss_vec3 d = ss_sub(at[j], at[i]);
            if (ss_dot(d, d) > longest) {
                longest = ss_dot(d, d);
                from = at[i];
                along = d;
            }
        }
    }
    for (int i = 0; i < n && longest > 0; i++) {
        const ss_vec3 across = ss_cross(along, ss_sub(at[i], from));
        widest = fmax(widest, ss_dot(across, across) / longest);
    }
    return sqrt(widest);
}

static double largest_gap(const ss_gap_search *c)
{
    double most = 0;
    for (int k = c->before; k < c->into.out->n; k++) {
        most = fmax(most, fabs(c->into.gap[k]));
    }
    return most;
}

/* Do the gaps prove that no axis of edges is better? See above. */
bool ss_search_is_settled(ss_gap_search *c, double separation)
{
    const ss_solid *A = &c->two->s[0], *B = &c->two->s[1];
    const double per_gap = 1e4, limit = per_gap * (largest_gap(c) + c->two->tol);
    if (ss_search_found(c) < 3 || c->two->radius > 0 || ss_search_is_wanting(c, separation)) {
        return false;
    }
    /* where another distance becomes the longest, the altitude over it is a quarter at least */
    const double width = places_width(c);
    ss_search_note(c, fmax(0, width / 8 - limit) / per_gap);
    if (!(width > limit)) {
        return false;
    }
    const ss_vec3 apart = ss_sub(ss_point_to_world(A->place, A->p->middle), ss_point_to_world(B->place, B->p->middle));
    ss_search_note(c, ss_dot(apart, c->n) - TOWARDS * ss_norm(apart));
    return ss_dot(apart, c->n) > TOWARDS * ss_norm(apart);
}

/* The manifold is that of solids that rest on each other: its scope, if it is made of corners over faces alone. */
void ss_search_set_scope(ss_gap_search *c)
{
    const double tol = c->two->tol, play = 0.25 * fmin(c->scope.play, tol) - 0.125 * tol;
    bool lasting = play > 0 && ss_search_found(c) < SS_MANIFOLD_MAX;
    for (int k = c->before; k < c->into.out->n; k++) {
        const ss_gap *gap = &c->into.out->gap[k];
        lasting = lasting && gap->kind == SS_GAP_POINT_PLANE && gap->from.shape[0];
    }
    c->scope = (ss_manifold_scope){ lasting ? play : 0, c->scope.above + 2 * tol, c->scope.below - 2 * tol };
}
