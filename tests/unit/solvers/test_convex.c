/* test_convex.c - convex laws have one velocity: every solver that takes them finds it. Covers any solver the moment it enters
 * solvers.def. */
#include "unit/solvers/random_system.h"

#include "solvers/solver.h"

static ss_solver *make(ss_context *ctx, const char *name, double tol)
{
    ss_solver_options options = ss_solver_options_default();
    options.share = SS_SHARE_ANY; /* what the solver finds by itself */
    ss_solver *solver;
    options.name = name;
    options.tol = tol;
    CHECK_OK(ctx, ss_solver_create(ctx, &options, &solver));
    return solver;
}

static void draw(ss_context *ctx, random_system *y, uint64_t seed, unsigned law)
{
    uint64_t state = seed * 15485863;
    int contacts = 1 + (int)(ss_random_u64(&state) % 8), joints = (int)(ss_random_u64(&state) % 5);
    rs_make(ctx, y, state, contacts, joints, 1);
    for (int k = 0; k < y->p.nc; k++) {
        y->law[k] = y->law[k] == SS_LAW_POLYHEDRAL ? law : y->law[k];
    }
}

/* largest difference from the velocity that cone_ipm finds, relative to those given; -1: not certified */
static double apart(ss_context *ctx, ss_solver *solver, random_system *y, const double *v)
{
    ss_solver_info info;
    double size = 0, most = 0;
    memset(y->r, 0, sizeof y->r);
    CHECK_OK(ctx, ss_solver_solve(solver, &y->p, &y->s, &info));
    for (int i = 0; i < y->p.nv; i++) {
        size = fmax(size, fabs(y->v_old[i]));
        most = fmax(most, fabs(y->v[i] - v[i]));
    }
    return info.outcome == SS_CONVERGED ? most / size : -1;
}

static void check(const ss_solver_type *type, unsigned law, int count)
{
    ss_context *ctx = test_context();
    ss_solver *reference = make(ctx, "cone_ipm", 1e-12), *solver = make(ctx, type->info.name, 1e-12);
    random_system *y = calloc(1, sizeof *y);
    int missed = 0, apart_at_all = 0;
    for (int k = 1; k <= count; k++) {
        double v[RS_V], difference;
        ss_solver_info info;
        draw(ctx, y, (uint64_t)k, law);
        CHECK_OK(ctx, ss_solver_solve(reference, &y->p, &y->s, &info));
        CHECK(info.outcome == SS_CONVERGED);
        memcpy(v, y->v, sizeof v);
        difference = apart(ctx, solver, y, v);
        missed += difference < 0;
        CHECK(difference <= 1e-5); /* tol times the condition of the rows that are active, in units of the largest impulse */
        apart_at_all += difference > 1e-8;
    }
    CHECK(apart_at_all <= 1 + count / 100); /* one such system in 300, with impulses a thousand times those of the others */
    if (missed > count / 20) {              /* a method of first order may take its time */
        fail_msg("%s, law %u: %d of %d systems are not certified", type->info.name, law, missed, count);
    }
    rs_free(ctx, y);
    free(y);
    ss_solver_destroy(reference);
    ss_solver_destroy(solver);
    ss_context_destroy(ctx);
}

TEST(every_solver_that_takes_convex_laws_finds_their_one_velocity)
{
    const unsigned laws[] = { SS_LAW_ASSOCIATED, SS_LAW_ASSOCIATED_POLYHEDRAL };
    for (int i = 0; i < 2; i++) {
        for (int k = 0; ss_solver_types[k]; k++) {
            if (ss_solver_types[k]->info.laws & laws[i]) {
                check(ss_solver_types[k], laws[i], test_repeats(300, 60, 20));
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(every_solver_that_takes_convex_laws_finds_their_one_velocity) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
