/* test_joints.c - every registered joint, knowing nothing but its entry: rows, curvature and stiffness agree with
 * differences, in 2D and 3D, near where it was prepared and away from it. */
#include "model/attachment.h"
#include "model/primitives.h"
#include "test.h"

enum { ROWS_MAX = 7, TRIALS = 40 };

/* couplings of joints have no rows of their own two bodies: unit.model.joints has them in a model, among all other joints */
static bool has_own_rows(const ss_joint_type *type, int dimension)
{
    return !type->couples && type->info.dimensions & (1u << dimension);
}

/* central differences with step 1e-5: h^2/6 times third derivatives of order 10, plus 2e-16 / 1e-5 of round-off */
static const double step = 1e-5, accuracy = 1e-8;

static double uniform(uint64_t *seed) { return 2 * ss_random_uniform(seed) - 1; }

static ss_vec3 random_vector(uint64_t *seed, int dimension)
{
    double x = uniform(seed), y = uniform(seed), z = uniform(seed);
    return ss_v3(x, y, dimension == 3 ? z : 0);
}

static ss_vec3 random_turn(uint64_t *seed, int dimension)
{
    ss_vec3 r = random_vector(seed, 3);
    return dimension == 3 ? r : ss_v3(0, 0, r.z);
}

/* f moved by (u, th): p + u, exp(th) R */
static ss_frame moved(ss_frame f, ss_vec3 u, ss_vec3 th)
{
    return (ss_frame){ ss_add(f.p, u), ss_compose(ss_quat_matrix(ss_quat_exp(th)), f.R) };
}

static void move_both(const ss_frame f[2], const ss_vec3 d[2][2], double s, ss_frame out[2])
{
    for (int b = 0; b < 2; b++) {
        out[b] = moved(f[b], ss_scale(s, d[b][0]), ss_scale(s, d[b][1]));
    }
}

static void random_frames(uint64_t *seed, int dimension, ss_frame f[2])
{
    for (int b = 0; b < 2; b++) {
        f[b] = moved(ss_frame_identity(), random_vector(seed, dimension), ss_scale(2, random_turn(seed, dimension)));
    }
}

static void random_motion(uint64_t *seed, int dimension, ss_vec3 d[2][2])
{
    for (int b = 0; b < 2; b++) {
        d[b][0] = random_vector(seed, dimension);
        d[b][1] = random_turn(seed, dimension);
    }
}

static bool has_field(const ss_joint_type *type, const char *name)
{
    for (const ss_field *f = type->info.fields; f->name; f++) {
        if (strcmp(f->name, name) == 0) {
            return true;
        }
    }
    return false;
}

/* a joint of this type prepared at f: anchors meet in one point if the type knows `at`, else they do not */
static ss_joint make_joint(ss_context *ctx, const ss_joint_type *type, int dimension, const ss_frame f[2], uint64_t *seed)
{
    ss_joint_desc d = ss_joint_desc_default();
    ss_joint joint = { .type = type };
    ss_vec3 point = random_vector(seed, dimension);
    d.bodies[0] = "a";
    d.bodies[1] = "b";
    const ss_vec3 axis = random_vector(seed, dimension), other = random_vector(seed, dimension);
    ss_v3_to(axis, d.axis);
    ss_v3_to(ss_cross(axis, other), d.second_axis);
    d.gearing.pitch = uniform(seed);
    for (int b = 0; b < 2; b++) {
        ss_vec3 own = random_vector(seed, dimension);
        joint.at[b].point = has_field(type, "at") ? ss_point_to_body(f[b], point) : own;
    }
    ss_joint_set_basis(&joint, ss_mat3_identity(), f);
    if (type->prepare) {
        CHECK_OK(ctx, type->prepare(ctx, "joint", &d, dimension, f, &joint));
    }
    joint.rows = type->rows(&joint, dimension);
    return joint;
}

/* the two spots at frames that move with the twists d; NULL: at rest */
static void spots(const ss_joint *joint, const ss_frame f[2], const ss_vec3 (*d)[2], ss_spot s[2])
{
    for (int b = 0; b < 2; b++) {
        s[b] = ss_spot_in_frame(f[b], joint->at[b].point, d ? d[b] : NULL);
    }
}

/* ---- generic scalar functions: the rows of a joint, then its coordinate -------------------------------- */

static int values(const ss_joint *joint, int dimension, const ss_frame f[2], double *g, ss_twist_row *row)
{
    int n = joint->rows;
    ss_spot s[2];
    spots(joint, f, NULL, s);
    joint->type->eval(joint, dimension, s, g, row);
    if (joint->type->coordinate) {
        g[n] = joint->type->coordinate(joint, dimension, s, &row[n]);
        n++;
    }
    return n;
}

/* velocity of the row where the two spots move */
static double along(const ss_twist_row *row, const ss_spot s[2])
{
    double sum = 0;
    for (int b = 0; b < 2; b++) {
        sum += ss_dot(row->lin[b], s[b].v) + ss_dot(row->ang[b], s[b].w);
    }
    return sum;
}

static void flatten(const ss_twist_row *row, int dimension, double out[12])
{
    for (int b = 0; b < 2; b++) {
        ss_v3_to(row->lin[b], out + 6 * b);
        ss_v3_to(row->ang[b], out + 6 * b + 3);
        for (int k = 2; dimension == 2 && k < 5; k++) {
            out[6 * b + k] = 0; /* out of the plane */
        }
    }
}

static void rows_are_gradients(const ss_joint *joint, int dimension, const ss_frame f[2], const ss_vec3 d[2][2])
{
    double g[ROWS_MAX], plus[ROWS_MAX], minus[ROWS_MAX];
    ss_twist_row row[ROWS_MAX], unused[ROWS_MAX];
    ss_frame there[2];
    ss_spot s[2];
    int n = values(joint, dimension, f, g, row);
    spots(joint, f, d, s);
    move_both(f, d, step, there);
    values(joint, dimension, there, plus, unused);
    move_both(f, d, -step, there);
    values(joint, dimension, there, minus, unused);
    for (int k = 0; k < n; k++) {
        double change = plus[k] - minus[k];
        if (fabs(change) > 3) {
            continue; /* an angle that went round */
        }
        CHECK_NEAR(along(&row[k], s), change / (2 * step), accuracy * 20);
    }
}

static void curvature_is_the_rate_of_the_rate(const ss_joint *joint, int dimension, const ss_frame f[2], const ss_vec3 d[2][2])
{
    double g[ROWS_MAX], out[ROWS_MAX];
    ss_twist_row plus[ROWS_MAX], minus[ROWS_MAX];
    ss_frame there[2];
    ss_spot s[2], ahead[2], behind[2];
    spots(joint, f, d, s);
    joint->type->curvature(joint, dimension, s, out);
    if (joint->type->coordinate) {
        out[joint->rows] = joint->type->coordinate_curvature(joint, dimension, s);
    }
    move_both(f, d, step, there);
    int n = values(joint, dimension, there, g, plus);
    spots(joint, there, d, ahead);
    move_both(f, d, -step, there);
    values(joint, dimension, there, g, minus);
    spots(joint, there, d, behind);
    for (int k = 0; k < n; k++) {
        /* third derivatives of an angle near its pole reach 1e3: relative to the size of the curvature */
        CHECK_NEAR(out[k], (along(&plus[k], ahead) - along(&minus[k], behind)) / (2 * step), 1e-6 * (1 + fabs(out[k])));
    }
}

static void stiffness_is_the_gradient_of_the_rows(const ss_joint *joint, int dimension, const ss_frame f[2],
                                                  const ss_vec3 d[2][2], uint64_t *seed)
{
    double lam[ROWS_MAX], g[ROWS_MAX], K[144] = { 0 }, x[12], plus[12], minus[12];
    ss_twist_row rp[ROWS_MAX], rm[ROWS_MAX];
    ss_frame there[2];
    ss_spot s[2];
    spots(joint, f, d, s);
    const ss_twist_row direction = { { s[0].v, s[1].v }, { s[0].w, s[1].w } };
    flatten(&direction, dimension, x);
    for (int k = 0; k < ROWS_MAX; k++) {
        lam[k] = uniform(seed);
    }
    if (joint->type->stiffness) {
        joint->type->stiffness(joint, dimension, s, lam, K);
    }
    if (joint->type->coordinate) {
        joint->type->coordinate_stiffness(joint, dimension, s, lam[joint->rows], K);
    }
    move_both(f, d, step, there);
    int n = values(joint, dimension, there, g, rp);
    move_both(f, d, -step, there);
    values(joint, dimension, there, g, rm);
    for (int i = 0; i < 12; i++) {
        double expected = 0, got = 0;
        for (int k = 0; k < n; k++) {
            flatten(&rp[k], dimension, plus);
            flatten(&rm[k], dimension, minus);
            expected += lam[k] * (plus[i] - minus[i]) / (2 * step);
        }
        for (int j = 0; j < 12; j++) {
            got += K[12 * i + j] * x[j];
        }
        bool inside = dimension == 3 || i % 6 < 2 || i % 6 == 5;
        CHECK_NEAR(inside ? got : 0, inside ? expected : 0, 1e-6 * (1 + fabs(expected)));
    }
}

/* ---- tests ------------------------------------------------------------------------------------------------- */

TEST(every_joint_has_exact_derivatives_near_and_away_from_its_reference)
{
    ss_context *ctx = test_context();
    uint64_t seed = 7;
    for (int k = 0; ss_joint_types[k]; k++) {
        for (int dimension = 2; dimension <= 3; dimension++) {
            for (int trial = 0; trial < TRIALS && has_own_rows(ss_joint_types[k], dimension); trial++) {
                ss_frame f[2], there[2];
                ss_vec3 d[2][2];
                random_frames(&seed, dimension, f);
                ss_joint joint = make_joint(ctx, ss_joint_types[k], dimension, f, &seed);
                random_motion(&seed, dimension, d);
                move_both(f, (const ss_vec3(*)[2])d, trial % 2 ? 0.5 : 1e-3, there);
                random_motion(&seed, dimension, d);
                rows_are_gradients(&joint, dimension, there, (const ss_vec3(*)[2])d);
                curvature_is_the_rate_of_the_rate(&joint, dimension, there, (const ss_vec3(*)[2])d);
                stiffness_is_the_gradient_of_the_rows(&joint, dimension, there, (const ss_vec3(*)[2])d, &seed);
            }
        }
    }
    ss_context_destroy(ctx);
}

/* smallest pivot of the Gram matrix of the rows, each scaled to length 1 */
static double independence(int n, int dimension, const ss_twist_row *row)
{
    double x[ROWS_MAX][12], least = 1;
    for (int i = 0; i < n; i++) {
        flatten(&row[i], dimension, x[i]);
        for (int pass = 0; pass <= i; pass++) { /* Gram-Schmidt against the rows before, then the length */
            double dot = 0, own = 0;
            for (int j = 0; j < 12; j++) {
                dot += x[i][j] * x[pass][j];
                own += x[pass][j] * x[pass][j];
            }
            for (int j = 0; j < 12; j++) {
                x[i][j] -= pass < i ? dot / own * x[pass][j] : 0;
            }
            least = pass == i ? fmin(least, sqrt(own)) : least;
        }
    }
    return least;
}

TEST(every_joint_is_satisfied_and_regular_where_it_is_prepared)
{
    ss_context *ctx = test_context();
    uint64_t seed = 11;
    for (int k = 0; ss_joint_types[k]; k++) {
        for (int trial = 0; trial < TRIALS; trial++) {
            int dimension = 2 + trial % 2;
            if (!has_own_rows(ss_joint_types[k], dimension)) {
                continue;
            }
            ss_frame f[2];
            double g[ROWS_MAX];
            ss_twist_row row[ROWS_MAX];
            random_frames(&seed, dimension, f);
            ss_joint joint = make_joint(ctx, ss_joint_types[k], dimension, f, &seed);
            values(&joint, dimension, f, g, row);
            for (int i = 0; i < joint.rows; i++) {
                CHECK_NEAR(g[i], 0, 1e-14); /* a few roundings of numbers of order 1 */
            }
            CHECK(independence(joint.rows, dimension, row) > 0.1);
        }
    }
    ss_context_destroy(ctx);
}

/* ---- through a scene, by name and alias ------------------------------------------------------------------- */

static ss_status compile_with(ss_context *ctx, const ss_joint_type *type, const char *name, int dimension, int *rows)
{
    ss_scene_settings settings = ss_scene_settings_default();
    ss_scene *scene = NULL;
    ss_model *model = NULL;
    settings.dimension = dimension;
    CHECK_OK(ctx, ss_scene_create(ctx, &settings, &scene));
    for (int b = 0; b < 2; b++) {
        ss_body_desc body = ss_body_desc_default();
        body.name = b ? "b" : "a";
        body.type = SS_BODY_RIGID;
        body.mass = 1;
        body.inertia[0] = body.inertia[1] = body.inertia[2] = 1;
        body.position[0] = b;
        CHECK_OK(ctx, ss_scene_add_body(scene, &body, NULL));
    }
    ss_joint_desc joint = ss_joint_desc_default();
    joint.type = name;
    joint.bodies[0] = "a";
    joint.bodies[1] = "b";
    joint.axis[0] = 1;
    joint.axis[1] = joint.axis[2] = 0;
    memcpy(joint.second_axis, (double[3]){ 0, 1, 0 }, sizeof joint.second_axis);
    joint.gearing.pitch = 0.1;
    if (has_field(type, "at")) {
        joint.at[0] = 0.5;
        joint.at[1] = joint.at[2] = 0;
    }
    CHECK_OK(ctx, ss_scene_add_joint(scene, &joint, NULL));
    ss_status status = ss_model_compile(ctx, scene, &model);
    *rows = model ? model->nj : 0;
    ss_model_destroy(model);
    ss_scene_destroy(scene);
    return status;
}

TEST(every_joint_compiles_by_its_name_and_by_its_aliases)
{
    ss_context *ctx = test_context();
    for (int k = 0; ss_joint_types[k]; k++) {
        const ss_joint_type *type = ss_joint_types[k];
        for (int dimension = 2; dimension <= 3; dimension++) {
            char alias[64];
            int rows = 0;
            if (!has_own_rows(type, dimension)) {
                continue;
            }
            CHECK_OK(ctx, compile_with(ctx, type, type->info.name, dimension, &rows));
            CHECK(rows >= 1 && rows <= 6);
            if (type->info.aliases) {
                int again = 0;
                snprintf(alias, sizeof alias, "%.*s", (int)strcspn(type->info.aliases, "|"), type->info.aliases);
                CHECK_OK(ctx, compile_with(ctx, type, alias, dimension, &again));
                CHECK(again == rows);
            }
        }
    }
    ss_context_destroy(ctx);
}

TEST(a_joint_of_three_dimensions_is_refused_in_the_plane)
{
    ss_context *ctx = test_context();
    for (int k = 0; ss_joint_types[k]; k++) {
        const ss_joint_type *type = ss_joint_types[k];
        int rows;
        if (!(type->info.dimensions & 4)) {
            CHECK(compile_with(ctx, type, type->info.name, 2, &rows) == SS_ERR_INPUT);
            CHECK(strstr(ss_last_error(ctx), "not available in 2D"));
        }
    }
    ss_context_destroy(ctx);
}

TEST(every_joint_entry_is_complete)
{
    for (int k = 0; ss_joint_types[k]; k++) {
        const ss_joint_type *type = ss_joint_types[k];
        CHECK(type->info.name && type->info.title && type->info.reference && type->info.fields);
        CHECK(type->couples || (type->rows && type->eval && type->curvature));
        CHECK(!type->winds || type->angular);
        CHECK(!type->coordinate == !type->coordinate_curvature && !type->coordinate == !type->coordinate_stiffness);
        CHECK((type->coordinate != NULL) == has_field(type, "limits"));
        CHECK((type->coordinate != NULL) == has_field(type, "motor"));
        CHECK(has_field(type, "name") && has_field(type, "type") && has_field(type, "collide"));
        CHECK(has_field(type, type->couples ? "joints" : "bodies"));
        for (const ss_field *f = type->info.fields; f->name; f++) {
            CHECK(f->doc && *f->doc);
            CHECK(f->offset < sizeof(ss_joint_desc));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_joint_has_exact_derivatives_near_and_away_from_its_reference),
        cmocka_unit_test(every_joint_is_satisfied_and_regular_where_it_is_prepared),
        cmocka_unit_test(every_joint_compiles_by_its_name_and_by_its_aliases),
        cmocka_unit_test(a_joint_of_three_dimensions_is_refused_in_the_plane),
        cmocka_unit_test(every_joint_entry_is_complete),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
