/* packing.h - spheres at rest between a floor and four walls, with far more contacts than are needed to hold them.
 *
 * Unit spheres in square layers of n x n and (n-1) x (n-1), each in the hollows of the one below: every sphere touches its
 * neighbours, four below, four above, and the walls. b = M v + h k with v = 0 and k gravity. */
#ifndef SS_PACKING_H
#define SS_PACKING_H

#include "base/base.h"
#include "math/csr.h"
#include "test.h"

typedef struct packing {
    ss_problem p;
    ss_solution s;
    int spheres, contacts, capacity;
    double *x, weight; /* h times the weight of all */
} packing;

static inline void *pk_take(size_t count, size_t size)
{
    void *memory = calloc(count + 1, size);
    CHECK(memory);
    return memory;
}

static inline int pk_count(int n, int layers)
{
    int count = 0;
    for (int l = 0; l < layers; l++) {
        count += (n - l % 2) * (n - l % 2);
    }
    return count;
}

static inline void pk_place(packing *k, int n, int layers)
{
    int at = 0;
    for (int l = 0; l < layers; l++) {
        int side = n - l % 2;
        for (int i = 0; i < side * side; i++, at++) {
            k->x[3 * at] = 1 + 2 * (i % side) + l % 2;
            k->x[3 * at + 1] = 1 + 2 * (i / side) + l % 2;
            k->x[3 * at + 2] = 1 + sqrt(2) * l;
        }
    }
}

/* velocity of the point of sphere a at -n, or of b at +n, along d */
static inline void pk_push(ss_context *ctx, packing *k, int body, double sign, const double *n, const double *d)
{
    double arm[3] = { -sign * n[0], -sign * n[1], -sign * n[2] };
    double moment[3] = { arm[1] * d[2] - arm[2] * d[1], arm[2] * d[0] - arm[0] * d[2], arm[0] * d[1] - arm[1] * d[0] };
    for (int i = 0; i < 6; i++) {
        CHECK_OK(ctx, ss_csr_push(ctx, &k->p.H, 6 * body + i, sign * (i < 3 ? d[i] : moment[i - 3])));
    }
}

/* b < 0: the world */
static inline void pk_contact(ss_context *ctx, packing *k, int a, int b, const double *n, double mu, unsigned law)
{
    int axis = fabs(n[0]) < 0.6 ? 0 : 1;
    double f[3][3] = { { n[0], n[1], n[2] } }, e[3] = { axis == 0, axis == 1, 0 };
    double along = n[axis], size = sqrt(1 - along * along);
    for (int i = 0; i < 3; i++) {
        f[1][i] = (e[i] - along * n[i]) / size;
    }
    for (int i = 0; i < 3; i++) {
        f[2][i] = n[(i + 1) % 3] * f[1][(i + 2) % 3] - n[(i + 2) % 3] * f[1][(i + 1) % 3];
    }
    for (int i = 0; i < 3; i++) {
        pk_push(ctx, k, a, 1, n, f[i]);
        if (b >= 0) {
            pk_push(ctx, k, b, -1, n, f[i]);
        }
        CHECK_OK(ctx, ss_csr_end_row(ctx, &k->p.H));
    }
    CHECK(k->p.nc < k->capacity);
    k->p.law[k->p.nc] = law;
    k->p.mu[k->p.nc++] = mu;
    k->p.row[k->p.nc] = 3 * k->p.nc;
}

static inline void pk_contacts(ss_context *ctx, packing *k, double width, double mu, unsigned law)
{
    const double touch = 1e-9;
    ss_csr_reset(&k->p.H, k->p.nv);
    for (int a = 0; a < k->spheres; a++) {
        const double *x = k->x + 3 * a;
        for (int b = 0; b < a; b++) {
            const double *y = k->x + 3 * b;
            double n[3] = { (x[0] - y[0]) / 2, (x[1] - y[1]) / 2, (x[2] - y[2]) / 2 };
            if (n[0] * n[0] + n[1] * n[1] + n[2] * n[2] < 1 + touch) {
                pk_contact(ctx, k, a, b, n, mu, law);
            }
        }
        for (int i = 0; i < 3; i++) {
            double n[3] = { i == 0, i == 1, i == 2 }, m[3] = { -n[0], -n[1], 0 };
            if (x[i] < 1 + touch) {
                pk_contact(ctx, k, a, -1, n, mu, law);
            }
            if (i < 2 && x[i] > width - 1 - touch) {
                pk_contact(ctx, k, a, -1, m, mu, law);
            }
        }
    }
}

static inline void pk_masses(packing *k, double pull)
{
    int *index = pk_take(3 * (size_t)k->spheres, sizeof *index);
    double *M = pk_take(36 * (size_t)k->spheres, sizeof *M);
    for (int a = 0; a < k->spheres; a++) {
        double mass = 1 + 0.1 * (a % 7);
        index[a] = 6 * a;
        index[k->spheres + a] = 6;
        index[2 * k->spheres + a] = 36 * a;
        for (int i = 0; i < 6; i++) {
            M[36 * a + 7 * i] = i < 3 ? mass : 0.4 * mass;
        }
        k->p.b[6 * a + 2] = -mass * pull;
        k->weight += mass * pull;
    }
    const ss_blockdiag mass = {
        .blocks = k->spheres, .n = k->p.nv, .offset = index, .size = index + k->spheres, .start = index + 2 * k->spheres, .x = M
    };
    ss_problem_set_blocks(&k->p, &mass);
}

/* room for so many spheres, and their masses; places and contacts are still to come */
static inline void pk_begin(packing *k, int spheres)
{
    *k = (packing){ .spheres = spheres };
    size_t bodies = (size_t)k->spheres, contacts = 12 * bodies;
    k->capacity = (int)contacts;
    k->x = pk_take(3 * bodies, sizeof(double));
    k->p = ss_problem_make(3);
    k->p.nv = 6 * k->spheres;
    k->p.G.n = k->p.nv;
    k->p.b = pk_take(6 * bodies, sizeof(double));
    k->p.c = pk_take(1, sizeof(double));
    k->p.w = pk_take(3 * contacts, sizeof(double));
    k->p.mu = pk_take(contacts, sizeof(double));
    k->p.row = pk_take(contacts + 1, sizeof(int));
    k->p.law = pk_take(contacts, sizeof(unsigned));
    k->p.dir = pk_take(contacts + 1, sizeof(int));
    k->s.v = pk_take(6 * bodies, sizeof(double));
    k->s.lam = pk_take(1, sizeof(double));
    k->s.r = pk_take(3 * contacts, sizeof(double));
    k->s.u = pk_take(3 * contacts, sizeof(double));
    k->s.basis = pk_take(contacts, sizeof(uint64_t));
    pk_masses(k, 0.04);
}

static inline void pk_make(ss_context *ctx, packing *k, int n, int layers, double mu, unsigned law)
{
    pk_begin(k, pk_count(n, layers));
    pk_place(k, n, layers);
    pk_contacts(ctx, k, 2 * n, mu, law);
}

/* Nine spheres and four on them, held by 53 contacts. Surfaces move along a little, so that contacts slide. */
static inline void pk_make_sliding(ss_context *ctx, packing *k, uint64_t seed)
{
    uint64_t state = seed;
    pk_make(ctx, k, 3, 2, 0.6, SS_LAW_COULOMB);
    for (int i = 0; i < 3 * k->p.nc; i++) {
        k->p.w[i] = i % 3 > 0 ? 0.05 * fabs(k->p.b[2]) * (ss_random_uniform(&state) - 0.5) : 0;
    }
}

static inline void pk_free(ss_context *ctx, packing *k)
{
    void *owned[] = { k->x,         (void *)(uintptr_t)k->p.scale.offset,
                      k->p.scale.x, k->p.b,
                      k->p.c,       k->p.w,
                      k->p.mu,      k->p.row,
                      k->p.law,     k->p.dir,
                      k->s.v,       k->s.lam,
                      k->s.r,       k->s.u,
                      k->s.basis };
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) {
        free(owned[i]);
    }
    ss_csr_free(ctx, &k->p.H);
}

#endif
