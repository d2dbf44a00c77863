/* euler_turns.c - has an Euler step turned bodies too far for the rows that its contacts acted on?
 *
 *     2 W_k = r_k'(U + U'),   U = H v + drive        work of contact k of the problem, without what undoes an overlap
 *
 * Rows are those of one configuration. Where a body turns by more than SS_TOL_WHIRL within h, a contact may do work that nothing
 * explains, or a body that has bounced off may come back and close instead of striking.
 * Cost   one look at the bodies where none whirls; else linear in the contacts, and their square where work is unexplained */
#include "base/tolerances.h"
#include "kernels/body_speeds.h"
#include "kernels/euler.h"
#include <math.h>

/* Of the energy of the lighter body of a contact: what contacts that push each other make of it is no error of order one any
 * more. */
static const double WILD = 0.5;

/* Twice the work of contact k of the problem: r'(U + U'), with U = H v, friction included. */
static double twice_work(const ss_euler *x, int k)
{
    const ss_assembly *a = x->a;
    double sum = 0;
    for (int i = a->problem.row[k]; i < a->problem.row[k + 1]; i++) {
        const double before = ss_csr_row_dot(&a->problem.H, i, x->start.v) + a->w_drive[i],
                     after = ss_csr_row_dot(&a->problem.H, i, x->end.v) + a->w_drive[i];
        sum += a->solution.r[i] * (before + after);
    }
    return sum;
}

/* Has the impulse of contact k of the problem changed its normal velocity by more than forces do in two steps? */
static bool acts(const ss_euler *x, int k)
{
    const int row = x->a->problem.row[k];
    const double before = ss_csr_row_dot(&x->a->problem.H, row, x->start.v),
                 after = ss_csr_row_dot(&x->a->problem.H, row, x->end.v);
    return after - before > x->around->gain[x->active.which[k]];
}

/* Twice the work of contact k of the problem that nothing explains: less what undoes an overlap of the start, and less the
 * speed, of 1 % of the approach or of two steps of forces, that is too little to matter. */
static double twice_unexplained(const ss_euler *x, int k, double h)
{
    if (k >= x->active.n) { /* a moment */
        return twice_work(x, k);
    }
    const int near = x->active.which[k];
    const double unit = ss_contact_unit(x->s->model, x->a->contacts.c[k]);
    const double undone = fmin(fmax(-x->around->gap[near], 0), ss_euler_push_limit(unit)) / ss_stepper_time_to_undo(x->s, h);
    const double little = fmax(SS_TOL_STRIKE_CUT * fabs(x->around->approach[near]), x->around->gain[near]);
    return twice_work(x, k) - x->a->solution.r[x->a->problem.row[k]] * (undone + fmax(little, ss_euler_dead_zone(x, unit) / h));
}

/* The sum of either over all contacts that have a body in common with contact k: one may press what another pushes. */
static void sum_around(const ss_euler *x, int k, double h, double *work, double *unexplained)
{
    const ss_assembly *a = x->a;
    *work = *unexplained = 0;
    for (int j = 0; j < a->problem.nc; j++) {
        if (ss_contacts_share_body(x->s->model, a->contacts.c[k], a->contacts.c[j])) {
            *work += twice_work(x, j);
            *unexplained += twice_unexplained(x, j, h);
        }
    }
}

/* Where contact k of the problem does work that nothing explains, its rows have turned too far for the velocity at the start,
 * unless others take that work back. A contact that does not act is driven by them: all of theirs must be unexplained then, and
 * more than WILD of the energy of the lighter body. */
static bool creates_energy(const ss_euler *x, int k, double h)
{
    double work, unexplained;
    if (!(twice_unexplained(x, k, h) > 0)) {
        return false;
    }
    sum_around(x, k, h, &work, &unexplained);
    return (acts(x, k) && work > 0) || 0.5 * unexplained > WILD * ss_assembly_lighter_energy(x->a, k, x->start.v);
}

/* Contact k of the problem leaves at the start, faster than forces can change that, and has bounced so: if it comes back within
 * h, it has to strike and not to close. */
static bool has_bounced(const ss_euler *x, int k, double h)
{
    const int near = x->active.which[k];
    const double leaves = -x->around->approach[near];
    return x->a->contacts.c[k]->e > 0 && leaves > x->around->gain[near] &&
           h * leaves > SS_TOL_FITS * ss_contact_unit(x->s->model, x->a->contacts.c[k]);
}

static bool whirls(const ss_euler *x, const ss_contact *c, double h)
{
    return ss_body_speeds_turn(x->s->model, &x->start.here, x->end.v, c, h) > SS_TOL_WHIRL;
}

/* Does any body turn that far? Most often none does, and contacts need not be asked. */
static bool something_whirls(const ss_euler *x, double h)
{
    bool any = false;
    for (int b = 0; !any && b < x->s->model->bodies; b++) {
        ss_vec3 twist[2];
        ss_model_twist(x->s->model, &x->start.here, x->end.v, b, twist);
        any = h * ss_norm(twist[1]) > SS_TOL_WHIRL;
    }
    return any;
}

bool ss_euler_turns_too_far(const ss_euler *x, double h)
{
    const ss_assembly *a = x->a;
    bool any = false;
    if (!something_whirls(x, h)) {
        return false;
    }
    for (int k = 0; !any && k < a->problem.nc; k++) {
        const ss_contact *c = a->contacts.c[k];
        any = c->id.kind == SS_CONTACT_SHAPES && a->solution.r[a->problem.row[k]] > 0 && whirls(x, c, h) &&
              (has_bounced(x, k, h) || creates_energy(x, k, h));
    }
    return any;
}
