/* Joints with limits and motors, driven bodies, user blocks, anisotropic friction, redundancy: small machines with an
 * answer in closed form, run through the scheme and the driver. */
#include "test.h"

#include "sim/sim.h"

typedef struct run {
    ss_context *ctx;
    ss_scene *scene;
    ss_model *model;
    ss_sim *sim;
} run;

static run begin(const char *text, int sets, const char *const *set)
{
    run r = { .ctx = test_context() };
    CHECK_OK(r.ctx, ss_scene_parse(r.ctx, text, strlen(text), "scene", sets, set, &r.scene));
    CHECK_OK(r.ctx, ss_model_compile(r.ctx, r.scene, &r.model));
    ss_sim_options options = ss_sim_options_default();
    options.allow_overlap = true;
    CHECK_OK(r.ctx, ss_sim_create(r.ctx, r.model, &options, &r.sim));
    return r;
}

static void end_uncertified(run *r)
{
    CHECK(ss_sim_ledger(r->sim)->closure < 1e-12);
    ss_sim_destroy(r->sim);
    ss_model_destroy(r->model);
    ss_scene_destroy(r->scene);
    ss_context_destroy(r->ctx);
}

static void end(run *r)
{
    CHECK(ss_sim_summary(r->sim)->unconverged_steps == 0);
    end_uncertified(r);
}

#define HEAD(dimension, gravity, step)                                                                                           \
    "{\"slipstick\":1,\"dimension\":" #dimension ",\"gravity\":" gravity ",\"time\":{\"until\":1,\"step\":" step "},"
#define FLOOR "{\"name\":\"floor\",\"type\":\"fixed\",\"shapes\":[{\"type\":\"half_space\",\"normal\":[0,1],\"material\":\"m\"}]}"

static const char pendulum[] =
    HEAD(2, "[0,-9.81]",
         "1e-3") "\"bodies\":[{\"name\":\"rod\",\"type\":\"rigid\",\"mass\":1,\"inertia\":\"1/12\",\"position\":[0.5,0]}],"
                 "\"joints\":[{\"name\":\"pin\",\"type\":\"revolute\",\"bodies\":[\"world\",\"rod\"],\"at\":[0,0]}]}";

static double energy_defect(const char *step)
{
    run r = begin(pendulum, 1, &step);
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.4));
    double angle = ss_sim_q(r.sim)[2], rate = ss_sim_v(r.sim)[2];
    CHECK(ss_sim_summary(r.sim)->max_joint_error < 1e-6);
    end(&r);
    return rate * rate - 3 * 9.81 * sin(-angle); /* omega^2 = 3 g sin(theta)/L */
}

TEST(pendulum_falls_as_its_energy_says_at_first_order)
{
    double coarse = energy_defect("time.step=1e-3"), fine = energy_defect("time.step=5e-4");
    CHECK(fabs(coarse) < 0.3); /* of 26.6 */
    CHECK_NEAR(coarse / fine, 2, 0.05);
}

TEST(a_rod_on_its_limit_hits_it_once)
{
    const char *set[] = { "joints.pin.limits=[-0.5,null]", "time.step=0.005" };
    run r = begin(pendulum, 2, set);
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 3));
    CHECK(ss_sim_summary(r.sim)->events == 1);
    end(&r);
}

TEST(reaction_and_contact_force_are_those_of_the_whole_step)
{
    run r = begin(pendulum, 0, NULL);
    CHECK_OK(r.ctx, ss_sim_step(r.sim, 1e-6)); /* released from horizontal: the pin carries a quarter of the weight */
    double reaction[6];
    CHECK(ss_sim_joint_reaction(r.sim, 0, reaction) == 2);
    CHECK_NEAR(hypot(reaction[0], reaction[1]), 9.81 / 4, 1e-4);
    CHECK(ss_sim_joint_reaction(r.sim, 7, reaction) == 0);
    end(&r);
}

TEST(limit_of_a_joint_stops_it)
{
    const char *set[] = { "joints.pin.limits=[-0.5,null]" };
    run r = begin(pendulum, 1, set);
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 1));
    CHECK_NEAR(ss_sim_q(r.sim)[2], -0.5, 1e-9);
    CHECK_NEAR(ss_sim_v(r.sim)[2], 0, 1e-9);
    CHECK(ss_sim_summary(r.sim)->events >= 1);
    end(&r);
}

TEST(motor_turns_at_its_speed_and_its_work_is_counted)
{
    const char *set[] = { "joints.pin.motor={\"speed\":\"2*t\"}" };
    run r = begin(pendulum, 1, set);
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 1));
    CHECK_NEAR(ss_sim_v(r.sim)[2], 2, 1e-9);
    CHECK_NEAR(ss_sim_q(r.sim)[2], 1, 2e-3); /* integral of 2t, order 1 */
    const ss_ledger *l = ss_sim_ledger(r.sim);
    CHECK_NEAR(l->applied, 0.5 / 3 * 4 + 9.81 * 0.5 * sin(1), 0.05); /* kinetic plus potential energy, order 1 */
    end(&r);
}

TEST(motor_with_a_bound_gives_no_more_than_that)
{
    const char *set[] = { "joints.pin.motor={\"speed\":1,\"max\":0.1}", "gravity=[0,0]" };
    run r = begin(pendulum, 2, set);
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 1));
    CHECK_NEAR(ss_sim_v(r.sim)[2], 0.1 * 3, 1e-5); /* torque over J about the pin, 1/3; rows turn by 3e-4 in a step */
    double reaction[6];
    CHECK(ss_sim_joint_reaction(r.sim, 0, reaction) == 3);
    CHECK_NEAR(reaction[2], 0.1, 1e-12); /* the motor's torque is the last of them */
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 5));
    CHECK_NEAR(ss_sim_v(r.sim)[2], 1, 1e-8); /* and then it holds its speed */
    end(&r);
}

TEST(doubled_joints_change_nothing)
{
    const char *set[] = { "joints=[{\"type\":\"revolute\",\"bodies\":[\"world\",\"rod\"],\"at\":[0,0]},{\"type\":\"revolute\","
                          "\"bodies\":[\"world\","
                          "\"rod\"],\"at\":[0,0]},{\"type\":\"distance\",\"bodies\":[\"world\",\"rod\"]}]" };
    run one = begin(pendulum, 0, NULL), three = begin(pendulum, 1, set);
    CHECK_OK(one.ctx, ss_sim_advance(one.sim, 0.5));
    CHECK_OK(three.ctx, ss_sim_advance(three.sim, 0.5));
    for (int i = 0; i < 3; i++) {
        CHECK_NEAR(ss_sim_q(one.sim)[i], ss_sim_q(three.sim)[i], 1e-8); /* both hold the joints to a millionth or better */
    }
    end(&one);
    end(&three);
}

/* ---- driven bodies -------------------------------------------------------------------------------- */

TEST(lift_raises_a_box_and_pays_for_it)
{
    run r = begin(HEAD(2, "[0,-10]", "1e-2") "\"materials\":[{\"name\":\"m\",\"mu\":0.5}],\"bodies\":["
                                             "{\"name\":\"box\",\"type\":\"rigid\",\"mass\":2,\"position\":[0,0.5],\"velocity\":["
                                             "0,0.3],\"shapes\":[{\"type\":\"box\",\"size\":[1,1],\"material\":\"m\"}]},"
                                             "{\"name\":\"lift\",\"type\":\"driven\",\"position\":[0,\"0.3*t\"],\"shapes\":[{"
                                             "\"type\":\"half_space\",\"normal\":[0,1],\"material\":\"m\"}]}]}",
                  0, NULL);
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 1));
    CHECK_NEAR(ss_sim_q(r.sim)[1], 0.8, 1e-9);
    CHECK_NEAR(ss_sim_ledger(r.sim)->driven, 2 * 10 * 0.3, 1e-8); /* m g v t */
    end(&r);
}

TEST(belt_drags_a_box_to_its_speed)
{
    run r = begin(HEAD(2, "[0,-10]", "1e-3") "\"materials\":[{\"name\":\"m\",\"mu\":0.2}],\"bodies\":["
                                             "{\"name\":\"box\",\"type\":\"rigid\",\"mass\":2,\"position\":[0,0.5],\"shapes\":[{"
                                             "\"type\":\"box\",\"size\":[1,1],\"material\":\"m\"}]},"
                                             "{\"name\":\"belt\",\"type\":\"driven\",\"position\":[\"1*t\",0],\"shapes\":[{"
                                             "\"type\":\"half_space\",\"normal\":[0,1],\"material\":\"m\"}]}]}",
                  0, NULL);
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.25));
    CHECK_NEAR(ss_sim_v(r.sim)[0], 0.5, 1e-9); /* mu g t */
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 1));
    CHECK_NEAR(ss_sim_v(r.sim)[0], 1, 1e-9);
    CHECK_NEAR(ss_sim_ledger(r.sim)->driven + ss_sim_ledger(r.sim)->contact_friction, 1, 1e-8); /* m v^2 / 2 */
    CHECK_NEAR(ss_sim_ledger(r.sim)->contact_friction, -1, 2e-3); /* as much is lost in slip, order 1 */
    end(&r);
}

TEST(a_bat_gives_energy_and_the_impact_law_takes_some)
{
    run r = begin(
        HEAD(2, "[0,0]",
             "0.01") "\"materials\":[{\"name\":\"m\",\"e\":0.5}],\"bodies\":[{\"name\":\"ball\",\"type\":\"particle\",\"mass\":1,"
                     "\"position\":[0,0],\"shapes\":[{\"type\":\"disk\",\"radius\":0.1,\"material\":\"m\"}]},"
                     "{\"name\":\"bat\",\"type\":\"driven\",\"position\":[\"t-0.5\",0],\"shapes\":[{\"type\":\"disk\",\"radius\":"
                     "0.1,\"material\":\"m\"}]}]}",
        0, NULL);
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 1));
    CHECK_NEAR(ss_sim_v(r.sim)[0], 1.5, 1e-12); /* (1 + e) v */
    CHECK_NEAR(ss_sim_ledger(r.sim)->driven, 1.5, 1e-12);
    CHECK_NEAR(ss_sim_ledger(r.sim)->contact_normal, -0.375, 1e-12);
    CHECK(ss_sim_ledger(r.sim)->impact_gains == 0);
    end(&r);
}

/* the bat above as a body that a motor keeps at its speed, also through the impact: its work is not made by the impact law */
TEST(a_motor_that_drives_a_bat_is_not_a_gain_of_the_impact_law)
{
    run r = begin(
        HEAD(2, "[0,0]",
             "0.01") "\"materials\":[{\"name\":\"m\",\"e\":0.5}],\"bodies\":[{\"name\":\"ball\",\"type\":\"particle\",\"mass\":1,"
                     "\"position\":[0,0],\"shapes\":[{\"type\":\"disk\",\"radius\":0.1,\"material\":\"m\"}]},"
                     "{\"name\":\"bat\",\"type\":\"rigid\",\"mass\":1,\"inertia\":1,\"position\":[-0.5,0],\"velocity\":[1,0],"
                     "\"shapes\":[{\"type\":\"disk\",\"radius\":0.1,\"material\":\"m\"}]}],"
                     "\"joints\":[{\"name\":\"rail\",\"type\":\"prismatic\",\"bodies\":[\"world\",\"bat\"],\"axis\":[1,0],"
                     "\"at\":[-0.5,0],\"motor\":{\"speed\":1}}]}",
        0, NULL);
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 1));
    CHECK_NEAR(ss_sim_v(r.sim)[0], 1.5, 1e-12);
    CHECK_NEAR(ss_sim_ledger(r.sim)->applied, 1.5, 1e-12);
    CHECK_NEAR(ss_sim_ledger(r.sim)->contact_normal, -0.375, 1e-12);
    CHECK(ss_sim_ledger(r.sim)->impact_gain == 0 && ss_sim_ledger(r.sim)->impact_gains == 0);
    end(&r);
}

/* ---- friction --------------------------------------------------------------------------------------- */

static double slide(const char *velocity)
{
    run r =
        begin(HEAD(3, "[0,0,-10]",
                   "1e-3") "\"materials\":[{\"name\":\"m\",\"mu\":[0.2,0.5],\"grain\":[1,0,0]},{\"name\":\"plain\"}],\"bodies\":["
                           "{\"name\":\"box\",\"type\":\"rigid\",\"mass\":1,\"position\":[0,0,0.1],\"shapes\":[{\"type\":\"box\","
                           "\"size\":[1,1,0.2],\"material\":\"plain\"}]},"
                           "{\"name\":\"floor\",\"type\":\"fixed\",\"shapes\":[{\"type\":\"half_space\",\"normal\":[0,0,1],"
                           "\"material\":\"m\"}]}]}",
              1, &velocity);
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 1));
    double distance = hypot(ss_sim_q(r.sim)[0], ss_sim_q(r.sim)[1]);
    end(&r);
    return distance;
}

TEST(anisotropic_friction_brakes_by_the_direction)
{
    CHECK_NEAR(slide("bodies.box.velocity=[1,0,0]"), 1 / (2 * 0.2 * 10), 1e-3); /* v^2/(2 mu g), order 1 */
    CHECK_NEAR(slide("bodies.box.velocity=[0,1,0]"), 1 / (2 * 0.5 * 10), 1e-3);
}

TEST(newton_cradle_of_three_balls_shares_the_velocity)
{
    run r = begin(HEAD(2, "[0,0]", "1e-2") "\"scheme\":{\"name\":\"anitescu_potra\",\"restitution\":\"newton\"},\"materials\":[{"
                                           "\"name\":\"m\",\"e\":1}],\"bodies\":["
                                           "{\"name\":\"a\",\"type\":\"particle\",\"mass\":1,\"position\":[0,0],\"velocity\":[1,"
                                           "0],\"shapes\":[{\"type\":\"disk\",\"radius\":0.5,\"material\":\"m\"}]},"
                                           "{\"name\":\"b\",\"type\":\"particle\",\"mass\":1,\"position\":[1,0],\"shapes\":[{"
                                           "\"type\":\"disk\",\"radius\":0.5,\"material\":\"m\"}]},"
                                           "{\"name\":\"c\",\"type\":\"particle\",\"mass\":1,\"position\":[2,0],\"shapes\":[{"
                                           "\"type\":\"disk\",\"radius\":0.5,\"material\":\"m\"}]}]}",
                  0, NULL);
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.1));
    CHECK_NEAR(ss_sim_v(r.sim)[0], -1.0 / 3, 1e-12);
    CHECK_NEAR(ss_sim_v(r.sim)[2], 2.0 / 3, 1e-12);
    CHECK_NEAR(ss_sim_v(r.sim)[4], 2.0 / 3, 1e-12);
    end(&r);
}

static ss_summary oscillate(const char *position, const char *force)
{
    const char *set[] = { "scheme.name=anitescu_potra", "scheme.forces=explicit", position, force };
    run r =
        begin(HEAD(2, "[0,0]",
                   "1e-3") "\"bodies\":[{\"name\":\"p\",\"type\":\"particle\",\"mass\":1,\"position\":[100.1,0]}],"
                           "\"forces\":[{\"type\":\"spring\",\"bodies\":[\"world\",\"p\"],\"stiffness\":1e4,\"length\":100}]}",
              4, set);
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 1));
    ss_summary summary = *ss_sim_summary(r.sim);
    end_uncertified(&r);
    return summary;
}

TEST(energy_of_an_explicit_spring_grows_as_printed_stays_if_symplectic_and_falls_with_new_forces)
{
    double x = 100 * 1e-3; /* omega h */
    ss_summary printed = oscillate("scheme.position=old", "scheme.force=old");
    CHECK_NEAR(printed.energy_final / printed.energy_initial / pow(1 + x * x, 1000), 1, 1e-6); /* explicit Euler */
    CHECK(printed.remark[SS_REMARK_ENERGY].steps > 900 && printed.unconverged_steps > 900);
    ss_summary symplectic = oscillate("scheme.position=new", "scheme.force=old");
    CHECK(symplectic.energy_max < symplectic.energy_initial * (1 + x)); /* conserves E + O(h omega) E */
    CHECK(symplectic.energy_final > symplectic.energy_initial * (1 - x));
    CHECK(symplectic.unconverged_steps == 0);
    ss_summary standard = oscillate("scheme.position=new", "scheme.force=new");
    CHECK(standard.energy_max == standard.energy_initial && standard.unconverged_steps == 0);
    CHECK_NEAR(standard.energy_final / standard.energy_initial / pow(1 - x * x, 1000), 1,
               0.1); /* determinant of its map, up to the phase */
}

TEST(deep_overlap_opens_gently)
{
    run r = begin(HEAD(2, "[0,-10]", "1e-2") "\"materials\":[{\"name\":\"m\",\"mu\":0.5}],\"bodies\":["
                                             "{\"name\":\"box\",\"type\":\"rigid\",\"mass\":2,\"position\":[0,0.2],\"shapes\":[{"
                                             "\"type\":\"box\",\"size\":[1,1],\"material\":\"m\"}]}," FLOOR "]}",
                  0, NULL);
    double fastest = 0;
    for (int k = 0; k < 1000; k++) {
        CHECK_OK(r.ctx, ss_sim_step(r.sim, 0.01));
        fastest = fmax(fastest, fabs(ss_sim_v(r.sim)[1]));
    }
    CHECK(fastest <= 0.2); /* a thousandth of the length, about 0.7 m, per step of 0.01 s, and a little gravity */
    CHECK_NEAR(ss_sim_q(r.sim)[1], 0.5, 1e-3);
    end(&r);
}

static double largest_gap(double h)
{
    char step[64];
    snprintf(step, sizeof step, "time.step=%.17g", h);
    const char *set[] = { step };
    run r =
        begin(HEAD(2, "[0,-10]", "1e-3") "\"bodies\":[{\"name\":\"bead\",\"type\":\"particle\",\"mass\":1,\"position\":[0,1],"
                                         "\"velocity\":[1,0],\"shapes\":[{\"type\":\"point\"}]},"
                                         "{\"name\":\"hill\",\"type\":\"fixed\",\"shapes\":[{\"type\":\"disk\",\"radius\":1}]}]}",
              1, set);
    double largest = 0;
    while (ss_sim_time(r.sim) < 0.2) {
        CHECK_OK(r.ctx, ss_sim_step(r.sim, h));
        largest = fmax(largest, fabs(hypot(ss_sim_q(r.sim)[0], ss_sim_q(r.sim)[1]) - 1));
    }
    end(&r);
    return largest;
}

TEST(bead_on_a_round_hill_keeps_to_it_far_better_than_first_order)
{
    double coarse = largest_gap(4e-3), fine = largest_gap(2e-3);
    CHECK(coarse < 1e-6);             /* without the offset it would leave by h v^2/2 per step: 2e-4 in all */
    CHECK(log2(coarse / fine) > 2.5); /* linearised where it ends, not where it starts */
}

/* ---- fast things --------------------------------------------------------------------------------------------- */

TEST(free_body_keeps_its_energy_and_angular_momentum_at_any_step)
{
    const char spinner[] = HEAD(3, "[0,0,0]", "0.05") "\"bodies\":[{\"name\":\"b\",\"type\":\"rigid\",\"mass\":1,\"inertia\":[1,"
                                                      "2,3],\"position\":[0,0,0],\"angular_velocity\":[30,1,20]}]}";
    run r = begin(spinner, 0, NULL);
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 10));
    const double *w = ss_sim_v(r.sim) + 3;
    double L2 = w[0] * w[0] + 4 * w[1] * w[1] + 9 * w[2] * w[2], start = 900 + 4 + 9 * 400;
    CHECK_NEAR(ss_sim_last_step(r.sim)->kinetic, 0.5 * (900 + 2 + 3 * 400), 1e-9); /* round-off of 200 steps */
    CHECK_NEAR(L2 / start, 1, 1e-12);
    end(&r);
}

static double spin_error(const char *step)
{
    const char body[] = HEAD(3, "[0,0,0]", "0.01") "\"bodies\":[{\"name\":\"b\",\"type\":\"rigid\",\"mass\":1,\"inertia\":[1,2,3]"
                                                   ",\"position\":[0,0,0],\"angular_velocity\":[1,0.5,-0.8]}]}";
    const double exact[3] = { .510585463752, -.994636860470, -.627348259421 }; /* at t = 2, a reference of PAGT06's free body */
    run r = begin(body, 1, &step);
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 2));
    double error = 0;
    for (int i = 0; i < 3; i++) {
        error = fmax(error, fabs(ss_sim_v(r.sim)[3 + i] - exact[i]));
    }
    end(&r);
    return error;
}

TEST(free_body_turns_as_the_reference_does)
{
    double coarse = spin_error("time.step=0.02"), fine = spin_error("time.step=0.01");
    CHECK(fine < 1e-4);
    CHECK_NEAR(log2(coarse / fine), 2, 0.1); /* its spin alone is integrated by the midpoint rule */
}

/* head-on at 100 m/s with a step in which each body moves by many of its sizes */
static double velocity_after(const char *target, const char *angle)
{
    char text[2048];
    snprintf(
        text, sizeof text,
        HEAD(2, "[0,0]", "0.02") "\"materials\":[{\"name\":\"m\",\"e\":1}],\"bodies\":[{\"name\":\"bullet\",\"type\":"
                                 "\"particle\",\"mass\":1e-3,"
                                 "\"position\":[-1.03,0.001],\"velocity\":[100,0],\"shapes\":[{\"type\":\"disk\",\"radius\":0.01,"
                                 "\"material\":\"m\"}]},"
                                 "{\"name\":\"target\",\"type\":\"fixed\",\"angle\":%s,\"shapes\":[{%s,\"material\":\"m\"}]}]}",
        angle, target);
    run r = begin(text, 0, NULL);
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.1));
    double v = ss_sim_v(r.sim)[0];
    CHECK(ss_sim_summary(r.sim)->events == 1);
    end(&r);
    return v;
}

TEST(nothing_passes_through_a_thin_wall_or_a_small_ball)
{
    CHECK_NEAR(velocity_after("\"type\":\"box\",\"size\":[0.02,1]", "0"), -100, 1e-9);
    CHECK_NEAR(velocity_after("\"type\":\"box\",\"size\":[0.02,1]", "0.3"), -100 * cos(0.6),
               1e-9); /* mirrored at the turned face */
    CHECK(velocity_after("\"type\":\"disk\",\"radius\":0.02", "0") < -90);
}

/* ---- user blocks --------------------------------------------------------------------------------------- */

/* one coordinate with M(q) = 2 + cos q, a potential 1 - cos(q), and a wall at q = -0.5 */
static ss_status block_mass(void *user, double t, const double *q, double *M)
{
    (void)user, (void)t;
    M[0] = 2 + cos(q[0]);
    return SS_OK;
}
/* k = -V' + v^2 M'/2 - M' v^2: generalised force with the terms of a varying mass */
static ss_status block_force(void *user, double t, const double *q, const double *v, double *k)
{
    (void)user, (void)t;
    k[0] = -sin(q[0]) + 0.5 * sin(q[0]) * v[0] * v[0];
    return SS_OK;
}
static ss_status block_potential(void *user, double t, const double *q, double *energy)
{
    (void)user, (void)t;
    *energy = 1 - cos(q[0]);
    return SS_OK;
}
static ss_status block_gap(void *user, double t, const double *q, double *gap, double *H, double *gap_t)
{
    (void)user, (void)t;
    gap[0] = q[0] + 0.5;
    H[0] = 1;
    gap_t[0] = 0;
    return SS_OK;
}

TEST(user_block_with_varying_mass_bounces_and_its_ledger_closes)
{
    ss_context *ctx = test_context();
    ss_block block = { .size = sizeof(ss_block),
                       .n = 1,
                       .mass = block_mass,
                       .force = block_force,
                       .potential = block_potential,
                       .gaps = 1,
                       .gap = block_gap,
                       .e = 0.5 };
    ss_scene_settings settings = ss_scene_settings_default();
    settings.dimension = 2;
    settings.step = 1e-3;
    run r = { .ctx = ctx };
    CHECK_OK(ctx, ss_scene_create(ctx, &settings, &r.scene));
    ss_body_desc body = ss_body_desc_default();
    double q0 = 1;
    body.name = "crank";
    body.type = SS_BODY_BLOCK;
    body.block = &block;
    body.block_q = &q0;
    CHECK_OK(ctx, ss_scene_add_body(r.scene, &body, NULL));
    CHECK_OK(ctx, ss_model_compile(ctx, r.scene, &r.model));
    CHECK_OK(ctx, ss_sim_create(ctx, r.model, NULL, &r.sim));
    double start = ss_sim_summary(r.sim)->energy_initial, speed = 0;
    while (ss_sim_summary(r.sim)->events == 0) {
        speed = ss_sim_v(r.sim)[0];
        CHECK_OK(ctx, ss_sim_step(r.sim, 1e-3));
        CHECK(ss_sim_time(r.sim) < 10);
    }
    double at_wall = sqrt(2 * (start - (1 - cos(0.5))) / (2 + cos(0.5)));
    CHECK_NEAR(speed, -at_wall, 5e-3); /* energy, order 1 */
    CHECK_NEAR(ss_sim_v(r.sim)[0], 0.5 * at_wall, 5e-3);
    CHECK(fabs(ss_sim_ledger(r.sim)->inertia) > 1e-3); /* the entry is at work */
    end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pendulum_falls_as_its_energy_says_at_first_order),
        cmocka_unit_test(limit_of_a_joint_stops_it),
        cmocka_unit_test(a_rod_on_its_limit_hits_it_once),
        cmocka_unit_test(reaction_and_contact_force_are_those_of_the_whole_step),
        cmocka_unit_test(motor_turns_at_its_speed_and_its_work_is_counted),
        cmocka_unit_test(motor_with_a_bound_gives_no_more_than_that),
        cmocka_unit_test(doubled_joints_change_nothing),
        cmocka_unit_test(lift_raises_a_box_and_pays_for_it),
        cmocka_unit_test(belt_drags_a_box_to_its_speed),
        cmocka_unit_test(a_bat_gives_energy_and_the_impact_law_takes_some),
        cmocka_unit_test(a_motor_that_drives_a_bat_is_not_a_gain_of_the_impact_law),
        cmocka_unit_test(anisotropic_friction_brakes_by_the_direction),
        cmocka_unit_test(newton_cradle_of_three_balls_shares_the_velocity),
        cmocka_unit_test(energy_of_an_explicit_spring_grows_as_printed_stays_if_symplectic_and_falls_with_new_forces),
        cmocka_unit_test(deep_overlap_opens_gently),
        cmocka_unit_test(bead_on_a_round_hill_keeps_to_it_far_better_than_first_order),
        cmocka_unit_test(free_body_keeps_its_energy_and_angular_momentum_at_any_step),
        cmocka_unit_test(free_body_turns_as_the_reference_does),
        cmocka_unit_test(nothing_passes_through_a_thin_wall_or_a_small_ball),
        cmocka_unit_test(user_block_with_varying_mass_bounces_and_its_ledger_closes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
