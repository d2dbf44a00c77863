/* Contacts that joints keep from moving, by every solver: random bodies and joints, with contacts whose normal, whose tangent or
 * whose rows altogether are combinations of joint rows. They can do nothing, and must not disturb the others. */
#include "unit/solvers/random_system.h"
#include "unit/solvers/solve_by.h"

enum { NORMAL = 1, TANGENT = 2 };

/* a row that is a random combination of all joint rows */
static void push_combination(ss_context *ctx, random_system *y)
{
    double row[RS_V] = { 0 };
    for (int j = 0; j < y->p.nj; j++) {
        double factor = rs_uniform(y, -1, 1);
        for (int e = y->p.G.p[j]; e < y->p.G.p[j + 1]; e++) {
            row[y->p.G.i[e]] += factor * y->p.G.x[e];
        }
    }
    for (int i = 0; i < y->p.nv; i++) {
        if (row[i] != 0) {
            CHECK_OK(ctx, ss_csr_push(ctx, &y->p.H, i, row[i]));
        }
    }
    CHECK_OK(ctx, ss_csr_end_row(ctx, &y->p.H));
}

static void push_free(ss_context *ctx, random_system *y)
{
    double f[3][3], x[3] = { rs_uniform(y, -1, 1), rs_uniform(y, -1, 1), 0 };
    rs_frame(y, f);
    rs_push(ctx, y, &y->p.H, rs_int(y, 0, y->bodies - 1), 1, f[0], x);
    CHECK_OK(ctx, ss_csr_end_row(ctx, &y->p.H));
}

/* one more contact, of which the rows in `blocked` depend on the joints */
static void add_contact(ss_context *ctx, random_system *y, int blocked, unsigned law, int directions)
{
    int k = y->p.nc++, rows = law == SS_LAW_UNILATERAL ? 1 : y->p.dimension;
    for (int i = 0; i < rows; i++) {
        (blocked & (i == 0 ? NORMAL : TANGENT) ? push_combination : push_free)(ctx, y);
        y->w[y->row[k] + i] = 0;
    }
    y->row[k + 1] = y->row[k] + rows;
    y->law[k] = law;
    y->mu[k] = 0.5;
    rs_directions(y, k, law == SS_LAW_UNILATERAL ? 0 : y->p.dimension == 2 ? 2 : directions);
}

/* a random system all of whose contacts have this law, or none; then three contacts that are blocked in part or altogether */
static void make(ss_context *ctx, random_system *y, uint64_t seed, unsigned law)
{
    rs_make(ctx, y, seed, 4, 6, 1);
    for (int k = 0; k < y->p.nc; k++) {
        y->law[k] = y->law[k] == SS_LAW_UNILATERAL ? SS_LAW_UNILATERAL : law;
    }
    add_contact(ctx, y, NORMAL | TANGENT, law, 4);
    add_contact(ctx, y, NORMAL, law, 4);
    add_contact(ctx, y, TANGENT, law, 4);
    add_contact(ctx, y, NORMAL, SS_LAW_UNILATERAL, 0);
}

static const unsigned laws[] = { SS_LAW_POLYHEDRAL, SS_LAW_COULOMB, SS_LAW_ASSOCIATED };

static bool takes(int solver, const random_system *y) { return ss_solver_takes(ss_solver_types[solver], &y->p); }

/* velocities of the system without its last `blocked` contacts */
static void solve_without(ss_context *ctx, random_system *y, int blocked, ss_solver *solver, double *v)
{
    int all = y->p.nc;
    y->p.nc = all - blocked;
    y->p.H.m = y->row[y->p.nc];
    CHECK(solve(ctx, solver, &y->p, &y->s).outcome == SS_CONVERGED);
    memcpy(v, y->v, sizeof y->v);
    y->p.nc = all;
    y->p.H.m = y->row[all];
}

TEST(contacts_that_joints_block_in_part_are_certified_by_every_solver)
{
    ss_context *ctx = test_context();
    static random_system y;
    const int most = systems(12, 24); /* system 80 jams: its cones are no longer pointed, and sweeps alone do not end */
    for (int k = 0; ss_solver_types[k]; k++) {
        ss_solver *solver = create(ctx, ss_solver_types[k]->info.name, 1e-9, 200000, NULL);
        for (int seed = 0; seed < 3 * most; seed++) {
            make(ctx, &y, (uint64_t)seed + 1, laws[seed % 3]);
            if (takes(k, &y) &&
                strcmp(ss_solver_types[k]->info.name, "slip_ipm") != 0) { /* its own test says how many it solves */
                CHECK(solve(ctx, solver, &y.p, &y.s).outcome == SS_CONVERGED);
                for (int i = 0; i < y.row[y.p.nc]; i++) {
                    CHECK(fabs(y.r[i]) < 1e3); /* momenta are a few tens at most; associated cones jam and need more */
                }
            }
        }
        ss_solver_destroy(solver);
    }
    rs_free(ctx, &y);
    ss_context_destroy(ctx);
}

/* velocities of a convex program are unique: contacts that can do nothing must not change them, whatever round-off is in w */
TEST(a_contact_that_joints_block_changes_no_velocity)
{
    ss_context *ctx = test_context();
    static random_system y;
    static double without[RS_V];
    for (int k = 0; ss_solver_types[k]; k++) {
        ss_solver *solver = create(ctx, ss_solver_types[k]->info.name, 1e-10, 200000, NULL);
        for (int seed = 0; seed < systems(8, 40); seed++) {
            rs_make(ctx, &y, (uint64_t)seed + 1, 4, 6, 1);
            for (int i = 0; i < y.p.nc; i++) {
                y.mu[i] = 0;
            }
            add_contact(ctx, &y, NORMAL, SS_LAW_UNILATERAL, 0);
            add_contact(ctx, &y, NORMAL, SS_LAW_UNILATERAL, 0);
            y.w[y.row[y.p.nc] - 1] = 1e-16;
            y.w[y.row[y.p.nc] - 2] = -1e-16;
            for (int i = 0; i < y.p.nc; i++) {
                const bool convex = ss_solver_types[k]->info.laws & SS_LAW_ASSOCIATED;
                y.law[i] = y.law[i] == SS_LAW_UNILATERAL || takes(k, &y) ? y.law[i] : convex ? SS_LAW_ASSOCIATED : SS_LAW_COULOMB;
            }
            solve_without(ctx, &y, 2, solver, without);
            CHECK(solve(ctx, solver, &y.p, &y.s).outcome == SS_CONVERGED);
            for (int i = 0; i < y.p.nv; i++) {
                CHECK_NEAR(y.v[i], without[i], 1e-6); /* ill-conditioned systems lose four digits of 1e-10 */
            }
        }
        ss_solver_destroy(solver);
    }
    rs_free(ctx, &y);
    ss_context_destroy(ctx);
}

TEST(a_contact_that_joints_close_is_infeasible_and_named_by_every_solver)
{
    ss_context *ctx = test_context();
    static random_system y;
    for (int k = 0; ss_solver_types[k]; k++) {
        ss_solver *solver = create(ctx, ss_solver_types[k]->info.name, 1e-10, 300, NULL);
        for (int seed = 0; seed < systems(12, 60); seed++) {
            make(ctx, &y, (uint64_t)seed + 1, laws[seed % 3]);
            y.w[y.row[5]] = -0.1;
            if (takes(k, &y)) {
                ss_solver_info info = solve(ctx, solver, &y.p, &y.s);
                CHECK(info.outcome == SS_INFEASIBLE);
                CHECK(info.residual.worst == 5);
            }
        }
        ss_solver_destroy(solver);
    }
    rs_free(ctx, &y);
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contacts_that_joints_block_in_part_are_certified_by_every_solver),
        cmocka_unit_test(a_contact_that_joints_block_changes_no_velocity),
        cmocka_unit_test(a_contact_that_joints_close_is_infeasible_and_named_by_every_solver),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
