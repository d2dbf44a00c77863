/* contact.c - one contact: its value and rows at any configuration, its tangents, its name.
 *
 * A contact of two shapes has, at the middle p of its witness points and with normal n from b to a,
 *
 *     u_N = n . (v_a + w_a x (p - x_a)) - n . (v_b + w_b x (p - x_b))        and likewise along each tangent;
 *
 * both bodies meet at one point, so the impulses conserve angular momentum, and u_N is exactly the rate of
 * the gap (gap.c). A limit has u = +- the rate of its joint's coordinate x, with gap x - lower or upper - x.
 * A bounded motor has u = rate - speed(t). A gap of a user block has the block's own row and its time derivative.
 *
 * Tangents.  2D: (n_y, -n_x). 3D: t1 = the axis a of the friction frame projected across n, t2 = n x t1; a is
 * the first axis, or the second where n is within acos(0.8) of the first. The projected grain takes the place
 * of a where friction is anisotropic. Exchanging the bodies turns n and t2 and keeps t1: the same set of
 * directions {d, -d}.
 * Cost: constant; a block's gaps are evaluated together, at most SS_BLOCK_SCRATCH numbers, on the stack. */
#include "contact/contact.h"
#include "contact/block_gaps.h"
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

/* ---- value --------------------------------------------------------------------------------- */

/* a projected across n and normalised; zero when it lies along n */
static ss_vec3 across(ss_vec3 a, ss_vec3 n)
{
    const ss_vec3 t = ss_axpy(-ss_dot(a, n), n, a);
    const double along = 1e-6; /* sine */
    return ss_norm(t) > along ? ss_unit(t) : ss_v3(0, 0, 0);
}

static ss_vec3 frame_tangent(const ss_model *m, ss_vec3 n)
{
    const ss_mat3 F = ss_quat_matrix(m->friction_frame);
    return across(fabs(ss_dot(F.c[0], n)) > 0.8 ? F.c[1] : F.c[0], n);
}

void ss_contact_tangents(const ss_model *m, const ss_config *c, const ss_contact *contact, ss_vec3 normal, ss_vec3 tangent[2])
{
    if (m->dimension == 2) {
        tangent[0] = ss_v3(normal.y, -normal.x, 0);
        tangent[1] = ss_v3(0, 0, 0);
        return;
    }
    ss_vec3 t = { 0, 0, 0 };
    if (contact->grain_body >= 0) {
        t = across(ss_rotate(c->frame[contact->grain_body].R, contact->grain), normal);
    }
    tangent[0] = ss_dot(t, t) > 0 ? t : frame_tangent(m, normal);
    tangent[1] = ss_cross(normal, tangent[0]);
}

static void eval_shapes(const ss_model *m, const ss_config *c, const ss_contact *contact, ss_contact_value *out)
{
    ss_gap_value value;
    ss_gap_eval(&contact->gap, &c->frame[contact->body[0]], &c->frame[contact->body[1]], &value);
    out->gap = value.gap;
    out->outside = value.outside;
    out->excess = value.excess;
    out->point = value.point;
    out->normal = value.normal;
    ss_contact_tangents(m, c, contact, value.normal, out->tangent);
}

/* gap of a limit; the row is that of the coordinate */
static double limit_gap(const ss_model *m, const ss_config *c, const ss_contact_id *id, ss_twist_row *row)
{
    const double x = ss_model_joint_coordinate(m, c, id->a, row);
    const double *limits = m->joint[id->a].limits;
    return id->b == 0 ? x - limits[0] : limits[1] - x;
}

void ss_contact_eval(const ss_model *m, const ss_config *c, const ss_contact *contact, ss_contact_value *out)
{
    *out = (ss_contact_value){ .outside = -INFINITY };
    switch ((ss_contact_kind)contact->id.kind) {
    case SS_CONTACT_SHAPES:
        eval_shapes(m, c, contact, out);
        break;
    case SS_CONTACT_LIMIT: {
        ss_twist_row row;
        out->gap = limit_gap(m, c, &contact->id, &row);
        break;
    }
    case SS_CONTACT_MOTOR:
        break;
    case SS_CONTACT_BLOCK: {
        ss_block_gaps gaps;
        ss_block_gaps_eval(m, c, contact->id.a, &gaps);
        out->gap = gaps.gap[contact->id.b];
        break;
    }
    }
}

/* ---- rows ---------------------------------------------------------------------------------- */

/* A row of the velocity of body 0 against body 1 at a point, along d: the part of body[k], d or -d and its moment. */
static ss_vec3 part_of(const ss_config *c, const int body[2], int k, ss_vec3 point, ss_vec3 d, ss_vec3 *moment)
{
    const ss_vec3 lin = k == 0 ? d : ss_scale(-1, d);
    *moment = ss_cross(ss_sub(point, c->frame[body[k]].p), lin);
    return lin;
}

static ss_status push_direction(ss_context *ctx, const ss_model *m, const ss_config *c, const int body[2], ss_vec3 point,
                                ss_vec3 d, ss_csr *H, double *drive)
{
    *drive = 0;
    for (int k = 0; k < 2; k++) {
        ss_vec3 moment, lin = part_of(c, body, k, point, d, &moment);
        SS_TRY(ss_row_push(ctx, m, c, body[k], lin, moment, H, drive));
    }
    return ss_csr_end_row(ctx, H);
}

double ss_contact_normal_velocity(const ss_model *m, const ss_config *c, const ss_contact *contact, const ss_contact_value *value,
                                  const double *v)
{
    double sum = 0, drive = 0;
    for (int k = 0; k < 2; k++) {
        ss_vec3 moment, lin = part_of(c, contact->body, k, value->point, value->normal, &moment);
        ss_row_times(m, c, contact->body[k], lin, moment, v, &sum, &drive);
    }
    return sum + drive;
}

static ss_status shape_rows(ss_context *ctx, const ss_model *m, const ss_config *c, const ss_contact *contact,
                            const ss_contact_value *value, bool friction, ss_csr *H, double drive[3], int *rows)
{
    const bool rough = friction && (contact->mu[0] > 0 || contact->mu[1] > 0);
    const int tangents = rough ? m->dimension - 1 : 0;
    SS_TRY(push_direction(ctx, m, c, contact->body, value->point, value->normal, H, &drive[0]));
    for (int k = 0; k < tangents; k++) {
        SS_TRY(push_direction(ctx, m, c, contact->body, value->point, value->tangent[k], H, &drive[1 + k]));
    }
    *rows = 1 + tangents;
    return SS_OK;
}

/* sign times the rate of a joint's coordinate */
static ss_status joint_row(ss_context *ctx, const ss_model *m, const ss_config *c, const ss_contact *contact, double sign,
                           ss_csr *H, double *drive)
{
    ss_twist_row row;
    ss_model_joint_coordinate(m, c, contact->id.a, &row);
    *drive = 0;
    for (int k = 0; k < 2; k++) {
        SS_TRY(ss_row_push(ctx, m, c, contact->body[k], ss_scale(sign, row.lin[k]), ss_scale(sign, row.ang[k]), H, drive));
    }
    return ss_csr_end_row(ctx, H);
}

static ss_status block_row(ss_context *ctx, const ss_model *m, const ss_config *c, const ss_contact *contact, ss_csr *H,
                           double *drive)
{
    const int body = contact->id.a, row = contact->id.b, n = m->body_callbacks[body]->n;
    ss_block_gaps gaps;
    ss_block_gaps_eval(m, c, body, &gaps);
    *drive = gaps.gap_t[row];
    for (int j = 0; j < n; j++) {
        const double x = gaps.H[row * n + j];
        if (x != 0) {
            SS_TRY(ss_csr_push(ctx, H, m->body_v[body] + j, x));
        }
    }
    return ss_csr_end_row(ctx, H);
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
        drive[0] -= ss_expr_eval(m->joint[contact->id.a].speed, c->t);
        return SS_OK;
    case SS_CONTACT_BLOCK:
        return block_row(ctx, m, c, contact, H, &drive[0]);
    }
    return ss_fail(ctx, SS_ERR_INPUT, "contact kind %d is not one of 0..%d", (int)contact->id.kind, (int)SS_CONTACT_BLOCK);
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
        snprintf(text, size, "%s.motor", m->joint_name[id->a]);
        break;
    case SS_CONTACT_BLOCK:
        snprintf(text, size, "%s.gap%d", m->body_name[id->a], (int)id->b);
        break;
    }
}

double ss_contact_unit(const ss_model *m, const ss_contact *contact)
{
    bool angle = contact->id.kind == SS_CONTACT_LIMIT && m->joint[contact->id.a].type->angular;
    return angle ? 1 : m->length;
}
