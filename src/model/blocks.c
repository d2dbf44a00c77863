/* blocks.c - user blocks: generalized coordinates whose mass, forces, constraints and gaps are callbacks.
 *
 * A callback that fails ends what is being done: the message names the body, the callback and the time, and repeats what the
 * callback said through ss_context_fail.
 *
 * Derivatives that a block does not give are differences:
 *   by q, v     central, step eps^(1/3) times the size of the coordinate: |q| or its unit; |v| or its unit times the speed
 *   in time     along q' = v (rates.c)
 * Speed       the largest |v| / max(unit, |q|), and at least 1 / (the block's time, or the model's): how fast callbacks change.
 *             Nothing here has a unit of its own: a scene in other units gives the same answer.
 * Cost        that of the callbacks: 4 n forces for a Jacobian, 2 n constraints or gaps for a stiffness, 18 for a rate */
#include "model/blocks.h"

#include "math/array.h"
#include "model/rates.h"
#include <float.h>

int ss_block_constraints(const ss_model *m, int body)
{
    return ss_model_is_block(m, body) ? m->body_callbacks[body]->constraints : 0;
}

int ss_block_gap_rows(const ss_model *m, const ss_block *b) { return b->tangent && b->mu > 0 ? m->dimension : 1; }

/* numbers of all gaps: value, part of time, row of each normal; part of time and row of each tangent */
static size_t gap_numbers(const ss_model *m, const ss_block *b)
{
    size_t n = (size_t)b->n, tangents = (size_t)ss_block_gap_rows(m, b) - 1;
    return (size_t)b->gaps * (n + 2 + tangents * (n + 1));
}

size_t ss_block_scratch(const ss_model *m, const ss_block *b)
{
    size_t n = (size_t)b->n, rows = (size_t)b->constraints, gap_rows = (size_t)ss_block_gap_rows(m, b);
    size_t constraints = SS_FLOW_WORK * rows + rows * (n + 2) + rows;
    size_t gaps = SS_FLOW_WORK * gap_rows + gap_numbers(m, b) + (size_t)b->gaps * gap_rows;
    return n * n + 3 * n + rows + (constraints > gaps ? constraints : gaps);
}

/* ---- calls --------------------------------------------------------------------------------------------- */

static ss_status failed(ss_context *ctx, const ss_model *m, int body, const char *callback, double t, ss_status status)
{
    const char *said = ss_last_error(ctx);
    if (*said) {
        return ss_fail_within(ctx, status, "bodies.%s.block.%s: failed at t = %.9g", m->body_name[body], callback, t);
    }
    return ss_fail(ctx, status, "bodies.%s.block.%s: failed at t = %.9g: %s", m->body_name[body], callback, t,
                   ss_status_text(status));
}

/* Call a callback; on failure its message is kept and completed. */
#define CALL(ctx, m, body, t, name, ...)                                                                                         \
    do {                                                                                                                         \
        ss_error_clear(ctx);                                                                                                     \
        ss_status status_ = (m)->body_callbacks[body]->name((m)->body_callbacks[body]->user, t, __VA_ARGS__);                    \
        if (status_ != SS_OK) {                                                                                                  \
            return failed(ctx, m, body, #name, t, status_);                                                                      \
        }                                                                                                                        \
    } while (0)

static void clear(double *x, size_t count) { memset(x, 0, count * sizeof *x); }

static size_t table(int rows, int columns) { return (size_t)rows * (size_t)columns; }

ss_status ss_block_mass(ss_context *ctx, const ss_model *m, int body, double t, const double *q, double *M)
{
    const int n = m->body_callbacks[body]->n;
    clear(M, table(n, n));
    CALL(ctx, m, body, t, mass, q, M);
    return SS_OK;
}

ss_status ss_block_force(ss_context *ctx, const ss_model *m, int body, double t, const double *q, const double *v, double *k)
{
    clear(k, (size_t)m->body_callbacks[body]->n);
    if (m->body_callbacks[body]->force) {
        CALL(ctx, m, body, t, force, q, v, k);
    }
    return SS_OK;
}

ss_status ss_block_potential(ss_context *ctx, const ss_model *m, int body, double t, const double *q, double *energy)
{
    *energy = 0;
    if (m->body_callbacks[body]->potential) {
        CALL(ctx, m, body, t, potential, q, energy);
    }
    return SS_OK;
}

ss_status ss_block_constraint(ss_context *ctx, const ss_model *m, int body, double t, const double *q, double *g, double *G,
                              double *g_t)
{
    const ss_block *b = m->body_callbacks[body];
    clear(g, (size_t)b->constraints);
    clear(G, table(b->constraints, b->n));
    clear(g_t, (size_t)b->constraints);
    CALL(ctx, m, body, t, constraint, q, g, G, g_t);
    return SS_OK;
}

/* ---- gaps ------------------------------------------------------------------------------------------------- */

static ss_block_gaps lay_out_gaps(const ss_model *m, const ss_block *b, double *memory)
{
    const int tangents = b->gaps * (ss_block_gap_rows(m, b) - 1);
    ss_block_gaps x = { .gap = memory };
    x.gap_t = x.gap + b->gaps;
    x.H = x.gap_t + b->gaps;
    x.T_t = x.H + table(b->gaps, b->n);
    x.T = x.T_t + tangents;
    return x;
}

ss_status ss_block_gaps_take(ss_arena *arena, const ss_model *m, int body, ss_block_gaps *out)
{
    const ss_block *b = m->body_callbacks[body];
    double *memory;
    if (!b || b->gaps == 0) {
        return SS_OK;
    }
    SS_TRY(ss_arena_take_raw(arena, gap_numbers(m, b), sizeof *memory, &memory));
    *out = lay_out_gaps(m, b, memory);
    return SS_OK;
}

static ss_status eval_gaps(ss_context *ctx, const ss_model *m, int body, double t, const double *q, ss_block_gaps *x)
{
    const ss_block *b = m->body_callbacks[body];
    clear(x->gap, gap_numbers(m, b));
    CALL(ctx, m, body, t, gap, q, x->gap, x->H, x->gap_t);
    if (ss_block_gap_rows(m, b) > 1) {
        CALL(ctx, m, body, t, tangent, q, x->T, x->T_t);
    }
    return SS_OK;
}

ss_status ss_block_gaps_at(ss_context *ctx, const ss_model *m, const ss_config *c, int body, const ss_block_gaps **out)
{
    ss_block_gaps *x = &c->gaps[body];
    if (!x->known) {
        SS_TRY(eval_gaps(ctx, m, body, c->t, c->q + m->body_q[body], x));
        x->known = true;
    }
    *out = x;
    return SS_OK;
}

const double *ss_block_gap_row(const ss_model *m, const ss_block *b, const ss_block_gaps *gaps, int gap, int row, double *drive)
{
    const size_t n = (size_t)b->n;
    if (row == 0) {
        *drive = gaps->gap_t[gap];
        return gaps->H + (size_t)gap * n;
    }
    const int tangent = gap * (ss_block_gap_rows(m, b) - 1) + row - 1;
    *drive = gaps->T_t[tangent];
    return gaps->T + (size_t)tangent * n;
}

/* ---- scales ------------------------------------------------------------------------------------------------- */

static const double *units(const ss_model *m, int body) { return m->v_unit + m->body_v[body]; }

/* size of coordinate j where it is x */
static double size_at(const ss_model *m, int body, int j, double x) { return fmax(units(m, body)[j], fabs(x)); }

static double speed_at(const ss_model *m, int body, const double *q, const double *v)
{
    const ss_block *b = m->body_callbacks[body];
    double speed = 1 / (b->time > 0 ? b->time : m->time);
    for (int j = 0; j < b->n; j++) {
        speed = fmax(speed, fabs(v[j]) / size_at(m, body, j, q[j]));
    }
    return speed;
}

/* ---- differences of forces --------------------------------------------------------------------------------------- */

/* where a block's force is differentiated: by q or by v */
typedef struct force_at {
    double t;
    const double *q, *v;
    bool by_v;
} force_at;

/* k with coordinate x moved to z */
static ss_status moved_force(ss_context *ctx, const ss_model *m, int body, const force_at *at, const double *z, double *k)
{
    return ss_block_force(ctx, m, body, at->t, at->by_v ? at->q : z, at->by_v ? z : at->v, k);
}

static ss_status difference_force(ss_context *ctx, const ss_model *m, int body, const force_at *at, double *out)
{
    const int n = m->body_callbacks[body]->n;
    const double *x = at->by_v ? at->v : at->q, speed = speed_at(m, body, at->q, at->v);
    double *z = m->scratch, *plus = z + n, *minus = plus + n;
    memcpy(z, x, (size_t)n * sizeof *z);
    for (int j = 0; j < n; j++) {
        const double size = at->by_v ? fmax(fabs(x[j]), units(m, body)[j] * speed) : size_at(m, body, j, x[j]);
        const double h = cbrt(DBL_EPSILON) * size;
        z[j] = x[j] + h;
        SS_TRY(moved_force(ctx, m, body, at, z, plus));
        z[j] = x[j] - h;
        SS_TRY(moved_force(ctx, m, body, at, z, minus));
        z[j] = x[j];
        for (int i = 0; i < n; i++) {
            out[i * n + j] = (plus[i] - minus[i]) / (2 * h);
        }
    }
    return SS_OK;
}

ss_status ss_block_jacobian(ss_context *ctx, const ss_model *m, int body, double t, const double *q, const double *v, double *k_q,
                            double *k_v)
{
    const ss_block *b = m->body_callbacks[body];
    clear(k_q, table(b->n, b->n));
    clear(k_v, table(b->n, b->n));
    if (b->jacobian) {
        CALL(ctx, m, body, t, jacobian, q, v, k_q, k_v);
    } else if (b->force) {
        SS_TRY(difference_force(ctx, m, body, &(force_at){ t, q, v, false }, k_q));
        SS_TRY(difference_force(ctx, m, body, &(force_at){ t, q, v, true }, k_v));
    }
    return SS_OK;
}

/* ---- rates ----------------------------------------------------------------------------------------------------- */

/* a block that moves with v from (t, q); its constraints, or some rows of a gap */
typedef struct flow {
    ss_context *ctx;
    const ss_model *m;
    int body, gap, rows;
    double t;
    const double *q, *v;
    double *scratch;
} flow;

/* q + s v, in the first n numbers of the scratch */
static const double *moved(const flow *x, double s)
{
    const int n = x->m->body_callbacks[x->body]->n;
    for (int j = 0; j < n; j++) {
        x->scratch[j] = x->q[j] + s * x->v[j];
    }
    return x->scratch;
}

/* G v + g_t at time t + s and q + s v */
static ss_status constraint_velocity(const void *self, double s, double *out)
{
    const flow *x = self;
    const int n = x->m->body_callbacks[x->body]->n;
    double *g = x->scratch + n, *g_t = g + x->rows, *G = g_t + x->rows;
    SS_TRY(ss_block_constraint(x->ctx, x->m, x->body, x->t + s, moved(x, s), g, G, g_t));
    for (int i = 0; i < x->rows; i++) {
        out[i] = g_t[i] + ss_array_dot(n, G + table(i, n), x->v);
    }
    return SS_OK;
}

/* the same for the rows of a gap */
static ss_status gap_velocity(const void *self, double s, double *out)
{
    const flow *x = self;
    const ss_block *b = x->m->body_callbacks[x->body];
    ss_block_gaps gaps = lay_out_gaps(x->m, b, x->scratch + b->n);
    SS_TRY(eval_gaps(x->ctx, x->m, x->body, x->t + s, moved(x, s), &gaps));
    for (int i = 0; i < x->rows; i++) {
        double drive;
        const double *row = ss_block_gap_row(x->m, b, &gaps, x->gap, i, &drive);
        out[i] = drive + ss_array_dot(b->n, row, x->v);
    }
    return SS_OK;
}

static ss_status rate(ss_flow_function *function, flow *x, double *out)
{
    double *work = x->m->scratch, speed = speed_at(x->m, x->body, x->q, x->v);
    x->scratch = work + SS_FLOW_WORK * x->rows;
    return ss_flow_rate(function, x, x->rows, speed, work, out);
}

ss_status ss_block_constraint_rate(ss_context *ctx, const ss_model *m, int body, double t, const double *q, const double *v,
                                   double *out)
{
    return rate(constraint_velocity, &(flow){ ctx, m, body, 0, ss_block_constraints(m, body), t, q, v, NULL }, out);
}

ss_status ss_block_gap_rate(ss_context *ctx, const ss_model *m, const ss_config *c, const double *v, int body, int gap, int rows,
                            double *out)
{
    return rate(gap_velocity, &(flow){ ctx, m, body, gap, rows, c->t, c->q + m->body_q[body], v + m->body_v[body], NULL }, out);
}

/* ---- stiffness --------------------------------------------------------------------------------------------------- */

/* multipliers of the constraints, or of the rows of one gap */
typedef struct pull {
    const double *lam, *r; /* one of them is NULL */
    int gap, rows;
} pull;

/* force += scale times the rows at q times the multipliers; scratch: of the rows */
static ss_status add_pull(ss_context *ctx, const ss_model *m, int body, double t, const double *q, const pull *p, double scale,
                          double *scratch, double *force)
{
    const ss_block *b = m->body_callbacks[body];
    double *g = scratch, *g_t = g + b->constraints, *G = g_t + b->constraints, drive;
    ss_block_gaps gaps = lay_out_gaps(m, b, scratch);
    SS_TRY(p->lam ? ss_block_constraint(ctx, m, body, t, q, g, G, g_t) : eval_gaps(ctx, m, body, t, q, &gaps));
    for (int i = 0; i < p->rows; i++) {
        const double *row = p->lam ? G + table(i, b->n) : ss_block_gap_row(m, b, &gaps, p->gap, i, &drive);
        for (int j = 0; j < b->n; j++) {
            force[j] += scale * (p->lam ? p->lam : p->r)[i] * row[j];
        }
    }
    return SS_OK;
}

/* column by column */
static ss_status difference_pull(ss_context *ctx, const ss_model *m, const ss_config *c, int body, const pull *p, double *K)
{
    const int n = m->body_callbacks[body]->n;
    const double *q = c->q + m->body_q[body];
    double *z = m->scratch, *slope = z + n, *scratch = slope + n;
    memcpy(z, q, (size_t)n * sizeof *z);
    for (int j = 0; j < n; j++) {
        const double h = cbrt(DBL_EPSILON) * size_at(m, body, j, q[j]);
        clear(slope, (size_t)n);
        z[j] = q[j] + h;
        SS_TRY(add_pull(ctx, m, body, c->t, z, p, 1 / (2 * h), scratch, slope));
        z[j] = q[j] - h;
        SS_TRY(add_pull(ctx, m, body, c->t, z, p, -1 / (2 * h), scratch, slope));
        z[j] = q[j];
        for (int i = 0; i < n; i++) {
            K[i * n + j] += slope[i];
        }
    }
    return SS_OK;
}

/* by the block's own callback, which takes the multipliers of all rows */
static ss_status own_stiffness(ss_context *ctx, const ss_model *m, const ss_config *c, int body, const pull *p, double *K)
{
    const ss_block *b = m->body_callbacks[body];
    const int gap_rows = ss_block_gap_rows(m, b);
    double *lam = m->scratch, *r = lam + b->constraints, *own = r + b->gaps * gap_rows;
    clear(lam, (size_t)b->constraints + table(b->gaps, gap_rows) + table(b->n, b->n));
    memcpy(p->lam ? lam : r + p->gap * gap_rows, p->lam ? p->lam : p->r, (size_t)p->rows * sizeof *lam);
    CALL(ctx, m, body, c->t, stiffness, c->q + m->body_q[body], lam, r, own);
    for (int i = 0; i < b->n * b->n; i++) {
        K[i] += own[i];
    }
    return SS_OK;
}

static ss_status add_stiffness(ss_context *ctx, const ss_model *m, const ss_config *c, int body, const pull *p, double *K)
{
    return m->body_callbacks[body]->stiffness ? own_stiffness(ctx, m, c, body, p, K) : difference_pull(ctx, m, c, body, p, K);
}

ss_status ss_block_constraint_stiffness(ss_context *ctx, const ss_model *m, const ss_config *c, int body, const double *lam,
                                        double *K)
{
    return add_stiffness(ctx, m, c, body, &(pull){ .lam = lam, .rows = ss_block_constraints(m, body) }, K);
}

ss_status ss_block_gap_stiffness(ss_context *ctx, const ss_model *m, const ss_config *c, int body, int gap, int rows,
                                 const double *r, double *K)
{
    return add_stiffness(ctx, m, c, body, &(pull){ .r = r, .gap = gap, .rows = rows }, K);
}
