/* shapes.h - what the files of the shapes share: the fields every shape has, and their types. */
#ifndef SS_SHAPES_H
#define SS_SHAPES_H

#include "geom/geom.h"

#define SS_SHAPE(name) extern const ss_shape_type ss_shape_type_##name;
#include "geom/shapes.def"
#undef SS_SHAPE

enum { SS_IN_2D = 4, SS_IN_3D = 8 };

/* Radius and thickness of a shape without an end: INFINITY. */
double ss_endless(const ss_shape *shape);

/* One line of a shape's table. */
#define SS_SHAPE_FIELD(kind_, field, def_, min_, max_, flags_, text)                                                             \
    {                                                                                                                            \
        .name = #field, .type = SS_FIELD_##kind_, .offset = offsetof(ss_shape_desc, field), .def = (def_), .min = (min_),        \
        .max = (max_), .flags = (flags_), .doc = (text)                                                                          \
    }

// clang-format off
/* The fields that every shape has, at the head of its table. */
#define SS_SHAPE_COMMON_FIELDS                                                                                                    \
    SS_SHAPE_FIELD(NAME, type, 0, 0, 0, SS_FIELD_REQUIRED, "registered name of the shape"),                                       \
    SS_SHAPE_FIELD(NAME, material, 0, 0, 0, 0, "name of a material; default: the default material"),                              \
    SS_SHAPE_FIELD(VECTOR, position, 0, -INFINITY, INFINITY, 0, "origin of the shape in the body frame, m"),                      \
    SS_SHAPE_FIELD(NUMBER, angle, 0, -INFINITY, INFINITY, SS_FIELD_ONLY_2D, "rotation of the shape in the body frame, rad"),      \
    SS_SHAPE_FIELD(QUATERNION, orientation, 0, -1, 1, SS_FIELD_ONLY_3D, "rotation of the shape in the body frame, w x y z")
// clang-format on

#endif
