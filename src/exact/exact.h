/* exact.h - solutions that are known beforehand, to measure schemes against.
 *
 * Adding one: a file src/exact/<name>.c that defines `const ss_exact_type ss_exact_<name>`, and a line in exact.def. A
 * solution takes its data (masses, gravity, laws, first state) from the model, so that it follows every change of the
 * scene, and refuses a model that is not its own problem, saying what it expected. */
#ifndef SS_EXACT_H
#define SS_EXACT_H

#include "base/options.h"
#include "model/model.h"
#include <slipstick/study.h>

typedef struct ss_exact_type {
    /* fields: of "params" in the scene, none for most; laws: those of friction that it is the solution of, 0: any */
    ss_entry info;
    /* Take the data from x->model into *data (ss_calloc; freed by ss_exact_destroy after `destroy`). */
    ss_status (*create)(ss_exact *x, void **data);
    void (*destroy)(ss_context *ctx, void *data); /* what data itself points to; NULL: nothing */
    /* As ss_exact_at, 0 <= t; q and v come filled with the model's first state. */
    ss_status (*at)(const ss_exact *x, double t, int side, double *q, double *v);
    double (*next_jump)(const ss_exact *x, double t); /* as ss_exact_next_jump; NULL: v never jumps */
    double (*next_kink)(const ss_exact *x, double t); /* as ss_exact_next_kink; NULL: the motion is smooth between jumps */
} ss_exact_type;

struct ss_exact {
    ss_context *ctx;
    const ss_exact_type *type;
    const ss_model *model;
    void *params; /* the type's options */
    void *data;
};

extern const ss_exact_type *const ss_exact_types[]; /* NULL-terminated, from exact.def */

/* "exact bouncing_ball: expected ..." */
ss_status ss_exact_refuse(const ss_exact *x, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The only dynamic body of the model; refused if there are more, or none. */
ss_status ss_exact_only_body(const ss_exact *x, int *body);

/* What a body meets: the only half space of the model, and the law between it and the body's only shape, a rounded polytope
 * (point, sphere, capsule, box, polygon, hull). Refused if the model has other shapes. */
typedef struct ss_exact_floor {
    const ss_shape *shape; /* of the body                                   */
    ss_vec3 normal;        /* world, out of the half space                  */
    double gap;            /* of the shape at t = 0                         */
    double radius;         /* of a sphere; 0: it has corners                */
    const ss_pair_law *law;
} ss_exact_floor;
ss_status ss_exact_find_floor(const ss_exact *x, int body, ss_exact_floor *out);
/* The same for a point or a sphere that starts outside and meets no friction; anything else is refused. */
ss_status ss_exact_find_smooth_floor(const ss_exact *x, int body, ss_exact_floor *out);

/* Until when to look for the next event: the end of the scene, `otherwise` where it has none, and not before t. */
double ss_exact_horizon(const ss_exact *x, double t, double otherwise);

#endif
