/* fuzz_fclib.c - any bytes as an FCLIB file: refused with a reason, or a problem that has a certificate. */
#include "fuzz.h"

static void use(ss_context *ctx, ss_problem_file *file)
{
    const ss_problem *p = ss_problem_file_problem(file);
    const ss_solution *s = ss_problem_file_solution(file);
    ss_residual residual;
    if (ss_problem_check(ctx, p) != SS_OK) {
        abort();
    }
    if (s && ss_problem_residual(ctx, p, s, &residual) != SS_OK) {
        fuzz_expect_reason(ctx);
    }
    if (ss_problem_file_set_law(file, SS_LAW_COULOMB) != SS_OK || ss_problem_check(ctx, p) != SS_OK) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ss_context *ctx = fuzz_context();
    const char *path = fuzz_file(data, size);
    ss_problem_file *file = NULL;
    if (ss_problem_read(ctx, path, &file) == SS_OK) {
        use(ctx, file);
    } else {
        fuzz_expect_reason(ctx);
    }
    ss_problem_file_destroy(file);
    ss_context_destroy(ctx);
    remove(path);
    return 0;
}
