/* vicinity.c - the contacts that may matter within a substep of time.
 *
 * Near is what two bodies can reach in h when each moves somewhat faster than its fastest point does freely, or than half of the
 * fastest one of all bodies, which may strike it: the gap is below reach_a + reach_b,
 *
 *     reach_b = HASTE max(way_b, STRUCK max_c way_c) + MARGIN length / 2,     way_b = h (speed + h gain) of its fastest point
 *
 * without the second term for a body that nothing can push. A chain of impacts may throw a body farther, and features
 * change along the way (a corner that slides over an edge meets what was not near at the start), so the end of a
 * substep is looked at again, and overlaps found there join the next survey of the same substep. So do overlaps of contacts
 * that the reduction had left out: what it leaves out is never violated unseen. So do, if the scheme wants it,
 * contacts whose points move along their features: a rim's lowest point is a fixed point of the body within a substep, that of
 * the end if the end shows an overlap there. This is a Newton iteration on the points.
 *
 * Contacts that the joints block (blocked.h) are not near: nothing can be done about them. Those that are closed are counted, and
 * those that joints close by their motors or driven bodies are remarked: the joints contradict them.
 *
 * A contact is slow when it approaches no faster than either body gains by its free acceleration in two steps, without the
 * gyroscopic one if the body turns by more than SS_TOL_WHIRL in them. Not by
 * their relative acceleration: that of two stacked bodies is zero, and they would chatter. One that carried an impulse in
 * the substep before is slow however it approaches. */
#include "base/parallel.h"
#include "base/tolerances.h"
#include "contact/known_gaps.h"
#include "kernels/passing.h"
#include "kernels/vicinity_inside.h"
#include "math/worse.h"
#include <assert.h>
#include <math.h>

static const double HASTE = 1.5;   /* by which impacts may make a body faster within the step                       */
static const double STRUCK = 0.5;  /* of the farthest way of any body: that of one that is struck within the step */
static const double MARGIN = 1e-6; /* of the model's length: near, too, are bodies that do not move            */

/* ---- life ---------------------------------------------------------------------------------------- */

void ss_vicinity_destroy(ss_context *ctx, ss_vicinity *v)
{
    if (!v) {
        return;
    }
    struct ss_vicinity_work *w = v->work;
    if (w) {
        ss_csr_free(ctx, &w->row);
        ss_free(ctx, w->value);
        ss_free(ctx, w->reach);
        ss_redundancy_destroy(w->redundancy);
        ss_blocked_destroy(w->blocked);
        ss_body_speeds_destroy(w->bodies);
        ss_contacts_free(ctx, &w->missed);
        ss_contacts_free(ctx, &w->found);
        ss_contacts_free(ctx, &w->at_end);
        ss_free(ctx, w);
    }
    ss_passing_destroy(ctx, v->passing);
    ss_contacts_free(ctx, &v->near);
    void *results[] = { v->gap, v->outside, v->approach, v->gain, v->slow };
    for (size_t i = 0; i < sizeof results / sizeof *results; i++) {
        ss_free(ctx, results[i]);
    }
    ss_free(ctx, v);
}

static ss_status fill(ss_context *ctx, const ss_model *m, ss_vicinity *v)
{
    struct ss_vicinity_work *w;
    SS_TRY(ss_calloc(ctx, 1, sizeof *w, &v->work));
    w = v->work;
    v->work->ctx = ctx;
    v->ignored = SS_TOL_OVERLAP;
    w->follow.moved = INFINITY;
    SS_TRY(ss_calloc(ctx, (size_t)m->bodies, sizeof *w->reach, &w->reach));
    SS_TRY(ss_redundancy_create(ctx, m, &w->redundancy));
    v->redundant = ss_redundancy_rows(w->redundancy);
    SS_TRY(ss_blocked_create(ctx, m, &w->blocked));
    SS_TRY(ss_body_speeds_create(ctx, m, &w->bodies));
    return ss_passing_create(ctx, m, &v->passing);
}

ss_status ss_vicinity_create(ss_context *ctx, const ss_model *m, ss_vicinity **out)
{
    SS_TRY(ss_calloc(ctx, 1, sizeof **out, out));
    ss_status status = fill(ctx, m, *out);
    if (status != SS_OK) {
        ss_vicinity_destroy(ctx, *out);
        *out = NULL;
    }
    return status;
}

double ss_vicinity_speed(const ss_vicinity *v, int k)
{
    const ss_contact *c = &v->near.c[k];
    const double *speed = v->work->bodies->speed;
    return c->id.kind == SS_CONTACT_SHAPES ? speed[c->at[0].body] + speed[c->at[1].body] : fabs(v->approach[k]);
}

const ss_contact_value *ss_vicinity_values(const ss_vicinity *v)
{
    assert(!v->work->survey.bare);
    return v->work->value;
}

void ss_vicinity_leave_tangents(ss_vicinity *v, bool left) { v->work->survey.bare = left; }

void ss_vicinity_follow(ss_vicinity *v) { v->work->follow.wanted = true; }

void ss_vicinity_skip_flights(ss_vicinity *v, double part) { v->work->flight = part; }

void ss_vicinity_hold(ss_vicinity *v, const bool *held) { v->work->follow.held = held; }

void ss_vicinity_forget(ss_vicinity *v)
{
    v->work->missed.n = 0;
    v->work->follow.moved = INFINITY;
}

/* ---- how fast things move ------------------------------------------------------------------------- */

/* Normal velocity of contact k, which is not of shapes. Its row is kept for what follows. */
static ss_status find_velocity(ss_vicinity *v, const ss_model *m, const ss_config *here, const double *velocity, int k, double *u)
{
    struct ss_vicinity_work *w = v->work;
    double drive[3];
    int rows;
    ss_csr_reset(&w->row, m->nv);
    SS_TRY(ss_contact_rows(v->work->ctx, m, here, &v->near.c[k], &v->work->value[k], false, &w->row, drive, &rows));
    *u = ss_csr_row_dot(&w->row, 0, velocity) + drive[0];
    return SS_OK;
}

/* |row| |rate| of one body, vectors of different units apart: the most that it contributes to row . rate */
static double gain_through(const ss_model *m, const ss_csr *row, int body, const double *rate)
{
    double sum = 0;
    const int at = body < m->bodies ? m->body_v[body] : -1, size = at < 0 ? 0 : m->mass.diagonal.size[m->body_block[body]];
    for (int first = 0, n; first < size; first += n) {
        double r = 0, a = 0;
        n = ss_model_vector_size(m, body, first);
        for (int i = at + first; i < at + first + n; i++) {
            a += rate[i] * rate[i];
        }
        for (int k = row->p[0]; k < row->p[1]; k++) {
            r += row->i[k] >= at + first && row->i[k] < at + first + n ? row->x[k] * row->x[k] : 0;
        }
        sum += sqrt(r * a);
    }
    return sum;
}

/* speed that the free acceleration gives in h at contact k */
static double gained_speed(const ss_vicinity *v, const ss_model *m, int k, double h)
{
    const ss_contact *c = &v->near.c[k];
    if (c->id.kind == SS_CONTACT_SHAPES) {
        return h * fmax(v->work->bodies->pull[c->at[0].body], v->work->bodies->pull[c->at[1].body]);
    }
    double sum = 0; /* in the coordinate's own unit */
    for (int i = 0; i < 2; i++) {
        sum += gain_through(m, &v->work->row, c->at[i].body, v->work->bodies->rates);
    }
    return h * sum;
}

/* speed that may be nothing but the round-off of the velocities it is a difference of */
static double rounding_speed(const ss_vicinity *v, const ss_model *m, const double *velocity, const double *speed, int k)
{
    const ss_contact *c = &v->near.c[k];
    double sum = 0;
    for (int i = 0; i < 2; i++) {
        const bool shape = c->id.kind == SS_CONTACT_SHAPES;
        sum += shape ? speed[c->at[i].body] : gain_through(m, &v->work->row, c->at[i].body, velocity);
    }
    return SS_TOL_STILL * sum;
}

/* A contact that carried an impulse in the substep before is at rest: an approach speed that it shows comes from the turning
 * of its normal. */
static bool was_pressed(const ss_stepper *s, const ss_contact *c, int k)
{
    return ss_contact_cache_normal_near(&s->next->cache, &c->id, k) > 0;
}

/* Time within which two bodies that are apart cannot pass through each other unnoticed: if they move by no more than their gap
 * plus half the thickness of both shapes, they still overlap at the end, where it is noticed. */
static double time_to_see(const ss_vicinity *v, const ss_model *m, const ss_config *here, const double *velocity, int k)
{
    const ss_contact *c = &v->near.c[k];
    if (c->id.kind != SS_CONTACT_SHAPES || v->gap[k] <= SS_TOL_OVERLAP * m->length) {
        return INFINITY;
    }
    ss_vec3 a[2], b[2];
    ss_model_twist(m, here, velocity, c->at[0].body, a);
    ss_model_twist(m, here, velocity, c->at[1].body, b);
    const double *radius = v->work->bodies->radius;
    double speed = ss_norm(ss_sub(a[0], b[0])) + radius[c->at[0].body] * ss_norm(a[1]) + radius[c->at[1].body] * ss_norm(b[1]);
    double inside = m->shape_thickness[c->id.a] + m->shape_thickness[c->id.b];
    return speed > 0 ? (v->gap[k] + 0.5 * inside) / speed : INFINITY;
}

/* ---- the survey ----------------------------------------------------------------------------------- */

static ss_status reserve(ss_vicinity *v, int n)
{
    SS_TRY(ss_reserve(v->work->ctx, &v->work->value, &v->work->capacity[5], n, sizeof *v->work->value));
    double **list[] = { &v->gap, &v->outside, &v->approach, &v->gain, &v->slow };
    for (int i = 0; i < 5; i++) {
        SS_TRY(ss_reserve(v->work->ctx, list[i], &v->work->capacity[i], n, sizeof(double)));
    }
    return SS_OK;
}

/* Speed below which contact k bounces for too short a time. After an impact with u it is back after 2 e u/a, and gain is 2 h a.
 */
static double short_flight(const ss_vicinity *v, int k)
{
    const double e = v->near.c[k].e, part = v->work->flight;
    return part > 0 && part < 4 * e ? part / (4 * e) * v->gain[k] : v->gain[k];
}

/* A survey under way. */
typedef struct looking {
    ss_vicinity *v;
    const ss_stepper *s;
    const double *velocity;
    double threshold;
    double *safe;               /* of each range: see ss_vicinity          */
    const ss_known_gaps *known; /* those of the end of the last step; NULL: that was elsewhere */
} looking;

/* The value of contact k, of shapes: where the last step has ended, gaps have been measured. *guess: of ss_known_gaps_find */
static void value_here(const looking *x, int k, int *guess)
{
    const ss_config *here = x->v->work->survey.here;
    const ss_contact *contact = &x->v->near.c[k];
    ss_contact_value *out = &x->v->work->value[k];
    const ss_contact_value *known = x->known ? ss_known_gaps_find(x->known, contact, guess) : NULL;
    if (known) {
        *out = *known;
    } else {
        ss_contact_measure_shapes(here, contact, out);
    }
    if (!x->v->work->survey.bare) {
        ss_contact_tangents(x->s->model, here, contact, out->normal, out->tangent);
    }
}

/* Everything about contact k of the survey, whose value and normal velocity u are known; its row, if it is not of shapes, is
 * kept. Returned is the time within which its shapes cannot pass through each other unnoticed. */
static double look_at(const looking *x, int k, double u)
{
    ss_vicinity *v = x->v;
    const ss_stepper *s = x->s;
    const ss_model *m = s->model;
    const struct ss_vicinity_work *w = v->work;
    const double *velocity = x->velocity;
    v->gap[k] = v->work->value[k].gap;
    v->outside[k] = v->work->value[k].outside;
    v->approach[k] = -u;
    /* velocities that an impact has just brought to zero carry the round-off of those before it */
    double rounding =
        fmax(rounding_speed(v, m, velocity, w->bodies->speed, k), rounding_speed(v, m, s->now->v, w->bodies->speed_before, k));
    v->gain[k] = gained_speed(v, m, k, 2 * s->h_nominal);
    v->slow[k] = was_pressed(s, &v->near.c[k], k) ? INFINITY : fmax(x->threshold, fmax(rounding, short_flight(v, k)));
    return time_to_see(v, m, v->work->survey.here, velocity, k);
}

/* contacts of shapes */
static void look_at_range(void *data, int begin, int end)
{
    const looking *x = data;
    ss_vicinity *v = x->v;
    const ss_model *m = x->s->model;
    double safe = INFINITY;
    int guess = begin;
    for (int k = begin; k < end; k++) {
        value_here(x, k, &guess);
        safe = fmin(
            safe, look_at(x, k, ss_contact_velocity(m, v->work->survey.here, &v->near.c[k], &v->work->value[k], 0, x->velocity)));
    }
    x->safe[begin / SS_VICINITY_GRAIN] = safe;
}

/* contacts of shapes on all threads, the others one after the other */
static ss_status look_at_all(looking *x)
{
    ss_vicinity *v = x->v;
    const int shapes = ss_vicinity_count_shapes(v, v->near.n, NULL), ranges = shapes / SS_VICINITY_GRAIN + 1;
    SS_TRY(ss_arena_take(x->s->arena, (size_t)ranges, sizeof *x->safe, &x->safe));
    v->safe = x->safe[0] = INFINITY;
    ss_parallel_for(v->work->ctx, shapes, SS_VICINITY_GRAIN, look_at_range, x);
    for (int i = 0; i * SS_VICINITY_GRAIN < shapes; i++) {
        v->safe = fmin(v->safe, x->safe[i]);
    }
    for (int k = shapes; k < v->near.n; k++) {
        double u;
        SS_TRY(ss_contact_eval(v->work->ctx, x->s->model, v->work->survey.here, &v->near.c[k], &v->work->value[k]));
        SS_TRY(find_velocity(v, x->s->model, v->work->survey.here, x->velocity, k, &u));
        v->safe = fmin(v->safe, look_at(x, k, u));
    }
    return SS_OK;
}

/* Contacts that the joints block leave the set; what is to be said of them. */
static ss_status leave_out_blocked(ss_vicinity *v, ss_stepper *s, const ss_config *here, double h)
{
    const ss_blocked *blocked = v->work->blocked;
    int closed = 0;
    double deepest = SS_TOL_FITS;
    v->wedged = NULL;
    SS_TRY(ss_blocked_leave_out(v->work->blocked, here, &v->near));
    for (int k = 0; k < ss_blocked_contacts(blocked)->n; k++) {
        const ss_contact *c = &ss_blocked_contacts(blocked)->c[k];
        const double touch = SS_TOL_OVERLAP * ss_contact_unit(s->model, c), u = ss_blocked_velocity(blocked, k);
        ss_contact_value value;
        SS_TRY(ss_contact_measure(s->ctx, s->model, here, c, &value));
        if (value.outside > 0) {
            continue;
        }
        closed += value.gap <= touch;
        if (u < 0 && value.gap + h * u < -touch) {
            s->report->remark(s->report, SS_REMARK_INFEASIBLE, c);
        }
        double depth = ss_contact_depth(&value) / ss_contact_unit(s->model, c);
        v->wedged = depth > deepest ? c : v->wedged;
        deepest = fmax(deepest, depth);
    }
    if (closed > 0) {
        s->report->blocked(s->report, closed);
    }
    return SS_OK;
}

/* Leave out contacts that others of their face make redundant, if the scene wants it. */
static ss_status reduce(ss_vicinity *v, ss_stepper *s, const ss_config *here)
{
    const int found = v->near.n;
    v->work->found.n = 0;
    if (s->model->settings.reduce_contacts) {
        SS_TRY(ss_contacts_merge(s->ctx, &v->work->found, &v->near));
        s->report->reduced(s->report, found, found - ss_contacts_reduce(s->model, here, &s->next->cache, &v->near));
    }
    return SS_OK;
}

/* Sets what each body adds to the reach of its pairs; returned is the largest reach of any pair. */
static double find_reach(ss_vicinity *v, const ss_model *m, double h)
{
    double *reach = v->work->reach;
    const double farthest = ss_body_speeds_ways(v->work->bodies, h, reach), margin = 0.5 * MARGIN * m->length;
    for (int b = 0; b < m->bodies; b++) {
        const double way = ss_model_is_dynamic(m, b) ? fmax(reach[b], STRUCK * farthest) : reach[b];
        reach[b] = fmax(HASTE * way + margin, 0.5 * v->at_least);
    }
    return fmax(2 * (HASTE * farthest + margin), v->at_least);
}

ss_status ss_vicinity_survey(ss_vicinity *v, ss_stepper *s, const ss_config *here, const double *velocity, double h,
                             double threshold)
{
    struct ss_vicinity_work *w = v->work;
    w->follow.held = NULL;
    v->work->survey.here = here;
    w->survey.finder = s->finder;
    w->survey.arena = s->arena;
    SS_TRY(ss_body_speeds_find(w->bodies, s, here, velocity, v->rates));
    const double reach = find_reach(v, s->model, h);
    SS_TRY(ss_finder_survey(s->finder, here, reach, w->reach, &v->near));
    SS_TRY(reduce(v, s, here));
    SS_TRY(ss_contacts_merge(s->ctx, &v->near, &w->missed));
    SS_TRY(leave_out_blocked(v, s, here, h));
    SS_TRY(reserve(v, v->near.n));
    SS_TRY(ss_redundancy_find(w->redundancy, here));
    return look_at_all(&(looking){ v, s, velocity, threshold, NULL, ss_finder_known(s->finder, here) });
}

/* the contact of a set with this identity, by which it is sorted; NULL: none */
static const ss_contact *find_in(const ss_contact_set *set, const ss_contact_id *id)
{
    int lo = 0, hi = set->n;
    while (lo < hi) {
        const int mid = lo + (hi - lo) / 2, order = ss_contact_id_compare(&set->c[mid].id, id);
        if (order == 0) {
            return &set->c[mid];
        }
        lo = order < 0 ? mid + 1 : lo;
        hi = order < 0 ? hi : mid;
    }
    return NULL;
}

/* An overlap at the end of a substep. */
typedef enum overlap_is {
    KNOWN,     /* the survey has it                                                               */
    NEWS,      /* the next survey has to take it from there                                       */
    MOVED,     /* so it has to; this one has it at other points of the same features              */
    CONCEALED, /* it was behind its features at the start, or is held elsewhere: a shorter substep has to show it */
} overlap_is;

/* Does the survey have it at other points? Not where these overlap too: then the step has yet to deal with them. */
static ss_status has_moved_on(const ss_vicinity *v, const ss_stepper *s, const ss_config *end, const ss_contact *known,
                              const ss_contact_value *found, bool *moved)
{
    const double fits = fmax(SS_TOL_FITS, s->tol) * ss_contact_unit(s->model, known);
    ss_contact_value value;
    *moved = false;
    if (v->work->follow.wanted && ss_contact_depth(found) > fits) {
        SS_TRY(ss_contact_measure(s->ctx, s->model, end, known, &value));
        *moved = value.outside > 0 || (value.gap > -fits && value.gap - found->gap > fits);
    }
    return SS_OK;
}

/* One that the reduction has left out was there at the start, however deep: a shorter substep would show the same. */
static ss_status classify(const ss_vicinity *v, const ss_stepper *s, const ss_config *here, const ss_config *end,
                          const ss_contact *contact, const ss_contact_value *value, overlap_is *out)
{
    const ss_contact *known = find_in(&v->near, &contact->id);
    ss_contact_value before;
    bool moved = false;
    *out = KNOWN;
    SS_TRY(known ? has_moved_on(v, s, end, known, value, &moved) : SS_OK);
    if (known ? moved : !find_in(ss_blocked_contacts(v->work->blocked), &contact->id)) {
        SS_TRY(ss_contact_measure(s->ctx, s->model, here, contact, &before));
        /* what the tolerance leaves of a closed contact is no sign of a passage either */
        const double unseen = fmax(SS_TOL_UNSEEN, ss_stepper_touch(s));
        const bool behind = before.gap < -unseen * ss_contact_unit(s->model, contact) && !find_in(&v->work->found, &contact->id),
                   held = known && v->work->follow.held && v->work->follow.held[known - v->near.c];
        *out = held || (behind && (!known || before.outside > 0)) ? CONCEALED : known ? MOVED : NEWS;
    }
    return SS_OK;
}

/* Points that move to and fro from look to look, as the lowest one of a rim that lies down flat, do not settle: the overlap of
 * those that have moved must become half as deep each time. A shorter substep has to settle them. */
static bool settles(struct ss_vicinity_work *w, double moved)
{
    const bool good = moved <= 0.5 * w->follow.moved;
    w->follow.moved = moved > 0 ? moved : w->follow.moved;
    return good;
}

/* of contact k of a search, which has found those of shapes */
static ss_status value_of(const ss_stepper *s, const ss_config *end, const ss_contact_set *set, int k, ss_contact_value *out)
{
    if (set->c[k].id.kind != SS_CONTACT_SHAPES) {
        return ss_contact_measure(s->ctx, s->model, end, &set->c[k], out);
    }
    *out = set->value[k];
    return SS_OK;
}

ss_status ss_vicinity_look_again(ss_vicinity *v, ss_stepper *s, const ss_config *here, const ss_config *end, bool *found,
                                 bool *hidden)
{
    ss_contact_set *news = &v->work->at_end;
    const ss_contact_set *set;
    const double ignored = fmax(v->ignored, ss_stepper_touch(s));
    double moved = 0;
    news->n = 0;
    *hidden = false;
    v->overlap = 0;
    SS_TRY(ss_finder_overlaps(s->finder, end, &set));
    for (int k = 0; k < set->n; k++) {
        const double unit = ss_contact_unit(s->model, &set->c[k]);
        ss_contact_value value;
        overlap_is which;
        SS_TRY(value_of(s, end, set, k, &value));
        const double depth = ss_contact_depth(&value) / unit;
        if (depth <= ignored || value.outside > 0) {
            continue;
        }
        v->overlap = ss_worse(v->overlap, depth);
        SS_TRY(classify(v, s, here, end, &set->c[k], &value, &which));
        *hidden = *hidden || which == CONCEALED;
        moved = which == MOVED ? ss_worse(moved, depth) : moved;
        if (which == NEWS || which == MOVED) {
            SS_PUSH(s->ctx, news->c, news->n, news->cap, set->c[k]);
        }
    }
    *found = news->n > 0;
    *hidden = !settles(v->work, moved) || *hidden;
    return ss_contacts_merge(s->ctx, &v->work->missed, news);
}
