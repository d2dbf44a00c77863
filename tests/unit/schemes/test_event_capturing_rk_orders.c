/* Orders of the Runge-Kutta scheme with located events, measured on a motion made up in closed form: blocks of the user whose
 * mass, constraint and gap depend on time. */
#include "math/runge_kutta.h"
#include "unit/schemes/event_run.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_hold_with_mass_constraint_and_closed_gap_that_depend_on_time),
        cmocka_unit_test(orders_hold_through_an_impact_on_a_gap_that_depends_on_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
