/* sharing.c - the islands of a problem whose impulses are replaced by the limit of vanishing compliance.
 *
 * An island whose impulses may be open (open_islands.c), of at most SS_SHARING_ROWS rows, gets its dense W = H K^-1 H' and q
 * (delassus.c). The solution of a small compliance that is near the states of the last step is tried first; if there is none,
 * then the limit on the states that the velocities of the given solution show; if it does not obey the laws, the solution is
 * followed from a large compliance (compliance_path.c). Contacts that touch at the same place share one compliance: m of them
 * have e = m each, so that a contact that is there twice bears no more than one. Contacts that nothing can move keep their
 * impulse. Some islands at a time are cut out as a problem of their own (subproblem.c): what they cost does not depend
 * on the rest, and the memory for their matrices does not grow with the number of islands.
 *
 * Reference   docs/indeterminacy.md
 * Cost        rows^3 of each island */
#include "problem/sharing.h"

#include "base/tolerances.h"
#include "math/dense.h"
#include "math/worse.h"
#include "problem/compliance.h"
#include "problem/delassus.h"
#include "problem/island_queue.h"
#include "problem/open_islands.h"

#include <math.h>

enum {
    REFINEMENTS = 2,
    ROWS_AT_A_TIME = 256, /* contact rows of islands that are cut out together, if there is more than one of them */
};

static const double TIGHT = 1e-5; /* up to this tolerance, all that is taken is solved to round-off */

struct ss_sharing {
    ss_context *ctx;
    ss_arena *own, *arena; /* the second one is in use: lent, or its own */
    ss_delassus *delassus;
    double *last; /* rows of the problem: impulses of the last step, if they were given */
    int last_cap;
    bool recalls;               /* they were      */
    bool solved;                /* the given solution is within the tolerance */
    bool loose;                 /* which is a loose one                       */
    const bool *uneven;         /* islands: bodies of very different mass     */
    ss_kkt *kkt;                /* the caller's */
    ss_residual_work *residual; /* the caller's */
};

ss_status ss_sharing_create(ss_context *ctx, ss_kkt *kkt, ss_residual_work *residual, ss_sharing **out)
{
    SS_TRY(ss_calloc(ctx, 1, sizeof **out, out));
    **out = (ss_sharing){ .ctx = ctx, .kkt = kkt, .residual = residual };
    ss_status status = ss_arena_create(ctx, 1 << 12, &(*out)->own);
    status = status != SS_OK ? status : ss_delassus_create(ctx, &(*out)->delassus);
    if (status != SS_OK) {
        ss_sharing_destroy(*out);
        *out = NULL;
    }
    return status;
}

void ss_sharing_destroy(ss_sharing *sharing)
{
    if (sharing) {
        ss_arena_destroy(sharing->own);
        ss_delassus_destroy(sharing->delassus);
        ss_free(sharing->ctx, sharing->last);
        ss_free(sharing->ctx, sharing);
    }
}

/* ---- an island -------------------------------------------------------------------------------- */

/* everything that belongs to one island; contacts and rows by their numbers in the part */
typedef struct island {
    ss_compliant c;
    ss_compliance_run run;
    bool found;
    int *contact, *first, *row; /* c's; n: the part's rows */
    double *W, *q, *d, *e, *given, *terms;
} island;

static ss_status take(ss_arena *arena, int nc, int n, island *is)
{
    double **vector[] = { &is->q, &is->given, &is->terms, &is->c.r, &is->c.u };
    SS_TRY(ss_arena_take(arena, (size_t)nc, sizeof *is->contact, &is->contact));
    SS_TRY(ss_arena_take(arena, (size_t)nc + 1, sizeof *is->first, &is->first));
    SS_TRY(ss_arena_take(arena, (size_t)n, sizeof *is->row, &is->row));
    SS_TRY(ss_arena_take_raw(arena, (size_t)n * (size_t)n, sizeof *is->W, &is->W));
    SS_TRY(ss_arena_take(arena, (size_t)nc, sizeof *is->d, &is->d));
    SS_TRY(ss_arena_take(arena, (size_t)nc, sizeof *is->e, &is->e));
    for (size_t k = 0; k < sizeof vector / sizeof *vector; k++) {
        SS_TRY(ss_arena_take(arena, (size_t)n, sizeof **vector[k], vector[k]));
    }
    return SS_OK;
}

/* trace of the own block of contact i over its rows */
static double mobility(const island *is, int i)
{
    const int first = is->first[i], rows = is->first[i + 1] - first;
    double trace = 0;
    for (int k = first; k < first + rows; k++) {
        trace += is->W[(size_t)k * (size_t)(is->c.n + 1)];
    }
    return trace / rows;
}

/* do the normals of two contacts have the same row of H (local form: of W)? */
static bool coincide(const ss_problem *p, int a, int b)
{
    const ss_csr *H = p->local ? &p->W : &p->H;
    const int i = p->row[a], j = p->row[b], n = H->p[i + 1] - H->p[i];
    bool same = n == H->p[j + 1] - H->p[j] && (p->law[a] == SS_LAW_BOUNDED) == (p->law[b] == SS_LAW_BOUNDED);
    double size = 0;
    for (int e = 0; e < n && same; e++) {
        size = fmax(size, fabs(H->x[H->p[i] + e]));
        same = H->i[H->p[i] + e] == H->i[H->p[j] + e];
    }
    for (int e = 0; e < n && same; e++) {
        same = fabs(H->x[H->p[i] + e] - H->x[H->p[j] + e]) <= SS_TOL_REDUNDANT * size;
    }
    return same;
}

/* Rows of joints (limits, motors, friction in joints) have next to no compliance. */
static double share_of(const ss_island_part *t, const island *is, int i)
{
    const ss_problem *p = &t->part.problem;
    const int *number = t->part.contact; /* in the whole, whose rows have all their entries, zeros too */
    const double own = p->compliance ? p->compliance[is->contact[i]] : 1;
    int same = 0;
    for (int k = 0; k < is->c.nc; k++) {
        same += coincide(t->whole, number[is->contact[i]], number[is->contact[k]]);
    }
    return fmax(own, SS_TOL_REDUNDANT) * same;
}

/* the contacts of island `number` that touch something */
static void list_contacts(const ss_sharing *sharing, const ss_island_part *t, int number, island *is)
{
    is->c.nc = 0;
    for (int k = t->first[number]; k < t->first[number + 1]; k++) {
        if (ss_delassus_scale(sharing->delassus, t->part.problem.row[k]) > 0) {
            is->contact[is->c.nc++] = k;
        }
    }
}

/* rows of the contacts in the list, and their W and q */
static ss_status fill(ss_sharing *sharing, const ss_problem *p, island *is)
{
    int n = 0;
    for (int i = 0; i < is->c.nc; i++) {
        is->first[i] = n;
        for (int k = p->row[is->contact[i]]; k < p->row[is->contact[i] + 1]; k++) {
            is->row[n++] = k;
        }
    }
    is->first[is->c.nc] = is->c.n = n;
    return ss_delassus_submatrix(sharing->delassus, sharing->arena, n, is->row, is->W, is->q);
}

/* leave out contacts that joints hold; is one of them? */
static bool drop_held(island *is)
{
    const int before = is->c.nc;
    int kept = 0;
    for (int i = 0; i < before; i++) {
        is->contact[kept] = is->contact[i];
        kept += mobility(is, i) > 0;
    }
    is->c.nc = kept;
    return kept < before;
}

/* |H_i||v| + |w_i|; local form: 0, q has all there is */
static double size_of_terms(const ss_problem *p, int row, const double *v)
{
    double sum = p->local ? 0 : fabs(p->w[row]);
    for (int e = p->local ? 0 : p->H.p[row]; !p->local && e < p->H.p[row + 1]; e++) {
        sum += fabs(p->H.x[e] * v[p->H.i[e]]);
    }
    return sum;
}

/* the given solution and offsets */
static void reset(island *is, const ss_solution *s)
{
    memcpy(is->q, is->given, (size_t)is->c.n * sizeof *is->q);
    for (int i = 0; i < is->c.n; i++) {
        is->c.r[i] = s->r[is->row[i]];
        is->c.u[i] = s->u[is->row[i]];
    }
}

/* the contacts of island `number` that can move, their W and q, and the given solution */
static ss_status gather(ss_sharing *sharing, const ss_island_part *t, int number, island *is)
{
    const ss_problem *p = &t->part.problem;
    const ss_solution *s = &t->part.solution;
    ss_compliant *c = &is->c;
    c->problem = p;
    c->contact = is->contact;
    c->first = is->first;
    c->W = is->W;
    c->q = is->q;
    c->d = is->d;
    c->e = is->e;
    c->terms = is->terms;
    list_contacts(sharing, t, number, is);
    SS_TRY(fill(sharing, p, is));
    if (drop_held(is)) {
        SS_TRY(fill(sharing, p, is));
    }
    memcpy(is->given, is->q, (size_t)c->n * sizeof *is->q);
    for (int i = 0; i < c->nc; i++) {
        is->d[i] = mobility(is, i);
        is->e[i] = share_of(t, is, i);
    }
    for (int i = 0; i < c->n; i++) {
        is->terms[i] = size_of_terms(p, is->row[i], s->v);
    }
    reset(is, s);
    return SS_OK;
}

static void write_impulses(const island *is, ss_solution *s)
{
    for (int i = 0; i < is->c.n; i++) {
        s->r[is->row[i]] = is->c.r[i];
    }
}

static void write_offsets(const ss_problem *p, const island *is)
{
    for (int i = 0; i < is->c.n; i++) {
        p->w[is->row[i]] += is->c.q[i] - is->given[i];
    }
}

static double refine(island *is, const ss_solution *s)
{
    for (int i = 0; i < is->c.n; i++) {
        is->c.u[i] = s->u[is->row[i]];
    }
    return ss_compliance_refine(&is->run);
}

/* the limit that is near the states of the last step */
static ss_status recall(ss_sharing *sharing, const ss_island_part *t, island *is)
{
    double *last;
    SS_TRY(ss_arena_take(sharing->arena, (size_t)is->c.n, sizeof *last, &last));
    for (int i = 0; i < is->c.n; i++) {
        last[i] = sharing->last[t->part.contact_row[is->row[i]]];
    }
    return ss_compliance_recall(&is->run, last, &is->found);
}

/* Where rows are independent, statics leaves nothing open, and the solution that was found may stay. With a tight tolerance that
 * is so for one contact alone: several are solved to round-off, as are bodies of very different mass with any tolerance. */
static ss_status is_determined(const ss_sharing *sharing, const island *is, bool uneven, bool *determined)
{
    const int n = is->c.n;
    double *W, *work;
    int *order;
    *determined = sharing->solved && (is->c.nc == 1 || (sharing->loose && !uneven));
    if (*determined) {
        const ss_arena_mark mark = ss_arena_save(sharing->arena);
        SS_TRY(ss_arena_take_raw(sharing->arena, (size_t)n * (size_t)n, sizeof *W, &W));
        SS_TRY(ss_arena_take_raw(sharing->arena, 2 * (size_t)n, sizeof *work, &work));
        SS_TRY(ss_arena_take_raw(sharing->arena, (size_t)n, sizeof *order, &order));
        memcpy(W, is->W, (size_t)n * (size_t)n * sizeof *W);
        ss_dense_symmetrise(n, W);
        *determined = ss_dense_cholesky_pivoted(n, W, n, SS_TOL_REDUNDANT, order, work) == n;
        ss_arena_release(sharing->arena, mark);
    }
    return SS_OK;
}

/* the limit of one island, into is->c */
static ss_status share_island(ss_sharing *sharing, const ss_island_part *t, int number, island *is, ss_sharing_info *info)
{
    const int first = t->first[number], end = t->first[number + 1], *row = t->part.problem.row;
    const ss_solution *s = &t->part.solution;
    bool determined;
    SS_TRY(take(sharing->arena, end - first, row[end] - row[first], is));
    SS_TRY(gather(sharing, t, number, is));
    SS_TRY(is_determined(sharing, is, sharing->uneven[t->number[number]], &determined));
    if (is->c.nc == 0 || determined) {
        return SS_OK;
    }
    SS_TRY(ss_compliance_open(&is->run, sharing->arena, &is->c));
    SS_TRY(sharing->recalls ? recall(sharing, t, is) : SS_OK);
    if (!is->found) {
        reset(is, s);
        SS_TRY(ss_compliance_guess(&is->run, &is->found));
    }
    if (!is->found) {
        reset(is, s);
        SS_TRY(ss_compliance_follow(sharing->ctx, &is->run, &is->found));
        info->followed += is->found;
    }
    info->left += !is->found;
    info->islands += is->found;
    info->dependent += is->found && is->c.dependent;
    return SS_OK;
}

/* ---- all of them ------------------------------------------------------------------------------ */

/* what is replaced */
typedef struct copy {
    double *v, *lam, *r, *u, *w;
} copy;

static ss_status copy_numbers(ss_arena *arena, int n, const double *from, double **to)
{
    SS_TRY(ss_arena_take_raw(arena, (size_t)n, sizeof **to, to));
    for (int i = 0; i < n; i++) { /* there may be none, and nothing to point to */
        (*to)[i] = from[i];
    }
    return SS_OK;
}

static ss_status keep(ss_arena *arena, const ss_problem *p, const ss_solution *s, copy *old)
{
    const int nr = p->row[p->nc];
    if (!p->local) {
        SS_TRY(copy_numbers(arena, p->nv, s->v, &old->v));
        SS_TRY(copy_numbers(arena, p->nj, s->lam, &old->lam));
    }
    SS_TRY(copy_numbers(arena, nr, s->r, &old->r));
    SS_TRY(copy_numbers(arena, nr, s->u, &old->u));
    return copy_numbers(arena, nr, p->w, &old->w);
}

static void restore(const ss_problem *p, ss_solution *s, const copy *old)
{
    const size_t nr = (size_t)p->row[p->nc] * sizeof(double);
    if (!p->local) {
        memcpy(s->v, old->v, (size_t)p->nv * sizeof(double));
        for (int i = 0; i < p->nj; i++) {
            s->lam[i] = old->lam[i];
        }
    }
    memcpy(s->r, old->r, nr);
    memcpy(s->u, old->u, nr);
    memcpy(p->w, old->w, nr);
}

/* the largest change of the velocity of a contact, of the island's speeds */
static double change_of(const ss_island_part *t, const island *is, const double *before)
{
    const double *u = t->part.solution.u;
    double change = 0;
    for (int i = 0; i < is->c.nc; i++) {
        for (int k = is->first[i]; k < is->first[i + 1]; k++) {
            change = ss_worse(change, fabs(u[is->row[k]] - before[t->part.contact_row[is->row[k]]]) / sqrt(is->d[i]));
        }
    }
    return is->run.scale > 0 ? change / is->run.scale : 0;
}

/* Velocities of the impulses, by the momentum equation itself: W is not accurate enough where a heavy body rests on a light
 * one. Impulses are refined until these velocities obey the laws as well. */
static ss_status recover(ss_sharing *sharing, const ss_problem *p, int count, island *is, ss_solution *s)
{
    double change = INFINITY;
    for (int round = 0; round <= REFINEMENTS && change > SS_TOL_ROUND_OFF; round++) {
        change = 0;
        for (int k = 0; k < count; k++) {
            if (is[k].found) {
                change = round == 0 ? INFINITY : ss_worse(change, refine(&is[k], s));
                write_impulses(&is[k], s);
            }
        }
        SS_TRY(ss_kkt_recover(sharing->kkt, p, s));
    }
    return SS_OK;
}

/* the limits of some islands; before: velocities of all contacts as they were given */
static ss_status share_islands(ss_sharing *sharing, ss_island_part *t, const double *before, ss_sharing_info *info)
{
    const ss_problem *p = &t->part.problem;
    ss_solution *s = &t->part.solution;
    const int found = info->islands;
    island *is;
    if (!p->local) {
        SS_TRY(ss_kkt_factor(sharing->kkt, p));
    }
    SS_TRY(ss_delassus_prepare(sharing->delassus, p, p->local ? NULL : sharing->kkt));
    SS_TRY(ss_arena_take(sharing->arena, (size_t)t->count, sizeof *is, &is));
    for (int k = 0; k < t->count; k++) {
        SS_TRY(share_island(sharing, t, k, &is[k], info));
    }
    for (int k = 0; k < t->count; k++) {
        if (is[k].found) {
            write_offsets(p, &is[k]);
        }
    }
    if (info->islands > found) {
        SS_TRY(recover(sharing, p, t->count, is, s));
    }
    for (int k = 0; k < t->count; k++) {
        const bool open = is[k].found && is[k].c.dependent;
        info->chosen = open ? ss_worse(info->chosen, change_of(t, &is[k], before)) : info->chosen;
    }
    return SS_OK;
}

ss_status ss_sharing_note(ss_sharing *sharing, const ss_problem *p, const ss_solution *s)
{
    const int rows = p->nc > 0 ? p->row[p->nc] : 0;
    sharing->recalls = s->warm;
    SS_TRY(ss_reserve(sharing->ctx, &sharing->last, &sharing->last_cap, rows, sizeof *sharing->last));
    for (int i = 0; i < rows && s->warm; i++) {
        sharing->last[i] = isfinite(s->r[i]) ? s->r[i] : 0;
    }
    return SS_OK;
}

/* all of them; *moved: offsets have changed */
static ss_status share_all(ss_sharing *sharing, ss_island_queue *q, const double *before, ss_solution *s, ss_sharing_info *info,
                           bool *moved)
{
    *moved = false;
    for (bool going = true; going;) {
        const ss_arena_mark mark = ss_arena_save(sharing->arena);
        ss_island_part t;
        SS_TRY(ss_island_queue_cut(q, sharing->arena, ROWS_AT_A_TIME, s, &t));
        going = t.count > 0;
        if (going) {
            SS_TRY(share_islands(sharing, &t, before, info));
            *moved = ss_island_part_put_back(&t, s) || *moved;
        }
        ss_arena_release(sharing->arena, mark);
    }
    return SS_OK;
}

static ss_status apply(ss_sharing *sharing, const ss_problem *p, double tol, ss_solution *s, ss_residual *residual,
                       ss_sharing_info *info)
{
    const double before = ss_residual_worst(residual);
    ss_residual after;
    ss_islands islands;
    ss_island_queue q;
    copy old;
    ss_open open;
    bool moved;
    *info = (ss_sharing_info){ 0 };
    sharing->solved = before <= tol;
    sharing->loose = tol > TIGHT;
    SS_TRY(ss_residual_find_islands(sharing->residual, p, &islands));
    SS_TRY(ss_open_islands(sharing->ctx, sharing->arena, p, &islands, SS_SHARING_ROWS, &open));
    if (!open.some) {
        return SS_OK;
    }
    sharing->uneven = open.uneven;
    SS_TRY(keep(sharing->arena, p, s, &old));
    SS_TRY(ss_island_queue_open(sharing->arena, p, &islands, open.taken, &q));
    ss_residual_let_go(sharing->residual, (ss_residual_held){ 0 }); /* offsets may change from here on */
    ss_status status = share_all(sharing, &q, old.u, s, info, &moved);
    if (status == SS_OK && info->islands > 0) {
        SS_TRY(moved ? ss_residual_compute(sharing->residual, p, s, &after)
                     : ss_residual_again(sharing->residual, p, s, &after)); /* of the problem that was asked about above */
    }
    if (status == SS_OK && info->islands > 0 && ss_residual_worst(&after) <= fmax(tol, before)) {
        *residual = after;
        return SS_OK;
    }
    restore(p, s, &old);
    *info = (ss_sharing_info){ 0 };
    return status == SS_ERR_NUMERIC ? SS_OK : status;
}

ss_status ss_sharing_apply(ss_sharing *sharing, const ss_problem *p, double tol, ss_solution *s, ss_residual *residual,
                           ss_sharing_info *info)
{
    sharing->arena = ss_context_lent(sharing->ctx) ? ss_context_lent(sharing->ctx) : sharing->own;
    const ss_arena_mark mark = ss_arena_save(sharing->arena);
    const ss_status status = apply(sharing, p, tol, s, residual, info), settled = ss_arena_settle(sharing->own);
    ss_arena_release(sharing->arena, mark);
    return status != SS_OK ? status : settled;
}
