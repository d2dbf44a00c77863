/* contact.c - one contact: its value and rows at any configuration, its tangents, its name.
 *
 * A contact of two shapes has, at the middle p of its witness points and with normal n from b to a,
 *
 *     u_N = n . (v_a + w_a x (p - x_a)) - n . (v_b + w_b x (p - x_b))        and likewise along each tangent;
 *
 * both bodies meet at one point, so the impulses conserve angular momentum, and u_N is exactly the rate of
 * the gap (gap.c). A limit has u = +- the rate of its joint's coordinate x, with gap x - lower or upper - x.
 * A bounded motor has u = rate - speed(t), dry friction of a joint u = rate. A gap of a user block has the block's own rows,
 * normal and tangents, and their parts of time.
 *
 * Tangents.  2D: (n_y, -n_x). 3D: t1 = the axis a of the friction frame projected across n, t2 = n x t1; a is
 * the first axis, or the second where n is within acos(0.8) of the first. The projected grain takes the place
 * of a where friction is anisotropic. Exchanging the bodies turns n and t2 and keeps t1: the same set of
 * directions {d, -d}.
 * Cost: constant; a block's gaps are evaluated together, once for each configuration. */
#include "contact/contact.h"
#include "contact/crossing.h"
#include "contact/facet.h"
#include "contact/moment.h"
#include "model/attachment.h"
#include "model/blocks.h"
#include <stddef.h>
#include <stdio.h>

int ss_contact_id_compare(const ss_contact_id *x, const ss_contact_id *y)
{
    if (x->kind != y->kind) {
        return x->kind < y->kind ? -1 : 1;
    }
    if (x->a != y->a) {
        return x->a < y->a ? -1 : 1;
    }
    if (x->b != y->b) {
        return x->b < y->b ? -1 : 1;
    }
    return x->feature < y->feature ? -1 : x->feature > y->feature;
}

bool ss_contacts_share_body(const ss_model *m, const ss_contact *a, const ss_contact *b)
{
    bool any = false;
    for (int i = 0; i < 4; i++) {
        const int body = a->at[i / 2].body;
        any = any || (body == b->at[i % 2].body && ss_model_is_dynamic(m, body));
    }
    return any;
}

/* ---- value --------------------------------------------------------------------------------- */

/* a projected across n and normalised; zero when it lies along n */
static ss_vec3 across(ss_vec3 a, ss_vec3 n)
{
    const ss_vec3 t = ss_axpy(-ss_dot(a, n), n, a);
    const double along = 1e-6, length = ss_norm(t); /* sines */
    return length > along ? ss_scale(1 / length, t) : ss_v3(0, 0, 0);
}

ss_vec3 ss_contact_tangent_axis(const ss_model *m, const ss_config *c, const ss_contact *contact, ss_vec3 normal, int *body)
{
    *body = contact->law ? contact->grain_body : -1;
    if (*body >= 0) {
        const ss_vec3 grain = ss_rotate(c->frame[*body].R, contact->law->grain), t = across(grain, normal);
        if (ss_dot(t, t) > 0) {
            return grain;
        }
        *body = -1;
    }
    return m->friction_axes.c[fabs(ss_dot(m->friction_axes.c[0], normal)) > 0.8 ? 1 : 0];
}

void ss_contact_tangents(const ss_model *m, const ss_config *c, const ss_contact *contact, ss_vec3 normal, ss_vec3 tangent[2])
{
    if (m->dimension == 2) {
        tangent[0] = ss_v3(normal.y, -normal.x, 0);
        tangent[1] = ss_v3(0, 0, 0);
        return;
    }
    int body;
    tangent[0] = across(ss_contact_tangent_axis(m, c, contact, normal, &body), normal);
    tangent[1] = ss_cross(normal, tangent[0]);
}

_Static_assert(offsetof(ss_contact_value, excess) == offsetof(ss_gap_value, excess), "the numbers of a gap are in one order");

static void measure_gap(const ss_config *c, const ss_contact *contact, ss_contact_value *out)
{
    ss_gap_eval(&contact->gap, &c->frame[contact->at[0].body], &c->frame[contact->at[1].body], &out->of_shapes);
}

void ss_contact_measure_shapes(const ss_config *c, const ss_contact *contact, ss_contact_value *out)
{
    measure_gap(c, contact, out);
    out->tangent[0] = out->tangent[1] = ss_v3(0, 0, 0);
}

void ss_contact_eval_shapes(const ss_model *m, const ss_config *c, const ss_contact *contact, ss_contact_value *out)
{
    measure_gap(c, contact, out);
    ss_contact_tangents(m, c, contact, out->normal, out->tangent);
}

ss_status ss_contact_measure(ss_context *ctx, const ss_model *m, const ss_config *c, const ss_contact *contact,
                             ss_contact_value *out)
{
    if (contact->id.kind != SS_CONTACT_SHAPES) {
        return ss_contact_eval(ctx, m, c, contact, out);
    }
    ss_contact_measure_shapes(c, contact, out);
    return SS_OK;
}

/* gap of a limit; the row is that of the coordinate */
static double limit_gap(const ss_model *m, const ss_config *c, const ss_contact_id *id, ss_twist_row *row)
{
    const double x = ss_model_joint_coordinate(m, c, id->a, row);
    const double *limits = m->joint[id->a].limits;
    return id->b == 0 ? x - limits[0] : limits[1] - x;
}

/* a user block has no directions in the world: slip and friction along its tangents are given in axes y, z of their own */
static ss_status eval_block(ss_context *ctx, const ss_model *m, const ss_config *c, const ss_contact_id *id,
                            ss_contact_value *out)
{
    const ss_block_gaps *gaps;
    SS_TRY(ss_block_gaps_at(ctx, m, c, id->a, &gaps));
    out->gap = gaps->gap[id->b];
    if (ss_block_gap_rows(m, m->body_callbacks[id->a]) > 1) {
        out->tangent[0] = ss_v3(0, 1, 0);
        out->tangent[1] = ss_v3(0, 0, 1);
    }
    return SS_OK;
}

ss_status ss_contact_eval(ss_context *ctx, const ss_model *m, const ss_config *c, const ss_contact *contact,
                          ss_contact_value *out)
{
    *out = (ss_contact_value){ .outside = -INFINITY };
    switch ((ss_contact_kind)contact->id.kind) {
    case SS_CONTACT_SHAPES:
        ss_contact_eval_shapes(m, c, contact, out);
        break;
    case SS_CONTACT_LIMIT: {
        ss_twist_row row;
        out->gap = limit_gap(m, c, &contact->id, &row);
        break;
    }
    case SS_CONTACT_MOTOR:
        break;
    case SS_CONTACT_BLOCK:
        return eval_block(ctx, m, c, &contact->id, out);
    case SS_CONTACT_FACET:
        ss_facet_eval(m, c, contact, out);
        break;
    case SS_CONTACT_CROSSING:
        ss_crossing_eval(m, c, contact, out);
        break;
    case SS_CONTACT_ROLLING:
    case SS_CONTACT_SPINNING:
        ss_contact_eval_shapes(m, c, contact, out);
        out->gap = 0;
        out->outside = -INFINITY;
        break;
    }
    return SS_OK;
}

/* ---- rows ---------------------------------------------------------------------------------- */

/* One row of two spots, entries and their columns; returned is how many there are. */
static int write_row(const ss_model *m, const ss_config *c, const ss_spot s[2], const ss_twist_row *row, int *column,
                     double *entry, double *drive)
{
    int count = 0;
    *drive = 0;
    for (int i = 0; i < 2; i++) {
        double x[SS_SPOT_DOFS];
        const int n = ss_spot_entries(m, c, &s[i], row->lin[i], row->ang[i], x, drive);
        for (int k = 0; k < n; k++) {
            column[count] = m->body_v[s[i].body] + k;
            entry[count++] = x[k];
        }
    }
    return count;
}

ss_status ss_contact_push_row(ss_context *ctx, const ss_model *m, const ss_config *c, const ss_spot s[2], const ss_twist_row *row,
                              ss_csr *H, double *drive)
{
    int place;
    SS_TRY(ss_csr_extend(ctx, H, 1, ss_attachment_dofs(m, s[0].body) + ss_attachment_dofs(m, s[1].body), &place));
    write_row(m, c, s, row, H->i + place, H->x + place, drive);
    return SS_OK;
}

void ss_contact_spots(const ss_config *c, const ss_contact *contact, ss_vec3 point, ss_spot s[2])
{
    s[0] = ss_spot_touching(c, contact->at[0].body, point);
    s[1] = ss_spot_touching(c, contact->at[1].body, point);
}

/* The first `rows` directions of a contact: those of body 0, and, turned round, those of body 1. */
static void list_directions(const ss_contact_value *value, int rows, ss_vec3 of[2][3])
{
    for (int k = 0; k < rows; k++) {
        of[0][k] = k == 0 ? value->normal : value->tangent[k - 1];
        of[1][k] = ss_scale(-1, of[0][k]);
    }
}

/* Velocity of one direction: of[0] is that of body 0, of[1] that of body 1. */
static double velocity_along(const ss_model *m, const ss_config *c, const ss_contact *contact, ss_vec3 point, const ss_vec3 of[2],
                             const double *v)
{
    double sum = 0, drive = 0;
    for (int i = 0; i < 2; i++) {
        const int body = contact->at[i].body;
        double x[SS_SPOT_DOFS];
        const int n = ss_touching_entries(m, c, body, point, 1, &of[i], 0, x, &drive);
        for (int k = 0; k < n; k++) {
            sum += x[k] * v[m->body_v[body] + k];
        }
    }
    return sum + drive;
}

double ss_contact_velocity(const ss_model *m, const ss_config *c, const ss_contact *contact, const ss_contact_value *value, int k,
                           const double *v)
{
    if (contact->id.kind == SS_CONTACT_FACET) {
        return ss_facet_velocity(m, c, contact, value, k, v);
    }
    if (contact->id.kind == SS_CONTACT_CROSSING) {
        return ss_crossing_velocity(m, c, contact, value, k, v);
    }
    const ss_twist_row along = ss_contact_direction(value, k);
    return velocity_along(m, c, contact, value->point, along.lin, v);
}

void ss_contact_velocities(const ss_model *m, const ss_config *c, const ss_contact *contact, const ss_contact_value *value,
                           int rows, const double *v, double *u)
{
    for (int k = 0; k < rows; k++) {
        const ss_twist_row along = ss_contact_direction(value, k);
        u[k] = velocity_along(m, c, contact, value->point, along.lin, v);
    }
}

int ss_contact_row_length(const ss_model *m, const ss_contact *contact)
{
    return ss_attachment_dofs(m, contact->at[0].body) + ss_attachment_dofs(m, contact->at[1].body);
}

int ss_contact_count_rows(const ss_model *m, const ss_contact *contact, bool friction)
{
    return friction && (contact->mu[0] > 0 || contact->mu[1] > 0) ? m->dimension : 1;
}

static inline void count_up(int first, int n, int *out)
{
    for (int k = 0; k < n; k++) {
        out[k] = first + k;
    }
}

void ss_contact_write_rows(const ss_model *m, const ss_config *c, const ss_contact *contact, const ss_contact_value *value,
                           int rows, int *column, double *entry, double *drive)
{
    const int length = ss_contact_row_length(m, contact);
    ss_vec3 of[2][3];
    list_directions(value, rows, of);
    for (int k = 0; k < rows; k++) {
        drive[k] = 0;
    }
    for (int i = 0, at = 0; i < 2; i++) {
        const int body = contact->at[i].body,
                  n = ss_touching_entries(m, c, body, value->point, rows, of[i], length, entry + at, drive),
                  first = n > 0 ? m->body_v[body] : 0;
        if (n == 6) { /* the loop is unrolled */
            count_up(first, 6, column + at);
        } else {
            count_up(first, n, column + at);
        }
        at += n;
    }
    for (int k = 1; k < rows; k++) {
        memcpy(column + k * length, column, (size_t)length * sizeof *column);
    }
}

static ss_status shape_rows(ss_context *ctx, const ss_model *m, const ss_config *c, const ss_contact *contact,
                            const ss_contact_value *value, bool friction, ss_csr *H, double drive[3], int *rows)
{
    int place;
    *rows = ss_contact_count_rows(m, contact, friction);
    SS_TRY(ss_csr_extend(ctx, H, *rows, ss_contact_row_length(m, contact), &place));
    ss_contact_write_rows(m, c, contact, value, *rows, H->i + place, H->x + place, drive);
    return SS_OK;
}

/* sign times the rate of a joint's coordinate */
static ss_status joint_row(ss_context *ctx, const ss_model *m, const ss_config *c, const ss_contact *contact, double sign,
                           ss_csr *H, double *drive)
{
    const ss_joint *joint = &m->joint[contact->id.a];
    ss_twist_row row;
    ss_spot s[2];
    ss_spots_at(c, joint->at, s);
    joint->type->coordinate(joint, m->dimension, s, &row);
    for (int k = 0; k < 2; k++) {
        row.lin[k] = ss_scale(sign, row.lin[k]);
        row.ang[k] = ss_scale(sign, row.ang[k]);
    }
    return ss_contact_push_row(ctx, m, c, s, &row, H, drive);
}

static ss_status block_rows(ss_context *ctx, const ss_model *m, const ss_config *c, const ss_contact_id *id, bool friction,
                            ss_csr *H, double drive[3], int *rows)
{
    const ss_block *block = m->body_callbacks[id->a];
    const ss_block_gaps *gaps;
    SS_TRY(ss_block_gaps_at(ctx, m, c, id->a, &gaps));
    *rows = friction ? ss_block_gap_rows(m, block) : 1;
    for (int k = 0; k < *rows; k++) {
        SS_TRY(ss_block_row_push(ctx, m, id->a, ss_block_gap_row(m, block, gaps, id->b, k, &drive[k]), H));
    }
    return SS_OK;
}

ss_status ss_contact_rows(ss_context *ctx, const ss_model *m, const ss_config *c, const ss_contact *contact,
                          const ss_contact_value *value, bool friction, ss_csr *H, double drive[3], int *rows)
{
    *rows = 1;
    switch ((ss_contact_kind)contact->id.kind) {
    case SS_CONTACT_SHAPES:
        return shape_rows(ctx, m, c, contact, value, friction, H, drive, rows);
    case SS_CONTACT_LIMIT:
        return joint_row(ctx, m, c, contact, contact->id.b == 0 ? 1 : -1, H, &drive[0]);
    case SS_CONTACT_MOTOR:
        SS_TRY(joint_row(ctx, m, c, contact, 1, H, &drive[0]));
        drive[0] -= ss_contact_is_joint_friction(contact) ? 0 : ss_expr_eval(m->joint[contact->id.a].motor.speed, c->t);
        return SS_OK;
    case SS_CONTACT_BLOCK:
        return block_rows(ctx, m, c, &contact->id, friction, H, drive, rows);
    case SS_CONTACT_FACET:
        return ss_facet_rows(ctx, m, c, contact, value, friction, H, drive, rows);
    case SS_CONTACT_CROSSING:
        return ss_crossing_rows(ctx, m, c, contact, value, friction, H, drive, rows);
    case SS_CONTACT_ROLLING:
    case SS_CONTACT_SPINNING:
        return ss_moment_rows(ctx, m, c, contact, value, H, drive, rows);
    }
    return ss_fail(ctx, SS_ERR_INPUT, "contact kind %d is not one of 0..%d", (int)contact->id.kind, (int)SS_CONTACT_SPINNING);
}

/* ---- name ---------------------------------------------------------------------------------- */

static bool has_one_feature(const ss_shape *shape)
{
    return shape->kind == SS_SHAPE_point || shape->kind == SS_SHAPE_sphere || shape->kind == SS_SHAPE_half_space;
}

static void shapes_name(const ss_model *m, const ss_contact_id *id, char *text, size_t size)
{
    const int a = m->shape_body[id->a], b = m->shape_body[id->b];
    const int n = snprintf(text, size, "%s.%d-%s.%d", m->body_name[a], id->a - m->shape_start[a], m->body_name[b],
                           id->b - m->shape_start[b]);
    const bool several = !has_one_feature(&m->shape[id->a]) || !has_one_feature(&m->shape[id->b]);
    if (several && n >= 0 && (size_t)n < size) {
        snprintf(text + n, size - (size_t)n, "#%x", (unsigned)id->feature);
    }
}

/* "ball.0-block#12.0": body.shape, solid, number of the facet; corner of the shape and side of the facet */
static void facet_name(const ss_model *m, const ss_contact_id *id, char *text, size_t size)
{
    const int shape = m->probe[id->a].shape, body = m->shape_body[shape];
    int corner = 0;
    while (id->a - corner > 0 && m->probe[id->a - corner - 1].shape == shape) {
        corner++;
    }
    snprintf(text, size, "%s.%d-%s#%x.%x", m->body_name[body], shape - m->shape_start[body],
             m->simplex_law[m->facet[id->b].solid].owner, (unsigned)id->b, 4 * (unsigned)corner + (unsigned)id->feature);
}

/* "box.0-block#x1c.0": body.shape of the first edge, or its solid; solid; numbers of the edges, side of the normal */
static void crossing_name(const ss_model *m, const ss_contact_id *id, char *text, size_t size)
{
    const ss_edge *a = &m->edge[id->a], *b = &m->edge[id->b];
    const int body = m->shape_body[a->shape];
    const char *first = a->solid >= 0 ? m->simplex_law[a->solid].owner : m->body_name[body];
    snprintf(text, size, "%s.%d-%s#x%x.%x", first, a->solid >= 0 ? 0 : a->shape - m->shape_start[body],
             m->simplex_law[b->solid].owner, (unsigned)id->a, 2 * (unsigned)id->b + (unsigned)id->feature);
}

static void append(char *text, size_t size, const char *more)
{
    const size_t used = strlen(text);
    snprintf(text + used, size - used, "%s", more);
}

void ss_contact_name(const ss_model *m, const ss_contact *contact, char *text, size_t size)
{
    const ss_contact_id *id = &contact->id;
    switch ((ss_contact_kind)id->kind) {
    case SS_CONTACT_SHAPES:
        shapes_name(m, id, text, size);
        break;
    case SS_CONTACT_LIMIT:
        snprintf(text, size, "%s.%s", m->joint_name[id->a], id->b == 0 ? "lower" : "upper");
        break;
    case SS_CONTACT_MOTOR:
        snprintf(text, size, "%s.%s", m->joint_name[id->a], ss_contact_is_joint_friction(contact) ? "friction" : "motor");
        break;
    case SS_CONTACT_BLOCK:
        snprintf(text, size, "%s.gap%d", m->body_name[id->a], (int)id->b);
        break;
    case SS_CONTACT_FACET:
        facet_name(m, id, text, size);
        break;
    case SS_CONTACT_CROSSING:
        crossing_name(m, id, text, size);
        break;
    case SS_CONTACT_ROLLING:
    case SS_CONTACT_SPINNING:
        shapes_name(m, id, text, size);
        append(text, size, id->kind == SS_CONTACT_ROLLING ? ".rolling" : ".spinning");
        break;
    }
}

double ss_contact_unit(const ss_model *m, const ss_contact *contact)
{
    bool angle = ss_contact_is_moment(contact) || (contact->id.kind == SS_CONTACT_LIMIT && m->joint[contact->id.a].type->angular);
    return angle ? 1 : m->length;
}
