/* fclib_read.c - contact problems out of FCLIB files; the mirror of fclib.c.
 *
 *     FCLIB global    M v = H r + G l + f,   u = H' v + w,   G' v + b = 0
 *     here            A v = H' r + G' lam + b,   u = H v + w,   G v = c
 *
 * so A = M, b = f, our H and G are FCLIB's transposes, c = -b. FCLIB local: u = W r + q. Every contact has spacedim rows
 * and obeys Coulomb's law, mu = 0 included, unless the group /slipstick, which our own files have, says which law, how
 * many rows, which polygon and which blocks it was.
 *
 * fclib_mass.c reads M and finds its form.
 *
 * Rolling friction (fclib_global_rolling, fclib_local_rolling; spacedim 5): a contact has the rows N, T1, T2, R1, R2 and a second
 * coefficient, mu_r. Here R1, R2 are a contact of their own behind it, of the law rolling: rows stay in their order.
 *
 * Not supported, and said so: equalities in local form (V, R, s). */
#include "io/fclib.h"
#include "io/fclib_mass.h"
#include "io/h5_read.h"
#include "io/sparse_read.h"

#include <limits.h>
#include <slipstick/io.h>
#include <stdio.h>

enum { NAME = 256 };

struct ss_problem_file {
    ss_context *ctx;
    ss_arena *arena; /* all of the problem */
    ss_problem p;
    ss_solution s;
    bool solved;
};

/* a file being read */
typedef struct fclib {
    ss_h5_source source;
    ss_problem_file *file;
    ss_problem *p;
    const char *root;
    bool own; /* the file has a group /slipstick            */
    bool rolling;
    int rows;  /* of the file: spacedim times contacts       */
    int *keep; /* problem row of a file row; -1: a row to leave out */
} fclib;

/* "root/item"; the buffer is the caller's */
static const char *under(const char *root, const char *item, char *name)
{
    snprintf(name, NAME, "%s/%s", root, item);
    return name;
}

/* ---- which kind of file ------------------------------------------------------------------------ */

static ss_status find_root(fclib *x)
{
    static const char *const roots[] = { "fclib_local", "fclib_global", "fclib_local_rolling", "fclib_global_rolling" };
    for (int k = 0; k < 4; k++) {
        if (ss_h5_exists(&x->source, roots[k])) {
            x->root = roots[k];
            x->p->local = k % 2 == 0;
            x->rolling = k >= 2;
        }
    }
    if (!x->root) {
        return ss_fail(x->source.ctx, SS_ERR_INPUT, "%s: an HDF5 file, but not FCLIB: neither /fclib_local nor /fclib_global",
                       x->source.path);
    }
    x->own = ss_h5_exists(&x->source, "slipstick") && !x->rolling;
    return SS_OK;
}

static ss_status refuse_local_equalities(const fclib *x)
{
    char name[NAME];
    if (ss_h5_exists(&x->source, under(x->root, "V", name)) || ss_h5_exists(&x->source, under(x->root, "R", name))) {
        return ss_fail(x->source.ctx, SS_ERR_UNSUPPORTED, "%s: %s: equalities of a local problem are not supported",
                       x->source.path, name);
    }
    return SS_OK;
}

/* ---- contacts ---------------------------------------------------------------------------------- */

static ss_status check_coefficients(const fclib *x, const char *name, int n, const double *mu)
{
    for (int k = 0; k < n; k++) {
        if (mu[k] < 0) {
            return ss_h5_refuse(&x->source, name, "number %d is %g, expected >= 0", k, mu[k]);
        }
    }
    return SS_OK;
}

static ss_status read_dimension(fclib *x)
{
    char name[NAME];
    int *dimension = &x->p->dimension;
    SS_TRY(ss_h5_read_whole(&x->source, under(x->root, "spacedim", name), dimension));
    if (x->rolling && *dimension == 5) {
        *dimension = 3;
        return SS_OK;
    }
    if (x->rolling || (*dimension != 2 && *dimension != 3)) {
        return ss_h5_refuse(&x->source, name, "is %d, expected %s", *dimension, x->rolling ? "5" : "2 or 3");
    }
    return SS_OK;
}

static ss_status read_sizes(fclib *x)
{
    char name[NAME];
    ss_problem *p = x->p;
    SS_TRY(read_dimension(x));
    SS_TRY(ss_h5_read_numbers(&x->source, under(x->root, "vectors/mu", name), &p->nc, &p->mu));
    SS_TRY(check_coefficients(x, name, p->nc, p->mu));
    if (p->nc >= INT_MAX / 8) {
        return ss_h5_refuse(&x->source, name, "%d contacts, expected less than %d", p->nc, INT_MAX / 8);
    }
    x->rows = (x->rolling ? 5 : p->dimension) * p->nc;
    return SS_OK;
}

static ss_status no_polygons(const fclib *x)
{
    SS_TRY(ss_arena_take(x->source.arena, (size_t)x->p->nc + 1, sizeof *x->p->dir, &x->p->dir));
    return ss_arena_take(x->source.arena, 1, sizeof *x->p->direction, &x->p->direction);
}

static ss_status coulomb_everywhere(fclib *x)
{
    ss_problem *p = x->p;
    SS_TRY(ss_arena_take(x->source.arena, (size_t)p->nc, sizeof *p->law, &p->law));
    SS_TRY(ss_arena_take(x->source.arena, (size_t)p->nc + 1, sizeof *p->row, &p->row));
    for (int k = 0; k < p->nc; k++) {
        p->law[k] = SS_LAW_COULOMB;
        p->row[k + 1] = p->row[k] + p->dimension;
    }
    return no_polygons(x);
}

/* from mu and mu_r of the file's contacts: contact 2 k is its number k, 2 k + 1 the moment of that */
static ss_status split_contacts(fclib *x)
{
    char name[NAME];
    ss_problem *p = x->p;
    ss_arena *arena = x->source.arena;
    const int contacts = p->nc;
    const size_t n = 2 * (size_t)contacts;
    double *mu_r, *mu;
    SS_TRY(ss_h5_read_n_numbers(&x->source, under(x->root, "vectors/mu_r", name), contacts, &mu_r));
    SS_TRY(check_coefficients(x, name, contacts, mu_r));
    SS_TRY(ss_arena_take(arena, n, sizeof *mu, &mu));
    SS_TRY(ss_arena_take(arena, n, sizeof *p->law, &p->law));
    SS_TRY(ss_arena_take(arena, n, sizeof *p->host, &p->host));
    SS_TRY(ss_arena_take(arena, n + 1, sizeof *p->row, &p->row));
    for (int k = 0; k < 2 * contacts; k++) {
        const bool moment = k % 2 == 1;
        mu[k] = moment ? mu_r[k / 2] : p->mu[k / 2];
        p->law[k] = moment ? SS_LAW_ROLLING : SS_LAW_COULOMB;
        p->host[k] = k - moment;
        p->row[k + 1] = p->row[k] + (moment ? 2 : 3);
    }
    p->mu = mu;
    p->nc = 2 * contacts;
    return no_polygons(x);
}

static ss_status check_starts(const fclib *x, const char *name, const int *start, int least, int most)
{
    for (int k = 0; k < x->p->nc; k++) {
        int count = start[k + 1] - start[k];
        if (start[0] != 0 || start[k] < 0 || start[k + 1] < start[k] || count < least || count > most) {
            return ss_h5_refuse(&x->source, name, "contact %d goes from %d to %d, expected %d to %d rows after the one before", k,
                                start[k], start[k + 1], least, most);
        }
    }
    return SS_OK;
}

/* laws, rows and polygons as our own files have them */
static ss_status read_own_laws(fclib *x)
{
    ss_problem *p = x->p;
    const ss_h5_source *s = &x->source;
    int *law;
    if (p->nc == 0) {
        return coulomb_everywhere(x);
    }
    SS_TRY(ss_h5_read_n_wholes(s, "slipstick/law", p->nc, &law));
    p->law = (unsigned *)law; /* the same bits; ss_problem_check looks at them */
    SS_TRY(ss_h5_read_n_wholes(s, "slipstick/row", p->nc + 1, &p->row));
    SS_TRY(check_starts(x, "slipstick/row", p->row, 1, p->dimension));
    if (!ss_h5_exists(s, "slipstick/dir")) {
        return no_polygons(x);
    }
    SS_TRY(ss_h5_read_n_wholes(s, "slipstick/dir", p->nc + 1, &p->dir));
    SS_TRY(check_starts(x, "slipstick/dir", p->dir, 0, INT_MAX / 4));
    if (p->dir[p->nc] > INT_MAX / 4) {
        return ss_h5_refuse(s, "slipstick/dir", "%d directions, expected less than %d", p->dir[p->nc], INT_MAX / 4);
    }
    return ss_h5_read_n_numbers(s, "slipstick/direction", 2 * p->dir[p->nc], &p->direction);
}

static ss_status read_contacts(fclib *x)
{
    const ss_problem *p = x->p;
    SS_TRY(read_sizes(x));
    SS_TRY(x->own ? read_own_laws(x) : x->rolling ? split_contacts(x) : coulomb_everywhere(x));
    SS_TRY(ss_arena_take(x->source.arena, (size_t)x->rows, sizeof *x->keep, &x->keep));
    for (int i = 0; x->rolling && i < x->rows; i++) {
        x->keep[i] = i;
    }
    for (int k = 0; !x->rolling && k < p->nc; k++) {
        for (int i = 0; i < p->dimension; i++) {
            int row = p->row[k] + i;
            x->keep[p->dimension * k + i] = row < p->row[k + 1] ? row : -1;
        }
    }
    return SS_OK;
}

/* ---- rows that only fill up -------------------------------------------------------------------- */

/* leave out rows (and columns, if both); in place, since nothing moves back */
static void drop_rows(const fclib *x, ss_csr *A, bool both)
{
    int used = 0, rows = 0, begin = 0;
    for (int k = 0; k < x->rows; k++) {
        int end = A->p[k + 1];
        for (int e = begin; x->keep[k] >= 0 && e < end; e++) {
            int column = both ? x->keep[A->i[e]] : A->i[e];
            if (column >= 0) {
                A->i[used] = column;
                A->x[used++] = A->x[e];
            }
        }
        begin = end;
        rows += x->keep[k] >= 0;
        A->p[rows] = used;
    }
    A->m = rows;
    A->n = both ? rows : A->n;
}

static ss_status read_row_vector(const fclib *x, const char *root, const char *item, double **out)
{
    char name[NAME];
    SS_TRY(ss_h5_read_n_numbers(&x->source, under(root, item, name), x->rows, out));
    for (int k = 0; k < x->rows; k++) {
        if (x->keep[k] >= 0) {
            (*out)[x->keep[k]] = (*out)[k];
        }
    }
    return SS_OK;
}

/* ---- sections ---------------------------------------------------------------------------------- */

static ss_status read_joints(fclib *x)
{
    char name[NAME];
    ss_problem *p = x->p;
    p->G.n = p->nv;
    if (!ss_h5_exists(&x->source, under(x->root, "G", name))) {
        return ss_arena_take(x->source.arena, 1, sizeof *p->G.p, &p->G.p);
    }
    SS_TRY(ss_h5_read_numbers(&x->source, under(x->root, "vectors/b", name), &p->nj, &p->c));
    for (int k = 0; k < p->nj; k++) {
        p->c[k] = -p->c[k];
    }
    return ss_sparse_read(&x->source, under(x->root, "G", name), true, p->nj, p->nv, &p->G);
}

static ss_status read_global(fclib *x)
{
    char name[NAME];
    ss_problem *p = x->p;
    double *v_old = NULL;
    SS_TRY(ss_h5_read_numbers(&x->source, under(x->root, "vectors/f", name), &p->nv, &p->b));
    SS_TRY(ss_fclib_read_mass(&(ss_fclib_mass){ &x->source, under(x->root, "M", name), x->own, x->p }));
    SS_TRY(ss_sparse_read(&x->source, under(x->root, "H", name), true, x->rows, p->nv, &p->H));
    drop_rows(x, &p->H, false);
    SS_TRY(read_row_vector(x, x->root, "vectors/w", &p->w));
    if (x->own && ss_h5_exists(&x->source, "slipstick/v_old")) {
        SS_TRY(ss_h5_read_n_numbers(&x->source, "slipstick/v_old", p->nv, &v_old));
        p->v_old = v_old;
    }
    return read_joints(x);
}

static ss_status read_local(fclib *x)
{
    char name[NAME];
    SS_TRY(refuse_local_equalities(x));
    SS_TRY(ss_sparse_read(&x->source, under(x->root, "W", name), false, x->rows, x->rows, &x->p->W));
    drop_rows(x, &x->p->W, true);
    return read_row_vector(x, x->root, "vectors/q", &x->p->w);
}

/* the solution that our own files have; those of others are mostly r = 0 */
static ss_status read_solution(fclib *x)
{
    const ss_problem *p = x->p;
    ss_solution *s = &x->file->s;
    if (!x->own || !ss_h5_exists(&x->source, "solution")) {
        return SS_OK;
    }
    if (!p->local) {
        SS_TRY(ss_h5_read_n_numbers(&x->source, "solution/v", p->nv, &s->v));
        SS_TRY(ss_h5_read_n_numbers(&x->source, "solution/l", p->nj, &s->lam));
    }
    SS_TRY(read_row_vector(x, "solution", "r", &s->r));
    SS_TRY(read_row_vector(x, "solution", "u", &s->u));
    SS_TRY(ss_arena_take(x->source.arena, (size_t)p->nc, sizeof *s->basis, &s->basis));
    x->file->solved = true;
    return SS_OK;
}

static ss_status read_all(fclib *x)
{
    SS_TRY(find_root(x));
    SS_TRY(read_contacts(x));
    SS_TRY(x->p->local ? read_local(x) : read_global(x));
    ss_status status = ss_problem_check(x->source.ctx, x->p);
    if (status != SS_OK) {
        return ss_fail_within(x->source.ctx, status, "%s", x->source.path);
    }
    return read_solution(x);
}

/* ---- the file object --------------------------------------------------------------------------- */

static ss_status open_and_read(ss_problem_file *file, const char *path)
{
    fclib x = { .file = file, .p = &file->p };
    SS_TRY(ss_arena_create(file->ctx, 1 << 16, &file->arena));
    ss_h5_quiet quiet = ss_h5_silence();
    ss_status status = ss_h5_open(file->ctx, path, file->arena, &x.source);
    if (status == SS_OK) {
        status = read_all(&x);
    }
    ss_h5_close(&x.source);
    ss_h5_restore(quiet);
    return status;
}

ss_status ss_problem_read(ss_context *ctx, const char *path, ss_problem_file **out)
{
    ss_problem_file *file;
    *out = NULL;
    SS_TRY(ss_calloc(ctx, 1, sizeof *file, &file));
    file->ctx = ctx;
    file->p = ss_problem_make(0); /* its dimension is read */
    ss_status status = open_and_read(file, path);
    if (status != SS_OK) {
        ss_problem_file_destroy(file);
        return status;
    }
    *out = file;
    return SS_OK;
}

void ss_problem_file_destroy(ss_problem_file *file)
{
    if (file) {
        ss_arena_destroy(file->arena);
        ss_free(file->ctx, file);
    }
}

const ss_problem *ss_problem_file_problem(const ss_problem_file *file) { return &file->p; }

const ss_solution *ss_problem_file_solution(const ss_problem_file *file) { return file->solved ? &file->s : NULL; }

/* every contact gets the directions (1, 0) and (-1, 0), in new arrays, whatever the file has */
static ss_status draw_segments(ss_problem_file *file)
{
    static const double both_ways[4] = { 1, 0, -1, 0 };
    ss_problem *p = &file->p;
    SS_TRY(ss_arena_take(file->arena, (size_t)p->nc + 1, sizeof *p->dir, &p->dir));
    SS_TRY(ss_arena_take(file->arena, (size_t)p->nc, sizeof both_ways, &p->direction));
    for (int k = 0; k < p->nc; k++) {
        p->dir[k + 1] = p->dir[k] + 2;
        memcpy(p->direction + 4 * k, both_ways, sizeof both_ways);
    }
    return SS_OK;
}

ss_status ss_problem_file_set_law(ss_problem_file *file, unsigned law)
{
    const unsigned frictional = SS_LAW_COULOMB | SS_LAW_ASSOCIATED | SS_LAW_POLYHEDRAL | SS_LAW_ASSOCIATED_POLYHEDRAL;
    bool segments = law == SS_LAW_POLYHEDRAL && file->p.dimension == 2;
    if (law != SS_LAW_COULOMB && law != SS_LAW_ASSOCIATED && !segments) {
        return ss_fail(file->ctx, SS_ERR_INPUT, "law %u: expected coulomb (%d) or associated (%d), in 2D also polyhedral (%d)",
                       law, SS_LAW_COULOMB, SS_LAW_ASSOCIATED, SS_LAW_POLYHEDRAL);
    }
    if (segments) {
        SS_TRY(draw_segments(file));
    }
    for (int k = 0; k < file->p.nc; k++) {
        file->p.law[k] = file->p.law[k] & frictional ? law : file->p.law[k];
    }
    return SS_OK;
}
