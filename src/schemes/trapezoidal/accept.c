/* accept.c - a substep that has happened: what is reported and remembered of it.
 *
 * The part s/h of all impulses has acted at a point s of its path (substep.c). So a substep that is cut at s is itself the
 * solution of a problem, with the same A, G, H:
 *
 *     b <- (s/h) b + (1 - s/h) A v,   c <- (s/h) c + (1 - s/h) G v,   w <- (s/h) w - (1 - s/h) H v,   and v, lam, r, u to match
 *
 * Velocities of joints are projected where it ends, if the step asks for it.
 *
 * Cost   linear in the problem; a factorisation of the joints where velocities are projected */
#include "kernels/jump.h"
#include "schemes/trapezoidal/changes.h"
#include <math.h>

/* The problem that the first `part` of the substep solves. */
static ss_status cut_problem(ss_trap *x, double part)
{
    ss_problem *p = &x->a->problem;
    ss_solution *solution = &x->a->solution;
    const double rest = 1 - part, *v = x->start.v;
    double *Av;
    SS_TRY(ss_arena_take(x->s->arena, (size_t)p->nv, sizeof *Av, &Av));
    ss_matrix_times(&p->A, v, Av);
    for (int i = 0; i < p->nv; i++) {
        p->b[i] = part * p->b[i] + rest * Av[i];
        solution->v[i] = x->end.v[i];
    }
    for (int i = 0; i < p->nj; i++) {
        p->c[i] = part * p->c[i] + rest * ss_csr_row_dot(&p->G, i, v);
        solution->lam[i] *= part;
    }
    for (int i = 0; i < p->row[p->nc]; i++) {
        p->w[i] = part * p->w[i] - rest * ss_csr_row_dot(&p->H, i, v);
        solution->r[i] *= part;
        solution->u[i] *= part;
    }
    for (int k = 0; k < p->nc; k++) {
        p->mu[k] *= p->law[k] == SS_LAW_BOUNDED ? part : 1;
    }
    return SS_OK;
}

static ss_status report(ss_trap *x)
{
    const double part = x->end.length / x->solved.h;
    const ss_segment_end from = { .t = x->start.t, .q = x->start.q, .v = x->start.v },
                         to = { .t = x->start.t + x->end.length, .q = x->end.q, .v = x->end.v };
    double *q_whole;
    SS_TRY(ss_arena_take(x->s->arena, (size_t)x->s->model->nq, sizeof *q_whole, &q_whole));
    for (int i = 0; i < x->s->model->nv; i++) {
        x->end.v_mean[i] = 0.5 * (x->start.v[i] + x->solved.v[i]);
    }
    ss_model_retract(x->s->model, x->start.q, x->end.v_mean, x->solved.h, q_whole);
    SS_TRY(ss_trap_forces_end(x->forces, q_whole, x->solved.v, part));
    SS_TRY(part < 1 ? cut_problem(x, part) : SS_OK);
    ss_segment segment = ss_assembly_segment(x->a, from, to);
    ss_segment_put_forces(&segment, x->s->model->nv, ss_trap_forces_by_class(x->forces));
    segment.impulse[SS_IMPULSE_SCHEME] = ss_trap_forces_remainder(x->forces);
    return x->s->report->segment(x->s->report, &segment);
}

/* A bound on the gap with which contact k of the problem goes on pressing, more than 0; 0: it does not. One that left at the
 * start has come back: it is going to strike. */
static double held_gap(const ss_trap *x, int k)
{
    const ss_vicinity *n = x->around;
    const int near = ss_trap_near(x, k);
    const ss_contact *c = x->a->contacts.c[k];
    const bool presses = ss_contact_has_gap(c) && !x->solved.leaves[k] && ss_trap_presses(x, k);
    return presses ? fmax(n->gap[near], 0) + x->end.length * fabs(n->approach[near]) +
                         ss_stepper_touch(x->s) * ss_contact_unit(x->s->model, c)
                   : 0;
}

/* What is remembered of contact k of the problem. */
static void put_numbers(const ss_trap *x, int k, double *number)
{
    const ss_problem *p = &x->a->problem;
    const double *r = x->a->solution.r + p->row[k];
    const bool due = x->end.length == x->change.at; /* forces jump there, and those of all contacts with them */
    number[SS_TRAP_HELD_GAP] = held_gap(x, k);
    number[SS_TRAP_MODE] = ss_trap_mode_until_end(x, k);
    number[SS_TRAP_DUE] = due;
    number[SS_TRAP_LOAD] = r[0] / x->solved.h;
    number[SS_TRAP_SLACK] = (ss_trap_bound(x, k) - ss_trap_friction(x, k)) / x->solved.h;
    number[SS_TRAP_SPAN] = due ? 0 : x->end.length;
}

static ss_status remember(ss_trap *x)
{
    ss_contact_cache *cache = &x->s->next->cache;
    SS_TRY(ss_assembly_remember(x->a, cache, SS_LEVEL_VELOCITY));
    for (int k = 0; k < x->a->problem.nc; k++) {
        put_numbers(x, k, cache->number + SS_TRAP_NUMBERS * k); /* entry k is of contact k */
    }
    return SS_OK;
}

/* M (v'' - v') = G' mu,  G v'' = what joints ask for  where the substep ends */
static ss_status project_velocities(ss_trap *x)
{
    ss_assembly *e = x->joints.rows;
    ss_problem *p = &e->problem;
    const double t = x->start.t + x->end.length;
    if (p->nj == 0) {
        return SS_OK;
    }
    ss_trap_go_there(x);
    ss_config_drive(x->s->model, t, t, &x->there);
    SS_TRY(ss_assembly_geometry(e, &x->there, &(ss_contact_set){ 0 }, 0, NULL, (ss_friction){ .law = SS_LAW_UNILATERAL }, 0));
    ss_assembly_momentum(e, x->end.v, NULL);
    SS_TRY(ss_kkt_factor(x->joints.tangents, p));
    SS_TRY(ss_kkt_solve(x->joints.tangents, p->b, p->c, e->solution.v, e->solution.lam));
    SS_TRY(ss_jump_report(x->s, SS_IMPULSE_PROJECTION, t, x->end.q, x->end.v, e->solution.v));
    memcpy(x->end.v, e->solution.v, (size_t)p->nv * sizeof(double));
    return SS_OK;
}

ss_status ss_trap_accept(ss_trap *x)
{
    const ss_model *m = x->s->model;
    if (ss_trap_forces_is_indefinite(x->forces)) {
        x->s->report->remark(x->s->report, SS_REMARK_INDEFINITE, NULL);
    }
    SS_TRY(ss_trap_report_modes(x));
    SS_TRY(remember(x));
    SS_TRY(report(x));
    SS_TRY(x->joints.project ? project_velocities(x) : SS_OK);
    memcpy(x->start.q, x->end.q, (size_t)m->nq * sizeof(double));
    memcpy(x->start.v, x->end.v, (size_t)m->nv * sizeof(double));
    x->start.t += x->end.length;
    ss_trap_forget_solved(x);
    return SS_OK;
}
