/* test_names.c - tables that give every name a number. */
#include "io/names.h"
#include "test.h"

enum { NAMES = 1000 };

static const char *name_of(int k)
{
    static char text[32];
    snprintf(text, sizeof text, "grain%d.0-grain%d.0", k, 7 * k % 31);
    return text;
}

TEST(numbers_count_up_in_the_order_of_first_use_and_stay)
{
    ss_context *ctx = test_context();
    ss_name_table table = { 0 };
    int number;
    for (int round = 0; round < 2; round++) {
        for (int k = 0; k < NAMES; k++) {
            CHECK_OK(ctx, ss_name_table_number(ctx, &table, name_of(k), &number));
            CHECK(number == k);
        }
    }
    CHECK(table.list.n == NAMES);
    for (int k = 0; k < NAMES; k++) {
        assert_string_equal(table.list.text[k], name_of(k));
    }
    ss_name_table_clear(ctx, &table);
    CHECK(table.list.n == 0 && table.slots == 0);
    ss_context_destroy(ctx);
}

/* searches end: at least half of the slots are free, whatever the number of names */
TEST(half_of_the_slots_stay_free)
{
    ss_context *ctx = test_context();
    ss_name_table table = { 0 };
    int number;
    for (int k = 0; k < NAMES; k++) {
        CHECK_OK(ctx, ss_name_table_number(ctx, &table, name_of(k), &number));
        CHECK(2 * table.list.n <= table.slots);
    }
    ss_name_table_clear(ctx, &table);
    ss_context_destroy(ctx);
}

TEST(a_list_keeps_repeated_names)
{
    ss_context *ctx = test_context();
    ss_name_list list = { 0 };
    CHECK_OK(ctx, ss_name_list_add(ctx, &list, "x"));
    CHECK_OK(ctx, ss_name_list_add(ctx, &list, "x"));
    CHECK(list.n == 2 && list.text[0] != list.text[1]);
    ss_name_list_clear(ctx, &list);
    CHECK(list.n == 0 && list.text == NULL);
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_count_up_in_the_order_of_first_use_and_stay),
        cmocka_unit_test(half_of_the_slots_stay_free),
        cmocka_unit_test(a_list_keeps_repeated_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
