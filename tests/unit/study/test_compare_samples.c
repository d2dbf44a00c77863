/* test_compare_samples.c - states kept of a run: all that fit, else every 2nd, 4th, .. of them, evenly. */
#include "study/compare_samples.h"
#include "test.h"

static ss_samples make(ss_context *ctx, int states)
{
    ss_samples s;
    CHECK_OK(ctx, ss_samples_begin(ctx, 2, 1, 0, &s)); /* no room is room for 16 */
    for (int k = 1; k <= states; k++) {
        const double q[2] = { k, -k }, v[1] = { 10 * k };
        ss_samples_add(&s, k, q, v);
    }
    return s;
}

TEST(all_states_are_kept_as_long_as_they_fit)
{
    ss_context *ctx = test_context();
    ss_samples s = make(ctx, 16);
    CHECK(s.n == 16 && s.stride == 1);
    for (int k = 0; k < s.n; k++) {
        CHECK(s.t[k] == k + 1 && s.q[2 * k] == k + 1 && s.q[2 * k + 1] == -k - 1 && s.v[k] == 10 * (k + 1));
    }
    ss_samples_clear(&s);
    ss_context_destroy(ctx);
}

TEST(of_more_states_evenly_spaced_ones_are_kept_to_the_end)
{
    ss_context *ctx = test_context();
    for (int states = 17; states < 300; states++) {
        ss_samples s = make(ctx, states);
        CHECK(s.n >= 8 && s.n <= 16);
        for (int k = 0; k < s.n; k++) {
            CHECK(s.t[k] == (double)((k + 1) * s.stride) && s.q[2 * k + 1] == -s.t[k] && s.v[k] == 10 * s.t[k]);
        }
        CHECK(s.t[s.n - 1] > (double)(states - s.stride));
        ss_samples_clear(&s);
    }
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_states_are_kept_as_long_as_they_fit),
        cmocka_unit_test(of_more_states_evenly_spaced_ones_are_kept_to_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
