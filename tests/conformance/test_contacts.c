/* test_contacts.c - every contact that two registered shapes can have, its moments of rolling and spinning friction, every limit
 * and motor of a registered joint, and gaps of user blocks: the derivative of the generalized contact force at fixed r agrees
 * with differences along the retraction.
 *
 *   K x = d/ds [ H(q (+) s x)' r ]      for random r of all rows and random x, in 2D and 3D
 *
 * Shapes are those of the geometry tests, placed at random until they nearly touch; nothing is known but the registries. */
#include "../unit/geom/poses.h"
#include "contact/contact.h"
#include "model/assemble.h"

enum { NV = 16, TRIALS = 12 };

/* central differences with step 1e-5: h^2/6 times third derivatives, which reach 1e4 near where a normal is not defined; 1e-10
 * of round-off. Relative to the force and its change. */
static const double step = 1e-5, accuracy = 2e-6;

static double any(uint64_t *seed) { return 2 * ss_random_uniform(seed) - 1; }

typedef struct stage {
    ss_context *ctx;
    ss_model *model;
    ss_arena *arena;
    ss_config c;
    double t, q[NV + 4];
} stage;

static void open_stage(stage *s, ss_scene *scene, double t)
{
    CHECK_OK(s->ctx, ss_model_compile(s->ctx, scene, &s->model));
    CHECK_OK(s->ctx, ss_arena_create(s->ctx, 1 << 14, &s->arena));
    CHECK_OK(s->ctx, ss_config_take(s->arena, s->model, &s->c));
    ss_scene_destroy(scene);
    s->t = t;
    CHECK(s->model->nv <= NV);
}

static void close_stage(stage *s)
{
    ss_arena_destroy(s->arena);
    ss_model_destroy(s->model);
    ss_context_destroy(s->ctx);
}

static void go_to(stage *s, const double *x, double h)
{
    ss_model_retract(s->model, s->model->q0, x, h, s->q);
    ss_config_set(s->model, s->t, s->q, &s->c);
    ss_config_drive(s->model, s->t, s->t, &s->c);
}

/* H' r where the bodies have moved by h x; how many rows */
static int force_at(stage *s, const ss_contact *contact, const double *x, double h, const double r[3], double *out)
{
    ss_contact_value value;
    ss_csr H = { 0 };
    double drive[3];
    int rows;
    go_to(s, x, h);
    ss_csr_reset(&H, s->model->nv);
    CHECK_OK(s->ctx, ss_contact_eval(s->ctx, s->model, &s->c, contact, &value));
    CHECK_OK(s->ctx, ss_contact_rows(s->ctx, s->model, &s->c, contact, &value, true, &H, drive, &rows));
    ss_csr_transpose_times(&H, 1, r, 0, out);
    ss_csr_free(s->ctx, &H);
    return rows;
}

/* r . (d(H v)/dq x) less v . (d(H' r)/dq x), which K x is: both are the same sum */
static double gradient_error(stage *s, const ss_contact *contact, const ss_contact_value *value, int rows, const double *r,
                             const double *x, const double *Kx)
{
    double v[NV], rate[3], sum = 0;
    ss_csr R = { 0 };
    for (int i = 0; i < s->model->nv; i++) {
        v[i] = 1 - 0.3 * i;
        sum -= v[i] * Kx[i];
    }
    ss_csr_reset(&R, s->model->nv);
    CHECK_OK(s->ctx, ss_contact_gradient(s->ctx, s->arena, s->model, &s->c, contact, value, rows, v, &R));
    CHECK(R.m == rows);
    ss_csr_times(&R, 1, x, 0, rate);
    for (int k = 0; k < rows; k++) {
        sum += r[k] * rate[k];
    }
    ss_csr_free(s->ctx, &R);
    return fabs(sum);
}

/* the largest error of K x over the velocities, relative to what is there */
static double stiffness_error(stage *s, const ss_contact *contact, uint64_t *seed)
{
    double x[NV], plus[NV], minus[NV], here[NV], got[NV], worst = 0, size = 1;
    const double r[3] = { 1 + ss_random_uniform(seed), any(seed), any(seed) };
    ss_contact_set one = { .n = 1, .c = (ss_contact[]){ *contact } };
    ss_contact_value value;
    ss_pattern pattern = { 0 };
    ss_csr K = { 0 };
    for (int i = 0; i < s->model->nv; i++) {
        x[i] = any(seed);
    }
    force_at(s, contact, x, step, r, plus);
    force_at(s, contact, x, -step, r, minus);
    const int rows = force_at(s, contact, x, 0, r, here);
    CHECK_OK(s->ctx, ss_contact_eval(s->ctx, s->model, &s->c, contact, &value));
    CHECK_OK(s->ctx, ss_contacts_pattern(s->ctx, s->model, &one, &pattern));
    CHECK_OK(s->ctx, ss_pattern_clear(s->ctx, s->model, &pattern, &K));
    CHECK_OK(s->ctx, ss_contact_stiffness(s->ctx, s->model, &s->c, contact, &value, rows, r, &pattern, &K));
    ss_csr_times(&K, 1, x, 0, got);
    for (int i = 0; i < s->model->nv; i++) {
        const double expected = (plus[i] - minus[i]) / (2 * step);
        size = fmax(size, fmax(fabs(here[i]), fabs(expected)));
        worst = fmax(worst, fabs(got[i] - expected));
    }
    worst = fmax(worst, gradient_error(s, contact, &value, rows, r, x, got));
    ss_csr_free(s->ctx, &K);
    ss_pattern_free(s->ctx, &pattern);
    return worst / size;
}

/* ---- shapes ---------------------------------------------------------------------------------- */

/* two rigid bodies; their shapes are not in the scene: the contact brings its own gap */
static ss_scene *two_bodies(stage *s, int dimension, uint64_t *seed)
{
    ss_scene_settings settings = ss_scene_settings_default();
    ss_scene *scene = NULL;
    s->ctx = test_context();
    settings.dimension = dimension;
    settings.length_scale = 1;
    ss_quat_to(ss_quat_exp(ss_v3(0.3, -0.2, 0.5)), settings.friction_frame);
    CHECK_OK(s->ctx, ss_scene_create(s->ctx, &settings, &scene));
    for (int b = 0; b < 2; b++) {
        ss_body_desc d = ss_body_desc_default();
        d.type = SS_BODY_RIGID;
        d.mass = 1;
        d.inertia[0] = d.inertia[1] = d.inertia[2] = 1;
        ss_v3_to(pose_vector(seed, dimension, 1), d.position);
        d.angle = 3 * any(seed);
        ss_quat_to(ss_quat_exp(pose_spin(seed, 3, 3)), d.orientation);
        CHECK_OK(s->ctx, ss_scene_add_body(scene, &d, NULL));
    }
    return scene;
}

/* far enough from where the normal, the lowest point of a rim or the tangents are not defined, for the differences */
static bool is_regular(const stage *s, const ss_gap *gap)
{
    const ss_frame *A = &s->c.frame[gap->swap ? 1 : 0], *B = &s->c.frame[gap->swap ? 0 : 1];
    const double sine = ss_norm(ss_cross(ss_rotate(A->R, gap->da), ss_rotate(B->R, gap->db)));
    ss_gap_value v;
    ss_gap_eval(gap, &s->c.frame[0], &s->c.frame[1], &v);
    const ss_mat3 F = s->model->friction_axes;
    const bool tangents = fabs(fabs(ss_dot(F.c[0], v.normal)) - 0.8) > 1e-3; /* where the axis changes */
    switch (gap->kind) {
    case SS_GAP_LINE_LINE:
    case SS_GAP_CIRCLE_PLANE:
        return tangents && sine > 0.2;
    case SS_GAP_POINT_PLANE:
        return tangents;
    default:
        return tangents && v.gap + gap->ra + gap->rb > 0.1;
    }
}

static void check_moments(stage *s, const ss_contact *host, uint64_t *seed)
{
    ss_contact moment;
    CHECK(ss_contact_moment(s->model, host, SS_CONTACT_ROLLING, &moment));
    CHECK_NEAR(stiffness_error(s, &moment, seed), 0, accuracy);
    const bool spins = ss_contact_moment(s->model, host, SS_CONTACT_SPINNING, &moment);
    CHECK(spins == (s->model->dimension == 3));
    CHECK_NEAR(spins ? stiffness_error(s, &moment, seed) : 0, 0, accuracy);
}

/* all gaps of a pair of shapes at random poses; seen[kind] counts */
static void check_pair(int dimension, ss_shape_kind ka, ss_shape_kind kb, uint64_t *seed, int seen[5])
{
    for (int trial = 0; trial < TRIALS; trial++) {
        const ss_shape shape[2] = { pose_shape(seed, dimension, ka), pose_shape(seed, dimension, kb) };
        const ss_pair_law law = { .arm = { 0.02, 0.01 }, .grain = { 0.6, 0, 0.8 } };
        stage s = { 0 };
        ss_manifold found;
        open_stage(&s, two_bodies(&s, dimension, seed), 0);
        ss_config_set(s.model, 0, s.model->q0, &s.c);
        ss_collide(&shape[0], &s.c.frame[0], &shape[1], &s.c.frame[1], 10, &found);
        for (int k = 0; k < found.n; k++) {
            ss_contact contact = { .id = { .kind = SS_CONTACT_SHAPES },
                                   .at = { { .body = 0 }, { .body = 1 } },
                                   .gap = found.gap[k],
                                   .mu = { 0.5, 0.5 },
                                   .law = &law,
                                   .grain_body = dimension == 3 ? trial % 3 - 1 : -1 };
            go_to(&s, s.model->v0, 0);
            if (is_regular(&s, &contact.gap)) {
                CHECK_NEAR(stiffness_error(&s, &contact, seed), 0, accuracy);
                check_moments(&s, &contact, seed);
                seen[contact.gap.kind]++;
            }
        }
        close_stage(&s);
    }
}

TEST(stiffness_of_contacts_of_every_pair_of_shapes_is_the_change_of_their_forces)
{
    uint64_t seed = 77;
    for (int dimension = 2; dimension <= 3; dimension++) {
        int seen[5] = { 0 };
        for (int a = 0; a < SS_SHAPE_KINDS; a++) {
            for (int b = 0; b < SS_SHAPE_KINDS; b++) {
                const ss_shape_kind ka = (ss_shape_kind)a, kb = (ss_shape_kind)b;
                if (ss_can_collide(ka, kb) && pose_exists(ka, dimension) && pose_exists(kb, dimension)) {
                    check_pair(dimension, ka, kb, &seed, seen);
                }
            }
        }
        for (int kind = 0; kind < 5 && dimension == 3; kind++) {
            CHECK(seen[kind] >= 10);
        }
    }
}

/* ---- limits and motors ------------------------------------------------------------------------- */

static bool has_key(const ss_joint_type *type, const char *key)
{
    bool any = false;
    for (const ss_field *f = type->info.fields; f->name; f++) {
        any = any || strcmp(f->name, key) == 0;
    }
    return any;
}

/* an arm that is jointed to a second one, both free, with limits and a bounded motor */
static void open_arms(stage *s, const ss_joint_type *type, int dimension, uint64_t *seed)
{
    ss_scene_settings settings = ss_scene_settings_default();
    ss_scene *scene = NULL;
    ss_joint_desc joint = ss_joint_desc_default();
    s->ctx = test_context();
    settings.dimension = dimension;
    CHECK_OK(s->ctx, ss_scene_create(s->ctx, &settings, &scene));
    for (int b = 0; b < 2; b++) {
        ss_body_desc d = ss_body_desc_default();
        d.name = b ? "b" : "a";
        d.type = SS_BODY_RIGID;
        d.mass = 1;
        d.inertia[0] = d.inertia[1] = d.inertia[2] = 1;
        d.position[0] = b + 0.3 * any(seed);
        d.angle = any(seed);
        ss_quat_to(ss_quat_exp(ss_v3(any(seed), any(seed), any(seed))), d.orientation);
        CHECK_OK(s->ctx, ss_scene_add_body(scene, &d, NULL));
    }
    joint.type = type->info.name;
    joint.bodies[0] = "a";
    joint.bodies[1] = "b";
    joint.axis[0] = 0.6;
    joint.axis[1] = 0.8;
    for (int b = 0; b < 2; b++) {
        joint.anchors[b][0] = 0.3 * any(seed);
        joint.anchors[b][1] = 0.3 * any(seed);
    }
    joint.limits[0] = type->angular ? -1 : 0.01;
    joint.limits[1] = 3;
    joint.motor.speed = "0";
    joint.motor.max = 1;
    if (has_key(type, "at")) { /* anchors that meet, and a coordinate that starts at zero */
        memset(joint.anchors, 0, sizeof joint.anchors);
        joint.at[0] = joint.at[1] = 0.2;
        joint.at[2] = dimension == 3 ? 0.2 : NAN;
        joint.limits[0] = -1;
    }
    joint.gearing.pitch = 0.3;
    joint.resistance.friction = has_key(type, "friction") ? 0.7 : 0;
    CHECK_OK(s->ctx, ss_scene_add_joint(scene, &joint, NULL));
    open_stage(s, scene, 0);
}

TEST(stiffness_of_limits_and_motors_of_every_joint_is_the_change_of_their_forces)
{
    uint64_t seed = 78;
    for (int j = 0; ss_joint_types[j]; j++) {
        for (int trial = 0; ss_joint_types[j]->coordinate && trial < 3 * TRIALS; trial++) {
            const int dimension = ss_joint_types[j]->info.dimensions & 4 ? 2 + trial % 2 : 3;
            const bool rubs = has_key(ss_joint_types[j], "friction");
            stage s = { 0 };
            ss_finder *finder = NULL;
            ss_contact_set set = { 0 };
            open_arms(&s, ss_joint_types[j], dimension, &seed);
            go_to(&s, s.model->v0, 0);
            CHECK_OK(s.ctx, ss_finder_create(s.ctx, s.model, &finder));
            CHECK_OK(s.ctx, ss_finder_find(finder, &s.c, 0, &set));
            CHECK(set.n == 3 + rubs); /* lower, upper, motor, friction */
            for (int k = 0; k < set.n; k++) {
                CHECK_NEAR(stiffness_error(&s, &set.c[k], &seed), 0, accuracy);
            }
            ss_contacts_free(s.ctx, &set);
            ss_finder_destroy(finder);
            close_stage(&s);
        }
    }
}

/* ---- blocks -------------------------------------------------------------------------------------- */

static ss_status unit_mass(void *user, double t, const double *q, double *M)
{
    (void)user, (void)t, (void)q;
    M[0] = M[4] = M[8] = 1;
    return SS_OK;
}

/* gap_0 = q0 q1 + t q2, gap_1 = sin(q2) + q0 */
static ss_status two_gaps(void *user, double t, const double *q, double *gap, double *H, double *gap_t)
{
    (void)user;
    gap[0] = q[0] * q[1] + t * q[2];
    gap[1] = sin(q[2]) + q[0];
    H[0] = q[1];
    H[1] = q[0];
    H[2] = t;
    H[3] = 1;
    H[5] = cos(q[2]);
    gap_t[0] = q[2];
    return SS_OK;
}

/* tangents (q0^2, 0, q1) and (0, 1, q0 q1), of both gaps, the second one's twice as long; dimension = *user */
static ss_status tangents(void *user, double t, const double *q, double *T, double *T_t)
{
    const int d = *(const int *)user - 1;
    (void)t, (void)T_t;
    for (int k = 0; k < 2; k++) {
        double *first = T + 3 * d * k, *second = first + 3;
        first[0] = (1 + k) * q[0] * q[0];
        first[2] = (1 + k) * q[1];
        if (d == 2) {
            second[1] = 1 + k;
            second[2] = (1 + k) * q[0] * q[1];
        }
    }
    return SS_OK;
}

/* the exact derivative of H' r + T' r_T */
static ss_status exact_stiffness(void *user, double t, const double *q, const double *lam, const double *r, double *K)
{
    const int d = *(const int *)user - 1;
    (void)t, (void)lam;
    K[1] += r[0];
    K[3] += r[0];
    K[8] -= r[1 + d] * sin(q[2]);
    for (int k = 0; k < 2; k++) {
        const double *friction = r + (1 + d) * k + 1;
        K[0] += (1 + k) * friction[0] * 2 * q[0];
        K[7] += (1 + k) * friction[0];
        if (d == 2) {
            K[6] += (1 + k) * friction[1] * q[1];
            K[7] += (1 + k) * friction[1] * q[0];
        }
    }
    return SS_OK;
}

TEST(stiffness_of_gaps_of_blocks_with_friction_is_the_change_of_their_forces_given_or_by_differences)
{
    uint64_t seed = 79;
    for (int trial = 0; trial < 4 * TRIALS; trial++) {
        int dimension = 2 + trial % 2;
        ss_scene_settings settings = ss_scene_settings_default();
        ss_scene *scene = NULL;
        ss_block block = ss_block_default();
        ss_body_desc body = ss_body_desc_default();
        const double q[3] = { any(&seed), any(&seed), any(&seed) };
        stage s = { .ctx = test_context() };
        block.user = &dimension;
        block.n = 3;
        block.mass = unit_mass;
        block.gaps = 2;
        block.gap = two_gaps;
        block.mu = 0.3;
        block.tangent = tangents;
        block.stiffness = trial % 4 < 2 ? exact_stiffness : NULL;
        body.type = SS_BODY_BLOCK;
        body.block = &block;
        body.block_q = q;
        settings.dimension = dimension;
        CHECK_OK(s.ctx, ss_scene_create(s.ctx, &settings, &scene));
        CHECK_OK(s.ctx, ss_scene_add_body(scene, &body, NULL));
        open_stage(&s, scene, 0.4);
        for (int k = 0; k < 2; k++) {
            const ss_contact contact = { .id = { .kind = SS_CONTACT_BLOCK, .b = k },
                                         .at = { { .body = 0 }, { .body = 1 } },
                                         .mu = { 0.3, 0.3 },
                                         .grain_body = -1 };
            CHECK_NEAR(stiffness_error(&s, &contact, &seed), 0, accuracy);
        }
        close_stage(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stiffness_of_contacts_of_every_pair_of_shapes_is_the_change_of_their_forces),
        cmocka_unit_test(stiffness_of_limits_and_motors_of_every_joint_is_the_change_of_their_forces),
        cmocka_unit_test(stiffness_of_gaps_of_blocks_with_friction_is_the_change_of_their_forces_given_or_by_differences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
