/* test_bounded.c - a step takes a bounded amount of work, counted in contact problems and iterations of solvers, whatever the
 * scheme.
 *
 * Two scenes in which contact problems have no solution: bodies on a ball joint that scrape along the floor, where the line from
 * contact to joint lies inside the friction cone. Impulses along it balance themselves; whatever asks the contact to open (gaps,
 * restitution, the turning of rows) works against them. Without a limit each such problem costs 20000 sweeps, and each halving
 * of the step poses it again. */
#include "sim/sim.h"
#include "test.h"
#include <math.h>

/* Measured: 101 problems where the impulses of a jam are so large that their rounding exceeds the tolerance; 8936 iterations,
 * seven times the 1000 sweeps and the Newton steps that a problem with circular cones is given. The last resort of large
 * problems, 20000 sweeps, is not among them. */
enum { STEPS = 150, MOST_PROBLEMS = 150, MOST_ITERATIONS = 25000 }; /* the last resort of auto are 20 000 sweeps */

static void check_work(const char *path, const ss_scheme_type *scheme)
{
    ss_context *ctx = test_context();
    ss_scene *scene = NULL;
    ss_model *model = NULL;
    ss_sim *sim = NULL;
    const ss_sim_options options = ss_sim_options_default();
    CHECK_OK(ctx, ss_scene_read(ctx, path, 0, NULL, &scene));
    CHECK_OK(ctx, ss_model_compile(ctx, scene, &model));
    CHECK_OK(ctx, ss_sim_create_with(ctx, model, scheme, &options, &sim));
    for (int k = 0; k < STEPS; k++) {
        CHECK_OK(ctx, ss_sim_step(sim, ss_sim_step_size(sim)));
    }
    const ss_summary *s = ss_sim_summary(sim);
    print_message("%-20s %-36s %lld problems, %lld iterations in a step\n", scheme->info.name, path, (long long)s->max_step_lcps,
                  (long long)s->max_step_iterations);
    CHECK(s->max_step_lcps <= MOST_PROBLEMS && s->max_step_iterations <= MOST_ITERATIONS);
    CHECK(s->lcps >= s->max_step_lcps && s->solver_iterations >= s->max_step_iterations && s->solver_iterations > 0);
    CHECK(s->energy_max <= s->energy_initial + 1e-3 * fabs(s->energy_initial)); /* order one in h: positions fall with v' */
    ss_sim_destroy(sim);
    ss_model_destroy(model);
    ss_scene_destroy(scene);
    ss_context_destroy(ctx);
}

TEST(a_rod_that_jams_takes_a_bounded_amount_of_work_in_every_step)
{
    for (int k = 0; k < tested_schemes(); k++) {
        check_work("tests/conformance/rod_jam.json", ss_scheme_types[k]);
    }
}

TEST(a_pinned_body_that_scrapes_takes_a_bounded_amount_of_work_in_every_step)
{
    for (int k = 0; k < tested_schemes(); k++) {
        check_work("tests/conformance/pinned_hull.json", ss_scheme_types[k]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rod_that_jams_takes_a_bounded_amount_of_work_in_every_step),
        cmocka_unit_test(a_pinned_body_that_scrapes_takes_a_bounded_amount_of_work_in_every_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
