/* vtu.h - triangles and tetrahedra of solids as a file of VTK's unstructured grids (.vtu). */
#ifndef SS_VTU_H
#define SS_VTU_H

#include "model/model.h"

/* Nodes, elements and the stress of each at c; memory from the arena is given back. If it fails, no file is left. */
ss_status ss_vtu_write_solids(ss_context *ctx, ss_arena *arena, const ss_model *m, const ss_config *c, const char *path);

#endif
