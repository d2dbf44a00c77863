/* test_converge.c - errors against closed forms, orders, distances of graphs, studies, lists.
 *
 * The ball of ball_scene.h before its first impact, by semi-implicit Euler: y_n - y(t_n) = -t_n h for n >= 1, where y is
 * 1 - t^2, and v has no error. All norms of it are sums that can be written down. */
#include "study/reference.h"
#include "unit/base/failing.h"
#include "unit/study/ball_study.h"

/* ---- errors ------------------------------------------------------------------------------------------ */

TEST(norms_of_a_falling_ball_are_their_sums)
{
    ss_context *ctx = test_context();
    const ss_norm_kind norms[] = { SS_NORM_FINAL, SS_NORM_L1, SS_NORM_L2, SS_NORM_MAX };
    for (int k = 0; k < 4; k++) {
        ss_converge_options o = ball_options(0.75, norms[k], SS_QUANTITY_Q);
        ss_convergence *c = measure(ctx, &o);
        for (int i = 0; i < 3; i++) {
            const ss_converge_row *row = &c->scheme[0].row[i];
            CHECK_NEAR(row->error, closed_form(norms[k], steps[i], 0.75), 1e-14); /* round-off of 24 steps of 1 m */
            CHECK(row->steps == (int64_t)round(0.75 / steps[i]) && row->unconverged_steps == 0 && !row->round_off);
        }
        ss_convergence_destroy(c);
    }
    ss_context_destroy(ctx);
}

TEST(orders_follow_from_ratios_and_the_fit_is_theirs)
{
    ss_context *ctx = test_context();
    ss_converge_options o = ball_options(0.75, SS_NORM_FINAL, SS_QUANTITY_Q);
    ss_convergence *c = measure(ctx, &o);
    const ss_converge_row *row = c->scheme[0].row;
    CHECK(isnan(row[0].ratio) && isnan(row[0].order));
    for (int k = 1; k < 3; k++) {
        CHECK_NEAR(row[k].ratio, 2, 1e-11);
        CHECK_NEAR(row[k].order, 1, 1e-11);
    }
    CHECK_NEAR(c->scheme[0].order, 1, 1e-11);
    CHECK(strcmp(c->reference, "exact") == 0 && strcmp(c->exact, "bouncing_ball") == 0 && strcmp(c->unit, "m") == 0);
    ss_convergence_destroy(c);
    ss_context_destroy(ctx);
}

/* an error of t h = 8e-6 m .. 3e-5 m beside a coordinate of 1e9 m that is exact: 1e-14 of it, but no rounding */
TEST(errors_far_from_the_origin_are_not_taken_for_round_off)
{
    ss_context *ctx = test_context();
    ss_converge_options o = ball_options(0x1p-7, SS_NORM_FINAL, SS_QUANTITY_Q);
    o.value = (const double[]){ 0x1p-8, 0x1p-9, 0x1p-10 };
    o.base.set = (const char *[]){ "bodies.ball.position=[1e9,1]" };
    o.base.sets = 1;
    ss_convergence *c = measure(ctx, &o);
    for (int k = 0; k < 3; k++) {
        CHECK_NEAR(c->scheme[0].row[k].error, 0x1p-7 * o.value[k], 1e-14);
        CHECK(!c->scheme[0].row[k].round_off);
    }
    CHECK_NEAR(c->scheme[0].order, 1, 1e-8);
    ss_convergence_destroy(c);
    ss_context_destroy(ctx);
}

TEST(errors_at_round_off_have_no_order)
{
    ss_context *ctx = test_context();
    ss_converge_options o = ball_options(0.75, SS_NORM_MAX, SS_QUANTITY_V);
    ss_convergence *c = measure(ctx, &o);
    for (int k = 0; k < 3; k++) {
        CHECK(c->scheme[0].row[k].round_off && isnan(c->scheme[0].row[k].order));
    }
    CHECK(isnan(c->scheme[0].order));
    ss_convergence_destroy(c);
    ss_context_destroy(ctx);
}

/* ---- Hausdorff --------------------------------------------------------------------------------------- */

enum { POINTS = 16384 };

typedef struct curve {
    int n;
    double t[POINTS], x[POINTS];
} curve;

static void add(curve *c, double t, double x)
{
    CHECK(c->n < POINTS);
    c->t[c->n] = t;
    c->x[c->n++] = x;
}

/* from the last point in n points, a straight line */
static void add_line(curve *c, double t, double x, int n)
{
    double t0 = c->t[c->n - 1], x0 = c->x[c->n - 1];
    for (int k = 1; k <= n; k++) {
        add(c, t0 + (t - t0) * k / n, x0 + (x - x0) * k / n);
    }
}

/* from the origin to the segment from p to q: max(|t|, |x|) is least at an end, on an axis or on a diagonal */
static double to_segment(const double *p, const double *q)
{
    const double directions[4][2] = { { 1, 0 }, { 0, 1 }, { 1, 1 }, { 1, -1 } };
    double least = fmin(fmax(fabs(p[0]), fabs(p[1])), fmax(fabs(q[0]), fabs(q[1])));
    for (int k = 0; k < 4; k++) {
        const double *d = directions[k];
        double a = d[0] * p[0] + d[1] * p[1], b = d[0] * q[0] + d[1] * q[1];
        if (a * b < 0) {
            double s = a / (a - b);
            least = fmin(least, fmax(fabs((1 - s) * p[0] + s * q[0]), fabs((1 - s) * p[1] + s * q[1])));
        }
    }
    return least;
}

/* the largest distance of a point of a from the segments of b */
static double one_sided(const curve *a, const curve *b)
{
    double most = 0;
    for (int i = 0; i < a->n; i++) {
        double least = INFINITY;
        for (int j = 1; j < b->n && least > most; j++) {
            double p[2] = { b->t[j - 1] - a->t[i], b->x[j - 1] - a->x[i] }, q[2] = { b->t[j] - a->t[i], b->x[j] - a->x[i] };
            least = fmin(least, to_segment(p, q));
        }
        most = fmax(most, least);
    }
    return most;
}

/* the ball's height or velocity until t = 1.5: -2 t, from t = 1 on 1 - 2 (t - 1) */
static void draw_exact(ss_quantity quantity, curve *c)
{
    enum { N = 4000 };
    for (int k = 0; k <= N; k++) {
        double t = 1.5 * k / N, s = t - 1;
        if (k > 0 && t >= 1 && 1.5 * (k - 1) / N < 1 && quantity == SS_QUANTITY_V) {
            add(c, 1, -2);
            add_line(c, 1, 1, N);
        }
        add(c, t, quantity == SS_QUANTITY_V ? (s < 0 ? -2 * t : 1 - 2 * s) : (s < 0 ? 1 - t * t : s - s * s));
    }
}

static void draw_run(const ss_trajectory *run, ss_quantity quantity, curve *c)
{
    const double *x = quantity == SS_QUANTITY_V ? run->v : run->q;
    add(c, run->t[0], x[1]);
    for (int k = 1; k < run->n; k++) {
        add_line(c, run->t[k], x[2 * k + 1], run->t[k] > run->t[k - 1] ? 400 : 4000);
    }
}

TEST(hausdorff_distances_are_those_of_a_search_over_points_of_both_graphs)
{
    ss_context *ctx = test_context();
    for (int quantity = 0; quantity < SS_QUANTITIES; quantity++) {
        ss_converge_options o = ball_options(1.5, SS_NORM_HAUSDORFF, (ss_quantity)quantity);
        o.values = 1;
        ss_convergence *c = measure(ctx, &o);
        ss_study_case same = o.base;
        same.step = steps[0];
        ss_trajectory *run;
        curve *exact = calloc(1, sizeof *exact), *ours = calloc(1, sizeof *ours);
        CHECK(exact && ours);
        CHECK_OK(ctx, ss_trajectory_run(ctx, &same, &run, NULL));
        draw_exact((ss_quantity)quantity, exact);
        draw_run(run, (ss_quantity)quantity, ours);
        double searched = fmax(one_sided(exact, ours), one_sided(ours, exact));
        /* points are at most 1e-3 apart, so none is further than half of that from the farthest; the reference is drawn to a
         * hundredth */
        CHECK_NEAR(c->scheme[0].row[0].error, searched, 5e-4 + 0.01 * searched);
        CHECK(searched > 0.03);
        free(exact);
        free(ours);
        ss_trajectory_destroy(run);
        ss_convergence_destroy(c);
    }
    ss_context_destroy(ctx);
}

TEST(an_exact_reference_is_drawn_as_finely_as_asked)
{
    ss_context *ctx = test_context();
    ss_converge_options o = ball_options(3.5, SS_NORM_HAUSDORFF, SS_QUANTITY_Q);
    ss_reference *r;
    CHECK_OK(ctx, ss_reference_create(ctx, &o.base, NULL, SS_QUANTITY_Q, &r));
    int before = 0;
    for (double accuracy = 1e-4; accuracy > 1e-9; accuracy *= 0.01) {
        ss_reference_graph g;
        CHECK_OK(ctx, ss_reference_draw(r, accuracy, &g));
        CHECK(g.accuracy <= accuracy && g.n > before);
        before = g.n;
        const ss_graph y = { g.n, g.t, g.x + 1, 2 };
        CHECK_OK(ctx, ss_graph_check(ctx, &y, "y"));
        for (int k = 0; k < 1000; k++) {
            double t = 3.5 * (k + 0.5) / 1000, drawn, exact[2];
            CHECK_OK(ctx, ss_graph_sample(ctx, &y, 1, &t, &drawn));
            CHECK_OK(ctx, ss_reference_at(r, 1, &t, exact));
            CHECK_NEAR(drawn, exact[1], accuracy);
        }
    }
    ss_reference_destroy(r);
    ss_context_destroy(ctx);
}

/* ---- studies ------------------------------------------------------------------------------------------ */

TEST(bad_studies_are_refused_before_the_first_run)
{
    ss_context *ctx = test_context();
    ss_convergence *c;
    ss_converge_options o = ball_options(0.75, SS_NORM_FINAL, SS_QUANTITY_Q);
    o.values = 0;
    CHECK_FAILS(ctx, ss_converge(ctx, &o, &c), SS_ERR_INPUT, "the list of steps is empty");
    o.values = 3;
    o.value = (double[]){ 0.25, 0.125, 0.1 };
    CHECK_FAILS(ctx, ss_converge(ctx, &o, &c), SS_ERR_INPUT, "0.1 s does not divide the interval of 0.75 s: 7.5 steps");
    o.value = (double[]){ 0.25, NAN, 0.1 };
    CHECK_FAILS(ctx, ss_converge(ctx, &o, &c), SS_ERR_INPUT, "step 2");
    o.value = steps;
    o.tolerances = true;
    o.value = (double[]){ 1, 0.1, 0.01 };
    CHECK_FAILS(ctx, ss_converge(ctx, &o, &c), SS_ERR_INPUT, "time.tol");
    o.value = steps;
    o.tolerances = false;
    o.schemes = 1;
    o.scheme = (const char *[]){ "anitescu_potr" };
    CHECK_FAILS(ctx, ss_converge(ctx, &o, &c), SS_ERR_INPUT, "anitescu_potra");
    ss_context_destroy(ctx);
}

typedef struct watch {
    volatile int stop;
    double last;
    bool fell;
} watch;

static void stop_halfway(void *user, const char *what, double part)
{
    watch *w = user;
    CHECK(strstr(what, "h = ") != NULL);
    w->fell = w->fell || part < w->last;
    w->last = part;
    w->stop = part > 0.3;
}

TEST(an_interrupted_study_keeps_its_finished_rows)
{
    ss_context *ctx = test_context();
    watch w = { 0 };
    ss_converge_options o = ball_options(0.75, SS_NORM_FINAL, SS_QUANTITY_Q);
    o.base.watch.interrupt = &w.stop;
    o.base.watch.progress = stop_halfway;
    o.base.watch.user = &w;
    ss_convergence *c;
    CHECK_FAILS(ctx, ss_converge(ctx, &o, &c), SS_ERR_INTERRUPTED, "interrupted");
    /* the steps take 1/7, 2/7 and 4/7 of the work */
    CHECK(c && c->scheme[0].rows == 1 && !w.fell);
    ss_convergence_destroy(c);
    ss_context_destroy(ctx);
}

TEST(json_has_null_where_there_is_no_number)
{
    ss_context *ctx = test_context();
    ss_converge_options o = ball_options(0.75, SS_NORM_FINAL, SS_QUANTITY_Q);
    ss_convergence *c = measure(ctx, &o);
    char *text;
    CHECK_OK(ctx, ss_convergence_to_json(c, &text));
    CHECK(strstr(text, "\"ratio\": null") && strstr(text, "\"h\": 0.125") && strstr(text, "\"multiplier_evals\": 6"));
    ss_blob_free(ctx, text);
    CHECK_FAILS(ctx, ss_convergence_write_csv(c, "/nowhere/a.csv"), SS_ERR_IO, "/nowhere/a.csv: cannot be written");
    CHECK_FAILS(ctx, ss_convergence_plot(c, "/nowhere/a.svg"), SS_ERR_IO, "/nowhere/a.svg: cannot be opened");
    ss_convergence_destroy(c);
    ss_context_destroy(ctx);
}

static ss_status study_once(ss_context *ctx)
{
    ss_converge_options o = ball_options(1.5, SS_NORM_HAUSDORFF, SS_QUANTITY_V);
    ss_convergence *c;
    o.values = 1;
    ss_status status = ss_converge(ctx, &o, &c);
    ss_convergence_destroy(c);
    return status;
}

TEST(memory_that_is_refused_leaves_nothing_behind) { CHECK(fail_at_every_request(study_once) > 50); }

/* ---- lists -------------------------------------------------------------------------------------------- */

TEST(lists_are_numbers_or_halvings)
{
    ss_context *ctx = test_context();
    int n;
    double *x;
    CHECK_OK(ctx, ss_list_parse(ctx, "5/27:5/1728", &n, &x));
    CHECK(n == 7 && x[0] == 5.0 / 27);
    CHECK_NEAR(x[6], 5.0 / 1728, 1e-17);
    ss_blob_free(ctx, x);
    CHECK_OK(ctx, ss_list_parse(ctx, "1e-2, 2^-5,sqrt(4)", &n, &x));
    CHECK(n == 3 && x[0] == 1e-2 && x[1] == 0x1p-5 && x[2] == 2);
    ss_blob_free(ctx, x);
    CHECK_OK(ctx, ss_list_parse(ctx, "0.5:0.5", &n, &x));
    CHECK(n == 1 && x[0] == 0.5);
    ss_blob_free(ctx, x);
    ss_context_destroy(ctx);
}

TEST(bad_lists_are_refused)
{
    ss_context *ctx = test_context();
    const char *bad[][2] = { { "", "empty list" },     { "  ", "empty list" },  { "1,,2", "empty place" },
                             { "1,", "empty place" },  { ":1", "empty place" }, { "1:", "empty place" },
                             { "0", "> 0" },           { "1,-2", "> 0" },       { "1/0", "\"1/0\"" },
                             { "1:2", "larger than" }, { "1:0.3", "nearest" },  { "1:2^-70", "at most 60" },
                             { "1:1/2:1/4", "list" },  { "one,two", "list" } };
    int n;
    double *x;
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        CHECK_FAILS(ctx, ss_list_parse(ctx, bad[k][0], &n, &x), SS_ERR_INPUT, bad[k][1]);
        CHECK(n == 0 && x == NULL);
    }
    char many[200];
    memset(many, '1', sizeof many);
    for (size_t k = 1; k < sizeof many; k += 2) {
        many[k] = ',';
    }
    many[sizeof many - 1] = '\0';
    CHECK_FAILS(ctx, ss_list_parse(ctx, many, &n, &x), SS_ERR_INPUT, "more than 60");
    ss_context_destroy(ctx);
}

TEST(norms_and_quantities_have_names)
{
    ss_context *ctx = test_context();
    ss_norm_kind norm;
    ss_quantity quantity;
    for (int k = 0; k < SS_NORMS; k++) {
        CHECK_OK(ctx, ss_norm_parse(ctx, ss_norm_name((ss_norm_kind)k), &norm));
        CHECK((int)norm == k);
    }
    for (int k = 0; k < SS_QUANTITIES; k++) {
        CHECK_OK(ctx, ss_quantity_parse(ctx, ss_quantity_name((ss_quantity)k), &quantity));
        CHECK((int)quantity == k);
    }
    CHECK_FAILS(ctx, ss_norm_parse(ctx, "hausdorf", &norm), SS_ERR_INPUT, "did you mean \"hausdorff\"");
    CHECK_FAILS(ctx, ss_quantity_parse(ctx, "energy", &quantity), SS_ERR_INPUT, "valid: q, v");
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(norms_of_a_falling_ball_are_their_sums),
        cmocka_unit_test(orders_follow_from_ratios_and_the_fit_is_theirs),
        cmocka_unit_test(errors_far_from_the_origin_are_not_taken_for_round_off),
        cmocka_unit_test(errors_at_round_off_have_no_order),
        cmocka_unit_test(hausdorff_distances_are_those_of_a_search_over_points_of_both_graphs),
        cmocka_unit_test(an_exact_reference_is_drawn_as_finely_as_asked),
        cmocka_unit_test(bad_studies_are_refused_before_the_first_run),
        cmocka_unit_test(an_interrupted_study_keeps_its_finished_rows),
        cmocka_unit_test(json_has_null_where_there_is_no_number),
        cmocka_unit_test(memory_that_is_refused_leaves_nothing_behind),
        cmocka_unit_test(lists_are_numbers_or_halvings),
        cmocka_unit_test(bad_lists_are_refused),
        cmocka_unit_test(norms_and_quantities_have_names),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ball_scene_remove();
    return failed;
}
