/* Moreau's scheme with a theta method: stiff and nonlinear forces, gyroscopic forces under a joint, where rows are taken. */
#include "unit/schemes/moreau_scenes.h"

/* ---- implicit forces ------------------------------------------------------------------------------ */

/* one dimension of Aca09's oscillator, far above the floor */
static const char oscillator[] = HEAD(2, "[0,0]") "'bodies':[{'name':'mass','type':'particle','mass':1,'position':[0,1]}],"
                                                  "'forces':[{'name':'s','type':'spring_damper','bodies':['world','mass'],"
                                                  "'anchors':[[0,-9],[0,0]],'stiffness':10,'damping':0.2,'length':9}]}";

TEST(a_linear_oscillator_follows_the_theta_recursion_with_one_problem_a_step)
{
    static const double theta[] = { 0, 0.5, 0.7, 1 };
    for (int k = 0; k < 4; k++) {
        char text[32];
        const char *set[] = { text };
        double q = 1, v = 0, h = 0.01, th = theta[k];
        snprintf(text, sizeof text, "scheme.theta=%g", th);
        run r = begin(oscillator, 1, set);
        for (int i = 0; i < 100; i++) {
            /* (1 + h th c + h^2 th^2 k) v' = v - h (c (1 - th) v + k (q + h th (1 - th) v)) */
            double next =
                (v - h * (0.2 * (1 - th) * v + 10 * (q + h * th * (1 - th) * v))) / (1 + h * th * 0.2 + h * h * th * th * 10);
            q += h * ((1 - th) * v + th * next);
            v = next;
        }
        advance(&r, 1);
        CHECK_NEAR(ss_sim_q(r.sim)[1], q, 1e-12); /* round-off of a hundred steps, lengths of 10 m */
        CHECK_NEAR(ss_sim_v(r.sim)[1], v, 1e-11);
        CHECK(summary(&r)->lcps == 100);
        end(&r);
    }
}

TEST(forces_averaged_over_both_ends_follow_their_own_recursion)
{
    static const double theta[] = { 0, 0.5, 1 / 1.8, 1 };
    for (int k = 0; k < 4; k++) {
        char text[48];
        const char *set[] = { text, "scheme.average=force" };
        double q = 1, v = 0, h = 0.01, th = theta[k];
        snprintf(text, sizeof text, "scheme.theta=%.17g", th);
        run r = begin(oscillator, 2, set);
        for (int i = 0; i < 100; i++) {
            /* v' = v + h (1 - th) a + h th a', a = -c v - k q, q' = q + h ((1 - th) v + th v') */
            double a = -0.2 * v - 10 * q;
            double next =
                (v + h * (1 - th) * a - h * th * 10 * (q + h * (1 - th) * v)) / (1 + h * th * 0.2 + h * h * th * th * 10);
            q += h * ((1 - th) * v + th * next);
            v = next;
        }
        advance(&r, 1);
        CHECK_NEAR(ss_sim_q(r.sim)[1], q, 1e-12); /* round-off, as above */
        CHECK_NEAR(ss_sim_v(r.sim)[1], v, 1e-11);
        CHECK(summary(&r)->lcps == 100);
        end(&r);
    }
}

/* the oscillator does not tell them from forces at the mean, it is linear; a force of time does */
TEST(forces_averaged_over_both_ends_are_those_at_the_ends)
{
    const char *set[] = { "scheme.average=force", "forces=[{\"type\":\"expression\",\"body\":\"mass\",\"force\":[0,\"t^2\"]}]" };
    double v = 0, h = 0.01;
    run r = begin(oscillator, 2, set);
    for (int i = 0; i < 100; i++) {
        v += 0.5 * h * h * h * (i * i + (i + 1) * (i + 1));
    }
    advance(&r, 1);
    CHECK_NEAR(ss_sim_v(r.sim)[1], v, 1e-14); /* at the mean it would be less by h^2/4 */
    end(&r);
}

TEST(springs_leave_a_matrix_that_solvers_for_convex_problems_take)
{
    static const char bounce[] =
        HEAD(2, "[0,-10]") "'solver':{'name':'cone_ipm'},'materials':[{'name':'a','mu':0,'e':0}],'bodies':["
                           "{'name':'box','type':'rigid','mass':1,'position':[0,0.5],'angle':0.3,'shapes':[{"
                           "'type':'box','size':[0.4,0.2],'material':'a'}]},{'name':'floor','type':'fixed',"
                           "'shapes':[{'type':'half_space','normal':[0,1],'material':'a'}]}],"
                           "'forces':[{'name':'s','type':'spring','bodies':['world','box'],"
                           "'anchors':[[0,-1],[0.2,0.1]],'stiffness':100,'length':1}]}";
    run r = begin(bounce, 0, NULL);
    advance(&r, 1);
    CHECK(summary(&r)->unconverged_steps == 0);
    CHECK(summary(&r)->max_penetration > 0); /* it has landed */
    leave(&r);                               /* momentum is balanced to the solver's tolerance, no better */
}

TEST(a_spring_far_stiffer_than_the_step_resolves_neither_gains_nor_loses_energy)
{
    const char *set[] = { "forces.0.stiffness=1e8", "forces.0.damping=0" }; /* h omega = 100 */
    run r = begin(oscillator, 2, set);
    advance(&r, 1);
    CHECK_NEAR(summary(&r)->energy_max / summary(&r)->energy_initial, 1, 1e-9); /* eps (h omega)^2, the round-off of a force */
    CHECK_NEAR(summary(&r)->energy_final / summary(&r)->energy_initial, 1, 1e-9);
    CHECK(summary(&r)->unconverged_steps == 0);
    end(&r);
}

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
        CHECK(summary(&r)->unconverged_steps == 0);
        memcpy(x[k], ss_sim_q(r.sim), 2 * sizeof(double));
        memcpy(x[k] + 2, ss_sim_v(r.sim), 2 * sizeof(double));
        end(&r);
    }
    for (int i = 0; i < 4; i++) {
        sum += (x[0][i] - x[1][i]) * (x[0][i] - x[1][i]);
    }
    return sqrt(sum);
}

TEST(a_swinging_spring_is_of_order_two)
{
    CHECK_NEAR(log2(change(swing, 0.005) / change(swing, 0.0025)), 2, 0.1); /* terms of higher order */
}

TEST(newtons_method_ends_after_few_problems)
{
    run r = begin(swing, 0, NULL);
    advance(&r, 1);
    CHECK(summary(&r)->newton > 100 && summary(&r)->newton <= 300); /* quadratic: two or three a step */
    CHECK(summary(&r)->unconverged_steps == 0);
    end(&r);
}

TEST(a_step_in_which_newtons_method_does_not_end_is_cut_and_if_that_does_not_help_not_certified)
{
    for (int helps = 0; helps < 2; helps++) {
        const char *set[] = { helps ? "scheme.iterations=2" : "scheme.iterations=1", "forces.0.stiffness=1e6" };
        run r = begin(swing, 2, set);
        for (int k = 0; k < 5; k++) {
            CHECK_OK(r.ctx, ss_sim_step(r.sim, 0.01));
        }
        CHECK(summary(&r)->lcps > 2 * 5);
        CHECK(summary(&r)->unconverged_steps == (helps ? 0 : 5));
        end(&r);
    }
}

/* ---- where rows are taken -------------------------------------------------------------------------- */

/* a disc that slides down a fixed one without friction */
static const char slide[] = HEAD(2, "[0,-9.81]") "'materials':[{'name':'a','mu':0,'e':0}],"
                                                 "'bodies':[{'name':'disc','type':'rigid','mass':1,'position':['1.5*sin(0.2)',"
                                                 "'1.5*cos(0.2)'],'velocity':['cos(0.2)','-sin(0.2)'],"
                                                 "'shapes':[{'type':'disk','radius':0.5,'material':'a'}]},"
                                                 "{'name':'base','type':'fixed',"
                                                 "'shapes':[{'type':'disk','radius':1,'material':'a'}]}]}";

TEST(implicit_rows_are_those_of_the_positions_that_come_out)
{
    static const char *const at[] = { "scheme.at=theta", "scheme.at=end" };
    static const char *const rows[] = { "scheme.rows=predicted", "scheme.rows=implicit" };
    for (int end_ = 0; end_ < 2; end_++) {
        for (int implicit = 0; implicit < 2; implicit++) {
            const char *set[] = { at[end_], rows[implicit] };
            run r = begin(slide, 2, set);
            double q[2], part = end_ ? 1 : 0.5;
            memcpy(q, ss_sim_q(r.sim), sizeof q);
            CHECK_OK(r.ctx, ss_sim_step(r.sim, 0.01));
            const double *to = ss_sim_q(r.sim), *v = ss_sim_v(r.sim);
            double n[2] = { q[0] + part * (to[0] - q[0]), q[1] + part * (to[1] - q[1]) };
            double normal = (n[0] * v[0] + n[1] * v[1]) / hypot(n[0], n[1]);
            CHECK((fabs(normal) <= 1e-10) == implicit); /* the solver's tolerance, relative to 1 m/s; predicted: h^2 g/2 */
            CHECK(summary(&r)->lcps == (implicit ? summary(&r)->newton : 1));
            end(&r);
        }
    }
}

/* BAC14 section 10.2 with its scheme (50), theta = 1/1.8, h = 1e-3; 4.6e-4 is what two prototypes of ours have found */
static const char wall[] =
    "{'slipstick':1,'dimension':2,'gravity':[0,-10],'time':{'until':6,'step':0.001},'scheme':{'name':'moreau','theta':'1/1.8',"
    "'at':'end','rows':'implicit','average':'force','project':false},"
    "'materials':[{'name':'bob'},{'name':'wall'}],'pairs':[{'materials':['bob','wall'],'mu':0,'e':0.8}],"
    "'bodies':[{'name':'pendulum','type':'rigid','mass':1,'inertia':0.1,'position':['cos(pi/12)','sin(pi/12)'],'angle':'pi/12',"
    "'shapes':[{'type':'point','material':'bob'}]},{'name':'wall','type':'fixed',"
    "'shapes':[{'type':'half_space','normal':[1,0],'offset':'sqrt(2)/2','material':'wall'}]}],"
    "'joints':[{'name':'pivot','type':'revolute','bodies':['world','pendulum'],'anchors':[[0,0],[-1,0]]}]}";

TEST(the_scheme_that_another_paper_compares_with_drifts_as_much_as_there)
{
    run r = begin(wall, 0, NULL);
    advance(&r, 6);
    CHECK_NEAR(summary(&r)->max_joint_error, 4.6e-4, 0.05e-4); /* the digits given */
    CHECK(r.sim->scheme->order(r.sim->params).joints_drift);   /* by its options */
    CHECK(summary(&r)->unconverged_steps == 0);
    end(&r);
}

TEST(joints_fit_to_round_off_unless_they_are_not_projected)
{
    const char *set[] = { "scheme.project=true" };
    run r = begin(wall, 1, set);
    advance(&r, 1);
    CHECK(summary(&r)->max_joint_error <= 1e-14); /* where projection.c stops */
    CHECK(!r.sim->scheme->order(r.sim->params).joints_drift && !r.sim->scheme->info.order.joints_drift);
    end(&r);
}

/* ---- gyroscopic forces ---------------------------------------------------------------------------- */

TEST(a_spinning_top_on_its_tip_is_of_order_two)
{
    CHECK_NEAR(log2(change(top, 0.0025) / change(top, 0.00125)), 2, 0.1); /* as above */
}

TEST(a_body_that_turns_by_radians_in_a_step_keeps_its_energy)
{
    static const char spun[] = HEAD(3, "[0,0,0]") "'bodies':[{'name':'body','type':'rigid','mass':1,'inertia':[1,2,3],"
                                                  "'angular_velocity':[100,200,400]}]}";
    run r = begin(spun, 0, NULL);
    advance(&r, 1);
    CHECK_NEAR(summary(&r)->energy_final / summary(&r)->energy_initial, 1, 1e-11); /* round-off of a hundred steps */
    CHECK(summary(&r)->unconverged_steps == 0);
    end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_linear_oscillator_follows_the_theta_recursion_with_one_problem_a_step),
        cmocka_unit_test(forces_averaged_over_both_ends_follow_their_own_recursion),
        cmocka_unit_test(forces_averaged_over_both_ends_are_those_at_the_ends),
        cmocka_unit_test(springs_leave_a_matrix_that_solvers_for_convex_problems_take),
        cmocka_unit_test(a_spring_far_stiffer_than_the_step_resolves_neither_gains_nor_loses_energy),
        cmocka_unit_test(a_swinging_spring_is_of_order_two),
        cmocka_unit_test(newtons_method_ends_after_few_problems),
        cmocka_unit_test(a_step_in_which_newtons_method_does_not_end_is_cut_and_if_that_does_not_help_not_certified),
        cmocka_unit_test(implicit_rows_are_those_of_the_positions_that_come_out),
        cmocka_unit_test(the_scheme_that_another_paper_compares_with_drifts_as_much_as_there),
        cmocka_unit_test(joints_fit_to_round_off_unless_they_are_not_projected),
        cmocka_unit_test(a_spinning_top_on_its_tip_is_of_order_two),
        cmocka_unit_test(a_body_that_turns_by_radians_in_a_step_keeps_its_energy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
