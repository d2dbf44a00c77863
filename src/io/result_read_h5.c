/* result_read_h5.c - result files as result_h5.c writes them; layout in docs/results.md.
 *
 * A run that was killed within a flush may leave tables of different length: there are as many states as the shortest of
 * them has rows, and likewise events. Names and the scene are read when the file is opened, numbers when they are asked for.
 * Reading one column of a wide table touches all of it. */
#include "io/h5_read.h"
#include "io/result.h"
#include "io/result_contacts.h"
#include "io/writer.h"

enum { TIME, STEP, Q, V, ENERGY, CERTIFICATE, REACTION, DRIVEN, STRESS, OUTPUT, STATES, E_TIME = STATES, E_CODE, TABLES };

static const struct {
    const char *name;
    int rank;
    bool whole;
} tables[TABLES] = {
    [TIME] = { "time", 1, false },
    [STEP] = { "step", 1, true },
    [Q] = { "q", 2, false },
    [V] = { "v", 2, false },
    [ENERGY] = { "energy", 2, false },
    [CERTIFICATE] = { "certificate", 2, false },
    [REACTION] = { "joints/reaction", 2, false },
    [DRIVEN] = { "driven/pose", 2, false },
    [STRESS] = { "elements/stress", 2, false },
    [OUTPUT] = { "outputs/value", 2, false },
    [E_TIME] = { "events/time", 1, false },
    [E_CODE] = { "events/code", 1, true },
};

typedef struct h5_result {
    ss_h5_source source;
    ss_h5_table table[TABLES];
    ss_h5_contacts contacts;
} h5_result;

/* names of one table's columns, as read from the file */
typedef struct table_names {
    int table;
    const char *const *name;
} table_names;

/* ---- opening ----------------------------------------------------------------------------------- */

static ss_status check_format(ss_result *r, const ss_h5_source *source)
{
    const char *format = "";
    int version;
    htri_t there = H5Aexists(source->file, "format");
    if (there < 0) {
        return ss_h5_refuse(source, "/", "its header is damaged");
    }
    if (there > 0) {
        SS_TRY(ss_h5_read_attribute(source, "format", &format));
    }
    if (strcmp(format, "slipstick_result") != 0) {
        return ss_fail(r->ctx, SS_ERR_INPUT, "%s: an HDF5 file, but not a result of slipstick", r->path);
    }
    SS_TRY(ss_h5_read_whole_attribute(source, "version", &version));
    if (version > SS_RESULT_VERSION) {
        return ss_h5_refuse(source, "version", "the file has layout %d, of a newer slipstick; this program reads layout %d",
                            version, SS_RESULT_VERSION);
    }
    if (version != SS_RESULT_VERSION) {
        return ss_h5_refuse(source, "version", "the file has layout %d, this program reads layout %d: write it again with `run`",
                            version, SS_RESULT_VERSION);
    }
    SS_TRY(ss_h5_read_attribute(source, "scheme", &r->about.scheme));
    return ss_h5_read_attribute(source, "solver", &r->about.solver);
}

/* results written by older builds have no poses of driven bodies, no stresses, and no outputs */
static bool is_absent(const h5_result *f, int table)
{
    const char *group = table == DRIVEN ? "driven" : table == STRESS ? "elements" : table == OUTPUT ? "outputs" : NULL;
    return group && H5Lexists(f->source.file, group, H5P_DEFAULT) == 0;
}

static ss_status open_tables(ss_result *r, h5_result *f)
{
    int64_t longest = 0;
    for (int k = 0; k < TABLES; k++) {
        if (is_absent(f, k)) {
            continue;
        }
        ss_h5_table *t = &f->table[k];
        int64_t *rows = k < STATES ? &r->states : &r->events;
        SS_TRY(ss_h5_table_open(&f->source, tables[k].name, tables[k].rank, tables[k].whole, t));
        *rows = k == TIME || k == E_TIME || (int64_t)t->rows < *rows ? (int64_t)t->rows : *rows;
        longest = k < STATES && (int64_t)t->rows > longest ? (int64_t)t->rows : longest;
    }
    if (longest > r->states) {
        ss_log(r->ctx, SS_LOG_WARNING, "%s: the last %lld states are incomplete and left out", r->path,
               (long long)(longest - r->states));
    }
    r->nq = (int)f->table[Q].width;
    r->nv = (int)f->table[V].width;
    return SS_OK;
}

/* names from a list of their own, or from the attribute of the table itself */
static ss_status read_names(const h5_result *f, int table, const char *list, const char *const **out)
{
    int n = (int)f->table[table].width;
    return list ? ss_h5_read_texts(&f->source, list, n, out)
                : ss_h5_read_attribute_texts(&f->source, f->table[table].set, tables[table].name, "columns", n, out);
}

static ss_status add_all(ss_result *r, const h5_result *f, const table_names *names)
{
    for (int k = 0; k < (int)f->table[names->table].width; k++) {
        SS_TRY(ss_result_add_column(r, names->name[k], names->table, k));
    }
    return SS_OK;
}

/* outputs have names that say nothing of their units */
static ss_status add_outputs(ss_result *r, const h5_result *f)
{
    const ss_h5_table *t = &f->table[OUTPUT];
    const char *const *name, *const *unit;
    if (is_absent(f, OUTPUT)) {
        return SS_OK;
    }
    SS_TRY(read_names(f, OUTPUT, "names/output", &name));
    SS_TRY(ss_h5_read_attribute_texts(&f->source, t->set, tables[OUTPUT].name, "units", (int)t->width, &unit));
    for (int k = 0; k < (int)t->width; k++) {
        SS_TRY(ss_result_add_column(r, name[k], OUTPUT, k));
        r->column[r->columns - 1].unit = unit[k];
    }
    return SS_OK;
}

/* the contact residual has the name that the CSV file gives it */
static const char *name_in_file(const char *name) { return strcmp(name, "residual") == 0 ? "contact" : name; }

static bool is_in_tail(const char *name)
{
    int k = 0;
    while (k < SS_RESULT_TAIL && strcmp(name_in_file(ss_result_tail[k]), name) != 0) {
        k++;
    }
    return k < SS_RESULT_TAIL;
}

/* one of the columns that both formats have */
static ss_status add_tail(ss_result *r, const h5_result *f, const table_names names[2], const char *name)
{
    for (int n = 0; n < 2; n++) {
        for (int k = 0; k < (int)f->table[names[n].table].width; k++) {
            if (strcmp(names[n].name[k], name_in_file(name)) == 0) {
                return ss_result_add_column(r, name, names[n].table, k);
            }
        }
    }
    return ss_h5_refuse(&f->source, "energy and certificate", "column %s is missing", name_in_file(name));
}

/* what else the two tables hold */
static ss_status add_rest(ss_result *r, const h5_result *f, const table_names *names)
{
    for (int k = 0; k < (int)f->table[names->table].width; k++) {
        if (!is_in_tail(names->name[k])) {
            SS_TRY(ss_result_add_column(r, names->name[k], names->table, k));
        }
    }
    return SS_OK;
}

static ss_status add_columns(ss_result *r, const h5_result *f)
{
    table_names q = { .table = Q }, v = { .table = V }, reaction = { .table = REACTION };
    table_names driven = { .table = DRIVEN }, stress = { .table = STRESS };
    table_names tail[2] = { { .table = ENERGY }, { .table = CERTIFICATE } };
    SS_TRY(read_names(f, Q, "names/q", &q.name));
    SS_TRY(read_names(f, V, "names/v", &v.name));
    SS_TRY(read_names(f, REACTION, "names/reaction", &reaction.name));
    SS_TRY(is_absent(f, DRIVEN) ? SS_OK : read_names(f, DRIVEN, "names/driven", &driven.name));
    SS_TRY(is_absent(f, STRESS) ? SS_OK : read_names(f, STRESS, "names/stress", &stress.name));
    SS_TRY(read_names(f, ENERGY, NULL, &tail[0].name));
    SS_TRY(read_names(f, CERTIFICATE, NULL, &tail[1].name));
    SS_TRY(ss_result_add_column(r, "t", TIME, 0));
    SS_TRY(add_all(r, f, &q));
    SS_TRY(add_all(r, f, &v));
    for (int k = 0; k < SS_RESULT_TAIL; k++) {
        SS_TRY(add_tail(r, f, tail, ss_result_tail[k]));
    }
    SS_TRY(add_rest(r, f, &tail[0]));
    SS_TRY(add_rest(r, f, &tail[1]));
    SS_TRY(add_all(r, f, &reaction));
    SS_TRY(add_all(r, f, &driven));
    SS_TRY(add_all(r, f, &stress));
    return add_outputs(r, f);
}

static ss_status read_all(ss_result *r, h5_result *f)
{
    SS_TRY(ss_h5_open(r->ctx, r->path, r->arena, &f->source));
    SS_TRY(check_format(r, &f->source));
    SS_TRY(ss_h5_read_whole_attribute(&f->source, "dimension", &r->about.dimension));
    SS_TRY(open_tables(r, f));
    SS_TRY(add_columns(r, f));
    return ss_h5_read_text(&f->source, "scene", &r->about.scene);
}

static ss_status h5_open(ss_result *r)
{
    h5_result *f;
    SS_TRY(ss_calloc(r->ctx, 1, sizeof *f, &f));
    r->file = f;
    f->source.file = -1;
    for (int k = 0; k < TABLES; k++) {
        f->table[k].set = -1;
    }
    ss_h5_contacts_begin(&f->contacts);
    ss_h5_quiet quiet = ss_h5_silence();
    ss_status status = read_all(r, f);
    ss_h5_restore(quiet);
    return status;
}

static void h5_close(ss_result *r)
{
    h5_result *f = r->file;
    ss_h5_quiet quiet = ss_h5_silence();
    for (int k = 0; k < TABLES; k++) {
        ss_h5_table_close(&f->table[k]);
    }
    ss_h5_contacts_end(&f->contacts);
    ss_h5_close(&f->source);
    ss_h5_restore(quiet);
    ss_free(r->ctx, f);
}

/* ---- reading ----------------------------------------------------------------------------------- */

/* rows of every table that is wanted, columns from .. from+width-1 of it */
static ss_status read_tables(const ss_result *r, int64_t first, int64_t count, void *const wanted[TABLES], hsize_t from,
                             hsize_t width)
{
    const h5_result *f = r->file;
    ss_h5_quiet quiet = ss_h5_silence();
    ss_status status = SS_OK;
    for (int k = 0; k < TABLES && status == SS_OK; k++) {
        hid_t type = tables[k].whole ? H5T_NATIVE_INT64 : H5T_NATIVE_DOUBLE;
        if (wanted[k]) {
            ss_h5_piece piece = { (hsize_t)first, (hsize_t)count, from, width ? width : f->table[k].width };
            status = ss_h5_table_read(&f->source, tables[k].name, &f->table[k], &piece, type, wanted[k]);
        }
    }
    ss_h5_restore(quiet);
    return status;
}

static ss_status h5_states(const ss_result *r, int64_t first, int64_t count, double *t, int64_t *step, double *q, double *v)
{
    void *const wanted[TABLES] = { [TIME] = t, [STEP] = step, [Q] = q, [V] = v };
    return read_tables(r, first, count, wanted, 0, 0);
}

static ss_status h5_column(const ss_result *r, const ss_result_column *column, int64_t first, int64_t count, double *out)
{
    void *wanted[TABLES] = { NULL };
    wanted[column->table] = out;
    return read_tables(r, first, count, wanted, (hsize_t)column->index, 1);
}

static ss_status take_kinds(const ss_result *r, int64_t count, const int64_t *code, ss_event_kind *kind)
{
    const h5_result *f = r->file;
    for (int64_t k = 0; k < count; k++) {
        if (code[k] < 0 || code[k] > SS_EVENT_LIMIT) {
            return ss_h5_refuse(&f->source, tables[E_CODE].name, "%lld, expected 0 to %d", (long long)code[k], SS_EVENT_LIMIT);
        }
        kind[k] = (ss_event_kind)code[k];
    }
    return SS_OK;
}

static ss_status h5_events(const ss_result *r, int64_t first, int64_t count, double *t, ss_event_kind *kind)
{
    int64_t *code;
    SS_TRY(ss_calloc(r->ctx, (size_t)count, sizeof *code, &code));
    void *const wanted[TABLES] = { [E_TIME] = t, [E_CODE] = code };
    ss_status status = read_tables(r, first, count, wanted, 0, 0);
    if (status == SS_OK && kind) {
        status = take_kinds(r, count, code, kind);
    }
    ss_free(r->ctx, code);
    return status;
}

static ss_status h5_offsets(const ss_result *r, int64_t first, int64_t count, int64_t *offset)
{
    h5_result *f = r->file;
    ss_h5_quiet quiet = ss_h5_silence();
    ss_status status = ss_h5_contacts_offsets(&f->source, &f->contacts, first, count, offset);
    ss_h5_restore(quiet);
    return status;
}

static ss_status h5_contacts(const ss_result *r, int64_t first, int64_t count, ss_result_contact *out)
{
    h5_result *f = r->file;
    ss_h5_quiet quiet = ss_h5_silence();
    ss_status status = ss_h5_contacts_read(&f->source, &f->contacts, first, count, out);
    ss_h5_restore(quiet);
    return status;
}

const ss_result_format ss_result_format_h5 = {
    .open = h5_open,
    .close = h5_close,
    .states = h5_states,
    .column = h5_column,
    .events = h5_events,
    .offsets = h5_offsets,
    .contacts = h5_contacts,
};
