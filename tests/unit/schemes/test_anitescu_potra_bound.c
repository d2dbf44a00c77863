/* Theorem 5.1 of AP97: velocities are bounded, whatever the step; watched in random systems of bodies, joints and a floor. */
#include "unit/schemes/text_run.h"

/* ---- bounded velocities: Theorem 5.1 -------------------------------------------------------------- */

static double between(uint64_t *seed, double lo, double hi) { return lo + (hi - lo) * ss_random_uniform(seed); }

/* each component within [-size, size]; in the plane z = 0 */
static ss_vec3 random_vector(uint64_t *seed, int dimension, double size)
{
    double x = between(seed, -size, size), y = between(seed, -size, size), z = between(seed, -size, size);
    return ss_v3(x, y, dimension == 3 ? z : 0);
}

static ss_vec3 random_spin(uint64_t *seed, int dimension, double size)
{
    ss_vec3 spin = random_vector(seed, 3, size);
    return dimension == 3 ? spin : ss_v3(0, 0, spin.z);
}

/* a body as it is thrown; spin in the world */
typedef struct thrown {
    char name[8];
    ss_shape_desc shape;
    double mass;
    ss_quat turn;
    ss_vec3 position, velocity, spin;
} thrown;

/* A box or a ball in a row of them, on the floor or at most 5 cm above it. */
static thrown throw_body(uint64_t *seed, int dimension, int index)
{
    thrown x = { .name = { 'b', (char)('0' + index), 0 }, .shape = ss_shape_desc_default() };
    bool ball = ss_random_uniform(seed) < 0.4, touching = ss_random_uniform(seed) < 0.3;
    double gap = touching ? 0 : between(seed, 0, 0.05), height = gap + 0.4;
    x.mass = 0.3 * pow(10, ss_random_uniform(seed));
    x.turn = ss_quat_exp(random_spin(seed, dimension, 1.5));
    x.velocity = random_vector(seed, dimension, 1);
    x.spin = random_spin(seed, dimension, 2);
    x.shape.type = ball ? "sphere" : "box";
    x.shape.material = "m";
    x.shape.radius = 0.4;
    if (!ball) {
        double width = between(seed, 0.2, 0.4), depth = between(seed, 0.15, 0.3), half[3] = { 0.45, width, depth };
        ss_mat3 R = ss_quat_matrix(x.turn);
        height = gap;
        for (int i = 0; i < dimension; i++) { /* the lowest corner */
            x.shape.size[i] = 2 * half[i];
            height += fabs(dimension == 3 ? R.c[i].z : R.c[i].y) * half[i];
        }
    }
    x.position = dimension == 3 ? ss_v3(1.35 * index, 0, height) : ss_v3(1.35 * index, height, 0);
    return x;
}

/* Join b to its neighbour a, and give it a velocity that the joint allows: anchor B moves as anchor A does, apart
 * from a rotation about A where only their distance is held. */
static ss_joint_desc join(uint64_t *seed, int dimension, const thrown *a, thrown *b)
{
    static const char *const types[] = { "spherical", "revolute", "distance" };
    int type = (int)(3 * ss_random_uniform(seed));
    ss_joint_desc joint = ss_joint_desc_default();
    ss_vec3 A = ss_scale(0.5, ss_add(a->position, b->position)), B = A, axis = ss_unit(random_vector(seed, 3, 1));
    if (type == 2) {
        A = ss_add(a->position, random_vector(seed, dimension, 0.2));
        B = ss_add(b->position, random_vector(seed, dimension, 0.2));
    } else if (type == 1 && dimension == 3) {
        b->spin = ss_axpy(between(seed, -2, 2), axis, a->spin);
    }
    ss_vec3 swing = random_spin(seed, dimension, 2), rate = ss_add(a->velocity, ss_cross(a->spin, ss_sub(A, a->position)));
    rate = ss_add(rate, ss_cross(swing, ss_sub(B, A)));
    b->velocity = ss_sub(rate, ss_cross(b->spin, ss_sub(B, b->position)));
    joint.name = b->name;
    joint.type = types[type];
    joint.bodies[0] = a->name;
    joint.bodies[1] = b->name;
    ss_v3_to(ss_unrotate(ss_quat_matrix(a->turn), ss_sub(A, a->position)), joint.anchors[0]);
    ss_v3_to(ss_unrotate(ss_quat_matrix(b->turn), ss_sub(B, b->position)), joint.anchors[1]);
    ss_v3_to(ss_unrotate(ss_quat_matrix(a->turn), axis), joint.axis);
    return joint;
}

static void add_body(run *r, int dimension, const thrown *x)
{
    ss_body_desc body = ss_body_desc_default();
    int index = 0;
    body.name = x->name;
    body.type = SS_BODY_RIGID;
    body.mass = x->mass;
    body.angle = dimension == 2 ? ss_quat_log(x->turn).z : 0;
    ss_quat_to(x->turn, body.orientation);
    ss_v3_to(x->position, body.position);
    ss_v3_to(x->velocity, body.velocity);
    ss_v3_to(dimension == 3 ? ss_unrotate(ss_quat_matrix(x->turn), x->spin) : x->spin, body.angular_velocity);
    CHECK_OK(r->ctx, ss_scene_add_body(r->scene, &body, &index));
    CHECK_OK(r->ctx, ss_scene_add_shape(r->scene, index, &x->shape));
}

/* the settings of the theorem: no offsets, a collision law that cannot create energy */
static void empty_scene(uint64_t *seed, run *r, int dimension)
{
    const ss_setting settings[] = { { .key = "stabilise", .text = "off" }, { .key = "restitution", .text = "simplified" } };
    ss_scene_settings scene = ss_scene_settings_default();
    ss_material_desc material = ss_material_desc_default();
    ss_body_desc floor = ss_body_desc_default();
    ss_shape_desc plane = ss_shape_desc_default();
    scene.dimension = dimension;
    scene.gravity[dimension - 1] = -9.81;
    CHECK_OK(r->ctx, ss_scene_create(r->ctx, &scene, &r->scene));
    for (int i = 0; i < 2; i++) {
        CHECK_OK(r->ctx, ss_scene_set_option(r->scene, "scheme", &settings[i]));
    }
    material.name = plane.material = "m";
    material.mu[0] = material.mu[1] = ss_random_uniform(seed);
    material.e = ss_random_uniform(seed);
    CHECK_OK(r->ctx, ss_scene_add_material(r->scene, &material));
    floor.name = "floor";
    floor.type = SS_BODY_FIXED;
    plane.type = "half_space";
    ss_v3_to(dimension == 3 ? ss_v3(0, 0, 1) : ss_v3(0, 1, 0), plane.normal);
    CHECK_OK(r->ctx, ss_scene_add_body(r->scene, &floor, NULL));
    CHECK_OK(r->ctx, ss_scene_add_shape(r->scene, 0, &plane));
}

/* Up to four bodies thrown at each other and at a floor, half of the neighbours joined: chains, so nothing is redundant. */
static run random_system(uint64_t *seed, int dimension)
{
    run r = { .ctx = test_context() };
    thrown body[4];
    ss_joint_desc joint[4];
    int bodies = 1 + (int)(4 * ss_random_uniform(seed)), joints = 0;
    empty_scene(seed, &r, dimension);
    for (int b = 0; b < bodies; b++) {
        body[b] = throw_body(seed, dimension, b);
        if (b > 0 && ss_random_uniform(seed) < 0.5) {
            joint[joints++] = join(seed, dimension, &body[b - 1], &body[b]);
        }
        add_body(&r, dimension, &body[b]);
    }
    for (int j = 0; j < joints; j++) {
        CHECK_OK(r.ctx, ss_scene_add_joint(r.scene, &joint[j], NULL));
    }
    CHECK_OK(r.ctx, ss_model_compile(r.ctx, r.scene, &r.model));
    return r;
}

/* The constants of the proof, with gamma = M^1/2 v and z = |gamma|.
 *
 *   c_1 = |M^-1/2 k_1|: gravity is M g on the linear velocities, so c_1 = g sqrt(sum of masses).
 *   c_4: our linear velocities live in the world, so that the Coriolis force is -w x I w on the spins only. In
 *   principal axes, with y = I^1/2 w,
 *       I^-1/2 (w x I w) = ((I_3 - I_2) y_2 y_3, (I_1 - I_3) y_3 y_1, (I_2 - I_1) y_1 y_2) / sqrt(I_1 I_2 I_3),
 *   whose square is at most (I_max - I_min)^2 / (I_1 I_2 I_3) times y_2^2 y_3^2 + y_3^2 y_1^2 + y_1^2 y_2^2 <= |y|^4 / 3.
 *   Over the bodies sqrt(sum c_b^2 |y_b|^4) <= max c_b z^2: c_4 = max (I_max - I_min) / sqrt(3 I_1 I_2 I_3).
 *   (B.25) then says how small h has to be. */
typedef struct bound {
    double c1, c4, c, z0, T, h;
    int contacts;
} bound;

static double coriolis_constant(const ss_model *m, int body)
{
    const ss_mat3 *I = &m->body_inertia[body];
    double a = I->c[0].x, b = I->c[1].y, c = I->c[2].z;
    if (m->dimension == 2 || m->body_v[body] < 0) {
        return 0;
    }
    CHECK(I->c[0].y == 0 && I->c[0].z == 0 && I->c[1].z == 0); /* balls and boxes: the axes are principal */
    return (fmax(a, fmax(b, c)) - fmin(a, fmin(b, c))) / sqrt(3 * a * b * c);
}

static bound bound_of(const ss_model *m, double T)
{
    bound x = { .T = T };
    double mass = 0;
    for (int b = 0; b < m->bodies; b++) {
        mass += m->body_v[b] >= 0 ? m->body_mass[b] : 0;
        x.c4 = fmax(x.c4, coriolis_constant(m, b));
    }
    x.c1 = 9.81 * sqrt(mass);
    x.c = 2 * fmax(x.c1, x.c4);
    double energy;
    CHECK_OK(NULL, ss_model_kinetic(NULL, m, 0, m->q0, m->v0, &energy));
    x.z0 = sqrt(2 * energy);
    double most = x.c1 + x.c4 * pow(hypot(x.z0, 1) + x.c * T, 2); /* (B.25): h most^2 <= c/2 */
    x.h = T / ceil(T / fmin(T / 5, x.c / (2 * most * most)));
    return x;
}

/* |M^-1/2 b|^2 for the diagonal mass matrix of balls and boxes: twice the right side of (2.22) */
static double free_energy(const ss_problem *p)
{
    double sum = 0;
    for (int k = 0; k < p->scale.blocks; k++) {
        for (int i = 0; i < p->scale.size[k]; i++) {
            double b = p->b[p->scale.offset[k] + i];
            sum += b * b / p->scale.x[p->scale.start[k] + i * p->scale.size[k] + i];
        }
    }
    return sum;
}

/* v' . M v' <= v' . b  with b = M v + h k (2.21), and by Cauchy's inequality <= b . M^-1 b (2.22) */
static ss_status check_energy_inequality(void *user, const ss_sim *sim, int64_t step, const ss_problem *p, const ss_solution *s)
{
    bound *x = user;
    double energy, along = 0, most = free_energy(p);
    (void)step;
    CHECK_OK(NULL, ss_model_kinetic(NULL, ss_sim_model(sim), 0, ss_sim_q(sim), s->v, &energy));
    double ours = 2 * energy;
    for (int i = 0; i < p->nv; i++) {
        along += s->v[i] * p->b[i];
    }
    CHECK(ours <= along + 1e-10 * most); /* the residual that the solver is asked for */
    CHECK(ours <= most * (1 + 1e-10));
    x->contacts += p->nc;
    return SS_OK;
}

/* (B.26) where there is a Coriolis force. Our step turns it into a rotation of gamma (the midpoint rule keeps w . I w),
 * so that (2.22) and the triangle inequality give more, as they do in the plane: z_n <= z_0 + c_1 t_n. */
static ss_status check_bound(void *user, const ss_sim *sim, const ss_step_info *info)
{
    const bound *x = user;
    double z = sqrt(2 * info->kinetic), accuracy = 1 + 1e-10; /* the residual that the solver is asked for */
    (void)sim;
    CHECK(x->c4 == 0 || hypot(z, 1) <= (hypot(x->z0, 1) + x->c * info->t) * accuracy);
    CHECK(z <= (x->z0 + x->c1 * info->t) * accuracy);
    return SS_OK;
}

/* f_c as the model has it does no work and is within c_4 z^2; returns the share of that bound which it reaches */
static double check_coriolis(const ss_model *m, const bound *x)
{
    double k[SS_FORCE_CLASSES * 4 * 6], work = 0, square = 0, *f = k + SS_FORCE_GYROSCOPIC * m->nv;
    ss_frame frame[8];
    ss_vec3 drive[16], drive_rate[16];
    ss_config c = { .frame = frame, .drive = drive, .drive_rate = drive_rate };
    CHECK(m->nv <= 24 && m->bodies <= 7);
    ss_config_set(m, 0, m->q0, &c);
    CHECK_OK(NULL, ss_model_forces(NULL, m, &c, m->v0, k));
    for (int b = 0; b < m->bodies; b++) {
        for (int i = 0; m->body_v[b] >= 0 && i < 3; i++) {
            int row = m->body_v[b] + 3 + i;
            double inertia = i == 0 ? m->body_inertia[b].c[0].x : i == 1 ? m->body_inertia[b].c[1].y : m->body_inertia[b].c[2].z;
            work += f[row] * m->v0[row];
            square += f[row] * f[row] / inertia;
        }
    }
    CHECK_NEAR(work, 0, 1e-13 * sqrt(square) * x->z0); /* round-off of a few dozen products */
    CHECK(sqrt(square) <= x->c4 * x->z0 * x->z0 * (1 + 1e-13));
    return sqrt(square) / (x->c4 * x->z0 * x->z0);
}

/* throw `systems` of them and watch every step; the numbers printed say that the systems are worth it */
static void check_systems(int dimension, int systems, uint64_t seed)
{
    int joined = 0, contacts = 0, impacts = 0, steps = 0;
    double closest = 0;
    for (int k = 0; k < systems; k++) {
        run r = random_system(&seed, dimension);
        bound x = bound_of(r.model, 0.06);
        ss_observer observer = { .user = &x, .on_step = check_bound, .on_problem = check_energy_inequality };
        ss_sim_options options = ss_sim_options_default();
        options.step = x.h;
        CHECK_OK(r.ctx, ss_sim_create(r.ctx, r.model, &options, &r.sim));
        CHECK_OK(r.ctx, ss_sim_observe(r.sim, &observer));
        CHECK_OK(r.ctx, ss_sim_advance(r.sim, x.T));
        CHECK(ss_sim_summary(r.sim)->unconverged_steps == 0);
        closest = dimension == 3 && x.c4 > 0 ? fmax(closest, check_coriolis(r.model, &x)) : closest;
        joined += r.model->joints > 0;
        contacts += x.contacts > 0;
        impacts += ss_sim_summary(r.sim)->events > 0;
        steps += (int)ss_sim_summary(r.sim)->steps;
        leave(&r);
    }
    print_message("%d systems in %dD: %d with joints, %d with contacts, %d with impacts, %d steps\n", systems, dimension, joined,
                  contacts, impacts, steps);
    CHECK(joined > systems / 4 && contacts > systems / 2 && impacts > systems / 4);
    CHECK(dimension == 2 || closest > 0.5); /* c_4 is no idle bound */
}

TEST(velocities_obey_the_bound_of_theorem_5_1_in_3500_random_systems_of_the_plane) { check_systems(2, 3500, 5); }

TEST(velocities_obey_the_bound_of_theorem_5_1_in_1500_random_systems_of_space) { check_systems(3, 1500, 6); }

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(velocities_obey_the_bound_of_theorem_5_1_in_3500_random_systems_of_the_plane),
        cmocka_unit_test(velocities_obey_the_bound_of_theorem_5_1_in_1500_random_systems_of_space),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
