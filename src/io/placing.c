/* placing.c - parts of a group that has a place of its own, put into the world: x' = p + R x.
 *
 *   positions          points
 *   velocities, forces, torques of the world    vectors
 *   orientations       R times what they are; in 2D the angles are added
 *   joints and forces  `at` is a point; an anchor, and the axis, are of the group where the body they belong to is the world
 *   outputs            their points likewise
 *
 * What is in the frame of a body (angular velocities in 3D, anchors, shapes) stays as it is. Motions of driven bodies and forces
 * that depend on t are texts: those of their components are put together. Nothing is touched outside of such groups. */
#include "io/authoring.h"

#include <stdio.h>

/* ---- numbers ------------------------------------------------------------------------------------------------ */

/* in 2D the third number is left alone */
static void turn_vector(const ss_reader *r, double *x)
{
    const ss_vec3 turned = ss_rotate(r->scope->turn.R, ss_v3(x[0], x[1], r->dimension == 2 ? 0 : x[2]));
    x[0] = turned.x;
    x[1] = turned.y;
    x[2] = r->dimension == 2 ? x[2] : turned.z;
}

static void move_point(const ss_reader *r, double *x)
{
    const ss_vec3 origin = r->scope->origin;
    turn_vector(r, x);
    x[0] += origin.x;
    x[1] += origin.y;
    x[2] += r->dimension == 2 ? 0 : origin.z;
}

static void turn_direction(const ss_reader *r, double *x)
{
    turn_vector(r, x);
    ss_normalise(x, r->dimension);
}

static void turn_orientation(const ss_reader *r, double *q)
{
    ss_quat_to(ss_quat_product(r->scope->turn.q, ss_quat_from(q)), q);
    ss_normalise(q, 4);
}

/* ---- texts --------------------------------------------------------------------------------------------------- */

/* row . x + constant, where x are expressions in t, NULL: 0 */
static ss_status combine(ss_reader *r, const double row[3], const char *const x[3], double constant, const char **out)
{
    enum { NUMBER = 32 };
    size_t size = NUMBER, used;
    char *text;
    for (int k = 0; k < r->dimension; k++) {
        size += x[k] ? strlen(x[k]) + NUMBER : 0;
    }
    SS_TRY(ss_arena_take(r->arena, size, 1, &text));
    used = (size_t)snprintf(text, size, "%.17g", constant);
    for (int k = 0; k < r->dimension; k++) {
        if (x[k] && row[k] != 0) {
            used += (size_t)snprintf(text + used, size - used, "+(%.17g)*(%s)", row[k], x[k]);
        }
    }
    *out = text;
    return SS_OK;
}

/* R x + p of three texts; p NULL: a vector */
static ss_status turn_texts(ss_reader *r, const ss_vec3 *p, const char **x)
{
    const ss_mat3 R = r->scope->turn.R;
    const double row[3][3] = { { R.c[0].x, R.c[1].x, R.c[2].x },
                               { R.c[0].y, R.c[1].y, R.c[2].y },
                               { R.c[0].z, R.c[1].z, R.c[2].z } };
    const double constant[3] = { p ? p->x : 0, p ? p->y : 0, p ? p->z : 0 };
    const char *const given[3] = { x[0], x[1], x[2] };
    for (int k = 0; k < r->dimension; k++) {
        SS_TRY(combine(r, row[k], given, constant[k], &x[k]));
    }
    return SS_OK;
}

/* ---- bodies --------------------------------------------------------------------------------------------------- */

static ss_status place_driven(ss_reader *r, ss_body_desc *body)
{
    const char *const angle[3] = { body->motion_angle, NULL, NULL };
    const double one[3] = { 1, 0, 0 };
    SS_TRY(turn_texts(r, &r->scope->origin, body->motion));
    turn_orientation(r, body->orientation);
    if (r->dimension == 3) {
        turn_direction(r, body->motion_axis);
        return SS_OK;
    }
    return combine(r, one, angle, r->scope->angle, &body->motion_angle);
}

ss_status ss_place_body(ss_reader *r, ss_body_desc *body)
{
    if (!r->scope->placed) {
        return SS_OK;
    }
    if (body->type == SS_BODY_DRIVEN) {
        return place_driven(r, body);
    }
    move_point(r, body->position);
    turn_vector(r, body->velocity);
    turn_orientation(r, body->orientation);
    body->angle += r->scope->angle;
    return SS_OK;
}

void ss_place_elements(const ss_reader *r, ss_elements_desc *elements)
{
    if (r->scope->placed) {
        move_point(r, elements->position);
        turn_vector(r, elements->velocity);
        turn_orientation(r, elements->orientation);
        elements->angle += r->scope->angle;
    }
}

/* ---- joints and forces ------------------------------------------------------------------------------------------ */

static bool has_key(const ss_reader *r, const ss_entry *entry, const char *key)
{
    const ss_field *f = entry->fields;
    while (f->name && strcmp(f->name, key) != 0) {
        f++;
    }
    return f->name && ss_field_applies(f, r->dimension);
}

static bool is_world(const char *body) { return body && strcmp(body, "world") == 0; }

static void move_anchors(const ss_reader *r, const char *const bodies[2], double anchors[2][3])
{
    for (int k = 0; k < 2; k++) {
        if (is_world(bodies[k])) {
            move_point(r, anchors[k]);
        }
    }
}

void ss_place_joint(const ss_reader *r, const ss_entry *entry, ss_joint_desc *joint)
{
    if (!r->scope->placed) {
        return;
    }
    if (!isnan(joint->at[0])) {
        move_point(r, joint->at);
    } else if (has_key(r, entry, "anchors")) {
        move_anchors(r, joint->bodies, joint->anchors);
    }
    if (is_world(joint->bodies[0]) && has_key(r, entry, "axis")) {
        turn_direction(r, joint->axis);
    }
    if (is_world(joint->bodies[0]) && has_key(r, entry, "second_axis")) {
        turn_direction(r, joint->second_axis);
    }
}

void ss_place_output(const ss_reader *r, ss_output_desc *output)
{
    if (r->scope->placed) {
        move_anchors(r, output->bodies, output->anchors);
    }
}

/* rows of a table that came from the arena */
static void turn_rows(const ss_reader *r, int rows, const double *x)
{
    for (int k = 0; k < rows; k++) {
        turn_vector(r, (double *)x + 3 * k);
    }
}

ss_status ss_place_force(ss_reader *r, const ss_entry *entry, ss_force_desc *force)
{
    if (!r->scope->placed) {
        return SS_OK;
    }
    if (has_key(r, entry, "anchors")) {
        move_anchors(r, force->bodies, force->anchors);
    }
    turn_vector(r, force->force);
    turn_rows(r, force->table.rows, force->table.force);
    SS_TRY(force->force_t[0] ? turn_texts(r, NULL, force->force_t) : SS_OK);
    if (r->dimension == 3) { /* in 2D a torque is about z, whatever the angle of the group */
        turn_vector(r, force->torque);
        turn_rows(r, force->table.rows, force->table.torque);
        SS_TRY(force->torque_t[0] ? turn_texts(r, NULL, force->torque_t) : SS_OK);
    }
    return SS_OK;
}
