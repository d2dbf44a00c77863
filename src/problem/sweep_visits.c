/* sweep_visits.c - passes over the contacts of an island, in the form that sweep.c has chosen for it. */
#include "base/parallel.h"
#include "math/worse.h"
#include "problem/contact_law.h"
#include "problem/packed_visits.h"
#include "problem/sweep_general.h"

#include <math.h>

enum { GRAIN = 512, ROWS_GRAIN = 4096 }; /* blocks, rows that a thread takes at a time */

static bool is_packed(const ss_sweep *s, ss_sweep_form form, int k)
{
    return form == SS_SWEEP_VELOCITIES && s->by_velocity.packed.place[k].kind != SS_PACKED_NOT;
}

static ss_packed_pass packed_pass(const ss_sweep *s, double *r, const double *before)
{
    return (ss_packed_pass){ .place = s->by_velocity.packed.place,
                             .records = s->by_velocity.packed.x,
                             .one = s->contacts.one,
                             .number = s->contacts.number,
                             .slide = s->contacts.slide,
                             .x = s->by_velocity.x,
                             .r = r,
                             .before = before,
                             .positions = s->order.positions };
}

/* ---- where a pass begins -------------------------------------------------------------------------- */

/* r goes on to y, for some rows */
static void go_on(const ss_sweep_motion *m, int begin, int end)
{
    const double *last = m->last, beta = m->beta;
    double *r = m->r, *before = m->before;
    for (int i = begin; i < end; i++) { /* before may be last */
        const double now = r[i], next = now + beta * (now - last[i]);
        before[i] = now;
        r[i] = next;
    }
}

static void go_on_range(void *data, int begin, int end) { go_on(data, begin, end); }

/* May the contacts of a piece go on when it is their turn? No other visit reads their impulses before. */
static bool goes_on_by_pieces(const ss_sweep *s, int island)
{
    return s->islands.form[island] == SS_SWEEP_VELOCITIES && !s->contacts.host;
}

/* ---- passes ----------------------------------------------------------------------------------- */

/* A pass over an island. */
typedef struct pass {
    ss_visits v;
    int island;
    const ss_sweep_motion *motion; /* of pieces that go on when they are visited; NULL: all have */
} pass;

static int rows_of(const ss_sweep *s, int island) { return s->islands.first_row[island + 1] - s->islands.first_row[island]; }

/* the first impulse of a position of a piece's begin or end */
static int row_of(const ss_sweep *s, int island, int k)
{
    return k < ss_sweep_position(s, island + 1) ? s->contacts.at[k] : rows_of(s, island);
}

static double worst_of(const double *x) { return ss_worse(ss_worse(x[0], x[1]), ss_worse(x[2], x[3])); }

static double sum_of(const double *x) { return x[0] + x[1] + (x[2] + x[3]); }

/* r goes on, each contact is visited, and what has been seen is noted */
static void visit_piece(void *data, int number, int begin, int end)
{
    const pass *of = data;
    const ss_sweep *s = of->v.s;
    ss_packed_seen seen = { 0 };
    ss_visits v = of->v;
    v.seen = &seen;
    ss_packed_pass packed = packed_pass(s, v.r, v.before);
    if (of->motion) {
        packed.last = of->motion->last;
        go_on(of->motion, row_of(s, of->island, begin), row_of(s, of->island, end));
    }
    for (int k = begin; k < end; k++) {
        k = v.form == SS_SWEEP_VELOCITIES ? ss_packed_visit(&packed, k, end, &seen) : k;
        if (k < end) {
            ss_general_visit(&v, k);
        }
    }
    s->contacts.seen[ss_sweep_piece(number, begin)] =
        (ss_sweep_measure){ worst_of(seen.change), sum_of(seen.square), worst_of(seen.load), sum_of(seen.turn) };
}

/* all pieces of an island together, in their order, whoever has visited them */
static ss_sweep_measure measure(const ss_sweep *s, int island)
{
    ss_sweep_measure m = { .size = s->islands.size[island] * s->islands.size[island] };
    for (int c = ss_sweep_class(&s->order, island); c < ss_sweep_class(&s->order, island + 1); c++) {
        for (int k = s->order.first[c]; k < s->order.first[c + 1]; k += SS_SWEEP_PIECE) {
            const ss_sweep_measure *piece = &s->contacts.seen[ss_sweep_piece(c, k)];
            m.square += piece->square;
            m.turn += piece->turn;
            m.change = ss_worse(m.change, piece->change);
            m.size = ss_worse(m.size, piece->size);
        }
    }
    m.change = sqrt(m.change);
    m.size = sqrt(m.size);
    return m;
}

/* row form: visits read and write impulses by the rows of the problem */
static double *open_rows(const ss_sweep *s, int island, const double *r)
{
    ss_sweep_write(s, island, r, s->by_rows.r);
    return s->by_rows.r;
}

/* the result of a pass in row form; returns (y - r).(r - r') */
static double close_rows(const ss_sweep *s, int island, const ss_sweep_motion *motion)
{
    const int *row, rows = ss_sweep_rows(s, island, &row);
    double turn = 0, *r = motion->r;
    for (int i = 0; i < rows; i++) {
        const double result = s->by_rows.r[row[i]];
        turn += motion->last ? s->weight[row[i]] * (r[i] - result) * (result - motion->before[i]) : 0;
        r[i] = result;
    }
    return turn;
}

ss_sweep_measure ss_sweep_pass(ss_sweep *s, int island, const ss_sweep_motion *motion)
{
    const ss_sweep_form form = s->islands.form[island];
    const bool by_pieces = motion->last && goes_on_by_pieces(s, island);
    const bool apart = form == SS_SWEEP_VELOCITIES || s->problem->local; /* a full W reads all impulses of the island */
    pass of = { .v = { .s = s, .form = form }, .island = island, .motion = by_pieces ? motion : NULL };
    if (motion->last && !by_pieces) {
        ss_parallel_for(s->ctx, rows_of(s, island), ROWS_GRAIN, go_on_range, (void *)motion);
    }
    of.v.r = form == SS_SWEEP_ROWS ? open_rows(s, island, motion->r) : motion->r;
    of.v.before = form == SS_SWEEP_ROWS || !motion->last ? NULL : motion->before;
    ss_sweep_walk(s, island, apart, visit_piece, &of);
    ss_sweep_measure m = measure(s, island);
    m.turn += form == SS_SWEEP_ROWS ? close_rows(s, island, motion) : 0;
    return m;
}

/* ---- velocities of an island ------------------------------------------------------------------ */

/* blocks that are cleared, or go on */
typedef struct velocity_loop {
    const ss_sweep *s;
    int first;
    double beta;
} velocity_loop;

static void clear_blocks(void *data, int begin, int end)
{
    const velocity_loop *l = data;
    const ss_blockdiag *B = &l->s->problem->scale;
    const ss_sweep_velocities *f = &l->s->by_velocity;
    for (int i = l->first + begin; i < l->first + end; i++) {
        const int block = f->blocks.item[i];
        memset(f->x + B->offset[block], 0, (size_t)B->size[block] * sizeof *f->x);
    }
}

static void push_piece(void *data, int number, int begin, int end)
{
    const ss_visits *v = data;
    const ss_packed_pass packed = packed_pass(v->s, v->r, NULL);
    (void)number;
    for (int k = begin; k < end; k++) {
        k = ss_packed_push(&packed, k, end);
        if (k < end) {
            ss_general_push(v->s, k, v->r + v->s->contacts.at[k]);
        }
    }
}

/* x = Y' r over the island's blocks; a body gets its impulses in the order of visits */
void ss_sweep_start(ss_sweep *s, int island, const double *r)
{
    const int *block = s->by_velocity.blocks.first + island;
    if (s->islands.form[island] == SS_SWEEP_VELOCITIES) {
        velocity_loop l = { .s = s, .first = block[0] };
        ss_visits v = { .s = s, .form = SS_SWEEP_VELOCITIES, .r = (double *)r }; /* which is only read */
        ss_parallel_for(s->ctx, block[1] - block[0], GRAIN, clear_blocks, &l);
        ss_sweep_walk(s, island, true, push_piece, &v);
    }
}

static void extrapolate_blocks(void *data, int begin, int end)
{
    const velocity_loop *l = data;
    const ss_blockdiag *B = &l->s->problem->scale;
    const ss_sweep_velocities *f = &l->s->by_velocity;
    for (int i = l->first + begin; i < l->first + end; i++) {
        const int block = f->blocks.item[i];
        for (int j = B->offset[block]; j < B->offset[block] + B->size[block]; j++) {
            const double now = f->x[j];
            f->x[j] += l->beta * (now - f->x_last[j]);
            f->x_last[j] = now;
        }
    }
}

void ss_sweep_extrapolate(ss_sweep *s, int island, double beta)
{
    const int *block = s->by_velocity.blocks.first + island;
    if (s->islands.form[island] == SS_SWEEP_VELOCITIES) {
        velocity_loop l = { .s = s, .first = block[0], .beta = beta };
        ss_parallel_for(s->ctx, block[1] - block[0], GRAIN, extrapolate_blocks, &l);
    }
}

/* ---- frozen slip ------------------------------------------------------------------------------ */

/* does s of the contact's original law depend on its velocity? (while frozen the contact has another law) */
static bool has_slide(const ss_sweep *s, int k, const ss_one_contact *c)
{
    return s->problem->law[s->order.contact[k]] & (SS_LAW_COULOMB | SS_LAW_POLYHEDRAL) && c->law != SS_LAW_UNILATERAL && c->d > 0;
}

/* its law without what is frozen */
static unsigned plain_law(const ss_one_contact *c)
{
    return c->law == SS_LAW_COULOMB || c->law == SS_LAW_ASSOCIATED ? SS_LAW_COULOMB : SS_LAW_POLYHEDRAL;
}

/* from here on its law is convex, with s fixed */
static void make_associated(const ss_sweep *s, int k)
{
    if (s->contacts.number[k] < 0) {
        s->by_velocity.packed.place[k].law = SS_LAW_ASSOCIATED;
    } else {
        ss_one_contact *c = &s->contacts.one[s->contacts.number[k]];
        c->law = plain_law(c) == SS_LAW_COULOMB ? SS_LAW_ASSOCIATED : SS_LAW_ASSOCIATED_POLYHEDRAL;
    }
}

double ss_sweep_freeze(ss_sweep *s, int island, double fraction, const double *r)
{
    const ss_sweep_form form = s->islands.form[island];
    const ss_packed_pass packed = packed_pass(s, NULL, NULL);
    const ss_visits visited = { .s = s,
                                .form = form,
                                .r = form == SS_SWEEP_ROWS ? open_rows(s, island, r) : (double *)r }; /* only read */
    double worst = 0;
    for (int k = ss_sweep_position(s, island); k < ss_sweep_position(s, island + 1); k++) {
        ss_one_contact made;
        const ss_one_contact *c = ss_sweep_one(s, k, &made);
        double u[3];
        if (s->contacts.host && s->contacts.lifted[k] < 0 && s->contacts.next[k] >= 0) {
            ss_general_put_together(s, k);
        }
        if (!has_slide(s, k, c)) {
            continue;
        }
        if (is_packed(s, form, k)) {
            ss_packed_velocity(&packed, k, u);
        } else {
            ss_general_velocity(&visited, k, u);
        }
        double more = ss_law_slip(plain_law(c), c->rows, c->mu, c->directions, c->direction, u) - s->contacts.slide[k];
        make_associated(s, k);
        s->contacts.slide[k] += fraction * more;
        worst = ss_worse(worst, fabs(more) / sqrt(c->d));
    }
    return worst;
}
