/* Dense output of schemes that give accelerations: its order, its corners, the steps that have none. */
#include "test.h"

#include "sim/sim.h"

/* ---- a scheme that knows the motion ------------------------------------------------------------------ */

/* A body in 3D: x = (sin 2t, cos t, t^2), turned by phi = sin t about e_z and then by psi = 1.5 t about its own e_x. */
static void motion(double t, double *q, double *v, double *a)
{
    double phi = sin(t), phi1 = cos(t), phi2 = -sin(t), psi = 1.5 * t, psi1 = 1.5, s = sin(psi), c = cos(psi);
    const double x[3] = { sin(2 * t), cos(t), t * t }, x1[3] = { 2 * cos(2 * t), -sin(t), 2 * t },
                 x2[3] = { -4 * sin(2 * t), -cos(t), 2 };
    /* e_z in the turned frame is (0, sin psi, cos psi) */
    const double w[3] = { psi1, phi1 * s, phi1 * c }, w1[3] = { 0, phi2 * s + phi1 * psi1 * c, phi2 * c - phi1 * psi1 * s };
    ss_quat turn = ss_quat_product(ss_quat_axis((ss_vec3){ 0, 0, 1 }, phi), ss_quat_axis((ss_vec3){ 1, 0, 0 }, psi));
    memcpy(q, x, sizeof x);
    memcpy(v, x1, sizeof x1);
    memcpy(a, x2, sizeof x2);
    memcpy(v + 3, w, sizeof w);
    memcpy(a + 3, w1, sizeof w1);
    ss_quat_to(turn, q + 3);
}

typedef struct plan {
    bool blind;   /* no accelerations are given                                     */
    bool ends;    /* none are given after the jump                                  */
    double jump;  /* part of the step after which the path is shifted; 0: it is not */
    bool mean;    /* velocities of segments are other ones; then nothing jumps there */
    bool flipped; /* the end has the other sign of the quaternion                   */
    double time;  /* that the motion lags behind, after the jumps so far            */
} plan;

typedef struct state {
    double q[7], v[6], a[6];
} state;

static ss_status report(ss_stepper *s, bool blind, double t0, double t1, const state *x0, const state *x1)
{
    static const double other[6] = { 7, 7, 7, 7, 7, 7 };
    const bool mean = ((plan *)s->work)->mean;
    ss_segment g = {
        .from = { .t = t0, .q = x0->q, .v = mean ? other : x0->v, .a = blind ? NULL : x0->a, .state = mean ? x0->v : NULL },
        .to = { .t = t1, .q = x1->q, .v = mean ? other : x1->v, .a = blind ? NULL : x1->a },
        .mass = &s->model->mass,
        .own_residual = true
    };
    return s->report->segment(s->report, &g);
}

static const double LAG = 0.125;

static double lag_of(const plan *p) { return p->jump > 0 && !p->mean ? LAG : 0; }

/* The path is that of `motion`; after a jump it is the one of LAG seconds before, so that q and v jump. */
static ss_status known_step(ss_stepper *s, double h)
{
    plan *p = s->work;
    double t0 = s->now->t, t1 = t0 + h, corner = t0 + p->jump * h;
    state x[4];
    motion(t0 - p->time, x[0].q, x[0].v, x[0].a);
    motion(corner - p->time, x[1].q, x[1].v, x[1].a);
    p->time += lag_of(p);
    motion(corner - p->time, x[2].q, x[2].v, x[2].a);
    motion(t1 - p->time, x[3].q, x[3].v, x[3].a);
    for (int k = 3; p->flipped && k < 7; k++) {
        x[3].q[k] = -x[3].q[k];
    }
    if (p->jump > 0) {
        SS_TRY(report(s, p->blind, t0, corner, &x[0], &x[1]));
        SS_TRY(report(s, p->blind, corner, corner, &x[1], &x[2]));
    }
    SS_TRY(report(s, p->blind || p->ends, corner, t1, &x[2], &x[3]));
    memcpy(s->next->q, x[3].q, sizeof x[3].q);
    memcpy(s->next->v, x[3].v, sizeof x[3].v);
    s->next->t = t1;
    return SS_OK;
}

static ss_status known_create(ss_stepper *s, void **work, double *scheme_state)
{
    (void)scheme_state;
    return ss_calloc(s->ctx, 1, sizeof(plan), work);
}

static void known_destroy(ss_context *ctx, void *work) { ss_free(ctx, work); }

static const ss_scheme_type known = { .info = { .name = "known", .order = { .smooth = 5, .impacts = 5, .norm = "l1" } },
                                      .create = known_create,
                                      .destroy = known_destroy,
                                      .step = known_step };

#include "unit/sim/own_scheme.h"

static run begin(plan chosen)
{
    static const char text[] = "{\"slipstick\":1,\"dimension\":3,\"gravity\":[0,0,0],\"length_scale\":1,\"time\":{\"step\":0.1},"
                               "\"bodies\":[{\"name\":\"b\",\"type\":\"rigid\",\"mass\":1,\"inertia\":[1,1,1],"
                               "\"position\":[0,1,0],\"velocity\":[2,0,0],\"angular_velocity\":[1.5,0,1]}]}";
    run r = begin_with(text, &known, NULL);
    *r.plan = chosen;
    return r;
}

/* ---- what it is compared with ------------------------------------------------------------------------ */

typedef struct errors {
    double q, v;
} errors;

static double distance(int n, const double *a, const double *b, double sign)
{
    double most = 0;
    for (int i = 0; i < n; i++) {
        most = fmax(most, fabs(a[i] - sign * b[i]));
    }
    return most;
}

/* largest errors within the last step; before the corner of a jump the motion lags LAG less */
static errors errors_within(const run *r)
{
    errors e = { 0, 0 };
    double t0 = r->sim->next.t, h = ss_sim_time(r->sim) - t0;
    for (int k = 0; k <= 50; k++) {
        double t = t0 + h * k / 50, q[7], v[6];
        bool before = r->plan->jump > 0 && t < t0 + r->plan->jump * h;
        state x;
        motion(t - r->plan->time + (before ? lag_of(r->plan) : 0), x.q, x.v, x.a);
        CHECK_OK(r->ctx, ss_sim_at(r->sim, fmin(t, ss_sim_time(r->sim)), q, v));
        double turn = fmin(distance(4, q + 3, x.q + 3, 1), distance(4, q + 3, x.q + 3, -1));
        e.q = fmax(e.q, fmax(distance(3, q, x.q, 1), turn));
        e.v = fmax(e.v, distance(6, v, x.v, 1));
        CHECK_NEAR(q[3] * q[3] + q[4] * q[4] + q[5] * q[5] + q[6] * q[6], 1, 1e-15);
    }
    return e;
}

static errors errors_of(plan chosen, double h)
{
    run r = begin(chosen);
    CHECK_OK(r.ctx, ss_sim_step(r.sim, h)); /* away from the state of the scene */
    CHECK_OK(r.ctx, ss_sim_step(r.sim, h));
    errors e = errors_within(&r);
    end(&r);
    return e;
}

/* at t = 1 of the motion no derivative that matters is zero */
static void check_orders(plan chosen, double order_q, double order_v)
{
    chosen.time = -1;
    errors coarse = errors_of(chosen, 0.1), fine = errors_of(chosen, 0.05);
    double q = log2(coarse.q / fine.q), v = log2(coarse.v / fine.v);
    print_message("errors of q %.3g %.3g, of v %.3g %.3g: orders %.2f, %.2f\n", coarse.q, fine.q, coarse.v, fine.v, q, v);
    CHECK_NEAR(q, order_q, 0.4); /* the next derivative adds or takes h times a few units */
    CHECK_NEAR(v, order_v, 0.4);
}

TEST(with_accelerations_positions_are_of_sixth_order_and_velocities_of_fifth)
{
    check_orders((plan){ .jump = 0 }, 6, 5);
    check_orders((plan){ .flipped = true }, 6, 5);
}

TEST(without_accelerations_they_are_as_good_as_a_cubic_and_a_line)
{
    check_orders((plan){ .blind = true }, 3,
                 2); /* the angular velocity at the far end is taken for the rate of the rotation vector */
}

TEST(jumps_between_stretches_are_corners)
{
    check_orders((plan){ .jump = 0.375 }, 6, 5);
    check_orders((plan){ .jump = 0.375, .blind = true }, 3, 2); /* without accelerations they are, too */
    check_orders((plan){ .jump = 0.375, .blind = true, .mean = true }, 3, 2);
    run r = begin((plan){ .jump = 0.5 });
    CHECK_OK(r.ctx, ss_sim_step(r.sim, 0.25));
    double q[7], v[6];
    state x;
    motion(0.125 - LAG, x.q, x.v, x.a);
    CHECK_OK(r.ctx, ss_sim_at(r.sim, 0.125, q, v)); /* at the jump: after it */
    CHECK(distance(7, q, x.q, 1) == 0 && distance(6, v, x.v, 1) == 0);
    end(&r);
}

/* x1 - x0 of a segment of 1e-12 s has lost all its digits: velocities do not come from it */
TEST(velocities_in_a_short_segment_are_those_of_its_ends)
{
    run r = begin((plan){ .jump = 0.5, .time = -1 });
    double q[7], v[6];
    state x;
    CHECK_OK(r.ctx, ss_sim_step(r.sim, 1e-12));
    CHECK_OK(r.ctx, ss_sim_at(r.sim, 2e-13, q, v));
    motion(1 + 2e-13, x.q, x.v, x.a);
    CHECK_NEAR(distance(6, v, x.v, 1), 0, 1e-11);
    end(&r);
}

/* a contact closed in the step, and beside the segment with accelerations nobody knows when */
TEST(a_rough_stretch_beside_one_with_accelerations_is_straight)
{
    run r = begin((plan){ .jump = 0.25, .ends = true });
    double corner[7], end_q[7], q[7], v[6];
    CHECK_OK(r.ctx, ss_sim_step(r.sim, 0.4));
    r.sim->last->nonsmooth = true;
    memcpy(end_q, ss_sim_q(r.sim), sizeof end_q);
    CHECK_OK(r.ctx, ss_sim_at(r.sim, 0.1, corner, v));
    CHECK_OK(r.ctx, ss_sim_at(r.sim, 0.25, q, v));
    for (int k = 0; k < 3; k++) {
        CHECK_NEAR(q[k], 0.5 * (corner[k] + end_q[k]), 1e-15);
    }
    state x;
    motion(0.05, x.q, x.v, x.a);
    CHECK_OK(r.ctx, ss_sim_at(r.sim, 0.05, q, v));
    CHECK_NEAR(distance(3, q, x.q, 1), 0, 1e-7); /* before it the quintic: (0.1 s)^6/46080 of a sixth derivative of 64 */
    end(&r);
}

TEST(the_ends_of_a_step_are_its_states)
{
    run r = begin((plan){ .jump = 0 });
    double q[7], v[6], before[7];
    CHECK_OK(r.ctx, ss_sim_step(r.sim, 0.1));
    memcpy(before, ss_sim_q(r.sim), sizeof before);
    CHECK_OK(r.ctx, ss_sim_step(r.sim, 0.1));
    CHECK_OK(r.ctx, ss_sim_at(r.sim, ss_sim_time(r.sim), q, v));
    CHECK(memcmp(q, ss_sim_q(r.sim), sizeof q) == 0 && memcmp(v, ss_sim_v(r.sim), sizeof v) == 0);
    CHECK_OK(r.ctx, ss_sim_at(r.sim, r.sim->next.t, q, v));
    CHECK_NEAR(distance(7, q, before, 1), 0, 1e-15);
    end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(with_accelerations_positions_are_of_sixth_order_and_velocities_of_fifth),
        cmocka_unit_test(without_accelerations_they_are_as_good_as_a_cubic_and_a_line),
        cmocka_unit_test(jumps_between_stretches_are_corners),
        cmocka_unit_test(velocities_in_a_short_segment_are_those_of_its_ends),
        cmocka_unit_test(a_rough_stretch_beside_one_with_accelerations_is_straight),
        cmocka_unit_test(the_ends_of_a_step_are_its_states),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
