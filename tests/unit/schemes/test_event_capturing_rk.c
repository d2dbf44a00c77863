/* The Runge-Kutta scheme with located events, through the driver: motions with an answer in closed form, or by quadrature, or by
 * a method that shares nothing with the scheme. */
#include "unit/schemes/event_run.h"

/* ---- runs ------------------------------------------------------------------------------------------ */

/* the i-th event of a kind */
static const seen *event_of(const run *r, ss_event_kind kind, int i)
{
    for (int k = 0; k < r->n; k++) {
        if (r->event[k].kind == kind && i-- == 0) {
            return &r->event[k];
        }
    }
    fail_msg("there is no such %s", ss_event_kind_name(kind));
    return NULL;
}

/* the root of a function that changes its sign once in [low, high] */
static double root(double (*f)(double), double low, double high)
{
    bool rises = f(high) > 0;
    for (int i = 0; i < 100; i++) {
        double middle = 0.5 * (low + high);
        *((f(middle) > 0) == rises ? &high : &low) = middle;
    }
    return high;
}

#define FLOOR "{'name':'floor','type':'fixed','shapes':[{'type':'half_space','normal':[0,1],'material':'m'}]}"

/* ---- driven bodies ----------------------------------------------------------------------------------- */

static double over_table(double t) { return 1 - 5 * t * t - 0.1 * sin(7 * t); }

TEST(a_ball_strikes_a_table_that_oscillates_when_and_as_it_should)
{
    run r;
    begin(&r,
          HEAD(2, "[0,-10]", "1/64") "'materials':[{'name':'m','e':0.5}],'bodies':["
                                     "{'name':'ball','type':'particle','mass':1,'position':[0,1],'shapes':[{'type':'point',"
                                     "'material':'m'}]},{'name':'table','type':'driven','position':[0,'0.1*sin(7*t)'],'shapes':["
                                     "{'type':'half_space','normal':[0,1],'material':'m'}]}]}",
          0, NULL);
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.5));
    double t = root(over_table, 0.3, 0.6), table = 0.7 * cos(7 * t), up = table + 0.5 * (table + 10 * t);
    CHECK(r.n == 1);
    CHECK_NEAR(r.event[0].t, t, 1e-13); /* the flight is a parabola: round-off */
    CHECK_NEAR(r.event[0].v_minus[1], -10 * t, 1e-12);
    CHECK_NEAR(r.event[0].v_plus[1], up, 1e-12);
    CHECK_NEAR(ss_sim_v(r.sim)[1], up - 10 * (0.5 - t), 1e-12);
    end(&r);
}

static ss_status note_contacts(void *user, const ss_sim *sim, int64_t step, const ss_problem *problem,
                               const ss_solution *solution)
{
    int *most = user;
    (void)sim;
    (void)step;
    (void)solution;
    *most = problem->nc > *most ? problem->nc : *most;
    return SS_OK;
}

TEST(an_impact_is_solved_for_what_it_can_be_felt_by)
{
    run r;
    int most = 0;
    begin(&r,
          HEAD(2, "[0,-10]", "1/64") "'materials':[{'name':'m','e':0.5}],'bodies':[" FLOOR
                                     ",{'name':'falls','type':'particle','mass':1,'position':[0,1],'shapes':[{'type':'point',"
                                     "'material':'m'}]},{'name':'rests','type':'particle','mass':1,'position':[3,0],'shapes':["
                                     "{'type':'point','material':'m'}]}]}",
          0, NULL);
    CHECK_OK(r.ctx, ss_sim_observe(r.sim, &(ss_observer){ .user = &most, .on_problem = note_contacts }));
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.5));
    CHECK(ss_sim_v(r.sim)[1] > 0); /* it has bounced */
    CHECK(most == 1);              /* the one at rest was not asked */
    end(&r);
}

/* mu g = 1 against an acceleration 2 cos t: slip from t = 0 until t = 2 sin t; stick until 2 cos t = -1 */
static double behind(double t) { return 2 * sin(t) - t; }

TEST(a_box_on_a_belt_that_accelerates_slips_sticks_and_slips)
{
    run r;
    begin(&r,
          HEAD(2, "[0,-10]",
               "1/32") "'materials':[{'name':'m','mu':0.1}],'bodies':["
                       "{'name':'box','type':'rigid','mass':2,'position':[0,0.1],'shapes':[{'type':'box',"
                       "'size':[1,0.2],'material':'m'}]},{'name':'belt','type':'driven','position':['2*(1-cos(t))',0],"
                       "'shapes':[{'type':'half_space','normal':[0,1],'material':'m'}]}]}",
          0, NULL);
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 2.5));
    double pi = acos(-1), t1 = root(behind, 1, 2.5), t2 = 2 * pi / 3, left = 2.5 - t2;
    CHECK(count(&r, SS_EVENT_STICK) == 2 && count(&r, SS_EVENT_SLIP) == 2); /* both corners */
    CHECK_NEAR(event_of(&r, SS_EVENT_STICK, 0)->t, t1, 1e-12);              /* v = mu g t, belts are exact */
    CHECK_NEAR(event_of(&r, SS_EVENT_SLIP, 0)->t, t2, 1e-7);                /* found by accelerations, above 1e-8 of them */
    CHECK_NEAR(ss_sim_v(r.sim)[0], 2 * sin(t2) - left, 1e-7);
    CHECK_NEAR(ss_sim_q(r.sim)[0], 0.5 * t1 * t1 + 2 * (cos(t1) - cos(t2)) + 2 * sin(t2) * left - 0.5 * left * left, 1e-7);
    CHECK_NEAR(ss_sim_q(r.sim)[1], 0.1, 1e-13);
    end(&r);
}

TEST(a_motor_with_a_bound_follows_its_speed_as_far_as_it_can)
{
    run r;
    begin(&r,
          HEAD(2, "[0,0]", "1/32") "'bodies':[{'name':'wheel','type':'rigid','mass':1,'inertia':2,'position':[0,0]}],"
                                   "'joints':[{'name':'pin','type':'revolute','bodies':['world','wheel'],'at':[0,0],"
                                   "'motor':{'speed':'2*sin(t)','max':2}}]}",
          0, NULL);
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 1.5));
    CHECK_NEAR(ss_sim_v(r.sim)[2], 1.5, 1e-12); /* at its bound: max/J = 1 */
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 2));
    CHECK_NEAR(ss_sim_v(r.sim)[2], 2 * sin(2.0), 1e-12);
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 2.5));
    double t1 = root(behind, 1, 2.5), t2 = 2 * acos(-1) / 3, left = 2.5 - t2;
    CHECK_NEAR(ss_sim_v(r.sim)[2], 2 * sin(t2) - left, 1e-7);
    CHECK_NEAR(ss_sim_q(r.sim)[2], 0.5 * t1 * t1 + 2 * (cos(t1) - cos(t2)) + 2 * sin(t2) * left - 0.5 * left * left, 1e-7);
    end(&r);
}

/* An arm of two links in space, the elbow driven at 2 rad/s: no force of its own turns the links about the elbow's axis. It gets
 * to its speed with its greatest moment and keeps it. */
TEST(a_motor_between_two_links_keeps_its_speed)
{
    run r;
    begin(&r,
          HEAD(3, "[0,0,-10]", "1/64") "'bodies':[{'name':'a','type':'rigid','mass':1,'inertia':[0.1,0.1,0.1],'position':"
                                       "[0.3,0.4,0]},{'name':'b','type':'rigid','mass':1,'inertia':[0.1,0.1,0.1],'position':"
                                       "[0.9,1.2,0]}],'joints':[{'name':'shoulder','type':'spherical','bodies':['world','a'],"
                                       "'at':[0,0,0]},{'name':'elbow','type':'revolute','bodies':['a','b'],'at':[0.6,0.8,0],"
                                       "'axis':[0.8,-0.6,0],'motor':{'speed':2,'max':20}}]}",
          0, NULL);
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.5));
    const double *v =
        ss_sim_v(r.sim); /* rates in body axes, which were the world's: the elbow's axis is the same in both links */
    CHECK_NEAR(0.8 * (v[9] - v[3]) - 0.6 * (v[10] - v[4]), 2, 1e-12);
    CHECK(ss_sim_summary(r.sim)->remark[SS_REMARK_HANDED].steps == 0);
    CHECK(ss_sim_summary(r.sim)->multiplier_evals < 3 * 2 * 32); /* three stages, 32 steps */
    end(&r);
}

/* ---- joints and impacts -------------------------------------------------------------------------------- */

/* The rod falls from horizontal, angle'^2 = 3 g sin(angle): t = integral of 2 ds/sqrt(3 g sin(s^2)/s^2), s^2 = angle. */
static double time_to_fall(double to)
{
    enum { PARTS = 200 };
    double h = sqrt(to) / PARTS, sum = 0;
    for (int i = 0; i <= 2 * PARTS; i++) { /* Simpson's rule on a smooth function: h^4 = 1e-10 */
        double s = 0.5 * h * i, f = 2 / sqrt(3 * 9.81 * (s > 0 ? sin(s * s) / (s * s) : 1));
        sum += f * h / 6 * (i == 0 || i == 2 * PARTS ? 1 : i % 2 ? 4 : 2);
    }
    return sum;
}

TEST(a_rod_strikes_the_limit_of_its_joint_and_stays_there)
{
    run r;
    begin(&r,
          HEAD(2, "[0,-9.81]", "1/64") "'bodies':[{'name':'rod','type':'rigid','mass':1,'inertia':'1/12','position':[0.5,0]}],"
                                       "'joints':[{'name':'pin','type':'revolute','bodies':['world','rod'],'at':[0,0],"
                                       "'limits':[-0.5,null]}]}",
          0, NULL);
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 1));
    CHECK(count(&r, SS_EVENT_LIMIT) == 1);
    CHECK_NEAR(r.event[0].t, time_to_fall(0.5), 1e-9); /* Radau's method of order 5 with h = 1/64, and the quadrature */
    CHECK_NEAR(r.event[0].v_minus[2], -sqrt(3 * 9.81 * sin(0.5)), 1e-8);
    CHECK_NEAR(ss_sim_q(r.sim)[2], -0.5, 1e-13);
    CHECK_NEAR(ss_sim_v(r.sim)[2], 0, 1e-13);
    end(&r);
}

#define DISK(name, at, v)                                                                                                        \
    "{'name':'" name "','type':'particle','mass':1,'position':" at ",'velocity':" v ",'shapes':[{'type':'disk','radius':0.5,"    \
    "'material':'m'}]}"

TEST(three_balls_that_touch_collide_at_once)
{
    run r;
    begin(&r,
          HEAD(2, "[0,0]", "1/8") "'materials':[{'name':'m','e':1}],'bodies':[" DISK("a", "[-0.25,0]", "[1,0]") "," DISK(
              "b", "[1,0]", "[0,0]") "," DISK("c", "[2,0]", "[0,0]") "]}",
          0, NULL);
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.5));
    CHECK(count(&r, SS_EVENT_IMPACT) == 1);
    CHECK_NEAR(r.event[0].t, 0.25, 1e-13);
    CHECK_NEAR(ss_sim_v(r.sim)[0], -1.0 / 3, 1e-12); /* Newton's law, all contacts together */
    CHECK_NEAR(ss_sim_v(r.sim)[2], 2.0 / 3, 1e-12);
    CHECK_NEAR(ss_sim_v(r.sim)[4], 2.0 / 3, 1e-12);
    end(&r);
}

TEST(two_balls_that_strike_a_third_from_both_sides_in_one_instant_keep_the_symmetry)
{
    run r;
    begin(&r,
          HEAD(2, "[0,0]", "1/8") "'materials':[{'name':'m','e':0.5}],'bodies':[" DISK("a", "[-1.25,0]", "[1,0]") "," DISK(
              "b", "[0,0]", "[0,0]") "," DISK("c", "[1.25,0]", "[-1,0]") "]}",
          0, NULL);
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.5));
    CHECK_NEAR(ss_sim_v(r.sim)[0], -0.5, 1e-12);
    CHECK_NEAR(ss_sim_v(r.sim)[2], 0, 1e-12);
    CHECK_NEAR(ss_sim_v(r.sim)[4], 0.5, 1e-12);
    end(&r);
}

/* Both are thrown into one step of 0.5 s: a up, so that a straight line from its gap at the start to that at the end of the step
 * puts it first; but b is. */
TEST(the_earlier_of_two_impacts_in_a_step_comes_first)
{
    run r;
    begin(&r,
          HEAD(2, "[0,-10]", "1/2") "'materials':[{'name':'m','e':0.5}],'bodies':[{'name':'a','type':'particle','mass':1,"
                                    "'position':[0,0.1],'velocity':[0,2.2],'shapes':[{'type':'point','material':'m'}]},"
                                    "{'name':'b','type':'particle','mass':1,'position':[5,1],'shapes':[{'type':'point',"
                                    "'material':'m'}]}," FLOOR "]}",
          0, NULL);
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.5));
    CHECK(r.n == 2);
    CHECK_NEAR(r.event[0].t, sqrt(0.2), 1e-13);
    CHECK_NEAR(r.event[1].t, 0.22 + sqrt(0.22 * 0.22 + 0.02), 1e-13);
    CHECK_NEAR(r.event[0].v_plus[3], 0.5 * 10 * sqrt(0.2), 1e-12);
    end(&r);
}

static double over_shaker(double t)
{
    double s = t - acos(-0.5) / 10;
    return 0.3 + sqrt(3) * s - 5 * s * s - 0.2 * (1 - cos(10 * t));
}

/* the table's acceleration 20 cos 10 t reaches -g at 10 t = 2 pi/3, where it is 0.3 high and moves up with sqrt(3) */
TEST(a_mass_on_a_shaken_table_takes_off_when_its_force_ends_and_lands)
{
    run r;
    begin(&r,
          HEAD(2, "[0,-10]",
               "1/64") "'bodies':[{'name':'p','type':'particle','mass':1,'position':[0,0],'shapes':[{'type':'point'}]},"
                       "{'name':'table','type':'driven','position':[0,'0.2*(1-cos(10*t))'],'shapes':[{'type':"
                       "'half_space','normal':[0,1]}]}]}",
          0, NULL);
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.7));
    CHECK(count(&r, SS_EVENT_TAKEOFF) == 1 && count(&r, SS_EVENT_IMPACT) == 1);
    CHECK_NEAR(event_of(&r, SS_EVENT_TAKEOFF, 0)->t, acos(-0.5) / 10, 1e-8); /* accelerations above 1e-8 of their size */
    CHECK_NEAR(event_of(&r, SS_EVENT_IMPACT, 0)->t, root(over_shaker, 0.4, 0.8), 1e-8);
    CHECK_NEAR(ss_sim_q(r.sim)[1], 0.2 * (1 - cos(7.0)), 1e-12); /* with the table again */
    end(&r);
}

static const char rocking[] =
    HEAD(2, "[0,-10]", "1/64") "'materials':[{'name':'m','mu':1}],'bodies':[{'name':'block','type':'rigid','mass':1,"
                               "'position':['0.2*cos(0.1)-0.8*sin(0.1)','0.2*sin(0.1)+0.8*cos(0.1)'],'angle':0.1,"
                               "'shapes':[{'type':'box','size':[0.4,1.6],'material':'m'}]}," FLOOR "]}";

TEST(a_rocking_block_loses_what_housner_says_at_every_impact_and_comes_to_rest)
{
    run r;
    begin(&r, rocking, 0, NULL);
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 8));
    int impacts = count(&r, SS_EVENT_IMPACT);
    double ratio = 1 - 1.5 * 0.2 * 0.2 / (0.2 * 0.2 + 0.8 * 0.8); /* 1 - 3/2 sin^2(alpha), from the moment about the corner */
    double J = (0.16 + 2.56) / 12 + 0.68;                         /* mass 1, about a corner */
    double fall = 0.2 * sin(0.1) + 0.8 * cos(0.1) - 0.8, rate = sqrt(2 * 10 * fall / J);
    CHECK(impacts > 20);
    CHECK_NEAR(fabs(event_of(&r, SS_EVENT_IMPACT, 0)->v_minus[2]), rate, 1e-9); /* energy */
    for (int i = 0; i < 12; i++) {
        const seen *e = event_of(&r, SS_EVENT_IMPACT, i);
        CHECK_NEAR(e->v_plus[2] / e->v_minus[2], ratio, 1e-9);
        CHECK_NEAR(fabs(e->v_minus[2]), rate * pow(ratio, i), 1e-9);
    }
    CHECK_NEAR(ss_sim_q(r.sim)[2], 0, 1e-10);
    CHECK_NEAR(ss_sim_q(r.sim)[1], 0.8, 1e-10);
    CHECK(fabs(ss_sim_v(r.sim)[2]) < 1e-10);
    end(&r);
}

static const char ball[] =
    HEAD(2, "[0,-10]", "1/8") "'materials':[{'name':'m','e':0.5}],'bodies':[{'name':'ball','type':'particle',"
                              "'mass':1,'position':[0,1.25],'shapes':[{'type':'point','material':'m'}]}," FLOOR "]}";

TEST(a_ball_bounces_to_its_accumulation_and_lies_still)
{
    run r;
    begin(&r, ball, 0, NULL);
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 2));
    for (int i = 0; i < 8; i++) {
        CHECK_NEAR(event_of(&r, SS_EVENT_IMPACT, i)->t, 1.5 - pow(0.5, i), 1e-12); /* 0.5, 1, 1.25 .. */
    }
    CHECK(count(&r, SS_EVENT_ACCUMULATION) == 1);
    const double last = event_of(&r, SS_EVENT_ACCUMULATION, 0)->t;
    CHECK(last < 1.5 && last > 1.5 - 1e-4); /* flights below u^2/2g = 1e-11 m last 3e-6 s */
    CHECK(ss_sim_v(r.sim)[1] == 0);
    CHECK_NEAR(ss_sim_q(r.sim)[1], 0, 1e-13);
    end(&r);
}

TEST(a_step_with_many_bounces_costs_few_evaluations_for_each_of_them)
{
    const char *set[] = { "time.step=1" };
    run r;
    begin(&r, ball, 1, set);
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 2));
    int impacts = count(&r, SS_EVENT_IMPACT);
    CHECK(impacts > 10);
    CHECK(ss_sim_summary(r.sim)->multiplier_evals < 3 * 8 * impacts); /* of 3 stages each: parabolas have their root soon found */
    end(&r);
}

TEST(a_step_whose_events_are_too_many_still_comes_to_its_end)
{
    const char *set[] = { "scheme.max_events=1" };
    run r;
    begin(&r, ball, 1, set);
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 2));
    CHECK_NEAR(ss_sim_time(r.sim), 2, 1e-12);
    CHECK_NEAR(ss_sim_q(r.sim)[1], 0, 1e-2); /* the rest of a step is Moreau's, of order 1, a fraction of g h^2 = 0.16 */
    CHECK(ss_sim_ledger(r.sim)->closure < 1e-11);
    CHECK(ss_sim_summary(r.sim)->remark[SS_REMARK_HANDED].steps > 0); /* and says so */
    quit(&r);
}

/* The same ball with a budget: steps in which attempts are used up are ended by Moreau's scheme, and cost no more. */
TEST(a_step_that_costs_too_many_evaluations_is_handed_over_early)
{
    const char *set[] = { "scheme.max_evaluations=10", "time.step=1" };
    run r;
    begin(&r, ball, 2, set);
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 2));
    CHECK_NEAR(ss_sim_time(r.sim), 2, 1e-12);
    CHECK(ss_sim_summary(r.sim)->multiplier_evals <=
          2 * (3 * 10 + 2 * 32)); /* two steps; three stages, 32 steps of Moreau's scheme */
    CHECK(ss_sim_summary(r.sim)->remark[SS_REMARK_HANDED].steps == 2);
    CHECK(ss_sim_ledger(r.sim)->closure < 1e-11);
    quit(&r);
}

/* All bounces of a ball that falls 0.1 mm are in the first 14 ms of a step of 1 s, and cost more than 80 evaluations and less
 * than 160. Half of what is allowed may be spent at the start. */
TEST(a_step_that_gets_nowhere_keeps_half_of_its_evaluations_for_later)
{
    for (int few = 0; few < 2; few++) {
        const char *set[] = { few ? "scheme.max_evaluations=160" : "scheme.max_evaluations=320", "time.step=1",
                              "bodies.ball.position=[0,1e-4]" };
        run r;
        begin(&r, ball, 3, set);
        CHECK_OK(r.ctx, ss_sim_advance(r.sim, 1));
        CHECK(ss_sim_summary(r.sim)->remark[SS_REMARK_HANDED].steps == few);
        CHECK_NEAR(ss_sim_v(r.sim)[1], 0, 1e-12);
        quit(&r);
    }
}

/* A box on a vertical slider with friction lands on its two lower corners. Their tangents cannot move, and carry nothing. */
TEST(friction_that_a_joint_leaves_nothing_to_do_does_not_stop_the_motion)
{
    run r;
    begin(&r,
          HEAD(2, "[0,-10]", "1/64") "'materials':[{'name':'m','mu':0.7}],'bodies':[" FLOOR
                                     ",{'name':'box','type':'rigid','mass':0.668,'inertia':0.0117,'position':[0.41832,0.53],'"
                                     "shapes':[{'type':'box',"
                                     "'size':[0.392,0.04],'position':[0.02,-0.06],'material':'m'}]}],'joints':[{'name':'slider','"
                                     "type':'prismatic',"
                                     "'bodies':['world','box'],'at':[0.41832,0.53],'axis':[0,1]}]}",
          0, NULL);
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.5));
    CHECK(count(&r, SS_EVENT_IMPACT) == 1 && r.n == 1);
    CHECK_NEAR(r.event[0].t, 0.3, 1e-13); /* 0.45 m down */
    CHECK_NEAR(ss_sim_q(r.sim)[1], 0.08, 1e-14);
    CHECK(ss_sim_summary(r.sim)->remark[SS_REMARK_HANDED].steps == 0);
    end(&r);
}

/* ---- reactions -------------------------------------------------------------------------------------------- */

/* A bob of 2 kg at rest, 0.5 m below its pivot, is pushed at 3 m/s: the rod pulls with m (g + v^2/l), whether or not something
 * else touches. */
TEST(a_joint_shows_its_reaction_where_no_contact_is_closed)
{
    run r;
    double reaction[6];
    begin(
        &r,
        HEAD(2, "[0,-10]", "1/4096") "'bodies':[{'name':'bob','type':'particle','mass':2,'position':[0,-0.5],'velocity':[3,0]}],"
                                     "'joints':[{'name':'rod','type':'distance','bodies':['world','bob'],'length':0.5}]}",
        0, NULL);
    CHECK_OK(r.ctx, ss_sim_step(r.sim, 1.0 / 4096));
    CHECK(ss_sim_joint_reaction(r.sim, 0, reaction) == 1);
    CHECK_NEAR(fabs(reaction[0]), 2 * (10 + 9 / 0.5), 1e-4); /* the end of a step of 1/4096 s: 3 g w^2 m t^2/2 = 6e-5 less */
    end(&r);
}

/* ---- nothing, and bad numbers ----------------------------------------------------------------------------- */

TEST(a_particle_alone_flies_along_its_parabola)
{
    run r;
    begin(&r,
          HEAD(3, "[0,0,-10]", "1/4") "'bodies':[{'name':'p','type':'particle','mass':1,'position':[0,0,1],'velocity':[1,2,3]}]}",
          0, NULL);
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 1));
    const double q[3] = { 1, 2, 1 + 3 - 5 };
    for (int i = 0; i < 3; i++) {
        CHECK_NEAR(ss_sim_q(r.sim)[i], q[i], 1e-14);
    }
    CHECK(r.n == 0);
    end(&r);
}

TEST(a_force_that_is_not_a_number_ends_the_run_with_a_word_and_leaves_the_state)
{
    for (int touches = 0; touches < 2; touches++) {
        const char *set[] = { touches ? "bodies.p.position=[0,0]" : "bodies.p.position=[0,1]" };
        run r;
        begin(&r,
              HEAD(2, "[0,-10]",
                   "1/64") "'bodies':[{'name':'p','type':'particle','mass':1,'position':[0,1],'shapes':[{'type':"
                           "'point'}]},{'name':'floor','type':'fixed','shapes':[{'type':'half_space','normal':[0,1]}]}"
                           "],'forces':[{'type':'expression','body':'p','force':['sqrt(0.1-t)',0]}]}",
              1, set);
        CHECK_FAILS(r.ctx, ss_sim_advance(r.sim, 1), SS_ERR_NUMERIC, "step from t = 0.09375");
        CHECK_NEAR(ss_sim_time(r.sim), 0.09375, 1e-14);
        CHECK(isfinite(ss_sim_q(r.sim)[0]) && isfinite(ss_sim_v(r.sim)[0]));
        quit(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_strikes_a_table_that_oscillates_when_and_as_it_should),
        cmocka_unit_test(an_impact_is_solved_for_what_it_can_be_felt_by),
        cmocka_unit_test(a_box_on_a_belt_that_accelerates_slips_sticks_and_slips),
        cmocka_unit_test(a_motor_with_a_bound_follows_its_speed_as_far_as_it_can),
        cmocka_unit_test(a_motor_between_two_links_keeps_its_speed),
        cmocka_unit_test(a_rod_strikes_the_limit_of_its_joint_and_stays_there),
        cmocka_unit_test(three_balls_that_touch_collide_at_once),
        cmocka_unit_test(two_balls_that_strike_a_third_from_both_sides_in_one_instant_keep_the_symmetry),
        cmocka_unit_test(the_earlier_of_two_impacts_in_a_step_comes_first),
        cmocka_unit_test(a_mass_on_a_shaken_table_takes_off_when_its_force_ends_and_lands),
        cmocka_unit_test(a_rocking_block_loses_what_housner_says_at_every_impact_and_comes_to_rest),
        cmocka_unit_test(a_ball_bounces_to_its_accumulation_and_lies_still),
        cmocka_unit_test(a_step_with_many_bounces_costs_few_evaluations_for_each_of_them),
        cmocka_unit_test(a_step_whose_events_are_too_many_still_comes_to_its_end),
        cmocka_unit_test(a_step_that_costs_too_many_evaluations_is_handed_over_early),
        cmocka_unit_test(a_step_that_gets_nowhere_keeps_half_of_its_evaluations_for_later),
        cmocka_unit_test(friction_that_a_joint_leaves_nothing_to_do_does_not_stop_the_motion),
        cmocka_unit_test(a_joint_shows_its_reaction_where_no_contact_is_closed),
        cmocka_unit_test(a_particle_alone_flies_along_its_parabola),
        cmocka_unit_test(a_force_that_is_not_a_number_ends_the_run_with_a_word_and_leaves_the_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
