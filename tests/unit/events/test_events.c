/* Roots, first events, ties, no re-detection, and the Hermite path. */
#include "test.h"

#include "events/events.h"

typedef struct counted {
    double shift;
    int calls;
} counted;

static ss_status cosine(void *user, double s, double *f)
{
    counted *c = user;
    c->calls++;
    *f = cos(s) - c->shift;
    return SS_OK;
}

TEST(root_of_cosine_is_found_to_the_accuracy_asked)
{
    counted c = { 0, 0 };
    double root = 0;
    int evaluations = 0;
    CHECK(ss_root_bracketed(cosine, &c, 0, 1, 3, cos(3), 1e-15, 1e-14, &root, &evaluations) == SS_OK);
    CHECK_NEAR(root, 0.5 * acos(-1), 2e-14); /* accept / slope 1 */
    CHECK(fabs(cos(root)) <= 1e-14);
    CHECK(evaluations == c.calls);
    CHECK(evaluations <= 12);
}

/* flat on one side: plain regula falsi would creep */
static ss_status stiff(void *user, double s, double *f)
{
    ++*(int *)user;
    *f = s < 0.9 ? 1e-9 * (0.9 - s) : -(s - 0.9) * 1e9;
    return SS_OK;
}

TEST(root_of_a_stiff_function_takes_few_evaluations)
{
    int calls = 0, evaluations = 0;
    double root = 0;
    CHECK(ss_root_bracketed(stiff, &calls, 0, 0.9e-9, 1, -1e8, 1e-12, 0, &root, &evaluations) == SS_OK);
    CHECK_NEAR(root, 0.9, 1e-12);
    CHECK(evaluations < 160); /* bisection at least every fourth evaluation: 4 log2(1e12) */
}

/* functions c_k - s, and one that never falls */
typedef struct lines {
    double zero[4];
    int calls;
} lines;

static ss_status eval_lines(void *user, double s, int count, const int *which, double *g)
{
    lines *l = user;
    l->calls++;
    for (int k = 0; k < count; k++) {
        g[k] = l->zero[which[k]] - s;
    }
    return SS_OK;
}

static ss_event_found first_of(ss_arena *arena, lines *l, const double *start, double length, double tie, double floor)
{
    static const double armed[4] = { 1e-9, 1e-9, 1e-9, 1e-9 };
    ss_event_search search = { .eval = eval_lines,
                               .user = l,
                               .count = 4,
                               .start = start,
                               .armed = armed,
                               .length = length,
                               .tol = 1e-15,
                               .tie = tie,
                               .floor = floor,
                               .accept = 1e-14 };
    ss_event_found found;
    CHECK(ss_events_first(arena, &search, &found) == SS_OK);
    return found;
}

TEST(first_event_is_the_earliest_whatever_the_order)
{
    ss_context *ctx = test_context();
    ss_arena *arena = NULL;
    CHECK_OK(ctx, ss_arena_create(ctx, 1024, &arena));
    lines l = { { 0.7, 0.3, 0.5, 9 }, 0 };
    ss_event_found found = first_of(arena, &l, l.zero, 1, 0, 0);
    CHECK(found.found && found.count == 1 && found.which[0] == 1);
    CHECK_NEAR(found.s, 0.3, 1e-13);
    CHECK(!first_of(arena, &l, l.zero, 0.2, 0, 0).found);    /* nothing before 0.3 */
    CHECK(!first_of(arena, &l, l.zero, 0.9, 0, 0.95).found); /* below the floor    */
    ss_arena_destroy(arena);
    ss_context_destroy(ctx);
}

TEST(simultaneous_events_come_together)
{
    ss_context *ctx = test_context();
    ss_arena *arena = NULL;
    CHECK_OK(ctx, ss_arena_create(ctx, 1024, &arena));
    lines l = { { 0.7, 0.3, 0.3 + 1e-9, 0.31 }, 0 };
    ss_event_found found = first_of(arena, &l, l.zero, 1, 1e-8, 0);
    CHECK(found.count == 2 && found.which[0] == 1 && found.which[1] == 2);
    ss_arena_destroy(arena);
    ss_context_destroy(ctx);
}

TEST(an_event_that_happened_is_not_detected_again)
{
    ss_context *ctx = test_context();
    ss_arena *arena = NULL;
    CHECK_OK(ctx, ss_arena_create(ctx, 1024, &arena));
    lines l = { { 1e-10, -0.2, 0.6, 9 }, 0 }; /* the first two start at or below the arming level */
    ss_event_found found = first_of(arena, &l, l.zero, 1, 0, 0);
    CHECK(found.count == 1 && found.which[0] == 2);
    ss_arena_destroy(arena);
    ss_context_destroy(ctx);
}

static ss_model *falling_body(ss_context *ctx)
{
    ss_scene_settings settings = ss_scene_settings_default();
    settings.dimension = 3;
    ss_scene *scene = NULL;
    ss_model *model = NULL;
    CHECK_OK(ctx, ss_scene_create(ctx, &settings, &scene));
    ss_body_desc body = ss_body_desc_default();
    body.name = "body";
    body.type = SS_BODY_RIGID;
    body.mass = 1;
    body.inertia[0] = body.inertia[1] = body.inertia[2] = 1;
    body.inertia[3] = body.inertia[4] = body.inertia[5] = 0;
    CHECK_OK(ctx, ss_scene_add_body(scene, &body, NULL));
    CHECK_OK(ctx, ss_model_compile(ctx, scene, &model));
    ss_scene_destroy(scene);
    return model;
}

TEST(hermite_path_is_exact_on_parabolas_and_meets_its_ends)
{
    ss_context *ctx = test_context();
    ss_model *m = falling_body(ctx);
    double q0[7] = { 1, 2, 3, 1, 0, 0, 0 }, v0[6] = { 1, -2, 0.5, 0, 0, 0.4 }, q1[7],
           v1[6] = { 1, -2, 0.5 - 9.81 * 0.3, 0, 0, 0.4 };
    double mean[6] = { 1, -2, 0.5 - 0.5 * 9.81 * 0.3, 0, 0, 0.4 }, q[7], v[6], scratch[12];
    ss_model_retract(m, q0, mean, 0.3, q1);
    ss_hermite(m, q0, v0, q1, v1, 0.3, 0.1, scratch, q, v);
    CHECK_NEAR(q[2], 3 + 0.5 * 0.1 - 0.5 * 9.81 * 0.01, 1e-14); /* round-off of O(1) numbers */
    CHECK_NEAR(v[2], 0.5 - 9.81 * 0.1, 1e-14);
    CHECK_NEAR(q[3], cos(0.5 * 0.4 * 0.1), 1e-14);
    ss_hermite(m, q0, v0, q1, v1, 0.3, 0.3, scratch, q, v);
    for (int i = 0; i < 7; i++) {
        CHECK_NEAR(q[i], q1[i], 1e-14);
    }
    for (int i = 0; i < 6; i++) {
        CHECK_NEAR(v[i], v1[i], 1e-14);
    }
    ss_model_destroy(m);
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(root_of_cosine_is_found_to_the_accuracy_asked),
        cmocka_unit_test(root_of_a_stiff_function_takes_few_evaluations),
        cmocka_unit_test(first_event_is_the_earliest_whatever_the_order),
        cmocka_unit_test(simultaneous_events_come_together),
        cmocka_unit_test(an_event_that_happened_is_not_detected_again),
        cmocka_unit_test(hermite_path_is_exact_on_parabolas_and_meets_its_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
