/* tetrahedron.c - an element with four nodes (3D); its equations are in model/simplex.c. */
#include "model/model.h"
#include "model/solid_fields.h"

static const ss_field fields[] = { SS_SOLID_FIELDS, SS_FIELD_END };

const ss_element_type ss_element_tetrahedron = {
    .info = { .name = "tetrahedron",
              .title = "tetrahedron with constant strain, linear or corotational",
              .reference = "textbook",
              .dimensions = 8,
              .fields = fields },
    .node = SS_BODY_PARTICLE,
    .nodes = 4,
};
