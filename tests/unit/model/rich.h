/* rich.h - one scene with every kind of part, consistent at t = 0, in 2D and 3D. */
#ifndef SS_TEST_RICH_H
#define SS_TEST_RICH_H

#include "build.h"

/* ---- a user block: two coordinates, mass that varies, a potential, one constraint that depends on time ---- */

/* M = [2 + cos q1, 0.3; 0.3, 1.5] */
static inline ss_status block_mass(void *user, double t, const double *q, double *M)
{
    (void)user, (void)t;
    M[0] = 2 + cos(q[1]);
    M[1] = M[2] = 0.3;
    M[3] = 1.5;
    return SS_OK;
}

/* V = q0^2 q1 + sin(q1), k = -dV/dq */
static inline ss_status block_potential(void *user, double t, const double *q, double *energy)
{
    (void)user, (void)t;
    *energy = q[0] * q[0] * q[1] + sin(q[1]);
    return SS_OK;
}

static inline ss_status block_force(void *user, double t, const double *q, const double *v, double *k)
{
    (void)user, (void)t, (void)v;
    k[0] = -2 * q[0] * q[1];
    k[1] = -q[0] * q[0] - cos(q[1]);
    return SS_OK;
}

/* g = q0 q1 - sin(t) q0 */
static inline ss_status block_constraint(void *user, double t, const double *q, double *g, double *G, double *g_t)
{
    (void)user;
    g[0] = q[0] * q[1] - sin(t) * q[0];
    G[0] = q[1] - sin(t);
    G[1] = q[0];
    g_t[0] = -cos(t) * q[0];
    return SS_OK;
}

static inline const ss_block *test_block(void)
{
    static const ss_block block = { .size = sizeof(ss_block),
                                    .n = 2,
                                    .mass = block_mass,
                                    .force = block_force,
                                    .potential = block_potential,
                                    .constraints = 1,
                                    .constraint = block_constraint };
    return &block;
}

/* ---- the scene -------------------------------------------------------------------------------------------- */

static inline void rich_bodies(ss_context *ctx, ss_scene *scene, int dimension)
{
    static const double block_q[2] = { 0.5, 0 }, block_v[2] = { 0.2, 1 };
    ss_body_desc block = standing("block", SS_BODY_BLOCK), arm = standing("arm", SS_BODY_DRIVEN);
    block.block = test_block();
    block.block_q = block_q;
    block.block_v = block_v;
    arm.position[0] = 5;
    arm.motion[1] = "0.5*t^2";
    arm.motion_angle = "t^3";
    for (int k = 0; k < 6; k++) {
        static const char *const names[] = { "b0", "b1", "b2", "b3", "b4", "b5" };
        ss_body_desc d = rigid(names[k], k, 0.25 * k);
        d.angle = dimension == 2 ? 0.3 * k : 0;
        d.orientation[1] = dimension == 3 ? 0.2 * k : 0;
        d.orientation[3] = dimension == 3 ? 0.4 : 0;
        d.inertia[3] = dimension == 3 ? 0.05 : NAN;
        add_body(scene, ctx, d);
    }
    add_body(scene, ctx, particle("p0", 1, -1));
    add_body(scene, ctx, particle("p1", 2, -1));
    add_body(scene, ctx, standing("floor", SS_BODY_FIXED));
    add_body(scene, ctx, arm);
    add_body(scene, ctx, block);
}

static inline void rich_shapes(ss_context *ctx, ss_scene *scene)
{
    ss_material_desc a = ss_material_desc_default(), b = ss_material_desc_default();
    ss_pair_desc pair = ss_pair_desc_default();
    ss_shape_desc floor = ss_shape_desc_default();
    a.name = "steel";
    a.mu[0] = a.mu[1] = 0.3;
    b.name = "ice";
    b.e = 0.5;
    pair.materials[0] = "steel";
    pair.materials[1] = "ice";
    pair.mu[0] = pair.mu[1] = 0.02;
    pair.impact = SS_IMPACT_POISSON;
    CHECK_OK(ctx, ss_scene_add_material(scene, &a));
    CHECK_OK(ctx, ss_scene_add_material(scene, &b));
    CHECK_OK(ctx, ss_scene_add_pair(scene, &pair));
    floor.type = "half_space";
    floor.normal[0] = floor.normal[2] = 0;
    floor.normal[1] = 1;
    floor.offset = -5;
    floor.material = "ice";
    CHECK_OK(ctx, ss_scene_add_shape(scene, 8, &floor));
    for (int k = 0; k < 8; k++) {
        add_sphere(scene, ctx, k, 0.1, k % 2 ? "steel" : NULL);
    }
}

static inline void rich_joints(ss_context *ctx, ss_scene *scene)
{
    ss_joint_desc j[6] = { joint_between("j0", "revolute", "world", "b0"), joint_between("j1", "prismatic", "b0", "b1"),
                           joint_between("j2", "spherical", "b2", "b1"),   joint_between("j3", "weld", "b2", "b3"),
                           joint_between("j4", "distance", "b3", "p0"),    joint_between("j5", "hinge", "arm", "b4") };
    for (int k = 0; k < 6; k++) {
        j[k].axis[0] = 1;
        j[k].axis[1] = k % 2;
        j[k].axis[2] = 0;
        if (k < 3 || k == 5) {
            j[k].at[0] = 0.7 * k;
            j[k].at[1] = 0.1;
            j[k].at[2] = 0;
        }
    }
    j[0].motor.speed = "sin(t)";
    j[1].limits[0] = -0.5;
    j[1].limits[1] = 0.75;
    j[1].motor.force = "2 + t";
    j[1].resistance = (ss_resistance_desc){ 3, 0.2, 0.5, 0.1 };
    j[5].motor.speed = "3";
    j[5].motor.max = 10;
    for (int k = 0; k < 6; k++) {
        add_joint(scene, ctx, j[k]);
    }
}

/* a gear and a rack, of joints that share a body and of one on a driven body; in 3D a screw */
static inline void rich_couplings(ss_context *ctx, ss_scene *scene, int dimension)
{
    ss_joint_desc gear = ss_joint_desc_default(), rack = gear, screw = joint_between("j8", "screw", "world", "b5");
    gear.name = "j6";
    gear.type = "gear";
    gear.gearing = (ss_gearing_desc){ { "j0", "j5" }, -2, NAN, NAN };
    rack.name = "j7";
    rack.type = "rack";
    rack.gearing = (ss_gearing_desc){ { "j0", "j1" }, NAN, 0.3, NAN };
    screw.axis[0] = 1;
    screw.axis[1] = 2;
    screw.axis[2] = 2;
    screw.gearing.pitch = 0.4;
    screw.motor = (ss_motor_desc){ .position = "cos(t)", .stiffness = 2, .damping = 0.3, .max = 100 };
    memcpy(screw.at, (double[3]){ 4, 1, 0.5 }, sizeof screw.at);
    add_joint(scene, ctx, gear);
    add_joint(scene, ctx, rack);
    if (dimension == 3) {
        add_joint(scene, ctx, screw);
    }
}

static inline void rich_forces(ss_context *ctx, ss_scene *scene, int dimension)
{
    static const double t[2] = { 0, 1 }, value[6] = { 1, 2, 0, 3, -1, 0 };
    ss_force_desc f[7] = { force_between("s", "spring", "b0", "b4"),         force_between("d", "damper", "b4", "arm"),
                           force_between("sd", "spring_damper", "p1", "b5"), force_between("c", "constant", "b5", NULL),
                           force_between("w", "sinusoid", "b1", NULL),       force_between("tb", "table", "p1", NULL),
                           force_between("e", "expression", "b3", NULL) };
    f[0].anchors[0][0] = 0.3;
    f[0].anchors[1][1] = -0.2;
    f[0].length = 0.5;
    f[1].anchors[0][1] = 0.4;
    f[2].anchors[1][0] = 0.1;
    f[3].force[0] = f[4].force[1] = 2;
    f[3].point[1] = f[4].point[0] = 0.3;
    f[3].torque[2] = 0.5;
    f[4].torque[0] = dimension == 3 ? 0.5 : 0;
    f[5].table = (ss_table){ 2, t, value, NULL };
    f[6].force_t[0] = "1 + t";
    f[6].torque_t[2] = "cos(t)";
    f[6].point[0] = 0.2;
    for (int k = 0; k < 7; k++) {
        add_force(scene, ctx, f[k]);
    }
}

static inline ss_scene *rich_scene(ss_context *ctx, int dimension)
{
    const ss_setting option = { "directions", 8, NULL };
    ss_scene *scene = new_scene(ctx, dimension);
    rich_bodies(ctx, scene, dimension);
    rich_shapes(ctx, scene);
    rich_joints(ctx, scene);
    rich_couplings(ctx, scene, dimension);
    rich_forces(ctx, scene, dimension);
    CHECK_OK(ctx, ss_scene_set_option(scene, "scheme", &option));
    return scene;
}

#endif
