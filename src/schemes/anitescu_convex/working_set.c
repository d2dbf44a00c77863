/* working_set.c - the contacts of a convex program: those that can close within the step.
 *
 * A program with every contact of the survey would be right, and slow. It begins with those that may close by the velocities, the
 * forces and the impacts of the step, and is solved again with those that its solution violates.
 *
 * Reference   [Ani06] section 5.2
 * Cost        linear in the contacts of the survey, on all threads */
#include "schemes/anitescu_convex/working_set.h"
#include "base/parallel.h"
#include "base/tolerances.h"
#include "schemes/anitescu_convex/slack.h"
#include <math.h>

static const double NEIGHBOUR = 0.25; /* of a body's thickness: gaps of those that it may be pushed against */

/* [Ani06 eq. 5.2] */
static bool is_candidate(const ss_euler *e, double epsilon, int k)
{
    return !e->active.has[k] && e->around->gap[k] <= epsilon && e->around->outside[k] <= 0 && !e->around->passing->barred[k];
}

/* Off its features at the start, but not behind them: a corner may slide onto them within the step. */
static bool may_come(const ss_euler *e, double epsilon, int k)
{
    return !e->active.has[k] && e->around->gap[k] <= epsilon && e->around->outside[k] > 0 && !e->around->passing->barred[k] &&
           e->around->gap[k] >= -SS_TOL_UNSEEN * ss_contact_unit(e->s->model, &e->around->near.c[k]);
}

/* Contacts of the survey that are asked about, and what the answer is. */
typedef struct asked {
    int n, *which;
    double *answer;
} asked;

static ss_status take_asked(const ss_euler *e, asked *out)
{
    const size_t count = (size_t)e->around->near.n;
    out->n = 0;
    SS_TRY(ss_arena_take_raw(e->s->arena, count, sizeof *out->which, &out->which));
    return ss_arena_take_raw(e->s->arena, count, sizeof *out->answer, &out->answer);
}

/* How far impacts of its bodies with others may move contact k in h: by the mean of their speeds, and not farther than NEIGHBOUR
 * of the thinner one's thickness, where others lie between them. */
static double way_by_impacts(const ss_euler *e, int k, double h)
{
    const ss_model *m = e->s->model;
    const ss_contact *c = &e->around->near.c[k];
    const double way = 0.5 * h * ss_vicinity_speed(e->around, k);
    if (c->id.kind != SS_CONTACT_SHAPES) {
        return way;
    }
    const double thickness = fmin(m->shape_thickness[c->id.a], m->shape_thickness[c->id.b]);
    return fmin(way, NEIGHBOUR * thickness);
}

/* A contact is taken from the beginning if its slack is no more than what forces can change it by in two steps, and impacts in
 * this one; what touches, too, though round-off may have opened it. A contact that stays open costs little, and one that is
 * missing a second program. */
static double slack_to_begin_with(const ss_euler *e, int k, double h)
{
    return h * e->around->gain[k] + way_by_impacts(e, k, h) + ss_euler_touch_tolerance(e, k);
}

/* What is taken from the beginning. */
typedef struct beginning {
    ss_euler *e;
    double h, epsilon;
    bool *open; /* contacts of the survey: gap and approach do not tell whether they are */
    const asked *asked;
} beginning;

/* by gap and approach */
static void take_range(void *data, int begin, int end)
{
    const beginning *x = data;
    ss_euler *e = x->e;
    const ss_vicinity *around = e->around;
    for (int k = begin; k < end; k++) {
        const bool motor = around->near.c[k].id.kind == SS_CONTACT_MOTOR, candidate = !motor && is_candidate(e, x->epsilon, k);
        e->active.has[k] = motor || (candidate && around->gap[k] - x->h * around->approach[k] <= slack_to_begin_with(e, k, x->h));
        x->open[k] = candidate && !e->active.has[k];
    }
}

/* by the slack with friction */
static void answer_range(void *data, int begin, int end)
{
    const beginning *x = data;
    for (int i = begin; i < end; i++) {
        const int k = x->asked->which[i];
        x->e->active.has[k] = x->asked->answer[i] <= slack_to_begin_with(x->e, k, x->h);
    }
}

/* Those that the present velocity comes so near to. Friction makes a slack smaller: it is asked for only where gap and approach
 * do not tell. */
ss_status ss_working_set_begin(const ss_working_set *w, double h)
{
    enum { GRAIN = 512 };
    ss_euler *e = w->euler;
    const int near = e->around->near.n;
    const ss_slack_step step = { e->around, e->o.friction, &e->start.here, NULL, e->start.v, h, w->rows };
    asked open;
    beginning x = { .e = e, .h = h, .epsilon = w->epsilon, .asked = &open };
    SS_TRY(take_asked(e, &open));
    SS_TRY(ss_arena_take_raw(e->s->arena, (size_t)near, sizeof *x.open, &x.open));
    ss_parallel_for(e->s->ctx, near, GRAIN, take_range, &x);
    for (int k = 0; k < near; k++) {
        if (x.open[k]) {
            open.which[open.n++] = k;
        }
    }
    SS_TRY(ss_slack_find(e->s, &step, open.n, open.which, open.answer));
    ss_parallel_for(e->s->ctx, open.n, GRAIN, answer_range, &x);
    ss_active_list(&e->active);
    return SS_OK;
}

/* Those that the last solution violates. */
static ss_status add_violated(const ss_working_set *w, double h)
{
    ss_euler *e = w->euler;
    const ss_model *m = e->s->model;
    const ss_slack_step step = { e->around, e->o.friction, &e->there, e->guess.ahead ? e->guess.v : NULL, e->end.v, h, w->rows };
    asked open;
    SS_TRY(take_asked(e, &open));
    for (int k = 0; k < e->around->near.n; k++) {
        if (is_candidate(e, w->epsilon, k)) {
            open.which[open.n++] = k;
        }
    }
    ss_config_set(m, e->guess.ahead ? e->start.t + h : e->start.t, e->guess.q, &e->there);
    ss_config_drive(m, e->start.t, e->start.t + h, &e->there);
    SS_TRY(ss_slack_find(e->s, &step, open.n, open.which, open.answer));
    for (int i = 0; i < open.n; i++) {
        e->active.has[open.which[i]] = open.answer[i] < -ss_euler_touch_tolerance(e, open.which[i]);
    }
    return SS_OK;
}

/* Those that overlap at its end, also where they were off their features. */
static ss_status add_overlapping(const ss_working_set *w, double h)
{
    ss_euler *e = w->euler;
    const ss_model *m = e->s->model;
    asked on, off;
    SS_TRY(take_asked(e, &on));
    SS_TRY(take_asked(e, &off));
    for (int k = 0; k < e->around->near.n; k++) {
        if (is_candidate(e, w->epsilon, k)) {
            on.which[on.n++] = k;
        } else if (may_come(e, w->epsilon, k)) {
            off.which[off.n++] = k;
        }
    }
    ss_config_set(m, e->start.t + h, e->end.q, &e->there);
    SS_TRY(ss_vicinity_look_at(e->around, m, &e->there, on.n, on.which, NULL, on.answer));
    for (int i = 0; i < on.n; i++) {
        e->active.has[on.which[i]] = !(on.answer[i] <= SS_TOL_FITS);
    }
    SS_TRY(ss_vicinity_look_at(e->around, m, &e->there, off.n, off.which, off.answer, NULL));
    for (int i = 0; i < off.n; i++) {
        e->active.has[off.which[i]] = !(off.answer[i] >= -SS_TOL_FITS * ss_contact_unit(m, &e->around->near.c[off.which[i]]));
    }
    return SS_OK;
}

ss_status ss_working_set_add(const ss_working_set *w, double h, bool *more)
{
    ss_euler *e = w->euler;
    const ss_arena_mark mark = ss_arena_save(e->s->arena);
    SS_TRY(add_violated(w, h));
    SS_TRY(add_overlapping(w, h));
    ss_arena_release(e->s->arena, mark);
    *more = ss_active_list(&e->active) > 0;
    return SS_OK;
}
