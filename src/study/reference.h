/* reference.h - what the runs of a study are measured against: an exact solution, a result file, a finer run. */
#ifndef SS_REFERENCE_H
#define SS_REFERENCE_H

#include "study/trajectory.h"

typedef struct ss_reference ss_reference;

/* The filled-in graph of all components: n rows of `nc` numbers; owned by the reference, valid until the next call. */
typedef struct ss_reference_graph {
    int n;
    const double *t, *x;
    double accuracy; /* the graph is this close to that of the reference; may be worse than what was asked for */
} ss_reference_graph;

/* text: NULL or "exact", a file (.h5, .hdf5, .csv), or SCHEME@H, which is run here. `base`: the scene and its settings. */
ss_status ss_reference_create(ss_context *ctx, const ss_study_case *base, const char *text, ss_quantity quantity,
                              ss_reference **out);
void ss_reference_destroy(ss_reference *reference); /* NULL is fine */

const char *ss_reference_exact_name(const ss_reference *reference); /* NULL: it is not exact     */
/* The longest time between two states that errors in this norm are interpolated between; 0: they are not. */
double ss_reference_spacing(const ss_reference *reference, ss_norm_kind norm);

/* x[n * nc]: values at the times t[n], after the jump where there is one. */
ss_status ss_reference_at(const ss_reference *reference, int n, const double *t, double *x);
/* Where the reference jumps at t, up to 1e-9 of the whole time: x[nc], its value on the other side of the jump. */
ss_status ss_reference_across(ss_reference *reference, double t, double *x, bool *there);
/* A polyline within `accuracy` of the graph of every component; linear pieces are kept as they are. */
ss_status ss_reference_draw(ss_reference *reference, double accuracy, ss_reference_graph *out);

/* Quaternions of n rows of q made to follow each other: of q and -q the one nearer to the row before; the first one to
 * `like`. */
void ss_straighten(const ss_trajectory *shape, const double *like, int n, double *q);

#endif
