/* schatzman_paoli.c - the time stepping of Schatzman and Paoli: contact at position level, impacts by Newton's law over two
 * steps, no event is located.
 *
 *     M (w' - w) = hb F + G' lam + H' P,     q' = q (+) h w',  q = q- (+) h- w,   hb = (h + h-)/2          [Aca09 eq. 22a]
 *     0 <= y_i  _|_  P_i >= 0,   y_i = g_i(q (+) (h w' + e_i d)/(1 + e_i)),   d = q- (-) q = -h w          [Aca09 eq. 22c, 24]
 *     P_T by Coulomb's law with H_T w';   joints: g(q') = 0;   motors: G w' as they ask
 *     M (v' - w') = h/2 F + G' mu + H' R,    G v' = 0,  0 <= H v'  _|_  R >= 0 where P > 0, at q'          for (22b)
 *
 * w is the mean velocity of a step. Momentum is balanced between the middles of two steps, for which forces act: those of a
 * theta method on [t - h-/2, t + h/2] (impulses.c), with theta = 1/2 and equal steps at (q- + 2 q + q')/4, (w + w')/2. At the
 * start h- = 0: w is the velocity of the scene, and forces act for half a step. v', the velocity of the state, is the one at
 * t + h: w' and half a step more of what acts. Nothing depends on it but what is said under Future.
 *
 * Every iteration of Newton's method poses a contact problem: u_N = H w' + (1 + e) y0/h - H w0', H and y0 taken at w0'; G at q
 * with c = G w0' - g(q')/h. It ends when closed gaps are closed and the joints fit at q'; where it does not, the step is cut in
 * halves.
 *
 * Future       With `reflect` = future, under step control, and from the first change of the step on, d = h v: an impact turns
 * the gap that would come into -e times itself, and the step after it leaves with w' = -e v + what forces do in it, for steps of
 *              any lengths. With d = -h w that would need equal steps: the impact ends at g(q') = -e g(q-), an overlap
 *              of the size of the step before, which a shorter one would have to undo at once.
 *              Under step control the first step of an impact ends where the gap is closed, with the velocity before it: so how
 * far it went too far can be seen (sim/closing.c). Deviations   (22b) has v' = (w + w')/2, the velocity of t in place of t + h.
 * The change between w and v is an entry of the ledger (`scheme`) that is taken back when the next step begins. M and G are taken
 * at q, in the middle of the balance, not at q': order 2, and joints neither give nor take energy on the average (SHAKE). A
 * combination of positions is one in the tangent space at q; that of two times is taken for driven bodies. Rows of a body that
 * turns are those of its frame at y, without the tangent map of exp: off by O(h), as H is within a step. Joints and friction are
 * not in the paper. Where positions have no solution (a body wedged in), nothing is pushed back. Overlap      None for e = 0.
 * Otherwise -e g(q-) with `reflect` = past; O(h^2) with future. Order        1 in l1, for positions and velocities, none in the
 * largest error of the velocity; with e near 1 and impacts that accumulate it shows late, hence 0.75 below. 2 while motion is
 * smooth and contacts are flat. Cost         two problems per step with contacts, of which one is for v'; some more where
 * something turns or forces are nonlinear. Without contacts a few linear systems */
#include "kernels/impulses.h"
#include "kernels/theta.h"
#include "kernels/vicinity.h"
#include "math/newton.h"
#include <float.h>
#include <math.h>

enum { REFLECT_PAST, REFLECT_FUTURE };
enum { CONE_POLYHEDRAL, CONE_CIRCULAR };
enum { LOOKS = 12 };
static const double FITS =
    1e-14; /* of a unit, as in projection.c: an answer that stopped earlier would depend on where it stopped */
static const double GAPS = 100;  /* the same for gaps: a problem is solved no better where masses differ by much */
static const double STALL = 1e4; /* tolerances: where rounding may end the iteration */

typedef struct paoli_params {
    double theta;
    int reflect, cone, directions, iterations;
} paoli_params;

static const ss_field fields[] = {
    SS_OPTION_NUMBER(paoli_params, theta, 0.5, 0.5, 1,
                     "where forces are taken between the middles of two steps; 0.5: centred, 1: damps what is stiff"),
    SS_OPTION_CHOICE(paoli_params, reflect, REFLECT_PAST, "past|future",
                     "gap that an impact turns into -e times itself: the one before, or the one that would come; where "
                     "steps change always the latter"),
    SS_OPTION_CHOICE(paoli_params, cone, CONE_POLYHEDRAL, "polyhedral|circular", "friction cone"),
    SS_OPTION_INT(paoli_params, directions, 8, 4, 60, "edges of the friction polygon in 3D, even (2D: always 2)"),
    SS_OPTION_INT(paoli_params, iterations, 30, 1, 1000, "Newton iterations before the step is cut in halves"),
    SS_FIELD_END,
};

/* Which d a contact has: that of (22c); with `reflect` = future what would come in this step, in the second step of an impact
 * what would have come in the first, less what forces do meanwhile unless they would hold it down, and none where it rests. */
typedef enum paoli_side { PAST, FUTURE, SECOND, SECOND_FULL, REST } paoli_side;

/* A place q (+) (h w' + e d)/(1 + e), for all contacts with this e and d. */
typedef struct paoli_place {
    double e, *q;
    double *given; /* nv: e d/h */
    paoli_side side;
    ss_config at;
} paoli_place;

/* What is kept from step to step. */
typedef struct paoli_past {
    double *h;      /* of the last step; 0: there is none                       */
    double *uneven; /* not 0: steps have changed                                */
    double *w;      /* nv: velocity of the last step                            */
    double *before; /* nv: velocity of the state at its start                   */
} paoli_past;

typedef struct paoli {
    ss_context *ctx;
    const paoli_params *p;
    ss_stepper *s; /* of the step under way                                     */
    ss_vicinity *around;
    ss_assembly *a; /* the problem of the stretch                               */
    ss_assembly *b; /* that of the velocity at its end                          */
    ss_impulses *forces;
    ss_memory latest;       /* of contacts: where the next problem starts       */
    ss_csr G_end;           /* joints at q'                                     */
    ss_csr row;             /* of one contact                                   */
    double *g_end, *unused; /* nj, 2 nj                                         */

    paoli_past past;
    double t, h, *q, *w; /* where the stretch starts: the state being built; its length */
    double fits;         /* FITS, or the rounding of positions where that is more */
    double acted;        /* how long forces did, in the last stretch                    */
    bool future;         /* impacts reflect what would come                              */
    double *change;      /* nv: of the velocity, by forces alone                        */
    ss_blockdiag mass;   /* M(t, q)                                                     */
    double *q_end, *q_middle, *w_end;
    ss_config here, end;
    paoli_place *place;
    int places;
    int *place_of; /* of the contacts near                                      */
    double *gap;   /* y of them, at the velocity looked at last                 */
    bool *is_active;
    int *active, active_count;
    ss_newton_result newton;
    double rest;   /* of the forces: how far they are from those of the problem */
    bool relaxed;  /* positions have had no solution: nothing is pushed back    */
    bool solved;   /* a problem has been, on this stretch                       */
    bool fresh;    /* nothing has been looked at since                          */
    bool straight; /* what was looked at last is its solution, and for the first time */
} paoli;

/* ---- life ---------------------------------------------------------------------------------------- */

static ss_friction friction_of(const paoli_params *p)
{
    return (ss_friction){ p->cone == CONE_CIRCULAR ? SS_LAW_COULOMB : SS_LAW_POLYHEDRAL, p->directions };
}

static ss_status check_laws(const ss_stepper *s, const paoli_params *p)
{
    const ss_model *m = s->model;
    for (int i = 0; i < m->materials * m->materials; i++) {
        if (m->pair[i].impact == SS_IMPACT_POISSON) {
            return ss_fail(s->ctx, SS_ERR_UNSUPPORTED, "scheme: a pair asks for Poisson's impact law, this scheme has Newton's");
        }
    }
    return ss_friction_check(s, friction_of(p));
}

static void destroy(ss_context *ctx, void *work)
{
    paoli *x = work;
    if (x) {
        ss_vicinity_destroy(ctx, x->around);
        ss_assembly_destroy(ctx, x->a);
        ss_assembly_destroy(ctx, x->b);
        ss_impulses_destroy(x->forces);
        ss_memory_free(ctx, &x->latest);
        ss_csr_free(ctx, &x->G_end);
        ss_csr_free(ctx, &x->row);
        ss_free(ctx, x);
    }
}

/* a failure leaves what has been made to `destroy` */
static ss_status create(ss_stepper *s, void **work, double *block)
{
    paoli *x;
    (void)block; /* zero: there is no past */
    SS_TRY(check_laws(s, s->params));
    SS_TRY(ss_calloc(s->ctx, 1, sizeof *x, &x));
    *work = x;
    x->ctx = s->ctx;
    x->p = s->params;
    SS_TRY(ss_vicinity_create(s->ctx, s->model, &x->around));
    SS_TRY(ss_assembly_create(s->ctx, s->model, &x->a));
    SS_TRY(ss_assembly_create(s->ctx, s->model, &x->b));
    SS_TRY(ss_impulses_create(s->ctx, s->model, &x->forces));
    x->a->redundant = x->b->redundant = x->around->redundant;
    return SS_OK;
}

static int block_size(const ss_model *m, const void *params)
{
    (void)params;
    return 2 + 2 * m->nv;
}

static ss_status begin(paoli *x, ss_stepper *s)
{
    const ss_model *m = s->model;
    size_t nq = (size_t)m->nq, nv = (size_t)m->nv, nj = (size_t)m->nj;
    x->s = s;
    x->t = s->now->t;
    x->q = s->next->q;
    x->past.h = s->next->block;
    x->past.uneven = x->past.h + 1;
    x->past.w = x->w = x->past.uneven + 1;
    x->past.before = x->past.w + m->nv;
    SS_TRY(ss_arena_take(s->arena, nq, sizeof(double), &x->q_end));
    SS_TRY(ss_arena_take(s->arena, nq, sizeof(double), &x->q_middle));
    SS_TRY(ss_arena_take(s->arena, nv, sizeof(double), &x->w_end));
    SS_TRY(ss_arena_take(s->arena, nv, sizeof(double), &x->change));
    x->mass = m->mass;
    SS_TRY(ss_arena_take(s->arena, ss_model_mass_size(m), sizeof(double), &x->mass.x));
    SS_TRY(ss_arena_take(s->arena, nj, sizeof(double), &x->g_end));
    SS_TRY(ss_arena_take(s->arena, 2 * nj, sizeof(double), &x->unused));
    SS_TRY(ss_config_take(s->arena, m, &x->here));
    return ss_config_take(s->arena, m, &x->end);
}

/* ---- what is near -------------------------------------------------------------------------------- */

/* v . M v of one block: sizes of velocities that do not depend on units */
static double square_of(const ss_blockdiag *M, int block, const double *v)
{
    const double *m = M->x + M->start[block];
    int n = M->size[block];
    double s = 0;
    for (int i = 0; i < n * n; i++) {
        s += v[M->offset[block] + i / n] * m[i] * v[M->offset[block] + i % n];
    }
    return s;
}

/* In the middle of an impact a body is slow; its contact is as far away as the velocity and the step before have brought it. */
static const double *fastest(paoli *x)
{
    const ss_blockdiag *M = &x->mass;
    for (int b = 0; b < M->blocks; b++) {
        bool before = square_of(M, b, x->past.before) > square_of(M, b, x->w);
        memcpy(x->w_end + M->offset[b], (before ? x->past.before : x->w) + M->offset[b], (size_t)M->size[b] * sizeof(double));
    }
    return x->w_end;
}

static ss_status survey(paoli *x, double h)
{
    const ss_model *m = x->s->model;
    ss_config_set(m, x->t, x->q, &x->here);
    ss_config_drive(m, x->t, x->t + h, &x->here);
    ss_model_mass(m, x->t, x->q, x->mass.x);
    x->fits = FITS;
    for (int b = 0; b < m->bodies; b++) {
        x->fits = fmax(x->fits, 8 * DBL_EPSILON * ss_norm(x->here.frame[b].p) / m->length);
    }
    SS_TRY(ss_vicinity_survey(x->around, x->s, &x->here, fastest(x), fmax(h, *x->past.h), 0));
    size_t n = (size_t)x->around->near.n;
    SS_TRY(ss_arena_take(x->s->arena, n, sizeof *x->place_of, &x->place_of));
    SS_TRY(ss_arena_take(x->s->arena, n, sizeof *x->gap, &x->gap));
    SS_TRY(ss_arena_take(x->s->arena, n, sizeof *x->active, &x->active));
    return ss_arena_take(x->s->arena, n, sizeof *x->is_active, &x->is_active);
}

/* for which forces act */
static double balanced_time(const paoli *x) { return 0.5 * (x->h + *x->past.h); }

/* ---- the past ------------------------------------------------------------------------------------ */

static bool was_pressed(const paoli *x, const ss_contact *c)
{
    const ss_memory_entry *entry = ss_memory_find(&x->s->next->memory, &c->id);
    return c->id.kind != SS_CONTACT_MOTOR && entry && entry->scalar > 0;
}

/* a gap that has been closed may be left at `touch` itself */
static bool is_closed(const paoli *x, int k)
{
    return x->around->gap[k] <= 2 * ss_theta_touch(x->s) * ss_contact_unit(x->s->model, &x->around->near.c[k]);
}

/* What a contact that was pressed does: leave at -e times the speed before, which forces reduce, or rest. */
static ss_status side_of_pressed(paoli *x, int k, paoli_side *side)
{
    const ss_contact *c = &x->around->near.c[k];
    ss_contact_value value;
    double drive[3];
    int rows;
    ss_csr_reset(&x->row, x->s->model->nv);
    ss_contact_eval(x->s->model, &x->here, c, &value);
    SS_TRY(ss_contact_rows(x->ctx, x->s->model, &x->here, c, &value, false, &x->row, drive, &rows));
    double speed = -c->e * (ss_csr_row_dot(&x->row, 0, x->past.before) + drive[0]);
    if (speed + ss_csr_row_dot(&x->row, 0, x->change) > 0) {
        *side = SECOND;
    } else if (is_closed(x, k)) {
        *side = speed > 0 ? SECOND_FULL : REST;
    }
    return SS_OK;
}

static ss_status side_of(paoli *x, int k, paoli_side *side)
{
    const ss_contact *c = &x->around->near.c[k];
    *side = x->future ? FUTURE : PAST;
    return x->future && c->e > 0 && was_pressed(x, c) ? side_of_pressed(x, k, side) : SS_OK;
}

static void look_back(paoli *x)
{
    const paoli_past *past = &x->past;
    bool changes = *past->h > 0 && x->h != *past->h;
    x->future = x->p->reflect == REFLECT_FUTURE || x->s->controlled || *past->uneven != 0 || changes;
}

/* What forces add to w, by how they are at the start; nothing where they are too stiff to be told from that. */
static ss_status free_change(paoli *x)
{
    const ss_model *m = x->s->model;
    const ss_blockdiag *M = &x->mass;
    double *factor, *force;
    SS_TRY(ss_arena_take(x->s->arena, ss_model_mass_size(m), sizeof(double), &factor));
    SS_TRY(ss_arena_take(x->s->arena, (size_t)m->nv * SS_FORCE_CLASSES, sizeof(double), &force));
    ss_model_forces(m, &x->here, x->w, force);
    SS_TRY(ss_blockdiag_factor(x->ctx, M, factor));
    memset(x->change, 0, (size_t)m->nv * sizeof(double));
    for (int i = 0; i < m->nv * SS_FORCE_CLASSES; i++) {
        x->change[i % m->nv] += balanced_time(x) * force[i];
    }
    ss_blockdiag_solve(M, factor, x->change);
    for (int b = 0; b < M->blocks; b++) {
        if (square_of(M, b, x->change) > square_of(M, b, x->w) + square_of(M, b, x->past.before)) {
            memset(x->change + M->offset[b], 0, (size_t)M->size[b] * sizeof(double));
        }
    }
    return SS_OK;
}

static double given_of(const paoli *x, double e, paoli_side side, int i)
{
    switch (side) {
    case PAST:
        return -e * x->w[i];
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

static ss_status add_place(paoli *x, double e, paoli_side side)
{
    const ss_model *m = x->s->model;
    paoli_place *p = &x->place[x->places++];
    p->e = e;
    p->side = side;
    SS_TRY(ss_arena_take(x->s->arena, (size_t)m->nq, sizeof(double), &p->q));
    SS_TRY(ss_arena_take(x->s->arena, (size_t)m->nv, sizeof(double), &p->given));
    for (int i = 0; i < m->nv; i++) {
        p->given[i] = given_of(x, e, side, i);
    }
    return ss_config_take(x->s->arena, m, &p->at);
}

/* One place for every e, or a few; there are as many as pairs of materials at most. Under step control the first step of an
 * impact ends where the gap is closed: that is seen, and how far the step went too far is an error to be estimated. */
static ss_status make_places(paoli *x)
{
    const ss_contact_set *near = &x->around->near;
    x->places = 0;
    SS_TRY(ss_arena_take(x->s->arena, (size_t)near->n, sizeof *x->place, &x->place));
    for (int k = 0; k < near->n; k++) {
        paoli_side side;
        int i = 0;
        SS_TRY(side_of(x, k, &side));
        double e = side == FUTURE && x->s->controlled ? 0 : near->c[k].e;
        while (i < x->places && (x->place[i].e != e || x->place[i].side != side)) {
            i++;
        }
        SS_TRY(i == x->places ? add_place(x, e, side) : SS_OK);
        x->place_of[k] = i;
    }
    return SS_OK;
}

/* part of h by which what is driven moves until this place */
static double lead(const paoli_place *p)
{
    return p->side == PAST ? (1 - p->e) / (1 + p->e) : p->side == REST ? 1 / (1 + p->e) : 1;
}

/* ---- how far off a velocity is ------------------------------------------------------------------- */

/* q' and the places between it and q- */
static void go_to(paoli *x, const double *w)
{
    const ss_model *m = x->s->model;
    ss_model_retract(m, x->q, w, x->h, x->q_end);
    ss_config_set(m, x->t + x->h, x->q_end, &x->end);
    for (int k = 0; k < x->places; k++) {
        paoli_place *p = &x->place[k];
        for (int i = 0; i < m->nv; i++) {
            x->w_end[i] = x->h * (w[i] + p->given[i]) / (1 + p->e);
        }
        ss_model_retract(m, x->q, x->w_end, 1, p->q);
        ss_config_set(m, x->t + lead(p) * x->h, p->q, &p->at);
        ss_config_drive(m, x->t, x->t + x->h, &p->at);
    }
}

/* in units of a gap */
static double touch(const paoli *x) { return ss_theta_touch(x->s); }

/* without a jump where it begins: that would be one in the velocity */
static double beyond(double value, double dead) { return value > dead ? value - dead : fmin(value + dead, 0); }

/* Where y of a contact that touches is to be. A gap below `touch` at the start stays as it is: what rests poses the same problem
 * in every step, and what is wedged in is not asked for what cannot be. With `future` so do overlaps: a step is not
 * asked to undo what a longer one has left. */
static double rest_gap(const paoli *x, int k)
{
    const ss_contact *c = &x->around->near.c[k];
    double start = x->around->gap[k];
    bool stays = x->future && c->e > 0 && (start < 0 || x->place[x->place_of[k]].side >= SECOND);
    return stays ? start : start - beyond(start, touch(x) * ss_contact_unit(x->s->model, c));
}

/* Overlaps there join; on the first look also what comes as near as forces may change it. */
static bool belongs(const paoli *x, int k, const ss_contact_value *value)
{
    const ss_contact *c = &x->around->near.c[k];
    double margin = x->solved ? -touch(x) * ss_contact_unit(x->s->model, c) : x->h * x->around->gain[k];
    return c->id.kind == SS_CONTACT_MOTOR || (value->gap - rest_gap(x, k) < margin && value->outside <= 0);
}

static void look_for_more(paoli *x)
{
    const ss_contact_set *near = &x->around->near;
    x->active_count = 0;
    for (int k = 0; k < near->n; k++) {
        ss_contact_value value;
        ss_contact_eval(x->s->model, &x->place[x->place_of[k]].at, &near->c[k], &value);
        x->gap[k] = value.gap;
        x->is_active[k] = x->is_active[k] || belongs(x, k, &value);
        if (x->is_active[k]) {
            x->active[x->active_count++] = k;
        }
    }
}

/* Largest overlap, or distance of what is pressed, in units of the gap; *branch: which ones are pressed. */
static double contact_error(const paoli *x, uint64_t *branch)
{
    const ss_problem *p = &x->a->problem;
    double off = 0;
    for (int i = 0, k = 0; i < x->active_count; i++) {
        const ss_contact *c = &x->around->near.c[x->active[i]];
        bool posed = k < p->nc && ss_contact_id_compare(&x->a->contacts.c[k].id, &c->id) == 0;
        bool pressed = posed && x->a->solution.r[p->row[k]] > 0;
        k += posed;
        if (c->id.kind != SS_CONTACT_MOTOR) {
            double gap = (x->gap[x->active[i]] - rest_gap(x, x->active[i])) / ss_contact_unit(x->s->model, c);
            off = fmax(off, pressed ? fabs(gap) : -gap);
            *branch = ss_hash(*branch, &pressed, sizeof pressed);
        }
    }
    return x->relaxed ? 0 : off;
}

static bool is_position_row(const paoli *x, int i)
{
    return !x->s->model->row_motor[i] && !(x->a->redundant && x->a->redundant[i]);
}

static double joint_error(const paoli *x)
{
    double off = 0;
    for (int i = 0; i < x->s->model->nj; i++) {
        off = is_position_row(x, i) ? fmax(off, fabs(x->g_end[i]) / x->s->model->row_unit[i]) : off;
    }
    return off;
}

static ss_status measure(void *user, const double *w, double *off, uint64_t *branch)
{
    paoli *x = user;
    const ss_model *m = x->s->model;
    go_to(x, w);
    SS_TRY(ss_model_joints(x->ctx, m, &x->end, x->g_end, &x->G_end, x->unused, x->unused + m->nj));
    look_for_more(x);
    x->straight = x->fresh && memcmp(w, x->a->solution.v, (size_t)m->nv * sizeof *w) == 0;
    x->fresh = false;
    *branch = 0;
    *off = DBL_MAX;
    if (x->solved) {
        double apart = fmax(contact_error(x, branch) / GAPS, joint_error(x));
        SS_TRY(ss_impulses_update(x->forces, x->a, w, &x->rest));
        *off = fmax(x->rest, x->s->tol * apart / x->fits);
    }
    return SS_OK;
}

/* ---- the problem --------------------------------------------------------------------------------- */

/* rows of every contact at its own place */
static ss_status put_rows(paoli *x)
{
    ss_assembly *a = x->a;
    ss_problem *p = &a->problem;
    int rows;
    ss_csr_reset(&p->H, x->s->model->nv);
    for (int k = 0; k < p->nc; k++) {
        const ss_contact *c = &a->contacts.c[k];
        const ss_config *at = c->id.kind == SS_CONTACT_MOTOR ? &x->here : &x->place[x->place_of[x->active[k]]].at;
        double *drive = a->w_drive + p->row[k];
        ss_contact_eval(x->s->model, at, c, &a->value[k]);
        SS_TRY(ss_contact_rows(x->ctx, x->s->model, at, c, &a->value[k], true, &p->H, drive, &rows));
        memcpy(p->w + p->row[k], drive, (size_t)rows * sizeof(double));
    }
    return SS_OK;
}

/* (1 + e) y0/h - H w0' in parts: the gap at the start, what d and driven bodies do to it, and what the turning of rows adds by
 * w0', but for its rounding. */
static double offset(const paoli *x, int k, const double *w0)
{
    const ss_assembly *a = x->a;
    const ss_contact *c = &a->contacts.c[k];
    int row = a->problem.row[k];
    const paoli_place *p = &x->place[x->place_of[x->active[k]]];
    double far = x->h / (1 + p->e), start = x->around->gap[x->active[k]], unit = ss_contact_unit(x->s->model, c);
    double given = ss_csr_row_dot(&a->problem.H, row, p->given) + lead(p) * (1 + p->e) * a->w_drive[row];
    double turned = a->value[k].gap - start - far * (ss_csr_row_dot(&a->problem.H, row, w0) + given);
    return given + (start - rest_gap(x, x->active[k]) + beyond(turned, 0.5 * x->fits * unit)) / far;
}

static void put_gaps(paoli *x, const double *w0)
{
    const ss_assembly *a = x->a;
    for (int k = 0; k < a->problem.nc; k++) {
        if (a->contacts.c[k].id.kind != SS_CONTACT_MOTOR) {
            a->problem.w[a->problem.row[k]] = offset(x, k, w0);
        }
    }
}

static void put_joints(paoli *x, const double *w0)
{
    ss_problem *p = &x->a->problem;
    for (int i = 0; i < p->nj; i++) {
        p->c[i] = is_position_row(x, i) ? ss_csr_row_dot(&p->G, i, w0) - x->g_end[i] / x->h : p->c[i];
    }
}

static ss_status pose(paoli *x, const double *w0)
{
    SS_TRY(
        ss_assembly_geometry(x->a, &x->here, &x->around->near, x->active_count, x->active, friction_of(x->p), balanced_time(x)));
    SS_TRY(put_rows(x));
    put_gaps(x, w0);
    put_joints(x, w0);
    ss_assembly_recall(x->a, &x->latest);
    return ss_impulses_linearise(x->forces, x->a);
}

/* Nothing is pushed back, nothing approaches: that always has a solution [AP97 Theorem 2.1]. */
static void relax(paoli *x)
{
    const ss_assembly *a = x->a;
    for (int k = 0; k < a->problem.nc; k++) {
        int row = a->problem.row[k];
        a->problem.w[row] = fmax(a->problem.w[row], a->w_drive[row]);
    }
}

/* Without contacts it is a linear system, and iterating it is Newton's work: of these one a stretch counts as a problem. */
static ss_status solve_once(paoli *x, ss_assembly *a, int fallbacks)
{
    if (a->problem.nc > 0 || !x->solved) {
        return ss_assembly_solve(a, x->s, x->w, fallbacks);
    }
    a->problem.v_old = x->w;
    a->info = (ss_solver_info){ 0 };
    return ss_solver_solve(x->s->solver, &a->problem, &a->solution, &a->info);
}

static bool has_none(const ss_assembly *a)
{
    ss_outcome o = a->info.outcome;
    return o == SS_INFEASIBLE || o == SS_RAY || o == SS_BREAKDOWN;
}

static ss_status improve(void *user, const double *w, double *target, bool *found)
{
    paoli *x = user;
    SS_TRY(pose(x, w));
    if (!x->relaxed) {
        SS_TRY(solve_once(x, x->a, 0));
        x->relaxed = x->a->problem.nc > 0 && has_none(x->a);
        x->a->solution.warm = x->a->solution.warm && !x->relaxed;
    }
    if (x->relaxed) {
        relax(x);
        SS_TRY(solve_once(x, x->a, 1));
    }
    x->solved = x->fresh = true;
    x->straight = false;
    *found = !has_none(x->a);
    memcpy(target, x->a->solution.v, (size_t)x->s->model->nv * sizeof *target);
    return *found ? ss_assembly_remember(x->a, &x->latest) : SS_OK;
}

/* ---- the velocity of the state ------------------------------------------------------------------- */

/* With `future` the first step of an impact, from an open gap, has still the velocity before it. */
static bool begins(const paoli *x, int k)
{
    const paoli_place *p = &x->place[x->place_of[k]];
    return p->side == FUTURE && x->around->near.c[k].e > 0 && !is_closed(x, k);
}

/* contacts that have been pressed, and motors */
static ss_status find_carrying(const paoli *x, int **which, int *n)
{
    const ss_problem *p = &x->a->problem;
    *n = 0;
    SS_TRY(ss_arena_take(x->s->arena, (size_t)p->nc, sizeof **which, which));
    for (int k = 0; k < p->nc; k++) {
        if (p->law[k] == SS_LAW_BOUNDED || (x->a->solution.r[p->row[k]] > 0 && !begins(x, x->active[k]))) {
            (*which)[(*n)++] = k;
        }
    }
    return SS_OK;
}

/* half of the last stretch, of the time for which impulses of its balance acted */
static double half_kick(const paoli *x) { return 0.5 * x->h / x->acted; }

/* M w + what the forces of the last balance give in half of the last stretch */
static void put_half_kick(paoli *x)
{
    const double *impulse = ss_impulses_by_class(x->forces);
    ss_problem *p = &x->b->problem;
    ss_assembly_momentum(x->b, x->w, NULL);
    for (int i = 0; i < p->nv * SS_FORCE_CLASSES; i++) {
        p->b[i % p->nv] += half_kick(x) * impulse[i];
    }
}

static ss_status find_velocity(paoli *x, double *v)
{
    const ss_model *m = x->s->model;
    int *which, n;
    SS_TRY(find_carrying(x, &which, &n));
    ss_config_set(m, x->t, x->q, &x->end);
    ss_config_drive(m, x->t, x->t, &x->end);
    SS_TRY(ss_assembly_geometry(x->b, &x->end, &x->a->contacts, n, which, friction_of(x->p), 0.5 * x->h));
    put_half_kick(x);
    ss_assembly_recall(x->b, &x->s->next->memory);
    for (int i = 0; i < x->b->problem.row[n]; i++) {
        x->b->solution.r[i] *= half_kick(x); /* what rests is carried by that part */
    }
    SS_TRY(solve_once(x, x->b, 0));
    memcpy(v, has_none(x->b) ? x->w : x->b->solution.v, (size_t)m->nv * sizeof *v);
    return SS_OK;
}

/* from one of the two velocities to the other */
static ss_status report_change(const paoli *x, const double *from, const double *to)
{
    const ss_model *m = x->s->model;
    ss_blockdiag mass = m->mass;
    double *impulse;
    SS_TRY(ss_arena_take(x->s->arena, ss_model_mass_size(m), sizeof(double), &mass.x));
    SS_TRY(ss_arena_take(x->s->arena, (size_t)m->nv, sizeof *impulse, &impulse));
    ss_model_mass(m, x->t, x->q, mass.x);
    for (int i = 0; i < m->nv; i++) {
        x->w_end[i] = to[i] - from[i];
    }
    ss_blockdiag_times(&mass, x->w_end, impulse);
    ss_segment jump = { .t0 = x->t,
                        .t1 = x->t,
                        .level = SS_LEVEL_VELOCITY,
                        .q0 = x->q,
                        .v0 = from,
                        .q1 = x->q,
                        .v1 = to,
                        .mass = &mass,
                        .impulse[SS_IMPULSE_SCHEME] = impulse };
    return x->s->report->segment(x->s->report, &jump);
}

/* ---- a stretch ----------------------------------------------------------------------------------- */

/* Forces between the middles of two steps. In the first half step they are those of its end: with any other theta a spring that
 * the step does not resolve would throw q' far beyond its amplitude. */
static ss_status begin_forces(paoli *x)
{
    double before = *x->past.h;
    ss_interval middles = {
        .t = x->t - 0.5 * before, .h = balanced_time(x), .theta = before > 0 ? x->p->theta : 1, .q = x->q_middle, .v = x->w
    };
    ss_model_retract(x->s->model, x->q, x->w, -0.5 * before, x->q_middle);
    return ss_impulses_begin(x->forces, x->s, &middles);
}

/* Newton's method over h, from the velocity of the start */
static ss_status solve(paoli *x, double h)
{
    const ss_model *m = x->s->model;
    ss_newton_problem problem = { .n = m->nv, .user = x, .measure = measure, .improve = improve };
    ss_newton_options options = { .tol = x->s->tol, .stall = STALL * x->s->tol, .iterations = x->p->iterations };
    double *w;
    x->h = h;
    x->relaxed = x->solved = x->fresh = x->straight = false;
    x->active_count = 0;
    memset(x->is_active, 0, (size_t)x->around->near.n * sizeof *x->is_active);
    SS_TRY(ss_arena_take(x->s->arena, (size_t)m->nv, sizeof *w, &w));
    memcpy(w, x->w, (size_t)m->nv * sizeof *w);
    look_back(x);
    SS_TRY(begin_forces(x));
    SS_TRY(x->future ? free_change(x) : SS_OK);
    SS_TRY(make_places(x));
    SS_TRY(ss_memory_copy(x->ctx, &x->s->next->memory, &x->latest));
    SS_TRY(ss_newton(x->s->arena, &problem, &options, w, &x->newton));
    x->s->report->newton(x->s->report, x->newton.iterations);
    if (!x->straight && !has_none(x->a)) { /* what is reported is a problem and its solution */
        uint64_t branch;
        bool found;
        SS_TRY(improve(x, w, w, &found));
        SS_TRY(found ? measure(x, w, &x->newton.off, &branch) : SS_OK);
        x->newton.converged = found && x->newton.off <= options.stall;
    }
    return SS_OK;
}

static double shortest(const paoli *x) { return x->s->h_nominal / 64; }

/* The longest stretch, h halved as often as need be, that Newton's method is content with. */
static ss_status fit_stretch(paoli *x, double *h)
{
    for (;; *h *= 0.5) {
        SS_TRY(solve(x, *h));
        if ((x->newton.converged && !has_none(x->a)) || *h < 2 * shortest(x)) {
            return ss_assembly_demand(x->a, x->t);
        }
    }
}

static ss_status report(const paoli *x)
{
    const ss_model *m = x->s->model;
    const ss_assembly *a = x->a;
    ss_blockdiag mass = m->mass;
    mass.x = a->mass;
    ss_segment segment = { .t0 = x->t,
                           .t1 = x->t + x->h,
                           .level = SS_LEVEL_VELOCITY,
                           .q0 = x->q,
                           .v0 = x->w,
                           .q1 = x->q_end,
                           .v1 = a->solution.v,
                           .mass = &mass,
                           .problem = &a->problem,
                           .solution = &a->solution,
                           .info = &a->info,
                           .contacts = &a->contacts,
                           .nonlinear = x->newton.converged ? x->rest : x->newton.off,
                           .w_drive = a->w_drive,
                           .c_drive = a->c_drive };
    for (int kind = 0; kind < SS_FORCE_CLASSES; kind++) {
        segment.impulse[kind] = ss_impulses_by_class(x->forces) + kind * m->nv;
    }
    segment.impulse[SS_IMPULSE_SCHEME] = ss_impulses_rest(x->forces);
    return x->s->report->segment(x->s->report, &segment);
}

static ss_status accept(paoli *x)
{
    const ss_model *m = x->s->model;
    size_t n = (size_t)m->nv * sizeof(double);
    SS_TRY(report(x));
    SS_TRY(ss_assembly_remember(x->a, &x->s->next->memory));
    x->acted = balanced_time(x);
    memcpy(x->past.before, x->s->next->v, n);
    *x->past.uneven = *x->past.uneven != 0 || (*x->past.h > 0 && x->h != *x->past.h);
    *x->past.h = x->h;
    memcpy(x->w, x->a->solution.v, n);
    memcpy(x->q, x->q_end, (size_t)m->nq * sizeof(double));
    x->t += x->h;
    return find_velocity(x, x->s->next->v);
}

/* One stretch over h, less where it has to be cut: where Newton's method asks for it, and so that nothing passes through
 * anything unseen. */
static ss_status advance(paoli *x, double h, double *taken)
{
    bool more = true, hidden = true;
    double most = h;
    ss_vicinity_forget(x->around);
    for (int look = 0; (more || hidden) && look < LOOKS; look++) {
        SS_TRY(survey(x, h));
        *taken = look > 0 ? most : fmin(h, fmax(x->around->safe, shortest(x)));
        SS_TRY(fit_stretch(x, taken));
        SS_TRY(ss_vicinity_look_again(x->around, x->s, &x->here, &x->end, &more, &hidden));
        hidden = hidden && *taken > shortest(x);
        most = hidden ? 0.5 * *taken : *taken;
    }
    return accept(x);
}

/* ---- the scheme ---------------------------------------------------------------------------------- */

static ss_status step(ss_stepper *s, double h)
{
    paoli *x = s->work;
    double *v = s->next->v;
    SS_TRY(begin(x, s));
    if (*x->past.h > 0) {
        SS_TRY(report_change(x, v, x->w));
    } else {
        memcpy(x->w, v, (size_t)s->model->nv * sizeof *v);
    }
    for (double left = h, taken = 0; left > 0; left = taken < left ? left - taken : 0) {
        SS_TRY(advance(x, left, &taken));
    }
    s->next->t = s->now->t + h;
    return report_change(x, x->w, v);
}

static ss_order order(const void *params)
{
    const paoli_params *p = params;
    return (ss_order){ .smooth = p->theta > 0.5 ? 1 : 2, .impacts = 0.75, .norm = "l1", .overlap = 1 };
}

const ss_scheme_type ss_scheme_schatzman_paoli = {
    .info = { .name = "schatzman_paoli",
              .title = "Schatzman and Paoli's time stepping on positions",
              .reference = "Aca09",
              .order = { .smooth = 2, .impacts = 0.75, .norm = "l1", .overlap = 1 },
              .laws = SS_LAW_UNILATERAL | SS_LAW_POLYHEDRAL | SS_LAW_COULOMB | SS_LAW_BOUNDED | SS_LAW_NEWTON,
              .dimensions = 4 | 8,
              .fields = fields,
              .params_size = sizeof(paoli_params) },
    .order = order,
    .block_size = block_size,
    .create = create,
    .destroy = destroy,
    .step = step,
};
