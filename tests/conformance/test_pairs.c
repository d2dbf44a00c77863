/* test_pairs.c - what every cell of the pair table promises, along random paths of shapes that nearly touch.
 *
 *   continuity   the distance of the pair, the least gap of its manifold, moves by no more than the shapes do
 *   rows         the rate of a gap by its normal and witness point is the derivative of its value
 *   identity     a feature code found again after a short way belongs to the same gap
 *   exchange     (b, a) has the gaps of (a, b) with the normals reversed and the features exchanged
 *
 * at the origin, a million metres from it, and with one shape a million times the size of the other.
 *
 * Where the shapes overlap the distance is minus the depth, and there continuity holds to 6 % of the depth only: a face is
 * kept although an edge is up to 5 % better (pair_solids.c), and deep inside there is no one way out. Paths begin with an
 * overlap of at most a tenth of the thinner shape.
 *
 * A height field is not convex: what is below it may be near several faces, and beyond its border there is nothing. Its
 * pairs are held to continuity while they are apart.
 *
 * SLIPSTICK_FULL=1 takes 1e5 samples for every pair. */
#include "../unit/geom/poses.h"

enum { STEPS = 50 };

static const double dt = 2e-3, margin = 0.1;

typedef struct path {
    ss_shape a, b;
    motion ma, mb;
    double speed; /* of the fastest point of a against the fastest of b */
    double round; /* of positions                                       */
    double tol;   /* of lengths                                         */
} path;

static int paths(void) { return test_repeats(2000, 40, 40); }

/* ---- the distance along a path ------------------------------------------------------------------------- */

static ss_manifold manifold_within(const path *p, double t, double reach, ss_frame *fa, ss_frame *fb)
{
    ss_manifold m;
    *fa = pose_at(&p->ma, t);
    *fb = pose_at(&p->mb, t);
    ss_collide(&p->a, fa, &p->b, fb, reach, &m);
    return m;
}

static ss_manifold manifold_at(const path *p, double t, ss_frame *fa, ss_frame *fb)
{
    return manifold_within(p, t, margin, fa, fb);
}

static ss_gap_value least_gap(const ss_manifold *m, const ss_frame *fa, const ss_frame *fb)
{
    ss_gap_value best = { .gap = INFINITY };
    for (int k = 0; k < m->n; k++) {
        ss_gap_value v;
        ss_gap_eval(&m->gap[k], fa, fb, &v);
        if (v.gap < best.gap && v.outside <= 0) {
            best = v;
        }
    }
    return best;
}

static double distance_at(const path *p, double t)
{
    ss_frame fa, fb;
    const ss_manifold m = manifold_at(p, t, &fa, &fb);
    return least_gap(&m, &fa, &fb).gap;
}

/* ---- random paths -------------------------------------------------------------------------------------- */

/* the overlap or gap of the shapes becomes `target`, by moves along the normal of the least gap */
static void approach(path *p, double target)
{
    double left = INFINITY;
    for (int k = 0; k < 12 && fabs(left) > 1e-6; k++) {
        ss_frame fa, fb;
        const ss_manifold m = manifold_within(p, 0, 1e7, &fa, &fb);
        const ss_gap_value v = least_gap(&m, &fa, &fb);
        if (!isfinite(v.gap)) {
            return;
        }
        left = target - v.gap;
        p->ma.start.p = ss_axpy(left, v.normal, p->ma.start.p);
    }
}

static double thin(const path *p)
{
    const double a = ss_shape_thickness(&p->a), b = ss_shape_thickness(&p->b);
    const double least = a > 0 && b > 0 ? fmin(a, b) : fmax(a, b);
    return isfinite(least) ? least : 0.1;
}

typedef struct variant {
    double far, ratio;
} variant;

static path random_path(uint64_t *seed, int dimension, ss_shape_kind ka, ss_shape_kind kb, const variant *v)
{
    path p = { .a = pose_shape(seed, dimension, ka), .b = pose_scaled_shape(seed, dimension, kb, v->ratio) };
    p.ma = pose_motion(seed, dimension, 1);
    p.mb = pose_motion(seed, dimension, 1);
    /* the large one, and one that is nowhere near its origin, turns so slowly that it moves like the small one */
    p.mb.twist[1] = ss_scale(1 / v->ratio, p.mb.twist[1]);
    p.ma.twist[1] = ss_scale(isfinite(ss_shape_radius(&p.a)) ? 1 : 1 / v->ratio, p.ma.twist[1]);
    if (v->ratio > 1) {
        /* begin at the large one's surface: a start inside it would be deep */
        p.ma.start.p = ss_scale(2 * v->ratio, ss_unit(p.ma.start.p));
    }
    if (ka == SS_SHAPE_height_field || kb == SS_SHAPE_height_field) {
        /* above the middle: beyond the border, or below, there is nothing */
        const bool first = ka == SS_SHAPE_height_field;
        const ss_shape *field = first ? &p.a : &p.b, *other = first ? &p.b : &p.a;
        motion *low = first ? &p.ma : &p.mb, *high = first ? &p.mb : &p.ma;
        const ss_frame place = ss_frame_compose(low->start, field->local);
        const double up = 0.3 * v->ratio + ss_shape_radius(other);
        high->start.p = ss_axpy(up, dimension == 3 ? place.R.c[2] : place.R.c[1], place.p);
    }
    const ss_vec3 shift = ss_v3(v->far, -v->far, dimension == 3 ? v->far : 0);
    p.ma.start.p = ss_add(p.ma.start.p, shift);
    p.mb.start.p = ss_add(p.mb.start.p, shift);
    const double ra = ss_shape_radius(&p.a), rb = ss_shape_radius(&p.b);
    p.speed = ss_norm(ss_sub(p.ma.twist[0], p.mb.twist[0])) + ss_norm(p.ma.twist[1]) * ra;
    /* what is unbounded turns about a point near the other one */
    p.round = 1e-15 * (v->far + v->ratio);
    p.tol = 1e-9 + 20 * p.round;
    approach(&p, pose_uniform(seed, -0.1, 0.3) * thin(&p));
    const double reach = isfinite(rb) ? rb : ss_norm(ss_sub(p.ma.start.p, p.mb.start.p)) + ra + 1;
    p.speed += ss_norm(p.mb.twist[1]) * reach;
    return p;
}

/* ---- the four promises --------------------------------------------------------------------------------- */

/* 5 % of the overlap may come or go at once, see above */
static double allowed(const path *p, double d0, double d1, double h)
{
    return p->speed * h + p->tol + 0.06 * fmax(0, -fmin(d0, d1));
}

/* halve the interval towards the larger change, to tell a jump from a slope */
static void check_interval(const path *p, double t0, double d0, double t1, double d1)
{
    for (int k = 0; k < 30; k++) {
        const double t = 0.5 * (t0 + t1), d = distance_at(p, t);
        if (fabs(d - d0) > fabs(d1 - d)) {
            t1 = t;
            d1 = d;
        } else {
            t0 = t;
            d0 = d;
        }
    }
    CHECK_NEAR(d1, d0, allowed(p, d0, d1, t1 - t0));
}

static bool on_field(const path *p) { return p->a.kind == SS_SHAPE_height_field || p->b.kind == SS_SHAPE_height_field; }

/* is continuity promised between these distances? */
static bool smooth(const path *p, double d0, double d1)
{
    return !on_field(p) || (d0 > 0 && d1 > 0 && isfinite(d0) && isfinite(d1));
}

static void check_continuity(const path *p)
{
    double d[STEPS + 1], bend = -1;
    int sharpest = 0;
    for (int k = 0; k <= STEPS; k++) {
        d[k] = distance_at(p, k * dt);
        CHECK(isfinite(d[k]) || on_field(p));
        if (k > 0 && smooth(p, d[k - 1], d[k]) && fabs(d[k] - d[k - 1]) > bend) {
            bend = fabs(d[k] - d[k - 1]);
            sharpest = k;
        }
        if (k > 0 && smooth(p, d[k - 1], d[k])) {
            CHECK_NEAR(d[k], d[k - 1], allowed(p, d[k], d[k - 1], dt));
        }
    }
    if (sharpest > 0 && smooth(p, d[sharpest - 1], d[sharpest])) {
        check_interval(p, (sharpest - 1) * dt, d[sharpest - 1], sharpest * dt, d[sharpest]);
    }
}

/* fourth-order difference of a gap along the motions */
static double gap_rate(const ss_gap *gap, const path *p, double t, double h)
{
    double g[5] = { 0 };
    for (int i = 0; i < 5; i++) {
        const ss_frame fa = pose_at(&p->ma, t + (i - 2) * h), fb = pose_at(&p->mb, t + (i - 2) * h);
        ss_gap_value v;
        ss_gap_eval(gap, &fa, &fb, &v);
        g[i] = v.gap;
    }
    return (8 * (g[3] - g[1]) - (g[4] - g[0])) / (12 * h);
}

static int check_rows(const path *p, double t)
{
    ss_frame fa, fb;
    const ss_manifold m = manifold_at(p, t, &fa, &fb);
    const double h = 1e-5;
    int seen = 0;
    for (int k = 0; k < m.n; k++) {
        ss_gap_value v;
        ss_gap_eval(&m.gap[k], &fa, &fb, &v);
        /* where centres nearly coincide, or lines are near parallel, the gap bends within the step of the difference */
        if (fabs(ss_gap_curvature(&m.gap[k], &fa, &fb, p->ma.twist, p->mb.twist)) < 300) {
            const double rate = pose_normal_rate(&v, &fa, &fb, p->ma.twist, p->mb.twist);
            CHECK_NEAR(rate, gap_rate(&m.gap[k], p, t, h), 1e-6 + 4 * p->round / h);
            seen++;
        }
    }
    return seen;
}

static int find_feature(const ss_manifold *m, uint32_t code)
{
    for (int k = 0; k < m->n; k++) {
        if (m->feature[k] == code) {
            return k;
        }
    }
    return -1;
}

/* a code found at both ends of a short way: both gaps have the same value there. Witnesses of curved shapes are frozen
 * where they were found: they differ by second order. */
static int check_identity(const path *p, double t)
{
    const double h = 1e-6;
    ss_frame fa, fb, ga, gb;
    const ss_manifold m = manifold_at(p, t, &fa, &fb), w = manifold_at(p, t + h, &ga, &gb);
    int seen = 0;
    for (int k = 0; k < m.n; k++) {
        const int j = find_feature(&w, m.feature[k]);
        ss_gap_value old, now;
        ss_gap_eval(&m.gap[k], &ga, &gb, &old);
        if (j >= 0 && fabs(ss_gap_curvature(&m.gap[k], &fa, &fb, p->ma.twist, p->mb.twist)) < 300) {
            ss_gap_eval(&w.gap[j], &ga, &gb, &now);
            CHECK_NEAR(old.gap, now.gap, p->tol + 1e3 * h * h);
            seen++;
        }
    }
    return seen;
}

static uint32_t exchanged(uint32_t code) { return (code & 0xf0000000u) | (code & 0x3fffu) << 14 | (code >> 14 & 0x3fffu); }

static void check_exchange(const path *p, double t)
{
    ss_frame fa, fb;
    const ss_manifold m = manifold_at(p, t, &fa, &fb);
    ss_manifold w;
    ss_collide(&p->b, &fb, &p->a, &fa, margin, &w);
    CHECK(m.n == w.n);
    for (int k = 0; k < m.n; k++) {
        const int j = find_feature(&w, exchanged(m.feature[k]));
        CHECK(j >= 0);
        ss_gap_value v, u;
        ss_gap_eval(&m.gap[k], &fa, &fb, &v);
        ss_gap_eval(&w.gap[j], &fb, &fa, &u);
        CHECK_NEAR(v.gap, u.gap, p->tol);
        /* the normal of two lines is rounding over the sine between them, at least 1e-4 here */
        CHECK_NEAR(ss_norm(ss_add(v.normal, u.normal)), 0, 1e-9 + 1e2 * p->tol);
    }
}

/* the pair at work, for the message of a failure */
static struct pair {
    int dimension;
    ss_shape_kind a, b;
    bool done;
} now = { .done = true };

static int say_where(void **state)
{
    (void)state;
    if (!now.done) {
        print_message("in %dD, %s and %s\n", now.dimension, ss_shape_types[now.a]->info.name, ss_shape_types[now.b]->info.name);
    }
    now.done = true;
    return 0;
}

static void check_pair(int dimension, ss_shape_kind a, ss_shape_kind b, const variant *v, int count)
{
    uint64_t seed = 7 + 1000 * (uint64_t)dimension + 10 * (uint64_t)a + (uint64_t)b;
    int rows = 0, same = 0;
    now = (struct pair){ dimension, a, b, false };
    for (int k = 0; k < count; k++) {
        const path p = random_path(&seed, dimension, a, b, v);
        const double t = pose_uniform(&seed, 0, STEPS * dt);
        check_continuity(&p);
        rows += check_rows(&p, t);
        same += check_identity(&p, t);
        check_exchange(&p, t);
    }
    const bool field = a == SS_SHAPE_height_field || b == SS_SHAPE_height_field;
    CHECK(field || (rows > count / 2 && same > count / 2));
    now.done = true;
}

/* kinds that differ in size come in both orders; else each path checks both */
static void for_all_pairs(const variant *v, int count)
{
    for (int dimension = 2; dimension <= 3; dimension++) {
        for (ss_shape_kind a = 0; a < SS_SHAPE_KINDS; a++) {
            for (ss_shape_kind b = v->ratio == 1 ? a : 0; b < SS_SHAPE_KINDS; b++) {
                if (ss_can_collide(a, b) && pose_exists(a, dimension) && pose_exists(b, dimension)) {
                    check_pair(dimension, a, b, v, count);
                }
            }
        }
    }
}

TEST(every_pair_keeps_its_promises_along_random_paths)
{
    const variant v = { .far = 0, .ratio = 1 };
    for_all_pairs(&v, paths());
}

TEST(every_pair_keeps_its_promises_a_million_metres_away)
{
    const variant v = { .far = 1e6, .ratio = 1 };
    for_all_pairs(&v, paths() / 8);
}

TEST(every_pair_keeps_its_promises_at_a_size_ratio_of_a_million)
{
    const variant v = { .far = 0, .ratio = 1e6 };
    for_all_pairs(&v, paths() / 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(every_pair_keeps_its_promises_along_random_paths, say_where),
        cmocka_unit_test_teardown(every_pair_keeps_its_promises_a_million_metres_away, say_where),
        cmocka_unit_test_teardown(every_pair_keeps_its_promises_at_a_size_ratio_of_a_million, say_where),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
