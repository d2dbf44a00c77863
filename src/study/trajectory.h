/* trajectory.h - a run kept in memory: the states at the ends of its steps, and both sides of every jump inside them. */
#ifndef SS_TRAJECTORY_H
#define SS_TRAJECTORY_H

#include "study/norms.h"
#include <slipstick/io.h>
#include <slipstick/study.h>

/* Figures of a state besides q and v, by their names. */
#define SS_FIGURE_LIST(FIGURE)                                                                                                   \
    FIGURE(kinetic)                                                                                                              \
    FIGURE(potential)                                                                                                            \
    FIGURE(energy)                                                                                                               \
    FIGURE(residual)                                                                                                             \
    FIGURE(penetration)                                                                                                          \
    FIGURE(joint_error)                                                                                                          \
    FIGURE(contacts)                                                                                                             \
    FIGURE(normal_force)                                                                                                         \
    FIGURE(displacing_impulse)
enum {
#define SS_FIGURE_INDEX(name) SS_FIGURE_##name,
    SS_FIGURE_LIST(SS_FIGURE_INDEX)
#undef SS_FIGURE_INDEX
        SS_FIGURES
};

typedef struct ss_trajectory {
    ss_context *ctx;
    int nq, nv, nr, dimension; /* nr: two for each row of the joints; 0: read from a file */
    int n;                     /* rows; the first is the initial state                             */
    double *t;                 /* n, not decreasing                                                */
    double *q, *v;             /* n x nq, n x nv                                                   */
    double *figure; /* n x (SS_FIGURES + nr), forces of joints behind the figures; an instant inside a step has those of the last
                       one; NULL: read from a file */
    bool *inside;   /* n: an instant inside a step (one side of a jump), not the end of one */
    char **name; /* nq names of q ("ball.x"), nv of v ("ball.vx"), nr of joints ("pivot.reaction.0", then "pivot.displacing.0") */
    int *quat;   /* nq: where the quaternion begins that this coordinate belongs to; -1: none */
    uint64_t fingerprint; /* of the scene; 0: not known             */
    ss_summary work;      /* of the run; zero if it was read from a file */
} ss_trajectory;

/* The scene of a case as it will run, and its model; both NULL on failure. */
ss_status ss_study_case_open(ss_context *ctx, const ss_study_case *study_case, ss_scene **scene, ss_model **model);
/* Could it be run? Everything up to the first step. */
ss_status ss_study_case_try(ss_context *ctx, const ss_study_case *study_case);
/* A simulation of the case's model, which ends when the case's watch is interrupted. */
ss_status ss_study_case_sim(ss_context *ctx, const ss_study_case *study_case, const ss_model *model, ss_sim **out);
/* A step must divide [0, until] up to 1e-9; *step becomes the one that does so exactly. */
ss_status ss_study_divide(ss_context *ctx, double until, double *step);

/* No rows yet: sizes, names and quaternions of a model's coordinates. */
ss_status ss_trajectory_describe(ss_context *ctx, const ss_model *model, ss_trajectory **out);
/* Run a case from its start to its end. `json` (may be NULL): the run as `run --json` prints it, freed with ss_blob_free. */
ss_status ss_trajectory_run(ss_context *ctx, const ss_study_case *study_case, ss_trajectory **out, char **json);
/* The states of a result file. */
ss_status ss_trajectory_read(ss_context *ctx, const char *path, ss_trajectory **out);
void ss_trajectory_destroy(ss_trajectory *trajectory); /* NULL is fine */

/* The first name in which the coordinates of two trajectories differ: SS_ERR_INPUT, as `what` has it and as it should be. */
ss_status ss_trajectory_same(const ss_trajectory *x, const char *what, const ss_trajectory *wanted);
/* Bytes of a row of n numbers in q, v or figure; at least one number, so that a model without velocities has rows too. */
static inline size_t ss_trajectory_row_bytes(int n) { return (size_t)(n > 0 ? n : 1) * sizeof(double); }
/* The rows of q or v: nq or nv numbers each. */
static inline const double *ss_trajectory_rows(const ss_trajectory *x, ss_quantity quantity)
{
    return quantity == SS_QUANTITY_Q ? x->q : x->v;
}
/* x[n * nc]: all components of q or v at the times t[n], linear between rows, after the jump where there is one. */
ss_status ss_trajectory_sample(const ss_trajectory *trajectory, ss_quantity quantity, int n, const double *t, double *x);
/* Where v jumps within `slack` of t: x[nc], the state on the other side of the jump than that of ss_trajectory_sample. */
bool ss_trajectory_across(const ss_trajectory *trajectory, ss_quantity quantity, double t, double slack, double *x);
/* The coordinate or figure with this name ("t" too) as a graph; unknown: names the nearest. */
ss_status ss_trajectory_series(const ss_trajectory *trajectory, const char *name, ss_graph *out);

#endif
