/* test_kept_pairs.c - a search after a survey finds what a search alone finds, wherever the bodies have gone. */
#include "contact/kept_pairs.h"
#include "scenes.h"

enum { MOST_BOXES = 5 };

/* boxes in a row of steps, each on the one before it, half over its edge and `aside` of it; the first lies on the floor */
static world steps_of(int boxes, double aside)
{
    world w = world_begin(3);
    add_floor(&w, add_simple(&w, "floor", SS_BODY_FIXED, 0, 0, 0), NULL);
    for (int k = 0; k < boxes; k++) {
        char name[16];
        snprintf(name, sizeof name, "box%d", k);
        const int body = add_simple(&w, name, SS_BODY_RIGID, 0.25 * k, 0.5 + k, aside * k);
        add_box(&w, body, 1, 1, 1, NULL);
    }
    world_compile(&w);
    return w;
}

static world stairs(int boxes) { return steps_of(boxes, 0.1); }

/* all boxes sunk by `depth` per box, and the last one moved by x and turned about y by `angle`; the place is valid until the next
 * call */
static void go(world *w, double depth, double x, double angle)
{
    static double q[7 * MOST_BOXES];
    memcpy(q, w->model->q0, (size_t)w->model->nq * sizeof *q);
    const int boxes = w->model->nq / 7;
    CHECK(boxes <= MOST_BOXES);
    for (int k = 0; k < boxes; k++) {
        q[7 * k + 1] -= depth * (k + 1);
    }
    double *last = q + 7 * (boxes - 1);
    last[0] += x;
    last[3] = cos(0.5 * angle);
    last[5] = sin(0.5 * angle);
    ss_config_set(w->model, 1 + x + angle, q, &w->config);
}

static void check_same(const world *w, const ss_contact_set *x, const ss_contact_set *y)
{
    CHECK(x->n == y->n && x->n > 0);
    for (int k = 0; k < x->n && k < y->n; k++) {
        ss_contact_value a, b;
        CHECK(ss_contact_id_compare(&x->c[k].id, &y->c[k].id) == 0);
        ss_contact_eval_shapes(w->model, &w->config, &x->c[k], &a);
        ss_contact_eval_shapes(w->model, &w->config, &y->c[k], &b);
        CHECK(a.gap == b.gap && a.outside == b.outside);
    }
}

/* far: the last box is on other features of the one below it */
TEST(a_search_after_a_survey_finds_what_a_search_alone_finds)
{
    static const double x[] = { 0, 1e-11, 1e-7, 0.3, -0.5 }, angle[] = { 0, 1e-11, 1e-7, 0.4, 1.3 };
    for (size_t k = 0; k < sizeof x / sizeof *x; k++) {
        world w = stairs(MOST_BOXES), alone = stairs(MOST_BOXES);
        go(&w, 1e-6, 0, 0);
        CHECK_OK(w.ctx, ss_finder_survey(w.finder, &w.config, 1e-3, NULL, &w.set));
        go(&w, 1e-6, x[k], angle[k]);
        CHECK_OK(w.ctx, ss_finder_find(w.finder, &w.config, 0, &w.set));
        CHECK_OK(alone.ctx, ss_finder_find(alone.finder, &w.config, 0, &alone.set));
        check_same(&w, &w.set, &alone.set);
        world_end(&w);
        world_end(&alone);
    }
}

/* of four corners those that the survey had above the surface and that stay above it are not closed */
TEST(contacts_that_are_kept_are_found_only_where_they_are_closed)
{
    world w = stairs(2);
    go(&w, 1e-6, 0, 0);
    CHECK_OK(w.ctx, ss_finder_survey(w.finder, &w.config, 1e-3, NULL, &w.set));
    CHECK(w.set.n == 8);
    go(&w, -1e-12, 0, 0); /* too far from the survey: found anew */
    CHECK_OK(w.ctx, ss_finder_find(w.finder, &w.config, 0, &w.set));
    CHECK(w.set.n == 0);
    go(&w, 1e-11, 0, 0);
    CHECK_OK(w.ctx, ss_finder_survey(w.finder, &w.config, 1e-3, NULL, &w.set));
    CHECK_OK(w.ctx, ss_finder_find(w.finder, &w.config, 0, &w.set));
    CHECK(w.set.n == 8);
    go(&w, -1e-11, 0, 0); /* as good as at the same place, but open */
    CHECK_OK(w.ctx, ss_finder_find(w.finder, &w.config, 0, &w.set));
    CHECK(w.set.n == 0);
    world_end(&w);
}

/* what two boxes have found, the floor below them included, with this scope of the boxes */
static void keep(const world *w, ss_kept_pairs *kept, ss_manifold_scope scope)
{
    const ss_index_pair pair[] = { { 0, 1 }, { 0, 2 }, { 1, 2 } };
    ss_manifold_scope scopes[] = { { 0, 0, 0 }, { 0, 0, 0 }, scope };
    CHECK_OK(w->ctx, ss_kept_pairs_keep(kept, &w->config, &w->set, &(ss_searched_pairs){ pair, scopes }));
}

/* by how much the last box of two may be moved so that the pair is still known */
static bool is_known(double x, double angle)
{
    world w = stairs(2);
    const ss_contact *contact;
    ss_kept_pairs *kept = NULL;
    CHECK_OK(w.ctx, ss_kept_pairs_create(w.ctx, w.model, &kept));
    CHECK_OK(w.ctx, ss_finder_find(w.finder, &w.config, 1e-3, &w.set));
    keep(&w, kept, (ss_manifold_scope){ 0 });
    go(&w, 0, x, angle);
    ss_kept_pairs_begin(kept, &w.config);
    CHECK(ss_kept_pairs_ask(kept, (ss_index_pair){ 0, 1 }, &contact) == 4); /* the floor and the first box stay */
    const int found = ss_kept_pairs_ask(kept, (ss_index_pair){ 1, 2 }, &contact);
    CHECK(found == 0 || (found == 4 && contact->id.a == 1 && contact->id.b == 2));
    ss_kept_pairs_destroy(kept);
    world_end(&w);
    return found > 0;
}

/* The balls about the boxes have a radius of sqrt(3)/2: a way of 1e-9 of it is known, and a turn by 1e-9/sqrt(2), as |R' - R|
 * is sqrt(2) times a small angle. */
TEST(a_pair_is_known_until_its_points_have_moved_by_a_billionth_of_its_radius)
{
    const double radius = sqrt(0.75);
    CHECK(is_known(0, 0));
    CHECK(is_known(0.99e-9 * radius, 0) && !is_known(1.01e-9 * radius, 0));
    CHECK(is_known(0, 0.7e-9) && !is_known(0, 0.72e-9));
    CHECK(!is_known(NAN, 0));
}

/* Is what was found with a play of 1e-10 and margins of 1e-6 to 1e-2 that of a place moved by x? *left: the play that is left */
static bool is_same_search(double x, double margin, double *left)
{
    world w = stairs(2);
    const ss_contact *contact;
    ss_kept_pairs *kept = NULL;
    ss_manifold_scope scope = { 0 };
    CHECK_OK(w.ctx, ss_kept_pairs_create(w.ctx, w.model, &kept));
    CHECK_OK(w.ctx, ss_finder_find(w.finder, &w.config, 1e-3, &w.set));
    keep(&w, kept, (ss_manifold_scope){ 1e-10, 1e-6, 1e-2 });
    go(&w, 0, x, 0);
    ss_kept_pairs_begin(kept, &w.config);
    CHECK(ss_kept_pairs_last(kept, &w.config, (ss_index_pair){ 0, 1 }, 1e-3, &contact, &scope) == 0); /* it has no play */
    const int found = ss_kept_pairs_last(kept, &w.config, (ss_index_pair){ 1, 2 }, margin, &contact, &scope);
    CHECK(found == 0 || (found == 4 && contact->id.a == 1 && contact->id.b == 2));
    *left = scope.play;
    ss_kept_pairs_destroy(kept);
    world_end(&w);
    return found > 0;
}

/* Points of the two boxes are up to D = 2 r + |(1/4, 1, 1/10)| from the origin of either, r = sqrt(3)/2. */
TEST(a_search_is_that_of_before_until_points_have_moved_by_its_play)
{
    const double radius = sqrt(0.75), part = (2 * radius + sqrt(0.0625 + 1 + 0.01)) / radius;
    double left;
    CHECK(is_same_search(0, 1e-3, &left) && left == 1e-10);
    CHECK(is_same_search(0.98e-10 / part, 1e-3, &left));
    CHECK_NEAR(left, 0.02e-10, 1e-15); /* positions of 0.25 are known to 3e-17, ways of 3e-11 to 1e-6 of them */
    CHECK(!is_same_search(1.02e-10 / part, 1e-3, &left));
    CHECK(!is_same_search(0, 1e-6, &left) && !is_same_search(0, 1e-2, &left) && !is_same_search(NAN, 1e-3, &left));
}

/* a way of the last box past something that decides on what is found */
typedef struct crossing {
    double reach, depth, x, angle; /* where it is, ..                       */
    double along[3];               /* .. and the way: of depth, x and angle */
} crossing;

/* One survey after the other along the way, in steps far below a play, finds what a survey alone finds. */
TEST(a_survey_after_surveys_finds_what_a_survey_alone_finds)
{
    static const crossing ways[] = {
        { 1e-3, 0, -0.25, 0, { 0, 1, 0 } },      /* corners come over faces                */
        { 1e-3, 0, 0, 0, { 0, 0, 2 } },          /* edges that were parallel cross          */
        { 1e-3, 0, -0.25, 0, { 0, 0.5, 1 } },    /* both                                    */
        { 1e-8, -1e-8, 0, 0, { 1, 0, 0 } },      /* gaps come below the margin              */
        { 1e-3, 0, 0, 0, { 1, 0, 0 } },          /* the boxes begin to overlap              */
        { 1e-3, 1e-6, 0, 0, { 1, 0, 0 } },       /* gaps become small enough to settle all  */
        { 1e-3, 0.125, -0.125, 0, { 1, 0, 0 } }, /* a face at the side rules                */
    };
    const int steps = test_repeats(600, 300, 200);
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
        const crossing *way = &ways[k];
        world w = steps_of(2, 0);
        for (int i = -steps; i <= steps; i++) {
            const double s = 1.5e-9 * i / steps; /* rounding of a box is 9e-10, its play an eighth of that */
            world alone = steps_of(2, 0);
            go(&w, way->depth + s * way->along[0], way->x + s * way->along[1], way->angle + s * way->along[2]);
            CHECK_OK(w.ctx, ss_finder_survey(w.finder, &w.config, way->reach, NULL, &w.set));
            CHECK_OK(alone.ctx, ss_finder_survey(alone.finder, &w.config, way->reach, NULL, &alone.set));
            CHECK(w.set.n == alone.set.n);
            for (int c = 0; c < w.set.n && c < alone.set.n; c++) {
                CHECK(w.set.c[c].id.feature == alone.set.c[c].id.feature && w.set.c[c].gap.rim == alone.set.c[c].gap.rim);
            }
            world_end(&alone);
        }
        world_end(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_search_after_a_survey_finds_what_a_search_alone_finds),
        cmocka_unit_test(contacts_that_are_kept_are_found_only_where_they_are_closed),
        cmocka_unit_test(a_pair_is_known_until_its_points_have_moved_by_a_billionth_of_its_radius),
        cmocka_unit_test(a_search_is_that_of_before_until_points_have_moved_by_its_play),
        cmocka_unit_test(a_survey_after_surveys_finds_what_a_survey_alone_finds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
