/* sweep_visits.c - passes over the contacts of an island, in the form that sweep.c has chosen for it. */
#include "problem/sweep_inside.h"

#include "base/parallel.h"
#include "math/cones.h"
#include "math/csr.h"
#include "math/worse.h"
#include "problem/contact_law.h"
#include "problem/packed_visits.h"

#include <math.h>

enum { GRAIN = 512, ROWS_GRAIN = 4096 }; /* blocks, rows that a thread takes at a time */

/* What visits of an island work on. */
typedef struct visits {
    const ss_sweep *s;
    ss_sweep_form form;
    double *r;            /* impulses, as ss_sweep_contacts.at has their places */
    const double *before; /* the same before the pass; NULL: not known          */
    ss_packed_seen *seen; /* by the piece that is visited                       */
} visits;

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
                             .before = before };
}

/* ---- contacts in general ---------------------------------------------------------------------- */

/* u += X v for rows x size numbers */
static void gather(int rows, int size, const double *X, const double *v, double *u)
{
    for (int i = 0; i < rows; i++) {
        double sum = 0;
        for (int j = 0; j < size; j++) {
            sum += X[i * size + j] * v[j];
        }
        u[i] += sum;
    }
}

/* v += X' r */
static void scatter(int rows, int size, const double *X, const double *r, double *v)
{
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < size; j++) {
            v[j] += X[i * size + j] * r[i];
        }
    }
}

static void add_velocity(const ss_sweep_velocities *f, int k, int rows, double *u)
{
    for (int e = f->H.first[k]; e < f->H.first[k + 1]; e++) {
        const ss_piece *p = &f->H.list[e];
        gather(rows, p->size, f->H.x + p->at, f->x + p->offset, u);
    }
}

/* contact k, which is not packed */
static const ss_one_contact *one_at(const ss_sweep *s, int k) { return &s->contacts.one[s->contacts.number[k]]; }

static void contact_velocity(const ss_sweep *s, ss_sweep_form form, int k, const double *r, double *u)
{
    int first = s->contacts.row[k], rows = one_at(s, k)->rows;
    memcpy(u, s->q + first, (size_t)rows * sizeof *u);
    if (form == SS_SWEEP_VELOCITIES) {
        add_velocity(&s->by_velocity, k, rows, u);
        return;
    }
    for (int i = 0; i < rows; i++) {
        u[i] += ss_csr_row_dot(s->by_rows.W, s->by_rows.first[k] + i, r);
    }
}

static void apply(const ss_sweep_velocities *f, int k, int rows, const double *dr)
{
    for (int e = f->Y.first[k]; e < f->Y.first[k + 1]; e++) {
        const ss_piece *p = &f->Y.list[e];
        scatter(rows, p->size, f->Y.x + p->at, dr, f->x + p->offset);
    }
}

static void solve_one(const ss_sweep *s, int k, const double *u, double *r)
{
    const ss_one_contact *c = one_at(s, k);
    double *mine = r + s->contacts.at[k];
    if (c->law == SS_LAW_ROLLING) {
        ss_one_moment_solve(c, c->mu * fmax(0, r[s->contacts.host[k]]), u, mine);
    } else {
        ss_one_contact_solve(c, u, mine);
    }
}

/* squares, in the units of ss_sweep_measure: |dr|^2, and |r|^2 after it */
static void note(ss_packed_seen *seen, double change, double load)
{
    seen->change[0] = ss_worse(seen->change[0], change);
    seen->square[0] += change;
    seen->load[0] = ss_worse(seen->load[0], load);
}

/* r of contact k has changed by dr: the measure of that and of `more`, and what it does to the velocities */
static void settle(const visits *v, int k, const double *dr, double more)
{
    const ss_sweep *s = v->s;
    const ss_one_contact *c = one_at(s, k);
    const int at = s->contacts.at[k];
    const double d = c->d > 0 ? c->d : 0, *mine = v->r + at;
    double change = 0, load = 0, turn = 0;
    for (int i = 0; i < c->rows; i++) {
        change += dr[i] * dr[i];
        load += mine[i] * mine[i];
        turn -= v->before ? dr[i] * (mine[i] - v->before[at + i]) : 0;
    }
    note(v->seen, d * change + more, d * load);
    v->seen->turn[0] += d * turn;
    if (v->form == SS_SWEEP_VELOCITIES && change != 0) {
        apply(&s->by_velocity, k, c->rows, dr);
    }
}

/* Moment k has been visited, its velocity was u and its impulse has changed by dr: what it takes from u_N of its host. Returned
 * is that change squared, in the units of ss_sweep_measure. */
static double lift_host(const ss_sweep *s, int k, const double *u, const double *dr)
{
    const ss_one_contact *c = one_at(s, k), *host = one_at(s, s->contacts.lifted[k]);
    double w[2] = { 0, 0 };
    for (int i = 0; i < c->rows; i++) {
        w[i] = u[i];
        for (int j = 0; j < c->rows; j++) {
            w[i] += c->W[c->rows * i + j] * dr[j];
        }
    }
    const double against = host->d > 0 ? c->mu * c->mu * c->d / host->d : 0;
    const double step = (c->mu * hypot(w[0], w[1]) - s->contacts.lift[k]) / (1 + against);
    s->contacts.lift[k] += step;
    s->contacts.slide[s->contacts.lifted[k]] -= step;
    return host->d > 0 ? step * step / host->d : 0;
}

/* ---- a contact with its moments ------------------------------------------------------------------ */

enum { MOST_PARTS = 8 }; /* of a cone that is visited as a whole */

/* The cone of a contact and its moments: its normal, and as parts the tangents, then each moment. */
typedef struct cone {
    int parts;
    int row[MOST_PARTS], rows[MOST_PARTS];
    double mu[MOST_PARTS], D[MOST_PARTS], length[MOST_PARTS];
    double y[3 * MOST_PARTS]; /* of part i from 3 i on: velocities, then r - D^-1 u */
    double y_N, D_N;
} cone;

static void add_part(cone *x, int row, int rows, double mu, double trace, const double *u)
{
    x->row[x->parts] = row;
    x->rows[x->parts] = rows;
    x->mu[x->parts] = mu;
    x->D[x->parts] = trace;
    memcpy(x->y + 3 * x->parts++, u, (size_t)rows * sizeof *u);
}

/* Velocities and the metric D: a matrix of n x n blocks is below n times the traces of those on its diagonal. */
static void open_cone(const ss_sweep *s, ss_sweep_form form, int k, const double *r, cone *x)
{
    const ss_one_contact *c = one_at(s, k);
    double u[3];
    contact_velocity(s, form, k, r, u);
    x->y_N = u[0] + s->contacts.slide[k];
    add_part(x, s->contacts.at[k] + 1, c->rows - 1, c->mu, c->rows * c->d - c->W[0], u + 1);
    for (int m = s->contacts.next[k]; m >= 0; m = s->contacts.next[m]) {
        const ss_one_contact *own = one_at(s, m);
        contact_velocity(s, form, m, r, u);
        add_part(x, s->contacts.at[m], own->rows, own->mu, own->rows * own->d, u);
    }
    const double blocks = x->parts + 1;
    x->D_N = blocks * c->W[0];
    for (int i = 0; i < x->parts; i++) {
        x->D[i] *= blocks;
    }
}

/* y = r - D^-1 u, and the lengths of its parts in the metric D */
static void take_steps(cone *x, const double *r)
{
    x->y_N = r[x->row[0] - 1] - x->y_N / x->D_N; /* the normal stands before the tangents */
    for (int i = 0; i < x->parts; i++) {
        double sum = 0, *y = x->y + 3 * i;
        for (int j = 0; j < x->rows[i]; j++) {
            y[j] = r[x->row[i] + j] - y[j] / x->D[i];
            sum += y[j] * y[j];
        }
        x->length[i] = sqrt(x->D[i] * sum);
    }
}

/* y <- P(y) on the cone, in the metric D */
static void project(cone *x)
{
    double cut[MOST_PARTS], slope[MOST_PARTS], normal = sqrt(x->D_N) * x->y_N;
    for (int i = 0; i < x->parts; i++) {
        slope[i] = x->mu[i] * sqrt(x->D[i] / x->D_N);
        cut[i] = x->length[i];
    }
    ss_cone_project_lengths(x->parts, slope, &normal, cut);
    x->y_N = normal / sqrt(x->D_N);
    for (int i = 0; i < x->parts; i++) {
        for (int j = 0; j < x->rows[i]; j++) {
            x->y[3 * i + j] *= x->length[i] > cut[i] ? cut[i] / x->length[i] : 1;
        }
    }
}

/* r of a part is y; dr: by how much that is another than it was */
static void take_part(const cone *x, int i, double *r, double *dr)
{
    double *mine = r + x->row[i];
    for (int j = 0; j < x->rows[i]; j++) {
        dr[j] = x->y[3 * i + j] - mine[j];
        mine[j] = x->y[3 * i + j];
    }
}

/* The host of position k and its moments: a step of the projected gradient. A moment's visit is that of its host. */
static void visit_together(const visits *v, int k)
{
    const ss_sweep *s = v->s;
    double dr[3], *r = v->r, *normal = r + s->contacts.at[k];
    cone x = { 0 };
    if (s->contacts.lifted[k] >= 0) {
        return;
    }
    open_cone(s, v->form, k, r, &x);
    take_steps(&x, r);
    project(&x);
    dr[0] = x.y_N - *normal;
    *normal = x.y_N;
    take_part(&x, 0, r, dr + 1);
    settle(v, k, dr, 0);
    for (int m = s->contacts.next[k], i = 1; m >= 0; m = s->contacts.next[m], i++) {
        take_part(&x, i, r, dr);
        settle(v, m, dr, 0);
    }
}

/* From here on a contact with a round cone is visited together with the moments that lift it. */
static void put_together(const ss_sweep *s, int k)
{
    const ss_one_contact *c = one_at(s, k);
    int parts = 1;
    bool can = c->law == SS_LAW_ASSOCIATED && c->W[0] > 0 && c->rows * c->d > c->W[0] && !s->contacts.together[k];
    for (int m = s->contacts.next[k]; m >= 0; m = s->contacts.next[m]) {
        can = can && one_at(s, m)->d > 0 && ++parts <= MOST_PARTS;
    }
    for (int m = s->contacts.next[k]; can && m >= 0; m = s->contacts.next[m]) {
        s->contacts.together[k] = s->contacts.together[m] = true;
        s->contacts.slide[k] += s->contacts.lift[m];
        s->contacts.lift[m] = 0;
    }
}

/* ---- one visit -------------------------------------------------------------------------------------- */

static void visit(const visits *v, int k)
{
    const ss_sweep *s = v->s;
    const ss_one_contact *c = one_at(s, k);
    double u[3], dr[3], *mine = v->r + s->contacts.at[k];
    if (s->contacts.host && s->contacts.together[k]) {
        visit_together(v, k);
        return;
    }
    contact_velocity(s, v->form, k, v->r, u);
    u[0] += s->contacts.slide[k];
    memcpy(dr, mine, (size_t)c->rows * sizeof *dr);
    solve_one(s, k, u, v->r);
    for (int i = 0; i < c->rows; i++) {
        dr[i] = mine[i] - dr[i];
    }
    settle(v, k, dr, s->contacts.host && s->contacts.lifted[k] >= 0 ? lift_host(s, k, u, dr) : 0);
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

/* positions of one class */
typedef struct class_visit {
    visits v;
    int island, class;
    const ss_sweep_motion *motion; /* of pieces that go on when they are visited; NULL: all have */
} class_visit;

/* the first impulse of a position of a piece's begin or end */
static int row_of(const ss_sweep *s, int island, int k)
{
    const int *first = s->islands.first_row + island;
    return k < ss_sweep_position(s, island + 1) ? s->contacts.at[k] : first[1] - first[0];
}

static double worst_of(const double *x) { return ss_worse(ss_worse(x[0], x[1]), ss_worse(x[2], x[3])); }

static double sum_of(const double *x) { return x[0] + x[1] + (x[2] + x[3]); }

/* one piece of the class, which begins with position `begin` of it */
static void visit_piece(void *data, int begin, int end)
{
    const class_visit *c = data;
    const ss_sweep *s = c->v.s;
    const int first = s->order.first[c->class] + begin, last = first + end - begin;
    ss_packed_seen seen = { 0 };
    visits v = c->v;
    v.seen = &seen;
    const ss_packed_pass packed = packed_pass(s, v.r, v.before);
    if (c->motion) {
        go_on(c->motion, row_of(s, c->island, first), row_of(s, c->island, last));
    }
    for (int k = first; k < last; k++) {
        k = v.form == SS_SWEEP_VELOCITIES ? ss_packed_visit(&packed, k, last, &seen) : k;
        if (k < last) {
            visit(&v, k);
        }
    }
    s->contacts.seen[ss_sweep_piece(c->class, first)] =
        (ss_sweep_measure){ worst_of(seen.change), sum_of(seen.square), worst_of(seen.load), sum_of(seen.turn) };
}

/* Pieces of a class that share nothing are visited on all threads, of others one after the other. */
static void visit_class(const class_visit *c)
{
    const ss_sweep *s = c->v.s;
    const int count = s->order.first[c->class + 1] - s->order.first[c->class];
    const bool apart = c->v.form == SS_SWEEP_VELOCITIES || s->problem->local; /* a full W reads all impulses of the island */
    class_visit all = *c;
    if (s->order.together[c->class] && apart) {
        ss_parallel_for(s->ctx, count, SS_SWEEP_PIECE, visit_piece, &all);
        return;
    }
    for (int begin = 0; begin < count; begin += SS_SWEEP_PIECE) {
        visit_piece(&all, begin, begin + SS_SWEEP_PIECE < count ? begin + SS_SWEEP_PIECE : count);
    }
}

/* all pieces of an island together, in their order, whoever has visited them */
static ss_sweep_measure measure(const ss_sweep *s, int island)
{
    ss_sweep_measure m = { .size = s->islands.size[island] * s->islands.size[island] };
    for (int class = s->order.first_class[island]; class < s->order.first_class[island + 1]; class ++) {
        for (int k = s->order.first[class]; k < s->order.first[class + 1]; k += SS_SWEEP_PIECE) {
            const ss_sweep_measure *piece = &s->contacts.seen[ss_sweep_piece(class, k)];
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
    const int *row, rows = ss_sweep_rows(s, island, &row);
    const ss_sweep_form form = s->islands.form[island];
    const bool by_pieces = motion->last && goes_on_by_pieces(s, island);
    class_visit c = { .v = { .s = s, .form = form }, .island = island, .motion = by_pieces ? motion : NULL };
    if (motion->last && !by_pieces) {
        ss_parallel_for(s->ctx, rows, ROWS_GRAIN, go_on_range, (void *)motion);
    }
    c.v.r = form == SS_SWEEP_ROWS ? open_rows(s, island, motion->r) : motion->r;
    c.v.before = form == SS_SWEEP_ROWS || !motion->last ? NULL : motion->before;
    for (c.class = s->order.first_class[island]; c.class < s->order.first_class[island + 1]; c.class ++) {
        visit_class(&c);
    }
    ss_sweep_measure m = measure(s, island);
    m.turn += form == SS_SWEEP_ROWS ? close_rows(s, island, motion) : 0;
    return m;
}

/* ---- velocities of an island ------------------------------------------------------------------ */

/* some positions whose impulses are pushed, or blocks that go on */
typedef struct velocity_loop {
    const ss_sweep *s;
    int first;
    const double *r;
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

static void push_range(void *data, int begin, int end)
{
    const velocity_loop *l = data;
    const ss_sweep *s = l->s;
    const ss_packed_pass packed = packed_pass(s, (double *)l->r, NULL); /* which is only read */
    for (int k = l->first + begin; k < l->first + end; k++) {
        if (is_packed(s, SS_SWEEP_VELOCITIES, k)) {
            ss_packed_push(&packed, k);
        } else {
            apply(&s->by_velocity, k, one_at(s, k)->rows, l->r + s->contacts.at[k]);
        }
    }
}

/* x = Y' r over the island's blocks; a body gets its impulses in the order of visits */
void ss_sweep_start(ss_sweep *s, int island, const double *r)
{
    const int *block = s->by_velocity.blocks.first + island, *class = s->order.first_class + island;
    velocity_loop l = { .s = s, .r = r };
    if (s->islands.form[island] != SS_SWEEP_VELOCITIES) {
        return;
    }
    l.first = block[0];
    ss_parallel_for(s->ctx, block[1] - block[0], GRAIN, clear_blocks, &l);
    for (int c = class[0]; c < class[1]; c++) {
        const int count = s->order.first[c + 1] - s->order.first[c];
        l.first = s->order.first[c];
        ss_parallel_for(s->ctx, count, s->order.together[c] ? SS_SWEEP_PIECE : count, push_range, &l);
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
    const double *visited = form == SS_SWEEP_ROWS ? open_rows(s, island, r) : r;
    double worst = 0;
    for (int k = ss_sweep_position(s, island); k < ss_sweep_position(s, island + 1); k++) {
        ss_one_contact made;
        const ss_one_contact *c = ss_sweep_one(s, k, &made);
        double u[3];
        if (s->contacts.host && s->contacts.lifted[k] < 0 && s->contacts.next[k] >= 0) {
            put_together(s, k);
        }
        if (!has_slide(s, k, c)) {
            continue;
        }
        if (is_packed(s, form, k)) {
            ss_packed_velocity(&packed, k, u);
        } else {
            contact_velocity(s, form, k, visited, u);
        }
        double more = ss_law_slip(plain_law(c), c->rows, c->mu, c->directions, c->direction, u) - s->contacts.slide[k];
        make_associated(s, k);
        s->contacts.slide[k] += fraction * more;
        worst = ss_worse(worst, fabs(more) / sqrt(c->d));
    }
    return worst;
}
