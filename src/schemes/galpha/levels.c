/* levels.c - the two contact problems of a substep.
 *
 * Positions: q' = q~ (+) U. With rows at the point at hand, U0 its displacement,
 *     M U - G' nu_J - H_N' nu = push,   G U = G U0 - g(q'),   0 <= H_N U - H_N U0 + g(q')  _|_  nu >= 0  [BAC14 eq. 29c-e]
 * Velocities:
 *     M v' - G' (Lam + h lam) - H' r = M v~ - h G' lam,    G v' = c,    contacts that are closed at q*:
 *     0 <= u'_N + e u_N  _|_  r_N >= 0,   r_T by Coulomb's law with u'_T                                 [BAC14 eq. 29f-h]
 *
 * so that the multipliers are the impulses of the whole substep, h lam + Lam [BAC14 eq. 33].
 *
 * Friction       is not in the paper. It acts at velocity level. A constant friction force moves a body by h/2 times its
 *                impulse, as forces do: push = (h/2) H_T' r_T. Without it a box that sticks on a ramp would creep by
 *                h^2 g sin/2 in every step. This r_T is that of the last step while Newton's method iterates, and then, where
 *                it was another, that of the solution, with which it iterates once more (newton.c): as an unknown it would
 *                close contacts by its presence and open them by its absence, for ever.
 * Motors         of limited force have no gap and are in the second problem only; like friction they move positions by h/2 times
 *                their impulse. An arm that one holds against gravity would sink by h^2 g/2 in every step otherwise. A motor
 * without a bound that holds a speed moves nothing in the first. Round-off      of gaps and joint errors counts as zero: rows
 * that depend on each other must not contradict. No solution    positions (something is wedged in): those that overlap alone,
 * then none; velocities: kernels/assembly.h. */
#include "math/worse.h"
#include "problem/contact_law.h"
#include "schemes/galpha/galpha_inside.h"
#include <math.h>

/* ---- rows -------------------------------------------------------------------------------------------------- */

ss_status galpha_rows_position(galpha *x)
{
    const ss_friction none = { .law = SS_LAW_UNILATERAL };
    galpha_dependent_recall(x);
    SS_TRY(ss_assembly_geometry(x->position, &x->end.at, &x->around->near, x->gapped.n, x->gapped.which, none, x->h));
    return galpha_dependent_find(x);
}

ss_status galpha_rows_velocity(galpha *x)
{
    const ss_friction none = { .law = SS_LAW_UNILATERAL }, cone = x->kind->friction ? ss_cone_coulomb(x->s, x->p->cone) : none;
    return ss_assembly_geometry(x->velocity, &x->end.at, &x->around->near, x->active.n, x->active.which, cone, x->h);
}

/* ---- positions ------------------------------------------------------------------------------------------------ */

static double beyond(const galpha *x, double error, double unit)
{
    return fabs(error) <= x->newton.position_tol * unit ? 0 : error;
}

/* out += s times a row of H of velocities */
static void add_row(const galpha *x, int row, double s, double *out)
{
    const ss_csr *H = &x->velocity->problem.H;
    for (int e = H->p[row]; e < H->p[row + 1]; e++) {
        out[H->i[e]] += s * H->x[e];
    }
}

int galpha_slot(const galpha *x, int k)
{
    const ss_assembly *a = x->velocity;
    const int kind = a->contacts.c[k]->id.kind;
    if (k < x->active.n) {
        return GALPHA_ROWS * x->active.which[k];
    }
    return GALPHA_ROWS * x->active.which[a->problem.host[k]] + (kind == SS_CONTACT_ROLLING ? GALPHA_ROLLING : GALPHA_SPINNING);
}

int galpha_first_push(const ss_problem *v, int k) { return v->row[k] + ss_law_has_normal(v->law[k]); }

/* x->push = (h/2) times the impulses of friction and of motors of limited force */
void galpha_find_push(galpha *x, const galpha_unknowns *z)
{
    const ss_problem *v = &x->velocity->problem;
    memset(x->push, 0, (size_t)v->nv * sizeof *x->push);
    for (int k = 0; k < v->nc; k++) {
        for (int row = galpha_first_push(v, k); row < v->row[k + 1]; row++) {
            add_row(x, row, 0.5 * x->h * z->r[galpha_slot(x, k) + row - v->row[k]], x->push);
        }
    }
}

/* What displaces bodies besides nu: friction; and h H_N' r_N where gaps are complementary to nu - h Lam, which is then what the
 * problem has for nu [BAC14 eq. 25, 27]. */
static void find_displacing(const galpha *x, const galpha_unknowns *z, double *out)
{
    const ss_problem *v = &x->velocity->problem;
    memcpy(out, x->push, (size_t)v->nv * sizeof *out);
    for (int k = 0; x->kind->implicit && k < v->nc; k++) {
        add_row(x, v->row[k], x->h * z->r[galpha_slot(x, k)], out);
    }
}

ss_status galpha_pose_position(galpha *x, const galpha_unknowns *z, const double *shift)
{
    const ss_model *m = x->s->model;
    const ss_assembly *a = x->position;
    const ss_problem *p = &a->problem;
    double *moved = x->scratch;
    for (int i = 0; i < p->nv; i++) {
        moved[i] = z->U[i] - (shift ? shift[i] : 0);
    }
    find_displacing(x, z, p->b);
    for (int k = 0; k < p->nc; k++) {
        p->w[k] = beyond(x, a->value[k]->gap, ss_contact_unit(m, a->contacts.c[k])) - ss_csr_row_dot(&p->H, k, moved);
    }
    for (int i = 0; i < p->nj; i++) {
        const bool free = m->row_motor[i] || (a->redundant && a->redundant[i]);
        p->c[i] = free ? 0 : ss_csr_row_dot(&p->G, i, moved) - beyond(x, a->g[i], m->row_unit[i]);
    }
    x->position->problem.v_old = x->end.way;
    return SS_OK;
}

const double *galpha_displacement_lack(const galpha *x, const galpha_unknowns *z)
{
    const ss_problem *p = &x->position->problem;
    double *out = x->lack;
    ss_matrix_times(&x->position->mass, z->U, out);
    ss_csr_transpose_times(&p->G, 1, z->nu_joint, -1, out);
    ss_csr_transpose_times(&p->H, 1, x->position->solution.r, 1, out);
    for (int i = 0; i < p->nv; i++) {
        out[i] += p->b[i];
    }
    return out;
}

void galpha_fill_position(galpha *x, const galpha_unknowns *z)
{
    ss_solution *s = &x->position->solution;
    const ss_problem *p = &x->position->problem;
    memcpy(s->v, z->U, (size_t)p->nv * sizeof(double));
    galpha_copy(p->nj, z->nu_joint, s->lam);
    ss_assembly_recall(x->position, &x->found, SS_LEVEL_POSITION);
    for (int k = 0; k < p->nc; k++) {
        s->r[k] = z->nu[x->gapped.which[k]];
    }
}

static void take_position(const galpha *x, galpha_unknowns *z)
{
    const ss_solution *s = &x->position->solution;
    const ss_problem *p = &x->position->problem;
    memcpy(z->U, s->v, (size_t)p->nv * sizeof(double));
    galpha_copy(p->nj, s->lam, z->nu_joint);
    galpha_clear(x->around->near.n, z->nu);
    for (int k = 0; k < p->nc; k++) {
        z->nu[x->gapped.which[k]] = s->r[k];
    }
}

/* Open contacts are let through: linearised, they may forbid what they allow. */
static void let_open_through(galpha *x)
{
    ss_assembly *a = x->position;
    for (int k = 0; k < a->problem.nc; k++) {
        const double unit = ss_contact_unit(x->s->model, a->contacts.c[k]);
        if (a->value[k]->gap > x->newton.position_tol * unit) {
            a->problem.w[k] = fmax(a->problem.w[k], unit);
        }
    }
    a->solution.warm = false;
}

/* U = M^-1 b: nothing is pushed */
static void leave_positions(galpha *x)
{
    ss_assembly *a = x->position;
    const size_t nv = (size_t)a->problem.nv, nj = (size_t)a->problem.nj, nc = (size_t)a->problem.nc;
    memcpy(a->solution.v, a->problem.b, nv * sizeof(double));
    ss_blockdiag_solve(&a->problem.scale, x->inner.L, a->solution.v);
    galpha_clear((int)nj, a->solution.lam);
    galpha_clear((int)nc, a->solution.r);
}

/* Nobody asks how nu is shared, and sharing would take gaps that differ a little for equal ones. */
static ss_status solve_position(galpha *x)
{
    ss_assembly *a = x->position;
    SS_TRY(ss_assembly_try_unshared(a, x->s, x->end.way));
    if (ss_assembly_is_unsolvable(a)) {
        let_open_through(x);
        SS_TRY(ss_assembly_try_unshared(a, x->s, x->end.way));
        x->newton.wedged = !ss_assembly_has_solution(a);
    }
    return SS_OK;
}

ss_status galpha_solve_position(galpha *x, galpha_unknowns *z)
{
    const bool any = x->position->problem.nj + x->position->problem.nc > 0;
    SS_TRY(any && !x->newton.wedged ? solve_position(x) : SS_OK);
    if (!any || x->newton.wedged) {
        leave_positions(x);
    }
    take_position(x, z);
    return ss_assembly_remember(x->position, &x->found, SS_LEVEL_POSITION);
}

/* ---- velocities -------------------------------------------------------------------------------------------------- */

void galpha_follow_positions(const galpha *x, galpha_unknowns *z)
{
    for (int i = 0; i < x->s->model->nv; i++) {
        z->v[i] = z->v_free[i] + galpha_velocity_per_way(x) * z->U[i];
    }
}

/* u_N of Newton's law for contact k of the problem: the velocity before, along the rows of the start. Of an approach that is
 * slow, for which no substep is cut (kernels/impact_energy.h), along those of the end if that is slower: a corner that comes to
 * lie below the hinge of its body approaches at the start, and has no lever arm at the end with which to turn that round. */
static double velocity_before(const galpha *x, int k)
{
    const ss_assembly *a = x->velocity;
    const int row = a->problem.row[k], near = x->active.which[k];
    const double u = x->start.u[near];
    if (!(u < 0) || -u > x->around->slow[near]) {
        return u;
    }
    return fmin(fmax(u, ss_csr_row_dot(&a->problem.H, row, x->start.v) + a->w_drive[row]), 0);
}

/* offsets e u_N of Newton's law */
static void put_restitution(galpha *x)
{
    const ss_assembly *a = x->velocity;
    for (int k = 0; k < a->problem.nc; k++) {
        if (ss_contact_has_gap(a->contacts.c[k])) {
            const int row = a->problem.row[k];
            a->problem.w[row] = a->w_drive[row] + a->contacts.c[k]->e * velocity_before(x, k);
        }
    }
}

ss_status galpha_pose_velocity(galpha *x, const galpha_unknowns *z)
{
    ss_assembly *a = x->velocity;
    ss_problem *p = &a->problem;
    ss_assembly_momentum(a, z->v_free, NULL);
    ss_csr_transpose_times(&p->G, -x->h, z->lam, 1, p->b);
    put_restitution(x);
    p->v_old = x->start.v;
    if (x->newton.relaxed) {
        ss_assembly_relax_contacts(a, x->s, x->h);
        ss_assembly_relax_joints(a);
    }
    return SS_OK;
}

void galpha_agree_velocity(galpha *x, const galpha_unknowns *z)
{
    const ss_problem *p = &x->velocity->problem;
    for (int k = 0; k < p->nc; k++) {
        for (int row = p->row[k]; row < p->row[k + 1]; row++) {
            p->w[row] += z->agreed[galpha_slot(x, k) + row - p->row[k]];
        }
    }
}

/* Of offsets that were `posed` and are those of the problem now. */
static void take_agreement(const galpha *x, const double *posed, galpha_unknowns *z)
{
    const ss_problem *p = &x->velocity->problem;
    galpha_clear(GALPHA_ROWS * x->around->near.n, z->agreed);
    for (int k = 0; k < p->nc; k++) {
        for (int row = p->row[k]; row < p->row[k + 1]; row++) {
            z->agreed[galpha_slot(x, k) + row - p->row[k]] = p->w[row] - posed[row];
        }
    }
}

void galpha_fill_velocity(galpha *x, const galpha_unknowns *z)
{
    ss_solution *s = &x->velocity->solution;
    const ss_problem *p = &x->velocity->problem;
    memcpy(s->v, z->v, (size_t)p->nv * sizeof(double));
    for (int i = 0; i < p->nj; i++) {
        s->lam[i] = z->lam_jump[i] + x->h * z->lam[i];
    }
    ss_assembly_recall(x->velocity, &x->found, SS_LEVEL_VELOCITY);
    for (int k = 0; k < p->nc; k++) {
        const int rows = p->row[k + 1] - p->row[k];
        memcpy(s->r + p->row[k], z->r + galpha_slot(x, k), (size_t)rows * sizeof(double));
    }
}

static void take_velocity(const galpha *x, galpha_unknowns *z)
{
    const ss_solution *s = &x->velocity->solution;
    const ss_problem *p = &x->velocity->problem;
    memcpy(z->v, s->v, (size_t)p->nv * sizeof(double));
    for (int i = 0; i < p->nj; i++) {
        z->lam_jump[i] = s->lam[i] - x->h * z->lam[i];
    }
    galpha_clear(GALPHA_ROWS * x->around->near.n, z->r);
    for (int k = 0; k < p->nc; k++) {
        const int rows = p->row[k + 1] - p->row[k];
        memcpy(z->r + galpha_slot(x, k), s->r + p->row[k], (size_t)rows * sizeof(double));
    }
}

ss_status galpha_solve_velocity(galpha *x, galpha_unknowns *z)
{
    ss_assembly *a = x->velocity;
    const bool relaxed = x->newton.relaxed;
    const int rows = a->problem.row[a->problem.nc];
    double *posed;
    SS_TRY(ss_arena_take_raw(x->s->arena, (size_t)rows, sizeof *posed, &posed));
    galpha_copy(rows, a->problem.w, posed);
    SS_TRY(ss_assembly_try_relaxed(a, x->s, x->start.v, x->h, &x->newton.relaxed));
    take_velocity(x, z);
    take_agreement(x, relaxed == x->newton.relaxed ? posed : a->problem.w,
                   z); /* offsets that are relaxed anew are so from now on */
    return ss_assembly_remember(a, &x->found, SS_LEVEL_VELOCITY);
}
