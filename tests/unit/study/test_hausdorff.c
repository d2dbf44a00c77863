/* test_hausdorff.c - the distance of filled-in graphs against closed forms, invariants and an exhaustive search.
 *
 * The search is independent of the method: on a segment of A the distance to the polyline B is made of pieces of the
 * linear functions t - t_j, x - x_j (to the points of B) and the signed distance to the line of a segment of B, each with
 * either sign. Its maximum lies where two of these, or one and zero, are equal, or at an end. All such places are tried,
 * with the distance of a point to every segment of B. */
#include "base/base.h"
#include "study/hausdorff.h"
#include "test.h"
#include "unit/base/failing.h"

enum { LIMIT = 24 };

typedef struct polyline {
    int n;
    double t[LIMIT], x[LIMIT];
} polyline;

static ss_graph graph_of(const polyline *p) { return (ss_graph){ p->n, p->t, p->x, 1 }; }

static ss_hausdorff measure(const polyline *a, const polyline *b, double time_scale)
{
    ss_context *ctx = test_context();
    ss_graph ga = graph_of(a), gb = graph_of(b);
    ss_hausdorff h;
    CHECK_OK(ctx, ss_hausdorff_distance(ctx, &ga, &gb, time_scale, &h));
    ss_context_destroy(ctx);
    return h;
}

/* ---- exhaustive search ------------------------------------------------------------------------- */

typedef struct line {
    double at0, at1; /* values at the ends of a segment */
} line;

/* of a point to a segment: the least of max(|s - t|, |y - x|), which is convex along it, is at a kink */
static double to_segment(double t, double x, double t0, double x0, double t1, double x1)
{
    double dt = t1 - t0, dx = x1 - x0, best = INFINITY;
    const double kinks[6] = { 0,
                              1,
                              dt != 0 ? (t - t0) / dt : 0,
                              dx != 0 ? (x - x0) / dx : 0,
                              dt != dx ? ((t - t0) - (x - x0)) / (dt - dx) : 0,
                              dt != -dx ? ((t - t0) + (x - x0)) / (dt + dx) : 0 };
    for (int k = 0; k < 6; k++) {
        double u = fmin(fmax(kinks[k], 0), 1);
        best = fmin(best, fmax(fabs(t0 + u * dt - t), fabs(x0 + u * dx - x)));
    }
    return best;
}

static double to_polyline(double t, double x, const polyline *b)
{
    double best = fmax(fabs(t - b->t[0]), fabs(x - b->x[0]));
    for (int j = 0; j + 1 < b->n; j++) {
        best = fmin(best, to_segment(t, x, b->t[j], b->x[j], b->t[j + 1], b->x[j + 1]));
    }
    return best;
}

/* the linear functions along segment i of a */
static int functions_along(const polyline *a, int i, const polyline *b, line *f)
{
    double t0 = a->t[i], t1 = a->t[i + 1], x0 = a->x[i], x1 = a->x[i + 1];
    int count = 0;
    f[count++] = (line){ 0, 0 };
    for (int j = 0; j < b->n; j++) {
        f[count++] = (line){ t0 - b->t[j], t1 - b->t[j] };
        f[count++] = (line){ x0 - b->x[j], x1 - b->x[j] };
    }
    for (int j = 0; j + 1 < b->n; j++) {
        double dt = b->t[j + 1] - b->t[j], dx = b->x[j + 1] - b->x[j], size = fabs(dt) + fabs(dx);
        if (size > 0) {
            f[count++] =
                (line){ (dt * (x0 - b->x[j]) - dx * (t0 - b->t[j])) / size, (dt * (x1 - b->x[j]) - dx * (t1 - b->t[j])) / size };
        }
    }
    return count;
}

static double along_segment(const polyline *a, int i, const polyline *b, double u)
{
    return to_polyline(a->t[i] + u * (a->t[i + 1] - a->t[i]), a->x[i] + u * (a->x[i + 1] - a->x[i]), b);
}

static double farthest(const polyline *a, const polyline *b)
{
    double most = to_polyline(a->t[0], a->x[0], b);
    for (int i = 0; i + 1 < a->n; i++) {
        line f[3 * LIMIT];
        int count = functions_along(a, i, b, f);
        most = fmax(most, along_segment(a, i, b, 1));
        for (int j = 0; j < count; j++) {
            for (int k = 0; k < 2 * j; k++) {
                double sign = k < j ? 1 : -1, d0 = f[j].at0 - sign * f[k % j].at0, d1 = f[j].at1 - sign * f[k % j].at1;
                if ((d0 < 0) != (d1 < 0)) {
                    most = fmax(most, along_segment(a, i, b, d0 / (d0 - d1)));
                }
            }
        }
    }
    return most;
}

static double search(const polyline *a, const polyline *b) { return fmax(farthest(a, b), farthest(b, a)); }

/* ---- random graphs ----------------------------------------------------------------------------- */

/* on a grid, ties and flat pieces are frequent; a third of the steps in time are jumps */
static polyline random_polyline(uint64_t *state, int n, double amplitude, bool grid)
{
    polyline p = { .n = n };
    double t = ss_random_uniform(state);
    for (int k = 0; k < n; k++) {
        double step = ss_random_uniform(state) < 0.33 ? 0 : 4 * ss_random_uniform(state) / n;
        t += grid ? 0.25 * floor(8 * step) : step;
        double x = amplitude * (2 * ss_random_uniform(state) - 1);
        p.t[k] = t;
        p.x[k] = grid ? 0.25 * floor(4 * x) : x;
    }
    return p;
}

static int trials(int normal) { return test_repeats(20 * normal, normal, normal / 4); }

/* coordinates of size 4 and a few dozen roundings: 1e-12 leaves a factor of 100 */
static void compare_with_search(double amplitude, bool grid, uint64_t seed)
{
    uint64_t state = seed;
    for (int k = 0; k < trials(400); k++) {
        polyline a = random_polyline(&state, 1 + (int)(7 * ss_random_uniform(&state)), amplitude, grid);
        polyline b = random_polyline(&state, 1 + (int)(7 * ss_random_uniform(&state)), amplitude, grid);
        CHECK_NEAR(measure(&a, &b, 1).distance, search(&a, &b), 1e-12);
    }
}

TEST(random_graphs_with_jumps_agree_with_the_exhaustive_search) { compare_with_search(2, false, 1); }

TEST(graphs_on_a_grid_with_ties_agree_with_the_exhaustive_search) { compare_with_search(2, true, 2); }

TEST(flat_graphs_agree_with_the_exhaustive_search) { compare_with_search(0.05, false, 3); }

TEST(steep_graphs_agree_with_the_exhaustive_search) { compare_with_search(40, false, 4); }

TEST(one_line_against_many_points_agrees_with_the_exhaustive_search)
{
    uint64_t state = 5;
    for (int k = 0; k < trials(100); k++) {
        polyline a = random_polyline(&state, 2, 1, false), b = random_polyline(&state, 20, 1, false);
        CHECK_NEAR(measure(&a, &b, 1).distance, search(&a, &b), 1e-12);
        CHECK_NEAR(measure(&b, &a, 1).distance, search(&a, &b), 1e-12);
    }
}

/* ---- closed forms ------------------------------------------------------------------------------ */

TEST(a_late_jump_is_as_far_as_it_is_late)
{
    /* in the maximum norm these differ by 1 for every delay */
    polyline a = { 4, { 0, 1, 1, 2 }, { 0, 0, 1, 1 } };
    for (int k = 1; k < 40; k++) {
        double delay = ldexp(0.75, -k);
        polyline b = { 4, { 0, 1 + delay, 1 + delay, 2 }, { 0, 0, 1, 1 } };
        CHECK_NEAR(measure(&a, &b, 1).distance, delay, 1e-15); /* a unit in the last place of 2 is 4e-16 */
        CHECK_NEAR(measure(&a, &b, 0.25).distance, delay / 4, 1e-15);
        CHECK_NEAR(measure(&a, &b, 1).t, 1, delay);
    }
}

TEST(a_raised_line_is_nearer_than_it_is_raised_except_at_its_ends)
{
    /* x = t / 2 raised by 3/4: away from the ends r = 3/4 - r/2, r = 1/2; the first point has nothing to its left */
    polyline a = { 2, { 0, 4 }, { 0, 2 } }, b = { 2, { 0, 4 }, { 0.75, 2.75 } };
    CHECK(measure(&a, &b, 1).distance == 0.75);
    polyline low = { 3, { 0, 0, 4 }, { 0, 0.75, 2.75 } }, high = { 3, { 0, 4, 4 }, { 0, 2, 2.75 } }; /* ends made to meet */
    CHECK_NEAR(measure(&low, &high, 1).distance, 0.5, 1e-15);
}

TEST(the_farthest_point_may_lie_inside_a_segment)
{
    /* the valley -1 + 2 |t| under the line 0 with two spikes down to -1: in the middle of the line, where it has no point,
     * r = 0 - (-1 + 2 r) gives 1/3; the spikes keep the valley's own points within 1/5 of the line */
    polyline valley = { 3, { -0.5, 0, 0.5 }, { 0, -1, 0 } };
    polyline spikes = { 8, { -0.5, -0.2, -0.2, -0.2, 0.2, 0.2, 0.2, 0.5 }, { 0, 0, -1, 0, 0, -1, 0, 0 } };
    CHECK_NEAR(measure(&spikes, &valley, 1).distance, 1.0 / 3, 1e-15);
    CHECK_NEAR(measure(&valley, &spikes, 1).distance, 1.0 / 3, 1e-15);
    CHECK_NEAR(search(&spikes, &valley), 1.0 / 3, 1e-15);
}

TEST(a_graph_has_no_distance_from_itself_however_it_is_sampled)
{
    polyline a = { 4, { 0, 1, 1, 3 }, { 0, 1, -1, 1 } },
             b = { 8, { 0, 0.25, 1, 1, 1, 1.5, 2, 3 }, { 0, 0.25, 1, 0.5, -1, -0.5, 0, 1 } };
    CHECK(measure(&a, &a, 1).distance == 0);
    CHECK(measure(&a, &b, 1).distance == 0); /* all of these are exact in binary */
}

TEST(what_sticks_out_in_time_counts)
{
    polyline a = { 2, { 0, 5 }, { 0, 0 } }, b = { 2, { 0, 3 }, { 0, 0 } }, dot = { 1, { 2 }, { 0.5 } };
    CHECK(measure(&a, &b, 1).distance == 2 && measure(&b, &a, 1).distance == 2);
    CHECK(measure(&a, &dot, 1).distance == 3);
    CHECK(measure(&dot, &dot, 1).distance == 0);
}

/* ---- invariants -------------------------------------------------------------------------------- */

TEST(the_distance_is_symmetric_and_obeys_the_triangle_inequality)
{
    uint64_t state = 6;
    for (int k = 0; k < 300; k++) {
        polyline a = random_polyline(&state, 9, 1, k % 2), b = random_polyline(&state, 5, 1, k % 2),
                 c = random_polyline(&state, 12, 1, k % 2);
        double ab = measure(&a, &b, 1).distance, bc = measure(&b, &c, 1).distance, ac = measure(&a, &c, 1).distance;
        CHECK(measure(&b, &a, 1).distance == ab);
        CHECK(ac <= (ab + bc) * (1 + 1e-14)); /* round-off */
    }
}

TEST(units_of_time_and_value_drop_out)
{
    uint64_t state = 7;
    for (int k = 0; k < 100; k++) {
        polyline a = random_polyline(&state, 9, 1, false), b = random_polyline(&state, 7, 1, false);
        double plain = measure(&a, &b, 1).distance;
        for (int i = 0; i < LIMIT; i++) {
            a.t[i] *= 1024, b.t[i] *= 1024, a.x[i] *= 0x1p-200, b.x[i] *= 0x1p-200;
        }
        CHECK_NEAR(measure(&a, &b, 0x1p-210).distance, plain * 0x1p-200, 1e-15 * 0x1p-200); /* powers of two are exact */
    }
}

TEST(far_from_the_origin_the_distance_is_lost_only_to_round_off)
{
    uint64_t state = 8;
    for (int k = 0; k < 100; k++) {
        polyline a = random_polyline(&state, 9, 1, false), b = random_polyline(&state, 7, 1, false);
        double plain = measure(&a, &b, 1).distance;
        for (int i = 0; i < LIMIT; i++) {
            a.x[i] += 1e6, b.x[i] += 1e6;
        }
        CHECK_NEAR(measure(&a, &b, 1).distance, plain, 1e-9); /* the coordinates are rounded by 1e-10 */
    }
}

/* ---- size, input, memory ----------------------------------------------------------------------- */

/* steep teeth: the nearest point of a late copy is to the side, as far as it is late */
TEST(long_graphs_take_seconds_at_most)
{
    enum { N = 200000 };
    ss_context *ctx = test_context();
    double *t = calloc(2 * N, sizeof *t), *x = calloc(2 * N, sizeof *x);
    const double delay = 0.001;
    for (int k = 0; k < N; k++) {
        t[k] = 1e-4 * k, t[N + k] = t[k] + delay;
        x[k] = x[N + k] = 50 * fmod(t[k], 1);
    }
    ss_graph a = { N, t, x, 1 }, b = { N, t + N, x + N, 1 };
    ss_hausdorff h;
    double start = ss_clock_seconds();
    CHECK_OK(ctx, ss_hausdorff_distance(ctx, &a, &b, 1, &h));
    CHECK(ss_clock_seconds() - start < 20); /* a fraction of a second; the square of N would take minutes */
    CHECK_NEAR(h.distance, delay, 1e-12);
    free(t);
    free(x);
    ss_context_destroy(ctx);
}

TEST(bad_graphs_are_refused_with_their_place)
{
    ss_context *ctx = test_context();
    const double t[] = { 0, 1, 0.5 }, x[] = { 0, NAN, 1 }, huge[] = { 0, 1e308, -1e308 }, fine[] = { 1, 2, 3 };
    ss_graph good = { 2, t, fine, 1 }, nan = { 2, t, x, 1 }, back = { 3, t, fine, 1 }, none = { 0, t, x, 1 },
             big = { 2, t, huge, 1 };
    ss_hausdorff h;
    CHECK_FAILS(ctx, ss_hausdorff_distance(ctx, &good, &nan, 1, &h), SS_ERR_INPUT, "reference: point 1");
    CHECK_FAILS(ctx, ss_hausdorff_distance(ctx, &back, &good, 1, &h), SS_ERR_INPUT, "trajectory: time goes back from 1");
    CHECK_FAILS(ctx, ss_hausdorff_distance(ctx, &good, &none, 1, &h), SS_ERR_INPUT, "0 points");
    CHECK_FAILS(ctx, ss_hausdorff_distance(ctx, &good, &big, 1, &h), SS_ERR_INPUT, "too large");
    CHECK_FAILS(ctx, ss_hausdorff_distance(ctx, &good, &good, 0, &h), SS_ERR_INPUT, "time_scale: expected a number > 0, got 0");
    CHECK_FAILS(ctx, ss_hausdorff_distance(ctx, &good, &good, NAN, &h), SS_ERR_INPUT,
                "time_scale: expected a number > 0, got nan");
    ss_context_destroy(ctx);
}

static ss_status use_memory(ss_context *ctx)
{
    polyline a = { 2, { 0, 1 }, { 0, 1 } };
    ss_graph g = graph_of(&a);
    ss_hausdorff h;
    return ss_hausdorff_distance(ctx, &g, &g, 1, &h);
}

TEST(refused_memory_is_reported_and_given_back) { CHECK(fail_at_every_request(use_memory) > 2); }

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_graphs_with_jumps_agree_with_the_exhaustive_search),
        cmocka_unit_test(graphs_on_a_grid_with_ties_agree_with_the_exhaustive_search),
        cmocka_unit_test(flat_graphs_agree_with_the_exhaustive_search),
        cmocka_unit_test(steep_graphs_agree_with_the_exhaustive_search),
        cmocka_unit_test(one_line_against_many_points_agrees_with_the_exhaustive_search),
        cmocka_unit_test(a_late_jump_is_as_far_as_it_is_late),
        cmocka_unit_test(a_raised_line_is_nearer_than_it_is_raised_except_at_its_ends),
        cmocka_unit_test(the_farthest_point_may_lie_inside_a_segment),
        cmocka_unit_test(a_graph_has_no_distance_from_itself_however_it_is_sampled),
        cmocka_unit_test(what_sticks_out_in_time_counts),
        cmocka_unit_test(the_distance_is_symmetric_and_obeys_the_triangle_inequality),
        cmocka_unit_test(units_of_time_and_value_drop_out),
        cmocka_unit_test(far_from_the_origin_the_distance_is_lost_only_to_round_off),
        cmocka_unit_test(long_graphs_take_seconds_at_most),
        cmocka_unit_test(bad_graphs_are_refused_with_their_place),
        cmocka_unit_test(refused_memory_is_reported_and_given_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
