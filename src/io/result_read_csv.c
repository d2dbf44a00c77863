/* result_read_csv.c - result files as result_csv.c writes them: a header with the names, one line of numbers per state.
 *
 *   record := field ("," field)* ("\n" | "\r\n")
 *   field  := text without separators | '"' text with '""' for '"' '"'
 *
 * Everything is read when the file is opened. A field that is too long or a line with too many fields ends the reading at once,
 * so that a file that is no result is refused after a few lines. A last line without its end is what a kill within a write
 * leaves, its last number may have lost digits: it is left out with a warning. Anything else that is no result is refused with
 * its line. Numbers are read in the C locale whatever the program's; nan and inf are numbers. Cost: 8 bytes per number. */
#include "io/names.h"
#include "io/result.h"

#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

enum { FIELD = 1024, SHOWN = 40 };

typedef struct csv_result {
    double *number; /* rows of r->columns numbers each, but for the last column, the energy */
    int columns, rows, capacity;
} csv_result;

/* where the reader is */
typedef struct csv_source {
    ss_result *r;
    FILE *file;
    int64_t line;      /* of the record that is being read    */
    int64_t breaks;    /* line breaks so far, also in quotes  */
    char field[FIELD]; /* the last one, ended by 0            */
    size_t length;
    int end;       /* what ended it: ',', '\n' or EOF, if it is not too long */
    bool quoted;   /* the field was in quotes             */
    bool too_long; /* the field did not fit               */
} csv_source;

static ss_status refuse(const csv_source *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
static ss_status refuse(const csv_source *s, const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return ss_fail(s->r->ctx, SS_ERR_INPUT, "%s: line %lld: %s", s->r->path, (long long)s->line, text);
}

/* ---- fields ------------------------------------------------------------------------------------ */

static void put(csv_source *s, int c)
{
    if (s->length < FIELD - 1) {
        s->field[s->length++] = (char)c;
    } else {
        s->too_long = true;
    }
}

static int next(csv_source *s)
{
    int c = getc_unlocked(s->file);
    s->breaks += c == '\n';
    return c;
}

/* the rest of a field in quotes, up to what follows them; a doubled quote is one */
static int take_quoted(csv_source *s)
{
    for (int c = next(s); c != EOF && !s->too_long; c = next(s)) {
        if (c == '"') {
            c = next(s);
            if (c != '"') {
                return c;
            }
        }
        put(s, c);
    }
    return EOF;
}

static void take_field(csv_source *s)
{
    int c = next(s);
    s->length = 0;
    s->too_long = false;
    s->quoted = c == '"';
    c = s->quoted ? take_quoted(s) : c;
    while (c != ',' && c != '\n' && c != EOF && !s->too_long) {
        put(s, c);
        c = next(s);
    }
    s->end = c;
    if (c == '\n' && !s->too_long && s->length > 0 && s->field[s->length - 1] == '\r') {
        s->length--;
    }
    s->field[s->length] = '\0';
}

static ss_status check_reading(const csv_source *s)
{
    int error = errno;
    return ferror(s->file) ? ss_fail(s->r->ctx, SS_ERR_IO, "%s: cannot be read: %s", s->r->path, strerror(error)) : SS_OK;
}

/* ---- header ------------------------------------------------------------------------------------ */

static ss_status add_name(csv_source *s)
{
    char *name;
    if (s->too_long || memchr(s->field, '\0', s->length)) {
        return refuse(s, "the name of column %d is too long or not a text", s->r->columns + 1);
    }
    SS_TRY(ss_arena_take(s->r->arena, s->length + 1, 1, &name));
    memcpy(name, s->field, s->length);
    return ss_result_add_column(s->r, name, 0, s->r->columns);
}

static ss_status expect_name(const csv_source *s, int k, const char *expected)
{
    const char *name = k < s->r->columns ? s->r->column[k].name : "";
    return strcmp(name, expected) == 0
               ? SS_OK
               : refuse(s, "not the header of a result: column %d is \"%.*s\", expected \"%s\"", k + 1, SHOWN, name, expected);
}

/* Outputs have any name that no column before them has; no unit is guessed from it. */
static ss_status check_output(csv_source *s, ss_name_table *names, int k)
{
    const char *name = s->r->column[k].name;
    if (!*name || ss_name_table_has(names, name)) {
        return refuse(s, "not the header of a result: column %d is \"%.*s\", expected a name of its own", k + 1, SHOWN, name);
    }
    s->r->column[k].unit = "";
    return SS_OK;
}

static ss_status check_outputs(csv_source *s, int first)
{
    ss_name_table names = { 0 };
    ss_status status = SS_OK;
    int number;
    for (int k = first < s->r->columns ? 0 : first; k < s->r->columns && status == SS_OK; k++) {
        status = k < first ? SS_OK : check_output(s, &names, k);
        status = status == SS_OK ? ss_name_table_number(s->r->ctx, &names, s->r->column[k].name, &number) : status;
    }
    ss_name_table_clear(s->r->ctx, &names);
    return status;
}

/* t, coordinates, velocities, the seven that every result has, stresses, and outputs */
static ss_status check_header(csv_source *s)
{
    ss_result *r = s->r;
    int k = 1;
    for (; k < r->columns && ss_is_coordinate(r->column[k].name, false); k++) {
        r->nq++;
    }
    for (; k < r->columns && ss_is_coordinate(r->column[k].name, true); k++) {
        r->nv++;
    }
    for (int j = 0; j < SS_RESULT_TAIL; j++) {
        SS_TRY(expect_name(s, k + j, ss_result_tail[j]));
    }
    for (k += SS_RESULT_TAIL; k < r->columns && ss_is_stress(r->column[k].name); k++) {}
    return check_outputs(s, k);
}

static ss_status read_header(csv_source *s)
{
    s->line = 1;
    do {
        take_field(s);
        if (s->end == EOF) {
            SS_TRY(check_reading(s));
            bool empty = s->r->columns == 0 && s->length == 0 && !s->quoted;
            return empty ? ss_fail(s->r->ctx, SS_ERR_INPUT, "%s: the file is empty", s->r->path)
                         : refuse(s, "the header is cut off, or this is no result");
        }
        SS_TRY(add_name(s));
        SS_TRY(s->r->columns == 1 ? expect_name(s, 0, "t") : SS_OK);
    } while (s->end == ',');
    return check_header(s);
}

/* ---- rows -------------------------------------------------------------------------------------- */

/* decimal, nan or inf, and nothing else in the field */
static bool take_number(const csv_source *s, double *out)
{
    char *end;
    *out = strtod(s->field, &end);
    return s->length > 0 && end == s->field + s->length && strchr("+-.0123456789ni", s->field[0]) && !s->quoted && !s->too_long;
}

static ss_status check_row(const csv_source *s, int fields, int bad, const char *text)
{
    int columns = s->r->columns;
    if (fields != columns) {
        return refuse(s, "%d column%s, expected %d", fields, fields == 1 ? "" : "s", columns);
    }
    return bad < 0 ? SS_OK : refuse(s, "column %d (%s) is \"%s\", expected a number", bad + 1, s->r->column[bad].name, text);
}

/* one line into `row`; nothing is judged before the line is known to be whole */
static ss_status read_row(csv_source *s, double *row, bool *whole)
{
    char text[SHOWN + 1] = "";
    int fields = 0, bad = -1;
    s->line = s->breaks + 1;
    do {
        double number;
        take_field(s);
        if (!take_number(s, &number) && bad < 0) {
            bad = fields;
            snprintf(text, sizeof text, "%.*s", SHOWN, s->field);
        }
        if (fields < s->r->columns) {
            row[fields] = number;
        }
        fields++;
    } while (s->end == ',' && fields <= s->r->columns && !s->too_long);
    if (s->too_long || s->end == ',') {
        return s->too_long ? refuse(s, "column %d has more than %d characters", fields, FIELD - 1)
                           : refuse(s, "more than %d columns", s->r->columns);
    }
    *whole = s->end == '\n';
    if (s->end == EOF && (fields > 1 || s->length > 0 || s->quoted)) {
        ss_log(s->r->ctx, SS_LOG_WARNING, "%s: line %lld is cut off and left out", s->r->path, (long long)s->line);
    }
    return *whole ? check_row(s, fields, bad, text) : check_reading(s);
}

static ss_status read_rows(csv_source *s, csv_result *f)
{
    bool whole = true;
    f->columns = s->r->columns;
    while (whole) {
        SS_TRY(ss_reserve(s->r->ctx, &f->number, &f->capacity, f->rows + 1, (size_t)f->columns * sizeof *f->number));
        SS_TRY(read_row(s, f->number + (size_t)f->rows * (size_t)f->columns, &whole));
        f->rows += whole;
    }
    s->r->states = f->rows;
    return SS_OK;
}

/* ---- the format -------------------------------------------------------------------------------- */

static ss_status read_file(csv_source *s, csv_result *f)
{
    locale_t numbers = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!numbers) {
        return ss_fail(s->r->ctx, SS_ERR_MEMORY, "out of memory: no C locale");
    }
    locale_t callers = uselocale(numbers);
    ss_status status = read_header(s);
    status = status == SS_OK ? read_rows(s, f) : status;
    uselocale(callers);
    freelocale(numbers);
    return status;
}

static ss_status csv_open(ss_result *r)
{
    csv_result *f;
    csv_source s = { .r = r };
    SS_TRY(ss_calloc(r->ctx, 1, sizeof *f, &f));
    r->file = f;
    s.file = fopen(r->path, "rb");
    if (!s.file) {
        return ss_fail(r->ctx, SS_ERR_IO, "%s: cannot be opened: %s", r->path, strerror(errno));
    }
    ss_status status = read_file(&s, f);
    fclose(s.file);
    return status;
}

static void csv_close(ss_result *r)
{
    csv_result *f = r->file;
    ss_free(r->ctx, f->number);
    ss_free(r->ctx, f);
}

/* columns left .. left+width-1 of the states, packed */
static void copy(const csv_result *f, int64_t first, int64_t count, int left, int width, double *out)
{
    for (int64_t k = 0; k < count && out; k++) {
        const double *row = f->number + (size_t)(first + k) * (size_t)f->columns + left;
        memcpy(out + k * width, row, (size_t)width * sizeof *out);
    }
}

static ss_status csv_states(const ss_result *r, int64_t first, int64_t count, double *t, int64_t *step, double *q, double *v)
{
    copy(r->file, first, count, 0, 1, t);
    copy(r->file, first, count, 1, r->nq, q);
    copy(r->file, first, count, 1 + r->nq, r->nv, v);
    for (int64_t k = 0; k < count && step; k++) {
        step[k] = -1;
    }
    return SS_OK;
}

static ss_status csv_column(const ss_result *r, const ss_result_column *column, int64_t first, int64_t count, double *out)
{
    copy(r->file, first, count, column->index, 1, out);
    return SS_OK;
}

const ss_result_format ss_result_format_csv = {
    .open = csv_open, .close = csv_close, .states = csv_states, .column = csv_column
};
