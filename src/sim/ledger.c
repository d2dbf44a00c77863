/* ledger.c - where the kinetic energy of a segment came from.
 *
 * With  M (v1 - v0) = sum of impulses p_j  and M constant,
 *
 *     T1 - T0 = (v0 + v1)/2 . M (v1 - v0) = sum_j p_j . (v0 + v1)/2
 *
 * so each impulse times the mean velocity is an entry, and nothing is left over. The work of a contact
 * is told apart by whose velocity it acts on: with u = H v + w_drive the relative velocity,
 *
 *     r . H v_mean = [r . (H v_mean + w_drive) + r_N w_stab/2]    contact, normal and friction
 *                  + [-r . w_drive]                              driven bodies
 *                  + [-r_N w_stab/2]                             stabilisation: it makes u_N = -w_stab at the end
 *
 * and joints likewise with G v = c_drive. A segment whose impulses are summed over stages (`shown`) gives them in
 * `impulse`, with the work of driven bodies that is in them in `driven`:  p . v_mean = [p . v_mean - driven] + [driven]. It may
 * say what they did where they acted:  p . v_mean = sum h b_i F_i . V_i + sum h b_i F_i . (v_mean - V_i), the second sum is an
 * error of the method of its own order and entered as `scheme`. A mass matrix that changes adds v1.(M(q1) - M).v1/2 + v0.(M -
 * M(q0)).v0/2, the entry `inertia`. `closure` is the largest difference between the kinetic energy measured and the sum, relative
 * to the kinetic energies, to the absolute works that the entries add up, and to the energy that gravity alone would give in the
 * segment: bodies at rest have velocities that are nothing but round-off of the last. */
#include "base/parallel.h"
#include "math/array.h"
#include "math/worse.h"
#include "model/blocks.h"
#include "sim/sim.h"
#include <float.h>
#include <math.h>

static double at(const double *a, int i) { return a ? a[i] : 0; }

/* Entries, and the sum of the absolute works they are made of: what a closure error is compared with. */
typedef struct book {
    ss_ledger entry;
    double moved;
} book;

/* Bodies whose impulses are entered, in ranges. */
enum { GRAIN = 256 };

/* of the bodies of a range: works at the mean velocity; the sum of |p||v|, vectors of different units apart, because an impulse
 * whose direction is nothing but round-off still counts; the sum of |p| of gravity */
typedef struct impulse_sums {
    double work[SS_IMPULSES], absolute, gravity;
} impulse_sums;

typedef struct impulse_job {
    const ss_model *m;
    const ss_segment *g;
    double *mean;     /* nv: velocities, found here */
    impulse_sums *of; /* of every range             */
} impulse_job;

/* n velocities v from number `at` on, a vector of a body */
static void add_vector(const ss_segment *g, int at, int n, const double *v, impulse_sums *sum)
{
    const double square = ss_array_dot(n, v, v);
    for (int k = 0; k < SS_IMPULSES; k++) {
        const double *p = g->impulse[k] ? g->impulse[k] + at : NULL;
        if (p) {
            sum->work[k] += ss_array_dot(n, p, v);
            sum->absolute += sqrt(ss_array_dot(n, p, p) * square);
        }
    }
}

static void add_range(void *data, int begin, int end)
{
    const impulse_job *x = data;
    const ss_model *m = x->m;
    const double *gravity = x->g->impulse[SS_IMPULSE_GRAVITY];
    impulse_sums sum = { .absolute = 0 };
    for (int b = begin; b < end; b++) {
        const int at = m->body_v[b], size = at < 0 ? 0 : m->mass.diagonal.size[m->body_block[b]];
        for (int i = at; i < at + size; i++) {
            x->mean[i] = 0.5 * (x->g->from.v[i] + x->g->to.v[i]);
        }
        for (int i = 0, n; i < size; i += n) {
            n = ss_model_vector_size(m, b, i);
            add_vector(x->g, at + i, n, x->mean + at + i, &sum);
        }
        if (gravity && size > 0 && !ss_model_is_block(m, b)) {
            sum.gravity += ss_array_length(m->dimension, gravity + at);
        }
    }
    x->of[begin / GRAIN] = sum;
}

/* mean[nv], and *gravity: half the sum of |p| of gravity times the speed that it gives, which is p.M^-1 p/2 of all */
static ss_status enter_impulses(ss_context *ctx, ss_arena *arena, impulse_job *x, book *b, double *gravity)
{
    const ss_segment *g = x->g;
    const int ranges = (x->m->bodies + GRAIN - 1) / GRAIN;
    ss_ledger *ledger = &b->entry;
    double *entry[SS_IMPULSES] = { [SS_IMPULSE_GRAVITY] = &ledger->gravity,
                                   [SS_IMPULSE_SPRING] = &ledger->springs,
                                   [SS_IMPULSE_DAMPER] = &ledger->dampers,
                                   [SS_IMPULSE_APPLIED] = &ledger->applied,
                                   [SS_IMPULSE_GYROSCOPIC] = &ledger->gyroscopic,
                                   [SS_IMPULSE_JOINTS] = &ledger->joints,
                                   [SS_IMPULSE_CONTACT_NORMAL] = &ledger->contact_normal,
                                   [SS_IMPULSE_CONTACT_FRICTION] = &ledger->contact_friction,
                                   [SS_IMPULSE_PROJECTION] = &ledger->projection,
                                   [SS_IMPULSE_SCHEME] = &ledger->scheme };
    impulse_sums all = { .absolute = 0 };
    SS_TRY(ss_arena_take_raw(arena, (size_t)ranges, sizeof *x->of, &x->of));
    ss_parallel_for(ctx, x->m->bodies, GRAIN, add_range, x);
    for (int r = 0; r < ranges; r++) {
        for (int k = 0; k < SS_IMPULSES; k++) {
            all.work[k] += x->of[r].work[k];
        }
        all.absolute += x->of[r].absolute;
        all.gravity += x->of[r].gravity;
    }
    for (int k = 0; k < SS_IMPULSES; k++) {
        if (g->impulse[k]) {
            double at_mean = all.work[k], work = g->stages.work ? g->stages.work[k] : at_mean;
            *entry[k] += work;
            ledger->scheme += at_mean - work;
        }
    }
    b->moved += all.absolute;
    *gravity = 0.5 * (g->to.t - g->from.t) * ss_norm(x->m->gravity) * all.gravity;
    return SS_OK;
}

/* the work of driven bodies through joints and contacts has its own entry */
static void part_driven(const ss_segment *g, book *b)
{
    double *const entry[3] = { &b->entry.joints, &b->entry.contact_normal, &b->entry.contact_friction };
    for (int k = 0; k < 3; k++) {
        *entry[k] -= g->stages.driven[k];
        b->entry.driven += g->stages.driven[k];
        b->moved += fabs(g->stages.driven[k]);
    }
}

/* absolute work of an impulse r along a row */
static double absolute_row_work(const ss_csr *A, int row, double r, const double *v)
{
    double s = 0;
    for (int k = A->p[row]; k < A->p[row + 1]; k++) {
        s += fabs(A->x[k] * v[A->i[k]]);
    }
    return fabs(r) * s;
}

static void enter_contact(const ss_segment *g, int k, const ss_row_motion *x, book *b)
{
    ss_ledger *ledger = &b->entry;
    const ss_problem *p = g->problem;
    const bool rubs = p->law[k] == SS_LAW_ROLLING || (g->contacts && ss_contact_is_joint_friction(g->contacts->c[k])),
               motor = p->law[k] == SS_LAW_BOUNDED && !rubs;
    for (int row = p->row[k]; row < p->row[k + 1]; row++) {
        double r = ss_segment_weight(g) * (g->solution->r[row] + at(g->parts.r_given, row));
        double drive = r * at(g->parts.w_drive, row), stab = 0.5 * r * at(g->parts.w_stabilise, row);
        double work = 0.5 * r * (x->before[row] + x->after[row]);
        const bool normal = row == p->row[k] && !rubs;
        double *entry = motor ? &ledger->applied : normal ? &ledger->contact_normal : &ledger->contact_friction;
        *entry += motor ? work : work + drive + stab;
        b->moved += fabs(r) * x->absolute[row] + fabs(drive) + fabs(stab);
        ledger->driven -= motor ? 0 : drive;
        ledger->stabilisation -= stab;
    }
}

typedef struct contact_job {
    const ss_segment *g;
    const ss_row_motion *rows;
    book *of; /* of each range */
} contact_job;

static void enter_range(void *data, int begin, int end)
{
    const contact_job *x = data;
    book *sum = &x->of[begin / GRAIN];
    *sum = (book){ .moved = 0 };
    for (int k = begin; k < end; k++) {
        enter_contact(x->g, k, x->rows, sum);
    }
}

static ss_status enter_contacts(ss_context *ctx, ss_arena *arena, const ss_segment *g, const ss_row_motion *rows, book *b)
{
    const int contacts = g->problem->nc;
    contact_job x = { .g = g, .rows = rows };
    SS_TRY(ss_arena_take_raw(arena, (size_t)contacts / GRAIN + 1, sizeof *x.of, &x.of));
    ss_parallel_for(ctx, contacts, GRAIN, enter_range, &x);
    for (int r = 0; r * GRAIN < contacts; r++) {
        ss_ledger_add(&b->entry, &x.of[r].entry);
        b->moved += x.of[r].moved;
    }
    return SS_OK;
}

static void enter_joints(const ss_model *m, const ss_segment *g, const double *mean, book *b)
{
    ss_ledger *ledger = &b->entry;
    const ss_problem *p = g->problem;
    for (int i = 0; i < p->nj; i++) {
        double lam = ss_segment_weight(g) * g->solution->lam[i], work = lam * ss_csr_row_dot(&p->G, i, mean);
        double drive = lam * at(g->parts.c_drive, i);
        *(m->row_motor[i] ? &ledger->applied : &ledger->joints) += work - drive;
        b->moved += absolute_row_work(&p->G, i, lam, mean) + fabs(drive);
        ledger->driven += drive;
    }
}

static double kinetic_with(const ss_matrix *M, const double *v, double *scratch)
{
    ss_matrix_times(M, v, scratch);
    return 0.5 * ss_array_dot(ss_matrix_rows(M), v, scratch);
}

double ss_ledger_sum(const ss_ledger *ledger)
{
#define ADD(name, doc) +ledger->name
    return 0 SS_LEDGER_LIST(ADD);
#undef ADD
}

static double absolute_sum(const ss_ledger *ledger)
{
#define ADD(name, doc) +fabs(ledger->name)
    return 0 SS_LEDGER_LIST(ADD);
#undef ADD
}

void ss_ledger_add(ss_ledger *sum, const ss_ledger *step)
{
#define ADD(name, doc) sum->name += step->name;
    SS_LEDGER_LIST(ADD)
#undef ADD
    sum->kinetic_change += step->kinetic_change;
    sum->exchanged += step->exchanged;
    sum->integration_error += step->integration_error;
    sum->position_correction += step->position_correction;
    sum->driven_springs += step->driven_springs;
    sum->closure = ss_worse(sum->closure, step->closure);
    sum->impact_gain += step->impact_gain;
    sum->impact_gains += step->impact_gains;
}

static ss_status enter(ss_context *ctx, const ss_model *m, ss_arena *arena, const ss_segment *g, const ss_row_motion *rows,
                       ss_ledger *ledger)
{
    book b = { .moved = 0 };
    ss_ledger *own = &b.entry;
    impulse_job x = { .m = m, .g = g };
    double *scratch, gravity;
    SS_TRY(ss_arena_take_raw(arena, (size_t)m->nv, sizeof *x.mean, &x.mean));
    SS_TRY(ss_arena_take_raw(arena, (size_t)m->nv, sizeof *scratch, &scratch));
    SS_TRY(enter_impulses(ctx, arena, &x, &b, &gravity));
    part_driven(g, &b);
    if (g->problem && !g->stages.shown) {
        SS_TRY(enter_contacts(ctx, arena, g, rows, &b));
        enter_joints(m, g, x.mean, &b);
    }
    double T0, T1;
    SS_TRY(ss_model_kinetic(ctx, m, g->from.t, g->from.q, g->from.v, &T0));
    SS_TRY(ss_model_kinetic(ctx, m, g->to.t, g->to.q, g->to.v, &T1));
    if (!m->constant_mass) {
        own->inertia = T1 - kinetic_with(g->mass, g->to.v, scratch) + kinetic_with(g->mass, g->from.v, scratch) - T0;
    }
    own->kinetic_change = T1 - T0;
    own->exchanged = absolute_sum(own);
    double scale = T0 + T1 + b.moved + gravity;
    const double lost = DBL_MIN / DBL_EPSILON; /* smaller energies lose digits to underflow */
    own->closure = scale > lost ? fabs(own->kinetic_change - ss_ledger_sum(own)) / scale : 0;
    *ledger = *own;
    return SS_OK;
}

ss_status ss_ledger_enter(ss_context *ctx, const ss_model *m, ss_arena *arena, const ss_segment *g, const ss_row_motion *rows,
                          ss_ledger *ledger)
{
    const ss_arena_mark mark = ss_arena_save(arena);
    const ss_status status = enter(ctx, m, arena, g, rows, ledger);
    ss_arena_release(arena, mark);
    return status;
}
