/* gmsh.h - meshes of solids from Gmsh files (.msh, version 4.1, text). Used inside src/io only. */
#ifndef SS_GMSH_H
#define SS_GMSH_H

#include "base/base.h"
#include <slipstick/scene.h>

/* The triangles (2D) or tetrahedra (3D) of the text and their nodes; held: those of the physical group `held`, none where it is
 * NULL or the file has no such group. Lists are from the arena. label opens messages. */
ss_status ss_gmsh_parse(ss_context *ctx, ss_arena *arena, const char *text, size_t length, const char *label, int dimension,
                        const char *held, ss_mesh_data *out);

#endif
