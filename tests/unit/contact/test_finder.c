/* test_finder.c - which contacts are found, in what order, with which laws, and at what cost. */
#include "scenes.h"

static void find(world *w, double reach)
{
    CHECK_OK(w->ctx, ss_finder_find(w->finder, &w->config, reach, &w->set));
    for (int k = 1; k < w->set.n; k++) {
        CHECK(ss_contact_id_compare(&w->set.c[k - 1].id, &w->set.c[k].id) < 0);
    }
}

TEST(a_body_is_reported_when_its_gap_is_below_the_reach)
{
    for (int dimension = 2; dimension <= 3; dimension++) {
        world w = world_begin(dimension);
        add_floor(&w, add_simple(&w, "floor", SS_BODY_FIXED, 0, 0, 0), NULL);
        add_ball(&w, add_simple(&w, "ball", SS_BODY_RIGID, 0, 0.55, 0), 0.5, NULL);
        add_ball(&w, add_simple(&w, "other", SS_BODY_RIGID, 1.05, 0.55, 0), 0.5, NULL);
        world_compile(&w);
        find(&w, 0.1);
        CHECK(w.set.n == 3);
        find(&w, 0.04);
        CHECK(w.set.n == 0);
        world_end(&w);
    }
}

/* planes across the axes, on either side of a ball of radius 0.5 about (3, 2, 1), 0.05 from it; the wall's body is at (0, 1) */
/* contacts within reach of a ball of radius 0.5, `deep` below the surface of a wall on one of its six sides */
static int touch_wall(int side, double deep, double reach)
{
    static const double centre[3] = { 3, 2, 1 };
    const int axis = side / 2;
    const double sign = side % 2 ? 1 : -1;
    world w = world_begin(3);
    ss_shape_desc wall = ss_shape_desc_default();
    wall.type = "half_space";
    for (int i = 0; i < 3; i++) {
        wall.normal[i] = i == axis ? sign : 0;
    }
    wall.offset = sign * (centre[axis] - (axis == 1)) - 0.5 + deep;
    CHECK_OK(w.ctx, ss_scene_add_shape(w.scene, add_simple(&w, "wall", SS_BODY_FIXED, 0, 1, 0), &wall));
    add_ball(&w, add_simple(&w, "ball", SS_BODY_RIGID, centre[0], centre[1], centre[2]), 0.5, NULL);
    world_compile(&w);
    find(&w, reach);
    const int found = w.set.n;
    world_end(&w);
    return found;
}

TEST(a_wall_across_any_axis_is_found)
{
    for (int side = 0; side < 6; side++) {
        CHECK(touch_wall(side, -0.05, 0.06) == 1);
        CHECK(touch_wall(side, -0.05, 0.04) == 0);
        CHECK(touch_wall(side, 3, 0.04) == 1); /* far behind the surface, too */
    }
}

TEST(a_pair_carries_the_law_of_its_materials)
{
    world w = world_begin(2);
    add_material(&w, "steel", 0.3, 0.5);
    add_material(&w, "ice", 0.1, 0.2);
    ss_pair_desc pair = ss_pair_desc_default();
    pair.materials[0] = "ice";
    pair.materials[1] = "steel";
    pair.mu[0] = pair.mu[1] = 0.07;
    pair.e = 0.4;
    pair.impact = SS_IMPACT_POISSON;
    CHECK_OK(w.ctx, ss_scene_add_pair(w.scene, &pair));
    add_floor(&w, add_simple(&w, "floor", SS_BODY_FIXED, 0, 0, 0), "steel");
    add_ball(&w, add_simple(&w, "ball", SS_BODY_RIGID, 0, 0.5, 0), 0.5, "ice");
    world_compile(&w);
    find(&w, 0.1);
    CHECK(w.set.n == 1);
    const ss_contact *c = &w.set.c[0];
    CHECK_NEAR(c->mu[0], 0.07, 0);
    CHECK_NEAR(c->e, 0.4, 0);
    CHECK(c->law->impact == SS_IMPACT_POISSON && c->grain_body == -1);
    CHECK(c->at[0].body == 0 && c->at[1].body == 1);
    world_end(&w);
}

TEST(fixed_bodies_shapes_of_one_body_and_jointed_bodies_do_not_touch)
{
    world w = world_begin(2);
    add_floor(&w, add_simple(&w, "floor", SS_BODY_FIXED, 0, 0, 0), NULL);
    add_ball(&w, add_simple(&w, "stone", SS_BODY_FIXED, 0, 0.2, 0), 0.5, NULL);
    const int a = add_simple(&w, "a", SS_BODY_RIGID, 0, 5, 0), b = add_simple(&w, "b", SS_BODY_RIGID, 0.1, 5, 0);
    add_ball(&w, a, 0.5, NULL);
    add_ball(&w, a, 0.4, NULL);
    add_ball(&w, b, 0.5, NULL);
    ss_joint_desc joint = ss_joint_desc_default();
    joint.name = "pin";
    joint.type = "revolute";
    joint.bodies[0] = "a";
    joint.bodies[1] = "b";
    joint.at[0] = 0;
    joint.at[1] = 5;
    joint.at[2] = 0;
    CHECK_OK(w.ctx, ss_scene_add_joint(w.scene, &joint, NULL));
    world_compile(&w);
    find(&w, 0.1);
    CHECK(w.set.n == 0);
    world_end(&w);
}

/* a pendulum with limits and a bounded motor, and a block with two gaps */
static ss_status two_gaps(void *user, double t, const double *q, double *gap, double *H, double *gap_t)
{
    (void)user;
    gap[0] = q[0] + 2 * q[1] - t;
    gap[1] = 1 - q[1];
    H[0] = 1;
    H[1] = 2;
    H[2] = 0;
    H[3] = -1;
    gap_t[0] = -1;
    gap_t[1] = 0;
    return SS_OK;
}

static ss_status unit_mass(void *user, double t, const double *q, double *M)
{
    const int n = *(const int *)user;
    (void)t;
    (void)q;
    for (int i = 0; i < n * n; i++) {
        M[i] = i % (n + 1) == 0;
    }
    return SS_OK;
}

TEST(finite_limits_bounded_motors_and_block_gaps_are_always_there)
{
    int n = 2;
    const ss_block block = { .size = sizeof(ss_block),
                             .user = &n,
                             .n = 2,
                             .constant_mass = true,
                             .mass = unit_mass,
                             .gaps = 2,
                             .gap = two_gaps,
                             .e = 0.25 };
    world w = world_begin(2);
    add_simple(&w, "arm", SS_BODY_RIGID, 1, 0, 0);
    ss_body_desc body = body_desc("lever", SS_BODY_BLOCK, 0, 0, 0);
    body.block = &block;
    add_body(&w, &body);
    ss_joint_desc joint = ss_joint_desc_default();
    joint.name = "pin";
    joint.type = "revolute";
    joint.bodies[0] = "world";
    joint.bodies[1] = "arm";
    joint.at[0] = joint.at[1] = joint.at[2] = 0;
    joint.limits[0] = -INFINITY;
    joint.limits[1] = 0.5;
    joint.motor.speed = "2*t";
    joint.motor.max = 3;
    CHECK_OK(w.ctx, ss_scene_add_joint(w.scene, &joint, NULL));
    world_compile(&w);
    find(&w, 0);
    CHECK(w.set.n == 4);
    CHECK(w.set.c[0].id.kind == SS_CONTACT_LIMIT && w.set.c[0].id.b == 1);
    CHECK(w.set.c[1].id.kind == SS_CONTACT_MOTOR);
    CHECK_NEAR(w.set.c[1].mu[0], 3, 0);
    CHECK(w.set.c[2].id.kind == SS_CONTACT_BLOCK && w.set.c[3].id.b == 1);
    CHECK_NEAR(w.set.c[3].e, 0.25, 0);
    world_end(&w);
}

/* tooth k of the comb is at height k over the coordinate k % 2 */
static ss_status comb_gaps(void *user, double t, const double *q, double *gap, double *H, double *gap_t)
{
    int *calls = user;
    (void)t, (void)gap_t;
    ++*calls;
    for (int k = 0; k < 5000; k++) {
        gap[k] = q[k % 2] + k;
        H[2 * k + k % 2] = 1;
    }
    return SS_OK;
}

static ss_status comb_mass(void *user, double t, const double *q, double *M)
{
    (void)user, (void)t, (void)q;
    M[0] = M[3] = 1;
    return SS_OK;
}

TEST(a_block_may_have_thousands_of_gaps_and_is_asked_for_them_once_for_each_configuration)
{
    int calls = 0;
    ss_block block = ss_block_default();
    block.user = &calls;
    block.n = 2;
    block.mass = comb_mass;
    block.gaps = 5000;
    block.gap = comb_gaps;
    world w = world_begin(2);
    ss_body_desc body = body_desc("comb", SS_BODY_BLOCK, 0, 0, 0);
    body.block = &block;
    add_body(&w, &body);
    world_compile(&w);
    find(&w, 0);
    CHECK(w.set.n == 5000);
    for (int turn = 1; turn <= 3; turn++) {
        const double q[2] = { 0.5 * turn, -turn };
        ss_config_set(w.model, 0, q, &w.config);
        for (int k = 0; k < w.set.n; k++) {
            ss_contact_value value;
            CHECK_OK(w.ctx, ss_contact_eval(w.ctx, w.model, &w.config, &w.set.c[k], &value));
            CHECK(value.gap == q[k % 2] + k);
        }
        CHECK(calls == turn);
    }
    world_end(&w);
}

/* a heap of balls and boxes over a floor */
static world heap(int dimension, int bodies)
{
    static const char *names[] = { "b0", "b1", "b2",  "b3",  "b4",  "b5",  "b6",  "b7",
                                   "b8", "b9", "b10", "b11", "b12", "b13", "b14", "b15" };
    world w = world_begin(dimension);
    uint64_t seed = 4;
    add_floor(&w, add_simple(&w, "floor", SS_BODY_FIXED, 0, 0, 0), NULL);
    for (int k = 0; k < bodies; k++) {
        const double x = ss_random_uniform(&seed), y = ss_random_uniform(&seed),
                     z = dimension == 3 ? ss_random_uniform(&seed) : 0;
        const int body = add_simple(&w, names[k], SS_BODY_RIGID, 3 * x, 3 * y, 3 * z);
        if (k % 2) {
            add_ball(&w, body, 0.4, NULL);
        } else {
            add_box(&w, body, 0.5, 0.8, 0.6, NULL);
        }
    }
    world_compile(&w);
    return w;
}

static void check_heap(int dimension)
{
    world w = heap(dimension, 16);
    const double reach = 0.3;
    find(&w, reach);
    int expected = 0;
    for (int a = 0; a < w.model->shapes; a++) {
        for (int b = a + 1; b < w.model->shapes; b++) {
            const ss_frame *fa = &w.config.frame[w.model->shape_body[a]], *fb = &w.config.frame[w.model->shape_body[b]];
            ss_manifold m;
            ss_collide(&w.model->shape[a], fa, &w.model->shape[b], fb, reach, &m);
            for (int k = 0; k < m.n; k++) {
                ss_gap_value v;
                ss_gap_eval(&m.gap[k], fa, fb, &v);
                expected += v.gap < reach;
            }
        }
    }
    CHECK(expected > 10 && w.set.n == expected);
    world_end(&w);
}

TEST(the_finder_agrees_with_trying_all_pairs)
{
    check_heap(2);
    check_heap(3);
}

TEST(finding_again_takes_no_memory_and_gives_the_same)
{
    world w = heap(3, 16);
    find(&w, 0.3);
    const int n = w.set.n;
    const uint64_t taken = ss_context_allocations(w.ctx);
    const ss_contact_id last = w.set.c[n - 1].id;
    find(&w, 0.3);
    find(&w, 0.1);
    find(&w, 0.3);
    CHECK(ss_context_allocations(w.ctx) == taken);
    CHECK(w.set.n == n && ss_contact_id_compare(&last, &w.set.c[n - 1].id) == 0);
    world_end(&w);
}

/* split a set in two overlapping parts by a pattern, merge, and compare */
static void check_merge(world *w, const ss_contact_set *all, unsigned first, unsigned second)
{
    ss_contact_set x = { 0 }, y = { 0 };
    for (int k = 0; k < all->n; k++) {
        if (first >> (k % 8) & 1) {
            CHECK_OK(w->ctx, ss_reserve(w->ctx, &x.c, &x.cap, x.n + 1, sizeof *x.c));
            x.c[x.n++] = all->c[k];
        }
        if (second >> (k % 8) & 1) {
            CHECK_OK(w->ctx, ss_reserve(w->ctx, &y.c, &y.cap, y.n + 1, sizeof *y.c));
            y.c[y.n] = all->c[k];
            y.c[y.n++].e = -1; /* the mark of the second set */
        }
    }
    CHECK_OK(w->ctx, ss_contacts_merge(w->ctx, &x, &y));
    int n = 0;
    for (int k = 0; k < all->n; k++) {
        if ((first | second) >> (k % 8) & 1) {
            CHECK(n < x.n && ss_contact_id_compare(&x.c[n].id, &all->c[k].id) == 0);
            CHECK((x.c[n].e == -1) == (second >> (k % 8) & 1)); /* what both have is that of the second */
            n++;
        }
    }
    CHECK(n == x.n);
    ss_contacts_free(w->ctx, &x);
    ss_contacts_free(w->ctx, &y);
}

TEST(merging_sets_is_a_union_in_order)
{
    world w = heap(3, 16);
    find(&w, 0.5);
    for (unsigned first = 0; first < 256; first += 5) {
        for (unsigned second = 0; second < 256; second += 3) {
            check_merge(&w, &w.set, first, second);
        }
    }
    world_end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_body_is_reported_when_its_gap_is_below_the_reach),
        cmocka_unit_test(a_wall_across_any_axis_is_found),
        cmocka_unit_test(a_pair_carries_the_law_of_its_materials),
        cmocka_unit_test(fixed_bodies_shapes_of_one_body_and_jointed_bodies_do_not_touch),
        cmocka_unit_test(finite_limits_bounded_motors_and_block_gaps_are_always_there),
        cmocka_unit_test(a_block_may_have_thousands_of_gaps_and_is_asked_for_them_once_for_each_configuration),
        cmocka_unit_test(the_finder_agrees_with_trying_all_pairs),
        cmocka_unit_test(finding_again_takes_no_memory_and_gives_the_same),
        cmocka_unit_test(merging_sets_is_a_union_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
