/* test_fclib_refusals.c - FCLIB files that are not what they should be are refused with the name of what is wrong. */
#include "foreign_fclib.h"

/* ---- what is refused --------------------------------------------------------------------------- */

static void refuse_file(const char *path, ss_status expected, const char *text)
{
    ss_context *ctx = test_context();
    ss_problem_file *file = NULL;
    CHECK_FAILS(ctx, ss_problem_read(ctx, path, &file), expected, text);
    CHECK(!file && strncmp(ss_last_error(ctx), path, strlen(path)) == 0);
    ss_context_destroy(ctx);
}

static void refuse(const foreign *x, ss_status expected, const char *text)
{
    char path[64];
    temporary(path, sizeof path);
    write_foreign(path, x);
    refuse_file(path, expected, text);
    remove(path);
}

static void spoil(const char *path, long size, const char *content)
{
    FILE *file = fopen(path, "wb");
    CHECK(file && fwrite(content, 1, (size_t)size, file) == (size_t)size && fclose(file) == 0);
}

TEST(files_that_are_not_fclib_are_refused)
{
    char path[64];
    temporary(path, sizeof path);
    refuse_file("/nowhere/at/all.hdf5", SS_ERR_IO, "cannot be opened: No such file");
    refuse_file("/tmp", SS_ERR_INPUT, "expected a file");
    spoil(path, 0, "");
    refuse_file(path, SS_ERR_INPUT, "the file is empty");
    spoil(path, 16, "not HDF5 at all.");
    refuse_file(path, SS_ERR_INPUT, "not an HDF5 file");
    remove(path);
    foreign x = local();
    x.root = "something_else";
    refuse(&x, SS_ERR_INPUT, "not FCLIB");
    x.root = "fclib_local_rolling";
    refuse(&x, SS_ERR_INPUT, "fclib_local_rolling/spacedim: is 2, expected 5");
    x.dimension = 5;
    refuse(&x, SS_ERR_INPUT, "fclib_local_rolling/vectors/mu_r: missing");
    x.rolling = true;
    x.mu_r[0] = -1;
    refuse(&x, SS_ERR_INPUT, "fclib_local_rolling/vectors/mu_r: number 0 is -1, expected >= 0");
    x.mu_r[0] = 0.1;
    refuse(&x, SS_ERR_INPUT, "fclib_local_rolling/W");
    x = local();
    x.root = "fclib_global";
    refuse(&x, SS_ERR_INPUT, "fclib_global/vectors/f: missing");
}

/* cut anywhere, a file is refused or, if only the end of the padding is gone, read */
TEST(a_file_that_is_cut_off_is_refused)
{
    char path[64], *bytes;
    foreign x = local();
    temporary(path, sizeof path);
    write_foreign(path, &x);
    FILE *file = fopen(path, "rb");
    CHECK(file && fseek(file, 0, SEEK_END) == 0);
    long size = ftell(file);
    bytes = malloc((size_t)size);
    rewind(file);
    CHECK(fread(bytes, 1, (size_t)size, file) == (size_t)size);
    fclose(file);
    for (long cut = 1; cut < size; cut += 97) {
        spoil(path, cut, bytes);
        refuse_file(path, SS_ERR_INPUT, cut < 8 ? "not an HDF5 file" : "");
    }
    free(bytes);
    remove(path);
}

TEST(sizes_and_numbers_that_do_not_fit_are_named)
{
    const int bad_p[] = { 0, 3, 2 }, bad_i[] = { 0, 1, 0, 2 };
    const double bad_x[] = { 2, 1, NAN, 4 };
    foreign x = local();
    x.mu[0] = -0.1;
    refuse(&x, SS_ERR_INPUT, "fclib_local/vectors/mu: number 0 is -0.1, expected >= 0");
    x = local();
    x.dimension = 5;
    refuse(&x, SS_ERR_INPUT, "fclib_local/spacedim: is 5, expected 2 or 3");
    x.dimension = 3;
    refuse(&x, SS_ERR_INPUT, "fclib_local/W: is 2 x 2, expected 3 x 3");
    x = local();
    x.rows = 1;
    refuse(&x, SS_ERR_INPUT, "fclib_local/vectors/q: has 1 numbers, expected 2");
    x = local();
    x.q[1] = INFINITY;
    refuse(&x, SS_ERR_INPUT, "fclib_local/vectors/q: number 1 is inf");
    x = local();
    x.W.x = bad_x;
    refuse(&x, SS_ERR_INPUT, "fclib_local/W/x: number 2 is nan");
    x = local();
    x.W.p = bad_p;
    refuse(&x, SS_ERR_INPUT, "fclib_local/W/p: number 2 is 2");
    x = local();
    x.W.i = bad_i;
    refuse(&x, SS_ERR_INPUT, "fclib_local/W/i: number 3 is 2, expected 0 to 1");
    x = local();
    x.W.nz = 2000000000;
    refuse(&x, SS_ERR_INPUT, "fclib_local/W/p: has 3 numbers, expected at least 2000000000");
    x = local();
    x.W.nz = -7;
    refuse(&x, SS_ERR_INPUT, "fclib_local/W/nz: is -7");
    x = local();
    x.W.m = 2000000000;
    refuse(&x, SS_ERR_INPUT, "fclib_local/W/p: has 3 numbers, expected 2000000001");
}

/* a list that says 1e15 numbers and has none */
static void put_promise(hid_t parent, const char *name)
{
    hsize_t size = (hsize_t)1 << 50, chunk = 1024;
    hid_t space = H5Screate_simple(1, &size, NULL), list = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(list, 1, &chunk);
    hid_t set = H5Dcreate2(parent, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, list, H5P_DEFAULT);
    CHECK(set >= 0);
    H5Dclose(set);
    H5Pclose(list);
    H5Sclose(space);
}

TEST(a_size_that_the_file_cannot_hold_is_refused_before_memory_is_taken)
{
    char path[64];
    temporary(path, sizeof path);
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), root = group(file, "fclib_local");
    hid_t vectors = group(root, "vectors");
    put_int(root, "spacedim", 3);
    put_promise(vectors, "mu");
    H5Gclose(vectors);
    H5Gclose(root);
    H5Fclose(file);
    refuse_file(path, SS_ERR_INPUT, "fclib_local/vectors/mu: 1125899906842624 numbers cannot be in a file of this size");
    remove(path);
}

TEST(texts_and_groups_in_place_of_numbers_are_refused)
{
    char path[64];
    temporary(path, sizeof path);
    for (int k = 0; k < 2; k++) {
        hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), root = group(file, "fclib_local");
        if (k == 0) {
            H5Gclose(group(root, "spacedim"));
        } else {
            put(root, "spacedim", H5T_C_S1, 1, "3");
        }
        H5Gclose(root);
        H5Fclose(file);
        refuse_file(path, SS_ERR_INPUT, k == 0 ? "cannot be opened as a list of numbers" : "expected whole numbers");
    }
    remove(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_that_are_not_fclib_are_refused),
        cmocka_unit_test(a_file_that_is_cut_off_is_refused),
        cmocka_unit_test(sizes_and_numbers_that_do_not_fit_are_named),
        cmocka_unit_test(a_size_that_the_file_cannot_hold_is_refused_before_memory_is_taken),
        cmocka_unit_test(texts_and_groups_in_place_of_numbers_are_refused),
    };
    return cmocka_run_group_tests(tests, quiet, NULL);
}
