/* separation.c - the smallest displacement, by mass, after which nothing overlaps and the joints are satisfied.
 *
 *     q' = q (+) dq,   M dq = H' tau + G' mu,   0 <= g(q')  _|_  tau >= 0,   joints: g(q') = 0           [Aca09 eq. 19b, e]
 *
 * dq is found by Newton's method (newton.h): rows and gaps at q (+) dq0, a contact problem with u = H dq + g - H dq0, dq0 <- dq,
 * until, within the tolerance, no contact overlaps, every contact with tau > 0 has a gap of zero, and every joint is satisfied.
 *
 * Restoration.  The iteration leaves out how tau turns the rows. So it converges linearly, by about the angle through which dq
 * turns a body, and may not have converged after CORRECTIONS problems. Then every further problem asks for the smallest
 * displacement from where positions are, not from where they were:
 *
 *     M d = H' tau + G' mu,   0 <= H d + g  _|_  tau >= 0,   G d = -g,       q' <- q' (+) d
 *
 * which converges quadratically to positions without overlap. They are the nearest ones up to O(dq^2).
 *
 * Linearised, open contacts may forbid what they allow: the corner beside a hinge at half the height of its link comes down to
 * the floor when the link is laid flat, and goes no deeper. So where a problem has no solution, it is posed with the contacts
 * that overlap alone; those that this closes too far are in the next one. If there is no solution either (a body wedged in), the
 * overlap stays, and the step has the remark `overlap`. */
#include "kernels/separation.h"
#include "kernels/blocked.h"
#include "math/newton.h"
#include "math/worse.h"
#include <math.h>

enum { CORRECTIONS = 8, RESTORATIONS = 30 };

struct ss_separation {
    ss_assembly *at;     /* joints and contacts where positions are at hand */
    ss_blocked *blocked; /* contacts that no displacement opens */
    ss_contact_set near;
    ss_csr G; /* joints where positions were measured */
    /* of the call under way */
    ss_stepper *s;
    ss_overlapping_state what;
    const double *q0;   /* where positions were      */
    ss_config c;        /* where they are now        */
    double *g, *unused; /* nj, 2 nj                  */
    double deepest;     /* overlap there             */
    ss_contact worst;   /* the contact that has it   */
    double reach;       /* within which contacts matter */
    bool pushed;        /* a problem has been solved */
    bool restoring;     /* displacements count from where positions are now */
};

ss_status ss_separation_create(ss_context *ctx, const ss_model *m, ss_separation **out)
{
    SS_TRY(ss_calloc(ctx, 1, sizeof **out, out));
    ss_status status = ss_assembly_create(ctx, m, &(*out)->at);
    status = status != SS_OK ? status : ss_blocked_create(ctx, m, &(*out)->blocked);
    if (status != SS_OK) {
        ss_separation_destroy(ctx, *out);
        *out = NULL;
    }
    return status;
}

void ss_separation_destroy(ss_context *ctx, ss_separation *x)
{
    if (x) {
        ss_assembly_destroy(ctx, x->at);
        ss_blocked_destroy(x->blocked);
        ss_contacts_free(ctx, &x->near);
        ss_csr_free(ctx, &x->G);
        ss_free(ctx, x);
    }
}

static bool counts(const ss_overlapping_state *what, const ss_contact *contact, double outside)
{
    return contact->id.kind != SS_CONTACT_MOTOR && outside <= 0 && contact->e <= what->e;
}

bool ss_separation_is_due(const ss_overlapping_state *what, const ss_model *m, const ss_vicinity *around)
{
    bool due = false;
    for (int k = 0; k < around->near.n; k++) {
        const ss_contact *c = &around->near.c[k];
        due = due || (counts(what, c, around->outside[k]) && around->gap[k] < -what->touch * ss_contact_unit(m, c));
    }
    return due;
}

/* ---- how far off a displacement is --------------------------------------------------------------- */

static void note_depth(ss_separation *x, const ss_contact *contact, double depth)
{
    if (!(depth <= x->deepest)) {
        x->deepest = ss_worse(x->deepest, depth);
        x->worst = *contact;
    }
}

/* Everything nearer than the reach that lies on its features, and the largest overlap, in units of the gap. */
static ss_status look(ss_separation *x)
{
    const ss_model *m = x->s->model;
    int n = 0;
    x->deepest = 0;
    SS_TRY(ss_finder_find(x->s->finder, &x->c, x->reach, &x->near));
    SS_TRY(ss_blocked_leave_out(x->blocked, &x->c, &x->near));
    for (int k = 0; k < x->near.n; k++) {
        const ss_contact *contact = &x->near.c[k];
        ss_contact_value value;
        SS_TRY(ss_contact_eval(x->s->ctx, m, &x->c, contact, &value));
        if (counts(&x->what, contact, value.outside)) {
            note_depth(x, contact, -value.gap / ss_contact_unit(m, contact));
            x->near.c[n++] = *contact;
        }
    }
    x->near.n = n;
    return SS_OK;
}

/* The largest gap, in its unit, of what was pushed open. */
static ss_status find_overshoot(const ss_separation *x, double *largest)
{
    const ss_assembly *a = x->at;
    *largest = 0;
    for (int k = 0; x->pushed && !x->restoring && k < a->problem.nc; k++) {
        ss_contact_value value;
        SS_TRY(ss_contact_eval(x->s->ctx, x->s->model, &x->c, a->contacts.c[k], &value));
        *largest = ss_worse(*largest, a->solution.r[k] > 0 ? value.gap / ss_contact_unit(x->s->model, a->contacts.c[k]) : 0);
    }
    return SS_OK;
}

/* of the joints, in their units, once something has been moved */
static ss_status find_opening(ss_separation *x, double *largest)
{
    const ss_model *m = x->s->model;
    *largest = 0;
    if (!x->pushed) {
        return SS_OK;
    }
    SS_TRY(ss_model_joints(x->s->ctx, m, &x->c, x->g, &x->G, x->unused, x->unused + m->nj));
    for (int i = 0; i < m->nj; i++) {
        *largest = ss_worse(*largest, m->row_motor[i] ? 0 : fabs(x->g[i]) / m->row_unit[i]);
    }
    return SS_OK;
}

/* Which contacts overlap. */
static ss_status find_overlapping(const ss_separation *x, uint64_t *set)
{
    *set = 1;
    for (int k = 0; k < x->near.n; k++) {
        ss_contact_value value;
        SS_TRY(ss_contact_eval(x->s->ctx, x->s->model, &x->c, &x->near.c[k], &value));
        if (value.gap < -x->what.touch * ss_contact_unit(x->s->model, &x->near.c[k])) {
            *set = ss_hash(*set, &x->near.c[k].id, sizeof x->near.c[k].id);
        }
    }
    return SS_OK;
}

static ss_status measure(void *user, const double *dq, double *residual, uint64_t *branch)
{
    ss_separation *x = user;
    double opening, overshoot;
    ss_model_retract(x->s->model, x->q0, dq, 1, x->what.q);
    ss_config_set(x->s->model, x->what.t, x->what.q, &x->c);
    SS_TRY(look(x));
    SS_TRY(find_opening(x, &opening));
    SS_TRY(find_overshoot(x, &overshoot));
    *residual = ss_worse(ss_worse(x->deepest, overshoot), opening);
    return find_overlapping(x, branch);
}

/* ---- the problem --------------------------------------------------------------------------------- */

/* How far dq0 has moved what row i of a matrix measures; 0 where displacements count from there. */
static double moved_by(const ss_separation *x, const ss_csr *rows, int i, const double *dq0)
{
    return x->restoring ? 0 : ss_csr_row_dot(rows, i, dq0);
}

/* A gap or joint error, 0 within the tolerance: round-off of rows that depend on each other must not make them contradict. */
static double beyond(const ss_separation *x, double error, double unit)
{
    return fabs(error) <= x->what.touch * unit ? 0 : error;
}

/* u = H dq + (g - H dq0), joints G dq = G dq0 - g, where dq0 is how far positions have been moved; without dq0 in a restoration
 */
static ss_status pose(ss_separation *x, const double *dq0)
{
    const ss_model *m = x->s->model;
    ss_assembly *a = x->at;
    ss_problem *p = &a->problem;
    SS_TRY(ss_assembly_geometry(a, &x->c, &x->near, x->near.n, NULL, (ss_friction){ .law = SS_LAW_UNILATERAL }, 0));
    for (int k = 0; k < p->nc; k++) {
        p->w[k] = beyond(x, a->value[k]->gap, ss_contact_unit(m, a->contacts.c[k])) - moved_by(x, &p->H, k, dq0);
    }
    for (int i = 0; i < p->nj; i++) {
        p->c[i] = m->row_motor[i] ? 0 : moved_by(x, &p->G, i, dq0) - beyond(x, a->g[i], m->row_unit[i]);
    }
    return SS_OK;
}

/* Where the solution of the problem leads to: it is dq, or in a restoration what dq changes by (config.c, chart). */
static void put_target(const ss_separation *x, const double *dq, double *target)
{
    const ss_model *m = x->s->model;
    if (!x->restoring) {
        memcpy(target, x->at->solution.v, (size_t)m->nv * sizeof *target);
        return;
    }
    ss_model_chart_rate(m, dq, x->at->solution.v, target);
    for (int i = 0; i < m->nv; i++) {
        target[i] += dq[i];
    }
}

/* Leave what overlaps in the set of what is near; *fewer: something else was there. */
static ss_status leave_out_open(ss_separation *x, bool *fewer)
{
    int n = 0;
    for (int k = 0; k < x->near.n; k++) {
        ss_contact_value value;
        SS_TRY(ss_contact_eval(x->s->ctx, x->s->model, &x->c, &x->near.c[k], &value));
        if (value.gap < -x->what.touch * ss_contact_unit(x->s->model, &x->near.c[k])) {
            x->near.c[n++] = x->near.c[k];
        }
    }
    *fewer = n < x->near.n;
    x->near.n = n;
    return SS_OK;
}

/* The problem with what is near; *solved: it has a solution. */
static ss_status solve(ss_separation *x, const double *dq, bool *solved)
{
    SS_TRY(pose(x, dq));
    SS_TRY(ss_assembly_try(x->at, x->s, NULL));
    x->s->report->newton(x->s->report, 1);
    *solved = x->at->info.outcome == SS_CONVERGED;
    return SS_OK;
}

/* *found false: there is no way out */
static ss_status improve(void *user, const double *dq, double *target, bool *found)
{
    ss_separation *x = user;
    bool fewer = false;
    x->reach = fmax(x->reach, 2 * x->deepest * x->s->model->length); /* contacts that may close when bodies move apart */
    SS_TRY(look(x));
    SS_TRY(solve(x, dq, found));
    SS_TRY(*found ? SS_OK : leave_out_open(x, &fewer));
    SS_TRY(fewer ? solve(x, dq, found) : SS_OK);
    x->pushed = x->pushed || *found;
    put_target(x, dq, target);
    return SS_OK;
}

/* ---- the whole ----------------------------------------------------------------------------------- */

static ss_status report(const ss_separation *x)
{
    const ss_segment_end from = { .t = x->what.t, .q = x->q0, .v = x->what.v },
                         to = { .t = x->what.t, .q = x->what.q, .v = x->what.v };
    ss_segment segment = ss_assembly_segment(x->at, from, to);
    segment.level = SS_LEVEL_POSITION;
    return x->s->report->segment(x->s->report, &segment);
}

static ss_status begin(ss_separation *x, ss_stepper *s, const ss_overlapping_state *what, double **dq)
{
    const ss_model *m = s->model;
    double *q0;
    SS_TRY(ss_arena_take(s->arena, (size_t)m->nq, sizeof *q0, &q0));
    SS_TRY(ss_arena_take(s->arena, (size_t)m->nv, sizeof **dq, dq));
    SS_TRY(ss_arena_take(s->arena, (size_t)m->nj, sizeof *x->g, &x->g));
    SS_TRY(ss_arena_take(s->arena, 2 * (size_t)m->nj, sizeof *x->unused, &x->unused));
    SS_TRY(ss_config_take(s->arena, m, &x->c));
    memcpy(q0, what->q, (size_t)m->nq * sizeof *q0);
    x->s = s;
    x->what = *what;
    x->q0 = q0;
    x->reach = 0;
    x->pushed = false;
    return SS_OK;
}

static ss_status displace(ss_separation *x, bool restoring, double *dq, ss_newton_result *result)
{
    const ss_newton_problem problem = { x->s->model->nv, x, measure, improve, NULL };
    const ss_newton_options options = { .tol = x->what.touch, .iterations = restoring ? RESTORATIONS : CORRECTIONS };
    x->restoring = restoring;
    return ss_newton(x->s->arena, &problem, &options, dq, result);
}

ss_status ss_separation_apply(ss_separation *x, ss_stepper *s, const ss_overlapping_state *what)
{
    ss_newton_result result;
    double *dq;
    SS_TRY(begin(x, s, what, &dq));
    SS_TRY(displace(x, false, dq, &result));
    const bool moved = result.iterations > 0;
    if (moved && !result.converged) {
        SS_TRY(displace(x, true, dq, &result));
    }
    if (!result.converged && !(x->deepest <= what->touch)) {
        s->report->remark(s->report, SS_REMARK_OVERLAP, &x->worst);
    }
    if (!moved) {
        memcpy(what->q, x->q0, (size_t)s->model->nq * sizeof *what->q);
        return SS_OK;
    }
    return report(x);
}
