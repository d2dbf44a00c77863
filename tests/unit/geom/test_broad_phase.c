/* test_broad_phase.c - the sweep finds exactly the pairs that overlap, in order, quickly and without taking memory. */
#include "poses.h"

static ss_box3 random_box(uint64_t *seed, int dimension, double spread, double size)
{
    const ss_vec3 p = pose_vector(seed, dimension, spread);
    const ss_vec3 h =
        ss_v3(pose_uniform(seed, 0, size), pose_uniform(seed, 0, size), dimension == 3 ? pose_uniform(seed, 0, size) : 0);
    return (ss_box3){ ss_sub(p, h), ss_add(p, h) };
}

static bool overlap(const ss_box3 *a, const ss_box3 *b)
{
    const bool x = fmax(a->lo.x, b->lo.x) <= fmin(a->hi.x, b->hi.x), y = fmax(a->lo.y, b->lo.y) <= fmin(a->hi.y, b->hi.y);
    return x && y && fmax(a->lo.z, b->lo.z) <= fmin(a->hi.z, b->hi.z);
}

/* the pairs are those of the double loop, which come sorted */
static void check_pairs(ss_context *ctx, ss_broad_phase *bp, int n, const ss_box3 *box)
{
    const ss_index_pair *pairs;
    int count, k = 0;
    CHECK_OK(ctx, ss_broad_phase_pairs(bp, n, box, &pairs, &count));
    for (int i = 0; i < n; i++) {
        for (int j = i + 1; j < n; j++) {
            if (overlap(&box[i], &box[j])) {
                CHECK(k < count && pairs[k].a == i && pairs[k].b == j);
                k++;
            }
        }
    }
    CHECK(k == count);
}

enum { MANY = 200, LOTS = 200000 };

TEST(pairs_are_those_of_the_double_loop)
{
    ss_context *ctx = test_context();
    ss_broad_phase *bp;
    CHECK_OK(ctx, ss_broad_phase_create(ctx, &bp));
    uint64_t seed = 1;
    ss_box3 box[MANY];
    for (int trial = 0; trial < 200; trial++) {
        const int n = trial % (MANY + 1), dimension = 2 + trial % 2;
        for (int i = 0; i < n; i++) {
            box[i] = random_box(&seed, dimension, 5, 1);
            if (i % 17 == 3) { /* a wall, or half of one */
                box[i].lo = ss_v3(-INFINITY, -INFINITY, -INFINITY);
                box[i].hi = i % 2 ? ss_v3(INFINITY, INFINITY, INFINITY) : ss_v3(INFINITY, 0, INFINITY);
            }
            if (i % 23 == 5) {
                box[i] = box[i - 1]; /* equal keys */
            }
        }
        check_pairs(ctx, bp, n, box);
    }
    ss_broad_phase_destroy(bp);
    ss_context_destroy(ctx);
}

TEST(touching_boxes_are_a_pair)
{
    ss_context *ctx = test_context();
    ss_broad_phase *bp;
    CHECK_OK(ctx, ss_broad_phase_create(ctx, &bp));
    const ss_box3 box[] = { { { 0, 0, 0 }, { 1, 1, 0 } }, { { 1, 1, 0 }, { 2, 2, 0 } }, { { 2.5, 0, 0 }, { 3, 1, 0 } } };
    const ss_index_pair *pairs;
    int count;
    CHECK_OK(ctx, ss_broad_phase_pairs(bp, 3, box, &pairs, &count));
    CHECK(count == 1 && pairs[0].a == 0 && pairs[0].b == 1);
    ss_broad_phase_destroy(bp);
    ss_context_destroy(ctx);
}

TEST(a_spread_out_scene_is_swept_fast_and_the_second_time_without_memory)
{
    ss_context *ctx = test_context();
    ss_broad_phase *bp;
    CHECK_OK(ctx, ss_broad_phase_create(ctx, &bp));
    ss_box3 *box;
    CHECK_OK(ctx, ss_calloc(ctx, LOTS, sizeof *box, &box));
    uint64_t seed = 12;
    for (int i = 0; i < LOTS; i++) {
        box[i] = random_box(&seed, 3, 1, 1);
        box[i].lo.y += 2 * i; /* a line of boxes along y */
        box[i].hi.y += 2 * i;
    }
    const ss_index_pair *pairs;
    int count;
    CHECK_OK(ctx, ss_broad_phase_pairs(bp, LOTS, box, &pairs, &count));
    const uint64_t taken = ss_context_allocations(ctx);
    const double start = ss_clock_seconds();
    CHECK_OK(ctx, ss_broad_phase_pairs(bp, LOTS, box, &pairs, &count));
    /* 2e10 comparisons take tens of seconds; n log n takes a twentieth of one */
    CHECK(ss_clock_seconds() - start < 3);
    CHECK(ss_context_allocations(ctx) == taken);
    CHECK(count > LOTS / 100 && count < LOTS);
    ss_free(ctx, box);
    ss_broad_phase_destroy(bp);
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_are_those_of_the_double_loop),
        cmocka_unit_test(touching_boxes_are_a_pair),
        cmocka_unit_test(a_spread_out_scene_is_swept_fast_and_the_second_time_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
