/* What the driver says of every scheme, whatever the scheme says of itself: joints and motors that contradict each other, and the
 * work of driven bodies on springs. */
#include "test.h"

#include "sim/sim.h"

typedef struct run {
    ss_context *ctx;
    ss_model *model;
    ss_sim *sim;
} run;

#define HEAD  "{\"slipstick\":1,\"dimension\":2,\"gravity\":[0,0],\"time\":{\"until\":1,\"step\":0.01},\"bodies\":["
#define WHEEL "{\"name\":\"w\",\"type\":\"rigid\",\"mass\":1,\"inertia\":1,\"position\":[0,0]}"
#define HINGE(name, speed)                                                                                                       \
    "{\"name\":\"" name "\",\"type\":\"revolute\",\"bodies\":[\"world\",\"w\"],\"at\":[0,0],\"motor\":{\"speed\":\"" speed "\"}" \
    "}"

static run begin(const char *text, const ss_scheme_type *scheme, bool strict)
{
    run r = { .ctx = test_context() };
    ss_scene *scene = NULL;
    ss_sim_options o = ss_sim_options_default();
    o.strict = strict;
    CHECK_OK(r.ctx, ss_scene_parse(r.ctx, text, strlen(text), "scene", 0, NULL, &scene));
    CHECK_OK(r.ctx, ss_model_compile(r.ctx, scene, &r.model));
    ss_scene_destroy(scene);
    CHECK_OK(r.ctx, ss_sim_create_with(r.ctx, r.model, scheme, &o, &r.sim));
    return r;
}

static void end(run *r)
{
    ss_sim_destroy(r->sim);
    ss_model_destroy(r->model);
    ss_context_destroy(r->ctx);
}

/* ten steps by every scheme; names NULL: nothing contradicts */
static void check_names(const char *text, const char *names)
{
    for (const ss_scheme_type *const *scheme = ss_scheme_types; scheme < ss_scheme_types + tested_schemes(); scheme++) {
        run r = begin(text, *scheme, false);
        CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.1));
        const ss_summary *s = ss_sim_summary(r.sim);
        const ss_remarked *remark = &s->remark[SS_REMARK_CONTRADICTION];
        print_message("%s: %s\n", (*scheme)->info.name, remark->contact);
        CHECK(remark->steps == (names ? 10 : 0) && s->unconverged_steps == remark->steps);
        CHECK(!names || strcmp(remark->contact, names) == 0);
        CHECK(ss_sim_last_step(r.sim)->outcome == (names ? SS_INFEASIBLE : SS_CONVERGED));
        end(&r);
    }
}

TEST(two_motors_and_a_motor_on_a_weld_are_named_by_every_scheme)
{
    check_names(HEAD WHEEL "],\"joints\":[" HINGE("h", "t") "," HINGE("h2", "-t") "]}", "h2 (motor) against h (motor)");
    check_names(
        HEAD WHEEL
        "],\"joints\":[{\"name\":\"weld\",\"type\":\"fixed\",\"bodies\":[\"world\",\"w\"],\"at\":[0,0]}," HINGE("h", "t") "]}",
        "h (motor) against weld");
}

TEST(motors_that_differ_by_a_thousandth_contradict_each_other)
{
    check_names(HEAD WHEEL "],\"joints\":[" HINGE("h", "sin(9*t)") "," HINGE("h2", "1.001*sin(9*t)") "]}",
                "h2 (motor) against h (motor)");
}

TEST(motors_that_agree_do_not)
{
    check_names(HEAD WHEEL "],\"joints\":[" HINGE("h", "sin(9*t)") "," HINGE("h2", "sin(9*t)") "]}", NULL);
}

TEST(a_strict_run_ends_with_the_names)
{
    run r = begin(HEAD WHEEL "],\"joints\":[" HINGE("h", "t") "," HINGE("h2", "-t") "]}", ss_scheme_types[0], true);
    CHECK_FAILS(r.ctx, ss_sim_advance(r.sim, 0.1), SS_ERR_NUMERIC, "contradict each other: h2 (motor) against h (motor)");
    CHECK(ss_sim_summary(r.sim)->steps == 1);
    end(&r);
}

/* A mass on a spring whose other end is driven: its energy changes by the work of the driven body and by nothing else, but for
 * errors of the method, of order 1 at least. */
TEST(a_driven_body_that_stretches_a_spring_is_named_work)
{
    const char text[] = HEAD "{\"name\":\"p\",\"type\":\"particle\",\"mass\":1,\"position\":[0,0]},"
                             "{\"name\":\"d\",\"type\":\"driven\",\"position\":[\"2+sin(3*t)\",0]}],"
                             "\"forces\":[{\"type\":\"spring\",\"bodies\":[\"d\",\"p\"],\"stiffness\":40,\"length\":2}]}";
    for (const ss_scheme_type *const *scheme = ss_scheme_types; scheme < ss_scheme_types + tested_schemes(); scheme++) {
        run r = begin(text, *scheme, true);
        CHECK_OK(r.ctx, ss_sim_advance(r.sim, 3));
        const ss_summary *s = ss_sim_summary(r.sim);
        const ss_ledger *l = ss_sim_ledger(r.sim);
        print_message("%s: %g J by the driven body, %g J by errors\n", (*scheme)->info.name, l->driven_springs,
                      s->energy_final - l->driven_springs);
        CHECK(l->driven_springs > 1 && s->remark[SS_REMARK_ENERGY].steps == 0);
        CHECK_NEAR(s->energy_final - s->energy_initial, l->driven_springs + l->integration_error + l->scheme, 1e-9);
        CHECK(fabs(l->integration_error + l->scheme) < 0.2 * l->exchanged);
        end(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_motors_and_a_motor_on_a_weld_are_named_by_every_scheme),
        cmocka_unit_test(motors_that_differ_by_a_thousandth_contradict_each_other),
        cmocka_unit_test(motors_that_agree_do_not),
        cmocka_unit_test(a_strict_run_ends_with_the_names),
        cmocka_unit_test(a_driven_body_that_stretches_a_spring_is_named_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
