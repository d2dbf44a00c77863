/* test_error.c - the distance of hand-made runs from a reference: irregular steps, jumps at the ends of steps, components.
 *
 * The reference is the ball of ball_scene.h: v = -2 t, at t = 1 from -2 to 1, then 1 - 2 (t - 1). */
#include "study/error.h"
#include "unit/study/ball_scene.h"

enum { MOST = 8 };

/* a run of the ball with these times, heights and velocities */
typedef struct made {
    ss_trajectory x;
    double t[MOST], q[2 * MOST], v[2 * MOST];
    bool inside[MOST];
    char *name[4];
    int quat[2];
} made;

static ss_trajectory *make(ss_context *ctx, made *m, int n, const double (*row)[3])
{
    static char *const names[4] = { "ball.x", "ball.y", "ball.vx", "ball.vy" };
    *m = (made){ .quat = { -1, -1 } };
    memcpy(m->name, names, sizeof names);
    m->x = (ss_trajectory){ .ctx = ctx,
                            .nq = 2,
                            .nv = 2,
                            .dimension = 2,
                            .n = n,
                            .t = m->t,
                            .q = m->q,
                            .v = m->v,
                            .inside = m->inside,
                            .name = m->name,
                            .quat = m->quat };
    for (int k = 0; k < n; k++) {
        m->t[k] = row[k][0];
        m->q[2 * k + 1] = row[k][1];
        m->v[2 * k + 1] = row[k][2];
    }
    return &m->x;
}

static ss_reference *exact(ss_context *ctx, double until, ss_quantity quantity)
{
    ss_study_case c = ss_study_case_default();
    ss_reference *r = NULL;
    c.scene = ball_scene();
    c.until = until;
    CHECK_OK(ctx, ss_reference_create(ctx, &c, "exact", quantity, &r));
    return r;
}

static double largest_error(ss_context *ctx, ss_reference *r, const ss_trajectory *other, const ss_trajectory *run)
{
    const ss_error_options o = { .quantity = SS_QUANTITY_V, .norm = SS_NORM_MAX, .reference = r, .other = other };
    ss_error e;
    CHECK_OK(ctx, ss_error_of(ctx, &o, run, &e));
    return e.value;
}

/* steps of any length, one ends at the impact, before or after it, or beside it by rounding */
TEST(a_step_that_ends_at_a_jump_may_be_on_either_side_of_it)
{
    ss_context *ctx = test_context();
    ss_reference *r = exact(ctx, 1.5, SS_QUANTITY_V);
    const double at[] = { 1, 1 - 1e-12, 1 + 1e-12 }, after[] = { -2, 1 };
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 2; i++) {
            made m;
            const double rows[][3] = { { 0, 1, 0 }, { 0.3, 0, -0.6 }, { at[k], 0, after[i] }, { 1.01, 0, 0.98 }, { 1.5, 0, 0 } };
            CHECK_NEAR(largest_error(ctx, r, NULL, make(ctx, &m, 5, rows)), 0, 1e-11);
        }
    }
    ss_reference_destroy(r);
    ss_context_destroy(ctx);
}

TEST(a_step_that_ends_beside_a_jump_has_one_side_only)
{
    ss_context *ctx = test_context();
    ss_reference *r = exact(ctx, 1.5, SS_QUANTITY_V);
    made m;
    const double rows[][3] = { { 0, 1, 0 }, { 1 - 1e-6, 0, 1 }, { 1.5, 0, 0 } };
    CHECK_NEAR(largest_error(ctx, r, NULL, make(ctx, &m, 3, rows)), 3, 1e-5);
    ss_reference_destroy(r);
    ss_context_destroy(ctx);
}

/* the reference is a run with its impact as two rows */
TEST(a_run_as_reference_has_two_sides_too)
{
    ss_context *ctx = test_context();
    made a, b;
    const double both[][3] = { { 0, 1, 0 }, { 1, 0, -2 }, { 1, 0, 1 }, { 1.5, 0, 0 } };
    const double after[] = { -2, 1 };
    for (int i = 0; i < 2; i++) {
        const double rows[][3] = { { 0, 1, 0 }, { 1 - 1e-12, 0, after[i] }, { 1.25, 0, 0.5 }, { 1.5, 0, 0 } };
        CHECK_NEAR(largest_error(ctx, NULL, make(ctx, &a, 4, both), make(ctx, &b, 4, rows)), 0, 1e-11);
    }
    ss_context_destroy(ctx);
}

/* a ball that starts on the floor and falls: the first state is before the impact */
TEST(the_first_state_may_be_before_a_jump)
{
    ss_context *ctx = test_context();
    ss_study_case c = ss_study_case_default();
    ss_reference *r;
    made m;
    c.scene = ball_scene();
    c.until = 0.5;
    c.set = (const char *[]){ "bodies.ball.position=[0,0]", "bodies.ball.velocity=[0,-2]" };
    c.sets = 2;
    CHECK_OK(ctx, ss_reference_create(ctx, &c, "exact", SS_QUANTITY_V, &r));
    const double rows[][3] = { { 0, 0, -2 }, { 0.25, 0, 0.5 }, { 0.5, 0, 0 } };
    CHECK_NEAR(largest_error(ctx, r, NULL, make(ctx, &m, 3, rows)), 0, 1e-12);
    ss_reference_destroy(r);
    ss_context_destroy(ctx);
}

TEST(the_scale_is_that_of_the_components_that_count)
{
    ss_context *ctx = test_context();
    made a, b;
    const double rows[][3] = { { 0, 3, 0 }, { 1, 2, 0 } };
    const bool mark[2] = { false, true };
    ss_trajectory *x = make(ctx, &a, 2, rows), *y = make(ctx, &b, 2, rows);
    ss_error e;
    x->q[0] = x->q[2] = y->q[0] = y->q[2] = 4;
    ss_error_options o = { .quantity = SS_QUANTITY_Q, .norm = SS_NORM_MAX, .other = y };
    CHECK_OK(ctx, ss_error_of(ctx, &o, x, &e));
    CHECK(e.scale == 5 && e.value == 0);
    o.component = mark;
    CHECK_OK(ctx, ss_error_of(ctx, &o, x, &e));
    CHECK(e.scale == 3);
    ss_context_destroy(ctx);
}

TEST(runs_of_other_bodies_are_not_compared)
{
    ss_context *ctx = test_context();
    made a, b;
    const double rows[][3] = { { 0, 1, 0 }, { 1, 0, 0 } };
    ss_trajectory *x = make(ctx, &a, 2, rows), *y = make(ctx, &b, 2, rows);
    const ss_error_options o = { .quantity = SS_QUANTITY_Q, .norm = SS_NORM_MAX, .other = y };
    ss_error e;
    b.name[1] = "cube.y";
    CHECK_FAILS(ctx, ss_error_of(ctx, &o, x, &e), SS_ERR_INPUT, "has \"cube.y\" where the scene has \"ball.y\"");
    ss_context_destroy(ctx);
}

static int tear_down(void **state)
{
    (void)state;
    ball_scene_remove();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_that_ends_at_a_jump_may_be_on_either_side_of_it),
        cmocka_unit_test(a_step_that_ends_beside_a_jump_has_one_side_only),
        cmocka_unit_test(a_run_as_reference_has_two_sides_too),
        cmocka_unit_test(the_first_state_may_be_before_a_jump),
        cmocka_unit_test(the_scale_is_that_of_the_components_that_count),
        cmocka_unit_test(runs_of_other_bodies_are_not_compared),
    };
    return cmocka_run_group_tests(tests, NULL, tear_down);
}
