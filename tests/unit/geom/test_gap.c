/* test_gap.c - gaps as functions of the poses: rate, second derivative, degenerate places. */
#include "poses.h"

enum { SAMPLES = 20000 };

/* a gap of one kind between random features, not degenerate */
static ss_gap random_gap(uint64_t *seed, ss_gap_kind kind, int dimension)
{
    ss_gap gap = { .kind = kind, .ea = 1, .eb = { 1, 1 }, .side = ss_random_uniform(seed) < 0.5 ? 1 : -1 };
    gap.swap = ss_random_uniform(seed) < 0.5;
    gap.a = pose_vector(seed, dimension, 1);
    gap.b = pose_vector(seed, dimension, 1);
    gap.da = ss_unit(pose_vector(seed, dimension, 1));
    gap.db = ss_unit(pose_vector(seed, dimension, 1));
    gap.ra = pose_uniform(seed, 0, 0.3);
    gap.rb = pose_uniform(seed, 0, 0.3);
    if (kind == SS_GAP_POINT_PLANE || kind == SS_GAP_CIRCLE_PLANE) {
        gap.tb = ss_unit(ss_cross(gap.db, ss_v3(0.3, 0.1, 0.9)));
    } else {
        gap.fallback = ss_v3(0, 1, 0);
    }
    return gap;
}

/* far enough from where the normal is not defined that differences of step 5e-4 see a smooth function */
static bool regular(const ss_gap *gap, const ss_frame *fa, const ss_frame *fb)
{
    ss_gap_value v;
    ss_gap_eval(gap, fa, fb, &v);
    if (gap->kind == SS_GAP_LINE_LINE) {
        const ss_frame *A = gap->swap ? fb : fa, *B = gap->swap ? fa : fb;
        return ss_norm(ss_cross(ss_rotate(A->R, gap->da), ss_rotate(B->R, gap->db))) > 0.3 && v.outside < 3;
    }
    if (gap->kind == SS_GAP_CIRCLE_PLANE) {
        const ss_frame *A = gap->swap ? fb : fa, *B = gap->swap ? fa : fb;
        return ss_norm(ss_cross(ss_rotate(A->R, gap->da), ss_rotate(B->R, gap->db))) > 0.3;
    }
    return gap->kind == SS_GAP_POINT_PLANE || v.gap + gap->ra + gap->rb > 0.3;
}

static double gap_at(const ss_gap *gap, const motion *a, const motion *b, double t)
{
    const ss_frame fa = pose_at(a, t), fb = pose_at(b, t);
    ss_gap_value v;
    ss_gap_eval(gap, &fa, &fb, &v);
    return v.gap;
}

static ss_vec3 point_at(const ss_gap *gap, const motion *a, const motion *b, double t)
{
    const ss_frame fa = pose_at(a, t), fb = pose_at(b, t);
    ss_gap_value v;
    ss_gap_eval(gap, &fa, &fb, &v);
    return v.point;
}

/* the velocity of the point against differences of sixth order */
static double point_rate_error(const ss_gap *gap, const motion *a, const motion *b)
{
    const double h = 1.0 / 2048, weight[3] = { 45, -9, 1 };
    ss_vec3 sum = { 0, 0, 0 };
    for (int k = 1; k <= 3; k++) {
        const ss_vec3 apart = ss_sub(point_at(gap, a, b, k * h), point_at(gap, a, b, -k * h));
        sum = ss_axpy(weight[k - 1] / (60 * h), apart, sum);
    }
    return ss_norm(ss_sub(ss_gap_point_rate(gap, &a->start, &b->start, a->twist, b->twist), sum));
}

static void check_point_rate(ss_gap_kind kind, int dimension)
{
    uint64_t seed = 31 + (uint64_t)kind;
    double worst = 0;
    for (int seen = 0; seen < SAMPLES / 10;) {
        const ss_gap gap = random_gap(&seed, kind, dimension);
        const motion a = pose_motion(&seed, dimension, 2), b = pose_motion(&seed, dimension, 2);
        if (regular(&gap, &a.start, &b.start)) {
            worst = fmax(worst, point_rate_error(&gap, &a, &b));
            seen++;
        }
    }
    /* h^6/140 = 1e-22 times seventh derivatives, up to 1e9 where the features are near; 2 ulp(4) / h = 4e-12 of rounding,
     * ten times that in the witnesses of lines that cross at an angle of 0.3 */
    CHECK_NEAR(worst, 0, 4e-11);
}

TEST(the_point_moves_with_the_rate_of_the_point)
{
    for (int kind = SS_GAP_POINT_PLANE; kind <= SS_GAP_CIRCLE_PLANE; kind++) {
        check_point_rate((ss_gap_kind)kind, 3);
    }
    check_point_rate(SS_GAP_POINT_PLANE, 2);
    check_point_rate(SS_GAP_POINT_POINT, 2);
}

static void check_derivatives(ss_gap_kind kind, int dimension)
{
    uint64_t seed = 11 + (uint64_t)kind;
    int seen = 0;
    while (seen < SAMPLES) {
        const ss_gap gap = random_gap(&seed, kind, dimension);
        const motion a = pose_motion(&seed, dimension, 2), b = pose_motion(&seed, dimension, 2);
        if (!regular(&gap, &a.start, &b.start)) {
            continue;
        }
        seen++;
        ss_gap_value v;
        ss_gap_eval(&gap, &a.start, &b.start, &v);
        const double h = 5e-4;
        double g[5];
        for (int i = 0; i < 5; i++) {
            g[i] = gap_at(&gap, &a, &b, (i - 2) * h);
        }
        /* differences of fourth order: h^4 times fifth and sixth derivatives (below 1e8 here) over 90, and rounding */
        const double first = (8 * (g[3] - g[1]) - (g[4] - g[0])) / (12 * h);
        const double second = (16 * (g[3] + g[1]) - (g[4] + g[0]) - 30 * g[2]) / (12 * h * h);
        CHECK_NEAR(pose_normal_rate(&v, &a.start, &b.start, a.twist, b.twist), first, 1e-7);
        CHECK_NEAR(ss_gap_curvature(&gap, &a.start, &b.start, a.twist, b.twist), second, 1e-6);
        CHECK_NEAR(ss_norm(v.normal), 1, 1e-14);
    }
}

TEST(normal_row_and_curvature_are_the_derivatives_of_the_gap_in_3d)
{
    check_derivatives(SS_GAP_POINT_PLANE, 3);
    check_derivatives(SS_GAP_POINT_POINT, 3);
    check_derivatives(SS_GAP_POINT_LINE, 3);
    check_derivatives(SS_GAP_LINE_LINE, 3);
}

TEST(normal_row_and_curvature_are_the_derivatives_of_the_gap_in_2d)
{
    check_derivatives(SS_GAP_POINT_PLANE, 2);
    check_derivatives(SS_GAP_POINT_POINT, 2);
}

TEST(exchanging_the_roles_turns_the_normal_and_keeps_the_rest)
{
    uint64_t seed = 5;
    for (int k = 0; k < SAMPLES; k++) {
        ss_gap gap = random_gap(&seed, (ss_gap_kind)(k % 4), 3);
        const ss_frame fa = pose_frame(&seed, 3, 2), fb = pose_frame(&seed, 3, 2);
        ss_gap_value v, w;
        ss_gap_eval(&gap, &fa, &fb, &v);
        gap.swap = !gap.swap;
        ss_gap_eval(&gap, &fb, &fa, &w);
        CHECK_NEAR(v.gap, w.gap, 0); /* the same arithmetic */
        CHECK_NEAR(ss_norm(ss_add(v.normal, w.normal)), 0, 0);
        CHECK_NEAR(ss_norm(ss_sub(v.point, w.point)), 0, 0);
    }
}

TEST(coincident_centres_use_the_fallback_and_stay_finite)
{
    const ss_frame f = pose_still(0, 0, 0);
    const ss_vec3 still[2] = { { 0, 0, 0 }, { 0, 0, 0 } }, spin[2] = { { 0, 0, 0 }, { 0, 0, 1 } };
    const ss_gap_kind kinds[] = { SS_GAP_POINT_POINT, SS_GAP_POINT_LINE, SS_GAP_LINE_LINE };
    for (int k = 0; k < 3; k++) {
        const ss_gap gap = { .kind = kinds[k],
                             .da = { 1, 0, 0 },
                             .db = { 1, 0, 0 },
                             .ea = 1,
                             .eb = { 1, 1 },
                             .side = 1,
                             .ra = 0.25,
                             .rb = 0.5,
                             .fallback = { 0, 1, 0 } };
        ss_gap_value v;
        ss_gap_eval(&gap, &f, &f, &v);
        CHECK_NEAR(v.gap, -0.75, 0);
        CHECK_NEAR(v.normal.y, 1, 0);
        CHECK(isfinite(ss_norm(v.point)));
        CHECK(isfinite(ss_gap_curvature(&gap, &f, &f, still, spin)));
        CHECK(isfinite(ss_norm(ss_gap_point_rate(&gap, &f, &f, still, spin))));
    }
}

TEST(a_gap_a_million_metres_away_keeps_its_digits)
{
    const ss_frame fa = pose_still(1e6, 1e6, 1e6), fb = pose_still(1e6, 1e6 - 1, 1e6);
    const ss_gap gap = { .kind = SS_GAP_POINT_POINT, .a = { 0, 0.1, 0 }, .b = { 0, 0.3, 0 }, .eb = { INFINITY, INFINITY } };
    ss_gap_value v;
    ss_gap_eval(&gap, &fa, &fb, &v);
    CHECK_NEAR(v.gap, 0.8, 1e-15); /* positions are exact here: only the offsets round */
}

TEST(outside_measures_how_far_the_witness_is_off_the_feature)
{
    const ss_frame f = pose_still(0, 0, 0);
    ss_gap gap = { .kind = SS_GAP_POINT_PLANE, .a = { 1.5, 0.2, 2.25 }, .db = { 0, 1, 0 }, .tb = { 1, 0, 0 }, .eb = { 1, 2 } };
    ss_gap_value v;
    ss_gap_eval(&gap, &f, &f, &v);
    CHECK_NEAR(v.outside, 0.5, 0);
    gap.kind = SS_GAP_POINT_LINE;
    gap.db = ss_v3(0, 0, 1);
    ss_gap_eval(&gap, &f, &f, &v);
    CHECK_NEAR(v.outside, 1.25, 0);
    gap = (ss_gap){
        .kind = SS_GAP_LINE_LINE, .a = { 1.5, 0.2, 0 }, .da = { 0, 0, 1 }, .db = { 1, 0, 0 }, .ea = 1, .eb = { 1, 0 }, .side = 1
    };
    ss_gap_eval(&gap, &f, &f, &v);
    CHECK_NEAR(v.outside, 0.5, 0);
    CHECK_NEAR(v.gap, 0.2, 1e-16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(normal_row_and_curvature_are_the_derivatives_of_the_gap_in_3d),
        cmocka_unit_test(normal_row_and_curvature_are_the_derivatives_of_the_gap_in_2d),
        cmocka_unit_test(the_point_moves_with_the_rate_of_the_point),
        cmocka_unit_test(exchanging_the_roles_turns_the_normal_and_keeps_the_rest),
        cmocka_unit_test(coincident_centres_use_the_fallback_and_stay_finite),
        cmocka_unit_test(a_gap_a_million_metres_away_keeps_its_digits),
        cmocka_unit_test(outside_measures_how_far_the_witness_is_off_the_feature),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
