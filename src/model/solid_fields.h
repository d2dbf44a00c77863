/* solid_fields.h - the keys that triangles and tetrahedra share. */
#ifndef SS_SOLID_FIELDS_H
#define SS_SOLID_FIELDS_H

#include "model/fields.h"

#define SS_SOLID_SIDE(key, which, flags_, text)                                                                                  \
    SS_PART_FIELD(ss_elements_desc, key, SS_FIELD_BODY, solid.side[which], flags_, text)
#define SS_SOLID_CHOICE(key, member, def_, choices_, flags_, text)                                                               \
    {                                                                                                                            \
        .name = (key), .type = SS_FIELD_CHOICE, .offset = offsetof(ss_elements_desc, solid.member), .def = (def_),               \
        .choices = (choices_), .flags = (flags_), .doc = (text)                                                                  \
    }

#define SS_SOLID_FIELDS                                                                                                          \
    SS_PART_FIELD(ss_elements_desc, "name", SS_FIELD_NAME, name, SS_FIELD_REQUIRED, "its nodes are called NAME.0, NAME.1, .."),  \
        SS_PART_FIELD(ss_elements_desc, "type", SS_FIELD_NAME, type, SS_FIELD_REQUIRED, "the element's registered name"),        \
        SS_PART_FIELD(ss_elements_desc, "size", SS_FIELD_SIZES, size, 0, "m: lengths of its sides; not with `mesh`"),            \
        SS_PART_FIELD(ss_elements_desc, "divisions", SS_FIELD_SIZES, solid.divisions, 0, "number of cells along each side"),     \
        SS_PART_FIELD(ss_elements_desc, "mesh", SS_FIELD_NAME, solid.mesh, 0,                                                    \
                      "a Gmsh file in place of size and divisions, beside the scene"),                                           \
        SS_ELEMENT_NUMBER("E", E, NAN, 0, INFINITY, SS_FIELD_REQUIRED | SS_FIELD_OPEN_MIN, "Young's modulus, N/m^2"),            \
        SS_ELEMENT_NUMBER("nu", nu, 0, -1, 0.5, SS_FIELD_OPEN_MIN, "Poisson's ratio, below 0.5"),                                \
        SS_ELEMENT_NUMBER("density", density, NAN, 0, INFINITY, SS_FIELD_REQUIRED | SS_FIELD_OPEN_MIN, "kg/m^3 (2D kg/m^2)"),    \
        SS_SOLID_CHOICE("strain", strain, SS_STRAIN_COROTATIONAL, "linear|corotational", 0,                                      \
                        "linear: for turns that stay small; corotational: for any turn"),                                        \
        SS_SOLID_CHOICE("plane", plane, SS_PLANE_STRAIN, "strain|stress", SS_FIELD_ONLY_2D,                                      \
                        "whether depth (strain) or the stress across the plane (stress) stays as it is"),                        \
        SS_PART_FIELD(ss_elements_desc, "position", SS_FIELD_VECTOR, position, 0,                                                \
                      "m, world: its first corner; mesh: its origin"),                                                           \
        SS_ELEMENT_NUMBER("angle", angle, 0, -INFINITY, INFINITY, SS_FIELD_ONLY_2D, "rad, about the position"),                  \
        SS_PART_FIELD(ss_elements_desc, "orientation", SS_FIELD_QUATERNION, orientation, SS_FIELD_ONLY_3D,                       \
                      "quaternion w x y z, about the position"),                                                                 \
        SS_PART_FIELD(ss_elements_desc, "velocity", SS_FIELD_VECTOR, velocity, 0, "m/s, world: of its centre of mass"),          \
        SS_PART_FIELD(ss_elements_desc, "angular_velocity", SS_FIELD_SPIN, solid.angular_velocity, 0,                            \
                      "rad/s about its centre of mass, in its frame"),                                                           \
        SS_SOLID_SIDE("left", SS_LEFT, 0, "what holds the nodes with the least x: \"world\", a fixed or a driven body"),         \
        SS_SOLID_SIDE("right", SS_RIGHT, 0, "the same, greatest x"),                                                             \
        SS_SOLID_SIDE("front", SS_FRONT, SS_FIELD_ONLY_3D, "the same, least y"),                                                 \
        SS_SOLID_SIDE("back", SS_BACK, SS_FIELD_ONLY_3D, "the same, greatest y"),                                                \
        SS_SOLID_SIDE("bottom", SS_BOTTOM, 0, "the same, least y in 2D, z in 3D"),                                               \
        SS_SOLID_SIDE("top", SS_TOP, 0, "the same, greatest y in 2D, z in 3D"),                                                  \
        SS_PART_FIELD(ss_elements_desc, "held", SS_FIELD_NAME, solid.held, 0, "mesh: the physical group whose nodes are held"),  \
        SS_PART_FIELD(ss_elements_desc, "holder", SS_FIELD_BODY, solid.holder, 0, "mesh: what holds them; absent: the world"),   \
        SS_ELEMENT_NUMBER("mass_damping", mass_damping, 0, 0, INFINITY, 0, "a of Rayleigh damping a M v + b K v, 1/s"),          \
        SS_ELEMENT_NUMBER("stiffness_damping", stiffness_damping, 0, 0, INFINITY, 0, "b of Rayleigh damping, s"),                \
        SS_SOLID_CHOICE("contact", contact, 1, "none|boundary", 0, "which of its nodes touch shapes of bodies"),                 \
        SS_PART_FIELD(ss_elements_desc, "material", SS_FIELD_NAME, material, 0, "material of its nodes")

#endif
