/* test_interrupt.c - an interrupt inside a step: every scheme and every solver ends, and the step under way leaves no trace.
 *
 * ss_sim_step looks at no flag before it begins: one that is raised is found by what runs inside the step. A solver is called
 * through its registry entry, so that its own loop has to find the flag. */
#include "solvers/solver.h"
#include "test.h"
#include "unit/sim/scene_run.h"
#include "unit/solvers/random_system.h"

static const char *const JAM = "tests/conformance/rod_jam.json"; /* a pinned rod that jams: contact and joints in every step */

static void step_often(scene_run *r, int times)
{
    for (int k = 0; k < times; k++) {
        CHECK_OK(r->ctx, ss_sim_step(r->sim, ss_sim_step_size(r->sim)));
    }
}

TEST(a_step_of_any_scheme_ends_on_an_interrupt_and_leaves_no_trace)
{
    enum { BEFORE = 30, AFTER = 5 };
    for (int k = 0; k < tested_schemes(); k++) {
        volatile int flag = 0;
        scene_run r = open_scene(JAM, ss_scheme_types[k], NAN), undisturbed = open_scene(JAM, ss_scheme_types[k], NAN);
        r.sim->asked.interrupt = &flag;
        step_often(&r, BEFORE);
        step_often(&undisturbed, BEFORE);
        flag = 1;
        CHECK_FAILS(r.ctx, ss_sim_step(r.sim, ss_sim_step_size(r.sim)), SS_ERR_INTERRUPTED, "interrupted");
        check_same_state(r.sim, undisturbed.sim);
        flag = 0;
        step_often(&r, AFTER);
        step_often(&undisturbed, AFTER);
        check_same_state(r.sim, undisturbed.sim);
        close_scene(&undisturbed);
        close_scene(&r);
    }
}

/* the first problem with a contact is the compression of an impact: the step goes on after it */
static ss_status raise(void *user, const ss_sim *sim, int64_t step, const ss_problem *problem, const ss_solution *solution)
{
    (void)sim;
    (void)step;
    (void)solution;
    *(volatile int *)user = problem->nc > 0;
    return SS_OK;
}

TEST(an_interrupt_that_comes_while_a_step_is_made_ends_it_there)
{
    volatile int flag = 0;
    scene_run r = open_scene("papers/ap97/rod_impact.json", NULL, NAN),
              undisturbed = open_scene("papers/ap97/rod_impact.json", NULL, NAN);
    r.sim->asked.interrupt = &flag;
    ss_observer observer = ss_observer_default();
    observer.user = (void *)&flag;
    observer.on_problem = raise;
    CHECK_OK(r.ctx, ss_sim_observe(r.sim, &observer));
    CHECK_FAILS(r.ctx, ss_sim_advance(r.sim, 1), SS_ERR_INTERRUPTED, "interrupted at t = ");
    step_often(&undisturbed, (int)ss_sim_summary(r.sim)->steps);
    check_same_state(r.sim, undisturbed.sim);
    close_scene(&undisturbed);
    close_scene(&r);
}

/* problems with laws that the solver takes */
static void choose_laws(const ss_solver_type *type, random_system *y)
{
    for (int k = 0; k < y->p.nc && !(type->info.laws & SS_LAW_POLYHEDRAL); k++) {
        y->law[k] = SS_LAW_ASSOCIATED_POLYHEDRAL;
    }
}

TEST(every_solver_ends_on_an_interrupt_in_its_own_loop)
{
    ss_context *ctx = test_context();
    const volatile int flag = 1;
    for (int k = 0; ss_solver_types[k]; k++) {
        const ss_solver_type *type = ss_solver_types[k];
        void *params = NULL, *work = NULL;
        random_system *y = calloc(1, sizeof *y);
        ss_solver_info info = { .residual = { .contact = NAN, .worst = -1 } };
        rs_make(ctx, y, 7, 12, 3, 1);
        choose_laws(type, y);
        CHECK_OK(ctx, ss_calloc(ctx, 1, type->info.params_size, &params));
        ss_fields_default(type->info.fields, params);
        CHECK_OK(ctx, type->create(ctx, params, &work));
        CHECK(ss_context_watch(ctx, &flag) == NULL);
        CHECK_FAILS(ctx, type->solve(ctx, work, &y->p, 1e-10, 0, &y->s, &info), SS_ERR_INTERRUPTED, "interrupted");
        CHECK(ss_context_watch(ctx, NULL) == &flag);
        CHECK_OK(ctx, type->solve(ctx, work, &y->p, 1e-10, 0, &y->s, &info)); /* it is as good as new */
        type->destroy(ctx, work);
        ss_free(ctx, params);
        rs_free(ctx, y);
        free(y);
    }
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_of_any_scheme_ends_on_an_interrupt_and_leaves_no_trace),
        cmocka_unit_test(an_interrupt_that_comes_while_a_step_is_made_ends_it_there),
        cmocka_unit_test(every_solver_ends_on_an_interrupt_in_its_own_loop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
