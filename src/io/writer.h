/* writer.h - result files: what the formats share. */
#ifndef SS_WRITER_H
#define SS_WRITER_H

#include "base/claim.h"
#include "model/model.h"
#include <slipstick/io.h>

/* A format is a set of functions over its own struct, which `open` allocates. */
typedef struct ss_format {
    /* takes the claim over, after which *claim is none, and empties the file */
    ss_status (*open)(ss_context *ctx, const char *path, ss_claim *claim, const ss_scene *scene, const ss_sim *sim, void **file);
    ss_status (*row)(void *file, const ss_sim *sim, const ss_step_info *info);
    ss_status (*event)(void *file, const ss_sim *sim, const ss_event *event); /* NULL: the format has none */
    ss_status (*flush)(void *file);
    ss_status (*close)(void *file, bool failed); /* frees; failed: write nothing any more */
} ss_format;

extern const ss_format ss_format_csv, ss_format_h5, ss_format_vtk;

/* Version of the HDF5 layout "slipstick_result" (docs/results.md). */
enum { SS_RESULT_VERSION = 2 };

/* Make a folder unless it is there already. */
ss_status ss_folder_make(ss_context *ctx, const char *folder);
/* Does the name end so, in small letters or capitals? */
bool ss_has_extension(const char *path, const char *extension);
/* Numbers a body has in q (or v), and their names "ball.x", "ball.vx". */
int ss_body_coordinates(const ss_model *m, int body, bool velocity);
void ss_coordinate_name(const ss_model *m, int body, bool velocity, int k, char *text, size_t size);

#endif
