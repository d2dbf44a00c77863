/* root.c - a bracketed root of a continuous function.
 *
 * Regula falsi with the Illinois rule (the kept end's value is halved when the same end stays twice),
 * and a bisection whenever three steps did not halve the bracket. Converges for every continuous f,
 * at order 1.44 where f is smooth. It ends where |f| <= accept, on either side, or at the end of the
 * smallest bracket where f <= 0: an event that has happened.
 *
 * Symbols   f(a) > 0 >= f(b): the bracket [a, b];  tol: on its width;  accept: on |f|
 * Cost      about 6 evaluations to twelve digits */
#include "events/events.h"
#include <math.h>

typedef struct bracket {
    double a, fa, b, fb; /* fa > 0 >= fb               */
    double ga, gb;       /* values the secant goes through */
    int last;            /* end replaced last: 1 a, -1 b  */
} bracket;

static double secant_point(const bracket *k)
{
    double s = k->a + (k->b - k->a) * (k->ga / (k->ga - k->gb));
    return s > k->a && s < k->b ? s : 0.5 * (k->a + k->b);
}

/* Replace the end that s improves; the value at an end kept twice in a row is halved (Illinois). */
static void shrink(bracket *k, double s, double f)
{
    int end = f > 0 ? 1 : -1;
    if (f > 0) {
        k->a = s;
        k->fa = k->ga = f;
        k->gb *= k->last == end ? 0.5 : 1;
    } else {
        k->b = s;
        k->fb = k->gb = f;
        k->ga *= k->last == end ? 0.5 : 1;
    }
    k->last = end;
}

ss_status ss_root_bracketed(ss_root_eval eval, void *user, double a, double fa, double b, double fb, double tol, double accept,
                            double *root, int *evaluations)
{
    bracket k = { a, fa, b, fb, fa, fb, 0 };
    double goal = 0.5 * (b - a);
    *root = b;
    for (int n = 0, since = 0; n < 200 && k.b - k.a > tol && -k.fb > accept; n++) {
        bool bisect = since == 3;
        double s = bisect ? 0.5 * (k.a + k.b) : secant_point(&k), f = 0;
        if (!(s > k.a && s < k.b)) {
            break; /* the bracket is down to neighbouring numbers */
        }
        SS_TRY(eval(user, s, &f));
        ++*evaluations;
        *root = s;
        if (fabs(f) <= accept) {
            return SS_OK;
        }
        shrink(&k, s, f);
        since = bisect ? 0 : since + 1;
        if (k.b - k.a <= goal) {
            goal = 0.5 * (k.b - k.a);
            since = 0;
        }
    }
    *root = k.b;
    return SS_OK;
}
