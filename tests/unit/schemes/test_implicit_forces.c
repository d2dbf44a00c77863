/* Springs, dampers and user blocks in the schemes of order one, which take them at the end of the step: recursions in closed
 * form, energy that never grows, contacts beside them. */
#include "unit/schemes/text_run.h"

static const char *const scheme[] = { "scheme.name=anitescu_potra", "scheme.name=anitescu_convex" };
static const double stiff[] = { 3, 1e2, 1e4, 1e6 }; /* h c/m, h^2 k/m */

static const char *number(char text[64], const char *key, double value)
{
    snprintf(text, 64, "%s=%.17g", key, value);
    return text;
}

static double energy(const run *r) { return ss_sim_summary(r->sim)->energy_final; }

/* All steps but `energy` of them certified, which have the remark of that name, and the ledger closed, to round-off of impulses
 * `size` times as large as their sum. */
static void finish_but(run *r, double size, int64_t energy)
{
    CHECK(summary(r)->unconverged_steps == energy && summary(r)->remark[SS_REMARK_ENERGY].steps == energy);
    CHECK(ss_sim_ledger(r->sim)->closure < 1e-15 * (10 + 10 * size));
    leave(r);
}

static void finish(run *r, double size) { finish_but(r, size, 0); }

/* ---- alone ------------------------------------------------------------------------------------------ */

TEST(a_damper_divides_the_velocity_by_one_plus_hc_over_m)
{
    for (int k = 0; k < 8; k++) {
        char text[64];
        const double hc = stiff[k / 2];
        const char *set[] = { scheme[k % 2], number(text, "forces.0.damping", hc / 0.01) };
        run r = begin_file("tests/unit/schemes/damper.json", 2, set);
        double v = 1, kinetic = 0.5;
        for (int i = 0; i < 20; i++) {
            CHECK_OK(r.ctx, ss_sim_step(r.sim, 0.01));
            v /= 1 + hc;
            CHECK_NEAR(ss_sim_v(r.sim)[0], v, 1e-14 * v); /* a few roundings a step */
            CHECK(energy(&r) < kinetic);
            kinetic = energy(&r);
        }
        CHECK_NEAR(ss_sim_ledger(r.sim)->dampers, -0.5, 1e-14);
        finish(&r, 0);
    }
}

TEST(explicit_dampers_are_those_of_the_papers_to_the_last_bit)
{
    for (int k = 0; k < 2; k++) {
        const char *set[] = { scheme[k], "scheme.forces=explicit" };
        run r = begin_file("tests/unit/schemes/damper.json", 2, set);
        advance(&r, 0.1);
        CHECK(ss_sim_v(r.sim)[0] == 1024); /* v' = v (1 - h c/m) = -2 v */
        leave(&r);
    }
}

/* along a line; the damper may be 0 */
#define LINE                                                                                                                     \
    "{'slipstick':1,'dimension':2,'gravity':[0,0],'time':{'until':1,'step':0.01},'bodies':[{'name':'p','type':'particle',"       \
    "'mass':1,'position':[1.125,0],'velocity':[0.5,0]}],'forces':[{'type':'spring_damper','bodies':['world','p'],"               \
    "'stiffness':1,'damping':0,'length':1}]}"

TEST(a_spring_and_a_damper_on_a_line_are_implicit_eulers_and_never_gain_energy)
{
    for (int k = 0; k < 16; k++) {
        char text[2][64];
        const double h = 0.01, kk = stiff[k % 4] / (h * h), c = k / 8 * 3 / h;
        const char *set[] = { scheme[k / 4 % 2], number(text[0], "forces.0.stiffness", kk),
                              number(text[1], "forces.0.damping", c) };
        run r = begin(LINE, 3, set);
        double x = 0.125, v = 0.5, before = 0.5 * v * v + 0.5 * kk * x * x;
        const double initial = before;
        for (int i = 0; i < 30; i++) {
            CHECK_OK(r.ctx, ss_sim_step(r.sim, h));
            v = (v - h * kk * x) / (1 + h * c + h * h * kk);
            x += h * v;
            /* positions of order 1 are rounded: k times that is a force */
            CHECK_NEAR(ss_sim_q(r.sim)[0], 1 + x, 1e-14);
            CHECK(energy(&r) <= before + 1e-14 * initial);
            before = energy(&r);
        }
        finish(&r, stiff[k % 4]);
    }
}

/* ---- in the plane ------------------------------------------------------------------------------------- */

/* a mass that goes round on a spring as stiff as a rod */
#define SWING                                                                                                                    \
    "{'slipstick':1,'dimension':2,'gravity':[0,0],'time':{'until':1,'step':0.01},'bodies':[{'name':'p','type':'particle',"       \
    "'mass':1,'position':[1,0],'velocity':[0,1]}],'forces':[{'type':'spring','bodies':['world','p'],'stiffness':1,'length':1}]}"

TEST(a_mass_on_a_spring_as_stiff_as_a_rod_goes_on_swinging)
{
    for (int k = 0; k < 8; k++) {
        char text[64];
        const char *set[] = { scheme[k % 2], number(text, "forces.0.stiffness", stiff[k / 2] / 1e-4) };
        run r = begin(SWING, 2, set);
        advance(&r, 1);
        const double *v = ss_sim_v(r.sim), *q = ss_sim_q(r.sim);
        /* h omega^2/2 is lost in a unit of time, as with a rod, and at most twice as much */
        CHECK(hypot(v[0], v[1]) > 1 - 0.01 && hypot(v[0], v[1]) < 1 + 1e-3);
        CHECK_NEAR(atan2(q[1], q[0]), 1, 0.01);
        CHECK_NEAR(hypot(q[0], q[1]), 1, 1e-3);
        /* the first step stretches the spring by (h v)^2/2, which is energy from nowhere: k (h v)^4/8 of 1/2 */
        finish_but(&r, stiff[k / 2], stiff[k / 2] * 1e-4 / 8 > 0.01 ? 1 : 0);
    }
}

/* two bodies on a spring at their corners, compressed or stretched by a quarter of a metre */
#define PAIR                                                                                                                     \
    "{'slipstick':1,'dimension':3,'gravity':[0,0,0],'time':{'until':1,'step':0.01},'bodies':["                                   \
    "{'name':'a','type':'rigid','mass':1,'inertia':[0.1,0.2,0.15],'position':[0,0,0],'velocity':[0,0.1,0]},"                     \
    "{'name':'b','type':'rigid','mass':2,'inertia':[0.1,0.2,0.25],'position':[2,0,0],'velocity':[0,-0.1,0.1]}],"                 \
    "'forces':[{'type':'spring','bodies':['a','b'],'anchors':[[0.3,0.2,0],[-0.1,0.3,0.2]],'stiffness':1,'length':1.36}]}"

TEST(a_pair_of_bodies_keeps_its_momentum_and_never_has_more_energy_than_at_the_start)
{
    for (int k = 0; k < 16; k++) {
        char text[64];
        const char *set[] = { scheme[k % 2], number(text, "forces.0.stiffness", stiff[k / 2 % 4] / 1e-4),
                              k < 8 ? "forces.0.length=1.36" : "forces.0.length=1.86" };
        run r = begin(PAIR, 3, set);
        advance(&r, 0.5);
        const double *v = ss_sim_v(r.sim), fast = 25; /* m/s: a quarter of a metre in a step */
        CHECK(summary(&r)->energy_max == summary(&r)->energy_initial);
        for (int i = 0; i < 3; i++) {
            const double momentum = i == 1 ? 0.1 - 0.2 : i == 2 ? 0.2 : 0;
            CHECK_NEAR(v[i] + 2 * v[6 + i], momentum, 1e-15 * fast * (100 + stiff[k / 2 % 4]));
        }
        finish(&r, stiff[k / 2 % 4]);
    }
}

/* ---- beside contacts ---------------------------------------------------------------------------------- */

/* a mass held by a mass above it through a spring, which falls on a floor */
#define HOPPER                                                                                                                   \
    "{'slipstick':1,'dimension':2,'gravity':[0,-9.8],'time':{'until':1,'step':0.01},'materials':[{'name':'m','mu':0.3,'e':0}],"  \
    "'bodies':[{'name':'foot','type':'particle','mass':1,'position':[0,0.3],'shapes':[{'type':'point','material':'m'}]},"        \
    "{'name':'head','type':'particle','mass':1,'position':[0.2,1.3]},{'name':'floor','type':'fixed','shapes':["                  \
    "{'type':'half_space','normal':[0,1],'material':'m'}]}],'forces':[{'type':'spring','bodies':['foot','head'],"                \
    "'stiffness':1,'length':1}]}"

TEST(a_spring_between_two_bodies_one_of_which_lands_never_gives_energy)
{
    for (int k = 0; k < 6; k++) {
        char text[64];
        const char *set[] = { scheme[k % 2], number(text, "forces.0.stiffness", stiff[k / 2] / 1e-4) };
        run r = begin(HOPPER, 2, set);
        advance(&r, 1);
        CHECK(summary(&r)->energy_max == summary(&r)->energy_initial);
        CHECK(summary(&r)->max_penetration < 1e-9);
        finish(&r, stiff[k / 2]);
    }
}

/* a mass goes round on a spring as stiff as a rod until it strikes a floor */
#define STRIKE                                                                                                                   \
    "{'slipstick':1,'dimension':2,'gravity':[0,0],'time':{'until':1,'step':0.01},'materials':[{'name':'m','mu':0,'e':0.5}],"     \
    "'bodies':[{'name':'p','type':'particle','mass':1,'position':[1,0],'velocity':[0,-1],'shapes':[{'type':'point',"             \
    "'material':'m'}]},{'name':'floor','type':'fixed','position':[0,-0.5],'shapes':[{'type':'half_space','normal':[0,1],"        \
    "'material':'m'}]}],'forces':[{'type':'spring','bodies':['world','p'],'stiffness':1e10,'length':1}]}"

TEST(a_body_on_a_stiff_spring_rebounds_as_its_material_says)
{
    run r = begin(STRIKE, 1, &scheme[0]);
    advance(&r, 0.7);
    const double *v = ss_sim_v(r.sim);
    /* at -30 degrees (-0.5, -0.866) becomes (-0.5, 0.433), of which the spring leaves 0.125 along the circle, back up. It pulls
     * with the force of O(h^2) off the circle, which in two steps would give it 100 m/s: its speeds are not to be measured by
     * that */
    CHECK(summary(&r)->events == 1);
    CHECK(v[1] > 0);
    CHECK_NEAR(hypot(v[0], v[1]), 0.125, 0.02); /* of first order: h v */
    leave(&r);
}

/* ---- what moves them ---------------------------------------------------------------------------------- */

#define DRIVEN                                                                                                                   \
    "{'slipstick':1,'dimension':2,'gravity':[0,0],'time':{'until':1,'step':0.01},'bodies':[{'name':'p','type':'particle',"       \
    "'mass':1,'position':[1,0],'velocity':[2,0]},{'name':'cart','type':'driven','position':['2*t','0']}],"                       \
    "'forces':[{'type':'spring_damper','bodies':['cart','p'],'stiffness':1e8,'damping':1e6,'length':1}]}"

TEST(a_stiff_spring_follows_a_driven_body_without_delay)
{
    for (int k = 0; k < 2; k++) {
        run r = begin(DRIVEN, 1, &scheme[k]);
        advance(&r, 1);
        CHECK_NEAR(ss_sim_q(r.sim)[0], 3, 1e-12); /* a step late it would be 0.02 behind */
        CHECK_NEAR(ss_sim_v(r.sim)[0], 2, 1e-9);  /* h k times round-off of positions */
        leave(&r);
    }
}

/* two coordinates with -K q - C v + a force that only turns v, given without its Jacobian */
static const double block_k = 3e6, block_c = 2e4, block_turn = 0.5;

static ss_status block_mass(void *user, double t, const double *q, double *M)
{
    (void)user, (void)t, (void)q;
    M[0] = 2;
    M[3] = 0.5;
    return SS_OK;
}

static ss_status block_force(void *user, double t, const double *q, const double *v, double *k)
{
    (void)user, (void)t;
    k[0] = -block_k * q[0] - block_c * v[0] + block_turn * v[1];
    k[1] = -block_turn * v[0];
    return SS_OK;
}

static ss_status block_jacobian(void *user, double t, const double *q, const double *v, double *k_q, double *k_v)
{
    (void)user, (void)t, (void)q, (void)v;
    k_q[0] = -block_k;
    k_v[0] = -block_c;
    k_v[1] = block_turn;
    k_v[2] = -block_turn;
    return SS_OK;
}

static run open_block(const ss_block *block, const char *name)
{
    static const double q[2] = { 1, 0 }, v[2] = { 1, 2 };
    run r = { .ctx = test_context() };
    ss_scene_settings settings = ss_scene_settings_default();
    ss_body_desc body = ss_body_desc_default();
    settings.dimension = 2;
    settings.step = 0.01;
    settings.until = 1;
    settings.scheme = name;
    body.name = "block";
    body.type = SS_BODY_BLOCK;
    body.block = block;
    body.block_q = q;
    body.block_v = v;
    CHECK_OK(r.ctx, ss_scene_create(r.ctx, &settings, &r.scene));
    CHECK_OK(r.ctx, ss_scene_add_body(r.scene, &body, NULL));
    open_scene(&r);
    return r;
}

TEST(a_user_block_is_implicit_but_for_what_only_turns_its_velocity)
{
    for (int k = 0; k < 4; k++) {
        const double h = 0.01;
        double q = 1, v[2] = { 1, 2 };
        ss_block block = ss_block_default();
        block.n = 2;
        block.constant_mass = true;
        block.mass = block_mass;
        block.force = block_force;
        block.jacobian = k < 2 ? block_jacobian : NULL;
        run r = open_block(&block, k % 2 ? "anitescu_convex" : "anitescu_potra");
        for (int i = 0; i < 10; i++) {
            const double old = v[0];
            v[0] = (2 * v[0] + h * (-block_k * q + block_turn * v[1])) / (2 + h * block_c + h * h * block_k);
            v[1] -= h * block_turn * old / 0.5;
            q += h * v[0];
        }
        advance(&r, 0.1);
        const double allowed = k < 2 ? 1e-13 : 1e-6; /* round-off; that of differences, 1e-16 times 3e6 N over 1e-5 */
        CHECK_NEAR(ss_sim_q(r.sim)[0], q, allowed);
        CHECK_NEAR(ss_sim_v(r.sim)[0], v[0], allowed);
        CHECK_NEAR(ss_sim_v(r.sim)[1], v[1], allowed);
        finish(&r, 400); /* h c/m + h^2 k/m = 250 */
    }
}

/* ---- at rest ----------------------------------------------------------------------------------------- */

/* 360 kJ are stored in two springs that pull with 0.6 MN each. What is left of their forces is round-off, and so are the changes
 * of these energies. */
TEST(a_mass_at_rest_between_springs_that_balance_is_certified)
{
    static const char mass[] =
        "{'slipstick':1,'dimension':2,'gravity':[0,0],'time':{'step':0.01},'bodies':[{'name':'m',"
        "'type':'rigid','mass':1,'inertia':0.1,'position':[0.1,0.2]}],'forces':[{'type':'spring',"
        "'bodies':['world','m'],'anchors':[[1.3,0.7],[0,0]],'stiffness':1e6,'length':0.7},{'type':'spring',"
        "'bodies':['world','m'],'anchors':[[-1.1,-0.3],[0,0]],'stiffness':1e6,'length':0.7}]}";
    const char *schemes[] = { "scheme.name=anitescu_convex", "scheme.name=moreau", "scheme.name=trapezoidal",
                              "scheme.name=galpha_ggl", "scheme.name=event_capturing_rk" };
    for (size_t k = 0; k < sizeof schemes / sizeof *schemes; k++) {
        run r = begin(mass, 1, &schemes[k]);
        advance(&r, 1);
        CHECK(summary(&r)->unconverged_steps == 0);
        CHECK_NEAR(summary(&r)->energy_final, 3.6e5, 1e-9); /* of round-off, 1e-16 of it and of 0.6 MN m */
        leave(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_damper_divides_the_velocity_by_one_plus_hc_over_m),
        cmocka_unit_test(explicit_dampers_are_those_of_the_papers_to_the_last_bit),
        cmocka_unit_test(a_spring_and_a_damper_on_a_line_are_implicit_eulers_and_never_gain_energy),
        cmocka_unit_test(a_mass_on_a_spring_as_stiff_as_a_rod_goes_on_swinging),
        cmocka_unit_test(a_pair_of_bodies_keeps_its_momentum_and_never_has_more_energy_than_at_the_start),
        cmocka_unit_test(a_spring_between_two_bodies_one_of_which_lands_never_gives_energy),
        cmocka_unit_test(a_body_on_a_stiff_spring_rebounds_as_its_material_says),
        cmocka_unit_test(a_stiff_spring_follows_a_driven_body_without_delay),
        cmocka_unit_test(a_user_block_is_implicit_but_for_what_only_turns_its_velocity),
        cmocka_unit_test(a_mass_at_rest_between_springs_that_balance_is_certified),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
