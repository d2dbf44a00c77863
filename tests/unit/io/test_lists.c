/* test_lists.c - points and heights: read, written, copied, checked and hashed by the tables of fields alone, so that
 * every shape that has such a key gets the same. */
#include "base/options.h"
#include "io/json.h"
#include "model/fields.h"
#include "test.h"

static const ss_field points_table[] = {
    { .name = "points",
      .type = SS_FIELD_POINTS,
      .offset = offsetof(ss_shape_desc, points),
      .flags = SS_FIELD_REQUIRED,
      .doc = "" },
    SS_FIELD_END,
};
static const ss_field heights_table[] = {
    { .name = "heights",
      .type = SS_FIELD_HEIGHTS,
      .offset = offsetof(ss_shape_desc, heights),
      .flags = SS_FIELD_REQUIRED,
      .doc = "" },
    SS_FIELD_END,
};

/* a reader of one shape, and what it read */
typedef struct bench {
    ss_context *ctx;
    ss_reader r;
    json_t *tree;
    ss_shape_desc desc;
    ss_status status;
} bench;

static bench read_shape(const ss_field *table, int dimension, const char *text)
{
    bench b = { .ctx = test_context(), .desc = ss_shape_desc_default() };
    b.r = (ss_reader){ .ctx = b.ctx, .label = "f.json", .dimension = dimension };
    CHECK_OK(b.ctx, ss_arena_create(b.ctx, 64, &b.r.arena));
    b.tree = json_loads(text, 0, NULL);
    CHECK(b.tree);
    b.status = ss_fields_read(&b.r, b.tree, table, NULL, &b.desc);
    return b;
}

static void done(bench *b)
{
    json_decref(b->tree);
    ss_arena_destroy(b->r.arena);
    ss_context_destroy(b->ctx);
}

static void refuse(const ss_field *table, int dimension, const char *text, const char *message)
{
    bench b = read_shape(table, dimension, text);
    CHECK(b.status == SS_ERR_INPUT);
    assert_string_equal(ss_last_error(b.ctx), message);
    done(&b);
}

TEST(points_are_read_with_expressions_and_a_zero_third_component_in_2d)
{
    bench b = read_shape(points_table, 2, "{\"points\":[[0,0],[1,\"1/2\"],[0,3]]}");
    const double expected[] = { 0, 0, 0, 1, 0.5, 0, 0, 3, 0 };
    CHECK_OK(b.ctx, b.status);
    CHECK(b.desc.points.n == 3 && memcmp(b.desc.points.x, expected, sizeof expected) == 0);
    done(&b);
}

TEST(heights_are_one_row_in_2d_and_rows_in_3d)
{
    bench b = read_shape(heights_table, 2, "{\"heights\":[1,2,\"3\"]}");
    CHECK_OK(b.ctx, b.status);
    CHECK(b.desc.heights.rows == 1 && b.desc.heights.columns == 3 && b.desc.heights.z[2] == 3);
    done(&b);
    b = read_shape(heights_table, 3, "{\"heights\":[[1,2],[3,4],[5,6]]}");
    CHECK_OK(b.ctx, b.status);
    CHECK(b.desc.heights.rows == 3 && b.desc.heights.columns == 2 && b.desc.heights.z[3] == 4);
    done(&b);
}

TEST(messages_say_where_a_list_is_wrong)
{
    refuse(points_table, 2, "{}", "f.json: points: missing; expected a list of points of 2 numbers");
    refuse(points_table, 3, "{\"points\":[]}", "f.json: points: expected a list of points of 3 numbers, got []");
    refuse(points_table, 2, "{\"points\":7}", "f.json: points: expected a list of points of 2 numbers, got 7");
    refuse(points_table, 2, "{\"points\":[[0,0],[1,2,3]]}", "f.json: points[1]: expected a point of 2 numbers, got [1,2,3]");
    refuse(points_table, 2, "{\"points\":[[0,null]]}", "f.json: points[0][1]: expected a number, got null");
    refuse(heights_table, 2, "{\"heights\":[[1]]}", "f.json: heights[0]: expected a number, got [1]");
    refuse(heights_table, 3, "{\"heights\":[1,2]}",
           "f.json: heights: expected a list of rows of numbers, all of one length, got [1,2]");
    refuse(heights_table, 3, "{\"heights\":[[1,2],[3]]}",
           "f.json: heights[1]: expected a row of 2 numbers, as the first one, got [3]");
}

static void round_trip(const ss_field *table, int dimension, const char *text)
{
    bench b = read_shape(table, dimension, text);
    json_t *again = json_object();
    CHECK_OK(b.ctx, b.status);
    CHECK_OK(b.ctx, ss_fields_write(b.ctx, again, table, dimension, &b.desc));
    CHECK(json_equal(again, b.tree));
    json_decref(again);
    done(&b);
}

TEST(what_was_read_is_written_again)
{
    round_trip(points_table, 2, "{\"points\":[[0.0,0.25],[1.5,0.1]]}");
    round_trip(points_table, 3, "{\"points\":[[0.0,0.25,-1e-300]]}");
    round_trip(heights_table, 2, "{\"heights\":[0.5,0.1]}");
    round_trip(heights_table, 3, "{\"heights\":[[0.5,0.1],[0.2,0.3],[1e22,0.0]]}");
}

static void refuse_part(const ss_field *table, const ss_shape_desc *desc, int dimension, const char *message)
{
    ss_context *ctx = test_context();
    CHECK(ss_part_check(ctx, table, desc, dimension, "s") == SS_ERR_INPUT);
    assert_string_equal(ss_last_error(ctx), message);
    ss_context_destroy(ctx);
}

TEST(a_scene_made_in_c_is_checked_as_one_from_a_file)
{
    double x[] = { 0, 0, 0, 1, 0, 1 }, bad[] = { 0, NAN, 0, 0, 0, 0 };
    ss_shape_desc desc = ss_shape_desc_default();
    refuse_part(points_table, &desc, 2, "s.points: missing, expected a list of points");
    refuse_part(heights_table, &desc, 2, "s.heights: missing, expected heights");
    desc.points = (ss_points){ -5, x };
    refuse_part(points_table, &desc, 2, "s.points: missing, expected a list of points");
    desc.points = (ss_points){ 2, x };
    refuse_part(points_table, &desc, 2, "s.points: expected no third component in 2D, got 1");
    desc.points.x = bad;
    refuse_part(points_table, &desc, 3, "s.points: missing, expected finite numbers");
    desc.heights = (ss_heights){ 2, 3, x };
    refuse_part(heights_table, &desc, 2, "s.heights: expected one row of heights in 2D, got 2");
    desc.heights.z = bad;
    refuse_part(heights_table, &desc, 3, "s.heights: missing, expected finite numbers");
}

TEST(a_scene_keeps_copies_and_every_number_counts_in_the_hash)
{
    ss_context *ctx = test_context();
    ss_scene *scene = NULL;
    double x[] = { 0, 0, 0, 1, 0, 0, 0, 1, 0 };
    ss_body_desc body = ss_body_desc_default();
    ss_shape_desc desc = ss_shape_desc_default();
    desc.type = "polygon";
    desc.points = (ss_points){ 3, x };
    CHECK_OK(ctx, ss_scene_create(ctx, NULL, &scene));
    CHECK_OK(ctx, ss_scene_add_body(scene, &body, NULL));
    CHECK_OK(ctx, ss_scene_add_shape(scene, 0, &desc));
    uint64_t before = ss_fields_hash(1, points_table, &scene->shape[0].desc);
    x[7] = nextafter(1, 2);
    CHECK(scene->shape[0].desc.points.x != x && scene->shape[0].desc.points.x[7] == 1);
    CHECK(ss_fields_hash(1, points_table, &scene->shape[0].desc) == before);
    CHECK(ss_fields_hash(1, points_table, &desc) != before);
    ss_scene_destroy(scene);
    ss_context_destroy(ctx);
}

TEST(reduction_of_contacts_is_a_setting_that_a_run_can_make)
{
    static const char text[] =
        "{\"slipstick\":1,\"dimension\":2,\"bodies\":[{\"type\":\"particle\",\"mass\":1,\"position\":[0,1]}]}";
    const char *set = "contacts.reduce=true";
    ss_context *ctx = test_context();
    ss_scene *scene = NULL, *plain = NULL;
    CHECK_OK(ctx, ss_scene_parse(ctx, text, strlen(text), "f.json", 1, &set, &scene));
    CHECK_OK(ctx, ss_scene_parse(ctx, text, strlen(text), "f.json", 0, NULL, &plain));
    CHECK(ss_scene_get_settings(scene)->reduce_contacts && !ss_scene_get_settings(plain)->reduce_contacts);
    CHECK(ss_scene_fingerprint(scene) != ss_scene_fingerprint(plain));
    set = "contacts.reduce=1";
    ss_scene_destroy(scene);
    CHECK_FAILS(ctx, ss_scene_parse(ctx, text, strlen(text), "f.json", 1, &set, &scene), SS_ERR_INPUT,
                "f.json: contacts.reduce: expected true or false, got 1");
    ss_scene_destroy(plain);
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_are_read_with_expressions_and_a_zero_third_component_in_2d),
        cmocka_unit_test(heights_are_one_row_in_2d_and_rows_in_3d),
        cmocka_unit_test(messages_say_where_a_list_is_wrong),
        cmocka_unit_test(what_was_read_is_written_again),
        cmocka_unit_test(a_scene_made_in_c_is_checked_as_one_from_a_file),
        cmocka_unit_test(a_scene_keeps_copies_and_every_number_counts_in_the_hash),
        cmocka_unit_test(reduction_of_contacts_is_a_setting_that_a_run_can_make),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
