/* Which shapes meet along a path: disks, rods and points whose meeting is known in closed form. */
#include "contact/passage.h"
#include "unit/schemes/text_run.h"

#define HEAD                                                                                                                     \
    "{'slipstick':1,'dimension':2,'gravity':[0,0],'length_scale':1,'time':{'until':1,'step':0.01},'scheme':{'name':'moreau'},"   \
    "'bodies':["

/* a disk of radius 0.01 and a fixed peg of the same size at the origin */
static const char disks[] =
    HEAD "{'name':'disk','type':'rigid','mass':1,'inertia':1,'position':[-1,0],'shapes':[{'type':'sphere','radius':0.01}]},"
         "{'name':'peg','type':'fixed','shapes':[{'type':'sphere','radius':0.01}]}]}";
/* a rod of length 1 along x, and a peg at (0, 0.4) */
static const char rod[] =
    HEAD "{'name':'rod','type':'rigid','mass':1,'inertia':1,'position':[0,0],'shapes':[{'type':'box','size':[1,0.002]}]},"
         "{'name':'peg','type':'fixed','position':[0,0.4],'shapes':[{'type':'sphere','radius':0.001}]}]}";
/* a plate that is driven along x, and a point in its way */
static const char driven[] =
    HEAD "{'name':'p','type':'particle','mass':1,'position':[0.5,0],'shapes':[{'type':'point'}]},"
         "{'name':'plate','type':'driven','position':['t','0'],'shapes':[{'type':'box','size':[0.002,1]}]}]}";

#define PLATE(x)                                                                                                                 \
    HEAD "{'name':'p','type':'particle','mass':1,'position':[0.5,0],'shapes':[{'type':'point'}]},"                               \
         "{'name':'plate','type':'driven','position':['" x "','0'],'shapes':[{'type':'box','size':[0.002,1]}]}]}"
/* a paddle of length 1 along x that is driven round by a turn in a nanosecond, and a peg at (0, 0.4) that is free */
static const char paddle[] =
    HEAD "{'name':'peg','type':'particle','mass':1,'position':[0,0.4],'shapes':[{'type':'sphere','radius':0.001}]},"
         "{'name':'paddle','type':'driven','angle':'6*min(max((t-0.3)/1e-9,0),1)','shapes':[{'type':'box','size':[1,0.002]}]}]}";

typedef struct swept {
    run r;
    ss_passage *p;
    ss_swept_pairs list;
} swept;

static swept open_swept(const char *text)
{
    swept x = { .r = begin(text, 0, NULL) };
    CHECK_OK(x.r.ctx, ss_passage_create(x.r.ctx, x.r.model, &x.p));
    return x;
}

static void close_swept(swept *x)
{
    ss_swept_pairs_free(x->r.ctx, &x->list);
    ss_passage_destroy(x->p);
    leave(&x->r);
}

/* follow the straight motion with velocities v over 1 s */
static const ss_swept_pair *go(swept *x, const double *v)
{
    const ss_path path = { .t = 0, .h = 1, .q = x->r.model->q0, .v0 = v };
    CHECK_OK(x->r.ctx, ss_passage_look(x->p, &path, &x->list));
    return x->list.n > 0 ? &x->list.pair[0] : NULL;
}

TEST(two_disks_meet_when_their_centres_are_two_radii_apart)
{
    swept x = open_swept(disks);
    const ss_swept_pair *pair = go(&x, (double[]){ 2, 0, 0 });
    CHECK(pair && pair->meets && x.list.n == 1);
    CHECK_NEAR(pair->gap, 0.98, 1e-15);
    CHECK_NEAR(pair->scale, 0.02, 1e-15);
    /* at (1 - 0.02)/2 s; before: less than 2e-3 of the thickness away; inside: an overlap of no more than 1e-3 of it */
    CHECK(pair->before < 0.49 && pair->before > 0.49 - 2e-3 * 0.02 / 2);
    CHECK(pair->inside > 0.49 && pair->inside < 0.49 + 1.5e-3 * 0.02 / 2);
    close_swept(&x);
}

TEST(a_pass_is_missed_or_met_by_a_thousandth_of_a_radius)
{
    swept x = open_swept(disks);
    for (int hits = 0; hits < 2; hits++) {
        x.r.model->q0[1] = 0.02 + (hits ? -1e-5 : 1e-5);
        const ss_swept_pair *pair = go(&x, (double[]){ 2, 0, 0 });
        CHECK((pair && pair->meets) == (hits == 1));
    }
    x.r.model->q0[1] = 0.1; /* not even their boxes meet */
    CHECK(!go(&x, (double[]){ 2, 0, 0 }) && ss_passage_moves_far(x.p, 0, 1));
    close_swept(&x);
}

TEST(bodies_that_move_by_less_than_their_thickness_are_not_followed)
{
    swept x = open_swept(disks);
    x.r.model->q0[0] = -0.021;
    CHECK(go(&x, (double[]){ 0.0201, 0, 0 }) && go(&x, (double[]){ 0.0201, 0, 0 })->meets);
    CHECK(!go(&x, (double[]){ 0.0199, 0, 0 }) && !ss_passage_moves_far(x.p, 0, 1));
    close_swept(&x);
}

/* A disk of radius 0.01 and one of 0.5: whichever of them moves, the thinner one counts. */
TEST(beside_a_thick_body_a_thin_one_is_followed_by_its_own_thickness)
{
    for (int thick = 0; thick < 2; thick++) {
        swept x = open_swept(thick ? HEAD "{'name':'disk','type':'rigid','mass':1,'inertia':1,'position':[-0.52,0],"
                                          "'shapes':[{'type':'sphere','radius':0.5}]},"
                                          "{'name':'peg','type':'fixed','shapes':[{'type':'sphere','radius':0.01}]}]}"
                                   : HEAD "{'name':'disk','type':'rigid','mass':1,'inertia':1,'position':[-0.52,0],"
                                          "'shapes':[{'type':'sphere','radius':0.01}]},"
                                          "{'name':'peg','type':'fixed','shapes':[{'type':'sphere','radius':0.5}]}]}");
        CHECK(!go(&x, (double[]){ 0.0199, 0, 0 }) && !ss_passage_moves_far(x.p, 0, 1));
        const ss_swept_pair *pair = go(&x, (double[]){ 0.0201, 0, 0 });
        CHECK(pair && pair->meets); /* 0.01 apart */
        CHECK_NEAR(pair->scale, 0.02, 1e-15);
        close_swept(&x);
    }
}

TEST(a_rod_that_turns_meets_a_peg_at_its_angle_also_after_whole_turns)
{
    swept x = open_swept(rod);
    /* the side of the rod, 0.001 before its middle line, touches the peg asin(0.002/0.4) before a quarter turn */
    const double angle = acos(-1.0) / 2 - asin(0.002 / 0.4);
    const ss_swept_pair *pair = go(&x, (double[]){ 0, 0, 3 });
    CHECK(pair && pair->meets && pair->before < angle / 3 && pair->inside > angle / 3);
    CHECK_NEAR(pair->inside, angle / 3, 1e-4);
    CHECK(!go(&x, (double[]){ 0, 0, 1.5 })->meets); /* ends short of it */
    pair = go(&x, (double[]){ 0, 0, 20 });
    CHECK(pair->meets && fabs(pair->inside - angle / 20) < 1e-5);
    close_swept(&x);
}

TEST(a_cubic_path_is_followed_and_not_its_chord)
{
    swept x = open_swept(disks);
    /* from (-1, 0) to (1, 0) with velocities (2, +-2): a parabola that passes 0.5 above the peg */
    const double v0[] = { 2, 2, 0 }, v1[] = { 2, -2, 0 }, way[] = { 2, 0, 0 };
    ss_path path = { .t = 0, .h = 1, .q = x.r.model->q0, .v0 = v0, .v1 = v1, .way = way };
    CHECK_OK(x.r.ctx, ss_passage_look(x.p, &path, &x.list));
    CHECK(x.list.n == 1 && !x.list.pair[0].meets);
    x.r.model->q0[1] = -0.5; /* now its vertex is in the peg */
    CHECK_OK(x.r.ctx, ss_passage_look(x.p, &path, &x.list));
    CHECK(x.list.n == 1 && x.list.pair[0].meets);
    CHECK_NEAR(x.list.pair[0].inside, 0.49, 1e-3);
    close_swept(&x);
}

TEST(a_driven_plate_meets_a_point_in_its_way)
{
    swept x = open_swept(driven);
    const ss_swept_pair *pair = go(&x, (double[]){ 0, 0 });
    CHECK(pair && pair->meets && pair->before < 0.499 && pair->inside > 0.499);
    CHECK_NEAR(pair->inside, 0.499, 1e-5);
    close_swept(&x);
}

TEST(a_pair_that_touches_is_met_when_it_becomes_deep_and_not_when_it_leaves)
{
    swept x = open_swept(disks);
    x.r.model->q0[0] = -0.02;
    CHECK(!go(&x, (double[]){ -1, 0, 0 })->meets);
    const ss_swept_pair *pair = go(&x, (double[]){ 1, 0, 0 });
    CHECK(pair->meets && pair->inside < 0.02);
    close_swept(&x);
}

/* In the path of 1 s: the plate reaches the point after (0.5 - 0.001)/2 of its leap. */
TEST(a_plate_that_leaps_meets_a_point_however_short_its_leap)
{
    static const char *const scene[] = { PLATE("2*min(max((t-0.3)/1e-3,0),1)"), PLATE("2*min(max((t-0.3)/1e-9,0),1)") };
    static const double leap[] = { 1e-3, 1e-9 };
    for (int k = 0; k < 2; k++) {
        swept x = open_swept(scene[k]);
        const ss_swept_pair *pair = go(&x, (double[]){ 0, 0 });
        const double at = 0.3 + 0.2495 * leap[k];
        CHECK(pair && pair->meets);
        CHECK(pair->before < at && pair->before > at - 1e-3 * leap[k]);
        CHECK(pair->inside > at && pair->inside < at + 1e-3 * leap[k]);
        close_swept(&x);
    }
}

/* by 0.6 m, and by less than it is thick */
TEST(a_plate_that_comes_back_has_met_what_is_in_its_way)
{
    static const char *const scene[] = { PLATE("0.6*exp(-((t-0.3)/1e-6)^2)"), PLATE("0.4982+0.0009*exp(-((t-0.3)/1e-6)^2)") };
    for (int k = 0; k < 2; k++) {
        swept x = open_swept(scene[k]);
        const ss_swept_pair *pair = go(&x, (double[]){ 0, 0 });
        CHECK(pair && pair->meets);
        CHECK(pair->inside > 0.3 - 2e-6 && pair->inside < 0.3);
        close_swept(&x);
    }
}

/* its upper side, 0.001 m from its middle, comes to the peg of 0.001 m at (0, 0.4) */
TEST(a_driven_paddle_meets_a_peg_at_its_angle)
{
    swept x = open_swept(paddle);
    const ss_swept_pair *pair = go(&x, (double[]){ 0, 0 });
    const double angle = 0.5 * acos(-1) - asin(0.002 / 0.4), at = 0.3 + 1e-9 * angle / 6;
    CHECK(pair && pair->meets);
    CHECK_NEAR(pair->before, at, 1e-12);
    CHECK_NEAR(pair->inside, at, 1e-12);
    close_swept(&x);
}

/* 1e4 times as far as it is thick, along level ground that it touches: in steps of an eighth of its thickness it would be looked
 * at 8e4 times */
TEST(a_ball_that_slides_far_along_ground_is_looked_at_a_bounded_number_of_times)
{
    swept x = open_swept("{'slipstick':1,'dimension':3,'gravity':[0,0,0],'length_scale':1,'time':{'until':1,'step':0.01},"
                         "'scheme':{'name':'moreau'},'bodies':[{'name':'ball','type':'rigid','mass':1,'inertia':[1,1,1],"
                         "'position':[0.1,0.5,1e-4],'shapes':[{'type':'sphere','radius':1e-4}]},"
                         "{'name':'ground','type':'fixed','shapes':[{'type':'height_field','spacing':1,"
                         "'heights':[[0,0,0],[0,0,0],[0,0,0]]}]}]}");
    const ss_swept_pair *pair = go(&x, (double[]){ 0.8, 0, 0, 0, 0, 0 });
    CHECK(pair && !pair->meets);
    CHECK(pair->looks > SS_PASSAGE_LOOKS && pair->looks < SS_PASSAGE_LOOKS + 64); /* doubled with each of the last */
    close_swept(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_disks_meet_when_their_centres_are_two_radii_apart),
        cmocka_unit_test(a_pass_is_missed_or_met_by_a_thousandth_of_a_radius),
        cmocka_unit_test(bodies_that_move_by_less_than_their_thickness_are_not_followed),
        cmocka_unit_test(beside_a_thick_body_a_thin_one_is_followed_by_its_own_thickness),
        cmocka_unit_test(a_rod_that_turns_meets_a_peg_at_its_angle_also_after_whole_turns),
        cmocka_unit_test(a_cubic_path_is_followed_and_not_its_chord),
        cmocka_unit_test(a_driven_plate_meets_a_point_in_its_way),
        cmocka_unit_test(a_plate_that_leaps_meets_a_point_however_short_its_leap),
        cmocka_unit_test(a_plate_that_comes_back_has_met_what_is_in_its_way),
        cmocka_unit_test(a_driven_paddle_meets_a_peg_at_its_angle),
        cmocka_unit_test(a_ball_that_slides_far_along_ground_is_looked_at_a_bounded_number_of_times),
        cmocka_unit_test(a_pair_that_touches_is_met_when_it_becomes_deep_and_not_when_it_leaves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
