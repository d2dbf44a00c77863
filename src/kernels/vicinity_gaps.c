/* vicinity_gaps.c - the contacts of a survey where a substep has led: their gaps, and how deep they overlap.
 *
 * Each is evaluated once, those of shapes on all threads.
 * Cost   one value per contact */
#include "base/parallel.h"
#include "base/tolerances.h"
#include "contact/known_gaps.h"
#include "kernels/vicinity_inside.h"
#include "math/worse.h"
#include <math.h>

/* Both are taken to go at an even speed. */
bool ss_vicinity_has_passed(const ss_vicinity *v, int k, const ss_contact_value *end)
{
    const double gap = v->gap[k], outside = v->outside[k];
    return gap >= 0 && outside <= 0 && end->gap < 0 && end->outside > 0 &&
           gap * (end->outside - outside) < -outside * (gap - end->gap);
}

bool ss_vicinity_slides_past(const ss_vicinity *v, const ss_model *m, const ss_config *end, int k, const ss_contact_value *value,
                             double overlap)
{
    const ss_contact *c = &v->near.c[k];
    const ss_config *here = v->work->survey.here;
    if (c->id.kind != SS_CONTACT_SHAPES || value->gap > 0 || isinf(v->slow[k])) {
        return false;
    }
    const int body[2] = { m->shape_body[c->id.a], m->shape_body[c->id.b] };
    const ss_shape *const shape[2] = { &m->shape[c->id.a], &m->shape[c->id.b] };
    const ss_frame *const from[2] = { &here->frame[body[0]], &here->frame[body[1]] }, *const to[2] = { &end->frame[body[0]],
                                                                                                       &end->frame[body[1]] };
    const double slack = SS_TOL_LEAVES * -value->gap, border = SS_TOL_ON_SURFACE * m->length;
    return ss_shapes_apart_beside(shape, from, to, value->normal, slack) >= -border - overlap;
}

double ss_vicinity_gap(const ss_vicinity *v, const ss_model *m, int k, const ss_contact_value *end)
{
    const double border = SS_TOL_ON_SURFACE * m->length;
    const bool stays = v->outside[k] <= border && end->outside <= border;
    return stays || ss_vicinity_has_passed(v, k, end) ? end->gap : ss_worse(end->gap, end->outside);
}

/* ---- many contacts at once ----------------------------------------------------------------------------- */

/* What is asked about contacts which[]: gaps and depths there, NULL: not wanted. */
typedef struct question {
    const ss_vicinity *v;
    const ss_model *m;
    const ss_config *end;
    const int *which;
    double *gap, *depth;
} question;

static void answer(const question *x, int i, const ss_contact_value *value)
{
    const int k = x->which[i];
    if (x->gap) {
        const bool past = ss_vicinity_slides_past(x->v, x->m, x->end, k, value, 0);
        x->gap[i] = past ? fabs(value->gap) : ss_vicinity_gap(x->v, x->m, k, value);
    }
    if (x->depth) {
        x->depth[i] = ss_contact_depth(value) / ss_contact_unit(x->m, &x->v->near.c[k]);
    }
}

static void answer_range(void *data, int begin, int end)
{
    const question *x = data;
    for (int i = begin; i < end; i++) {
        ss_contact_value value;
        ss_contact_measure_shapes(x->end, &x->v->near.c[x->which[i]], &value);
        answer(x, i, &value);
    }
}

int ss_vicinity_count_shapes(const ss_vicinity *v, int n, const int *which)
{
    int count = 0;
    while (count < n && v->near.c[which ? which[count] : count].id.kind == SS_CONTACT_SHAPES) {
        count++;
    }
    return count;
}

ss_status ss_vicinity_look_at(const ss_vicinity *v, const ss_model *m, const ss_config *end, int n, const int *which, double *gap,
                              double *depth)
{
    question x = { v, m, end, which, gap, depth };
    const int shapes = ss_vicinity_count_shapes(v, n, which);
    ss_parallel_for(v->work->ctx, shapes, SS_VICINITY_GRAIN, answer_range, &x);
    for (int i = shapes; i < n; i++) {
        ss_contact_value value;
        SS_TRY(ss_contact_measure(v->work->ctx, m, end, &v->near.c[which[i]], &value));
        answer(&x, i, &value);
    }
    return SS_OK;
}

ss_status ss_vicinity_gaps(const ss_vicinity *v, const ss_model *m, const ss_config *end, int n, const int *which, double *gap)
{
    return ss_vicinity_look_at(v, m, end, n, which, gap, NULL);
}

/* ---- how well contacts fit --------------------------------------------------------------------------- */

/* contacts which[], and their values: value[i] of contact which[i], or value[which[i]] */
typedef struct depths {
    const ss_vicinity *v;
    const ss_model *m;
    const int *which;
    const ss_contact_value *value;
    bool by_contact;
} depths;

static double deepest_of(const void *data, int begin, int end)
{
    const depths *x = data;
    double deepest = 0;
    for (int i = begin; i < end; i++) {
        const int k = x->which[i];
        deepest = ss_worse(deepest, ss_contact_depth(&x->value[x->by_contact ? k : i]) / ss_contact_unit(x->m, &x->v->near.c[k]));
    }
    return deepest;
}

/* The end of a substep is asked about again, by those who search there and by those who show it: gaps are known from here on. */
ss_status ss_vicinity_overlap(const ss_vicinity *v, const ss_model *m, const ss_config *end, int n, const int *which,
                              double *deepest)
{
    struct ss_vicinity_work *w = v->work;
    const int shapes = ss_vicinity_count_shapes(v, n, which);
    const ss_arena_mark mark = ss_arena_save(w->survey.arena);
    ss_contact_value *at;
    SS_TRY(ss_arena_take_raw(w->survey.arena, (size_t)shapes, sizeof *at, &at));
    SS_TRY(ss_known_gaps_measure(ss_finder_gaps(w->survey.finder), end, &v->near, shapes, which, at));
    *deepest = ss_parallel_worst(w->ctx, shapes, SS_VICINITY_GRAIN, deepest_of, &(depths){ v, m, which, at, false });
    for (int i = shapes; i < n; i++) {
        ss_contact_value value;
        const ss_contact *contact = &v->near.c[which[i]];
        SS_TRY(ss_contact_measure(w->ctx, m, end, contact, &value));
        *deepest = ss_worse(*deepest, ss_contact_depth(&value) / ss_contact_unit(m, contact));
    }
    ss_arena_release(w->survey.arena, mark);
    return SS_OK;
}

double ss_vicinity_overlap_before(const ss_vicinity *v, const ss_model *m, int n, const int *which)
{
    return ss_parallel_worst(v->work->ctx, n, SS_VICINITY_GRAIN, deepest_of, &(depths){ v, m, which, v->work->value, true });
}
