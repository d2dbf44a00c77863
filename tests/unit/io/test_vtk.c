/* test_vtk.c - results for ParaView, read back byte by byte: bodies, contacts, the list, and what a failure leaves. */
#include "test.h"

#include <sys/stat.h>
#include <unistd.h>

/* polygons, lines and points in an order that is not theirs in the file; the box rests on the floor, the crane moves */
static const char scene_text[] =
    "{\"slipstick\":1,\"dimension\":2,\"gravity\":[0,-10],\"time\":{\"until\":1,\"step\":0.125},"
    "\"bodies\":[{\"name\":\"box <1>\",\"type\":\"rigid\",\"mass\":2,\"position\":[0,0.5],"
    "\"shapes\":[{\"type\":\"box\",\"size\":[1,1]}]},"
    "{\"name\":\"floor\",\"type\":\"fixed\",\"shapes\":[{\"type\":\"half_space\",\"normal\":[0,1]}]},"
    "{\"name\":\"dot\",\"type\":\"particle\",\"mass\":1,\"position\":[5,20]},"
    "{\"name\":\"crane\",\"type\":\"driven\",\"position\":[\"9+2*t\",7],\"angle\":\"3*t\","
    "\"shapes\":[{\"type\":\"box\",\"size\":[2,2]}]}]}";

typedef struct scene_run {
    ss_context *ctx;
    ss_scene *scene;
    ss_model *model;
    ss_sim *sim;
    ss_writer *writer;
    char stem[64], path[80];
} scene_run;

static scene_run start(void)
{
    scene_run r = { .ctx = test_context() };
    snprintf(r.stem, sizeof r.stem, "/tmp/slipstick-vtk-%ld", (long)getpid());
    snprintf(r.path, sizeof r.path, "%s.pvd", r.stem);
    CHECK_OK(r.ctx, ss_scene_parse(r.ctx, scene_text, strlen(scene_text), "vtk", 0, NULL, &r.scene));
    CHECK_OK(r.ctx, ss_model_compile(r.ctx, r.scene, &r.model));
    CHECK_OK(r.ctx, ss_sim_create(r.ctx, r.model, NULL, &r.sim));
    CHECK_OK(r.ctx, ss_writer_create(r.ctx, r.path, r.scene, r.sim, 0, &r.writer));
    return r;
}

static ss_status advance(scene_run *r)
{
    CHECK_OK(r->ctx, ss_sim_step(r->sim, 0.125));
    return ss_writer_step(r->writer, r->sim, ss_sim_last_step(r->sim));
}

static void frame_path(const scene_run *r, const char *what, int frame, char path[128])
{
    snprintf(path, 128, "%s_vtk/%s_%06d.vtp", r->stem, what, frame);
}

static void finish(scene_run *r)
{
    char path[128];
    ss_sim_destroy(r->sim);
    ss_model_destroy(r->model);
    ss_scene_destroy(r->scene);
    ss_context_destroy(r->ctx);
    for (int k = 0; k < 8; k++) {
        frame_path(r, "bodies", k, path);
        remove(path);
        frame_path(r, "contacts", k, path);
        remove(path);
    }
    snprintf(path, sizeof path, "%s_vtk", r->stem);
    rmdir(path);
    remove(r->path);
}

/* ---- reading ----------------------------------------------------------------------------------- */

typedef struct contents {
    char text[1 << 14];
    size_t size;
} contents;

static contents read_all(const char *path)
{
    contents c = { .size = 0 };
    FILE *f = fopen(path, "rb");
    CHECK(f);
    c.size = fread(c.text, 1, sizeof c.text - 1, f);
    fclose(f);
    return c;
}

static contents read_frame(const scene_run *r, const char *what, int frame)
{
    char path[128];
    frame_path(r, what, frame, path);
    return read_all(path);
}

/* the bytes of an array, of which there are *size */
static const void *find_array(const contents *c, const char *name, uint64_t *size)
{
    static const char raw[] = "<AppendedData encoding=\"raw\">\n_";
    char words[64];
    snprintf(words, sizeof words, "Name=\"%s\"", name);
    const char *at = strstr(c->text, words), *data = strstr(c->text, raw);
    CHECK(at && data);
    const char *bytes = data + sizeof raw - 1 + strtoull(strstr(at, "offset=\"") + 8, NULL, 10);
    memcpy(size, bytes, sizeof *size);
    CHECK(bytes + sizeof *size + *size <= c->text + c->size);
    return bytes + sizeof *size;
}

/* row `row` of an array of vectors */
static void find_vector(const contents *c, const char *name, int row, float out[3])
{
    uint64_t size;
    const char *at = find_array(c, name, &size);
    CHECK(size >= 12 * ((uint64_t)row + 1));
    memcpy(out, at + 12 * row, 12);
}

static bool exists(const scene_run *r, const char *what, int frame)
{
    char path[128];
    frame_path(r, what, frame, path);
    return access(path, F_OK) == 0;
}

/* ---- tests ------------------------------------------------------------------------------------- */

TEST(every_cell_knows_its_body)
{
    scene_run r = start();
    CHECK_OK(r.ctx, ss_writer_close(r.writer));
    contents c = read_frame(&r, "bodies", 0);
    uint64_t size;
    int32_t body[4];
    const void *at = find_array(&c, "body", &size);
    CHECK(size == sizeof body);
    memcpy(body, at, sizeof body);
    CHECK(body[0] == 2 && body[1] == 1 && body[2] == 0 && body[3] == 3); /* point, line, polygons */
    static const char names[] = "box <1>\0floor\0dot\0crane";
    at = find_array(&c, "names", &size);
    CHECK(size == sizeof names && memcmp(at, names, sizeof names) == 0);
    finish(&r);
}

/* corner 0 of the crane is (-1, -1) in its frame; it turns with 3 rad/s and moves with (2, 0) */
TEST(driven_bodies_move_as_they_are_told)
{
    scene_run r = start();
    CHECK_OK(r.ctx, advance(&r));
    CHECK_OK(r.ctx, ss_writer_close(r.writer));
    contents c = read_frame(&r, "bodies", 1);
    const double t = 0.125, arm[2] = { -cos(3 * t) + sin(3 * t), -sin(3 * t) - cos(3 * t) };
    float x[3], v[3], turning[3];
    find_vector(&c, "points", 4 + 2 + 1, x); /* behind the box, the floor and the dot */
    find_vector(&c, "velocity", 4 + 2 + 1, v);
    find_vector(&c, "body_angular_velocity", 3, turning);
    CHECK_NEAR(x[0], 9 + 2 * t + arm[0], 1e-5); /* 32-bit numbers of size 10 */
    CHECK_NEAR(x[1], 7 + arm[1], 1e-5);
    CHECK_NEAR(v[0], 2 - 3 * arm[1], 1e-5);
    CHECK_NEAR(v[1], 3 * arm[0], 1e-5);
    CHECK_NEAR(turning[2], 3, 1e-5);
    finish(&r);
}

TEST(contact_forces_carry_the_box)
{
    scene_run r = start();
    CHECK_OK(r.ctx, advance(&r));
    CHECK_OK(r.ctx, ss_writer_close(r.writer));
    contents c = read_frame(&r, "contacts", 1);
    float a[3], b[3], x[3];
    find_vector(&c, "force", 0, a);
    find_vector(&c, "force", 1, b);
    find_vector(&c, "points", 0, x);
    CHECK_NEAR(a[1] + b[1], 20, 1e-5); /* the weight, to 32 bits */
    CHECK_NEAR(fabs(x[0]), 0.5, 1e-6);
    CHECK(strstr(read_frame(&r, "contacts", 0).text, "NumberOfPoints=\"0\""));
    finish(&r);
}

TEST(the_list_has_both_files_of_every_frame_with_its_time)
{
    scene_run r = start();
    CHECK_OK(r.ctx, advance(&r));
    CHECK_OK(r.ctx, ss_writer_close(r.writer));
    contents c = read_all(r.path);
    CHECK(strstr(c.text, "timestep=\"0\" part=\"1\" name=\"contacts\"") && strstr(c.text, "timestep=\"0.125\" part=\"0\""));
    CHECK(strstr(c.text, "_vtk/contacts_000001.vtp\"/>\n</Collection>\n</VTKFile>\n"));
    finish(&r);
}

/* its contacts cannot be written where a folder that is not empty has their name */
TEST(a_frame_that_cannot_be_written_is_not_in_the_list)
{
    scene_run r = start();
    char path[128], inside[140];
    frame_path(&r, "contacts", 3, path);
    snprintf(inside, sizeof inside, "%s/x", path);
    CHECK(mkdir(path, 0777) == 0 && mkdir(inside, 0777) == 0);
    CHECK_OK(r.ctx, advance(&r));
    CHECK_OK(r.ctx, advance(&r));
    CHECK_FAILS(r.ctx, advance(&r), SS_ERR_IO, "contacts_000003.vtp: cannot be written");
    CHECK_OK(r.ctx, ss_writer_close(r.writer));
    contents c = read_all(r.path);
    CHECK(strstr(c.text, "contacts_000002.vtp") && !strstr(c.text, "_000003"));
    CHECK(strstr(c.text, "</VTKFile>") && !exists(&r, "bodies", 3));
    rmdir(inside);
    finish(&r);
}

TEST(frames_of_a_longer_run_before_are_removed)
{
    scene_run r = start();
    CHECK_OK(r.ctx, advance(&r));
    CHECK_OK(r.ctx, ss_writer_close(r.writer));
    CHECK(exists(&r, "bodies", 1) && exists(&r, "contacts", 1));
    CHECK_OK(r.ctx, ss_writer_create(r.ctx, r.path, r.scene, r.sim, 0, &r.writer));
    CHECK_OK(r.ctx, ss_writer_close(r.writer));
    CHECK(exists(&r, "bodies", 0) && !exists(&r, "bodies", 1) && !exists(&r, "contacts", 1));
    finish(&r);
}

/* the list is replaced by a new file with every flush: the claim goes over to it */
TEST(a_second_writer_of_the_list_is_refused)
{
    scene_run r = start();
    ss_writer *second = NULL;
    CHECK_OK(r.ctx, advance(&r));
    CHECK_OK(r.ctx, ss_writer_flush(r.writer, 0));
    CHECK_FAILS(r.ctx, ss_writer_create(r.ctx, r.path, r.scene, r.sim, 0, &second), SS_ERR_IO, "already being written");
    CHECK_OK(r.ctx, ss_writer_close(r.writer));
    finish(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_cell_knows_its_body),
        cmocka_unit_test(driven_bodies_move_as_they_are_told),
        cmocka_unit_test(contact_forces_carry_the_box),
        cmocka_unit_test(the_list_has_both_files_of_every_frame_with_its_time),
        cmocka_unit_test(a_frame_that_cannot_be_written_is_not_in_the_list),
        cmocka_unit_test(frames_of_a_longer_run_before_are_removed),
        cmocka_unit_test(a_second_writer_of_the_list_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
