/* cylinder_touch.h - shapes of one line, and all gaps of a pair. */
#ifndef SS_TEST_CYLINDER_TOUCH_H
#define SS_TEST_CYLINDER_TOUCH_H

#include "poses.h"

enum { SAMPLES = 3000, PATHS = 60, STEPS = 200 };

/* all gaps of a pair, evaluated */
typedef struct touch {
    ss_manifold m;
    ss_gap_value v[SS_MANIFOLD_MAX];
    double least;
} touch;

static inline touch meet(const ss_shape *a, const ss_frame *fa, const ss_shape *b, const ss_frame *fb, double margin)
{
    touch t = { .least = INFINITY };
    ss_collide(a, fa, b, fb, margin, &t.m);
    for (int k = 0; k < t.m.n; k++) {
        ss_gap_eval(&t.m.gap[k], fa, fb, &t.v[k]);
        t.least = fmin(t.least, t.v[k].gap);
    }
    return t;
}

#endif
