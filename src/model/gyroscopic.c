/* gyroscopic.c - the gyroscopic impulse of a free step.
 *
 *     I (w' - w) + h m x I m = 0,   m = (w + w')/2        implicit midpoint on Euler's equations, body frame
 *
 * The midpoint rule keeps quadratic invariants: w . I w, the kinetic energy, and |I w|, the angular momentum, are those of
 * the start for any h. An explicit -h w x I w spins a free body up without bound. The impulse p = I (w' - w) is what the
 * step adds to the momentum; with it the free velocity has the kinetic energy it started from, so that contacts and
 * joints can only lose some of it [AP97 eq. 2.22].
 *
 * Linear    A rule that takes the torque as linear in w', with a skew matrix, does no work whatever else changes w':
 *
 *     p = h [a] (w + w')/2,   a = m x p_f/(h |m|^2) + (m . I m) m/|m|^2,   m = (w + w_f)/2
 *
 *           where w_f and p_f are w' and p of the free body. If nothing else acts, w' = w_f. Over a single midpoint step a = I m.
 * Share     A rule that takes the torque with its derivative J at w has I d = h k(w) + h/2 J d, d = w' - w. As the torque is
 *           quadratic in w, that changes the energy by h/4 w . (d x I d), at most the share
 *           h |w| (d . I d)/(w . I w), about.
 *
 * Cost   two or three Newton steps of size 3; h is divided where the body turns by more than half a radian in it */
#include "model/gyroscopic.h"
#include "base/parallel.h"
#include "model/model.h"

static ss_vec3 apply(const ss_mat3 *A, ss_vec3 x) { return ss_rotate(*A, x); }

/* x with A x = b, A by columns; Cramer */
static ss_vec3 solve3(const ss_mat3 *A, ss_vec3 b)
{
    double d = ss_dot(A->c[0], ss_cross(A->c[1], A->c[2]));
    return ss_v3(ss_dot(b, ss_cross(A->c[1], A->c[2])) / d, ss_dot(A->c[0], ss_cross(b, A->c[2])) / d,
                 ss_dot(A->c[0], ss_cross(A->c[1], b)) / d);
}

/* I + h/2 ([m] I - [I m]), the derivative of the residual by w' */
static ss_mat3 derivative(const ss_mat3 *inertia, ss_vec3 m, double h)
{
    ss_vec3 Im = apply(inertia, m);
    const ss_vec3 e[3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
    ss_mat3 J;
    for (int i = 0; i < 3; i++) {
        ss_vec3 turn = ss_sub(ss_cross(m, inertia->c[i]), ss_cross(Im, e[i]));
        J.c[i] = ss_axpy(0.5 * h, turn, inertia->c[i]);
    }
    return J;
}

/* w' of one midpoint step */
static ss_vec3 midpoint(const ss_mat3 *inertia, ss_vec3 w, double h)
{
    const double last_digits = 1e-15;
    ss_vec3 next = w;
    for (int k = 0; k < 20; k++) {
        ss_vec3 m = ss_scale(0.5, ss_add(w, next));
        ss_vec3 remainder = ss_axpy(h, ss_cross(m, apply(inertia, m)), apply(inertia, ss_sub(next, w)));
        ss_mat3 J = derivative(inertia, m, h);
        ss_vec3 d = solve3(&J, remainder);
        next = ss_sub(next, d);
        if (ss_norm(d) <= last_digits * ss_norm(next)) {
            break;
        }
    }
    return next;
}

ss_vec3 ss_gyroscopic_impulse(const ss_mat3 *inertia, ss_vec3 w, double h)
{
    const double turns = 2 * h * ss_norm(w);
    const int parts = turns < 1 ? 1 : turns < 1000 ? (int)ceil(turns) : 1000;
    ss_vec3 next = w;
    for (int k = 0; k < parts; k++) {
        next = midpoint(inertia, next, h / parts);
    }
    return apply(inertia, ss_sub(next, w));
}

ss_vec3 ss_gyroscopic_axis(const ss_mat3 *inertia, ss_vec3 w, double h)
{
    const double least = 1e-12; /* of w . w: a body that has turned round has no mean */
    const ss_vec3 p = ss_gyroscopic_impulse(inertia, w, h), m = ss_axpy(0.5, solve3(inertia, p), w);
    const double square = fmax(ss_dot(m, m), least * ss_dot(w, w));
    return ss_axpy(ss_dot(m, apply(inertia, m)) / square, m, ss_scale(1 / (h * square), ss_cross(m, p)));
}

double ss_gyroscopic_share(const ss_mat3 *inertia, ss_vec3 w, double h)
{
    const ss_vec3 L = apply(inertia, w), torque = ss_cross(L, w);
    const ss_mat3 J = derivative(inertia, w, h);
    const ss_vec3 d = solve3(&J, ss_scale(h, torque));
    const double energy = ss_dot(w, L);
    return energy > 0 ? h * ss_norm(w) * ss_dot(d, apply(inertia, d)) / energy : 0;
}

/* Bodies whose impulses are asked for. */
typedef struct turning {
    const ss_model *m;
    const double *v;
    double h, *p;
} turning;

static void turn_range(void *data, int begin, int end)
{
    const turning *x = data;
    for (int b = begin; b < end; b++) {
        if (x->m->body_type[b] == SS_BODY_RIGID && x->m->dimension == 3) {
            const int i = x->m->body_v[b] + 3;
            ss_v3_to(ss_gyroscopic_impulse(&x->m->body_inertia[b], ss_v3_from(x->v + i), x->h), x->p + i);
        }
    }
}

void ss_model_gyroscopic_impulse(const ss_context *ctx, const ss_model *m, const double *v, double h, double *p)
{
    enum { GRAIN = 256 };
    memset(p, 0, (size_t)m->nv * sizeof *p);
    ss_parallel_for(ctx, m->bodies, GRAIN, turn_range, &(turning){ m, v, h, p });
}
