/* compliance.c - the limit of vanishing compliance on given states of the contacts.
 *
 * Statics often leaves open how contacts share a load: the rows of W that are active depend on each other, and the impulses that
 * obey the laws form a whole set. Every real contact gives way a little. With a compliance eps e_i at each contact,
 *     u~ = (W + eps E) r + q,    u~_i and r_i obey law_i,
 * impulses are unique (for convex laws; Coulomb's: followed from large eps, compliance_path.c), and their limit eps -> 0 obeys
 * the laws of rigid contacts exactly. On given faces of the laws (face.c), r = P x + c, the equations are linear,
 *     (B + eps C) x = g,   B = S W P + bend,   C = S E P,   g = -S (W c + q),
 * and limit.c finds the limit without dividing by eps. Slip on a disc turns until its part across is gone: Newton's method.
 *
 * Offsets of dependent rows that disagree by less than SS_TOL_DISAGREE of the island's speeds (gaps of 1e-13, divided by h)
 * are made to agree: otherwise noise would decide which contacts bear.
 *
 * A guess by velocities: contacts that do not separate are active, those that do not slip stick. If the limit on these faces
 * obeys every law, and every active contact bears something, solutions for small eps > 0 have the same faces by continuity,
 * but for friction on the very boundary of a cone.
 *
 * Reference   docs/indeterminacy.md
 * Cost        some n^3 for n active rows                                                               */
#include "base/tolerances.h"
#include "math/array.h"
#include "math/dense.h"
#include "math/limit.h"
#include "math/worse.h"
#include "problem/compliance_inside.h"
#include "problem/law_map.h"

#include <math.h>

static const double ACROSS = 1e-11;   /* of mu r_N, friction across a slip: it has been turned                     */
static const double SETTLED = 1e-8;   /* and no better than this, if turning does not help any more                */
static const double VANISHING = 1e-3; /* of d, where eps is 0: a slip with less bend than this keeps it           */
enum { TURNS = 20 };                  /* Newton steps for the directions of slip                                 */

/* ---- pieces ----------------------------------------------------------------------------------- */

/* A slip of contact i that has less bend than this vanishes with eps: halfway, in orders of magnitude, between eps and d. */
static double least_bend(const ss_compliant *c, int i, double eps) { return eps > 0 ? sqrt(eps * c->d[i]) : VANISHING * c->d[i]; }

static int rows_of(const ss_compliant *c, int i) { return c->first[i + 1] - c->first[i]; }

void ss_compliance_velocities(const ss_compliant *c, const double *r, double *u)
{
    memcpy(u, c->q, (size_t)c->n * sizeof *u);
    ss_dense_times(c->n, c->n, 1, c->W, c->n, r, u);
}

/* the speeds of the island, |q|/sqrt(d) and of the terms of u, and with them its impulses, sqrt(d) |r| */
static void find_scales(const ss_compliant *c, double *speed, double *scale)
{
    double force = 0;
    *speed = 0;
    for (int i = 0; i < c->nc; i++) {
        const double root = sqrt(c->d[i]);
        *speed = ss_worse(*speed, ss_array_length(rows_of(c, i), c->q + c->first[i]) / root);
        *speed = ss_worse(*speed, ss_array_length(rows_of(c, i), c->terms + c->first[i]) / root);
        force = ss_worse(force, root * ss_array_length(rows_of(c, i), c->r + c->first[i]));
    }
    *scale = ss_worse(*speed, force);
}

ss_status ss_compliance_open(ss_compliance_run *run, ss_arena *arena, ss_compliant *c)
{
    const size_t n = (size_t)c->n;
    ss_face_system *s = &run->system;
    *run = (ss_compliance_run){ .c = c, .arena = arena };
    find_scales(c, &run->speed, &run->scale);
    ss_dense_start();
    SS_TRY(ss_arena_take(arena, (size_t)c->nc, sizeof *run->face, &run->face));
    SS_TRY(ss_arena_take(arena, n, sizeof *s->owner, &s->owner));
    double **square[] = { &s->B, &s->C, &s->WP };
    double **vector[] = { &s->g, &s->x, &s->Wc, &run->next, &run->best };
    for (size_t k = 0; k < sizeof square / sizeof *square; k++) {
        SS_TRY(ss_arena_take_raw(arena, n * n, sizeof **square[k], square[k]));
    }
    for (size_t k = 0; k < sizeof vector / sizeof *vector; k++) {
        SS_TRY(ss_arena_take(arena, n, sizeof **vector[k], vector[k]));
    }
    return SS_OK;
}

double ss_compliance_error(const ss_compliance_run *run, double eps, const double *r, const double *u)
{
    const ss_compliant *c = run->c;
    double worst = 0;
    for (int i = 0; i < c->nc; i++) {
        const int first = c->first[i], rows = rows_of(c, i);
        const double give = eps * c->e[i], rho = 1 / (c->d[i] + give);
        double y[3], p[3], D[9];
        for (int k = 0; k < rows; k++) {
            y[k] = r[first + k] - rho * (u[first + k] + give * r[first + k]);
        }
        ss_law_map(c->problem, c->contact[i], y, p, D);
        for (int k = 0; k < rows; k++) {
            p[k] -= r[first + k];
        }
        worst = ss_worse(worst, sqrt(c->d[i]) * ss_array_length(rows, p));
    }
    return run->scale > 0 ? worst / run->scale : worst;
}

/* ---- the equations of the faces ----------------------------------------------------------------- */

static void number_unknowns(ss_compliance_run *run)
{
    ss_face_system *s = &run->system;
    s->n = 0;
    for (int i = 0; i < run->c->nc; i++) {
        for (int j = 0; j < run->face[i].count; j++) {
            s->owner[s->n++] = i;
        }
    }
}

/* which part of its contact unknown a is */
static int part_of(const ss_face_system *s, int a)
{
    int part = 0;
    while (a - part > 0 && s->owner[a - part - 1] == s->owner[a]) {
        part++;
    }
    return part;
}

/* WP = W P, column by column; Wc = W c + q */
static void multiply(ss_compliance_run *run)
{
    const ss_compliant *c = run->c;
    ss_face_system *s = &run->system;
    const size_t n = (size_t)c->n;
    memcpy(s->Wc, c->q, n * sizeof *s->Wc);
    for (int i = 0; i < c->nc; i++) {
        if (run->face[i].c != 0) {
            ss_dense_add(c->n, run->face[i].c, c->W + n * (size_t)c->first[i], s->Wc);
        }
    }
    for (int a = 0; a < s->n; a++) {
        const int i = s->owner[a];
        const double *P = run->face[i].P + 3 * part_of(s, a);
        double *column = s->WP + n * (size_t)a;
        memset(column, 0, n * sizeof *column);
        for (int k = 0; k < rows_of(c, i); k++) {
            if (P[k] != 0) {
                ss_dense_add(c->n, P[k], c->W + n * (size_t)(c->first[i] + k), column);
            }
        }
    }
}

/* row a of B and C, and g_a */
static void write_row(ss_compliance_run *run, int a, double eps)
{
    const ss_compliant *c = run->c;
    ss_face_system *s = &run->system;
    const int i = s->owner[a], part = part_of(s, a), rows = rows_of(c, i);
    const ss_face *face = &run->face[i];
    const double *S = face->S + 3 * part, root = 1 / sqrt(c->d[i]);
    for (int b = 0; b < s->n; b++) {
        const size_t at = (size_t)a + (size_t)s->n * (size_t)b;
        const double both = root / sqrt(c->d[s->owner[b]]);
        s->B[at] = both * ss_array_dot(rows, S, s->WP + (size_t)c->n * (size_t)b + c->first[i]);
        s->C[at] = s->owner[b] == i ? both * c->e[i] * ss_array_dot(rows, S, face->P + 3 * part_of(s, b)) : 0;
    }
    s->g[a] = -root * ss_array_dot(rows, S, s->Wc + c->first[i]);
    if (face->turns && part == face->count - 1) {
        const size_t at = (size_t)a * (size_t)(s->n + 1);
        const bool vanishes = eps > 0 && face->bend <= least_bend(c, i, eps);
        s->B[at] += vanishes ? 0 : face->bend / c->d[i];
        s->C[at] += vanishes ? face->bend / (eps * c->d[i]) : 0;
    }
}

void ss_compliance_assemble(ss_compliance_run *run, double eps)
{
    number_unknowns(run);
    multiply(run);
    for (int a = 0; a < run->system.n; a++) {
        write_row(run, a, eps);
    }
}

void ss_compliance_impulses(const ss_compliance_run *run, double *r)
{
    const ss_compliant *c = run->c;
    const ss_face_system *s = &run->system;
    memset(r, 0, (size_t)c->n * sizeof *r);
    for (int i = 0; i < c->nc; i++) {
        r[c->first[i]] += run->face[i].c;
    }
    for (int a = 0; a < s->n; a++) {
        const int i = s->owner[a];
        const double *P = run->face[i].P + 3 * part_of(s, a), x = s->x[a] / sqrt(c->d[i]);
        for (int k = 0; k < rows_of(c, i); k++) {
            r[c->first[i] + k] += x * P[k];
        }
    }
}

/* ---- the limit -------------------------------------------------------------------------------- */

/* has contact i an impulse that is more than round-off? */
static bool is_loaded(const ss_compliance_run *run, int i)
{
    return sqrt(run->c->d[i]) * run->c->r[run->c->first[i]] > SS_TOL_OBEYS * run->scale;
}

/* Turn slips to their impulses, if they have any. *off: friction across a slip, of mu r_N, the largest; infinite if one turns for
 * the first time; false if one is not a number. */
static bool turn_slips(ss_compliance_run *run, double eps, double *off)
{
    const ss_compliant *c = run->c;
    *off = 0;
    for (int i = 0; i < c->nc; i++) {
        ss_face *face = &run->face[i];
        const double *r = c->r + c->first[i];
        if (isnan(r[0])) {
            return false;
        }
        if (!face->turns || !is_loaded(run, i)) {
            continue;
        }
        const double radius = c->problem->mu[c->contact[i]] * r[0];
        const bool frozen = face->count == 1;
        const double bend = ss_array_length(2, c->u + c->first[i] + 1) / radius;
        *off = ss_worse(*off, frozen ? INFINITY : fabs(ss_array_dot(3, face->P + 3, r)) / radius);
        ss_face_turn(c->problem, c->contact[i], r, face);
        face->bend = frozen || bend > least_bend(c, i, eps) ? bend : face->bend;
    }
    return true;
}

/* Are all slips turned, as far as round-off allows? */
static bool is_turned(double off, double before) { return off <= ACROSS || (off <= SETTLED && off > before / 2); }

/* q <- q with what was taken away from g */
static void agree(ss_compliance_run *run, const double *given)
{
    ss_compliant *c = run->c;
    const ss_face_system *s = &run->system;
    for (int a = 0; a < s->n; a++) {
        const int i = s->owner[a], rows = rows_of(c, i);
        const double *S = run->face[i].S + 3 * part_of(s, a);
        const double change = sqrt(c->d[i]) * (given[a] - s->g[a]) / ss_array_dot(rows, S, S);
        for (int k = 0; k < rows; k++) {
            c->q[c->first[i] + k] += change * S[k];
        }
    }
}

/* by how much offsets may disagree: of the speeds, and of the round-off of W r */
static double disagreement(const ss_compliance_run *run) { return SS_TOL_DISAGREE * run->speed + SS_TOL_CANCELLED * run->scale; }

/* the limit on the faces as they are; c->q is not changed */
static ss_status solve_limit(ss_compliance_run *run, double eps, double *given, bool *found)
{
    ss_compliant *c = run->c;
    ss_face_system *s = &run->system;
    ss_arena_release(run->arena, run->mark);
    ss_compliance_assemble(run, eps);
    SS_TRY(ss_limit_factor(run->arena, s->n, s->B, s->C, SS_TOL_REDUNDANT, &run->limit, found));
    if (!*found) {
        return SS_OK;
    }
    memcpy(given, s->g, (size_t)s->n * sizeof *given);
    ss_limit_solve(&run->limit, s->g, s->x);
    for (int a = 0; a < s->n; a++) {
        *found = *found && isfinite(s->x[a]) && fabs(given[a] - s->g[a]) <= disagreement(run);
    }
    ss_compliance_impulses(run, c->r);
    ss_compliance_velocities(c, c->r, c->u);
    return SS_OK;
}

ss_status ss_compliance_limit(ss_compliance_run *run, double eps, bool *found)
{
    ss_compliant *c = run->c;
    double *given, off = INFINITY, before = INFINITY;
    SS_TRY(ss_arena_take(run->arena, (size_t)c->n, sizeof *given, &given));
    run->mark = ss_arena_save(run->arena);
    *found = true;
    for (int k = 0; k < TURNS && *found && !is_turned(off, before); k++) {
        before = off;
        SS_TRY(solve_limit(run, eps, given, found));
        *found = *found && turn_slips(run, eps, &off);
    }
    if (*found) {
        agree(run, given);
        ss_compliance_velocities(c, c->r, c->u);
        c->dependent = run->limit.rank < run->system.n;
    }
    return SS_OK;
}

/* r <- r + dr with the dr that takes the velocities of the faces to zero */
double ss_compliance_refine(ss_compliance_run *run)
{
    ss_compliant *c = run->c;
    ss_face_system *s = &run->system;
    double largest = 0;
    for (int a = 0; a < s->n; a++) {
        const int i = s->owner[a], part = part_of(s, a), rows = rows_of(c, i);
        const ss_face *face = &run->face[i];
        const double *r = c->r + c->first[i],
                     bent = face->turns && part == 1 ? face->bend * ss_array_dot(rows, face->P + 3, r) : 0;
        s->g[a] = -(ss_array_dot(rows, face->S + 3 * part, c->u + c->first[i]) + bent) / sqrt(c->d[i]);
    }
    ss_limit_solve(&run->limit, s->g, s->x);
    ss_compliance_impulses(run, run->next);
    for (int i = 0; i < c->nc; i++) {
        run->next[c->first[i]] -= run->face[i].c; /* a constant impulse stays */
        for (int k = c->first[i]; k < c->first[i + 1]; k++) {
            largest = ss_worse(largest, sqrt(c->d[i]) * fabs(run->next[k]));
            c->r[k] += run->next[k];
        }
    }
    return run->scale > 0 ? largest / run->scale : largest;
}

/* ---- a guess ---------------------------------------------------------------------------------- */

/* faces by velocities alone: y = (1, -u_T/small) where the contact does not separate */
static void guess_faces(ss_compliance_run *run)
{
    const ss_compliant *c = run->c;
    for (int i = 0; i < c->nc; i++) {
        const int first = c->first[i], rows = rows_of(c, i), k = c->contact[i];
        const double still = SS_TOL_DISAGREE * run->scale * sqrt(c->d[i]); /* what a solver leaves of a speed */
        const double slip = ss_array_length(rows - 1, c->u + first + 1);
        double y[3] = { 0, 0, 0 };
        if (c->problem->law[k] == SS_LAW_BOUNDED) {
            const bool moves = fabs(c->u[first]) > still;
            y[0] = moves ? -copysign(2 * c->problem->mu[k], c->u[first]) : 0;
        } else {
            y[0] = c->u[first] > still ? -1 : 1;
        }
        for (int j = 1; j < rows; j++) { /* far outside the disc, or at its centre */
            y[j] = slip > still ? -c->u[first + j] / slip * 1e3 * (1 + c->problem->mu[k]) : 0;
        }
        ss_face_find(c->problem, k, 1 / c->d[i], y, &run->face[i]);
        run->face[i].count = run->face[i].turns ? 1 : run->face[i].count; /* t as it is, at first */
    }
}

ss_status ss_compliance_guess(ss_compliance_run *run, bool *found)
{
    const ss_compliant *c = run->c;
    guess_faces(run);
    SS_TRY(ss_compliance_limit(run, 0, found));
    *found = *found && ss_compliance_error(run, 0, c->r, c->u) <= SS_TOL_OBEYS;
    for (int i = 0; i < c->nc && *found; i++) {
        const bool active = run->face[i].count > 0 && c->problem->law[c->contact[i]] != SS_LAW_BOUNDED;
        *found = !active || is_loaded(run, i);
    }
    return SS_OK;
}
