/* test_surface.c - shapes as polygons: closed, of the right volume, on the surface, where the body is. */
#include "io/surface.h"
#include "test.h"

#define PI 3.14159265358979323846

static const char *const head = "{\"slipstick\":1,\"dimension\":%d,\"time\":{\"until\":1,\"step\":0.01},\"bodies\":["
                                "{\"name\":\"b\",\"type\":\"%s\",\"position\":[%s],\"shapes\":[%s]},"
                                "{\"name\":\"last\",\"type\":\"particle\",\"mass\":1,\"position\":[%s]}]}";

typedef struct drawn {
    ss_context *ctx;
    ss_scene *scene;
    ss_model *model;
    ss_surface surface;
} drawn;

/* the body with the shapes, and a particle without any, which is the last point */
static drawn draw(int dimension, const char *type, const char *shapes)
{
    drawn d = { .ctx = test_context() };
    const char *place = dimension == 2 ? "3, 4" : "3, 4, 5";
    char text[2048];
    snprintf(text, sizeof text, head, dimension, type, place, shapes, dimension == 2 ? "8, 9" : "8, 9, 10");
    CHECK_OK(d.ctx, ss_scene_parse(d.ctx, text, strlen(text), "drawn", 0, NULL, &d.scene));
    CHECK_OK(d.ctx, ss_model_compile(d.ctx, d.scene, &d.model));
    CHECK_OK(d.ctx, ss_surface_make(d.ctx, d.model, &d.surface));
    return d;
}

static void done(drawn *d)
{
    ss_surface_clear(&d->surface);
    ss_model_destroy(d->model);
    ss_scene_destroy(d->scene);
    ss_context_destroy(d->ctx);
}

/* 1/6 sum of a . (b x c) over the triangles of all faces: the volume, if they are closed and seen from outside */
static double volume(const ss_surface *s)
{
    const ss_cell_list *faces = &s->list[SS_CELL_POLYGONS];
    double sum = 0;
    for (int f = 0, first = 0; f < faces->cells; first = faces->end[f++]) {
        const ss_vec3 a = s->point[faces->corner[first]];
        for (int k = first + 1; k + 1 < faces->end[f]; k++) {
            sum += ss_dot(a, ss_cross(s->point[faces->corner[k]], s->point[faces->corner[k + 1]])) / 6;
        }
    }
    return sum;
}

/* how often faces run from corner a to corner b */
static int count_side(const ss_cell_list *faces, int a, int b)
{
    int count = 0;
    for (int f = 0, first = 0; f < faces->cells; first = faces->end[f++]) {
        for (int k = first; k < faces->end[f]; k++) {
            const int next = k + 1 < faces->end[f] ? k + 1 : first;
            count += faces->corner[k] == a && faces->corner[next] == b;
        }
    }
    return count;
}

/* every side of a face is the side of exactly one other, which runs the other way */
static bool is_closed(const ss_cell_list *faces)
{
    for (int f = 0, first = 0; f < faces->cells; first = faces->end[f++]) {
        for (int k = first; k < faces->end[f]; k++) {
            const int next = k + 1 < faces->end[f] ? k + 1 : first, a = faces->corner[k], b = faces->corner[next];
            if (count_side(faces, a, b) != 1 || count_side(faces, b, a) != 1) {
                return false;
            }
        }
    }
    return true;
}

/* round shapes of 24 sides have corners on the surface: they lose at most (2 pi / 24)^2 / 6 of every circle, twice for a ball */
TEST(faces_enclose_the_volume_of_the_shape)
{
    static const struct {
        const char *shape;
        double volume, lost;
    } table[] = {
        { "{\"type\":\"box\",\"size\":[1,2,3],\"position\":[0.5,0,1]}", 6, 1e-12 },
        { "{\"type\":\"hull\",\"points\":[[0,0,0],[1,0,0],[0,1,0],[0,0,1]]}", 1.0 / 6, 1e-12 },
        { "{\"type\":\"sphere\",\"radius\":2}", 4.0 / 3 * PI * 8, 0.03 },
        { "{\"type\":\"cylinder\",\"radius\":2,\"length\":3,\"orientation\":[0.6,0.8,0,0]}", PI * 4 * 3, 0.015 },
        { "{\"type\":\"capsule\",\"radius\":1,\"length\":3}", PI * (3 + 4.0 / 3), 0.03 },
    };
    for (size_t k = 0; k < sizeof table / sizeof table[0]; k++) {
        drawn d = draw(3, "fixed", table[k].shape);
        const double drawn_volume = volume(&d.surface);
        CHECK(is_closed(&d.surface.list[SS_CELL_POLYGONS]));
        CHECK(drawn_volume <= table[k].volume * (1 + 1e-12) && drawn_volume >= table[k].volume * (1 - table[k].lost));
        done(&d);
    }
}

TEST(flat_shapes_are_one_polygon_each)
{
    drawn d = draw(2, "fixed",
                   "{\"type\":\"box\",\"size\":[2,4]},{\"type\":\"sphere\",\"radius\":1},"
                   "{\"type\":\"capsule\",\"radius\":1,\"length\":2},{\"type\":\"polygon\",\"points\":[[0,0],[1,0],[0,1]]}");
    static const double area[] = { 8, PI, 4 + PI, 0.5 };
    const ss_cell_list *faces = &d.surface.list[SS_CELL_POLYGONS];
    CHECK(faces->cells == 4);
    for (int f = 0, first = 0; f < 4; first = faces->end[f++]) {
        double sum = 0;
        for (int k = first; k < faces->end[f]; k++) {
            const ss_vec3 a = d.surface.point[faces->corner[k]],
                          b = d.surface.point[faces->corner[k + 1 < faces->end[f] ? k + 1 : first]];
            sum += 0.5 * (a.x * b.y - a.y * b.x);
        }
        CHECK_NEAR(sum, area[f], 0.015 * area[f]);
    }
    done(&d);
}

TEST(a_body_without_shapes_is_a_point)
{
    drawn d = draw(3, "fixed", "");
    CHECK(d.surface.points == 2 && d.surface.list[SS_CELL_POINTS].cells == 2 && d.surface.list[SS_CELL_POLYGONS].cells == 0);
    done(&d);
}

/* the body is at (3, 4, 5): its half space, which is n . x <= 2 in its own frame, lies at x = 3 + 2 in the world */
TEST(ground_is_drawn_where_it_is)
{
    drawn d = draw(3, "fixed", "{\"type\":\"half_space\",\"normal\":[1,0,0],\"offset\":2}");
    CHECK(d.surface.points == 4 + 1);
    for (int k = 0; k < 4; k++) {
        CHECK_NEAR(d.surface.point[k].x, 2, 1e-12);
    }
    done(&d);
    d = draw(2, "fixed", "{\"type\":\"half_space\",\"normal\":[0,1],\"offset\":-1}");
    CHECK(d.surface.points == 2 + 1 && d.surface.list[SS_CELL_LINES].cells == 1);
    CHECK_NEAR(d.surface.point[0].y, -1, 1e-12);
    CHECK(fabs(d.surface.point[0].x - d.surface.point[1].x) > 1);
    done(&d);
}

/* the area of the projection is that of the grid, and triangles are seen from above */
TEST(a_height_field_is_its_triangles)
{
    drawn d = draw(3, "fixed", "{\"type\":\"height_field\",\"spacing\":2,\"heights\":[[0,1,0],[2,0,1]]}");
    const ss_cell_list *faces = &d.surface.list[SS_CELL_POLYGONS];
    double area = 0;
    CHECK(faces->cells == 4 && d.surface.points == 6 + 1);
    for (int f = 0; f < faces->cells; f++) {
        const ss_vec3 a = d.surface.point[faces->corner[3 * f]], b = d.surface.point[faces->corner[3 * f + 1]],
                      c = d.surface.point[faces->corner[3 * f + 2]];
        const double twice = ss_cross(ss_sub(b, a), ss_sub(c, a)).z;
        CHECK(twice > 0);
        area += 0.5 * twice;
    }
    CHECK_NEAR(area, 8, 1e-12);
    done(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faces_enclose_the_volume_of_the_shape), cmocka_unit_test(flat_shapes_are_one_polygon_each),
        cmocka_unit_test(a_body_without_shapes_is_a_point),      cmocka_unit_test(ground_is_drawn_where_it_is),
        cmocka_unit_test(a_height_field_is_its_triangles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
