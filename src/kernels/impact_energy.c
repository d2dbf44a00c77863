/* impact_energy.c - do impacts create energy because rows turn within a substep?
 *
 * Newton's law compares U' at the rows with U_k at the start. Where rows turn in between, U = H v at the rows is another one than
 * U_k, and an impact creates energy for e <= 1 by
 *
 *     P_N (U_N + U'_N)/2 > 0                     where U + U' is more than a given part of the approach, or
 *     B = P_N (U'_N - max(0, -e U_N))/2          above SS_TOL_BOUNCE of the energy of the lighter body, in an island whose
 * contacts create as much together: the driver's audit would take it for energy from nowhere
 *
 * Contacts that rest are left alone, unless their shapes move far and the scheme asks for it. A substep that is not halved for
 * other reasons is halved only where a body of such a contact whirls: it turns by more than SS_TOL_WHIRL within the substep.
 *
 * Symbols   P impulse, U velocity of a contact at the rows, driven bodies included, before, and U' after it
 * Cost      linear in the entries of H; islands are found only where some B is large */
#include "kernels/impact_energy.h"
#include "base/tolerances.h"
#include "kernels/body_speeds.h"
#include "problem/islands.h"
#include <math.h>

/* U and U' along a row */
typedef struct change {
    double before, after;
} change;

static change along(const ss_struck *x, int row)
{
    const ss_csr *H = &x->a->problem.H;
    const double drive = x->a->w_drive[row];
    return (change){ ss_csr_row_dot(H, row, x->v) + drive, ss_csr_row_dot(H, row, x->a->solution.v) + drive };
}

/* ---- the two measures ------------------------------------------------------------------------------ */

/* the gap of contact k of the survey that counts as closed */
static double touch_of(const ss_struck *x, int k)
{
    return ss_stepper_touch(x->s) * ss_contact_unit(x->s->model, &x->around->near.c[k]);
}

static bool strikes(const ss_struck *x, int k, change u)
{
    const int near = x->which[k];
    const double touch = touch_of(x, near), opens = x->around->gap[near] + x->h * fabs(x->around->approach[near]);
    const bool far = x->around->passing->far[near] && (x->resting || opens > touch);
    const bool comes = far ? x->h * (u.before + u.after) > touch : x->around->approach[near] > x->around->slow[near];
    return comes && x->a->solution.r[x->a->problem.row[k]] > 0;
}

static bool whirls(const ss_struck *x, int k)
{
    const ss_contact *c = x->a->contacts.c[k];
    return ss_body_speeds_turn(x->s->model, x->here, x->a->solution.v, c, x->h) > SS_TOL_WHIRL;
}

static bool turns_round(const ss_struck *x, int k, change u, double allowed)
{
    const int near = x->which[k];
    const double part = x->around->passing->far[near] ? SS_TOL_STRIKE_CUT : allowed;
    return u.before + u.after > part * fmax(x->around->approach[near], 0);
}

/* B */
static double bounce_of(const ss_struck *x, int k, change u)
{
    return 0.5 * x->a->solution.r[x->a->problem.row[k]] * fmax(0, u.after - fmax(0, -x->a->contacts.c[k]->e * u.before));
}

/* ---- energies -------------------------------------------------------------------------------------- */

/* work of all contacts of an island */
static double work_in(const ss_struck *x, const ss_islands *islands, int island)
{
    const ss_problem *p = &x->a->problem;
    double sum = 0;
    for (int k = 0; k < p->nc; k++) {
        const bool counts = islands->of_contact[k] == island && p->law[k] != SS_LAW_BOUNDED;
        for (int row = p->row[k]; counts && row < p->row[k + 1]; row++) {
            const change u = along(x, row);
            sum += 0.5 * x->a->solution.r[row] * (u.before + u.after);
        }
    }
    return sum;
}

/* ---- the verdict ----------------------------------------------------------------------------------- */

/* Does contact k, and its island, make more than `least`? */
static ss_status island_gains(const ss_struck *x, int k, double least, bool *gains)
{
    ss_islands islands;
    SS_TRY(ss_islands_find(x->s->arena, &x->a->problem, &islands));
    *gains = islands.of_contact[k] >= 0 && work_in(x, &islands, islands.of_contact[k]) > least;
    return SS_OK;
}

ss_status ss_impacts_create_energy(const ss_struck *x, double allowed, bool whirling, bool *any)
{
    *any = false;
    for (int k = 0; !*any && k < x->a->problem.nc; k++) {
        const change u = along(x, x->a->problem.row[k]);
        if (!ss_contact_has_gap(x->a->contacts.c[k]) || !strikes(x, k, u) || (whirling && !whirls(x, k))) {
            continue;
        }
        *any = turns_round(x, k, u, allowed);
        const double bounce = *any ? 0 : bounce_of(x, k, u),
                     least = bounce > 0 ? SS_TOL_BOUNCE * ss_assembly_lighter_energy(x->a, k, x->v) : 0;
        SS_TRY(bounce > least ? island_gains(x, k, least, any) : SS_OK);
    }
    return SS_OK;
}
