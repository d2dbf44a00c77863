/* alm_links.c - how moments of rolling friction and the contacts that bound them act on each other, in the matrix of
 * alm_newton.c.
 *
 *   moment       r_m = P(y_m, b), b = mu_m r_N of its host h:     -dr_m/du_h = mu_m w D_h(N, .),   w = dP/db
 *   lifted host  associated law, y_N + (k/d_h) mu_m |u_m|:        -dr_h/du_m = -mu_m D_h(., N) e',  e = u_m/|u_m|
 *   both         moments m, l of such a host, m = l too:          -dr_m/du_l = -mu_m mu_l w_m D_h(N, N) e_l'
 *
 * Symbols   D_h = -dr_h/du_h; w is y_m/|y_m| where the moment is at its bound, else 0
 * Cost      linear in the number of moments                                                         */
#include "problem/contact_law.h"
#include "solvers/alm/alm_inside.h"

#include <math.h>

static bool is_moment(const ss_problem *p, int g) { return g < p->nc && p->law[g] == SS_LAW_ROLLING; }

static bool is_lifted(const ss_problem *p, int host) { return p->law[host] & (SS_LAW_ASSOCIATED | SS_LAW_ASSOCIATED_POLYHEDRAL); }

/* ---- which groups --------------------------------------------------------------------------------- */

/* moments of every contact as lists: of contact k the first one, of a moment the next one; -1: none */
static ss_status list_moments(ss_alm_run *run, int **next)
{
    const ss_problem *p = run->problem;
    SS_TRY(ss_arena_take_raw(run->work->arena, (size_t)p->nc, sizeof **next, next));
    for (int k = 0; k < p->nc; k++) {
        (*next)[k] = -1;
    }
    for (int k = p->nc - 1; k >= 0; k--) {
        if (is_moment(p, k)) {
            (*next)[k] = (*next)[p->host[k]];
            (*next)[p->host[k]] = k;
        }
    }
    return SS_OK;
}

static bool put_link(int (*at)[2], int k, int g, int h)
{
    if (at) {
        at[k][0] = g;
        at[k][1] = h;
    }
    return true;
}

/* the links of contact g into at[0], at[1], ..; returns how many. at NULL: they are counted only */
static int links_of(const ss_problem *p, const int *next, int g, int (*at)[2])
{
    const int host = is_moment(p, g) ? p->host[g] : g;
    int count = 0;
    for (int m = is_lifted(p, host) ? next[host] : -1; m >= 0; m = next[m]) {
        count += m != g && put_link(at, count, g, m);
    }
    return count + (host != g && put_link(at, count, g, host));
}

ss_status ss_alm_find_links(ss_alm_run *run)
{
    const ss_problem *p = run->problem;
    int *next, count = 0;
    run->rows.links = 0;
    if (!p->host) {
        return SS_OK;
    }
    SS_TRY(list_moments(run, &next));
    for (int g = 0; g < p->nc; g++) {
        run->rows.links += links_of(p, next, g, NULL);
    }
    SS_TRY(ss_arena_take_raw(run->work->arena, (size_t)run->rows.links, sizeof *run->rows.link, &run->rows.link));
    for (int g = 0; g < p->nc; g++) {
        count += links_of(p, next, g, run->rows.link + count);
    }
    return SS_OK;
}

/* ---- their blocks ---------------------------------------------------------------------------------- */

/* mu u/|u| of moment m */
static void find_turn(const ss_alm_run *run, int m, double e[2])
{
    const ss_problem *p = run->problem;
    const double *u = run->scratch.u + p->row[m], speed = hypot(u[0], p->row[m + 1] - p->row[m] == 2 ? u[1] : 0);
    e[0] = e[1] = 0;
    for (int i = 0; speed > 0 && i < p->row[m + 1] - p->row[m]; i++) {
        e[i] = p->mu[m] * u[i] / speed;
    }
}

/* E of moment g by its host */
static void put_bound(const ss_alm_run *run, int g, int h, const double *D, double *E)
{
    const ss_problem *p = run->problem;
    const int rows = p->row[g + 1] - p->row[g], across = p->row[h + 1] - p->row[h];
    for (int i = 0; i < rows * across; i++) {
        E[i] = p->mu[g] * run->scratch.wider[2 * g + i / across] * D[9 * h + i % across];
    }
}

/* E of a contact or moment g by a moment h that lifts: the host of both */
static void put_lift(const ss_alm_run *run, int g, int h, const double *D, double *E)
{
    const ss_problem *p = run->problem;
    const int rows = p->row[g + 1] - p->row[g], across = p->row[h + 1] - p->row[h], host = p->host[h];
    const int stride = p->row[host + 1] - p->row[host];
    double e[2];
    find_turn(run, h, e);
    for (int i = 0; i < rows * across; i++) {
        const double own = is_moment(p, g) ? p->mu[g] * run->scratch.wider[2 * g + i / across] * D[9 * host]
                                           : D[9 * host + stride * (i / across)];
        E[i] = -own * e[i % across];
    }
}

void ss_alm_put_links(const ss_alm_run *run, double *D)
{
    const ss_problem *p = run->problem;
    for (int l = 0; l < run->rows.links; l++) {
        const int g = run->rows.link[l][0], h = run->rows.link[l][1];
        double *E = D + 9 * (run->rows.groups + l);
        if (is_moment(p, h)) {
            put_lift(run, g, h, D, E);
        } else {
            put_bound(run, g, h, D, E);
        }
    }
    for (int g = 0; p->host && g < p->nc; g++) { /* a moment by itself */
        const int rows = p->row[g + 1] - p->row[g];
        double E[4];
        if (is_moment(p, g) && is_lifted(p, p->host[g])) {
            put_lift(run, g, g, D, E);
            for (int i = 0; i < rows * rows; i++) {
                D[9 * g + i] += E[i];
            }
        }
    }
}
