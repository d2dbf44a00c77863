/* test_known_gaps.c - gaps are known exactly where they were measured, and only as those that they were. */
#include "contact/known_gaps.h"
#include "scenes.h"

/* a box on the floor and one on top of it, and their contacts, all of which are known */
typedef struct known_world {
    world w;
    ss_known_gaps *known;
    int n, which[16];
    ss_contact_value value[16];
} known_world;

static void put_boxes(world *w)
{
    add_floor(w, add_simple(w, "floor", SS_BODY_FIXED, 0, 0, 0), NULL);
    add_box(w, add_simple(w, "low", SS_BODY_RIGID, 0, 0.5, 0), 1, 1, 1, NULL);
    add_box(w, add_simple(w, "high", SS_BODY_RIGID, 0.25, 1.5, 0.1), 1, 1, 1, NULL);
}

static known_world measured(void)
{
    known_world x = { .w = world_begin(3) };
    put_boxes(&x.w);
    world_compile(&x.w);
    CHECK_OK(x.w.ctx, ss_known_gaps_create(x.w.ctx, x.w.model, &x.known));
    CHECK_OK(x.w.ctx, ss_finder_find(x.w.finder, &x.w.config, 1e-3, &x.w.set));
    x.n = x.w.set.n;
    CHECK(x.n == 8);
    for (int k = 0; k < x.n; k++) {
        x.which[k] = k;
    }
    CHECK(!ss_known_gaps_are_at(x.known, &x.w.config));
    CHECK_OK(x.w.ctx, ss_known_gaps_measure(x.known, &x.w.config, &x.w.set, x.n, x.which, x.value));
    return x;
}

static void drop(known_world *x)
{
    ss_known_gaps_destroy(x->known);
    world_end(&x->w);
}

static bool is_known(const known_world *x, const ss_contact *contact)
{
    int guess = 0;
    return ss_known_gaps_find(x->known, contact, &guess) != NULL;
}

TEST(what_was_measured_is_known_to_the_bit_wherever_it_is_looked_for_first)
{
    known_world x = measured();
    CHECK(ss_known_gaps_are_at(x.known, &x.w.config));
    for (int k = 0; k < x.n; k++) {
        ss_contact_value own;
        ss_contact_measure_shapes(&x.w.config, &x.w.set.c[k], &own);
        for (int from = 0; from <= x.n + 1; from++) {
            int guess = from;
            const ss_contact_value *known = ss_known_gaps_find(x.known, &x.w.set.c[k], &guess);
            assert_non_null(known);
            CHECK(guess == k + 1);
            CHECK(memcmp(known, &own, sizeof own) == 0 && memcmp(known, &x.value[k], sizeof own) == 0);
        }
    }
    drop(&x);
}

TEST(nothing_is_known_where_a_body_has_moved)
{
    static const int coordinate[] = { 0, 1, 2, 4, 5, 6, 7, 8, 9, 11, 12, 13 }; /* a turn by the last three of each body */
    known_world x = measured();
    double q[14];
    for (size_t k = 0; k < sizeof coordinate / sizeof *coordinate; k++) {
        memcpy(q, x.w.model->q0, sizeof q);
        q[coordinate[k]] += 1e-14;
        ss_config_set(x.w.model, 0, q, &x.w.config);
        CHECK(!ss_known_gaps_are_at(x.known, &x.w.config));
    }
    ss_config_set(x.w.model, 1, x.w.model->q0, &x.w.config);
    CHECK(ss_known_gaps_are_at(x.known, &x.w.config)); /* time alone moves no body here */
    drop(&x);
}

TEST(a_contact_is_known_only_with_its_own_features_and_bodies)
{
    known_world x = measured();
    for (int k = 0; k < 9; k++) {
        ss_contact other = x.w.set.c[5];
        double *const number[] = { &other.gap.a.x, &other.gap.b.z, &other.gap.db.y, &other.gap.fallback.x, &other.gap.rim };
        CHECK(is_known(&x, &other));
        if (k < 5) {
            *number[k] = nextafter(*number[k], 2);
        }
        other.gap.swap = k == 5 ? !other.gap.swap : other.gap.swap;
        other.gap.from.face += k == 6;
        other.id.feature += k == 7 ? 1000 : 0;
        other.at[0].body += k == 8;
        CHECK(!is_known(&x, &other));
    }
    drop(&x);
}

/* what is measured anew takes the place of what was */
TEST(only_the_last_measurement_is_known)
{
    known_world x = measured();
    const ss_contact first = x.w.set.c[0];
    double q[14];
    memcpy(q, x.w.model->q0, sizeof q);
    q[7] += 1e-6;
    ss_config_set(x.w.model, 0, q, &x.w.config);
    CHECK_OK(x.w.ctx, ss_known_gaps_measure(x.known, &x.w.config, &x.w.set, 4, x.which + 4, x.value));
    CHECK(ss_known_gaps_are_at(x.known, &x.w.config) && !is_known(&x, &first) && is_known(&x, &x.w.set.c[4]));
    ss_config_set(x.w.model, 0, x.w.model->q0, &x.w.config);
    CHECK(!ss_known_gaps_are_at(x.known, &x.w.config));
    drop(&x);
}

/* Gaps of balls cost no more than to ask for them: they are measured, and not kept. */
TEST(gaps_of_balls_are_not_kept)
{
    world w = world_begin(3);
    const int which[] = { 0 };
    ss_contact_value value, own;
    ss_known_gaps *known = NULL;
    add_floor(&w, add_simple(&w, "floor", SS_BODY_FIXED, 0, 0, 0), NULL);
    add_ball(&w, add_simple(&w, "ball", SS_BODY_RIGID, 0, 0.5, 0), 0.5, NULL);
    world_compile(&w);
    CHECK_OK(w.ctx, ss_known_gaps_create(w.ctx, w.model, &known));
    CHECK_OK(w.ctx, ss_finder_find(w.finder, &w.config, 1e-3, &w.set));
    CHECK_OK(w.ctx, ss_known_gaps_measure(known, &w.config, &w.set, 1, which, &value));
    ss_contact_measure_shapes(&w.config, &w.set.c[0], &own);
    CHECK(memcmp(&value, &own, sizeof own) == 0 && !ss_known_gaps_are_at(known, &w.config));
    ss_known_gaps_destroy(known);
    world_end(&w);
}

/* A search at the place of known gaps finds what one finds that knows none, with the same values. */
TEST(overlaps_at_a_place_that_is_known_have_the_values_of_any_other)
{
    known_world x = measured();
    world alone = world_begin(3);
    const ss_contact_set *found, *other;
    double q[14];
    put_boxes(&alone);
    world_compile(&alone);
    CHECK_OK(x.w.ctx, ss_finder_survey(x.w.finder, &x.w.config, 1e-3, NULL, &x.w.set));
    memcpy(q, x.w.model->q0, sizeof q);
    q[1] -= 1e-11;
    q[8] -= 2e-11;
    ss_config_set(x.w.model, 1, q, &x.w.config);
    ss_config_set(alone.model, 1, q, &alone.config);
    CHECK(!ss_finder_known(x.w.finder, &x.w.config));
    CHECK_OK(x.w.ctx, ss_known_gaps_measure(ss_finder_gaps(x.w.finder), &x.w.config, &x.w.set, x.n, x.which, x.value));
    CHECK(ss_finder_known(x.w.finder, &x.w.config) != NULL);
    CHECK_OK(x.w.ctx, ss_finder_overlaps(x.w.finder, &x.w.config, &found));
    CHECK_OK(alone.ctx, ss_finder_overlaps(alone.finder, &alone.config, &other));
    CHECK(found->n == 8 && other->n == 8);
    for (int k = 0; k < found->n; k++) {
        CHECK(ss_contact_id_compare(&found->c[k].id, &other->c[k].id) == 0 && found->value[k].gap == other->value[k].gap);
    }
    world_end(&alone);
    drop(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_measured_is_known_to_the_bit_wherever_it_is_looked_for_first),
        cmocka_unit_test(nothing_is_known_where_a_body_has_moved),
        cmocka_unit_test(a_contact_is_known_only_with_its_own_features_and_bodies),
        cmocka_unit_test(only_the_last_measurement_is_known),
        cmocka_unit_test(gaps_of_balls_are_not_kept),
        cmocka_unit_test(overlaps_at_a_place_that_is_known_have_the_values_of_any_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
