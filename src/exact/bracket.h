/* bracket.h - the root of a smooth function between two ends. */
#ifndef SS_BRACKET_H
#define SS_BRACKET_H

/* f(s), and its slope in *slope */
typedef double (*ss_bracket_function)(const void *user, double s, double *slope);
/* The root between lo and hi, f(lo) and f(hi) being of opposite signs, to round-off; `guess` is where to begin. */
double ss_bracket_root(ss_bracket_function f, const void *user, double lo, double hi, double guess);

#endif
