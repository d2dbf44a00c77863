/* leaving.c - contacts that leave their features before they close.
 *
 * A box that slides over the edge of a table tilts. Its lower face stays on the edge, and its hind corner, above the table, comes
 * down just as it comes to the edge. Nothing happens there: the box goes on along its own face. But a forecast of the gap between
 * corner and table says that it closes within the step, and a problem with that contact would stop the corner: an impulse that
 * does not become smaller with the step. So a contact takes part only if its gap closes well before its witness is off its
 * features, both at the even rates that the velocities at the start of the substep give them:
 *
 *     t_close = gap/(gap - gap')  <  (1 - SS_TOL_LEAVES) t_leave,      t_leave = -outside/(outside' - outside)
 *
 * ' : at the end of the motion foreseen. Contacts that are closed, or carried an impulse before, are left alone.
 *
 * A scheme that locates events comes to the very instant at which the corner is at the edge. There the contact counts no more if
 * it leaves faster than it closes,  outside' - outside > gap - gap'.
 *
 * Cost   one configuration, and one value per contact that may leave, in substeps that have such contacts */
#include "kernels/leaving.h"
#include "base/tolerances.h"
#include <math.h>

/* Is it open, and on its features? */
static bool may_leave(const ss_stepper *s, const ss_vicinity *around, int k)
{
    const ss_contact *c = &around->near.c[k];
    const double touch = ss_stepper_touch(s) * ss_contact_unit(s->model, c);
    return c->id.kind == SS_CONTACT_SHAPES && isfinite(around->outside[k]) && around->outside[k] <= 0 && around->gap[k] > touch &&
           around->approach[k] > 0 && !isinf(around->slow[k]);
}

/* Is its gap, at the even rate of its approach, closed within h? */
static bool may_close(const ss_vicinity *around, int k, double h) { return around->gap[k] <= h * around->approach[k]; }

static bool leaves(const ss_vicinity *around, int k, const ss_contact_value *end)
{
    const double gap = around->gap[k], outside = around->outside[k];
    return end->outside > 0 && gap * (end->outside - outside) >= (1 - SS_TOL_LEAVES) * -outside * (gap - end->gap);
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

ss_status ss_leaving_bar(ss_stepper *s, const ss_vicinity *around, const ss_path *path, bool *barred)
{
    ss_config ahead = { .q = NULL };
    for (int k = 0; k < around->near.n; k++) {
        if (!barred[k] && may_leave(s, around, k) && may_close(around, k, path->h)) {
            ss_contact_value end;
            SS_TRY(ahead.q ? SS_OK : go_ahead(s, path, &ahead));
            SS_TRY(ss_contact_eval(s->ctx, s->model, &ahead, &around->near.c[k], &end));
            barred[k] = leaves(around, k, &end);
        }
    }
    return SS_OK;
}

ss_status ss_leaving_now(ss_stepper *s, const ss_vicinity *around, const ss_path *path, int k, bool *leaves)
{
    const ss_contact *c = &around->near.c[k];
    const double border = SS_TOL_ON_SURFACE * s->model->length;
    ss_config ahead;
    ss_contact_value end;
    *leaves = false;
    if (c->id.kind == SS_CONTACT_SHAPES && fabs(around->outside[k]) <= border && around->approach[k] > 0 &&
        !isinf(around->slow[k])) {
        SS_TRY(go_ahead(s, path, &ahead));
        SS_TRY(ss_contact_eval(s->ctx, s->model, &ahead, c, &end));
        *leaves = end.outside - around->outside[k] > around->gap[k] - end.gap;
    }
    return SS_OK;
}
