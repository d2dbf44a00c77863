/* motion.c - driven bodies that a program moves.
 *
 *     x(t) = x0 + v (t - t0),     turned about its axis by  a0 + w (t - t0)  since t = 0
 *
 * from the time t0 of the call on. Where the body is at t0 cannot be set: a place that is farther off than a jump that scenes are
 * refused for (driven_jumps.c) is refused here, too. A place within that distance is taken as it is given, so that rounding of
 * the caller's positions does not add up. */
#include "base/tolerances.h"
#include "sim/sim.h"
#include <math.h>

static ss_status check_driven_body(const ss_sim *sim, int body)
{
    const ss_model *m = sim->model;
    SS_TRY(ss_sim_check_index(sim, "body", body, m->bodies));
    return m->body_type[body] == SS_BODY_DRIVEN ? SS_OK
                                                : ss_fail(sim->ctx, SS_ERR_INPUT, "body %.80s: it is %s: expected a driven body",
                                                          m->body_name[body], ss_body_type_name(m->body_type[body]));
}

static ss_status read_motion(const ss_sim *sim, int body, ss_motion *out)
{
    const ss_model *m = sim->model;
    ss_config c;
    SS_TRY(ss_sim_place(sim, NULL, &c));
    ss_v3_to(c.frame[body].p, out->position);
    ss_v3_to(c.drive[2 * body], out->velocity);
    out->angle = ss_model_driven_angle(m, body, sim->now.t);
    out->rate = ss_dot(c.drive[2 * body + 1], m->body_motion_axis[body]);
    return SS_OK;
}

ss_status ss_sim_motion(const ss_sim *sim, int body, ss_motion *out)
{
    SS_TRY(check_driven_body(sim, body));
    const ss_arena_mark mark = ss_arena_save(sim->arena);
    const ss_status status = read_motion(sim, body, out);
    ss_arena_release(sim->arena, mark);
    return status;
}

/* ---- setting ------------------------------------------------------------------------------------------- */

static ss_status check_finite(const ss_sim *sim, int body, const ss_motion *motion)
{
    const char *name = sim->model->body_name[body];
    SS_TRY(ss_sim_check_numbers(sim, "body", name, "position", motion->position));
    SS_TRY(ss_sim_check_numbers(sim, "body", name, "velocity", motion->velocity));
    if (!isfinite(motion->angle) || !isfinite(motion->rate)) {
        return ss_fail(sim->ctx, SS_ERR_INPUT, "body %.80s: its angle is %g and its rate %g, expected finite numbers", name,
                       motion->angle, motion->rate);
    }
    if (sim->model->dimension == 2 && motion->velocity[2] != 0) {
        return ss_fail(sim->ctx, SS_ERR_INPUT, "body %.80s: in 2D a velocity has no z: expected 0, got %g", name,
                       motion->velocity[2]);
    }
    return SS_OK;
}

/* a motion that begins where the body is not */
static ss_status check_jump(const ss_sim *sim, int body, const ss_motion *motion)
{
    const ss_model *m = sim->model;
    ss_motion now;
    SS_TRY(read_motion(sim, body, &now));
    const double off = ss_norm(ss_sub(ss_v3_from(motion->position), ss_v3_from(now.position)));
    const double turned = fabs(motion->angle - now.angle);
    if (off <= SS_TOL_UNSEEN * m->length && turned <= SS_TOL_UNSEEN) {
        return SS_OK;
    }
    return ss_fail(sim->ctx, SS_ERR_INPUT,
                   "body %.80s: its motion jumps by %.9g m and %.9g rad at t = %.9g s; a prescribed motion must be continuous: "
                   "give a velocity that leads there",
                   m->body_name[body], off, turned, sim->now.t);
}

static ss_status set_motion(ss_sim *sim, int body, const ss_motion *motion)
{
    SS_TRY(check_driven_body(sim, body));
    SS_TRY(check_finite(sim, body, motion));
    const ss_arena_mark mark = ss_arena_save(sim->arena);
    const ss_status status = check_jump(sim, body, motion);
    ss_arena_release(sim->arena, mark);
    SS_TRY(status);
    ss_input in = { .kind = SS_INPUT_MOTION, .index = body };
    memcpy(in.value + SS_MOTION_PLACE, motion->position, sizeof motion->position);
    memcpy(in.value + SS_MOTION_RATE, motion->velocity, sizeof motion->velocity);
    in.value[SS_MOTION_PLACE + 3] = motion->angle + sim->model->body_motion_zero[body];
    in.value[SS_MOTION_RATE + 3] = motion->rate;
    in.value[SS_MOTION_SINCE] = sim->now.t;
    return ss_sim_put_input(sim, &in);
}

ss_status ss_sim_set_motion(ss_sim *sim, int body, const ss_motion *motion)
{
    int before;
    SS_TRY(ss_usage_enter(sim, true, &before));
    const ss_status status = set_motion(sim, body, motion);
    ss_usage_leave(sim, before);
    return status;
}

ss_status ss_sim_body_pose(const ss_sim *sim, int body, double position[3], double orientation[4], double *angle)
{
    SS_TRY(ss_sim_check_index(sim, "body", body, sim->model->bodies));
    ss_model_body_pose(sim->model, body, sim->now.t, sim->now.q, position, orientation, angle);
    return SS_OK;
}
