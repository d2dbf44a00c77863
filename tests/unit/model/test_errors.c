/* test_errors.c - every way a scene can be wrong, once: status, path, what was expected. */
#include "rich.h"

/* a mistake is an edit of the descriptions of a small scene: ball (particle), rod (rigid, with a disk), wall (fixed),
 * crank (driven), joints rod-world and ball-world, a spring, a table, an expression, two materials and a pair */
typedef struct draft {
    ss_scene_settings settings;
    ss_body_desc body[5];
    int bodies;
    ss_shape_desc shape;
    int shape_body;
    ss_material_desc material[2];
    ss_pair_desc pair[2];
    int pairs;
    ss_joint_desc joint[2];
    int joints;
    ss_force_desc force[3];
} draft;

static const double table_t[2] = { 0, 1 }, table_force[6] = { 1, 0, 0, 2, 0, 0 };

static draft good_draft(void)
{
    draft d = { .settings = ss_scene_settings_default(), .bodies = 4, .shape_body = 1, .pairs = 1, .joints = 2 };
    d.body[0] = particle("ball", 0, -1);
    d.body[1] = rigid("rod", 2, 0);
    d.body[2] = standing("wall", SS_BODY_FIXED);
    d.body[3] = standing("crank", SS_BODY_DRIVEN);
    d.body[3].motion[0] = "t";
    d.body[4] = standing("block", SS_BODY_BLOCK);
    d.body[4].block = test_block();
    d.shape = ss_shape_desc_default();
    d.shape.type = "sphere";
    d.shape.radius = 0.5;
    d.shape.material = "steel";
    d.material[0] = d.material[1] = ss_material_desc_default();
    d.material[0].name = "steel";
    d.material[1].name = "ice";
    d.pair[0] = ss_pair_desc_default();
    d.pair[0].materials[0] = "steel";
    d.pair[0].materials[1] = "ice";
    d.pair[1] = d.pair[0];
    d.joint[0] = joint_between("rope", "distance", "world", "ball");
    d.joint[1] = joint_between("hinge", "revolute", "world", "rod");
    d.joint[1].at[0] = 1;
    d.joint[1].at[1] = d.joint[1].at[2] = 0;
    d.joint[1].axis[0] = d.joint[1].axis[1] = 0;
    d.joint[1].axis[2] = 1;
    d.force[0] = force_between("s", "spring", "ball", "rod");
    d.force[1] = force_between("tb", "table", "ball", NULL);
    d.force[1].table = (ss_table){ 2, table_t, table_force, NULL };
    d.force[2] = force_between("e", "expression", "ball", NULL);
    d.force[2].force_t[0] = "t";
    return d;
}

static ss_status compile_draft(ss_context *ctx, const draft *d)
{
    ss_scene *scene = NULL;
    ss_model *model = NULL;
    CHECK_OK(ctx, ss_scene_create(ctx, &d->settings, &scene));
    for (int k = 0; k < d->bodies; k++) {
        add_body(scene, ctx, d->body[k]);
    }
    if (d->bodies > d->shape_body) {
        CHECK_OK(ctx, ss_scene_add_shape(scene, d->shape_body, &d->shape));
    }
    CHECK_OK(ctx, ss_scene_add_material(scene, &d->material[0]));
    CHECK_OK(ctx, ss_scene_add_material(scene, &d->material[1]));
    for (int k = 0; k < d->pairs; k++) {
        CHECK_OK(ctx, ss_scene_add_pair(scene, &d->pair[k]));
    }
    for (int k = 0; k < d->joints; k++) {
        add_joint(scene, ctx, d->joint[k]);
    }
    for (int k = 0; k < 3; k++) {
        add_force(scene, ctx, d->force[k]);
    }
    ss_status status = ss_model_compile(ctx, scene, &model);
    ss_model_destroy(model);
    ss_scene_destroy(scene);
    return status;
}

/* one edit of a good draft in 2D or 3D, and the message it must give */
#define WRONG(dimension_, edit, message)                                                                                         \
    do {                                                                                                                         \
        draft d = good_draft();                                                                                                  \
        d.settings.dimension = (dimension_);                                                                                     \
        CHECK_OK(ctx, compile_draft(ctx, &d));                                                                                   \
        edit;                                                                                                                    \
        CHECK_FAILS(ctx, compile_draft(ctx, &d), SS_ERR_INPUT, message);                                                         \
    } while (0)

TEST(settings_are_checked)
{
    ss_context *ctx = test_context();
    WRONG(2, d.settings.dimension = 4, "dimension: expected 2 or 3, got 4");
    WRONG(2, d.settings.gravity[1] = NAN, "gravity: expected 2 finite numbers, got nan");
    WRONG(2, d.settings.gravity[1] = -1e300, "gravity: expected numbers whose squares are finite, got 0 -1e+300 0");
    WRONG(2, d.settings.gravity[2] = 1, "gravity: expected 2 numbers in 2D, got the third component 1");
    WRONG(2, d.settings.step = 0, "time.step: expected a number > 0, got 0");
    WRONG(2, d.settings.until = -1, "time.until: expected a number > 0, got -1");
    WRONG(2, d.settings.tol = INFINITY, "time.tol: expected a number > 0, got inf");
    WRONG(2, d.settings.solver_tol = NAN, "solver.tol: expected a number > 0, got nan");
    WRONG(2, d.settings.length_scale = 0, "length_scale: expected a number > 0, got 0");
    WRONG(3, d.settings.friction_frame[0] = 0, "friction_frame: expected 4 numbers w x y z, not all zero");
    ss_context_destroy(ctx);
}

TEST(names_are_checked)
{
    ss_context *ctx = test_context();
    WRONG(2, d.body[1].name = "ball", "bodies.1.name: \"ball\" is taken by bodies.0");
    WRONG(2, d.body[1].name = "world", "bodies.1.name: \"world\" is the fixed frame");
    WRONG(2, d.body[1].name = "", "bodies.1.name: expected a name, got an empty one");
    WRONG(2, d.body[1].name = "17", "bodies.1.name: expected a name that is not a number, got \"17\"");
    WRONG(2, d.material[1].name = "steel", "materials.1.name: \"steel\" is taken by materials.0");
    WRONG(2, d.material[1].name = NULL, "materials.1.name: missing, expected a name");
    WRONG(2, d.joint[1].name = "rope", "joints.1.name: \"rope\" is taken by joints.0");
    WRONG(2, d.force[2].name = "s", "forces.2.name: \"s\" is taken by forces.0");
    ss_context_destroy(ctx);
}

TEST(bodies_are_checked)
{
    ss_context *ctx = test_context();
    WRONG(2, d.body[0].mass = -1, "bodies.ball.mass: expected a number >= 0, got -1");
    WRONG(2, d.body[0].mass = NAN, "bodies.ball.mass: missing, expected a number >= 0");
    WRONG(2, d.body[0].mass = INFINITY, "bodies.ball.mass: expected a number >= 0, got inf");
    WRONG(2, d.body[0].position[1] = NAN, "bodies.ball.position: missing, expected 2 finite numbers");
    WRONG(2, d.body[0].position[2] = 1, "bodies.ball.position: expected no third component in 2D, got 1");
    WRONG(3, d.body[0].velocity[2] = INFINITY, "bodies.ball.velocity: expected 3 finite numbers, got inf");
    WRONG(2, d.body[1].angle = NAN, "bodies.rod.angle: expected a finite number, got nan");
    WRONG(2, d.body[1].angular_velocity[0] = 1, "bodies.rod.angular_velocity: expected a turn about z only in 2D, got 1");
    WRONG(3, d.body[1].angular_velocity[0] = NAN, "bodies.rod.angular_velocity: expected 3 finite numbers, got nan");
    WRONG(3, d.body[1].orientation[0] = 0, "bodies.rod.orientation: expected 4 numbers w x y z, not all zero, got 0");
    WRONG(2, d.body[1].mass = NAN, "bodies.rod.mass: missing, expected a number >= 0, or a density");
    WRONG(2, d.body[2].velocity[0] = 1, "bodies.wall.velocity: a fixed body has none of its own");
    WRONG(2, d.body[3].motion[0] = "1/t", "bodies.crank.position: \"1/t\" is inf at t = 0");
    WRONG(2, d.body[3].motion[2] = "t", "bodies.crank.position: expected 2 expressions in 2D");
    WRONG(2, d.body[3].motion_angle = "sin(", "bodies.crank.angle: ");
    WRONG(3, d.body[3].motion_axis[2] = 0, "bodies.crank.axis: expected 3 numbers, not all zero");
    WRONG(2, d.body[0].type = (ss_body_type)9,
          "bodies.ball.type: expected particle, rigid, fixed, driven or block, got number 9");
    ss_context_destroy(ctx);
}

TEST(inertias_are_checked)
{
    ss_context *ctx = test_context();
    WRONG(2, d.body[1].inertia[2] = -1, "bodies.rod.inertia: expected a number >= 0, got -1");
    WRONG(3, (d.body[1].inertia[0] = 0, d.body[1].inertia[3] = 0.1), "bodies.rod.inertia: expected a positive definite tensor");
    WRONG(3, d.body[1].inertia[0] = 0, "bodies.rod.inertia: no body has moments 0, ");
    WRONG(3, d.body[1].inertia[3] = 0.9, "bodies.rod.inertia: expected a positive definite tensor");
    WRONG(3, d.body[1].inertia[1] = NAN, "bodies.rod.inertia: expected 3 or 6 finite numbers, got nan");
    WRONG(3, d.body[1].inertia[2] = 1.2, "bodies.rod.inertia: no body has moments 0.5, 0.6, 1.2");
    WRONG(2, d.body[1].density = 1, "bodies.rod.density: expected either density, or mass and inertia, got both");
    WRONG(2, (d.body[1].mass = d.body[1].inertia[2] = NAN, d.body[1].density = -1),
          "bodies.rod.density: expected a number > 0, got -1");
    WRONG(2, (d.body[1].inertia[2] = NAN, d.shape_body = 0), "bodies.rod.inertia: no shape of the body has a volume");
    WRONG(2, (d.body[1].mass = d.body[1].inertia[2] = NAN, d.body[1].density = 1, d.shape.position[0] = 0.25),
          "bodies.rod.density: the shapes' centre of mass is at (0.25, 0, 0), expected the body's origin");
    ss_context_destroy(ctx);
}

static ss_status indefinite_mass(void *user, double t, const double *q, double *M)
{
    (void)user, (void)t, (void)q;
    M[0] = M[3] = 1;
    M[1] = M[2] = 2;
    return SS_OK;
}

static ss_status lopsided_mass(void *user, double t, const double *q, double *M)
{
    (void)user, (void)t, (void)q;
    M[0] = M[3] = 1;
    M[1] = 0.5;
    M[2] = 0;
    return SS_OK;
}

static ss_status flat_gap(void *user, double t, const double *q, double *gap, double *H, double *gap_t)
{
    (void)user, (void)t, (void)q, (void)H, (void)gap_t;
    gap[0] = 1;
    return SS_OK;
}

/* 1e-12 of the sum of two diagonal entries is round-off */
static ss_status barely_lopsided_mass(void *user, double t, const double *q, double *M)
{
    lopsided_mass(user, t, q, M);
    M[1] = 1e-11;
    return SS_OK;
}

static ss_status symmetric_mass(void *user, double t, const double *q, double *M)
{
    lopsided_mass(user, t, q, M);
    M[1] = 1e-13;
    return SS_OK;
}

TEST(a_mass_is_symmetric_up_to_round_off)
{
    ss_context *ctx = test_context();
    ss_block barely = *test_block(), rounded = barely;
    draft d = good_draft();
    barely.mass = barely_lopsided_mass;
    rounded.mass = symmetric_mass;
    d.bodies = 5;
    d.body[4].block = &rounded;
    CHECK_OK(ctx, compile_draft(ctx, &d));
    d.body[4].block = &barely;
    CHECK_FAILS(ctx, compile_draft(ctx, &d), SS_ERR_INPUT, "expected a symmetric matrix");
    ss_context_destroy(ctx);
}

TEST(blocks_are_checked)
{
    ss_context *ctx = test_context();
    const ss_block good = *test_block();
    ss_block none = good, indefinite = good, lopsided = good, mute = good, deaf = good, bouncy = good, smooth = good;
    ss_block sticky = good, slow = good, flat = good;
    const double bad[2] = { 0, NAN };
    none.mass = NULL;
    indefinite.mass = indefinite_mass;
    lopsided.mass = lopsided_mass;
    mute.constraint = NULL;
    deaf.gaps = 2;
    bouncy.e = 1.5;
    smooth.mu = -1;
    sticky.mu = 0.5;
    sticky.gaps = 1;
    sticky.gap = flat_gap;
    slow.time = -1;
    flat.unit = (const double[]){ 1, 0 };
    WRONG(2, (d.bodies = 5, d.body[4].block = NULL), "bodies.block.block: expected callbacks with a mass and n from 1 to 30000");
    WRONG(2, (d.bodies = 5, d.body[4].block = &none), "bodies.block.block: expected callbacks with a mass");
    WRONG(2, (d.bodies = 5, d.body[4].block = &indefinite),
          "bodies.block.block.mass: expected a positive definite matrix, but for rows of zeros");
    WRONG(2, (d.bodies = 5, d.body[4].block = &lopsided), "bodies.block.block.mass: entry (0, 1) is 0.5, (1, 0) is 0");
    WRONG(2, (d.bodies = 5, d.body[4].block = &mute), "bodies.block.block: 1 constraints without a callback");
    WRONG(2, (d.bodies = 5, d.body[4].block = &deaf), "bodies.block.block: 2 gaps without a callback");
    WRONG(2, (d.bodies = 5, d.body[4].block = &bouncy), "bodies.block.block.e: expected a number in [0, 1], got 1.5");
    WRONG(2, (d.bodies = 5, d.body[4].block = &smooth), "bodies.block.block.mu: expected a number >= 0, got -1");
    WRONG(2, (d.bodies = 5, d.body[4].block = &sticky), "bodies.block.block: mu = 0.5 without a callback for the tangents");
    WRONG(2, (d.bodies = 5, d.body[4].block = &slow), "bodies.block.block.time: expected a number > 0, or 0 for none, got -1");
    WRONG(2, (d.bodies = 5, d.body[4].block = &flat), "bodies.block.block.unit: expected numbers > 0, got 0");
    WRONG(2, (d.bodies = 5, d.body[4].block_q = bad), "bodies.block.block: initial value 1 is not finite");
    WRONG(2, (d.bodies = 5, d.shape_body = 4), "bodies.block.shapes.0: a block has no frame");
    WRONG(2, (d.bodies = 5, d.joint[0].bodies[1] = "block"), "joints.rope.bodies: \"block\" is a block");
    WRONG(2, (d.bodies = 5, d.force[0].bodies[1] = "block"), "forces.s.bodies: \"block\" is a block");
    ss_context_destroy(ctx);
}

TEST(materials_and_shapes_are_checked)
{
    ss_context *ctx = test_context();
    WRONG(2, d.material[0].mu[0] = d.material[0].mu[1] = -0.1, "materials.steel.mu: expected numbers >= 0, got -0.1");
    WRONG(2, (d.material[0].mu[0] = 0.1, d.material[0].mu[1] = 0.2), "materials.steel.mu: expected one number");
    WRONG(2, d.material[0].e = 1.5, "materials.steel.e: expected a number in [0, 1], got 1.5");
    WRONG(3, d.material[0].grain[0] = 0, "materials.steel.grain: expected 3 numbers, not all zero");
    WRONG(2, d.pair[0].e = -1, "pairs.0.e: expected a number in [0, 1], got -1");
    WRONG(2, d.pair[0].impact = 7, "pairs.0.impact: expected one of unset|newton|poisson, got number 7");
    WRONG(2, d.pair[0].materials[1] = "icy", "pairs.0.materials: no material is called \"icy\"; the nearest is \"ice\"");
    WRONG(2, d.pair[0].materials[1] = NULL, "pairs.0.materials: missing, expected the name of a material");
    WRONG(2, d.pairs = 2, "pairs.1.materials: the pair \"steel\", \"ice\" has an entry already");
    WRONG(3, (d.pairs = 0, d.material[0].mu[0] = d.material[1].mu[0] = 0.1, d.material[0].mu[1] = d.material[1].mu[1] = 0.2),
          "materials.ice.grain: \"steel\" has a grain too; give the two an entry in pairs");
    WRONG(2, d.shape.material = "steal",
          "bodies.rod.shapes.0.material: no material is called \"steal\"; the nearest is \"steel\"");
    WRONG(2, d.shape.type = "spere", "bodies.rod.shapes.0.type: no shape is called \"spere\"; the nearest is \"sphere\"");
    WRONG(2, d.shape.type = NULL, "bodies.rod.shapes.0.type: no shape is called \"\"");
    WRONG(2, d.shape.radius = -1, "bodies.rod.shapes.0.radius: expected a number > 0, got -1");
    WRONG(2, (d.shape.type = "box", d.shape.size[0] = 0, d.shape.size[1] = 1),
          "bodies.rod.shapes.0.size: expected 2 numbers > 0, got 0");
    ss_context_destroy(ctx);
}

TEST(joints_are_checked)
{
    ss_context *ctx = test_context();
    WRONG(2, d.joint[0].type = "dstance", "joints.rope.type: no joint is called \"dstance\"; the nearest is \"distance\"");
    WRONG(2, d.joint[0].bodies[1] = "bal", "joints.rope.bodies: no body is called \"bal\"; the nearest is \"ball\"");
    WRONG(2, d.joint[0].bodies[1] = NULL, "joints.rope.bodies: missing, expected the name of a body");
    WRONG(2, d.joint[0].bodies[0] = "ball", "joints.rope.bodies: a joint needs two different bodies");
    WRONG(2, d.joint[0].bodies[1] = "wall", "joints.rope.bodies: neither body can move freely");
    WRONG(2, d.joint[0].length = 0, "joints.rope.length: expected a number > 0, got 0");
    WRONG(2, d.joint[0].length = 1.5, "joints.rope: positions violate the joint by -0.416667 at t = 0");
    WRONG(2, d.joint[0].anchors[1][0] = 0.1,
          "joints.rope.anchors: \"ball\" is a particle and is held at its position; the anchor is 0.1 m off");
    WRONG(2, d.joint[0].anchors[0][1] = -1, "joints.rope.length: the anchors coincide");
    WRONG(2, d.body[0].velocity[1] = 2, "joints.rope: velocities violate the joint by -2 at t = 0 (limit 2e-08)");
    WRONG(2, (d.joint[0].length = 1, d.joint[0].limits[1] = 2), "joints.rope.length: a distance that is held cannot have limits");
    WRONG(2, d.joint[0].limits[1] = -1, "joints.rope.limits: a distance is never below 0");
    WRONG(2, d.joint[0].limits[1] = 0.5, "joints.rope.limits: the joint starts at 1, outside [-inf, 0.5]");
    WRONG(2, (d.joint[1].limits[0] = 0.2, d.joint[1].limits[1] = 0.1),
          "joints.hinge.limits: expected [lo, hi] with lo < hi, got [0.2, 0.1]");
    WRONG(2, d.joint[1].limits[0] = 0.2, "joints.hinge.limits: the joint starts at 0, outside [0.2, inf]");
    WRONG(2, (d.joint[1].limits[1] = 9, d.joint[1].start = 10), "joints.hinge.limits: the joint starts at 10, outside [-inf, 9]");
    WRONG(3, (d.joint[1].limits[0] = -9, d.joint[1].start = -10),
          "joints.hinge.limits: the joint starts at -10, outside [-9, inf]");
    WRONG(2, d.joint[1].start = NAN, "joints.hinge.start: expected a finite number, got nan");
    WRONG(2, d.joint[1].restitution = 0.5, "joints.hinge.restitution: it is that of limits, but no limits are given");
    WRONG(2, d.joint[1].resistance.rest = 0, "joints.hinge.rest: it is that of a spring, but no stiffness > 0 is given");
    WRONG(2, (d.joint[1].limits[1] = 1, d.joint[1].restitution = 1.5),
          "joints.hinge.restitution: expected a number in [0, 1], got 1.5");
    WRONG(2, d.joint[1].limits[1] = NAN, "joints.hinge.limits: expected [lo, hi] with lo < hi, got [-inf, nan]");
    WRONG(3, d.joint[1].axis[2] = 0, "joints.hinge.axis: expected 3 numbers, not all zero");
    WRONG(3, d.joint[1].axis[0] = NAN, "joints.hinge.axis: missing, expected 3 numbers, not all zero");
    WRONG(2, d.joint[1].anchors[0][0] = 1, "joints.hinge.at: expected either at or anchors, got both");
    WRONG(2, d.joint[1].at[0] = INFINITY, "joints.hinge.at: expected 2 finite numbers, got inf");
    WRONG(2, (d.joint[1].type = "weld", d.joint[1].bodies[1] = "ball"),
          "joints.hinge.bodies: \"ball\" is a particle, which cannot turn");
    WRONG(3, d.joint[1].bodies[1] = "ball",
          "joints.hinge.bodies: \"ball\" is a particle, which cannot turn; a revolute joint needs rigid");
    WRONG(2, (d.joint[1].at[0] = 0, d.joint[1].at[1] = -1, d.joint[1].bodies[1] = "ball", d.joint[1].limits[0] = -1),
          "joints.hinge.limits: \"ball\" is a particle, which has no angle");
    WRONG(2, (d.joint[1].at[0] = d.joint[1].at[1] = NAN, d.joint[1].type = "ball"),
          "joints.hinge: positions violate the joint by 2 at t = 0");
    ss_context_destroy(ctx);
}

TEST(motors_are_checked)
{
    ss_context *ctx = test_context();
    WRONG(2, (d.joint[1].motor.speed = "0", d.joint[1].motor.force = "1"),
          "joints.hinge.motor: expected one of speed, force and position, got 2 of them");
    WRONG(2, d.joint[1].motor.speed = "2 +", "joints.hinge.motor.speed: ");
    WRONG(2, d.joint[1].motor.speed = "2", "joints.hinge.motor: velocities violate the motor by -2: it asks for 2 at t = 0");
    WRONG(2, (d.joint[1].motor.speed = "2", d.joint[1].motor.max = 0), "joints.hinge.motor.max: expected a number > 0, got 0");
    WRONG(2, d.joint[1].motor.max = 3,
          "joints.hinge.motor.max: bounds the force that holds a speed or a position, but neither is given");
    WRONG(2, (d.joint[1].type = "spherical", d.joint[1].motor.force = "1"),
          "joints.hinge.motor: a spherical joint has no coordinate for it");
    ss_context_destroy(ctx);
}

/* 5 rad/s from t = 3 s on; at t = 0 it asks for 3e-78 rad/s, and nothing else moves that this could be compared with */
TEST(servos_and_resistances_are_checked)
{
    ss_context *ctx = test_context();
    WRONG(2, d.joint[1].motor.position = "1", "joints.hinge.motor.position: a position is held with a stiffness > 0, got 0");
    WRONG(2, (d.joint[1].motor.speed = "0", d.joint[1].motor.stiffness = 2),
          "joints.hinge.motor.stiffness: it is that of a position, but no position is given");
    WRONG(2, (d.joint[1].motor.force = "0", d.joint[1].motor.damping = 2),
          "joints.hinge.motor.damping: it is that of a position or a speed, but neither is given");
    WRONG(2, (d.joint[1].motor.position = "0", d.joint[1].motor.stiffness = NAN),
          "joints.hinge.motor: expected stiffness and damping >= 0, got nan and 0");
    WRONG(2, d.joint[1].resistance.damping = -1, "joints.hinge.damping: expected a number >= 0, got -1");
    WRONG(2, d.joint[1].resistance.friction = INFINITY, "joints.hinge.friction: expected a number >= 0, got inf");
    WRONG(2, (d.joint[1].type = "spherical", d.joint[1].resistance.friction = 1),
          "joints.hinge.friction: a spherical joint has no coordinate for it");
    ss_context_destroy(ctx);
}

static void make_gear(draft *d, const char *first, const char *second)
{
    d->joint[0] = joint_between("mesh", "gear", NULL, NULL);
    d->joint[0].gearing = (ss_gearing_desc){ { first, second }, 2, NAN, NAN };
}

TEST(couplings_are_checked)
{
    ss_context *ctx = test_context();
    WRONG(2, make_gear(&d, "hinge", "hings"), "joints.mesh.joints: no joint is called \"hings\"");
    WRONG(2, make_gear(&d, "hinge", "hinge"), "joints.mesh.joints: expected two different joints, got \"hinge\" twice");
    WRONG(2, make_gear(&d, "hinge", "mesh"), "joints.mesh.joints: expected a joint with an angle, got \"mesh\", a gear joint");
    WRONG(2, (make_gear(&d, "hinge", "mesh"), d.joint[0].gearing.ratio = 0), "joints.mesh.ratio: expected a number other than 0");
    WRONG(2, (make_gear(&d, "hinge", "mesh"), d.joint[0].gearing.ratio = NAN), "joints.mesh.ratio: missing");
    WRONG(
        2,
        (make_gear(&d, "hinge", "mesh"), d.joint[0].type = "rack", d.joint[0].gearing.ratio = NAN, d.joint[0].gearing.radius = 1),
        "joints.mesh.joints: expected a joint with a displacement, got \"mesh\", a rack joint");
    WRONG(3, (d.joint[1].type = "universal", memcpy(d.joint[1].second_axis, (double[3]){ 0, 1, 1 }, 24)),
          "joints.hinge.second_axis: expected a right angle to axis, got a cosine of 0.70");
    WRONG(3, d.joint[1].type = "screw", "joints.hinge.pitch: missing");
    WRONG(2, d.joint[1].type = "screw", "joints.hinge.type: screw is not available in 2D scenes");
    ss_context_destroy(ctx);
}

TEST(a_motor_that_starts_smoothly_is_taken_by_a_scene_at_rest)
{
    ss_context *ctx = test_context();
    draft d = good_draft();
    d.settings.dimension = 2;
    d.settings.until = 6;
    d.body[3].motion[0] = "0";
    d.joint[1].motor.speed = "5/(1+exp(-60*(t-3)))";
    CHECK_OK(ctx, compile_draft(ctx, &d));
    d.joint[1].motor.speed = "1e-6"; /* the rod covers 6e-6 of its length in the run */
    CHECK(compile_draft(ctx, &d) == SS_ERR_INPUT);
    ss_context_destroy(ctx);
}

TEST(forces_are_checked)
{
    ss_context *ctx = test_context();
    const double backwards[2] = { 1, 0 }, broken[6] = { 0, NAN, 0, 0, 0, 0 };
    WRONG(2, d.force[0].type = "sprin", "forces.s.type: no force is called \"sprin\"; the nearest is \"spring\"");
    WRONG(2, d.force[0].stiffness = INFINITY, "forces.s.stiffness: expected a finite number, got inf");
    WRONG(2, d.force[0].stiffness = NAN, "forces.s.stiffness: missing, expected a finite number");
    WRONG(2, d.force[0].bodies[0] = "rod", "forces.s.bodies: expected two different bodies");
    WRONG(2, (d.force[0].bodies[0] = "wall", d.force[0].bodies[1] = "world"),
          "forces.s.bodies: nothing it acts on can move freely");
    WRONG(2, d.force[0].anchors[0][0] = 1, "forces.s.anchors: \"ball\" is a particle: the force acts at its position");
    WRONG(2, d.force[1].body = "world", "forces.tb.body: the world cannot be pushed");
    WRONG(2, d.force[1].body = "wals", "forces.tb.body: no body is called \"wals\"; the nearest is \"wall\"");
    WRONG(2, d.force[1].body = "wall", "forces.tb.body: nothing it acts on can move freely");
    WRONG(2, d.force[1].point[0] = 1, "forces.tb.point: \"ball\" is a particle");
    WRONG(2, d.force[1].table.rows = 0, "forces.tb.table: expected at least one row");
    WRONG(2, d.force[1].table.t = backwards, "forces.tb.table.t: expected increasing times, got 0 after 1");
    WRONG(2, d.force[1].table.force = broken, "forces.tb.table.force: entry 1 is nan, expected a finite number");
    WRONG(2, d.force[1].table.torque = table_force, "forces.tb.torque: \"ball\" is a particle, which cannot turn");
    WRONG(2, d.force[2].force_t[0] = "t/", "forces.e.force: ");
    WRONG(2, d.force[2].force_t[0] = "log(t)", "forces.e.force: \"log(t)\" is -inf at t = 0");
    WRONG(2, d.force[2].force_t[2] = "1", "forces.e.force: expected 2 expressions in 2D");
    WRONG(2, d.force[2].torque_t[2] = "1", "forces.e.torque: \"ball\" is a particle, which cannot turn");
    ss_context_destroy(ctx);
}

TEST(a_scene_that_cannot_move_is_refused)
{
    ss_context *ctx = test_context();
    ss_scene *scene = new_scene(ctx, 2);
    ss_model *m = NULL;
    CHECK_FAILS(ctx, ss_model_compile(ctx, scene, &m), SS_ERR_INPUT, "a scene needs at least one particle, rigid body or block");
    add_body(scene, ctx, standing("wall", SS_BODY_FIXED));
    CHECK_FAILS(ctx, ss_model_compile(ctx, scene, &m), SS_ERR_INPUT, "a scene needs at least one particle, rigid body or block");
    CHECK(m == NULL);
    ss_scene_destroy(scene);
    ss_context_destroy(ctx);
}

TEST(calls_on_a_scene_are_checked)
{
    ss_context *ctx = test_context();
    ss_scene *scene = new_scene(ctx, 2);
    const ss_shape_desc shape = ss_shape_desc_default();
    const ss_setting good = { "tol", 1, NULL }, nameless = { NULL, 1, NULL };
    CHECK_FAILS(ctx, ss_scene_add_shape(scene, 3, &shape), SS_ERR_INPUT, "shape of body 3: expected a body from 0 to -1");
    CHECK_FAILS(ctx, ss_scene_set_option(scene, "slover", &good), SS_ERR_INPUT,
                "section \"slover\": expected scheme, solver or exact");
    CHECK_FAILS(ctx, ss_scene_set_option(scene, "solver", &nameless), SS_ERR_INPUT, "solver: an option needs a name");
    ss_scene_destroy(scene);
    ss_scene_destroy(NULL);
    ss_model_destroy(NULL);
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settings_are_checked),
        cmocka_unit_test(names_are_checked),
        cmocka_unit_test(bodies_are_checked),
        cmocka_unit_test(inertias_are_checked),
        cmocka_unit_test(blocks_are_checked),
        cmocka_unit_test(materials_and_shapes_are_checked),
        cmocka_unit_test(joints_are_checked),
        cmocka_unit_test(motors_are_checked),
        cmocka_unit_test(servos_and_resistances_are_checked),
        cmocka_unit_test(couplings_are_checked),
        cmocka_unit_test(a_motor_that_starts_smoothly_is_taken_by_a_scene_at_rest),
        cmocka_unit_test(forces_are_checked),
        cmocka_unit_test(a_scene_that_cannot_move_is_refused),
        cmocka_unit_test(calls_on_a_scene_are_checked),
        cmocka_unit_test(a_mass_is_symmetric_up_to_round_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
