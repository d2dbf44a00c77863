/* test_set_state.c - positions and velocities that a program sets: assembled by the least motion, or refused; the past is
 * forgotten. */
#include "test.h"
#include "unit/sim/scene_run.h"
#include <slipstick/drive.h>

static const char *const PENDULUM =
    "{\"slipstick\": 1, \"dimension\": 2, \"gravity\": [0, -9.81], \"time\": {\"until\": 1, \"step\": 0.01},"
    " \"bodies\": [{\"name\": \"bob\", \"type\": \"particle\", \"mass\": 2, \"position\": [0, -1]}],"
    " \"joints\": [{\"name\": \"rod\", \"type\": \"distance\", \"bodies\": [\"world\", \"bob\"], \"length\": 1}]}";

/* the nearest point of the circle is on the ray through the point; of a velocity the part along the rod is lost */
TEST(a_state_off_the_joints_moves_to_the_nearest_one_that_satisfies_them)
{
    scene_run r = open_text(PENDULUM, NULL, NULL, NAN);
    const double angle = 0.7, q[2] = { 1.2 * sin(angle), -1.2 * cos(angle) }, v[2] = { 3, -1 };
    const double along = v[0] * cos(angle) + v[1] * sin(angle);
    CHECK_OK(r.ctx, ss_sim_set_state(r.sim, q, v));
    CHECK_NEAR(ss_sim_q(r.sim)[0], sin(angle), 1e-14);
    CHECK_NEAR(ss_sim_q(r.sim)[1], -cos(angle), 1e-14);
    CHECK_NEAR(ss_sim_v(r.sim)[0], along * cos(angle), 1e-14);
    CHECK_NEAR(ss_sim_v(r.sim)[1], along * sin(angle), 1e-14);
    const ss_step_info *info = ss_sim_last_step(r.sim);
    CHECK_NEAR(info->kinetic, along * along, 1e-13);
    CHECK_NEAR(ss_sim_ledger(r.sim)->state_set, along * along + 2 * 9.81 * (1 - cos(angle)), 1e-12);
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.1));
    CHECK(ss_sim_summary(r.sim)->remark[SS_REMARK_ENERGY].steps == 0 && ss_sim_summary(r.sim)->unconverged_steps == 0);
    close_scene(&r);
}

/* an autonomous scene does not know the time: from its first state it moves as in a fresh run */
TEST(after_the_first_state_is_set_again_every_scheme_repeats_the_run_to_the_last_bit)
{
    for (int k = 0; k < tested_schemes(); k++) {
        const char *path = "tests/conformance/rod_jam.json";
        scene_run r = open_scene(path, ss_scheme_types[k], NAN), fresh = open_scene(path, ss_scheme_types[k], NAN);
        const double *q0 = ss_model_initial_q(r.model), *v0 = ss_model_initial_v(r.model);
        const size_t size = (size_t)ss_model_nq(r.model) * sizeof *q0;
        for (int i = 0; i < 10; i++) {
            CHECK_OK(r.ctx, ss_sim_step(r.sim, 0x1p-6)); /* exact in binary */
        }
        CHECK_OK(r.ctx, ss_sim_set_state(r.sim, q0, v0));
        for (int i = 0; i < 10; i++) {
            CHECK_OK(r.ctx, ss_sim_step(r.sim, 0x1p-6));
            CHECK_OK(fresh.ctx, ss_sim_step(fresh.sim, 0x1p-6));
        }
        CHECK(memcmp(ss_sim_q(r.sim), ss_sim_q(fresh.sim), size) == 0);
        close_scene(&fresh);
        close_scene(&r);
    }
}

TEST(the_state_that_is_there_may_be_set_and_stays_to_the_last_bit)
{
    scene_run r = open_scene("scenes/balls.json", NULL, NAN);
    const size_t nq = (size_t)ss_model_nq(r.model), nv = (size_t)ss_model_nv(r.model);
    double *q = calloc(nq, sizeof *q), *v = calloc(nv, sizeof *v);
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.02));
    memcpy(q, ss_sim_q(r.sim), nq * sizeof *q);
    memcpy(v, ss_sim_v(r.sim), nv * sizeof *v);
    CHECK_OK(r.ctx, ss_sim_set_state(r.sim, q, v));
    CHECK(memcmp(q, ss_sim_q(r.sim), nq * sizeof *q) == 0 && memcmp(v, ss_sim_v(r.sim), nv * sizeof *v) == 0);
    CHECK(ss_sim_ledger(r.sim)->state_set == 0);
    free(q);
    free(v);
    close_scene(&r);
}

/* arm.json: hinges in space count their turns, motors and a driven base ask for velocities */
TEST(an_arm_is_assembled_and_its_hinges_stay_in_their_turn)
{
    scene_run r = open_scene("scenes/arm.json", NULL, NAN);
    const int nq = ss_model_nq(r.model), elbow = 2;
    double q[64], before, after;
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.1));
    CHECK_OK(r.ctx, ss_sim_joint_motion(r.sim, elbow, &before, NULL));
    memcpy(q, ss_sim_q(r.sim), (size_t)nq * sizeof *q);
    for (int i = 0; i < nq; i++) {
        q[i] += 1e-3 * sin(i); /* no joint fits any more, no quaternion has length 1 */
    }
    CHECK_OK(r.ctx, ss_sim_set_state(r.sim, q, NULL));
    CHECK_OK(r.ctx, ss_sim_joint_motion(r.sim, elbow, &after, NULL));
    CHECK_NEAR(after, before, 1e-2);
    CHECK(ss_sim_last_step(r.sim)->joint_error <= 1e-13);
    for (int b = 0; b < r.model->bodies; b++) {
        const double *w = r.model->body_q[b] >= 0 ? ss_sim_q(r.sim) + r.model->body_q[b] + 3 : (double[4]){ 1, 0, 0, 0 };
        CHECK_NEAR(w[0] * w[0] + w[1] * w[1] + w[2] * w[2] + w[3] * w[3], 1, 1e-14);
    }
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.15));
    CHECK(ss_sim_summary(r.sim)->unconverged_steps == 0);
    close_scene(&r);
}

TEST(states_that_cannot_be_are_refused_and_the_run_goes_on_as_if_nothing_had_been_asked)
{
    scene_run r = open_text(PENDULUM, NULL, NULL, NAN), untouched = open_text(PENDULUM, NULL, NULL, NAN);
    const double nan[2] = { 0, NAN }, centre[2] = { 0, 0 }, far[2] = { 1e30, 0 };
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.05));
    CHECK_OK(untouched.ctx, ss_sim_advance(untouched.sim, 0.05));
    CHECK_FAILS(r.ctx, ss_sim_set_state(r.sim, nan, NULL), SS_ERR_INPUT, "state: q[1] is nan");
    CHECK_FAILS(r.ctx, ss_sim_set_state(r.sim, NULL, nan), SS_ERR_INPUT, "state: v[1] is nan");
    CHECK_FAILS(r.ctx, ss_sim_set_state(r.sim, centre, NULL), SS_ERR_INPUT, "state: ");
    CHECK_FAILS(r.ctx, ss_sim_set_state(r.sim, far, NULL), SS_ERR_INPUT, "state: ");
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.1));
    CHECK_OK(untouched.ctx, ss_sim_advance(untouched.sim, 0.1));
    check_same(r.sim, untouched.sim);
    close_scene(&untouched);
    close_scene(&r);
}

TEST(an_overlap_is_refused_unless_overlaps_are_allowed)
{
    const char *const text =
        "{\"slipstick\": 1, \"dimension\": 3, \"gravity\": [0, 0, -9.81], \"time\": {\"until\": 1, \"step\": 0.01},"
        "\"bodies\": [{\"name\": \"floor\", \"type\": \"fixed\", \"shapes\": [{\"type\": \"half_space\", \"normal\": [0, 0, "
        "1]}]},"
        "{\"name\": \"ball\", \"type\": \"rigid\", \"mass\": 1, \"position\": [0, 0, 1], \"shapes\": [{\"type\": "
        "\"sphere\", \"radius\": 0.1}]}]}";
    scene_run r = open_text(text, NULL, NULL, NAN);
    const double deep[7] = { 0, 0, 0.05, 1, 0, 0, 0 }, nowhere[7] = { 0, 0, 1, 0, 0, 0, 0 };
    CHECK_FAILS(r.ctx, ss_sim_set_state(r.sim, deep, NULL), SS_ERR_INPUT, "bodies overlap by 0.05 m");
    CHECK_FAILS(r.ctx, ss_sim_set_state(r.sim, nowhere, NULL), SS_ERR_INPUT, "the quaternion of body ball is zero");
    CHECK(ss_sim_q(r.sim)[2] == 1);
    r.sim->asked.allow_overlap = true;
    CHECK_OK(r.ctx, ss_sim_set_state(r.sim, deep, NULL));
    CHECK(ss_sim_q(r.sim)[2] == 0.05);
    close_scene(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_state_off_the_joints_moves_to_the_nearest_one_that_satisfies_them),
        cmocka_unit_test(after_the_first_state_is_set_again_every_scheme_repeats_the_run_to_the_last_bit),
        cmocka_unit_test(the_state_that_is_there_may_be_set_and_stays_to_the_last_bit),
        cmocka_unit_test(an_arm_is_assembled_and_its_hinges_stay_in_their_turn),
        cmocka_unit_test(states_that_cannot_be_are_refused_and_the_run_goes_on_as_if_nothing_had_been_asked),
        cmocka_unit_test(an_overlap_is_refused_unless_overlaps_are_allowed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
