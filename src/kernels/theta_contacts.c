/* theta_contacts.c - which contacts take part in a theta step, and which stay closed after it.
 *
 *     g_k - gamma h (-u_N,k) <= touch        the forecast: contact k is active                                   [Aca09 eq. 16e]
 *
 * A contact that was closed when the substep before ended stays active while it does not bounce: the gap that it has then, left
 * by a forecast which closed it early, is its zero. That gap is the number `held gap` of the remembered contact. One that
 * hovers beside closed ones is closed like them.
 * Symbols   gamma part of the step over which gaps are forecast; touch the gap that counts as closed
 * Cost      a survey of what is near, once per substep */
#include "kernels/theta_inside.h"

#include "base/tolerances.h"
#include "model/attachment.h"
#include <math.h>

/* Bound on the gap that a closed contact may have (see held_gap below); 0: it is not closed. */
enum { HELD_GAP, NUMBERS };
const ss_contact_numbers ss_theta_numbers = { NUMBERS, (const char *const[]){ [HELD_GAP] = "held gap" }, SS_LEVEL_VELOCITY };

/* ---- which contacts ------------------------------------------------------------------------------ */

/* gaps that closed contacts of shapes have; those of joints are always near */
static double widest_gap(const ss_contact_cache *cache)
{
    const ss_contact_cache_list *list = &cache->level[ss_theta_numbers.level];
    double widest = 0;
    for (int i = 0; i < list->n; i++) {
        const double gap = cache->number[NUMBERS * i + HELD_GAP];
        widest = list->entry[i].id.kind == SS_CONTACT_SHAPES ? fmax(widest, gap) : widest;
    }
    return widest;
}

/* the lists of closed contacts of each body that moves freely */
static ss_status list_closed(ss_theta *x)
{
    const ss_model *m = x->s->model;
    const ss_contact_set *near = &x->around->near;
    SS_TRY(ss_arena_take(x->s->arena, (size_t)m->bodies, sizeof *x->closed.first, &x->closed.first));
    SS_TRY(ss_arena_take(x->s->arena, 2 * (size_t)near->n, sizeof *x->closed.next, &x->closed.next));
    for (int b = 0; b < m->bodies; b++) {
        x->closed.first[b] = -1;
    }
    for (int i = 0; i < 2 * near->n; i++) {
        const int body = near->c[i / 2].at[i % 2].body;
        const bool shapes = near->c[i / 2].id.kind == SS_CONTACT_SHAPES;
        if (shapes && ss_model_is_dynamic(m, body) && ss_theta_was_closed(x, i / 2)) {
            x->closed.next[i] = x->closed.first[body];
            x->closed.first[body] = i;
        }
    }
    return SS_OK;
}

/* What is near at the start of a substep of length h at most. */
ss_status ss_theta_survey(ss_theta *x, double h)
{
    const ss_model *m = x->s->model;
    ss_config_set(m, x->start.t, x->start.q, &x->start.here);
    ss_config_drive(m, x->start.t, x->start.t + h, &x->start.here);
    ss_vicinity_forget(x->around);
    x->around->at_least = 2 * widest_gap(&x->s->next->cache);
    SS_TRY(ss_vicinity_survey(x->around, x->s, &x->start.here, x->start.v, h, 0));
    SS_TRY(
        ss_passing_foresee(x->around->passing, x->s, x->around, &(ss_path){ x->start.t, h, x->start.q, x->start.v, NULL, NULL }));
    SS_TRY(list_closed(x));
    return ss_active_take(&x->active, x->s->arena, x->around->near.n);
}

/* Fraction of the step over which the gap of a contact is forecast: the option `gamma`, or by default the one that makes
 * bounces neither longer nor shorter on the average (docs/moreau.md). */
static double horizon(const ss_theta *x, double e)
{
    const double unbiased = 1 / (1 + e) - x->p->theta + 0.5;
    return x->p->gamma >= 0 ? x->p->gamma : fmin(fmax(unbiased, 0), 1);
}

double ss_theta_touch(const ss_theta *x, int k)
{
    return ss_stepper_touch(x->s) * ss_contact_unit(x->s->model, &x->around->near.c[k]);
}

/* the forecast [Aca09 eq. 16e] */
static bool closes(const ss_theta *x, int k, double comes) { return x->around->gap[k] - comes <= ss_theta_touch(x, k); }

/* It was closed when the substep before ended: see ss_theta_remember. */
bool ss_theta_was_closed(const ss_theta *x, int k)
{
    const double *number = ss_contact_cache_numbers(&x->s->next->cache, &x->around->near.c[k].id);
    return number && number[HELD_GAP] > 0;
}

/* What is put back where it touches would bounce for ever by what it gains in a step: it comes off by e w, falls freely by a h,
 * is put back, and strikes with w = a h - e w. Then it is open half of the time, and not there when something else strikes. With
 * that speed, w = a h/(1 + e), it stays. gain: 2 a h */
double ss_theta_restitution(const ss_theta *x, int k)
{
    const double e = x->around->near.c[k].e, again = 0.5 * x->around->gain[k] / (1 + e);
    return x->start.puts_back && fabs(x->around->approach[k]) <= again ? 0 : e;
}

/* Its offset e U_N in Newton's law, positive if it separates, moves it by no more than `touch` in h: it is not bouncing off. */
static bool does_not_bounce(const ss_theta *x, int k)
{
    return -x->h * ss_theta_restitution(x, k) * x->around->approach[k] <= ss_theta_touch(x, k);
}

/* A contact that is closed already. The gap g that it has, left by a forecast that closed it early, is its zero; let go, it would
 * fall through it and strike with sqrt(2 a g), by the free acceleration a. */
static bool rests(const ss_theta *x, int k) { return ss_theta_was_closed(x, k) && does_not_bounce(x, k); }

static bool is_fixed(const ss_model *m, int body) { return body >= m->bodies || m->body_type[body] == SS_BODY_FIXED; }

/* Do contacts a and b join the same two bodies? All that are fixed are one. */
static bool join_the_same(const ss_model *m, const ss_contact *a, const ss_contact *b)
{
    bool same = true;
    for (int i = 0; i < 2; i++) {
        const int one = a->at[i].body, other = b->at[i].body;
        same = same && (one == other || (is_fixed(m, one) && is_fixed(m, other)));
    }
    return same;
}

/* The body of a contact whose closed contacts are looked through: one that moves freely, the later one of two, since ground and
 * what carries others are mostly first. */
static int free_body(const ss_model *m, const ss_contact *c)
{
    const int later = c->at[0].body > c->at[1].body ? 0 : 1;
    return c->at[ss_model_is_dynamic(m, c->at[later].body) ? later : 1 - later].body;
}

/* Contact k does not come closer, and its gap is not larger than what the gaps of contacts of the same two bodies, which are
 * closed, explain. With a face on a plane those of three corners are that of the fourth,  g_4 = g_1 + g_3 - g_2,  which nothing
 * will ever close: the load would be on three corners, however short the step. */
static bool hovers(const ss_theta *x, int k)
{
    const ss_vicinity *n = x->around;
    double explained = 0;
    if (n->near.c[k].id.kind != SS_CONTACT_SHAPES || fabs(n->approach[k]) * x->h > SS_TOL_HOVERS * n->gap[k]) {
        return false;
    }
    for (int i = x->closed.first[free_body(x->s->model, &n->near.c[k])]; i >= 0; i = x->closed.next[i]) {
        explained += join_the_same(x->s->model, &n->near.c[i / 2], &n->near.c[k]) ? fabs(n->gap[i / 2]) : 0;
    }
    return n->gap[k] <= explained;
}

/* A contact whose witness is off the features has to come as far as that, too. */
static bool is_active(const ss_theta *x, int k)
{
    const ss_vicinity *n = x->around;
    const double comes = horizon(x, n->near.c[k].e) * x->h * n->approach[k];
    return n->near.c[k].id.kind == SS_CONTACT_MOTOR || ((closes(x, k, comes) || rests(x, k) || hovers(x, k)) &&
                                                        n->outside[k] <= fmax(comes, SS_TOL_ON_SURFACE * x->s->model->length));
}

void ss_theta_forecast(ss_theta *x)
{
    for (int k = 0; k < x->around->near.n; k++) {
        x->active.has[k] = !x->around->passing->barred[k] && is_active(x, k);
    }
    ss_active_list(&x->active);
}

/* ---- which of them stay closed ---------------------------------------------------------------------- */

double ss_theta_drive_rate(const ss_theta *x, int k, int row)
{
    const ss_contact *c = x->a->contacts.c[k];
    if (c->id.kind != SS_CONTACT_SHAPES) {
        return 0;
    }
    const ss_twist_row direction = ss_contact_direction(x->a->value[k], row);
    ss_spot s[2];
    ss_contact_spots(&x->there, c, x->a->value[k]->point, s);
    return ss_spots_drive_rate(&x->there, s, &direction);
}

/* How fast contact k of the problem separated at the start. The survey has driven bodies at their mean velocity over the step: by
 * that, a table that falls faster than what lies on it would seem to be caught up with. */
static double separated(const ss_theta *x, int k)
{
    return -x->around->approach[x->active.which[k]] - 0.5 * x->h * ss_theta_drive_rate(x, k, 0);
}

/* Contact k of the problem is closed if it does not separate, by P > 0. So is one that was and does not bounce, if it separates
 * slower than before: a velocity that an impact made tangent in the middle of a step leads off a surface that turns, by O(h), and
 * it takes as long until it presses again. */
static bool is_closed(const ss_theta *x, int k)
{
    const ss_assembly *a = x->a;
    const int row = a->problem.row[k], near = x->active.which[k];
    const double u = ss_csr_row_dot(&a->problem.H, row, a->solution.v) + a->problem.w[row];
    const double none = fmax(ss_theta_touch(x, near), x->s->tol * ss_contact_unit(x->s->model, a->contacts.c[k]));
    const bool returns = rests(x, near) && u < separated(x, k);
    return returns || (x->h * u <= none && a->solution.r[row] > 0);
}

/* A bound on the gap with which contact k of the problem stays closed, more than 0; 0: it does not. */
static double held_gap(const ss_theta *x, int k)
{
    const ss_vicinity *n = x->around;
    if (!ss_contact_has_gap(x->a->contacts.c[k])) {
        return 0;
    }
    const int near = x->active.which[k];
    return is_closed(x, k) ? fmax(n->gap[near], 0) + x->h * fabs(n->approach[near]) + ss_theta_touch(x, near) : 0;
}

ss_status ss_theta_remember(ss_theta *x)
{
    const int n = x->a->problem.nc;
    ss_contact_cache *cache = &x->s->next->cache;
    double *gap;
    SS_TRY(ss_arena_take(x->s->arena, (size_t)n, sizeof *gap, &gap));
    for (int k = 0; k < n; k++) {
        gap[k] = held_gap(x, k); /* by what was remembered so far */
    }
    SS_TRY(ss_assembly_remember(x->a, cache, SS_LEVEL_VELOCITY));
    for (int k = 0; k < n; k++) {
        cache->number[NUMBERS * k + HELD_GAP] = gap[k]; /* entry k is of contact k */
    }
    return SS_OK;
}
