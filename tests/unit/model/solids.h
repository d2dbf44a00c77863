/* solids.h - a plate or a block of triangles or tetrahedra, for tests. */
#ifndef SS_TEST_SOLIDS_H
#define SS_TEST_SOLIDS_H

#include "flexible.h"

/* a plate or a block of 2 x 1 (x 1) cells */
static inline ss_elements_desc solid(int dimension)
{
    ss_elements_desc d = elements(dimension == 2 ? "triangle" : "tetrahedron", 0);
    d.size[0] = 1;
    d.size[1] = d.size[2] = 0.5;
    for (int axis = 0; axis < 3; axis++) {
        d.solid.divisions[axis] = axis == 0 ? 2 : 1;
    }
    d.size[2] = dimension == 3 ? 0.5 : 0;
    return d;
}

/* a mesh of a square or cube with one node inside, off the middle */
static inline ss_elements_desc patch(int dimension)
{
    static const double square[] = { 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0.4, 0.7, 0 };
    static const int fan[] = { 0, 1, 4, 1, 2, 4, 2, 3, 4, 3, 0, 4 };
    static const double tetrahedron[] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0.2, 0.1, 0.3 };
    static const int four[] = { 0, 1, 2, 4, 0, 1, 3, 4, 0, 2, 3, 4, 1, 2, 3, 4 };
    ss_elements_desc d = solid(dimension);
    for (int axis = 0; axis < 3; axis++) {
        d.size[axis] = d.solid.divisions[axis] = NAN;
    }
    d.solid.mesh = "in memory";
    d.solid.data = dimension == 2 ? (ss_mesh_data){ .nodes = 5, .cells = 4, .x = square, .cell = fan }
                                  : (ss_mesh_data){ .nodes = 5, .cells = 4, .x = tetrahedron, .cell = four };
    return d;
}

#endif
