/* strikes.c - impacts that take two steps, and what these may not do meanwhile.
 *
 * An impact with impulses P1 and P2 in two steps, along rows H1 and H2, leads from v to w = v + M^-1 (H1' P1 + H2' P2) with
 * H2 w = -e H2 v. Its work is
 *
 *     (H1' P1 + H2' P2).(v + w)/2  =  (1 - e)/2 (P1 + P2) H2 v  +  P1/2 (H1 - H2)(v + w)
 *
 * The first term is not positive. The second one makes energy from nowhere where a body turns far in a step and
 * |(H1 - H2) v| > (1 - e) |H2 v|. This is looked for in each of the two steps: how far rows turn from its start to where the gap
 * is taken, and from there to its end.
 *
 * Where another impact on one of the bodies begins in the second step, its v is that in the middle of the first impact. Both then
 * leave as their own v says, and the sum of their works has no bound. One after the other they make no energy.
 *
 * An impact without restitution is over in one step, along the rows of where it ends, and its work is P H (v + w)/2. For a body
 * that turns by more than SS_TOL_WHIRL in the step these may be those of any side of it, and the work be positive. It is looked
 * for where rows turn by as much.
 *
 * Impacts count if what they would make is more than SS_TOL_BOUNCE of the energies that the slower one of their bodies has before
 * and after, and rows that turn if they change the approach by SS_TOL_STRIKE_CUT of it.
 *
 * Cost   two evaluations of each contact that is struck, with e > 0 */
#include "schemes/schatzman_paoli/strikes.h"
#include "base/tolerances.h"
#include "math/worse.h"
#include <math.h>

/* A contact of the problem that is pressed. */
typedef struct strike {
    const ss_contact *contact;
    const double
        *v; /* before its impact: the velocity of the last step, or of the state before that where it is the faster one */
    double r, speed, approach; /* impulse; H v; -(H v + drive)           */
    double least;              /* energy that counts                     */
    bool ends;                 /* the last step has pressed it as well   */
} strike;

static strike strike_of(const ss_reflection *x, const ss_assembly *a, int k)
{
    const ss_problem *p = &a->problem;
    const int row = p->row[k];
    const double last = ss_csr_row_dot(&p->H, row, x->past.w), earlier = ss_csr_row_dot(&p->H, row, x->past.before);
    strike s = { .contact = a->contacts.c[k], .r = a->solution.r[row], .speed = fmin(last, earlier) };
    s.v = earlier < last ? x->past.before : x->past.w;
    s.approach = -(s.speed + a->w_drive[row]);
    s.least = SS_TOL_BOUNCE * ss_reflection_energy(x, s.contact, s.v, a->solution.v);
    s.ends = ss_contact_cache_normal(&x->s->next->cache, &s.contact->id) > 0;
    return s;
}

/* the work that a speed gives, if it counts */
static bool counts(const strike *s, double speed) { return 0.5 * s->r * speed > s->least; }

/* Does one of its bodies turn by more than SS_TOL_WHIRL in the substep? */
static bool is_whirling(const ss_reflection *x, const ss_assembly *a, const ss_contact *c)
{
    double turn = 0;
    for (int i = 0; i < 2; i++) {
        ss_vec3 twist[2];
        ss_model_twist(x->s->model, x->substep.here, a->solution.v, c->at[i].body, twist);
        turn = ss_worse(turn, x->substep.h * ss_norm(twist[1]));
    }
    return turn > SS_TOL_WHIRL;
}

/* ---- rows that turn ------------------------------------------------------------------------------- */

/* *turn: |(H_at - H) v|, if that is more than it was */
static ss_status look_at(ss_reflection *x, const strike *s, const ss_config *at, double *turn)
{
    ss_contact_value value;
    double drive[3];
    int rows;
    ss_csr_reset(&x->row, x->s->model->nv);
    SS_TRY(ss_contact_eval(x->s->ctx, x->s->model, at, s->contact, &value));
    SS_TRY(ss_contact_rows(x->s->ctx, x->s->model, at, s->contact, &value, false, &x->row, drive, &rows));
    *turn = fmax(*turn, fabs(ss_csr_row_dot(&x->row, 0, s->v) - s->speed));
    return SS_OK;
}

/* the most by which they do, from the start or to the end */
static ss_status find_turn(ss_reflection *x, const strike *s, const ss_config *end, double *turn)
{
    *turn = 0;
    SS_TRY(look_at(x, s, x->substep.here, turn));
    return look_at(x, s, end, turn);
}

static ss_status turns(ss_reflection *x, const strike *s, const ss_config *end, bool *found)
{
    double turn;
    SS_TRY(find_turn(x, s, end, &turn));
    *found = counts(s, turn - (1 - s->contact->e + SS_TOL_STRIKE_CUT) * s->approach);
    return SS_OK;
}

/* ---- one impact after the other ---------------------------------------------------------------------- */

/* Does an impact of any contact begin while that of s ends? */
static bool is_joined(const ss_reflection *x, const ss_assembly *a, const strike *s)
{
    bool any = false;
    for (int k = 0; s->ends && !any && k < a->problem.nc; k++) {
        const ss_contact *c = a->contacts.c[k];
        if (ss_contact_has_gap(c) && a->solution.r[a->problem.row[k]] > 0 && ss_contacts_share_body(x->s->model, s->contact, c)) {
            const strike other = strike_of(x, a, k);
            any = !other.ends && counts(&other, other.approach);
        }
    }
    return any;
}

/* ---- the verdict --------------------------------------------------------------------------------------- */

static ss_status look_at_bounce(ss_reflection *x, const ss_assembly *a, const strike *s, const ss_config *end, bool *found)
{
    if (s->approach > 0) {
        SS_TRY(turns(x, s, end, found));
        *found = *found || (counts(s, s->approach) && is_joined(x, a, s));
    }
    return SS_OK;
}

/* Does contact k, without restitution, work because its rows turn? */
static ss_status look_at_push(ss_reflection *x, const ss_assembly *a, int k, const strike *s, const ss_config *end, bool *found)
{
    const int row = a->problem.row[k];
    const double before = ss_csr_row_dot(&a->problem.H, row, x->past.w) + a->w_drive[row],
                 after = ss_csr_row_dot(&a->problem.H, row, a->solution.v) + a->w_drive[row];
    if (counts(s, before + after)) {
        double turn;
        SS_TRY(find_turn(x, s, end, &turn));
        *found = counts(s, turn);
    }
    return SS_OK;
}

/* Contacts that may make energy: pressed ones that bounce or whirl. */
static bool is_suspect(const ss_assembly *a, int k, bool whirls)
{
    const ss_contact *c = a->contacts.c[k];
    return ss_contact_has_gap(c) && a->solution.r[a->problem.row[k]] > 0 && (c->e > 0 || whirls);
}

ss_status ss_strikes_look(ss_reflection *x, const ss_assembly *a, const ss_config *end, ss_strikes *out)
{
    *out = (ss_strikes){ 0 };
    for (int k = 0; !out->makes_energy && k < a->problem.nc; k++) {
        const ss_contact *c = a->contacts.c[k];
        out->whirls = is_whirling(x, a, c);
        if (is_suspect(a, k, out->whirls)) {
            const strike s = strike_of(x, a, k);
            SS_TRY(c->e > 0 ? look_at_bounce(x, a, &s, end, &out->makes_energy)
                            : look_at_push(x, a, k, &s, end, &out->makes_energy));
        }
    }
    return SS_OK;
}
