/* acting_times.c - products R x of the rows of one group, and what they are made of, |R| |x|.
 *
 * The three rows of a contact of rigid bodies have all six columns of each body in one run: their entries need no
 * columns, and they are looked at together. Sums are made in one order on every machine.
 * Cost   entries of the rows */
#include "problem/acting_rows.h"

#include <math.h>

/* two numbers at once */
typedef double pair __attribute__((vector_size(2 * sizeof(double))));

static inline pair pair_at(const double *x)
{
    pair y;
    memcpy(&y, x, sizeof y);
    return y;
}

static inline pair without_signs(pair x)
{
    typedef int64_t bits __attribute__((vector_size(2 * sizeof(int64_t))));
    const bits all = { INT64_MAX, INT64_MAX };
    return (pair)((bits)x & all);
}

enum { ROWS = 3, RIGID = 6 };

static int first_row(const ss_acting_matrix *m, int group) { return m->row ? m->row[group] : group; }

bool ss_acting_is_rigid(const ss_acting_matrix *m, int group)
{
    const ss_row_shares *s = &m->rows->shares;
    int e = s->first[group];
    while (e < s->first[group + 1] && s->at[e] >= 0 && m->B->size[s->block[e]] == RIGID) {
        e++;
    }
    return m->row && m->row[group + 1] - m->row[group] == ROWS && e == s->first[group + 1];
}

/* R x of such a group: each row is added up in its order, the three of them at once */
static inline void times_rigid(const ss_acting_matrix *m, int group, const double *x, double *out)
{
    const ss_row_shares *s = &m->rows->shares;
    const int top = m->row[group], begin = m->R->p[top], length = m->R->p[top + 1] - begin;
    double a = 0, b = 0, c = 0;
    for (int e = s->first[group], last = s->first[group + 1]; e < last; e++) {
        const double *first = m->R->x + begin + s->at[e], *second = first + length, *third = second + length,
                     *own = x + m->B->offset[s->block[e]];
        for (int j = 0; j < RIGID; j++) {
            a += first[j] * own[j];
            b += second[j] * own[j];
            c += third[j] * own[j];
        }
    }
    out[0] = a;
    out[1] = b;
    out[2] = c;
}

/* The same with |R| |x|; here two numbers of a row are added at a time. */
static inline void times_rigid_sized(const ss_acting_matrix *m, int group, const double *x, double *out, double *size)
{
    const ss_row_shares *s = &m->rows->shares;
    const int top = m->row[group], begin = m->R->p[top], length = m->R->p[top + 1] - begin;
    pair a = { 0, 0 }, b = { 0, 0 }, c = { 0, 0 }, of_a = { 0, 0 }, of_b = { 0, 0 }, of_c = { 0, 0 };
    for (int e = s->first[group], last = s->first[group + 1]; e < last; e++) {
        const double *first = m->R->x + begin + s->at[e], *second = first + length, *third = second + length,
                     *own = x + m->B->offset[s->block[e]];
        for (int j = 0; j < RIGID; j += 2) {
            const pair y = pair_at(own + j), in_a = pair_at(first + j) * y, in_b = pair_at(second + j) * y,
                       in_c = pair_at(third + j) * y;
            a += in_a;
            b += in_b;
            c += in_c;
            of_a += without_signs(in_a);
            of_b += without_signs(in_b);
            of_c += without_signs(in_c);
        }
    }
    const pair sum[ROWS] = { a, b, c }, sizes[ROWS] = { of_a, of_b, of_c };
    for (int i = 0; i < ROWS; i++) {
        out[i] = sum[i][0] + sum[i][1];
        size[i] = sizes[i][0] + sizes[i][1];
    }
}

/* of any group */
static void times_any(const ss_acting_matrix *m, int group, const double *x, double *out, double *size)
{
    const ss_csr *R = m->R;
    for (int i = first_row(m, group); i < first_row(m, group + 1); i++) {
        double sum = 0, terms = 0;
        for (int e = R->p[i]; e < R->p[i + 1]; e++) {
            const double term = R->x[e] * x[R->i[e]];
            sum += term;
            terms += fabs(term);
        }
        *out++ = sum;
        *size++ = terms;
    }
}

void ss_acting_times(const ss_acting_matrix *m, int begin, int end, const double *x, double *out)
{
    for (int g = begin; g < end; g++) {
        if (m->rows->rigid[g]) {
            times_rigid(m, g, x, out + first_row(m, g));
            continue;
        }
        for (int i = first_row(m, g); i < first_row(m, g + 1); i++) {
            out[i] = ss_csr_row_dot(m->R, i, x);
        }
    }
}

void ss_acting_times_sized(const ss_acting_matrix *m, int begin, int end, const double *x, double *out, double *size)
{
    for (int g = begin; g < end; g++) {
        const int top = first_row(m, g);
        if (m->rows->rigid[g]) {
            times_rigid_sized(m, g, x, out + top, size + top);
        } else {
            times_any(m, g, x, out + top, size + top);
        }
    }
}
