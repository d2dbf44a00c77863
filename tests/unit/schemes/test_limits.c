/* Limits of joints have a restitution: what strikes one comes back with e times its speed, in every scheme that has an impact
 * law, the energy that is lost is in the ledger, and the order is the one declared. */
#include "hinge_run.h"

/* Joints whose coordinate has one unit of mass, moves at `speed` and strikes its limit after half a second. */
typedef struct joint_case {
    const char *name, *text;
    double speed; /* of the velocity below, along the coordinate */
    int v;        /* that velocity */
} joint_case;

#define SCENE(dimension, gravity, body, joint)                                                                                   \
    "{'slipstick':1,'dimension':" dimension ",'gravity':" gravity ",'time':{'until':1,'step':0.01},'bodies':[" body "],"         \
    "'joints':[" joint "]}"

static const joint_case cases[] = {
    { "revolute",
      SCENE("2", "[0,0]", "{'name':'b','type':'rigid','mass':1,'inertia':1,'angular_velocity':-30}",
            "{'name':'j','type':'revolute','bodies':['world','b'],'limits':[-15,null]}"),
      -30, 2 },
    { "revolute in space",
      SCENE("3", "[0,0,0]", "{'name':'b','type':'rigid','mass':1,'inertia':[1,1,1],'angular_velocity':[10,20,-20]}",
            "{'name':'j','type':'revolute','bodies':['world','b'],'axis':[1,2,-2],'limits':[null,15]}"),
      10, 3 },
    { "prismatic",
      SCENE("2", "[0,0]", "{'name':'b','type':'rigid','mass':1,'inertia':1,'velocity':[2,0]}",
            "{'name':'j','type':'prismatic','bodies':['world','b'],'axis':[1,0],'limits':[-1,1]}"),
      2, 0 },
    { "prismatic in space",
      SCENE("3", "[0,0,0]", "{'name':'b','type':'rigid','mass':1,'inertia':[1,1,1],'velocity':[-2,0,0]}",
            "{'name':'j','type':'prismatic','bodies':['b','world'],'axis':[1,0,0],'start':4,'limits':[null,5]}"),
      -2, 0 },
    { "cylindrical",
      SCENE("3", "[0,0,0]", "{'name':'b','type':'rigid','mass':1,'inertia':[1,1,1],'velocity':[0,2,0]}",
            "{'name':'j','type':'cylindrical','bodies':['world','b'],'axis':[0,1,0],'limits':[null,1]}"),
      2, 1 },
    { "point on a line",
      SCENE("2", "[0,0]", "{'name':'b','type':'rigid','mass':1,'inertia':1,'velocity':[2,0]}",
            "{'name':'j','type':'point_on_line','bodies':['world','b'],'axis':[1,0],'limits':[null,1]}"),
      2, 0 },
    /* both the turn and the way along the thread come back */
    { "screw",
      SCENE("3", "[0,0,0]",
            "{'name':'b','type':'rigid','mass':1,'inertia':[1,1,1],'velocity':[0,0,3],'angular_velocity':[0,0,30]}",
            "{'name':'j','type':'screw','bodies':['world','b'],'axis':[0,0,1],'pitch':'0.2*pi','limits':[null,15]}"),
      30, 5 },
    { "rope",
      SCENE("2", "[0,0]", "{'name':'b','type':'particle','mass':1,'position':[1,0],'velocity':[2,0]}",
            "{'name':'j','type':'distance','bodies':['world','b'],'limits':[null,2]}"),
      2, 0 },
    { "strut",
      SCENE("3", "[0,0,0]", "{'name':'b','type':'particle','mass':1,'position':[0,3,0],'velocity':[0,-4,0]}",
            "{'name':'j','type':'distance','bodies':['world','b'],'limits':[1,null]}"),
      -4, 1 },
};
enum { CASES = sizeof cases / sizeof *cases };

static bool bounces(const ss_entry *scheme) { return scheme->laws & (SS_LAW_NEWTON | SS_LAW_POISSON); }

/* in time, and tells so */
static bool locates(const ss_entry *scheme)
{
    static const char *const names[] = { "anitescu_potra", "event_capturing_rk", "trapezoidal" };
    bool any = false;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        any = any || strcmp(scheme->name, names[k]) == 0;
    }
    return any;
}

typedef struct strikes {
    int n;
    double t;
} strikes;

static ss_status count_strikes(void *user, const ss_sim *sim, const ss_event *event)
{
    strikes *x = user;
    (void)sim;
    x->n += event->kind == SS_EVENT_LIMIT;
    x->t = event->t;
    return SS_OK;
}

static void check_bounce(const joint_case *x, double e, const way *w)
{
    char restitution[64];
    strikes seen = { 0 };
    snprintf(restitution, sizeof restitution, "joints.j.restitution=%g", e);
    run r = begin_way(x->text, w, restitution);
    double energy = summary(&r)->energy_initial;
    CHECK_OK(r.ctx, ss_sim_observe(r.sim, &(ss_observer){ .user = &seen, .on_event = count_strikes }));
    advance(&r, 0.9);
    const ss_ledger *l = ss_sim_ledger(r.sim);
    /* a scheme that does not locate closes the gap to 5e-11 of its unit, which is a speed of 5e-9 in a step */
    double exact = seen.n > 0 ? 1e-13 : 1e-8;
    CHECK_NEAR(ss_sim_v(r.sim)[x->v], -e * x->speed, exact * fabs(x->speed));
    CHECK_NEAR(l->contact_normal, (e * e - 1) * energy, 2 * exact * energy);
    CHECK(l->impact_gain == 0 && l->impact_gains == 0);
    CHECK(seen.n == locates(w->scheme) && (seen.n == 0 || fabs(seen.t - 0.5) < 1e-12));
    end_certified(&r);
}

TEST(what_strikes_a_limit_comes_back_with_e_times_its_speed_in_every_joint_and_scheme)
{
    for (int k = 0; k < ways(); k++) {
        way w = way_of(k, 0.01);
        for (int j = 0; j < CASES && bounces(w.scheme); j++) {
            print_message("%s: %s%s\n", cases[j].name, w.scheme->name, w.controlled ? ", step control" : "");
            check_bounce(&cases[j], 0.5, &w);
            check_bounce(&cases[j], 1, &w);
        }
    }
}

TEST(one_limit_is_struck_alike_by_every_impact_law)
{
    static const char *const laws[] = { "scheme.restitution=poisson", "scheme.restitution=newton",
                                        "scheme.restitution=simplified" };
    for (int k = 0; k < 3; k++) {
        const char *set[] = { laws[k], "joints.j.restitution=0.7" };
        run r = begin(cases[1].text, 2, set);
        advance(&r, 0.9);
        for (int i = 0; i < 3; i++) {
            CHECK_NEAR(ss_sim_v(r.sim)[3 + i], -0.7 * (i == 0 ? 10 : i == 1 ? 20 : -20), 1e-12);
        }
        end_certified(&r);
    }
}

TEST(without_a_restitution_a_limit_takes_all_speed)
{
    for (int k = 0; k < ways(); k++) {
        way w = way_of(k, 0.01);
        for (int j = 0; j < CASES; j++) {
            run r = begin_way(cases[j].text, &w, NULL);
            print_message("%s: %s%s\n", cases[j].name, w.scheme->name, w.controlled ? ", step control" : "");
            advance(&r, 0.9);
            CHECK_NEAR(ss_sim_v(r.sim)[cases[j].v], 0, 1e-8 * fabs(cases[j].speed));
            end_certified(&r);
        }
    }
}

TEST(a_scheme_for_inelastic_contact_refuses_limits_that_bounce)
{
    ss_context *ctx = test_context();
    run r = { .ctx = ctx };
    const char *set[] = { "joints.j.restitution=0.5", "scheme.name=anitescu_convex" };
    CHECK_OK(ctx, parse(&r, cases[0].text, 2, set));
    CHECK_OK(ctx, ss_model_compile(ctx, r.scene, &r.model));
    CHECK_FAILS(ctx, ss_sim_create(ctx, r.model, NULL, &r.sim), SS_ERR_UNSUPPORTED,
                "anitescu_convex is for inelastic contact, and the limits of joint j have restitution 0.5");
    leave(&r);
}

/* Two free bodies on one hinge: the relative rate turns round by e, the angular momentum stays. */
TEST(two_bodies_on_a_hinge_bounce_off_its_limit_and_keep_their_angular_momentum)
{
    static const char text[] = SCENE("2", "[0,0]",
                                     "{'name':'a','type':'rigid','mass':1,'inertia':1,'angular_velocity':-6},"
                                     "{'name':'b','type':'rigid','mass':1,'inertia':3,'angular_velocity':14}",
                                     "{'name':'j','type':'revolute','bodies':['a','b'],'restitution':0.25,'limits':[null,10]}");
    for (int k = 0; k < ways(); k++) {
        way w = way_of(k, 0.01);
        if (bounces(w.scheme)) {
            double rate;
            print_way(&w);
            run r = begin_way(text, &w, NULL);
            advance(&r, 0.9);
            angle_of(&r, 0, &rate);
            CHECK_NEAR(rate, -0.25 * 20, 1e-7);
            CHECK_NEAR(ss_sim_v(r.sim)[2] + 3 * ss_sim_v(r.sim)[5], 36, 1e-11);
            end_certified(&r);
        }
    }
}

/* ---- order ------------------------------------------------------------------------------------------ */

/* The angle falls with x'' = -a from 0, strikes -depth at speed s = sqrt(2 a depth) and comes back with e s, again and again:
 * where it is at time t, counted from -depth. */
static double height_at(double t, double a, double depth, double e)
{
    double s = sqrt(2 * a * depth), left = t - s / a;
    if (left < 0) {
        return depth - 0.5 * a * t * t;
    }
    for (s *= e; left > 2 * s / a; s *= e) {
        left -= 2 * s / a;
    }
    return s * left - 0.5 * a * left * left;
}

enum { LEVELS = 7 };

/* mean of the errors at the ends of eighths of the run: a norm that an impact at another place in its step does not upset */
static double mean_error(const char *text, const ss_entry *scheme, double step)
{
    way w = { scheme, false, step };
    double sum = 0, rate;
    run r = begin_way(text, &w, NULL);
    for (int k = 1; k <= 8; k++) {
        advance(&r, 0.25 * k);
        sum += fabs(angle_of(&r, 0, &rate) + 12 - height_at(0.25 * k, 40, 12, 0.5));
    }
    CHECK(summary(&r)->unconverged_steps == 0);
    leave(&r);
    return sum / 8;
}

/* slope of log error over log step by least squares */
static double fitted_order(const double *error)
{
    double sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (int k = 0; k < LEVELS; k++) {
        double x = -k, y = log2(error[k]);
        sx += x;
        sy += y;
        sxx += x * x;
        sxy += x * y;
    }
    return (LEVELS * sxy - sx * sy) / (LEVELS * sxx - sx * sx);
}

TEST(a_hinge_that_falls_on_its_limit_in_another_turn_is_followed_with_the_declared_order)
{
    static const char text[] =
        SCENE("3", "[0,0,0]", "{'name':'b','type':'rigid','mass':1,'inertia':[1,1,1]}",
              "{'name':'j','type':'revolute','bodies':['world','b'],'axis':[1,2,-2],'restitution':0.5,'limits':[-12,null],"
              "'motor':{'force':'-40'}}");
    for (int k = 0; k < tested_schemes(); k++) {
        const ss_entry *scheme = ss_registry_entry(SS_SCHEMES, k);
        double error[LEVELS], worst = 0;
        for (int i = 0; i < LEVELS && bounces(scheme); i++) {
            error[i] = mean_error(text, scheme, ldexp(0.03125, -i));
            worst = fmax(worst, error[i]);
        }
        if (!bounces(scheme) || worst < 1e-10) { /* a parabola is exact for methods of order 2 that locate */
            continue;
        }
        double order = fitted_order(error);
        print_message("%s: error %.3g .. %.3g, order %.2f of %g\n", scheme->name, error[0], error[LEVELS - 1], order,
                      scheme->order.impacts);
        CHECK(order > scheme->order.impacts - 0.25);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_strikes_a_limit_comes_back_with_e_times_its_speed_in_every_joint_and_scheme),
        cmocka_unit_test(one_limit_is_struck_alike_by_every_impact_law),
        cmocka_unit_test(without_a_restitution_a_limit_takes_all_speed),
        cmocka_unit_test(a_scheme_for_inelastic_contact_refuses_limits_that_bounce),
        cmocka_unit_test(two_bodies_on_a_hinge_bounce_off_its_limit_and_keep_their_angular_momentum),
        cmocka_unit_test(a_hinge_that_falls_on_its_limit_in_another_turn_is_followed_with_the_declared_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
