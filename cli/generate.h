/* generate.h - what the generators of scenes share: options, random numbers, the writer of the scene.
 *
 * Generators work in x (across), y (depth) and z (up). In 2D the depth is left out and up is the file's y; an angle turns
 * x towards up. Adding a kind: one gen_kind with its function, one line in the table of generate.c. */
#ifndef GENERATE_H
#define GENERATE_H

#include "cli.h"

#include <stdio.h>

typedef struct gen_options {
    int bodies, seed, dimension, columns, dampers, loops;
    double mu, density, radius, side, size_spread;
    double link;                                   /* chain         */
    double bond, damping, mass_ratio;              /* wall, tower   */
    double thickness, depth;                       /* arch          */
    double width, outlet, slope, aspect, opens_at; /* containers    */
    double speed, fill;                            /* drum          */
    double stiffness;                              /* jelly         */
    const char *shape, *sizes, *file;
} gen_options;

typedef struct gen gen;

/* An option that a kind takes, with its default; NAN: worked out by the kind. */
typedef struct gen_default {
    const char *option;
    double value;
} gen_default;

typedef struct gen_kind {
    const char *name, *doc;
    const gen_default *takes;                    /* ended by option NULL; -o is taken by all     */
    const char *shapes;                          /* choices of --shape, the first is the default; NULL: none */
    const char *step;                            /* length of a step                             */
    const char *scheme;                          /* NULL: anitescu_potra                         */
    double tol;                                  /* of the solver                                */
    bool circular;                               /* contacts in space by the hundred: circular cone */
    bool granular;                               /* all collisions of a step together; 9 digits  */
    bool (*write)(gen *g, const gen_options *o); /* false: said why, nothing was written */
} gen_kind;

extern const gen_kind gen_pile, gen_wall, gen_tower, gen_chain, gen_arch, gen_drum, gen_silo, gen_column, gen_brazil_nut, gen_net,
    gen_jelly, gen_four_bar;

/* ---- random numbers: splitmix64 ------------------------------------------------------------------ */

double gen_uniform(gen *g); /* in [-1, 1) */
double gen_normal(gen *g);

/* ---- the scene, written as it is made --------------------------------------------------------------- */

typedef struct gen_vec {
    double x, y, z; /* across, depth, up */
} gen_vec;

typedef struct gen_shape {
    const char *type, *material; /* material NULL: the one of the scene */
    gen_vec position, size, normal;
    double angle, radius, length, offset;
    int points;
    const gen_vec *point;
} gen_shape;

typedef struct gen_body {
    const char *name, *type;
    int number; /* appended to the name; 0: none */
    gen_vec position;
    double angle;
    const double *orientation; /* 3D; NULL: from the angle */
    gen_vec velocity;
    double rate;             /* of the angle             */
    double density;          /* 0: mass and inertia      */
    double mass, inertia[3]; /* about x, y, z; 2D uses the one about y */
    const char *motion[3], *motion_angle;
    int shapes;
    const gen_shape *shape;
} gen_body;

struct gen {
    FILE *file;
    const gen_kind *kind;
    const char *path; /* NULL: standard output */
    int dimension, digits;
    uint64_t random;
    bool first;  /* nothing in the present list yet */
    int bodies;  /* so far */
    int failure; /* exit status if it goes wrong: of the usage, or of the file */
};

/* Open the file and write what comes before the bodies; false: said why. `slippery` adds a material without friction of
 * that name. */
bool gen_begin(gen *g, const char *title, double until, double mu, const char *slippery);
void gen_put_body(gen *g, const gen_body *body);
void gen_put_floor(gen *g); /* z = 0, solid below */
/* A list of the scene; a joint with a hinge at points on the x axes of its bodies. */
void gen_section(gen *g, const char *key);
void gen_put_hinge(gen *g, int number, const char *const bodies[2], const double anchors[2]);

/* A spring, a damper or both between two points. */
typedef struct gen_spring {
    const char *type; /* its name, too */
    int number;       /* appended to the name */
    const char *bodies[2];
    gen_vec anchors[2];
    double stiffness, damping, length; /* what is 0 is left out */
} gen_spring;
void gen_put_spring(gen *g, const gen_spring *spring);
bool gen_end(gen *g); /* false: said that the file could not be written */

/* ---- grains: generate_grains.c ----------------------------------------------------------------------- */

typedef struct gen_grains {
    const gen_options *o;
    double cell; /* grains lie each in its own cell of this side */
} gen_grains;

/* The options that every kind of grains takes, for its table. */
#define GEN_GRAIN_OPTIONS                                                                                                        \
    { "seed", 0 }, { "mu", 0.5 }, { "density", 2500 }, { "radius", 0.1 }, { "size-spread", 0 }, { "sizes", NAN }, { "shape", NAN }
#define GEN_GRAIN_SHAPES "sphere|box|capsule|cylinder|polygon|hull"
/* what every kind of grains is: its shapes, step, tolerance, and all collisions of a step together */
#define GEN_GRANULAR .shapes = GEN_GRAIN_SHAPES, .step = "1/240", .tol = 1e-4, .granular = true

/* A lattice of cells nx x ny (2D: 1) and layers upwards from z, about the axis x = y = 0; with `round` > 0 only cells within
 * that distance of the depth axis through the origin; with `hole` > 0 only those farther than that from (0, 0, hole_z). */
typedef struct gen_lattice {
    int nx, ny, layers;
    double z, round, hole, hole_z;
} gen_lattice;

/* false: said which size cannot be */
bool gen_grains_check(const gen_options *o, gen_grains *out);
/* how many grains the lattice holds */
double gen_lattice_count(const gen_grains *grains, const gen_lattice *lattice);
void gen_put_grains(gen *g, const gen_grains *grains, const gen_lattice *lattice);

#endif
