/* passing.c - nothing passes through anything within a substep.
 *
 * Gaps linearised at the start of a substep say nothing about shapes that move much farther than they are thick: such a pair may
 * pass unseen, and one that misses may seem to meet. So these pairs are followed along their motion (passage.c).
 *
 *     before a substep   A pair that the motion foreseen does not bring together, or not yet, is barred: its contacts take no
 * part. One that it does bring together ends the substep just before. One that is at hand, less than 2 SS_TOL_AT_HAND of its
 * thickness away, and meets is given a substep in which it moves by no more than SS_PASSAGE_BIT of its thickness: there its gap
 * is as good as linear. after an attempt   The motion that the scheme has made of it, which contacts and forces have bent, is
 * followed once more. What it would pass through is first brought at hand, so that contacts are found where they are met, and
 * then met. A pair with a contact in the scheme's problem is left to the law of that contact if its gap at the end tells on which
 * side the pair is; otherwise the attempt is made again over half the time.
 *
 * Cost   that of passage.c: nothing to speak of where no body moves farther than it is thick */
#include "kernels/passing.h"
#include "base/tolerances.h"
#include "kernels/leaving.h"
#include "math/worse.h"
#include <math.h>

ss_status ss_passing_create(ss_context *ctx, const ss_model *m, ss_passing **out)
{
    SS_TRY(ss_calloc(ctx, 1, sizeof **out, out));
    (*out)->ctx = ctx;
    (*out)->most = INFINITY;
    (*out)->haste = 1;
    const ss_status status = ss_passage_create(ctx, m, &(*out)->sweep);
    if (status != SS_OK) {
        ss_passing_destroy(ctx, *out);
        *out = NULL;
    }
    return status;
}

void ss_passing_destroy(ss_context *ctx, ss_passing *x)
{
    if (x) {
        ss_passage_destroy(x->sweep);
        ss_swept_pairs_free(ctx, &x->ahead);
        ss_swept_pairs_free(ctx, &x->behind);
        ss_free(ctx, x->barred);
        ss_free(ctx, x->far);
        ss_free(ctx, x);
    }
}

static bool touches(const ss_model *m, const ss_swept_pair *pair) { return pair->gap <= SS_TOL_CLOSED * m->length; }

static bool is_at_hand(const ss_swept_pair *pair) { return pair->gap <= 2 * SS_TOL_AT_HAND * pair->scale; }

/* the shortest substep of a pair that meets something */
static double short_time(const ss_passing *x, const ss_swept_pair *pair) { return x->haste * pair->brief; }

/* Is contact k, of shapes that move far, not to be met yet? If it is at hand, the substep has to be short. */
static bool is_barred(ss_passing *x, const ss_model *m, const ss_vicinity *around, double h, int k)
{
    const ss_contact_id *id = &around->near.c[k].id;
    const ss_swept_pair *pair = ss_swept_pairs_find(&x->ahead, id->a, id->b);
    const bool touching = pair && touches(m, pair), now = pair && (touching || (is_at_hand(pair) && pair->meets));
    const double approach = around->approach[k] - around->gain[k];
    if (now && (!touching || h * approach > SS_TOL_AT_HAND * pair->scale)) {
        /* one that carried an impulse before stays: only its normal, which turns, makes it approach */
        const bool stays = touching && isinf(around->slow[k]);
        x->most = fmin(x->most, stays ? x->haste * SS_PASSAGE_BIT * pair->scale / approach : short_time(x, pair));
    }
    return !now;
}

/* the longest substep that meets nothing which is not at hand */
static void limit_by_meetings(ss_passing *x)
{
    for (int i = 0; i < x->ahead.n; i++) {
        const ss_swept_pair *pair = &x->ahead.pair[i];
        if (pair->meets && !is_at_hand(pair)) {
            x->most = fmin(x->most, fmax(pair->before, SS_TOL_AT_HAND * short_time(x, pair)));
        }
    }
}

/* Follow a path. Its looks are counted as if there were one pair; a step that has taken too many hurries on, and says so. */
static ss_status look(ss_passing *x, ss_stepper *s, const ss_path *path, ss_swept_pairs *out)
{
    int64_t looks = 0;
    SS_TRY(ss_passage_look(x->sweep, path, out));
    for (int i = 0; i < out->n; i++) {
        looks += out->pair[i].looks;
    }
    s->wasted.looks += out->n > 0 ? 1 + looks / out->n : 0;
    x->haste = ss_stepper_haste(s);
    if (x->haste > 1) {
        s->report->remark(s->report, SS_REMARK_UNFOLLOWED, NULL);
    }
    return SS_OK;
}

/* Follow the motion foreseen. Nothing is barred yet. */
static ss_status look_ahead(ss_passing *x, ss_stepper *s, const ss_vicinity *around, const ss_path *path)
{
    SS_TRY(look(x, s, path, &x->ahead));
    SS_TRY(ss_reserve(x->ctx, &x->barred, &x->barred_cap, around->near.n, sizeof *x->barred));
    SS_TRY(ss_reserve(x->ctx, &x->far, &x->far_cap, around->near.n, sizeof *x->far));
    for (int k = 0; k < around->near.n; k++) {
        const ss_contact_id *id = &around->near.c[k].id;
        x->far[k] = x->ahead.any_far && id->kind == SS_CONTACT_SHAPES && ss_passage_moves_far(x->sweep, id->a, id->b);
        x->barred[k] = false;
    }
    x->most = INFINITY;
    return SS_OK;
}

ss_status ss_passing_foresee(ss_passing *x, ss_stepper *s, const ss_vicinity *around, const ss_path *path)
{
    SS_TRY(look_ahead(x, s, around, path));
    limit_by_meetings(x);
    const ss_model *m = s->model;
    for (int k = 0; k < around->near.n; k++) {
        x->barred[k] = x->far[k] && is_barred(x, m, around, path->h, k);
    }
    return ss_leaving_bar(s, around, path, x->barred);
}

/* ---- schemes that close gaps within their step ---------------------------------------------------- */

/* Does the motion foreseen bring the shapes of a contact together, or are they so near that any other motion may? */
static bool meets(const ss_passing *x, const ss_contact *contact)
{
    const ss_swept_pair *pair = ss_swept_pairs_find(&x->ahead, contact->id.a, contact->id.b);
    return pair && (pair->meets || is_at_hand(pair));
}

/* Is anything but `other` near this body? partner[body]: the only one so far, counted from 1; 0: none yet, -1: several */
static void note_partner(const ss_model *m, int *partner, int body, int other)
{
    const bool first = partner[body] == 0 || partner[body] == other + 1;
    partner[body] = !ss_model_is_dynamic(m, body) ? 0 : first ? other + 1 : -1;
}

/* Contacts of bodies that fly on, past each other, as foreseen. */
static ss_status bar_misses(ss_passing *x, ss_stepper *s, const ss_vicinity *around)
{
    const ss_model *m = s->model;
    int *partner;
    SS_TRY(ss_arena_take(s->arena, (size_t)m->bodies + 1, sizeof *partner, &partner));
    for (int k = 0; k < around->near.n; k++) {
        const ss_contact_end *at = around->near.c[k].at;
        note_partner(m, partner, at[0].body, at[1].body);
        note_partner(m, partner, at[1].body, at[0].body);
    }
    for (int k = 0; k < around->near.n; k++) {
        const ss_contact *c = &around->near.c[k];
        const bool alone = partner[c->at[0].body] >= 0 && partner[c->at[1].body] >= 0;
        x->barred[k] = x->far[k] && alone && !meets(x, c);
    }
    return SS_OK;
}

ss_status ss_passing_bar_misses(ss_passing *x, ss_stepper *s, const ss_vicinity *around, const ss_path *path)
{
    SS_TRY(look_ahead(x, s, around, path));
    SS_TRY(x->ahead.any_far ? bar_misses(x, s, around) : SS_OK);
    return ss_leaving_bar(s, around, path, x->barred);
}

/* ---- after an attempt ------------------------------------------------------------------------------ */

static bool is_of(const ss_contact_id *id, int a, int b) { return id->kind == SS_CONTACT_SHAPES && id->a == a && id->b == b; }

/* How the active contacts of a pair that meets on the path have to do with that. */
typedef enum grip { FREE, UNSURE, HELD } grip;

/* HELD: by the law of one whose gap at the end tells that the pair has not passed through. A short substep is enough for that.
 * Ground may be met elsewhere later. */
static grip find_grip(const ss_passing *x, const ss_model *m, const ss_vicinity *around, const ss_active *active,
                      const ss_path *path, const ss_swept_pair *pair)
{
    const bool ground = m->shape[pair->a].terrain || m->shape[pair->b].terrain;
    grip found = FREE;
    for (int i = 0; active && !ground && found < HELD && i < active->n; i++) {
        const ss_contact *c = &around->near.c[active->which[i]];
        if (is_of(&c->id, pair->a, pair->b)) {
            const bool tells = ss_passage_sees(x->sweep, path, pair->inside, c) && !ss_passage_loses(x->sweep, path, c);
            found = tells || path->h <= short_time(x, pair) ? HELD : UNSURE;
        }
    }
    return found;
}

/* Where the substep is to be cut, because of a pair that meets on the path. One that is held by none of its active contacts for
 * sure is looked at again in half of it. */
static ss_met cut_at(const ss_passing *x, const ss_path *path, const ss_swept_pair *pair, grip found)
{
    const double least = x->haste > 1 ? short_time(x, pair) : 0,
                 before = fmax(least, fmin(pair->inside, fmax(pair->before, short_time(x, pair)))),
                 inside = is_at_hand(pair) ? fmax(least, pair->inside) : before, half = 0.5 * path->h;
    return (ss_met){ .any = true,
                     .unsure = found == UNSURE,
                     .before = found == UNSURE ? half : before,
                     .inside = found == UNSURE ? half : inside,
                     .a = pair->a,
                     .b = pair->b };
}

/* An attempt that stands, although shapes were not followed finely along ground that they may have met, is remarked. */
static void remark(const ss_passing *x, ss_stepper *s)
{
    bool coarse = false;
    for (int i = 0; i < x->behind.n; i++) {
        const ss_swept_pair *pair = &x->behind.pair[i];
        coarse =
            coarse || (pair->looks > SS_PASSAGE_LOOKS && (s->model->shape[pair->a].terrain || s->model->shape[pair->b].terrain));
    }
    if (coarse) {
        s->report->remark(s->report, SS_REMARK_UNFOLLOWED, NULL);
    }
}

ss_status ss_passing_check(ss_passing *x, ss_stepper *s, const ss_vicinity *around, const ss_active *active, const ss_path *path,
                           ss_met *met)
{
    double first = path->h;
    *met = (ss_met){ .before = path->h, .inside = path->h };
    SS_TRY(look(x, s, path, &x->behind));
    for (int i = 0; i < x->behind.n; i++) {
        const ss_swept_pair *pair = &x->behind.pair[i];
        if (pair->meets && pair->inside <= first) {
            const grip found = find_grip(x, s->model, around, active, path, pair);
            first = found < HELD ? pair->inside : first;
            *met = found < HELD ? cut_at(x, path, pair, found) : *met;
        }
    }
    if (!met->any || met->before >= path->h) {
        remark(x, s);
    }
    return SS_OK;
}

void ss_passing_expect(ss_passing *x, const ss_vicinity *around, const ss_met *met)
{
    for (int k = 0; k < around->near.n; k++) {
        x->barred[k] = x->barred[k] && !is_of(&around->near.c[k].id, met->a, met->b);
    }
}
