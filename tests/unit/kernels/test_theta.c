/* The theta step as a piece of other schemes: continued from where a state is, and what its options cost in order. */
#include "kernels/theta.h"
#include "sim/sim.h"
#include "test.h"

/* ---- a scheme that goes half a step twice ------------------------------------------------------------ */

static ss_status create(ss_stepper *s, void **work, double *scheme_state)
{
    ss_theta *x = NULL;
    (void)scheme_state;
    ss_status status = ss_theta_create(s, s->params, &x);
    *work = x;
    return status;
}

static void destroy(ss_context *ctx, void *work) { ss_theta_destroy(ctx, work); }

static ss_status step(ss_stepper *s, double h)
{
    SS_TRY(ss_theta_continue(s->work, s, s->now->t, 0.5 * h, NULL, NULL));
    CHECK_NEAR(s->next->t, s->now->t + 0.5 * h, 0);
    return ss_theta_continue(s->work, s, s->next->t, 0.5 * h, NULL, NULL);
}

static const ss_scheme_type twice = {
    .info = { .name = "twice",
              .title = "two halves",
              .laws = SS_LAW_UNILATERAL | SS_LAW_POLYHEDRAL | SS_LAW_COULOMB | SS_LAW_BOUNDED | SS_LAW_NEWTON,
              .dimensions = 4 | 8,
              .fields = ss_theta_fields,
              .params_size = sizeof(ss_theta_params) },
    .contact_numbers = &ss_theta_numbers,
    .create = create,
    .destroy = destroy,
    .step = step,
};

/* a box on a spring that tumbles over a rough floor: contacts come and go, forces are nonlinear, and there is a joint */
static const char text[] =
    "{\"slipstick\":1,\"dimension\":2,\"gravity\":[0,-10],\"time\":{\"until\":1,\"step\":0.01},\"scheme\":{\"name\":\"moreau\"},"
    "\"materials\":[{\"name\":\"a\",\"mu\":0.5,\"e\":0.3}],"
    "\"bodies\":[{\"name\":\"box\",\"type\":\"rigid\",\"mass\":1,\"position\":[0,0.5],\"angle\":0.3,\"velocity\":[2,0],"
    "\"shapes\":[{\"type\":\"box\",\"size\":[0.4,0.2],\"material\":\"a\"}]},"
    "{\"name\":\"bob\",\"type\":\"particle\",\"mass\":0.2,\"position\":[0.5,0.5],\"velocity\":[2,0]},"
    "{\"name\":\"floor\",\"type\":\"fixed\",\"shapes\":[{\"type\":\"half_space\",\"normal\":[0,1],\"material\":\"a\"}]}],"
    "\"joints\":[{\"name\":\"rod\",\"type\":\"distance\",\"bodies\":[\"box\",\"bob\"],\"length\":0.5}],"
    "\"forces\":[{\"name\":\"s\",\"type\":\"spring\",\"bodies\":[\"world\",\"box\"],\"anchors\":[[0,1],[0.2,0.1]],"
    "\"stiffness\":100,\"length\":0.5}]}";

typedef struct result {
    double q[8], v[8];
    int64_t lcps;
} result;

static result run(const ss_scheme_type *scheme, double h)
{
    ss_context *ctx = test_context();
    ss_scene *scene;
    ss_model *model;
    ss_sim *sim;
    result r = { 0 };
    ss_sim_options options = ss_sim_options_default();
    options.step = h;
    CHECK_OK(ctx, ss_scene_parse(ctx, text, strlen(text), "scene", 0, NULL, &scene));
    CHECK_OK(ctx, ss_model_compile(ctx, scene, &model));
    CHECK_OK(ctx, scheme ? ss_sim_create_with(ctx, model, scheme, &options, &sim) : ss_sim_create(ctx, model, &options, &sim));
    CHECK_OK(ctx, ss_sim_advance(sim, 1));
    memcpy(r.q, ss_sim_q(sim), (size_t)model->nq * sizeof(double));
    memcpy(r.v, ss_sim_v(sim), (size_t)model->nv * sizeof(double));
    r.lcps = ss_sim_summary(sim)->lcps;
    CHECK(ss_sim_summary(sim)->unconverged_steps == 0);
    CHECK(ss_sim_summary(sim)->max_joint_error <= 1e-13); /* of 0.5 m: round-off */
    ss_sim_destroy(sim);
    ss_model_destroy(model);
    ss_scene_destroy(scene);
    ss_context_destroy(ctx);
    return r;
}

TEST(a_scheme_that_does_not_declare_what_is_kept_with_contacts_is_refused)
{
    ss_context *ctx = test_context();
    ss_scene *scene;
    ss_model *model;
    ss_sim *sim;
    ss_scheme_type careless = twice;
    careless.contact_numbers = NULL;
    CHECK_OK(ctx, ss_scene_parse(ctx, text, strlen(text), "scene", 0, NULL, &scene));
    CHECK_OK(ctx, ss_model_compile(ctx, scene, &model));
    CHECK_FAILS(ctx, ss_sim_create_with(ctx, model, &careless, NULL, &sim), SS_ERR_UNSUPPORTED, "numbers of contacts");
    ss_model_destroy(model);
    ss_scene_destroy(scene);
    ss_context_destroy(ctx);
}

TEST(two_halves_of_a_step_are_two_steps_of_half_the_length)
{
    result whole = run(&twice, 0.0078125), halves = run(NULL, 0.00390625); /* dyadic: times are the same to the last bit */
    CHECK(halves.lcps == whole.lcps);
    CHECK(memcmp(whole.q, halves.q, sizeof whole.q) == 0);
    CHECK(memcmp(whole.v, halves.v, sizeof whole.v) == 0);
}

/* ---- options --------------------------------------------------------------------------------------- */

TEST(only_the_centred_scheme_is_of_order_two)
{
    ss_theta_params p = { 0 };
    ss_fields_default(ss_theta_fields, &p);
    CHECK(ss_theta_order(&p, 1).smooth == 2 && ss_theta_order(&p, 1).overlap == 1);
    p.theta = 0.6;
    CHECK(ss_theta_order(&p, 0).smooth == 1 && ss_theta_order(&p, 0).overlap == 0);
    p.theta = 0.5;
    p.at = 1; /* end */
    CHECK(ss_theta_order(&p, 0).smooth == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_scheme_that_does_not_declare_what_is_kept_with_contacts_is_refused),
        cmocka_unit_test(two_halves_of_a_step_are_two_steps_of_half_the_length),
        cmocka_unit_test(only_the_centred_scheme_is_of_order_two),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
