/* passage.h - which shapes meet while bodies move along a path: nothing passes through anything unseen between the ends of it. */
#ifndef SS_PASSAGE_H
#define SS_PASSAGE_H

#include "contact/contact.h"

/* A motion from (t, q) over the time h: q (+) x(s), 0 <= s <= h. x is the cubic with x(0) = 0, x(h) = way and the velocities v0,
 * v1 at its ends; where `way` is NULL, x = s v0. Driven bodies follow their expressions. */
typedef struct ss_path {
    double t, h;
    const double *q, *v0, *v1, *way;
} ss_path;

/* Of the thickness of a pair of shapes: how far they move in the substep of an impact. */
#define SS_PASSAGE_BIT 0.125

/* Distances that are found for a pair before its steps along the path become longer. */
enum { SS_PASSAGE_LOOKS = 1000 };

/* Two shapes that move too far, compared with how thick they are, for what the ends of a path show. */
typedef struct ss_swept_pair {
    int a, b;      /* shapes, a < b                                                                       */
    double gap;    /* their distance at the start; <= 0: they touch                                       */
    double scale;  /* thickness of the pair, m                                                             */
    double brief;  /* a time from the start in which they move by no more than SS_PASSAGE_BIT of the scale, s */
    int looks;     /* number of distances found; above SS_PASSAGE_LOOKS: in steps longer than they should be */
    bool meets;    /* they come to overlap, after having been apart                                       */
    double before; /* a time before that, when they were less than 2 SS_TOL_AT_HAND of the scale apart, s */
    double inside; /* a time at which they overlap, s                                                     */
} ss_swept_pair;

typedef struct ss_swept_pairs {
    int n, cap;
    ss_swept_pair *pair; /* sorted by (a, b) */
    bool any_far;        /* a shape moves too far; false: there are none */
} ss_swept_pairs;

/* The `way` of a path from q0 to q1 with the velocities v0, v1 at its ends: the difference, with as many whole turns as these
 * velocities say. */
void ss_path_way(const ss_model *m, const double *q0, const double *q1, const double *v0, const double *v1, double h,
                 double *way);

typedef struct ss_passage ss_passage;
ss_status ss_passage_create(ss_context *ctx, const ss_model *m, ss_passage **out);
void ss_passage_destroy(ss_passage *p);
/* All pairs of shapes that move too far on this path and come near each other; most often there are none. */
ss_status ss_passage_look(ss_passage *p, const ss_path *path, ss_swept_pairs *out);
/* Do these shapes, on the path of the last look, move too far for what its ends show? Those that are not in its list stay apart.
 */
bool ss_passage_moves_far(const ss_passage *p, int a, int b);
/* Does a contact of shapes overlap at the time s of a path? Others of the same shapes may while it does not. */
bool ss_passage_sees(ss_passage *p, const ss_path *path, double s, const ss_contact *c);
/* Does the gap of a contact of shapes at the end of the path of the last look not tell whether they have passed through each
 * other? It does not where it is negative beside its features, where its normal has turned (one that is fixed to a face may turn
 * with it), and where a body has turned by more than a quarter. */
bool ss_passage_loses(ss_passage *p, const ss_path *path, const ss_contact *c);
/* The pair of these shapes in a list; NULL: it is not there. */
ss_swept_pair *ss_swept_pairs_find(const ss_swept_pairs *list, int a, int b);
void ss_swept_pairs_free(ss_context *ctx, ss_swept_pairs *list);

#endif
