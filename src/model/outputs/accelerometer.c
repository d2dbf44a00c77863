/* accelerometer.c - what an accelerometer at a point of a body reads, in the axes of the body:
 *
 *     R' [(v1 - v0)/h - g]        v0, v1: velocity of the point at the start and the end of the step;  R: axes at its end
 *
 * the mean over the step. At rest it reads -g, in free fall 0. In a step with an impact it has the jump of the velocity in it,
 * divided by h: h times the readings, turned into the world, adds up to the change of velocity less g t, whatever the steps. */
#include "model/attachment.h"
#include "model/fields.h"
#include "model/outputs.h"

static const ss_field fields[] = { SS_OUTPUT_NAMES, SS_OUTPUT_BODY, SS_OUTPUT_POINT, SS_FIELD_END };

static void read(const ss_output *o, const ss_instant *at, double *out)
{
    double a[3];
    ss_spot before[2], now[2];
    ss_spots_moving(at->m, at->from, at->v_from, o->at, before);
    ss_spots_moving(at->m, at->c, at->v, o->at, now);
    const ss_vec3 mean = ss_scale(1 / at->h, ss_sub(now[0].v, before[0].v));
    ss_v3_to(ss_unrotate(now[0].R, ss_sub(mean, at->m->gravity)), a);
    memcpy(out, a, (size_t)at->m->dimension * sizeof *out);
}

const ss_output_type ss_output_accelerometer = {
    .info = { .name = "accelerometer",
              .title = "mean acceleration of a point less gravity, body axes",
              .dimensions = 4 | 8,
              .fields = fields },
    .of_step = true,
    .column = { { { "ax", "m/s^2" }, { "ay", "m/s^2" } }, { { "ax", "m/s^2" }, { "ay", "m/s^2" }, { "az", "m/s^2" } } },
    .read = read,
};
