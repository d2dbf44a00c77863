/* residual.c - the certificate: how well (v, lam, r) solves a one-step problem, free of units.
 *
 * B is the scale of the problem, as a rule the block diagonal of A's symmetric part, n a contact's normal, I an island
 * (islands.c).
 *   d_i   = trace(H_i B^-1 H_i') / dim_i     scale of contact i; if it is 0 the contact is left out and counted
 *   d_j   = G_j B^-1 G_j'                    scale of joint row j
 *   u     = H v + w
 *   v_free = B^-1 b                          the joints are left out: it serves as a scale only
 *   u^_i  = u_i + s_i n,                     s_i = mu |u_T| (Coulomb), mu max_k(-d_k . u_T) (polyhedral), 0 (other laws)
 *                                            less, of an associated law with moments, mu_k |u_k| of each of them
 *   eps_i = r_i - P_K(r_i - u^_i / d_i)      P_K: on the law's own cone, on [-mu, mu] for bounded rows, on the disc of radius
 *                                            mu r_N, r_N of its host, for a moment of rolling friction
 *
 *   contact  = max over I of  max_i sqrt(d_i) |eps_i|
 *                           / max_i max( sqrt(d_i)|r_i|, |H_i v_free + w_i|/sqrt(d_i), |H_i v_old|/sqrt(d_i) )
 *   momentum = max over I of  |rho| / max( |A v_old|, |b|, |H' r|, |G' lam| ),  rho = A v - G' lam - H' r - b,  |x|^2 = x' B^-1 x
 *   joint    = max over I of  max_j |G v - c|_j/sqrt(d_j)
 *                           / max_j max( sqrt(d_j)|lam_j|, |G v_free|_j/sqrt(d_j), |G v_old|_j/sqrt(d_j), |c_j|/sqrt(d_j) )
 * or, if that is more, SS_TOL_OWN times the largest velocity error of a body b beside its own speed V_b (body_scales.c):
 *   contact    sqrt(d_ib) |eps_i| / V_b             d_ib: the share of b in d_i
 *   momentum   |rho_b| / V_b
 *   joint      sqrt(d_jb) |G v - c|_j / d_j / V_b
 *   classical = |r - P_K(r - u^)| / |q|,  q = H v_free + w  (|q| = 0: absolute)      classical.c
 * A zero numerator gives 0. A numerator counts as zero when it is no more than the rounding of the terms it is made of: 64 eps
 * (|H_i||v| + |w_i|)/sqrt(d_i), and that of the momentum of its bodies. NaN or Inf anywhere gives INFINITY.
 * Local form: u = W r + q, d_i = trace(W_ii)/dim_i, no v_free and v_old beyond q.
 *
 * Reference   docs/certificate.md
 * Cost        linear in the entries; a polygonal cone adds directions^2                              */
#include "problem/residual.h"
#include "base/tolerances.h"
#include "math/array.h"

#include "math/matrix.h"
#include "math/worse.h"
#include "problem/classical.h"
#include "problem/contact_law.h"
#include "problem/residual_scales.h"

#include <float.h>
#include <math.h>

/* one call: the problem, the candidate, and what is derived from them */
typedef struct certificate {
    const ss_problem *p;
    const ss_solution *s;
    ss_residual_scales *work;
    ss_islands islands; /* the work's */
    int nr;
    double *u;              /* H v + w                                 */
    double *lifted;         /* u less what moments take from it        */
    double *rounding;       /* |H||v| + |w|                            */
    double *number, *scale; /* islands: numerators, denominators       */
    ss_body_scales body;    /* global form                             */
} certificate;

double ss_residual_worst(const ss_residual *residual)
{
    return ss_worse(residual->contact, ss_worse(residual->momentum, residual->joint));
}

/* ---- small pieces ----------------------------------------------------------------------------- */

static bool all_finite(int n, const double *x)
{
    for (int k = 0; k < n; k++) {
        if (!isfinite(x[k])) {
            return false;
        }
    }
    return true;
}

/* |A_i| |x| + |w| */
static double row_magnitude(const ss_csr *A, int row, const double *x, double w)
{
    double s = fabs(w);
    for (int e = A->p[row]; e < A->p[row + 1]; e++) {
        s += fabs(A->x[e] * x[A->i[e]]);
    }
    return s;
}

static ss_status take(ss_arena *arena, int n, double **out) { return ss_arena_take(arena, (size_t)n, sizeof **out, out); }

/* the largest quotient over the islands; a zero numerator is 0 whatever it is divided by */
static double largest_quotient(const certificate *c)
{
    double worst = 0;
    for (int k = 0; k < c->islands.count; k++) {
        if (c->number[k] != 0) {
            worst = ss_worse(worst, c->number[k] / c->scale[k]);
        }
    }
    return worst;
}

/* ground: the least denominators; NULL: 0 */
static void open_islands(const certificate *c, const double *ground)
{
    for (int k = 0; k < c->islands.count; k++) {
        c->number[k] = 0;
        c->scale[k] = ground ? ground[k] : 0;
    }
}

/* ---- contacts --------------------------------------------------------------------------------- */

/* of one contact */
typedef struct own_error {
    double number; /* sqrt(d)|eps|                                      */
    double beside; /* largest velocity error of a body over its own speed */
} own_error;

/* what rounding of velocities can make of the velocity of a contact or a joint row over sqrt(d) */
static double rounding_of(const certificate *c, const ss_row_shares *rows, int group, double d)
{
    double sum = 0;
    for (int e = c->p->local ? 0 : rows->first[group]; !c->p->local && e < rows->first[group + 1]; e++) {
        sum += sqrt(rows->x[e] / d) * c->body.noise[rows->block[e]];
    }
    return sum;
}

/* The largest velocity, beside the body's own, that an impulse error of this size gives to a body. A body to which nothing
 * happens has no velocity of its own: its island's scale remains. */
static double beside_bodies(const certificate *c, const ss_row_shares *rows, int group, double error)
{
    double worst = 0;
    for (int e = c->p->local ? 0 : rows->first[group]; error != 0 && !c->p->local && e < rows->first[group + 1]; e++) {
        double speed = c->body.speed[rows->block[e]];
        worst = speed > 0 ? ss_worse(worst, SS_TOL_OWN * sqrt(rows->x[e]) * error / speed) : worst;
    }
    return worst;
}

static void add_contact(const certificate *c, int k, double d, own_error *own)
{
    const ss_problem *p = c->p;
    const ss_row_shares *shares = &c->work->rows.contacts;
    int first = p->row[k], rows = p->row[k + 1] - first, island = c->islands.of_contact[k];
    const double *r = c->s->r + first;
    double root = sqrt(d), number = root * ss_law_natural_map(p, k, d, c->s->r, c->lifted);
    double rounding =
        SS_TOL_CANCELLED * ss_array_length(rows, c->rounding + first) / root + sqrt(rows) * rounding_of(c, shares, k, d);
    own->number = number <= rounding ? 0 : number;
    own->beside = beside_bodies(c, shares, k, own->number / root);
    c->number[island] = ss_worse(c->number[island], own->number);
    c->scale[island] = ss_worse(c->scale[island], root * ss_array_length(rows, r));
}

/* the contact that is worst, within its island or beside its bodies */
static int find_worst(const certificate *c, const own_error *own, double *beside)
{
    double worst = 0;
    int which = -1;
    *beside = 0;
    for (int k = 0; k < c->p->nc; k++) {
        double mine = own[k].number != 0 ? own[k].number / c->scale[c->islands.of_contact[k]] : 0;
        mine = ss_worse(mine, own[k].beside);
        *beside = ss_worse(*beside, own[k].beside);
        if (which < 0 || mine > worst) {
            worst = mine;
            which = k;
        }
    }
    return which;
}

static ss_status certify_contacts(certificate *c, ss_residual *out)
{
    const ss_problem *p = c->p;
    own_error *own;
    double beside;
    SS_TRY(ss_arena_take(c->work->arena, (size_t)p->nc, sizeof *own, &own));
    open_islands(c, c->work->ground.contact);
    for (int k = 0; k < p->nc; k++) {
        double d = ss_residual_contact_scale(c->work, p, k);
        if (d > 0) {
            add_contact(c, k, d, &own[k]);
        } else {
            out->dropped++;
        }
    }
    out->worst = find_worst(c, own, &beside);
    out->contact = ss_worse(largest_quotient(c), beside);
    const double size = c->work->ground.q;
    SS_TRY(ss_classical_residual(c->work->arena, p, c->s->r, c->u, c->lifted, &out->classical));
    out->classical /= size > 0 ? size : 1;
    return SS_OK;
}

/* ---- momentum and joints ---------------------------------------------------------------------- */

/* number[island] = |rho|, of the bodies where it is more than rounding; returns the largest |rho_b| beside the speed of its body.
 * solved, norm: nv numbers of scratch each */
static double certify_bodies(const certificate *c, const double *rho, double *solved, double *norm)
{
    const ss_blockdiag *B = &c->p->scale;
    double worst = 0;
    memcpy(solved, rho, (size_t)c->p->nv * sizeof *rho);
    ss_blockdiag_solve(B, c->work->factor.L, solved);
    ss_block_norms(B, rho, solved, norm);
    for (int b = 0; b < B->blocks; b++) {
        double *number = &c->number[c->islands.of_block[b]];
        if (!(norm[b] <= c->body.rounding[b])) {
            *number = hypot(*number, norm[b]);
            worst = c->body.speed[b] > 0 ? ss_worse(worst, SS_TOL_OWN * norm[b] / c->body.speed[b]) : worst;
        }
    }
    return worst;
}

static ss_status certify_momentum(certificate *c, ss_residual *out)
{
    const ss_problem *p = c->p;
    double *x, *remainder, *solved, *square;
    SS_TRY(take(c->work->arena, p->nv, &x));
    SS_TRY(take(c->work->arena, p->nv, &remainder));
    SS_TRY(take(c->work->arena, p->nv, &solved));
    SS_TRY(take(c->work->arena, c->islands.count, &square));
    open_islands(c, c->work->ground.momentum);
    ss_matrix_times(&p->A, c->s->v, remainder);

    /* every term in turn is subtracted from the residual and may raise the scale */
    for (int i = 0; i < p->nv; i++) {
        remainder[i] -= p->b[i];
    }
    const ss_csr *rows[] = { &p->H, &p->G };
    const double *impulse[] = { c->s->r, c->s->lam };
    for (int part = 0; part < 2; part++) {
        if (rows[part]->m == 0) { /* a matrix without rows need not have columns either */
            continue;
        }
        ss_csr_transpose_times(rows[part], 1, impulse[part], 0, x);
        ss_residual_raise(c->work, p, x, solved, square, c->scale);
        for (int i = 0; i < p->nv; i++) {
            remainder[i] -= x[i];
        }
    }
    double beside = certify_bodies(c, remainder, solved, x);
    out->momentum = ss_worse(largest_quotient(c), beside);
    return SS_OK;
}

static void certify_joints(certificate *c, ss_residual *out)
{
    const ss_problem *p = c->p;
    const ss_row_shares *shares = &c->work->rows.joints;
    double impossible = 0, beside = 0;
    open_islands(c, NULL);
    for (int j = 0; j < p->nj; j++) {
        double d = c->work->of_G[j], root = sqrt(d);
        int island = c->islands.of_joint[j];
        if (!(d > 0)) { /* 0 = c */
            impossible = p->c[j] != 0 ? INFINITY : impossible;
            continue;
        }
        double number = fabs(ss_csr_row_dot(&p->G, j, c->s->v) - p->c[j]) / root;
        double rounding = SS_TOL_CANCELLED * row_magnitude(&p->G, j, c->s->v, p->c[j]) / root + rounding_of(c, shares, j, d);
        number = number <= rounding ? 0 : number;
        beside = ss_worse(beside, beside_bodies(c, shares, j, number / root));
        c->number[island] = ss_worse(c->number[island], number);
        c->scale[island] = ss_worse(c->scale[island], root * fabs(c->s->lam[j]));
        c->scale[island] = ss_worse(c->scale[island], fabs(ss_csr_row_dot(&p->G, j, c->work->ground.free)) / root);
        c->scale[island] = ss_worse(c->scale[island], p->v_old ? fabs(ss_csr_row_dot(&p->G, j, p->v_old)) / root : 0);
        c->scale[island] = ss_worse(c->scale[island], fabs(p->c[j]) / root);
    }
    out->joint = fmax(impossible, ss_worse(beside, largest_quotient(c)));
}

/* ---- the whole -------------------------------------------------------------------------------- */

/* u less what moments take from the normals of their hosts, and its rounding */
static ss_status lift_hosts(certificate *c)
{
    const ss_problem *p = c->p;
    c->lifted = c->u;
    if (!p->host) {
        return SS_OK;
    }
    SS_TRY(take(c->work->arena, c->nr, &c->lifted));
    memcpy(c->lifted, c->u, (size_t)c->nr * sizeof *c->u);
    for (int k = 0; k < p->nc; k++) {
        const double lift = ss_law_lift(p, k, c->u);
        if (lift > 0) {
            c->lifted[p->row[p->host[k]]] -= lift;
            c->rounding[p->row[p->host[k]]] += ss_law_lift(p, k, c->rounding);
        }
    }
    return SS_OK;
}

/* u and rounding of all contact rows; x: v, local form: r */
static ss_status contact_velocities(certificate *c, const double *x)
{
    const ss_csr *R = c->p->local ? &c->p->W : &c->p->H;
    SS_TRY(ss_arena_take_raw(c->work->arena, (size_t)c->nr, sizeof *c->u, &c->u));
    SS_TRY(ss_arena_take_raw(c->work->arena, (size_t)c->nr, sizeof *c->rounding, &c->rounding));
    for (int i = 0; i < c->nr; i++) {
        double sum = 0, size = fabs(c->p->w[i]);
        for (int e = R->p[i]; e < R->p[i + 1]; e++) {
            const double term = R->x[e] * x[R->i[e]];
            sum += term;
            size += fabs(term);
        }
        c->u[i] = sum + c->p->w[i];
        c->rounding[i] = size;
    }
    return lift_hosts(c);
}

static ss_status find_bodies(certificate *c)
{
    const ss_body_motion motion = { .problem = c->p, .solution = c->s, .L = c->work->factor.L };
    return ss_body_scales_find(c->work->arena, &motion, &c->work->ground.bodies, &c->work->rows, &c->body);
}

static void refuse(ss_residual *out) { out->contact = out->momentum = out->joint = out->classical = INFINITY; }

/* by the scales of the problem */
static ss_status certify(ss_residual_scales *work, const ss_problem *p, const ss_solution *s, ss_residual *out)
{
    certificate c = { .p = p, .s = s, .work = work, .islands = work->islands, .nr = p->nc > 0 ? p->row[p->nc] : 0 };
    bool local = p->local;
    *out = (ss_residual){ .worst = -1 };
    if (!all_finite(c.nr, s->r) || (!local && !(all_finite(p->nv, s->v) && all_finite(p->nj, s->lam)))) {
        refuse(out);
        return SS_OK;
    }
    ss_arena_release(work->arena, work->kept);
    SS_TRY(take(work->arena, c.islands.count, &c.number));
    SS_TRY(take(work->arena, c.islands.count, &c.scale));
    SS_TRY(contact_velocities(&c, local ? s->r : s->v));
    SS_TRY(local ? SS_OK : find_bodies(&c));
    SS_TRY(certify_contacts(&c, out));
    if (!local) {
        SS_TRY(certify_momentum(&c, out));
        certify_joints(&c, out);
    }
    if (isnan(out->contact + out->momentum + out->joint + out->classical)) {
        refuse(out);
    }
    return SS_OK;
}

ss_status ss_residual_compute(ss_residual_work *work, const ss_problem *problem, const ss_solution *solution, ss_residual *out)
{
    SS_TRY(ss_residual_scales_fill(work, problem));
    return certify(work->scales, problem, solution, out);
}

ss_status ss_residual_again(ss_residual_work *work, const ss_problem *problem, const ss_solution *solution, ss_residual *out)
{
    SS_TRY(ss_residual_scales_keep(work, problem));
    return certify(work->scales, problem, solution, out);
}

ss_status ss_problem_residual(ss_context *ctx, const ss_problem *problem, const ss_solution *solution, ss_residual *out)
{
    ss_residual_work *work;
    SS_TRY(ss_problem_check(ctx, problem));
    SS_TRY(ss_residual_create(ctx, &work));
    ss_status status = ss_residual_compute(work, problem, solution, out);
    ss_residual_destroy(work);
    return status;
}
