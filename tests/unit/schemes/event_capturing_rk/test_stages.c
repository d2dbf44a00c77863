/* Runge-Kutta steps over a phase, called directly: orders on bodies that turn in space, free and on a joint, and on bodies that
 * roll or slip; impulses that make up the change of velocity. */
#include "closed_scene.h"

/* from t = 0 over `until` in n steps, each projected */
static void integrate(closed_scene *x, const ss_runge_kutta *method, double until, int n)
{
    ss_stages *stages = NULL;
    double h = until / n, q[N_MAX], v[N_MAX];
    CHECK_OK(x->ctx, ss_stages_create(x->ctx, method, x->phase, &stages));
    for (int i = 0; i < n; i++) {
        bool found = false, fits = false;
        CHECK_OK(x->ctx, ss_stages_step(stages, x->s, i * h, x->q, x->v, h, q, v, &found));
        CHECK(found && stages->residual <= 1e-11);
        CHECK_OK(x->ctx, ss_phase_project(x->phase, x->s, (i + 1) * h, q, v, &fits));
        CHECK(fits);
        memcpy(x->q, q, sizeof q);
        memcpy(x->v, v, sizeof v);
    }
    ss_stages_destroy(stages);
}

typedef struct target {
    const char *text;
    ss_contact_mode mode;
    double until;
    int first, count; /* of the velocities that are compared */
    double v[3];      /* at that time                         */
} target;

static double error_of(const target *g, const ss_runge_kutta *method, int n)
{
    closed_scene x;
    double error = 0;
    open_held(&x, g->text, 0, 0, NULL);
    close_all(&x, g->mode, 1, ss_v3(1, 0, 0), 0);
    integrate(&x, method, g->until, n);
    for (int i = 0; i < g->count; i++) {
        error = fmax(error, fabs(x.v[g->first + i] - g->v[i]));
    }
    close_held(&x);
    return error;
}

/* steps[order]: fine enough for the order to show, coarse enough for round-off and the digits of the reference */
static void check_orders(const target *g, const int steps[7])
{
    for (int k = 0; ss_runge_kutta_methods[k]; k++) {
        const ss_runge_kutta *method = ss_runge_kutta_methods[k];
        int n = steps[method->order];
        double coarse = error_of(g, method, n), fine = error_of(g, method, 2 * n);
        CHECK(log2(coarse / fine) > method->order - 0.25);
    }
}

/* PAGT06's free body */
static const target free_body = { HEAD(3, "[0,0,0]") "'bodies':[{'name':'b','type':'rigid','mass':1,'inertia':[1,2,3],"
                                                     "'position':[0,0,0],'angular_velocity':[1,0.5,-0.8]}]}",
                                  SS_MODE_NONE,
                                  2,
                                  3,
                                  3,
                                  { .510585463752, -.994636860470, -.627348259421 } };

TEST(a_free_body_turns_with_the_order_of_the_method)
{
    check_orders(&free_body, (int[7]){ [2] = 80, [3] = 40, [4] = 20, [5] = 10, [6] = 6 });
}

/* a heavy top on its tip, 150 rad/s: 30 radians in the time at hand */
static const target heavy_top = { HEAD(3, "[0,0,-9.81]") "'bodies':[{'name':'top','type':'rigid','mass':15,"
                                                         "'inertia':[0.234375,0.46875,0.234375],'position':[0,1,0],"
                                                         "'velocity':[4.61538,0,0],'angular_velocity':[0,150,-4.61538]}],"
                                                         "'joints':[{'type':'spherical','bodies':['world','top'],'at':[0,0,0]}]}",
                                  SS_MODE_NONE,
                                  0.2,
                                  3,
                                  3,
                                  { -2.6915909121, 150, 4.9172609899 } };

TEST(a_heavy_top_turns_on_its_joint_with_the_order_of_the_method)
{
    check_orders(&heavy_top, (int[7]){ [2] = 400, [3] = 200, [4] = 100, [5] = 80, [6] = 40 });
}

/* A puck with a damper, braked by friction: v' = -mu g v/|v| - c v on a straight line, v = (v0 + mu g/c) exp(-c t) - mu g/c. */
TEST(slip_with_a_damper_has_the_order_of_the_method)
{
    const double c = 3, mu_g = 2, v = (2.5 + mu_g / c) * exp(-c * 0.5) - mu_g / c;
    target g = { HEAD(3, "[0,0,-10]") "'materials':[{'name':'m','mu':0.2}],'bodies':[{'name':'p','type':'particle','mass':1,"
                                      "'position':[0,0,0],'velocity':[2.5,0,0],'shapes':[{'type':'point','material':'m'}]},"
                                      "{'name':'floor','type':'fixed','shapes':[{'type':'half_space','normal':[0,0,1],"
                                      "'material':'m'}]}],'forces':[{'type':'damper','bodies':['world','p'],"
                                      "'anchors':[[-1,0,0],[0,0,0]],'damping':3}]}",
                 SS_MODE_SLIP,
                 0.5,
                 0,
                 1,
                 { v } };
    check_orders(&g, (int[7]){ [2] = 32, [3] = 32, [4] = 16, [5] = 8, [6] = 6 });
}

/* ---- stages that turn in their direction -------------------------------------------------------------- */

/* A puck on an inclined plane: slip that turns. Both kinds of method, each with itself, and against one another. */
static void slide(const ss_runge_kutta *method, int n, double *v)
{
    closed_scene x;
    open_held(&x,
              HEAD(3, "[0.5,6,-10]") "'materials':[{'name':'m','mu':0.2}],'bodies':[{'name':'p','type':'particle','mass':1,"
                                     "'position':[0,0,0],'velocity':[2.5,0,0],'shapes':[{'type':'point','material':'m'}]},"
                                     "{'name':'floor','type':'fixed','shapes':[{'type':'half_space','normal':[0,0,1],"
                                     "'material':'m'}]}]}",
              0, 0, NULL);
    close_all(&x, SS_MODE_SLIP, 1, ss_v3(1, 0, 0), 0);
    integrate(&x, method, 0.5, n);
    memcpy(v, x.v, 2 * sizeof *v);
    close_held(&x);
}

TEST(slip_that_turns_has_the_order_of_the_method)
{
    const int steps[7] = { [2] = 32, [3] = 32, [4] = 16, [5] = 4, [6] = 8 };
    double exact[2], coarse[2], fine[2];
    for (int k = 0; ss_runge_kutta_methods[k]; k++) {
        if (strcmp(ss_runge_kutta_methods[k]->name, "half_explicit_dormand_prince_5") == 0) {
            slide(ss_runge_kutta_methods[k], 1024, exact);
        }
    }
    for (int k = 0; ss_runge_kutta_methods[k]; k++) {
        const ss_runge_kutta *method = ss_runge_kutta_methods[k];
        slide(method, steps[method->order], coarse);
        slide(method, 4 * steps[method->order], fine); /* errors change their sign on the way: two halvings */
        double one = hypot(coarse[0] - exact[0], coarse[1] - exact[1]), two = hypot(fine[0] - exact[0], fine[1] - exact[1]);
        CHECK(0.5 * log2(one / two) > method->order - 0.25);
    }
}

/* ---- impulses ----------------------------------------------------------------------------------------- */

TEST(impulses_of_a_step_make_up_its_change_of_momentum)
{
    static const char text[] = HEAD(
        2, "[2,-10]") "'materials':[{'name':'m','mu':0.1}],'bodies':[{'name':'box','type':'rigid','mass':2,'position':[0,0.1],"
                      "'velocity':[1,0],'shapes':[{'type':'box','size':[1,0.2],'material':'m'}]},"
                      "{'name':'bob','type':'particle','mass':1,'position':[0.5,1],'velocity':[1,0]},"
                      "{'name':'floor','type':'fixed','shapes':[{'type':'half_space','normal':[0,1],'material':'m'}]}],"
                      "'joints':[{'type':'distance','bodies':['box','bob']}],'forces':[{'type':'spring_damper','bodies':"
                      "['world','bob'],'stiffness':20,'damping':1,'length':0.5}]}";
    for (int k = 0; ss_runge_kutta_methods[k]; k++) {
        closed_scene x;
        ss_stages *stages = NULL;
        double buffer[SS_IMPULSES][N_MAX], *impulse[SS_IMPULSES], work[SS_IMPULSES], driven[3], q[N_MAX], v[N_MAX], dv[N_MAX],
            p[N_MAX];
        bool found = false;
        open_held(&x, text, 0, 0, NULL);
        close_all(&x, SS_MODE_SLIP, 1, ss_v3(0, 0, 0), 0);
        CHECK_OK(x.ctx, ss_stages_create(x.ctx, ss_runge_kutta_methods[k], x.phase, &stages));
        CHECK_OK(x.ctx, ss_stages_step(stages, x.s, 0, x.q, x.v, 0.05, q, v, &found));
        CHECK(found);
        for (int kind = 0; kind < SS_IMPULSES; kind++) {
            impulse[kind] = buffer[kind];
        }
        CHECK_OK(x.ctx, ss_stages_impulses(stages, x.s->arena, &x.m->mass, impulse, work, driven));
        for (int i = 0; i < x.m->nv; i++) {
            dv[i] = v[i] - x.v[i];
        }
        ss_matrix_times(&x.m->mass, dv, p);
        for (int i = 0; i < x.m->nv; i++) {
            double sum = 0;
            for (int kind = 0; kind < SS_IMPULSES; kind++) {
                sum += impulse[kind][i];
            }
            CHECK_NEAR(sum, p[i], 3e-15); /* round-off: Newton goes as far as it lets */
        }
        CHECK_NEAR(impulse[SS_IMPULSE_GRAVITY][1], -2 * 10 * 0.05, 1e-14);
        double pressed = impulse[SS_IMPULSE_CONTACT_NORMAL][1];
        CHECK(pressed > 0.5);
        CHECK_NEAR(impulse[SS_IMPULSE_CONTACT_FRICTION][0], -0.1 * pressed, 1e-12); /* -mu r_N s at every stage */
        CHECK(driven[0] == 0 && driven[1] == 0 && driven[2] == 0);
        ss_stages_destroy(stages);
        close_held(&x);
    }
}

TEST(a_step_does_not_depend_on_the_steps_before_it)
{
    for (int k = 0; ss_runge_kutta_methods[k]; k++) {
        closed_scene x, y;
        open_held(&x, heavy_top.text, 0, 0, NULL);
        open_held(&y, heavy_top.text, 0, 0, NULL);
        close_all(&x, SS_MODE_NONE, 1, ss_v3(0, 0, 0), 0);
        close_all(&y, SS_MODE_NONE, 1, ss_v3(0, 0, 0), 0);
        ss_stages *one = NULL, *two = NULL;
        double q[N_MAX] = { 0 }, v[N_MAX] = { 0 }, q_again[N_MAX] = { 0 }, v_again[N_MAX] = { 0 };
        bool found = false;
        CHECK_OK(x.ctx, ss_stages_create(x.ctx, ss_runge_kutta_methods[k], x.phase, &one));
        CHECK_OK(y.ctx, ss_stages_create(y.ctx, ss_runge_kutta_methods[k], y.phase, &two));
        CHECK_OK(x.ctx, ss_stages_step(one, x.s, 0, x.q, x.v, 0.003, q, v, &found)); /* another one before it */
        CHECK_OK(x.ctx, ss_stages_step(one, x.s, 0, x.q, x.v, 0.001, q, v, &found));
        CHECK_OK(y.ctx, ss_stages_step(two, y.s, 0, y.q, y.v, 0.001, q_again, v_again, &found));
        CHECK(memcmp(q, q_again, sizeof q) == 0 && memcmp(v, v_again, sizeof v) == 0);
        ss_stages_destroy(one);
        ss_stages_destroy(two);
        close_held(&x);
        close_held(&y);
    }
}

TEST(forces_that_are_not_numbers_have_no_step)
{
    closed_scene x;
    open_held(
        &x,
        HEAD(2, "[0,-10]") "'bodies':[{'name':'p','type':'particle','mass':1,'position':[0,0]}],'forces':[{'type':'expression',"
                           "'body':'p','force':['sqrt(0.01-t)',0]}]}",
        0, 0, NULL);
    close_all(&x, SS_MODE_NONE, 1, ss_v3(0, 0, 0), 0);
    for (int k = 0; ss_runge_kutta_methods[k]; k++) {
        ss_stages *stages = NULL;
        double q[N_MAX], v[N_MAX];
        bool found = true;
        CHECK_OK(x.ctx, ss_stages_create(x.ctx, ss_runge_kutta_methods[k], x.phase, &stages));
        CHECK_OK(x.ctx, ss_stages_step(stages, x.s, 0, x.q, x.v, 0.1, q, v, &found));
        CHECK(!found || !isfinite(v[0]));
        ss_stages_destroy(stages);
    }
    close_held(&x);
}

/* Every method: a body that turns freely, steps until the budget of 20 evaluations is used up, and none after that. */
TEST(a_budget_ends_after_as_many_evaluations_of_the_stages)
{
    for (int k = 0; ss_runge_kutta_methods[k]; k++) {
        closed_scene x;
        ss_stages *stages = NULL;
        double q[N_MAX], v[N_MAX];
        bool found = true;
        int steps = 0;
        open_held(&x, free_body.text, 0, 0, NULL);
        close_all(&x, SS_MODE_NONE, 1, ss_v3(0, 0, 0), 0);
        CHECK_OK(x.ctx, ss_stages_create(x.ctx, ss_runge_kutta_methods[k], x.phase, &stages));
        ss_stages_begin(stages, 20);
        for (; found && steps < 100; steps++) {
            CHECK(!ss_stages_is_exhausted(stages) || steps > 0);
            CHECK_OK(x.ctx, ss_stages_step(stages, x.s, 0, x.q, x.v, 0.05, q, v, &found));
        }
        CHECK(ss_stages_is_exhausted(stages) && steps > 1 && steps <= 21); /* an evaluation at least for each that was made */
        ss_stages_destroy(stages);
        close_held(&x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_free_body_turns_with_the_order_of_the_method),
        cmocka_unit_test(a_heavy_top_turns_on_its_joint_with_the_order_of_the_method),
        cmocka_unit_test(slip_with_a_damper_has_the_order_of_the_method),
        cmocka_unit_test(slip_that_turns_has_the_order_of_the_method),
        cmocka_unit_test(impulses_of_a_step_make_up_its_change_of_momentum),
        cmocka_unit_test(a_step_does_not_depend_on_the_steps_before_it),
        cmocka_unit_test(forces_that_are_not_numbers_have_no_step),
        cmocka_unit_test(a_budget_ends_after_as_many_evaluations_of_the_stages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
