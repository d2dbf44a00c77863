/* facet_passed.c - corners that have gone through a facet between two configurations without being seen at the second.
 *
 * Contacts of facets are looked for where things are, not along their paths. So a corner that goes through the element behind a
 * facet within one step is lost. Here it is found afterwards: it was in front of the facet, is behind its element now, and the
 * straight lines from place to place say that its foot was on the facet when the gap was zero,
 *
 *     s = gap_0/(gap_0 - gap_1),   p(s), x_j(s) on these lines
 *
 * Nothing is looked for while nothing moves by half the height of the lowest element.
 *
 * Cost   linear in corners and facets; that of the broad phase over them where something moves far */
#include "contact/facet.h"

/* places of a corner and of the nodes of a facet at both ends */
typedef struct passage {
    ss_vec3 p[2], x[2][3];
} passage;

static ss_vec3 place_of(const ss_config *c, const ss_attachment *at) { return ss_point_to_world(c->frame[at->body], at->point); }

static ss_vec3 corner_at(const ss_model *m, const ss_config *c, int probe)
{
    return ss_point_to_world(c->frame[m->shape_body[m->probe[probe].shape]], m->probe[probe].point);
}

bool ss_facets_move_far(const ss_model *m, const ss_config *from, const ss_config *to)
{
    double way = 0, least = INFINITY;
    for (int k = 0; k < m->probes; k++) {
        way = fmax(way, ss_norm(ss_sub(corner_at(m, to, k), corner_at(m, from, k))));
    }
    for (int k = 0; k < m->facets; k++) {
        least = fmin(least, m->facet[k].depth);
        for (int j = 0; j < m->dimension; j++) {
            way = fmax(way, ss_norm(ss_sub(place_of(to, &m->facet[k].at[j]), place_of(from, &m->facet[k].at[j]))));
        }
    }
    return way > 0.5 * least;
}

static ss_vec3 between(ss_vec3 a, ss_vec3 b, double s) { return ss_axpy(s, ss_sub(b, a), a); }

static passage passage_of(const ss_model *m, const ss_config *const c[2], const ss_contact_id *id)
{
    passage y = { 0 };
    for (int end = 0; end < 2; end++) {
        y.p[end] = corner_at(m, c[end], id->a);
        for (int j = 0; j < m->dimension; j++) {
            y.x[end][j] = place_of(c[end], &m->facet[id->b].at[j]);
        }
    }
    return y;
}

/* Is the foot of the corner on the facet, a part s of the way? */
static bool is_above(const ss_model *m, const passage *y, double s)
{
    const ss_vec3 p = between(y->p[0], y->p[1], s);
    ss_vec3 x[3];
    for (int j = 0; j < m->dimension; j++) {
        x[j] = between(y->x[0][j], y->x[1][j], s);
    }
    const ss_vec3 side = ss_sub(x[1], x[0]), n = m->dimension == 3 ? ss_cross(side, ss_sub(x[2], x[0])) : ss_v3(0, 0, 0);
    const double along = ss_dot(ss_sub(p, x[0]), side);
    bool above = m->dimension == 3 || (along >= 0 && along <= ss_dot(side, side));
    for (int j = 0; j < 3 && m->dimension == 3; j++) {
        above = above && ss_dot(n, ss_cross(ss_sub(x[(j + 1) % 3], x[j]), ss_sub(p, x[j]))) >= 0;
    }
    return above;
}

bool ss_facet_was_passed(const ss_model *m, const ss_config *from, const ss_config *to, const ss_contact *contact)
{
    const ss_config *const c[2] = { from, to };
    ss_contact_value value[2];
    for (int end = 0; end < 2; end++) {
        ss_facet_eval(m, c[end], contact, &value[end]);
    }
    if (!(value[0].gap > 0 && value[1].gap <= -m->facet[contact->id.b].depth)) {
        return false;
    }
    const passage y = passage_of(m, c, &contact->id);
    return is_above(m, &y, value[0].gap / (value[0].gap - value[1].gap));
}
