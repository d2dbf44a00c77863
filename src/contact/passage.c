/* passage.c - which shapes meet while bodies move along a path.
 *
 * Which pairs   Where two shapes move by no more than they are thick, neither gets to the other side of the other one: they
 * overlap at the end if they have met, corners aside. Others are followed: way_a + way_b > thickness_a + thickness_b,  way = |dx|
 * + r |turn| A height field counts with thickness 0, as what flies over its ground meets its ridges. A half space is convex and
 * without end: only the turning of the other body can hide that it was met, by r turn^2/8 at most. Conservative advancement   Two
 * convex shapes at the distance d along n cannot meet within d/u, where u = max(0, -n . (v_a - v_b)) + r_a |w_a| + r_b |w_b| with
 * bounds on the velocities along the path. The pair is moved on by 0.9 d/u, again and again, until the path ends; where d is
 * small, by at least SS_TOL_AT_HAND of the scale: a chord that is shorter is not found. Where d < 0 they have met. For height
 * fields, which are not convex, |v_a - v_b| stands in the place of -n . (v_a - v_b). A pair that touches at the start has met
 * already; it is followed from where it comes apart. If it becomes deeper than at the start by DEEP of the scale instead, it
 * meets something else: other ground, or its far side. Velocities    The derivative of a cubic lies in the hull of v0, 3 way/h -
 * v0 - v1, v1. A rotation vector x(s) turns the body no faster than |x'|. Driven bodies are evaluated at a few times; twice the
 * fastest found is taken for the bound.
 *
 * Symbols   r radius of the ball about the body's origin that holds a shape; scale: thickness of both shapes
 * Cost      a sum per shape where nothing moves far; else a broad phase of the swept boxes and about ten distances per pair */
#include "contact/passage.h"
#include "base/tolerances.h"
#include "geom/terrain.h"
#include <math.h>

enum { SAMPLES = 8, MOST_STEPS = 1000 };
static const double FAR = 1;          /* way that is followed, of the thickness                                            */
static const double HIDDEN = 0.1;     /* of the thickness: what turning may hide from a half space                           */
static const double ADVANCE = 0.9;    /* of the time in which nothing can meet: a distance of 0 is passed by rounding only    */
static const double DEEP = 0.25;      /* of the scale: a pair that touches and becomes deeper by so much passes through        */
static const double SAME_SIDE = 0.5;  /* cosine of the angle by which a normal turns while its contact stays on its side  */
static const double QUARTER = 1.5707; /* rad: how far bodies may turn while gaps tell on which side they are */
static const double DRIVEN_SPEED = 2; /* times the fastest of the samples                                                   */
static const double FIELD_REACH = 4;  /* spacings of a height field: within these distances are known                         */

/* A body on the path. */
typedef struct mover {
    ss_vec3 v[3]; /* the hull of its velocity           */
    double loose; /* speed in any direction besides     */
    double spin;  /* bound on its angular speed         */
    double bend;  /* how far it leaves the line between its ends */
} mover;

struct ss_passage {
    ss_context *ctx;
    const ss_model *model;
    ss_broad_phase *broad;
    ss_box3 *box;   /* of every shape, swept                                     */
    int *group;     /* of every shape: its body if that moves freely, else -1   */
    double *radius; /* of every shape, about its body's origin; 0: without end  */
    double *thick;  /* of every shape; 0: without end                           */
    mover *body;
    double *q, *x; /* nq, nv: of the body at hand */
    double h;      /* of the last path; 0: nothing moved far on it */
    ss_manifold manifold;
};

/* ---- life ---------------------------------------------------------------------------------------- */

static bool is_endless(const ss_shape *shape) { return !isfinite(ss_shape_radius(shape)); }

static ss_status build(ss_passage *p)
{
    const ss_model *m = p->model;
    const size_t shapes = (size_t)m->shapes;
    SS_TRY(ss_broad_phase_create(p->ctx, &p->broad));
    SS_TRY(ss_calloc(p->ctx, shapes, sizeof *p->box, &p->box));
    SS_TRY(ss_calloc(p->ctx, shapes, sizeof *p->group, &p->group));
    SS_TRY(ss_calloc(p->ctx, shapes, sizeof *p->radius, &p->radius));
    SS_TRY(ss_calloc(p->ctx, shapes, sizeof *p->thick, &p->thick));
    SS_TRY(ss_calloc(p->ctx, (size_t)m->bodies, sizeof *p->body, &p->body));
    SS_TRY(ss_calloc(p->ctx, (size_t)m->nq, sizeof *p->q, &p->q));
    SS_TRY(ss_calloc(p->ctx, (size_t)m->nv, sizeof *p->x, &p->x));
    for (int s = 0; s < m->shapes; s++) {
        const bool endless = is_endless(&m->shape[s]);
        p->group[s] = ss_model_is_dynamic(m, m->shape_body[s]) ? m->shape_body[s] : -1;
        p->radius[s] = endless ? 0 : ss_shape_radius(&m->shape[s]);
        p->thick[s] = endless ? 0 : ss_shape_thickness(&m->shape[s]);
    }
    return SS_OK;
}

ss_status ss_passage_create(ss_context *ctx, const ss_model *m, ss_passage **out)
{
    SS_TRY(ss_calloc(ctx, 1, sizeof **out, out));
    (*out)->ctx = ctx;
    (*out)->model = m;
    const ss_status status = build(*out);
    if (status != SS_OK) {
        ss_passage_destroy(*out);
        *out = NULL;
    }
    return status;
}

void ss_passage_destroy(ss_passage *p)
{
    if (p) {
        ss_broad_phase_destroy(p->broad);
        void *owned[] = { p->box, p->group, p->radius, p->thick, p->body, p->q, p->x };
        for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) {
            ss_free(p->ctx, owned[k]);
        }
        ss_free(p->ctx, p);
    }
}

void ss_swept_pairs_free(ss_context *ctx, ss_swept_pairs *list)
{
    ss_free(ctx, list->pair);
    *list = (ss_swept_pairs){ 0 };
}

ss_swept_pair *ss_swept_pairs_find(const ss_swept_pairs *list, int a, int b)
{
    int lo = 0, hi = list->n;
    while (lo < hi) {
        const int mid = lo + (hi - lo) / 2;
        ss_swept_pair *here = &list->pair[mid];
        if (here->a == a && here->b == b) {
            return here;
        }
        const bool less = here->a < a || (here->a == a && here->b < b);
        lo = less ? mid + 1 : lo;
        hi = less ? hi : mid;
    }
    return NULL;
}

/* ---- bodies on the path -------------------------------------------------------------------------- */

/* frame of a body at the time s of the path */
static ss_frame frame_at(ss_passage *p, const ss_path *path, int body, double s)
{
    const ss_model *m = p->model;
    if (ss_model_is_dynamic(m, body)) {
        const int first = m->body_v[body], size = m->mass.diagonal.size[m->body_block[body]];
        const double z = s / path->h, h10 = z * (1 - z) * (1 - z), h01 = z * z * (3 - 2 * z), h11 = z * z * (z - 1);
        for (int i = first; i < first + size; i++) {
            p->x[i] = path->way ? path->h * (h10 * path->v0[i] + h11 * path->v1[i]) + h01 * path->way[i] : s * path->v0[i];
        }
        ss_model_retract_body(m, body, path->q, p->x, 1, p->q);
    }
    return ss_model_frame(m, body, path->t + s, p->q);
}

/* linear and angular part of velocities of a body; the angular one in its own frame */
static void split(const ss_model *m, int body, const double *v, ss_vec3 out[2])
{
    const double *x = v + m->body_v[body];
    out[0] = ss_v3(x[0], x[1], m->dimension == 3 ? x[2] : 0);
    out[1] = ss_v3(0, 0, 0);
    if (m->body_type[body] == SS_BODY_RIGID) {
        out[1] = m->dimension == 2 ? ss_v3(0, 0, x[2]) : ss_v3_from(x + 3);
    }
}

static mover free_mover(const ss_passage *p, const ss_path *path, int body)
{
    ss_vec3 v0[2], v1[2], way[2];
    split(p->model, body, path->v0, v0);
    if (!path->way) {
        return (mover){ .v = { v0[0], v0[0], v0[0] }, .spin = ss_norm(v0[1]) };
    }
    split(p->model, body, path->v1, v1);
    split(p->model, body, path->way, way);
    mover out = { .v = { v0[0], ss_sub(ss_axpy(3 / path->h, way[0], ss_scale(-1, v0[0])), v1[0]), v1[0] } };
    const ss_vec3 middle = ss_sub(ss_axpy(3 / path->h, way[1], ss_scale(-1, v0[1])), v1[1]);
    out.spin = fmax(ss_norm(v0[1]), fmax(ss_norm(middle), ss_norm(v1[1])));
    /* the cubic less its chord is (h v0 - way) z(1-z)^2 - (h v1 - way) z^2(1-z) */
    out.bend = 4.0 / 27 * (ss_norm(ss_axpy(-path->h, v0[0], way[0])) + ss_norm(ss_axpy(-path->h, v1[0], way[0])));
    return out;
}

/* angle between two frames */
static double turn_between(const ss_frame *a, const ss_frame *b)
{
    const double trace = ss_dot(a->R.c[0], b->R.c[0]) + ss_dot(a->R.c[1], b->R.c[1]) + ss_dot(a->R.c[2], b->R.c[2]);
    return acos(fmin(fmax(0.5 * (trace - 1), -1), 1));
}

static mover driven_mover(ss_passage *p, const ss_path *path, int body)
{
    mover out = { .spin = 0 };
    ss_frame from = frame_at(p, path, body, 0);
    const ss_frame start = from;
    double fastest = 0, spin = 0;
    for (int k = 1; k <= SAMPLES; k++) {
        const ss_frame to = frame_at(p, path, body, k * path->h / SAMPLES);
        fastest = fmax(fastest, ss_norm(ss_sub(to.p, from.p)) * SAMPLES / path->h);
        spin = fmax(spin, turn_between(&from, &to) * SAMPLES / path->h);
        out.bend = fmax(out.bend, ss_norm(ss_sub(to.p, start.p)));
        from = to;
    }
    out.loose = DRIVEN_SPEED * fastest;
    out.spin = DRIVEN_SPEED * spin;
    out.bend += out.loose * path->h / SAMPLES;
    return out;
}

static void set_movers(ss_passage *p, const ss_path *path)
{
    const ss_model *m = p->model;
    for (int b = 0; b < m->bodies; b++) {
        const bool driven = m->body_type[b] == SS_BODY_DRIVEN;
        p->body[b] = (mover){ .spin = 0 };
        if (m->shape_start[b] < m->shape_start[b + 1] && (driven || ss_model_is_dynamic(m, b))) {
            p->body[b] = driven ? driven_mover(p, path, b) : free_mover(p, path, b);
        }
    }
}

void ss_path_way(const ss_model *m, const double *q0, const double *q1, const double *v0, const double *v1, double h, double *way)
{
    static const double full = 6.283185307179586;
    ss_model_difference(m, q0, q1, way);
    for (int b = 0; b < m->bodies; b++) {
        if (m->dimension == 3 && m->body_type[b] == SS_BODY_RIGID) {
            double *turn = way + m->body_v[b] + 3;
            const double *w0 = v0 + m->body_v[b] + 3, *w1 = v1 + m->body_v[b] + 3;
            const ss_vec3 shortest = ss_v3_from(turn), mean = ss_scale(0.5 * h, ss_add(ss_v3_from(w0), ss_v3_from(w1)));
            const double size = ss_norm(shortest);
            const ss_vec3 axis = size > 0 ? ss_scale(1 / size, shortest) : ss_unit(mean);
            const double turns = round((ss_dot(mean, axis) - size) / full);
            ss_v3_to(turns != 0 ? ss_axpy(full * turns, axis, shortest) : shortest, turn);
        }
    }
}

/* ---- which pairs --------------------------------------------------------------------------------- */

static double speed_of(const mover *x) { return fmax(ss_norm(x->v[0]), fmax(ss_norm(x->v[1]), ss_norm(x->v[2]))) + x->loose; }

static double point_speed(const ss_passage *p, int shape)
{
    const mover *x = &p->body[p->model->shape_body[shape]];
    return speed_of(x) + p->radius[shape] * x->spin;
}

/* Every pair that is followed has a shape for which this holds. */
static bool shape_moves_far(const ss_passage *p, int shape, double h)
{
    const mover *x = &p->body[p->model->shape_body[shape]];
    const double way = h * point_speed(p, shape), turn = h * x->spin;
    const bool hides = p->radius[shape] * turn * turn / 8 > HIDDEN * p->thick[shape];
    return way > 0 && (way > FAR * p->thick[shape] || hides || is_endless(&p->model->shape[shape]));
}

static bool any_moves_far(const ss_passage *p, double h)
{
    for (int s = 0; s < p->model->shapes; s++) {
        if (shape_moves_far(p, s, h)) {
            return true;
        }
    }
    return false;
}

/* bound on the speed of any point of one shape against any of the other */
static double pair_speed(const ss_passage *p, int a, int b)
{
    const mover *x = &p->body[p->model->shape_body[a]], *y = &p->body[p->model->shape_body[b]];
    double apart = 0;
    for (int i = 0; i < 3; i++) {
        apart = fmax(apart, ss_norm(ss_sub(x->v[i], y->v[i])));
    }
    return apart + x->loose + y->loose + p->radius[a] * x->spin + p->radius[b] * y->spin;
}

bool ss_passage_moves_far(const ss_passage *p, int a, int b)
{
    const ss_model *m = p->model;
    const double h = p->h;
    const int plane = m->shape[a].kind == SS_SHAPE_half_space ? a : b, other = a + b - plane;
    const double thick = p->thick[a] + p->thick[b];
    if (m->shape[plane].kind == SS_SHAPE_half_space) {
        const double turn = h * (p->body[m->shape_body[a]].spin + p->body[m->shape_body[b]].spin);
        return p->radius[other] * turn * turn / 8 > HIDDEN * thick && p->radius[other] > 0;
    }
    return h * pair_speed(p, a, b) > FAR * thick;
}

/* What lengths of a pair are measured against: its thickness, or, for a point against something without end, the spacing of that
 * or the arm on which the point turns. */
static double scale_of(const ss_passage *p, int a, int b)
{
    const double thick = p->thick[a] + p->thick[b];
    for (int i = 0; i < 2 && !(thick > 0); i++) {
        const ss_shape *shape = &p->model->shape[i == 0 ? a : b];
        if (shape->terrain) {
            return shape->terrain->spacing;
        }
    }
    return thick > 0 ? thick : p->radius[a] + p->radius[b];
}

static ss_box3 swept_box(ss_passage *p, const ss_path *path, int shape)
{
    const int body = p->model->shape_body[shape];
    const mover *x = &p->body[body];
    const ss_frame from = frame_at(p, path, body, 0), to = frame_at(p, path, body, path->h);
    const ss_box3 a = ss_shape_bounds(&p->model->shape[shape], &from), b = ss_shape_bounds(&p->model->shape[shape], &to);
    const double turn = path->h * x->spin, grow = x->bend + p->radius[shape] * fmin(2, turn * turn / 8);
    return (ss_box3){ { fmin(a.lo.x, b.lo.x) - grow, fmin(a.lo.y, b.lo.y) - grow, fmin(a.lo.z, b.lo.z) - grow },
                      { fmax(a.hi.x, b.hi.x) + grow, fmax(a.hi.y, b.hi.y) + grow, fmax(a.hi.z, b.hi.z) + grow } };
}

/* ---- following a pair ---------------------------------------------------------------------------- */

typedef struct distance {
    double gap;
    ss_vec3 n; /* from b to a; zero: not along a known direction */
} distance;

/* distance of two boxes along the axes in which they are apart */
static double box_distance(const ss_box3 *a, const ss_box3 *b)
{
    const double x = fmax(0, fmax(a->lo.x - b->hi.x, b->lo.x - a->hi.x)), y = fmax(0, fmax(a->lo.y - b->hi.y, b->lo.y - a->hi.y)),
                 z = fmax(0, fmax(a->lo.z - b->hi.z, b->lo.z - a->hi.z));
    return sqrt(x * x + y * y + z * z);
}

/* A height field knows distances within a reach only; farther away those of boxes are taken. */
static double reach_of(const ss_passage *p, int a, int b)
{
    const ss_terrain *t = p->model->shape[a].terrain ? p->model->shape[a].terrain : p->model->shape[b].terrain;
    return t ? FIELD_REACH * t->spacing : 0;
}

static distance distance_at(ss_passage *p, const ss_path *path, const ss_swept_pair *pair, double s)
{
    const ss_model *m = p->model;
    const ss_shape *a = &m->shape[pair->a], *b = &m->shape[pair->b];
    const ss_frame fa = frame_at(p, path, m->shape_body[pair->a], s), fb = frame_at(p, path, m->shape_body[pair->b], s);
    const double reach = reach_of(p, pair->a, pair->b);
    distance out = { .gap = INFINITY };
    if (reach > 0) {
        const ss_box3 box_a = ss_shape_bounds(a, &fa), box_b = ss_shape_bounds(b, &fb);
        out.gap = fmax(reach, box_distance(&box_a, &box_b));
        if (out.gap > reach) {
            return out;
        }
    }
    ss_collide(a, &fa, b, &fb, reach, &p->manifold);
    for (int k = 0; k < p->manifold.n; k++) {
        ss_gap_value value;
        ss_gap_eval(&p->manifold.gap[k], &fa, &fb, &value);
        if (value.gap < out.gap && value.outside <= SS_TOL_ON_SURFACE * m->length) {
            out = (distance){ value.gap, reach > 0 ? ss_v3(0, 0, 0) : value.normal };
        }
    }
    return out;
}

/* bound on the speed with which a pair at this distance closes it */
static double closing_speed(const ss_passage *p, const ss_swept_pair *pair, const distance *d)
{
    const mover *x = &p->body[p->model->shape_body[pair->a]], *y = &p->body[p->model->shape_body[pair->b]];
    if (!(ss_dot(d->n, d->n) > 0)) {
        return pair->speed;
    }
    double closes = 0;
    for (int i = 0; i < 3; i++) {
        closes = fmax(closes, -ss_dot(d->n, ss_sub(x->v[i], y->v[i])));
    }
    return closes + x->loose + y->loose + p->radius[pair->a] * x->spin + p->radius[pair->b] * y->spin;
}

/* Move the pair along the path until it meets, or the path ends. */
static void follow(ss_passage *p, const ss_path *path, ss_swept_pair *pair)
{
    const double least = SS_TOL_AT_HAND * pair->scale, touch = fmin(0.1 * least, SS_TOL_CLOSED * p->model->length);
    distance d = distance_at(p, path, pair, 0);
    bool apart = d.gap > touch;
    double s = 0, coarse = 1;
    pair->gap = d.gap;
    const double deep = fmin(d.gap, 0) - DEEP * pair->scale;
    for (int step = 0; s < path->h; step++) {
        const double speed = closing_speed(p, pair, &d);
        const double way = apart ? fmax(ADVANCE * d.gap, coarse * least) : 0.5 * DEEP * pair->scale;
        const double next = speed > 0 ? s + way / (apart ? speed : pair->speed) : path->h;
        coarse = step < MOST_STEPS ? 1 : 2 * coarse;
        pair->before = s;
        s = fmin(next, path->h);
        d = distance_at(p, path, pair, s);
        if (d.gap < (apart ? -touch : deep)) {
            pair->meets = true;
            pair->inside = s;
            return;
        }
        apart = apart || d.gap > least;
    }
}

static ss_status take_pair(ss_passage *p, const ss_path *path, ss_index_pair shapes, ss_swept_pairs *out)
{
    ss_swept_pair pair = {
        .a = shapes.a, .b = shapes.b, .scale = scale_of(p, shapes.a, shapes.b), .speed = pair_speed(p, shapes.a, shapes.b)
    };
    if (pair.scale > 0) {
        follow(p, path, &pair);
        SS_PUSH(p->ctx, out->pair, out->n, out->cap, pair);
    }
    return SS_OK;
}

ss_status ss_passage_look(ss_passage *p, const ss_path *path, ss_swept_pairs *out)
{
    const ss_model *m = p->model;
    const ss_index_pair *pairs;
    int count;
    out->n = 0;
    set_movers(p, path);
    p->h = any_moves_far(p, path->h) ? path->h : 0;
    if (p->h == 0) {
        return SS_OK;
    }
    for (int s = 0; s < m->shapes; s++) {
        p->box[s] = swept_box(p, path, s);
    }
    SS_TRY(ss_broad_phase_pairs(p->broad, m->shapes, p->box, p->group, &pairs, &count));
    for (int k = 0; k < count; k++) {
        const ss_index_pair pair = pairs[k];
        if (ss_passage_moves_far(p, pair.a, pair.b) && ss_model_may_touch(m, pair.a, pair.b)) {
            SS_TRY(take_pair(p, path, pair, out));
        }
    }
    return SS_OK;
}

/* ---- contacts on the path ------------------------------------------------------------------------ */

/* Do two directions, each as seen from its own frame, agree? */
static bool is_fixed_to(const ss_frame *f, ss_vec3 n, const ss_frame *g, ss_vec3 k)
{
    const ss_vec3 before = ss_v3(ss_dot(f->R.c[0], n), ss_dot(f->R.c[1], n), ss_dot(f->R.c[2], n)),
                  after = ss_v3(ss_dot(g->R.c[0], k), ss_dot(g->R.c[1], k), ss_dot(g->R.c[2], k));
    return ss_norm(ss_sub(after, before)) <= SS_TOL_FITS;
}

bool ss_passage_sees(ss_passage *p, const ss_path *path, double s, const ss_contact *c)
{
    const ss_frame a = frame_at(p, path, p->model->shape_body[c->id.a], s),
                   b = frame_at(p, path, p->model->shape_body[c->id.b], s);
    ss_gap_value value;
    ss_gap_eval(&c->gap, &a, &b, &value);
    return value.gap < 0 && value.outside <= SS_TOL_ON_SURFACE * p->model->length;
}

bool ss_passage_loses(ss_passage *p, const ss_path *path, const ss_contact *c)
{
    const int a = p->model->shape_body[c->id.a], b = p->model->shape_body[c->id.b];
    const ss_frame a0 = frame_at(p, path, a, 0), a1 = frame_at(p, path, a, path->h), b0 = frame_at(p, path, b, 0),
                   b1 = frame_at(p, path, b, path->h);
    ss_gap_value from, to;
    ss_gap_eval(&c->gap, &a0, &b0, &from);
    ss_gap_eval(&c->gap, &a1, &b1, &to);
    const bool face = is_fixed_to(&a0, from.normal, &a1, to.normal) || is_fixed_to(&b0, from.normal, &b1, to.normal);
    const double turn = path->h * (p->body[a].spin + p->body[b].spin);
    const bool below = to.gap < 0 && to.outside > SS_TOL_ON_SURFACE * p->model->length;
    return below || turn > QUARTER || (!face && !(ss_dot(from.normal, to.normal) > SAME_SIDE));
}
