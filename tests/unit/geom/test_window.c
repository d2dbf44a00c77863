/* test_window.c - a huge body cut to what a small one can meet has the same distance and the same depth.
 *
 * The small body is a point, so that both are known in closed form: the distance by gjk.c, the depth as the least extent of
 * the window along the ways out that the body has and along random ones. */
#include "geom/cylinder.h"
#include "geom/gjk.h"
#include "poses.h"

enum { SAMPLES = 2000 };

static const double small = 0.1; /* radius of the body that the window is cut for */

static ss_vec3 point_support(const void *data, ss_vec3 d, int *name)
{
    (void)d;
    *name = 0;
    return *(const ss_vec3 *)data;
}

typedef struct view {
    ss_vec3 (*support)(const void *, ss_vec3, int *);
    const void *window;
} view;

/* how far the window extends from the origin, which is inside, along d or against it: the less */
static double way_out(const view *v, ss_vec3 d)
{
    int name;
    const ss_vec3 up = v->support(v->window, d, &name), down = v->support(v->window, ss_scale(-1, d), &name);
    return fmin(ss_dot(up, d), -ss_dot(down, d));
}

/* of the origin from what the window shows; inside, by the axes of the body's frame and the way from its axis */
static double distance(const view *v, const ss_frame *body, ss_vec3 radial, uint64_t *seed)
{
    const ss_vec3 x = { 0, 0, 0 };
    const ss_convex a = { point_support, &x, 3 }, b = { v->support, v->window, 3 };
    const ss_nearest near = ss_gjk_nearest_curved(&a, &b, 1e-13, 1e-10);
    double least = way_out(v, radial);
    for (int k = 0; k < 3; k++) {
        least = fmin(least, way_out(v, body->R.c[k]));
    }
    for (int k = 0; k < 50; k++) {
        least = fmin(least, way_out(v, ss_unit(pose_vector(seed, 3, 1))));
    }
    return near.distance > 0 ? near.distance : -least;
}

/* beyond: of a box or of a cylinder's section and height, how far past each pair of its sides */
static double from_beyond(double x, double y, double z)
{
    const double most = fmax(x, fmax(y, z));
    return most > 0 ? ss_norm(ss_v3(fmax(x, 0), fmax(y, 0), fmax(z, 0))) : most;
}

/* a coordinate near +-half, or anywhere between */
static double near_side(uint64_t *seed, double half)
{
    const double side = pose_uniform(seed, -1, 1);
    return fabs(side) < 0.5 ? 2 * side * half : copysign(half + pose_uniform(seed, -2, 2), side);
}

/* a random frame in which the origin has the coordinates x */
static ss_frame about(ss_vec3 x, uint64_t *seed)
{
    const ss_mat3 R = pose_rotation(seed, 3);
    return (ss_frame){ ss_scale(-1, ss_rotate(R, x)), R };
}

TEST(a_window_on_a_huge_box_shows_its_distance_and_depth)
{
    uint64_t seed = 4;
    int cut = 0;
    for (int k = 0; k < SAMPLES; k++) {
        const ss_shape box = pose_box(3, 2e6, 3e6, 4e6);
        const ss_vec3 h = box.half, x = { near_side(&seed, h.x), near_side(&seed, h.y), near_side(&seed, h.z) };
        const ss_frame place = about(x, &seed);
        const double exact = from_beyond(fabs(x.x) - h.x, fabs(x.y) - h.y, fabs(x.z) - h.z);
        ss_window window;
        if (ss_window_polytope(&window, box.polytope, &place, ss_v3(0, 0, 0), small)) {
            cut++;
            /* a rotation is one to 1e-15 times a few, coordinates are of 1e6 */
            const view seen = { ss_window_support, &window };
            CHECK_NEAR(distance(&seen, &place, place.R.c[0], &seed), exact, 1e-8);
        }
    }
    CHECK(cut > SAMPLES / 2 && cut < SAMPLES); /* deep inside there is nothing to cut */
}

static void check_drum(double R, double L)
{
    uint64_t seed = 5;
    int cut = 0;
    for (int k = 0; k < SAMPLES; k++) {
        const double r = fabs(near_side(&seed, R)), z = near_side(&seed, L), turn = pose_uniform(&seed, 0, 6);
        const ss_drum drum = { about(ss_v3(r * cos(turn), r * sin(turn), z), &seed), R, L };
        ss_drum_window window;
        if (ss_window_drum(&window, &drum, ss_v3(0, 0, 0), small)) {
            cut++;
            const view seen = { ss_drum_window_support, &window };
            CHECK_NEAR(distance(&seen, &drum.place, window.u, &seed), from_beyond(r - R, fabs(z) - L, -INFINITY), 1e-8);
        }
    }
    CHECK(cut > SAMPLES / 4);
}

TEST(a_window_on_a_huge_cylinder_shows_its_distance_and_depth) { check_drum(2e6, 1e6); }

TEST(a_window_on_a_huge_plate_shows_its_distance_and_depth) { check_drum(2e6, 0.5); }

TEST(a_window_on_a_long_rod_shows_its_distance_and_depth) { check_drum(0.5, 1e6); }

TEST(bodies_of_like_size_are_taken_whole)
{
    const ss_shape box = pose_box(3, 2, 3, 4);
    const ss_drum drum = { ss_frame_identity(), 1, 1 };
    const ss_frame place = ss_frame_identity();
    ss_window window;
    ss_drum_window round;
    CHECK(!ss_window_polytope(&window, box.polytope, &place, ss_v3(2, 0, 0), small));
    CHECK(!ss_window_drum(&round, &drum, ss_v3(2, 0, 0), small));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_window_on_a_huge_box_shows_its_distance_and_depth),
        cmocka_unit_test(a_window_on_a_huge_cylinder_shows_its_distance_and_depth),
        cmocka_unit_test(a_window_on_a_huge_plate_shows_its_distance_and_depth),
        cmocka_unit_test(a_window_on_a_long_rod_shows_its_distance_and_depth),
        cmocka_unit_test(bodies_of_like_size_are_taken_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
