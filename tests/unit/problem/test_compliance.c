/* The limit of vanishing compliance against solutions with a small compliance, which another solver finds: random islands with
 * more rows than motions, every law. The same limit from a guess and from the path. */
#include "math/dense.h"
#include "problem/compliance.h"
#include "test.h"

enum { CONTACTS = 5, ROWS = 3 * CONTACTS, MOTIONS = 6, DIRECTIONS = 8 };

/* an island as a problem in local form, with its own memory */
typedef struct island {
    ss_problem p;
    ss_compliant c;
    double J[ROWS * MOTIONS], W[ROWS * ROWS], q[ROWS], d[CONTACTS], e[CONTACTS], r[ROWS], u[ROWS];
    double terms[ROWS], mu[CONTACTS], direction[2 * DIRECTIONS * CONTACTS], w[ROWS];
    int row[CONTACTS + 1], dir[CONTACTS + 1], contact[CONTACTS];
    unsigned law[CONTACTS];
} island;

static double number(uint64_t *seed) { return 2 * ss_random_uniform(seed) - 1; }

static void number_contacts(island *x, unsigned law, double mu)
{
    for (int k = 0; k < CONTACTS; k++) {
        x->contact[k] = k;
        x->law[k] = law;
        x->mu[k] = mu;
        x->e[k] = 1;
        x->row[k + 1] = 3 * (k + 1);
        x->dir[k + 1] = DIRECTIONS * (k + 1);
        for (int j = 0; j < DIRECTIONS; j++) {
            const double phi = 2 * acos(-1) * j / DIRECTIONS;
            x->direction[2 * (DIRECTIONS * k + j)] = cos(phi);
            x->direction[2 * (DIRECTIONS * k + j) + 1] = sin(phi);
        }
    }
}

/* W = J J' of rank MOTIONS, the normals all along one motion and a little of the others; q = -W r for impulses r that press each
 * contact, with friction inside its cone or beyond it: some islands rest, some slip, in some only a few contacts slip */
static void make(island *x, uint64_t *seed, unsigned law, double mu)
{
    double r[ROWS];
    const double friction = mu * (0.2 + 1.6 * ss_random_uniform(seed));
    memset(x, 0, sizeof *x);
    number_contacts(x, law, mu);
    for (int i = 0; i < ROWS; i++) {
        r[i] = i % 3 == 0 ? -1 - 0.5 * number(seed) : friction * number(seed);
    }
    for (int i = 0; i < ROWS; i++) {
        for (int j = 0; j < MOTIONS; j++) {
            x->J[i + ROWS * j] = (i % 3 == 0 && j == 0 ? 1 : 0) + 0.5 * number(seed) * (j > 0);
        }
    }
    for (int i = 0; i < ROWS; i++) {
        for (int j = 0; j < ROWS; j++) {
            for (int k = 0; k < MOTIONS; k++) {
                x->W[i + ROWS * j] += x->J[i + ROWS * k] * x->J[j + ROWS * k];
            }
        }
    }
    ss_dense_times(ROWS, ROWS, 1, x->W, ROWS, r, x->q);
    for (int k = 0; k < CONTACTS; k++) {
        for (int i = 3 * k; i < 3 * k + 3; i++) {
            x->d[k] += x->W[i + ROWS * i] / 3;
        }
    }
    x->p = ss_problem_make(3);
    x->p.local = true;
    x->p.nc = CONTACTS;
    x->p.law = x->law;
    x->p.mu = x->mu;
    x->p.row = x->row;
    x->p.dir = x->dir;
    x->p.direction = x->direction;
    x->c = (ss_compliant){ .problem = &x->p,
                           .nc = CONTACTS,
                           .n = ROWS,
                           .contact = x->contact,
                           .first = x->row,
                           .W = x->W,
                           .q = x->q,
                           .d = x->d,
                           .terms = x->terms,
                           .e = x->e,
                           .r = x->r,
                           .u = x->u };
}

/* the solution with compliance eps, by Newton's method in velocity space */
static bool solve_with(ss_context *ctx, island *x, double eps, double *r, double *u)
{
    ss_solver_options options = ss_solver_options_default();
    ss_solver *solver;
    ss_solver_info info;
    uint64_t basis[CONTACTS] = { 0 };
    int p[ROWS + 1], column[ROWS * ROWS];
    double value[ROWS * ROWS];
    options.name = "alm";
    options.tol = 1e-11;
    options.share = SS_SHARE_ANY;
    CHECK_OK(ctx, ss_solver_create(ctx, &options, &solver));
    for (int i = 0; i < ROWS; i++) {
        p[i] = ROWS * i;
        for (int j = 0; j < ROWS; j++) {
            column[ROWS * i + j] = j;
            value[ROWS * i + j] = x->W[i + ROWS * j] + (i == j ? eps : 0);
        }
    }
    p[ROWS] = ROWS * ROWS;
    ss_problem problem = x->p;
    problem.W = (ss_csr){ .m = ROWS, .n = ROWS, .p = p, .i = column, .x = value };
    problem.w = x->q;
    ss_solution s = { .r = r, .u = u, .basis = basis };
    CHECK_OK(ctx, ss_solver_solve(solver, &problem, &s, &info));
    ss_solver_destroy(solver);
    return info.outcome == SS_CONVERGED;
}

/* of x.r from the solutions with eps, eps/2 and eps/4, extrapolated to 0 */
static double distance_from_limit(ss_context *ctx, island *x, double eps)
{
    double with[3][ROWS], u[ROWS], off = 0;
    for (int i = 0; i < 3; i++) {
        CHECK(solve_with(ctx, x, ldexp(eps, -i), with[i], u));
    }
    for (int i = 0; i < ROWS; i++) {
        off = fmax(off, fabs(x->r[i] - (8 * with[2][i] - 6 * with[1][i] + with[0][i]) / 3));
    }
    return off;
}

static const unsigned laws[] = { SS_LAW_COULOMB, SS_LAW_POLYHEDRAL, SS_LAW_ASSOCIATED, SS_LAW_ASSOCIATED_POLYHEDRAL };

TEST(the_path_leads_to_the_limit_of_small_compliances)
{
    ss_context *ctx = test_context();
    ss_arena *arena;
    uint64_t seed = 11;
    int dependent = 0;
    CHECK_OK(ctx, ss_arena_create(ctx, 1 << 16, &arena));
    for (int trial = 0; trial < 80; trial++) {
        static island x;
        ss_compliance_run run;
        bool found;
        ss_arena_reset(arena);
        make(&x, &seed, laws[trial % 4], 0.1 + 0.3 * (trial % 3));
        CHECK_OK(ctx, ss_compliance_open(&run, arena, &x.c));
        CHECK_OK(ctx, ss_compliance_follow(ctx, &run, &found));
        CHECK(found);
        /* a large eps has the error of extrapolation, a small one that of the other solver divided by eps */
        CHECK(fmin(distance_from_limit(ctx, &x, 4e-4), distance_from_limit(ctx, &x, 4e-5)) <= 2e-6);
        dependent += x.c.dependent;
    }
    CHECK(dependent >= 70);
    ss_arena_destroy(arena);
    ss_context_destroy(ctx);
}

TEST(a_guess_that_is_sure_is_what_the_path_finds)
{
    ss_context *ctx = test_context();
    ss_arena *arena;
    uint64_t seed = 5;
    int sure = 0;
    CHECK_OK(ctx, ss_arena_create(ctx, 1 << 16, &arena));
    for (int trial = 0; trial < 80; trial++) {
        static island x;
        double r[ROWS], u[ROWS];
        ss_compliance_run run;
        bool found, guessed;
        ss_arena_reset(arena);
        make(&x, &seed, laws[trial % 4], 0.2 + 0.3 * (trial % 3));
        CHECK_OK(ctx, ss_compliance_open(&run, arena, &x.c));
        CHECK_OK(ctx, ss_compliance_follow(ctx, &run, &found));
        CHECK(found);
        memcpy(r, x.r, sizeof r);
        memcpy(u, x.u, sizeof u);
        for (int i = 0; i < ROWS; i++) { /* another solution: the same velocities, other impulses */
            x.r[i] = number(&seed);
        }
        CHECK_OK(ctx, ss_compliance_open(&run, arena, &x.c));
        CHECK_OK(ctx, ss_compliance_guess(&run, &guessed));
        for (int i = 0; i < ROWS && guessed; i++) {
            CHECK_NEAR(x.r[i], r[i], 1e-9);
            CHECK_NEAR(x.u[i], u[i], 1e-9);
        }
        sure += guessed;
    }
    print_message("%d of 80 guesses are sure\n", sure);
    CHECK(sure >= 10);
    ss_arena_destroy(arena);
    ss_context_destroy(ctx);
}

/* velocities of slip in other directions, as those of a solution that shares the load otherwise; are there any? */
static bool turn_velocities(island *x, double angle)
{
    bool any = false;
    for (int k = 0; k < CONTACTS; k++) {
        double *u = x->u + 3 * k;
        const double first = u[1], second = u[2];
        u[1] = cos(angle) * first - sin(angle) * second;
        u[2] = sin(angle) * first + cos(angle) * second;
        any = any || (x->r[3 * k] > 1e-6 && hypot(first, second) > 1e-3);
    }
    return any;
}

/* on a disc friction is against the slip of the limit, in whatever direction the solution at hand slips */
TEST(slips_turn_to_the_directions_of_the_limit)
{
    ss_context *ctx = test_context();
    ss_arena *arena;
    uint64_t seed = 5;
    int turned = 0;
    CHECK_OK(ctx, ss_arena_create(ctx, 1 << 16, &arena));
    for (int trial = 0; trial < 800; trial++) {
        static island x;
        double r[ROWS];
        ss_compliance_run run;
        bool found, guessed;
        ss_arena_reset(arena);
        make(&x, &seed, SS_LAW_COULOMB, 0.3 + 0.1 * (trial % 3));
        CHECK_OK(ctx, ss_compliance_open(&run, arena, &x.c));
        CHECK_OK(ctx, ss_compliance_follow(ctx, &run, &found));
        memcpy(r, x.r, sizeof r);
        const bool slips = turn_velocities(&x, 0.1);
        CHECK_OK(ctx, ss_compliance_open(&run, arena, &x.c));
        CHECK_OK(ctx, ss_compliance_guess(&run, &guessed));
        for (int i = 0; i < ROWS && guessed; i++) {
            CHECK_NEAR(x.r[i], r[i], 1e-9);
        }
        turned += slips && guessed;
    }
    print_message("%d of 800 islands have slips that turn\n", turned);
    CHECK(turned >= 10);
    ss_arena_destroy(arena);
    ss_context_destroy(ctx);
}

/* the next step: offsets have changed a little, some contacts bear nothing, some slip by a distance that vanishes with eps */
TEST(what_is_near_the_states_of_the_last_step_is_what_the_path_finds)
{
    ss_context *ctx = test_context();
    ss_arena *arena;
    uint64_t seed = 8;
    int near_by = 0;
    CHECK_OK(ctx, ss_arena_create(ctx, 1 << 16, &arena));
    for (int trial = 0; trial < 80; trial++) {
        static island x;
        double last[ROWS], q[ROWS], r[ROWS];
        ss_compliance_run run;
        bool found, recalled;
        ss_arena_reset(arena);
        make(&x, &seed, laws[trial % 4], 0.2 + 0.3 * (trial % 3));
        CHECK_OK(ctx, ss_compliance_open(&run, arena, &x.c));
        CHECK_OK(ctx, ss_compliance_follow(ctx, &run, &found));
        memcpy(last, x.r, sizeof last);
        ss_dense_times(ROWS, ROWS, 1e-3 * number(&seed), x.W, ROWS, last, x.q);
        memcpy(q, x.q, sizeof q);
        CHECK_OK(ctx, ss_compliance_follow(ctx, &run, &found));
        CHECK(found);
        memcpy(r, x.r, sizeof r);
        memcpy(x.q, q, sizeof q);
        CHECK_OK(ctx, ss_compliance_recall(&run, last, &recalled));
        for (int i = 0; i < ROWS && recalled; i++) {
            CHECK_NEAR(x.r[i], r[i], 1e-9);
        }
        near_by += recalled;
    }
    print_message("%d of 80 are near by\n", near_by);
    CHECK(near_by >= 60);
    ss_arena_destroy(arena);
    ss_context_destroy(ctx);
}

/* what every law demands of a contact: no pull, no approach, no normal impulse where it opens, friction within mu r_N */
static void check_laws(const island *x)
{
    for (int k = 0; k < CONTACTS; k++) {
        const double *r = x->r + 3 * k, *u = x->u + 3 * k;
        const bool associated = x->law[k] & (SS_LAW_ASSOCIATED | SS_LAW_ASSOCIATED_POLYHEDRAL);
        CHECK(r[0] >= -1e-10 && hypot(r[1], r[2]) <= x->mu[k] * r[0] + 1e-10); /* a polygon lies within its disc */
        CHECK(associated || (u[0] >= -1e-10 && fabs(r[0] * u[0]) <= 1e-10));
    }
}

/* gaps of 1e-11 m, divided by a step: more than noise, and so little that contacts change their states at a small eps only. Not
 * every path arrives: where contacts slip by less than 1e-6 of the speeds, the direction of slip is known too badly. */
TEST(most_paths_arrive_where_offsets_differ_by_little)
{
    ss_context *ctx = test_context();
    ss_arena *arena;
    uint64_t seed = 3;
    int arrived = 0;
    CHECK_OK(ctx, ss_arena_create(ctx, 1 << 16, &arena));
    for (int trial = 0; trial < 80; trial++) {
        static island x;
        ss_compliance_run run;
        bool found;
        ss_arena_reset(arena);
        make(&x, &seed, laws[trial % 4], 0.4 + 0.3 * (trial % 3));
        const double apart = 3e-7 * pow(10, 2 * ss_random_uniform(&seed));
        for (int k = 0; k < CONTACTS; k++) {
            x.q[3 * k] += apart * number(&seed);
        }
        CHECK_OK(ctx, ss_compliance_open(&run, arena, &x.c));
        CHECK_OK(ctx, ss_compliance_follow(ctx, &run, &found));
        arrived += found;
        if (found) {
            check_laws(&x);
        }
    }
    print_message("%d of 80 paths arrive\n", arrived);
    CHECK(arrived >= 45);
    ss_arena_destroy(arena);
    ss_context_destroy(ctx);
}

/* offsets that disagree by noise are made to agree, larger ones decide which contact bears */
TEST(noise_in_the_offsets_does_not_decide)
{
    ss_context *ctx = test_context();
    ss_arena *arena;
    CHECK_OK(ctx, ss_arena_create(ctx, 1 << 16, &arena));
    for (int large = 0; large < 2; large++) {
        const double W[4] = { 1, 1, 1, 1 }, d[2] = { 1, 1 }, e[2] = { 1, 1 };
        const double terms[2] = { 0 };
        double q[2] = { -1, -1 + (large ? 1e-3 : 3e-8) }, r[2] = { 1, 0 }, u[2] = { 0, q[1] + 1 }, mu[2] = { 0 };
        const int contact[2] = { 0, 1 }, first[3] = { 0, 1, 2 };
        int row[3] = { 0, 1, 2 }, dir[3] = { 0 };
        unsigned law[2] = { SS_LAW_UNILATERAL, SS_LAW_UNILATERAL };
        ss_problem p = ss_problem_make(3);
        p.nc = 2;
        p.row = row;
        p.dir = dir;
        p.law = law;
        p.mu = mu;
        ss_compliant c = { .problem = &p,
                           .nc = 2,
                           .n = 2,
                           .contact = contact,
                           .first = first,
                           .W = W,
                           .q = q,
                           .d = d,
                           .terms = terms,
                           .e = e,
                           .r = r,
                           .u = u };
        ss_compliance_run run;
        bool found;
        ss_arena_reset(arena);
        CHECK_OK(ctx, ss_compliance_open(&run, arena, &c));
        CHECK_OK(ctx, ss_compliance_guess(&run, &found));
        CHECK(found);
        CHECK_NEAR(r[0], large ? 1 : 0.5, 1e-7);
        CHECK_NEAR(r[1], large ? 0 : 0.5, 1e-7);
        CHECK_NEAR(q[0], large ? -1 : -1 + 1.5e-8, 1e-15);
    }
    ss_arena_destroy(arena);
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_path_leads_to_the_limit_of_small_compliances),
        cmocka_unit_test(a_guess_that_is_sure_is_what_the_path_finds),
        cmocka_unit_test(slips_turn_to_the_directions_of_the_limit),
        cmocka_unit_test(what_is_near_the_states_of_the_last_step_is_what_the_path_finds),
        cmocka_unit_test(most_paths_arrive_where_offsets_differ_by_little),
        cmocka_unit_test(noise_in_the_offsets_does_not_decide),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
