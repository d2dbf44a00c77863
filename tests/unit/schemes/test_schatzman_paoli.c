/* The scheme of Schatzman and Paoli: its recursion in closed form, impacts over steps of any length, what it leaves of overlaps,
 * rest, stiff forces, joints, degenerate scenes, overlaps at the start. Orders through impacts are
 * tests/conformance/test_order.c's. */
#include "unit/base/failing.h"

#include "unit/schemes/text_run.h"

static void end(run *r)
{
    CHECK(ss_sim_ledger(r->sim)->closure <= 1e-12); /* round-off of one segment */
    CHECK(summary(r)->unconverged_steps == 0);
    leave(r);
}

#define HEAD(dimension, gravity)                                                                                                 \
    "{'slipstick':1,'dimension':" #dimension ",'gravity':" gravity                                                               \
    ",'time':{'until':1,'step':0.01},'scheme':{'name':'schatzman_paoli'},"
#define FLOOR "{'name':'floor','type':'fixed','shapes':[{'type':'half_space','normal':[0,1],'material':'floor'}]}"
#define FALLING(shapes)                                                                                                          \
    HEAD(2, "[0,-10]")                                                                                                           \
    "'materials':[{'name':'point'},{'name':'floor'}],'pairs':[{'materials':['point','floor'],'mu':0,'e':0.5}],"                  \
    "'bodies':[{'name':'ball','type':'particle','mass':2,'position':[0,0.3],'velocity':[1,-1],'shapes':[" shapes "]}," FLOOR     \
    "]}"
#define POINT "{'type':'point','material':'point'}"

static const char falling[] = FALLING(POINT);

/* ---- impacts ---------------------------------------------------------------------------------------- */

TEST(a_bouncing_point_follows_the_recursion_of_the_paper)
{
    const char *set[] = { "pairs.0.e=0.7" };
    run r = begin(falling, 1, set);
    double h = 0.01, q = 0.3, w = -1, e = 0.7, before = 0;
    for (int k = 0; k < 100; k++) {
        double next = w - 10 * (h + before) / 2;
        bool closes = q + h * next + e * (q - h * w) < 0; /* q' + e q- */
        next = closes ? (-e * (q - h * w) - q) / h : next;
        q += h * next;
        w = next;
        before = h;
        CHECK_OK(r.ctx, ss_sim_step(r.sim, h));
        CHECK_NEAR(ss_sim_q(r.sim)[1], q, 1e-9); /* the tolerance of a closed gap, once for each impact */
    }
    end(&r);
}

/* three impacts without gravity between two walls: |v| e^3 at the end whatever the steps are */
static const char shuttle[] = HEAD(
    2, "[0,0]") "'materials':[{'name':'point'},{'name':'wall'}],'pairs':[{'materials':['point','wall'],'mu':0,'e':0.5}],"
                "'bodies':[{'name':'ball','type':'particle','mass':1,'position':[0,0.5],'velocity':[0,-8],"
                "'shapes':[{'type':'point','material':'point'}]},"
                "{'name':'floor','type':'fixed','shapes':[{'type':'half_space','normal':[0,1],'material':'wall'}]},"
                "{'name':'roof','type':'fixed','shapes':[{'type':'half_space','normal':[0,-1],'offset':-1,'material':'wall'}]}]}";

TEST(newtons_law_holds_over_two_steps_of_any_lengths)
{
    static const double length[3][3] = { { 0.01, 0.01, 0.01 }, { 0.01, 0.004, 0.007 }, { 0.001, 0.02, 0.0005 } };
    for (int way = 0; way < 6; way++) {
        const char *set[] = { way < 3 ? "scheme.reflect=past" : "scheme.reflect=future" };
        run r = begin(shuttle, 1, set);
        int k = 0;
        while (ss_sim_time(r.sim) < 1) {
            CHECK_OK(r.ctx, ss_sim_step(r.sim, length[way % 3][k++ % 3]));
        }
        CHECK_NEAR(fabs(ss_sim_v(r.sim)[1]), 8 * 0.125, 1e-7); /* gaps close to 5e-11 m in steps of 5e-4 s */
        end(&r);
    }
}

/* Spin of a body of mass 1 and inertia 0.03 after it hits the floor at r from its centre with (0.3, -2) m/s and without spin:
 * Newton's law with e = 0.5, Coulomb's with mu = 0.4. */
static double spin_after_impact(double rx, double ry)
{
    const double J = 0.03, mu = 0.4, nn = 1 + rx * rx / J, tt = 1 + ry * ry / J, nt = -rx * ry / J;
    double N = (3 * tt + 0.3 * nt) / (nn * tt - nt * nt), T = (-0.3 - nt * N) / tt; /* it sticks: u_T = 0, u_N = 1 */
    for (int way = -1; way <= 1 && fabs(T) > mu * N * (1 + 1e-12); way += 2) {
        double n = 3 / (nn - way * mu * nt), slip = 0.3 + (nt - way * mu * tt) * n;
        N = way * slip > 0 ? n : N;
        T = way * slip > 0 ? -way * mu * n : T;
    }
    return (rx * N - ry * T) / J;
}

TEST(an_impact_with_friction_on_a_lever_obeys_newtons_and_coulombs_laws_wherever_in_a_step_it_falls)
{
    static const char lever[] = HEAD(
        2, "[0,0]") "'materials':[{'name':'point'},{'name':'floor'}],'pairs':[{'materials':['point','floor'],'mu':0.4,'e':0.5}],"
                    "'bodies':[{'name':'rod','type':'rigid','mass':1,'inertia':0.03,'angle':0.6,'position':[0,0.6],"
                    "'velocity':[0.3,-2],'shapes':[{'type':'point','position':[-0.3,-0.15],'material':'point'}]}," FLOOR "]}";
    const double h = 1e-4, c = cos(0.6), s = sin(0.6), spin = spin_after_impact(0.15 * s - 0.3 * c, -0.3 * s - 0.15 * c);
    for (int way = 0; way < 16; way++) {
        char height[48];
        const char *set[] = { height, "time.step=1e-4", way < 8 ? "scheme.reflect=past" : "scheme.reflect=future" };
        snprintf(height, sizeof height, "bodies.0.position.1=%.17g", 0.6 + way % 8 * h * 2 / 8);
        run r = begin(lever, 3, set);
        advance(&r, 0.2);
        CHECK_NEAR(ss_sim_v(r.sim)[2], spin, 50 * h); /* it turns by 4 h while the impact lasts: 20 h was measured */
        end(&r);
    }
}

TEST(nothing_overlaps_without_restitution_and_energy_only_falls)
{
    const char *set[] = { "pairs.0.e=0", "time.step=0.0137" };
    run r = begin(falling, 2, set);
    advance(&r, 1);
    CHECK(summary(&r)->max_penetration <= 1e-10); /* within which a gap is closed */
    CHECK_NEAR(ss_sim_q(r.sim)[1], 0, 1e-10);
    CHECK(summary(&r)->energy_max <= summary(&r)->energy_initial * (1 + 1e-12));
    end(&r);
}

TEST(with_restitution_the_overlap_is_at_most_e_times_the_way_of_a_step)
{
    run r = begin(falling, 0, NULL);
    advance(&r, 1);
    CHECK(summary(&r)->max_penetration > 1e-3);
    CHECK(summary(&r)->max_penetration <= 0.5 * 0.01 * sqrt(1 + 2 * 10 * 0.3) * 1.1); /* e h v, v at the first impact */
    end(&r);
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

/* ---- forces ----------------------------------------------------------------------------------------- */

static const char oscillator[] = HEAD(2, "[0,0]") "'bodies':[{'name':'mass','type':'particle','mass':1,'position':[0,1]}],"
                                                  "'forces':[{'name':'s','type':'spring_damper','bodies':['world','mass'],"
                                                  "'anchors':[[0,-9],[0,0]],'stiffness':10,'damping':0.2,'length':9}]}";

TEST(a_linear_oscillator_follows_the_midpoint_rule_between_the_middles_of_steps_that_change)
{
    run r = begin(oscillator, 0, NULL);
    double q = 1, w = 0, before = 0;
    for (int k = 0; k < 100; k++) {
        double h = k % 3 == 2 ? 0.013 : 0.01, a = (h + before) / 2, middle = q - before / 2 * w;
        /* w' = w - a (c v + k (middle + th a v)), v = (1 - th) w + th w'; th = 1 at the start, else 1/2 */
        double th = k == 0 ? 1 : 0.5, s = a * (0.2 + 10 * th * a),
               next = (w * (1 - (1 - th) * s) - a * 10 * middle) / (1 + th * s);
        q += h * next;
        w = next;
        before = h;
        CHECK_OK(r.ctx, ss_sim_step(r.sim, h));
        CHECK_NEAR(ss_sim_q(r.sim)[1], q, 1e-12); /* round-off of a hundred steps, lengths of 10 m */
    }
    CHECK(summary(&r)->lcps == 100);
    end(&r);
}

TEST(a_spring_far_stiffer_than_the_step_resolves_stays_within_its_amplitude)
{
    const char *set[] = { "forces.0.stiffness=1e8", "forces.0.damping=0" }; /* h omega = 100 */
    run r = begin(oscillator, 2, set);
    for (int k = 0; k < 100; k++) {
        CHECK_OK(r.ctx, ss_sim_step(r.sim, 0.01));
        CHECK(fabs(ss_sim_q(r.sim)[1]) <= 1 + 1e-3); /* -1 + O(1/(h omega)^2) after the first step, then to and fro */
    }
    end(&r);
}

/* a bob on a spring that swings, and a top without symmetry on its tip */
static const char swing[] = HEAD(2, "[0,-9.81]") "'bodies':[{'name':'bob','type':'particle','mass':1,'position':[1,0]}],"
                                                 "'forces':[{'name':'s','type':'spring','bodies':['world','bob'],"
                                                 "'anchors':[[0,0],[0,0]],'stiffness':1000,'length':0.9}]}";
static const char top[] =
    HEAD(3, "[0,0,-9.81]") "'bodies':[{'name':'top','type':'rigid','mass':1,'inertia':[0.02,0.03,0.01],'position':[0,0,0.5],"
                           "'velocity':[1,-0.5,0],'angular_velocity':[1,2,40]}],"
                           "'joints':[{'name':'tip','type':'spherical','bodies':['world','top'],'at':[0,0,0]}]}";

/* |difference of the ends| of runs with h and h/2, after t = 0.5 */
static double change(const char *text, double h)
{
    double x[2][4], sum = 0;
    for (int k = 0; k < 2; k++) {
        char step[48];
        const char *set[] = { step };
        snprintf(step, sizeof step, "time.step=%.17g", h / (1 + k));
        run r = begin(text, 1, set);
        advance(&r, 0.5);
        memcpy(x[k], ss_sim_q(r.sim), 2 * sizeof(double));
        memcpy(x[k] + 2, ss_sim_v(r.sim), 2 * sizeof(double));
        end(&r);
    }
    for (int i = 0; i < 4; i++) {
        sum += (x[0][i] - x[1][i]) * (x[0][i] - x[1][i]);
    }
    return sqrt(sum);
}

TEST(nonlinear_springs_and_gyroscopic_forces_under_a_joint_are_of_order_two)
{
    CHECK_NEAR(log2(change(swing, 0.0025) / change(swing, 0.00125)), 2, 0.1); /* terms of higher order */
    CHECK_NEAR(log2(change(top, 0.0025) / change(top, 0.00125)), 2, 0.1);
}

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
    end(&r);
}

/* ---- what is driven --------------------------------------------------------------------------------- */

static void end_of(const char *text, const char *a, const char *b, double q[3])
{
    const char *set[] = { a, b };
    run r = begin(text, 2, set);
    advance(&r, 0.9);
    memcpy(q, ss_sim_q(r.sim), 3 * sizeof *q);
    end(&r);
}

TEST(a_spinning_disk_on_a_table_that_shakes_both_ways_tends_to_where_located_impacts_lead_it)
{
    static const char shaken[] = HEAD(
        2,
        "[0,-10]") "'materials':[{'name':'m','mu':0.3,'e':0.6}],"
                   "'bodies':[{'name':'disk','type':'rigid','mass':1,'position':[0,0.3],'velocity':[0.4,0],'angular_velocity':3,"
                   "'shapes':[{'type':'disk','radius':0.1,'material':'m'}]},"
                   "{'name':'table','type':'driven','position':['0.1*sin(3*t)','0.05*sin(7*t)'],"
                   "'shapes':[{'type':'half_space','normal':[0,1],'material':'m'}]}]}";
    double exact[3], q[3];
    end_of(shaken, "scheme.name=event_capturing_rk", "time.step=0.01", exact);
    for (int way = 0; way < 4; way++) {
        const double h = way < 2 ? 0.01 : 0.001;
        end_of(shaken, way < 2 ? "time.step=0.01" : "time.step=0.001", way % 2 ? "scheme.reflect=future" : "scheme.reflect=past",
               q);
        CHECK_NEAR(q[0], exact[0], h); /* half a dozen impacts, each 2h late at relative speeds of up to 0.3 m/s */
        CHECK_NEAR(q[1], exact[1], 0.1 * h);
        CHECK_NEAR(q[2], exact[2], 10 * h); /* q_x over the radius */
    }
}

/* ---- degenerate scenes ------------------------------------------------------------------------------ */

TEST(a_contact_given_twice_changes_nothing)
{
    static const char twice[] = FALLING(POINT "," POINT);
    const char *set[2] = { "scheme.reflect=past", "scheme.reflect=future" };
    for (int way = 0; way < 2; way++) {
        run one = begin(falling, 1, &set[way]), two = begin(twice, 1, &set[way]);
        advance(&one, 1);
        advance(&two, 1);
        CHECK_NEAR(ss_sim_q(one.sim)[1], ss_sim_q(two.sim)[1], 1e-9); /* as in the recursion */
        end(&one);
        end(&two);
    }
}

TEST(a_joint_given_twice_changes_nothing_and_both_fit)
{
#define HINGE(name) "{'name':'" name "','type':'revolute','bodies':['world','rod'],'at':[0,0]}"
#define ROD(joints)                                                                                                              \
    HEAD(2, "[0,-10]")                                                                                                           \
    "'bodies':[{'name':'rod','type':'rigid','mass':1,'inertia':0.1,'position':[1,0]}],'joints':[" joints "]}"
    run one = begin(ROD(HINGE("a")), 0, NULL), two = begin(ROD(HINGE("a") "," HINGE("b")), 0, NULL);
    advance(&one, 1);
    advance(&two, 1);
    for (int i = 0; i < 3; i++) {
        CHECK_NEAR(ss_sim_q(one.sim)[i], ss_sim_q(two.sim)[i], 1e-11); /* joints to 1e-14 m in steps of 0.01 s, a hundred times */
        CHECK_NEAR(ss_sim_v(one.sim)[i], ss_sim_v(two.sim)[i], 1e-10);
    }
    CHECK(summary(&two)->max_joint_error <= 1e-12);
    end(&one);
    end(&two);
}

TEST(a_million_metres_from_the_origin_impacts_are_found_and_certified)
{
    const char *set[] = { "bodies.0.position.1=1000000.3", "bodies.1.shapes.0.offset=1e6", "length_scale=1" };
    run r = begin(falling, 3, set);
    advance(&r, 1);
    CHECK_NEAR(ss_sim_q(r.sim)[1], 1e6, 0.1);
    end(&r);
}

/* ---- overlaps that no impact has left ---------------------------------------------------------------- */

#define DISK(name, y)                                                                                                            \
    "{'name':'" name "','type':'rigid','mass':1,'position':[0," y "],"                                                           \
    "'shapes':[{'type':'disk','radius':0.1,'material':'point'}]},"
static const char pile[] =
    HEAD(2, "[0,-10]") "'materials':[{'name':'point'},{'name':'floor'}],'pairs':[{'materials':['point','floor'],'mu':0.3,'e':0},"
                       "{'materials':['point','point'],'mu':0.3,'e':0}],'bodies':[" DISK("a", "0.09") DISK("b", "0.27") FLOOR
    "]}";

TEST(overlaps_of_the_start_are_undone_without_throwing_bodies_however_short_the_step)
{
    for (int way = 0; way < 4; way++) {
        const char *set[] = { way < 2 ? "time.step=0.01" : "time.step=0.001", way % 2 ? "pairs.0.e=0.5" : "pairs.0.e=0",
                              way % 2 ? "pairs.1.e=0.5" : "pairs.1.e=0" };
        run r = begin_overlapping(pile, 3, set);
        advance(&r, 0.1);
        CHECK_NEAR(ss_sim_q(r.sim)[1], 0.1, 1e-10); /* within which a gap is closed */
        CHECK_NEAR(ss_sim_q(r.sim)[4], 0.3, 2e-10);
        CHECK(summary(&r)->energy_max - summary(&r)->energy_initial <= 0.4 + 1e-8); /* m g times the ways of 1 and 3 cm */
        end(&r);
    }
}

TEST(a_hinged_rod_that_overlaps_the_floor_is_turned_out_of_it_and_stays_on_its_hinge)
{
    static const char rod[] = HEAD(
        2, "[0,-10]") "'materials':[{'name':'point'},{'name':'floor'}],'pairs':[{'materials':['point','floor'],'mu':0,'e':0}],"
                      "'bodies':[{'name':'rod','type':'rigid','mass':1,'inertia':0.1,'position':[0.5,-0.1],"
                      "'shapes':[{'type':'point','position':[0.5,0],'material':'point'}]}," FLOOR
                      "],'joints':[{'name':'pin','type':'revolute','bodies':['world','rod'],'at':[0,-0.1]}]}";
    run r = begin_overlapping(rod, 0, NULL);
    advance(&r, 0.1);
    CHECK_NEAR(sin(ss_sim_q(r.sim)[2]), 0.1, 1e-9); /* the tip at height 0, 0.1 above the pin at a distance of 1 */
    CHECK_NEAR(ss_sim_v(r.sim)[2], 0, 1e-7);        /* 5e-11 m in a step of 0.01 s */
    CHECK(summary(&r)->max_joint_error <= 1e-9);    /* positions are put apart to 1e-10 */
    end(&r);
}

TEST(a_body_wedged_between_two_walls_is_at_rest_even_where_it_overlaps_both)
{
    static const char wedge[] = HEAD(
        2,
        "[0,-10]") "'materials':[{'name':'a','mu':0.5,'e':0}],"
                   "'bodies':[{'name':'disk','type':'rigid','mass':1,'position':[0,0],"
                   "'shapes':[{'type':'disk','radius':0.5,'material':'a'}]},"
                   "{'name':'left','type':'fixed','shapes':[{'type':'half_space','normal':[1,0],'offset':-0.5,'material':'a'}]},"
                   "{'name':'right','type':'fixed','shapes':[{'type':'half_space','normal':[-1,0],'offset':-0.5,'material':'a'}]}"
                   ","
                   "{'name':'floor','type':'fixed','shapes':[{'type':'half_space','normal':[0,1],'offset':-0.5,'material':'a'}]}]"
                   "}";
    for (int way = 0; way < 3; way++) {
        const char *set[] = { way > 0 ? "bodies.1.shapes.0.offset=-0.48" : "bodies.1.shapes.0.offset=-0.5",
                              way > 0 ? "bodies.2.shapes.0.offset=-0.48" : "bodies.2.shapes.0.offset=-0.5",
                              way > 1 ? "materials.0.e=0.5" : "materials.0.e=0" };
        run r = begin_overlapping(wedge, 3, set);
        advance(&r, 1);
        for (int i = 0; i < 3; i++) {
            CHECK_NEAR(ss_sim_v(r.sim)[i], 0, 1e-12);
        }
        end(&r);
    }
}

/* ---- refusals, memory ------------------------------------------------------------------------------- */

static void check_refused(const char *set, const char *text)
{
    run r = { .ctx = test_context() };
    CHECK_OK(r.ctx, parse(&r, falling, 1, &set));
    CHECK_OK(r.ctx, ss_model_compile(r.ctx, r.scene, &r.model));
    ss_status status = ss_sim_create(r.ctx, r.model, NULL, &r.sim);
    CHECK(status == SS_ERR_UNSUPPORTED || status == SS_ERR_INPUT);
    CHECK(strstr(ss_last_error(r.ctx), text));
    ss_model_destroy(r.model);
    ss_scene_destroy(r.scene);
    ss_context_destroy(r.ctx);
}

TEST(laws_and_options_that_the_scheme_does_not_have_are_refused)
{
    check_refused("pairs.0.impact=poisson", "Poisson");
    check_refused("scheme.directions=7", "even");
}

static ss_status impact(ss_context *ctx) { return whole_run(ctx, falling, "bodies.0.position.1=0.01", 0.035); }
static ss_status spring(ss_context *ctx) { return whole_run(ctx, swing, "time.step=0.01", 0.035); }
static ss_status joint(ss_context *ctx) { return whole_run(ctx, top, "time.step=0.01", 0.035); }

TEST(refused_memory_is_an_error_and_loses_nothing)
{
    print_message("%d, %d and %d requests refused\n", fail_at_every_request(impact), fail_at_every_request(spring),
                  fail_at_every_request(joint));
}

/* Six disks fall on each other. Their problems are solved to 1e-4: gaps close no better, and no shorter step would help. */
TEST(gaps_are_closed_as_well_as_the_solver_closes_them)
{
    static const double at[6][2] = { { 0, 0.1 }, { 0.21, 0.1 }, { 0.105, 0.3 }, { 0.31, 0.3 }, { 0.2, 0.49 }, { -0.01, 0.51 } };
    char text[4096] =
        HEAD(2, "[0,-10]") "'solver':{'name':'nsgs','tol':1e-4},'materials':[{'name':'m','mu':0.3,'e':0}],'bodies':["
                           "{'name':'floor','type':'fixed','shapes':[{'type':'half_space','normal':[0,1],"
                           "'material':'m'}]}";
    for (int i = 0; i < 6; i++) {
        const size_t used = strlen(text);
        snprintf(text + used, sizeof text - used,
                 ",{'name':'d%d','type':'rigid','mass':%d,'inertia':%g,'position':[%g,%g],'velocity':[%g,-1],"
                 "'shapes':[{'type':'disk','radius':0.1,'material':'m'}]}",
                 i, 1 + i, 0.01 * (1 + i), at[i][0], at[i][1], 0.1 * i);
    }
    strcat(text, "]}");
    run r = begin(text, 0, NULL);
    advance(&r, 0.5);
    CHECK(summary(&r)->max_penetration <= 2e-6); /* twice a hundredth of the solver's tolerance, of the length, 1 m */
    CHECK(summary(&r)->newton <= 20 * 50);       /* with gaps to 1e-10: 64 in a step, none of them certified */
    end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bouncing_point_follows_the_recursion_of_the_paper),
        cmocka_unit_test(newtons_law_holds_over_two_steps_of_any_lengths),
        cmocka_unit_test(an_impact_with_friction_on_a_lever_obeys_newtons_and_coulombs_laws_wherever_in_a_step_it_falls),
        cmocka_unit_test(nothing_overlaps_without_restitution_and_energy_only_falls),
        cmocka_unit_test(with_restitution_the_overlap_is_at_most_e_times_the_way_of_a_step),
        cmocka_unit_test(a_resting_body_stays_at_rest_and_carries_its_weight),
        cmocka_unit_test(a_linear_oscillator_follows_the_midpoint_rule_between_the_middles_of_steps_that_change),
        cmocka_unit_test(a_spring_far_stiffer_than_the_step_resolves_stays_within_its_amplitude),
        cmocka_unit_test(nonlinear_springs_and_gyroscopic_forces_under_a_joint_are_of_order_two),
        cmocka_unit_test(a_block_thrown_askew_stops_where_coulombs_law_says_on_the_circular_cone),
        cmocka_unit_test(a_spinning_disk_on_a_table_that_shakes_both_ways_tends_to_where_located_impacts_lead_it),
        cmocka_unit_test(a_contact_given_twice_changes_nothing),
        cmocka_unit_test(a_joint_given_twice_changes_nothing_and_both_fit),
        cmocka_unit_test(a_million_metres_from_the_origin_impacts_are_found_and_certified),
        cmocka_unit_test(a_body_wedged_between_two_walls_is_at_rest_even_where_it_overlaps_both),
        cmocka_unit_test(overlaps_of_the_start_are_undone_without_throwing_bodies_however_short_the_step),
        cmocka_unit_test(a_hinged_rod_that_overlaps_the_floor_is_turned_out_of_it_and_stays_on_its_hinge),
        cmocka_unit_test(gaps_are_closed_as_well_as_the_solver_closes_them),
        cmocka_unit_test(laws_and_options_that_the_scheme_does_not_have_are_refused),
        cmocka_unit_test(refused_memory_is_an_error_and_loses_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
