/* What is near: a ball beside a floor, whose gap and speeds are given. */
#include "kernels/vicinity.h"
#include "unit/schemes/event_capturing_rk/closed_scene.h"

typedef struct beside {
    closed_scene x;
    ss_vicinity *v;
    ss_config here, end;
} beside;

/* a ball of radius 1 (so that the length is 1) whose lowest point is in the floor, without gravity */
static void open_beside(beside *b)
{
    open_held(&b->x,
              HEAD(2, "[0,0]") "'bodies':[{'name':'ball','type':'rigid','mass':1,'position':[0,1],'shapes':[{'type':'sphere',"
                               "'radius':1}]},{'name':'floor','type':'fixed','shapes':[{'type':'half_space','normal':[0,1]}]}]}",
              0, 0, NULL);
    CHECK(b->x.m->length == 1);
    CHECK_OK(b->x.ctx, ss_vicinity_create(b->x.ctx, b->x.m, &b->v));
    CHECK_OK(b->x.ctx, ss_config_take(b->x.s->arena, b->x.m, &b->here));
    CHECK_OK(b->x.ctx, ss_config_take(b->x.s->arena, b->x.m, &b->end));
}

static void close_beside(beside *b)
{
    ss_vicinity_destroy(b->x.ctx, b->v);
    close_held(&b->x);
}

static void put(beside *b, double depth, ss_config *c)
{
    b->x.q[1] = 1 - depth;
    ss_config_set(b->x.m, 0, b->x.q, c);
    ss_config_drive(b->x.m, 0, 0, c);
}

/* nothing has been surveyed: what the end shows is new */
static void look(beside *b, double before, double after, bool *found, bool *hidden)
{
    put(b, before, &b->here);
    put(b, after, &b->end);
    ss_vicinity_forget(b->v);
    CHECK_OK(b->x.ctx, ss_vicinity_look_again(b->v, b->x.s, &b->here, &b->end, found, hidden));
}

TEST(an_overlap_is_noticed_from_where_it_is_more_than_round_off)
{
    beside b;
    bool found, hidden;
    open_beside(&b);
    look(&b, -1, 1e-10, &found, &hidden);
    CHECK(!found && !hidden);
    look(&b, -1, 1e-8, &found, &hidden);
    CHECK(found && !hidden);
    close_beside(&b);
}

TEST(what_was_behind_a_surface_before_has_passed_unseen)
{
    beside b;
    bool found, hidden;
    open_beside(&b);
    look(&b, 1e-7, 0.1, &found, &hidden);
    CHECK(found && !hidden);
    look(&b, 1e-5, 0.1, &found, &hidden);
    CHECK(!found && hidden);
    close_beside(&b);
}

/* A hundredth of the solver's tolerance is left between contacts that are closed: it is neither news nor a passage. */
TEST(what_the_tolerance_leaves_of_a_closed_contact_is_no_overlap)
{
    beside b;
    bool found, hidden;
    open_beside(&b);
    b.x.s->tol = 1e-2;
    look(&b, -1, 0.9e-4, &found, &hidden);
    CHECK(!found && !hidden);
    look(&b, -1, 1.1e-4, &found, &hidden);
    CHECK(found && !hidden);
    look(&b, 0.9e-4, 0.1, &found, &hidden);
    CHECK(found && !hidden);
    look(&b, 1.1e-4, 0.1, &found, &hidden);
    CHECK(!found && hidden);
    close_beside(&b);
}

/* a block whose bottom has three corners, the middle one 5e-7 deeper: the reduction leaves it out */
static void open_block(beside *b)
{
    open_held(&b->x,
              HEAD(2, "[0,0]") "'contacts':{'reduce':true},'bodies':[{'name':'block','type':'rigid','mass':1,'inertia':1,"
                               "'position':[0,1],'shapes':[{'type':'polygon','points':[[-1,-1],[0,-1.0000005],[1,-1],[1,1],"
                               "[-1,1]]}]},{'name':'floor','type':'fixed','shapes':[{'type':'half_space','normal':[0,1]}]}]}",
              0, 0, NULL);
    CHECK_OK(b->x.ctx, ss_vicinity_create(b->x.ctx, b->x.m, &b->v));
    CHECK_OK(b->x.ctx, ss_config_take(b->x.s->arena, b->x.m, &b->here));
    CHECK_OK(b->x.ctx, ss_config_take(b->x.s->arena, b->x.m, &b->end));
}

TEST(what_the_reduction_has_left_out_was_there_before_however_deep)
{
    beside b;
    bool found, hidden;
    open_block(&b);
    put(&b, 1e-5, &b.here);
    put(&b, 2e-5, &b.end);
    CHECK_OK(b.x.ctx, ss_vicinity_survey(b.v, b.x.s, &b.here, b.x.v, 0.01, 0));
    CHECK(b.v->near.n == 2);
    CHECK_OK(b.x.ctx, ss_vicinity_look_again(b.v, b.x.s, &b.here, &b.end, &found, &hidden));
    CHECK(found && !hidden);
    CHECK_OK(b.x.ctx, ss_vicinity_survey(b.v, b.x.s, &b.here, b.x.v, 0.01, 0));
    CHECK(b.v->near.n == 3);
    close_beside(&b);
}

TEST(an_approach_that_round_off_of_the_speeds_can_make_is_slow)
{
    beside b;
    open_beside(&b);
    b.x.v[0] = 100;
    put(&b, 0, &b.here);
    CHECK_OK(b.x.ctx, ss_vicinity_survey(b.v, b.x.s, &b.here, b.x.v, 0.01, 0));
    CHECK(b.v->near.n == 1);
    CHECK_NEAR(b.v->slow[0], 1e-8, 1e-14); /* 1e-10 of the ball's speed */
    close_beside(&b);
}

/* How many contacts are near of three balls of radius 1: two at rest, with this gap between them; the third one, which moves by 1
 * in the substep, as far from the second as `aside` says and so far above the floor as `above` says. */
static int count_near(double gap, double aside, double above)
{
    beside b;
    open_held(
        &b.x,
        HEAD(2,
             "[0,0]") "'bodies':[{'name':'a','type':'rigid','mass':1,'position':[-2,9],'shapes':[{'type':'sphere','radius':1}]},"
                      "{'name':'b','type':'rigid','mass':1,'position':[0,9],'shapes':[{'type':'sphere','radius':1}]},"
                      "{'name':'c','type':'rigid','mass':1,'position':[2,9],'shapes':[{'type':'sphere','radius':1}]},"
                      "{'name':'floor','type':'fixed','shapes':[{'type':'half_space','normal':[0,1]}]}]}",
        0, 0, NULL);
    CHECK_OK(b.x.ctx, ss_vicinity_create(b.x.ctx, b.x.m, &b.v));
    CHECK_OK(b.x.ctx, ss_config_take(b.x.s->arena, b.x.m, &b.here));
    b.x.q[0] = -2 - gap;
    b.x.q[6] = 2 + aside;
    b.x.q[1] = b.x.q[4] = b.x.q[7] = 1 + above;
    b.x.v[7] = 100;
    ss_config_set(b.x.m, 0, b.x.q, &b.here);
    ss_config_drive(b.x.m, 0, 0, &b.here);
    CHECK_OK(b.x.ctx, ss_vicinity_survey(b.v, b.x.s, &b.here, b.x.v, 0.01, 0));
    const int n = b.v->near.n;
    close_beside(&b);
    return n;
}

/* Each body adds 1.5 of its own way, or of half the farthest way of all; the floor, which nothing can push, adds nothing. */
TEST(near_is_what_the_two_bodies_of_a_pair_can_reach)
{
    CHECK(count_near(1.49, 3, 9) == 1);
    CHECK(count_near(1.51, 3, 9) == 0);
    CHECK(count_near(4, 2.24, 9) == 1);
    CHECK(count_near(4, 2.26, 9) == 0);
    CHECK(count_near(4, 3, 1.49) == 1);
    CHECK(count_near(4, 3, 1.51) == 0);
}

/* a particle at the bottom of a valley with slopes of 0.3, 0.01 to the left of it and 0.01 above */
static void open_valley(beside *b)
{
    open_held(&b->x,
              HEAD(2, "[0,0]") "'bodies':[{'name':'p','type':'particle','mass':1,'position':[-0.01,0.013],'velocity':[0,-10],"
                               "'shapes':[{'type':'point'}]},{'name':'ground','type':'fixed','shapes':[{'type':'height_field',"
                               "'heights':[0.3,0,0.3],'spacing':1}]}]}",
              0, 0, NULL);
    CHECK_OK(b->x.ctx, ss_vicinity_create(b->x.ctx, b->x.m, &b->v));
    CHECK_OK(b->x.ctx, ss_config_take(b->x.s->arena, b->x.m, &b->here));
    CHECK_OK(b->x.ctx, ss_config_take(b->x.s->arena, b->x.m, &b->end));
    ss_config_set(b->x.m, 0, b->x.q, &b->here);
    ss_config_drive(b->x.m, 0, 0, &b->here);
    CHECK_OK(b->x.ctx, ss_vicinity_survey(b->v, b->x.s, &b->here, b->x.v, 0.01, 0));
    CHECK(b->v->near.n == 1);
}

/* gap of the particle and the left slope after it has moved to (x, y) */
static double gap_at(beside *b, double x, double y)
{
    const int first = 0;
    double gap;
    b->x.q[0] = x;
    b->x.q[1] = y;
    ss_config_set(b->x.m, 0, b->x.q, &b->end);
    CHECK_OK(b->x.ctx, ss_vicinity_gaps(b->v, b->x.m, &b->end, 1, &first, &gap));
    return gap;
}

TEST(what_goes_through_a_face_and_leaves_it_below_has_passed)
{
    beside b;
    open_valley(&b);
    const double cosine = 1 / sqrt(1.09);
    CHECK_NEAR(gap_at(&b, -0.01, -0.1), (-0.1 - 0.003) * cosine, 1e-12); /* straight down, below the normal at the bottom */
    CHECK(gap_at(&b, 0.1, -0.01) > 0);                                   /* it left the face before its plane        */
    close_beside(&b);
}

TEST(a_witness_on_the_border_of_its_features_does_not_hide_an_overlap)
{
    beside b;
    open_beside(&b);
    put(&b, 0, &b.here);
    CHECK_OK(b.x.ctx, ss_vicinity_survey(b.v, b.x.s, &b.here, b.x.v, 0.01, 0));
    const ss_contact_value end = { .gap = -0.01, .outside = -1e-12 };
    b.v->outside[0] = 1e-12; /* round-off at both ends */
    CHECK(ss_vicinity_gap(b.v, b.x.m, 0, &end) == -0.01);
    b.v->outside[0] = 1e-6; /* it came from beside: it is met where it reaches the features */
    CHECK(ss_vicinity_gap(b.v, b.x.m, 0, &end) == -1e-12);
    close_beside(&b);
}

/* a disk of radius 1 that stands on the floor, tilted by 0.01, turned about its own axis; sunk: how far below the floor its
 * lowest point is */
static void put_disk(beside *b, double turn, double sunk, ss_config *c)
{
    const ss_quat tilt = ss_quat_exp(ss_v3(0.01, 0, 0)), q = ss_quat_product(tilt, ss_quat_exp(ss_v3(0, 0, turn)));
    b->x.q[2] = sin(0.01) + 0.1 * cos(0.01) - sunk;
    ss_quat_to(q, b->x.q + 3);
    ss_config_set(b->x.m, 0, b->x.q, c);
    ss_config_drive(b->x.m, 0, 0, c);
}

static void open_disk(beside *b, bool follows)
{
    open_held(
        &b->x,
        HEAD(3, "[0,0,0]") "'bodies':[{'name':'disk','type':'rigid','mass':1,'inertia':[1,1,1],'position':[0,0,1],'shapes':"
                           "[{'type':'cylinder','radius':1,'length':0.2}]},{'name':'floor','type':'fixed','shapes':[{'type':"
                           "'half_space','normal':[0,0,1]}]}]}",
        0, 0, NULL);
    CHECK_OK(b->x.ctx, ss_vicinity_create(b->x.ctx, b->x.m, &b->v));
    if (follows) {
        ss_vicinity_follow(b->v);
    }
    CHECK_OK(b->x.ctx, ss_config_take(b->x.s->arena, b->x.m, &b->here));
    CHECK_OK(b->x.ctx, ss_config_take(b->x.s->arena, b->x.m, &b->end));
    put_disk(b, 0.2, 0, &b->here); /* none of the four points that a disk always has is lowest */
    CHECK_OK(b->x.ctx, ss_vicinity_survey(b->v, b->x.s, &b->here, b->x.v, 0.01, 0));
}

/* least gap, at the end, of all that the survey has */
static double least_gap(beside *b)
{
    double least = INFINITY, gap;
    for (int k = 0; k < b->v->near.n; k++) {
        CHECK_OK(b->x.ctx, ss_vicinity_gaps(b->v, b->x.m, &b->end, 1, &k, &gap));
        least = fmin(least, gap);
    }
    return least;
}

TEST(the_lowest_point_of_a_rim_is_followed_where_asked_for)
{
    const double eighth = 0.78539816339744831, low = 1e-4;
    for (int follows = 0; follows < 2; follows++) {
        beside b;
        bool found, hidden;
        open_disk(&b, follows);
        put_disk(&b, 0.2 + eighth, low, &b.end);
        CHECK(least_gap(&b) > 0); /* the point that was lowest is 0.01 (1 - cos 45) = 0.0029 higher */
        CHECK_OK(b.x.ctx, ss_vicinity_look_again(b.v, b.x.s, &b.here, &b.end, &found, &hidden));
        CHECK(found == follows && !hidden);
        CHECK_OK(b.x.ctx, ss_vicinity_survey(b.v, b.x.s, &b.here, b.x.v, 0.01, 0));
        CHECK(follows ? fabs(least_gap(&b) + low) < 1e-12 : least_gap(&b) > 0);
        close_beside(&b);
    }
}

TEST(a_point_that_does_not_settle_asks_for_a_shorter_substep)
{
    const double eighth = 0.78539816339744831;
    beside b;
    bool found, hidden;
    open_disk(&b, true);
    for (int look = 0; look < 2; look++) { /* to one side, and to the other */
        put_disk(&b, look ? 0.2 - eighth : 0.2 + eighth, 1e-4, &b.end);
        CHECK_OK(b.x.ctx, ss_vicinity_look_again(b.v, b.x.s, &b.here, &b.end, &found, &hidden));
        CHECK(found && hidden == (look == 1));
        CHECK_OK(b.x.ctx, ss_vicinity_survey(b.v, b.x.s, &b.here, b.x.v, 0.01, 0));
    }
    close_beside(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_overlap_is_noticed_from_where_it_is_more_than_round_off),
        cmocka_unit_test(what_was_behind_a_surface_before_has_passed_unseen),
        cmocka_unit_test(what_the_tolerance_leaves_of_a_closed_contact_is_no_overlap),
        cmocka_unit_test(what_goes_through_a_face_and_leaves_it_below_has_passed),
        cmocka_unit_test(a_witness_on_the_border_of_its_features_does_not_hide_an_overlap),
        cmocka_unit_test(the_lowest_point_of_a_rim_is_followed_where_asked_for),
        cmocka_unit_test(a_point_that_does_not_settle_asks_for_a_shorter_substep),
        cmocka_unit_test(what_the_reduction_has_left_out_was_there_before_however_deep),
        cmocka_unit_test(near_is_what_the_two_bodies_of_a_pair_can_reach),
        cmocka_unit_test(an_approach_that_round_off_of_the_speeds_can_make_is_slow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
