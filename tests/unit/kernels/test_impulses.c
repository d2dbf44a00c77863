/* Impulses of a theta step: their linear model is tangent, and its matrix is called symmetric where it is. */
#include "kernels/impulses.h"
#include "sim/sim.h"
#include "test.h"

#define BODIES                                                                                                                   \
    "\"bodies\":[{\"name\":\"a\",\"type\":\"rigid\",\"mass\":2,\"inertia\":[0.1,0.2,0.3],\"position\":[0,0,0],"                  \
    "\"velocity\":[1,0,0]},"                                                                                                     \
    "{\"name\":\"b\",\"type\":\"rigid\",\"mass\":1,\"inertia\":[0.1,0.2,0.15],\"position\":[1,0.5,0.2],\"velocity\":[0,1,0]}],"
#define HEAD                                                                                                                     \
    "{\"slipstick\":1,\"dimension\":3,\"gravity\":[0,0,-10],\"time\":{\"until\":1,\"step\":0.01},\"scheme\":{\"name\":"          \
    "\"moreau\"}," BODIES

/* springs and dampers that pull at corners */
static const char coupled[] =
    HEAD "\"forces\":[{\"name\":\"s\",\"type\":\"spring_damper\",\"bodies\":[\"a\",\"b\"],\"anchors\":[[0.2,0.1,0],[0,0.3,0.1]],"
         "\"stiffness\":300,\"damping\":5,\"length\":0.7},"
         "{\"name\":\"p\",\"type\":\"spring\",\"bodies\":[\"world\",\"b\"],\"anchors\":[[0,0,2],[0.1,0,0]],"
         "\"stiffness\":200,\"length\":1}]}";

/* between centres: no torque, so nothing is unsymmetric */
static const char central[] = HEAD "\"forces\":[{\"name\":\"s\",\"type\":\"spring\",\"bodies\":[\"a\",\"b\"],"
                                   "\"anchors\":[[0,0,0],[0,0,0]],\"stiffness\":300,\"length\":0.7}]}";

typedef struct rig {
    ss_context *ctx;
    ss_scene *scene;
    ss_model *model;
    ss_sim *sim;
    ss_impulses *x;
    ss_assembly *a;
    ss_interval step;
    double v[12];
} rig;

static rig begin(const char *text, double spin, bool ends)
{
    rig r = { .ctx = test_context() };
    CHECK_OK(r.ctx, ss_scene_parse(r.ctx, text, strlen(text), "scene", 0, NULL, &r.scene));
    CHECK_OK(r.ctx, ss_model_compile(r.ctx, r.scene, &r.model));
    CHECK_OK(r.ctx, ss_sim_create(r.ctx, r.model, NULL, &r.sim));
    CHECK_OK(r.ctx, ss_impulses_create(r.ctx, r.model, &r.x));
    CHECK_OK(r.ctx, ss_assembly_create(r.ctx, r.model, &r.a));
    CHECK(r.model->nv == 12);
    memcpy(r.v, ss_sim_v(r.sim), sizeof r.v);
    for (int i = 3; i < 6; i++) {
        r.v[i] = r.v[6 + i] = spin * i;
    }
    r.step = (ss_interval){ .t = 0, .h = 0.01, .theta = 0.6, .ends = ends, .q = ss_sim_q(r.sim) };
    return r;
}

/* geometry, and the linear model at the first point */
static void linearise(rig *r)
{
    ss_stepper *s = &r->sim->stepper;
    ss_config c;
    double *point;
    r->step.v = r->v;
    CHECK_OK(r->ctx, ss_config_take(s->arena, r->model, &c));
    CHECK_OK(r->ctx, ss_arena_take(s->arena, 24, sizeof *point, &point));
    ss_config_set(r->model, 0, r->step.q, &c);
    CHECK_OK(r->ctx,
             ss_assembly_geometry(r->a, &c, &(ss_contact_set){ 0 }, 0, NULL, (ss_friction){ .law = SS_LAW_UNILATERAL }, 0));
    CHECK_OK(r->ctx, ss_impulses_begin(r->x, s, &r->step));
    ss_impulses_reached(r->x, r->v, point); /* where the old velocity leads to */
    ss_impulses_evaluate_at(r->x, point);
    CHECK_OK(r->ctx, ss_impulses_linearise(r->x, r->a));
}

static void end(rig *r)
{
    ss_assembly_destroy(r->ctx, r->a);
    ss_impulses_destroy(r->x);
    ss_sim_destroy(r->sim);
    ss_model_destroy(r->model);
    ss_scene_destroy(r->scene);
    ss_context_destroy(r->ctx);
}

/* what the model is off by at v + size * (a direction) */
static double misfit(rig *r, double size, double *shift)
{
    double v_end[12], residual;
    linearise(r);
    for (int i = 0; i < 12; i++) {
        v_end[i] = r->v[i] + size * sin(3.0 * i + 1);
    }
    CHECK_OK(r->ctx, ss_impulses_update(r->x, r->a, v_end, &residual));
    *shift = ss_impulses_shift(r->x);
    ss_arena_reset(r->sim->arena);
    return residual;
}

TEST(the_model_of_the_impulses_is_tangent_to_them)
{
    for (int ends = 0; ends < 2; ends++) {
        double shift[2];
        rig r = begin(coupled, 0.5, ends);
        double large = misfit(&r, 0.4, &shift[0]), small = misfit(&r, 0.2, &shift[1]);
        CHECK(large > 1e-9);
        CHECK_NEAR(log2(large / small), 2, 0.1);       /* terms of third order */
        CHECK_NEAR(log2(shift[0] / shift[1]), 1, 0.2); /* its scale contains v_end */
        CHECK(misfit(&r, 0, &shift[0]) <= 1e-15 && shift[0] == 0);
        end(&r);
    }
}

/* F of a class at q (+) part h v_mean with velocity v */
static void force(rig *r, double part, const double *v_mean, const double *v, double *F)
{
    ss_config c;
    double q[14];
    ss_model_retract(r->model, r->step.q, v_mean, part * r->step.h, q);
    CHECK_OK(r->ctx, ss_config_take(r->sim->arena, r->model, &c));
    ss_config_set(r->model, part * r->step.h, q, &c);
    CHECK_OK(r->ctx, ss_model_forces(r->ctx, r->model, &c, v, F));
}

TEST(impulses_are_forces_of_the_mean_point_or_mean_forces_of_the_ends)
{
    for (int ends = 0; ends < 2; ends++) {
        rig r = begin(coupled, 0.5, ends);
        const double h = r.step.h, th = r.step.theta;
        double residual, v_end[12], mean[12], first[12 * SS_FORCE_CLASSES], last[12 * SS_FORCE_CLASSES];
        CHECK(r.model->nq == 14);
        for (int i = 0; i < 12; i++) {
            v_end[i] = r.v[i] + 0.4 * sin(3.0 * i + 1);
            mean[i] = (1 - th) * r.v[i] + th * v_end[i];
        }
        linearise(&r);
        CHECK_OK(r.ctx, ss_impulses_update(r.x, r.a, v_end, &residual));
        force(&r, 0, mean, r.v, first);
        force(&r, ends ? 1 : th, mean, ends ? v_end : mean, last);
        for (int i = 0; i < 12 * SS_FORCE_CLASSES; i++) {
            double expected = ends ? h * ((1 - th) * first[i] + th * last[i]) : h * last[i];
            CHECK_NEAR(ss_impulses_by_class(r.x)[i], expected, 1e-13); /* round-off of impulses of 1 N s */
        }
        ss_arena_reset(r.sim->arena);
        end(&r);
    }
}

TEST(a_matrix_is_called_symmetric_only_where_it_is)
{
    for (int spin = 0; spin < 2; spin++) {
        rig r = begin(central, spin, false);
        linearise(&r);
        const ss_problem *p = &r.a->problem;
        CHECK(p->A.sparse.m > 0 && p->A.symmetric == !spin); /* gyroscopic forces are not */
        double A[12][12] = { { 0 } }, worst = 0;
        for (int i = 0; i < 12; i++) {
            double e[12] = { 0 }, column[12];
            e[i] = 1;
            ss_matrix_times(&p->A, e, column);
            for (int k = 0; k < 12; k++) {
                A[k][i] = column[k];
            }
        }
        for (int i = 0; i < 144; i++) {
            worst = fmax(worst, fabs(A[i / 12][i % 12] - A[i % 12][i / 12]));
        }
        CHECK((worst == 0) == !spin);
        ss_arena_reset(r.sim->arena);
        end(&r);
    }
}

TEST(a_velocity_that_is_not_a_number_fulfils_nothing)
{
    rig r = begin(coupled, 0.5, false);
    double residual, v_end[12] = { [4] = NAN };
    linearise(&r);
    CHECK_OK(r.ctx, ss_impulses_update(r.x, r.a, v_end, &residual));
    CHECK(isnan(residual) && isnan(ss_impulses_shift(r.x)));
    end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_model_of_the_impulses_is_tangent_to_them),
        cmocka_unit_test(impulses_are_forces_of_the_mean_point_or_mean_forces_of_the_ends),
        cmocka_unit_test(a_matrix_is_called_symmetric_only_where_it_is),
        cmocka_unit_test(a_velocity_that_is_not_a_number_fulfils_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
