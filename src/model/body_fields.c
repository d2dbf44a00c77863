/* body_fields.c - the keys of bodies by type, of materials and of pairs, as tables; and the defaults of
 * every description. Joints and forces keep their tables in their own files. */
#include "base/tolerances.h"
#include "model/fields.h"
#include <math.h>

#define TYPES "particle|rigid|fixed|driven|block"

#define BODY_NAME SS_PART_FIELD(ss_body_desc, "name", SS_FIELD_NAME, name, 0, "how joints, results and messages call it")
#define BODY_TYPE                                                                                                                \
    {                                                                                                                            \
        .name = "type", .type = SS_FIELD_CHOICE, .offset = offsetof(ss_body_desc, type), .choices = TYPES, .doc = "kind of body" \
    }
#define BODY_POSITION(flags_)                                                                                                    \
    SS_PART_FIELD(ss_body_desc, "position", SS_FIELD_VECTOR, position, flags_, "m, world; the centre of mass")
#define BODY_ANGLE SS_PART_NUMBER(ss_body_desc, "angle", angle, 0, -INFINITY, INFINITY, SS_FIELD_ONLY_2D, "rad")
#define BODY_ORIENTATION                                                                                                         \
    SS_PART_FIELD(ss_body_desc, "orientation", SS_FIELD_QUATERNION, orientation, SS_FIELD_ONLY_3D,                               \
                  "quaternion w x y z, body to world")
#define BODY_VELOCITY SS_PART_FIELD(ss_body_desc, "velocity", SS_FIELD_VECTOR, velocity, 0, "m/s, world")

#define MASSLESS "0: none, where joints hold the body and the scheme takes it"

static const ss_field particle_fields[] = {
    BODY_NAME,
    BODY_TYPE,
    SS_PART_NUMBER(ss_body_desc, "mass", mass, NAN, 0, INFINITY, SS_FIELD_REQUIRED, "kg; " MASSLESS),
    BODY_POSITION(SS_FIELD_REQUIRED),
    BODY_VELOCITY,
    SS_FIELD_END,
};

static const ss_field rigid_fields[] = {
    BODY_NAME,
    BODY_TYPE,
    SS_PART_NUMBER(ss_body_desc, "mass", mass, NAN, 0, INFINITY, 0, "kg; absent: from density; " MASSLESS),
    { .name = "inertia",
      .type = SS_FIELD_INERTIA,
      .offset = offsetof(ss_body_desc, inertia),
      .def = NAN,
      .doc = "kg m^2 about the centre of mass, body frame: a number (2D), xx yy zz [xy xz yz] (3D); absent: from the "
             "shapes; " MASSLESS },
    SS_PART_NUMBER(ss_body_desc, "density", density, NAN, 0, INFINITY, SS_FIELD_OPEN_MIN,
                   "kg/m^3 (2D kg/m^2) of its shapes, instead of mass and inertia"),
    BODY_POSITION(0),
    BODY_ANGLE,
    BODY_ORIENTATION,
    BODY_VELOCITY,
    SS_PART_FIELD(ss_body_desc, "angular_velocity", SS_FIELD_SPIN, angular_velocity, 0, "rad/s; 3D in the body frame"),
    SS_FIELD_END,
};

static const ss_field fixed_fields[] = {
    BODY_NAME, BODY_TYPE, BODY_POSITION(0), BODY_ANGLE, BODY_ORIENTATION, SS_FIELD_END,
};

static const ss_field driven_fields[] = {
    BODY_NAME,
    BODY_TYPE,
    SS_PART_FIELD(ss_body_desc, "position", SS_FIELD_VECTOR_T, motion, 0, "m, world, as expressions in t"),
    SS_PART_FIELD(ss_body_desc, "angle", SS_FIELD_EXPR_T, motion_angle, 0, "rad about the axis, as an expression in t"),
    SS_PART_FIELD(ss_body_desc, "axis", SS_FIELD_DIRECTION, motion_axis, SS_FIELD_ONLY_3D, "axis of the angle, world"),
    BODY_ORIENTATION,
    SS_FIELD_END,
};

/* described by callbacks, so nothing else can be written in a file */
static const ss_field block_fields[] = {
    BODY_NAME,
    BODY_TYPE,
    SS_FIELD_END,
};

static const ss_field material_fields[] = {
    SS_PART_FIELD(ss_material_desc, "name", SS_FIELD_NAME, name, SS_FIELD_REQUIRED, "how shapes and pairs call it"),
    { .name = "mu",
      .type = SS_FIELD_MU,
      .offset = offsetof(ss_material_desc, mu),
      .def = NAN,
      .doc = "friction; a pair has the geometric mean; absent: the partner's" },
    SS_PART_NUMBER(ss_material_desc, "e", e, NAN, 0, 1, 0, "restitution; a pair has the smaller one; absent: the partner's"),
    SS_PART_FIELD(ss_material_desc, "grain", SS_FIELD_DIRECTION, grain, SS_FIELD_ONLY_3D,
                  "direction of the first mu, body frame"),
    SS_PART_NUMBER(ss_material_desc, "rolling_friction", rolling_friction, NAN, 0, INFINITY, 0,
                   "m: times the normal force it bounds the moment against rolling; a pair has the geometric mean; absent: the "
                   "partner's"),
    SS_PART_NUMBER(ss_material_desc, "spinning_friction", spinning_friction, NAN, 0, INFINITY, SS_FIELD_ONLY_3D,
                   "m: times the normal force it bounds the moment about the normal; a pair has the geometric mean; absent: the "
                   "partner's"),
    SS_FIELD_END,
};

static const ss_field pair_fields[] = {
    SS_PART_FIELD(ss_pair_desc, "materials", SS_FIELD_NAMES, materials, SS_FIELD_REQUIRED, "the two materials"),
    { .name = "mu",
      .type = SS_FIELD_MU,
      .offset = offsetof(ss_pair_desc, mu),
      .def = NAN,
      .doc = "friction of the pair; absent: from the materials" },
    SS_PART_NUMBER(ss_pair_desc, "e", e, NAN, 0, 1, 0, "restitution of the pair; absent: from the materials"),
    SS_PART_FIELD(ss_pair_desc, "grain", SS_FIELD_DIRECTION, grain, SS_FIELD_ONLY_3D,
                  "direction of the first mu, frame of the first material's body"),
    { .name = "impact",
      .type = SS_FIELD_CHOICE,
      .offset = offsetof(ss_pair_desc, impact),
      .choices = "unset|newton|poisson",
      .doc = "impact law; unset: the scheme's own" },
    SS_PART_NUMBER(ss_pair_desc, "rolling_friction", rolling_friction, NAN, 0, INFINITY, 0,
                   "m: rolling friction of the pair; absent: from the materials"),
    SS_PART_NUMBER(ss_pair_desc, "spinning_friction", spinning_friction, NAN, 0, INFINITY, SS_FIELD_ONLY_3D,
                   "m: spinning friction of the pair; absent: from the materials"),
    SS_FIELD_END,
};

const ss_field *ss_body_fields(ss_body_type type)
{
    static const ss_field *const tables[] = { particle_fields, rigid_fields, fixed_fields, driven_fields, block_fields };
    return tables[type];
}

const char *ss_body_type_name(ss_body_type type)
{
    static const char *const names[] = { "particle", "rigid", "fixed", "driven", "block" };
    return names[type];
}

const ss_field *ss_material_fields(void) { return material_fields; }

const ss_field *ss_pair_fields(void) { return pair_fields; }

/* ---- defaults -------------------------------------------------------------------------------------- */

ss_scene_settings ss_scene_settings_default(void)
{
    return (ss_scene_settings){ .dimension = 2,
                                .until = NAN,
                                .step = NAN,
                                .tol = NAN,
                                .h_min = NAN,
                                .h_max = NAN,
                                .variable_order = true,
                                .solver_tol = SS_TOL_SOLVER,
                                .friction_frame = { 1, 0, 0, 0 },
                                .length_scale = NAN,
                                .results = { .contacts = true } };
}

ss_body_desc ss_body_desc_default(void)
{
    return (ss_body_desc){ .type = SS_BODY_PARTICLE,
                           .mass = NAN,
                           .inertia = { NAN, NAN, NAN, NAN, NAN, NAN },
                           .density = NAN,
                           .orientation = { 1, 0, 0, 0 },
                           .motion_axis = { 0, 0, 1 } };
}

ss_block ss_block_default(void) { return (ss_block){ .size = sizeof(ss_block) }; }

#define NO_NUMBERS                                                                                                               \
    {                                                                                                                            \
        NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN                                                                                   \
    }
_Static_assert(SS_OWN_NUMBERS == 8, "NO_NUMBERS has as many");

ss_shape_desc ss_shape_desc_default(void)
{
    return (ss_shape_desc){ .orientation = { 1, 0, 0, 0 },
                            .radius = NAN,
                            .length = NAN,
                            .size = { NAN, NAN, NAN },
                            .normal = { NAN, NAN, 0 },
                            .spacing = NAN,
                            .number = NO_NUMBERS };
}

ss_material_desc ss_material_desc_default(void)
{
    return (ss_material_desc){
        .mu = { NAN, NAN }, .e = NAN, .grain = { 1, 0, 0 }, .rolling_friction = NAN, .spinning_friction = NAN
    };
}

ss_pair_desc ss_pair_desc_default(void)
{
    return (
        ss_pair_desc){ .mu = { NAN, NAN }, .e = NAN, .grain = { 1, 0, 0 }, .rolling_friction = NAN, .spinning_friction = NAN };
}

ss_joint_desc ss_joint_desc_default(void)
{
    return (ss_joint_desc){ .at = { NAN, NAN, NAN },
                            .axis = { NAN, NAN, 0 },
                            .second_axis = { NAN, NAN, 0 },
                            .length = NAN,
                            .limits = { -INFINITY, INFINITY },
                            .motor = { .max = INFINITY },
                            .resistance = { .rest = NAN },
                            .gearing = { .ratio = NAN, .radius = NAN, .pitch = NAN },
                            .number = NO_NUMBERS };
}

ss_force_desc ss_force_desc_default(void)
{
    return (ss_force_desc){ .stiffness = NAN, .damping = NAN, .length = NAN, .omega = NAN, .number = NO_NUMBERS };
}

ss_output_desc ss_output_desc_default(void) { return (ss_output_desc){ .name = NULL }; }

ss_elements_desc ss_elements_desc_default(void)
{
    return (ss_elements_desc){
        .size = { NAN, NAN, NAN },
        .E = NAN,
        .density = NAN,
        .orientation = { 1, 0, 0, 0 },
        .contact = SS_CONTACT_NODES,
        .solid = { .divisions = { NAN, NAN, NAN }, .strain = SS_STRAIN_COROTATIONAL, .contact = 1 },
    };
}
