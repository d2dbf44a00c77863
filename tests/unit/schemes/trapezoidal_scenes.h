/* trapezoidal_scenes.h - runs of the trapezoidal scheme, and orders measured by halving the step. */
#ifndef SS_TEST_TRAPEZOIDAL_SCENES_H
#define SS_TEST_TRAPEZOIDAL_SCENES_H

#include "unit/schemes/text_run.h"

#define HEAD(dimension, gravity)                                                                                                 \
    "{'slipstick':1,'dimension':" #dimension ",'gravity':" gravity ",'time':{'until':1,'step':0.01},"                            \
    "'scheme':{'name':'trapezoidal'},"
#define FLOOR_2D "{'name':'floor','type':'fixed','shapes':[{'type':'half_space','normal':[0,1],'material':'m'}]}"
#define FLOOR_3D "{'name':'floor','type':'fixed','shapes':[{'type':'half_space','normal':[0,0,1],'material':'m'}]}"

enum { MOST_STATE = 64, MOST_SETS = 8 };

/* positions, then velocities, at time `until`; every step is certified, the ledger closes */
typedef struct final {
    int n;
    double x[MOST_STATE];
} final;

static inline final run_to(const char *text, double until, double step, int sets, const char *const *set)
{
    char own[48];
    const char *all[MOST_SETS] = { own };
    final f = { 0 };
    CHECK(sets < MOST_SETS);
    snprintf(own, sizeof own, "time.step=%.17g", step);
    for (int k = 0; k < sets; k++) {
        all[k + 1] = set[k];
    }
    run r = begin(text, sets + 1, all);
    advance(&r, until);
    CHECK(summary(&r)->unconverged_steps == 0);
    CHECK(ss_sim_ledger(r.sim)->closure < 1e-11); /* round-off of one segment */
    f.n = r.model->nq + r.model->nv;
    CHECK(f.n <= MOST_STATE);
    memcpy(f.x, ss_sim_q(r.sim), (size_t)r.model->nq * sizeof(double));
    memcpy(f.x + r.model->nq, ss_sim_v(r.sim), (size_t)r.model->nv * sizeof(double));
    leave(&r);
    return f;
}

static inline double apart(const final *a, const final *b)
{
    double most = 0;
    for (int i = 0; i < a->n; i++) {
        most = fmax(most, fabs(a->x[i] - b->x[i]));
    }
    return most;
}

/* log2 of |x(h) - x(h/2)| / |x(h/2) - x(h/4)|, of positions and velocities at the end */
static inline double order_of(const char *text, double until, double step, int sets, const char *const *set)
{
    const final a = run_to(text, until, step, sets, set), b = run_to(text, until, step / 2, sets, set),
                c = run_to(text, until, step / 4, sets, set);
    const double order = log2(apart(&a, &b) / apart(&b, &c));
    print_message("order %.3f, the last difference is %.3g\n", order, apart(&b, &c));
    return order;
}

#endif
