/* cone_newton.h - contact laws as cones, and what Newton's method for their central path needs, contact by contact.
 *
 * All vectors over contact rows (u, r, their changes) are in the caller's scaled coordinates, in which a friction cone has
 * mu = 1 and masses and lengths are divided out. */
#ifndef SS_CONE_NEWTON_H
#define SS_CONE_NEWTON_H

#include "base/base.h"
#include "solvers/cone_ipm/nt_scaling.h"
#include <slipstick/problem.h>

typedef enum ss_cone_kind {
    SS_CONE_NONE,    /* no impulse at all              */
    SS_CONE_ONE,     /* a half line or a circular cone */
    SS_CONE_POLYGON, /* a half line for each direction */
    SS_CONE_BOX,     /* a row with |r| <= bound        */
} ss_cone_kind;

/* what a box has besides its two half lines; by contact, those of other kinds are not looked at */
typedef struct ss_cone_boxes {
    double *bound;      /* f, on |r|                                                 */
    double *top, *dtop; /* t; its change                                             */
    double *remainder;  /* f - z_1 - z_2, which the step should remove               */
    double *held;       /* r, which z_2 - z_1 of a generous bound cannot tell        */
} ss_cone_boxes;

typedef struct ss_cone_newton {
    const ss_problem *problem;
    int cones;
    double prox;        /* delta                                   */
    int *first;         /* contacts+1: the cones of each           */
    ss_cone_kind *kind; /* contacts                                */
    ss_cone_boxes box;
    ss_nt *nt;       /* cones: s and z of each                        */
    double *p;       /* 3 per cone: T u - s                           */
    double *y, *g;   /* 3 per cone: the aim; dz where du = 0          */
    double *ds, *dz; /* 3 per cone: the direction, scaled by W^-1 and W */
} ss_cone_newton;

/* moves[k] false: contact k touches nothing. bound: of |r|, for bounded rows. The arrays live in the arena. */
ss_status ss_cone_newton_prepare(ss_arena *arena, const ss_problem *problem, const bool *moves, const double *bound, double prox,
                                 ss_cone_newton *out);

/* W = I and p = u: the least-squares problem that a start comes from. */
void ss_cone_newton_identity(ss_cone_newton *c, const double *u);
/* After a direction of that problem: s = T u and z = dz, both moved well inside. */
void ss_cone_newton_start(ss_cone_newton *c, const double *u);
/* s of u and z of r, moved inside by as much as they fail to obey the laws, and at least by `least`. False, and nothing is done,
 * if that were more than `most`. */
bool ss_cone_newton_warm(ss_cone_newton *c, const double *u, const double *r, double least, double most);

/* p = u - s on the cones, and the remainder of the boxes. */
void ss_cone_newton_residual(ss_cone_newton *c, const double *u);
double ss_cone_newton_gap(const ss_cone_newton *c);              /* s.z / cones; 0 without cones */
void ss_cone_newton_impulse(const ss_cone_newton *c, double *r); /* r of z */
/* What u and r of contact k lack of u.r = 0 with u in K*: |u.r|, and how far u is outside times the normal impulse. */
double ss_cone_newton_slackness(const ss_cone_newton *c, int k, const double *u, const double *r);
void ss_cone_newton_blocks(const ss_cone_newton *c, double *D); /* D = -dr/du, 9 per contact */
/* Aim at lambda o lambda = mu e; corrected: with the product of the last direction. */
void ss_cone_newton_aim(ss_cone_newton *c, double mu, bool corrected);
void ss_cone_newton_force(ss_cone_newton *c, double *dr);          /* dr where du = 0 */
void ss_cone_newton_direct(ss_cone_newton *c, const double *du);   /* ds and dz */
double ss_cone_newton_reach(const ss_cone_newton *c, double most); /* longest step that stays inside */
double ss_cone_newton_gap_at(const ss_cone_newton *c, double a);   /* the gap after a step a */
/* The part of dz that lies in K, as impulses; none for boxes: what an infeasible problem's impulses grow by. */
void ss_cone_newton_growth(const ss_cone_newton *c, double *r);
/* Take the step. False, and nothing is done, if round-off (or a number that is none) puts a cone outside. */
bool ss_cone_newton_advance(ss_cone_newton *c, double a);

#endif
