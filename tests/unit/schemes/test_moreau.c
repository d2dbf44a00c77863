/* Moreau's scheme with a theta method, with and without projected positions: single steps in closed form, contacts that stay,
 * bounces, what is left of overlaps. Orders through impacts are tests/conformance/test_order.c's. */
#include "unit/base/failing.h"
#include "unit/schemes/moreau_scenes.h"

#define FLOOR "{'name':'floor','type':'fixed','shapes':[{'type':'half_space','normal':[0,1],'material':'floor'}]}"

/* ---- one contact in one step ----------------------------------------------------------------------- */

/* a point at height 0.03 that falls at 4 m/s: with h = 0.01 it would be through after three quarters of the step */
static const char falling[] = HEAD(2, "[0,-10]") "'materials':[{'name':'point'},{'name':'floor'}],"
                                                 "'pairs':[{'materials':['point','floor'],'mu':0,'e':0.5}],"
                                                 "'bodies':[{'name':'ball','type':'particle','mass':2,'position':[0,0.03],"
                                                 "'velocity':[1,-4],'shapes':[{'type':'point','material':'point'}]}," FLOOR "]}";

TEST(a_contact_that_the_forecast_closes_leaves_with_e_times_its_speed)
{
    const char *set[] = { "scheme.gamma=1" };
    run r = begin(falling, 1, set);
    CHECK_OK(r.ctx, ss_sim_step(r.sim, 0.01));
    CHECK_NEAR(ss_sim_v(r.sim)[1], 0.5 * 4, 1e-14);                                          /* round-off */
    CHECK_NEAR(ss_sim_q(r.sim)[1], 0.03 + 0.01 * 0.5 * (-4 + 2), 1e-15);                     /* q + h (v + v')/2 */
    CHECK_NEAR(ss_sim_ledger(r.sim)->contact_normal, 2 * (6 + 0.1) * 0.5 * (-4 + 2), 1e-12); /* P (v + v')/2 */
    end(&r);
}

TEST(a_contact_that_closes_beyond_the_forecast_is_free_for_this_step_and_caught_in_the_next)
{
    const char *set[] = { "scheme.gamma=0.5" }; /* at the middle of the step the point is still above */
    run r = begin(falling, 1, set);
    CHECK_OK(r.ctx, ss_sim_step(r.sim, 0.01));
    CHECK_NEAR(ss_sim_v(r.sim)[1], -4.1, 1e-14);
    CHECK_OK(r.ctx, ss_sim_step(r.sim, 0.01));
    CHECK_NEAR(ss_sim_v(r.sim)[1], 0.5 * 4.1, 1e-14);
    end(&r);
}

TEST(an_overlap_of_order_h_stays_unless_positions_are_projected)
{
    static const char *const scheme[] = { "scheme.name=moreau", "scheme.name=moreau_projected" };
    for (int projected = 0; projected < 2; projected++) {
        const char *set[] = { scheme[projected], "pairs.0.e=0", "scheme.gamma=0.5" };
        run r = begin(falling, 3, set);
        advance(&r, 0.5);
        double height = ss_sim_q(r.sim)[1], h_v = 0.01 * 4.1;
        CHECK_NEAR(ss_sim_v(r.sim)[1], 0, 1e-12);
        CHECK(projected ? fabs(height) <= 1e-10 : height < -0.1 * h_v && height > -h_v);
        CHECK(summary(&r)->unconverged_steps == 0);
        CHECK_NEAR(summary(&r)->max_penetration, projected ? 0 : -height, 1e-10); /* the tolerance of a closed gap */
        end(&r);
    }
}

/* ---- contacts that stay ---------------------------------------------------------------------------- */

/* a box whose landing the forecast tells 19 mm above the floor: half of that is left as a gap */
static const char landing[] = HEAD(2, "[0,-10]") "'materials':[{'name':'floor','mu':0,'e':0}],"
                                                 "'bodies':[{'name':'box','type':'rigid','mass':1,'position':[0,0.119],"
                                                 "'velocity':[0,-2],'shapes':[{'type':'box','size':[0.4,0.2],"
                                                 "'material':'floor'}]}," FLOOR "]}";

static const char *const both[] = { "scheme.name=moreau", "scheme.name=moreau_projected" };

TEST(a_body_that_has_landed_early_carries_its_weight_in_every_step_and_does_not_fall_on)
{
    for (int scheme = 0; scheme < 2; scheme++) {
        run r = begin(landing, 1, &both[scheme]);
        for (int k = 0; k < 100; k++) {
            CHECK_OK(r.ctx, ss_sim_step(r.sim, 0.01));
            CHECK(ss_sim_contact_count(r.sim) == 2);
            CHECK_NEAR(ss_sim_v(r.sim)[1], 0, 1e-12); /* round-off */
            CHECK_NEAR(ss_sim_q(r.sim)[1], 0.109, 1e-12);
        }
        end(&r);
    }
}

/* Lifted by 0.01 m/s^2 for 0.2 s, then let fall: it may not hang where it was held, nor anywhere above. */
/* The lower ball bounces on the floor until 0.13 s; the upper one strikes it after 0.4 s, from 0.8 m above. The floor takes the
 * strike at the same instant: the upper ball leaves with half of 4 m/s, the lower one stays. If it were open by a hair, it would
 * take the strike alone, and the upper ball would lose its speed. */
static const char struck[] = HEAD(2, "[0,-10]") "'materials':[{'name':'floor','mu':0,'e':0.5}],"
                                                "'bodies':[{'name':'lower','type':'particle','mass':1,'position':[0,0.11],"
                                                "'shapes':[{'type':'sphere','radius':0.1,'material':'floor'}]},"
                                                "{'name':'upper','type':'particle','mass':1,'position':[0,1.1],"
                                                "'shapes':[{'type':'sphere','radius':0.1,'material':'floor'}]}," FLOOR "]}";

TEST(what_has_come_to_rest_after_bounces_is_there_when_something_strikes_it)
{
    static const char *const steps[] = { "time.step=1e-3", "time.step=7.3e-4", "time.step=5.9e-4", "time.step=3.1e-4" };
    for (int scheme = 0; scheme < 2; scheme++) {
        for (int k = 0; k < 4; k++) {
            const char *set[] = { both[scheme], steps[k] };
            run r = begin(struck, 2, set);
            advance(&r, 0.6);
            CHECK_NEAR(ss_sim_q(r.sim)[1], 0.1, 1e-3);                                  /* h times the strike's speed */
            CHECK_NEAR(ss_sim_q(r.sim)[3], 0.3 + 2 * 0.2 - 0.5 * 10 * 0.2 * 0.2, 6e-3); /* a step of (4 + 2) m/s */
            end(&r);
        }
    }
}

TEST(a_contact_that_was_held_apart_lets_go_when_it_opens)
{
    static const char *const solver[] = { "solver.name=auto", "solver.name=cone_ipm" }; /* which leaves impulses of 1e-12 */
    for (int k = 0; k < 4; k++) {
        const char *set[] = { both[k % 2], solver[k / 2],
                              "forces=[{\"type\":\"expression\",\"body\":\"box\","
                              "\"force\":[0,\"5.005*(tanh(400*(t-0.2))-tanh(400*(t-0.4)))\"]}]" };
        run r = begin(landing, 3, set);
        advance(&r, 0.3);
        CHECK(ss_sim_contact_count(r.sim) == 0);
        CHECK(ss_sim_v(r.sim)[1] > 0 && ss_sim_v(r.sim)[1] < 0.01 * 0.2);
        advance(&r, 0.6);
        CHECK(ss_sim_q(r.sim)[1] < 0.105); /* sqrt(2 g 9 mm) h / 2 = 2.1 mm at most of a gap, this time */
        CHECK_NEAR(ss_sim_v(r.sim)[1], 0, 1e-10);
        leave(&r); /* momentum is balanced to the solver's tolerance */
    }
}

/* A disc that slides down a fixed one from rest at 0.2 rad, R = 1.5 m between their centres: speed at t = 0.4 s by the energy at
 * the angle where it is, and distance. */
static void check_turning(const char *scheme, double h, double *gap, double *speed)
{
    static const char hill[] = HEAD(2, "[0,-9.81]") "'materials':[{'name':'a','mu':0,'e':0}],"
                                                    "'bodies':[{'name':'disc','type':'rigid','mass':1,"
                                                    "'position':['1.5*sin(0.2)','1.5*cos(0.2)'],"
                                                    "'shapes':[{'type':'disk','radius':0.5,'material':'a'}]},"
                                                    "{'name':'base','type':'fixed',"
                                                    "'shapes':[{'type':'disk','radius':1,'material':'a'}]}]}";
    run r = begin(hill, 1, &scheme);
    for (double t = 0; t < 0.4 - 0.5 * h; t += h) {
        CHECK_OK(r.ctx, ss_sim_step(r.sim, h));
        CHECK(ss_sim_contact_count(r.sim) == 1);
    }
    const double *q = ss_sim_q(r.sim), *v = ss_sim_v(r.sim);
    const double R = hypot(q[0], q[1]);
    *gap = fabs(R - 1.5);
    *speed = fmax(fabs(hypot(v[0], v[1]) - sqrt(2 * 9.81 * (1.5 * cos(0.2) - q[1]))), fabs(q[0] * v[0] + q[1] * v[1]) / R);
    end(&r);
}

TEST(a_contact_on_a_surface_that_turns_is_never_let_go_and_of_order_two)
{
    for (int scheme = 0; scheme < 2; scheme++) {
        double gap[2], speed[2];
        check_turning(both[scheme], 0.01, &gap[0], &speed[0]);
        check_turning(both[scheme], 0.005, &gap[1], &speed[1]);
        print_message("gap %.2e %.2e, speed %.2e %.2e\n", gap[0], gap[1], speed[0], speed[1]);
        CHECK_NEAR(log2(gap[0] / gap[1]), 2, 0.3); /* terms of higher order */
        CHECK_NEAR(log2(speed[0] / speed[1]), 2, 0.3);
    }
}

/* ---- bounces --------------------------------------------------------------------------------------- */

/* Aca09's ball in its sixth bounce, at t = 2.953, where v = 0.00025: by how many steps its motion is late, mean over 40 lengths
 * of a step. Velocities after an impact are too large by h g/2 = h on the average; the rest of the error is lateness, 2 m/s a
 * second. */
static double lateness(const char *gamma)
{
    static const char ball[] = HEAD(2, "[0,-2]") "'materials':[{'name':'a','mu':0,'e':0.5}],"
                                                 "'bodies':[{'name':'ball','type':'particle','mass':1,'position':[0,1],"
                                                 "'shapes':[{'type':'point','material':'a'}]},{'name':'floor','type':'fixed',"
                                                 "'shapes':[{'type':'half_space','normal':[0,1],'material':'a'}]}]}";
    double sum = 0;
    for (int k = 0; k < 40; k++) {
        char step[48];
        const char *set[] = { gamma, step };
        double h = 2.953 / (3001 + 61 * k);
        snprintf(step, sizeof step, "time.step=%.17g", h);
        run r = begin(ball, 2, set);
        advance(&r, 2.953);
        sum += ((ss_sim_v(r.sim)[1] - 0.00025) / h - 1) / 2;
        end(&r);
    }
    return sum / 40;
}

/* Five bounces are over: the n-th of them was longer by 1 - 2^-n steps, or by 2^-n, on the average (docs/moreau.md). An impact
 * anywhere in its step moves what follows by 0.9 steps, root of the mean square; so the mean of 40 is good to 0.3, twice that is
 * allowed. */
TEST(bounces_are_late_by_a_step_each_unless_the_forecast_makes_up_for_it)
{
    CHECK_NEAR(lateness("scheme.gamma=1"), 4.03, 0.6);
    CHECK_NEAR(lateness("scheme.gamma=-1"), 0.97, 0.6);
}

TEST(a_resting_body_stays_at_rest_and_carries_its_weight)
{
    const char *set[] = { "bodies.0.position.1=0", "bodies.0.velocity.1=0", "bodies.0.velocity.0=0" };
    run r = begin(falling, 3, set);
    advance(&r, 1);
    ss_contact_info contact;
    CHECK_NEAR(ss_sim_q(r.sim)[1], 0, 1e-15);
    CHECK_NEAR(ss_sim_v(r.sim)[1], 0, 1e-15);
    CHECK_OK(r.ctx, ss_sim_contact(r.sim, 0, &contact));
    CHECK_NEAR(contact.force[0], 20, 1e-12);
    end(&r);
}

/* ---- friction ------------------------------------------------------------------------------------- */

TEST(a_block_thrown_askew_stops_where_coulombs_law_says_on_the_circular_cone)
{
    static const char block[] = HEAD(
        3, "[0,0,-10]") "'materials':[{'name':'block'},{'name':'floor'}],"
                        "'pairs':[{'materials':['block','floor'],'mu':0.5,'e':0}],"
                        "'bodies':[{'name':'block','type':'particle','mass':1,'position':[0,0,0],'velocity':[3,4,0],"
                        "'shapes':[{'type':'point','material':'block'}]},"
                        "{'name':'floor','type':'fixed','shapes':[{'type':'half_space','normal':[0,0,1],'material':'floor'}]}]}";
    const char *set[] = { "scheme.cone=circular", "time.step=0.003" };
    run r = begin(block, 2, set);
    advance(&r, 1.2);
    CHECK_NEAR(ss_sim_q(r.sim)[0], 0.6 * 2.5, 1e-4); /* v^2/(2 mu g) = 2.5 m; the last step stops within h^2 mu g */
    CHECK_NEAR(ss_sim_q(r.sim)[1], 0.8 * 2.5, 1e-4);
    CHECK(summary(&r)->unconverged_steps == 0);
    end(&r);
}

/* ---- refusals ------------------------------------------------------------------------------------- */

static void check_refused(const char *set, const char *text)
{
    static const char *const scheme[] = { "scheme.name=moreau", "scheme.name=moreau_projected" };
    for (int k = 0; k < 2; k++) {
        const char *sets[] = { scheme[k], set };
        run r = { .ctx = test_context() };
        CHECK_OK(r.ctx, parse(&r, falling, 2, sets));
        CHECK_OK(r.ctx, ss_model_compile(r.ctx, r.scene, &r.model));
        ss_status status = ss_sim_create(r.ctx, r.model, NULL, &r.sim);
        CHECK(status == SS_ERR_UNSUPPORTED || status == SS_ERR_INPUT);
        CHECK(strstr(ss_last_error(r.ctx), text));
        ss_model_destroy(r.model);
        ss_scene_destroy(r.scene);
        ss_context_destroy(r.ctx);
    }
}

TEST(laws_and_options_that_the_scheme_does_not_have_are_refused)
{
    check_refused("pairs.0.impact=poisson", "Poisson");
    check_refused("scheme.directions=7", "even");
}

TEST(poissons_law_is_newtons_where_nothing_bounces)
{
    const char *set[] = { "pairs.0.impact=poisson", "pairs.0.e=0" };
    run r = begin(falling, 2, set);
    advance(&r, 0.1);
    CHECK_NEAR(ss_sim_v(r.sim)[1], 0, 1e-12);
    end(&r);
}

/* ---- memory --------------------------------------------------------------------------------------- */

static ss_status impact(ss_context *ctx) { return whole_run(ctx, falling, "scheme.name=moreau_projected", 0.03); }
static ss_status spring(ss_context *ctx) { return whole_run(ctx, swing, "scheme.name=moreau", 0.03); }
static ss_status joint(ss_context *ctx) { return whole_run(ctx, top, "scheme.name=moreau_projected", 0.03); }

TEST(refused_memory_is_an_error_and_loses_nothing)
{
    print_message("%d, %d and %d requests refused\n", fail_at_every_request(impact), fail_at_every_request(spring),
                  fail_at_every_request(joint));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_contact_that_the_forecast_closes_leaves_with_e_times_its_speed),
        cmocka_unit_test(a_contact_that_closes_beyond_the_forecast_is_free_for_this_step_and_caught_in_the_next),
        cmocka_unit_test(an_overlap_of_order_h_stays_unless_positions_are_projected),
        cmocka_unit_test(a_body_that_has_landed_early_carries_its_weight_in_every_step_and_does_not_fall_on),
        cmocka_unit_test(what_has_come_to_rest_after_bounces_is_there_when_something_strikes_it),
        cmocka_unit_test(a_contact_that_was_held_apart_lets_go_when_it_opens),
        cmocka_unit_test(a_contact_on_a_surface_that_turns_is_never_let_go_and_of_order_two),
        cmocka_unit_test(bounces_are_late_by_a_step_each_unless_the_forecast_makes_up_for_it),
        cmocka_unit_test(a_resting_body_stays_at_rest_and_carries_its_weight),
        cmocka_unit_test(a_block_thrown_askew_stops_where_coulombs_law_says_on_the_circular_cone),
        cmocka_unit_test(laws_and_options_that_the_scheme_does_not_have_are_refused),
        cmocka_unit_test(poissons_law_is_newtons_where_nothing_bounces),
        cmocka_unit_test(refused_memory_is_an_error_and_loses_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
