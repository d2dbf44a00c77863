/* test_result_read.c - result files read back: the states to the bit, files of a run that was cut short, and files that
 * are not results. */
#include "test.h"

#include <hdf5.h>
#include <unistd.h>

enum { STEPS = 7 };

static const char scene_text[] = "{\"slipstick\":1,\"dimension\":2,\"gravity\":[0,-9.81],\"time\":{\"until\":1,\"step\":0.01},"
                                 "\"bodies\":[{\"name\":\"ball\",\"type\":\"particle\",\"mass\":1,\"position\":[0,1]}]}";

/* a ball that falls, written with what the simulation said; y[k] is its height after step k */
typedef struct fall {
    char path[64];
    double y[STEPS + 1];
    char *bytes;
    long size;
} fall;

static void write_run(ss_context *ctx, ss_scene *scene, ss_sim *sim, fall *f)
{
    ss_writer *w = NULL;
    CHECK_OK(ctx, ss_writer_create(ctx, f->path, scene, sim, 0, &w));
    f->y[0] = ss_sim_q(sim)[1];
    for (int k = 1; k <= STEPS; k++) {
        CHECK_OK(ctx, ss_sim_step(sim, 0.01));
        CHECK_OK(ctx, ss_writer_step(w, sim, ss_sim_last_step(sim)));
        f->y[k] = ss_sim_q(sim)[1];
    }
    CHECK_OK(ctx, ss_writer_close(w));
}

static void load(fall *f)
{
    FILE *file = fopen(f->path, "rb");
    CHECK(file && fseek(file, 0, SEEK_END) == 0);
    f->size = ftell(file);
    f->bytes = malloc((size_t)f->size);
    rewind(file);
    CHECK(fread(f->bytes, 1, (size_t)f->size, file) == (size_t)f->size);
    fclose(file);
}

static fall make_fall(ss_context *ctx)
{
    fall f = { .size = 0 };
    ss_scene *scene = NULL;
    ss_model *model = NULL;
    ss_sim *sim = NULL;
    snprintf(f.path, sizeof f.path, "/tmp/slipstick-result-%ld.h5", (long)getpid());
    CHECK_OK(ctx, ss_scene_parse(ctx, scene_text, strlen(scene_text), "fall", 0, NULL, &scene));
    CHECK_OK(ctx, ss_model_compile(ctx, scene, &model));
    CHECK_OK(ctx, ss_sim_create(ctx, model, NULL, &sim));
    write_run(ctx, scene, sim, &f);
    load(&f);
    ss_sim_destroy(sim);
    ss_model_destroy(model);
    ss_scene_destroy(scene);
    return f;
}

static void done(ss_context *ctx, fall *f)
{
    remove(f->path);
    free(f->bytes);
    ss_context_destroy(ctx);
}

TEST(states_come_back_to_the_bit_with_their_names)
{
    ss_context *ctx = test_context();
    fall f = make_fall(ctx);
    ss_result *r = NULL;
    double t[STEPS + 1], q[2 * (STEPS + 1)], v[2];
    int64_t step[STEPS + 1];
    CHECK_OK(ctx, ss_result_open(ctx, f.path, &r));
    CHECK(ss_result_states(r) == STEPS + 1 && ss_result_nq(r) == 2 && ss_result_nv(r) == 2 && ss_result_dimension(r) == 2);
    assert_string_equal(ss_result_q_name(r, 1), "ball.y");
    assert_string_equal(ss_result_v_name(r, 0), "ball.vx");
    CHECK(!ss_result_q_name(r, 2) && !ss_result_v_name(r, -1));
    assert_string_equal(ss_result_scheme(r), "anitescu_potra");
    assert_string_equal(ss_result_solver(r), "auto");
    CHECK_OK(ctx, ss_result_read(r, 0, STEPS + 1, t, step, q, NULL));
    for (int k = 0; k <= STEPS; k++) {
        CHECK(q[2 * k + 1] == f.y[k] && step[k] == k);
    }
    CHECK_OK(ctx, ss_result_read(r, STEPS, 1, NULL, NULL, q, v));
    CHECK(q[1] == f.y[STEPS]);
    CHECK_NEAR(v[1], -9.81 * 0.01 * STEPS, 1e-12); /* Euler is exact for a constant force; sums of 7 terms */
    CHECK_OK(ctx, ss_result_read(r, STEPS + 1, 0, t, step, q, v));
    CHECK_FAILS(ctx, ss_result_read(r, 3, STEPS, t, NULL, NULL, NULL), SS_ERR_INPUT,
                "states from number 3 on were asked for, there are 8");
    CHECK(ss_result_read(r, -1, 1, t, NULL, NULL, NULL) == SS_ERR_INPUT);
    CHECK(ss_result_read(r, 1, INT64_MAX, t, NULL, NULL, NULL) == SS_ERR_INPUT);
    ss_result_close(r);
    done(ctx, &f);
}

TEST(the_scene_in_a_result_is_a_scene)
{
    ss_context *ctx = test_context();
    fall f = make_fall(ctx);
    ss_result *r = NULL;
    ss_scene *scene = NULL;
    CHECK_OK(ctx, ss_result_open(ctx, f.path, &r));
    CHECK_OK(ctx, ss_scene_parse(ctx, ss_result_scene(r), strlen(ss_result_scene(r)), "scene", 0, NULL, &scene));
    CHECK(ss_scene_get_settings(scene)->gravity[1] == -9.81);
    ss_scene_destroy(scene);
    ss_result_close(r);
    done(ctx, &f);
}

/* a kill within a flush: one table is longer than another */
TEST(tables_of_different_length_have_the_states_of_the_shortest)
{
    ss_context *ctx = test_context();
    fall f = make_fall(ctx);
    ss_result *r = NULL;
    double t[STEPS + 1];
    hsize_t size[2] = { STEPS - 2, 2 };
    hid_t file = H5Fopen(f.path, H5F_ACC_RDWR, H5P_DEFAULT), set = H5Dopen2(file, "v", H5P_DEFAULT);
    CHECK(H5Dset_extent(set, size) >= 0);
    H5Dclose(set);
    H5Fclose(file);
    CHECK_OK(ctx, ss_result_open(ctx, f.path, &r));
    CHECK(ss_result_states(r) == STEPS - 2);
    CHECK(ss_result_read(r, 0, STEPS - 1, t, NULL, NULL, NULL) == SS_ERR_INPUT);
    ss_result_close(r);
    done(ctx, &f);
}

/* a kill within a flush: tables are longer, but their new chunks are not in the file; HDF5 reads zeros there */
TEST(rows_whose_data_are_missing_are_left_out)
{
    const char *const names[] = {
        "time", "step", "q", "v", "energy", "certificate", "joints/reaction", "driven/pose", "elements/stress", "outputs/value"
    };
    enum { MANY = 100000, CHUNK = 1024 }; /* a chunk has at most so many rows */
    ss_context *ctx = test_context();
    fall f = make_fall(ctx);
    ss_result *r = NULL;
    hid_t file = H5Fopen(f.path, H5F_ACC_RDWR, H5P_DEFAULT);
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        hsize_t size[3] = { 0, 0, 0 };
        hid_t set = H5Dopen2(file, names[k], H5P_DEFAULT), space = H5Dget_space(set);
        H5Sget_simple_extent_dims(space, size, NULL);
        size[0] = MANY;
        CHECK(H5Dset_extent(set, size) >= 0);
        H5Sclose(space);
        H5Dclose(set);
    }
    H5Fclose(file);
    CHECK_OK(ctx, ss_result_open(ctx, f.path, &r));
    CHECK(ss_result_states(r) > STEPS && ss_result_states(r) <= CHUNK);
    ss_result_close(r);
    done(ctx, &f);
}

static void write_part(const fall *f, long size)
{
    FILE *file = fopen(f->path, "wb");
    CHECK(file && fwrite(f->bytes, 1, (size_t)size, file) == (size_t)size && fclose(file) == 0);
}

TEST(a_file_that_is_cut_off_is_refused)
{
    ss_context *ctx = test_context();
    fall f = make_fall(ctx);
    ss_result *r = NULL;
    for (long cut = 0; cut < f.size; cut += 1 + f.size / 61) {
        write_part(&f, cut);
        CHECK(ss_result_open(ctx, f.path, &r) == SS_ERR_INPUT && !r);
        CHECK(strncmp(ss_last_error(ctx), f.path, strlen(f.path)) == 0);
    }
    done(ctx, &f);
}

TEST(other_files_are_refused)
{
    ss_context *ctx = test_context();
    fall f = make_fall(ctx);
    ss_result *r = NULL;
    hid_t file = H5Fcreate(f.path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    H5Fclose(file);
    CHECK_FAILS(ctx, ss_result_open(ctx, f.path, &r), SS_ERR_INPUT, "not a result of slipstick");
    CHECK_FAILS(ctx, ss_result_open(ctx, "/nowhere/x.h5", &r), SS_ERR_IO, "cannot be opened");
    done(ctx, &f);
}

TEST(a_file_of_another_layout_is_refused)
{
    ss_context *ctx = test_context();
    fall f = make_fall(ctx);
    ss_result *r = NULL;
    static const char *const text[] = { "version: the file has layout 1, this program reads layout 2",
                                        "version: the file has layout 3, of a newer slipstick; this program reads layout 2" };
    for (int version = 1; version <= 3; version += 2) {
        hid_t file = H5Fopen(f.path, H5F_ACC_RDWR, H5P_DEFAULT), attribute = H5Aopen(file, "version", H5P_DEFAULT);
        CHECK(H5Awrite(attribute, H5T_NATIVE_INT, &version) >= 0);
        H5Aclose(attribute);
        H5Fclose(file);
        CHECK_FAILS(ctx, ss_result_open(ctx, f.path, &r), SS_ERR_INPUT, text[version / 2]);
    }
    done(ctx, &f);
}

/* as builds before those poses, stresses and outputs wrote it */
TEST(a_result_without_poses_of_driven_bodies_stresses_and_outputs_is_read)
{
    ss_context *ctx = test_context();
    fall f = make_fall(ctx);
    ss_result *r = NULL;
    hid_t file = H5Fopen(f.path, H5F_ACC_RDWR, H5P_DEFAULT);
    CHECK(H5Ldelete(file, "driven", H5P_DEFAULT) >= 0);
    CHECK(H5Ldelete(file, "elements", H5P_DEFAULT) >= 0);
    CHECK(H5Ldelete(file, "outputs", H5P_DEFAULT) >= 0);
    H5Fclose(file);
    CHECK_OK(ctx, ss_result_open(ctx, f.path, &r));
    CHECK(ss_result_states(r) > 1 && ss_result_find_column(r, "energy") == ss_result_columns(r) - 1);
    ss_result_close(r);
    done(ctx, &f);
}

TEST(a_result_without_one_of_its_tables_is_refused_by_name)
{
    static const char *const names[] = { "time",
                                         "step",
                                         "q",
                                         "v",
                                         "scene",
                                         "names/q",
                                         "names/v",
                                         "energy",
                                         "certificate",
                                         "joints/reaction",
                                         "names/reaction",
                                         "events/time",
                                         "events/code",
                                         "driven/pose",
                                         "names/driven",
                                         "elements/stress",
                                         "names/stress",
                                         "outputs/value",
                                         "names/output" };
    ss_context *ctx = test_context();
    fall f = make_fall(ctx);
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        ss_result *r = NULL;
        char text[64];
        write_part(&f, f.size);
        hid_t file = H5Fopen(f.path, H5F_ACC_RDWR, H5P_DEFAULT);
        CHECK(H5Ldelete(file, names[k], H5P_DEFAULT) >= 0);
        H5Fclose(file);
        snprintf(text, sizeof text, ": %s: missing", names[k]);
        CHECK_FAILS(ctx, ss_result_open(ctx, f.path, &r), SS_ERR_INPUT, text);
    }
    done(ctx, &f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(states_come_back_to_the_bit_with_their_names),
        cmocka_unit_test(the_scene_in_a_result_is_a_scene),
        cmocka_unit_test(tables_of_different_length_have_the_states_of_the_shortest),
        cmocka_unit_test(rows_whose_data_are_missing_are_left_out),
        cmocka_unit_test(a_file_that_is_cut_off_is_refused),
        cmocka_unit_test(other_files_are_refused),
        cmocka_unit_test(a_file_of_another_layout_is_refused),
        cmocka_unit_test(a_result_without_poses_of_driven_bodies_stresses_and_outputs_is_read),
        cmocka_unit_test(a_result_without_one_of_its_tables_is_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
