/* monolithic.c - one iteration of the semi-smooth Newton method on all equations of a substep at once.
 *                                                                                                       [BAC14 eq. 42-46]
 *     unknowns   dv~,  -h dlam,  dU/h,  -dnu_J/h,  -dnu/h,  dW,  -dLam,  -dr                             [BAC14 eq. 42]
 *     dq/h = beta/gamma dv~ + dU/h,   dv' = dv~ + dW                                                     [BAC14 eq. 41]
 *
 *     c0 M dv~ + G' (-h dlam) - h f_v dv' - h^2 (f_q + K(lam)) dq/h  =  h f + h G' lam - M h w
 *     G dv~ + h (G v~)_q dq/h                                        =  c - G v~
 *     M dU/h + G' (-dnu_J/h) + H_N' (-dnu/h) - Kp dq/h               =  (G' nu_J + H_N' nu + push - M U)/h
 *     G dq/h                                                         =  -g/h
 *     nu - g/d >= 0:  H_N dq/h = -g/h,   else:  nu = 0
 *     M dW + G' (-dLam) + H' (-dr) - h Kv dq/h                       =  G' Lam + H' r - M W
 *     G dv' + h (G v')_q dq/h                                        =  c - G v'
 *     (1 - D) dr + D/d du - P_N dr_N                                 =  P(r - u/d) - r,   du = H dv' + h (H v')_q dq/h
 *
 * Kp and Kv are the derivatives of the forces on the right by q: second derivatives of joints and gaps. P is the map of a
 * contact law and D its derivative (problem/law_map.h): 0 or 1 for a contact without friction, which is the paper's active
 * set; for friction it is the method of Alart and Curnier. P_N is 0 but for moments of rolling and spinning friction, whose
 * bound is the normal impulse r_N of their host. d is the scale of a contact, H_i M^-1 H_i'.
 *
 * Contacts that depend on each other make the matrix singular, and which of them are active is then a matter of chance. Where
 * an island has more rows of contacts and joints than velocities, they do: such a substep is left to sequential.c. Where they
 * depend on each other by their geometry, SLACK, a compliance that is the same for all of them, makes their impulses unique;
 * it is in the matrix only, not in the equations, and what is found is solved once more for the limit of vanishing compliance
 * (newton.c). Joint rows that depend on others have no multipliers.
 *
 * Without a contact at velocity level  M W = G' Lam  and  G v' = c = G v~  say that W = 0 and Lam = 0: the last three kinds of
 * rows and unknowns are left out then.
 * Converges   quadratically where the active set is found and nothing depends on anything else; else by a factor of SLACK
 * Cost        one sparse LU factorisation of 3 (nv + nj) rows and those of the contacts, or of 2 (nv + nj) without contacts */
#include "problem/islands.h"
#include "problem/law_map.h"
#include "schemes/galpha/galpha_inside.h"
#include <math.h>

static const double SLACK = 1e-6; /* of d; it slows Newton's method by no more than this */

/* first columns of the unknowns; the rows of the equations above are numbered alike */
typedef struct columns {
    int v_free, lam, U, nu_joint, nu, W, jump, r, n;
    bool impulses; /* false: W = 0 and Lam = 0 are no unknowns */
} columns;

/* a system under construction */
typedef struct builder {
    galpha *x;
    const galpha_unknowns *z;
    columns at;
    int *seen;
    double *right;   /* n */
    double *d_N, *d; /* scales of the contacts of both problems */
    galpha_matrices *of;
} builder;

static columns columns_of(const galpha *x)
{
    const ss_problem *p = &x->position->problem, *v = &x->velocity->problem;
    columns c = { .v_free = 0, .impulses = v->nc > 0 };
    c.lam = p->nv;
    c.U = c.lam + p->nj;
    c.nu_joint = c.U + p->nv;
    c.nu = c.nu_joint + p->nj;
    c.W = c.nu + p->nc;
    c.jump = c.W + (c.impulses ? p->nv : 0);
    c.r = c.jump + (c.impulses ? p->nj : 0);
    c.n = c.r + v->row[v->nc];
    return c;
}

/* ---- is it worth a try? ----------------------------------------------------------------------------------------- */

static ss_status count_freedom(galpha *x, bool *overdetermined)
{
    const ss_problem *p = &x->velocity->problem;
    ss_islands islands;
    int *freedom;
    SS_TRY(ss_islands_find(x->s->arena, p, &islands));
    SS_TRY(ss_arena_take(x->s->arena, (size_t)islands.count + 1, sizeof *freedom, &freedom));
    for (int b = 0; b < p->scale.blocks; b++) {
        freedom[islands.of_block[b]] += p->scale.size[b];
    }
    for (int i = 0; i < p->nj; i++) {
        const bool counts = islands.of_joint[i] >= 0 && !(x->velocity->redundant && x->velocity->redundant[i]);
        freedom[counts ? islands.of_joint[i] : islands.count] -= 1;
    }
    for (int k = 0; k < p->nc; k++) {
        const int island = islands.of_contact[k];
        freedom[island >= 0 ? island : islands.count] -= p->row[k + 1] - p->row[k];
    }
    *overdetermined = false;
    for (int i = 0; i < islands.count; i++) {
        *overdetermined = *overdetermined || freedom[i] < 0;
    }
    return SS_OK;
}

ss_status galpha_is_overdetermined(galpha *x, bool *out)
{
    const ss_arena_mark mark = ss_arena_save(x->s->arena);
    const ss_status status = count_freedom(x, out);
    ss_arena_release(x->s->arena, mark);
    return status;
}

/* ---- derivatives -------------------------------------------------------------------------------------------- */

/* d(G' lam)/dq + d(H' r)/dq for contacts of an assembly; r of contact k is r + 3 k */
static ss_status contact_stiffness(galpha *x, const ss_assembly *a, const double *r, ss_csr *K)
{
    const ss_model *m = x->s->model;
    SS_TRY(ss_pattern_clear(x->ctx, m, &x->of.pattern, K));
    for (int k = 0; k < a->problem.nc; k++) {
        const int rows = a->problem.row[k + 1] - a->problem.row[k];
        SS_TRY(ss_contact_stiffness(x->ctx, m, &x->end.at, a->contacts.c[k], a->value[k], rows, r + 3 * k, &x->of.pattern, K));
    }
    return SS_OK;
}

static ss_status find_contact_stiffness(builder *b)
{
    galpha *x = b->x;
    const ss_active *gapped = &x->gapped;
    const int closed = x->velocity->problem.nc, n = gapped->n > closed ? gapped->n : closed;
    double *r;
    SS_TRY(ss_arena_take(x->s->arena, 3 * (size_t)n, sizeof *r, &r));
    SS_TRY(ss_contacts_pattern(x->ctx, x->s->model, &x->around->near, &x->of.pattern));
    for (int k = 0; k < closed; k++) {
        const int rows = x->velocity->problem.row[k + 1] - x->velocity->problem.row[k];
        memcpy(r + 3 * k, b->z->r + galpha_slot(x, k), (size_t)rows * sizeof *r);
    }
    SS_TRY(contact_stiffness(x, x->velocity, r, &b->of->velocity_contacts));
    for (int k = 0; k < gapped->n; k++) {
        r[3 * k] = b->z->nu[gapped->which[k]];
    }
    return contact_stiffness(x, x->position, r, &b->of->position_contacts);
}

/* of the rows of velocities */
static ss_status find_velocity_derivatives(builder *b)
{
    galpha *x = b->x;
    const ss_model *m = x->s->model;
    const ss_config *c = &x->end.at;
    const ss_assembly *v = x->velocity;
    SS_TRY(ss_model_joint_stiffness(x->ctx, m, c, b->z->lam_jump, &b->of->velocity_joints));
    SS_TRY(ss_model_joint_gradient(x->ctx, x->s->arena, m, c, b->z->v, &b->of->joint_rates));
    ss_csr_reset(&b->of->contact_rates, m->nv);
    for (int k = 0; k < v->problem.nc; k++) {
        const int rows = v->problem.row[k + 1] - v->problem.row[k];
        SS_TRY(
            ss_contact_gradient(x->ctx, x->s->arena, m, c, v->contacts.c[k], v->value[k], rows, b->z->v, &b->of->contact_rates));
    }
    return ss_csr_transpose(x->ctx, &v->problem.H, &b->of->contacts);
}

static ss_status find_derivatives(builder *b)
{
    galpha *x = b->x;
    SS_TRY(galpha_smooth_derivatives(x, b->z));
    SS_TRY(ss_model_joint_stiffness(x->ctx, x->s->model, &x->end.at, b->z->nu_joint, &b->of->position_joints));
    SS_TRY(find_contact_stiffness(b));
    SS_TRY(ss_csr_transpose(x->ctx, &x->position->problem.H, &b->of->normals));
    return b->at.impulses ? find_velocity_derivatives(b) : SS_OK;
}

/* trace(H_i M^-1 H_i')/dim of the contacts of a problem */
static ss_status find_scales(galpha *x, const ss_problem *p, double **out)
{
    double *of_row;
    SS_TRY(ss_arena_take(x->s->arena, (size_t)p->row[p->nc], sizeof *of_row, &of_row));
    SS_TRY(ss_arena_take(x->s->arena, (size_t)p->nc, sizeof **out, out));
    SS_TRY(ss_row_scales_of(x->ctx, &x->scales, &x->position->problem.scale, x->inner.L, &p->H, NULL, of_row, &x->shares));
    for (int k = 0; k < p->nc; k++) {
        for (int row = p->row[k]; row < p->row[k + 1]; row++) {
            (*out)[k] += of_row[row] / (p->row[k + 1] - p->row[k]);
        }
    }
    return SS_OK;
}

/* ---- entries ---------------------------------------------------------------------------------------------------- */

static ss_status put(builder *b, int column, double value) { return ss_csr_add(b->x->ctx, &b->x->S, b->seen, column, value); }

/* s times a row of A */
static ss_status add(builder *b, const ss_csr *A, int row, double s, int first)
{
    for (int k = A->p[row]; k < A->p[row + 1]; k++) {
        SS_TRY(put(b, first + A->i[k], s * A->x[k]));
    }
    return SS_OK;
}

/* s times a row of A times dq/h */
static ss_status add_moved(builder *b, const ss_csr *A, int row, double s)
{
    SS_TRY(add(b, A, row, s * b->x->rule.beta / b->x->rule.gamma, b->at.v_free));
    return add(b, A, row, s, b->at.U);
}

/* s times a row of A times dv' */
static ss_status add_changed(builder *b, const ss_csr *A, int row, double s)
{
    SS_TRY(add(b, A, row, s, b->at.v_free));
    return b->at.impulses ? add(b, A, row, s, b->at.W) : SS_OK;
}

static ss_status add_mass(builder *b, int block, int row, double s, int first)
{
    const ss_blockdiag *M = &b->x->position->mass.diagonal;
    const int from = M->offset[block], n = M->size[block];
    for (int j = 0; j < n; j++) {
        SS_TRY(put(b, first + from + j, s * M->x[M->start[block] + (row - from) * n + j]));
    }
    return SS_OK;
}

static ss_status end_row(builder *b, double right)
{
    b->right[b->x->S.m] = right;
    return ss_csr_end_row(b->x->ctx, &b->x->S);
}

/* ---- momentum ------------------------------------------------------------------------------------------------------ */

static ss_status smooth_row(builder *b, int block, int i)
{
    const galpha *x = b->x;
    const galpha_rule r = x->rule;
    SS_TRY(add_mass(b, block, i, (1 - r.alpha_m) / ((1 - r.alpha_f) * r.gamma), b->at.v_free));
    SS_TRY(add_changed(b, &x->k_v, i, -x->h));
    SS_TRY(add_moved(b, &x->k_q, i, -x->h * x->h));
    SS_TRY(add_moved(b, &x->K, i, -x->h * x->h));
    return add(b, &x->T, i, 1, b->at.lam);
}

static ss_status position_row(builder *b, int block, int i)
{
    SS_TRY(add_mass(b, block, i, 1, b->at.U));
    SS_TRY(add(b, &b->x->T, i, 1, b->at.nu_joint));
    SS_TRY(add(b, &b->of->normals, i, 1, b->at.nu));
    SS_TRY(add_moved(b, &b->of->position_joints, i, -1));
    return add_moved(b, &b->of->position_contacts, i, -1);
}

static ss_status velocity_row(builder *b, int block, int i)
{
    SS_TRY(add_mass(b, block, i, 1, b->at.W));
    SS_TRY(add(b, &b->x->T, i, 1, b->at.jump));
    SS_TRY(add(b, &b->of->contacts, i, 1, b->at.r));
    SS_TRY(add_moved(b, &b->of->velocity_joints, i, -b->x->h));
    return add_moved(b, &b->of->velocity_contacts, i, -b->x->h);
}

/* all rows of one of the three balances, with right[nv] on the right */
static ss_status momentum_rows(builder *b, ss_status (*fill)(builder *, int, int), const double *right)
{
    const ss_blockdiag *M = &b->x->position->mass.diagonal;
    for (int block = 0; block < M->blocks; block++) {
        for (int i = M->offset[block]; i < M->offset[block] + M->size[block]; i++) {
            SS_TRY(fill(b, block, i));
            SS_TRY(end_row(b, right[i]));
        }
    }
    return SS_OK;
}

/* s (G' lam + H' r + p - M y), p NULL: 0 */
static void lack_of(const ss_assembly *a, const double *lam, const double *r, const double *p, const double *y, double s,
                    double *out)
{
    ss_matrix_times(&a->mass, y, out);
    ss_csr_transpose_times(&a->problem.G, 1, lam, -1, out);
    ss_csr_transpose_times(&a->problem.H, 1, r, 1, out);
    for (int i = 0; i < a->problem.nv; i++) {
        out[i] = s * (out[i] + (p ? p[i] : 0));
    }
}

/* ---- joints ---------------------------------------------------------------------------------------------------------- */

/* G dv~ or G dv', with what the rates change by */
static ss_status rate_rows(builder *b, bool smooth)
{
    const ss_assembly *a = b->x->position;
    const double *v = smooth ? b->z->v_free : b->z->v;
    for (int i = 0; i < a->problem.nj; i++) {
        if (galpha_leaves_out(b->x, i)) {
            SS_TRY(put(b, (smooth ? b->at.lam : b->at.jump) + i, 1));
            SS_TRY(end_row(b, 0));
            continue;
        }
        SS_TRY(smooth ? add(b, &a->problem.G, i, 1, b->at.v_free) : add_changed(b, &a->problem.G, i, 1));
        SS_TRY(add_moved(b, smooth ? &b->x->R : &b->of->joint_rates, i, b->x->h));
        SS_TRY(end_row(b, a->target[i] + a->c_drive[i] - ss_csr_row_dot(&a->problem.G, i, v)));
    }
    return SS_OK;
}

static ss_status joint_rows(builder *b)
{
    const ss_assembly *a = b->x->position;
    for (int i = 0; i < a->problem.nj; i++) {
        const bool motor = b->x->s->model->row_motor[i];
        double right = motor ? -ss_csr_row_dot(&a->problem.G, i, b->z->U) : -a->g[i];
        if (galpha_leaves_out(b->x, i)) {
            SS_TRY(put(b, b->at.nu_joint + i, 1));
            right = 0;
        } else {
            SS_TRY(motor ? add(b, &a->problem.G, i, 1, b->at.U) : add_moved(b, &a->problem.G, i, 1));
        }
        SS_TRY(end_row(b, right / b->x->h));
    }
    return SS_OK;
}

/* ---- contacts ---------------------------------------------------------------------------------------------------------- */

static ss_status gap_rows(builder *b)
{
    const ss_assembly *a = b->x->position;
    for (int k = 0; k < a->problem.nc; k++) {
        const double nu = b->z->nu[b->x->gapped.which[k]], gap = a->value[k]->gap;
        if (b->d_N[k] * nu - gap >= 0) {
            SS_TRY(add_moved(b, &a->problem.H, k, 1));
            SS_TRY(put(b, b->at.nu + k, -SLACK * b->d_N[k]));
            SS_TRY(end_row(b, -gap / b->x->h));
        } else {
            SS_TRY(put(b, b->at.nu + k, 1));
            SS_TRY(end_row(b, nu / b->x->h));
        }
    }
    return SS_OK;
}

/* P of contact k at y, its derivative D by y and, of a moment, `wider` by the normal impulse of its host, which bounds it */
static void map_law(const builder *b, int k, const double *y, double *mapped, double *D, double *wider)
{
    const ss_problem *p = &b->x->velocity->problem;
    const int rows = p->row[k + 1] - p->row[k];
    wider[0] = wider[1] = wider[2] = 0;
    if (p->law[k] != SS_LAW_ROLLING) {
        ss_law_map(p, k, y, mapped, D);
        return;
    }
    const double normal = b->z->r[galpha_slot(b->x, p->host[k])], bound = p->mu[k] * fmax(normal, 0);
    const double size = rows == 2 ? hypot(y[0], y[1]) : fabs(y[0]);
    ss_moment_map(rows, bound, NULL, y, mapped, D);
    for (int i = 0; normal > 0 && size > bound && i < rows; i++) {
        wider[i] = p->mu[k] * y[i] / size;
    }
}

/* (1 - D + SLACK) dr + D/d du - (of a moment) P_N dr_N = P(r - u/d) - r of contact k */
static ss_status law_rows(builder *b, int k)
{
    const ss_problem *p = &b->x->velocity->problem;
    const int first = p->row[k], rows = p->row[k + 1] - first;
    const double *r = b->z->r + galpha_slot(b->x, k), d = b->d[k];
    double y[3], mapped[3], D[9], wider[3];
    for (int i = 0; i < rows; i++) {
        y[i] = r[i] - (ss_csr_row_dot(&p->H, first + i, b->z->v) + p->w[first + i]) / d;
    }
    map_law(b, k, y, mapped, D, wider);
    for (int i = 0; i < rows; i++) {
        SS_TRY(wider[i] != 0 ? put(b, b->at.r + p->row[p->host[k]], wider[i]) : SS_OK);
        for (int j = 0; j < rows; j++) {
            const double of = D[i * rows + j];
            SS_TRY(put(b, b->at.r + first + j, of - (i == j ? 1 + SLACK : 0)));
            SS_TRY(add_changed(b, &p->H, first + j, of / d));
            SS_TRY(add_moved(b, &b->of->contact_rates, first + j, of / d * b->x->h));
        }
        SS_TRY(end_row(b, mapped[i] - r[i]));
    }
    return SS_OK;
}

/* ---- the whole ----------------------------------------------------------------------------------------------------------- */

static ss_status begin(builder *b)
{
    galpha *x = b->x;
    const ss_problem *v = &x->velocity->problem;
    const size_t n = (size_t)b->at.n;
    SS_TRY(ss_arena_take_raw(x->s->arena, n, sizeof *b->seen, &b->seen));
    SS_TRY(ss_arena_take(x->s->arena, n, sizeof *b->right, &b->right));
    SS_TRY(find_scales(x, &x->position->problem, &b->d_N));
    SS_TRY(find_scales(x, v, &b->d));
    for (size_t i = 0; i < n; i++) {
        b->seen[i] = -1;
    }
    ss_csr_reset(&x->S, b->at.n);
    return find_derivatives(b);
}

/* the rows of velocities */
static ss_status build_velocity(builder *b, double *lack)
{
    const galpha *x = b->x;
    const ss_assembly *v = x->velocity;
    double *W = x->scratch;
    for (int i = 0; i < v->problem.nv; i++) {
        W[i] = b->z->v[i] - b->z->v_free[i];
    }
    lack_of(v, b->z->lam_jump, v->solution.r, NULL, W, 1, lack);
    SS_TRY(momentum_rows(b, velocity_row, lack));
    SS_TRY(rate_rows(b, false));
    for (int k = 0; k < v->problem.nc; k++) {
        SS_TRY(law_rows(b, k));
    }
    return SS_OK;
}

static ss_status build(builder *b)
{
    galpha *x = b->x;
    const ss_problem *p = &x->position->problem;
    double *lack;
    SS_TRY(begin(b));
    SS_TRY(ss_arena_take(x->s->arena, (size_t)p->nv, sizeof *lack, &lack));
    galpha_smooth_lack(x, b->z, lack);
    SS_TRY(momentum_rows(b, smooth_row, lack));
    SS_TRY(rate_rows(b, true));
    lack_of(x->position, b->z->nu_joint, x->position->solution.r, p->b, b->z->U, 1 / x->h, lack);
    SS_TRY(momentum_rows(b, position_row, lack));
    SS_TRY(joint_rows(b));
    SS_TRY(gap_rows(b));
    return b->at.impulses ? build_velocity(b, lack) : SS_OK;
}

static void take_step(const builder *b, const double *d, galpha_unknowns *to)
{
    const galpha *x = b->x;
    const galpha_unknowns *z = b->z;
    const ss_problem *v = &x->velocity->problem;
    for (int i = 0; i < v->nv; i++) {
        to->v_free[i] = z->v_free[i] + d[b->at.v_free + i];
        to->U[i] = z->U[i] + x->h * d[b->at.U + i];
        to->v[i] = b->at.impulses ? z->v[i] + d[b->at.v_free + i] + d[b->at.W + i] : to->v_free[i];
    }
    for (int i = 0; i < v->nj; i++) {
        to->lam[i] = z->lam[i] - d[b->at.lam + i] / x->h;
        to->nu_joint[i] = z->nu_joint[i] - x->h * d[b->at.nu_joint + i];
        to->lam_jump[i] = b->at.impulses ? z->lam_jump[i] - d[b->at.jump + i] : 0;
    }
    galpha_clear(x->around->near.n, to->nu);
    galpha_clear(GALPHA_ROWS * x->around->near.n, to->r);
    galpha_copy(GALPHA_ROWS * x->around->near.n, z->agreed, to->agreed);
    for (int k = 0; k < x->gapped.n; k++) {
        const int near = x->gapped.which[k];
        to->nu[near] = z->nu[near] - x->h * d[b->at.nu + k];
    }
    for (int k = 0; k < v->nc; k++) {
        const int own = galpha_slot(x, k) - v->row[k];
        for (int row = v->row[k]; row < v->row[k + 1]; row++) {
            to->r[own + row] = z->r[own + row] - d[b->at.r + row];
        }
    }
}

static ss_status improve(galpha *x, const galpha_unknowns *z, galpha_unknowns *to, bool *found)
{
    builder b = { .x = x, .z = z, .at = columns_of(x), .of = &x->of };
    SS_TRY(build(&b));
    ss_sparse_lu_forget(x->lu);
    SS_TRY(ss_sparse_lu_factor(x->lu, &x->S, found));
    if (*found) {
        SS_TRY(ss_sparse_lu_solve(x->lu, b.right));
        take_step(&b, b.right, to);
    }
    return SS_OK;
}

ss_status galpha_improve_monolithic(void *user, const double *point, double *target, bool *found)
{
    return galpha_improve_by(user, improve, point, target, found);
}
