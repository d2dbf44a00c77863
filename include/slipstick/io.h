/* io.h - scenes as JSON, results as CSV, HDF5 and VTK files, contact problems as FCLIB files.
 *
 * Every file is closed by the call that says so. If slipstick is the first to use HDF5 in a process, HDF5 closes nothing by
 * itself when the process ends (H5dont_atexit); a program that relies on that for files of its own calls H5open() first. */
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

/* Collects what `run --json` prints: create it before the first step and pass it every step and event. */
typedef struct ss_record ss_record;
enum { SS_RECORD_EVENTS = 100000 }; /* at most so many are kept; all are counted */
SS_API ss_status ss_record_create(ss_context *ctx, const ss_sim *sim, bool keep_events, ss_record **out);
SS_API void ss_record_destroy(ss_record *record); /* NULL is fine */
SS_API void ss_record_step(ss_record *record, const ss_step_info *info);
SS_API ss_status ss_record_event(ss_record *record, const ss_sim *sim, const ss_event *event);
SS_API const ss_residual *ss_record_worst(const ss_record *record); /* the largest residuals so far */
/* The run so far as JSON text (freed with ss_blob_free). outcome: done, interrupted, failed; error NULL or "": none. */
SS_API ss_status ss_record_to_json(const ss_record *record, const ss_sim *sim, const char *scene, const char *outcome,
                                   const char *error, char **text);

/* A number or constant expression such as 2^-5, 5/27, pi/3. */
SS_API ss_status ss_number_parse(ss_context *ctx, const char *text, double *out);

/* Name of coordinate k of q or v, as result files have it: "ball.x", "ball.vx"; "": there is no such coordinate. */
SS_API void ss_model_coordinate_name(const ss_model *model, bool velocity, int k, char *text, size_t size);

/* Result writers; the format follows from the file name: .csv, .h5/.hdf5, or .pvd (for ParaView, with a folder of frames beside
 * it). `every` 0: each step. A file that another writer, in this process or another, has open is refused (SS_ERR_IO). */
typedef struct ss_writer ss_writer;
/* In two parts, for several files of which none shall be touched if one of them is refused: `claim` keeps others from writing the
 * file, and leaves it as it is; `begin` empties it and writes the first state. A writer that is closed before it has begun leaves
 * everything as it was. */
SS_API ss_status ss_writer_claim(ss_context *ctx, const char *path, double every, ss_writer **out);
SS_API ss_status ss_writer_begin(ss_writer *writer, const ss_scene *scene, const ss_sim *sim);
/* Both at once. */
SS_API ss_status ss_writer_create(ss_context *ctx, const char *path, const ss_scene *scene, const ss_sim *sim, double every,
                                  ss_writer **out);
SS_API ss_status ss_writer_step(ss_writer *writer, const ss_sim *sim, const ss_step_info *info);
SS_API ss_status ss_writer_event(ss_writer *writer, const ss_sim *sim, const ss_event *event);
/* Rows wait in memory, and go to the file with a later step when they have waited for 0.2 s. This writes them now if they have
 * waited for `age` seconds, so that they need not wait for a long step to end. It may be called on a thread of its own while the
 * simulation steps, if the writers have a context that nothing else uses and no two functions of writers run at a time. */
SS_API ss_status ss_writer_flush(ss_writer *writer, double age);
SS_API ss_status ss_writer_close(ss_writer *writer); /* flushes, reports what failed, frees; NULL is fine */

/* Reading result files: .csv, otherwise HDF5. A file of a run that is still going on or was killed has the states of its
 * last flush. Refused: what is not a result, is damaged, or is cut off (but for the last line of a CSV file,
 * which is left out with a warning). A CSV file has no scheme, solver, scene (NULL), dimension (0) and events. */
typedef struct ss_result ss_result;
SS_API ss_status ss_result_open(ss_context *ctx, const char *path, ss_result **out);
SS_API void ss_result_close(ss_result *result);           /* NULL is fine                     */
SS_API int64_t ss_result_states(const ss_result *result); /* how many; the first is the initial one */
SS_API int ss_result_dimension(const ss_result *result);
SS_API int ss_result_nq(const ss_result *result);
SS_API int ss_result_nv(const ss_result *result);
SS_API const char *ss_result_q_name(const ss_result *result, int k); /* "ball.x"                   */
SS_API const char *ss_result_v_name(const ss_result *result, int k); /* "ball.vx"                  */
SS_API const char *ss_result_scheme(const ss_result *result);
SS_API const char *ss_result_solver(const ss_result *result);
SS_API const char *ss_result_scene(const ss_result *result); /* JSON text that ss_scene_parse takes */
/* States first .. first+count-1: t[count], step[count] (CSV: -1), q[count*nq], v[count*nv]; NULL: not wanted. */
SS_API ss_status ss_result_read(const ss_result *result, int64_t first, int64_t count, double *t, int64_t *step, double *q,
                                double *v);

/* Columns by name: t, q, v, kinetic, potential, residual, penetration, joint_error, contacts, certified; .h5 only: all
 * other entries of the certificate and of the ledger, reactions; energy = kinetic + potential. */
SS_API int ss_result_columns(const ss_result *result);
SS_API const char *ss_result_column_name(const ss_result *result, int k);    /* NULL: there is no such column      */
SS_API const char *ss_result_column_unit(const ss_result *result, int k);    /* "m", "rad/s"; "": none or not known */
SS_API int ss_result_find_column(const ss_result *result, const char *name); /* -1: none */
SS_API ss_status ss_result_read_column(const ss_result *result, int k, int64_t first, int64_t count, double *out);

/* Events first .. first+count-1: t[count], kind[count]; NULL: not wanted. */
SS_API int64_t ss_result_events(const ss_result *result);
SS_API ss_status ss_result_read_events(const ss_result *result, int64_t first, int64_t count, double *t, ss_event_kind *kind);

/* Contacts of an HDF5 result (a CSV file has none), those of all states in one list: state first+k has the contacts
 * offset[k] .. offset[k+1]-1 of it, where offset has count+1 numbers. Limits and motors of joints are among them, with
 * zeros as point and normal. A run that was killed may lack the contacts of its last states. */
typedef struct ss_result_contact {
    int bodies[2];                        /* numbers in the scene; -1: the world                           */
    double gap;                           /* m                                                             */
    double point[3], normal[3], force[3]; /* world: m; from the second body to the first; N, on the first */
} ss_result_contact;
SS_API ss_status ss_result_read_offsets(const ss_result *result, int64_t first, int64_t count, int64_t *offset);
SS_API ss_status ss_result_read_contacts(const ss_result *result, int64_t first, int64_t count, ss_result_contact *contact);

/* FCLIB files: a global problem as /fclib_global, a local one as /fclib_local. */
SS_API ss_status ss_problem_write(ss_context *ctx, const ss_problem *problem, const ss_solution *solution, const char *path);
/* The same with a file that is claimed from open to close, so that no other writer can take it; each problem replaces the one
 * before. A file that was made by open and never written is removed by close. */
typedef struct ss_dump ss_dump;
SS_API ss_status ss_dump_open(ss_context *ctx, const char *path, ss_dump **out);
SS_API ss_status ss_dump_write(ss_dump *dump, const ss_problem *problem, const ss_solution *solution);
SS_API void ss_dump_close(ss_dump *dump); /* NULL is fine */

/* Read one: the problem and what else the file says, owned by the file object. Refused with a clear message: what is not
 * HDF5, not FCLIB, truncated, sizes that do not fit, NaN or mu < 0. */
typedef struct ss_problem_file ss_problem_file;
SS_API ss_status ss_problem_read(ss_context *ctx, const char *path, ss_problem_file **out);
SS_API void ss_problem_file_destroy(ss_problem_file *file);
SS_API const ss_problem *ss_problem_file_problem(const ss_problem_file *file);
/* The solution, in files written by slipstick; NULL: none. */
SS_API const ss_solution *ss_problem_file_solution(const ss_problem_file *file);
/* Another law for every frictional contact: SS_LAW_COULOMB or SS_LAW_ASSOCIATED; in 2D, where the cone is a polygon, also
 * SS_LAW_POLYHEDRAL: the same problem for solvers that ask for polygons. */
SS_API ss_status ss_problem_file_set_law(ss_problem_file *file, unsigned law);

/* Checkpoint files: the blob of ss_sim_save with a header and a check sum, replaced atomically. The file is claimed from open
 * to close: another writer, in this process or another, is refused (SS_ERR_IO). Whether it can be written at all is found
 * out by open, which leaves nothing behind if nothing is saved. */
typedef struct ss_checkpoint ss_checkpoint;
SS_API ss_status ss_checkpoint_open(ss_context *ctx, const char *path, ss_checkpoint **out);
SS_API ss_status ss_checkpoint_save(ss_checkpoint *checkpoint, const ss_sim *sim);
SS_API void ss_checkpoint_close(ss_checkpoint *checkpoint); /* NULL is fine */
/* The three in one. */
SS_API ss_status ss_checkpoint_write(const ss_sim *sim, ss_context *ctx, const char *path);
/* Can a checkpoint be written there? */
SS_API ss_status ss_checkpoint_try(ss_context *ctx, const char *path);
SS_API ss_status ss_checkpoint_read(ss_sim *sim, ss_context *ctx, const char *path);

#ifdef __cplusplus
}
#endif
#endif
