/* vtp.h - one file of VTK polygons (.vtp), or of an unstructured grid (.vtu), out of arrays. */
#ifndef SS_VTP_H
#define SS_VTP_H

#include "base/base.h"

/* The parts of a file, in the order in which they are written. */
typedef enum ss_vtp_part {
    SS_VTP_FIELD, /* of the whole file       */
    SS_VTP_POINT, /* one row for each point  */
    SS_VTP_CELL,  /* one row for each cell   */
    SS_VTP_POINTS,
    SS_VTP_VERTS,
    SS_VTP_LINES,
    SS_VTP_POLYS,
    SS_VTP_CELLS, /* of a grid, which has neither verts nor lines nor polys */
    SS_VTP_PARTS
} ss_vtp_part;

typedef enum ss_vtp_type { SS_VTP_FLOAT32, SS_VTP_FLOAT64, SS_VTP_INT32, SS_VTP_UINT8, SS_VTP_STRING } ss_vtp_type;

typedef struct ss_vtp_array {
    ss_vtp_part part;
    const char *name;
    ss_vtp_type type;
    int components;   /* numbers in a row                                              */
    int64_t rows;     /* strings: how many                                             */
    const void *data; /* strings: one behind the other, each with its zero             */
    size_t bytes;     /* strings: of all together; numbers: 0, since rows say it already */
} ss_vtp_array;

typedef struct ss_vtp {
    int64_t points, verts, lines, polys;
    int64_t cells;             /* above 0: a grid             */
    const ss_vtp_array *array; /* in the order of their parts */
    int arrays;
} ss_vtp;

/* Write the file; if that fails, nothing of it is left. */
ss_status ss_vtp_write(ss_context *ctx, const char *path, const ss_vtp *vtp);

#endif
