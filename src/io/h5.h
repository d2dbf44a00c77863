/* h5.h - the little of HDF5 that the writers need. The library's own messages stay off while we call it. */
#ifndef SS_H5_H
#define SS_H5_H

#include "base/claim.h"
#include <hdf5.h>

/* HDF5's error printing, off between silence and restore. */
typedef struct ss_h5_quiet {
    H5E_auto2_t print;
    void *data;
} ss_h5_quiet;
ss_h5_quiet ss_h5_silence(void);
void ss_h5_restore(ss_h5_quiet quiet);

/* A new file at a path that was claimed, in the format of HDF5 1.8 (check sums, and no mark that says "open for writing"),
 * without HDF5's locks; `bytes`: there must be room for so much. */
ss_status ss_h5_create(ss_context *ctx, const char *path, const ss_claim *claim, size_t bytes, hid_t *file);
/* Make sure that the file can grow by so much. */
ss_status ss_h5_reserve(ss_context *ctx, hid_t file, const char *path, size_t bytes);
/* Close a file and give back what was reserved and not used; negative: failed. */
int ss_h5_finish(hid_t file, const char *path);
hid_t ss_h5_make_group(hid_t parent, const char *name); /* negative: failed */
/* "PATH: cannot be written: reason" */
ss_status ss_h5_fail(ss_context *ctx, const char *path);

/* Small things written once; negative: failed. */
int ss_h5_write_array(hid_t parent, const char *name, hid_t type, hsize_t n, const void *data); /* 1D */
int ss_h5_write_text(hid_t parent, const char *name, const char *text);                         /* scalar of fixed length */
ss_status ss_h5_write_texts(ss_context *ctx, hid_t parent, const char *name, int n, const char *const *text, const char *path);
int ss_h5_attribute_text(hid_t object, const char *name, const char *text);
int ss_h5_attribute_of(hid_t parent, const char *dataset, const char *name, const char *text); /* of a dataset by its name */
int ss_h5_attribute_int(hid_t object, const char *name, int value);
ss_status ss_h5_attribute_texts(ss_context *ctx, hid_t object, const char *name, int n, const char *const *text,
                                const char *path);

/* A dataset that grows by rows of width[0] x width[1] elements. Rows wait in memory until flushed, so that
 * the file on disk changes only while it is being flushed. */
typedef struct ss_h5_column {
    hid_t set, type;
    bool owns_type;
    bool any_length; /* elements are char *, owned while they wait */
    int rank;
    hsize_t width[2], rows; /* rows on disk   */
    size_t row_bytes;
    char *wait; /* rows in memory */
    int waiting, capacity;
    int compress; /* 0: not */
} ss_h5_column;

/* What elements are in memory and in the file, and how much they are compressed there: 0: not at all, else 1 .. 9. */
typedef struct ss_h5_kind {
    hid_t memory, disk; /* H5T_NATIVE_DOUBLE, ... */
    int compress;
} ss_h5_kind;

/* rank 1: scalars, 2: width[0], 3: width[0] x width[1] */
ss_status ss_h5_column_create(ss_context *ctx, hid_t parent, const char *name, ss_h5_kind kind, int rank, hsize_t width0,
                              hsize_t width1, const char *path, ss_h5_column *out);
/* texts of at most `longest` bytes, filled up with zeros; 0: of any length */
ss_status ss_h5_column_create_text(ss_context *ctx, hid_t parent, const char *name, size_t longest, const char *path,
                                   ss_h5_column *out);
ss_status ss_h5_column_push(ss_context *ctx, ss_h5_column *column, const void *row);
/* Room for n rows, to be written from *place on before anything else is asked of the column. */
ss_status ss_h5_column_extend(ss_context *ctx, ss_h5_column *column, int n, void *place /* a T** */);
ss_status ss_h5_column_push_text(ss_context *ctx, ss_h5_column *column, const char *text);
size_t ss_h5_column_need(const ss_h5_column *column); /* bytes on disk that a flush may take, at most */
/* The rows that wait; of a compressed dataset whole chunks, the others only if it is the last flush. */
ss_status ss_h5_column_flush(ss_context *ctx, ss_h5_column *column, bool last, const char *path);
void ss_h5_column_close(ss_context *ctx, ss_h5_column *column); /* what still waits is lost */

#endif
