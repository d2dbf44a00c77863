/* compliance_path.c - impulses followed from a large compliance to a small one.
 *
 * For every eps the solution of (W + eps E) r + q is found by Newton's method on the faces of the laws: the faces of
 * y = r - rho u~ give linear equations, their solution new faces. A large eps makes contacts all but independent, and the
 * solution at one eps is the start for the next, FINER times smaller. A step that does not reduce the error is shortened. At
 * a small eps this may not help: impulses that statics leaves open are off by the error divided by eps, and the error says little
 * of them. Then rho = 1/(eps e), for which y = -u/(eps e): Newton's method in the space of velocities, where the error is a
 * change of velocities. Where this fails too, Gauss-Seidel sweeps (one contact at a time, exactly) come in between, and then eps
 * falls by less. At STIFFEST, far below the mobility of every contact, the faces are those of the limit (compliance.c), as a
 * rule. If the limit on them does not obey the laws (offsets that differ by little), eps falls further, to ROUGHEST. Cost some 2
 * n^3/3 for each Newton step, two or three of them for each eps                    */
#include "base/tolerances.h"
#include "math/dense.h"
#include "problem/compliance_inside.h"
#include "problem/law_map.h"
#include "problem/one_contact.h"

#include <math.h>

static const double STIFFEST = 1e-6;  /* of the smallest mobility: the eps at which the limit is tried first */
static const double ROUGHEST = 1e-11; /* of the largest mobility: eps is never smaller                */
static const double SOFTEST = 4;      /* of the largest mobility: the first eps                       */
static const double FINER = 10;       /* eps falls by this factor                                     */
static const double FINEST = 2;       /* and by no less than this                                     */
static const double SOLVED = 1e-10;   /* error of a solution for eps > 0                              */
static const double GAIN = 0.9;       /* of the error: a step that leaves more is shortened           */
enum { NEWTON = 40, HALVINGS = 5, CUTS = 12, SWEEPS = 10, RECALLS = 4 };

/* ---- one eps ---------------------------------------------------------------------------------- */

/* rho of contact i; by velocities: r - rho u~ does not depend on r */
static double weight(const ss_compliant *c, int i, double eps, bool by_velocities)
{
    return 1 / (eps * c->e[i] + (by_velocities ? 0 : c->d[i]));
}

/* y = r - rho u~ of contact i */
static void find_argument(const ss_compliant *c, int i, double eps, double rho, double *y)
{
    for (int k = c->first[i]; k < c->first[i + 1]; k++) {
        *y++ = c->r[k] - rho * (c->u[k] + eps * c->e[i] * c->r[k]);
    }
}

static void find_faces(ss_compliance_run *run, double eps, bool by_velocities)
{
    const ss_compliant *c = run->c;
    for (int i = 0; i < c->nc; i++) {
        const double rho = weight(c, i, eps, by_velocities);
        double y[3];
        find_argument(c, i, eps, rho, y);
        ss_face_find(c->problem, c->contact[i], rho, y, &run->face[i]);
    }
}

/* next <- the solution on the faces at hand; false if there is none */
static ss_status step(ss_compliance_run *run, double eps, bool *regular)
{
    ss_face_system *s = &run->system;
    int *pivots;
    ss_arena_mark mark = ss_arena_save(run->arena);
    ss_compliance_assemble(run, eps);
    SS_TRY(ss_arena_take(run->arena, (size_t)s->n, sizeof *pivots, &pivots));
    for (int a = 0; a < s->n * s->n; a++) {
        s->B[a] += eps * s->C[a];
    }
    *regular = ss_dense_lu(s->n, s->B, s->n, pivots);
    if (*regular) {
        memcpy(s->x, s->g, (size_t)s->n * sizeof *s->x);
        ss_dense_lu_solve(s->n, s->B, s->n, pivots, s->x);
        ss_compliance_impulses(run, run->next);
    }
    ss_arena_release(run->arena, mark);
    return SS_OK;
}

/* r <- best + t (next - best), and u */
static void mix(ss_compliance_run *run, double t)
{
    ss_compliant *c = run->c;
    for (int i = 0; i < c->n; i++) {
        c->r[i] = run->best[i] + t * (run->next[i] - run->best[i]);
    }
    ss_compliance_velocities(c, c->r, c->u);
}

/* r <- r + t (next - r) for the first t = 1, 1/2, .. that reduces the error; false if none does */
static bool search(ss_compliance_run *run, double eps, double *error)
{
    ss_compliant *c = run->c;
    const double before = *error;
    memcpy(run->best, c->r, (size_t)c->n * sizeof *c->r);
    for (int k = 0; k < HALVINGS; k++) {
        mix(run, ldexp(1, -k));
        *error = ss_compliance_error(run, eps, c->r, c->u);
        if (*error <= GAIN * before) {
            return true;
        }
    }
    mix(run, 0);
    *error = before;
    return false;
}

/* every contact in turn, exactly */
static void sweep(ss_compliance_run *run, double eps)
{
    ss_compliant *c = run->c;
    for (int i = 0; i < c->nc; i++) {
        const int first = c->first[i], rows = c->first[i + 1] - first;
        ss_one_contact one;
        double W[9], u[3], r[3];
        for (int a = 0; a < rows; a++) {
            for (int b = 0; b < rows; b++) {
                W[a * rows + b] = c->W[(size_t)(first + a) + (size_t)c->n * (size_t)(first + b)] + (a == b ? eps * c->e[i] : 0);
            }
            r[a] = c->r[first + a];
            u[a] = c->u[first + a] + eps * c->e[i] * r[a];
        }
        ss_one_contact_open(&one, c->problem, c->contact[i], W);
        ss_one_contact_solve(&one, u, r);
        for (int a = 0; a < rows; a++) {
            ss_dense_add(c->n, r[a] - c->r[first + a], c->W + (size_t)c->n * (size_t)(first + a), c->u);
            c->r[first + a] = r[a];
        }
    }
}

/* |v - v^|, v^ the velocities of the impulses map(-u/(eps e)), in the norm of the kinetic energy; part[2 n]: scratch */
static double find_lack(const ss_compliance_run *run, double eps, double *part)
{
    const ss_compliant *c = run->c;
    double *moved = part + c->n;
    for (int i = 0; i < c->nc; i++) {
        double y[3], r[3], D[9];
        find_argument(c, i, eps, weight(c, i, eps, true), y);
        ss_law_map(c->problem, c->contact[i], y, r, D);
        for (int k = c->first[i]; k < c->first[i + 1]; k++) {
            part[k] = r[k - c->first[i]] - c->r[k];
        }
    }
    memset(moved, 0, (size_t)c->n * sizeof *moved);
    ss_dense_times(c->n, c->n, 1, c->W, c->n, part, moved);
    return sqrt(fabs(ss_dense_dot(c->n, part, moved))); /* W >= 0 but for round-off */
}

/* Newton steps in the space of velocities, each as long as find_lack becomes smaller. */
static ss_status step_by_velocities(ss_compliance_run *run, double eps, double *error)
{
    ss_compliant *c = run->c;
    double *part;
    bool regular = true;
    SS_TRY(ss_arena_take_raw(run->arena, 2 * (size_t)c->n, sizeof *part, &part));
    double lack = find_lack(run, eps, part);
    for (int k = 0; k < NEWTON && regular && !(*error <= SOLVED); k++) {
        double now = INFINITY;
        find_faces(run, eps, true);
        SS_TRY(step(run, eps, &regular));
        memcpy(run->best, c->r, (size_t)c->n * sizeof *c->r);
        for (int j = 0; j < CUTS && !(now < lack); j++) {
            mix(run, ldexp(1, -j));
            now = find_lack(run, eps, part);
        }
        lack = now;
        *error = ss_compliance_error(run, eps, c->r, c->u);
    }
    return SS_OK;
}

/* The same; impulses are what they were unless a solution is found. */
static ss_status solve_by_velocities(ss_compliance_run *run, double eps, double *error)
{
    ss_compliant *c = run->c;
    const size_t size = (size_t)c->n * sizeof *c->r;
    const double before = *error;
    double *kept;
    ss_arena_mark mark = ss_arena_save(run->arena);
    SS_TRY(ss_arena_take_raw(run->arena, (size_t)c->n, sizeof *kept, &kept));
    memcpy(kept, c->r, size);
    SS_TRY(step_by_velocities(run, eps, error));
    if (!(*error <= SOLVED)) {
        memcpy(c->r, kept, size);
        ss_compliance_velocities(c, c->r, c->u);
        *error = before;
    }
    ss_arena_release(run->arena, mark);
    return SS_OK;
}

/* Newton's method for one eps, from c->r */
static ss_status solve(ss_context *ctx, ss_compliance_run *run, double eps, bool *solved)
{
    ss_compliant *c = run->c;
    bool tried = false;
    ss_compliance_velocities(c, c->r, c->u);
    double error = ss_compliance_error(run, eps, c->r, c->u);
    for (int k = 0; k < NEWTON && !(error <= SOLVED); k++) {
        bool regular;
        SS_TRY(ss_check_interrupt(ctx));
        find_faces(run, eps, false);
        SS_TRY(step(run, eps, &regular));
        if (regular && search(run, eps, &error)) {
            continue;
        }
        SS_TRY(tried ? SS_OK : solve_by_velocities(run, eps, &error));
        tried = true;
        for (int i = 0; i < SWEEPS && !(error <= SOLVED); i++) {
            sweep(run, eps);
        }
        error = ss_compliance_error(run, eps, c->r, c->u);
    }
    *solved = error <= SOLVED;
    return SS_OK;
}

/* ---- the path --------------------------------------------------------------------------------- */

/* the first eps, that at which the limit is tried first, and the smallest */
static void find_range(const ss_compliant *c, double *first, double *last, double *least)
{
    double largest = 0, smallest = INFINITY;
    for (int i = 0; i < c->nc; i++) {
        largest = fmax(largest, c->d[i]);
        smallest = fmin(smallest, c->d[i]);
    }
    *first = SOFTEST * largest;
    *least = ROUGHEST * largest;
    *last = fmax(STIFFEST * smallest, *least);
}

/* *eps: where the path ended, `last` if nothing stopped it */
static ss_status descend(ss_context *ctx, ss_compliance_run *run, double last, double *eps, bool *solved)
{
    ss_compliant *c = run->c;
    double factor = FINER, *kept;
    SS_TRY(ss_arena_take(run->arena, (size_t)c->n, sizeof *kept, &kept));
    SS_TRY(solve(ctx, run, *eps, solved));
    while (*solved && *eps > last && factor >= FINEST) {
        const double next = fmax(last, *eps / factor);
        bool ok;
        memcpy(kept, c->r, (size_t)c->n * sizeof *kept);
        SS_TRY(solve(ctx, run, next, &ok));
        if (ok) {
            *eps = next;
            factor = fmin(FINER, factor * factor);
        } else {
            memcpy(c->r, kept, (size_t)c->n * sizeof *kept);
            factor = sqrt(factor);
        }
    }
    *solved = *solved && *eps <= last;
    return SS_OK;
}

/* The limit on the faces of the solution at hand. If it does not obey the laws, impulses and offsets are what they were. */
static ss_status land(ss_compliance_run *run, double eps, bool *found)
{
    ss_compliant *c = run->c;
    const size_t size = (size_t)c->n * sizeof(double);
    double *r, *q;
    ss_arena_mark mark = ss_arena_save(run->arena);
    SS_TRY(ss_arena_take_raw(run->arena, (size_t)c->n, sizeof *r, &r));
    SS_TRY(ss_arena_take_raw(run->arena, (size_t)c->n, sizeof *q, &q));
    memcpy(r, c->r, size);
    memcpy(q, c->q, size);
    find_faces(run, eps, false);
    SS_TRY(ss_compliance_limit(run, eps, found));
    *found = *found && ss_compliance_error(run, 0, c->r, c->u) <= SS_TOL_OBEYS;
    if (!*found) {
        memcpy(c->r, r, size);
        memcpy(c->q, q, size);
        ss_arena_release(run->arena, mark);
    }
    return SS_OK;
}

/* Offsets that differ by little change faces at a small eps: it falls until the limit obeys the laws. */
ss_status ss_compliance_follow(ss_context *ctx, ss_compliance_run *run, bool *found)
{
    ss_compliant *c = run->c;
    double eps, last, least;
    bool solved = true;
    find_range(c, &eps, &last, &least);
    *found = false;
    memset(c->r, 0, (size_t)c->n * sizeof *c->r);
    for (; !*found && solved && last >= least; last /= FINER) {
        SS_TRY(descend(ctx, run, last, &eps, &solved));
        SS_TRY(solved ? land(run, eps, found) : SS_OK);
    }
    return SS_OK;
}

/* ---- from the last step ------------------------------------------------------------------------- */

/* the face of an impulse of the last step; one on the boundary of its cone slips, by however little */
static void recall_face(const ss_compliance_run *run, int i, const double *last, ss_face *face)
{
    const ss_compliant *c = run->c;
    const int k = c->contact[i], rows = c->first[i + 1] - c->first[i];
    double y[3] = { 0, 0, 0 };
    for (int j = 0; j < rows; j++) { /* a little more friction: what lies on the boundary is outside of it */
        y[j] = last[j] * (j == 0 || c->problem->law[k] == SS_LAW_BOUNDED ? 1 : 1 + SS_TOL_REDUNDANT);
    }
    y[0] = last[0] == 0 && c->problem->law[k] != SS_LAW_BOUNDED ? -1 : y[0];
    ss_face_find(c->problem, k, 1 / c->d[i], y, face);
}

/* Contacts without load, and those that slip by a distance that vanishes with eps, are seen at eps > 0 alone. */
ss_status ss_compliance_recall(ss_compliance_run *run, const double *last, bool *found)
{
    ss_compliant *c = run->c;
    double first, eps, least, error = INFINITY;
    bool regular = true;
    find_range(c, &first, &eps, &least);
    for (int i = 0; i < c->nc; i++) {
        recall_face(run, i, last + c->first[i], &run->face[i]);
    }
    for (int k = 0; k < RECALLS && regular && !(error <= SOLVED); k++) {
        SS_TRY(step(run, eps, &regular));
        memcpy(c->r, run->next, (size_t)c->n * sizeof *c->r);
        ss_compliance_velocities(c, c->r, c->u);
        error = ss_compliance_error(run, eps, c->r, c->u);
        find_faces(run, eps, false);
    }
    *found = regular && error <= SOLVED;
    return *found ? land(run, eps, found) : SS_OK;
}
