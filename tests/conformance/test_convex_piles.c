/* test_convex_piles.c - on piles with far more contacts than are needed to hold them every solver of the associated law has the
 * one velocity there is, as near as its own duality gap says. Covers any solver the moment it enters solvers.def.
 *
 *   primal   least f(v) = 1/2 v'A v - b'v  over v with H v + w in K*,  K: |r_T| <= mu r_N,  K*: u_N >= mu |u_T|
 *   dual     most  g(r) = least over v of L(v, r) = f(v) - r'(H v + w),  over r in K; met by v_r = A^-1 (b + H'r)
 *
 * L(., r) is quadratic, so for the solution v*
 *
 *   g(r) + 1/2 |v* - v_r|_A^2 = L(v*, r) = f(v*) - r'u* <= f(v*) <= f(v^)     for every r in K and every feasible v^:
 *   |v_r - v*|_A^2 <= 2 (f(v^) - g(r))
 *
 * A solver gives r; v_r follows, but need not be feasible. All piles here can be spread: H s lies in the inside of K* for
 * the velocities s of a swelling, so v^ = v_r + t s is feasible for some small t, and with A v_r = b + H'r
 *
 *   gap = f(v^) - g(r) = 1/2 t^2 |s|_A^2 + r'(H v^ + w)
 *
 * in which both terms are >= 0 and nothing cancels. Whatever a solver answers, this holds; a certified answer must have a
 * small gap besides. Impulses are not compared: there are many. */
#include "unit/solvers/packing.h"

#include "base/base.h"
#include "solvers/solver.h"

enum { BASE = 8 };

/* spheres below layer l of a pyramid of unit spheres, BASE x BASE at the bottom: 204 in all */
static int below(int l)
{
    int count = 0;
    for (int k = 0; k < l; k++) {
        count += (BASE - k) * (BASE - k);
    }
    return count;
}

/* far from the walls of pk_contacts; the axis of the pyramid is at (FAR, FAR) */
enum { FAR = 100 };

static void place(packing *k)
{
    for (int l = 0; l < BASE; l++) {
        int side = BASE - l;
        for (int i = 0; i < side * side; i++) {
            double *x = k->x + 3 * (below(l) + i);
            x[0] = FAR + 2 * (i % side) - (side - 1);
            x[1] = FAR + 2 * (i / side) - (side - 1);
            x[2] = 1 + sqrt(2) * l;
        }
    }
}

static void make(ss_context *ctx, packing *k, double mu)
{
    pk_begin(k, below(BASE));
    place(k);
    pk_contacts(ctx, k, 2 * FAR, mu, SS_LAW_ASSOCIATED);
}

/* Upwards with the height and a little to the sides, without spin. Beside each other: normal only. In a hollow: normal 1 + a,
 * tangent 1 - a. On the floor: normal 1, tangent a times the distance from the axis, which is at most 10. */
static void swell(const packing *k, double *s)
{
    const double a = 0.02;
    memset(s, 0, 6 * (size_t)k->spheres * sizeof *s);
    for (int i = 0; i < k->spheres; i++) {
        s[6 * i] = a * (k->x[3 * i] - FAR);
        s[6 * i + 1] = a * (k->x[3 * i + 1] - FAR);
        s[6 * i + 2] = k->x[3 * i + 2];
    }
}

/* y = H v + w; w: NULL for 0 */
static void contact_velocity(const packing *k, const double *v, const double *w, double *y)
{
    const ss_csr *H = &k->p.H;
    for (int i = 0; i < H->m; i++) {
        y[i] = w ? w[i] : 0;
        for (int e = H->p[i]; e < H->p[i + 1]; e++) {
            y[i] += H->x[e] * v[H->i[e]];
        }
    }
}

static double mass(const packing *k, int i) { return k->p.scale.x[6 * i + i % 6]; } /* blocks are diagonal */

/* |x|_A^2 */
static double energy(const packing *k, const double *x)
{
    double sum = 0;
    for (int i = 0; i < k->p.nv; i++) {
        sum += mass(k, i) * x[i] * x[i];
    }
    return sum;
}

/* |A^-1 b|_A^2: of the velocity without contacts */
static double free_energy(const packing *k)
{
    double sum = 0;
    for (int i = 0; i < k->p.nv; i++) {
        sum += k->p.b[i] * k->p.b[i] / mass(k, i);
    }
    return sum;
}

/* A^-1 (b + H'r) */
static void velocity(const packing *k, const double *r, double *v)
{
    const ss_csr *H = &k->p.H;
    memcpy(v, k->p.b, (size_t)k->p.nv * sizeof *v);
    for (int i = 0; i < H->m; i++) {
        for (int e = H->p[i]; e < H->p[i + 1]; e++) {
            v[H->i[e]] += H->x[e] * r[i];
        }
    }
    for (int i = 0; i < k->p.nv; i++) {
        v[i] /= mass(k, i);
    }
}

/* r is in K but for rounding: friction is cut to the cone */
static void cut(const packing *k, double *r)
{
    for (int c = 0; c < k->p.nc; c++) {
        double *own = r + 3 * c, most = k->p.mu[c] * fmax(own[0], 0), size = hypot(own[1], own[2]);
        double scale = size > most ? most / size : 1;
        own[0] = fmax(own[0], 0);
        own[1] *= scale;
        own[2] *= scale;
    }
}

/* how far inside of K*; < 0: outside */
static double inside(const packing *k, int c, const double *u)
{
    return u[3 * c] - k->p.mu[c] * hypot(u[3 * c + 1], u[3 * c + 2]);
}

/* the least t for which u + t y is in K* everywhere, or a little more: K* is convex, so what is inside adds up */
static double lift(const packing *k, const double *u, const double *y)
{
    double t = 0;
    for (int c = 0; c < k->p.nc; c++) {
        CHECK(inside(k, c, y) > 0);
        t = fmax(t, -inside(k, c, u) / inside(k, c, y));
    }
    return t;
}

typedef struct answer {
    double *v;  /* v_r */
    double gap; /* J   */
    ss_solver_info info;
} answer;

static double gap_of(const packing *k, const double *r, const double *v)
{
    size_t rows = (size_t)k->p.H.m;
    double *s = pk_take((size_t)k->p.nv, sizeof *s), *u = pk_take(rows, sizeof *u), *y = pk_take(rows, sizeof *y), power = 0;
    swell(k, s);
    contact_velocity(k, v, k->p.w, u);
    contact_velocity(k, s, NULL, y);
    double t = lift(k, u, y);
    for (size_t i = 0; i < rows; i++) {
        power += r[i] * (u[i] + t * y[i]);
    }
    double gap = 0.5 * t * t * energy(k, s) + power;
    free(s);
    free(u);
    free(y);
    return gap;
}

static double apart(const packing *k, const double *v, const double *w)
{
    double *d = pk_take((size_t)k->p.nv, sizeof *d);
    for (int i = 0; i < k->p.nv; i++) {
        d[i] = v[i] - w[i];
    }
    double size = sqrt(energy(k, d));
    free(d);
    return size;
}

static answer solve(ss_context *ctx, packing *k, const char *name, double tol)
{
    ss_solver_options options = ss_solver_options_default();
    options.share = SS_SHARE_ANY; /* what the solver finds by itself */
    ss_solver *solver;
    answer a = { .v = pk_take((size_t)k->p.nv, sizeof *a.v) };
    options.name = name;
    options.tol = tol;
    memset(k->s.r, 0, (size_t)k->p.H.m * sizeof *k->s.r);
    k->s.warm = false;
    CHECK_OK(ctx, ss_solver_create(ctx, &options, &solver));
    CHECK_OK(ctx, ss_solver_solve(solver, &k->p, &k->s, &a.info));
    cut(k, k->s.r);
    velocity(k, k->s.r, a.v);
    a.gap = gap_of(k, k->s.r, a.v);
    CHECK(apart(k, k->s.v, a.v) <= 10 * tol * sqrt(free_energy(k))); /* what it says is the velocity of its impulses */
    ss_solver_destroy(solver);
    return a;
}

static void compare(ss_context *ctx, packing *k, const answer *best, const char *name)
{
    const double tol = 1e-6;
    answer a = solve(ctx, k, name, tol);
    double distance = apart(k, a.v, best->v);
    print_message("%-9s %s: gap %.2e, velocity off by %.2e, at most %.2e\n", name, ss_outcome_name(a.info.outcome), a.gap,
                  distance, sqrt(2 * a.gap));
    CHECK(distance <= sqrt(2 * a.gap) + sqrt(2 * best->gap));
    CHECK(a.info.outcome == SS_CONVERGED);
    CHECK(a.gap <= 1e3 * tol * free_energy(k)); /* tol is for one contact; a thousand have it */
    free(a.v);
}

static void check_pile(double mu, bool rests)
{
    ss_context *ctx = test_context();
    packing k;
    make(ctx, &k, mu);
    answer best = solve(ctx, &k, "cone_ipm", 1e-12);
    print_message("%d spheres, %d contacts, mu = %g: |v*| = %.2e, gap %.2e\n", k.spheres, k.p.nc, mu, sqrt(energy(&k, best.v)),
                  best.gap);
    CHECK(best.info.outcome == SS_CONVERGED);
    CHECK((energy(&k, best.v) < 1e-18 * free_energy(&k)) == rests);
    for (int i = 0; ss_solver_types[i]; i++) {
        if (ss_solver_types[i]->info.laws & SS_LAW_ASSOCIATED) {
            compare(ctx, &k, &best, ss_solver_types[i]->info.name);
        }
    }
    free(best.v);
    pk_free(ctx, &k);
    ss_context_destroy(ctx);
}

TEST(solvers_agree_on_a_pile_at_rest_within_their_duality_gaps) { check_pile(0.8, true); }
TEST(solvers_agree_on_a_pile_that_gives_way_within_their_duality_gaps) { check_pile(0.3, false); }

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solvers_agree_on_a_pile_at_rest_within_their_duality_gaps),
        cmocka_unit_test(solvers_agree_on_a_pile_that_gives_way_within_their_duality_gaps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
