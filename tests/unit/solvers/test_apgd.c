/* test_apgd.c - the accelerated projected gradient beside Gauss-Seidel, beside Lemke's method, in closed form, with redundant
 * contacts, joints, in every form.
 *
 * Associated laws make the problem strictly convex in the velocities: they are unique, whatever is redundant. */
#include "unit/problem/small_problem.h"
#include "unit/solvers/packing.h"
#include "unit/solvers/random_system.h"
#include "unit/solvers/unique.h"

/* ---- solving ---------------------------------------------------------------------------------- */

/* a random system whose frictional contacts have the given law, or each another one (0); some rows are bounded */
static void draw(ss_context *ctx, random_system *y, int seed, int contacts, unsigned law)
{
    const unsigned laws[] = { SS_LAW_ASSOCIATED, SS_LAW_ASSOCIATED_POLYHEDRAL };
    rs_make(ctx, y, (uint64_t)seed * 7919, 1 + seed % contacts, seed % 4, 1);
    for (int k = 0; k < y->p.nc; k++) {
        if (y->law[k] == SS_LAW_POLYHEDRAL) {
            y->law[k] = law ? law : laws[(seed + k) % 2];
        } else if (seed % 2 && !law) {
            y->law[k] = SS_LAW_BOUNDED;
        }
    }
}

/* ---- beside other methods --------------------------------------------------------------------- */

enum { ONE_IN = 1000 };

typedef struct agreement {
    double worst; /* distance of velocities among those that agree */
    int systems, apart, iterations;
} agreement;

static void compare(agreement *a, bool solved, ss_solver_info info, double off)
{
    bool same = solved && info.outcome == SS_CONVERGED && off < SAME;
    a->systems++;
    a->apart += !same;
    a->worst = same ? fmax(a->worst, off) : a->worst;
    a->iterations = same && info.iterations > a->iterations ? info.iterations : a->iterations;
}

static void check(const agreement *a)
{
    print_message("%d systems: velocities differ by at most %.1e, %d iterations at most; %d do not agree\n", a->systems, a->worst,
                  a->iterations, a->apart);
    CHECK(a->apart <= a->systems / ONE_IN);
}

TEST(velocities_are_those_of_gauss_seidel)
{
    ss_context *ctx = test_context();
    random_system *y = calloc(1, sizeof *y);
    agreement found = { 0 };
    for (int seed = 1; seed <= systems(300, 3000); seed++) {
        double v[RS_V];
        draw(ctx, y, seed, 12, 0);
        bool solved = solve_by(ctx, "nsgs", 1e-12, &y->p, &y->s).outcome == SS_CONVERGED;
        memcpy(v, y->v, sizeof v);
        ss_solver_info info = solve_by(ctx, "apgd", 1e-12, &y->p, &y->s);
        compare(&found, solved, info, distance(y->p.nv, y->v, v));
    }
    check(&found);
    rs_free(ctx, y);
    free(y);
    ss_context_destroy(ctx);
}

/* row (1, mu d) H_k: the velocity that a ray of the cone of contact k works on */
static void push_ray(ss_context *ctx, random_system *to, const random_system *from, int k, const double *d)
{
    const ss_csr *H = &from->p.H;
    for (int i = 0; i < from->row[k + 1] - from->row[k]; i++) {
        double factor = i == 0 ? 1 : from->mu[k] * d[i - 1];
        for (int e = H->p[from->row[k] + i]; e < H->p[from->row[k] + i + 1]; e++) {
            CHECK_OK(ctx, ss_csr_push(ctx, &to->p.H, H->i[e], factor * H->x[e]));
        }
    }
    CHECK_OK(ctx, ss_csr_end_row(ctx, &to->p.H));
    to->law[to->p.nc++] = SS_LAW_UNILATERAL;
    to->row[to->p.nc] = to->p.nc;
}

/* the same bodies and joints; a polygonal cone is what its rays span, each a contact without friction */
static void make_rays(ss_context *ctx, const random_system *from, random_system *to)
{
    const double none[] = { 0, 0 };
    ss_csr H = to->p.H;
    *to = *from;
    to->p.H = H;
    to->p.nc = 0;
    rs_wire(to);
    ss_problem_set_blocks(&to->p,
                          &(ss_blockdiag){ from->p.scale.blocks, from->p.nv, to->offset, to->sizes, to->start, to->M, NULL });
    memset(to->mu, 0, sizeof to->mu);
    memset(to->dir, 0, sizeof to->dir);
    ss_csr_reset(&to->p.H, to->p.nv);
    for (int k = 0; k < from->p.nc; k++) {
        for (int j = from->dir[k]; j < from->dir[k + 1]; j++) {
            push_ray(ctx, to, from, k, from->direction + 2 * j);
        }
        if (from->dir[k] == from->dir[k + 1]) {
            push_ray(ctx, to, from, k, none);
        }
    }
}

TEST(polygonal_cones_are_what_lemke_finds_for_their_rays)
{
    ss_context *ctx = test_context();
    random_system *y = calloc(1, sizeof *y), *rays = calloc(1, sizeof *rays);
    agreement found = { 0 };
    for (int seed = 1; seed <= systems(200, 2000); seed++) {
        draw(ctx, y, seed, 8, SS_LAW_ASSOCIATED_POLYHEDRAL);
        make_rays(ctx, y, rays);
        CHECK(rays->p.nc <= RS_CONTACTS);
        bool solved = solve_by(ctx, "lemke", 1e-10, &rays->p, &rays->s).outcome == SS_CONVERGED;
        ss_solver_info info = solve_by(ctx, "apgd", 1e-12, &y->p, &y->s);
        compare(&found, solved, info, distance(y->p.nv, y->v, rays->v));
    }
    check(&found);
    ss_csr_free(ctx, &rays->p.H);
    rs_free(ctx, y);
    free(y);
    free(rays);
    ss_context_destroy(ctx);
}

/* ---- redundant contacts, joints --------------------------------------------------------------- */

/* sign times the velocity of the point x of a box along an axis */
static void add_velocity(double *row, int box, double sign, const double *x, int axis)
{
    for (int i = 0; i < 3; i++) { /* e . (v + omega x arm) */
        double e[3] = { axis == 0, axis == 1, axis == 2 };
        row[6 * box + i] = sign * e[i];
        row[6 * box + 3 + i] = sign * (x[(i + 1) % 3] * e[(i + 2) % 3] - x[(i + 2) % 3] * e[(i + 1) % 3]);
    }
}

static void add_corner(small_problem *y, int upper, int corner)
{
    double rows[3 * 12] = { 0 }, x[3] = { corner % 2 ? 0.5 : -0.5, corner / 2 ? 0.5 : -0.5, -0.5 };
    for (int i = 0; i < 3; i++) { /* normal, then tangents */
        add_velocity(rows + 12 * i, upper, 1, x, (i + 2) % 3);
        if (upper > 0) {
            add_velocity(rows + 12 * i, upper - 1, -1, (double[]){ x[0], x[1], 0.5 }, (i + 2) % 3);
        }
    }
    sp_contact(y, SS_LAW_ASSOCIATED, 0.3, 3, rows, 0, NULL);
}

/* two unit boxes on each other, pushed: the lower slides, the upper tips; with the contacts between them once or twice */
static void two_boxes(small_problem *y, ss_context *ctx, int copies)
{
    const double mass[] = { 2, 2, 2, 0.3, 0.3, 0.3 }, kick[12] = { 1.1, 0.2, -0.4, 0.1, 0, 0.2, -0.9, 0.5, -0.6, 0, 0.3, 0 };
    sp_open(y, ctx, 3);
    sp_block(y, 6, mass, false);
    sp_block(y, 6, mass, false);
    for (int corner = 0; corner < 4; corner++) {
        add_corner(y, 0, corner);
        for (int k = 0; k < copies; k++) {
            add_corner(y, 1, corner);
        }
    }
    sp_motion(y, (double[12]){ 0 }, kick);
}

TEST(duplicated_contacts_do_not_change_the_velocities)
{
    ss_context *ctx = test_context();
    small_problem once, twice;
    two_boxes(&once, ctx, 1);
    two_boxes(&twice, ctx, 2);
    CHECK(solve_by(ctx, "apgd", 1e-13, &once.p, &once.s).outcome == SS_CONVERGED);
    CHECK(solve_by(ctx, "apgd", 1e-13, &twice.p, &twice.s).outcome == SS_CONVERGED);
    double off = distance(12, once.v, twice.v), moved = distance(12, once.v, (double[12]){ 0 });
    print_message("velocities differ by %.1e\n", off);
    CHECK(off < 1e-10 && moved > 0.1);
    sp_close(&once);
    sp_close(&twice);
    ss_context_destroy(ctx);
}

/* joints as rows whose force is bounded, by far too much to matter */
static void joints_to_rows(ss_context *ctx, random_system *y)
{
    for (int j = 0; j < y->p.nj; j++) {
        for (int e = y->p.G.p[j]; e < y->p.G.p[j + 1]; e++) {
            CHECK_OK(ctx, ss_csr_push(ctx, &y->p.H, y->p.G.i[e], y->p.G.x[e]));
        }
        CHECK_OK(ctx, ss_csr_end_row(ctx, &y->p.H));
        int k = y->p.nc++;
        y->law[k] = SS_LAW_BOUNDED;
        y->mu[k] = 1e30;
        y->w[y->row[k]] = -y->c[j];
        y->row[k + 1] = y->row[k] + 1;
        y->dir[k + 1] = y->dir[k];
    }
    y->p.nj = 0;
    ss_csr_reset(&y->p.G, y->p.nv);
}

TEST(joints_hold_as_rows_of_unlimited_force_do)
{
    ss_context *ctx = test_context();
    random_system *y = calloc(1, sizeof *y);
    agreement found = { 0 };
    for (int seed = 1; seed <= systems(100, 1000); seed++) {
        double v[RS_V];
        draw(ctx, y, 4 * seed + 3, 10, SS_LAW_ASSOCIATED); /* three joint rows, some redundant */
        ss_solver_info info = solve_by(ctx, "apgd", 1e-12, &y->p, &y->s);
        CHECK(y->p.nj == 3 && info.residual.joint <= 1e-12);
        memcpy(v, y->v, sizeof v);
        joints_to_rows(ctx, y);
        bool solved = solve_by(ctx, "apgd", 1e-12, &y->p, &y->s).outcome == SS_CONVERGED;
        compare(&found, solved, info, distance(y->p.nv, y->v, v));
    }
    check(&found);
    rs_free(ctx, y);
    free(y);
    ss_context_destroy(ctx);
}

/* ---- laws and forms in closed form ------------------------------------------------------------ */

/* a block of 2 kg on a ramp of 30 degrees that had no speed; the rows are orthonormal: W = I/2 */
static void block_on_ramp(small_problem *y, ss_context *ctx, double mu)
{
    const double angle = 0.5235987755982988, s = sin(angle), c = cos(angle), mass[] = { 2, 2, 2 };
    const double rows[] = { s, 0, c, c, 0, -s, 0, 1, 0 }, kick[] = { 0, 0, -0.981 };
    sp_open(y, ctx, 3);
    sp_block(y, 3, mass, false);
    sp_contact(y, SS_LAW_ASSOCIATED, mu, 3, rows, 0, NULL);
    sp_motion(y, (double[3]){ 0 }, kick);
}

static void make_local(small_problem *y)
{
    const double q[] = { -0.981 * cos(0.5235987755982988), 0.981 * sin(0.5235987755982988), 0 };
    y->p.local = true;
    y->p.nv = y->p.scale.n = y->p.scale.blocks = 0;
    ss_csr_free(y->ctx, &y->p.H); /* a problem read from a file in this form has none */
    y->p.W.n = 3;
    for (int i = 0; i < 3; i++) {
        sp_row(y, &y->p.W, (double[]){ i == 0 ? 0.5 : 0, i == 1 ? 0.5 : 0, i == 2 ? 0.5 : 0 });
        y->w[i] = q[i];
    }
}

TEST(a_block_on_a_ramp_sticks_or_lifts_off_as_it_slides_in_every_form)
{
    const double normal = 2 * 0.981 * cos(0.5235987755982988), tangent = 2 * 0.981 * sin(0.5235987755982988);
    ss_context *ctx = test_context();
    for (int form = 0; form < 6; form++) {
        small_problem y;
        double mu = form % 2 ? 0.7 : 0.3; /* tan 30 degrees is 0.577 */
        block_on_ramp(&y, ctx, mu);
        if (form / 2 == 1) {
            sp_make_sparse(&y, true, -1, 0, 0);
        } else if (form / 2 == 2) {
            make_local(&y);
        }
        CHECK(solve_by(ctx, "apgd", 1e-13, &y.p, &y.s).outcome == SS_CONVERGED);
        /* r is the projection of (normal, -tangent, 0) on the cone */
        double r = mu > 0.5 ? normal : (normal + mu * tangent) / (1 + mu * mu);
        CHECK_NEAR(y.r[0], r, 1e-12);
        CHECK_NEAR(y.r[1], mu > 0.5 ? -tangent : -mu * r, 1e-12);
        CHECK_NEAR(y.u[0], mu > 0.5 ? 0 : mu * y.u[1], 1e-12); /* the price of convexity */
        CHECK_NEAR(y.u[1], mu > 0.5 ? 0 : (tangent - mu * r) / 2, 1e-12);
        sp_close(&y);
    }
    ss_context_destroy(ctx);
}

TEST(a_sparse_matrix_couples_what_contacts_do_not)
{
    /* A = (2 -1; -1 2), b = (-4, 3): the first is held, v = (0, 3/2), r = 4 - 3/2 */
    ss_context *ctx = test_context();
    small_problem y;
    sp_open(&y, ctx, 2);
    sp_block(&y, 1, (double[]){ 2 }, false);
    sp_block(&y, 1, (double[]){ 2 }, false);
    sp_contact(&y, SS_LAW_UNILATERAL, 0, 1, (double[]){ 1, 0 }, 0, NULL);
    sp_contact(&y, SS_LAW_UNILATERAL, 0, 1, (double[]){ 0, 1 }, 0, NULL);
    y.p.A.diagonal = (ss_blockdiag){ 0 };
    sp_row(&y, &y.p.A.sparse, (double[]){ 2, -1 });
    sp_row(&y, &y.p.A.sparse, (double[]){ -1, 2 });
    y.b[0] = -4;
    y.b[1] = 3;
    CHECK(solve_by(ctx, "apgd", 1e-13, &y.p, &y.s).outcome == SS_CONVERGED);
    CHECK_NEAR(y.v[0], 0, 1e-12);
    CHECK_NEAR(y.v[1], 1.5, 1e-12);
    CHECK_NEAR(y.r[0], 2.5, 1e-12);
    CHECK_NEAR(y.r[1], 0, 0);
    sp_close(&y);
    ss_context_destroy(ctx);
}

TEST(coulomb_and_matrices_that_are_not_symmetric_are_refused)
{
    ss_context *ctx = test_context();
    ss_solver *solver = create(ctx, "apgd", 1e-10, 0, NULL);
    ss_solver_info info;
    small_problem y;
    block_on_ramp(&y, ctx, 0.3);
    y.law[0] = SS_LAW_COULOMB;
    CHECK_FAILS(ctx, ss_solver_solve(solver, &y.p, &y.s, &info), SS_ERR_UNSUPPORTED, "coulomb");
    y.law[0] = SS_LAW_ASSOCIATED;
    sp_make_sparse(&y, false, 0, 1, 0.1);
    CHECK_FAILS(ctx, ss_solver_solve(solver, &y.p, &y.s, &info), SS_ERR_UNSUPPORTED, "apgd");
    sp_close(&y);
    ss_solver_destroy(solver);
    ss_context_destroy(ctx);
}

/* other units of mass and speed: not an iteration more or less */
TEST(units_drop_out)
{
    ss_context *ctx = test_context();
    packing k;
    pk_make(ctx, &k, 4, 4, 0.4, SS_LAW_ASSOCIATED);
    ss_solver *solver = create(ctx, "apgd", 1e-6, 0, NULL);
    int first = solve(ctx, solver, &k.p, &k.s).iterations;
    double floor = k.s.r[0];
    for (int i = 0; i < 36 * k.spheres; i++) {
        k.p.scale.x[i] *= 0x1p20;
    }
    for (int i = 0; i < k.p.nv; i++) {
        k.p.b[i] *= 0x1p30;
    }
    CHECK(first > 10 && solve(ctx, solver, &k.p, &k.s).iterations == first);
    CHECK_NEAR(k.s.r[0] / floor, 0x1p30, 0); /* powers of two: exactly */
    ss_solver_destroy(solver);
    pk_free(ctx, &k);
    ss_context_destroy(ctx);
}

/* ---- piles: threads, warm starts, limits ------------------------------------------------------ */

TEST(numbers_that_overflow_end_in_an_outcome)
{
    ss_context *ctx = test_context();
    small_problem y;
    block_on_ramp(&y, ctx, 0.5);
    for (int i = 0; i < 3; i++) {
        y.b[i] = -1e308;
    }
    ss_solver_info info = solve_by(ctx, "apgd", 1e-10, &y.p, &y.s);
    CHECK(info.outcome != SS_CONVERGED || info.residual.contact <= 1e-10);
    CHECK(isfinite(y.r[0] + y.r[1] + y.r[2]));
    sp_close(&y);
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(velocities_are_those_of_gauss_seidel),
        cmocka_unit_test(polygonal_cones_are_what_lemke_finds_for_their_rays),
        cmocka_unit_test(duplicated_contacts_do_not_change_the_velocities),
        cmocka_unit_test(joints_hold_as_rows_of_unlimited_force_do),
        cmocka_unit_test(a_block_on_a_ramp_sticks_or_lifts_off_as_it_slides_in_every_form),
        cmocka_unit_test(a_sparse_matrix_couples_what_contacts_do_not),
        cmocka_unit_test(coulomb_and_matrices_that_are_not_symmetric_are_refused),
        cmocka_unit_test(units_drop_out),
        cmocka_unit_test(numbers_that_overflow_end_in_an_outcome),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
