/* surface.h - the shapes of a model as points, lines and polygons, for programs that draw. */
#ifndef SS_SURFACE_H
#define SS_SURFACE_H

#include "model/model.h"

/* Cells of one kind: cell k has the corners end[k-1] .. end[k]-1 of the list (from 0 for the first). */
typedef struct ss_cell_list {
    int32_t *corner; /* numbers of points          */
    int32_t *end;    /* one for each cell          */
    int32_t *body;   /* one for each cell: whose it is */
    int corners, cells, corner_cap, end_cap, body_cap;
} ss_cell_list;

enum { SS_CELL_POINTS, SS_CELL_LINES, SS_CELL_POLYGONS, SS_CELL_KINDS };

/* All shapes of all bodies, each in the frame of its body. Zeros are an empty surface. */
typedef struct ss_surface {
    ss_context *ctx;
    ss_vec3 *point;
    int32_t *point_body;
    int points, point_cap, body_cap;
    ss_cell_list list[SS_CELL_KINDS];
} ss_surface;

ss_status ss_surface_make(ss_context *ctx, const ss_model *m, ss_surface *out); /* freed in any case by ss_surface_clear */
void ss_surface_clear(ss_surface *s);

#endif
