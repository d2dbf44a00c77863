/* test_functions.c - forces whose functions a program gives: they move bodies as the same force of a scene does, in every scheme;
 * a function that fails ends the step, and the simulation goes on. */
#include "test.h"
#include "unit/sim/scene_run.h"
#include <slipstick/drive.h>

/* two bodies that a spring with a damper ties together, off their centres of mass, one of them on a floor */
static const char *const SCENE =
    "{\"slipstick\": 1, \"dimension\": 3, \"gravity\": [0, 0, -9.81], \"time\": {\"until\": 0.2, \"step\": 0.005},"
    " \"bodies\": [{\"name\": \"floor\", \"type\": \"fixed\", \"shapes\": [{\"type\": \"half_space\", \"normal\": [0, 0, 1]}]},"
    "  {\"name\": \"ball\", \"type\": \"rigid\", \"mass\": 1, \"inertia\": [0.01, 0.01, 0.01], \"position\": [0, 0, 0.1],"
    "   \"shapes\": [{\"type\": \"sphere\", \"radius\": 0.1}]},"
    "  {\"name\": \"bob\", \"type\": \"rigid\", \"mass\": 2, \"inertia\": [0.02, 0.03, 0.04], \"position\": [0.3, 0.1, 1],"
    "   \"angular_velocity\": [1, 2, -1]}],"
    " \"forces\": [%s]}";
#define ENDS "\"name\": \"tie\", \"bodies\": [\"ball\", \"bob\"], \"anchors\": [[0, 0, 0.05], [0.02, 0, -0.05]]"
static const char *const SPRING = "{\"type\": \"spring_damper\", " ENDS ", \"stiffness\": 80, \"damping\": 1.5, \"length\": 0.7}";
static const char *const ELASTIC = "{\"type\": \"spring\", " ENDS ", \"stiffness\": 80, \"length\": 0.7}";
static const char *const CALLBACK = "{\"type\": \"callback\", " ENDS "}";
enum { TIE, STIFFNESS = 80 };
static const double DAMPING = 1.5, LENGTH = 0.7;

static scene_run open_tied(const char *force, const ss_scheme_type *scheme, double tol)
{
    char text[4096];
    snprintf(text, sizeof text, SCENE, force);
    return open_text(text, NULL, scheme, tol);
}

/* direction from point 0 to point 1, distance, and how fast it grows */
static double stretch(const ss_force_points *at, double n[3], double *rate)
{
    double length = 0;
    *rate = 0;
    for (int k = 0; k < 3; k++) {
        n[k] = at->position[1][k] - at->position[0][k];
        length = hypot(length, n[k]);
    }
    for (int k = 0; k < 3; k++) {
        n[k] /= length;
        *rate += n[k] * (at->velocity[1][k] - at->velocity[0][k]);
    }
    return length;
}

typedef struct spring {
    ss_context *ctx;
    int calls, fails_at; /* fails_at: the call that fails; 0: none */
    double damping;      /* N s/m                  */
    double poison;       /* added to what it gives */
} spring;

static ss_status pull(void *user, const ss_force_points *at, double w[12])
{
    spring *x = user;
    double n[3], rate;
    if (++x->calls == x->fails_at) {
        return ss_context_fail(x->ctx, SS_ERR_NUMERIC, "the rope is torn");
    }
    const double f = STIFFNESS * (stretch(at, n, &rate) - LENGTH) + x->damping * rate + x->poison;
    for (int k = 0; k < 3; k++) {
        w[k] = f * n[k];
        w[6 + k] = -f * n[k];
    }
    return SS_OK;
}

static ss_status elastic_energy(void *user, const ss_force_points *at, double *energy)
{
    double n[3], rate;
    const double d = stretch(at, n, &rate) - LENGTH;
    (void)user;
    *energy = 0.5 * STIFFNESS * d * d;
    return SS_OK;
}

/* F = (k (l - L) + c n.d') n on point 0: D = dF/dd and C = dF/dd' */
static ss_status slopes(void *user, const ss_force_points *at, double by_x[144], double by_v[144])
{
    double n[3], rate;
    const double l = stretch(at, n, &rate), c = ((const spring *)user)->damping, f = STIFFNESS * (l - LENGTH) + c * rate;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            const double across = (i == j) - n[i] * n[j];
            const double side = c * n[i] * (at->velocity[1][j] - at->velocity[0][j] - rate * n[j]) / l;
            const double D = STIFFNESS * n[i] * n[j] + f / l * across + side, C = c * n[i] * n[j];
            for (int a = 0; a < 4; a++) { /* point a/2 by point a%2 */
                const double sign = a / 2 == a % 2 ? -1 : 1;
                by_x[(6 * (a / 2) + i) * 12 + 6 * (a % 2) + j] = sign * D;
                by_v[(6 * (a / 2) + i) * 12 + 6 * (a % 2) + j] = sign * C;
            }
        }
    }
    return SS_OK;
}

/* own derivatives, or differences, whose error is about 1e-10 of the derivative */
static void check_like_spring(bool own, double allowed)
{
    for (int k = 0; k < 2 * tested_schemes(); k++) {
        const double tol = k % 2 ? 1e-5 : NAN;
        scene_run r = open_tied(CALLBACK, ss_scheme_types[k / 2], tol), twin = open_tied(SPRING, ss_scheme_types[k / 2], tol);
        spring x = { .ctx = r.ctx, .damping = DAMPING };
        const ss_force_functions f = { .user = &x, .wrench = pull, .jacobian = own ? slopes : NULL };
        CHECK_OK(r.ctx, ss_sim_set_functions(r.sim, TIE, &f));
        CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.05));
        CHECK_OK(twin.ctx, ss_sim_advance(twin.sim, 0.05));
        for (int i = 0; i < ss_model_nv(r.model); i++) {
            CHECK_NEAR(ss_sim_v(r.sim)[i], ss_sim_v(twin.sim)[i], k % 2 ? 1e-3 : allowed);
        }
        CHECK(ss_sim_summary(r.sim)->unconverged_steps == 0);
        close_scene(&twin);
        close_scene(&r);
    }
}

/* Schemes whose matrices come from the damped link at rest differ from the linearisation at v by the damper's turning, of second
 * order in h: 5e-3^2 times an acceleration of some 10. */
TEST(a_spring_with_a_damper_given_by_functions_moves_bodies_as_that_of_a_scene) { check_like_spring(true, 2e-4); }

TEST(derivatives_that_are_not_given_are_differences) { check_like_spring(false, 2e-4); }

/* torques along the first axis of the other body, and slowed by its own turning */
static ss_status follow(void *user, const ss_force_points *at, double w[12])
{
    (void)user;
    for (int k = 0; k < 3; k++) {
        w[3 + k] = at->rotation[1][3 * k] - 0.5 * at->angular_velocity[0][k];
        w[9 + k] = at->rotation[0][3 * k];
    }
    return SS_OK;
}

/* d(R e)/d(turn) = -S(R e), d/dw = -1/2 */
static ss_status follow_slopes(void *user, const ss_force_points *at, double by_x[144], double by_v[144])
{
    (void)user;
    for (int b = 0; b < 2; b++) {
        const double e[3] = { at->rotation[1 - b][0], at->rotation[1 - b][3], at->rotation[1 - b][6] };
        for (int k = 0; k < 3; k++) {
            double *row = by_x + 12 * (6 * b + 3 + k) + 6 * (1 - b) + 3;
            row[(k + 1) % 3] = e[(k + 2) % 3];
            row[(k + 2) % 3] = -e[(k + 1) % 3];
        }
    }
    for (int k = 3; k < 6; k++) {
        by_v[13 * k] = -0.5;
    }
    return SS_OK;
}

static void check_slopes(const ss_force_functions *given)
{
    scene_run r = open_tied(CALLBACK, NULL, NAN);
    const int nv = ss_model_nv(r.model);
    ss_csr K[4] = { { 0 } };
    ss_config c;
    CHECK_OK(r.ctx, ss_sim_place(r.sim, NULL, &c));
    for (int own = 0; own < 2; own++) {
        const ss_force_functions f = { given->user, given->wrench, NULL, own ? given->jacobian : NULL };
        CHECK_OK(r.ctx, ss_sim_set_functions(r.sim, TIE, &f));
        CHECK_OK(r.ctx, ss_model_force_jacobian(r.ctx, r.sim->model, &c, r.sim->now.v, &K[2 * own], &K[2 * own + 1]));
    }
    for (int which = 0; which < 2; which++) {
        CHECK(K[which].p[nv] == K[2 + which].p[nv]);
        for (int i = 0; i < K[which].p[nv]; i++) { /* of numbers up to 100 */
            CHECK_NEAR(K[which].x[i], K[2 + which].x[i], 1e-7);
        }
    }
    for (int k = 0; k < 4; k++) {
        ss_csr_free(r.ctx, &K[k]);
    }
    close_scene(&r);
}

TEST(derivatives_by_differences_agree_with_those_given)
{
    spring x = { .damping = DAMPING };
    check_slopes(&(ss_force_functions){ .user = &x, .wrench = pull, .jacobian = slopes });
}

TEST(a_torque_that_depends_on_how_bodies_are_turned_has_its_derivatives)
{
    check_slopes(&(ss_force_functions){ .wrench = follow, .jacobian = follow_slopes });
}

static ss_status drag(void *user, const ss_force_points *at, double w[12])
{
    const double c = *(double *)user, *v = at->velocity[1];
    const double speed = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (int k = 0; k < 3; k++) {
        w[6 + k] = -c * speed * v[k];
    }
    return SS_OK;
}

/* m v' = -c v^2: v = v0/(1 + c v0 t/m), a force that is not affine in the velocity */
TEST(a_force_that_is_curved_in_the_velocity_slows_a_particle_by_its_law)
{
    static const char *const text =
        "{\"slipstick\": 1, \"dimension\": 2, \"gravity\": [0, 0], \"time\": {\"until\": 1, \"step\": 0.01},"
        "\"bodies\": [{\"name\": \"p\", \"type\": \"particle\", \"mass\": 2, \"position\": [0, 0], \"velocity\": [3, 4]}],"
        "\"forces\": [{\"name\": \"air\", \"type\": \"callback\", \"bodies\": [\"world\", \"p\"]}]}";
    double c = 0.8;
    for (int k = 0; k < 2 * tested_schemes(); k++) {
        scene_run r = open_text(text, NULL, ss_scheme_types[k / 2], k % 2 ? 1e-5 : NAN);
        const ss_force_functions f = { .user = &c, .wrench = drag };
        const double speed = 5 / (1 + 0.8 * 5 * 1 / 2.0);
        CHECK_OK(r.ctx, ss_sim_set_functions(r.sim, 0, &f));
        CHECK_OK(r.ctx, ss_sim_advance(r.sim, 1));
        /* order 1: h times the change of the acceleration, 10 m/s^2, over the run; schatzman_paoli knows v half a step late */
        const double allowed = k % 2 ? 1e-2 : 0.05;
        CHECK_NEAR(ss_sim_v(r.sim)[0], 0.6 * speed, allowed);
        CHECK_NEAR(ss_sim_v(r.sim)[1], 0.8 * speed, allowed);
        /* all that is not the force itself is of order h; with a tolerance steps are short */
        CHECK_NEAR(ss_sim_ledger(r.sim)->applied, ss_sim_ledger(r.sim)->kinetic_change, k % 2 ? 0.2 : 1);
        close_scene(&r);
    }
}

TEST(a_force_with_a_potential_is_a_spring_in_the_ledger_and_in_the_energy)
{
    scene_run r = open_tied(CALLBACK, NULL, NAN), twin = open_tied(ELASTIC, NULL, NAN);
    spring x = { .ctx = r.ctx, .damping = 0 };
    const ss_force_functions f = { .user = &x, .wrench = pull, .potential = elastic_energy, .jacobian = slopes };
    const double began = sqrt(0.32 * 0.32 + 0.1 * 0.1 + 0.8 * 0.8) - LENGTH; /* between the anchors at the start */
    CHECK_OK(r.ctx, ss_sim_set_functions(r.sim, TIE, &f));
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.1));
    CHECK_OK(twin.ctx, ss_sim_advance(twin.sim, 0.1));
    CHECK_NEAR(ss_sim_last_step(r.sim)->potential, ss_sim_last_step(twin.sim)->potential, 1e-3); /* motions differ a little */
    CHECK(ss_sim_summary(r.sim)->unconverged_steps == 0 && ss_sim_summary(twin.sim)->unconverged_steps == 0);
    CHECK_NEAR(ss_sim_ledger(r.sim)->state_set, 0.5 * STIFFNESS * began * began, 1e-12);
    CHECK(ss_sim_ledger(r.sim)->applied == 0 && fabs(ss_sim_ledger(r.sim)->springs) > 0.1);
    close_scene(&twin);
    close_scene(&r);
}

TEST(a_function_that_fails_ends_the_step_and_the_simulation_goes_on)
{
    for (int k = 0; k < 2 * tested_schemes(); k++) {
        const double tol = k % 2 ? 1e-4 : NAN;
        scene_run r = open_tied(CALLBACK, ss_scheme_types[k / 2], tol), twin = open_tied(CALLBACK, ss_scheme_types[k / 2], tol);
        spring x = { .ctx = r.ctx, .damping = DAMPING }, y = { .ctx = twin.ctx, .damping = DAMPING };
        const ss_force_functions f = { .user = &x, .wrench = pull, .jacobian = slopes }, g = { &y, pull, NULL, slopes };
        CHECK_OK(r.ctx, ss_sim_set_functions(r.sim, TIE, &f));
        CHECK_OK(twin.ctx, ss_sim_set_functions(twin.sim, TIE, &g));
        CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.02));
        x.fails_at = x.calls + 2;
        CHECK_FAILS(r.ctx, ss_sim_advance(r.sim, 0.04), SS_ERR_NUMERIC, "force tie: its function `wrench` failed at t = 0.0");
        CHECK(strstr(ss_last_error(r.ctx), "the rope is torn"));
        x.poison = NAN;
        CHECK_FAILS(r.ctx, ss_sim_advance(r.sim, 0.04), SS_ERR_NUMERIC, "`wrench` gave nan as number 0");
        x.poison = 0;
        CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.04));
        CHECK_OK(twin.ctx, ss_sim_advance(twin.sim, 0.02));
        CHECK_OK(twin.ctx, ss_sim_advance(twin.sim, 0.04));
        check_same_state(r.sim, twin.sim);
        close_scene(&twin);
        close_scene(&r);
    }
}

TEST(a_step_is_refused_while_a_force_has_no_functions)
{
    scene_run r = open_tied(CALLBACK, NULL, NAN), plain = open_tied(SPRING, NULL, NAN);
    spring x = { .ctx = r.ctx, .damping = DAMPING };
    const ss_force_functions f = { .user = &x, .wrench = pull }, none = { .user = &x };
    CHECK_FAILS(r.ctx, ss_sim_step(r.sim, 0.01), SS_ERR_INPUT, "force tie: it is of type callback, and no program has given");
    CHECK_FAILS(r.ctx, ss_sim_advance(r.sim, 0.01), SS_ERR_INPUT, "ss_sim_set_functions");
    CHECK_FAILS(r.ctx, ss_sim_set_functions(r.sim, TIE, &none), SS_ERR_INPUT, "have no `wrench`");
    CHECK_FAILS(r.ctx, ss_sim_set_functions(r.sim, 3, &f), SS_ERR_INPUT, "force 3: expected a number from 0 to 0");
    CHECK_FAILS(plain.ctx, ss_sim_set_functions(plain.sim, TIE, &f), SS_ERR_INPUT, "only one of type callback");
    CHECK_OK(r.ctx, ss_sim_set_functions(r.sim, TIE, &f));
    CHECK_OK(r.ctx, ss_sim_step(r.sim, 0.01));
    CHECK_OK(r.ctx, ss_sim_set_functions(r.sim, TIE, NULL));
    CHECK_FAILS(r.ctx, ss_sim_step(r.sim, 0.01), SS_ERR_INPUT, "no program has given");
    close_scene(&plain);
    close_scene(&r);
}

TEST(functions_that_are_taken_away_take_their_energy_along_and_may_come_back)
{
    scene_run r = open_tied(CALLBACK, NULL, NAN);
    spring x = { .ctx = r.ctx };
    const ss_force_functions f = { .user = &x, .wrench = pull, .potential = elastic_energy, .jacobian = slopes };
    CHECK_OK(r.ctx, ss_sim_set_functions(r.sim, TIE, &f));
    const double energy = ss_sim_ledger(r.sim)->state_set, with = ss_sim_last_step(r.sim)->potential;
    CHECK(energy > 0.1);
    CHECK_OK(r.ctx, ss_sim_set_functions(r.sim, TIE, NULL));
    CHECK_NEAR(ss_sim_ledger(r.sim)->state_set, 0, 1e-12 * with);
    CHECK_NEAR(ss_sim_last_step(r.sim)->potential, with - energy, 1e-12 * with);
    CHECK(!r.sim->inputs->functions[TIE].wrench && !r.sim->inputs->functions[TIE].user); /* nothing of the program is kept */
    CHECK_OK(r.ctx, ss_sim_set_functions(r.sim, TIE, &f)); /* the same as before, but not the same as now */
    CHECK_NEAR(ss_sim_ledger(r.sim)->state_set, energy, 1e-12 * with);
    CHECK_OK(r.ctx, ss_sim_step(r.sim, 0.005));
    close_scene(&r);
}

TEST(a_checkpoint_knows_which_forces_have_functions_and_restarts_with_the_same_bits)
{
    for (int k = 0; k < 2 * tested_schemes(); k++) {
        const double tol = k % 2 ? 1e-4 : NAN;
        scene_run r = open_tied(CALLBACK, ss_scheme_types[k / 2], tol), other = open_tied(CALLBACK, ss_scheme_types[k / 2], tol);
        spring x = { .ctx = r.ctx, .damping = DAMPING }, y = { .ctx = other.ctx, .damping = DAMPING };
        const ss_force_functions f = { &x, pull, NULL, slopes }, g = { &y, pull, NULL, slopes };
        void *blob = NULL;
        size_t size = 0;
        CHECK_OK(r.ctx, ss_sim_set_functions(r.sim, TIE, &f));
        CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.02));
        CHECK_OK(r.ctx, ss_sim_save(r.sim, &blob, &size));
        CHECK_FAILS(other.ctx, ss_sim_restore(other.sim, blob, size), SS_ERR_INPUT, "force tie had a callback of the program");
        CHECK_OK(other.ctx, ss_sim_set_functions(other.sim, TIE, &g));
        CHECK_OK(other.ctx, ss_sim_restore(other.sim, blob, size));
        CHECK_OK(other.ctx, ss_sim_set_functions(other.sim, TIE, &g)); /* the same again is no jump */
        CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.03));
        CHECK_OK(other.ctx, ss_sim_advance(other.sim, 0.03));
        check_same_state(r.sim, other.sim);
        ss_blob_free(r.ctx, blob);
        close_scene(&other);
        close_scene(&r);
    }
}

/* the second time over the same way, so that no contact problem is larger than one before */
TEST(steps_with_functions_take_no_memory)
{
    scene_run r = open_tied(CALLBACK, NULL, NAN);
    spring x = { .ctx = r.ctx, .damping = DAMPING };
    const ss_force_functions f = { .user = &x, .wrench = pull };
    void *blob;
    size_t size;
    CHECK_OK(r.ctx, ss_sim_set_functions(r.sim, TIE, &f));
    CHECK_OK(r.ctx, ss_sim_save(r.sim, &blob, &size));
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.2));
    CHECK_OK(r.ctx, ss_sim_restore(r.sim, blob, size));
    const uint64_t before = ss_context_allocations(r.ctx);
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.2));
    CHECK(ss_context_allocations(r.ctx) == before);
    ss_blob_free(r.ctx, blob);
    close_scene(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_spring_with_a_damper_given_by_functions_moves_bodies_as_that_of_a_scene),
        cmocka_unit_test(derivatives_that_are_not_given_are_differences),
        cmocka_unit_test(derivatives_by_differences_agree_with_those_given),
        cmocka_unit_test(a_torque_that_depends_on_how_bodies_are_turned_has_its_derivatives),
        cmocka_unit_test(a_force_that_is_curved_in_the_velocity_slows_a_particle_by_its_law),
        cmocka_unit_test(a_force_with_a_potential_is_a_spring_in_the_ledger_and_in_the_energy),
        cmocka_unit_test(a_function_that_fails_ends_the_step_and_the_simulation_goes_on),
        cmocka_unit_test(a_step_is_refused_while_a_force_has_no_functions),
        cmocka_unit_test(functions_that_are_taken_away_take_their_energy_along_and_may_come_back),
        cmocka_unit_test(a_checkpoint_knows_which_forces_have_functions_and_restarts_with_the_same_bits),
        cmocka_unit_test(steps_with_functions_take_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
