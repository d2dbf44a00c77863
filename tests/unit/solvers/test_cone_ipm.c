/* test_cone_ipm.c - the interior point method: random systems against nsgs and lemke, piles, boxes held four times over, local
 * form, bounds, problems that nothing obeys, bodies that are wedged. */
#include "unit/problem/small_problem.h"
#include "unit/solvers/packing.h"
#include "unit/solvers/random_system.h"

#include "problem/delassus.h"
#include "problem/kkt.h"
#include "solvers/solver.h"

static ss_solver *make_limited(ss_context *ctx, const char *name, double tol, int max_iter)
{
    ss_solver_options options = ss_solver_options_default();
    ss_solver *solver;
    options.name = name;
    options.tol = tol;
    options.max_iter = max_iter;
    CHECK_OK(ctx, ss_solver_create(ctx, &options, &solver));
    return solver;
}

static ss_solver *make(ss_context *ctx, const char *name, double tol) { return make_limited(ctx, name, tol, 0); }

static double worst_of(const ss_residual *r) { return fmax(r->contact, fmax(r->momentum, r->joint)); }

static int systems(int quick, int full)
{
    const char *all = getenv("SLIPSTICK_FULL");
    return all && *all == '1' ? full : quick;
}

/* ---- random systems --------------------------------------------------------------------------- */

/* friction of the given law; one of three frictionless contacts becomes a bounded row, with a bound over fifteen decades */
static void draw(ss_context *ctx, random_system *y, uint64_t seed, unsigned law, double decades)
{
    uint64_t state = seed * 7919;
    int contacts = 1 + (int)(ss_random_u64(&state) % 12), joints = (int)(ss_random_u64(&state) % 7);
    rs_make(ctx, y, state, contacts, joints, decades);
    for (int k = 0; k < y->p.nc; k++) {
        y->law[k] = y->law[k] == SS_LAW_POLYHEDRAL ? law : y->law[k];
        if (y->law[k] == SS_LAW_UNILATERAL && k % 3 == 0) {
            y->law[k] = SS_LAW_BOUNDED;
            y->mu[k] = pow(10, rs_uniform(y, -3, 12));
        }
    }
}

static void check_random(unsigned law, double decades, double tol, int count)
{
    ss_context *ctx = test_context();
    ss_solver *solver = make(ctx, "cone_ipm", tol);
    random_system *y = calloc(1, sizeof *y);
    int most = 0;
    for (int k = 1; k <= count; k++) {
        ss_solver_info info;
        draw(ctx, y, (uint64_t)k, law, decades);
        CHECK_OK(ctx, ss_solver_solve(solver, &y->p, &y->s, &info));
        CHECK(info.outcome == SS_CONVERGED && worst_of(&info.residual) <= tol);
        CHECK(info.factorisations == info.iterations + 1);
        most = info.iterations > most ? info.iterations : most;
    }
    CHECK(most > 0 && most <= 40);
    rs_free(ctx, y);
    free(y);
    ss_solver_destroy(solver);
    ss_context_destroy(ctx);
}

TEST(random_systems_of_every_convex_law_are_certified_in_few_iterations)
{
    int count = systems(200, 3000);
    check_random(SS_LAW_ASSOCIATED, 3, 1e-10, count);
    check_random(SS_LAW_ASSOCIATED_POLYHEDRAL, 3, 1e-10, count);
    check_random(SS_LAW_ASSOCIATED, 6, 1e-10, count);
    check_random(SS_LAW_ASSOCIATED_POLYHEDRAL, 6, 1e-10, count);
    check_random(SS_LAW_ASSOCIATED, 1, 1e-12, count);
}

/* masses over eight decades, friction over six, velocities over four: now and then the stiffest matrix is not positive definite
 * in its last bits, and must be softened */
TEST(a_pivot_lost_to_round_off_is_no_breakdown)
{
    ss_context *ctx = test_context();
    ss_solver *solver = make(ctx, "cone_ipm", 1e-10);
    random_system *y = calloc(1, sizeof *y);
    int softened = 0, count = systems(300, 3000);
    for (int k = 1; k <= count; k++) {
        ss_solver_info info;
        draw(ctx, y, (uint64_t)k, SS_LAW_ASSOCIATED, 8);
        for (int i = 0; i < y->p.nc; i++) {
            y->mu[i] = y->law[i] == SS_LAW_ASSOCIATED ? pow(10, rs_uniform(y, -3, 3)) : y->mu[i];
        }
        for (int i = 0; i < y->p.nv; i++) {
            y->b[i] *= pow(10, rs_uniform(y, -4, 0));
        }
        CHECK_OK(ctx, ss_solver_solve(solver, &y->p, &y->s, &info));
        CHECK(info.outcome != SS_BREAKDOWN && info.outcome != SS_INFEASIBLE);
        softened += info.factorisations > info.iterations + 1;
    }
    CHECK(softened > 0);
    rs_free(ctx, y);
    free(y);
    ss_solver_destroy(solver);
    ss_context_destroy(ctx);
}

/* largest difference of two velocities, relative to those given */
static double apart(const random_system *y, const double *v, const double *other)
{
    double size = 0, most = 0;
    for (int i = 0; i < y->p.nv; i++) {
        size = fmax(size, fabs(y->v_old[i]));
        most = fmax(most, fabs(v[i] - other[i]));
    }
    return most / size;
}

static bool bounded_impulses(const random_system *y)
{
    for (int i = 0; i < y->p.row[y->p.nc]; i++) {
        if (!(fabs(y->r[i]) < 1e6)) { /* where bodies are wedged Gauss-Seidel's may grow without end */
            return false;
        }
    }
    return true;
}

/* The answer given back costs nothing or next to nothing: redundant impulses may be taken apart differently. Any other impulses
 * are a start as well. */
TEST(a_warm_start_from_the_answer_is_nearly_free_and_from_anything_else_does_no_harm)
{
    ss_context *ctx = test_context();
    ss_solver *solver = make(ctx, "cone_ipm", 1e-10);
    random_system *y = calloc(1, sizeof *y);
    const double sizes[] = { 0, 1e-6, 1, 1e6 };
    int count = systems(100, 1000), again = 0;
    for (int k = 1; k <= count; k++) {
        ss_solver_info info;
        draw(ctx, y, (uint64_t)k, k % 2 ? SS_LAW_ASSOCIATED : SS_LAW_ASSOCIATED_POLYHEDRAL, 2);
        y->s.warm = false;
        CHECK_OK(ctx, ss_solver_solve(solver, &y->p, &y->s, &info));
        y->s.warm = true;
        CHECK_OK(ctx, ss_solver_solve(solver, &y->p, &y->s, &info));
        CHECK(info.outcome == SS_CONVERGED);
        again += info.iterations;
        for (int i = 0; i < y->p.row[y->p.nc]; i++) {
            y->r[i] = sizes[k % 4] * rs_uniform(y, -1, 1);
        }
        y->r[0] = k % 10 == 0 ? NAN : y->r[0];
        CHECK_OK(ctx, ss_solver_solve(solver, &y->p, &y->s, &info));
        CHECK(info.outcome == SS_CONVERGED && info.iterations <= 40);
    }
    CHECK(again <= count / 2); /* cold: 10 each */
    rs_free(ctx, y);
    free(y);
    ss_solver_destroy(solver);
    ss_context_destroy(ctx);
}

/* the minimum of a strictly convex function: velocities are unique */
static void check_against_nsgs(unsigned law, int count)
{
    ss_context *ctx = test_context();
    ss_solver *ipm = make(ctx, "cone_ipm", 1e-12), *nsgs = make(ctx, "nsgs", 1e-12);
    random_system *y = calloc(1, sizeof *y);
    int compared = 0;
    for (int k = 1; k <= count; k++) {
        double v[RS_V];
        ss_solver_info info;
        draw(ctx, y, (uint64_t)k, law, 1);
        CHECK_OK(ctx, ss_solver_solve(nsgs, &y->p, &y->s, &info));
        bool sound = info.outcome == SS_CONVERGED && bounded_impulses(y);
        memcpy(v, y->v, sizeof v);
        CHECK_OK(ctx, ss_solver_solve(ipm, &y->p, &y->s, &info));
        CHECK(info.outcome == SS_CONVERGED);
        CHECK(!sound || apart(y, y->v, v) <= 1e-8);
        compared += sound;
    }
    CHECK(compared >= count - 1 - count / 200);
    rs_free(ctx, y);
    free(y);
    ss_solver_destroy(ipm);
    ss_solver_destroy(nsgs);
    ss_context_destroy(ctx);
}

TEST(velocities_are_those_of_nsgs)
{
    check_against_nsgs(SS_LAW_ASSOCIATED, systems(150, 1000));
    check_against_nsgs(SS_LAW_ASSOCIATED_POLYHEDRAL, systems(150, 1000));
}

/* the dual of a polygonal cone, u_N + mu d_k . u_T >= 0, written as one unilateral contact per direction */
static void unfold(ss_context *ctx, const random_system *y, random_system *flat)
{
    const ss_problem *p = &y->p;
    memcpy(flat->b, y->b, sizeof y->b);
    memcpy(flat->c, y->c, sizeof y->c);
    memcpy(flat->v_old, y->v_old, sizeof y->v_old);
    memset(flat->w, 0, sizeof flat->w);
    memset(flat->basis, 0, sizeof flat->basis);
    ss_csr H = flat->p.H;
    flat->p = *p;
    flat->p.H = H;
    flat->p.nc = 0;
    ss_csr_reset(&flat->p.H, p->nv);
    for (int k = 0; k < p->nc; k++) {
        bool polygon = p->law[k] == SS_LAW_ASSOCIATED_POLYHEDRAL && p->mu[k] > 0;
        for (int i = p->dir[k]; i < (polygon ? p->dir[k + 1] : p->dir[k] + 1); i++) {
            for (int row = p->row[k]; row < (polygon ? p->row[k + 1] : p->row[k] + 1); row++) {
                double factor = row == p->row[k] ? 1 : p->mu[k] * p->direction[2 * i + row - p->row[k] - 1];
                for (int e = p->H.p[row]; e < p->H.p[row + 1]; e++) {
                    CHECK_OK(ctx, ss_csr_push(ctx, &flat->p.H, p->H.i[e], factor * p->H.x[e]));
                }
            }
            CHECK_OK(ctx, ss_csr_end_row(ctx, &flat->p.H));
            flat->law[flat->p.nc] = SS_LAW_UNILATERAL;
            flat->mu[flat->p.nc++] = 0;
            flat->row[flat->p.nc] = flat->p.nc;
        }
    }
    rs_wire(flat);
}

TEST(polygonal_cones_have_the_velocities_that_lemke_finds_for_their_facets)
{
    ss_context *ctx = test_context();
    ss_solver *ipm = make(ctx, "cone_ipm", 1e-12), *lemke = make(ctx, "lemke", 1e-10);
    random_system *y = calloc(1, sizeof *y), *flat = calloc(1, sizeof *flat);
    int compared = 0, count = systems(100, 1000);
    for (int k = 1; k <= count; k++) {
        ss_solver_info info, other;
        uint64_t state = (uint64_t)k;
        rs_make(ctx, y, (uint64_t)k * 104729, 1 + (int)(ss_random_u64(&state) % 6), (int)(ss_random_u64(&state) % 4), 1);
        for (int i = 0; i < y->p.nc; i++) {
            y->law[i] = y->law[i] == SS_LAW_POLYHEDRAL ? SS_LAW_ASSOCIATED_POLYHEDRAL : y->law[i];
        }
        unfold(ctx, y, flat);
        CHECK_OK(ctx, ss_solver_solve(ipm, &y->p, &y->s, &info));
        CHECK_OK(ctx, ss_solver_solve(lemke, &flat->p, &flat->s, &other));
        CHECK(info.outcome == SS_CONVERGED);
        if (other.outcome == SS_CONVERGED) {
            compared++;
            CHECK(apart(y, y->v, flat->v) <= 1e-8); /* tol times the condition of the rows that are active */
        }
    }
    CHECK(compared >= count - count / 50);
    ss_csr_free(ctx, &flat->p.H);
    rs_free(ctx, y);
    free(y);
    free(flat);
    ss_solver_destroy(ipm);
    ss_solver_destroy(lemke);
    ss_context_destroy(ctx);
}

/* ---- piles ------------------------------------------------------------------------------------ */

static void eight_directions(packing *k)
{
    k->p.direction = pk_take(16 * (size_t)k->p.nc, sizeof(double));
    for (int i = 0; i < 8 * k->p.nc; i++) {
        double angle = 3.14159265358979323846 / 4 * (i % 4), sign = i % 8 < 4 ? 1 : -1;
        k->p.direction[2 * i] = sign * cos(angle);
        k->p.direction[2 * i + 1] = sign * sin(angle);
    }
    for (int i = 0; i <= k->p.nc; i++) {
        k->p.dir[i] = 8 * i;
    }
}

static void check_pile(unsigned law, int n, int layers, double mu, double tol)
{
    ss_context *ctx = test_context();
    ss_solver *solver = make(ctx, "cone_ipm", tol);
    ss_solver_info info;
    packing k;
    pk_make(ctx, &k, n, layers, mu, law);
    if (law == SS_LAW_ASSOCIATED_POLYHEDRAL) {
        eight_directions(&k);
    }
    CHECK(3 * k.p.nc > 2 * k.p.nv); /* held many times over */
    CHECK_OK(ctx, ss_solver_solve(solver, &k.p, &k.s, &info));
    CHECK(info.outcome == SS_CONVERGED && worst_of(&info.residual) <= tol);
    CHECK(info.iterations <= 34);
    k.s.warm = true;
    CHECK_OK(ctx, ss_solver_solve(solver, &k.p, &k.s, &info));
    CHECK(info.outcome == SS_CONVERGED && info.iterations <= 5);
    for (int i = 0; i < k.p.nv; i++) {
        CHECK_NEAR(k.s.v[i], 0, 0.04 * 100 * tol); /* against the 0.04 of free fall; a hundred contacts or so add up */
    }
    free(k.p.direction);
    pk_free(ctx, &k);
    ss_solver_destroy(solver);
    ss_context_destroy(ctx);
}

TEST(a_hyperstatic_pile_of_spheres_rests_to_1e_10_and_to_1e_12)
{
    check_pile(SS_LAW_ASSOCIATED, 6, 5, 0.5, 1e-10);
    check_pile(SS_LAW_ASSOCIATED, 6, 5, 0.5, 1e-12);
    check_pile(SS_LAW_ASSOCIATED_POLYHEDRAL, 6, 5, 0.5, 1e-10);
    check_pile(SS_LAW_ASSOCIATED, 6, 5, 0, 1e-10); /* only the walls hold it */
    check_pile(SS_LAW_ASSOCIATED, 6, 5, 1e-6, 1e-10);
    check_pile(SS_LAW_ASSOCIATED, 6, 5, 1e3, 1e-10);
}

TEST(a_pile_with_a_large_matrix_rests_as_well) { check_pile(SS_LAW_ASSOCIATED, 7, 6, 0.5, 1e-10); /* 1530 velocities: MUMPS */ }

/* ---- boxes, four contacts, each of them four times -------------------------------------------- */

/* two boxes of side 2 on top of each other on a floor, pushed sideways; `copies` of each corner contact */
static void stack(ss_context *ctx, random_system *y, int copies)
{
    const double mass = 2, inertia = mass * 8 / 12, n[3] = { 0, 0, 1 }, t1[3] = { 1, 0, 0 }, t2[3] = { 0, 1, 0 };
    const double *frame[3] = { n, t1, t2 };
    ss_csr H = y->p.H;
    y->p = ss_problem_make(3);
    y->p.H = H;
    y->state = 1;
    rs_bodies(y, 2, 0);
    for (int k = 0; k < 72; k++) {
        y->M[k] = k % 36 % 7 != 0 ? 0 : k % 36 < 21 ? mass : inertia;
    }
    y->p.G.n = y->p.nv;
    ss_csr_reset(&y->p.H, y->p.nv);
    y->row[0] = 0;
    for (int k = 0; k < 8 * copies; k++) {
        int body = k / copies / 4, corner = k / copies % 4;
        double x = corner % 2 ? 1 : -1, z = corner / 2 ? 1 : -1, low[3] = { x, z, -1 }, high[3] = { x, z, 1 };
        for (int i = 0; i < 3; i++) {
            rs_push(ctx, y, &y->p.H, body, 1, frame[i], low);
            if (body == 1) {
                rs_push(ctx, y, &y->p.H, 0, -1, frame[i], high);
            }
            CHECK_OK(ctx, ss_csr_end_row(ctx, &y->p.H));
        }
        y->row[k + 1] = 3 * (k + 1);
        y->law[k] = SS_LAW_ASSOCIATED;
        y->mu[k] = 0.4;
    }
    y->p.nc = 8 * copies;
    const double free[12] = { 0.3, 0.1, -0.2, 0.01, 0.02, 0.03, 0.9, -0.2, -0.25, 0.05, -0.04, 0.02 };
    memcpy(y->v_old, free, sizeof free);
    memset(y->w, 0, sizeof y->w);
    ss_blockdiag_times(&y->p.scale, free, y->b);
    rs_wire(y);
}

TEST(duplicated_contacts_do_not_change_the_velocity)
{
    ss_context *ctx = test_context();
    ss_solver *solver = make(ctx, "cone_ipm", 1e-12);
    random_system *y = calloc(1, sizeof *y);
    double v[RS_V] = { 0 };
    ss_solver_info info;
    for (int copies = 1; copies <= 4; copies *= 2) {
        stack(ctx, y, copies);
        CHECK_OK(ctx, ss_solver_solve(solver, &y->p, &y->s, &info));
        CHECK(info.outcome == SS_CONVERGED);
        for (int i = 0; i < y->p.nv; i++) {
            CHECK(copies == 1 || fabs(y->v[i] - v[i]) <= 1e-10);
        }
        memcpy(v, y->v, sizeof v);
    }
    CHECK(fabs(v[0]) > 0.01); /* it slides: not a trivial answer */
    rs_free(ctx, y);
    free(y);
    ss_solver_destroy(solver);
    ss_context_destroy(ctx);
}

/* ---- closed forms ----------------------------------------------------------------------------- */

/* [Ani06] example: a particle on a floor, v = (-g, v_T). Sliding the associated law lifts it: u_N = mu u_T on the cone's
 * boundary, r = -(u - v)m normal to it */
TEST(a_sliding_particle_is_lifted_as_the_associated_law_says)
{
    ss_context *ctx = test_context();
    ss_solver *solver = make(ctx, "cone_ipm", 1e-13);
    for (double mu = 0.001; mu < 100; mu *= 7) {
        small_problem y;
        ss_solver_info info;
        const double mass[] = { 3, 3, 3 }, v[] = { -0.1, 40, -30 }, rows[] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };
        sp_open(&y, ctx, 3);
        sp_block(&y, 3, mass, false);
        sp_contact(&y, SS_LAW_ASSOCIATED, mu, 3, rows, 0, NULL);
        sp_motion(&y, v, NULL);
        CHECK_OK(ctx, ss_solver_solve(solver, &y.p, &y.s, &info));
        CHECK(info.outcome == SS_CONVERGED);
        /* the nearest point of u_N = mu |u_T| to (-0.1, 50), or the tip */
        double along = fmax(0, (50 + mu * v[0]) / (1 + mu * mu));
        CHECK_NEAR(y.v[0], mu * along, 1e-10);
        CHECK_NEAR(y.v[1], 0.8 * along, 1e-10);
        CHECK_NEAR(y.v[2], -0.6 * along, 1e-10);
        sp_close(&y);
    }
    ss_solver_destroy(solver);
    ss_context_destroy(ctx);
}

/* A row alone, u = r/m + w, |r| <= f: r = -m w as far as f allows */
TEST(bounded_rows_give_what_their_bound_allows)
{
    ss_context *ctx = test_context();
    ss_solver *solver = make(ctx, "cone_ipm", 1e-12);
    for (int k = -8; k <= 8; k++) {
        for (double bound = 0; bound < 1e20; bound = bound == 0 ? 1e-4 : 30 * bound) {
            small_problem y;
            ss_solver_info info;
            const double mass[] = { 2 }, row[] = { 1 }, v[] = { 0.1 * k };
            sp_open(&y, ctx, 2);
            sp_block(&y, 1, mass, false);
            sp_contact(&y, SS_LAW_BOUNDED, bound, 1, row, 0, NULL);
            sp_motion(&y, v, NULL);
            CHECK_OK(ctx, ss_solver_solve(solver, &y.p, &y.s, &info));
            CHECK(info.outcome == SS_CONVERGED);
            CHECK_NEAR(y.r[0], fmax(-bound, fmin(bound, -2 * v[0])), 1e-11); /* tol times impulses of 1, with room */
            sp_close(&y);
        }
    }
    ss_solver_destroy(solver);
    ss_context_destroy(ctx);
}

/* ---- no solution, or too many ----------------------------------------------------------------- */

/* Contact 1 asks for a velocity of at least 2, a joint for -1; contact 0 has nothing to do with it */
static void squeezed(small_problem *y, ss_context *ctx, double wanted, double scale)
{
    const double mass[] = { scale, scale }, other[] = { 0, 1 }, row[] = { 1, 0 }, v[] = { 0, -1 };
    sp_open(y, ctx, 2);
    sp_block(y, 1, mass, false);
    sp_block(y, 1, mass, false);
    sp_joint(y, row, -1);
    sp_contact(y, SS_LAW_UNILATERAL, 0, 1, other, 0, NULL);
    sp_contact(y, SS_LAW_UNILATERAL, 0, 1, row, 0, NULL);
    y->w[1] = -wanted;
    sp_motion(y, v, NULL);
}

TEST(a_contact_that_no_velocity_obeys_is_reported_as_infeasible)
{
    ss_context *ctx = test_context();
    ss_solver *solver = make(ctx, "cone_ipm", 1e-10);
    for (double scale = 1e-6; scale < 1e7; scale *= 1e3) {
        small_problem y;
        ss_solver_info info;
        squeezed(&y, ctx, 2, scale);
        CHECK_OK(ctx, ss_solver_solve(solver, &y.p, &y.s, &info));
        CHECK(info.outcome == SS_INFEASIBLE && info.residual.worst == 1);
        CHECK(strcmp(ss_outcome_name(info.outcome), "infeasible") == 0);
        sp_close(&y);

        squeezed(&y, ctx, -1, scale); /* u = v + 1 = 0: just possible, and the impulse is free */
        CHECK_OK(ctx, ss_solver_solve(solver, &y.p, &y.s, &info));
        CHECK(info.outcome == SS_CONVERGED);
        CHECK_NEAR(y.v[0], -1, 1e-9);
        CHECK_NEAR(y.v[1], 0, 1e-9);
        sp_close(&y);
    }
    ss_solver_destroy(solver);
    ss_context_destroy(ctx);
}

TEST(contradicting_walls_and_joints_are_infeasible)
{
    ss_context *ctx = test_context();
    ss_solver *solver = make(ctx, "cone_ipm", 1e-10);
    small_problem y;
    ss_solver_info info;
    const double mass[] = { 1, 1, 1 }, up[] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 }, down[] = { -1, 0, 0, 0, 1, 0, 0, 0, 1 };
    const double v[] = { -1, 0.5, 0 };
    sp_open(&y, ctx, 3); /* between two walls that close in on each other */
    sp_block(&y, 3, mass, false);
    sp_contact(&y, SS_LAW_ASSOCIATED, 0.5, 3, up, 0, NULL);
    sp_contact(&y, SS_LAW_ASSOCIATED, 0.5, 3, down, 0, NULL);
    y.w[0] = y.w[3] = -1e-3;
    sp_motion(&y, v, NULL);
    CHECK_OK(ctx, ss_solver_solve(solver, &y.p, &y.s, &info));
    CHECK(info.outcome == SS_INFEASIBLE && info.residual.worst >= 0);

    y.w[0] = y.w[3] = 0; /* wedged: possible only at rest, with impulses that have no limit */
    CHECK_OK(ctx, ss_solver_solve(solver, &y.p, &y.s, &info));
    CHECK(info.outcome == SS_CONVERGED);
    for (int i = 0; i < 3; i++) {
        CHECK_NEAR(y.v[i], 0, 1e-8); /* impulses may be large: ten times the tolerance for each power of ten */
    }
    sp_close(&y);

    sp_open(&y, ctx, 2); /* joints alone that contradict each other */
    sp_block(&y, 1, mass, false);
    sp_joint(&y, up, 1);
    sp_joint(&y, up, 2);
    sp_contact(&y, SS_LAW_UNILATERAL, 0, 1, up, 0, NULL);
    sp_motion(&y, v, NULL);
    CHECK_OK(ctx, ss_solver_solve(solver, &y.p, &y.s, &info));
    CHECK(info.outcome == SS_INFEASIBLE && info.residual.worst == -1); /* no contact is to blame */
    sp_close(&y);
    ss_solver_destroy(solver);
    ss_context_destroy(ctx);
}

/* u_0 = v_l - 1 >= 0 and u_1 = slope v_h - v_l >= 0: a light body that must move drives a heavy one up a slope, by impulses of
 * 1/slope^2. v = (1, 1/slope). */
static void wedge(small_problem *y, ss_context *ctx, double ratio, double slope)
{
    const double light[] = { 1 / ratio }, heavy[] = { 1 }, push[] = { 1, 0 }, wedge[] = { -1, slope }, v[] = { 0, 0 };
    sp_open(y, ctx, 2);
    sp_block(y, 1, light, false);
    sp_block(y, 1, heavy, false);
    sp_contact(y, SS_LAW_UNILATERAL, 0, 1, push, 0, NULL);
    sp_contact(y, SS_LAW_UNILATERAL, 0, 1, wedge, 0, NULL);
    y->w[0] = -1;
    sp_motion(y, v, NULL);
}

/* slope/sqrt(ratio) is how far the impulses are from cancelling: below 1e-10 nobody can tell. The certificate is relative to
 * impulses, ratio/slope^2 times the velocities here: it is granted long before these are right. */
TEST(wedges_are_neither_called_infeasible_nor_solved_with_wrong_velocities)
{
    ss_context *ctx = test_context();
    ss_solver *solver = make(ctx, "cone_ipm", 1e-10);
    int outcomes[SS_BREAKDOWN + 1] = { 0 };
    for (double ratio = 1; ratio < 1e17; ratio *= 10) {
        for (double slope = 1; slope > 1e-9; slope *= 0.1) {
            small_problem y;
            ss_solver_info info;
            wedge(&y, ctx, ratio, slope);
            CHECK_OK(ctx, ss_solver_solve(solver, &y.p, &y.s, &info));
            CHECK(info.outcome != SS_INFEASIBLE || slope / sqrt(ratio) < 1e-10);
            CHECK(info.outcome == SS_CONVERGED || ratio / (slope * slope) > 2e12); /* 1/prox */
            if (info.outcome == SS_CONVERGED) {
                CHECK_NEAR(y.v[0], 1, 1e-5); /* root of the gap that is aimed at */
                CHECK_NEAR(slope * y.v[1], 1, 1e-5);
            }
            outcomes[info.outcome]++;
            sp_close(&y);
        }
    }
    CHECK(outcomes[SS_INACCURATE] > 0); /* granted, but not believed */
    ss_solver_destroy(solver);
    ss_context_destroy(ctx);
}

/* a random system, and the first contact once more from the other side: the two close in on each other by `closing` */
static void draw_vice(ss_context *ctx, random_system *y, uint64_t seed, double closing)
{
    draw(ctx, y, seed, seed % 2 ? SS_LAW_ASSOCIATED : SS_LAW_ASSOCIATED_POLYHEDRAL, 2);
    int k = y->p.nc++, rows = y->row[1], directions = y->dir[1];
    y->law[0] = y->law[0] == SS_LAW_BOUNDED ? SS_LAW_UNILATERAL : y->law[0];
    y->law[k] = y->law[0];
    y->mu[0] = y->law[0] == SS_LAW_UNILATERAL ? 0 : y->mu[0];
    y->mu[k] = y->mu[0];
    rs_contact_rows(ctx, y, rows, 0, -1);
    y->row[k + 1] = y->row[k] + rows;
    y->dir[k + 1] = y->dir[k] + directions;
    memcpy(y->direction + 2 * y->dir[k], y->direction, 2 * (size_t)directions * sizeof *y->direction);
    memset(y->w + y->row[k], 0, (size_t)rows * sizeof *y->w);
    y->w[0] = y->w[y->row[k]] = -0.5 * closing;
    rs_wire(y);
}

/* whatever else happens in the same island; a few in a hundred are given up, none is solved */
TEST(a_vice_among_innocent_contacts_is_infeasible)
{
    ss_context *ctx = test_context();
    ss_solver *solver = make(ctx, "cone_ipm", 1e-10);
    random_system *y = calloc(1, sizeof *y);
    int count = systems(100, 1000);
    for (double closing = 1; closing > 1e-7; closing *= 1e-2) {
        int found = 0;
        for (int k = 1; k <= count; k++) {
            ss_solver_info info;
            draw_vice(ctx, y, (uint64_t)k, closing);
            CHECK_OK(ctx, ss_solver_solve(solver, &y->p, &y->s, &info));
            CHECK(info.outcome != SS_CONVERGED);
            found += info.outcome == SS_INFEASIBLE;
        }
        CHECK(found >= count - count / 10);
    }
    rs_free(ctx, y);
    free(y);
    ss_solver_destroy(solver);
    ss_context_destroy(ctx);
}

/* ---- form, memory, bits ----------------------------------------------------------------------- */

/* A with a spring between velocities: the blocks are then only a scale */
TEST(a_sparse_symmetric_matrix_is_taken)
{
    ss_context *ctx = test_context();
    ss_solver *solver = make(ctx, "cone_ipm", 1e-12);
    small_problem y;
    ss_solver_info info;
    const double mass[] = { 1 }, rows[] = { 1, 0 };
    sp_open(&y, ctx, 2);
    sp_block(&y, 1, mass, false);
    sp_block(&y, 1, mass, false);
    sp_contact(&y, SS_LAW_UNILATERAL, 0, 1, rows, 0, NULL);
    y.p.A.diagonal = (ss_blockdiag){ 0 }; /* [2 -1; -1 2], blocks 2 and 2 */
    y.M[0] = y.M[1] = 2;
    sp_row(&y, &y.p.A.sparse, (double[]){ 2, -1 });
    sp_row(&y, &y.p.A.sparse, (double[]){ -1, 2 });
    y.b[0] = -3;
    y.b[1] = 1;
    CHECK_OK(ctx, ss_solver_solve(solver, &y.p, &y.s, &info));
    CHECK(info.outcome == SS_CONVERGED);
    CHECK_NEAR(y.v[0], 0, 1e-11); /* v_0 = 0, 2 v_1 = 1, r = -v_1 + 3 */
    CHECK_NEAR(y.v[1], 0.5, 1e-11);
    CHECK_NEAR(y.r[0], 2.5, 1e-11);
    sp_close(&y);
    ss_solver_destroy(solver);
    ss_context_destroy(ctx);
}

/* W and q of a pile as a problem of its own */
TEST(local_form_has_the_certificate_and_the_velocities_of_the_global_one)
{
    ss_context *ctx = test_context();
    ss_solver *solver = make(ctx, "cone_ipm", 1e-11);
    ss_solver_info info;
    packing k;
    ss_kkt *kkt;
    ss_delassus *delassus;
    ss_arena *arena;
    pk_make(ctx, &k, 3, 2, 0.5, SS_LAW_ASSOCIATED);
    for (int i = 0; i < k.p.nv; i++) {
        k.p.b[i] += 0.01 * (i % 5); /* so that something moves */
    }
    int nr = 3 * k.p.nc, *row = pk_take((size_t)nr, sizeof *row);
    double *W = pk_take((size_t)nr * (size_t)nr, sizeof *W), *q = pk_take((size_t)nr, sizeof *q),
           *u = pk_take((size_t)nr, sizeof *u);
    CHECK_OK(ctx, ss_solver_solve(solver, &k.p, &k.s, &info));
    CHECK(info.outcome == SS_CONVERGED);
    memcpy(u, k.s.u, (size_t)nr * sizeof *u);
    CHECK_OK(ctx, ss_kkt_create(ctx, &kkt));
    CHECK_OK(ctx, ss_delassus_create(ctx, &delassus));
    CHECK_OK(ctx, ss_arena_create(ctx, 4096, &arena));
    CHECK_OK(ctx, ss_kkt_factor(kkt, &k.p));
    CHECK_OK(ctx, ss_delassus_prepare(delassus, &k.p, kkt));
    for (int i = 0; i < nr; i++) {
        row[i] = i;
    }
    CHECK_OK(ctx, ss_delassus_block(delassus, arena, nr, row, W, q));
    ss_problem local = k.p;
    local.local = true;
    local.nv = local.nj = 0;
    local.w = q;
    ss_csr_reset(&local.W, nr);
    for (int i = 0; i < nr; i++) {
        for (int j = 0; j < nr; j++) {
            CHECK_OK(ctx, ss_csr_push(ctx, &local.W, j, W[i + nr * j]));
        }
        CHECK_OK(ctx, ss_csr_end_row(ctx, &local.W));
    }
    CHECK_OK(ctx, ss_solver_solve(solver, &local, &k.s, &info));
    CHECK(info.outcome == SS_CONVERGED && info.residual.contact <= 1e-11);
    double largest = 0;
    for (int i = 0; i < nr; i++) {
        CHECK_NEAR(k.s.u[i], u[i], 1e-9);
        largest = fmax(largest, fabs(u[i]));
    }
    CHECK(largest > 1e-3);
    ss_csr_free(ctx, &local.W);
    ss_kkt_destroy(kkt);
    ss_delassus_destroy(delassus);
    ss_arena_destroy(arena);
    free(row);
    free(W);
    free(q);
    free(u);
    pk_free(ctx, &k);
    ss_solver_destroy(solver);
    ss_context_destroy(ctx);
}

/* u = W r + q with W = [2 1.1; 0.9 2] and a third contact that opens: r = W^-1 (1, 1) of the first two */
TEST(a_local_matrix_need_not_be_quite_symmetric)
{
    ss_context *ctx = test_context();
    ss_solver *solver = make(ctx, "cone_ipm", 1e-12);
    small_problem y;
    ss_solver_info info;
    sp_open(&y, ctx, 2);
    y.p.local = true;
    y.p.W.n = y.p.nc = 3;
    for (int k = 0; k < 3; k++) {
        y.law[k] = SS_LAW_UNILATERAL;
        y.row[k + 1] = k + 1;
        y.w[k] = k < 2 ? -1 : 1;
        sp_row(&y, &y.p.W, (double[3][3]){ { 2, 1.1, 0 }, { 0.9, 2, 0 }, { 0, 0, 1 } }[k]);
    }
    CHECK_OK(ctx, ss_solver_solve(solver, &y.p, &y.s, &info));
    CHECK(info.outcome == SS_CONVERGED);
    CHECK_NEAR(y.r[0], 0.9 / 3.01, 1e-11);
    CHECK_NEAR(y.r[1], 1.1 / 3.01, 1e-11);
    CHECK_NEAR(y.r[2], 0, 1e-11);
    CHECK_NEAR(y.u[2], 1, 1e-11);
    sp_close(&y);
    ss_solver_destroy(solver);
    ss_context_destroy(ctx);
}

/* a piece that is hit hard beside one that is touched gently: each has its own unit, in the solver as in the certificate */
TEST(islands_of_very_different_size_are_solved_together)
{
    ss_context *ctx = test_context();
    ss_solver *solver = make(ctx, "cone_ipm", 1e-10);
    small_problem y;
    ss_solver_info info;
    const double mass[] = { 1e6, 1e6, 1e6 }, light[] = { 1e-6, 1e-6, 1e-6 },
                 rows[18] = { 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1 };
    const double other[18] = { 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1 }, v[6] = { -1e3, 1e3, 0, -1e-6, 3e-6, 4e-6 };
    sp_open(&y, ctx, 3);
    sp_block(&y, 3, mass, false);
    sp_block(&y, 3, light, false);
    sp_contact(&y, SS_LAW_ASSOCIATED, 0.5, 3, rows, 0, NULL);
    sp_contact(&y, SS_LAW_ASSOCIATED, 0.5, 3, other, 0, NULL);
    sp_motion(&y, v, NULL);
    CHECK_OK(ctx, ss_solver_solve(solver, &y.p, &y.s, &info));
    CHECK(info.outcome == SS_CONVERGED && info.iterations <= 20);
    double along = (5e-6 - 0.5e-6) / 1.25; /* as above */
    CHECK_NEAR(y.v[3], 0.5 * along, 1e-14);
    CHECK_NEAR(y.v[4], 0.6 * along, 1e-14);
    sp_close(&y);
    ss_solver_destroy(solver);
    ss_context_destroy(ctx);
}

/* after one solve of a size nothing is taken from the context; what MUMPS takes comes from malloc */
TEST(a_size_seen_before_takes_no_memory)
{
    for (int n = 4; n <= 7; n += 3) { /* by ldl.c, by MUMPS */
        ss_context *ctx = test_context();
        ss_solver *solver = make_limited(ctx, "cone_ipm", 1e-10, 4);
        ss_solver_info info;
        packing k;
        pk_make(ctx, &k, n, n - 1, 0.5, SS_LAW_ASSOCIATED);
        for (int i = 0; i < 2; i++) {
            CHECK_OK(ctx, ss_solver_solve(solver, &k.p, &k.s, &info));
        }
        uint64_t before = ss_context_allocations(ctx);
        k.p.w[0] = 1e-3; /* another problem of the same size */
        CHECK_OK(ctx, ss_solver_solve(solver, &k.p, &k.s, &info));
        CHECK(info.iterations == 4 && info.outcome == SS_MAX_ITER);
        CHECK(ss_context_allocations(ctx) == before);
        pk_free(ctx, &k);
        ss_solver_destroy(solver);
        ss_context_destroy(ctx);
    }
}

static void check_bits(int n, int layers)
{
    ss_context *ctx = test_context();
    packing k;
    pk_make(ctx, &k, n, layers, 0.5, SS_LAW_ASSOCIATED);
    size_t bytes = 3 * (size_t)k.p.nc * sizeof(double);
    double *r = pk_take(3 * (size_t)k.p.nc, sizeof *r);
    for (int again = 0; again < 4; again++) {
        ss_solver *solver = make_limited(ctx, "cone_ipm", 1e-10, 5);
        ss_solver_info info;
        ss_context_set_threads(ctx, 1 + again % 2);
        CHECK_OK(ctx, ss_solver_solve(solver, &k.p, &k.s, &info));
        if (again == 0) {
            memcpy(r, k.s.r, bytes);
        }
        CHECK(memcmp(r, k.s.r, bytes) == 0);
        ss_solver_destroy(solver);
    }
    free(r);
    pk_free(ctx, &k);
    ss_context_destroy(ctx);
}

TEST(the_same_problem_gives_the_same_bits_for_any_number_of_threads)
{
    check_bits(4, 3);
    check_bits(7, 6);
}

/* an allocator that refuses the n-th request and all that follow */
static void *miserly(void *user, void *p, size_t size)
{
    int *left = user;
    if (size == 0) {
        free(p);
        return NULL;
    }
    return (*left)-- > 0 ? realloc(p, size) : NULL;
}

/* Whatever does not fit is a breakdown of the solve, so that another solver can have its turn; memory is given back for it */
TEST(running_out_of_memory_in_a_solve_is_a_breakdown)
{
    ss_context *plain = test_context();
    packing k;
    int breakdowns = 0;
    bool done = false;
    pk_make(plain, &k, 3, 2, 0.5, SS_LAW_ASSOCIATED);
    for (int n = 1; !done; n++) {
        int left = n;
        ss_context_options options = ss_context_options_default();
        options.allocator = (ss_allocator){ .resize = miserly, .user = &left };
        ss_solver_options solver_options = ss_solver_options_default();
        solver_options.name = "cone_ipm";
        ss_context *ctx;
        ss_solver *solver = NULL;
        ss_solver_info info = { .outcome = SS_MAX_ITER };
        if (ss_context_create(&options, &ctx) != SS_OK) {
            continue;
        }
        ss_status status = ss_solver_create(ctx, &solver_options, &solver);
        CHECK(status == SS_OK || status == SS_ERR_MEMORY);
        if (status == SS_OK) {
            CHECK_OK(ctx, ss_solver_solve(solver, &k.p, &k.s, &info));
            done = info.outcome == SS_CONVERGED;
            breakdowns += info.outcome == SS_BREAKDOWN;
            CHECK(done || (info.outcome == SS_BREAKDOWN && info.starved));
        }
        CHECK(n < 1000);
        ss_solver_destroy(solver);
        ss_context_destroy(ctx);
    }
    CHECK(breakdowns > 0);
    pk_free(plain, &k);
    ss_context_destroy(plain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_systems_of_every_convex_law_are_certified_in_few_iterations),
        cmocka_unit_test(a_pivot_lost_to_round_off_is_no_breakdown),
        cmocka_unit_test(a_warm_start_from_the_answer_is_nearly_free_and_from_anything_else_does_no_harm),
        cmocka_unit_test(velocities_are_those_of_nsgs),
        cmocka_unit_test(polygonal_cones_have_the_velocities_that_lemke_finds_for_their_facets),
        cmocka_unit_test(a_hyperstatic_pile_of_spheres_rests_to_1e_10_and_to_1e_12),
        cmocka_unit_test(a_pile_with_a_large_matrix_rests_as_well),
        cmocka_unit_test(duplicated_contacts_do_not_change_the_velocity),
        cmocka_unit_test(a_sliding_particle_is_lifted_as_the_associated_law_says),
        cmocka_unit_test(bounded_rows_give_what_their_bound_allows),
        cmocka_unit_test(a_contact_that_no_velocity_obeys_is_reported_as_infeasible),
        cmocka_unit_test(contradicting_walls_and_joints_are_infeasible),
        cmocka_unit_test(wedges_are_neither_called_infeasible_nor_solved_with_wrong_velocities),
        cmocka_unit_test(a_vice_among_innocent_contacts_is_infeasible),
        cmocka_unit_test(a_sparse_symmetric_matrix_is_taken),
        cmocka_unit_test(local_form_has_the_certificate_and_the_velocities_of_the_global_one),
        cmocka_unit_test(a_local_matrix_need_not_be_quite_symmetric),
        cmocka_unit_test(islands_of_very_different_size_are_solved_together),
        cmocka_unit_test(a_size_seen_before_takes_no_memory),
        cmocka_unit_test(the_same_problem_gives_the_same_bits_for_any_number_of_threads),
        cmocka_unit_test(running_out_of_memory_in_a_solve_is_a_breakdown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
