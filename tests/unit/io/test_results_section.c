/* test_results_section.c - the section "results": results in single precision, compressed, without contacts. */
#include "test.h"

#include <hdf5.h>
#include <math.h>
#include <unistd.h>

enum { BALLS = 40, STEPS = 60, STATES = STEPS + 1, NQ = 7 * BALLS, NV = 6 * BALLS };
static const double h = 1.0 / 240;

/* balls that roll and spin on a floor, each in its own way */
static char *scene_text(const char *section)
{
    enum { SIZE = 1 << 14 };
    char *text = malloc(SIZE);
    int n = snprintf(text, SIZE,
                     "{\"slipstick\":1,\"dimension\":3,\"gravity\":[0,0,-9.81],\"time\":{\"until\":1,\"step\":\"1/240\"},"
                     "\"results\":%s,\"materials\":[{\"name\":\"wood\",\"mu\":0.3}],"
                     "\"bodies\":[{\"name\":\"floor\",\"type\":\"fixed\",\"shapes\":[{\"type\":\"half_space\",\"normal\":[0,0,1],"
                     "\"material\":\"wood\"}]}",
                     section);
    for (int k = 0; k < BALLS; k++) {
        n += snprintf(text + n, (size_t)(SIZE - n),
                      ",{\"name\":\"b%d\",\"type\":\"rigid\",\"density\":1000,\"position\":[%d,0,0.1],\"velocity\":[%g,%g,0],"
                      "\"angular_velocity\":[%g,1,%g],\"shapes\":[{\"type\":\"sphere\",\"radius\":0.1,\"material\":\"wood\"}]}",
                      k, k, sin(k + 1.0), cos(3.0 * k), 3 * sin(7.0 * k), cos(5.0 * k));
    }
    snprintf(text + n, (size_t)(SIZE - n), "]}");
    return text;
}

/* a run and its file */
typedef struct recorded {
    char path[64];
    ss_scene *scene;
    ss_model *model;
    ss_sim *sim;
    ss_writer *writer;
} recorded;

static recorded begin(ss_context *ctx, const char *section)
{
    recorded r = { .scene = NULL };
    char *text = scene_text(section);
    snprintf(r.path, sizeof r.path, "/tmp/slipstick-section-%ld.h5", (long)getpid());
    CHECK_OK(ctx, ss_scene_parse(ctx, text, strlen(text), "balls", 0, NULL, &r.scene));
    CHECK_OK(ctx, ss_model_compile(ctx, r.scene, &r.model));
    CHECK_OK(ctx, ss_sim_create(ctx, r.model, NULL, &r.sim));
    CHECK_OK(ctx, ss_writer_create(ctx, r.path, r.scene, r.sim, 0, &r.writer));
    free(text);
    return r;
}

static void go_on(ss_context *ctx, recorded *r, int steps)
{
    for (int k = 0; k < steps; k++) {
        CHECK_OK(ctx, ss_sim_step(r->sim, h));
        CHECK_OK(ctx, ss_writer_step(r->writer, r->sim, ss_sim_last_step(r->sim)));
    }
}

static void end(ss_context *ctx, recorded *r)
{
    CHECK_OK(ctx, ss_writer_close(r->writer));
    ss_sim_destroy(r->sim);
    ss_model_destroy(r->model);
    ss_scene_destroy(r->scene);
}

/* what is read back of a whole run, and the size of its file */
typedef struct read_back {
    double t[STATES], q[STATES * NQ], v[STATES * NV];
    int64_t step[STATES], offset[STATES + 1];
    ss_result_contact contact[STATES * BALLS];
    long bytes;
} read_back;

static long size_of(const char *path)
{
    FILE *file = fopen(path, "rb");
    CHECK(file && fseek(file, 0, SEEK_END) == 0);
    const long size = ftell(file);
    fclose(file);
    return size;
}

static read_back *record(ss_context *ctx, const char *section)
{
    read_back *x = calloc(1, sizeof *x);
    ss_result *result = NULL;
    recorded r = begin(ctx, section);
    go_on(ctx, &r, STEPS);
    end(ctx, &r);
    x->bytes = size_of(r.path);
    CHECK_OK(ctx, ss_result_open(ctx, r.path, &result));
    CHECK(ss_result_states(result) == STATES && ss_result_nq(result) == NQ && ss_result_nv(result) == NV);
    CHECK_OK(ctx, ss_result_read(result, 0, STATES, x->t, x->step, x->q, x->v));
    CHECK_OK(ctx, ss_result_read_offsets(result, 0, STATES, x->offset));
    CHECK(x->offset[STATES] <= STATES * BALLS);
    CHECK_OK(ctx, ss_result_read_contacts(result, 0, x->offset[STATES], x->contact));
    ss_result_close(result);
    remove(r.path);
    return x;
}

/* half of the last bit of a single, of every number */
static void check_single(int n, const double *exact, const double *single)
{
    const double half_bit = 5.97e-8;
    bool differs = false;
    for (int k = 0; k < n; k++) {
        CHECK(fabs(single[k] - exact[k]) <= half_bit * fabs(exact[k]) + 1e-38);
        differs = differs || single[k] != exact[k];
    }
    CHECK(differs);
}

TEST(compressed_numbers_are_the_same_to_the_bit)
{
    ss_context *ctx = test_context();
    read_back *plain = record(ctx, "{}"), *small = record(ctx, "{\"compress\":5}");
    CHECK(memcmp(plain->q, small->q, sizeof plain->q) == 0 && memcmp(plain->v, small->v, sizeof plain->v) == 0);
    CHECK(memcmp(plain->t, small->t, sizeof plain->t) == 0 && memcmp(plain->step, small->step, sizeof plain->step) == 0);
    CHECK(memcmp(plain->offset, small->offset, sizeof plain->offset) == 0 && plain->offset[STATES] > 0);
    CHECK(memcmp(plain->contact, small->contact, sizeof plain->contact) == 0);
    CHECK(5 * small->bytes < 4 * plain->bytes);
    free(plain);
    free(small);
    ss_context_destroy(ctx);
}

TEST(single_precision_is_half_a_bit_of_a_float_off_and_leaves_time_alone)
{
    ss_context *ctx = test_context();
    read_back *plain = record(ctx, "{}"), *single = record(ctx, "{\"precision\":\"single\"}");
    const int contacts = (int)plain->offset[STATES];
    check_single(STATES * NQ, plain->q, single->q);
    check_single(STATES * NV, plain->v, single->v);
    CHECK(memcmp(plain->t, single->t, sizeof plain->t) == 0);
    CHECK(memcmp(plain->offset, single->offset, sizeof plain->offset) == 0 && contacts > 0);
    for (int k = 0; k < contacts; k++) {
        CHECK(plain->contact[k].bodies[0] == single->contact[k].bodies[0]);
        for (int i = 0; i < 3; i++) {
            CHECK_NEAR(plain->contact[k].point[i], single->contact[k].point[i], 1e-7 * BALLS);
            CHECK_NEAR(plain->contact[k].force[i], single->contact[k].force[i], 1e-6 * fabs(plain->contact[k].force[2]));
        }
    }
    const long numbers = STATES * (NQ + NV) + 16L * contacts; /* gap, force, point, normal, two tangents */
    CHECK(plain->bytes - single->bytes >= 4 * numbers);
    free(plain);
    free(single);
    ss_context_destroy(ctx);
}

/* a file of one state more or less has the same scene and names: what a state takes is the difference */
TEST(a_state_takes_at_most_60_bytes_for_each_body)
{
    const char *section = "{\"precision\":\"single\",\"compress\":4,\"contacts\":false}";
    ss_context *ctx = test_context();
    recorded r = begin(ctx, section);
    end(ctx, &r);
    const long empty = size_of(r.path);
    read_back *all = record(ctx, section);
    CHECK(all->offset[STATES] == 0);
    CHECK((double)(all->bytes - empty) <= 60.0 * BALLS * STEPS);
    free(all);
    ss_context_destroy(ctx);
}

static int64_t states_now(ss_context *ctx, const char *path)
{
    ss_result *result = NULL;
    CHECK_OK(ctx, ss_result_open(ctx, path, &result));
    const int64_t states = ss_result_states(result);
    ss_result_close(result);
    return states;
}

/* A chunk of 16 KiB has 7 rows of 280 doubles and 8 of 240: a kill leaves whole chunks, which are never written again. */
TEST(compressed_chunks_are_written_whole_until_the_file_is_closed)
{
    ss_context *ctx = test_context();
    recorded r = begin(ctx, "{\"compress\":1}");
    go_on(ctx, &r, 19);
    CHECK_OK(ctx, ss_writer_flush(r.writer, 0));
    CHECK(states_now(ctx, r.path) == 14);
    go_on(ctx, &r, 5);
    CHECK_OK(ctx, ss_writer_flush(r.writer, 0));
    CHECK(states_now(ctx, r.path) == 21);
    end(ctx, &r);
    CHECK(states_now(ctx, r.path) == 25);
    remove(r.path);
    ss_context_destroy(ctx);
}

TEST(other_words_and_numbers_are_refused)
{
    static const char *const section[] = { "{\"precision\":\"half\"}", "{\"compress\":10}", "{\"compress\":-1}",
                                           "{\"contacts\":2}" };
    ss_context *ctx = test_context();
    for (size_t k = 0; k < sizeof section / sizeof *section; k++) {
        ss_scene *scene = NULL;
        char *text = scene_text(section[k]);
        CHECK(ss_scene_parse(ctx, text, strlen(text), "balls", 0, NULL, &scene) == SS_ERR_INPUT);
        CHECK(strstr(ss_last_error(ctx), "results."));
        free(text);
    }
    ss_context_destroy(ctx);
}

/* a scene that no file was read for */
TEST(settings_of_a_program_are_checked_too)
{
    ss_context *ctx = test_context();
    const int bad[2][2] = { { 2, 0 }, { 0, 10 } };
    for (int k = 0; k < 2; k++) {
        ss_scene_settings settings = ss_scene_settings_default();
        ss_scene *scene = NULL;
        ss_model *model = NULL;
        CHECK(settings.results.contacts && settings.results.precision == SS_PRECISION_DOUBLE && settings.results.compress == 0);
        settings.results.precision = bad[k][0];
        settings.results.compress = bad[k][1];
        CHECK_OK(ctx, ss_scene_create(ctx, &settings, &scene));
        CHECK(ss_model_compile(ctx, scene, &model) == SS_ERR_INPUT && strstr(ss_last_error(ctx), "results."));
        ss_scene_destroy(scene);
    }
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compressed_numbers_are_the_same_to_the_bit),
        cmocka_unit_test(single_precision_is_half_a_bit_of_a_float_off_and_leaves_time_alone),
        cmocka_unit_test(a_state_takes_at_most_60_bytes_for_each_body),
        cmocka_unit_test(compressed_chunks_are_written_whole_until_the_file_is_closed),
        cmocka_unit_test(other_words_and_numbers_are_refused),
        cmocka_unit_test(settings_of_a_program_are_checked_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
