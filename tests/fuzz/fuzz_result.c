/* fuzz_result.c - any bytes as a result file: refused with a reason, or one whose states can be asked for. */
#include "fuzz.h"

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
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ss_context *ctx = fuzz_context();
    const char *path = fuzz_file(data, size);
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
