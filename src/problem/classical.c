/* classical.c - |r - P_K(r - u^)|, the natural map without scales.
 *
 * A contact alone      K and u^ of its law (contact_law.c)
 * with moments m_i     K = { |r_T| <= mu r_N, |m_i| <= mu_i r_N },  u^_N = u_N + mu |u_T| + sum_i mu_i |w_i|
 *                      where its cone is circular, and u^ = u where its law is associated; a polygon and the discs of its
 *                      moments are taken one by one: both are zero at the same solutions.
 *
 * Reference   V. Acary, F. Bourrier, Coulomb friction with rolling resistance as a cone complementarity problem,
 *             Eur. J. Mech. A/Solids 85 (2021)
 * Cost        linear in the rows                                                                      */
#include "problem/classical.h"

#include "math/array.h"
#include "math/cones.h"
#include "problem/contact_law.h"

#include <math.h>

/* the moments of every contact, as lists */
typedef struct moment_lists {
    int *first, *next; /* nc: -1 ends a list */
    int longest;
    double *mu, *length; /* scratch for the parts of one cone */
} moment_lists;

static ss_status list_moments(ss_arena *arena, const ss_problem *p, moment_lists *l)
{
    const size_t n = (size_t)p->nc;
    int *count;
    SS_TRY(ss_arena_take(arena, n, sizeof *l->first, &l->first));
    SS_TRY(ss_arena_take(arena, n, sizeof *l->next, &l->next));
    SS_TRY(ss_arena_take(arena, n, sizeof *count, &count));
    for (int k = 0; k < p->nc; k++) {
        l->first[k] = l->next[k] = -1;
    }
    for (int k = p->nc - 1; k >= 0; k--) {
        if (p->law[k] == SS_LAW_ROLLING) {
            const int host = p->host[k];
            l->next[k] = l->first[host];
            l->first[host] = k;
            count[host]++;
            l->longest = count[host] > l->longest ? count[host] : l->longest;
        }
    }
    SS_TRY(ss_arena_take(arena, (size_t)l->longest + 1, sizeof *l->mu, &l->mu));
    return ss_arena_take(arena, (size_t)l->longest + 1, sizeof *l->length, &l->length);
}

static bool is_round(unsigned law) { return !(law & (SS_LAW_POLYHEDRAL | SS_LAW_ASSOCIATED_POLYHEDRAL)); }

/* |r - u| over some rows */
static double length_of(const double *r, const double *u, int rows)
{
    double sum = 0;
    for (int i = 0; i < rows; i++) {
        sum += (r[i] - u[i]) * (r[i] - u[i]);
    }
    return sqrt(sum);
}

/* |r - P(r - u)|^2 of a part whose r - u is cut from one length to another */
static double part_error(const double *r, const double *u, int rows, double from, double to)
{
    const double factor = from > to ? to / from : 1;
    double sum = 0;
    for (int i = 0; i < rows; i++) {
        const double error = r[i] - factor * (r[i] - u[i]);
        sum += error * error;
    }
    return sum;
}

/* contact k and its moments, one cone */
static double joint_error(const ss_problem *p, const moment_lists *l, int k, const double *r, const double *u)
{
    const int row = p->row[k], tangents = p->row[k + 1] - row - 1;
    const bool slips = p->law[k] == SS_LAW_COULOMB;
    double y = r[row] - u[row] - (slips ? p->mu[k] * ss_array_length(tangents, u + row + 1) : 0);
    int parts = 1;
    l->mu[0] = tangents > 0 ? p->mu[k] : 0;
    l->length[0] = length_of(r + row + 1, u + row + 1, tangents);
    for (int m = l->first[k]; m >= 0; m = l->next[m], parts++) {
        const int first = p->row[m], rows = p->row[m + 1] - first;
        y -= ss_law_lift(p, m, u) > 0 ? 0 : p->mu[m] * ss_array_length(rows, u + first);
        l->mu[parts] = p->mu[m];
        l->length[parts] = length_of(r + first, u + first, rows);
    }
    ss_cone_project_lengths(parts, l->mu, &y, l->length);
    double sum = (r[row] - y) * (r[row] - y);
    sum += part_error(r + row + 1, u + row + 1, tangents, length_of(r + row + 1, u + row + 1, tangents), l->length[0]);
    parts = 1;
    for (int m = l->first[k]; m >= 0; m = l->next[m], parts++) {
        const int first = p->row[m], rows = p->row[m + 1] - first;
        sum += part_error(r + first, u + first, rows, length_of(r + first, u + first, rows), l->length[parts]);
    }
    return sum;
}

ss_status ss_classical_residual(ss_arena *arena, const ss_problem *p, const double *r, const double *u, const double *lifted,
                                double *out)
{
    moment_lists l = { 0 };
    double sum = 0;
    SS_TRY(p->host ? list_moments(arena, p, &l) : SS_OK);
    for (int k = 0; k < p->nc; k++) {
        const bool moment = p->law[k] == SS_LAW_ROLLING, joint = l.first && !moment && l.first[k] >= 0 && is_round(p->law[k]);
        if (joint) {
            sum += joint_error(p, &l, k, r, u);
        } else if (!moment || !is_round(p->law[p->host[k]])) {
            const double map = ss_law_natural_map(p, k, 1, r, lifted);
            sum += map * map;
        }
    }
    *out = sqrt(sum);
    return SS_OK;
}
