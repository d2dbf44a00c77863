/* The located step with a toy client: masses that fall on a floor, whose own step is the closed form of free flight.
 *
 *     x' = x + v h - g h^2/2,   v' = v - g h;   x' = v' = 0 where an active contact would go below the floor;   v+ = -e v-
 *
 * Everything is known then: when masses strike, how often, and where they are in the end. */
#include "kernels/located_step.h"
#include "test.h"

enum { MASSES = 3, LOG = 4000 };

typedef struct toy {
    ss_context *ctx;
    ss_arena *arena;
    ss_model model;
    ss_stepper s;
    ss_state now; /* nothing drives the toy: its time does not matter */
    ss_vicinity around;
    ss_active active;
    ss_contact contact[MASSES];
    double gap[MASSES], outside[MASSES], approach[MASSES], slow[MASSES]; /* of the survey                 */
    int n;                                                               /* masses                        */
    double g, e, t, x[MASSES], v[MASSES];                                /* the state                     */
    double x_end[MASSES], v_end[MASSES];                                 /* of the last attempt           */
    double threshold;
    double longest; /* attempt that judge is content with; 0: any                 */
    double wall;    /* attempts longer than this pass through something; 0: none  */
    int unseen;     /* looks that find something hidden                           */
    int missed;     /* looks that find more                                       */
    double ledge;   /* above the floor; it is seen by a look at an end between it and the floor; 0: none */
    double floor;   /* as high as was seen so far                                 */
    double change;  /* time at which the motion changes; 0: never                 */
    int held;       /* a contact that is active without touching; -1: none        */
    bool halts;     /* whatever touches and approaches collides                   */
    bool blind;     /* gaps are not numbers                                       */
    bool fails;     /* attempts fail                                              */
    char log[LOG];  /* a letter per callback                                      */
    int letters;
    double struck[100]; /* when                                                       */
    double deepest;     /* distance from the floor of any strike                      */
    int strikes, elastic;
} toy;

static void note(toy *x, char letter)
{
    CHECK(x->letters < LOG - 1);
    x->log[x->letters++] = letter;
}

static ss_status begin(void *user)
{
    note(user, 'B');
    return SS_OK;
}

static ss_status survey(void *user, double h)
{
    toy *x = user;
    (void)h;
    note(x, 'S');
    for (int k = 0; k < x->n; k++) {
        x->gap[k] = x->x[k] - x->floor;
        x->approach[k] = -x->v[k];
        x->slow[k] = x->threshold;
    }
    return ss_active_take(&x->active, x->s.arena, x->n);
}

static ss_status collide(void *user, const ss_collision *now)
{
    toy *x = user;
    note(x, 'C');
    CHECK(x->approach[now->which[now->trigger]] > (x->halts ? 0 : x->threshold));
    for (int i = 0; i < now->n; i++) {
        x->v[now->which[i]] *= now->elastic ? -x->e : 0;
        x->deepest = fmax(x->deepest, fabs(x->x[now->which[i]]));
    }
    x->elastic += now->elastic;
    x->struck[x->strikes++] = x->t;
    return SS_OK;
}

static ss_status attempt(void *user, double h)
{
    toy *x = user;
    note(x, 'A');
    for (int k = 0; k < x->n; k++) {
        x->x_end[k] = x->x[k] + x->v[k] * h - 0.5 * x->g * h * h;
        x->v_end[k] = x->v[k] - x->g * h;
        if (x->active.has[k] && x->x_end[k] < 0) {
            x->x_end[k] = x->v_end[k] = 0;
        }
    }
    return x->fails ? ss_fail(x->ctx, SS_ERR_INPUT, "no way to go on") : SS_OK;
}

static ss_status gaps(void *user, double h, int count, const int *which, double *gap)
{
    toy *x = user;
    (void)h;
    note(x, 'G');
    for (int i = 0; i < count; i++) {
        gap[i] = x->blind ? NAN : x->x_end[which[i]] - x->floor;
    }
    return SS_OK;
}

static ss_status judge(void *user, double h, bool *halve)
{
    toy *x = user;
    note(x, 'J');
    *halve = x->longest > 0 && h > x->longest;
    return SS_OK;
}

static bool stops(void *user, int k)
{
    const toy *x = user;
    CHECK(x->gap[k] <= 1e-10 && x->approach[k] > 0); /* only what touches and approaches is asked for */
    return true;
}

static bool holds(void *user, int k) { return k == ((toy *)user)->held; }

static ss_status changes(void *user, double *h)
{
    const toy *x = user;
    const double left = x->change - x->t;
    *h = left > 0 && left < *h ? left : *h;
    return SS_OK;
}

static ss_status look(void *user, double h, bool *more, bool *hidden)
{
    toy *x = user;
    (void)h;
    note(x, 'L');
    const bool between = x->x_end[0] > x->floor - 1e-6 && x->x_end[0] < x->ledge - 1e-6;
    *more = x->missed-- > 0 || between;
    x->floor = between ? x->ledge : x->floor;
    *hidden = x->unseen-- > 0;
    return SS_OK;
}

static ss_status passes(void *user, double h, double *inside)
{
    const toy *x = user;
    *inside = x->wall > 0 && h > x->wall ? x->wall : h;
    return SS_OK;
}

static ss_status accept(void *user, double h)
{
    toy *x = user;
    note(x, 'X');
    for (int k = 0; k < x->n; k++) {
        x->x[k] = x->x_end[k];
        x->v[k] = x->v_end[k];
    }
    x->t += h;
    return SS_OK;
}

static char *names[MASSES] = { "left", "right", "last" };

/* n masses at rest at these heights, g = 10, e = 1/2 */
static toy *make(int n, double x0, double x1, double x2)
{
    toy *x = calloc(1, sizeof *x);
    x->ctx = test_context();
    CHECK_OK(x->ctx, ss_arena_create(x->ctx, 1 << 16, &x->arena));
    x->n = n;
    x->model.length = 1;
    x->model.body_name = names;
    x->s = (ss_stepper){ .ctx = x->ctx, .model = &x->model, .arena = x->arena, .now = &x->now, .tol = 1e-10 };
    x->g = 10;
    x->e = 0.5;
    x->held = -1;
    x->x[0] = x0;
    x->x[1] = x1;
    x->x[2] = x2;
    for (int k = 0; k < n; k++) {
        x->contact[k] = (ss_contact){ .id = { .kind = SS_CONTACT_BLOCK, .a = k }, .e = x->e };
    }
    x->around = (ss_vicinity){ .near = { .n = n, .c = x->contact },
                               .gap = x->gap,
                               .outside = x->outside,
                               .approach = x->approach,
                               .slow = x->slow,
                               .safe = INFINITY };
    return x;
}

static void drop(toy *x)
{
    ss_arena_destroy(x->arena);
    ss_context_destroy(x->ctx);
    free(x);
}

static ss_status go(toy *x, double h, bool locate, bool absorbs, int max_events, bool judged)
{
    const ss_located_client client = { .user = x,
                                       .around = &x->around,
                                       .active = &x->active,
                                       .begin = begin,
                                       .survey = survey,
                                       .holds = x->held >= 0 ? holds : NULL,
                                       .stops = x->halts ? stops : NULL,
                                       .collide = collide,
                                       .attempt = attempt,
                                       .gaps = gaps,
                                       .changes = x->change > 0 ? changes : NULL,
                                       .look = look,
                                       .passes = passes,
                                       .accept = accept };
    const ss_located_rules rules = { locate, absorbs, .recalls = x->s.next, .max_events = max_events };
    ss_located_client judging = client;
    judging.judge = judge;
    x->s.h_nominal = h;
    return ss_located_step(&x->s, judged ? &judging : &client, &rules, h);
}

/* Times are known as well as a gap of 1e-13 m (SS_TOL_ROOT) at the speed of a strike, here above 0.1 m/s, and add up. */
static const double TIME = 1e-11;

TEST(a_bouncing_mass_strikes_at_the_times_of_its_closed_form)
{
    toy *x = make(1, 0.8, 0, 0);
    for (int k = 0; k < 66; k++) { /* steps shorter than the last flight, of 0.05 s */
        CHECK_OK(x->ctx, go(x, 0.017, true, true, 100, false));
    }
    double t = 0.4, speed = 4; /* sqrt(2 x/g), sqrt(2 g x) */
    CHECK(x->strikes == 4);
    for (int k = 0; k < x->strikes; k++) {
        CHECK_NEAR(x->struck[k], t, TIME);
        speed *= x->e;
        t += 2 * speed / x->g;
    }
    CHECK_NEAR(x->t, 1.122, 1e-13); /* 70 sums */
    double since = x->t - (t - 2 * speed / x->g);
    CHECK_NEAR(x->x[0], since * (speed - 0.5 * x->g * since), 4 * TIME);
    drop(x);
}

TEST(the_first_of_two_collisions_is_located_first)
{
    toy *x = make(2, 0.3125, 0.2, 0);
    CHECK_OK(x->ctx, go(x, 0.28, true, true, 100, false));
    CHECK(x->strikes == 2);
    CHECK_NEAR(x->struck[0], 0.2, TIME);  /* right */
    CHECK_NEAR(x->struck[1], 0.25, TIME); /* left */
    drop(x);
}

TEST(callbacks_come_in_the_order_of_the_loop)
{
    toy *x = make(1, 0.8, 0, 0);
    CHECK_OK(x->ctx, go(x, 0.3, true, true, 100, true));
    assert_string_equal(x->log, "BSAGJLX");
    x->t = x->letters = 0;
    memset(x->log, 0, sizeof x->log);
    CHECK_OK(x->ctx, go(x, 0.3, true, true, 100, true));
    char *search = strstr(x->log, "L") + 1, *found = strstr(x->log, "AJLX");
    CHECK(strncmp(x->log, "BSAGJL", 6) == 0);
    for (; search < found; search += 2) {
        CHECK(strncmp(search, "AG", 2) == 0);
    }
    assert_string_equal(found, "AJLXBSCSAGJLX");
    drop(x);
}

/* A mass that would strike the floor after 0.4 s ends inside a ledge there, which neither the survey nor the end of the whole
 * step has shown. */
TEST(what_only_the_place_of_a_collision_shows_is_met_before_it)
{
    toy *x = make(1, 0.8, 0, 0);
    x->ledge = 0.05;
    CHECK_OK(x->ctx, go(x, 0.45, true, true, 100, false));
    CHECK(x->strikes == 1);
    CHECK_NEAR(x->struck[0], sqrt(0.15), TIME); /* sqrt(2 (0.8 - 0.05) / g) */
    drop(x);
}

TEST(a_slow_contact_is_closed_by_the_step_itself)
{
    for (int pressed = 0; pressed < 2; pressed++) {
        toy *x = make(1, 0.8, 0, 0);
        ss_cached_contact entry = { .id = x->contact[0].id, .normal = pressed };
        x->s.next = &(ss_state){ .cache.level[SS_LEVEL_VELOCITY] = { .n = 1, .entry = &entry } };
        x->threshold = INFINITY;
        CHECK_OK(x->ctx, go(x, 1, true, true, 100, false));
        CHECK(x->strikes == 0 && x->x[0] == 0 && x->t == 1);
        assert_string_equal(x->log, pressed ? "BSAGLX" : "BSAGAGLX"); /* the first or the second attempt has it */
        drop(x);
    }
}

TEST(a_problem_that_knows_no_gaps_has_slow_contacts_located_too)
{
    toy *x = make(1, 0.8, 0, 0);
    x->threshold = INFINITY;
    CHECK_OK(x->ctx, go(x, 0.5, true, false, 100, false));
    char *first = strchr(x->log, 'X');
    CHECK(x->strikes == 0 && x->x[0] == 0); /* it touches after 0.4 s, and rests from there on */
    CHECK(first && strcmp(first, "XBSAGLX") == 0);
    drop(x);
}

TEST(without_location_what_would_close_collides_at_the_start)
{
    toy *x = make(1, 0.8, 0, 0);
    x->v[0] = -2;
    CHECK_OK(x->ctx, go(x, 0.5, false, true, 100, false));
    CHECK(x->strikes == 1 && x->struck[0] == 0);
    CHECK_NEAR(x->x[0], 0.8 + 0.5 * 1 - 1.25, 1e-15); /* free flight with v+ = 1 m/s */
    drop(x);
}

TEST(after_too_many_collisions_the_rest_is_inelastic)
{
    toy *x = make(3, 0.2, 0.2205, 0.242); /* 0.2, 0.21, 0.22 s */
    CHECK_OK(x->ctx, go(x, 0.25, true, true, 2, false));
    CHECK(x->strikes == 2 && x->elastic == 2);
    CHECK(x->x[0] > 0 && x->x[1] > 0);
    CHECK(x->x[2] == 0 && x->v[2] == 0);
    drop(x);
}

TEST(a_substep_is_halved_until_the_scheme_is_content)
{
    toy *x = make(1, 0.8, 0, 0);
    x->longest = 0.1;
    CHECK_OK(x->ctx, go(x, 0.3, true, true, 100, true));
    CHECK(strncmp(x->log, "BSAGJAGJAGJLX", 13) == 0); /* 0.3, 0.15, 0.075 */
    CHECK_NEAR(x->x[0], 0.8 - 5 * 0.09, 1e-15);
    drop(x);
}

TEST(a_substep_ends_where_its_motion_changes)
{
    toy *x = make(1, 0.8, 0, 0);
    x->change = 0.1;
    CHECK_OK(x->ctx, go(x, 0.3, true, true, 100, false));
    assert_string_equal(x->log, "BSAGAGLXBSAGLX"); /* an attempt over 0.3, one over 0.1; the rest */
    CHECK_NEAR(x->x[0], 0.8 - 5 * 0.09, 1e-15);
    drop(x);
}

/* slower than the threshold, the mass strikes all the same as soon as it touches */
TEST(a_slow_contact_that_has_to_stop_collides)
{
    toy *x = make(1, 0.8, 0, 0);
    x->threshold = INFINITY;
    x->halts = true;
    CHECK_OK(x->ctx, go(x, 0.5, true, false, 100, false));
    CHECK(x->strikes == 1);
    CHECK_NEAR(x->struck[0], 0.4, TIME);
    drop(x);
}

TEST(a_contact_that_is_held_is_active_without_touching)
{
    toy *x = make(2, 0.8, 0.75, 0);
    x->held = 1;
    CHECK_OK(x->ctx, go(x, 0.5, true, true, 100, false));
    CHECK(x->strikes == 1 && x->x[0] > 0 && x->x[1] == 0); /* the step has closed it, the other one has struck */
    drop(x);
}

TEST(a_contact_that_is_held_takes_part_in_a_collision)
{
    toy *x = make(2, 0.8, 1.6, 0);
    x->held = 1;
    CHECK_OK(x->ctx, go(x, 0.45, true, true, 100, false));
    CHECK(x->strikes == 1);
    CHECK_NEAR(x->v[1], 2 - 10 * 0.05, 1e-10); /* it has turned round with the other one, although it is 0.8 m away */
    drop(x);
}

TEST(what_only_the_end_shows_is_surveyed_again)
{
    toy *x = make(1, 0.8, 0, 0);
    x->missed = 1;
    CHECK_OK(x->ctx, go(x, 0.3, true, true, 100, false));
    assert_string_equal(x->log, "BSAGLSAGLX");
    drop(x);
}

TEST(what_has_passed_unseen_halves_the_substep)
{
    toy *x = make(1, 0.8, 0, 0);
    x->unseen = 1;
    CHECK_OK(x->ctx, go(x, 0.3, true, true, 100, false));
    assert_string_equal(x->log, "BSAGLSAGLXBSAGLX"); /* 0.15, and the other half */
    drop(x);
}

TEST(an_attempt_that_passes_through_something_is_made_again_up_to_there)
{
    toy *x = make(1, 0.8, 0, 0);
    x->wall = 0.1;
    CHECK_OK(x->ctx, go(x, 0.25, true, true, 100, false));
    assert_string_equal(x->log, "BSAGLSAGLXBSAGLSAGLXBSAGLX"); /* 0.1, 0.1, and the rest */
    drop(x);
}

TEST(no_substep_is_longer_than_what_is_safe)
{
    toy *x = make(1, 0.8, 0, 0);
    x->around.safe = 0.1;
    CHECK_OK(x->ctx, go(x, 0.25, true, true, 100, false));
    assert_string_equal(x->log, "BSAGLXBSAGLXBSAGLX");
    drop(x);
}

TEST(a_failed_attempt_ends_the_step_and_is_not_accepted)
{
    toy *x = make(1, 0.8, 0, 0);
    x->fails = true;
    CHECK_FAILS(x->ctx, go(x, 0.3, true, true, 100, false), SS_ERR_INPUT, "no way to go on");
    assert_string_equal(x->log, "BSA");
    drop(x);
}

TEST(a_gap_that_is_not_a_number_is_refused_by_name)
{
    toy *x = make(2, 0.8, 0.2, 0);
    x->blind = true;
    CHECK_FAILS(x->ctx, go(x, 0.3, true, true, 100, false), SS_ERR_NUMERIC, "left");
    CHECK(!strchr(x->log, 'X'));
    drop(x);
}

/* Does a mass at this gap, which comes at 1 m/s, strike before it has moved? The scale of its distance off the features is 1 m.
 */
static bool strikes_at_once(double gap, double outside, double tol)
{
    toy *x = make(1, gap, 0, 0);
    x->v[0] = -1;
    x->s.tol = tol;
    x->outside[0] = outside;
    CHECK_OK(x->ctx, go(x, 0.001, true, true, 100, false));
    bool at_once = x->strikes > 0 && x->struck[0] == 0;
    drop(x);
    return at_once;
}

TEST(a_gap_is_closed_up_to_the_tolerance_of_the_table_or_of_the_solver)
{
    CHECK(strikes_at_once(2.5e-11, 0, 1e-10) && !strikes_at_once(2.5e-10, 0, 1e-10)); /* 5e-11 m */
    CHECK(strikes_at_once(5e-7, 0, 1e-4) && !strikes_at_once(5e-6, 0, 1e-4));         /* 1e-6 m: 0.01 tol */
}

TEST(a_contact_off_its_features_touches_up_to_round_off)
{
    CHECK(strikes_at_once(0, 2e-10, 1e-10) && !strikes_at_once(0, 1e-8, 1e-10)); /* 1e-9 m */
}

/* where the search for a root ends is chance: of many one ends near the tolerance, 1e-13 m */
TEST(collisions_are_located_to_the_tolerance_on_gaps)
{
    double deepest = 0;
    for (int k = 0; k < 200; k++) {
        toy *x = make(1, 0.2 + 0.003 * k, 0, 0);
        CHECK_OK(x->ctx, go(x, 0.45, true, true, 100, false));
        CHECK(x->strikes == 1);
        deepest = fmax(deepest, x->deepest);
        drop(x);
    }
    CHECK(deepest <= 1e-13);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bouncing_mass_strikes_at_the_times_of_its_closed_form),
        cmocka_unit_test(the_first_of_two_collisions_is_located_first),
        cmocka_unit_test(callbacks_come_in_the_order_of_the_loop),
        cmocka_unit_test(what_only_the_place_of_a_collision_shows_is_met_before_it),
        cmocka_unit_test(a_slow_contact_is_closed_by_the_step_itself),
        cmocka_unit_test(a_problem_that_knows_no_gaps_has_slow_contacts_located_too),
        cmocka_unit_test(without_location_what_would_close_collides_at_the_start),
        cmocka_unit_test(after_too_many_collisions_the_rest_is_inelastic),
        cmocka_unit_test(a_substep_is_halved_until_the_scheme_is_content),
        cmocka_unit_test(a_substep_ends_where_its_motion_changes),
        cmocka_unit_test(a_slow_contact_that_has_to_stop_collides),
        cmocka_unit_test(a_contact_that_is_held_is_active_without_touching),
        cmocka_unit_test(a_contact_that_is_held_takes_part_in_a_collision),
        cmocka_unit_test(what_only_the_end_shows_is_surveyed_again),
        cmocka_unit_test(what_has_passed_unseen_halves_the_substep),
        cmocka_unit_test(an_attempt_that_passes_through_something_is_made_again_up_to_there),
        cmocka_unit_test(no_substep_is_longer_than_what_is_safe),
        cmocka_unit_test(a_failed_attempt_ends_the_step_and_is_not_accepted),
        cmocka_unit_test(a_gap_that_is_not_a_number_is_refused_by_name),
        cmocka_unit_test(a_gap_is_closed_up_to_the_tolerance_of_the_table_or_of_the_solver),
        cmocka_unit_test(a_contact_off_its_features_touches_up_to_round_off),
        cmocka_unit_test(collisions_are_located_to_the_tolerance_on_gaps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
