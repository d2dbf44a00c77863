/* sliding.c - a block that moves along a line of a rough plane and does not turn.
 *
 *   m u' = m g sin(angle) + F sin(omega t + phase) - mu N sgn(u),   N = m g cos(angle)      coulomb.c
 *
 * It is a particle, or a rigid body that stands on corners and does not tip over. In 3D the velocity, the force and the slope
 * must lie on one line: the path of a block thrown across a slope is curved. */
#include "exact/sliding.h"
#include "base/tolerances.h"

#include "exact/coulomb.h"
#include "exact/resting.h"

typedef struct sliding {
    ss_resting rest;
    ss_vec3 along;
    ss_coulomb slip;
} sliding;

/* along the force if there is one, else along the velocity, else down the slope */
static ss_status find_line(const ss_exact *x, sliding *s, ss_vec3 force)
{
    ss_vec3 velocity = s->rest.velocity, by_force, by_velocity;
    bool moves = ss_norm(velocity) > 0, pushed = ss_norm(force) > 0;
    SS_TRY(ss_exact_find_line(x, &s->rest, force, ss_norm(force), &by_force));
    SS_TRY(ss_exact_find_line(x, &s->rest, velocity, ss_norm(velocity), &by_velocity));
    if (moves && pushed && ss_norm(ss_cross(by_force, by_velocity)) > SS_TOL_EXACT) {
        return ss_exact_refuse(x, "expected the velocity and the force on one line");
    }
    s->along = pushed ? by_force : by_velocity;
    return SS_OK;
}

/* the grip if the block slips at first, else no more than it takes to keep it at rest */
static double largest_friction(const ss_coulomb *slip)
{
    return slip->speed == 0 ? fmin(slip->grip, fabs(slip->pull) + fabs(slip->swing)) : slip->grip;
}

static ss_status fill(const ss_exact *x, const ss_force *swing, sliding *s)
{
    ss_vec3 force = swing ? swing->force : ss_v3(0, 0, 0);
    SS_TRY(ss_exact_find_resting(x, &s->rest));
    SS_TRY(find_line(x, s, force));
    s->slip = (ss_coulomb){ .pull = ss_dot(s->rest.slope, s->along),
                            .swing = ss_dot(force, s->along) / x->model->body_mass[s->rest.body],
                            .omega = swing ? swing->omega : 0,
                            .phase = swing ? swing->phase : 0,
                            .grip = s->rest.mu * s->rest.press,
                            .speed = ss_dot(s->rest.velocity, s->along) };
    SS_TRY(ss_exact_check_upright(x, &s->rest, s->along, largest_friction(&s->slip)));
    return ss_coulomb_prepare(x->ctx, x->model->settings.until, &s->slip);
}

ss_status ss_sliding_create(const ss_exact *x, const ss_force *swing, void **data)
{
    SS_TRY(ss_calloc(x->ctx, 1, sizeof(sliding), data));
    return fill(x, swing, *data);
}

void ss_sliding_destroy(ss_context *ctx, void *data) { ss_coulomb_free(ctx, &((sliding *)data)->slip); }

ss_status ss_sliding_at(const ss_exact *x, double t, int side, double *q, double *v)
{
    (void)side; /* v does not jump */
    const sliding *s = x->data;
    double y, u;
    SS_TRY(ss_coulomb_at(x->ctx, &s->slip, t, &y, &u));
    ss_exact_put(x, &s->rest, ss_scale(y, s->along), ss_scale(u, s->along), q, v);
    return SS_OK;
}

double ss_sliding_next_kink(const ss_exact *x, double t) { return ss_coulomb_next(&((const sliding *)x->data)->slip, t); }
