/* path_inside.h - one solve of alm_path, which alm_path.c and path_step.c share; for these two files alone. */
#ifndef SS_PATH_INSIDE_H
#define SS_PATH_INSIDE_H

#include "solvers/alm/alm_inside.h"
#include "solvers/alm/path_matrix.h"

typedef struct ss_path_params {
    int max_steps, patience, newton, sweeps;
    double start, limit;
} ss_path_params;

/* what is kept from solve to solve */
typedef struct ss_path_work {
    const ss_path_params *params;
    ss_alm_params newton;  /* alm's own defaults      */
    void *alm;             /* an ss_alm_work          */
    void *sweeping, *nsgs; /* nsgs: its options, work */
} ss_path_work;

/* Where the path goes: a unit vector, |dv|^2 + dt^2 = 1 with velocities in the unit of the place where it was found. */
typedef struct ss_path_tangent {
    double *dv, dt; /* n; t = ln k            */
    double *y, *dy; /* rows: y where it begins, change of y along it */
} ss_path_tangent;

/* The side by which a group leaves its piece. */
typedef struct ss_path_event {
    int group, side; /* group -1: none */
} ss_path_event;

/* one solve */
typedef struct ss_path_run {
    ss_alm_run alm;  /* at: where the path is; next: where a step would lead */
    double t;        /* ln k of `at`                                        */
    double unit;     /* of velocities: one that changes impulses by as much as the largest of them, at this k */
    double rounding; /* corrections below it are round-off */
    double force;    /* largest sqrt(d) |r| at the start                    */
    ss_law_piece *piece;
    double *y; /* rows: of the point that was evaluated last */
    ss_path_tangent tangent;
    ss_path_matrix matrix;
    double *Jz, *z; /* rows; n: a correction */
    int idle;       /* steps without length, one after the other */
} ss_path_run;

void ss_path_find_pieces(ss_path_run *run); /* every group on the piece of its y at `at` */
/* The tangent at `at`, with its matrix. After an event it leads out of the piece that was left, else on. *found:
 * false if the matrix is singular. */
ss_status ss_path_find_tangent(ss_path_run *run, const ss_path_event *left, ss_law_piece before, bool *found);
/* The first side that the tangent reaches within *length, which becomes the distance to it. */
ss_path_event ss_path_next_event(const ss_path_run *run, double *length);
/* next <- the point of the path at that distance, or the one at the event. Returns the corrections it took; 0: none was found */
ss_status ss_path_move(ss_path_run *run, double length, const ss_path_event *event, double *t, int *corrections);

#endif
