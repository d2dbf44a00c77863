/* writer.c - result files: which format, which steps, when to flush.
 *
 * Rows are the first state, the first step at or after each multiple of `every` (0: each step), and the last
 * state. Where steps are chosen by a tolerance, the rows are at the multiples themselves, by dense output (ss_sim_at); energies
 * are those of that state, what is said of contacts, joints, ledger and certificate is that of the step it lies in.
 *
 * A format keeps rows in memory, since writing them one by one costs more than many a step. At the end of a step rows that have
 * waited for 0.2 s go to disk. Nobody knows how long the next step will take, so that a program whose steps may be long calls
 * ss_writer_flush from time to time, on a thread of its own and never at the same time as another function of a writer. */
#include "io/writer.h"
#include "base/tolerances.h"

#include "sim/sim.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <strings.h>
#include <sys/stat.h>

struct ss_writer {
    ss_context *ctx;
    const ss_format *format;
    char *path;
    ss_claim claim; /* until the file is begun                   */
    void *file;     /* NULL: it is not                           */
    double every;
    double next;  /* multiple of `every` that is due next      */
    bool unsaved; /* something was written and not flushed     */
    double since; /* wall clock when that began                */
    const ss_sim *sim;
    ss_step_info last; /* the last step seen                        */
    bool waiting;      /* it is not written yet                     */
    bool failed;
    double *q, *v; /* a state inside a step                     */
};

/* ---- names of coordinates ---------------------------------------------------------------------- */

int ss_body_coordinates(const ss_model *m, int body, bool velocity)
{
    switch (m->body_type[body]) {
    case SS_BODY_PARTICLE:
        return m->dimension;
    case SS_BODY_RIGID:
        return m->dimension == 2 ? 3 : velocity ? 6 : 7;
    case SS_BODY_BLOCK:
        return m->body_callbacks[body]->n;
    default:
        return 0;
    }
}

void ss_coordinate_name(const ss_model *m, int body, bool velocity, int k, char *text, size_t size)
{
    static const char *const plane[2][3] = { { "x", "y", "angle" }, { "vx", "vy", "omega" } };
    static const char *const space[2][7] = { { "x", "y", "z", "qw", "qx", "qy", "qz" },
                                             { "vx", "vy", "vz", "wx", "wy", "wz", "" } };
    const char *name = m->body_name[body];
    if (m->body_type[body] == SS_BODY_BLOCK) {
        snprintf(text, size, "%s.%s%d", name, velocity ? "v" : "q", k);
    } else {
        snprintf(text, size, "%s.%s", name, m->dimension == 2 ? plane[velocity][k] : space[velocity][k]);
    }
}

/* ---- writer ------------------------------------------------------------------------------------ */

bool ss_has_extension(const char *path, const char *extension)
{
    const char *dot = strrchr(path, '.');
    return dot && strcasecmp(dot, extension) == 0;
}

static const ss_format *format_of(const char *path)
{
    static const struct {
        const char *extension;
        const ss_format *format;
    } table[] = { { ".csv", &ss_format_csv }, { ".h5", &ss_format_h5 }, { ".hdf5", &ss_format_h5 }, { ".pvd", &ss_format_vtk } };
    for (size_t k = 0; k < sizeof table / sizeof table[0]; k++) {
        if (ss_has_extension(path, table[k].extension)) {
            return table[k].format;
        }
    }
    return NULL;
}

/* from now on something waits */
static void note_unsaved(ss_writer *w)
{
    if (!w->unsaved) {
        w->unsaved = true;
        w->since = ss_clock_seconds();
    }
}

static ss_status flush_older(ss_writer *w, double age)
{
    if (!w->unsaved || ss_clock_seconds() - w->since < age) {
        return SS_OK;
    }
    w->unsaved = false;
    return w->format->flush(w->file);
}

static ss_status flush_when_due(ss_writer *w)
{
    static const double longest_wait = 0.2; /* s */
    return flush_older(w, longest_wait);
}

static ss_status write_row(ss_writer *w, const ss_sim *sim, const ss_step_info *info)
{
    w->waiting = false;
    note_unsaved(w);
    SS_TRY(w->format->row(w->file, sim, info));
    return flush_when_due(w);
}

/* a multiple counts as reached up to round-off of the time */
static bool is_due(ss_writer *w, double t)
{
    if (!(w->every > 0)) {
        return true;
    }
    double reached = floor(t / w->every + SS_TOL_TIME);
    if (reached < w->next) {
        return false;
    }
    w->next = reached + 1;
    return true;
}

/* ---- rows inside steps ------------------------------------------------------------------------- */

/* The step as it would be seen at t: another time, position and velocity. */
static ss_status write_inside(ss_writer *w, const ss_sim *sim, const ss_step_info *info, double t)
{
    ss_step_info here = *info;
    ss_sim view = *sim;
    const int coordinates = ss_model_nq(sim->model), counters = sim->model->counters;
    SS_TRY(ss_sim_at(sim, t, w->q, w->v));
    if (counters > 0) { /* hinges are in the turn of the end */
        memcpy(w->q + coordinates, sim->now.q + coordinates, (size_t)counters * sizeof *w->q);
    }
    SS_TRY(ss_sim_energies_at(sim, t, w->q, w->v, &here.kinetic, &here.potential));
    here.t = view.now.t = t;
    view.now.q = w->q;
    view.now.v = w->v;
    return write_row(w, &view, &here);
}

/* All multiples up to the end of the step. */
static ss_status write_multiples(ss_writer *w, const ss_sim *sim, const ss_step_info *info)
{
    bool waiting = true;
    for (; w->next <= info->t / w->every + SS_TOL_TIME; w->next++) {
        double t = w->next * w->every;
        waiting = t < info->t - SS_TOL_TIME * w->every;
        SS_TRY(waiting ? write_inside(w, sim, info, t) : write_row(w, sim, info));
    }
    w->waiting = waiting;
    return flush_when_due(w);
}

/* ---- the writer's life ------------------------------------------------------------------------- */

ss_status ss_writer_begin(ss_writer *w, const ss_scene *scene, const ss_sim *sim)
{
    const ss_model *m = ss_sim_model(sim);
    w->sim = sim;
    SS_TRY(ss_calloc(w->ctx, (size_t)m->nq, sizeof *w->q, &w->q));
    SS_TRY(ss_calloc(w->ctx, (size_t)m->nv, sizeof *w->v, &w->v));
    SS_TRY(w->format->open(w->ctx, w->path, &w->claim, scene, sim, &w->file));
    is_due(w, ss_sim_time(sim));
    ss_status status = write_row(w, sim, ss_sim_last_step(sim));
    w->failed = status != SS_OK;
    return status;
}

ss_status ss_writer_claim(ss_context *ctx, const char *path, double every, ss_writer **out)
{
    ss_writer *w;
    const ss_format *format = format_of(path);
    *out = NULL;
    if (!format) {
        return ss_fail(ctx, SS_ERR_INPUT, "%s: results are written to .csv, .h5, .hdf5 or .pvd files", path);
    }
    SS_TRY(ss_calloc(ctx, 1, sizeof *w, &w));
    *w = (ss_writer){ .ctx = ctx, .format = format, .claim = { .file = -1 }, .every = every };
    ss_status status = ss_strdup(ctx, path, &w->path);
    status = status == SS_OK ? ss_claim_take(ctx, path, &w->claim) : status;
    if (status != SS_OK) {
        ss_writer_close(w);
        return status;
    }
    *out = w;
    return SS_OK;
}

ss_status ss_writer_create(ss_context *ctx, const char *path, const ss_scene *scene, const ss_sim *sim, double every,
                           ss_writer **out)
{
    SS_TRY(ss_writer_claim(ctx, path, every, out));
    ss_status status = ss_writer_begin(*out, scene, sim);
    if (status != SS_OK) {
        ss_writer_close(*out);
        *out = NULL;
    }
    return status;
}

ss_status ss_writer_step(ss_writer *w, const ss_sim *sim, const ss_step_info *info)
{
    ss_status status;
    w->sim = sim;
    w->last = *info;
    w->waiting = true;
    if (w->every > 0 && ss_sim_tol(sim) > 0) {
        status = write_multiples(w, sim, info);
    } else {
        status = is_due(w, info->t) ? write_row(w, sim, info) : flush_when_due(w);
    }
    w->failed = w->failed || status != SS_OK;
    return status;
}

ss_status ss_writer_event(ss_writer *w, const ss_sim *sim, const ss_event *event)
{
    if (!w->format->event) {
        return SS_OK;
    }
    note_unsaved(w);
    ss_status status = w->format->event(w->file, sim, event);
    w->failed = w->failed || status != SS_OK;
    return status;
}

ss_status ss_writer_flush(ss_writer *w, double age)
{
    ss_status status = w->failed ? SS_OK : flush_older(w, age);
    w->failed = w->failed || status != SS_OK;
    return status;
}

/* A file that was not begun is as it was before. */
static void give_up_claim(ss_writer *w)
{
    if (w->claim.file >= 0 && w->claim.fresh) {
        remove(w->path);
    }
    ss_claim_release(&w->claim);
}

ss_status ss_writer_close(ss_writer *w)
{
    if (!w) {
        return SS_OK;
    }
    ss_status status = SS_OK;
    if (w->waiting && !w->failed) {
        status = w->format->row(w->file, w->sim, &w->last);
        w->failed = status != SS_OK;
    }
    ss_status closed = w->file ? w->format->close(w->file, w->failed) : SS_OK;
    give_up_claim(w);
    ss_free(w->ctx, w->path);
    ss_free(w->ctx, w->q);
    ss_free(w->ctx, w->v);
    ss_free(w->ctx, w);
    return status != SS_OK ? status : closed;
}

/* ---- folders ----------------------------------------------------------------------------------- */

ss_status ss_folder_make(ss_context *ctx, const char *folder)
{
    struct stat there;
    if (mkdir(folder, 0777) == 0 || (errno == EEXIST && stat(folder, &there) == 0 && S_ISDIR(there.st_mode))) {
        return SS_OK;
    }
    return ss_fail(ctx, SS_ERR_IO, "%s: the folder cannot be created: %s", folder, strerror(errno));
}
