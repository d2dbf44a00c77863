/* io.h - scenes as JSON, results as CSV and HDF5, contact problems as FCLIB files. */
#ifndef SLIPSTICK_IO_H
#define SLIPSTICK_IO_H

#include <slipstick/sim.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Read a scene; `set` holds `sets` strings "path.to.key=value" applied before it is checked. Errors
 * name the file, the JSON path, what was expected and the nearest valid name. */
SS_API ss_status ss_scene_read(ss_context *ctx, const char *path, int sets, const char *const *set, ss_scene **out);
SS_API ss_status ss_scene_parse(ss_context *ctx, const char *text, size_t length, const char *label, int sets,
                                const char *const *set, ss_scene **out);
/* The scene as understood, defaults filled in, as JSON text (freed with ss_blob_free). */
SS_API ss_status ss_scene_to_json(ss_context *ctx, const ss_scene *scene, char **text);
/* JSON Schema of scenes, generated from the registries. */
SS_API ss_status ss_scene_schema(ss_context *ctx, char **text);

/* An event as JSON text, bodies by name: {"t", "kind", "contact", "bodies", ...} (freed with ss_blob_free). */
SS_API ss_status ss_event_to_json(ss_context *ctx, const ss_sim *sim, const ss_event *event, char **text);

/* A number or constant expression such as 2^-5, 5/27, pi/3. */
SS_API ss_status ss_number_parse(ss_context *ctx, const char *text, double *out);

/* Result writers; the format follows from the file name: .csv or .h5/.hdf5. `every` 0: each step. */
typedef struct ss_writer ss_writer;
SS_API ss_status ss_writer_create(ss_context *ctx, const char *path, const ss_scene *scene, const ss_sim *sim, double every,
                                  ss_writer **out);
SS_API ss_status ss_writer_step(ss_writer *writer, const ss_sim *sim, const ss_step_info *info);
SS_API ss_status ss_writer_event(ss_writer *writer, const ss_sim *sim, const ss_event *event);
SS_API ss_status ss_writer_close(ss_writer *writer); /* flushes, reports what failed, frees; NULL is fine */

/* FCLIB files: a global problem as /fclib_global, a local one as /fclib_local. */
SS_API ss_status ss_problem_write(ss_context *ctx, const ss_problem *problem, const ss_solution *solution, const char *path);

/* Read one: the problem and what else the file says, owned by the file object. Refused with a clear message: what is not
 * HDF5, not FCLIB, truncated, has rolling friction, sizes that do not fit, NaN or mu < 0. */
typedef struct ss_problem_file ss_problem_file;
SS_API ss_status ss_problem_read(ss_context *ctx, const char *path, ss_problem_file **out);
SS_API void ss_problem_file_destroy(ss_problem_file *file);
SS_API const ss_problem *ss_problem_file_problem(const ss_problem_file *file);
/* Another law for every frictional contact: SS_LAW_COULOMB or SS_LAW_ASSOCIATED. */
SS_API ss_status ss_problem_file_set_law(ss_problem_file *file, unsigned law);

/* Checkpoint files: the blob of ss_sim_save with a header and a check sum, replaced atomically. */
SS_API ss_status ss_checkpoint_write(const ss_sim *sim, ss_context *ctx, const char *path);
/* Can one be written there, as far as that is known before? Tries beside the place and leaves nothing behind. */
SS_API ss_status ss_checkpoint_try(ss_context *ctx, const char *path);
SS_API ss_status ss_checkpoint_read(ss_sim *sim, ss_context *ctx, const char *path);

#ifdef __cplusplus
}
#endif
#endif
