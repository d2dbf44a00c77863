/* fuzz_result.c - any bytes as a result file: refused with a reason, or one whose states, columns and events can be asked for.
 * Bytes that do not start like HDF5 are read as CSV. */
#include "fuzz.h"

/* the last state, column by column, and the last event */
static void use_columns(ss_context *ctx, const ss_result *r)
{
    enum { MOST = 64 };
    double x;
    ss_event_kind kind;
    for (int k = 0; k < ss_result_columns(r) && k < MOST; k++) {
        if (!ss_result_column_name(r, k) || !ss_result_column_unit(r, k)) {
            abort();
        }
        if (ss_result_read_column(r, k, ss_result_states(r) - 1, 1, &x) != SS_OK) {
            fuzz_expect_reason(ctx);
        }
    }
    if (ss_result_read_events(r, ss_result_events(r) - 1, 1, &x, &kind) != SS_OK) {
        fuzz_expect_reason(ctx);
    }
}

static void use(ss_context *ctx, const ss_result *r)
{
    enum { MOST = 1 << 20 }; /* numbers that are read at most */
    int64_t states = ss_result_states(r);
    size_t nq = (size_t)ss_result_nq(r), nv = (size_t)ss_result_nv(r);
    for (size_t k = 0; k < nq; k++) {
        if (!ss_result_q_name(r, (int)k)) {
            abort();
        }
    }
    if (states == 0 || nq > MOST || nv > MOST) {
        return;
    }
    double t, *q = malloc((nq + 1) * sizeof *q), *v = malloc((nv + 1) * sizeof *v);
    int64_t step;
    if (q && v && ss_result_read(r, states - 1, 1, &t, &step, q, v) != SS_OK) {
        fuzz_expect_reason(ctx);
    }
    free(q);
    free(v);
    use_columns(ctx, r);
}

/* the format follows from the name */
static const char *result_file(const uint8_t *data, size_t size)
{
    static char csv[80];
    const char *path = fuzz_file(data, size);
    if (size > 3 && memcmp(data, "\x89HDF", 4) == 0) {
        return path;
    }
    snprintf(csv, sizeof csv, "%s.csv", path);
    if (rename(path, csv) != 0) {
        abort();
    }
    return csv;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ss_context *ctx = fuzz_context();
    const char *path = result_file(data, size);
    ss_result *r = NULL;
    if (ss_result_open(ctx, path, &r) == SS_OK) {
        use(ctx, r);
    } else {
        fuzz_expect_reason(ctx);
    }
    ss_result_close(r);
    ss_context_destroy(ctx);
    remove(path);
    return 0;
}
