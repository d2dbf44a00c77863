/* test_outputs.c - outputs of a step with every scheme: their impulses are those that changed the momentum, impacts included;
 * a restarted run tells the same. */
#include "conformance/scheme_run.h"
#include <slipstick/drive.h>

#define JSON(...) #__VA_ARGS__

/* A spinning ball bounces on a plate, and a rod swings on a hinge against it. Restitution is set where the scheme has it. */
/* clang-format off */
static const char SCENE[] = JSON({
    "slipstick": 1, "dimension": 3, "gravity": [0, 0, -10], "time": {"until": 1, "step": 0.005},
    "materials": [{"name": "m", "mu": 0.2, "e": 0}],
    "bodies": [
        {"name": "ball", "mass": 2, "inertia": [0.01, 0.01, 0.01], "position": [0.3, 0, 0.6], "velocity": [0.5, 0, 0],
         "angular_velocity": [0, 1, 2], "shapes": [{"type": "sphere", "radius": 0.1, "material": "m"}]},
        {"name": "rod", "mass": 1, "inertia": [0.1, 0.1, 0.1], "position": [4.5, 0, 0.6],
         "shapes": [{"type": "sphere", "radius": 0.2, "material": "m"}]},
        {"name": "plate", "type": "fixed", "position": [0, 0, -1], "shapes": [{"type": "box", "size": [3, 3, 2], "material": "m"}]},
        {"name": "stop", "type": "fixed", "position": [4.5, 0, -0.5], "shapes": [{"type": "box", "size": [2, 1, 1], "material": "m"}]}],
    "joints": [{"name": "hinge", "type": "revolute", "bodies": ["world", "rod"], "at": [4, 0, 0.6], "axis": [0, 1, 0]}],
    "outputs": [
        {"name": "scale", "type": "force_plate", "body": "plate"},
        {"name": "imu", "type": "accelerometer", "body": "ball", "point": [0.03, -0.02, 0.05]},
        {"name": "pin", "type": "reaction", "joint": "hinge"},
        {"name": "struck", "type": "force_plate", "body": "stop"},
        {"name": "place", "type": "velocity", "body": "ball", "point": [0.03, -0.02, 0.05]}]});
/* clang-format on */
enum { SCALE = 0, IMU = 6, PIN = 9, STRUCK = 15, PLACE = 21, COLUMNS = 26 };

/* sums of h times what is read, in world axes */
typedef struct sums {
    ss_vec3 scale, imu, pin, struck, first;
} sums;

static ss_status add_step(void *user, const ss_sim *sim, const ss_step_info *info)
{
    sums *s = user;
    double x[COLUMNS];
    CHECK(ss_model_output_count(ss_sim_model(sim)) == COLUMNS && ss_sim_outputs(sim, x) == SS_OK);
    const ss_mat3 R = ss_model_frame(sim->model, 0, sim->now.t, sim->now.q).R;
    s->scale = ss_axpy(info->h, ss_v3_from(x + SCALE), s->scale);
    s->pin = ss_axpy(info->h, ss_v3_from(x + PIN), s->pin);
    s->struck = ss_axpy(info->h, ss_v3_from(x + STRUCK), s->struck);
    s->imu = ss_axpy(info->h, ss_rotate(R, ss_v3_from(x + IMU)), s->imu);
    return SS_OK;
}

static void check_near(ss_vec3 a, ss_vec3 b, double tol)
{
    CHECK_NEAR(a.x, b.x, tol);
    CHECK_NEAR(a.y, b.y, tol);
    CHECK_NEAR(a.z, b.z, tol);
}

static ss_vec3 place_speed(const run *r)
{
    double x[COLUMNS];
    CHECK_OK(r->ctx, ss_sim_outputs(r->sim, x));
    return ss_v3_from(x + PLACE);
}

static run open_scheme(int k)
{
    const bool bounces = !(ss_scheme_types[k]->info.laws & SS_LAW_INELASTIC);
    const char *set[] = { bounces ? "materials.m.e=0.5" : "materials.m.e=0" };
    return start(SCENE, NULL, k, NULL, 1, set);
}

static void check_scheme(int k)
{
    run r = open_scheme(k);
    const double step = ss_sim_step_size(r.sim);
    sums s = { .scale = { 0, 0, 0 }, .first = place_speed(&r) };
    ss_observer o = ss_observer_default();
    o.user = &s;
    o.on_step = add_step;
    CHECK_OK(r.ctx, ss_sim_observe(r.sim, &o));
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 1));
    const double *v = ss_sim_v(r.sim), t = ss_sim_time(r.sim), g = 10;
    /* velocities of some schemes are those of the middle of a step, forces of others are taken at its ends: a step of weight */
    const ss_vec3 ball = ss_scale(2, ss_v3(v[0] - 0.5, v[1], v[2] + g * t)), rod = ss_v3(v[6], v[7], v[8] + g * t);
    check_near(ss_scale(-1, s.scale), ball, 2 * g * step);
    check_near(ss_sub(s.pin, s.struck), rod, 2 * g * step);
    CHECK(s.scale.z < -10 && s.struck.z < -1); /* both have struck */
    /* the sum of differences is the difference, to round-off, with every scheme */
    check_near(s.imu, ss_add(ss_sub(place_speed(&r), s.first), ss_v3(0, 0, g * t)), 1e-9);
    leave(&r);
}

TEST(impulses_of_outputs_are_those_of_the_momentum_with_every_scheme)
{
    for (int k = 0; k < tested_schemes(); k++) {
        print_message("%s\n", scheme_name(k));
        check_scheme(k);
    }
}

TEST(a_restarted_run_tells_the_same_with_every_scheme)
{
    for (int k = 0; k < tested_schemes(); k++) {
        run a = open_scheme(k), b = open_scheme(k);
        double x[2][COLUMNS];
        void *blob = NULL;
        size_t size = 0;
        CHECK_OK(a.ctx, ss_sim_advance(a.sim, 0.6));
        CHECK_OK(a.ctx, ss_sim_save(a.sim, &blob, &size));
        CHECK_OK(b.ctx, ss_sim_restore(b.sim, blob, size));
        for (int i = 0; i < 5; i++) {
            CHECK_OK(a.ctx, ss_sim_outputs(a.sim, x[0]));
            CHECK_OK(b.ctx, ss_sim_outputs(b.sim, x[1]));
            CHECK(memcmp(x[0], x[1], sizeof x[0]) == 0);
            CHECK_OK(a.ctx, ss_sim_step(a.sim, 0.005));
            CHECK_OK(b.ctx, ss_sim_step(b.sim, 0.005));
        }
        ss_blob_free(a.ctx, blob);
        leave(&a);
        leave(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(impulses_of_outputs_are_those_of_the_momentum_with_every_scheme),
        cmocka_unit_test(a_restarted_run_tells_the_same_with_every_scheme),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
