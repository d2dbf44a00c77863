/* result_read.c - result files (.h5) as result_h5.c writes them; layout in docs/results.md.
 *
 * A run that was killed within a flush may leave tables of different length: there are as many states as the shortest of
 * time, step, q and v has rows. Names and the scene are read when the file is opened, states when they are asked for. */
#include "io/h5_read.h"

#include <slipstick/io.h>

enum { TIME, STEP, Q, V, TABLES };

static const struct {
    const char *name;
    int rank;
    bool whole;
} tables[TABLES] = {
    [TIME] = { "time", 1, false }, [STEP] = { "step", 1, true }, [Q] = { "q", 2, false }, [V] = { "v", 2, false }
};

struct ss_result {
    ss_context *ctx;
    ss_arena *arena;
    char *path;
    ss_h5_source source;
    ss_h5_table table[TABLES];
    int64_t states;
    int dimension;
    const char *scheme, *solver, *scene;
    const char *const *q_name, *const *v_name;
};

static ss_status check_format(ss_result *r)
{
    const char *format = "";
    if (H5Aexists(r->source.file, "format") > 0) {
        SS_TRY(ss_h5_read_attribute(&r->source, "format", &format));
    }
    if (strcmp(format, "slipstick_result") != 0) {
        return ss_fail(r->ctx, SS_ERR_INPUT, "%s: an HDF5 file, but not a result of slipstick", r->path);
    }
    SS_TRY(ss_h5_read_attribute(&r->source, "scheme", &r->scheme));
    return ss_h5_read_attribute(&r->source, "solver", &r->solver);
}

static ss_status open_tables(ss_result *r)
{
    for (int k = 0; k < TABLES; k++) {
        ss_h5_table *t = &r->table[k];
        SS_TRY(ss_h5_table_open(&r->source, tables[k].name, tables[k].rank, tables[k].whole, t));
        r->states = k == 0 || (int64_t)t->rows < r->states ? (int64_t)t->rows : r->states;
    }
    return SS_OK;
}

static ss_status read_all(ss_result *r)
{
    SS_TRY(ss_h5_open(r->ctx, r->path, r->arena, &r->source));
    SS_TRY(check_format(r));
    SS_TRY(ss_h5_read_whole_attribute(&r->source, "dimension", &r->dimension));
    SS_TRY(open_tables(r));
    SS_TRY(ss_h5_read_texts(&r->source, "names/q", ss_result_nq(r), &r->q_name));
    SS_TRY(ss_h5_read_texts(&r->source, "names/v", ss_result_nv(r), &r->v_name));
    return ss_h5_read_text(&r->source, "scene", &r->scene);
}

static ss_status build(ss_result *r, const char *path)
{
    SS_TRY(ss_strdup(r->ctx, path, &r->path));
    SS_TRY(ss_arena_create(r->ctx, 1 << 12, &r->arena));
    ss_h5_quiet quiet = ss_h5_silence();
    ss_status status = read_all(r);
    ss_h5_restore(quiet);
    return status;
}

ss_status ss_result_open(ss_context *ctx, const char *path, ss_result **out)
{
    ss_result *r;
    *out = NULL;
    SS_TRY(ss_calloc(ctx, 1, sizeof *r, &r));
    r->ctx = ctx;
    r->source.file = -1;
    for (int k = 0; k < TABLES; k++) {
        r->table[k].set = -1;
    }
    ss_status status = build(r, path);
    if (status != SS_OK) {
        ss_result_close(r);
        return status;
    }
    *out = r;
    return SS_OK;
}

void ss_result_close(ss_result *r)
{
    if (!r) {
        return;
    }
    ss_h5_quiet quiet = ss_h5_silence();
    for (int k = 0; k < TABLES; k++) {
        ss_h5_table_close(&r->table[k]);
    }
    ss_h5_close(&r->source);
    ss_h5_restore(quiet);
    ss_arena_destroy(r->arena);
    ss_free(r->ctx, r->path);
    ss_free(r->ctx, r);
}

int64_t ss_result_states(const ss_result *r) { return r->states; }

int ss_result_dimension(const ss_result *r) { return r->dimension; }

int ss_result_nq(const ss_result *r) { return (int)r->table[Q].width; }

int ss_result_nv(const ss_result *r) { return (int)r->table[V].width; }

const char *ss_result_q_name(const ss_result *r, int k) { return k >= 0 && k < ss_result_nq(r) ? r->q_name[k] : NULL; }

const char *ss_result_v_name(const ss_result *r, int k) { return k >= 0 && k < ss_result_nv(r) ? r->v_name[k] : NULL; }

const char *ss_result_scheme(const ss_result *r) { return r->scheme; }

const char *ss_result_solver(const ss_result *r) { return r->solver; }

const char *ss_result_scene(const ss_result *r) { return r->scene; }

ss_status ss_result_read(const ss_result *r, int64_t first, int64_t count, double *t, int64_t *step, double *q, double *v)
{
    void *const wanted[TABLES] = { [TIME] = t, [STEP] = step, [Q] = q, [V] = v };
    if (first < 0 || count < 0 || first > r->states || count > r->states - first) {
        return ss_fail(r->ctx, SS_ERR_INPUT, "%s: %lld states from number %lld on were asked for, there are %lld", r->path,
                       (long long)count, (long long)first, (long long)r->states);
    }
    ss_h5_quiet quiet = ss_h5_silence();
    ss_status status = SS_OK;
    for (int k = 0; k < TABLES && status == SS_OK; k++) {
        hid_t type = tables[k].whole ? H5T_NATIVE_INT64 : H5T_NATIVE_DOUBLE;
        if (wanted[k]) {
            status = ss_h5_table_read(&r->source, tables[k].name, &r->table[k], (hsize_t)first, (hsize_t)count, type, wanted[k]);
        }
    }
    ss_h5_restore(quiet);
    return status;
}
