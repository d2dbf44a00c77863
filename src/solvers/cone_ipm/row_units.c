/* row_units.c - scales of the rows, with the mobilities and islands of the certificate (residual.c).
 *
 *   d_g = trace(J_g B^-1 J_g') / dim,    unit of an island = max over its groups of |J_g v_free + w_g| / sqrt(d_g),
 *   v_free = B^-1 b
 *
 * all of the dimension sqrt(energy). A free velocity counts for no less than its own round-off: bodies that fly along together
 * are not blown up. Where it is exactly zero on a whole island, v_free obeys everything with r = 0, and nothing needs to be
 * solved: a relative residual would ask for more than round-off allows.
 *
 * Cost        linear in the entries                                                                   */
#include "solvers/cone_ipm/row_units.h"
#include "base/tolerances.h"

#include "math/matrix.h"
#include "problem/islands.h"

#include <float.h>
#include <math.h>

/* what the functions below need */
typedef struct search {
    const ss_problem *p;
    const ss_csr *J;
    const ss_gram *gram;
    bool local;
    double *v_free;
    ss_islands islands;
    double *unit; /* islands */
} search;

static ss_status take(ss_arena *arena, int count, double **out) { return ss_arena_take(arena, (size_t)count, sizeof **out, out); }

static ss_status take_all(ss_arena *arena, const ss_problem *p, ss_row_units *y)
{
    SS_TRY(ss_arena_take(arena, (size_t)y->groups + 1, sizeof *y->first, &y->first));
    SS_TRY(ss_arena_take(arena, (size_t)y->groups, sizeof *y->moves, &y->moves));
    SS_TRY(take(arena, y->rows, &y->factor));
    SS_TRY(ss_arena_take(arena, (size_t)y->groups, sizeof *y->of_group, &y->of_group));
    SS_TRY(ss_arena_take(arena, (size_t)y->n, sizeof *y->of_v, &y->of_v));
    SS_TRY(take(arena, y->groups, &y->unit));
    SS_TRY(take(arena, y->n, &y->v_unit));
    SS_TRY(take(arena, y->rows, &y->w));
    SS_TRY(take(arena, y->n, &y->b));
    return take(arena, p->nc, &y->bound);
}

/* mobility of a row, with B or from the diagonal of W */
static double mobility(const search *s, int row)
{
    const ss_csr *W = &s->p->W;
    double diagonal = 0;
    if (!s->local) {
        return ss_gram_diagonal(s->gram, &s->p->scale, row);
    }
    for (int e = W->p[row]; e < W->p[row + 1]; e++) {
        diagonal += W->i[e] == row ? W->x[e] : 0;
    }
    return diagonal;
}

static void find_factors(const search *s, ss_row_units *y)
{
    const ss_problem *p = s->p;
    for (int g = 0; g <= y->groups; g++) {
        y->first[g] = g <= p->nc ? p->row[g] : y->nr + g - p->nc;
    }
    for (int g = 0; g < y->groups; g++) {
        double trace = 0;
        for (int row = y->first[g]; row < y->first[g + 1]; row++) {
            trace += mobility(s, row);
        }
        double d = trace / (y->first[g + 1] - y->first[g]);
        y->moves[g] = d > 0 && isfinite(1 / d);
        for (int row = y->first[g]; row < y->first[g + 1]; row++) {
            y->factor[row] = y->moves[g] ? (row > y->first[g] ? p->mu[g] : 1) / sqrt(d) : 0;
        }
    }
}

static double offset_of(const search *s, const ss_row_units *y, int row)
{
    return row < y->nr ? s->p->w[row] : -s->p->c[row - y->nr];
}

/* |J v_free + w| / sqrt(d) of a group */
static double free_size(const search *s, const ss_row_units *y, int g)
{
    double square = 0, rounding = 0;
    for (int row = y->first[g]; row < y->first[g + 1]; row++) {
        double q = offset_of(s, y, row), size = fabs(q);
        for (int e = s->J->p[row]; e < s->J->p[row + 1] && !s->local; e++) {
            double part = s->J->x[e] * s->v_free[s->J->i[e]];
            q += part;
            size += fabs(part);
        }
        square += q * q;
        rounding += size * size;
    }
    return square > 0 ? y->factor[y->first[g]] * fmax(sqrt(square), SS_TOL_CANCELLED * sqrt(rounding)) : 0;
}

static int island_of(const search *s, const ss_row_units *y, int g)
{
    return ss_row_units_is_joint(y, g) ? s->islands.of_joint[g - s->p->nc] : s->islands.of_contact[g];
}

/* the island of each group and velocity; in local form a velocity belongs to the rows that it moves */
static void number_islands(const search *s, ss_row_units *y)
{
    const ss_blockdiag *M = &s->p->scale;
    y->islands = s->islands.count;
    for (int i = 0; i < y->n; i++) {
        y->of_v[i] = -1;
    }
    for (int g = 0; g < y->groups; g++) {
        y->of_group[g] = island_of(s, y, g);
        for (int e = s->J->p[y->first[g]]; e < s->J->p[y->first[g + 1]]; e++) {
            int v = s->J->i[e];
            y->of_v[v] = s->J->x[e] != 0 ? y->of_group[g] : y->of_v[v];
        }
    }
    for (int b = 0; !s->local && b < M->blocks; b++) {
        for (int i = M->offset[b]; i < M->offset[b] + M->size[b]; i++) {
            y->of_v[i] = s->islands.of_block[b];
        }
    }
}

static double unit_of(const search *s, int island) { return island >= 0 && s->unit[island] > 0 ? s->unit[island] : 1; }

static void find_units(const search *s, ss_row_units *y)
{
    for (int g = 0; g < y->groups; g++) {
        int island = y->of_group[g];
        if (y->moves[g] && island >= 0) {
            s->unit[island] = fmax(s->unit[island], free_size(s, y, g));
        }
    }
    for (int g = 0; g < y->groups; g++) {
        int island = y->of_group[g];
        bool still = island < 0 || (s->unit[island] == 0 &&
                                    (s->local || ss_matrix_is_block_diagonal(&s->p->A))); /* B^-1 b is not A^-1 b there */
        y->moves[g] = y->moves[g] && !still;
        y->unit[g] = unit_of(s, island);
    }
    for (int i = 0; i < y->n; i++) {
        y->v_unit[i] = unit_of(s, y->of_v[i]);
    }
}

static void scale_data(const search *s, ss_row_units *y)
{
    for (int g = 0; g < y->groups; g++) {
        for (int row = y->first[g]; row < y->first[g + 1]; row++) {
            y->w[row] = y->factor[row] * offset_of(s, y, row) / y->unit[g];
        }
    }
    for (int k = 0; k < s->p->nc; k++) {
        y->bound[k] = y->moves[k] ? s->p->mu[k] / y->factor[y->first[k]] / y->unit[k] : 0;
    }
    for (int i = 0; i < y->n && !s->local; i++) {
        y->b[i] = s->p->b[i] / y->v_unit[i];
    }
}

ss_status ss_row_units_find(ss_arena *arena, const ss_problem *p, const ss_csr *J, const ss_gram *gram, const double *L,
                            ss_row_units *y)
{
    search s = { .p = p, .J = J, .gram = gram, .local = p->local };
    *y = (ss_row_units){ .n = J->n, .nr = p->nc > 0 ? p->row[p->nc] : 0 };
    y->rows = y->nr + (s.local ? 0 : p->nj);
    y->groups = p->nc + (s.local ? 0 : p->nj);
    SS_TRY(take_all(arena, p, y));
    SS_TRY(ss_islands_find(arena, p, &s.islands));
    SS_TRY(take(arena, s.islands.count, &s.unit));
    SS_TRY(take(arena, y->n, &s.v_free));
    if (!s.local) {
        memcpy(s.v_free, p->b, (size_t)y->n * sizeof *s.v_free);
        ss_blockdiag_solve(&p->scale, L, s.v_free);
    }
    find_factors(&s, y);
    number_islands(&s, y);
    find_units(&s, y);
    scale_data(&s, y);
    return SS_OK;
}
