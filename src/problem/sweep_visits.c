/* sweep_visits.c - passes over the contacts of an island, in the form that sweep.c has chosen for it. */
#include "problem/sweep_inside.h"

#include "base/parallel.h"
#include "math/csr.h"
#include "math/worse.h"
#include "problem/contact_law.h"

#include <math.h>

enum { GRAIN = 512 }; /* contacts that a thread takes at a time */

/* ---- visits ----------------------------------------------------------------------------------- */

/* u += X v for rows x size numbers; sizes known to the compiler in the common cases */
static inline void gather(int rows, int size, const double *X, const double *v, double *u)
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
static inline void scatter(int rows, int size, const double *X, const double *r, double *v)
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
        if (rows == 3 && p->size == 6) {
            gather(3, 6, f->H.x + p->at, f->v + p->offset, u);
        } else {
            gather(rows, p->size, f->H.x + p->at, f->v + p->offset, u);
        }
    }
}

static void apply(const ss_sweep_velocities *f, int k, int rows, const double *dr)
{
    for (int e = f->Y.first[k]; e < f->Y.first[k + 1]; e++) {
        const ss_piece *p = &f->Y.list[e];
        if (rows == 3 && p->size == 6) {
            scatter(3, 6, f->Y.x + p->at, dr, f->v + p->offset);
        } else {
            scatter(rows, p->size, f->Y.x + p->at, dr, f->v + p->offset);
        }
    }
}

static void contact_velocity(const ss_sweep *s, ss_sweep_form form, int k, const double *r, double *u)
{
    int first = s->contacts.row[k], rows = s->contacts.one[k].rows;
    if (form == SS_SWEEP_VELOCITIES) {
        memcpy(u, s->problem->w + first, (size_t)rows * sizeof *u);
        add_velocity(&s->by_velocity, k, rows, u);
        return;
    }
    for (int i = 0; i < rows; i++) {
        u[i] = s->q[first + i] + ss_csr_row_dot(s->by_rows.W, s->by_rows.first[k] + i, r);
    }
}

static void visit(const ss_sweep *s, ss_sweep_form form, int k, double *r)
{
    const ss_one_contact *c = &s->contacts.one[k];
    double u[3], dr[3], *mine = r + s->contacts.row[k], square = 0;
    contact_velocity(s, form, k, r, u);
    u[0] += s->contacts.slide[k];
    memcpy(dr, mine, (size_t)c->rows * sizeof *dr);
    ss_one_contact_solve(c, u, mine);
    for (int i = 0; i < c->rows; i++) {
        dr[i] = mine[i] - dr[i];
        square += dr[i] * dr[i];
    }
    s->contacts.change[k] = c->d > 0 ? c->d * square : 0;
    if (form == SS_SWEEP_VELOCITIES && square != 0) {
        apply(&s->by_velocity, k, c->rows, dr);
    }
}

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
    for (int k = begin; k < end; k++) {
        visit(c->s, c->form, c->first + k, c->r);
    }
}

static void visit_class(const ss_sweep *s, ss_sweep_form form, int class, double *r)
{
    int begin = s->order.first[class], count = s->order.first[class + 1] - begin;
    class_visit all = { .s = s, .form = form, .first = begin, .r = r };
    bool apart = form == SS_SWEEP_VELOCITIES || s->problem->local; /* a full W reads all impulses of the island */
    if (s->order.together[class] && apart) {
        ss_parallel_for(s->ctx, count, GRAIN, visit_range, &all);
    } else {
        visit_range(&all, 0, count);
    }
}

static ss_sweep_measure measure(const ss_sweep *s, int island, const double *r)
{
    ss_sweep_measure m = { .size = s->islands.size[island] * s->islands.size[island] };
    for (int k = ss_sweep_position(s, island); k < ss_sweep_position(s, island + 1); k++) {
        double square = 0;
        int first = s->contacts.row[k];
        for (int i = first; i < first + s->contacts.one[k].rows; i++) {
            square += r[i] * r[i];
        }
        m.square += s->contacts.change[k];
        m.change = ss_worse(m.change, s->contacts.change[k]);
        m.size = ss_worse(m.size, s->weight[first] * square);
    }
    m.change = sqrt(m.change);
    m.size = sqrt(m.size);
    return m;
}

ss_sweep_measure ss_sweep_pass(ss_sweep *s, int island, double *r)
{
    for (int c = s->order.first_class[island]; c < s->order.first_class[island + 1]; c++) {
        visit_class(s, s->islands.form[island], c, r);
    }
    return measure(s, island, r);
}

/* ---- velocities of an island ------------------------------------------------------------------ */

/* v = v_free + Y' r over the island's blocks */
void ss_sweep_start(ss_sweep *s, int island, const double *r)
{
    const ss_blockdiag *B = &s->problem->scale;
    const ss_sweep_velocities *f = &s->by_velocity;
    if (s->islands.form[island] != SS_SWEEP_VELOCITIES) {
        return;
    }
    for (int i = f->blocks.first[island]; i < f->blocks.first[island + 1]; i++) {
        int at = B->offset[f->blocks.item[i]];
        memcpy(f->v + at, f->v_free + at, (size_t)B->size[f->blocks.item[i]] * sizeof *f->v);
    }
    for (int k = ss_sweep_position(s, island); k < ss_sweep_position(s, island + 1); k++) {
        apply(f, k, s->contacts.one[k].rows, r + s->contacts.row[k]);
    }
}

void ss_sweep_extrapolate(ss_sweep *s, int island, double beta)
{
    const ss_blockdiag *B = &s->problem->scale;
    const ss_sweep_velocities *f = &s->by_velocity;
    if (s->islands.form[island] != SS_SWEEP_VELOCITIES) {
        return;
    }
    for (int i = f->blocks.first[island]; i < f->blocks.first[island + 1]; i++) {
        int block = f->blocks.item[i];
        for (int j = B->offset[block]; j < B->offset[block] + B->size[block]; j++) {
            double now = f->v[j];
            f->v[j] += beta * (now - f->v_last[j]);
            f->v_last[j] = now;
        }
    }
}

/* ---- frozen slip ------------------------------------------------------------------------------ */

/* does s of the contact's original law depend on its velocity? (while frozen the contact has another law) */
static bool has_slide(const ss_sweep *s, int k)
{
    const ss_one_contact *c = &s->contacts.one[k];
    return s->problem->law[s->order.contact[k]] & (SS_LAW_COULOMB | SS_LAW_POLYHEDRAL) && c->law != SS_LAW_UNILATERAL && c->d > 0;
}

static void set_associated(ss_one_contact *c, bool associated)
{
    bool circular = c->law == SS_LAW_COULOMB || c->law == SS_LAW_ASSOCIATED;
    if (associated) {
        c->law = circular ? SS_LAW_ASSOCIATED : SS_LAW_ASSOCIATED_POLYHEDRAL;
    } else {
        c->law = circular ? SS_LAW_COULOMB : SS_LAW_POLYHEDRAL;
    }
}

double ss_sweep_freeze(ss_sweep *s, int island, double fraction, const double *r)
{
    double worst = 0;
    for (int k = ss_sweep_position(s, island); k < ss_sweep_position(s, island + 1); k++) {
        ss_one_contact *c = &s->contacts.one[k];
        double u[3];
        if (!has_slide(s, k)) {
            continue;
        }
        contact_velocity(s, s->islands.form[island], k, r, u);
        set_associated(c, false);
        double more = ss_law_slip(c->law, c->rows, c->mu, c->directions, c->direction, u) - s->contacts.slide[k];
        set_associated(c, true);
        s->contacts.slide[k] += fraction * more;
        worst = ss_worse(worst, fabs(more) / sqrt(c->d));
    }
    return worst;
}
