/* facet.c - contact of a corner p of a shape, rounded by a radius r, with a facet of a solid: an edge in 2D, a triangle in 3D;
 * and, for r > 0 in 3D, with a side of a triangle, where the foot of p is on neither of the triangles beside it.
 *
 *     m = (y - x) turned by -90 degrees (2D),  (y - x) x (z - x) (3D)         x, y, z the nodes;   n = m/|m| points outwards
 *     side: m = d - (d . t) t,  t = (y - x)/|y - x|                           d = p - x
 *     gap = n . d - r
 *     l_j = b_j . d, j = 1, 2;  l_0 = 1 - l_1 - l_2                           b_j slopes of the facet's shape functions
 *     u = v_p - sum of l_j v_j,   u_N = n . u                                 v_p velocity of the body's point at the foot
 *
 * u_N is exactly the rate of the gap, because n turns by what the nodes move across it: n' . d = -sum of l_j n . (v_j - v_x). The
 * impulse on the shape's body is taken from the nodes in the parts l_j, so that momentum and its moment are conserved. A contact
 * is off its facet where an l_j is negative.
 *
 *     u_N' = n'' . d + 2 n' . d' + n . d''       with all twists kept;
 *     u_T' = t . (w x (f' - v_b) - sum of l_j' v_j),   l_j' = b_j . (f' - sum of l_j v_j),   f' rate of the foot
 *
 * Symbols     w, v_b twist of the body of p; f = p - (n . d) n the foot; a prime is a rate
 * Cost        some hundred operations; nothing is allocated */
#include "contact/facet.h"
#include "contact/weighted.h"
#include "model/attachment.h"

/* a contact at a configuration */
typedef struct pose {
    const ss_probe *probe;
    const ss_attachment *at[3]; /* of the nodes                           */
    int nodes;
    bool side;        /* of a triangle                          */
    ss_vec3 p, x[3];  /* the corner, the nodes                  */
    ss_vec3 m, n;     /* n = m/|m|                              */
    ss_vec3 slope[3]; /* of the shape functions, in the facet   */
    double part[3];   /* l_j                                    */
} pose;

static ss_vec3 perpendicular(ss_vec3 a) { return ss_v3(a.y, -a.x, 0); }
static ss_vec3 edge(const ss_vec3 *x, int k) { return ss_sub(x[k], x[0]); }

/* slopes of nodes 1, 2 rise across the opposite side */
static void find_slopes(pose *y)
{
    const ss_vec3 first = edge(y->x, 1);
    if (y->nodes == 2) {
        y->slope[1] = ss_scale(1 / ss_dot(first, first), first);
        y->slope[2] = ss_v3(0, 0, 0);
    } else {
        const double size = ss_norm(y->m);
        y->slope[1] = ss_scale(1 / size, ss_cross(edge(y->x, 2), y->n));
        y->slope[2] = ss_scale(1 / size, ss_cross(y->n, first));
    }
    y->slope[0] = ss_scale(-1, ss_add(y->slope[1], y->slope[2]));
}

/* the nodes of the facet, or of side `feature` of it, from 1 on */
static pose nodes_of(const ss_model *m, const ss_config *c, const ss_contact_id *id)
{
    const ss_facet *facet = &m->facet[id->b];
    const int first = id->feature > 0 ? (int)id->feature - 1 : 0;
    pose y = { .probe = &m->probe[id->a], .side = id->feature > 0, .nodes = id->feature > 0 ? 2 : m->dimension };
    y.p = ss_point_to_world(c->frame[m->shape_body[y.probe->shape]], y.probe->point);
    for (int j = 0; j < y.nodes; j++) {
        y.at[j] = &facet->at[(first + j) % m->dimension];
        y.x[j] = ss_point_to_world(c->frame[y.at[j]->body], y.at[j]->point);
    }
    return y;
}

static pose pose_of(const ss_model *m, const ss_config *c, const ss_contact_id *id)
{
    pose y = nodes_of(m, c, id);
    const ss_vec3 d = ss_sub(y.p, y.x[0]), t = ss_unit(edge(y.x, 1));
    if (y.side) {
        y.m = ss_axpy(-ss_dot(d, t), t, d);
    } else {
        y.m = y.nodes == 2 ? perpendicular(edge(y.x, 1)) : ss_cross(edge(y.x, 1), edge(y.x, 2));
    }
    y.n = ss_unit(y.m);
    find_slopes(&y);
    y.part[1] = ss_dot(y.slope[1], d);
    y.part[2] = ss_dot(y.slope[2], d);
    y.part[0] = 1 - y.part[1] - y.part[2];
    return y;
}

/* how far the foot is beyond a side: < 0: inside */
static double beyond(const pose *y)
{
    double out = -INFINITY;
    for (int j = 0; j < y->nodes; j++) {
        out = fmax(out, -y->part[j] / ss_norm(y->slope[j]));
    }
    return out;
}

void ss_facet_eval(const ss_model *m, const ss_config *c, const ss_contact *contact, ss_contact_value *out)
{
    const pose y = pose_of(m, c, &contact->id);
    const double above = ss_dot(y.n, ss_sub(y.p, y.x[0]));
    *out = (ss_contact_value){ .gap = above - y.probe->radius, .outside = beyond(&y), .normal = y.n };
    out->point = ss_axpy(-above, y.n, y.p); /* the foot: where the nodes together take the impulse */
    ss_contact_tangents(m, c, contact, y.n, out->tangent);
}

/* ---- rows ---------------------------------------------------------------------------------------------- */

/* the body's point at the contact, then the nodes */
static ss_weighted spots_of(const ss_model *m, const ss_config *c, const pose *y, const ss_contact_value *value)
{
    const int body = m->shape_body[y->probe->shape];
    ss_weighted w = { .n = y->nodes + 1, .spot = { ss_spot_touching(c, body, value->point) }, .weight = { 1 } };
    for (int j = 0; j < y->nodes; j++) {
        w.spot[j + 1] = ss_spot_at(c, y->at[j]);
        w.weight[j + 1] = -y->part[j];
    }
    return w;
}

ss_status ss_facet_rows(ss_context *ctx, const ss_model *m, const ss_config *c, const ss_contact *contact,
                        const ss_contact_value *value, bool friction, ss_csr *H, double drive[3], int *rows)
{
    const pose y = pose_of(m, c, &contact->id);
    const ss_weighted w = spots_of(m, c, &y, value);
    return ss_weighted_rows(ctx, m, c, contact, value, &w, friction, H, drive, rows);
}

double ss_facet_velocity(const ss_model *m, const ss_config *c, const ss_contact *contact, const ss_contact_value *value, int k,
                         const double *v)
{
    const pose y = pose_of(m, c, &contact->id);
    const ss_weighted w = spots_of(m, c, &y, value);
    return ss_weighted_velocity(m, c, value, &w, k, v);
}

/* ---- acceleration ---------------------------------------------------------------------------------------- */

/* velocities and accelerations of corner and nodes, with the twists of all bodies kept */
typedef struct rates {
    ss_vec3 p, p2, x[3], x2[3];
    ss_unit_rates n;
} rates;

static void find_motion(const ss_model *m, const ss_config *c, const pose *y, const double *v, rates *r)
{
    const ss_attachment corner = { .body = m->shape_body[y->probe->shape], .point = y->probe->point };
    for (int j = 0; j <= y->nodes; j++) {
        ss_spot s[2];
        const ss_attachment at[2] = { j == 0 ? corner : *y->at[j - 1], corner };
        ss_spots_moving(m, c, v, at, s);
        *(j == 0 ? &r->p : &r->x[j - 1]) = s[0].v;
        *(j == 0 ? &r->p2 : &r->x2[j - 1]) = s[0].a;
    }
}

static ss_unit_rates side_rates(const pose *y, const rates *r)
{
    const ss_vec3 d = ss_sub(y->p, y->x[0]), d1 = ss_sub(r->p, r->x[0]), d2 = ss_sub(r->p2, r->x2[0]);
    const ss_unit_rates t = ss_unit_rates_of(edge(y->x, 1), edge(r->x, 1), edge(r->x2, 1));
    const double s = ss_dot(d, t.u), s1 = ss_dot(d1, t.u) + ss_dot(d, t.u1),
                 s2 = ss_dot(d2, t.u) + 2 * ss_dot(d1, t.u1) + ss_dot(d, t.u2);
    const ss_vec3 m1 = ss_axpy(-s1, t.u, ss_axpy(-s, t.u1, d1)),
                  m2 = ss_axpy(-s2, t.u, ss_axpy(-2 * s1, t.u1, ss_axpy(-s, t.u2, d2)));
    return ss_unit_rates_of(y->m, m1, m2);
}

static ss_unit_rates face_rates(const pose *y, const rates *r)
{
    const ss_vec3 d1 = edge(r->x, 1), d2 = edge(r->x, 2), a1 = edge(r->x2, 1), a2 = edge(r->x2, 2);
    if (y->nodes == 2) {
        return ss_unit_rates_of(y->m, perpendicular(d1), perpendicular(a1));
    }
    const ss_vec3 first = edge(y->x, 1), second = edge(y->x, 2), bent = ss_add(ss_cross(a1, second), ss_cross(first, a2));
    return ss_unit_rates_of(y->m, ss_add(ss_cross(d1, second), ss_cross(first, d2)), ss_axpy(2, ss_cross(d1, d2), bent));
}

static rates rates_of(const ss_model *m, const ss_config *c, const pose *y, const double *v)
{
    rates r = { 0 };
    find_motion(m, c, y, v, &r);
    r.n = y->side ? side_rates(y, &r) : face_rates(y, &r);
    return r;
}

/* w x (f' - v_b) - sum of l_j' v_j - sum of l_j x_j'' */
static ss_vec3 slip_rate(const ss_model *m, const ss_config *c, const pose *y, const rates *r, const double *v)
{
    const ss_vec3 d = ss_sub(y->p, y->x[0]);
    const double above = ss_dot(y->n, d), rise = ss_dot(r->n.u1, d) + ss_dot(y->n, ss_sub(r->p, r->x[0]));
    const ss_vec3 foot = ss_axpy(-rise, y->n, ss_axpy(-above, r->n.u1, r->p));
    ss_vec3 twist[2], drift = foot;
    ss_model_twist(m, c, v, m->shape_body[y->probe->shape], twist);
    for (int j = 0; j < y->nodes; j++) {
        drift = ss_axpy(-y->part[j], r->x[j], drift);
    }
    ss_vec3 out = ss_cross(twist[1], ss_sub(foot, twist[0]));
    for (int j = 0; j < y->nodes; j++) {
        out = ss_axpy(-ss_dot(y->slope[j], drift), r->x[j], ss_axpy(-y->part[j], r->x2[j], out));
    }
    return out;
}

void ss_facet_acceleration(const ss_model *m, const ss_config *c, const ss_contact *contact, const ss_contact_value *value,
                           const double *v, int rows, double *out)
{
    const pose y = pose_of(m, c, &contact->id);
    const rates r = rates_of(m, c, &y, v);
    const ss_vec3 d = ss_sub(y.p, y.x[0]), d1 = ss_sub(r.p, r.x[0]), d2 = ss_sub(r.p2, r.x2[0]);
    const ss_weighted w = spots_of(m, c, &y, value);
    for (int k = 0; k < rows; k++) {
        const ss_vec3 direction = ss_contact_direction(value, k).lin[0];
        out[k] =
            k == 0 ? ss_dot(r.n.u2, d) + 2 * ss_dot(r.n.u1, d1) + ss_dot(y.n, d2) : ss_dot(direction, slip_rate(m, c, &y, &r, v));
        out[k] += ss_weighted_drive_rate(c, &w, direction);
    }
}
