/* result_csv.c - results as a table of text: one line per state, a header with the names.
 *
 *     t, q by name, v by name, kinetic, potential, residual, penetration, joint_error, contacts, certified, stresses by name,
 *     outputs of the scene by name
 *
 * Numbers have 17 significant digits: reading them gives the same bits. How lines reach the file is in lines.c. Solids with many
 * elements have one stress each, the largest: a table with ten thousands of columns is of no use. */
#include "io/lines.h"
#include "io/result_names.h"
#include "io/writer.h"
#include "model/elements.h"

#include <slipstick/drive.h>

#include <stdio.h>

typedef struct csv_file {
    ss_lines lines;
    double *stress; /* of a state                       */
    int columns;    /* how many of them the file has    */
    double *output; /* all outputs; the first of them are those of the scene, which the file has */
} csv_file;

/* ---- one line ---------------------------------------------------------------------------------- */

/* a name, quoted if it holds a separator */
static ss_status put_name(ss_lines *f, const char *name)
{
    SS_TRY(ss_lines_put(f, ","));
    return strpbrk(name, ",\"\n\r") ? ss_lines_put_quoted(f, name) : ss_lines_put(f, name);
}

static ss_status put_names(ss_lines *f, const ss_model *m, bool velocity)
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

static ss_status put_stress_names(csv_file *f, const ss_model *m)
{
    ss_name_list list = { 0 };
    ss_status status = ss_names_of_stresses(f->lines.ctx, m, &list);
    for (int k = 0; k < f->columns && status == SS_OK; k++) {
        status = put_name(&f->lines, list.text[k]);
    }
    ss_name_list_clear(f->lines.ctx, &list);
    return status;
}

static ss_status put_output_names(ss_lines *f, const ss_model *m)
{
    for (int k = 0; k < ss_model_declared_outputs(m); k++) {
        SS_TRY(put_name(f, ss_model_output_name(m, k)));
    }
    return SS_OK;
}

static ss_status put_header(csv_file *file, const ss_model *m)
{
    ss_lines *f = &file->lines;
    SS_TRY(ss_lines_put(f, "t"));
    SS_TRY(put_names(f, m, false));
    SS_TRY(put_names(f, m, true));
    SS_TRY(ss_lines_put(f, ",kinetic,potential,residual,penetration,joint_error,contacts,certified"));
    SS_TRY(put_stress_names(file, m));
    SS_TRY(put_output_names(f, m));
    return ss_lines_put(f, "\n");
}

static ss_status put_numbers(ss_lines *f, const double *x, int n)
{
    char text[32];
    for (int k = 0; k < n; k++) {
        snprintf(text, sizeof text, ",%.17g", x[k]);
        SS_TRY(ss_lines_put(f, text));
    }
    return SS_OK;
}

static ss_status put_row(csv_file *file, const ss_sim *sim, const ss_step_info *info)
{
    const ss_model *m = ss_sim_model(sim);
    ss_lines *f = &file->lines;
    const double tail[] = { info->kinetic, info->potential, info->residual.contact, info->penetration, info->joint_error };
    char text[64];
    snprintf(text, sizeof text, "%.17g", ss_sim_time(sim));
    SS_TRY(ss_lines_put(f, text));
    SS_TRY(put_numbers(f, ss_sim_q(sim), ss_model_nq(m)));
    SS_TRY(put_numbers(f, ss_sim_v(sim), m->nv));
    SS_TRY(put_numbers(f, tail, (int)(sizeof tail / sizeof tail[0])));
    snprintf(text, sizeof text, ",%d,%d", info->contacts, info->certified);
    SS_TRY(ss_lines_put(f, text));
    ss_model_stresses(m, ss_sim_time(sim), ss_sim_q(sim), file->stress);
    SS_TRY(put_numbers(f, file->stress, file->columns));
    if (ss_model_declared_outputs(m) > 0) {
        SS_TRY(ss_sim_outputs(sim, file->output));
        SS_TRY(put_numbers(f, file->output, ss_model_declared_outputs(m)));
    }
    return ss_lines_put(f, "\n");
}

/* ---- the format -------------------------------------------------------------------------------- */

static void release(ss_context *ctx, csv_file *f)
{
    ss_free(ctx, f->stress);
    ss_free(ctx, f->output);
    ss_free(ctx, f);
}

static ss_status csv_close(void *file, bool failed)
{
    csv_file *f = file;
    ss_context *ctx = f->lines.ctx;
    ss_status status = ss_lines_close(&f->lines, failed);
    release(ctx, f);
    return status;
}

/* elements of solids have columns of their own where they are few; else the largest stress of each solid has to do */
static int stress_columns(const ss_model *m)
{
    enum { MOST = 2000 };
    const int all = ss_model_stress_count(m), elements = ss_solid_stress_count(m) - ss_solid_count(m);
    return elements <= MOST ? all : all - elements;
}

/* the header is in the file before the first step */
static ss_status csv_open(ss_context *ctx, const char *path, ss_claim *claim, const ss_scene *scene, const ss_sim *sim,
                          void **file)
{
    const ss_model *m = ss_sim_model(sim);
    csv_file *f;
    (void)scene;
    SS_TRY(ss_calloc(ctx, 1, sizeof *f, &f));
    f->columns = stress_columns(m);
    ss_status status = ss_calloc(ctx, (size_t)ss_model_stress_count(m), sizeof *f->stress, &f->stress);
    status = status == SS_OK ? ss_calloc(ctx, (size_t)ss_model_output_count(m), sizeof *f->output, &f->output) : status;
    status = status == SS_OK ? ss_lines_begin(ctx, path, claim, &f->lines) : status;
    if (status != SS_OK) {
        release(ctx, f);
        return status;
    }
    status = put_header(f, m);
    status = status == SS_OK ? ss_lines_flush(&f->lines) : status;
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
    int before = f->lines.used;
    ss_status status = put_row(f, sim, info);
    if (status != SS_OK) {
        f->lines.used = before;
        return status;
    }
    return ss_lines_flush_when_full(&f->lines);
}

static ss_status csv_flush(void *file)
{
    csv_file *f = file;
    return ss_lines_flush(&f->lines);
}

const ss_format ss_format_csv = { .open = csv_open, .row = csv_row, .flush = csv_flush, .close = csv_close };
