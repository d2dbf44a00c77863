/* result_names.c - what the columns of a result are called: coordinates, poses of driven bodies, reactions,
 * stresses of elements; and their units.
 *
 *   coordinates   BODY.x BODY.y BODY.angle, BODY.vx ..   (ss_coordinate_name)
 *   reactions     JOINT.force_x .., JOINT.motor.torque   (ss_model_joint_row_name)
 *   stresses      BEAM.3.moment, BLOCK.5.von_mises       (ss_stress_names)
 *
 * The pose of a driven body has the names that a rigid body's coordinates have. */
#include "io/result_names.h"
#include "io/result.h"
#include "io/writer.h"
#include "model/elements.h"

#include <stdio.h>

/* ---- coordinates ------------------------------------------------------------------------------- */

static ss_status add_coordinates(ss_context *ctx, const ss_model *m, int body, bool velocity, int n, ss_name_list *list)
{
    char name[256];
    for (int k = 0; k < n; k++) {
        ss_coordinate_name(m, body, velocity, k, name, sizeof name);
        SS_TRY(ss_name_list_add(ctx, list, name));
    }
    return SS_OK;
}

ss_status ss_names_of_coordinates(ss_context *ctx, const ss_model *m, bool velocity, ss_name_list *list)
{
    for (int b = 0; b < m->bodies; b++) {
        SS_TRY(add_coordinates(ctx, m, b, velocity, ss_body_coordinates(m, b, velocity), list));
    }
    return SS_OK;
}

void ss_model_coordinate_name(const ss_model *m, bool velocity, int k, char *text, size_t size)
{
    int body = 0, n = m->bodies > 0 ? ss_body_coordinates(m, 0, velocity) : 0;
    while (body + 1 < m->bodies && k >= n) {
        k -= n;
        n = ss_body_coordinates(m, ++body, velocity);
    }
    if (size > 0) {
        text[0] = '\0';
    }
    if (k >= 0 && k < n) {
        ss_coordinate_name(m, body, velocity, k, text, size);
    }
}

/* ---- driven bodies ----------------------------------------------------------------------------- */

int ss_driven_numbers(const ss_model *m) { return m->dimension == 2 ? 3 : 7; }

ss_status ss_names_of_driven(ss_context *ctx, const ss_model *m, ss_name_list *list)
{
    for (int b = 0; b < m->bodies; b++) {
        SS_TRY(add_coordinates(ctx, m, b, false, m->body_type[b] == SS_BODY_DRIVEN ? ss_driven_numbers(m) : 0, list));
    }
    return SS_OK;
}

void ss_driven_poses(const ss_model *m, double t, const double *q, double *out)
{
    for (int b = 0; b < m->bodies; b++) {
        if (m->body_type[b] == SS_BODY_DRIVEN) {
            double position[3], orientation[4], angle;
            ss_model_body_pose(m, b, t, q, position, orientation, &angle);
            memcpy(out, position, (size_t)m->dimension * sizeof *out);
            memcpy(out + m->dimension, m->dimension == 2 ? &angle : orientation, (m->dimension == 2 ? 1 : 4) * sizeof *out);
            out += ss_driven_numbers(m);
        }
    }
}

/* ---- parts ------------------------------------------------------------------------------------- */

ss_status ss_names_of_reactions(ss_context *ctx, const ss_model *m, ss_name_list *list)
{
    char name[256];
    for (int j = 0; j < m->joints; j++) {
        for (int k = 0; k < ss_model_joint_rows(m, j); k++) {
            snprintf(name, sizeof name, "%s.%s", m->joint_name[j], ss_model_joint_row_name(m, j, k));
            SS_TRY(ss_name_list_add(ctx, list, name));
        }
    }
    return SS_OK;
}

/* a list and whose memory it takes */
typedef struct name_sink {
    ss_context *ctx;
    ss_name_list *list;
} name_sink;

static ss_status put_into(void *user, const char *name)
{
    const name_sink *to = user;
    return ss_name_list_add(to->ctx, to->list, name);
}

ss_status ss_names_of_stresses(ss_context *ctx, const ss_model *m, ss_name_list *list)
{
    return ss_stress_names(m, put_into, &(name_sink){ ctx, list });
}

static ss_status add_all(ss_context *ctx, int n, char *const *name, ss_name_list *list)
{
    for (int k = 0; k < n; k++) {
        SS_TRY(ss_name_list_add(ctx, list, name[k]));
    }
    return SS_OK;
}

ss_status ss_names_of_outputs(ss_context *ctx, const ss_model *m, ss_name_list *list)
{
    return add_all(ctx, m->outputs.columns, m->outputs.name, list);
}

ss_status ss_names_of_bodies(ss_context *ctx, const ss_model *m, ss_name_list *list)
{
    return add_all(ctx, m->bodies, m->body_name, list);
}

ss_status ss_names_of_joints(ss_context *ctx, const ss_model *m, ss_name_list *list)
{
    return add_all(ctx, m->joints, m->joint_name, list);
}

/* ---- units ------------------------------------------------------------------------------------- */

ss_status ss_units_of_names(ss_context *ctx, int n, const char *const *name, ss_name_list *list)
{
    for (int k = 0; k < n; k++) {
        const char *unit = ss_unit_of(name[k]);
        SS_TRY(ss_name_list_add(ctx, list, *unit ? unit : "1"));
    }
    return SS_OK;
}
