/* pile.h - spheres of radius 1/2 on a grid that touch their neighbours and the floor, which is hyperstatic. */
#ifndef SS_TEST_PILE_H
#define SS_TEST_PILE_H

#include "unit/solvers/random_system.h"

/* ---- piles ------------------------------------------------------------------------------------ */

typedef struct pile {
    ss_problem p;
    ss_solution s;
    int side, height;
    int *offset, *size, *start, *row, *dir;
    unsigned *law;
    double *M, *b, *w, *mu;
} pile;

static inline int ball_at(const pile *y, int i, int j, int k)
{
    return i < 0 || j < 0 || k < 0 ? -1 : (k * y->side + j) * y->side + i;
}

/* rows of a contact with normal along `axis` between ball `upper` and the one below it or the floor (-1) */
static inline void pile_contact(ss_context *ctx, pile *y, int upper, int lower, int axis)
{
    for (int i = 0; i < 3; i++) {
        int direction = (axis + i) % 3;
        double arm = 0.5; /* w x (-n/2): the contact lies below the upper ball and above the lower one */
        for (int side = 0; side < 2; side++) {
            int ball = side == 0 ? upper : lower;
            double sign = side == 0 ? 1 : -1;
            if (ball < 0) {
                continue;
            }
            CHECK_OK(ctx, ss_csr_push(ctx, &y->p.H, 6 * ball + direction, sign));
            if (i > 0) { /* (w x x) . e with x = -+ n/2: the component of w along e x n, the third axis */
                int third = 3 - axis - direction;
                double handed = (axis + 1) % 3 == direction ? 1 : -1;
                CHECK_OK(ctx, ss_csr_push(ctx, &y->p.H, 6 * ball + 3 + third, -handed * arm));
            }
        }
        CHECK_OK(ctx, ss_csr_end_row(ctx, &y->p.H));
    }
    y->mu[y->p.nc++] = 0.4;
}

static inline void pile_memory(pile *y, int balls)
{
    size_t n = (size_t)balls, contacts = 3 * n;
    y->offset = calloc(n, sizeof(int));
    y->size = calloc(n, sizeof(int));
    y->start = calloc(n, sizeof(int));
    y->M = calloc(36 * n, sizeof(double));
    y->b = calloc(6 * n, sizeof(double));
    y->row = calloc(contacts + 1, sizeof(int));
    y->dir = calloc(contacts + 1, sizeof(int));
    y->law = calloc(contacts, sizeof(unsigned));
    y->mu = calloc(contacts, sizeof(double));
    y->w = calloc(3 * contacts, sizeof(double));
    y->s.v = calloc(6 * n, sizeof(double));
    y->s.lam = calloc(1, sizeof(double));
    y->s.r = calloc(3 * contacts, sizeof(double));
    y->s.u = calloc(3 * contacts, sizeof(double));
    y->s.basis = calloc(contacts, sizeof(uint64_t));
}

static inline void pile_balls(pile *y, int balls, double spread)
{
    uint64_t state = 7;
    for (int k = 0; k < balls; k++) {
        double mass = 1 + ss_random_uniform(&state);
        y->offset[k] = 6 * k;
        y->size[k] = 6;
        y->start[k] = 36 * k;
        for (int i = 0; i < 6; i++) {
            double push = spread * (ss_random_uniform(&state) - 0.5);
            y->M[36 * k + 7 * i] = i < 3 ? mass : 0.1 * mass;
            y->b[6 * k + i] = y->M[36 * k + 7 * i] * (push - (i == 2 ? 0.1 : 0)); /* gravity along the third axis */
        }
    }
    ss_problem_set_blocks(&y->p, &(ss_blockdiag){ balls, 6 * balls, y->offset, y->size, y->start, y->M, NULL });
}

/* spread 0: at rest under its weight; otherwise every ball is also pushed about */
static inline void pile_make(ss_context *ctx, pile *y, int side, int height, unsigned law, double spread)
{
    int balls = side * side * height;
    *y = (pile){ .side = side, .height = height, .p = ss_problem_make(3) };
    y->p.nv = 6 * balls;
    pile_memory(y, balls);
    pile_balls(y, balls, spread);
    ss_csr_reset(&y->p.H, y->p.nv);
    for (int k = 0; k < height; k++) {
        for (int j = 0; j < side; j++) {
            for (int i = 0; i < side; i++) {
                int ball = ball_at(y, i, j, k);
                pile_contact(ctx, y, ball, ball_at(y, i, j, k - 1), 2);
                if (i > 0) {
                    pile_contact(ctx, y, ball, ball_at(y, i - 1, j, k), 0);
                }
                if (j > 0) {
                    pile_contact(ctx, y, ball, ball_at(y, i, j - 1, k), 1);
                }
            }
        }
    }
    for (int k = 0; k < y->p.nc; k++) {
        y->row[k + 1] = 3 * (k + 1);
        y->law[k] = law;
    }
    y->p.b = y->b;
    y->p.w = y->w;
    y->p.row = y->row;
    y->p.law = y->law;
    y->p.mu = y->mu;
    y->p.dir = y->dir;
}

static inline void pile_free(ss_context *ctx, pile *y)
{
    void *all[] = { y->offset, y->size, y->start, y->M,     y->b,   y->row, y->dir,    y->law,
                    y->mu,     y->w,    y->s.v,   y->s.lam, y->s.r, y->s.u, y->s.basis };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        free(all[k]);
    }
    ss_csr_free(ctx, &y->p.H);
}

#endif
