/* packed_visits.c - the visit of a packed contact: u = q + X x, the contact alone, x += X' dr.
 *
 * Everything that a visit needs is in its place and its record (sweep_packed.c). It touches the velocities of its own one or two
 * bodies and nothing else that another visit touches: the contacts of one colour may be visited in any order and at the same
 * time, with the same bits; four of them at once are visited by packed_lanes.h. Functions have the numbers of rows and of
 * velocities of a body as constants. The circular laws are solved here (circle.h); what is left to one_contact.c are polygons,
 * contacts without friction or that cannot move, and those for which no case is found.
 * Sums are made of two numbers at a time, in one order on every machine; wider vectors do not make the visit of a single contact
 * faster: the time goes into branches, which of the cases it is, and into what one visit waits for.
 * Cost        in space 150 instructions for a contact that stays open, 350 for one that sticks         */
#include "problem/packed_visits.h"

#include "problem/circle.h"
#include "problem/packed_lanes.h"

/* ---- rows and velocities ---------------------------------------------------------------------- */

/* two numbers at once */
typedef double pair __attribute__((vector_size(2 * sizeof(double))));

static inline pair pair_at(const double *x)
{
    pair y;
    memcpy(&y, x, sizeof y);
    return y;
}

static inline double row_velocity(int size, const double *X, const double *a, const double *b)
{
    pair of_a = pair_at(X) * pair_at(a), of_b = pair_at(X + size) * pair_at(b);
    for (int j = 2; j + 1 < size; j += 2) {
        of_a += pair_at(X + j) * pair_at(a + j);
        of_b += pair_at(X + size + j) * pair_at(b + j);
    }
    pair both = of_a + of_b;
    double sum = both[0] + both[1];
    return size % 2 ? sum + (X[size - 1] * a[size - 1] + X[2 * size - 1] * b[size - 1]) : sum;
}

/* x += X' dr, X the columns of one body */
static inline void push_body(int rows, int size, const double *X, const double *dr, double *x)
{
    for (int j = 0; j + 1 < size; j += 2) {
        pair sum = pair_at(x + j);
        for (int i = 0; i < rows; i++) {
            sum += pair_at(X + 2 * size * i + j) * dr[i];
        }
        memcpy(x + j, &sum, sizeof sum);
    }
    for (int i = 0; i < rows && size % 2; i++) {
        x[size - 1] += X[2 * size * i + size - 1] * dr[i];
    }
}

static inline void push(int rows, int size, const ss_packed_place *at, const double *X, const double *dr, double *x)
{
    push_body(rows, size, X, dr, x + at->a);
    if (at->b >= 0) {
        push_body(rows, size, X + size, dr, x + at->b);
    }
}

/* ---- a visit ---------------------------------------------------------------------------------- */

static inline void solve(int rows, int size, const ss_packed_pass *p, int k, const double *record, const double *u, double *r)
{
    const unsigned law = p->place[k].law;
    const ss_circle circle = { ss_packed_W(record, rows, size), ss_packed_inverse(record, rows, size), record[SS_PACKED_MU],
                               law == SS_LAW_ASSOCIATED };
    if (law == 0 || !ss_circle_solve(&circle, rows, u, r)) {
        ss_packed_solve(p, k, u, r);
    }
}

static inline void visit(int rows, int size, const ss_packed_pass *p, int k, lanes_seen *seen)
{
    const ss_packed_place *at = &p->place[k];
    const double *record = p->records + at->at, *q = ss_packed_q(record), *X = ss_packed_X(record, rows);
    const double *a = p->x + at->a, *b = at->b >= 0 ? p->x + at->b : lanes_at_rest;
    double u[3], r[3], dr[3], change = 0, load = 0, turn = 0, *mine = p->r + at->r;
    memcpy(r, mine, (size_t)rows * sizeof *r);
    u[0] = q[0] + p->slide[k] + row_velocity(size, X, a, b);
    if (u[0] >= 0 && r[0] == 0 && r[1] == 0 && r[rows - 1] == 0 && at->law == SS_LAW_COULOMB) { /* it stays open */
        return;
    }
    for (int i = 1; i < rows; i++) {
        u[i] = q[i] + row_velocity(size, X + 2 * size * i, a, b);
    }
    solve(rows, size, p, k, record, u, r);
    for (int i = 0; i < rows; i++) {
        dr[i] = r[i] - mine[i];
        mine[i] = r[i];
        change += dr[i] * dr[i];
        load += r[i] * r[i];
        turn -= p->before ? dr[i] * (r[i] - p->before[at->r + i]) : 0;
    }
    note_one(seen, record[SS_PACKED_D], change, load, turn);
    if (change != 0) {
        push(rows, size, at, X, dr, p->x);
    }
}

enum { AHEAD = 4 * LANES, CACHE_LINE = 64 };

LANES_INLINE void fetch(const void *from, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += CACHE_LINE) {
        __builtin_prefetch((const char *)from + i);
    }
}

/* six numbers, which may lie on two lines */
LANES_INLINE void fetch_body(const double *x)
{
    __builtin_prefetch(x, 1);
    __builtin_prefetch(x + 5, 1);
}

/* The record and the bodies of four contacts that are visited soon: a visit is over before they come from memory. */
LANES_INLINE void expect(const ss_packed_pass *p, int k)
{
    if (k + LANES <= p->positions) {
        const ss_packed_place *at = &p->place[k];
        fetch((const char *)p->records + at->at * sizeof(float), SS_PACKED_NUMBERS * LANES * sizeof(float));
        for (int l = 0; l < LANES; l++) {
            fetch_body(p->x + at[l].a);
            fetch_body(p->x + (at[l].b >= 0 ? at[l].b : at[l].a));
        }
    }
}

/* The impulses of four contacts that go on before the next piece is visited. */
LANES_INLINE void expect_impulses(const ss_packed_pass *p, int k)
{
    enum { BYTES = 3 * LANES * sizeof(double) };
    if (p->last && k < p->positions) {
        fetch(p->r + p->place[k].r, BYTES);
        fetch(p->last + p->place[k].r, BYTES);
    }
}

LANES_INLINE int visit_range(const ss_packed_pass *pass, int begin, int end, ss_packed_seen *all)
{
    const ss_packed_pass p = *pass;
    lanes_seen seen = { lanes_at(all->change), lanes_at(all->square), lanes_at(all->load), lanes_at(all->turn) };
    int k = begin;
    while (k < end && p.place[k].kind != SS_PACKED_NOT) {
        if (p.place[k].kind == SS_PACKED_FOUR_SINGLE) {
            expect(&p, k + AHEAD);
            expect_impulses(&p, k + SS_SWEEP_PIECE);
            visit_lanes(&p, k, true, &seen);
            k += LANES;
        } else if (p.place[k].kind == SS_PACKED_FOUR) {
            visit_lanes(&p, k, false, &seen);
            k += LANES;
        } else if (p.place[k].kind == SS_PACKED_SPACE) {
            visit(3, 6, &p, k++, &seen);
        } else {
            visit(2, 3, &p, k++, &seen);
        }
    }
    put_lanes(all->change, seen.change);
    put_lanes(all->square, seen.square);
    put_lanes(all->load, seen.load);
    put_lanes(all->turn, seen.turn);
    return k;
}

#ifdef __x86_64__
__attribute__((target("avx2"))) static int visit_range_avx2(const ss_packed_pass *pass, int begin, int end, ss_packed_seen *seen)
{
    return visit_range(pass, begin, end, seen);
}
#endif

int ss_packed_visit_plain(const ss_packed_pass *pass, int begin, int end, ss_packed_seen *seen)
{
    return visit_range(pass, begin, end, seen);
}

int ss_packed_visit(const ss_packed_pass *pass, int begin, int end, ss_packed_seen *seen)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx2")) {
        return visit_range_avx2(pass, begin, end, seen);
    }
#endif
    return ss_packed_visit_plain(pass, begin, end, seen);
}

void ss_packed_solve(const ss_packed_pass *p, int k, const double *u, double *r)
{
    const ss_packed_place *at = &p->place[k];
    const ss_one_contact one = at->law != 0 ? ss_packed_one(at, p->records) : p->one[p->number[k]];
    ss_one_contact_solve(&one, u, r);
}

/* ---- outside of visits ------------------------------------------------------------------------ */

void ss_packed_velocity(const ss_packed_pass *p, int k, double *u)
{
    const ss_packed_place *at = &p->place[k];
    const int rows = at->kind == SS_PACKED_PLANE ? 2 : 3, size = 3 * (rows - 1);
    double q[SS_PACKED_NUMBERS];
    ss_packed_read(at, p->records, SS_PACKED_Q, rows + 2 * rows * size, q);
    for (int i = 0; i < rows; i++) {
        u[i] = q[i] + row_velocity(size, q + rows + 2 * size * i, p->x + at->a, at->b >= 0 ? p->x + at->b : lanes_at_rest);
    }
}

int ss_packed_push(const ss_packed_pass *p, int begin, int end)
{
    int k = begin;
    while (k < end && p->place[k].kind != SS_PACKED_NOT) {
        const ss_packed_place *at = &p->place[k];
        const bool plane = at->kind == SS_PACKED_PLANE;
        if (ss_packed_is_four(at)) {
            const bool single = at->kind == SS_PACKED_FOUR_SINGLE;
            expect(p, single ? k + AHEAD : p->positions);
            push_lanes(p, k, single);
            k += LANES;
        } else {
            push(plane ? 2 : 3, plane ? 3 : 6, at, ss_packed_X(p->records + at->at, plane ? 2 : 3), p->r + at->r, p->x);
            k++;
        }
    }
    return k;
}
