/* test_cache.c - what is remembered of contacts is found again by identity, level by level, with the numbers of a scheme. */
#include "contact/contact.h"
#include "test.h"

enum { ENTRIES = 500 };

static ss_contact_id make_id(int k)
{
    return (ss_contact_id){ .kind = k / 300, .a = k / 20, .b = k / 4 % 5, .feature = (uint32_t)(k % 4) };
}

/* contacts first, first + apart, .. : sorted, because make_id grows with k in the order of comparison */
static void make_contacts(int first, int apart, int n, ss_contact *out)
{
    for (int k = 0; k < n; k++) {
        out[k] = (ss_contact){ .id = make_id(first + apart * k) };
    }
}

/* Remember n contacts at a level; the impulse of each is `scale` times its number. */
static void enter(ss_context *ctx, ss_contact_cache *cache, ss_level level, int first, int apart, int n, double scale)
{
    ss_contact contact[ENTRIES] = { 0 };
    const ss_contact *each[ENTRIES] = { 0 };
    make_contacts(first, apart, n, contact);
    for (int k = 0; k < n; k++) {
        each[k] = &contact[k];
    }
    CHECK_OK(ctx, ss_contact_cache_enter(ctx, cache, level, n, each));
    for (int k = 0; k < n; k++) {
        cache->level[level].entry[k].normal = scale * (first + apart * k);
    }
}

static bool knows(const ss_contact_cache *cache, ss_level level, int k)
{
    const ss_contact_id id = make_id(k);
    return ss_contact_cache_find(cache, level, &id) != NULL;
}

static double normal_of(const ss_contact_cache *cache, int k)
{
    const ss_contact_id id = make_id(k);
    return ss_contact_cache_normal(cache, &id);
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
    ss_context *ctx = test_context();
    ss_contact_cache cache = { 0 };
    CHECK(!knows(&cache, SS_LEVEL_VELOCITY, 0));
    enter(ctx, &cache, SS_LEVEL_VELOCITY, 0, 2, ENTRIES, 1);
    for (int k = 0; k < ENTRIES; k++) {
        const ss_contact_id there = make_id(2 * k);
        CHECK(ss_contact_cache_find(&cache, SS_LEVEL_VELOCITY, &there) == &cache.level[SS_LEVEL_VELOCITY].entry[k]);
        CHECK(!knows(&cache, SS_LEVEL_VELOCITY, 2 * k + 1));
    }
    ss_contact_cache_free(ctx, &cache);
    ss_context_destroy(ctx);
}

TEST(remembering_at_one_level_leaves_the_others_as_they_are)
{
    ss_context *ctx = test_context();
    ss_contact_cache cache = { 0 };
    enter(ctx, &cache, SS_LEVEL_VELOCITY, 0, 2, 100, 1);
    enter(ctx, &cache, SS_LEVEL_POSITION, 0, 3, 100, -1);
    enter(ctx, &cache, SS_LEVEL_VELOCITY, 100, 2, 50, 10); /* 100, 102, .. 198: the others are forgotten here */
    for (int k = 0; k < 300; k++) {
        CHECK(knows(&cache, SS_LEVEL_VELOCITY, k) == (k >= 100 && k < 200 && k % 2 == 0));
        CHECK(knows(&cache, SS_LEVEL_POSITION, k) == (k % 3 == 0));
        CHECK(!knows(&cache, SS_LEVEL_ACCELERATION, k));
    }
    CHECK(normal_of(&cache, 102) == 1020); /* at both levels: the larger one */
    CHECK(normal_of(&cache, 99) == -99);   /* at one */
    CHECK(normal_of(&cache, 98) == 0);     /* at none any more */
    ss_contact_cache_forget(&cache, SS_LEVEL_VELOCITY);
    CHECK(normal_of(&cache, 102) == -102 && normal_of(&cache, 100) == 0);
    ss_contact_cache_free(ctx, &cache);
    ss_context_destroy(ctx);
}

/* ---- numbers --------------------------------------------------------------------------------------- */

static const ss_contact_numbers two_numbers = { 2, (const char *const[]){ "first", "second" }, SS_LEVEL_POSITION };

static double *numbers_of(const ss_contact_cache *cache, int k)
{
    const ss_contact_id id = make_id(k);
    return ss_contact_cache_numbers(cache, &id);
}

/* numbers of contact k that tell whose they are */
static void mark_all(const ss_contact_cache *cache)
{
    for (int k = 0; k < 2 * ENTRIES; k++) {
        double *number = numbers_of(cache, k);
        if (number) {
            number[0] = 1 + k;
            number[1] = -k;
        }
    }
}

static void check_numbers(const ss_contact_cache *cache, int k, bool kept)
{
    const double *number = numbers_of(cache, k);
    CHECK(number && number[0] == (kept ? 1 + k : 0) && number[1] == (kept ? -k : 0));
}

/* Whatever lists follow each other: some contacts stay, some go, some come, before, between and after those that stay. */
TEST(a_contact_that_stays_keeps_its_numbers_and_a_new_one_has_zeros)
{
    static const struct list {
        int first, apart, n;
    } lists[] = { { 0, 2, 100 }, { 0, 1, 200 }, { 50, 3, 100 }, { 50, 3, 1 }, { 10, 4, 30 }, { 500, 1, 9 }, { 0, 5, 150 } };
    ss_context *ctx = test_context();
    ss_contact_cache cache = { .numbers = &two_numbers };
    bool before[2 * ENTRIES] = { false };
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        const struct list *l = &lists[i];
        enter(ctx, &cache, SS_LEVEL_POSITION, l->first, l->apart, l->n, 1);
        for (int k = 0; k < 2 * ENTRIES; k++) {
            const bool there = knows(&cache, SS_LEVEL_POSITION, k);
            CHECK(there == (k >= l->first && (k - l->first) % l->apart == 0 && k < l->first + l->apart * l->n));
            CHECK(there == (numbers_of(&cache, k) != NULL));
            if (there) {
                check_numbers(&cache, k, before[k]);
            }
            before[k] = there;
        }
        mark_all(&cache);
    }
    ss_contact_cache_free(ctx, &cache);
    ss_context_destroy(ctx);
}

TEST(numbers_go_with_the_level_that_they_are_declared_for)
{
    ss_context *ctx = test_context();
    ss_contact_cache cache = { .numbers = &two_numbers };
    enter(ctx, &cache, SS_LEVEL_POSITION, 0, 1, 5, 1);
    mark_all(&cache);
    enter(ctx, &cache, SS_LEVEL_VELOCITY, 0, 1, 20, 1); /* they are not of this level */
    check_numbers(&cache, 4, true);
    CHECK(!numbers_of(&cache, 5));
    enter(ctx, &cache, SS_LEVEL_POSITION, 0, 1, 4, 1);
    CHECK(knows(&cache, SS_LEVEL_VELOCITY, 4) && !numbers_of(&cache, 4));
    enter(ctx, &cache, SS_LEVEL_POSITION, 0, 1, 5, 1); /* it comes back as a new one */
    check_numbers(&cache, 3, true);
    check_numbers(&cache, 4, false);
    ss_contact_cache_free(ctx, &cache);
    ss_context_destroy(ctx);
}

TEST(what_is_handed_on_to_another_level_is_new_there)
{
    ss_context *ctx = test_context();
    ss_contact_cache cache = { .numbers = &two_numbers };
    enter(ctx, &cache, SS_LEVEL_POSITION, 0, 2, 5, 1);
    mark_all(&cache);
    enter(ctx, &cache, SS_LEVEL_ACCELERATION, 4, 1, 7, 3);
    CHECK_OK(ctx, ss_contact_cache_hand_on(ctx, &cache, SS_LEVEL_ACCELERATION, SS_LEVEL_POSITION));
    for (int k = 0; k < 12; k++) {
        const bool there = k >= 4 && k < 11;
        CHECK(knows(&cache, SS_LEVEL_POSITION, k) == there && !knows(&cache, SS_LEVEL_ACCELERATION, k));
        CHECK(normal_of(&cache, k) == (there ? 3 * k : 0));
        if (there) {
            check_numbers(&cache, k, false);
        }
    }
    ss_contact_cache_free(ctx, &cache);
    ss_context_destroy(ctx);
}

/* ---- copies ---------------------------------------------------------------------------------------- */

static void check_equal(const ss_contact_cache *a, const ss_contact_cache *b)
{
    for (int k = 0; k < SS_LEVELS; k++) {
        const ss_contact_cache_list *x = &a->level[k], *y = &b->level[k];
        CHECK(x->n == y->n && (x->n == 0 || (x->entry != y->entry)));
        CHECK(x->n == 0 || memcmp(x->entry, y->entry, (size_t)x->n * sizeof *x->entry) == 0);
    }
    const size_t numbers = 2 * (size_t)a->level[SS_LEVEL_POSITION].n;
    CHECK(a->numbers == b->numbers && a->number != b->number);
    CHECK(memcmp(a->number, b->number, numbers * sizeof *a->number) == 0);
}

TEST(a_copy_is_equal_separate_and_reuses_its_memory)
{
    ss_context *ctx = test_context();
    ss_contact_cache from = { .numbers = &two_numbers }, to = { 0 };
    enter(ctx, &from, SS_LEVEL_VELOCITY, 0, 1, ENTRIES, 1);
    enter(ctx, &from, SS_LEVEL_POSITION, 1, 2, ENTRIES, 2);
    mark_all(&from);
    CHECK_OK(ctx, ss_contact_cache_copy(ctx, &from, &to));
    check_equal(&from, &to);
    const uint64_t taken = ss_context_allocations(ctx);
    for (int n = 0; n <= ENTRIES; n += ENTRIES / 5) {
        enter(ctx, &from, SS_LEVEL_POSITION, 0, 1, ENTRIES - n, 3);
        mark_all(&from);
        CHECK_OK(ctx, ss_contact_cache_copy(ctx, &from, &to));
        check_equal(&from, &to);
    }
    CHECK(ss_context_allocations(ctx) == taken);
    ss_contact_cache_free(ctx, &to);
    ss_contact_cache_free(ctx, &from);
    CHECK(to.level[SS_LEVEL_VELOCITY].n == 0 && !to.level[SS_LEVEL_VELOCITY].entry && !to.number);
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids_are_ordered_by_kind_then_a_then_b_then_feature),
        cmocka_unit_test(entries_are_found_by_their_id_and_others_are_not),
        cmocka_unit_test(remembering_at_one_level_leaves_the_others_as_they_are),
        cmocka_unit_test(a_contact_that_stays_keeps_its_numbers_and_a_new_one_has_zeros),
        cmocka_unit_test(numbers_go_with_the_level_that_they_are_declared_for),
        cmocka_unit_test(what_is_handed_on_to_another_level_is_new_there),
        cmocka_unit_test(a_copy_is_equal_separate_and_reuses_its_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
