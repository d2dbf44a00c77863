/* test_text.c - nearest names, hash, random numbers. */
#include "base/base.h"
#include "test.h"

static const char *const words[] = { "distance", "spherical", "revolute", "prismatic", "fixed", "anitescu_potra", "box", NULL };

TEST(nearest_name_undoes_one_slip)
{
    assert_string_equal(ss_nearest_name("distnace", words), "distance");
    assert_string_equal(ss_nearest_name("revolut", words), "revolute");
    assert_string_equal(ss_nearest_name("sphericcal", words), "spherical");
    assert_string_equal(ss_nearest_name("Fixed", words), "fixed");
    assert_string_equal(ss_nearest_name("bax", words), "box");
}

TEST(nearest_name_completes_a_beginning) { assert_string_equal(ss_nearest_name("anitescu", words), "anitescu_potra"); }

TEST(nearest_name_says_nothing_when_nothing_is_near)
{
    CHECK(ss_nearest_name("gearbox", words) == NULL);
    CHECK(ss_nearest_name("", words) == NULL);
    CHECK(ss_nearest_name(NULL, words) == NULL);
    CHECK(ss_nearest_name("zz", words) == NULL);
    char longer[5000];
    memset(longer, 'a', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    CHECK(ss_nearest_name(longer, words) == NULL);
    const char *const none[] = { NULL };
    CHECK(ss_nearest_name("box", none) == NULL);
}

TEST(nearest_name_takes_the_closest_then_the_first)
{
    const char *const list[] = { "springs", "spring", "sprint", NULL };
    assert_string_equal(ss_nearest_name("sprin", list), "spring");
    assert_string_equal(ss_nearest_name("springd", list), "springs");
}

/* the reference is the textbook recursion, on all words of three letters over {a, b} */
static int slow_distance(const char *a, int na, const char *b, int nb)
{
    if (na == 0 || nb == 0) {
        return na + nb;
    }
    int best = slow_distance(a, na - 1, b, nb - 1) + (a[na - 1] != b[nb - 1]);
    int shorter = slow_distance(a, na - 1, b, nb) + 1, longer = slow_distance(a, na, b, nb - 1) + 1;
    best = shorter < best ? shorter : best;
    best = longer < best ? longer : best;
    if (na > 1 && nb > 1 && a[na - 1] == b[nb - 2] && a[na - 2] == b[nb - 1]) {
        int swapped = slow_distance(a, na - 2, b, nb - 2) + 1;
        best = swapped < best ? swapped : best;
    }
    return best;
}

TEST(nearest_name_agrees_with_the_recursive_distance)
{
    for (int code = 0; code < 64 * 64; code++) {
        char a[7] = "", b[7] = "";
        for (int k = 0; k < 6; k++) {
            a[k] = (char)('p' + (code >> k) % 2);
            b[k] = (char)('p' + (code >> (6 + k)) % 2);
        }
        const char *const list[] = { b, NULL };
        bool near = slow_distance(a, 6, b, 6) <= 2; /* a third of six */
        CHECK((ss_nearest_name(a, list) != NULL) == near);
    }
}

TEST(random_numbers_are_those_of_splitmix64)
{
    uint64_t state = 1234567; /* first values of the published reference code for this seed */
    CHECK(ss_random_u64(&state) == UINT64_C(6457827717110365317));
    CHECK(ss_random_u64(&state) == UINT64_C(3203168211198807973));
    CHECK(ss_random_u64(&state) == UINT64_C(9817491932198370423));
}

TEST(uniform_numbers_fill_the_unit_interval)
{
    enum { N = 100000 };
    uint64_t state = 1;
    double sum = 0, square = 0;
    for (int k = 0; k < N; k++) {
        double x = ss_random_uniform(&state);
        CHECK(x >= 0 && x < 1);
        sum += x;
        square += x * x;
    }
    /* five standard deviations of the mean: 5 sqrt(1/12 / N) = 4.6e-3, 5 sqrt(4/45 / N) = 4.8e-3 */
    CHECK_NEAR(sum / N, 0.5, 4.6e-3);
    CHECK_NEAR(square / N, 1.0 / 3, 4.8e-3);
}

TEST(hash_feels_every_bit_and_the_seed)
{
    unsigned char bytes[32] = { 0 };
    uint64_t h = ss_hash(1, bytes, sizeof bytes);
    CHECK(h == ss_hash(1, bytes, sizeof bytes));
    CHECK(h != ss_hash(2, bytes, sizeof bytes));
    CHECK(h != ss_hash(1, bytes, sizeof bytes - 1));
    for (int bit = 0; bit < 256; bit++) {
        bytes[bit / 8] = (unsigned char)(1 << (bit % 8));
        CHECK(h != ss_hash(1, bytes, sizeof bytes));
        bytes[bit / 8] = 0;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nearest_name_undoes_one_slip),
        cmocka_unit_test(nearest_name_completes_a_beginning),
        cmocka_unit_test(nearest_name_says_nothing_when_nothing_is_near),
        cmocka_unit_test(nearest_name_takes_the_closest_then_the_first),
        cmocka_unit_test(nearest_name_agrees_with_the_recursive_distance),
        cmocka_unit_test(random_numbers_are_those_of_splitmix64),
        cmocka_unit_test(uniform_numbers_fill_the_unit_interval),
        cmocka_unit_test(hash_feels_every_bit_and_the_seed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
