/* crossing.c - contact of two edges that cross: the first from x to x + e, the second from y to y + f; at least one of them is an
 * edge of a solid, between two of its nodes, the other one that of another solid or of a rigid shape.
 *
 *     m = +-(e x f),  n = m/|m|          the sign is part of the contact's identity: n points from the second to the first
 *     gap = n . d - r,  d = x - y        r the radii of rounded edges
 *     s = ((y - x) x f) . M/|M|^2,  t = ((y - x) x e) . M/|M|^2,   M = e x f;    feet x + s e, y + t f;   0 <= s, t <= 1
 *     u = v_x(s) - v_y(t),  u_N = n . u
 *
 * u_N is exactly the rate of the gap, because n stays across both edges. An impulse is shared by the two nodes of an edge in the
 * parts 1 - s and s; a rigid body takes it at the foot on the solid's edge.
 *
 *     u_N' = n'' . d + 2 n' . d' + n . d''                               with all twists kept
 *     s' = (R x f) . M/|M|^2,  t' = (R x e) . M/|M|^2                    R = (gap n)' - (v_x(s) - v_y(t)), velocities of the ends
 *     u_T' = rate of v_x(s) - v_y(t) at the feet; of a rigid body w x (foot' - v_b)
 *
 * Symbols     w, v_b twist of a rigid body; a prime is a rate
 * Cost        some hundred operations; nothing is allocated */
#include "contact/crossing.h"
#include "contact/weighted.h"
#include "model/attachment.h"

/* two edges at a configuration */
typedef struct pose {
    const ss_edge *edge[2];
    ss_vec3 x[2];  /* where they begin                     */
    ss_vec3 e[2];  /* from there to their ends             */
    ss_vec3 M;     /* e[0] x e[1]                          */
    ss_vec3 n;     /* M/|M| or the opposite                */
    double sign;   /* of n over M                          */
    double at[2];  /* s, t                                 */
    ss_vec3 point; /* the foot where the impulse acts      */
} pose;

static ss_vec3 foot(const pose *y, int k) { return ss_axpy(y->at[k], y->e[k], y->x[k]); }
static int soft(const pose *y) { return y->edge[1]->solid >= 0 ? 1 : 0; } /* an edge that is a solid's */

static pose pose_of(const ss_model *m, const ss_config *c, const ss_contact_id *id)
{
    pose y = { .edge = { &m->edge[id->a], &m->edge[id->b] }, .sign = id->feature ? -1 : 1 };
    for (int k = 0; k < 2; k++) {
        const ss_attachment *at = y.edge[k]->at;
        y.x[k] = ss_point_to_world(c->frame[at[0].body], at[0].point);
        y.e[k] = ss_sub(ss_point_to_world(c->frame[at[1].body], at[1].point), y.x[k]);
    }
    y.M = ss_cross(y.e[0], y.e[1]);
    y.n = ss_scale(y.sign, ss_unit(y.M));
    const ss_vec3 back = ss_sub(y.x[1], y.x[0]);
    for (int k = 0; k < 2; k++) {
        y.at[k] = ss_dot(ss_cross(back, y.e[1 - k]), y.M) / ss_dot(y.M, y.M);
    }
    y.point = foot(&y, soft(&y));
    return y;
}

void ss_crossing_eval(const ss_model *m, const ss_config *c, const ss_contact *contact, ss_contact_value *out)
{
    const pose y = pose_of(m, c, &contact->id);
    *out = (ss_contact_value){ .outside = -INFINITY, .normal = y.n, .point = y.point };
    out->gap = ss_dot(y.n, ss_sub(y.x[0], y.x[1])) - y.edge[0]->radius - y.edge[1]->radius;
    for (int k = 0; k < 2; k++) {
        out->outside = fmax(out->outside, (fabs(y.at[k] - 0.5) - 0.5) * ss_norm(y.e[k]));
    }
    ss_contact_tangents(m, c, contact, y.n, out->tangent);
}

/* ---- rows ---------------------------------------------------------------------------------------------- */

static void add_spot(ss_weighted *w, ss_spot spot, double weight)
{
    w->spot[w->n] = spot;
    w->weight[w->n++] = weight;
}

static ss_weighted spots_of(const ss_config *c, const pose *y)
{
    ss_weighted w = { 0 };
    for (int k = 0; k < 2; k++) {
        const ss_attachment *at = y->edge[k]->at;
        const double sign = k == 0 ? 1 : -1;
        if (y->edge[k]->solid < 0) {
            add_spot(&w, ss_spot_touching(c, at[0].body, y->point), sign);
        } else {
            add_spot(&w, ss_spot_at(c, &at[0]), sign * (1 - y->at[k]));
            add_spot(&w, ss_spot_at(c, &at[1]), sign * y->at[k]);
        }
    }
    return w;
}

ss_status ss_crossing_rows(ss_context *ctx, const ss_model *m, const ss_config *c, const ss_contact *contact,
                           const ss_contact_value *value, bool friction, ss_csr *H, double drive[3], int *rows)
{
    const pose y = pose_of(m, c, &contact->id);
    const ss_weighted w = spots_of(c, &y);
    return ss_weighted_rows(ctx, m, c, contact, value, &w, friction, H, drive, rows);
}

double ss_crossing_velocity(const ss_model *m, const ss_config *c, const ss_contact *contact, const ss_contact_value *value,
                            int k, const double *v)
{
    const pose y = pose_of(m, c, &contact->id);
    const ss_weighted w = spots_of(c, &y);
    return ss_weighted_velocity(m, c, value, &w, k, v);
}

/* ---- acceleration ---------------------------------------------------------------------------------------- */

/* velocities and accelerations of beginnings and of the vectors to the ends, with all twists kept */
typedef struct rates {
    ss_vec3 x1[2], x2[2], e1[2], e2[2];
    ss_unit_rates n;
    double at1[2]; /* s', t' */
} rates;

static void find_motion(const ss_model *m, const ss_config *c, const pose *y, const double *v, rates *r)
{
    for (int k = 0; k < 2; k++) {
        ss_spot s[2];
        ss_spots_moving(m, c, v, y->edge[k]->at, s);
        r->x1[k] = s[0].v;
        r->x2[k] = s[0].a;
        r->e1[k] = ss_sub(s[1].v, s[0].v);
        r->e2[k] = ss_sub(s[1].a, s[0].a);
    }
}

static ss_unit_rates normal_rates(const pose *y, const rates *r)
{
    const ss_vec3 m1 = ss_add(ss_cross(r->e1[0], y->e[1]), ss_cross(y->e[0], r->e1[1])),
                  bent = ss_add(ss_cross(r->e2[0], y->e[1]), ss_cross(y->e[0], r->e2[1])),
                  m2 = ss_axpy(2, ss_cross(r->e1[0], r->e1[1]), bent);
    return ss_unit_rates_of(ss_scale(y->sign, y->M), ss_scale(y->sign, m1), ss_scale(y->sign, m2));
}

/* velocity of the material at a foot */
static ss_vec3 carried(const pose *y, const rates *r, int k) { return ss_axpy(y->at[k], r->e1[k], r->x1[k]); }

static rates rates_of(const ss_model *m, const ss_config *c, const pose *y, const double *v)
{
    rates r = { 0 };
    find_motion(m, c, y, v, &r);
    r.n = normal_rates(y, &r);
    const ss_vec3 d = ss_sub(y->x[0], y->x[1]), d1 = ss_sub(r.x1[0], r.x1[1]);
    const double above = ss_dot(y->n, d), rise = ss_dot(r.n.u1, d) + ss_dot(y->n, d1);
    const ss_vec3 apart = ss_axpy(rise, y->n, ss_scale(above, r.n.u1)),
                  R = ss_sub(apart, ss_sub(carried(y, &r, 0), carried(y, &r, 1)));
    for (int k = 0; k < 2; k++) {
        r.at1[k] = ss_dot(ss_cross(R, y->e[1 - k]), y->M) / ss_dot(y->M, y->M);
    }
    return r;
}

/* rate of the velocity that side k has at the contact */
static ss_vec3 velocity_rate(const ss_model *m, const ss_config *c, const pose *y, const rates *r, int k, const double *v)
{
    if (y->edge[k]->solid >= 0) {
        return ss_axpy(r->at1[k], r->e1[k], ss_axpy(y->at[k], r->e2[k], r->x2[k]));
    }
    const int at = soft(y);
    const ss_vec3 moved = ss_axpy(r->at1[at], y->e[at], carried(y, r, at));
    ss_vec3 twist[2];
    ss_model_twist(m, c, v, y->edge[k]->at[0].body, twist);
    return ss_cross(twist[1], ss_sub(moved, twist[0]));
}

void ss_crossing_acceleration(const ss_model *m, const ss_config *c, const ss_contact *contact, const ss_contact_value *value,
                              const double *v, int rows, double *out)
{
    const pose y = pose_of(m, c, &contact->id);
    const rates r = rates_of(m, c, &y, v);
    const ss_weighted w = spots_of(c, &y);
    const ss_vec3 d = ss_sub(y.x[0], y.x[1]), d1 = ss_sub(r.x1[0], r.x1[1]), d2 = ss_sub(r.x2[0], r.x2[1]),
                  slip = ss_sub(velocity_rate(m, c, &y, &r, 0, v), velocity_rate(m, c, &y, &r, 1, v));
    for (int k = 0; k < rows; k++) {
        const ss_vec3 direction = ss_contact_direction(value, k).lin[0];
        out[k] = k == 0 ? ss_dot(r.n.u2, d) + 2 * ss_dot(r.n.u1, d1) + ss_dot(y.n, d2) : ss_dot(direction, slip);
        out[k] += ss_weighted_drive_rate(c, &w, direction);
    }
}
