/* momentum.c - sweeps with Nesterov's momentum.
 *
 *   y = r + beta (r - r'),  r' the result of the sweep before,  the next sweep starts from y
 *   beta = (t - 1)/t+,  t+ = (1 + sqrt(1 + 4 t^2))/2;  t = 1 again when the sweep turns back, (y - r).(r - r') > 0,
 *   or its square is more than `far` times that of the best one                                     [Nes83, OC15]
 * Products are weighted by d_i = trace(W_ii)/dim: sqrt(d) r has one unit for all contacts.
 *
 * Velocities go on with the impulses and are made afresh now and then, against round-off. Impulses go on where the sweep visits
 * them, and the sweep returns the product: a large pile is swept as fast as its numbers come from memory.
 * Cost        a sweep (sweep.c), and a loop over the bodies                                          */
#include "problem/momentum.h"

#include <math.h>

static const double HALVED = 0.25; /* squares: a change halved is progress */

/* ---- the island ------------------------------------------------------------------------------- */

ss_status ss_momentum_take(ss_momentum *m, ss_arena *arena, int rows)
{
    ss_momentum_rows *whole = &m->whole;
    double **all[] = { &whole->r, &whole->array[0], &whole->array[1] };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        SS_TRY(ss_arena_take_raw(arena, (size_t)rows, sizeof **all[k], all[k]));
    }
    return SS_OK;
}

/* of an island with `first` rows before it */
static ss_momentum_rows part_of(const ss_momentum_rows *whole, ptrdiff_t first)
{
    return (ss_momentum_rows){ .r = whole->r + first, .array = { whole->array[0] + first, whole->array[1] + first } };
}

static void copy(const ss_momentum *m, const double *from, double *to) { memcpy(to, from, (size_t)m->count * sizeof *to); }

void ss_momentum_open(ss_momentum *m, int island, const double *all)
{
    const int *row, *first;
    m->island = island;
    m->count = ss_sweep_rows(m->sweep, island, &row);
    ss_sweep_rows(m->sweep, 0, &first);
    m->rows = part_of(&m->whole, row - first);
    m->now = (ss_momentum_progress){ .error = INFINITY };
    ss_sweep_read(m->sweep, island, all, m->rows.r);
}

void ss_momentum_close(const ss_momentum *m, double *all) { ss_sweep_write(m->sweep, m->island, m->rows.r, all); }

/* ---- how it is going -------------------------------------------------------------------------- */

/* fresh velocities, no momentum */
void ss_momentum_start(ss_momentum *m)
{
    ss_sweep_start(m->sweep, m->island, m->rows.r);
    ss_sweep_extrapolate(m->sweep, m->island, 0);
    m->rows.last = m->rows.array[0];
    m->rows.good = NULL;
    copy(m, m->rows.r, m->rows.last);
    m->now = (ss_momentum_progress){
        .t = 1, .least = INFINITY, .mark = INFINITY, .good = INFINITY, .error = INFINITY, .size = m->now.size
    };
}

/* how the last sweep went: is it the best so far, is there progress */
static void note(ss_momentum_progress *now, const ss_sweep_measure *seen)
{
    now->ahead = true;
    now->square = seen->square;
    now->turn = seen->turn;
    now->size = seen->size;
    now->error = seen->size > 0 ? seen->change / seen->size : seen->change;
    now->idle++;
    now->best = seen->square < now->good;
    now->good = now->best ? seen->square : now->good;
    if (seen->square < HALVED * now->mark) {
        now->mark = seen->square;
        now->idle = 0;
    }
}

/* ---- momentum --------------------------------------------------------------------------------- */

static double next_beta(ss_momentum *m, double square)
{
    ss_momentum_progress *now = &m->now;
    if (now->turn > 0 || square > m->far * now->least) {
        now->t = 1;
        now->least = square;
    }
    now->least = fmin(now->least, square);
    double next = 0.5 * (1 + sqrt(1 + 4 * now->t * now->t)), beta = (now->t - 1) / next;
    now->t = next;
    return beta;
}

/* velocities of r' and r from the impulses; both, since momentum would carry a jump of one of them on and on */
static void refresh(ss_momentum *m)
{
    ss_sweep_start(m->sweep, m->island, m->rows.last);
    ss_sweep_extrapolate(m->sweep, m->island, 0);
    ss_sweep_start(m->sweep, m->island, m->rows.r);
}

/* where this result is kept: it is r' of the next sweep, and replaces the good one only if it is better */
static double *keep(ss_momentum *m)
{
    ss_momentum_rows *rows = &m->rows;
    double *last = rows->last;
    if (m->now.best) {
        rows->good = last;
    } else if (rows->good == last) {
        last = last == rows->array[0] ? rows->array[1] : rows->array[0];
    }
    return last;
}

/* the next sweep: r and v go on by beta times what the last one has changed */
static ss_sweep_measure sweep_on(ss_momentum *m, double beta)
{
    enum { FRESH = 50 };
    ss_momentum_rows *rows = &m->rows;
    if (m->now.ahead && ++m->now.extrapolated % FRESH == 0) {
        refresh(m);
    }
    if (m->now.ahead) {
        ss_sweep_extrapolate(m->sweep, m->island, beta);
    }
    const ss_sweep_motion motion = {
        .r = rows->r, .last = rows->last, .before = m->now.ahead ? keep(m) : rows->last, .beta = beta
    };
    rows->last = motion.before;
    return ss_sweep_pass(m->sweep, m->island, &motion);
}

void ss_momentum_iterate(ss_momentum *m, double tol, int *sweeps, int limit, int patience)
{
    bool going = true;
    while (going && *sweeps < limit && m->now.idle < patience && !ss_is_interrupted(m->ctx)) {
        const ss_sweep_measure seen = sweep_on(m, m->now.ahead && !m->off ? next_beta(m, m->now.square) : 0);
        ++*sweeps;
        note(&m->now, &seen);
        going = m->now.error > tol; /* a number */
    }
}

void ss_momentum_take_best(ss_momentum *m)
{
    if (m->rows.good && !m->now.best) {
        copy(m, m->rows.good, m->rows.r);
    }
}
