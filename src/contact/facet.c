/* facet.c - contact of a corner p of a shape, rounded by a radius r, with a facet of a solid: an edge in 2D, a triangle in 3D.
 *
 *     m = (y - x) turned by -90 degrees (2D),  (y - x) x (z - x) (3D)         x, y, z the nodes;   n = m/|m| points outwards
 *     gap = n . (p - x) - r                                                   d = p - x
 *     l_j = b_j . d, j = 1, 2;  l_0 = 1 - l_1 - l_2                           b_j slopes of the facet's shape functions
 *     u = v_p - sum of l_j v_j,   u_N = n . u                                 v_p velocity of the body's point at the foot
 *
 * u_N is exactly the rate of the gap, because n turns by what the nodes move across it: n' . d = -sum of l_j n . (v_j - v_x). The
 * impulse on the shape's body is taken from the nodes in the parts l_j, so that momentum and its moment are conserved. A contact
 * is off its facet where an l_j is negative.
 *
 *     u_N' = n'' . d + 2 n' . d' + n . d''       with all twists kept:  m'' = 2 (y - x)' x (z - x)' (2D: 0),
 *     n'   = (m' - a n)/|m|,  a = n . m'         n'' = (m'' - b n - 2 a n')/|m|,  b = n' . m' + n . m''
 *     u_T' = t . (w x (f' - v_b) - sum of l_j' v_j),   l_j' = b_j . (f' - sum of l_j v_j),   f' rate of the foot point
 *
 * Symbols     w, v_b twist of the body of p; f = p - (n . d) n foot point; a prime is a rate
 * Cost        some hundred operations; nothing is allocated */
#include "contact/facet.h"
#include "model/attachment.h"

/* a contact at a configuration */
typedef struct pose {
    const ss_probe *probe;
    const ss_facet *facet;
    int nodes;
    ss_vec3 p, x[3];  /* the corner, the nodes                  */
    ss_vec3 m, n;     /* normal of the facet, and of length 1   */
    double size;      /* |m|: length, twice the area            */
    ss_vec3 slope[3]; /* of the shape functions, in the facet   */
    double part[3];   /* l_j                                    */
} pose;

static ss_vec3 perpendicular(ss_vec3 a) { return ss_v3(a.y, -a.x, 0); }

/* slopes: those of nodes 1, 2 rise across the opposite side */
static void find_slopes(pose *y)
{
    const ss_vec3 first = ss_sub(y->x[1], y->x[0]);
    if (y->nodes == 2) {
        y->slope[1] = ss_scale(1 / ss_dot(first, first), first);
        y->slope[2] = ss_v3(0, 0, 0);
    } else {
        const ss_vec3 second = ss_sub(y->x[2], y->x[0]);
        y->slope[1] = ss_scale(1 / y->size, ss_cross(second, y->n));
        y->slope[2] = ss_scale(1 / y->size, ss_cross(y->n, first));
    }
    y->slope[0] = ss_scale(-1, ss_add(y->slope[1], y->slope[2]));
}

static pose pose_of(const ss_model *m, const ss_config *c, const ss_contact_id *id)
{
    pose y = { .probe = &m->probe[id->a], .facet = &m->facet[id->b], .nodes = m->dimension };
    y.p = ss_point_to_world(c->frame[m->shape_body[y.probe->shape]], y.probe->point);
    for (int j = 0; j < y.nodes; j++) {
        y.x[j] = ss_point_to_world(c->frame[y.facet->at[j].body], y.facet->at[j].point);
    }
    const ss_vec3 first = ss_sub(y.x[1], y.x[0]), d = ss_sub(y.p, y.x[0]);
    y.m = y.nodes == 2 ? perpendicular(first) : ss_cross(first, ss_sub(y.x[2], y.x[0]));
    y.size = ss_norm(y.m);
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

/* the body's point at the contact, then the nodes; lin[]: what a row has at each of them. Their number is returned. */
static int find_spots(const ss_model *m, const ss_config *c, const pose *y, const ss_contact_value *value, ss_spot s[4])
{
    const ss_attachment body = { .body = m->shape_body[y->probe->shape] };
    s[0] = ss_spot_touching(c, &body, value->point);
    for (int j = 0; j < y->nodes; j++) {
        s[j + 1] = ss_spot_at(c, &y->facet->at[j]);
    }
    return y->nodes + 1;
}

static ss_vec3 along(const pose *y, ss_vec3 direction, int spot)
{
    return spot == 0 ? direction : ss_scale(-y->part[spot - 1], direction);
}

ss_status ss_facet_rows(ss_context *ctx, const ss_model *m, const ss_config *c, const ss_contact *contact,
                        const ss_contact_value *value, bool friction, ss_csr *H, double drive[3], int *rows)
{
    const pose y = pose_of(m, c, &contact->id);
    const ss_vec3 none = { 0, 0, 0 };
    ss_spot s[4];
    const int spots = find_spots(m, c, &y, value, s);
    *rows = friction && fmax(contact->mu[0], contact->mu[1]) > 0 ? m->dimension : 1;
    for (int k = 0; k < *rows; k++) {
        const ss_vec3 direction = ss_contact_direction(value, k).lin[0];
        drive[k] = 0;
        for (int j = 0; j < spots; j++) {
            SS_TRY(ss_spot_push(ctx, m, c, &s[j], along(&y, direction, j), none, H, &drive[k]));
        }
        SS_TRY(ss_csr_end_row(ctx, H));
    }
    return SS_OK;
}

double ss_facet_velocity(const ss_model *m, const ss_config *c, const ss_contact *contact, const ss_contact_value *value, int k,
                         const double *v)
{
    const pose y = pose_of(m, c, &contact->id);
    const ss_vec3 direction = ss_contact_direction(value, k).lin[0], none = { 0, 0, 0 };
    double sum = 0, drive = 0;
    ss_spot s[4];
    const int spots = find_spots(m, c, &y, value, s);
    for (int j = 0; j < spots; j++) {
        ss_spot_times(m, c, &s[j], along(&y, direction, j), none, v, &sum, &drive);
    }
    return sum + drive;
}

/* ---- acceleration ---------------------------------------------------------------------------------------- */

/* rates of a pose, with the twists of all bodies kept */
typedef struct rates {
    ss_vec3 p, p2, x[3], x2[3]; /* velocities and accelerations of the corner and the nodes */
    ss_vec3 n, n2;              /* n', n''                                                 */
} rates;

static rates rates_of(const ss_model *m, const ss_config *c, const pose *y, const double *v)
{
    rates r = { 0 };
    const ss_attachment corner = { .body = m->shape_body[y->probe->shape], .point = y->probe->point };
    for (int j = 0; j <= y->nodes; j++) {
        ss_spot s[2];
        const ss_attachment at[2] = { j == 0 ? corner : y->facet->at[j - 1], corner };
        ss_spots_moving(m, c, v, at, s);
        *(j == 0 ? &r.p : &r.x[j - 1]) = s[0].v;
        *(j == 0 ? &r.p2 : &r.x2[j - 1]) = s[0].a;
    }
    const ss_vec3 first = ss_sub(y->x[1], y->x[0]), d1 = ss_sub(r.x[1], r.x[0]), a1 = ss_sub(r.x2[1], r.x2[0]);
    ss_vec3 m1 = perpendicular(d1), m2 = perpendicular(a1);
    if (y->nodes == 3) {
        const ss_vec3 second = ss_sub(y->x[2], y->x[0]), d2 = ss_sub(r.x[2], r.x[0]), a2 = ss_sub(r.x2[2], r.x2[0]);
        m1 = ss_add(ss_cross(d1, second), ss_cross(first, d2));
        m2 = ss_add(ss_scale(2, ss_cross(d1, d2)), ss_add(ss_cross(a1, second), ss_cross(first, a2)));
    }
    const double a = ss_dot(y->n, m1);
    r.n = ss_scale(1 / y->size, ss_axpy(-a, y->n, m1));
    const double b = ss_dot(r.n, m1) + ss_dot(y->n, m2);
    r.n2 = ss_scale(1 / y->size, ss_axpy(-b, y->n, ss_axpy(-2 * a, r.n, m2)));
    return r;
}

/* w x (f' - v_b) - sum of l_j' v_j - sum of l_j x_j'' */
static ss_vec3 slip_rate(const ss_model *m, const ss_config *c, const pose *y, const rates *r, const double *v)
{
    const ss_vec3 d = ss_sub(y->p, y->x[0]);
    const double above = ss_dot(y->n, d), rise = ss_dot(r->n, d) + ss_dot(y->n, ss_sub(r->p, r->x[0]));
    const ss_vec3 foot = ss_axpy(-rise, y->n, ss_axpy(-above, r->n, r->p));
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

/* row times the accelerations of driven bodies */
static double drive_rate(const ss_config *c, const pose *y, const ss_spot *s, int spots, ss_vec3 direction)
{
    double sum = 0;
    for (int j = 0; j < spots; j++) {
        const ss_vec3 *rate = &c->drive_rate[2 * s[j].body], lin = along(y, direction, j);
        sum += ss_dot(lin, rate[0]) + ss_dot(ss_cross(s[j].arm, lin), rate[1]);
    }
    return sum;
}

void ss_facet_acceleration(const ss_model *m, const ss_config *c, const ss_contact *contact, const ss_contact_value *value,
                           const double *v, int rows, double *out)
{
    const pose y = pose_of(m, c, &contact->id);
    const rates r = rates_of(m, c, &y, v);
    const ss_vec3 d = ss_sub(y.p, y.x[0]), d1 = ss_sub(r.p, r.x[0]), d2 = ss_sub(r.p2, r.x2[0]);
    ss_spot s[4];
    const int spots = find_spots(m, c, &y, value, s);
    for (int k = 0; k < rows; k++) {
        const ss_vec3 direction = ss_contact_direction(value, k).lin[0];
        out[k] = k == 0 ? ss_dot(r.n2, d) + 2 * ss_dot(r.n, d1) + ss_dot(y.n, d2) : ss_dot(direction, slip_rate(m, c, &y, &r, v));
        out[k] += drive_rate(c, &y, s, spots, direction);
    }
}
