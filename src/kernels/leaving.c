/* leaving.c - contacts that do not come about: they leave their features before they close, or their shapes slide past each
 * other.
 *
 * A box that slides over the edge of a table tilts. Its lower face stays on the edge, and its hind corner, above the table, comes
 * down just as it comes to the edge. Nothing happens there: the box goes on along its own face. But a forecast of the gap between
 * corner and table says that it closes within the step, and a problem with that contact would stop the corner: an impulse that
 * does not become smaller with the step. So a contact takes part only if its gap closes well before its witness is off its
 * features, both at the even rates that the velocities at the start of the substep give them:
 *
 *     t_close = gap/(gap - gap')  <  (1 - SS_TOL_LEAVES) t_leave,      t_leave = -outside/(outside' - outside)
 *
 * ' : at the end of the motion foreseen. Where gap' > gap although the contact approaches, the shapes have passed through each
 * other by then, and it takes part. Contacts that are closed, or carried an impulse before, are left alone.
 *
 * A box that slides along a row of tiles comes to the side of the next one, with its corner on the border of that side. Nothing
 * happens there either: the height of their faces keeps the box and the tile apart (ss_vicinity_slides_past).
 *
 * A scheme that locates events comes to the instant at which the corner is at the edge, up to its own error. There the contact
 * counts no more if it leaves soon, and faster than it closes,  outside' - outside > gap - gap', or slides past.
 *
 * Cost   one configuration, and one value per contact that may leave, in substeps that have such contacts */
#include "kernels/leaving.h"
#include "base/tolerances.h"
#include <math.h>

static bool is_open(const ss_stepper *s, const ss_vicinity *around, int k)
{
    return around->gap[k] > ss_stepper_touch(s) * ss_contact_unit(s->model, &around->near.c[k]);
}

/* Does it approach, on its features, and has not carried an impulse before? */
static bool is_met(const ss_stepper *s, const ss_vicinity *around, int k)
{
    return isfinite(around->outside[k]) && around->outside[k] <= SS_TOL_ON_SURFACE * s->model->length &&
           around->approach[k] > 0 && !isinf(around->slow[k]) && around->near.c[k].id.kind == SS_CONTACT_SHAPES;
}

/* Is its gap, at the even rate of its approach, closed within h? */
static bool may_close(const ss_vicinity *around, int k, double h) { return around->gap[k] <= h * around->approach[k]; }

static bool leaves(const ss_stepper *s, const ss_vicinity *around, int k, const ss_contact_value *end)
{
    const double gap = around->gap[k], outside = around->outside[k];
    return is_open(s, around, k) && gap > end->gap && outside <= 0 && end->outside > 0 &&
           gap * (end->outside - outside) >= (1 - SS_TOL_LEAVES) * -outside * (gap - end->gap);
}

/* Where the motion foreseen ends. */
static ss_status go_ahead(ss_stepper *s, const ss_path *path, ss_config *ahead)
{
    double *q;
    SS_TRY(ss_arena_take(s->arena, (size_t)s->model->nq, sizeof *q, &q));
    SS_TRY(ss_config_take(s->arena, s->model, ahead));
    ss_model_retract(s->model, path->q, path->v0, path->h, q);
    ss_config_set(s->model, path->t + path->h, q, ahead);
    return SS_OK;
}

/* The deepest overlap, at the start, of contacts that press on each body: schemes of velocities keep it, and what rests a little
 * below its ground is not to be stopped by the next tile. Of bodies that do not move by themselves, and where nothing presses, 0.
 */
static ss_status find_rests(ss_stepper *s, const ss_vicinity *v, double **below)
{
    SS_TRY(ss_arena_take(s->arena, (size_t)s->model->bodies + 1, sizeof **below, below));
    for (int k = 0; k < v->near.n; k++) {
        const ss_contact *c = &v->near.c[k];
        for (int i = 0; i < 2 && isinf(v->slow[k]) && c->id.kind == SS_CONTACT_SHAPES; i++) {
            double *deepest = &(*below)[c->at[i].body];
            *deepest = ss_model_is_dynamic(s->model, c->at[i].body) ? fmax(*deepest, -v->gap[k]) : 0;
        }
    }
    return SS_OK;
}

/* Where the motion foreseen ends, and what its contacts rest on. */
static ss_status look_ahead(ss_stepper *s, const ss_vicinity *around, const ss_path *path, ss_config *ahead, double **below)
{
    SS_TRY(go_ahead(s, path, ahead));
    return find_rests(s, around, below);
}

ss_status ss_leaving_bar(ss_stepper *s, const ss_vicinity *around, const ss_path *path, bool *barred)
{
    ss_config ahead = { .q = NULL };
    double *below = NULL;
    for (int k = 0; k < around->near.n; k++) {
        if (!barred[k] && is_met(s, around, k) && may_close(around, k, path->h)) {
            ss_contact_value end;
            SS_TRY(ahead.q ? SS_OK : look_ahead(s, around, path, &ahead, &below));
            SS_TRY(ss_contact_eval(s->ctx, s->model, &ahead, &around->near.c[k], &end));
            const double rests = fmax(below[around->near.c[k].at[0].body], below[around->near.c[k].at[1].body]);
            barred[k] = leaves(s, around, k, &end) || ss_vicinity_slides_past(around, s->model, &ahead, k, &end, rests);
        }
    }
    return SS_OK;
}

/* The same for contacts that touch already: they leave soon, and faster than they approach. Not where the shapes move farther
 * than a part of their thickness in that time: one that has passed through a wall is off its features, too. */
static bool lets_go(const ss_stepper *s, const ss_vicinity *around, int k, const ss_config *ahead, const ss_contact_value *end)
{
    const ss_contact_id *id = &around->near.c[k].id;
    const double left = end->outside - around->outside[k],
                 thick = s->model->shape_thickness[id->a] + s->model->shape_thickness[id->b];
    const bool leaves = end->outside > 0 && left > around->gap[k] - end->gap && left <= SS_PASSAGE_BIT * thick;
    return leaves || ss_vicinity_slides_past(around, s->model, ahead, k, end, 0);
}

ss_status ss_leaving_let_go(ss_stepper *s, ss_vicinity *around, const ss_path *soon)
{
    const double border = SS_TOL_ON_SURFACE * s->model->length;
    ss_config ahead = { .q = NULL };
    for (int k = 0; k < around->near.n; k++) {
        if (is_met(s, around, k) && !is_open(s, around, k)) {
            ss_contact_value end;
            SS_TRY(ahead.q ? SS_OK : go_ahead(s, soon, &ahead));
            SS_TRY(ss_contact_eval(s->ctx, s->model, &ahead, &around->near.c[k], &end));
            around->outside[k] = lets_go(s, around, k, &ahead, &end) ? 2 * border : around->outside[k];
        }
    }
    return SS_OK;
}
