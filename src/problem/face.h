/* face.h - the face of a contact law on which an impulse lies, as a linear space with linear equations.
 *
 * Near an impulse r of the face:  r = P x + c,  and the law demands  S u + bend x = 0  of the velocity, x having `count` parts.
 *   open                count 0
 *   stick               P = S = 1
 *   slip, disc          P = (1, mu t) and (0, f),  S = the normal and f;  f is across t, and bend |u_T|/(mu r_N) turns t
 *   slip, polygon       the same on an edge, f along it and bend 0; without f at a corner
 *   associated laws     S = P'
 *   bounded, at a bound count 0, c = the bound                                                        */
#ifndef SS_FACE_H
#define SS_FACE_H

#include "base/base.h"
#include <slipstick/problem.h>

typedef struct ss_face {
    int rows, count;
    double P[9], S[9]; /* part j of x: impulse P + 3 j, equation S + 3 j */
    double bend;       /* of the last part; > 0 only for a disc's slip   */
    bool turns;        /* slip on a disc in space: t depends on the solution */
    double c;          /* bounded rows                                    */
} ss_face;

/* The face of map(y) of contact k (law_map.h), y = r - rho u. */
void ss_face_find(const ss_problem *problem, int k, double rho, const double *y, ss_face *face);
/* Turn the slip of a face that turns to the friction of r, which has a part across it. What was factored before stays right to
 * first order. */
void ss_face_turn(const ss_problem *problem, int k, const double *r, ss_face *face);

#endif
