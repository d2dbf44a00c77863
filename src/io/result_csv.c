/* result_csv.c - results as a table of text: one line per state, a header with the names.
 *
 *     t, q by name, v by name, kinetic, potential, residual, penetration, joint_error, contacts, certified
 *
 * Numbers have 17 significant digits: reading them gives the same bits. Lines wait in memory and go to the file whole,
 * many in one call; what a failed call leaves of a line is cut off again. A reader, or a process that is killed, thus
 * finds whole lines, unless it comes within the call itself. */
#include "io/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

enum { FULL = 1 << 16 }; /* bytes that wait at most, but for the last line */

typedef struct csv_file {
    ss_context *ctx;
    char *path;
    int file;   /* -1: not open              */
    char *text; /* whole lines, not yet in the file */
    int used, capacity;
} csv_file;

static ss_status failure(const csv_file *f, int error)
{
    return ss_fail(f->ctx, SS_ERR_IO, "%s: cannot be written: %s", f->path, strerror(error));
}

/* ---- to the file ------------------------------------------------------------------------------- */

/* take back the start of a line, the last of `written` bytes; a pipe or a device cannot */
static void cut_line(const csv_file *f, int written)
{
    int whole = written;
    while (whole > 0 && f->text[whole - 1] != '\n') {
        whole--;
    }
    off_t end = lseek(f->file, 0, SEEK_CUR);
    if (end >= 0 && ftruncate(f->file, end - (written - whole)) == 0) {
        lseek(f->file, whole - written, SEEK_CUR);
    }
}

static ss_status csv_flush(void *file)
{
    csv_file *f = file;
    int written = 0;
    while (written < f->used) {
        ssize_t n = write(f->file, f->text + written, (size_t)(f->used - written));
        if (n < 0 && errno != EINTR) {
            int error = errno;
            cut_line(f, written);
            return failure(f, error);
        }
        written += n > 0 ? (int)n : 0;
    }
    f->used = 0;
    return SS_OK;
}

/* ---- to the text that waits -------------------------------------------------------------------- */

static ss_status put(csv_file *f, const char *text)
{
    size_t n = strlen(text);
    SS_TRY(ss_reserve(f->ctx, &f->text, &f->capacity, f->used + (int)n, 1));
    memcpy(f->text + f->used, text, n);
    f->used += (int)n;
    return SS_OK;
}

/* a name, quoted if it holds a separator */
static ss_status put_name(csv_file *f, const char *name)
{
    SS_TRY(put(f, ","));
    if (!strpbrk(name, ",\"\n\r")) {
        return put(f, name);
    }
    SS_TRY(put(f, "\""));
    for (const char *c = name; *c; c++) {
        SS_TRY(put(f, *c == '"' ? "\"\"" : (char[]){ *c, '\0' }));
    }
    return put(f, "\"");
}

static ss_status put_names(csv_file *f, const ss_model *m, bool velocity)
{
    char name[256];
    for (int b = 0; b < m->bodies; b++) {
        for (int k = 0; k < ss_body_coordinates(m, b, velocity); k++) {
            ss_coordinate_name(m, b, velocity, k, name, sizeof name);
            SS_TRY(put_name(f, name));
        }
    }
    return SS_OK;
}

static ss_status put_header(csv_file *f, const ss_model *m)
{
    SS_TRY(put(f, "t"));
    SS_TRY(put_names(f, m, false));
    SS_TRY(put_names(f, m, true));
    return put(f, ",kinetic,potential,residual,penetration,joint_error,contacts,certified\n");
}

static ss_status put_numbers(csv_file *f, const double *x, int n)
{
    char text[32];
    for (int k = 0; k < n; k++) {
        snprintf(text, sizeof text, ",%.17g", x[k]);
        SS_TRY(put(f, text));
    }
    return SS_OK;
}

static ss_status put_row(csv_file *f, const ss_sim *sim, const ss_step_info *info)
{
    const ss_model *m = ss_sim_model(sim);
    const double tail[] = { info->kinetic, info->potential, info->residual.contact, info->penetration, info->joint_error };
    char text[64];
    snprintf(text, sizeof text, "%.17g", ss_sim_time(sim));
    SS_TRY(put(f, text));
    SS_TRY(put_numbers(f, ss_sim_q(sim), ss_model_nq(m)));
    SS_TRY(put_numbers(f, ss_sim_v(sim), m->nv));
    SS_TRY(put_numbers(f, tail, (int)(sizeof tail / sizeof tail[0])));
    snprintf(text, sizeof text, ",%d,%d\n", info->contacts, info->certified);
    return put(f, text);
}

/* ---- the format -------------------------------------------------------------------------------- */

static ss_status csv_close(void *file, bool failed)
{
    csv_file *f = file;
    ss_status status = failed ? SS_OK : csv_flush(f);
    if (f->file >= 0 && close(f->file) != 0 && !failed && status == SS_OK) {
        status = failure(f, errno);
    }
    ss_free(f->ctx, f->text);
    ss_free(f->ctx, f->path);
    ss_free(f->ctx, f);
    return status;
}

/* the header is in the file before the first step */
static ss_status start_file(csv_file *f, const ss_model *m)
{
    f->file = open(f->path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (f->file < 0) {
        return failure(f, errno);
    }
    SS_TRY(put_header(f, m));
    return csv_flush(f);
}

static ss_status csv_open(ss_context *ctx, const char *path, const ss_scene *scene, const ss_sim *sim, void **file)
{
    csv_file *f;
    (void)scene;
    SS_TRY(ss_calloc(ctx, 1, sizeof *f, &f));
    f->ctx = ctx;
    f->file = -1;
    ss_status status = ss_strdup(ctx, path, &f->path);
    if (status == SS_OK) {
        status = start_file(f, ss_sim_model(sim));
    }
    if (status != SS_OK) {
        csv_close(f, true);
        return status;
    }
    *file = f;
    return SS_OK;
}

/* a row that memory is refused for leaves nothing of itself behind */
static ss_status csv_row(void *file, const ss_sim *sim, const ss_step_info *info)
{
    csv_file *f = file;
    int before = f->used;
    ss_status status = put_row(f, sim, info);
    if (status != SS_OK) {
        f->used = before;
        return status;
    }
    return f->used >= FULL ? csv_flush(f) : SS_OK;
}

const ss_format ss_format_csv = { .open = csv_open, .row = csv_row, .flush = csv_flush, .close = csv_close };
