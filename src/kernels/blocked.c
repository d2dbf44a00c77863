/* blocked.c - contacts whose normal motion the joints determine.
 *
 * Two bodies that are welded together and touch, or a hinge whose axis the contact's normal meets: the normal row h of the
 * contact is a combination of joint rows, so that no impulse along it moves anything. Such a row is in the span of the joint rows
 * wherever the joints are satisfied, but not at a predicted position q + h v, which is off by O(h^2): there it is independent by
 * a hair, and its impulse is a quotient of two small numbers. So dependence is decided at the start of a step, as redundancy.c
 * does for joint rows, and the contacts found are left out of the problems of that step: an impulse of zero is a solution for
 * them, and friction is then zero, too.
 *
 *     K^-1 b = the v of (B v - G' lam = b, G v = 0),     h is blocked if   h K^-1 h' <= SS_TOL_REDUNDANT  h B^-1 h'
 *
 * The left side over the right one is the squared sine of the angle between h and the span of G. B is M with every block divided
 * by its first entry, the mass of a body: dependence is a matter of geometry, not of masses.
 * Motors and driven bodies prescribe velocities, G v_c = c; then a blocked contact has the normal velocity h v_c + drive.
 * Only contacts between bodies that joints tie together are looked at; all that does not move is one body.
 * Cost   nothing without such contacts; else a factorisation of the joints and a solve for each of them */
#include "kernels/blocked.h"
#include "base/tolerances.h"
#include "math/matrix.h"
#include "problem/groups.h"
#include "problem/kkt.h"
#include <math.h>

struct ss_blocked {
    ss_context *ctx;
    const ss_model *model;
    int *part; /* bodies and the world: parts that joints tie together; NULL: no joints */
    ss_assembly *at;
    ss_kkt *kkt;
    ss_csr row;              /* of the contact looked at        */
    double *v, *v_c, *lam;   /* nv, nv: prescribed velocity, nj */
    double *scale;           /* blocks of M, masses divided out */
    ss_contact_set contacts; /* that were left out              */
    double *velocity;        /* their prescribed velocities     */
    int velocity_cap;
};

/* ---- life ---------------------------------------------------------------------------------------- */

static ss_status find_parts(ss_blocked *x)
{
    const ss_model *m = x->model;
    SS_TRY(ss_calloc(x->ctx, (size_t)m->bodies + 1, sizeof *x->part, &x->part));
    for (int b = 0; b <= m->bodies; b++) {
        x->part[b] = b;
    }
    for (int b = 0; b < m->bodies; b++) {
        if (!ss_model_is_dynamic(m, b)) {
            ss_union_join(x->part, b, m->bodies);
        }
    }
    for (int j = 0; j < m->joints; j++) {
        ss_union_join(x->part, m->joint[j].at[0].body, m->joint[j].at[1].body);
    }
    return SS_OK;
}

static ss_status make(ss_blocked *x)
{
    const ss_model *m = x->model;
    SS_TRY(find_parts(x));
    SS_TRY(ss_assembly_create(x->ctx, m, &x->at));
    SS_TRY(ss_kkt_create(x->ctx, &x->kkt));
    ss_kkt_set_redundant(x->kkt, SS_TOL_REDUNDANT);
    SS_TRY(ss_calloc(x->ctx, (size_t)m->nv, sizeof *x->v, &x->v));
    SS_TRY(ss_calloc(x->ctx, (size_t)m->nv, sizeof *x->v_c, &x->v_c));
    SS_TRY(ss_calloc(x->ctx, ss_model_mass_size(m), sizeof *x->scale, &x->scale));
    return ss_calloc(x->ctx, (size_t)m->nj, sizeof *x->lam, &x->lam);
}

ss_status ss_blocked_create(ss_context *ctx, const ss_model *m, ss_blocked **out)
{
    SS_TRY(ss_calloc(ctx, 1, sizeof **out, out));
    (*out)->ctx = ctx;
    (*out)->model = m;
    ss_status status = m->joints > 0 ? make(*out) : SS_OK;
    if (status != SS_OK) {
        ss_blocked_destroy(*out);
        *out = NULL;
    }
    return status;
}

void ss_blocked_destroy(ss_blocked *x)
{
    if (x) {
        ss_assembly_destroy(x->ctx, x->at);
        ss_kkt_destroy(x->kkt);
        ss_csr_free(x->ctx, &x->row);
        ss_contacts_free(x->ctx, &x->contacts);
        void *owned[] = { x->part, x->v, x->v_c, x->lam, x->scale, x->velocity };
        for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) {
            ss_free(x->ctx, owned[i]);
        }
        ss_free(x->ctx, x);
    }
}

/* ---- the joints ---------------------------------------------------------------------------------- */

/* G at c with the masses divided out, factorised, and the velocities that the joints prescribe */
static ss_status factor_joints(ss_blocked *x, const ss_config *c)
{
    ss_problem *p = &x->at->problem;
    ss_blockdiag *B = &p->scale;
    SS_TRY(ss_assembly_geometry(x->at, c, &(ss_contact_set){ 0 }, 0, NULL, (ss_friction){ .law = SS_LAW_UNILATERAL }, 0));
    for (int b = 0; b < B->blocks; b++) {
        const double *block = B->x + B->start[b];
        for (int i = 0; i < B->size[b] * B->size[b]; i++) {
            x->scale[B->start[b] + i] = block[i] / block[0];
        }
    }
    B->x = x->scale;
    B->factor = NULL;
    p->A = ss_matrix_of_blocks(B);
    SS_TRY(ss_kkt_factor(x->kkt, p));
    return ss_kkt_solve(x->kkt, NULL, p->c, x->v_c, x->lam);
}

/* ---- one contact --------------------------------------------------------------------------------- */

static bool may_be_blocked(const ss_blocked *x, const ss_contact *contact)
{
    return contact->id.kind != SS_CONTACT_MOTOR &&
           ss_union_root(x->part, contact->at[0].body) == ss_union_root(x->part, contact->at[1].body);
}

static void scatter_row(ss_blocked *x)
{
    memset(x->v, 0, (size_t)x->model->nv * sizeof *x->v);
    for (int e = x->row.p[0]; e < x->row.p[1]; e++) {
        x->v[x->row.i[e]] += x->row.x[e];
    }
}

/* h K^-1 h' and h B^-1 h' */
static ss_status find_mobilities(ss_blocked *x, double *with_joints, double *without)
{
    scatter_row(x);
    ss_blockdiag_solve(&x->at->problem.scale, ss_kkt_block_factor(x->kkt), x->v);
    *without = ss_csr_row_dot(&x->row, 0, x->v);
    scatter_row(x);
    SS_TRY(ss_kkt_solve(x->kkt, x->v, NULL, x->v, x->lam));
    *with_joints = ss_csr_row_dot(&x->row, 0, x->v);
    return SS_OK;
}

/* h v_c + drive; a sum that has cancelled is 0 */
static double prescribed_velocity(const ss_blocked *x, double drive)
{
    double sum = drive, terms = fabs(drive);
    for (int e = x->row.p[0]; e < x->row.p[1]; e++) {
        double term = x->row.x[e] * x->v_c[x->row.i[e]];
        sum += term;
        terms += fabs(term);
    }
    return fabs(sum) <= SS_TOL_STILL * terms ? 0 : sum;
}

static ss_status look_at(ss_blocked *x, const ss_config *c, const ss_contact *contact, bool *blocked, double *velocity)
{
    ss_contact_value value;
    double drive[3], with_joints, without;
    int rows;
    SS_TRY(ss_contact_eval(x->ctx, x->model, c, contact, &value));
    ss_csr_reset(&x->row, x->model->nv);
    SS_TRY(ss_contact_rows(x->ctx, x->model, c, contact, &value, false, &x->row, drive, &rows));
    SS_TRY(find_mobilities(x, &with_joints, &without));
    *blocked = without > 0 && with_joints <= SS_TOL_REDUNDANT * without;
    *velocity = prescribed_velocity(x, drive[0]);
    return SS_OK;
}

/* ---- the set ------------------------------------------------------------------------------------- */

static ss_status enter(ss_blocked *x, const ss_contact *contact, double velocity)
{
    int n = x->contacts.n + 1;
    SS_TRY(ss_reserve(x->ctx, &x->contacts.c, &x->contacts.cap, n, sizeof *x->contacts.c));
    SS_TRY(ss_reserve(x->ctx, &x->velocity, &x->velocity_cap, n, sizeof *x->velocity));
    x->contacts.c[n - 1] = *contact;
    x->velocity[n - 1] = velocity;
    x->contacts.n = n;
    return SS_OK;
}

ss_status ss_blocked_leave_out(ss_blocked *x, const ss_config *c, ss_contact_set *set)
{
    bool factored = false;
    int kept = 0;
    x->contacts.n = 0;
    for (int k = 0; x->part && k < set->n; k++) {
        bool blocked = false;
        double velocity = 0;
        if (may_be_blocked(x, &set->c[k])) {
            SS_TRY(factored ? SS_OK : factor_joints(x, c));
            factored = true;
            SS_TRY(look_at(x, c, &set->c[k], &blocked, &velocity));
        }
        if (blocked) {
            SS_TRY(enter(x, &set->c[k], velocity));
        } else {
            set->c[kept++] = set->c[k];
        }
    }
    set->n = x->part ? kept : set->n;
    return SS_OK;
}

const ss_contact_set *ss_blocked_contacts(const ss_blocked *x) { return &x->contacts; }

double ss_blocked_velocity(const ss_blocked *x, int k) { return x->velocity[k]; }
