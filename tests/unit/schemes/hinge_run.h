/* hinge_run.h - a body on a hinge that passes through its centre, without gravity: it turns at one speed until something stops
 * it. Each scheme of the registry, with fixed steps and with a tolerance. */
#ifndef SS_TEST_HINGE_RUN_H
#define SS_TEST_HINGE_RUN_H

#include "text_run.h"
#include <float.h>

static const double tolerance = 1e-6; /* of runs with step control */
static const double rough = 1e-5;     /* the same of schemes of order 1, whose steps go with its power 3/4 */

typedef struct hinge {
    int dimension;
    double axis[3];  /* of the world, of unit length */
    bool swapped;    /* the body comes first: the angle counts the other way */
    double rate;     /* of the angle, rad/s */
    const char *own; /* further keys of the joint */
} hinge;

/* how a scheme is run */
typedef struct way {
    const ss_entry *scheme;
    bool controlled;
    double step;
} way;

static inline int ways(void) { return 2 * tested_schemes(); }

static inline way way_of(int k, double step) { return (way){ ss_registry_entry(SS_SCHEMES, k / 2), k % 2 == 1, step }; }

static inline void print_way(const way *w) { print_message("%s%s\n", w->scheme->name, w->controlled ? ", step control" : ""); }

/* By how much a body that came at this rate may be off the limit where it stands: round-off if the scheme reports when it was
 * reached; two steps, one to notice it and one to stop; or ten times the tolerance. */
static inline double overrun(const run *r, const way *w, double rate)
{
    const double step = w->controlled ? 5 * tolerance * fmax(1, 1 / fabs(rate)) : w->step;
    return summary(r)->events > 0 ? 1e-9 : 2 * step * fabs(rate);
}

static inline double tolerance_of(const way *w) { return w->scheme->order.smooth > 1 ? tolerance : rough; }

/* `extra`: one more setting, or NULL */
static inline run begin_way(const char *text, const way *w, const char *extra)
{
    char name[64], time[64];
    const char *set[3] = { name, time, extra };
    snprintf(name, sizeof name, "scheme.name=%s", w->scheme->name);
    snprintf(time, sizeof time, w->controlled ? "time.tol=%.17g" : "time.step=%.17g", w->controlled ? tolerance_of(w) : w->step);
    return begin(text, extra ? 3 : 2, set);
}

static inline void write_hinge(const hinge *x, char *text, size_t size)
{
    const double *a = x->axis, w = x->swapped ? -x->rate : x->rate;
    char spin[128], axis[128] = "";
    snprintf(spin, sizeof spin, x->dimension == 2 ? "%.17g" : "[%.17g,%.17g,%.17g]", w * (x->dimension == 2 ? 1 : a[0]), w * a[1],
             w * a[2]);
    if (x->dimension == 3) {
        snprintf(axis, sizeof axis, ",'axis':[%.17g,%.17g,%.17g]", a[0], a[1], a[2]);
    }
    snprintf(text, size,
             "{'slipstick':1,'dimension':%d,'gravity':%s,'time':{'until':1,'step':0.01},'bodies':[{'name':'c','type':'rigid',"
             "'mass':1,'inertia':%s,'angular_velocity':%s}],'joints':[{'name':'j','type':'revolute','bodies':[%s]%s,%s}]}",
             x->dimension, x->dimension == 2 ? "[0,0]" : "[0,0,0]", x->dimension == 2 ? "0.1" : "[0.1,0.1,0.1]", spin,
             x->swapped ? "'c','world'" : "'world','c'", axis, x->own);
}

static inline run begin_hinge(const hinge *x, const way *w)
{
    char text[1024];
    write_hinge(x, text, sizeof text);
    return begin_way(text, w, NULL);
}

/* the coordinate of joint j now, and its rate */
static inline double angle_of(const run *r, int j, double *rate)
{
    ss_arena *arena = NULL;
    ss_config c;
    ss_twist_row row;
    ss_vec3 twist[2][2];
    CHECK_OK(r->ctx, ss_arena_create(r->ctx, 4096, &arena));
    CHECK_OK(r->ctx, ss_config_take(arena, r->model, &c));
    ss_config_set(r->model, ss_sim_time(r->sim), ss_sim_q(r->sim), &c);
    ss_config_drive(r->model, ss_sim_time(r->sim), ss_sim_time(r->sim), &c);
    double angle = ss_model_joint_coordinate(r->model, &c, j, &row);
    *rate = 0;
    for (int k = 0; k < 2; k++) {
        ss_model_twist(r->model, &c, ss_sim_v(r->sim), r->model->joint[j].at[k].body, twist[k]);
        *rate += ss_dot(row.ang[k], twist[k][1]);
    }
    ss_arena_destroy(arena);
    return angle;
}

/* Every step was certified, and the energies of the whole run add up, to what every step rounds of sums that are no larger than
 * all that was exchanged. (The ledger's own measure is relative to what one step exchanges, which is nothing but round-off while
 * a body stands at its limit.) */
static inline void end_certified(run *r)
{
    const ss_ledger *l = ss_sim_ledger(r->sim);
    CHECK(summary(r)->unconverged_steps == 0);
    CHECK(summary(r)->remark[SS_REMARK_HANDED].steps == 0); /* Runge-Kutta methods solve their stages themselves */
    CHECK_NEAR(l->kinetic_change, ss_ledger_sum(l),
               1e-12 * (1 + summary(r)->energy_max) + DBL_EPSILON * (double)summary(r)->steps * l->exchanged);
    leave(r);
}

#endif
