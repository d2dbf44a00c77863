/* row_scales.c - scales R_i B^-1 R_i' of the rows of a sparse matrix R, and the shares of the blocks of B in them.
 *
 * Rows come in groups, those of a contact, which as a rule have entries in the same columns, all columns of a block in one run:
 * those are looked at once for the group. Rows of any other kind are looked at entry by entry.
 * Cost   entries of R */
#include "base/parallel.h"
#include "math/matrix.h"

/* |L^-1 x|^2 = x' B^-1 x of one block; x is overwritten */
static double take_square(int n, const double *L, double *x)
{
    double sum = 0;
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++) {
            x[i] -= L[i * n + k] * x[k];
        }
        x[i] /= L[i * n + i];
        sum += x[i] * x[i];
    }
    return sum;
}

static inline double diagonal_square(int n, const double *inverse, const double *x)
{
    double sum = 0;
    for (int i = 0; i < n; i++) {
        sum += x[i] * x[i] * inverse[i];
    }
    return sum;
}

/* 1 / B_ii of a diagonal block, 0 of another */
static void invert_diagonal(int n, const double *L, double *inverse)
{
    bool diagonal = ss_block_is_diagonal(n, L);
    for (int i = 0; i < n; i++) {
        inverse[i] = diagonal ? 1 / (L[i * n + i] * L[i * n + i]) : 0;
    }
}

double ss_row_scales_square(const ss_row_scales *w, const ss_blockdiag *B, const double *L, int b, double *x)
{
    const int n = B->size[b];
    const double *inverse = w->inverse + B->offset[b];
    if (n > 0 && *inverse > 0) {
        return n == 6 ? diagonal_square(6, inverse, x) : diagonal_square(n, inverse, x);
    }
    return take_square(n, L + B->start[b], x);
}

enum { SMALL = 16 }; /* rows of a block that fits on the stack */

/* Blocks that are looked at. */
typedef struct block_search {
    ss_row_scales *w;
    const ss_blockdiag *B;
    const double *L;
} block_search;

static void look_at_blocks(void *data, int begin, int end)
{
    const block_search *x = data;
    const ss_blockdiag *B = x->B;
    for (int b = begin; b < end; b++) {
        invert_diagonal(B->size[b], x->L + B->start[b], x->w->inverse + B->offset[b]);
        for (int k = B->offset[b]; k < B->offset[b] + B->size[b]; k++) {
            x->w->block[k] = b;
        }
    }
}

ss_status ss_row_scales_update(ss_context *ctx, ss_row_scales *w, const ss_blockdiag *B, const double *L)
{
    enum { GRAIN = 512 };
    block_search x = { w, B, L };
    int cap = w->n_cap;
    SS_TRY(ss_reserve(ctx, &w->inverse, &cap, B->n, sizeof *w->inverse));
    SS_TRY(ss_reserve(ctx, &w->block, &w->n_cap, B->n, sizeof *w->block));
    w->largest = 0;
    for (int b = 0; b < B->blocks; b++) {
        w->largest = B->size[b] > w->largest ? B->size[b] : w->largest;
    }
    ss_parallel_for(ctx, B->blocks, GRAIN, look_at_blocks, &x);
    return w->largest > SMALL ? ss_reserve(ctx, &w->part, &w->part_cap, w->largest, sizeof *w->part) : SS_OK;
}

/* What is asked for, and what it is found from. */
typedef struct share_search {
    const ss_row_scales *w;
    const ss_blockdiag *B;
    const double *L;
    const ss_csr *R;
    const int *row; /* NULL: every row is a group */
    double *out;
    ss_row_shares *shares;
} share_search;

static int first_row(const share_search *x, int group) { return x->row ? x->row[group] : group; }

static int block_at(const share_search *x, int e) { return x->w->block[x->R->i[e]]; }

/* Are the n columns from i[0] on one behind the other? */
static inline bool is_sequence(const int *i, int n)
{
    int wrong = 0;
    for (int k = 1; k < n; k++) {
        wrong |= i[k] - i[0] - k;
    }
    return wrong == 0;
}

/* Are the entries that begin at e all columns of block b, in their order? */
static inline bool has_whole_block(const share_search *x, int e, int end, int b)
{
    const int *i = x->R->i + e, n = x->B->size[b];
    return e + n <= end && *i == x->B->offset[b] && (n == 6 ? is_sequence(i, 6) : is_sequence(i, n));
}

/* Where the entries that begin at e leave their block, or go back in it: a run. */
static int end_of_run(const share_search *x, int e, int end)
{
    const int b = block_at(x, e), *i = x->R->i;
    if (has_whole_block(x, e, end, b)) {
        return e + x->B->size[b];
    }
    for (e++; e < end && i[e] > i[e - 1] && block_at(x, e) == b; e++) {}
    return e;
}

/* Does an entry from `begin` on, before e, belong to the block of e? */
static bool occurs_before(const share_search *x, int begin, int e)
{
    const int b = block_at(x, e);
    int k = begin;
    while (k < e && block_at(x, k) != b) {
        k++;
    }
    return k < e;
}

/* has row i entries in the columns of the row before it? */
static bool repeats_row(const ss_csr *R, int i)
{
    const int n = R->p[i] - R->p[i - 1];
    return R->p[i + 1] - R->p[i] == n && memcmp(R->i + R->p[i - 1], R->i + R->p[i], (size_t)n * sizeof *R->i) == 0;
}

/* The entries of a block in every row of a group: `length` of them, from `at` behind the start of the row on. */
typedef struct run {
    int at, length, block;
} run;

enum { MOST_RUNS = 8 };

static bool has_run(int n, const run *runs, int block)
{
    int k = 0;
    while (k < n && runs[k].block != block) {
        k++;
    }
    return k < n;
}

/* The runs of one row, no two of them of one block; 0: it has others, or more than MOST_RUNS. */
static int find_runs(const share_search *x, int row, run *out)
{
    const int begin = x->R->p[row], end = x->R->p[row + 1];
    int n = 0;
    for (int e = begin, next; e < end; e = next) {
        const int block = block_at(x, e);
        next = end_of_run(x, e, end);
        if (n == MOST_RUNS || has_run(n, out, block)) {
            return 0;
        }
        out[n++] = (run){ e - begin, next - e, block };
    }
    return n;
}

/* Have rows top .. bottom-1 all entries in the same columns, as those of contacts have? */
static bool are_alike(const ss_csr *R, int top, int bottom)
{
    int i = top + 1;
    while (i < bottom && repeats_row(R, i)) {
        i++;
    }
    return i >= bottom;
}

static int count_slowly(const share_search *x, int top, int bottom)
{
    const ss_csr *R = x->R;
    int n = 0;
    for (int i = top; i < bottom; i++) {
        for (int e = R->p[i]; (i == top || !repeats_row(R, i)) && e < R->p[i + 1]; e = end_of_run(x, e, R->p[i + 1])) {
            n += !occurs_before(x, R->p[top], e);
        }
    }
    return n;
}

/* What the rows of a group are like. */
enum { ANY, IN_RUNS /* alike, each block has one run in them */, OF_RIGID /* and those are rigid bodies, in principal axes */ };
enum { RIGID = 6 };

static bool are_rigid(const share_search *x, int n, const run *runs)
{
    int k = 0;
    while (k < n && runs[k].at == RIGID * k && runs[k].length == RIGID && x->B->size[runs[k].block] == RIGID &&
           x->w->inverse[x->B->offset[runs[k].block]] > 0) {
        k++;
    }
    return k == n;
}

/* shares->first[g + 1]: the blocks of group g; out[g]: what its rows are like */
static void count_blocks(void *data, int begin, int end)
{
    const share_search *x = data;
    run runs[MOST_RUNS];
    for (int g = begin; g < end; g++) {
        const int top = first_row(x, g), bottom = first_row(x, g + 1),
                  n = are_alike(x->R, top, bottom) ? find_runs(x, top, runs) : 0;
        x->shares->first[g + 1] = n > 0 ? n : count_slowly(x, top, bottom);
        x->out[g] = n == 0 ? ANY : are_rigid(x, n, runs) ? OF_RIGID : IN_RUNS;
    }
}

/* the share of block b in entries begin .. end-1 of a row, those of other blocks left out; entries of one column add up */
static double share_of_entries(const share_search *x, int begin, int end, int b)
{
    const int n = x->B->size[b], first = x->B->offset[b];
    double small[SMALL], *part = n > SMALL ? x->w->part : small;
    memset(part, 0, (size_t)n * sizeof *part);
    for (int e = begin; e < end; e++) {
        if (block_at(x, e) == b) {
            part[x->R->i[e] - first] += x->R->x[e];
        }
    }
    const double *inverse = x->w->inverse + first;
    return *inverse > 0 ? diagonal_square(n, inverse, part) : take_square(n, x->L + x->B->start[b], part);
}

/* the share of a block all of whose entries in a row are those of a run */
static double share_of_run(const share_search *x, int begin, int end)
{
    const int b = block_at(x, begin), n = x->B->size[b];
    const double *inverse = x->w->inverse + x->B->offset[b], *entry = x->R->x + begin;
    double sum = 0;
    if (!(*inverse > 0)) {
        return share_of_entries(x, begin, end, b);
    }
    if (end - begin == n) { /* all its columns, in their order */
        return n == 6 ? diagonal_square(6, inverse, entry) : diagonal_square(n, inverse, entry);
    }
    for (int e = begin; e < end; e++) {
        sum += x->R->x[e] * x->R->x[e] * x->w->inverse[x->R->i[e]];
    }
    return sum;
}

/* has every block of the row one run, as those of contacts have? */
static bool is_in_runs(const share_search *x, int begin, int end)
{
    bool single = true;
    for (int e = begin; e < end && single; e = end_of_run(x, e, end)) {
        single = !occurs_before(x, begin, e);
    }
    return single;
}

/* add a part to the share of a block in the group whose shares are first .. *n - 1 */
static void add_share(ss_row_shares *shares, int first, int *n, int block, double part)
{
    int k = first;
    while (k < *n && shares->block[k] != block) {
        k++;
    }
    shares->x[k] = k < *n ? shares->x[k] + part : part;
    shares->block[k] = block;
    shares->at[k] = -1;
    *n += k == *n;
}

/* row i of a group of so many rows; returns R_i B^-1 R_i' */
static double add_row(const share_search *x, int i, int rows, int first, int *n)
{
    const int begin = x->R->p[i], end = x->R->p[i + 1];
    const bool in_runs = is_in_runs(x, begin, end);
    double sum = 0;
    for (int e = begin, next; e < end; e = next) {
        next = end_of_run(x, e, end);
        if (in_runs || !occurs_before(x, begin, e)) {
            const int b = block_at(x, e);
            const double share = in_runs ? share_of_run(x, e, next) : share_of_entries(x, begin, end, b);
            sum += share;
            add_share(x->shares, first, n, b, share / rows);
        }
    }
    return sum;
}

/* Shares of a group of any rows; returns the sum of R_i B^-1 R_i'. */
static double share_rows(const share_search *x, int g)
{
    const int top = first_row(x, g), bottom = first_row(x, g + 1);
    int n = x->shares->first[g];
    double trace = 0;
    for (int i = top; i < bottom; i++) {
        trace += add_row(x, i, bottom - top, x->shares->first[g], &n);
    }
    return trace;
}

/* The same of one that has n runs. */
static double share_runs(const share_search *x, int g, int n, const run *runs)
{
    const int top = first_row(x, g), bottom = first_row(x, g + 1), first = x->shares->first[g];
    double trace = 0, *share = x->shares->x + first;
    for (int k = 0; k < n; k++) {
        x->shares->block[first + k] = runs[k].block;
        x->shares->at[first + k] = runs[k].length == x->B->size[runs[k].block] ? runs[k].at : -1;
        share[k] = 0;
    }
    for (int i = top; i < bottom; i++) {
        for (int k = 0; k < n; k++) {
            const int begin = x->R->p[i] + runs[k].at;
            const double part = share_of_run(x, begin, begin + runs[k].length);
            trace += part;
            share[k] += part / (bottom - top);
        }
    }
    return trace;
}

/* two numbers at once */
typedef double pair __attribute__((vector_size(2 * sizeof(double))));

static inline pair pair_at(const double *x)
{
    pair y;
    memcpy(&y, x, sizeof y);
    return y;
}

/* The same of one whose n runs are rigid bodies: sums are made of two numbers at a time. */
static double share_rigid(const share_search *x, int g, int n)
{
    const int top = first_row(x, g), bottom = first_row(x, g + 1), first = x->shares->first[g];
    double trace = 0;
    for (int k = 0; k < n; k++) {
        const int b = block_at(x, x->R->p[top] + RIGID * k);
        const double *inverse = x->w->inverse + x->B->offset[b];
        const pair i = pair_at(inverse), j = pair_at(inverse + 2), l = pair_at(inverse + 4);
        double share = 0;
        for (int row = top; row < bottom; row++) {
            const double *entry = x->R->x + x->R->p[row] + RIGID * k;
            const pair a = pair_at(entry), c = pair_at(entry + 2), d = pair_at(entry + 4),
                       sum = a * a * i + c * c * j + d * d * l;
            const double part = sum[0] + sum[1];
            trace += part;
            share += part / (bottom - top);
        }
        x->shares->block[first + k] = b;
        x->shares->at[first + k] = RIGID * k;
        x->shares->x[first + k] = share;
    }
    return trace;
}

static void find_shares(void *data, int begin, int end)
{
    const share_search *x = data;
    run runs[MOST_RUNS];
    for (int g = begin; g < end; g++) {
        const int top = first_row(x, g), bottom = first_row(x, g + 1), like = (int)x->out[g],
                  n = like == IN_RUNS ? find_runs(x, top, runs) : 0;
        const double trace = like == OF_RIGID ? share_rigid(x, g, x->shares->first[g + 1] - x->shares->first[g])
                             : n > 0          ? share_runs(x, g, n, runs)
                                              : share_rows(x, g);
        x->out[g] = trace / (bottom - top);
    }
}

/* Blocks that do not fit on the stack have one place for all: they are looked at on one thread. */
ss_status ss_row_scales_of(ss_context *ctx, const ss_row_scales *w, const ss_blockdiag *B, const double *L, const ss_csr *R,
                           const ss_share_groups *groups, double *out, ss_row_shares *shares)
{
    enum { GRAIN = 1024 };
    const int n = groups ? groups->n : R->m, grain = w->largest > SMALL ? n : GRAIN;
    share_search x = { w, B, L, R, groups ? groups->row : NULL, out, shares };
    SS_TRY(ss_reserve(ctx, &shares->first, &shares->first_cap, n + 1, sizeof *shares->first));
    shares->first[0] = 0;
    ss_parallel_for(ctx, n, grain, count_blocks, &x);
    for (int g = 0; g < n; g++) {
        shares->first[g + 1] += shares->first[g];
    }
    int cap = shares->cap;
    SS_TRY(ss_reserve(ctx, &shares->block, &cap, shares->first[n], sizeof *shares->block));
    cap = shares->cap;
    SS_TRY(ss_reserve(ctx, &shares->at, &cap, shares->first[n], sizeof *shares->at));
    SS_TRY(ss_reserve(ctx, &shares->x, &shares->cap, shares->first[n], sizeof *shares->x));
    ss_parallel_for(ctx, n, grain, find_shares, &x);
    return SS_OK;
}

void ss_row_scales_free(ss_context *ctx, ss_row_scales *w)
{
    ss_free(ctx, w->part);
    ss_free(ctx, w->inverse);
    ss_free(ctx, w->block);
    *w = (ss_row_scales){ 0 };
}

void ss_row_shares_free(ss_context *ctx, ss_row_shares *shares)
{
    ss_free(ctx, shares->first);
    ss_free(ctx, shares->block);
    ss_free(ctx, shares->at);
    ss_free(ctx, shares->x);
    *shares = (ss_row_shares){ 0 };
}
