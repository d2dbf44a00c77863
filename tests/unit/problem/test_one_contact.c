/* test_one_contact.c - one contact by cases: every law on random data, judged by the natural map, and closed forms.
 *
 * Oracle: eps = r - P_K(r - u^/d) vanishes exactly at the solutions; it knows nothing of the cases. */
#include "problem/one_contact.h"

#include "base/base.h"
#include "problem/contact_law.h"
#include "test.h"

enum { DRAWS = 20000, MOST_DIRECTIONS = 12 };

typedef struct draw {
    uint64_t state;
    ss_problem p;
    int row[2], dir[2];
    unsigned law;
    double mu, direction[2 * MOST_DIRECTIONS], W[9], q[3];
} draw;

static double uniform(draw *y, double lo, double hi) { return lo + (hi - lo) * ss_random_uniform(&y->state); }

/* a polygon turned at random, at times squeezed, in 2D of two lengths */
static void draw_directions(draw *y, int count)
{
    double turn = uniform(y, 0, 6), squeeze = uniform(y, 0.4, 1);
    y->dir[1] = count;
    for (int i = 0; i < count / 2; i++) {
        double angle = turn + 6.283185307179586 * i / count;
        double *d = y->direction + 2 * i, *opposite = d + count;
        d[0] = y->p.dimension == 3 ? cos(angle) : i + 1;
        d[1] = y->p.dimension == 3 ? squeeze * sin(angle) : 0;
        opposite[0] = -d[0];
        opposite[1] = -d[1];
    }
}

/* W = B B' / spread: positive definite; rank < rows makes it singular */
static void draw_matrix(draw *y, int rows, int rank, double floor)
{
    double B[9], size = pow(10, uniform(y, -6, 6));
    for (int i = 0; i < 9; i++) {
        B[i] = uniform(y, -1, 1);
    }
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < rows; j++) {
            y->W[rows * i + j] = i == j ? size * floor : 0;
            for (int m = 0; m < rank; m++) {
                y->W[rows * i + j] += size * B[3 * i + m] * B[3 * j + m];
            }
        }
    }
    double fast = pow(10, uniform(y, -6, 6));
    for (int i = 0; i < rows; i++) {
        y->q[i] = fast * uniform(y, -1, i == 0 ? 0.3 : 1);
    }
}

static void draw_contact(draw *y, uint64_t seed, int dimension, unsigned law, double mu)
{
    *y = (draw){ .state = seed, .law = law, .p = { .nc = 1, .dimension = dimension } };
    int rows = law & (SS_LAW_UNILATERAL | SS_LAW_BOUNDED) ? 1 : dimension;
    y->mu = mu;
    y->row[1] = rows;
    if (law & (SS_LAW_POLYHEDRAL | SS_LAW_ASSOCIATED_POLYHEDRAL)) {
        draw_directions(y, 2 + 2 * (int)(ss_random_u64(&y->state) % (MOST_DIRECTIONS / 2)));
    }
    y->p.row = y->row;
    y->p.dir = y->dir;
    y->p.law = &y->law;
    y->p.mu = &y->mu;
    y->p.direction = y->direction;
    draw_matrix(y, rows, rows, 0.02);
}

static void velocity(const draw *y, const double *r, double *u)
{
    int rows = y->row[1];
    for (int i = 0; i < rows; i++) {
        u[i] = y->q[i];
        for (int j = 0; j < rows; j++) {
            u[i] += y->W[rows * i + j] * r[j];
        }
    }
}

/* |eps| relative to the impulses at hand */
static double natural_map(const draw *y, double d, const double *r)
{
    int rows = y->row[1], count = y->dir[1];
    double u[3] = { 0 }, z[3] = { 0 }, number = 0, size = 0;
    velocity(y, r, u);
    double slip = ss_law_slip(y->law, rows, y->mu, count, y->direction, u);
    for (int i = 0; i < rows; i++) {
        z[i] = r[i] - (u[i] + (i == 0 ? slip : 0)) / d;
    }
    ss_law_project(y->law, rows, y->mu, count, y->direction, z);
    for (int i = 0; i < rows; i++) {
        number = fmax(number, fabs(r[i] - z[i]));
        size = fmax(size, fmax(fabs(r[i]), fabs(y->q[i]) / d));
    }
    return number / size;
}

static const unsigned laws[] = {
    SS_LAW_UNILATERAL, SS_LAW_BOUNDED, SS_LAW_COULOMB, SS_LAW_POLYHEDRAL, SS_LAW_ASSOCIATED, SS_LAW_ASSOCIATED_POLYHEDRAL,
};

/* from the given start; true if a case fitted */
static bool solve(const draw *y, double *r, double *error)
{
    ss_one_contact c;
    double u[3];
    ss_one_contact_open(&c, &y->p, 0, y->W);
    velocity(y, r, u);
    bool exact = ss_one_contact_solve(&c, u, r);
    *error = natural_map(y, c.d, r);
    return exact;
}

TEST(every_law_is_solved_exactly_for_positive_definite_W)
{
    double worst = 0;
    for (size_t k = 0; k < sizeof laws / sizeof *laws; k++) {
        for (uint64_t seed = 1; seed <= DRAWS / 2; seed++) {
            for (int dimension = 2; dimension <= 3; dimension++) {
                draw y;
                double error, r[3] = { 0, 0, 0 }, mu = seed % 7 == 0 ? 0 : 0.1 * (double)(seed % 9);
                draw_contact(&y, seed * 7919, dimension, laws[k], mu);
                CHECK(solve(&y, r, &error));
                worst = fmax(worst, error);
                CHECK(error < 1e-10); /* round-off times the condition of W, at most 150, and of slip at grazing directions */
            }
        }
    }
    print_message("worst natural map %.1e\n", worst);
}

TEST(the_start_does_not_matter_where_the_solution_is_unique)
{
    for (size_t k = 0; k < sizeof laws / sizeof *laws; k++) {
        for (uint64_t seed = 1; seed <= 2000; seed++) {
            draw y;
            double error, zero[3] = { 0, 0, 0 }, other[3];
            draw_contact(&y, seed * 104729, 3, laws[k], seed % 2 ? 0.1 : 0);
            CHECK(solve(&y, zero, &error));
            double size = fabs(zero[0]) + fabs(y.q[0]) / y.W[0];
            for (int i = 0; i < 3; i++) {
                other[i] = i < y.row[1] ? size * uniform(&y, -1, 1) : 0;
            }
            CHECK(solve(&y, other, &error));
            for (int i = 0; i < y.row[1]; i++) {
                CHECK_NEAR(other[i], zero[i], 1e-9 * size); /* as above, with room for the larger start */
            }
        }
    }
}

TEST(a_contact_that_is_visited_again_with_another_velocity_forgets_its_old_impulse)
{
    for (size_t k = 2; k < sizeof laws / sizeof *laws; k++) {
        for (uint64_t seed = 1; seed <= 2000; seed++) {
            draw y;
            double error, r[3] = { 0, 0, 0 }, fresh[3] = { 0, 0, 0 }, far = seed % 3 == 0 ? 1 : seed % 3 == 1 ? 1e-2 : 1e-6;
            draw_contact(&y, seed * 15485863, 3, laws[k], 0.1);
            CHECK(solve(&y, r, &error));
            double speed = fabs(y.q[0]) + fabs(y.q[1]) + fabs(y.q[2]);
            for (int i = 0; i < 3; i++) { /* the same face of a polygon, the next one, or any */
                y.q[i] += far * speed * uniform(&y, -1, 1);
            }
            CHECK(solve(&y, r, &error));
            CHECK(error < 1e-10); /* as above */
            CHECK(solve(&y, fresh, &error));
            for (int i = 0; i < 3; i++) {
                CHECK_NEAR(r[i], fresh[i], 1e-9 * speed / y.W[0]); /* as above */
            }
        }
    }
}

TEST(friction_far_beyond_the_usual_finds_a_solution_all_the_same)
{
    int cut = 0;
    for (uint64_t seed = 1; seed <= DRAWS; seed++) {
        draw y;
        double error, r[3] = { 0, 0, 0 };
        draw_contact(&y, seed * 31337, 3, laws[2 + seed % 4], pow(10, (double)(seed % 5) - 1)); /* mu to 1000 */
        cut += !solve(&y, r, &error) || !(error < 1e-6); /* eps stretches with mu: the cone is wide, its rim far out */
    }
    CHECK(cut == 0);
}

TEST(a_singular_W_gives_a_finite_answer_near_a_solution)
{
    int poor = 0;
    for (uint64_t seed = 1; seed <= 2000; seed++) {
        draw y;
        double error, r[3] = { 0, 0, 0 };
        draw_contact(&y, seed * 611953, 3, laws[2 + seed % 4], 0.5);
        draw_matrix(&y, 3, 2, 0);
        y.q[0] = -fabs(y.q[0]);
        solve(&y, r, &error);
        CHECK(isfinite(r[0] + r[1] + r[2]));
        poor += !(error < 1);
    }
    CHECK(poor == 0);
}

TEST(a_contact_that_cannot_move_has_no_impulse)
{
    draw y;
    double r[3] = { 1, 2, 3 }, u[3] = { -1, 0, 0 };
    ss_one_contact c;
    draw_contact(&y, 1, 3, SS_LAW_COULOMB, 0.5);
    memset(y.W, 0, sizeof y.W);
    ss_one_contact_open(&c, &y.p, 0, y.W);
    CHECK(ss_one_contact_solve(&c, u, r));
    CHECK(r[0] == 0 && r[1] == 0 && r[2] == 0);
}

TEST(a_particle_on_the_floor_slides_sticks_or_leaves)
{
    draw y;
    double error, mass = 2;
    draw_contact(&y, 1, 3, SS_LAW_COULOMB, 0.5);
    memset(y.W, 0, sizeof y.W);
    y.W[0] = y.W[4] = y.W[8] = 1 / mass;
    const double q[3][3] = { { -1, 3, 4 }, { -1, 0.3, 0 }, { 0.1, 1, 1 } };
    const double expected[3][3] = { { 2, -0.6, -0.8 }, { 2, -0.6, 0 }, { 0, 0, 0 } }; /* r_N = m, r_T = -mu m u_T/|u_T| */
    for (int k = 0; k < 3; k++) {
        double r[3] = { 0, 0, 0 };
        memcpy(y.q, q[k], sizeof y.q);
        CHECK(solve(&y, r, &error));
        for (int i = 0; i < 3; i++) {
            CHECK_NEAR(r[i], expected[k][i], 1e-14);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_law_is_solved_exactly_for_positive_definite_W),
        cmocka_unit_test(the_start_does_not_matter_where_the_solution_is_unique),
        cmocka_unit_test(a_contact_that_is_visited_again_with_another_velocity_forgets_its_old_impulse),
        cmocka_unit_test(friction_far_beyond_the_usual_finds_a_solution_all_the_same),
        cmocka_unit_test(a_singular_W_gives_a_finite_answer_near_a_solution),
        cmocka_unit_test(a_contact_that_cannot_move_has_no_impulse),
        cmocka_unit_test(a_particle_on_the_floor_slides_sticks_or_leaves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
