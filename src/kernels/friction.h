/* friction.h - the law of friction that a scheme asks for: which cone, by options that all schemes have in common. */
#ifndef SS_FRICTION_H
#define SS_FRICTION_H

#include "kernels/stepper.h"

/* Law of friction contacts of shapes; the polygon has `directions` (2D: 2) edges. */
typedef struct ss_friction {
    unsigned law;
    int directions;
} ss_friction;

static inline bool ss_friction_is_polygonal(ss_friction f)
{
    return f.law == SS_LAW_POLYHEDRAL || f.law == SS_LAW_ASSOCIATED_POLYHEDRAL;
}

/* Vertices of the friction polygon of coefficients mu along the two tangents, of size 1 along the larger: d[2 directions]. */
void ss_friction_polygon(int dimension, const double mu[2], int directions, double *d);

/* Refuses an odd number of directions, and a circular cone where a pair of materials has a grain. */
ss_status ss_friction_check(const ss_stepper *s, ss_friction friction);

/* The options `cone` and `directions` of a scheme whose params have a member `cone`. */
typedef enum ss_cone_kind { SS_CONE_POLYHEDRAL, SS_CONE_CIRCULAR, SS_CONE_AUTO } ss_cone_kind;
typedef struct ss_cone_options {
    int kind, directions;
} ss_cone_options;

/* Two lines of the scheme's table: the cone by default, and the most directions that may be asked for. */
#define SS_OPTIONS_CONE(struct_, kind_, most_)                                                                                   \
    { .name = "cone",                                                                                                            \
      .type = SS_FIELD_CHOICE,                                                                                                   \
      .offset = offsetof(struct_, cone.kind),                                                                                    \
      .def = (kind_),                                                                                                            \
      .choices = "polyhedral|circular|auto",                                                                                     \
      .doc = "friction cone: polyhedral, Coulomb's circular cone, or circular where this differs, the solver takes it and "      \
             "friction has no grain" },                                                                                          \
    {                                                                                                                            \
        .name = "directions", .type = SS_FIELD_INT, .offset = offsetof(struct_, cone.directions), .def = 8, .min = 4,            \
        .max = (most_), .doc = "edges of the friction polygon in 3D, even (2D: always 2)"                                        \
    }

/* Coulomb's law with the cone that the options ask for, and the associated law with it [Ani06]. */
ss_friction ss_cone_coulomb(const ss_stepper *s, ss_cone_options o);
ss_friction ss_cone_associated(const ss_stepper *s, ss_cone_options o);

#endif
