/* triangle.c - a flat element with three nodes (2D); its equations are in model/simplex.c. */
#include "model/model.h"
#include "model/solid_fields.h"

static const ss_field fields[] = { SS_SOLID_FIELDS, SS_FIELD_END };

const ss_element_type ss_element_triangle = {
    .info = { .name = "triangle",
              .title = "triangle with constant strain, linear or corotational",
              .reference = "textbook",
              .dimensions = 4,
              .fields = fields },
    .node = SS_BODY_PARTICLE,
    .nodes = 3,
};
