/* mesh_read.c - the mesh file that an item of the list `elements` names: its path is relative to that of the file it stands in.
 */
#include "io/gmsh.h"
#include "io/json.h"

/* The error with its place in the scene before it. */
static ss_status fail_at(ss_reader *r, const char *key)
{
    ss_path_key(r, key);
    return ss_reader_because(r);
}

/* the path as seen from the scene's own file, so that a plain scene beside it finds the mesh of an included one */
static const char *seen_from_scene(const ss_reader *r, const char *path)
{
    const char *slash = strrchr(r->scene_label, '/');
    const size_t folder = slash ? (size_t)(slash - r->scene_label) + 1 : 0;
    return strncmp(path, r->scene_label, folder) == 0 ? path + folder : path;
}

ss_status ss_mesh_read(ss_reader *r, ss_solid_desc *solid)
{
    const char *path;
    char *text;
    size_t length;
    SS_TRY(ss_reader_beside(r, solid->mesh, &path));
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
    solid->mesh = r->label == r->scene_label ? solid->mesh : seen_from_scene(r, path);
    return SS_OK;
}
