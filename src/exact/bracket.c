/* bracket.c - Newton's method kept inside a bracket.
 *
 * A step that leaves the bracket, or that is not half of the one before, is replaced by a bisection. It ends where the root
 * is between neighbouring numbers, or where a step no longer moves: Newton's steps take about five evaluations, and
 * bisection alone at most a few hundred. */
#include "exact/bracket.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

double ss_bracket_root(ss_bracket_function f, const void *user, double lo, double hi, double guess)
{
    double slope, first = f(user, lo, &slope), before = hi - lo;
    double s = first == 0 ? lo : guess > lo && guess < hi ? guess : 0.5 * (lo + hi);
    bool falling = first > 0;
    for (int n = 0; n < 400; n++) {
        double value = f(user, s, &slope), step = -value / slope;
        if (value == 0) {
            return s;
        }
        *((value > 0) == falling ? &lo : &hi) = s;
        bool newton = s + step > lo && s + step < hi && fabs(step) < 0.5 * before;
        double next = newton ? s + step : 0.5 * (lo + hi);
        before = newton ? fabs(step) : hi - lo;
        if (fabs(next - s) <= DBL_EPSILON * fabs(s)) {
            return next;
        }
        s = next;
    }
    return s;
}
