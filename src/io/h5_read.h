/* h5_read.h - numbers out of HDF5 files that may be foreign, cut or damaged: every size is compared with the size of the
 * file before memory is taken, every type before it is read. Messages name the file and the dataset. */
#ifndef SS_H5_READ_H
#define SS_H5_READ_H

#include "io/h5.h"

typedef struct ss_h5_source {
    ss_context *ctx;
    const char *path;
    ss_arena *arena; /* what is read lies here */
    hid_t file;      /* -1: closed             */
    uint64_t bytes;  /* of the file            */
    uint64_t most;   /* bytes that a dataset can hold: the file's size, and what compression can make of it */
} ss_h5_source;

/* Read-only, without locks; the arena is the caller's. HDF5's messages should be silenced. */
ss_status ss_h5_open(ss_context *ctx, const char *path, ss_arena *arena, ss_h5_source *out);
void ss_h5_close(ss_h5_source *source);

/* "PATH: name: text" as SS_ERR_INPUT */
ss_status ss_h5_refuse(const ss_h5_source *source, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
ss_status ss_h5_refuse_missing(const ss_h5_source *source, const char *name);
/* Does "a/b/c" exist, every part of it? */
bool ss_h5_exists(const ss_h5_source *source, const char *name);

/* A number of the usual kinds: whole, or IEEE of 4 or 8 bytes. */
bool ss_h5_is_number(hid_t type, bool whole);
/* Does the file hold what the dataset says? HDF5 itself reads on without looking. */
ss_status ss_h5_check_storage(const ss_h5_source *source, const char *name, hid_t set);

/* The data of a dataset could not be read: refuse it, with what HDF5 found. */
ss_status ss_h5_refuse_data(const ss_h5_source *source, const char *name);

/* A list (rank 0 or 1) of finite numbers, or of whole numbers that an int can hold. */
ss_status ss_h5_read_numbers(const ss_h5_source *source, const char *name, int *n, double **out);
ss_status ss_h5_read_wholes(const ss_h5_source *source, const char *name, int *n, int **out);
/* The same with a length that is known. */
ss_status ss_h5_read_n_numbers(const ss_h5_source *source, const char *name, int n, double **out);
ss_status ss_h5_read_n_wholes(const ss_h5_source *source, const char *name, int n, int **out);
ss_status ss_h5_read_whole(const ss_h5_source *source, const char *name, int *out); /* the first of at least one */

/* Attributes of /, and texts of fixed length, in the arena. */
ss_status ss_h5_read_attribute(const ss_h5_source *source, const char *name, const char **out);
ss_status ss_h5_read_whole_attribute(const ss_h5_source *source, const char *name, int *out);
/* n texts that are an attribute of an open dataset, which is called `set_name` in messages */
ss_status ss_h5_read_attribute_texts(const ss_h5_source *source, hid_t set, const char *set_name, const char *name, int n,
                                     const char *const **out);
ss_status ss_h5_read_text(const ss_h5_source *source, const char *name, const char **out);
ss_status ss_h5_read_texts(const ss_h5_source *source, const char *name, int n, const char *const **out);

/* A dataset of rows that is read piece by piece. */
typedef struct ss_h5_table {
    hid_t set;           /* -1: closed                    */
    int rank;            /* 1: numbers, 2: rows of `width` numbers, 3: rows of `width` columns of `depth` numbers */
    hsize_t rows, width; /* width 1 if rank is 1          */
    hsize_t depth;       /* 1 unless rank is 3            */
} ss_h5_table;
/* Rows at the end that the file does not hold (a kill within a flush) are left out with a warning; a gap is refused. */
ss_status ss_h5_table_open(const ss_h5_source *source, const char *name, int rank, bool whole, ss_h5_table *out);
void ss_h5_table_close(ss_h5_table *table);
/* Part of a table, which must exist: `count` rows from `first` on, and `width` columns of them from `left` on. */
typedef struct ss_h5_piece {
    hsize_t first, count, left, width;
} ss_h5_piece;
ss_status ss_h5_table_read(const ss_h5_source *source, const char *name, const ss_h5_table *table, const ss_h5_piece *piece,
                           hid_t type, void *out);

#endif
