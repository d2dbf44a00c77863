/* mesh.h - nodes and cells of a solid in its own frame, from a scene's item: a grid, or what was read from a file. */
#ifndef SS_MESH_H
#define SS_MESH_H

#include "base/base.h"
#include "math/vec.h"
#include <slipstick/scene.h>

typedef struct ss_mesh {
    int nodes, cells, corners; /* corners of a cell: 3 in 2D, 4 in 3D                        */
    ss_vec3 *x;                /* nodes: places in its frame                                 */
    int *cell;                 /* cells x corners, so that volumes are positive              */
    bool *outer;               /* nodes: is it on the boundary?                              */
    int facets, *facet; /* facets x corners: faces of the boundary, seen from outside counter-clockwise, and the node behind */
} ss_mesh;

bool ss_mesh_is_solid(const ss_elements_desc *d); /* triangles or tetrahedra */
int ss_mesh_nodes(const ss_elements_desc *d, int dimension);
/* What holds a node; NULL: nothing. */
const char *ss_mesh_holder(const ss_elements_desc *d, int dimension, int node);
/* h with what was read from a file; h if nothing was */
uint64_t ss_mesh_hash(uint64_t h, const ss_mesh_data *data, int dimension);

/* Refuses cells that are flat or name a node that is not there; path: for messages. */
ss_status ss_mesh_build(ss_context *ctx, const ss_elements_desc *d, int dimension, const char *path, ss_mesh *out);
void ss_mesh_free(ss_context *ctx, ss_mesh *mesh);

#endif
