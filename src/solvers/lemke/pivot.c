/* pivot.c - Lemke's method with lexicographic ratio test, fresh factorisations and restarts.
 *
 *   w - M z - c z0 = q,   w, z, z0 >= 0,   w_i z_i = 0
 *
 * Path        From a complementary basis B0 (all w, or a given one) z0 enters with the column B0 e, e > 0, at the row
 *             of the smallest x_i/e_i, x = B0^-1 q; then the complement of what left enters, until z0 leaves.
 * Ties        The path is that of q + B0 (t, t^2, ..) for t -> 0+: among rows of equal ratio the lexicographically
 *             smallest row of B^-1 B0 over the pivot leaves, so no basis repeats. In floating point equal means
 *             within tie_tol of the largest value (two passes, as Harris does for linear programs), and a row whose
 *             pivot is WEAK against the best of the tied ones is passed over. z0 leaves whenever it can. A column of
 *             B^-1 B0 whose variable is basic is a unit vector: it settles a tie without arithmetic.
 * Accuracy    Columns are solved with refinement; a large residual, `refactor` pivots, or anything that looks like an
 *             end brings a fresh factorisation first. A finished basis is solved by LU of M_aa, refined with sums in
 *             long double, and judged by |min(z, w)| on the data, not by the path: against q, with NOISE times z
 *             allowed. Where mass ratios make z large against q, wide ties end on a basis that is right only against
 *             z: a path from there with narrow ties usually finds the exact one; if not, that basis is the answer. With
 *             `settle` a given basis of that kind is the answer at once.
 * Restarts    basis not accepted: path from that very basis; else from all w with another e (random in [1, 2]),
 *             other pivot tolerances and shorter intervals; from the third on q is also perturbed on the way. A ray
 *             must show twice. A ray with z0 at round-off level is a solution (contacts wedged against each other
 *             have q in the range of M only up to round-off).
 * Reference   [CPS92 ch. 4.4, 4.9]; that a solution is found: [AP97 Theorem 2.2]
 * Symbols     x values of the basic variables, d = B^-1 times the entering column, theta the ratio
 * Cost        a pivot n s, s basic z; usually between n and 2n pivots                               */
#include "solvers/lemke/pivot.h"

#include "solvers/lemke/basis.h"

#include <math.h>

static const double WEAK = 1e-5;    /* against the largest pivot among ties                     */
static const double STALE = 1e-8;   /* residual of a column that asks for a new factorisation   */
static const double LOST = 1e-6;    /* negative value, relative: the path is not feasible       */
static const double NOISE = 4e-15;  /* relative to the largest value: round-off of w = M z + q */
static const double PERTURB = 1e-8; /* of q, relative, in late restarts                         */

enum {
    PAYS = 8,            /* a fresh factorisation does not pay before slots/PAYS pivots */
    POLISHES = 3,        /* further paths from a finished basis that is not accurate                       */
    PERTURBED_FROM = 3,  /* attempts from this one on perturb q                                             */
    SHORTEST = 4,        /* least number of pivots between two factorisations                              */
    MOST_HALVINGS = 4,   /* of that number from attempt to attempt                                         */
    RAYS = 2,            /* a ray must show so often                                                       */
    PIVOTS = 100,        /* default limit of an attempt: this, and                                         */
    PIVOTS_PER_ROW = 20, /* this per unknown                                                               */
};

/* in what one attempt differs from another */
typedef struct attempt_data {
    double *e;   /* covering direction                                      */
    double *rhs; /* q, perturbed or not                                     */
    double pivot_tol;
    double noise; /* relative to the largest value: ratios this close are ties */
    int refactor; /* pivots between two fresh factorisations                 */
    int limit;    /* most pivots                                             */
} attempt_data;

/* places of equal ratio */
typedef struct tie_list {
    int *place;
    double *entry; /* of the column that is compared, over the pivot */
    bool *is_tied; /* by place; all false outside break_tie          */
} tie_list;

/* a basis that is right relative to z only */
typedef struct fallback_basis {
    bool *basic;
    double error; /* INFINITY: none */
} fallback_basis;

typedef struct path {
    const ss_pivot_options *options;
    ss_pivot_result *result;
    int n;
    ss_basis basis;
    ss_basis_trial trial;       /* q, scaled to largest 1; z and w of a finished basis      */
    bool *start, *basic, *last; /* z basic: in B0, in the answer, in the last finished basis */
    double *x;                  /* by place: values of the basic variables                  */
    double *a, *d;              /* column of the entering variable; B^-1 times it, by place */
    attempt_data attempt;
    tie_list ties;
    fallback_basis fallback;
} path;

ss_pivot_options ss_pivot_options_default(void)
{
    return (ss_pivot_options){
        .refactor = 60, .restarts = 12, .pivot_tol = 1e-11, .tie_tol = 1e-12, .accept_tol = 1e-11, .advance = true
    };
}

static double largest(int n, const double *x)
{
    double m = 0;
    for (int k = 0; k < n; k++) {
        m = fmax(m, fabs(x[k]));
    }
    return m;
}

/* ---- a finished basis ------------------------------------------------------------------------- */

/* A basis that is right but for round-off relative to z: worth having if nothing better turns up. */
static void keep_fallback(path *t, const bool *basic, double error)
{
    if (error <= t->options->accept_tol && error < t->fallback.error) {
        t->fallback.error = error;
        memcpy(t->fallback.basic, basic, (size_t)t->n * sizeof *basic);
    }
}

/* Is the basis a solution? z and the error are left behind. The error is relative to q, with what the round-off of
 * z makes of it allowed for; to `settle` is to be content with one relative to z. Values beyond 1/pivot_tol come from a
 * basis that is singular to round-off: no error that is relative to them means anything. */
static bool accept(path *t, const bool *basic, bool settle)
{
    if (!ss_basis_trial_solve(&t->trial, basic)) {
        return false;
    }
    double off = t->trial.error, size = t->trial.size, tol = t->options->accept_tol, relative = off / fmax(1, size);
    if (!(t->options->pivot_tol * size <= 1)) {
        return false;
    }
    for (int k = 0; k < t->n; k++) {
        t->trial.z[k] = fmax(0, t->trial.z[k]);
    }
    keep_fallback(t, basic, relative);
    t->result->error = off / (1 + NOISE / tol * size);
    return t->result->error <= tol || (settle && relative <= tol);
}

/* ---- ratio test ------------------------------------------------------------------------------- */

/* where column j of B^-1 B0 has its one, if the j-th variable of B0 is basic now; -1: a full column */
static int unit_place(const path *t, int j) { return t->basis.place[t->start[j] ? t->n + j : j]; }

/* entry of column j of B^-1 B0 at a place, its variable being nonbasic: a stored column, or -B^-1 M_j, where only
 * the stored columns and the w at that place count */
static double lexicographic_entry(const path *t, int place, int j)
{
    const ss_basis *b = &t->basis;
    if (!t->start[j]) {
        return ss_basis_inverse(b, place, j);
    }
    const double *column = t->basis.M + (size_t)j * (size_t)t->n;
    double s = b->var[place] < t->n ? -column[b->var[place]] : 0;
    for (int k = 0; k < b->slots.count; k++) {
        s -= ss_basis_inverse(b, place, b->slots.row[k]) * column[b->slots.row[k]];
    }
    return s;
}

/* keep the tied rows with the smallest j-th entry over the pivot; returns how many */
static int keep_smallest(path *t, int count, int j)
{
    double smallest = INFINITY, size = 0;
    for (int k = 0; k < count; k++) {
        t->ties.entry[k] = lexicographic_entry(t, t->ties.place[k], j) / t->d[t->ties.place[k]];
        smallest = fmin(smallest, t->ties.entry[k]);
        size = fmax(size, fabs(t->ties.entry[k]));
    }
    int kept = 0;
    for (int k = 0; k < count; k++) {
        if (t->ties.entry[k] <= smallest + t->options->tie_tol * fmax(1, size)) {
            t->ties.place[kept++] = t->ties.place[k];
        } else {
            t->ties.is_tied[t->ties.place[k]] = false;
        }
    }
    return kept;
}

/* a unit vector has 1 over a positive pivot at one place and 0 at the others: that place is not the smallest */
static int drop_place(path *t, int count, int place)
{
    int kept = 0;
    for (int k = 0; k < count; k++) {
        if (t->ties.place[k] != place) {
            t->ties.place[kept++] = t->ties.place[k];
        }
    }
    t->ties.is_tied[place] = false;
    return kept;
}

static int break_tie(path *t, int count)
{
    for (int k = 0; k < count; k++) {
        t->ties.is_tied[t->ties.place[k]] = true;
    }
    for (int j = 0; j < t->n && count > 1; j++) {
        int place = unit_place(t, j);
        if (place < 0) {
            count = keep_smallest(t, count, j);
        } else if (t->ties.is_tied[place]) {
            count = drop_place(t, count, place);
        }
    }
    for (int k = 0; k < count; k++) {
        t->ties.is_tied[t->ties.place[k]] = false;
    }
    return t->ties.place[0];
}

/* rows whose ratio is within the tie tolerance of the smallest; z0 alone if it is among them */
static int collect_ties(path *t, double smallest_pivot)
{
    double slack = t->options->tie_tol + t->attempt.noise * largest(t->n, t->x), theta = INFINITY;
    for (int p = 0; p < t->n; p++) {
        if (t->d[p] > smallest_pivot) {
            theta = fmin(theta, (fmax(0, t->x[p]) + slack) / t->d[p]);
        }
    }
    int count = 0;
    for (int p = 0; p < t->n; p++) {
        if (t->d[p] > smallest_pivot && fmax(0, t->x[p]) <= theta * t->d[p]) {
            if (t->basis.var[p] == 2 * t->n) {
                t->ties.place[0] = p;
                return 1;
            }
            t->ties.place[count++] = p;
        }
    }
    return count;
}

/* the place that leaves, -1 for a ray */
static int ratio_test(path *t)
{
    double strongest = 0;
    int count = collect_ties(t, t->attempt.pivot_tol * fmax(1, largest(t->n, t->d))), kept = 0;
    for (int k = 0; k < count; k++) {
        strongest = fmax(strongest, t->d[t->ties.place[k]]);
    }
    for (int k = 0; k < count; k++) {
        if (t->d[t->ties.place[k]] >= WEAK * strongest) {
            t->ties.place[kept++] = t->ties.place[k];
        }
    }
    return kept > 0 ? break_tie(t, kept) : -1;
}

/* ---- the path --------------------------------------------------------------------------------- */

static int complement(const path *t, int variable) { return variable < t->n ? variable + t->n : variable - t->n; }

/* factorise afresh and recompute the values; false if the basis is singular or not feasible */
static bool refresh(path *t)
{
    t->result->factorisations++;
    if (!ss_basis_factor(&t->basis)) {
        return false;
    }
    ss_basis_solve(&t->basis, t->attempt.rhs, t->x);
    double size = fmax(1, largest(t->n, t->x));
    for (int p = 0; p < t->n; p++) {
        if (!(t->x[p] >= -LOST * size)) {
            return false;
        }
    }
    return true;
}

static void exchange(path *t, int place, int entering)
{
    double theta = fmax(0, t->x[place]) / t->d[place];
    for (int p = 0; p < t->n; p++) {
        t->x[p] -= theta * t->d[p];
    }
    t->x[place] = theta;
    ss_basis_pivot(&t->basis, place, entering, t->d);
    t->result->pivots++;
}

/* bring z0 in; returns the variable that left, -1 if the starting basis is feasible */
static int enter_artificial(path *t)
{
    ss_basis_solve(&t->basis, t->attempt.rhs, t->x);
    int place = -1;
    for (int p = 0; p < t->n; p++) {
        if (t->x[p] < 0 && (place < 0 || t->x[p] / t->attempt.e[p] <= t->x[place] / t->attempt.e[place])) {
            place = p;
        }
    }
    if (place < 0) {
        return -1;
    }
    ss_basis_times(&t->basis, t->attempt.e, t->basis.cover);
    int leaving = t->basis.var[place];
    double theta = -t->x[place] / t->attempt.e[place];
    for (int p = 0; p < t->n; p++) {
        t->d[p] = -t->attempt.e[p];
        t->x[p] += theta * t->attempt.e[p];
    }
    t->x[place] = theta;
    ss_basis_pivot(&t->basis, place, 2 * t->n, t->d);
    t->result->pivots++;
    return leaving;
}

/* the column of the entering variable and the place it takes; -1: ray, -2: lost. What looks like an end is
 * looked at twice, the second time with a fresh factorisation. */
static int choose(path *t, int entering)
{
    for (int round = 0; round < 2; round++) {
        ss_basis_column(&t->basis, entering, t->a);
        bool fresh = t->basis.pivoted == 0;
        double off = ss_basis_solve(&t->basis, t->a, t->d);
        int place = fresh || off <= STALE ? ratio_test(t) : -2;
        if (place >= 0 || fresh) {
            return place;
        }
        if (!refresh(t)) {
            return -2;
        }
    }
    return -1;
}

/* time for a fresh factorisation: not before the pivots have cost a good part of it (n s each, against n s^2) */
static bool is_due(const path *t)
{
    return t->basis.pivoted >= t->attempt.refactor && PAYS * t->basis.pivoted >= t->basis.slots.count;
}

/* complementary pivots until z0 leaves */
static ss_pivot_end follow(path *t, int left)
{
    const int artificial = 2 * t->n;
    for (int step = 0; left != artificial; step++) {
        if (step >= t->attempt.limit || (t->options->ctx && ss_is_interrupted(t->options->ctx))) {
            return SS_PIVOT_LIMIT;
        }
        if (is_due(t) && !refresh(t)) {
            return SS_PIVOT_LOST;
        }
        int entering = complement(t, left), place = choose(t, entering);
        if (place == -2) {
            return SS_PIVOT_LOST;
        }
        if (place == -1) { /* nothing blocks: a ray, unless z0 is nothing but round-off */
            bool vanished = t->x[t->basis.place[artificial]] <= t->options->accept_tol * fmax(1, largest(t->n, t->x));
            ss_basis_ray(&t->basis, entering, t->d, t->result->ray);
            return vanished ? SS_PIVOT_SOLVED : SS_PIVOT_RAY;
        }
        left = t->basis.var[place];
        exchange(t, place, entering);
    }
    return SS_PIVOT_SOLVED;
}

/* one path from the basis in start[]; SOLVED leaves its basis in last[] */
static ss_pivot_end walk(path *t)
{
    bool cold = true;
    for (int k = 0; k < t->n; k++) {
        cold = cold && !t->start[k];
    }
    if (cold) {
        ss_basis_all_w(&t->basis);
    } else {
        t->result->factorisations++;
        if (!ss_basis_set(&t->basis, t->start)) {
            return SS_PIVOT_LOST;
        }
    }
    int left = enter_artificial(t);
    ss_pivot_end end = left < 0 ? SS_PIVOT_SOLVED : follow(t, left);
    for (int k = 0; k < t->n; k++) {
        t->last[k] = t->basis.place[t->n + k] >= 0;
    }
    return end;
}

/* ---- attempts --------------------------------------------------------------------------------- */

/* covering direction, right-hand side and tolerances of an attempt */
static void prepare(path *t, int attempt)
{
    enum { FACTORS = 6 };
    static const double factor[FACTORS] = { 1, 1, 0.1, 10, 100, 1000 };
    uint64_t state = t->options->seed * 1000003u + (uint64_t)attempt;
    bool plain = attempt == 0 && t->options->seed == 0;
    for (int k = 0; k < t->n; k++) {
        t->attempt.e[k] = plain ? 1 : 1 + ss_random_uniform(&state);
        t->attempt.rhs[k] = t->trial.q[k] + (attempt >= PERTURBED_FROM ? PERTURB * (0.5 + ss_random_uniform(&state)) : 0);
    }
    t->attempt.noise = t->options->tie_tol;
    t->attempt.pivot_tol = t->options->pivot_tol * factor[attempt % FACTORS];
    t->attempt.refactor = t->options->refactor >> (attempt < MOST_HALVINGS ? attempt : MOST_HALVINGS);
    t->attempt.refactor = t->attempt.refactor > SHORTEST ? t->attempt.refactor : SHORTEST;
}

static void start_from(path *t, const bool *basic)
{
    for (int k = 0; k < t->n; k++) {
        t->start[k] = basic && basic[k];
    }
}

/* walk; if the end is not accurate, walk on from it with the data as given, a few times */
static ss_pivot_end walk_and_polish(path *t)
{
    ss_pivot_end end = walk(t);
    for (int round = 0; end == SS_PIVOT_SOLVED; round++) {
        if (accept(t, t->last, false)) {
            memcpy(t->basic, t->last, (size_t)t->n * sizeof *t->basic);
            return SS_PIVOT_SOLVED;
        }
        if (round == POLISHES) {
            break;
        }
        start_from(t, t->last);
        memcpy(t->attempt.rhs, t->trial.q, (size_t)t->n * sizeof *t->attempt.rhs);
        t->attempt.noise = NOISE;
        t->result->restarts++;
        end = walk(t);
    }
    return end == SS_PIVOT_RAY || end == SS_PIVOT_LIMIT ? end : SS_PIVOT_LOST;
}

static ss_pivot_end attempts(path *t, bool warm)
{
    int rays = 0;
    ss_pivot_end end = SS_PIVOT_LOST;
    start_from(t, warm ? t->basic : NULL);
    for (int k = 0; k <= t->options->restarts; k++) {
        prepare(t, warm ? (k == 0 ? 0 : k - 1) : k);
        end = walk_and_polish(t);
        rays += end == SS_PIVOT_RAY && !(warm && k == 0);
        if (end == SS_PIVOT_SOLVED || rays == RAYS || t->fallback.error < INFINITY) {
            break;
        }
        t->result->restarts++;
        start_from(t, NULL);
    }
    if (end != SS_PIVOT_SOLVED && t->fallback.error < INFINITY) {
        memcpy(t->basic, t->fallback.basic, (size_t)t->n * sizeof *t->basic);
        accept(t, t->basic, true);
        return SS_PIVOT_SOLVED;
    }
    for (int k = 0; k < t->n && end != SS_PIVOT_SOLVED; k++) { /* where the last path stood */
        int place = t->basis.place[t->n + k];
        t->trial.z[k] = place >= 0 && t->x[place] > 0 ? t->x[place] : 0;
    }
    return end;
}

/* M: room for the matrix, which is written out when a path needs it */
static ss_status take(path *t, ss_arena *arena, int n, double **M)
{
    double **vectors[] = { &t->attempt.rhs, &t->d, &t->a, &t->attempt.e, &t->ties.entry };
    bool **flags[] = { &t->start, &t->last, &t->fallback.basic };
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++) {
        SS_TRY(ss_arena_take_raw(arena, (size_t)n, sizeof(double), vectors[k]));
    }
    for (size_t k = 0; k < sizeof flags / sizeof *flags; k++) {
        SS_TRY(ss_arena_take_raw(arena, (size_t)n, sizeof(bool), flags[k]));
    }
    SS_TRY(ss_arena_take(arena, (size_t)n, sizeof *t->x, &t->x)); /* read even if no path could begin */
    SS_TRY(ss_arena_take(arena, (size_t)n, sizeof *t->ties.is_tied, &t->ties.is_tied));
    SS_TRY(ss_arena_take_raw(arena, (size_t)n, sizeof *t->ties.place, &t->ties.place));
    SS_TRY(ss_arena_take_raw(arena, (size_t)n * (size_t)n, sizeof **M, M));
    return ss_basis_take(&t->basis, arena, n, *M);
}

ss_status ss_pivot_solve(ss_arena *arena, const ss_pivot_options *options, const ss_pivot_matrix *M, const double *q, bool known,
                         bool *basic, double *z, ss_pivot_result *result)
{
    int n = M->n;
    double size = largest(n, q), *scaled, *dense;
    path t = { .options = options, .result = result, .n = n, .basic = basic, .fallback.error = INFINITY };
    *result = (ss_pivot_result){ .end = SS_PIVOT_SOLVED };
    SS_TRY(ss_arena_take_raw(arena, (size_t)n, sizeof *scaled, &scaled));
    SS_TRY(ss_basis_trial_take(&t.trial, arena, M, scaled, z));
    SS_TRY(take(&t, arena, n, &dense));
    SS_TRY(ss_arena_take(arena, (size_t)n, sizeof *result->ray, &result->ray));
    for (int k = 0; k < n; k++) {
        scaled[k] = size > 0 ? q[k] / size : 0;
        z[k] = 0;
    }
    t.attempt.limit = options->max_pivots > 0 ? options->max_pivots : PIVOTS + PIVOTS_PER_ROW * n;

    /* the basis of last time, one linear solve; then the path */
    result->basis_hit = known && accept(&t, basic, options->settle);
    if (!result->basis_hit) {
        M->dense(M->data, dense);
        result->end = attempts(&t, known && options->advance);
    }
    result->factorisations += t.trial.factorisations;
    for (int k = 0; k < n; k++) {
        z[k] *= size;
    }
    return SS_OK;
}
