/* An assembly that is used again: geometry hands over a problem that nothing of the last one is left in. */
#include "kernels/impulses.h"
#include "sim/sim.h"
#include "test.h"

/* a ball on a stiff spring above a floor that it touches */
static const char text[] =
    "{\"slipstick\":1,\"dimension\":2,\"gravity\":[0,-10],\"time\":{\"until\":1,\"step\":0.01},\"scheme\":{\"name\":\"moreau\"},"
    "\"materials\":[{\"name\":\"a\",\"mu\":0.5,\"e\":0}],"
    "\"bodies\":[{\"name\":\"ball\",\"type\":\"rigid\",\"mass\":2,\"inertia\":0.1,\"position\":[0,0.5],\"velocity\":[1,-3],"
    "\"shapes\":[{\"type\":\"sphere\",\"radius\":0.5,\"material\":\"a\"}]},"
    "{\"name\":\"floor\",\"type\":\"fixed\",\"shapes\":[{\"type\":\"half_space\",\"normal\":[0,1],\"material\":\"a\"}]}],"
    "\"forces\":[{\"name\":\"s\",\"type\":\"spring\",\"bodies\":[\"world\",\"ball\"],\"anchors\":[[0,3],[0,0]],"
    "\"stiffness\":1e6,\"length\":2.5}]}";

typedef struct rig {
    ss_context *ctx;
    ss_scene *scene;
    ss_model *model;
    ss_sim *sim;
    ss_stepper *s;
    ss_contact_set near;
    ss_config here;
} rig;

static rig begin(void)
{
    rig r = { .ctx = test_context() };
    CHECK_OK(r.ctx, ss_scene_parse(r.ctx, text, strlen(text), "scene", 0, NULL, &r.scene));
    CHECK_OK(r.ctx, ss_model_compile(r.ctx, r.scene, &r.model));
    CHECK_OK(r.ctx, ss_sim_create(r.ctx, r.model, NULL, &r.sim));
    r.s = &r.sim->stepper;
    CHECK_OK(r.ctx, ss_config_take(r.s->arena, r.model, &r.here));
    ss_config_set(r.model, 0, ss_sim_q(r.sim), &r.here);
    ss_config_drive(r.model, 0, 0, &r.here);
    CHECK_OK(r.ctx, ss_finder_find(r.s->finder, &r.here, 1e-3, &r.near));
    CHECK(r.near.n == 1);
    return r;
}

static void end(rig *r)
{
    ss_contacts_free(r->ctx, &r->near);
    ss_sim_destroy(r->sim);
    ss_model_destroy(r->model);
    ss_scene_destroy(r->scene);
    ss_context_destroy(r->ctx);
}

static void take_geometry(rig *r, ss_assembly *a)
{
    CHECK_OK(r->ctx, ss_assembly_geometry(a, &r->here, &r->near, 1, NULL, (ss_friction){ .law = SS_LAW_COULOMB }, 0));
}

/* A = M plus the stiffness of the spring, as a theta step wants it */
static void linearise(rig *r, ss_impulses *forces, ss_assembly *a)
{
    const ss_interval step = { .t = 0, .h = 0.01, .theta = 0.5, .q = ss_sim_q(r->sim), .v = ss_sim_v(r->sim) };
    CHECK_OK(r->ctx, ss_impulses_begin(forces, r->s, &step));
    CHECK_OK(r->ctx, ss_impulses_linearise(forces, a));
    CHECK(!ss_matrix_is_block_diagonal(&a->problem.A));
}

/* normal impulse and velocity of an inelastic impact */
static void strike(rig *r, ss_assembly *a, const double *v, double *impulse, double *speed)
{
    take_geometry(r, a);
    ss_assembly_momentum(a, v, NULL);
    CHECK_OK(r->ctx, ss_solver_solve(r->s->solver, &a->problem, &a->solution, &a->info));
    CHECK(a->info.outcome == SS_CONVERGED);
    *impulse = a->solution.r[0];
    *speed = a->solution.v[1];
}

TEST(geometry_after_a_step_with_springs_is_that_of_the_mass_alone)
{
    rig r = begin();
    ss_assembly *a;
    ss_impulses *forces;
    CHECK_OK(r.ctx, ss_assembly_create(r.ctx, r.model, &a));
    CHECK_OK(r.ctx, ss_impulses_create(r.ctx, r.model, &forces));
    take_geometry(&r, a);
    linearise(&r, forces, a);
    take_geometry(&r, a);
    CHECK(ss_matrix_is_block_diagonal(&a->problem.A) && a->problem.A.symmetric);
    const double unit[3] = { 1, 1, 1 }, mass[3] = { 2, 2, 0.1 };
    ss_assembly_momentum(a, unit, NULL);
    for (int i = 0; i < 3; i++) {
        CHECK_NEAR(a->problem.b[i], mass[i], 1e-15);
    }
    ss_impulses_destroy(forces);
    ss_assembly_destroy(r.ctx, a);
    end(&r);
}

TEST(an_impact_after_a_step_with_springs_does_not_feel_them)
{
    rig r = begin();
    ss_assembly *a;
    ss_impulses *forces;
    CHECK_OK(r.ctx, ss_assembly_create(r.ctx, r.model, &a));
    CHECK_OK(r.ctx, ss_impulses_create(r.ctx, r.model, &forces));
    take_geometry(&r, a);
    linearise(&r, forces, a);
    double impulse, speed;
    strike(&r, a, ss_sim_v(r.sim), &impulse, &speed);
    CHECK_NEAR(impulse, 6, 6e-9); /* 2 kg with 3 m/s; the solver's tolerance */
    CHECK_NEAR(speed, 0, 3e-9);
    take_geometry(&r, a);
    linearise(&r, forces, a);
    strike(&r, a, (const double[3]){ 1, 3, 0 }, &impulse, &speed);
    CHECK_NEAR(impulse, 0, 6e-9); /* it leaves */
    CHECK_NEAR(speed, 3, 3e-9);   /* with the inertia of the spring 2/27 of that */
    ss_impulses_destroy(forces);
    ss_assembly_destroy(r.ctx, a);
    end(&r);
}

TEST(a_segment_tells_all_that_the_assembly_knows)
{
    rig r = begin();
    ss_assembly *a;
    CHECK_OK(r.ctx, ss_assembly_create(r.ctx, r.model, &a));
    take_geometry(&r, a);
    const double q[3] = { 0 }, v[3] = { 0 }, force[SS_FORCE_CLASSES * 3] = { 0 };
    ss_segment g = ss_assembly_segment(a, (ss_segment_end){ .t = 1, .q = q, .v = v }, (ss_segment_end){ .t = 2, .q = q, .v = v });
    ss_segment_put_forces(&g, 3, force);
    CHECK(g.from.t == 1 && g.to.t == 2 && g.from.q == q && g.to.v == v && ss_segment_weight(&g) == 1);
    CHECK(g.problem == &a->problem && g.solution == &a->solution && g.info == &a->info && g.contacts == &a->contacts);
    CHECK(g.parts.w_drive == a->w_drive && g.parts.w_stabilise == a->w_stabilise && g.parts.c_drive == a->c_drive);
    CHECK(g.impulse[SS_IMPULSE_SPRING] == force + 3 * SS_FORCE_SPRING && !g.impulse[SS_IMPULSE_SCHEME]);
    ss_assembly_destroy(r.ctx, a);
    end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(geometry_after_a_step_with_springs_is_that_of_the_mass_alone),
        cmocka_unit_test(an_impact_after_a_step_with_springs_does_not_feel_them),
        cmocka_unit_test(a_segment_tells_all_that_the_assembly_knows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
