/* The Runge-Kutta scheme with located events, through the driver: motions with an answer in closed form, or by quadrature, or by
 * a method that shares nothing with the scheme. */
#include "test.h"

#include "math/runge_kutta.h"
#include "sim/sim.h"
#include <slipstick/io.h>

/* ---- runs ------------------------------------------------------------------------------------------ */

enum { EVENTS = 400, STATE = 16 };

typedef struct seen {
    double t;
    ss_event_kind kind;
    double v_minus[STATE], v_plus[STATE]; /* impacts */
} seen;

typedef struct run {
    ss_context *ctx;
    ss_scene *scene;
    ss_model *model;
    ss_sim *sim;
    int n;
    seen event[EVENTS];
} run;

static ss_status on_event(void *user, const ss_sim *sim, const ss_event *event)
{
    run *r = user;
    seen *s = &r->event[r->n < EVENTS - 1 ? r->n++ : r->n];
    size_t size = (size_t)ss_sim_model(sim)->nv * sizeof(double);
    *s = (seen){ .t = event->t, .kind = event->kind };
    if (event->v_plus && size <= sizeof s->v_plus) {
        memcpy(s->v_minus, event->v_minus, size);
        memcpy(s->v_plus, event->v_plus, size);
    }
    return SS_OK;
}

static void open_model(run *r)
{
    CHECK_OK(r->ctx, ss_model_compile(r->ctx, r->scene, &r->model));
    CHECK_OK(r->ctx, ss_sim_create(r->ctx, r->model, NULL, &r->sim));
    CHECK_OK(r->ctx, ss_sim_observe(r->sim, &(ss_observer){ .user = r, .on_event = on_event }));
}

/* the scene is written with ' instead of " */
static void begin(run *r, const char *text, int sets, const char *const *set)
{
    char json[4096];
    size_t n = strlen(text);
    CHECK(n < sizeof json);
    for (size_t i = 0; i < n; i++) {
        json[i] = text[i] == '\'' ? '"' : text[i];
    }
    *r = (run){ .ctx = test_context() };
    CHECK_OK(r->ctx, ss_scene_parse(r->ctx, json, n, "scene", sets, set, &r->scene));
    open_model(r);
}

static void quit(run *r)
{
    ss_sim_destroy(r->sim);
    ss_model_destroy(r->model);
    ss_scene_destroy(r->scene);
    ss_context_destroy(r->ctx);
}

static void end(run *r)
{
    CHECK(ss_sim_summary(r->sim)->unconverged_steps == 0);
    CHECK(ss_sim_ledger(r->sim)->closure < 1e-11);
    CHECK(ss_sim_summary(r->sim)->max_penetration < 1e-12);
    quit(r);
}

static int count(const run *r, ss_event_kind kind)
{
    int n = 0;
    for (int i = 0; i < r->n; i++) {
        n += r->event[i].kind == kind;
    }
    return n;
}

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

#define HEAD(dimension, gravity, step)                                                                                           \
    "{'slipstick':1,'dimension':" #dimension ",'gravity':" gravity ",'time':{'until':1,'step':'" step                            \
    "'},'scheme':{'name':'event_capturing_rk'},"
#define FLOOR "{'name':'floor','type':'fixed','shapes':[{'type':'half_space','normal':[0,1],'material':'m'}]}"

/* ---- orders with blocks of the user ------------------------------------------------------------------ */

/* q = (x, y, z). On the circle x^2 + y^2 = R(t)^2 a force drives (x, y) to R (cos a, sin a); z is over a floor at f(t) + (x -
 * x*)/2, which it touches all the time with a force r(t), or meets once at t = STRIKE. The mass depends on t and q. All but q
 * itself is a known function of time. */
static const double STRIKE = 0.43, RESTITUTION = 0.5;

static double R(double t, int d) { return d == 0 ? 1 + 0.2 * sin(2 * t) : d == 1 ? 0.4 * cos(2 * t) : -0.8 * sin(2 * t); }
static double angle(double t, int d) { return d == 0 ? 0.3 + t + 0.1 * t * t : d == 1 ? 1 + 0.2 * t : 0.2; }
static double ground(double t, int d) { return d == 0 ? 0.3 * cos(3 * t) : d == 1 ? -0.9 * sin(3 * t) : -2.7 * cos(3 * t); }
static double press(double t) { return 2 + sin(4 * t); }
static double pull(double t) { return 1 + cos(3 * t); }

typedef struct made {
    bool strikes;
} made;

/* the solution and its derivatives, d = 0, 1, 2 */
static void solution(const made *m, double t, int d, double *q)
{
    double a = angle(t, 0), da = angle(t, 1), dda = angle(t, 2), c = cos(a), s = sin(a), r = R(t, 0), dr = R(t, 1), ddr = R(t, 2);
    double radial = d == 0 ? r : d == 1 ? dr : ddr - r * da * da, across = d == 0 ? 0 : d == 1 ? r * da : 2 * dr * da + r * dda;
    double u = t < STRIKE ? -1 : RESTITUTION;
    q[0] = radial * c - across * s;
    q[1] = radial * s + across * c;
    q[2] = ground(t, d) + (m->strikes && d < 2 ? u * (d == 0 ? t - STRIKE : 1) : 0);
}

static ss_status made_mass(void *user, double t, const double *q, double *M)
{
    (void)user;
    memset(M, 0, 9 * sizeof *M);
    M[0] = 2 + sin(t) + q[0] * q[0];
    M[1] = M[3] = 0.3 * q[0] * cos(t);
    M[4] = 3 + cos(q[1]);
    M[8] = 1.5 + 0.5 * sin(2 * t) + 0.2 * q[1];
    return SS_OK;
}

static ss_status made_gap(void *user, double t, const double *q, double *gap, double *H, double *gap_t)
{
    double x[3], v[3];
    solution(user, t, 0, x);
    solution(user, t, 1, v);
    gap[0] = q[2] - ground(t, 0) - (((made *)user)->strikes ? 0 : 0.5 * (q[0] - x[0]));
    H[0] = ((made *)user)->strikes ? 0 : -0.5;
    H[1] = 0;
    H[2] = 1;
    gap_t[0] = -ground(t, 1) + (((made *)user)->strikes ? 0 : 0.5 * v[0]);
    return SS_OK;
}

static ss_status made_constraint(void *user, double t, const double *q, double *g, double *G, double *g_t)
{
    (void)user;
    g[0] = q[0] * q[0] + q[1] * q[1] - R(t, 0) * R(t, 0);
    G[0] = 2 * q[0];
    G[1] = 2 * q[1];
    G[2] = 0;
    g_t[0] = -2 * R(t, 0) * R(t, 1);
    return SS_OK;
}

/* M a* - G' lam* - H' r*, and a spring and a damper to the solution across the constraints */
static ss_status made_force(void *user, double t, const double *q, const double *v, double *k)
{
    double M[9], g, G[3], g_t, gap, H[3], gap_t, q0[3], v0[3], a0[3];
    const made *m = user;
    made_mass(user, t, q, M);
    made_constraint(user, t, q, &g, G, &g_t);
    made_gap(user, t, q, &gap, H, &gap_t);
    solution(m, t, 0, q0);
    solution(m, t, 1, v0);
    solution(m, t, 2, a0);
    for (int i = 0; i < 3; i++) {
        k[i] = -pull(t) * G[i] - (m->strikes ? 0 : press(t) * H[i]);
        for (int j = 0; j < 3; j++) {
            k[i] += M[3 * i + j] * a0[j];
        }
    }
    k[0] += -2 * (q[0] - q0[0]) * (1 + q[1]) - 0.7 * (v[0] - v0[0]);
    k[1] += -3 * (q[1] - q0[1]) + (v[0] - v0[0]) * v[1];
    k[2] += m->strikes ? q[0] - q0[0] + v[1] - v0[1] : 0;
    return SS_OK;
}

static double made_error(const char *method, bool strikes, int steps)
{
    made m = { strikes };
    ss_block block = { .size = sizeof(ss_block),
                       .user = &m,
                       .n = 3,
                       .mass = made_mass,
                       .force = made_force,
                       .constraints = 1,
                       .constraint = made_constraint,
                       .gaps = 1,
                       .gap = made_gap,
                       .e = RESTITUTION };
    run r = { .ctx = test_context() };
    ss_scene_settings settings = ss_scene_settings_default();
    double q[3], v[3], error = 0;
    settings.dimension = 2;
    settings.step = 1.0 / steps;
    settings.scheme = "event_capturing_rk";
    CHECK_OK(r.ctx, ss_scene_create(r.ctx, &settings, &r.scene));
    CHECK_OK(r.ctx, ss_scene_set_option(r.scene, "scheme", &(ss_setting){ .key = "method", .text = method }));
    ss_body_desc body = ss_body_desc_default();
    solution(&m, 0, 0, q);
    solution(&m, 0, 1, v);
    body.name = "made";
    body.type = SS_BODY_BLOCK;
    body.block = &block;
    body.block_q = q;
    body.block_v = v;
    CHECK_OK(r.ctx, ss_scene_add_body(r.scene, &body, NULL));
    open_model(&r);
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 1));
    solution(&m, 1, 0, q);
    solution(&m, 1, 1, v);
    for (int i = 0; i < 3; i++) {
        error = fmax(error, fmax(fabs(ss_sim_q(r.sim)[i] - q[i]), fabs(ss_sim_v(r.sim)[i] - v[i])));
    }
    CHECK(r.n == (strikes ? 1 : 0));
    CHECK(ss_sim_summary(r.sim)->max_joint_error < 1e-12);
    quit(&r);
    return error;
}

static void check_made_orders(bool strikes)
{
    for (int k = 0; ss_runge_kutta_methods[k]; k++) {
        const ss_runge_kutta *method = ss_runge_kutta_methods[k];
        int steps = method->order == 2 ? 64 : method->order < 5 ? 32 : 16;
        double coarse = made_error(method->name, strikes, steps), fine = made_error(method->name, strikes, 2 * steps);
        CHECK(fine < 1e-3);
        CHECK(log2(coarse / fine) > method->order - 0.25);
    }
}

TEST(orders_hold_with_mass_constraint_and_closed_gap_that_depend_on_time) { check_made_orders(false); }

TEST(orders_hold_through_an_impact_on_a_gap_that_depends_on_time) { check_made_orders(true); }

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

/* ---- edges, rolling, slip ---------------------------------------------------------------------------------- */

TEST(a_point_that_slides_over_an_edge_falls)
{
    run r;
    begin(&r,
          HEAD(2, "[0,-10]", "1/16") "'materials':[{'name':'m','mu':0.1}],'bodies':[{'name':'p','type':'particle','mass':1,"
                                     "'position':[-1,0],'velocity':[3,0],'shapes':[{'type':'point','material':'m'}]},"
                                     "{'name':'platform','type':'fixed','position':[-1,-0.5],'shapes':[{'type':'box',"
                                     "'size':[2,1],'material':'m'}]}]}",
          0, NULL);
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.6));
    double u = sqrt(9 - 2.0), t = (3 - u) / 1, flight = 0.6 - t; /* braked by mu g = 1 over 1 m */
    CHECK_NEAR(ss_sim_q(r.sim)[0], u * flight, 1e-9);            /* the face is grown by a rim of 1e-9 of a length */
    CHECK_NEAR(ss_sim_q(r.sim)[1], -5 * flight * flight, 1e-8);
    CHECK_NEAR(ss_sim_v(r.sim)[0], u, 1e-8);
    end(&r);
}

TEST(a_box_that_slides_off_a_platform_tips_over_its_edge)
{
    run r;
    begin(&r,
          HEAD(2, "[0,-10]", "1/64") "'materials':[{'name':'m','mu':0}],'bodies':[{'name':'box','type':'rigid','mass':1,"
                                     "'position':[-0.5,0.1],'velocity':[1,0],'shapes':[{'type':'box','size':[0.4,0.2],"
                                     "'material':'m'}]},{'name':'platform','type':'fixed','position':[-2,-0.5],'shapes':[{'type':"
                                     "'box','size':[4,1],'material':'m'}]}]}",
          0, NULL);
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.49));
    CHECK_NEAR(ss_sim_q(r.sim)[2], 0, 1e-12); /* its centre is still over the platform */
    CHECK_NEAR(ss_sim_q(r.sim)[0], -0.01, 1e-12);
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 1));
    CHECK(ss_sim_q(r.sim)[2] < -0.2 && ss_sim_q(r.sim)[1] < 0.1);
    end(&r);
}

static const char sphere[] =
    HEAD(3, "[0,0,-10]", "1/16") "'materials':[{'name':'m','mu':0.2}],'bodies':[{'name':'ball','type':'rigid','mass':3,"
                                 "'inertia':['3*0.4*0.25','3*0.4*0.25','3*0.4*0.25'],'position':[0,0,0.5],'shapes':[{'type':"
                                 "'sphere','radius':0.5,'material':'m'}]},{'name':'floor','type':'fixed','shapes':[{'type':"
                                 "'half_space','normal':[0,0,1],'material':'m'}]}]}";

TEST(a_ball_rolls_down_a_slope_without_slip)
{
    const char *set[] = { "gravity=[4,0,-10]" };
    run r;
    begin(&r, sphere, 1, set);
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 1));
    double along = 5.0 / 7 * 4;
    CHECK_NEAR(ss_sim_q(r.sim)[0], 0.5 * along, 1e-13); /* constant accelerations: round-off */
    CHECK_NEAR(ss_sim_v(r.sim)[0], along, 1e-13);
    CHECK_NEAR(ss_sim_q(r.sim)[2], 0.5, 1e-14);
    CHECK_NEAR(ss_sim_v(r.sim)[4], along / 0.5, 1e-12);
    CHECK(r.n == 0);
    end(&r);
}

TEST(a_ball_with_backspin_rolls_when_its_slip_has_ended)
{
    const char *set[] = { "bodies.ball.velocity=[1,0,0]", "bodies.ball.angular_velocity=[0,-1,0]" };
    run r;
    begin(&r, sphere, 2, set);
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 1));
    double t = 1.5 / (3.5 * 0.2 * 10), v = 1 - 2 * t; /* the point slips at v - R w = 1.5, braked by 7/2 mu g */
    CHECK(count(&r, SS_EVENT_STICK) == 1 && r.n == 1);
    CHECK_NEAR(r.event[0].t, t, 1e-12);
    CHECK_NEAR(ss_sim_v(r.sim)[0], v, 1e-12);
    CHECK_NEAR(ss_sim_v(r.sim)[4], v / 0.5, 1e-12);
    CHECK_NEAR(ss_sim_q(r.sim)[0], t - t * t + v * (1 - t), 1e-12);
    end(&r);
}

/* x'' = -mu g s, s = u/|u|, u = x' - Omega x x: Kutta's method, Omega = 2 */
static void puck_rate(const double *y, double *f)
{
    double u[2] = { y[2] + 2 * y[1], y[3] - 2 * y[0] }, size = hypot(u[0], u[1]);
    f[0] = y[2];
    f[1] = y[3];
    f[2] = -3 * u[0] / size;
    f[3] = -3 * u[1] / size;
}

static void puck(int steps, double until, double *y)
{
    double h = until / steps, f[4][4], x[4];
    for (int n = 0; n < steps; n++) {
        puck_rate(y, f[0]);
        for (int s = 1; s < 4; s++) {
            for (int i = 0; i < 4; i++) {
                x[i] = y[i] + (s < 3 ? 0.5 : 1) * h * f[s - 1][i];
            }
            puck_rate(x, f[s]);
        }
        for (int i = 0; i < 4; i++) {
            y[i] += h / 6 * (f[0][i] + 2 * f[1][i] + 2 * f[2][i] + f[3][i]);
        }
    }
}

TEST(a_puck_on_a_turning_disc_follows_its_curve)
{
    static const char text[] =
        HEAD(3, "[0,0,-10]", "1/64") "'materials':[{'name':'m','mu':0.3}],'bodies':[{'name':'puck','type':'particle','mass':1,"
                                     "'position':[1,0,0],'velocity':[-1,-0.5,0],'shapes':[{'type':'point','material':'m'}]},"
                                     "{'name':'disc','type':'driven','position':[0,0,0],'angle':'2*t','axis':[0,0,1],"
                                     "'shapes':[{'type':'half_space','normal':[0,0,1],'material':'m'}]}]}";
    const char *methods[] = { "scheme.method=radau_iia_5", "scheme.method=half_explicit_dormand_prince_5" };
    double y[4] = { 1, 0, -1, -0.5 };
    puck(2000, 0.5, y);
    for (int m = 0; m < 2; m++) {
        run r;
        begin(&r, text, 1, &methods[m]);
        CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.5));
        for (int i = 0; i < 2; i++) {
            CHECK_NEAR(ss_sim_q(r.sim)[i], y[i], 1e-9); /* order 5, h = 1/64 */
            CHECK_NEAR(ss_sim_v(r.sim)[i], y[2 + i], 1e-8);
        }
        CHECK(r.n == 0);
        end(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_hold_with_mass_constraint_and_closed_gap_that_depend_on_time),
        cmocka_unit_test(orders_hold_through_an_impact_on_a_gap_that_depends_on_time),
        cmocka_unit_test(a_ball_strikes_a_table_that_oscillates_when_and_as_it_should),
        cmocka_unit_test(a_box_on_a_belt_that_accelerates_slips_sticks_and_slips),
        cmocka_unit_test(a_motor_with_a_bound_follows_its_speed_as_far_as_it_can),
        cmocka_unit_test(a_rod_strikes_the_limit_of_its_joint_and_stays_there),
        cmocka_unit_test(three_balls_that_touch_collide_at_once),
        cmocka_unit_test(two_balls_that_strike_a_third_from_both_sides_in_one_instant_keep_the_symmetry),
        cmocka_unit_test(the_earlier_of_two_impacts_in_a_step_comes_first),
        cmocka_unit_test(a_mass_on_a_shaken_table_takes_off_when_its_force_ends_and_lands),
        cmocka_unit_test(a_rocking_block_loses_what_housner_says_at_every_impact_and_comes_to_rest),
        cmocka_unit_test(a_ball_bounces_to_its_accumulation_and_lies_still),
        cmocka_unit_test(a_step_with_many_bounces_costs_few_evaluations_for_each_of_them),
        cmocka_unit_test(a_step_whose_events_are_too_many_still_comes_to_its_end),
        cmocka_unit_test(a_joint_shows_its_reaction_where_no_contact_is_closed),
        cmocka_unit_test(a_particle_alone_flies_along_its_parabola),
        cmocka_unit_test(a_force_that_is_not_a_number_ends_the_run_with_a_word_and_leaves_the_state),
        cmocka_unit_test(a_point_that_slides_over_an_edge_falls),
        cmocka_unit_test(a_box_that_slides_off_a_platform_tips_over_its_edge),
        cmocka_unit_test(a_ball_rolls_down_a_slope_without_slip),
        cmocka_unit_test(a_ball_with_backspin_rolls_when_its_slip_has_ended),
        cmocka_unit_test(a_puck_on_a_turning_disc_follows_its_curve),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
