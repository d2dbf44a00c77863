/* Smooth arcs and jumps: a ball with closed forms, grazing, the order of questions, what is refused. */
#include "test.h"

#include "math/hybrid.h"

/* a ball in a room: y = (height, speed), floor at 0, ceiling at `top` */
typedef struct room {
    double gravity, e, top;
    double still; /* speed after an impact below which it rests */
} room;

typedef struct ball {
    room room;
    ss_hybrid motion;
} ball;

static void fall(const void *user, int mode, double t, const double *y, double *out)
{
    const room *b = user;
    (void)mode;
    (void)t;
    out[0] = y[1];
    out[1] = -b->gravity;
}

static bool bounds(const void *user, int mode, int k, const double *y, const double *d, ss_guard_value *out)
{
    const room *b = user;
    double side = k == 0 ? 1 : -1;
    (void)mode;
    *out = (ss_guard_value){ k == 0 ? y[0] : b->top - y[0], side * d[0], side * (y[1] + d[1]) };
    return k == 0 || b->top < INFINITY;
}

static void bounce(const void *user, int k, ss_knot *knot)
{
    const room *b = user;
    knot->y[0] = k == 0 ? 0 : b->top;
    knot->y[1] *= -b->e;
    if (k == 0 && knot->y[1] <= b->still) {
        knot->t += 2 * knot->y[1] / (b->gravity * (1 - b->e));
        knot->y[1] = 0;
        knot->mode = SS_MODE_REST;
        knot->kind = SS_KNOT_KINK;
    }
}

static ball *thrown(ss_context *ctx, room data, double height, double speed)
{
    ball *b = malloc(sizeof *b);
    CHECK(b != NULL);
    b->room = data;
    b->motion = (ss_hybrid){ .ode = { .n = 2, .rate = fall, .user = &b->room, .scale = { 1, 1 } },
                             .longest = 0.3,
                             .touch = 1e-12,
                             .guards = 2,
                             .guard = bounds,
                             .jump = bounce };
    CHECK_OK(ctx, ss_hybrid_start(ctx, &b->motion, 0, (double[]){ height, speed }));
    return b;
}

static void put_away(ss_context *ctx, ball *b)
{
    ss_hybrid_free(ctx, &b->motion);
    free(b);
}

/* f = -2, q0 = 1, e = 1/2: impacts at 1, 2, 2.5, ... and rest at 3 [Aca09 eq. 10] */
TEST(impacts_of_a_bouncing_ball_are_exact_down_to_its_rest)
{
    ss_context *ctx = test_context();
    ball *b = thrown(ctx, (room){ 2, 0.5, INFINITY, 1e-14 }, 1, 0);
    double t = 0, y[2], left = 2;
    for (int n = 0; n < 40; n++, left *= 0.5) {
        t = ss_hybrid_next(ctx, &b->motion, SS_KNOT_JUMP, t, 10);
        CHECK_NEAR(t, 3 - left, 2e-15);
        CHECK_OK(ctx, ss_hybrid_at(ctx, &b->motion, t, -1, y, NULL));
        CHECK_NEAR(y[1] / left, -1, 1e-13); /* relative, however small: speeds are 2, 1, 1/2 ... */
        CHECK_OK(ctx, ss_hybrid_at(ctx, &b->motion, t, 1, y, NULL));
        CHECK_NEAR(y[1] / left, 0.5, 1e-13);
    }
    CHECK_NEAR(ss_hybrid_next(ctx, &b->motion, SS_KNOT_KINK, 0, 10), 3, 2e-15);
    CHECK(ss_hybrid_next(ctx, &b->motion, SS_KNOT_JUMP, 3, 1e9) == INFINITY);
    CHECK_OK(ctx, ss_hybrid_at(ctx, &b->motion, 1e9, 1, y, NULL));
    CHECK(y[0] == 0 && y[1] == 0);
    put_away(ctx, b);
    ss_context_destroy(ctx);
}

TEST(the_first_of_several_guards_fires)
{
    ss_context *ctx = test_context();
    ball *b = thrown(ctx, (room){ 0, 1, 1, 0 }, 0.25, 3); /* no gravity: up to 1 in 1/4, down to 0 in 1/3 more */
    double y[2], t = ss_hybrid_next(ctx, &b->motion, SS_KNOT_JUMP, 0, 10);
    CHECK_NEAR(t, 0.25, 1e-16);
    CHECK_NEAR(ss_hybrid_next(ctx, &b->motion, SS_KNOT_JUMP, t, 10), 0.25 + 1.0 / 3, 2e-16);
    CHECK_OK(ctx, ss_hybrid_at(ctx, &b->motion, 100, 1, y, NULL)); /* 100 = 150 round trips of 2/3: some hundred knots */
    CHECK_NEAR(y[0], 0.25, 1e-12);
    CHECK_NEAR(y[1], 3, 1e-12);
    put_away(ctx, b);
    ss_context_destroy(ctx);
}

/* thrown up so that its top is 1e-9 above or below the ceiling: the turn is between two looks */
TEST(a_graze_is_seen_and_a_miss_is_not)
{
    ss_context *ctx = test_context();
    for (int hit = 0; hit < 2; hit++) {
        double rise = hit ? 1 + 1e-9 : 1 - 1e-9; /* speed^2 / (2 g) */
        ball *b = thrown(ctx, (room){ 2, 0.5, 1, 0 }, 0, sqrt(4 * rise));
        double t = ss_hybrid_next(ctx, &b->motion, SS_KNOT_JUMP, 0, 1.5);
        double early = 0.5 * sqrt(4 * rise) - sqrt(1e-9);
        CHECK(hit ? fabs(t - early) < 1e-9 : t == INFINITY); /* the root has the condition 1 / (2 sqrt(1e-9)) */
        put_away(ctx, b);
    }
    ss_context_destroy(ctx);
}

TEST(what_starts_at_zero_fires_at_once_if_it_falls_and_leaves_if_it_rises)
{
    ss_context *ctx = test_context();
    ball *down = thrown(ctx, (room){ 2, 0.5, INFINITY, 1e-14 }, 1e-13, -1),
         *up = thrown(ctx, (room){ 2, 0.5, INFINITY, 1e-14 }, 0, 1),
         *still = thrown(ctx, (room){ 2, 0.5, INFINITY, 1e-14 }, 0, 0);
    double y[2];
    CHECK_OK(ctx, ss_hybrid_at(ctx, &down->motion, 0, 1, y, NULL));
    CHECK(y[0] == 0 && y[1] == 0.5);
    CHECK_OK(ctx, ss_hybrid_at(ctx, &down->motion, 0, -1, y, NULL));
    CHECK(y[1] == -1);
    CHECK_NEAR(ss_hybrid_next(ctx, &up->motion, SS_KNOT_JUMP, 0, 2), 1, 2e-16);
    CHECK_OK(ctx, ss_hybrid_at(ctx, &still->motion, 5, 1, y, NULL));
    CHECK(y[0] == 0 && y[1] == 0);
    put_away(ctx, down);
    put_away(ctx, up);
    put_away(ctx, still);
    ss_context_destroy(ctx);
}

TEST(questions_may_come_in_any_order)
{
    ss_context *ctx = test_context();
    ball *a = thrown(ctx, (room){ 2, 0.7, 1.5, 1e-14 }, 1, 1.7), *b = thrown(ctx, (room){ 2, 0.7, 1.5, 1e-14 }, 1, 1.7);
    for (int n = 0; n < 100; n++) {
        double t = 0.07 * (n * 37 % 100), x[2], y[2];
        CHECK_OK(ctx, ss_hybrid_at(ctx, &a->motion, t, 1, x, NULL));
        CHECK_OK(ctx, ss_hybrid_at(ctx, &b->motion, 0.07 * n, 1, y, NULL));
        CHECK_OK(ctx, ss_hybrid_at(ctx, &b->motion, t, 1, y, NULL));
        CHECK(memcmp(x, y, sizeof x) == 0);
    }
    put_away(ctx, a);
    put_away(ctx, b);
    ss_context_destroy(ctx);
}

TEST(bad_times_are_refused_and_endless_motion_is_bounded)
{
    ss_context *ctx = test_context();
    ball *b = thrown(ctx, (room){ 0, 1, INFINITY, 0 }, 1, 1);
    double y[2];
    CHECK_FAILS(ctx, ss_hybrid_at(ctx, &b->motion, -1, 1, y, NULL), SS_ERR_INPUT, "t: -1");
    CHECK_FAILS(ctx, ss_hybrid_at(ctx, &b->motion, NAN, 1, y, NULL), SS_ERR_INPUT, "nan");
    CHECK_FAILS(ctx, ss_hybrid_at(ctx, &b->motion, INFINITY, 1, y, NULL), SS_ERR_INPUT, "inf");
    CHECK_FAILS(ctx, ss_hybrid_at(ctx, &b->motion, 1e6, 1, y, NULL), SS_ERR_NUMERIC, "arcs");
    CHECK_OK(ctx, ss_hybrid_at(ctx, &b->motion, 1000, 1, y, NULL)); /* what is known stays so */
    CHECK_NEAR(y[0], 1001, 1e-9);
    put_away(ctx, b);
    ss_context_destroy(ctx);
}

TEST(an_event_that_could_not_be_looked_for_makes_the_next_question_fail)
{
    ss_context *ctx = test_context();
    ball *b = thrown(ctx, (room){ 0, 1, INFINITY, 0 }, 1, 1);
    double y[2];
    CHECK(isinf(ss_hybrid_next(ctx, &b->motion, SS_KNOT_JUMP, 0, 1000))); /* none: no failure */
    CHECK_OK(ctx, ss_hybrid_at(ctx, &b->motion, 1, 1, y, NULL));
    CHECK(isinf(ss_hybrid_next(ctx, &b->motion, SS_KNOT_JUMP, 0, 1e6)));
    CHECK_FAILS(ctx, ss_hybrid_at(ctx, &b->motion, 1, 1, y, NULL), SS_ERR_NUMERIC, "arcs");
    put_away(ctx, b);
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(impacts_of_a_bouncing_ball_are_exact_down_to_its_rest),
        cmocka_unit_test(the_first_of_several_guards_fires),
        cmocka_unit_test(a_graze_is_seen_and_a_miss_is_not),
        cmocka_unit_test(what_starts_at_zero_fires_at_once_if_it_falls_and_leaves_if_it_rises),
        cmocka_unit_test(questions_may_come_in_any_order),
        cmocka_unit_test(bad_times_are_refused_and_endless_motion_is_bounded),
        cmocka_unit_test(an_event_that_could_not_be_looked_for_makes_the_next_question_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
