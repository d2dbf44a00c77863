/* Links, points and coordinates without mass that joints hold: they transmit forces, and nothing else. */
#include "text_run.h"

#define HEAD(dimension, gravity, more)                                                                                           \
    "{'slipstick':1,'dimension':" #dimension ",'gravity':" gravity ",'time':{'until':2,'step':0.01},'scheme':{'name':"           \
    "'galpha_ggl'},'materials':[{'name':'m','mu':0.3,'e':0.5}]," more
#define BOB(place) "{'name':'bob','type':'particle','mass':2,'position':" place ",'shapes':[{'type':'point','material':'m'}]}"
#define WALL       "{'name':'wall','type':'fixed','shapes':[{'type':'half_space','normal':[1,0],'offset':0.2,'material':'m'}]}"
#define SPRING(bodies, anchor)                                                                                                   \
    "'forces':[{'name':'spring','type':'spring_damper','bodies':" bodies ",'anchors':[" anchor                                   \
    ",[1,1]],'stiffness':40,'damping':1,'length':0.5}]}"

static const char *const both[2] = { "scheme.newton=monolithic", "scheme.newton=sequential" };

/* a bob on a rod without mass, and on a distance; it strikes a wall */
static const char rod[] = HEAD(2, "[0,-9.81]",
                               "'bodies':[" BOB("[1,0]") "," WALL ",{'name':'rod','type':'rigid','mass':0,'inertia':0,"
                                                         "'position':[0.5,0]}],") "'joints':[{'type':'revolute','bodies':["
                                                                                  "'world','rod'],'at':[0,0]},{'type':"
                                                                                  "'revolute','bodies':['rod','bob'],'at':[1,"
                                                                                  "0]}]";
static const char plain[] = HEAD(
    2, "[0,-9.81]",
    "'bodies':[" BOB("[1,0]") "," WALL "],") "'joints':[{'type':'distance','bodies':['world','bob'],'anchors':[[0,0],[0,0]]}]";

/* the text of a scene that ends, or goes on with a spring */
static run begin_with(const char *text, const char *end, const char *set)
{
    char whole[4096];
    snprintf(whole, sizeof whole, "%s%s", text, end);
    return begin(whole, 1, &set);
}

static void end_certified(run *r)
{
    CHECK(summary(r)->unconverged_steps == 0);
    CHECK(summary(r)->max_joint_error <= 1e-12);
    leave(r);
}

/* Two scenes whose first two coordinates are those of one and the same bob. 1e-9: Newton's method stops at 1e-12 of the speeds,
 * and impacts and a pendulum let errors grow. */
static void compare(run *a, run *b, double until)
{
    for (int k = 1; k <= 20; k++) {
        advance(a, until * k / 20);
        advance(b, until * k / 20);
        for (int i = 0; i < 2; i++) {
            CHECK_NEAR(ss_sim_q(a->sim)[i], ss_sim_q(b->sim)[i], 1e-9);
            CHECK_NEAR(ss_sim_v(a->sim)[i], ss_sim_v(b->sim)[i], 1e-9);
        }
    }
}

TEST(a_pendulum_on_a_rod_without_mass_swings_and_bounces_as_a_plain_one)
{
    for (int k = 0; k < 2; k++) {
        run a = begin_with(rod, "}", both[k]), b = begin_with(plain, "}", both[k]);
        compare(&a, &b, 2);
        CHECK(ss_sim_ledger(a.sim)->contact_normal < -1); /* it has struck the wall */
        end_certified(&a);
        end_certified(&b);
    }
}

TEST(a_link_without_mass_passes_the_force_of_a_spring_on_and_its_work_is_that_of_the_spring)
{
    run a = begin_with(rod, "," SPRING("['rod','world']", "[0.5,0]"), both[0]),
        b = begin_with(plain, "," SPRING("['bob','world']", "[0,0]"), both[0]);
    compare(&a, &b, 1);
    CHECK(fabs(ss_sim_ledger(b.sim)->springs) > 0.1);
    /* the anchors move along one and the same circle; the link turns about its middle by h^2 more or less within a step */
    CHECK_NEAR(ss_sim_ledger(a.sim)->springs, ss_sim_ledger(b.sim)->springs, 1e-5);
    CHECK_NEAR(ss_sim_ledger(a.sim)->dampers, ss_sim_ledger(b.sim)->dampers, 1e-5);
    end_certified(&a);
    end_certified(&b);
}

/* a point mass as a rigid body without inertia, welded to a link without mass, in space */
TEST(moments_of_inertia_may_be_zero_in_space)
{
    static const char link[] =
        HEAD(3, "[0,-9.81,0]",
             "'bodies':[{'name':'bob','type':'rigid','mass':2,'inertia':[0,0,0],'position':[1,0,0]},{'name':'rod','type':'rigid',"
             "'mass':0,'inertia':[0,0,0],'position':[0.5,0,0]}],") "'joints':[{'type':'revolute','bodies':['world','rod'],'at':"
                                                                   "[0,0,0],'axis':[0,0,1]},{'type':'fixed','bodies':['rod',"
                                                                   "'bob']}]}";
    run a = begin_with(link, "", both[0]), b = begin_with(plain, "}", "bodies.wall.shapes.0.offset=-2");
    compare(&a, &b, 2);
    end_certified(&a);
    end_certified(&b);
}

/* ---- a coordinate of a user block --------------------------------------------------------------------------- */

static ss_status block_mass(void *user, double t, const double *q, double *M)
{
    (void)user, (void)t, (void)q;
    M[0] = 1;
    M[1] = M[2] = M[3] = 0;
    return SS_OK;
}

/* on the coordinate without mass alone */
static ss_status block_force(void *user, double t, const double *q, const double *v, double *k)
{
    (void)user, (void)t, (void)q, (void)v;
    k[0] = 0;
    k[1] = -2;
    return SS_OK;
}

/* q_1 = q_0^2 */
static ss_status block_constraint(void *user, double t, const double *q, double *g, double *G, double *g_t)
{
    (void)user, (void)t;
    g[0] = q[1] - q[0] * q[0];
    G[0] = -2 * q[0];
    G[1] = 1;
    g_t[0] = 0;
    return SS_OK;
}

/* |q_0 - cos 2t| at t = 1: the force -2 on q_1 is -4 q_0 on q_0 */
static double block_error(double h)
{
    static const double q[2] = { 1, 1 }, v[2] = { 0, 0 };
    run r = { .ctx = test_context() };
    ss_scene_settings settings = ss_scene_settings_default();
    ss_body_desc body = ss_body_desc_default();
    ss_block block = ss_block_default();
    settings.until = 1;
    settings.step = h;
    settings.scheme = "galpha_ggl";
    block.n = 2;
    block.constant_mass = true;
    block.mass = block_mass;
    block.force = block_force;
    block.constraints = 1;
    block.constraint = block_constraint;
    body.type = SS_BODY_BLOCK;
    body.block = &block;
    body.block_q = q;
    body.block_v = v;
    CHECK_OK(r.ctx, ss_scene_create(r.ctx, &settings, &r.scene));
    CHECK_OK(r.ctx, ss_scene_add_body(r.scene, &body, NULL));
    open_scene(&r);
    advance(&r, 1);
    const double error = fabs(ss_sim_q(r.sim)[0] - cos(2));
    end_certified(&r);
    return error;
}

TEST(a_coordinate_of_a_user_block_may_have_no_mass)
{
    const double coarse = block_error(0.01), fine = block_error(0.005);
    CHECK(coarse < 1e-3);
    CHECK(coarse / fine > 3.6 && coarse / fine < 4.4); /* order 2 */
}

/* ---- refused --------------------------------------------------------------------------------------------------- */

TEST(schemes_that_divide_by_masses_and_links_that_nothing_holds_are_refused)
{
    ss_context *ctx = test_context();
    char text[4096];
    snprintf(text, sizeof text, "%s}", rod);
    CHECK_FAILS(ctx, whole_run(ctx, text, "scheme.name=moreau", 1), SS_ERR_UNSUPPORTED,
                "bodies.rod.mass: 0, but scheme moreau divides by masses; galpha_ggl does not");
    CHECK_FAILS(ctx, whole_run(ctx, text, "joints.1.bodies=[\"world\",\"bob\"]", 1), SS_ERR_UNSUPPORTED,
                "bodies.rod.inertia: 0, but its joints leave it free to move, and nothing says how");
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pendulum_on_a_rod_without_mass_swings_and_bounces_as_a_plain_one),
        cmocka_unit_test(a_link_without_mass_passes_the_force_of_a_spring_on_and_its_work_is_that_of_the_spring),
        cmocka_unit_test(moments_of_inertia_may_be_zero_in_space),
        cmocka_unit_test(a_coordinate_of_a_user_block_may_have_no_mass),
        cmocka_unit_test(schemes_that_divide_by_masses_and_links_that_nothing_holds_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
