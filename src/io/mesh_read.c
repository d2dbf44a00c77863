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

/* The error with its place in the scene before it. */
static ss_status fail_at(ss_reader *r, const char *key)
{
    char why[512];
    snprintf(why, sizeof why, "%s", ss_last_error(r->ctx));
    ss_path_key(r, key);
    return ss_reader_fail(r, "%s", why);
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
    if (status != SS_OK) {
        return status == SS_ERR_MEMORY ? status : fail_at(r, "mesh");
    }
    if (solid->held && solid->data.held_nodes == 0) {
        ss_path_key(r, "held");
        return ss_reader_fail(r, "%s: no physical group with nodes is called \"%.80s\"", path, solid->held);
    }
    return SS_OK;
}
