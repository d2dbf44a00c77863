/* test_fclib.c - contact problems as FCLIB files: rows padded, signs and transposes, what is refused. */
#include "test.h"

#include <hdf5.h>
#include <unistd.h>

/* two bodies of one velocity each in 2D; contact 0 has friction, contact 1 has none; one joint row */
typedef struct example {
    double mass[2], b[2], c[1], w[3], mu[2], direction[4], v[2], lam[1], r[3], u[3];
    int offset[2], size[2], start[2], row[3], dir[3];
    unsigned law[2];
    int hp[4], hi[4], gp[2], gi[2];
    double hx[4], gx[2];
    ss_problem p;
    ss_solution s;
} example;

static void build(example *x)
{
    *x = (example){
        .mass = { 2, 3 },
        .b = { 5, 6 },
        .c = { 7 },
        .w = { 0.1, 0.2, 0.3 },
        .mu = { 0.5, 9 },
        .direction = { 1, 0, -1, 0 },
        .v = { 1, 2 },
        .lam = { 3 },
        .r = { 4, 5, 6 },
        .u = { 7, 8, 9 },
        .offset = { 0, 1 },
        .size = { 1, 1 },
        .start = { 0, 1 },
        .row = { 0, 2, 3 },
        .dir = { 0, 2, 2 },
        .law = { SS_LAW_POLYHEDRAL, SS_LAW_UNILATERAL },
        .hp = { 0, 2, 3, 4 },
        .hi = { 0, 1, 1, 0 },
        .hx = { 11, 12, 13, 14 },
        .gp = { 0, 2 },
        .gi = { 0, 1 },
        .gx = { 21, 22 },
    };
    x->p = (ss_problem){
        .size = sizeof(ss_problem),
        .nj = 1,
        .nc = 2,
        .dimension = 2,
        .G = { .m = 1, .n = 2, .p = x->gp, .i = x->gi, .x = x->gx },
        .H = { .m = 3, .n = 2, .p = x->hp, .i = x->hi, .x = x->hx },
        .b = x->b,
        .c = x->c,
        .w = x->w,
        .row = x->row,
        .law = x->law,
        .mu = x->mu,
        .dir = x->dir,
        .direction = x->direction,
    };
    ss_problem_set_blocks(&x->p, &(ss_blockdiag){ 2, 2, x->offset, x->size, x->start, x->mass, NULL });
    x->s = (ss_solution){ .v = x->v, .lam = x->lam, .r = x->r, .u = x->u };
}

static void temporary(char *path, size_t size) { snprintf(path, size, "/tmp/slipstick-fclib-%ld.hdf5", (long)getpid()); }

static int read_numbers(hid_t file, const char *name, double *x, int most)
{
    hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
    CHECK(set >= 0);
    hid_t space = H5Dget_space(set);
    int n = (int)H5Sget_simple_extent_npoints(space);
    CHECK(n <= most && H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, x) >= 0);
    H5Sclose(space);
    H5Dclose(set);
    return n;
}

static void expect(hid_t file, const char *name, int n, const double *wanted)
{
    double x[16];
    int got = read_numbers(file, name, x, 16);
    if (got != n) {
        fail_msg("%s has %d numbers, expected %d", name, got, n);
    }
    for (int k = 0; k < n; k++) {
        if (x[k] != wanted[k]) {
            fail_msg("%s[%d] = %g, expected %g", name, k, x[k], wanted[k]);
        }
    }
}

#define EXPECT(file, name, ...)                                                                                                  \
    do {                                                                                                                         \
        const double expect_[] = { __VA_ARGS__ };                                                                                \
        expect((file), (name), (int)(sizeof expect_ / sizeof expect_[0]), expect_);                                              \
    } while (0)

TEST(a_global_problem_is_padded_transposed_and_keeps_its_signs)
{
    ss_context *ctx = test_context();
    example x;
    char path[64];
    build(&x);
    temporary(path, sizeof path);
    CHECK_OK(ctx, ss_problem_write(ctx, &x.p, &x.s, path));
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    CHECK(file >= 0);
    EXPECT(file, "/fclib_global/spacedim", 2);
    EXPECT(file, "/fclib_global/M/x", 2, 3);
    EXPECT(file, "/fclib_global/M/nz", -2);
    /* H' by columns: contact 0 has rows 0 and 1, contact 1 row 2 and a zero row */
    EXPECT(file, "/fclib_global/H/m", 2);
    EXPECT(file, "/fclib_global/H/n", 4);
    EXPECT(file, "/fclib_global/H/nz", -1);
    EXPECT(file, "/fclib_global/H/p", 0, 2, 3, 4, 4);
    EXPECT(file, "/fclib_global/H/i", 0, 1, 1, 0);
    EXPECT(file, "/fclib_global/H/x", 11, 12, 13, 14);
    EXPECT(file, "/fclib_global/G/m", 2);
    EXPECT(file, "/fclib_global/G/n", 1);
    EXPECT(file, "/fclib_global/vectors/f", 5, 6);
    EXPECT(file, "/fclib_global/vectors/b", -7);
    EXPECT(file, "/fclib_global/vectors/w", 0.1, 0.2, 0.3, 0);
    EXPECT(file, "/fclib_global/vectors/mu", 0.5, 0); /* no friction: mu is 0 whatever the problem says */
    EXPECT(file, "/solution/v", 1, 2);
    EXPECT(file, "/solution/l", 3);
    EXPECT(file, "/solution/r", 4, 5, 6, 0);
    EXPECT(file, "/slipstick/law", SS_LAW_POLYHEDRAL, SS_LAW_UNILATERAL);
    EXPECT(file, "/slipstick/direction", 1, 0, -1, 0);
    H5Fclose(file);
    remove(path);
    ss_context_destroy(ctx);
}

TEST(a_local_problem_is_padded_on_both_sides)
{
    ss_context *ctx = test_context();
    example x;
    char path[64];
    int wp[] = { 0, 3, 6, 9 }, wi[] = { 0, 1, 2, 0, 1, 2, 0, 1, 2 };
    double wx[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 };
    build(&x);
    x.p.local = true;
    x.p.nv = x.p.nj = 0;
    x.p.W = (ss_csr){ .m = 3, .n = 3, .p = wp, .i = wi, .x = wx };
    temporary(path, sizeof path);
    CHECK_OK(ctx, ss_problem_write(ctx, &x.p, NULL, path));
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    EXPECT(file, "/fclib_local/W/m", 4);
    EXPECT(file, "/fclib_local/W/n", 4);
    EXPECT(file, "/fclib_local/W/p", 0, 3, 6, 9, 9);
    EXPECT(file, "/fclib_local/W/i", 0, 1, 2, 0, 1, 2, 0, 1, 2);
    EXPECT(file, "/fclib_local/vectors/q", 0.1, 0.2, 0.3, 0);
    H5Fclose(file);
    remove(path);
    ss_context_destroy(ctx);
}

TEST(what_the_format_cannot_say_is_refused)
{
    ss_context *ctx = test_context();
    example x;
    char path[64];
    build(&x);
    temporary(path, sizeof path);
    x.law[1] = SS_LAW_BOUNDED;
    CHECK_FAILS(ctx, ss_problem_write(ctx, &x.p, NULL, path), SS_ERR_UNSUPPORTED, "contact 1 is a motor of limited force");
    CHECK(access(path, F_OK) != 0);
    x.law[1] = SS_LAW_UNILATERAL;
    CHECK_FAILS(ctx, ss_problem_write(ctx, &x.p, NULL, "/nowhere/at/all.hdf5"), SS_ERR_IO, "No such file");
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_global_problem_is_padded_transposed_and_keeps_its_signs),
        cmocka_unit_test(a_local_problem_is_padded_on_both_sides),
        cmocka_unit_test(what_the_format_cannot_say_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
