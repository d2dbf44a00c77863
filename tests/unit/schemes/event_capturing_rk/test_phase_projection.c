/* Projections onto joints and closed contacts against dense least squares. */
#include "closed_scene.h"
#include "math/dense.h"

/* rows D of joints and of contacts that are held at the phase's last place; what positions and velocities v lack of them */
static int dense_rows(const closed_scene *x, double *D, double *lacks_g, double *lacks_v, const double *v)
{
    const ss_problem *p = &x->phase->at->problem;
    int nv = x->m->nv, n = 0;
    for (int i = 0; i < x->m->nj + p->row[p->nc]; i++) {
        const ss_csr *A = i < x->m->nj ? &p->G : &p->H;
        int row = i < x->m->nj ? i : i - x->m->nj, k = 0;
        while (i >= x->m->nj && row >= p->row[k + 1]) {
            k++;
        }
        bool normal = i >= x->m->nj && row == p->row[k];
        if (i >= x->m->nj && !x->phase->closed[k].own[row - p->row[k]]) {
            continue;
        }
        memset(D + n * nv, 0, (size_t)nv * sizeof *D);
        for (int e = A->p[row]; e < A->p[row + 1]; e++) {
            D[n * nv + A->i[e]] += A->x[e];
        }
        lacks_g[n] = i < x->m->nj ? -x->phase->at->g[i] : normal ? -x->phase->at->value[k]->gap : 0;
        lacks_v[n] = (i < x->m->nj ? p->c[i] : -x->phase->at->w_drive[row]) - ss_csr_row_dot(A, row, v);
        n++;
    }
    return n;
}

/* the x of least M norm with D x = rhs */
static void least_change(const closed_scene *x, int n, const double *D, const double *rhs, double *out)
{
    int nv = x->m->nv, size = nv + n, pivots[N_MAX + ROWS_MAX];
    double A[(N_MAX + ROWS_MAX) * (N_MAX + ROWS_MAX)] = { 0 }, b[N_MAX + ROWS_MAX] = { 0 }, e[N_MAX] = { 0 }, column[N_MAX];
    CHECK(size <= N_MAX + ROWS_MAX);
    for (int j = 0; j < nv; j++) {
        e[j] = 1;
        ss_matrix_times(&x->phase->at->mass, e, column);
        e[j] = 0;
        for (int i = 0; i < nv; i++) {
            A[i * size + j] = column[i];
        }
    }
    for (int r = 0; r < n; r++) {
        for (int j = 0; j < nv; j++) {
            A[j * size + nv + r] = A[(nv + r) * size + j] = D[r * nv + j];
        }
        b[nv + r] = rhs[r];
    }
    CHECK(ss_dense_lu(size, A, size, pivots)); /* symmetric: rows are columns */
    ss_dense_lu_solve(size, A, size, pivots, b);
    memcpy(out, b, (size_t)nv * sizeof *out);
}

/* a box that stands on a lift in motion, and a rod with a pin on it */
static const char lift[] =
    HEAD(2, "[0,-10]") "'materials':[{'name':'m','mu':0.5}],'bodies':[{'name':'box','type':'rigid','mass':2,'position':[0,0.1],"
                       "'velocity':[0.2,0.5],'shapes':[{'type':'box','size':[1,0.2],'material':'m'}]},"
                       "{'name':'rod','type':'rigid','mass':0.3,'inertia':0.01,'position':[0.6,0.5],'velocity':[0.2,0.5]},"
                       "{'name':'lift','type':'driven','position':['0.2*t','0.5*t'],'shapes':[{'type':'half_space',"
                       "'normal':[0,1],'material':'m'}]}],"
                       "'joints':[{'type':'revolute','bodies':['box','rod'],'at':[0.3,0.3]}]}";

static void check_projection(ss_contact_mode mode)
{
    closed_scene x;
    uint64_t seed = 7;
    double D[ROWS_MAX * N_MAX], g[ROWS_MAX], u[ROWS_MAX], best[N_MAX], step[N_MAX], moved[N_MAX], before[N_MAX];
    bool fits = false;
    open_held(&x, lift, 0, 0, NULL);
    close_all(&x, mode, 1, ss_v3(0, 0, 0), 0);
    for (int i = 0; i < x.m->nv; i++) {
        step[i] = 1e-4 * (2 * ss_random_uniform(&seed) - 1);
        x.v[i] += 0.1 * (2 * ss_random_uniform(&seed) - 1);
    }
    ss_model_retract(x.m, x.m->q0, step, 1, x.q);
    memcpy(before, x.q, sizeof before);
    CHECK_OK(x.ctx, ss_phase_evaluate(x.phase, 0, x.q, x.v));
    int n = dense_rows(&x, D, g, u, x.v);
    CHECK(n == (mode == SS_MODE_STICK ? 5 : 4));
    least_change(&x, n, D, g, best);
    double v[N_MAX];
    memcpy(v, x.v, sizeof v);
    CHECK_OK(x.ctx, ss_phase_project(x.phase, x.s, 0, x.q, x.v, &fits));
    CHECK(fits);
    ss_model_difference(x.m, before, x.q, moved);
    for (int i = 0; i < x.m->nv; i++) {
        CHECK_NEAR(moved[i], best[i], 1e-6); /* of 1e-4: the least change but for the curvature of the rows */
    }
    CHECK_OK(x.ctx, ss_phase_evaluate(x.phase, 0, x.q, v));
    dense_rows(&x, D, g, u, v);
    least_change(&x, n, D, u, best);
    for (int r = 0; r < n; r++) {
        CHECK_NEAR(g[r], 0, 1e-14);
    }
    for (int i = 0; i < x.m->nv; i++) {
        CHECK_NEAR(x.v[i] - v[i], best[i], 1e-13);
    }
    dense_rows(&x, D, g, u, x.v);
    for (int r = 0; r < n; r++) {
        CHECK_NEAR(u[r], 0, 1e-14);
    }
    close_held(&x);
}

TEST(a_projection_is_the_least_change_that_closes_joints_and_contacts)
{
    check_projection(SS_MODE_STICK);
    check_projection(SS_MODE_SLIP); /* without friction: slip is left as it is */
    check_projection(SS_MODE_NORMAL);
}

TEST(a_projection_of_what_fits_changes_no_bit)
{
    closed_scene x;
    bool fits = false;
    open_held(&x, lift, 0, 0, NULL);
    close_all(&x, SS_MODE_STICK, 1, ss_v3(0, 0, 0), 0);
    CHECK_OK(x.ctx, ss_phase_project(x.phase, x.s, 0, x.q, x.v, &fits));
    double q[N_MAX], v[N_MAX];
    memcpy(q, x.q, sizeof q);
    memcpy(v, x.v, sizeof v);
    CHECK_OK(x.ctx, ss_phase_project(x.phase, x.s, 0, x.q, x.v, &fits));
    CHECK(fits && memcmp(q, x.q, sizeof q) == 0 && memcmp(v, x.v, sizeof v) == 0);
    close_held(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_projection_is_the_least_change_that_closes_joints_and_contacts),
        cmocka_unit_test(a_projection_of_what_fits_changes_no_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
