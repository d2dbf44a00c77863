/* peer_residual.c - how well a step of an engine that is not ours solves its own contact problem.
 *
 *     M v' - H' r = M v + h f,   u = H v' + w,   u_i and r_i obey the law of friction
 *
 * M, v, contact points, normals and offsets w are those the engine began the step with, v' and r those it ended with. The
 * residual is the certificate of docs/certificate.md, the same that our own steps have. The law is the one that the engine
 * solves: a bound on friction along each tangent (ODE), or Coulomb's cone (Bullet). Engines that undo overlaps ask for it in w,
 * so an overlap is no error here.
 *
 * Symbols   a twist is velocity and angular velocity in the world; a body's block of M is diag(m, m, m, R I R') */
#include "bench.h"

#include <slipstick/slipstick.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* everything that one residual takes, freed together */
typedef struct posed {
    ss_problem problem;
    ss_blockdiag M;
    int *offset, *start, *size;
    double *v_old, *v, *r;
} posed;

static void cross(const double a[3], const double b[3], double out[3])
{
    for (int i = 0; i < 3; i++) {
        out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
    }
}

/* ---- bodies -------------------------------------------------------------------------------------- */

static void principal(const bench_body *b, double I[3])
{
    for (int i = 0; i < 3; i++) {
        const double x = b->size[(i + 1) % 3], y = b->size[(i + 2) % 3];
        I[i] = b->sphere ? 0.4 * b->mass * b->radius * b->radius : b->mass / 12 * (x * x + y * y);
    }
}

static void put_mass(const bench_body *b, const double R[9], double block[36])
{
    double I[3];
    principal(b, I);
    for (int i = 0; i < 3; i++) {
        block[7 * i] = b->mass;
        for (int j = 0; j < 3; j++) {
            double sum = 0;
            for (int k = 0; k < 3; k++) {
                sum += R[3 * i + k] * I[k] * R[3 * j + k];
            }
            block[6 * (3 + i) + 3 + j] = sum;
        }
    }
}

/* what is there before the step: M, v, and M v + h f */
static void put_bodies(posed *x, const bench_scene *s, const bench_motion *motion)
{
    for (int b = 0; b < s->bodies; b++) {
        double *block = x->M.x + 36 * (size_t)b, *v = x->v_old + 6 * (size_t)b, *p = x->problem.b + 6 * (size_t)b;
        x->offset[b] = 6 * b;
        x->start[b] = 36 * b;
        x->size[b] = 6;
        put_mass(&s->body[b], motion[b].R, block);
        memcpy(v, motion[b].twist, 6 * sizeof *v);
        for (int i = 0; i < 36; i++) {
            p[i / 6] += block[i] * v[i % 6];
        }
        p[2] -= s->h * s->body[b].mass * s->gravity;
    }
}

/* ---- contacts ------------------------------------------------------------------------------------ */

static void put_entries(ss_csr *H, int *at, int body, const double x[3], const double point[3], const double axis[3], double sign)
{
    double arm[3], moment[3];
    for (int i = 0; i < 3; i++) {
        arm[i] = point[i] - x[i];
    }
    cross(arm, axis, moment);
    for (int i = 0; i < 6; i++, ++*at) {
        H->i[*at] = 6 * body + i;
        H->x[*at] = sign * (i < 3 ? axis[i] : moment[i - 3]);
    }
}

/* the square that bounds friction along each tangent by itself */
static void put_square(ss_problem *p, int k)
{
    static const double corner[8] = { 1, 1, -1, 1, -1, -1, 1, -1 };
    memcpy(p->direction + 2 * (size_t)p->dir[k], corner, sizeof corner);
    p->dir[k + 1] = p->dir[k] + 4;
}

static void put_contact(posed *x, const bench_scene *s, double (*place)[3], const bench_touch *t, int k, int *at)
{
    ss_problem *p = &x->problem;
    for (int i = 0; i < 3; i++) {
        for (int side = 0; side < 2; side++) {
            if (t->body[side] >= 0) {
                put_entries(&p->H, at, t->body[side], place[t->body[side]], t->point[side], t->axis[i], side == 0 ? 1 : -1);
            }
        }
        p->H.p[3 * k + i + 1] = *at;
        p->w[3 * k + i] = i == 0 ? t->offset : 0;
        x->r[3 * k + i] = t->impulse[i];
    }
    p->row[k + 1] = 3 * (k + 1);
    p->law[k] = t->box ? SS_LAW_POLYHEDRAL : SS_LAW_COULOMB;
    p->mu[k] = s->mu;
    p->dir[k + 1] = p->dir[k];
    if (t->box) {
        put_square(p, k);
    }
}

/* ---- the whole ----------------------------------------------------------------------------------- */

static posed make(int bodies, int contacts)
{
    const size_t nb = (size_t)bodies, nc = (size_t)contacts;
    posed x = { .problem = ss_problem_make(3) };
    ss_problem *p = &x.problem;
    x.offset = bench_array(nb, sizeof(int));
    x.start = bench_array(nb, sizeof(int));
    x.size = bench_array(nb, sizeof(int));
    x.v_old = bench_array(6 * nb, sizeof(double));
    x.v = bench_array(6 * nb, sizeof(double));
    x.r = bench_array(3 * nc, sizeof(double));
    x.M = (ss_blockdiag){ bodies, 6 * bodies, x.offset, x.size, x.start, bench_array(36 * nb, sizeof(double)), NULL };
    p->b = bench_array(6 * nb, sizeof(double));
    p->w = bench_array(3 * nc, sizeof(double));
    p->row = bench_array(nc + 1, sizeof(int));
    p->dir = bench_array(nc + 1, sizeof(int));
    p->law = bench_array(nc, sizeof(unsigned));
    p->mu = bench_array(nc, sizeof(double));
    p->direction = bench_array(8 * nc, sizeof(double));
    p->H = (ss_csr){ .m = 3 * contacts, .n = 6 * bodies, .p = bench_array(3 * nc + 1, sizeof(int)) };
    p->H.i = bench_array(36 * nc, sizeof(int));
    p->H.x = bench_array(36 * nc, sizeof(double));
    p->nc = contacts;
    p->v_old = x.v_old;
    return x;
}

static void drop(posed *x)
{
    ss_problem *p = &x->problem;
    void *owned[] = { x->offset, x->start, x->size, x->v_old, x->v,         x->r,   x->M.x, p->b,  p->w,
                      p->row,    p->dir,   p->law,  p->mu,    p->direction, p->H.p, p->H.i, p->H.x };
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) {
        free(owned[k]);
    }
}

static double certify(posed *x)
{
    ss_context *ctx = NULL;
    ss_residual residual = { .contact = NAN };
    const ss_solution solution = { .v = x->v, .r = x->r };
    ss_problem_set_blocks(&x->problem, &x->M);
    if (ss_context_create(NULL, &ctx) != SS_OK || ss_problem_residual(ctx, &x->problem, &solution, &residual) != SS_OK) {
        bench_fatal("residual of a peer: %s", ctx ? ss_last_error(ctx) : "out of memory");
    }
    ss_context_destroy(ctx);
    return residual.contact;
}

double bench_peer_residual(const bench_engine *e, void *run, const bench_scene *s)
{
    const bench_touch *touch = NULL;
    bench_motion *before = bench_array((size_t)s->bodies, sizeof *before), after;
    double(*place)[3] = bench_array((size_t)s->bodies, sizeof *place), ignored[3];
    for (int b = 0; b < s->bodies; b++) {
        e->insight->motion(run, b, &before[b]);
        e->state(run, b, place[b], ignored);
    }
    e->step(run, s->h);
    const int contacts = e->insight->touches(run, &touch);
    posed x = make(s->bodies, contacts);
    put_bodies(&x, s, before);
    for (int b = 0; b < s->bodies; b++) {
        e->insight->motion(run, b, &after);
        memcpy(x.v + 6 * (size_t)b, after.twist, sizeof after.twist);
    }
    for (int k = 0, at = 0; k < contacts; k++) {
        put_contact(&x, s, place, &touch[k], k, &at);
    }
    const double residual = contacts > 0 ? certify(&x) : 0;
    drop(&x);
    free(before);
    free(place);
    return residual;
}
