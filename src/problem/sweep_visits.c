/* sweep_visits.c - passes over the contacts of an island, in the form that sweep.c has chosen for it. */
#include "problem/sweep_inside.h"

#include "base/parallel.h"
#include "math/cones.h"
#include "math/csr.h"
#include "math/worse.h"
#include "problem/contact_law.h"
#include "problem/packed_visits.h"

#include <math.h>

/* blocks that a thread takes at a time; contacts of a class: it has some hundred, of which all threads are to have as many */
enum { GRAIN = 512, VISITED = 128 };

static bool is_packed(const ss_sweep *s, ss_sweep_form form, int k)
{
    return form == SS_SWEEP_VELOCITIES && s->by_velocity.packed.place[k].kind != SS_PACKED_NOT;
}

static ss_packed_pass packed_pass(const ss_sweep *s, double *r)
{
    return (ss_packed_pass){ .place = s->by_velocity.packed.place,
                             .records = s->by_velocity.packed.x,
                             .one = s->contacts.one,
                             .number = s->contacts.number,
                             .slide = s->contacts.slide,
                             .x = s->by_velocity.x,
                             .r = r,
                             .change = s->contacts.change,
                             .load = s->contacts.load };
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

/* r of contact k has changed by dr: the measure of that, and what it does to the velocities */
static void settle(const ss_sweep *s, ss_sweep_form form, int k, const double *dr, const double *r)
{
    const ss_one_contact *c = one_at(s, k);
    const double d = c->d > 0 ? c->d : 0, *mine = r + s->contacts.at[k];
    double change = 0, load = 0;
    for (int i = 0; i < c->rows; i++) {
        change += dr[i] * dr[i];
        load += mine[i] * mine[i];
    }
    s->contacts.change[k] = d * change;
    s->contacts.load[k] = d * load;
    if (form == SS_SWEEP_VELOCITIES && change != 0) {
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
static void visit_together(const ss_sweep *s, ss_sweep_form form, int k, double *r)
{
    double dr[3], *normal = r + s->contacts.at[k];
    cone x = { 0 };
    if (s->contacts.lifted[k] >= 0) {
        return;
    }
    open_cone(s, form, k, r, &x);
    take_steps(&x, r);
    project(&x);
    dr[0] = x.y_N - *normal;
    *normal = x.y_N;
    take_part(&x, 0, r, dr + 1);
    settle(s, form, k, dr, r);
    for (int m = s->contacts.next[k], i = 1; m >= 0; m = s->contacts.next[m], i++) {
        take_part(&x, i, r, dr);
        settle(s, form, m, dr, r);
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

static void visit(const ss_sweep *s, ss_sweep_form form, int k, double *r)
{
    const ss_one_contact *c = one_at(s, k);
    double u[3], dr[3], *mine = r + s->contacts.at[k];
    if (s->contacts.host && s->contacts.together[k]) {
        visit_together(s, form, k, r);
        return;
    }
    contact_velocity(s, form, k, r, u);
    u[0] += s->contacts.slide[k];
    memcpy(dr, mine, (size_t)c->rows * sizeof *dr);
    solve_one(s, k, u, r);
    for (int i = 0; i < c->rows; i++) {
        dr[i] = mine[i] - dr[i];
    }
    settle(s, form, k, dr, r);
    if (s->contacts.host && s->contacts.lifted[k] >= 0) {
        s->contacts.change[k] += lift_host(s, k, u, dr);
    }
}

/* ---- passes ----------------------------------------------------------------------------------- */

/* positions of one class, which share nothing */
typedef struct class_visit {
    const ss_sweep *s;
    ss_sweep_form form;
    int first;
    double *r;
} class_visit;

static void visit_range(void *data, int begin, int end)
{
    const class_visit *c = data;
    const ss_packed_pass packed = packed_pass(c->s, c->r);
    const int last = c->first + end;
    for (int k = c->first + begin; k < last; k++) {
        k = c->form == SS_SWEEP_VELOCITIES ? ss_packed_visit(&packed, k, last) : k;
        if (k < last) {
            visit(c->s, c->form, k, c->r);
        }
    }
}

static void visit_class(const ss_sweep *s, ss_sweep_form form, int class, double *r)
{
    int begin = s->order.first[class], count = s->order.first[class + 1] - begin;
    class_visit all = { .s = s, .form = form, .first = begin, .r = r };
    bool apart = form == SS_SWEEP_VELOCITIES || s->problem->local; /* a full W reads all impulses of the island */
    if (s->order.together[class] && apart) {
        ss_parallel_for(s->ctx, count, VISITED, visit_range, &all);
    } else {
        visit_range(&all, 0, count);
    }
}

/* the last visits of an island's positions, range by range, as squares */
typedef struct measuring {
    const ss_sweep *s;
    int first;
    ss_sweep_measure *range;
} measuring;

static void measure_range(void *data, int begin, int end)
{
    const measuring *of = data;
    const ss_sweep_contacts *c = &of->s->contacts;
    ss_sweep_measure m = { 0 };
    for (int k = of->first + begin; k < of->first + end; k++) {
        m.square += c->change[k];
        m.change = ss_worse(m.change, c->change[k]);
        m.size = ss_worse(m.size, c->load[k]);
    }
    of->range[begin / SS_SWEEP_MEASURED] = m;
}

static ss_sweep_measure measure(const ss_sweep *s, int island)
{
    const int first = ss_sweep_position(s, island), count = ss_sweep_position(s, island + 1) - first;
    measuring all = { .s = s, .first = first, .range = s->contacts.range + first / SS_SWEEP_MEASURED + island };
    ss_sweep_measure m = { .size = s->islands.size[island] * s->islands.size[island] };
    ss_parallel_for(s->ctx, count, SS_SWEEP_MEASURED, measure_range, &all);
    for (int i = 0; i * SS_SWEEP_MEASURED < count; i++) { /* in the order of the ranges, whoever has measured them */
        const ss_sweep_measure *part = &all.range[i];
        m.square += part->square;
        m.change = ss_worse(m.change, part->change);
        m.size = ss_worse(m.size, part->size);
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

ss_sweep_measure ss_sweep_pass(ss_sweep *s, int island, double *r)
{
    const ss_sweep_form form = s->islands.form[island];
    double *visited = form == SS_SWEEP_ROWS ? open_rows(s, island, r) : r;
    for (int c = s->order.first_class[island]; c < s->order.first_class[island + 1]; c++) {
        visit_class(s, form, c, visited);
    }
    if (form == SS_SWEEP_ROWS) {
        ss_sweep_read(s, island, visited, r);
    }
    return measure(s, island);
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
    const ss_packed_pass packed = packed_pass(s, (double *)l->r); /* which is only read */
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
        ss_parallel_for(s->ctx, count, s->order.together[c] ? VISITED : count, push_range, &l);
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
    const ss_packed_pass packed = packed_pass(s, NULL);
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
