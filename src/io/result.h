/* result.h - reading results: what the two formats share. Used inside src/io only. */
#ifndef SS_RESULT_H
#define SS_RESULT_H

#include "base/base.h"
#include <slipstick/io.h>

/* A column by name; where it lies is for the format to say. */
typedef struct ss_result_column {
    const char *name, *unit;
    int table, index;
} ss_result_column;

/* A format fills a result when it is opened, and knows how to read from it. */
typedef struct ss_result_format {
    ss_status (*open)(ss_result *result);
    void (*close)(ss_result *result); /* also what an open that failed has left */
    ss_status (*states)(const ss_result *result, int64_t first, int64_t count, double *t, int64_t *step, double *q, double *v);
    ss_status (*column)(const ss_result *result, const ss_result_column *column, int64_t first, int64_t count, double *out);
    ss_status (*events)(const ss_result *result, int64_t first, int64_t count, double *t, ss_event_kind *kind); /* NULL: none */
    ss_status (*offsets)(const ss_result *result, int64_t first, int64_t count, int64_t *offset);               /* NULL: none */
    ss_status (*contacts)(const ss_result *result, int64_t first, int64_t count, ss_result_contact *contact);   /* NULL: none */
} ss_result_format;

extern const ss_result_format ss_result_format_csv, ss_result_format_h5;

/* What a file says of its run; NULL: the format has none. */
typedef struct ss_result_about {
    const char *scheme, *solver, *scene;
    int dimension; /* 0: not known */
} ss_result_about;

/* Columns are t, then q, then v, then the rest; the last one, energy, is a sum and belongs to no format. */
struct ss_result {
    ss_context *ctx;
    ss_arena *arena; /* names and texts */
    char *path;
    const ss_result_format *format;
    void *file; /* the format's own */
    int64_t states, events;
    int nq, nv;
    ss_result_about about;
    ss_result_column *column;
    int columns, capacity;
};

/* Columns of a result in CSV, behind t, q and v; stresses follow. */
enum { SS_RESULT_TAIL = 7 };
extern const char *const ss_result_tail[SS_RESULT_TAIL];

/* The unit that follows from a column's name: "m", "rad/s"; "": none, or not known. */
const char *ss_unit_of(const char *name);
/* Append a column; the name must stay. Its unit follows from the name. */
ss_status ss_result_add_column(ss_result *result, const char *name, int table, int index);
/* Is "ball.x" the name of a coordinate, or of a velocity? */
bool ss_is_coordinate(const char *name, bool velocity);
/* Is "beam.3.moment" the name of a stress? */
bool ss_is_stress(const char *name);

#endif
