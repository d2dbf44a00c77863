/* test_acceleration.c - du/dt of contacts, against differences of u = H v + drive along a motion with known dv/dt. */
#include "scenes.h"
#include "unit/model/path.h"

static double uniform(uint64_t *seed) { return 2 * ss_random_uniform(seed) - 1; }

/* ---- the harness ----------------------------------------------------------------------------- */

static void go_to(world *w, double t, const double *q)
{
    ss_config_set(w->model, t, q, &w->config);
    ss_config_drive(w->model, t, t, &w->config);
}

/* u of contact k at time t + s of the motion; returns the number of rows */
static int velocity_at(world *w, int k, const path *p, double s, double u[3])
{
    double q[PATH_MAX], v[PATH_MAX];
    path_at(p, s, q, v);
    go_to(w, p->t + s, q);
    int rows = world_rows(w, k, true, u);
    for (int i = 0; i < rows; i++) {
        u[i] += ss_csr_row_dot(&w->H, i, v);
    }
    return rows;
}

static double determinant(ss_vec3 a, ss_vec3 b, ss_vec3 c) { return ss_dot(a, ss_cross(b, c)); }

/* change v by the least so that u = 0: v -= H' (H H')^-1 u */
static void stop_slip(world *w, int k, path *p)
{
    double u[3] = { 0, 0, 0 }, W[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 }, row[PATH_MAX];
    const int rows = velocity_at(w, k, p, 0, u);
    for (int i = 0; i < rows; i++) {
        const double one[3] = { i == 0, i == 1, i == 2 };
        ss_csr_transpose_times(&w->H, 1, one, 0, row);
        for (int j = 0; j < rows; j++) {
            W[3 * j + i] = ss_csr_row_dot(&w->H, j, row);
        }
    }
    const ss_vec3 a = ss_v3_from(W), b = ss_v3_from(W + 3), c = ss_v3_from(W + 6), x = ss_v3_from(u);
    const double d = determinant(a, b, c); /* W is symmetric: rows are columns */
    const double r[3] = { -determinant(x, b, c) / d, -determinant(a, x, c) / d, -determinant(a, b, x) / d };
    ss_csr_transpose_times(&w->H, 1, r, 1, p->v);
}

/* the largest error of du/dt = H a + out over the rows, the normal alone if it slips; relative above 1 */
static double acceleration_error(world *w, int k, const path *p, bool slips)
{
    double u[3], out[3], expected[3] = { 0, 0, 0 }, worst = 0;
    int rows = 0;
    for (int i = 1; i <= PATH_POINTS; i++) {
        for (int side = -1; side <= 1; side += 2) {
            rows = velocity_at(w, k, p, side * i * path_step, u);
            for (int r = 0; r < rows; r++) {
                expected[r] += side * path_weight[i - 1] * u[r];
            }
        }
    }
    velocity_at(w, k, p, 0, u);
    go_to(w, p->t, p->q);
    ss_contact_value value;
    CHECK_OK(w->ctx, ss_contact_eval(w->ctx, w->model, &w->config, &w->set.c[k], &value));
    CHECK_OK(w->ctx, ss_contact_acceleration(w->ctx, w->model, &w->config, &w->set.c[k], &value, p->v, rows, out));
    for (int r = 0; r < (slips ? 1 : rows); r++) {
        const double got = ss_csr_row_dot(&w->H, r, p->a) + out[r];
        worst = fmax(worst, fabs(got - expected[r]) / (1 + fabs(expected[r])));
    }
    return worst;
}

/* a motion through the initial configuration at time t */
static path random_path(const world *w, uint64_t *seed, double t)
{
    path p = { .m = w->model, .t = t };
    memcpy(p.q, w->model->q0, (size_t)w->model->nq * sizeof *p.q);
    for (int i = 0; i < w->model->nv; i++) {
        p.v[i] = uniform(seed);
        p.a[i] = 2 * uniform(seed);
    }
    return p;
}

/* ---- shapes ---------------------------------------------------------------------------------- */

static const double now = 0.4;

/* differences of sixth order, h = 2^-10: h^6/140 = 6e-21 times seventh derivatives, up to 1e7; 2 ulp(4) / h = 2e-12 of rounding
 */
static const double accuracy = 1e-11;

static void add_shape(world *w, int body, const char *type, uint64_t *seed)
{
    ss_shape_desc shape = ss_shape_desc_default();
    shape.type = type;
    shape.radius = 0.4;
    shape.length = 0.5;
    shape.size[0] = 0.8;
    shape.size[1] = 0.9;
    shape.size[2] = 0.7;
    shape.material = "rough";
    shape.position[0] = 0.1 * uniform(seed);
    CHECK_OK(w->ctx, ss_scene_add_shape(w->scene, body, &shape));
}

/* a floor that accelerates and turns faster and faster, and two bodies above it */
static world shaken(int dimension, const char *first, const char *second, uint64_t *seed)
{
    const char *const type[2] = { first, second };
    world w = world_begin(dimension);
    add_material(&w, "rough", 0.5, 0);
    ss_body_desc floor = body_desc("floor", SS_BODY_DRIVEN, 0, 0, 0);
    floor.motion[0] = "0.3*t+sin(2*t)";
    floor.motion[1] = "0.2*cos(3*t)-t^2";
    floor.motion_angle = "0.4*t^2+t^3";
    floor.motion_axis[0] = dimension == 3 ? 0.48 : 0;
    floor.motion_axis[1] = dimension == 3 ? 0.64 : 0;
    floor.motion_axis[2] = dimension == 3 ? 0.6 : 1;
    add_floor(&w, add_body(&w, &floor), "rough");
    for (int k = 0; k < 2; k++) {
        ss_body_desc body = body_desc(k == 0 ? "first" : "second", SS_BODY_RIGID, 0.3 * uniform(seed), 0.4 + 0.9 * k, 0);
        body.angle = uniform(seed);
        ss_quat_to(ss_quat_exp(ss_v3(uniform(seed), uniform(seed), uniform(seed))), body.orientation);
        add_shape(&w, add_body(&w, &body), type[k], seed);
    }
    world_compile(&w);
    go_to(&w, now, w.model->q0);
    CHECK_OK(w.ctx, ss_finder_find(w.finder, &w.config, 0.5, &w.set));
    return w;
}

/* far enough from where a normal or a lowest point is not defined, for the differences */
static bool regular(const world *w, const ss_gap *gap, const ss_contact *contact)
{
    const int A = contact->at[gap->swap ? 1 : 0].body, B = contact->at[gap->swap ? 0 : 1].body;
    const ss_vec3 cross = ss_cross(ss_rotate(w->config.frame[A].R, gap->da), ss_rotate(w->config.frame[B].R, gap->db));
    ss_gap_value value;
    ss_gap_eval(gap, &w->config.frame[contact->at[0].body], &w->config.frame[contact->at[1].body], &value);
    return gap->kind == SS_GAP_LINE_LINE || gap->kind == SS_GAP_CIRCLE_PLANE ? ss_norm(cross) > 0.3
           : gap->kind == SS_GAP_POINT_PLANE                                 ? true
                                                                             : value.gap + gap->ra + gap->rb > 0.2;
}

/* The moments of contact k: spinning with any motion; rolling where the bodies do not roll, but may spin. */
static double moments_error(world *w, int k, path *p)
{
    const ss_contact host = w->set.c[k];
    double worst = 0;
    const ss_pair_law law = { .arm = { 1, 1 } };
    w->set.c[k].law = &law;
    ss_contact rough = w->set.c[k];
    if (ss_contact_moment(w->model, &rough, SS_CONTACT_SPINNING, &w->set.c[k])) {
        worst = acceleration_error(w, k, p, false);
    }
    CHECK(ss_contact_moment(w->model, &rough, SS_CONTACT_ROLLING, &w->set.c[k]));
    stop_slip(w, k, p);
    worst = fmax(worst, acceleration_error(w, k, p, false));
    w->set.c[k] = host;
    return worst;
}

/* worst: of contacts, of their moments */
static void check_shapes(int dimension, const char *first, const char *second, int seen[5], double worst[2])
{
    uint64_t seed = 51;
    for (int trial = 0; trial < 20; trial++) {
        world w = shaken(dimension, first, second, &seed);
        for (int k = 0; k < w.set.n; k++) {
            path p = random_path(&w, &seed, now);
            go_to(&w, now, w.model->q0);
            if (regular(&w, &w.set.c[k].gap, &w.set.c[k])) {
                path turning = p;
                worst[0] = fmax(worst[0], acceleration_error(&w, k, &p, true));
                worst[1] = fmax(worst[1], moments_error(&w, k, &turning));
                stop_slip(&w, k, &p);
                worst[0] = fmax(worst[0], acceleration_error(&w, k, &p, false));
                seen[w.set.c[k].gap.kind]++;
            }
        }
        world_end(&w);
    }
}

TEST(contacts_of_shapes_that_do_not_slip_and_their_moments_accelerate_as_the_motion_does)
{
    int seen[5] = { 0 };
    double worst[2] = { 0, 0 };
    check_shapes(2, "box", "box", seen, worst);
    check_shapes(2, "sphere", "sphere", seen, worst);
    check_shapes(2, "capsule", "box", seen, worst);
    check_shapes(3, "box", "box", seen, worst);
    check_shapes(3, "sphere", "box", seen, worst);
    check_shapes(3, "capsule", "capsule", seen, worst);
    check_shapes(3, "cylinder", "sphere", seen, worst);
    for (int kind = 0; kind < 5; kind++) {
        CHECK(seen[kind] >= 10);
    }
    CHECK_NEAR(worst[0], 0, accuracy);
    CHECK_NEAR(worst[1], 0, 10 * accuracy); /* normals of round shapes 0.2 m apart turn faster than contacts move */
}

/* ---- limits, motors, blocks ------------------------------------------------------------------ */

/* gaps that are not plain in t and q */
static ss_status two_gaps(void *user, double t, const double *q, double *gap, double *H, double *gap_t)
{
    (void)user;
    gap[0] = sin(q[0]) * q[1] + cos(5 * t) * q[0];
    H[0] = cos(q[0]) * q[1] + cos(5 * t);
    H[1] = sin(q[0]);
    gap_t[0] = -5 * sin(5 * t) * q[0];
    gap[1] = exp(q[0]) - t * t * q[1];
    H[2] = exp(q[0]);
    H[3] = -t * t;
    gap_t[1] = -2 * t * q[1];
    return SS_OK;
}

static ss_status unit_mass(void *user, double t, const double *q, double *M)
{
    (void)user, (void)t, (void)q;
    M[0] = M[3] = 1;
    M[1] = M[2] = 0;
    return SS_OK;
}

static const ss_block block = {
    .size = sizeof(ss_block), .n = 2, .constant_mass = true, .mass = unit_mass, .gaps = 2, .gap = two_gaps
};
static const double block_q[2] = { 0.3, 0.8 };

/* an arm jointed to a cart that accelerates and turns, with limits and a bounded motor; a block */
static world machine(int dimension, const char *type, uint64_t *seed)
{
    world w = world_begin(dimension);
    ss_body_desc cart = body_desc("cart", SS_BODY_DRIVEN, 0, 0, 0), lever = body_desc("lever", SS_BODY_BLOCK, 0, 0, 0);
    cart.motion[0] = "1-cos(2*t)";
    cart.motion[1] = "t^2*sin(3*t)";
    cart.motion_angle = "t^2+t^3";
    add_body(&w, &cart);
    ss_body_desc arm = body_desc("arm", SS_BODY_RIGID, 2 + 0.3 * uniform(seed), 0.3 * uniform(seed), 0);
    arm.angle = uniform(seed);
    ss_quat_to(ss_quat_exp(ss_v3(uniform(seed), uniform(seed), uniform(seed))), arm.orientation);
    add_body(&w, &arm);
    lever.block = &block;
    lever.block_q = block_q;
    add_body(&w, &lever);
    ss_joint_desc joint = ss_joint_desc_default();
    joint.name = "pin";
    joint.type = type;
    joint.bodies[0] = "cart";
    joint.bodies[1] = "arm";
    joint.axis[0] = 0.6;
    joint.axis[1] = 0.8;
    joint.axis[2] = 0;
    joint.at[0] = strcmp(type, "distance") == 0 ? NAN : 1;
    joint.at[1] = joint.at[2] = joint.at[0] - 1;
    joint.limits[0] = strcmp(type, "distance") == 0 ? 0.5 : -0.5;
    joint.limits[1] = 3;
    joint.motor.speed = "sin(3*t)";
    joint.motor.max = 3;
    CHECK_OK(w.ctx, ss_scene_add_joint(w.scene, &joint, NULL));
    world_compile(&w);
    CHECK_OK(w.ctx, ss_finder_find(w.finder, &w.config, 0.1, &w.set));
    return w;
}

TEST(limits_motors_and_block_gaps_accelerate_as_the_motion_does)
{
    static const char *const type[3] = { "revolute", "prismatic", "distance" };
    uint64_t seed = 52;
    double worst = 0;
    for (int trial = 0; trial < 60; trial++) {
        world w = machine(2 + trial % 2, type[trial % 3], &seed);
        CHECK(w.set.n == 5); /* lower, upper, motor, two gaps */
        for (int k = 0; k < w.set.n; k++) {
            const path p = random_path(&w, &seed, now);
            uint64_t before = ss_context_allocations(w.ctx);
            worst = fmax(worst, acceleration_error(&w, k, &p, false));
            CHECK(k == 0 || ss_context_allocations(w.ctx) == before);
        }
        world_end(&w);
    }
    CHECK_NEAR(worst, 0, accuracy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contacts_of_shapes_that_do_not_slip_and_their_moments_accelerate_as_the_motion_does),
        cmocka_unit_test(limits_motors_and_block_gaps_accelerate_as_the_motion_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
