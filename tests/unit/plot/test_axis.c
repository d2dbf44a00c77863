/* test_axis.c - ranges, ticks at round numbers, labels without noise. */
#include "plot/axis.h"
#include "test.h"

static ss_axis axis_for(bool log, double low, double high)
{
    ss_axis axis = { .p0 = 100, .p1 = 600 };
    ss_axis_set_range(&axis, log, low, high, 0);
    ss_axis_set_ticks(&axis, 8);
    return axis;
}

/* "0 | 0.5 | 10^3": all labels in order */
static const char *labels(const ss_axis *axis, char *text, size_t size)
{
    size_t n = 0;
    text[0] = '\0';
    for (int k = 0; k < axis->ticks; k++) {
        const ss_tick *t = &axis->tick[k];
        if (t->text[0] && n < size) {
            n += (size_t)snprintf(text + n, size - n, "%s%s%s%s", n > 0 ? " | " : "", t->text, t->power[0] ? "^" : "", t->power);
        }
    }
    return text;
}

static void check_labels(bool log, double low, double high, const char *expected)
{
    char text[2048];
    ss_axis axis = axis_for(log, low, high);
    assert_string_equal(labels(&axis, text, sizeof text), expected);
}

#define M "\xe2\x88\x92"
#define X "\xc3\x97"

TEST(linear_ticks_are_multiples_of_1_2_or_5)
{
    check_labels(false, 0, 5, "0 | 1 | 2 | 3 | 4 | 5");
    check_labels(false, -2.1, 1.05, M "2.0 | " M "1.5 | " M "1.0 | " M "0.5 | 0.0 | 0.5 | 1.0");
    check_labels(false, 0, 0.7, "0.0 | 0.1 | 0.2 | 0.3 | 0.4 | 0.5 | 0.6 | 0.7"); /* 3 * 0.1 is no 0.3 in binary */
    check_labels(false, 0, 1600, "0 | 200 | 400 | 600 | 800 | 1000 | 1200 | 1400 | 1600");
}

TEST(large_and_small_labels_share_a_power_of_ten)
{
    ss_axis axis = axis_for(false, 0, 3e7);
    assert_string_equal(axis.note.text, X "10");
    assert_string_equal(axis.note.power, "7");
    check_labels(false, 0, 3e7, "0.0 | 0.5 | 1.0 | 1.5 | 2.0 | 2.5 | 3.0");
    axis = axis_for(false, -1e-9, 1e-9);
    assert_string_equal(axis.note.power, M "9");
}

TEST(labels_that_agree_but_for_the_last_digits_share_a_summand)
{
    ss_axis axis = axis_for(false, 500.0001 - 2e-6, 500.0001 + 2e-6);
    assert_string_equal(axis.plus, "+ 500.0001");
    assert_string_equal(axis.note.power, M "6");
    check_labels(false, 500.0001 - 2e-6, 500.0001 + 2e-6, M "2.0 | " M "1.5 | " M "1.0 | " M "0.5 | 0.0 | 0.5 | 1.0 | 1.5 | 2.0");
    axis = axis_for(false, -1e7 - 2, -1e7 + 2);
    assert_string_equal(axis.plus, M " 1e7");
}

TEST(logarithmic_ticks_are_decades_with_minor_ticks)
{
    check_labels(true, 1e-5, 1, "10^" M "5 | 10^" M "4 | 10^" M "3 | 10^" M "2 | 10^" M "1 | 10^0");
    ss_axis axis = axis_for(true, 1e-5, 1);
    CHECK(axis.ticks == 5 * 9 + 1);
    check_labels(true, 0.003, 0.2, "0.005 | 0.01 | 0.02 | 0.05 | 0.1 | 0.2");
    check_labels(true, 3e-8, 6e-8,
                 "2" X "10^" M "8 | 3" X "10^" M "8 | 4" X "10^" M "8 | 5" X "10^" M "8 | 6" X "10^" M "8 | 8" X "10^" M "8");
}

TEST(long_logarithmic_ranges_skip_decades)
{
    check_labels(true, 1e-300, 1e300, "10^" M "300 | 10^" M "200 | 10^" M "100 | 10^0 | 10^100 | 10^200 | 10^300");
    check_labels(true, 1e-12, 1, "10^" M "12 | 10^" M "10 | 10^" M "8 | 10^" M "6 | 10^" M "4 | 10^" M "2 | 10^0");
}

TEST(every_range_gives_a_few_ticks_inside_it)
{
    const double ends[] = { -1e300, -5e10, -1, -1e-300, 0, 5e-324, 1e-300, 1e-10, 1, 1 + 1e-15, 1 + 1e-9, 500, 1e6, 1e300 };
    const int n = (int)(sizeof ends / sizeof *ends);
    for (int i = 0; i < n; i++) {
        for (int j = i; j < n; j++) {
            for (int log = 0; log < 2; log++) {
                if (!ss_axis_takes(log, ends[i])) {
                    continue;
                }
                ss_axis axis = axis_for(log, ends[i], ends[j]);
                int labelled = 0;
                for (int k = 0; k < axis.ticks; k++) {
                    double p = ss_axis_pixel_at(&axis, axis.tick[k].at);
                    CHECK(p >= 99.99 && p <= 600.01); /* a tick at an end may be off by its rounding */
                    CHECK(strlen(axis.tick[k].text) < 16);
                    labelled += axis.tick[k].text[0] != '\0';
                }
                CHECK(labelled >= 2 && labelled <= 12);
            }
        }
    }
}

TEST(a_range_of_no_length_is_widened_around_its_value)
{
    ss_axis axis = axis_for(false, 7, 7);
    CHECK(axis.low < 7 && axis.high > 7);
    CHECK_NEAR(ss_axis_pixel(&axis, 7), 350, 1e-9); /* the middle, to round-off */
    axis = axis_for(false, 0, 0);
    CHECK(axis.low == -1 && axis.high == 1);
    axis = axis_for(true, 1e-3, 1e-3);
    CHECK_NEAR(ss_axis_pixel(&axis, 1e-3), 350, 1e-9);
    axis = axis_for(false, 1, -1); /* no data */
    CHECK(axis.low == 0 && axis.high == 1);
}

TEST(what_an_axis_cannot_show_is_known)
{
    CHECK(ss_axis_takes(false, 0) && ss_axis_takes(false, -1e300) && ss_axis_takes(true, 5e-324));
    CHECK(!ss_axis_takes(true, 0) && !ss_axis_takes(true, -1));
    CHECK(!ss_axis_takes(false, NAN) && !ss_axis_takes(false, INFINITY) && !ss_axis_takes(true, NAN) &&
          !ss_axis_takes(false, 2e300));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linear_ticks_are_multiples_of_1_2_or_5),
        cmocka_unit_test(large_and_small_labels_share_a_power_of_ten),
        cmocka_unit_test(labels_that_agree_but_for_the_last_digits_share_a_summand),
        cmocka_unit_test(logarithmic_ticks_are_decades_with_minor_ticks),
        cmocka_unit_test(long_logarithmic_ranges_skip_decades),
        cmocka_unit_test(every_range_gives_a_few_ticks_inside_it),
        cmocka_unit_test(a_range_of_no_length_is_widened_around_its_value),
        cmocka_unit_test(what_an_axis_cannot_show_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
