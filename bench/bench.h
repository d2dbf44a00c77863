/* bench.h - slipstick beside others, on the same scenes and the same problems.
 *
 * An engine moves the bodies of a scene; a peer is an engine or a solver that is not ours. All measures (drift, overlap,
 * acceleration, residual) are computed here from positions, velocities and impulses, by one formula for all. */
#ifndef BENCH_H
#define BENCH_H

#ifdef __cplusplus
extern "C" {
#endif

#include <stdbool.h>
#include <stdio.h>

/* ---- scenes: spheres, boxes and planes of a scene file ----------------------------------------------- */

typedef struct bench_body {
    bool sphere;
    double radius, size[3]; /* full sides */
    double position[3], mass;
} bench_body;

typedef struct bench_plane {
    double normal[3], offset; /* free where normal . x >= offset */
} bench_plane;

typedef struct bench_scene {
    const char *path;
    int bodies, planes;
    bench_body *body;
    bench_plane plane[8];
    double mu, gravity, h;
    double tol; /* of our solver; 0: as the file says */
} bench_scene;

/* Read spheres and boxes without rotation; exits with a message if there is anything else that is rigid. */
bench_scene bench_scene_read(const char *path, double h);
void bench_scene_free(bench_scene *scene);
/* Generate a scene with the command line; returns its path, to be freed. */
char *bench_scene_write(const char *words, const char *name);
/* The same, and read it. */
bench_scene bench_scene_make(const char *words, const char *name, double h);

/* ---- engines ---------------------------------------------------------------------------------------- */

/* A contact of the last step of an engine that is not ours, as that engine has posed and solved it. */
typedef struct bench_touch {
    int body[2];        /* the second is pushed by the opposite impulse; -1: a plane                           */
    double point[2][3]; /* where the impulse acts on each of them, world                                       */
    double axis[3][3];  /* normal towards the first body, two tangents                                         */
    double offset;      /* added to the normal velocity: what the engine asks for because of gap or overlap, m/s */
    double impulse[3];  /* along the axes                                                                      */
    bool box;           /* friction is bounded along each tangent by itself; false: Coulomb's cone              */
} bench_touch;

/* How a body is turned and moves: columns of R are its axes in the world; velocity, then angular velocity, world. */
typedef struct bench_motion {
    double R[9], twist[6];
} bench_motion;

/* What the residual of a peer's step is computed from. */
typedef struct bench_insight {
    int iterations; /* that the engine makes unless told otherwise */
    void (*set_iterations)(void *engine, int iterations);
    void (*motion)(void *engine, int body, bench_motion *out);
    int (*touches)(void *engine, const bench_touch **list); /* of the last step; the engine's memory */
} bench_insight;

typedef struct bench_engine {
    const char *name;
    const char *(*version)(void);
    void *(*create)(const bench_scene *scene); /* NULL: said why */
    bool (*step)(void *engine, double h);
    void (*state)(void *engine, int body, double x[3], double v[3]);
    int (*contacts)(void *engine);
    double (*residual)(void *engine); /* of the last step; NULL: bench_peer_residual */
    void (*destroy)(void *engine);
    const bench_insight *insight; /* of peers */
} bench_engine;

/* Step a peer and compute the certificate of its contacts (docs/certificate.md) from its own contacts and impulses. */
double bench_peer_residual(const bench_engine *engine, void *run, const bench_scene *scene);

extern const bench_engine bench_slipstick;
#ifdef HAVE_ODE
extern const bench_engine bench_ode;
#endif
#ifdef HAVE_BULLET
extern const bench_engine bench_bullet;
#endif

/* ---- solvers of Siconos ------------------------------------------------------------------------------- */

typedef enum bench_fc3d { BENCH_FC3D_NSGS, BENCH_FC3D_ADMM } bench_fc3d;
typedef struct bench_siconos_end {
    double seconds, error; /* seconds: without forming W; error: as Siconos defines it */
    int iterations;
    bool solved;
} bench_siconos_end;
/* The local problem u = W r + q, Coulomb in 3D, from r = 0. */
struct ss_problem;
bench_siconos_end bench_siconos_friction(bench_fc3d solver, const struct ss_problem *local, double tol, int max_iter, double *r);
/* w = M z + q (M dense, by rows) by lcp_lexicolemke; seconds. */
double bench_siconos_lemke(int n, const double *M, const double *q, double *z, bool *solved);
bool bench_siconos_present(void);

/* ---- the rest ------------------------------------------------------------------------------------------ */

typedef struct bench_settings {
    bool full;
    const char *program, *folder; /* the command line; where results and scenes go */
    const char *fclib;            /* folder of FCLIB files; NULL: none             */
    const char *engines;          /* those to run, by name; "": all                */
} bench_settings;

double bench_seconds(void); /* CPU time of this process */
void bench_fatal(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
void *bench_array(size_t n, size_t size); /* zeros, n may be 0; never NULL */
/* A table on stdout and as CSV below the folder: begin with the column names, then cells in turn. */
typedef struct bench_table {
    FILE *csv;
    int columns, at;
} bench_table;
bench_table bench_table_open(const bench_settings *settings, const char *name, const char *title, const char *const *columns);
void bench_text(bench_table *table, const char *text);
void bench_number(bench_table *table, double x); /* NAN: - */
void bench_table_close(bench_table *table);

extern bench_settings bench_run; /* set once by main */

/* The engines that are here and wanted; NULL ends the list. */
const bench_engine *const *bench_engines(void);
/* A cell that says whether a run was made to its end: `done` of `asked` steps. */
void bench_put_end(bench_table *table, int done, int asked);

void bench_equal(void);
void bench_scale(void);
void bench_wall(void);
void bench_pile(void);
void bench_friction(void);
void bench_convex(void);
void bench_lcps(void);
void bench_springs(void);
void bench_mechanisms(void);
void bench_flexible(void);

#ifdef __cplusplus
}
#endif
#endif
