/* fields.h - rows of the field tables that several joints or forces share, and the check of a part
 * against its table. */
#ifndef SS_FIELDS_H
#define SS_FIELDS_H

#include "base/base.h"
#include <slipstick/scene.h>

#define SS_PART_FIELD(struct_, key, kind, member, flags_, text)                                                                  \
    {                                                                                                                            \
        .name = (key), .type = (kind), .offset = offsetof(struct_, member), .flags = (flags_), .doc = (text)                     \
    }
#define SS_PART_NUMBER(struct_, key, member, def_, min_, max_, flags_, text)                                                     \
    {                                                                                                                            \
        .name = (key), .type = SS_FIELD_NUMBER, .offset = offsetof(struct_, member), .def = (def_), .min = (min_),               \
        .max = (max_), .flags = (flags_), .doc = (text)                                                                          \
    }

#define SS_JOINT_NAME SS_PART_FIELD(ss_joint_desc, "name", SS_FIELD_NAME, name, 0, "name used in results and messages")
#define SS_JOINT_TYPE                                                                                                            \
    SS_PART_FIELD(ss_joint_desc, "type", SS_FIELD_NAME, type, SS_FIELD_REQUIRED, "the joint's registered name or alias")
#define SS_JOINT_BODIES                                                                                                          \
    SS_PART_FIELD(ss_joint_desc, "bodies", SS_FIELD_BODIES, bodies, SS_FIELD_REQUIRED,                                           \
                  "the two bodies; \"world\" is the fixed frame")
#define SS_JOINT_ANCHORS                                                                                                         \
    SS_PART_FIELD(ss_joint_desc, "anchors", SS_FIELD_ANCHORS, anchors, 0, "a point of each body, in its frame (m)")
#define SS_JOINT_AT                                                                                                              \
    {                                                                                                                            \
        .name = "at", .type = SS_FIELD_VECTOR, .offset = offsetof(ss_joint_desc, at), .def = NAN,                                \
        .doc = "instead of anchors: a point in world coordinates at t = 0 (m)"                                                   \
    }
#define SS_JOINT_AXIS(flags_, text) SS_PART_FIELD(ss_joint_desc, "axis", SS_FIELD_DIRECTION, axis, flags_, text)
#define SS_JOINT_LIMITS(text)       SS_PART_FIELD(ss_joint_desc, "limits", SS_FIELD_RANGE, limits, 0, text)
#define SS_JOINT_RESTITUTION                                                                                                     \
    SS_PART_NUMBER(ss_joint_desc, "restitution", restitution, 0, 0, 1, 0, "speed after a limit is struck, over the speed before")
#define SS_JOINT_START(text) SS_PART_NUMBER(ss_joint_desc, "start", start, 0, -INFINITY, INFINITY, 0, text)
#define SS_JOINT_MOTOR                                                                                                           \
    SS_PART_FIELD(ss_joint_desc, "motor", SS_FIELD_MOTOR, motor, 0, "drives the joint's coordinate by speed or force")
/* of a coordinate that is a displacement, or an angle: units of a force and of the coordinate */
#define SS_JOINT_RESISTANCE_NUMBER(key, member, def_, min_, text)                                                                \
    SS_PART_NUMBER(ss_joint_desc, key, resistance.member, def_, min_, INFINITY, 0, text)
#define SS_JOINT_RESISTANCE(f_, x_)                                                                                              \
    SS_JOINT_RESISTANCE_NUMBER("stiffness", stiffness, 0, 0, "of a spring on the coordinate, " f_ "/" x_),                       \
        SS_JOINT_RESISTANCE_NUMBER("rest", rest, NAN, -INFINITY, "where this spring is at rest, " x_ "; absent: at `start`"),    \
        SS_JOINT_RESISTANCE_NUMBER("damping", damping, 0, 0, "of a damper on the coordinate, " f_ " s/" x_),                     \
        SS_JOINT_RESISTANCE_NUMBER("friction", friction, 0, 0, "the most that dry friction gives, " f_)
#define SS_JOINT_JOINTS(text) SS_PART_FIELD(ss_joint_desc, "joints", SS_FIELD_NAMES, gearing.joints, SS_FIELD_REQUIRED, text)
#define SS_JOINT_COLLIDE                                                                                                         \
    SS_PART_FIELD(ss_joint_desc, "collide", SS_FIELD_BOOL, collide, 0, "whether the two bodies can touch each other")
/* What most joints begin with, and what those end with that slide along an axis, or turn about it. */
#define SS_JOINT_PLACE SS_JOINT_NAME, SS_JOINT_TYPE, SS_JOINT_BODIES, SS_JOINT_ANCHORS, SS_JOINT_AT
#define SS_JOINT_DISPLACEMENT                                                                                                    \
    SS_JOINT_LIMITS("smallest and largest displacement, m; it begins at `start`"), SS_JOINT_RESTITUTION,                         \
        SS_JOINT_START("displacement at t = 0, m"), SS_JOINT_MOTOR, SS_JOINT_RESISTANCE("N", "m"), SS_JOINT_COLLIDE
#define SS_JOINT_ANGLE                                                                                                           \
    SS_JOINT_LIMITS("smallest and largest angle, rad, in any turn; it begins at `start`"), SS_JOINT_RESTITUTION,                 \
        SS_JOINT_START("angle at t = 0, rad, in any turn"), SS_JOINT_MOTOR, SS_JOINT_RESISTANCE("N m", "rad"), SS_JOINT_COLLIDE

#define SS_FORCE_NAME SS_PART_FIELD(ss_force_desc, "name", SS_FIELD_NAME, name, 0, "name used in messages")
#define SS_FORCE_TYPE SS_PART_FIELD(ss_force_desc, "type", SS_FIELD_NAME, type, SS_FIELD_REQUIRED, "the force's registered name")
#define SS_FORCE_BODY SS_PART_FIELD(ss_force_desc, "body", SS_FIELD_BODY, body, SS_FIELD_REQUIRED, "the body it acts on")
#define SS_FORCE_BODIES                                                                                                          \
    SS_PART_FIELD(ss_force_desc, "bodies", SS_FIELD_BODIES, bodies, SS_FIELD_REQUIRED, "the two bodies it acts between")
#define SS_FORCE_ANCHORS                                                                                                         \
    SS_PART_FIELD(ss_force_desc, "anchors", SS_FIELD_ANCHORS, anchors, 0, "a point of each body, in its frame (m)")
#define SS_FORCE_POINT SS_PART_FIELD(ss_force_desc, "point", SS_FIELD_VECTOR, point, 0, "where the force acts, body frame (m)")

#define SS_OUTPUT_NAMES                                                                                                          \
    SS_PART_FIELD(ss_output_desc, "name", SS_FIELD_NAME, name, SS_FIELD_REQUIRED,                                                \
                  "name of its column, or what its columns begin with"),                                                         \
        SS_PART_FIELD(ss_output_desc, "type", SS_FIELD_NAME, type, SS_FIELD_REQUIRED, "the output's registered name")
#define SS_OUTPUT_JOINT SS_PART_FIELD(ss_output_desc, "joint", SS_FIELD_NAME, joint, SS_FIELD_REQUIRED, "the joint it reads")
#define SS_OUTPUT_BODY  SS_PART_FIELD(ss_output_desc, "body", SS_FIELD_BODY, body, SS_FIELD_REQUIRED, "the body it reads")
#define SS_OUTPUT_POINT SS_PART_FIELD(ss_output_desc, "point", SS_FIELD_VECTOR, point, 0, "a point of the body, in its frame (m)")

/* keys that every element has */
#define SS_ELEMENT_NUMBER(key, member, def_, min_, max_, flags_, text)                                                           \
    SS_PART_NUMBER(ss_elements_desc, key, member, def_, min_, max_, flags_, text)
#define SS_ELEMENT_FIELDS                                                                                                        \
    SS_PART_FIELD(ss_elements_desc, "name", SS_FIELD_NAME, name, SS_FIELD_REQUIRED, "its nodes are called NAME.0, NAME.1, .."),  \
        SS_PART_FIELD(ss_elements_desc, "type", SS_FIELD_NAME, type, SS_FIELD_REQUIRED, "the element's registered name"),        \
        SS_PART_FIELD(ss_elements_desc, "size", SS_FIELD_SIZES, size, SS_FIELD_REQUIRED, "m: length, height, width (3D)"),       \
        { .name = "divisions",                                                                                                   \
          .type = SS_FIELD_INT,                                                                                                  \
          .offset = offsetof(ss_elements_desc, divisions),                                                                       \
          .min = 1,                                                                                                              \
          .max = SS_MOST_DIVISIONS,                                                                                              \
          .flags = SS_FIELD_REQUIRED,                                                                                            \
          .doc = "number of elements along the length" },                                                                        \
        SS_ELEMENT_NUMBER("E", E, NAN, 0, INFINITY, SS_FIELD_REQUIRED | SS_FIELD_OPEN_MIN, "Young's modulus, N/m^2"),            \
        SS_ELEMENT_NUMBER("nu", nu, 0, -1, 0.5, SS_FIELD_OPEN_MIN, "Poisson's ratio, below 0.5"),                                \
        SS_ELEMENT_NUMBER("density", density, NAN, 0, INFINITY, SS_FIELD_REQUIRED | SS_FIELD_OPEN_MIN, "kg/m^3 (2D kg/m^2)"),    \
        SS_PART_FIELD(ss_elements_desc, "position", SS_FIELD_VECTOR, position, 0, "m, world: the first node"),                   \
        SS_ELEMENT_NUMBER("angle", angle, 0, -INFINITY, INFINITY, SS_FIELD_ONLY_2D, "rad: from the x axis to its line"),         \
        SS_PART_FIELD(ss_elements_desc, "orientation", SS_FIELD_QUATERNION, orientation, SS_FIELD_ONLY_3D,                       \
                      "quaternion w x y z: its line is the turned x axis"),                                                      \
        SS_PART_FIELD(ss_elements_desc, "velocity", SS_FIELD_VECTOR, velocity, 0, "m/s, world: of its middle"),                  \
        SS_PART_FIELD(ss_elements_desc, "first", SS_FIELD_BODY, first, 0,                                                        \
                      "what holds its first node: \"world\", a fixed or a driven body; absent: nothing"),                        \
        SS_PART_FIELD(ss_elements_desc, "last", SS_FIELD_BODY, last, 0, "the same for its last node"),                           \
        SS_ELEMENT_NUMBER("mass_damping", mass_damping, 0, 0, INFINITY, 0, "a of Rayleigh damping a M v + b K v, 1/s"),          \
        SS_ELEMENT_NUMBER("stiffness_damping", stiffness_damping, 0, 0, INFINITY, 0, "b of Rayleigh damping, s"),                \
        { .name = "contact",                                                                                                     \
          .type = SS_FIELD_CHOICE,                                                                                               \
          .offset = offsetof(ss_elements_desc, contact),                                                                         \
          .def = SS_CONTACT_NODES,                                                                                               \
          .choices = "none|ends|nodes",                                                                                          \
          .doc = "which of its nodes touch shapes of bodies" },                                                                  \
        SS_PART_FIELD(ss_elements_desc, "material", SS_FIELD_NAME, material, 0, "material of its nodes")

enum { SS_MOST_DIVISIONS = 1000000 };

/* "bodies.ball", or "bodies.3" when it has no name. */
void ss_part_path(char *path, size_t size, const char *list, const char *name, int index);
/* Compare a part with its field table: missing, NaN, infinite, out of range, third components in 2D. */
ss_status ss_part_check(ss_context *ctx, const ss_field *fields, const void *part, int dimension, const char *path);

enum { SS_PATH_SIZE = 192 };

#endif
