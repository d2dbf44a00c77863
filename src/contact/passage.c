/* passage.c - which shapes meet while bodies move along a path.
 *
 * Which pairs. Where two shapes move by no more than they are thick together, neither gets to the other side of the other one:
 * they overlap at the end if they have met, corners aside. Others are followed: way_a + way_b > thickness_a + thickness_b, with
 * way = |dx| + r |turn|. A shape that is THIN times thinner than both changes its place on the other one by many times itself on
 * such a way, and an impact turns it by radians: there twice its own thickness counts. A point, of thickness 0, does not turn. A
 * height field counts with 0, as what flies over its ground meets its ridges. A half space is convex and without end: only the
 * turning of the other body can hide that it was met, by r turn^2/8 at most. A driven body may be where it was at both ends of
 * the path, and elsewhere in between: a pair is followed too if that hides more than HIDDEN of its thickness.
 *
 * Conservative advancement. Two convex shapes at the distance d along n cannot meet within d/u, where
 *
 *     u = max(0, -n . (v_a - v_b)) + r_a |w_a| + r_b |w_b|
 *
 * with bounds on the velocities along the path. The pair is moved on by 0.9 d/u, again and again, until the path ends; where d is
 * small, by at least SS_TOL_AT_HAND of the scale: a chord that is shorter is not found. Where d < 0 they have met. For height
 * fields, which are not convex, |v_a - v_b| stands in the place of -n . (v_a - v_b). A pair that touches at the start has met
 * already; it is followed from where it comes apart. If it becomes deeper than at the start by DEEP of the scale instead, it
 * meets something else: other ground, or its far side. It is looked at after half of that way, and then after ways that are
 * doubled up to half of DEEP of both thicknesses. After SS_PASSAGE_LOOKS all ways are doubled, so that the work is bounded.
 *
 * Velocities. A cubic's derivative lies in the hull of v0, 3 way/h - v0 - v1, v1. A rotation vector x(s) turns by |x'| at most.
 *
 * Driven bodies. Their expressions tell how far they get in a time, not how fast they are: all places from the time s to s + ds
 * are known (ss_model_driven_range). ds is halved until no point gets farther than it may.
 *
 * Symbols   r radius of the ball about the body's origin that holds a shape; scale: thickness of a pair
 * Cost      a sum per shape where nothing moves far; else a broad phase of the swept boxes and about ten distances per pair */
#include "base/parallel.h"
#include "base/tolerances.h"
#include "contact/passage_inside.h"
#include "geom/terrain.h"
#include <math.h>

static const double THIN = 16;       /* of both thicknesses over that of a shape that counts alone                          */
static const double FAR = 1;         /* way that is followed, of the thickness                                            */
static const double HIDDEN = 0.1;    /* of the thickness: what turning, or a driven motion, may hide from the ends          */
static const double ADVANCE = 0.9;   /* of the time in which nothing can meet: a distance of 0 is passed by rounding only    */
static const double DEEP = 0.25;     /* of the scale: a pair that touches and becomes deeper by so much passes through        */
static const double GROW = 4;        /* the next time that is tried, of the last one                                          */
static const double END = 1e-15;     /* of the path: times that cannot be told apart                                         */
static const double FIELD_REACH = 4; /* spacings of a height field: within these distances are known                         */

enum { GRAIN = 512 }; /* bodies that a thread looks at in one go */

/* ---- life ---------------------------------------------------------------------------------------- */

static bool is_endless(const ss_shape *shape) { return !isfinite(ss_shape_radius(shape)); }

static ss_status build(ss_passage *p)
{
    const ss_model *m = p->model;
    const size_t shapes = (size_t)m->shapes;
    SS_TRY(ss_broad_phase_create(p->ctx, &p->broad));
    SS_TRY(ss_calloc(p->ctx, shapes, sizeof *p->group, &p->group));
    SS_TRY(ss_calloc(p->ctx, shapes, sizeof *p->radius, &p->radius));
    SS_TRY(ss_calloc(p->ctx, shapes, sizeof *p->thick, &p->thick));
    SS_TRY(ss_calloc(p->ctx, (size_t)m->bodies / GRAIN + 1, sizeof *p->far, &p->far));
    p->thinnest = INFINITY;
    for (int s = 0; s < m->shapes; s++) {
        const bool endless = is_endless(&m->shape[s]);
        p->group[s] = ss_model_is_dynamic(m, m->shape_body[s]) ? m->shape_body[s] : -1;
        p->radius[s] = endless ? 0 : ss_shape_radius(&m->shape[s]);
        p->thick[s] = endless ? 0 : m->shape_thickness[s];
        p->thinnest = p->thick[s] > 0 ? fmin(p->thinnest, p->thick[s]) : p->thinnest;
    }
    return SS_OK;
}

/* What is asked for once a shape moves far; in many a scene none ever does. */
static ss_status reserve_far(ss_passage *p)
{
    const ss_model *m = p->model;
    SS_TRY(p->box ? SS_OK : ss_calloc(p->ctx, (size_t)m->shapes, sizeof *p->box, &p->box));
    SS_TRY(p->body ? SS_OK : ss_calloc(p->ctx, (size_t)m->bodies, sizeof *p->body, &p->body));
    SS_TRY(p->q ? SS_OK : ss_calloc(p->ctx, (size_t)m->nq, sizeof *p->q, &p->q));
    return p->x ? SS_OK : ss_calloc(p->ctx, (size_t)m->nv, sizeof *p->x, &p->x);
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
        void *owned[] = { p->box, p->group, p->radius, p->thick, p->body, p->far, p->q, p->x };
        for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) {
            ss_free(p->ctx, owned[k]);
        }
        ss_free(p->ctx, p);
    }
}

/* ---- bodies on the path -------------------------------------------------------------------------- */

ss_frame ss_passage_frame(ss_passage *p, const ss_path *path, int body, double s)
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

static ss_mover free_mover(const ss_passage *p, const ss_path *path, int body)
{
    ss_vec3 v0[2], v1[2], way[2];
    split(p->model, body, path->v0, v0);
    if (!path->way) {
        return (ss_mover){ .v = { v0[0], v0[0], v0[0] }, .spin = ss_norm(v0[1]) };
    }
    split(p->model, body, path->v1, v1);
    split(p->model, body, path->way, way);
    ss_mover out = { .v = { v0[0], ss_sub(ss_axpy(3 / path->h, way[0], ss_scale(-1, v0[0])), v1[0]), v1[0] } };
    const ss_vec3 middle = ss_sub(ss_axpy(3 / path->h, way[1], ss_scale(-1, v0[1])), v1[1]);
    out.spin = fmax(ss_norm(v0[1]), fmax(ss_norm(middle), ss_norm(v1[1])));
    /* the cubic less its chord is (h v0 - way) z(1-z)^2 - (h v1 - way) z^2(1-z) */
    out.bend = 4.0 / 27 * (ss_norm(ss_axpy(-path->h, v0[0], way[0])) + ss_norm(ss_axpy(-path->h, v1[0], way[0])));
    return out;
}

/* how far [lo, hi] goes beyond two values in it */
static double beyond(double lo, double hi, double a, double b) { return fmax(fmin(a, b) - lo, 0) + fmax(hi - fmax(a, b), 0); }

static ss_mover driven_mover(const ss_passage *p, const ss_path *path, int body)
{
    ss_driven_range all, from, to;
    double extent = 0, hidden = 0;
    ss_model_driven_range(p->model, body, path->t, path->t + path->h, &all);
    ss_model_driven_range(p->model, body, path->t, path->t, &from);
    ss_model_driven_range(p->model, body, path->t + path->h, path->t + path->h, &to);
    for (int k = 0; k < SS_DRIVEN_ANGLE; k++) {
        extent = hypot(extent, all.hi[k] - all.lo[k]);
        hidden = hypot(hidden, beyond(all.lo[k], all.hi[k], from.lo[k], to.lo[k]));
    }
    const int angle = SS_DRIVEN_ANGLE;
    const double turn = all.hi[angle] - all.lo[angle];
    return (ss_mover){ .driven = extent > 0 || turn > 0,
                       .bend = hidden,
                       .extent = extent,
                       .turn = turn,
                       .hidden = hidden,
                       .hidden_turn = beyond(all.lo[angle], all.hi[angle], from.lo[angle], to.lo[angle]) };
}

static ss_mover mover_at(const ss_passage *p, const ss_path *path, int body)
{
    const ss_model *m = p->model;
    const bool driven = m->body_type[body] == SS_BODY_DRIVEN;
    if (m->shape_start[body] == m->shape_start[body + 1] || !(driven || ss_model_is_dynamic(m, body))) {
        return (ss_mover){ .spin = 0 };
    }
    return driven ? driven_mover(p, path, body) : free_mover(p, path, body);
}

/* ---- which pairs --------------------------------------------------------------------------------- */

static const ss_mover *mover_of(const ss_passage *p, int shape) { return &p->body[p->model->shape_body[shape]]; }

static double speed_of(const ss_mover *x) { return fmax(ss_norm(x->v[0]), fmax(ss_norm(x->v[1]), ss_norm(x->v[2]))); }

/* way of a driven shape, and the part of it that the ends of the path do not show; of others 0 */
static double driven_way(const ss_passage *p, const ss_mover *x, int shape) { return x->extent + p->radius[shape] * x->turn; }

static double hidden_way(const ss_passage *p, const ss_mover *x, int shape)
{
    return x->hidden + p->radius[shape] * x->hidden_turn;
}

/* Every pair that is followed has a shape, of a body that moves like x, for which this holds. */
static bool shape_moves_far(const ss_passage *p, const ss_mover *x, int shape, double h)
{
    const double way = h * (speed_of(x) + p->radius[shape] * x->spin) + driven_way(p, x, shape), turn = h * x->spin + x->turn;
    const double thin = fmin(p->thick[shape], p->thinnest);
    const bool hides = p->radius[shape] * turn * turn / 8 > HIDDEN * p->thick[shape] || hidden_way(p, x, shape) > HIDDEN * thin;
    return way > 0 && (way > FAR * thin || hides || is_endless(&p->model->shape[shape]));
}

typedef struct movers_job {
    ss_passage *p;
    const ss_path *path;
} movers_job;

static void look_at_movers(void *data, int begin, int end)
{
    const movers_job *x = data;
    ss_passage *p = x->p;
    bool far = false;
    for (int b = begin; b < end && !far; b++) {
        const ss_mover mover = mover_at(p, x->path, b);
        for (int s = p->model->shape_start[b]; s < p->model->shape_start[b + 1]; s++) {
            far = far || shape_moves_far(p, &mover, s, x->path->h);
        }
    }
    p->far[begin / GRAIN] = far;
}

static void set_movers(void *data, int begin, int end)
{
    const movers_job *x = data;
    for (int b = begin; b < end; b++) {
        x->p->body[b] = mover_at(x->p, x->path, b);
    }
}

/* Does a shape move far? */
static bool any_moves_far(ss_passage *p, const ss_path *path)
{
    const int bodies = p->model->bodies;
    bool far = false;
    ss_parallel_for(p->ctx, bodies, GRAIN, look_at_movers, &(movers_job){ p, path });
    for (int k = 0; k * GRAIN < bodies; k++) {
        far = far || p->far[k];
    }
    return far;
}

static double driven_way_of_pair(const ss_passage *p, int a, int b)
{
    return driven_way(p, mover_of(p, a), a) + driven_way(p, mover_of(p, b), b);
}

/* bound on the speed of any point of one shape against any of the other; what is driven counts with 0 */
static double pair_speed(const ss_passage *p, int a, int b)
{
    const ss_mover *x = mover_of(p, a), *y = mover_of(p, b);
    double apart = 0;
    for (int i = 0; i < 3; i++) {
        apart = fmax(apart, ss_norm(ss_sub(x->v[i], y->v[i])));
    }
    return apart + p->radius[a] * x->spin + p->radius[b] * y->spin;
}

static double thickness_of(const ss_passage *p, int a, int b)
{
    const double both = p->thick[a] + p->thick[b], thinner = fmin(p->thick[a], p->thick[b]);
    return thinner > 0 && THIN * thinner < both ? 2 * thinner : both;
}

/* What lengths of a pair are measured against: its thickness, or, for a point against something without end, the spacing of that
 * or the arm on which the point turns. */
static double scale_of(const ss_passage *p, int a, int b)
{
    const double thick = thickness_of(p, a, b);
    for (int i = 0; i < 2 && !(thick > 0); i++) {
        const ss_shape *shape = &p->model->shape[i == 0 ? a : b];
        if (shape->terrain) {
            return shape->terrain->spacing;
        }
    }
    return thick > 0 ? thick : p->radius[a] + p->radius[b];
}

double ss_passage_turn(const ss_passage *p, int shape) { return p->h * mover_of(p, shape)->spin + mover_of(p, shape)->turn; }

bool ss_passage_moves_far(const ss_passage *p, int a, int b)
{
    const ss_model *m = p->model;
    const double h = p->h, thick = thickness_of(p, a, b);
    if (h == 0) {
        return false;
    }
    const ss_mover *x = mover_of(p, a), *y = mover_of(p, b);
    const int plane = m->shape[a].kind == SS_SHAPE_half_space ? a : b, other = a + b - plane;
    if (hidden_way(p, x, a) + hidden_way(p, y, b) > HIDDEN * scale_of(p, a, b) && scale_of(p, a, b) > 0) {
        return true;
    }
    if (m->shape[plane].kind == SS_SHAPE_half_space) {
        const double turn = ss_passage_turn(p, a) + ss_passage_turn(p, b);
        return p->radius[other] * turn * turn / 8 > HIDDEN * thick && p->radius[other] > 0;
    }
    return h * pair_speed(p, a, b) + driven_way_of_pair(p, a, b) > FAR * thick;
}

static ss_box3 swept_box(ss_passage *p, const ss_path *path, int shape)
{
    const int body = p->model->shape_body[shape];
    const ss_mover *x = &p->body[body];
    const ss_frame from = ss_passage_frame(p, path, body, 0), to = ss_passage_frame(p, path, body, path->h);
    const ss_box3 a = ss_shape_bounds(&p->model->shape[shape], &from), b = ss_shape_bounds(&p->model->shape[shape], &to);
    const double turn = path->h * x->spin, grow = x->bend + p->radius[shape] * fmin(2, turn * turn / 8 + x->turn);
    return (ss_box3){ { fmin(a.lo.x, b.lo.x) - grow, fmin(a.lo.y, b.lo.y) - grow, fmin(a.lo.z, b.lo.z) - grow },
                      { fmax(a.hi.x, b.hi.x) + grow, fmax(a.hi.y, b.hi.y) + grow, fmax(a.hi.z, b.hi.z) + grow } };
}

/* ---- following a pair ---------------------------------------------------------------------------- */

typedef struct distance {
    double gap;
    ss_vec3 n; /* from b to a; zero: not along a known direction */
} distance;

static const distance anywhere = { .gap = 0 };

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

/* Of a height field, whose parts cost time, only as far as `within`: the distance is more where none is found. */
static distance distance_at(ss_passage *p, const ss_path *path, const ss_swept_pair *pair, double s, double within)
{
    const ss_model *m = p->model;
    const ss_shape *a = &m->shape[pair->a], *b = &m->shape[pair->b];
    const ss_frame fa = ss_passage_frame(p, path, m->shape_body[pair->a], s),
                   fb = ss_passage_frame(p, path, m->shape_body[pair->b], s);
    const double reach = fmin(reach_of(p, pair->a, pair->b), within);
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

/* bound on the speed with which a pair at this distance closes it; what is driven counts with 0 */
static double closing_speed(const ss_passage *p, const ss_swept_pair *pair, const distance *d)
{
    const ss_mover *x = mover_of(p, pair->a), *y = mover_of(p, pair->b);
    if (!(ss_dot(d->n, d->n) > 0)) {
        return pair_speed(p, pair->a, pair->b);
    }
    double closes = 0;
    for (int i = 0; i < 3; i++) {
        closes = fmax(closes, -ss_dot(d->n, ss_sub(x->v[i], y->v[i])));
    }
    return closes + p->radius[pair->a] * x->spin + p->radius[pair->b] * y->spin;
}

/* How far any point of a driven shape gets along n, or in any direction where n is zero, from the time s on in ds at most. */
static double driven_reach(const ss_passage *p, const ss_path *path, int shape, ss_vec3 n, double s, double ds)
{
    const int body = p->model->shape_body[shape], angle = SS_DRIVEN_ANGLE;
    if (!p->body[body].driven) {
        return 0;
    }
    ss_driven_range at, all;
    double along[3], size = 0, sum = 0;
    ss_v3_to(n, along);
    ss_model_driven_range(p->model, body, path->t + s, path->t + s, &at);
    ss_model_driven_range(p->model, body, path->t + s, path->t + s + ds, &all);
    for (int k = 0; k < angle; k++) {
        const double down = all.lo[k] - at.lo[k], up = all.hi[k] - at.lo[k];
        sum += fmax(along[k] * down, along[k] * up);
        size = hypot(size, fmax(-down, up));
    }
    const double turn = fmax(at.lo[angle] - all.lo[angle], all.hi[angle] - at.lo[angle]);
    return (ss_dot(n, n) > 0 ? sum : size) + p->radius[shape] * fmin(turn, 2);
}

/* A time from s on in which a pair at the distance d comes nearer by `way` at most, or, if it is not to be told apart, moves by
 * no more in any direction; where something is driven, at most `longest`. */
static double time_for(const ss_passage *p, const ss_path *path, const ss_swept_pair *pair, const distance *d, bool apart,
                       double s, double way, double longest)
{
    const distance *along = apart ? d : &anywhere;
    const double speed = closing_speed(p, pair, along);
    double ds = closing_speed(p, pair, d) > 0 ? way / speed : INFINITY;
    if (mover_of(p, pair->a)->driven || mover_of(p, pair->b)->driven) {
        const ss_vec3 back = ss_scale(-1, along->n);
        ds = fmin(ds, longest);
        while (s + ds > s &&
               speed * ds + driven_reach(p, path, pair->a, back, s, ds) + driven_reach(p, path, pair->b, along->n, s, ds) > way) {
            ds *= 0.5;
        }
    }
    return ds;
}

/* Move the pair along the path until it meets, or the path ends. */
static void follow(ss_passage *p, const ss_path *path, ss_swept_pair *pair)
{
    const double least = SS_TOL_AT_HAND * pair->scale, touch = fmin(0.1 * least, SS_TOL_CLOSED * p->model->length);
    const double speed = pair_speed(p, pair->a, pair->b), driven = driven_way_of_pair(p, pair->a, pair->b);
    distance d = distance_at(p, path, pair, 0, speed * path->h + driven + least);
    bool apart = d.gap > touch;
    double s = 0, coarse = 1, time = path->h;
    pair->gap = d.gap;
    const double deep = DEEP * pair->scale, widest = fmax(deep, DEEP * (p->thick[pair->a] + p->thick[pair->b]));
    for (; s < path->h; pair->looks++) {
        const double slides = 0.5 * fmin(exp2(pair->looks) * deep, widest),
                     way = apart ? fmax(ADVANCE * d.gap, coarse * least) : coarse * slides;
        time = time_for(p, path, pair, &d, apart, s, way, fmin(GROW * time, path->h - s));
        coarse = pair->looks < SS_PASSAGE_LOOKS ? 1 : 2 * coarse;
        pair->before = s;
        s = fmin(s + fmax(time, END * path->h), path->h);
        d = distance_at(p, path, pair, s, fmax(d.gap, 0) + speed * (s - pair->before) + driven + least);
        if (d.gap < (apart ? -touch : fmin(pair->gap, 0) - deep)) {
            pair->meets = true;
            pair->inside = s;
            return;
        }
        apart = apart || d.gap > least;
    }
}

static ss_status take_pair(ss_passage *p, const ss_path *path, ss_index_pair shapes, ss_swept_pairs *out)
{
    ss_swept_pair pair = { .a = shapes.a, .b = shapes.b, .scale = scale_of(p, shapes.a, shapes.b) };
    if (pair.scale > 0) {
        pair.brief = time_for(p, path, &pair, &anywhere, false, 0, SS_PASSAGE_BIT * pair.scale, path->h);
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
    out->any_far = any_moves_far(p, path);
    p->h = out->any_far ? path->h : 0;
    if (!out->any_far) {
        return SS_OK;
    }
    SS_TRY(reserve_far(p));
    ss_parallel_for(p->ctx, m->bodies, GRAIN, set_movers, &(movers_job){ p, path });
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
