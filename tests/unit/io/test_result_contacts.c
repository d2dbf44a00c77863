/* test_result_contacts.c - contacts of result files: as the simulation gave them, after a kill, damaged, and in CSV. */
#include "test.h"

#include <hdf5.h>
#include <unistd.h>

enum { STEPS = 5, CORNERS = 4 };

/* a cube of 2 kg slides along x over the floor */
static const char scene_text[] = "{\"slipstick\":1,\"dimension\":3,\"gravity\":[0,0,-10],\"time\":{\"until\":1,\"step\":0.01},"
                                 "\"materials\":[{\"name\":\"m\",\"mu\":0.25}],"
                                 "\"bodies\":[{\"name\":\"floor\",\"type\":\"fixed\",\"shapes\":[{\"type\":\"half_space\","
                                 "\"normal\":[0,0,1],\"material\":\"m\"}]},"
                                 "{\"name\":\"cube\",\"type\":\"rigid\",\"mass\":2,\"position\":[0,0,0.5],\"velocity\":[3,0,0],"
                                 "\"shapes\":[{\"type\":\"box\",\"size\":[1,1,1],\"material\":\"m\"}]}]}";

typedef struct slide {
    ss_context *ctx;
    char path[64];
    int count[STEPS + 1]; /* contacts of every state */
    ss_contact_info contact[STEPS + 1][CORNERS];
} slide;

static void note_contacts(slide *s, const ss_sim *sim, int state)
{
    s->count[state] = ss_sim_contact_count(sim);
    CHECK(s->count[state] <= CORNERS);
    for (int k = 0; k < s->count[state]; k++) {
        CHECK_OK(s->ctx, ss_sim_contact(sim, k, &s->contact[state][k]));
    }
}

static void write_run(slide *s, const ss_scene *scene, ss_sim *sim)
{
    ss_writer *w = NULL;
    CHECK_OK(s->ctx, ss_writer_create(s->ctx, s->path, scene, sim, 0, &w));
    note_contacts(s, sim, 0);
    for (int k = 1; k <= STEPS; k++) {
        CHECK_OK(s->ctx, ss_sim_step(sim, 0.01));
        CHECK_OK(s->ctx, ss_writer_step(w, sim, ss_sim_last_step(sim)));
        note_contacts(s, sim, k);
    }
    CHECK_OK(s->ctx, ss_writer_close(w));
}

static slide make_slide(const char *extension)
{
    slide s = { .ctx = test_context() };
    ss_scene *scene = NULL;
    ss_model *model = NULL;
    ss_sim *sim = NULL;
    snprintf(s.path, sizeof s.path, "/tmp/slipstick-contacts-%ld%s", (long)getpid(), extension);
    CHECK_OK(s.ctx, ss_scene_parse(s.ctx, scene_text, strlen(scene_text), "slide", 0, NULL, &scene));
    CHECK_OK(s.ctx, ss_model_compile(s.ctx, scene, &model));
    CHECK_OK(s.ctx, ss_sim_create(s.ctx, model, NULL, &sim));
    write_run(&s, scene, sim);
    ss_sim_destroy(sim);
    ss_model_destroy(model);
    ss_scene_destroy(scene);
    return s;
}

static void done(slide *s, ss_result *r)
{
    ss_result_close(r);
    remove(s->path);
    ss_context_destroy(s->ctx);
}

TEST(contacts_come_back_as_the_simulation_gave_them)
{
    slide s = make_slide(".h5");
    ss_result *r = NULL;
    int64_t offset[STEPS + 2];
    ss_result_contact c[(STEPS + 1) * CORNERS];
    CHECK_OK(s.ctx, ss_result_open(s.ctx, s.path, &r));
    CHECK_OK(s.ctx, ss_result_read_offsets(r, 0, STEPS + 1, offset));
    CHECK_OK(s.ctx, ss_result_read_contacts(r, 0, offset[STEPS + 1], c));
    for (int state = 0; state <= STEPS; state++) {
        CHECK(offset[state + 1] - offset[state] == s.count[state]);
        for (int k = 0; k < s.count[state]; k++) {
            const ss_contact_info *was = &s.contact[state][k];
            const ss_result_contact *is = &c[offset[state] + k];
            CHECK(is->gap == was->gap && is->bodies[0] == was->bodies[0] && is->bodies[1] == was->bodies[1]);
            CHECK(memcmp(is->point, was->point, sizeof is->point) == 0 &&
                  memcmp(is->normal, was->normal, sizeof is->normal) == 0);
        }
    }
    done(&s, r);
}

/* m g = 20 N upwards, mu m g = 5 N against the motion: on the cube, whichever body is the first */
TEST(contact_forces_carry_the_cube_and_brake_it)
{
    slide s = make_slide(".h5");
    ss_result *r = NULL;
    int64_t offset[2];
    double sum[3] = { 0 };
    ss_result_contact c[CORNERS];
    CHECK_OK(s.ctx, ss_result_open(s.ctx, s.path, &r));
    CHECK_OK(s.ctx, ss_result_read_offsets(r, STEPS, 1, offset));
    CHECK(offset[1] - offset[0] == CORNERS);
    CHECK_OK(s.ctx, ss_result_read_contacts(r, offset[0], CORNERS, c));
    for (int k = 0; k < CORNERS; k++) {
        for (int i = 0; i < 3; i++) {
            sum[i] += (c[k].bodies[0] == 1 ? 1 : -1) * c[k].force[i];
        }
    }
    /* the solver's tolerance is 1e-10 of forces of 20 N */
    CHECK_NEAR(sum[0], -5, 1e-8);
    CHECK_NEAR(sum[1], 0, 1e-8);
    CHECK_NEAR(sum[2], 20, 1e-8);
    done(&s, r);
}

static void shorten(const slide *s, const char *name, hsize_t rows, hsize_t width)
{
    hsize_t size[2] = { rows, width };
    hid_t file = H5Fopen(s->path, H5F_ACC_RDWR, H5P_DEFAULT), set = H5Dopen2(file, name, H5P_DEFAULT);
    CHECK(H5Dset_extent(set, size) >= 0);
    H5Dclose(set);
    H5Fclose(file);
}

/* a kill within a flush: some tables are shorter than others */
TEST(states_whose_contacts_are_missing_have_none)
{
    slide s = make_slide(".h5");
    ss_result *r = NULL;
    int64_t offset[STEPS + 2], rows = s.count[0] + s.count[1];
    ss_result_contact c;
    shorten(&s, "contacts/force", (hsize_t)rows, 3);
    shorten(&s, "contacts/offset", 4, 0);
    CHECK_OK(s.ctx, ss_result_open(s.ctx, s.path, &r));
    CHECK_OK(s.ctx, ss_result_read_offsets(r, 0, STEPS + 1, offset));
    CHECK(offset[0] == 0 && offset[1] == s.count[0] && offset[2] == rows && offset[3] == rows && offset[STEPS + 1] == rows);
    CHECK_OK(s.ctx, ss_result_read_contacts(r, rows - 1, 1, &c));
    CHECK_FAILS(s.ctx, ss_result_read_contacts(r, rows, 1, &c), SS_ERR_INPUT, "1 contacts from number");
    CHECK(ss_result_read_contacts(r, -1, 1, &c) == SS_ERR_INPUT &&
          ss_result_read_offsets(r, 0, STEPS + 2, offset) == SS_ERR_INPUT);
    done(&s, r);
}

TEST(offsets_that_fall_are_refused)
{
    slide s = make_slide(".h5");
    ss_result *r = NULL;
    int64_t offset[STEPS + 2] = { 0, 4, 3, 8, 12, 16, 20 };
    hid_t file = H5Fopen(s.path, H5F_ACC_RDWR, H5P_DEFAULT), set = H5Dopen2(file, "contacts/offset", H5P_DEFAULT);
    CHECK(H5Dwrite(set, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, offset) >= 0);
    H5Dclose(set);
    H5Fclose(file);
    CHECK_OK(s.ctx, ss_result_open(s.ctx, s.path, &r));
    CHECK_FAILS(s.ctx, ss_result_read_offsets(r, 0, STEPS + 1, offset), SS_ERR_INPUT, "contacts/offset: damaged: 3");
    done(&s, r);
}

TEST(a_result_without_a_table_of_contacts_is_read_but_for_them)
{
    slide s = make_slide(".h5");
    ss_result *r = NULL;
    int64_t offset[2];
    hid_t file = H5Fopen(s.path, H5F_ACC_RDWR, H5P_DEFAULT);
    CHECK(H5Ldelete(file, "contacts/tangent", H5P_DEFAULT) >= 0);
    H5Fclose(file);
    CHECK_OK(s.ctx, ss_result_open(s.ctx, s.path, &r));
    CHECK_FAILS(s.ctx, ss_result_read_offsets(r, 0, 1, offset), SS_ERR_INPUT, "contacts/tangent: missing");
    done(&s, r);
}

TEST(a_csv_result_has_no_contacts)
{
    slide s = make_slide(".csv");
    ss_result *r = NULL;
    int64_t offset[STEPS + 2] = { 1, 1, 1 };
    ss_result_contact c;
    CHECK_OK(s.ctx, ss_result_open(s.ctx, s.path, &r));
    CHECK_OK(s.ctx, ss_result_read_offsets(r, 0, STEPS + 1, offset));
    CHECK(offset[0] == 0 && offset[STEPS + 1] == 0);
    CHECK_OK(s.ctx, ss_result_read_contacts(r, 0, 0, &c));
    CHECK(ss_result_read_contacts(r, 0, 1, &c) == SS_ERR_INPUT);
    done(&s, r);
}

/* Two balls that bounce, each in its own time, and one that lies between them. */
static const char balls_text[] =
    "{\"slipstick\":1,\"dimension\":3,\"gravity\":[0,0,-10],\"time\":{\"until\":1,\"step\":0.01},"
    "\"materials\":[{\"name\":\"m\",\"e\":0.8}],"
    "\"bodies\":[{\"name\":\"floor\",\"type\":\"fixed\",\"shapes\":[{\"type\":\"half_space\",\"normal\":[0,0,1],\"material\":"
    "\"m\"}]},"
    "{\"name\":\"low\",\"type\":\"rigid\",\"mass\":1,\"position\":[-3,0,0.505],\"shapes\":[{\"type\":\"sphere\",\"radius\":0.5,"
    "\"material\":\"m\"}]},"
    "{\"name\":\"still\",\"type\":\"rigid\",\"mass\":1,\"position\":[0,0,0.5],\"shapes\":[{\"type\":\"sphere\",\"radius\":0.5,"
    "\"material\":\"m\"}]},"
    "{\"name\":\"high\",\"type\":\"rigid\",\"mass\":1,\"position\":[3,0,0.53],\"shapes\":[{\"type\":\"sphere\",\"radius\":0.5,"
    "\"material\":\"m\"}]}]}";

enum { ROWS = 400, NAMES = 3, NAME = 128 };

/* What the rows of contacts should say. */
typedef struct expected {
    ss_context *ctx;
    int rows;
    char name[ROWS][NAME];
    int bodies[ROWS][2];
} expected;

static void run_balls(expected *x, const char *path)
{
    ss_scene *scene = NULL;
    ss_model *model = NULL;
    ss_sim *sim = NULL;
    ss_writer *w = NULL;
    CHECK_OK(x->ctx, ss_scene_parse(x->ctx, balls_text, strlen(balls_text), "balls", 0, NULL, &scene));
    CHECK_OK(x->ctx, ss_model_compile(x->ctx, scene, &model));
    CHECK_OK(x->ctx, ss_sim_create(x->ctx, model, NULL, &sim));
    CHECK_OK(x->ctx, ss_writer_create(x->ctx, path, scene, sim, 0, &w));
    for (int step = 0; step < 100; step++) {
        CHECK_OK(x->ctx, ss_sim_step(sim, 0.01));
        CHECK_OK(x->ctx, ss_writer_step(w, sim, ss_sim_last_step(sim)));
        for (int k = 0; k < ss_sim_contact_count(sim); k++, x->rows++) {
            ss_contact_info c;
            CHECK_OK(x->ctx, ss_sim_contact(sim, k, &c));
            snprintf(x->name[x->rows], NAME, "%s", c.name);
            memcpy(x->bodies[x->rows], c.bodies, sizeof c.bodies);
        }
    }
    CHECK_OK(x->ctx, ss_writer_close(w));
    ss_sim_destroy(sim);
    ss_model_destroy(model);
    ss_scene_destroy(scene);
}

static void read_set(hid_t file, const char *name, hid_t type, void *out)
{
    hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
    CHECK(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, out) >= 0);
    H5Dclose(set);
}

/* A state takes the numbers of names from the one before: contacts that come, go and come back between others keep theirs. */
TEST(contacts_that_come_and_go_keep_their_names)
{
    static expected x;
    char path[64], names[NAMES][NAME];
    int number[ROWS], bodies[ROWS][2], changes = 0;
    x = (expected){ .ctx = test_context() };
    snprintf(path, sizeof path, "/tmp/slipstick-names-%ld.h5", (long)getpid());
    run_balls(&x, path);
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT), type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, NAME);
    H5Tset_cset(type, H5T_CSET_UTF8);
    read_set(file, "contacts/names", type, names);
    read_set(file, "contacts/name", H5T_NATIVE_INT, number);
    read_set(file, "contacts/bodies", H5T_NATIVE_INT, bodies);
    for (int k = 0; k < x.rows; k++) {
        CHECK(number[k] >= 0 && number[k] < NAMES);
        assert_string_equal(names[number[k]], x.name[k]);
        CHECK(memcmp(bodies[k], x.bodies[k], sizeof bodies[k]) == 0);
        changes += k > 0 && number[k] != number[k - 1];
    }
    CHECK(changes > 20);
    H5Tclose(type);
    H5Fclose(file);
    remove(path);
    ss_context_destroy(x.ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contacts_come_back_as_the_simulation_gave_them),
        cmocka_unit_test(contact_forces_carry_the_cube_and_brake_it),
        cmocka_unit_test(states_whose_contacts_are_missing_have_none),
        cmocka_unit_test(offsets_that_fall_are_refused),
        cmocka_unit_test(a_result_without_a_table_of_contacts_is_read_but_for_them),
        cmocka_unit_test(a_csv_result_has_no_contacts),
        cmocka_unit_test(contacts_that_come_and_go_keep_their_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
