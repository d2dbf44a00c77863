/* chains.c - the chains of solvers that `auto` goes down, and which of them an island gets; auto.c says why. */
#include "solvers/auto/chains.h"

#include "problem/cost.h"

#include <math.h>

enum {
    SMALL = 200,        /* unknowns of an LCP that pivoting solves quickly, and to the last digit          */
    BEARABLE = 400,     /* the same, where the basis of the last step is known                 */
    EXACT = 1000,       /* those with which the exact method is worth its time where Newton's method failed */
    LAST_RESORT = 2000, /* the same, where sweeps are no alternative                           */
    FIRST_SWEEPS = 1000,
    FEW_ROWS = 300, /* of a convex program that cone_ipm solves in a millisecond or two         */
    FEW_VELOCITIES = 1000,
    FEW_WITH_MOMENTS = 60, /* rows of a problem with moments that is solved better than asked for: a box or two */
    FEW_SWEEPS = 50,       /* enough for a guess that is nearly right; a fraction of one factorisation  */
    LOOSE_SWEEPS = 400,
};
static const double LAST_VISITS = 1e7; /* of contacts, by the last sweeps */
static const double LOOSE = 1e-5;      /* tolerance from which on Gauss-Seidel is quickest for large convex programs */

static int first_sweeps(const ss_problem *p, double tol)
{
    (void)p;
    (void)tol;
    return FIRST_SWEEPS;
}

/* As many as cost what Newton's method may need for the same: where its steps are cheap, sweeps that only creep are soon given
 * up. */
static int worthy_sweeps(const ss_problem *p, double tol)
{
    (void)tol;
    const double worth = 10; /* Newton steps */
    return (int)fmax(FEW_SWEEPS, fmin(FIRST_SWEEPS, ss_cost_sweeps(p, worth)));
}

/* On circular cones Newton's method may fail from a guess that few sweeps have made, and find the solution from a better one:
 * the sweeps that were saved are made up for. 0, if none were saved. */
static int saved_sweeps(const ss_problem *p, double tol)
{
    const int made = worthy_sweeps(p, tol);
    return made < FIRST_SWEEPS ? FIRST_SWEEPS : 0;
}

/* a loose tolerance is Gauss-Seidel's: some hundred sweeps, less than a factorisation of a large pile costs */
static int few_sweeps(const ss_problem *p, double tol)
{
    (void)p;
    return tol >= LOOSE ? LOOSE_SWEEPS : FEW_SWEEPS;
}

/* Newton steps: 400 as long as one costs hundredths of a second, then so many that all of them cost the same; n^1.5 is what a
 * factorisation of a pile costs, or more */
static int newton_steps(const ss_problem *p, double tol)
{
    (void)tol;
    const double all = 400, fewest = 40, velocities = 6000;
    double n = p->local ? p->row[p->nc] : p->nv;
    return (int)fmax(fewest, all * fmin(1, pow(velocities / fmax(n, 1), 1.5)));
}

static int newton_after_saved(const ss_problem *p, double tol) { return saved_sweeps(p, tol) > 0 ? newton_steps(p, tol) : 0; }

/* convex programs of slip_ipm, each a dozen or two factorisations that cost half of those of alm */
static int slip_steps(const ss_problem *p, double tol)
{
    const int factorisations = 20;
    const double fewest = 6;
    return (int)fmax(fewest, newton_steps(p, tol) / factorisations);
}

/* Steps along a path, each of which costs what a Newton step does, that are worth so many visits of a contact. Impulses that have
 * far to go need thousands: some hundreds are not worth it. Where the tolerance is loose others are enough. */
static int path_steps_worth(const ss_problem *p, double tol, double visits)
{
    const double most = 5000, fewest = 500;
    const double steps = fmin(most, visits / (ss_cost_sweeps(p, 1) * fmax(p->nc, 1)));
    return tol < LOOSE && steps >= fewest ? (int)steps : 0;
}

/* 5000 steps in a pile of 200 */
static int path_steps(const ss_problem *p, double tol) { return path_steps_worth(p, tol, 2.2e8); }

/* A run may meet one such problem after the other: no more than the last sweeps cost, hundreds of steps in a pile of 100 */
static int path_steps_in_step(const ss_problem *p, double tol) { return path_steps_worth(p, tol, LAST_VISITS); }

/* sweeps of the last resort: some ten million visits of a contact */
static int last_sweeps(const ss_problem *p, double tol)
{
    (void)tol;
    const double most = 20000, fewest = 1000;
    return (int)fmax(fewest, fmin(most, LAST_VISITS / fmax(p->nc, 1)));
}

static const ss_auto_link small[SS_AUTO_CHAIN] = {
    { .solver = "lemke" },
    { .solver = "cone_ipm", .spared = true, .knows_gap = true },
    { .solver = "alm", .limit = newton_steps },
    { .solver = "alm", .limit = newton_steps, .afresh = true },
    { .solver = "nsgs", .limit = first_sweeps, .last_resort = true, .hopeless = true }
};
static const ss_auto_link polygonal[SS_AUTO_CHAIN] = {
    { .solver = "nsgs", .limit = worthy_sweeps },
    { .solver = "alm", .limit = newton_steps, .factorises = true },
    { .solver = "lemke", .unknowns = EXACT },
    { .solver = "alm", .limit = newton_steps, .afresh = true, .factorises = true },
    { .solver = "nsgs", .limit = last_sweeps, .last_resort = true }
};
static const ss_auto_link other[SS_AUTO_CHAIN] = {
    { .solver = "nsgs", .limit = worthy_sweeps },
    { .solver = "alm", .limit = newton_steps, .factorises = true },
    { .solver = "nsgs", .limit = saved_sweeps },
    { .solver = "alm", .limit = newton_after_saved, .factorises = true },
    { .solver = "alm", .limit = newton_steps, .afresh = true, .factorises = true },
    { .solver = "slip_ipm", .limit = slip_steps, .factorises = true, .spared = true, .slow = true },
    { .solver = "alm_path", .limit = path_steps, .in_step = path_steps_in_step, .factorises = true, .last_resort = true },
    { .solver = "nsgs", .limit = last_sweeps, .last_resort = true }
};

static const ss_auto_link small_with_moments[SS_AUTO_CHAIN] = {
    { .solver = "nsgs", .tighter = 1e-2, .limit = worthy_sweeps },
    { .solver = "alm", .limit = newton_steps, .factorises = true },
    { .solver = "nsgs", .limit = saved_sweeps },
    { .solver = "alm", .limit = newton_steps, .afresh = true, .factorises = true },
    { .solver = "nsgs", .limit = last_sweeps, .last_resort = true }
};

static const ss_auto_link clustered[SS_AUTO_CHAIN] = {
    { .solver = "alm", .limit = newton_steps },
    { .solver = "lemke", .unknowns = LAST_RESORT },
    { .solver = "nsgs", .limit = last_sweeps, .last_resort = true, .spared = true }
};

static const ss_auto_link clustered_convex[SS_AUTO_CHAIN] = {
    { .solver = "cone_ipm", .spared = true, .knows_gap = true },
    { .solver = "alm", .limit = newton_steps },
    { .solver = "nsgs", .limit = last_sweeps, .last_resort = true, .spared = true }
};
static const ss_auto_link convex[SS_AUTO_CHAIN] = {
    { .solver = "nsgs", .limit = few_sweeps },
    { .solver = "cone_ipm", .spared = true, .knows_gap = true, .factorises = true },
    { .solver = "apgd" },
    { .solver = "alm", .limit = newton_steps, .factorises = true },
    { .solver = "nsgs", .limit = last_sweeps, .last_resort = true }
};
static const ss_auto_link small_convex[SS_AUTO_CHAIN] = {
    { .solver = "cone_ipm", .tighter = 1e-3, .spared = true, .knows_gap = true },
    { .solver = "apgd" },
    { .solver = "alm", .limit = newton_steps },
    { .solver = "nsgs", .limit = last_sweeps, .last_resort = true }
};

/* Few enough for factorisations to be the quickest way? Not where a loose tolerance is asked for and the island is one of many:
 * all of them together are a large program, which some sweeps solve in a fraction of the time. */
static bool is_small(const ss_auto_case *c)
{
    const bool few = c->rows <= FEW_ROWS && c->velocities <= FEW_VELOCITIES;
    return few && (c->tol < LOOSE || (c->all_rows <= FEW_ROWS && c->all_velocities <= FEW_VELOCITIES));
}

const ss_auto_link *ss_auto_choose(const ss_auto_case *c)
{
    if (c->lcp && (c->unknowns <= SMALL || (c->unknowns <= BEARABLE && c->basis_remembered))) {
        return small;
    }
    if (c->convex) {
        return is_small(c) ? small_convex : c->clustered ? clustered_convex : convex;
    }
    const bool moments = c->laws & SS_LAW_ROLLING && c->rows <= FEW_WITH_MOMENTS;
    return c->clustered ? clustered : c->lcp ? polygonal : moments ? small_with_moments : other;
}

int ss_auto_unknowns_of(const ss_problem *p, int k)
{
    bool polygon = p->law[k] == SS_LAW_POLYHEDRAL && p->mu[k] > 0;
    return p->law[k] == SS_LAW_BOUNDED ? 3 : polygon ? 2 + p->dir[k + 1] - p->dir[k] : 1;
}

int ss_auto_unknowns(const ss_problem *p)
{
    int64_t count = 0;
    for (int k = 0; k < p->nc; k++) {
        count += ss_auto_unknowns_of(p, k);
    }
    return count > INT32_MAX ? INT32_MAX : (int)count;
}
