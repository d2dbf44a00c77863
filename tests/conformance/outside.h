/* outside.h - a hinge, a spring, a ball and a slab as a program outside the library would write them, with faults at will; a
 * scene opened in a context that knows them. */
#ifndef SS_TEST_OUTSIDE_H
#define SS_TEST_OUTSIDE_H

#include "test.h"
#include "unit/sim/scene_run.h"
#include <slipstick/extend.h>
#include <slipstick/io.h>

/* ---- a hinge: x_1 - x_0, and in 3D y_0 . x_1 and z_0 . x_1 of the axes ------------------------------------------- */

enum { X = 12 };

/* what the functions of this file do wrong */
typedef struct faults {
    double row, slope, energy; /* a wrong factor, less 1 */
    bool nan, fails;
    ss_context *ctx;
} faults;

static inline void column(const double R[9], int j, double out[3])
{
    for (int i = 0; i < 3; i++) {
        out[i] = R[3 * i + j];
    }
}

static inline void cross(const double a[3], const double b[3], double out[3])
{
    for (int i = 0; i < 3; i++) {
        out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
    }
}

static inline double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/* a turn w changes b0 . b1 by w_0 . (b0 x b1) - w_1 . (b0 x b1) */
static inline double cosine(const ss_force_points *at, int j, double J[X])
{
    double b0[3], b1[3], across[3];
    column(at->rotation[0], j, b0);
    column(at->rotation[1], 0, b1);
    cross(b0, b1, across);
    for (int i = 0; i < 3; i++) {
        J[3 + i] = across[i];
        J[9 + i] = -across[i];
    }
    return dot(b0, b1);
}

static inline ss_status hinge(void *user, const ss_force_points *at, double *g, double *J)
{
    const faults *wrong = user;
    const int d = at->dimension;
    for (int i = 0; i < d; i++) {
        g[i] = at->position[1][i] - at->position[0][i];
        J[X * i + i] = -1 - wrong->row;
        J[X * i + 6 + i] = 1;
    }
    for (int k = 0; d == 3 && k < 2; k++) {
        g[3 + k] = cosine(at, 1 + k, J + X * (3 + k));
    }
    g[0] += wrong->nan ? NAN : 0;
    return wrong->fails ? ss_context_fail(wrong->ctx, SS_ERR_INPUT, "the pin is broken") : SS_OK;
}

/* moments m = lam b0 x b1 on the first, -m on the second: dm = lam ((w_0 x b0) x b1 + b0 x (w_1 x b1)) */
static inline void add_cosine(const ss_force_points *at, int j, double lam, double *K)
{
    double b0[3], b1[3];
    column(at->rotation[0], j, b0);
    column(at->rotation[1], 0, b1);
    for (int c = 0; c < 6; c++) {
        const double w[3] = { c % 3 == 0, c % 3 == 1, c % 3 == 2 };
        double turned[3], change[3];
        cross(w, c < 3 ? b0 : b1, turned);
        cross(c < 3 ? turned : b0, c < 3 ? b1 : turned, change);
        for (int i = 0; i < 3; i++) {
            K[X * (3 + i) + (c < 3 ? 3 : 9) + c % 3] += lam * change[i];
            K[X * (9 + i) + (c < 3 ? 3 : 9) + c % 3] -= lam * change[i];
        }
    }
}

static inline ss_status hinge_slope(void *user, const ss_force_points *at, const double *lam, double *K)
{
    const faults *wrong = user;
    for (int k = 0; at->dimension == 3 && k < 2; k++) {
        add_cosine(at, 1 + k, (1 + wrong->slope) * lam[3 + k], K);
    }
    return SS_OK;
}

static inline ss_own_joint hinge_type(const char *name, faults *wrong)
{
    return (ss_own_joint){ .info = { .name = name, .title = "hinge", .dimensions = 4 | 8 },
                           .user = wrong,
                           .rows = { 2, 5 },
                           .row_name = { { "force_x", "force_y" }, { "force_x", "force_y", "force_z", "torque_1", "torque_2" } },
                           .turns = 8,
                           .coordinate = SS_OWN_ANGLE,
                           .eval = hinge };
}

/* ---- a slider in 2D: y_0 . (x_1 - x_0) and y_0 . x_1 of the axes ------------------------------------------------------ */

/* a turn w of the first changes y . d by w . (y x d) */
static inline ss_status slider(void *user, const ss_force_points *at, double *g, double *J)
{
    double y[3], d[3];
    (void)user;
    column(at->rotation[0], 1, y);
    for (int i = 0; i < 3; i++) {
        d[i] = at->position[1][i] - at->position[0][i];
        J[i] = -y[i];
        J[6 + i] = y[i];
    }
    cross(y, d, J + 3);
    g[0] = dot(y, d);
    g[1] = cosine(at, 1, J + X);
    return SS_OK;
}

static inline ss_own_joint slider_type(void)
{
    return (ss_own_joint){ .info = { .name = "own_slider", .title = "slider", .dimensions = 4 },
                           .rows = { 2, 0 },
                           .row_name = { { "force", "torque" } },
                           .turns = 4,
                           .coordinate = SS_OWN_DISPLACEMENT,
                           .eval = slider };
}

/* ---- a spring: -k (|d| - L) d/|d| on the second point ---------------------------------------------------------------- */

static const ss_field spring_keys[] = {
    { .name = "k", .type = SS_FIELD_NUMBER, .min = 0, .max = INFINITY, .flags = SS_FIELD_REQUIRED, .doc = "N/m" },
    { .name = "rest_length", .type = SS_FIELD_NUMBER, .def = 0.3, .doc = "m" },
    SS_FIELD_END,
};

static inline double span(const ss_force_points *at, double n[3])
{
    double length = 0;
    for (int i = 0; i < 3; i++) {
        n[i] = at->position[1][i] - at->position[0][i];
    }
    length = sqrt(dot(n, n));
    for (int i = 0; i < 3; i++) {
        n[i] /= length;
    }
    return length;
}

static inline ss_status spring(void *user, const ss_force_points *at, double w[12])
{
    const faults *wrong = user;
    double n[3];
    const double f = at->number[0] * (span(at, n) - at->number[1]);
    for (int i = 0; i < 3; i++) {
        w[i] = f * n[i];
        w[6 + i] = -f * n[i];
    }
    w[0] += wrong->nan ? NAN : 0;
    return wrong->fails ? ss_context_fail(wrong->ctx, SS_ERR_INPUT, "the wire is broken") : SS_OK;
}

static inline ss_status spring_energy(void *user, const ss_force_points *at, double *energy)
{
    const faults *wrong = user;
    double n[3];
    const double stretch = span(at, n) - at->number[1];
    *energy = 0.5 * (1 + wrong->energy) * at->number[0] * stretch * stretch;
    return SS_OK;
}

/* d(f n) = k n n' + f/|d| (1 - n n') */
static inline ss_status spring_slope(void *user, const ss_force_points *at, double by_x[144], double by_v[144])
{
    const faults *wrong = user;
    double n[3];
    const double length = span(at, n), k = (1 + wrong->slope) * at->number[0], pull = k * (length - at->number[1]) / length;
    (void)by_v;
    for (int b = 0; b < 36; b++) {
        const int i = b / 6 % 3, j = b % 6 % 3, row = b / 18, to = b % 6 / 3;
        by_x[X * (6 * row + i) + 6 * to + j] = (row == to ? -1 : 1) * (k * n[i] * n[j] + pull * ((i == j) - n[i] * n[j]));
    }
    return SS_OK;
}

static inline ss_own_force spring_type(const char *name, faults *wrong)
{
    return (ss_own_force){ .info = { .name = name, .title = "spring", .dimensions = 4 | 8, .fields = spring_keys },
                           .functions = { .user = wrong, .wrench = spring, .potential = spring_energy } };
}

/* ---- a strut: |x_1 - x_0| - length ------------------------------------------------------------------------------------ */

static const ss_field strut_keys[] = { { .name = "reach", .type = SS_FIELD_NUMBER, .flags = SS_FIELD_REQUIRED, .doc = "m" },
                                       SS_FIELD_END };

static inline ss_status strut(void *user, const ss_force_points *at, double *g, double *J)
{
    double n[3];
    (void)user;
    g[0] = span(at, n) - at->number[0];
    for (int i = 0; i < 3; i++) {
        J[i] = -n[i];
        J[6 + i] = n[i];
    }
    return SS_OK;
}

static inline ss_own_joint strut_type(void)
{
    return (ss_own_joint){ .info = { .name = "own_strut", .title = "strut", .dimensions = 4 | 8, .fields = strut_keys },
                           .rows = { 1, 1 },
                           .row_name = { { "force" }, { "force" } },
                           .eval = strut };
}

/* ---- a ball; a slab with the corners of a box; two of these side by side ------------------------------------------------- */

static const ss_field ball_keys[] = {
    { .name = "diameter", .type = SS_FIELD_NUMBER, .flags = SS_FIELD_REQUIRED | SS_FIELD_OPEN_MIN, .max = INFINITY }, SS_FIELD_END
};
static const ss_field slab_keys[] = {
    { .name = "side", .type = SS_FIELD_NUMBER, .flags = SS_FIELD_REQUIRED | SS_FIELD_OPEN_MIN, .max = INFINITY },
    { .name = "copies", .type = SS_FIELD_NUMBER, .def = 1 },
    SS_FIELD_END,
};

static inline ss_status ball(void *user, int dimension, const double *number, int part, ss_shape_desc *out)
{
    (void)user, (void)dimension;
    out->type = part == 0 ? "sphere" : NULL;
    out->radius = number[0] / 2;
    return SS_OK;
}

/* cubes of that side along x, as hulls in 3D and polygons in 2D */
static inline ss_status slab(void *user, int dimension, const double *number, int part, ss_shape_desc *out)
{
    double(*corner)[3] = user;
    static const int round[4] = { 0, 1, 3, 2 };
    const int n = dimension == 3 ? 8 : 4;
    for (int k = 0; k < n; k++) {
        const int bits = dimension == 3 ? k : round[k];
        for (int i = 0; i < 3; i++) {
            corner[k][i] = i < dimension ? (bits >> i & 1 ? 0.5 : -0.5) * number[0] : 0;
        }
    }
    out->type = part < number[1] ? dimension == 3 ? "hull" : "polygon" : NULL;
    out->points = (ss_points){ n, corner[0] };
    out->position[0] = (part - (number[1] - 1) / 2) * number[0];
    return SS_OK;
}

/* ---- two runs of a scene -------------------------------------------------------------------------------------------------- */

typedef struct outside {
    ss_own_joint hinge, exact_hinge, slider, strut;
    ss_own_force spring, exact_spring;
    ss_own_shape ball, slab;
    double corner[8][3];
    faults wrong;
} outside;

static inline void add_all(ss_context *ctx, outside *x)
{
    x->wrong.ctx = ctx;
    x->hinge = x->exact_hinge = hinge_type("own_hinge", &x->wrong);
    x->spring = x->exact_spring = spring_type("own_spring", &x->wrong);
    x->slider = slider_type();
    x->strut = strut_type();
    x->exact_hinge.info.name = "exact_hinge";
    x->exact_hinge.stiffness = hinge_slope;
    x->exact_spring.info.name = "exact_spring";
    x->exact_spring.functions.jacobian = spring_slope;
    x->ball = (ss_own_shape){ .info = { .name = "ball", .dimensions = 4 | 8, .fields = ball_keys }, .describe = ball };
    x->slab = (ss_own_shape){ .info = { .name = "slab", .dimensions = 4 | 8, .fields = slab_keys },
                              .user = x->corner,
                              .describe = slab };
    CHECK_OK(ctx, ss_context_add_joint(ctx, &x->hinge));
    CHECK_OK(ctx, ss_context_add_joint(ctx, &x->exact_hinge));
    CHECK_OK(ctx, ss_context_add_joint(ctx, &x->slider));
    CHECK_OK(ctx, ss_context_add_joint(ctx, &x->strut));
    CHECK_OK(ctx, ss_context_add_force(ctx, &x->spring));
    CHECK_OK(ctx, ss_context_add_force(ctx, &x->exact_spring));
    CHECK_OK(ctx, ss_context_add_shape(ctx, &x->ball));
    CHECK_OK(ctx, ss_context_add_shape(ctx, &x->slab));
}

/* `part` of the scene is what differs */
static inline scene_run open_with(outside *x, const char *format, const char *part, const ss_scheme_type *scheme)
{
    scene_run r = { .ctx = test_context() };
    ss_sim_options o = with_tol(NAN);
    ss_scene *scene = NULL;
    char text[4096];
    snprintf(text, sizeof text, format, part);
    add_all(r.ctx, x);
    CHECK_OK(r.ctx, ss_scene_parse(r.ctx, text, strlen(text), "scene", 0, NULL, &scene));
    CHECK_OK(r.ctx, ss_model_compile(r.ctx, scene, &r.model));
    ss_scene_destroy(scene);
    CHECK_OK(r.ctx, scheme ? ss_sim_create_with(r.ctx, r.model, scheme, &o, &r.sim) : ss_sim_create(r.ctx, r.model, &o, &r.sim));
    return r;
}

#endif
