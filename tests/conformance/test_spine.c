/* The spine test: a scheme that the library has never heard of, with everything a later scheme may want,
 * runs through the driver with no change outside this file.
 *
 *   M (v' - v) = h (g M - B v' - c |v'| v' - s) + H' r,   s' = s + h (v' - s)/tau     [private state: s]
 *   0 <= H v'  _|_  r >= 0,   H v = mean height velocity of all five particles       [a row on five blocks]
 *
 * implicit in v' by two Newton iterations, each a one-step problem with the unsymmetric A = M + h (B + J);
 * the step is cut where the mean height reaches zero (event, on the Hermite path of a trial step). */
#include "test.h"

#include "events/events.h"
#include "kernels/stepper.h"
#include "sim/sim.h"
#include <hdf5.h>
#include <unistd.h>

enum { BODIES = 5, NV = 2 * BODIES };
static const double tau = 0.5, drag = 1e-5;

typedef struct spine_work {
    ss_problem p;
    double b[NV], w[1], mu[1], lam[1], r[1], u[1], v[NV], linear_drag[NV], gravity[NV], scheme[NV];
    int row[2], dir[2];
    unsigned law[1];
    uint64_t basis[1];
    ss_solution s;
    ss_solver_info info;
} spine_work;

/* B: damping plus an unsymmetric coupling of neighbours */
static double coupling(int i, int j) { return i == j ? 0.3 : j == (i + 1) % NV ? 0.2 : j == (i + 3) % NV ? -0.1 : 0; }

static double mean_height(const double *q)
{
    double sum = 0;
    for (int b = 0; b < BODIES; b++) {
        sum += q[2 * b + 1];
    }
    return sum / BODIES;
}

/* force of drag at v: B v + c |v|^2 v componentwise, and its derivative */
static double drag_force(const double *v, int i)
{
    double f = drag * v[i] * v[i] * v[i];
    for (int j = 0; j < NV; j++) {
        f += coupling(i, j) * v[j];
    }
    return f;
}

/* A = M + h (B + 3 c v*^2), and the drag linearised at v*: f(v) ~ linear_drag + (A - M)/h v */
static ss_status linearise(ss_stepper *s, spine_work *x, double h, const double *at)
{
    ss_csr_reset(&x->p.A.sparse, NV);
    for (int i = 0; i < NV; i++) {
        x->linear_drag[i] = drag_force(at, i);
        for (int j = 0; j < NV; j++) {
            double J = coupling(i, j) + (i == j ? 3 * drag * at[i] * at[i] : 0),
                   m = i == j ? s->model->mass.diagonal.x[i / 2 * 4] : 0;
            x->linear_drag[i] -= J * at[j];
            if (J != 0 || m != 0) {
                SS_TRY(ss_csr_push(s->ctx, &x->p.A.sparse, j, m + h * J));
            }
        }
        SS_TRY(ss_csr_end_row(s->ctx, &x->p.A.sparse));
    }
    return SS_OK;
}

static ss_status five_block_row(ss_stepper *s, spine_work *x)
{
    for (int b = 0; b < BODIES; b++) {
        SS_TRY(ss_csr_push(s->ctx, &x->p.H, 2 * b + 1, 1.0 / BODIES));
    }
    return ss_csr_end_row(s->ctx, &x->p.H);
}

/* one implicit step of length h from (q, v), contact row on or off; result in x->v */
static ss_status newton_step(ss_stepper *s, spine_work *x, double h, const double *q, const double *v, const double *state,
                             bool contact)
{
    (void)q;
    double at[NV];
    memcpy(at, v, sizeof at);
    ss_csr_reset(&x->p.H, NV);
    if (contact) {
        SS_TRY(five_block_row(s, x));
    }
    x->p.nc = contact;
    x->p.v_old = v;
    x->w[0] = 0;
    for (int iteration = 0; iteration < 2; iteration++) {
        SS_TRY(linearise(s, x, h, at));
        for (int i = 0; i < NV; i++) {
            double m = s->model->mass.diagonal.x[i / 2 * 4];
            x->gravity[i] = i % 2 ? h * m * s->model->gravity.y : 0;
            x->b[i] = m * v[i] + x->gravity[i] - h * (x->linear_drag[i] + state[i]);
        }
        x->s.warm = false;
        SS_TRY(ss_solver_solve(s->solver, &x->p, &x->s, &x->info));
        s->report->count(s->report, &x->info);
        memcpy(at, x->v, sizeof at);
    }
    /* what drag and private force did, from their own formula at the solution */
    for (int i = 0; i < NV; i++) {
        double linear = x->linear_drag[i];
        for (int k = x->p.A.sparse.p[i]; k < x->p.A.sparse.p[i + 1]; k++) {
            int j = x->p.A.sparse.i[k];
            double m = i == j ? s->model->mass.diagonal.x[i / 2 * 4] : 0;
            linear += (x->p.A.sparse.x[k] - m) / h * x->v[j];
        }
        x->scheme[i] = -h * (linear + state[i]);
    }
    return SS_OK;
}

/* how far the linearised drag is from the true one, relative to the momentum that moves */
static double newton_error(const spine_work *x, double h)
{
    double worst = 0, scale = 0;
    for (int i = 0; i < NV; i++) {
        double linear = x->linear_drag[i], m = x->p.scale.x[i / 2 * 4];
        for (int k = x->p.A.sparse.p[i]; k < x->p.A.sparse.p[i + 1]; k++) {
            linear += (x->p.A.sparse.x[k] - (x->p.A.sparse.i[k] == i ? m : 0)) / h * x->v[x->p.A.sparse.i[k]];
        }
        worst = fmax(worst, h * fabs(drag_force(x->v, i) - linear));
        scale = fmax(scale, fabs(m * x->v[i]) + fabs(x->b[i]));
    }
    return worst / scale;
}

typedef struct path {
    const ss_model *m;
    const double *q0, *v0, *q1, *v1;
    double h;
} path;

static ss_status height_on_path(void *user, double s, int count, const int *which, double *g)
{
    const path *p = user;
    double scratch[2 * NV], q[NV], v[NV];
    (void)which;
    ss_hermite(p->m, p->q0, p->v0, p->q1, p->v1, p->h, s, scratch, q, v);
    for (int k = 0; k < count; k++) {
        g[k] = mean_height(q);
    }
    return SS_OK;
}

/* trial step; its length until the mean height vanishes */
static ss_status time_of_landing(ss_stepper *s, spine_work *x, double h, const double *q, const double *v, const double *state,
                                 double *length)
{
    double q1[NV], v1[NV], start = mean_height(q), armed = 1e-12;
    SS_TRY(newton_step(s, x, h, q, v, state, false));
    memcpy(v1, x->v, sizeof v1);
    ss_model_retract(s->model, q, v1, h, q1);
    path p = { s->model, q, v, q1, v1, h };
    ss_event_search search = { .eval = height_on_path,
                               .user = &p,
                               .count = 1,
                               .start = &start,
                               .armed = &armed,
                               .length = h,
                               .tol = 1e-14,
                               .accept = 1e-14 };
    ss_event_found found;
    SS_TRY(ss_events_first(s->arena, &search, &found));
    *length = found.found ? found.s : h;
    return SS_OK;
}

static ss_status substep(ss_stepper *s, spine_work *x, double h, double t, double *q, double *v, double *state, bool contact)
{
    double q0[NV], v0[NV];
    memcpy(q0, q, sizeof q0);
    memcpy(v0, v, sizeof v0);
    SS_TRY(newton_step(s, x, h, q0, v0, state, contact));
    memcpy(v, x->v, sizeof v0);
    ss_model_retract(s->model, q0, v, h, q);
    for (int i = 0; i < NV; i++) {
        state[i] += h * (v[i] - state[i]) / tau;
    }
    /* .contacts stays NULL: the row belongs to no contact of the model, the certificate and the ledger need none */
    ss_segment segment = { .from = { .t = t, .q = q0, .v = v0 },
                           .to = { .t = t + h, .q = q, .v = v },
                           .mass = &s->model->mass,
                           .problem = &x->p,
                           .solution = &x->s,
                           .info = &x->info,
                           .nonlinear = newton_error(x, h) };
    segment.impulse[SS_IMPULSE_GRAVITY] = x->gravity;
    segment.impulse[SS_IMPULSE_APPLIED] = x->scheme;
    return s->report->segment(s->report, &segment);
}

static ss_status spine_step(ss_stepper *s, double h)
{
    spine_work *x = s->work;
    double *q = s->next->q, *v = s->next->v, *state = s->next->scheme_state, first = h;
    bool landed = state[NV] > 0;
    if (!landed) {
        SS_TRY(time_of_landing(s, x, h, q, v, state, &first));
    }
    SS_TRY(substep(s, x, first, s->now->t, q, v, state, landed));
    if (first < h) {
        ss_event event = { .t = s->now->t + first, .kind = SS_EVENT_IMPACT, .bodies = { -1, -1 } };
        SS_TRY(s->report->event(s->report, &event));
        state[NV] = 1;
        SS_TRY(substep(s, x, h - first, s->now->t + first, q, v, state, true));
    }
    s->next->t = s->now->t + h;
    return SS_OK;
}

static int spine_state_size(const ss_model *m, const void *params)
{
    (void)params;
    return m->nv + 1;
}

static ss_status spine_create(ss_stepper *s, void **work, double *scheme_state)
{
    spine_work *x;
    SS_TRY(ss_calloc(s->ctx, 1, sizeof *x, &x));
    *work = x;
    for (int i = 0; i < NV; i++) {
        scheme_state[i] = 0.01 * i;
    }
    x->p = ss_problem_make(2);
    x->p.nv = NV;
    x->p.scale = s->model->mass.diagonal;
    x->p.b = x->b;
    x->p.w = x->w;
    x->p.row = x->row;
    x->p.law = x->law;
    x->p.mu = x->mu;
    x->p.dir = x->dir;
    x->row[1] = 1;
    x->law[0] = SS_LAW_UNILATERAL;
    x->s = (ss_solution){ .v = x->v, .lam = x->lam, .r = x->r, .u = x->u, .basis = x->basis };
    return SS_OK;
}

static void spine_destroy(ss_context *ctx, void *work)
{
    spine_work *x = work;
    if (x) {
        ss_csr_free(ctx, &x->p.A.sparse);
        ss_csr_free(ctx, &x->p.H);
        ss_free(ctx, x);
    }
}

static const ss_scheme_type spine_scheme = {
    .info = { .name = "spine", .title = "test only", .reference = "none", .laws = SS_LAW_UNILATERAL },
    .scheme_state_size = spine_state_size,
    .create = spine_create,
    .destroy = spine_destroy,
    .step = spine_step,
};

/* ---- the tests -------------------------------------------------------------------------------- */

static ss_model *five_particles(ss_context *ctx)
{
    ss_scene_settings settings = ss_scene_settings_default();
    settings.dimension = 2;
    settings.gravity[1] = -9.81;
    settings.step = 0.01;
    ss_scene *scene = NULL;
    ss_model *model = NULL;
    CHECK_OK(ctx, ss_scene_create(ctx, &settings, &scene));
    for (int b = 0; b < BODIES; b++) {
        char name[8] = { 'p', (char)('0' + b), 0 };
        ss_body_desc body = ss_body_desc_default();
        body.name = name;
        body.type = SS_BODY_PARTICLE;
        body.mass = 1 + b;
        body.position[0] = b;
        body.position[1] = 0.2 + 0.1 * b;
        body.velocity[0] = 0.3 * b;
        CHECK_OK(ctx, ss_scene_add_body(scene, &body, NULL));
    }
    CHECK_OK(ctx, ss_model_compile(ctx, scene, &model));
    ss_scene_destroy(scene);
    return model;
}

static ss_sim *spine_sim(ss_context *ctx, const ss_model *model)
{
    ss_sim *sim = NULL;
    CHECK_OK(ctx, ss_sim_create_with(ctx, model, &spine_scheme, NULL, &sim));
    return sim;
}

TEST(a_scheme_of_its_own_file_runs_lands_and_is_certified)
{
    ss_context *ctx = test_context();
    ss_model *model = five_particles(ctx);
    ss_sim *sim = spine_sim(ctx, model);
    CHECK_OK(ctx, ss_sim_advance(sim, 1));
    const ss_summary *sum = ss_sim_summary(sim);
    CHECK(sum->steps == 100 && sum->unconverged_steps == 0);
    CHECK(sum->events == 1);
    CHECK_NEAR(mean_height(ss_sim_q(sim)), 0, 9.81 * 1e-4); /* landed: the path and the step differ by O(g h^2) */
    CHECK(sum->max_residual <= 1e-10);
    ss_sim_destroy(sim);
    ss_model_destroy(model);
    ss_context_destroy(ctx);
}

TEST(its_ledger_balances)
{
    ss_context *ctx = test_context();
    ss_model *model = five_particles(ctx);
    ss_sim *sim = spine_sim(ctx, model);
    double before = ss_sim_last_step(sim)->kinetic;
    CHECK_OK(ctx, ss_sim_advance(sim, 1));
    const ss_ledger *l = ss_sim_ledger(sim);
    CHECK(l->closure < 1e-13); /* round-off of one step */
    CHECK_NEAR(ss_ledger_sum(l), ss_sim_last_step(sim)->kinetic - before, 1e-11);
    CHECK(l->applied < 0 && l->contact_normal < 0 && l->gravity > 0);
    ss_sim_destroy(sim);
    ss_model_destroy(model);
    ss_context_destroy(ctx);
}

TEST(it_restarts_bit_identically_with_its_private_state)
{
    ss_context *ctx = test_context();
    ss_model *model = five_particles(ctx);
    ss_sim *straight = spine_sim(ctx, model), *first = spine_sim(ctx, model), *second = spine_sim(ctx, model);
    void *blob = NULL;
    size_t size = 0;
    CHECK_OK(ctx, ss_sim_advance(straight, 1));
    CHECK_OK(ctx, ss_sim_advance(first, 0.37));
    CHECK_OK(ctx, ss_sim_save(first, &blob, &size));
    CHECK_OK(ctx, ss_sim_restore(second, blob, size));
    CHECK_OK(ctx, ss_sim_advance(second, 1));
    CHECK(memcmp(ss_sim_q(straight), ss_sim_q(second), NV * sizeof(double)) == 0);
    CHECK(memcmp(ss_sim_v(straight), ss_sim_v(second), NV * sizeof(double)) == 0);
    CHECK(memcmp(straight->now.scheme_state, second->now.scheme_state, (NV + 1) * sizeof(double)) == 0);
    ss_blob_free(ctx, blob);
    ss_sim_destroy(straight);
    ss_sim_destroy(first);
    ss_sim_destroy(second);
    ss_model_destroy(model);
    ss_context_destroy(ctx);
}

/* ---- the dump ----------------------------------------------------------------------------------- */

/* The problem of one step as the scheme had it, in the sense of the file: dense, rows padded to the dimension. */
typedef struct kept {
    const char *path;
    int problems; /* of step 60 */
    double A[NV][NV], H[NV][2], f[NV], w[2], v[NV], u[2], r[2];
} kept;

static ss_status dump(void *user, const ss_sim *sim, int64_t step, const ss_problem *p, const ss_solution *s)
{
    kept *k = user;
    if (step != 60) {
        return SS_OK;
    }
    CHECK(!p->A.symmetric && p->A.sparse.m > 0 && p->nc == 1); /* it has landed */
    memset(k->A, 0, sizeof k->A);
    memset(k->H, 0, sizeof k->H);
    for (int i = 0; i < NV; i++) {
        for (int e = p->A.sparse.p[i]; e < p->A.sparse.p[i + 1]; e++) {
            k->A[i][p->A.sparse.i[e]] += p->A.sparse.x[e];
        }
    }
    for (int e = p->H.p[0]; e < p->H.p[1]; e++) {
        k->H[p->H.i[e]][0] += p->H.x[e];
    }
    memcpy(k->f, p->b, sizeof k->f);
    memcpy(k->v, s->v, sizeof k->v);
    k->w[0] = p->w[0];
    k->u[0] = s->u[0];
    k->r[0] = s->r[0];
    k->problems++;
    return ss_problem_write(sim->ctx, p, s, k->path);
}

/* a dataset of exactly n numbers */
static void read_set(hid_t file, const char *name, hid_t type, int n, void *x)
{
    hid_t set = H5Dopen2(file, name, H5P_DEFAULT), space = H5Dget_space(set);
    CHECK(set >= 0 && H5Sget_simple_extent_npoints(space) == n);
    CHECK(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, x) >= 0);
    H5Sclose(space);
    H5Dclose(set);
}

static int read_int(hid_t file, const char *group, const char *name)
{
    char path_name[64];
    int value = 0;
    snprintf(path_name, sizeof path_name, "%s/%s", group, name);
    read_set(file, path_name, H5T_NATIVE_INT, 1, &value);
    return value;
}

/* A matrix of the file, by rows (nz = -2) or by columns (nz = -1), is this dense one of m x n numbers. */
static void expect_matrix(hid_t file, const char *group, int m, int n, const double *dense)
{
    double found[NV * NV] = { 0 }, x[NV * NV];
    int p[NV + 1], index[NV * NV], entries = read_int(file, group, "nzmax");
    bool by_rows = read_int(file, group, "nz") == -2;
    char name[3][64];
    CHECK(read_int(file, group, "m") == m && read_int(file, group, "n") == n && entries <= NV * NV);
    for (int k = 0; k < 3; k++) {
        snprintf(name[k], sizeof name[k], "%s/%c", group, "pix"[k]);
    }
    read_set(file, name[0], H5T_NATIVE_INT, (by_rows ? m : n) + 1, p);
    read_set(file, name[1], H5T_NATIVE_INT, entries, index);
    read_set(file, name[2], H5T_NATIVE_DOUBLE, entries, x);
    for (int line = 0; line < (by_rows ? m : n); line++) {
        for (int e = p[line]; e < p[line + 1]; e++) {
            found[by_rows ? line * n + index[e] : index[e] * n + line] += x[e];
        }
    }
    assert_memory_equal(found, dense, (size_t)(m * n) * sizeof *found); /* the same bits */
}

static void expect_vector(hid_t file, const char *name, int n, const double *wanted)
{
    double x[NV];
    read_set(file, name, H5T_NATIVE_DOUBLE, n, x);
    assert_memory_equal(x, wanted, (size_t)n * sizeof *x);
}

/* what was solved solves it: A v - H r = f and u = H' v + w, from the numbers of the file alone */
static void check_solved(const kept *k)
{
    double u = k->w[0];
    for (int i = 0; i < NV; i++) {
        double momentum = -k->f[i] - k->H[i][0] * k->r[0], scale = fabs(k->f[i]) + fabs(k->r[0]);
        for (int j = 0; j < NV; j++) {
            momentum += k->A[i][j] * k->v[j];
        }
        u += k->H[i][0] * k->v[i];
        CHECK_NEAR(momentum, 0, 1e-10 * scale); /* the solver's tolerance */
    }
    CHECK_NEAR(u, k->u[0], 1e-10);
    CHECK(k->r[0] > 0); /* it rests on the row */
}

TEST(its_problem_is_dumped_to_a_file_and_reads_back_as_it_was)
{
    ss_context *ctx = test_context();
    ss_model *model = five_particles(ctx);
    ss_sim *sim = spine_sim(ctx, model);
    char path_name[] = "/tmp/slipstick-spine-XXXXXX";
    int fd = mkstemp(path_name);
    kept k = { .path = path_name };
    ss_observer observer = { .user = &k, .on_problem = dump };
    CHECK(fd >= 0);
    close(fd);
    CHECK_OK(ctx, ss_sim_observe(sim, &observer));
    CHECK_OK(ctx, ss_sim_advance(sim, 1));
    CHECK(k.problems == 1);
    check_solved(&k);
    hid_t file = H5Fopen(path_name, H5F_ACC_RDONLY, H5P_DEFAULT);
    CHECK(file >= 0 && read_int(file, "/fclib_global", "spacedim") == 2);
    expect_matrix(file, "/fclib_global/M", NV, NV, &k.A[0][0]);
    expect_matrix(file, "/fclib_global/H", NV, 2, &k.H[0][0]); /* FCLIB's H is our H', a zero tangent beside it */
    expect_vector(file, "/fclib_global/vectors/f", NV, k.f);
    expect_vector(file, "/fclib_global/vectors/w", 2, k.w);
    expect_vector(file, "/fclib_global/vectors/mu", 1, (double[]){ 0 });
    expect_vector(file, "/solution/v", NV, k.v);
    expect_vector(file, "/solution/u", 2, k.u);
    expect_vector(file, "/solution/r", 2, k.r);
    H5Fclose(file);
    remove(path_name);
    ss_sim_destroy(sim);
    ss_model_destroy(model);
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_scheme_of_its_own_file_runs_lands_and_is_certified),
        cmocka_unit_test(its_ledger_balances),
        cmocka_unit_test(it_restarts_bit_identically_with_its_private_state),
        cmocka_unit_test(its_problem_is_dumped_to_a_file_and_reads_back_as_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
