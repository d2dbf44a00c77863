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

#include "base/parallel.h"
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
    double *u;                 /* H v + w                                 */
    double *lifted;            /* u less what moments take from it        */
    double *rounding;          /* |H||v| + |w|                            */
    double *size;              /* contacts: |r_i|                         */
    bool *infinite;            /* ranges of contacts: r has a number that is */
    double *number, *scale;    /* islands: numerators, denominators       */
    struct own_error *own;     /* contacts                                */
    struct range_error *range; /* ranges of contacts                   */
    ss_body_scales body;       /* global form                             */
} certificate;

double ss_residual_worst(const ss_residual *residual)
{
    return ss_worse(residual->contact, ss_worse(residual->momentum, residual->joint));
}

/* ---- small pieces ----------------------------------------------------------------------------- */

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

/* of one contact; all 0 where nothing scales it */
typedef struct own_error {
    double number;    /* sqrt(d)|eps|                                        */
    double scale;     /* sqrt(d)|r|                                          */
    double beside;    /* largest velocity error of a body over its own speed */
    double classical; /* |r - P_K(r - u^)|, without moments                  */
} own_error;

enum { NONE = -1, SEVERAL = -2 }; /* of islands */

/* of the contacts of a range */
typedef struct range_error {
    int island;           /* of all that something scales, or NONE, SEVERAL       */
    int dropped;          /* those that nothing scales                            */
    double number, scale; /* their largest ones                                   */
    double classical;     /* sum of squares                                       */
    double worst, beside; /* the largest within its island or beside; beside alone */
    int which;            /* has that one; -1: none                               */
} range_error;

/* what rounding of velocities can make of the velocity of a contact or a joint row over sqrt(d) */
static double rounding_of(const certificate *c, const ss_acting_rows *rows, int group, double root)
{
    const int *first = rows->shares.first;
    double sum = 0;
    for (int e = c->p->local ? 0 : first[group]; !c->p->local && e < first[group + 1]; e++) {
        sum += rows->root[e] * c->body.noise[rows->shares.block[e]];
    }
    return sum / root;
}

/* The largest velocity, beside the body's own, that an impulse error of this size gives to a body. A body to which nothing
 * happens has no velocity of its own: its island's scale remains. */
static double beside_bodies(const certificate *c, const ss_acting_rows *rows, int group, double error)
{
    const int *first = rows->shares.first;
    double worst = 0;
    for (int e = c->p->local ? 0 : first[group]; error != 0 && !c->p->local && e < first[group + 1]; e++) {
        double speed = c->body.speed[rows->shares.block[e]];
        worst = speed > 0 ? ss_worse(worst, SS_TOL_OWN * rows->root[e] * error / speed) : worst;
    }
    return worst;
}

static void judge_contact(const certificate *c, int k, double d, own_error *own)
{
    const ss_problem *p = c->p;
    const ss_acting_rows *shares = &c->work->rows.contacts;
    const int first = p->row[k], rows = p->row[k + 1] - first;
    const double root = sqrt(d), of[2] = { d, 1 };
    double map[2];
    ss_law_natural_maps(p, k, 2, of, c->s->r, c->lifted, map);
    const double number = root * map[0], rounding = SS_TOL_CANCELLED * ss_array_length(rows, c->rounding + first) / root +
                                                    sqrt(rows) * rounding_of(c, shares, k, root);
    own->number = number <= rounding ? 0 : number;
    own->scale = root * c->size[k];
    own->beside = beside_bodies(c, shares, k, own->number / root);
    own->classical = map[1];
}

/* what all contacts of a range have together */
static range_error together(const certificate *c, int begin, int end)
{
    range_error all = { .island = NONE, .which = -1 };
    for (int k = begin; k < end; k++) {
        const own_error *own = &c->own[k];
        const int island = c->islands.of_contact[k];
        all.classical += own->classical * own->classical;
        if (c->work->of_contact[k] > 0) {
            all.island = all.island == NONE || all.island == island ? island : SEVERAL;
            all.number = ss_worse(all.number, own->number);
            all.scale = ss_worse(all.scale, own->scale);
        } else {
            all.dropped++;
        }
    }
    return all;
}

static void judge_contacts(void *data, int begin, int end)
{
    const certificate *c = data;
    for (int k = begin; k < end; k++) {
        const double d = c->work->of_contact[k];
        if (d > 0) {
            judge_contact(c, k, d, &c->own[k]);
        } else {
            c->own[k] = (own_error){ .classical = ss_law_natural_map(c->p, k, 1, c->s->r, c->lifted) };
        }
    }
    c->range[begin / SS_CONTACT_GRAIN] = together(c, begin, end);
}

static void raise_island(const certificate *c, int island, double number, double scale)
{
    c->number[island] = ss_worse(c->number[island], number);
    c->scale[island] = ss_worse(c->scale[island], scale);
}

/* numerators and denominators of the islands; counts the contacts that nothing scales */
static void collect_contacts(const certificate *c, ss_residual *out)
{
    for (int begin = 0; begin < c->p->nc; begin += SS_CONTACT_GRAIN) {
        const range_error *all = &c->range[begin / SS_CONTACT_GRAIN];
        out->dropped += all->dropped;
        if (all->island >= 0) {
            raise_island(c, all->island, all->number, all->scale);
        }
        for (int k = begin; all->island == SEVERAL && k < begin + SS_CONTACT_GRAIN && k < c->p->nc; k++) {
            if (c->work->of_contact[k] > 0) {
                raise_island(c, c->islands.of_contact[k], c->own[k].number, c->own[k].scale);
            }
        }
    }
}

/* of each range, the contact that is worst, within its island or beside its bodies */
static void compare_contacts(void *data, int begin, int end)
{
    const certificate *c = data;
    const own_error *own = c->own;
    range_error *all = &c->range[begin / SS_CONTACT_GRAIN];
    for (int k = begin; k < end; k++) {
        double mine = own[k].number != 0 ? own[k].number / c->scale[c->islands.of_contact[k]] : 0;
        mine = ss_worse(mine, own[k].beside);
        all->beside = ss_worse(all->beside, own[k].beside);
        if (all->which < 0 || mine > all->worst) {
            all->worst = mine;
            all->which = k;
        }
    }
}

/* the first of the worst ones; -1: there are no contacts */
static int find_worst(certificate *c, double *beside)
{
    range_error most = { .which = -1 };
    ss_parallel_for(c->work->ctx, c->p->nc, SS_CONTACT_GRAIN, compare_contacts, c);
    for (int k = 0; k * SS_CONTACT_GRAIN < c->p->nc; k++) {
        const double before = most.beside;
        most = most.which < 0 || c->range[k].worst > most.worst ? c->range[k] : most;
        most.beside = ss_worse(before, c->range[k].beside);
    }
    *beside = most.beside;
    return most.which;
}

/* contacts alone, whose maps are known; those with moments make cones of more dimensions */
static ss_status find_classical(const certificate *c, double *out)
{
    double sum = 0;
    if (c->p->host) {
        return ss_classical_residual(c->work->arena, c->p, c->s->r, c->u, c->lifted, out);
    }
    for (int k = 0; k * SS_CONTACT_GRAIN < c->p->nc; k++) {
        sum += c->range[k].classical;
    }
    *out = sqrt(sum);
    return SS_OK;
}

static ss_status certify_contacts(certificate *c, ss_residual *out)
{
    const double size = c->work->ground.q;
    double beside;
    const size_t nc = (size_t)c->p->nc;
    SS_TRY(ss_arena_take_raw(c->work->arena, nc, sizeof *c->own, &c->own));
    SS_TRY(ss_arena_take_raw(c->work->arena, nc / SS_CONTACT_GRAIN + 1, sizeof *c->range, &c->range));
    open_islands(c, c->work->ground.contact);
    ss_parallel_for(c->work->ctx, c->p->nc, SS_CONTACT_GRAIN, judge_contacts, c);
    collect_contacts(c, out);
    out->worst = find_worst(c, &beside);
    out->contact = ss_worse(largest_quotient(c), beside);
    SS_TRY(find_classical(c, &out->classical));
    out->classical /= size > 0 ? size : 1;
    return SS_OK;
}

/* ---- momentum and joints ---------------------------------------------------------------------- */

/* number[island] = |rho|, of the bodies where it is more than rounding; returns the largest |rho_b| beside the speed of its body.
 * Norms are roots of sums of squares: their squares are numbers as good as those were. */
static double certify_bodies(const certificate *c, const double *norm)
{
    double worst = 0;
    for (int b = 0; b < c->p->scale.blocks; b++) {
        if (!(norm[b] <= c->body.rounding[b])) {
            c->number[c->islands.of_block[b]] += norm[b] * norm[b];
            worst = c->body.speed[b] > 0 ? ss_worse(worst, SS_TOL_OWN * norm[b] / c->body.speed[b]) : worst;
        }
    }
    for (int k = 0; k < c->islands.count; k++) {
        c->number[k] = sqrt(c->number[k]);
    }
    return worst;
}

static ss_status certify_momentum(certificate *c, ss_residual *out)
{
    const ss_problem *p = c->p;
    double *sum;
    SS_TRY(take(c->work->arena, c->islands.count, &sum));
    open_islands(c, c->work->ground.momentum);
    for (int part = 0; part < (p->nj > 0 ? 2 : 1); part++) { /* every term may raise the scale */
        ss_residual_raise(c->work, p->scale.blocks, c->body.push[part], sum, c->scale);
    }
    const double beside = certify_bodies(c, c->body.error);
    out->momentum = ss_worse(largest_quotient(c), beside);
    return SS_OK;
}

static void certify_joints(certificate *c, ss_residual *out)
{
    const ss_problem *p = c->p;
    const ss_acting_rows *shares = &c->work->rows.joints;
    double impossible = 0, beside = 0;
    open_islands(c, NULL);
    for (int j = 0; j < p->nj; j++) {
        double d = c->work->of_joint[j], root = sqrt(d);
        int island = c->islands.of_joint[j];
        if (!(d > 0)) { /* 0 = c */
            impossible = p->c[j] != 0 ? INFINITY : impossible;
            continue;
        }
        double number = fabs(ss_csr_row_dot(&p->G, j, c->s->v) - p->c[j]) / root;
        double rounding = SS_TOL_CANCELLED * row_magnitude(&p->G, j, c->s->v, p->c[j]) / root + rounding_of(c, shares, j, root);
        number = number <= rounding ? 0 : number;
        beside = ss_worse(beside, beside_bodies(c, shares, j, number / root));
        c->number[island] = ss_worse(c->number[island], number);
        c->scale[island] = ss_worse(c->scale[island], root * fabs(c->s->lam[j]));
        c->scale[island] = ss_worse(c->scale[island], fabs(ss_csr_row_dot(&p->G, j, c->work->ground.bodies.free)) / root);
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

/* W r and |W||r| of the rows of some contacts: local form */
static void times_locally(const certificate *c, int begin, int end)
{
    for (int i = c->p->row[begin]; i < c->p->row[end]; i++) {
        c->u[i] = ss_csr_row_dot(&c->p->W, i, c->s->r);
        c->rounding[i] = row_magnitude(&c->p->W, i, c->s->r, 0);
    }
}

/* velocities of some contacts, and what their impulses are like */
static void look_at_contacts(void *data, int begin, int end)
{
    const certificate *c = data;
    const ss_problem *p = c->p;
    const ss_acting_matrix contacts = { &c->work->rows.contacts, &p->H, p->row, &p->scale };
    int infinite = 0;
    if (p->local) {
        times_locally(c, begin, end);
    } else {
        ss_acting_times_sized(&contacts, begin, end, c->s->v, c->u, c->rounding);
    }
    for (int k = begin; k < end; k++) {
        const int first = p->row[k], rows = p->row[k + 1] - first;
        c->size[k] = ss_array_length(rows, c->s->r + first);
        for (int i = first; i < first + rows; i++) {
            c->u[i] += p->w[i];
            c->rounding[i] += fabs(p->w[i]);
            infinite |= !isfinite(c->s->r[i]);
        }
    }
    c->infinite[begin / SS_CONTACT_GRAIN] = infinite;
}

static ss_status contact_velocities(certificate *c)
{
    const size_t nc = (size_t)c->p->nc;
    SS_TRY(ss_arena_take_raw(c->work->arena, (size_t)c->nr, sizeof *c->u, &c->u));
    SS_TRY(ss_arena_take_raw(c->work->arena, (size_t)c->nr, sizeof *c->rounding, &c->rounding));
    SS_TRY(ss_arena_take_raw(c->work->arena, nc, sizeof *c->size, &c->size));
    SS_TRY(ss_arena_take(c->work->arena, nc / SS_CONTACT_GRAIN + 1, sizeof *c->infinite, &c->infinite));
    ss_parallel_for(c->work->ctx, c->p->nc, SS_CONTACT_GRAIN, look_at_contacts, c);
    return lift_hosts(c);
}

static ss_status find_bodies(certificate *c)
{
    const ss_residual_scales *work = c->work;
    const ss_bodies bodies = ss_residual_bodies(work, c->p);
    const ss_body_motion motion = { &bodies, c->s, c->size, &work->rows };
    return ss_body_scales_find(&motion, &work->ground.bodies, &c->body);
}

/* of impulses and velocities, as the loops over contacts and bodies have seen them */
static bool has_infinite(const certificate *c)
{
    const ss_problem *p = c->p;
    bool any = false;
    for (int k = 0; k * SS_CONTACT_GRAIN < p->nc; k++) {
        any = any || c->infinite[k];
    }
    for (int k = 0; !p->local && k * SS_BODY_GRAIN < p->scale.blocks; k++) {
        any = any || c->body.infinite[k];
    }
    for (int j = 0; !p->local && j < p->nj; j++) {
        any = any || !isfinite(c->s->lam[j]);
    }
    return any;
}

static void refuse(ss_residual *out) { out->contact = out->momentum = out->joint = out->classical = INFINITY; }

/* by the scales of the problem */
static ss_status certify(ss_residual_scales *work, const ss_problem *p, const ss_solution *s, ss_residual *out)
{
    certificate c = { .p = p, .s = s, .work = work, .islands = work->islands, .nr = p->nc > 0 ? p->row[p->nc] : 0 };
    bool local = p->local;
    *out = (ss_residual){ .worst = -1 };
    ss_arena_release(work->arena, work->kept);
    SS_TRY(take(work->arena, c.islands.count, &c.number));
    SS_TRY(take(work->arena, c.islands.count, &c.scale));
    SS_TRY(contact_velocities(&c));
    SS_TRY(local ? SS_OK : find_bodies(&c));
    if (has_infinite(&c)) {
        refuse(out);
        return SS_OK;
    }
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

/* The store is filled for the problem. A candidate whose numbers are those of the last one has its certificate: whoever asks
 * about an answer that a solver has judged by this very function need not have it computed again. */
static ss_status certify_once(ss_residual_scales *work, const ss_problem *p, const ss_solution *s, ss_residual *out)
{
    ss_residual_verdict *last = &work->filling.last;
    const ss_digest of = ss_candidate_digest(work->ctx, p, s);
    if (!last->is || !ss_digest_is(&of, &last->of)) {
        last->is = false;
        SS_TRY(certify(work, p, s, &last->found));
        last->of = of;
        last->is = true;
    }
    *out = last->found;
    return SS_OK;
}

ss_status ss_residual_compute(ss_residual_work *work, const ss_problem *problem, const ss_solution *solution, ss_residual *out)
{
    SS_TRY(ss_residual_scales_fill(work, problem));
    return certify_once(work->scales, problem, solution, out);
}

ss_status ss_residual_again(ss_residual_work *work, const ss_problem *problem, const ss_solution *solution, ss_residual *out)
{
    SS_TRY(ss_residual_scales_keep(work, problem));
    return certify_once(work->scales, problem, solution, out);
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
