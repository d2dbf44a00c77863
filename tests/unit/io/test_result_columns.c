/* test_result_columns.c - columns and events of results by name: the same run as CSV and as HDF5 gives the same bits; CSV files
 * that were cut short, changed by hand or are no results. */
#include "failing_allocator.h"
#include "test.h"

#include <hdf5.h>
#include <unistd.h>

enum { STEPS = 40 };

/* a ball that bounces, with a name that CSV must quote, and a pendulum for reactions and angles */
static const char scene_text[] =
    "{\"slipstick\":1,\"dimension\":2,\"gravity\":[0,-9.81],\"time\":{\"until\":1,\"step\":0.01},"
    "\"materials\":[{\"name\":\"m\",\"mu\":0,\"e\":0.5}],"
    "\"bodies\":[{\"name\":\"a \\\"b\\\", "
    "c\",\"type\":\"particle\",\"mass\":1,\"position\":[0,0.1],\"shapes\":[{\"type\":\"point\",\"material\":\"m\"}]},"
    "{\"name\":\"rod\",\"type\":\"rigid\",\"mass\":1,\"inertia\":1,\"position\":[5,5]},"
    "{\"name\":\"floor\",\"type\":\"fixed\",\"shapes\":[{\"type\":\"half_space\",\"normal\":[0,1],\"material\":\"m\"}]}],"
    "\"joints\":[{\"name\":\"pin\",\"type\":\"revolute\",\"bodies\":[\"world\",\"rod\"],\"anchors\":[[4,5],[-1,0]]}]}";

/* what the simulation said of itself */
typedef struct bounce {
    ss_context *ctx;
    char csv[64], h5[64];
    ss_writer *writer[2];
    double t[STEPS + 1], y[STEPS + 1], kinetic[STEPS + 1], potential[STEPS + 1], gravity[STEPS + 1];
    int states;
    double event_t[STEPS];
    ss_event_kind event_kind[STEPS];
    int events;
    char *text; /* the CSV file */
    size_t size;
} bounce;

static void note(bounce *b, const ss_sim *sim)
{
    const ss_step_info *info = ss_sim_last_step(sim);
    b->t[b->states] = ss_sim_time(sim);
    b->y[b->states] = ss_sim_q(sim)[1];
    b->kinetic[b->states] = info->kinetic;
    b->potential[b->states] = info->potential;
    b->gravity[b->states++] = ss_sim_ledger(sim)->gravity;
}

static ss_status on_step(void *user, const ss_sim *sim, const ss_step_info *info)
{
    bounce *b = user;
    for (int k = 0; k < 2; k++) {
        CHECK_OK(b->ctx, ss_writer_step(b->writer[k], sim, info));
    }
    note(b, sim);
    return SS_OK;
}

static ss_status on_event(void *user, const ss_sim *sim, const ss_event *event)
{
    bounce *b = user;
    for (int k = 0; k < 2; k++) {
        CHECK_OK(b->ctx, ss_writer_event(b->writer[k], sim, event));
    }
    b->event_t[b->events] = event->t;
    b->event_kind[b->events++] = event->kind;
    return SS_OK;
}

static void load(bounce *b)
{
    FILE *file = fopen(b->csv, "rb");
    CHECK(file && fseek(file, 0, SEEK_END) == 0);
    b->size = (size_t)ftell(file);
    b->text = calloc(b->size + 1, 1);
    rewind(file);
    CHECK(fread(b->text, 1, b->size, file) == b->size);
    fclose(file);
}

static void simulate(bounce *b)
{
    ss_scene *scene = NULL;
    ss_model *model = NULL;
    ss_sim *sim = NULL;
    const ss_observer observer = { .user = b, .on_step = on_step, .on_event = on_event };
    CHECK_OK(b->ctx, ss_scene_parse(b->ctx, scene_text, strlen(scene_text), "bounce", 0, NULL, &scene));
    CHECK_OK(b->ctx, ss_model_compile(b->ctx, scene, &model));
    CHECK_OK(b->ctx, ss_sim_create(b->ctx, model, NULL, &sim));
    CHECK_OK(b->ctx, ss_writer_create(b->ctx, b->csv, scene, sim, 0, &b->writer[0]));
    CHECK_OK(b->ctx, ss_writer_create(b->ctx, b->h5, scene, sim, 0, &b->writer[1]));
    note(b, sim);
    ss_sim_observe(sim, &observer);
    CHECK_OK(b->ctx, ss_sim_advance(sim, 0.01 * STEPS));
    CHECK_OK(b->ctx, ss_writer_close(b->writer[0]));
    CHECK_OK(b->ctx, ss_writer_close(b->writer[1]));
    ss_sim_destroy(sim);
    ss_model_destroy(model);
    ss_scene_destroy(scene);
}

static void make(bounce *b)
{
    *b = (bounce){ .ctx = test_context() };
    snprintf(b->csv, sizeof b->csv, "/tmp/slipstick-columns-%ld.csv", (long)getpid());
    snprintf(b->h5, sizeof b->h5, "/tmp/slipstick-columns-%ld.h5", (long)getpid());
    simulate(b);
    CHECK(b->states == STEPS + 1 && b->events > 0);
    load(b);
}

static void done(bounce *b)
{
    remove(b->csv);
    remove(b->h5);
    free(b->text);
    ss_context_destroy(b->ctx);
}

static void write_csv(const bounce *b, const char *text, size_t size)
{
    FILE *file = fopen(b->csv, "wb");
    CHECK(file && fwrite(text, 1, size, file) == size && fclose(file) == 0);
}

/* column `name` from its first to its last state */
static void read_named(ss_context *ctx, const ss_result *r, const char *name, double out[STEPS + 1])
{
    int k = ss_result_find_column(r, name);
    CHECK(k >= 0);
    CHECK_OK(ctx, ss_result_read_column(r, k, 0, STEPS + 1, out));
}

/* ---- both formats ------------------------------------------------------------------------------ */

static void check_columns(const bounce *b, const ss_result *r)
{
    double t[STEPS + 1], y[STEPS + 1], kinetic[STEPS + 1], potential[STEPS + 1], energy[STEPS + 1];
    CHECK(ss_result_states(r) == STEPS + 1);
    read_named(b->ctx, r, "t", t);
    read_named(b->ctx, r, "a \"b\", c.y", y);
    read_named(b->ctx, r, "kinetic", kinetic);
    read_named(b->ctx, r, "potential", potential);
    read_named(b->ctx, r, "energy", energy);
    for (int k = 0; k <= STEPS; k++) {
        CHECK(t[k] == b->t[k] && y[k] == b->y[k] && kinetic[k] == b->kinetic[k] && potential[k] == b->potential[k]);
        CHECK(energy[k] == kinetic[k] + potential[k]);
    }
}

TEST(both_formats_give_the_columns_of_the_run_to_the_bit)
{
    bounce b;
    make(&b);
    const char *const path[2] = { b.csv, b.h5 };
    for (int k = 0; k < 2; k++) {
        ss_result *r = NULL;
        CHECK_OK(b.ctx, ss_result_open(b.ctx, path[k], &r));
        check_columns(&b, r);
        ss_result_close(r);
    }
    done(&b);
}

TEST(the_first_columns_of_both_formats_have_the_same_names_units_and_numbers)
{
    bounce b;
    make(&b);
    ss_result *csv = NULL, *h5 = NULL;
    CHECK_OK(b.ctx, ss_result_open(b.ctx, b.csv, &csv));
    CHECK_OK(b.ctx, ss_result_open(b.ctx, b.h5, &h5));
    int shared = ss_result_columns(csv) - 1; /* the last one is the energy */
    CHECK(shared == 1 + 5 + 5 + 7 && ss_result_nq(csv) == 5 && ss_result_nv(csv) == 5);
    for (int k = 0; k < shared; k++) {
        double from_csv[STEPS + 1], from_h5[STEPS + 1];
        assert_string_equal(ss_result_column_name(csv, k), ss_result_column_name(h5, k));
        assert_string_equal(ss_result_column_unit(csv, k), ss_result_column_unit(h5, k));
        CHECK_OK(b.ctx, ss_result_read_column(csv, k, 0, STEPS + 1, from_csv));
        CHECK_OK(b.ctx, ss_result_read_column(h5, k, 0, STEPS + 1, from_h5));
        assert_memory_equal(from_csv, from_h5, sizeof from_csv);
    }
    ss_result_close(csv);
    ss_result_close(h5);
    done(&b);
}

TEST(states_of_a_csv_file_are_read_like_those_of_an_hdf5_file)
{
    bounce b;
    make(&b);
    ss_result *csv = NULL, *h5 = NULL;
    double t[2][3], q[2][15], v[2][15];
    int64_t step[3];
    CHECK_OK(b.ctx, ss_result_open(b.ctx, b.csv, &csv));
    CHECK_OK(b.ctx, ss_result_open(b.ctx, b.h5, &h5));
    CHECK_OK(b.ctx, ss_result_read(csv, 7, 3, t[0], step, q[0], v[0]));
    CHECK(step[0] == -1);
    CHECK_OK(b.ctx, ss_result_read(h5, 7, 3, t[1], step, q[1], v[1]));
    CHECK(memcmp(t[0], t[1], sizeof t[0]) == 0 && memcmp(q[0], q[1], sizeof q[0]) == 0 && memcmp(v[0], v[1], sizeof v[0]) == 0);
    CHECK(!ss_result_scheme(csv) && !ss_result_scene(csv) && ss_result_dimension(csv) == 0);
    ss_result_close(csv);
    ss_result_close(h5);
    done(&b);
}

static const char *unit(const ss_result *r, const char *name) { return ss_result_column_unit(r, ss_result_find_column(r, name)); }

TEST(units_follow_from_the_names)
{
    bounce b;
    make(&b);
    ss_result *r = NULL;
    CHECK_OK(b.ctx, ss_result_open(b.ctx, b.h5, &r));
    static const char *const expected[][2] = {
        { "t", "s" },      { "a \"b\", c.x", "m" }, { "rod.angle", "rad" }, { "a \"b\", c.vy", "m/s" }, { "rod.omega", "rad/s" },
        { "energy", "J" }, { "gravity", "J" },      { "penetration", "m" }, { "residual", "" },         { "closure", "" },
        { "h", "s" },      { "contacts", "" },
    };
    for (size_t k = 0; k < sizeof expected / sizeof expected[0]; k++) {
        assert_string_equal(unit(r, expected[k][0]), expected[k][1]);
    }
    CHECK(!ss_result_column_unit(r, -1) && !ss_result_column_name(r, ss_result_columns(r)));
    ss_result_close(r);
    done(&b);
}

TEST(an_hdf5_file_also_has_the_ledger_the_certificate_and_reactions)
{
    bounce b;
    make(&b);
    ss_result *r = NULL;
    double gravity[STEPS + 1], h[STEPS + 1], pin[STEPS + 1];
    CHECK_OK(b.ctx, ss_result_open(b.ctx, b.h5, &r));
    read_named(b.ctx, r, "gravity", gravity);
    read_named(b.ctx, r, "h", h);
    read_named(b.ctx, r, "pin.force_y", pin);
    for (int k = 0; k <= STEPS; k++) {
        CHECK(gravity[k] == b.gravity[k]);
    }
    CHECK_NEAR(h[STEPS], 0.01, 1e-15);
    CHECK(pin[1] > 0); /* the pin carries the rod */
    assert_string_equal(unit(r, "pin.force_y"), "N");
    CHECK(ss_result_find_column(r, "rod.w") == -1);
    CHECK_FAILS(b.ctx, ss_result_read_column(r, ss_result_columns(r), 0, 1, h), SS_ERR_INPUT, "was asked for, there are");
    CHECK(ss_result_read_column(r, -1, 0, 1, h) == SS_ERR_INPUT);
    CHECK_FAILS(b.ctx, ss_result_read_column(r, 0, 1, STEPS + 1, h), SS_ERR_INPUT, "states from number 1 on were asked for");
    ss_result_close(r);
    done(&b);
}

/* ---- events ------------------------------------------------------------------------------------ */

TEST(events_come_back_with_their_times_and_kinds)
{
    bounce b;
    make(&b);
    ss_result *r = NULL;
    double t[STEPS];
    ss_event_kind kind[STEPS];
    CHECK_OK(b.ctx, ss_result_open(b.ctx, b.h5, &r));
    CHECK(ss_result_events(r) == b.events);
    CHECK_OK(b.ctx, ss_result_read_events(r, 0, b.events, t, kind));
    for (int k = 0; k < b.events; k++) {
        CHECK(t[k] == b.event_t[k] && kind[k] == b.event_kind[k]);
    }
    CHECK_OK(b.ctx, ss_result_read_events(r, b.events - 1, 1, NULL, kind));
    CHECK(kind[0] == b.event_kind[b.events - 1]);
    CHECK_FAILS(b.ctx, ss_result_read_events(r, 1, b.events, t, kind), SS_ERR_INPUT, "events from number 1 on were asked for");
    ss_result_close(r);
    CHECK_OK(b.ctx, ss_result_open(b.ctx, b.csv, &r));
    CHECK(ss_result_events(r) == 0);
    CHECK_OK(b.ctx, ss_result_read_events(r, 0, 0, t, kind));
    CHECK(ss_result_read_events(r, 0, 1, t, kind) == SS_ERR_INPUT);
    ss_result_close(r);
    done(&b);
}

static hsize_t read_set(hid_t file, const char *name, hid_t type, void *out)
{
    hid_t set = H5Dopen2(file, name, H5P_DEFAULT), space = H5Dget_space(set);
    hsize_t rows = (hsize_t)H5Sget_simple_extent_npoints(space);
    CHECK(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, out) >= 0);
    H5Sclose(space);
    H5Dclose(set);
    return rows;
}

/* the ball meets the floor again and again: one name, and its number in every record */
TEST(a_contact_has_its_name_once_and_its_number_in_every_record)
{
    bounce b;
    make(&b);
    char names[4][64] = { "" };
    int number[STEPS], of_event[STEPS];
    hid_t file = H5Fopen(b.h5, H5F_ACC_RDONLY, H5P_DEFAULT), type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, sizeof names[0]);
    H5Tset_cset(type, H5T_CSET_UTF8);
    CHECK(read_set(file, "contacts/names", type, names) == 1);
    assert_string_equal(names[0], "a \"b\", c.0-floor.0");
    hsize_t records = read_set(file, "contacts/name", H5T_NATIVE_INT, number);
    CHECK(records > 1);
    for (hsize_t k = 0; k < records; k++) {
        CHECK(number[k] == 0);
    }
    CHECK(read_set(file, "events/contact", H5T_NATIVE_INT, of_event) == (hsize_t)b.events);
    for (int k = 0; k < b.events; k++) {
        CHECK(of_event[k] == 0);
    }
    H5Tclose(type);
    H5Fclose(file);
    done(&b);
}

TEST(an_event_of_no_kind_is_refused)
{
    bounce b;
    make(&b);
    ss_result *r = NULL;
    ss_event_kind kind[STEPS];
    int code[STEPS] = { 99 };
    hid_t file = H5Fopen(b.h5, H5F_ACC_RDWR, H5P_DEFAULT), set = H5Dopen2(file, "events/code", H5P_DEFAULT);
    CHECK(H5Dwrite(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, code) >= 0);
    H5Dclose(set);
    H5Fclose(file);
    CHECK_OK(b.ctx, ss_result_open(b.ctx, b.h5, &r));
    CHECK_FAILS(b.ctx, ss_result_read_events(r, 0, 1, NULL, kind), SS_ERR_INPUT, "events/code: 99, expected 0 to 6");
    ss_result_close(r);
    done(&b);
}

/* ---- CSV that was cut or changed ---------------------------------------------------------------- */

static void count_warning(void *user, ss_log_level level, const char *message)
{
    int *warnings = user;
    *warnings += level == SS_LOG_WARNING && strstr(message, "is cut off and left out") != NULL;
}

/* every cut behind the header leaves the whole lines, and a warning if there is more than these */
TEST(a_csv_file_that_is_cut_off_has_its_whole_lines)
{
    bounce b;
    int warnings = 0;
    ss_context *ctx = NULL;
    ss_context_options options = ss_context_options_default();
    make(&b);
    options.log = count_warning;
    options.log_user = &warnings;
    CHECK(ss_context_create(&options, &ctx) == SS_OK);
    size_t header = (size_t)(strchr(b.text, '\n') - b.text) + 1;
    int64_t lines = 0;
    for (size_t cut = header; cut < header + 1000 && cut <= b.size; cut++) {
        ss_result *r = NULL;
        bool whole = b.text[cut - 1] == '\n';
        lines += whole && cut > header;
        warnings = 0;
        write_csv(&b, b.text, cut);
        CHECK_OK(ctx, ss_result_open(ctx, b.csv, &r));
        CHECK(ss_result_states(r) == lines && warnings == !whole);
        ss_result_close(r);
    }
    CHECK(lines > 3);
    for (size_t cut = 0; cut < header; cut++) {
        ss_result *r = NULL;
        write_csv(&b, b.text, cut);
        CHECK_FAILS(ctx, ss_result_open(ctx, b.csv, &r), SS_ERR_INPUT,
                    cut ? "line 1: the header is cut off" : "the file is empty");
    }
    ss_context_destroy(ctx);
    done(&b);
}

#define HEADER "t,p.x,p.vx,kinetic,potential,residual,penetration,joint_error,contacts,certified\n"

/* names of outputs say nothing of their units, whatever they look like */
TEST(outputs_of_a_csv_file_have_their_names_and_no_unit)
{
    static const char text[] =
        "t,p.x,p.vx,kinetic,potential,residual,penetration,joint_error,contacts,certified,b.force,crank.angle,x\n"
        "0,1,2,0,0,0,0,0,0,1,7,8,9\n";
    bounce b;
    ss_result *r = NULL;
    double value = 0;
    make(&b);
    write_csv(&b, text, sizeof text - 1);
    CHECK_OK(b.ctx, ss_result_open(b.ctx, b.csv, &r));
    assert_string_equal(ss_result_column_unit(r, ss_result_find_column(r, "b.force")), "N"); /* a stress */
    assert_string_equal(ss_result_column_unit(r, ss_result_find_column(r, "crank.angle")), "");
    CHECK_OK(b.ctx, ss_result_read_column(r, ss_result_find_column(r, "x"), 0, 1, &value));
    CHECK(value == 9 && ss_result_nq(r) == 1);
    ss_result_close(r);
    done(&b);
}

TEST(what_is_no_result_is_refused_with_its_line)
{
    static const struct {
        const char *text, *message;
    } bad[] = {
        { "a,b\n1,2\n", "line 1: not the header of a result: column 1 is \"a\", expected \"t\"" },
        { "t\n", "line 1: not the header of a result: column 2 is \"\", expected \"kinetic\"" },
        { "t,p.vx,p.x,kinetic\n", "column 3 is \"p.x\", expected \"kinetic\"" },
        { "t,p.x,p.vx,kinetic,potential,residual,penetration,joint_error,contacts,certified,more,more\n",
          "column 12 is \"more\", expected a name of its own" },
        { "t,p.x,p.vx,kinetic,potential,residual,penetration,joint_error,contacts,certified,p.x\n",
          "column 11 is \"p.x\", expected a name of its own" },
        { "t,p.x,p.vx,kinetic,potential,residual,penetration,joint_error,contacts,certified,,more\n",
          "column 11 is \"\", expected a name of its own" },
        { HEADER "0,1,2,0,0,0,0,0,0,1\n1,2\n", "line 3: 2 columns, expected 10" },
        { HEADER "0,1,2,0,0,0,0,0,0,1,7\n", "line 2: 11 columns, expected 10" },
        { HEADER "\n", "line 2: 1 column, expected 10" },
        { HEADER "0,one,2,0,0,0,0,0,0,1\n", "line 2: column 2 (p.x) is \"one\", expected a number" },
        { HEADER "0,1,2x,0,0,0,0,0,0,1\n", "line 2: column 3 (p.vx) is \"2x\", expected a number" },
        { HEADER "0,1,,0,0,0,0,0,0,1\n", "line 2: column 3 (p.vx) is \"\", expected a number" },
        { HEADER "0,1, 2,0,0,0,0,0,0,1\n", "is \" 2\", expected a number" },
        { HEADER "0,1,\"2\",0,0,0,0,0,0,1\n", "is \"2\", expected a number" },
        { "t,\"p\nq.x\",\"p\nq.vx\",kinetic,potential,residual,penetration,joint_error,contacts,certified\n0,x\n",
          "line 4: 2 columns" },
    };
    bounce b;
    make(&b);
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        ss_result *r = NULL;
        write_csv(&b, bad[k].text, strlen(bad[k].text));
        CHECK_FAILS(b.ctx, ss_result_open(b.ctx, b.csv, &r), SS_ERR_INPUT, bad[k].message);
        CHECK(!r);
    }
    ss_result *r = NULL;
    const char zero[] = HEADER "0\0001,1,2,0,0,0,0,0,0,1\n";
    write_csv(&b, zero, sizeof zero - 1);
    CHECK_FAILS(b.ctx, ss_result_open(b.ctx, b.csv, &r), SS_ERR_INPUT, "column 1 (t)");
    CHECK_FAILS(b.ctx, ss_result_open(b.ctx, "/nowhere/x.csv", &r), SS_ERR_IO, "cannot be opened");
    remove(b.csv);
    CHECK(mkdtemp(strcpy(b.h5, "/tmp/slipstick-folder-XXXXXX")) && rename(b.h5, b.csv) == 0);
    CHECK_FAILS(b.ctx, ss_result_open(b.ctx, b.csv, &r), SS_ERR_IO, "cannot be read");
    done(&b);
}

TEST(line_ends_of_other_systems_and_numbers_that_are_not_finite_are_read)
{
    const char text[] = "t,p.x,p.vx,kinetic,potential,residual,penetration,joint_error,contacts,certified\r\n"
                        "0,nan,-inf,0,0,0,0,0,0,1\r\n1,-nan,1e-300,0,0,0,0,0,0,1\r\n";
    bounce b;
    make(&b);
    ss_result *r = NULL;
    double x[2], v[2];
    write_csv(&b, text, strlen(text));
    CHECK_OK(b.ctx, ss_result_open(b.ctx, b.csv, &r));
    CHECK(ss_result_states(r) == 2);
    CHECK_OK(b.ctx, ss_result_read(r, 0, 2, NULL, NULL, x, v));
    CHECK(isnan(x[0]) && isnan(x[1]) && v[0] == -INFINITY && v[1] == 1e-300);
    ss_result_close(r);
    done(&b);
}

/* ---- memory ------------------------------------------------------------------------------------ */

TEST(memory_that_is_refused_at_any_request_is_an_error_and_no_leak)
{
    bounce b;
    make(&b);
    const char *const path[2] = { b.csv, b.h5 };
    for (int k = 0; k < 2; k++) {
        bool opened = false;
        for (int until = 0; !opened; until++) {
            failing f;
            ss_result *r = NULL;
            double out[STEPS + 1];
            ss_context *ctx = failing_context(&f, until);
            ss_status status = ctx ? ss_result_open(ctx, path[k], &r) : SS_ERR_MEMORY;
            CHECK(status == SS_OK || (status == SS_ERR_MEMORY && !r));
            opened = status == SS_OK && ss_result_read_column(r, 1, 0, STEPS + 1, out) == SS_OK;
            ss_result_close(r);
            ss_context_destroy(ctx);
            CHECK(f.held == 0);
        }
    }
    done(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_formats_give_the_columns_of_the_run_to_the_bit),
        cmocka_unit_test(the_first_columns_of_both_formats_have_the_same_names_units_and_numbers),
        cmocka_unit_test(states_of_a_csv_file_are_read_like_those_of_an_hdf5_file),
        cmocka_unit_test(units_follow_from_the_names),
        cmocka_unit_test(an_hdf5_file_also_has_the_ledger_the_certificate_and_reactions),
        cmocka_unit_test(events_come_back_with_their_times_and_kinds),
        cmocka_unit_test(a_contact_has_its_name_once_and_its_number_in_every_record),
        cmocka_unit_test(an_event_of_no_kind_is_refused),
        cmocka_unit_test(a_csv_file_that_is_cut_off_has_its_whole_lines),
        cmocka_unit_test(outputs_of_a_csv_file_have_their_names_and_no_unit),
        cmocka_unit_test(what_is_no_result_is_refused_with_its_line),
        cmocka_unit_test(line_ends_of_other_systems_and_numbers_that_are_not_finite_are_read),
        cmocka_unit_test(memory_that_is_refused_at_any_request_is_an_error_and_no_leak),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
