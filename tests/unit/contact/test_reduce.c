/* test_reduce.c - which contacts of a face are left out, and that the others can carry what all did. */
#include "scenes.h"

enum { RING = 30 };

static const double two_pi = 6.283185307179586;

/* a floor and a body above it, at (far, 0, 0): the gaps of the tests are put on this pair */
static world pair_of_bodies(int dimension, double far)
{
    world w = world_begin(dimension);
    add_floor(&w, add_simple(&w, "floor", SS_BODY_FIXED, far, 0, 0), NULL);
    add_box(&w, add_simple(&w, "body", SS_BODY_RIGID, far, 0.5, 0), 2, 1, 2, NULL);
    world_compile(&w);
    return w;
}

/* a contact of the pair: a point of the body against the plane y = 0 of the floor, turned about x by `tilt` */
static void push(world *w, uint32_t feature, ss_vec3 point, double tilt)
{
    const ss_contact contact = {
        .id = { .kind = SS_CONTACT_SHAPES, .a = 0, .b = 1, .feature = feature },
        .at = { { .body = 0 }, { .body = 1 } },
        .gap = { .kind = SS_GAP_POINT_PLANE,
                 .swap = true,
                 .a = point,
                 .db = { 0, cos(tilt), sin(tilt) },
                 .tb = { 1, 0, 0 },
                 .eb = { INFINITY, INFINITY } },
        .grain_body = -1,
    };
    CHECK_OK(w->ctx, ss_reserve(w->ctx, &w->set.c, &w->set.cap, w->set.n + 1, sizeof *w->set.c));
    w->set.c[w->set.n++] = contact;
}

/* the corners of a regular polygon; heights by noise and by a slope along x */
static void push_ring(world *w, double radius, double noise, double slope)
{
    uint64_t seed = 3;
    w->set.n = 0;
    for (int k = 0; k < RING; k++) {
        const double angle = two_pi * k / RING, x = radius * cos(angle), z = radius * sin(angle);
        push(w, (uint32_t)k, ss_v3(x, -0.5 + noise * (ss_random_uniform(&seed) - 0.5) + slope * x, z), 0);
    }
}

static int reduce(world *w, const ss_contact_cache *cache)
{
    const int before = w->set.n, left_out = ss_contacts_reduce(w->model, &w->config, cache, &w->set);
    CHECK(left_out == before - w->set.n);
    for (int k = 1; k < w->set.n; k++) {
        CHECK(ss_contact_id_compare(&w->set.c[k - 1].id, &w->set.c[k].id) < 0);
    }
    return w->set.n;
}

static ss_vec3 point_of(const world *w, int k) { return w->set.c[k].gap.a; }

/* twice the area of the polygon of the kept contacts, which come in order round the ring */
static double area(const world *w)
{
    double sum = 0;
    for (int k = 0; k < w->set.n; k++) {
        const ss_vec3 a = point_of(w, k), b = point_of(w, (k + 1) % w->set.n);
        sum += a.x * b.z - a.z * b.x;
    }
    return sum;
}

TEST(a_box_on_a_plane_keeps_its_four_corners)
{
    world w = pair_of_bodies(3, 0);
    CHECK_OK(w.ctx, ss_finder_find(w.finder, &w.config, 0.1, &w.set));
    CHECK(w.set.n == 4);
    CHECK(reduce(&w, NULL) == 4);
    world_end(&w);
}

TEST(a_wall_of_bricks_keeps_the_corners_of_every_common_area)
{
    static const char *names[] = { "b0", "b1", "b2", "b3", "b4", "b5" };
    world w = world_begin(3);
    add_floor(&w, add_simple(&w, "floor", SS_BODY_FIXED, 0, 0, 0), NULL);
    for (int k = 0; k < 6; k++) {
        const int row = k / 2;
        add_box(&w, add_simple(&w, names[k], SS_BODY_RIGID, 1.01 * (k % 2) + 0.5 * (row % 2), 0.25 + 0.5 * row, 0), 1, 0.5, 0.5,
                NULL);
    }
    world_compile(&w);
    CHECK_OK(w.ctx, ss_finder_find(w.finder, &w.config, 1e-3, &w.set));
    const int found = w.set.n;
    CHECK(found >= 4 * 2 + 4 * 6); /* two bricks on the floor, and six common areas */
    CHECK(reduce(&w, NULL) == found);
    world_end(&w);
}

/* four corners of the unit circle enclose at most half of 2 * 2; the middle, where the weight acts, is inside them */
TEST(of_a_ring_of_thirty_four_are_kept_that_span_it)
{
    for (int trial = 0; trial < 4; trial++) {
        world w = pair_of_bodies(3, trial % 2 ? 1e6 : 0);
        push_ring(&w, 1, trial / 2 ? 1e-9 : 0, 0);
        CHECK(reduce(&w, NULL) == 4);
        CHECK(area(&w) > 0.95 * 4);
        for (int k = 0; k < 4; k++) {
            const ss_vec3 a = point_of(&w, k), b = point_of(&w, (k + 1) % 4);
            CHECK(a.x * b.z - a.z * b.x > 0);
        }
        world_end(&w);
    }
}

TEST(what_carried_before_is_kept_although_rounding_would_choose_others)
{
    world w = pair_of_bodies(3, 0);
    ss_cached_contact entry[4] = { 0 };
    for (int k = 0; k < 4; k++) { /* nearly a square */
        entry[k] = (ss_cached_contact){ .id = { .kind = SS_CONTACT_SHAPES, .a = 0, .b = 1, .feature = (uint32_t)(2 + 7 * k) },
                                        .normal = 1 };
    }
    const ss_contact_cache cache = { .level[SS_LEVEL_VELOCITY] = { .n = 4, .cap = 4, .entry = entry } };
    push_ring(&w, 1, 1e-9, 0);
    CHECK(reduce(&w, &cache) == 4);
    for (int k = 0; k < 4; k++) {
        CHECK(w.set.c[k].id.feature == entry[k].id.feature);
    }
    world_end(&w);
}

TEST(the_deepest_is_kept_and_what_is_left_out_is_not_deeper)
{
    world w = pair_of_bodies(3, 0);
    for (int trial = 0; trial < 8; trial++) {
        push_ring(&w, 1, 0, pow(10, -trial));
        CHECK(reduce(&w, NULL) == 4);
        double least = INFINITY;
        for (int k = 0; k < 4; k++) {
            least = fmin(least, point_of(&w, k).y + 0.5);
        }
        CHECK(least <= -pow(10, -trial) + 1e-6 * w.model->length); /* the corner at x = -1 */
    }
    world_end(&w);
}

TEST(corners_inside_and_corners_on_a_line_are_left_out)
{
    world w = pair_of_bodies(3, 0);
    for (int k = 0; k < 5; k++) {
        push(&w, (uint32_t)k, ss_v3(0.1 * k, -0.5, 0.2 * k), 0);
    }
    CHECK(reduce(&w, NULL) == 2);
    CHECK(w.set.c[0].id.feature == 0 && w.set.c[1].id.feature == 4);
    w.set.n = 0;
    const ss_vec3 triangle[] = { { 0, -0.5, 0 }, { 1, -0.5, 0 }, { 0, -0.5, 1 }, { 0.3, -0.5, 0.3 }, { 0.5, -0.5, 0.5 } };
    for (uint32_t k = 0; k < 5; k++) {
        push(&w, k, triangle[k], 0);
    }
    CHECK(reduce(&w, NULL) == 3);
    CHECK(w.set.c[2].id.feature == 2);
    world_end(&w);
}

TEST(in_two_dimensions_the_ends_of_a_side_are_kept)
{
    world w = pair_of_bodies(2, 0);
    for (int k = 0; k < 5; k++) {
        push(&w, (uint32_t)k, ss_v3(0.3 * k - 0.5, -0.5, 0), 0);
    }
    CHECK(reduce(&w, NULL) == 2);
    CHECK(w.set.c[0].id.feature == 0 && w.set.c[1].id.feature == 4);
    world_end(&w);
}

TEST(faces_with_other_normals_are_chosen_from_apart)
{
    world w = pair_of_bodies(3, 0);
    for (int k = 0; k < 12; k++) {
        const double angle = two_pi * k / 6;
        push(&w, (uint32_t)k, ss_v3(cos(angle), -0.5, sin(angle)), k < 6 ? 0 : 0.1);
    }
    CHECK(reduce(&w, NULL) == 8);
    CHECK(w.set.c[3].id.feature < 6 && w.set.c[4].id.feature >= 6);
    world_end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_on_a_plane_keeps_its_four_corners),
        cmocka_unit_test(a_wall_of_bricks_keeps_the_corners_of_every_common_area),
        cmocka_unit_test(of_a_ring_of_thirty_four_are_kept_that_span_it),
        cmocka_unit_test(what_carried_before_is_kept_although_rounding_would_choose_others),
        cmocka_unit_test(the_deepest_is_kept_and_what_is_left_out_is_not_deeper),
        cmocka_unit_test(corners_inside_and_corners_on_a_line_are_left_out),
        cmocka_unit_test(in_two_dimensions_the_ends_of_a_side_are_kept),
        cmocka_unit_test(faces_with_other_normals_are_chosen_from_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
