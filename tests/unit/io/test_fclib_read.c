/* test_fclib_read.c - contact problems out of FCLIB files: what was written comes back to the bit, and the three forms of a
 * matrix are one matrix. */
#include "foreign_fclib.h"
#include "io/fclib.h"
#include "math/csr.h"

/* ---- a problem of every kind ------------------------------------------------------------------- */

enum { MOST = 512 };

/* three bodies of 3, 2 and 1 velocities; contacts with every law that the format can hold; one joint row */
typedef struct example {
    int offset[3], size[3], start[3], row[6], dir[6];
    unsigned law[5];
    double mass[14], b[6], c[1], v_old[6], w[MOST], mu[5], direction[16], v[6], lam[1], r[MOST], u[MOST];
    ss_csr A, G, H, W;
    ss_problem p;
    ss_solution s;
} example;

static double next(uint64_t *state) { return 2 * ss_random_uniform(state) - 1; }

static void fill(ss_context *ctx, ss_csr *A, int m, int n, uint64_t *state)
{
    ss_csr_reset(A, n);
    for (int i = 0; i < m; i++) {
        for (int j = n - 1; j >= 0; j--) { /* columns in no particular order */
            if (ss_random_uniform(state) < 0.7) {
                CHECK_OK(ctx, ss_csr_push(ctx, A, j, next(state)));
            }
        }
        CHECK_OK(ctx, ss_csr_end_row(ctx, A));
    }
}

static void numbers(double *x, int n, uint64_t *state)
{
    for (int k = 0; k < n; k++) {
        x[k] = next(state);
    }
}

static void lay_out_contacts(example *x, int dimension)
{
    const unsigned law[5] = { SS_LAW_COULOMB, SS_LAW_UNILATERAL, SS_LAW_POLYHEDRAL, SS_LAW_ASSOCIATED,
                              SS_LAW_ASSOCIATED_POLYHEDRAL };
    const double cross[8] = { 1, 0, 0, 1, -1, 0, 0, -1 }, line[4] = { 1, 0, -1, 0 };
    for (int k = 0; k < 5; k++) {
        bool polygon = law[k] == SS_LAW_POLYHEDRAL || law[k] == SS_LAW_ASSOCIATED_POLYHEDRAL;
        int directions = !polygon ? 0 : dimension == 3 ? 4 : 2;
        x->law[k] = law[k];
        x->mu[k] = law[k] == SS_LAW_UNILATERAL ? 0 : 0.1 * k;
        x->row[k + 1] = x->row[k] + (law[k] == SS_LAW_UNILATERAL ? 1 : dimension);
        memcpy(x->direction + 2 * x->dir[k], dimension == 3 ? cross : line, (size_t)(2 * directions) * sizeof(double));
        x->dir[k + 1] = x->dir[k] + directions;
    }
}

static void build(ss_context *ctx, example *x, ss_fclib_form form, int dimension, uint64_t seed)
{
    static const int sizes[3] = { 3, 2, 1 };
    uint64_t state = seed;
    *x = (example){ 0 };
    lay_out_contacts(x, dimension);
    int nr = x->row[5], nv = 6;
    for (int k = 0; k < 3; k++) {
        x->size[k] = sizes[k];
        x->offset[k] = k > 0 ? x->offset[k - 1] + sizes[k - 1] : 0;
        x->start[k] = k > 0 ? x->start[k - 1] + sizes[k - 1] * sizes[k - 1] : 0;
    }
    numbers(x->mass, 14, &state);
    numbers(x->b, 6, &state);
    numbers(x->v_old, 6, &state);
    numbers(x->w, nr, &state);
    numbers(x->v, 6, &state);
    numbers(x->r, nr, &state);
    numbers(x->u, nr, &state);
    x->c[0] = next(&state);
    fill(ctx, &x->A, nv, nv, &state);
    fill(ctx, &x->G, 1, nv, &state);
    fill(ctx, &x->H, nr, nv, &state);
    fill(ctx, &x->W, nr, nr, &state);
    x->p = ss_problem_make(dimension);
    x->p.nj = 1;
    x->p.nc = 5;
    ss_problem_set_blocks(&x->p, &(ss_blockdiag){ 3, nv, x->offset, x->size, x->start, x->mass, NULL });
    if (form == SS_FCLIB_SYMMETRIC || form == SS_FCLIB_GENERAL) {
        x->p.A = (ss_matrix){ .sparse = x->A, .symmetric = form == SS_FCLIB_SYMMETRIC };
    }
    x->p.G = x->G;
    x->p.H = x->H;
    x->p.b = x->b;
    x->p.c = x->c;
    x->p.w = x->w;
    x->p.v_old = x->v_old;
    x->p.row = x->row;
    x->p.law = x->law;
    x->p.mu = x->mu;
    x->p.dir = x->dir;
    x->p.direction = x->direction;
    x->s = (ss_solution){ .v = x->v, .lam = x->lam, .r = x->r, .u = x->u };
    if (form == SS_FCLIB_LOCAL) {
        x->p.local = true;
        x->p.A = (ss_matrix){ 0 };
        x->p.nv = x->p.nj = 0;
        x->p.W = x->W;
    }
}

static void release(ss_context *ctx, example *x)
{
    ss_csr_free(ctx, &x->A);
    ss_csr_free(ctx, &x->G);
    ss_csr_free(ctx, &x->H);
    ss_csr_free(ctx, &x->W);
}

/* ---- comparisons ------------------------------------------------------------------------------- */

#define SAME(a, b, n) CHECK((n) == 0 || memcmp((a), (b), (size_t)(n) * sizeof *(a)) == 0)

static void same_matrix(const ss_csr *a, const ss_csr *b)
{
    CHECK(a->m == b->m && a->n == b->n);
    SAME(a->p, b->p, a->m + 1);
    SAME(a->i, b->i, a->p[a->m]);
    SAME(a->x, b->x, a->p[a->m]);
}

static void same_contacts(const ss_problem *a, const ss_problem *b)
{
    CHECK(a->nc == b->nc && a->dimension == b->dimension && a->local == b->local && a->A.symmetric == b->A.symmetric &&
          a->nv == b->nv && a->nj == b->nj);
    SAME(a->row, b->row, a->nc + 1);
    SAME(a->law, b->law, a->nc);
    SAME(a->mu, b->mu, a->nc);
    SAME(a->dir, b->dir, a->nc + 1);
    SAME(a->direction, b->direction, 2 * a->dir[a->nc]);
    SAME(a->w, b->w, a->row[a->nc]);
}

static void same_problem(const ss_problem *a, const ss_problem *b)
{
    same_contacts(a, b);
    if (a->local) {
        same_matrix(&a->W, &b->W);
        return;
    }
    same_matrix(&a->H, &b->H);
    same_matrix(&a->G, &b->G);
    if (a->A.sparse.m > 0) {
        same_matrix(&a->A.sparse, &b->A.sparse);
    }
    CHECK(a->scale.blocks == b->scale.blocks && a->scale.n == b->scale.n);
    SAME(a->scale.size, b->scale.size, a->scale.blocks);
    SAME(a->scale.offset, b->scale.offset, a->scale.blocks);
    SAME(a->scale.start, b->scale.start, a->scale.blocks);
    SAME(a->scale.x, b->scale.x, 14);
    SAME(a->b, b->b, a->nv);
    SAME(a->c, b->c, a->nj);
    SAME(a->v_old, b->v_old, a->nv);
}

TEST(what_was_written_is_read_back_to_the_bit)
{
    ss_context *ctx = test_context();
    char path[64];
    temporary(path, sizeof path);
    for (int k = 0; k < 8; k++) {
        example x;
        ss_problem_file *file = NULL;
        build(ctx, &x, (ss_fclib_form)(k / 2), 2 + k % 2, 17 + (uint64_t)k);
        CHECK_OK(ctx, ss_problem_write(ctx, &x.p, &x.s, path));
        CHECK_OK(ctx, ss_problem_read(ctx, path, &file));
        same_problem(&x.p, ss_problem_file_problem(file));
        const ss_solution *s = ss_problem_file_solution(file);
        SAME(x.s.r, s->r, x.row[5]);
        SAME(x.s.u, s->u, x.row[5]);
        SAME(x.s.v, s->v, x.p.nv);
        ss_problem_file_destroy(file);
        release(ctx, &x);
    }
    remove(path);
    ss_context_destroy(ctx);
}

TEST(a_law_can_be_set_for_every_contact_with_friction)
{
    ss_context *ctx = test_context();
    example x;
    ss_problem_file *file = NULL;
    char path[64];
    temporary(path, sizeof path);
    for (int dimension = 2; dimension <= 3; dimension++) {
        build(ctx, &x, SS_FCLIB_LOCAL, dimension, 3);
        CHECK_OK(ctx, ss_problem_write(ctx, &x.p, NULL, path));
        CHECK_OK(ctx, ss_problem_read(ctx, path, &file));
        const ss_problem *p = ss_problem_file_problem(file);
        CHECK(!ss_problem_file_solution(file));
        CHECK_OK(ctx, ss_problem_file_set_law(file, SS_LAW_ASSOCIATED));
        CHECK(p->law[0] == SS_LAW_ASSOCIATED && p->law[1] == SS_LAW_UNILATERAL && p->law[2] == SS_LAW_ASSOCIATED);
        CHECK_FAILS(ctx, ss_problem_file_set_law(file, SS_LAW_BOUNDED), SS_ERR_INPUT, "law 16: expected coulomb");
        CHECK((ss_problem_file_set_law(file, SS_LAW_POLYHEDRAL) == SS_OK) == (dimension == 2));
        CHECK_OK(ctx, ss_problem_check(ctx, p));
        ss_problem_file_destroy(file);
        release(ctx, &x);
    }
    remove(path);
    ss_context_destroy(ctx);
}

/* ---- files of others --------------------------------------------------------------------------- */

static ss_problem_file *read_foreign(ss_context *ctx, const foreign *x)
{
    char path[64];
    ss_problem_file *file = NULL;
    temporary(path, sizeof path);
    write_foreign(path, x);
    CHECK_OK(ctx, ss_problem_read(ctx, path, &file));
    remove(path);
    return file;
}

TEST(rows_columns_and_triplets_are_the_same_matrix)
{
    ss_context *ctx = test_context();
    const int columns_i[] = { 0, 1, 0, 1 }, rows[] = { 1, 0, 1, 0, 0, 7 }, columns[] = { 1, 0, 0, 1, 0, 9 };
    const double columns_x[] = { 2, 3, 1, 4 }, triplets_x[] = { 4, 0.5, 3, 1, 1.5, 99 };
    const matrix form[] = { { 2, 2, -2, 3, 4, two_p, two_i, two_x },
                            { 2, 2, -1, 3, 4, two_p, columns_i, columns_x },
                            { 2, 2, 5, 6, 6, columns, rows, triplets_x } }; /* twice at (0, 0); room for more than are used */
    for (int k = 0; k < 3; k++) {
        foreign x = local();
        x.W = form[k];
        ss_problem_file *file = read_foreign(ctx, &x);
        const ss_problem *p = ss_problem_file_problem(file);
        CHECK(p->local && p->nc == 1 && p->dimension == 2 && p->law[0] == SS_LAW_COULOMB && p->mu[0] == 0.5);
        SAME(p->W.p, two_p, 3);
        SAME(p->W.i, two_i, 4);
        SAME(p->W.x, two_x, 4);
        CHECK(p->w[0] == -1 && p->w[1] == 0.25);
        ss_problem_file_destroy(file);
    }
    ss_context_destroy(ctx);
}

/* M = [2 1; 1 4] or [2 1; 3 4], H = [5 0; 6 7] of the file, G = (8, 9)' */
static foreign global(const double *mass)
{
    static const int g_p[] = { 0, 2 };
    static const double h_x[] = { 5, 0, 6, 7 }, g_x[] = { 8, 9 };
    foreign x = { .root = "fclib_global",
                  .dimension = 2,
                  .contacts = 1,
                  .rows = 2,
                  .M = { 2, 2, -2, 3, 4, two_p, two_i, mass },
                  .H = { 2, 2, -2, 3, 4, two_p, two_i, h_x },
                  .G = { 2, 1, -1, 2, 2, g_p, two_i, g_x },
                  .mu = { 0 },
                  .q = { -1, 0.25 },
                  .f = { 10, 11 } };
    return x;
}

TEST(a_global_problem_is_transposed_and_changes_the_sign_of_its_equalities)
{
    ss_context *ctx = test_context();
    const double symmetric[] = { 2, 1, 1, 4 };
    const double h[] = { 5, 6, 0, 7 };
    foreign x = global(symmetric);
    ss_problem_file *file = read_foreign(ctx, &x);
    const ss_problem *p = ss_problem_file_problem(file);
    CHECK(p->A.sparse.m == 0 && p->scale.blocks == 1 && p->scale.size[0] == 2 && p->nv == 2 && p->nj == 1);
    SAME(p->scale.x, symmetric, 4);
    SAME(p->H.x, h, 4);
    CHECK(p->H.m == 2 && p->G.m == 1 && p->G.x[0] == 8 && p->G.x[1] == 9 && p->c[0] == -10 && p->b[1] == 11);
    CHECK(p->law[0] == SS_LAW_COULOMB && p->mu[0] == 0);
    ss_problem_file_destroy(file);
    ss_context_destroy(ctx);
}

/* rows N, T1, T2, R1, R2 of each contact: R1, R2 are a contact of the law rolling behind it */
TEST(rolling_friction_is_a_moment_behind_each_contact)
{
    static const int p[] = { 0, 1, 2, 3, 4, 5 }, i[] = { 0, 1, 2, 3, 4 };
    static const double x[] = { 1, 2, 3, 4, 5 };
    const foreign y = { .root = "fclib_local_rolling",
                        .dimension = 5,
                        .contacts = 1,
                        .rows = 5,
                        .W = { 5, 5, -2, 6, 5, p, i, x },
                        .mu = { 0.5 },
                        .q = { -1, 0, 0, 0.1, 2 },
                        .rolling = true,
                        .mu_r = { 0.25 } };
    ss_context *ctx = test_context();
    ss_problem_file *file = NULL;
    char path[64];
    temporary(path, sizeof path);
    write_foreign(path, &y);
    CHECK_OK(ctx, ss_problem_read(ctx, path, &file));
    const ss_problem *q = ss_problem_file_problem(file);
    CHECK(q->local && q->dimension == 3 && q->nc == 2 && q->row[1] == 3 && q->row[2] == 5);
    CHECK(q->law[0] == SS_LAW_COULOMB && q->law[1] == SS_LAW_ROLLING && q->host[1] == 0);
    CHECK(q->mu[0] == 0.5 && q->mu[1] == 0.25 && q->w[3] == 0.1 && q->w[4] == 2);
    ss_solver *solver;
    ss_solver_info info;
    double r[5], u[5];
    uint64_t basis[2];
    ss_solution s = { .r = r, .u = u, .basis = basis };
    CHECK_OK(ctx, ss_solver_create(ctx, NULL, &solver));
    CHECK_OK(ctx, ss_solver_solve(solver, q, &s, &info));
    CHECK(info.outcome == SS_CONVERGED);
    CHECK_NEAR(r[0], 1, 1e-10); /* |m| <= 0.25: W m = -q would be (-0.025, -0.4) */
    CHECK_NEAR(hypot(r[3], r[4]), 0.25, 1e-9);
    CHECK_NEAR(u[3] * r[4] - u[4] * r[3], 0, 1e-9);
    ss_solver_destroy(solver);
    ss_problem_file_destroy(file);
    ss_context_destroy(ctx);
    remove(path);
}

TEST(a_matrix_that_is_not_symmetric_is_general_and_scaled_by_its_symmetric_part)
{
    ss_context *ctx = test_context();
    const double scale[] = { 2, 2, 2, 4 };
    foreign x = global(two_x);
    ss_problem_file *file = read_foreign(ctx, &x);
    const ss_problem *p = ss_problem_file_problem(file);
    CHECK(!p->A.symmetric && p->A.sparse.m == 2 && p->scale.blocks == 1);
    SAME(p->A.sparse.x, two_x, 4);
    SAME(p->scale.x, scale, 4);
    ss_problem_file_destroy(file);
    ss_context_destroy(ctx);
}

/* ---- what is refused --------------------------------------------------------------------------- */

TEST(memory_that_runs_out_is_an_error_and_leaves_nothing_behind)
{
    char path[64];
    foreign x = local();
    temporary(path, sizeof path);
    write_foreign(path, &x);
    bool done = false;
    for (int n = 1; n < 200 && !done; n++) {
        failing f;
        ss_context *ctx = failing_context(&f, n);
        ss_problem_file *file = NULL;
        if (ctx) {
            ss_status status = ss_problem_read(ctx, path, &file);
            CHECK(status == SS_OK || status == SS_ERR_MEMORY);
            done = status == SS_OK;
            ss_problem_file_destroy(file);
            ss_context_destroy(ctx);
        }
        CHECK(f.held == 0);
    }
    CHECK(done);
    remove(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_written_is_read_back_to_the_bit),
        cmocka_unit_test(a_law_can_be_set_for_every_contact_with_friction),
        cmocka_unit_test(rows_columns_and_triplets_are_the_same_matrix),
        cmocka_unit_test(a_global_problem_is_transposed_and_changes_the_sign_of_its_equalities),
        cmocka_unit_test(rolling_friction_is_a_moment_behind_each_contact),
        cmocka_unit_test(a_matrix_that_is_not_symmetric_is_general_and_scaled_by_its_symmetric_part),
        cmocka_unit_test(memory_that_runs_out_is_an_error_and_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, quiet, NULL);
}
