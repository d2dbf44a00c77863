/* test_memory.c - what is remembered of contacts is found again by identity, and copied as it is. */
#include "contact/contact.h"
#include "test.h"

enum { ENTRIES = 500 };

static ss_contact_id make_id(int k)
{
    return (ss_contact_id){ .kind = k / 300, .a = k / 20, .b = k / 4 % 5, .feature = (uint32_t)(k % 4) };
}

/* sorted, because make_id grows with k in the order of comparison */
static ss_memory make_memory(ss_memory_entry *entry, int n)
{
    for (int k = 0; k < n; k++) {
        entry[k] = (ss_memory_entry){ .id = make_id(2 * k), .scalar = k, .basis = (uint64_t)k };
    }
    return (ss_memory){ .n = n, .cap = n, .entry = entry };
}

TEST(ids_are_ordered_by_kind_then_a_then_b_then_feature)
{
    for (int k = 0; k + 1 < 2 * ENTRIES; k++) {
        const ss_contact_id x = make_id(k), y = make_id(k + 1);
        CHECK(ss_contact_id_compare(&x, &y) < 0);
        CHECK(ss_contact_id_compare(&y, &x) > 0);
        CHECK(ss_contact_id_compare(&x, &x) == 0);
    }
    const ss_contact_id small = { .feature = 1 }, large = { .feature = 0xf0000000u };
    CHECK(ss_contact_id_compare(&small, &large) < 0); /* features are unsigned */
}

TEST(entries_are_found_by_their_id_and_others_are_not)
{
    ss_memory_entry entry[ENTRIES];
    const ss_memory memory = make_memory(entry, ENTRIES);
    for (int k = 0; k < ENTRIES; k++) {
        const ss_contact_id there = make_id(2 * k), absent = make_id(2 * k + 1);
        CHECK(ss_memory_find(&memory, &there) == &entry[k]);
        CHECK(ss_memory_find(&memory, &absent) == NULL);
    }
    const ss_memory empty = { 0 };
    const ss_contact_id id = make_id(0);
    CHECK(ss_memory_find(&empty, &id) == NULL);
}

TEST(a_copy_is_equal_separate_and_reuses_its_memory)
{
    ss_context *ctx = test_context();
    ss_memory_entry entry[ENTRIES];
    const ss_memory from = make_memory(entry, ENTRIES), few = { .n = 3, .cap = ENTRIES, .entry = entry }, none = { 0 };
    ss_memory to = { 0 };
    CHECK_OK(ctx, ss_memory_copy(ctx, &from, &to));
    CHECK(to.n == ENTRIES && to.entry != entry);
    CHECK(memcmp(to.entry, entry, sizeof entry) == 0);
    const uint64_t taken = ss_context_allocations(ctx);
    CHECK_OK(ctx, ss_memory_copy(ctx, &few, &to));
    CHECK(to.n == 3);
    CHECK_OK(ctx, ss_memory_copy(ctx, &none, &to));
    CHECK(to.n == 0);
    CHECK_OK(ctx, ss_memory_copy(ctx, &from, &to));
    CHECK(to.n == ENTRIES && ss_context_allocations(ctx) == taken);
    ss_memory_free(ctx, &to);
    CHECK(to.n == 0 && to.entry == NULL);
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids_are_ordered_by_kind_then_a_then_b_then_feature),
        cmocka_unit_test(entries_are_found_by_their_id_and_others_are_not),
        cmocka_unit_test(a_copy_is_equal_separate_and_reuses_its_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
