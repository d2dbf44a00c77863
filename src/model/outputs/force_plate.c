/* force_plate.c - what all contacts of a body do to it: their force, and where it presses.
 *
 *     force = sum of the impulses on the body over the step, impacts included / h
 *     point = sum (n_k x_k + n x m_k) / sum n_k        n_k: normal impulse, x_k: place of contact k at the end of the step,
 *                                                      m_k: its moment of rolling friction, n the normal
 *
 * in world axes. For contacts on a plane that is the centre of pressure: a contact that resists rolling presses ahead of its
 * point. Where nothing presses it is the origin of the body. */
#include "model/fields.h"
#include "model/outputs.h"

static const ss_field fields[] = { SS_OUTPUT_NAMES, SS_OUTPUT_BODY, SS_FIELD_END };

static void read(const ss_output *o, const ss_instant *at, double *out)
{
    const size_t n = (size_t)at->m->dimension;
    double force[3], point[3], pressed = 0;
    ss_vec3 sum = { 0, 0, 0 }, moment = { 0, 0, 0 };
    for (int k = 0; k < at->touches; k++) {
        const ss_touch *touch = &at->touch[k];
        for (int i = 0; i < 2; i++) {
            if (touch->body[i] == o->at[0].body) {
                sum = ss_axpy(i == 0 ? 1 : -1, touch->impulse, sum);
                moment = ss_add(touch->beside, ss_axpy(touch->normal, touch->point, moment));
                pressed += touch->normal;
            }
        }
    }
    ss_v3_to(ss_scale(1 / at->h, sum), force);
    ss_v3_to(pressed > 0 ? ss_scale(1 / pressed, moment) : at->c->frame[o->at[0].body].p, point);
    memcpy(out, force, n * sizeof *out);
    memcpy(out + n, point, n * sizeof *out);
}

const ss_output_type ss_output_force_plate = {
    .info = { .name = "force_plate",
              .title = "force of all contacts on a body, and where it presses",
              .dimensions = 4 | 8,
              .fields = fields },
    .of_step = true,
    .column = { { { "force_x", "N" }, { "force_y", "N" }, { "point_x", "m" }, { "point_y", "m" } },
                { { "force_x", "N" },
                  { "force_y", "N" },
                  { "force_z", "N" },
                  { "point_x", "m" },
                  { "point_y", "m" },
                  { "point_z", "m" } } },
    .read = read,
};
