/* stiffness.c - how the generalized force of a contact changes when the bodies move: d(H' r)/dq at fixed r.
 *
 * Shapes      F = r_N n + r_1 t_1 + r_2 t_2 acts on body 0 at the contact point p, -F on body 1. Seen from the material points
 *             x_k of the two bodies that are at p now, a displacement changes the wrenches by
 *                 dF and (dp - dx_k) x F        and the opposite on body 1,
 *             since p wanders over the bodies: dp is that of ss_gap_point_rate, dn of ss_gap_normal_rate. Both are linear in
 *             the displacement, so twelve unit displacements give the matrix. The step from points to body velocities is
 *             made by the attachments (model/attachment.c).
 * Tangents    2D: dt = (dn_y, -dn_x). 3D: t_1 = P/|P|, P = a - (a . n) n, dt_1 = (dP - (t_1 . dP) t_1) / |P|,
 *             dt_2 = dn x t_1 + n x dt_1; a the axis of the friction frame, which stands still, or the grain, which turns.
 * Moments     M = sum r_k a_k acts on body 0, -M on body 1; dM = sum r_k da_k, with the axes of contact/moment.h.
 * Limit       r times the derivative of the coordinate's row, with its sign; a motor likewise.
 * Gradient    row k of d(H v)/dq is v' d(H' e_k)/dq.
 * Block       its own `stiffness`, or differences (model/blocks.c).
 * Facet       taken as 0: Newton's method, the only one that asks, needs a few more iterations where facets turn
 * Cost        constant; nothing is allocated but for the pattern when it grows */
#include "contact/contact.h"
#include "contact/moment.h"
#include "model/assemble.h"
#include "model/attachment.h"
#include "model/blocks.h"
#include "model/primitives.h"

/* ---- shapes -------------------------------------------------------------------------------- */

/* displacements of the two material points, and turns of the two bodies */
typedef struct shift {
    ss_vec3 x[2], turn[2];
} shift;

/* unit displacement j of 12: (lin0 ang0 lin1 ang1) */
static shift unit_shift(int j)
{
    shift s = { .x = { { 0, 0, 0 } } };
    const ss_vec3 e = ss_v3(j % 3 == 0, j % 3 == 1, j % 3 == 2);
    *(j % 6 < 3 ? &s.x[j / 6] : &s.turn[j / 6]) = e;
    return s;
}

/* dt_1 and dt_2, where the normal changes by dn */
static void tangent_rates(const ss_model *m, const ss_config *c, const ss_contact *contact, const ss_contact_value *value,
                          const shift *s, ss_vec3 dn, ss_vec3 out[2])
{
    if (m->dimension == 2) {
        out[0] = ss_v3(dn.y, -dn.x, 0);
        out[1] = ss_v3(0, 0, 0);
        return;
    }
    int body;
    const ss_vec3 n = value->normal, t = value->tangent[0], a = ss_contact_tangent_axis(m, c, contact, n, &body);
    const ss_vec3 turn = body < 0 ? ss_v3(0, 0, 0) : s->turn[body == contact->at[0].body ? 0 : 1], da = ss_cross(turn, a);
    const double along = ss_dot(a, n), along_d = ss_dot(da, n) + ss_dot(a, dn), length = ss_dot(a, t);
    const ss_vec3 dP = ss_axpy(-along_d, n, ss_axpy(-along, dn, da));
    out[0] = ss_scale(1 / length, ss_axpy(-ss_dot(t, dP), t, dP));
    out[1] = ss_add(ss_cross(dn, t), ss_cross(n, out[0]));
}

/* The force on body 0, and what a displacement makes of it and of the point. */
typedef struct change {
    ss_vec3 force, point;
} change;

/* of the origins of the two bodies */
static void twist_of(const ss_spot at[2], const shift *s, ss_vec3 twist[2][2])
{
    for (int k = 0; k < 2; k++) {
        twist[k][0] = ss_sub(s->x[k], ss_cross(s->turn[k], at[k].arm));
        twist[k][1] = s->turn[k];
    }
}

static change change_by(const ss_model *m, const ss_config *c, const ss_contact *contact, const ss_contact_value *value,
                        const ss_spot at[2], const shift *s, int rows, const double *r)
{
    ss_vec3 twist[2][2], tangent[2];
    twist_of(at, s, twist);
    const ss_frame *A = &c->frame[at[0].body], *B = &c->frame[at[1].body];
    const ss_vec3 dn = ss_gap_normal_rate(&contact->gap, A, B, twist[0], twist[1]);
    change out = { ss_scale(r[0], dn), ss_gap_point_rate(&contact->gap, A, B, twist[0], twist[1]) };
    tangent_rates(m, c, contact, value, s, dn, tangent);
    for (int k = 1; k < rows; k++) {
        out.force = ss_axpy(r[k], tangent[k - 1], out.force);
    }
    return out;
}

static void shapes(const ss_model *m, const ss_config *c, const ss_contact *contact, const ss_contact_value *value, int rows,
                   const double *r, double *own)
{
    ss_vec3 F = { 0, 0, 0 };
    double K[144];
    ss_spot at[2];
    ss_contact_spots(c, contact, value->point, at);
    for (int k = 0; k < rows; k++) {
        F = ss_axpy(r[k], ss_contact_direction(value, k).lin[0], F);
    }
    for (int j = 0; j < 12; j++) {
        const shift s = unit_shift(j);
        const change d = change_by(m, c, contact, value, at, &s, rows, r);
        for (int b = 0; b < 2; b++) {
            const double sign = b == 0 ? 1 : -1;
            double x[6];
            ss_v3_to(ss_scale(sign, d.force), x);
            ss_v3_to(ss_scale(sign, ss_cross(ss_sub(d.point, s.x[b]), F)), x + 3);
            for (int i = 0; i < 6; i++) {
                K[12 * (6 * b + i) + j] = x[i];
            }
        }
    }
    const ss_wrench w[2] = { { F, { 0, 0, 0 } }, { ss_scale(-1, F), { 0, 0, 0 } } };
    ss_spots_derivative(m, at, w, K, NULL, own, NULL);
}

/* ---- moments ------------------------------------------------------------------------------- */

/* d of the axis k of a moment, where a displacement turns the normal */
static ss_vec3 axis_rate(const ss_model *m, const ss_config *c, const ss_contact *moment, const ss_contact_value *value,
                         const ss_spot at[2], const shift *s, int k)
{
    ss_vec3 twist[2][2], tangent[2];
    twist_of(at, s, twist);
    const ss_vec3 dn = ss_gap_normal_rate(&moment->gap, &c->frame[at[0].body], &c->frame[at[1].body], twist[0], twist[1]);
    if (m->dimension == 2) {
        return ss_v3(0, 0, 0);
    }
    tangent_rates(m, c, moment, value, s, dn, tangent);
    return moment->id.kind == SS_CONTACT_ROLLING ? tangent[k] : dn;
}

static void moments(const ss_model *m, const ss_config *c, const ss_contact *moment, const ss_contact_value *value, int rows,
                    const double *r, double *own)
{
    ss_vec3 M = { 0, 0, 0 };
    double K[144] = { 0 };
    ss_spot at[2];
    ss_contact_spots(c, moment, value->point, at);
    for (int k = 0; k < rows; k++) {
        M = ss_axpy(r[k], ss_moment_axis(m, moment, value, k), M);
    }
    for (int j = 0; j < 12; j++) {
        const shift s = unit_shift(j);
        for (int k = 0; k < rows; k++) {
            double x[3];
            ss_v3_to(ss_scale(r[k], axis_rate(m, c, moment, value, at, &s, k)), x);
            for (int i = 0; i < 3; i++) {
                K[12 * (3 + i) + j] += x[i];
                K[12 * (9 + i) + j] -= x[i];
            }
        }
    }
    const ss_wrench w[2] = { { { 0, 0, 0 }, M }, { { 0, 0, 0 }, ss_scale(-1, M) } };
    ss_spots_derivative(m, at, w, K, NULL, own, NULL);
}

/* ---- joints -------------------------------------------------------------------------------- */

/* of the force r along a joint's coordinate */
static void coordinate(const ss_model *m, const ss_config *c, const ss_joint *joint, double r, double *own)
{
    double K[144] = { 0 };
    ss_twist_row row;
    ss_wrench w[2];
    ss_spot s[2];
    ss_spots_at(c, joint->at, s);
    joint->type->coordinate(joint, m->dimension, s, &row);
    for (int b = 0; b < 2; b++) {
        w[b] = (ss_wrench){ ss_scale(r, row.lin[b]), ss_scale(r, row.ang[b]) };
    }
    joint->type->coordinate_stiffness(joint, m->dimension, s, r, K);
    ss_spots_derivative(m, s, w, K, NULL, own, NULL);
}

/* ---- all ----------------------------------------------------------------------------------- */

/* of contacts but gaps of blocks: d(H' r)/dq of the velocities of its two bodies */
static void own_of(const ss_model *m, const ss_config *c, const ss_contact *contact, const ss_contact_value *value, int rows,
                   const double *r, double own[144])
{
    const ss_contact_id *id = &contact->id;
    if (id->kind == SS_CONTACT_SHAPES) {
        shapes(m, c, contact, value, rows, r, own);
    } else if (ss_contact_is_moment(contact)) {
        moments(m, c, contact, value, rows, r, own);
    } else {
        coordinate(m, c, &m->joint[id->a], id->kind == SS_CONTACT_LIMIT && id->b == 1 ? -r[0] : r[0], own);
    }
}

ss_status ss_contact_stiffness(ss_context *ctx, const ss_model *m, const ss_config *c, const ss_contact *contact,
                               const ss_contact_value *value, int rows, const double *r, const ss_pattern *pattern, ss_csr *K)
{
    const ss_contact_id *id = &contact->id;
    const int body[2] = { contact->at[0].body, contact->at[1].body };
    double own[144];
    if (id->kind == SS_CONTACT_BLOCK) {
        return ss_block_gap_stiffness(ctx, m, c, id->a, id->b, rows, r, ss_pattern_at(m, pattern, K, id->a, id->a, 0));
    }
    if (id->kind < SS_CONTACT_FACET ||
        ss_contact_is_moment(contact)) { /* directions of facets and crossings are taken as fixed */
        own_of(m, c, contact, value, rows, r, own);
        ss_pattern_add(m, pattern, body, own, K);
    }
    return SS_OK;
}

/* v' d(H' r)/dq of a gap of a block */
static ss_status push_block_row(ss_context *ctx, ss_arena *arena, const ss_model *m, const ss_config *c, const ss_contact_id *id,
                                int rows, const double *r, const double *v, ss_csr *R)
{
    const int n = m->body_callbacks[id->a]->n, body[2] = { id->a, m->bodies };
    const ss_arena_mark mark = ss_arena_save(arena);
    double *own;
    SS_TRY(ss_arena_take(arena, (size_t)n * (size_t)n, sizeof *own, &own));
    ss_status status = ss_block_gap_stiffness(ctx, m, c, id->a, id->b, rows, r, own);
    status = status != SS_OK ? status : ss_pattern_push_row(ctx, m, body, own, v, R);
    ss_arena_release(arena, mark);
    return status;
}

ss_status ss_contact_gradient(ss_context *ctx, ss_arena *arena, const ss_model *m, const ss_config *c, const ss_contact *contact,
                              const ss_contact_value *value, int rows, const double *v, ss_csr *R)
{
    const int body[2] = { contact->at[0].body, contact->at[1].body };
    for (int k = 0; k < rows; k++) {
        double r[3] = { k == 0, k == 1, k == 2 }, own[144];
        if (contact->id.kind == SS_CONTACT_BLOCK) {
            SS_TRY(push_block_row(ctx, arena, m, c, &contact->id, rows, r, v, R));
        } else if (contact->id.kind >= SS_CONTACT_FACET && !ss_contact_is_moment(contact)) {
            SS_TRY(ss_csr_end_row(ctx, R));
        } else {
            own_of(m, c, contact, value, rows, r, own);
            SS_TRY(ss_pattern_push_row(ctx, m, body, own, v, R));
        }
    }
    return SS_OK;
}

ss_status ss_contacts_pattern(ss_context *ctx, const ss_model *m, const ss_contact_set *set, ss_pattern *out)
{
    SS_TRY(ss_pattern_start(ctx, m, set->n, out));
    for (int k = 0; k < set->n; k++) {
        ss_pattern_pair(m, set->c[k].at[0].body, set->c[k].at[1].body, out);
    }
    ss_pattern_finish(m, out);
    return SS_OK;
}
