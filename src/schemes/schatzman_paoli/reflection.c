/* reflection.c - the gap of a contact between past and future.
 *
 *     y = g(q (+) (h w + e d)/(1 + e)),   d = q- (-) q = -h w-                                  [Aca09 eq. 22c, 24]
 *
 * y = 0 ends at g(q') = -e g(q-): an impact turns the gap before it into -e times itself, and two steps later the velocity
 * has become -e times the one before. That needs equal steps, and overlaps by e times the way of a step, which a shorter step
 * would have to undo at once. So where steps change d has another meaning (`future`), which is Newton's law for steps of any
 * lengths:
 *
 *     first step     d = h v       what would come: the impact ends on the way back. Under step control d = 0, the gap is
 *                                  closed: so how far the step went too far can be seen (sim/closing.c)
 *     second step    e d = h (e v- - c)   v- is the velocity before the impact: it leaves with w = -e v- + c, c what forces
 *                                  do meanwhile;  d = h v- where it is closed and c would hold it down;  d = 0 where it rests
 *
 * Contacts of the same e and d share one point. What is driven is taken at the same combination of times.
 *
 * second The two steps of an impact share it in a ratio that depends on where in the first it falls. Coulomb's law for each part
 * is not that for the impact where normal and tangent are coupled. So in the second step r is the impulse of both parts, that of
 * the first is taken back (`given`), and the law holds for their sum, with the slip in the end: Moreau's law for h -> 0. A
 * contact that would have to pull for that has the law of its second part alone.
 *
 * held   A contact without restitution that was pressed in the last step has been closed since: its impulse acts between the
 * middles of two steps, and its rows are those of the start, in the middle of that. By the rows of the end it would push a body
 *        that turns along, and give it energy, O(h) in each step. So the two parts of an impact have one row, too.
 *
 * rest   Gaps within the tolerance stay as they are: what rests poses the same problem in every step. So do overlaps that no
 *        impact has left: closing one within a step would take the velocity overlap/h, which a short step makes as large as you
 *        like, and separation.c moves positions where it is more than the tolerance. With `future` those of impacts stay, too: a
 * step is not asked to undo what a longer one has left. */
#include "schemes/schatzman_paoli/reflection.h"
#include "kernels/passing.h"
#include "math/worse.h"
#include <math.h>

typedef enum side { PAST, FUTURE, SECOND, SECOND_FULL, REST } side;

typedef struct ss_gap_point {
    side side;
    double e, *q;
    double *given; /* nv: e d/h */
    ss_config at;
} ss_gap_point;

/* ---- from step to step --------------------------------------------------------------------------- */

int ss_increments_size(const ss_model *m) { return 2 + 2 * m->nv; }

ss_increments ss_increments_in(const ss_model *m, double *scheme_state)
{
    return (ss_increments){
        .h = scheme_state, .uneven = scheme_state + 1, .w = scheme_state + 2, .before = scheme_state + 2 + m->nv
    };
}

void ss_increments_note(ss_increments *past, const ss_model *m, double h, const double *before, const double *w)
{
    memcpy(past->before, before, (size_t)m->nv * sizeof *before);
    memcpy(past->w, w, (size_t)m->nv * sizeof *w);
    *past->uneven = *past->uneven != 0 || (*past->h > 0 && h != *past->h);
    *past->h = h;
}

double ss_increments_balanced(const ss_increments *past, double h) { return 0.5 * (h + *past->h); }

/* v . M v: a size of a velocity that does not depend on units */
void ss_increments_fastest(const ss_increments *past, const ss_blockdiag *M, double *v)
{
    for (int b = 0; b < M->blocks; b++) {
        bool before = ss_blockdiag_square(M, b, past->before) > ss_blockdiag_square(M, b, past->w);
        memcpy(v + M->offset[b], (before ? past->before : past->w) + M->offset[b], (size_t)M->size[b] * sizeof(double));
    }
}

double ss_reflection_energy(const ss_reflection *x, const ss_contact *c, const double *v, const double *w)
{
    const ss_model *m = x->s->model;
    double least = INFINITY;
    for (int i = 0; i < 2; i++) {
        const int body = c->at[i].body;
        if (ss_model_is_dynamic(m, body)) {
            const int block = m->body_block[body];
            least = fmin(least,
                         0.5 * (ss_blockdiag_square(x->substep.mass, block, v) + ss_blockdiag_square(x->substep.mass, block, w)));
        }
    }
    return least;
}

/* ---- which d ------------------------------------------------------------------------------------- */

/* What forces add to w, by how they are at the start; nothing where they are too stiff to be told from that. */
static ss_status find_change(ss_reflection *x)
{
    const ss_blockdiag *M = x->substep.mass;
    SS_TRY(ss_free_motion_find(x->free, x->substep.here, x->past.w, ss_increments_balanced(&x->past, x->substep.h)));
    memcpy(x->change, x->free->change, (size_t)M->n * sizeof(double));
    for (int b = 0; b < M->blocks; b++) {
        if (ss_blockdiag_square(M, b, x->change) >
            ss_blockdiag_square(M, b, x->past.w) + ss_blockdiag_square(M, b, x->past.before)) {
            memset(x->change + M->offset[b], 0, (size_t)M->size[b] * sizeof(double));
        }
    }
    return SS_OK;
}

static double touch(const ss_reflection *x, const ss_contact *c)
{
    return ss_stepper_touch(x->s) * ss_contact_unit(x->s->model, c);
}

static bool carried(const ss_reflection *x, const ss_contact *c)
{
    return c->id.kind != SS_CONTACT_MOTOR && ss_contact_cache_normal(&x->s->next->cache, &c->id) > 0;
}

static bool same_bodies(const ss_contact *a, const ss_contact *b)
{
    return a->at[0].body == b->at[0].body && a->at[1].body == b->at[1].body && a->id.kind == b->id.kind;
}

/* Was contact k pressed in the last step, itself or by another of the same two bodies that is no less open? Of contacts that
 * stand for each other one may have all of the impulse. */
static bool was_pressed(const ss_reflection *x, int k)
{
    const ss_contact *all = x->around->near.c, *c = &all[k];
    bool found = carried(x, c);
    for (int j = 0; !found && ss_contact_cache_find(&x->s->next->cache, SS_LEVEL_VELOCITY, &c->id) && j < x->around->near.n;
         j++) {
        found = same_bodies(&all[j], c) && x->around->gap[k] <= x->around->gap[j] + touch(x, c) && carried(x, &all[j]);
    }
    return found;
}

/* a gap that has been closed may be left at `touch` itself */
static bool is_closed(const ss_reflection *x, int k) { return x->around->gap[k] <= 2 * touch(x, &x->around->near.c[k]); }

/* Row of H_N at the start, and how fast the contact closed before the last step. */
static ss_status find_approach(ss_reflection *x, int k, double *speed)
{
    const ss_model *m = x->s->model;
    const ss_contact *c = &x->around->near.c[k];
    ss_contact_value value;
    double drive[3];
    int rows;
    ss_csr_reset(&x->row, m->nv);
    SS_TRY(ss_contact_eval(x->s->ctx, m, x->substep.here, c, &value));
    SS_TRY(ss_contact_rows(x->s->ctx, m, x->substep.here, c, &value, false, &x->row, drive, &rows));
    *speed = -(ss_csr_row_dot(&x->row, 0, x->past.before) + drive[0]);
    return SS_OK;
}

/* What a contact that was pressed does: leave at -e times the speed before, which forces reduce, or rest. Speeds that do not open
 * the gap by what counts as closed are round-off: it would tell one of two equal contacts to leave and the other one to close. */
static ss_status side_of_pressed(ss_reflection *x, int k, side *out)
{
    const ss_contact *c = &x->around->near.c[k];
    double approach;
    SS_TRY(find_approach(x, k, &approach));
    const double speed = c->e * approach, leaves = speed + ss_csr_row_dot(&x->row, 0, x->change);
    if (x->substep.h * leaves > touch(x, c)) {
        *out = SECOND;
    } else if (is_closed(x, k)) {
        *out = speed > 0 ? SECOND_FULL : REST;
    }
    return SS_OK;
}

static ss_status side_of(ss_reflection *x, int k, side *out)
{
    const ss_contact *c = &x->around->near.c[k];
    *out = x->future ? FUTURE : PAST;
    return x->future && c->e > 0 && was_pressed(x, k) ? side_of_pressed(x, k, out) : SS_OK;
}

/* Does this step end an impact with friction that the last one has begun? */
static ss_status find_second(ss_reflection *x, int k)
{
    const ss_contact *c = &x->around->near.c[k];
    double approach = 0;
    if (c->id.kind == SS_CONTACT_SHAPES && c->e > 0 && fmax(c->mu[0], c->mu[1]) > 0 && carried(x, c)) {
        SS_TRY(find_approach(x, k, &approach));
    }
    x->second[k] = *x->past.h * approach > 2 * touch(x, c);
    return SS_OK;
}

/* Contacts of two bodies stand next to each other. All of them have rows of one place: rows that depend on each other, as those
 * of the corners of a face, would else do so only nearly. */
static void find_held(ss_reflection *x)
{
    const ss_contact *c = x->around->near.c;
    for (int k = 0, end; k < x->around->near.n; k = end) {
        bool any = false;
        for (end = k; end < x->around->near.n && same_bodies(&c[k], &c[end]); end++) {
            any = any || carried(x, &c[end]);
        }
        for (int j = k; j < end; j++) {
            x->rows.held[j] = any && (c[j].e == 0 || x->substep.h * x->around->approach[j] <= 2 * touch(x, &c[j]));
        }
    }
}

/* ---- the places ---------------------------------------------------------------------------------- */

/* e d/h */
static double given_of(const ss_reflection *x, double e, side s, int i)
{
    switch (s) {
    case PAST:
        return -e * x->past.w[i];
    case FUTURE:
        return e * x->s->next->v[i];
    case SECOND:
        return e * x->past.before[i] - x->change[i];
    case SECOND_FULL:
        return e * x->past.before[i];
    case REST:
        break;
    }
    return 0;
}

static ss_status add_point(ss_reflection *x, double e, side s)
{
    const ss_model *m = x->s->model;
    ss_gap_point *p = &x->points.point[x->points.n++];
    p->e = e;
    p->side = s;
    SS_TRY(ss_arena_take(x->s->arena, (size_t)m->nq, sizeof(double), &p->q));
    SS_TRY(ss_arena_take(x->s->arena, (size_t)m->nv, sizeof(double), &p->given));
    for (int i = 0; i < m->nv; i++) {
        p->given[i] = given_of(x, e, s, i);
    }
    return ss_config_take(x->s->arena, m, &p->at);
}

static ss_status put_place(ss_reflection *x, int k)
{
    side s;
    int i = 0;
    SS_TRY(side_of(x, k, &s));
    double e = s == FUTURE && x->s->length.controlled ? 0 : x->around->near.c[k].e;
    while (i < x->points.n && (x->points.point[i].e != e || x->points.point[i].side != s)) {
        i++;
    }
    SS_TRY(i == x->points.n ? add_point(x, e, s) : SS_OK);
    x->points.of[k] = i;
    return SS_OK;
}

/* value less the dead zone: continuous, since a jump here would be one in the velocity */
static double beyond(double value, double dead) { return value > dead ? value - dead : fmin(value + dead, 0); }

static double target_of(const ss_reflection *x, int k)
{
    const ss_contact *c = &x->around->near.c[k];
    double start = x->around->gap[k];
    bool bounces = x->future && c->e > 0 && (start < 0 || x->points.point[x->points.of[k]].side >= SECOND);
    bool left = (c->e == 0 || *x->past.h == 0) && start < 0 && x->around->outside[k] <= 0;
    return bounces || left ? start : start - beyond(start, touch(x, c));
}

static ss_status take(ss_reflection *x)
{
    ss_arena *arena = x->s->arena;
    size_t n = (size_t)x->around->near.n, nv = (size_t)x->s->model->nv;
    SS_TRY(ss_arena_take(arena, n, sizeof *x->points.of, &x->points.of));
    SS_TRY(ss_arena_take(arena, n, sizeof *x->points.point,
                         &x->points.point)); /* as many as pairs of materials, times a few, at most */
    SS_TRY(ss_arena_take(arena, n, sizeof *x->y, &x->y));
    SS_TRY(ss_arena_take(arena, n, sizeof *x->y_target, &x->y_target));
    SS_TRY(ss_arena_take(arena, n, sizeof *x->second, &x->second));
    SS_TRY(ss_arena_take(arena, n, sizeof *x->rows.held, &x->rows.held));
    SS_TRY(ss_config_take(arena, x->s->model, &x->rows.start));
    SS_TRY(ss_active_take(&x->active, arena, x->around->near.n));
    SS_TRY(ss_arena_take(arena, nv, sizeof *x->change, &x->change));
    return ss_arena_take(arena, nv, sizeof *x->scratch, &x->scratch);
}

ss_status ss_reflection_create(ss_context *ctx, const ss_model *m, ss_reflection *x)
{
    return ss_free_motion_create(ctx, m, &x->free);
}

void ss_reflection_destroy(ss_context *ctx, ss_reflection *x)
{
    ss_csr_free(ctx, &x->row);
    ss_free_motion_destroy(x->free);
}

ss_status ss_reflection_begin(ss_reflection *x, ss_stepper *s, const ss_vicinity *around, const ss_increments *past,
                              const ss_reflection_step *substep)
{
    bool changes = *past->h > 0 && substep->h != *past->h;
    x->s = s;
    x->around = around;
    x->past = *past;
    x->substep = *substep;
    x->future = substep->future || s->length.controlled || *past->uneven != 0 || changes;
    x->points.n = 0;
    SS_TRY(take(x));
    ss_config_set(s->model, substep->t, substep->q, &x->rows.start);
    ss_config_drive(s->model, substep->t, substep->t + substep->h, &x->rows.start);
    SS_TRY(x->future ? find_change(x) : SS_OK);
    for (int k = 0; k < around->near.n; k++) {
        SS_TRY(put_place(x, k));
        x->y_target[k] = target_of(x, k);
        SS_TRY(find_second(x, k));
    }
    find_held(x);
    return SS_OK;
}

/* ---- impacts with friction ------------------------------------------------------------------------ */

void ss_reflection_give(const ss_reflection *x, ss_assembly *a, double *given)
{
    const ss_problem *p = &a->problem;
    ss_assembly_recall(a, &x->s->next->cache, SS_LEVEL_VELOCITY);
    for (int k = 0; k < p->nc; k++) {
        const int owner = p->law[k] == SS_LAW_ROLLING ? p->host[k] : k;
        for (int i = p->row[k]; i < p->row[k + 1]; i++) {
            given[i] = x->second[x->active.which[owner]] ? -a->solution.r[i] : 0;
        }
    }
}

bool ss_reflection_let_go(ss_reflection *x, const ss_assembly *a, const double *given)
{
    const ss_problem *p = &a->problem;
    bool any = false;
    for (int i = 0, j = 0; i < x->active.n && j < p->nc; i++) {
        const int k = x->active.which[i];
        if (ss_contact_id_compare(&a->contacts.c[j]->id, &x->around->near.c[k].id) == 0) {
            bool pulls = x->second[k] && a->solution.r[p->row[j]] + given[p->row[j]] < 0;
            x->second[k] = x->second[k] && !pulls;
            any = any || pulls;
            j++;
        }
    }
    return any;
}

/* ---- gaps ---------------------------------------------------------------------------------------- */

/* fraction of h over which driven bodies have moved at this point */
static double lead(const ss_gap_point *p)
{
    return p->side == PAST ? (1 - p->e) / (1 + p->e) : p->side == REST ? 1 / (1 + p->e) : 1;
}

static void go_to(ss_reflection *x, ss_gap_point *p, const double *w)
{
    const ss_model *m = x->s->model;
    const ss_reflection_step *s = &x->substep;
    for (int i = 0; i < m->nv; i++) {
        x->scratch[i] = s->h * (w[i] + p->given[i]) / (1 + p->e);
    }
    ss_model_retract(m, s->q, x->scratch, 1, p->q);
    ss_config_set(m, s->t + lead(p) * s->h, p->q, &p->at);
    ss_config_drive(m, s->t, s->t + s->h, &p->at);
}

static const ss_config *looked_at(const ss_reflection *x, int k) { return &x->points.point[x->points.of[k]].at; }

/* The motion foreseen does not bring its shapes together, and it is not in the second step of an impact. */
static bool is_missed(const ss_reflection *x, int k) { return x->around->passing->barred[k] && !isinf(x->around->slow[k]); }

/* At first what forces can close in two steps, and what touches, though round-off may have opened it; then what is violated. */
static bool belongs(const ss_reflection *x, int k, const ss_contact_value *value, bool first)
{
    const ss_contact *c = &x->around->near.c[k];
    const double margin = first ? x->substep.h * x->around->gain[k] + touch(x, c) : -touch(x, c);
    const bool there = value->outside <= 0 || ss_vicinity_has_passed(x->around, k, value);
    return c->id.kind == SS_CONTACT_MOTOR || (value->gap - x->y_target[k] < margin && there && !is_missed(x, k));
}

ss_status ss_reflection_look(ss_reflection *x, const double *w, bool first)
{
    for (int i = 0; i < x->points.n; i++) {
        go_to(x, &x->points.point[i], w);
    }
    for (int k = 0; k < x->around->near.n; k++) {
        ss_contact_value value;
        SS_TRY(ss_contact_eval(x->s->ctx, x->s->model, looked_at(x, k), &x->around->near.c[k], &value));
        x->y[k] = value.gap;
        x->active.has[k] = x->active.has[k] || belongs(x, k, &value, first);
    }
    ss_active_list(&x->active);
    return SS_OK;
}

double ss_reflection_error(const ss_reflection *x, const ss_assembly *a, uint64_t *branch)
{
    const ss_problem *p = &a->problem;
    double off = 0;
    for (int i = 0, j = 0; i < x->active.n; i++) {
        const int k = x->active.which[i];
        const ss_contact *c = &x->around->near.c[k];
        /* contacts that joined after the problem was posed are not in it */
        bool posed = j < p->nc && ss_contact_id_compare(&a->contacts.c[j]->id, &c->id) == 0;
        bool pressed = posed && a->solution.r[p->row[j]] > 0;
        j += posed;
        if (c->id.kind != SS_CONTACT_MOTOR) {
            double gap = (x->y[k] - x->y_target[k]) / ss_contact_unit(x->s->model, c), error = pressed ? fabs(gap) : -gap;
            off = ss_worse(off, error);
            *branch = ss_hash(*branch, &pressed, sizeof pressed);
        }
    }
    return off;
}

const ss_config *ss_reflection_rows_at(const ss_reflection *x, int k)
{
    return x->rows.held[k] ? &x->rows.start : looked_at(x, k);
}

bool ss_reflection_free_rows(ss_reflection *x)
{
    bool any = false;
    for (int k = 0; k < x->around->near.n; k++) {
        any = any || x->rows.held[k];
        x->rows.held[k] = false;
    }
    return any;
}

ss_status ss_reflection_mean_slip(const ss_reflection *x, ss_assembly *a, int k, const double *w0)
{
    const int row = a->problem.row[k], rows = a->problem.row[k + 1] - row, near = x->active.which[k];
    const double there = x->rows.held[near] ? 0 : lead(&x->points.point[x->points.of[near]]),
                 after = (there - 0.5) * x->substep.h;
    double rate[3] = { 0, 0, 0 };
    SS_TRY(rows == 1 ? SS_OK
                     : ss_contact_acceleration(x->s->ctx, x->s->model, ss_reflection_rows_at(x, near), a->contacts.c[k],
                                               a->value[k], w0, rows, rate));
    for (int i = 1; i < rows; i++) {
        a->problem.w[row + i] -= after * rate[i];
    }
    return SS_OK;
}

/* In parts: the gap at the start, what d and driven bodies do to it, and what the turning of rows adds by w0. */
double ss_reflection_offset(const ss_reflection *x, int k, const ss_csr *H, int row, double drive, const double *w0,
                            double rounding)
{
    const ss_gap_point *p = &x->points.point[x->points.of[k]];
    double far = x->substep.h / (1 + p->e), start = x->around->gap[k];
    double given = ss_csr_row_dot(H, row, p->given) + lead(p) * (1 + p->e) * drive;
    double turned = x->y[k] - start - far * (ss_csr_row_dot(H, row, w0) + given);
    double unit = ss_contact_unit(x->s->model, &x->around->near.c[k]);
    return given + (start - x->y_target[k] + beyond(turned, rounding * unit)) / far;
}

static bool begins(const ss_reflection *x, int k)
{
    return x->points.point[x->points.of[k]].side == FUTURE && x->around->near.c[k].e > 0 && !is_closed(x, k);
}

ss_status ss_reflection_carrying(const ss_reflection *x, const ss_assembly *a, int **which, int *n)
{
    const ss_problem *p = &a->problem;
    *n = 0;
    SS_TRY(ss_arena_take(x->s->arena, (size_t)p->nc, sizeof **which, which));
    for (int k = 0; k < x->active.n; k++) { /* moments follow their hosts */
        bool pressed = a->solution.r[p->row[k]] > 0 && !begins(x, x->active.which[k]);
        if (pressed || p->law[k] == SS_LAW_BOUNDED) {
            (*which)[(*n)++] = k;
        }
    }
    return SS_OK;
}
