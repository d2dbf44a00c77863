/* test_round_off.c - how far stiff forces are known: the round-off of positions, and no more. */
#include "flexible.h"

#include "model/round_off.h"

/* sqrt(f . M^-1 f) of the forces of springs at q */
static double size_of_forces(ss_context *ctx, const ss_model *m, const double *q)
{
    double k[SS_FORCE_CLASSES * MOST], sum = 0;
    CHECK(m->nv <= MOST);
    forces(ctx, m, 0, q, m->v0, k);
    for (int b = 1; b < m->bodies; b++) {
        for (int i = 0; i < m->dimension; i++) {
            const double f = k[SS_FORCE_SPRING * m->nv + m->body_v[b] + i];
            sum += f * f / m->body_mass[b];
        }
    }
    return sqrt(sum);
}

/* A solid of steel that has turned and moved has no stress but for the round-off of its nodes' positions. */
TEST(a_rigid_motion_leaves_forces_of_the_size_of_their_round_off)
{
    ss_context *ctx = test_context();
    for (int dimension = 2; dimension <= 3; dimension++) {
        for (int far = 0; far < 2; far++) {
            ss_elements_desc d = elements(dimension == 2 ? "triangle" : "tetrahedron", 0);
            for (int axis = 0; axis < dimension; axis++) {
                d.size[axis] = 0.3;
                d.solid.divisions[axis] = 3;
            }
            d.size[2] = dimension == 3 ? 0.3 : 0;
            d.E = 2e11;
            ss_model *m = alone(ctx, dimension, d);
            double q[MOST], most = 0;
            for (double angle = 0.1; angle < 3; angle += 0.1) {
                for (int i = 0; i < m->nv; i += dimension) {
                    const double x = m->q0[i], y = m->q0[i + 1], shift = far ? 100 : 1;
                    q[i] = shift + x * cos(angle) - y * sin(angle);
                    q[i + 1] = shift + x * sin(angle) + y * cos(angle);
                    q[i + dimension - 1] = dimension == 3 ? m->q0[i + 2] : q[i + 1];
                }
                place p = place_at(ctx, m, 0, q);
                const double part = size_of_forces(ctx, m, q) / ss_model_round_off(m, &p.c);
                leave(&p);
                most = fmax(most, part);
            }
            CHECK(most > 0.01 && most < 1); /* never more, and not less by orders of magnitude */
            ss_model_destroy(m);
        }
    }
    ss_context_destroy(ctx);
}

TEST(without_stiff_forces_there_is_none)
{
    ss_context *ctx = test_context();
    ss_scene *scene = NULL;
    CHECK_OK(ctx, ss_scene_create(ctx, NULL, &scene));
    ss_body_desc stone = standing("stone", SS_BODY_PARTICLE);
    stone.mass = 1;
    add_body(scene, ctx, stone);
    ss_model *m = compiled(ctx, scene);
    place p = place_at(ctx, m, 0, m->q0);
    CHECK(ss_model_round_off(m, &p.c) == 0);
    leave(&p);
    ss_model_destroy(m);
    ss_context_destroy(ctx);
}

TEST(a_residual_within_the_noise_is_at_most_the_tolerance_and_nan_stays)
{
    CHECK(ss_residual_beyond(2e-9, 1e-9, 1, 1e-10) == 2e-9);
    CHECK(ss_residual_beyond(0.9e-9, 1e-9, 1, 1e-10) == 1e-10);
    CHECK(ss_residual_beyond(1e-12, 1e-9, 1, 1e-10) == 1e-12);
    CHECK(ss_residual_beyond(0, 0, 0, 1e-10) == 0);
    CHECK(isnan(ss_residual_beyond(NAN, 1, 1, 1e-10)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rigid_motion_leaves_forces_of_the_size_of_their_round_off),
        cmocka_unit_test(without_stiff_forces_there_is_none),
        cmocka_unit_test(a_residual_within_the_noise_is_at_most_the_tolerance_and_nan_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
