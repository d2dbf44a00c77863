/* random_system.h - random one-step problems of [AP97] (2.8)-(2.13): bodies, joints, contacts with polygonal friction.
 *
 * Everything is drawn from one state, so a seed names a system. Bodies are blocks of 3 (2D) or 6 (3D) with masses over
 * six decades; contacts join two bodies or a body and the world at random points; some contacts and joint rows repeat
 * or oppose others. b = M v + h k, c = 0, w = 0: [AP97 Theorem 2.2] promises a solution. */
#ifndef SS_RANDOM_SYSTEM_H
#define SS_RANDOM_SYSTEM_H

#include "base/base.h"
#include "math/csr.h"
#include "test.h"

enum {
    RS_BODIES = 8,
    RS_V = 6 * RS_BODIES,
    RS_CONTACTS = 64,
    RS_ROWS = 3 * RS_CONTACTS,
    RS_DIRECTIONS = 16 * RS_CONTACTS,
    RS_JOINTS = 16
};

typedef struct random_system {
    uint64_t state;
    ss_problem p;
    int bodies, size, offset[RS_BODIES], sizes[RS_BODIES], start[RS_BODIES];
    double M[36 * RS_BODIES], b[RS_V], c[RS_JOINTS], w[RS_ROWS], v_old[RS_V];
    double free_energy; /* of v + h M^-1 k */
    int row[RS_CONTACTS + 1], dir[RS_CONTACTS + 1];
    unsigned law[RS_CONTACTS];
    double mu[RS_CONTACTS], direction[2 * RS_DIRECTIONS];
    double v[RS_V], lam[RS_JOINTS], r[RS_ROWS], u[RS_ROWS];
    uint64_t basis[RS_CONTACTS];
    ss_solution s;
} random_system;

static inline double rs_uniform(random_system *y, double lo, double hi) { return lo + (hi - lo) * ss_random_uniform(&y->state); }

static inline int rs_int(random_system *y, int lo, int hi) /* both included */
{
    return lo + (int)(ss_random_u64(&y->state) % (uint64_t)(hi - lo + 1));
}

/* mass over `decades`; inertia a random positive definite matrix of about the same size */
static inline void rs_bodies(random_system *y, int bodies, double decades)
{
    int n = y->size = y->p.dimension == 2 ? 3 : 6, linear = y->p.dimension;
    y->bodies = bodies;
    for (int k = 0; k < bodies; k++) {
        y->offset[k] = n * k;
        y->sizes[k] = n;
        y->start[k] = n * n * k;
        double *M = y->M + y->start[k], mass = pow(10, rs_uniform(y, 0, decades)), a[9];
        memset(M, 0, sizeof(double) * (size_t)(n * n));
        for (int i = 0; i < 9; i++) {
            a[i] = rs_uniform(y, -1, 1);
        }
        for (int i = 0; i < n; i++) {
            M[i * n + i] = i < linear ? mass : 0.2 * mass;
            for (int j = linear; j < n && i >= linear && n == 6; j++) {
                for (int l = 0; l < 3; l++) {
                    M[i * n + j] += 0.3 * mass * a[3 * (i - 3) + l] * a[3 * (j - 3) + l];
                }
            }
        }
    }
    ss_problem_set_blocks(&y->p, &(ss_blockdiag){ bodies, n * bodies, y->offset, y->sizes, y->start, y->M, NULL });
}

/* velocity along `dir` of the point x of a body, as a row piece */
static inline void rs_push(ss_context *ctx, random_system *y, ss_csr *A, int body, double sign, const double *dir,
                           const double *x)
{
    double moment[3] = { x[1] * dir[2] - x[2] * dir[1], x[2] * dir[0] - x[0] * dir[2], x[0] * dir[1] - x[1] * dir[0] };
    for (int i = 0; i < y->p.dimension; i++) {
        CHECK_OK(ctx, ss_csr_push(ctx, A, y->offset[body] + i, sign * dir[i]));
    }
    for (int i = 0; i < y->size - y->p.dimension; i++) {
        CHECK_OK(ctx, ss_csr_push(ctx, A, y->offset[body] + y->p.dimension + i, sign * moment[y->p.dimension == 2 ? 2 : i]));
    }
}

static inline void rs_frame(random_system *y, double f[3][3])
{
    double a[3], b[3], s = 0, t = 0;
    for (int i = 0; i < 3; i++) {
        a[i] = rs_uniform(y, -1, 1) * (i < y->p.dimension);
        b[i] = rs_uniform(y, -1, 1);
        s += a[i] * a[i];
    }
    for (int i = 0; i < 3; i++) {
        f[0][i] = a[i] / sqrt(s);
    }
    if (y->p.dimension == 2) {
        f[1][0] = f[0][1];
        f[1][1] = -f[0][0];
        f[1][2] = 0;
        return;
    }
    for (int i = 0; i < 3; i++) {
        t += b[i] * f[0][i];
    }
    s = 0;
    for (int i = 0; i < 3; i++) {
        f[1][i] = b[i] - t * f[0][i];
        s += f[1][i] * f[1][i];
    }
    for (int i = 0; i < 3; i++) {
        f[1][i] /= sqrt(s);
    }
    for (int i = 0; i < 3; i++) {
        f[2][i] = f[0][(i + 1) % 3] * f[1][(i + 2) % 3] - f[0][(i + 2) % 3] * f[1][(i + 1) % 3];
    }
}

/* rows of a contact at random, or a copy of contact `like` with its normal times `sign` */
static inline void rs_contact_rows(ss_context *ctx, random_system *y, int rows, int like, double sign)
{
    ss_csr *H = &y->p.H;
    if (like >= 0) {
        for (int i = 0; i < rows; i++) {
            for (int e = H->p[y->row[like] + i]; e < H->p[y->row[like] + i + 1]; e++) {
                CHECK_OK(ctx, ss_csr_push(ctx, H, H->i[e], (i == 0 ? sign : 1) * H->x[e]));
            }
            CHECK_OK(ctx, ss_csr_end_row(ctx, H));
        }
        return;
    }
    double f[3][3], xa[3], xb[3];
    int a = rs_int(y, 0, y->bodies - 1), b = rs_int(y, -1, y->bodies - 1);
    rs_frame(y, f);
    for (int i = 0; i < 3; i++) {
        xa[i] = rs_uniform(y, -1, 1) * (i < y->p.dimension);
        xb[i] = rs_uniform(y, -1, 1) * (i < y->p.dimension);
    }
    for (int i = 0; i < rows; i++) {
        rs_push(ctx, y, H, a, 1, f[i], xa);
        if (b >= 0 && b != a) {
            rs_push(ctx, y, H, b, -1, f[i], xb);
        }
        CHECK_OK(ctx, ss_csr_end_row(ctx, H));
    }
}

/* `count` directions, in 3D a regular polygon turned at random and, at times, squeezed to an ellipse */
static inline void rs_directions(random_system *y, int k, int count)
{
    double turn = rs_uniform(y, 0, 1), squeeze = rs_int(y, 0, 3) == 0 ? rs_uniform(y, 0.3, 1) : 1;
    const double pi = 3.14159265358979323846;
    for (int i = 0; i < count / 2; i++) {
        double angle = turn + pi * 2 * i / count, *d = y->direction + 2 * (y->dir[k] + i), *o = d + count;
        d[0] = y->p.dimension == 2 ? 1 : cos(angle);
        d[1] = y->p.dimension == 2 ? 0 : squeeze * sin(angle);
        o[0] = -d[0];
        o[1] = -d[1];
    }
    y->dir[k + 1] = y->dir[k] + count;
}

static inline void rs_contacts(ss_context *ctx, random_system *y, int contacts, int directions)
{
    y->p.nc = contacts;
    ss_csr_reset(&y->p.H, y->p.nv);
    y->row[0] = y->dir[0] = 0;
    for (int k = 0; k < contacts; k++) {
        int copy = k > 0 && rs_int(y, 0, 4) == 0 ? rs_int(y, 0, k - 1) : -1;
        bool frictionless = copy >= 0 ? y->law[copy] == SS_LAW_UNILATERAL : rs_int(y, 0, 5) == 0;
        int rows = frictionless ? 1 : y->p.dimension;
        rs_contact_rows(ctx, y, rows, copy, rs_int(y, 0, 9) == 0 ? -1 : 1);
        y->row[k + 1] = y->row[k] + rows;
        y->law[k] = frictionless ? SS_LAW_UNILATERAL : SS_LAW_POLYHEDRAL;
        y->mu[k] = rs_int(y, 0, 7) == 0 ? 0 : rs_uniform(y, 0, 2);
        rs_directions(y, k, frictionless ? 0 : y->p.dimension == 2 ? 2 : directions);
    }
}

/* joint rows at random; some repeat or add up earlier ones */
static inline void rs_joints(ss_context *ctx, random_system *y, int joints)
{
    ss_csr *G = &y->p.G;
    y->p.nj = joints;
    ss_csr_reset(G, y->p.nv);
    for (int j = 0; j < joints; j++) {
        bool repeat = j > 1 && rs_int(y, 0, 3) == 0;
        if (repeat) {
            int from = rs_int(y, 0, j - 1);
            double factor = rs_uniform(y, 0.5, 2);
            for (int e = G->p[from]; e < G->p[from + 1]; e++) {
                CHECK_OK(ctx, ss_csr_push(ctx, G, G->i[e], factor * G->x[e]));
            }
        } else {
            double f[3][3], x[3] = { rs_uniform(y, -1, 1), rs_uniform(y, -1, 1), y->p.dimension == 3 ? rs_uniform(y, -1, 1) : 0 };
            int a = rs_int(y, 0, y->bodies - 1), b = rs_int(y, -1, y->bodies - 1);
            rs_frame(y, f);
            rs_push(ctx, y, G, a, 1, f[0], x);
            if (b >= 0 && b != a) {
                rs_push(ctx, y, G, b, -1, f[0], x);
            }
        }
        CHECK_OK(ctx, ss_csr_end_row(ctx, G));
        y->c[j] = 0;
    }
}

static inline double rs_energy(const random_system *y, const double *v)
{
    double Mv[RS_V], s = 0;
    ss_blockdiag_times(&y->p.scale, v, Mv);
    for (int i = 0; i < y->p.nv; i++) {
        s += 0.5 * v[i] * Mv[i];
    }
    return s;
}

/* v, h k, and b = M v + h k */
static inline void rs_motion(random_system *y)
{
    double h = rs_uniform(y, 0, 0.1), free[RS_V], b[RS_V];
    for (int i = 0; i < y->p.nv; i++) {
        y->v_old[i] = rs_uniform(y, -1, 1);
        free[i] = y->v_old[i] + h * rs_uniform(y, -10, 10);
    }
    ss_blockdiag_times(&y->p.scale, free, b);
    memcpy(y->b, b, sizeof b);
    y->free_energy = rs_energy(y, free);
}

static inline void rs_wire(random_system *y)
{
    y->p.b = y->b;
    y->p.c = y->c;
    y->p.w = y->w;
    y->p.v_old = y->v_old;
    y->p.row = y->row;
    y->p.law = y->law;
    y->p.mu = y->mu;
    y->p.dir = y->dir;
    y->p.direction = y->direction;
    y->s = (ss_solution){ .v = y->v, .lam = y->lam, .r = y->r, .u = y->u, .basis = y->basis };
}

/* a system of the kind [AP97] is about; the matrices keep their memory from call to call */
static inline void rs_make(ss_context *ctx, random_system *y, uint64_t seed, int contacts, int joints, double decades)
{
    y->state = seed;
    y->p.size = sizeof y->p;
    y->p.dimension = rs_int(y, 2, 3);
    rs_bodies(y, rs_int(y, 1, 6), decades);
    rs_joints(ctx, y, joints);
    rs_contacts(ctx, y, contacts, 2 * rs_int(y, 1, 4));
    memset(y->w, 0, sizeof y->w);
    memset(y->basis, 0, sizeof y->basis);
    rs_motion(y);
    rs_wire(y);
}

static inline void rs_free(ss_context *ctx, random_system *y)
{
    ss_csr_free(ctx, &y->p.H);
    ss_csr_free(ctx, &y->p.G);
    ss_csr_free(ctx, &y->p.A.sparse);
    ss_csr_free(ctx, &y->p.W);
}

#endif
