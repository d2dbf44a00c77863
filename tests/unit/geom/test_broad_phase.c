/* test_broad_phase.c - the tree finds exactly the pairs that overlap, in order, quickly and without taking memory. */
#include "geom/geom.h"
#include "test.h"

enum { MANY = 200, LOTS = 100000 };

typedef struct fixture {
    ss_context *ctx;
    ss_broad_phase *bp;
    const ss_index_pair *pair;
    int count;
} fixture;

static fixture begin(void)
{
    fixture f = { .ctx = test_context() };
    CHECK_OK(f.ctx, ss_broad_phase_create(f.ctx, &f.bp));
    return f;
}

static void end(fixture *f)
{
    ss_broad_phase_destroy(f->bp);
    ss_context_destroy(f->ctx);
}

static void find(fixture *f, int n, const ss_box3 *box, const int *group)
{
    CHECK_OK(f->ctx, ss_broad_phase_pairs(f->bp, n, box, group, &f->pair, &f->count));
}

static double uniform(uint64_t *seed, double lo, double hi) { return lo + (hi - lo) * ss_random_uniform(seed); }

static ss_box3 box_at(ss_vec3 p, ss_vec3 half) { return (ss_box3){ ss_sub(p, half), ss_add(p, half) }; }

static ss_box3 random_box(uint64_t *seed, int dimension, double spread, double size)
{
    const bool solid = dimension == 3;
    const ss_vec3 p = { uniform(seed, -spread, spread), uniform(seed, -spread, spread),
                        solid ? uniform(seed, -spread, spread) : 0 };
    const ss_vec3 h = { uniform(seed, 0, size), uniform(seed, 0, size), solid ? uniform(seed, 0, size) : 0 };
    return box_at(p, h);
}

static bool overlap(const ss_box3 *a, const ss_box3 *b)
{
    const bool x = fmax(a->lo.x, b->lo.x) <= fmin(a->hi.x, b->hi.x), y = fmax(a->lo.y, b->lo.y) <= fmin(a->hi.y, b->hi.y);
    return x && y && fmax(a->lo.z, b->lo.z) <= fmin(a->hi.z, b->hi.z);
}

/* the pairs are those of the double loop, which come sorted */
static void check_pairs(fixture *f, int n, const ss_box3 *box, const int *group)
{
    int k = 0;
    find(f, n, box, group);
    for (int i = 0; i < n; i++) {
        for (int j = i + 1; j < n; j++) {
            if ((!group || group[i] != group[j]) && overlap(&box[i], &box[j])) {
                CHECK(k < f->count && f->pair[k].a == i && f->pair[k].b == j);
                k++;
            }
        }
    }
    CHECK(k == f->count);
}

TEST(pairs_are_those_of_the_double_loop)
{
    fixture f = begin();
    uint64_t seed = 1;
    ss_box3 box[MANY];
    int group[MANY];
    for (int trial = 0; trial < 200; trial++) {
        const int n = trial % (MANY + 1), dimension = 2 + trial % 2;
        for (int i = 0; i < n; i++) {
            box[i] = random_box(&seed, dimension, 5, 1);
            group[i] = i % 3 == 0 ? -1 : i / 4;
            if (i % 17 == 3) { /* a wall, or half of one */
                box[i].lo = ss_v3(-INFINITY, -INFINITY, -INFINITY);
                box[i].hi = i % 2 ? ss_v3(INFINITY, INFINITY, INFINITY) : ss_v3(INFINITY, 0, INFINITY);
            }
            if (i % 23 == 5) {
                box[i] = box[i - 1]; /* equal keys */
            }
        }
        check_pairs(&f, n, box, NULL);
        check_pairs(&f, n, box, group);
    }
    end(&f);
}

/* so many pairs in one place that ranges of nodes find more than there is room for at first; a few nodes more than one wave has
 */
TEST(crowds_of_boxes_have_the_same_pairs_on_any_number_of_threads)
{
    enum { CROWD = 4000 };
    for (int threads = 1; threads <= 3; threads += 2) {
        fixture f = begin();
        ss_box3 *box;
        uint64_t seed = 3;
        ss_context_set_threads(f.ctx, threads);
        CHECK_OK(f.ctx, ss_calloc(f.ctx, CROWD, sizeof *box, &box));
        for (int i = 0; i < CROWD; i++) {
            box[i] = random_box(&seed, 3, i % 2 ? 2 : 20, 1);
        }
        check_pairs(&f, CROWD, box, NULL);
        CHECK(f.count > 10 * CROWD);
        ss_free(f.ctx, box);
        end(&f);
    }
}

/* the tree of an earlier call must find what is there now: bodies that move a little, then change places, then grow */
TEST(pairs_are_right_however_the_boxes_have_moved_since_the_last_call)
{
    fixture f = begin();
    uint64_t seed = 5;
    ss_box3 box[MANY];
    for (int i = 0; i < MANY; i++) {
        box[i] = random_box(&seed, 3, 5, 1);
    }
    for (int call = 0; call < 100; call++) {
        const double step = call % 10 == 9 ? 10 : 0.05;
        for (int i = 0; i < MANY; i++) {
            const ss_vec3 d = { uniform(&seed, -step, step), uniform(&seed, -step, step), uniform(&seed, -step, step) };
            box[i] = (ss_box3){ ss_add(box[i].lo, d), ss_add(box[i].hi, d) };
        }
        if (call % 7 == 0) { /* one goes to infinity or comes back */
            const int i = (int)(ss_random_u64(&seed) % MANY);
            box[i] =
                isfinite(box[i].hi.x) ? (ss_box3){ box[i].lo, { INFINITY, INFINITY, INFINITY } } : random_box(&seed, 3, 5, 1);
        }
        check_pairs(&f, MANY, box, NULL);
    }
    end(&f);
}

/* as at the end of a step, of which the start was searched with a reach: no more than those pairs are compared */
TEST(boxes_within_those_of_the_last_search_are_compared_only_where_those_overlapped)
{
    fixture f = begin();
    uint64_t seed = 11;
    ss_box3 box[MANY], grown[MANY];
    for (int trial = 0; trial < 50; trial++) {
        for (int i = 0; i < MANY; i++) {
            box[i] = random_box(&seed, 3, 4, 0.5);
            grown[i] = (ss_box3){ ss_sub(box[i].lo, ss_v3(0.1, 0.1, 0.1)), ss_add(box[i].hi, ss_v3(0.1, 0.1, 0.1)) };
        }
        box[7] = grown[7] = (ss_box3){ { -INFINITY, -INFINITY, -INFINITY }, { INFINITY, 0, INFINITY } };
        check_pairs(&f, MANY, grown, NULL);
        const int pairs = f.count;
        for (int again = 0; again < 2; again++) {
            check_pairs(&f, MANY, box, NULL);
            CHECK(f.count < pairs && ss_broad_phase_comparisons(f.bp) == pairs);
        }
        /* one side of one box beyond what was searched */
        const int axis = trial % 3, moved = trial % 2 ? 7 : trial;
        const ss_vec3 by = ss_v3(axis == 0 ? 2 : 0, axis == 1 ? 2 : 0, axis == 2 ? 2 : 0);
        box[moved].lo = trial % 4 < 2 ? ss_sub(box[moved].lo, by) : box[moved].lo;
        box[moved].hi = trial % 4 < 2 ? box[moved].hi : ss_add(box[moved].hi, by);
        check_pairs(&f, MANY, box, NULL);
    }
    end(&f);
}

/* a tree that wears slowly is given up in the middle of a search some day; what it had passed over must not be lost */
TEST(pairs_are_right_in_every_call_while_the_boxes_are_stirred)
{
    fixture f = begin();
    uint64_t seed = 7;
    ss_box3 box[MANY];
    for (int i = 0; i < MANY; i++) {
        box[i] = random_box(&seed, 2, 5, 1.5);
    }
    for (int call = 0; call < 2000; call++) {
        for (int i = 0; i < MANY; i++) {
            const ss_vec3 d = { uniform(&seed, -0.05, 0.05), uniform(&seed, -0.05, 0.05), 0 };
            box[i] = (ss_box3){ ss_add(box[i].lo, d), ss_add(box[i].hi, d) };
        }
        check_pairs(&f, MANY, box, NULL);
    }
    end(&f);
}

TEST(sizes_may_differ_by_a_million_and_places_by_more)
{
    fixture f = begin();
    uint64_t seed = 8;
    ss_box3 box[MANY];
    for (int trial = 0; trial < 20; trial++) {
        const double far = trial % 2 ? 1e6 : 0;
        for (int i = 0; i < MANY; i++) {
            const double size = pow(10, uniform(&seed, -6, 0));
            box[i] = random_box(&seed, 3, 4 * size, size);
            box[i] = (ss_box3){ ss_add(box[i].lo, ss_v3(far, -far, 0)), ss_add(box[i].hi, ss_v3(far, -far, 0)) };
        }
        box[MANY / 2] = box_at(ss_v3(1e12, 0, 0), ss_v3(1, 1, 1)); /* one has flown away */
        check_pairs(&f, MANY, box, NULL);
    }
    end(&f);
}

TEST(touching_boxes_are_a_pair_and_a_box_that_is_not_a_number_is_none)
{
    fixture f = begin();
    ss_box3 box[] = { { { 0, 0, 0 }, { 1, 1, 0 } }, { { 1, 1, 0 }, { 2, 2, 0 } }, { { 2.5, 0, 0 }, { 3, 1, 0 } } };
    find(&f, 3, box, NULL);
    CHECK(f.count == 1 && f.pair[0].a == 0 && f.pair[0].b == 1);
    box[1].lo.y = NAN;
    find(&f, 3, box, NULL);
    CHECK(f.count == 0);
    find(&f, 0, NULL, NULL);
    CHECK(f.count == 0);
    end(&f);
}

/* Comparisons of the second call, which takes no memory, on boxes 0 .. LOTS - 1. */
static int64_t compared_again(fixture *f, const ss_box3 *box, const int *group)
{
    find(f, LOTS, box, group);
    const uint64_t taken = ss_context_allocations(f->ctx);
    find(f, LOTS, box, group);
    CHECK(ss_context_allocations(f->ctx) == taken);
    return ss_broad_phase_comparisons(f->bp);
}

/* A sweep along any axis of the cube compares each box with 1e5^(2/3) others, about 2e8 in all; a double loop 5e9. */
TEST(a_cube_a_layer_and_a_mixture_of_sizes_take_few_comparisons)
{
    fixture f = begin();
    ss_box3 *box;
    CHECK_OK(f.ctx, ss_calloc(f.ctx, LOTS, sizeof *box, &box));
    uint64_t seed = 12;
    const double side = cbrt(LOTS), width = sqrt(LOTS);
    for (int kind = 0; kind < 3; kind++) {
        for (int i = 0; i < LOTS; i++) {
            const double spread = kind == 1 ? width : side, half = kind == 2 ? pow(10, uniform(&seed, -6, 0)) : 0.52;
            const ss_vec3 p = { uniform(&seed, 0, spread), kind == 1 ? 0 : uniform(&seed, 0, spread), uniform(&seed, 0, spread) };
            box[i] = box_at(p, ss_v3(half, half, half));
        }
        CHECK(compared_again(&f, box, NULL) < 100 * (int64_t)LOTS);
        CHECK(f.count > LOTS / 10 && f.count < 10 * LOTS);
    }
    ss_free(f.ctx, box);
    end(&f);
}

TEST(a_hundred_thousand_fixed_boxes_in_one_place_are_not_looked_at)
{
    fixture f = begin();
    ss_box3 *box;
    int *group;
    CHECK_OK(f.ctx, ss_calloc(f.ctx, LOTS, sizeof *box, &box));
    CHECK_OK(f.ctx, ss_calloc(f.ctx, LOTS, sizeof *group, &group));
    for (int i = 0; i < LOTS; i++) {
        box[i] = box_at(ss_v3(0, 0, 0), ss_v3(1, 1, 1));
        group[i] = -1;
    }
    group[7] = 7;
    CHECK(compared_again(&f, box, group) < 100 * (int64_t)LOTS);
    CHECK(f.count == LOTS - 1);
    ss_free(f.ctx, group);
    ss_free(f.ctx, box);
    end(&f);
}

TEST(more_pairs_than_can_be_kept_are_refused_and_the_next_call_works)
{
    fixture f = begin();
    ss_box3 *box;
    CHECK_OK(f.ctx, ss_calloc(f.ctx, LOTS, sizeof *box, &box)); /* all the same point: 5e9 pairs */
    CHECK_FAILS(f.ctx, ss_broad_phase_pairs(f.bp, LOTS, box, NULL, &f.pair, &f.count), SS_ERR_MEMORY, "pairs");
    for (int i = 0; i < LOTS; i++) {
        box[i] = box_at(ss_v3(i, 0, 0), ss_v3(0.5, 0.5, 0.5));
    }
    find(&f, LOTS, box, NULL);
    CHECK(f.count == LOTS - 1);
    ss_free(f.ctx, box);
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_are_those_of_the_double_loop),
        cmocka_unit_test(crowds_of_boxes_have_the_same_pairs_on_any_number_of_threads),
        cmocka_unit_test(pairs_are_right_however_the_boxes_have_moved_since_the_last_call),
        cmocka_unit_test(boxes_within_those_of_the_last_search_are_compared_only_where_those_overlapped),
        cmocka_unit_test(pairs_are_right_in_every_call_while_the_boxes_are_stirred),
        cmocka_unit_test(sizes_may_differ_by_a_million_and_places_by_more),
        cmocka_unit_test(touching_boxes_are_a_pair_and_a_box_that_is_not_a_number_is_none),
        cmocka_unit_test(a_cube_a_layer_and_a_mixture_of_sizes_take_few_comparisons),
        cmocka_unit_test(a_hundred_thousand_fixed_boxes_in_one_place_are_not_looked_at),
        cmocka_unit_test(more_pairs_than_can_be_kept_are_refused_and_the_next_call_works),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
