/* sweep_general.c - visits of contacts that are not packed: of any number of bodies, by any law, with moments. */
#include "problem/sweep_general.h"

#include "math/cones.h"
#include "math/csr.h"
#include "math/worse.h"
#include "problem/contact_law.h"

#include <math.h>

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

void ss_general_velocity(const ss_visits *v, int k, double *u)
{
    const ss_sweep *s = v->s;
    const int first = s->contacts.row[k], rows = one_at(s, k)->rows;
    memcpy(u, s->q + first, (size_t)rows * sizeof *u);
    if (v->form == SS_SWEEP_VELOCITIES) {
        add_velocity(&s->by_velocity, k, rows, u);
        return;
    }
    for (int i = 0; i < rows; i++) {
        u[i] += ss_csr_row_dot(s->by_rows.W, s->by_rows.first[k] + i, v->r);
    }
}

void ss_general_push(const ss_sweep *s, int k, const double *dr)
{
    const ss_sweep_velocities *f = &s->by_velocity;
    const int rows = one_at(s, k)->rows;
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
static void settle(const ss_visits *v, int k, const double *dr, double more)
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
        ss_general_push(s, k, dr);
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
static void open_cone(const ss_visits *v, int k, cone *x)
{
    const ss_sweep *s = v->s;
    const ss_one_contact *c = one_at(s, k);
    double u[3];
    ss_general_velocity(v, k, u);
    x->y_N = u[0] + s->contacts.slide[k];
    add_part(x, s->contacts.at[k] + 1, c->rows - 1, c->mu, c->rows * c->d - c->W[0], u + 1);
    for (int m = s->contacts.next[k]; m >= 0; m = s->contacts.next[m]) {
        const ss_one_contact *own = one_at(s, m);
        ss_general_velocity(v, m, u);
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
static void visit_together(const ss_visits *v, int k)
{
    const ss_sweep *s = v->s;
    double dr[3], *r = v->r, *normal = r + s->contacts.at[k];
    cone x = { 0 };
    if (s->contacts.lifted[k] >= 0) {
        return;
    }
    open_cone(v, k, &x);
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

void ss_general_put_together(const ss_sweep *s, int k)
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

void ss_general_visit(const ss_visits *v, int k)
{
    const ss_sweep *s = v->s;
    const ss_one_contact *c = one_at(s, k);
    double u[3], dr[3], *mine = v->r + s->contacts.at[k];
    if (s->contacts.host && s->contacts.together[k]) {
        visit_together(v, k);
        return;
    }
    ss_general_velocity(v, k, u);
    u[0] += s->contacts.slide[k];
    memcpy(dr, mine, (size_t)c->rows * sizeof *dr);
    solve_one(s, k, u, v->r);
    for (int i = 0; i < c->rows; i++) {
        dr[i] = mine[i] - dr[i];
    }
    settle(v, k, dr, s->contacts.host && s->contacts.lifted[k] >= 0 ? lift_host(s, k, u, dr) : 0);
}
