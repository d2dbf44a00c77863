/* passage_inside.h - bodies on a path: what passage.c and passage_contacts.c share; for these two alone. */
#ifndef SS_PASSAGE_INSIDE_H
#define SS_PASSAGE_INSIDE_H

#include "contact/passage.h"

/* A body on the path. */
typedef struct ss_mover {
    ss_vec3 v[3];               /* the hull of its velocity           */
    double spin;                /* bound on its angular speed         */
    double bend;                /* how far it leaves the line between its ends */
    bool driven;                /* it is, and moves: the above are 0 but for `bend` */
    double extent, turn;        /* a driven one: diameter of all its places, and range of its angle */
    double hidden, hidden_turn; /* the part of these that its ends do not show                      */
} ss_mover;

struct ss_passage {
    ss_context *ctx;
    const ss_model *model;
    ss_broad_phase *broad;
    ss_box3 *box;    /* of every shape, swept; this, `body`, q and x: NULL until something moves far */
    int *group;      /* of every shape: its body if that moves freely, else -1   */
    double *radius;  /* of every shape, about its body's origin; 0: without end  */
    double *thick;   /* of every shape; 0: without end                           */
    double thinnest; /* of the shapes that are not without end; infinity: none  */
    ss_mover *body;
    bool *far;     /* of GRAIN bodies: does a shape of theirs move far?  */
    double *q, *x; /* nq, nv: of the body at hand */
    double h;      /* of the last path; 0: nothing moved far on it */
    ss_manifold manifold;
};

ss_frame ss_passage_frame(ss_passage *p, const ss_path *path, int body, double s); /* of a body at the time s of the path */
double ss_passage_turn(const ss_passage *p, int shape);                            /* how far its body turns on the path  */

#endif
