/* path_pieces.h - the pieces of which the impulse that a law makes of y consists, each of them smooth, and where y leaves one. */
#ifndef SS_PATH_PIECES_H
#define SS_PATH_PIECES_H

#include "base/base.h"
#include <slipstick/problem.h>

typedef enum ss_law_piece {
    SS_PIECE_FREE, /* r = y: a contact that sticks or presses, a motor below its bound, a joint row */
    SS_PIECE_OPEN, /* r = 0                                                                         */
    SS_PIECE_SLIP, /* r_N = y_N, r_T = mu y_N y_T/|y_T|                                             */
    SS_PIECE_LOW,  /* r = -mu of a bounded row                                                      */
    SS_PIECE_HIGH, /* r = mu                                                                        */
} ss_law_piece;

/* A side of a piece is a function of y that is positive inside and zero where y leaves. */
enum { SS_PIECE_SIDES = 2 };

ss_law_piece ss_piece_of(const ss_problem *problem, int k, const double *y); /* k < 0: a joint row */
/* r and D = dr/dy of this piece, inside it and beyond; D row-major */
void ss_piece_map(const ss_problem *problem, int k, ss_law_piece piece, const double *y, double *r, double *D);
/* side `which` at y, and its derivative by y; false: the piece has no such side */
bool ss_piece_side(const ss_problem *problem, int k, ss_law_piece piece, int which, const double *y, double *side, double *slope);
/* the first s > 0 at which y + s dy leaves by that side, or 0 if it is outside and goes on; INFINITY: never */
double ss_piece_leave(const ss_problem *problem, int k, ss_law_piece piece, int which, const double *y, const double *dy);
ss_law_piece ss_piece_beyond(const ss_problem *problem, int k, ss_law_piece piece, int which); /* the piece behind that side */

#endif
