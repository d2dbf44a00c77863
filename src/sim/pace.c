/* pace.c - how fast a scene moves: the time scale of its start, and how long a trial may be that follows its motion.
 *
 *   scale     T = min over bodies of unit/|v| and sqrt(unit/|a|), a the accelerations by forces alone, |v| also of driven bodies;
 *             before that the first of .., 1/2, 1, 2, .. s by which a function of time may have moved a body by its unit
 *   speeds    unit/|v| of any velocities: a body that creeps at first says nothing about the time of what will move it
 *   turns     TURN/|w| of the fastest body. Order 1 with joints in 3D is unstable at a quarter of a turn in each half.
 *   springs   w^2 = |M^-1 k_q v|_b/|v|_b of each body b: the frequency of what is moving now. |v|_b is the largest of b and of
 * the bodies whose motion changes forces on b: a fast body elsewhere says nothing about b. A trial spans SWING/w at most, where
 * |v|_b/w, the size of the vibration, is more than the tolerance. Longer steps damp it away, one as well as two, and do not see
 * it. What is at rest on a stiff spring has no limit.
 *
 * Norm   the largest of all bodies, each in its unit (the model's length, a radian, or what a block says)
 * Cost   a Jacobian of the forces and a factorisation of M, where there are springs */
#include "sim/pace.h"
#include "math/worse.h"
#include "model/stiff.h"
#include <math.h>

static const double TURN = 2;               /* rad of a turn in a trial, that is one in each half */
static const double SWING = 3;              /* rad of a vibration in a trial */
enum { LADDER_FROM = -30, LADDER_TO = 30 }; /* powers of two */

ss_status ss_pace_create(ss_context *ctx, const ss_model *m, ss_pace *out)
{
    *out = (ss_pace){ .ctx = ctx, .model = m, .swings = ss_model_has_stiff(m), .timed = ss_model_is_timed(m) };
    SS_TRY(ss_free_motion_create(ctx, m, &out->free));
    SS_TRY(ss_calloc(ctx, (size_t)m->nv, sizeof *out->rate, &out->rate));
    return ss_calloc(ctx, (size_t)m->nv, sizeof *out->speed, &out->speed);
}

void ss_pace_destroy(ss_pace *pace)
{
    if (pace->ctx) {
        ss_free_motion_destroy(pace->free);
        ss_csr_free(pace->ctx, &pace->k_q);
        ss_csr_free(pace->ctx, &pace->k_v);
        ss_free(pace->ctx, pace->rate);
        ss_free(pace->ctx, pace->speed);
    }
}

/* ---- the scale of the start ---------------------------------------------------------------------- */

/* For each component of x: the length of the vector of a body that it belongs to, in units. */
static void measure(const ss_model *m, const double *x, double *size)
{
    for (int b = 0; b < m->bodies; b++) {
        const int at = m->body_v[b], end = at + (ss_model_is_dynamic(m, b) ? m->mass.diagonal.size[m->body_block[b]] : 0);
        for (int i = at, n; i < end; i += n) {
            double sum = 0;
            n = ss_model_vector_size(m, b, i - at);
            for (int k = i; k < i + n; k++) {
                sum = hypot(sum, x[k]);
            }
            for (int k = i; k < i + n; k++) {
                size[k] = sum / m->v_unit[i];
            }
        }
    }
}

/* the largest vector of all bodies, in units */
static double size_of(ss_pace *pace, const double *x)
{
    double worst = 0;
    measure(pace->model, x, pace->speed);
    for (int i = 0; i < pace->model->nv; i++) {
        worst = ss_worse(worst, pace->speed[i]);
    }
    return worst;
}

/* the largest velocity of a driven body, in units */
static double drive_of(const ss_model *m, const ss_config *c)
{
    double worst = 0;
    for (int b = 0; b < m->bodies; b++) {
        worst = ss_worse(worst, ss_worse(ss_norm(c->drive[2 * b]) / m->length, ss_norm(c->drive[2 * b + 1])));
    }
    return worst;
}

/* Velocities and accelerations, in units, that things would have at time t where they were at the start. */
static ss_status look(ss_pace *pace, ss_config *c, double t, double *speed, double *acceleration)
{
    const ss_model *m = pace->model;
    ss_config_set(m, t, m->q0, c);
    ss_config_drive(m, t, t, c);
    SS_TRY(ss_free_motion_find(pace->free, c, m->v0, 1));
    *speed = ss_worse(size_of(pace, m->v0), drive_of(m, c));
    *acceleration = size_of(pace, pace->free->change);
    return SS_OK;
}

ss_status ss_pace_scale(ss_pace *pace, ss_arena *arena, double *time)
{
    const ss_model *m = pace->model;
    double speed, acceleration;
    ss_config c;
    ss_arena_mark mark = ss_arena_save(arena);
    SS_TRY(ss_config_take(arena, m, &c));
    SS_TRY(look(pace, &c, 0, &speed, &acceleration));
    *time = fmin(1 / speed, 1 / sqrt(acceleration));
    for (int k = LADDER_FROM; pace->timed && k <= LADDER_TO && exp2(k) < *time; k++) {
        const double t = exp2(k);
        SS_TRY(look(pace, &c, t, &speed, &acceleration));
        *time = speed * t >= 1 || acceleration * t * t >= 1 || ss_model_time_reaches(m, t) ? t : *time;
    }
    ss_arena_release(arena, mark);
    return SS_OK;
}

double ss_pace_of_speeds(ss_pace *pace, const double *v) { return 1 / size_of(pace, v); }

/* ---- limits -------------------------------------------------------------------------------------- */

double ss_pace_of_turns(const ss_model *m, const double *v)
{
    double fastest = 0;
    for (int b = 0; b < m->bodies; b++) {
        if (m->body_type[b] == SS_BODY_RIGID) {
            const double *own = v + m->body_v[b];
            fastest = ss_worse(fastest, m->dimension == 2 ? fabs(own[2]) : ss_norm(ss_v3_from(own + 3)));
        }
    }
    return TURN / fastest;
}

/* Of a body: the largest rate, and the largest speed of it and of what changes forces on it by its motion; in units. */
static void look_around(const ss_pace *pace, int body, double *rate, double *speed)
{
    const ss_model *m = pace->model;
    const int at = m->body_v[body], end = at + (ss_model_is_dynamic(m, body) ? m->mass.diagonal.size[m->body_block[body]] : 0);
    *rate = *speed = 0;
    for (int i = at; i < end; i++) {
        *rate = ss_worse(*rate, pace->rate[i]);
        *speed = ss_worse(*speed, pace->speed[i]);
        for (int k = pace->k_q.p[i]; k < pace->k_q.p[i + 1]; k++) {
            *speed = pace->k_q.x[k] != 0 ? ss_worse(*speed, pace->speed[pace->k_q.i[k]]) : *speed;
        }
    }
}

ss_status ss_pace_of_springs(ss_pace *pace, ss_arena *arena, double t, const double *q, const double *v, double least,
                             double *longest)
{
    const ss_model *m = pace->model;
    *longest = INFINITY;
    if (!pace->swings || size_of(pace, v) == 0) {
        return SS_OK;
    }
    ss_config c;
    ss_arena_mark mark = ss_arena_save(arena);
    SS_TRY(ss_config_take(arena, m, &c));
    ss_config_set(m, t, q, &c);
    SS_TRY(ss_free_motion_find(pace->free, &c, v, 1));
    SS_TRY(ss_model_force_jacobian(pace->ctx, m, &c, v, &pace->k_q, &pace->k_v));
    ss_csr_times(&pace->k_q, 1, v, 0, pace->rate);
    SS_TRY(ss_free_motion_divide(pace->free, pace->rate));
    measure(m, pace->rate, pace->rate);
    for (int b = 0; b < m->bodies; b++) {
        double rate, speed;
        look_around(pace, b, &rate, &speed);
        const double w = speed > 0 ? sqrt(rate / speed) : 0;
        *longest = speed > least * w ? fmin(*longest, SWING / w) : *longest;
    }
    ss_arena_release(arena, mark);
    return SS_OK;
}
