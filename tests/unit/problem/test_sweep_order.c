/* test_sweep_order.c - contacts of one island: each has one place, and what is visited at the same time shares no body. */
#include "problem/sweep_order.h"

#include "test.h"

enum { CONTACTS = 70000, BODIES = 20000, COLOUR_ABOVE = 200 };

/* An island of contacts with two bodies each. */
typedef struct net {
    int first[CONTACTS + 1], block[2 * CONTACTS], row[CONTACTS + 1], of_contact[CONTACTS];
    int of_block[BODIES], cluster_first[BODIES + 1], cluster_item[BODIES], stamp[BODIES], list[BODIES];
} net;

/* contact k joins body k of BODIES with one that is up to `reach` bodies further */
static void make_net(net *y, int reach)
{
    uint64_t seed = 7;
    for (int k = 0; k < CONTACTS; k++) {
        const int a = (int)((int64_t)k * BODIES / CONTACTS), step = 1 + (int)(reach * ss_random_uniform(&seed));
        y->block[2 * k] = a;
        y->block[2 * k + 1] = a + step < BODIES ? a + step : a - step;
        y->first[k + 1] = 2 * (k + 1);
        y->row[k + 1] = 3 * (k + 1);
    }
    for (int b = 0; b < BODIES; b++) {
        y->of_block[b] = y->cluster_item[b] = b;
        y->cluster_first[b + 1] = b + 1;
    }
}

/* q: of all rows, or NULL */
static void make_order(ss_arena *arena, net *y, const double *q, ss_sweep_order *order)
{
    const ss_contact_blocks blocks = { y->first, y->block, NULL };
    const ss_clusters clusters = { .count = BODIES, .of_block = y->of_block, .list = { y->cluster_first, y->cluster_item } };
    const ss_sweep_links links = {
        .contacts = &blocks, .clusters = &clusters, .alone = q != NULL, .stamp = y->stamp, .list = y->list
    };
    const ss_problem problem = { .nc = CONTACTS, .row = y->row, .scale = { .blocks = BODIES } };
    const ss_islands islands = { .of_contact = y->of_contact };
    memset(y->stamp, 0, sizeof y->stamp);
    CHECK(ss_sweep_order_make(arena, &problem, &islands, &links, q, COLOUR_ABOVE, order) == SS_OK);
}

static void check_each_once(const ss_sweep_order *order)
{
    bool *seen = calloc(CONTACTS, sizeof *seen);
    CHECK(order->islands == 1 && order->positions == CONTACTS);
    CHECK(order->first[ss_sweep_class(order, 0)] == 0 && order->first[ss_sweep_class(order, 1)] == CONTACTS);
    for (int k = 0; k < CONTACTS; k++) {
        CHECK(!seen[order->contact[k]]);
        seen[order->contact[k]] = true;
    }
    free(seen);
}

/* bodies of positions begin .. end-1 have no mark but `mark`, or have none yet */
static void check_marks(const net *y, const ss_sweep_order *order, int begin, int end, int mark, bool alone, int *marks)
{
    for (int k = begin; k < end; k++) {
        for (int i = 0; i < 2; i++) {
            int *own = &marks[y->block[2 * order->contact[k] + i]];
            CHECK(*own == 0 || (*own == mark && !alone));
            *own = mark;
        }
    }
}

static void check_nothing_shared(const net *y, const ss_sweep_order *order)
{
    int *marks = malloc(BODIES * sizeof *marks);
    for (int r = order->round[0]; r < order->round[1]; r++) {
        memset(marks, 0, BODIES * sizeof *marks);
        for (int t = order->tile[r]; t < order->tile[r + 1]; t++) {
            check_marks(y, order, order->first[order->class_of[t]], order->first[order->class_of[t + 1]], t + 1, false, marks);
        }
    }
    for (int c = ss_sweep_class(order, 0); c < ss_sweep_class(order, 1); c++) {
        memset(marks, 0, BODIES * sizeof *marks);
        if (order->together[c]) {
            check_marks(y, order, order->first[c], order->first[c + 1], 1, true, marks);
        }
    }
    free(marks);
}

static void check_net(int reach, bool tiled)
{
    ss_context *ctx = test_context();
    ss_arena *arena;
    net *y = calloc(1, sizeof *y);
    ss_sweep_order order;
    CHECK_OK(ctx, ss_arena_create(ctx, 4096, &arena));
    make_net(y, reach);
    make_order(arena, y, NULL, &order);
    const int tiles = order.tile[order.round[1]];
    print_message("%d rounds, %d tiles, %d classes\n", order.round[1], tiles, order.class_of[tiles]);
    CHECK(tiled ? tiles > 30 && order.round[1] < 5 : tiles == 1);
    check_each_once(&order);
    check_nothing_shared(y, &order);
    free(y);
    ss_arena_destroy(arena);
    ss_context_destroy(ctx);
}

TEST(contacts_with_bodies_near_each_other_are_visited_in_tiles) { check_net(50, true); }

TEST(contacts_with_bodies_anywhere_are_one_tile) { check_net(BODIES / 2, false); }

/* Threads that share a colour have the same part of space in all of them: contacts that approach come first in a section of some
 * 2048 contacts, not in all of the colour. */
TEST(contacts_of_a_colour_stay_near_their_place_and_those_that_approach_come_first)
{
    enum { SECTION = CONTACTS / (CONTACTS / 2048) + 1 };
    ss_context *ctx = test_context();
    ss_arena *arena;
    net *y = calloc(1, sizeof *y);
    double *q = calloc(3 * CONTACTS, sizeof *q);
    ss_sweep_order order;
    int first = 0, later = 0;
    CHECK_OK(ctx, ss_arena_create(ctx, 4096, &arena));
    make_net(y, BODIES / 2);
    for (int k = 0; k < CONTACTS; k++) {
        q[3 * k] = k % 3 == 0 ? 1 : -1; /* every third one leaves */
    }
    make_order(arena, y, q, &order);
    check_each_once(&order);
    check_nothing_shared(y, &order);
    for (int c = ss_sweep_class(&order, 0); c < ss_sweep_class(&order, 1); c++) {
        for (int k = order.first[c], most = 0; k < order.first[c + 1]; k++) {
            const int own = order.contact[k], before = k > order.first[c] ? order.contact[k - 1] : own;
            most = own > most ? own : most;
            CHECK(most - own < SECTION);
            first += own < before && q[3 * before] < 0; /* back to the first one of the section that leaves */
            later += own < before && q[3 * before] > 0;
        }
    }
    CHECK(first > 100 && later == 0);
    free(q);
    free(y);
    ss_arena_destroy(arena);
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contacts_with_bodies_near_each_other_are_visited_in_tiles),
        cmocka_unit_test(contacts_with_bodies_anywhere_are_one_tile),
        cmocka_unit_test(contacts_of_a_colour_stay_near_their_place_and_those_that_approach_come_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
