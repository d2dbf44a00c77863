/* path_matrix.c - the matrix of a path along which contacts change one by one.
 *
 *   K = K0 + J_c' E J_c,   E = D - D0 of the groups c that differ,   S = J_c K0^-1 J_c'
 *   K^-1 x = y - K0^-1 J_c' (1 + E S)^-1 E J_c y,    y = K0^-1 x
 *
 * A group is listed, with its columns of K0^-1 J', where its D has changed by more than a hundredth: what is less a correction
 * leaves to the next one. Where the list is full K is factorised anew; so it is where the stiffness of all groups has changed.
 *
 * Reference   M. A. Woodbury, Memorandum Report 42, Statistical Research Group, Princeton (1950)
 * Cost        a solution with K0 for each row that is new in the list, columns^3 operations for a D; no memory  */
#include "solvers/alm/path_matrix.h"

#include "math/csr.h"
#include "math/dense.h"

#include <math.h>

static const double CHANGED = 0.01; /* of the larger of both: what makes a group differ */

ss_status ss_path_matrix_take(ss_path_matrix *m, ss_arena *arena)
{
    const size_t n = (size_t)m->n, groups = (size_t)m->groups, most = SS_PATH_COLUMNS;
    SS_TRY(ss_arena_take(arena, 9 * groups, sizeof *m->base, &m->base));
    SS_TRY(ss_arena_take(arena, groups, sizeof *m->group, &m->group));
    SS_TRY(ss_arena_take(arena, groups, sizeof *m->column, &m->column));
    SS_TRY(ss_arena_take(arena, n * most, sizeof *m->C, &m->C));
    SS_TRY(ss_arena_take(arena, most * most, sizeof *m->S, &m->S));
    SS_TRY(ss_arena_take(arena, most * most, sizeof *m->T, &m->T));
    SS_TRY(ss_arena_take(arena, 9 * most, sizeof *m->E, &m->E));
    m->listed = -1; /* nothing is factorised yet */
    return SS_OK;
}

static int rows_of(const ss_path_matrix *m, int g) { return m->first[g + 1] - m->first[g]; }

static bool differs(const ss_path_matrix *m, int g, const double *D)
{
    const int entries = rows_of(m, g) * rows_of(m, g);
    double change = 0, size = 0;
    for (int i = 9 * g; i < 9 * g + entries; i++) {
        change = fmax(change, fabs(D[i] - m->base[i]));
        size = fmax(size, fmax(fabs(D[i]), fabs(m->base[i])));
    }
    return change > CHANGED * size;
}

/* how many more rows the list would need */
static int count_new(const ss_path_matrix *m, const double *D)
{
    int count = 0;
    for (int g = 0; g < m->groups; g++) {
        count += m->column[g] < 0 && differs(m, g, D) ? rows_of(m, g) : 0;
    }
    return count;
}

static ss_status factorise(ss_path_matrix *m, const double *D, bool *regular)
{
    memcpy(m->base, D, 9 * (size_t)m->groups * sizeof *D);
    m->columns = 0;
    for (int g = 0; g < m->groups; g++) {
        m->column[g] = -1;
    }
    SS_TRY(ss_newton_matrix_factor(m->factors, D, regular));
    m->listed = *regular ? 0 : -1;
    return SS_OK;
}

/* ---- the list ------------------------------------------------------------------------------------- */

/* the rows and the columns of S that a new group has */
static void extend_S(ss_path_matrix *m, int from)
{
    for (int a = 0; a < m->listed; a++) {
        const int g = m->group[a];
        for (int i = 0; i < rows_of(m, g); i++) {
            const int row = m->column[g] + i;
            for (int j = row < from ? from : 0; j < m->columns; j++) {
                m->S[row + SS_PATH_COLUMNS * j] = ss_csr_row_dot(m->J, m->first[g] + i, m->C + (size_t)m->n * (size_t)j);
            }
        }
    }
}

static ss_status add_group(ss_path_matrix *m, int g)
{
    const int from = m->columns;
    for (int i = m->first[g]; i < m->first[g + 1]; i++) {
        double *c = m->C + (size_t)m->n * (size_t)m->columns++;
        memset(c, 0, (size_t)m->n * sizeof *c);
        for (int e = m->J->p[i]; e < m->J->p[i + 1]; e++) {
            c[m->J->i[e]] += m->J->x[e];
        }
        SS_TRY(ss_newton_matrix_solve(m->factors, c));
    }
    m->column[g] = from;
    m->group[m->listed++] = g;
    extend_S(m, from);
    return SS_OK;
}

/* T = 1 + E S, and its factors */
static bool factorise_T(ss_path_matrix *m, const double *D)
{
    for (int a = 0; a < m->listed; a++) {
        const int g = m->group[a], rows = rows_of(m, g), row = m->column[g];
        double *E = m->E + 9 * a;
        for (int i = 0; i < rows * rows; i++) {
            E[i] = D[9 * g + i] - m->base[9 * g + i];
        }
        for (int j = 0; j < m->columns; j++) {
            double *T = m->T + SS_PATH_COLUMNS * j, *S = m->S + SS_PATH_COLUMNS * j;
            for (int i = 0; i < rows; i++) {
                T[row + i] = row + i == j;
                for (int l = 0; l < rows; l++) {
                    T[row + i] += E[rows * i + l] * S[row + l];
                }
            }
        }
    }
    return m->columns == 0 || ss_dense_lu(m->columns, m->T, SS_PATH_COLUMNS, m->pivots);
}

ss_status ss_path_matrix_set(ss_path_matrix *m, const double *D, bool afresh, int *factorised, bool *regular)
{
    *regular = true;
    if (afresh || m->listed < 0 || m->columns + count_new(m, D) > SS_PATH_COLUMNS) {
        ++*factorised;
        return factorise(m, D, regular);
    }
    for (int g = 0; g < m->groups; g++) {
        SS_TRY(m->column[g] < 0 && differs(m, g, D) ? add_group(m, g) : SS_OK);
    }
    *regular = factorise_T(m, D);
    return SS_OK;
}

ss_status ss_path_matrix_solve(ss_path_matrix *m, double *x)
{
    double p[SS_PATH_COLUMNS], u[3];
    SS_TRY(ss_newton_matrix_solve(m->factors, x));
    for (int a = 0; a < m->listed; a++) {
        const int g = m->group[a], rows = rows_of(m, g);
        for (int i = 0; i < rows; i++) {
            u[i] = ss_csr_row_dot(m->J, m->first[g] + i, x);
        }
        for (int i = 0; i < rows; i++) {
            p[m->column[g] + i] = 0;
            for (int l = 0; l < rows; l++) {
                p[m->column[g] + i] += m->E[9 * a + rows * i + l] * u[l];
            }
        }
    }
    if (m->columns > 0) {
        ss_dense_lu_solve(m->columns, m->T, SS_PATH_COLUMNS, m->pivots, p);
        ss_dense_times(m->n, m->columns, -1, m->C, m->n, p, x);
    }
    return SS_OK;
}
