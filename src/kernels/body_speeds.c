/* body_speeds.c - how fast the points of each body's shapes can be within a substep.
 *
 *     speed of the fastest point <= |v| + radius |omega|,   the same for accelerations
 *
 * A gyroscopic acceleration turns with its body. If that turns by more than SS_TOL_WHIRL within two steps, it pushes the body
 * nowhere, and `pull` is without it.
 * Cost   one evaluation of the forces, unless accelerations are given */
#include "kernels/body_speeds.h"
#include "base/parallel.h"
#include "base/tolerances.h"
#include "math/worse.h"
#include <math.h>

enum { GRAIN = 512 }; /* bodies that one thread takes at a time */

/* ---- life ---------------------------------------------------------------------------------------- */

void ss_body_speeds_destroy(ss_body_speeds *x)
{
    if (!x) {
        return;
    }
    void *owned[] = { x->radius, x->speed, x->speed_before, x->gain, x->pull, x->steady, x->whirls };
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) {
        ss_free(x->ctx, owned[i]);
    }
    ss_free_motion_destroy(x->free);
    ss_free(x->ctx, x);
}

static ss_status fill(ss_body_speeds *x)
{
    const ss_model *m = x->m;
    double **of_bodies[] = { &x->radius, &x->speed, &x->speed_before, &x->gain, &x->pull };
    for (size_t i = 0; i < sizeof of_bodies / sizeof *of_bodies; i++) {
        SS_TRY(ss_calloc(x->ctx, (size_t)m->bodies, sizeof(double), of_bodies[i]));
    }
    SS_TRY(ss_calloc(x->ctx, (size_t)m->nv, sizeof(double), &x->steady));
    SS_TRY(ss_calloc(x->ctx, (size_t)m->bodies, sizeof *x->whirls, &x->whirls));
    for (int i = 0; i < m->shapes; i++) {
        double radius = ss_shape_radius(&m->shape[i]), *of_body = &x->radius[m->shape_body[i]];
        *of_body = fmax(*of_body, isfinite(radius) ? radius : 0);
    }
    return ss_free_motion_create(x->ctx, m, &x->free);
}

ss_status ss_body_speeds_create(ss_context *ctx, const ss_model *m, ss_body_speeds **out)
{
    SS_TRY(ss_calloc(ctx, 1, sizeof **out, out));
    (*out)->ctx = ctx;
    (*out)->m = m;
    ss_status status = fill(*out);
    if (status != SS_OK) {
        ss_body_speeds_destroy(*out);
        *out = NULL;
    }
    return status;
}

/* ---- accelerations -------------------------------------------------------------------------------- */

/* of every body by its forces alone, unless given */
static ss_status free_acceleration(ss_body_speeds *x, ss_arena *arena, const ss_config *here, const double *velocity,
                                   const double *given)
{
    const ss_model *m = x->m;
    SS_TRY(given ? SS_OK : ss_free_motion_find_in(x->free, arena, here, velocity, 1));
    x->rates = given ? given : x->free->change;
    for (int b = 0; b < m->bodies; b++) {
        if (ss_model_is_dynamic(m, b) && !isfinite(x->rates[m->body_v[b]])) {
            return ss_fail(x->ctx, SS_ERR_NUMERIC, "the force on %s is not finite", m->body_name[b]);
        }
    }
    return SS_OK;
}

/* The same without gyroscopic accelerations; what is given has none that are known. */
static ss_status steady_acceleration(ss_body_speeds *x, bool given)
{
    const int nv = x->m->nv;
    if (given) {
        memcpy(x->steady, x->rates, (size_t)nv * sizeof *x->steady);
        return SS_OK;
    }
    const double *gyroscopic = x->free->by_class + SS_FORCE_GYROSCOPIC * nv;
    for (int i = 0; i < nv; i++) {
        x->steady[i] = x->free->impulse[i] - gyroscopic[i];
    }
    return ss_free_motion_divide(x->free, x->steady);
}

/* ---- speeds --------------------------------------------------------------------------------------- */

/* speed of the fastest point of a body that moves with `velocity` */
static double point_speed(const ss_body_speeds *x, const ss_config *here, const double *velocity, int body)
{
    ss_vec3 twist[2];
    ss_model_twist(x->m, here, velocity, body, twist);
    return ss_norm(twist[0]) + x->radius[body] * ss_norm(twist[1]);
}

static bool whirls(const ss_model *m, const ss_config *here, const double *velocity, int body, double h)
{
    ss_vec3 twist[2];
    ss_model_twist(m, here, velocity, body, twist);
    return h * ss_norm(twist[1]) > SS_TOL_WHIRL;
}

typedef struct motion {
    ss_body_speeds *x;
    const ss_config *here;
    const double *velocity, *before;
    double h; /* in which a body whirls or does not */
} motion;

static void find_range(void *data, int begin, int end)
{
    const motion *w = data;
    ss_body_speeds *x = w->x;
    for (int b = begin; b < end; b++) {
        const bool dynamic = ss_model_is_dynamic(x->m, b);
        x->speed[b] = point_speed(x, w->here, w->velocity, b);
        x->speed_before[b] = point_speed(x, w->here, w->before, b);
        x->gain[b] = dynamic ? point_speed(x, w->here, x->rates, b) : 0;
        x->whirls[b] = dynamic && whirls(x->m, w->here, w->velocity, b, w->h);
        x->pull[b] = x->gain[b];
    }
}

/* steady accelerations are found only where a body whirls */
static ss_status pull_whirling(ss_body_speeds *x, const ss_config *here, bool given)
{
    bool known = false;
    for (int b = 0; b < x->m->bodies; b++) {
        if (x->whirls[b]) {
            SS_TRY(known ? SS_OK : steady_acceleration(x, given));
            known = true;
            x->pull[b] = point_speed(x, here, x->steady, b);
        }
    }
    return SS_OK;
}

ss_status ss_body_speeds_find(ss_body_speeds *x, const ss_stepper *s, const ss_config *here, const double *velocity,
                              const double *given)
{
    const ss_arena_mark mark = ss_arena_save(s->arena);
    SS_TRY(free_acceleration(x, s->arena, here, velocity, given));
    ss_parallel_for(x->ctx, x->m->bodies, GRAIN, find_range, &(motion){ x, here, velocity, s->now->v, 2 * s->h_nominal });
    SS_TRY(pull_whirling(x, here, given != NULL));
    ss_arena_release(s->arena, mark);
    return SS_OK;
}

double ss_body_speeds_ways(const ss_body_speeds *x, double h, double *way)
{
    double farthest = 0;
    for (int b = 0; b < x->m->bodies; b++) {
        way[b] = h * (x->speed[b] + h * x->gain[b]);
        farthest = fmax(farthest, way[b]);
    }
    return farthest;
}

double ss_body_speeds_turn(const ss_model *m, const ss_config *here, const double *v, const ss_contact *c, double h)
{
    double turn = 0;
    for (int i = 0; i < 2; i++) {
        ss_vec3 twist[2];
        ss_model_twist(m, here, v, c->at[i].body, twist);
        turn = ss_worse(turn, h * ss_norm(twist[1]));
    }
    return turn;
}
