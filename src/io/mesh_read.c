/* mesh_read.c - the mesh file that an item of the list `elements` names: its path is relative to that of the scene. */
#include "io/gmsh.h"
#include "io/json.h"

#include <stdio.h>

/* the folder of the scene's file before a relative path */
static ss_status find_path(ss_reader *r, const char *mesh, char **out)
{
    const char *slash = strrchr(r->label, '/');
    const int folder = slash && mesh[0] != '/' ? (int)(slash - r->label) + 1 : 0;
    const size_t size = (size_t)folder + strlen(mesh) + 1;
    SS_TRY(ss_arena_take(r->arena, size, 1, out));
    snprintf(*out, size, "%.*s%s", folder, r->label, mesh);
    return SS_OK;
}

ss_status ss_mesh_read(ss_reader *r, ss_solid_desc *solid)
{
    char *path, *text;
    size_t length;
    SS_TRY(find_path(r, solid->mesh, &path));
    ss_status status = ss_file_text(r->ctx, path, &text, &length);
    if (status == SS_OK) {
        status = ss_gmsh_parse(r->ctx, r->arena, text, length, path, r->dimension, solid->held, &solid->data);
    }
    ss_free(r->ctx, text);
    return status;
}
