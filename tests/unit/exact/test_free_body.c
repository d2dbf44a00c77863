/* The free rigid body: against Jacobi's elliptic functions, the laws of its model, its constants of motion. */
#include "laws_of_motion.h"

#define SCENE "papers/pagt06/free_body.json"

/* sn, cn, dn of u for the modulus m = k^2 in [0, 1]: descending Landen by the arithmetic-geometric mean */
static void jacobi(double u, double m, double *sn, double *cn, double *dn)
{
    double a[20] = { 1 }, c[20] = { 0 }, b = sqrt(1 - m);
    int n = 0;
    for (; n < 19 && fabs(a[n] - b) > 1e-16 * a[n]; n++) {
        a[n + 1] = 0.5 * (a[n] + b);
        c[n + 1] = 0.5 * (a[n] - b);
        b = sqrt(a[n] * b);
    }
    double phi = ldexp(a[n] * u, n);
    for (; n > 0; n--) {
        phi = 0.5 * (phi + asin(c[n] / a[n] * sin(phi)));
    }
    *sn = sin(phi);
    *cn = cos(phi);
    *dn = sqrt(1 - m * *sn * *sn);
}

/* A body that starts with w = (a, 0, c), zero about the axis of the middle moment, and precesses about axis 3:
 * w = (a cn, b sn, c dn)(p t)  with the constants below. About axis 1: the same read backwards, which turns the sense of w_2. */
static void euler_top(const double I[3], double a, double c, double t, double w[3])
{
    double p = c * sqrt((I[2] - I[1]) * (I[2] - I[0]) / (I[0] * I[1]));
    double b = a * sqrt(I[0] * (I[2] - I[0]) / (I[1] * (I[2] - I[1])));
    double m = I[0] * (I[1] - I[0]) * a * a / (I[2] * (I[2] - I[1]) * c * c), sn, cn, dn;
    if (m > 1) {
        double turned[3];
        euler_top((const double[]){ I[2], I[1], I[0] }, c, a, t, turned);
        w[0] = turned[2];
        w[1] = turned[1];
        w[2] = turned[0];
        return;
    }
    jacobi(p * t, m, &sn, &cn, &dn);
    w[0] = a * cn;
    w[1] = b * sn;
    w[2] = c * dn;
}

/* two independent computations */
TEST(the_body_of_the_paper_has_its_angular_velocity_after_two_seconds)
{
    known k = KNOWN(SCENE);
    double q[7], v[6];
    state_at(&k, 2, 1, q, v);
    CHECK_NEAR(v[3], 0.510585463752, 6e-13);
    CHECK_NEAR(v[4], -0.994636860470, 6e-13);
    CHECK_NEAR(v[5], -0.627348259421, 6e-13);
    forget(&k);
}

/* over 30 s, about ten periods: rounding of 100 steps; the modulus goes from 0 (symmetric) to near 1 (the separatrix) */
TEST(the_angular_velocity_is_that_of_the_elliptic_functions)
{
    const char *const spin[3] = { "bodies.body.angular_velocity=[1,0,0.6]", "bodies.body.angular_velocity=[1,0,2]",
                                  "bodies.body.angular_velocity=[1,0,\"0.6^0.5\"]" };
    const char *const moments[3] = { "bodies.body.inertia=[1,2,3]", "bodies.body.inertia=[2,2,3]",
                                     "bodies.body.inertia=[1,2,2.2]" };
    const double I[3][3] = { { 1, 2, 3 }, { 2, 2, 3 }, { 1, 2, 2.2 } }, c[3] = { 0.6, 2, sqrt(0.6) };
    for (int i = 0; i < 9; i++) {
        known k = KNOWN(SCENE, moments[i / 3], spin[i % 3]);
        for (double t = 0; t < 30; t += 0.7) {
            double q[7], v[6], w[3];
            state_at(&k, t, 1, q, v);
            euler_top(I[i / 3], 1, c[i % 3], t, w);
            for (int j = 0; j < 3; j++) {
                CHECK_NEAR(v[3 + j], w[j], 3e-12);
            }
        }
        forget(&k);
    }
}

/* a symmetric body, I = (2, 2, 3): w turns about its axis at the rate w_3 (I_3 - I_1) / I_1; the axis about L at |L| / I_1 */
TEST(a_symmetric_top_precesses_as_it_should)
{
    known k = KNOWN(SCENE, "bodies.body.inertia=[2,2,3]", "bodies.body.angular_velocity=[1,0,2]");
    ss_vec3 L = ss_v3(2, 0, 6), axis = ss_v3(0, 0, 1);
    for (double t = 0; t < 10; t += 0.3) {
        double q[7], v[6], turn = ss_norm(L) / 2 * t;
        state_at(&k, t, 1, q, v);
        CHECK_NEAR(v[3], cos(t), 1e-13);
        CHECK_NEAR(v[4], sin(t), 1e-13);
        ss_vec3 e = ss_quat_matrix(ss_quat_from(q + 3)).c[2], should = ss_rotate(ss_quat_matrix(ss_quat_axis(L, turn)), axis);
        CHECK_NEAR(ss_norm(ss_sub(e, should)), 0, 1e-12);
    }
    forget(&k);
}

/* inertia with products, gravity, a first orientation and a velocity */
#define TUMBLING                                                                                                                 \
    SCENE, "bodies.body.inertia=[1.6,2,2.3,0.2,-0.3,0.4]", "bodies.body.orientation=[0.5,0.1,-0.7,0.2]", "bodies.body.mass=2.5", \
        "bodies.body.position=[1,2,3]", "bodies.body.velocity=[-1,0.5,2]", "gravity=[0.3,-0.2,-9.81]"

TEST(it_moves_by_the_laws_of_its_model)
{
    known k = KNOWN(TUMBLING);
    check_start(&k);
    for (double t = 0.1; t < 5; t += 0.17) {
        check_equations(&k, t, 4e-3, 0, 1e-10); /* rounding of positions of 100 m, 1e-14 / h */
    }
    forget(&k);
}

TEST(energy_and_angular_momentum_stay_while_it_falls)
{
    known k = KNOWN(TUMBLING);
    ss_vec3 first = { 0, 0, 0 };
    double energy = NAN;
    for (double t = 0; t < 20; t += 0.4) {
        double q[7], v[6];
        state_at(&k, t, 1, q, v);
        ss_vec3 w = ss_v3_from(v + 3), momentum = ss_rotate(k.m->body_inertia[0], w);
        ss_vec3 L = ss_rotate(ss_quat_matrix(ss_quat_from(q + 3)), momentum);
        first = t == 0 ? L : first;
        energy = t == 0 ? 0.5 * ss_dot(w, momentum) : energy;
        CHECK_NEAR(ss_norm(ss_sub(L, first)), 0, 1e-13 * (1 + t));
        CHECK_NEAR(0.5 * ss_dot(w, momentum), energy, 1e-13);
        CHECK_NEAR(q[0], 1 - t + 0.15 * t * t, 1e-13 * (1 + t * t));
        CHECK_NEAR(q[1], 2 + 0.5 * t - 0.1 * t * t, 1e-13 * (1 + t * t));
        CHECK_NEAR(q[2], 3 + 2 * t - 4.905 * t * t, 1e-12 * (1 + t * t));
        CHECK_NEAR(v[2], 2 - 9.81 * t, 1e-12);
    }
    forget(&k);
}

TEST(what_does_not_turn_keeps_its_orientation)
{
    known k = KNOWN(SCENE, "bodies.body.angular_velocity=[0,0,0]");
    double q[7], v[6];
    state_at(&k, 1e6, 1, q, v);
    CHECK(q[3] == 1 && q[4] == 0 && q[5] == 0 && q[6] == 0 && v[3] == 0);
    CHECK(ss_exact_next_jump(k.x, 0) == INFINITY);
    forget(&k);
}

TEST(scenes_that_are_something_else_are_refused)
{
    REFUSED("nothing else", SCENE, "bodies=[{\"name\":\"p\",\"type\":\"particle\",\"mass\":1,\"position\":[0,0,0]}]");
    REFUSED("nothing else", SCENE, "forces=[{\"name\":\"f\",\"type\":\"constant\",\"body\":\"body\",\"torque\":[1,0,0]}]");
    REFUSED("2D", "papers/bac14/pendulum.json", "exact.name=free_body");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_body_of_the_paper_has_its_angular_velocity_after_two_seconds),
        cmocka_unit_test(the_angular_velocity_is_that_of_the_elliptic_functions),
        cmocka_unit_test(a_symmetric_top_precesses_as_it_should),
        cmocka_unit_test(it_moves_by_the_laws_of_its_model),
        cmocka_unit_test(energy_and_angular_momentum_stay_while_it_falls),
        cmocka_unit_test(what_does_not_turn_keeps_its_orientation),
        cmocka_unit_test(scenes_that_are_something_else_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
