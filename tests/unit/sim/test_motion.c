/* test_motion.c - driven bodies that a program moves: they move as the same expressions in a scene make them, from where they
 * are; a jump is refused; checkpoints have the motion. */
#include "test.h"
#include "unit/sim/scene_run.h"
#include <slipstick/drive.h>

/* a box on a table that moves, an arm that turns about an axis of the world */
static const char *const SCENE =
    "{\"slipstick\": 1, \"dimension\": 3, \"gravity\": [0, 0, -9.81], \"time\": {\"until\": 0.2, \"step\": 0.01},"
    " \"materials\": [{\"name\": \"m\", \"mu\": 0.02}],"
    " \"bodies\": [{\"name\": \"table\", \"type\": \"driven\", \"position\": [\"%s\", \"0\", \"%s\"],"
    "   \"shapes\": [{\"type\": \"box\", \"size\": [1, 1, 0.1], \"material\": \"m\"}]},"
    "  {\"name\": \"arm\", \"type\": \"driven\", \"position\": [\"5\", \"0\", \"0\"], \"angle\": \"%s\", \"axis\": [0, 1, 0]},"
    "  {\"name\": \"box\", \"type\": \"rigid\", \"mass\": 1, \"inertia\": [0.01, 0.01, 0.01], \"position\": [0, 0, 0.15],"
    "   \"shapes\": [{\"type\": \"box\", \"size\": [0.2, 0.2, 0.2], \"material\": \"m\"}]},"
    "  {\"name\": \"rod\", \"type\": \"rigid\", \"mass\": 1, \"inertia\": [0.1, 0.1, 0.1], \"position\": [6, 0, 0],"
    "   \"velocity\": [0, 0, %g], \"angular_velocity\": [0, %g, 0]}],"
    " \"joints\": [{\"name\": \"weld\", \"type\": \"fixed\", \"bodies\": [\"arm\", \"rod\"], \"at\": [5, 0, 0]}]}";
enum { TABLE, ARM, BOX, ROD };

/* rate: that of the arm at the start, with which the rod has to move */
static scene_run open_moving(const char *x, const char *z, const char *angle, double rate, const ss_scheme_type *scheme,
                             double tol)
{
    char text[4096];
    snprintf(text, sizeof text, SCENE, x, z, angle, -rate, rate);
    return open_text(text, NULL, scheme, tol);
}

static void set_speed(scene_run *r, int body, double x, double z, double rate)
{
    ss_motion motion;
    CHECK_OK(r->ctx, ss_sim_motion(r->sim, body, &motion));
    motion.velocity[0] = x;
    motion.velocity[2] = z;
    motion.rate = rate;
    CHECK_OK(r->ctx, ss_sim_set_motion(r->sim, body, &motion));
}

TEST(a_motion_that_is_set_does_what_the_same_expressions_in_a_scene_do_to_the_last_bit)
{
    for (int k = 0; k < 2 * tested_schemes(); k++) {
        const double tol = k % 2 ? 1e-3 : NAN;
        scene_run r = open_moving("0", "0", "0.5", 0, ss_scheme_types[k / 2], tol),
                  twin = open_moving("0.3*t", "0.05*t", "0.5 - 2*t", -2, ss_scheme_types[k / 2], tol);
        set_speed(&r, TABLE, 0.3, 0.05, 0);
        set_speed(&r, ARM, 0, 0, -2);
        /* velocities of joints at the start are those of the scene */
        CHECK_OK(r.ctx, ss_sim_set_state(r.sim, NULL, ss_sim_v(twin.sim)));
        CHECK_OK(twin.ctx, ss_sim_set_state(twin.sim, NULL, ss_sim_v(twin.sim)));
        CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.05));
        CHECK_OK(twin.ctx, ss_sim_advance(twin.sim, 0.05));
        CHECK(memcmp(ss_sim_q(r.sim), ss_sim_q(twin.sim), (size_t)ss_model_nq(r.model) * sizeof(double)) == 0);
        CHECK(memcmp(ss_sim_v(r.sim), ss_sim_v(twin.sim), (size_t)ss_model_nv(r.model) * sizeof(double)) == 0);
        close_scene(&twin);
        close_scene(&r);
    }
}

/* 0.4 m/s for 0.1 s, then -1 m/s; 3 rad/s, then at rest: places by hand, and where the pose says the bodies are */
TEST(a_motion_goes_on_from_where_the_body_is)
{
    scene_run r = open_moving("0.4*t", "0", "1 + 3*t", 3, NULL, NAN);
    double position[3], orientation[4], angle;
    ss_motion motion;
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.1));
    set_speed(&r, TABLE, -1, 0, 0);
    set_speed(&r, ARM, 0, 0, 0);
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.15));
    CHECK_OK(r.ctx, ss_sim_motion(r.sim, TABLE, &motion));
    CHECK_NEAR(motion.position[0], 0.04 - 0.05, 1e-15);
    CHECK_NEAR(motion.velocity[0], -1, 1e-15);
    CHECK_OK(r.ctx, ss_sim_motion(r.sim, ARM, &motion));
    CHECK_NEAR(motion.angle, 0.3, 1e-15);
    CHECK(motion.rate == 0);
    CHECK_OK(r.ctx, ss_sim_body_pose(r.sim, TABLE, position, orientation, &angle));
    CHECK_NEAR(position[0], -0.01, 1e-15);
    CHECK_OK(r.ctx, ss_sim_body_pose(r.sim, ARM, position, orientation, &angle));
    CHECK_NEAR(orientation[2], sin(0.5 * 1.3), 1e-15); /* with the turn that it begins with */
    const double *rod = ss_sim_q(r.sim) + ss_model_body_q(r.model, ROD);
    CHECK_NEAR(rod[2], -sin(0.3), 1e-9); /* the rod is welded to the arm; tolerance of the projection */
    close_scene(&r);
}

TEST(jumps_and_bad_motions_are_refused_and_change_nothing)
{
    scene_run r = open_moving("0.4*t", "0", "0", 0, NULL, NAN), twin = open_moving("0.4*t", "0", "0", 0, NULL, NAN);
    ss_motion now, motion;
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.05));
    CHECK_OK(r.ctx, ss_sim_motion(r.sim, TABLE, &now));
    motion = now;
    motion.position[1] += 0.01;
    CHECK_FAILS(r.ctx, ss_sim_set_motion(r.sim, TABLE, &motion), SS_ERR_INPUT, "body table: its motion jumps by 0.01 m");
    motion = now;
    motion.angle = 0.5;
    CHECK_FAILS(r.ctx, ss_sim_set_motion(r.sim, TABLE, &motion), SS_ERR_INPUT, "0.5 rad at t = 0.05 s");
    motion = now;
    motion.velocity[2] = NAN;
    CHECK_FAILS(r.ctx, ss_sim_set_motion(r.sim, TABLE, &motion), SS_ERR_INPUT, "velocity[2] is nan");
    motion = now;
    motion.rate = INFINITY;
    CHECK_FAILS(r.ctx, ss_sim_set_motion(r.sim, TABLE, &motion), SS_ERR_INPUT, "its rate inf");
    CHECK_FAILS(r.ctx, ss_sim_set_motion(r.sim, BOX, &now), SS_ERR_INPUT, "body box: it is rigid: expected a driven body");
    CHECK_FAILS(r.ctx, ss_sim_motion(r.sim, 4, &motion), SS_ERR_INPUT, "body 4: expected a number from 0 to 3");
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.1));
    CHECK_OK(twin.ctx, ss_sim_advance(twin.sim, 0.05));
    CHECK_OK(twin.ctx, ss_sim_advance(twin.sim, 0.1));
    check_same_state(r.sim, twin.sim);
    close_scene(&twin);
    close_scene(&r);
}

TEST(motions_are_part_of_checkpoints_and_setting_them_again_changes_nothing)
{
    for (int k = 0; k < 2 * tested_schemes(); k++) {
        const double tol = k % 2 ? 1e-3 : NAN;
        scene_run r = open_moving("0.1*t", "0", "0", 0, ss_scheme_types[k / 2], tol),
                  other = open_moving("0.1*t", "0", "0", 0, ss_scheme_types[k / 2], tol);
        void *blob = NULL;
        size_t size = 0;
        ss_motion motion;
        CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.02));
        set_speed(&r, TABLE, -0.2, 0, 0);
        CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.04));
        CHECK_OK(r.ctx, ss_sim_save(r.sim, &blob, &size));
        CHECK_OK(r.ctx, ss_sim_motion(r.sim, TABLE, &motion));
        CHECK_OK(r.ctx, ss_sim_set_motion(r.sim, TABLE, &motion));
        CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.06));
        CHECK_OK(other.ctx, ss_sim_restore(other.sim, blob, size));
        CHECK_OK(other.ctx, ss_sim_advance(other.sim, 0.06));
        check_same_state(r.sim, other.sim);
        ss_blob_free(r.ctx, blob);
        close_scene(&other);
        close_scene(&r);
    }
}

TEST(a_restored_run_has_the_motions_of_its_checkpoint_and_no_others)
{
    scene_run r = open_moving("0", "0", "0", 0, NULL, NAN);
    void *blob = NULL;
    size_t size = 0;
    ss_motion motion;
    CHECK_OK(r.ctx, ss_sim_save(r.sim, &blob, &size));
    set_speed(&r, TABLE, 0.1, 0, 0);
    set_speed(&r, ARM, 0, 0, 5);
    CHECK_OK(r.ctx, ss_sim_restore(r.sim, blob, size));
    CHECK_OK(r.ctx, ss_sim_motion(r.sim, TABLE, &motion));
    CHECK(motion.velocity[0] == 0);
    CHECK_OK(r.ctx, ss_sim_motion(r.sim, ARM, &motion));
    CHECK(motion.rate == 0);
    ss_blob_free(r.ctx, blob);
    close_scene(&r);
}

/* the box sticks to a table that is moved slowly: contact forces by pair of bodies, and the law of the pair of materials */
TEST(contacts_of_a_pair_of_bodies_carry_the_weight_and_laws_can_be_read)
{
    scene_run r = open_moving("0", "0", "0", 0, NULL, NAN);
    double force[3], torque[3], mu, e;
    CHECK_OK(r.ctx, ss_sim_contact_wrench(r.sim, BOX, TABLE, force, torque));
    CHECK(force[2] == 0);
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.05));
    CHECK_OK(r.ctx, ss_sim_contact_wrench(r.sim, BOX, TABLE, force, torque));
    CHECK_NEAR(force[2], 9.81, 1e-8); /* tolerance of the solver */
    CHECK_NEAR(torque[0], 0, 1e-8);
    CHECK_OK(r.ctx, ss_sim_contact_wrench(r.sim, TABLE, -1, force, torque));
    CHECK_NEAR(force[2], -9.81, 1e-8);
    CHECK_OK(r.ctx, ss_sim_contact_wrench(r.sim, BOX, ROD, force, torque));
    CHECK(force[2] == 0);
    CHECK_FAILS(r.ctx, ss_sim_contact_wrench(r.sim, BOX, 9, force, torque), SS_ERR_INPUT, "body 9");
    CHECK_OK(r.ctx, ss_sim_pair(r.sim, 0, 0, &mu, &e));
    CHECK(mu == 0.02 && e == 0);
    CHECK_OK(r.ctx, ss_sim_set_pair(r.sim, 0, 0, 0.5, 0));
    CHECK_OK(r.ctx, ss_sim_pair(r.sim, 0, 0, &mu, &e));
    CHECK(mu == 0.5);
    close_scene(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_motion_that_is_set_does_what_the_same_expressions_in_a_scene_do_to_the_last_bit),
        cmocka_unit_test(a_motion_goes_on_from_where_the_body_is),
        cmocka_unit_test(jumps_and_bad_motions_are_refused_and_change_nothing),
        cmocka_unit_test(motions_are_part_of_checkpoints_and_setting_them_again_changes_nothing),
        cmocka_unit_test(a_restored_run_has_the_motions_of_its_checkpoint_and_no_others),
        cmocka_unit_test(contacts_of_a_pair_of_bodies_carry_the_weight_and_laws_can_be_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
