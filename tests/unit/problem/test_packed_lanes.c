/* test_packed_lanes.c - four contacts visited at once give what four visits of one contact each give. */
#include "problem/packed_visits.h"

#include "base/base.h"
#include "test.h"

enum { LANES = SS_PACKED_LANES, NUMBERS = SS_PACKED_NUMBERS, BODY = 6 };

/* Four contacts that share no body: their records one after the other, interleaved, and so in single precision. */
typedef struct fours {
    ss_packed_place alone[LANES], together[LANES], together_single[LANES];
    double records[LANES * NUMBERS], interleaved[LANES * NUMBERS];
    float single[LANES * NUMBERS];
    ss_one_contact one[LANES];
    int number[LANES];
    double slide[LANES], x[2 * LANES * BODY], r[3 * LANES], before[3 * LANES];
} fours;

/* in -1 .. 1 */
static double number(uint64_t *seed) { return 2 * ss_random_uniform(seed) - 1; }

static void invert(const double *A, double *inverse)
{
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            const int a = (i + 1) % 3, b = (i + 2) % 3, c = (j + 1) % 3, d = (j + 2) % 3;
            inverse[3 * j + i] = A[3 * a + c] * A[3 * b + d] - A[3 * a + d] * A[3 * b + c];
        }
    }
    const double det = A[0] * inverse[0] + A[1] * inverse[3] + A[2] * inverse[6];
    for (int i = 0; i < 9; i++) {
        inverse[i] /= det;
    }
}

/* a record of a contact, with one body or two */
static void make_record(uint64_t *seed, bool two, unsigned law, double *record, ss_one_contact *one)
{
    double *q = record + SS_PACKED_Q, *X = q + 3, *W = X + 36, *inverse = W + 9;
    *one = (ss_one_contact){ .rows = 3, .law = law, .invertible = true, .mu = 0.1 + 0.3 * (1 + number(seed)) };
    one->mu = (float)one->mu;
    for (int i = 0; i < 36; i++) {
        X[i] = (float)(i % 12 < BODY || two ? number(seed) : 0); /* what single precision holds as it is, but for products */
    }
    for (int i = 0; i < 3; i++) {
        q[i] = (float)number(seed);
        for (int j = 0; j < 3; j++) {
            W[3 * i + j] = 0;
            for (int k = 0; k < 12; k++) {
                W[3 * i + j] += X[12 * i + k] * X[12 * j + k];
            }
        }
        one->d += W[4 * i] / 3;
    }
    invert(W, inverse);
    memcpy(one->W, W, sizeof one->W);
    memcpy(one->inverse, inverse, sizeof one->inverse);
    record[SS_PACKED_MU] = one->mu;
    record[SS_PACKED_D] = one->d;
}

static void make_fours(uint64_t *seed, unsigned law, fours *f)
{
    for (int l = 0; l < LANES; l++) {
        const bool two = number(seed) > -0.5, loaded = number(seed) > 0;
        make_record(seed, two, law, f->records + NUMBERS * l, &f->one[l]);
        f->alone[l] = (ss_packed_place){ .at = (size_t)(NUMBERS * l),
                                         .a = 2 * BODY * l,
                                         .b = two ? 2 * BODY * l + BODY : -1,
                                         .r = 3 * l,
                                         .kind = SS_PACKED_SPACE,
                                         .law = (unsigned short)law };
        f->together[l] = f->alone[l];
        f->number[l] = l;
        f->together[l].kind = SS_PACKED_FOUR;
        f->together[l].lane = (unsigned char)l;
        f->together[l].at = (size_t)l;
        f->together[l].r = l;
        f->together_single[l] = f->together[l];
        f->together_single[l].kind = SS_PACKED_FOUR_SINGLE;
        for (int i = 0; i < NUMBERS; i++) {
            f->interleaved[LANES * i + l] = f->records[NUMBERS * l + i];
            f->single[LANES * i + l] = (float)f->records[NUMBERS * l + i];
        }
        f->slide[l] = law == SS_LAW_ASSOCIATED ? 0.3 * (1 + number(seed)) : 0;
        f->r[3 * l] = loaded ? 1 + number(seed) : 0;
        f->r[3 * l + 1] = 0.3 * f->r[3 * l] * number(seed);
        f->r[3 * l + 2] = 0.3 * f->r[3 * l] * number(seed);
    }
    for (int i = 0; i < 2 * LANES * BODY; i++) {
        f->x[i] = number(seed);
    }
    for (int i = 0; i < 3 * LANES; i++) {
        f->before[i] = f->r[i] + 0.1 * number(seed);
    }
}

/* what visits have changed */
typedef struct outcome {
    double x[2 * LANES * BODY], r[3 * LANES]; /* r contact by contact */
    double most[2], sum[2];                   /* of ss_packed_seen: change, load; square, turn */
} outcome;

typedef enum way { ALONE, TOGETHER, SINGLE } way;

typedef int visiting(const ss_packed_pass *, int, int, ss_packed_seen *);

static double most_of(const double *x) { return fmax(fmax(x[0], x[1]), fmax(x[2], x[3])); }

static double sum_of(const double *x) { return x[0] + x[1] + x[2] + x[3]; }

static void visit(const fours *f, way how, visiting *visits, outcome *out)
{
    const bool together = how != ALONE;
    const void *single = f->single;
    double r[3 * LANES], before[3 * LANES];
    ss_packed_seen seen = { 0 };
    memcpy(out->x, f->x, sizeof out->x);
    for (int i = 0; i < 3 * LANES; i++) {
        const int at = together ? LANES * (i % 3) + i / 3 : i;
        r[at] = f->r[i];
        before[at] = f->before[i];
    }
    const ss_packed_pass pass = { .place = how == SINGLE ? f->together_single
                                           : together    ? f->together
                                                         : f->alone,
                                  .records = how == SINGLE ? single
                                             : together    ? f->interleaved
                                                           : f->records,
                                  .one = f->one,
                                  .number = f->number,
                                  .slide = f->slide,
                                  .x = out->x,
                                  .r = r,
                                  .before = before };
    CHECK(visits(&pass, 0, LANES, &seen) == LANES);
    out->most[0] = most_of(seen.change);
    out->most[1] = most_of(seen.load);
    out->sum[0] = sum_of(seen.square);
    out->sum[1] = sum_of(seen.turn);
    for (int i = 0; i < 3 * LANES; i++) {
        out->r[i] = r[together ? LANES * (i % 3) + i / 3 : i];
    }
}

static void check_near(int n, const double *a, const double *b, double tol)
{
    for (int i = 0; i < n; i++) {
        CHECK_NEAR(a[i], b[i], tol * (1 + fabs(b[i])));
    }
}

static void check_alike(const outcome *a, const outcome *b, double tol)
{
    check_near(3 * LANES, a->r, b->r, tol);
    check_near(2 * LANES * BODY, a->x, b->x, tol);
    check_near(2, a->most, b->most, tol);
    check_near(2, a->sum, b->sum, tol);
}

enum { TRIALS = 20000 };

static const double ROUNDING = 1e-9; /* rounding times the condition of W, up to some 1e5 here */

static void check_law(unsigned law)
{
    uint64_t seed = 1;
    int open = 0, stuck = 0, slipping = 0;
    for (int k = 0; k < TRIALS; k++) {
        fours f;
        outcome one_by_one, at_once, plain, single, plain_single;
        make_fours(&seed, law, &f);
        visit(&f, ALONE, ss_packed_visit, &one_by_one);
        visit(&f, TOGETHER, ss_packed_visit, &at_once);
        visit(&f, TOGETHER, ss_packed_visit_plain, &plain);
        visit(&f, SINGLE, ss_packed_visit, &single);
        visit(&f, SINGLE, ss_packed_visit_plain, &plain_single);
        check_alike(&at_once, &one_by_one, ROUNDING);
        CHECK(memcmp(&at_once, &plain, sizeof plain) == 0);
        CHECK(memcmp(&single, &plain_single, sizeof plain_single) == 0);
        for (int l = 0; l < LANES; l++) {
            const double *r = &at_once.r[3 * l], most = f.one[l].mu * r[0], size = hypot(r[1], r[2]);
            open += r[0] == 0;
            stuck += r[0] > 0 && size < (1 - 1e-9) * most;
            slipping += r[0] > 0 && size >= (1 - 1e-9) * most;
        }
    }
    print_message("%d open, %d stick, %d slip\n", open, stuck, slipping);
    CHECK(open > TRIALS / 4 && stuck > TRIALS / 4 && slipping > TRIALS / 4);
}

TEST(four_contacts_at_once_get_the_impulses_of_four_visits) { check_law(SS_LAW_COULOMB); }

TEST(four_contacts_at_once_with_the_associated_law) { check_law(SS_LAW_ASSOCIATED); }

/* X, q and mu are the same numbers in single precision, W and its inverse are not: visits over and over forget these. */
TEST(four_contacts_in_single_precision_end_where_others_do)
{
    enum { VISITS = 60, SOME = 300 };
    uint64_t seed = 3;
    for (int k = 0; k < SOME; k++) {
        fours f, g;
        outcome at_once, single;
        make_fours(&seed, SS_LAW_COULOMB, &f);
        g = f;
        for (int i = 0; i < VISITS; i++) {
            visit(&f, TOGETHER, ss_packed_visit, &at_once);
            visit(&g, SINGLE, ss_packed_visit, &single);
            memcpy(f.x, at_once.x, sizeof f.x);
            memcpy(f.r, at_once.r, sizeof f.r);
            memcpy(g.x, single.x, sizeof g.x);
            memcpy(g.r, single.r, sizeof g.r);
        }
        check_near(3 * LANES, single.r, at_once.r, ROUNDING);
    }
}

TEST(four_contacts_without_a_visit_of_their_own_are_solved_one_by_one)
{
    uint64_t seed = 5;
    for (int k = 0; k < TRIALS / 10; k++) {
        fours f;
        outcome one_by_one, at_once;
        make_fours(&seed, k % 2 ? SS_LAW_COULOMB : SS_LAW_ASSOCIATED, &f);
        for (int l = 0; l < LANES; l++) {
            f.alone[l].law = f.together[l].law = 0;
        }
        for (int i = 0; i < LANES * 9; i++) { /* the inverses: there is none */
            f.interleaved[LANES * (NUMBERS - 9) + i] = NAN;
        }
        visit(&f, ALONE, ss_packed_visit, &one_by_one);
        visit(&f, TOGETHER, ss_packed_visit, &at_once);
        check_alike(&at_once, &one_by_one, ROUNDING);
    }
}

TEST(a_contact_without_a_number_leaves_the_others_alone)
{
    uint64_t seed = 7;
    fours f;
    outcome whole, broken;
    make_fours(&seed, SS_LAW_COULOMB, &f);
    visit(&f, TOGETHER, ss_packed_visit, &whole);
    f.x[2 * BODY] = NAN; /* of the second contact */
    visit(&f, TOGETHER, ss_packed_visit, &broken);
    for (int i = 0; i < 3 * LANES; i++) {
        CHECK(i / 3 == 1 || broken.r[i] == whole.r[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(four_contacts_at_once_get_the_impulses_of_four_visits),
        cmocka_unit_test(four_contacts_at_once_with_the_associated_law),
        cmocka_unit_test(four_contacts_in_single_precision_end_where_others_do),
        cmocka_unit_test(four_contacts_without_a_visit_of_their_own_are_solved_one_by_one),
        cmocka_unit_test(a_contact_without_a_number_leaves_the_others_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
