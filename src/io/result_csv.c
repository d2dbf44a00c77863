/* result_csv.c - results as a table of text: one line per state, a header with the names.
 *
 *     t, q by name, v by name, kinetic, potential, residual, penetration, joint_error, contacts, certified
 *
 * Numbers have 17 significant digits: reading them gives the same bits. */
#include "io/writer.h"

#include <errno.h>
#include <stdio.h>

typedef struct csv_file {
    ss_context *ctx;
    FILE *stream;
    char *path;
} csv_file;

static ss_status failure(const csv_file *f)
{
    return ss_fail(f->ctx, SS_ERR_IO, "%s: cannot be written: %s", f->path, strerror(errno));
}

/* a name, quoted if it holds a separator */
static void put_name(FILE *stream, const char *name)
{
    if (!strpbrk(name, ",\"\n\r")) {
        fprintf(stream, ",%s", name);
        return;
    }
    fputs(",\"", stream);
    for (const char *c = name; *c; c++) {
        fputs(*c == '"' ? "\"\"" : (char[]){ *c, '\0' }, stream);
    }
    fputc('"', stream);
}

static void put_names(FILE *stream, const ss_model *m, bool velocity)
{
    char name[256];
    for (int b = 0; b < m->bodies; b++) {
        for (int k = 0; k < ss_body_coordinates(m, b, velocity); k++) {
            ss_coordinate_name(m, b, velocity, k, name, sizeof name);
            put_name(stream, name);
        }
    }
}

static void put_header(FILE *stream, const ss_model *m)
{
    fputc('t', stream);
    put_names(stream, m, false);
    put_names(stream, m, true);
    fputs(",kinetic,potential,residual,penetration,joint_error,contacts,certified\n", stream);
}

static ss_status csv_close(void *file, bool failed)
{
    csv_file *f = file;
    ss_status status = SS_OK;
    if (f->stream && fclose(f->stream) != 0 && !failed) {
        status = failure(f);
    }
    ss_free(f->ctx, f->path);
    ss_free(f->ctx, f);
    return status;
}

static ss_status csv_open(ss_context *ctx, const char *path, const ss_scene *scene, const ss_sim *sim, void **file)
{
    csv_file *f;
    (void)scene;
    SS_TRY(ss_calloc(ctx, 1, sizeof *f, &f));
    f->ctx = ctx;
    ss_status status = ss_strdup(ctx, path, &f->path);
    if (status == SS_OK) {
        f->stream = fopen(path, "w");
        status = f->stream ? SS_OK : failure(f);
    }
    if (status != SS_OK) {
        csv_close(f, true);
        return status;
    }
    put_header(f->stream, ss_sim_model(sim));
    *file = f;
    return SS_OK;
}

static void put_numbers(FILE *stream, const double *x, int n)
{
    for (int k = 0; k < n; k++) {
        fprintf(stream, ",%.17g", x[k]);
    }
}

static ss_status csv_row(void *file, const ss_sim *sim, const ss_step_info *info)
{
    csv_file *f = file;
    const ss_model *m = ss_sim_model(sim);
    const double tail[] = { info->kinetic, info->potential, info->residual.contact, info->penetration, info->joint_error };
    fprintf(f->stream, "%.17g", ss_sim_time(sim));
    put_numbers(f->stream, ss_sim_q(sim), m->nq);
    put_numbers(f->stream, ss_sim_v(sim), m->nv);
    put_numbers(f->stream, tail, (int)(sizeof tail / sizeof tail[0]));
    fprintf(f->stream, ",%d,%d\n", info->contacts, info->certified);
    return ferror(f->stream) ? failure(f) : SS_OK;
}

static ss_status csv_flush(void *file)
{
    csv_file *f = file;
    return fflush(f->stream) == 0 ? SS_OK : failure(f);
}

const ss_format ss_format_csv = { .open = csv_open, .row = csv_row, .flush = csv_flush, .close = csv_close };
