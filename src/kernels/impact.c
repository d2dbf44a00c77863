/* impact.c - two-phase impact with friction, and its one-problem relatives.
 *
 *   compression     M (v^c - v^-) = G' lam + H' r^c,   laws of a step with h = 0          [AP97 eq. 3.1, 3.2]
 *   decompression   M (v^+ - v^c) = G' lam + H' r^x + F^r,  F^r = sum e_j n_j r^c_N,j    [AP97 eq. 3.3-3.5]
 *                   friction in r^x is bounded by mu times the extra r^x_N alone
 *   simplified      v^+ = (1 + e) v^c - e v^-                                             [AP97 section 3.2]
 *                   (the printed law lacks the e before v^-; energy cannot grow, Lemma 3.1)
 *   newton          one problem with u_N^+ + e u_N^- >= 0  _|_  r_N >= 0; if it has none, the same with e = 0.
 *                   Without friction and with one e for all contacts, T^+ - T^- = -(1 - e)/(1 + e) |v^+ - v^-|_M^2/2: that
 *                   holds because u_N^- counts with its sign. A contact that leaves may be brought back by another one, with
 *                   at most e times the speed at which it left. Then it strikes in turn: the law is applied again.
 *
 * The simplified law has one e: the smallest among the contacts that approach. If it leaves a contact
 * that still approaches (one that was separating before), one more inelastic problem is solved from v^+:
 * its energy inequality [AP97 eq. 2.22 with h = 0] keeps Lemma 3.1 true.
 * Poisson's law with friction can create energy: the driver counts it from the event's kinetic energies. */
#include "kernels/impact.h"
#include "base/tolerances.h"
#include "problem/contact_law.h"
#include <math.h>

typedef struct impact {
    ss_stepper *s;
    ss_assembly *a;
    const ss_config *c;
    double *v;        /* current velocity                    */
    double *v_before; /* at the start of the current phase    */
    double *v_minus, *v_compression;
    double *compression, *total; /* nr: impulses                        */
    double *given;               /* nr: restitution impulses             */
    double kinetic[3];
} impact;

static ss_status take(impact *x)
{
    size_t nv = (size_t)x->a->problem.nv, nr = (size_t)x->a->problem.row[x->a->problem.nc];
    double **velocities[] = { &x->v_before, &x->v_minus, &x->v_compression },
           **impulses[] = { &x->compression, &x->total, &x->given };
    for (int i = 0; i < 3; i++) {
        SS_TRY(ss_arena_take(x->s->arena, nv, sizeof(double), velocities[i]));
        SS_TRY(ss_arena_take(x->s->arena, nr, sizeof(double), impulses[i]));
    }
    memcpy(x->v_minus, x->v, nv * sizeof(double));
    return SS_OK;
}

static ss_status find_kinetic(const impact *x, const double *v, double *out)
{
    return ss_model_kinetic(x->s->ctx, x->s->model, x->c->t, x->c->q, v, out);
}

/* Report the jump from v_before to v with what the assembly's solution holds. */
static ss_status report_jump(impact *x, const double *given, const ss_solver_info *info)
{
    const ss_segment_end from = { .t = x->c->t, .q = x->c->q, .v = x->v_before }, to = { .t = x->c->t, .q = x->c->q, .v = x->v };
    ss_segment segment = ss_assembly_segment(x->a, from, to);
    segment.info = info;
    segment.parts.r_given = given;
    return x->s->report->segment(x->s->report, &segment);
}

/* b from the current velocity plus given impulses; nothing is known of the solution */
static void begin_phase(impact *x, const double *given)
{
    ss_assembly *a = x->a;
    memcpy(x->v_before, x->v, (size_t)a->problem.nv * sizeof *x->v);
    ss_assembly_momentum(a, x->v, NULL);
    if (given) {
        ss_csr_transpose_times(&a->problem.H, 1, given, 1, a->problem.b);
    }
    a->solution.warm = false;
}

/* the problem that has been solved is what happened */
static ss_status end_phase(impact *x, const double *given)
{
    ss_assembly *a = x->a;
    SS_TRY(ss_assembly_require_solution(a, x->c->t));
    memcpy(x->v, a->solution.v, (size_t)a->problem.nv * sizeof *x->v);
    for (int i = 0; i < a->problem.row[a->problem.nc]; i++) {
        x->total[i] += a->solution.r[i] + (given ? given[i] : 0);
    }
    return report_jump(x, given, &a->info);
}

/* One problem with h = 0; w is set by the caller. */
static ss_status solve_phase(impact *x, const double *given)
{
    begin_phase(x, given);
    SS_TRY(ss_assembly_solve(x->a, x->s, x->v_before, 0));
    return end_phase(x, given);
}

/* v^c is that of the problem just solved, r^c the sum of all so far */
static ss_status keep_compression(impact *x)
{
    memcpy(x->compression, x->total, (size_t)x->a->problem.row[x->a->problem.nc] * sizeof *x->compression);
    memcpy(x->v_compression, x->v, (size_t)x->a->problem.nv * sizeof *x->v);
    return find_kinetic(x, x->v, &x->kinetic[1]);
}

/* [AP97 eq. 3.2] */
static ss_status compress(impact *x)
{
    SS_TRY(solve_phase(x, NULL));
    return keep_compression(x);
}

/* F^r, then the problem of the extra impulses [AP97 eq. 3.3-3.5] */
static ss_status decompress(impact *x, const double *e)
{
    const ss_problem *p = &x->a->problem;
    double largest = 0;
    for (int k = 0; k < p->nc; k++) {
        bool unilateral = ss_law_has_normal(p->law[k]); /* motors and moments give nothing back */
        x->given[p->row[k]] = unilateral ? e[k] * x->compression[p->row[k]] : 0;
        largest = fmax(largest, x->given[p->row[k]]);
    }
    return largest > 0 ? solve_phase(x, x->given) : SS_OK;
}

/* smallest e among contacts that approach */
static double common_restitution(const impact *x, const double *e)
{
    double smallest = 1;
    for (int k = 0; k < x->a->problem.nc; k++) {
        if (ss_law_has_normal(x->a->problem.law[k]) && ss_assembly_normal_velocity(x->a, k, x->v_minus) < 0) {
            smallest = fmin(smallest, e[k]);
        }
    }
    return smallest;
}

static bool approaches(const impact *x)
{
    const ss_problem *p = &x->a->problem;
    for (int k = 0; k < p->nc; k++) {
        double before = fabs(ss_assembly_normal_velocity(x->a, k, x->v_minus));
        if (ss_law_has_normal(p->law[k]) && ss_assembly_normal_velocity(x->a, k, x->v) < -SS_TOL_NO_SPEED * before) {
            return true;
        }
    }
    return false;
}

/* v^+ = (1 + e) v^c - e v^-: every impulse of the compression once more, times e */
static ss_status give_back(impact *x, double e)
{
    ss_assembly *a = x->a;
    ss_problem *p = &a->problem;
    memcpy(x->v_before, x->v, (size_t)p->nv * sizeof *x->v);
    for (int i = 0; i < p->nv; i++) {
        x->v[i] += e * (x->v_compression[i] - x->v_minus[i]);
        a->solution.v[i] = x->v[i];
    }
    for (int i = 0; i < p->nj; i++) {
        a->solution.lam[i] *= e;
    }
    for (int i = 0; i < p->row[p->nc]; i++) {
        a->solution.r[i] *= e;
        x->total[i] += a->solution.r[i];
    }
    SS_TRY(report_jump(x, NULL, NULL));
    return approaches(x) ? solve_phase(x, NULL) : SS_OK;
}

static void blame(const impact *x)
{
    int worst = x->a->info.residual.worst;
    x->s->report->remark(x->s->report, SS_REMARK_INFEASIBLE, worst >= 0 ? x->a->contacts.c[worst] : NULL);
}

/* the speeds of contacts before the problem at hand that are no more than round-off of the largest */
static double still(const impact *x, const double *v)
{
    double largest = 0;
    for (int k = 0; k < x->a->problem.nc; k++) {
        const bool moment = ss_contact_is_moment(x->a->contacts.c[k]); /* its speed is an angular one */
        largest = moment ? largest : fmax(largest, fabs(ss_assembly_normal_velocity(x->a, k, v)));
    }
    return SS_TOL_STILL * largest;
}

/* w = drive + e u_N^-, but for contacts at rest: their velocity may not fall below zero */
static void put_restitution(impact *x, const double *e)
{
    ss_problem *p = &x->a->problem;
    const double rest = still(x, x->v);
    memcpy(p->w, x->a->w_drive, (size_t)p->row[p->nc] * sizeof *p->w);
    for (int k = 0; k < p->nc; k++) {
        const double u = ss_assembly_normal_velocity(x->a, k, x->v);
        p->w[p->row[k]] += ss_law_has_normal(p->law[k]) && (u < 0 || u > rest) ? e[k] * u : 0;
    }
}

/* Does a contact approach that left before the last problem? */
static bool any_returns(const impact *x)
{
    const ss_problem *p = &x->a->problem;
    const double rest = still(x, x->v_before);
    bool any = false;
    for (int k = 0; !any && k < p->nc; k++) {
        any = ss_law_has_normal(p->law[k]) && ss_assembly_normal_velocity(x->a, k, x->v_before) > rest &&
              ss_assembly_normal_velocity(x->a, k, x->v) < -rest;
    }
    return any;
}

/* Newton's law, once more for contacts that another one has brought back; after ROUNDS of them e = 0. So it is, with a remark,
 * where contacts jam that cannot leave at the speed of the law. */
static ss_status rebound(impact *x, const double *e)
{
    enum { ROUNDS = 32 }; /* two contacts with e = 1 strike in turn pi/angle times, the angle being that of their rows in M^-1 */
    ss_problem *p = &x->a->problem;
    bool solvable = true;
    for (int round = 0; solvable && round < ROUNDS; round++) {
        put_restitution(x, e);
        begin_phase(x, NULL);
        SS_TRY(ss_assembly_try(x->a, x->s, x->v_before));
        solvable = !ss_assembly_is_unsolvable(x->a);
        SS_TRY(solvable ? end_phase(x, NULL) : SS_OK);
        if (solvable && !any_returns(x)) {
            return keep_compression(x);
        }
    }
    if (!solvable) {
        blame(x);
    }
    memcpy(p->w, x->a->w_drive, (size_t)p->row[p->nc] * sizeof *p->w);
    return compress(x);
}

static ss_status report_event(impact *x, int trigger)
{
    const ss_problem *p = &x->a->problem;
    size_t nc = (size_t)p->nc;
    char(*names)[128];
    const char **name;
    double *impulse, *total;
    SS_TRY(ss_arena_take(x->s->arena, nc, sizeof *names, &names));
    SS_TRY(ss_arena_take(x->s->arena, nc, sizeof *name, &name));
    SS_TRY(ss_arena_take(x->s->arena, 3 * nc, sizeof *impulse, &impulse));
    SS_TRY(ss_arena_take(x->s->arena, 3 * nc, sizeof *total, &total));
    for (int k = 0; k < p->nc; k++) {
        ss_contact_name(x->s->model, x->a->contacts.c[k], names[k], sizeof names[k]);
        name[k] = names[k];
        for (int i = p->row[k]; i < p->row[k + 1]; i++) {
            impulse[3 * k + i - p->row[k]] = x->compression[i];
            total[3 * k + i - p->row[k]] = x->total[i];
        }
    }
    const ss_contact *first = x->a->contacts.c[trigger];
    ss_event event = { .t = x->c->t,
                       .kind = first->id.kind == SS_CONTACT_LIMIT ? SS_EVENT_LIMIT : SS_EVENT_IMPACT,
                       .contact = name[trigger],
                       .q = x->c->q,
                       .v_minus = x->v_minus,
                       .v_compression = x->v_compression,
                       .v_plus = x->v,
                       .impulses = p->nc,
                       .impulse_contact = name,
                       .impulse = impulse,
                       .impulse_total = total,
                       .kinetic = { x->kinetic[0], x->kinetic[1] } };
    SS_TRY(find_kinetic(x, x->v, &event.kinetic[2]));
    for (int i = 0; i < 2; i++) {
        event.bodies[i] = first->at[i].body < x->s->model->bodies ? first->at[i].body : -1;
    }
    return x->s->report->event(x->s->report, &event);
}

ss_status ss_impact(ss_stepper *s, ss_assembly *a, const ss_config *c, ss_restitution law, const double *e, int trigger,
                    double *v)
{
    impact x = { .s = s, .a = a, .c = c, .v = v };
    SS_TRY(take(&x));
    SS_TRY(find_kinetic(&x, v, &x.kinetic[0]));
    if (law == SS_RESTITUTION_NEWTON) {
        SS_TRY(rebound(&x, e));
    } else {
        SS_TRY(compress(&x));
        SS_TRY(law == SS_RESTITUTION_POISSON ? decompress(&x, e) : give_back(&x, common_restitution(&x, e)));
    }
    return report_event(&x, trigger);
}

ss_status ss_impact_check(const ss_stepper *s, ss_restitution law)
{
    const ss_model *m = s->model;
    const bool newton = law == SS_RESTITUTION_NEWTON;
    for (int i = 0; i < m->materials * m->materials; i++) {
        const ss_impact_law asked = m->pair[i].impact;
        if (asked != SS_IMPACT_UNSET && (asked == SS_IMPACT_NEWTON) != newton) {
            return ss_fail(
                s->ctx, SS_ERR_UNSUPPORTED,
                "scheme.restitution: a pair asks for %s's impact law, the scheme is set to %s's; one scheme has one law",
                asked == SS_IMPACT_NEWTON ? "Newton" : "Poisson", newton ? "Newton" : "Poisson");
        }
    }
    return SS_OK;
}
