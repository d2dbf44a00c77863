/* passage_contacts.c - what a path does to a contact that is known.
 *
 * Cost   one or two gaps of the contact */
#include "base/tolerances.h"
#include "contact/passage_inside.h"
#include <math.h>

static const double SAME_SIDE = 0.5;  /* cosine of the angle by which a normal turns while its contact stays on its side */
static const double QUARTER = 1.5707; /* rad: how far bodies may turn while gaps tell on which side they are            */

/* Do two directions, each as seen from its own frame, agree? */
static bool is_fixed_to(const ss_frame *f, ss_vec3 n, const ss_frame *g, ss_vec3 k)
{
    const ss_vec3 before = ss_v3(ss_dot(f->R.c[0], n), ss_dot(f->R.c[1], n), ss_dot(f->R.c[2], n)),
                  after = ss_v3(ss_dot(g->R.c[0], k), ss_dot(g->R.c[1], k), ss_dot(g->R.c[2], k));
    return ss_norm(ss_sub(after, before)) <= SS_TOL_FITS;
}

bool ss_passage_sees(ss_passage *p, const ss_path *path, double s, const ss_contact *c)
{
    const ss_frame a = ss_passage_frame(p, path, p->model->shape_body[c->id.a], s),
                   b = ss_passage_frame(p, path, p->model->shape_body[c->id.b], s);
    ss_gap_value value;
    ss_gap_eval(&c->gap, &a, &b, &value);
    return value.gap < 0 && value.outside <= SS_TOL_ON_SURFACE * p->model->length;
}

bool ss_passage_loses(ss_passage *p, const ss_path *path, const ss_contact *c)
{
    const int a = p->model->shape_body[c->id.a], b = p->model->shape_body[c->id.b];
    const ss_frame a0 = ss_passage_frame(p, path, a, 0), a1 = ss_passage_frame(p, path, a, path->h),
                   b0 = ss_passage_frame(p, path, b, 0), b1 = ss_passage_frame(p, path, b, path->h);
    ss_gap_value from, to;
    ss_gap_eval(&c->gap, &a0, &b0, &from);
    ss_gap_eval(&c->gap, &a1, &b1, &to);
    const bool face = is_fixed_to(&a0, from.normal, &a1, to.normal) || is_fixed_to(&b0, from.normal, &b1, to.normal);
    const double turn = ss_passage_turn(p, c->id.a) + ss_passage_turn(p, c->id.b);
    const bool below = to.gap < 0 && to.outside > SS_TOL_ON_SURFACE * p->model->length;
    return below || turn > QUARTER || (!face && !(ss_dot(from.normal, to.normal) > SAME_SIDE));
}
