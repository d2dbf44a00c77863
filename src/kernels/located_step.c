/* located_step.c - a step that is cut where contacts close.
 *
 *     left = h
 *     while left > 0                                     in all that follows, left is cut where driven bodies do not move evenly
 *         begin
 *         repeat                                         collisions at the state
 *             survey(left)
 *             collide(what touches or is held), if something of it approaches fast, or has to stop (`stops`)
 *         until nothing has collided, or events = 2 max_events
 *         most = min(left, time in which nothing passes through anything unseen)
 *         repeat, at most LOOKS times                    a substep that everything is known of
 *             survey(left), but for the first time
 *             length = most;  active = what touches, or is held (`holds`)
 *             repeat                                     a substep that is accurate
 *                 repeat
 *                     attempt(length)
 *                     slow contacts that it pushes through become active
 *                 until there are none
 *             until judge(length) is content, else length = length/2
 *             length = until the motion changes, as where slip ends (`changes`)
 *             length = until the lowest place of a gap that closes and opens again within it (rule `dips`)
 *             look(length): contacts that only the end shows join the next survey; if some have passed unseen, most = length/2
 *             passes(length): if the motion passes through something, most = a length that ends inside it
 *             if there are none, and a fast contact closes          a collision is located
 *                 length = first root of the gaps after attempt(length);  attempt(length)
 *                 look(length): as above; if there are any, most = length
 *                 if judge(length) is not content, most = length/2
 *         until there are none, and judge is content
 *         accept(length);  left = left - length
 *
 * The event functions are gaps at the end of an attempt, as functions of its length: so an event is as exact as the scheme, and
 * the substep that ends there is one that the scheme has taken. A gap that has closed so is a contact that touches, and
 * collides when the next substep begins. The place of a collision may show contacts that nothing has shown before it, such as
 * other points of a rim than those of the survey: they are met earlier.
 *
 * Slow     A contact that comes no faster than its threshold (vicinity.h), or that touches at the start, is not located: it
 *          becomes active and is closed by the step itself, with e = 0. So infinitely many impacts end. A scheme whose problem
 *          does not know gaps (`absorbs` = false) would close it too early: it is located then like a fast one.
 * Together A fast contact that closes within SS_TOL_TOGETHER of the step takes part in a collision of another one, and so does a
 *          contact that presses, whatever gap the scheme has left to it.
 * Dips     With velocities that change evenly, gap - approach s + c s^2 is the gap along an attempt, c by its end. Where that has
 *          its lowest place within the attempt, and is closed there, the attempt is made up to there.
 * Unlocated  Without `locate` a fast contact that would close within the substep collides at the start of the substep. If e = 0,
 *          a collision and a contact that closes are the same, and the problem of the step resolves both.
 * Too many From max_events on e = 0 and all contacts join; from 2 max_events on nothing collides any more.
 *
 * Symbols  gap, approach, slow, safe: of the survey (vicinity.h)
 * Cost     one attempt per substep without collisions; a located one about 6 more */
#include "kernels/located_step.h"
#include "base/tolerances.h"
#include "events/events.h"
#include <math.h>

enum { LOOKS = 12 };
static const double TIME = 1e-15; /* of the substep: the search ends where times cannot be told apart */

typedef struct located {
    ss_stepper *s;
    const ss_located_client *c;
    const ss_vicinity *around;
    ss_active *active;
    ss_located_rules rules;
    int events;  /* collisions so far in this step */
    int looked;  /* contacts that were looked at last */
    int *which;  /* their numbers in the survey    */
    double *gap; /* and their gaps                 */
} located;

/* ---- questions about a contact of the survey ----------------------------------------------------- */

static bool is_motor(const located *x, int k) { return x->around->near.c[k].id.kind == SS_CONTACT_MOTOR; }

static double unit_of(const located *x, int k) { return ss_contact_unit(x->s->model, &x->around->near.c[k]); }

static double touch_of(const located *x, int k) { return ss_stepper_touch(x->s) * unit_of(x, k); }

static bool touches(const located *x, int k)
{
    return !is_motor(x, k) && x->around->gap[k] <= touch_of(x, k) &&
           x->around->outside[k] <= SS_TOL_ON_SURFACE * x->s->model->length;
}

/* Is it active without touching? Then it takes part in collisions, too. */
static bool is_held(const located *x, int k) { return x->c->holds && !is_motor(x, k) && x->c->holds(x->c->user, k); }

static bool has_too_many(const located *x) { return x->events >= x->rules.max_events; }

/* Without `locate`, a contact with e = 0 is resolved by the problem of the step itself, whether it collides or closes within
 * the step. */
static bool closes_within(const located *x, int k) { return !x->rules.locate && x->around->near.c[k].e == 0; }

/* Does it touch, and must it not approach, however slowly? */
static bool has_to_stop(const located *x, int k)
{
    return x->c->stops && touches(x, k) && x->around->approach[k] > 0 && x->c->stops(x->c->user, k);
}

/* Does it collide at the start of a substep of length h? */
static bool collides(const located *x, int k, double h)
{
    const ss_vicinity *n = x->around;
    if (is_motor(x, k) || n->approach[k] <= n->slow[k] || closes_within(x, k)) {
        return false;
    }
    bool closes = !x->rules.locate && n->gap[k] <= h * n->approach[k] && n->outside[k] <= h * n->approach[k];
    return touches(x, k) || closes;
}

/* Does contact k take part in a collision of others although it has a gap? One that forces alone may have moved off presses, with
 * a gap of the order of h^2 or of the solver's tolerance. One that approaches fast and would collide as good as now does so at
 * the same instant, as along an edge that comes to lie flat: errors of the motion tell these times apart. Resolved one after the
 * other they would end otherwise, however short the step. */
static bool collides_with(const located *x, int k)
{
    const ss_vicinity *n = x->around;
    const double h = x->s->h_nominal, comes = n->approach[k];
    const bool presses = x->rules.absorbs && fabs(comes) <= n->slow[k],
               soon = comes > n->slow[k] && n->gap[k] <= SS_TOL_TOGETHER * h * comes;
    const double beside = soon ? SS_TOL_TOGETHER * h * comes : SS_TOL_ON_SURFACE * x->s->model->length;
    return x->rules.locate && !is_motor(x, k) && ((presses && n->gap[k] <= h * n->slow[k]) || soon) && n->outside[k] <= beside;
}

/* Did it carry an impulse in the substep before? */
static bool has_pressed(const located *x, int k)
{
    return x->rules.recalls && ss_contact_cache_normal(&x->s->next->cache, &x->around->near.c[k].id) > 0;
}

/* Can it close within h if its bodies turn to each other, each as fast as it is now and as forces make it in two steps? Two
 * grains that fall side by side do not approach each other until one of them lands. */
static bool comes_near(const located *x, int k, double h)
{
    return x->around->gap[k] <= h * (ss_vicinity_speed(x->around, k) + x->around->gain[k]) + touch_of(x, k);
}

/* Contacts near enough to close within the step join at once, and so do those that have pressed: most of them will press again,
 * although the turning of their rows has opened them a little. A contact whose gap is part of its offset has no effect unless it
 * closes, and one larger problem is cheaper than several that add one missing contact each. */
static bool may_close(const located *x, int k, double h)
{
    const bool comes = closes_within(x, k) && comes_near(x, k, h);
    return x->rules.absorbs && x->around->outside[k] <= 0 && (comes || has_pressed(x, k));
}

/* Is contact k, whose gap a substep of length h takes to `end`, one that the step itself closes? */
static bool is_slow(const located *x, int k, double end, double h)
{
    const ss_vicinity *n = x->around;
    return n->gap[k] - end <= h * n->slow[k] || n->gap[k] <= touch_of(x, k) || closes_within(x, k);
}

/* ---- collisions ---------------------------------------------------------------------------------- */

static ss_status survey(located *x, double h)
{
    SS_TRY(x->c->survey(x->c->user, h));
    size_t n = (size_t)x->around->near.n;
    SS_TRY(ss_arena_take(x->s->arena, n, sizeof *x->which, &x->which));
    return ss_arena_take(x->s->arena, n, sizeof *x->gap, &x->gap);
}

/* Resolve what collides now; *happened says whether anything did. */
static ss_status collide(located *x, double h, bool *happened)
{
    ss_collision now = { .which = x->which, .trigger = -1, .elastic = !has_too_many(x) };
    for (int k = 0; k < x->around->near.n; k++) {
        bool strikes = collides(x, k, h) || has_to_stop(x, k);
        if (strikes || touches(x, k) || is_held(x, k) || collides_with(x, k)) {
            now.trigger = strikes && now.trigger < 0 ? now.n : now.trigger;
            x->which[now.n++] = k;
        }
    }
    *happened = now.trigger >= 0;
    x->events += *happened;
    return *happened ? x->c->collide(x->c->user, &now) : SS_OK;
}

static ss_status collide_all(located *x, double h)
{
    bool happened;
    do {
        SS_TRY(survey(x, h));
        SS_TRY(collide(x, h, &happened));
    } while (happened && x->events < 2 * x->rules.max_events);
    return SS_OK;
}

/* ---- one substep --------------------------------------------------------------------------------- */

/* gaps where the last attempt has led */
static ss_status look_at_gaps(located *x, double h, int count, const int *which, double *gap)
{
    SS_TRY(x->c->gaps(x->c->user, h, count, which, gap));
    for (int k = 0; k < count; k++) {
        if (isnan(gap[k])) {
            char name[128];
            ss_contact_name(x->s->model, &x->around->near.c[which[k]], name, sizeof name);
            return ss_fail(x->s->ctx, SS_ERR_NUMERIC, "the gap of %s is not a number after a substep of %.9g s", name, h);
        }
    }
    return SS_OK;
}

/* Contacts that the attempt would push through: slow ones become active, fast ones are to be located. */
static ss_status find_violations(located *x, double h, bool *joined, bool *fast)
{
    const bool slow_joins = x->rules.absorbs || !x->rules.locate || has_too_many(x);
    int count = 0;
    *joined = *fast = false;
    for (int k = 0; k < x->around->near.n; k++) {
        if (!x->active->has[k] && !is_motor(x, k)) {
            x->which[count++] = k;
        }
    }
    SS_TRY(look_at_gaps(x, h, count, x->which, x->gap));
    x->looked = count;
    for (int i = 0; i < count; i++) {
        const int k = x->which[i];
        if (x->gap[i] >= -touch_of(x, k)) {
            continue;
        }
        bool joins = slow_joins && (is_slow(x, k, x->gap[i], h) || has_too_many(x));
        x->active->has[k] = joins;
        *joined = *joined || joins;
        *fast = *fast || !joins;
    }
    ss_active_list(x->active);
    return SS_OK;
}

/* An attempt over h which slow contacts have joined; *fast says whether others close. */
static ss_status attempt(located *x, double h, bool *fast)
{
    bool joined = true;
    for (int pass = 0; joined && pass <= x->around->near.n; pass++) {
        SS_TRY(x->c->attempt(x->c->user, h));
        SS_TRY(find_violations(x, h, &joined, fast));
    }
    return SS_OK;
}

/* The longest substep, *h halved as often as need be, that the scheme is content with. */
static ss_status fit(located *x, double *h, bool *fast)
{
    bool halve = false;
    do {
        *h = halve ? 0.5 * *h : *h;
        halve = false;
        SS_TRY(attempt(x, *h, fast));
        SS_TRY(x->c->judge ? x->c->judge(x->c->user, *h, &halve) : SS_OK);
    } while (halve);
    return SS_OK;
}

/* The attempt over *h up to where its motion changes; *fast says whether contacts close in it. */
static ss_status stop_at_change(located *x, double *h, bool *fast)
{
    const double whole = *h;
    SS_TRY(x->c->changes ? x->c->changes(x->c->user, h) : SS_OK);
    return *h < whole ? attempt(x, *h, fast) : SS_OK;
}

/* Where contact k, whose gap an attempt over h takes to `end`, is lowest within it and closed; h: nowhere. */
static double dip_of(const located *x, int k, double end, double h)
{
    const double gap = x->around->gap[k], rate = -x->around->approach[k], curve = (end - gap - rate * h) / (h * h);
    const double lowest = curve > 0 ? -rate / (2 * curve) : h;
    const bool dips = rate < 0 && lowest < h && gap + 0.5 * rate * lowest < -touch_of(x, k);
    return dips && gap > touch_of(x, k) && x->around->outside[k] <= 0 ? lowest : h;
}

/* The attempt over *h, in which nothing is closed at the end, up to the first place where a gap is closed all the same. */
static ss_status stop_at_dip(located *x, double *h, bool *fast)
{
    const double whole = *h;
    double first = whole;
    for (int i = 0; i < x->looked; i++) {
        first = fmin(first, dip_of(x, x->which[i], x->gap[i], whole));
    }
    if (first < whole) {
        SS_TRY(attempt(x, first, fast));
        *h = *fast ? first : whole;
        SS_TRY(*fast ? SS_OK : attempt(x, whole, fast));
    }
    return SS_OK;
}

static void activate_touching(located *x, double h)
{
    for (int k = 0; k < x->around->near.n; k++) {
        x->active->has[k] = is_motor(x, k) || touches(x, k) || is_held(x, k) || may_close(x, k, h);
    }
    ss_active_list(x->active);
}

/* ---- the first collision ------------------------------------------------------------------------- */

/* event functions: the gaps after an attempt over h, each in its own unit */
static ss_status gaps_after(void *user, double h, int count, const int *which, double *g)
{
    located *x = user;
    SS_TRY(x->c->attempt(x->c->user, h));
    SS_TRY(look_at_gaps(x, h, count, which, g));
    for (int k = 0; k < count; k++) {
        g[k] /= unit_of(x, which[k]);
    }
    return SS_OK;
}

/* *length: up to h, until the first contact closes */
static ss_status locate(located *x, double h, double *length)
{
    const ss_vicinity *n = x->around;
    const size_t count = (size_t)n->near.n;
    double *start, *armed;
    SS_TRY(ss_arena_take(x->s->arena, count, sizeof *start, &start));
    SS_TRY(ss_arena_take(x->s->arena, count, sizeof *armed, &armed));
    for (int k = 0; k < n->near.n; k++) {
        double unit = unit_of(x, k);
        armed[k] = touch_of(x, k) / unit;
        bool watch = !x->active->has[k] && !is_motor(x, k) && n->gap[k] / unit > armed[k];
        start[k] = watch ? fmax(n->gap[k], n->outside[k]) / unit : -1;
    }
    const ss_event_search search = { .eval = gaps_after,
                                     .user = x,
                                     .count = n->near.n,
                                     .start = start,
                                     .armed = armed,
                                     .length = h,
                                     .tol = TIME * h,
                                     .accept = SS_TOL_ROOT };
    ss_event_found found;
    SS_TRY(ss_events_first(x->s->arena, &search, &found));
    *length = found.found ? found.s : h;
    return SS_OK;
}

/* ---- the step ------------------------------------------------------------------------------------ */

/* What an attempt has left out, as its end shows. */
typedef struct unknown {
    bool located;      /* it ends at a collision                             */
    bool more, hidden; /* of ss_located_client.look                          */
    bool rough;        /* ss_located_client.judge is not content with its end, although it was with a longer attempt */
    double inside;     /* of ss_located_client.passes; its length: it passes through nothing */
} unknown;

static ss_status look(located *x, double taken, unknown *out)
{
    out->inside = taken;
    SS_TRY(x->c->look(x->c->user, taken, &out->more, &out->hidden));
    out->hidden = out->hidden && taken > ss_stepper_shortest(x->s);
    return SS_OK;
}

static bool is_nothing(const unknown *u, double taken) { return !u->more && !u->hidden && !u->rough && !(u->inside < taken); }

/* the longest that the next attempt may be, where one over `taken` has left that out */
static double shorten(const unknown *u, double taken, double most)
{
    const double at_collision = u->located ? taken : most;
    return u->inside < taken ? u->inside : u->hidden || u->rough ? 0.5 * taken : at_collision;
}

/* A substep over *taken or less with what the survey has found, up to the first collision; *left_out: what it has not found. */
static ss_status try_substep(located *x, double *taken, bool last, unknown *left_out)
{
    bool fast = false;
    activate_touching(x, *taken);
    SS_TRY(fit(x, taken, &fast));
    SS_TRY(stop_at_change(x, taken, &fast));
    SS_TRY(x->rules.dips && !fast ? stop_at_dip(x, taken, &fast) : SS_OK);
    SS_TRY(look(x, *taken, left_out));
    SS_TRY(x->c->passes ? x->c->passes(x->c->user, *taken, &left_out->inside) : SS_OK);
    if (!fast || !x->rules.locate || !(last || is_nothing(left_out, *taken))) {
        return SS_OK;
    }
    SS_TRY(locate(x, *taken, taken));
    SS_TRY(x->c->attempt(x->c->user, *taken)); /* the search did not end on the length that it returns */
    left_out->located = true;
    SS_TRY(x->c->judge ? x->c->judge(x->c->user, *taken, &left_out->rough) : SS_OK);
    return look(x, *taken, left_out);
}

/* A substep from a state where nothing collides, over `left` at most; *taken: how far it has come. */
static ss_status advance(located *x, double left, double *taken)
{
    double most = fmin(left, fmax(x->around->safe, ss_stepper_shortest(x->s)));
    bool known = false;
    for (int looks = 0; !known && looks < LOOKS; looks++) {
        unknown left_out = { .located = false };
        SS_TRY(looks > 0 ? survey(x, left) : SS_OK);
        *taken = most;
        SS_TRY(try_substep(x, taken, looks == LOOKS - 1, &left_out));
        known = is_nothing(&left_out, *taken);
        most = shorten(&left_out, *taken, most);
    }
    if (!(*taken > 0)) {
        return ss_fail(x->s->ctx, SS_ERR_NUMERIC, "a substep of %g s, where more than 0 s were expected", *taken);
    }
    return x->c->accept(x->c->user, *taken);
}

ss_status ss_located_step(ss_stepper *s, const ss_located_client *client, const ss_located_rules *rules, double h)
{
    located x = { .s = s, .c = client, .around = client->around, .active = client->active, .rules = *rules };
    for (double left = h, taken = 0; left > 0; left = ss_stepper_rest(s, h, left, taken)) {
        SS_TRY(client->begin(client->user));
        const double even = ss_model_even_time(s->model, s->now->t + s->length.taken, left);
        SS_TRY(collide_all(&x, even));
        SS_TRY(advance(&x, even, &taken));
    }
    return SS_OK;
}
