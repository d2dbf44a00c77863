/* expr.h - arithmetic expressions in t, compiled once to a small stack program.
 *
 *   number  pi  e  t   + - * / ^  unary -  ( )   sin cos tan asin acos atan sinh cosh tanh exp log
 *   sqrt abs sign floor step min(a,b) max(a,b) atan2(a,b) pow(a,b)
 *
 * "^" binds tighter than unary minus and to the right. Evaluation allocates nothing. */
#ifndef SS_EXPR_H
#define SS_EXPR_H

#include "base/base.h"

typedef struct ss_expr ss_expr;

/* On an error the text says what is wrong and at which character. */
ss_status ss_expr_compile(ss_context *ctx, const char *text, ss_expr **out);
void ss_expr_destroy(ss_context *ctx, ss_expr *expr);
double ss_expr_eval(const ss_expr *expr, double t);
bool ss_expr_knows(const char *name); /* is it that of a function or a constant, or t? */
/* Value, first and second derivative at t, exact but for rounding; where the expression has a kink or begins (sqrt(t) at 0),
 * those from the right. A derivative that is not finite at t is taken 2^-15 later: a body can follow that one. */
void ss_expr_jet(const ss_expr *expr, double t, double d[3]);
/* y = [lo, hi]: all its values from one time to another lie in there. The range may be wider than it has to be, but shrinks with
 * the interval; [-INFINITY, INFINITY] where nothing is known. */
void ss_expr_range(const ss_expr *expr, double from, double to, double y[2]);
bool ss_expr_is_constant(const ss_expr *expr); /* does not mention t */
/* Of an expression that is one number: another number. */
void ss_expr_set_number(ss_expr *expr, double number);
/* An expression that is a straight line, x + v (t - t0), to be set: one of zeros. */
ss_status ss_expr_line(ss_context *ctx, ss_expr **out);
void ss_expr_set_line(ss_expr *expr, double x, double v, double t0);
/* The first time after t, at most `until`, at which it may jump or bend: where the argument of abs, sign or step passes 0, that
 * of floor an integer, one of min and max the other; INFINITY: there is none. The first number that is past it. Where an
 * argument comes back within 1/32 of the interval both passages may be overlooked. */
double ss_expr_next_kink(const ss_expr *expr, double t, double until);

#endif
