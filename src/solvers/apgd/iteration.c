/* iteration.c - one iteration of the accelerated projected gradient: a step, whether it is taken, and the momentum; apgd.c has
 * the equations.
 *
 * Cost   one gradient and one projection of the open contacts */
#include "base/parallel.h"
#include "solvers/apgd/apgd_inside.h"

#include <math.h>

/* x+ = P_K(y - g(y)/L) of a range of the open contacts */
static void step_range(void *data, int begin, int end)
{
    const apgd_run *run = data;
    const int *row = run->problem->row;
    for (int e = begin; e < end; e++) {
        int k = run->open.contact[e];
        double part = 1 / apgd_island_of(run, k)->L;
        for (int i = row[k]; i < row[k + 1]; i++) {
            run->next.x[i] = run->y.x[i] - part * run->y.g[i];
        }
        ss_dual_project(run->work->dual, k, run->next.x + row[k]);
    }
}

static ss_status step(apgd_run *run)
{
    enum { GRAIN = 512 };
    ss_parallel_for(run->work->ctx, run->open.count, GRAIN, step_range, run);
    return ss_dual_gradient(run->work->dual, run->open.count, run->open.contact, run->next.x, run->next.g);
}

static void compare(apgd_run *run)
{
    const int *row = run->problem->row;
    for (int i = 0; i < run->islands.count; i++) {
        apgd_island *I = &run->islands.island[i];
        I->square = I->bent = I->back = I->length = 0;
    }
    for (int e = 0; e < run->open.count; e++) {
        int k = run->open.contact[e];
        apgd_island *I = apgd_island_of(run, k);
        double square = 0, bent = 0, back = 0, length = 0;
        for (int i = row[k]; i < row[k + 1]; i++) {
            double x = run->next.x[i], s = x - run->y.x[i];
            square += s * s;
            bent += s * (run->next.g[i] - run->y.g[i]);
            back -= s * (x - run->at.x[i]);
            length += x * x;
        }
        I->square += square;
        I->bent += bent;
        I->back += back;
        I->length += length;
    }
}

/* is x+ taken? What to do next, with a larger L or with momentum */
static void decide(apgd_island *I)
{
    const double noise = 1e-13, more = 1.3, less = 0.7; /* noise: |s|/|x| that is round-off; more, less: growth and fall of L */
    I->took = I->bent <= I->L * I->square || I->square <= noise * noise * I->length;
    if (!I->took) {
        I->L = fmax(more * I->L, I->bent / I->square);
        return;
    }
    if (I->back > 0) {
        I->t = 1;
        I->L *= less;
    }
    double next = 0.5 * (1 + sqrt(1 + 4 * I->t * I->t));
    I->beta = (I->t - 1) / next;
    I->t = next;
}

static void decide_all(apgd_run *run)
{
    for (int i = 0; i < run->islands.count; i++) {
        apgd_island *I = &run->islands.island[i];
        if (I->open) {
            I->iterations = isfinite(I->bent) ? I->iterations + 1 : run->limit;
            decide(I);
        }
    }
}

/* x <- x+, y <- x+ + beta (x+ - x), and the gradients likewise */
static void move(apgd_run *run)
{
    const int *row = run->problem->row;
    for (int e = 0; e < run->open.count; e++) {
        int k = run->open.contact[e];
        const apgd_island *I = apgd_island_of(run, k);
        for (int i = row[k]; i < row[k + 1] && I->took; i++) {
            run->y.x[i] = run->next.x[i] + I->beta * (run->next.x[i] - run->at.x[i]);
            run->y.g[i] = run->next.g[i] + I->beta * (run->next.g[i] - run->at.g[i]);
            run->at.x[i] = run->next.x[i];
            run->at.g[i] = run->next.g[i];
        }
    }
}

ss_status ss_apgd_iteration(apgd_run *run)
{
    SS_TRY(step(run));
    compare(run);
    decide_all(run);
    move(run);
    return SS_OK;
}
