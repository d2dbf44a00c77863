/* compliance_path.c - impulses followed from a large compliance to a small one.
 *
 * For every eps the solution of (W + eps E) r + q is found by Newton's method on the faces of the laws: the faces of
 * y = r - rho u~ give linear equations, their solution new faces. A large eps makes contacts all but independent, and the
 * solution at one eps is the start for the next, FINER times smaller. A step that does not reduce the error is shortened; where
 * that does not help, Gauss-Seidel sweeps (one contact at a time, exactly) come in between; where that does not help either, eps
 * falls by less. At the smallest eps, far below the mobility of every contact, the faces are those of the limit: compliance.c.
 * Cost        some 2 n^3/3 for each Newton step, two or three of them for each eps                    */
#include "base/tolerances.h"
#include "math/dense.h"
#include "problem/compliance_inside.h"
#include "problem/one_contact.h"

#include <math.h>

static const double STIFFEST = 1e-6;  /* of the smallest mobility: the last eps                       */
static const double ROUGHEST = 1e-11; /* of the largest mobility: eps is never smaller                */
static const double SOFTEST = 4;      /* of the largest mobility: the first eps                       */
static const double FINER = 10;       /* eps falls by this factor                                     */
static const double FINEST = 2;       /* and by no less than this                                     */
static const double SOLVED = 1e-10;   /* error of a solution for eps > 0                              */
static const double GAIN = 0.9;       /* of the error: a step that leaves more is shortened           */
enum { NEWTON = 40, HALVINGS = 5, SWEEPS = 10 };

/* ---- one eps ---------------------------------------------------------------------------------- */

static void find_faces(ss_compliance_run *run, double eps)
{
    const ss_compliant *c = run->c;
    for (int i = 0; i < c->nc; i++) {
        const int first = c->first[i];
        const double give = eps * c->e[i], rho = 1 / (c->d[i] + give);
        double y[3];
        for (int k = 0; k < c->first[i + 1] - first; k++) {
            y[k] = c->r[first + k] - rho * (c->u[first + k] + give * c->r[first + k]);
        }
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

/* r <- r + t (next - r) for the first t = 1, 1/2, .. that reduces the error; false if none does */
static bool search(ss_compliance_run *run, double eps, double *error)
{
    ss_compliant *c = run->c;
    const double before = *error;
    memcpy(run->best, c->r, (size_t)c->n * sizeof *c->r);
    for (int k = 0; k < HALVINGS; k++) {
        const double t = ldexp(1, -k);
        for (int i = 0; i < c->n; i++) {
            c->r[i] = run->best[i] + t * (run->next[i] - run->best[i]);
        }
        ss_compliance_velocities(c, c->r, c->u);
        *error = ss_compliance_error(run, eps, c->r, c->u);
        if (*error <= GAIN * before) {
            return true;
        }
    }
    memcpy(c->r, run->best, (size_t)c->n * sizeof *c->r);
    ss_compliance_velocities(c, c->r, c->u);
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

/* Newton's method for one eps, from c->r */
static ss_status solve(ss_context *ctx, ss_compliance_run *run, double eps, bool *solved)
{
    ss_compliant *c = run->c;
    ss_compliance_velocities(c, c->r, c->u);
    double error = ss_compliance_error(run, eps, c->r, c->u);
    for (int k = 0; k < NEWTON && !(error <= SOLVED); k++) {
        bool regular;
        SS_TRY(ss_check_interrupt(ctx));
        find_faces(run, eps);
        SS_TRY(step(run, eps, &regular));
        if (regular && search(run, eps, &error)) {
            continue;
        }
        for (int i = 0; i < SWEEPS; i++) {
            sweep(run, eps);
        }
        error = ss_compliance_error(run, eps, c->r, c->u);
    }
    *solved = error <= SOLVED;
    return SS_OK;
}

/* ---- the path --------------------------------------------------------------------------------- */

/* the first and the last eps */
static void find_range(const ss_compliant *c, double *first, double *last)
{
    double largest = 0, smallest = INFINITY;
    for (int i = 0; i < c->nc; i++) {
        largest = fmax(largest, c->d[i]);
        smallest = fmin(smallest, c->d[i]);
    }
    *first = SOFTEST * largest;
    *last = fmax(STIFFEST * smallest, ROUGHEST * largest);
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

ss_status ss_compliance_follow(ss_context *ctx, ss_compliance_run *run, bool *found)
{
    ss_compliant *c = run->c;
    double eps, last;
    find_range(c, &eps, &last);
    memset(c->r, 0, (size_t)c->n * sizeof *c->r);
    SS_TRY(descend(ctx, run, last, &eps, found));
    if (!*found) {
        return SS_OK;
    }
    find_faces(run, eps);
    SS_TRY(ss_compliance_limit(run, eps, found));
    *found = *found && ss_compliance_error(run, 0, c->r, c->u) <= SS_TOL_OBEYS;
    return SS_OK;
}
